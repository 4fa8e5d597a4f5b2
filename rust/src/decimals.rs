//! The numbers of many lines at once: decimals of up to sixteen bytes, each read in few steps of one register.

use crate::fields::Span;
use crate::number;
use crate::sizes;

/// The numbers of a column of some lines, given where columns end, in place of what `into` holds; NaN where one is not
/// written as most are.
pub fn read<const N: usize>(text: &[u8], lines: &[[u32; N]], column: usize, into: &mut Vec<f64>) {
    #[cfg(target_arch = "x86_64")]
    if sizes::registers() >= 32 && std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("bmi1") {
        // SAFETY: the processor has what the function was compiled for; this is all that it asks for.
        return unsafe { shuffled::read(text, lines, column, into) };
    }
    into.resize(lines.len(), f64::NAN);
    for (number, ends) in into.iter_mut().zip(lines) {
        *number = single(text, span(ends, column));
    }
}

/// A number by itself; NaN where it is none, or not finite.
fn single(text: &[u8], (from, to): Span) -> f64 {
    number::strict(&text[from..to]).filter(|number| number.is_finite()).unwrap_or(f64::NAN)
}

#[inline(always)]
fn span<const N: usize>(ends: &[u32; N], column: usize) -> Span {
    (ends[column - 1] as usize + 1, ends[column] as usize)
}

/// For processors that move the bytes of a register to any place: digits are put side by side, without the point.
#[cfg(target_arch = "x86_64")]
mod shuffled {
    use crate::fields::Span;
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_cvtsi128_si64, _mm_loadu_si128, _mm_madd_epi16, _mm_maddubs_epi16, _mm_min_epu8,
        _mm_movemask_epi8, _mm_packus_epi32, _mm_set1_epi8, _mm_set1_epi16, _mm_set1_epi32, _mm_shuffle_epi8,
        _mm_sub_epi8,
    };

    const WIDTH: usize = 16;

    const POWERS: [f64; 17] =
        [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16];

    /// For a number of so many bytes, whose point stands behind so many of them: where each of sixteen digits comes from.
    /// The last digit stands last; a place without a digit is made 0, which the highest bit asks for.
    const PLACES: [[[u8; WIDTH]; WIDTH + 1]; WIDTH + 1] = {
        let mut places = [[[0x80; WIDTH]; WIDTH + 1]; WIDTH + 1];
        let mut size = 1;
        while size <= WIDTH {
            let mut point = 0;
            while point <= size {
                let digits = if point < size { size - 1 } else { size };
                let mut digit = 0;
                while digit < digits {
                    let from = if digit < point { digit } else { digit + 1 };
                    places[size][point][WIDTH - digits + digit] = from as u8;
                    digit += 1;
                }
                point += 1;
            }
            size += 1;
        }
        places
    };

    /// Lines whose numbers are divided together.
    const TOGETHER: usize = 64;

    #[target_feature(enable = "avx2,bmi1")]
    pub fn read<const N: usize>(text: &[u8], lines: &[[u32; N]], column: usize, into: &mut Vec<f64>) {
        into.resize(lines.len(), f64::NAN);
        for (numbers, lines) in into.chunks_mut(TOGETHER).zip(lines.chunks(TOGETHER)) {
            let mut powers = [1.0; TOGETHER];
            for ((number, power), ends) in numbers.iter_mut().zip(&mut powers).zip(lines) {
                (*number, *power) = decimal(text, super::span(ends, column)).unwrap_or((f64::NAN, 1.0));
            }
            numbers.iter_mut().zip(&powers).for_each(|(number, power)| *number /= power);
        }
    }

    /// Digits with or without a point, as a whole number and the power of ten that divides it. Both are doubles exactly, so
    /// that their quotient is the nearest double (Clinger 1990).
    #[target_feature(enable = "avx2,bmi1")]
    #[inline]
    fn decimal(text: &[u8], (from, to): Span) -> Option<(f64, f64)> {
        let is_negative = *text.get(from)? == b'-';
        let from = from + usize::from(is_negative);
        let (bytes, size) = (loaded(text.get(from..)?.first_chunk()?), to.checked_sub(from)?);
        if size > WIDTH {
            return None;
        }
        let end = 1u32 << size;
        let points = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'.' as i8))) as u32;
        let point = (points | end).trailing_zeros() as usize;
        let digits =
            _mm_shuffle_epi8(_mm_sub_epi8(bytes, _mm_set1_epi8(b'0' as i8)), loaded(PLACES.get(size)?.get(point)?));
        let is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
        let places = size.saturating_sub(point + 1);
        let mantissa = sixteen_digits(digits);
        if _mm_movemask_epi8(is_digit) != 0xFFFF || point + places == 0 || mantissa >= 1 << 53 {
            return None;
        }
        let sign = if is_negative { -1.0 } else { 1.0 };
        Some((sign * mantissa as f64, *POWERS.get(places)?))
    }

    /// The number whose digits are these bytes: pairs, fours, eights, then all.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn sixteen_digits(digits: __m128i) -> u64 {
        let pairs = _mm_maddubs_epi16(digits, _mm_set1_epi16(1 << 8 | 10));
        let fours = _mm_madd_epi16(pairs, _mm_set1_epi32(1 << 16 | 100));
        let eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), _mm_set1_epi32(1 << 16 | 10_000));
        let both = _mm_cvtsi128_si64(eights) as u64;
        (both & 0xFFFF_FFFF) * 100_000_000 + (both >> 32)
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn loaded(bytes: &[u8; WIDTH]) -> __m128i {
        // SAFETY: the bytes are as many as the register holds, and this way of loading asks for no alignment.
        unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(words: &[String], is_wide: bool) -> Vec<f64> {
        let mut text = Vec::new();
        let mut ends = Vec::new();
        for word in words {
            text.extend_from_slice(b"x ");
            let first = text.len() as u32 - 1;
            text.extend_from_slice(word.as_bytes());
            ends.push([first, text.len() as u32]);
            text.push(b'\n');
        }
        text.extend_from_slice(&[b'\n'; 64]);
        let mut given = vec![0.5];
        if is_wide {
            read(&text, &ends, 1, &mut given);
            return given;
        }
        ends.iter().map(|ends| single(&text, span(ends, 1))).collect()
    }

    #[test]
    fn numbers_are_those_that_the_general_parser_reads() {
        let mut state = 1u64;
        let mut draw = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut words: Vec<String> =
            ["0", "-0", "-0.0", "1.", ".5", "-.5", "9007199254740992", "9007199254740993", "0.9007199254740993"]
                .map(String::from)
                .to_vec();
        for _ in 0..20_000 {
            let (whole, places) = (draw(10) as u32, draw(17) as u32);
            let digits = |count: u32, draw: &mut dyn FnMut(u64) -> u64| -> String {
                (0..count).map(|_| char::from(b'0' + draw(10) as u8)).collect()
            };
            let sign = if draw(3) == 0 { "-" } else { "" };
            let word = match draw(4) {
                0 => format!("{sign}{}", digits(whole + 1, &mut draw)),
                _ => format!("{sign}{}.{}", digits(whole + 1, &mut draw), digits(places, &mut draw)),
            };
            words.push(word);
        }
        let mut read = 0;
        for (word, number) in words.iter().zip(numbers(&words, true)) {
            if !number.is_nan() {
                let expected: f64 = word.parse().unwrap();
                assert_eq!(number.to_bits(), expected.to_bits(), "{word}");
                read += 1;
            }
        }
        assert!(read > 10_000, "most of them are read at once, not {read}");
    }

    #[test]
    fn what_is_no_number_is_left_to_the_others() {
        let words = ["", "-", ".", "-.", "1e5", "--1", "1-", "1.2.3", "0x10", "nan", "inf", "1,5", "1 ", "/", ":"];
        let words: Vec<String> = words.map(String::from).to_vec();
        for (word, number) in words.iter().zip(numbers(&words, true)) {
            assert!(number.is_nan() || word.parse() == Ok(number), "{word}");
        }
    }

    #[test]
    fn narrow_registers_read_the_same_where_both_read() {
        let words: Vec<String> = (0..3000).map(|place| format!("{}", f64::from(place * place) / 977.0)).collect();
        for ((wide, narrow), word) in numbers(&words, true).into_iter().zip(numbers(&words, false)).zip(&words) {
            assert!(wide.is_nan() || narrow.is_nan() || wide.to_bits() == narrow.to_bits(), "{word}");
        }
    }
}
