//! Ends of columns, marked for some kilobytes of text at once; lines are then cut from the marks.
//!
//! A mark is a line end, or the first blank behind a column. Marking takes every control character for a blank, as one
//! comparison of many bytes at a time can; whoever cuts lines looks at what stands at a mark and leaves lines with other
//! control characters to the plain way. Long lines cost no more for each byte than short ones.

use crate::decimals;
use crate::fields::{Span, is_blank};
use crate::sizes;
use wide::u8x16;

/// Bytes that are looked at together, one for each bit of a word.
const BLOCK: usize = 64;
/// Bytes marked at once, at most.
const CHUNK: usize = 256 * BLOCK;

/// 0 for the blanks that usually stand between columns, 1 for all other bytes.
const IS_UNUSUAL: [u8; 256] = {
    let mut table = [1; 256];
    table[b' ' as usize] = 0;
    table[b'\t' as usize] = 0;
    table
};

/// Marks of a part of a text, and how far they are used up.
pub struct Marks {
    places: Box<[u32]>,
    count: usize,
    at: usize,
    /// How many of the first marks are known to belong to lines of the usual kind.
    usual: usize,
    /// Where the marked text ends.
    reach: usize,
    /// Whether some blank follows another, or starts a line.
    has_runs: bool,
    /// The column that holds a number, from 0, and the numbers of the usual lines: NaN where one is left to the plain way.
    /// Those of many lines are read in less time together, one after the other with nothing between.
    number_column: Option<usize>,
    numbers: Vec<f64>,
}

/// A line: its columns, where the next one starts, and its number, NaN where it is not known yet.
pub type Line<const N: usize> = ([Span; N], usize, f64);

/// What is seen of a text while it is marked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Seen {
    marks: usize,
    line_ends: usize,
    /// Whether some blank follows another, or is the first byte.
    has_runs: bool,
    /// Whether there are control characters other than line ends and tabs.
    has_controls: bool,
}

impl Marks {
    pub fn new(number_column: Option<usize>) -> Self {
        // Each byte may be a line end; a block writes up to a block of places, used or not.
        let places = vec![0; CHUNK + BLOCK].into_boxed_slice();
        Marks { places, count: 0, at: 0, usual: 0, reach: 0, has_runs: false, number_column, numbers: Vec::new() }
    }

    /// The text has moved: marks no longer fit.
    pub fn forget(&mut self) {
        (self.count, self.at, self.usual, self.reach) = (0, 0, 0, 0);
    }

    /// Go on with the line that starts at `start`.
    pub fn skip_to(&mut self, start: usize) {
        let left = &self.places[self.at..self.count];
        self.at += left.iter().take_while(|&&place| (place as usize) < start).count();
    }

    /// Columns of the line that starts at `start` and where the next one does, if it has exactly `N` columns with one
    /// blank between; None leaves the line to `spaced_line` and `fields::split`. Its marks are then used up. Lines end
    /// before `whole`, or there where the last line end of a file is missing; a block behind it can be read.
    #[inline(always)]
    pub fn line<const N: usize>(&mut self, text: &[u8], start: usize, whole: usize) -> Option<Line<N>> {
        if self.count < self.at + N {
            self.mark::<N>(text, start, whole);
        }
        let mut spans = [(0, 0); N];
        if let Some(ends) = self.places[..self.usual].get(self.at..self.at + N) {
            let mut from = start;
            for (span, &end) in spans.iter_mut().zip(ends) {
                *span = (from, end as usize);
                from = end as usize + 1;
            }
            let number = self.numbers.get(self.at / N).copied().unwrap_or(f64::NAN);
            self.at += N;
            return Some((spans, from, number));
        }
        if self.has_runs {
            return None;
        }
        let ends = self.places[..self.count].get(self.at..self.at + N)?;
        let (mut from, mut last, mut unusual) = (start, b' ', 0);
        for (span, &end) in spans.iter_mut().zip(ends) {
            let end = end as usize;
            unusual |= IS_UNUSUAL[usize::from(last)];
            last = text[end];
            *span = (from, end);
            from = end + 1;
        }
        if unusual != 0 || last != b'\n' {
            return None;
        }
        self.at += N;
        Some((spans, from, f64::NAN))
    }

    /// The same where several blanks may stand between columns, before and behind them.
    #[inline(never)]
    pub fn spaced_line<const N: usize>(&mut self, text: &[u8], start: usize, whole: usize) -> Option<Line<N>> {
        if self.count < self.at + N + 1 {
            self.mark::<N>(text, start, whole);
        }
        let marks = &self.places[..self.count];
        let mut spans = [(0, 0); N];
        let mut from = start;
        for (span, &end) in spans.iter_mut().zip(marks.get(self.at..self.at + N)?) {
            let end = end as usize;
            while is_blank(text[from]) {
                from += 1;
            }
            // A line end: too few columns. Another control character: marks need not be ends of columns.
            if text[from] <= b' ' || !(is_blank(text[end]) || text[end] == b'\n') {
                return None;
            }
            *span = (from, end);
            from = end;
        }
        let mut used = N;
        if text[from] != b'\n' {
            let next = *marks.get(self.at + N)? as usize;
            if text[next] != b'\n' || !text[from..next].iter().all(|&byte| is_blank(byte)) {
                return None;
            }
            from = next;
            used += 1;
        }
        self.at += used;
        Some((spans, from + 1, f64::NAN))
    }

    /// Mark the text from `start` on, where a line starts, unless all lines up to `whole` are marked.
    #[inline(never)]
    fn mark<const N: usize>(&mut self, text: &[u8], start: usize, whole: usize) {
        if self.reach > whole {
            return;
        }
        let size = (whole + 1 - start).next_multiple_of(BLOCK).min(sizes::marked().min(CHUNK));
        let (blocks, _) = text[start..start + size].as_chunks();
        let first = start as u32; // places in a window fit in 32 bits
        let seen = mark(blocks, first, &mut self.places);
        (self.count, self.has_runs) = (seen.marks, seen.has_runs);
        (self.at, self.reach) = (0, start + size);
        self.usual = if self.all_usual::<N>(text, seen) { seen.marks / N * N } else { 0 };
        self.numbers.clear();
        if let Some(column) = self.number_column {
            decimals::read::<N>(text, self.places[..self.usual].as_chunks().0, column, &mut self.numbers);
        }
    }

    /// Whether all marked lines, but for the last if its end is not among them, have `N` columns with one blank between:
    /// then each `N`th mark is a line end, and no other is.
    fn all_usual<const N: usize>(&self, text: &[u8], seen: Seen) -> bool {
        let lines = self.places[..seen.marks].as_chunks::<N>().0;
        !seen.has_runs
            && !seen.has_controls
            && seen.line_ends == lines.len()
            && lines.iter().all(|marks| text[marks[N - 1] as usize] == b'\n')
    }
}

/// Write down the marks of some blocks, the first of which stands at `first`.
fn mark(blocks: &[[u8; BLOCK]], first: u32, into: &mut [u32]) -> Seen {
    #[cfg(target_arch = "x86_64")]
    if sizes::registers() >= 64 && widest::is_known() {
        // SAFETY: the processor has what the function was compiled for; this is all that it asks for.
        return unsafe { widest::mark(blocks, first, into) };
    }
    #[cfg(target_arch = "x86_64")]
    if sizes::registers() >= 32 && std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("bmi1") {
        // SAFETY: as above.
        return unsafe { wider::mark(blocks, first, into) };
    }
    mark_with(blocks, first, into, classes, put)
}

/// Classes of the bytes of a block, a bit for each byte.
struct Classes {
    /// Control characters and blanks.
    blanks: u64,
    line_ends: u64,
    /// Spaces and tabs.
    usual_blanks: u64,
}

fn classes(block: &[u8; BLOCK]) -> Classes {
    let (space, tab, line_end) = (u8x16::splat(b' '), u8x16::splat(b'\t'), u8x16::splat(b'\n'));
    let mut found = Classes { blanks: 0, line_ends: 0, usual_blanks: 0 };
    for (part, &bytes) in block.as_chunks().0.iter().enumerate() {
        let bytes = u8x16::new(bytes);
        let usual = bytes.simd_eq(space) | bytes.simd_eq(tab);
        found.blanks |= u64::from(bytes.min(space).simd_eq(bytes).to_bitmask()) << (16 * part);
        found.line_ends |= u64::from(bytes.simd_eq(line_end).to_bitmask()) << (16 * part);
        found.usual_blanks |= u64::from(usual.to_bitmask()) << (16 * part);
    }
    found
}

/// Write down where the bits of a word are set, in a block that starts at `start`; what follows them is of no use.
#[inline(always)]
fn put(mut marks: u64, start: u32, out: &mut [u32; BLOCK]) {
    // Eight at a time whether they are there or not: fewer branches that nobody can foresee.
    let eights = (marks.count_ones() as usize).div_ceil(8).max(1);
    for eight in out.as_chunks_mut::<8>().0.iter_mut().take(eights) {
        for place in eight {
            *place = start.wrapping_add(marks.trailing_zeros());
            marks &= marks.wrapping_sub(1);
        }
    }
}

#[inline(always)]
fn mark_with(
    blocks: &[[u8; BLOCK]],
    first: u32,
    into: &mut [u32],
    classes: impl Fn(&[u8; BLOCK]) -> Classes,
    put: impl Fn(u64, u32, &mut [u32; BLOCK]),
) -> Seen {
    let (mut seen, mut before, mut runs, mut controls) = (Seen::default(), 1, 0, 0);
    for (block, start) in blocks.iter().zip((first..).step_by(BLOCK)) {
        let Classes { blanks, line_ends, usual_blanks } = classes(block);
        let behind_blank = blanks << 1 | before;
        before = blanks >> 63;
        runs |= blanks & behind_blank;
        controls |= blanks & !(usual_blanks | line_ends);
        let marks = (blanks & !behind_blank) | line_ends;
        let Some(out) = into.get_mut(seen.marks..).and_then(|rest| rest.first_chunk_mut::<BLOCK>()) else { break };
        put(marks, start, out);
        seen.marks += marks.count_ones() as usize;
        seen.line_ends += line_ends.count_ones() as usize;
    }
    Seen { has_runs: runs != 0, has_controls: controls != 0, ..seen }
}

/// The same for processors with registers of 32 bytes.
#[cfg(target_arch = "x86_64")]
mod wider {
    use super::{BLOCK, Classes, Seen};
    use std::arch::x86_64::{
        __m256i, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256,
        _mm256_set1_epi8,
    };

    #[target_feature(enable = "avx2,bmi1,popcnt")]
    pub fn mark(blocks: &[[u8; BLOCK]], first: u32, into: &mut [u32]) -> Seen {
        super::mark_with(blocks, first, into, |block| classes(block), super::put)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn classes(block: &[u8; BLOCK]) -> Classes {
        let bits = |is: __m256i, part: usize| u64::from(_mm256_movemask_epi8(is) as u32) << (32 * part);
        let [space, tab, line_end] = [b' ', b'\t', b'\n'].map(|byte| _mm256_set1_epi8(byte as i8));
        let mut found = Classes { blanks: 0, line_ends: 0, usual_blanks: 0 };
        for (part, half) in block.as_chunks::<32>().0.iter().enumerate() {
            // SAFETY: half a block is as long as the register, and this way of loading asks for no alignment.
            let bytes = unsafe { _mm256_loadu_si256(half.as_ptr().cast::<__m256i>()) };
            let usual = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, space), _mm256_cmpeq_epi8(bytes, tab));
            found.blanks |= bits(_mm256_cmpeq_epi8(_mm256_min_epu8(bytes, space), bytes), part);
            found.line_ends |= bits(_mm256_cmpeq_epi8(bytes, line_end), part);
            found.usual_blanks |= bits(usual, part);
        }
        found
    }
}

/// The same for processors with registers of 64 bytes, which also compress them.
#[cfg(target_arch = "x86_64")]
mod widest {
    use super::{BLOCK, Classes, Seen};
    use std::arch::x86_64::{
        __m512i, _mm512_add_epi32, _mm512_cmpeq_epi8_mask, _mm512_cmple_epu8_mask, _mm512_cvtepu8_epi32,
        _mm512_extracti32x4_epi32, _mm512_loadu_si512, _mm512_maskz_compress_epi8, _mm512_set1_epi8, _mm512_set1_epi32,
        _mm512_storeu_si512,
    };
    use std::sync::LazyLock;

    static IS_KNOWN: LazyLock<bool> = LazyLock::new(|| {
        std::is_x86_feature_detected!("avx512bw")
            && std::is_x86_feature_detected!("avx512vbmi2")
            && std::is_x86_feature_detected!("bmi1")
    });
    const PLACES: [u8; BLOCK] = {
        let mut places = [0; BLOCK];
        let mut place = 0;
        while place < BLOCK {
            places[place] = place as u8;
            place += 1;
        }
        places
    };

    pub fn is_known() -> bool {
        *IS_KNOWN
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2,bmi1,popcnt")]
    pub fn mark(blocks: &[[u8; BLOCK]], first: u32, into: &mut [u32]) -> Seen {
        super::mark_with(blocks, first, into, |block| classes(block), |marks, start, out| put(marks, start, out))
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    fn loaded(block: &[u8; BLOCK]) -> __m512i {
        // SAFETY: a block is as long as the register, and this way of loading asks for no alignment.
        unsafe { _mm512_loadu_si512(block.as_ptr().cast::<__m512i>()) }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn classes(block: &[u8; BLOCK]) -> Classes {
        let bytes = loaded(block);
        let is = |byte: u8| _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8));
        let blanks = _mm512_cmple_epu8_mask(bytes, _mm512_set1_epi8(b' ' as i8));
        Classes { blanks, line_ends: is(b'\n'), usual_blanks: is(b' ') | is(b'\t') }
    }

    /// As `super::put`, sixteen at a time: the places of bits that are set, moved together.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi2")]
    #[inline]
    fn put(marks: u64, start: u32, out: &mut [u32; BLOCK]) {
        let places = _mm512_maskz_compress_epi8(marks, loaded(&PLACES));
        let first = _mm512_set1_epi32(start as i32);
        let parts = [
            _mm512_extracti32x4_epi32::<0>(places),
            _mm512_extracti32x4_epi32::<1>(places),
            _mm512_extracti32x4_epi32::<2>(places),
            _mm512_extracti32x4_epi32::<3>(places),
        ];
        let sixteens = (marks.count_ones() as usize).div_ceil(16).max(1);
        for (sixteen, part) in out.as_chunks_mut::<16>().0.iter_mut().zip(parts).take(sixteens) {
            // SAFETY: sixteen places are as long as the register, and this way of storing asks for no alignment.
            unsafe {
                _mm512_storeu_si512(sixteen.as_mut_ptr().cast(), _mm512_add_epi32(_mm512_cvtepu8_epi32(part), first))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fields::{PADDING, split};

    fn padded(text: &[u8]) -> Vec<u8> {
        [text, &[b'\n'; PADDING]].concat()
    }

    /// Lines of a text, each with its columns where the quick ways took it.
    fn lines(text: &[u8]) -> Vec<(usize, usize, Option<[Span; 6]>)> {
        let (padded, mut marks, mut start, mut lines) = (padded(text), Marks::new(None), 0, Vec::new());
        while start < text.len() {
            let taken = match marks.line::<6>(&padded, start, text.len()) {
                None => marks.spaced_line(&padded, start, text.len()),
                taken => taken,
            };
            let end = start + padded[start..].iter().position(|&byte| byte == b'\n').unwrap();
            assert!(taken.is_none_or(|(_, next, _)| next == end + 1), "the line from {start} to {end}: {taken:?}");
            lines.push((start, end, taken.map(|(spans, ..)| spans)));
            start = end + 1;
            marks.skip_to(start);
        }
        lines
    }

    /// What the plain way says; None where the quick ones must leave the line to it.
    fn plain(text: &[u8], start: usize, end: usize) -> Option<[Span; 6]> {
        let (spans, count) = split::<6>(&padded(text), start, end);
        let is_odd = text[start..end].iter().any(|&byte| byte < b' ' && !is_blank(byte));
        (count == 6 && !is_odd).then_some(spans)
    }

    #[test]
    fn lines_are_cut_as_the_plain_way_cuts_them() {
        let words = ["a", "bc", "Q0", "é", "12.5", "clueweb22-en0000-00-00000-00", "\u{1}", "x\0", "#", ""];
        let blanks = [" ", " ", " ", "\t", "  ", " \t ", "\r", "\u{b}", " \u{1}", "     "];
        let mut state = 1u64;
        let mut draw = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for plainness in [0, 1, 10, 1000] {
            let mut text = Vec::new();
            for _ in 0..3000 {
                // Most lines are usual where `plainness` is high.
                let is_usual = draw(plainness + 1) > 0;
                let columns = if is_usual || draw(3) > 0 { 6 } else { draw(9) };
                let width = [1, 10, 60, 120][draw(4)];
                for column in 0..columns {
                    let word = if is_usual { words[draw(6)] } else { words[draw(words.len())] };
                    text.extend(word.bytes());
                    text.extend(std::iter::repeat_n(b'x', draw(width)));
                    let blank = if is_usual { " " } else { blanks[draw(blanks.len())] };
                    text.extend(if column + 1 < columns || !is_usual { blank.bytes() } else { "".bytes() });
                }
                text.push(b'\n');
            }
            text.pop();
            for (start, end, taken) in lines(&text) {
                assert_eq!(taken, plain(&text, start, end), "{:?}", String::from_utf8_lossy(&text[start..end]));
            }
        }
    }

    #[test]
    fn columns_may_end_anywhere_in_a_block() {
        for size in (1..200).chain(CHUNK - 70..CHUNK + 70) {
            for line in ["{} b c d e f\n", "a b {} d e f\r\n", "a b c d e {}\n", "a {}  c d e \t f \n", " a b c d e {}"]
            {
                let text = line.replace("{}", &"x".repeat(size));
                let twice = [text.trim_end_matches('\n'), text.as_str()].join("\n");
                for (start, end, taken) in lines(twice.as_bytes()) {
                    if size < CHUNK - 70 {
                        assert_eq!(taken, plain(twice.as_bytes(), start, end), "{line} with {size}");
                    } else {
                        assert!(taken.is_none() || taken == plain(twice.as_bytes(), start, end), "{line} with {size}");
                    }
                }
            }
        }
    }

    type Marking = fn(&[[u8; BLOCK]], u32, &mut [u32]) -> Seen;

    #[test]
    fn wider_registers_give_the_same_marks() {
        for (step, below) in [(7, 48), (7, 240), (64, 40), (3, 33)] {
            let text: Vec<u8> = (0..CHUNK).map(|place| (place * place / step % 251) as u8 % below).collect();
            let blocks = text.as_chunks().0;
            let mut narrow = vec![0; CHUNK + BLOCK];
            let expected = mark_with(blocks, 5, &mut narrow, classes, put);
            assert!(expected.marks > CHUNK / 48 && expected.has_runs && expected.has_controls);
            let mut others: Vec<Marking> = vec![mark];
            #[cfg(target_arch = "x86_64")]
            if std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("bmi1") {
                // SAFETY: the processor has what the function was compiled for.
                others.push(|blocks, first, into| unsafe { wider::mark(blocks, first, into) });
            }
            for other in others {
                let mut wide = vec![0; CHUNK + BLOCK];
                assert_eq!(other(blocks, 5, &mut wide), expected);
                assert_eq!(narrow[..expected.marks], wide[..expected.marks]);
            }
        }
    }

    #[test]
    fn lines_are_not_usual_because_their_columns_add_up() {
        for text in ["a b c\nd e f\na b c d e f g h i\n", "a b c d e f g h i\na b c\nd e f\n", "a b c\nd e f\n"] {
            for (start, end, taken) in lines(text.as_bytes()) {
                assert_eq!(taken, plain(text.as_bytes(), start, end), "{text:?} from {start}");
            }
        }
    }
}
