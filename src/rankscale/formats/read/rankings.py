"""Whole rankings, topic by topic, with unjudged documents and all scores: for writing runs rather than measuring."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from io import BytesIO
from typing import BinaryIO, NamedTuple, cast

import numpy as np

from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import FormatError, InputError
from rankscale.formats.read import tabular, trec
from rankscale.formats.read.core_results import name_of
from rankscale.formats.read.reading import Reading
from rankscale.formats.read.unpacking import unpacked

NO_JUDGMENTS: Mapping[str, Mapping[str, float]] = {"": {"": 0}}


class Ranking(NamedTuple):
    """What a system retrieved for one topic, the best document first."""

    topic: str
    documents: Sequence[str]
    scores: Sequence[float]


@dataclass(frozen=True)
class Rankings:
    """The name of a run, and its rankings: made anew by each call, so that no more than a topic need be in memory."""

    name: str
    each: Callable[[], Iterator[Ranking]]
    notices: tuple[Notice, ...] = ()


def rankings_of(source: object, reading: Reading, qrels: Qrels | None = None) -> Rankings:
    """The rankings of a TREC file, a dictionary, a data frame, rows with named fields, or a Run with its documents."""
    if isinstance(source, Run):
        return _of_run(source, qrels)
    if isinstance(source, str | bytes | os.PathLike) or hasattr(source, "read"):
        return _of_file(cast("trec.Source", source), reading)
    return _of_table(source, reading)


def _of_run(run: Run, qrels: Qrels | None) -> Rankings:
    """A run that was read: ranks stand for scores, since it keeps those of judged documents alone."""
    if run.documents is None:
        raise InputError(f"run {run.name} was read without its documents; read it again with keep_documents=True")
    if qrels is None:
        raise InputError(f"run {run.name} has its topics' names in its qrels: give them, write_run(..., qrels=qrels)")
    if run.qrels != qrels.fingerprint:
        raise InputError(f"run {run.name} was judged with other qrels than {qrels.source}; give those")
    topics, documents = qrels.topics, run.documents

    def each() -> Iterator[Ranking]:
        for row, names in zip(run.rows.tolist(), documents, strict=True):
            yield Ranking(topics[row], names, from_below(len(names)))

    return Rankings(run.name, each)


def _of_table(table: object, reading: Reading) -> Rankings:
    """A table in memory; the core looks at every row first, so that errors are those of reading."""
    rows = tabular.readable_again(table)
    nothing = tabular.qrels_from(NO_JUDGMENTS)
    tabular.run_from(nothing, rows, "run", reading)
    by_topic: dict[str, tuple[list[str], list[float], list[float]]] = {}
    for topic, document, number in tabular.entries(rows, by_rank=reading.order == "rank"):
        names, scores, ranks = by_topic.setdefault(_text(topic), ([], [], []))
        names.append(_text(document))
        (ranks if reading.order == "rank" else scores).append(number)

    def each() -> Iterator[Ranking]:
        for topic in sorted(by_topic, key=_raw):
            yield _ordered(topic, *by_topic[topic], reading)

    return Rankings("run", each)


def _of_file(source: trec.Source, reading: Reading) -> Rankings:
    """A TREC file; the core reads all of it first, so that errors name its lines."""
    opened = _again(source)
    (run,) = trec.judge_files(tabular.qrels_from(NO_JUDGMENTS), [opened.source], replace(reading, depth=1))
    with opened.lines() as lines:
        is_scattered = _is_scattered(lines)

    def each() -> Iterator[Ranking]:
        with opened.lines() as lines:
            if not is_scattered:
                yield from (_ordered(*one, reading) for one in _topics(lines))
                return
            whole: dict[str, tuple[list[str], list[float], list[float]]] = {}
            for topic, documents, scores, ranks in _topics(lines):
                of_topic = whole.setdefault(topic, ([], [], []))
                of_topic[0].extend(documents)
                of_topic[1].extend(scores)
                of_topic[2].extend(ranks)
            yield from (_ordered(topic, *whole.pop(topic), reading) for topic in list(whole))

    return Rankings(run.name, each, run.notices)


class _Reopened(NamedTuple):
    """A file that is read several times."""

    source: trec.Source
    lines: Callable[[], AbstractContextManager[BinaryIO]]


def _again(source: trec.Source) -> _Reopened:
    """Standard input, pipes and open files are kept in memory, since they can be read once; files are opened anew."""
    if isinstance(source, bytes):
        kept = source
    elif isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if path != "-" and (os.path.isfile(path) or os.path.isdir(path) or not os.path.exists(path)):
            return _Reopened(path, lambda: unpacked(open(path, "rb")))  # which closes it
        with open(0 if path == "-" else path, "rb", closefd=path != "-") as file:
            kept = file.read()
    else:
        _, kept = trec.of_open_file(source)
    return _Reopened(kept, lambda: unpacked(BytesIO(kept)))


def _fields(lines: BinaryIO) -> Iterator[list[bytes]]:
    """The columns of each line but blank ones and comments, as the core takes them."""
    for number, line in enumerate(lines):
        columns = (line.removeprefix(b"\xef\xbb\xbf") if number == 0 else line).split()
        if columns and not columns[0].startswith(b"#"):
            yield columns


def _is_scattered(lines: BinaryIO) -> bool:
    """Whether the lines of some topic do not stand together."""
    seen: set[bytes] = set()
    last = None
    for topic, *_ in _fields(lines):
        if topic != last:
            if topic in seen:
                return True
            seen.add(topic)
            last = topic
    return False


def _topics(lines: BinaryIO) -> Iterator[tuple[str, list[str], list[float], list[float]]]:
    """Neighbouring lines of one topic together: its name, documents, scores and ranks as the file has them."""
    last, documents, scores, ranks = None, list[str](), list[float](), list[float]()
    for topic, _, document, rank, score, *_ in _fields(lines):
        if topic != last:
            if last is not None:
                yield name_of(last), documents, scores, ranks
            last, documents, scores, ranks = topic, [], [], []
        documents.append(name_of(document))
        scores.append(float(score))
        ranks.append(_number(rank))
    if last is not None:
        yield name_of(last), documents, scores, ranks


def _number(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:  # the rank is not looked at unless it orders
        return 0.0


def _ordered(
    topic: str, documents: Sequence[str], scores: Sequence[float], ranks: Sequence[float], reading: Reading
) -> Ranking:
    """A ranking in the order in which it is measured: equal ones by name, the last in byte order first.

    Where something else than scores orders it, ranks counted from below stand for them: whoever reads scores reads the
    same order.
    """
    places: Sequence[int] = range(len(documents))
    if reading.sorted_by != "file":
        keys = _keys(reading.sorted_by, scores, ranks)
        names = [_raw(document) for document in documents]
        places = sorted(places, key=lambda place: (keys[place], names[place]), reverse=True)
    kept = places[: reading.depth]
    names_kept = [documents[place] for place in kept]
    if reading.sorted_by in {"rank", "file"}:
        return Ranking(topic, names_kept, from_below(len(kept)))
    return Ranking(topic, names_kept, [scores[place] for place in kept])


def _keys(order: str, scores: Sequence[float], ranks: Sequence[float]) -> Sequence[float]:
    """What documents are in the order of, the highest first."""
    if order == "rank":
        return [-rank for rank in ranks]
    with np.errstate(over="ignore"):  # scores too large for 32 bits are infinite there, in the core too
        return scores if order == "score64" else np.array(scores).astype(np.float32).tolist()


def from_below(count: int) -> list[float]:
    """Scores that keep an order: as many as there are documents for the first, 1 for the last."""
    return [float(score) for score in range(count, 0, -1)]


def _raw(name: str) -> bytes:
    return name.encode("utf-8", "surrogateescape")


def _text(name: object) -> str:
    return name if isinstance(name, str) else name_of(name) if isinstance(name, bytes) else str(name)


def kind_of(source: trec.Source) -> tuple[str, trec.Source]:
    """Whether a TREC file holds a run or qrels, by its columns; and the source again, which may be read only once."""
    opened = _again(source)
    if isinstance(opened.source, str) and not os.path.isfile(opened.source):
        trec.read_qrels(opened.source)  # which says what it is instead
    with opened.lines() as lines:
        columns = next(_fields(lines), [])
    if len(columns) >= 6:  # topic Q0 document rank score tag
        return "run", opened.source
    if len(columns) == 4:  # topic iteration document grade
        return "qrels", opened.source
    name = "the input" if isinstance(opened.source, bytes) else os.fspath(cast("str", opened.source))
    first = b" ".join(columns)[:80].decode("utf-8", "replace")
    raise FormatError(
        f"{name}: expected a TREC run (topic Q0 document rank score tag) or qrels (topic iteration document grade), "
        + (f"found {len(columns)} columns\n    {first}" if columns else "found no line at all")
    )
