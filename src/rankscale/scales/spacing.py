"""How evenly the values of a measure are spaced: on an interval scale, neighbours are equally far apart."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.scales.counting.image import LISTED, Image

EVEN = 1e-9  # gaps that differ by less, relative to them, are equal but for rounding
MENTIONED = 0.0005  # share of the range that is never used from which it is mentioned
SAMPLED = 1000  # lowest values whose gaps are computed where there are too many to list


@dataclass(frozen=True)
class Spacing:
    """The gaps between neighbouring values, largest and smallest, and what of the measure's range is used."""

    largest: float
    smallest: float
    lowest: float  # value there is
    highest: float
    unused: float | None  # share of the measure's limits that no value reaches; None where it has no limits
    symmetric: bool | None  # whether the upper half mirrors the lower; None where values are too many to look at
    graded: bool  # whether values add up more than two different gains
    complete: bool  # whether all gaps are known, or only those among the lowest values

    @property
    def ratio(self) -> float:
        """The largest gap over the smallest: 1 on an interval scale."""
        return self.largest / self.smallest

    @property
    def equal(self) -> bool:
        """Whether all gaps are equal, so that the measure itself is on an interval scale."""
        return self.complete and self.ratio - 1 < EVEN

    def __str__(self) -> str:
        if self.equal:
            sure = ", if gains are on a ratio scale" if self.graded else ""
            spaced = f"equally spaced: the measure itself is on an interval scale{sure}"
        else:
            seen = "" if self.complete else " among the lowest values"
            spaced = f"not equally spaced: the largest gap{seen} is {self.ratio:.4g} times the smallest"
        mirrored = "" if self.symmetric is None else f"; {'symmetric' if self.symmetric else 'not symmetric'}"
        left = f"; {self.unused:.1%} of the range is never used" if (self.unused or 0) >= MENTIONED else ""
        return f"{spaced}{mirrored}{left}"


def spacing(
    image: Image, measure_values: Callable[[Floats], Floats], limits: tuple[float, float], *, equal: bool
) -> Spacing | None:
    """The spacing of a measure's values; None where there are fewer than two.

    `measure_values` maps values of the image to values of the measure; `equal` is whether they are known to be equally
    spaced.
    """
    if image.size < 2:
        return None
    complete = image.size <= LISTED
    lower, upper = map(measure_values, (image.values(),) * 2 if complete else image.ends(SAMPLED))
    gaps = np.diff(lower)  # upper values are left out: far from 0, gaps can be smaller than floats resolve
    gaps = gaps[gaps > 0]
    if not len(gaps):
        return None
    first, last = float(lower[0]), float(upper[-1])
    reach = limits[1] - limits[0]
    unused = max(0.0, 1 - (last - first) / reach) if np.isfinite(reach) else None
    symmetric = _mirrored(lower) if complete else (True if equal else None)
    largest, smallest = (float(gaps[0]),) * 2 if equal else (float(gaps.max()), float(gaps.min()))
    graded = len(image.universe.gains) > 2
    return Spacing(largest, smallest, first, last, unused, symmetric, graded, complete or equal)


def _mirrored(values: Floats) -> bool:
    sums = values + values[::-1]
    return bool(np.ptp(sums) <= EVEN * max(1.0, abs(float(sums[0]))))
