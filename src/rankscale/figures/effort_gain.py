"""Effort against gain: each ranking a point on a grid of sixteen quadrants (the Twist paper, Figs. 7-10)."""

from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np

from rankscale.data.declared import Declaration
from rankscale.data.table import Table
from rankscale.errors import UnknownNameError
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Figure, Space, Spec
from rankscale.figures.base.lines import apart
from rankscale.figures.base.look import Look
from rankscale.figures.base.vega import by_kind, digits, layer, mark_spec, plot, quantitative
from rankscale.measures.base.measure import Measure
from rankscale.studies.effort_gain import EffortGain
from rankscale.studies.support.effort_grid import AREAS, EFFORT_CUTS, EFFORTS, GAINS, Plot

ALL_RUNS = "all runs"  # what `run_shown` says where no run is chosen
LEGEND = {"diagonal": "diagonal", "gray": "gray area", "high-high": "high-high", "below": "below"}  # by area
LETTERS = 4  # of a share: 12%, <1%
HIDDEN = 3  # points that the text of a share may stand on


@dataclass(frozen=True, repr=False)
class EffortGainFigure(Figure):
    """Points of one measure of gain, in their quadrants.

    A quadrant's share of the points stands in that of its corners that is the emptiest, and nowhere if it would stand
    on more than a few points there.
    """

    name: ClassVar[str] = "effort-gain"
    ratio: ClassVar[float] = 0.7

    measure: str
    effort: str
    points: Table  # run, topic, effort, gain, quadrant
    quadrants: Table  # quadrant, area, their edges, points, share
    areas: Table  # area, points, share
    cuts: tuple[float, ...]  # between rows
    runs: tuple[str, ...]
    bind_runs: bool  # whether the page has a list of runs to choose from

    @property
    def title(self) -> str:
        """The two measures, and how many points."""
        return f"Effort and gain of {len(self.points):,} rankings: {self.effort} and {self.measure}"

    @property
    def description(self) -> str:
        """Shares of areas, and the largest quadrant."""
        shares = [f"{_percent(row['share'])} {AREAS[str(row['area'])][0]} ({row['area']})" for row in self.areas]
        largest = max(self.quadrants, key=lambda row: int(row["points"] or 0))
        return (
            f"Points of {len(self.runs)} runs, one for each topic: across {self.effort}, from huge to low effort, up "
            f"{self.measure}, in quarters from low to huge gain, cut at "
            f"{', '.join(f'{cut:.4f}' for cut in self.cuts)}. Of all points {'; '.join(shares)}. The quadrant with the "
            f"most points, {_percent(largest['share'])}, is {largest['quadrant']}."
        )

    def data(self) -> dict[str, Table]:
        """The points; the quadrants behind them."""
        return {"points": self.points, "quadrants": self.quadrants}

    def draw(self, space: Space) -> Spec:
        """Shaded quadrants, the points on them, shares and names of rows and columns around."""
        choice = {"bind": {"input": "select", "options": [ALL_RUNS, *self.runs], "name": "run "}}
        run_shown = {"name": "run_shown", "value": ALL_RUNS, **(choice if self.bind_runs else {})}
        layers = [
            self._shading(space),
            *self._cut_lines(space),
            self._points(space),
            self._shares(space),
            *self._names(space),
        ]
        drawn = plot(layers, space.width, space.height, "points")
        return {**drawn, "params": [run_shown], "resolve": {"scale": {"color": "independent"}}}

    @property
    def _top(self) -> float:
        return max(float(row["top"] or 0) for row in self.quadrants)

    @property
    def _bottom(self) -> float:
        return min(float(row["bottom"] or 0) for row in self.quadrants)

    def _gain_in_a_point(self, space: Space) -> float:
        """Of the plot's height; axis, names and legend take some of a height that is requested."""
        taken = 8 * space.look.font_size if space.look.height else 0
        return (self._top - self._bottom) / max(1, space.height - taken)

    def _shading(self, space: Space) -> Spec:
        """The areas in light colours, which the legend names with their shares."""
        look = space.look
        shares = {str(row["area"]): _percent(row["share"]) for row in self.areas}
        names = {area: f"{words} {shares[area]}" for area, words in LEGEND.items()}
        named = [{"area": area, "is": words} for area, words in names.items()]
        colours = [look.in_place, look.grey, look.early, look.ground]
        legend = {
            "orient": "bottom",
            "title": None,
            "symbolType": "square",
            "symbolStrokeColor": look.grey,
            "symbolStrokeWidth": 0.5,
            "symbolOpacity": _shade(look),
            "symbolSize": 12 * look.font_size,
            "columns": 4 if space.width > 40 * look.font_size else 2,
        }
        lookup = {"lookup": "area", "from": {"data": {"values": named}, "key": "area", "fields": ["is"]}}
        return layer(
            mark_spec("rect", opacity=_shade(look), aria=False),
            "quadrants",
            [lookup],
            x=quantitative("left"),
            x2="right",
            y=quantitative("bottom"),
            y2="top",
            **by_kind("is", [*names.values()], legend, color=colours),
            tooltip=["quadrant", quantitative("points"), *digits("share", form=".1%")],
        )

    def _cut_lines(self, space: Space) -> list[Spec]:
        rule = mark_spec("rule", color=space.look.grey, strokeWidth=0.5, strokeDash=[3, 2], aria=False)
        return [
            layer(rule, [{"at": cut} for cut in dict.fromkeys(cuts)], **{axis: quantitative("at")})
            for axis, cuts in (("x", EFFORT_CUTS.tolist()), ("y", self.cuts))
        ]

    def _points(self, space: Space) -> Spec:
        shown = {
            "test": {"and": [{"param": "brush"}, f"run_shown === '{ALL_RUNS}' || datum.run === run_shown"]},
            "value": 0.35 if len(self.points) > 1000 else 0.6,
        }
        size = float(np.clip(30000 / len(self.points), 4, 30)) * (space.width / 453)
        point = mark_spec("circle", size=round(size, 1), opacity=1, aria=False, color=space.look.colours[0])
        effort = quantitative(
            "effort",
            title=f"{self.effort} (the lower, the more effort)",
            scale={"domain": [0, 1], "nice": False},
            axis={"values": [0, 0.25, 0.5, 0.75, 1], "format": ".2~f", "grid": False},
        )
        gain = quantitative(
            "gain",
            title=f"{self.measure} (gain)",
            scale={"domain": [self._bottom, self._top], "nice": False},
            axis={"grid": False},
        )
        measures = {"effort": self.effort, "gain": self.measure}
        values = [quantitative(field, format=".4f", title=measure) for field, measure in measures.items()]
        # Not opacity, which makes PDF files five times as large: each point a drawing of its own.
        paler = {"condition": shown, "value": 0.03}
        points = layer(point, x=effort, y=gain, fillOpacity=paler, tooltip=["run", "topic", *values, "quadrant"])
        return {"params": [{"name": "brush", "select": {"type": "interval", "encodings": ["x", "y"]}}], **points}

    def _shares(self, space: Space) -> Spec:
        text = mark_spec("text", color=space.look.ink, aria=False)
        return layer(text, self._free_corners(space), x=quantitative("x"), y=quantitative("y"), text="share")

    def _free_corners(self, space: Space) -> list[Spec]:
        """Where shares are written: the middle of the text, for each quadrant that has a free corner."""
        size = space.look.font_size
        # Axes, names and legend take some of the space, so text takes more of what is left.
        across = 1.2 * LETTERS * WIDTH_OF_LETTER * size / max(1, space.width - 10 * size)
        down = 1.25 * size * self._gain_in_a_point(space)
        x, y = (np.array(self.points.columns[axis], dtype=np.float64) for axis in ("effort", "gain"))
        free: list[Spec] = []
        for row in self.quadrants:
            left, right, bottom, top = (float(row[edge] or 0) for edge in ("left", "right", "bottom", "top"))
            if top - bottom < down or not row["points"]:
                continue
            corners = [
                (at_x, at_y)
                for at_y in (top - 0.55 * down, bottom + 0.55 * down)
                for at_x in (left + 0.6 * across, right - 0.6 * across)
            ]
            hidden = [
                int(((np.abs(x - at_x) < across / 2) & (np.abs(y - at_y) < down / 2)).sum()) for at_x, at_y in corners
            ]
            best = int(np.argmin(hidden))
            if hidden[best] <= HIDDEN:
                free.append({"x": corners[best][0], "y": corners[best][1], "share": _percent(row["share"])})
        return free

    def _names(self, space: Space) -> list[Spec]:
        """The columns above, the rows at the right: the words effort and gain with them where there is room."""
        size = space.look.font_size
        wide = space.width / 4 > 16 * WIDTH_OF_LETTER * size
        columns = [
            {"at": (place + 0.5) / 4, "is": f"{name} effort" if wide else name} for place, name in enumerate(EFFORTS)
        ]
        edges = [self._bottom, *self.cuts, self._top]
        middles = [(low + high) / 2 for low, high in pairwise(edges)]
        step = 1.2 * size * self._gain_in_a_point(space)
        rows = [
            {"at": at, "is": f"{name} gain" if wide else name}
            for at, name in zip(apart(middles, step, self._bottom, self._top), GAINS, strict=True)
        ]
        text = mark_spec("text", color=space.look.ink, aria=False)
        above = {**text, "baseline": "bottom", "dy": -0.4 * size}
        at_right = {**text, "align": "left", "baseline": "middle", "dx": 0.5 * size}
        right = {"datum": 1, "type": "quantitative"}
        return [
            layer(above, columns, x=quantitative("at"), y=0, text="is"),
            layer(at_right, rows, x=right, y=quantitative("at"), text="is"),
        ]


def effort_gain_figure(
    study: EffortGain, gain: str | Measure | None = None, *, bind_runs: bool = True
) -> EffortGainFigure:
    """Draw what a gain costs in effort, in sixteen quadrants.

    Each ranking is a point, its Twist against a measure of gain. As a page (.html) points can be brushed, and one run
    shown alone.

    Parameters
    ----------
    study : EffortGain
        Result of `effort_gain`.
    gain : str or Measure, optional
        Measure of gain, the first of the study unless one is named.
    bind_runs : bool
        Add a list of runs to choose from, on a page.

    Returns
    -------
    EffortGainFigure
        The points.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take.

    Command line
    ------------
        rankscale figure effort-gain qrels.txt runs/*.gz -o effort.html
        rankscale figure effort-gain qrels.txt runs/*.gz -m 'RBP(p=0.8)' -o effort.pdf --width 84mm
        rankscale figure effort-gain qrels.txt runs/*.gz --effort Twist@100 -o effort.svg
    """
    plot = _plot_of(study, gain)
    runs, topics = study.evaluation.runs, study.evaluation.topics
    quadrants = [row for row in study.table("quadrants") if row["measure"] == str(plot.measure)]
    names = {(row["row"], row["column"]): row["quadrant"] for row in quadrants}
    points = Table(
        {
            "run": [runs[place] for place in plot.run.tolist()],
            "topic": [topics[place] for place in plot.topic.tolist()],
            "effort": plot.effort.tolist(),
            "gain": plot.gain.tolist(),
            "quadrant": [
                names[GAINS[row], EFFORTS[column]]
                for row, column in zip(plot.row.tolist(), plot.column.tolist(), strict=True)
            ],
        }
    )
    areas = [row for row in study.table("areas") if row["measure"] == str(plot.measure)]
    return EffortGainFigure(
        measure=str(plot.measure),
        effort=str(study.effort),
        points=points,
        quadrants=_with_edges(quadrants, plot),
        areas=Table.of(("area", "points", "share"), [(row["area"], row["points"], row["share"]) for row in areas]),
        cuts=tuple(plot.cuts.tolist()),
        runs=tuple(runs[place] for place in np.unique(plot.run).tolist()),
        bind_runs=bind_runs,
    )


def _plot_of(study: EffortGain, gain: str | Measure | None) -> Plot:
    if gain is None:
        return study.plots[0]
    by_name = {str(plot.measure): plot for plot in study.plots}
    if str(gain) not in by_name:
        raise UnknownNameError("measure of gain", str(gain), by_name, f"the study has {', '.join(by_name)}")
    return by_name[str(gain)]


def _with_edges(quadrants: list[dict[str, str | int | float | None]], plot: Plot) -> Table:
    """The quadrants with their four edges; the lowest row starts at 0, and the highest ends at 1 if gains do."""
    columns = [0.0, *EFFORT_CUTS.tolist(), 1.0]
    lowest, highest = min(0.0, float(plot.gain.min())), float(plot.gain.max())
    top = 1.0 if 0.8 < highest <= 1 else highest + 0.02 * (highest - lowest)
    rows = [lowest, *plot.cuts.tolist(), top]
    places = [(GAINS.index(str(row["row"])), EFFORTS.index(str(row["column"]))) for row in quadrants]
    return Table(
        {
            **{name: [row[name] for row in quadrants] for name in ("quadrant", "area", "points", "share")},
            "left": [columns[column] for _, column in places],
            "right": [columns[column + 1] for _, column in places],
            "bottom": [rows[row] for row, _ in places],
            "top": [rows[row + 1] for row, _ in places],
        }
    )


def _shade(look: Look) -> float:
    return 0.2 if look.dark else 0.14


def _percent(share: object) -> str:
    """A share for people.

    >>> _percent(0.123), _percent(0.004), _percent(0)
    ('12%', '<1%', '0%')
    """
    value = float(share) if isinstance(share, int | float) else 0.0
    return "<1%" if 0 < value < 0.01 else f"{value:.0%}"


COMMAND = Declaration(
    effort_gain_figure,
    source="study",
    study="effort-gain",
    study_options=("effort",),
    measure="AP",
    without=("gain", "bind_runs"),
    shared=("collections", "missing", "judging", "reading"),
)
