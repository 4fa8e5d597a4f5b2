"""Files as trec_eval reads them: judgments of its three other forms, and documents that stand twice.

| form | fields of a line |
|---|---|
| prefs | topic, group (assessor), list, document, level |
| qrels_prefs | topic, group, document, level |
| qrels_jg | topic, group, document, grade |

Levels are read as C's strtod reads them, grades as strtol does; a double in qrels_jg is an error, in the others it
counts twice. In plain qrels and in runs, trec_eval meets documents that stand twice when it computes their topic, after
it has printed those above.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import FormatError, InputError, on_command_line
from rankscale.inputs.content import content, without_packing
from rankscale.inputs.files import NamedBytes
from rankscale.trec_eval.measure_columns import OtherForm
from rankscale.trec_eval.options import INPUT, Options, Quit, atof, atol

FIELDS = {"prefs": 5, "qrels_prefs": 4, "qrels_jg": 4}

JudgmentLine = tuple[bytes, bytes, bytes, bytes, float]  # topic, group, list, document, level or grade
QRELS_COLUMNS = 4


@dataclass(frozen=True)
class AssessorLines:
    """The lines of one assessor for one topic, in the order of lists, levels from the highest, documents."""

    lists: int
    ordering: Ints  # (line,), the number of its list, by bytes of their names
    document: Ints  # (line,), row of the document
    level: Floats  # (line,)


@dataclass(frozen=True)
class TopicJudgments:
    """The judgments of one topic: documents and groups in the order of their bytes."""

    name: bytes
    documents: tuple[bytes, ...]
    groups: tuple[AssessorLines, ...]


def read_judgments(path: str, form: OtherForm, compat: int, *, single: bool) -> list[TopicJudgments]:
    """The judgments of a file, topics in the order of their bytes."""
    try:
        lines = _lines(_content(path, form), form, compat, single=single)
        if form == "qrels_jg":
            _check_once(lines)
    except Quit as quit_:
        raise Quit(INPUT, f"{quit_.message}\ntrec_eval: Quit in file '{path}'") from None
    by_topic: dict[bytes, list[JudgmentLine]] = {}
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
        raise Quit(INPUT, f"trec_eval: {error.worded(on_command_line)}") from None
    if not plain:
        raise Quit(INPUT, unreadable)
    return plain


def _lines(plain: bytes, form: str, compat: int, *, single: bool) -> list[JudgmentLine]:
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


def _check_once(lines: Sequence[JudgmentLine]) -> None:
    judged = sorted((topic, group, document) for topic, group, _, document, _ in lines)
    for one, next_one in pairwise(judged):
        if one == next_one:
            name = one[2].decode("utf-8", "surrogateescape")
            raise Quit(INPUT, f"trec_eval.get_qrels: duplicate docs {name}")


def _topic(name: bytes, lines: Sequence[JudgmentLine]) -> TopicJudgments:
    documents = tuple(sorted({line[3] for line in lines}))
    row = {document: number for number, document in enumerate(documents)}
    by_group: dict[bytes, list[JudgmentLine]] = {}
    for line in lines:
        by_group.setdefault(line[1], []).append(line)
    return TopicJudgments(name, documents, tuple(_group(by_group[group], row) for group in sorted(by_group)))


def _group(lines: Sequence[JudgmentLine], row: dict[bytes, int]) -> AssessorLines:
    ordered = sorted(lines, key=lambda line: (line[2], -line[4], line[3]))
    number = {name: place for place, name in enumerate(sorted({line[2] for line in ordered}))}
    return AssessorLines(
        len(number),
        np.array([number[line[2]] for line in ordered], dtype=np.int64),
        np.array([row[line[3]] for line in ordered], dtype=np.int64),
        np.array([line[4] for line in ordered], dtype=np.float64),
    )


def repeated_in_run(source: str | NamedBytes, options: Options, *, ascending: bool) -> dict[str, str]:
    """Topics whose rankings, after the cut of -M, hold a document twice, with the first such document by name.

    Tied documents are in the order of their names, descending unless `ascending`.
    """
    rankings: dict[bytes, list[tuple[float, bytes]]] = {}
    for fields in filter(None, map(bytes.split, _file_lines(source, options))):
        score = atof(fields[4].decode("latin-1"))
        with np.errstate(over="ignore"):
            rankings.setdefault(fields[0], []).append(
                (float(np.float32(score)) if options.single else score, fields[2])
            )
    twice = {}
    for topic, ranking in rankings.items():
        by_name = sorted(ranking, key=lambda one: one[1], reverse=not ascending)
        cut = sorted(by_name, key=lambda one: -one[0])[: None if options.depth is None else max(options.depth, 0)]
        repeated = sorted(name for name, count in Counter(name for _, name in cut).items() if count > 1)
        if repeated:
            twice[_text(topic)] = _text(repeated[0])
    return twice


def qrels_without_repeats(path: str, options: Options) -> tuple[NamedBytes, set[str]]:
    """The lines of qrels that judge a document for the first time, and the topics of the others."""
    judged: set[tuple[bytes, bytes]] = set()
    kept, twice = [], set()
    for line in _file_lines(path, options):
        fields = line.split()
        if len(fields) == QRELS_COLUMNS:  # others are refused by the reader
            if (fields[0], fields[2]) in judged:
                twice.add(_text(fields[0]))
                continue
            judged.add((fields[0], fields[2]))
        kept.append(line)
    return NamedBytes(path, b"".join(kept)), twice


def _file_lines(source: str | NamedBytes, options: Options) -> Iterator[bytes]:
    """The lines of a file; version 10 skips comments."""
    packed = BytesIO(source.content) if isinstance(source, NamedBytes) else open(source, "rb")  # noqa: SIM115
    with packed:
        file = without_packing(packed)
        yield from (line for line in file if not (options.compat == 10 and line.startswith(b"#")))


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")
