"""Images with all values at hand: closed forms of measures that only count documents, and enumeration.

Precision, recall, F and the measures of plain cumulated gain put rankings in the order of one sum of gains; reciprocal
rank and success in the order of the first relevant rank. Values are compared as whole numbers, and only displayed as
floats.

A measure of unknown structure measures every ranking, and hands out floats, each with a rounding error. Values closer
than the largest such error are taken for one; values that are further apart, yet suspiciously close, cannot be decided,
and the image is refused.
"""

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ScaleError
from rankscale.scales.counting.halves import number_of_rankings
from rankscale.scales.counting.image import LISTED, Cost, ListedValues, Progress, Provenance, Universe, quotients
from rankscale.scales.counting.lexicographic import in_order

MOST_MIXES = 1 << 21  # of gains that are listed one by one
LISTED_BYTES = 110  # of each mix or value, with what is worked out from it
WIDEST = 1 << 24  # how far apart the least and the greatest sum may lie, in steps, where there are more mixes than that
MOST_RANKINGS = 1 << 20
BLOCK = 1 << 14  # rankings measured at a time
MEASURING_BYTES = 60  # of each rank of these, while they are measured
SAME, DIFFERENT = 1e-12, 1e-9  # of the largest value: rounding stays below the one, differences above the other


class ListedImage(ListedValues):
    """An image with all its values at hand: whole numbers, its keys, that ascend as the values do.

    `key_of` gives the keys of rankings, `counted` the number of rankings with each key where that is known.
    """

    def __init__(
        self,
        universe: Universe,
        keys: Sequence[int],
        key_of: Callable[[Ints], Sequence[int]],
        values: Floats,
        words: str,
        counted: Callable[[], Sequence[int]] | None = None,
    ) -> None:
        if not len(keys):
            raise ScaleError("there is no ranking of this length: there are not documents enough")
        self.universe, self.size, self.provenance = universe, len(keys), Provenance("exact", words)
        self._keys, self._key_of, self._values, self._counted = exact_array(keys), key_of, values, counted

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:  # noqa: ARG002
        """The place of each ranking's key, from 1."""
        keys = exact_array(self._key_of(rankings))
        places = np.searchsorted(self._keys, keys)
        if not np.array_equal(self._keys[np.minimum(places, self.size - 1)], keys):
            raise ScaleError("a ranking has more documents of a kind than there are")
        ranks: list[int] = (places + 1).tolist()
        return ranks

    @cached_property
    def _cumulated(self) -> list[int]:  # type: ignore[override]
        """How many rankings have one of the first 0, 1, 2, ... keys."""
        if self._counted is None:
            raise ScaleError(f"rankings below another cannot be counted here ({self.provenance})")
        return list(accumulate(self._counted(), initial=0))


def sum_of_gains(universe: Universe) -> ListedImage:
    """The image of a measure that grows with the sum of the gains alone.

    >>> from fractions import Fraction
    >>> image = sum_of_gains(Universe((Fraction(0), Fraction(1)), depth=4))
    >>> ranking = np.array([[0, 1, 1, 0]])
    >>> image.values(), image.ranks(ranking), image.among_rankings(ranking)
    (array([0., 1., 2., 3., 4.]), [3], [(5, 6)])
    """
    denominator = math.lcm(*(gain.denominator for gain in universe.gains))
    gains = [int(gain * denominator) for gain in universe.gains]
    combined = mixes(universe)
    keys = _sums_by_shifting(universe, gains) if combined is None else sorted(set(_sums(combined, gains)))
    return ListedImage(
        universe,
        keys,
        lambda rankings: _sums(_mixed(rankings, len(gains)), gains),
        quotients(exact_array(keys), denominator),
        f"closed form: {len(keys):,} different sums of gains",
        None if combined is None else lambda: _rankings_by_sum(combined, gains, keys),
    )


def predicted(universe: Universe, *, sums: bool) -> Cost:
    """The predicted cost of a list of all `sums` of gains, or of a value for each rank; an upper bound."""
    return Cost(0.0, 1e-5, (_most_sums(universe) if sums else universe.depth) * LISTED_BYTES)


def _most_sums(universe: Universe) -> int:
    """How many mixes of gains are listed, or how many sums where there are too many mixes."""
    gains = universe.gains
    mixed = math.comb(universe.depth + len(gains) - 1, len(gains) - 1)
    if mixed <= MOST_MIXES:
        return mixed
    denominator = math.lcm(*(gain.denominator for gain in gains))
    steps = [int((gain - gains[0]) * denominator) for gain in gains]
    return min(steps[-1] // math.gcd(*steps) * universe.depth + 1, LISTED)


def reciprocal_rank(universe: Universe) -> ListedImage:
    """The image of a measure that falls with the rank of the first relevant document, for two gains.

    Rankings without one come first, then those whose first is at the last rank.
    """
    ranks = range(universe.depth, 0, -1)
    firsts = list(ranks) if universe.limits is None else [rank for rank in ranks if _beginning_with(universe, rank)]
    without = [0] if _without(universe) else []
    reciprocals = np.array(without + [1 / rank for rank in firsts], dtype=np.float64)
    return ListedImage(
        universe,
        without + [universe.depth + 1 - rank for rank in firsts],
        lambda rankings: _from_the_end(rankings).tolist(),
        reciprocals,
        "closed form: the rank of the first relevant document, or none",
        lambda: [1] * len(without) + [_beginning_with(universe, rank) for rank in firsts],
    )


def success(universe: Universe) -> ListedImage:
    """The image of a measure that is 1 where anything relevant is retrieved and 0 elsewhere, for two gains."""
    limited = sum(_beginning_with(universe, rank) for rank in range(1, universe.depth + 1)) if universe.limits else None
    counted = [_without(universe), (1 << universe.depth) - 1 if limited is None else limited]
    keys = [key for key, count in enumerate(counted) if count]
    return ListedImage(
        universe,
        keys,
        lambda rankings: (_from_the_end(rankings) > 0).astype(np.int64).tolist(),
        np.array(keys, dtype=np.float64),
        "closed form: something relevant, or nothing",
        lambda: [counted[key] for key in keys],
    )


def _from_the_end(rankings: Ints) -> Ints:
    """(ranking,): the rank of the first relevant document, counted from the end; 0 if there is none."""
    relevant = rankings > 0
    return np.where(relevant.any(axis=1), rankings.shape[1] - relevant.argmax(axis=1), 0)


def _without(universe: Universe) -> int:
    """How many rankings have no relevant document: one, or none where there are not others enough."""
    return int(_allowed(universe, 0))


def _beginning_with(universe: Universe, first: int) -> int:
    """How many rankings have their first relevant document at a rank."""
    rest = universe.depth - first
    if universe.limits is None:
        return 1 << rest
    return sum(math.comb(rest, more) for more in range(rest + 1) if _allowed(universe, 1 + more))


def _allowed(universe: Universe, relevant: int) -> bool:
    """Whether there are documents for rankings with so many relevant ones."""
    if universe.limits is None:
        return True
    taken = [0] * len(universe.limits.most)
    for kind, count in zip(universe.kinds, (universe.depth - relevant, relevant), strict=True):
        if kind >= 0:
            taken[kind] += count
    return universe.limits.allow(tuple(taken))


def mixes(universe: Universe) -> Ints | None:
    """(mix, gain): all feasible numbers of documents of each gain in a ranking; None if too many."""
    most = np.array(universe.most, dtype=np.int64)
    result = np.zeros((1, len(universe.gains)), dtype=np.int64)
    taken = np.zeros((1, len(most)), dtype=np.int64)
    for place in range(len(universe.gains) - 1, -1, -1):  # the lowest gain takes the ranks that are left
        kind, left = universe.kinds[place], universe.depth - result.sum(axis=1)
        room = left if kind < 0 else np.minimum(left, most[kind] - taken[:, kind])
        least = left if place == 0 else np.zeros_like(left)
        options = np.maximum(room - least + 1, 0)
        if options.sum() > MOST_MIXES:
            return None
        of = np.repeat(np.arange(len(result)), options)
        times = np.arange(len(of)) - np.repeat(np.cumsum(options) - options, options) + least[of]
        result, taken = result[of], taken[of]
        result[:, place] = times
        if kind >= 0:
            taken[:, kind] += times
    return result


def _mixed(rankings: Ints, gains: int) -> Ints:
    """(ranking, gain): how often each gain stands in each ranking."""
    return np.stack([(rankings == place).sum(axis=1) for place in range(gains)], axis=1)


def _sums(mixed: Ints, gains: Sequence[int]) -> list[int]:
    """The sum of gains of each mix, exact whatever their size."""
    largest = max(map(abs, gains)) * int(mixed.sum(axis=1).max(initial=0))
    sums: list[int] = (mixed @ np.array(gains, dtype=np.int64 if largest < 1 << 62 else object)).tolist()
    return sums


def _rankings_by_sum(mixed: Ints, gains: Sequence[int], keys: Sequence[int]) -> list[int]:
    """How many rankings have each sum of gains: the orders of each mix."""
    factorials = list(accumulate(range(1, int(mixed.sum(axis=1).max()) + 1), lambda a, b: a * b, initial=1))
    orders = dict.fromkeys(keys, 0)
    for mix, key in zip(mixed.tolist(), _sums(mixed, gains), strict=True):
        orders[key] += factorials[sum(mix)] // math.prod(factorials[times] for times in mix)
    return list(orders.values())


def _sums_by_shifting(universe: Universe, gains: Sequence[int]) -> list[int]:
    """All sums of as many gains as there are ranks: one bit for each, and a shift for each gain."""
    steps = [gain - gains[0] for gain in gains]
    step = math.gcd(*steps)
    if universe.limits is not None or steps[-1] // step * universe.depth > WIDEST:
        raise ScaleError(f"there are more than {MOST_MIXES:,} mixes of gains: too many to list; take a smaller depth")
    reached = 1
    for _ in range(universe.depth):
        following = 0
        for place in steps:
            following |= reached << (place // step)
        reached = following
    as_bytes = np.frombuffer(reached.to_bytes(reached.bit_length() // 8 + 1, "little"), dtype=np.uint8)
    places = np.flatnonzero(np.unpackbits(as_bytes, bitorder="little"))
    if len(places) > LISTED:
        raise ScaleError(f"there are {len(places):,} different sums of gains, too many to list; take a smaller depth")
    return [place * step + gains[0] * universe.depth for place in places.tolist()]


def exact_array(numbers: Sequence[int]) -> Ints:
    """Whole numbers as an array: machine integers if all of them are small, Python's otherwise."""
    small = all(-(1 << 62) < number < 1 << 62 for number in (min(numbers, default=0), max(numbers, default=0)))
    return np.array(numbers, dtype=np.int64 if small else object)


class EnumeratedImage(ListedValues):
    """The image of any measure over a small universe: `value_of` measures rankings given as places of gains."""

    def __init__(self, universe: Universe, value_of: Callable[[Ints], Floats]) -> None:
        self.universe, self._value_of = universe, value_of
        values = np.sort(_measured(every_ranking(universe), value_of))
        if not np.isfinite(values).all():
            raise ScaleError("the measure is undefined or infinite for some rankings: it has no scale here")
        unit = float(np.abs(values).max())
        gaps = np.diff(values)
        _refuse_doubtful(gaps, unit)
        starts = np.flatnonzero(np.append([True], gaps > SAME * unit))
        self._tolerance = DIFFERENT * unit / 2
        ends = np.append(starts[1:], len(values))
        self._values, self._cumulated = values[starts], np.append([0], ends)
        if (values[ends - 1] - self._values > self._tolerance).any():
            raise ScaleError("the values of the measure run into each other: distinct ones cannot be counted")
        self.size = len(self._values)
        self.provenance = Provenance(
            "floats",
            f"all {len(values):,} rankings enumerated; distinct values are separated by a gap: none differ by between "
            f"{SAME * unit:.2g} and {DIFFERENT * unit:.2g}",
        )

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:
        """The rank of the value that lies within the gap."""
        values = _measured(rankings, self._value_of, progress)
        places = np.searchsorted(self._values, values + self._tolerance, side="right") - 1
        if not (np.abs(self._values[places] - values) <= self._tolerance).all():
            raise ScaleError("a ranking is not one of those enumerated: it has more documents of a kind than there are")
        ranks: list[int] = (places + 1).tolist()
        return ranks


def every_ranking(universe: Universe) -> Ints:
    """(ranking, rank): all rankings, if there are not too many."""
    rankings = in_order(universe, MOST_RANKINGS + 1)
    if len(rankings) > MOST_RANKINGS:
        raise ScaleError(
            f"the structure of this measure is not known, and there are more than {MOST_RANKINGS:,} rankings to "
            "measure; take a smaller depth"
        )
    return rankings


def few(universe: Universe) -> bool:
    """Whether there are few enough rankings to measure each."""
    return number_of_rankings(universe, universe.depth) <= MOST_RANKINGS


def cost_of_enumeration(universe: Universe, seconds_per_ranking: float = 1e-5) -> Cost:
    """The predicted cost of enumeration, an upper bound; most of it is the measure's own."""
    rankings = min(len(universe.gains) ** universe.depth, MOST_RANKINGS)
    working = rankings * 3 * universe.depth + min(rankings, BLOCK) * universe.depth * MEASURING_BYTES
    return Cost(rankings * seconds_per_ranking, seconds_per_ranking, rankings * 24, working)


def _measured(rankings: Ints, value_of: Callable[[Ints], Floats], progress: Progress | None = None) -> Floats:
    """(ranking,): values, in blocks."""
    values = np.empty(len(rankings))
    for start in range(0, len(rankings), BLOCK):
        values[start : start + BLOCK] = value_of(rankings[start : start + BLOCK])
        if progress:
            progress(min(start + BLOCK, len(rankings)), len(rankings))
    return values


def _refuse_doubtful(gaps: Floats, unit: float) -> None:
    """Raise ScaleError if two values may differ by rounding or truly."""
    doubtful = gaps[(gaps > SAME * unit) & (gaps < DIFFERENT * unit)]
    if len(doubtful):
        raise ScaleError(
            f"two values of the measure differ by {doubtful[0]:.2g}: too little to exclude rounding, "
            "so that distinct values cannot be counted"
        )
