"""Rankings cut in two: all prefixes and all suffixes, as whole numbers whose sums are the values of all rankings.

What a suffix is worth depends on its prefix only through a state: for average precision the number of relevant
documents so far, for expected reciprocal rank the share of users who read on; graded average precision has a number of
documents for each grade. So the image of a measure is the union, over the states, of all sums of a prefix that ends
there and a suffix that goes on from there.

Measures add up so, rank by rank in whole numbers, as sums of counts, of reciprocal ranks or of weighted gains.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

import numpy as np

from rankscale._core import sums_below
from rankscale.data.arrays import Ints
from rankscale.errors import ScaleError
from rankscale.scales.counting.image import Counts, Universe, no_counts, read_counts

LARGEST = 1 << 60  # numbers stay below it in size, so that no sum of two overflows
MOST_SUFFIXES = 1 << 20  # the cut moves down where there would be more, as each state has a list of them
MOST_PREFIXES = 1 << 22
BATCH = 256  # targets counted in one call, after which one may stop


@dataclass(frozen=True)
class ReciprocalRanks:
    """Expected reciprocal rank: the users who stop at a rank gain its reciprocal.

    The state after a rank is the share of users who read on, in parts of q^rank, where q is the common denominator of
    the stopping probabilities, (2^g - 1) / 2^gmax.

    >>> ReciprocalRanks(3, (Fraction(0), Fraction(1, 2))).scale  # 1/2, 1/8 and 1/24 are whole numbers of 24ths
    24
    """

    depth: int
    stopping: tuple[Fraction, ...]  # for each gain, the probability that a user stops there
    name: str = "ERR"

    def __post_init__(self) -> None:
        if not all(0 <= probability <= 1 for probability in self.stopping):
            raise ScaleError(f"ERR: gains are probabilities to stop, from 0 to 1, got {self.stopping}")

    @cached_property
    def _parts(self) -> int:
        return math.lcm(*(probability.denominator for probability in self.stopping))

    @cached_property
    def scale(self) -> int:
        """The least number such that the reciprocal of each rank, over the parts to its power, is whole."""
        return math.lcm(*(rank * self._parts**rank for rank in range(1, self.depth + 1)))

    @property
    def start(self) -> tuple[int, ...]:
        """All users read on."""
        return (1,)

    @property
    def bound(self) -> int:
        """More than the best value, with the best documents at all ranks, and than the parts of the last share."""
        value, share = Fraction(0), Fraction(1)
        for rank in range(1, self.depth + 1):
            value += share * max(self.stopping) / rank
            share *= 1 - max(self.stopping)
        last: int = self._parts**self.depth
        return max(int(value * self.scale), last) + 1

    def states(self, length: int) -> int:
        """Shares depend on the number of documents of each gain, not on their order."""
        return math.comb(length + len(self.stopping) - 1, len(self.stopping) - 1)

    def step(self, rank: int, place: int, states: Ints) -> tuple[Ints, Ints]:
        """What the users who stop here add, and the share that reads on."""
        stops = int(self.stopping[place] * self._parts)
        return states[0] * (stops * (self.scale // (rank * self._parts**rank))), states * (self._parts - stops)


@dataclass(frozen=True)
class SumOfCounts:
    """Each rank adds its weight times what has been counted so far, where its document has a part in that.

    Several things are counted at once. For average precision it is relevant documents, and the weight is 1 / rank; for
    graded average precision documents of each grade or higher; for Q documents and their gain; for a plain weighted sum
    nothing is added to a count of 1. `counted[place][i]` is what a document of a gain adds to the i-th count,
    `parts[place][i]` how much of that count it then adds to the value.

    >>> relevant_or_not = ((Fraction(0),), (Fraction(1),))
    >>> SumOfCounts(relevant_or_not, relevant_or_not, (Fraction(1), Fraction(1, 2), Fraction(1, 3))).scale
    6
    """

    counted: tuple[tuple[Fraction, ...], ...]
    parts: tuple[tuple[Fraction, ...], ...]
    weights: tuple[Fraction, ...]  # for each rank
    name: str = "a sum of counts"
    first: int = 0  # each count before the first rank

    @cached_property
    def _unit(self) -> int:
        """In how many parts of 1 is counted."""
        return math.lcm(*(number.denominator for row in self.counted for number in row))

    @cached_property
    def scale(self) -> int:
        """The least number that makes all that can be added whole."""
        added = (part * weight for row in self.parts for part in row for weight in self.weights)
        return self._unit * math.lcm(*(number.denominator for number in added))

    @property
    def start(self) -> tuple[int, ...]:
        """What each count is before the first rank."""
        return (self.first * self._unit,) * len(self.counted[0])

    @property
    def bound(self) -> int:
        """More than if every document counted most, and had the greatest part in all of it."""
        most = [max(column) for column in zip(*self.counted, strict=True)]
        parts = [max(map(abs, column)) for column in zip(*self.parts, strict=True)]
        total = Fraction(0)
        for rank, weight in enumerate(self.weights, start=1):
            total += sum(abs(weight) * (self.first + rank * n) * part for n, part in zip(most, parts, strict=True))
        return max(int(total * self.scale), int(max(most) * self._unit) * len(self.weights)) + 1

    def states(self, length: int) -> int:
        """Counts depend on the number of documents of each gain, not on their order; or on nothing at all."""
        gains = len(self.counted) if len(set(self.counted)) > 1 else 1
        return math.comb(length + gains - 1, gains - 1)

    def step(self, rank: int, place: int, states: Ints) -> tuple[Ints, Ints]:
        """What has been counted, with this document, times its parts and the weight of the rank."""
        after = states + np.array([[int(number * self._unit)] for number in self.counted[place]], dtype=np.int64)
        scale = self.weights[rank - 1] * (self.scale // self._unit)
        parts = np.array([int(part * scale) for part in self.parts[place]], dtype=np.int64)
        return parts @ after, after


# A measure whose value adds up rank by rank, in whole numbers: `scale` is the number that stands for the value 1,
# `bound` is greater than the absolute value of any intermediate number. The state is one or more whole numbers, before
# the first rank those of `start`; `states(length)` is how many there are after so many ranks, at most. `step` gives
# what a gain adds at a rank (state,), for each state before it (number, state), and the states after it. What is added
# from some rank on must be linear in the state, up to a constant.
Recurrence = ReciprocalRanks | SumOfCounts


class CountedNumbers:
    """The distinct ones among whole numbers, ascending, and how many prefixes or suffixes have each."""

    def __init__(self, values: Ints) -> None:
        self.keys, counts = np.unique(values, return_counts=True)
        # How many the first i keys stand for, from i = 0 to all.
        self.cumulated = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    @property
    def total(self) -> int:
        """How many prefixes or suffixes there are in all."""
        return int(self.cumulated[-1])


@dataclass(frozen=True)
class StateRankings:
    """The rankings that pass through one state: each sum of a prefix and a suffix is the value of some of them."""

    prefixes: CountedNumbers
    suffixes: CountedNumbers

    @property
    def total(self) -> int:
        """How many rankings these are."""
        return self.prefixes.total * self.suffixes.total

    def counted(self, targets: Ints) -> Counts:
        """For each target, how many rankings have a lower value, and how many this one."""
        weights = (self.prefixes.cumulated.view(np.uint64), self.suffixes.cumulated.view(np.uint64))
        return read_counts(sums_below(self.prefixes.keys, self.suffixes.keys, targets, 0, weights))


@dataclass(frozen=True)
class Segments:
    """All rankings of a range of ranks: what each adds to the value, its last state, and the documents it takes."""

    values: Ints
    states: Ints  # (number, segment)
    taken: Ints  # (kind, segment)


@dataclass(frozen=True)
class Halves:
    """The rankings of a universe, cut in two, under a measure."""

    universe: Universe
    recurrence: Recurrence

    def __post_init__(self) -> None:
        measure = f"{self.recurrence.name}@{self.universe.depth}"
        percentile = f"Percentile({measure}), the share of all rankings that are no better (not an interval scale)"
        instead = f"take a smaller depth, or {percentile}"
        if self.recurrence.bound > LARGEST:
            raise ScaleError(
                f"{measure}: values need whole numbers of more than 60 bits, and are not counted; {instead}"
            )
        if number_of_rankings(self.universe, self.cut) > MOST_PREFIXES:
            raise ScaleError(f"{measure}: {self.rankings:,} rankings are too many to count; {instead}")

    @property
    def cut(self) -> int:
        """After which rank rankings are cut: short prefixes, as each is looked up among all suffixes."""
        depth = self.universe.depth
        shortest = 3 * depth // 8
        fits = (cut for cut in range(shortest, depth) if self._suffixes(cut) <= MOST_SUFFIXES)
        return next(fits, shortest)

    def _suffixes(self, cut: int) -> int:
        return number_of_rankings(self.universe, self.universe.depth - cut)

    @property
    def list_bytes(self) -> int:
        """The room that all lists take, at most."""
        states = self.recurrence.states(self.cut)
        return 8 * (states * self._suffixes(self.cut) + number_of_rankings(self.universe, self.cut))

    @property
    def working_bytes(self) -> int:
        """The room that all suffixes take while a list of them is made: their values, by state, twice while sorted."""
        return 8 * (4 + 2 * len(self.recurrence.start)) * self._suffixes(self.cut)

    @property
    def rankings(self) -> int:
        """How many rankings there are in the universe."""
        return number_of_rankings(self.universe, self.universe.depth)

    def parts(self) -> Iterator[StateRankings]:
        """State by state; lists are made anew each time, as all of them together can be large."""
        base, slopes, taken = self._following
        for state, used, values in self._prefixes():
            allowed = (taken <= (self._most - used)[:, None]).all(axis=0)
            if allowed.any():
                yield StateRankings(CountedNumbers(values), CountedNumbers((base + state @ slopes)[allowed]))

    def of(self, rankings: Ints) -> Ints:
        """(ranking,): the value of each ranking, as a whole number."""
        self.universe.check(rankings)
        values = np.zeros(len(rankings), dtype=np.int64)
        states = np.repeat(np.array(self.recurrence.start, dtype=np.int64)[:, None], len(rankings), axis=1)
        for rank, places in enumerate(rankings.T, start=1):
            for place in range(len(self.universe.gains)):
                rows = places == place
                added, states[:, rows] = self.recurrence.step(rank, place, states[:, rows])
                values[rows] += added
        return values

    def counted(self, targets: Ints) -> Counts:
        """For each whole number, how many rankings have a lower value, and how many this one."""
        counts = no_counts(len(targets))
        for part in self.parts():
            for first in range(0, len(targets), BATCH):
                some = slice(first, first + BATCH)
                counts[some] += part.counted(targets[some])
        return counts

    @property
    def _most(self) -> Ints:
        return np.array(self.universe.most, dtype=np.int64)

    def _walk(self, ranks: range, start: Ints) -> Segments:
        empty = np.zeros((len(self._most), 1), dtype=np.int16)
        segments = Segments(np.zeros(1, dtype=np.int64), start[:, None], empty)
        for rank in ranks:
            branches = [self._branch(segments, rank, place) for place in range(len(self.universe.gains))]
            segments = Segments(
                np.concatenate([branch.values for branch in branches]),
                np.concatenate([branch.states for branch in branches], axis=1),
                np.concatenate([branch.taken for branch in branches], axis=1),
            )
        return segments

    def _branch(self, segments: Segments, rank: int, place: int) -> Segments:
        added, states = self.recurrence.step(rank, place, segments.states)
        taken = segments.taken.copy()
        kind = self.universe.kinds[place]
        if kind >= 0:
            taken[kind] += 1
        allowed = np.all(taken <= self._most[:, None], axis=0)
        return Segments((segments.values + added)[allowed], states[:, allowed], taken[:, allowed])

    def _prefixes(self) -> Iterator[tuple[Ints, Ints, Ints]]:
        """For each state and number of documents taken: both, and the values of the prefixes that end there."""
        segments = self._walk(range(1, self.cut + 1), np.array(self.recurrence.start, dtype=np.int64))
        order = np.lexsort((*segments.taken, *segments.states))
        ends = np.vstack([segments.states, segments.taken])[:, order]
        starts = np.flatnonzero((ends[:, 1:] != ends[:, :-1]).any(axis=0)) + 1
        for rows in np.split(order, starts):
            yield segments.states[:, rows[0]], segments.taken[:, rows[0]].astype(np.int64), segments.values[rows]

    @cached_property
    def _following(self) -> tuple[Ints, Ints, Ints]:
        """What suffixes add after state 0, how much more for each step of its numbers, and the documents they take."""
        ranks = range(self.cut + 1, self.universe.depth + 1)
        steps = np.eye(len(self.recurrence.start), dtype=np.int64)
        base = self._walk(ranks, np.zeros_like(steps[0]))
        return base.values, np.array([self._walk(ranks, step).values - base.values for step in steps]), base.taken


def number_of_rankings(universe: Universe, length: int) -> int:
    """How many rankings of a length there are with a universe's gains and documents.

    >>> from fractions import Fraction
    >>> number_of_rankings(Universe((Fraction(0), Fraction(1)), 30), 30) == 2**30
    True
    """
    return fillings(universe.kinds, universe.most, length)[0][length]


def fillings(kinds: Sequence[int], most: Sequence[int], length: int) -> list[list[int]]:
    """[kind][n]: the number of rankings of n documents of this kind and those after it; unlimited gains come last."""
    numbers: list[list[int]] = [[kinds.count(-1) ** n for n in range(length + 1)]]
    for kind in reversed(range(len(most))):
        gains, after = kinds.count(kind), numbers[0]
        here = [
            sum(math.comb(n, taken) * gains**taken * after[n - taken] for taken in range(min(n, most[kind]) + 1))
            for n in range(length + 1)
        ]
        numbers.insert(0, here)
    return numbers


def weighted_sum(gains: tuple[Fraction, ...], weights: tuple[Fraction, ...]) -> SumOfCounts:
    """Each rank adds its weight times its gain, whatever stands above it, so there is one state only."""
    nothing, parts = ((Fraction(0),),) * len(gains), tuple((gain,) for gain in gains)
    return SumOfCounts(nothing, parts, weights, "a weighted sum", first=1)


def precisions_of_grades(gains: tuple[Fraction, ...], depth: int) -> SumOfCounts:
    """Graded average precision: rank n adds the sum over ranks m <= n of the lower of both gains, over n."""
    steps = [after - before for before, after in pairwise(gains)]
    reached = tuple(tuple(Fraction(place > step) for step in range(len(steps))) for place in range(len(gains)))
    parts = tuple(tuple(one * step for one, step in zip(row, steps, strict=True)) for row in reached)
    return SumOfCounts(reached, parts, tuple(Fraction(1, rank) for rank in range(1, depth + 1)), "GAP")
