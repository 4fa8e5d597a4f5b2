//! A file seen through one buffer that moves down it: whole lines at a time, bounded memory.

use crate::error::{Place, Problem, ReadError};
use crate::fields::PADDING;
use crate::memory::Watch;
use crate::sizes;
use crate::source::{Source, Unpacked};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

/// A longer line is no line of a run or of qrels.
pub const LONGEST_LINE: usize = 64 << 20;
/// Places in the buffer are kept in 32 bits.
const LARGEST: usize = u32::MAX as usize - 2 * PADDING;

thread_local! {
    /// The buffer of the last file that this thread has read: new memory would have to be cleared, by the system and here.
    static SPARE: Cell<Option<Vec<u8>>> = const { Cell::new(None) };
}

pub struct Window<'a> {
    pub name: String,
    reader: Unpacked,
    cancel: &'a AtomicBool,
    /// Text, then `PADDING` line ends, so that a line can be looked at in one load and a missing last line end is there.
    pub text: Vec<u8>,
    have: usize,
    ended: bool,
    /// End of the last whole line.
    pub whole: usize,
    /// Whether lines have to fit; a JSON document may be one line from its start to its end.
    pub by_line: bool,
    /// How many rows there were, as far as line ends, or the commas of a JSON document, tell; not counted in plain text.
    rows: u64,
    watch: Watch,
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        if self.text.len() == sizes::window() + PADDING {
            SPARE.set(Some(std::mem::take(&mut self.text)));
        }
    }
}

impl<'a> Window<'a> {
    pub fn open(source: &Source, cancel: &'a AtomicBool) -> Result<Self, ReadError> {
        let reader = source.open()?;
        let name = source.name.clone();
        let text = SPARE.take().unwrap_or_else(|| vec![b'\n'; PADDING]);
        let watch = Watch::default();
        let mut window =
            Window { name, reader, cancel, text, have: 0, ended: false, whole: 0, by_line: true, rows: 0, watch };
        window.advance(0).map_err(|error| window.at_line(error, 1))?;
        if source.piece.as_ref().is_some_and(|piece| piece.start > 0) {
            return Ok(window);
        }
        if window.text.starts_with(b"\xEF\xBB\xBF") {
            window.drop_front(3);
        }
        if window.text.starts_with(b"\xFF\xFE") || window.text.starts_with(b"\xFE\xFF") {
            return Err(ReadError::format(format!(
                "{}: expected plain text, found UTF-16\nsave the file as UTF-8 and try again",
                window.name
            )));
        }
        Ok(window)
    }

    /// An error where so many rankings, or runs, are more than the packed bytes read so far can hold in earnest.
    pub fn check_rankings(&self, rankings: u64, runs: u64) -> Result<(), ReadError> {
        self.reader.check_rankings(rankings, runs)
    }

    pub fn ended(&self) -> bool {
        self.ended
    }

    /// The text at hand, without the padding; its last line may not be whole.
    pub fn at_hand(&self) -> &[u8] {
        &self.text[..self.have]
    }

    /// The error for a line that is too long, where it is this line that is.
    pub fn at_line(&self, error: ReadError, line: u64) -> ReadError {
        match error {
            ReadError::LongLine => too_long(&Place { file: &self.name, line, column: 0, text: b"" }),
            other => other,
        }
    }

    /// Forget the text before `keep` and read on. What stood at `keep` stands at 0 afterwards.
    pub fn advance(&mut self, keep: usize) -> Result<(), ReadError> {
        if self.cancel.load(Ordering::Relaxed) {
            return Err(ReadError::Cancelled);
        }
        if self.have > 0 {
            self.watch.check(&self.name)?; // not at the start: most files are read in one piece
        }
        self.drop_front(keep);
        let mut size = (self.text.len() - PADDING).max(sizes::window());
        if self.have > size / 2 {
            size = (size * 2).min(LARGEST);
        }
        if self.have >= size {
            return Err(ReadError::format(format!(
                "{}: the lines of one topic take more than 4 GiB, which is more than can be read",
                self.name
            )));
        }
        let more = (size + PADDING).saturating_sub(self.text.len());
        self.text
            .try_reserve_exact(more)
            .map_err(|_| ReadError::memory(format!("{}: there is not enough memory to read on", self.name)))?;
        self.text.resize(size + PADDING, b'\n');
        while self.have < size {
            let count = self.reader.read(&mut self.text[self.have..size])?;
            if count == 0 {
                self.ended = true;
                break;
            }
            if self.reader.packed().is_some() {
                let between = if self.by_line { b'\n' } else { b',' };
                self.rows += memchr::memchr_iter(between, &self.text[self.have..self.have + count]).count() as u64;
                self.reader.check_rows(self.rows)?;
            }
            self.have += count;
        }
        self.text[self.have..self.have + PADDING].fill(b'\n');
        self.whole = if self.ended {
            self.have
        } else {
            memchr::memrchr(b'\n', &self.text[..self.have]).map_or(0, |last| last + 1)
        };
        if self.by_line && self.have - self.whole > LONGEST_LINE {
            return Err(ReadError::LongLine);
        }
        Ok(())
    }

    fn drop_front(&mut self, count: usize) {
        self.text.copy_within(count..self.have, 0);
        self.have -= count;
        self.whole = self.whole.saturating_sub(count);
        self.text[self.have..self.have + PADDING].fill(b'\n');
    }

    /// Where the line that starts at `start` ends; the padding holds the line end that a last line may lack.
    pub fn line_end(&self, start: usize) -> usize {
        memchr::memchr(b'\n', &self.text[start..]).map_or(self.have, |length| start + length)
    }
}

pub fn too_long(place: &Place<'_>) -> ReadError {
    let problem = Problem::new("", "a line of text", format!("one longer than {LONGEST_LINE} bytes"));
    ReadError::at(place, problem, &["is this a run, or qrels?".into()])
}
