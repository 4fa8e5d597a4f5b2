//! The core of rankscale: text in, integers out; tables out as text. No formula lives here.

mod count;
mod dialect;
mod error;
mod fields;
mod index;
mod judge;
mod names;
mod number;
mod padding;
mod pieces;
mod python;
mod reader;
mod source;
mod tables;
mod text;
mod window;
mod work;

use pyo3::prelude::*;

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    python::register(module)
}
