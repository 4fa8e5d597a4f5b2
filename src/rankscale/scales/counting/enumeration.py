"""Images of measures of unknown structure: every ranking is measured, and distinct values are separated by gaps.

A measure hands out floats, each with a rounding error. Values closer than the largest such error are taken for one;
values that are further apart, yet suspiciously close, cannot be decided, and the image is refused.
"""

from collections.abc import Callable

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ScaleError
from rankscale.scales.counting.halves import number_of_rankings
from rankscale.scales.counting.image import Cost, ListedValues, Progress, Provenance, Universe
from rankscale.scales.counting.lexicographic import in_order

MOST_RANKINGS = 1 << 20
BLOCK = 1 << 14  # rankings measured at a time
MEASURING_BYTES = 60  # of each rank of these, while they are measured
SAME, DIFFERENT = 1e-12, 1e-9  # of the largest value: rounding stays below the one, differences above the other


class EnumeratedImage(ListedValues):
    """The image of any measure over a small universe: `value_of` measures rankings given as places of gains."""

    def __init__(self, universe: Universe, value_of: Callable[[Ints], Floats]) -> None:
        self.universe, self._value_of = universe, value_of
        values = np.sort(_measured(every_ranking(universe), value_of))
        if not np.isfinite(values).all():
            raise ScaleError("the measure is undefined or infinite for some rankings: it has no scale here")
        unit = float(np.abs(values).max())
        gaps = np.diff(values)
        _refuse_doubtful(gaps, unit)
        starts = np.flatnonzero(np.append([True], gaps > SAME * unit))
        self._tolerance = DIFFERENT * unit / 2
        ends = np.append(starts[1:], len(values))
        self._values, self._cumulated = values[starts], np.append([0], ends)
        if (values[ends - 1] - self._values > self._tolerance).any():
            raise ScaleError("the values of the measure run into each other: distinct ones cannot be counted")
        self.size = len(self._values)
        self.provenance = Provenance(
            "floats",
            f"all {len(values):,} rankings enumerated; distinct values are separated by a gap: none differ by between "
            f"{SAME * unit:.2g} and {DIFFERENT * unit:.2g}",
        )

    def ranks(self, rankings: Ints, progress: Progress | None = None) -> list[int]:
        """The rank of the value that lies within the gap."""
        values = _measured(rankings, self._value_of, progress)
        places = np.searchsorted(self._values, values + self._tolerance, side="right") - 1
        if not (np.abs(self._values[places] - values) <= self._tolerance).all():
            raise ScaleError("a ranking is not one of those enumerated: it has more documents of a kind than there are")
        ranks: list[int] = (places + 1).tolist()
        return ranks


def every_ranking(universe: Universe) -> Ints:
    """(ranking, rank): all rankings, if there are not too many."""
    rankings = in_order(universe, MOST_RANKINGS + 1)
    if len(rankings) > MOST_RANKINGS:
        raise ScaleError(
            f"the structure of this measure is not known, and there are more than {MOST_RANKINGS:,} rankings to "
            "measure; take a smaller depth"
        )
    if not len(rankings):
        raise ScaleError("there is no ranking of this length: there are not documents enough")
    return rankings


def few(universe: Universe) -> bool:
    """Whether there are few enough rankings to measure each."""
    return number_of_rankings(universe, universe.depth) <= MOST_RANKINGS


def predicted(universe: Universe, seconds_per_ranking: float = 1e-5) -> Cost:
    """The predicted cost of enumeration, an upper bound; most of it is the measure's own."""
    rankings = min(len(universe.gains) ** universe.depth, MOST_RANKINGS)
    working = rankings * 3 * universe.depth + min(rankings, BLOCK) * universe.depth * MEASURING_BYTES
    return Cost(rankings * seconds_per_ranking, seconds_per_ranking, rankings * 24, working)


def _measured(rankings: Ints, value_of: Callable[[Ints], Floats], progress: Progress | None = None) -> Floats:
    """(ranking,): values, in blocks."""
    values = np.empty(len(rankings))
    for start in range(0, len(rankings), BLOCK):
        values[start : start + BLOCK] = value_of(rankings[start : start + BLOCK])
        if progress:
            progress(min(start + BLOCK, len(rankings)), len(rankings))
    return values


def _refuse_doubtful(gaps: Floats, unit: float) -> None:
    """Raise ScaleError if two values may differ by rounding or truly."""
    doubtful = gaps[(gaps > SAME * unit) & (gaps < DIFFERENT * unit)]
    if len(doubtful):
        raise ScaleError(
            f"two values of the measure differ by {doubtful[0]:.2g}: too little to exclude rounding, "
            "so that distinct values cannot be counted"
        )
