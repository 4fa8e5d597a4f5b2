"""All sums of one value from each group, as whole numbers, and exact comparison where these are too near.

A universe may hold only so many documents of a kind. Then each sum carries a label: the least numbers of documents,
by kind, that rankings with this sum take. Sums of two labels can stand in one ranking if some choice of the two is
allowed. Where there is no end of documents, all sums share one label.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rankscale._core import sums_below, sums_near
from rankscale.data.arrays import Bools, Ints, NDArray
from rankscale.errors import ScaleError, Setting
from rankscale.scales.counting.groups import RankGroup
from rankscale.scales.counting.image import Limits

MOST_LABELS = 1 << 13

Taken = tuple[int, ...]  # documents of each kind
Label = frozenset[Taken]
WholeNumbers = NDArray[np.int64]  # Python integers where these would overflow; long doubles for displayed values
PIECES = 64  # in which a list is searched for sums near a target
MOST_NEAR = 1 << 16  # values near one target that are still compared one by one
FIRST_BITS, LAST_BITS = 192, 20_000  # precision of a comparison; far more than any two values need
Class = tuple[int, ...]  # for each group, which of its values


class GroupValue(NamedTuple):
    """A value of a group with the documents that it takes."""

    place: int  # among the values of the group
    label: Label
    weight: int  # how many assignments of gains it stands for


class CarriedSums(NamedTuple):
    """Sums, and what each of them carries along."""

    sums: WholeNumbers
    carried: WholeNumbers | None


class Documents:
    """What there is of each kind of document, and so which labels go together."""

    def __init__(self, groups: Sequence[RankGroup], limits: Limits | None) -> None:
        depth = sum(len(group.ranks) for group in groups)
        gains = len(groups[0].gains)
        # A limit that no ranking can reach is none, and every limit less means fewer labels.
        binding = [kind for kind, most in enumerate(limits.most) if most < depth] if limits else []
        self.most: Taken = tuple(limits.most[kind] for kind in binding) if limits else ()
        kinds = limits.kinds if limits else (-1,) * gains
        self.limits = Limits(tuple(binding.index(kind) if kind in binding else -1 for kind in kinds), self.most)
        self.nothing: Label = frozenset({(0,) * len(self.most)})
        self.usages = [group.usages(self.limits) for group in groups]
        self._joined: dict[tuple[Label, Label], Label] = {}

    @cached_property
    def values(self) -> list[list[GroupValue]]:
        """For each group its values, each of them once, with the least that it takes."""
        return [
            [GroupValue(place, least(options), 1) for place, options in enumerate(usages) if options]
            for usages in self.usages
        ]

    def assignments(self) -> list[list[GroupValue]]:
        """For each group its values, once for every number of documents that they can take."""
        return [
            [
                GroupValue(place, frozenset({taken}), n)
                for place, options in enumerate(usages)
                for taken, n in options.items()
            ]
            for usages in self.usages
        ]

    def multiplicity(self, places: Sequence[int]) -> int:
        """How many rankings have these values of the groups; none if that takes more documents than there are."""
        counts: dict[Taken, int] = dict.fromkeys(self.nothing, 1)
        for usages, place in zip(self.usages, places, strict=True):
            following: dict[Taken, int] = defaultdict(int)
            for taken, count in counts.items():
                for more, number in usages[place].items():
                    following[_sum(taken, more)] += count * number
            counts = {taken: count for taken, count in following.items() if self.limits.allow(taken)}
        return sum(counts.values())

    def join(self, one: Label, other: Label) -> Label:
        """The label of sums of the two; empty if no ranking can have both."""
        if (one, other) not in self._joined:
            both = {_sum(a, b) for a in one for b in other}
            self._joined[one, other] = least(taken for taken in both if self.limits.allow(taken))
        return self._joined[one, other]

    def together(self, some: Sequence[Label], others: Sequence[Label]) -> Bools:
        """(label of some, label of others): whether a ranking can have both."""
        (of_some, some_taken), (of_others, others_taken) = _memberships(some), _memberships(others)
        allowed = np.all(some_taken[:, None, :] + others_taken[None, :, :] <= np.array(self.most, dtype=np.int64), -1)
        possible: Bools = of_some @ allowed.astype(np.float32) @ of_others.T > 0
        return possible

    def counts(self, values: Iterable[Sequence[GroupValue]]) -> list[dict[Label, int]]:
        """How many sums of the first 0, 1, 2, ... groups there are, by label."""
        steps = [dict.fromkeys([self.nothing], 1)]
        for group in values:
            by_label: dict[Label, int] = defaultdict(int)
            for value in group:
                by_label[value.label] += 1
            following: dict[Label, int] = defaultdict(int)
            for label, count in steps[-1].items():
                for more, times in by_label.items():
                    following[self.join(label, more)] += count * times
            following.pop(frozenset(), None)
            if len(following) > MOST_LABELS:
                raise ScaleError(
                    "there are too many combinations of documents to count exactly: "
                    "take a smaller depth, fewer grades, or ",
                    Setting("universe", "all"),
                )
            steps.append(dict(following))
        return steps

    def sums(
        self,
        values: Iterable[Sequence[GroupValue]],
        numbers: Sequence[WholeNumbers],
        carried: tuple[np.ufunc, Sequence[WholeNumbers]] | None = None,
        at_most: int | None = None,
    ) -> dict[Label, CarriedSums]:
        """All sums by label, unsorted, where `numbers` are the values of each group.

        `carried` gives what comes along with each of `values`, and how that of two groups is joined. With `at_most`
        only so many sums of each label are kept, the least ones.
        """
        join, alongs = carried or (np.add, None)
        identity = None if alongs is None else np.full(1, join.identity, dtype=alongs[0].dtype if alongs else np.int64)
        sums = {self.nothing: CarriedSums(np.zeros(1, dtype=numbers[0].dtype if numbers else np.int64), identity)}
        for group, (entries, worth) in enumerate(zip(values, numbers, strict=True)):
            pieces: dict[Label, list[CarriedSums]] = defaultdict(list)
            for label, listed in sums.items():
                for entry, value in enumerate(entries):
                    along = None if alongs is None else join(listed.carried, alongs[group][entry])
                    pieces[self.join(label, value.label)].append(CarriedSums(listed.sums + worth[value.place], along))
            pieces.pop(frozenset(), None)
            sums = {label: concatenated(lists) for label, lists in pieces.items()}
            if at_most is not None:
                sums = {label: CarriedSums(_lowest(listed.sums, at_most), None) for label, listed in sums.items()}
        return sums


def least(options: Iterable[Taken]) -> Label:
    """The minimal ones: no other takes at most as many documents of every kind.

    >>> sorted(least([(2, 0), (1, 1), (2, 1), (0, 3)]))
    [(0, 3), (1, 1), (2, 0)]
    """
    kept: list[Taken] = []
    for taken in sorted(options, key=lambda taken: (sum(taken), taken)):
        if not any(all(a <= b for a, b in zip(less, taken, strict=True)) for less in kept):
            kept.append(taken)
    return frozenset(kept)


def concatenated(lists: Sequence[CarriedSums]) -> CarriedSums:
    """One after the other."""
    if len(lists) == 1:
        return lists[0]
    carried = [listed.carried for listed in lists if listed.carried is not None]
    return CarriedSums(np.concatenate([listed.sums for listed in lists]), np.concatenate(carried) if carried else None)


def ascending(lists: Sequence[CarriedSums]) -> CarriedSums:
    """All of them in one list, sorted by the sums."""
    sums, carried = concatenated(lists)
    if carried is None:
        return CarriedSums(np.sort(sums), None)
    order = np.argsort(sums)
    return CarriedSums(sums[order], carried[order])


def _lowest(numbers: WholeNumbers, count: int) -> WholeNumbers:
    return numbers if len(numbers) <= count else np.partition(numbers, count)[:count]


def _sum(one: Taken, other: Taken) -> Taken:
    return tuple(a + b for a, b in zip(one, other, strict=True))


def _memberships(labels: Sequence[Label]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """(label, number): which of all distinct numbers of documents each label holds; and these numbers."""
    column = {taken: place for place, taken in enumerate(sorted(frozenset().union(*labels)))}
    members = np.zeros((len(labels), len(column)), dtype=np.float32)
    for row, label in enumerate(labels):
        members[row, [column[taken] for taken in label]] = 1
    return members, np.array(list(column), dtype=np.int64).reshape(len(column), -1)


@dataclass(frozen=True)
class Keys:
    """Values of groups as whole numbers that the core can add up."""

    groups: tuple[RankGroup, ...]

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
        """Largest rounding error of a sum of keys: 1 for each group, whose keys are rounded twice, and 1 to spare."""
        return len(self.groups) + 1

    def targets(self, classes: Ints) -> NDArray[np.int64]:
        """(class,): the sum of keys of each; classes are (class, group) places of values."""
        columns = np.array([keys[places] for keys, places in zip(self.by_group, classes.T, strict=True)])
        targets: NDArray[np.int64] = columns.sum(axis=0)
        return targets


class GroupsPart:
    """Some of the groups: finds which of their values have a given sum of keys.

    It keeps two short lists, of the sums of one half of the groups and of the other, with the places of all values in
    one number: that of the first group, plus that of the second times the size of the first group, and so on.
    """

    def __init__(self, keys: Keys, documents: Documents, start: int, end: int) -> None:
        self.keys, self.documents = keys, documents
        self.within = slice(start, end)
        self.sizes = [group.size for group in keys.groups[self.within]]

    @cached_property
    def _halves(self) -> tuple[CarriedSums, CarriedSums]:
        logarithms = np.cumsum([0.0, *(math.log2(size) for size in self.sizes)])
        middle = int(np.argmin(np.abs(logarithms - logarithms[-1] / 2)))
        return self._coded(slice(0, middle)), self._coded(slice(middle, len(self.sizes)))

    def _coded(self, half: slice) -> CarriedSums:
        values, numbers = self.documents.values[self.within][half], self.keys.by_group[self.within][half]
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


def joined(front: GroupsPart, back: GroupsPart, pairs: Iterable[tuple[int, int]]) -> set[Class]:
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


def compared(groups: Sequence[RankGroup], one: Class, other: Class) -> int:
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
