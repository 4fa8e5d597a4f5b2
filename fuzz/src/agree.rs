//! Whether the core agrees with a plain reader; a panic says where it does not.

use crate::draw::{Draw, Setting, set_sizes};
use crate::plain::{Duplicates, Kind, Name, Order, Plain, Rankings, Row, Stop, entries, order_of, rankings, unmarked};
use crate::read::{self, JudgedNames, JudgedRun, JudgedRuns, JudgedTopics, NAME};
use _core::fuzzing::{Merge, Options, ReadError, Request};
use std::collections::BTreeMap;
use std::fmt::Debug;

const LONGEST_MESSAGE: usize = 3_500;

/// What both readers said is one and the same, or both refuse the file, in the same line where it is known.
pub fn check<T: PartialEq + Debug>(plain: &Plain<T>, core: &Result<T, ReadError>, what: &str) {
    check_message(core);
    match (plain, core) {
        (Err(Stop::Open), _) => {}
        (Ok(expected), Ok(read)) => assert!(expected == read, "{what}: expected {expected:?}, the core read {read:?}"),
        (Ok(expected), Err(error)) => panic!("{what}: expected {expected:?}, the core says {error:?}"),
        (Err(stop), Ok(read)) => panic!("{what}: wrong in {stop:?}, the core read {read:?}"),
        // Lines are numbered for TREC's files alone.
        (Err(Stop::Lines(lines)), Err(_)) if lines.contains(&0) => {}
        (Err(Stop::Lines(lines)), Err(error)) => {
            let line = line_of(&message_of(error));
            assert!(
                line.is_some_and(|line| lines.contains(&line)),
                "{what}: expected {lines:?}, the core says {error:?}"
            );
        }
        (Err(Stop::Fault), Err(_)) => {}
    }
}

/// An error says which file, on lines that can be printed, and is short.
pub fn check_message<T>(core: &Result<T, ReadError>) {
    let Err(error) = core else { return };
    let message = message_of(error);
    assert!(message.starts_with(NAME), "the message does not begin with the file: {message:?}");
    assert!(message.len() <= LONGEST_MESSAGE, "a message of {} bytes", message.len());
    assert!(!message.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')), "{message:?}");
}

fn message_of(error: &ReadError) -> String {
    match error {
        ReadError::Format(message) | ReadError::Duplicate(message) => message.clone(),
        other => panic!("{other:?} must not leave the core"),
    }
}

/// The line that a message names.
fn line_of(message: &str) -> Option<u64> {
    let rest = message.strip_prefix(NAME)?.strip_prefix(", line ")?;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Compare what is read with small sizes and with large ones, and give the latter.
pub fn both_ways<T: PartialEq + Debug>(
    setting: &Setting,
    read: impl Fn() -> Result<T, ReadError>,
) -> Result<T, ReadError> {
    set_sizes(setting, true);
    let small = read();
    set_sizes(setting, false);
    let large = read();
    match (&small, &large) {
        (Ok(small), Ok(large)) => assert!(small == large, "small sizes: {small:?}, large ones: {large:?}"),
        (Err(small), Err(large)) => {
            // How far a damaged archive was read is told, and which of several faults is met first may differ.
            let is_damaged = [small, large].iter().any(|error| message_of(error).contains("breaks off or is damaged"));
            let is_same = std::mem::discriminant(small) == std::mem::discriminant(large);
            assert!(is_same || is_damaged, "{small:?} and {large:?}");
        }
        (small, large) => panic!("small sizes: {small:?}, large ones: {large:?}"),
    }
    large
}

/// Rankings cut at a depth; keys are left out where the order is that of the file, whose numbers may start anywhere.
pub fn cut(mut made: Rankings, order: Order, depth: Option<usize>) -> Rankings {
    for ranking in made.values_mut().flat_map(BTreeMap::values_mut) {
        ranking.truncate(depth.unwrap_or(usize::MAX));
        if order == Order::File {
            ranking.iter_mut().for_each(|one| one.key = 0.0);
        }
    }
    made
}

/// Whole rankings and judged ones of a run in any form.
pub fn check_runs(source: &_core::fuzzing::Source, plain: Plain<Vec<Row>>, setting: &Setting, form: Option<&str>) {
    let options = read::options(setting, form);
    let expected = plain.and_then(|rows| {
        let order = order_of(&rows, setting.order)?;
        if setting.duplicates != Duplicates::Error && rows.iter().any(|row| row.key_twice) {
            return Err(Stop::Open);
        }
        Ok((rankings(&rows, order, setting.duplicates)?, order))
    });
    let judged = match &expected {
        Ok((rankings, _)) => some_judged(rankings),
        Err(_) => [(b"1".to_vec(), [b"a".to_vec()].into())].into(),
    };
    let order = expected.as_ref().map_or(Order::Score, |(_, order)| *order);
    let listing = expected.clone().map(|(made, order)| cut(made, order, setting.depth));
    let core = both_ways(setting, || {
        read::listed(source, &options).map(|made| cut(made, setting.order.unwrap_or(order), None))
    });
    check(&listing, &core, "listing");
    check_judged(source, expected.map(|(made, _)| made), &judged, setting, &options);
}

fn check_judged(
    source: &_core::fuzzing::Source,
    expected: Plain<Rankings>,
    judged: &JudgedNames,
    setting: &Setting,
    options: &Options,
) {
    let index = read::index_of(judged);
    let options = Options { keep_documents: setting.marked == 64, ..options.clone() };
    let core = both_ways(setting, || read::judged(source, &index, &options));
    let without_tags = core.map(|mut runs| {
        runs.values_mut().for_each(|run| run.tags = Default::default());
        runs
    });
    let expected = expected.map(|made| judged_runs(&made, judged, setting.depth, options.keep_documents));
    check(&expected, &without_tags, "judged");
}

pub fn judged_runs(made: &Rankings, judged: &JudgedNames, depth: Option<usize>, keep_documents: bool) -> JudgedRuns {
    let run = |topics: &BTreeMap<Name, Vec<crate::plain::Ranked>>| {
        let (mut seen, mut documents) = (BTreeMap::new(), BTreeMap::new());
        for (topic, ranking) in topics {
            let Some(names) = judged.get(topic) else { continue };
            let ranking = &ranking[..ranking.len().min(depth.unwrap_or(usize::MAX))];
            seen.insert(topic.clone(), (ranking.len(), entries(ranking, |name| names.contains(name))));
            documents.insert(topic.clone(), ranking.iter().map(|one| one.document.clone()).collect());
        }
        if !keep_documents || documents.values().all(Vec::is_empty) {
            documents.clear();
        }
        let unknown = topics.keys().filter(|topic| !judged.contains_key(*topic)).count();
        JudgedRun { topics: seen, unknown, tags: Default::default(), documents }
    };
    made.iter().map(|(name, topics)| (name.clone(), run(topics))).collect()
}

/// Judgments of about two topics in three and every other document.
pub fn some_judged(made: &Rankings) -> JudgedNames {
    let digit = |name: &[u8]| name.iter().map(|&byte| usize::from(byte)).sum::<usize>();
    let mut judged = JudgedNames::new();
    for (topic, ranking) in made.values().flatten().filter(|(topic, _)| digit(topic) % 3 != 0) {
        let documents = ranking.iter().map(|one| &one.document).filter(|name| digit(name) % 2 == 0);
        judged.entry(topic.clone()).or_default().extend(documents.cloned());
    }
    judged
}

/// Judgments in any form.
pub fn check_qrels(bytes: &[u8], plain: Plain<Vec<Row>>, request: &Request, merge: Merge, setting: &Setting) {
    let core = both_ways(setting, || read::qrels(bytes, request, merge));
    let is_ordered = request.form.as_deref() == Some("prefs");
    let expected = plain.and_then(|rows| merged(&rows, merge, is_ordered));
    check(&expected, &core, "qrels");
}

/// An input of a form of JSON, as a run or as qrels.
pub fn check_json(data: &[u8], form: &'static str, read_plain: fn(&[u8], Kind) -> Plain<Vec<Row>>) {
    let mut draw = Draw(data);
    let setting = Setting::draw(&mut draw);
    let kind = draw.one(&[Kind::Runs, Kind::Qrels]);
    let merge = draw.one(&[Merge::Aspects, Merge::Error, Merge::Max, Merge::Min, Merge::Mean]);
    let text = draw.0;
    let plain = unmarked(text).and_then(|text| read_plain(text, kind));
    match kind {
        Kind::Runs => check_runs(&read::source(text), plain, &setting, Some(form)),
        Kind::Qrels => check_qrels(text, plain, &read::request(kind, Some(form), None), merge, &setting),
    }
}

/// What is made of judgments: a grade for each document, and those by aspect where there are two or more.
pub fn merged(rows: &[Row], merge: Merge, is_ordered: bool) -> Plain<JudgedTopics> {
    let mut all: BTreeMap<(Name, Name), Vec<(Name, f64)>> = BTreeMap::new();
    let mut grades: BTreeMap<Name, BTreeMap<Name, f64>> = BTreeMap::new();
    for row in rows {
        let judged = grades.entry(row.topic.clone()).or_default();
        let (Some(document), Some(grade)) = (&row.document, row.grade) else { continue };
        let before = all.entry((row.topic.clone(), document.clone())).or_default();
        let is_again = match merge {
            _ if is_ordered => false,
            Merge::Error => !before.is_empty(),
            // A grade of the topic as a whole, and one of a part of it, cannot both hold.
            Merge::Aspects => {
                before.iter().any(|(part, _)| *part == row.part || part.is_empty() || row.part.is_empty())
            }
            _ => false,
        };
        if is_again {
            return Err(Stop::Lines(vec![row.line]));
        }
        before.push((row.part.clone(), grade));
        let values: Vec<f64> = before.iter().map(|(_, grade)| *grade).collect();
        judged.insert(document.clone(), merge_of(&values, if is_ordered { Merge::Max } else { merge }));
    }
    let parts: std::collections::BTreeSet<&Name> =
        rows.iter().map(|row| &row.part).filter(|part| !part.is_empty()).collect();
    let has_aspects = is_ordered || parts.len() > 1;
    let aspects = has_aspects.then(|| by_aspect(rows, merge, is_ordered));
    Ok(JudgedTopics { grades, aspects })
}

fn by_aspect(rows: &[Row], merge: Merge, is_ordered: bool) -> read::ByAspect {
    let mut made = read::ByAspect::new();
    let mut values: BTreeMap<(Name, Name, Name), Vec<f64>> = BTreeMap::new();
    for row in rows {
        let (Some(document), Some(grade)) = (&row.document, row.grade) else { continue };
        let judged = made.entry((row.topic.clone(), row.part.clone())).or_default();
        let there = judged.iter_mut().find(|one| one.0 == *document).filter(|_| !is_ordered);
        let key = (row.topic.clone(), row.part.clone(), document.clone());
        let values = values.entry(key).or_default();
        values.push(grade);
        match there {
            Some(one) => one.1 = merge_of(values, merge),
            None => judged.push((document.clone(), grade, row.list.clone())),
        }
    }
    made
}

fn merge_of(values: &[f64], merge: Merge) -> f64 {
    match merge {
        Merge::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
        Merge::Mean if values.len() > 1 => values.iter().sum::<f64>() / values.len() as f64,
        Merge::Mean => values[0],
        _ => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    }
}
