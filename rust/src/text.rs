//! Tables of values as text. Python asks for one run at a time and writes the pieces.

use std::io::Write;

#[derive(Clone, Copy, PartialEq)]
pub enum Form {
    Tsv,
    Csv,
    Jsonl,
}

/// Numbers that stand beside the values, such as a lower bound: by measure and topic, and for all topics.
pub struct Column {
    pub name: Vec<u8>,
    pub values: Vec<f64>,
    pub means: Vec<f64>,
}

/// Values of one run: `values[measure * topics + topic]`.
pub struct Table<'a> {
    pub form: Form,
    pub run: &'a [u8],
    pub topics: &'a [Vec<u8>],
    pub measures: &'a [Vec<u8>],
    pub values: &'a [f64],
    /// Which topics have rows.
    pub present: &'a [bool],
    /// One value for all topics, by measure; empty where it is not wanted.
    pub means: &'a [f64],
    pub beside: &'a [Column],
    pub places: Option<usize>,
}

impl Table<'_> {
    pub fn text(&self) -> Vec<u8> {
        let quote = |name: &[u8]| quoted(self.form, name);
        let run = quote(self.run);
        let measures: Vec<Vec<u8>> = self.measures.iter().map(|name| quote(name)).collect();
        let rows = (self.present.iter().filter(|&&is| is).count() + 1) * measures.len();
        let mut out = Vec::with_capacity(rows * (run.len() + 48));
        for (place, topic) in self.topics.iter().enumerate() {
            if self.present[place] {
                let topic = quote(topic);
                for (number, measure) in measures.iter().enumerate() {
                    let at = number * self.topics.len() + place;
                    let beside = self.beside.iter().map(|column| (column.name.as_slice(), column.values[at]));
                    self.row(&mut out, &[&run, &topic, measure], self.values[at], beside);
                }
            }
        }
        let all = quote(b"all");
        for (number, (measure, &mean)) in measures.iter().zip(self.means).enumerate() {
            let beside = self.beside.iter().map(|column| (column.name.as_slice(), column.means[number]));
            self.row(&mut out, &[&run, &all, measure], mean, beside);
        }
        out
    }

    fn row<'n>(
        &self,
        out: &mut Vec<u8>,
        names: &[&[u8]; 3],
        value: f64,
        beside: impl Iterator<Item = (&'n [u8], f64)>,
    ) {
        let pieces: [&[u8]; 5] = match self.form {
            Form::Tsv => [b"", b"\t", b"\t", b"\t", b"\n"],
            Form::Csv => [b"", b",", b",", b",", b"\n"],
            Form::Jsonl => [b"{\"run\": ", b", \"topic\": ", b", \"measure\": ", b", \"value\": ", b"}\n"],
        };
        for (piece, field) in pieces.iter().zip(names) {
            out.extend_from_slice(piece);
            out.extend_from_slice(field);
        }
        out.extend_from_slice(pieces[3]);
        self.number(out, value);
        for (name, number) in beside {
            if self.form == Form::Jsonl {
                out.extend_from_slice(b", \"");
                out.extend_from_slice(name);
                out.extend_from_slice(b"\": ");
            } else {
                out.extend_from_slice(pieces[3]);
            }
            self.number(out, number);
        }
        out.extend_from_slice(pieces[4]);
    }

    fn number(&self, out: &mut Vec<u8>, value: f64) {
        if !value.is_finite() {
            let words: &[u8] = match (self.form, value.is_nan()) {
                (Form::Jsonl, true) => b"null",
                (Form::Jsonl, false) if value > 0.0 => b"1e999",
                (Form::Jsonl, false) => b"-1e999",
                (_, true) => b"nan",
                _ if value > 0.0 => b"inf",
                _ => b"-inf",
            };
            out.extend_from_slice(words);
            return;
        }
        match self.places {
            // Writing to a Vec cannot fail.
            Some(places) => drop(write!(out, "{value:.places$}")),
            None => out.extend_from_slice(ryu::Buffer::new().format_finite(value).as_bytes()),
        }
    }
}

/// A name as the form writes it.
fn quoted(form: Form, name: &[u8]) -> Vec<u8> {
    match form {
        Form::Tsv => name.iter().map(|&byte| if matches!(byte, b'\t' | b'\n' | b'\r') { b' ' } else { byte }).collect(),
        Form::Csv if name.iter().any(|byte| matches!(byte, b',' | b'"' | b'\n' | b'\r')) => {
            let mut out = vec![b'"'];
            for &byte in name {
                out.push(byte);
                if byte == b'"' {
                    out.push(b'"');
                }
            }
            out.push(b'"');
            out
        }
        Form::Csv => name.to_vec(),
        Form::Jsonl => json(name),
    }
}

/// A JSON string. Bytes that are not UTF-8 are written as Python's surrogates for them, so that its reader gives back
/// the name it knows.
fn json(name: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '"' => out.extend_from_slice(b"\\\""),
                '\\' => out.extend_from_slice(b"\\\\"),
                c if (c as u32) < 0x20 => out.extend_from_slice(format!("\\u{:04x}", c as u32).as_bytes()),
                c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        for byte in chunk.invalid() {
            out.extend_from_slice(format!("\\udc{byte:02x}").as_bytes());
        }
    }
    out.push(b'"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_as_each_form_asks() {
        assert_eq!(quoted(Form::Csv, b"a,\"b\""), b"\"a,\"\"b\"\"\"");
        assert_eq!(quoted(Form::Jsonl, b"\"\\\x01\xff"), b"\"\\\"\\\\\\u0001\\udcff\"");
        assert_eq!(quoted(Form::Tsv, b"a\tb"), b"a b");
    }

    #[test]
    fn rows_come_by_topic_then_measure_and_the_mean_last() {
        let (topics, measures) = (vec![b"1".to_vec(), b"2".to_vec()], vec![b"AP".to_vec(), b"P@5".to_vec()]);
        let table = Table {
            form: Form::Tsv,
            run: b"r",
            topics: &topics,
            measures: &measures,
            values: &[0.5, 0.25, 1.0, f64::NAN],
            present: &[true, false],
            means: &[0.5, 1.0],
            beside: &[],
            places: None,
        };
        assert_eq!(table.text(), b"r\t1\tAP\t0.5\nr\t1\tP@5\t1.0\nr\tall\tAP\t0.5\nr\tall\tP@5\t1.0\n");
    }

    #[test]
    fn numbers_beside_the_value_follow_it() {
        let (topics, measures) = (vec![b"1".to_vec()], vec![b"P@5".to_vec()]);
        let upper = Column { name: b"upper".to_vec(), values: vec![0.75], means: vec![f64::NAN] };
        let table = |form| Table {
            form,
            run: b"r",
            topics: &topics,
            measures: &measures,
            values: &[0.5],
            present: &[true],
            means: &[0.5],
            beside: std::slice::from_ref(&upper),
            places: None,
        };
        assert_eq!(table(Form::Csv).text(), b"r,1,P@5,0.5,0.75\nr,all,P@5,0.5,nan\n");
        assert!(table(Form::Jsonl).text().ends_with(b"\"value\": 0.5, \"upper\": null}\n"));
    }
}
