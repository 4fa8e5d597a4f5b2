"""The image of expected reciprocal rank, for any stopping probabilities that are fractions."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from rankscale.data.arrays import Ints
from rankscale.errors import ScaleError
from rankscale.scales.counting.image import Cost, Universe
from rankscale.scales.counting.windows import WindowImage
from rankscale.scales.counting.windows import predicted as predicted_windows

NAME = "ERR"


@dataclass(frozen=True)
class ReciprocalRanks:
    """Those who stop at a rank gain its reciprocal; the state is the share that reads on, in parts of q^rank.

    >>> ReciprocalRanks(3, (Fraction(0), Fraction(1, 2))).scale  # 1/2, 1/8 and 1/24 are whole numbers of 24ths
    24
    """

    depth: int
    stopping: tuple[Fraction, ...]  # how likely each gain is to content a user
    name: str = NAME

    @cached_property
    def _parts(self) -> int:
        return math.lcm(*(probability.denominator for probability in self.stopping))

    @cached_property
    def _stops(self) -> tuple[int, ...]:
        return tuple(int(probability * self._parts) for probability in self.stopping)

    @cached_property
    def scale(self) -> int:
        """The least number such that the reciprocal of each rank, over the parts to its power, is whole."""
        return math.lcm(*(rank * self._parts**rank for rank in range(1, self.depth + 1)))

    @property
    def start(self) -> int:
        """All users read on."""
        return 1

    @property
    def bound(self) -> int:
        """The best value, which the best documents at all ranks give; or the parts of the last share."""
        value, share = Fraction(0), Fraction(1)
        for rank in range(1, self.depth + 1):
            value += share * max(self.stopping) / rank
            share *= 1 - max(self.stopping)
        last: int = self._parts**self.depth
        return max(int(value * self.scale), last) + 1

    def states(self, length: int) -> int:
        """Shares depend on how often each gain was met, not in which order."""
        return math.comb(length + len(self.stopping) - 1, len(self.stopping) - 1)

    def step(self, rank: int, place: int, states: Ints) -> tuple[Ints, Ints]:
        """Those who stop here."""
        stops = self._stops[place]
        return states * (stops * (self.scale // (rank * self._parts**rank))), states * (self._parts - stops)


def expected_reciprocal_rank(universe: Universe) -> WindowImage:
    """The image where the gains of the universe are the probabilities that a user stops: (2^g - 1) / 2^gmax.

    >>> expected_reciprocal_rank(Universe((Fraction(0), Fraction(1, 2)), 6)).size
    58
    """
    return WindowImage(universe, _recurrence(universe))


def predicted(universe: Universe) -> Cost:
    """What counting will take."""
    return predicted_windows(universe, _recurrence(universe))


def _recurrence(universe: Universe) -> ReciprocalRanks:
    if not all(0 <= gain <= 1 for gain in universe.gains):
        raise ScaleError(f"ERR: gains are probabilities to stop, from 0 to 1, got {universe.gains}")
    return ReciprocalRanks(universe.depth, universe.gains)
