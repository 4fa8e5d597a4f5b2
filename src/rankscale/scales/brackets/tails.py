"""Certified brackets of the logarithm of a share: for rankings so low that their share is near 0.

The law of the sum S of one random value from each group is tilted: value v of a group gets a chance in proportion to
exp(-r v). With r such that the tilted mean is the ranking's value m, m lies in the middle of the tilted law G, and

    share = E exp(-r S) * exp(r m) * I,    I = sum over values x <= m of exp(-r (m - x)) G(x)

I is bracketed by sums over steps: on each step exp(-r (m - x)) lies between its values at the two ends, and what G has
on the step follows from brackets of G (see `brackets`). Steps and brackets together are about 0.007 wide in log10.

**Rounding.** Tilted chances are *defined* by the floats w = exp(-r (x - lowest)) as computed, so that G is a law
without error; that w is only near to exp(-r (v - lowest)) enters as a factor for each group, off by (12 + 4 r range) u.
Sums of logarithms are off by as many u as they have terms, times their size. All of it is added outward (`drift`).
"""

import math
from collections.abc import Sequence

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.scales.brackets.bracketing import Law, place_of
from rankscale.scales.brackets.circle import UNIT_ROUNDOFF, Moments, Scaled, scaled
from rankscale.scales.counting.groups import Group

FEW = 20_000  # so many values are counted one by one
STEPS = 600
SPAN = 12.0  # what lies farther below than 12 / r is less than exp(-12) of what there is
GREATEST_TILT = 600.0  # of r times a group's range: floats end near exp(-745)
COUNTED = 40  # bits of the fractions of the range that values are counted in


def log10_share(groups: Sequence[Group], ranking: Ints) -> tuple[float, float]:
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


def _logarithms(groups: Sequence[Group], least: int, most: int) -> tuple[float, float]:
    """Bounds of log10 of a number of values over all values; logarithms are right to a few units."""
    whole = math.log10(math.prod(group.size for group in groups))
    error = 8 * UNIT_ROUNDOFF * (1 + whole)
    return math.log10(least) - whole - error, min(math.log10(most) - whole + error, 0.0)


def _few(groups: Sequence[Group], places: Sequence[int]) -> tuple[int, int] | None:
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


def _heights(groups: Sequence[Group], places: Sequence[int], most: int) -> list[Ints]:
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


def _tilted(parts: Sequence[Scaled], places: Sequence[int], ranking: Ints) -> tuple[float, float]:
    above_lowest = [part.floats - part.floats[0] for part in parts]
    excess = sum(float(values[place]) for values, place in zip(above_lowest, places, strict=True))
    rate = _rate(above_lowest, excess)
    weights = [np.exp(-rate * values) for values in above_lowest]
    tilted = [
        Scaled(part.group, weight / weight.sum(), (weight.size + 4) * UNIT_ROUNDOFF)
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


def _integral(tilted: Sequence[Scaled], ranking: Ints, rate: float) -> tuple[float, float]:
    """Bounds of I."""
    deviation = math.sqrt(sum(part.variance for part in tilted))
    law = Law(tilted, width=2e-3 / (1 + rate * deviation))
    high, low = place_of([part.group for part in tilted], law.ticks, ranking[None, :])
    place = (int(high[0]) << 32) + int(low[0])
    length = law.circumference / 2**160  # of the circle
    # Steps grow as exp(-r y / 2) falls: that loses least for their number.
    depths = -2 * np.log1p(-np.arange(STEPS + 1) / STEPS * -math.expm1(-SPAN / 2))
    offsets = [int(depth / max(rate * length, 1e-3) * 2**64) for depth in depths.tolist()]  # in ticks
    nodes = [place - offset for offset in offsets]
    lower, upper = law.brackets(
        np.array([node >> 32 for node in nodes], dtype=np.int64),
        np.array([node & 0xFFFFFFFF for node in nodes], dtype=np.int64),
    )
    lower, upper = np.maximum.accumulate(lower[::-1])[::-1], np.minimum.accumulate(upper)
    falls = np.exp(-rate * length * np.array([offset / 2**64 for offset in offsets]))
    least = falls[1] * lower[0] - (falls[1:-1] - falls[2:]) @ upper[1:-1] - falls[-1] * upper[-1]
    most = upper[0] - (falls[:-1] - falls[1:]) @ lower[1:]
    return float(least) - 1e-12, float(most) + 1e-12
