"""Judgments of trec_eval's three other forms: preferences, and qrels by assessor.

| form | fields of a line |
|---|---|
| prefs | topic, group (assessor), list, document, level |
| qrels_prefs | topic, group, document, level |
| qrels_jg | topic, group, document, grade |

Levels are read as C's strtod reads them, grades as strtol does; a double in qrels_jg is an error, in the others it
counts twice.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import FormatError, InputError
from rankscale.inputs.content import content
from rankscale.trec_eval.c_numbers import atof, atol
from rankscale.trec_eval.exits import INPUT, Quit
from rankscale.trec_eval.suited import OtherForm

FIELDS = {"prefs": 5, "qrels_prefs": 4, "qrels_jg": 4}

Line = tuple[bytes, bytes, bytes, bytes, float]  # topic, group, list, document, level or grade


@dataclass(frozen=True)
class Group:
    """The lines of one assessor for one topic, in the order of lists, levels from the highest, documents."""

    lists: int
    ordering: Ints  # (line,), the number of its list, by bytes of their names
    document: Ints  # (line,), row of the document
    level: Floats  # (line,)


@dataclass(frozen=True)
class Topic:
    """The judgments of one topic: documents and groups in the order of their bytes."""

    name: bytes
    documents: tuple[bytes, ...]
    groups: tuple[Group, ...]


def read_judgments(path: str, form: OtherForm, compat: int, *, single: bool) -> list[Topic]:
    """The judgments of a file, topics in the order of their bytes."""
    try:
        lines = _lines(_content(path, form), form, compat, single=single)
        if form == "qrels_jg":
            _check_once(lines)
    except Quit as quit_:
        raise Quit(INPUT, f"{quit_.message}\ntrec_eval: Quit in file '{path}'") from None
    by_topic: dict[bytes, list[Line]] = {}
    for line in lines:
        by_topic.setdefault(line[0], []).append(line)
    return [_topic(name, by_topic[name]) for name in sorted(by_topic)]


def _content(path: str, form: str) -> bytes:
    unreadable = (
        f"trec_eval.get_qrels_jg: Cannot read qrels file '{path}'"
        if form == "qrels_jg"
        else f"trec_eval.get_prefs: Cannot read prefs file '{path}'"
    )
    try:
        plain = content(path).plain
    except (OSError, FormatError):
        raise Quit(INPUT, unreadable) from None
    except InputError as error:
        raise Quit(INPUT, f"trec_eval: {error}") from None
    if not plain:
        raise Quit(INPUT, unreadable)
    return plain


def _lines(plain: bytes, form: str, compat: int, *, single: bool) -> list[Line]:
    """The fields of each line; the number of a malformed one counts no comments."""
    data = plain.removesuffix(b"\n").split(b"\n")
    if compat == 10:
        data = [line for line in data if not line.startswith(b"#")]
    lines = []
    for number, line in enumerate(data, start=1):
        fields = line.split()
        if len(fields) != FIELDS[form]:
            raise Quit(INPUT, f"trec_eval.get_{form}: Malformed line {number}")
        *names, written = fields
        topic, group, *ordering, document = names
        lines.append((topic, group, ordering[0] if ordering else b"", document, _number(written, form, single=single)))
    return lines


def _number(written: bytes, form: str, *, single: bool) -> float:
    text = written.decode("latin-1")
    if form == "qrels_jg":
        return float(atol(text))
    with np.errstate(over="ignore"):
        return float(np.float32(atof(text))) if single else atof(text)


def _check_once(lines: Sequence[Line]) -> None:
    judged = sorted((topic, group, document) for topic, group, _, document, _ in lines)
    for one, next_one in pairwise(judged):
        if one == next_one:
            name = one[2].decode("utf-8", "surrogateescape")
            raise Quit(INPUT, f"trec_eval.get_qrels: duplicate docs {name}")


def _topic(name: bytes, lines: Sequence[Line]) -> Topic:
    documents = tuple(sorted({line[3] for line in lines}))
    row = {document: number for number, document in enumerate(documents)}
    by_group: dict[bytes, list[Line]] = {}
    for line in lines:
        by_group.setdefault(line[1], []).append(line)
    return Topic(name, documents, tuple(_group(by_group[group], row) for group in sorted(by_group)))


def _group(lines: Sequence[Line], row: dict[bytes, int]) -> Group:
    ordered = sorted(lines, key=lambda line: (line[2], -line[4], line[3]))
    number = {name: place for place, name in enumerate(sorted({line[2] for line in ordered}))}
    return Group(
        len(number),
        np.array([number[line[2]] for line in ordered], dtype=np.int64),
        np.array([row[line[3]] for line in ordered], dtype=np.int64),
        np.array([line[4] for line in ordered], dtype=np.float64),
    )
