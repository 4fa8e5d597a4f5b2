//! What the objects and lists of a JSON file say: a document each, or a ranking each.

use crate::columns::{Given, Kind, ROLES, Role, normalised};
use crate::dialect::Order;
use crate::entries::{Described, Request};
use crate::error::{ReadError, shown};
use crate::fields::Span;
use crate::json::{Fault, Scan, Scanner, Value, decode, fault};
use crate::number;
use crate::source::Source;
use std::borrow::Cow;

/// A value of an object that matters, and how preferred its key is.
#[derive(Clone, Copy)]
pub struct Field {
    preference: usize,
    pub value: Value,
    key: Span,
}

pub type Fields = [Option<Field>; ROLES];

/// A document of a ranking, and its number if it has one.
#[derive(Clone, Copy)]
pub struct Item {
    pub document: Span,
    pub number: Option<f64>,
}

/// One object: its topic, what it is a part of, and one document or many.
pub struct Row {
    pub topic: Span,
    /// Its run, or the sub-topic of a judgment.
    pub part: Span,
    pub items: Vec<Item>,
}

/// How objects are understood; the first one decides whether there are scores, ranks or neither.
pub struct Rows {
    pub kind: Kind,
    request: Request,
    pub order: Order,
    /// What the numbers are; None before the first entry.
    number: Option<Option<Role>>,
    pub described: Described,
}

impl Rows {
    pub fn new(form: &'static str, request: &Request) -> Self {
        let described = Described { form, columns: Vec::new() };
        Rows { kind: request.kind, request: request.clone(), order: Order::Score64, number: None, described }
    }

    /// The role of a key, and how preferred it is among the names for that role.
    fn role_of(&self, key: &[u8]) -> Option<(Role, usize)> {
        let name = normalised(key);
        let given: &Given = &self.request.columns;
        if let Some((role, wanted)) = given.iter().find(|(_, wanted)| normalised(wanted.as_bytes()) == name) {
            return Some((*role, usize::from(wanted.as_bytes() != key)));
        }
        let roles = self.kind.roles().iter().chain(&[Role::List]);
        let open = roles.filter(|&role| given.iter().all(|(taken, _)| taken != role));
        open.copied().find_map(|role| Some((role, role.preference(&name)?)))
    }

    /// Whether a key names the topic.
    pub fn is_topic(&self, key: &[u8]) -> bool {
        self.role_of(key).is_some_and(|(role, _)| role == Role::Topic)
    }

    /// Whether this is what the number of each entry is.
    pub fn uses(&self, role: Role) -> bool {
        match self.kind {
            Kind::Qrels => role == Role::Grade,
            Kind::Run => self.number == Some(Some(role)),
        }
    }

    /// The values of an object that matter; all values in order go to `each`.
    pub fn fields(&self, text: &[u8], span: Span, mut each: impl FnMut(Value)) -> Scan<Fields> {
        let mut fields: Fields = [None; ROLES];
        let mut scanner = Scanner::new(text, span.0, span.1);
        scanner.expect(b'{')?;
        let mut is_first = true;
        while let Some((key, escaped)) = scanner.next_key(is_first)? {
            is_first = false;
            let value = scanner.value()?;
            each(value);
            let role = self.role_of(&spelled(text, key, escaped)?);
            let Some((role, preference)) = role else { continue };
            let slot = &mut fields[role as usize];
            match slot {
                Some(there) if there.preference == preference => {
                    return fault(key.0, format!("expected one {} in an object, found two", role.word()));
                }
                Some(there) if there.preference < preference => {}
                _ => *slot = Some(Field { preference, value, key }),
            }
        }
        Ok(fields)
    }

    /// The topic and the documents of an object. Escapes of its names are overwritten by what they spell.
    pub fn row(&mut self, text: &mut [u8], at: usize, fields: &Fields, source: &Source) -> Result<Row, Wrong> {
        let field = |role: Role| fields[role as usize].map(|field| field.value);
        let Some(topic) = field(Role::Topic) else {
            return Ok(fault(at, "expected an object with the topic, such as qid")?);
        };
        let items = match (field(Role::Document), field(Role::List)) {
            (Some(document), _) => {
                let number = self.number_in(text, fields, source)?;
                if number.is_none() && self.request.order.is_none() {
                    // A judgment has a document and no score either: the file must say that it means its order.
                    return Err(Wrong::Lacking(Role::Score));
                }
                vec![Item { document: name(text, document, Role::Document)?, number }]
            }
            (None, Some(list)) => self.items(text, list, source)?,
            (None, None) => {
                return Ok(fault(at, "expected an object with a document, such as docid, or with a list of results")?);
            }
        };
        let topic = name(text, topic, Role::Topic)?;
        let part = match field(self.kind.part()) {
            None => (0, 0),
            Some(Value::Word(_)) if self.kind == Kind::Qrels => (0, 0),
            Some(Value::Text((start, end), _)) if self.kind == Kind::Qrels && start == end => (0, 0),
            Some(Value::Number(span)) if self.kind == Kind::Qrels => span,
            Some(value) => name(text, value, self.kind.part())?,
        };
        if self.described.columns.is_empty() {
            let keys = Role::ALL.into_iter().filter_map(|role| Some((role.word(), fields[role as usize]?.key)));
            self.described.columns = keys.map(|(word, (start, end))| (word, shown(&text[start..end]))).collect();
        }
        Ok(Row { topic, part, items })
    }

    /// The documents of a ranking that is written as a list, or as an object from document to number.
    fn items(&mut self, text: &mut [u8], list: Value, source: &Source) -> Result<Vec<Item>, Wrong> {
        let mut found: Vec<(Value, Option<Value>)> = Vec::new();
        match list {
            Value::Object(span) => {
                let mut scanner = Scanner::new(text, span.0 + 1, span.1);
                while let Some((key, escaped)) = scanner.next_key(found.is_empty())? {
                    found.push((Value::Text(key, escaped), Some(scanner.value()?)));
                }
            }
            Value::Array(span) => {
                let mut scanner = Scanner::new(text, span.0 + 1, span.1);
                while scanner.next_item(found.is_empty())? {
                    found.push((scanner.value()?, None));
                }
            }
            other => return Ok(fault(other.span().0, "expected a list of results")?),
        }
        let shape = found.first().map(|(item, _)| std::mem::discriminant(item));
        let mut items = Vec::with_capacity(found.len());
        for (item, number) in found {
            let is_same = shape == Some(std::mem::discriminant(&item)) || is_name(item) && found_names(shape, item);
            if !is_same {
                return Ok(fault(item.span().0, "expected a list whose items are all alike")?);
            }
            items.push(match number {
                Some(value) => self.pair(text, item, value, source)?,
                None => self.item(text, item, source)?,
            });
        }
        Ok(items)
    }

    /// An item of a list: a name, a name and a number, or an object.
    pub fn item(&mut self, text: &mut [u8], item: Value, source: &Source) -> Result<Item, Wrong> {
        match item {
            Value::Object(span) => {
                let fields = self.fields(text, span, |_| ())?;
                let Some(document) = fields[Role::Document as usize] else {
                    return Ok(fault(span.0, "expected an object with a document, such as docid")?);
                };
                let number = self.number_in(text, &fields, source)?;
                Ok(Item { document: name(text, document.value, Role::Document)?, number })
            }
            Value::Array(span) => {
                let mut scanner = Scanner::new(text, span.0 + 1, span.1);
                let mut values = Vec::new();
                while scanner.next_item(values.is_empty())? {
                    values.push(scanner.value()?);
                }
                match values[..] {
                    [document, number] => self.pair(text, document, number, source),
                    _ => Ok(fault(span.0, "expected a document and a number")?),
                }
            }
            _ => {
                self.resolve(false, false, source)?;
                if self.kind == Kind::Qrels {
                    return Ok(fault(item.span().0, "expected a document with its grade")?);
                }
                Ok(Item { document: name(text, item, Role::Document)?, number: None })
            }
        }
    }

    /// A document and its score, or its grade.
    pub fn pair(&mut self, text: &mut [u8], document: Value, value: Value, source: &Source) -> Result<Item, Wrong> {
        let role = self.resolve(true, false, source)?.unwrap_or(Role::Score);
        if !matches!(value, Value::Number(_)) {
            let expected = format!("expected a number as {}", role.word());
            return Ok(Err(Fault { at: value.span().0, kind: role.fault(), expected })?);
        }
        let number = number_of(text, value, role)?;
        Ok(Item { document: name(text, document, Role::Document)?, number: Some(number) })
    }

    fn number_in(&mut self, text: &mut [u8], fields: &Fields, source: &Source) -> Result<Option<f64>, Wrong> {
        let has = |role: Role| fields[role as usize].is_some();
        let has_score = if self.kind == Kind::Qrels { has(Role::Grade) } else { has(Role::Score) };
        let role = self.resolve(has_score, has(Role::Rank), source)?;
        let Some(role) = role else { return Ok(None) };
        match fields[role as usize] {
            Some(field) => Ok(Some(number_of(text, field.value, role)?)),
            None => Ok(None),
        }
    }

    /// What the number of an entry is, once it is known which ones entries have; all must have the same.
    fn resolve(&mut self, has_score: bool, has_rank: bool, source: &Source) -> Result<Option<Role>, Wrong> {
        if self.kind == Kind::Qrels {
            return if has_score { Ok(Some(Role::Grade)) } else { Err(Wrong::Lacking(Role::Grade)) };
        }
        let number = match self.number {
            Some(number) => number,
            None => {
                self.order = self.request.order(source, has_score, has_rank)?;
                let number = match self.order {
                    Order::Rank => Some(Role::Rank),
                    Order::Score | Order::Score64 => Some(Role::Score),
                    Order::File => None,
                };
                self.number = Some(number);
                number
            }
        };
        match number {
            Some(Role::Rank) if !has_rank => Err(Wrong::Lacking(Role::Rank)),
            Some(Role::Score) if !has_score => Err(Wrong::Lacking(Role::Score)),
            None if self.request.order.is_none() && (has_score || has_rank) => Err(Wrong::Unlike),
            Some(Role::Rank) if self.request.order.is_none() && has_score => Err(Wrong::Unlike),
            number => Ok(number),
        }
    }

    /// What a document is ordered by, or the grade of a judgment.
    pub fn key(&self, item: &Item, entry: u64) -> f64 {
        let number = item.number.unwrap_or(0.0);
        if self.kind == Kind::Qrels { number } else { self.order.key(number, number, entry) }
    }
}

/// What is wrong with an object: its text, or what it lacks.
pub enum Wrong {
    Text(Fault),
    Lacking(Role),
    /// It has a number that those before do not have.
    Unlike,
    Other(ReadError),
}

impl From<Fault> for Wrong {
    fn from(fault: Fault) -> Self {
        Wrong::Text(fault)
    }
}

impl From<ReadError> for Wrong {
    fn from(error: ReadError) -> Self {
        Wrong::Other(error)
    }
}

/// What a key spells.
pub fn spelled(text: &[u8], key: Span, escaped: bool) -> Scan<Cow<'_, [u8]>> {
    let raw = &text[key.0..key.1];
    if !escaped {
        return Ok(Cow::Borrowed(raw));
    }
    let mut own = raw.to_vec();
    let (_, end) = decode(&mut own, (0, raw.len())).map_err(|why| Fault { at: key.0 + why.at, ..why })?;
    own.truncate(end);
    Ok(Cow::Owned(own))
}

fn is_name(value: Value) -> bool {
    matches!(value, Value::Text(..) | Value::Number(_))
}

/// Whether names come as texts and as numbers in one list.
fn found_names(shape: Option<std::mem::Discriminant<Value>>, item: Value) -> bool {
    let span = item.span();
    let shapes = [Value::Text(span, false), Value::Number(span)].map(|value| std::mem::discriminant(&value));
    shape.is_some_and(|shape| shapes.contains(&shape))
}

/// A name: a text that is not empty, or a whole number, whose digits are the name.
pub fn name(text: &mut [u8], value: Value, role: Role) -> Scan<Span> {
    let word = role.word();
    match value {
        Value::Text((start, end), _) if start == end => {
            fault(start, format!("expected a name as {word}, found an empty text"))
        }
        Value::Text(span, false) => Ok(span),
        Value::Text(span, true) => decode(text, span),
        Value::Number(span) if text[span.0..span.1].iter().all(|byte| matches!(byte, b'-' | b'0'..=b'9')) => Ok(span),
        other => fault(other.span().0, format!("expected a name as {word}: a text, or a whole number")),
    }
}

/// A number, or a text that holds one; finite if it is a grade.
fn number_of(text: &mut [u8], value: Value, role: Role) -> Scan<f64> {
    let span = match value {
        Value::Number(span) | Value::Text(span, false) => span,
        Value::Text(span, true) => decode(text, span)?,
        other => other.span(),
    };
    let is_number = matches!(value, Value::Number(_) | Value::Text(..));
    let fits = |number: &f64| if role == Role::Grade { number.is_finite() } else { !number.is_nan() };
    let read = number::strict(&text[span.0..span.1]).filter(fits);
    match read.filter(|_| is_number) {
        Some(number) => Ok(number),
        None => {
            let kind = if role == Role::Grade { "a finite number" } else { "a number" };
            let found = shown(&text[span.0..span.1]);
            let expected = format!("expected {kind} as {}, found {found}", role.word());
            Err(Fault { at: span.0, kind: role.fault(), expected })
        }
    }
}
