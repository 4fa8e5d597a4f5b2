//! Judged rankings as tables: entries of a run chosen by level, filled up to one width, or spread over every rank.

use super::numbers::{buffer, lent, values};
use crate::padding;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicI16, AtomicI32};

/// The entries whose level is kept (a byte for each level, 0 or 1): (starts, places among all entries, how many entries of
/// a level that counts stand at or above each, rank, document). Rankings are `starts[i]..ends[i]` of the columns.
#[pyfunction]
pub fn kept_entries<'py>(
    py: Python<'py>,
    columns: [Bound<'py, PyAny>; 2],
    rankings: [Bound<'py, PyAny>; 2],
    codes: &Bound<'py, PyAny>,
    code_starts: &Bound<'py, PyAny>,
    kept: &[u8],
    counting: &[u8],
) -> PyResult<Bound<'py, PyTuple>> {
    let entries = EntryColumns::lent(&columns, &rankings)?;
    let (mut chosen, mut counts, mut ends) = (Vec::new(), Vec::new(), vec![0i64; entries.rankings.len() + 1]);
    let (mut current, mut count) = (0, 0i32);
    let is = |levels: &[u8], code: i16| levels.get(code as usize).is_some_and(|&is| is != 0);
    entries.each_code(py, codes, code_starts, |ranking, entry, code| {
        if ranking != current {
            (current, count) = (ranking, 0);
        }
        count += i32::from(is(counting, code));
        if is(kept, code) {
            chosen.push(entry as i64);
            counts.push(count);
            ends[ranking + 1] = chosen.len() as i64;
        }
    })?;
    for ranking in 1..ends.len() {
        ends[ranking] = ends[ranking].max(ends[ranking - 1]); // where nothing is kept, a ranking ends where it starts
    }
    let mut given = vec![buffer(py, &ends).into_any(), buffer(py, &chosen).into_any(), buffer(py, &counts).into_any()];
    for column in entries.columns()? {
        given.push(numbers(py, chosen.len(), |table| {
            table.iter_mut().zip(&chosen).for_each(|(cell, &entry)| *cell = column[entry as usize].load(Relaxed));
        })?);
    }
    PyTuple::new(py, given)
}

/// Ranks and codes of the entries of some rankings, as tables filled up to one width: (width, rank, code). Rankings are
/// `starts[i]..ends[i]` of the columns.
#[pyfunction]
pub fn entries<'py>(
    py: Python<'py>,
    columns: [Bound<'py, PyAny>; 2],
    rankings: [Bound<'py, PyAny>; 2],
    codes: &Bound<'py, PyAny>,
    code_starts: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyTuple>> {
    let entries = EntryColumns::lent(&columns, &rankings)?;
    let (rankings, width) = (&entries.rankings, padding::width(&entries.rankings));
    let ([rank, _], size) = (entries.columns()?, table_size(rankings, width)?);
    let ranks = numbers(py, size, |table| padding::pad(table, at(rank), rankings, width, i32::MAX))?;
    let mut refused = Ok(());
    let code = numbers(py, size, |table: &mut [i16]| {
        table.fill(-1);
        refused = entries.each_code(py, codes, code_starts, |ranking, entry, code| {
            table[ranking * width + entry - rankings[ranking].start] = code;
        });
    })?;
    refused?;
    (width, ranks, code).into_pyobject(py)
}

/// One more column of such a table, its rows filled up with `filling`.
#[pyfunction]
pub fn padded<'py>(
    py: Python<'py>,
    column: &Bound<'py, PyAny>,
    rankings: [Bound<'py, PyAny>; 2],
    filling: i32,
) -> PyResult<Bound<'py, PyAny>> {
    let column = lent::<i32>(column)?;
    let rankings = ranges(py, &rankings, column.item_count())?;
    let (width, column) = (padding::width(&rankings), cells(&column)?);
    numbers(py, table_size(&rankings, width)?, |table| padding::pad(table, at(column), &rankings, width, filling))
}

/// The number at a place.
fn at(column: &[AtomicI32]) -> impl Fn(usize) -> i32 {
    |place| column[place].load(Relaxed)
}

fn table_size(rankings: &[Range<usize>], width: usize) -> PyResult<usize> {
    rankings.len().checked_mul(width).ok_or_else(|| PyMemoryError::new_err(NO_ROOM))
}

/// Where rankings start and end in columns of this length; IndexError where that is not within them.
fn ranges(py: Python<'_>, rankings: &[Bound<'_, PyAny>; 2], length: usize) -> PyResult<Vec<Range<usize>>> {
    let [starts, ends] = rankings.each_ref().map(|numbers| values::<i64>(py, numbers));
    padding::ranges(&starts?, &ends?, length).ok_or_else(|| PyIndexError::new_err(OUTSIDE))
}

const OUTSIDE: &str = "columns of entries differ in size, or rankings start outside them";
const NO_ROOM: &str = "rankings of such different lengths make a table that does not fit into memory";

/// Numbers as bytes that Python owns, written where they stay.
fn numbers<'py, T: bytemuck::Pod>(
    py: Python<'py>,
    size: usize,
    write: impl FnOnce(&mut [T]),
) -> PyResult<Bound<'py, PyAny>> {
    let bytes = size.checked_mul(std::mem::size_of::<T>()).filter(|&bytes| bytes <= isize::MAX as usize);
    let bytes = bytes.ok_or_else(|| PyMemoryError::new_err(NO_ROOM))?;
    let mut fits = true;
    let made = PyBytes::new_with(py, bytes, |room| {
        match bytemuck::try_cast_slice_mut(room) {
            Ok(table) => write(table),
            Err(_) => fits = false,
        }
        Ok(())
    })?;
    if fits { Ok(made.into_any()) } else { Err(PyValueError::new_err("bytes that are not aligned")) }
}

/// Entries, `width` in a row, spread over every rank down to `depth`: (code, document, first, last).
#[pyfunction]
pub fn every_rank<'py>(
    py: Python<'py>,
    columns: [Bound<'py, PyAny>; 4],
    code: &Bound<'py, PyAny>,
    width: usize,
    depth: usize,
) -> PyResult<Bound<'py, PyTuple>> {
    let [rank, document, first, last] = columns.each_ref().map(|column| values::<i32>(py, column));
    let (rank, document, first, last) = (rank?, document?, first?, last?);
    let code = values(py, code)?;
    let (code, [document, first, last]) = py
        .detach(|| padding::every_rank([&rank, &document, &first, &last], &code, width, depth))
        .ok_or_else(|| PyValueError::new_err("tables of entries differ in size, or need more memory than there is"))?;
    (buffer(py, &code), buffer(py, &document), buffer(py, &first), buffer(py, &last)).into_pyobject(py)
}

/// How many judgments of each level each topic has: (topic, level).
#[pyfunction]
pub fn level_counts<'py>(
    py: Python<'py>,
    codes: &Bound<'py, PyAny>,
    starts: &Bound<'py, PyAny>,
    levels: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let counts = padding::counts(&values(py, codes)?, &values(py, starts)?, levels)
        .ok_or_else(|| PyIndexError::new_err("codes lie outside the levels"))?;
    Ok(buffer(py, &counts))
}

/// Columns of entries (rank, document), both of one length, read where they lie, and where each ranking stands in them.
struct EntryColumns {
    lent: [PyBuffer<i32>; 2],
    rankings: Vec<Range<usize>>,
}

impl EntryColumns {
    fn lent(columns: &[Bound<'_, PyAny>; 2], rankings: &[Bound<'_, PyAny>; 2]) -> PyResult<EntryColumns> {
        let [rank, document] = columns.each_ref().map(lent::<i32>);
        let lent = [rank?, document?];
        if lent[0].item_count() != lent[1].item_count() {
            return Err(PyIndexError::new_err(OUTSIDE));
        }
        let rankings = ranges(columns[0].py(), rankings, lent[0].item_count())?;
        Ok(EntryColumns { lent, rankings })
    }

    fn columns(&self) -> PyResult<[&[AtomicI32]; 2]> {
        let [rank, document] = self.lent.each_ref().map(cells);
        Ok([rank?, document?])
    }

    /// Hands over the code of each entry, with the numbers of its ranking and of the entry.
    fn each_code(
        &self,
        py: Python<'_>,
        codes: &Bound<'_, PyAny>,
        code_starts: &Bound<'_, PyAny>,
        take: impl FnMut(usize, usize, i16),
    ) -> PyResult<()> {
        let (codes, code_starts) = (lent::<i16>(codes)?, values(py, code_starts)?);
        let (codes, document) = (cells(&codes)?, cells(&self.lent[1])?);
        let (document_at, code_of) =
            (|entry: usize| document[entry].load(Relaxed), |code: &AtomicI16| code.load(Relaxed));
        padding::each_code(&self.rankings, document_at, codes, code_of, &code_starts, take)
            .ok_or_else(|| PyIndexError::new_err("entries lie outside the qrels"))
    }
}

/// Numbers that Python may write into while they are read: each is read whole.
trait Shared: pyo3::buffer::Element {
    type Cell;
}

impl Shared for i16 {
    type Cell = AtomicI16;
}

impl Shared for i32 {
    type Cell = AtomicI32;
}

/// The numbers of a buffer where they lie; ValueError where they are not side by side.
fn cells<T: Shared>(column: &PyBuffer<T>) -> PyResult<&[T::Cell]> {
    const { assert!(size_of::<T>() == size_of::<T::Cell>() && align_of::<T>() == align_of::<T::Cell>()) };
    if !column.is_c_contiguous() {
        return Err(PyValueError::new_err("numbers are not contiguous"));
    }
    let (first, count) = (column.buf_ptr().cast::<T::Cell>(), column.item_count());
    // SAFETY: the buffer is contiguous, holds `count` aligned numbers (checked by `get`) and is held while the slice lives.
    Ok(if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(first, count) } })
}
