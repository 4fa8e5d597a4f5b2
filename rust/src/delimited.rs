//! Delimited text: cells between commas, semicolons or tabs, quoted as in RFC 4180, or columns between blanks.

use crate::columns::{Kind, Places, Role};
use crate::dialect::Order;
use crate::entries::{About, Described, Entries, Entry, Event, Request};
use crate::error::{Place, Problem, ReadError, shown};
use crate::fields::{Span, cells_usual, columns, columns_usual, is_blank};
use crate::index::nul_found;
use crate::number;
use crate::source::Source;
use crate::window::{LONGEST_LINE, Window, too_long};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Separator {
    Byte(u8),
    Blanks,
}

/// What the lines of a file hold.
#[derive(Clone, Debug)]
pub struct Layout {
    pub form: &'static str,
    pub separator: Separator,
    /// How many cells each line has.
    pub cells: usize,
    pub places: Places,
    /// Names of the columns; empty where there is no header.
    pub header: Vec<Vec<u8>>,
    /// The line of the header, or of the first entry, where lines are counted from 1, and where it starts in the text.
    pub first_line: u64,
    pub start: usize,
}

impl Layout {
    fn described(&self) -> Described {
        let column = |place: usize| match self.header.get(place) {
            Some(name) => shown(name),
            None => (place + 1).to_string(),
        };
        let columns = Role::ALL.into_iter().filter_map(|role| Some((role.word(), column(self.places.get(role)?))));
        Described { form: self.form, columns: columns.collect() }
    }
}

/// A cell of a record; the span is what stands between the quotes of a quoted one.
#[derive(Clone, Copy, Default, Debug)]
pub struct Cell {
    pub span: Span,
    quotes_within: bool,
}

/// Why a record cannot be cut into cells.
pub enum Broken {
    /// The text ends within quotes.
    Open,
    /// Something stands after the closing quote at this place.
    AfterQuote(usize),
}

/// The cells of the record that starts at `start`, and where the next one starts. A line end after `end` is taken for
/// granted.
pub fn record(
    text: &[u8],
    start: usize,
    end: usize,
    separator: Separator,
    cells: &mut Vec<Cell>,
) -> Result<usize, Broken> {
    cells.clear();
    let Separator::Byte(separator) = separator else {
        let line = memchr::memchr(b'\n', &text[start..end]).map_or(end, |length| start + length);
        let mut spans = Vec::new();
        columns(text, start, line, &mut spans);
        cells.extend(spans.into_iter().map(|span| Cell { span, quotes_within: false }));
        return Ok(line + 1);
    };
    let is_filling = |byte: u8| is_blank(byte) && byte != separator;
    let mut at = start;
    loop {
        while at < end && is_filling(text[at]) {
            at += 1;
        }
        let mut cell = Cell::default();
        if at < end && text[at] == b'"' {
            let from = at + 1;
            at = from;
            loop {
                at += memchr::memchr(b'"', &text[at..end]).ok_or(Broken::Open)?;
                if at + 1 < end && text[at + 1] == b'"' {
                    cell.quotes_within = true;
                    at += 2;
                } else {
                    break;
                }
            }
            cell.span = (from, at);
            at += 1;
            while at < end && is_filling(text[at]) {
                at += 1;
            }
        } else {
            let from = at;
            at += memchr::memchr2(separator, b'\n', &text[at..end]).unwrap_or(end - at);
            let blanks = text[from..at].iter().rev().take_while(|&&byte| is_filling(byte)).count();
            cell.span = (from, at - blanks);
        }
        cells.push(cell);
        match text[..end].get(at) {
            None | Some(b'\n') => return Ok(at + 1),
            Some(&byte) if byte == separator => at += 1,
            Some(_) => return Err(Broken::AfterQuote(at)),
        }
    }
}

/// What a cell spells, its doubled quotes made single where they stand.
fn unquoted(text: &mut [u8], cell: Cell) -> Span {
    let (start, end) = cell.span;
    if !cell.quotes_within {
        return cell.span;
    }
    let (mut from, mut to) = (start, start);
    while from < end {
        text[to] = text[from];
        from += if text[from] == b'"' { 2 } else { 1 };
        to += 1;
    }
    (start, to)
}

/// A header cell's text.
pub fn spelled(text: &[u8], cell: Cell) -> Vec<u8> {
    let mut own = text[cell.span.0..cell.span.1].to_vec();
    let whole = Cell { span: (0, own.len()), ..cell };
    let (start, end) = unquoted(&mut own, whole);
    own[start..end].to_vec()
}

pub struct Delimited<'a> {
    window: Window<'a>,
    layout: Layout,
    kind: Kind,
    order: Order,
    /// The cell with the number that matters, and what it is.
    number: Option<(usize, Role)>,
    at: usize,
    line: u64,
    entries: u64,
    topic: Span,
    part: Span,
    spans: Vec<Span>,
    cells: Vec<Cell>,
}

impl<'a> Delimited<'a> {
    pub fn new(window: Window<'a>, source: &Source, layout: Layout, request: &Request) -> Result<Self, ReadError> {
        let (score, rank) = (layout.places.get(Role::Score), layout.places.get(Role::Rank));
        let order = match request.kind {
            Kind::Run => request.order(source, score.is_some(), rank.is_some())?,
            Kind::Qrels => Order::Score64,
        };
        let number = match (request.kind, order) {
            (Kind::Qrels, _) => layout.places.get(Role::Grade).map(|place| (place, Role::Grade)),
            (Kind::Run, Order::File) => None,
            (Kind::Run, Order::Rank) => rank.map(|place| (place, Role::Rank)),
            (Kind::Run, _) => score.map(|place| (place, Role::Score)),
        };
        let (at, line) = (layout.start, layout.first_line - 1);
        let spans = vec![(0, 0); layout.cells];
        let (topic, part) = ((0, 0), (0, 0));
        let (kind, cells) = (request.kind, Vec::new());
        let mut this =
            Delimited { window, layout, kind, order, number, at, line, entries: 0, topic, part, spans, cells };
        if !this.layout.header.is_empty() {
            this.line += 1;
            this.careful()?; // past the header, which is known
        }
        Ok(this)
    }

    fn place(&self, start: usize, at: usize) -> Place<'_> {
        let column = if at == 0 { 0 } else { at - start + 1 };
        let text = &self.window.text[start..self.window.line_end(start)];
        Place { file: &self.window.name, line: self.line, column, text }
    }

    /// Cells of a line that is not as most are, into `spans`; false where it is to be skipped. None asks for more text.
    #[cold]
    #[inline(never)]
    fn careful(&mut self) -> Result<Option<bool>, ReadError> {
        let (start, end) = (self.at, self.window.whole);
        let line_end = self.window.line_end(start).min(end);
        let first = self.window.text[start..line_end].iter().find(|&&byte| !is_blank(byte));
        let is_comment = first == Some(&b'#') && self.layout.header.is_empty();
        if first.is_none() || is_comment {
            self.at = line_end + 1;
            return Ok(Some(false));
        }
        let mut cells = std::mem::take(&mut self.cells);
        let cut = record(&self.window.text, start, end, self.layout.separator, &mut cells);
        self.cells = cells;
        let next = match cut {
            Ok(next) => next,
            Err(Broken::Open) if !self.window.ended() && end - start <= LONGEST_LINE => return Ok(None),
            Err(Broken::Open) if self.window.ended() => {
                return Err(ReadError::at(
                    &self.place(start, 0),
                    Problem::new("", "a closing quote", "the end of the file"),
                    &[],
                ));
            }
            Err(Broken::Open) => return Err(too_long(&self.place(start, 0))),
            Err(Broken::AfterQuote(at)) => {
                let found = shown(&self.window.text[at..(at + 12).min(line_end.max(at))]);
                return Err(ReadError::at(
                    &self.place(start, 0),
                    Problem::new("", "a separator after a closing quote", found),
                    &["a quote within quotes is written twice".into()],
                ));
            }
        };
        if let Some(nul) = memchr::memchr(0, &self.window.text[start..next.min(end)]) {
            return Err(nul_found(&self.place(start, if start + nul < line_end { start + nul } else { 0 })));
        }
        if next - start > LONGEST_LINE {
            return Err(too_long(&self.place(start, 0)));
        }
        if self.cells.len() != self.layout.cells {
            let (wanted, first) = (self.layout.cells, self.layout.first_line);
            let cells = if self.cells.len() == 1 { "1 column".into() } else { format!("{} columns", self.cells.len()) };
            let expected = format!("{wanted} columns as in line {first}");
            return Err(ReadError::at(&self.place(start, 0), Problem::new("columns", expected, cells), &[]));
        }
        self.line += memchr::memchr_iter(b'\n', &self.window.text[start..(next - 1).min(end)]).count() as u64;
        for (place, cell) in self.cells.iter().enumerate() {
            self.spans[place] = unquoted(&mut self.window.text, *cell);
        }
        self.at = next;
        Ok(Some(true))
    }

    fn name_at(&self, place: Option<usize>, role: Role, start: usize) -> Result<Span, ReadError> {
        let span = self.spans[place.unwrap_or(0)];
        if span.0 < span.1 {
            return Ok(span);
        }
        let problem = Problem::new("", format!("a name as {}", role.word()), "an empty cell");
        Err(ReadError::at(&self.place(start, 0), problem, &[]))
    }

    fn key(&self, start: usize) -> Result<f64, ReadError> {
        if self.layout.form == "msmarco" {
            // Nothing but its numbers says that this is a run.
            for role in [Role::Rank, Role::Score] {
                if let Some(place) = self.layout.places.get(role) {
                    self.number_at(start, place, role)?;
                }
            }
        }
        match self.number {
            None => Ok(self.order.key(0.0, 0.0, self.entries)),
            Some((place, role)) => self.number_at(start, place, role),
        }
    }

    fn number_at(&self, start: usize, place: usize, role: Role) -> Result<f64, ReadError> {
        let (from, to) = self.spans[place];
        let text = &self.window.text[from..to];
        let fits = |number: &f64| if role == Role::Grade { number.is_finite() } else { !number.is_nan() };
        match number::strict(text).filter(fits) {
            Some(number) if self.kind == Kind::Qrels => Ok(number),
            Some(number) => Ok(self.order.key(number, number, self.entries)),
            None => {
                let kind = if role == Role::Grade { "a finite number" } else { "a number" };
                let found = if text.is_empty() { "an empty cell".into() } else { shown(text) };
                let problem = Problem::new(role.fault(), format!("{kind} as {}", role.word()), found);
                Err(ReadError::at(&self.place(start, 0), problem, &[]))
            }
        }
    }
}

impl Entries for Delimited<'_> {
    #[inline(always)]
    fn next(&mut self, keep: Option<usize>) -> Result<Event, ReadError> {
        while self.at < self.window.whole {
            let start = self.at;
            self.line += 1;
            let text = &self.window.text;
            let usual = match self.layout.separator {
                Separator::Byte(separator) => cells_usual(text, start, separator, &mut self.spans),
                Separator::Blanks => columns_usual(text, start, &mut self.spans),
            };
            match usual {
                Some(next) if text[start] != b'#' && next - start <= LONGEST_LINE => self.at = next,
                _ => match self.careful()? {
                    Some(true) => {}
                    Some(false) => continue,
                    None => {
                        self.line -= 1;
                        break;
                    }
                },
            }
            self.entries += 1;
            self.topic = self.name_at(self.layout.places.get(Role::Topic), Role::Topic, start)?;
            let document = self.name_at(self.layout.places.get(Role::Document), Role::Document, start)?;
            match (self.kind, self.layout.places.get(self.kind.part())) {
                (_, None) => {}
                (Kind::Run, place) => self.part = self.name_at(place, Role::Run, start)?,
                (Kind::Qrels, Some(place)) => self.part = self.spans[place], // which may be empty
            }
            let key = self.key(start)?;
            return Ok(Event::Entry(Entry { start, document, key, line: self.line }));
        }
        if self.window.ended() {
            return Ok(Event::End);
        }
        let moved = keep.unwrap_or(self.at);
        self.window.advance(moved).map_err(|error| self.window.at_line(error, self.line + 1))?;
        self.at -= moved;
        Ok(Event::Moved(moved))
    }

    fn text(&self) -> &[u8] {
        &self.window.text
    }

    fn topic(&self) -> &[u8] {
        &self.window.text[self.topic.0..self.topic.1]
    }

    fn part(&self) -> &[u8] {
        &self.window.text[self.part.0..self.part.1]
    }

    fn name(&self) -> &str {
        &self.window.name
    }

    fn check_rankings(&self, rankings: u64, runs: u64) -> Result<(), ReadError> {
        self.window.check_rankings(rankings, runs)
    }

    fn line_of(&self, entry: &Entry) -> Place<'_> {
        self.place(entry.start, 0)
    }

    fn finish(self) -> Result<About, ReadError> {
        if self.entries == 0 {
            let what = if self.kind == Kind::Run { "a run" } else { "judgments" };
            let words = format!("{}: expected {what} below the header, found no line at all", self.window.name);
            return Err(ReadError::format(words));
        }
        Ok(About { form: self.layout.described(), order: self.order, ..About::default() })
    }
}
