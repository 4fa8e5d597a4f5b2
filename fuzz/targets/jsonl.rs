//! JSON Lines: an object on each line.
#![no_main]

use rankscale_fuzz::{agree, plain_json};

libfuzzer_sys::fuzz_target!(|data: &[u8]| agree::check_json(data, "jsonl", plain_json::lines));
