use super::*;
use crate::source;
use crate::whole::crc32;
use liblzma::stream::{Action, Check, Stream};
use std::io::Write;
use std::sync::atomic::AtomicUsize;

/// Bytes that are read at once.
const PART: usize = 10_007;
static FILES: AtomicUsize = AtomicUsize::new(0);

/// Lines that look like a run.
fn text(lines: usize) -> Vec<u8> {
    (0..lines)
        .flat_map(|n| format!("{} Q0 doc-{} {n} {} run\n", n / 1000, n * 7919 % 65_537, n % 97).into_bytes())
        .collect()
}

fn bz2(text: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    ::bzip2::read::BzEncoder::new(text, ::bzip2::Compression::fast()).read_to_end(&mut packed).unwrap();
    packed
}

/// One stream with a block for each text.
fn xz(texts: &[&[u8]]) -> Vec<u8> {
    let mut stream = Stream::new_easy_encoder(0, Check::Crc64).unwrap();
    let mut packed = Vec::with_capacity(texts.iter().map(|text| text.len()).sum::<usize>() + 10_000);
    for text in texts {
        stream.process_vec(text, &mut packed, Action::FullFlush).unwrap();
    }
    stream.process_vec(b"", &mut packed, Action::Finish).unwrap();
    packed
}

/// The text of a packed file, and the error behind it.
type Answer = (Vec<u8>, Option<String>);

fn drained(mut reader: impl Read) -> Answer {
    let (mut text, mut part) = (Vec::new(), vec![0; PART]);
    loop {
        match reader.read(&mut part) {
            Ok(0) => return (text, None),
            Ok(count) => text.extend_from_slice(&part[..count]),
            Err(error) => return (text, Some(error.to_string())),
        }
    }
}

/// Unpacked in a row, then side by side (None where it is not), and how many blocks were unpacked side by side.
fn both_ways(packed: &[u8]) -> (Answer, Option<(Answer, u64)>) {
    let number = FILES.fetch_add(1, Ordering::Relaxed);
    let path = std::env::temp_dir().join(format!("rankscale-blocks-{}-{number}", std::process::id()));
    File::create(&path).unwrap().write_all(packed).unwrap();
    let open = path.clone();
    let mut again: Again = Box::new(move || Ok(source::decoder(Box::new(File::open(&open)?))?.1));
    let in_a_row = drained(again().unwrap().reader);
    let kind = if packed.starts_with(b"BZh") { "bzip2" } else { "xz" };
    let taken = Taken::default();
    let reader = cutter(kind, File::open(&path).unwrap()).map(|cutter| {
        let mut reader = SideBySide::new(cutter, 3, taken.clone(), again).unwrap();
        let Way::Blocks(shared) = &reader.way else { unreachable!() };
        let shared = shared.clone();
        let answer = drained(&mut reader);
        if answer.1.is_none() {
            let (taken, size) = (taken.load(Ordering::Relaxed), packed.len() as u64);
            assert!(taken <= size && taken + 100 > size, "{taken} of {size} bytes taken");
        }
        let is_whole = matches!(reader.way, Way::Blocks(_));
        (answer, if is_whole { shared.lock().wanted } else { 0 })
    });
    std::fs::remove_file(&path).unwrap();
    (in_a_row, reader)
}

#[test]
fn blocks_give_the_text_of_the_whole() {
    let text = text(40_000);
    let (first, second) = text.split_at(text.len() / 3);
    let empty = bz2(b"");
    for (packed, blocks) in [
        (bz2(&text), text.len() as u64 / 100_000 + 1), // a block of the lowest level has 100 kB
        ([bz2(first), empty.clone(), bz2(second), empty].concat(), text.len() as u64 / 100_000 + 1),
        (bz2(b"a few words"), 1),
        (xz(&[first, second, b"x"]), 3),
        ([xz(&[first]), vec![0; 8], xz(&[second, first]), vec![0; 4]].concat(), 3),
    ] {
        let (in_a_row, side_by_side) = both_ways(&packed);
        assert_eq!(in_a_row.1, None);
        let (answer, count) = side_by_side.unwrap();
        assert!(answer == in_a_row);
        assert!((blocks..blocks + 2).contains(&count), "{count} blocks");
    }
    for packed in [xz(&[&text]), xz(&[]), xz(&[first, &vec![b'x'; 33 << 20]])] {
        assert!(both_ways(&packed).1.is_none(), "one block, none, or a very large one");
    }
}

#[test]
fn damaged_files_give_the_same_error() {
    let text = text(12_000);
    let (first, second) = text.split_at(text.len() / 2);
    let files =
        [bz2(&text), [bz2(first), bz2(second)].concat(), xz(&[first, second]), [xz(&[first]), xz(&[second])].concat()];
    let mut state = 1u64;
    let mut draw = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let (mut errors, mut shared) = (0, 0);
    for number in 0..120 {
        let mut packed = files[number % files.len()].clone();
        let place = if draw(3) == 0 { packed.len() - 1 - draw(120) } else { 8 + draw(packed.len() - 8) };
        match draw(4) {
            0 => packed.truncate(place),
            1 => packed.splice(place..place, [b'x'; 5]).for_each(drop),
            2 => packed.extend(&b"more"[..draw(5)]),
            _ => packed[place] ^= 1 << draw(8),
        }
        let (in_a_row, side_by_side) = both_ways(&packed);
        errors += usize::from(in_a_row.1.is_some());
        if let Some((answer, _)) = side_by_side {
            shared += 1;
            assert_eq!(answer.1, in_a_row.1, "file {number}");
            let (shorter, longer) =
                if answer.0.len() < in_a_row.0.len() { (answer.0, in_a_row.0) } else { (in_a_row.0, answer.0) };
            // A decoder that meets an error loses what it had for the same call.
            let lost = if answer.1.is_some() { PART } else { 1 };
            assert!(longer.starts_with(&shorter) && longer.len() - shorter.len() < lost, "file {number}");
        }
    }
    assert!(errors > 70 && shared > 50, "{errors} errors, {shared} side by side");
}

#[test]
fn what_looks_like_a_block_and_is_none_is_passed_over() {
    let text = text(8_000);
    let packed = bz2(&text);
    let mut two = packed.clone();
    // A stream within whose first block the bits of a block stand: damaged, and so in a row.
    let magic = packed[4..10].to_vec();
    two.splice(2_000..2_006, magic);
    let (in_a_row, side_by_side) = both_ways(&two);
    assert!(in_a_row.1.is_some() && side_by_side.unwrap().0.1 == in_a_row.1);
}

#[test]
fn blocks_that_unpack_to_very_much_are_unpacked_in_a_row() {
    let text = text(10_000);
    let packed = [bz2(&text), bz2(&vec![b'x'; 10 << 20]), bz2(&text)].concat();
    let (in_a_row, side_by_side) = both_ways(&packed);
    let (answer, count) = side_by_side.unwrap();
    assert!(answer == in_a_row && in_a_row.1.is_none());
    assert_eq!((answer.0.len(), count), (2 * text.len() + (10 << 20), 0));
}

#[test]
fn a_reader_that_leaves_early_ends_the_threads() {
    let packed = bz2(&text(60_000));
    let again: Again = Box::new(|| Err(io::ErrorKind::Other.into()));
    let cutter = Box::new(bzip2::Bzip2::new(io::Cursor::new(packed)));
    let mut reader = SideBySide::new(cutter, 2, Taken::default(), again).unwrap();
    assert_eq!(reader.read(&mut [0; 100]).unwrap(), 100);
    let Way::Blocks(shared) = &reader.way else { unreachable!() };
    let shared = shared.clone();
    drop(reader);
    while Arc::strong_count(&shared) > 1 {
        std::thread::yield_now();
    }
}

/// The blocks of a stream, with their padding, and the list of them.
fn taken_apart(packed: &[u8]) -> (&[u8], Vec<(u64, u64)>) {
    let size = (u32::from_le_bytes(packed[packed.len() - 8..][..4].try_into().unwrap()) as usize + 1) * 4;
    let index = packed.len() - 12 - size;
    (&packed[12..index], xz::records(&packed[index..packed.len() - 12]).unwrap())
}

/// A stream of such blocks; the index begins with these bytes, which say how many there are.
fn put_together(header: &[u8], blocks: &[u8], count: &[u8], records: &[(u64, u64)]) -> Vec<u8> {
    let mut index = [&[0], count].concat();
    for &(size, text) in records {
        xz::put_number(size, &mut index);
        xz::put_number(text, &mut index);
    }
    index.resize(index.len().next_multiple_of(4), 0);
    index.extend(crc32(&index).to_le_bytes());
    let footer = [&(index.len() as u32 / 4 - 1).to_le_bytes()[..], &header[6..8]].concat();
    [header, blocks, &index, &crc32(&footer).to_le_bytes(), &footer, b"YZ"].concat()
}

#[test]
fn xz_files_that_are_not_quite_right_are_left_to_the_usual_decoder() {
    let text = text(6_000);
    let (first, second) = text.split_at(text.len() / 2);
    let (whole, other) = (xz(&[first, second]), xz(&[second]));
    let (header, (blocks, records)) = (&whole[..12], taken_apart(&whole));
    assert_eq!(put_together(header, blocks, &[2], &records), whole);
    let long_number = put_together(header, blocks, &[0x82, 0], &records);
    // A block that goes on behind its own end: a whole stream, and more.
    let (inner, (last, of_last)) = (xz(&[first]), taken_apart(&other));
    let hidden = [&inner[12..], b"some more bytes!", last].concat();
    let covered = [(inner.len() as u64 - 12 + 16, first.len() as u64), of_last[0]];
    let going_on = put_together(header, &hidden, &[2], &covered);
    let mut empty = xz(&[]);
    empty[8] ^= 1; // the checksum of its header
    let damaged_empty = [whole.clone(), empty].concat();
    for (packed, what) in [(long_number, "a long number"), (going_on, "going on"), (damaged_empty, "an empty stream")] {
        let (in_a_row, side_by_side) = both_ways(&packed);
        assert!(in_a_row.1.is_some(), "{what}");
        assert!(side_by_side.is_none_or(|(answer, _)| answer.1 == in_a_row.1), "{what}");
    }
    let many = put_together(header, b"", &[0x80, 0x80, 0x08], &vec![(0, 0); 1 << 17]);
    let tight = xz(&[&vec![b'x'; 1 << 20], &vec![b'x'; 1 << 20]]);
    let padded = [whole.clone(), vec![0; 8192]].concat();
    for packed in [many, tight, padded] {
        assert!(both_ways(&packed).1.is_none());
    }
}

#[test]
fn very_many_empty_streams_are_unpacked_in_a_row() {
    let text = text(3_000);
    let packed = [bz2(&text), bz2(b"").repeat(3_000), bz2(&text)].concat();
    let (in_a_row, side_by_side) = both_ways(&packed);
    let (answer, count) = side_by_side.unwrap();
    assert!(answer == in_a_row && in_a_row.1.is_none() && count == 0);
    let few = [bz2(&text), bz2(b"").repeat(500), bz2(&text)].concat();
    let (in_a_row, side_by_side) = both_ways(&few);
    assert!(side_by_side.is_some_and(|(answer, count)| answer == in_a_row && count > 0));
}
