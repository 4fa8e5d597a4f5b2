//! Packed files of several blocks, unpacked side by side: xz as several threads pack it, or several files behind each
//! other, and every bzip2 file of more than 900 kB of text.
//!
//! A block is made a small packed file of its own, which the usual decoder takes. If anything looks wrong, the usual decoder
//! starts again from the beginning of the whole file ("in a row") and skips the bytes that were already given out: text and
//! errors are those of that way. Only how much of the text comes before an error may differ: a decoder loses what it had for
//! the call in which it met the error.

mod bzip2;
mod xz;

use crate::memory;
use crate::unpacking::{Decoder, Taken};
use crate::work::start;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of blocks that wait to be read; with more threads each of them may have one block.
const WAITING: usize = 32 << 20;
/// Blocks that wait to be read, for each thread.
const BLOCKS_AHEAD: usize = 4;

/// A block as a packed file of its own.
pub struct Block {
    packed: Vec<u8>,
    /// Bytes that it may unpack to.
    most: usize,
    /// Where it ends in the file that it comes from.
    end: u64,
}

/// The file is not as it should be, or not as it is understood here.
#[derive(Debug)]
pub struct Unclear;

/// Cuts a packed file into its blocks.
pub trait Cutter: Send {
    /// The next block; None behind the last.
    fn next(&mut self) -> Result<Option<Block>, Unclear>;
    /// The most bytes that a block takes: its text, and twice its packed bytes.
    fn largest(&self) -> usize;
    /// How a block is unpacked.
    fn decoder(&self) -> Unpack;
}

type Unpack = fn(&Block) -> Option<Vec<u8>>;
/// Opens the file once more, to unpack it in a row.
pub type Again = Box<dyn FnMut() -> io::Result<Decoder> + Send>;

/// What cuts a file that is packed in this way; None for other packings, and for xz files that are better unpacked in a row.
pub fn cutter(kind: &str, file: File) -> Option<Box<dyn Cutter>> {
    match kind {
        "xz" => Some(Box::new(xz::Xz::open(file)?)),
        "bzip2" => Some(Box::new(bzip2::Bzip2::new(file))),
        _ => None,
    }
}

/// The text of a file whose blocks are unpacked by several threads, in order.
pub struct SideBySide {
    way: Way,
    again: Again,
    taken: Taken,
    /// The block at hand, and how much of it was given out.
    text: Vec<u8>,
    at: usize,
    /// Bytes of the blocks before it.
    before: u64,
}

enum Way {
    Blocks(Arc<Shared>),
    InARow(Decoder),
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// How many blocks may be begun and not yet read.
    ahead: u64,
    decoder: Unpack,
}

struct State {
    cutter: Box<dyn Cutter>,
    /// How many blocks were begun, and which is to be read next.
    begun: u64,
    wanted: u64,
    /// Blocks that wait to be read, with their ends; None for one that is not as it should be.
    done: BTreeMap<u64, Option<(Vec<u8>, u64)>>,
    /// How many blocks there are, once that is known.
    count: Option<u64>,
    /// Whether nobody reads any more.
    is_left: bool,
}

impl SideBySide {
    /// None where there is too little memory for two blocks at once, or no thread can be started.
    pub fn new(cutter: Box<dyn Cutter>, threads: usize, taken: Taken, again: Again) -> Option<Self> {
        let (largest, decoder) = (cutter.largest().max(1), cutter.decoder());
        let spare = memory::spare();
        let threads = threads.min(spare / largest);
        if threads < 2 {
            return None;
        }
        let ahead = (WAITING.min(spare) / largest).clamp(threads, BLOCKS_AHEAD * threads) as u64;
        let done = BTreeMap::new();
        let state = State { cutter, begun: 0, wanted: 0, done, count: None, is_left: false };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new(), ahead, decoder });
        for number in 0..threads {
            let theirs = shared.clone();
            match start(move || theirs.unpack()) {
                Err(_) if number == 0 => return None,
                Err(_) => break, // those that there are do it all
                Ok(()) => {}
            }
        }
        Some(SideBySide { way: Way::Blocks(shared), again, taken, text: Vec::new(), at: 0, before: 0 })
    }

    fn leave(&mut self) {
        if let Way::Blocks(shared) = &self.way {
            shared.lock().is_left = true;
            shared.changed.notify_all();
        }
    }

    /// Go on in a row, behind what was given out.
    fn go_on_in_a_row(&mut self) -> io::Result<()> {
        self.leave();
        self.way = Way::InARow(Decoder { reader: Box::new(io::empty()), taken: self.taken.clone() }); // behind an error
        let mut decoder = (self.again)()?;
        let passed = io::copy(&mut (&mut decoder.reader).take(self.before), &mut io::sink())?;
        self.way = Way::InARow(decoder);
        if passed < self.before { Err(io::Error::other("the file has changed while it was read")) } else { Ok(()) }
    }
}

impl Read for SideBySide {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let shared = match &mut self.way {
                Way::InARow(decoder) => {
                    let count = decoder.reader.read(into);
                    self.taken.fetch_max(decoder.taken.load(Ordering::Relaxed), Ordering::Relaxed);
                    return count;
                }
                Way::Blocks(shared) => shared,
            };
            if self.at < self.text.len() || into.is_empty() {
                let count = into.len().min(self.text.len() - self.at);
                into[..count].copy_from_slice(&self.text[self.at..self.at + count]);
                self.at += count;
                return Ok(count);
            }
            match shared.next() {
                Next::End => return Ok(0),
                Next::Unclear => {
                    self.before += self.text.len() as u64;
                    self.go_on_in_a_row()?;
                }
                Next::Text(text, end) => {
                    self.before += self.text.len() as u64;
                    (self.text, self.at) = (text, 0);
                    self.taken.store(end, Ordering::Relaxed);
                }
            }
        }
    }
}

impl Drop for SideBySide {
    fn drop(&mut self) {
        self.leave(); // threads end with their block, and are not waited for
    }
}

enum Next {
    Text(Vec<u8>, u64),
    Unclear,
    End,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wait for the block that is to be read next.
    fn next(&self) -> Next {
        let mut state = self.lock();
        loop {
            let wanted = state.wanted;
            if let Some(block) = state.done.remove(&wanted) {
                state.wanted += 1;
                self.changed.notify_all();
                return block.map_or(Next::Unclear, |(text, end)| Next::Text(text, end));
            }
            if state.count == Some(wanted) {
                return Next::End;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Unpack one block after the other, while there are any and somebody reads them.
    fn unpack(&self) {
        while let Some((number, block)) = self.begin() {
            let text = catch_unwind(AssertUnwindSafe(|| (self.decoder)(&block))).ok().flatten();
            self.lock().done.insert(number, text.map(|text| (text, block.end)));
            self.changed.notify_all();
        }
    }

    /// The next block and its number, once there is room for it.
    fn begin(&self) -> Option<(u64, Block)> {
        let mut state = self.lock();
        while state.begun >= state.wanted + self.ahead && !state.is_left {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_left || state.count.is_some() {
            return None;
        }
        let number = state.begun;
        match catch_unwind(AssertUnwindSafe(|| state.cutter.next())).unwrap_or(Err(Unclear)) {
            Ok(Some(block)) => {
                state.begun += 1;
                return Some((number, block));
            }
            Ok(None) => state.count = Some(number),
            Err(Unclear) => {
                state.count = Some(number + 1);
                state.done.insert(number, None);
            }
        }
        self.changed.notify_all();
        None
    }
}

/// All that a decoder gives; None where it is damaged, or gives more than `most` bytes.
fn all_of(decoder: impl Read, most: usize) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    text.try_reserve_exact(most + 1).ok()?; // one more, to see that it ends
    decoder.take(most as u64 + 1).read_to_end(&mut text).ok()?;
    (text.len() <= most).then_some(text)
}

#[cfg(test)]
mod tests;
