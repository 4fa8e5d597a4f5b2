"""Watching files being read: whoever shows progress is told which file is read, without being passed along."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

# What is read ('run', 'qrels'), the name, the place from 1, of how many; what is '' once all have been read.
Watcher = Callable[[str, str, int, int], None]
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watching(watcher: Watcher) -> Iterator[None]:
    """Call `watcher(what, name, place, of)` before each file that is read within the block, in this thread.

    >>> with watching(lambda *file: print(*file)):
    ...     announce("run", "bm25.txt", 1, 2)
    run bm25.txt 1 2
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def announce_end(of: int) -> None:
    """Tell the watcher, if there is one, that all of some files have been read."""
    announce("", "", of, of)


def announce(what: str, name: str, place: int = 1, of: int = 1) -> None:
    """Tell the watcher, if there is one, that a file is read now."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(what, name, place, of)
