"""Files of text in any form that the core reads: TREC, 3 and 4 columns, CSV, TSV, JSON Lines, JSON.

Content decides which form it is. Plain, gz, bz2, xz, zst and lz4 files are recognised by content too; `-` is standard
input.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, cast

from rankscale import _core
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.data.table import readable
from rankscale.inputs.core_results import name_of, qrels_of, run_of
from rankscale.inputs.options import FileForm, Reading, available_cores
from rankscale.inputs.whole_files import Readable, read_whole


@dataclass(frozen=True)
class NamedBytes:
    """The content of an open file, and how messages call it."""

    name: str
    content: bytes


@dataclass(frozen=True)
class NamedFile:
    """A copy of a file of another place, and how messages call it."""

    name: str
    path: str


Source = str | os.PathLike[str] | bytes | BinaryIO | NamedBytes | NamedFile
PACKINGS = {".gz", ".bz2", ".xz", ".zst", ".lz4"}
TEXT_ENDINGS = {".csv", ".tsv", ".jsonl", ".ndjson", ".json", ".txt", ".data", ".dat", ".run", ".trec"}
ENDINGS = TEXT_ENDINGS | {".parquet", ".parq", ".arrow", ".feather", ".ipc"}
TREC = FileForm("trec")
ANY = FileForm()


def judge_qrels(
    sources: Sequence[Source],
    form: FileForm = ANY,
    *,
    dialect: str = "rankscale",
    merge: str = "aspects",
    max_size: int | None = None,
) -> Qrels:
    """Qrels from files, `-` for standard input, bytes, or open binary files; those of several are put together."""
    named = [named_source(source) for source in sources]
    given = _core.read_qrels(named, dialect, form, merge, max_size)
    qrels = qrels_of(given, ", ".join(name for name, _ in named), merge)
    taken = tuple(
        form_notice(name, *one) for (name, _), one in zip(named, given["forms"], strict=True) if one[0] != "trec"
    )
    return replace(qrels, notices=(*qrels.notices, *taken)) if taken else qrels


def judge_files(
    qrels: Qrels, sources: Sequence[Source], reading: Reading, dialect: str = "rankscale"
) -> Iterator[list[Run]]:
    """The runs of each source, in the order of the sources; files are read in parallel on all cores."""
    named = [named_source(source) for source in sources]
    threads = reading.threads or available_cores()
    read = _core.judge_files(qrels.index, named, reading, dialect, reading.max_size, threads)
    for runs, (name, _) in zip(read, named, strict=True):
        yield [_run(given, name, qrels, reading) for given in runs]


def _run(given: dict[str, Any], source: str, qrels: Qrels, reading: Reading) -> Run:
    """A run named by the file's word for it: a column of runs, its tag, or else the name of the file."""
    form, columns = given["form"]
    tag, own = name_of(given["first_tag"]), name_of(given["run"])
    if form != "trec":
        run = run_of(given, own or stem(source), source, qrels, reading)
        return replace(run, notices=(form_notice(source, form, columns), *run.notices))
    if not given["other_tag"]:
        return run_of(given, tag, source, qrels, reading)
    run = run_of(given, file_name(source), source, qrels, reading)
    other = name_of(given["other_tag"])
    words = f"{source}: tags vary within the file ({tag}, {other}, ...); the run is named {run.name}"
    return replace(run, notices=(*run.notices, *notes([words], "reader")))


def form_notice(source: str, form: str, columns: Sequence[tuple[str, str]]) -> Notice:
    """A notice of what a file was taken for."""
    return Notice.of("form", source=source, form=form, columns=tuple(columns))


def file_name(source: str) -> str:
    """The name of a file without folder and packing."""
    stem, suffix = os.path.splitext(os.path.basename(source))
    return stem if suffix in PACKINGS else stem + suffix


def stem(source: str) -> str:
    """The name of a file without folder, packing and the ending of its form.

    >>> stem("runs/bm25.v2.csv.gz")
    'bm25.v2'
    """
    name = file_name(re.sub(r"[?#].*$", "", source) if "://" in source else source)
    start, suffix = os.path.splitext(name)
    return start if suffix.lower() in ENDINGS and start else name


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


def named_source(source: Source) -> tuple[str, object]:
    """How messages call a source, and what the core reads: a path, bytes, or None for standard input."""
    if isinstance(source, NamedBytes):
        return source.name, source.content
    if isinstance(source, NamedFile):
        return source.name, source.path
    if isinstance(source, bytes):
        return "bytes", source
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        return ("standard input", None) if path == "-" else (readable(path), path)
    return of_open_file(source)


def of_open_file(file: object) -> tuple[str, bytes]:
    """How messages call an open file, and what it holds; raise InputError for one opened as text."""
    name = getattr(file, "name", "")
    name = name if isinstance(name, str) and name else "an open file"
    return name, read_whole(cast("Readable", file), name)
