//! JSON, one value at a time, over text that may end before the value does. Nothing is built: values are places in the text.

use crate::fields::Span;

/// Deeper nesting is refused, wherever it stands.
const DEEPEST: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// What stands between the quotes, and whether there are escapes in it.
    Text(Span, bool),
    Number(Span),
    /// true, false or null.
    Word(Span),
    /// With its brackets.
    Array(Span),
    Object(Span),
}

impl Value {
    pub fn span(self) -> Span {
        match self {
            Value::Text(span, _) | Value::Number(span) | Value::Word(span) => span,
            Value::Array(span) | Value::Object(span) => span,
        }
    }
}

/// What is wrong at a place in the text. At the end of the text, more of it may mend that.
#[derive(Debug)]
pub struct Fault {
    pub at: usize,
    /// Of the error, where that is about a column.
    pub kind: &'static str,
    pub expected: String,
}

pub type Scan<T> = Result<T, Fault>;

pub fn fault<T>(at: usize, expected: impl Into<String>) -> Scan<T> {
    Err(Fault { at, kind: "", expected: expected.into() })
}

pub struct Scanner<'t> {
    text: &'t [u8],
    pub at: usize,
    end: usize,
    /// Line ends passed; they stand only between values.
    pub lines: u64,
}

impl<'t> Scanner<'t> {
    pub fn new(text: &'t [u8], at: usize, end: usize) -> Self {
        Scanner { text: &text[..end], at, end, lines: 0 }
    }

    /// The next byte that is no blank; None at the end.
    pub fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\r' => {}
                b'\n' => self.lines += 1,
                _ => return Some(byte),
            }
            self.at += 1;
        }
        None
    }

    pub fn expect(&mut self, byte: u8) -> Scan<()> {
        if self.peek() == Some(byte) {
            self.at += 1;
            return Ok(());
        }
        fault(self.at, format!("expected {}", byte as char))
    }

    /// A string, from quote to quote.
    pub fn string(&mut self) -> Scan<(Span, bool)> {
        if self.peek() != Some(b'"') {
            return fault(self.at, "expected a text in quotes");
        }
        self.at += 1;
        let start = self.at;
        let mut escaped = false;
        while let Some(&byte) = self.text.get(self.at) {
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(((start, self.at - 1), escaped));
                }
                b'\\' => {
                    escaped = true;
                    self.escape()?;
                }
                0..0x20 => return fault(self.at, "expected a text in quotes, found a control character in it"),
                _ => self.at += 1,
            }
        }
        fault(self.end, "expected a closing quote")
    }

    fn escape(&mut self) -> Scan<()> {
        match self.text.get(self.at + 1) {
            None => fault(self.end, "expected a closing quote"),
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.at += 2;
                Ok(())
            }
            Some(b'u') => match self.text.get(self.at + 2..self.at + 6) {
                None => fault(self.end, "expected a closing quote"),
                Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => {
                    self.at += 6;
                    Ok(())
                }
                Some(_) => fault(self.at, "expected four hexadecimal digits after \\u"),
            },
            Some(_) => fault(self.at, "expected an escape such as \\n or \\u00e9"),
        }
    }

    pub fn number(&mut self) -> Scan<Span> {
        self.peek();
        let start = self.at;
        let length = number_length(&self.text[start..]);
        if length == 0 {
            let is_cut =
                self.text[start..].iter().all(|byte| matches!(byte, b'-' | b'0'..=b'9' | b'.' | b'e' | b'E' | b'+'));
            return fault(if is_cut { self.end } else { start }, "expected a number");
        }
        self.at += length;
        Ok((start, self.at))
    }

    /// The next value, whole.
    pub fn value(&mut self) -> Scan<Value> {
        let first = self.peek();
        let start = self.at;
        match first {
            Some(b'"') => self.string().map(|(span, escaped)| Value::Text(span, escaped)),
            Some(b'{' | b'[') => {
                self.skip_nested()?;
                let span = (start, self.at);
                Ok(if first == Some(b'{') { Value::Object(span) } else { Value::Array(span) })
            }
            Some(b'-' | b'0'..=b'9') => self.number().map(Value::Number),
            Some(_) => self.word().map(Value::Word),
            None => fault(self.end, "expected a value"),
        }
    }

    fn word(&mut self) -> Scan<Span> {
        let start = self.at;
        for word in [&b"true"[..], b"false", b"null"] {
            let there = &self.text[start..(start + word.len()).min(self.end)];
            if there == word {
                self.at += word.len();
                return Ok((start, self.at));
            }
            if start + there.len() == self.end && word.starts_with(there) {
                return fault(self.end, "expected a value");
            }
        }
        fault(start, "expected a value")
    }

    /// Past an object or array and all that is in it.
    fn skip_nested(&mut self) -> Scan<()> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            match self.peek() {
                Some(byte @ (b'{' | b'[')) => {
                    if open.len() == DEEPEST {
                        return fault(self.at, format!("expected at most {DEEPEST} levels of nesting, found more"));
                    }
                    self.at += 1;
                    open.push(byte);
                    if self.close(byte) {
                        open.pop();
                    } else {
                        self.key_if_object(byte)?;
                        continue;
                    }
                }
                _ => {
                    self.value()?; // not nested
                }
            }
            // A value has ended: what follows belongs to what is open.
            loop {
                let Some(&outer) = open.last() else { return Ok(()) };
                if self.close(outer) {
                    open.pop();
                    continue;
                }
                self.expect(b',').map_err(|why| Fault { expected: "expected a comma or the end".into(), ..why })?;
                self.key_if_object(outer)?;
                break;
            }
        }
    }

    /// Whether the bracket that was opened closes here; then it is passed.
    pub fn close(&mut self, opened: u8) -> bool {
        let closes = self.peek() == Some(if opened == b'{' { b'}' } else { b']' });
        self.at += usize::from(closes);
        closes
    }

    fn key_if_object(&mut self, opened: u8) -> Scan<()> {
        if opened == b'{' {
            self.string()?;
            self.expect(b':')?;
        }
        Ok(())
    }

    /// The next key of an object that was opened, or None at its end.
    pub fn next_key(&mut self, is_first: bool) -> Scan<Option<(Span, bool)>> {
        if self.close(b'{') {
            return Ok(None);
        }
        if !is_first {
            self.expect(b',').map_err(|why| Fault { expected: "expected a comma or }".into(), ..why })?;
        }
        let key = self.string()?;
        self.expect(b':')?;
        Ok(Some(key))
    }

    /// Whether the array that was opened goes on; the comma before its next value is passed.
    pub fn next_item(&mut self, is_first: bool) -> Scan<bool> {
        if self.close(b'[') {
            return Ok(false);
        }
        if !is_first {
            self.expect(b',').map_err(|why| Fault { expected: "expected a comma or ]".into(), ..why })?;
        }
        Ok(true)
    }
}

/// How long the number is that the text starts with, by JSON's grammar; 0 where there is none.
pub fn number_length(text: &[u8]) -> usize {
    let digits = |from: usize| text[from.min(text.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut at = usize::from(text.first() == Some(&b'-'));
    let whole = digits(at);
    if whole == 0 || (whole > 1 && text[at] == b'0') {
        return 0;
    }
    at += whole;
    if text.get(at) == Some(&b'.') {
        let places = digits(at + 1);
        if places == 0 {
            return 0;
        }
        at += 1 + places;
    }
    if matches!(text.get(at), Some(b'e' | b'E')) {
        let signed = at + 1 + usize::from(matches!(text.get(at + 1), Some(b'+' | b'-')));
        let power = digits(signed);
        if power == 0 {
            return 0;
        }
        at = signed + power;
    }
    at
}

/// What a string spells, written over its escapes: it never gets longer. Halves of surrogate pairs that stand for bytes,
/// as Python writes names that are not UTF-8, become these bytes.
pub fn decode(text: &mut [u8], span: Span) -> Scan<Span> {
    let (mut from, mut to) = (span.0, span.0);
    while from < span.1 {
        let byte = text[from];
        if byte != b'\\' {
            text[to] = byte;
            (from, to) = (from + 1, to + 1);
            continue;
        }
        let plain = match text[from + 1] {
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                let (character, length) = unicode(text, from, span.1)?;
                to += write(text, to, character);
                from += length;
                continue;
            }
            other => other,
        };
        text[to] = plain;
        (from, to) = (from + 2, to + 1);
    }
    Ok((span.0, to))
}

enum Unit {
    Character(char),
    Byte(u8),
}

fn write(text: &mut [u8], to: usize, unit: Unit) -> usize {
    match unit {
        Unit::Character(character) => {
            let mut bytes = [0; 4];
            let bytes = character.encode_utf8(&mut bytes).as_bytes();
            text[to..to + bytes.len()].copy_from_slice(bytes);
            bytes.len()
        }
        Unit::Byte(byte) => {
            text[to] = byte;
            1
        }
    }
}

/// The character of a \u escape, and how long the escape is.
fn unicode(text: &[u8], at: usize, end: usize) -> Scan<(Unit, usize)> {
    let unit = |from: usize| {
        let digits = text.get(from + 2..from + 6).filter(|_| from + 6 <= end && text[from..].starts_with(b"\\u"))?;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let first = unit(at).unwrap_or(0);
    if let Some(character) = char::from_u32(first) {
        return Ok((Unit::Character(character), 6));
    }
    if let (0xD800..0xDC00, Some(second @ 0xDC00..0xE000)) = (first, unit(at + 6)) {
        let code = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
        return Ok((Unit::Character(char::from_u32(code).unwrap_or('\u{FFFD}')), 12));
    }
    match first {
        0xDC80..=0xDCFF => Ok((Unit::Byte((first - 0xDC00) as u8), 6)),
        _ => fault(at, "expected a character, found half of a surrogate pair"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Scan<Value> {
        let mut scanner = Scanner::new(text.as_bytes(), 0, text.len());
        let value = scanner.value()?;
        if scanner.peek().is_some() { fault(scanner.at, "end") } else { Ok(value) }
    }

    #[test]
    fn values_are_taken_whole() {
        for text in
            ["{}", "[]", "[1, [2, {\"a\": null}], true]", "{\"a\": {\"b\": []}, \"c\": -1.5e-3}", "\"\\u00e9\"", "0"]
        {
            assert!(whole(text).is_ok(), "{text}");
        }
        for text in [
            "{",
            "[1,]",
            "{,}",
            "{\"a\" 1}",
            "01",
            "1.",
            ".5",
            "+1",
            "tru",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\n\"",
            "{\"a\":1 \"b\":2}",
            "[1 2]",
            "-",
            "NaN",
            "]",
        ] {
            assert!(whole(text).is_err(), "{text}");
        }
        assert!(whole(&"[".repeat(100)).is_err());
    }

    #[test]
    fn what_more_text_may_mend_is_at_its_end() {
        for text in ["{", "{\"a", "{\"a\":", "[1,", "tr", "\"\\u1", "-"] {
            assert_eq!(whole(text).unwrap_err().at, text.len(), "{text}");
        }
    }

    #[test]
    fn escapes_become_what_they_spell() {
        for (text, spelled) in [
            ("a\\\"b", &b"a\"b"[..]),
            ("\\u00e9", "é".as_bytes()),
            ("\\ud83d\\ude00x", "😀x".as_bytes()),
            ("\\udcff", b"\xff"),
        ] {
            let mut bytes = text.as_bytes().to_vec();
            let (start, end) = decode(&mut bytes, (0, text.len())).unwrap();
            assert_eq!(&bytes[start..end], spelled);
        }
        assert!(decode(&mut b"\\ud83d".to_vec(), (0, 6)).is_err());
    }
}
