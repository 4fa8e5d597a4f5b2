"""Every error of a run file that cannot be read: the first few of each kind, and how many there are.

TREC's lines are looked at one by one; JSON Lines are read by the reader itself, on past each line that it refuses. What
form such a file is meant to have is told by its first lines.
"""

import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from rankscale import _core
from rankscale.data.qrels import Qrels
from rankscale.errors import FormatError, MissingExtraError, RankscaleError, Setting, Wording
from rankscale.inputs.binary import COLUMNAR, binary_form, open_binary
from rankscale.inputs.check.lines import COLUMNS, RANK, SCORE, blocks
from rankscale.inputs.files import NamedBytes
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import kind_of
from rankscale.inputs.read import iterate_runs

SHOWN = 20  # errors of a kind that are listed
TWICE = "document twice"
EXPECTED = "expected: topic Q0 document rank score tag"
SWAPPED = (
    "{source}: the third column, which names the document, is {value} in every line, and the second varies: the two "
    "seem to be swapped; expected: topic Q0 document rank score tag\n"
    "to read the file as it is, say where the columns are: "
)
AS_IT_IS = Setting("columns", "topic=1,document=2,score=5")
NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)", re.IGNORECASE)
ITERATIONS = {b"Q0", b"q0", b"0"}  # the second column of runs and qrels, as nearly everybody writes it
LONGEST = 60  # characters of a field that are shown


@dataclass
class Faults:
    """Errors by kind, in the order in which kinds first appear."""

    source: str
    listed: dict[str, list[Wording]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    lines: int = 0  # looked at, without comments and empty ones

    def add(self, kind: str, line: int, words: str) -> None:
        """Count an error, and list it if it is one of the first of its kind; `words` start after the line's number."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if self.counts[kind] <= SHOWN:
            self.listed.setdefault(kind, []).append(f"{self.source}, line {line}{words}")

    def replace(self, kind: str, by: str, text: Wording) -> None:
        """One error in place of all of a kind, if there are any."""
        self.listed.pop(kind, None)
        self.counts.pop(kind, None)
        self.listed[by], self.counts[by] = [text], 1

    def texts(self) -> list[tuple[str, Wording]]:
        """Kind and text of each error listed, and of how many more there are."""
        made: list[tuple[str, Wording]] = []
        for kind, texts in self.listed.items():
            made += [(kind, text) for text in texts]
            if more := self.counts[kind] - len(texts):
                errors = "error" if more == 1 else "errors"
                made.append((kind, f"{self.source}: {more} more {errors} of this kind ({kind})"))
        return made


def faults_of(source: str, blocks: Iterable[bytes], *, ranks: bool = False, repeats_are_wrong: bool = True) -> Faults:
    r"""All errors of the lines of a run; with `ranks` the rank column has to hold numbers, too.

    >>> faults_of("run.txt", [b"1 Q0 a 1 high x\n1 Q0 b\n"]).texts()[1]
    ('columns', 'run.txt, line 2: expected: topic Q0 document rank score tag, found 3 columns')
    """
    faults, number = Faults(source), 0
    first: dict[tuple[bytes, bytes], int] = {}
    second, third = _Constant(), _Constant()
    for block in blocks:
        for number, line in enumerate(block.removesuffix(b"\n").split(b"\n"), start=number + 1):  # noqa: B020
            fields = line.split(None, COLUMNS - 1)
            if not fields or fields[0].startswith(b"#"):
                continue
            faults.lines += 1
            if b"\x00" in line:
                faults.add("NUL byte", number, ": expected text, found a NUL byte")
            elif len(fields) < COLUMNS:
                found = f"{len(fields)} column{'s' * (len(fields) != 1)}"
                faults.add("columns", number, f": {EXPECTED}, found {found}")
            else:
                second.add(fields[1])
                third.add(fields[2])
                if not is_number(fields[SCORE]):
                    faults.add("score", number, f": expected a number as score, found {_shown(fields[SCORE])}")
                if ranks and not is_number(fields[RANK]):
                    faults.add("rank", number, f": expected a number as rank, found {_shown(fields[RANK])}")
                if repeats_are_wrong:
                    _check_repeat(faults, number, fields, first)
    if third.holds() and not second.holds() and (TWICE in faults.counts or third.values <= ITERATIONS):
        value = " or ".join(map(_shown, sorted(third.values, reverse=True)))
        faults.replace(TWICE, "columns swapped", (SWAPPED.format(source=source, value=value), AS_IT_IS))
    return faults


class _Constant:
    """The values of a column, as long as all lines have the same; Q0, q0 and 0 are the same here."""

    def __init__(self) -> None:
        self.values: set[bytes] = set()  # one, or spellings of Q0, and the first that differs

    def add(self, value: bytes) -> None:
        """Look at one line."""
        if self.holds():
            self.values.add(value)

    def holds(self) -> bool:
        """Whether no line differs."""
        return len(self.values) == 1 or self.values <= ITERATIONS


def _check_repeat(faults: Faults, number: int, fields: list[bytes], first: dict[tuple[bytes, bytes], int]) -> None:
    """Whether the document of a line stands in the topic already; `first` has the line of each so far."""
    topic, document = fields[0], fields[2]
    before = first.setdefault((topic, document), number)
    if before != number:
        where = f"in topic {_shown(topic)} (first in line {before})"
        faults.add(TWICE, number, f": document {_shown(document)} stands a second time {where}")


def is_number(text: bytes) -> bool:
    """Whether a text is a number, as the reader of runs takes them."""
    return NUMBER.fullmatch(text) is not None and not math.isnan(float(text))


def _shown(text: bytes) -> str:
    words = text.decode("utf-8", "replace")
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}..."


CHUNK = 256  # lines that are read at once
SHAPES = 8  # sets of keys, the most usual first, of which an example is looked for
TRIED = 2_000  # first lines, one of which has to be read
REREAD = 1 << 28  # bytes of text that are read again to find documents that stand twice


def json_faults(source: str, blocks: Iterable[bytes], reading: Reading, index: Qrels) -> Faults | None:
    r"""All errors of the lines of a run; None where none of the first lines is one of JSON Lines.

    >>> from rankscale import read_qrels
    >>> line = b'{"qid": "1", "docid": "%s", "score": %s}\n'
    >>> text = b"".join(line % pair for pair in [(b"a", b"2"), (b"b", b"x"), (b"a", b"1")])
    >>> for kind, words in json_faults("run.jsonl", [text], Reading(), read_qrels({"1": {}})).texts():
    ...     print(kind, words, sep=": ")
    unreadable: run.jsonl, line 2, column 37: expected a value
    document twice: run.jsonl, line 3: document a stands a second time in topic 1 (first in line 1)
    """
    lines = b"".join(blocks).split(b"\n")
    example = _example(lines, reading, index)
    if example is None and reading.form != "jsonl" and not any(map(_keys, lines[:TRIED])):
        return None
    faults = Faults(source, lines=sum(1 for line in lines if line.strip() and not line.startswith(b"#")))
    refused = partial(_refused, replace(reading, form="jsonl", duplicates="first"), index)
    if example is None:
        _add_alone(faults, lines, refused)
        return faults if faults.counts else None
    _add_unreadable(faults, lines, example, refused)
    if reading.duplicates == "error":
        _add_repeated(faults, lines, partial(_refused, replace(reading, form="jsonl"), index))
    return faults


def _refused(reading: Reading, index: Qrels, lines: Sequence[bytes]) -> tuple[int, str, str] | None:
    """Number of the first line that the reader refuses, what it says of it, and the kind; None without one."""
    try:
        list(iterate_runs(index, [(None, NamedBytes("lines", b"\n".join(lines)))], reading))
    except FormatError as error:
        if error.place is not None:
            column = f", column {error.place.column}" if error.place.column else ""
            return error.place.line, f"{column}: {error.problem}", error.kind
    return None


FirstRefused = Callable[[Sequence[bytes]], tuple[int, str, str] | None]


def _example(lines: Sequence[bytes], reading: Reading, index: Qrels) -> bytes | None:
    """The first line that can be read and has the keys that most lines have; None where none can be read."""
    keys = [_keys(line) for line in lines[:TRIED]]
    usual = [of for of, _ in Counter(filter(None, keys)).most_common()]
    for wanted in usual[:SHAPES]:
        alike = [line for line, of in zip(lines, keys, strict=False) if of == wanted]
        for line in alike:
            if _is_one(line, reading, index):
                return line
    return None


def _keys(line: bytes) -> tuple[str, ...]:
    """The keys of an object, and of the first item of each list and object in it."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return ()
    return tuple(_paths(value)) if isinstance(value, dict) else ()


def _paths(value: dict[str, object]) -> Iterator[str]:
    for key, inner in value.items():
        first = inner[0] if isinstance(inner, list) and inner else inner
        yield f"{key}: {' '.join(first) if isinstance(first, dict) else type(first).__name__}"


def _is_one(line: bytes, reading: Reading, index: Qrels) -> bool:
    """Whether a line alone is read as one of JSON Lines."""
    try:
        runs = list(iterate_runs(index, [(None, NamedBytes("lines", line))], replace(reading, duplicates="first")))
    except FormatError:
        return False
    return any(dict(notice.fields).get("form") == "jsonl" for run in runs for notice in run.notices)


def _add_unreadable(faults: Faults, lines: list[bytes], example: bytes, refused: FirstRefused) -> None:
    """Add each line that is refused, and leave it out of `lines`.

    Some lines are read at once, and read on after each that is refused; a line that can be read goes before them, as
    all have to be alike.
    """
    for start in range(0, len(lines), CHUNK):
        at, end = start, min(start + CHUNK, len(lines))
        while at < end and (wrong := refused([example, *lines[at:end]])):
            number, words, kind = wrong
            at += number - 1  # the example is the first
            faults.add(kind, at, words)
            lines[at - 1] = b""


def _add_alone(faults: Faults, lines: Sequence[bytes], refused: FirstRefused) -> None:
    """Add each line that is refused by itself, among the first ones."""
    for number, line in enumerate(lines[:TRIED], start=1):
        if wrong := refused([line]):
            faults.add(wrong[2], number, wrong[1])
    if len(lines) > TRIED:
        for kind, texts in faults.listed.items():
            texts.append(f"{faults.source}: none of the first {TRIED:,} lines is right, and no more were read ({kind})")


def _add_repeated(faults: Faults, lines: list[bytes], refused: FirstRefused) -> None:
    """Add each line whose document stands in its topic already; of long files with many such lines the first ones."""
    left, size = REREAD, sum(map(len, lines))
    while wrong := refused(lines):
        number, words, kind = wrong
        faults.add(kind, number, words)
        lines[number - 1] = b""
        left -= size
        if left < 0:
            faults.listed[kind].append(f"{faults.source}: there may be more errors of this kind ({kind})")
            break


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
        if form in COLUMNAR:
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
