"""Rank-biased precision where rankings tie: each value is counted by the greatest of the rankings that have it.

The automaton of `rbp_automaton` tells these rankings from others; they meet in the middle, state by state.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property

import numpy as np

from rankscale._core import sums_below, sums_near
from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ScaleError
from rankscale.scales.counting.image import Cost, Image, Progress, Provenance, Universe
from rankscale.scales.counting.rbp_automaton import Differences, best_cut, canonical, whole
from rankscale.scales.counting.rbp_bases import Base, State
from rankscale.scales.counting.units import nearest

MOST_NEAR = 1 << 20  # sums within the margin that are settled one by one
KEY_BITS = 59
SECONDS_PER_KEY, SECONDS_PER_STEP = 5e-8, 2e-8
BATCH_STEPS = 1 << 23  # keys walked in one call, between two signs of life


class Meeting:
    """The rankings that an automaton takes, cut in two, with the keys of both parts listed by the state at the cut."""

    def __init__(self, table: list[list[int]], keys: Ints) -> None:
        self._table, self._keys = table, keys
        self.cut = best_cut(table, len(keys))
        self.size = sum(count * self.cut.completions[state] for state, count in self.cut.beginnings.items())

    @cached_property
    def _halves(self) -> list[tuple[Ints, Ints]]:
        """For each state at the cut, the keys of beginnings and of completions, ascending."""
        return [(np.sort(before), np.sort(after)) for before, after in self._listed(self._keys)]

    def _listed(self, keys: Ints) -> Iterator[tuple[Ints, Ints]]:
        """For each state at the cut, the sums of keys of beginnings and of completions; their order is always one."""
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
        for state in self.cut.beginnings:
            yield begun[state], ending[state]

    def _wanted(self) -> list[set[int]]:
        """From the cut on, by rank: the states that completions pass through."""
        wanted = [set(self.cut.beginnings)]
        for _ in range(self.cut.rank, len(self._keys)):
            wanted.append({after for state in wanted[-1] for after in self._table[state] if after >= 0})
        return wanted

    def counted(self, targets: Ints, margin: int, progress: Progress | None) -> list[tuple[int, int]]:
        """For each target, how many rankings are certainly below it, and how many within the margin."""
        batch = max(1, BATCH_STEPS // max(self.cut.walked, 1))
        found: list[tuple[int, int]] = []
        for start in range(0, len(targets), batch):
            some = np.ascontiguousarray(targets[start : start + batch])
            sums = np.zeros((len(some), 2), dtype=object)
            for before, after in self._halves:
                parts = np.frombuffer(sums_below(before, after, some, margin), dtype="<u8").reshape(-1, 2, 2)
                sums += parts[..., 0].astype(object) + (parts[..., 1].astype(object) << 64)
            found += [(int(below), int(near)) for below, near in sums]
            if progress:
                progress(len(found), len(targets))
        return found

    def near(self, target: int, margin: int) -> Iterator[list[int]]:
        """The rankings within the margin of a target."""
        gains, ranks = self._keys.shape[1], np.arange(len(self._keys))
        to_come = np.where(ranks < self.cut.rank, self.cut.rank, len(ranks)) - 1 - ranks
        digits = np.arange(gains) * gains ** to_come[:, None]  # a number of its own for each beginning and completion
        for keys, codes in zip(self._listed(self._keys), self._listed(digits), strict=True):
            order = [np.argsort(part, kind="stable") for part in keys]
            found = sums_near(keys[0][order[0]], keys[1][order[1]], target, margin, MOST_NEAR)
            pairs = np.frombuffer(found, dtype="<u8").reshape(-1, 2).astype(np.int64)
            if len(pairs) == MOST_NEAR:
                raise ScaleError("RBP: too many values lie too near to each other; ask for fewer ranks")
            before, after = (code[by][place] for code, by, place in zip(codes, order, pairs.T, strict=True))
            numbers = np.where(ranks < self.cut.rank, before[:, None], after[:, None])
            yield from (numbers // gains**to_come % gains).tolist()


def _completed(row: Sequence[int], ending: Mapping[int, Ints], keys: Ints) -> Ints:
    """The keys of completions, from those of one rank fewer."""
    parts = [ending[after] + key for after, key in zip(row, keys, strict=True) if after >= 0]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


@cache
def _automaton(base: Base, gains: tuple[int, ...]) -> tuple[Differences, list[list[int]]]:
    differences = Differences(base, gains)
    return differences, canonical(differences, base.zero)


def predicted(universe: Universe, base: Base) -> Cost:
    """What counting takes; the automaton is made for it, and kept."""
    cut = best_cut(_automaton(base, whole(universe.gains)[0])[1], universe.depth)
    return Cost(cut.keys * SECONDS_PER_KEY, cut.walked * SECONDS_PER_STEP, cut.keys * 24)


class TiedImage(Image):
    """The image of RBP where rankings may tie.

    >>> from fractions import Fraction
    >>> from rankscale.scales.counting.rbp_bases import RationalBase
    >>> image = TiedImage(Universe(tuple(map(Fraction, (0, 1, 2))), depth=2), RationalBase(Fraction(1, 2)))
    >>> image.values().tolist()  # half of 0, 1/2, 1 = 1/2 * 2, 3/2, 2, 5/2, 3
    [0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5]
    >>> image.ranks(np.array([[0, 2], [1, 0]])), image.among_rankings(np.array([[1, 0]]))
    ([3, 3], [(2, 2)])
    """

    def __init__(self, universe: Universe, base: Base) -> None:
        if universe.limits is not None:
            raise ScaleError(
                "RBP: where rankings tie, those that documents allow are not told apart; "
                "ask for universe='all', or for few enough ranks to enumerate"
            )
        self.universe, self.base = universe, base
        self._gains, self._unit = whole(universe.gains)
        self._differences, table = _automaton(base, self._gains)
        self._canonical = Meeting(table, self._keys)
        self.size = self._canonical.size
        self.provenance = Provenance(
            "exact", f"meet in the middle over an automaton of {len(table)} states that knows all ties"
        )

    @cached_property
    def _keys(self) -> Ints:
        """(rank, gain): what a gain adds to a ranking's key, rounded."""
        reach = self._gains[-1] / (1 - self.base.power(1, 64))
        bits = KEY_BITS - math.ceil(reach).bit_length()
        powers = [self.base.power(rank, bits) * (1 << bits) for rank in range(self.universe.depth)]
        return np.array([[nearest(gain * power) for gain in self._gains] for power in powers], dtype=np.int64)

    @cached_property
    def _all(self) -> Meeting:
        """All rankings, canonical or not."""
        return Meeting([[0] * len(self._gains)], self._keys)

    @property
    def _margin(self) -> int:
        """Each rank of each of two rankings adds a half at most to what their keys are off by, and hardly any more."""
        return self.universe.depth + 1

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:
        """How many canonical rankings have a lower value, or this one."""
        found = self._canonical.counted(self._targets(rankings), self._margin, progress)
        return [
            below + (1 if near == 1 else sum(sign <= 0 for sign in self._signs(self._canonical, ranking)))
            for (below, near), ranking in zip(found, rankings.tolist(), strict=True)
        ]

    def among_rankings(self, rankings: Ints, progress: Progress | None = None) -> list[tuple[int, int]]:
        """All rankings with a lower value; those with the same are counted by their differences."""
        counted = []
        found = self._all.counted(self._targets(rankings), self._margin, progress)
        for (below, near), ranking in zip(found, rankings.tolist(), strict=True):
            same = self._differences.tied_with(ranking)
            lower = 0 if near == same else sum(sign < 0 for sign in self._signs(self._all, ranking))
            counted.append((below + lower, same))
        return counted

    def _targets(self, rankings: Ints) -> Ints:
        targets: Ints = self._keys[np.arange(self.universe.depth), rankings].sum(axis=1)
        return targets

    def _signs(self, meeting: Meeting, ranking: list[int]) -> Iterator[int]:
        """For the rankings within the margin: whether they are lower (-1), the same (0) or higher (1), exactly."""
        target = int(self._targets(np.array([ranking]))[0])
        for other in meeting.near(target, self._margin):
            yield self.base.sign([self._gains[a] - self._gains[b] for a, b in zip(other, ranking, strict=True)])

    def ends(self, count: int) -> tuple[Floats, Floats]:
        """The first and the last values: those of some ranks come from those of one rank fewer."""
        first = last = [self.base.zero]
        for length in range(self.universe.depth):
            first = self.base.in_order(self._longer(first, length))[:count]
            last = self.base.in_order(self._longer(last, length))[-count:]
        return self._shown(first), self._shown(last)

    def _longer(self, sums: Iterable[State], length: int) -> set[State]:
        return {self.base.prepend(gain, rest, length) for rest in sums for gain in self._gains}

    def _shown(self, sums: Sequence[State]) -> Floats:
        depth, least = self.universe.depth, self.universe.gains[0]
        users = 1 - self.base.power(1, 128)
        bottom = least * (1 - self.base.power(depth, 128))  # what the lowest gain at all ranks is worth
        return np.array([float(users * self._unit * self.base.value(total, depth) + bottom) for total in sums])
