//! The qrels: which documents were judged for each topic. Grades leave for Python as codes into the table of levels.

use crate::dialect::Dialect;
use crate::error::{Place, ReadError, shown};
use crate::fields::{split, split_usual};
use crate::names::{Names, Seed};
use crate::number;
use crate::source::Source;
use crate::window::{LONGEST_LINE, Window, too_long};
use hashbrown::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::atomic::AtomicBool;

const MOST_LEVELS: usize = i16::MAX as usize;
const EXPECTED: &str = "expected: topic iteration document grade";

/// Names of topics and of their judged documents; shared by all threads that judge runs.
#[derive(Clone, Default)]
pub struct Index {
    pub seed: Seed,
    pub topics: Names,
    pub documents: Vec<Names>,
}

impl Index {
    /// A number that differs where names or their rows differ: runs keep it, to be measured with no other qrels.
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = foldhash::fast::FixedState::default().build_hasher();
        for (topic, documents) in self.topics.iter().zip(&self.documents) {
            hasher.write_usize(topic.len());
            hasher.write(topic);
            hasher.write_usize(documents.len());
            documents.write_to(&mut hasher);
        }
        hasher.finish()
    }

    pub fn topic(&self, name: &[u8]) -> Option<usize> {
        self.topics.find(self.seed.hash(name), name).map(|number| number as usize)
    }
}

/// Qrels on their way in.
#[derive(Default)]
pub struct Builder {
    index: Index,
    codes: Vec<Vec<i16>>,
    levels: Vec<f64>,
    code_of: HashMap<u64, i16, foldhash::fast::RandomState>,
    topic: usize,
    last: i16, // the code given last: the next grade is mostly the same
    pub odd: Odd,
}

/// Fields that trec_eval would have read in its own way.
#[derive(Default, Clone, Debug)]
pub struct Odd {
    pub count: u64,
    pub first: String,
}

impl Odd {
    pub fn note(&mut self, describe: impl FnOnce() -> String) {
        if self.count == 0 {
            self.first = describe();
        }
        self.count += 1;
    }
}

/// Qrels as they leave: topics in byte order of their names.
pub struct Judgments {
    pub index: Index,
    pub codes: Vec<i16>,
    pub starts: Vec<i64>,
    pub levels: Vec<f64>,
    pub odd: Odd,
}

/// Why a judgment cannot be taken.
pub enum Refusal {
    Twice,
    TooManyLevels,
    TooManyNames,
}

impl Builder {
    /// Make a topic known even if nothing is judged for it, and make it the one that `add` adds to.
    pub fn enter(&mut self, topic: &[u8]) -> Result<(), Refusal> {
        if self.index.topics.len() > 0 && self.index.topics.get(self.topic) == topic {
            return Ok(());
        }
        let (number, new) = self.index.topics.add(self.index.seed.hash(topic), topic).ok_or(Refusal::TooManyNames)?;
        if new {
            self.index.documents.push(Names::default());
            self.codes.push(Vec::new());
        }
        self.topic = number as usize;
        Ok(())
    }

    /// Make room for so many judgments of the topic entered last.
    pub fn reserve(&mut self, count: usize) {
        self.index.documents[self.topic].reserve(count);
        self.codes[self.topic].reserve(count);
    }

    /// A judgment of the topic entered last.
    pub fn add(&mut self, document: &[u8], grade: f64) -> Result<(), Refusal> {
        let code = self.code(grade).ok_or(Refusal::TooManyLevels)?;
        let hash = self.index.seed.hash(document);
        let (_, new) = self.index.documents[self.topic].add(hash, document).ok_or(Refusal::TooManyNames)?;
        if !new {
            return Err(Refusal::Twice);
        }
        self.codes[self.topic].push(code);
        Ok(())
    }

    fn code(&mut self, grade: f64) -> Option<i16> {
        let grade = grade + 0.0; // -0 is the grade 0
        if self.levels.get(self.last as usize) == Some(&grade) {
            return Some(self.last);
        }
        self.last = match self.code_of.get(&grade.to_bits()) {
            Some(&code) => code,
            None if self.levels.len() >= MOST_LEVELS => return None,
            None => {
                let code = self.levels.len() as i16;
                self.code_of.insert(grade.to_bits(), code);
                self.levels.push(grade);
                code
            }
        };
        Some(self.last)
    }

    pub fn finish(self) -> Judgments {
        let mut order: Vec<usize> = (0..self.levels.len()).collect();
        order.sort_by(|&a, &b| self.levels[a].total_cmp(&self.levels[b]));
        let mut place = vec![0i16; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new as i16;
        }
        let levels = order.iter().map(|&code| self.levels[code]).collect();

        let names = &self.index.topics;
        let mut by_name: Vec<usize> = (0..names.len()).collect();
        by_name.sort_by(|&a, &b| names.get(a).cmp(names.get(b)));
        let mut topics = Names::default();
        let mut documents = Vec::with_capacity(by_name.len());
        let mut codes = Vec::new();
        let mut starts = vec![0];
        let mut old_documents = self.index.documents;
        for &topic in &by_name {
            topics.add(self.index.seed.hash(names.get(topic)), names.get(topic));
            documents.push(std::mem::take(&mut old_documents[topic]));
            codes.extend(self.codes[topic].iter().map(|&code| place[code as usize]));
            starts.push(codes.len() as i64);
        }
        Judgments { index: Index { seed: self.index.seed, topics, documents }, codes, starts, levels, odd: self.odd }
    }
}

pub fn refused(refusal: Refusal, topic: &[u8], document: &[u8]) -> (bool, String) {
    match refusal {
        Refusal::Twice => (true, format!("document {} is judged twice for topic {}", shown(document), shown(topic))),
        Refusal::TooManyNames => (false, format!("the names of topic {} take more than 4 GiB", shown(topic))),
        Refusal::TooManyLevels => (false, format!("there are more than {MOST_LEVELS} different grades")),
    }
}

pub fn read(source: &Source, dialect: Dialect, cancel: &AtomicBool) -> Result<Judgments, ReadError> {
    let mut window = Window::open(source, cancel)?;
    let mut builder = Builder::default();
    let (mut at, mut line) = (0, 0u64);
    loop {
        while at < window.whole {
            line += 1;
            let start = at;
            let (spans, end) = match split_usual::<4>(&window.text, start) {
                Some((spans, next)) if window.text[start] != b'#' => {
                    at = next;
                    (spans, next - 1)
                }
                _ => {
                    let end = window.line_end(start);
                    at = end + 1;
                    match unusual(&window, dialect, start, end, line)? {
                        None => continue,
                        Some(spans) => (spans, end),
                    }
                }
            };
            let text = &window.text;
            let place = |column: usize| Place {
                file: &window.name,
                line,
                column: if column == 0 { 0 } else { column - start + 1 },
                text: &text[start..end],
            };
            let field = |column: usize| &text[spans[column].0..spans[column].1];
            let grade = if dialect.lenient {
                let (grade, whole) = number::like_atol(field(3));
                if !whole {
                    builder.odd.note(|| {
                        place(spans[3].0).message(&format!("grade {} is read as {grade}", shown(field(3))), "")
                    });
                }
                grade
            } else {
                number::strict(field(3)).filter(|grade| grade.is_finite()).ok_or_else(|| {
                    let expected = format!("expected a finite number as grade, found {}", shown(field(3)));
                    ReadError::format(&place(spans[3].0), &expected, EXPECTED)
                })?
            };
            if let Err(refusal) = builder.enter(field(0)).and_then(|()| builder.add(field(2), grade)) {
                let (twice, words) = refused(refusal, field(0), field(2));
                let message =
                    place(spans[2].0).message(&words, if twice { "keep one judgment of each document" } else { "" });
                return Err(if twice { ReadError::Duplicate(message) } else { ReadError::Format(message) });
            }
        }
        if window.ended() {
            break;
        }
        window.advance(at).map_err(|error| match error {
            ReadError::LongLine => too_long(&Place { file: &source.name, line: line + 1, column: 0, text: b"" }),
            other => other,
        })?;
        at = 0;
    }
    if builder.index.topics.len() == 0 {
        return Err(ReadError::Format(format!("{}: {EXPECTED}, found no judgment at all", window.name)));
    }
    Ok(builder.finish())
}

/// Columns of a line that `split_usual` did not take; None where it is to be skipped.
fn unusual(
    window: &Window<'_>,
    dialect: Dialect,
    start: usize,
    end: usize,
    line: u64,
) -> Result<Option<[(usize, usize); 4]>, ReadError> {
    let (spans, count) = split::<4>(&window.text, start, end);
    let comment = dialect.comments && count > 0 && window.text[spans[0].0] == b'#';
    if comment || (count == 0 && dialect.blank_qrels) {
        return Ok(None);
    }
    let place = Place { file: &window.name, line, column: 0, text: &window.text[start..end] };
    if let Some(nul) = memchr::memchr(0, place.text) {
        return Err(nul_found(&Place { column: nul + 1, ..place }));
    }
    if place.text.len() > LONGEST_LINE {
        return Err(too_long(&place));
    }
    if count != 4 {
        let columns = if count == 1 { "1 column".to_string() } else { format!("{count} columns") };
        return Err(ReadError::format(&place, &format!("{EXPECTED}, found {columns}"), ""));
    }
    Ok(Some(spans))
}

pub fn nul_found(place: &Place<'_>) -> ReadError {
    ReadError::format(place, "expected text, found a NUL byte", "is this a binary file, or text in UTF-16?")
}
