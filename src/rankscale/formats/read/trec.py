"""TREC files: runs (`topic Q0 document rank score tag`) and qrels (`topic iteration document grade`).

Plain, gz, bz2, xz and zst files are recognised by content; `-` is standard input.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO, Unpack

from rankscale import _core
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.data.table import readable
from rankscale.errors import InputError
from rankscale.formats.read.core_results import name_of, qrels_of, run_of
from rankscale.formats.read.reading import Reading, ReadOptions, whole_number

Source = str | os.PathLike[str] | bytes | BinaryIO


def read_qrels(source: Source, *, dialect: str = "rankscale", max_size: int | None = None) -> Qrels:
    """Qrels from a file, `-` for standard input, bytes, or an open binary file."""
    largest = whole_number("max_size", max_size)
    name, origin = _named(source)
    return qrels_of(_core.read_qrels(name, origin, dialect, largest), name)


def read_run(qrels: Qrels, source: Source, *, dialect: str = "rankscale", **options: Unpack[ReadOptions]) -> Run:
    """One run, judged while it is read, named by its tag."""
    (run,) = judge_files(qrels, [source], Reading(**options), dialect)
    return run


def read_runs(
    qrels: Qrels, sources: Sequence[Source], *, dialect: str = "rankscale", **options: Unpack[ReadOptions]
) -> Iterator[Run]:
    """Runs in the order of their sources, read in parallel on all cores and judged while they are read."""
    return judge_files(qrels, sources, Reading(**options), dialect)


def judge_files(qrels: Qrels, sources: Sequence[Source], reading: Reading, dialect: str = "rankscale") -> Iterator[Run]:
    """Runs in the order of their sources, with the options of reading checked."""
    named = [_named(source) for source in sources]
    read = _core.judge_files(
        qrels.index,
        named,
        reading.sorted_by,
        dialect,
        reading.depth,
        (reading.keep_documents, reading.keep_scores),
        reading.max_size,
        reading.threads or available_cores(),
    )
    for given, (name, _) in zip(read, named, strict=True):
        tag = name_of(given["first_tag"])
        if not given["other_tag"]:
            yield run_of(given, tag, name, qrels, reading)
            continue
        run = run_of(given, file_name(name), name, qrels, reading)
        other = name_of(given["other_tag"])
        words = f"{name}: tags vary within the file ({tag}, {other}, ...); the run is named {run.name}"
        yield replace(run, notices=(*run.notices, *notes([words], "reader")))


def file_name(source: str) -> str:
    """The name of a file without folder and packing."""
    stem, suffix = os.path.splitext(os.path.basename(source))
    return stem if suffix in {".gz", ".bz2", ".xz", ".zst"} else stem + suffix


def distinct_names(names: Sequence[str], sources: Sequence[str]) -> tuple[list[str], tuple[Notice, ...]]:
    """Names that differ, and notices of those that were changed.

    Where a tag repeats the file's name is taken, where that repeats too its path, at last a number.

    >>> distinct_names(["bm25", "bm25", "ql"], ["a/x.txt", "a/y.txt", "ql.gz"])[0]
    ['x.txt', 'y.txt', 'ql']
    """
    chosen = list(names)
    for other in ([file_name(source) for source in sources], list(sources)):
        repeated = {name for name, count in Counter(chosen).items() if count > 1}
        chosen = [new if old in repeated and new else old for old, new in zip(chosen, other, strict=True)]
    seen: Counter[str] = Counter()
    for place, name in enumerate(chosen):
        seen[name] += 1
        chosen[place] = name if seen[name] == 1 else f"{name}#{seen[name]}"
    changed = (
        f"{source or 'a run'}: another run has the name {old} too; this one is called {new}"
        for old, new, source in zip(names, chosen, sources, strict=True)
        if old != new
    )
    return chosen, notes(changed, "renamed")


def available_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _named(source: Source) -> tuple[str, object]:
    """How messages call a source, and what the core reads: a path, bytes, or None for standard input."""
    if isinstance(source, bytes):
        return "bytes", source
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        return ("standard input", None) if path == "-" else (readable(path), path)
    return of_open_file(source)


def of_open_file(file: object) -> tuple[str, bytes]:
    """How messages call an open file, and what it holds; raise InputError for one opened as text."""
    content: object = file.read()  # type: ignore[attr-defined]  # which open files have
    if not isinstance(content, bytes):
        raise InputError("expected a file opened in binary mode ('rb'), found one opened as text")
    name = getattr(file, "name", "")
    return name if isinstance(name, str) and name else "an open file", content
