"""The rankings of several runs, topic by topic, as arrays over the documents that any of them retrieves."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.names import listed
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.errors import InputError, ParameterError
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import rankings_of_runs


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
        absent = {
            name: [topic for topic, places in there.items() if run not in places] for run, name in enumerate(self.runs)
        }
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
