//! One line split into its columns. Any run of ASCII blanks separates, as for trec_eval; a line ends at `\n`.

use wide::u8x16;

/// Bytes that may be read past the end of a text given to `split_usual`.
pub const PADDING: usize = 64;

/// Start and end of a column in the text.
pub type Span = (usize, usize);

pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0B | 0x0C)
}

/// One bit for each of 64 bytes, set where the byte is a blank, a line end or any other control character.
fn control_bits(bytes: &[u8; PADDING]) -> u64 {
    let space = u8x16::splat(b' ');
    let mut bits = 0u64;
    for (part, chunk) in bytes.chunks_exact(16).enumerate() {
        let Ok(chunk) = <[u8; 16]>::try_from(chunk) else {
            continue;
        };
        let block = u8x16::new(chunk);
        bits |= u64::from(block.min(space).simd_eq(block).to_bitmask()) << (16 * part);
    }
    bits
}

/// The usual line: exactly `N` columns, one space or tab between, less than 64 bytes. Gives the columns and where the
/// next line starts; None sends the line to `split`.
#[inline(always)]
pub fn split_usual<const N: usize>(text: &[u8], start: usize) -> Option<([Span; N], usize)> {
    let window: &[u8; PADDING] = text.get(start..start + PADDING)?.try_into().ok()?;
    let mut bits = control_bits(window);
    let mut spans = [(0, 0); N];
    let mut from = 0;
    for (column, span) in spans.iter_mut().enumerate() {
        if bits == 0 {
            return None;
        }
        let end = bits.trailing_zeros() as usize;
        bits &= bits - 1;
        let closes = match window[end] {
            b' ' | b'\t' => column < N - 1,
            b'\n' => column == N - 1,
            _ => false,
        };
        if end == from || !closes {
            return None;
        }
        *span = (start + from, start + end);
        from = end + 1;
    }
    Some((spans, start + from))
}

/// Columns of the line `text[start..end]` (without its line end), at most `N` of them, and how many there are in all.
pub fn split<const N: usize>(text: &[u8], start: usize, end: usize) -> ([Span; N], usize) {
    let mut spans = [(end, end); N];
    let mut count = 0;
    let mut at = start;
    loop {
        while at < end && is_blank(text[at]) {
            at += 1;
        }
        if at == end {
            return (spans, count);
        }
        let from = at;
        while at < end && !is_blank(text[at]) {
            at += 1;
        }
        if count < N {
            spans[count] = (from, at);
        }
        count += 1;
    }
}

/// One bit for each of 64 bytes, set where the byte is the separator, a quote, a line end or another control character.
fn special_bits(bytes: &[u8; PADDING], separator: u8) -> u64 {
    let (last_control, separator, quote) = (u8x16::splat(0x1F), u8x16::splat(separator), u8x16::splat(b'"'));
    let mut bits = 0u64;
    for (part, chunk) in bytes.chunks_exact(16).enumerate() {
        let Ok(chunk) = <[u8; 16]>::try_from(chunk) else {
            continue;
        };
        let block = u8x16::new(chunk);
        let special = block.min(last_control).simd_eq(block) | block.simd_eq(separator) | block.simd_eq(quote);
        bits |= u64::from(special.to_bitmask()) << (16 * part);
    }
    bits
}

/// The usual line of delimited text: as many cells as there are spans, without quotes, blanks around them and control
/// characters. Gives where the next line starts; None sends the line to the careful way.
#[inline(always)]
pub fn cells_usual(text: &[u8], start: usize, separator: u8, spans: &mut [Span]) -> Option<usize> {
    let (mut block, mut from, mut cell) = (start, start, 0);
    loop {
        let window: &[u8; PADDING] = text.get(block..block + PADDING)?.try_into().ok()?;
        let mut bits = special_bits(window, separator);
        while bits != 0 {
            let at = block + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let byte = text[at];
            let ends_line = byte == b'\n' || (byte == b'\r' && text.get(at + 1) == Some(&b'\n'));
            if !(ends_line || byte == separator) || ends_line != (cell + 1 == spans.len()) {
                return None;
            }
            if from < at && (text[from] == b' ' || text[at - 1] == b' ') {
                return None;
            }
            spans[cell] = (from, at);
            if ends_line {
                return Some(if byte == b'\r' { at + 2 } else { at + 1 });
            }
            cell += 1;
            from = at + 1;
        }
        block += PADDING;
    }
}

/// The usual line of columns between blanks: as many as there are spans, one blank between. None as above.
#[inline(always)]
pub fn columns_usual(text: &[u8], start: usize, spans: &mut [Span]) -> Option<usize> {
    let (mut block, mut from, mut column) = (start, start, 0);
    loop {
        let window: &[u8; PADDING] = text.get(block..block + PADDING)?.try_into().ok()?;
        let mut bits = control_bits(window);
        while bits != 0 {
            let at = block + bits.trailing_zeros() as usize;
            bits &= bits - 1;
            let closes = match text[at] {
                b' ' | b'\t' => column + 1 < spans.len(),
                b'\n' => column + 1 == spans.len(),
                _ => false,
            };
            if at == from || !closes {
                return None;
            }
            spans[column] = (from, at);
            column += 1;
            from = at + 1;
            if column == spans.len() {
                return Some(from);
            }
        }
        block += PADDING;
    }
}

/// All columns of the line `text[start..end]` between blanks.
pub fn columns(text: &[u8], start: usize, end: usize, into: &mut Vec<Span>) {
    into.clear();
    let mut at = start;
    while at < end {
        let length = text[at..end].iter().take_while(|&&byte| !is_blank(byte)).count();
        if length > 0 {
            into.push((at, at + length));
        }
        at += length + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn padded(text: &str) -> Vec<u8> {
        let mut bytes = text.as_bytes().to_vec();
        bytes.extend([b'\n'; PADDING]);
        bytes
    }

    #[test]
    fn the_fast_way_agrees_with_the_plain_one() {
        for line in ["301 Q0 FT911-3 1 2.5 run\n", "a\tb\tc\td\te\tf\n", "1 2 3 4 5 é\n"] {
            let text = padded(line);
            let (fast, next) = split_usual::<6>(&text, 0).unwrap();
            let (plain, count) = split::<6>(&text, 0, line.len() - 1);
            assert_eq!((fast, next, count), (plain, line.len(), 6), "{line}");
        }
    }

    #[test]
    fn unusual_lines_are_left_to_the_plain_way() {
        for line in [
            "a b c d e\n",
            "a  b c d e f\n",
            " a b c d e f\n",
            "a b c d e f \n",
            "a b c d e f\r\n",
            "\n",
            "a b c\0 d e f\n",
        ] {
            assert!(split_usual::<6>(&padded(line), 0).is_none(), "{line:?}");
        }
        let long = format!("1 Q0 {} 1 2 run\n", "x".repeat(64));
        assert!(split_usual::<6>(&padded(&long), 0).is_none());
    }
}
