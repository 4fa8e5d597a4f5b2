"""Which rankings tie under RBP: a finite automaton that accepts one ranking for each value.

Two rankings of whole gains tie if the sum of d_i p^(i-1) is 0, d_i their differences. Read rank by rank, what this sum
amounts to, r_i = r_(i-1) / p + d_i, must come back to 0; so it never exceeds D p / (1 - p), D the largest difference,
and it is a whole number, or a whole combination of powers of 1/p: there are finitely many such states. A ranking is
canonical if no ranking that is greater in the order of a dictionary ties with it. Which ones are is told by a finite
automaton, that keeps the set of all states of greater rankings. Its canonical rankings are as many as the values, and
meet in the middle, state by state.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rankscale.errors import ScaleError
from rankscale.scales.counting.rbp_bases import Base, RationalBase, State

MOST_DIFFERENCES = 1 << 15  # states of differences that are looked at
MOST_STATES = 1 << 13  # of the automaton, before states that accept the same are made one
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
    shortest = Differences(RationalBase(p), whole(gains)[0]).shortest_tie
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
    """States of differences between two rankings that can come back to 0, and how gains lead from one to another."""

    def __init__(self, base: Base, gains: tuple[int, ...]) -> None:
        self._base, self.gains = base, gains
        self._bits = 64
        carry = base.power(1, self._bits) + Fraction(1, 1 << 60)  # not too low, and a state too many does no harm
        self._largest = math.ceil((gains[-1] * carry / (1 - carry) + 1) * (1 << self._bits))
        steps = sorted({a - b for a in gains for b in gains})
        found: dict[State, dict[int, State]] = {}
        waiting = [base.zero]
        while waiting:
            state = waiting.pop()
            found[state] = {step: after for step in steps if (after := self._after(state, step)) is not None}
            waiting += [after for after in set(found[state].values()) if after not in found and after not in waiting]
            if len(found) > MOST_DIFFERENCES:
                raise ScaleError(f"RBP: with p = {base} and these gains, ties are too many kinds to tell")
        self.after = self._returning(found)

    def _after(self, state: State, step: int) -> State | None:
        carried = self._base.carried(state)
        if carried is None:
            return None
        after = (carried[0] + step, *carried[1:])
        near = abs(self._base.scaled(after, self._bits)) <= self._largest + self._base.error(after, self._bits)
        return after if near else None

    def _returning(self, found: dict[State, dict[int, State]]) -> dict[State, dict[int, State]]:
        """Only the states from which 0 can be reached."""
        before: dict[State, list[State]] = {}
        for state, following in found.items():
            for after in following.values():
                before.setdefault(after, []).append(state)
        useful, waiting = {self._base.zero}, [self._base.zero]
        while waiting:
            new = set(before.get(waiting.pop(), ())) - useful
            useful |= new
            waiting += new
        return {
            state: {step: after for step, after in found[state].items() if after in useful} for state in sorted(useful)
        }

    @cached_property
    def shortest_tie(self) -> int | None:
        """Over how many ranks at least two rankings must differ to tie; None if none do."""
        zero = self._base.zero
        reached, seen, length = set(self.after[zero].values()) - {zero}, {zero}, 1
        while reached:
            if zero in reached:
                return length
            seen |= reached
            reached = {after for state in reached for after in self.after[state].values()} - (seen - {zero})
            length += 1
        return None

    def tied_with(self, ranking: Sequence[int]) -> int:
        """How many rankings have the same value as one, itself among them."""
        ways = {self._base.zero: 1}
        for place in ranking:
            following: dict[State, int] = {}
            for state, count in ways.items():
                for gain in self.gains:
                    after = self.after[state].get(gain - self.gains[place])
                    if after is not None:
                        following[after] = following.get(after, 0) + count
            ways = following
        return ways[self._base.zero]


def canonical(differences: Differences, zero: State) -> list[list[int]]:
    """The automaton of canonical rankings: from each state, by place of the gain, the next one, or -1 for none.

    A state is the set of differences to all greater beginnings; where that holds 0, one of them ties.
    """
    numbers: dict[frozenset[State], int] = {frozenset(): 0}
    waiting, table = [frozenset[State]()], []
    for state in waiting:
        row = []
        for gain in differences.gains:
            following = _greater(differences, state, gain, zero)
            row.append(-1 if zero in following else numbers.setdefault(following, len(numbers)))
            if len(numbers) > len(waiting):
                waiting.append(following)
        table.append(row)
        if len(numbers) > MOST_STATES:
            raise ScaleError("RBP: with this p and these gains, ties are too many kinds to count")
    return minimal(table)


def _greater(differences: Differences, state: frozenset[State], gain: int, zero: State) -> frozenset[State]:
    """The differences to all greater beginnings, one gain later: to greater ones so far, and to those greater here."""
    found: set[State | None] = set()
    for other in differences.gains:
        found |= {differences.after[r].get(other - gain) for r in state}
        if other > gain:
            found.add(differences.after[zero].get(other - gain))
    return frozenset(r for r in found if r is not None)


def minimal(table: list[list[int]]) -> list[list[int]]:
    """The same automaton with one state for all that accept the same; its start stays state 0 (Moore's algorithm)."""
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
    """Where rankings are cut in two: canonical beginnings of each state, and their canonical completions."""

    rank: int
    beginnings: dict[int, int]  # by state, how many
    completions: dict[int, int]

    @property
    def keys(self) -> int:
        """How many numbers are kept."""
        return sum(self.beginnings.values()) + sum(self.completions.values())

    @property
    def walked(self) -> int:
        """How many numbers are looked at for each ranking."""
        return sum(min(count, self.completions[state]) for state, count in self.beginnings.items())


def cuts(table: list[list[int]], depth: int) -> list[Cut]:
    """All ways to cut, by the rank before the cut."""
    ending = [[1] * len(table)]  # by ranks to come, and state
    for _ in range(depth):
        ending.append([sum(ending[-1][after] for after in row if after >= 0) for row in table])
    found, begun = [], {0: 1}
    for rank in range(depth + 1):
        left = ending[depth - rank]
        found.append(Cut(rank, {s: n for s, n in begun.items() if left[s]}, {s: left[s] for s in begun if left[s]}))
        following: dict[int, int] = {}
        for state, count in begun.items():
            for after in table[state]:
                if after >= 0:
                    following[after] = following.get(after, 0) + count
        begun = following
    return found


def best_cut(table: list[list[int]], depth: int) -> Cut:
    """The cut that ranks are found fastest with, among those that do not keep too many numbers."""
    found = cuts(table, depth)
    most = max(MOST_KEYS, min(cut.keys for cut in found))
    if most > TOO_MANY_KEYS:
        raise ScaleError(f"RBP: depth {depth} has too many values to count; ask for fewer ranks")
    return min((cut for cut in found if cut.keys <= most), key=lambda cut: cut.walked)
