//! One ranking at a time: put its documents in order and look each up in the topic's qrels.

use crate::index::Index;
use hashbrown::HashTable;
use std::cmp::Ordering;

/// `Row::document` of a document that was not judged.
pub const UNJUDGED: u32 = u32::MAX;

/// A retrieved document. Its name stands in a text that is given beside the rows.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub key: f64,
    pub hash: u64,
    pub start: u32,
    pub length: u32,
    /// Line (or row of a table) it came from.
    pub line: u32,
    pub document: u32,
}

impl Row {
    #[inline]
    pub fn name<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        &text[self.start as usize..(self.start + self.length) as usize]
    }
}

/// One topic's part of the hits.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    pub topic: u32,
    pub start: usize,
    pub end: usize,
    pub length: u32,
}

/// What is left of a run: judged documents with their ranks, and names where they are asked for.
#[derive(Default, Debug)]
pub struct Hits {
    pub rank: Vec<i32>,
    pub document: Vec<i32>,
    pub first: Vec<i32>,
    pub last: Vec<i32>,
    pub segments: Vec<Segment>,
    pub names: Vec<u8>,
    pub name_ends: Vec<u64>,
}

/// A document that stands twice in one ranking.
#[derive(Debug)]
pub struct Twice {
    pub lines: (u32, u32),
    pub name: Vec<u8>,
}

pub struct Judge<'a> {
    pub index: &'a Index,
    pub depth: Option<usize>,
    pub keep_documents: bool,
    pub hits: Hits,
    seen: HashTable<(u64, u32)>,
}

impl<'a> Judge<'a> {
    pub fn new(index: &'a Index, depth: Option<usize>, keep_documents: bool) -> Self {
        Judge {
            index,
            depth,
            keep_documents,
            hits: Hits::default(),
            seen: HashTable::new(),
        }
    }

    /// Judge one ranking of a topic of the qrels.
    pub fn ranking(&mut self, topic: usize, text: &[u8], rows: &mut Vec<Row>) -> Result<(), Twice> {
        let judged = &self.index.documents[topic];
        for row in rows.iter_mut() {
            row.document = judged.find(row.hash, row.name(text)).unwrap_or(UNJUDGED);
        }
        put_in_order(text, rows, self.keep_documents);
        if let Some(depth) = self.depth {
            rows.truncate(depth);
        }
        self.check_once(text, rows)?;
        self.emit(topic, text, rows);
        Ok(())
    }

    /// No document may stand twice in a ranking.
    pub fn check_once(&mut self, text: &[u8], rows: &[Row]) -> Result<(), Twice> {
        self.seen.clear();
        self.seen.reserve(rows.len(), |&(hash, _)| hash);
        for (place, row) in rows.iter().enumerate() {
            let same = |&(hash, other): &(u64, u32)| {
                hash == row.hash && rows[other as usize].name(text) == row.name(text)
            };
            if self.seen.find(row.hash, same).is_some() {
                return Err(first_twice(text, rows));
            }
            self.seen
                .insert_unique(row.hash, (row.hash, place as u32), |&(hash, _)| hash);
        }
        Ok(())
    }

    fn emit(&mut self, topic: usize, text: &[u8], rows: &[Row]) {
        let start = self.hits.rank.len();
        let mut at = 0;
        while at < rows.len() {
            let mut next = at + 1;
            while next < rows.len() && rows[next].key == rows[at].key {
                next += 1;
            }
            for (place, row) in rows.iter().enumerate().take(next).skip(at) {
                if row.document != UNJUDGED {
                    self.hits.rank.push(place as i32 + 1);
                    self.hits.document.push(row.document as i32);
                    self.hits.first.push(at as i32 + 1);
                    self.hits.last.push(next as i32);
                }
            }
            at = next;
        }
        if self.keep_documents {
            for row in rows {
                self.hits.names.extend_from_slice(row.name(text));
                self.hits.name_ends.push(self.hits.names.len() as u64);
            }
        }
        let (end, length) = (self.hits.rank.len(), rows.len() as u32);
        self.hits.segments.push(Segment {
            topic: topic as u32,
            start,
            end,
            length,
        });
    }
}

/// Highest key first, equal keys by name in descending byte order. Rankings mostly come in order, so that is looked at
/// first; and among equal keys the order matters only where a judged document is among them, or names are kept.
fn put_in_order(text: &[u8], rows: &mut [Row], names_matter: bool) {
    let before = |a: &Row, b: &Row| b.key.partial_cmp(&a.key).unwrap_or(Ordering::Equal);
    let by_name = |a: &Row, b: &Row| b.name(text).cmp(a.name(text));
    if !rows.is_sorted_by(|a, b| a.key >= b.key) {
        rows.sort_unstable_by(|a, b| before(a, b).then_with(|| by_name(a, b)));
        return;
    }
    for group in rows.chunk_by_mut(|a, b| a.key == b.key) {
        if group.len() > 1 && (names_matter || group.iter().any(|row| row.document != UNJUDGED)) {
            group.sort_unstable_by(by_name);
        }
    }
}

/// The first line that repeats a document; only looked for once it is known that there is one.
fn first_twice(text: &[u8], rows: &[Row]) -> Twice {
    let mut by_line: Vec<&Row> = rows.iter().collect();
    by_line.sort_unstable_by_key(|row| row.line);
    let mut seen = hashbrown::HashMap::<&[u8], u32, foldhash::fast::RandomState>::default();
    for row in by_line {
        if let Some(earlier) = seen.insert(row.name(text), row.line) {
            return Twice {
                lines: (earlier, row.line),
                name: row.name(text).to_vec(),
            };
        }
    }
    Twice {
        lines: (0, 0),
        name: Vec::new(),
    }
}

impl Hits {
    /// Segments in the order of the topics; files may have them in any.
    pub fn in_topic_order(mut self) -> Hits {
        if self.segments.is_sorted_by_key(|segment| segment.topic) {
            return self;
        }
        let mut name_start = 0;
        let mut name_ranges = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            name_ranges.push((
                segment.topic,
                name_start,
                name_start + segment.length as usize,
            ));
            name_start += segment.length as usize;
        }
        name_ranges.sort_unstable();
        self.segments.sort_unstable_by_key(|segment| segment.topic);
        let mut sorted = Hits::default();
        for segment in &self.segments {
            let start = sorted.rank.len();
            for (to, from) in [
                (&mut sorted.rank, &self.rank),
                (&mut sorted.document, &self.document),
                (&mut sorted.first, &self.first),
                (&mut sorted.last, &self.last),
            ] {
                to.extend_from_slice(&from[segment.start..segment.end]);
            }
            sorted.segments.push(Segment {
                start,
                end: sorted.rank.len(),
                ..*segment
            });
        }
        if !self.name_ends.is_empty() {
            for (_, from, to) in name_ranges {
                for place in from..to {
                    let start = if place == 0 {
                        0
                    } else {
                        self.name_ends[place - 1] as usize
                    };
                    sorted
                        .names
                        .extend_from_slice(&self.names[start..self.name_ends[place] as usize]);
                    sorted.name_ends.push(sorted.names.len() as u64);
                }
            }
        }
        sorted
    }
}
