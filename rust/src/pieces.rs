//! Large plain files cut between topics, so that several threads can read one file.

use crate::entries::Request;
use crate::fields::{Span, split};
use crate::forms;
use crate::sizes;
use crate::source::{Origin, Source};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// Pieces for each thread: one that is held up leaves the rest to the others.
const PIECES: u64 = 16;
/// Most bytes of a piece, but for long topics: a thread that reads one does not heed Ctrl-C meanwhile.
const LARGEST_PIECE: u64 = 32 << 20;
/// How far to look for the next topic; where it is further away, nothing is cut.
const LOOK_AHEAD: usize = 4 << 20;

/// The pieces of a source, in order; the source itself where it is small, packed, or not a file.
pub fn of(source: &Source, request: &Request, threads: usize) -> Vec<Source> {
    cut(source, request, threads).unwrap_or_else(|| vec![source.clone()])
}

fn cut(source: &Source, request: &Request, threads: usize) -> Option<Vec<Source>> {
    let Origin::Path(path) = &source.origin else { return None };
    if threads < 2 || source.max_size.is_some() {
        return None;
    }
    // Looked at before it is opened: opening a pipe and closing it again would leave its writer without a reader.
    let about = path.metadata().ok()?;
    let size = about.len();
    if !about.is_file() || size < sizes::worth_cutting() as u64 {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let mut start = vec![0; sizes::form_look()];
    file.read_exact(&mut start).ok()?;
    if is_packed(&start) || !(request.dialect.lenient || forms::is_trec(request, &start)) {
        return None;
    }
    let pieces = PIECES.saturating_mul(threads as u64).max(size / LARGEST_PIECE);
    let pieces = pieces.min(size / sizes::smallest_piece() as u64);
    let mut starts = vec![0];
    for number in 1..pieces {
        let start = next_topic(&mut file, number * (size / pieces));
        starts.extend(start.filter(|&start| starts.last().is_some_and(|&last| start > last)));
    }
    if starts.len() == 1 {
        return None;
    }
    starts.push(size);
    let piece = |ends: &[u64]| Source { piece: Some(ends[0]..ends[1]), ..source.clone() };
    Some(starts.windows(2).map(piece).collect())
}

/// Whether a source is a file that is usually read in some tenths of a second, and never waits for a writer.
pub fn is_soon_read(source: &Source) -> bool {
    match (&source.piece, &source.origin) {
        (Some(piece), _) => piece.end - piece.start <= 2 * LARGEST_PIECE,
        (None, Origin::Path(path)) => {
            path.metadata().is_ok_and(|about| about.is_file() && about.len() < sizes::worth_cutting() as u64)
        }
        (None, _) => false,
    }
}

/// Every packing has a byte at its start that no text starts with, but for bzip2, which starts with letters.
fn is_packed(start: &[u8]) -> bool {
    start[..4].iter().any(|&byte| !(9..127).contains(&byte)) || start.starts_with(b"BZh")
}

/// Where the first topic starts that begins after `from`; None where it is too far away.
fn next_topic(file: &mut File, from: u64) -> Option<u64> {
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut text = Vec::new();
    let mut start = None;
    let mut topic: Option<Span> = None;
    while text.len() < LOOK_AHEAD {
        if file.take(sizes::topic_step() as u64).read_to_end(&mut text).ok()? == 0 {
            return None;
        }
        let mut at = match start {
            Some(start) => start,
            None => memchr::memchr(b'\n', &text)? + 1,
        };
        while let Some(length) = memchr::memchr(b'\n', &text[at..]) {
            let ([name], count) = split::<1>(&text, at, at + length);
            if count > 0 && text[name.0] != b'#' {
                if topic.is_some_and(|topic| text[topic.0..topic.1] != text[name.0..name.1]) {
                    return Some(from + at as u64);
                }
                topic = Some(name);
            }
            at += length + 1;
        }
        start = Some(at);
    }
    None
}

/// How many lines stand before a piece; counted only when an error has to name one.
pub fn lines_before(source: &Source) -> u64 {
    let (Some(piece), Origin::Path(path)) = (&source.piece, &source.origin) else { return 0 };
    let Ok(file) = File::open(path) else { return 0 };
    let mut file = file.take(piece.start);
    let (mut lines, mut buffer) = (0, vec![0; 1 << 20]);
    while let Ok(count @ 1..) = file.read(&mut buffer) {
        lines += memchr::memchr_iter(b'\n', &buffer[..count]).count() as u64;
    }
    lines
}
