//! Runs and qrels that are already in memory: Python lists, dictionaries and Arrow tables, fed to the same judge.

use crate::error::{rankscale_error, shown};
use crate::index::{Builder, Index, Judgments, refused};
use crate::judge::{Hits, Judge, Row, Twice};
use crate::names::Names;
use crate::reader::{Gathered, Options, row};
use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, ArrayRef, RecordBatchReader, types};
use arrow_schema::DataType;
use pyo3::Borrowed;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyFloat, PyInt, PyString};
use std::borrow::Cow;

/// What is fed, one row at a time: the rows of a run, or judgments.
pub trait Taker {
    const NUMBER: &'static str;
    fn take(&mut self, topic: &[u8], document: &[u8], number: f64, row: u64) -> PyResult<()>;
}

pub struct RunTaker<'a> {
    pub index: &'a Index,
    pub options: Options,
    pub gathered: Gathered,
}

impl Taker for RunTaker<'_> {
    const NUMBER: &'static str = "score";

    fn take(&mut self, topic: &[u8], document: &[u8], number: f64, row: u64) -> PyResult<()> {
        if number.is_nan() {
            return Err(format_error(format!("row {row}: expected a number as score, found NaN")));
        }
        let key = self.options.order.key(number, number, row);
        if !self.gathered.add(self.index, topic, document, key, row) {
            return Err(format_error(format!("topic {}: its documents take more than 4 GiB", shown(topic))));
        }
        Ok(())
    }
}

impl RunTaker<'_> {
    pub fn finish(self) -> PyResult<(Hits, Names)> {
        self.gathered.judge(self.index, self.options).map_err(|(twice, topic)| twice_in_table(&twice, &topic))
    }
}

fn twice_in_table(twice: &Twice, topic: &[u8]) -> PyErr {
    let message = format!(
        "row {}: document {} stands a second time in topic {} (first in row {})\n\
         a ranking holds each document once: keep the better one",
        twice.lines.1,
        shown(&twice.name),
        shown(topic),
        twice.lines.0
    );
    rankscale_error("DuplicateError", message)
}

#[derive(Default)]
pub struct QrelsTaker {
    builder: Builder,
}

impl Taker for QrelsTaker {
    const NUMBER: &'static str = "grade";

    fn take(&mut self, topic: &[u8], document: &[u8], number: f64, row: u64) -> PyResult<()> {
        if !number.is_finite() {
            return Err(format_error(format!("row {row}: expected a finite number as grade, found {number}")));
        }
        self.builder.enter(topic).and_then(|()| self.builder.add(document, number)).map_err(|refusal| {
            let (twice, words) = refused(refusal, topic, document);
            rankscale_error(if twice { "DuplicateError" } else { "FormatError" }, format!("row {row}: {words}"))
        })
    }
}

impl QrelsTaker {
    pub fn finish(self) -> Judgments {
        self.builder.finish()
    }
}

fn format_error(message: String) -> PyErr {
    rankscale_error("FormatError", message)
}

/// Three sequences of equal length; rows are counted from 0, as Python does.
pub fn feed_columns<T: Taker>(
    taker: &mut T,
    topics: &Bound<'_, PyAny>,
    documents: &Bound<'_, PyAny>,
    numbers: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let (mut topics, mut documents, mut numbers) = (topics.try_iter()?, documents.try_iter()?, numbers.try_iter()?);
    let mut row = 0;
    loop {
        heed_interrupts(numbers.py(), row)?;
        match (topics.next(), documents.next(), numbers.next()) {
            (Some(topic), Some(document), Some(number)) => {
                let (topic, document, number) = (topic?, document?, number?);
                let number = number_of(&number, T::NUMBER, || format!("row {row}"))?;
                let place = || format!("row {row}");
                taker.take(&name_of(&topic, "topic", place)?, &name_of(&document, "document", place)?, number, row)?;
            }
            (None, None, None) => return Ok(()),
            _ => {
                return Err(format_error(format!(
                    "row {row}: the columns of topics, documents and {}s have different lengths",
                    T::NUMBER
                )));
            }
        }
        row += 1;
    }
}

/// A name as bytes: text, bytes, or a whole number.
fn name_of<'a>(value: &'a Bound<'_, PyAny>, what: &str, place: impl Fn() -> String) -> PyResult<Cow<'a, [u8]>> {
    if let Ok(text) = value.cast::<PyString>() {
        // Names read from files that are not UTF-8 carry their odd bytes as surrogates.
        return match text.to_str() {
            Ok(text) => Ok(Cow::Borrowed(text.as_bytes())),
            Err(_) => {
                let bytes = text.call_method1("encode", ("utf-8", "surrogateescape")).map_err(|_| {
                    format_error(format!("{}: expected text as {what}, found half a character", place()))
                })?;
                Ok(Cow::Owned(bytes.extract::<Vec<u8>>()?))
            }
        };
    }
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    if !value.is_instance_of::<PyFloat>() && value.hasattr("__index__")? {
        return Ok(Cow::Owned(value.call_method0("__index__")?.str()?.to_str()?.as_bytes().to_vec()));
    }
    let kind = if value.is_none() { "nothing (null)".into() } else { value.get_type().name()?.to_string() };
    Err(format_error(format!("{}: expected a name as {what}, found {kind}", place())))
}

fn number_of(value: &Bound<'_, PyAny>, what: &str, place: impl Fn() -> String) -> PyResult<f64> {
    value.extract::<f64>().map_err(|_| {
        let kind = if value.is_none() { "nothing (null)".into() } else { format!("{value:?}") };
        format_error(format!("{}: expected a number as {what}, found {kind}", place()))
    })
}

/// `{topic: {document: grade}}`.
pub fn feed_qrels_dict(taker: &mut QrelsTaker, topics: &Bound<'_, PyDict>) -> PyResult<()> {
    for (topic, documents) in topics.iter() {
        let name = name_of(&topic, "topic", || "qrels".into())?;
        let place = || format!("topic {}", shown(&name));
        taker.builder.enter(&name).map_err(|refusal| format_error(refused(refusal, &name, b"").1))?;
        let documents = inner(&documents, &name)?;
        taker.builder.reserve(documents.len());
        let mut refusal = None;
        let taken = usual_items(&documents, |document, grade| {
            if refusal.is_none() {
                refusal = taker.builder.add(document, grade).err().map(|why| refused(why, &name, document).1);
            }
        });
        if let Some(words) = refusal {
            return Err(format_error(words));
        }
        for (document, grade) in rest(&documents, taken) {
            let place = || format!("{}, document {document}", place());
            let number = number_of(&grade, "grade", place)?;
            if !number.is_finite() {
                return Err(format_error(format!("{}: expected a finite number as grade, found {number}", place())));
            }
            let document = name_of(&document, "document", place)?;
            taker.builder.add(&document, number).map_err(|refusal| {
                let (_, words) = refused(refusal, &name, &document);
                format_error(words)
            })?;
        }
    }
    Ok(())
}

fn inner<'py>(documents: &Bound<'py, PyAny>, topic: &[u8]) -> PyResult<Bound<'py, PyDict>> {
    documents.cast::<PyDict>().cloned().map_err(|_| {
        format_error(format!("topic {}: expected a dictionary of documents, found {documents:?}", shown(topic)))
    })
}

/// What `usual_items` left. Skipping would walk the dictionary a second time, so where nothing is left nothing is asked.
fn rest<'py>(items: &Bound<'py, PyDict>, taken: usize) -> impl Iterator<Item = (Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    (taken < items.len()).then(|| items.iter().skip(taken)).into_iter().flatten()
}

/// Hands out the documents and numbers of a dictionary as long as it holds nothing but text and plain, finite numbers,
/// which is the usual one. Gives how many were handed out; for the rest, if any, the caller goes the careful way.
fn usual_items(items: &Bound<'_, PyDict>, mut take: impl FnMut(&[u8], f64)) -> usize {
    let py = items.py();
    let (mut taken, mut bytes, mut place) = (0, 0, 0);
    // Grades are mostly the same few objects: the one met last is not read again.
    let (mut last, mut number) = (std::ptr::null_mut(), 0.0);
    // Names and numbers lie scattered in memory: asked for a few at a time, they arrive together.
    let mut ahead = [(std::ptr::null_mut(), std::ptr::null_mut()); 16];
    loop {
        let mut count = 0;
        while let Some((key, value)) = ahead.get_mut(count) {
            // SAFETY: PyDict_Next gives references borrowed from the dictionary, which stay good as long as it is not
            // changed. Nothing below runs Python code: the exact types are checked before their values are read, so no
            // __float__ of a user's class is called, and we hold the GIL.
            if unsafe { ffi::PyDict_Next(items.as_ptr(), &mut place, key, value) } == 0 {
                break;
            }
            soon_read(*key);
            soon_read(key.wrapping_byte_add(TEXT_OFFSET));
            soon_read(*value);
            count += 1;
        }
        for &(key, value) in &ahead[..count] {
            // SAFETY: as above; both pointers are not null when PyDict_Next gives a pair.
            let (key, met) = unsafe { (Borrowed::from_ptr(py, key), Borrowed::from_ptr(py, value)) };
            let Ok(key) = key.cast_exact::<PyString>() else { return taken };
            let Ok(name) = key.to_str() else { return taken };
            if value != last {
                number = match met.cast_exact::<PyFloat>() {
                    Ok(number) => number.value(),
                    Err(_) => match met.cast_exact::<PyInt>().map(|number| number.extract::<f64>()) {
                        Ok(Ok(number)) => number,
                        _ => return taken,
                    },
                };
                last = value;
            }
            bytes += name.len();
            if !number.is_finite() || bytes > u32::MAX as usize {
                return taken;
            }
            take(name.as_bytes(), number);
            taken += 1;
        }
        if count < ahead.len() {
            return taken;
        }
    }
}

/// About where CPython keeps the characters of a short text; a wrong guess costs time, nothing else.
const TEXT_OFFSET: usize = 48;

/// Tells the processor that memory at this address will be read.
#[cfg(target_arch = "x86_64")]
fn soon_read<T>(address: *mut T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a hint; it reads nothing and cannot fault, whatever the address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
}

#[cfg(not(target_arch = "x86_64"))]
fn soon_read<T>(_address: *mut T) {}

/// `{topic: {document: score}}`, judged topic by topic. An empty dictionary is an empty ranking.
pub fn judge_dict(index: &Index, options: Options, topics: &Bound<'_, PyDict>) -> PyResult<(Hits, Names)> {
    let mut judge = Judge::new(index, options);
    let (mut known, mut unknown) = (vec![false; index.topics.len()], Names::default());
    let (mut text, mut rows): (Vec<u8>, Vec<Row>) = (Vec::new(), Vec::new());
    for (topic, documents) in topics.iter() {
        let name = name_of(&topic, "topic", || "run".into())?;
        text.clear();
        rows.clear();
        let documents = inner(&documents, &name)?;
        let taken = usual_items(&documents, |document, score| {
            let (start, line) = (text.len() as u32, rows.len() as u64);
            text.extend_from_slice(document);
            rows.push(row(index, document, start, options.order.key(score, score, line), line));
        });
        for (line, (document, score)) in (taken..).zip(rest(&documents, taken)) {
            let place = || format!("topic {}, document {document}", shown(&name));
            let score = number_of(&score, "score", place)?;
            if score.is_nan() {
                return Err(format_error(format!("{}: expected a number as score, found NaN", place())));
            }
            let document = name_of(&document, "document", place)?;
            let start = u32::try_from(text.len())
                .map_err(|_| format_error(format!("topic {}: its documents take more than 4 GiB", shown(&name))))?;
            text.extend_from_slice(&document);
            rows.push(row(index, &document, start, options.order.key(score, score, line as u64), line as u64));
        }
        match index.topic(&name) {
            None => {
                unknown.add(index.seed.hash(&name), &name);
            }
            // Names that Python tells apart may be the same here, such as 301 and "301".
            Some(number) if std::mem::replace(&mut known[number], true) => {
                let message = format!("topic {} is given twice", shown(&name));
                return Err(rankscale_error("DuplicateError", message));
            }
            Some(number) => {
                // Keys of a dictionary differ, and so do texts; bytes and numbers may spell the same name.
                judge
                    .ranking(number, &text, &mut rows, taken < documents.len())
                    .map_err(|twice| twice_in_table(&twice, &name))?;
            }
        }
    }
    Ok((judge.hits, unknown))
}

/// Batches of an Arrow stream, from any library that speaks the PyCapsule interface.
pub fn feed_arrow<T: Taker>(taker: &mut T, table: &Bound<'_, PyAny>, columns: [&str; 3]) -> PyResult<()> {
    let capsule = table.call_method0("__arrow_c_stream__")?;
    let capsule = capsule.cast::<PyCapsule>().map_err(|_| PyTypeError::new_err("expected an Arrow stream capsule"))?;
    let pointer = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // SAFETY: a capsule of that name holds a valid ArrowArrayStream (the Arrow PyCapsule interface says so);
    // from_raw moves it out and leaves an empty one behind, which the capsule's destructor knows to skip.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr().cast()) };
    let arrow_error =
        |error: arrow_schema::ArrowError| format_error(format!("the Arrow table cannot be read: {error}"));
    let batches = RecordBatchStreamReader::try_new(stream).map_err(arrow_error)?;
    let schema = batches.schema();
    let mut places = [0; 3];
    for (place, column) in places.iter_mut().zip(columns) {
        *place = schema.index_of(column).map_err(|_| {
            let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            format_error(format!("expected a column {column:?}, found {}", names.join(", ")))
        })?;
    }
    let mut row = 0u64;
    for batch in batches {
        let batch = batch.map_err(arrow_error)?;
        let [topics, documents, numbers] = places.map(|place| batch.column(place));
        let topics = names_in(topics, columns[0])?;
        let documents = names_in(documents, columns[1])?;
        let numbers = numbers_in(numbers, columns[2])?;
        for at in 0..batch.num_rows() {
            let null =
                |column: &str| format_error(format!("row {row}: expected a value in column {column:?}, found null"));
            let topic = topics(at).ok_or_else(|| null(columns[0]))?;
            let document = documents(at).ok_or_else(|| null(columns[1]))?;
            let number = numbers(at).ok_or_else(|| null(columns[2]))?;
            taker.take(&topic, &document, number, row)?;
            row += 1;
            heed_interrupts(table.py(), row)?;
        }
    }
    Ok(())
}

/// Ctrl-C stops a long feed; looked for now and then, since looking takes time.
fn heed_interrupts(py: Python<'_>, row: u64) -> PyResult<()> {
    if row.is_multiple_of(1 << 16) { py.check_signals() } else { Ok(()) }
}

type NameAt<'a> = Box<dyn Fn(usize) -> Option<Cow<'a, [u8]>> + 'a>;
type NumberAt<'a> = Box<dyn Fn(usize) -> Option<f64> + 'a>;

/// Reads names out of a column of any type that names come in.
fn names_in<'a>(column: &'a ArrayRef, name: &str) -> PyResult<NameAt<'a>> {
    macro_rules! bytes_of {
        ($array:expr, $get:expr) => {{
            let array = $array;
            Ok(Box::new(move |at| array.is_valid(at).then(|| Cow::Borrowed($get(array.value(at))))))
        }};
    }
    macro_rules! integers {
        ($kind:ty) => {{
            let array = column.as_primitive::<$kind>();
            Ok(Box::new(move |at| array.is_valid(at).then(|| Cow::Owned(array.value(at).to_string().into_bytes()))))
        }};
    }
    match column.data_type() {
        DataType::Utf8 => bytes_of!(column.as_string::<i32>(), str::as_bytes),
        DataType::LargeUtf8 => bytes_of!(column.as_string::<i64>(), str::as_bytes),
        DataType::Utf8View => bytes_of!(column.as_string_view(), str::as_bytes),
        DataType::Binary => bytes_of!(column.as_binary::<i32>(), |bytes| bytes),
        DataType::LargeBinary => bytes_of!(column.as_binary::<i64>(), |bytes| bytes),
        DataType::BinaryView => bytes_of!(column.as_binary_view(), |bytes| bytes),
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
        other => Err(format_error(format!("column {name:?}: expected names, found {other}"))),
    }
}

fn numbers_in<'a>(column: &'a ArrayRef, name: &str) -> PyResult<NumberAt<'a>> {
    macro_rules! numbers {
        ($kind:ty) => {{
            let array = column.as_primitive::<$kind>();
            Ok(Box::new(move |at| array.is_valid(at).then(|| array.value(at) as f64)))
        }};
    }
    match column.data_type() {
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
        DataType::Float16 => {
            let array = column.as_primitive::<types::Float16Type>();
            Ok(Box::new(move |at| array.is_valid(at).then(|| array.value(at).to_f64())))
        }
        other => Err(format_error(format!("column {name:?}: expected numbers, found {other}"))),
    }
}
