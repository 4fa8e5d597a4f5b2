//! What Python sees: `Index` (the names in the qrels), readers that give buffers, and a writer of tables.

use crate::arguments::{ByteNames, Items};
use crate::arrow;
use crate::aspects::Aspects;
use crate::columns::{self, Kind, Role};
use crate::count::{self, List};
use crate::dialect::{Dialect, Order};
use crate::entries::{Described, Request};
use crate::error::{Message, Problem, ReadError, Setting, rankscale_error};
use crate::forms;
use crate::index::{self, Index, Judgments, Merge};
use crate::judge::Duplicates;
use crate::memory::{memory_state, set_memory_limit};
use crate::names::Names;
use crate::reader::{Found, Listing, Options};
use crate::source::{Origin, Source};
use crate::tables::{QrelsTaker, RunTaker, feed_qrels_dict, feed_rows, judge_dict};
use crate::text::{self, Column, Form, Printed, Table};
use crate::work::{Listed, Poll, Reading, watched};
use numbers::{Numbers, buffer, values};
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use regex::bytes::{Regex, RegexBuilder};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

mod entries;
mod numbers;

pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyIndex>()?;
    module.add_class::<PyReading>()?;
    module.add_class::<PyListing>()?;
    module.add_function(wrap_pyfunction!(read_qrels, module)?)?;
    module.add_function(wrap_pyfunction!(pick_columns, module)?)?;
    module.add_function(wrap_pyfunction!(column_names, module)?)?;
    module.add_function(wrap_pyfunction!(starts_json, module)?)?;
    module.add_function(wrap_pyfunction!(qrels_from_rows, module)?)?;
    module.add_function(wrap_pyfunction!(qrels_from_dict, module)?)?;
    module.add_function(wrap_pyfunction!(qrels_from_arrow, module)?)?;
    module.add_function(wrap_pyfunction!(judge_files, module)?)?;
    module.add_function(wrap_pyfunction!(list_rankings, module)?)?;
    module.add_function(wrap_pyfunction!(list_rows, module)?)?;
    module.add_function(wrap_pyfunction!(list_arrow, module)?)?;
    module.add_function(wrap_pyfunction!(judge_rows, module)?)?;
    module.add_function(wrap_pyfunction!(judge_dictionary, module)?)?;
    module.add_function(wrap_pyfunction!(judge_arrow, module)?)?;
    module.add_function(wrap_pyfunction!(keep_freed_memory, module)?)?;
    module.add_function(wrap_pyfunction!(set_memory_limit, module)?)?;
    module.add_function(wrap_pyfunction!(memory_state, module)?)?;
    module.add_function(wrap_pyfunction!(entries::level_counts, module)?)?;
    module.add_function(wrap_pyfunction!(entries::every_rank, module)?)?;
    module.add_function(wrap_pyfunction!(entries::entries, module)?)?;
    module.add_function(wrap_pyfunction!(entries::padded, module)?)?;
    module.add_function(wrap_pyfunction!(entries::kept_entries, module)?)?;
    module.add_function(wrap_pyfunction!(values_as_text, module)?)?;
    module.add_function(wrap_pyfunction!(trec_eval_lines, module)?)?;
    module.add_function(wrap_pyfunction!(sums_below, module)?)?;
    module.add_function(wrap_pyfunction!(sums_near, module)?)?;
    Ok(())
}

/// The names in some qrels: topics in byte order, and the documents judged for each.
#[pyclass(name = "Index", module = "rankscale._core", frozen)]
struct PyIndex(Arc<Index>);

#[pymethods]
impl PyIndex {
    /// Made again from `names()`.
    #[new]
    fn new(topics: ByteNames, documents: Items<ByteNames>) -> PyResult<Self> {
        let mut index = Index::default();
        if topics.0.len() != documents.0.len() {
            return Err(PyValueError::new_err("as many lists of documents as topics are needed"));
        }
        let seed = index.seed.clone();
        let add = |names: &mut Names, name: &[u8]| match names.add(seed.hash(name), name) {
            Some((_, true)) => Ok(()),
            Some((_, false)) => Err(PyValueError::new_err("a name is given twice")),
            None => Err(PyValueError::new_err("the names take more than 4 GiB")),
        };
        for (topic, names) in topics.0.iter().zip(&documents.0) {
            add(&mut index.topics, topic)?;
            let mut known = Names::default();
            for name in &names.0 {
                add(&mut known, name)?;
            }
            index.documents.push(known);
        }
        Ok(PyIndex(Arc::new(index)))
    }

    #[getter]
    fn topics<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.topics.iter().map(|name| PyBytes::new(py, name)))
    }

    #[getter]
    fn fingerprint(&self) -> u64 {
        self.0.fingerprint()
    }

    /// Names of the documents judged for a topic, by its number, in the order of their rows.
    fn documents<'py>(&self, py: Python<'py>, topic: usize) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        let names = self.0.documents.get(topic).ok_or_else(|| PyIndexError::new_err("no such topic"))?;
        Ok(names.iter().map(|name| PyBytes::new(py, name)).collect())
    }

    /// The row of a document in its topic's qrels, or None.
    fn row(&self, topic: usize, document: &[u8]) -> PyResult<Option<u32>> {
        let names = self.0.documents.get(topic).ok_or_else(|| PyIndexError::new_err("no such topic"))?;
        Ok(names.find(self.0.seed.hash(document), document))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class = py.get_type::<PyIndex>().into_any();
        let documents: Vec<Vec<Bound<'py, PyBytes>>> =
            (0..self.0.topics.len()).map(|topic| self.documents(py, topic)).collect::<PyResult<_>>()?;
        let state = (self.topics(py)?, documents).into_pyobject(py)?;
        Ok((class, state))
    }
}

fn source(name: String, origin: &Bound<'_, PyAny>, max_size: Option<u64>) -> PyResult<Source> {
    let origin = if origin.is_none() {
        Origin::Stdin
    } else if let Ok(bytes) = origin.cast::<PyBytes>() {
        Origin::Bytes(bytes.as_bytes().to_vec())
    } else {
        Origin::Path(origin.extract::<PathBuf>()?)
    };
    let unpackers = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Source { name, origin, max_size, piece: None, unpackers })
}

fn sources_of(named: Items<(String, Bound<'_, PyAny>)>, max_size: Option<u64>) -> PyResult<Vec<Source>> {
    named.0.into_iter().map(|(name, origin)| source(name, &origin, max_size)).collect()
}

/// Wait for a thread of the core with the GIL released, heeding Ctrl-C.
fn wait_for<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&std::sync::atomic::AtomicBool) -> Result<T, ReadError> + Send + 'static,
) -> PyResult<T> {
    let mut interrupted = None;
    let done = py.detach(|| {
        watched(work, || {
            Python::attach(|py| match py.check_signals() {
                Ok(()) => true,
                Err(error) => {
                    interrupted = Some(error);
                    false
                }
            })
        })
    });
    match interrupted {
        Some(error) => Err(error),
        None => Ok(done?),
    }
}

/// How files are read, as Python's options say: attributes of one object.
#[derive(FromPyObject)]
struct FileOptions {
    form: Option<String>,
    columns: Items<(String, String)>,
}

fn request(
    requested: FileOptions,
    kind: Kind,
    dialect: &str,
    order: Option<&str>,
    keep_scores: bool,
) -> PyResult<Request> {
    if let Some(form) = &requested.form
        && !forms::NAMES.contains(&form.as_str())
    {
        return Err(PyValueError::new_err(format!("unknown form {form:?}")));
    }
    Ok(Request {
        kind,
        dialect: Dialect::named(dialect)?,
        form: requested.form,
        columns: given(requested.columns.0)?,
        order: order.map(Order::named).transpose()?,
        keep_scores,
    })
}

fn given(columns: Vec<(String, String)>) -> PyResult<columns::Given> {
    let role = |word: &str| Role::named(word).ok_or_else(|| PyValueError::new_err(format!("unknown column {word:?}")));
    columns.into_iter().map(|(word, name)| Ok((role(&word)?, name))).collect()
}

fn kind(word: &str) -> PyResult<Kind> {
    match word {
        "run" => Ok(Kind::Run),
        "qrels" => Ok(Kind::Qrels),
        _ => Err(PyValueError::new_err(format!("unknown kind {word:?}"))),
    }
}

/// Which of the named columns holds what: {role: place}. Columns that the user named come first.
#[pyfunction]
fn pick_columns<'py>(
    py: Python<'py>,
    word: &str,
    names: Items<String>,
    named: Items<(String, String)>,
    needs_number: bool,
) -> PyResult<Bound<'py, PyDict>> {
    let (kind, header) = (kind(word)?, names.0.into_iter().map(String::into_bytes).collect::<Vec<_>>());
    let wrong = |problem: Problem| rankscale_error("FormatError", problem);
    let named = given(named.0)?;
    let places = columns::pick(kind, &header, &named).map_err(wrong)?;
    if let Some(problem) = columns::lacking(kind, &places, &header, &named, needs_number) {
        return Err(wrong(problem));
    }
    let picked = PyDict::new(py);
    for role in Role::ALL {
        if let Some(place) = places.get(role) {
            picked.set_item(role.word(), place)?;
        }
    }
    Ok(picked)
}

/// Whether text starts as JSON does, and not as a file of TREC's form.
#[pyfunction]
fn starts_json(text: &[u8]) -> bool {
    forms::starts_json(text)
}

/// The names that columns are known by, without blanks, hyphens and underscores: {role: names}, preferred ones first.
#[pyfunction]
fn column_names(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let names = PyDict::new(py);
    for role in Role::ALL {
        names.set_item(role.word(), role.names())?;
    }
    Ok(names)
}

fn merge(word: &str) -> PyResult<Merge> {
    Merge::named(word).ok_or_else(|| PyValueError::new_err(format!("unknown merge {word:?}")))
}

/// Qrels from files, put together: a dictionary with index, codes, starts, levels, forms and what was read oddly.
#[pyfunction]
fn read_qrels<'py>(
    py: Python<'py>,
    sources: Items<(String, Bound<'py, PyAny>)>,
    dialect: &str,
    requested: FileOptions,
    merging: &str,
    max_size: Option<u64>,
) -> PyResult<Bound<'py, PyDict>> {
    let sources = sources_of(sources, max_size)?;
    let (request, merge) = (request(requested, Kind::Qrels, dialect, None, false)?, merge(merging)?);
    let (judgments, forms) = wait_for(py, move |cancel| index::read(&sources, &request, merge, cancel))?;
    let given = given_judgments(py, judgments)?;
    given.set_item("forms", forms.iter().map(described).collect::<Vec<_>>())?;
    Ok(given)
}

fn described(form: &Described) -> (&'static str, Vec<(&'static str, String)>) {
    (form.form, form.columns.clone())
}

#[pyfunction]
fn qrels_from_rows<'py>(py: Python<'py>, rows: &Bound<'py, PyAny>, merging: &str) -> PyResult<Bound<'py, PyDict>> {
    let mut taker = QrelsTaker::new(merge(merging)?);
    feed_rows(&mut taker, rows, (true, true))?;
    given_judgments(py, taker.finish())
}

#[pyfunction]
fn qrels_from_dict<'py>(py: Python<'py>, topics: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let mut taker = QrelsTaker::default();
    feed_qrels_dict(&mut taker, topics)?;
    given_judgments(py, taker.finish())
}

#[pyfunction]
fn qrels_from_arrow<'py>(
    py: Python<'py>,
    table: &Bound<'py, PyAny>,
    columns: arrow::Columns,
    merging: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let mut taker = QrelsTaker::new(merge(merging)?);
    arrow::feed(&mut taker, table, &columns, 0)?;
    given_judgments(py, taker.finish())
}

fn given_judgments(py: Python<'_>, found: Judgments) -> PyResult<Bound<'_, PyDict>> {
    let given = PyDict::new(py);
    given.set_item("codes", buffer(py, &found.codes))?;
    given.set_item("starts", buffer(py, &found.starts))?;
    given.set_item("levels", buffer(py, &found.levels))?;
    given.set_item("odd", (found.odd.count, found.odd.first))?;
    given.set_item("index", PyIndex(found.index))?;
    given
        .set_item("aspects", found.aspects.map(|aspects| given_aspects(py, &aspects, found.is_ordered)).transpose()?)?;
    Ok(given)
}

fn given_aspects<'py>(py: Python<'py>, aspects: &Aspects, is_ordered: bool) -> PyResult<Bound<'py, PyDict>> {
    let given = PyDict::new(py);
    let bytes = |name: &Vec<u8>| PyBytes::new(py, name);
    given.set_item("starts", buffer(py, &aspects.starts))?;
    given.set_item("names", aspects.names.iter().map(bytes).collect::<Vec<_>>())?;
    given.set_item("first", buffer(py, &aspects.first))?;
    given.set_item("document", buffer(py, &aspects.document))?;
    given.set_item("code", buffer(py, &aspects.code))?;
    given.set_item("repeated", aspects.repeated)?;
    if is_ordered {
        let lists = aspects.lists.iter().map(|names| names.iter().map(bytes).collect::<Vec<_>>());
        given.set_item("ordering", buffer(py, &aspects.ordering))?;
        given.set_item("lists", lists.collect::<Vec<_>>())?;
        given.set_item("line", buffer(py, &aspects.line))?;
    }
    Ok(given)
}

/// How runs are read, as Python's options say: attributes of one object.
#[derive(FromPyObject)]
struct RunOptions {
    order: Option<String>,
    depth: Option<usize>,
    keep_documents: bool,
    keep_scores: bool,
    duplicates: String,
    document_from: Option<String>,
}

fn options(requested: RunOptions, files: FileOptions, dialect: &str) -> PyResult<Options> {
    let document_from = match requested.document_from {
        Some(pattern) => Some(Arc::new(pattern_of(&pattern)?)),
        None => None,
    };
    let duplicates = Duplicates::named(&requested.duplicates)
        .ok_or_else(|| PyValueError::new_err(format!("unknown duplicates {:?}", requested.duplicates)))?;
    Ok(Options {
        request: request(files, Kind::Run, dialect, requested.order.as_deref(), requested.keep_scores)?,
        depth: requested.depth,
        keep_documents: requested.keep_documents,
        duplicates,
        document_from,
        listing: Listing::None,
    })
}

/// A pattern whose first group is the name of a document. Its size is bounded, and so is the time it takes.
fn pattern_of(pattern: &str) -> PyResult<Regex> {
    let wrong = |words: String| {
        let parts = [Setting::new("document_from", "").into(), words.into()];
        rankscale_error("ParameterError", Message::new(parts))
    };
    let read = RegexBuilder::new(pattern).size_limit(1 << 20).build();
    let read = read.map_err(|error| wrong(format!(": expected a regular expression, found {error}")))?;
    if read.captures_len() < 2 {
        return Err(wrong(format!(
            ": expected a group around the part that names the document, as in \
             '^(.*)#', found {pattern:?}"
        )));
    }
    Ok(read)
}

/// Runs being read from files, in the order of the files.
#[pyclass(name = "Reading", module = "rankscale._core", frozen)]
struct PyReading(Mutex<Reading>);

#[pymethods]
impl PyReading {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// The runs of the next file.
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyDict>>>> {
        loop {
            let poll = py.detach(|| match self.0.lock() {
                Ok(mut reading) => reading.poll(),
                Err(_) => Err(ReadError::Internal("an earlier call failed".into())),
            })?;
            match poll {
                Poll::Runs(runs) => return Ok(Some(given_runs(py, runs)?)),
                Poll::Done => return Ok(None),
                Poll::NotYet => py.check_signals()?,
            }
        }
    }
}

/// Judge run files side by side. Sources are pairs of a name and a path, bytes, or None for standard input.
#[pyfunction]
fn judge_files(
    index: &PyIndex,
    sources: Items<(String, Bound<'_, PyAny>)>,
    requested: &Bound<'_, PyAny>,
    dialect: &str,
    max_size: Option<u64>,
    threads: usize,
) -> PyResult<PyReading> {
    let sources = sources_of(sources, max_size)?;
    let options = options(requested.extract()?, requested.extract()?, dialect)?;
    Ok(PyReading(Mutex::new(Reading::start(index.0.clone(), sources, options, threads)?)))
}

/// Whole rankings of one file being read, some topics at a time.
#[pyclass(name = "Listing", module = "rankscale._core", frozen)]
struct PyListing(Mutex<Listed>);

#[pymethods]
impl PyListing {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// The next rankings of each run: (run, topics, lengths, names, ends of names, numbers).
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Vec<Bound<'py, PyTuple>>>> {
        loop {
            let poll = py.detach(|| match self.0.lock() {
                Ok(mut listed) => listed.poll(),
                Err(_) => Err(ReadError::Internal("an earlier call failed".into())),
            })?;
            match poll {
                Poll::Runs(runs) => return Ok(Some(runs.iter().map(|run| listed(py, run)).collect::<PyResult<_>>()?)),
                Poll::Done => return Ok(None),
                Poll::NotYet => py.check_signals()?,
            }
        }
    }
}

fn listed<'py>(py: Python<'py>, run: &Found) -> PyResult<Bound<'py, PyTuple>> {
    let topics: Vec<Bound<'py, PyBytes>> = run.topics.iter().map(|topic| PyBytes::new(py, topic)).collect();
    let length: Vec<i32> = run.hits.segments.iter().map(|segment| segment.length as i32).collect();
    let names = (PyBytes::new(py, &run.hits.names), buffer(py, &run.hits.name_ends), buffer(py, &run.hits.score));
    (PyBytes::new(py, &run.run), topics, buffer(py, &length), names.0, names.1, names.2).into_pyobject(py)
}

/// The whole rankings of a file, judged or not; numbers are scores, or what else orders them. `is_scattered` says that
/// lines of a topic do not stand together.
#[pyfunction]
fn list_rankings(
    name: String,
    origin: &Bound<'_, PyAny>,
    requested: &Bound<'_, PyAny>,
    is_single: bool,
    is_scattered: bool,
    max_size: Option<u64>,
) -> PyResult<PyListing> {
    let mut options = options(requested.extract()?, requested.extract()?, "rankscale")?;
    options.listing = if is_single { Listing::Single } else { Listing::Double };
    Ok(PyListing(Mutex::new(Listed::start(source(name, origin, max_size)?, options, is_scattered)?)))
}

/// The whole rankings of rows, judged or not, as `list_rankings` gives them.
#[pyfunction]
fn list_rows<'py>(
    py: Python<'py>,
    rows: &Bound<'py, PyAny>,
    requested: RunOptions,
    default_order: &str,
    has: (bool, bool),
    is_single: bool,
) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    list_table(py, requested, default_order, is_single, |taker| feed_rows(taker, rows, has))
}

/// The same of an Arrow table.
#[pyfunction]
fn list_arrow<'py>(
    py: Python<'py>,
    table: &Bound<'py, PyAny>,
    columns: arrow::Columns,
    requested: RunOptions,
    default_order: &str,
    is_single: bool,
) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    list_table(py, requested, default_order, is_single, |taker| arrow::feed(taker, table, &columns, 0))
}

fn list_table<'py>(
    py: Python<'py>,
    requested: RunOptions,
    default_order: &str,
    is_single: bool,
    feed: impl FnOnce(&mut RunTaker<'_>) -> PyResult<()>,
) -> PyResult<Vec<Bound<'py, PyTuple>>> {
    let order = order_of(&requested, default_order)?;
    let mut options = options(requested, no_files(), "rankscale")?;
    options.listing = if is_single { Listing::Single } else { Listing::Double };
    let index = Index::default();
    let mut taker = RunTaker::new(&index, &options, order);
    feed(&mut taker)?;
    let mut runs = taker.finish()?;
    runs.iter_mut().for_each(Found::name_topics);
    runs.iter().map(|run| listed(py, run)).collect()
}

/// What a table in memory is ordered by.
fn order_of(requested: &RunOptions, default: &str) -> PyResult<Order> {
    Order::named(requested.order.as_deref().unwrap_or(default))
}

fn no_files() -> FileOptions {
    FileOptions { form: None, columns: Items(Vec::new()) }
}

#[pyfunction]
fn judge_rows<'py>(
    py: Python<'py>,
    index: &PyIndex,
    rows: &Bound<'py, PyAny>,
    requested: RunOptions,
    default_order: &str,
    has: (bool, bool),
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let order = order_of(&requested, default_order)?;
    let options = options(requested, no_files(), "rankscale")?;
    let mut taker = RunTaker::new(&index.0, &options, order);
    feed_rows(&mut taker, rows, has)?;
    given_runs(py, taker.finish()?)
}

/// `rows` says whether the table can be read again, and the number of its first row.
#[pyfunction]
fn judge_arrow<'py>(
    py: Python<'py>,
    index: &PyIndex,
    table: &Bound<'py, PyAny>,
    columns: arrow::Columns,
    requested: RunOptions,
    default_order: &str,
    rows: (bool, u64),
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let order = order_of(&requested, default_order)?;
    let options = options(requested, no_files(), "rankscale")?;
    given_runs(py, arrow::judge(&index.0, &options, order, table, &columns, rows.0, rows.1)?)
}

#[pyfunction]
fn judge_dictionary<'py>(
    py: Python<'py>,
    index: &PyIndex,
    topics: &Bound<'py, PyDict>,
    requested: RunOptions,
) -> PyResult<Bound<'py, PyDict>> {
    let order = order_of(&requested, "score")?;
    given_run(py, judge_dict(&index.0, &options(requested, no_files(), "rankscale")?, order, topics)?)
}

fn given_runs(py: Python<'_>, runs: Vec<Found>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    runs.into_iter().map(|run| given_run(py, run)).collect()
}

fn given_run(py: Python<'_>, found: Found) -> PyResult<Bound<'_, PyDict>> {
    let hits = found.hits.in_topic_order();
    let rows: Vec<i32> = hits.segments.iter().map(|segment| segment.topic as i32).collect();
    let length: Vec<i32> = hits.segments.iter().map(|segment| segment.length as i32).collect();
    let mut starts: Vec<i64> = hits.segments.iter().map(|segment| segment.start as i64).collect();
    starts.push(hits.rank.len() as i64);
    let given = PyDict::new(py);
    given.set_item("rows", buffer(py, &rows))?;
    given.set_item("length", buffer(py, &length))?;
    given.set_item("starts", buffer(py, &starts))?;
    given.set_item("rank", Bound::new(py, Numbers(hits.rank))?)?;
    given.set_item("document", Bound::new(py, Numbers(hits.document))?)?;
    given.set_item("tied", buffer(py, &hits.tied.place))?;
    given.set_item("first", buffer(py, &hits.tied.first))?;
    given.set_item("last", buffer(py, &hits.tied.last))?;
    given.set_item("score", buffer(py, &hits.score))?;
    given.set_item("names", PyBytes::new(py, &hits.names))?;
    given.set_item("name_ends", buffer(py, &hits.name_ends))?;
    let about = found.about;
    given.set_item("run", PyBytes::new(py, &found.run))?;
    given.set_item("first_tag", PyBytes::new(py, &about.first_tag))?;
    given.set_item("last_tag", PyBytes::new(py, &about.last_tag))?;
    given.set_item("other_tag", PyBytes::new(py, &about.other_tag))?;
    given.set_item("unknown_topics", found.unknown.len())?;
    given.set_item("odd", (about.odd.count, about.odd.first))?;
    given.set_item("form", described(&about.form))?;
    given.set_item("order", about.order.word())?;
    given.set_item("scattered", found.is_scattered)?;
    given.set_item("dropped", found.dropped)?;
    given.set_item("matched", (found.matched, found.unmatched))?;
    Ok(given)
}

/// Have the allocator keep what is freed. Measuring makes and drops tables of some hundred kilobytes again and again;
/// glibc would give each back to the system, and clearing its pages anew takes longer than the formula.
#[pyfunction]
fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: mallopt only sets two numbers of the allocator, under its own lock.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 64 << 20);
        libc::mallopt(libc::M_TRIM_THRESHOLD, 256 << 20);
    }
}

/// A double has no more digits behind its point.
const MOST_PLACES: usize = 1074;

/// Lines of trec_eval, topic by topic. A column is its name as printed, its form ("real", "count", "text"), and numbers or
/// texts by topic.
#[pyfunction]
fn trec_eval_lines<'py>(
    py: Python<'py>,
    columns: Items<(PyBackedBytes, String, Bound<'py, PyAny>)>,
    topics: ByteNames,
) -> PyResult<Bound<'py, PyBytes>> {
    let topics = topics.to_vecs();
    let columns = columns
        .0
        .iter()
        .map(|(name, form, by_topic)| {
            let printed = match form.as_str() {
                "real" => Printed::Reals(values(py, by_topic)?),
                "count" => Printed::Counts(values(py, by_topic)?),
                "text" => Printed::Texts(by_topic.extract::<ByteNames>()?.to_vecs()),
                _ => return Err(PyValueError::new_err(format!("unknown form {form:?}"))),
            };
            let fits = printed.len() == topics.len();
            if fits {
                Ok((name.to_vec(), printed))
            } else {
                Err(PyValueError::new_err("columns and topics differ in size"))
            }
        })
        .collect::<PyResult<Vec<_>>>()?;
    Ok(PyBytes::new(py, &py.detach(|| text::trec_eval_lines(&columns, &topics))))
}

/// What one run is given with: its name, values by measure and topic, which topics it has, its means, and columns beside
/// the values, by name, with theirs.
type GivenRun<'py> = (
    PyBackedBytes,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Bound<'py, PyAny>,
    Items<(PyBackedBytes, Bound<'py, PyAny>, Bound<'py, PyAny>)>,
);

/// Rows `run, topic, measure, value` of some runs as text.
#[pyfunction]
fn values_as_text<'py>(
    py: Python<'py>,
    form: &str,
    topics: ByteNames,
    measures: ByteNames,
    runs: Items<GivenRun<'py>>,
    places: Option<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    let form = match form {
        "tsv" => Form::Tsv,
        "csv" => Form::Csv,
        "jsonl" => Form::Jsonl,
        _ => return Err(PyValueError::new_err(format!("unknown form {form:?}"))),
    };
    if places.is_some_and(|places| places > MOST_PLACES) {
        return Err(PyValueError::new_err(format!("values have at most {MOST_PLACES} places")));
    }
    let (topics, measures) = (topics.to_vecs(), measures.to_vecs());
    let cells = topics.len() * measures.len();
    let tables = runs
        .0
        .iter()
        .map(|(run, by_topic, present, means, beside)| {
            let column = |(name, by_topic, means): &(PyBackedBytes, Bound<'py, PyAny>, Bound<'py, PyAny>)| {
                let column = Column { name: name.to_vec(), values: values(py, by_topic)?, means: values(py, means)? };
                let fits = column.values.len() == cells && column.means.len() == measures.len();
                if fits { Ok(column) } else { Err(PyValueError::new_err("a column beside the values differs in size")) }
            };
            let table = Table {
                form,
                run: run.to_vec(),
                topics: &topics,
                measures: &measures,
                values: values(py, by_topic)?,
                present: values::<u8>(py, present)?.into_iter().map(|byte| byte != 0).collect(),
                means: values(py, means)?,
                beside: beside.0.iter().map(column).collect::<PyResult<_>>()?,
                places,
            };
            let has_means = table.means.is_empty() || table.means.len() == measures.len();
            if table.present.len() != topics.len() || table.values.len() != cells || !has_means {
                return Err(PyValueError::new_err("values, topics and measures differ in size"));
            }
            Ok(table)
        })
        .collect::<PyResult<Vec<_>>>()?;
    Ok(PyBytes::new(py, &py.detach(|| text::of_tables(&tables))))
}

const UNSOUND_LISTS: &str = "lists must ascend, keys stay below 2^60, weights fit them";

/// An error unless sums can be compared with the targets without overflow.
fn check_targets(targets: &[i64], margin: i64) -> PyResult<()> {
    let limit = 2 * count::LARGEST.unsigned_abs();
    if targets.iter().any(|target| target.unsigned_abs() > limit) || !(0..count::LARGEST).contains(&margin) {
        return Err(PyValueError::new_err("targets must stay below 2^61, and the margin between 0 and 2^60"));
    }
    Ok(())
}

/// Sums of two ascending lists below each target, further from it than the margin, and within the margin: 128 bits each.
///
/// `cumulated` says how many rankings the first keys of each list stand for; without it each key counts once.
#[pyfunction]
#[pyo3(signature = (a, b, targets, margin, cumulated=None))]
fn sums_below<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    targets: &Bound<'py, PyAny>,
    margin: i64,
    cumulated: Option<[Bound<'py, PyAny>; 2]>,
) -> PyResult<Bound<'py, PyBytes>> {
    let targets = values::<i64>(py, targets)?;
    let [of_a, of_b] = match cumulated {
        Some([of_a, of_b]) => [Some(values::<u64>(py, &of_a)?), Some(values::<u64>(py, &of_b)?)],
        None => [None, None],
    };
    let (a, b) = (values::<i64>(py, a)?, values::<i64>(py, b)?);
    let lists = List::new(&a, of_a.as_deref()).zip(List::new(&b, of_b.as_deref()));
    let (a, b) = lists.ok_or_else(|| PyValueError::new_err(UNSOUND_LISTS))?;
    check_targets(&targets, margin)?;
    let counted: Vec<u128> = py.detach(|| {
        count::sums_below(a, b, &targets, margin).iter().flat_map(|counted| [counted.below, counted.near]).collect()
    });
    Ok(buffer(py, &counted))
}

/// Places (in a, in b) of sums within the margin around a target, at most `limit` of them.
#[pyfunction]
fn sums_near<'py>(
    py: Python<'py>,
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
    target: i64,
    margin: i64,
    limit: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let (a, b) = (values::<i64>(py, a)?, values::<i64>(py, b)?);
    List::new(&a, None).zip(List::new(&b, None)).ok_or_else(|| PyValueError::new_err(UNSOUND_LISTS))?;
    check_targets(&[target], margin)?;
    let places = py.detach(|| count::sums_near(&a, &b, target, margin, limit));
    let places = places.ok_or_else(|| PyMemoryError::new_err("more sums lie near the target than fit into memory"))?;
    Ok(buffer(py, &places))
}
