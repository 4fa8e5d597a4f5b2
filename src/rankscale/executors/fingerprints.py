"""Fingerprints of works and items: equal where what they are made of is equal, in any process and on any day."""

import os
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from hashlib import blake2b
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from rankscale.errors import InputError

CHUNK = 1 << 20
CALLED = ("__func__", "__self__", "func", "args", "keywords")  # parts of methods and partial functions
PLAIN = (bool, int, float, complex, str, bytes, bytearray, type(None))


def fingerprint(value: object, *, files: bool = False) -> str:
    """32 hexadecimal digits that differ where a value differs; with `files`, texts that name a file stand for it.

    >>> fingerprint([1, "a"]) == fingerprint([1, "a"]), fingerprint([1, "a"]) == fingerprint((1, "a"))
    (True, False)
    """
    digest = blake2b(digest_size=16)
    _add(digest, value, files=files)
    return digest.hexdigest()


def _add(digest: blake2b, value: Any, *, files: bool) -> None:  # noqa: ANN401  # whatever a work is made of
    """Add a value to a digest: its kind, its size, then its parts."""
    if isinstance(value, PLAIN) and type(value).__module__ == "builtins":
        _plain(digest, value, files=files)
    elif isinstance(value, os.PathLike):
        _plain(digest, os.fspath(value), files=True)
    elif isinstance(value, np.ndarray):
        _named(digest, "array", value.dtype.str, str(value.shape))
        if value.dtype.hasobject:
            _parts(digest, "objects", value.ravel().tolist(), files=files)
        else:
            digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, type | FunctionType | BuiltinFunctionType):
        _named(digest, "named", str(value.__module__), value.__qualname__)
    elif parts := _content(value, files=files):
        _parts(digest, *parts, files=files)
    else:
        _reduced(digest, value, files=files)


def _content(value: Any, *, files: bool) -> tuple[str, Iterable[object]] | None:  # noqa: ANN401
    """The kind of what is made of parts, and these."""
    if type(value) in {list, tuple}:
        return type(value).__name__, value
    if isinstance(value, dict):
        return "dict", list(value.items())
    if isinstance(value, set | frozenset):
        return "set", sorted(fingerprint(part, files=files) for part in value)
    if isinstance(value, partial | MethodType):
        return "called", [getattr(value, name, None) for name in CALLED]
    if not is_dataclass(value):
        return None
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    return name, [(one.name, getattr(value, one.name)) for one in fields(value)]


def _plain(digest: blake2b, value: object, *, files: bool) -> None:
    text = value if isinstance(value, bytes | bytearray) else str(value).encode("utf-8", "surrogateescape")
    _named(digest, type(value).__name__, str(len(text)))
    digest.update(text)
    if files and isinstance(value, str) and len(value) < 4096 and "\0" not in value and os.path.isfile(value):
        status = os.stat(value)
        _named(digest, "file", content(value, status.st_size, status.st_mtime_ns, status.st_ino))


def _named(digest: blake2b, *names: str) -> None:
    digest.update("\0".join((*names, "")).encode("utf-8", "surrogateescape"))


def _parts(digest: blake2b, kind: str, parts: Iterable[object], *, files: bool) -> None:
    listed = list(parts)
    _named(digest, kind, str(len(listed)))
    for part in listed:
        _add(digest, part, files=files)


def _reduced(digest: blake2b, value: object, *, files: bool) -> None:
    """What pickle would keep of an object."""
    try:
        reduced = value.__reduce_ex__(4)
    except TypeError as error:
        raise InputError(
            f"{type(value).__name__} objects have no content that could be recognised when a job is resumed ({error}): "
            "give files, or what read_runs gives"
        ) from error
    parts = (
        [reduced] if isinstance(reduced, str) else [list(one) if hasattr(one, "__next__") else one for one in reduced]
    )
    _parts(digest, "reduced", parts, files=files)


@lru_cache(maxsize=4096)
def content(path: str, size: int, changed: int, inode: int) -> str:  # noqa: ARG001  # the key: what changes with a file
    """Size and digest of a file, read once as long as it stays what it is."""
    digest = blake2b(digest_size=16)
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return f"{size} {digest.hexdigest()}"
