"""One number for each certified bracket, in the order of the measure's values.

A bracket holds the normalised rank for sure, but brackets of two rankings can overlap. The numbers that are printed
must keep the order: a greater value of the measure never gets a smaller number, and equal values get equal ones. So the
number is read off one curve for all rankings: straight lines between nodes that increase in both coordinates. The value
of a ranking is rounded once, from a sum with 106 bits to each term, and what follows increases in floating point too.
Nodes are

- the lowest values, counted one by one;
- the saddlepoint approximation in both tails (see `Cumulants`);
- a smooth curve through the middles of brackets in between, more of them where it would leave the next ones;
- below 1e-290, where doubles end before ranks do, numbers that keep the order of values and say nothing else.
"""

import math
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.scales.brackets.bracketing import Law, half_words
from rankscale.scales.brackets.circle import FIXED, TURN
from rankscale.scales.counting.groups import RankGroup

CHUNK = 1 << 21  # exponentials at a time
FIRST_RATES = 64
GREATEST_RATE = 1e6  # in deviations of the sum
ROUNDS = 12  # of making the grid finer
TAIL = 1e-4  # shares from here to 1 - TAIL are the middles of their brackets, which are far better than their widths
NODES, MOST_NODES = 256, 1 << 13  # brackets in the middle: at first, and at most
COSINES = 200_000_000  # that all of them may take, some seconds
SPREAD = 4.2  # deviations from the mean within which brackets are made
LOWEST = 512  # values counted one by one
STEP = 0.5  # between nodes of a tail, in natural logarithms of shares
MOST_STEPS = 2000
DIVIDED = 8  # straight lines between two nodes
SMALLEST = 1e-290  # shares below this are given by their order alone
UNDERFLOW = 1e-305  # the least of the numbers that stand for them
ORDER_NODES = 256
WORD_BITS = 106  # bits of each value of a group: two doubles
TINIEST = 1200  # bits below one at which doubles have long ended


class Cumulants:
    """Cumulants of a sum of independent numbers, each drawn evenly from a list that starts at 0.

    They give shares far from the middle: brackets are as wide at a share of 1e-9 as at one half.

    The saddlepoint approximation of Lugannani and Rice (Advances in Applied Probability 12, 1980) is right to a few
    percent of the share itself, however small. It is no bound. Tilting the law of a sum S by exp(rate S) moves its mean
    to where the approximation is wanted, so a grid of rates is a grid of sums, and no equation is solved.
    """

    def __init__(self, values: Sequence[Floats]) -> None:
        self._starts = np.cumsum([0, *(len(list_) for list_ in values)])[:-1]
        self._flat = np.concatenate(values)
        self._sizes = np.array([len(list_) for list_ in values], dtype=np.float64)
        _, mean, variance = self.tilted(np.zeros(1))
        self.mean, self.deviation = float(mean[0]), math.sqrt(float(variance[0]))

    def tilted(self, rates: Floats) -> tuple[Floats, Floats, Floats]:
        """(rate,) each: log of the mean of exp(rate * sum), and mean and variance under that tilt; rates are <= 0."""
        rows = max(1, CHUNK // len(self._flat))
        parts = [self._some(rates[first : first + rows]) for first in range(0, len(rates), rows)]
        log_mean, mean, variance = (np.concatenate(part) for part in zip(*parts, strict=True))
        return log_mean, mean, variance

    def _some(self, rates: Floats) -> tuple[Floats, Floats, Floats]:
        weights = np.exp(rates[:, None] * self._flat)  # the least value is 0: no weight overflows
        total, first, second = (
            np.add.reduceat(weights * powers, self._starts, axis=1) for powers in (1.0, self._flat, self._flat**2)
        )
        means = first / total
        return np.log(total / self._sizes).sum(axis=1), means.sum(axis=1), (second / total - means**2).sum(axis=1)

    def tail(self, highest: float, lowest: float, step: float) -> tuple[Floats, Floats]:
        """The tail below the mean: sums, ascending, and the natural logarithm of the share of sums up to each.

        Logarithms go from `highest` down to `lowest`, no farther apart than `step`.

        Near the least sum values are few and far between, and what is meant for many no longer grows with them: the
        tail begins above that.
        """
        rates = -np.geomspace(1.0, GREATEST_RATE, FIRST_RATES) / self.deviation
        sums, logs = self._approximated(rates)
        for _ in range(ROUNDS):
            gaps = np.abs(np.diff(np.maximum(logs, lowest - step)))
            wide = (gaps > step) & (logs[1:] < highest)
            pieces = np.where(wide, np.minimum(np.ceil(gaps / step), 8), 1).astype(np.int64)
            if (pieces == 1).all():
                break
            between = [
                np.geomspace(-rates[place], -rates[place + 1], pieces[place] + 1)[1:-1]
                for place in np.flatnonzero(pieces > 1)
            ]
            more = -np.concatenate(between)
            more_sums, more_logs = self._approximated(more)
            rates, sums, logs = (np.concatenate(both) for both in ((rates, more), (sums, more_sums), (logs, more_logs)))
            order = np.argsort(-rates)
            rates, sums, logs = rates[order], sums[order], logs[order]
        ascending = np.flatnonzero((logs <= highest) & (logs >= lowest))[::-1]
        sums, logs = sums[ascending], logs[ascending]
        falls = np.flatnonzero((np.diff(sums) <= 0) | (np.diff(logs) <= 0))
        first = int(falls[-1]) + 1 if len(falls) else 0  # from the last place on where either does not increase
        return sums[first:], logs[first:]

    def _approximated(self, rates: Floats) -> tuple[Floats, Floats]:
        """(rate,) twice: the mean under each tilt, and the logarithm of the share of sums up to it."""
        from scipy.special import erfcx

        log_mean, mean, variance = self.tilted(rates)
        distance = np.sqrt(2 * np.maximum(rates * mean - log_mean, 0.0))  # root of the deviance
        spread = -rates * np.sqrt(variance)
        mills = math.sqrt(math.pi / 2) * erfcx(distance / math.sqrt(2))  # the normal tail over the density
        with np.errstate(divide="ignore", invalid="ignore"):
            log_share = np.log(mills - 1 / distance + 1 / spread) - distance**2 / 2 - math.log(2 * math.pi) / 2
        return mean, np.where(np.isfinite(log_share), np.minimum(log_share, 0.0), -np.inf)


class AscendingLine:
    """Straight lines between nodes that ascend in both coordinates; it ascends in floating point as well."""

    def __init__(self, x: Floats, y: Floats) -> None:
        kept, last = [0], len(x) - 1  # the first node, the last one, and those that exceed the one before in both
        for place, (here, height) in enumerate(zip(x.tolist(), y.tolist(), strict=True)):
            if x[kept[-1]] < here < x[last] and y[kept[-1]] < height < y[last]:
                kept.append(place)
        if last:
            kept.append(last)
        self.x, self.y = x[kept], y[kept]

    def __call__(self, x: Floats) -> Floats:
        """(number,): heights at these places; the last node's beyond it."""
        if len(self.x) == 1:
            return np.full(len(x), self.y[0])
        cell = np.clip(np.searchsorted(self.x, x, side="right") - 1, 0, len(self.x) - 2)
        slope = (self.y[cell + 1] - self.y[cell]) / (self.x[cell + 1] - self.x[cell])
        heights = np.minimum(self.y[cell] + slope * np.maximum(x - self.x[cell], 0.0), self.y[cell + 1])
        return np.where(x >= self.x[-1], self.y[-1], heights)


class RankPoints:
    """Normalised ranks, and logarithms of ranks, of rankings whose values are sums over independent groups.

    `lowest(count)` gives the lowest values of the image, ascending, the very lowest first.
    """

    def __init__(self, groups: Sequence[RankGroup], law: Law | None, lowest: Callable[[int], Floats]) -> None:
        self._groups = [group for group in groups if group.size > 1]
        self._law, self._lowest = law, lowest
        self._log_size = math.log(math.prod(group.size for group in self._groups))
        self._doubles = [_two_doubles(group) for group in self._groups]

    def normalised(self, rankings: Ints) -> Floats:
        """(ranking,): (rank - 1) / (size - 1), about; in the order of the measure's values."""
        return np.clip(self._normalised(self.sums(rankings)), 0.0, 1.0)

    def log10_ranks(self, rankings: Ints) -> Floats:
        """(ranking,): log10 of the rank, about; in the order of the measure's values."""
        return np.maximum(self._logarithms(self.sums(rankings)), 0.0)

    def sums(self, rankings: Ints) -> Floats:
        """(ranking,): how far each value lies above the lowest, rounded once."""
        rows: list[list[float]] = [[] for _ in range(len(rankings))]
        for group, doubles in zip(self._groups, self._doubles, strict=True):
            places = group.places(rankings)
            for row in np.flatnonzero(places).tolist():
                rows[row] += doubles[places[row]]
        return np.array([math.fsum(row) for row in rows])

    @cached_property
    def _normalised(self) -> AscendingLine:
        (counted_x, counted_y), (low_x, low_y) = self._counted, map(_divided, self._low)
        (middle_x, middle_y), (high_x, high_y) = self._middle, self._high
        with np.errstate(under="ignore"):
            low_y = np.exp(low_y)
        shown = low_y >= SMALLEST
        x = np.concatenate([counted_x, low_x[shown], middle_x, high_x])
        shares = np.concatenate([np.exp(counted_y), low_y[shown], middle_y, 1 - np.exp(high_y)])
        step = math.exp(-self._log_size)
        x, y = x[1:], (shares[1:] - step) / (1 - step)
        order_x, order_y = self._by_order(x, y)
        return AscendingLine(
            np.concatenate([[0.0], order_x, x, [self._range]]), np.concatenate([[0.0], order_y, y, [1.0]])
        )

    def _by_order(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Nodes below the first one that is large enough: from the least value above 0, evenly in logarithms."""
        shown = np.flatnonzero(y >= SMALLEST)
        least = min(doubles[1][0] for doubles in self._doubles)
        if not len(shown) or least <= 0 or x[shown[0]] <= least:
            return np.zeros(0), np.zeros(0)
        end = shown[0]
        return (
            np.geomspace(least, x[end], ORDER_NODES, endpoint=False),
            np.geomspace(UNDERFLOW, y[end], ORDER_NODES, endpoint=False),
        )

    @cached_property
    def _logarithms(self) -> AscendingLine:
        (counted_x, counted_y), (low_x, low_y) = self._counted, self._low
        (middle_x, middle_y), (high_x, high_y) = self._middle, self._high
        x = np.concatenate([counted_x, low_x, middle_x, high_x, [self._range]])
        y = np.concatenate([counted_y, low_y, np.log(middle_y), np.log1p(-np.exp(high_y)), [0.0]])
        return AscendingLine(x, (y + self._log_size) / math.log(10))

    @property
    def _range(self) -> float:
        return math.fsum(part for doubles in self._doubles for part in doubles[-1])

    @cached_property
    def _cumulants(self) -> tuple[Cumulants, Cumulants]:
        """Of sums counted from the lowest up, and from the highest down."""
        values = [np.array([high for high, _ in doubles]) for doubles in self._doubles]
        return Cumulants(values), Cumulants([(own[-1] - own)[::-1] for own in values])

    @cached_property
    def _counted(self) -> tuple[Floats, Floats]:
        """The lowest values, from 0, and the logarithms of their shares: one, two, ... of all."""
        values = self._lowest(LOWEST)
        return values - values[0], np.log(np.arange(1, len(values) + 1)) - self._log_size

    @cached_property
    def _low(self) -> tuple[Floats, Floats]:
        """The lower tail above the values counted one by one: sums, and logarithms of shares."""
        step = max(STEP, self._log_size / MOST_STEPS)
        sums, logs = self._cumulants[0].tail(math.log(TAIL), float(self._counted[1][-1]), step)
        own = (sums > self._counted[0][-1]) & (sums < self._middle[0][0])
        return sums[own], logs[own]

    @cached_property
    def _high(self) -> tuple[Floats, Floats]:
        """The upper tail: sums, ascending, and logarithms of the shares above."""
        lowest = max(math.log(2.0**-53), -self._log_size)
        below, logs = self._cumulants[1].tail(math.log(TAIL), lowest, STEP / DIVIDED)
        sums, logs = (self._range - below)[::-1], logs[::-1]
        own = sums > self._middle[0][-1]
        return sums[own], logs[own]

    @property
    def excess(self) -> float:
        """How far numbers can lie outside of their brackets, about: 0 unless the law is rough."""
        return self._smoothed[2]

    @property
    def _middle(self) -> tuple[Floats, Floats]:
        return self._smoothed[:2]

    @cached_property
    def _smoothed(self) -> tuple[Floats, Floats, float]:
        """Sums, and shares between both tails: a smooth curve through the middles of brackets, in straight pieces.

        Brackets are added until the curve stays within those that it was not made from, or time is up; how far it
        was outside then is the third.
        """
        from scipy.interpolate import CubicSpline

        own = self._cumulants[0]
        first, last = max(own.mean - SPREAD * own.deviation, 0.0), min(own.mean + SPREAD * own.deviation, self._range)
        x = np.linspace(first, last, NODES + 1)
        lower, upper = self._bracketed(x)
        # Each bracket takes time in proportion to the frequencies of its law.
        affordable = COSINES // (self._law.frequencies if self._law else 1)
        left = min(MOST_NODES, max(3 * NODES, affordable)) - len(x)
        suspect, excess = np.ones(NODES, dtype=bool), 0.0
        while 0 < np.count_nonzero(suspect) <= left:
            smooth = CubicSpline(x, np.maximum.accumulate((lower + upper) / 2))
            between = ((x[1:] + x[:-1]) / 2)[suspect]
            below, above = self._bracketed(between)
            left -= len(between)
            beyond = np.maximum(below - smooth(between), smooth(between) - above)
            outside, excess = beyond > 0, max(0.0, float(beyond.max()))
            order = np.argsort(np.concatenate([x, between]), kind="stable")
            x, lower, upper = (np.concatenate(both)[order] for both in ((x, between), (lower, below), (upper, above)))
            doubtful = np.isin(x, between[outside])
            suspect = doubtful[1:] | doubtful[:-1]  # both halves of a piece that the curve left
        middles = np.maximum.accumulate((lower + upper) / 2)
        pieces = _divided(x)
        shares = np.maximum.accumulate(CubicSpline(x, middles)(pieces))
        inside = (shares >= TAIL) & (shares <= 1 - TAIL)
        return pieces[inside], shares[inside], excess

    def _bracketed(self, sums: Floats) -> tuple[Floats, Floats]:
        """(sum,) twice: bounds of the share of sums up to each."""
        if self._law is None:
            return np.ones(len(sums)), np.ones(len(sums))
        turn = self._law.circumference / (1 << FIXED)
        places = (int((place - self._range / 2) / turn * TURN) for place in sums.tolist())
        return self._law.brackets(*half_words(places))


def _two_doubles(group: RankGroup) -> list[tuple[float, float]]:
    """For each value of a group, how far it lies above the lowest: as the sum of two doubles."""
    bits = FIXED
    while group.unit.fixed(bits).bit_length() < WORD_BITS and bits < TINIEST:
        bits *= 2
    unit, scale = group.unit.fixed(bits), group.denominator << bits
    doubles = []
    for numerator in group.numerators:
        whole = (numerator - group.numerators[0]) * unit
        high = whole / scale
        above, below = high.as_integer_ratio()
        doubles.append((high, (whole * below - above * scale) / (scale * below)))  # and the rest of the fraction
    return doubles


def _divided(nodes: Floats) -> Floats:
    """Nodes, with evenly spaced ones between each two."""
    if len(nodes) < 2:
        return nodes
    between = nodes[:-1, None] + np.diff(nodes)[:, None] * (np.arange(DIVIDED) / DIVIDED)
    return np.append(between.ravel(), nodes[-1])
