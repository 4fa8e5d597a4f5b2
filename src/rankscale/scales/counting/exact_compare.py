"""Values of groups as whole numbers, and what to do where these are too near to each other: compare exactly."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from rankscale._core import sums_below, sums_near
from rankscale.data.arrays import Ints, NDArray
from rankscale.errors import ScaleError
from rankscale.scales.counting.groups import Group
from rankscale.scales.counting.sumsets import Documents, Listed, ascending

PIECES = 64  # in which a list is searched for sums near a target
MOST_NEAR = 1 << 16  # values near one target that are still compared one by one
FIRST_BITS, LAST_BITS = 192, 20_000  # precision of a comparison; far more than any two values need

Class = tuple[int, ...]  # for each group, which of its values


@dataclass(frozen=True)
class Keys:
    """Values of groups as whole numbers that the core can add up."""

    groups: tuple[Group, ...]

    @cached_property
    def bits(self) -> int:
        """As many as sums of keys stay below 2^60 with."""
        digits = 64
        most = sum(
            max(abs(n) for n in group.numerators) * group.unit.fixed(digits) // group.denominator + 1
            for group in self.groups
        )
        bits = 59 - (most.bit_length() - digits)
        if bits < 0:
            raise ScaleError("gains are too large to be counted in 60 bits: divide all of them by the same number")
        return bits

    @cached_property
    def by_group(self) -> list[NDArray[np.int64]]:
        """(value,) for each group."""
        return [np.asarray(group.keys(self.bits), dtype=np.int64) for group in self.groups]

    @property
    def margin(self) -> int:
        """How far sums of keys can be from where they should be: two halves for each group, and one to be safe."""
        return len(self.groups) + 1

    def targets(self, classes: Ints) -> NDArray[np.int64]:
        """(class,): the sum of keys of each; classes are (class, group) places of values."""
        columns = np.array([keys[places] for keys, places in zip(self.by_group, classes.T, strict=True)])
        targets: NDArray[np.int64] = columns.sum(axis=0)
        return targets


class Part:
    """Some of the groups: finds which of their values have a given sum of keys.

    It keeps two short lists, of the sums of one half of the groups and of the other, with the places of all values in
    one number: that of the first group, plus that of the second times the size of the first group, and so on.
    """

    def __init__(self, keys: Keys, documents: Documents, start: int, end: int) -> None:
        self.keys, self.documents = keys, documents
        self.within = slice(start, end)
        self.sizes = [group.size for group in keys.groups[self.within]]

    @cached_property
    def _halves(self) -> tuple[Listed, Listed]:
        logarithms = np.cumsum([0.0, *(math.log2(size) for size in self.sizes)])
        middle = int(np.argmin(np.abs(logarithms - logarithms[-1] / 2)))
        return self._coded(slice(0, middle)), self._coded(slice(middle, len(self.sizes)))

    def _coded(self, half: slice) -> Listed:
        values, numbers = self.documents.values()[self.within][half], self.keys.by_group[self.within][half]
        worth = [math.prod(self.sizes[:group]) for group in range(half.start, half.stop)]
        kind = np.dtype(object) if math.prod(self.sizes) >> 62 else np.dtype(np.int64)
        codes = [
            np.array([value.place * times for value in group], dtype=kind)
            for group, times in zip(values, worth, strict=True)
        ]
        return ascending(list(self.documents.sums(values, numbers, (np.add, codes)).values()))

    def classes(self, key: int) -> list[Class]:
        """All values of the groups with this sum of keys."""
        (some, some_codes), (others, other_codes) = self._halves
        assert some_codes is not None  # noqa: S101
        assert other_codes is not None  # noqa: S101
        starts, ends = np.searchsorted(others, key - some, "left"), np.searchsorted(others, key - some, "right")
        return [
            self._places(int(some_codes[i]) + int(other_codes[j]))
            for i in np.flatnonzero(ends > starts)
            for j in range(starts[i], ends[i])
        ]

    def _places(self, code: int) -> Class:
        places = []
        for size in self.sizes:
            code, place = divmod(code, size)
            places.append(place)
        return tuple(places)


def joined(front: Part, back: Part, pairs: Iterable[tuple[int, int]]) -> set[Class]:
    """All values of all groups whose sums of keys, of the two parts, are one of these pairs."""
    return {some + others for a, b in set(pairs) for some in front.classes(a) for others in back.classes(b)}


def near_pairs(a: NDArray[np.int64], b: NDArray[np.int64], target: int, margin: int) -> list[tuple[int, int]]:
    """The keys of two sorted lists whose sums lie near a target.

    They are rare: the longer list is cut in pieces, and only those that the core counts some in are searched.
    """
    if len(a) < len(b):
        return [(i, j) for j, i in near_pairs(b, a, target, margin)]
    pairs: list[tuple[int, int]] = []
    for piece in np.array_split(a, min(PIECES, len(a))):
        ends = np.searchsorted(b, [target - margin - piece[-1], target + margin - piece[0] + 1])
        partners = b[ends[0] : ends[1]]
        counted = np.frombuffer(sums_below(piece, partners, np.array([target]), margin), dtype="<u8")
        if counted[2]:
            places = np.frombuffer(sums_near(partners, piece, target, margin, MOST_NEAR), dtype="<u8").reshape(-1, 2)
            pairs += zip(piece[places[:, 1]].tolist(), partners[places[:, 0]].tolist(), strict=True)
        if len(pairs) >= MOST_NEAR:
            raise ScaleError(
                f"more than {MOST_NEAR:,} values lie too near to one another to separate them: take a smaller depth"
            )
    return pairs


def compared(groups: Sequence[Group], one: Class, other: Class) -> int:
    """-1, 0 or 1 as the value of one class is below, equal to or above that of another.

    Classes that differ have different values, so that doubling the precision ends.
    """
    if one == other:
        return 0
    differences = [
        (Fraction(group.numerators[i] - group.numerators[j], group.denominator), group.unit)
        for group, i, j in zip(groups, one, other, strict=True)
        if i != j
    ]
    error = sum((abs(part) for part, _ in differences), Fraction(0))  # twice what rounded units can make
    bits = FIRST_BITS
    while bits <= LAST_BITS:
        difference = sum((part * unit.fixed(bits) for part, unit in differences), Fraction(0))
        if abs(difference) > error:
            return 1 if difference > 0 else -1
        bits *= 2
    raise ScaleError(f"two values cannot be separated with {LAST_BITS} bits: their ranks may not be independent")
