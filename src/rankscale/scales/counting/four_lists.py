"""Counting sums below a target by four lists: for more values than two lists in memory can make.

The list to walk and the list to look up are themselves sums of two lists each, and are made window by window: all
keys of the first between two bounds, and all keys of the second that lie near the target with one of them. What each
window needs is sorted, counted by the core as two lists, and thrown away. This takes the time of two lists and the
memory of a window (Schroeppel and Shamir, SIAM Journal on Computing 10(3), 1981).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from rankscale._core import sums_below
from rankscale.data.arrays import NDArray
from rankscale.errors import ScaleError
from rankscale.scales.counting.exact_compare import Class, Keys, Part, joined, near_pairs
from rankscale.scales.counting.image import Counts, Progress, read_counts
from rankscale.scales.counting.sumsets import Documents, Value
from rankscale.scales.counting.two_lists import shared, weights

WINDOW = 1 << 21  # keys of each list at a time
RUN = 1 << 20  # the longer one of two lists that make up a list: long runs of it are copied at once
SAMPLE = 1 << 16
MOST_WEIGHTS = 16  # numbers of rankings that values stand for, each counted for itself

Int64s = NDArray[np.int64]


class FourLists:
    """Counts values, or rankings, by sums of keys, where there is no end of documents."""

    def __init__(self, keys: Keys, documents: Documents, values: Sequence[Sequence[Value]]) -> None:
        self.keys, self.documents, self.values = keys, documents, values
        sizes = [len(group) for group in values]
        middle = halved(sizes)
        self.front, self.back = Part(keys, documents, 0, middle), Part(keys, documents, middle, len(sizes))
        self._pairs: dict[int, list[tuple[int, int]]] = {}

    @cached_property
    def _lists(self) -> "tuple[dict[int, Sums], Sums]":
        """The list to walk, by how many rankings its keys stand for; and the list to look up."""
        front, back = self._made(self.front), self._made(self.back)
        if len(front) > MOST_WEIGHTS or list(back) != [1]:
            raise ScaleError(
                "there are too many values to count rankings, and too many that several rankings share; "
                "their ranks can still be counted"
            )
        return front, back[1]

    def _made(self, part: Part) -> "dict[int, Sums]":
        """Sums of a part, by how many rankings each stands for: only those of its short list may be several."""
        values, numbers = self.values[part.within], self.keys.by_group[part.within]
        sizes = [len(group) for group in values]
        few = next(at for at in range(len(sizes) + 1) if math.prod(sizes[at:]) <= RUN and not shared(values[at:]))
        carried = (np.multiply, weights(values[:few])) if few else None
        (some,) = self.documents.sums(values[:few], numbers[:few], carried).values()
        (others,) = self.documents.sums(values[few:], numbers[few:]).values()
        times = np.ones(1, dtype=np.int64) if some.carried is None else some.carried
        return {int(n): Sums(some.sums[times == n], np.sort(others.sums)) for n in np.unique(times)}

    def count(self, targets: Int64s, progress: Progress | None = None) -> list[Counts]:
        """For each target, how many are certainly below, and how many near."""
        counts = []
        for place, target in enumerate(targets.tolist()):
            bounds = self._bounds(target)
            self._pairs[target] = []
            total = [0, 0]
            for window, (low, high) in enumerate(pairwise(bounds), 1):
                below, near = self._window(target, low, high)
                total = [total[0] + below, total[1] + near]
                if progress:
                    progress(place * (len(bounds) - 1) + window, len(targets) * (len(bounds) - 1))
            counts.append((total[0], total[1]))
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
        below = near = 0
        for times, sums in front.items():
            bounds = sums.places(low), sums.places(high)
            below += times * int((bounds[1] - bounds[0]).sum()) * int(starts.sum())
            if partners is not None and np.any(bounds[1] > bounds[0]):
                walked = np.sort(sums.between(*bounds))
                counted = read_counts(sums_below(walked, partners, np.array([target]), margin))[0]
                below, near = below + times * counted[0], near + times * counted[1]
                if counted[1]:
                    self._pairs[target] += near_pairs(walked, partners, target, margin)
        return below, near

    def near(self, target: int) -> set[Class]:
        """All values, by group, that may be the one of this target; it must have been counted."""
        return joined(self.front, self.back, self._pairs[target])


@dataclass(frozen=True)
class Sums:
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
