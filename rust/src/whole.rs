//! Small gzip files, unpacked at once: libdeflate takes half the time of what can stop in between, and wants room for all.

use libdeflate_sys::{
    libdeflate_alloc_decompressor, libdeflate_decompressor, libdeflate_free_decompressor,
    libdeflate_gzip_decompress_ex, libdeflate_result_LIBDEFLATE_SUCCESS,
};
use std::ptr::NonNull;

/// Larger files are unpacked bit by bit.
pub const LARGEST_PACKED: usize = 4 << 20;
const LARGEST_TEXT: usize = 8 << 20;
/// Flags of the header: nothing more in it than a name.
const NAME_ONLY: u8 = 1 << 3;

/// The text of a gzip file that has one part, is small and sound; None leaves the file, and any words about it, to the
/// general way.
pub fn gzip(packed: &[u8]) -> Option<Vec<u8>> {
    let [0x1F, 0x8B, 8, flags, ..] = packed else { return None };
    let size = u32::from_le_bytes(*packed.last_chunk()?) as usize;
    if flags & !NAME_ONLY != 0 || size > LARGEST_TEXT || packed.len() > LARGEST_PACKED {
        return None;
    }
    let mut text = vec![0; size];
    let (taken, given) = Decompressor::new()?.gzip(packed, &mut text)?;
    (taken == packed.len() && given == size).then_some(text)
}

struct Decompressor(NonNull<libdeflate_decompressor>);

impl Decompressor {
    fn new() -> Option<Self> {
        // SAFETY: takes nothing, and gives memory of its own or null.
        NonNull::new(unsafe { libdeflate_alloc_decompressor() }).map(Decompressor)
    }

    /// How many bytes were taken and given; None where the file is damaged or does not fit.
    fn gzip(&mut self, packed: &[u8], text: &mut [u8]) -> Option<(usize, usize)> {
        let (mut taken, mut given) = (0, 0);
        let (from, into) = (packed.as_ptr().cast(), text.as_mut_ptr().cast());
        // SAFETY: both slices are as long as they are said to be and do not overlap; the decompressor is ours alone, and
        // lives; the counts are written once.
        let result = unsafe {
            libdeflate_gzip_decompress_ex(
                self.0.as_ptr(),
                from,
                packed.len(),
                into,
                text.len(),
                &raw mut taken,
                &raw mut given,
            )
        };
        (result == libdeflate_result_LIBDEFLATE_SUCCESS).then_some((taken, given))
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: allocated by `new`, and freed once.
        unsafe { libdeflate_free_decompressor(self.0.as_ptr()) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn small_files_are_unpacked_as_the_general_way_does() {
        for size in [0, 1, 1000, 1_000_000] {
            let text: Vec<u8> = (0..size).map(|place: usize| (place * place / 11) as u8).collect();
            assert_eq!(gzip(&packed(&text)), Some(text));
        }
    }

    #[test]
    fn what_the_general_way_would_refuse_or_goes_on_is_left_to_it() {
        let whole = packed(b"301 Q0 a 1 2.5 tag\n");
        let twice = [whole.as_slice(), &whole].concat();
        let trailer = [whole.as_slice(), &whole[whole.len() - 8..]].concat();
        assert!(gzip(&twice).is_none() && gzip(&trailer).is_none() && gzip(b"301 Q0 a 1 2 t\n").is_none());
        assert!(gzip(&packed(&vec![b'\n'; LARGEST_TEXT + 1])).is_none());
        for place in 0..whole.len() {
            assert!(gzip(&whole[..place]).is_none(), "cut at {place}");
            for bit in 0..8 {
                let mut damaged = whole.clone();
                damaged[place] ^= 1 << bit;
                let mut text = Vec::new();
                let general = flate2::read::MultiGzDecoder::new(damaged.as_slice()).read_to_end(&mut text).ok();
                assert!(gzip(&damaged).is_none_or(|given| general.is_some() && given == text), "bit {bit} of {place}");
            }
        }
    }
}
