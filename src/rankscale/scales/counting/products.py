"""Exact ranks where a value is the sum of independent values of groups of ranks.

Each value is one choice from every group, so their number is a product of sizes, and a rank counts choices whose
sum does not exceed another: by two sorted lists of sums of whole numbers, or four where memory would not do. Whole
numbers are rounded; the few values that are too near for them are compared exactly.
"""

import math
from collections.abc import Sequence
from functools import cached_property
from typing import cast

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ScaleError, Setting
from rankscale.scales.counting.groups import RankGroup
from rankscale.scales.counting.image import LISTED, Cost, Image, Limits, Progress, Provenance, Universe, written_size
from rankscale.scales.counting.sumsets import Class, Documents, Keys, WholeNumbers, compared
from rankscale.scales.counting.two_lists import WINDOW, FourLists, TwoLists, best_split, halved

MOST_VALUES = 1 << 64  # beyond, too many values lie too near to one another for keys of 60 bits
FLOAT_BITS = 300  # of units, before they are rounded to floats

# What a key takes on a machine of 2026 with two cores, in seconds; measured with DCG at depths from 30 to 60.
MADE, WALKED, WINDOWED = 50e-9, 8e-9, 32e-9
KEY = 8  # bytes


class ProductImage(Image):
    """The distinct values of a sum over independent groups.

    >>> from fractions import Fraction
    >>> from rankscale.scales.counting.groups import by_roots
    >>> gains = (Fraction(0), Fraction(1))
    >>> image = ProductImage(Universe(gains, 4), by_roots(4, Fraction(2), gains), "exact")
    >>> image.size, image.ranks(np.array([[1, 1, 1, 1], [1, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0]]))
    (12, [12, 9, 5, 1])
    """

    listing = 48

    def __init__(self, universe: Universe, groups: tuple[RankGroup, ...], words: str) -> None:
        self.universe, self.groups, self._keys = universe, groups, Keys(groups)
        self.provenance = Provenance("exact", words)

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        """How many choices there are of one value from every group; with limits, of those that they allow."""
        if self.universe.limits is None:
            return math.prod(group.size for group in self.groups)
        return sum(self._documents.counts(self._documents.values)[-1].values())

    @cached_property
    def _documents(self) -> Documents:
        return Documents(self.groups, self.universe.limits)

    @cached_property
    def _by_value(self) -> TwoLists | FourLists:
        return self._counter(weighted=False)

    @cached_property
    def _by_ranking(self) -> TwoLists | FourLists:
        return self._counter(weighted=True)

    def _counter(self, *, weighted: bool) -> TwoLists | FourLists:
        values = self._documents.assignments() if weighted else self._documents.values
        split = best_split(self._documents, values, weighted=weighted)
        if split is not None:
            return TwoLists(self._keys, self._documents, values, split)
        _refuse_limits(self._documents)
        _refuse_too_many(self.size)
        return FourLists(self._keys, self._documents, values)

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:
        """The exact rank of each ranking, from 1."""
        classes = self._classes(rankings)
        targets = self._keys.targets(classes)
        counts = self._by_value.count(targets, progress)
        return [
            below + (1 if near == 1 else self._not_above(tuple(places), target))
            for (below, near), target, places in zip(counts, targets.tolist(), classes.tolist(), strict=True)
        ]

    def _not_above(self, own: Class, target: int) -> int:
        """How many of the values near a target do not exceed it."""
        near = self._by_value.near(target)
        return sum(self._documents.multiplicity(other) > 0 and compared(self.groups, other, own) <= 0 for other in near)

    def among_rankings(self, rankings: Ints) -> list[tuple[int, int]]:
        """For each ranking, how many rankings of the universe have a lower value, and how many the same."""
        classes = self._classes(rankings)
        targets = self._keys.targets(classes)
        counts, multiplicity = self._by_ranking.count(targets), self._documents.multiplicity
        result = []
        for (below, near), target, places in zip(counts, targets.tolist(), classes.tolist(), strict=True):
            own = tuple(places)
            equal = multiplicity(own)
            others = self._by_ranking.near(target) if near != equal else ()
            lower = sum(multiplicity(other) for other in others if compared(self.groups, other, own) < 0)
            result.append((below + lower, equal))
        return result

    def _classes(self, rankings: Ints) -> Ints:
        """(ranking, group): which of its values each group has."""
        self.universe.check(rankings)
        return np.stack([group.places(rankings) for group in self.groups], axis=-1)

    def ends(self, count: int) -> tuple[Floats, Floats]:
        """The first and the last `count` distinct values, both ascending (all of them where there are fewer)."""
        if min(count, self.size) > LISTED:
            raise ScaleError(f"{min(count, self.size):,} values are too many to list; there can be {LISTED:,}")
        first = self._lowest(count, [_floats(group) for group in self.groups])
        if count >= self.size:
            return first, first
        return first, -self._lowest(count, [-_floats(group) for group in self.groups])[::-1]

    def _lowest(self, count: int, numbers: Sequence[WholeNumbers]) -> Floats:
        """The lowest sums of numbers: as many of each label and of each step are enough to make those of the next."""
        by_label = self._documents.sums(self._documents.values, numbers, at_most=count)
        sums = np.concatenate([listed.sums for listed in by_label.values()]).astype(np.float64)
        return np.sort(sums)[:count]


def predicted(groups: tuple[RankGroup, ...], limits: Limits | None) -> Cost:
    """The predicted cost of counting ranks."""
    if limits is None:
        _refuse_too_many(math.prod(group.size for group in groups))
    documents = Documents(groups, limits)
    split = best_split(documents, documents.values, weighted=False)
    if split is not None:
        keys = split.walked + split.looked_up
        return Cost(0.01 + MADE * keys, 1e-5 + WALKED * split.walked, (2 * keys + split.looked_up // 2) * KEY)
    _refuse_limits(documents)
    sizes = [group.size for group in groups]
    middle = halved(sizes)
    return Cost(0.1, WINDOWED * (math.prod(sizes[:middle]) + math.prod(sizes[middle:])), 8 * WINDOW * KEY)


def _refuse_limits(documents: Documents) -> None:
    if documents.most:
        raise ScaleError(
            "lists of values with limited documents get too long: take ", Setting("universe", "all"), ", or fewer ranks"
        )


def _refuse_too_many(size: int) -> None:
    if size > MOST_VALUES:
        raise ScaleError(
            f"{written_size(size)} distinct values are too many to count exactly: take a smaller depth, or brackets"
        )


def _floats(group: RankGroup) -> WholeNumbers:
    """(value,): the values of the group, in the longest floats there are."""
    unit = group.unit.fixed(FLOAT_BITS)
    scale = np.longdouble(2) ** -FLOAT_BITS / group.denominator
    return cast("WholeNumbers", np.array([np.longdouble(numerator * unit) for numerator in group.numerators]) * scale)
