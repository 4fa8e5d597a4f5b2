//! What every form gives, one at a time: a retrieved document of a run, or a judgment.

use crate::columns::{Given, Kind};
use crate::dialect::{Dialect, Order};
use crate::error::{Place, ReadError};
use crate::fields::Span;
use crate::index::Odd;
use crate::source::Source;

/// A document of a ranking, or a judgment. Places are those in the text of the window.
pub struct Entry {
    /// Where its line, or its topic, starts: text before is of no use to it.
    pub start: usize,
    pub document: Span,
    /// What it is ordered by, highest first; the grade of a judgment.
    pub key: f64,
    pub line: u64,
}

pub enum Event {
    Entry(Entry),
    /// The topic has no document at all.
    Empty,
    /// The window moved on: places are smaller by this much.
    Moved(usize),
    End,
}

/// A file of some form being read.
pub trait Entries {
    /// The next entry; the text from `keep` on stays readable.
    fn next(&mut self, keep: Option<usize>) -> Result<Event, ReadError>;

    fn text(&self) -> &[u8];

    /// The topic of the entry given last.
    fn topic(&self) -> &[u8];

    /// The part of the file that the entry given last belongs to: its run, or the sub-topic or assessor of a judgment.
    /// Empty where the file does not say.
    fn part(&self) -> &[u8] {
        b""
    }

    /// The list in which the assessor of the entry given last put it; empty where there are no preferences.
    fn list(&self) -> &[u8] {
        b""
    }

    /// How messages call the file.
    fn name(&self) -> &str;

    /// An error where so many rankings (of qrels: topics), or runs, are more than a packed file can hold in earnest.
    fn check_rankings(&self, rankings: u64, runs: u64) -> Result<(), ReadError>;

    /// The line of an entry, for a message.
    fn line_of(&self, entry: &Entry) -> Place<'_> {
        Place { file: self.name(), line: entry.line, column: 0, text: b"" }
    }

    /// How many lines of the file stand before what is read.
    fn lines_before(&self) -> u64 {
        0
    }

    /// Whether a topic that comes back later is an error rather than more of the same ranking.
    fn topics_stand_together(&self) -> bool {
        false
    }

    /// What is known of the file at its end; an error where it held nothing.
    fn finish(self) -> Result<About, ReadError>;
}

/// What is known of a file besides its entries.
#[derive(Default)]
pub struct About {
    pub first_tag: Vec<u8>,
    pub last_tag: Vec<u8>,
    /// The first tag that differs from the first; empty where all lines have one tag.
    pub other_tag: Vec<u8>,
    pub odd: Odd,
    pub form: Described,
    pub order: Order,
}

/// What a file was taken for: the name of its form, and the column of each role.
#[derive(Default, Clone, Debug)]
pub struct Described {
    pub form: &'static str,
    pub columns: Vec<(&'static str, String)>,
}

/// How a file is to be read, as far as the user says; what is left open its content decides.
#[derive(Clone, Debug)]
pub struct Request {
    pub kind: Kind,
    pub dialect: Dialect,
    pub form: Option<String>,
    pub columns: Given,
    pub order: Option<Order>,
    pub keep_scores: bool,
}

impl Request {
    /// What orders a run that has such columns, or why it cannot be ordered.
    pub fn order(&self, source: &Source, has_score: bool, has_rank: bool) -> Result<Order, ReadError> {
        let wrong = |words: &str| Err(ReadError::format(format!("{}: {words}", source.name)));
        let order = match self.order {
            Some(Order::Score | Order::Score64) if !has_score => {
                return wrong("expected scores, found none; order by rank or file");
            }
            Some(Order::Rank) if !has_rank => return wrong("expected ranks, found none; order by score or file"),
            Some(order) => order,
            None if has_score => Order::Score,
            None if has_rank => Order::Rank,
            None => Order::File,
        };
        if self.keep_scores && matches!(order, Order::Rank | Order::File) {
            return wrong("expected scores, which are needed, found none");
        }
        Ok(order)
    }
}
