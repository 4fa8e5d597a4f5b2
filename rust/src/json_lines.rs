//! JSON Lines: an object on each line. Lines mostly look like the one before, apart from names and numbers, and are
//! compared with it rather than taken apart.

use crate::columns::{Kind, ROLES, Role};
use crate::entries::{About, Entries, Entry, Event, Request};
use crate::error::{Place, Problem, ReadError};
use crate::fields::{Span, is_blank};
use crate::json::{Scanner, Value, fault, number_length};
use crate::json_rows::{Fields, Item, Rows, Wrong};
use crate::number;
use crate::source::Source;
use crate::window::{LONGEST_LINE, Window, too_long};

/// How often a file may change the look of its lines before they are no longer compared.
const MOST_TEMPLATES: u32 = 64;

pub struct JsonLines<'a> {
    window: Window<'a>,
    source: &'a Source,
    rows: Rows,
    at: usize,
    line: u64,
    line_start: usize,
    entries: u64,
    any: bool,
    topic: Vec<u8>,
    part: Vec<u8>,
    pending: Vec<Item>,
    given: usize,
    template: Option<Template>,
    templates: u32,
}

/// The look of a line: what stands before each value, and which values matter.
struct Template {
    values: Vec<Slot>,
    after: Vec<u8>,
}

struct Slot {
    before: Vec<u8>,
    is_text: bool,
    role: Option<Role>,
}

impl Template {
    /// The look of a line with these values; None where some are lists or hold escapes.
    fn of(text: &[u8], line: Span, values: &[Value], fields: &Fields) -> Option<Template> {
        let mut slots = Vec::with_capacity(values.len());
        let mut at = line.0;
        for &value in values {
            let (start, end) = match value {
                Value::Text(span, false) | Value::Number(span) => span,
                Value::Word(_) => continue,
                _ => return None,
            };
            let is_chosen = |role: &Role| fields[*role as usize].is_some_and(|field| field.value == value);
            let role = Role::ALL.into_iter().find(is_chosen);
            slots.push(Slot { before: text[at..start].to_vec(), is_text: matches!(value, Value::Text(..)), role });
            at = end;
        }
        Some(Template { values: slots, after: text[at..line.1].to_vec() })
    }

    /// The values that matter and where the next line starts, if the line looks like this.
    #[inline(always)]
    fn read(&self, text: &[u8], start: usize) -> Option<([Span; ROLES], usize)> {
        let mut spans = [(0, 0); ROLES];
        let mut at = start;
        for slot in &self.values {
            if !text[at..].starts_with(&slot.before) {
                return None;
            }
            at += slot.before.len();
            let length = if slot.is_text { plain_length(&text[at..]) } else { number_length(&text[at..]) };
            if let Some(role) = slot.role {
                spans[role as usize] = (at, at + length);
            }
            at += length;
        }
        let line_end = at + self.after.len();
        (text[at..].starts_with(&self.after) && text.get(line_end) == Some(&b'\n')).then_some((spans, line_end + 1))
    }
}

/// How far a text goes that is in quotes and has no escapes.
#[inline(always)]
fn plain_length(text: &[u8]) -> usize {
    text.iter().take_while(|&&byte| byte != b'"' && byte != b'\\' && byte >= 0x20).count()
}

impl<'a> JsonLines<'a> {
    pub fn new(window: Window<'a>, source: &'a Source, request: &Request) -> Self {
        JsonLines {
            window,
            source,
            rows: Rows::new("jsonl", request),
            at: 0,
            line: 0,
            line_start: 0,
            entries: 0,
            any: false,
            topic: Vec::new(),
            part: Vec::new(),
            pending: Vec::new(),
            given: 0,
            template: None,
            templates: 0,
        }
    }

    fn place(&self, start: usize, at: usize) -> Place<'_> {
        let text = &self.window.text[start..self.window.line_end(start)];
        let column = (at + 1).saturating_sub(start);
        Place { file: &self.window.name, line: self.line, column, text }
    }

    fn refused(&self, start: usize, wrong: Wrong) -> ReadError {
        let (at, kind, expected) = match wrong {
            Wrong::Text(fault) => (fault.at, fault.kind, fault.expected),
            Wrong::Lacking(role) => (start, "", format!("expected an object with the {}, found none", role.word())),
            Wrong::Unlike => (start, "", "expected no score, as before, found one".into()),
            Wrong::Other(error) => return error,
        };
        ReadError::at(&self.place(start, at), Problem { kind, ..expected.into() }, &[])
    }

    /// A line like the one before: topic, run and document; None sends it to `careful`.
    #[inline(always)]
    fn usual(&mut self, start: usize) -> Option<Event> {
        let text = &self.window.text;
        let (spans, next) = self.template.as_ref()?.read(text, start)?;
        let span = |role: Role| spans[role as usize];
        let (topic, document, part) = (span(Role::Topic), span(Role::Document), span(self.rows.kind.part()));
        let (from, to) = [Role::Score, Role::Rank, Role::Grade].map(span).into_iter().find(|span| span.1 > 0)?;
        let number = number::strict(&text[from..to])?;
        if topic.0 == topic.1 || document.0 == document.1 || (self.rows.kind == Kind::Qrels && !number.is_finite()) {
            return None;
        }
        keep(&mut self.topic, &text[topic.0..topic.1]);
        keep(&mut self.part, &text[part.0..part.1]);
        self.at = next;
        self.entries += 1;
        let key = self.rows.key(&Item { document, number: Some(number) }, self.entries);
        Some(Event::Entry(Entry { start, document, key, line: self.line }))
    }

    /// A line of any kind, its documents put into `pending`; false where it is blank or a comment.
    #[cold]
    #[inline(never)]
    fn careful(&mut self, start: usize) -> Result<bool, ReadError> {
        let end = self.window.line_end(start).min(self.window.whole);
        self.at = end + 1;
        let first = self.window.text[start..end].iter().position(|&byte| !is_blank(byte));
        let Some(first) = first.map(|blanks| start + blanks) else { return Ok(false) };
        if !self.any && self.window.text[first] == b'#' {
            return Ok(false);
        }
        if end - start > LONGEST_LINE {
            return Err(too_long(&self.place(start, 0)));
        }
        self.take(first, (start, end)).map_err(|wrong| self.refused(start, wrong))?;
        self.any = true;
        Ok(true)
    }

    fn take(&mut self, first: usize, line: Span) -> Result<(), Wrong> {
        let text = &mut self.window.text;
        let mut scanner = Scanner::new(text, first, line.1);
        let Value::Object(span) = scanner.value()? else {
            return Ok(fault(first, "expected an object in braces")?);
        };
        if scanner.peek().is_some() {
            return Ok(fault(scanner.at, "expected the end of the line")?);
        }
        let mut values = Vec::new();
        let fields = self.rows.fields(text, span, |value| values.push(value))?;
        let is_alone = fields[Role::Document as usize].is_some();
        let template = Template::of(text, line, &values, &fields).filter(|_| is_alone);
        let row = self.rows.row(text, first, &fields, self.source)?;
        let number_role = [Role::Score, Role::Rank, Role::Grade].into_iter().find(|&role| {
            self.rows.uses(role) && fields[role as usize].is_some_and(|field| matches!(field.value, Value::Number(_)))
        });
        if self.templates < MOST_TEMPLATES {
            self.template = template.and_then(|template| template.reading(number_role?));
            self.templates += u32::from(self.template.is_some());
        }
        keep(&mut self.topic, &text[row.topic.0..row.topic.1]);
        keep(&mut self.part, &text[row.part.0..row.part.1]);
        self.pending = row.items;
        self.given = 0;
        self.line_start = line.0;
        Ok(())
    }
}

impl Template {
    /// The same look, of whose numbers this one alone is read.
    fn reading(mut self, number: Role) -> Option<Template> {
        for slot in &mut self.values {
            if matches!(slot.role, Some(Role::Score | Role::Rank | Role::Grade | Role::List))
                && slot.role != Some(number)
            {
                slot.role = None;
            }
        }
        let is_part = |slot: &Slot| matches!(slot.role, Some(Role::Run | Role::Subtopic));
        if self.values.iter().any(|slot| is_part(slot) && !slot.is_text) {
            return None;
        }
        let is_read = |role| self.values.iter().any(|slot| slot.role == Some(role) && slot.is_text == (role != number));
        // Names that are whole numbers are rare, and left to the careful way.
        (is_read(Role::Topic) && is_read(Role::Document) && is_read(number)).then_some(self)
    }
}

#[inline(always)]
fn keep(name: &mut Vec<u8>, now: &[u8]) {
    // Nothing is not compared with nothing: see `Sink::is_same_run`.
    if name.len() != now.len() || (!now.is_empty() && name.as_slice() != now) {
        name.clear();
        name.extend_from_slice(now);
    }
}

impl Entries for JsonLines<'_> {
    #[inline(always)]
    fn next(&mut self, keep: Option<usize>) -> Result<Event, ReadError> {
        loop {
            if let Some(item) = self.pending.get(self.given) {
                self.given += 1;
                self.entries += 1;
                let key = self.rows.key(item, self.entries);
                let entry = Entry { start: self.line_start, document: item.document, key, line: self.line };
                return Ok(Event::Entry(entry));
            }
            if self.at >= self.window.whole {
                break;
            }
            let start = self.at;
            self.line += 1;
            if let Some(event) = self.usual(start) {
                return Ok(event);
            }
            if self.careful(start)? && self.pending.is_empty() {
                return Ok(Event::Empty);
            }
        }
        if self.window.ended() {
            return Ok(Event::End);
        }
        self.pending.clear();
        let moved = keep.unwrap_or(self.at);
        self.window.advance(moved).map_err(|error| self.window.at_line(error, self.line + 1))?;
        self.at -= moved;
        Ok(Event::Moved(moved))
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

    fn line_of(&self, entry: &Entry) -> Place<'_> {
        self.place(entry.start, entry.document.0)
    }

    fn finish(self) -> Result<About, ReadError> {
        if !self.any {
            let words = format!("{}: expected an object on each line, found no line at all", self.window.name);
            return Err(ReadError::format(words));
        }
        Ok(About { form: self.rows.described.clone(), order: self.rows.order, ..About::default() })
    }
}
