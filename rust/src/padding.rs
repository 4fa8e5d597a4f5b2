//! Hits, which differ in number from topic to topic, laid out as the rows of one table.

/// Entries with their codes; those of topic `i` stand at `starts[i]..starts[i + 1]`.
pub struct Entries {
    pub columns: [Vec<i32>; 4],
    pub code: Vec<i16>,
    pub starts: Vec<i64>,
}

/// The entries (rank, document, first, last) whose level is kept. Topic `i` has its grades from `code_starts[i]` on, by
/// document row. None where a place lies outside.
pub fn kept(
    columns: [Vec<i32>; 4],
    starts: &[i64],
    codes: &[i16],
    code_starts: &[i64],
    kept: &[u8],
) -> Option<Entries> {
    let mut given = Entries { columns: Default::default(), code: Vec::new(), starts: vec![0] };
    let whole = kept.iter().all(|&is| is != 0);
    for (ends, &code_start) in starts.windows(2).zip(code_starts) {
        for place in usize::try_from(ends[0]).ok()?..usize::try_from(ends[1]).ok()? {
            let row = usize::try_from(*columns[1].get(place)?).ok()?;
            let code = *codes.get(usize::try_from(code_start).ok()? + row)?;
            if whole || *kept.get(usize::try_from(code).ok()?)? != 0 {
                given.code.push(code);
                if !whole {
                    for (to, from) in given.columns.iter_mut().zip(&columns) {
                        to.push(*from.get(place)?);
                    }
                }
            }
        }
        given.starts.push(given.code.len() as i64);
    }
    if whole {
        given.columns = columns;
    }
    Some(given)
}

/// Rows `starts[i]..starts[i + 1]` of `values` side by side, each filled up to `width` with `filling`.
pub fn padded<T: bytemuck::Pod>(out: &mut [u8], values: &[T], starts: &[i64], width: usize, filling: T) {
    let size = width * size_of::<T>();
    if size == 0 {
        return;
    }
    for (row, ends) in out.chunks_exact_mut(size).zip(starts.windows(2)) {
        let entries = &values[ends[0] as usize..ends[1] as usize];
        let (head, tail) = row.split_at_mut(size_of_val(entries));
        head.copy_from_slice(bytemuck::cast_slice(entries));
        for place in tail.chunks_exact_mut(size_of::<T>()) {
            place.copy_from_slice(bytemuck::bytes_of(&filling));
        }
    }
}

pub fn width(starts: &[i64]) -> usize {
    starts.windows(2).map(|ends| (ends[1] - ends[0]).max(0) as usize).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_of_other_levels_are_left_out() {
        let columns = [vec![1, 2, 5], vec![0, 1, 0], vec![1, 2, 5], vec![1, 2, 5]];
        let found = kept(columns, &[0, 2, 3], &[0, 1, 1], &[0, 2], &[0, 1]).unwrap();
        assert_eq!((found.columns[0].as_slice(), found.code.as_slice()), ([2, 5].as_slice(), [1, 1].as_slice()));
        assert_eq!(found.starts, [0, 1, 2]);
    }

    #[test]
    fn short_rows_are_filled() {
        let starts = [0, 2, 2, 3];
        let mut out = vec![0; 3 * width(&starts) * 4];
        padded(&mut out, &[5i32, 6, 7], &starts, width(&starts), -1);
        assert_eq!(bytemuck::cast_slice::<u8, i32>(&out), &[5, 6, -1, -1, 7, -1]);
    }
}
