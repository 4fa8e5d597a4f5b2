"""Fingerprints of works and items: equal where what they are made of is equal, in any process and on any day.

What has no content that can be recognised is refused: results of another function or input would be taken for its own.
"""

import copyreg
import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from functools import lru_cache, partial
from glob import glob, has_magic
from hashlib import blake2b
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import IO, Any, Literal, cast

import numpy as np

from rankscale.data.names import is_remote
from rankscale.data.run import Run
from rankscale.errors import InputError, MissingExtraError

Inputs = Literal["none", "files", "all"]
CHUNK = 1 << 20
NEW = 10**9  # nanoseconds for which a file that was written is read again
LONGEST_PATH = 4096  # characters; longer texts name no file
CALLED = ("__func__", "__self__", "func", "args", "keywords")  # parts of methods and partial functions
PLAIN = (bool, int, float, complex, str, bytes, bytearray, type(None))
OURS = ("rankscale",)  # whose code is that of the version, which a job knows
# Whose objects are pickled with all that they hold; others may be pickled as the place of what they stand for.
WHOLE = (*OURS, "numpy", "pandas", "polars.dataframe", "polars.series", "pyarrow.lib")
INSTALLED = {"site-packages", "dist-packages"}  # folders of packages that are not the user's own
GENERATED = {"__init__", "__repr__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__"}  # methods that dataclass makes
REDUCING = {"__reduce_ex__", "__reduce__", "__getstate__"}  # methods that say what is pickled
ADVICE = "give files, or what read_runs gives"


def fingerprint(value: object, *, inputs: Inputs = "none") -> str:
    """32 hexadecimal digits that differ where a value differs; texts that name `inputs` stand for them.

    Inputs are files and addresses, and with 'all' folders, with all files in them. Raise InputError for what cannot be
    recognised.

    >>> fingerprint([1, "a"]) == fingerprint([1, "a"]), fingerprint([1, "a"]) == fingerprint((1, "a"))
    (True, False)
    """
    digest = blake2b(digest_size=16)
    try:
        _add(digest, value, inputs=inputs)
    except RecursionError as error:
        raise _unknown(value, "it contains itself, or is nested too deeply") from error
    return digest.hexdigest()


def fingerprint_of_work(work: object) -> str:
    """The fingerprint of a function.

    Texts that it was given name files, but for works of ours, which read theirs before, or by item. A folder counts by
    its name: it may be where the function writes.
    """
    function: Any = work
    while isinstance(function, partial):
        function = function.func
    return fingerprint(work, inputs="none" if _is_of(_kind(function).__module__, OURS) else "files")


def _kind(value: Any) -> Any:  # noqa: ANN401  # whatever a work is made of
    """What has the code of a value: a function or a class itself, and of other objects their class."""
    return value if isinstance(value, type | FunctionType | BuiltinFunctionType) else type(value)


def _add(digest: blake2b, value: Any, *, inputs: Inputs) -> None:  # noqa: ANN401  # whatever a work is made of
    """Add a value to a digest: its kind, its size, then its parts."""
    if isinstance(value, PLAIN) and type(value).__module__ == "builtins":
        _plain(digest, value, inputs=inputs)
    elif isinstance(value, os.PathLike):
        _plain(digest, os.fspath(value), inputs="files" if inputs == "none" else inputs)
    elif type(value) in {np.ndarray, np.memmap}:
        _named(digest, "array", repr(value.dtype), str(value.shape))
        if value.dtype.hasobject:
            _parts(digest, "objects", value.ravel().tolist(), inputs=inputs)
        else:
            digest.update(np.ascontiguousarray(value).tobytes())
    elif isinstance(value, type | FunctionType | BuiltinFunctionType):
        _code(digest, value)
    elif parts := _content(value, inputs=inputs):
        was_read = isinstance(value, Run)  # wherever it is from
        _parts(digest, *parts, inputs="none" if was_read else inputs)
    else:
        _reduced(digest, value, inputs=inputs)


def _content(value: Any, *, inputs: Inputs) -> tuple[str, Iterable[object]] | None:  # noqa: ANN401
    """The kind of what is made of parts, and these."""
    if type(value) in {list, tuple, dict}:
        return type(value).__name__, value.items() if type(value) is dict else value
    if type(value) in {set, frozenset}:
        return "set", sorted(fingerprint(part, inputs=inputs) for part in value)
    if isinstance(value, partial | MethodType):
        return "called", [getattr(value, name, None) for name in CALLED]
    if not is_dataclass(value):
        return None
    return "dataclass", [type(value), *((one.name, getattr(value, one.name)) for one in fields(value))]


def _plain(digest: blake2b, value: object, *, inputs: Inputs) -> None:
    text = value if isinstance(value, bytes | bytearray) else str(value).encode("utf-8", "surrogatepass")
    _named(digest, type(value).__name__, str(len(text)))
    digest.update(text)
    if inputs != "none" and isinstance(value, str | bytes) and len(value) < LONGEST_PATH and b"\0" not in text:
        _input(digest, os.fsdecode(value), folders=inputs == "all")


def _named(digest: blake2b, *names: str) -> None:
    digest.update("\0".join((*names, "")).encode("utf-8", "surrogatepass"))


def _parts(digest: blake2b, kind: str, parts: Iterable[object], *, inputs: Inputs) -> None:
    listed = list(parts)
    _named(digest, kind, str(len(listed)))
    for part in listed:
        _add(digest, part, inputs=inputs)


# Functions, classes and objects


def _code(digest: blake2b, value: Any) -> None:  # noqa: ANN401  # a function or class
    """Add a function or class: its name and, unless it is of ours, its code, which may have changed since.

    What it refers to may have changed, too: so the sources of its module, and of those that it imports, are part of it.
    """
    module, name = str(value.__module__), value.__qualname__
    _named(digest, "named", module, name)
    if isinstance(value, BuiltinFunctionType) or _is_of(module, WHOLE) or _is_standard(module):
        return
    there: Any = sys.modules.get(module)
    for part in name.split("."):
        there = getattr(there, part, None)
    if there is not value:
        raise _unknown(value, "a lambda, a closure or a local class differs from others of its name")
    files = sources(module, _file_of(module))
    for source_of, path in files.items():
        _named(digest, "source", source_of, _content_of(path, os.stat(path)))
    for function in _functions(value):
        _parts(digest, "code", _code_of(function), inputs="none")
        if module not in files:  # typed in by hand: nothing else tells what its names stand for
            _parts(digest, "names", _names_of(function), inputs="none")
    if isinstance(value, type):
        constants = sorted((name, one) for name, one in vars(value).items() if isinstance(one, PLAIN))
        _parts(digest, "constants", constants, inputs="none")
        _parts(digest, "bases", value.__bases__, inputs="none")


@lru_cache(maxsize=256)
def sources(module: str, file: str) -> dict[str, str]:  # noqa: ARG001  # the key: another module of this name
    """`{module: file}` of a module and of those that it refers to, in turn: what a function of it may depend on.

    Modules of the standard library are left out, and those of installed packages but the module's own.
    """
    paths: dict[str, str] = {}
    waiting = [module]
    for name in waiting:
        there, path = sys.modules.get(name), _file_of(name)
        is_own = name.partition(".")[0] == module.partition(".")[0]
        if name in paths or _is_of(name, WHOLE) or _is_standard(name) or not path.endswith(".py"):
            continue
        if (is_own or not INSTALLED & {*path.split(os.sep)}) and os.path.isfile(path):
            paths[name] = path
            waiting += sorted({_module_of(value) for value in vars(there).values()} - paths.keys())
    return paths


def _file_of(module: str) -> str:
    return str(getattr(sys.modules.get(module), "__file__", None) or "")


def _module_of(value: object) -> str:
    """The name of a module, or of the module that an object is of."""
    return value.__name__ if isinstance(value, ModuleType) else str(getattr(_kind(value), "__module__", ""))


def _functions(value: FunctionType | type) -> Iterator[FunctionType]:
    """A function itself, or all functions of a class, those of its properties and static methods too."""
    for one in [value] if isinstance(value, FunctionType) else vars(value).values():
        parts = (one.fget, one.fset, one.fdel) if isinstance(one, property) else (getattr(one, "__func__", one),)
        yield from (part for part in parts if isinstance(part, FunctionType))


def _names_of(function: FunctionType) -> Iterator[tuple[str, object]]:
    """The global names of a function with what they stand for."""
    for name in sorted(_all_names(function.__code__) & function.__globals__.keys()):
        value = function.__globals__[name]
        if value is not function and getattr(value, "__qualname__", "") != function.__qualname__.partition(".")[0]:
            yield name, value.__name__ if isinstance(value, ModuleType) else value


def _all_names(code: CodeType) -> set[str]:
    inner = (_all_names(one) for one in code.co_consts if isinstance(one, CodeType))
    return {*code.co_names}.union(*inner)


def _code_of(function: FunctionType) -> Iterator[object]:
    """Bytes, constants and defaults of a function, and what its enclosing functions gave it."""
    yield from _constants(function.__code__)
    if function.__code__.co_filename == "<string>" and function.__name__ in GENERATED:  # from fields, which are known
        return
    yield from (function.__defaults__, function.__kwdefaults__)
    for cell in function.__closure__ or ():
        given = cell.cell_contents
        if isinstance(given, FunctionType):
            yield given.__qualname__ if given is function else list(_code_of(given))
        else:
            yield given.__qualname__ if isinstance(given, type) else given  # often the class that the method is of


def _constants(code: CodeType) -> Iterator[object]:
    yield code.co_code
    yield code.co_names
    for constant in code.co_consts:
        yield list(_constants(constant)) if isinstance(constant, CodeType) else constant


def _is_of(module: str, packages: Iterable[str]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _is_standard(module: str) -> bool:
    return module.partition(".")[0] in sys.stdlib_module_names and module != "__main__"


def _reduced(digest: blake2b, value: object, *, inputs: Inputs) -> None:
    """What pickle would keep of an object, if that is all of it."""
    kind = type(value)
    reduce = copyreg.dispatch_table.get(kind)
    made_by = kind if reduce else next(one for one in kind.__mro__ if REDUCING & {*vars(one)})
    if made_by is not object and not _is_of(made_by.__module__, WHOLE) and not _is_standard(made_by.__module__):
        raise _unknown(value, "it may stand for data that are elsewhere")
    try:
        reduced = reduce(value) if reduce else value.__reduce_ex__(4)
    except TypeError as error:
        raise _unknown(value, str(error)) from error
    if isinstance(reduced, str):  # its name in its module, such as that of a function whose results are cached
        wrapped = getattr(value, "__wrapped__", None)
        parts = [reduced, type(value), list(_code_of(wrapped)) if isinstance(wrapped, FunctionType) else wrapped]
    else:
        parts = [list(one) if hasattr(one, "__next__") else one for one in reduced]
    _parts(digest, "reduced", parts, inputs=inputs)


def _unknown(value: Any, reason: str) -> InputError:  # noqa: ANN401  # whatever a work is made of
    if isinstance(value, type | FunctionType):
        what, advice = (
            f"{value.__module__}.{value.__qualname__}",
            "give a function or class of a module, or a partial of it",
        )
    else:
        what, advice = f"{type(value).__name__} objects", ADVICE
    return InputError(f"{what} cannot be recognised when a job is resumed ({reason}): {advice}")


# Inputs


def _input(digest: blake2b, place: str, *, folders: bool) -> None:
    """Add the content of what a text names: files, a folder or an address; nothing where it names none."""
    if is_remote(place):
        _named(digest, "address", _fetched(place))
        return
    try:
        status = os.stat(place)
    except OSError:
        for path in sorted(glob(place)) if has_magic(place) else ():
            _input(digest, path, folders=False)
        return  # no file, or one that cannot be read: then whoever reads it has the words
    if stat.S_ISDIR(status.st_mode):
        for name, path in _files(place) if folders else ():
            _named(digest, "part", name, _content_of(path, os.stat(path)))
    else:
        _named(digest, "file", _content_of(place, status))


def _files(folder: str) -> Iterator[tuple[str, str]]:
    """All files in a folder and in those below it, by their names from there; each folder once."""
    seen: set[tuple[int, int]] = set()
    for path, folders, names in os.walk(folder, followlinks=True, onerror=_refused):
        status = os.stat(path)
        folders[:] = [] if (status.st_dev, status.st_ino) in seen else sorted(folders)
        seen.add((status.st_dev, status.st_ino))
        for name in sorted(names):
            file = os.path.join(path, name)
            yield os.path.relpath(file, folder), file


def _refused(error: OSError) -> None:
    raise error


def _content_of(path: str, status: os.stat_result) -> str:
    if not stat.S_ISREG(status.st_mode):
        raise InputError(f"{path}: not a file, and cannot be recognised when a job is resumed: copy it to a file first")
    is_new = time.time_ns() - status.st_ctime_ns < NEW  # a change within the same tick of the clock would not be seen
    read = content.__wrapped__ if is_new else content
    return read(path, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)


@lru_cache(maxsize=4096)
def content(path: str, size: int, changed: int, moved: int, inode: int) -> str:  # noqa: ARG001  # the key: what changes with a file
    """Size and digest of a file, read once as long as it stays what it is."""
    with open(path, "rb") as file:
        return f"{size} {_digest(file)}"


def _digest(file: IO[bytes]) -> str:
    digest = blake2b(digest_size=16)
    while chunk := file.read(CHUNK):  # hashlib.file_digest wants `readinto`, which not all files of fsspec have
        digest.update(chunk)
    return digest.hexdigest()


def _fetched(address: str) -> str:
    """The digest of a file in another place."""
    try:
        import fsspec
    except ImportError as error:
        raise MissingExtraError(f"the address {address}", "fsspec", "remote") from error
    try:
        with fsspec.open(address, "rb") as file:
            return _digest(cast("IO[bytes]", file))
    except Exception as error:  # of as many libraries as there are places
        words = str(error).strip().partition("\n")[0] or type(error).__name__
        raise InputError(
            f"{address}: cannot be read, and so not be recognised when a job is resumed ({words})"
        ) from error
