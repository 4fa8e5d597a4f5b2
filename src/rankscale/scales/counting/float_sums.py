"""Distinct floating-point sums of average precision: false distinctions, needed to repeat published figures.

Precisions summed in floating point differ in their last digits where exact sums are equal. Tables published for the
interval scale of AP count such sums as different values: 866 instead of 810 at depth 10.
"""

from functools import cached_property

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import ScaleError
from rankscale.scales.counting.average_precision import refuse_grades
from rankscale.scales.counting.image import Cost, Image, Progress, Provenance, Universe

DEEPEST = 30  # 2^30 sums of 8 bytes
BLOCK = 1 << 16  # sums whose distinct ones are counted together
SECONDS_PER_SUM = 1e-7  # made, sorted and deduplicated


class FloatImage(Image):
    """The doubles that precisions at the relevant ranks, summed from the first to the last, can give.

    >>> from rankscale.scales.counting.average_precision import GAINS
    >>> FloatImage(Universe(GAINS, 10)).size
    866
    """

    def __init__(self, universe: Universe) -> None:
        refuse_grades(universe)
        if universe.limits is not None:
            raise ScaleError("AP with deduplicate='float' is taken over all rankings, as in published tables")
        if universe.depth > DEEPEST:
            raise ScaleError(
                f"AP@{universe.depth} with deduplicate='float': all 2^{universe.depth} sums would have to be listed, "
                f"and at most 2^{DEEPEST} are; use deduplicate='exact', or a depth of {DEEPEST} or less"
            )
        self.universe = universe
        words = "distinct floating-point sums: false distinctions, only to repeat published figures"
        self.provenance = Provenance("floats", words)

    @cached_property
    def size(self) -> int:  # type: ignore[override]
        """How many doubles there are."""
        return int(self._distinct[-1])

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:  # noqa: ARG002  # a search each
        """How many of the doubles do not exceed each ranking's own."""
        ends = np.searchsorted(self._sums, summed(rankings), side="right")
        return [self._distinct_before(int(end)) for end in ends]

    def among_rankings(self, rankings: Ints, progress: Progress | None = None) -> list[tuple[int, int]]:  # noqa: ARG002
        """How many rankings have a lower double, and how many the same."""
        own = summed(rankings)
        starts, ends = (np.searchsorted(self._sums, own, side=side) for side in ("left", "right"))
        return [(int(start), int(end - start)) for start, end in zip(starts, ends, strict=True)]

    def ends(self, count: int) -> tuple[Floats, Floats]:
        """The first and the last `count` doubles."""
        few, many = (np.unique(side) for side in (self._sums[: BLOCK * count], self._sums[-BLOCK * count :]))
        return few[:count], many[-count:]

    @cached_property
    def _sums(self) -> Floats:
        """The sum of each ranking, ascending."""
        sums = _all_sums(self.universe.depth)
        sums.sort()
        return sums

    @cached_property
    def _distinct(self) -> Ints:
        """How many distinct sums lie before each block, and in all."""
        blocks = range(0, len(self._sums), BLOCK)
        return np.append(0, np.cumsum([np.count_nonzero(self._opens(start, start + BLOCK)) for start in blocks]))

    def _distinct_before(self, end: int) -> int:
        block = end // BLOCK
        return int(self._distinct[block]) + int(np.count_nonzero(self._opens(block * BLOCK, end)))

    def _opens(self, start: int, end: int) -> Bools:
        """Which of the sums from a place to another differ from the one before."""
        some = self._sums[max(start - 1, 0) : end]
        differs: Bools = some[1:] != some[:-1]
        return np.append(True, differs) if start == 0 and end else differs  # the first of all


def summed(rankings: Ints) -> Floats:
    """(ranking,): precisions at the relevant ranks, added one after the other."""
    precisions = rankings * np.cumsum(rankings, axis=1) / np.arange(1, rankings.shape[1] + 1)
    sums = np.zeros(len(rankings))
    for precision in precisions.T:
        sums += precision
    return sums


def predicted(universe: Universe) -> Cost:
    """The predicted cost of listing all sums."""
    return Cost(SECONDS_PER_SUM * 2.0**universe.depth, 1e-5, 9 << universe.depth)


def _all_sums(depth: int) -> Floats:
    """The sum of each ranking, made in place: at most depths they fill most of a machine's memory."""
    sums, relevant = np.zeros(1 << depth), np.zeros(1 << depth, dtype=np.uint8)
    for rank in range(1, depth + 1):
        half, precisions = 1 << (rank - 1), np.arange(1, rank + 1) / rank
        for start in range(0, half, BLOCK):
            some = slice(start, min(start + BLOCK, half))
            same = slice(some.start + half, some.stop + half)
            sums[same] = sums[some] + precisions[relevant[some]]
            relevant[same] = relevant[some] + np.uint8(1)
    return sums
