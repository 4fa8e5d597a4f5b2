//! The qrels: which documents were judged for each topic. Grades leave for Python as codes into the table of levels.

use crate::aspects::{Aspects, At, ByAspect};
use crate::columns::Role;
use crate::entries::{Described, Entries, Event, Request};
use crate::error::{Place, Problem, ReadError, Setting, shown};
use crate::forms;
use crate::names::{Names, Seed};
use crate::source::Source;
use hashbrown::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Judgments of a topic that room is made for without knowing of any, at most.
const LIKELY_JUDGMENTS: usize = 2048;
const MOST_LEVELS: usize = i16::MAX as usize;

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
    merge: Merge,
    /// Sum and number of the grades of documents that are judged more than once, for the mean.
    sums: HashMap<(usize, u32), (f64, u32), foldhash::fast::RandomState>,
    /// The same by topic and row of its aspect.
    aspect_sums: HashMap<(usize, u32), (f64, u32), foldhash::fast::RandomState>,
    /// The aspect of the first judgment, which in plain qrels is that of all.
    part: Option<Vec<u8>>,
    /// Judgments by aspect, once there are two of them.
    by_aspect: Option<ByAspect>,
    /// Whether these are preferences, all of which are kept.
    is_ordered: bool,
    pub odd: Odd,
}

/// A grade of a document, and whose: a sub-topic or an assessor, for preferences with one of its lists.
#[derive(Clone, Copy)]
pub struct Judgment<'a> {
    pub part: &'a [u8],
    pub list: &'a [u8],
    pub document: &'a [u8],
    pub grade: f64,
    pub line: u64,
}

impl<'a> Judgment<'a> {
    /// A grade of a topic as a whole.
    pub fn plain(document: &'a [u8], grade: f64) -> Self {
        Judgment { part: b"", list: b"", document, grade, line: 0 }
    }
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
    pub index: Arc<Index>,
    pub codes: Vec<i16>,
    pub starts: Vec<i64>,
    pub levels: Vec<f64>,
    /// None where each document has one grade.
    pub aspects: Option<Aspects>,
    pub is_ordered: bool,
    pub odd: Odd,
}

/// Why a judgment cannot be taken.
pub enum Refusal {
    Twice,
    TooManyLevels,
    TooManyNames,
}

impl Builder {
    pub fn merging(merge: Merge) -> Self {
        Builder { merge, ..Builder::default() }
    }

    /// Preferences: every line is kept, and the highest level of a document is its grade.
    pub fn ordered() -> Self {
        Builder { is_ordered: true, by_aspect: Some(ByAspect::default()), ..Builder::default() }
    }

    /// Whether there are two aspects or more; a word here and none there are no two.
    pub fn has_aspects(&self) -> bool {
        self.is_ordered || self.by_aspect.as_ref().is_some_and(|by_aspect| by_aspect.names() > 1)
    }

    /// Make a topic known even if nothing is judged for it, and make it the one that `add` adds to.
    #[inline]
    pub fn enter(&mut self, topic: &[u8]) -> Result<(), Refusal> {
        if self.index.topics.len() > 0 && self.index.topics.get(self.topic) == topic {
            return Ok(());
        }
        self.enter_another(topic)
    }

    #[cold]
    #[inline(never)]
    fn enter_another(&mut self, topic: &[u8]) -> Result<(), Refusal> {
        let (number, new) = self.index.topics.add(self.index.seed.hash(topic), topic).ok_or(Refusal::TooManyNames)?;
        if new {
            // Topics have about as many judgments as the one before: tables that grow step by step are filled anew each time.
            let likely = self.codes.get(self.topic).map_or(0, Vec::len).min(LIKELY_JUDGMENTS);
            let mut documents = Names::default();
            documents.reserve(likely);
            self.index.documents.push(documents);
            self.codes.push(Vec::with_capacity(likely));
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
    #[inline(always)]
    pub fn add(&mut self, judgment: Judgment<'_>) -> Result<(), Refusal> {
        if self.by_aspect.is_none() {
            if self.is_same_part(judgment.part) {
                return self.add_plain(judgment.document, judgment.grade);
            }
            self.next_part(judgment.part)?;
        }
        if self.by_aspect.is_some() {
            return self.add_by_aspect(judgment);
        }
        self.add_plain(judgment.document, judgment.grade)
    }

    /// A judgment of the topic entered last, where there is one aspect, or no judgment names any.
    #[inline]
    pub fn add_plain(&mut self, document: &[u8], grade: f64) -> Result<(), Refusal> {
        let code = self.code(grade).ok_or(Refusal::TooManyLevels)?;
        let hash = self.index.seed.hash(document);
        let (number, new) = self.index.documents[self.topic].add(hash, document).ok_or(Refusal::TooManyNames)?;
        if !new {
            return self.merge_with(number, grade, self.merge);
        }
        self.codes[self.topic].push(code);
        Ok(())
    }

    /// A judgment of the topic entered last, where aspects differ.
    #[inline(never)]
    fn add_by_aspect(&mut self, judgment: Judgment<'_>) -> Result<(), Refusal> {
        let code = self.code(judgment.grade).ok_or(Refusal::TooManyLevels)?;
        let hash = self.index.seed.hash(judgment.document);
        let documents = &mut self.index.documents[self.topic];
        let (number, new) = documents.add(hash, judgment.document).ok_or(Refusal::TooManyNames)?;
        if new {
            self.codes[self.topic].push(code);
        }
        self.add_to_aspect(judgment, number, code, new)
    }

    /// Whether the second column holds the same word as before. Comparing takes a call, which a word such as 0 is spared.
    #[inline(always)]
    fn is_same_part(&self, part: &[u8]) -> bool {
        match (self.part.as_deref(), part) {
            (Some([]), []) => true,
            (Some([first]), [byte]) => first == byte,
            (Some(first), part) => first == part,
            (None, _) => false,
        }
    }

    /// The second column has a new word: the first of all, or one that parts the judgments.
    #[cold]
    fn next_part(&mut self, part: &[u8]) -> Result<(), Refusal> {
        match &self.part {
            None => self.part = Some(part.to_vec()),
            Some(first) => {
                self.by_aspect = Some(ByAspect::of(first, &self.codes).ok_or(Refusal::TooManyNames)?);
                self.aspect_sums = self.sums.clone(); // its rows stand where the documents do
            }
        }
        Ok(())
    }

    /// The same judgment, kept for its aspect; a document that another aspect judges keeps its highest grade.
    fn add_to_aspect(&mut self, judgment: Judgment<'_>, number: u32, code: i16, new: bool) -> Result<(), Refusal> {
        let Some(by_aspect) = &mut self.by_aspect else { return Ok(()) };
        let Judgment { part, list, line, .. } = judgment;
        let at = At { topic: self.topic, part, list, document: number, line };
        let before = by_aspect.add(at, code, self.is_ordered).ok_or(Refusal::TooManyNames)?;
        let is_whole = part.is_empty() || by_aspect.has(At { part: b"", ..at });
        if let Some(place) = before {
            let there = self.levels[*by_aspect.code(self.topic, place) as usize];
            let sums = self.aspect_sums.entry((self.topic, place)).or_insert((there, 1));
            let merged = merged(self.merge, there, judgment.grade, sums).ok_or(Refusal::Twice)?;
            let code = self.code(merged).ok_or(Refusal::TooManyLevels)?;
            if let Some(by_aspect) = &mut self.by_aspect {
                *by_aspect.code(self.topic, place) = code;
            }
        }
        match (new, self.merge) {
            (true, _) => Ok(()),
            // A grade of the topic as a whole, and one of a part of it, cannot both hold.
            (false, Merge::Aspects) if is_whole && !self.is_ordered => Err(Refusal::Twice),
            (false, Merge::Aspects) => self.merge_with(number, judgment.grade, Merge::Max),
            (false, merge) => self.merge_with(number, judgment.grade, merge),
        }
    }

    /// One more grade of a document that has one.
    fn merge_with(&mut self, number: u32, grade: f64, merge: Merge) -> Result<(), Refusal> {
        let before = self.levels[self.codes[self.topic][number as usize] as usize];
        let sums = self.sums.entry((self.topic, number)).or_insert((before, 1));
        let merged = merged(merge, before, grade, sums).ok_or(Refusal::Twice)?;
        self.codes[self.topic][number as usize] = self.code(merged).ok_or(Refusal::TooManyLevels)?;
        Ok(())
    }

    #[inline(always)]
    fn code(&mut self, grade: f64) -> Option<i16> {
        let grade = grade + 0.0; // -0 is the grade 0
        if self.levels.get(self.last as usize) == Some(&grade) {
            return Some(self.last);
        }
        self.other_code(grade)
    }

    /// The code of another grade than the last one.
    #[inline(never)]
    fn other_code(&mut self, grade: f64) -> Option<i16> {
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

    pub fn finish(mut self) -> Judgments {
        if !self.has_aspects() {
            self.by_aspect = None;
        }
        let mut order: Vec<usize> = (0..self.levels.len()).collect();
        if self.merge == Merge::Mean {
            let mut is_used = vec![false; self.levels.len()]; // a mean of some grades may not be that of all
            self.codes.iter().flatten().for_each(|&code| is_used[code as usize] = true);
            self.by_aspect.iter().flat_map(ByAspect::codes).for_each(|code| is_used[code as usize] = true);
            order.retain(|&code| is_used[code]);
        }
        order.sort_by(|&a, &b| self.levels[a].total_cmp(&self.levels[b]));
        let mut place = vec![0i16; self.levels.len()];
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
        let aspects = self.by_aspect.map(|by_aspect| by_aspect.finish(&by_name, &place));
        let index = Arc::new(Index { seed: self.index.seed, topics, documents });
        Judgments { index, codes, starts, levels, aspects, is_ordered: self.is_ordered, odd: self.odd }
    }
}

pub fn refused(refusal: Refusal, topic: &[u8], document: &[u8]) -> (bool, String) {
    match refusal {
        Refusal::Twice => (true, format!("document {} is judged twice for topic {}", shown(document), shown(topic))),
        Refusal::TooManyNames => (false, format!("the names of topic {} take more than 4 GiB", shown(topic))),
        Refusal::TooManyLevels => (false, format!("there are more than {MOST_LEVELS} different grades")),
    }
}

/// The grade of a document that is judged again; `sums` holds sum and number of its grades so far. None: it is refused.
fn merged(merge: Merge, before: f64, grade: f64, (sum, count): &mut (f64, u32)) -> Option<f64> {
    *sum += grade;
    *count += 1;
    match merge {
        Merge::Aspects | Merge::Error => None,
        Merge::Max => Some(before.max(grade)),
        Merge::Min => Some(before.min(grade)),
        Merge::Mean => Some(*sum / f64::from(*count)),
    }
}

/// What becomes of a document that is judged for one topic twice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Merge {
    /// An error, unless its aspects differ: then the highest grade counts.
    #[default]
    Aspects,
    Error,
    Max,
    Min,
    Mean,
}

impl Merge {
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "aspects" => Some(Merge::Aspects),
            "error" => Some(Merge::Error),
            "max" => Some(Merge::Max),
            "min" => Some(Merge::Min),
            "mean" => Some(Merge::Mean),
            _ => None,
        }
    }
}

/// Judgments of several files, put together.
pub fn read(
    sources: &[Source],
    request: &Request,
    merge: Merge,
    cancel: &AtomicBool,
) -> Result<(Judgments, Vec<Described>), ReadError> {
    let is_ordered = request.form.as_deref() == Some("prefs");
    let mut builder = if is_ordered { Builder::ordered() } else { Builder::merging(merge) };
    let mut forms: Vec<Described> = Vec::new();
    for source in sources {
        forms.push(forms::open(source, request, cancel, Building(&mut builder))?);
    }
    if !builder.has_aspects() {
        // A column that says nothing is not told of.
        forms.iter_mut().for_each(|form| form.columns.retain(|(word, _)| *word != Role::Subtopic.word()));
    }
    Ok((builder.finish(), forms))
}

struct Building<'a>(&'a mut Builder);

impl forms::Reader<Described> for Building<'_> {
    fn read(self, mut entries: impl Entries) -> Result<Described, ReadError> {
        let builder = self.0;
        let (before, mut topics) = (builder.index.topics.len(), 0);
        loop {
            let (entry, taken) = match entries.next(None)? {
                Event::Entry(entry) => {
                    let name = &entries.text()[entry.document.0..entry.document.1];
                    let taken = builder.enter(entries.topic()).and_then(|()| {
                        let (part, list) = (entries.part(), entries.list());
                        builder.add(Judgment { part, list, document: name, grade: entry.key, line: entry.line })
                    });
                    (Some(entry), taken)
                }
                Event::Empty => (None, builder.enter(entries.topic())),
                Event::Moved(_) => continue,
                Event::End => break,
            };
            if let Err(refusal) = taken {
                let name = entry.as_ref().map_or(&b""[..], |entry| &entries.text()[entry.document.0..entry.document.1]);
                let (twice, words) = refused(refusal, entries.topic(), name);
                let merge = Setting::new("merge", "max").option("--qrels-merge").into();
                let hint = ["keep one judgment of each document, or merge them: ".into(), merge];
                let message = match entry {
                    Some(entry) => entries.line_of(&entry).message(words, if twice { &hint } else { &[] }),
                    None => words.into(),
                };
                return Err(if twice { ReadError::duplicate(message) } else { ReadError::format(message) });
            }
            if builder.index.topics.len() - before > topics {
                topics += 1;
                entries.check_rankings(topics as u64, 0)?;
            }
        }
        let about = entries.finish()?;
        builder.odd.count += about.odd.count;
        if builder.odd.first.is_empty() {
            builder.odd.first = about.odd.first;
        }
        Ok(about.form)
    }
}

pub fn nul_found(place: &Place<'_>) -> ReadError {
    ReadError::at(
        place,
        Problem::new("NUL byte", "text", "a NUL byte"),
        &["is this a binary file, or text in UTF-16?".into()],
    )
}
