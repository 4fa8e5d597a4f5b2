//! Text in columns, with a header or without, and text whose form its content tells.
#![no_main]

use _core::fuzzing::Merge;
use rankscale_fuzz::agree::{check_qrels, check_runs};
use rankscale_fuzz::draw::{Draw, Setting};
use rankscale_fuzz::plain::Kind;
use rankscale_fuzz::{plain_delimited, read};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut draw = Draw(data);
    let mut setting = Setting::draw(&mut draw);
    let kind = draw.one(&[Kind::Runs, Kind::Qrels]);
    let form = draw.one(&[None, None, Some("csv"), Some("tsv"), Some("msmarco")]);
    let merge = draw.one(&[Merge::Aspects, Merge::Error, Merge::Max, Merge::Min, Merge::Mean]);
    let text = draw.0;
    setting.window = setting.window.max(plain_delimited::least_window(text));
    let plain = plain_delimited::rows(text, kind, form, setting.order);
    match kind {
        Kind::Runs => check_runs(&read::source(text), plain, &setting, form),
        Kind::Qrels => check_qrels(text, plain, &read::request(kind, form, None), merge, &setting),
    }
});
