"""Files that are read before they are wanted, while Python still imports what will measure them.

A command knows its files long before numpy and the formulas are imported, which takes longer than reading a run.
`begin` has the core read them meanwhile, on threads of its own. Whoever then wants the same files, taken in the same
way, is given what was begun; if anything differs it is dropped, and the files are read as if nothing had happened.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from rankscale import _core
from rankscale.formats.read.reading import FileForm, Reading

Named = Sequence[tuple[str, object]]  # how messages call a source, and what the core reads
QrelsRequest = tuple[Named, str, FileForm, str, int | None]  # sources, dialect, form, merge, max_size
RunsRequest = tuple[Named, str, Reading]


class Ahead:
    """What was begun and is not yet wanted."""

    def __init__(self, qrels: QrelsRequest, runs: RunsRequest) -> None:
        files, dialect, form, merge, max_size = qrels
        named, _, reading = runs
        _core.keep_freed_memory()
        self.qrels, self.runs, self.index = qrels, runs, None
        threads = reading.threads or available_cores()
        self.core = _core.Begun((files, form, merge), named, reading, dialect, max_size, threads)


_begun: list[Ahead] = []  # one at most


def begin(
    qrels: object, runs: Sequence[object], reading: Reading, form: FileForm, *, dialect: str, merge: str = "aspects"
) -> None:
    """Begin to read qrels, and runs judged by them, where all are files that can be read again."""
    first = [(str(qrels), qrels)], dialect, form, merge, reading.max_size
    second = [(str(run), run) for run in runs], dialect, reading
    if _begun and (_begun[0].qrels, _begun[0].runs) == (first, second):
        return
    _begun.clear()
    if runs and all(_is_plain_file(one) for one in (qrels, *runs)):
        with suppress(MemoryError):  # no room for a thread: said when the files are wanted
            _begun.append(Ahead(first, second))


def begun_qrels(wanted: QrelsRequest) -> dict[str, Any] | None:
    """The qrels, if precisely these were begun; as `_core.read_qrels` gives them."""
    if not _begun:
        return None
    if _begun[0].qrels != wanted:
        _begun.clear()  # of other files: the command does not do what was expected of it
        return None
    ahead = _begun[0]
    given = ahead.core.qrels()
    ahead.index = given["index"]
    return given


def begun_runs(index: object, wanted: RunsRequest) -> _core.Reading | None:
    """The runs, if precisely these were begun, and judged by these qrels; as `_core.judge_files` gives them."""
    if not _begun:
        return None
    ahead = _begun.pop()
    return ahead.core.runs() if ahead.index is index and ahead.runs == wanted else None


def forget() -> None:
    """Drop what was begun and not wanted."""
    _begun.clear()


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _is_plain_file(source: object) -> bool:
    """Whether this is the path of a file, by a name that messages can show as it is."""
    return isinstance(source, str) and source.isprintable() and os.path.isfile(source)
