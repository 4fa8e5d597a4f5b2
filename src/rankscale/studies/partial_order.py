"""Rankings above one another: what can be said of runs without any measure (Ferrante, Ferro and Fuhr 2021, Fig. 2).

A ranking is above another if, for every rank k and every grade g, it has at least as many documents of grade g or more
in its first k. Then no measure that respects this order may prefer the other. Rankings need not be comparable: one may
have more in the first 5, and the other in the first 10.

In other words, for every grade g and number j, the j-th document of grade g or more stands no later in the one than in
the other. So the first depth at which a ranking fails to be above another is the least rank, in the other, of a
document that the one has later; all depths are compared at once.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Unpack

import numpy as np

from rankscale.data.arguments import Declaration, check_arguments
from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.resources import need_for_study
from rankscale.data.run import Run, concatenate
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.batches import batches
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import Progress, RankingOptions, SameTopics, check_missing, judging_of, reading_of
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, read_with_progress
from rankscale.measures.cg import CG
from rankscale.measures.precision import P
from rankscale.stats.tests.base.test import all_pairs
from rankscale.studies.support.selection import check_topics
from rankscale.studies.support.study import Study, names_of_pairs, table_of_arrays

DEPTHS = (5, 10, 20, 100, 1000)
AT_ONCE = 1 << 22  # ranks that are compared at once


@dataclass(frozen=True, eq=False, repr=False)
class PartialOrder(Study):
    """Result of `partial_order`: for each topic and pair of runs, which ranking is above the other, and how far down.

    Attributes
    ----------
    evaluation : Evaluation
        Values of CG at the greatest depth over the same rankings; of P where documents are relevant or not.
    topics : tuple of str
        Topics that are compared.
    held : array of int
        (topic, run, other): the greatest depth, up to that of the comparison, down to which the ranking of `run` is
        above that of `other` or equal to it; 0 where it is not even at the first rank.
    depths : tuple of int
        Depths of the tables, ascending.
    rel : float or None
        Lowest relevant grade, where documents are relevant or not; None where each grade counts.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    evaluation: Evaluation
    topics: tuple[str, ...]
    held: Ints
    depths: tuple[int, ...]
    rel: float | None
    notices: tuple[Notice, ...]

    @property
    def settings(self) -> Mapping[str, object]:
        """The depths and the lowest relevant grade."""
        return {
            "study": "partial-order",
            "depths": self.depths,
            "rel": None if self.rel is None else f"{self.rel:g}",
        }

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs, in the order of the axes of `held`."""
        return self.evaluation.runs

    @property
    def pairs(self) -> int:
        """The number of pairs of runs."""
        return len(self.runs) * (len(self.runs) - 1) // 2

    def at_least(self, depth: int) -> Bools:
        """(topic, run, other): whether the ranking of `run`, cut at a depth, is above that of `other` or equal."""
        if not 1 <= depth <= self.depths[-1]:
            raise ParameterError(
                f"rankings are compared down to rank {self.depths[-1]}: give a depth up to it, got {depth}"
            )
        return self.held >= depth

    def above(self, depth: int) -> Bools:
        """(topic, run, other): whether the ranking of `run` is above that of `other`, and not equal to it."""
        at_least = self.at_least(depth)
        return at_least & ~at_least.swapaxes(1, 2)

    def on_every_topic(self, depth: int) -> Bools:
        """(run, other): whether `run` is above `other` or equal to it on every topic, and above on one at least."""
        every: Bools = np.count_nonzero(~self.at_least(depth), axis=0) == 0
        return every & ~every.T

    def comparable(self, depth: int) -> Floats:
        """(topic,): the share of pairs of runs whose rankings are comparable: one above the other, or both equal."""
        return self._share_above(depth) + self._share_equal(depth)

    def _share_above(self, depth: int) -> Floats:
        """(topic,): the share of pairs of runs in which one ranking is above the other."""
        shares: Floats = np.count_nonzero(self.above(depth), axis=(1, 2)) / self.pairs
        return shares

    def _share_equal(self, depth: int) -> Floats:
        """(topic,): the share of pairs of runs whose rankings are equal."""
        at_least = self.at_least(depth)
        both = np.count_nonzero(at_least & at_least.swapaxes(1, 2), axis=(1, 2))
        shares: Floats = (both - len(self.runs)) / (2 * self.pairs)  # each pair twice, and each run with itself
        return shares

    def sentence(self) -> str:
        """Which pairs of runs need no measure to be put in order."""
        topics = len(self.topics)
        deepest = [depth for depth in self.depths if self.on_every_topic(depth).any()]
        if not deepest:
            run, other, count = self._nearest(self.depths[0])
            return (
                f"At none of these depths is a run at least as good as another on all {topics} topics. Down to rank "
                f"{self.depths[0]}, {run} comes nearest: it is at least as good as {other} on {count}."
            )
        count = int(np.count_nonzero(self.on_every_topic(deepest[-1])))
        return (
            f"Down to rank {deepest[-1]}, a run is above another or equal on all {topics} topics for {count:,} of "
            f"{self.pairs:,} pairs of runs: no measure that respects the order of rankings can prefer the other."
        )

    def _nearest(self, depth: int) -> tuple[str, str, int]:
        """The run that is above another or equal to it on the most topics, the other one, and how many topics."""
        counts = np.count_nonzero(self.at_least(depth), axis=0)
        np.fill_diagonal(counts, -1)
        run, other = np.unravel_index(int(counts.argmax()), counts.shape)
        return self.runs[run], self.runs[other], int(counts[run, other])

    def tables(self) -> Mapping[str, Table]:
        """By depth; the pairs of runs in one order on every topic; by topic and depth; all pairs of runs."""
        return {
            "depths": self._by_depth(),
            "every_topic": Table.of(("run", "other", "depth", "above", "equal"), list(self._every_topic())),
            "topics": self._by_topic(),
            "pairs": self._pairs(),
        }

    def _by_depth(self) -> Table:
        """One row for each depth: shares over all topics and pairs, the least and greatest of topics, runs in order."""
        shares = self._shares()
        comparable = shares["comparable"]
        means = {name: share.mean(axis=-1) for name, share in shares.items()}
        ends = {"lowest_topic": comparable.min(axis=-1), "highest_topic": comparable.max(axis=-1)}
        on_every_topic = [int(np.count_nonzero(self.on_every_topic(depth))) for depth in self.depths]
        columns = {**means, **ends, "pairs": self.pairs, "on_every_topic": on_every_topic}
        return table_of_arrays([{"depth": self.depths}], columns)

    def _shares(self) -> dict[str, Floats]:
        """(depth, topic) each: the share of pairs of runs that are comparable, one above the other, or equal."""
        shares = {"comparable": self.comparable, "above": self._share_above, "equal": self._share_equal}
        return {name: np.stack([share(depth) for depth in self.depths]) for name, share in shares.items()}

    def _every_topic(self) -> Iterator[tuple[str, str, int, int, int]]:
        """For each depth, the pairs of runs in one order on every topic, and on how many topics one is above."""
        for depth in self.depths:
            above = np.count_nonzero(self.above(depth), axis=0)
            for run, other in np.argwhere(self.on_every_topic(depth)).tolist():
                count = int(above[run, other])
                yield self.runs[run], self.runs[other], depth, count, len(self.topics) - count

    def _by_topic(self) -> Table:
        """One row for each depth and topic: shares of the pairs of runs."""
        columns = table_of_arrays([{"depth": self.depths}, {"topic": self.topics}], self._shares()).columns
        return Table({name: columns[name] for name in ("topic", *columns)})

    def _pairs(self) -> Table:
        """One row for each depth and pair of runs: on how many topics each is above, and neither is."""
        pairs = all_pairs(len(self.runs))
        first, second = pairs.first, pairs.second
        counts = []
        for depth in self.depths:
            above, at_least = np.count_nonzero(self.above(depth), axis=0), self.at_least(depth)
            equal = np.count_nonzero(at_least & at_least.swapaxes(1, 2), axis=0)[first, second]
            counts.append((above[first, second], above[second, first], equal))
        of_pairs = dict(zip(("above", "below", "equal"), np.swapaxes(counts, 0, 1), strict=True))
        of_pairs["not_comparable"] = len(self.topics) - np.sum(counts, axis=1)
        columns = table_of_arrays([{"depth": self.depths}, names_of_pairs(self.runs, pairs)], of_pairs).columns
        return Table({name: columns[name] for name in ("run", "other", *columns)})


def partial_order(
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    depths: Sequence[int] = DEPTHS,
    rel: float | None = None,
    missing: SameTopics = "zero",
    progress: Progress | None = None,
    **options: Unpack[RankingOptions],
) -> PartialOrder:
    """Compare rankings topic by topic without a measure.

    A ranking is above another down to a depth if, for every rank k up to it and every grade g, it has at least as many
    documents of grade g or more in its first k. Whichever measure respects this order, at any depth up to this one, it
    cannot prefer the other ranking. Most measures do: P, AP, RBP, DCG, nDCG, RR, ERR. Twist and Bpref do not.

    Parameters
    ----------
    qrels, runs, missing, progress, **options
        As in `evaluate`: judged_only, grades, negative, order, max_size, threads; not missing='skip'.
    depths : sequence of int
        Ranks down to which rankings are compared.
    rel : float, default each grade counts
        Lowest relevant grade: documents are then relevant or not.

    Returns
    -------
    PartialOrder
        For each topic and pair of runs how far down one ranking is above the other; shares of comparable pairs by depth
        and topic; the pairs of runs that are in one order on every topic.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take, or there are fewer than two runs.

    Notes
    -----
    Unjudged documents count as not relevant, and shorter rankings are filled with them. Rankings that are equal in this
    sense are comparable too.

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 1}, "2": {"a": 1, "b": 1}}
    >>> runs = {"good": {"1": {"a": 3, "b": 2}, "2": {"x": 3, "b": 2}}, "bad": {"1": {"x": 1}, "2": {"x": 2, "b": 1}}}
    >>> result = partial_order(qrels, runs, depths=[1, 2])
    >>> print(result.text(2, "depths"))
    depth  comparable  above  equal  lowest_topic  highest_topic  pairs  on_every_topic
        1        1.00   0.50   0.50          1.00           1.00      1               1
        2        1.00   0.50   0.50          1.00           1.00      1               1
    >>> result.on_every_topic(2).tolist()
    [[False, True], [False, False]]

    Command line
    ------------
        rankscale partial-order qrels.txt runs/*.gz
        rankscale partial-order qrels.txt runs/*.gz --depths 5,10 --table every_topic
        rankscale partial-order qrels.txt runs/*.gz --rel 2 --table topics -o topics.tsv
    """
    check_arguments(partial_order, locals())
    check_missing(missing, compared=True)
    wanted = _checked(depths)
    reading, judging = reading_of(options), judging_of(options)
    judgments = read_qrels(qrels, max_size=reading.max_size)
    read = read_with_progress(judgments, runs, reading, progress)
    measure = CG(depth=wanted[-1]) if rel is None else P(depth=wanted[-1], rel=rel)
    result = evaluate(judgments, read, measure, missing=missing, **asdict(judging))
    if len(result.runs) < 2:
        raise ParameterError("rankings of different runs are compared: give two runs or more")
    check_topics(result)
    seen = judging.regraded(judgments)
    grades = [rel] if rel is not None else [float(level) for level in seen.levels if level > 0]
    hits = _hits(read, seen, grades, wanted[-1], judged_only=judging.judged_only)
    kept = np.flatnonzero(result.retrieved.all(axis=0))
    held = _held_by_topic(hits, len(result.runs), kept, wanted[-1], progress)
    topics = tuple(result.topics[place] for place in kept.tolist())
    graded = "documents are relevant or not here: measures of graded gain may prefer the other of two rankings"
    cautions = notes([graded] if rel is not None and np.count_nonzero(seen.levels > 0) > 1 else [])
    return PartialOrder(result, topics, frozen(held), wanted, rel, (*result.notices, *cautions))


def _checked(depths: Sequence[int]) -> tuple[int, ...]:
    """The depths, ascending, each once; ParameterError for others than whole numbers from 1."""
    if not len(depths) or not all(isinstance(depth, int | np.integer) and depth >= 1 for depth in depths):
        raise ParameterError(f"depths must be one or more whole numbers from 1, such as 5 and 10, got {depths!r}")
    return tuple(sorted({int(depth) for depth in depths}))


@dataclass(frozen=True)
class Hits:
    """The documents of a grade or more that runs retrieved: four columns."""

    topic: Ints
    run: Ints
    place: Ints  # which of those of its ranking, from 0
    rank: Ints


def _hits(read: Sequence[Run], qrels: Qrels, grades: Sequence[float], deepest: int, *, judged_only: bool) -> list[Hits]:
    """For each grade, the documents of this grade or more within the depth, in the order of topics."""
    columns: list[list[Hits]] = [[] for _ in grades]
    first = 0
    for batch in batches(read, []):
        together = concatenate([run.completed(len(qrels.topics)) for run in batch])
        owner = first + np.repeat(np.arange(len(batch)), len(qrels.topics))
        if not judged_only:  # all that has a lower grade is alike
            together = together.without(qrels.levels < min(grades, default=np.inf), qrels)
        for which, judged in together.blocks(qrels):
            table = judged.only_judged() if judged_only else judged
            for place, grade in enumerate(grades):
                row, entry = table.relevant_entries(grade)
                rank, before = table.rank[row, entry], table.relevant_so_far(grade)[row, entry] - 1
                near = rank <= deepest
                topics, runs = together.rows[which][row], owner[which][row]
                columns[place].append(Hits(*(one[near] for one in (topics, runs, before, rank))))
        first += len(batch)
    return [_in_order(parts) for parts in columns]


def _in_order(parts: Sequence[Hits]) -> Hits:
    topic, run, place, rank = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("topic", "run", "place", "rank")
    )
    order = np.argsort(topic, kind="stable")
    return Hits(topic[order], run[order], place[order], rank[order])


def _held_by_topic(hits: Sequence[Hits], runs: int, topics: Ints, deepest: int, progress: Progress | None) -> Ints:
    """(topic, run, other): the depth down to which each ranking is above each other one or equal to it."""
    small = np.int16 if deepest < np.iinfo(np.int16).max else np.int32
    need_for_study("partial-order", runs, len(topics), 2 * len(topics) * runs**2 * np.dtype(small).itemsize)
    held = np.full((len(topics), runs, runs), deepest, dtype=small)
    for number, topic in enumerate(topics.tolist()):
        for of_grade in hits:
            start, stop = np.searchsorted(of_grade.topic, [topic, topic + 1])
            here = slice(start, stop)
            ranks = np.full((runs, int(of_grade.place[here].max(initial=-1)) + 1), deepest + 1, dtype=small)
            ranks[of_grade.run[here], of_grade.place[here]] = of_grade.rank[here]
            np.minimum(held[number], depths_held(ranks, deepest), out=held[number])
        if progress is not None:
            progress(number + 1, len(topics))
    return held


def depths_held(ranks: Ints, deepest: int) -> Ints:
    """(run, other): the greatest depth down to which no document of `run` is later than the same one of `other`.

    `ranks` (run, place) has the ranks of each run's first, second, ... document; more than `deepest` for none.

    >>> depths_held(np.array([[1, 4], [2, 3]]), 10).tolist()
    [[10, 2], [0, 10]]
    """
    runs, places = ranks.shape
    held = np.empty((runs, runs), dtype=ranks.dtype)
    block = max(1, AT_ONCE // max(1, runs * places))
    for start in range(0, runs, block):
        later = ranks[start : start + block, None] > ranks[None]
        held[start : start + block] = np.where(later, ranks[None], deepest + 1).min(axis=-1, initial=deepest + 1) - 1
    return held


COMMAND = Declaration(
    partial_order,
    source="runs",
    shared=("missing", "grades", "judged_only", "reading"),
    tables=("depths", "every_topic", "topics", "pairs"),
)
