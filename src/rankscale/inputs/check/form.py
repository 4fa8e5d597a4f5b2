"""What a file is by its first lines: TREC's form or another, a run or qrels."""

import os
import re
from collections.abc import Iterator
from itertools import islice

from rankscale import _core
from rankscale.errors import FormatError, MissingExtraError, RankscaleError
from rankscale.inputs.binary import open_binary
from rankscale.inputs.binary_forms import binary_form
from rankscale.inputs.check.columns import COLUMNS
from rankscale.inputs.check.faults import ITERATIONS
from rankscale.inputs.check.text import blocks
from rankscale.inputs.files import NamedBytes
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import kind_of

QRELS_COLUMNS = 4
OF_OTHER_FORMS = {3, 4}  # columns of runs without a header that are not TREC's
FIRST_LINES = 20  # that are looked at for JSON
MOST_CELLS = 10_000  # of a first line that are looked at for names of columns


def is_trec(source: str | NamedBytes, reading: Reading) -> bool:
    """Whether the lines of a run that the reader refuses are meant to be TREC's.

    They are where the user says so, or else where there is no sign of another form: JSON, the names of columns in the
    first line, or no line with as many columns as TREC's among lines of three or four.
    """
    if reading.form is not None:
        return reading.form == "trec"
    start = _start(source)
    first = next(_lines(start), b"")
    if reading.columns or binary_form(source) or _core.starts_json(first) or _header(first) is not None:
        return False
    return _width(first) not in OF_OTHER_FORMS or any(_width(line) >= COLUMNS for line in _lines(start))


def is_json(source: str | NamedBytes, reading: Reading) -> bool:
    """Whether a run that the reader refuses may be JSON Lines: where the user says so, or where its lines start so."""
    if reading.form is not None:
        return reading.form == "jsonl"
    return not binary_form(source) and any(map(_core.starts_json, islice(_lines(_start(source)), FIRST_LINES)))


def is_table(source: str | NamedBytes) -> bool:
    """Whether the first line has cells between tabs, commas or semicolons."""
    first = next(_lines(_start(source)), b"")
    return any(first.count(separator) > 1 for separator in (b"\t", b",", b";"))


def reads_as_qrels(path: str, max_size: int | None = None) -> bool:
    """Whether a file holds qrels rather than a run: four columns that are those of qrels, or grades and no scores.

    What can be both, such as a table of topics, documents and scores, is a run; so is what can be read only once.
    """
    if not os.path.isfile(path) and not os.path.isdir(path):
        return False
    try:
        form = binary_form(path)
        if form in {"parquet", "arrow"}:
            return _has_grades(open_binary(path, form, max_size)[1].names)
        start = b"" if form or os.path.isdir(path) else _start(path)
        by_lines = _lines_are_qrels(start)
        return kind_of(path, Reading(max_size=max_size))[0] == "qrels" if by_lines is None else by_lines
    except (RankscaleError, OSError):
        return False


def _lines_are_qrels(start: bytes) -> bool | None:
    """Whether the columns of the first lines are those of qrels; None where columns do not tell."""
    first = next(_lines(start), b"")
    header = _header(first)
    columns = _width(first)
    if _core.starts_json(first) or (header is None and columns != QRELS_COLUMNS and columns < COLUMNS):
        return None
    if header is not None:
        return _has_grades(header)
    return columns == QRELS_COLUMNS and not _counts_ranks(start)


def _start(source: str | NamedBytes) -> bytes:
    """The first lines of a file; none where they cannot be looked at here."""
    try:
        return next(blocks(source), b"")
    except (MissingExtraError, OSError):
        return b""


def _lines(text: bytes) -> Iterator[bytes]:
    """Lines that are neither empty nor comments."""
    for match in re.finditer(rb"[^\n]+", text):
        line = match[0].strip()
        if line and not line.startswith(b"#"):
            yield line


def _width(line: bytes) -> int:
    """How many columns a line has, up to those of TREC's form: a line of a packed file can have millions of words."""
    return len(line.split(None, COLUMNS - 1))


def _header(line: bytes) -> list[str] | None:
    """The names of columns, where there are those of a topic and a document among them."""
    separator = next((one for one in (b"\t", b",", b";") if one in line), None)
    cells = line.split(separator, MOST_CELLS)[:MOST_CELLS]
    names = [cell.strip().strip(b'"').decode("utf-8", "replace") for cell in cells]
    try:
        _core.pick_columns("run", names, [], False)  # noqa: FBT003
    except FormatError:
        return None
    return names


def _has_grades(names: "list[str] | tuple[str, ...]") -> bool:
    """Whether a table has a column of grades, and none that orders a run."""
    try:
        as_run = _core.pick_columns("run", list(names), [], False)  # noqa: FBT003
        as_qrels = _core.pick_columns("qrels", list(names), [], True)  # noqa: FBT003
    except FormatError:
        return False
    return "grade" in as_qrels and not {"score", "rank"} & set(as_run)


def _counts_ranks(start: bytes) -> bool:
    """Whether four columns are topic, document, rank and score: ranks count up from 0 or 1 in the first topic."""
    first = next(_lines(start)).split()
    if first[1] in ITERATIONS or first[2] not in {b"0", b"1"}:
        return False
    rank, documents = int(first[2]), set()
    for line in _lines(start):
        fields = line.split(None, QRELS_COLUMNS)
        if fields[0] != first[0] or len(fields) < QRELS_COLUMNS:
            break
        if fields[2] != b"%d" % rank or fields[1] in documents:
            return False
        documents.add(fields[1])
        rank += 1
    return True
