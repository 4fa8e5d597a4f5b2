//! Several files at once, each on a thread of its own; threads live as long as one call, so a fork finds none.

use crate::error::ReadError;
use crate::index::Index;
use crate::reader::{self, Found, Options};
use crate::source::Source;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How often a waiting caller looks up, to heed Ctrl-C.
pub const LOOK_UP: Duration = Duration::from_millis(50);

type Answer = Result<Found, ReadError>;

/// Runs being read, given out in the order of the sources.
pub struct Reading {
    answers: Receiver<(usize, Answer)>,
    waiting: BTreeMap<usize, Answer>,
    next: usize,
    count: usize,
    cancel: Arc<AtomicBool>,
}

/// What `poll` has to tell.
pub enum Poll {
    Run(Box<Found>),
    NotYet,
    Done,
}

impl Reading {
    pub fn start(
        index: Arc<Index>,
        sources: Vec<Source>,
        options: Options,
        threads: usize,
    ) -> Reading {
        let count = sources.len();
        let threads = threads.clamp(1, count.max(1));
        let sources = Arc::new(sources);
        let claimed = Arc::new(AtomicUsize::new(0));
        let cancel = Arc::new(AtomicBool::new(false));
        // Bounded: readers wait when the caller is slow, and memory holds a few runs only.
        let (give, answers) = sync_channel(threads);
        for _ in 0..threads {
            let (sources, claimed, cancel, give) = (
                sources.clone(),
                claimed.clone(),
                cancel.clone(),
                give.clone(),
            );
            let index = index.clone();
            std::thread::spawn(move || {
                loop {
                    let mine = claimed.fetch_add(1, Ordering::Relaxed);
                    let Some(source) = sources.get(mine) else {
                        break;
                    };
                    let answer = guarded(|| reader::read(source, &index, options, &cancel));
                    if cancel.load(Ordering::Relaxed) || give.send((mine, answer)).is_err() {
                        break;
                    }
                }
            });
        }
        Reading {
            answers,
            waiting: BTreeMap::new(),
            next: 0,
            count,
            cancel,
        }
    }

    /// The next run if it is there within `LOOK_UP`.
    pub fn poll(&mut self) -> Result<Poll, ReadError> {
        if self.next == self.count {
            return Ok(Poll::Done);
        }
        if let Some(answer) = self.waiting.remove(&self.next) {
            self.next += 1;
            return Ok(Poll::Run(Box::new(answer?)));
        }
        match self.answers.recv_timeout(LOOK_UP) {
            Ok((place, answer)) => {
                self.waiting.insert(place, answer);
                Ok(Poll::NotYet)
            }
            Err(RecvTimeoutError::Timeout) => Ok(Poll::NotYet),
            Err(RecvTimeoutError::Disconnected) => {
                Err(ReadError::Internal("a reading thread ended early".into()))
            }
        }
    }
}

impl Drop for Reading {
    fn drop(&mut self) {
        // Threads are not waited for: one may hang on a terminal's standard input.
        self.cancel.store(true, Ordering::Relaxed);
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
        Err(ReadError::Internal(format!(
            "the reader stopped with {words:?}; please report this file"
        )))
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
    std::thread::spawn(move || {
        let done = guarded(|| work(&flag));
        // The caller may be gone after Ctrl-C; then nobody wants the answer.
        let _ = give.send(done);
    });
    loop {
        match answer.recv_timeout(LOOK_UP) {
            Ok(done) => return done,
            Err(RecvTimeoutError::Timeout) if heed() => {}
            Err(RecvTimeoutError::Timeout) => {
                cancel.store(true, Ordering::Relaxed);
                return Err(ReadError::Cancelled);
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(ReadError::Internal("the reading thread ended early".into()));
            }
        }
    }
}
