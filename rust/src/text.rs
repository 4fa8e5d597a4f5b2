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
    pub run: Vec<u8>,
    pub topics: &'a [Vec<u8>],
    pub measures: &'a [Vec<u8>],
    pub values: Vec<f64>,
    /// Which topics have rows.
    pub present: Vec<bool>,
    /// One value for all topics, by measure; empty where it is not wanted.
    pub means: Vec<f64>,
    pub beside: Vec<Column>,
    pub places: Option<usize>,
}

/// The text of tables, one after the other; where there are several, another thread makes half of it.
pub fn of_tables(tables: &[Table<'_>]) -> Vec<u8> {
    let all = |tables: &[Table<'_>]| tables.iter().map(Table::text).collect::<Vec<_>>();
    let (first, second) = tables.split_at(tables.len().div_ceil(2));
    if second.is_empty() || std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return all(tables).concat();
    }
    std::thread::scope(|scope| {
        let other = std::thread::Builder::new().spawn_scoped(scope, || all(second));
        let mut made = all(first);
        made.extend(match other.map(|thread| thread.join()) {
            Ok(Ok(rest)) => rest,
            _ => all(second), // no thread was to be had
        });
        made.concat()
    })
}

impl Table<'_> {
    pub fn text(&self) -> Vec<u8> {
        let [opens, topic_follows, measure_follows, value_follows, _] = self.pieces();
        let quote = |name: &[u8]| quoted(self.form, name);
        let measures: Vec<Vec<u8>> = self.measures.iter().map(|name| [&quote(name), value_follows].concat()).collect();
        let rows = (self.present.iter().filter(|&&is| is).count() + 1) * measures.len();
        let mut out = Vec::with_capacity(rows * (self.run.len() + 48));
        let numbers = Numbers { form: self.form, places: self.places };
        let start = [opens, &quote(&self.run), topic_follows].concat();
        let start_of = |topic: &[u8]| [&start, &quote(topic), measure_follows].concat();
        for (place, topic) in self.topics.iter().enumerate() {
            if self.present[place] {
                let start = start_of(topic);
                for (number, measure) in measures.iter().enumerate() {
                    let at = number * self.topics.len() + place;
                    out.extend_from_slice(&start);
                    out.extend_from_slice(measure);
                    let beside = self.beside.iter().map(|column| (column.name.as_slice(), column.values[at]));
                    self.numbers(&mut out, self.values[at], beside, numbers);
                }
            }
        }
        let start = start_of(b"all");
        for (number, (measure, &mean)) in measures.iter().zip(&self.means).enumerate() {
            out.extend_from_slice(&start);
            out.extend_from_slice(measure);
            let beside = self.beside.iter().map(|column| (column.name.as_slice(), column.means[number]));
            self.numbers(&mut out, mean, beside, numbers);
        }
        out
    }

    /// What stands before the run, the topic, the measure and the value, and behind the last number.
    fn pieces(&self) -> [&'static [u8]; 5] {
        match self.form {
            Form::Tsv => [b"", b"\t", b"\t", b"\t", b"\n"],
            Form::Csv => [b"", b",", b",", b",", b"\n"],
            Form::Jsonl => [b"{\"run\": ", b", \"topic\": ", b", \"measure\": ", b", \"value\": ", b"}\n"],
        }
    }

    /// The end of a row: the value, and the numbers beside it.
    fn numbers<'n>(
        &self,
        out: &mut Vec<u8>,
        value: f64,
        beside: impl Iterator<Item = (&'n [u8], f64)>,
        numbers: Numbers,
    ) {
        let pieces = self.pieces();
        numbers.write(out, value);
        for (name, number) in beside {
            if self.form == Form::Jsonl {
                out.extend_from_slice(b", \"");
                out.extend_from_slice(name);
                out.extend_from_slice(b"\": ");
            } else {
                out.extend_from_slice(pieces[3]);
            }
            numbers.write(out, number);
        }
        out.extend_from_slice(pieces[4]);
    }
}

/// The values of a column of trec_eval, by topic.
pub enum Printed {
    Reals(Vec<f64>),
    Counts(Vec<f64>),
    Texts(Vec<Vec<u8>>),
}

impl Printed {
    pub fn len(&self) -> usize {
        match self {
            Printed::Reals(values) | Printed::Counts(values) => values.len(),
            Printed::Texts(texts) => texts.len(),
        }
    }
}

/// Lines of trec_eval, `measure topic value`, topic by topic; names of measures come as they are printed.
pub fn trec_eval_lines(columns: &[(Vec<u8>, Printed)], topics: &[Vec<u8>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(topics.len() * columns.len() * 40);
    let reals = Numbers { form: Form::Tsv, places: Some(4) };
    let counts = Numbers { form: Form::Tsv, places: Some(0) };
    for (place, topic) in topics.iter().enumerate() {
        for (name, values) in columns {
            for piece in [name.as_slice(), b"\t", topic, b"\t"] {
                out.extend_from_slice(piece);
            }
            match values {
                Printed::Reals(values) if values[place].is_finite() => reals.write(&mut out, values[place]),
                // 0/0 in C, on x86, has a minus sign, which printf shows.
                Printed::Reals(values) if values[place].is_nan() => out.extend_from_slice(b"  -nan"),
                Printed::Reals(values) => {
                    out.extend_from_slice(if values[place] > 0.0 { b"   inf" } else { b"  -inf" })
                }
                Printed::Counts(values) => counts.write(&mut out, values[place].trunc()),
                Printed::Texts(texts) => {
                    [b"'", texts[place].as_slice(), b"'"].iter().for_each(|piece| out.extend(*piece))
                }
            }
            out.push(b'\n');
        }
    }
    out
}

/// How numbers are written.
#[derive(Clone, Copy)]
struct Numbers {
    form: Form,
    places: Option<usize>,
}

impl Numbers {
    fn write(self, out: &mut Vec<u8>, value: f64) {
        if !value.is_finite() {
            out.extend_from_slice(match (self.form, value.is_nan()) {
                (Form::Jsonl, true) => b"null",
                (Form::Jsonl, false) if value > 0.0 => b"1e999",
                (Form::Jsonl, false) => b"-1e999",
                (_, true) => b"nan",
                _ if value > 0.0 => b"inf",
                _ => b"-inf",
            });
            return;
        }
        match self.places {
            Some(places) => drop(write!(out, "{value:.places$}")), // writing to a Vec cannot fail
            None => out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes()),
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
            run: b"r".to_vec(),
            topics: &topics,
            measures: &measures,
            values: vec![0.5, 0.25, 1.0, f64::NAN],
            present: vec![true, false],
            means: vec![0.5, 1.0],
            beside: Vec::new(),
            places: None,
        };
        let text = b"r\t1\tAP\t0.5\nr\t1\tP@5\t1.0\nr\tall\tAP\t0.5\nr\tall\tP@5\t1.0\n";
        assert_eq!(table.text(), text);
        assert_eq!(of_tables(&[]), b"");
        assert_eq!(of_tables(&[table]), text);
    }

    #[test]
    fn numbers_read_back_the_same_however_often_they_are_written() {
        let numbers = Numbers { form: Form::Tsv, places: None };
        let values =
            (0..5000u64).map(|place| (place * place % 977) as f64 / 977.0 * if place % 3 == 0 { -1e-300 } else { 1.0 });
        for value in values.chain([0.0, -0.0, 1.0, f64::MAX, f64::MIN_POSITIVE, 5e-324, -1.7976931348623157e308]) {
            let mut out = Vec::new();
            numbers.write(&mut out, value);
            let read: f64 = std::str::from_utf8(&out).unwrap().parse().unwrap();
            assert_eq!(read.to_bits(), value.to_bits(), "{value}");
        }
    }

    #[test]
    fn lines_of_trec_eval_have_counts_four_places_and_texts() {
        let topics = [b"1".to_vec(), b"2".to_vec()];
        let columns = [
            (b"num_rel".to_vec(), Printed::Counts(vec![3.0, 0.0])),
            (b"map".to_vec(), Printed::Reals(vec![0.03125, f64::NAN])),
            (b"relstring".to_vec(), Printed::Texts(vec![b"1-".to_vec(), b"".to_vec()])),
        ];
        let lines = trec_eval_lines(&columns, &topics);
        assert_eq!(
            String::from_utf8(lines).unwrap(),
            "num_rel\t1\t3\nmap\t1\t0.0312\nrelstring\t1\t'1-'\nnum_rel\t2\t0\nmap\t2\t  -nan\nrelstring\t2\t''\n"
        );
    }

    #[test]
    fn numbers_beside_the_value_follow_it() {
        let (topics, measures) = (vec![b"1".to_vec()], vec![b"P@5".to_vec()]);
        let upper = || Column { name: b"upper".to_vec(), values: vec![0.75], means: vec![f64::NAN] };
        let table = |form| Table {
            form,
            run: b"r".to_vec(),
            topics: &topics,
            measures: &measures,
            values: vec![0.5],
            present: vec![true],
            means: vec![0.5],
            beside: vec![upper()],
            places: None,
        };
        let several = [table(Form::Csv), table(Form::Csv), table(Form::Csv)];
        assert_eq!(of_tables(&several), several[0].text().repeat(3));
        assert_eq!(table(Form::Csv).text(), b"r,1,P@5,0.5,0.75\nr,all,P@5,0.5,nan\n");
        assert!(table(Form::Jsonl).text().ends_with(b"\"value\": 0.5, \"upper\": null}\n"));
    }
}
