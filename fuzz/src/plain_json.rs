//! JSON and JSON Lines, with a small parser of its own that builds every value.

use crate::plain::{
    DOCUMENT, GRADE, Kind, Name, Plain, RANK, RUN, Row, SCORE, SUBTOPIC, Stop, TOPIC, finite, is_blank, normalised,
    not_empty, number, number_or_nan, place_of, strip,
};

const LISTS: &[&str] = &[
    "results",
    "ranking",
    "rankings",
    "hits",
    "documents",
    "docs",
    "docids",
    "retrieved",
    "judgments",
    "judgements",
    "qrels",
];
const META: &[u8] = b"mteb_model_meta";
const DEEPEST: usize = 64;

#[derive(Clone, Debug)]
pub enum Value {
    /// None where it holds half of a surrogate pair, which is no text.
    Text(Option<Name>),
    Number(Name),
    Word,
    Array(Vec<Value>),
    Object(Vec<(Option<Name>, Value)>),
}

struct Parser<'t>(&'t [u8]);

impl Parser<'_> {
    fn skip(&mut self) {
        while let [b' ' | b'\t' | b'\r' | b'\n', rest @ ..] = self.0 {
            self.0 = rest;
        }
    }

    fn take(&mut self, word: &[u8]) -> Plain<()> {
        self.0 = self.0.strip_prefix(word).ok_or(Stop::Fault)?;
        Ok(())
    }

    fn is_next(&mut self, byte: u8) -> bool {
        self.skip();
        let is = self.0.first() == Some(&byte);
        if is {
            self.0 = &self.0[1..];
        }
        is
    }

    fn value(&mut self, depth: usize) -> Plain<Value> {
        self.skip();
        match self.0.first() {
            Some(b'"') => self.text().map(Value::Text),
            Some(b'{') => self.members(depth),
            Some(b'[') => self.items(depth),
            Some(b't') => self.take(b"true").map(|()| Value::Word),
            Some(b'f') => self.take(b"false").map(|()| Value::Word),
            Some(b'n') => self.take(b"null").map(|()| Value::Word),
            _ => self.number().map(Value::Number),
        }
    }

    fn members(&mut self, depth: usize) -> Plain<Value> {
        check_depth(depth)?;
        self.take(b"{")?;
        let mut members = Vec::new();
        if self.is_next(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.skip();
            let key = self.text()?;
            if !self.is_next(b':') {
                return Err(Stop::Fault);
            }
            members.push((key, self.value(depth + 1)?));
            if self.is_next(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.is_next(b',') {
                return Err(Stop::Fault);
            }
        }
    }

    fn items(&mut self, depth: usize) -> Plain<Value> {
        check_depth(depth)?;
        self.take(b"[")?;
        let mut items = Vec::new();
        if self.is_next(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            if self.is_next(b']') {
                return Ok(Value::Array(items));
            }
            if !self.is_next(b',') {
                return Err(Stop::Fault);
            }
        }
    }

    fn number(&mut self) -> Plain<Name> {
        let length = self.0.iter().take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
        let (written, rest) = self.0.split_at(length.count());
        let unsigned = written.strip_prefix(b"-").unwrap_or(written);
        let whole = unsigned.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let has_bare_point = unsigned.windows(2).any(|pair| pair[0] == b'.' && !pair[1].is_ascii_digit());
        let is_wrong = whole == 0
            || (whole > 1 && unsigned[0] == b'0')
            || unsigned.ends_with(b".")
            || has_bare_point
            || number(written).is_none();
        if is_wrong {
            return Err(Stop::Fault);
        }
        self.0 = rest;
        Ok(written.to_vec())
    }

    fn text(&mut self) -> Plain<Option<Name>> {
        self.take(b"\"")?;
        let (mut text, mut is_whole) = (Name::new(), true);
        loop {
            match self.0 {
                [b'"', rest @ ..] => {
                    self.0 = rest;
                    return Ok(is_whole.then_some(text));
                }
                [b'\\', b'u', rest @ ..] => {
                    self.0 = rest;
                    is_whole &= self.escaped(&mut text)?;
                }
                [b'\\', byte, rest @ ..] => {
                    let plain =
                        b"\"\\/\x08\x0C\n\r\t"[b"\"\\/bfnrt".iter().position(|one| one == byte).ok_or(Stop::Fault)?];
                    text.push(plain);
                    self.0 = rest;
                }
                [0..0x20, ..] | [] | [b'\\'] => return Err(Stop::Fault),
                [byte, rest @ ..] => {
                    text.push(*byte);
                    self.0 = rest;
                }
            }
        }
    }

    /// The character of four digits; false where it is half of one.
    fn escaped(&mut self, into: &mut Name) -> Plain<bool> {
        let unit = |text: &[u8]| {
            let digits = text.get(..4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
            u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
        };
        let first = unit(self.0).ok_or(Stop::Fault)?;
        self.0 = &self.0[4..];
        let second = self.0.strip_prefix(b"\\u").and_then(unit).filter(|second| (0xDC00..0xE000).contains(second));
        let code = match (first, second) {
            (0xD800..0xDC00, Some(second)) => {
                self.0 = &self.0[6..];
                0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
            }
            (0xDC80..=0xDCFF, _) => {
                into.push((first - 0xDC00) as u8);
                return Ok(true);
            }
            _ => first,
        };
        match char::from_u32(code) {
            Some(character) => into.extend(character.to_string().bytes()),
            None => return Ok(false),
        }
        Ok(true)
    }
}

/// Whether the object around a value counts is open.
fn check_depth(depth: usize) -> Plain<()> {
    match depth {
        _ if depth < DEEPEST - 4 => Ok(()),
        _ if depth < DEEPEST + 4 => Err(Stop::Open),
        _ => Err(Stop::Fault),
    }
}

/// The value that the whole text is.
fn parsed(text: &[u8]) -> Plain<Value> {
    let mut parser = Parser(text);
    let read = parser.value(0).and_then(|value| {
        parser.skip();
        if parser.0.is_empty() { Ok(value) } else { Err(Stop::Fault) }
    });
    if read == Err(Stop::Fault) {
        let inner = strip(text, |byte| is_blank(byte) || byte == b'\n');
        let usual = strip(text, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        if inner.len() < usual.len() && parsed(inner) != Err(Stop::Fault) {
            return Err(Stop::Open); // blanks that JSON does not know around it
        }
    }
    read
}

/// Whether a line that TREC could have written is a JSON value, or the first line of one; open where all the text is neither.
pub fn starts_value(line: &[u8], text: &[u8]) -> Plain<bool> {
    let said: Vec<u8> = line.iter().copied().filter(|&byte| !is_blank(byte)).take(2).collect();
    let is_possible = match said.as_slice() {
        [b'{', second] => matches!(second, b'"' | b'}'),
        [b'[', second] => matches!(second, b'"' | b'[' | b']' | b'{' | b'0'..=b'9' | b't' | b'f' | b'n' | b'-'),
        _ => false,
    };
    match is_possible {
        true if parsed(line) != Err(Stop::Fault) || parsed(text) != Err(Stop::Fault) => Ok(true),
        true => Err(Stop::Open),
        false => Ok(false),
    }
}

impl PartialEq for Value {
    fn eq(&self, _: &Value) -> bool {
        false // only ever compared with an error
    }
}

fn keys(members: &[(Option<Name>, Value)]) -> Vec<Name> {
    members.iter().map(|(key, _)| key.clone().unwrap_or_else(|| b"\xFF half a character".to_vec())).collect()
}

/// The place of a key; whether a less preferred one may be there twice is open.
fn place_in_object(names: &[Name], known: &[&str]) -> Plain<Option<usize>> {
    let place = place_of(names, known)?;
    let count = |wanted: &&str| names.iter().filter(|name| normalised(name) == wanted.as_bytes()).count();
    if known.iter().any(|wanted| count(wanted) > 1) { Err(Stop::Open) } else { Ok(place) }
}

/// Whether a line is an object that names a topic.
pub fn is_row(line: &[u8], _kind: Kind) -> Plain<bool> {
    match parsed(line) {
        Ok(Value::Object(members)) => {
            let is_topic = |name: &Name| TOPIC.iter().any(|known| known.as_bytes() == normalised(name));
            let is_one = |(name, (_, value)): (&Name, &(_, Value))| {
                is_topic(name) && matches!(value, Value::Text(_) | Value::Number(_))
            };
            if members.iter().any(|(key, _)| key.is_none()) {
                return Err(Stop::Open);
            }
            Ok(keys(&members).iter().zip(&members).any(is_one))
        }
        // An object that is broken after the member that names its topic is told apart by either reading.
        Err(_) => Err(Stop::Open),
        Ok(_) => Ok(false),
    }
}

pub fn lines(text: &[u8], kind: Kind) -> Plain<Vec<Row>> {
    let mut rows = Rows::new(kind);
    for line in text.split(|&byte| byte == b'\n') {
        if strip(line, is_blank).is_empty() {
            continue;
        }
        if rows.made.is_empty() && strip(line, is_blank)[0] == b'#' {
            continue;
        }
        rows.object(&parsed(line)?)?;
    }
    rows.finish()
}

pub fn document(text: &[u8], kind: Kind) -> Plain<Vec<Row>> {
    let mut text = text;
    loop {
        text = strip(text, |byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'));
        if text.first() != Some(&b'#') {
            break;
        }
        text = &text[text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len())..];
    }
    let mut rows = Rows::new(kind);
    match parsed(text)? {
        Value::Array(items) => items.iter().try_for_each(|item| rows.object(item))?,
        Value::Object(members) => {
            let members = members.into_iter().filter(|(key, _)| key.as_deref() != Some(META)).collect();
            rows.nested(&members)?;
        }
        _ => return Err(Stop::Fault),
    }
    rows.finish()
}

struct Rows {
    kind: Kind,
    made: Vec<Row>,
    /// Something that either reading is right for; matters only if nothing is wrong.
    is_open: bool,
    shapes: [bool; 2],
    named: [bool; 2],
}

impl Rows {
    fn new(kind: Kind) -> Self {
        Rows { kind, made: Vec::new(), is_open: false, shapes: [false; 2], named: [false; 2] }
    }

    fn finish(self) -> Plain<Vec<Row>> {
        let is_mixed = self.shapes == [true; 2] || self.named == [true; 2];
        match self.made.is_empty() {
            true => Err(Stop::Fault),
            false if self.is_open || is_mixed => Err(Stop::Open),
            false => Ok(self.made),
        }
    }

    /// A document, or a ranking: one line of JSON Lines.
    fn object(&mut self, value: &Value) -> Plain<()> {
        let Value::Object(members) = value else { return Err(Stop::Fault) };
        self.is_open |= !is_clean(value);
        let names = keys(members);
        let at = |known| place_in_object(&names, known);
        let topic = at(TOPIC)?.ok_or(Stop::Fault)?;
        let part_of = if self.kind == Kind::Runs { RUN } else { SUBTOPIC };
        let (part, document, list) = (at(part_of)?, at(DOCUMENT)?, at(LISTS)?);
        // A name for two roles at once, as `score` is, is no trouble; one that is there twice is.
        for known in if self.kind == Kind::Runs { [SCORE, RANK] } else { [GRADE, GRADE] } {
            at(known)?;
        }
        let topic = name(&members[topic].1)?;
        let part = match part.map(|place| &members[place].1) {
            None => Name::new(),
            Some(Value::Word) if self.kind == Kind::Qrels => Name::new(),
            Some(Value::Text(Some(text))) if self.kind == Kind::Qrels => text.clone(),
            Some(Value::Number(written)) if self.kind == Kind::Qrels => written.clone(),
            Some(value) => name(value)?,
        };
        self.named[usize::from(part.is_empty())] = true;
        self.shapes[usize::from(document.is_none())] = true;
        let row = Row { topic, part, ..Row::default() };
        match (document, list) {
            (Some(_), Some(place)) if matches!(members[place].1, Value::Array(_) | Value::Object(_)) => {
                Err(Stop::Open) // a document and a list
            }
            (Some(_), _) => self.item(members, &row, false),
            (None, Some(place)) => self.ranking(&members[place].1, &row),
            (None, None) => Err(Stop::Fault),
        }
    }

    fn item(&mut self, members: &[(Option<Name>, Value)], row: &Row, in_list: bool) -> Plain<()> {
        let names = keys(members);
        let value = |known| Ok::<_, Stop>(place_in_object(&names, known)?.map(|place| &members[place].1));
        for known in [TOPIC, LISTS, if self.kind == Kind::Runs { RUN } else { SUBTOPIC }] {
            place_in_object(&names, known)?;
        }
        let document = Some(name(value(DOCUMENT)?.ok_or(Stop::Fault)?)?);
        let row = Row { document, in_list, ..row.clone() };
        self.made.push(match self.kind {
            Kind::Runs => Row { score: value(SCORE)?.map(any_number), rank: value(RANK)?.map(any_number), ..row },
            Kind::Qrels => Row { grade: Some(finite(value(GRADE)?.map(any_number))?), ..row },
        });
        Ok(())
    }

    /// Names, pairs or objects in a list, or numbers by document.
    fn ranking(&mut self, value: &Value, row: &Row) -> Plain<()> {
        match value {
            Value::Array(items) if items.is_empty() => self.made.push(row.clone()),
            Value::Object(members) if members.is_empty() => self.made.push(row.clone()),
            Value::Object(members) => {
                let names = keys(members);
                for (place, (key, value)) in members.iter().enumerate() {
                    let key_twice = names.iter().filter(|name| **name == names[place]).count() > 1;
                    let document = Some(not_empty(key.as_deref().ok_or(Stop::Fault)?)?);
                    self.pair(Row { document, key_twice, ..row.clone() }, value)?;
                }
            }
            Value::Array(items) => {
                let is_name = |item: &Value| matches!(item, Value::Text(_) | Value::Number(_));
                let shape =
                    |item: &Value| if is_name(item) { 0 } else { 1 + u8::from(matches!(item, Value::Object(_))) };
                for item in items {
                    if shape(item) != shape(&items[0]) {
                        return Err(Stop::Fault);
                    }
                    match item {
                        Value::Object(members) => self.item(members, row, true)?,
                        Value::Array(pair) => match pair.as_slice() {
                            [document, number] => {
                                self.pair(Row { document: Some(name(document)?), ..row.clone() }, number)?;
                            }
                            _ => return Err(Stop::Fault),
                        },
                        item if self.kind == Kind::Runs => {
                            self.made.push(Row { document: Some(name(item)?), in_list: true, ..row.clone() });
                        }
                        _ => return Err(Stop::Fault),
                    }
                }
            }
            _ => return Err(Stop::Fault),
        }
        Ok(())
    }

    fn pair(&mut self, row: Row, value: &Value) -> Plain<()> {
        let Value::Number(written) = value else { return Err(Stop::Fault) };
        let number = number(written);
        self.made.push(match self.kind {
            Kind::Runs => Row { score: number, ..row },
            Kind::Qrels => Row { grade: Some(finite(number)?), ..row },
        });
        Ok(())
    }

    /// Objects within objects, down to rankings.
    fn nested(&mut self, top: &Vec<(Option<Name>, Value)>) -> Plain<()> {
        let (mut rankings, mut empty) = (Vec::new(), Vec::new());
        levels(top, 0, &mut rankings, &mut empty)?;
        rankings.sort_unstable();
        rankings.dedup();
        let most = if self.kind == Kind::Runs { 3 } else { 1 };
        let depth = match (rankings.as_slice(), empty.iter().max()) {
            ([], None) => return Err(Stop::Fault),
            ([], Some(&depth)) if empty.iter().all(|&one| one == depth) => depth,
            ([], Some(_)) => return Err(Stop::Open),
            ([depth], _) if empty.iter().any(|one| one > depth) => return Err(Stop::Fault),
            ([depth], _) if empty.iter().any(|one| one < depth) => return Err(Stop::Open),
            ([depth], _) => *depth,
            _ => return Err(Stop::Fault),
        };
        if !(1..=most).contains(&depth) || top.is_empty() {
            return Err(Stop::Fault);
        }
        self.walk(top, depth, &mut Vec::new())?;
        self.is_open |= !is_clean(&Value::Object(top.clone()));
        Ok(())
    }

    fn walk(&mut self, members: &Vec<(Option<Name>, Value)>, depth: usize, path: &mut Vec<Name>) -> Plain<()> {
        let names = keys(members);
        for (place, (key, value)) in members.iter().enumerate() {
            if names[..place].contains(&names[place]) {
                return Err(Stop::Fault);
            }
            path.push(not_empty(key.as_deref().ok_or(Stop::Fault)?)?);
            match value {
                Value::Object(inner) if depth > 1 => self.walk(inner, depth - 1, path)?,
                _ if depth > 1 => return Err(Stop::Fault),
                value => {
                    let (topic, runs) = path.split_last().ok_or(Stop::Fault)?;
                    let row = Row { topic: topic.clone(), part: runs.join(&b'/'), ..Row::default() };
                    self.ranking(value, &row)?;
                }
            }
            path.pop();
        }
        Ok(())
    }
}

/// At which depths rankings stand, and objects without a member.
fn levels(
    members: &[(Option<Name>, Value)],
    depth: usize,
    rankings: &mut Vec<usize>,
    empty: &mut Vec<usize>,
) -> Plain<()> {
    if members.is_empty() {
        empty.push(depth);
    } else if members.iter().all(|(_, value)| matches!(value, Value::Number(_))) {
        rankings.push(depth);
    } else {
        for (_, value) in members {
            match value {
                Value::Object(inner) => levels(inner, depth + 1, rankings, empty)?,
                Value::Array(_) => rankings.push(depth + 1),
                _ => return Err(Stop::Fault),
            }
        }
    }
    Ok(())
}

/// A text, or a whole number as it is written.
fn name(value: &Value) -> Plain<Name> {
    match value {
        Value::Text(Some(text)) => not_empty(text),
        Value::Number(digits) if digits.iter().all(|byte| matches!(byte, b'-' | b'0'..=b'9')) => Ok(digits.clone()),
        _ => Err(Stop::Fault),
    }
}

/// A number, or a text that holds one; NaN for anything else.
fn any_number(value: &Value) -> f64 {
    match value {
        Value::Number(text) | Value::Text(Some(text)) => number_or_nan(text),
        _ => f64::NAN,
    }
}

/// Whether no text holds half of a surrogate pair.
fn is_clean(value: &Value) -> bool {
    match value {
        Value::Text(text) => text.is_some(),
        Value::Array(items) => items.iter().all(is_clean),
        Value::Object(members) => members.iter().all(|(key, value)| key.is_some() && is_clean(value)),
        Value::Number(_) | Value::Word => true,
    }
}
