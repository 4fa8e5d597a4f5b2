//! Reading a run: entries in any form go to the judge topic by topic, or are gathered first where topics come back.

use crate::entries::{About, Entries, Event, Request};
use crate::error::{Fragment, Place, ReadError, Setting, shown};
use crate::fields::same;
use crate::forms;
use crate::index::Index;
use crate::judge::{Duplicates, Hits, Judge, Row, Twice, UNJUDGED};
use crate::names::Names;
use crate::sizes;
use crate::source::Source;
use hashbrown::HashSet;
use regex::bytes::Regex;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

#[derive(Clone, Debug)]
pub struct Options {
    pub request: Request,
    pub depth: Option<usize>,
    pub keep_documents: bool,
    pub duplicates: Duplicates,
    /// Its first group is the name of the document.
    pub document_from: Option<Arc<Regex>>,
    /// Whether all documents of all topics are listed, judged or not.
    pub listing: Listing,
}

/// Whether whole rankings are wanted, and what orders them; their keys stay as they are read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Listing {
    None,
    /// By the key in 32 bits.
    Single,
    /// By the key as it is.
    Double,
}

impl Options {
    /// The part of a document's name that names the document, None where the pattern does not match.
    fn inner(&self, name: &[u8]) -> Option<std::ops::Range<usize>> {
        let group = self.document_from.as_ref()?.captures(name)?.get(1)?;
        (!group.is_empty()).then(|| group.range())
    }
}

/// A run that has been read and judged.
#[derive(Default)]
pub struct Found {
    /// What the file calls it; empty where it holds one run.
    pub run: Vec<u8>,
    pub hits: Hits,
    /// Topics without judgments.
    pub unknown: Names,
    /// Names of the topics of `hits`, where whole rankings are listed.
    pub topics: Vec<Vec<u8>>,
    pub about: About,
    /// Whether lines of a topic do not stand together.
    pub is_scattered: bool,
    /// Documents left out because they stand in their ranking twice.
    pub dropped: u64,
    /// Documents that `document_from` does not match, and those that it does.
    pub unmatched: u64,
    pub matched: u64,
}

/// Judge the runs of a file. Topics are judged one by one as they go by; where a topic comes back later in the file, it is
/// read again with all lines gathered first. What cannot be read twice is gathered from the start.
pub fn read(source: &Source, index: &Index, options: &Options, cancel: &AtomicBool) -> Result<Vec<Found>, ReadError> {
    if source.rereadable() {
        // Of a ranking that is cut, more lines of its topic may push one of two equal documents out.
        let is_cut = options.request.dialect.lenient && options.depth.is_some();
        match forms::open(source, &options.request, cancel, Streaming { index, options }) {
            // A piece does not hold all lines of a topic that comes back: the whole file is to be gathered.
            Err(ReadError::Scattered) if source.piece.is_none() => {}
            Err(ReadError::Duplicate(_)) if source.piece.is_none() && is_cut => {}
            read => return read,
        }
    }
    let mut runs = forms::open(source, &options.request, cancel, Gathering { index, options })?;
    runs.iter_mut().for_each(|run| run.is_scattered = true);
    Ok(runs)
}

/// Hand out the whole rankings of a file, some topics at a time; all at once where topics come back.
pub fn list(
    source: &Source,
    options: &Options,
    cancel: &AtomicBool,
    is_scattered: bool,
    give: &mut dyn FnMut(Vec<Found>) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    let index = Index::default();
    if is_scattered {
        let mut runs = forms::open(source, &options.request, cancel, Gathering { index: &index, options })?;
        runs.iter_mut().for_each(Found::name_topics);
        return give(runs);
    }
    let runs = forms::open(source, &options.request, cancel, Handing { index: &index, options, give: &mut *give })?;
    give(runs)
}

struct Handing<'a> {
    index: &'a Index,
    options: &'a Options,
    give: &'a mut dyn FnMut(Vec<Found>) -> Result<(), ReadError>,
}

impl forms::Reader<Vec<Found>> for Handing<'_> {
    fn read(self, entries: impl Entries) -> Result<Vec<Found>, ReadError> {
        let give = self.give;
        let mut runs = stream(entries, self.index, self.options, |sink| {
            if sink.listed() < sizes::handful() { Ok(()) } else { give(sink.hand_out()) }
        })?;
        runs.iter_mut().for_each(Found::name_topics);
        Ok(runs)
    }
}

struct Streaming<'a> {
    index: &'a Index,
    options: &'a Options,
}

impl forms::Reader<Vec<Found>> for Streaming<'_> {
    fn read(self, entries: impl Entries) -> Result<Vec<Found>, ReadError> {
        stream(entries, self.index, self.options, |_| Ok(()))
    }
}

struct Gathering<'a> {
    index: &'a Index,
    options: &'a Options,
}

impl forms::Reader<Vec<Found>> for Gathering<'_> {
    fn read(self, entries: impl Entries) -> Result<Vec<Found>, ReadError> {
        gather(entries, self.index, self.options)
    }
}

impl Found {
    /// Say what the topics are called, where whole rankings are listed.
    pub fn name_topics(&mut self) {
        let name = |topic: u32| self.unknown.get(topic as usize).to_vec();
        self.topics = self.hits.segments.iter().map(|segment| name(segment.topic)).collect();
    }

    /// Take over what was found in the next piece of the same file; false where a topic that the qrels lack is in both.
    pub fn append(&mut self, next: Found, index: &Index) -> bool {
        let apart =
            next.unknown.iter().all(|name| self.unknown.add(index.seed.hash(name), name).is_some_and(|(_, new)| new));
        let (about, other) = (&mut self.about, next.about);
        if about.first_tag.is_empty() {
            about.first_tag.clone_from(&other.first_tag);
        }
        if about.other_tag.is_empty() {
            about.other_tag = if other.first_tag == about.first_tag { other.other_tag } else { other.first_tag };
        }
        if !other.last_tag.is_empty() {
            about.last_tag = other.last_tag;
        }
        about.odd.count += other.odd.count;
        if about.odd.first.is_empty() {
            about.odd.first = other.odd.first;
        }
        self.dropped += next.dropped;
        self.unmatched += next.unmatched;
        self.matched += next.matched;
        self.hits.append(next.hits);
        apart
    }

    /// Whether each topic of the qrels is there once at most.
    pub fn has_topics_once(&self) -> bool {
        let mut topics: Vec<u32> = self.hits.segments.iter().map(|segment| segment.topic).collect();
        topics.sort_unstable();
        topics.windows(2).all(|pair| pair[0] != pair[1])
    }
}

pub fn row(index: &Index, name: &[u8], start: u32, key: f64, line: u64) -> Row {
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    Row { key, hash: index.seed.hash(name), start, length: name.len() as u32, line, document: UNJUDGED }
}

/// Runs in one file or table: each is an object of its own in Python, with all that is known of it.
pub const MOST_RUNS: usize = 50_000;

pub fn too_many_runs() -> String {
    format!(
        "holds more than {MOST_RUNS} runs\nis the column of runs the right one? read them from several files if it is"
    )
}

/// Why a ranking cannot be taken.
pub enum Trouble {
    TooManyRuns,
    Twice(Twice, Vec<u8>),
    /// The topic was there before.
    Scattered(Vec<u8>),
    TooManyNames,
}

/// One run of those that a file holds.
struct Part<'a> {
    judge: Judge<'a>,
    /// Topics of the qrels that were there; not a table of all: a file may hold very many runs.
    known: HashSet<usize, foldhash::fast::RandomState>,
    unknown: Names,
    matched: u64,
    unmatched: u64,
}

/// Takes the documents of rankings one after the other and judges each ranking when the next one starts.
pub struct Sink<'a> {
    index: &'a Index,
    options: &'a Options,
    runs: Names,
    parts: Vec<Part<'a>>,
    current: usize,
    /// Whether the current run has no name.
    is_unnamed: bool,
    topic: Vec<u8>,
    /// The topic's number in the qrels, or else among those that the qrels lack.
    number: Option<usize>,
    unknown: u32,
    is_open: bool,
    /// How many there were, of all runs.
    rankings: u64,
    pub rows: Vec<Row>,
}

impl<'a> Sink<'a> {
    pub fn new(index: &'a Index, options: &'a Options) -> Self {
        let (runs, parts, rows, topic) = (Names::default(), Vec::new(), Vec::new(), Vec::new());
        Sink {
            index,
            options,
            runs,
            parts,
            current: 0,
            is_unnamed: false,
            topic,
            number: None,
            unknown: 0,
            is_open: false,
            rankings: 0,
            rows,
        }
    }

    /// Go on with a topic of a run; whether it is another than before. The rows so far have their names in `text`.
    #[inline(always)]
    pub fn enter(&mut self, run: &[u8], topic: &[u8], text: &[u8]) -> Result<bool, Trouble> {
        if self.is_open && same(&self.topic, topic) && self.is_same_run(run) {
            return Ok(false);
        }
        self.close(text)?;
        let (number, new) = self.runs.add(self.index.seed.hash(run), run).ok_or(Trouble::TooManyNames)?;
        if new {
            if self.parts.len() >= MOST_RUNS {
                return Err(Trouble::TooManyRuns);
            }
            self.parts.push(Part {
                judge: Judge::new(self.index, self.options),
                known: HashSet::default(),
                unknown: Names::default(),
                matched: 0,
                unmatched: 0,
            });
        }
        self.current = number as usize;
        self.is_unnamed = run.is_empty();
        self.topic.clear();
        self.topic.extend_from_slice(topic);
        self.number = self.index.topic(topic);
        let part = &mut self.parts[self.current];
        let new = match self.number {
            Some(number) => part.known.insert(number),
            None => {
                let (unknown, new) =
                    part.unknown.add(self.index.seed.hash(topic), topic).ok_or(Trouble::TooManyNames)?;
                self.unknown = unknown;
                new
            }
        };
        self.is_open = true;
        self.rankings += 1;
        if new { Ok(true) } else { Err(Trouble::Scattered(topic.to_vec())) }
    }

    /// Whether the run is the one entered last; most have no name.
    #[inline(always)]
    fn is_same_run(&self, run: &[u8]) -> bool {
        if run.is_empty() { self.is_unnamed } else { !self.is_unnamed && self.runs.get(self.current) == run }
    }

    /// One more document of the topic entered last.
    #[inline(always)]
    pub fn add(&mut self, name: &[u8], start: u32, key: f64, line: u64) {
        let (mut name, mut start) = (name, start);
        if self.options.document_from.is_some() {
            let part = &mut self.parts[self.current];
            match self.options.inner(name) {
                Some(range) => {
                    start += range.start as u32;
                    name = &name[range];
                    part.matched += 1;
                }
                None => part.unmatched += 1,
            }
        }
        self.rows.push(row(self.index, name, start, key, line));
    }

    /// Judge the rows of the topic; those of a topic without judgments are only checked.
    pub fn close(&mut self, text: &[u8]) -> Result<(), Trouble> {
        if !self.is_open {
            return Ok(());
        }
        self.is_open = false;
        let judge = &mut self.parts[self.current].judge;
        let done = judge.known_or_not(self.number, self.unknown, text, &mut self.rows);
        self.rows.clear();
        done.map_err(|twice| Trouble::Twice(twice, self.topic.clone()))
    }

    /// How many rankings and runs there were.
    fn counts(&self) -> (u64, u64) {
        (self.rankings, self.parts.len() as u64)
    }

    /// How many bytes the names take that are listed and not yet handed out.
    fn listed(&self) -> usize {
        self.parts.iter().map(|part| part.judge.hits.names.len()).sum()
    }

    /// The rankings listed so far.
    fn hand_out(&mut self) -> Vec<Found> {
        let each = self.runs.iter().zip(&mut self.parts).filter(|(_, part)| !part.judge.hits.segments.is_empty());
        each.map(|(run, part)| {
            let hits = std::mem::take(&mut part.judge.hits);
            let name = |topic: u32| part.unknown.get(topic as usize).to_vec();
            let topics = hits.segments.iter().map(|segment| name(segment.topic)).collect();
            Found { run: run.to_vec(), hits, topics, ..Found::default() }
        })
        .collect()
    }

    pub fn finish(self) -> Vec<Found> {
        let each = self.runs.iter().zip(self.parts);
        each.map(|(run, part)| Found {
            run: run.to_vec(),
            dropped: part.judge.dropped,
            hits: part.judge.hits,
            unknown: part.unknown,
            matched: part.matched,
            unmatched: part.unmatched,
            ..Found::default()
        })
        .collect()
    }
}

/// The kind of errors about a document that stands in its ranking twice.
pub const TWICE: &str = "document twice";

/// What to do about a document that stands in its ranking twice.
pub fn once() -> [Fragment; 2] {
    let duplicates = Setting::new("duplicates", "best");
    ["a ranking holds each document once: keep the better one, or read with ".into(), duplicates.into()]
}

fn refused(trouble: Trouble, entries: &impl Entries) -> ReadError {
    let before = entries.lines_before();
    match trouble {
        Trouble::Scattered(topic) if entries.topics_stand_together() => ReadError::duplicate(format!(
            "{}: topic {} is there twice\nput its documents together",
            entries.name(),
            shown(&topic)
        )),
        Trouble::Scattered(_) => ReadError::Scattered,
        Trouble::TooManyRuns => ReadError::format(format!("{}: {}", entries.name(), too_many_runs())),
        Trouble::TooManyNames => {
            ReadError::format(format!("{}: the names of runs take more than 4 GiB", entries.name()))
        }
        Trouble::Twice(twice, topic) => {
            let line = u64::from(twice.lines.1) + before;
            let sentence = format!(
                "document {} stands a second time in topic {} (first in line {})",
                shown(&twice.name),
                shown(&topic),
                u64::from(twice.lines.0) + before
            );
            let place = Place { file: entries.name(), line, column: 0, text: b"" };
            ReadError::duplicate(place.message(sentence, &once()).kind(TWICE))
        }
    }
}

fn with_about(mut runs: Vec<Found>, about: About) -> Vec<Found> {
    if runs.is_empty() {
        runs.push(Found::default()); // a piece of a file may hold no line
    }
    let last = runs.len() - 1;
    for run in &mut runs[..last] {
        run.about.form = about.form.clone();
        run.about.order = about.order;
    }
    runs[last].about = about;
    runs
}

/// Judge topics as they go by; `after` is called whenever one has ended.
fn stream<'a, E: Entries>(
    mut entries: E,
    index: &'a Index,
    options: &'a Options,
    mut after: impl FnMut(&mut Sink<'a>) -> Result<(), ReadError>,
) -> Result<Vec<Found>, ReadError> {
    let mut sink = Sink::new(index, options);
    let mut kept_from = 0;
    loop {
        let keep = if sink.rows.is_empty() { None } else { Some(kept_from) };
        match entries.next(keep)? {
            Event::Entry(entry) => {
                match sink.enter(entries.part(), entries.topic(), entries.text()) {
                    Ok(false) => {}
                    Ok(true) => {
                        kept_from = entry.start;
                        let (rankings, runs) = sink.counts();
                        entries.check_rankings(rankings, runs)?;
                        after(&mut sink)?;
                    }
                    Err(trouble) => return Err(refused(trouble, &entries)),
                }
                let name = &entries.text()[entry.document.0..entry.document.1];
                sink.add(name, entry.document.0 as u32, entry.key, entry.line);
            }
            Event::Empty => {
                sink.enter(entries.part(), entries.topic(), entries.text()).map_err(|why| refused(why, &entries))?;
                let (rankings, runs) = sink.counts();
                entries.check_rankings(rankings, runs)?;
            }
            Event::Moved(by) => {
                for row in &mut sink.rows {
                    row.start -= by as u32;
                }
                kept_from = 0;
            }
            Event::End => break,
        }
    }
    sink.close(entries.text()).map_err(|why| refused(why, &entries))?;
    Ok(with_about(sink.finish(), entries.finish()?))
}

fn gather<E: Entries>(mut entries: E, index: &Index, options: &Options) -> Result<Vec<Found>, ReadError> {
    let (mut runs, mut gathered) = (Names::default(), Vec::<Gathered>::new());
    let mut rankings = 0;
    loop {
        let entry = match entries.next(None)? {
            Event::Entry(entry) => Some(entry),
            Event::Empty => None,
            Event::Moved(_) => continue,
            Event::End => break,
        };
        let run = entries.part();
        let Some((number, new)) = runs.add(index.seed.hash(run), run) else {
            return Err(refused(Trouble::TooManyNames, &entries));
        };
        if new {
            if gathered.len() >= MOST_RUNS {
                return Err(refused(Trouble::TooManyRuns, &entries));
            }
            gathered.push(Gathered::default());
        }
        let into = &mut gathered[number as usize];
        let before = into.topics.len();
        let fits = match entry {
            Some(entry) => {
                let name = &entries.text()[entry.document.0..entry.document.1];
                into.add(index, options, entries.topic(), name, entry.key, entry.line)
            }
            None => into.enter(index, entries.topic()).is_some(),
        };
        if !fits {
            return Err(ReadError::format(format!(
                "{}: the documents of topic {} take more than 4 GiB, which is more than can be read",
                entries.name(),
                shown(entries.topic())
            )));
        }
        if into.topics.len() > before {
            rankings += 1;
            entries.check_rankings(rankings, gathered.len() as u64)?;
        }
    }
    let mut judged = Vec::with_capacity(gathered.len());
    for (run, gathered) in runs.iter().zip(gathered) {
        let found = gathered.judge(index, options).map_err(|trouble| refused(trouble, &entries))?;
        judged.push(Found { run: run.to_vec(), ..found });
    }
    Ok(with_about(judged, entries.finish()?))
}

/// Retrieved documents whose topics come in any order, held until all are there.
#[derive(Default)]
pub struct Gathered {
    names: Names,
    topics: Vec<(Vec<u8>, Vec<Row>)>,
    matched: u64,
    unmatched: u64,
}

impl Gathered {
    /// The number of a topic, which is made known; None where there is no room for its name.
    fn enter(&mut self, index: &Index, topic: &[u8]) -> Option<usize> {
        let (number, new) = self.names.add(index.seed.hash(topic), topic)?;
        if new {
            self.topics.push((Vec::new(), Vec::new()));
        }
        Some(number as usize)
    }

    /// Take a document; false where its topic has grown past what can be held.
    pub fn add(
        &mut self,
        index: &Index,
        options: &Options,
        topic: &[u8],
        document: &[u8],
        key: f64,
        line: u64,
    ) -> bool {
        let Some(number) = self.enter(index, topic) else {
            return false;
        };
        let (text, rows) = &mut self.topics[number];
        let Ok(start) = u32::try_from(text.len()) else {
            return false;
        };
        let mut name = document;
        if options.document_from.is_some() {
            match options.inner(document) {
                Some(range) => {
                    name = &document[range];
                    self.matched += 1;
                }
                None => self.unmatched += 1,
            }
        }
        text.extend_from_slice(name);
        rows.push(row(index, name, start, key, line));
        true
    }

    /// Hits of all topics, and the topics without judgments.
    pub fn judge(self, index: &Index, options: &Options) -> Result<Found, Trouble> {
        let mut judge = Judge::new(index, options);
        let mut unknown = Names::default();
        for (name, (text, mut rows)) in self.names.iter().zip(self.topics) {
            let known = index.topic(name);
            let place = match known {
                Some(_) => 0,
                None => unknown.add(index.seed.hash(name), name).ok_or(Trouble::TooManyNames)?.0,
            };
            let done = judge.known_or_not(known, place, &text, &mut rows);
            done.map_err(|twice| Trouble::Twice(twice, name.to_vec()))?;
        }
        let (matched, unmatched, dropped) = (self.matched, self.unmatched, judge.dropped);
        Ok(Found { hits: judge.hits, unknown, matched, unmatched, dropped, ..Found::default() })
    }
}
