"""Files written atomically: first under another name in the same folder, flushed to the disk, then renamed."""

import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import EINVAL, ENOTSUP
from io import BufferedWriter, FileIO
from stat import S_ISREG
from typing import IO

try:
    import fcntl
except ImportError:  # there is none on Windows: nothing is locked, and nothing left behind is removed
    fcntl = None  # type: ignore[assignment]

from rankscale.errors import InputError

PREFIX = ".rankscale-"  # of temporary files and folders
OURS = re.compile(re.escape(PREFIX) + "[0-9a-f]{16}")  # whole names: nobody else's are removed
BUFFER = 1 << 17
LINKS = 40  # that are followed, as the system does
BY_ENDING = {  # the form of a file by the ending of its name
    ".tsv": "tsv",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".tex": "latex",
    ".md": "markdown",
    ".html": "html",
    ".txt": "table",
}


@contextmanager
def replacing(path: str) -> Iterator[IO[bytes]]:
    """A new open file in the same folder, which takes the place of `path` once the block ends well."""
    folder = os.path.dirname(path)
    if not os.path.isdir(folder or "."):
        raise InputError(f"{path}: there is no folder {folder}; make it first")
    if os.path.isdir(path):
        raise InputError(f"{path}: this is a folder; name a file in it")
    if _written_through(path):
        raise InputError(f"{path}: this is a pipe or device; name a file")
    target = os.path.realpath(path) if os.path.islink(path) else path  # what a link points to is replaced, and it stays
    with _naming(path):
        temporary, descriptor, lock = _temporary(os.path.dirname(target) or ".")
    try:
        with writing(descriptor, path) as out:
            yield out
        with _naming(path):
            if os.path.exists(target):
                os.chmod(temporary, os.stat(target).st_mode & 0o7777)
            _flush(lock)
            os.replace(temporary, target)
        _flush_folder(os.path.dirname(target))
    except BaseException:
        with suppress(OSError):  # the next one removes it
            os.unlink(temporary)
        raise
    finally:
        _closed(lock)


@contextmanager
def replacing_folder(path: str) -> Iterator[str]:
    """A new folder beside `path`, which takes its name once the block ends well; `path` must not be there."""
    with making_folder(os.path.dirname(path) or ".", path) as made:
        inside = os.path.join(made, "data")
        with _naming(path):
            os.mkdir(inside)
        yield inside
        with _naming(path):
            _flush_files(inside)
            os.rename(inside, path)
        _flush_folder(os.path.dirname(path))


@contextmanager
def making_folder(above: str, target: str) -> Iterator[str]:
    """A new folder in another, for the time of the block; errors are said of the target."""
    with _naming(target):
        _remove_left_behind(above)
        made, lock = _locked_new(above, os.mkdir, lambda name: os.open(name, os.O_RDONLY))
    try:
        yield made
    except OSError as error:
        if error.errno is not None and os.path.abspath(str(error.filename)).startswith(os.path.abspath(made)):
            raise OSError(error.errno, error.strerror, target) from None
        raise
    finally:
        _remove_folder(made)
        _closed(lock)


def _flush(descriptor: int) -> None:
    """Have a file on the disk before its name: else a power failure may leave the name with nothing behind it."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {EINVAL, ENOTSUP}:  # some file systems have nothing to flush
            raise


def _flush_files(folder: str) -> None:
    """All files of a folder, and the folders."""
    for place, _, names in os.walk(folder):
        for name in names:
            with _opened(os.path.join(place, name), os.O_RDWR) as descriptor:
                _flush(descriptor)
        _flush_folder(place)


def _flush_folder(folder: str) -> None:
    """The names in a folder, where the system allows: without that, the old file may be there after a power failure."""
    with suppress(OSError), _opened(folder or ".", os.O_RDONLY) as descriptor:
        os.fsync(descriptor)


@contextmanager
def _opened(path: str, flags: int) -> Iterator[int]:
    """A descriptor of a file or folder that nothing is written to."""
    descriptor = os.open(path, flags)
    try:
        yield descriptor
    finally:
        _closed(descriptor)


def _remove_folder(path: str) -> None:
    from shutil import rmtree  # which imports every way to pack files

    rmtree(path, ignore_errors=True)


@contextmanager
def writing(file: str | int, path: str, mode: str = "wb") -> Iterator[IO[bytes]]:
    """An open file, given by name or descriptor; errors are said of `path`."""
    out = BufferedWriter(_Written(file, path, mode), BUFFER)
    try:
        yield out
        out.close()
    finally:
        with suppress(OSError):  # a second time: the first one was said
            out.close()


class _Written(FileIO):
    """A file whose errors have its name."""

    def __init__(self, file: str | int, path: str, mode: str) -> None:
        with _naming(path):
            super().__init__(file, mode)
        self._path = path

    def write(self, content: object) -> int:
        """Write what can be written at once."""
        with _naming(self._path):
            return super().write(content)  # type: ignore[arg-type]  # what the base class takes

    def close(self) -> None:
        """Close; an interrupt leaves the file closed, and what was written in it."""
        with _naming(self._path), suppress(InterruptedError):
            super().close()


@contextmanager
def _naming(path: str) -> Iterator[None]:
    """Errors of the system within the block are said of this file, not of one that its user never named."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, path) from None


def _temporary(folder: str) -> tuple[str, int, int]:
    """A new file in a folder, a descriptor of it, and one that keeps it locked as long as its process lives."""
    _remove_left_behind(folder)
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    name, lock = _locked_new(folder, None, lambda name: os.open(name, flags, 0o666))
    try:
        return name, os.dup(lock), lock
    except OSError:
        _closed(lock)
        os.unlink(name)
        raise


def _locked_new(folder: str, make: Callable[[str], None] | None, opened: Callable[[str], int]) -> tuple[str, int]:
    """A new file or folder, and a descriptor that keeps it locked."""
    while True:
        # A name that nobody can guess, and a file that was not there before: no link laid by others is followed.
        name = os.path.join(folder, f"{PREFIX}{os.urandom(8).hex()}")
        if make is not None:
            make(name)
        descriptor = opened(name)
        _locked(descriptor)
        if os.path.exists(name):
            return name, descriptor
        os.close(descriptor)  # another process took it for left behind before it was locked


def _closed(descriptor: int) -> None:
    """Close a descriptor that nothing was written to."""
    with suppress(OSError):
        os.close(descriptor)


def _locked(descriptor: int) -> bool:
    """Lock a file or folder, unless another process has; whether that is done."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another has it, or the file system has no locks
        return False
    return True


def _remove_left_behind(folder: str) -> None:
    """Remove temporary files and folders of processes that were killed: those that nobody has locked."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if OURS.fullmatch(entry.name) and not entry.is_symlink():
                with suppress(OSError):
                    _remove_unless_locked(entry.path)


def _remove_unless_locked(path: str) -> None:
    is_folder = os.path.isdir(path)
    flags = (os.O_RDONLY if is_folder else os.O_WRONLY) | getattr(os, "O_NOFOLLOW", 0)
    with _opened(path, flags) as descriptor:
        if _locked(descriptor):
            (_remove_folder if is_folder else os.unlink)(path)


def write_chunks(path: str, chunks: Iterable[bytes]) -> None:
    """All chunks into a file, or no file; what cannot be replaced is written to."""
    if _written_through(path):
        with writing(path, path, "ab") as out:  # what stands in a file that standard output goes to stays there
            out.writelines(chunks)
        return
    with replacing(path) as out:
        out.writelines(chunks)


def _written_through(path: str) -> bool:
    """Pipes, devices, and what a process has open (such as /dev/stdout) stay what they are."""
    if _of_a_process(path):
        return True
    try:
        return not S_ISREG(os.stat(path).st_mode) and not os.path.isdir(path)
    except OSError:  # there is none yet
        return False


def _of_a_process(path: str) -> bool:
    """Whether this leads to an open file of a process, by whatever links."""
    for _ in range(LINKS):
        if os.path.realpath(os.path.dirname(os.path.abspath(path))).startswith("/proc/"):
            return True
        if not os.path.islink(path):
            return False
        path = os.path.join(os.path.dirname(path), os.readlink(path))
    return False
