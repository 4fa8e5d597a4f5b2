"""Which runs are above others without any measure: a heat map of the topics on which one ranking is above another."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arguments import Declaration, Positive
from rankscale.data.table import Cell, Table
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Figure, Space, Spec, number
from rankscale.figures.base.heat_map import SMALLEST_TYPE, ink_on_shades, label_angle, shades
from rankscale.figures.base.labels import label_axis, short_labels, width_of
from rankscale.figures.base.vega import gradient_legend, layer, mark_spec, nominal, only, plot, quantitative
from rankscale.studies.partial_order import PartialOrder

DEPTH = 10  # at which rankings are compared, where the study reaches so far
DOMAIN = [0.0, 1.0]  # of shares of topics
SMALLEST_NAME = 4.5  # points: where runs are more than names of this size, only every second, third ... is named
NAMES = 0.3  # of the width, for names of runs
HIGHEST_CELL = 3.2  # of cells, in heights of type
YES, NO = "yes", "no"
SHARES, EVERY = "topics on which the row is above", "\u2022 above or equal on every topic"


@dataclass(frozen=True, repr=False)
class PartialOrderFigure(Figure):
    """A cell for each two runs: the share of topics on which the ranking of the row is above that of the column.

    Runs are sorted by how often they are above others. A dot marks the pairs in which the row is above the column or
    equal to it on every topic, which no measure that respects the order of rankings can contradict.
    """

    name: ClassVar[str] = "partial-order"
    ratio: ClassVar[float] = 1.0

    cells: Table  # run (row), other (column), share, above, below, equal, not_comparable, every (yes or no)
    runs: tuple[str, ...]  # the one that is above others most often first
    depth: int
    topics: int
    comparable: float  # share of pairs of rankings

    @property
    def title(self) -> str:
        """How many runs and topics, and the depth."""
        return f"Rankings above one another down to rank {self.depth}: {len(self.runs)} runs, {self.topics} topics"

    @property
    def description(self) -> str:
        """How many pairs are comparable, which run is most often above another, and pairs in one order throughout."""
        most = max(self.cells, key=lambda row: number(row["share"]))
        every = sum(row["every"] == YES for row in self.cells)
        return (
            f"Heat map of the share of topics on which the ranking of a run is above that of another, down to rank "
            f"{self.depth}. {self.comparable:.0%} of the pairs of rankings are comparable. Most often, {most['run']} "
            f"is above {most['other']}: on {most['above']} of {self.topics} topics. For {every} pairs of runs one is "
            "above the other or equal to it on every topic."
        )

    def draw(self, space: Space) -> Spec:
        """Coloured cells with their numbers where there is room, and dots for what holds on every topic."""
        size, count = space.look.font_size, len(self.runs)
        labels = short_labels(self.runs, NAMES * space.width / size)
        longest = max(map(width_of, labels.values())) * size
        across = (space.width - longest) / count  # about
        height = space.height if space.look.height else round(min(across, HIGHEST_CELL * size) * count)
        down = height / count
        numbers = self._numbers(space, min(across, down))
        flat = across > longest + 0.5 * size
        layers = [self._grounds(space), *numbers, *self._dots(space, min(across, down), numbered=bool(numbers))]
        drawn = plot(
            layers,
            space.width,
            height,
            "cells",
            x=self._axis("other", "below", across, space, orient="top", **label_angle(flat=flat)),
            y=self._axis("run", "above", down, space),
        )
        return {**drawn, "resolve": {"scale": {"color": "independent"}}}

    def _axis(self, field: str, title: str, room: float, space: Space, **options: object) -> Spec:
        """Names of runs; where there is no room for all of them, every second, third ..."""
        size = min(space.look.font_size, max(SMALLEST_NAME, 0.82 * room))
        step = max(1, math.ceil(size / (0.9 * room)))
        labels = short_labels(self.runs, NAMES * space.width / space.look.font_size)
        names = {"domain": False, "ticks": False, "labelOverlap": False, **label_axis(labels)}
        axis = {**names, "labelFontSize": size, "values": list(self.runs[::step]), **options}
        padding = 0.04 if room > 0.5 * space.look.font_size else 0
        return nominal(field, scale={"domain": list(self.runs), "padding": padding}, title=title, axis=axis)

    def _grounds(self, space: Space) -> Spec:
        size = space.look.font_size
        title = [SHARES, *([EVERY] if self._throughout else [])]
        room = space.width - max(map(len, title)) * WIDTH_OF_LETTER * size
        length = min(16 * size, max(5 * size, room - 2 * size))
        legend = gradient_legend(SHARES, length, 0.9 * size, format="~%", tickCount=2, titleLimit=0)
        legend = {**legend, "title": title, "titleAnchor": "middle", "offset": 1.4 * size}
        colour = shades("share", DOMAIN, space.look, legend)
        tooltip = ["run", "other", *(quantitative(name) for name in ("above", "below", "equal", "not_comparable"))]
        return layer(mark_spec("rect", aria=False), color=colour, tooltip=tooltip)

    def _numbers(self, space: Space, cell: float) -> list[Spec]:
        """Numbers of topics, in the type that fits; nothing that would be too small."""
        size = min(space.look.font_size, 0.8 * cell / ((len(str(self.topics)) + 1) * WIDTH_OF_LETTER))
        if size < SMALLEST_TYPE:
            return []
        text = mark_spec("text", fontSize=round(size, 2), baseline="middle", aria=False)
        return [layer(text, text=quantitative("above"), color=ink_on_shades("share", DOMAIN, space.look))]

    def _dots(self, space: Space, cell: float, *, numbered: bool) -> list[Spec]:
        """A dot in the cells of pairs in one order on every topic; under the number, where there is one."""
        if not self._throughout:
            return []
        size = min(0.5 * space.look.font_size, 0.22 * cell if numbered else 0.45 * cell)
        down = 0.36 * cell if numbered else 0
        dot = mark_spec("point", filled=True, opacity=1, size=size**2, yOffset=down, aria=False)
        return [layer(dot, None, [only("every", YES)], color=ink_on_shades("share", DOMAIN, space.look))]

    @property
    def _throughout(self) -> bool:
        """Whether there is a pair of runs in one order on every topic."""
        return YES in self.cells.columns["every"]


def partial_order_figure(study: PartialOrder, depth: Positive | None = None) -> PartialOrderFigure:
    """Draw a heat map of runs above others: the share of topics on which one ranking is above the other.

    A dot marks the pairs of runs of which one is above the other or equal to it on every topic.

    Parameters
    ----------
    study : PartialOrder
        Result of `partial_order`.
    depth : int, default 10
        Rank down to which rankings are compared.

    Returns
    -------
    PartialOrderFigure
        The heat map.

    Raises
    ------
    ParameterError
        If the study does not reach down to the depth.

    Command line
    ------------
        rankscale figure partial-order qrels.txt runs/*.gz -o above.pdf
        rankscale figure partial-order qrels.txt runs/*.gz --depth 100 -o above.svg
        rankscale figure partial-order qrels.txt runs/*.gz --rel 2 --depth 5 -o above.html
    """
    cut = min(DEPTH, study.depths[-1]) if depth is None else depth
    often = np.count_nonzero(study.above(cut), axis=(0, 2))
    order = np.argsort(-often, kind="stable").tolist()
    names = ("run", "other", "share", "above", "below", "equal", "not_comparable", "every")
    return PartialOrderFigure(
        cells=Table.of(names, list(_cells(study, cut, order))),
        runs=tuple(study.runs[place] for place in order),
        depth=cut,
        topics=len(study.topics),
        comparable=float(study.comparable(cut).mean()),
    )


def _cells(study: PartialOrder, depth: int, order: list[int]) -> Iterator[tuple[Cell, ...]]:
    """All pairs of runs, in both directions."""
    at_least, topics = study.at_least(depth), len(study.topics)
    above = np.count_nonzero(study.above(depth), axis=0).tolist()
    equal = np.count_nonzero(at_least & at_least.swapaxes(1, 2), axis=0).tolist()
    every = study.on_every_topic(depth)
    for i in order:
        for j in order:
            if i != j:
                counts = above[i][j], above[j][i], equal[i][j]
                yes = YES if every[i, j] else NO
                yield study.runs[i], study.runs[j], counts[0] / topics, *counts, topics - sum(counts), yes


COMMAND = Declaration(
    partial_order_figure,
    source="study",
    study="partial-order",
    shared=("missing", "relevance", "grades", "judged_only", "reading"),
)
