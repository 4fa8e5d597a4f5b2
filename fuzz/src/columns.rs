//! Arrow columns made of bytes: sound ones, and such that lie. Handed over as Arrow's C interface has them, by hand.

use crate::draw::Draw;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{DataType, Field, Schema};
use std::ffi::{c_char, c_void};
use std::ptr::null_mut;

/// ArrowArray of the C data interface.
#[repr(C)]
pub struct RawArray {
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

/// ArrowArrayStream of the C stream interface.
#[repr(C)]
pub struct RawStream {
    get_schema: Option<unsafe extern "C" fn(*mut RawStream, *mut FFI_ArrowSchema) -> i32>,
    get_next: Option<unsafe extern "C" fn(*mut RawStream, *mut RawArray) -> i32>,
    get_last_error: Option<unsafe extern "C" fn(*mut RawStream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut RawStream)>,
    private_data: *mut c_void,
}

/// What a column holds, as it is drawn.
#[derive(Clone, Debug)]
pub struct Column {
    pub kind: DataType,
    length: i64,
    offset: i64,
    null_count: i64,
    n_buffers: i64,
    /// None where it is missing.
    buffers: Vec<Option<Bytes>>,
    dictionary: Option<Box<Column>>,
    /// Of each row from the offset on; an error where there is none.
    pub values: Vec<Result<Option<Cell>, ()>>,
    /// Whether it lies about itself in a way that readers may, or may not, take.
    pub is_open: bool,
}

/// Bytes at an address that eight divides, or one behind it.
#[derive(Clone, Debug)]
struct Bytes {
    words: Vec<u64>,
    shift: usize,
}

impl Bytes {
    fn new(bytes: &[u8], shift: usize) -> Self {
        let mut words = vec![0u64; (bytes.len() + shift).div_ceil(8)];
        let all: Vec<u8> = std::iter::repeat_n(0, shift).chain(bytes.iter().copied()).collect();
        for (word, eight) in words.iter_mut().zip(all.chunks(8)) {
            let mut full = [0; 8];
            full[..eight.len()].copy_from_slice(eight);
            *word = u64::from_le_bytes(full);
        }
        Bytes { words, shift }
    }

    fn address(&self) -> *const c_void {
        // SAFETY: the shift lies within the words, or at the start of none.
        unsafe { self.words.as_ptr().cast::<u8>().add(self.shift.min(8 * self.words.len())) }.cast()
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    Name(Vec<u8>),
    Number(f64),
}

/// Most bytes of a text.
const MOST_TEXT: i64 = 1 << 12;

pub fn draw_name_kind(draw: &mut Draw<'_>) -> DataType {
    let keys = [DataType::Int8, DataType::Int32, DataType::UInt8, DataType::Int64];
    match draw.below(16) {
        0 | 1 => DataType::Utf8,
        2 => DataType::Binary,
        3 | 4 => DataType::LargeUtf8,
        5 => DataType::LargeBinary,
        6 | 7 => DataType::Utf8View,
        8 => DataType::BinaryView,
        place @ 9..13 => DataType::Dictionary(Box::new(keys[place - 9].clone()), Box::new(DataType::Utf8)),
        13 => DataType::Int64,
        14 => DataType::UInt8,
        _ => DataType::Int16,
    }
}

pub fn draw_number_kind(draw: &mut Draw<'_>) -> DataType {
    match draw.below(6) {
        0 | 1 => DataType::Float64,
        2 => DataType::Float32,
        3 => DataType::Int64,
        4 => DataType::UInt8,
        _ => DataType::Int16,
    }
}

/// A column of some rows.
pub fn draw_column(draw: &mut Draw<'_>, kind: &DataType, rows: usize) -> Column {
    let head = draw.byte();
    let offset = usize::from(head % 3);
    let all = rows + offset;
    let shift = usize::from(head / 3 % 16 == 1);
    let nulls = if head / 64 == 3 { Some(draw.bytes(all.div_ceil(8)).to_vec()) } else { None };
    let is_valid =
        |at: usize| nulls.as_ref().is_none_or(|bits| bits.get(at / 8).copied().unwrap_or(0) >> (at % 8) & 1 == 1);
    let mut column = Column {
        kind: kind.clone(),
        length: rows as i64,
        offset: offset as i64,
        null_count: (offset..all).filter(|&at| !is_valid(at)).count() as i64,
        n_buffers: 2,
        buffers: vec![nulls.as_ref().map(|bits| Bytes::new(&padded(bits, all.div_ceil(8)), 0))],
        dictionary: None,
        values: Vec::new(),
        is_open: shift == 1,
    };
    let values = match kind {
        DataType::Utf8 | DataType::Binary => texts(&mut column, draw, all, shift, 4),
        DataType::LargeUtf8 | DataType::LargeBinary => texts(&mut column, draw, all, shift, 8),
        DataType::Utf8View | DataType::BinaryView => views(&mut column, draw, all),
        DataType::Dictionary(keys, values) => codes(&mut column, draw, all, shift, keys, values),
        kind => plain_numbers(&mut column, draw, all, shift, kind),
    };
    let cells = values.into_iter().enumerate().map(|(at, value)| if is_valid(at) { value.map(Some) } else { Ok(None) });
    column.values = cells.skip(offset).collect();
    lie(&mut column, draw);
    column
}

fn padded(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.resize(size, 0);
    bytes
}

type Values = Vec<Result<Cell, ()>>;

/// Names one after the other, and where each starts; one start may be wrong.
fn texts(column: &mut Column, draw: &mut Draw<'_>, all: usize, shift: usize, width: usize) -> Values {
    let mut starts: Vec<i64> = vec![i64::from(draw.byte() % 2)];
    for _ in 0..all {
        starts.push(starts[starts.len() - 1] + i64::from(draw.byte() % 4));
    }
    if draw.byte() > 200 {
        let at = draw.below(starts.len());
        starts[at] = draw.one(&[-1, 0, 5, 4000, i64::from(i32::MAX), i64::from(i32::MIN), 1 << 33, -(1 << 33)]);
        if width == 4 {
            starts[at] = i64::from(starts[at] as i32);
        }
    }
    let end = starts[all];
    let size = if (0..=MOST_TEXT).contains(&end) { end } else { -1 };
    starts[all] = size; // what is told of the size of the text is true, or senseless
    let text = padded(draw.bytes(size.max(0) as usize), size.max(0) as usize);
    let written: Vec<u8> = starts.iter().flat_map(|start| start.to_le_bytes()[..width].to_vec()).collect();
    // Where rows before the offset start may or may not be looked at.
    let used = &starts[column.offset as usize..];
    let (is_first, is_ascending) = (used[0] >= 0, used.is_sorted());
    column.is_open |= is_first && is_ascending && (starts[0] < 0 || !starts.is_sorted());
    column.buffers.extend([Some(Bytes::new(&written, shift)), Some(Bytes::new(&text, 0))]);
    column.n_buffers = 3;
    let value = |pair: &[i64]| match text.get(pair[0] as usize..pair[1] as usize) {
        Some(name) if is_first && is_ascending => Ok(Cell::Name(name.to_vec())),
        _ => Err(()),
    };
    starts.windows(2).map(value).collect()
}

/// Views of 16 bytes: a short text itself, or where a longer one stands.
fn views(column: &mut Column, draw: &mut Draw<'_>, all: usize) -> Values {
    let texts: Vec<Vec<u8>> = (0..draw.below(3)).map(|_| padded(draw.bytes(24), 24)).collect();
    let (mut written, mut values) = (Vec::new(), Values::new());
    for _ in 0..all {
        let (size, place, start) =
            (draw.one(&[0u32, 1, 3, 12, 13, 20, 24, 25, u32::MAX, 1 << 31]), draw.byte(), draw.byte());
        let mut view = [0u8; 16];
        view[..4].copy_from_slice(&size.to_le_bytes());
        if size <= 12 {
            let name = padded(draw.bytes(size as usize), size as usize);
            view[4..4 + name.len()].copy_from_slice(&name);
            if draw.byte() == 255 {
                view[15] = 1; // what is not used is to be 0
                column.is_open |= size < 12;
            }
            values.push(Ok(Cell::Name(view[4..4 + name.len()].to_vec())));
        } else {
            let (place, start) = (u32::from(place % 4), u32::from(start % 28));
            let text = texts.get(place as usize).and_then(|text| text.get(start as usize..)?.get(..size as usize));
            let is_prefix_right = draw.byte() < 240;
            let prefix = text.map_or([1; 4], |text| [text[0], text[1], text[2], text[3] ^ u8::from(!is_prefix_right)]);
            view[4..8].copy_from_slice(&prefix);
            view[8..12].copy_from_slice(&place.to_le_bytes());
            view[12..].copy_from_slice(&start.to_le_bytes());
            values.push(text.filter(|_| is_prefix_right).map(|text| Cell::Name(text.to_vec())).ok_or(()));
        }
        written.extend(view);
    }
    let sizes: Vec<u8> = texts.iter().flat_map(|text| (text.len() as i64).to_le_bytes()).collect();
    column.buffers.push(Some(Bytes::new(&written, 0)));
    column.buffers.extend(texts.iter().map(|text| Some(Bytes::new(text, 0))));
    column.buffers.push(Some(Bytes::new(&sizes, 0)));
    column.n_buffers = column.buffers.len() as i64;
    values
}

fn codes(
    column: &mut Column,
    draw: &mut Draw<'_>,
    all: usize,
    shift: usize,
    keys: &DataType,
    values: &DataType,
) -> Values {
    let count = draw.below(5);
    let dictionary = draw_column(draw, values, count);
    let width = keys.primitive_width().unwrap_or(1);
    let (mut written, mut given) = (Vec::new(), Values::new());
    for _ in 0..all {
        let code = match draw.byte() {
            odd @ 250.. => i64::from(odd) - 253, // -3 and on
            byte => i64::from(byte) % (count as i64 + i64::from(byte > 240)).max(1),
        };
        written.extend(&code.to_le_bytes()[..width]);
        let code = if *keys == DataType::UInt8 { i64::from(code as u8) } else { code };
        let value = usize::try_from(code).ok().and_then(|code| dictionary.values.get(code));
        given.push(match value {
            Some(Ok(Some(cell))) => Ok(cell.clone()),
            Some(Ok(None)) => Ok(Cell::Name(b"\0null in the dictionary".to_vec())),
            _ => Err(()),
        });
    }
    // A name of the dictionary that is wrong, or null, may or may not be looked at.
    column.is_open |= dictionary.is_open || dictionary.values.iter().any(|value| !matches!(value, Ok(Some(_))));
    column.buffers.push(Some(Bytes::new(&written, shift)));
    column.dictionary = Some(Box::new(dictionary));
    given
}

fn plain_numbers(column: &mut Column, draw: &mut Draw<'_>, all: usize, shift: usize, kind: &DataType) -> Values {
    let width = kind.primitive_width().unwrap_or(1);
    let (mut written, mut values) = (Vec::new(), Values::new());
    for _ in 0..all {
        let (byte, odd) = (draw.byte(), draw.byte());
        let number = match odd {
            255 => f64::NAN,
            254 => f64::INFINITY,
            _ => f64::from(byte as i8) / if odd % 4 == 0 { 4.0 } else { 1.0 },
        };
        let whole = if number.is_finite() { number as i64 } else { 0 };
        let (bytes, value) = match kind {
            DataType::Float64 => (number.to_le_bytes().to_vec(), number),
            DataType::Float32 => ((number as f32).to_le_bytes().to_vec(), number),
            DataType::UInt8 => (vec![whole as u8], f64::from(whole as u8)),
            DataType::Int16 => ((whole as i16).to_le_bytes().to_vec(), f64::from(whole as i16)),
            _ => (whole.to_le_bytes().to_vec(), whole as f64),
        };
        assert_eq!(bytes.len(), width);
        written.extend(bytes);
        values.push(Ok(Cell::Number(value)));
    }
    column.buffers.push(Some(Bytes::new(&written, shift)));
    values
}

/// One of the numbers or pointers that describe a column made senseless.
fn lie(column: &mut Column, draw: &mut Draw<'_>) {
    let odd = draw.one(&[-1, -2, 1 << 40, i64::MAX, i64::MIN, 0, 1, 3]);
    match draw.byte() {
        250 => column.length = if (0..=column.length).contains(&odd) { odd } else { odd.min(-1) },
        251 => column.offset = if odd == 0 { 0 } else { odd.min(-1) },
        252 => column.null_count = odd,
        253 => column.n_buffers = odd.min(column.n_buffers),
        254 => {
            let at = draw.below(column.buffers.len());
            column.buffers[at] = None;
        }
        255 => column.length = 1 << 50,
        _ => return,
    }
    column.is_open = true;
}

/// A batch of columns, all of the same number of rows.
#[derive(Clone, Debug)]
pub struct Batch {
    pub rows: usize,
    pub columns: Vec<Column>,
}

/// Memory that a stream points into; lives as long as the stream.
#[derive(Default)]
pub struct Held {
    arrays: Vec<Box<RawArray>>,
    pointers: Vec<Vec<*const c_void>>,
    children: Vec<Vec<*mut RawArray>>,
}

unsafe extern "C" fn release_array(array: *mut RawArray) {
    // SAFETY: whoever calls has an array; nothing is freed here, since `Held` does that.
    unsafe { (*array).release = None };
}

impl Held {
    fn array(&mut self, column: &Column) -> *mut RawArray {
        let address = |bytes: &Option<Bytes>| bytes.as_ref().map_or(std::ptr::null(), Bytes::address);
        self.pointers.push(column.buffers.iter().map(address).collect());
        let buffers = self.pointers.last_mut().unwrap().as_mut_ptr();
        let dictionary = column.dictionary.as_ref().map_or(null_mut(), |values| self.array(values));
        self.arrays.push(Box::new(RawArray {
            length: column.length,
            null_count: column.null_count,
            offset: column.offset,
            n_buffers: column.n_buffers,
            n_children: 0,
            buffers,
            children: null_mut(),
            dictionary,
            release: Some(release_array),
            private_data: null_mut(),
        }));
        &raw mut **self.arrays.last_mut().unwrap()
    }

    fn batch(&mut self, batch: &Batch) -> RawArray {
        let children: Vec<*mut RawArray> = batch.columns.iter().map(|column| self.array(column)).collect();
        self.children.push(children);
        self.pointers.push(vec![std::ptr::null()]);
        let (children, buffers) = (self.children.last_mut().unwrap(), self.pointers.last_mut().unwrap());
        RawArray {
            length: batch.rows as i64,
            null_count: 0,
            offset: 0,
            n_buffers: 1,
            n_children: children.len() as i64,
            buffers: buffers.as_mut_ptr(),
            children: children.as_mut_ptr(),
            dictionary: null_mut(),
            release: Some(release_array),
            private_data: null_mut(),
        }
    }
}

struct State {
    schema: Schema,
    batches: Vec<RawArray>,
    next: usize,
}

unsafe extern "C" fn get_schema(stream: *mut RawStream, out: *mut FFI_ArrowSchema) -> i32 {
    // SAFETY: the stream is one of ours, and not released; `out` is where a schema may be written.
    unsafe {
        let state = &*(*stream).private_data.cast::<State>();
        out.write(FFI_ArrowSchema::try_from(&state.schema).unwrap());
    }
    0
}

unsafe extern "C" fn get_next(stream: *mut RawStream, out: *mut RawArray) -> i32 {
    // SAFETY: as above; each batch is handed out once, and an empty one at the end.
    unsafe {
        let state = &mut *(*stream).private_data.cast::<State>();
        match state.batches.get(state.next) {
            Some(batch) => out.write(std::ptr::read(batch)),
            None => (*out).release = None,
        }
        state.next += 1;
    }
    0
}

unsafe extern "C" fn release_stream(stream: *mut RawStream) {
    // SAFETY: called once, by whoever has the stream.
    unsafe {
        drop(Box::from_raw((*stream).private_data.cast::<State>()));
        (*stream).release = None;
    }
}

/// A stream of batches, in memory that `held` keeps.
pub fn stream(names: &[&str], batches: &[Batch], held: &mut Held) -> RawStream {
    let kinds = batches[0].columns.iter().map(|column| column.kind.clone());
    let fields: Vec<Field> = names.iter().zip(kinds).map(|(name, kind)| Field::new(*name, kind, true)).collect();
    let batches = batches.iter().map(|batch| held.batch(batch)).collect();
    let state = Box::new(State { schema: Schema::new(fields), batches, next: 0 });
    RawStream {
        get_schema: Some(get_schema),
        get_next: Some(get_next),
        get_last_error: None,
        release: Some(release_stream),
        private_data: Box::into_raw(state).cast(),
    }
}
