//! Text in columns: with a header between commas, semicolons, tabs or blanks, or without one by the number of columns.

use crate::plain::{
    DOCUMENT, GRADE, Kind, Name, Order, Plain, RANK, RUN, Row, SCORE, SUBTOPIC, Stop, TOPIC, finite, is_blank,
    normalised, not_empty, number, number_or_nan, place_of, strip, unmarked, words,
};
use crate::{plain_json, plain_trec};

/// The form that is given, if any.
pub type Form = Option<&'static str>;

/// Rows of a file whose form is told by its content, or is csv, tsv or msmarco; TREC's must have what the order needs.
pub fn rows(text: &[u8], kind: Kind, form: Form, order: Option<Order>) -> Plain<Vec<Row>> {
    let text = unmarked(text)?;
    let start = first_line(text).ok_or(Stop::Fault)?;
    let line = line_at(text, start);
    let first = strip(line, is_blank)[0];
    let is_json = matches!(first, b'{' | b'[') && (!is_trec_line(line) || plain_json::starts_value(line, &text[start..])?);
    if form.is_none() && is_json {
        let is_lines = first == b'{' && plain_json::is_row(line, kind)?;
        let rest = &text[start..];
        return if is_lines { plain_json::lines(rest, kind) } else { plain_json::document(rest, kind) };
    }
    let separator = separator_of(line, form);
    let header = if form == Some("msmarco") { None } else { header_of(text, start, separator)? };
    match header {
        Some(names) => with_header(text, start, kind, separator, &names),
        None if matches!(form, Some("csv" | "tsv")) => Err(Stop::Fault),
        None => without_header(text, kind, form, order),
    }
}

/// How large a window must be for a file to be told by it as by the whole: up to the end of its first line. Where three
/// columns are known by their number, all lines at hand say whether the third holds ranks.
pub fn least_window(text: &[u8]) -> usize {
    let (size, text) = (text.len() + 4, text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text));
    match first_line(text) {
        Some(start) if words(line_at(text, start)).len() != 3 => start + line_at(text, start).len() + 7,
        _ => size,
    }
}

/// Where the first line starts that is neither blank nor a comment.
fn first_line(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        let line = line_at(text, at);
        if strip(line, is_blank).first().is_some_and(|&byte| byte != b'#') {
            return Some(at);
        }
        at += line.len() + 1;
    }
    None
}

fn line_at(text: &[u8], at: usize) -> &[u8] {
    text[at..].split(|&byte| byte == b'\n').next().unwrap_or_default()
}

/// None: any run of blanks.
fn separator_of(line: &[u8], form: Form) -> Option<u8> {
    let candidates: &[u8] = match form {
        Some("csv") => b",;",
        Some("tsv") => b"\t",
        _ => b"\t,;",
    };
    candidates.iter().copied().find(|byte| line.contains(byte)).or((form == Some("csv")).then_some(b','))
}

/// The cells of the record that starts there, and where the next line starts.
fn record(text: &[u8], mut at: usize, separator: Option<u8>) -> Plain<(Vec<Name>, usize)> {
    let Some(separator) = separator else {
        let line = line_at(text, at);
        return Ok((words(line).into_iter().map(<[u8]>::to_vec).collect(), at + line.len() + 1));
    };
    let is_around = |byte: u8| is_blank(byte) && byte != separator;
    let skip = |mut at: usize| {
        while at < text.len() && is_around(text[at]) {
            at += 1;
        }
        at
    };
    let mut cells = Vec::new();
    loop {
        at = skip(at);
        if text.get(at) == Some(&b'"') {
            let mut cell = Name::new();
            at += 1;
            loop {
                match &text[at..] {
                    [] => return Err(Stop::Fault),
                    [b'"', b'"', ..] => {
                        cell.push(b'"');
                        at += 2;
                    }
                    [b'"', ..] => break,
                    [byte, ..] => {
                        cell.push(*byte);
                        at += 1;
                    }
                }
            }
            cells.push(cell);
            at = skip(at + 1);
        } else {
            let start = at;
            while at < text.len() && text[at] != separator && text[at] != b'\n' {
                at += 1;
            }
            cells.push(strip(&text[start..at], is_around).to_vec());
        }
        match text.get(at) {
            None | Some(b'\n') => return Ok((cells, at + 1)),
            Some(&byte) if byte == separator => at += 1,
            Some(_) => return Err(Stop::Fault), // something after a closing quote
        }
    }
}

/// The names in the header; None where the first line is none.
fn header_of(text: &[u8], start: usize, separator: Option<u8>) -> Plain<Option<Vec<Name>>> {
    let is_header = |names: &[Name]| {
        [TOPIC, DOCUMENT].iter().all(|known| names.iter().any(|name| is_one_of(&normalised(name), known)))
    };
    match record(line_at(text, start), 0, separator) {
        Ok((names, _)) => Ok(Some(names).filter(|names| is_header(names))),
        Err(_) => match record(text, start, separator) {
            Ok((names, _)) if is_header(&names) => Err(Stop::Open), // a line end in quotes
            _ => Ok(None),
        },
    }
}

fn is_one_of(name: &[u8], known: &[&str]) -> bool {
    known.iter().any(|one| one.as_bytes() == name)
}

/// Places of topic, document, score, rank, grade and part.
type Places = [Option<usize>; 6];

fn with_header(text: &[u8], start: usize, kind: Kind, separator: Option<u8>, names: &[Name]) -> Plain<Vec<Row>> {
    let mut named: Vec<&Name> = names.iter().filter(|name| !name.is_empty()).collect();
    named.sort_unstable();
    let (_, next) = record(text, start, separator)?;
    if named.windows(2).any(|pair| pair[0] == pair[1]) || text[start..next.min(text.len())].contains(&0) {
        return Err(Stop::Fault);
    }
    let place = |known| place_of(names, known);
    let (topic, document) = (place(TOPIC)?, place(DOCUMENT)?);
    let places: Places = match kind {
        Kind::Runs => [topic, document, place(SCORE)?, place(RANK)?, None, place(RUN)?],
        Kind::Qrels => [topic, document, None, None, place(GRADE)?, place(SUBTOPIC)?],
    };
    if kind == Kind::Qrels {
        let grade = places[4].ok_or(Stop::Fault)?;
        let has_rank = names.iter().any(|name| normalised(name) == b"rank");
        if normalised(&names[grade]) == b"score" && has_rank {
            return Err(Stop::Fault); // those of a run
        }
    }
    rows_below(text, next, separator, &places, names.len(), kind)
}

fn rows_below(
    text: &[u8],
    mut at: usize,
    separator: Option<u8>,
    places: &Places,
    width: usize,
    kind: Kind,
) -> Plain<Vec<Row>> {
    let mut rows = Vec::new();
    while at < text.len() {
        let line = line_at(text, at);
        if strip(line, is_blank).is_empty() {
            if separator == Some(b'\t') && line.contains(&b'\t') {
                return Err(Stop::Open); // nothing but separators
            }
            at += line.len() + 1;
            continue;
        }
        let start = at;
        let (cells, next) = record(text, at, separator)?;
        at = next;
        if cells.len() != width || text[start..next.min(text.len())].contains(&0) {
            return Err(Stop::Fault);
        }
        rows.push(row(&cells, places, kind)?);
    }
    if rows.is_empty() { Err(Stop::Fault) } else { Ok(rows) }
}

fn row(cells: &[Name], places: &Places, kind: Kind) -> Plain<Row> {
    let cell = |role: usize| places[role].map(|place| cells[place].as_slice());
    Ok(Row {
        topic: not_empty(cell(0).unwrap_or_default())?,
        document: Some(not_empty(cell(1).unwrap_or_default())?),
        score: cell(2).map(number_or_nan),
        rank: cell(3).map(number_or_nan),
        grade: cell(4).map(|text| finite(number(text))).transpose()?,
        part: match cell(5) {
            Some(name) if kind == Kind::Runs => not_empty(name)?,
            name => name.unwrap_or_default().to_vec(),
        },
        ..Row::default()
    })
}

/// Whether a line is TREC's, whatever its topic starts with.
fn is_trec_line(line: &[u8]) -> bool {
    let columns = words(line);
    columns.len() >= 6 && number(columns[4]).is_some()
}

/// Columns that are known by their number.
fn without_header(text: &[u8], kind: Kind, form: Form, order: Option<Order>) -> Plain<Vec<Row>> {
    let said: Vec<(u64, &[u8])> = plain_trec::lines(text, true).collect();
    let Some((_, first)) = said.first() else { return Err(Stop::Fault) };
    let first = words(first);
    let are_numbers = |columns: &[&[u8]]| columns.iter().all(|text| !number_or_nan(text).is_nan());
    let (width, is_short) = (first.len(), matches!(first.len(), 3 | 4));
    let is_columns = match kind {
        Kind::Runs => {
            width == 3 || (width == 4 && are_numbers(&first[2..4]) && !matches!(first[1], b"0" | b"Q0" | b"q0"))
        }
        Kind::Qrels => width == 3,
    };
    if !is_columns {
        if form.is_some() {
            return Err(Stop::Open);
        }
        return match kind {
            Kind::Runs => plain_trec::run(text, order, plain_trec::Dialect::Own).map(|(rows, _)| rows),
            Kind::Qrels => plain_trec::qrels(text, plain_trec::Dialect::Own, 4),
        };
    }
    debug_assert!(is_short);
    let mut rows = Vec::new();
    for (_, line) in &said {
        let columns = words(line);
        if columns.len() != width || line.contains(&0) {
            return Err(Stop::Fault);
        }
        let number_at = |place: usize| number(columns[place]).filter(|number| !number.is_nan()).ok_or(Stop::Fault);
        let mut row = Row { topic: columns[0].to_vec(), document: Some(columns[1].to_vec()), ..Row::default() };
        match kind {
            Kind::Qrels => row.grade = Some(finite(number(columns[2]))?),
            Kind::Runs => {
                row.rank = Some(number_at(2)?);
                row.score = if width == 4 { Some(number_at(3)?) } else { None };
            }
        }
        rows.push(row);
    }
    if width == 3 && form.is_none() {
        check_counted(&rows, kind)?;
    }
    Ok(rows)
}

/// Ranks of the first topic count from 1, and grades do not count up to 6.
fn check_counted(rows: &[Row], kind: Kind) -> Plain<()> {
    let of_first = rows.iter().filter(|row| row.topic == rows[0].topic);
    let numbers: Vec<f64> = of_first.map(|row| row.rank.or(row.grade).unwrap_or(0.0)).collect();
    let counts = numbers.iter().zip(1..).all(|(&number, place)| number == f64::from(place));
    let is_wrong = if kind == Kind::Runs { !counts } else { counts && numbers.len() >= 6 };
    if is_wrong { Err(Stop::Fault) } else { Ok(()) }
}
