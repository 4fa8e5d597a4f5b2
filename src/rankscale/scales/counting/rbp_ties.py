"""Exact ranks of rank-biased precision where rankings tie: each value is counted once, by its canonical ranking.

Two rankings of whole gains tie if the sum of d_i p^(i-1) is 0, d_i their differences. Read rank by rank, what this sum
amounts to, r_i = r_(i-1) / p + d_i, must come back to 0; so it never exceeds D p / (1 - p), D the largest difference,
and it stays a whole number: there are finitely many such states. A ranking is canonical if no lexicographically greater
ranking ties with it. A finite automaton accepts the canonical rankings: its state is the set of differences to all
lexicographically greater prefixes. There is one canonical ranking for each distinct value. These rankings are
cut into prefixes and suffixes, whose sums are counted state by state.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

import numpy as np

from rankscale._core import sums_below, sums_near
from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ScaleError, Setting
from rankscale.scales.counting.groups import nearest
from rankscale.scales.counting.image import Cost, Counts, Image, Progress, Provenance, Universe, no_counts, read_counts

MOST_DIFFERENCES = 1 << 15  # differences between prefixes
MOST_STATES = 1 << 13  # of the automaton before it is minimised
MOST_KEYS = 1 << 21  # in all lists together, where that many are not needed anyway
TOO_MANY_KEYS = 1 << 25
MOST_NEAR = 1 << 20  # sums within the margin that are settled one by one
KEY_BITS = 59
AT_ONCE = 1 << 14  # sums that are made floats at a time
SECONDS_PER_KEY, SECONDS_PER_STEP = 5e-8, 2e-8
BATCH_STEPS = 1 << 23  # keys walked in one call, between two signs of life


def ties_possible(p: Fraction, gains: tuple[Fraction, ...], depth: int | None = None) -> bool:
    """Whether two different rankings can have the same RBP: at any depth, or down to this one.

    >>> ties_possible(Fraction(4, 5), tuple(map(Fraction, (0, 1, 3, 7))))  # 5 divides no difference
    False
    >>> gains = tuple(map(Fraction, (0, 1, 2)))
    >>> ties_possible(Fraction(1, 2), gains, depth=1), ties_possible(Fraction(1, 2), gains, depth=2)  # 0 2 and 1 0
    (False, True)
    """
    if p == 0 or len(gains) == 1:
        return len(gains) > 1 and depth != 1
    steps = {abs(a - b) for a in whole(gains)[0] for b in whole(gains)[0] if a != b}
    if not all(any(step % factor == 0 for step in steps) for factor in (p.numerator, p.denominator)):
        return False  # the first difference of a tie is divisible by the denominator, the last one by the numerator
    shortest = PrefixDifferences(p, whole(gains)[0]).shortest_tie
    return shortest is not None and (depth is None or shortest <= depth)


def whole(gains: Sequence[Fraction]) -> tuple[tuple[int, ...], Fraction]:
    """Gains as whole numbers from 0 on, and what 1 of these is worth.

    >>> whole([Fraction(1, 4), Fraction(1, 2), Fraction(1)])
    ((0, 1, 3), Fraction(1, 4))
    """
    above = [gain - gains[0] for gain in gains]
    denominator = math.lcm(*(gain.denominator for gain in above))
    step = math.gcd(*(int(gain * denominator) for gain in above)) or 1
    return tuple(int(gain * denominator) // step for gain in above), Fraction(step, denominator)


class PrefixDifferences:
    """Differences between the values of two prefixes that later ranks can still bring back to 0.

    A difference is a whole number, counted in p^(i-1) after rank i. `after[difference][step]` is the difference one
    rank later, where the gains of the two rankings differ by `step`.
    """

    def __init__(self, p: Fraction, gains: tuple[int, ...]) -> None:
        if not 0 < p < 1:
            raise ScaleError(f"RBP: p must lie strictly between 0 and 1, got {p}; p = 0 is the gain at depth 1")
        self._p, self.gains = p, gains
        self._largest = gains[-1] * p / (1 - p)
        steps = sorted({a - b for a in gains for b in gains})
        reached: dict[int, dict[int, int]] = {}
        waiting = [0]
        while waiting:
            difference = waiting.pop()
            reached[difference] = {step: after for step in steps if (after := self._next(difference, step)) is not None}
            new = set(reached[difference].values()) - reached.keys()
            waiting += sorted(new.difference(waiting))
            if len(reached) > MOST_DIFFERENCES:
                raise ScaleError(f"RBP: with p = {p} and these gains, rankings tie in too many ways to count")
        self.after = _returning(reached)

    def _next(self, difference: int, step: int) -> int | None:
        """The difference one rank later; None if it can never return to 0.

        A quotient that is not whole never becomes whole again, as p is in lowest terms.
        """
        quotient, rest = divmod(difference, self._p.numerator)
        after = quotient * self._p.denominator + step
        return None if rest or abs(after) > self._largest else after

    @cached_property
    def shortest_tie(self) -> int | None:
        """The smallest depth at which two different rankings tie; None if none ever do."""
        reached, seen, length = set(self.after[0].values()) - {0}, {0}, 1
        while reached:
            if 0 in reached:
                return length
            seen |= reached
            reached = {after for state in reached for after in self.after[state].values()} - (seen - {0})
            length += 1
        return None

    def tied_with(self, ranking: Sequence[int]) -> int:
        """The number of rankings with the same value as this one, including itself."""
        counts = {0: 1}  # number of prefixes by their difference to this ranking's
        for place in ranking:
            following: dict[int, int] = defaultdict(int)
            for difference, count in counts.items():
                for gain in self.gains:
                    after = self.after[difference].get(gain - self.gains[place])
                    if after is not None:
                        following[after] += count
            counts = following
        return counts[0]


def _returning(reached: dict[int, dict[int, int]]) -> dict[int, dict[int, int]]:
    """Only the differences from which 0 can be reached."""
    before: dict[int, list[int]] = defaultdict(list)
    for difference, following in reached.items():
        for after in following.values():
            before[after].append(difference)
    useful, waiting = {0}, [0]
    while waiting:
        new = set(before[waiting.pop()]) - useful
        useful |= new
        waiting += new
    return {
        difference: {step: after for step, after in reached[difference].items() if after in useful}
        for difference in sorted(useful)
    }


def canonical(differences: PrefixDifferences) -> list[list[int]]:
    """The automaton of canonical rankings: [state][place of the gain] is the next state, or -1 for none.

    A state is the set of differences to all lexicographically greater prefixes; where it holds 0, one of them ties.
    """
    numbers: dict[frozenset[int], int] = {frozenset(): 0}
    waiting, table = [frozenset[int]()], []
    for state in waiting:
        row = []
        for gain in differences.gains:
            following = _greater(differences, state, gain)
            row.append(-1 if 0 in following else numbers.setdefault(following, len(numbers)))
            if len(numbers) > len(waiting):
                waiting.append(following)
        table.append(row)
        if len(numbers) > MOST_STATES:
            raise ScaleError("RBP: with this p and these gains, rankings tie in too many ways to count")
    return minimal(table)


def _greater(differences: PrefixDifferences, state: frozenset[int], gain: int) -> frozenset[int]:
    """Differences to all greater prefixes, one gain later: to those greater before, and to those greater here."""
    pairs = [(difference, other - gain) for other in differences.gains for difference in state]
    pairs += [(0, other - gain) for other in differences.gains if other > gain]
    following = (differences.after[difference].get(step) for difference, step in pairs)
    return frozenset(after for after in following if after is not None)


def minimal(table: list[list[int]]) -> list[list[int]]:
    """The smallest equivalent automaton, by Moore's algorithm; its start stays state 0."""
    kinds = [0] * len(table)
    while True:
        rows = [
            (kinds[state], *(kinds[after] if after >= 0 else -1 for after in row)) for state, row in enumerate(table)
        ]
        numbers = {row: number for number, row in enumerate(dict.fromkeys(rows))}
        if len(numbers) == len(set(kinds)):
            return [list(row[1:]) for row in numbers]
        kinds = [numbers[row] for row in rows]


@dataclass(frozen=True)
class PrefixCut:
    """A rank at which canonical rankings are cut into prefix and suffix, with numbers of both by automaton state."""

    rank: int
    prefixes: dict[int, int]
    suffixes: dict[int, int]

    @property
    def keys(self) -> int:
        """Number of keys kept in lists."""
        return sum(self.prefixes.values()) + sum(self.suffixes.values())

    @property
    def walked(self) -> int:
        """Number of keys that are walked through for each ranking."""
        return sum(min(count, self.suffixes[state]) for state, count in self.prefixes.items())


def best_cut(table: list[list[int]], depth: int) -> PrefixCut:
    """The cut with the shortest walk, among those whose lists are not too long."""
    ending = [[1] * len(table)]  # [ranks to come][state]: number of suffixes
    for _ in range(depth):
        ending.append([sum(ending[-1][after] for after in row if after >= 0) for row in table])
    possible, begun = [], {0: 1}
    for rank in range(depth + 1):
        left = ending[depth - rank]
        possible.append(
            PrefixCut(rank, {s: n for s, n in begun.items() if left[s]}, {s: left[s] for s in begun if left[s]})
        )
        following: dict[int, int] = defaultdict(int)
        for state, count in begun.items():
            for after in table[state]:
                if after >= 0:
                    following[after] += count
        begun = following
    most = max(MOST_KEYS, min(cut.keys for cut in possible))
    if most > TOO_MANY_KEYS:
        raise ScaleError(f"RBP: depth {depth} has too many values to count; take a smaller depth")
    return min((cut for cut in possible if cut.keys <= most), key=lambda cut: cut.walked)


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

    def counted(self, targets: Ints, margin: int, progress: Progress | None = None) -> Counts:
        """For each target, how many rankings are certainly below it, and how many within the margin."""
        batch = max(1, BATCH_STEPS // max(self.cut.walked, 1))
        counts = no_counts(len(targets))
        for start in range(0, len(targets), batch):
            some = slice(start, start + batch)
            for before, after in self._halves:
                counts[some] += read_counts(sums_below(before, after, np.ascontiguousarray(targets[some]), margin))
            if progress:
                progress(min(start + batch, len(targets)), len(targets))
        return counts

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
def _automaton(p: Fraction, gains: tuple[int, ...]) -> tuple[PrefixDifferences, list[list[int]]]:
    differences = PrefixDifferences(p, gains)
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
                "RBP: where rankings tie, feasible ones cannot be counted apart; take ",
                Setting("universe", "all"),
                ", or a depth small enough to enumerate all rankings",
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

    def among_rankings(self, rankings: Ints) -> list[tuple[int, int]]:
        """The numbers of all rankings with a lower value and with the same."""
        result = []
        counts = self._all.counted(self._targets(rankings), self._margin)
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
                # Sums over n ranks are in parts of denominator^-(n-1).
                total = (self._gains[a] - self._gains[b]) * self.p.denominator**length + self.p.numerator * total
            yield (total > 0) - (total < 0)

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
