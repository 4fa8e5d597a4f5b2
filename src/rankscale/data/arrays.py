"""The array types that the other files speak of, and how frozen things over arrays compare."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Bools = NDArray[np.bool_]


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, closed to writing: what flows between the folders is never changed in place."""
    array.flags.writeable = False
    return array


def same(a: object, b: object) -> bool:
    """Equal, entry by entry where arrays are compared; NaN equals NaN."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        floats = np.issubdtype(a.dtype, np.floating)
        return a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=floats))
    return bool(a == b)


def mean_of_defined(values: Floats) -> Floats:
    """Means along the first axis, NaN left out; NaN where nothing else is there."""
    defined = np.count_nonzero(~np.isnan(values), axis=0)
    means: Floats = np.where(defined > 0, np.nansum(values, axis=0) / np.maximum(1, defined), np.nan)
    return means
