"""Files: where they are, how they are opened, and runs and qrels of text in any form that the core reads.

Content decides which form a file has: TREC, 3 and 4 columns, CSV, TSV, JSON Lines, JSON. Plain, gz, bz2, xz, zst and
lz4 files are recognised by content too; `-` is standard input, a folder stands for the runs in it, and an address such
as `s3://...` is fetched by fsspec.
"""

import os
import re
import stat
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, BinaryIO

from rankscale import _core
from rankscale.data.names import PLACE
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.resources import MORE, available_cores, budget, is_limited, library, need, size_text
from rankscale.data.run import Run
from rankscale.data.table import readable
from rankscale.errors import InputError, MemoryLimitError, Setting
from rankscale.inputs.core_results import name_of, qrels_of, run_of
from rankscale.inputs.options import Reading

CHUNK = 8 << 20  # bytes read between two looks at the memory
INSTEAD = "cut it into smaller files"


def read_whole(file: Any, name: str) -> bytes:  # noqa: ANN401  # what it gives is not known to be bytes
    """Read all of an open file; raise MemoryLimitError as soon as it takes more memory than may be used.

    Raises
    ------
    MemoryLimitError
        If the file is larger, or has no end, as that of `yes | rankscale check -`.
    InputError
        If it was opened as text.

    >>> read_whole(BytesIO(b"1 Q0 a 1 9 x"), "a run")
    b'1 Q0 a 1 9 x'
    """
    _check_size(file, name)
    held = BytesIO()
    while chunk := file.read(CHUNK):
        if not isinstance(chunk, bytes):
            raise InputError("expected a file opened in binary mode ('rb'), found one opened as text")
        held.write(chunk)
        if held.tell() > CHUNK:
            _check_held(held.tell(), name)
    return held.getvalue()


def _check_size(file: object, name: str) -> None:
    """Raise MemoryLimitError where a file on disk is too large, which is known before it is read."""
    try:
        status = os.fstat(file.fileno())  # type: ignore[attr-defined]  # where it has none, nothing is known
    except (AttributeError, OSError, ValueError):
        return
    if stat.S_ISREG(status.st_mode):
        need(status.st_size, f"{name}: keeping it in memory", INSTEAD)


def _check_held(size: int, name: str) -> None:
    """Raise MemoryLimitError where so many bytes are all that the limit allows, or half of what was free."""
    left = budget()
    if left < CHUNK if is_limited() else size > 2 * left:
        taken = f"{name}: more than the {size_text(size)} read so far do not fit into the memory that may be used"
        raise MemoryLimitError(f"{taken}; {INSTEAD}, or ", MORE)


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


def judge_qrels(
    sources: Sequence[Source],
    reading: Reading = Reading(),  # noqa: B008  # frozen
    *,
    dialect: str = "rankscale",
    merge: str = "aspects",
) -> Qrels:
    """Qrels from files, `-` for standard input, bytes, or open binary files; those of several are put together."""
    named = [named_source(source) for source in sources]
    given = _core.read_qrels(named, dialect, reading, merge, reading.max_size)
    qrels = qrels_of(given, ", ".join(name for name, _ in named), merge)
    forms = zip(named, given["forms"], strict=True)
    taken = (form_notice(name, form, columns) for (name, _), (form, columns) in forms if form != "trec")
    return replace(qrels, notices=(*qrels.notices, *taken))


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
    run = run_of(given, file_name(source) if given["other_tag"] else tag, source, qrels, reading)
    if not given["other_tag"]:
        return run
    other = name_of(given["other_tag"])
    words = f"{source}: tags vary within the file ({tag}, {other}, ...); the run is named {run.name}"
    return replace(run, notices=(*run.notices, Notice.of("reader", text=words, what="tags vary")))


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
    changed = [one for one in zip(names, chosen, sources, strict=True) if one[0] != one[1]]
    words = "{}: another run has the name {} too; this one is called {}"
    return chosen, notes([words.format(source or "a run", old, new) for old, new, source in changed], "renamed")


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


def name_and_content(path: str) -> tuple[str, bytes]:
    """How messages call a path (`-`: standard input), and what the file holds."""
    if path == "-":
        return "standard input", read_whole(sys.stdin.buffer, "standard input")
    with open(path, "rb") as file:
        return path, read_whole(file, path)


def of_open_file(file: object) -> tuple[str, bytes]:
    """How messages call an open file, and what it holds; raise InputError for one opened as text."""
    name = getattr(file, "name", "")
    name = name if isinstance(name, str) and name else "an open file"
    return name, read_whole(file, name)


METADATA = ("ir-metadata.yml", "ir-metadata.yaml")  # what TIRA writes beside a run
RUN = "run.txt"
PACKED = ("", ".gz", ".bz2", ".xz", ".zst")


def files_of_folder(folder: str) -> list[str]:
    """The files of runs in a folder, sorted.

    The run of a run directory of TIRA (`run.txt`, plain or packed, beside `ir-metadata.yml`); of another folder all
    files, and the runs of the run directories in it. Hidden files and metadata are no runs.

    Raises
    ------
    InputError
        If there is no run.
    """
    if run := _tira_run(folder):
        return [run]
    files = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.startswith(".") or name in METADATA:
            continue
        if os.path.isfile(path):
            files.append(path)
        elif os.path.isdir(path) and (run := _tira_run(path)):
            files.append(run)
    if not files:
        raise InputError(f"{folder}: there is no file in this folder; expected one for each run")
    return files


def _tira_run(folder: str) -> str | None:
    """The file of the run in a run directory of TIRA; None where this is no such directory."""
    if not any(os.path.isfile(os.path.join(folder, name)) for name in METADATA):
        return None
    runs = [path for ending in PACKED if os.path.isfile(path := os.path.join(folder, RUN + ending))]
    if len(runs) > 1:
        raise InputError(f"{folder}: there is {' and '.join(map(os.path.basename, runs))}; name the file to read")
    return runs[0] if runs else None


PIECE = 1 << 20  # bytes


@contextmanager
def fetched(source: str, max_size: int | None = None) -> Iterator[NamedFile]:
    """A copy on this machine, called by the address of the original and removed at the end.

    Raise InputError where the place cannot be reached or is unknown, and where the file is larger than `max_size`.
    """
    from tempfile import TemporaryDirectory

    fsspec: Any = library("fsspec", f"files such as {PLACE.match(source)[0]}...", "remote")  # type: ignore[index]
    name = os.path.basename(re.sub(r"[?#].*$", "", source).rstrip("/")) or "file"
    with TemporaryDirectory(prefix="rankscale-") as folder:
        path = os.path.join(folder, re.sub(r"[^\w.-]", "_", name)[-200:])
        try:
            with fsspec.open(source, "rb") as remote, open(path, "wb") as local:
                _copy(remote, local, source, max_size)
        except InputError:
            raise
        except FileNotFoundError:
            raise FileNotFoundError(f"{source}: there is no such file") from None
        except Exception as error:  # of as many libraries as there are places
            words = str(error).strip().partition("\n")[0] or type(error).__name__
            raise InputError(f"{source}: cannot be read ({words})") from error
        yield NamedFile(readable(source), path)


def _copy(remote: Any, local: Any, source: str, max_size: int | None) -> None:  # noqa: ANN401  # files of any library
    taken = 0
    while piece := remote.read(PIECE):
        taken += len(piece)
        if max_size is not None and taken > max_size:
            too_large = f"{source}: holds more than the {max_size} bytes allowed; allow more with "
            raise InputError(too_large, Setting("max_size"))
        local.write(piece)


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
