//! The core, called with the settings of a target; what it reads in a shape that can be compared.

use crate::draw::Setting;
use crate::plain::{self, Entry, Grades, Name, Ranked, Rankings};
use crate::plain_trec;
use _core::fuzzing::{
    Dialect, Duplicates, Found, Index, Judgments, Kind, Listing, Merge, Options, Order, Origin, Poll, ReadError,
    Reading, Request, Source, list, read_qrels, read_run,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How messages call what is read.
pub const NAME: &str = "input";

pub fn source(bytes: &[u8]) -> Source {
    Source {
        name: NAME.into(),
        origin: Origin::Bytes(bytes.to_vec()),
        max_size: Some(16 << 20),
        piece: None,
        unpackers: 0,
    }
}

/// A file of this process, in memory where that can be had.
pub fn scratch() -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    folder.join(format!("rankscale-fuzz-{}", std::process::id()))
}

pub fn dialect(of: plain_trec::Dialect) -> Dialect {
    match of {
        plain_trec::Dialect::Own => Dialect { comments: true, lenient: false, blank_qrels: true },
        plain_trec::Dialect::TrecEval9 => Dialect { comments: false, lenient: true, blank_qrels: false },
        plain_trec::Dialect::TrecEval10 => Dialect { comments: true, lenient: true, blank_qrels: false },
    }
}

fn order(of: plain::Order) -> Order {
    match of {
        plain::Order::Score => Order::Score,
        plain::Order::Score64 => Order::Score64,
        plain::Order::Rank => Order::Rank,
        plain::Order::File => Order::File,
    }
}

pub fn request(kind: plain::Kind, form: Option<&str>, order_given: Option<plain::Order>) -> Request {
    Request {
        kind: if kind == plain::Kind::Runs { Kind::Run } else { Kind::Qrels },
        dialect: dialect(plain_trec::Dialect::Own),
        form: form.map(String::from),
        columns: Vec::new(),
        order: order_given.map(order),
        keep_scores: false,
    }
}

pub fn options(setting: &Setting, form: Option<&str>) -> Options {
    Options {
        request: request(plain::Kind::Runs, form, setting.order),
        depth: setting.depth,
        keep_documents: false,
        duplicates: match setting.duplicates {
            plain::Duplicates::Error => Duplicates::Error,
            plain::Duplicates::Best => Duplicates::Best,
            plain::Duplicates::First => Duplicates::First,
        },
        document_from: None,
        listing: Listing::None,
    }
}

/// Whole rankings, and what put them in order where it is known.
pub fn listed(source: &Source, options: &Options) -> Result<Rankings, ReadError> {
    let options = Options { listing: Listing::Double, ..options.clone() };
    let cancel = AtomicBool::new(false);
    let read = |is_scattered: bool| {
        let mut rankings = Rankings::new();
        let done = list(source, &options, &cancel, is_scattered, &mut |runs: Vec<Found>| {
            runs.iter().for_each(|run| add_listed(&mut rankings, run));
            Ok(())
        });
        done.map(|()| rankings)
    };
    match read(false) {
        Err(ReadError::Scattered) => read(true),
        read => read,
    }
}

fn add_listed(rankings: &mut Rankings, run: &Found) {
    let (hits, topics) = (&run.hits, &run.topics);
    assert_eq!(hits.segments.len(), topics.len());
    let mut place = 0;
    for (segment, topic) in hits.segments.iter().zip(topics) {
        assert_eq!((segment.start, segment.end - segment.start), (place, segment.length as usize));
        let name = |at: usize| {
            let start = if at == 0 { 0 } else { hits.name_ends[at - 1] as usize };
            hits.names[start..hits.name_ends[at] as usize].to_vec()
        };
        let ranking = (segment.start..segment.end).map(|at| Ranked { document: name(at), key: hits.score[at] });
        let before = rankings.entry(run.run.clone()).or_default().insert(topic.clone(), ranking.collect());
        assert!(before.is_none(), "topic {topic:?} is given twice");
        place = segment.end;
    }
}

/// A run as it is judged: entries and length of each topic, how many topics are unknown, first, last and other tag.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedRun {
    pub topics: BTreeMap<Name, (usize, Vec<Entry>)>,
    pub unknown: usize,
    pub tags: [Name; 3],
    pub documents: BTreeMap<Name, Vec<Name>>,
}

pub type JudgedRuns = BTreeMap<Name, JudgedRun>;

/// Names that are judged: topics and documents.
pub type JudgedNames = BTreeMap<Name, BTreeSet<Name>>;

pub fn index_of(judged: &JudgedNames) -> Index {
    let mut index = Index::default();
    for (topic, documents) in judged {
        index.topics.add(index.seed.hash(topic), topic);
        index.documents.push(Default::default());
        for name in documents {
            let hash = index.seed.hash(name);
            index.documents.last_mut().unwrap().add(hash, name);
        }
    }
    index
}

pub fn judged(source: &Source, index: &Index, options: &Options) -> Result<JudgedRuns, ReadError> {
    read_run(source, index, options, &AtomicBool::new(false)).map(|runs| seen(runs, index))
}

/// The same of a file, cut into pieces that several threads read.
pub fn judged_by_threads(
    path: &PathBuf,
    index: &Arc<Index>,
    options: &Options,
    threads: usize,
) -> Result<JudgedRuns, ReadError> {
    let origin = Origin::Path(path.clone());
    let source = Source { name: NAME.into(), origin, max_size: None, piece: None, unpackers: 1 };
    let mut reading = Reading::start(index.clone(), vec![source], options.clone(), threads)?;
    loop {
        match reading.poll()? {
            Poll::Runs(runs) => return Ok(seen(runs, index)),
            Poll::NotYet => {}
            Poll::Done => panic!("no run at all"),
        }
    }
}

pub fn seen(runs: Vec<Found>, index: &Index) -> JudgedRuns {
    let mut seen = JudgedRuns::new();
    for run in runs {
        let hits = run.hits.in_topic_order();
        let (mut topics, mut documents, mut place) = (BTreeMap::new(), BTreeMap::new(), 0);
        for segment in &hits.segments {
            let names = &index.documents[segment.topic as usize];
            let entry = |at: usize| {
                let name = names.get(hits.document[at] as usize).to_vec();
                let rank = hits.rank[at];
                let (first, last) = match hits.tied.place.binary_search(&(at as i64)) {
                    Ok(tied) => (hits.tied.first[tied], hits.tied.last[tied]),
                    Err(_) => (rank, rank),
                };
                (rank as usize, name, first as usize, last as usize)
            };
            let topic = index.topics.get(segment.topic as usize).to_vec();
            let entries = (segment.start..segment.end).map(entry).collect();
            let length = segment.length as usize;
            if !hits.name_ends.is_empty() {
                let name = |at: usize| {
                    let start = if at == 0 { 0 } else { hits.name_ends[at - 1] as usize };
                    hits.names[start..hits.name_ends[at] as usize].to_vec()
                };
                documents.insert(topic.clone(), (place..place + length).map(name).collect());
                place += length;
            }
            assert!(topics.insert(topic, (length, entries)).is_none(), "a topic is given twice");
        }
        let tags = [run.about.first_tag, run.about.last_tag, run.about.other_tag];
        let judged = JudgedRun { topics, unknown: run.unknown.len(), tags, documents };
        assert!(seen.insert(run.run, judged).is_none(), "a run is given twice");
    }
    seen
}

/// Judgments of one aspect: documents with their grades and lists, in the order of the file.
pub type ByAspect = BTreeMap<(Name, Name), Vec<(Name, f64, Name)>>;

#[derive(Debug, PartialEq)]
pub struct JudgedTopics {
    pub grades: Grades,
    pub aspects: Option<ByAspect>,
}

pub fn qrels(bytes: &[u8], request: &Request, merge: Merge) -> Result<JudgedTopics, ReadError> {
    let (judgments, forms) = read_qrels(&[source(bytes)], request, merge, &AtomicBool::new(false))?;
    assert_eq!(forms.len(), 1);
    Ok(judged_topics(&judgments))
}

pub fn judged_topics(judgments: &Judgments) -> JudgedTopics {
    let Judgments { index, codes, starts, levels, .. } = judgments;
    assert!(levels.is_sorted_by(|a, b| a < b), "levels {levels:?}");
    assert_eq!(starts.last(), Some(&(codes.len() as i64)));
    let names: Vec<&[u8]> = index.topics.iter().collect();
    assert!(names.is_sorted_by(|a, b| a < b), "topics {names:?}");
    let mut grades = Grades::new();
    for (topic, name) in names.iter().enumerate() {
        let codes = &codes[starts[topic] as usize..starts[topic + 1] as usize];
        assert_eq!(codes.len(), index.documents[topic].len());
        let graded =
            index.documents[topic].iter().zip(codes).map(|(name, &code)| (name.to_vec(), levels[code as usize]));
        grades.insert(name.to_vec(), graded.collect());
    }
    let aspects = judgments.aspects.as_ref().map(|aspects| {
        let mut by_aspect = ByAspect::new();
        for (topic, name) in names.iter().enumerate() {
            for aspect in aspects.starts[topic] as usize..aspects.starts[topic + 1] as usize {
                let rows = aspects.first[aspect] as usize..aspects.first[aspect + 1] as usize;
                let row = |at: usize| {
                    let document = index.documents[topic].get(aspects.document[at] as usize).to_vec();
                    let list = aspects.lists[aspect][aspects.ordering[at] as usize].clone();
                    (document, levels[aspects.code[at] as usize], list)
                };
                by_aspect.insert((name.to_vec(), aspects.names[aspect].clone()), rows.map(row).collect());
            }
        }
        by_aspect
    });
    JudgedTopics { grades, aspects }
}
