"""Arrays and the frozen dataclasses over them: types, comparison by value, fields computed when read, rounding.

Before Python 3.12 every `functools.cached_property` has a lock, shared by all objects of the class and held while a
value is computed. A lock that another thread holds when a process forks is never freed in the child, which would wait
for ever: the child gets new locks.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import fields
from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray as NDArray  # noqa: PLC0414  # for others to import
else:  # the same, without that module, which takes as long to import as all of our data
    NDArray = np.ndarray[tuple[Any, ...], np.dtype[TypeVar("Scalar")]]

Floats = NDArray[np.float64]
Ints = NDArray[np.signedinteger[Any]]
Bools = NDArray[np.bool_]

Value = TypeVar("Value")
UNJUDGED = -1  # the code of a document without a judgment; also fills rows that have no more entries


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The same array, closed to writing: what flows between the folders is never changed in place."""
    array.flags.writeable = False
    return array


class ComparedByValue:
    """A frozen dataclass over arrays: equal where all its compared fields are, and without a hash."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        compared = (field.name for field in fields(self) if field.compare)  # type: ignore[arg-type]
        return type(self) is type(other) and all(same(getattr(self, name), getattr(other, name)) for name in compared)


class Memo:
    """Derived values of an immutable object, computed on first use and kept."""

    @cached_property
    def _kept(self) -> dict[Any, Any]:
        return {}

    def memo(self, key: object, make: "Callable[[], Value]") -> "Value":
        """What is kept under `key`, made by `make` the first time."""
        if key not in self._kept:
            self._kept[key] = make()
        value: Value = self._kept[key]
        return value


def same(a: object, b: object) -> bool:
    """Equal, entry by entry where arrays or tuples of them are compared; NaN equals NaN."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        floats = np.issubdtype(a.dtype, np.floating)
        return a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=floats))
    return bool(a == b)


WAITING = "_waiting"  # the attribute that holds what is not computed yet, by field


class Lazy(Generic[Value]):
    """A value that is computed by `make` when it is first wanted."""

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make: Callable[[], Value] | None = make

    def get(self) -> Value:
        """The value, computed once."""
        make = self._make
        if make is not None:
            self._value = make()
            self._make = None  # what it was computed from need not be kept
        return self._value


def lazy(make: Callable[[], Value]) -> Value:
    """The value of a field that `make` computes when the field is first read, for a class with `LazyFields`."""
    return cast("Value", Lazy(make))


class LazyFields:
    """A frozen dataclass whose fields without a default may be given as `lazy(...)`."""

    def __post_init__(self) -> None:
        waiting = {name: value for name, value in self.__dict__.items() if type(value) is Lazy}
        if waiting:
            for name in waiting:
                del self.__dict__[name]
            self.__dict__[WAITING] = waiting

    if not TYPE_CHECKING:  # a misspelt attribute stays an error for type checkers

        def __getattr__(self, name: str) -> object:
            waiting = self.__dict__.get(WAITING, {})
            if name not in waiting:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            self.__dict__[name] = value = waiting[name].get()
            return value

    def derive(self, name: str, change: Callable[[Value], Value]) -> Value:
        """A field of another instance: this one's, changed when it is first read. It does not keep this one alive."""
        waiting = self.__dict__.get(WAITING, {}).get(name)
        if name in self.__dict__ or waiting is None:
            value: Value = getattr(self, name)
            return lazy(lambda: change(value))
        return lazy(lambda: change(waiting.get()))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]


def renew_locks() -> None:
    """Give the cached properties of this package new locks; called in a child right after the fork."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "rankscale":
            for kind in [one for one in list(vars(module).values()) if isinstance(one, type)]:
                for attribute in list(vars(kind).values()):
                    if isinstance(attribute, cached_property) and hasattr(attribute, "lock"):
                        attribute.lock = RLock()


if hasattr(os, "register_at_fork") and sys.version_info < (3, 12):
    os.register_at_fork(after_in_child=renew_locks)


MEAN_DIGITS = 8  # significant digits of means that are compared
FINE_DIGITS = 14  # of means of ranks, whose steps are far smaller than those of values: only rounding errors go
TINIEST = 1e-290  # numbers below this are kept as they are: powers of ten that would make them whole are no doubles


def significant(numbers: Floats, digits: int = MEAN_DIGITS) -> Floats:
    """Numbers rounded to so many significant digits, however small they are; infinities and NaN stay.

    >>> significant(np.array([0.1 + 0.2, 1.23456789e-30, -99999.9999999])).tolist()
    [0.3, 1.2345679e-30, -100000.0]
    """
    size = np.abs(numbers)
    regular = np.isfinite(size) & (size >= TINIEST)
    exponent = np.floor(np.log10(np.where(regular, size, 1.0)))
    whole = np.round(np.where(regular, numbers, 0.0) * 10.0 ** (digits - 1 - exponent))
    carried = np.abs(whole) == 10.0**digits  # 99999.99999 is a number of one digit more
    rounded = np.where(carried, whole / 10, whole) / 10.0 ** (digits - 1 - np.where(carried, exponent + 1, exponent))
    return np.where(regular, rounded, numbers)
