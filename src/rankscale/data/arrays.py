"""The array types that the other files speak of, and how frozen things over arrays compare."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from rankscale.data import forking  # noqa: F401  # locks are renewed in forked processes

if TYPE_CHECKING:
    from numpy.typing import NDArray as NDArray  # noqa: PLC0414  # for others to import
else:  # the same, without that module, which takes as long to import as all of our data
    NDArray = np.ndarray[tuple[Any, ...], np.dtype[TypeVar("Scalar")]]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Bools = NDArray[np.bool_]

UNJUDGED = -1  # the code of a document without a judgment; also fills rows that have no more entries


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, closed to writing: what flows between the folders is never changed in place."""
    array.flags.writeable = False
    return array


class ComparedByValue:
    """A frozen dataclass over arrays: equal where all its compared fields are, and without a hash."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and all(
            same(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)  # type: ignore[arg-type]
            if field.compare
        )


def same(a: object, b: object) -> bool:
    """Equal, entry by entry where arrays or tuples of them are compared; NaN equals NaN."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        floats = np.issubdtype(a.dtype, np.floating)
        return a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=floats))
    return bool(a == b)
