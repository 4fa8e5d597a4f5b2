//! One JSON value: an array of objects, or objects within objects.
#![no_main]

use rankscale_fuzz::{agree, plain_json};

libfuzzer_sys::fuzz_target!(|data: &[u8]| agree::check_json(data, "json", plain_json::document));
