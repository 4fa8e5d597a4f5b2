//! Sequences that Python passes, taken item by item: what an object says of its length is not believed.

use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PySequence, PyString};

/// The items of a sequence. As a `Vec`, pyo3 would first make room for as many as `__len__` says there are.
pub struct Items<T>(pub Vec<T>);

impl<'py, T: FromPyObjectOwned<'py>> FromPyObject<'_, 'py> for Items<T> {
    type Error = PyErr;

    fn extract(from: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if from.is_instance_of::<PyString>() || from.cast::<PySequence>().is_err() {
            return Err(PyTypeError::new_err(format!("expected a sequence, found {}", from.get_type().name()?)));
        }
        let mut items = Vec::new();
        for item in from.try_iter()? {
            items.try_reserve(1).map_err(|_| PyMemoryError::new_err("a sequence is larger than the memory"))?;
            items.push(item?.extract::<T>().map_err(Into::into)?);
        }
        Ok(Items(items))
    }
}

/// Names, as bytes.
pub type ByteNames = Items<PyBackedBytes>;

impl ByteNames {
    pub fn to_vecs(&self) -> Vec<Vec<u8>> {
        self.0.iter().map(|name| name.to_vec()).collect()
    }
}
