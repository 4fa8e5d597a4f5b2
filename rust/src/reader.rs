//! A TREC run in one pass: split, parse, judge topic by topic.

use crate::dialect::{Dialect, Order};
use crate::error::{Place, ReadError, shown};
use crate::fields::{Span, split, split_usual};
use crate::index::{Index, Odd, nul_found};
use crate::judge::{Hits, Judge, Row, Twice, UNJUDGED};
use crate::names::Names;
use crate::number;
use crate::pieces;
use crate::source::Source;
use crate::window::{LONGEST_LINE, Window, too_long};
use std::sync::atomic::AtomicBool;

const EXPECTED: &str = "expected: topic Q0 document rank score tag";

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub order: Order,
    pub dialect: Dialect,
    pub depth: Option<usize>,
    pub keep_documents: bool,
    /// What each judged document was ordered by: its score, unless the order is another.
    pub keep_scores: bool,
}

/// A run that has been read and judged.
#[derive(Default)]
pub struct Found {
    pub hits: Hits,
    pub first_tag: Vec<u8>,
    pub last_tag: Vec<u8>,
    /// The first tag that differs from the first; empty where all lines have one tag.
    pub other_tag: Vec<u8>,
    /// Topics without judgments.
    pub unknown: Names,
    pub lines: u64,
    pub odd: Odd,
}

/// Judge a run. Topics are judged one by one as they go by; where a topic comes back later in the file, it is read
/// again with all lines gathered first. What cannot be read twice is gathered from the start.
pub fn read(source: &Source, index: &Index, options: Options, cancel: &AtomicBool) -> Result<Found, ReadError> {
    let open = || Lines::open(source, options, cancel);
    if source.rereadable() {
        match stream(open()?, index, options) {
            // A piece does not hold all lines of a topic that comes back: the whole file is to be gathered.
            Err(ReadError::Scattered) if source.piece.is_none() => {}
            found => return found,
        }
    }
    gather(open()?, index, options)
}

impl Found {
    /// Take over what was found in the next piece of the same file; false where a topic is in both.
    pub fn append(&mut self, next: Found, index: &Index) -> bool {
        let apart =
            next.unknown.iter().all(|name| self.unknown.add(index.seed.hash(name), name).is_some_and(|(_, new)| new));
        if self.first_tag.is_empty() {
            self.first_tag.clone_from(&next.first_tag);
        }
        if self.other_tag.is_empty() {
            self.other_tag = if next.first_tag == self.first_tag { next.other_tag } else { next.first_tag };
        }
        if !next.last_tag.is_empty() {
            self.last_tag = next.last_tag;
        }
        self.odd.count += next.odd.count;
        if self.odd.first.is_empty() {
            self.odd.first = next.odd.first;
        }
        self.hits.append(next.hits);
        let mut topics: Vec<u32> = self.hits.segments.iter().map(|segment| segment.topic).collect();
        topics.sort_unstable();
        apart && topics.windows(2).all(|pair| pair[0] != pair[1])
    }
}

/// One line of a run; spans are places in the window's text.
struct Line {
    start: usize,
    topic: Span,
    document: Span,
    key: f64,
    number: u64,
}

enum Event {
    Line(Line),
    /// The window moved on: places are smaller by this much.
    Moved(usize),
    End,
}

struct Lines<'a> {
    window: Window<'a>,
    source: &'a Source,
    options: Options,
    at: usize,
    found: Found,
}

impl<'a> Lines<'a> {
    fn open(source: &'a Source, options: Options, cancel: &'a AtomicBool) -> Result<Self, ReadError> {
        Ok(Lines { window: Window::open(source, cancel)?, source, options, at: 0, found: Found::default() })
    }

    /// The next line; the text from `keep` on stays readable.
    #[inline(always)]
    fn next(&mut self, keep: Option<usize>) -> Result<Event, ReadError> {
        while self.at < self.window.whole {
            let start = self.at;
            self.found.lines += 1;
            let number = self.found.lines;
            let (spans, tag_end) = match split_usual::<6>(&self.window.text, start) {
                Some((spans, next)) if self.window.text[start] != b'#' => {
                    self.at = next;
                    (spans, spans[5].1)
                }
                _ => {
                    let end = self.window.line_end(start);
                    self.at = end + 1;
                    match self.unusual(start, end, number)? {
                        None => continue,
                        Some(found) => found,
                    }
                }
            };
            self.note_tag((spans[5].0, tag_end));
            let key = self.key(start, &spans, number)?;
            return Ok(Event::Line(Line { start, topic: spans[0], document: spans[2], key, number }));
        }
        if self.window.ended() {
            return Ok(Event::End);
        }
        let moved = keep.unwrap_or(self.at);
        if let Err(error) = self.window.advance(moved) {
            return Err(match error {
                ReadError::LongLine => too_long(&self.place(self.at - moved, 0, self.found.lines + 1)),
                other => other,
            });
        }
        self.at -= moved;
        Ok(Event::Moved(moved))
    }

    fn text(&self, span: Span) -> &[u8] {
        &self.window.text[span.0..span.1]
    }

    /// Columns of a line that `split_usual` did not take, and where its tag ends; None where it is to be skipped.
    #[cold]
    #[inline(never)]
    fn unusual(&self, start: usize, end: usize, number: u64) -> Result<Option<([Span; 6], usize)>, ReadError> {
        let (spans, count) = split::<6>(&self.window.text, start, end);
        if count == 0 || (self.options.dialect.comments && self.window.text[spans[0].0] == b'#') {
            return Ok(None);
        }
        let line = &self.window.text[start..end];
        if let Some(nul) = memchr::memchr(0, line) {
            return Err(nul_found(&self.place(start, start + nul, number)));
        }
        if line.len() > LONGEST_LINE {
            return Err(too_long(&self.place(start, 0, number)));
        }
        if count < 6 {
            let columns = if count == 1 { "1 column".to_string() } else { format!("{count} columns") };
            return Err(ReadError::format(&self.place(start, 0, number), &format!("{EXPECTED}, found {columns}"), ""));
        }
        let blanks = line.iter().rev().take_while(|&&byte| crate::fields::is_blank(byte)).count();
        let tag_end = if self.options.dialect.lenient { spans[5].1 } else { end - blanks };
        Ok(Some((spans, tag_end)))
    }

    #[inline(always)]
    fn key(&mut self, start: usize, spans: &[Span; 6], line: u64) -> Result<f64, ReadError> {
        let order = self.options.order;
        let score = match number::strict(self.text(spans[4])) {
            Some(score) if !score.is_nan() => score,
            _ => self.odd_score(start, spans[4], line)?,
        };
        let rank = if order == Order::Rank { self.rank(start, spans[3], line)? } else { 0.0 };
        Ok(order.key(score, rank, line))
    }

    #[cold]
    #[inline(never)]
    fn odd_score(&mut self, start: usize, span: Span, line: u64) -> Result<f64, ReadError> {
        let words = shown(self.text(span));
        if !self.options.dialect.lenient {
            let expected = format!("expected a number as score, found {words}");
            return Err(ReadError::format(&self.place(start, span.0, line), &expected, EXPECTED));
        }
        let (score, _) = number::like_atof(self.text(span));
        // No order contains NaN: it goes last.
        let score = if score.is_nan() { f64::NEG_INFINITY } else { score };
        if self.found.odd.count == 0 {
            let place = self.place(start, span.0, line);
            self.found.odd.first = place.message(&format!("score {words} is read as {score}"), "");
        }
        self.found.odd.count += 1;
        Ok(score)
    }

    fn rank(&self, start: usize, span: Span, line: u64) -> Result<f64, ReadError> {
        number::strict(self.text(span)).filter(|rank| !rank.is_nan()).ok_or_else(|| {
            let expected = format!("expected a number as rank, found {}", shown(self.text(span)));
            ReadError::format(&self.place(start, span.0, line), &expected, EXPECTED)
        })
    }

    /// A place for messages: the line that starts at `start`, and where in it (0: all of it).
    fn place(&self, start: usize, at: usize, line: u64) -> Place<'_> {
        let end = self.window.line_end(start);
        let column = if at == 0 { 0 } else { at - start + 1 };
        let line = line + pieces::lines_before(self.source);
        Place { file: &self.window.name, line, column, text: &self.window.text[start..end] }
    }

    fn note_tag(&mut self, span: Span) {
        let tag = &self.window.text[span.0..span.1];
        if tag == self.found.last_tag.as_slice() {
            return;
        }
        if self.found.first_tag.is_empty() {
            self.found.first_tag = tag.to_vec();
        } else if self.found.other_tag.is_empty() && tag != self.found.first_tag.as_slice() {
            self.found.other_tag = tag.to_vec();
        }
        self.found.last_tag.clear();
        self.found.last_tag.extend_from_slice(tag);
    }

    fn twice(&self, twice: &Twice, topic: &[u8]) -> ReadError {
        let before = pieces::lines_before(self.source);
        ReadError::Duplicate(format!(
            "{}, line {}: document {} stands a second time in topic {} (first in line {})\n\
             a ranking holds each document once: keep the better one",
            self.window.name,
            u64::from(twice.lines.1) + before,
            shown(&twice.name),
            shown(topic),
            u64::from(twice.lines.0) + before
        ))
    }

    fn finish(mut self, hits: Hits) -> Result<Found, ReadError> {
        if self.found.last_tag.is_empty() && self.source.piece.is_none() {
            return Err(ReadError::Format(format!("{}: {EXPECTED}, found no line at all", self.window.name)));
        }
        self.found.hits = hits;
        Ok(self.found)
    }
}

pub fn row(index: &Index, name: &[u8], start: u32, key: f64, line: u64) -> Row {
    let line = u32::try_from(line).unwrap_or(u32::MAX);
    Row { key, hash: index.seed.hash(name), start, length: name.len() as u32, line, document: UNJUDGED }
}

fn stream(mut lines: Lines<'_>, index: &Index, options: Options) -> Result<Found, ReadError> {
    let mut judge = Judge::new(index, options);
    let mut known = vec![false; index.topics.len()];
    let mut topic: Vec<u8> = Vec::new();
    let mut number: Option<usize> = None;
    let mut rows: Vec<Row> = Vec::new();
    let mut kept_from = 0;
    loop {
        let keep = if rows.is_empty() { None } else { Some(kept_from) };
        match lines.next(keep)? {
            Event::Line(line) => {
                if rows.is_empty() || lines.text(line.topic) != topic.as_slice() {
                    close(&mut judge, &lines, number, &topic, &mut rows)?;
                    topic.clear();
                    topic.extend_from_slice(lines.text(line.topic));
                    number = index.topic(&topic);
                    let new = match number {
                        Some(known_topic) => !std::mem::replace(&mut known[known_topic], true),
                        None => lines.found.unknown.add(index.seed.hash(&topic), &topic).is_none_or(|(_, new)| new),
                    };
                    if !new {
                        return Err(ReadError::Scattered);
                    }
                    kept_from = line.start;
                }
                let start = line.document.0 as u32;
                rows.push(row(index, lines.text(line.document), start, line.key, line.number));
            }
            Event::Moved(by) => {
                for row in &mut rows {
                    row.start -= by as u32;
                }
                kept_from = 0;
            }
            Event::End => break,
        }
    }
    close(&mut judge, &lines, number, &topic, &mut rows)?;
    lines.finish(judge.hits)
}

/// Judge the rows of one topic; those of a topic without judgments are only checked.
fn close(
    judge: &mut Judge<'_>,
    lines: &Lines<'_>,
    number: Option<usize>,
    topic: &[u8],
    rows: &mut Vec<Row>,
) -> Result<(), ReadError> {
    let done = match number {
        Some(number) => judge.ranking(number, &lines.window.text, rows, true),
        None if lines.options.dialect.lenient => Ok(()),
        None => judge.check_once(&lines.window.text, rows),
    };
    rows.clear();
    done.map_err(|twice| lines.twice(&twice, topic))
}

fn gather(mut lines: Lines<'_>, index: &Index, options: Options) -> Result<Found, ReadError> {
    let mut gathered = Gathered::default();
    loop {
        let line = match lines.next(None)? {
            Event::Line(line) => line,
            Event::Moved(_) => continue,
            Event::End => break,
        };
        let (topic, document) = (lines.text(line.topic), lines.text(line.document));
        if !gathered.add(index, topic, document, line.key, line.number) {
            return Err(ReadError::Format(format!(
                "{}: the documents of topic {} take more than 4 GiB, which is more than can be read",
                lines.window.name,
                shown(topic)
            )));
        }
    }
    let (hits, unknown) = gathered.judge(index, options).map_err(|(twice, topic)| lines.twice(&twice, &topic))?;
    lines.found.unknown = unknown;
    lines.finish(hits)
}

/// Retrieved documents whose topics come in any order, held until all are there.
#[derive(Default)]
pub struct Gathered {
    names: Names,
    topics: Vec<(Vec<u8>, Vec<Row>)>,
}

impl Gathered {
    /// Take a document; false where its topic has grown past what can be held.
    pub fn add(&mut self, index: &Index, topic: &[u8], document: &[u8], key: f64, line: u64) -> bool {
        let Some((number, new)) = self.names.add(index.seed.hash(topic), topic) else {
            return false;
        };
        if new {
            self.topics.push((Vec::new(), Vec::new()));
        }
        let (text, rows) = &mut self.topics[number as usize];
        let Ok(start) = u32::try_from(text.len()) else {
            return false;
        };
        text.extend_from_slice(document);
        rows.push(row(index, document, start, key, line));
        true
    }

    /// Hits of all topics, and the topics without judgments.
    pub fn judge(self, index: &Index, options: Options) -> Result<(Hits, Names), (Twice, Vec<u8>)> {
        let mut judge = Judge::new(index, options);
        let mut unknown = Names::default();
        for (name, (text, mut rows)) in self.names.iter().zip(self.topics) {
            let done = match index.topic(name) {
                Some(number) => judge.ranking(number, &text, &mut rows, true),
                None => {
                    unknown.add(index.seed.hash(name), name);
                    if options.dialect.lenient { Ok(()) } else { judge.check_once(&text, &rows) }
                }
            };
            done.map_err(|twice| (twice, name.to_vec()))?;
        }
        Ok((judge.hits, unknown))
    }
}
