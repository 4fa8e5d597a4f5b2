//! Which form a file has: told by its content, unless the user says.

use crate::columns::{self, Kind, Places, Role};
use crate::delimited::{self, Cell, Delimited, Layout, Separator};
use crate::entries::{Entries, Request};
use crate::error::{Fragment, Place, Problem, ReadError, Setting, shown};
use crate::fields::{self, Span, is_blank};
use crate::json::Scanner;
use crate::json_document::{JsonDocument, is_row};
use crate::json_lines::JsonLines;
use crate::json_rows::Rows;
use crate::number;
use crate::source::Source;
use crate::trec::{TrecQrels, TrecRun};
use crate::window::{LONGEST_LINE, Window};
use std::sync::atomic::AtomicBool;

/// Takes the entries of a file, whatever form it has.
pub trait Reader<T> {
    fn read(self, entries: impl Entries) -> Result<T, ReadError>;
}

/// Forms of text, by name.
pub const NAMES: [&str; 7] = ["trec", "msmarco", "tsv", "csv", "jsonl", "json", "prefs"];

enum Form {
    Trec,
    Preferences,
    Delimited(Layout),
    JsonLines,
    Json,
}

/// Open a file and hand its entries to `reader`.
pub fn open<T>(
    source: &Source,
    request: &Request,
    cancel: &AtomicBool,
    reader: impl Reader<T>,
) -> Result<T, ReadError> {
    let mut window = Window::open(source, cancel)?;
    let is_trec = request.dialect.lenient || source.piece.is_some();
    let form = if is_trec { Form::Trec } else { form_of(&mut window, request)? };
    match form {
        Form::Trec if request.kind == Kind::Run => reader.read(TrecRun::new(window, source, request)?),
        Form::Trec => reader.read(TrecQrels::<4>::new(window, request.dialect)),
        Form::Preferences => reader.read(TrecQrels::<5>::new(window, request.dialect)),
        Form::Delimited(layout) => reader.read(Delimited::new(window, source, layout, request)?),
        Form::JsonLines => reader.read(JsonLines::new(window, source, request)),
        Form::Json => reader.read(JsonDocument::new(window, source, request)),
    }
}

/// Whether text that starts like this is TREC's, so that a large file can be cut into pieces.
pub fn is_trec(request: &Request, start: &[u8]) -> bool {
    match request.form.as_deref() {
        Some(form) => form == "trec",
        None if !request.columns.is_empty() => false,
        None => first_line(start, start.len()).is_some_and(|line| {
            let mut spans = Vec::new();
            fields::columns(start, line.start, line.end, &mut spans);
            spans.len() >= 6 && !starts_json(start) && header_of(start, &line, request).is_none()
        }),
    }
}

/// The first line that says something: neither blank nor a comment.
struct FirstLine {
    number: u64,
    start: usize,
    end: usize,
}

fn first_line(text: &[u8], whole: usize) -> Option<FirstLine> {
    let (mut start, mut number) = (0, 0);
    while start < whole {
        number += 1;
        let end = memchr::memchr(b'\n', &text[start..whole]).map_or(whole, |length| start + length);
        let first = text[start..end].iter().find(|&&byte| !is_blank(byte));
        if first.is_some_and(|&byte| byte != b'#') {
            return Some(FirstLine { number, start, end });
        }
        start = end + 1;
    }
    None
}

fn form_of(window: &mut Window<'_>, request: &Request) -> Result<Form, ReadError> {
    let named = request.form.as_deref();
    match named {
        Some("trec") => return Ok(Form::Trec),
        Some("prefs") if request.kind == Kind::Qrels => return Ok(Form::Preferences),
        Some("jsonl") => return Ok(Form::JsonLines),
        Some("json") => return Ok(Form::Json),
        _ => {}
    }
    if named.is_none() && starts_json(window.at_hand()) {
        return json_form(window, request);
    }
    let whole = window.whole;
    let Some(line) = first_line(window.at_hand(), whole) else {
        // An empty file, or the start of a line that is longer than the window: the readers have words for both.
        return Ok(Form::Trec);
    };
    let text = window.at_hand();
    let place = || Place { file: &window.name, line: line.number, column: 0, text: &text[line.start..line.end] };
    let wrong = |problem: Problem, hint: &[Fragment]| ReadError::at(&place(), problem, hint);
    if named != Some("msmarco")
        && let Some((separator, header)) = header_of(text, &line, request)
    {
        if let Some(name) = twice(&header) {
            let found = format!("{} twice", shown(name));
            return Err(wrong(Problem::new("columns", "columns with names of their own", found), &[]));
        }
        let places = columns::pick(request.kind, &header, &request.columns).map_err(|problem| wrong(problem, &[]))?;
        let needs_number = request.order != Some(crate::dialect::Order::File);
        if let Some(problem) = columns::lacking(request.kind, &places, &header, &request.columns, needs_number) {
            return Err(wrong(problem, &how_to_name(request.kind)));
        }
        let form = if matches!(separator, Separator::Byte(b',' | b';')) { "csv" } else { "tsv" };
        let (cells, first_line, start) = (header.len(), line.number, line.start);
        return Ok(Form::Delimited(Layout { form, separator, cells, places, header, first_line, start }));
    }
    if !request.columns.is_empty() {
        return by_number(text, &line, request).map_err(|(problem, hint)| wrong(problem, &hint));
    }
    if let Some("tsv" | "csv") = named {
        let header: Vec<Vec<u8>> = cells_of(text, &line, separator_of(text, &line, named)).unwrap_or_default();
        let places = columns::pick(request.kind, &header, &request.columns).map_err(|problem| wrong(problem, &[]))?;
        let problem = columns::lacking(request.kind, &places, &header, &request.columns, false).unwrap_or_default();
        return Err(wrong(problem, &how_to_name(request.kind)));
    }
    by_count(window, &line, request)
}

fn how_to_name(kind: Kind) -> Vec<Fragment> {
    let columns = match kind {
        Kind::Run => Setting::new("columns", "topic=qid,document=pid,score=sim"),
        Kind::Qrels => Setting::new("columns", "topic=qid,document=pid,grade=label").option("--qrels-columns"),
    };
    vec!["name the columns, by name or by number from 1: ".into(), columns.into()]
}

/// Whether text starts as JSON does; a topic of a TREC file may start so too.
pub fn starts_json(text: &[u8]) -> bool {
    first_line(text, text.len()).is_some_and(|line| {
        let first = text[line.start..line.end].iter().find(|&&byte| !is_blank(byte));
        matches!(first, Some(b'{' | b'[')) && (!is_trec_line(text, &line) || starts_value(text, &line))
    })
}

/// Whether a line is one JSON value, or the start of one that goes on behind it: where blanks stand around colons and commas,
/// its words may look like the columns of a TREC line.
fn starts_value(text: &[u8], line: &FirstLine) -> bool {
    let end = text.len().min(line.end + 1); // with the end of the line, which no text in quotes may hold
    let mut scanner = Scanner::new(text, line.start, end);
    match scanner.value() {
        Ok(_) => scanner.peek().is_none(),
        Err(fault) => fault.at == end,
    }
}

/// Whether a line has six columns or more, the fifth a number.
fn is_trec_line(text: &[u8], line: &FirstLine) -> bool {
    let (spans, count) = fields::split::<6>(text, line.start, line.end);
    count >= 6 && number::strict(&text[spans[4].0..spans[4].1]).is_some()
}

/// JSON Lines where the first object is a row, else one JSON value.
fn json_form(window: &mut Window<'_>, request: &Request) -> Result<Form, ReadError> {
    window.by_line = false;
    loop {
        let text = window.at_hand();
        let Some(line) = first_line(text, text.len()) else { return Ok(Form::Json) };
        let is_all = window.ended() || line.end < text.len();
        let start = line.start + text[line.start..line.end].iter().take_while(|&&byte| is_blank(byte)).count();
        match is_row(&Rows::new("jsonl", request), &text[..line.end], start, is_all) {
            Some(true) => {
                window.by_line = true;
                return Ok(Form::JsonLines);
            }
            Some(false) => return Ok(Form::Json),
            None if text.len() > LONGEST_LINE => return Ok(Form::Json),
            None => window.advance(0)?,
        }
    }
}

/// What separates the cells of a line, if it is the line of a table.
fn separator_of(text: &[u8], line: &FirstLine, named: Option<&str>) -> Separator {
    let has = |byte: u8| memchr::memchr(byte, &text[line.start..line.end]).is_some();
    match named {
        Some("csv") if has(b';') && !has(b',') => Separator::Byte(b';'),
        Some("csv") => Separator::Byte(b','),
        _ if has(b'\t') => Separator::Byte(b'\t'),
        Some("tsv") => Separator::Blanks,
        _ if has(b',') => Separator::Byte(b','),
        _ if has(b';') => Separator::Byte(b';'),
        _ => Separator::Blanks,
    }
}

fn cells_of(text: &[u8], line: &FirstLine, separator: Separator) -> Option<Vec<Vec<u8>>> {
    let mut cells: Vec<Cell> = Vec::new();
    delimited::record(text, line.start, line.end, separator, &mut cells).ok()?;
    Some(cells.into_iter().map(|cell| delimited::spelled(text, cell)).collect())
}

/// The names of the columns, where the line is a header: topics and documents are named in it, or those that the user
/// named are.
fn header_of(text: &[u8], line: &FirstLine, request: &Request) -> Option<(Separator, Vec<Vec<u8>>)> {
    let separator = separator_of(text, line, request.form.as_deref());
    let header = cells_of(text, line, separator)?;
    let by_name: columns::Given =
        request.columns.iter().filter(|(_, wanted)| columns::number(wanted).is_none()).cloned().collect();
    if !by_name.is_empty() {
        return Some((separator, header)); // a name that is not there is told by `pick`
    }
    if !request.columns.is_empty() {
        return None;
    }
    let is_named = |role: Role| header.iter().any(|name| role.preference(&columns::normalised(name)).is_some());
    (is_named(Role::Topic) && is_named(Role::Document)).then_some((separator, header))
}

/// A name that stands in the header twice.
fn twice(header: &[Vec<u8>]) -> Option<&[u8]> {
    let mut sorted: Vec<&[u8]> = header.iter().map(Vec::as_slice).filter(|name| !name.is_empty()).collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// Columns that the user gave by number, in a file without a header.
fn by_number(text: &[u8], line: &FirstLine, request: &Request) -> Result<Form, (Problem, Vec<Fragment>)> {
    let separator = separator_of(text, line, request.form.as_deref());
    let cells = cells_of(text, line, separator).map_or(0, |cells| cells.len());
    let mut places = Places::default();
    for (role, wanted) in &request.columns {
        let number = columns::number(wanted).unwrap_or(usize::MAX);
        if number > cells {
            let expected = format!("a column {wanted} with the {}s", role.word());
            return Err((Problem::new("columns", expected, format!("{cells} columns")), Vec::new()));
        }
        places.set(*role, number - 1);
    }
    let needs_number = request.order != Some(crate::dialect::Order::File);
    if let Some(problem) = columns::lacking(request.kind, &places, &[], &request.columns, needs_number) {
        return Err((problem, how_to_name(request.kind)));
    }
    let form = if matches!(separator, Separator::Byte(b',' | b';')) { "csv" } else { "tsv" };
    let (header, first_line, start) = (Vec::new(), line.number, line.start);
    Ok(Form::Delimited(Layout { form, separator, cells, places, header, first_line, start }))
}

/// A file without a header, by how many columns stand between blanks.
fn by_count(window: &Window<'_>, line: &FirstLine, request: &Request) -> Result<Form, ReadError> {
    let text = window.at_hand();
    let mut spans: Vec<Span> = Vec::new();
    fields::columns(text, line.start, line.end, &mut spans);
    let field = |place: usize| &text[spans[place].0..spans[place].1];
    let is_number = |place: usize| number::strict(field(place)).is_some_and(|number| !number.is_nan());
    let is_named = request.form.is_some();
    let places: &[(Role, usize)] = match (request.kind, spans.len()) {
        (Kind::Run, 3) => {
            if !is_named && !has_ranks(window, line.start, 1) {
                let place =
                    Place { file: &window.name, line: line.number, column: 0, text: &text[line.start..line.end] };
                let (expected, found) =
                    ("ranks 1, 2, 3, ... in the third column", "other numbers, which may be scores or ranks");
                return Err(ReadError::at(
                    &place,
                    Problem::new("columns", expected, found),
                    &[
                        "say which: ".into(),
                        Setting::new("columns", "topic=1,document=2,score=3").into(),
                        " or ".into(),
                        Setting::new("columns", "topic=1,document=2,rank=3").into(),
                    ],
                ));
            }
            &[(Role::Topic, 0), (Role::Document, 1), (Role::Rank, 2)]
        }
        (Kind::Run, 4) if is_number(2) && is_number(3) && !matches!(field(1), b"0" | b"Q0" | b"q0") => {
            &[(Role::Topic, 0), (Role::Document, 1), (Role::Rank, 2), (Role::Score, 3)]
        }
        (Kind::Qrels, 3) if !is_named && has_ranks(window, line.start, LONG_FOR_GRADES) => {
            let place = Place { file: &window.name, line: line.number, column: 0, text: &text[line.start..line.end] };
            let (expected, found) = ("grades in the third column", "1, 2, 3, ..., which may be the ranks of a run");
            let columns = Setting::new("columns", "topic=1,document=2,grade=3").option("--qrels-columns");
            return Err(ReadError::at(
                &place,
                Problem::new("columns", expected, found),
                &["if they are grades, say so: ".into(), columns.into()],
            ));
        }
        (Kind::Qrels, 3) => &[(Role::Topic, 0), (Role::Document, 1), (Role::Grade, 2)],
        _ => return Ok(Form::Trec),
    };
    let mut picked = Places::default();
    places.iter().for_each(|&(role, place)| picked.set(role, place));
    Ok(Form::Delimited(Layout {
        form: if request.kind == Kind::Run { "msmarco" } else { "columns" },
        separator: Separator::Blanks,
        cells: spans.len(),
        places: picked,
        header: Vec::new(),
        first_line: line.number,
        start: line.start,
    }))
}

/// Grades that count so far from 1 are ranks.
const LONG_FOR_GRADES: u32 = 6;

/// Whether the third column counts the documents of the first topic from 1, as far as the text at hand goes, and to this
/// number at least.
fn has_ranks(window: &Window<'_>, start: usize, least: u32) -> bool {
    let text = &window.at_hand()[..window.whole];
    let (mut at, mut spans, mut topic, mut rank) = (start, Vec::new(), None, 0.0);
    while at < text.len() {
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |length| at + length);
        fields::columns(text, at, end, &mut spans);
        at = end + 1;
        let Some(&[first, _, third]) = spans.first_chunk::<3>() else { continue };
        let name = &text[first.0..first.1];
        if name.starts_with(b"#") {
            continue;
        }
        if *topic.get_or_insert(name) != name {
            continue;
        }
        rank += 1.0;
        if number::strict(&text[third.0..third.1]) != Some(rank) {
            return false;
        }
    }
    rank >= f64::from(least)
}
