//! All frames of an lz4 file. The decoder stops behind each of them, and takes a file that breaks off between two blocks
//! for a whole one, as a compressor leaves it that is killed: here that is an error.

use lz4_flex::frame::FrameDecoder;
use std::io::{self, BufRead, BufReader, Read};

/// How frames of the first lz4 start, which have no end mark.
const LEGACY: [u8; 4] = [0x02, 0x21, 0x4C, 0x18];

/// Flags of a frame: what its header holds, and what follows blocks and the end mark.
mod flag {
    pub const DICTIONARY: u8 = 1;
    pub const CONTENT_CHECKSUM: u8 = 4;
    pub const CONTENT_SIZE: u8 = 8;
    pub const BLOCK_CHECKSUM: u8 = 16;
}

/// Set in the size of a block that is stored as it is.
const STORED: u32 = 1 << 31;

pub struct Frames<R: Read>(FrameDecoder<BufReader<Followed<R>>>);

impl<R: Read> Frames<R> {
    pub fn new(packed: R) -> Self {
        Frames(FrameDecoder::new(BufReader::new(Followed::new(packed))))
    }
}

impl<R: Read> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let count = self.0.read(into)?;
            if count > 0 || into.is_empty() || self.0.get_mut().fill_buf()?.is_empty() {
                return Ok(count);
            }
        }
    }
}

/// What the next bytes are, once those to be skipped are.
#[derive(Clone, Copy)]
enum Next {
    Magic,
    Flags,
    BlockSize,
    Legacy,
}

/// Packed bytes on their way to the decoder, followed from block to block; an error where they end within a frame.
struct Followed<R> {
    inner: R,
    next: Next,
    flags: u8,
    skip: u64,
    word: [u8; 4],
    filled: usize,
}

impl<R: Read> Followed<R> {
    fn new(inner: R) -> Self {
        Followed { inner, next: Next::Magic, flags: 0, skip: 0, word: [0; 4], filled: 0 }
    }

    fn follow(&mut self, mut bytes: &[u8]) {
        while let [first, rest @ ..] = bytes {
            if self.skip > 0 {
                let count = self.skip.min(bytes.len() as u64);
                self.skip -= count;
                bytes = &bytes[count as usize..];
                continue;
            }
            let needed = match self.next {
                Next::Magic | Next::BlockSize => 4,
                Next::Flags => 1,
                Next::Legacy => return,
            };
            self.word[self.filled] = *first;
            self.filled += 1;
            bytes = rest;
            if self.filled == needed {
                self.filled = 0;
                self.understand();
            }
        }
    }

    /// The word is whole: what it says of the bytes behind it.
    fn understand(&mut self) {
        match self.next {
            // What is no frame is refused by the decoder, unless nothing follows.
            Next::Magic => self.next = if self.word == LEGACY { Next::Legacy } else { Next::Flags },
            Next::Flags => {
                self.flags = self.word[0];
                // Also the largest size of a block, and the checksum of the header.
                self.skip = 2 + self.size_if(flag::CONTENT_SIZE, 8) + self.size_if(flag::DICTIONARY, 4);
                self.next = Next::BlockSize;
            }
            Next::BlockSize => match u32::from_le_bytes(self.word) {
                0 => {
                    self.skip = self.size_if(flag::CONTENT_CHECKSUM, 4);
                    self.next = Next::Magic;
                }
                size => self.skip = u64::from(size & !STORED) + self.size_if(flag::BLOCK_CHECKSUM, 4),
            },
            Next::Legacy => {}
        }
    }

    fn size_if(&self, flag: u8, size: u64) -> u64 {
        if self.flags & flag != 0 { size } else { 0 }
    }

    fn is_within_a_frame(&self) -> bool {
        self.skip > 0 || self.filled > 0 || matches!(self.next, Next::Flags | Next::BlockSize)
    }
}

impl<R: Read> Read for Followed<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        if count == 0 && !into.is_empty() && self.is_within_a_frame() {
            // Of another kind than the one that the decoder takes for the end.
            return Err(io::Error::new(io::ErrorKind::InvalidData, "the last frame has no end"));
        }
        self.follow(&into[..count]);
        Ok(count)
    }
}
