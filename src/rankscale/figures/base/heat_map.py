"""HeatMap: a square of coloured cells, one for each two of some things, with their numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rankscale.data.table import Table
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Space, Spec, numbers
from rankscale.figures.base.labels import label_axis, short_labels, width_of
from rankscale.figures.base.look import Appearance, inks_on
from rankscale.figures.base.vega import crosses, defined, gradient_legend, layer, mark_spec, nominal, plot, quantitative

HIGHEST_CELL = 4.5  # of cells, in heights of type
SMALLEST_TYPE = 4.5  # points; cells with less room for their number go without


@dataclass(frozen=True)
class HeatMap:
    """Coloured cells of the dataset `cells` with two digits of their value; crosses where it is undefined."""

    cells: Table
    names: tuple[str, ...]  # of rows and columns
    across: str  # column of `cells` with the name of each cell's column
    down: str  # with that of its row
    domain: list[float]  # the lowest and the highest value that has a colour
    legend_title: str  # name of the number, where colours need a legend
    tooltip: list[str | Spec]
    triangle: bool = False  # whether there are cells below the diagonal only: the first name has no row, the last none
    titles: tuple[str | None, str | None] = (None, None)  # of the two axes
    signs: Callable[[Space, float], Spec] | None = None  # makes a layer that stands under numbers of this size

    def plot(self, space: Space) -> Spec:
        """Coloured cells with their numbers."""
        size, start = space.look.font_size, int(self.triangle)
        count = len(self.names) - start
        labels = short_labels(self.names, 0.3 * space.width / size)
        longest = max(map(width_of, labels.values())) * size
        cell = (space.width - longest + 3 * size) / count  # about
        height = space.height if space.look.height else round(min(cell, HIGHEST_CELL * size) * count)
        flat = cell > longest + 0.5 * size
        names: Spec = {"domain": False, "ticks": False, "labelOverlap": False, **label_axis(labels)}
        columns, rows = ({"domain": list(names), "padding": 0.04} for names in (self.names[:count], self.names[start:]))
        some_lack = len(numbers(self.cells, "value")) < len(self.cells)
        shown = self._numbers(space, min(cell, height / count))
        column_axis = {**names, "labelFontSize": min(size, 0.82 * cell), "orient": "top", **label_angle(flat=flat)}
        if self.triangle:  # under the columns, where these begin
            upright = {"labelAlign": "right"} if not flat else {}
            column_axis |= {"orient": "bottom", **upright}
        row_axis = {**names, "labelFontSize": min(size, 0.82 * height / count)}
        drawn = plot(
            [self._grounds(space, numbered=bool(shown)), *([crosses(space.look)] if some_lack else []), *shown],
            space.width,
            height,
            "cells",
            x=nominal(self.across, scale=columns, title=self.titles[0], axis=column_axis),
            y=nominal(self.down, scale=rows, title=self.titles[1], axis=row_axis),
        )
        return {**drawn, "resolve": {"scale": {"color": "independent"}}}

    def _numbers(self, space: Space, cell: float) -> list[Spec]:
        """Two digits in each cell, in the type that fits, and signs under them; nothing that would be too small."""
        size = min(space.look.font_size, 0.85 * cell / (5 * WIDTH_OF_LETTER))
        if size < SMALLEST_TYPE:
            return []
        signs = [] if self.signs is None or cell <= 2.4 * size else [self.signs(space, size)]
        up = {"dy": -0.45 * size} if signs else {}
        text = mark_spec("text", fontSize=round(size, 2), baseline="middle", **up, aria=False)
        value, ink = quantitative("value", format=".2f"), ink_on_shades("value", self.domain, space.look)
        return [layer(text, None, [defined("value")], text=value, color=ink), *signs]

    def _grounds(self, space: Space, *, numbered: bool) -> Spec:
        """Colours; their meaning is given by the numbers on them, or else by a legend."""
        size = space.look.font_size
        legend = gradient_legend(self.legend_title, min(16 * size, 0.4 * space.width), 0.9 * size, tickCount=2)
        colour = shades("value", self.domain, space.look, None if numbered else legend)
        return layer(mark_spec("rect", aria=False), color=colour, tooltip=self.tooltip)


def label_angle(*, flat: bool) -> Spec:
    """How names of columns stand: flat, or upright from their cells on."""
    return {"labelAngle": 0} if flat else {"labelAngle": -90, "labelAlign": "left", "labelBaseline": "middle"}


def shades(field: str, domain: Sequence[float], look: Appearance, legend: Spec | None = None) -> Spec:
    """A channel of colours for the numbers of a field."""
    scale = {"domain": domain, "range": look.shades(domain), "interpolate": "rgb"}
    return quantitative(field, scale=scale, legend=legend)


def ink_on_shades(field: str, domain: Sequence[float], look: Appearance) -> Spec:
    """A channel that is black or white, whichever is easier to read on those colours."""
    change, inks = inks_on(look.shades(domain), domain)
    return quantitative(field, scale={"type": "threshold", "domain": change, "range": inks}, legend=None)
