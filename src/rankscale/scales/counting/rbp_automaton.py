"""Which rankings tie under RBP: a finite automaton that accepts one ranking for each value.

Two rankings of whole gains tie if the sum of d_i p^(i-1) is 0, d_i their differences. Read rank by rank, what this sum
amounts to, r_i = r_(i-1) / p + d_i, must come back to 0; so it never exceeds D p / (1 - p), D the largest difference,
and it stays a whole number: there are finitely many such states. A ranking is canonical if no lexicographically greater
ranking ties with it. A finite automaton accepts the canonical rankings: its state is the set of differences to all
lexicographically greater prefixes. There is one canonical ranking for each distinct value, and prefixes and suffixes of
canonical rankings are joined state by state.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rankscale.errors import ScaleError

MOST_DIFFERENCES = 1 << 15  # differences between prefixes
MOST_STATES = 1 << 13  # of the automaton before it is minimised
MOST_KEYS = 1 << 21  # in all lists together, where that many are not needed anyway
TOO_MANY_KEYS = 1 << 25


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
    shortest = Differences(p, whole(gains)[0]).shortest_tie
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


class Differences:
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


def canonical(differences: Differences) -> list[list[int]]:
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


def _greater(differences: Differences, state: frozenset[int], gain: int) -> frozenset[int]:
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
class Cut:
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


def cuts(table: list[list[int]], depth: int) -> list[Cut]:
    """All cuts, by the last rank of the prefix."""
    ending = [[1] * len(table)]  # [ranks to come][state]: number of suffixes
    for _ in range(depth):
        ending.append([sum(ending[-1][after] for after in row if after >= 0) for row in table])
    result, begun = [], {0: 1}
    for rank in range(depth + 1):
        left = ending[depth - rank]
        result.append(Cut(rank, {s: n for s, n in begun.items() if left[s]}, {s: left[s] for s in begun if left[s]}))
        following: dict[int, int] = defaultdict(int)
        for state, count in begun.items():
            for after in table[state]:
                if after >= 0:
                    following[after] += count
        begun = following
    return result


def best_cut(table: list[list[int]], depth: int) -> Cut:
    """The cut with the shortest walk, among those whose lists are not too long."""
    possible = cuts(table, depth)
    most = max(MOST_KEYS, min(cut.keys for cut in possible))
    if most > TOO_MANY_KEYS:
        raise ScaleError(f"RBP: depth {depth} has too many values to count; take a smaller depth")
    return min((cut for cut in possible if cut.keys <= most), key=lambda cut: cut.walked)
