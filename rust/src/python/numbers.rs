//! Numbers that pass between Python and the core.

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::ffi::c_int;

/// Numbers that Python reads where the core wrote them.
#[pyclass(module = "rankscale._core", frozen)]
pub struct Numbers(pub Vec<i32>);

#[pymethods]
impl Numbers {
    /// # Safety
    ///
    /// As for every class of Python: `view` is one that may be written.
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut pyo3::ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        let bytes: &[u8] = bytemuck::cast_slice(&slf.get().0);
        let (first, size) = (bytes.as_ptr().cast_mut().cast(), bytes.len() as isize);
        // SAFETY: the numbers never change, are lent for reading only, and live as long as the object, which the view holds.
        match unsafe { pyo3::ffi::PyBuffer_FillInfo(view, slf.as_ptr(), first, size, 1, flags) } {
            0 => Ok(()),
            _ => Err(PyErr::fetch(slf.py())),
        }
    }
}

pub fn buffer<'py, T: bytemuck::Pod>(py: Python<'py>, values: &[T]) -> Bound<'py, PyBytes> {
    PyBytes::new(py, bytemuck::cast_slice(values))
}

/// The numbers that an object lends; ValueError where their bytes are in the order of another machine.
pub fn lent<T: pyo3::buffer::Element>(from: &Bound<'_, PyAny>) -> PyResult<PyBuffer<T>> {
    let numbers = PyBuffer::<T>::get(from)?;
    let foreign: &[u8] = if cfg!(target_endian = "little") { b">!" } else { b"<" };
    match numbers.format().to_bytes().first() {
        Some(order) if std::mem::size_of::<T>() > 1 && foreign.contains(order) => {
            Err(PyValueError::new_err("the numbers are in the byte order of another machine: convert them first"))
        }
        _ => Ok(numbers),
    }
}

/// Values of a one-dimensional contiguous buffer.
pub fn values<T: pyo3::buffer::Element + bytemuck::Pod>(py: Python<'_>, from: &Bound<'_, PyAny>) -> PyResult<Vec<T>> {
    lent::<T>(from)?.to_vec(py)
}
