//! Batches that come over Arrow's C data interface, checked before anything in them is followed.
//!
//! The interface hands over bare pointers. What can be checked is: lengths, numbers of buffers and children, missing
//! buffers, offsets that fall or are negative, codes outside of their dictionary, views outside of their buffers. The sizes
//! of most buffers are not handed over: who knows them checks them before (`inputs/bounds.py`). Text is taken as bytes,
//! as it is in files, so that nothing relies on it being UTF-8.

use arrow_array::ffi::{FFI_ArrowArray, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::mem::ManuallyDrop;
use std::sync::Arc;

type Result<T> = std::result::Result<T, ArrowError>;

/// Rows, or bytes of text, that a column may claim to have: more is no size of anything in memory.
const MOST: i64 = 1 << 46;
/// Buffers or children that an array may claim to have.
const MOST_PARTS: i64 = 1 << 20;
const DEEPEST: usize = 32;

/// ArrowArray of the C data interface, field by field. FFI_ArrowArray has the same layout and keeps them to itself.
#[repr(C)]
struct RawArray {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *mut *const c_void,
    children: *mut *mut RawArray,
    dictionary: *mut RawArray,
    release: Option<unsafe extern "C" fn(*mut RawArray)>,
    private_data: *mut c_void,
}

/// ArrowSchema of the C data interface, as far as it is looked at.
#[repr(C)]
struct RawSchema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *mut *mut RawSchema,
    dictionary: *mut RawSchema,
}

/// ArrowArrayStream of the C stream interface. FFI_ArrowArrayStream has the same layout and keeps the callbacks to itself.
#[repr(C)]
struct RawStream {
    get_schema: Option<unsafe extern "C" fn(*mut RawStream, *mut FFI_ArrowSchema) -> i32>,
    get_next: Option<unsafe extern "C" fn(*mut RawStream, *mut FFI_ArrowArray) -> i32>,
    get_last_error: Option<unsafe extern "C" fn(*mut RawStream) -> *const c_char>,
}

fn refused<T>(reason: impl Into<String>) -> Result<T> {
    Err(ArrowError::CDataInterface(reason.into()))
}

/// A stream of batches, of which some columns are taken.
pub struct Batches {
    stream: FFI_ArrowArrayStream,
    fields: Fields,
}

impl Batches {
    pub fn new(mut stream: FFI_ArrowArrayStream) -> Result<Self> {
        let raw = (&raw mut stream).cast::<RawStream>();
        // SAFETY: both are the ArrowArrayStream of the C stream interface.
        let Some(get_schema) = (unsafe { (*raw).get_schema }) else { return refused("the stream was read already") };
        let mut schema = FFI_ArrowSchema::empty();
        // SAFETY: the stream is not released (it has callbacks), and both pointers are to values that live on.
        let code = unsafe { get_schema(raw, &raw mut schema) };
        if code != 0 {
            return Err(producer_error(raw, code));
        }
        // SAFETY: both are the ArrowSchema of the C data interface.
        check_schema(unsafe { &*(&raw const schema).cast::<RawSchema>() }, 0)?;
        match Field::try_from(&schema)?.data_type() {
            DataType::Struct(fields) => Ok(Batches { stream, fields: fields.clone() }),
            other => refused(format!("expected a table, found {other}")),
        }
    }

    pub fn fields(&self) -> &Fields {
        &self.fields
    }

    /// The columns at these places of the next batch, in their order; None at the end.
    pub fn next(&mut self, places: &[usize]) -> Option<Result<RecordBatch>> {
        let stream = (&raw mut self.stream).cast::<RawStream>();
        // SAFETY: both are the ArrowArrayStream of the C stream interface.
        let Some(get_next) = (unsafe { (*stream).get_next }) else { return Some(refused("the stream has no batches")) };
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is not released, and both pointers are to values that live on.
        let code = unsafe { get_next(stream, &raw mut array) };
        if code != 0 {
            return Some(Err(producer_error(stream, code)));
        }
        // SAFETY: both are the ArrowArray of the C data interface; `array` outlives `raw`.
        let raw = unsafe { &*(&raw const array).cast::<RawArray>() };
        raw.release.is_some().then(|| columns(raw, &self.fields, places))
        // `array` ends here: what was moved out of it lives on by itself.
    }
}

fn producer_error(stream: *mut RawStream, code: i32) -> ArrowError {
    // SAFETY: the stream is not released, and the last call on it failed, as get_last_error asks.
    let text = unsafe { (*stream).get_last_error.map(|get_last_error| get_last_error(stream)) };
    let message = match text {
        // SAFETY: a message that is not null is a C string, valid until the next call on the stream.
        Some(text) if !text.is_null() => unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned(),
        _ => format!("its producer gave the error code {code}"),
    };
    ArrowError::CDataInterface(message)
}

/// A schema whose names and children can be followed.
fn check_schema(schema: &RawSchema, depth: usize) -> Result<()> {
    if depth > DEEPEST {
        return refused(format!("its types are nested more than {DEEPEST} deep"));
    }
    if schema.format.is_null() {
        return refused("a column has no type");
    }
    for text in [schema.format, schema.name] {
        // SAFETY: a pointer that is not null is to a C string, as the C data interface says.
        if !text.is_null() && unsafe { CStr::from_ptr(text) }.to_str().is_err() {
            return refused("a name of a column or type is not UTF-8");
        }
    }
    for child in children(schema.n_children, schema.children)? {
        check_schema(child, depth + 1)?;
    }
    // SAFETY: null, or a pointer to the schema of the dictionary's values.
    match unsafe { schema.dictionary.as_ref() } {
        Some(dictionary) => check_schema(dictionary, depth + 1),
        None => Ok(()),
    }
}

/// The children of an array or schema, of which none may be missing.
fn children<'a, T>(count: i64, children: *mut *mut T) -> Result<Vec<&'a T>> {
    if !(0..=MOST_PARTS).contains(&count) {
        return refused(format!("it claims {count} children"));
    }
    if count > 0 && children.is_null() {
        return refused("its children are missing");
    }
    (0..count as usize)
        // SAFETY: that many pointers are there, as the C data interface says; each is null or to a child.
        .map(|at| unsafe { (*children.add(at)).as_ref() }.map_or_else(|| refused("a child is missing"), Ok))
        .collect()
}

/// Some columns of a batch, moved out of it.
fn columns(batch: &RawArray, fields: &Fields, places: &[usize]) -> Result<RecordBatch> {
    let rows = check_lengths(batch, "the table")?;
    let parts = children(batch.n_children, batch.children)?;
    if parts.len() != fields.len() {
        return refused(format!("it says that it has {} columns, and has {}", fields.len(), parts.len()));
    }
    if batch.null_count > 0 {
        return refused("rows as a whole are null");
    }
    let mut taken: HashMap<usize, ArrayRef> = HashMap::new();
    for &place in places {
        if rows == 0 || taken.contains_key(&place) {
            continue;
        }
        let (part, name) = (parts[place], fields[place].name());
        let available = check_lengths(part, name)?;
        if (available as i64) < batch.offset + batch.length {
            return refused(format!("column {name:?} has {available} rows for {}", batch.offset + batch.length));
        }
        let kind = as_bytes(fields[place].data_type());
        check_buffers(part, &kind, name, 0)?;
        // SAFETY: the child was checked, its parent is released after this, and the child is left marked as released:
        // so children are moved out of an array.
        let moved = unsafe { moved(batch.children, place) };
        // SAFETY: as above; where buffers end is for the producer to say.
        let data = unsafe { from_ffi_and_data_type(moved, kind) }?;
        data.validate_full().map_err(|error| ArrowError::CDataInterface(format!("column {name:?}: {error}")))?;
        taken.insert(place, make_array(data).slice(batch.offset as usize, rows));
    }
    let field = |&place: &usize| Field::new(fields[place].name(), as_bytes(fields[place].data_type()), true);
    let schema: SchemaRef = Arc::new(Schema::new(places.iter().map(field).collect::<Fields>()));
    if rows == 0 {
        return Ok(RecordBatch::new_empty(schema));
    }
    let arrays = places.iter().map(|place| taken[place].clone()).collect();
    RecordBatch::try_new_with_options(schema, arrays, &RecordBatchOptions::new().with_row_count(Some(rows)))
}

/// The type of the same column with bytes for text.
fn as_bytes(kind: &DataType) -> DataType {
    match kind {
        DataType::Utf8 => DataType::Binary,
        DataType::LargeUtf8 => DataType::LargeBinary,
        DataType::Utf8View => DataType::BinaryView,
        DataType::Dictionary(key, values) => DataType::Dictionary(key.clone(), Box::new(as_bytes(values))),
        other => other.clone(),
    }
}

/// The child at a place as an array of its own.
///
/// # Safety
/// That many children are there, this one is not released, and its parent is released before anything else is done to it.
unsafe fn moved(children: *mut *mut RawArray, place: usize) -> FFI_ArrowArray {
    // SAFETY: as the caller promises; RawArray and FFI_ArrowArray are the same structure.
    unsafe {
        let child: *mut RawArray = *children.add(place);
        let array = ManuallyDrop::new(std::ptr::read(child.cast::<FFI_ArrowArray>()));
        (*child).release = None;
        ManuallyDrop::into_inner(array)
    }
}

/// The number of rows that an array has, once its numbers make sense.
fn check_lengths(array: &RawArray, name: &str) -> Result<usize> {
    let RawArray { length, offset, null_count, .. } = *array;
    let is_sound = (0..=MOST).contains(&length) && (0..=MOST).contains(&offset) && (-1..=length).contains(&null_count);
    if is_sound && array.release.is_some() {
        return Ok(length as usize);
    }
    refused(format!("{name:?} claims {length} rows from {offset} on, of which {null_count} are null"))
}

/// Refuse an array without a buffer that its type needs, or with a size of text that is none.
fn check_buffers(array: &RawArray, kind: &DataType, name: &str, depth: usize) -> Result<()> {
    use DataType::{Binary, BinaryView, Dictionary, LargeBinary, Null};
    let wrong = |reason: &str| refused(format!("column {name:?}: {reason}"));
    let needed = match kind {
        Null => return if array.n_buffers == 0 { Ok(()) } else { wrong("a column of nulls has buffers") },
        Binary | LargeBinary | BinaryView => 3,
        kind if kind.is_primitive() || matches!(kind, Dictionary(_, _)) => 2,
        other => return wrong(&format!("expected names or numbers, found {other}")),
    };
    let is_view = *kind == BinaryView;
    if array.n_buffers < needed || array.n_buffers > if is_view { MOST_PARTS } else { needed } {
        return wrong(&format!("it has {} buffers, and {kind} has {needed}", array.n_buffers));
    }
    if array.n_children != 0 || array.buffers.is_null() {
        return wrong("it has children, or no buffers");
    }
    // SAFETY: that many pointers are there, as the C data interface says.
    let buffers = unsafe { std::slice::from_raw_parts(array.buffers, array.n_buffers as usize) };
    let rows = (array.length + array.offset) as usize;
    if rows > 0 && buffers[1].is_null() {
        return wrong("its values are missing");
    }
    if buffers[0].is_null() && array.null_count > 0 {
        return wrong("it has nulls, and nothing that says where");
    }
    let width = match kind {
        Binary => size_of::<i32>(),
        LargeBinary => size_of::<i64>(),
        _ => 1,
    };
    if !buffers[1].addr().is_multiple_of(width) {
        return wrong("its offsets are not aligned");
    }
    match kind {
        // SAFETY: there is one offset more than rows, as the C data interface says.
        Binary if rows > 0 => unsafe {
            check_text(i64::from(buffers[1].cast::<i32>().add(rows).read_unaligned()), buffers[2], name)
        },
        // SAFETY: likewise.
        LargeBinary if rows > 0 => unsafe {
            check_text(buffers[1].cast::<i64>().add(rows).read_unaligned(), buffers[2], name)
        },
        BinaryView => check_views(&buffers[2..], name),
        // SAFETY: null, or a pointer to the values of the dictionary.
        Dictionary(_, values) => match unsafe { array.dictionary.as_ref() } {
            Some(_) if depth >= DEEPEST => wrong("dictionaries of dictionaries"),
            Some(dictionary) => {
                check_lengths(dictionary, name)?;
                check_buffers(dictionary, values, name, depth + 1)
            }
            None => wrong("its dictionary is missing"),
        },
        _ => Ok(()),
    }
}

/// The size of a text is where its last name ends.
fn check_text(size: i64, text: *const c_void, name: &str) -> Result<()> {
    if !(0..=MOST).contains(&size) || (size > 0 && text.is_null()) {
        return refused(format!("column {name:?}: its text ends at {size}"));
    }
    Ok(())
}

/// Buffers of text, and last the buffer of their sizes.
fn check_views(buffers: &[*const c_void], name: &str) -> Result<()> {
    let [texts @ .., sizes] = buffers else { return Ok(()) };
    if !texts.is_empty() && sizes.is_null() {
        return refused(format!("column {name:?}: the sizes of its texts are missing"));
    }
    for (at, text) in texts.iter().enumerate() {
        // SAFETY: there is a size for each text, as the C data interface says.
        check_text(unsafe { sizes.cast::<i64>().add(at).read_unaligned() }, *text, name)?;
    }
    Ok(())
}
