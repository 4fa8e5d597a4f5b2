//! One ranking at a time: put its documents in order and look each up in the topic's qrels.

use crate::index::Index;
use crate::reader::{Listing, Options};
use hashbrown::HashTable;
use std::ops::Range;

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
    pub tied: Tied,
    /// Empty unless it is asked for.
    pub score: Vec<f64>,
    pub segments: Vec<Segment>,
    pub names: Vec<u8>,
    pub name_ends: Vec<u64>,
}

/// The hits whose score another document has, too: few of most runs.
#[derive(Default, Debug)]
pub struct Tied {
    /// Places among all hits, ascending.
    pub place: Vec<i64>,
    /// Ranks of the first and of the last document with the same score.
    pub first: Vec<i32>,
    pub last: Vec<i32>,
}

impl Tied {
    fn push(&mut self, place: usize, first: i32, last: i32) {
        self.place.push(place as i64);
        self.first.push(first);
        self.last.push(last);
    }

    /// Copy the ties of the hits `start..end` of `from`; hit `start` becomes hit `to` here.
    fn take(&mut self, from: &Tied, start: usize, end: usize, to: usize) {
        let at = |hit: usize| from.place.partition_point(|&place| place < hit as i64);
        let range = at(start)..at(end);
        self.place.extend(from.place[range.clone()].iter().map(|place| place - start as i64 + to as i64));
        self.first.extend_from_slice(&from.first[range.clone()]);
        self.last.extend_from_slice(&from.last[range]);
    }
}

impl Hits {
    /// Bytes that the columns take.
    pub fn bytes(&self) -> usize {
        let words = self.rank.len() + self.segments.len() + self.score.len() + self.name_ends.len();
        (words + 2 * self.tied.place.len()) * 8 + self.names.len()
    }
}

/// What becomes of a document that stands in a ranking twice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Duplicates {
    Error,
    /// The place that the order puts first is kept.
    Best,
    /// The place that comes first in the file is kept.
    First,
}

impl Duplicates {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "error" => Some(Duplicates::Error),
            "best" => Some(Duplicates::Best),
            "first" => Some(Duplicates::First),
            _ => None,
        }
    }
}

/// A document that stands twice in one ranking.
#[derive(Debug)]
pub struct Twice {
    pub lines: (u32, u32),
    pub name: Vec<u8>,
}

pub struct Judge<'a> {
    pub index: &'a Index,
    options: &'a Options,
    pub hits: Hits,
    /// Documents left out because they stood in their ranking already.
    pub dropped: u64,
    seen: HashTable<(u64, u32)>,
    /// Parts of the hashes of a ranking's documents, to see that all differ.
    tags: Vec<u32>,
    /// Where in its ranking each judged document stands, once they are in order.
    places: Vec<u32>,
}

impl<'a> Judge<'a> {
    pub fn new(index: &'a Index, options: &'a Options) -> Self {
        Judge {
            index,
            options,
            hits: Hits::default(),
            dropped: 0,
            seen: HashTable::new(),
            tags: Vec::new(),
            places: Vec::new(),
        }
    }

    /// Judge the ranking of a topic of the qrels; that of another is only checked, or listed where all are.
    pub fn known_or_not(
        &mut self,
        known: Option<usize>,
        unknown: u32,
        text: &[u8],
        rows: &mut Vec<Row>,
    ) -> Result<(), Twice> {
        match known {
            Some(topic) => self.ranking(topic, text, rows, true),
            None if self.options.listing != Listing::None => self.list(unknown, text, rows),
            None if self.options.request.dialect.lenient => Ok(()),
            None => self.check_once(text, rows),
        }
    }

    /// Put a whole ranking in order and keep it, with what each document was ordered by.
    fn list(&mut self, topic: u32, text: &[u8], rows: &mut Vec<Row>) -> Result<(), Twice> {
        self.check_once(text, rows)?;
        if self.options.duplicates == Duplicates::First {
            self.keep_one(text, rows);
        }
        let is_single = self.options.listing == Listing::Single;
        let key = |row: &Row| if is_single { f64::from(row.key as f32) + 0.0 } else { row.key + 0.0 };
        rows.sort_unstable_by(|a, b| key(b).total_cmp(&key(a)).then_with(|| b.name(text).cmp(a.name(text))));
        if self.options.duplicates == Duplicates::Best {
            self.keep_one(text, rows);
        }
        rows.truncate(self.options.depth.unwrap_or(rows.len()));
        for row in rows.iter() {
            self.hits.names.extend_from_slice(row.name(text));
            self.hits.name_ends.push(self.hits.names.len() as u64);
            self.hits.score.push(row.key);
        }
        let end = self.hits.score.len();
        self.hits.segments.push(Segment { topic, start: end - rows.len(), end, length: rows.len() as u32 });
        Ok(())
    }

    /// Judge one ranking of a topic of the qrels; `check` that no document stands in it twice, unless that is known.
    pub fn ranking(&mut self, topic: usize, text: &[u8], rows: &mut Vec<Row>, check: bool) -> Result<(), Twice> {
        self.look_up(topic, text, rows);
        if self.options.duplicates == Duplicates::First {
            self.keep_one(text, rows);
        }
        let is_best = self.options.duplicates == Duplicates::Best;
        // Which of several documents of one score are cut off is for their names to say, judged or not.
        let is_cut = self.options.request.dialect.lenient && self.options.depth.is_some_and(|depth| depth < rows.len());
        let names_matter = self.options.keep_documents || is_best || is_cut;
        let any_tied = put_in_order(text, rows, &mut self.places, names_matter);
        if is_best {
            self.keep_one(text, rows);
        }
        let depth = self.options.depth.unwrap_or(rows.len());
        if self.options.request.dialect.lenient {
            rows.truncate(depth); // trec_eval does not see what it has cut off
        }
        if check {
            self.check_once(text, rows)?;
        }
        rows.truncate(depth);
        self.emit(topic, text, rows, any_tied);
        Ok(())
    }

    /// Find the rows of the judged documents, in three passes: the filter sorts out most documents without a judgment, with
    /// no branch, since the processor could not predict it; entries of the others are fetched into the cache; then names
    /// are compared. (Smaller batches of rows, whose passes take turns, were tried: they take longer.)
    fn look_up(&mut self, topic: usize, text: &[u8], rows: &mut [Row]) {
        let judged = &self.index.documents[topic];
        self.places.resize(rows.len(), 0);
        let mut likely = 0;
        for (row, place) in rows.iter().zip(0..) {
            self.places[likely] = place;
            likely += usize::from(judged.may_have(row.hash));
        }
        self.places.truncate(likely);
        self.places.iter().for_each(|&place| judged.soon_find_slot(rows[place as usize].hash));
        self.places.iter().for_each(|&place| judged.soon_find_text(rows[place as usize].hash));
        let mut found = 0;
        for number in 0..likely {
            let place = self.places[number];
            let row = &mut rows[place as usize];
            row.document = judged.find(row.hash, row.name(text)).unwrap_or(UNJUDGED);
            self.places[found] = place;
            found += usize::from(row.document != UNJUDGED);
        }
        self.places.truncate(found);
    }

    /// No document may stand twice in a ranking, unless one of its places is chosen.
    pub fn check_once(&mut self, text: &[u8], rows: &[Row]) -> Result<(), Twice> {
        if self.options.duplicates != Duplicates::Error || self.all_differ(rows) {
            return Ok(());
        }
        self.seen.clear();
        self.seen.reserve(rows.len(), |&(hash, _)| hash);
        if (0..rows.len()).all(|place| self.is_new(text, rows, place)) { Ok(()) } else { Err(first_twice(text, rows)) }
    }

    /// Whether all documents differ for sure. A small table of 31 bits of each hash is enough to see that they do;
    /// about once in a million rankings it is not, and names are compared. The table is so large that few documents want
    /// the place of another: the processor does not foresee those, and waits.
    fn all_differ(&mut self, rows: &[Row]) -> bool {
        let size = (8 * rows.len()).next_power_of_two();
        self.tags.clear();
        self.tags.resize(size, 0);
        rows.iter().all(|row| {
            let tag = (row.hash >> 32) as u32 | 1; // 0 is a free place
            let mut at = row.hash as usize & (size - 1);
            while self.tags[at] != 0 {
                if self.tags[at] == tag {
                    return false;
                }
                at = (at + 1) & (size - 1);
            }
            self.tags[at] = tag;
            true
        })
    }

    /// Keep the first of the rows of each document.
    fn keep_one(&mut self, text: &[u8], rows: &mut Vec<Row>) {
        self.seen.clear();
        let keep: Vec<bool> = (0..rows.len()).map(|place| self.is_new(text, rows, place)).collect();
        let before = rows.len();
        let mut kept = keep.into_iter();
        rows.retain(|_| kept.next() == Some(true));
        find_places(rows, &mut self.places);
        self.dropped += (before - rows.len()) as u64;
    }

    /// Whether no row so far has the document of this one.
    fn is_new(&mut self, text: &[u8], rows: &[Row], place: usize) -> bool {
        let row = &rows[place];
        let same = |&(hash, other): &(u64, u32)| hash == row.hash && rows[other as usize].name(text) == row.name(text);
        if self.seen.find(row.hash, same).is_some() {
            return false;
        }
        self.seen.insert_unique(row.hash, (row.hash, place as u32), |&(hash, _)| hash);
        true
    }

    /// Keep the judged documents of a ranking, and which of them share a score if `any_tied`.
    fn emit(&mut self, topic: usize, text: &[u8], rows: &[Row], any_tied: bool) {
        let hits = &mut self.hits;
        let start = hits.rank.len();
        self.places.truncate(self.places.partition_point(|&place| (place as usize) < rows.len()));
        let judged = || self.places.iter().map(|&place| (place as usize, &rows[place as usize]));
        hits.rank.extend(judged().map(|(place, _)| place as i32 + 1));
        hits.document.extend(judged().map(|(_, row)| row.document as i32));
        if self.options.request.keep_scores {
            hits.score.extend(judged().map(|(_, row)| row.key));
        }
        let mut tied = 0..0;
        for (hit, (place, _)) in (start..).zip(judged()).filter(|_| any_tied) {
            if place >= tied.end {
                tied = ties(rows, place);
            }
            if tied.len() > 1 {
                hits.tied.push(hit, tied.start as i32 + 1, tied.end as i32);
            }
        }
        if self.options.keep_documents {
            for row in rows {
                hits.names.extend_from_slice(row.name(text));
                hits.name_ends.push(hits.names.len() as u64);
            }
        }
        let (end, length) = (hits.rank.len(), rows.len() as u32);
        hits.segments.push(Segment { topic: topic as u32, start, end, length });
    }
}

/// The rows around `place` that have its key; rows are in order.
fn ties(rows: &[Row], place: usize) -> Range<usize> {
    let key = rows[place].key;
    let before = rows[..place].iter().rev().take_while(|row| row.key == key).count();
    let after = rows[place..].iter().take_while(|row| row.key == key).count();
    place - before..place + after
}

/// Highest key first, equal keys by name in descending byte order; `places` are those of the judged documents. Rankings
/// mostly come in order, so that is looked at first; and among equal keys the order matters only where a judged document
/// is among them, or names are kept. Whether any keys are equal.
fn put_in_order(text: &[u8], rows: &mut Vec<Row>, places: &mut Vec<u32>, names_matter: bool) -> bool {
    let (mut any_rise, mut any_equal) = (false, false);
    for (a, b) in rows.iter().zip(&rows[rows.len().min(1)..]) {
        any_rise |= a.key < b.key;
        any_equal |= a.key == b.key;
    }
    if any_rise {
        // Small keys are sorted rather than whole rows.
        let mut order: Vec<(u64, u32)> =
            rows.iter().zip(0..).map(|(row, place)| (descending(row.key), place)).collect();
        order.sort_unstable();
        *rows = order.into_iter().map(|(_, place)| rows[place as usize]).collect();
        find_places(rows, places);
        any_equal = rows.iter().zip(&rows[1..]).any(|(a, b)| a.key == b.key);
    }
    if !any_equal {
        return false;
    }
    let count = rows.len();
    let (mut done, mut any_moved) = (0, false);
    let mut settle = |place: usize| {
        if place >= done {
            let tied = ties(rows, place);
            done = tied.end;
            if tied.len() > 1 {
                rows[tied].sort_unstable_by(|a, b| b.name(text).cmp(a.name(text)));
                any_moved = true;
            }
        }
    };
    if names_matter {
        (0..count).for_each(&mut settle);
    } else {
        places.iter().for_each(|&place| settle(place as usize));
    }
    if any_moved {
        find_places(rows, places);
    }
    true
}

/// Where the judged documents stand.
fn find_places(rows: &[Row], places: &mut Vec<u32>) {
    places.resize(rows.len(), 0);
    let mut count = 0;
    for (row, place) in rows.iter().zip(0..) {
        places[count] = place;
        count += usize::from(row.document != UNJUDGED);
    }
    places.truncate(count);
}

/// A whole number that is the smaller the larger the key is. Equal keys have equal numbers: -0 is made 0 first.
fn descending(key: f64) -> u64 {
    let bits = (key + 0.0).to_bits();
    if bits >> 63 == 0 { !(bits | 1 << 63) } else { bits }
}

/// The first line that repeats a document; only looked for once it is known that there is one.
fn first_twice(text: &[u8], rows: &[Row]) -> Twice {
    let mut by_line: Vec<&Row> = rows.iter().collect();
    by_line.sort_unstable_by_key(|row| row.line);
    let mut seen = hashbrown::HashMap::<&[u8], u32, foldhash::fast::RandomState>::default();
    for row in by_line {
        if let Some(earlier) = seen.insert(row.name(text), row.line) {
            return Twice { lines: (earlier, row.line), name: row.name(text).to_vec() };
        }
    }
    Twice { lines: (0, 0), name: Vec::new() }
}

impl Hits {
    /// Take over the hits of the next piece of the same run.
    pub fn append(&mut self, mut next: Hits) {
        let (entries, names) = (self.rank.len(), self.names.len() as u64);
        self.segments.extend(next.segments.iter().map(|segment| Segment {
            start: segment.start + entries,
            end: segment.end + entries,
            ..*segment
        }));
        self.tied.take(&next.tied, 0, next.rank.len(), entries);
        self.rank.append(&mut next.rank);
        self.document.append(&mut next.document);
        self.score.append(&mut next.score);
        self.names.append(&mut next.names);
        self.name_ends.extend(next.name_ends.iter().map(|end| end + names));
    }

    /// Segments in the order of the topics; files may have them in any.
    pub fn in_topic_order(mut self) -> Hits {
        if self.segments.is_sorted_by_key(|segment| segment.topic) {
            return self;
        }
        let mut name_start = 0;
        let mut name_ranges = Vec::with_capacity(self.segments.len());
        for segment in &self.segments {
            name_ranges.push((segment.topic, name_start, name_start + segment.length as usize));
            name_start += segment.length as usize;
        }
        name_ranges.sort_unstable();
        self.segments.sort_unstable_by_key(|segment| segment.topic);
        let mut sorted = Hits::default();
        for segment in &self.segments {
            let start = sorted.rank.len();
            sorted.tied.take(&self.tied, segment.start, segment.end, start);
            sorted.rank.extend_from_slice(&self.rank[segment.start..segment.end]);
            sorted.document.extend_from_slice(&self.document[segment.start..segment.end]);
            if !self.score.is_empty() {
                sorted.score.extend_from_slice(&self.score[segment.start..segment.end]);
            }
            sorted.segments.push(Segment { start, end: sorted.rank.len(), ..*segment });
        }
        if !self.name_ends.is_empty() {
            for (_, from, to) in name_ranges {
                for place in from..to {
                    let start = if place == 0 { 0 } else { self.name_ends[place - 1] as usize };
                    sorted.names.extend_from_slice(&self.names[start..self.name_ends[place] as usize]);
                    sorted.name_ends.push(sorted.names.len() as u64);
                }
            }
        }
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::descending;

    #[test]
    fn larger_keys_come_first() {
        let keys = [f64::INFINITY, 1e300, 2.0, 1.5, 1e-310, 0.0, -1e-310, -1.0, -2.5, f64::NEG_INFINITY];
        assert!(keys.windows(2).all(|pair| descending(pair[0]) < descending(pair[1])));
        assert_eq!(descending(0.0), descending(-0.0));
    }
}
