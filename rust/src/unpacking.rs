//! Packing taken off in chunks: by the thread that reads, or by another one ahead of it. Both give the same bytes, and
//! the same error behind the same number of them.

use crate::sizes;
use crate::work::start;
use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SendError, Sender, channel, sync_channel};

/// How many chunks may be unpacked and not yet read.
const CHUNKS_AHEAD: usize = 4;

/// How many packed bytes were taken from a file.
pub type Taken = Arc<AtomicU64>;

/// What takes the packing off.
pub struct Decoder {
    pub reader: Box<dyn Read + Send>,
    pub taken: Taken,
}

#[derive(Default)]
struct Chunk {
    /// As many bytes as a chunk has, of which so many are of use.
    bytes: Vec<u8>,
    size: usize,
    /// Packed bytes taken for this chunk and all before.
    taken: u64,
    /// What comes behind it: another chunk, the end, or an error.
    end: Option<io::Result<()>>,
}

impl Decoder {
    /// The next chunk, in memory that is used again.
    fn chunk(&mut self, mut bytes: Vec<u8>) -> Chunk {
        let (mut size, mut end) = (0, None);
        match bytes.try_reserve_exact(sizes::chunk().saturating_sub(bytes.len())) {
            Ok(()) => bytes.resize(sizes::chunk(), 0),
            Err(_) => end = Some(Err(io::ErrorKind::OutOfMemory.into())),
        }
        while size < bytes.len() && end.is_none() {
            match self.reader.read(&mut bytes[size..]) {
                Ok(0) => end = Some(Ok(())),
                Ok(count) => size += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => end = Some(Err(error)),
            }
        }
        Chunk { bytes, size, taken: self.taken.load(Ordering::Relaxed), end }
    }
}

enum Origin {
    Here(Decoder),
    Ahead { chunks: Receiver<Chunk>, spent: Sender<Vec<u8>> },
}

/// Text that was packed, chunk by chunk.
pub struct Unpacking {
    chunk: Chunk,
    at: usize,
    origin: Origin,
}

impl Unpacking {
    /// Unpack here, or on a thread of its own if `ahead` is wanted and there is more than one chunk.
    pub fn new(mut decoder: Decoder, ahead: bool) -> Self {
        let chunk = decoder.chunk(Vec::new());
        let origin = if ahead && chunk.end.is_none() { unpack_ahead(decoder) } else { Err(decoder) };
        let origin = origin.unwrap_or_else(Origin::Here);
        Unpacking { chunk, at: 0, origin }
    }

    /// Packed bytes taken for the text given out and for the rest of its chunk.
    pub fn taken(&self) -> u64 {
        self.chunk.taken
    }

    fn next_chunk(&mut self) {
        let bytes = std::mem::take(&mut self.chunk.bytes);
        self.at = 0;
        self.chunk = match &mut self.origin {
            Origin::Here(decoder) => decoder.chunk(bytes),
            Origin::Ahead { chunks, spent } => {
                let _ = spent.send(bytes); // the other thread may have reached the end
                let ended_early = || Some(Err(io::Error::other("the unpacking thread ended early")));
                chunks.recv().unwrap_or_else(|_| Chunk { end: ended_early(), ..Chunk::default() })
            }
        };
    }
}

impl Read for Unpacking {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.at == self.chunk.size {
            match self.chunk.end.take() {
                None => self.next_chunk(),
                Some(end) => {
                    self.chunk.end = Some(Ok(()));
                    return end.map(|()| 0);
                }
            }
        }
        let count = into.len().min(self.chunk.size - self.at);
        into[..count].copy_from_slice(&self.chunk.bytes[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// Chunks from a thread that ends with the file, or when nobody takes them any more.
///
/// Where no thread can be started, the decoder is given back.
fn unpack_ahead(decoder: Decoder) -> Result<Origin, Decoder> {
    let (give, chunks) = sync_channel(CHUNKS_AHEAD);
    let (spent, reused) = channel();
    let (hand_over, handed) = sync_channel(1);
    let started = start(move || {
        let Ok(mut decoder): Result<Decoder, _> = handed.recv() else { return };
        loop {
            let chunk = decoder.chunk(reused.try_recv().unwrap_or_default());
            let is_last = chunk.end.is_some();
            if give.send(chunk).is_err() || is_last {
                break;
            }
        }
    });
    match started {
        Ok(()) => match hand_over.send(decoder) {
            Ok(()) => Ok(Origin::Ahead { chunks, spent }),
            Err(SendError(decoder)) => Err(decoder),
        },
        Err(_) => Err(decoder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHUNK: usize = sizes::chunk();

    /// Gives some bytes, a few at a time, and then an error.
    struct Breaking(usize);

    impl Read for Breaking {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let count = into.len().min(self.0).min(7000);
            self.0 -= count;
            for (place, byte) in into[..count].iter_mut().enumerate() {
                *byte = ((self.0 + place) % 251) as u8;
            }
            if count == 0 { Err(io::Error::other("broken")) } else { Ok(count) }
        }
    }

    #[test]
    fn another_thread_gives_the_same_bytes_and_the_same_error() {
        for size in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 5 * CHUNK + 17] {
            let read = |ahead| {
                let reader = Box::new(Breaking(size));
                let mut unpacking = Unpacking::new(Decoder { reader, taken: Taken::default() }, ahead);
                let (mut text, mut part) = (Vec::new(), vec![0; 100_000]);
                let error = loop {
                    match unpacking.read(&mut part) {
                        Ok(count) => text.extend_from_slice(&part[..count]),
                        Err(error) => break error.to_string(),
                    }
                };
                (text, error)
            };
            let (text, error) = read(true);
            assert_eq!((text.len(), error.as_str()), (size, "broken"));
            assert_eq!((text, error), read(false));
        }
    }

    #[test]
    fn a_reader_that_leaves_early_ends_the_other_thread() {
        let taken = Taken::default();
        let reader = Box::new(io::repeat(b'x'));
        let mut unpacking = Unpacking::new(Decoder { reader, taken: taken.clone() }, true);
        let mut part = [0; 10];
        assert_eq!(unpacking.read(&mut part).ok(), Some(10));
        drop(unpacking);
        // The thread holds the other counter until it ends.
        while Arc::strong_count(&taken) > 1 {
            std::thread::yield_now();
        }
    }
}
