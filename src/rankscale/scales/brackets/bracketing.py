"""Certified brackets of shares, and of their logarithms: how many values do not exceed a ranking's, at any depth.

Where ranks fall into independent groups, the image is the set of all sums of one value from each group. So the share of
values up to m is the chance that S <= m, where S adds one value of each group, drawn at random and independently: each
value alike for shares of values, each as often as rankings give it for shares of rankings.

**Bracket.** Put S on a circle, cut the circle at `start`, and let x count in turns of it. The indicator of the arc from
start to T is T - start + s(x - T) - s(x - start), with the sawtooth s(x) = x - floor(x) - 1/2 (0 at whole x). Vaaler
(Bulletin AMS 12, 1985, theorem 18) gives a sum of K sines that is as near to the sawtooth as a Fejer kernel allows:

    V(x) = sum over k = 1..K of c(k) sin 2 pi k x,    c(k) = -((1 - u) cot(pi u) + 1/pi) / (K + 1),  u = k / (K + 1)
    |s(x) - V(x)| <= D(x) / (2 (K + 1)),              D(x) = 1 + 2 sum over k = 1..K of (1 - u) cos 2 pi k x

The means of V and D over S are sums of K values of its characteristic function, a product over groups: no integral is
approximated. The bracket is about P / (K + 1) times the density of S wide, P being the circumference.

**What is rounded, and what pays for it.** u = 2^-53 below. Every pad is a bound, added outward.

1. Values become whole numbers of ticks, 2^64 to the circle, from fixed-point units: `Scaled.error` bounds how far each
   is off. S and m are off by the sum of those errors at most, so ticks of S are compared with those of m moved down, or
   up, by twice the sum (`slack`). From there on everything about positions is exact: k times a tick modulo 2^64 is what
   unsigned 64-bit integers compute. Groups too small to matter are left out of S, and half their range joins the slack.
2. H(T) = P(S < T) + P(S = T) / 2 in ticks lies below P(S <= T), and H(T + 1) above: the half at the ends of the arc.
3. S can lie outside the window of one circumference. Chernoff's bound exp(-a t) E exp(a S) is computed for both sides.
   What lies below adds at most its chance to H, what lies above takes at most its chance.
4. An angle is a 64-bit integer, made a float, times a constant: off by pi * 3 u; cosines and sines themselves are taken
   to be right to 8 units in the last place, twice what libraries promise. Together less than 32 u (`TRIGONOMETRY`).
5. A factor of the characteristic function adds n such terms with weights that sum to 1: off by 2 (32 + n + 4) u and
   twice the error of the chances. True factors are at most 1, so a product is off by the sum over its factors, each
   with 4 u for the multiplication.
6. Once a product falls below `slope` times its frequency k, the frequency is dropped. As |c(k)| <= 1 / (pi k), each
   adds at most slope * (1 / pi + u (1 - u)), and the error of 5, to each end of the arc.
7. All coefficients of V and D / (2 (K + 1)) together are at most W = (1 + ln K) / pi + 1 / 2. The errors of 5, of two
   more rotations (2 * 32 u each), of c(k) itself (32 u) and of adding n products (2 n u) enter at most W times, for
   both ends of the arc.

**Logarithms**, for rankings so low that their share is near 0 (`log10_share`).

The law of the sum S of one random value from each group is tilted: value v of a group gets a chance in proportion to
exp(-r v). With r such that the tilted mean is the ranking's value m, m lies in the middle of the tilted law G, and

    share = E exp(-r S) * exp(r m) * I,    I = sum over values x <= m of exp(-r (m - x)) G(x)

I is bracketed by sums over steps: on each step exp(-r (m - x)) lies between its values at the two ends, and what G has
on the step follows from brackets of G. Steps and brackets together are about 0.007 wide in log10.

**Rounding.** Tilted chances are *defined* by the floats w = exp(-r (x - lowest)) as computed, so that G is a law
without error; that w is only near to exp(-r (v - lowest)) enters as a factor for each group, off by (12 + 4 r range) u.
Sums of logarithms are off by as many u as they have terms, times their size. All of it is added outward (`drift`).
"""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from rankscale.data.arrays import Floats, Ints, NDArray
from rankscale.scales.brackets.circle import (
    TRIGONOMETRY,
    TURN,
    UNIT_ROUNDOFF,
    Factor,
    FixedPointValues,
    Moments,
    Spectrum,
    Window,
    Words,
    angles,
    scaled,
    vaaler,
)
from rankscale.scales.counting.groups import RankGroup

HALF_WORD = 32  # sums of ticks are kept in two parts of so many bits, which cannot overflow
MOST_TERMS = 1 << 22  # the greatest degree; a bracket that would need more stays wider than requested
FIRST_TERMS, LEAP = 1 << 12, 8  # what the density is first looked at with, and how much farther each time at most
DROPPED = 1e-4  # of the width, about: what dropping frequencies may cost
SPARE = 0.99  # of the width: what pads leave
FEW = 20_000  # so many values are counted one by one
STEPS = 600
SPAN = 12.0  # what lies farther below than 12 / r is less than exp(-12) of what there is
GREATEST_TILT = 600.0  # of r times a group's range: floats end near exp(-745)
COUNTED = 40  # bits of the fractions of the range that values are counted in


class Law:
    """The law of a sum of independent parts, bracketed at any place; places are counted in ticks from `start`."""

    def __init__(self, parts: Sequence[FixedPointValues], width: float) -> None:
        window = Window(parts, width)
        self.circumference = window.circumference
        self.start = window.start
        self.ticks = [part.ticks(self.circumference) for part in parts]
        kept = window.kept
        errors = sum(part.error(self.circumference) for part in parts)
        ranges = sum(self.ticks[place][-1] for place in range(len(parts)) if place not in kept)
        self.slack = math.ceil(2 * errors) + ranges
        self.outside = window.outside([self.ticks[place] for place in kept])
        factors = [Factor(parts[place], self.ticks[place]) for place in kept]
        self._spectrum = Spectrum(factors, slope=DROPPED * width * width / 2)  # the degree is some 5 / width
        self._settle(width)

    @property
    def frequencies(self) -> int:
        """How many cosines a bracket takes."""
        return int(self._spectrum.k.size)

    def _settle(self, width: float) -> None:
        """Raise the degree until brackets are as narrow as wanted everywhere, as long as that makes them narrower.

        Brackets of a law with few values cannot be narrower than the chance of one of them.
        """
        self.degree, reached = 0, math.inf
        wanted = FIRST_TERMS
        while wanted > self.degree:
            before, growth = reached, wanted / max(self.degree, 1)
            self.degree = wanted
            self._spectrum.extend(wanted)
            density = self._spectrum.density(SPARE * width * (wanted + 1))
            reached = density / (wanted + 1)
            if SPARE * width < reached < before / math.sqrt(growth):
                wanted = min(MOST_TERMS, LEAP * wanted, math.ceil(1.01 * density / (SPARE * width)))
        self._combine()
        at_start = self._constants[1] - self._constants[0] - 1 / (self.degree + 1)  # the kernel there
        moved = density * (2 * self.slack + 1) / TURN
        self.width = reached + at_start + moved + 2 * self.pad + sum(self.outside)

    def _combine(self) -> None:
        """Everything that does not depend on the place: the coefficients of both bounds, their constants and pads."""
        spectrum = self._spectrum
        lag = 2 * self.slack + 1
        at_start, at_lag = spectrum.turned(self.start), spectrum.turned(self.start + lag)
        sawtooth, kernel = vaaler(spectrum.k, self.degree)
        self._coefficients = np.concatenate(
            [
                np.stack([sawtooth * a.imag - kernel * a.real, sawtooth * b.imag + kernel * b.real], axis=1)
                for a, b in ((at_start, at_lag), (-1j * at_start, -1j * at_lag))
            ]
        )
        base = 1 / (2 * (self.degree + 1))
        value, error = float(sawtooth @ at_start.imag), 2 * base + float(kernel @ at_start.real)
        self._constants = (-value - error, -value + error)
        weight = (1 + math.log(self.degree)) / math.pi + 0.5
        rounding = spectrum.error + 5 * TRIGONOMETRY + (2 * spectrum.k.size + 40) * UNIT_ROUNDOFF
        dropped = (self.degree - spectrum.k.size) * spectrum.slope * (1 / math.pi + 1 / 4)
        self.pad = 1.001 * (2 * (weight * rounding + dropped) + 8 * UNIT_ROUNDOFF)

    def brackets(self, high: Ints, low: Ints) -> tuple[Floats, Floats]:
        """Bounds of the chance of no more than each place; places are high * 2^32 + low ticks, from the middle."""
        lower_place = _carried(high, low, -self.start - self.slack)
        upper_place = _carried(high, low, -self.start + self.slack + 1)
        lower, upper = self._inside(lower_place[2], upper_place[2])
        below, above = self.outside
        lower = np.where(lower_place[1], 1.0 - above, np.where(lower_place[0], 0.0, lower - above))
        upper = np.where(upper_place[1], 1.0, np.where(upper_place[0], below, upper + below))
        return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)

    def _inside(self, lower_place: Words, upper_place: Words) -> tuple[Floats, Floats]:
        """Both bounds for places inside the window, in ticks from its start."""
        waves = np.empty((lower_place.size, 2))
        rows = max(1, (1 << 20) // max(self._spectrum.k.size, 1))
        for first in range(0, lower_place.size, rows):
            angle = angles(lower_place[first : first + rows, None] * self._spectrum.k)
            both = np.concatenate([np.cos(angle), np.sin(angle)], axis=1)
            waves[first : first + rows] = both @ self._coefficients
        lower = lower_place / TURN + self._constants[0] + waves[:, 0] - self.pad
        upper = upper_place / TURN + self._constants[1] + waves[:, 1] + self.pad
        return lower, upper


def _carried(high: Ints, low: Ints, shift: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Words]:
    """Places moved by a shift: whether they fall short of the circle, or beyond it, and where on it they lie."""
    low = low + (shift & ((1 << HALF_WORD) - 1))
    high = high + (shift >> HALF_WORD) + (low >> HALF_WORD)
    low &= (1 << HALF_WORD) - 1
    word = (high.astype(np.uint64) << np.uint64(HALF_WORD)) + low.astype(np.uint64)
    return (high < 0) | ((high == 0) & (low == 0)), high >= (1 << HALF_WORD), word


class Bracketing:
    """Certified bounds of the share of an image's values, or of all rankings, that do not exceed each ranking's.

    `width` is how narrow brackets should be where they are widest: in the middle. The attribute of that name is the
    width reached: wider where the greatest degree does not suffice, or where the image has too few values. Here all
    documents in even ranks are relevant, and no others:

    >>> from fractions import Fraction
    >>> from rankscale.scales.counting.groups import by_roots
    >>> groups = by_roots(60, Fraction(2), (Fraction(0), Fraction(1)))
    >>> lower, upper = Bracketing(groups, width=1e-4).share(np.array([[0, 1] * 30]))
    >>> float(lower[0].round(3)), float(upper[0].round(3)), bool(upper[0] - lower[0] < 1e-4)
    (0.459, 0.459, True)
    """

    def __init__(self, groups: Sequence[RankGroup], width: float = 1e-5, *, by_rankings: bool = False) -> None:
        self.groups = tuple(group for group in groups if group.size > 1)
        self.size = math.prod(group.size for group in self.groups)
        counted = math.prod(len(group.gains) ** len(group.ranks) for group in groups) if by_rankings else self.size
        self._least = math.nextafter(1 / counted, 0.0) if counted > 1 else 1.0
        self.law = (
            Law([scaled(group, by_rankings=by_rankings) for group in self.groups], width) if self.groups else None
        )

    @property
    def width(self) -> float:
        """How wide brackets are where they are widest."""
        return self.law.width if self.law else 0.0

    def share(self, rankings: Ints) -> tuple[Floats, Floats]:
        """(ranking,): bounds of the share of values up to each ranking's; rankings are places of gains."""
        if self.law is None:
            return np.ones(len(rankings)), np.ones(len(rankings))
        lower, upper = self.law.brackets(*place_of(self.groups, self.law.ticks, rankings))
        return np.maximum(lower, self._least), upper

    def words(self, assumption: str = "") -> str:
        """What a number rests on that comes from here.

        >>> from fractions import Fraction
        >>> from rankscale.scales.counting.groups import by_powers
        >>> Bracketing(by_powers(50, Fraction(4, 5), (Fraction(0), Fraction(1))), width=1e-4).words()
        'certified to within 0.0001'
        """
        digit = 10.0 ** math.floor(math.log10(self.width)) if self.width else 1.0
        width = f"{math.ceil(self.width / digit) * digit:.1g}"  # rounded up
        return f"certified to within {width}" + (f", {assumption}" if assumption else "")


def place_of(groups: Sequence[RankGroup], ticks: Sequence[Sequence[int]], rankings: Ints) -> tuple[Ints, Ints]:
    """The sum of ticks of each ranking's values, in two parts: high * 2^32 + low."""
    both = np.zeros((2, len(rankings)), dtype=np.int64)
    for group, values in zip(groups, ticks, strict=True):
        both += half_words(values)[:, group.places(rankings)]
    return both[0], both[1]


def half_words(ticks: Iterable[int]) -> Ints:
    """(2, number): whole numbers of any size as high * 2^32 + low."""
    halves: Ints = np.array([divmod(number, 1 << HALF_WORD) for number in ticks], dtype=np.int64).T
    return halves


def log10_share(groups: Sequence[RankGroup], ranking: Ints) -> tuple[float, float]:
    """Bounds of log10 of the share of values that do not exceed the ranking's; the ranking is places of gains.

    Of 60 documents only the last is relevant: of the 19 * 2^55 values only that and 0 are no higher.

    >>> from fractions import Fraction
    >>> from rankscale.scales.counting.groups import by_roots
    >>> groups = by_roots(60, Fraction(2), (Fraction(0), Fraction(1)))
    >>> lower, upper = log10_share(groups, np.array([0] * 59 + [1]))
    >>> round(lower, 9) == round(upper, 9) == round(math.log10(2 / math.prod(group.size for group in groups)), 9)
    True
    """
    groups = [group for group in groups if group.size > 1]
    places = [int(group.places(ranking[None, :])[0]) for group in groups]
    counted = _few(groups, places)
    if counted is not None:
        return _logarithms(groups, *counted)
    parts = [scaled(group, by_rankings=False) for group in groups]
    least = _logarithms(groups, 2, 2)[0]
    lower, upper = _tilted(parts, places, ranking)
    return max(lower, least), min(upper, 0.0)


def _logarithms(groups: Sequence[RankGroup], least: int, most: int) -> tuple[float, float]:
    """Bounds of log10 of a number of values over all values; logarithms are right to a few units."""
    whole = math.log10(math.prod(group.size for group in groups))
    error = 8 * UNIT_ROUNDOFF * (1 + whole)
    return math.log10(least) - whole - error, min(math.log10(most) - whole + error, 0.0)


def _few(groups: Sequence[RankGroup], places: Sequence[int]) -> tuple[int, int] | None:
    """How many values are no higher than the ranking's, at least and at most; None where they are many."""
    if not any(places):
        return 1, 1
    # In fractions of the ranking's height above the lowest, each value of a group is off by less than 2; its own value
    # is the one that is certainly counted among those that are within rounding of it.
    limit, margin = 1 << COUNTED, 2 * len(groups)
    sums = np.zeros(1, dtype=np.int64)
    for keys in _heights(groups, places, limit + margin + 1):
        sums = (sums[:, None] + keys).ravel()
        sums = sums[sums <= limit + margin]
        if sums.size > FEW:
            return None
    return max(int((sums < limit - margin).sum()) + 1, 2), int(sums.size)


def _heights(groups: Sequence[RankGroup], places: Sequence[int], most: int) -> list[Ints]:
    """Each group's values above its lowest, as 2^40ths of the ranking's height, rounded down; none above `most`."""
    rises = [[numerator - group.numerators[0] for numerator in group.numerators] for group in groups]
    bits = 128
    while True:
        common = math.lcm(*(group.denominator for group in groups))
        units = [group.unit.fixed(bits) * (common // group.denominator) for group in groups]
        height = sum(unit * rise[place] for unit, rise, place in zip(units, rises, places, strict=True))
        error = sum(rise[-1] * (common // group.denominator) for group, rise in zip(groups, rises, strict=True))
        if height > error << (COUNTED + 2):  # what rounding units can move is far less than one part
            break
        bits *= 2
    return [
        np.array([min((unit * step << COUNTED) // height, most) for step in rise], dtype=np.int64)
        for unit, rise in zip(units, rises, strict=True)
    ]


def _tilted(parts: Sequence[FixedPointValues], places: Sequence[int], ranking: Ints) -> tuple[float, float]:
    above_lowest = [part.floats - part.floats[0] for part in parts]
    excess = sum(float(values[place]) for values, place in zip(above_lowest, places, strict=True))
    rate = _rate(above_lowest, excess)
    weights = [np.exp(-rate * values) for values in above_lowest]
    tilted = [
        FixedPointValues(part.group, weight / weight.sum(), (weight.size + 4) * UNIT_ROUNDOFF)
        for part, weight in zip(parts, weights, strict=True)
    ]
    integral = _integral(tilted, ranking, rate)
    logs = [math.log(float(weight.mean())) for weight in weights]
    terms = sum(
        12 + weight.size + 4 * rate * float(values[-1]) for weight, values in zip(weights, above_lowest, strict=True)
    )
    size = sum(abs(log) for log in logs) + rate * excess
    drift = 1.01 * UNIT_ROUNDOFF * (terms + (len(parts) + 8) * size)
    log_factor = math.fsum(logs) + rate * excess
    lower, upper = (math.log(bound) if bound > 0 else -math.inf for bound in integral)
    return (log_factor + lower - drift) / math.log(10), (log_factor + upper + drift) / math.log(10)


def _rate(above_lowest: Sequence[Floats], excess: float) -> float:
    """The tilt that puts the mean where the ranking is: 0 for rankings above the mean; any rate gives true bounds."""
    moments = Moments(above_lowest, [np.full(values.size, 1 / values.size) for values in above_lowest])
    low, high = 0.0, GREATEST_TILT / max(float(values[-1]) for values in above_lowest)
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if moments.mean(-middle) > excess else (low, middle)
    return low


def _integral(tilted: Sequence[FixedPointValues], ranking: Ints, rate: float) -> tuple[float, float]:
    """Bounds of I."""
    deviation = math.sqrt(sum(part.variance for part in tilted))
    law = Law(tilted, width=2e-3 / (1 + rate * deviation))
    high, low = place_of([part.group for part in tilted], law.ticks, ranking[None, :])
    place = (int(high[0]) << HALF_WORD) + int(low[0])
    length = law.circumference / 2**160  # of the circle
    # Steps grow as exp(-r y / 2) falls: that loses least for their number.
    depths = -2 * np.log1p(-np.arange(STEPS + 1) / STEPS * -math.expm1(-SPAN / 2))
    offsets = [int(depth / max(rate * length, 1e-3) * 2**64) for depth in depths.tolist()]  # in ticks
    lower, upper = law.brackets(*half_words(place - offset for offset in offsets))
    lower, upper = np.maximum.accumulate(lower[::-1])[::-1], np.minimum.accumulate(upper)
    falls = np.exp(-rate * length * np.array([offset / 2**64 for offset in offsets]))
    least = falls[1] * lower[0] - (falls[1:-1] - falls[2:]) @ upper[1:-1] - falls[-1] * upper[-1]
    most = upper[0] - (falls[:-1] - falls[1:]) @ lower[1:]
    return float(least) - 1e-12, float(most) + 1e-12
