"""Measures that look at the grades of each sub-topic (intent, nugget) of a topic, and ideal rankings of such topics.

There is the greedy one, the best one, and a bound of any. To find the best one is NP-hard (Carterette, An analysis of
NP-completeness in novelty and diversity ranking, 2011).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.aspects import Aspects
from rankscale.data.judged import BEYOND, Judged
from rankscale.data.names import listed
from rankscale.data.resources import need
from rankscale.errors import InputError
from rankscale.measures.base.measure import BestFirst, Measure, Numbers, divide
from rankscale.measures.base.parameters import param

TIED = 1e-12  # gains that differ by no more are tied
MOST_STATES = 10**6  # of the search for the best ranking of a topic
MOST_STEPS = 10**9  # of a greedy ranking: ranks times documents and the sub-topics that they serve


def renormalise_param() -> bool:
    """The parameter `renormalise`, for all measures that weigh sub-topics."""
    return param(True, help="whether probabilities given to sub-topics are scaled to add up to 1 over those that count")


class OverSubtopics(Measure):
    """A measure of sub-topics, with the parameters `rel` and `renormalise`, which a subclass declares.

    S are the sub-topics with a document of grade `rel` or higher; no other counts. Their probabilities p are 1 / |S|
    unless they were given. Where the qrels name no sub-topics, each topic is one.
    """

    by_subtopic: ClassVar[bool] = True
    best_first: ClassVar[BestFirst | None] = "never"  # documents of one grade may serve other sub-topics

    rel: float
    renormalise: bool

    @property
    def lowest(self) -> float:
        """The lowest grade that is relevant to a sub-topic."""
        return self.rel

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that are not relevant: a document has the highest of those of its sub-topics."""
        return levels < self.lowest

    def respects_order(self, levels: Sequence[float]) -> bool:
        """It does not: which sub-topics a document serves is not in its grade."""
        return False

    @property
    def has_interval_version(self) -> bool:
        """There is none: rankings are counted by the grades of their documents, which have one for each sub-topic."""
        return False

    @property
    def topic_scales(self) -> bool:
        """Whether each topic has a scale of its own: topics differ in their number of sub-topics."""
        return True

    def probabilities(self, judged: Judged) -> Floats:
        """(sub-topic,): p of all sub-topics of the qrels, 0 for those that do not count; (topic,) where each is one."""
        if judged.aspects is None or judged.row is None:
            return (judged.recall_base(self.lowest) > 0).astype(np.float64)
        return self.probabilities_in(judged.aspects)

    def probabilities_in(self, aspects: Aspects) -> Floats:
        """(sub-topic,): p of all sub-topics of qrels, 0 for those that do not count."""
        renormalise = getattr(self, "renormalise", True)
        key = "probabilities", self.lowest, renormalise
        return aspects.memo(key, lambda: _probabilities(aspects, self.lowest, renormalise))

    def counting(self, judged: Judged) -> Floats:
        """(sub-topic,): 1 for those of S, of all of the qrels; where all of a topic have the probability 0 none."""
        if judged.aspects is None or judged.row is None:
            return self.probabilities(judged)
        aspects, there = judged.aspects, self.probabilities(judged) > 0
        weighed = np.bincount(aspects.topic_of[there], minlength=len(aspects.counts)) > 0
        return ((relevant_counts(aspects, self.lowest) > 0) & weighed[aspects.topic_of]).astype(np.float64)

    def each(self, judged: Judged) -> Iterator[tuple[Ints | slice, Floats, Judged]]:
        """The sub-topics by their number: places of the rankings, probabilities, (ranking, 1), and the rankings.

        The rankings are those of topics that have so many sub-topics, judged by that one alone.
        """
        every, first = self.probabilities(judged), self.first_subtopic(judged)
        for number, places, one in judged.each_aspect():
            weight = every[first[places] + number]
            if weight.any():
                yield places, weight[:, None], one

    def relevant_pairs(self, judged: Judged) -> Iterator[tuple[Ints, Ints]]:
        """Cells of entries and sub-topics that they are relevant to, (pair,) each, some rankings at a time."""
        lowest = np.searchsorted(judged.with_fill_level().levels, self.lowest)
        for cell, subtopic, code in judged.aspect_pairs():
            kept = code >= lowest
            yield cell[kept], subtopic[kept]

    def first_subtopic(self, judged: Judged) -> Ints:
        """(topic,): the place of each topic's first sub-topic among those that `probabilities` and `counting` have."""
        if judged.aspects is None or judged.row is None:
            return np.arange(judged.topics)
        return judged.aspects.starts[judged.row]

    def aspect_cautions(self, aspects: Aspects, topics: Sequence[str]) -> Iterator[str]:
        """That some topics have no sub-topic that counts."""
        something = np.bincount(aspects.topic_of[self.probabilities_in(aspects) > 0], minlength=len(topics)) > 0
        nothing = [topics[row] for row in np.flatnonzero(~something).tolist()]
        if nothing:
            has = "has" if len(nothing) == 1 else "have"
            yield (
                f"{len(nothing)} of {len(topics)} topics {has} no sub-topic with a relevant document and a probability "
                f"({listed(nothing)}); {'its' if len(nothing) == 1 else 'their'} values are 0"
            )

    def extreme_grades(self, judged: Judged) -> tuple[float | None, float | None]:
        """An unjudged document is relevant to no sub-topic at its worst, to each that counts at its best."""
        return None, max(float(judged.levels.max(initial=self.lowest)), self.lowest)

    def filled(self, table: Judged, grade: float | None, reach: Ints) -> Judged:
        """Rankings with what no sub-topic judges down to these ranks given this grade by each of them."""
        return table.filled_aspects(grade, reach)


class OverSubtopicIdeal(OverSubtopics):
    """A measure of sub-topics over what an ideal ranking cumulates, `ideal_at`."""

    uses_recall_base: ClassVar[bool] = True
    over_ideal: ClassVar[bool] = True

    def ideal_at(self, judged: Judged, rank: Ints | None) -> Floats:
        """(topic, any): what ideal rankings have cumulated at these ranks, or in all."""
        raise NotImplementedError(f"{type(self).__name__} must define ideal_at()")

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): the sum over that of the ideal ranking, cut where this one is."""
        return divide(total, self.ideal_at(judged, np.where(rank == BEYOND, 0, rank)))

    def has_scale(self, judged: Judged) -> Bools:
        """(topic,): whether the ideal ranking gains something."""
        return self.ideal_at(judged, np.array([[1]]))[:, 0] > 0


def met_before(ranking: Ints, subtopic: Ints) -> Ints:
    """(pair,): how many pairs before each one, from the top of the ranking on, are of the same sub-topic.

    >>> met_before(np.array([0, 0, 0, 1]), np.array([2, 1, 2, 2])).tolist()
    [0, 0, 1, 0]
    """
    order = np.lexsort((subtopic, ranking))  # which leaves pairs of one sub-topic in their order
    opens = np.ones(len(order), dtype=bool)
    opens[1:] = (np.diff(subtopic[order]) != 0) | (np.diff(ranking[order]) != 0)
    place = np.arange(len(order))
    before = np.empty(len(order), dtype=np.int64)
    before[order] = place - np.maximum.accumulate(np.where(opens, place, 0))
    return before


def add_in_order(total: Floats, cell: Ints, amount: Floats) -> None:
    """Add amounts, (pair,), to the cells of a flat table, one after the other; cells ascend."""
    if len(cell):
        low, high = int(cell[0]), int(cell[-1]) + 1
        total[low:high] += np.bincount(cell - low, amount, high - low)


def _probabilities(aspects: Aspects, rel: float, renormalise: bool) -> Floats:  # noqa: FBT001  # internal
    counts = relevant_counts(aspects, rel) > 0
    given = aspects.weights
    weight = counts.astype(np.float64) if given is None else np.where(counts, given, 0.0)
    if given is not None and not renormalise:
        return weight
    total = aspects.topic_sums(weight)
    if not np.isfinite(total).all():  # as shares of a larger number, their sum is finite
        weight = np.where(np.isfinite(total)[aspects.topic_of], weight, weight / len(weight))
        total = aspects.topic_sums(weight)
    return divide(weight, total[aspects.topic_of])


def relevant_counts(aspects: Aspects, rel: float) -> Floats:
    """(aspect,): RB, how many documents are relevant to each sub-topic."""
    relevant = aspects.aspect_of[aspects.levels[aspects.code] >= rel]
    return np.bincount(relevant, minlength=len(aspects.names)).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Novelties:
    """The relevant documents of each topic, and which sub-topics each serves.

    Documents of a topic stand in descending byte order of their names, so that the first of tied ones comes first.
    Pairs of a document and a sub-topic that it serves are in the order of documents, then of sub-topics.
    """

    document: Ints  # (pair,), place among the documents of all topics
    subtopic: Ints  # (pair,)
    starts: Ints  # (topic + 1,), where the documents of each topic start
    subtopics: Ints  # (topic + 1,), where the sub-topics of each topic start
    weight: Floats  # (sub-topic,): probabilities
    alpha: float

    @classmethod
    def of(cls, aspects: Aspects, weight: Floats, rel: float, alpha: float) -> "Novelties":
        """Those of all topics; `weight` (sub-topic,) are the probabilities of sub-topics."""
        relevant = np.flatnonzero(aspects.levels[aspects.code] >= rel)
        judgment = aspects.place[relevant]
        # Places of documents, topic by topic, the last name first.
        held, entry = np.unique(judgment, return_inverse=True)
        owner = np.searchsorted(aspects.judgments, held, side="right") - 1
        order = np.lexsort((-aspects.name_order[held], owner))
        place = np.empty(len(held), dtype=np.int64)
        place[order] = np.arange(len(held))
        document, subtopic = place[entry], aspects.aspect_of[relevant]
        by_document = np.lexsort((subtopic, document))
        starts = np.concatenate([[0], np.cumsum(np.bincount(owner, minlength=len(aspects.counts)))])
        return cls(document[by_document], subtopic[by_document], starts, aspects.starts, weight, alpha)

    @property
    def count(self) -> Ints:
        """(topic,): how many documents each has."""
        return np.diff(self.starts)

    @property
    def most(self) -> int:
        """The most documents of a topic."""
        return int(self.count.max(initial=0))

    def of_topic(self, topic: int) -> tuple[Bools, Floats]:
        """(document, sub-topic) which documents of a topic serve what, and (sub-topic,) the probabilities."""
        low, high = int(self.subtopics[topic]), int(self.subtopics[topic + 1])
        first, last = np.searchsorted(self.document, self.starts[topic : topic + 2])
        serves = np.zeros((int(self.count[topic]), high - low), dtype=bool)
        serves[self.document[first:last] - self.starts[topic], self.subtopic[first:last] - low] = True
        return serves, self.weight[low:high]

    def groups(self, topic: int) -> tuple[Bools, Ints]:
        """Documents of a topic that serve the same sub-topics: (group, sub-topic) which, and (group,) how many."""
        serves, weight = self.of_topic(topic)
        patterns = serves[:, weight > 0]
        sets, sizes = np.unique(patterns[patterns.any(axis=-1)], axis=0, return_counts=True)
        return sets, sizes


def greedy_gains(novelties: Novelties, depth: int) -> Floats:
    """(topic, rank): gains of the ranking whose every rank takes the document that gains most, ties by name.

    Raise InputError where that takes too long.
    """
    left = novelties.weight.copy()  # what is left of the interest in each sub-topic
    document, subtopic, starts = novelties.document, novelties.subtopic, novelties.starts
    if depth * len(document) > MOST_STEPS:
        raise InputError(
            f"the ideal ranking of {len(document):,} documents and sub-topics down to rank {depth:,} takes too long; "
            "give the measure a smaller depth, as in alpha_nDCG@20"
        )
    topics, owner = np.flatnonzero(novelties.count), np.repeat(np.arange(len(starts) - 1), novelties.count)
    is_open, ends = np.ones(len(owner)), np.append(np.searchsorted(document, np.arange(len(owner))), len(document))
    gains = np.zeros((len(starts) - 1, depth))
    for rank in range(min(depth, novelties.most)):
        gain = np.bincount(document, left[subtopic], len(owner)) * is_open
        best = np.maximum(np.maximum.reduceat(gain, starts[topics]), 0.0)
        near = np.flatnonzero((gain >= np.repeat(best - TIED, novelties.count[topics])) & (gain > 0))
        with_one, first = np.unique(owner[near], return_index=True)
        chosen = near[first]
        gains[with_one, rank] = gain[chosen]
        size = ends[chosen + 1] - ends[chosen]
        taken = subtopic[np.repeat(ends[chosen] - (np.cumsum(size) - size), size) + np.arange(int(size.sum()))]
        left[taken] *= 1.0 - novelties.alpha
        is_open[chosen] = 0.0
    return gains


def exact_depths(novelties: Novelties, depth: int) -> Ints:
    """(topic,): down to which rank, at most `depth`, the best ranking can be computed.

    That is the deepest rank k for which the product of (min(size, k) + 1) over groups is small enough.
    """
    depths, ranks = np.zeros(len(novelties.count), dtype=int), np.arange(1, depth + 1)
    for topic in range(len(depths)):
        _, sizes = novelties.groups(topic)
        logarithm = np.log(np.minimum(sizes[:, None], ranks) + 1.0).sum(axis=0)
        depths[topic] = np.count_nonzero(logarithm <= np.log(MOST_STATES) + TIED)
    return depths


def exact_ideal(novelties: Novelties, topic: int, weights: Floats) -> Floats:
    """(rank,): what the best ranking down to each rank cumulates, each rank having its own best ranking.

    The state of a ranking is how many documents of each group it holds; which came last is what a step chooses.
    """
    sets, sizes = novelties.groups(topic)
    depth = len(weights)
    if len(sets) == 0 or depth == 0:
        return np.zeros(depth)
    shape = np.minimum(sizes, depth) + 1
    used = np.indices(tuple(shape), dtype=np.int16).reshape(len(shape), -1)  # (group, state)
    strides = np.append(np.cumprod(shape[:0:-1])[::-1], 1)
    length = used.sum(axis=0, dtype=np.int64)
    order = np.argsort(length, kind="stable")
    ends = np.searchsorted(length[order], np.arange(depth + 2))
    met = sets.T.astype(np.int16) @ used  # (sub-topic, state)
    _, weight = novelties.of_topic(topic)
    probability = weight[weight > 0]
    left = np.power(1.0 - novelties.alpha, np.arange(int(met.max(initial=0)) + 1))
    best, ideal = np.zeros(used.shape[-1]), np.zeros(depth)
    for rank in range(1, depth + 1):
        states = order[ends[rank] : ends[rank + 1]]
        if len(states):
            reached = np.full(len(states), -np.inf)
            gain = probability[:, None] * left[np.maximum(met[:, states] - 1, 0)]
            for group, served in enumerate(sets):
                before = np.flatnonzero(used[group, states] > 0)
                added = weights[rank - 1] * gain[served][:, before].sum(axis=0)
                reached[before] = np.maximum(reached[before], best[states[before] - strides[group]] + added)
            best[states] = reached
        ideal[rank - 1] = max(ideal[rank - 2] if rank > 1 else 0.0, reached.max() if len(states) else 0.0)
    return ideal


def upper_bounds(novelties: Novelties, weights: Floats) -> Floats:
    """(topic,): what no ranking cumulates more than, given the weights of its ranks; it certifies a greedy ideal.

    After r ranks a sub-topic gave no more than r of its documents can, nor all together more than the r documents of
    the largest first gains.
    """
    ranks = np.arange(1, len(weights) + 1)
    falls = weights - np.append(weights[1:], 0.0)
    bounds = np.zeros(len(novelties.count))
    for topic in range(len(bounds)):
        serves, weight = novelties.of_topic(topic)
        need(3 * 8 * len(weight) * len(weights), "a bound of the best ranking", "choose a smaller depth")
        by_subtopic = _served(np.minimum(ranks, serves.sum(axis=0)[:, None]), novelties.alpha)
        first = np.sort((weight * serves).sum(axis=-1))[::-1][: len(weights)]
        first = np.pad(first, (0, len(weights) - len(first)))
        bounds[topic] = (falls * np.minimum((weight[:, None] * by_subtopic).sum(axis=0), np.cumsum(first))).sum()
    return bounds


def _served(documents: Ints, alpha: float) -> Floats:
    """What so many documents of a sub-topic gain together: h(x) = (1 - (1-alpha)^x) / alpha."""
    return documents.astype(np.float64) if alpha == 0 else (1.0 - np.power(1.0 - alpha, documents)) / alpha
