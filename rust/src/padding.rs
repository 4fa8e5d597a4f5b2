//! Hits, which differ in number from topic to topic, laid out as the rows of one table.

use std::ops::Range;

/// Where rankings stand in a column of this length; None where one starts or ends outside of it, or before it starts.
pub fn ranges(starts: &[i64], ends: &[i64], length: usize) -> Option<Vec<Range<usize>>> {
    let range = |(&start, &end): (&i64, &i64)| {
        let range = usize::try_from(start).ok()?..usize::try_from(end).ok()?;
        (range.start <= range.end && range.end <= length).then_some(range)
    };
    if starts.len() == ends.len() { starts.iter().zip(ends).map(range).collect() } else { None }
}

/// The code of each entry, in order, handed to `take` with the number of its ranking; `document_at` says the row of an
/// entry's document; the grades of ranking `i` stand at `code_starts[i]` and on. None where a place lies outside.
pub fn each_code<T>(
    rankings: &[Range<usize>],
    document_at: impl Fn(usize) -> i32,
    codes: &[T],
    code_of: impl Fn(&T) -> i16,
    code_starts: &[i64],
    mut take: impl FnMut(usize, usize, i16),
) -> Option<()> {
    if rankings.len() != code_starts.len() {
        return None;
    }
    for (ranking, (entries, &code_start)) in rankings.iter().zip(code_starts).enumerate() {
        let of_topic = usize::try_from(code_start).ok().and_then(|start| codes.get(start..)).unwrap_or(&[]);
        for entry in entries.clone() {
            take(ranking, entry, code_of(of_topic.get(document_at(entry) as u32 as usize)?)); // negative: far outside
        }
    }
    Some(())
}

/// How many judgments of each level each topic has, the levels of a topic side by side; documents that are unjudged
/// after all (-1) do not count. None where a place lies outside.
pub fn counts(codes: &[i16], starts: &[i64], levels: usize) -> Option<Vec<i64>> {
    let mut given = filled(0i64, starts.len().checked_sub(1)?.checked_mul(levels)?)?;
    for (topic, ends) in starts.windows(2).enumerate() {
        let of_topic = &mut given[topic * levels..][..levels];
        for &code in codes.get(usize::try_from(ends[0]).ok()?..usize::try_from(ends[1]).ok()?)? {
            if code != -1 {
                *of_topic.get_mut(usize::try_from(code).ok()?)? += 1;
            }
        }
    }
    Some(given)
}

/// The values of each ranking below each other in a table, each row filled up to `width` with `filling`.
pub fn pad<T: Copy>(table: &mut [T], value: impl Fn(usize) -> T, rankings: &[Range<usize>], width: usize, filling: T) {
    for (row, values) in table.chunks_exact_mut(width.max(1)).zip(rankings) {
        let (filled, rest) = row.split_at_mut(values.len());
        filled.iter_mut().zip(values.clone()).for_each(|(cell, place)| *cell = value(place));
        rest.fill(filling);
    }
}

/// Tables of entries, each row `width` wide, with one entry at each rank from 1 to `depth`: (code, document, first, last).
/// Ranks between entries hold -1, and belong to the tie group of an entry, if one reaches them. None where the tables
/// differ in size, or what is to be made does not fit into memory.
pub fn every_rank(columns: [&[i32]; 4], code: &[i16], width: usize, depth: usize) -> Option<(Vec<i16>, [Vec<i32>; 3])> {
    let [rank, document, first, last] = columns;
    let rows = rank.len().checked_div(width).unwrap_or(0);
    if rows * width != rank.len()
        || [document.len(), first.len(), last.len(), code.len()].iter().any(|&size| size != rank.len())
    {
        return None;
    }
    let size = rows.checked_mul(i32::try_from(depth).ok()? as usize)?;
    let (mut codes, mut documents) = (filled(-1i16, size)?, filled(-1i32, size)?);
    let (mut firsts, mut lasts) = (filled(0i32, size)?, filled(0i32, size)?);
    for (own, (first, last)) in (1..=depth as i32).cycle().zip(firsts.iter_mut().zip(&mut lasts)) {
        (*first, *last) = (own, own);
    }
    for row in 0..rows {
        let start = row * depth;
        for entry in row * width..(row + 1) * width {
            let Some(place) = usize::try_from(rank[entry]).ok().filter(|rank| (1..=depth).contains(rank)) else {
                continue;
            };
            codes[start + place - 1] = code[entry];
            documents[start + place - 1] = document[entry];
            if first[entry] < last[entry] {
                let group = (first[entry].max(1) as usize - 1).min(depth)..(last[entry].max(0) as usize).min(depth);
                firsts[start..][group.clone()].fill(first[entry]);
                lasts[start..][group].fill(last[entry]);
            }
        }
    }
    Some((codes, [documents, firsts, lasts]))
}

/// As many copies of a value; None where they do not fit into memory.
fn filled<T: Copy>(value: T, size: usize) -> Option<Vec<T>> {
    let mut given = Vec::new();
    given.try_reserve_exact(size).ok()?;
    given.resize(size, value);
    Some(given)
}

pub fn width(rankings: &[Range<usize>]) -> usize {
    rankings.iter().map(Range::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_looked_up_by_ranking_and_row() {
        let codes = |documents: &[i32], rankings: &[Range<usize>], code_starts: &[i64]| {
            let mut given = Vec::new();
            each_code(
                rankings,
                |entry| documents[entry],
                &[5, 6, 7],
                |&code| code,
                code_starts,
                |ranking, entry, code| {
                    given.push((ranking, entry, code));
                },
            )
            .map(|()| given)
        };
        assert_eq!(codes(&[0, 1, 0], &[0..2, 2..3], &[0, 2]), Some(vec![(0, 0, 5), (0, 1, 6), (1, 2, 7)]));
        assert_eq!(codes(&[0, 1, 0], &[2..3, 1..2], &[0, 1]), Some(vec![(0, 2, 5), (1, 1, 7)]));
        let one = &[0..1; 1];
        assert_eq!(codes(&[3], one, &[0]), None);
        assert_eq!(codes(&[-1], one, &[0]), None);
        assert_eq!(codes(&[0], one, &[]), None);
        assert_eq!(codes(&[0], one, &[i64::MAX]), None);
    }

    #[test]
    fn rankings_lie_within_their_columns() {
        assert_eq!(ranges(&[2, 0], &[3, 2], 3), Some(vec![2..3, 0..2]));
        assert_eq!(ranges(&[], &[], 3), Some(vec![]));
        for (start, end) in [(-1, 2), (2, 1), (0, 4), (i64::MAX, i64::MAX), (0, i64::MIN)] {
            assert_eq!(ranges(&[start], &[end], 3), None);
        }
        assert_eq!(ranges(&[0], &[], 3), None);
    }

    #[test]
    fn levels_are_counted_by_topic() {
        assert_eq!(counts(&[0, 1, 1, 0], &[0, 3, 3, 4], 2), Some(vec![1, 2, 0, 0, 1, 0]));
        assert_eq!(counts(&[0, -1, 1, -1], &[0, 2, 4], 2), Some(vec![1, 0, 0, 1]));
        assert_eq!(counts(&[2], &[0, 1], 2), None);
        assert_eq!(counts(&[-2], &[0, 1], 2), None);
        assert_eq!(counts(&[0], &[0, 2], 2), None);
    }

    #[test]
    fn unjudged_documents_share_the_tie_group_that_reaches_them() {
        let found = every_rank([&[2, 4], &[7, 8], &[1, 4], &[3, 4]], &[5, 6], 2, 5);
        let (codes, [documents, firsts, lasts]) = found.unwrap();
        assert_eq!(codes, [-1, 5, -1, 6, -1]);
        assert_eq!(documents, [-1, 7, -1, 8, -1]);
        assert_eq!(firsts, [1, 1, 1, 4, 5]);
        assert_eq!(lasts, [3, 3, 3, 4, 5]);
        assert!(every_rank([&[1], &[0], &[1], &[1]], &[], 1, 5).is_none());
    }

    #[test]
    fn short_rows_are_filled() {
        let (rankings, values, mut table) = ([0..2, 2..2, 2..3], [5, 6, 7], [0; 6]);
        pad(&mut table, |place| values[place], &rankings, width(&rankings), -1);
        assert_eq!(table, [5, 6, -1, -1, 7, -1]);
        pad(&mut [0; 0], |place| values[place], &rankings[1..2], 0, -1);
    }
}
