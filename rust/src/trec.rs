//! TREC files, line by line: `topic Q0 document rank score tag`. Any run of blanks separates.

use crate::dialect::{Dialect, Order};
use crate::entries::{About, Described, Entries, Entry, Event, Request};
use crate::error::{Fragment, Place, Problem, ReadError, Setting, shown};
use crate::fields::{Span, same, split};
use crate::index::{Odd, nul_found};
use crate::marks::Marks;
use crate::number;
use crate::pieces;
use crate::source::Source;
use crate::window::{LONGEST_LINE, Window, too_long};

const LAYOUT: &str = "topic Q0 document rank score tag";

pub struct TrecRun<'a> {
    window: Window<'a>,
    marks: Marks,
    source: &'a Source,
    order: Order,
    dialect: Dialect,
    at: usize,
    lines: u64,
    topic: Span,
    about: About,
}

impl Entries for TrecRun<'_> {
    #[inline(always)]
    fn next(&mut self, keep: Option<usize>) -> Result<Event, ReadError> {
        while self.at < self.window.whole {
            let start = self.at;
            self.lines += 1;
            let number = self.lines;
            // A comment is not asked for: the marks of a line are handed out once.
            if self.window.text[start] != b'#'
                && let Some((spans, next, score)) = self.marks.line(&self.window.text, start, self.window.whole)
            {
                self.at = next;
                return Ok(Event::Entry(self.entry(start, &spans, spans[5].1, score, number)?));
            }
            if let Some(entry) = self.unusual_line(start, number)? {
                return Ok(Event::Entry(entry));
            }
        }
        if self.window.ended() {
            return Ok(Event::End);
        }
        let moved = keep.unwrap_or(self.at);
        self.marks.forget();
        if let Err(error) = self.window.advance(moved) {
            return Err(match error {
                ReadError::LongLine => too_long(&self.place(self.at - moved, 0, self.lines + 1)),
                other => other,
            });
        }
        self.at -= moved;
        Ok(Event::Moved(moved))
    }

    fn text(&self) -> &[u8] {
        &self.window.text
    }

    fn topic(&self) -> &[u8] {
        self.field(self.topic)
    }

    fn name(&self) -> &str {
        &self.window.name
    }

    fn check_rankings(&self, rankings: u64, runs: u64) -> Result<(), ReadError> {
        self.window.check_rankings(rankings, runs)
    }

    fn lines_before(&self) -> u64 {
        pieces::lines_before(self.source)
    }

    fn line_of(&self, entry: &Entry) -> Place<'_> {
        self.place(entry.start, entry.document.0, entry.line)
    }

    fn finish(self) -> Result<About, ReadError> {
        if self.about.last_tag.is_empty() && self.source.piece.is_none() {
            return Err(ReadError::format(format!("{}: expected: {LAYOUT}, found no line at all", self.window.name)));
        }
        Ok(self.about)
    }
}

impl<'a> TrecRun<'a> {
    pub fn new(window: Window<'a>, source: &'a Source, request: &Request) -> Result<Self, ReadError> {
        let order = request.order(source, true, true)?;
        let form = Described { form: "trec", columns: Vec::new() };
        let about = About { form, order, ..About::default() };
        Ok(TrecRun {
            window,
            marks: Marks::new(Some(4)),
            source,
            order,
            dialect: request.dialect,
            at: 0,
            lines: 0,
            topic: (0, 0),
            about,
        })
    }

    fn field(&self, span: Span) -> &[u8] {
        &self.window.text[span.0..span.1]
    }

    #[inline(always)]
    fn entry(
        &mut self,
        start: usize,
        spans: &[Span; 6],
        tag_end: usize,
        score: f64,
        line: u64,
    ) -> Result<Entry, ReadError> {
        self.note_tag((spans[5].0, tag_end));
        let key = self.key(start, spans, score, line)?;
        self.topic = spans[0];
        Ok(Entry { start, document: spans[2], key, line })
    }

    /// A line that has more blanks than it needs, or is none of a run; None where it is to be skipped.
    #[inline(never)]
    fn unusual_line(&mut self, start: usize, number: u64) -> Result<Option<Entry>, ReadError> {
        if self.window.text[start] == b'\n' {
            self.at = start + 1;
            self.marks.skip_to(self.at);
            return Ok(None);
        }
        if let Some((spans, next, score)) = self.marks.spaced_line(&self.window.text, start, self.window.whole)
            && self.window.text[spans[0].0] != b'#'
        {
            self.at = next;
            return self.entry(start, &spans, spans[5].1, score, number).map(Some);
        }
        let end = self.window.line_end(start);
        self.at = end + 1;
        self.marks.skip_to(self.at);
        match self.unusual(start, end, number)? {
            None => Ok(None),
            Some((spans, tag_end)) => self.entry(start, &spans, tag_end, f64::NAN, number).map(Some),
        }
    }

    /// Columns of a line that `Marks` did not take, and where its tag ends; None where it is to be skipped.
    #[cold]
    #[inline(never)]
    fn unusual(&self, start: usize, end: usize, number: u64) -> Result<Option<([Span; 6], usize)>, ReadError> {
        let (spans, count) = split::<6>(&self.window.text, start, end);
        if count == 0 || (self.dialect.comments && self.window.text[spans[0].0] == b'#') {
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
            let hint = if count == 1 && !self.dialect.lenient { unknown_names(line) } else { Vec::new() };
            return Err(ReadError::at(&self.place(start, 0, number), Problem::layout(LAYOUT, columns), &hint));
        }
        let blanks = line.iter().rev().take_while(|&&byte| crate::fields::is_blank(byte)).count();
        let tag_end = if self.dialect.lenient { spans[5].1 } else { end - blanks };
        Ok(Some((spans, tag_end)))
    }

    #[inline(always)]
    fn key(&mut self, start: usize, spans: &[Span; 6], score: f64, line: u64) -> Result<f64, ReadError> {
        let order = self.order;
        let score = if score.is_nan() { self.score(start, spans[4], line)? } else { score };
        if order == Order::Score {
            return Ok(order.key(score, 0.0, line));
        }
        let rank = if order == Order::Rank { self.rank(start, spans[3], line)? } else { 0.0 };
        Ok(order.key(score, rank, line))
    }

    #[inline(never)]
    fn score(&mut self, start: usize, span: Span, line: u64) -> Result<f64, ReadError> {
        match number::strict(self.field(span)) {
            Some(score) if !score.is_nan() => Ok(score),
            _ => self.odd_score(start, span, line),
        }
    }

    #[cold]
    #[inline(never)]
    fn odd_score(&mut self, start: usize, span: Span, line: u64) -> Result<f64, ReadError> {
        let words = shown(self.field(span));
        if !self.dialect.lenient {
            let problem = Problem::new("score", "a number as score", words);
            return Err(ReadError::at(&self.place(start, span.0, line), problem, &layout_hint(LAYOUT)));
        }
        let (score, _) = number::like_atof(self.field(span));
        // No order contains NaN: it goes last.
        let score = if score.is_nan() { f64::NEG_INFINITY } else { score };
        if self.about.odd.count == 0 {
            let place = self.place(start, span.0, line);
            self.about.odd.first = place.text(&format!("score {words} is read as {score}"));
        }
        self.about.odd.count += 1;
        Ok(score)
    }

    fn rank(&self, start: usize, span: Span, line: u64) -> Result<f64, ReadError> {
        number::strict(self.field(span)).filter(|rank| !rank.is_nan()).ok_or_else(|| {
            let problem = Problem::new("rank", "a number as rank", shown(self.field(span)));
            ReadError::at(&self.place(start, span.0, line), problem, &layout_hint(LAYOUT))
        })
    }

    /// A place for messages: the line that starts at `start`, and where in it (0: all of it).
    fn place(&self, start: usize, at: usize, line: u64) -> Place<'_> {
        let end = self.window.line_end(start);
        let column = if at == 0 { 0 } else { at - start + 1 };
        let line = line + pieces::lines_before(self.source);
        Place { file: &self.window.name, line, column, text: &self.window.text[start..end] }
    }

    #[inline(always)]
    fn note_tag(&mut self, span: Span) {
        let tag = &self.window.text[span.0..span.1];
        if same(tag, &self.about.last_tag) {
            return;
        }
        self.note_other_tag(span);
    }

    #[cold]
    #[inline(never)]
    fn note_other_tag(&mut self, span: Span) {
        let tag = &self.window.text[span.0..span.1];
        if self.about.first_tag.is_empty() {
            self.about.first_tag = tag.to_vec();
        } else if self.about.other_tag.is_empty() && tag != self.about.first_tag.as_slice() {
            self.about.other_tag = tag.to_vec();
        }
        self.about.last_tag.clear();
        self.about.last_tag.extend_from_slice(tag);
    }
}

/// The layout of lines, below one with a field that is not as it should be.
fn layout_hint(layout: &str) -> [Fragment; 1] {
    [format!("expected: {layout}").into()]
}

/// What to do about a line of a table whose columns are not known.
fn unknown_names(line: &[u8]) -> Vec<Fragment> {
    match memchr::memchr2(b',', b';', line) {
        Some(_) => vec![
            "if this is a table, name its columns, by name or by number from 1: ".into(),
            Setting::new("columns", "topic=1,document=2,score=3").into(),
            ", or of qrels ".into(),
            Setting::new("columns", "").option("--qrels-columns").into(),
        ],
        None => Vec::new(),
    }
}

const JUDGMENT: &str = "topic iteration document grade";
const PREFERENCE_LINE: &str = "topic assessor list document level";
const PREFERENCE: usize = 5;

/// Qrels, `topic iteration document grade`, or with five columns preferences, `topic assessor list document level`.
pub struct TrecQrels<'a, const COLUMNS: usize> {
    window: Window<'a>,
    marks: Marks,
    dialect: Dialect,
    at: usize,
    line: u64,
    topic: Span,
    part: Span,
    list: Span,
    any: bool,
    odd: Odd,
}

impl<const COLUMNS: usize> Entries for TrecQrels<'_, COLUMNS> {
    #[inline(always)]
    fn next(&mut self, _keep: Option<usize>) -> Result<Event, ReadError> {
        while self.at < self.window.whole {
            self.line += 1;
            let start = self.at;
            let mut line = self.marks.line(&self.window.text, start, self.window.whole);
            if line.is_none() {
                line = self.marks.spaced_line(&self.window.text, start, self.window.whole);
            }
            let (spans, end) = match line {
                Some((spans, next, _)) if self.window.text[spans[0].0] != b'#' => {
                    self.at = next;
                    (spans, next - 1)
                }
                _ => {
                    let end = self.window.line_end(start);
                    self.at = end + 1;
                    self.marks.skip_to(self.at);
                    match self.unusual(start, end)? {
                        None => continue,
                        Some(spans) => (spans, end),
                    }
                }
            };
            let key = self.grade(start, spans[COLUMNS - 1], end)?;
            self.topic = spans[0];
            self.part = spans[1];
            self.list = spans[2];
            self.any = true;
            return Ok(Event::Entry(Entry { start, document: spans[COLUMNS - 2], key, line: self.line }));
        }
        if self.window.ended() {
            return Ok(Event::End);
        }
        let moved = self.at;
        self.marks.forget();
        self.window.advance(moved).map_err(|error| self.window.at_line(error, self.line + 1))?;
        self.at = 0;
        Ok(Event::Moved(moved))
    }

    fn text(&self) -> &[u8] {
        &self.window.text
    }

    fn topic(&self) -> &[u8] {
        &self.window.text[self.topic.0..self.topic.1]
    }

    fn part(&self) -> &[u8] {
        // trec_eval looks at this column only where it is told to.
        if self.dialect.lenient { b"" } else { &self.window.text[self.part.0..self.part.1] }
    }

    fn list(&self) -> &[u8] {
        if COLUMNS == PREFERENCE { &self.window.text[self.list.0..self.list.1] } else { b"" }
    }

    fn name(&self) -> &str {
        &self.window.name
    }

    fn check_rankings(&self, rankings: u64, runs: u64) -> Result<(), ReadError> {
        self.window.check_rankings(rankings, runs)
    }

    fn line_of(&self, entry: &Entry) -> Place<'_> {
        self.place(entry.start, self.window.line_end(entry.start), entry.document.0)
    }

    fn finish(self) -> Result<About, ReadError> {
        if !self.any {
            let words = format!("{}: expected: {}, found no judgment at all", self.window.name, Self::LAYOUT);
            return Err(ReadError::format(words));
        }
        let form = if COLUMNS == PREFERENCE { "prefs" } else { "trec" };
        let form = Described { form, columns: Vec::new() };
        Ok(About { odd: self.odd, form, ..About::default() })
    }
}

impl<'a, const COLUMNS: usize> TrecQrels<'a, COLUMNS> {
    const LAYOUT: &'static str = if COLUMNS == PREFERENCE { PREFERENCE_LINE } else { JUDGMENT };

    pub fn new(window: Window<'a>, dialect: Dialect) -> Self {
        let nowhere = (0, 0);
        let (topic, part, list) = (nowhere, nowhere, nowhere);
        TrecQrels {
            window,
            marks: Marks::new(None),
            dialect,
            at: 0,
            line: 0,
            topic,
            part,
            list,
            any: false,
            odd: Odd::default(),
        }
    }

    fn place(&self, start: usize, end: usize, at: usize) -> Place<'_> {
        let column = if at == 0 { 0 } else { at - start + 1 };
        Place { file: &self.window.name, line: self.line, column, text: &self.window.text[start..end] }
    }

    #[inline(always)]
    fn grade(&mut self, start: usize, span: Span, end: usize) -> Result<f64, ReadError> {
        if self.dialect.lenient {
            return Ok(self.lenient_grade(start, span, end));
        }
        match number::strict(&self.window.text[span.0..span.1]) {
            Some(grade) if grade.is_finite() => Ok(grade),
            _ => Err(self.no_grade(start, span, end)),
        }
    }

    #[cold]
    #[inline(never)]
    fn no_grade(&self, start: usize, span: Span, end: usize) -> ReadError {
        let problem = Problem::new("", "a finite number as grade", shown(&self.window.text[span.0..span.1]));
        ReadError::at(&self.place(start, end, span.0), problem, &layout_hint(Self::LAYOUT))
    }

    /// The grade as trec_eval reads it.
    fn lenient_grade(&mut self, start: usize, span: Span, end: usize) -> f64 {
        let text = &self.window.text[span.0..span.1];
        let (grade, whole) = number::like_atol(text);
        if !whole {
            let words = self.place(start, end, span.0).text(&format!("grade {} is read as {grade}", shown(text)));
            self.odd.note(|| words);
        }
        grade
    }

    /// Columns of a line that `Marks` did not take; None where it is to be skipped.
    #[cold]
    #[inline(never)]
    fn unusual(&self, start: usize, end: usize) -> Result<Option<[Span; COLUMNS]>, ReadError> {
        let (spans, count) = split::<COLUMNS>(&self.window.text, start, end);
        let comment = self.dialect.comments && count > 0 && self.window.text[spans[0].0] == b'#';
        if comment || (count == 0 && self.dialect.blank_qrels) {
            return Ok(None);
        }
        let place = self.place(start, end, 0);
        if let Some(nul) = memchr::memchr(0, place.text) {
            return Err(nul_found(&Place { column: nul + 1, ..place }));
        }
        if place.text.len() > LONGEST_LINE {
            return Err(too_long(&place));
        }
        if count != COLUMNS {
            let columns = if count == 1 { "1 column".to_string() } else { format!("{count} columns") };
            let hint = match count {
                _ if self.dialect.lenient => Vec::new(),
                1 => unknown_names(place.text),
                PREFERENCE => vec![
                    format!("if these are preferences ({PREFERENCE_LINE}): ").into(),
                    Setting::new("form", "prefs").option("--qrels-form").into(),
                ],
                _ => Vec::new(),
            };
            return Err(ReadError::at(&place, Problem::layout(Self::LAYOUT, columns), &hint));
        }
        Ok(Some(spans))
    }
}
