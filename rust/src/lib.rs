//! The core of rankscale: text in, integers out; tables out as text. No formula lives here.

mod ahead;
mod arguments;
mod arrow;
mod arrow_border;
mod aspects;
mod columns;
mod count;
mod delimited;
mod dialect;
mod entries;
mod error;
mod fields;
mod forms;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod index;
mod json;
mod json_document;
mod json_lines;
mod json_rows;
mod judge;
mod marks;
mod names;
mod number;
mod padding;
mod pieces;
mod python;
mod reader;
mod sizes;
mod source;
mod tables;
mod text;
mod trec;
mod unpacking;
mod whole;
mod window;
mod work;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    python::register(module)
}
