"""Several plots in one figure: how many stand in a row, and how large they are."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rankscale.figures.base.figure import Space, Spec
from rankscale.figures.base.look import TEXT_WIDTH

MOST = 4  # in a row
SMALLEST = 40  # points across


@dataclass(frozen=True)
class Grid:
    """Plots of one size, in rows."""

    count: int
    columns: int
    space: Space  # of all of them

    @property
    def width(self) -> int:
        """The width of a plot."""
        return max(SMALLEST, round(self.space.width / self.columns))

    def height(self, natural: float) -> int:
        """The height of a plot: its natural one, unless a height of the figure is requested."""
        rows = math.ceil(self.count / self.columns)
        return round(self.space.height / rows if self.space.look.height else natural)

    def left(self, place: int) -> bool:
        """Whether a plot is the first in its row, where axes have titles."""
        return place % self.columns == 0

    def lowest(self, place: int) -> bool:
        """Whether a plot is the last in its column."""
        return place + self.columns >= self.count

    def spec(self, plots: Sequence[Spec], spacing: float = 1.5, **options: object) -> Spec:
        """All plots; the spacing between them is in heights of type."""
        return {
            "concat": list(plots),
            "columns": self.columns,
            "spacing": spacing * self.space.look.font_size,
            **options,
        }


def grid(count: int, space: Space, narrowest: float, most: int = MOST) -> Grid:
    """As many plots in a row as fit, and rows as even as can be.

    `narrowest` is how wide a plot with its axis must be, in heights of letters. What counts is the width of the whole
    figure, which does not change while plots are made smaller until all fits.
    """
    whole = max(space.width, space.look.width or TEXT_WIDTH)
    fitting = max(1, int(whole / (narrowest * space.look.font_size)))
    rows = math.ceil(count / min(count, fitting, most))
    return Grid(count, math.ceil(count / rows), space)
