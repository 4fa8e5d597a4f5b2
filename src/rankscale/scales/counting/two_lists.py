"""Counting sums below a target by two sorted lists, or by four where two would not fit in memory.

Sums are whole numbers of a tiny unit, rounded group by group. What lies within the margin of a target is not counted
but given back, as values of all groups, to be compared exactly.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from rankscale._core import sums_below
from rankscale.data.arrays import NDArray
from rankscale.errors import ScaleError
from rankscale.scales.counting.image import Counts, Progress, no_counts, read_counts
from rankscale.scales.counting.sumsets import (
    CarriedSums,
    Class,
    Documents,
    GroupsPart,
    GroupValue,
    Keys,
    Label,
    WholeNumbers,
    ascending,
    joined,
    near_pairs,
)

MOST_KEYS = 1 << 25  # in all lists together: 256 MB, and as much again while the core counts; half as many with weights
LOOKED_UP = 1 << 20  # a longer list falls out of the caches: made only if the other one were longer still
WALKED_OFTEN = 256  # what a key more to walk costs, in keys more to look up: it is walked for each ranking
KEYS_AT_ONCE = 1 << 27  # walked by one call of the core: about half a second, after which one may stop
LIMB = 32  # bits of the pieces that numbers of rankings are taken apart to
WINDOW = 1 << 21  # keys of each list at a time
RUN = 1 << 20  # the longer one of two lists that make up a list: long runs of it are copied at once
SAMPLE = 1 << 16
MOST_WEIGHTS = 16  # numbers of rankings that values stand for, each counted for itself
Int64s = NDArray[np.int64]


@dataclass(frozen=True)
class GroupSplit:
    """Where the groups are parted into a list to walk and a list to look up, and the labels that go together."""

    at: int
    blocks: tuple[tuple[tuple[Label, ...], tuple[Label, ...]], ...]
    walked: int  # keys: the shorter list of each block
    looked_up: int  # the longer one


def best_split(documents: Documents, values: Sequence[Sequence[GroupValue]], *, weighted: bool) -> GroupSplit | None:
    """The split with the least work for many rankings; None if the lists of all get too long."""
    fronts, backs = documents.counts(values), documents.counts(values[::-1])[::-1]
    longer = [max(sum(front.values()), sum(back.values())) for front, back in zip(fronts, backs, strict=True)]
    worth_a_look = [at for at, keys in enumerate(longer) if keys <= min(MOST_KEYS, max(LOOKED_UP, 4 * min(longer)))]
    splits = [_split(documents, at, fronts[at], backs[at]) for at in worth_a_look]
    most = MOST_KEYS // 2 if weighted else MOST_KEYS
    splits = [split for split in splits if split.walked + split.looked_up <= most]
    usual = [split for split in splits if split.looked_up <= LOOKED_UP]
    shortest = sorted(splits, key=lambda split: split.looked_up)[:1]
    return min(usual or shortest, key=lambda split: WALKED_OFTEN * split.walked + split.looked_up, default=None)


def _split(documents: Documents, at: int, front: dict[Label, int], back: dict[Label, int]) -> GroupSplit:
    some, others = list(front), list(back)
    partners: dict[bytes, list[Label]] = defaultdict(list)
    columns: dict[bytes, tuple[Label, ...]] = {}
    for label, row in zip(some, documents.together(some, others), strict=True):
        if row.any():
            partners[row.tobytes()].append(label)
            columns[row.tobytes()] = tuple(other for other, fits in zip(others, row, strict=True) if fits)
    blocks = [(tuple(labels), columns[row]) for row, labels in partners.items()]
    sizes = [(sum(front[label] for label in a), sum(back[label] for label in b)) for a, b in blocks]
    return GroupSplit(at, tuple(blocks), sum(map(min, sizes)), sum(map(max, sizes)))


@dataclass(frozen=True)
class TwoSortedLists:
    """Two sorted lists that all go together, with numbers of rankings where these are counted."""

    a: CarriedSums
    b: CarriedSums

    def count(self, targets: NDArray[np.int64], margin: int) -> Counts:
        """For each target, how many are certainly below, and how many near."""
        a, b = self.a.sums, self.b.sums
        if self.a.carried is None and self.b.carried is None:
            return read_counts(sums_below(a, b, targets, margin))
        counts = no_counts(len(targets))
        for i, of_a in enumerate(limbs(self.a.carried, len(a))):
            for j, of_b in enumerate(limbs(self.b.carried, len(b))):
                counts += read_counts(sums_below(a, b, targets, margin, (of_a, of_b))) << LIMB * (i + j)
        return counts


class TwoLists:
    """Counts values, or rankings, by sums of keys."""

    def __init__(
        self, keys: Keys, documents: Documents, values: Sequence[Sequence[GroupValue]], split: GroupSplit
    ) -> None:
        self.keys, self.documents, self.values, self.split = keys, documents, values, split
        self.front = GroupsPart(keys, documents, 0, split.at)
        self.back = GroupsPart(keys, documents, split.at, len(values))

    @cached_property
    def blocks(self) -> list[TwoSortedLists]:
        """The lists, made when they are first needed."""
        front, back = (self._sums(part) for part in (self.front, self.back))
        return [
            TwoSortedLists(ascending([front[label] for label in some]), ascending([back[label] for label in others]))
            for some, others in self.split.blocks
        ]

    def _sums(self, part: GroupsPart) -> dict[Label, CarriedSums]:
        values, numbers = self.values[part.within], self.keys.by_group[part.within]
        carried = (np.multiply, weights(values)) if shared(values) else None
        return self.documents.sums(values, numbers, carried)

    def count(self, targets: NDArray[np.int64], progress: Progress | None = None) -> Counts:
        """For each target, how many are certainly below, and how many near."""
        counts, steps = no_counts(len(targets)), []
        for block in self.blocks:
            size = max(1, KEYS_AT_ONCE // min(len(block.a.sums), len(block.b.sums)))
            steps += [(block, slice(start, start + size)) for start in range(0, len(targets), size)]
        for done, (block, some) in enumerate(steps, 1):
            counts[some] += block.count(targets[some], self.keys.margin)
            if progress:
                progress(done, len(steps))
        return counts

    def near(self, target: int) -> set[Class]:
        """All values, by group, that may be the one of this target."""
        pairs = (near_pairs(block.a.sums, block.b.sums, target, self.keys.margin) for block in self.blocks)
        return joined(self.front, self.back, {pair for some in pairs for pair in some})


def shared(values: Sequence[Sequence[GroupValue]]) -> bool:
    """Whether some value stands for several assignments."""
    return any(value.weight > 1 for group in values for value in group)


def weights(values: Sequence[Sequence[GroupValue]]) -> list[WholeNumbers]:
    """How many assignments each value stands for, in numbers large enough for all rankings."""
    total = math.prod(sum(value.weight for value in group) for group in values)
    kind = np.dtype(object) if total >> 63 else np.dtype(np.int64)
    return [np.array([value.weight for value in group], dtype=kind) for group in values]


def limbs(numbers: WholeNumbers | None, length: int) -> list[NDArray[np.uint64]]:
    """Cumulated numbers, from 0; those too large for the core in pieces of 32 bits each, lowest first."""
    if numbers is None:
        return [np.arange(length + 1, dtype=np.uint64)]
    if numbers.dtype != object:
        return [_cumulated(numbers)]
    count = -(-int(max(numbers)).bit_length() // LIMB)
    return [_cumulated((numbers >> LIMB * place) & ((1 << LIMB) - 1)) for place in range(count)]


def _cumulated(numbers: WholeNumbers) -> NDArray[np.uint64]:
    return np.concatenate([[0], np.cumsum(numbers.astype(np.uint64))]).astype(np.uint64)


class FourLists:
    """Counts values, or rankings, by sums of keys, where there is no end of documents.

    The list to walk and the list to look up are themselves sums of two lists each, and are made window by window: all
    keys of the first between two bounds, and all keys of the second that lie near the target with one of them. What
    each window needs is sorted, counted by the core as two lists, and thrown away. This takes the time of two lists and
    the memory of a window (Schroeppel and Shamir, SIAM Journal on Computing 10(3), 1981).
    """

    def __init__(self, keys: Keys, documents: Documents, values: Sequence[Sequence[GroupValue]]) -> None:
        self.keys, self.documents, self.values = keys, documents, values
        sizes = [len(group) for group in values]
        middle = halved(sizes)
        self.front, self.back = GroupsPart(keys, documents, 0, middle), GroupsPart(keys, documents, middle, len(sizes))
        self._pairs: dict[int, list[tuple[int, int]]] = {}

    @cached_property
    def _lists(self) -> "tuple[dict[int, PairedSums], PairedSums]":
        """The list to walk, by how many rankings its keys stand for; and the list to look up."""
        front, back = self._made(self.front), self._made(self.back)
        if len(front) > MOST_WEIGHTS or list(back) != [1]:
            raise ScaleError(
                "there are too many values to count rankings, and too many that several rankings share; "
                "their ranks can still be counted"
            )
        return front, back[1]

    def _made(self, part: GroupsPart) -> "dict[int, PairedSums]":
        """Sums of a part, by how many rankings each stands for: only those of its short list may be several."""
        values, numbers = self.values[part.within], self.keys.by_group[part.within]
        sizes = [len(group) for group in values]
        few = next(at for at in range(len(sizes) + 1) if math.prod(sizes[at:]) <= RUN and not shared(values[at:]))
        carried = (np.multiply, weights(values[:few])) if few else None
        (some,) = self.documents.sums(values[:few], numbers[:few], carried).values()
        (others,) = self.documents.sums(values[few:], numbers[few:]).values()
        times = np.ones(1, dtype=np.int64) if some.carried is None else some.carried
        return {int(n): PairedSums(some.sums[times == n], np.sort(others.sums)) for n in np.unique(times)}

    def count(self, targets: Int64s, progress: Progress | None = None) -> Counts:
        """For each target, how many are certainly below, and how many near."""
        counts = no_counts(len(targets))
        for place, target in enumerate(targets.tolist()):
            bounds = self._bounds(target)
            self._pairs[target] = []
            for window, (low, high) in enumerate(pairwise(bounds), 1):
                counts[place : place + 1] += self._window(target, low, high)
                if progress:
                    progress(place * (len(bounds) - 1) + window, len(targets) * (len(bounds) - 1))
        return counts

    def _bounds(self, target: int) -> list[int]:
        """Where windows of the walked list start and end, so that few keys of either list lie in any of them."""
        front, back = self._lists
        random = np.random.default_rng(0)  # which bounds are taken does not matter for what is counted
        of_front = [bound for sums in front.values() for bound in sums.quantiles(random)]
        within = [target - bound for bound in back.quantiles(random)]
        least = min(sums.least for sums in front.values())
        greatest = max(sums.greatest for sums in front.values()) + 1
        return sorted({least, greatest, *(bound for bound in of_front + within if least < bound < greatest)})

    def _window(self, target: int, low: int, high: int) -> Counts:
        """Counts for keys of the walked list from one bound to before the other."""
        front, back = self._lists
        margin = self.keys.margin
        first, end = target - high - margin, target - low + margin + 1  # of what is looked up; all before is below
        starts, ends = back.places(first), back.places(end)
        partners = np.sort(back.between(starts, ends)) if np.any(ends > starts) else None
        counts = no_counts(1)
        for times, sums in front.items():
            bounds = sums.places(low), sums.places(high)
            counts[0, 0] += times * int((bounds[1] - bounds[0]).sum()) * int(starts.sum())
            if partners is not None and np.any(bounds[1] > bounds[0]):
                walked = np.sort(sums.between(*bounds))
                counted = read_counts(sums_below(walked, partners, np.array([target]), margin))
                counts += times * counted
                if counted[0, 1]:
                    self._pairs[target] += near_pairs(walked, partners, target, margin)
        return counts

    def near(self, target: int) -> set[Class]:
        """All values, by group, that may be the one of this target; it must have been counted."""
        return joined(self.front, self.back, self._pairs[target])


@dataclass(frozen=True)
class PairedSums:
    """All sums of a short list and a long one, never made as a whole; the long one ascends."""

    few: Int64s
    run: Int64s

    @property
    def least(self) -> int:
        """The lowest sum."""
        return int(self.few.min() + self.run[0])

    @property
    def greatest(self) -> int:
        """The highest sum."""
        return int(self.few.max() + self.run[-1])

    def quantiles(self, random: np.random.Generator) -> list[int]:
        """Bounds that part the sums into about as many windows as are needed."""
        windows = len(self.few) * len(self.run) // WINDOW + 1
        sample = np.sort(random.choice(self.few, SAMPLE) + random.choice(self.run, SAMPLE))
        return [int(sample[SAMPLE * window // windows]) for window in range(1, windows)]

    def places(self, bound: int) -> Int64s:
        """(few,): how many keys of the run give a sum below the bound."""
        return np.searchsorted(self.run, bound - self.few)

    def between(self, starts: Int64s, ends: Int64s) -> Int64s:
        """The sums of each of the few with its part of the run."""
        lengths = ends - starts
        sums = np.empty(int(lengths.sum()), dtype=np.int64)
        offsets = np.cumsum(lengths) - lengths
        parts = zip(self.few.tolist(), starts.tolist(), lengths.tolist(), offsets.tolist(), strict=True)
        for key, start, length, offset in parts:
            np.add(self.run[start : start + length], key, out=sums[offset : offset + length])
        return sums


def halved(sizes: Sequence[int]) -> int:
    """Where to part groups so that both parts have about as many sums."""
    return min(range(len(sizes) + 1), key=lambda at: math.prod(sizes[:at]) + math.prod(sizes[at:]))
