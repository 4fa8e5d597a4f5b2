"""Expected reciprocal rank."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ScaleError
from rankscale.measures.base.gains import irrational
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parameters import param
from rankscale.measures.base.structure import Stopping, Structure
from rankscale.measures.families.scaled import at_rank, before

MOST_TERMS = 4096  # of the series of the tail; what follows is bounded from above
LARGEST_EXPONENT = 1023  # of a double


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
        content = judged.worth(self.gain(judged.levels, judged.highest))
        stopping: Floats = content * before(self._left(content), 1.0)
        return np.cumsum(stopping / judged.rank, axis=-1)

    def over_ties(self, judged: Judged) -> Floats:
        """The share of users who stop at each rank on average, over the rank."""
        left = mean_products(judged, 1.0 - judged.worth(self.gain(judged.levels, judged.highest)))
        return np.cumsum((before(left, 1.0) - left) / judged.rank, axis=-1)

    @staticmethod
    def _left(content: Floats) -> Floats:
        """The share of users who read on after each entry."""
        left: Floats = np.cumprod(1.0 - content, axis=-1, dtype=np.float64)
        return left

    def beyond(self, judged: Judged, rank: Ints) -> Floats:
        """The users who read on, all met by documents of the highest grade."""
        content = judged.worth(self.gain(judged.levels, judged.highest))
        left = at_rank(self._left(content), rank, 1.0)
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
        later: Floats = series + (1.0 - best) ** terms / (np.arange(deepest + 1.0) + terms + 1)
        return later

    def extreme_grades(self, judged: Judged) -> tuple[float | None, float | None]:
        """Where no document of the collection is relevant, one of the highest grade could still turn up."""
        worst, best = super().extreme_grades(judged)
        return worst, self.top(judged.highest) if best is None else best


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
    products: Floats = np.take_along_axis(so_far, judged.first - 1, axis=-1) * within.reshape(factor.shape)
    return products
