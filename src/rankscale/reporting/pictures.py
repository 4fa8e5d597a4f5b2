"""Small drawings within cells of tables, mostly SVG: dots with intervals, bars and lines over topics.

They hold numbers alone, no text of a file, and stretch to the width of their cell: lines keep their thickness, and dots
are lines without a length and with round ends, so that they stay round.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats

WIDTH, HEIGHT = 200, 20
MARGIN = 6  # room for half a dot
MOST_STEPS = 40  # of a line over topics
NEARLY = 1e-9  # of a step: ticks at the ends of an axis belong to it
NARROWEST = 1e-300  # axis that has ticks


@dataclass(frozen=True)
class Axis:
    """A scale across a column of drawings, so that all of them can be compared."""

    low: float
    high: float

    @classmethod
    def over(cls, *values: Iterable[float]) -> "Axis":
        """The axis that has all of these values; those that are not finite are left out."""
        known = [value for some in values for value in some if math.isfinite(value)]
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        return cls(low, high) if high - low > NARROWEST else cls(low - 0.5, high + 0.5)

    def at(self, value: float) -> str:
        """Where a value stands, from the left."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return f"{MARGIN + share * (WIDTH - 2 * MARGIN):.1f}"

    def ticks(self) -> list[float]:
        """Two to six round values within the axis.

        >>> Axis(-0.35, 0.45).ticks(), Axis(0.1, 0.83).ticks()
        ([-0.2, 0.0, 0.2, 0.4], [0.2, 0.4, 0.6, 0.8])
        """
        span = self.high - self.low
        power = 10.0 ** math.floor(math.log10(span))
        step = next(size * power for size in (0.2, 0.5, 1.0, 2.0, 5.0) if span / (size * power) <= 5)
        first, last = math.ceil(self.low / step - NEARLY), math.floor(self.high / step + NEARLY)
        return [round(place * step, 10) + 0.0 for place in range(first, last + 1)]


def axis_picture(axis: Axis) -> str:
    """The ticks of an axis with their numbers, for the head of a column: text, which does not stretch."""
    ticks = (f'<i style="left: {float(axis.at(tick)) / WIDTH:.1%}">{tick:g}</i>' for tick in axis.ticks())
    return f'<span class="axis" aria-hidden="true">{"".join(ticks)}</span>'


def interval_picture(
    axis: Axis, value: float, low: float, high: float, *, zero: float | None = None, apart: bool = True
) -> str:
    """A dot with its interval; hollow unless `apart`; with `zero` a line at that value: where two runs are alike."""
    parts = []
    if zero is not None and axis.low <= zero <= axis.high:
        parts.append(f'<path class="zero" d="M{axis.at(zero)} 0V{HEIGHT}"/>')
    if math.isfinite(low) and math.isfinite(high):
        parts.append(f'<path class="whisker" d="M{axis.at(low)} 10H{axis.at(high)}"/>')
    if math.isfinite(value):
        parts.append(f'<path class="dot" d="M{axis.at(value)} 10h0"/>')
        parts += [] if apart else [f'<path class="hole" d="M{axis.at(value)} 10h0"/>']
    return _stretched("interval", parts)


def share_picture(share: float) -> str:
    """A bar from 0 to 1."""
    if not math.isfinite(share):
        return ""
    parts = [f'<path class="rail" d="M0 15H{WIDTH}"/>', f'<path class="bar" d="M0 15H{WIDTH * min(share, 1):.0f}"/>']
    return _stretched("share", parts)


def line_picture(values: Sequence[float] | Floats, axis: Axis) -> str:
    """A line over topics in the order given, means of neighbours where they are many; undefined ones are left out."""
    known = np.asarray(values, dtype=np.float64)
    known = known[np.isfinite(known)]
    if not len(known):
        return ""
    steps = [float(one.mean()) for one in np.array_split(known, min(MOST_STEPS, len(known)))]
    across = WIDTH / max(1, len(steps) - 1)
    heights = (18 - 16 * (min(max(one, axis.low), axis.high) - axis.low) / (axis.high - axis.low) for one in steps)
    points = [f"{place * across:.0f} {height:.1f}" for place, height in enumerate(heights)]
    line = f"M{'L'.join(points)}" if len(points) > 1 else f"M0 {points[0].split()[1]}H{WIDTH}"
    return _stretched("line", [f'<path class="area" d="{line}V20H0Z"/>', f'<path d="{line}"/>'])


def _stretched(kind: str, parts: Iterable[str]) -> str:
    drawn = "".join(parts)
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none"'
    return f'<svg class="{kind}" {box} aria-hidden="true">{drawn}</svg>'
