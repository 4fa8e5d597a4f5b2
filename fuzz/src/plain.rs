//! Rows of a run or of qrels, numbers, names of columns, and rankings: slow and obvious.

use std::collections::BTreeMap;

pub type Name = Vec<u8>;

/// Why a file is not read.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// It is wrong in one of these lines.
    Lines(Vec<u64>),
    /// It is wrong as a whole, or where is not said.
    Fault,
    /// Nobody says how this is to be read: any reading is right, and so is an error.
    Open,
}

pub type Plain<T> = Result<T, Stop>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    Score,
    Score64,
    Rank,
    File,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Duplicates {
    Error,
    Best,
    First,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    Runs,
    Qrels,
}

/// A document of a ranking, or its judgment; without a document, an empty ranking.
#[derive(Clone, Debug, Default)]
pub struct Row {
    pub topic: Name,
    pub document: Option<Name>,
    pub score: Option<f64>,
    /// NaN where it is no number, which matters where ranks are used.
    pub rank: Option<f64>,
    pub grade: Option<f64>,
    /// Its run, or the sub-topic of a judgment; empty where the file does not say.
    pub part: Name,
    /// The list of an assessor, for preferences.
    pub list: Name,
    pub line: u64,
    /// Whether it stands in a list, whose order is that of the ranking.
    pub in_list: bool,
    /// Whether the object that holds it has this document twice, where `duplicates` may or may not have a say.
    pub key_twice: bool,
}

pub fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0B | 0x0C)
}

pub fn words(line: &[u8]) -> Vec<&[u8]> {
    line.split(|&byte| is_blank(byte)).filter(|word| !word.is_empty()).collect()
}

pub fn strip(mut text: &[u8], is_out: impl Fn(u8) -> bool) -> &[u8] {
    while let [first, rest @ ..] = text
        && is_out(*first)
    {
        text = rest;
    }
    while let [rest @ .., last] = text
        && is_out(*last)
    {
        text = rest;
    }
    text
}

/// How archives start.
const ARCHIVES: [&[u8]; 5] = [b"\x1F\x8B", b"BZh", b"\xFD7zXZ\0", b"\x28\xB5\x2F\xFD", b"\x04\x22\x4D\x18"];

/// Text without its mark; a fault where it is UTF-16. What starts as an archive has targets of its own.
pub fn unmarked(text: &[u8]) -> Plain<&[u8]> {
    if ARCHIVES.iter().any(|archive| text.starts_with(archive)) {
        return Err(Stop::Open);
    }
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    if text.starts_with(b"\xFF\xFE") || text.starts_with(b"\xFE\xFF") {
        return Err(Stop::Fault);
    }
    Ok(text)
}

/// A number as Python's float writes it, by the C library; None where it is none. NaN is a number here.
pub fn number(text: &[u8]) -> Option<f64> {
    let unsigned = text.strip_prefix(b"+").or_else(|| text.strip_prefix(b"-")).unwrap_or(text);
    let lower = unsigned.to_ascii_lowercase();
    if !matches!(lower.as_slice(), b"inf" | b"infinity" | b"nan") {
        let (mantissa, power) = match lower.iter().position(|&byte| byte == b'e') {
            Some(at) => (&lower[..at], Some(&lower[at + 1..])),
            None => (lower.as_slice(), None),
        };
        let (whole, fraction) = match mantissa.iter().position(|&byte| byte == b'.') {
            Some(at) => (&mantissa[..at], &mantissa[at + 1..]),
            None => (mantissa, &b""[..]),
        };
        let power = power.map(|power| power.strip_prefix(b"+").or_else(|| power.strip_prefix(b"-")).unwrap_or(power));
        let are_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
        if whole.len() + fraction.len() == 0
            || !are_digits(whole)
            || !are_digits(fraction)
            || power.is_some_and(|power| power.is_empty() || !are_digits(power))
        {
            return None;
        }
    }
    Some(strtod(text))
}

/// The number that a text starts with, as the C library reads it.
pub fn strtod(text: &[u8]) -> f64 {
    let text: Vec<u8> = text.iter().copied().take_while(|&byte| byte != 0).chain([0]).collect();
    // SAFETY: the text ends with a NUL.
    unsafe { libc::strtod(text.as_ptr().cast(), std::ptr::null_mut()) }
}

/// The whole number that a text starts with, as the C library reads it.
pub fn strtol(text: &[u8]) -> i64 {
    let text: Vec<u8> = text.iter().copied().take_while(|&byte| byte != 0).chain([0]).collect();
    // SAFETY: the text ends with a NUL.
    unsafe { libc::strtol(text.as_ptr().cast(), std::ptr::null_mut(), 10) }
}

pub fn number_or_nan(text: &[u8]) -> f64 {
    number(text).unwrap_or(f64::NAN)
}

pub fn finite(value: Option<f64>) -> Plain<f64> {
    value.filter(|value| value.is_finite()).ok_or(Stop::Fault)
}

pub fn not_empty(name: &[u8]) -> Plain<Name> {
    if name.is_empty() { Err(Stop::Fault) } else { Ok(name.to_vec()) }
}

/// A document in its ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    pub document: Name,
    /// What orders it, highest first.
    pub key: f64,
}

/// Rankings by run and topic.
pub type Rankings = BTreeMap<Name, BTreeMap<Name, Vec<Ranked>>>;

/// The order that rows are in, unless it is given; a fault where they cannot be.
pub fn order_of(rows: &[Row], given: Option<Order>) -> Plain<Order> {
    let retrieved: Vec<&Row> = rows.iter().filter(|row| row.document.is_some()).collect();
    let natural = |row: &Row| match (row.score, row.rank) {
        (Some(_), _) => Order::Score,
        (None, Some(_)) => Order::Rank,
        (None, None) => Order::File,
    };
    let Some(first) = retrieved.first() else { return Err(Stop::Open) };
    let are_alike = retrieved.iter().all(|row| natural(row) == natural(first));
    let order = match given {
        None if !are_alike => return Err(Stop::Fault),
        None if natural(first) == Order::File && !retrieved.iter().all(|row| row.in_list) => return Err(Stop::Fault),
        None => natural(first),
        Some(Order::Score | Order::Score64) if retrieved.iter().any(|row| row.score.is_none()) => {
            return Err(Stop::Fault);
        }
        Some(Order::Rank) if retrieved.iter().any(|row| row.rank.is_none()) => return Err(Stop::Fault),
        Some(_) if !are_alike => return Err(Stop::Open),
        Some(order) => order,
    };
    let used = |row: &&Row| match order {
        Order::File => 0.0,
        Order::Rank => row.rank.unwrap_or(0.0),
        Order::Score | Order::Score64 => row.score.unwrap_or(0.0),
    };
    if retrieved.iter().map(used).any(f64::is_nan) { Err(Stop::Fault) } else { Ok(order) }
}

/// What a row is ordered by.
pub fn key_of(row: &Row, order: Order, place: usize) -> f64 {
    match order {
        Order::Score => f64::from(row.score.unwrap_or(0.0) as f32),
        Order::Score64 => row.score.unwrap_or(0.0),
        Order::Rank => -row.rank.unwrap_or(0.0),
        Order::File => -(place as f64),
    }
}

/// Rankings in order: highest key first, equal ones by name, the last first.
pub fn rankings(rows: &[Row], order: Order, duplicates: Duplicates) -> Plain<Rankings> {
    let mut made = Rankings::new();
    let mut repeats: BTreeMap<(Name, Name), u64> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        let ranking = made.entry(row.part.clone()).or_default().entry(row.topic.clone()).or_default();
        let Some(document) = &row.document else { continue };
        let key = key_of(row, order, place);
        match ranking.iter_mut().find(|there| there.document == *document) {
            None => ranking.push(Ranked { document: document.clone(), key }),
            Some(_) if duplicates == Duplicates::Error => {
                repeats.entry((row.part.clone(), row.topic.clone())).or_insert(row.line);
            }
            Some(there) if duplicates == Duplicates::Best && key > there.key => there.key = key,
            Some(_) => {}
        }
    }
    if !repeats.is_empty() {
        return Err(Stop::Lines(repeats.into_values().collect()));
    }
    for ranking in made.values_mut().flat_map(BTreeMap::values_mut) {
        ranking.sort_by(|a, b| b.key.partial_cmp(&a.key).unwrap().then_with(|| b.document.cmp(&a.document)));
    }
    Ok(made)
}

/// What `merge` makes of judgments; grades of each document by topic.
pub type Grades = BTreeMap<Name, BTreeMap<Name, f64>>;

/// A judged document of a ranking: rank, name, and the first and last rank with its key.
pub type Entry = (usize, Name, usize, usize);

pub fn entries(ranking: &[Ranked], is_judged: impl Fn(&[u8]) -> bool) -> Vec<Entry> {
    let judged = ranking.iter().enumerate().filter(|(_, one)| is_judged(&one.document));
    judged
        .map(|(place, one)| {
            let first = ranking.iter().position(|other| other.key == one.key).unwrap();
            let count = ranking.iter().filter(|other| other.key == one.key).count();
            (place + 1, one.document.clone(), first + 1, first + count)
        })
        .collect()
}

/// A column's name in lower case, without blanks, hyphens and underscores.
pub fn normalised(name: &[u8]) -> Name {
    let kept = name.iter().filter(|&&byte| !is_blank(byte) && byte != b'-' && byte != b'_');
    kept.map(u8::to_ascii_lowercase).collect()
}

pub const TOPIC: &[&str] = &["topic", "topicid", "qid", "queryid", "query"];
pub const DOCUMENT: &[&str] =
    &["document", "docno", "docid", "documentid", "pid", "did", "passageid", "corpusid", "doc"];
pub const SCORE: &[&str] = &["score", "sim", "similarity", "relevancescore", "retrievalscore"];
pub const RANK: &[&str] = &["rank"];
pub const GRADE: &[&str] = &["grade", "relevance", "rel", "label", "rating", "judgment", "judgement", "score"];
pub const RUN: &[&str] = &["run", "runid", "tag", "system", "model"];
pub const SUBTOPIC: &[&str] =
    &["subtopic", "subtopicid", "intent", "aspect", "nugget", "assessor", "annotator", "group", "iteration"];

/// Where the column stands that has one of these names, the first ones preferred; a fault where two are alike.
pub fn place_of(names: &[Name], known: &[&str]) -> Plain<Option<usize>> {
    let spelled: Vec<Name> = names.iter().map(|name| normalised(name)).collect();
    for wanted in known {
        let mut places = (0..names.len()).filter(|&at| spelled[at] == wanted.as_bytes());
        if let Some(place) = places.next() {
            return if places.next().is_some() { Err(Stop::Fault) } else { Ok(Some(place)) };
        }
    }
    Ok(None)
}
