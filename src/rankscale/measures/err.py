"""Expected reciprocal rank, and four user models close to it: not (but nearly) ERR, all of the C/W/L kind."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, NamedTuple

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.errors import ScaleError
from rankscale.measures.base.binary import OfSeveralColumns, TiedAtRanks
from rankscale.measures.base.gains import ScaledGains, irrational
from rankscale.measures.base.measure import Measure, Numbers, divide
from rankscale.measures.base.parameters import RBP_P, param
from rankscale.measures.base.structure import Stopping, Structure
from rankscale.measures.base.ties import at_end, ends_at

MOST_TERMS = 4096  # of the series of the tail; what follows is bounded from above
LARGEST_EXPONENT = 1023  # of a double
SHIFT = 12  # from here on the series below have all digits of a double
EULER = 0.5772156649015329


@dataclass(frozen=True)
class ERR(Measure):
    """The reciprocal of the rank at which a user stops who is content the sooner the higher the grades are.

    `gmax` is the highest grade there could be; the qrels' own where it is not given, and a grade above it counts as
    it. With two grades the top one contents three users of four, the other one of four: 3/4, and a third of the
    quarter that reads on to the third rank, 1/4 * 1/4 * 1/3:

    >>> from rankscale.data.judged import judged
    >>> ERR().value(judged("2 0 1")).round(6)  # 0.75 + 0.020833
    array([0.770833])

    The program of the TREC Web tracks, gdeval, and ir_measures after it, take `gmax=4` whatever the qrels hold.

    Formula
    -------
    sum over ranks i <= k of R_i / i times the product of (1 - R_j) above, R = (2^g - 1) / 2^gmax

    User model
    ----------
    reads from the top and stops at a document with probability (2^g - 1) / 2^gmax

    References
    ----------
    Chapelle, Metzler, Zhang and Grinspan, Expected Reciprocal Rank for Graded Relevance, CIKM 2009
    """

    bounded: ClassVar[bool] = True
    values_follow_gains: ClassVar[bool] = True
    best_first: ClassVar = "always"
    unbounded_depth: ClassVar[bool] = True

    gmax: float | None = param(
        None, gt=0, help="the grade that satisfies almost surely; the highest of the qrels unless given"
    )

    def gain(self, levels: Floats, highest: float) -> Floats:
        """How likely each grade is to content a user."""
        top = self.top(highest)
        grades = np.clip(levels, 0.0, top)
        content: Floats = (
            np.exp2(grades - top) - np.exp2(-top) if top > LARGEST_EXPONENT else (np.exp2(grades) - 1.0) / np.exp2(top)
        )
        return content

    def _gain_fraction(self, level: float, highest: float, double: float) -> Fraction:
        if level != int(level):
            raise ScaleError(irrational(str(self), level))
        top = self.top(highest)
        if double == int(double) or top != int(top):
            return super()._gain_fraction(level, highest, double)
        return Fraction(2 ** min(int(level), int(top)) - 1, 2 ** int(top))

    def structure(self, depth: int | None) -> Structure:
        """Reciprocal ranks, weighted by how many users stop there."""
        return Stopping()

    def top(self, highest: float) -> float:
        """The highest grade there could be; 1 where the qrels have no grade above 0."""
        if self.gmax is not None:
            return self.gmax
        return highest if highest > 0 else 1.0

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that content nobody."""
        return levels <= 0

    def total(self, judged: Judged) -> Floats:
        """The share of users who stop at each entry, over its rank, summed down the ranking."""
        content = self.gain_met(judged)
        stopping: Floats = content * before(_left(content), 1.0)
        return np.cumsum(stopping / judged.rank, axis=-1)

    def over_ties(self, judged: Judged) -> Floats:
        """The share of users who stop at each rank on average, over the rank."""
        left = mean_products(judged, 1.0 - self.gain_met(judged))
        return np.cumsum((before(left, 1.0) - left) / judged.rank, axis=-1)

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """The users who read on, all met by documents of the highest grade."""
        left = at_end(_left(self.gain_met(judged)), rank, 1.0)
        best = float(self.gain(judged.levels, judged.highest).max(initial=0.0))
        return left * self._best_continuation(best, int(rank.max(initial=0)))[rank]

    def _best_continuation(self, best: float, deepest: int) -> Floats:
        """(deepest + 1,): the sum over j >= 1 of best (1 - best)^(j-1) / (d + j), for each rank d from 0."""
        if best == 0:
            return np.zeros(deepest + 1)
        if best == 1:  # 1 - 2^-gmax, rounded: all stop at the next document
            return 1.0 / np.arange(1.0, deepest + 2)
        terms = MOST_TERMS if best < 0.01 else math.ceil(40 / -math.log1p(-best))  # e^-40 is lost in rounding
        stops = best * np.power(1.0 - best, np.arange(terms))
        series = np.correlate(1.0 / np.arange(1.0, deepest + terms + 1), stops, mode="valid")
        return series + (1.0 - best) ** terms / (np.arange(deepest + 1.0) + terms + 1)


def _left(content: Floats) -> Floats:
    """(topic, entry): the share of users whom no document down to each entry has contented."""
    return np.cumprod(1.0 - content, axis=-1, dtype=np.float64)


class RankReading(NamedTuple):
    """(topic, any) each: what has come together when the user has read down to these entries."""

    left: Floats  # the share of users whom nothing has contented
    met: Floats  # gain, each times how likely it is to be seen
    lost: Floats  # documents seen by users who have stopped, as long as they read


@dataclass(frozen=True)
class NearlyERR(OfSeveralColumns, ScaledGains, TiedAtRanks):
    """A user who stops at a document with a probability of its gain, and else for reasons that her rank explains.

    References
    ----------
    Azzopardi, Mackenzie and Moffat, ERR is not C/W/L: Exploring the Relationship Between Expected Reciprocal Rank and
    Other Metrics, ICTIR 2021
    """

    best_first: ClassVar = "always"
    bounded: ClassVar[bool] = True
    drawn_ties: ClassVar[str] = "where there are gains between 0 and 1"

    def attention(self, rank: Ints) -> Floats:
        """How likely a user whom nothing contents is to see each rank."""
        raise NotImplementedError(f"{type(self).__name__} must define attention()")

    def attention_down_to(self, rank: Ints) -> Floats:
        """How many documents she sees down to these ranks."""
        raise NotImplementedError(f"{type(self).__name__} must define attention_down_to()")

    def attention_in_all(self) -> float:
        """How many documents she sees in all, where that is finite."""
        return math.inf

    def total(self, judged: Judged) -> Numbers:
        """Gain met, each times how likely it is to be seen."""
        return self._reading(judged).met

    def at_ranks(self, total: Numbers, judged: Judged, rank: Ints, read: Callable[[Numbers], Floats]) -> Floats:
        """(topic, any): gain met per document seen; above the first judged document no user has stopped."""
        left, met, lost = self._reading(judged)
        nobody = 1.0 - read(np.ones(left.shape))
        return self._rate(RankReading(read(left) + nobody, read(met), read(lost)), rank)

    def _reading(self, judged: Judged) -> RankReading:
        return judged.memo(self.at(1 if self.needs_depth else None), lambda: self._made(judged))

    def _made(self, judged: Judged) -> RankReading:
        gain = self.gain_met(judged)
        left = _left(gain)
        stopping = gain * before(left, 1.0)
        rank = np.where(gain > 0, judged.rank, 1)
        met, lost = stopping * self.attention(rank), stopping * self.attention_down_to(rank)
        return RankReading(left, np.cumsum(met, axis=-1), np.cumsum(lost, axis=-1))

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where all gains are 0 or 1 the first document that gains decides."""
        gains = self.gain(table.levels, table.highest)
        return np.full(table.topics, bool(np.isin(gains, (0.0, 1.0)).all()))

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the mean over the ranks that the first document of gain 1 can have."""
        gaining = self.gain_met(table)
        met_now = np.minimum(divide(table.tie_group_sum(gaining), table.last - table.rank + 1), 1.0)
        none = _left(met_now)
        rate = (before(none, 1.0) - none) * self.attention(table.rank) / self.attention_down_to(table.rank)
        end = ends_at(table, rank)
        return at_end(np.cumsum(rate, axis=-1), end)

    def _rate(self, reading: RankReading, rank: Ints) -> Floats:
        """Gain met per document seen: by those who stop down to where they do, by the others to the end."""
        end = self.attention_down_to(np.where(rank < BEYOND, rank, 1)) if self.needs_depth else self.attention_in_all()
        return divide(reading.met, reading.lost + reading.left * end)


@dataclass(frozen=True)
class EndlessNearlyERR(NearlyERR):
    """One of them whose users read on without end, ever fewer of them."""

    unbounded_depth: ClassVar[bool] = True

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """The next document at gain 1, which contents all who see it."""
        reading = self._reading(judged)
        met, lost = at_end(reading.met, rank), at_end(reading.lost, rank)
        there = RankReading(at_end(reading.left, rank, 1.0), met, lost)
        further = there.left * self.attention(rank + 1)
        best: Floats = (met + further) / (lost + there.left * self.attention_down_to(rank + 1))
        return best - self._rate(there, rank)


@dataclass(frozen=True)
class NERR8(NearlyERR):
    """The gain met per document by a user who stops at each document with a probability of its gain, at last at k.

    Half of the users stop at the first document, the others at the third, where the gain is 1: a gain of 1/2 + 1/2 * 1
    in 1/2 * 1 + 1/2 * 3 documents:

    >>> from rankscale.data.judged import judged
    >>> NERR8(depth=10).value(judged("1 0 2"))
    array([0.5])

    Formula
    -------
    (sum over ranks i <= k of V_i gain) / (sum of V_i), V_(i+1) = V_i (1 - gain)

    User model
    ----------
    stops at a document with a probability of its gain, and at rank k
    """

    needs_depth: ClassVar[bool] = True

    def attention(self, rank: Ints) -> Floats:
        """Every rank is seen."""
        return np.ones(rank.shape)

    def attention_down_to(self, rank: Ints) -> Floats:
        """All ranks."""
        return rank.astype(np.float64)


@dataclass(frozen=True)
class NERR9(NearlyERR):
    """As NERR8, of users of whom only 1 in i has the patience to see rank i.

    The gain met is that of ERR, 1/2 + 1/2 * 1/3, in 1/2 * 1 + 1/2 * (1 + 1/2 + 1/3) documents: 8/17.

    >>> from rankscale.data.judged import judged
    >>> NERR9(depth=10).value(judged("1 0 2")).round(4)
    array([0.4706])

    Formula
    -------
    (sum over ranks i <= k of V_i gain) / (sum of V_i), V_(i+1) = V_i (1 - gain) i / (i + 1)

    User model
    ----------
    stops at a document with a probability of its gain, for lack of patience, and at rank k
    """

    needs_depth: ClassVar[bool] = True

    def attention(self, rank: Ints) -> Floats:
        """One user in i."""
        return 1.0 / rank

    def attention_down_to(self, rank: Ints) -> Floats:
        """Harmonic numbers."""
        return harmonic(rank.astype(np.float64))


@dataclass(frozen=True)
class NERR10(EndlessNearlyERR):
    """As NERR8, of users with the patience of RBP, who read on with probability p where nothing contents them.

    With p=1/2, a gain of 1/2 + 1/2 * 1/4 in 1/2 * 1 + 1/2 * (1 + 1/2 + 1/4) documents: 5/11. cwl_eval, and ir_measures
    after it, read 1000 ranks, which differs where p is very near to 1.

    >>> from rankscale.data.judged import judged
    >>> NERR10(p=0.5).value(judged("1 0 2")).round(4)
    array([0.4545])

    Formula
    -------
    (sum over ranks i <= k of V_i gain) / (sum of V_i over all ranks), V_(i+1) = V_i (1 - gain) p

    User model
    ----------
    stops at a document with a probability of its gain, and else with probability 1 - p
    """

    p: float = param(0.9, ge=0, lt=1, help=RBP_P)

    def attention(self, rank: Ints) -> Floats:
        """As RBP has it."""
        share: Floats = np.power(float(self.p), rank - 1.0)
        return share

    def attention_down_to(self, rank: Ints) -> Floats:
        """All but the tail."""
        return self.attention_in_all() - np.power(float(self.p), rank.astype(np.float64)) / (1.0 - self.p)

    def attention_in_all(self) -> float:
        """The documents that one sees who meets nothing relevant."""
        return 1.0 / (1.0 - self.p)


@dataclass(frozen=True)
class NERR11(EndlessNearlyERR):
    """As NERR8, of users with the patience of INSQ, who read on the likelier the deeper they are.

    With T=1/2, a gain of 1/2 + 1/2 * 1/9 in 1/2 * 1 + 1/2 * (1 + 1/4 + 1/9) documents: 8/17. cwl_eval, and ir_measures
    after it, read 1000 ranks and no more, and so have values that are a little higher.

    >>> from rankscale.data.judged import judged
    >>> NERR11(T=0.5).value(judged("1 0 2")).round(4)
    array([0.4706])

    Formula
    -------
    (sum over ranks i <= k of V_i gain) / (sum of V_i over all ranks), V_(i+1) = V_i (1 - gain) ((i + 2T - 1) / (i +
    2T))^2

    User model
    ----------
    stops at a document with a probability of its gain, and else as one of INSQ does
    """

    T: float = param(1.0, gt=0, help="how much gain the user expects to find")

    def attention(self, rank: Ints) -> Floats:
        """As INSQ has it, 1 at the first rank."""
        fall = 2.0 * self.T / (rank + (2.0 * self.T - 1.0))
        return fall * fall

    def attention_down_to(self, rank: Ints) -> Floats:
        """All but the tail."""
        return self.attention_in_all() - 4.0 * self.T * self.T * trigamma(rank.astype(np.float64) + 2.0 * self.T)

    def attention_in_all(self) -> float:
        """The documents that one sees who meets nothing relevant."""
        return float(4.0 * self.T * self.T * trigamma(np.array([2.0 * self.T]))[0])


def mean_products(judged: Judged, factor: Floats) -> Floats:
    """(topic, rank): the product of the factors of all documents down to each rank, on average over all orders.

    After j of n tied documents it is the mean over all sets of j of them, the elementary symmetric sum of degree j of
    their factors over C(n, j). One more document, of factor f, makes ((n + 1 - j) m_j + j f m_(j-1)) / (n + 1) of the
    means m; documents of factor 1 come first, and their means are 1.

    Parameters
    ----------
    judged
        A table of every rank.
    factor
        (topic, rank): the factor of each document, 1 for most.

    Examples
    --------
    >>> from rankscale.data.judged import judged
    >>> mean_products(judged("1=0=1").every_rank(3), np.array([[0.5, 1.0, 0.5]]))
    array([[0.66666667, 0.41666667, 0.25      ]])
    """
    changes = factor != 1
    held = np.rint(judged.tie_group_sum(changes)).astype(np.int64)
    # Whole groups, one after the other: what stands before a place other than the first is the place above.
    cells = np.flatnonzero(held > 0)
    place, documents = np.take(judged.rank - judged.first + 1, cells), np.take(judged.tie_group_size - held, cells)
    to_come = np.take(held, cells)
    factors = factor[changes]  # topic by topic, from the top: those of a group stand together
    earlier = np.cumsum(changes).reshape(changes.shape) - np.cumsum(changes, axis=-1)  # in the topics before
    first = np.take(earlier + judged.above_tie_group(np.cumsum(changes, axis=-1, dtype=np.int64)), cells)
    mean, kept, added = np.ones(len(cells)), np.arange(len(cells)), 0
    while len(kept):
        above = np.where(place[kept] > 1, np.append(1.0, mean[kept])[:-1], 1.0)
        degree, number = place[kept], documents[kept] + added + 1
        grown = ((number - degree) * mean[kept] + degree * factors[first[kept] + added] * above) / number
        mean[kept] = np.where(degree <= number, grown, 0.0)
        added += 1
        kept = kept[to_come[kept] > added]
    within = np.ones(factor.size)
    within[cells] = mean
    so_far = np.pad(np.cumprod(factor, axis=-1), ((0, 0), (1, 0)), constant_values=1.0)
    return np.take_along_axis(so_far, judged.first - 1, axis=-1) * within.reshape(factor.shape)


def before(column: Floats, start: float) -> Floats:
    """(topic, entry): what stood in a running column before each entry; `start` before the first."""
    earlier = np.full(column.shape, start)
    earlier[:, 1:] = column[:, :-1]
    return earlier


def harmonic(number: Floats) -> Floats:
    """1/1 + 1/2 + ... + 1/number, for each of these numbers.

    >>> harmonic(np.array([1.0, 4.0])).round(12).tolist()
    [1.0, 2.083333333333]
    """
    # digamma(n + 1) + Euler's constant, by the asymptotic series far out (Abramowitz and Stegun 6.3.18).
    far = number + (SHIFT + 1)
    square = 1.0 / (far * far)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square * (1 / 132)))))
    total: Floats = np.log(far) + EULER - 0.5 / far - series
    for step in range(SHIFT, 0, -1):
        total = total - 1.0 / (number + step)
    return total


def trigamma(start: Floats) -> Floats:
    """1/start^2 + 1/(start + 1)^2 + 1/(start + 2)^2 + ..., without end, for each of these numbers above 0.

    >>> trigamma(np.array([1.0, 2.0])).round(12).tolist()  # pi^2 / 6, and 1 less
    [1.644934066848, 0.644934066848]
    """
    # Abramowitz and Stegun 6.4.12, far out; the first terms are added one by one.
    far = start + SHIFT
    step = 1.0 / far
    square = step * step
    series = 1 / 6 - square * (1 / 30 - square * (1 / 42 - square * (1 / 30 - square * (5 / 66 - square * 691 / 2730))))
    total: Floats = step + square * (0.5 + step * series)
    for term in range(SHIFT - 1, -1, -1):
        near = start + term
        total = total + 1.0 / (near * near)
    return total
