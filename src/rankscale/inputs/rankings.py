"""Whole rankings, with unjudged documents and all scores: of a run, of each run of a file, of several runs by topic."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rankscale import _core
from rankscale.data.arrays import Floats, Ints
from rankscale.data.names import listed
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import FormatError, InputError, ParameterError, RankscaleError
from rankscale.inputs import files, tabular
from rankscale.inputs.binary import COLUMNAR
from rankscale.inputs.core_results import name_of, names_of
from rankscale.inputs.files import announce, announce_end
from rankscale.inputs.options import Reading
from rankscale.inputs.read import QrelsFile, RunFile, at_hand, binary_form_as, opened_file, read_qrels, run_sources


class Ranking(NamedTuple):
    """What a system retrieved for one topic, the best document first."""

    topic: str
    documents: Sequence[str]
    scores: Sequence[float]


@dataclass(frozen=True)
class Rankings:
    """The name of a run, and its rankings: made anew by each call, so that few topics are in memory."""

    name: str
    each: Callable[[], Iterator[Ranking]]
    notices: tuple[Notice, ...] = ()
    source: str = ""  # the file, where there is one
    order: str = "score"  # what put it in order; with 'rank' and 'file' the scores are ranks counted from below


def rankings_of(source: object, reading: Reading, qrels: Qrels | None = None, run: str | None = None) -> Rankings:
    """The rankings of a file, a dictionary, a data frame, rows, or a Run with its documents.

    Of a source that holds several runs, `run` names the one that is meant; raise InputError where it is not named.
    """
    entries = [(None, source)] if isinstance(source, Run) else run_sources(source)
    if len(entries) != 1:
        raise InputError(f"expected one run, found {len(entries)}")
    name, one = entries[0]
    made = _chosen(_all_of(one, reading, qrels), run)
    return made if name is None else replace(made, name=name)


def rankings_of_runs(
    runs: object, reading: Reading, qrels: Qrels | None = None
) -> tuple[list[Rankings], tuple[Notice, ...]]:
    """The rankings of all runs of some sources, each with a name of its own; and what users should know of them."""
    read: list[Rankings] = []
    sources = run_sources(runs)
    for place, (name, one) in enumerate(sources, start=1):
        if isinstance(one, str | os.PathLike):
            announce("run", files.named_source(one)[0], place, len(sources))
        made = _all_of(one, reading, qrels)
        read += made if name is None else [replace(_chosen(made, None), name=name)]
    announce_end(len(sources))
    names, renamed = files.distinct_names([one.name for one in read], [one.source for one in read])
    named = [replace(one, name=name) for one, name in zip(read, names, strict=True)]
    return named, (*renamed, *dict.fromkeys(notice for one in read for notice in one.notices))


def _all_of(one: Any, reading: Reading, qrels: Qrels | None) -> list[Rankings]:  # noqa: ANN401  # any source
    """Every run of a source."""
    if isinstance(one, RunFile):
        reading, one = one.reading(reading), one.source
    if isinstance(one, Run):
        return [_of_run(one, qrels)]
    stack = ExitStack()  # what was fetched is needed until the last ranking is read
    one = at_hand(one, reading, stack)
    if isinstance(one, str | bytes | os.PathLike | files.NamedBytes | files.NamedFile):
        form = binary_form_as(one, reading)
        return _of_binary(one, form, reading) if form else _of_file(one, reading, stack)
    return _of_table(tabular.opened(one, "scoreddocs_iter"), "run", reading)


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

    return Rankings(run.name, each, run.notices, run.source, "rank")


def _of_file(source: files.Source, reading: Reading, stack: ExitStack) -> list[Rankings]:
    """A file of text; the core reads all of it first, so that errors name its lines and its runs are known."""
    again, reading = readable_again(source), reading.of_text
    (runs,) = files.judge_files(tabular.qrels_from({"": {"": 0}}), [again], replace(reading, depth=1))
    name, origin = files.named_source(again)

    def rankings(run: Run) -> Rankings:
        def each() -> Iterator[Ranking]:
            with stack:
                exact, single = _exact(reading, run.order), run.order == "score"
                listing = _core.list_rankings(name, origin, exact, single, run.is_scattered, reading.max_size)
                for batch in listing:
                    for one in batch:
                        if len(runs) == 1 or name_of(one[0]) == run.name:
                            yield from _unpacked(one, run.order)

        return Rankings(run.name, each, run.notices, run.source, run.order)

    return [rankings(run) for run in runs]


def _chosen(every: Sequence[Rankings], wanted: str | None) -> Rankings:
    """The run of this name, or the only one; InputError where there is none, or more than one."""
    names, where = [one.name for one in every], every[0].source or "the table"
    if wanted is not None and wanted not in names:
        raise InputError(f"{where}: there is no run {wanted}; there are {listed(names)}")
    if wanted is None and len(every) > 1:
        there = f"there are {len(every)} runs ({listed(names)})"
        raise InputError(f"{where}: {there}; name one of them (--run of convert)")
    return every[names.index(wanted) if wanted is not None else 0]


def _of_binary(source: object, form: str, reading: Reading) -> list[Rankings]:
    with opened_file(source, form, reading) as (where, held):
        made = _of_table(held, files.stem(where), reading)
        columns = tabular.columns_described("run", held, reading)
    notices = (files.form_notice(where, form, columns),) if form in COLUMNAR else ()
    return [replace(one, notices=notices, source=where) for one in made]


def _of_table(held: object, name: str, reading: Reading) -> list[Rankings]:
    """A table in memory, in byte order of its topics."""
    given, order = _listed(held, reading)

    def rankings(one: "_core.Listed") -> Rankings:
        def each() -> Iterator[Ranking]:
            yield from sorted(
                _unpacked(one, order), key=lambda ranking: ranking.topic.encode("utf-8", "surrogateescape")
            )

        return Rankings(name_of(one[0]) or name, each, order=order)

    return [rankings(one) for one in given]


def _listed(held: object, reading: Reading) -> "tuple[list[_core.Listed], str]":
    """What the core lists of a table, and what orders it."""
    if isinstance(held, tabular.ArrowTable):
        columns = tabular.chosen_columns("run", held.names, reading)
        order, stream = columns.order, held.only(columns)
        return _core.list_arrow(stream, columns.names, _exact(reading, order), order, order == "score"), order
    rows = tabular.rows_of(held, "run", reading)
    order, has = rows.order, (rows.has_run, rows.has_number)
    return _core.list_rows(rows.each, _exact(reading, order), order, has, order == "score"), order


def _exact(reading: Reading, order: str) -> Reading:
    """The same with the order in words of the core: scores are ordered in 32 bits, and listed as they are."""
    return replace(reading, order="score64" if order == "score" else order)


def _unpacked(one: "_core.Listed", order: str) -> Iterator[Ranking]:
    """Rankings as the core lists them. Where scores do not order them, ranks counted from below stand for scores."""
    _, topics, lengths, text, ends_of_names, numbers = one
    names = names_of(text, ends_of_names)
    scores = np.frombuffer(numbers, dtype=np.float64).tolist()
    start = 0
    for topic, length in zip(topics, np.frombuffer(lengths, dtype=np.int32).tolist(), strict=True):
        end = start + length
        kept = scores[start:end] if order in {"score", "score64"} else from_below(length)
        yield Ranking(name_of(topic), names[start:end], kept)
        start = end


def readable_again(source: files.Source) -> files.Source:
    """Standard input and pipes are kept in memory, since they can be read once; files are opened anew."""
    if not isinstance(source, str | os.PathLike):
        return source
    path = os.fspath(source)
    is_pipe = os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)
    return files.NamedBytes(*files.name_and_content(path)) if path == "-" or is_pipe else source


def readable_twice(source: Any) -> Any:  # noqa: ANN401  # any source of runs
    """The same source, kept in memory where it can be read only once: standard input, a pipe, an open file."""
    if isinstance(source, RunFile):
        return replace(source, source=readable_twice(source.source))
    if hasattr(source, "read") and not tabular.is_table(source):
        return files.NamedBytes(*files.of_open_file(source))
    return readable_again(source)


def from_below(count: int) -> list[float]:
    """Scores that keep an order: as many as there are documents for the first, 1 for the last."""
    return [float(score) for score in range(count, 0, -1)]


def kind_of(source: files.Source, reading: Reading) -> tuple[str, Any]:
    """Whether a file holds a run or qrels, by its columns; and the source again, which may be read only once.

    A file that can be both, such as three columns, or a table with a score and no grade, is a run.
    """
    again = readable_twice(source)
    try:
        rankings_of(again, replace(reading, depth=1))
    except FormatError as error:
        try:
            read_qrels(QrelsFile(again, reading.form, reading.columns), max_size=reading.max_size)
        except RankscaleError:
            raise error from None
        return "qrels", again
    except InputError:  # several runs
        return "run", again
    return "run", again


@dataclass(frozen=True, eq=False)
class Listing:
    """A run as the core lists it, the documents of a topic in their order."""

    run: bytes  # empty where the file does not name it
    topics: tuple[bytes, ...]
    lengths: Ints  # (topic,)
    names: bytes  # of all documents
    name_ends: Ints  # (document,), where they end
    numbers: Floats  # (document,): scores, or ranks with order='rank'

    def documents(self) -> list[bytes]:
        """The names of all documents."""
        ends: list[int] = self.name_ends.tolist()
        return [self.names[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def listings_of(source: object, reading: Reading, order: str) -> list[Listing]:
    r"""Every run of a file in the order of its scores, or of its ranks.

    `source` is a path, bytes with a name, or what ir_datasets gives. Raise FormatError where the file cannot be ordered
    so.

    >>> (listing,) = listings_of(b"qid,docid,rank\n1,a,2\n1,b,1\n", Reading(), "rank")
    >>> listing.documents(), listing.numbers
    ([b'b', b'a'], array([1., 2.]))
    """
    reading = replace(reading, order=order)
    if not isinstance(source, str | bytes | files.NamedBytes):
        listed, _ = _listed(tabular.opened(source, "scoreddocs_iter"), reading)
    elif (form := binary_form_as(source, reading)) is None:
        name, origin = files.named_source(source)
        text = _exact(reading.of_text, order)
        batches = _core.list_rankings(name, origin, text, order == "score", True, reading.max_size)  # noqa: FBT003
        listed = [one for batch in batches for one in batch]
    else:
        with opened_file(source, form, reading) as (_, held):
            listed, _ = _listed(held, reading)
    sign = -1.0 if order == "rank" else 1.0  # the core orders by the highest key: its keys of ranks are negative
    return [
        Listing(
            run,
            tuple(topics),
            np.frombuffer(lengths, dtype=np.int32),
            names,
            np.frombuffer(ends, dtype=np.uint64).astype(np.int64),
            sign * np.frombuffer(numbers, dtype=np.float64),
        )
        for run, topics, lengths, names, ends, numbers in listed
    ]


@dataclass(frozen=True, eq=False)
class TopicLists:
    """The rankings of one topic, of the runs that retrieve something for it.

    Documents stand in descending byte order of their names, so that a stable sort leaves ties in the order of SPEC.
    """

    topic: str
    runs: tuple[str, ...]  # names of the runs that have the topic
    places: Ints  # (run,): where they stand among all runs
    documents: Sequence[str]  # all that any run retrieves
    rank: Ints  # (run, document), from 1; 0 where the run does not retrieve it
    score: Floats  # (run, document); NaN where the run does not retrieve it


@dataclass(eq=False)
class TopicRankings:
    """Documents of a topic by the number of their first mention, and what each run retrieves, best first."""

    numbers: dict[str, int] = field(default_factory=dict)
    retrieved: list[tuple[int, Ints, Floats]] = field(default_factory=list)  # run, numbers of documents, scores

    @cached_property
    def in_order(self) -> tuple[list[str], Ints]:
        """Names of the documents in descending byte order, and the place of each number among them."""
        given = list(self.numbers)
        order = sorted(range(len(given)), key=_byte_order_keys(given).__getitem__, reverse=True)
        place = np.empty(len(given), dtype=np.int64)
        place[order] = np.arange(len(given))
        return [given[number] for number in order], place


@dataclass(frozen=True, eq=False)
class Lists:
    """The rankings of several runs."""

    runs: tuple[str, ...]
    sources: tuple[str, ...]  # files of the runs, or their names
    orders: tuple[str, ...]  # what put each run in order
    by_topic: dict[str, TopicRankings]  # in byte order
    notices: tuple[Notice, ...] = ()

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """Names of the topics that count, in byte order."""
        return tuple(self.by_topic)

    def __iter__(self) -> Iterator[TopicLists]:
        return map(self.of, self.by_topic)

    def lacking(self) -> dict[str, list[str]]:
        """Topics that each run lacks and another has, by run; without runs that have all."""
        there = {topic: {place for place, _, _ in of.retrieved} for topic, of in self.by_topic.items()}
        names = enumerate(self.runs)
        absent = {name: [topic for topic, places in there.items() if run not in places] for run, name in names}
        return {name: topics for name, topics in absent.items() if topics}

    def of(self, topic: str) -> TopicLists:
        """The rankings of one topic."""
        held = self.by_topic[topic]
        names, column = held.in_order
        shape = len(held.retrieved), len(names)
        rank, score = np.zeros(shape, dtype=np.int64), np.full(shape, np.nan)
        for row, (_, numbers, scores) in enumerate(held.retrieved):
            columns = column[numbers]
            rank[row, columns] = np.arange(1, len(numbers) + 1)
            score[row, columns] = scores
        places = [run for run, _, _ in held.retrieved]
        return TopicLists(topic, tuple(self.runs[run] for run in places), np.array(places), names, rank, score)


def read_lists(runs: object, reading: Reading, qrels: Qrels | None = None, what: str = "fused") -> Lists:
    """Read runs; raise ParameterError unless there are two or more. `what` says in errors what is done with them."""
    read, notices = rankings_of_runs(runs, reading, qrels)
    if len(read) < 2:
        there = f"there is one ({read[0].name})" if read else "there is none"
        raise ParameterError(f"runs are {what}, and {there}: give two runs or more")
    by_topic: dict[str, TopicRankings] = {}
    for place, run in enumerate(read):
        for topic, documents, scores in run.each():
            if documents:  # a topic without documents is one that the run lacks
                of = by_topic.setdefault(topic, TopicRankings())
                coded = np.array([of.numbers.setdefault(name, len(of.numbers)) for name in documents])
                of.retrieved.append((place, coded, np.array(scores, dtype=np.float64)))
    names = tuple(run.name for run in read)
    if not by_topic:
        raise InputError(f"no run retrieves anything: {listed(list(names))}")
    ordered = {topic: by_topic[topic] for topic in in_byte_order(by_topic)}
    for one in ordered.values():
        _ = one.in_order  # sorted once, however often they are fused
    sources = tuple(run.source or run.name for run in read)
    return Lists(names, sources, tuple(run.order for run in read), ordered, notices)


def in_byte_order(names: Iterable[str]) -> list[str]:
    """Names in ascending order of their bytes."""
    given = list(names)
    return [given[place] for place in sorted(range(len(given)), key=_byte_order_keys(given).__getitem__)]


def _byte_order_keys(names: Sequence[str]) -> Sequence[str] | Sequence[bytes]:
    """What sorts names by their bytes: the names themselves where all are ASCII."""
    return names if "".join(names).isascii() else [name.encode("utf-8", "surrogateescape") for name in names]
