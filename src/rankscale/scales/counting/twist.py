"""The image of Twist: a value depends on the balance point and on forward and backward space, all whole numbers.

A dynamic programme goes down the ranks and keeps the distinct cases of: documents taken of each grade, forward space
s+, backward space s- and, once CRP has crossed 0, the balance point. Many rankings share a case, so
that there are far fewer cases than rankings. Values are fractions of small whole numbers, compared in lowest terms.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import ScaleError, Setting
from rankscale.measures.families.relative_position import Crossing
from rankscale.scales.counting.image import Cost, Image, ListedValues, Progress, Provenance, Universe

EXACT_FLOATS = 1 << 53  # quotients of smaller whole numbers are rounded once, and so never put in the wrong order
MOST_CASES = 1 << 24  # that may stand side by side at one rank: 1 GB with what is worked out from them
PACKED = 1 << 62
SECONDS_PER_CASE, BYTES_PER_CASE = 8e-8, 90


@dataclass(frozen=True)
class TwistTopic:
    """The documents of a topic and the length of rankings: where grades belong, and what Twist is measured against."""

    counts: tuple[int, ...]  # of each relevant grade, lowest first: rankings have 1, 2, ... for these and 0 for others
    depth: int

    def __post_init__(self) -> None:
        if self.recall_base == 0 or self.depth < self.recall_base:
            raise ScaleError(f"Twist: rankings of {self.depth} cannot hold {self.recall_base} relevant documents")
        if 0 in self.full_space:
            raise ScaleError(f"Twist: depth {self.depth} is too short for {self.recall_base} relevant documents")

    @property
    def recall_base(self) -> int:
        """RB."""
        return sum(self.counts)

    @cached_property
    def positions(self) -> Ints:
        """(grade, rank): RP, how far after its last rank in the ideal ranking a grade stands, or before its first."""
        ranks = np.arange(1, self.depth + 1)
        positions = [np.minimum(ranks - self.recall_base - 1, 0)]
        last = self.recall_base
        for count in self.counts:
            positions.append(ranks - np.clip(ranks, last - count + 1, last))
            last -= count
        return np.array(positions)

    @cached_property
    def full_space(self) -> tuple[int, int]:
        """s+ and s- of the full scale, the ideal ranking reversed; s- without its sign, here as elsewhere."""
        reversed_ideal = [0] * (self.depth - self.recall_base)
        for grade, count in enumerate(self.counts, start=1):
            reversed_ideal += [grade] * count
        positions = self.positions[reversed_ideal, np.arange(self.depth)]
        return int(np.maximum(positions, 0).sum()), int(np.maximum(-positions, 0).sum())

    @cached_property
    def most_space(self) -> tuple[int, int]:
        """s+ and s- that no ranking exceeds."""
        return (
            int(np.maximum(self.positions, 0).max(axis=0).sum()),
            int(np.maximum(-self.positions, 0).max(axis=0).sum()),
        )

    def fractions(self, forward: Ints, backward: Ints, balance: Ints) -> tuple[Ints, Ints]:
        """Twist in lowest terms, numerator and denominator; a balance point of 0 stands for one at infinity.

        sigma = 2 f b / (f B + b F) with f = F - s+ and b = B - s-, F and B those of the full scale; rho = RB / balance.
        """
        full_forward, full_backward = self.full_space
        kept_forward, kept_backward = full_forward - forward, full_backward - backward
        below = kept_forward * full_backward + kept_backward * full_forward
        above = np.where(below == 0, 0, 2 * kept_forward * kept_backward)
        below = np.where(below == 0, 1, below)
        above = np.where(balance > 0, above * balance + self.recall_base * below, above)
        below = 2 * below * np.maximum(balance, 1)
        common = np.gcd(above, below) * np.sign(below)
        return above // common, below // common

    @property
    def cases(self) -> int:
        """The approximate number of cases at the last ranks: a measured share of all combinations."""
        taken = math.prod(count + 1 for count in self.counts)
        return math.prod(self.full_space) * (self.depth - self.recall_base + 1) * taken // 20

    def fits(self) -> bool:
        """Whether numerators and denominators stay below 2^53."""
        sides = [max(full, most) for full, most in zip(self.full_space, self.most_space, strict=True)]
        return 8 * sides[0] * sides[1] * self.depth < EXACT_FLOATS


def predicted(universe: Universe, counts: Sequence[int]) -> Cost:
    """The predicted cost of the dynamic programme, to within a factor of about 3."""
    topic = TwistTopic(tuple(counts), universe.depth)
    seconds = topic.cases * universe.depth * SECONDS_PER_CASE / 2.5
    # Cases that stand side by side at one rank, at most: more than measured, by half at most.
    most_cases = int(topic.cases * min(2.2, 0.65 * (topic.depth / topic.recall_base - 1)))
    return Cost(seconds, 1e-5, most_cases * BYTES_PER_CASE)


def crosses(crossing: Crossing, before: Ints, after: Ints) -> Bools:
    """Whether CRP crosses 0 between two ranks."""
    if crossing == "return":
        return (before < 0) & (after >= 0)
    if crossing == "positive":
        return (before <= 0) & (after > 0)
    touches: Bools = before * after <= 0
    return touches


def never_left(crossing: Crossing, forward: Ints, backward: Ints) -> Bools:
    """Whether CRP balances without crossing 0: it was never negative, or for 'positive', never anything but 0.

    Where it was negative and never crossed, it is so at the end; where both spaces are empty, it was 0 throughout.
    """
    balanced: Bools = forward >= backward if crossing == "return" else forward + backward == 0
    return balanced


@dataclass(frozen=True)
class Field:
    """A number that is packed with others into one, in bits of its own."""

    one: int  # 1, in the first of these bits
    mask: int

    def of(self, packed: Ints) -> Ints:
        """The number."""
        return (packed >> (self.one.bit_length() - 1)) & self.mask


def fields_for(*most: int) -> tuple[Field, ...]:
    """Bit fields of one 64-bit number, one after the other, each wide enough for whole numbers up to that of `most`."""
    fields, one = [], 1
    for number in most:
        fields.append(Field(one, (1 << number.bit_length()) - 1))
        one <<= number.bit_length()
    if one >= PACKED:
        raise ScaleError("Twist: there are too many grades or ranks; take a smaller depth")
    return tuple(fields)


class TwistImage(ListedValues):
    """The image of Twist over the rankings of a topic, or with no limits over all rankings of its grades.

    `counts` are the documents of each relevant grade, lowest first; places of gains are 0 for what is not relevant and
    1, 2, ... for these grades. Rankings are as long as the universe is deep, and so is the full scale; Twist itself
    needs a depth of 2 RB or more.

    >>> from fractions import Fraction
    >>> from rankscale.scales.counting.image import Limits
    >>> topic = Universe((Fraction(0), Fraction(1)), depth=2, limits=Limits((-1, 0), (1,)))
    >>> image = TwistImage(topic, counts=(1,))
    >>> image.values(), image.ranks(np.array([[1, 0], [0, 1], [0, 0]]))
    (array([0. , 0.5, 1. ]), [3, 2, 1])
    """

    def __init__(self, universe: Universe, counts: Sequence[int], crossing: Crossing = "return") -> None:
        self.universe, self.crossing = universe, crossing
        self.topic = TwistTopic(tuple(counts), universe.depth)
        if len(counts) != len(universe.gains) - 1:
            raise ScaleError(
                "Twist needs the number of documents of each relevant grade in a topic; give them as counts"
            )
        if universe.limits is None and 0 in counts:
            raise ScaleError(
                "Twist: a grade that the topic does not have has no place; use ", Setting("universe", "feasible")
            )
        if not self.topic.fits() or self.topic.cases > 2 * MOST_CASES:
            raise ScaleError(
                f"Twist: depth {universe.depth} with {self.topic.recall_base} relevant documents has too many cases to "
                "count; take a smaller depth"
            )
        self._numerators, self._denominators = self._sorted(*self.topic.fractions(*self._reached()))
        self._values: Floats = self._numerators / self._denominators
        self.size = len(self._values)
        self.provenance = Provenance("exact", f"all {self.size:,} values by a dynamic programme, as fractions")

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:  # noqa: ARG002
        """The place of each ranking's fraction."""
        above, below = self.topic.fractions(*self._measured(rankings))
        floats = above / below
        first, end = np.searchsorted(self._values, floats), np.searchsorted(self._values, floats, side="right")
        ranks = []
        for start, stop, fraction in zip(first.tolist(), end.tolist(), zip(above, below, strict=True), strict=True):
            near = zip(self._numerators[start:stop], self._denominators[start:stop], strict=True)
            place = next((place for place, other in enumerate(near, start=start + 1) if other == fraction), None)
            if place is None:
                raise ScaleError("a ranking has more documents of a grade than there are")
            ranks.append(place)
        return ranks

    among_rankings = Image.among_rankings  # rankings are not counted by their values

    def _measured(self, rankings: Ints) -> tuple[Ints, Ints, Ints]:
        """(ranking,) three times: s+, s- and the balance point."""
        positions = self.topic.positions[rankings, np.arange(self.universe.depth)]
        forward, backward = (np.maximum(sign * positions, 0).sum(axis=1) for sign in (1, -1))
        crp = np.cumsum(positions, axis=1)
        crossed = crosses(self.crossing, crp[:, :-1], crp[:, 1:])
        rank = np.where(crossed.any(axis=1), np.maximum(crossed.argmax(axis=1) + 1, self.topic.recall_base), 0)
        return forward, backward, self._balanced(forward, backward, rank)

    def _balanced(self, forward: Ints, backward: Ints, balance: Ints) -> Ints:
        """The balance point, also where CRP never crosses 0."""
        at_once = (balance == 0) & never_left(self.crossing, forward, backward)
        return np.where(at_once, self.topic.recall_base, balance)

    def _reached(self) -> tuple[Ints, Ints, Ints]:
        """s+, s- and balance point of all rankings, each combination once."""
        cases = np.zeros(1, dtype=np.int64)
        for rank in range(1, self.universe.depth + 1):
            cases = distinct(self._extended(cases, rank))
            if len(cases) > MOST_CASES:
                raise ScaleError(
                    f"Twist: more than {MOST_CASES:,} cases at rank {rank} of {self.universe.depth}, too many to keep; "
                    "take a smaller depth"
                )
        forward, backward, balance = (field.of(cases) for field in self._fields[:3])
        return forward, backward, self._balanced(forward, backward, balance)

    @cached_property
    def _fields(self) -> tuple[Field, ...]:
        """Where s+, s-, the balance point and the documents taken of each grade stand in a packed case."""
        taken = self.topic.counts if self.universe.limits else ()
        return fields_for(*self.topic.most_space, self.universe.depth, *taken)

    def _extended(self, cases: Ints, rank: int) -> list[Ints]:
        """The cases at a rank, by the grade that stands there."""
        forward, backward, balance, *taken = self._fields
        crp = forward.of(cases) - backward.of(cases)
        open_yet = balance.of(cases) == 0 if rank > 1 else np.zeros(1, dtype=bool)
        extended = []
        for grade, position in enumerate(self.topic.positions[:, rank - 1].tolist()):
            following = cases + (position * forward.one if position > 0 else -position * backward.one)
            crossed = open_yet & crosses(self.crossing, crp, crp + position)
            following[crossed] += max(rank - 1, self.topic.recall_base) * balance.one
            if grade and taken:
                left = taken[grade - 1].of(cases) < self.topic.counts[grade - 1]
                following = following[left] + taken[grade - 1].one
            extended.append(following)
        return extended

    @staticmethod
    def _sorted(above: Ints, below: Ints) -> tuple[Ints, Ints]:
        """Distinct fractions in ascending order: of their quotients, and exactly where these are the same."""
        order = np.lexsort((above, below, above / below))
        above, below = above[order], below[order]
        new = np.append([True], (np.diff(above) != 0) | (np.diff(below) != 0))
        above, below = above[new], below[new]
        for place in np.flatnonzero(np.diff(above / below) == 0)[::-1].tolist():
            _bubble(above, below, place)
        return above, below


def _bubble(above: Ints, below: Ints, place: int) -> None:
    """Puts the fraction at a place after those that follow it, while it is greater than they are."""
    while place + 1 < len(above) and int(above[place]) * int(below[place + 1]) > int(above[place + 1]) * int(
        below[place]
    ):
        for column in (above, below):
            column[[place, place + 1]] = column[[place + 1, place]]
        place += 1


def distinct(parts: list[Ints]) -> Ints:
    """Each number of all parts once, ascending."""
    together = np.concatenate(parts)
    together.sort()
    return together[np.append([True], together[1:] != together[:-1])] if len(together) else together
