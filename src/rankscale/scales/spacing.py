"""How evenly the values of a measure are spaced: on an interval scale, neighbours are equally far apart.

Also which part of its range a measure leaves unused (Ferrante, Ferro and Fuhr 2021, section IV-B): the largest gap
between neighbouring values, and what lies above the highest value.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.measures.base.structure import EVEN
from rankscale.scales.counting.image import LISTED, Image

MENTIONED = 0.0005  # share of the limits above the highest value from which it is mentioned
SAMPLED = 1000  # lowest and highest values whose gaps are computed where there are too many to list


@dataclass(frozen=True)
class Unused:
    """The part of a measure's range that its values leave unused.

    Attributes
    ----------
    lower, upper : float
        The two neighbouring values that are farthest apart; the lowest such pair if several are.
    share : float
        Their distance over the range from 0 (or the lowest value, where it is negative) to the highest value.
    above : float or None
        Share of the measure's limits that lies above its highest value, as for RBP at a fixed length; None where the
        measure has no finite limits.
    certain : bool
        Whether this is the largest gap of all, or only of those at the two ends of the scale.
    """

    lower: float
    upper: float
    share: float
    above: float | None
    certain: bool


@dataclass(frozen=True)
class Spacing:
    """The gaps between neighbouring values, largest and smallest, and what of the measure's range is not used."""

    largest: float
    smallest: float
    lowest: float  # value there is
    highest: float
    unused: Unused
    symmetric: bool | None  # whether the upper half mirrors the lower; None where values are too many to look at
    condition: str  # that the scale rests on where values are equally spaced; empty where there is none
    complete: bool  # whether all gaps are known, or only those among the lowest values

    @property
    def ratio(self) -> float:
        """The largest gap over the smallest: 1 on an interval scale, however small the gaps are."""
        return self.largest / self.smallest if self.largest > self.smallest else 1.0

    @property
    def equal(self) -> bool:
        """Whether all gaps are equal, so that the measure itself is on an interval scale."""
        return self.complete and self.ratio - 1 < EVEN

    def __str__(self) -> str:
        if self.equal:
            sure = f" only if {self.condition}" if self.condition else ""
            spaced = f"equally spaced: the measure itself is on an interval scale{sure}"
        else:
            seen = "" if self.complete else " among the lowest values"
            spaced = f"not equally spaced: the largest gap{seen} is {self.ratio:.4g} times the smallest"
        mirrored = "" if self.symmetric is None else f"; {'symmetric' if self.symmetric else 'not symmetric'}"
        return f"{spaced}{mirrored}"

    @property
    def unused_text(self) -> str:
        """The unused part of the range in words; empty where gaps are equal and the range is used up to its end."""
        gap, parts = self.unused, []
        if not self.equal:
            ends = f"{min(self.lowest, 0.0):.4g} to {self.highest:.4g}"
            where = "" if gap.certain else ", the largest gap at either end"
            parts.append(f"{gap.lower:.4g} to {gap.upper:.4g}{where}: {gap.share:.1%} of the range from {ends}")
        if (gap.above or 0) >= MENTIONED:
            parts.append(f"all above {self.highest:.4g}: {gap.above:.1%} of the measure's limits")
        return "; ".join(parts)


def spacing(
    image: Image,
    measure_values: Callable[[Floats], Floats],
    limits: tuple[float, float],
    *,
    equal: bool,
    condition: str = "",
    known_gap: tuple[float, float] | None = None,
) -> Spacing | None:
    """The spacing of a measure's values; None where there are fewer than two.

    `measure_values` maps values of the image to values of the measure; `equal` is whether they are known to be equally
    spaced, and `condition` what an interval scale then rests on; `known_gap` has the two ends of the largest gap where
    they are known without a list of all values.
    """
    if image.size < 2:
        return None
    if image.size <= LISTED:
        return spacing_of(measure_values(image.values()), limits, equal=equal, condition=condition)
    lower, upper = map(measure_values, image.ends(SAMPLED))
    ends = known_gap or max(_largest_gap(lower), _largest_gap(upper), key=lambda pair: pair[1] - pair[0])
    # Of gaps, upper values are left out: far from 0, gaps can be smaller than floats resolve.
    certain = equal or known_gap is not None
    return _spacing(lower, float(upper[-1]), ends, limits, certain=certain, equal=equal, condition=condition)


def spacing_of(
    values: Floats, limits: tuple[float, float], *, equal: bool = False, condition: str = ""
) -> Spacing | None:
    """The spacing of all values of a measure, ascending; None where there are fewer than two."""
    if len(values) < 2:
        return None
    ends, highest = _largest_gap(values), float(values[-1])
    return _spacing(values, highest, ends, limits, certain=True, equal=equal, condition=condition, complete=True)


def _spacing(
    values: Floats,
    highest: float,
    ends: tuple[float, float],
    limits: tuple[float, float],
    *,
    certain: bool,
    equal: bool,
    condition: str,
    complete: bool = False,
) -> Spacing | None:
    """The spacing of these values, all there are if `complete`, otherwise the lowest ones."""
    gaps = np.diff(values)
    gaps = gaps[gaps > 0]
    if not len(gaps) and not equal:
        return None
    lowest = float(values[0])
    step = float(gaps[0]) if equal and len(gaps) else 0.0
    return Spacing(
        largest=step if equal else float(gaps.max()),
        smallest=step if equal else float(gaps.min()),
        lowest=lowest,
        highest=highest,
        unused=_unused(ends, lowest, highest, limits, certain=certain),
        symmetric=_mirrored(values) if complete else (True if equal else None),
        condition=condition,
        complete=complete or equal,
    )


def _largest_gap(values: Floats) -> tuple[float, float]:
    """The two neighbours among ascending values that are farthest apart; the lowest pair of those that are."""
    gaps = np.diff(values)
    place = int(np.argmax(gaps >= gaps.max() * (1 - EVEN)))
    return float(values[place]), float(values[place + 1])


def _unused(
    ends: tuple[float, float], lowest: float, highest: float, limits: tuple[float, float], *, certain: bool
) -> Unused:
    reach = limits[1] - limits[0]
    above = max(0.0, (limits[1] - highest) / reach) if np.isfinite(reach) else None
    return Unused(*ends, (ends[1] - ends[0]) / (highest - min(lowest, 0.0)), above, certain)


def _mirrored(values: Floats) -> bool:
    sums = values + values[::-1]
    return bool(np.ptp(sums) <= EVEN * max(1.0, abs(float(sums[0]))))
