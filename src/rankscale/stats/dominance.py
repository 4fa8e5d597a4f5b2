"""First-order dominance: whether one run is at least as high as another at every quantile.

Topics are not paired here: only the two distributions of values are compared, and only their order is used. Where one
run dominates, all quantiles and the means of every increasing map of the values are in the same order. Where the
quantiles of two runs cross, some increasing map reverses the order of their means.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from math import lcm
from typing import Literal

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError
from rankscale.stats.tests.base.test import Pairs

Side = Literal["first", "second", "equal"]
DominanceKind = Literal["first", "second", "equal", "cross"]
KINDS: tuple[DominanceKind, ...] = (
    "equal",
    "first",
    "second",
    "cross",
)  # index: 1 if the first is above somewhere, + 2 if ...
SIDES: tuple[Side, ...] = ("equal", "first", "second")
AT_ONCE = 1 << 22  # values of pairs that are held at once


@dataclass(frozen=True)
class Piece:
    """A piece (start, end] of the shares on which the same run has the higher quantiles."""

    start: Fraction
    end: Fraction
    above: Side

    @property
    def text(self) -> str:
        """As in (1/6, 1/3]."""
        return f"({self.start}, {self.end}]"


@dataclass(frozen=True)
class Dominance:
    """Which of two runs dominates, and the pieces of (0, 1] in order."""

    kind: DominanceKind
    pieces: tuple[Piece, ...]

    def share(self, side: Side) -> float:
        """Share of the quantiles at which this side is above."""
        return float(sum(piece.end - piece.start for piece in self.pieces if piece.above == side))

    def text(self, first: str, second: str) -> str:
        """The pieces in words.

        >>> dominance(np.array([0.2, 0.4, 0.9]), np.array([0.1, 0.5, 0.6, 0.8])).text("A", "B")
        'A higher on (0, 1/4], (2/3, 1]; B higher on (1/4, 2/3]'
        """
        named = {"first": f"{first} higher", "second": f"{second} higher", "equal": "equal"}
        parts = ((words, [one.text for one in self.pieces if one.above == side]) for side, words in named.items())
        return "; ".join(f"{words} on {', '.join(where)}" for words, where in parts if where)


def dominance(first: Floats, second: Floats) -> Dominance:
    """Compare the quantiles of two lists of values, which may differ in length.

    Parameters
    ----------
    first, second : array (topic,)
        Values of two runs by one measure; NaN, where a value is undefined, is left out.

    Returns
    -------
    Dominance
        `kind` is 'first' or 'second' for the one that dominates, 'equal', or 'cross'; `pieces` say who is above where.

    Raises
    ------
    ParameterError
        One of the two has no values.

    Examples
    --------
    >>> a, b = np.array([0.2, 0.4, 0.9]), np.array([0.1, 0.5, 0.6, 0.8])
    >>> crossing = dominance(a, b)
    >>> crossing.kind, [piece.text for piece in crossing.pieces]
    ('cross', ['(0, 1/4]', '(1/4, 2/3]', '(2/3, 1]'])
    """
    one, other = (np.sort(values[~np.isnan(values)]) for values in (first, second))
    if not len(one) or not len(other):
        raise ParameterError("dominance compares the values of two runs: each needs one or more")
    steps = lcm(len(one), len(other))
    each, of_other = steps // len(one), steps // len(other)  # both quantiles are constant between such steps
    ends = np.union1d(np.arange(1, len(one) + 1) * each, np.arange(1, len(other) + 1) * of_other)
    high, low = one[-(-ends // each) - 1], other[-(-ends // of_other) - 1]
    sides = np.where(high > low, 1, np.where(high < low, 2, 0))
    pieces = tuple(_pieces(sides, ends, steps))
    above = {piece.above for piece in pieces}
    return Dominance(KINDS[("first" in above) + 2 * ("second" in above)], pieces)


def _pieces(sides: Ints, ends: Ints, steps: int) -> Iterator[Piece]:
    """Neighbouring steps on which the same side is above, joined."""
    start = Fraction(0)
    for side, joined in groupby(zip(sides.tolist(), ends.tolist(), strict=True), key=lambda step: step[0]):
        end = Fraction([end for _, end in joined][-1], steps)
        yield Piece(start, end, SIDES[side])
        start = end


def kinds_of_dominance(values: Floats, pairs: Pairs) -> list[DominanceKind]:
    """(pair,): who dominates, over the topics on which both runs of a pair have a value.

    >>> kinds_of_dominance(np.array([[0.3, 0.2, 0.1], [0.1, 0.1, 0.4]]), Pairs(np.array([0, 0]), np.array([1, 2])))
    ['first', 'second']
    """
    known = ~np.isnan(values)
    if known.all():
        ordered = np.sort(values, axis=0).T
        return list(_kinds(ordered, pairs)) if len(values) else ["equal"] * len(pairs)
    kinds: list[DominanceKind] = []
    for one, other in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
        both = known[:, one] & known[:, other]
        ordered = np.sort(values[both][:, [one, other]], axis=0).T
        kinds += _kinds(ordered, Pairs(np.array([0]), np.array([1])))
    return kinds


def _kinds(ordered: Floats, pairs: Pairs) -> Iterator[DominanceKind]:
    """The same for values (run, topic) in ascending order."""
    size = max(1, AT_ONCE // max(1, ordered.shape[1]))
    for start in range(0, len(pairs), size):
        one, other = ordered[pairs.first[start : start + size]], ordered[pairs.second[start : start + size]]
        first, second = ((above.sum(axis=1) > 0).tolist() for above in (one > other, one < other))
        yield from (KINDS[one_above + 2 * other_above] for one_above, other_above in zip(first, second, strict=True))
