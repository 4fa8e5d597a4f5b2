"""Ideal rankings of documents that serve several sub-topics: the greedy one, the best one, and a bound of any.

To find the best one is NP-hard (Carterette, An analysis of NP-completeness in novelty and diversity ranking, 2011).
"""

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.aspects import Aspects
from rankscale.data.records import dataclass

TIED = 1e-12  # gains that differ by no more are tied
MOST_STATES = 10**6  # of the search for the best ranking of a topic


@dataclass(frozen=True, eq=False)
class Novelties:
    """The relevant documents of each topic, and which sub-topics each serves.

    Documents of a topic stand in descending byte order of their names, so that the first of tied ones comes first.
    """

    serves: Bools  # (sub-topic, topic, document)
    weight: Floats  # (sub-topic, topic): probabilities
    count: Ints  # (topic,), documents
    alpha: float

    @classmethod
    def of(cls, aspects: Aspects, weight: Floats, rel: float, alpha: float) -> "Novelties":
        """Those of all topics; `weight` (topic, sub-topic) are the probabilities of sub-topics."""
        relevant = np.flatnonzero(aspects.levels[aspects.code] >= rel)
        aspect = aspects.aspect_of[relevant]
        topic = aspects.topic_of[aspect]
        document = aspects.judgments[topic] + aspects.document[relevant]
        # Rows of documents, topic by topic, the last name first.
        held, entry = np.unique(document, return_inverse=True)
        owner = np.searchsorted(aspects.judgments, held, side="right") - 1
        order = np.lexsort((-aspects.name_order[held], owner))
        count = np.bincount(owner, minlength=len(weight))
        place = np.empty(len(held), dtype=np.int64)
        place[order] = np.arange(len(held)) - np.repeat(np.cumsum(count) - count, count)
        serves = np.zeros((weight.shape[-1], len(weight), int(count.max(initial=0))), dtype=bool)
        serves[aspect - aspects.starts[topic], topic, place[entry]] = True
        return cls(serves, np.ascontiguousarray(weight.T), count, alpha)

    @property
    def most(self) -> int:
        """The most documents of a topic."""
        return int(self.serves.shape[-1])

    def groups(self, topic: int) -> tuple[Bools, Ints]:
        """Documents of a topic that serve the same sub-topics: (group, sub-topic) which, and (group,) how many."""
        counted = self.weight[:, topic] > 0
        patterns = self.serves[counted, topic, : self.count[topic]].T
        sets, sizes = np.unique(patterns[patterns.any(axis=-1)], axis=0, return_counts=True)
        return sets, sizes


def greedy_gains(novelties: Novelties, depth: int) -> Floats:
    """(topic, rank): gains of the ranking whose every rank takes the document that gains most, ties by name."""
    left = novelties.weight.copy()  # what is left of the interest in each sub-topic
    open_to = novelties.serves.astype(np.float64)
    topics = np.arange(len(novelties.count))
    gains = np.zeros((len(topics), depth))
    for rank in range(min(depth, novelties.most)):
        gain = (left[:, :, None] * open_to).sum(axis=0)
        best = gain.max(axis=-1, initial=0.0)
        chosen = np.argmax((gain >= best[:, None] - TIED) & (gain > 0), axis=-1)
        taken = open_to[:, topics, chosen] > 0
        gains[:, rank] = gain[topics, chosen]
        left = np.where(taken, left * (1.0 - novelties.alpha), left)
        open_to[:, topics, chosen] = 0.0
    return gains


def exact_depths(novelties: Novelties, depth: int) -> Ints:
    """(topic,): down to which rank, at most `depth`, the best ranking can be computed."""
    return np.array(
        [_exact_depth(novelties.groups(topic)[1], depth) for topic in range(len(novelties.count))], dtype=int
    )


def _exact_depth(sizes: Ints, depth: int) -> int:
    """The deepest rank k for which the product of (min(size, k) + 1) is small enough."""
    ranks = np.arange(1, depth + 1)
    logarithm = np.log(np.minimum(sizes[:, None], ranks) + 1.0).sum(axis=0) if len(sizes) else np.zeros(depth)
    return int(np.count_nonzero(logarithm <= np.log(MOST_STATES) + TIED))


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
    probability = novelties.weight[novelties.weight[:, topic] > 0, topic]
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
    relevant = novelties.serves.sum(axis=-1)  # (sub-topic, topic)
    by_subtopic = _served(np.minimum(ranks, relevant[:, :, None]), novelties.alpha)
    by_subtopic = (novelties.weight[:, :, None] * by_subtopic).sum(axis=0)
    first = np.sort((novelties.weight[:, :, None] * novelties.serves).sum(axis=0), axis=-1)[:, ::-1]
    first = np.pad(first, ((0, 0), (0, max(0, len(weights) - first.shape[-1]))))[:, : len(weights)]
    falls = weights - np.append(weights[1:], 0.0)
    bound: Floats = (falls * np.minimum(by_subtopic, np.cumsum(first, axis=-1))).sum(axis=-1)
    return bound


def _served(documents: Ints, alpha: float) -> Floats:
    """What so many documents of a sub-topic gain together: h(x) = (1 - (1-alpha)^x) / alpha."""
    served: Floats = documents.astype(np.float64) if alpha == 0 else (1.0 - np.power(1.0 - alpha, documents)) / alpha
    return served
