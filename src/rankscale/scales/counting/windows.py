"""Exact ranks by windows: the values between two boundaries are listed and deduplicated; those below are counted.

The image is the union, over prefix states, of all sums of a prefix and a suffix (see `halves`); sums of different
pairs can be equal, so they must be listed together to be counted once. Windows of about 2^18 sums fit in the cache
of a processor. Once the distinct values below each boundary are known, a rank takes one window.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import ScaleError
from rankscale.scales.counting.halves import Halves, Recurrence
from rankscale.scales.counting.image import Cost, Image, Progress, Provenance, Universe, quotients

WINDOW = 1 << 17  # sums in a window, about
SUMS_PER_SECOND = 35e6  # listed, sorted and deduplicated
SAMPLED = 64  # sums sampled for each boundary
MOST_WINDOWS = 1 << 18
REMEDY = "make it again: python tools/make_scale_tables.py"
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio: its multiples spread evenly


@dataclass(frozen=True)
class Checkpoints:
    """Boundaries, ascending, and how many distinct values lie below each: from none to all."""

    boundaries: Ints
    counts: Ints
    source: str = ""  # where they were read; empty if they were counted


class WindowImage(Image):
    """Values that are sums of a prefix and a suffix, in whole numbers."""

    def __init__(
        self,
        universe: Universe,
        recurrence: Recurrence,
        table: Checkpoints | None = None,
    ) -> None:
        self.universe = universe
        self.halves = Halves(universe, recurrence)
        self._table = table
        source = f", counts from {table.source}" if table else ""
        self.provenance = Provenance("table" if table else "exact", f"exact (whole numbers in windows{source})")
        self._counted: Checkpoints | None = None

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        """The number of distinct values, counted when first read."""
        return int(self.checkpoints().counts[-1])

    def checkpoints(self, progress: Progress | None = None) -> Checkpoints:
        """The counts below all boundaries: from the table, once one window of it is counted again, or made now."""
        if self._counted is None:
            self._counted = self._verified(self._table) if self._table else self._made(progress)
        return self._counted

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:
        """The exact rank of each ranking, from 1; each window that is needed is gathered once."""
        if not len(rankings):
            return []
        values, rows = np.unique(self.halves.of(rankings), return_inverse=True)
        known = self.checkpoints(progress)
        ranks = np.zeros(len(values), dtype=np.int64)
        windows = np.searchsorted(known.boundaries, values, side="right") - 1
        needed, starts = np.unique(windows, return_index=True)
        for done, (window, places) in enumerate(zip(needed, np.split(np.arange(len(values)), starts[1:]), strict=True)):
            ranks[places] = self._ranks_in(known, int(window), values[places])
            if progress:
                progress(done + 1, len(needed))
        return [int(rank) for rank in ranks[rows]]

    def among_rankings(self, rankings: Ints) -> list[tuple[int, int]]:
        """For each ranking, how many rankings of the universe have a lower value, and how many the same."""
        values, rows = np.unique(self.halves.of(rankings), return_inverse=True)
        return [(below, same) for below, same in self.halves.counted(values)[rows]]

    def ends(self, count: int) -> tuple[Floats, Floats]:
        """The first and the last `count` distinct values, both ascending."""
        windows = range(len(self.boundaries) - 1)
        first = np.concatenate(list(self._until(count, windows)))
        last = np.concatenate(list(self._until(count, reversed(windows)))[::-1])
        scale = self.halves.recurrence.scale
        return quotients(first[:count], scale), quotients(last[max(len(last) - count, 0) :], scale)

    def values(self) -> Floats:
        """All distinct values, ascending, window by window; only where there are few enough to list."""
        self.refuse_to_list()
        windows = self._until(self.size, range(len(self.boundaries) - 1))
        return np.concatenate([quotients(window, self.halves.recurrence.scale) for window in windows])

    def _until(self, count: int, windows: Iterable[int]) -> Iterator[Ints]:
        """The values of these windows, one after the other, until there are `count` of them."""
        listed = 0
        for place in windows:
            values = self.window(*self.boundaries[place : place + 2].tolist())
            listed += len(values)
            yield values
            if listed >= count:
                return

    def window(self, low: int, high: int) -> Ints:
        """The distinct values from `low` to below `high`, as whole numbers, ascending."""
        sums = self._sums(low, high)
        return sums[_first_of_equals(sums)]

    def _sums(self, low: int, high: int) -> Ints:
        """All sums from `low` to below `high`, ascending, as often as pairs give them."""
        sums = np.concatenate([_sums_within(*lists, low, high) for lists in self._lists])
        sums.sort()
        return sums

    @cached_property
    def boundaries(self) -> Ints:
        """Boundaries of the windows, ascending: the least value, quantiles of a sample, and one above the greatest."""
        if self._table:
            return self._table.boundaries
        windows = _windows(self._pairs)
        sample = self._sample(SAMPLED * windows)
        quantiles = sample[np.arange(1, windows) * len(sample) // windows]
        least, greatest = self._extremes
        return np.unique(np.concatenate([[least], quantiles, [greatest + 1]]))

    @cached_property
    def _lists(self) -> list[tuple[Ints, Ints]]:
        return [(part.prefixes.keys, part.suffixes.keys) for part in self.halves.parts()]

    @property
    def _extremes(self) -> tuple[int, int]:
        """The least and the greatest value."""
        least = min(int(prefixes[0] + suffixes[0]) for prefixes, suffixes in self._lists)
        return least, max(int(prefixes[-1] + suffixes[-1]) for prefixes, suffixes in self._lists)

    @property
    def _pairs(self) -> int:
        return sum(len(prefixes) * len(suffixes) for prefixes, suffixes in self._lists)

    def _sample(self, size: int) -> Ints:
        """Sums spread over all of them, ascending; the same ones on every machine."""
        sampled = []
        for prefixes, suffixes in self._lists:
            pairs = len(prefixes) * len(suffixes)
            turns = np.arange(max(1, size * pairs // self._pairs), dtype=np.uint64)
            spread = ((turns * GOLDEN) >> np.uint64(32)) * np.uint64(len(suffixes)) >> np.uint64(32)
            evenly = turns * np.uint64(len(prefixes)) // np.uint64(len(turns))
            sampled.append(prefixes[evenly] + suffixes[spread])
        return np.sort(np.concatenate(sampled))

    def _made(self, progress: Progress | None) -> Checkpoints:
        counts = np.zeros(len(self.boundaries), dtype=np.int64)
        for place in range(len(counts) - 1):
            counts[place + 1] = counts[place] + self._held(self.boundaries, place)
            if progress:
                progress(place + 1, len(counts) - 1)
        return Checkpoints(self.boundaries, counts)

    def _verified(self, table: Checkpoints) -> Checkpoints:
        """The table, checked: it spans all values, and its smallest window holds as many as it claims."""
        least, greatest = self._extremes
        if (table.boundaries[0], table.boundaries[-1]) != (least, greatest + 1):
            raise ScaleError(f"{table.source}: not a table of these values; {REMEDY}")
        sizes = np.diff(table.counts)
        place = int(sizes.argmin())
        held = self._held(table.boundaries, place)
        if held != sizes[place]:
            raise ScaleError(f"{table.source}: window {place} holds {held:,} values, not {sizes[place]:,}; {REMEDY}")
        return table

    def _ranks_in(self, known: Checkpoints, window: int, values: Ints) -> Ints:
        """Ranks of values of one window, ascending: counted from both boundaries, but for the widest gap between."""
        low, high = known.boundaries[window : window + 2].tolist()
        widest = int(np.diff(np.concatenate([[low], values, [high]])).argmax())
        lower, upper = values[:widest], values[widest:]
        ranks = []
        if len(lower):
            ranks.append(known.counts[window] + self._distinct(low, int(lower[-1]) + 1, lower)[0])
        if len(upper):
            distinct, held = self._distinct(int(upper[0]), high, upper)
            ranks.append(known.counts[window + 1] - held + distinct)
        return np.concatenate(ranks)

    def _distinct(self, low: int, high: int, values: Ints) -> tuple[Ints, int]:
        """How many distinct values there are from `low` to each of these, and to below `high`."""
        sums = self._sums(low, high)
        distinct = np.cumsum(_first_of_equals(sums), dtype=np.int64)
        return distinct[np.searchsorted(sums, values)], int(distinct[-1])

    def _held(self, boundaries: Ints, place: int) -> int:
        """How many distinct values a window holds."""
        sums = self._sums(int(boundaries[place]), int(boundaries[place + 1]))
        return int(np.count_nonzero(_first_of_equals(sums)))


def _sums_within(prefixes: Ints, suffixes: Ints, low: int, high: int) -> Ints:
    """All sums of a prefix and a suffix from `low` to below `high`."""
    starts = np.searchsorted(suffixes, low - prefixes)
    lengths = np.searchsorted(suffixes, high - prefixes) - starts
    before = np.cumsum(lengths) - lengths
    places = np.arange(int(lengths.sum()), dtype=np.int64)
    places += np.repeat(starts - before, lengths)  # one stretch of the suffixes for each prefix
    sums: Ints = suffixes[places]
    sums += np.repeat(prefixes, lengths)
    return sums


def _first_of_equals(ascending: Ints) -> Bools:
    first = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=first[1:])
    return first


def _windows(sums: int) -> int:
    return min(max(1, sums // WINDOW), MOST_WINDOWS)


def predicted(universe: Universe, recurrence: Recurrence, *, shipped: bool = False) -> Cost:
    """The predicted cost of counting by windows; an upper bound, as tied prefixes and suffixes are listed once."""
    halves = Halves(universe, recurrence)
    windows = 0 if shipped else _windows(halves.rankings)
    setup = (halves.list_bytes / 8 + (0 if shipped else halves.rankings)) / SUMS_PER_SECOND
    window = halves.rankings / _windows(halves.rankings)
    working = halves.working_bytes + window_bytes(halves, windows)
    return Cost(setup, window / SUMS_PER_SECOND, halves.list_bytes, working)


def window_bytes(halves: Halves, windows: int) -> int:
    """Bytes that a window takes, and the sample that the boundaries of so many come from."""
    return int(80 * halves.rankings / _windows(halves.rankings)) + 24 * SAMPLED * windows
