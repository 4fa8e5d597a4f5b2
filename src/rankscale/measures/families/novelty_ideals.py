"""Ideal rankings of documents that serve several sub-topics: the greedy one, the best one, and a bound of any.

To find the best one is NP-hard (Carterette, An analysis of NP-completeness in novelty and diversity ranking, 2011).
"""

from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.aspects import Aspects
from rankscale.data.resources import need
from rankscale.errors import InputError

TIED = 1e-12  # gains that differ by no more are tied
MOST_STATES = 10**6  # of the search for the best ranking of a topic
MOST_STEPS = 10**9  # of a greedy ranking: ranks times documents and the sub-topics that they serve


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
