"""Files written atomically: first under another name in the same folder, then renamed."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from stat import S_ISREG

try:
    import fcntl
except ImportError:  # there is none on Windows: nothing is locked, and nothing left behind is removed
    fcntl = None  # type: ignore[assignment]

from rankscale.errors import InputError

PREFIX = ".rankscale-"  # of temporary files
LINKS = 40  # that are followed, as the system does


@contextmanager
def replacing(path: str) -> Iterator[str]:
    """A temporary file in the same folder, which takes the place of `path` once the block ends well."""
    folder = os.path.dirname(path)
    if not os.path.isdir(folder or "."):
        raise InputError(f"{path}: there is no folder {folder}; make it first")
    if os.path.isdir(path):
        raise InputError(f"{path}: this is a folder; name a file in it")
    if _written_through(path):
        raise InputError(f"{path}: this is a pipe or device; name a file")
    if os.path.islink(path):  # what it points to is replaced, and it stays
        path = os.path.realpath(path)
        folder = os.path.dirname(path)
    _remove_left_behind(folder or ".")
    temporary, lock = _temporary(folder)
    try:
        yield temporary
        if os.path.exists(path):
            os.chmod(temporary, os.stat(path).st_mode & 0o7777)
        os.replace(temporary, path)
    finally:
        with suppress(FileNotFoundError):  # it is in its place
            os.unlink(temporary)
        os.close(lock)


def _temporary(folder: str) -> tuple[str, int]:
    """A new file in a folder, and a descriptor that keeps it locked as long as its process lives."""
    while True:
        # A name that nobody can guess, and a file that was not there before: no link laid by others is followed.
        temporary = os.path.join(folder, f"{PREFIX}{os.urandom(8).hex()}")
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        _locked(descriptor)
        if os.path.exists(temporary):
            return temporary, descriptor
        os.close(descriptor)  # another process took it for left behind before it was locked


def _locked(descriptor: int) -> bool:
    """Lock a file, unless another process has; whether that is done."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another has it, or the file system has no locks
        return False
    return True


def _remove_left_behind(folder: str) -> None:
    """Remove temporary files of processes that were killed: those that nobody has locked."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(PREFIX) and entry.is_file(follow_symlinks=False):
                with suppress(OSError):
                    _remove_unless_locked(entry.path)


def _remove_unless_locked(path: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NOFOLLOW", 0))
    try:
        if _locked(descriptor):
            os.unlink(path)
    finally:
        os.close(descriptor)


def write_chunks(path: str, chunks: Iterable[bytes]) -> None:
    """All chunks into a file, or no file; what cannot be replaced is written to."""
    if _written_through(path):
        with open(path, "ab") as out:  # what stands in a file that standard output goes to stays there
            out.writelines(chunks)
        return
    with replacing(path) as temporary, open(temporary, "wb") as out:
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
