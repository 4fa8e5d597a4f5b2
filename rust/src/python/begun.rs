//! Files that are read before Python wants them, while it still imports what will measure them.

use super::{FileOptions, PyReading, described, given_judgments, merge, options, request, sources_of};
use crate::arguments::Items;
use crate::columns::Kind;
use crate::entries::Described;
use crate::error::ReadError;
use crate::index::{self, Judgments};
use crate::work::{LOOK_UP, Reading, guarded, start};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};

type Answer = Result<(Judgments, Vec<Described>, Reading), ReadError>;

/// Qrels being read, and then runs judged by them: `qrels()` and `runs()` give what there is, each once.
#[pyclass(name = "Begun", module = "rankscale._core", frozen)]
pub struct PyBegun {
    answer: Mutex<Option<Receiver<Answer>>>,
    runs: Mutex<Option<Reading>>,
    cancel: Arc<AtomicBool>,
}

#[pymethods]
impl PyBegun {
    /// Sources are pairs of a name and a path; `qrels` also has how they are taken and merged.
    #[new]
    fn new(
        qrels: (Items<(String, Bound<'_, PyAny>)>, FileOptions, String),
        runs: Items<(String, Bound<'_, PyAny>)>,
        requested: &Bound<'_, PyAny>,
        dialect: &str,
        max_size: Option<u64>,
        threads: usize,
    ) -> PyResult<PyBegun> {
        let (files, form, merging) = qrels;
        let (files, runs) = (sources_of(files, max_size)?, sources_of(runs, max_size)?);
        let (wanted, merge) = (request(form, Kind::Qrels, dialect, None, false)?, merge(&merging)?);
        let options = options(requested.extract()?, requested.extract()?, dialect)?;
        let cancel = Arc::new(AtomicBool::new(false));
        let (flag, (give, answer)) = (cancel.clone(), sync_channel(1));
        start(move || {
            let read = guarded(|| {
                let (judgments, forms) = index::read(&files, &wanted, merge, &flag)?;
                let runs = Reading::start(judgments.index.clone(), runs, options, threads)?;
                Ok((judgments, forms, runs))
            });
            // Where nobody wants them any more, the runs are dropped here, and their threads stop.
            let _ = give.send(read);
        })?;
        Ok(PyBegun { answer: Mutex::new(Some(answer)), runs: Mutex::new(None), cancel })
    }

    /// As `read_qrels` gives them.
    fn qrels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (judgments, forms, runs) = loop {
            match py.detach(|| self.poll())? {
                Some(answer) => break answer?,
                None => py.check_signals()?,
            }
        };
        if let Ok(mut kept) = self.runs.lock() {
            *kept = Some(runs);
        }
        let given = given_judgments(py, judgments)?;
        given.set_item("forms", forms.iter().map(described).collect::<Vec<_>>())?;
        Ok(given)
    }

    /// As `judge_files` gives them, once the qrels were given.
    fn runs(&self) -> PyResult<PyReading> {
        let runs = self.runs.lock().ok().and_then(|mut runs| runs.take()).ok_or_else(given_once)?;
        Ok(PyReading(Mutex::new(runs)))
    }
}

impl PyBegun {
    /// What was read, if it is there within `LOOK_UP`; an error once it was given.
    fn poll(&self) -> PyResult<Option<Answer>> {
        let mut held = self.answer.lock().map_err(|_| given_once())?;
        let answer = match held.as_ref().ok_or_else(given_once)?.recv_timeout(LOOK_UP) {
            Err(RecvTimeoutError::Timeout) => return Ok(None),
            Ok(answer) => answer,
            Err(RecvTimeoutError::Disconnected) => Err(ReadError::Internal("a reading thread ended early".into())),
        };
        *held = None;
        Ok(Some(answer))
    }
}

impl Drop for PyBegun {
    fn drop(&mut self) {
        self.cancel.store(true, Ordering::Relaxed);
    }
}

fn given_once() -> PyErr {
    PyValueError::new_err("qrels are given once, and then runs once")
}
