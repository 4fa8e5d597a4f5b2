//! The core of rankscale: text in, integers out; tables out as text. No formula lives here.

mod ahead;
mod arguments;
mod arrow;
mod arrow_border;
mod aspects;
mod columns;
mod count;
mod decimals;
mod delimited;
mod dialect;
mod entries;
mod error;
mod fields;
mod forms;
mod frames;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod index;
mod json;
mod json_document;
mod json_lines;
mod json_rows;
mod judge;
mod marks;
mod memory;
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
mod xz;

use pyo3::prelude::*;

// Python without the global lock gets it back when this module is imported (docs/decisions/0037-releases.md): arrays of
// callers are copied while it keeps other threads from writing into them.
#[pymodule(gil_used = true)]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    python::register(module)
}
