//! Numbers as run and qrels files write them.

/// The number that the whole text spells; infinities and NaN too.
#[inline]
pub fn strict(text: &[u8]) -> Option<f64> {
    fast_float2::parse(text).ok()
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
    fn decimals_are_what_the_general_parser_says() {
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
        for number in &numbers {
            let general: Option<f64> = number.parse().ok();
            assert_eq!(strict(number.as_bytes()).map(f64::to_bits), general.map(f64::to_bits), "{number:?}");
        }
    }

    #[test]
    fn words_and_exponents_are_numbers_too() {
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
