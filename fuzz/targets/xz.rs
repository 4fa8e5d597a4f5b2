//! A run packed as xz: whole, in several members, cut off, with a bit flipped, with bytes behind it, or not packed at all.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| rankscale_fuzz::packed::check(data, &rankscale_fuzz::packed::XZ));
