"""Means of runs by several measures: a box plot for each, with the runs as points (the Twist paper, Fig. 12)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.rows import Cell, Rows
from rankscale.errors import ParameterError
from rankscale.evaluation import Evaluation
from rankscale.figures.figure import Figure, Space, Spec

MOST_POINTS = 6000  # beyond which some runs are left out between others, evenly spaced; boxes are of all of them
GOLDEN = (math.sqrt(5) - 1) / 2  # steps of this length, wrapped, never come close to each other soon
SPREAD = 0.25  # of a measure's room, up and down from its middle, that points take
BOX = 0.19  # the same for boxes
WHISKER = 1.5  # interquartile ranges from the box to the last run that is no outlier


@dataclass(frozen=True, repr=False)
class MeansFigure(Figure):
    """A box for each measure: quartiles of the runs' means, whiskers to the last run within 1.5 times their distance.

    The best run, a triangle upward, is named above its box, the worst one, a triangle downward, under it. Runs whose
    mean is undefined or infinite are left out, and counted in the description.
    """

    name: ClassVar[str] = "means"

    points: Rows  # measure, run, value, aside (how far from the middle of the measure's room)
    boxes: Rows  # measure, low, q1, median, q3, high, best, best_value, worst, worst_value, runs
    measures: tuple[str, ...]
    runs: int
    topics: int

    @property
    def title(self) -> str:
        """How many runs."""
        return f"Means of {self.runs} runs over {self.topics} topics"

    @property
    def description(self) -> str:
        """The medians and the ends of each measure."""
        told = [
            f"{row['measure']}: median {_number(row['median'])}, quartiles {_number(row['q1'])} and "
            f"{_number(row['q3'])}, best {row['best']} {_number(row['best_value'])}, worst {row['worst']} "
            f"{_number(row['worst_value'])}{self._left_out(row)}"
            for row in self.boxes
        ]
        return f"Box plots of the means of {self.runs} runs over {self.topics} topics. {'; '.join(told)}."

    def _left_out(self, box: Mapping[str, Cell]) -> str:
        missing = self.runs - int(box["runs"] or 0)
        return f" ({missing} without a finite mean left out)" if missing else ""

    def data(self) -> dict[str, Rows]:
        """The runs' means, and the boxes."""
        return {"runs": self.points, "boxes": self.boxes}

    def draw(self, space: Space) -> Spec:
        """Measures down, values across."""
        size = space.look.font_size
        height = space.height if space.look.height else round(6.2 * size * len(self.measures))
        return {
            "data": {"name": "boxes"},
            "width": space.width,
            "height": height,
            "encoding": {"y": self._measures(space)},
            "layer": [*self._boxes(space, height), self._points(space), *self._ends(space, height)],
        }

    def _measures(self, space: Space) -> Spec:
        longest = 0.33 * space.width
        lines = {
            "ticks": False,
            "domain": False,
            "title": None,
            "labelLimit": longest,
            "labelPadding": 0.8 * space.look.font_size,
        }
        return {
            "field": "measure",
            "type": "nominal",
            "scale": {"domain": list(self.measures), "padding": 0},
            "axis": lines,
        }

    @property
    def _domain(self) -> list[float]:
        """From 0, if no value is below it, to a little above the greatest."""
        ends = [float(row[name] or 0) for row in self.boxes for name in ("best_value", "worst_value")]
        low, high = min(0.0, *ends), max(0.0, *ends)
        return [low * 1.03, high * 1.03 or 1.0]

    def _x(self, field: str) -> Spec:
        return {
            "field": field,
            "type": "quantitative",
            "title": "mean over topics",
            "scale": {"domain": self._domain, "nice": True},
            "axis": {"tickCount": 6},
        }

    def _boxes(self, space: Space, height: float) -> list[Spec]:
        look, room = space.look, height / len(self.measures)
        thin = {"type": "rule", "color": look.ink, "strokeWidth": 0.8, "aria": False}
        filled = {
            "type": "rect",
            "height": 2 * BOX * room,
            "fill": look.colours[0],
            "fillOpacity": 0.18,
            "stroke": look.ink,
            "strokeWidth": 0.8,
            "aria": False,
        }
        tooltip = [{"field": name, "type": "quantitative", "format": ".4f"} for name in ("q1", "median", "q3")]
        return [
            {"mark": thin, "encoding": {"x": self._x("low"), "x2": {"field": "q1"}}},
            {"mark": thin, "encoding": {"x": self._x("q3"), "x2": {"field": "high"}}},
            {
                "mark": filled,
                "encoding": {"x": self._x("q1"), "x2": {"field": "q3"}, "tooltip": [{"field": "measure"}, *tooltip]},
            },
            {
                "mark": {"type": "tick", "thickness": 2, "size": 2 * BOX * room, "color": look.ink, "aria": False},
                "encoding": {"x": self._x("median")},
            },
        ]

    def _points(self, space: Space) -> Spec:
        """The runs; on a page the one pointed at stands out in all measures."""
        look = space.look
        select = {"type": "point", "fields": ["run"], "on": "pointerover", "clear": "pointerout"}
        pointed = {"param": "run_pointed_at", "empty": False}
        return {
            "data": {"name": "runs"},
            "params": [{"name": "run_pointed_at", "select": select}],
            "mark": {"type": "point", "filled": True, "opacity": 1, "fillOpacity": 0.65, "aria": False},
            "encoding": {
                "x": self._x("value"),
                "yOffset": {
                    "field": "aside",
                    "type": "quantitative",
                    "scale": {"domain": [-0.5, 0.5]},
                },
                "size": {"condition": {**pointed, "value": 9 * look.font_size}, "value": 1.5 * look.font_size},
                "color": {"condition": {**pointed, "value": look.colours[1]}, "value": look.colours[0]},
                "tooltip": [
                    {"field": "run"},
                    {"field": "measure"},
                    {"field": "value", "type": "quantitative", "format": ".4f"},
                ],
            },
        }

    def _ends(self, space: Space, height: float) -> list[Spec]:
        """The best and the worst run as triangles, with their names on the side that has room."""
        size, aside = space.look.font_size, 0.5 * height / len(self.measures)
        low, high = self._domain
        layers: list[Spec] = []
        for end, side in (("best", -1), ("worst", 1)):
            point = {"type": "point", "filled": True, "opacity": 1, "size": 4 * size, "color": space.look.colours[1]}
            shape = "triangle-up" if end == "best" else "triangle-down"
            at = {"x": self._x(f"{end}_value")}
            down = side * 2 * SPREAD * aside
            layers.append({"mark": {**point, "shape": shape, "yOffset": down, "aria": False}, "encoding": at})
            down = side * (aside - 0.75 * size)
            for align in ("left", "right"):
                middle = (low + high) / 2
                half = {"lte": middle} if align == "left" else {"gt": middle}
                mark = {"type": "text", "align": align, "baseline": "middle", "dy": down, "limit": 0.45 * space.width}
                layers.append(
                    {
                        "transform": [{"filter": {"field": f"{end}_value", **half}}],
                        "mark": {**mark, "fontSize": 0.9 * size, "color": space.look.ink, "aria": False},
                        "encoding": {**at, "text": {"field": end}},
                    }
                )
        return layers


def means_figure(found: Evaluation) -> MeansFigure:
    """The figure of all measures of an evaluation."""
    every_mean = found.means().values
    means: Floats = np.where(np.isfinite(every_mean), every_mean, np.nan)
    kept = [place for place in range(len(found.measures)) if not np.isnan(means[place]).all()]
    if not kept:
        raise ParameterError("no measure has a mean that is defined and finite: there is nothing to draw")
    boxes = [_box(found, means[place], place) for place in kept]
    every = math.ceil(len(kept) * len(found.runs) / MOST_POINTS)
    points = [cells for place in kept for cells in _spread(found, means[place], place, every)]
    return MeansFigure(
        points=Rows(
            {name: [cells[at] for cells in points] for at, name in enumerate(("measure", "run", "value", "aside"))}
        ),
        boxes=Rows({name: [box[name] for box in boxes] for name in boxes[0]}),
        measures=tuple(str(found.measures[place]) for place in kept),
        runs=len(found.runs),
        topics=int(found.retrieved.any(axis=0).sum()),
    )


def _box(found: Evaluation, means: Floats, place: int) -> Mapping[str, Cell]:
    defined = means[~np.isnan(means)]
    q1, median, q3 = np.quantile(defined, [0.25, 0.5, 0.75]).tolist()
    reach = WHISKER * (q3 - q1)
    measure = found.measures[place]
    greatest, least = int(np.nanargmax(means)), int(np.nanargmin(means))
    best, worst = (least, greatest) if measure.low_is_good else (greatest, least)
    return {
        "measure": str(measure),
        "low": float(defined[defined >= q1 - reach].min()),
        "q1": q1,
        "median": median,
        "q3": q3,
        "high": float(defined[defined <= q3 + reach].max()),
        "best": found.runs[best],
        "best_value": float(means[best]),
        "worst": found.runs[worst],
        "worst_value": float(means[worst]),
        "runs": len(defined),
    }


def _spread(found: Evaluation, means: Floats, place: int, every: int) -> list[tuple[Cell, ...]]:
    """Runs, the best first, neighbours aside of each other; the best as far up as points go, the worst down."""
    order = np.argsort(means if found.measures[place].low_is_good else -means, kind="stable")
    defined = [int(run) for run in order if not np.isnan(means[run])]
    aside = [round(SPREAD * (2 * ((number + 0.5) * GOLDEN % 1) - 1), 4) for number in range(len(defined))]
    aside[-1], aside[0] = SPREAD, -SPREAD
    name = str(found.measures[place])
    return [
        (name, found.runs[run], float(means[run]), aside[number])
        for number, run in enumerate(defined)
        if number % every == 0 or number == len(defined) - 1
    ]


def _number(value: Cell) -> str:
    return f"{float(value or 0):.4f}"
