"""The order in which to judge documents, by the weight that runs give them, and the residuals as it goes on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.measures.base.additive import Additive
from rankscale.studies.pooling import document_names, judgments_of

NEGLIGIBLE = 2.0**-52  # weights of ranks that are smaller against the first are rounding errors
DEEPEST = 1 << 16  # ranks whose weights are looked at
WEIGHT_DIGITS = 12  # to which weights are compared: sums of the same terms in another order are equal
Stop = Literal["mean", "every"]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Unjudged documents of some runs, and the weight that each run gives them.

    Entries are by document, those of one in the order of runs.
    """

    topic: Ints  # (document,), by row of the qrels
    name: tuple[str, ...]
    best_rank: Ints  # (document,)
    starts: Ints  # (document + 1,), of their entries
    run: Ints  # (entry,)
    weight: Floats  # (entry,)

    @property
    def runs(self) -> Ints:
        """(document,): how many runs rank it."""
        return np.diff(self.starts)

    @property
    def total(self) -> Floats:
        """(document,): its weight over all runs."""
        if not self.name:
            return np.zeros(0)
        return np.add.reduceat(self.weight, self.starts[:-1])

    def entries(self, document: int) -> slice:
        """The entries of one document."""
        return slice(*self.starts[document : document + 2].tolist())

    def in_order(self) -> Ints:
        """The documents that weigh anything, from the greatest weight on; of equals by topic, best rank and name."""
        by_name = np.empty(len(self.name), dtype=np.int64)
        by_name[sorted(range(len(self.name)), key=self.name.__getitem__)] = np.arange(len(self.name))
        total = self.total
        order = np.lexsort((by_name, self.best_rank, self.topic, -np.round(total, WEIGHT_DIGITS)))
        return order[total[order] > 0]


def deepest_of(weighing: Additive) -> int:
    """The last rank whose weight is more than a rounding error of the first."""
    last = min(weighing.depth or DEEPEST, DEEPEST)
    weights = weighing.weight(np.arange(1, last + 1))
    return int(np.flatnonzero(weights > NEGLIGIBLE * weights.max())[-1]) + 1


def candidates_of(qrels: Qrels, runs: Sequence[Run], weighing: Additive, deepest: int, topics: Bools) -> Candidates:
    """The unjudged documents of all runs on some topics, with the weights that runs give them."""
    places: dict[tuple[int, str], int] = {}
    parts: list[tuple[Ints, Ints, Ints, Floats]] = []  # document, run, rank, weight
    for number, run in enumerate(runs):
        for row, names, ranks, weights in _unjudged(qrels, run, weighing, deepest):
            if topics[row]:
                listed = [places.setdefault((row, names[rank - 1]), len(places)) for rank in ranks.tolist()]
                parts.append((np.array(listed, dtype=np.int64), np.full(len(ranks), number), ranks, weights))
    nothing = np.zeros(0, dtype=np.int64)
    document, by_run, rank = (np.concatenate([nothing, *(part[column] for part in parts)]) for column in range(3))
    return _grouped(places, document, by_run, rank, np.concatenate([np.zeros(0), *(part[3] for part in parts)]))


def _unjudged(
    qrels: Qrels, run: Run, weighing: Additive, deepest: int
) -> Iterator[tuple[int, Sequence[str], Ints, Floats]]:
    """By topic: its row in the qrels, the names of its documents, and the ranks of unjudged ones with their weights."""
    names, is_judged = document_names(run), qrels.is_judged[judgments_of(run, qrels)]
    for block, judged in run.blocks(qrels):
        weights = weighing.left_open(judged, deepest)
        for place, row in enumerate(run.rows[block].tolist(), start=block.start):
            own, documents = slice(*run.starts[place : place + 2].tolist()), names[place]
            ranks = _free(run.rank[own][is_judged[own]], min(deepest, len(documents)))
            yield row, documents, ranks, weights[place - block.start, ranks - 1]


def _free(ranks: Ints, last: int) -> Ints:
    """The ranks down to `last` without these."""
    free = np.ones(last, dtype=bool)
    free[ranks[ranks <= last] - 1] = False
    return np.flatnonzero(free) + 1


def _grouped(
    places: Mapping[tuple[int, str], int], document: Ints, run: Ints, rank: Ints, weight: Floats
) -> Candidates:
    """Entries in the order of documents; those of one in the order of runs."""
    order = np.argsort(document, kind="stable")
    starts = np.searchsorted(document[order], np.arange(len(places) + 1))
    best = np.full(len(places), np.iinfo(np.int64).max)
    np.minimum.at(best, document, rank)
    topic = np.array([row for row, _ in places], dtype=np.int64)
    return Candidates(topic, tuple(name for _, name in places), best, starts, run[order], weight[order])


@dataclass(frozen=True)
class Group:
    """Documents that are put in one order, and the topics whose mean residual they bear on."""

    documents: Ints
    topics: Ints


def groups_of(candidates: Candidates, topics: Bools, *, by_topic: bool) -> list[Group]:
    """All topics together, or one by one."""
    order, rows = candidates.in_order(), np.flatnonzero(topics)
    if not by_topic:
        return [Group(order, rows)]
    return [Group(order[candidates.topic[order] == row], np.array([row])) for row in rows.tolist()]


@dataclass(frozen=True)
class Plan:
    """The documents listed of a group, and the residuals after each."""

    documents: list[int]
    residual: list[float]  # mean over runs
    highest: list[float]
    needed: int | None  # judgments that the accuracy takes
    least: tuple[float, float]  # residuals where everything is judged, or where the accuracy is reached


def plan_of(
    candidates: Candidates, before: Floats, group: Group, count: int | None, accuracy: float | None, stop: Stop
) -> Plan:
    """Judge document by document until the accuracy is reached, and list those within `count`."""
    goal = -np.inf if accuracy is None else accuracy
    start = before[:, group.topics].mean(axis=1)  # (run,)
    reached = (float(start.mean()), float(start.max()))
    documents: list[int] = []
    residuals: list[tuple[float, float]] = []
    judged, needed = 0, None
    for document, after in _judging(candidates, group, start):
        if reached[stop == "every"] < goal:
            needed = judged
            break
        if accuracy is None and judged == count:
            break
        judged, reached = judged + 1, after
        if count is None or judged <= count:
            documents.append(document)
            residuals.append(after)
    if needed is None and reached[stop == "every"] < goal:
        needed = judged
    return Plan(documents, [mean for mean, _ in residuals], [most for _, most in residuals], needed, reached)


def _judging(candidates: Candidates, group: Group, residual: Floats) -> Iterator[tuple[int, tuple[float, float]]]:
    """Each document, and the mean and the highest residual of runs once it is judged."""
    left, topics = residual.copy(), len(group.topics)
    for document in group.documents.tolist():
        own = candidates.entries(document)
        left[candidates.run[own]] -= candidates.weight[own] / topics
        yield document, (max(0.0, float(left.mean())), max(0.0, float(left.max())))
