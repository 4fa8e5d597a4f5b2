"""The image of average precision: sums of precisions at the relevant ranks; the recall base only scales them."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Ints
from rankscale.errors import ScaleError
from rankscale.scales.counting.image import Cost, Universe
from rankscale.scales.counting.tables import has_table, table
from rankscale.scales.counting.windows import WindowImage
from rankscale.scales.counting.windows import predicted as predicted_windows

GAINS = (Fraction(0), Fraction(1))
NAME = "AP"


@dataclass(frozen=True)
class SumOfPrecisions:
    """Each relevant document adds n / rank where it is the n-th one; the state is the number of them so far.

    >>> SumOfPrecisions(4).scale  # 1/1, 1/2, 1/3 and 1/4 are whole numbers of twelfths
    12
    """

    depth: int
    name: str = NAME

    @cached_property
    def scale(self) -> int:
        """The least number that all ranks divide."""
        return math.lcm(*range(1, self.depth + 1))

    @property
    def start(self) -> tuple[int, ...]:
        """No relevant document yet."""
        return (0,)

    @property
    def bound(self) -> int:
        """More than all documents relevant: every precision is 1."""
        return self.depth * self.scale + 1

    def states(self, length: int) -> int:
        """From no relevant document to all."""
        return length + 1

    def step(self, rank: int, place: int, states: Ints) -> tuple[Ints, Ints]:
        """Precision at a relevant document."""
        if place == 0:
            return np.zeros_like(states[0]), states
        return (states[0] + 1) * (self.scale // rank), states + 1


def average_precision(universe: Universe) -> WindowImage:
    """The image of the sum of precisions, from a shipped table if there is one.

    >>> average_precision(Universe(GAINS, 10)).size
    810
    """
    refuse_grades(universe)
    shipped = table(NAME, universe.depth) if _has_table(universe) else None
    return WindowImage(universe, SumOfPrecisions(universe.depth), shipped)


def predicted(universe: Universe) -> Cost:
    """What counting will take."""
    refuse_grades(universe)
    return predicted_windows(universe, SumOfPrecisions(universe.depth), shipped=_has_table(universe))


def refuse_grades(universe: Universe) -> None:
    """Documents are relevant or not."""
    if universe.gains != GAINS:
        raise ScaleError(f"AP counts documents as relevant or not: gains must be 0 and 1, got {universe.gains}")


def _has_table(universe: Universe) -> bool:
    return universe.limits is None and has_table(NAME, universe.depth)
