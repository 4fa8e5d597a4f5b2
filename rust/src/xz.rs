//! xz files whose blocks several threads of liblzma unpack: what a file has that several threads packed, which is what xz
//! does from 5.6 on. Text and errors are those of the decoder with one thread.

use crate::memory;
use liblzma::stream::{Action, Error, MtStreamBuilder, Status, Stream};
use std::io::{self, BufRead, BufReader, Read};

/// Memory that each thread may take, for the block that it unpacks and for text that waits to be read. Where it is not
/// enough, liblzma uses fewer threads, or one.
const MEMORY: usize = 64 << 20;
/// Zeros between streams, and behind the last one, are filled up to a multiple of so many bytes.
const PADDING: usize = 4;

/// The text of a file of one or more streams, one stream after the other.
pub struct Streams<R> {
    packed: BufReader<R>,
    threads: usize,
    /// What unpacks the stream at hand; None behind the last.
    stream: Option<Stream>,
    is_first: bool,
}

impl<R: Read> Streams<R> {
    pub fn new(packed: R, threads: usize) -> io::Result<Self> {
        Ok(Streams { packed: BufReader::new(packed), threads, stream: Some(decoder(threads)?), is_first: true })
    }

    /// A decoder for the stream that follows; None at the end of the file.
    fn following(&mut self) -> io::Result<Option<Stream>> {
        let mut padding = 0;
        loop {
            let bytes = self.packed.fill_buf()?;
            let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
            let (is_end, goes_on) = (bytes.is_empty(), zeros == bytes.len());
            self.packed.consume(zeros);
            padding = (padding + zeros) % PADDING;
            match (is_end, goes_on) {
                (false, true) => {}
                _ if padding > 0 => return Err(Error::Data.into()),
                (true, _) => return Ok(None),
                (false, false) => return decoder(self.threads).map(Some),
            }
        }
    }
}

fn decoder(threads: usize) -> io::Result<Stream> {
    let memory = memory::spare().min(threads.saturating_mul(MEMORY)) as u64;
    let threads = u32::try_from(threads).unwrap_or(1);
    let mut builder = MtStreamBuilder::new();
    Ok(builder.threads(threads).memlimit_threading(memory).memlimit_stop(u64::MAX).decoder()?)
}

impl<R: Read> Read for Streams<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while let Some(stream) = &mut self.stream
            && !into.is_empty()
        {
            let bytes = self.packed.fill_buf()?;
            let is_end = bytes.is_empty();
            let (taken, given) = (stream.total_in(), stream.total_out());
            let status = stream.process(bytes, into, if is_end { Action::Finish } else { Action::Run });
            let (taken, given) = ((stream.total_in() - taken) as usize, (stream.total_out() - given) as usize);
            self.packed.consume(taken);
            let status = status.map_err(|error| match error {
                Error::Format if !self.is_first => Error::Data, // what follows is no stream
                other => other,
            })?;
            match status {
                Status::StreamEnd => (self.stream, self.is_first) = (self.following()?, false),
                _ if is_end && given == 0 => return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "premature eof")),
                _ => {}
            }
            if given > 0 {
                return Ok(given);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use liblzma::read::{XzDecoder, XzEncoder};
    use liblzma::stream::Check;

    /// Bytes that are read at once.
    const PART: usize = 10_007;

    /// Lines that look like a run.
    fn text(lines: usize) -> Vec<u8> {
        (0..lines)
            .flat_map(|n| format!("{} Q0 doc-{} {n} {} run\n", n / 1000, n * 7919 % 65_537, n % 97).into_bytes())
            .collect()
    }

    /// One stream in blocks of so many bytes, each with its sizes before it, as several threads pack them.
    fn xz(text: &[u8], block: u64) -> Vec<u8> {
        let stream = MtStreamBuilder::new().preset(0).check(Check::Crc64).threads(2).block_size(block).encoder();
        let mut packed = Vec::new();
        XzEncoder::new_stream(text, stream.unwrap()).read_to_end(&mut packed).unwrap();
        packed
    }

    /// The text of a packed file, and the error behind it.
    fn drained(mut reader: impl Read) -> (Vec<u8>, Option<String>) {
        let (mut text, mut part) = (Vec::new(), vec![0; PART]);
        loop {
            match reader.read(&mut part) {
                Ok(0) => return (text, None),
                Ok(count) => text.extend_from_slice(&part[..count]),
                Err(error) => return (text, Some(error.to_string())),
            }
        }
    }

    #[test]
    fn several_threads_give_the_text_of_one() {
        let text = text(40_000);
        let (first, second) = text.split_at(text.len() / 3);
        let empty = xz(b"", 0);
        let streams = [xz(first, 100_000), vec![0; 8], empty.clone(), xz(second, 0), vec![0; 4]].concat();
        for (packed, text) in [(xz(&text, 90_000), &text), (streams, &text), (empty, &Vec::new())] {
            assert!(drained(Streams::new(&packed[..], 3).unwrap()) == (text.clone(), None));
        }
    }

    #[test]
    fn damaged_files_give_the_same_error() {
        let text = text(12_000);
        let (first, second) = text.split_at(text.len() / 2);
        let files = [xz(&text, 100_000), [xz(first, 50_000), vec![0; 4], xz(second, 50_000)].concat()];
        let mut state = 1u64;
        let mut draw = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut errors = 0;
        for number in 0..200 {
            let mut packed = files[number % 2].clone();
            let place = if draw(3) == 0 { packed.len() - 1 - draw(120) } else { 8 + draw(packed.len() - 8) };
            match draw(5) {
                0 => packed.truncate(place),
                1 => packed.splice(place..place, [b'x'; 5]).for_each(drop),
                2 => packed.extend(&b"more"[..draw(5)]),
                3 => packed.extend(vec![0; draw(9)]),
                _ => packed[place] ^= 1 << draw(8),
            }
            let one = drained(XzDecoder::new_multi_decoder(&packed[..]));
            let several = drained(Streams::new(&packed[..], 3).unwrap());
            errors += usize::from(one.1.is_some());
            assert_eq!(several.1, one.1, "file {number}");
            let (shorter, longer) = if one.0.len() < several.0.len() { (one.0, several.0) } else { (several.0, one.0) };
            // A decoder that meets an error loses what it had for the same call; threads, what they had of a block.
            let lost = if one.1.is_some() { 100_000 + PART } else { 1 };
            assert!(longer.starts_with(&shorter) && longer.len() - shorter.len() < lost, "file {number}");
        }
        assert!(errors > 120, "{errors} errors");
    }
}
