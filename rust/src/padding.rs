//! Hits, which differ in number from topic to topic, laid out as the rows of one table.

/// Whether `starts` cuts a column of this length into rankings: from 0 to its end, without going back.
pub fn fits(starts: &[i64], length: usize) -> bool {
    starts.is_sorted() && starts.first() == Some(&0) && starts.last().is_some_and(|&end| end == length as i64)
}

/// The code of each entry, in order, handed to `take` with the number of its ranking; `document_at` says the row of an
/// entry's document, `code_at` the code at each place of the qrels; the grades of ranking `i` stand at `code_starts[i]` and
/// on. None where a place lies outside.
pub fn each_code(
    starts: &[i64],
    document_at: impl Fn(usize) -> i32,
    code_at: impl Fn(usize) -> Option<i16>,
    code_starts: &[i64],
    mut take: impl FnMut(usize, usize, i16),
) -> Option<()> {
    if starts.len() != code_starts.len() + 1 {
        return None;
    }
    for (ranking, (ends, &code_start)) in starts.windows(2).zip(code_starts).enumerate() {
        for entry in ends[0] as usize..ends[1] as usize {
            let place = code_start.checked_add(i64::from(document_at(entry)))?;
            take(ranking, entry, code_at(usize::try_from(place).ok()?)?);
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

/// Rows `starts[i]..starts[i + 1]` of `values` below each other in a table, each filled up to `width` with `filling`.
pub fn pad<T: Copy>(table: &mut [T], values: &[T], starts: &[i64], width: usize, filling: T) {
    for (row, ends) in table.chunks_exact_mut(width.max(1)).zip(starts.windows(2)) {
        let values = &values[ends[0] as usize..ends[1] as usize];
        let (filled, rest) = row.split_at_mut(values.len());
        filled.copy_from_slice(values);
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

pub fn width(starts: &[i64]) -> usize {
    starts.windows(2).map(|ends| (ends[1] - ends[0]).max(0) as usize).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_looked_up_by_ranking_and_row() {
        let codes = |documents: &[i32], starts: &[i64], code_starts: &[i64]| {
            let (mut given, code_at) = (Vec::new(), |place: usize| [5, 6, 7].get(place).copied());
            each_code(
                starts,
                |entry| documents[entry],
                code_at,
                code_starts,
                |ranking, entry, code| {
                    given.push((ranking, entry, code));
                },
            )
            .map(|()| given)
        };
        assert_eq!(codes(&[0, 1, 0], &[0, 2, 3], &[0, 2]), Some(vec![(0, 0, 5), (0, 1, 6), (1, 2, 7)]));
        assert_eq!(codes(&[3], &[0, 1], &[0]), None);
        assert_eq!(codes(&[-1], &[0, 1], &[0]), None);
        assert_eq!(codes(&[], &[], &[]), None);
        assert_eq!(codes(&[0], &[0, 1], &[i64::MAX]), None);
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
        let (starts, values, mut table) = ([0, 2, 2, 3], [5, 6, 7], [0; 6]);
        pad(&mut table, &values, &starts, width(&starts), -1);
        assert_eq!(table, [5, 6, -1, -1, 7, -1]);
        pad(&mut [0; 0], &[], &[0, 0], 0, -1);
    }
}
