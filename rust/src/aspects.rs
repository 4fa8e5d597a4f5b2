//! Judgments by aspect: the sub-topic or the assessor that the second column of qrels names.

use crate::names::{Names, Seed};
use hashbrown::HashMap;

/// A judgment of one aspect. Preferences also stand in a list of their assessor.
#[derive(Clone, Copy)]
pub struct Row {
    aspect: u32,
    list: u32,
    document: u32,
    code: i16,
    line: u64,
}

/// Judgments by aspect on their way in.
#[derive(Default)]
pub struct ByAspect {
    seed: Seed,
    aspects: Names,
    lists: Names,
    /// By topic, in the order of the file.
    rows: Vec<Vec<Row>>,
    /// Where the row of a topic, an aspect and a document stands; not kept for preferences.
    places: HashMap<(u32, u32, u32), u32, foldhash::fast::RandomState>,
}

/// Judgments by aspect as they leave: aspects of a topic, and lists of an aspect, in byte order of their names.
#[derive(Default)]
pub struct Aspects {
    /// Where the aspects of each topic start.
    pub starts: Vec<i64>,
    pub names: Vec<Vec<u8>>,
    /// Where the judgments of each aspect start.
    pub first: Vec<i64>,
    pub document: Vec<i32>,
    pub code: Vec<i16>,
    pub ordering: Vec<i32>,
    pub lists: Vec<Vec<Vec<u8>>>,
    pub line: Vec<i64>,
    /// Documents that more than one judgment of their topic speaks of.
    pub repeated: u64,
}

/// Where a judgment belongs.
#[derive(Clone, Copy)]
pub struct At<'a> {
    pub topic: usize,
    pub part: &'a [u8],
    pub list: &'a [u8],
    pub document: u32,
    pub line: u64,
}

impl ByAspect {
    /// The judgments so far, all of one aspect: codes by topic and document.
    pub fn of(part: &[u8], codes: &[Vec<i16>]) -> Option<Self> {
        let mut this = ByAspect::default();
        for (topic, codes) in codes.iter().enumerate() {
            for (document, &code) in (0..).zip(codes) {
                this.add(At { topic, part, list: b"", document, line: 0 }, code, false)?;
            }
        }
        Some(this)
    }

    /// Add a judgment; gives the place of the row that was there before, unless all are kept. None where there is no room.
    pub fn add(&mut self, at: At<'_>, code: i16, keep_all: bool) -> Option<Option<u32>> {
        let (aspect, _) = self.aspects.add(self.seed.hash(at.part), at.part)?;
        let (list, _) = self.lists.add(self.seed.hash(at.list), at.list)?;
        if self.rows.len() <= at.topic {
            self.rows.resize_with(at.topic + 1, Vec::new);
        }
        let rows = &mut self.rows[at.topic];
        if !keep_all {
            let next = u32::try_from(rows.len()).ok()?;
            let place = *self.places.entry((at.topic as u32, aspect, at.document)).or_insert(next);
            if place != next {
                return Some(Some(place));
            }
        }
        rows.push(Row { aspect, list, document: at.document, code, line: at.line });
        Some(None)
    }

    /// The code of a row of a topic.
    pub fn code(&mut self, topic: usize, place: u32) -> &mut i16 {
        &mut self.rows[topic][place as usize].code
    }

    /// How many aspects have a name.
    pub fn names(&self) -> usize {
        self.aspects.iter().filter(|name| !name.is_empty()).count()
    }

    /// Whether there is such a judgment.
    pub fn has(&self, at: At<'_>) -> bool {
        let aspect = self.aspects.find(self.seed.hash(at.part), at.part);
        aspect.is_some_and(|aspect| self.places.contains_key(&(at.topic as u32, aspect, at.document)))
    }

    pub fn codes(&self) -> impl Iterator<Item = i16> {
        self.rows.iter().flatten().map(|row| row.code)
    }

    /// Topics in the order in which they leave, codes mapped by `place`.
    pub fn finish(mut self, topics: &[usize], place: &[i16]) -> Aspects {
        let mut made = Aspects { starts: vec![0], first: vec![0], ..Aspects::default() };
        let (by_aspect, by_list) = (ranks(&self.aspects), ranks(&self.lists));
        for &topic in topics {
            let mut rows = self.rows.get_mut(topic).map(std::mem::take).unwrap_or_default();
            made.repeated += repeated(&rows);
            rows.sort_by_key(|row| by_aspect[row.aspect as usize]); // stable: in the order of the file
            for group in rows.chunk_by(|a, b| a.aspect == b.aspect) {
                let mut lists: Vec<u32> = group.iter().map(|row| row.list).collect();
                lists.sort_unstable_by_key(|&list| by_list[list as usize]);
                lists.dedup();
                let number: HashMap<u32, i32, foldhash::fast::RandomState> = lists.iter().copied().zip(0..).collect();
                for row in group {
                    made.document.push(row.document as i32);
                    made.code.push(place[row.code as usize]);
                    made.ordering.push(number[&row.list]);
                    made.line.push(row.line as i64);
                }
                made.names.push(self.aspects.get(group[0].aspect as usize).to_vec());
                made.lists.push(lists.iter().map(|&list| self.lists.get(list as usize).to_vec()).collect());
                made.first.push(made.document.len() as i64);
            }
            made.starts.push(made.names.len() as i64);
        }
        made
    }
}

/// The place of each name in byte order.
fn ranks(names: &Names) -> Vec<u32> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| names.get(a).cmp(names.get(b)));
    let mut rank = vec![0; order.len()];
    for (place, number) in (0..).zip(order) {
        rank[number] = place;
    }
    rank
}

fn repeated(rows: &[Row]) -> u64 {
    let mut documents: Vec<u32> = rows.iter().map(|row| row.document).collect();
    documents.sort_unstable();
    documents.chunk_by(|a, b| a == b).filter(|group| group.len() > 1).count() as u64
}
