//! Arrow tables made of bytes, as runs and as qrels; columns may lie about themselves.
#![no_main]

use _core::fuzzing::{Columns, Merge, QrelsTaker, feed_arrow, judge_arrow};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use rankscale_fuzz::agree::{judged_runs, merged, some_judged};
use rankscale_fuzz::columns::{
    Batch, Cell, Column, Held, RawStream, draw_column, draw_name_kind, draw_number_kind, stream,
};
use rankscale_fuzz::draw::{Draw, Setting};
use rankscale_fuzz::plain::{Order, Plain, Row, Stop, rankings};
use rankscale_fuzz::read;
use std::sync::{Mutex, Once};

const NAMES: [&str; 4] = ["topic", "document", "number", "part"];

/// What Python calls a table: it gives a stream as often as it is asked for one.
#[pyclass(unsendable)]
struct Producer {
    names: Vec<&'static str>,
    batches: Vec<Batch>,
    held: Held,
    streams: Vec<Box<RawStream>>,
}

#[pymethods]
impl Producer {
    fn __arrow_c_stream__<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let made = stream(&self.names, &self.batches, &mut self.held);
        self.streams.push(Box::new(made));
        let pointer = std::ptr::NonNull::from(&mut **self.streams.last_mut().unwrap());
        // SAFETY: the producer keeps the stream for as long as it lives, which is longer than any reader of it.
        unsafe { PyCapsule::new_with_pointer(py, pointer.cast(), c"arrow_array_stream") }
    }
}

static START: Once = Once::new();
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    START.call_once(|| {
        Python::initialize();
        Python::attach(|py| {
            let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../src");
            py.import("sys").unwrap().getattr("path").unwrap().call_method1("insert", (0, source)).unwrap();
            py.import("rankscale.errors").unwrap();
        });
    });
    let _one = ONE_AT_A_TIME.lock();
    Python::attach(|py| one_input(py, data));
});

fn one_input(py: Python<'_>, data: &[u8]) {
    let mut draw = Draw(data);
    let setting = Setting::draw(&mut draw);
    let (is_run, has_part) = (draw.below(2) == 0, draw.below(3) == 0);
    let is_read_twice = draw.below(2) == 0;
    let merge = draw.one(&[Merge::Aspects, Merge::Error, Merge::Max, Merge::Min, Merge::Mean]);
    let mut kinds = vec![draw_name_kind(&mut draw), draw_name_kind(&mut draw), draw_number_kind(&mut draw)];
    kinds.extend(has_part.then(|| draw_name_kind(&mut draw)));
    let batches: Vec<Batch> = (0..1 + draw.below(3))
        .map(|_| {
            let rows = draw.below(9);
            Batch { rows, columns: kinds.iter().map(|kind| draw_column(&mut draw, kind, rows)).collect() }
        })
        .collect();
    let plain = plain_rows(&batches, is_run);
    let names = NAMES[..kinds.len()].to_vec();
    let columns: Columns = (NAMES[0], NAMES[1], Some(NAMES[2]), has_part.then_some(NAMES[3]))
        .into_pyobject(py)
        .unwrap()
        .extract()
        .unwrap();
    let (held, streams) = (Held::default(), Vec::new());
    let producer = Bound::new(py, Producer { names, batches, held, streams }).unwrap().into_any();
    if is_run {
        let order = setting.order.unwrap_or(Order::Score);
        let setting = Setting { order: Some(order), ..setting };
        let made = plain.and_then(|rows| rankings(&rows, order, setting.duplicates).map_err(|_| Stop::Fault));
        let judged = made.as_ref().map(some_judged).unwrap_or_default();
        let expected = made.map(|made| judged_runs(&made, &judged, setting.depth, false));
        let (index, options) = (read::index_of(&judged), read::options(&setting, None));
        let core = judge_arrow(&index, &options, options.request.order.unwrap(), &producer, &columns, is_read_twice, 0);
        let mut core = core.map(|runs| read::seen(runs, &index));
        if let (Ok(runs), Ok(expected)) = (&mut core, &expected)
            && expected.is_empty()
        {
            runs.clear(); // a table without rows is a run without topics
        }
        compare(py, expected, core);
    } else {
        let expected = plain.and_then(|rows| merged(&rows, merge, false).map_err(|_| Stop::Fault));
        let mut taker = QrelsTaker::new(merge);
        let core = feed_arrow(&mut taker, &producer, &columns, 0).map(|()| read::judged_topics(&taker.finish()));
        compare(py, expected, core);
    }
}

fn compare<T: PartialEq + std::fmt::Debug>(py: Python<'_>, expected: Plain<T>, core: PyResult<T>) {
    if let Err(error) = &core {
        let is_ours = error.get_type(py).module().is_ok_and(|module| module == "rankscale.errors");
        assert!(is_ours && error.value(py).to_string().len() < 4000, "{error}");
    }
    match (expected, core) {
        (Err(Stop::Open), _) | (Err(_), Err(_)) => {}
        (Ok(expected), Ok(core)) => assert_eq!(core, expected),
        (expected, core) => panic!("expected {expected:?}, the core says {core:?}"),
    }
}

/// The rows of all batches; a fault where a cell that is read is wrong, open where another lie is told.
fn plain_rows(batches: &[Batch], is_run: bool) -> Plain<Vec<Row>> {
    if batches.iter().flat_map(|batch| &batch.columns).any(|column| column.is_open) {
        return Err(Stop::Open);
    }
    let is_wrong = |column: &Column| column.values.iter().any(Result::is_err);
    if batches.iter().filter(|batch| batch.rows > 0).flat_map(|batch| &batch.columns).any(is_wrong) {
        return Err(Stop::Fault);
    }
    let mut rows = Vec::new();
    for batch in batches {
        for at in 0..batch.rows {
            let cell = |column: usize| batch.columns.get(column).map(|column| column.values[at].clone().unwrap());
            let name = |column: usize| match cell(column) {
                Some(Some(Cell::Name(name))) => Ok(name),
                Some(Some(Cell::Number(number))) => Ok(number.to_string().into_bytes()),
                Some(None) => Err(Stop::Fault),
                None => Ok(Vec::new()),
            };
            let part = match name(3) {
                Err(_) if !is_run => Vec::new(),
                name => name?,
            };
            let Some(Some(Cell::Number(number))) = cell(2) else { return Err(Stop::Fault) };
            if if is_run { number.is_nan() } else { !number.is_finite() } {
                return Err(Stop::Fault);
            }
            let (topic, document) = (name(0)?, Some(name(1)?));
            let (score, grade) = (Some(number), Some(number));
            rows.push(Row { topic, document, part, score, rank: Some(number), grade, ..Row::default() });
        }
    }
    Ok(rows)
}
