//! Which reading of TREC files is asked for: our own, which refuses what is odd, or trec_eval's, which takes it.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Lines that start with `#` are skipped.
    pub comments: bool,
    /// Numbers as C's atof and atol read them; topics without judgments are not looked at.
    pub lenient: bool,
    /// An empty line in qrels is skipped rather than refused.
    pub blank_qrels: bool,
}

impl Dialect {
    pub fn named(name: &str) -> PyResult<Self> {
        match name {
            "rankscale" => Ok(Dialect { comments: true, lenient: false, blank_qrels: true }),
            "trec_eval 9" => Ok(Dialect { comments: false, lenient: true, blank_qrels: false }),
            "trec_eval 10" => Ok(Dialect { comments: true, lenient: true, blank_qrels: false }),
            _ => Err(PyValueError::new_err(format!("unknown dialect {name:?}"))),
        }
    }
}

/// What puts the documents of a ranking in order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Order {
    /// Score in 32 bits, as trec_eval 9 keeps it.
    #[default]
    Score,
    /// Score in 64 bits, as trec_eval 10 keeps it.
    Score64,
    /// The rank column, lowest first.
    Rank,
    /// The lines as they come.
    File,
}

impl Order {
    pub fn named(name: &str) -> PyResult<Self> {
        match name {
            "score" => Ok(Order::Score),
            "score64" => Ok(Order::Score64),
            "rank" => Ok(Order::Rank),
            "file" => Ok(Order::File),
            _ => Err(crate::error::rankscale_error(
                "ParameterError",
                format!("order must be score, score64, rank or file, got {name:?}"),
            )),
        }
    }

    pub fn word(self) -> &'static str {
        match self {
            Order::Score => "score",
            Order::Score64 => "score64",
            Order::Rank => "rank",
            Order::File => "file",
        }
    }

    /// The number that documents are ordered by, highest first.
    pub fn key(self, score: f64, rank: f64, line: u64) -> f64 {
        match self {
            Order::Score => f64::from(score as f32),
            Order::Score64 => score,
            Order::Rank => -rank,
            Order::File => -(line as f64),
        }
    }
}
