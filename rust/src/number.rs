//! Numbers as run and qrels files write them.

use crate::fields::Span;
use wide::u8x16;

pub const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

const TENS: [u64; 17] = {
    let mut powers = [1; 17];
    let mut place = 1;
    while place < powers.len() {
        powers[place] = 10 * powers[place - 1];
        place += 1;
    }
    powers
};

/// The number that the whole text spells; infinities and NaN too.
pub fn strict(text: &[u8]) -> Option<f64> {
    short_decimal(text).or_else(|| std::str::from_utf8(without_zeros(text)).ok()?.parse().ok())
}

/// A long decimal without the zeros at its end: `%.32f` writes many, and the general parser takes longest for them.
fn without_zeros(text: &[u8]) -> &[u8] {
    if text.len() <= 20 || text.last() != Some(&b'0') {
        return text;
    }
    let zeros = text.iter().rev().take_while(|&&byte| byte == b'0').count();
    let shorter = &text[..text.len() - zeros];
    match shorter.iter().position(|&byte| byte == b'.') {
        // Otherwise the zeros may belong to an exponent. One is kept, which may be the only digit.
        Some(point) if shorter[point + 1..].iter().all(u8::is_ascii_digit) => &text[..shorter.len() + 1],
        _ => text,
    }
}

/// The number that a part of a text spells; where the text goes on for some bytes, more is read in few steps.
pub fn strict_in(text: &[u8], span: Span) -> Option<f64> {
    if span.1 - span.0 > 20 {
        return strict(&text[span.0..span.1]); // longer than the quick ways read
    }
    usual(text, span).or_else(|| longer(text, span)).or_else(|| strict(&text[span.0..span.1]))
}

/// The number if it is written as most are: up to eight digits before a point and up to eight behind it. Digits are
/// added up eight at a time, so that it does not matter how many there are. See `short_decimal` for why the result is exact.
#[inline(always)]
pub fn usual(text: &[u8], (from, to): Span) -> Option<f64> {
    let sign = *text.get(from)?;
    let from = from + usize::from(sign == b'-' || sign == b'+');
    let bytes = *text.get(from..)?.first_chunk()?;
    let point = usize::min(first_point(bytes), to.checked_sub(from)?);
    let whole = digits_at(text, from, point)?;
    let (fraction, places) = match to - from - point {
        0 if point == 0 => return None,
        0 => (0, 0),
        1 if point == 0 => return None,
        size => (digits_at(text, from + point + 1, size - 1)?, size - 1),
    };
    let mantissa = whole * TENS[places] + fraction;
    if mantissa >= 1 << 53 {
        return None;
    }
    let value = mantissa as f64 / POWERS[places];
    Some(if sign == b'-' { -value } else { value })
}

/// Where the first point stands among sixteen bytes, 16 where there is none.
#[inline(always)]
fn first_point(bytes: [u8; 16]) -> usize {
    let points = u8x16::new(bytes).simd_eq(u8x16::splat(b'.')).to_bitmask();
    (points | 1 << 16).trailing_zeros() as usize
}

/// The number that up to eight digits spell.
#[inline(always)]
fn digits_at(text: &[u8], from: usize, count: usize) -> Option<u64> {
    if count > 8 {
        return None;
    }
    let digits = u64::from_le_bytes(*text.get(from..)?.first_chunk()?) ^ u64::from_le_bytes([b'0'; 8]);
    if count == 0 {
        return Some(0);
    }
    // The last digit into the highest byte, zeros before the first.
    let digits = digits << (64 - 8 * count);
    // Above 9 or not ASCII at all: the highest bit is set, or is after adding.
    let odd = (digits.wrapping_add(u64::from_le_bytes([0x80 - 10; 8])) | digits) & u64::from_le_bytes([0x80; 8]);
    (odd == 0).then(|| eight_digits(digits))
}

/// The number whose digits are these eight bytes, the first in the lowest one: pairs, then fours, then all.
#[inline(always)]
fn eight_digits(digits: u64) -> u64 {
    let pairs = (digits.wrapping_mul((10 << 8) | 1) >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul((100 << 16) | 1) >> 16) & 0x0000_FFFF_0000_FFFF;
    fours.wrapping_mul((10_000 << 32) | 1) >> 32
}

/// Up to sixteen digits behind a point, as Python writes numbers between 0 and 1; up to two before it.
fn longer(text: &[u8], (from, to): Span) -> Option<f64> {
    let sign = *text.get(from)?;
    let from = from + usize::from(sign == b'-' || sign == b'+');
    let point = first_point(*text.get(from..)?.first_chunk()?);
    let places = to.checked_sub(from + point + 1)?;
    if point == 0 || point > 2 || !(9..=16).contains(&places) {
        return None;
    }
    let (whole, behind) = (digits_at(text, from, point)?, from + point + 1);
    let fraction = digits_at(text, behind, 8)? * TENS[places - 8] + digits_at(text, behind + 8, places - 8)?;
    let mantissa = whole * TENS[places] + fraction;
    let value = mantissa as f64 / POWERS[places];
    (mantissa < 1 << 53).then_some(if sign == b'-' { -value } else { value })
}

/// Decimals whose digits fit in 53 bits, with or without a small exponent: one exact division or multiplication gives the
/// nearest double (Clinger 1990), several times faster than the general parser.
#[inline]
fn short_decimal(text: &[u8]) -> Option<f64> {
    let (negative, unsigned) = match text.split_first()? {
        (b'-', rest) => (true, rest),
        (b'+', rest) => (false, rest),
        _ => (false, text),
    };
    if unsigned.len() > 18 {
        return None; // more digits than 64 bits hold for sure
    }
    let (whole, rest) = leading_digits(unsigned, 0);
    let before = unsigned.len() - rest.len();
    let (mantissa, rest, places) = match rest.split_first() {
        Some((b'.', digits)) => {
            let (mantissa, rest) = leading_digits(digits, whole);
            (mantissa, rest, digits.len() - rest.len())
        }
        _ => (whole, rest, 0),
    };
    if before + places == 0 || mantissa >= 1 << 53 {
        return None;
    }
    let power = if rest.is_empty() { 0 } else { exponent(rest)? } - places as i32;
    let ten = POWERS.get(power.unsigned_abs() as usize)?;
    let value = if power > 0 { mantissa as f64 * ten } else { mantissa as f64 / ten };
    Some(if negative { -value } else { value })
}

/// What stands behind the digits of a number: an exponent of up to three digits, and nothing else.
fn exponent(text: &[u8]) -> Option<i32> {
    let (b'e' | b'E', rest) = text.split_first()? else { return None };
    let (negative, digits) = match rest.split_first()? {
        (b'-', digits) => (true, digits),
        (b'+', digits) => (false, digits),
        _ => (false, rest),
    };
    let (size, rest) = leading_digits(digits.get(..3).unwrap_or(digits), 0);
    let is_one = !digits.is_empty() && digits.len() <= 3 && rest.is_empty();
    is_one.then_some(if negative { -(size as i32) } else { size as i32 })
}

#[inline]
fn leading_digits(text: &[u8], mut sum: u64) -> (u64, &[u8]) {
    let mut at = 0;
    while let Some(digit) = text.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
        sum = sum * 10 + u64::from(digit);
        at += 1;
    }
    (sum, &text[at..])
}

/// As C's atof: the longest prefix that is a number, 0 where there is none. The flag tells whether all of it was one.
pub fn like_atof(text: &[u8]) -> (f64, bool) {
    if let Some(value) = strict(text) {
        return (value, true);
    }
    if let Some(value) = hexadecimal_prefix(text) {
        return (value, false);
    }
    let end = numeric_prefix(text);
    (strict(&text[..end]).unwrap_or(0.0), false)
}

/// The hexadecimal number that a text starts with, such as 0x1.8p3; None where it starts with none.
fn hexadecimal_prefix(text: &[u8]) -> Option<f64> {
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    if !matches!(text.get(sign..sign + 2), Some(b"0x" | b"0X")) {
        return None;
    }
    let mut at = sign + 2;
    let (mut mantissa, mut exponent, mut rest) = (0u64, 0i64, false);
    let (mut any, mut is_fraction) = (false, false);
    while let Some(&byte) = text.get(at) {
        match (byte as char).to_digit(16) {
            Some(digit) => {
                any = true;
                if mantissa >> 59 == 0 {
                    mantissa = mantissa << 4 | u64::from(digit);
                    exponent -= 4 * i64::from(is_fraction);
                } else {
                    rest |= digit != 0; // beyond what rounding looks at, but for whether there is anything
                    exponent += 4 * i64::from(!is_fraction);
                }
            }
            None if byte == b'.' && !is_fraction => is_fraction = true,
            None => break,
        }
        at += 1;
    }
    if !any {
        return None; // "0x" alone is the number 0 before an x
    }
    if matches!(text.get(at), Some(b'p' | b'P')) {
        let (power, _) = like_atol(&text[at + 1..]);
        exponent = exponent.saturating_add(power.clamp(-1e9, 1e9) as i64);
    }
    let value = scaled(mantissa << 1 | u64::from(rest), exponent - 1);
    Some(if text[0] == b'-' { -value } else { value })
}

/// A whole number times a power of two, rounded once.
fn scaled(mantissa: u64, exponent: i64) -> f64 {
    let width = i64::from(64 - mantissa.leading_zeros());
    let lost = (width - 53).max(-1074 - exponent).clamp(0, 64); // bits below the last one of the double
    let (kept, half) = match lost {
        0 => (mantissa, 0),
        64 => (0, 0),
        _ => (mantissa >> lost, mantissa >> (lost - 1) & 1),
    };
    let is_more = lost > 1 && lost < 64 && mantissa & ((1 << (lost - 1)) - 1) != 0;
    let rounded = kept + u64::from(half == 1 && (is_more || kept & 1 == 1));
    // In two steps, each a power that a double holds; nothing is rounded again.
    let power = (exponent + lost).clamp(-2000, 2000);
    let first = power.clamp(-1022, 1023);
    rounded as f64 * 2f64.powi(first as i32) * 2f64.powi((power - first).clamp(-1022, 1023) as i32)
}

/// How long the number is that a text starts with; 0 where it starts with none.
fn numeric_prefix(text: &[u8]) -> usize {
    let digits = |from: usize| text[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(matches!(text.first(), Some(b'+' | b'-')));
    for word in ["infinity", "inf", "nan"] {
        if text[sign..].len() >= word.len() && text[sign..sign + word.len()].eq_ignore_ascii_case(word.as_bytes()) {
            return sign + word.len();
        }
    }
    let whole = digits(sign);
    let mut end = sign + whole;
    let mut any = whole;
    if text.get(end) == Some(&b'.') {
        let places = digits(end + 1);
        any += places;
        end += 1 + places;
    }
    if any == 0 {
        return 0;
    }
    if matches!(text.get(end), Some(b'e' | b'E')) {
        let signed = end + 1 + usize::from(matches!(text.get(end + 1), Some(b'+' | b'-')));
        if signed <= text.len() && digits(signed.min(text.len())) > 0 {
            end = signed + digits(signed);
        }
    }
    end
}

/// As C's atol: the digits at the start. The flag tells whether all of it was a whole number.
pub fn like_atol(text: &[u8]) -> (f64, bool) {
    let (negative, digits) = match text.first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value =
        digits[..count].iter().fold(0i64, |sum, byte| sum.saturating_mul(10).saturating_add(i64::from(byte - b'0')));
    let value = if negative { -value } else { value };
    (value as f64, count > 0 && count == digits.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_decimals_are_what_the_general_parser_says() {
        for text in ["0", "-0", "1.5", ".5", "5.", "-3.14159", "0.000001", "9007199254740991", "12345.678901"] {
            let general: f64 = text.parse().unwrap();
            assert_eq!(short_decimal(text.as_bytes()).map(f64::to_bits), Some(general.to_bits()), "{text}");
        }
    }

    #[test]
    fn exponents_and_zeros_at_the_end_change_nothing() {
        let mut texts: Vec<String> =
            ["1e5", "1E+5", "-2.5e-3", "0e9", "-0e-9", "1e22", "1e23", "9007199254740991e22", "1.e2", ".5e1"]
                .map(String::from)
                .to_vec();
        for digits in [
            "49.234827212022729",
            "-0.1",
            ".",
            "-.",
            "5.",
            "136.90608242222712",
            "7",
            "123456789012345678901234.5",
            "0.0",
        ] {
            for zeros in [1, 8, 16, 32] {
                texts.push(format!("{digits}{}", "0".repeat(zeros)));
                texts.push(format!("{digits}e{}", "0".repeat(zeros)));
                texts.push(format!("{digits}e1{}", "0".repeat(zeros)));
            }
            texts.extend((-30..30).map(|power| format!("{digits}e{power:+03}")));
        }
        let refused =
            ["1e", "1e+", "e5", ".e5", "1e5e", "1e5.0", "1.0.00000000000000000000", "1x0000000000000000000000"];
        for text in texts.into_iter().chain(refused.map(String::from)) {
            let general: Option<f64> = text.parse().ok();
            assert_eq!(strict(text.as_bytes()).map(f64::to_bits), general.map(f64::to_bits), "{text}");
        }
    }

    #[test]
    fn numbers_inside_a_text_are_what_the_general_parser_says() {
        let mut numbers: Vec<String> =
            ["", "-", "+", ".", "-.", "1.2.3", "1..2", "inf", "nan", "1e5", "0x1", "1_0", "é"]
                .map(String::from)
                .to_vec();
        for whole in ["", "0", "7", "-3", "+12", "00", "12345678", "123456789", "-99999999", "9007199254740993"] {
            for places in 0..20 {
                let digits: String = "98765432109876543210".chars().take(places).collect();
                numbers.extend([format!("{whole}.{digits}"), format!("{whole}{digits}"), format!("{whole}.{digits}x")]);
                numbers.push(format!("{whole}.{}1", "0".repeat(places)));
            }
        }
        for behind in [" 5.5 tag\n", "\n1234567890.123456", "\t", "", "\x00......................"] {
            for number in &numbers {
                let text = format!("1{number}{behind}").into_bytes();
                let span = (1, 1 + number.len());
                let general: Option<f64> = number.parse().ok();
                let read = strict_in(&text, span);
                assert_eq!(read.map(f64::to_bits), general.map(f64::to_bits), "{number:?} before {behind:?}");
                assert!(usual(&text, span).is_none_or(|usual| Some(usual.to_bits()) == general.map(f64::to_bits)));
            }
        }
    }

    #[test]
    fn what_is_no_short_decimal_is_left_to_the_general_parser() {
        for text in ["", "-", ".", "1e50", "nan", "1.2.3", "99999999999999999999", "9007199254740993"] {
            assert_eq!(short_decimal(text.as_bytes()), None, "{text}");
        }
        assert_eq!(strict(b"1e5"), Some(1e5));
        assert_eq!(strict(b"-Infinity"), Some(f64::NEG_INFINITY));
        assert_eq!(strict(b"1,5"), None);
    }

    #[test]
    fn prefixes_are_read_as_c_reads_them() {
        assert_eq!(like_atof(b"1.5x"), (1.5, false));
        assert_eq!(like_atof(b"abc"), (0.0, false));
        assert_eq!(like_atof(b"2e3"), (2000.0, true));
        for (text, value) in
            [("1.5.2", 1.5), ("2e", 2.0), ("2e+", 2.0), ("-.5x", -0.5), (".", 0.0), ("-", 0.0), ("3e2e", 300.0)]
        {
            assert_eq!(like_atof(text.as_bytes()), (value, false), "{text}");
        }
        assert_eq!(like_atof(b"-inflation"), (f64::NEG_INFINITY, false));
        for (text, value) in [
            ("0x10", 16.0),
            ("-0X1.8p3x", -12.0),
            ("0x", 0.0),
            ("0x.8", 0.5),
            ("0x1p-1074", 5e-324),
            ("0x1p-1076", 0.0),
            ("0x1.8p-1075", 5e-324),
            ("0x1p1023", 8.98846567431158e307),
            ("0x1p99999", f64::INFINITY),
            ("0x20000000000001", 9007199254740992.0),
            ("0x20000000000003", 9007199254740996.0),
            ("0x200000000000010000000000000001p-64", 9007199254740994.0),
            ("0xffffffffffffffffffff", 1.2089258196146292e24),
        ] {
            assert_eq!(like_atof(text.as_bytes()), (value, false), "{text}");
        }
        assert_eq!(like_atol(b"1.7"), (1.0, false));
        assert_eq!(like_atol(b"-2"), (-2.0, true));
        assert_eq!(like_atol(b"x"), (0.0, false));
    }
}
