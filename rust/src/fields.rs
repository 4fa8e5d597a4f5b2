//! One line split into its columns. Any run of ASCII blanks separates, as for trec_eval; a line ends at `\n`.

use wide::u8x16;

/// Bytes that may be read past the end of a text.
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

/// Whether two texts are the same. Most are a few bytes long, for which a call of the general way takes longest.
#[inline(always)]
pub fn same(a: &[u8], b: &[u8]) -> bool {
    let size = a.len();
    if size != b.len() {
        return false;
    }
    if (8..=16).contains(&size) {
        return word::<8>(a, 0) == word::<8>(b, 0) && word::<8>(a, size - 8) == word::<8>(b, size - 8);
    }
    if (4..8).contains(&size) {
        return word::<4>(a, 0) == word::<4>(b, 0) && word::<4>(a, size - 4) == word::<4>(b, size - 4);
    }
    if size > 16 { a == b } else { a.iter().zip(b).all(|(a, b)| a == b) }
}

/// The bytes at a place; texts are never shorter here.
#[inline(always)]
fn word<const SIZE: usize>(text: &[u8], at: usize) -> Option<[u8; SIZE]> {
    text[at..].first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn texts_are_the_same_if_all_their_bytes_are() {
        let text: Vec<u8> = (0..40).collect();
        for size in 0..40 {
            assert!(same(&text[..size], &text.clone()[..size]));
            assert!(!same(&text[..size], &text[..size + 1]));
            for place in 0..size {
                let mut other = text.clone();
                other[place] = 99;
                assert!(!same(&text[..size], &other[..size]), "{size} bytes, another at {place}");
            }
        }
    }
}
