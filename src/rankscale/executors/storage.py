"""Results as bytes that hold data alone: reading them back runs no code, whoever wrote them.

A tree in JSON, then the arrays that it refers to. A tree has numbers, texts, lists, tuples, dictionaries, arrays (also
of integers of any length), and dataclasses of rankscale, which are made again from their fields if their module is one
that is imported already.
"""

import json
import struct
import sys
from dataclasses import fields, is_dataclass
from math import prod
from typing import Any

import numpy as np

from rankscale.data.arrays import NDArray
from rankscale.errors import ParameterError

KINDS = "biufcSU"  # of arrays: no objects
Array = NDArray[Any]


class DamagedError(Exception):
    """Bytes that are not what `encoded` wrote."""


def encoded(result: object) -> bytes:
    """A result as bytes."""
    arrays: list[Array] = []
    tree = json.dumps(_tree(result, arrays), ensure_ascii=True, separators=(",", ":")).encode("ascii")
    blobs = (np.asfortranarray(one).tobytes("F") if _is_fortran(one) else one.tobytes("C") for one in arrays)
    return b"".join([struct.pack("<Q", len(tree)), tree, *blobs])


def _is_fortran(array: Array) -> bool:
    return array.flags.f_contiguous and not array.flags.c_contiguous


def _tree(value: object, arrays: list[Array]) -> object:
    if value is None or isinstance(value, bool | str) or type(value) in {int, float}:
        return value
    if isinstance(value, np.generic | np.ndarray) and value.dtype.kind in KINDS:
        array = np.asarray(value)
        arrays.append(array)
        return {"array": [array.dtype.str, list(array.shape), _is_fortran(array), isinstance(value, np.generic)]}
    if isinstance(value, np.ndarray) and value.dtype == object and all(type(one) is int for one in value.flat):
        return {"integers": [list(value.shape), [f"{one:x}" for one in value.flat]]}  # of any length
    if isinstance(value, list | tuple) and type(value) in {list, tuple}:
        return {type(value).__name__: [_tree(one, arrays) for one in value]}
    if type(value) is dict:
        return {"dict": [[_tree(key, arrays), _tree(one, arrays)] for key, one in value.items()]}
    if is_dataclass(value) and _of_ours(type(value).__module__):
        parts = {one.name: _tree(getattr(value, one.name), arrays) for one in fields(value) if one.init}
        return {"made": [type(value).__module__, type(value).__qualname__, parts]}
    raise ParameterError(
        f"results with objects of {type(value).__module__}.{type(value).__qualname__} cannot be stored: they may hold "
        "numbers, texts, arrays, lists, dictionaries and dataclasses of rankscale"
    )


def _of_ours(module: str) -> bool:
    return module == "rankscale" or module.startswith("rankscale.")


def decoded(stored: bytes) -> object:
    """The result of `encoded` bytes; DamagedError where they are not."""
    try:
        (length,) = struct.unpack_from("<Q", stored)
        tree = json.loads(stored[8 : 8 + length])
        reader = _Reader(stored, 8 + length)
        result = reader.made(tree)
    except MemoryError:
        raise
    except Exception as error:  # classes check what they are made of in their own ways
        raise DamagedError(str(error)) from error
    if reader.place != len(stored):
        raise DamagedError("there is more than the result")
    return result


class _Reader:
    """Makes a tree into values; arrays follow one another from a place on."""

    def __init__(self, stored: bytes, place: int) -> None:
        self.stored, self.place = stored, place

    def made(self, tree: Any) -> object:  # noqa: ANN401  # JSON
        if not isinstance(tree, dict):
            if isinstance(tree, list):
                raise DamagedError("a list without a kind")
            return tree
        ((kind, content),) = tree.items()
        if kind == "array":
            return self._array(*content)
        if kind == "integers":
            return _integers(*content)
        if kind == "dict":
            return {self.made(key): self.made(value) for key, value in content}
        if kind == "made":
            return self._dataclass(*content)
        parts = [self.made(one) for one in content]
        return {"list": list, "tuple": tuple}[kind](parts)

    def _array(self, kind: str, shape: list[int], fortran: bool, scalar: bool) -> object:  # noqa: FBT001
        dtype = np.dtype(kind)
        if dtype.kind not in KINDS or any(size < 0 for size in shape):
            raise DamagedError(f"an array of {kind}")
        size = prod(shape) * dtype.itemsize
        blob = self.stored[self.place : self.place + size]
        self.place += size
        array = np.frombuffer(blob, dtype=dtype).reshape(shape, order="F" if fortran else "C").copy("K")
        return array[()] if scalar else array

    def _dataclass(self, module: str, name: str, parts: dict[str, Any]) -> object:
        kind = getattr(sys.modules.get(module), name, None) if _of_ours(module) else None
        if not (isinstance(kind, type) and is_dataclass(kind) and kind.__module__ == module):
            raise DamagedError(f"an object of {module}.{name}")
        values = {field: self.made(part) for field, part in parts.items()}
        made: object = kind(**values)
        return made


def _integers(shape: list[int], digits: list[str]) -> Array:
    """An array of Python's integers, from hexadecimal digits."""
    array = np.empty(len(digits), dtype=object)
    array[:] = [int(one, 16) for one in digits]
    return array.reshape(shape)
