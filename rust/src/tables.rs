//! Runs and qrels that are already in memory: Python lists, dictionaries and Arrow tables, fed to the same judge.

use crate::ahead::soon_read;
use crate::columns::Role;
use crate::dialect::Order;
use crate::error::{Fragment, Message, rankscale_error, shown};
use crate::index::{Builder, Index, Judgment, Judgments, Merge, refused};
use crate::judge::{Judge, Row, Twice};
use crate::memory::Watch;
use crate::names::Names;
use crate::reader::{Found, Gathered, MOST_RUNS, Options, TWICE, Trouble, once, row, too_many_runs};
use pyo3::Borrowed;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyInt, PyString};
use std::borrow::Cow;

/// How messages call a table, rows or a dictionary that Python gives.
const GIVEN: &str = "the table given";
/// Rows fed between two looks at the memory.
const LOOKED_AFTER: usize = 1 << 16;

/// What is fed, one row at a time: the rows of a run, or judgments.
pub trait Taker {
    const NUMBER: &'static str;
    /// Whether what rows are a part of may be left open.
    const MAY_LACK_PART: bool = false;
    /// `part` is the run of a document, or the sub-topic or assessor of a judgment.
    fn take(&mut self, part: &[u8], topic: &[u8], document: &[u8], number: f64, row: u64) -> PyResult<()>;
}

pub struct RunTaker<'a> {
    index: &'a Index,
    options: &'a Options,
    order: Order,
    runs: Names,
    gathered: Vec<Gathered>,
}

impl<'a> RunTaker<'a> {
    pub fn new(index: &'a Index, options: &'a Options, order: Order) -> Self {
        RunTaker { index, options, order, runs: Names::default(), gathered: Vec::new() }
    }

    pub fn finish(self) -> PyResult<Vec<Found>> {
        let mut judged = Vec::with_capacity(self.gathered.len());
        for (run, gathered) in self.runs.iter().zip(self.gathered) {
            let found = gathered.judge(self.index, self.options).map_err(in_table)?;
            judged.push(Found { run: run.to_vec(), ..found });
        }
        Ok(in_order(judged, self.order))
    }
}

impl Taker for RunTaker<'_> {
    const NUMBER: &'static str = "score";

    fn take(&mut self, run: &[u8], topic: &[u8], document: &[u8], number: f64, row: u64) -> PyResult<()> {
        if number.is_nan() {
            return Err(format_error(no_score(format!("row {row}"))));
        }
        let (number_of_run, new) =
            self.runs.add(self.index.seed.hash(run), run).ok_or_else(|| in_table(Trouble::TooManyNames))?;
        if new {
            if self.gathered.len() >= MOST_RUNS {
                return Err(in_table(Trouble::TooManyRuns));
            }
            self.gathered.push(Gathered::default());
        }
        let key = self.order.key(number, number, row);
        let into = &mut self.gathered[number_of_run as usize];
        if !into.add(self.index, self.options, topic, document, key, row) {
            return Err(format_error(format!("topic {}: its documents take more than 4 GiB", shown(topic))));
        }
        Ok(())
    }
}

/// Runs of a table, with what put them in order; a table without rows is a run without topics.
pub fn in_order(mut runs: Vec<Found>, order: Order) -> Vec<Found> {
    if runs.is_empty() {
        runs.push(Found::default());
    }
    runs.iter_mut().for_each(|run| run.about.order = order);
    runs
}

pub fn in_table(trouble: Trouble) -> PyErr {
    match trouble {
        Trouble::Twice(twice, topic) => twice_in_table(&twice, &topic),
        Trouble::Scattered(topic) => {
            rankscale_error("DuplicateError", format!("topic {} is given twice", shown(&topic)))
        }
        Trouble::TooManyRuns => format_error(too_many_runs()),
        Trouble::TooManyNames => format_error("the names of runs take more than 4 GiB"),
    }
}

fn twice_in_table(twice: &Twice, topic: &[u8]) -> PyErr {
    let sentence = format!(
        "row {}: document {} stands a second time in topic {} (first in row {})\n",
        twice.lines.1,
        shown(&twice.name),
        shown(topic),
        twice.lines.0
    );
    let parts: Vec<Fragment> = [sentence.into()].into_iter().chain(once()).collect();
    rankscale_error("DuplicateError", Message::new(parts).kind(TWICE))
}

#[derive(Default)]
pub struct QrelsTaker {
    builder: Builder,
}

impl QrelsTaker {
    pub fn new(merge: Merge) -> Self {
        QrelsTaker { builder: Builder::merging(merge) }
    }
}

impl Taker for QrelsTaker {
    const NUMBER: &'static str = "grade";
    const MAY_LACK_PART: bool = true;

    fn take(&mut self, part: &[u8], topic: &[u8], document: &[u8], number: f64, row: u64) -> PyResult<()> {
        if !number.is_finite() {
            return Err(format_error(format!("row {row}: expected a finite number as grade, found {number}")));
        }
        let judgment = Judgment { part, ..Judgment::plain(document, number) };
        self.builder.enter(topic).and_then(|()| self.builder.add(judgment)).map_err(|refusal| {
            let (twice, words) = refused(refusal, topic, document);
            rankscale_error(if twice { "DuplicateError" } else { "FormatError" }, format!("row {row}: {words}"))
        })
    }
}

impl QrelsTaker {
    pub fn finish(self) -> Judgments {
        self.builder.finish()
    }
}

/// An error about a score that is none.
pub fn no_score(place: String) -> Message {
    Message::from(format!("{place}: expected a number as score, found NaN")).kind(Role::Score.fault())
}

pub fn format_error(message: impl Into<Message>) -> PyErr {
    rankscale_error("FormatError", message)
}

/// Rows of runs (or sub-topics), topics, documents and numbers, counted from 0 as Python does; `has` says whether there
/// are runs and numbers, whose places hold nothing otherwise.
pub fn feed_rows<T: Taker>(taker: &mut T, rows: &Bound<'_, PyAny>, has: (bool, bool)) -> PyResult<()> {
    let mut heed = Heed::default();
    for (row, values) in rows.try_iter()?.enumerate() {
        let row = row as u64;
        heed.after(rows.py(), 1)?;
        let (part, topic, document, number): (Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) =
            values?.extract()?;
        let place = || format!("row {row}");
        let part = match has.0 {
            true if T::MAY_LACK_PART => part_of(&part, place)?,
            true => name_of(&part, "run", place)?,
            false => Cow::Borrowed(&b""[..]),
        };
        let number = if has.1 { number_of(&number, T::NUMBER, place)? } else { 0.0 };
        taker.take(&part, &name_of(&topic, "topic", place)?, &name_of(&document, "document", place)?, number, row)?;
    }
    Ok(())
}

/// The sub-topic of a judgment: nothing, a name, or a number, since a column with gaps holds floats.
fn part_of<'a>(value: &'a Bound<'_, PyAny>, place: impl Fn() -> String) -> PyResult<Cow<'a, [u8]>> {
    if value.is_none() {
        return Ok(Cow::Borrowed(b""));
    }
    match value.cast::<PyFloat>() {
        Ok(number) => Ok(Cow::Owned(spelled(number.value()))),
        Err(_) => name_of(value, "subtopic", place),
    }
}

/// A number as a name: 2.0 is 2, and NaN is nothing.
pub fn spelled(number: f64) -> Vec<u8> {
    if number.is_nan() { Vec::new() } else { number.to_string().into_bytes() }
}

/// A name as bytes: text, bytes, or a whole number.
fn name_of<'a>(value: &'a Bound<'_, PyAny>, what: &str, place: impl Fn() -> String) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(text) = value.cast::<PyString>() {
        // Names read from files that are not UTF-8 carry their odd bytes as surrogates.
        return match text.to_str() {
            Ok(text) => Ok(Cow::Borrowed(text.as_bytes())),
            Err(_) => {
                let bytes = text.call_method1("encode", ("utf-8", "surrogateescape")).map_err(|_| {
                    format_error(format!("{}: expected text as {what}, found half a character", place()))
                })?;
                Ok(Cow::Owned(bytes.extract::<Vec<u8>>()?))
            }
        };
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    // An array of numpy has __index__ too, and refuses it unless it holds one number.
    if !value.is_instance_of::<PyFloat>()
        && value.hasattr("__index__")?
        && let Ok(number) = value.call_method0("__index__").and_then(|number| number.str())
    {
        return Ok(Cow::Owned(number.to_str()?.as_bytes().to_vec()));
    }
    let kind = if value.is_none() { "nothing (null)".into() } else { value.get_type().name()?.to_string() };
    Err(format_error(format!("{}: expected a name as {what}, found {kind}", place())))
}

fn number_of(value: &Bound<'_, PyAny>, what: &str, place: impl Fn() -> String) -> PyResult<f64> {
    value.extract::<f64>().map_err(|_| {
        let kind = if value.is_none() { "nothing (null)".into() } else { shown(format!("{value:?}").as_bytes()) };
        let message = Message::from(format!("{}: expected a number as {what}, found {kind}", place()));
        format_error(message.kind(Role::named(what).map_or("", Role::fault)))
    })
}

/// `{topic: {document: grade}}`.
pub fn feed_qrels_dict(taker: &mut QrelsTaker, topics: &Bound<'_, PyDict>) -> PyResult<()> {
    let mut heed = Heed::default();
    for (topic, documents) in pairs(topics) {
        let name = name_of(&topic, "topic", || "qrels".into())?;
        let place = || format!("topic {}", shown(&name));
        taker.builder.enter(&name).map_err(|refusal| format_error(refused(refusal, &name, b"").1))?;
        let documents = inner(&documents, &name)?;
        heed.memory_after(documents.len())?;
        taker.builder.reserve(documents.len());
        let mut refusal = None;
        let taken = usual_items(&documents, |document, grade| {
            if refusal.is_none() {
                refusal = taker.builder.add_plain(document, grade).err().map(|why| refused(why, &name, document).1);
            }
        });
        if let Some(words) = refusal {
            return Err(format_error(words));
        }
        for (document, grade) in rest(&documents, taken) {
            let place = || format!("{}, document {document}", place());
            let number = number_of(&grade, "grade", place)?;
            if !number.is_finite() {
                return Err(format_error(format!("{}: expected a finite number as grade, found {number}", place())));
            }
            let document = name_of(&document, "document", place)?;
            taker.builder.add_plain(&document, number).map_err(|refusal| {
                let (_, words) = refused(refusal, &name, &document);
                format_error(words)
            })?;
        }
    }
    Ok(())
}

fn inner<'py>(documents: &Bound<'py, PyAny>, topic: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    documents.cast::<PyDict>().cloned().map_err(|_| {
        let found = shown(format!("{documents:?}").as_bytes());
        format_error(format!("topic {}: expected a dictionary of documents, found {found}", shown(topic)))
    })
}

/// The items that a dictionary has now: it may be changed by the code of users' classes while they are read.
fn pairs<'py>(items: &Bound<'py, PyDict>) -> impl Iterator<Item = (Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let listed: Vec<_> = items.iter().collect(); // no code of others runs here
    listed.into_iter()
}

/// What `usual_items` left. Skipping would walk the dictionary a second time, so where nothing is left nothing is asked.
fn rest<'py>(items: &Bound<'py, PyDict>, taken: usize) -> impl Iterator<Item = (Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let left = (taken < items.len()).then(|| pairs(items).skip(taken));
    left.into_iter().flatten()
}

/// Hands out the documents and numbers of a dictionary as long as it holds nothing but text and plain, finite numbers,
/// which is the usual one. Gives how many were handed out; for the rest, if any, the caller goes the careful way.
fn usual_items(items: &Bound<'_, PyDict>, mut take: impl FnMut(&[u8], f64)) -> usize {
    let py = items.py();
    let (mut taken, mut bytes, mut place) = (0, 0, 0);
    // Grades are mostly the same few objects: the one met last is not read again.
    let (mut last, mut number) = (std::ptr::null_mut(), 0.0);
    // Names and numbers lie scattered in memory: asked for a few at a time, they arrive together.
    let mut ahead = [(std::ptr::null_mut(), std::ptr::null_mut()); 16];
    loop {
        let mut count = 0;
        while let Some((key, value)) = ahead.get_mut(count) {
            // SAFETY: PyDict_Next gives references borrowed from the dictionary, which stay good as long as it is not
            // changed. Nothing below runs Python code: the exact types are checked before their values are read, so no
            // __float__ of a user's class is called, and we hold the GIL.
            if unsafe { ffi::PyDict_Next(items.as_ptr(), &mut place, key, value) } == 0 {
                break;
            }
            soon_read(*key);
            soon_read(key.wrapping_byte_add(TEXT_OFFSET));
            soon_read(*value);
            count += 1;
        }
        for &(key, value) in &ahead[..count] {
            // SAFETY: as above; both pointers are not null when PyDict_Next gives a pair.
            let (key, met) = unsafe { (Borrowed::from_ptr(py, key), Borrowed::from_ptr(py, value)) };
            let Ok(key) = key.cast_exact::<PyString>() else { return taken };
            let Ok(name) = key.to_str() else { return taken };
            if value != last {
                number = match met.cast_exact::<PyFloat>() {
                    Ok(number) => number.value(),
                    Err(_) => match met.cast_exact::<PyInt>().map(|number| number.extract::<f64>()) {
                        Ok(Ok(number)) => number,
                        _ => return taken,
                    },
                };
                last = value;
            }
            bytes += name.len();
            if !number.is_finite() || bytes > u32::MAX as usize {
                return taken;
            }
            take(name.as_bytes(), number);
            taken += 1;
        }
        if count < ahead.len() {
            return taken;
        }
    }
}

/// About where CPython keeps the characters of a short text; a wrong guess costs time, nothing else.
const TEXT_OFFSET: usize = 48;

/// `{topic: {document: score}}`, judged topic by topic. An empty dictionary is an empty ranking.
pub fn judge_dict(index: &Index, options: &Options, order: Order, topics: &Bound<'_, PyDict>) -> PyResult<Found> {
    let mut judge = Judge::new(index, options);
    let (mut known, mut unknown) = (vec![false; index.topics.len()], Names::default());
    let (mut text, mut rows): (Vec<u8>, Vec<Row>) = (Vec::new(), Vec::new());
    let mut heed = Heed::default();
    for (topic, documents) in pairs(topics) {
        let name = name_of(&topic, "topic", || "run".into())?;
        text.clear();
        rows.clear();
        let documents = inner(&documents, &name)?;
        heed.memory_after(documents.len())?;
        let taken = usual_items(&documents, |document, score| {
            let (start, line) = (text.len() as u32, rows.len() as u64);
            text.extend_from_slice(document);
            rows.push(row(index, document, start, order.key(score, score, line), line));
        });
        for (line, (document, score)) in (taken..).zip(rest(&documents, taken)) {
            let place = || format!("topic {}, document {document}", shown(&name));
            let score = number_of(&score, "score", place)?;
            if score.is_nan() {
                return Err(format_error(no_score(place())));
            }
            let document = name_of(&document, "document", place)?;
            let start = u32::try_from(text.len())
                .map_err(|_| format_error(format!("topic {}: its documents take more than 4 GiB", shown(&name))))?;
            text.extend_from_slice(&document);
            rows.push(row(index, &document, start, order.key(score, score, line as u64), line as u64));
        }
        match index.topic(&name) {
            None => {
                unknown.add(index.seed.hash(&name), &name);
            }
            // Names that Python tells apart may be the same here, such as 301 and "301".
            Some(number) if std::mem::replace(&mut known[number], true) => {
                let message = format!("topic {} is given twice", shown(&name));
                return Err(rankscale_error("DuplicateError", message));
            }
            Some(number) => {
                // Keys of a dictionary differ, and so do texts; bytes and numbers may spell the same name.
                let check = taken < rows.len();
                judge.ranking(number, &text, &mut rows, check).map_err(|twice| twice_in_table(&twice, &name))?;
            }
        }
    }
    let dropped = judge.dropped;
    let found = Found { hits: judge.hits, unknown, dropped, ..Found::default() };
    Ok(in_order(vec![found], order).remove(0))
}

/// Looks at the memory, and for Ctrl-C, while a table is fed: now and then, since looking takes time.
#[derive(Default)]
pub struct Heed {
    watch: Watch,
    /// Rows since it looked.
    rows: usize,
}

impl Heed {
    /// An error where Ctrl-C was pressed, or the process takes more memory than it may; `rows` are those fed since.
    pub fn after(&mut self, py: Python<'_>, rows: usize) -> PyResult<()> {
        if self.is_due(rows) {
            py.check_signals()?;
            self.watch.check(GIVEN)?;
        }
        Ok(())
    }

    /// The same without Ctrl-C, whose handler runs code of others.
    pub fn memory_after(&mut self, rows: usize) -> PyResult<()> {
        if self.is_due(rows) {
            self.watch.check(GIVEN)?;
        }
        Ok(())
    }

    fn is_due(&mut self, rows: usize) -> bool {
        self.rows += rows;
        let is_due = self.rows >= LOOKED_AFTER;
        if is_due {
            self.rows = 0;
        }
        is_due
    }
}
