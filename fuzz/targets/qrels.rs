//! TREC qrels and preferences, in three dialects, with every way to merge grades of one document.
#![no_main]

use _core::fuzzing::Merge;
use rankscale_fuzz::agree::check_qrels;
use rankscale_fuzz::draw::{Draw, Setting};
use rankscale_fuzz::plain::Kind;
use rankscale_fuzz::plain_trec::{self, Dialect};
use rankscale_fuzz::read;

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut draw = Draw(data);
    let setting = Setting::draw(&mut draw);
    let dialect = draw.one(&[Dialect::Own, Dialect::Own, Dialect::TrecEval9, Dialect::TrecEval10]);
    let merge = draw.one(&[Merge::Aspects, Merge::Error, Merge::Max, Merge::Min, Merge::Mean]);
    let is_ordered = dialect == Dialect::Own && draw.below(4) == 0;
    let text = draw.0;
    let columns = if is_ordered { 5 } else { 4 };
    let mut request = read::request(Kind::Qrels, Some(if is_ordered { "prefs" } else { "trec" }), None);
    request.dialect = read::dialect(dialect);
    check_qrels(text, plain_trec::qrels(text, dialect, columns), &request, merge, &setting);
});
