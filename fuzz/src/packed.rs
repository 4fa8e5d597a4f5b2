//! Archives: made of a text, damaged or not, and unpacked at once.

use crate::agree::check_runs;
use crate::draw::{Draw, Setting};
use crate::plain::{Plain, Row, Stop};
use crate::plain_trec::{self, Dialect};
use crate::read;
use _core::fuzzing::{Origin, Source, sizes};
use std::io::{Read, Write};
use std::sync::atomic::Ordering;

/// Most bytes that an archive may unpack to here; the core has the same limit.
const MOST: u64 = 16 << 20;

/// How archives of one kind are made, and taken apart at once.
pub struct Packing {
    pub magic: &'static [u8],
    /// Whether several threads may unpack a file.
    pub has_blocks: bool,
    pub pack: fn(&[u8], u8) -> Vec<u8>,
    /// None where the archive is damaged.
    pub unpack: fn(&[u8]) -> Option<Vec<u8>>,
}

/// One input: a text in one or several archives behind each other, which may be damaged.
pub fn check(data: &[u8], packing: &Packing) {
    let mut draw = Draw(data);
    let setting = Setting::draw(&mut draw);
    let (members, damage, level) = (1 + draw.below(3), draw.byte(), draw.byte());
    let place = usize::from(draw.byte()) | usize::from(draw.byte()) << 8;
    let text = draw.0;
    let mut packed: Vec<u8> =
        text.chunks(text.len().div_ceil(members).max(1)).flat_map(|part| (packing.pack)(part, level)).collect();
    if packed.is_empty() {
        packed = (packing.pack)(b"", level);
    }
    let at = place % packed.len();
    let is_whole = match damage % 8 {
        0..4 => true,
        4 => {
            packed.truncate(at);
            false
        }
        5 => {
            packed[at] ^= 1 << (damage / 8 % 8);
            false
        }
        6 => {
            packed.extend_from_slice(&text[..text.len().min(usize::from(damage / 8))]);
            false
        }
        _ => {
            packed = [packing.magic, text].concat();
            false
        }
    };
    let plain = if is_whole { rows(text, &setting) } else { damaged(&packed, packing, &setting) };
    check_runs(&read::source(&packed), plain.clone(), &setting, Some("trec"));
    if packing.has_blocks {
        sizes::worth_sharing.store(0, Ordering::Relaxed);
        let path = read::scratch();
        std::fs::write(&path, &packed).unwrap();
        let source = Source { origin: Origin::Path(path.clone()), unpackers: 2, ..read::source(b"") };
        check_runs(&source, plain, &setting, Some("trec"));
        std::fs::remove_file(&path).unwrap();
    }
}

fn rows(text: &[u8], setting: &Setting) -> Plain<Vec<Row>> {
    plain_trec::run(text, setting.order, Dialect::Own).map(|(rows, _)| rows)
}

fn damaged(packed: &[u8], packing: &Packing, setting: &Setting) -> Plain<Vec<Row>> {
    if !packed.starts_with(packing.magic) {
        // Another archive, or text; packed text is hardly ever text.
        return Err(Stop::Open);
    }
    match (packing.unpack)(packed) {
        None => Err(Stop::Fault),
        Some(text) if text.len() as u64 > MOST => Err(Stop::Fault),
        Some(text) => rows(&text, setting),
    }
}

fn all_of(reader: impl Read) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    reader.take(MOST + 1).read_to_end(&mut text).ok()?;
    Some(text)
}

/// By a second implementation: headers read here, what is packed by miniz_oxide.
pub const GZ: Packing = Packing {
    magic: b"\x1F\x8B",
    has_blocks: false,
    pack: |text, level| {
        let mut header = flate2::GzBuilder::new();
        if level & 8 != 0 {
            header = header.filename("name");
        }
        if level & 16 != 0 {
            header = header.comment("words").extra("more");
        }
        let mut encoder = header.write(Vec::new(), flate2::Compression::new(u32::from(level % 7)));
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    },
    unpack: |packed| {
        let (mut rest, mut text) = (packed, Vec::new());
        while !rest.is_empty() {
            let (member, behind) = gzip_member(rest)?;
            text.extend(member);
            rest = behind;
        }
        Some(text)
    },
};

fn gzip_member(packed: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let [0x1F, 0x8B, 8, flags, _, _, _, _, _, _, rest @ ..] = packed else { return None };
    let mut rest = rest;
    if flags & 4 != 0 {
        let size = usize::from(u16::from_le_bytes(*rest.first_chunk()?));
        rest = rest.get(2 + size..)?;
    }
    for flag in [8, 16] {
        if flags & flag != 0 {
            rest = &rest[rest.iter().position(|&byte| byte == 0)? + 1..];
        }
    }
    if flags & 2 != 0 {
        let header = &packed[..packed.len() - rest.len()];
        let sum = u16::from_le_bytes(*rest.first_chunk()?);
        if sum != crc(header) as u16 {
            return None;
        }
        rest = &rest[2..];
    }
    if flags & 0xE0 != 0 {
        return None;
    }
    let mut unpacked = ((miniz_oxide::inflate::TINFLStatus::BadParam, 0, 0), Vec::new());
    for most in [10, 1100] {
        let mut state = miniz_oxide::inflate::core::DecompressorOxide::new();
        let mut text = vec![0; (packed.len() * most + 1000).min(MOST as usize + 1)];
        let done = miniz_oxide::inflate::core::decompress(&mut state, rest, &mut text, 0, NON_WRAPPING);
        unpacked = (done, text);
        if done.0 != miniz_oxide::inflate::TINFLStatus::HasMoreOutput {
            break;
        }
    }
    let ((status, taken, given), mut text) = unpacked;
    if status != miniz_oxide::inflate::TINFLStatus::Done {
        return None;
    }
    text.truncate(given);
    let end = rest.get(taken..taken + 8)?;
    let (sum, size) = (u32::from_le_bytes(*end.first_chunk()?), u32::from_le_bytes(*end.last_chunk()?));
    (sum == crc(&text) && size as usize == given).then_some((text, &rest[taken + 8..]))
}

const NON_WRAPPING: u32 = miniz_oxide::inflate::core::inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;

fn crc(bytes: &[u8]) -> u32 {
    let mut sum = !0u32;
    for &byte in bytes {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = if sum & 1 == 1 { sum >> 1 ^ 0xEDB8_8320 } else { sum >> 1 };
        }
    }
    !sum
}

pub const ZST: Packing = Packing {
    magic: b"\x28\xB5\x2F\xFD",
    has_blocks: false,
    pack: |text, level| {
        let mut encoder = zstd::stream::Encoder::new(Vec::new(), i32::from(level % 4)).unwrap();
        // With its size known beforehand, a small text has small tables, which are quickly made.
        encoder.set_pledged_src_size(Some(text.len() as u64)).unwrap();
        encoder.include_contentsize(level & 4 != 0).unwrap();
        encoder.include_checksum(level & 8 != 0).unwrap();
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    },
    unpack: |packed| all_of(zstd::stream::read::Decoder::new(packed).ok()?),
};

pub const BZ2: Packing = Packing {
    magic: b"BZh1",
    has_blocks: false,
    pack: |text, _| {
        let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::new(1));
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    },
    unpack: |packed| all_of(bzip2::read::MultiBzDecoder::new(packed)),
};

pub const XZ: Packing = Packing {
    magic: b"\xFD7zXZ\0",
    has_blocks: true,
    pack: |text, _| {
        let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    },
    unpack: |packed| all_of(liblzma::read::XzDecoder::new_multi_decoder(packed)),
};

pub const LZ4: Packing = Packing {
    magic: b"\x04\x22\x4D\x18",
    has_blocks: false,
    pack: |text, _| {
        let mut encoder = lz4_flex::frame::FrameEncoder::new(Vec::new());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    },
    unpack: |packed| {
        let (mut rest, mut text) = (packed, Vec::new());
        while !rest.is_empty() {
            let (frame, behind) = rest.split_at(lz4_frame(rest)?);
            let mut frame = lz4_flex::frame::FrameDecoder::new(frame);
            while !frame.get_ref().is_empty() {
                frame.by_ref().take(MOST + 1).read_to_end(&mut text).ok()?; // stops at an empty block, too
            }
            rest = behind;
        }
        Some(text)
    },
};

/// How many bytes a frame takes, from its header to its end mark; None where it breaks off.
fn lz4_frame(packed: &[u8]) -> Option<usize> {
    let flags = *packed.get(4)?;
    let size_if = |flag: u8, size: usize| if flags & flag != 0 { size } else { 0 };
    let mut at = 7 + size_if(8, 8) + size_if(1, 4);
    loop {
        let size = u32::from_le_bytes(*packed.get(at..)?.first_chunk()?);
        at += 4;
        if size == 0 {
            return Some(at + size_if(4, 4)).filter(|&end| end <= packed.len());
        }
        at += (size & 0x7FFF_FFFF) as usize + size_if(16, 4);
    }
}
