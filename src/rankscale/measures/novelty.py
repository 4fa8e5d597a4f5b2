"""Measures of novelty: gains that shrink the more documents a sub-topic has had, weighed by rank.

`alpha_DCG`, `ERR_IA` and `NRBP` differ in how they weigh ranks, and have versions over an ideal ranking of the topic.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.aspects import Aspects
from rankscale.data.judged import BEYOND, Judged
from rankscale.data.names import listed
from rankscale.errors import ParameterError
from rankscale.measures.base.additive import weights_of
from rankscale.measures.base.gains import read_along
from rankscale.measures.base.measure import Numbers, divide
from rankscale.measures.base.parameters import param, rel_param
from rankscale.measures.base.ties import at_end, mean_over_count
from rankscale.measures.families.subtopics import (
    TIED,
    Novelties,
    OverSubtopicIdeal,
    OverSubtopics,
    add_in_order,
    exact_depths,
    exact_ideal,
    greedy_gains,
    met_before,
    renormalise_param,
    upper_bounds,
)

MOST_ABOVE_GREEDY = 1.5819767068693265  # e / (e - 1): what a best ranking can have over a greedy one
LEAST_TERM = 1e-20  # of a divisor: later ones change no digit


@dataclass(frozen=True)
class Novelty(OverSubtopics):
    """A sum of weight(rank) * g over a norm, g adding up p (1-alpha)^(documents met before) over sub-topics."""

    bounded: ClassVar[bool] = True

    alpha: float = param(
        0.5, ge=0, le=1, help="share of the interest in a sub-topic that each document relevant to it uses up"
    )
    rel: float = rel_param()
    renormalise: bool = renormalise_param()

    def weight(self, rank: Ints) -> Floats:
        """Weight of the gain at each rank."""
        raise NotImplementedError(f"{type(self).__name__} must define weight()")

    def decay(self, most: int) -> Floats:
        """(most + 1,): what is left of a sub-topic's interest after 0, 1, 2, ... documents."""
        return np.power(1.0 - self.alpha, np.arange(most + 1))

    def novelty(self, judged: Judged) -> Floats:
        """(topic, entry): g, what each entry gains given those above it."""
        key = ("novelty", self.alpha, self.rel, self.renormalise)
        return judged.memo(key, lambda: self._novelty(judged))

    def _novelty(self, judged: Judged) -> Floats:
        gain, width = np.zeros(judged.rank.size), judged.rank.shape[-1]
        left, weight = self.decay(width), self.probabilities(judged)
        for cell, subtopic in self.relevant_pairs(judged):
            add_in_order(gain, cell, weight[subtopic] * left[met_before(cell // width, subtopic)])
        return gain.reshape(judged.rank.shape)

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): weighted gains, summed down the ranking."""
        return np.cumsum(weights_of(judged, self.weight) * self.novelty(judged), axis=-1)

    def over_ties(self, judged: Judged) -> Numbers:
        """(topic, rank): the same on average: a tied document follows some of those that serve its sub-topic."""
        gain = np.zeros(judged.rank.size)
        left = self.decay(judged.rank.shape[-1])
        width = judged.rank.shape[-1]
        for places, weight, one in self.each(judged):
            held = np.rint(one.tie_group_sum(one.relevant(self.rel))).astype(np.int64)
            cells = np.flatnonzero(held)
            columns = held, one.tie_group_size, one.rank - one.first
            relevant, size, place = (np.take(column, cells).astype(np.int64) for column in columns)
            above = np.take(one.above_tie_group(one.relevant_so_far(self.rel)), cells)

            def rest(where: Ints, met: int, above: Ints = above) -> Floats:
                return np.take(left, above[where] + met)

            mean = mean_over_count(size - 1, relevant - 1, place, rest)
            ranking, rank = np.divmod(cells, max(width, 1))
            into = np.arange(judged.topics)[places][ranking] * width + rank
            gain[into] += np.take(np.broadcast_to(weight, held.shape), cells) * relevant / size * mean
        return np.cumsum(weights_of(judged, self.weight) * gain.reshape(judged.rank.shape), axis=-1)


@dataclass(frozen=True)
class OverAllNew(Novelty):
    """Novelty over that of documents which are relevant to everything, at every rank."""

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """(1, any): the sum over ranks of weight times what is left of all interest."""
        reached = np.where(rank == BEYOND, 0, rank)
        deepest = int(reached.max(initial=0))
        if self.alpha == 1:
            deepest = min(deepest, 1)
        elif self.alpha > 0:
            deepest = min(deepest, int(np.log(LEAST_TERM) / np.log1p(-self.alpha)) + 1)
        terms = self.weight(np.arange(1, deepest + 1)) * self.decay(deepest)[:-1]
        return np.append(0.0, np.cumsum(terms))[np.minimum(reached, deepest)]


@dataclass(frozen=True)
class OverNovelIdeal(OverSubtopicIdeal, Novelty):
    """Novelty over that of an ideal ranking of the topic's documents, the greedy one or the best."""

    limits: ClassVar[tuple[float, float]] = (0, MOST_ABOVE_GREEDY)

    ideal: str = param(
        "greedy",
        choices=("greedy", "exact"),
        help="'greedy': each rank of the ideal ranking takes the document that gains most there; 'exact': the best "
        "ranking there is, for topics where it can be computed",
    )

    def remark(self) -> str:
        """When values are above 1."""
        if self.ideal == "exact":
            return (
                "values are above 1 only where the best ranking cannot be computed, and the greedy one takes its place"
            )
        return (
            "a value above 1 is that of a ranking better than the greedy ideal; ideal='exact' divides by the best one"
        )

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the values down to the end of each ranking, over the whole ideal."""
        return divide(judged.read(total), self.ideal_at(judged, None)[:, 0])

    def ideal_at(self, judged: Judged, rank: Ints | None) -> Floats:
        """(topic, any): what ideal rankings have cumulated at these ranks, or in all."""
        if judged.aspects is None or judged.row is None:
            return self._of_one(judged, rank)
        curve = self.ideal_curve(judged.aspects, None if rank is None else int(rank.max(initial=0)))
        return read_along(curve[judged.row], rank)

    def _of_one(self, judged: Judged, rank: Ints | None) -> Floats:
        """(topic, any): the same for topics that are one sub-topic: all its documents, one after the other."""
        count = judged.recall_base(self.rel)[:, None]
        most = int(count.max(initial=0))
        curve = np.append(0.0, np.cumsum(self.weight(np.arange(1, most + 1)) * self.decay(most)[:-1]))
        return curve[count if rank is None else np.minimum(rank, count)]

    def ideal_curve(self, aspects: Aspects, deepest: int | None) -> Floats:
        """(topic, rank): what the ideal rankings of all topics cumulate, down to a rank; made once for all runs."""
        novelties = self.novelties(aspects)
        depth = novelties.most if deepest is None else min(deepest, novelties.most)
        return aspects.memo(("ideal", self.at(None), depth), lambda: self._ideal_curve(novelties, depth))

    def novelties(self, aspects: Aspects) -> Novelties:
        """What each relevant document of the qrels gains by sub-topic, topic by topic."""
        if self.ideal == "exact":
            aspects.refuse_many()  # it looks at all documents and sub-topics of a topic
        key = ("novelties", self.alpha, self.rel, self.renormalise)
        return aspects.memo(key, lambda: Novelties.of(aspects, self.probabilities_in(aspects), self.rel, self.alpha))

    def _ideal_curve(self, novelties: Novelties, depth: int) -> Floats:
        weights = self.weight(np.arange(1, depth + 1))
        greedy = np.cumsum(weights * greedy_gains(novelties, depth), axis=-1)
        if self.ideal == "exact":
            for topic, reach in enumerate(exact_depths(novelties, depth).tolist()):
                greedy[topic, :reach] = exact_ideal(novelties, topic, weights[:reach])
        return greedy

    def aspect_cautions(self, aspects: Aspects, topics: Sequence[str]) -> Iterator[str]:
        """Also, that the best ranking of some topics could not be computed, and how much better it may be."""
        yield from super().aspect_cautions(aspects, topics)
        if self.ideal != "exact":
            return
        novelties = self.novelties(aspects)
        depth = novelties.most if self.depth is None else min(self.depth, novelties.most)
        weights = self.weight(np.arange(1, depth + 1))
        beyond = np.flatnonzero(exact_depths(novelties, depth) < np.minimum(depth, novelties.count))
        if len(beyond):
            greedy = (weights * greedy_gains(novelties, depth)).sum(axis=-1)
            most = float((divide(upper_bounds(novelties, weights), greedy)[beyond] - 1).max())
            by = "it is the best" if most <= TIED else f"no ranking is better by more than {100 * most:.2g}%"
            yield (
                f"the best ranking of {len(beyond)} of {len(topics)} topics is too long to compute "
                f"({listed([topics[place] for place in beyond.tolist()])}), and the greedy one is the ideal there; {by}"
            )

    def cautions(self, values: Floats, levels: Floats, highest: float) -> Iterator[str]:  # values tell
        """That the greedy ideal was not the best."""
        above = int(np.count_nonzero(values > 1 + 1e-12))
        if above:
            defined = np.count_nonzero(~np.isnan(values))
            yield (
                f"values are above 1 for {above} of {defined} rankings, which are better than the greedy ideal; "
                "ideal='exact' finds the best one"
            )


@dataclass(frozen=True)
class alpha_DCG(OverAllNew):
    """Gain of documents that are relevant to sub-topics not yet covered, discounted by the rank.

    A document gains for each sub-topic that it is relevant to, and (1-alpha) times as much for each document of that
    sub-topic above it. The sum is divided by that of documents which are relevant to everything. Here the topic is one
    sub-topic, 1 + (1/2) / log2(4) over 1 + (1/2) / log2(3) + (1/4) / log2(4):

    >>> from rankscale.data.judged import judged
    >>> alpha_DCG(depth=3).value(judged("1 0 1")).round(4)
    array([0.8678])

    At depth 1 this is the share of sub-topics that the first document is relevant to; ndeval prints their number there.

    Formula
    -------
    sum over ranks r <= k of g / log2(r+1), over the same sum with g = (1-alpha)^(r-1);
    g is the sum, over the sub-topics that the document is relevant to, of p (1-alpha)^n,
    p the probability of the sub-topic and n the number of documents above that are relevant to it

    User model
    ----------
    has one of several interests, reads from the top and gains less from what repeats what was read

    References
    ----------
    Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon, SIGIR 2008;
    Clarke, Craswell, Soboroff and Ashkan, WSDM 2011
    """

    needs_depth: ClassVar[bool] = True

    def weight(self, rank: Ints) -> Floats:
        """The discount at each rank."""
        weight: Floats = 1.0 / np.log2(rank + 1.0)
        return weight


@dataclass(frozen=True)
class alpha_nDCG(OverNovelIdeal, alpha_DCG):
    """alpha_DCG over that of an ideal ranking of the topic's documents.

    The ideal ranking is the greedy one, as in ndeval: at each rank the document that gains most there, the last by
    name of those that gain alike. The best ranking is hard to find: a ranking that is better than the greedy one has a
    value above 1, and a notice says so. `ideal='exact'` finds the best one for topics that are not too large. Here the
    topic is one sub-topic with three relevant documents:

    >>> from rankscale.data.judged import judged
    >>> alpha_nDCG(depth=3).value(judged("1 0 1", missed="1")).round(4)
    array([0.8678])

    Formula
    -------
    alpha_DCG@k / (alpha_DCG@k of the ideal ranking)

    User model
    ----------
    has one of several interests, gains less from what repeats what was read, and compares with what was possible

    References
    ----------
    Clarke, Kolla, Cormack, Vechtomova, Ashkan, Büttcher and MacKinnon, SIGIR 2008
    """


@dataclass(frozen=True)
class ERR_IA(OverAllNew):
    """Gain of documents that are relevant to sub-topics not yet covered, over the rank.

    As alpha_DCG, with the rank in place of the logarithm. Here the topic is one sub-topic, 1 + (1/2) / 3 over
    1 + (1/2) / 2 + (1/4) / 3:

    >>> from rankscale.data.judged import judged
    >>> ERR_IA(depth=3).value(judged("1 0 1")).round(4)
    array([0.875])

    Formula
    -------
    sum over ranks r <= k of g / r, over the same sum with g = (1-alpha)^(r-1);
    g is the sum, over the sub-topics that the document is relevant to, of p (1-alpha)^n,
    p the probability of the sub-topic and n the number of documents above that are relevant to it

    User model
    ----------
    has one of several interests, and stops at a document that serves it with probability alpha

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance, CIKM 2009;
    Clarke, Craswell, Soboroff and Ashkan, WSDM 2011
    """

    needs_depth: ClassVar[bool] = True

    def weight(self, rank: Ints) -> Floats:
        """The reciprocal of the rank."""
        return 1.0 / np.asarray(rank, dtype=np.float64)


@dataclass(frozen=True)
class nERR_IA(OverNovelIdeal, ERR_IA):
    """ERR_IA over that of an ideal ranking of the topic's documents, as in alpha_nDCG.

    Here the topic is one sub-topic with three relevant documents:

    >>> from rankscale.data.judged import judged
    >>> nERR_IA(depth=3).value(judged("1 0 1", missed="1")).round(4)
    array([0.875])

    Formula
    -------
    ERR_IA@k / (ERR_IA@k of the ideal ranking)

    User model
    ----------
    has one of several interests,
    stops at a document that serves it with probability alpha, and compares with what was possible

    References
    ----------
    Clarke, Craswell, Soboroff and Ashkan, WSDM 2011
    """


@dataclass(frozen=True)
class NRBP(Novelty):
    """What a user gains who reads on with probability beta and gains less from what repeats what was read.

    As RBP, with the gain of alpha_DCG. Here the topic is one sub-topic, (1 - 1/4) (1 + (1/2) (1/4)):

    >>> from rankscale.data.judged import judged
    >>> NRBP().value(judged("1 0 1"))
    array([0.84375])

    Formula
    -------
    (1 - (1-alpha) beta) sum over ranks r <= k of beta^(r-1) g;
    g is the sum, over the sub-topics that the document is relevant to, of p (1-alpha)^n,
    p the probability of the sub-topic and n the number of documents above that are relevant to it

    User model
    ----------
    has one of several interests, and after each document reads on with probability beta

    References
    ----------
    Clarke, Kolla and Vechtomova, An Effectiveness Measure for Ambiguous and Underspecified Queries, ICTIR 2009
    """

    unbounded_depth: ClassVar[bool] = True

    beta: float = param(0.5, ge=0, le=1, help="the probability of reading on after a document")

    def check(self) -> None:
        """Raise ParameterError where sums have no end."""
        if (1 - self.alpha) * self.beta >= 1:
            raise ParameterError(f"{self.name}: beta must be below 1 where alpha is 0, got beta={self.beta:g}")

    def weight(self, rank: Ints) -> Floats:
        """The share of users who look at each rank."""
        return np.power(float(self.beta), np.asarray(rank, dtype=np.float64) - 1)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """What documents that are relevant to everything have, without end."""
        return np.array([[1.0 / (1.0 - (1.0 - self.alpha) * self.beta)]])

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): what all ranks below these would add if each were relevant to everything."""
        left = self.decay(judged.rank.shape[-1])
        rest = np.zeros(np.broadcast_shapes((judged.topics, 1), rank.shape))
        for places, weight, one in self.each(judged):
            reached = rank if rank.shape[0] == 1 else rank[places]
            rest[places] += weight * at_end(left[one.relevant_so_far(self.rel)], reached, 1.0)
        return rest * self.weight(rank + 1)


@dataclass(frozen=True)
class nNRBP(OverNovelIdeal, NRBP):
    """NRBP over that of an ideal ranking of the topic's documents, as in alpha_nDCG; without a depth, of all of it.

    Here the topic is one sub-topic with three relevant documents, 1 + (1/2) (1/4) over 1 + 1/4 + 1/16:

    >>> from rankscale.data.judged import judged
    >>> nNRBP().value(judged("1 0 1", missed="1")).round(4)
    array([0.8571])

    Formula
    -------
    NRBP / (NRBP of the ideal ranking)

    User model
    ----------
    has one of several interests, reads on with probability beta, and compares with what was possible

    References
    ----------
    Clarke, Craswell, Soboroff and Ashkan, WSDM 2011
    """
