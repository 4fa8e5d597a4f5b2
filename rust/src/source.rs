//! Bytes of a file, whatever it is packed with, found out by content and not by name.

use crate::error::{Message, ReadError, Setting};
use crate::frames::Frames;
use crate::sizes;
use crate::unpacking::{Decoder, Taken, Unpacking};
use crate::whole::{self, LARGEST_PACKED};
use crate::xz;
use std::fs::{File, Metadata};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Text packed this much tighter than any run is taken for a bomb, once it has grown past `FREE`.
const RATIO: u64 = 40;
const FREE: u64 = 16 << 20;
/// What else a packed file may hold: a row for each of its bytes, a ranking (of qrels: a topic) for each 2, a run for each
/// 32, or so many that they do no harm. More is taken for a bomb, too: rows take more memory than their text does, and
/// rankings and runs far more. Of real files qrels are the tightest, with 1.9 bytes for a row, and, where each topic has
/// one judgment, some 4 bytes for a topic (xz).
const ROWS: Bound = Bound { free: 1 << 19, bytes: 1, what: "rows" };
const RANKINGS: Bound = Bound { free: 1 << 17, bytes: 2, what: "rankings, or topics," };
const RUNS: Bound = Bound { free: 1 << 12, bytes: 32, what: "runs" };
/// How a gzip file starts.
const GZIP: &[u8; 2] = b"\x1F\x8B";

/// Where bytes come from.
#[derive(Clone, Debug)]
pub enum Origin {
    Path(PathBuf),
    Stdin,
    Bytes(Vec<u8>),
}

#[derive(Clone, Debug)]
pub struct Source {
    /// How messages call it.
    pub name: String,
    pub origin: Origin,
    /// Most bytes it may unpack to; None: `RATIO` times what was packed.
    pub max_size: Option<u64>,
    /// The part of a plain file that is meant; None: all of it.
    pub piece: Option<Range<u64>>,
    /// How many other threads may take the packing off, ahead of reading.
    pub unpackers: usize,
}

impl Source {
    /// Whether it can be read a second time.
    pub fn rereadable(&self) -> bool {
        match &self.origin {
            Origin::Stdin => false,
            Origin::Bytes(_) => true,
            // A pipe such as /dev/fd/63 has a path and can be read once only.
            Origin::Path(path) => path.metadata().map(|m| m.is_file()).unwrap_or(true),
        }
    }

    pub fn io_error(&self, error: io::Error) -> ReadError {
        ReadError::Io { name: self.name.clone(), error }
    }

    pub fn open(&self) -> Result<Unpacked, ReadError> {
        let packed: Box<dyn Read + Send> = match &self.origin {
            Origin::Path(path) => {
                let mut file = File::open(path).map_err(|e| self.io_error(e))?;
                if file.metadata().map(|m| m.is_dir()).unwrap_or(false) {
                    return Err(self.io_error(io::Error::from(io::ErrorKind::IsADirectory)));
                }
                match &self.piece {
                    None if is_small_gzip(&mut file) => {
                        let mut bytes = Vec::new();
                        file.read_to_end(&mut bytes).map_err(|e| self.io_error(e))?;
                        return self.small_gzip(bytes);
                    }
                    None => Box::new(file),
                    Some(piece) => {
                        file.seek(SeekFrom::Start(piece.start)).map_err(|e| self.io_error(e))?;
                        return Ok(self.plain(Box::new(file.take(piece.end - piece.start))));
                    }
                }
            }
            Origin::Stdin => Box::new(io::stdin()),
            Origin::Bytes(bytes) if bytes.starts_with(GZIP) && bytes.len() <= LARGEST_PACKED => {
                return self.small_gzip(bytes.clone());
            }
            Origin::Bytes(bytes) => Box::new(Cursor::new(bytes.clone())),
        };
        self.unpacked(packed)
    }

    /// A gzip file at once, if it is as sound as most are.
    fn small_gzip(&self, packed: Vec<u8>) -> Result<Unpacked, ReadError> {
        match whole::gzip(&packed) {
            Some(text) => {
                let text = Opened::Whole { text: Cursor::new(text), packed: packed.len() as u64 };
                Ok(Unpacked { source: self.clone(), kind: "", reader: text, given: 0 })
            }
            None => self.unpacked(Box::new(Cursor::new(packed))),
        }
    }

    /// A piece is known to be plain text: its first bytes are not looked at.
    fn plain(&self, reader: Box<dyn Read + Send>) -> Unpacked {
        Unpacked { source: self.clone(), kind: "", reader: Opened::Plain(reader), given: 0 }
    }

    fn unpacked(&self, packed: Box<dyn Read + Send>) -> Result<Unpacked, ReadError> {
        let (kind, decoder) = decoder(packed, self.block_threads()).map_err(|e| self.io_error(e))?;
        let reader = match kind {
            "" => Opened::Plain(decoder.reader),
            _ => Opened::Packed(Unpacking::new(decoder, self.unpackers > 0)),
        };
        Ok(Unpacked { source: self.clone(), kind, reader, given: 0 })
    }

    /// How many threads may unpack blocks of the file: one, unless it is large.
    fn block_threads(&self) -> usize {
        let Origin::Path(path) = &self.origin else { return 1 };
        let is_large = |about: Metadata| about.is_file() && about.len() >= sizes::worth_sharing() as u64;
        if self.unpackers > 1 && path.metadata().is_ok_and(is_large) { self.unpackers } else { 1 }
    }
}

/// How some bytes are packed, as their first ones tell, and what takes the packing off, with so many threads if it can.
fn decoder(packed: Box<dyn Read + Send>, threads: usize) -> io::Result<(&'static str, Decoder)> {
    let taken = Taken::default();
    let mut packed = Counted { inner: packed, taken: taken.clone() };
    let mut head = Vec::with_capacity(6);
    (&mut packed).take(6).read_to_end(&mut head)?;
    let whole = Cursor::new(head.clone()).chain(packed);
    let (kind, reader): (&'static str, Box<dyn Read + Send>) = match head.as_slice() {
        [0x1F, 0x8B, ..] => ("gzip", Box::new(flate2::read::MultiGzDecoder::new(whole))),
        [b'B', b'Z', b'h', b'1'..=b'9', ..] => ("bzip2", Box::new(bzip2::read::MultiBzDecoder::new(whole))),
        [0xFD, b'7', b'z', b'X', b'Z', 0] if threads > 1 => ("xz", Box::new(xz::Streams::new(whole, threads)?)),
        [0xFD, b'7', b'z', b'X', b'Z', 0] => ("xz", Box::new(liblzma::read::XzDecoder::new_multi_decoder(whole))),
        [0x28, 0xB5, 0x2F, 0xFD, ..] => ("zstd", Box::new(zstd::stream::read::Decoder::new(whole)?)),
        [0x04, 0x22, 0x4D, 0x18, ..] => ("lz4", Box::new(Frames::new(whole))),
        _ => ("", Box::new(whole)),
    };
    Ok((kind, Decoder { reader, taken }))
}

/// Whether there was no room; of libraries that say so in words, and not a file that asks for more than any may have.
fn is_want_of_memory(error: &io::Error) -> bool {
    error.to_string().contains("memory") && !is_want_of_window(error)
}

/// Whether a zstd file asks for a larger window than is given to any (`zstd --long=31`).
fn is_want_of_window(error: &io::Error) -> bool {
    error.to_string().contains("Frame requires too much")
}

/// Whether a file is a gzip file that can be unpacked at once. It is read from its start afterwards.
fn is_small_gzip(file: &mut File) -> bool {
    let is_small = file.metadata().is_ok_and(|about| about.is_file() && about.len() <= LARGEST_PACKED as u64);
    let mut head = [0; GZIP.len()];
    if !is_small {
        return false;
    }
    let is_gzip = file.read_exact(&mut head).is_ok() && head == *GZIP;
    file.rewind().is_ok() && is_gzip
}

struct Counted<R> {
    inner: R,
    taken: Taken,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(into)?;
        self.taken.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// How many there may be in a packed file: `free` of them, or one for so many of its bytes.
struct Bound {
    free: u64,
    bytes: u64,
    what: &'static str,
}

/// A source being read, its packing taken off and its size bounded.
pub struct Unpacked {
    source: Source,
    kind: &'static str,
    reader: Opened,
    given: u64,
}

enum Opened {
    Plain(Box<dyn Read + Send>),
    Packed(Unpacking),
    /// All of a small file, unpacked at once.
    Whole {
        text: Cursor<Vec<u8>>,
        packed: u64,
    },
}

impl Unpacked {
    /// Bytes into `into`; 0 at the end.
    pub fn read(&mut self, into: &mut [u8]) -> Result<usize, ReadError> {
        let count = loop {
            let read = match &mut self.reader {
                Opened::Plain(reader) => reader.read(into),
                Opened::Packed(reader) => reader.read(into),
                Opened::Whole { text, .. } => text.read(into),
            };
            match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) if self.kind.is_empty() => return Err(self.source.io_error(error)),
                Err(error) if is_want_of_memory(&error) => {
                    return Err(ReadError::memory(format!(
                        "{}: there is not enough memory to unpack it ({error})",
                        self.source.name
                    )));
                }
                Err(error) if is_want_of_window(&error) => {
                    return Err(ReadError::format(format!(
                        "{}: it was packed to be unpacked with a window of more than 128 MiB, and such files are not read\n\
                         pack it again without --long, or with --long=27 at most",
                        self.source.name
                    )));
                }
                Err(error) => {
                    return Err(ReadError::format(format!(
                        "{}: expected {} data from its first bytes on, and it breaks off or is damaged after {} bytes of text ({error})\n\
                         fetch or pack the file again",
                        self.source.name, self.kind, self.given
                    )));
                }
                Ok(count) => break count,
            }
        };
        self.given += count as u64;
        self.check_size()?;
        Ok(count)
    }

    fn check_size(&self) -> Result<(), ReadError> {
        let too_large = match (self.source.max_size, &self.reader) {
            (Some(most), _) => self.given > most,
            (None, Opened::Plain(_) | Opened::Whole { .. }) => false,
            (None, Opened::Packed(reader)) => self.given > FREE && self.given / RATIO > reader.taken(),
        };
        if !too_large {
            return Ok(());
        }
        let bound = match self.source.max_size {
            Some(most) => format!("more than the {most} bytes allowed"),
            None => format!("more than {RATIO} times its own size"),
        };
        Err(self.too_large(&format!("{bound} of text")))
    }

    /// An error where so many rows are more than its packed bytes can hold in earnest.
    pub fn check_rows(&self, rows: u64) -> Result<(), ReadError> {
        self.check_count(&ROWS, rows)
    }

    /// The same for rankings and runs.
    pub fn check_rankings(&self, rankings: u64, runs: u64) -> Result<(), ReadError> {
        self.check_count(&RANKINGS, rankings)?;
        self.check_count(&RUNS, runs)
    }

    fn check_count(&self, bound: &Bound, count: u64) -> Result<(), ReadError> {
        match self.packed() {
            Some(packed) if count > bound.free.max(packed / bound.bytes) => {
                Err(self.too_large(&format!("{count} {} in {packed} packed bytes", bound.what)))
            }
            _ => Ok(()),
        }
    }

    /// Packed bytes read so far; None where nothing is packed, or the user has said how much text there may be.
    pub fn packed(&self) -> Option<u64> {
        match &self.reader {
            _ if self.source.max_size.is_some() => None,
            Opened::Plain(_) => None,
            Opened::Packed(reader) => Some(reader.taken()),
            Opened::Whole { packed, .. } => Some(*packed),
        }
    }

    fn too_large(&self, what: &str) -> ReadError {
        ReadError::format(Message::new([
            format!("{}: holds {what}; if this is meant, allow more with ", self.source.name).into(),
            Setting::new("max_size", "").into(),
        ]))
    }
}
