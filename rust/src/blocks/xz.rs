//! Blocks of an xz file, as the index behind them lists them (https://tukaani.org/xz/xz-file-format.txt).

use super::{Block, Cutter, Unclear, Unpack, all_of};
use crate::whole::crc32;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::vec::IntoIter;

const HEAD: &[u8; 6] = b"\xFD7zXZ\0";
const FOOT: &[u8; 2] = b"YZ";
/// Bytes of the header of a stream, and of its footer.
const ENDS: usize = 12;
/// More blocks, larger ones, such as unpack to very much, and long padding are left to the way in a row.
const LONGEST_INDEX: u64 = 1 << 20;
const MOST_BLOCKS: usize = 1 << 16;
const LARGEST: u64 = 32 << 20;
const TIMES: u64 = 40;
const MOST_PADDING: u64 = 4096;
/// Bytes that the smallest block takes, and that packing adds at the most to text that does not pack.
const LEAST: u64 = 5;
const ADDED: u64 = 64 << 10;

/// A block: where it stands, and its bytes, without padding, and those of its text.
struct Listed {
    header: [u8; ENDS],
    start: u64,
    size: u64,
    text: u64,
}

impl Listed {
    fn is_usual(&self) -> bool {
        let (size, text) = (self.size, self.text);
        (LEAST..=text + text / 64 + ADDED).contains(&size) && text <= LARGEST.min(TIMES.saturating_mul(size))
    }
}

pub struct Xz {
    file: File,
    blocks: IntoIter<Listed>,
    largest: usize,
}

impl Xz {
    /// None where the file has one block, a very large one, or is not as it should be.
    pub fn open(mut file: File) -> Option<Self> {
        let mut end = file.seek(SeekFrom::End(0)).ok()?;
        let (mut streams, mut count) = (Vec::new(), 0);
        while end > 0 {
            let stream = Stream::before(&mut file, end)?;
            end = stream.start;
            count += stream.blocks.len();
            // One without blocks would not be looked at by any decoder here.
            if stream.blocks.is_empty() || count > MOST_BLOCKS || !stream.blocks.iter().all(Listed::is_usual) {
                return None;
            }
            streams.push(stream.blocks);
        }
        let blocks: Vec<Listed> = streams.into_iter().rev().flatten().collect();
        let largest = blocks.iter().map(|block| block.text + 2 * block.size).max()? as usize;
        (blocks.len() > 1).then(|| Xz { file, blocks: blocks.into_iter(), largest })
    }
}

struct Stream {
    start: u64,
    blocks: Vec<Listed>,
}

impl Stream {
    /// The stream that ends before `end`, or before zeros that fill it up.
    fn before(file: &mut File, mut end: u64) -> Option<Self> {
        let least = end.saturating_sub(MOST_PADDING);
        let mut footer: [u8; ENDS] = part(file, end.checked_sub(ENDS as u64)?, ENDS)?.try_into().ok()?;
        while footer[8..] == [0; 4] {
            end -= 4;
            if end < least {
                return None;
            }
            footer = part(file, end.checked_sub(ENDS as u64)?, ENDS)?.try_into().ok()?;
        }
        let [sum, size] =
            [&footer[..4], &footer[4..8]].map(|word| u32::from_le_bytes(word.try_into().unwrap_or_default()));
        let (flags, size) = (&footer[8..10], (u64::from(size) + 1) * 4);
        if !footer.ends_with(FOOT) || crc32(&footer[4..10]) != sum || size > LONGEST_INDEX {
            return None;
        }
        let at = end.checked_sub(ENDS as u64 + size)?;
        let records = records(&part(file, at, size as usize)?)?;
        let packed = records.iter().try_fold(0u64, |sum, &(size, _)| sum.checked_add(padded(size)?))?;
        let start = at.checked_sub(packed)?.checked_sub(ENDS as u64)?;
        let header: [u8; ENDS] = part(file, start, ENDS)?.try_into().ok()?;
        if !header.starts_with(HEAD) || &header[6..8] != flags {
            return None;
        }
        let mut next = start + ENDS as u64;
        let mut listed = |(size, text): (u64, u64)| {
            let block = Listed { header, start: next, size, text };
            next += padded(size)?;
            Some(block)
        };
        let blocks = records.into_iter().map(&mut listed).collect::<Option<_>>()?;
        Some(Stream { start, blocks })
    }
}

fn part(file: &mut File, start: u64, size: usize) -> Option<Vec<u8>> {
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(size).ok()?;
    file.take(size as u64).read_to_end(&mut bytes).ok()?;
    (bytes.len() == size).then_some(bytes)
}

fn padded(size: u64) -> Option<u64> {
    size.checked_next_multiple_of(4)
}

/// The sizes of each block, packed and as text.
pub(super) fn records(index: &[u8]) -> Option<Vec<(u64, u64)>> {
    let (listed, sum) = index.split_last_chunk::<4>()?;
    let mut rest = listed.strip_prefix(b"\0")?;
    let count = number(&mut rest)?;
    if crc32(listed) != u32::from_le_bytes(*sum) || count > MOST_BLOCKS as u64 {
        return None;
    }
    let records = (0..count).map(|_| Some((number(&mut rest)?, number(&mut rest)?))).collect::<Option<_>>()?;
    (rest.len() < 4 && rest.iter().all(|&byte| byte == 0)).then_some(records)
}

/// A number of seven bits a byte, the lowest first, in as few bytes as it needs.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for place in 0..9 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7F) << (7 * place);
        if byte < 0x80 {
            return (byte > 0 || place == 0).then_some(number);
        }
    }
    None
}

pub(super) fn put_number(mut number: u64, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

impl Cutter for Xz {
    fn next(&mut self) -> Result<Option<Block>, Unclear> {
        let Some(Listed { header, start, size, text }) = self.blocks.next() else { return Ok(None) };
        let length = padded(size).ok_or(Unclear)?;
        let block = part(&mut self.file, start, length as usize).ok_or(Unclear)?;
        let mut index = vec![0, 1];
        put_number(size, &mut index);
        put_number(text, &mut index);
        index.resize(index.len().next_multiple_of(4), 0);
        index.extend(crc32(&index).to_le_bytes());
        let mut footer = (index.len() as u32 / 4 - 1).to_le_bytes().to_vec();
        footer.extend_from_slice(&header[6..8]);
        let sum = crc32(&footer).to_le_bytes();
        let packed = [&header[..], &block, &index, &sum, &footer, FOOT].concat();
        Ok(Some(Block { packed, most: text as usize, end: start + length }))
    }

    fn largest(&self) -> usize {
        self.largest
    }

    fn decoder(&self) -> Unpack {
        |block| {
            let mut decoder = liblzma::read::XzDecoder::new(&block.packed[..]);
            let text = all_of(&mut decoder, block.most)?;
            (text.len() == block.most && decoder.total_in() == block.packed.len() as u64).then_some(text)
        }
    }
}
