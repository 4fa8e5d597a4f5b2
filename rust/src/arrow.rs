//! Arrow tables, batch by batch, from any library that speaks the PyCapsule interface.

use crate::arrow_border::Batches;
use crate::dialect::Order;
use crate::error::shown;
use crate::index::Index;
use crate::reader::{Found, Options, Sink, Trouble};
use crate::tables::{Heed, RunTaker, Taker, format_error, in_order, in_table, no_score, spelled};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, types};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::borrow::Cow;
use std::ops::Range;

/// Names of the columns of topics, documents, numbers and runs; the last two may lack.
#[derive(FromPyObject)]
pub struct Columns(String, String, Option<String>, Option<String>);

/// Places of these columns in the batches, which have no others.
struct Chosen {
    topic: usize,
    document: usize,
    number: Option<usize>,
    run: Option<usize>,
}

/// Batches of the columns that matter.
struct Table {
    batches: Batches,
    /// Of these columns in the whole table: topics, documents, numbers, runs.
    places: Vec<usize>,
    chosen: Chosen,
}

fn open(table: &Bound<'_, PyAny>, columns: &Columns) -> PyResult<Table> {
    let capsule = table.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| PyTypeError::new_err("expected an Arrow stream capsule"))?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of that name holds a valid ArrowArrayStream (the Arrow PyCapsule interface says so);
    // from_raw moves it out and leaves an empty one behind, which the capsule's destructor knows to skip.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
    let batches = Batches::new(stream).map_err(arrow_error)?;
    let place = |column: &String| {
        batches.fields().iter().position(|field| field.name() == column).ok_or_else(|| {
            let names: Vec<&str> = batches.fields().iter().map(|field| field.name().as_str()).collect();
            format_error(format!("expected a column {column:?}, found {}", names.join(", ")))
        })
    };
    let Columns(topic, document, number, run) = columns;
    let mut places = vec![place(topic)?, place(document)?];
    let mut also = |column: &Option<String>| match column {
        Some(column) => {
            places.push(place(column)?);
            Ok::<_, PyErr>(Some(places.len() - 1))
        }
        None => Ok(None),
    };
    let chosen = Chosen { topic: 0, document: 1, number: also(number)?, run: also(run)? };
    Ok(Table { batches, places, chosen })
}

impl Table {
    /// The next batch; None at the end. Columns that hold neither names nor numbers are refused before they are read.
    fn next(&mut self, may_lack_part: bool) -> PyResult<Option<RecordBatch>> {
        let Chosen { topic, document, number, run } = self.chosen;
        let Some(batch) = self.batches.next(&self.places) else { return Ok(None) };
        let field = |place: usize| &self.batches.fields()[self.places[place]];
        let is_part = |kind: &DataType| may_lack_part && (kind.is_floating() || *kind == DataType::Null);
        for place in [Some(topic), Some(document), run].into_iter().flatten() {
            let kind = field(place).data_type();
            if !(holds_names(kind) || Some(place) == run && is_part(kind)) {
                return Err(no_names(field(place).name(), kind));
            }
        }
        if let Some(place) = number.filter(|&place| !field(place).data_type().is_numeric()) {
            return Err(no_numbers(field(place).name(), field(place).data_type()));
        }
        batch.map(Some).map_err(arrow_error)
    }
}

/// Whether a column of this type can hold names.
fn holds_names(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => holds_names(values),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => true,
        other => other.is_integer(),
    }
}

fn no_names(column: &str, kind: &DataType) -> PyErr {
    format_error(format!("column {column:?}: expected names, found {kind}"))
}

fn no_numbers(column: &str, kind: &DataType) -> PyErr {
    format_error(format!("column {column:?}: expected numbers, found {kind}"))
}

fn arrow_error(error: arrow_schema::ArrowError) -> PyErr {
    format_error(format!("the Arrow table cannot be read: {}", shown(error.to_string().as_bytes())))
}

/// All rows of a table, one at a time; the first has this number.
pub fn feed<T: Taker>(taker: &mut T, table: &Bound<'_, PyAny>, columns: &Columns, first_row: u64) -> PyResult<()> {
    let mut batches = open(table, columns)?;
    let (mut row, mut heed) = (first_row, Heed::default());
    while let Some(batch) = batches.next(T::MAY_LACK_PART)? {
        let batch = Batch::new(&batch, &batches.chosen, row, T::MAY_LACK_PART)?;
        for at in 0..batch.rows {
            heed.after(table.py(), 1)?;
            let part = if T::MAY_LACK_PART { batch.part_or_none(at) } else { batch.run(at)? };
            taker.take(
                &part,
                &batch.topic(at)?,
                &batch.document(at)?,
                batch.numbers.get(at).copied().unwrap_or(0.0),
                row,
            )?;
            row += 1;
        }
    }
    Ok(())
}

/// The columns of a batch that matter.
struct Batch<'a> {
    rows: usize,
    first_row: u64,
    topics: NameAt<'a>,
    documents: NameAt<'a>,
    topic_column: &'a ArrayRef,
    document_column: &'a ArrayRef,
    run_column: Option<&'a ArrayRef>,
    runs: Option<NameAt<'a>>,
    /// Of the columns of topics, documents and runs.
    names: [String; 3],
    /// Empty where there is no such column.
    numbers: Vec<f64>,
}

impl<'a> Batch<'a> {
    fn new(batch: &'a RecordBatch, chosen: &Chosen, first_row: u64, may_lack_part: bool) -> PyResult<Self> {
        let name = |place: usize| batch.schema_ref().field(place).name().clone();
        let names = |place: usize| names_in(batch.column(place), &name(place));
        let parts = |place: usize| match batch.column(place).data_type() {
            DataType::Float64 | DataType::Float32 if may_lack_part => Ok(floats_in(batch.column(place))),
            DataType::Null if may_lack_part => Ok(Box::new(|_| None) as NameAt<'_>),
            _ => names(place),
        };
        let numbers = match chosen.number {
            Some(place) => numbers_in(batch.column(place), &name(place), first_row)?,
            None => Vec::new(),
        };
        Ok(Batch {
            rows: batch.num_rows(),
            first_row,
            topics: names(chosen.topic)?,
            documents: names(chosen.document)?,
            topic_column: batch.column(chosen.topic),
            document_column: batch.column(chosen.document),
            run_column: chosen.run.map(|place| batch.column(place)),
            runs: chosen.run.map(parts).transpose()?,
            names: [name(chosen.topic), name(chosen.document), chosen.run.map(name).unwrap_or_default()],
            numbers,
        })
    }

    fn there<'n>(&self, name: Option<Cow<'n, [u8]>>, what: &str, at: usize) -> PyResult<Cow<'n, [u8]>> {
        name.ok_or_else(|| null(self.first_row + at as u64, what))
    }

    fn topic(&self, at: usize) -> PyResult<Cow<'_, [u8]>> {
        self.there((self.topics)(at), &self.names[0], at)
    }

    fn document(&self, at: usize) -> PyResult<Cow<'_, [u8]>> {
        self.there((self.documents)(at), &self.names[1], at)
    }

    fn run(&self, at: usize) -> PyResult<Cow<'_, [u8]>> {
        match &self.runs {
            Some(runs) => self.there(runs(at), &self.names[2], at),
            None => Ok(Cow::Borrowed(b"")),
        }
    }

    /// The sub-topic of a judgment; empty where the column holds nothing there.
    fn part_or_none(&self, at: usize) -> Cow<'_, [u8]> {
        self.runs.as_ref().and_then(|parts| parts(at)).unwrap_or_default()
    }

    #[inline(always)]
    fn key(&self, order: Order, at: usize, row: u64) -> f64 {
        let number = self.numbers.get(at).copied().unwrap_or(0.0);
        order.key(number, number, row)
    }

    /// The row after each run of rows with the same topic and run.
    fn ends(&self) -> Vec<usize> {
        let mut ends = ends_of_runs(self.topic_column, &self.topics);
        if let (Some(column), Some(runs)) = (self.run_column, &self.runs) {
            ends.extend(ends_of_runs(column, runs));
            ends.sort_unstable();
            ends.dedup();
        }
        ends
    }

    /// The text that holds the documents one after the other, and where each starts; None where they are kept otherwise.
    fn text(&self) -> Option<(&'a [u8], Offsets<'a>)> {
        let column = self.document_column;
        if column.null_count() > 0 {
            return None;
        }
        let (text, offsets) = match column.data_type() {
            DataType::Binary => {
                (column.as_binary::<i32>().value_data(), Offsets::Short(column.as_binary::<i32>().value_offsets()))
            }
            DataType::LargeBinary => {
                (column.as_binary::<i64>().value_data(), Offsets::Long(column.as_binary::<i64>().value_offsets()))
            }
            _ => return None,
        };
        (text.len() < u32::MAX as usize).then_some((text, offsets))
    }
}

fn null(row: u64, column: &str) -> PyErr {
    format_error(format!("row {row}: expected a value in column {column:?}, found null"))
}

#[derive(Clone, Copy)]
enum Offsets<'a> {
    Short(&'a [i32]),
    Long(&'a [i64]),
}

/// Where the names of a column change: the row after each run of equal ones.
fn ends_of_runs(column: &ArrayRef, name_at: &NameAt<'_>) -> Vec<usize> {
    let rows = column.len();
    if rows == 0 {
        return Vec::new();
    }
    let slow = |ends: &mut Vec<usize>| ends.extend((1..rows).filter(|&at| name_at(at) != name_at(at - 1)));
    let mut ends = Vec::new();
    match column.data_type() {
        DataType::Dictionary(key, _) if **key == DataType::Int32 && column.null_count() == 0 => {
            let keys = column.as_dictionary::<types::Int32Type>().keys().values();
            ends.extend((1..rows).filter(|&at| keys[at] != keys[at - 1]));
        }
        DataType::Int64 if column.null_count() == 0 => {
            let numbers = column.as_primitive::<types::Int64Type>().values();
            ends.extend((1..rows).filter(|&at| numbers[at] != numbers[at - 1]));
        }
        _ => slow(&mut ends),
    }
    ends.push(rows);
    ends
}

/// Judge the runs of a table, whose first row has this number. Topics are judged one by one as they go by; where one comes
/// back later, the table is read again with all rows gathered first, as is one that can be read only once.
pub fn judge(
    index: &Index,
    options: &Options,
    order: Order,
    table: &Bound<'_, PyAny>,
    columns: &Columns,
    is_readable_again: bool,
    first_row: u64,
) -> PyResult<Vec<Found>> {
    if is_readable_again && let Some(runs) = stream(index, options, order, table, columns, first_row)? {
        return Ok(in_order(runs, order));
    }
    let mut taker = RunTaker::new(index, options, order);
    feed(&mut taker, table, columns, first_row)?;
    let mut runs = taker.finish()?;
    runs.iter_mut().for_each(|run| run.is_scattered = is_readable_again);
    Ok(runs)
}

/// None where the rows of a topic do not stand together.
fn stream(
    index: &Index,
    options: &Options,
    order: Order,
    table: &Bound<'_, PyAny>,
    columns: &Columns,
    first_row: u64,
) -> PyResult<Option<Vec<Found>>> {
    let mut batches = open(table, columns)?;
    let mut sink = Sink::new(index, options);
    // Names of the documents of a topic that began in an earlier batch.
    let mut carried: Vec<u8> = Vec::new();
    let (mut row, mut heed) = (first_row, Heed::default());
    while let Some(batch) = batches.next(false)? {
        table.py().check_signals()?;
        let batch = Batch::new(&batch, &batches.chosen, row, false)?;
        match rankings(&mut sink, &batch, order, &mut carried, &mut heed) {
            Ok(()) => {}
            Err(Stop::Scattered) => return Ok(None),
            Err(Stop::Error(error)) => return Err(error),
        }
        row += batch.rows as u64;
    }
    sink.close(&carried).map_err(in_table)?;
    Ok(Some(sink.finish()))
}

enum Stop {
    Scattered,
    Error(PyErr),
}

impl From<PyErr> for Stop {
    fn from(error: PyErr) -> Self {
        Stop::Error(error)
    }
}

impl From<Trouble> for Stop {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Scattered(_) => Stop::Scattered,
            other => Stop::Error(in_table(other)),
        }
    }
}

/// The rankings of one batch; the last one may go on in the next, and its names are carried there.
fn rankings(
    sink: &mut Sink<'_>,
    batch: &Batch<'_>,
    order: Order,
    carried: &mut Vec<u8>,
    heed: &mut Heed,
) -> Result<(), Stop> {
    if let Some(at) = batch.numbers.iter().position(|number| number.is_nan()) {
        let row = batch.first_row + at as u64;
        return Err(format_error(no_score(format!("row {row}"))).into());
    }
    let direct = batch.text();
    let mut is_carried = true;
    let mut start = 0;
    for end in batch.ends() {
        let (run, topic) = (batch.run(start)?, batch.topic(start)?);
        let before = match direct {
            Some((text, _)) if !is_carried => text,
            _ => carried.as_slice(),
        };
        if sink.enter(&run, &topic, before)? {
            carried.clear();
            is_carried = direct.is_none();
        }
        heed.memory_after(end - start)?;
        sink.rows.reserve(end - start);
        match direct {
            Some((text, Offsets::Short(offsets))) if !is_carried => {
                add(sink, batch, order, start..end, text, |at| (offsets[at] as usize, offsets[at + 1] as usize));
            }
            Some((text, Offsets::Long(offsets))) if !is_carried => {
                add(sink, batch, order, start..end, text, |at| (offsets[at] as usize, offsets[at + 1] as usize));
            }
            _ => add_carried(sink, batch, order, start..end, carried)?,
        }
        start = end;
    }
    if let (Some((text, _)), false) = (direct, is_carried) {
        for row in &mut sink.rows {
            let from = carried.len() as u32;
            carried.extend_from_slice(row.name(text));
            row.start = from;
        }
    }
    Ok(())
}

/// Documents whose names stand in the batch one after the other.
#[inline(always)]
fn add(
    sink: &mut Sink<'_>,
    batch: &Batch<'_>,
    order: Order,
    rows: Range<usize>,
    text: &[u8],
    span: impl Fn(usize) -> (usize, usize),
) {
    for at in rows {
        let (from, to) = span(at);
        let row = batch.first_row + at as u64;
        sink.add(&text[from..to], from as u32, batch.key(order, at, row), row);
    }
}

/// Documents whose names are copied: of a topic that began in an earlier batch, or of a column of another kind.
fn add_carried(
    sink: &mut Sink<'_>,
    batch: &Batch<'_>,
    order: Order,
    rows: Range<usize>,
    carried: &mut Vec<u8>,
) -> PyResult<()> {
    for at in rows {
        let (name, row) = (batch.document(at)?, batch.first_row + at as u64);
        let from = u32::try_from(carried.len())
            .map_err(|_| format_error("the documents of one topic take more than 4 GiB"))?;
        carried.extend_from_slice(&name);
        sink.add(&name, from, batch.key(order, at, row), row);
    }
    Ok(())
}

type NameAt<'a> = Box<dyn Fn(usize) -> Option<Cow<'a, [u8]>> + 'a>;

/// Reads names out of a column of any type that names come in; text comes as bytes.
fn names_in<'a>(column: &'a ArrayRef, name: &str) -> PyResult<NameAt<'a>> {
    macro_rules! bytes {
        ($array:expr) => {{
            let array = $array;
            Ok(Box::new(move |at| array.is_valid(at).then(|| Cow::Borrowed(array.value(at)))))
        }};
    }
    macro_rules! integers {
        ($kind:ty) => {{
            let array = column.as_primitive::<$kind>();
            Ok(Box::new(move |at| array.is_valid(at).then(|| Cow::Owned(array.value(at).to_string().into_bytes()))))
        }};
    }
    match column.data_type() {
        DataType::Binary => bytes!(column.as_binary::<i32>()),
        DataType::LargeBinary => bytes!(column.as_binary::<i64>()),
        DataType::BinaryView => bytes!(column.as_binary_view()),
        DataType::Int8 => integers!(types::Int8Type),
        DataType::Int16 => integers!(types::Int16Type),
        DataType::Int32 => integers!(types::Int32Type),
        DataType::Int64 => integers!(types::Int64Type),
        DataType::UInt8 => integers!(types::UInt8Type),
        DataType::UInt16 => integers!(types::UInt16Type),
        DataType::UInt32 => integers!(types::UInt32Type),
        DataType::UInt64 => integers!(types::UInt64Type),
        DataType::Dictionary(_, _) => {
            let dictionary = column.as_any_dictionary();
            if dictionary.values().is_empty() {
                return Ok(Box::new(|_| None)); // nothing but nulls can point into it
            }
            let keys = dictionary.normalized_keys();
            let value_at = names_in(dictionary.values(), name)?;
            Ok(Box::new(move |at| if dictionary.keys().is_valid(at) { value_at(keys[at]) } else { None }))
        }
        other => Err(no_names(name, other)),
    }
}

/// Numbers as names, for sub-topics: a column with gaps holds floats.
fn floats_in<'a>(column: &'a ArrayRef) -> NameAt<'a> {
    let number_at = |at: usize| match column.data_type() {
        DataType::Float32 => f64::from(column.as_primitive::<types::Float32Type>().value(at)),
        _ => column.as_primitive::<types::Float64Type>().value(at),
    };
    Box::new(move |at| column.is_valid(at).then(|| Cow::Owned(spelled(number_at(at)))))
}

/// The numbers of a column; null is refused.
fn numbers_in(column: &ArrayRef, name: &str, first_row: u64) -> PyResult<Vec<f64>> {
    macro_rules! numbers {
        ($kind:ty) => {
            column.as_primitive::<$kind>().values().iter().map(|&number| number as f64).collect()
        };
    }
    if column.null_count() > 0
        && let Some(at) = (0..column.len()).find(|&at| column.is_null(at))
    {
        return Err(null(first_row + at as u64, name));
    }
    Ok(match column.data_type() {
        DataType::Float32 => numbers!(types::Float32Type),
        DataType::Float64 => numbers!(types::Float64Type),
        DataType::Int8 => numbers!(types::Int8Type),
        DataType::Int16 => numbers!(types::Int16Type),
        DataType::Int32 => numbers!(types::Int32Type),
        DataType::Int64 => numbers!(types::Int64Type),
        DataType::UInt8 => numbers!(types::UInt8Type),
        DataType::UInt16 => numbers!(types::UInt16Type),
        DataType::UInt32 => numbers!(types::UInt32Type),
        DataType::UInt64 => numbers!(types::UInt64Type),
        DataType::Float16 => column.as_primitive::<types::Float16Type>().values().iter().map(|n| n.to_f64()).collect(),
        other => return Err(no_numbers(name, other)),
    })
}
