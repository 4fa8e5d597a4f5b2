"""Files as trec_eval reads them: judgments of its three other forms with their runs, and documents that stand twice.

| form | fields of a line |
|---|---|
| prefs | topic, group (assessor), list, document, level |
| qrels_prefs | topic, group, document, level |
| qrels_jg | topic, group, document, grade |

Levels are read as C's strtod reads them, grades as strtol does; a double in qrels_jg is an error, in the others it
counts twice. In plain qrels and in runs, trec_eval meets documents that stand twice when it computes their topic, after
it has printed those above.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import pairwise
from typing import TypeVar

import numpy as np

from rankscale._core import Index
from rankscale.data.arrays import Floats, Ints
from rankscale.data.aspects import Aspects
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import DuplicateError, FormatError, InputError, message_of, on_command_line
from rankscale.inputs.content import content, without_packing
from rankscale.inputs.files import NamedBytes, read_whole
from rankscale.inputs.options import ReadOptions
from rankscale.inputs.trec import read_run
from rankscale.trec_eval.measure_columns import first_measure, requested_measures
from rankscale.trec_eval.options import INPUT, MEASURE, Options, Quit, atof, atol

STDIN = "-"
FIELDS = {"prefs": 5, "qrels_prefs": 4, "qrels_jg": 4}

JudgmentLine = tuple[bytes, bytes, bytes, bytes, float]  # topic, group, list, document, level or grade
QRELS_COLUMNS = 4
Read = TypeVar("Read", Qrels, Run)


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


def read_judgments(path: str, form: str, compat: int, *, single: bool) -> list[TopicJudgments]:
    """The judgments of a file, topics in the order of their bytes."""
    try:
        lines = _lines(_content(path, form), form, compat, single=single)
        if form == "qrels_jg":
            _check_once(lines)
    except Quit as quit_:
        raise Quit(INPUT, f"{quit_.message}\ntrec_eval: Quit in file '{path}'") from None
    by_topic = defaultdict(list)
    for line in lines:
        by_topic[line[0]].append(line)
    return [_topic(name, by_topic[name]) for name in sorted(by_topic)]


def _content(path: str, form: str) -> bytes:
    reader, kind = ("get_qrels_jg", "qrels") if form == "qrels_jg" else ("get_prefs", "prefs")
    try:
        plain = content(path).plain
    except (OSError, FormatError):
        plain = b""
    except InputError as error:
        raise Quit(INPUT, f"trec_eval: {error.worded(on_command_line)}") from None
    if not plain:
        raise Quit(INPUT, f"trec_eval.{reader}: Cannot read {kind} file '{path}'")
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
        level = float(atol(written.decode("latin-1"))) if form == "qrels_jg" else _real(written, single=single)
        lines.append((topic, group, ordering[0] if ordering else b"", document, level))
    return lines


def _real(written: bytes, *, single: bool) -> float:
    number = atof(written.decode("latin-1"))
    with np.errstate(over="ignore"):
        return float(np.float32(number)) if single else number


def _check_once(lines: Sequence[JudgmentLine]) -> None:
    judged = sorted((topic, group, document) for topic, group, _, document, _ in lines)
    for one, next_one in pairwise(judged):
        if one == next_one:
            name = one[2].decode("utf-8", "surrogateescape")
            raise Quit(INPUT, f"trec_eval.get_qrels: duplicate docs {name}")


def _topic(name: bytes, lines: Sequence[JudgmentLine]) -> TopicJudgments:
    documents = tuple(sorted({line[3] for line in lines}))
    row = {document: number for number, document in enumerate(documents)}
    by_group = defaultdict(list)
    for line in lines:
        by_group[line[1]].append(line)
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
    rankings = defaultdict(list)
    for fields in filter(None, map(bytes.split, _file_lines(source, options))):
        rankings[fields[0]].append((_real(fields[4], single=options.single), fields[2]))
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


@dataclass(frozen=True)
class OtherInputs:
    """Judgments of another form, and the run seen through them."""

    topics: list[TopicJudgments]
    qrels: Qrels
    run: Run
    twice: Mapping[str, Quit]  # topics whose ranking holds a document twice, and the error that this is


def read_inputs(options: Options) -> OtherInputs:
    """Read judgments and run. A document that stands twice is refused when its topic is measured, not here."""
    judgments, run_file = options.files
    topics = read_judgments(judgments, options.qrels_form, options.compat, single=options.single)
    qrels = _qrels(topics, by_preference=options.by_preference)
    if run_file == STDIN and options.compat == 9:
        raise Quit(INPUT, "trec_eval: cannot read file '-'; --compat 10 reads the run from standard input")
    source = NamedBytes(STDIN, read_whole(sys.stdin.buffer, STDIN)) if run_file == STDIN else run_file
    try:
        return OtherInputs(topics, qrels, read_rankings(qrels, source, options), {})
    except DuplicateError:
        run = read_rankings(qrels, source, options, once=True)
    where = "form_prefs_counts" if options.by_preference else "form_res_qrels"
    measure = first_measure(requested_measures(options.measures, options.compat))
    twice = {
        topic: Quit(MEASURE, f"trec_eval.{where}: duplicate docs {document}{cannot_calculate(measure)}")
        for topic, document in repeated_in_run(source, options, ascending=options.by_preference).items()
    }
    return OtherInputs(topics, qrels, run, twice)


def cannot_calculate(measure: str) -> str:
    """How the error of a topic ends, which goes on in its line."""
    return f"trec_eval: Can't calculate measure '{measure}'"


def read_rankings(qrels: Qrels, source: str | NamedBytes, options: Options, *, once: bool = False) -> Run:
    """The run, in which a document that stands twice is an error, or counts once."""
    how: ReadOptions = {"order": options.order, "depth": options.cut, "duplicates": "best" if once else "error"}
    run = readable(options.files[1], lambda: read_run(qrels, source, dialect=options.dialect, **how))
    return replace(run, notices=tuple(one for one in run.notices if one.kind == "reader")) if once else run


def readable(path: str, read: Callable[[], Read]) -> Read:
    """What is read from a file; raise Quit where it cannot be, but for documents that stand twice."""
    try:
        return read()
    except DuplicateError:
        raise
    except (FormatError, OSError) as error:
        message = message_of(error, on_command_line)
        raise Quit(INPUT, f"trec_eval: {message}\ntrec_eval: Quit in file '{path}'") from None


def _qrels(topics: Sequence[TopicJudgments], *, by_preference: bool) -> Qrels:
    """Qrels by assessor; of preferences only the documents matter here."""
    documents = [list(topic.documents) for topic in topics]
    starts = np.concatenate([[0], np.cumsum([len(names) for names in documents])])
    index, codes = Index([topic.name for topic in topics], documents), np.zeros(int(starts[-1]), dtype=np.int16)
    if by_preference:
        return Qrels(index, codes, starts, np.zeros(1))
    groups = [group for topic in topics for group in topic.groups]
    every = np.concatenate([group.level for group in groups])
    levels, code = np.unique(np.append(every, 0.0), return_inverse=True)
    aspects = Aspects(
        starts=np.concatenate([[0], np.cumsum([len(topic.groups) for topic in topics])]),
        names=("",) * len(groups),
        first=np.concatenate([[0], np.cumsum([len(group.level) for group in groups])]),
        document=np.concatenate([group.document for group in groups]),
        code=code[:-1].astype(np.int16),
        levels=levels,
        judgments=starts,
    )
    return Qrels(index, codes, starts, levels, aspects=aspects)
