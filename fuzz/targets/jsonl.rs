//! JSON Lines: an object on each line.
#![no_main]

use _core::fuzzing::Merge;
use rankscale_fuzz::agree::{check_qrels, check_runs};
use rankscale_fuzz::draw::{Draw, Setting};
use rankscale_fuzz::plain::{self, Kind};
use rankscale_fuzz::{plain_json, read};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut draw = Draw(data);
    let setting = Setting::draw(&mut draw);
    let kind = draw.one(&[Kind::Runs, Kind::Qrels]);
    let merge = draw.one(&[Merge::Aspects, Merge::Error, Merge::Max, Merge::Min, Merge::Mean]);
    let text = draw.0;
    let form = Some("jsonl");
    let plain = plain::unmarked(text).and_then(|text| plain_json::lines(text, kind));
    match kind {
        Kind::Runs => check_runs(&read::source(text), plain, &setting, form),
        Kind::Qrels => check_qrels(text, plain, &read::request(kind, form, None), merge, &setting),
    }
});
