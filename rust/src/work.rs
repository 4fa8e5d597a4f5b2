//! Several files at once, each on a thread of its own; threads live as long as one call, or a block longer.

use crate::error::ReadError;
use crate::index::Index;
use crate::pieces;
use crate::reader::{self, Found, Options};
use crate::source::Source;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// How often a waiting caller looks up, to heed Ctrl-C.
pub const LOOK_UP: Duration = Duration::from_millis(50);

/// How many runs may be read and not yet taken: as many as fit into these bytes, and at most so many.
const BYTES_AHEAD: usize = 64 << 20;
const RUNS_AHEAD: usize = 256;

/// Start a thread; one that cannot be started is an error, not a panic.
pub fn start(work: impl FnOnce() + Send + 'static) -> Result<(), ReadError> {
    match std::thread::Builder::new().spawn(work) {
        Ok(_) => Ok(()),
        Err(error) => Err(ReadError::memory(format!(
            "no thread can be started ({error}): there is not enough memory, or there are too many threads; allow more"
        ))),
    }
}

type Answer = Result<Vec<Found>, ReadError>;

/// What is to be read, shared by the threads that read.
struct Jobs {
    index: Arc<Index>,
    options: Options,
    sources: Vec<Source>,
    /// How many are read, or being read.
    claimed: AtomicUsize,
    cancel: AtomicBool,
}

impl Jobs {
    fn claim(&self) -> Option<usize> {
        let mine = self.claimed.fetch_add(1, Ordering::Relaxed);
        (mine < self.sources.len()).then_some(mine)
    }

    /// The next one, unless another thread takes it first or there is none.
    fn try_claim(&self) -> Option<usize> {
        let next = self.claimed.load(Ordering::Relaxed);
        let is_mine = || self.claimed.compare_exchange(next, next + 1, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        (next < self.sources.len() && is_mine()).then_some(next)
    }

    fn read(&self, number: usize) -> Answer {
        guarded(|| reader::read(&self.sources[number], &self.index, &self.options, &self.cancel))
    }
}

/// Runs being read, given out in the order of the sources.
pub struct Reading {
    jobs: Arc<Jobs>,
    sources: Vec<Source>,
    /// Whether the caller reads, too, while it would only wait.
    helps: bool,
    answers: Receiver<(usize, Answer)>,
    waiting: BTreeMap<usize, Answer>,
    /// How many pieces each source was cut into.
    pieces: Vec<usize>,
    /// The source to give out next, its next piece, and what its earlier pieces held.
    next: usize,
    next_piece: usize,
    so_far: Option<Found>,
    /// A source whose pieces share a topic, being read again as a whole.
    again: Option<Receiver<Answer>>,
    ahead: Arc<Ahead>,
}

/// The bytes of what was read and not yet taken. Readers wait while there are too many, before they begin another piece:
/// pieces are begun in order, so that the one wanted next is never held up.
#[derive(Default)]
struct Ahead {
    bytes: Mutex<usize>,
    taken: Condvar,
}

impl Ahead {
    fn add(&self, answer: &Answer) {
        *self.bytes.lock().unwrap_or_else(PoisonError::into_inner) += bytes_of(answer);
    }

    fn take(&self, answer: &Answer) {
        *self.bytes.lock().unwrap_or_else(PoisonError::into_inner) -= bytes_of(answer);
        self.taken.notify_all();
    }

    fn is_full(&self) -> bool {
        *self.bytes.lock().unwrap_or_else(PoisonError::into_inner) > BYTES_AHEAD
    }

    fn wait(&self, cancel: &AtomicBool) {
        let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        while *bytes > BYTES_AHEAD && !cancel.load(Ordering::Relaxed) {
            bytes = self.taken.wait_timeout(bytes, LOOK_UP).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

fn bytes_of(answer: &Answer) -> usize {
    answer.as_ref().map_or(0, |runs| runs.iter().map(|run| run.hits.bytes()).sum())
}

/// What `poll` has to tell.
pub enum Poll {
    Runs(Vec<Found>),
    NotYet,
    Done,
}

impl Reading {
    /// Raises where no thread can be started; where fewer can than requested, these do the work.
    pub fn start(
        index: Arc<Index>,
        sources: Vec<Source>,
        options: Options,
        threads: usize,
    ) -> Result<Reading, ReadError> {
        let cut: Vec<Vec<Source>> =
            sources.iter().map(|source| pieces::of(source, &options.request, threads)).collect();
        let pieces = cut.iter().map(Vec::len).collect();
        let mut jobs: Vec<Source> = cut.into_iter().flatten().collect();
        // Other threads unpack a file only where they would have nothing else to do.
        let unpackers = if threads > jobs.len() { threads / jobs.len().max(1) } else { 0 };
        jobs.iter_mut().for_each(|source| source.unpackers = unpackers);
        // The caller is one of the threads: what it does with the runs would otherwise be held up by their readers.
        let helps = threads > 1 && jobs.iter().all(pieces::is_soon_read);
        let threads = (threads - usize::from(helps)).clamp(1, jobs.len().max(1));
        let (claimed, cancel) = (AtomicUsize::new(0), AtomicBool::new(false));
        let jobs = Arc::new(Jobs { index, options, sources: jobs, claimed, cancel });
        // Bounded: readers wait when the caller is slow. Only judged documents are left of runs, so that there is room for
        // enough of them to go on while the caller measures some runs together, or is not there yet.
        let (give, answers) = sync_channel(RUNS_AHEAD);
        let ahead = Arc::new(Ahead::default());
        for number in 0..threads {
            let (jobs, give, ahead) = (jobs.clone(), give.clone(), ahead.clone());
            let started = start(move || {
                loop {
                    ahead.wait(&jobs.cancel);
                    let Some(mine) = jobs.claim() else { break };
                    let answer = jobs.read(mine);
                    ahead.add(&answer);
                    if jobs.cancel.load(Ordering::Relaxed) || give.send((mine, answer)).is_err() {
                        break;
                    }
                }
            });
            match started {
                Err(error) if number == 0 => return Err(error),
                Err(_) => break, // those that there are do it all
                Ok(()) => {}
            }
        }
        let (waiting, so_far, again) = (BTreeMap::new(), None, None);
        let (next, next_piece) = (0, 0);
        Ok(Reading { jobs, sources, helps, answers, waiting, pieces, next, next_piece, so_far, again, ahead })
    }

    /// The next run if it is there within `LOOK_UP`.
    pub fn poll(&mut self) -> Result<Poll, ReadError> {
        if let Some(again) = &self.again {
            return match again.recv_timeout(LOOK_UP) {
                Ok(answer) => {
                    self.again = None;
                    Ok(Poll::Runs(answer?))
                }
                Err(RecvTimeoutError::Timeout) => Ok(Poll::NotYet),
                Err(RecvTimeoutError::Disconnected) => Err(ended_early()),
            };
        }
        if self.next == self.pieces.len() {
            return Ok(Poll::Done);
        }
        match self.waiting.remove(&self.next_piece) {
            Some(answer) => self.take(answer),
            None => match self.receive() {
                Ok((place, answer)) => {
                    if place < self.next_piece {
                        self.ahead.take(&answer); // of a file that is read again as a whole
                    } else {
                        self.waiting.insert(place, answer);
                    }
                    Ok(Poll::NotYet)
                }
                Err(RecvTimeoutError::Timeout) => Ok(Poll::NotYet),
                Err(RecvTimeoutError::Disconnected) => Err(ended_early()),
            },
        }
    }

    /// What was read, by another thread or by this one, if it is there within `LOOK_UP` or so.
    fn receive(&self) -> Result<(usize, Answer), RecvTimeoutError> {
        if self.helps {
            if let Ok(read) = self.answers.try_recv() {
                return Ok(read);
            }
            if self.waiting.len() < RUNS_AHEAD
                && !self.ahead.is_full()
                && let Some(mine) = self.jobs.try_claim()
            {
                let answer = self.jobs.read(mine);
                self.ahead.add(&answer);
                return Ok((mine, answer));
            }
        }
        self.answers.recv_timeout(LOOK_UP)
    }

    /// One more piece of the next source: a whole run once it is the last.
    fn take(&mut self, answer: Answer) -> Result<Poll, ReadError> {
        self.ahead.take(&answer);
        let is_cut = self.pieces[self.next] > 1 || self.so_far.is_some();
        let runs = match answer {
            Ok(runs) => Some(runs),
            Err(ReadError::Scattered) => None,
            // More lines of the topic may stand in other pieces: the whole file tells which of them comes first.
            Err(ReadError::Duplicate(_)) if is_cut => None,
            Err(error) => return Err(error),
        };
        if !is_cut && runs.as_ref().is_some_and(|runs| !is_nothing(runs)) {
            self.next_piece += 1;
            self.next += 1;
            return Ok(Poll::Runs(runs.unwrap_or_default()));
        }
        // A file that was cut is TREC's, and holds one run.
        let found = runs.and_then(|mut runs| runs.pop());
        let together = match (self.so_far.take(), found) {
            (None, found) => found,
            (Some(mut before), Some(found)) => before.append(found, &self.jobs.index).then_some(before),
            (Some(_), None) => None,
        };
        self.next_piece += 1;
        self.pieces[self.next] -= 1;
        let left = self.pieces[self.next];
        let Some(found) = together.filter(|found| left > 0 || found.has_topics_once()) else {
            for _ in 0..left {
                // The other pieces are of no use.
                self.waiting.remove(&self.next_piece).iter().for_each(|answer| self.ahead.take(answer));
                self.next_piece += 1;
            }
            self.again = Some(self.gathering(self.next)?);
            self.next += 1;
            return Ok(Poll::NotYet);
        };
        if left > 0 {
            self.so_far = Some(found);
            return Ok(Poll::NotYet);
        }
        self.next += 1;
        if is_nothing(std::slice::from_ref(&found)) {
            self.again = Some(self.gathering(self.next - 1)?); // no line at all: the whole file has the words for it
            return Ok(Poll::NotYet);
        }
        Ok(Poll::Runs(vec![found]))
    }

    fn gathering(&self, number: usize) -> Result<Receiver<Answer>, ReadError> {
        let (give, answer) = sync_channel(1);
        let (source, jobs) = (self.sources[number].clone(), self.jobs.clone());
        start(move || {
            // The caller may be gone after Ctrl-C; then nobody wants the answer.
            let _ = give.send(guarded(|| reader::read(&source, &jobs.index, &jobs.options, &jobs.cancel)));
        })?;
        Ok(answer)
    }
}

/// Whether pieces of a TREC file hold no line at all.
fn is_nothing(runs: &[Found]) -> bool {
    runs.iter().all(|run| run.about.form.form == "trec" && run.about.last_tag.is_empty())
}

fn ended_early() -> ReadError {
    ReadError::Internal("a reading thread ended early".into())
}

impl Drop for Reading {
    fn drop(&mut self) {
        // Threads are not waited for: one may hang on a terminal's standard input.
        self.jobs.cancel.store(true, Ordering::Relaxed);
    }
}

/// No panic may cross into Python: it becomes an error that names the place.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, ReadError>) -> Result<T, ReadError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let words = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no words");
        Err(ReadError::Internal(format!("the reader stopped with {words:?}; please report this file")))
    })
}

/// Run `work` on a thread of its own and look up for Ctrl-C (`heed`) until it is done.
pub fn watched<T: Send + 'static>(
    work: impl FnOnce(&AtomicBool) -> Result<T, ReadError> + Send + 'static,
    mut heed: impl FnMut() -> bool,
) -> Result<T, ReadError> {
    let cancel = Arc::new(AtomicBool::new(false));
    let (give, answer) = sync_channel(1);
    let flag = cancel.clone();
    start(move || {
        let done = guarded(|| work(&flag));
        // The caller may be gone after Ctrl-C; then nobody wants the answer.
        let _ = give.send(done);
    })?;
    loop {
        match answer.recv_timeout(LOOK_UP) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Timeout) if heed() => {}
            Err(RecvTimeoutError::Timeout) => {
                cancel.store(true, Ordering::Relaxed);
                return Err(ReadError::Cancelled);
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(ended_early());
            }
        }
    }
}

/// Whole rankings of one file, handed out as they are read.
pub struct Listed {
    batches: Receiver<Result<Vec<Found>, ReadError>>,
    cancel: Arc<AtomicBool>,
}

/// How many batches may be read and not yet taken.
const BATCHES_AHEAD: usize = 2;

impl Listed {
    pub fn start(source: Source, options: Options, is_scattered: bool) -> Result<Listed, ReadError> {
        let cancel = Arc::new(AtomicBool::new(false));
        let (give, batches) = sync_channel(BATCHES_AHEAD);
        let flag = cancel.clone();
        start(move || {
            // The caller may be gone; then nobody wants the rest.
            let mut hand_out = |runs: Vec<Found>| give.send(Ok(runs)).map_err(|_| ReadError::Cancelled);
            if let Err(error) = guarded(|| reader::list(&source, &options, &flag, is_scattered, &mut hand_out)) {
                let _ = give.send(Err(error));
            }
        })?;
        Ok(Listed { batches, cancel })
    }

    /// The next batch if it is there within `LOOK_UP`.
    pub fn poll(&mut self) -> Result<Poll, ReadError> {
        match self.batches.recv_timeout(LOOK_UP) {
            Ok(batch) => Ok(Poll::Runs(batch?)),
            Err(RecvTimeoutError::Timeout) => Ok(Poll::NotYet),
            Err(RecvTimeoutError::Disconnected) => Ok(Poll::Done),
        }
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}
