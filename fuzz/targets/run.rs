//! A TREC run: our own reading and those of trec_eval.
#![no_main]

use rankscale_fuzz::agree::{both_ways, check, check_runs, judged_runs};
use rankscale_fuzz::draw::{Draw, Setting};
use rankscale_fuzz::plain::{Duplicates, Order, Plain, Ranked, Rankings, Row, Stop, key_of};
use rankscale_fuzz::plain_trec::{self, Dialect};
use rankscale_fuzz::read::{self, JudgedNames};
use std::collections::{BTreeMap, BTreeSet};

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let mut draw = Draw(data);
    let setting = Setting::draw(&mut draw);
    let dialect = draw.one(&[Dialect::Own, Dialect::Own, Dialect::TrecEval9, Dialect::TrecEval10]);
    let text = draw.0;
    if dialect != Dialect::Own {
        return lenient(text, dialect, &setting);
    }
    let plain = plain_trec::run(text, setting.order, dialect);
    let source = read::source(text);
    check_runs(&source, plain.clone().map(|(rows, _)| rows), &setting, Some("trec"));
    if let (Ok((_, tags)), Ok(runs)) =
        (plain, read::judged(&source, &read::index_of(&JudgedNames::new()), &read::options(&setting, Some("trec"))))
    {
        let other = tags.iter().find(|tag| **tag != tags[0]).cloned().unwrap_or_default();
        assert_eq!(runs[&b""[..]].tags, [tags[0].clone(), tags[tags.len() - 1].clone(), other]);
    }
});

/// trec_eval looks only at judged topics, and there only down to the depth.
fn lenient(text: &[u8], dialect: Dialect, setting: &Setting) {
    let setting = Setting { duplicates: Duplicates::Error, ..setting.clone() };
    let plain = plain_trec::run(text, setting.order, dialect);
    let mut judged = JudgedNames::new();
    for row in plain.iter().flat_map(|(rows, _)| rows).filter(|row| row.topic[0] % 2 == 1) {
        judged
            .entry(row.topic.clone())
            .or_insert_with(BTreeSet::new)
            .extend(row.document.clone().filter(|name| name[0] % 2 == 1));
    }
    let expected = plain.and_then(|(rows, _)| cut_rankings(&rows, &setting, &judged));
    let expected = expected.map(|made| judged_runs(&made, &judged, setting.depth, false));
    let mut options = read::options(&setting, Some("trec"));
    options.request.dialect = read::dialect(dialect);
    let index = read::index_of(&judged);
    let core = both_ways(&setting, || {
        read::judged(&read::source(text), &index, &options).map(|mut runs| {
            runs.values_mut().for_each(|run| run.tags = Default::default());
            runs
        })
    });
    let expected = match expected {
        Err(Stop::Lines(_)) => Err(Stop::Fault),
        expected => expected,
    };
    check(&expected, &core, "as trec_eval");
}

fn cut_rankings(rows: &[Row], setting: &Setting, judged: &JudgedNames) -> Plain<Rankings> {
    let mut topics: BTreeMap<Vec<u8>, Vec<Ranked>> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        let key = key_of(row, setting.order.unwrap_or(Order::Score), place);
        topics.entry(row.topic.clone()).or_default().push(Ranked { document: row.document.clone().unwrap(), key });
    }
    for (topic, ranking) in &mut topics {
        ranking.sort_by(|a, b| b.key.partial_cmp(&a.key).unwrap().then_with(|| b.document.cmp(&a.document)));
        ranking.truncate(setting.depth.unwrap_or(usize::MAX));
        let names: BTreeSet<&Vec<u8>> = ranking.iter().map(|one| &one.document).collect();
        if judged.contains_key(topic) && names.len() < ranking.len() {
            return Err(Stop::Fault);
        }
    }
    Ok([(Vec::new(), topics)].into())
}
