"""Exact ranks of rank-biased precision where rankings tie: each value is counted once, by its canonical ranking.

The canonical ranking of a value is the lexicographically greatest one. The automaton of `rbp_automaton` accepts exactly
these; they are cut into prefixes and suffixes, whose sums are counted state by state.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property

import numpy as np

from rankscale._core import sums_below, sums_near
from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ScaleError
from rankscale.scales.counting.image import Cost, Counts, Image, Progress, Provenance, Universe, add_counts, read_counts
from rankscale.scales.counting.rbp_automaton import Differences, best_cut, canonical, whole
from rankscale.scales.counting.units import nearest

MOST_NEAR = 1 << 20  # sums within the margin that are settled one by one
KEY_BITS = 59
AT_ONCE = 1 << 14  # sums that are made floats at a time
SECONDS_PER_KEY, SECONDS_PER_STEP = 5e-8, 2e-8
BATCH_STEPS = 1 << 23  # keys walked in one call, between two signs of life


class CutRankings:
    """The rankings that an automaton accepts, cut in two; the keys of both parts are listed by the state at the cut."""

    def __init__(self, table: list[list[int]], keys: Ints) -> None:
        self._table, self._keys = table, keys
        self.cut = best_cut(table, len(keys))
        self.size = sum(count * self.cut.suffixes[state] for state, count in self.cut.prefixes.items())

    @cached_property
    def _halves(self) -> list[tuple[Ints, Ints]]:
        """For each state at the cut, the keys of prefixes and of suffixes, ascending."""
        return [(np.sort(before), np.sort(after)) for before, after in self._listed(self._keys)]

    def _listed(self, keys: Ints) -> Iterator[tuple[Ints, Ints]]:
        """For each state at the cut, the sums of keys of prefixes and of suffixes, always in the same order."""
        none = np.zeros(1, dtype=np.int64)
        begun = {0: none}
        for row in keys[: self.cut.rank]:
            following: dict[int, list[Ints]] = {}
            for state, sums in begun.items():
                for after, key in zip(self._table[state], row, strict=True):
                    following.setdefault(after, []).append(sums + key)
            begun = {state: np.concatenate(parts) for state, parts in following.items() if state >= 0}
        wanted = self._wanted()
        ending = dict.fromkeys(wanted.pop(), none)
        for row in keys[self.cut.rank :][::-1]:
            ending = {state: _completed(self._table[state], ending, row) for state in wanted.pop()}
        for state in self.cut.prefixes:
            yield begun[state], ending[state]

    def _wanted(self) -> list[set[int]]:
        """From the cut on, by rank: the states that suffixes pass through."""
        wanted = [set(self.cut.prefixes)]
        for _ in range(self.cut.rank, len(self._keys)):
            wanted.append({after for state in wanted[-1] for after in self._table[state] if after >= 0})
        return wanted

    def counted(self, targets: Ints, margin: int, progress: Progress | None) -> list[Counts]:
        """For each target, how many rankings are certainly below it, and how many within the margin."""
        batch = max(1, BATCH_STEPS // max(self.cut.walked, 1))
        result: list[Counts] = []
        for start in range(0, len(targets), batch):
            some = np.ascontiguousarray(targets[start : start + batch])
            counts = [(0, 0)] * len(some)
            for before, after in self._halves:
                counts = add_counts(counts, read_counts(sums_below(before, after, some, margin)))
            result += counts
            if progress:
                progress(len(result), len(targets))
        return result

    def near(self, target: int, margin: int) -> Iterator[list[int]]:
        """The rankings within the margin of a target."""
        gains, ranks = self._keys.shape[1], np.arange(len(self._keys))
        to_come = np.where(ranks < self.cut.rank, self.cut.rank, len(ranks)) - 1 - ranks
        digits = np.arange(gains) * gains ** to_come[:, None]  # numbers each prefix and suffix uniquely
        for keys, codes in zip(self._listed(self._keys), self._listed(digits), strict=True):
            order = [np.argsort(part, kind="stable") for part in keys]
            near = sums_near(keys[0][order[0]], keys[1][order[1]], target, margin, MOST_NEAR)
            pairs = np.frombuffer(near, dtype="<u8").reshape(-1, 2).astype(np.int64)
            if len(pairs) == MOST_NEAR:
                raise ScaleError("RBP: too many values lie too near to each other; take a smaller depth")
            before, after = (code[by][place] for code, by, place in zip(codes, order, pairs.T, strict=True))
            numbers = np.where(ranks < self.cut.rank, before[:, None], after[:, None])
            yield from (numbers // gains**to_come % gains).tolist()


def _completed(row: Sequence[int], ending: Mapping[int, Ints], keys: Ints) -> Ints:
    """The keys of suffixes, from those of one rank fewer."""
    parts = [ending[after] + key for after, key in zip(row, keys, strict=True) if after >= 0]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


@cache
def _automaton(p: Fraction, gains: tuple[int, ...]) -> tuple[Differences, list[list[int]]]:
    differences = Differences(p, gains)
    return differences, canonical(differences)


def predicted(universe: Universe, p: Fraction) -> Cost:
    """The predicted cost of counting; the automaton is made for it, and cached."""
    cut = best_cut(_automaton(p, whole(universe.gains)[0])[1], universe.depth)
    return Cost(cut.keys * SECONDS_PER_KEY, cut.walked * SECONDS_PER_STEP, cut.keys * 24)


class TiedImage(Image):
    """The image of RBP where rankings may tie.

    >>> image = TiedImage(Universe(tuple(map(Fraction, (0, 1, 2))), depth=2), Fraction(1, 2))
    >>> image.values().tolist()  # half of 0, 1/2, 1 = 1/2 * 2, 3/2, 2, 5/2, 3
    [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5]
    >>> image.ranks(np.array([[0, 2], [1, 0]])), image.among_rankings(np.array([[1, 0]]))
    ([3, 3], [(2, 2)])
    """

    listing = 90

    def __init__(self, universe: Universe, p: Fraction) -> None:
        if universe.limits is not None:
            raise ScaleError(
                "RBP: where rankings tie, feasible ones cannot be counted apart; "
                "take universe='all', or a depth small enough to enumerate all rankings"
            )
        self.universe, self.p = universe, p
        self._gains, self._unit = whole(universe.gains)
        self._differences, table = _automaton(p, self._gains)
        self._canonical = CutRankings(table, self._keys)
        self.size = self._canonical.size
        self.provenance = Provenance(
            "exact", f"meet in the middle over an automaton of {len(table)} states that knows all ties"
        )

    @cached_property
    def _keys(self) -> Ints:
        """(rank, gain): what a gain adds to a ranking's key, rounded."""
        bits = KEY_BITS - math.ceil(self._gains[-1] / (1 - self.p)).bit_length()
        powers = [self.p**rank * (1 << bits) for rank in range(self.universe.depth)]
        return np.array([[nearest(gain * power) for gain in self._gains] for power in powers], dtype=np.int64)

    @cached_property
    def _all(self) -> CutRankings:
        """All rankings, canonical or not."""
        return CutRankings([[0] * len(self._gains)], self._keys)

    @property
    def _margin(self) -> int:
        """Largest rounding error of a difference of two keys: half a unit for each rank of both, and one to spare."""
        return self.universe.depth + 1

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:
        """The number of canonical rankings whose value is lower or the same."""
        counts = self._canonical.counted(self._targets(rankings), self._margin, progress)
        return [
            below + (1 if near == 1 else sum(sign <= 0 for sign in self._signs(self._canonical, ranking)))
            for (below, near), ranking in zip(counts, rankings.tolist(), strict=True)
        ]

    def among_rankings(self, rankings: Ints, progress: Progress | None = None) -> list[tuple[int, int]]:
        """The numbers of all rankings with a lower value and with the same."""
        result = []
        counts = self._all.counted(self._targets(rankings), self._margin, progress)
        for (below, near), ranking in zip(counts, rankings.tolist(), strict=True):
            same = self._differences.tied_with(ranking)
            lower = 0 if near == same else sum(sign < 0 for sign in self._signs(self._all, ranking))
            result.append((below + lower, same))
        return result

    def _targets(self, rankings: Ints) -> Ints:
        targets: Ints = self._keys[np.arange(self.universe.depth), rankings].sum(axis=1)
        return targets

    def _signs(self, among: CutRankings, ranking: list[int]) -> Iterator[int]:
        """For each ranking within the margin: -1, 0 or 1 as its exact value is lower, the same or higher."""
        target = int(self._targets(np.array([ranking]))[0])
        for other in among.near(target, self._margin):
            total = 0
            for length, (a, b) in enumerate(zip(reversed(other), reversed(ranking), strict=True)):
                total = self._prepended(self._gains[a] - self._gains[b], total, length)
            yield (total > 0) - (total < 0)

    def _prepended(self, gain: int, rest: int, length: int) -> int:
        """The sum over a gain and `length` ranks after it; sums over n ranks are in parts of denominator^-(n-1)."""
        first: int = gain * self.p.denominator**length
        return first + self.p.numerator * rest

    def ends(self, count: int) -> tuple[Floats, Floats]:
        """The lowest and the highest values, each rank prepended to those of one rank fewer."""
        first = self._displayed(self._sums(slice(count)))
        return first, first if count >= self.size else self._displayed(self._sums(slice(-count, None)))

    def _sums(self, kept: slice) -> Ints:
        """The distinct sums of all ranks, ascending, of which those of fewer ranks are enough that are `kept`."""
        largest = max(map(abs, self._gains)) * self.p.denominator**self.universe.depth * self.universe.depth
        sums = np.zeros(1, dtype=np.int64 if largest < 1 << 62 else object)
        for length in range(self.universe.depth):
            sums = sums * self.p.numerator
            first = self.p.denominator**length
            sums = np.unique(np.concatenate([sums + gain * first for gain in self._gains]))[kept]
        return sums

    def _displayed(self, sums: Ints) -> Floats:
        depth, parts = self.universe.depth, self.p.denominator ** (self.universe.depth - 1)
        step = (1 - self.p) * self._unit / parts
        bottom = self.universe.gains[0] * (1 - self.p**depth)  # the value with the lowest gain at all ranks
        common = math.lcm(step.denominator, bottom.denominator)
        slope, start = int(step * common), int(bottom * common)
        shown = np.empty(len(sums))
        for at in range(0, len(sums), AT_ONCE):  # as Python's numbers, whose quotients are rounded once
            shown[at : at + AT_ONCE] = [(slope * total + start) / common for total in sums[at : at + AT_ONCE].tolist()]
        return shown
