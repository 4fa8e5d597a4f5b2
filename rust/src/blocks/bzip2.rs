//! Blocks of a bzip2 file. They begin at any bit, behind 48 bits that hardly ever stand anywhere else; where they do, what
//! is taken for a block cannot be unpacked, and the file is unpacked in a row.

use super::{Block, Cutter, Unclear, Unpack, all_of};
use std::io::Read;

/// What stands before a block, and at the end of a stream.
const BLOCK: u64 = 0x3141_5926_5359;
const END: u64 = 0x1772_4538_5090;
const MAGIC: [u64; 2] = [BLOCK, END];
/// Bits of what stands there, and of the checksum behind it.
const MAGIC_BITS: usize = 48;
const SUM_BITS: usize = 32;
/// Bytes that blocks of text take, packed and unpacked, at the most; larger ones are left to the way in a row.
const LARGEST_PACKED: usize = 2 << 20;
const LARGEST: usize = 4 << 20;
/// Bytes that are read, and forgotten, at once.
const STEP: usize = 256 << 10;
/// Streams without a block that may follow each other; files with more are left to the way in a row.
const MOST_EMPTY: usize = 1000;

pub struct Bzip2<R> {
    file: R,
    /// What was read and is not yet cut off, and where in the file it starts.
    bytes: Vec<u8>,
    start: u64,
    is_whole: bool,
    /// The bit that is next.
    at: usize,
    /// Within a stream: its first four bytes, and the checksum of its blocks so far.
    stream: Option<([u8; 4], u32)>,
}

impl<R: Read + Send> Bzip2<R> {
    pub fn new(file: R) -> Self {
        Bzip2 { file, bytes: Vec::new(), start: 0, is_whole: false, at: 0, stream: None }
    }

    /// Read on.
    fn more(&mut self) -> Result<(), Unclear> {
        let count = (&mut self.file).take(STEP as u64).read_to_end(&mut self.bytes).map_err(|_| Unclear)?;
        self.is_whole = count == 0;
        Ok(())
    }

    /// Forget the bytes before the next bit, once they are many: the others have to be moved.
    fn cut_off(&mut self) {
        let count = self.at / 8;
        if count >= STEP {
            self.bytes.drain(..count);
            self.start += count as u64;
            self.at -= 8 * count;
        }
    }

    /// As many bits from the next one on; an error where the file ends before.
    fn bits(&mut self, skip: usize, count: usize) -> Result<u64, Unclear> {
        while 8 * self.bytes.len() < self.at + skip + count {
            self.more()?;
            if self.is_whole {
                return Err(Unclear);
            }
        }
        let from = self.at + skip;
        let bit = |place: usize| u64::from(self.bytes[place / 8] >> (7 - place % 8) & 1);
        Ok((from..from + count).fold(0, |bits, place| bits << 1 | bit(place)))
    }

    /// The first four bytes of the next stream; None where the file ends.
    fn open_stream(&mut self) -> Result<Option<[u8; 4]>, Unclear> {
        if 8 * self.bytes.len() <= self.at {
            self.more()?;
            if self.is_whole {
                return Ok(None);
            }
        }
        let head = (self.bits(0, 32)? as u32).to_be_bytes();
        self.at += 32;
        if head.starts_with(b"BZh") && (b'1'..=b'9').contains(&head[3]) { Ok(Some(head)) } else { Err(Unclear) }
    }

    /// The bit at which the block that is next ends, and what follows it starts.
    fn block_end(&mut self) -> Result<usize, Unclear> {
        let mut from = self.at + MAGIC_BITS + SUM_BITS;
        loop {
            if let Some(end) = find(&self.bytes, from) {
                return Ok(end);
            }
            from = from.max(8 * self.bytes.len().saturating_sub(7));
            self.more()?;
            if self.is_whole || self.bytes.len() - self.at / 8 > LARGEST_PACKED {
                return Err(Unclear);
            }
        }
    }

    /// The block from the next bit up to `end` as a stream of its own.
    fn alone(&self, head: [u8; 4], end: usize, sum: u32) -> Vec<u8> {
        let (first, shift) = (self.at / 8, self.at % 8);
        let count = end - self.at;
        let byte = |place: usize| (u16::from_be_bytes([self.bytes[place], self.bytes[place + 1]]) >> (8 - shift)) as u8;
        let mut packed = head.to_vec();
        packed.extend((first..first + count / 8).map(byte));
        // The bits that are left of it, then the end of the stream, whose checksum is that of its one block.
        let left = count % 8;
        let last = if left > 0 { u128::from(byte(first + count / 8) >> (8 - left)) } else { 0 };
        let tail = (last << MAGIC_BITS | u128::from(END)) << SUM_BITS | u128::from(sum);
        let bits = left + MAGIC_BITS + SUM_BITS;
        let tail = (tail << (128 - bits)).to_be_bytes();
        packed.extend_from_slice(&tail[..bits.div_ceil(8)]);
        packed
    }
}

/// Bit 8 * m + s of FITTING[i][b] is set where byte 2 + i is b if magic m starts at bit s of byte 0.
const FITTING: [[u16; 256]; 2] = {
    let mut fitting = [[0; 256]; 2];
    let mut which = 0;
    while which < 16 {
        let mut byte = 0;
        while byte < 2 {
            let value = MAGIC[which / 8] >> (24 - 8 * byte + which % 8) & 0xFF;
            fitting[byte][value as usize] |= 1 << which;
            byte += 1;
        }
        which += 1;
    }
    fitting
};

/// Where the first block or end of a stream starts, from a bit on, if there are eight bytes from its first one on.
fn find(bytes: &[u8], from: usize) -> Option<usize> {
    let first = from / 8;
    for (place, eight) in bytes.get(first..)?.windows(8).enumerate() {
        let mut fitting = FITTING[0][eight[2] as usize] & FITTING[1][eight[3] as usize];
        while fitting != 0 {
            let which = fitting.trailing_zeros() as usize;
            fitting &= fitting - 1;
            let (magic, shift) = (MAGIC[which / 8], which % 8);
            let word = eight.first_chunk().map_or(0, |eight| u64::from_be_bytes(*eight));
            let at = 8 * (first + place) + shift;
            if word << shift >> (64 - MAGIC_BITS) == magic && at >= from {
                return Some(at);
            }
        }
    }
    None
}

impl<R: Read + Send> Cutter for Bzip2<R> {
    fn next(&mut self) -> Result<Option<Block>, Unclear> {
        for _ in 0..2 * MOST_EMPTY {
            let Some((head, sums)) = self.stream else {
                match self.open_stream()? {
                    None => return Ok(None),
                    Some(head) => self.stream = Some((head, 0)),
                }
                continue;
            };
            let sum = |bits: u64| bits as u32; // the lower half
            match self.bits(0, MAGIC_BITS)? {
                BLOCK => {
                    let sum = sum(self.bits(MAGIC_BITS, SUM_BITS)?);
                    let end = self.block_end()?;
                    let packed = self.alone(head, end, sum);
                    self.stream = Some((head, sums.rotate_left(1) ^ sum));
                    self.at = end;
                    let end = self.start + self.at as u64 / 8;
                    self.cut_off();
                    return Ok(Some(Block { packed, most: LARGEST, end }));
                }
                END if sum(self.bits(MAGIC_BITS, SUM_BITS)?) == sums => {
                    self.at = (self.at + MAGIC_BITS + SUM_BITS).next_multiple_of(8);
                    self.cut_off();
                    self.stream = None;
                }
                _ => return Err(Unclear),
            }
        }
        Err(Unclear)
    }

    fn largest(&self) -> usize {
        LARGEST + 2 * LARGEST_PACKED
    }

    fn decoder(&self) -> Unpack {
        |block| {
            let mut decoder = bzip2::read::BzDecoder::new(&block.packed[..]);
            let text = all_of(&mut decoder, block.most)?;
            (decoder.total_in() == block.packed.len() as u64).then_some(text)
        }
    }
}
