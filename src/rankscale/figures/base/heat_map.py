"""HeatMap: a square of coloured cells, one for each two of some things, with their numbers."""

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from rankscale.data.table import Table
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Figure, Space, Spec, number
from rankscale.figures.base.labels import label_axis, short_labels, width_of
from rankscale.figures.base.look import CROSS, Appearance, inks_on
from rankscale.figures.base.vega import (
    defined,
    gradient_legend,
    layer,
    mark_spec,
    nominal,
    plot,
    quantitative,
    undefined,
)

HIGHEST_CELL = 4.5  # of cells, in heights of type
SMALLEST_TYPE = 4.5  # points; cells with less room for their number go without


class HeatMap(Figure):
    """Coloured cells with two digits of their value; crosses where it is undefined."""

    across: ClassVar[str]  # column of `cells` with the name of each cell's column
    down: ClassVar[str]  # with that of its row

    cells: Table  # what is drawn; `value` is the number

    @property
    @abstractmethod
    def labels(self) -> tuple[str, ...]:
        """Names of rows and columns."""

    @property
    def triangle(self) -> bool:
        """Whether there are cells below the diagonal only: the first name has no row, the last no column."""
        return False

    @property
    def titles(self) -> tuple[str | None, str | None]:
        """Titles of the two axes, across and down."""
        return None, None

    @property
    @abstractmethod
    def domain(self) -> list[float]:
        """The lowest and the highest value that has a colour."""

    @property
    @abstractmethod
    def legend_title(self) -> str:
        """Name of the number, where colours need a legend."""

    @property
    @abstractmethod
    def tooltip(self) -> list[str | Spec]:
        """Columns of `cells` that are shown with a cell."""

    def draw(self, space: Space) -> Spec:
        """Coloured cells with their numbers."""
        size, start = space.look.font_size, int(self.triangle)
        count = len(self.labels) - start
        labels = short_labels(self.labels, 0.3 * space.width / size)
        longest = max(map(width_of, labels.values())) * size
        cell = (space.width - longest + 3 * size) / count  # about
        height = space.height if space.look.height else round(min(cell, HIGHEST_CELL * size) * count)
        flat = cell > longest + 0.5 * size
        names: Spec = {"domain": False, "ticks": False, "labelOverlap": False, **label_axis(labels)}
        angle = {"labelAngle": 0} if flat else {"labelAngle": -90, "labelAlign": "left", "labelBaseline": "middle"}
        columns, rows = (
            {"domain": list(names), "padding": 0.04} for names in (self.labels[:count], self.labels[start:])
        )
        shown = self.numbers(space, min(cell, height / count))
        column_axis = {**names, "labelFontSize": min(size, 0.82 * cell), "orient": "top", **angle}
        if self.triangle:  # under the columns, where these begin
            upright = {"labelAlign": "right"} if not flat else {}
            column_axis |= {"orient": "bottom", **upright}
        row_axis = {**names, "labelFontSize": min(size, 0.82 * height / count)}
        drawn = plot(
            [self._grounds(space, numbered=bool(shown)), *self._crosses(space), *shown],
            space.width,
            height,
            "cells",
            x=nominal(self.across, scale=columns, title=self.titles[0], axis=column_axis),
            y=nominal(self.down, scale=rows, title=self.titles[1], axis=row_axis),
        )
        return {**drawn, "resolve": {"scale": {"color": "independent"}}}

    def numbers(self, space: Space, cell: float) -> list[Spec]:
        """Two digits in each cell, in the type that fits; nothing that would be too small."""
        size = type_size(space, cell)
        return [] if size is None else [self.number_layer(space, size)]

    def number_layer(self, space: Space, size: float, shift: float = 0) -> Spec:
        """Two digits in each cell, in type of this size, moved down by `shift`."""
        text = mark_spec("text", fontSize=round(size, 2), baseline="middle", **({"dy": shift} if shift else {}))
        return layer(
            {**text, "aria": False},
            None,
            [defined("value")],
            text=quantitative("value", format=".2f"),
            color=self.ink(space.look),
        )

    def ink(self, look: Appearance) -> Spec:
        """Black or white on each cell, whichever is easier to read."""
        return ink_on_shades("value", self.domain, self._colours(look))

    @property
    def unknown(self) -> int:
        """Cells without a value."""
        return sum(math.isnan(number(cell)) for cell in self.cells.columns["value"])

    def _colours(self, look: Appearance) -> list[str]:
        return look.diverging if self.domain[0] < 0 else look.sequence

    def _grounds(self, space: Space, *, numbered: bool) -> Spec:
        """Colours; their meaning is given by the numbers on them, or else by a legend."""
        size = space.look.font_size
        legend = gradient_legend(self.legend_title, min(16 * size, 0.4 * space.width), 0.9 * size, tickCount=2)
        colour = shades("value", self.domain, self._colours(space.look), None if numbered else legend)
        return layer(mark_spec("rect", aria=False), color=colour, tooltip=self.tooltip)

    def _crosses(self, space: Space) -> list[Spec]:
        """Crosses where a value is undefined."""
        size, grey = space.look.font_size, space.look.grey
        cross = mark_spec("point", shape=CROSS, size=2 * size, color=grey, strokeWidth=0.7, aria=False)
        return [layer(cross, None, [undefined("value")])] if self.unknown else []


def shades(field: str, domain: Sequence[float], colours: Sequence[str], legend: Spec | None = None) -> Spec:
    """A channel of colours for the numbers of a field."""
    scale = {"domain": domain, "range": colours, "interpolate": "rgb"}
    return quantitative(field, scale=scale, legend=legend)


def ink_on_shades(field: str, domain: Sequence[float], colours: Sequence[str]) -> Spec:
    """A channel that is black or white, whichever is easier to read on those colours."""
    change, inks = inks_on(colours, domain)
    return quantitative(field, scale={"type": "threshold", "domain": change, "range": inks}, legend=None)


def type_size(space: Space, cell: float) -> float | None:
    """Size of type with which a number fits into a cell; None where it would be too small to read."""
    size = min(space.look.font_size, 0.85 * cell / (5 * WIDTH_OF_LETTER))
    return None if size < SMALLEST_TYPE else size
