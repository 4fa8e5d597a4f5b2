//! Numbers: every way of the core to read one, and what the C library reads.
#![no_main]

use _core::fuzzing::{like_atof, like_atol, strict};
use rankscale_fuzz::plain::{number, strtod, strtol};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((&before, rest)) = data.split_first() else { return };
    let from = usize::from(before) % (rest.len() + 1);
    // As columns are: without blanks and NUL.
    let size = rest[from..].iter().take_while(|&&byte| byte > b' ').count();
    let text = &rest[from..from + size];
    let bits = |number: Option<f64>| number.map(|number| if number.is_nan() { 1 } else { number.to_bits() });
    let expected = bits(number(text));
    assert_eq!(bits(strict(text)), expected, "strict: {text:?}");
    assert_eq!(bits(Some(like_atof(text).0)), bits(Some(strtod(text))), "atof: {text:?}");
    assert_eq!(like_atol(text).0, strtol(text) as f64, "atol: {text:?}");
});
