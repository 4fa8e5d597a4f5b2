//! One JSON value: an array of objects, or objects within objects down to documents and their numbers. The file is read as
//! it goes by, an item at a time: it may be one line from its start to its end.

use crate::columns::Kind;
use crate::entries::{About, Entries, Entry, Event, Request};
use crate::error::{Place, Problem, ReadError, shown};
use crate::fields::Span;
use crate::json::{Scan, Scanner, Value, fault};
use crate::json_rows::{Item, Rows, Wrong, spelled};
use crate::names::{Names, Seed};
use crate::source::Source;
use crate::window::{LONGEST_LINE, Window, too_long};

/// What some tools write beside the rankings.
const METADATA: &[u8] = b"mteb_model_meta";
/// Runs may be named by so many keys.
const MOST_LEVELS: usize = 3;

enum Open {
    /// Nothing was read yet.
    Start,
    /// Within the array of rows.
    Rows,
    /// Within an object.
    Object,
    /// Within a list of documents.
    List,
    /// All is closed.
    End,
}

pub struct JsonDocument<'a> {
    window: Window<'a>,
    source: &'a Source,
    rows: Rows,
    at: usize,
    line: u64,
    start: usize,
    open: Open,
    /// For each open object or list, whether nothing of it was read yet.
    is_first: Vec<bool>,
    /// The keys that lead to what is open.
    path: Vec<Vec<u8>>,
    /// How many keys lead to a ranking.
    depth: Option<usize>,
    /// Whether the ranking that is open was begun.
    is_begun: bool,
    seen: Names,
    seed: Seed,
    topic: Vec<u8>,
    part: Vec<u8>,
    pending: Vec<Item>,
    given: usize,
    entries: u64,
    any: bool,
}

/// What one step found.
enum Step {
    Nothing,
    Items(Vec<Item>),
    Empty,
}

impl<'a> JsonDocument<'a> {
    pub fn new(mut window: Window<'a>, source: &'a Source, request: &Request) -> Self {
        window.by_line = false;
        JsonDocument {
            window,
            source,
            rows: Rows::new("json", request),
            at: 0,
            line: 1,
            start: 0,
            open: Open::Start,
            is_first: Vec::new(),
            path: Vec::new(),
            depth: None,
            is_begun: false,
            seen: Names::default(),
            seed: Seed::default(),
            topic: Vec::new(),
            part: Vec::new(),
            pending: Vec::new(),
            given: 0,
            entries: 0,
            any: false,
        }
    }

    fn refused(&self, wrong: Wrong) -> ReadError {
        let (at, kind, expected) = match wrong {
            Wrong::Text(fault) => (fault.at, fault.kind, fault.expected),
            Wrong::Lacking(role) => (self.at, "", format!("expected an object with the {}, found none", role.word())),
            Wrong::Unlike => (self.at, "", "expected no score, as before, found one".into()),
            Wrong::Other(error) => return error,
        };
        let text = self.window.at_hand();
        let passed = &text[self.at.min(at)..at.min(text.len())];
        let line = self.line + memchr::memchr_iter(b'\n', passed).count() as u64;
        let rest = &text[at.min(text.len())..];
        let words = if rest.is_empty() { format!("{expected}, found the end of the file") } else { expected };
        let here = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
        let place = Place { file: &self.window.name, line, column: 0, text: here };
        ReadError::at(&place, Problem { kind, ..words.into() }, &[])
    }

    /// One step on: a key, an item or a bracket.
    fn step(&mut self) -> Result<Step, Wrong> {
        match self.open {
            Open::Start => self.begin(),
            Open::Rows => self.next_row(),
            Open::Object => self.next_key(),
            Open::List => self.next_item(),
            Open::End => {
                let mut scanner = self.scanner();
                match scanner.peek() {
                    None => self.moved_to(scanner.at, scanner.lines).map(|()| Step::Nothing),
                    Some(_) => Ok(fault(scanner.at, "expected nothing after the end of the JSON value")?),
                }
            }
        }
    }

    fn scanner(&self) -> Scanner<'_> {
        Scanner::new(&self.window.text, self.at, self.window.at_hand().len())
    }

    /// An error where an item ends with the text at hand: the rest of it may be still to come.
    fn check_whole(&self, at: usize) -> Result<(), Wrong> {
        if at >= self.window.at_hand().len() && !self.window.ended() {
            return Ok(fault(at, "expected more text")?);
        }
        Ok(())
    }

    /// Go on after an item that is whole.
    fn moved_to(&mut self, at: usize, lines: u64) -> Result<(), Wrong> {
        self.check_whole(at)?;
        self.start = self.at;
        self.at = at;
        self.line += lines;
        Ok(())
    }

    fn begin(&mut self) -> Result<Step, Wrong> {
        let mut scanner = self.scanner();
        while scanner.peek() == Some(b'#') {
            let rest = &self.window.at_hand()[scanner.at..];
            scanner.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        }
        let open = match scanner.peek() {
            Some(b'{') => Open::Object,
            Some(b'[') => Open::Rows,
            _ => return Ok(fault(scanner.at, "expected an object or an array")?),
        };
        let (at, lines) = (scanner.at + 1, scanner.lines);
        self.moved_to(at, lines)?;
        self.open = open;
        self.is_first.push(true);
        Ok(Step::Nothing)
    }

    fn was_first(&self) -> bool {
        self.is_first.last().copied().unwrap_or(true)
    }

    fn now_within(&mut self) {
        if let Some(first) = self.is_first.last_mut() {
            *first = false;
        }
    }

    fn next_row(&mut self) -> Result<Step, Wrong> {
        let is_first = self.was_first();
        let mut scanner = self.scanner();
        let goes_on = scanner.next_item(is_first)?;
        let value = if goes_on { Some(scanner.value()?) } else { None };
        let (at, lines) = (scanner.at, scanner.lines);
        let Some(value) = value else {
            self.moved_to(at, lines)?;
            self.open = Open::End;
            return Ok(Step::Nothing);
        };
        let Value::Object(span) = value else {
            return Ok(fault(value.span().0, "expected an object in braces")?);
        };
        self.check_whole(at)?; // before names are decoded in their places
        let fields = self.rows.fields(&self.window.text, span, |_| ())?;
        let row = self.rows.row(&mut self.window.text, span.0, &fields, self.source)?;
        self.moved_to(at, lines)?;
        self.now_within();
        self.topic = self.window.text[row.topic.0..row.topic.1].to_vec();
        self.part = self.window.text[row.part.0..row.part.1].to_vec();
        Ok(if row.items.is_empty() { Step::Empty } else { Step::Items(row.items) })
    }

    fn next_key(&mut self) -> Result<Step, Wrong> {
        let is_first = self.was_first();
        let mut scanner = self.scanner();
        let Some((key, escaped)) = scanner.next_key(is_first)? else {
            let (at, lines) = (scanner.at, scanner.lines);
            self.moved_to(at, lines)?;
            return self.close(is_first);
        };
        let value = match scanner.peek() {
            Some(b'{' | b'[') if !self.is_metadata(key, escaped)? => None,
            _ => Some(scanner.value()?),
        };
        let opened = scanner.peek();
        let (at, lines) = (scanner.at + usize::from(value.is_none()), scanner.lines);
        if value.is_some() && self.is_metadata(key, escaped)? {
            self.moved_to(at, lines)?;
            self.now_within();
            return Ok(Step::Nothing);
        }
        let Some(value) = value else {
            let name = self.key_name(key, escaped)?;
            self.moved_to(at, lines)?;
            self.now_within();
            return self.enter(name, opened == Some(b'['), key.0).map(|()| Step::Nothing);
        };
        if !matches!(value, Value::Number(_)) {
            return Ok(fault(value.span().0, "expected a number, or an object or list of documents")?);
        }
        self.ranking_at(self.path.len(), key.0)?;
        self.check_whole(at)?;
        let item = self.rows.pair(&mut self.window.text, Value::Text(key, escaped), value, self.source)?;
        self.moved_to(at, lines)?;
        self.now_within();
        self.begin_ranking()?;
        Ok(Step::Items(vec![item]))
    }

    fn is_metadata(&self, key: Span, escaped: bool) -> Scan<bool> {
        Ok(self.path.is_empty() && *spelled(&self.window.text, key, escaped)? == *METADATA)
    }

    fn key_name(&self, key: Span, escaped: bool) -> Scan<Vec<u8>> {
        if key.0 == key.1 {
            return fault(key.0, "expected a name, found an empty text");
        }
        Ok(spelled(&self.window.text, key, escaped)?.into_owned())
    }

    fn enter(&mut self, name: Vec<u8>, is_list: bool, at: usize) -> Result<(), Wrong> {
        let most = if self.rows.kind == Kind::Qrels { 1 } else { MOST_LEVELS };
        if self.path.len() == most || self.depth.is_some_and(|depth| self.path.len() >= depth) {
            return Ok(fault(at, "expected a number, found an object or a list")?);
        }
        self.path.push(name);
        self.is_first.push(true);
        self.is_begun = false;
        self.open = if is_list { Open::List } else { Open::Object };
        if is_list { self.ranking_at(self.path.len(), at) } else { Ok(()) }
    }

    /// Documents stand here: there must be a topic above, and as many keys as above all others.
    fn ranking_at(&mut self, depth: usize, at: usize) -> Result<(), Wrong> {
        if depth == 0 {
            return Ok(fault(at, "expected the documents of a topic, found a number")?);
        }
        if *self.depth.get_or_insert(depth) != depth {
            return Ok(fault(at, "expected documents at one level of nesting")?);
        }
        Ok(())
    }

    /// The ranking that is open, if this is its first document: its topic may not have been there before.
    fn begin_ranking(&mut self) -> Result<(), Wrong> {
        if std::mem::replace(&mut self.is_begun, true) {
            return Ok(());
        }
        let Some((topic, runs)) = self.path.split_last() else { return Ok(()) };
        self.topic.clone_from(topic);
        self.part = runs.join(&b'/');
        let whole = self.path.join(&0);
        if self.seen.add(self.seed.hash(&whole), &whole).is_some_and(|(_, new)| new) {
            return Ok(());
        }
        let words = format!("{}, line {}: topic {} is there twice", self.window.name, self.line, shown(&self.topic));
        Err(Wrong::Other(ReadError::duplicate(format!("{words}\nput its documents together"))))
    }

    /// An object or a list has ended.
    fn close(&mut self, is_empty: bool) -> Result<Step, Wrong> {
        self.is_first.pop();
        let is_list = matches!(self.open, Open::List);
        self.open = if self.path.is_empty() { Open::End } else { Open::Object };
        let mut step = Step::Nothing;
        if is_empty && !self.path.is_empty() && (is_list || self.depth.is_none_or(|depth| depth == self.path.len())) {
            self.ranking_at(self.path.len(), self.at)?;
            self.begin_ranking()?;
            step = Step::Empty;
        }
        self.path.pop();
        Ok(step)
    }

    fn next_item(&mut self) -> Result<Step, Wrong> {
        let is_first = self.was_first();
        let mut scanner = self.scanner();
        let goes_on = scanner.next_item(is_first)?;
        let value = if goes_on { Some(scanner.value()?) } else { None };
        let (at, lines) = (scanner.at, scanner.lines);
        self.check_whole(at)?;
        let Some(value) = value else {
            self.moved_to(at, lines)?;
            return self.close(is_first);
        };
        let item = self.rows.item(&mut self.window.text, value, self.source)?;
        self.moved_to(at, lines)?;
        self.now_within();
        self.begin_ranking()?;
        Ok(Step::Items(vec![item]))
    }
}

impl Entries for JsonDocument<'_> {
    fn next(&mut self, keep: Option<usize>) -> Result<Event, ReadError> {
        loop {
            if let Some(item) = self.pending.get(self.given) {
                self.given += 1;
                self.entries += 1;
                let key = self.rows.key(item, self.entries);
                return Ok(Event::Entry(Entry { start: self.start, document: item.document, key, line: self.line }));
            }
            if matches!(self.open, Open::End) && self.window.ended() && self.at >= self.window.at_hand().len() {
                return Ok(Event::End);
            }
            match self.step() {
                Ok(Step::Nothing) => {}
                Ok(Step::Empty) => {
                    self.any = true;
                    return Ok(Event::Empty);
                }
                Ok(Step::Items(items)) => {
                    self.any = true;
                    (self.pending, self.given) = (items, 0);
                }
                Err(Wrong::Text(fault)) if fault.at >= self.window.at_hand().len() && !self.window.ended() => {
                    self.pending.clear();
                    if self.window.at_hand().len() - self.at > LONGEST_LINE {
                        let place = Place { file: &self.window.name, line: self.line, column: 0, text: b"" };
                        return Err(too_long(&place));
                    }
                    let moved = keep.unwrap_or(self.at);
                    self.window.advance(moved)?;
                    self.at -= moved;
                    return Ok(Event::Moved(moved));
                }
                Err(wrong) => return Err(self.refused(wrong)),
            }
        }
    }

    fn text(&self) -> &[u8] {
        &self.window.text
    }

    fn topic(&self) -> &[u8] {
        &self.topic
    }

    fn part(&self) -> &[u8] {
        &self.part
    }

    fn name(&self) -> &str {
        &self.window.name
    }

    fn check_rankings(&self, rankings: u64, runs: u64) -> Result<(), ReadError> {
        self.window.check_rankings(rankings, runs)
    }

    fn finish(self) -> Result<About, ReadError> {
        if !self.any {
            let words = format!("{}: expected documents by topic, found none", self.window.name);
            return Err(ReadError::format(words));
        }
        Ok(About { form: self.rows.described.clone(), order: self.rows.order, ..About::default() })
    }
}

/// Whether an object is a row of JSON Lines: a key that names the topic has a text or a number. None where the text ends
/// before that is known.
pub fn is_row(rows: &Rows, text: &[u8], start: usize, is_all: bool) -> Option<bool> {
    let mut scanner = Scanner::new(text, start, text.len());
    let mut is_first = true;
    let look = |scanner: &mut Scanner<'_>, is_first: bool| -> Scan<Option<bool>> {
        let Some((key, escaped)) = scanner.next_key(is_first)? else { return Ok(Some(false)) };
        let value = scanner.value()?;
        let is_scalar = matches!(value, Value::Text(..) | Value::Number(_));
        Ok((is_scalar && rows.is_topic(&spelled(text, key, escaped)?)).then_some(true))
    };
    if scanner.expect(b'{').is_err() {
        return Some(false);
    }
    loop {
        match look(&mut scanner, is_first) {
            Ok(Some(answer)) => return Some(answer),
            Ok(None) => is_first = false,
            Err(fault) if fault.at >= text.len() && !is_all => return None,
            Err(_) => return Some(false),
        }
    }
}
