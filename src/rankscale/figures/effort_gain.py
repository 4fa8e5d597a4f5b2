"""Effort against gain: each ranking a point on a grid of sixteen quadrants (the Twist paper, Figs. 7-10).

Insets are rankings of one gain, CRP above DCG (Fig. 11): they may ask very different effort of their reader, which CRP
shows and DCG does not.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Annotated, ClassVar, Unpack

import numpy as np

from rankscale.data.arguments import AtLeast, Declaration
from rankscale.data.arrays import Floats
from rankscale.data.table import Table
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.options import RankingOptions
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Figure, Space, Spec, number, numbers
from rankscale.figures.base.labels import apart, width_of
from rankscale.figures.base.vega import by_kind, digits, layer, mark_spec, plot, quantitative
from rankscale.figures.effort_insets import MOST_INSETS, Insets, of_one_gain, read_insets
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.studies.effort_gain import EffortGain
from rankscale.studies.effort_gain.quadrants import AREAS, EFFORT_CUTS, EFFORTS, GAINS, EffortPoints

ALL_RUNS = "all runs"  # what `run_shown` says where no run is chosen
LEGEND = {"diagonal": "diagonal", "gray": "gray area", "high-high": "high-high", "below": "below"}  # by area
HALO = 0.7  # opacity of the ground under a share
QUARTERS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, repr=False)
class EffortGainFigure(Figure):
    """Points of one measure of gain, in their quadrants, each with its share of the points in its upper left corner.

    By quantiles the rows of gain are equally high, and points stand in each by their order. Insets are CRP and DCG of
    rankings of nearly one gain, from the most effort to the least.
    """

    name: ClassVar[str] = "effort-gain"
    ratio: ClassVar[float] = 0.7

    measure: str
    effort: str
    points: Table  # run, topic, effort, gain, quadrant; and by quantiles the order within the row of gain, height
    quadrants: Table  # quadrant, area, their edges, points, share
    areas: Table  # area, points, share
    cuts: tuple[float, ...]  # gains between rows
    edges: tuple[float, ...]  # of rows on the axis of gain, the lowest first
    runs: tuple[str, ...]
    bind_runs: bool  # whether the page has a list of runs to choose from
    quantiles: bool = False  # whether rows of gain are equally high
    insets: Insets | None = None

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
            f"Points of {len(self.runs)} runs, one for each topic: across {self.effort}, from huge to low effort (1 is "
            f"none wasted), up {self.measure}, in quarters from low to huge gain, cut at "
            f"{', '.join(f'{cut:.4f}' for cut in self.cuts)}. Of all points {'; '.join(shares)}. The quadrant with the "
            f"most points, {_percent(largest['share'])}, is {largest['quadrant']}."
        )

    @property
    def subtitle(self) -> str:
        """What the insets are, if there are any."""
        if self.insets is None:
            return ""
        gain = np.mean(numbers(self.insets.rankings, "gain"))
        return f"Below: CRP and {self.insets.dcg} of rankings with {self.measure} near {gain:.2f} and different effort"

    def data(self) -> dict[str, Table]:
        """The points; the quadrants behind them; with insets, these and their curves."""
        insets = {} if self.insets is None else {"insets": self.insets.rankings, **self.insets.curves}
        return {"points": self.points, "quadrants": self.quadrants, **insets}

    def draw(self, space: Space) -> Spec:
        """Shaded quadrants, the points on them, shares and names of rows and columns around."""
        if self.insets is None:
            return self._plot(space)
        main = Space(space.look, space.width, max(60.0, 0.6 * space.height if space.look.height else space.height))
        drawn = dict(self._plot(main))
        return {
            "params": drawn.pop("params"),  # those that no mark selects can be nowhere else
            "vconcat": [drawn, self.insets.plot(space)],
            "spacing": 2 * space.look.font_size,
            "resolve": {"scale": {"x": "independent", "y": "independent", "color": "independent"}},
        }

    def _plot(self, space: Space) -> Spec:
        """The effort/gain plot."""
        choice = {"bind": {"input": "select", "options": [ALL_RUNS, *self.runs], "name": "run "}}
        run_shown = {"name": "run_shown", "value": ALL_RUNS, **(choice if self.bind_runs else {})}
        layers = [
            self._shading(space),
            *self._cut_lines(space),
            self._points(space),
            *self._shares(space),
            *self._numbers(space),
            *self._names(space),
        ]
        drawn = plot(layers, space.width, space.height, "points")
        return {**drawn, "params": [run_shown], "resolve": {"scale": {"color": "independent"}}}

    def _gain_in_a_point(self, space: Space) -> float:
        """Of the plot's height; axis, names and legend take some of a height that is requested."""
        taken = 8 * space.look.font_size if space.look.height else 0
        return (self.edges[-1] - self.edges[0]) / max(1, space.height - taken)

    def _shading(self, space: Space) -> Spec:
        """The areas in light colours, which the legend names with their shares."""
        look, shade = space.look, 0.2 if space.look.dark else 0.14
        shares = {str(row["area"]): _percent(row["share"]) for row in self.areas}
        names = [f"{words} {shares[area]}" for area, words in LEGEND.items()]
        named = [{"area": area, "is": words} for area, words in zip(LEGEND, names, strict=True)]
        colours = [look.in_place, look.grey, look.early, look.ground]
        legend = {
            "orient": "bottom",
            "title": None,
            "symbolType": "square",
            "symbolStrokeColor": look.grey,
            "symbolStrokeWidth": 0.5,
            "symbolOpacity": shade,
            "symbolSize": 12 * look.font_size,
            "columns": 4 if space.width > 40 * look.font_size else 2,
        }
        lookup = {"lookup": "area", "from": {"data": {"values": named}, "key": "area", "fields": ["is"]}}
        return layer(
            mark_spec("rect", opacity=shade, aria=False),
            "quadrants",
            [lookup],
            x=quantitative("left"),
            x2="right",
            y=quantitative("bottom"),
            y2="top",
            **by_kind("is", names, legend, color=colours),
            tooltip=["quadrant", quantitative("points"), *digits("share", form=".1%")],
        )

    def _cut_lines(self, space: Space) -> list[Spec]:
        rule = mark_spec("rule", color=space.look.grey, strokeWidth=0.5, strokeDash=[3, 2], aria=False)
        return [
            layer(rule, [{"at": cut} for cut in dict.fromkeys(cuts)], **{axis: quantitative("at")})
            for axis, cuts in (("x", EFFORT_CUTS.tolist()), ("y", self.edges[1:-1]))
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
            title=f"{self.effort} (1 = no wasted effort)",
            scale={"domain": [0, 1], "nice": False},
            axis={"values": [0, 0.25, 0.5, 0.75, 1], "format": ".2~f", "grid": False},
        )
        gain = quantitative(
            "height" if self.quantiles else "gain",
            title=f"{self.measure} (gain{', in quarters' if self.quantiles else ''})",
            scale={"domain": [self.edges[0], self.edges[-1]], "nice": False},
            axis={"grid": False, **(self._quartile_labels() if self.quantiles else {})},
        )
        own = (("effort", self.effort), ("gain", self.measure))
        values = [quantitative(field, format=".4f", title=measure) for field, measure in own]
        # Not opacity, which makes PDF files five times as large: each point a drawing of its own.
        paler = {"condition": shown, "value": 0.03}
        points = layer(point, x=effort, y=gain, fillOpacity=paler, tooltip=["run", "topic", *values, "quadrant"])
        return {"params": [{"name": "brush", "select": {"type": "interval", "encodings": ["x", "y"]}}], **points}

    def _quartile_labels(self) -> Spec:
        """Where rows of gain meet, the gain there."""
        gains = numbers(self.points, "gain")
        ends = {0.0: min(gains), **dict(zip(QUARTERS, self.cuts, strict=True)), 1.0: max(gains)}
        texts = json.dumps({f"{place:g}": f"{gain:.3g}" for place, gain in ends.items()})
        return {"values": list(ends), "labelExpr": f"({texts})[datum.value]", "labelOverlap": False}

    def _shares(self, space: Space) -> list[Spec]:
        """The share of each quadrant that has points, in a corner, on ground that lets points shine through.

        Where rows are lower than a line of text, shares of a column move apart.
        """
        size = space.look.font_size
        step = 1.25 * size * self._gain_in_a_point(space)
        rows = sorted(set(pairwise(self.edges)))
        wanted = [top - 0.6 * step for _, top in rows]
        moved = apart(wanted, step, self.edges[0] + 0.5 * step, self.edges[-1])
        at = {bottom: middle for (bottom, _), middle in zip(rows, moved, strict=True)}
        # Axis and names take some of the width of a single plot, so text takes more of what is left.
        across, half = size / max(1.0, space.width - (0 if self.insets else 10 * size)), 0.46 * step
        texts: list[Spec] = []
        for row in self.quadrants:
            if row["points"]:
                middle, wide = at[number(row["bottom"])], (width_of(_percent(row["share"])) + 0.5) * across
                left = number(row["left"]) + 0.25 * across
                place = {"left": left, "right": left + wide, "at": middle, "low": middle - half, "high": middle + half}
                texts.append({**place, "share": _percent(row["share"])})
        ground = mark_spec("rect", color=space.look.ground, opacity=HALO, cornerRadius=0.25 * size, aria=False)
        text = mark_spec("text", align="left", baseline="middle", dx=0.25 * size, color=space.look.ink, aria=False)
        start = quantitative("left")
        return [
            layer(ground, texts, x=start, x2="right", y=quantitative("low"), y2="high"),
            layer(text, texts, x=start, y=quantitative("at"), text="share"),
        ]

    def _numbers(self, space: Space) -> list[Spec]:
        """Rings around the points of insets, with their numbers above them, or below where shares are in the way."""
        if self.insets is None:
            return []
        look, size, field = space.look, space.look.font_size, "height" if self.quantiles else "gain"
        tops = {str(row["quadrant"]): number(row["top"]) for row in self.quadrants}
        needed = 3.2 * size * self._gain_in_a_point(space)  # for the share and the number
        rows: list[Spec] = [
            {"effort": row["effort"], "gain": row[field], "number": row["number"], "up": room > needed}
            for row in self.insets.rankings
            for room in [tops[str(row["quadrant"])] - number(row[field])]
        ]
        place = {"x": quantitative("effort"), "y": quantitative("gain")}
        ring = mark_spec("point", filled=False, opacity=1, size=0.8 * size**2, strokeWidth=0.2 * size, aria=False)
        text = mark_spec("text", baseline="middle", fontWeight="bold", color=look.ink, aria=False)
        layers = [layer({**ring, "color": look.ink}, rows, **place)]
        for up, dy in ((True, -1.1 * size), (False, 1.1 * size)):
            there = [row for row in rows if row["up"] == up]
            layers += [layer({**text, "dy": dy}, there, **place, text="number")] if there else []
        return layers

    def _names(self, space: Space) -> list[Spec]:
        """The columns above, the rows at the right: the words effort and gain with them where there is room."""
        size = space.look.font_size
        wide = space.width / 4 > 16 * WIDTH_OF_LETTER * size
        # Where columns are narrow, those at the ends say of what they are.
        columns = [
            {"at": (place + 0.5) / 4, "is": f"{name} effort" if wide or place in {0, 3} else name}
            for place, name in enumerate(EFFORTS)
        ]
        middles = [(low + high) / 2 for low, high in pairwise(self.edges)]
        step = 1.2 * size * self._gain_in_a_point(space)
        rows = [
            {"at": at, "is": f"{name} gain" if wide else name}
            for at, name in zip(apart(middles, step, self.edges[0], self.edges[-1]), GAINS, strict=True)
        ]
        text = mark_spec("text", color=space.look.ink, aria=False)
        above = {**text, "baseline": "bottom", "dy": -0.4 * size}
        at_right = {**text, "align": "left", "baseline": "middle", "dx": 0.5 * size}
        right = {"datum": 1, "type": "quantitative"}
        return [
            layer(above, columns, x=quantitative("at"), y=0, text="is"),
            layer(at_right, rows, x=right, y=quantitative("at"), text="is"),
        ]


def _percent(share: object) -> str:
    """A share for people.

    >>> _percent(0.123), _percent(0.004), _percent(0)
    ('12%', '<1%', '0%')
    """
    value = float(share) if isinstance(share, int | float) else 0.0
    return "<1%" if 0 < value < 0.01 else f"{value:.0%}"


def effort_gain_figure(
    study: EffortGain,
    gain: str | Measure | None = None,
    *,
    quantiles: bool = False,
    insets: Annotated[int, AtLeast(0, MOST_INSETS)] = 0,
    qrels: QrelsLike | None = None,
    runs: RunsLike | None = None,
    bind_runs: bool = True,
    **options: Unpack[RankingOptions],
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
    quantiles : bool
        Make rows of gain equally high: points stand in them by their order, and low gains are seen as well as high.
    insets : int
        Add CRP and DCG of N rankings of nearly one gain, from the most effort to the least, at most 4.
    qrels : qrels, optional
        Judgments, for insets: a file, a dict, a frame, or what `read_qrels` returns.
    runs : runs, optional
        Rankings, for insets: files, dicts, frames, or what `read_runs` returns.
    bind_runs : bool
        Add a list of runs to choose from, on a page.
    **options
        Keywords on reading and judging, for insets, as `evaluate` explains them: judged_only, grades, negative, order,
        max_size, threads.

    Returns
    -------
    EffortGainFigure
        The points.

    Raises
    ------
    ParameterError
        If insets are requested, and qrels and runs are not given.

    Command line
    ------------
        rankscale figure effort-gain qrels.txt runs/*.gz -o effort.html
        rankscale figure effort-gain qrels.txt runs/*.gz -m 'RBP(p=0.8)' --quantiles -o effort.pdf --width 84mm
        rankscale figure effort-gain qrels.txt runs/*.gz --effort Twist@100 --insets 4 -o effort.svg
    """
    if not 0 <= insets <= MOST_INSETS:
        raise ParameterError(f"there is room for {MOST_INSETS} insets, got {insets}")
    if insets and (qrels is None or runs is None):
        raise ParameterError("insets show rankings, which a study does not have: give qrels and runs, too")
    plot = _plot_of(study, gain)
    tables = replace(study, area=None).tables()
    quadrants, areas, every = (
        Table.from_rows([row for row in tables[name] if row["measure"] == str(plot.measure)])
        for name in ("quadrants", "areas", "points")
    )
    columns = {name: every.columns[name] for name in ("run", "topic", "effort", "gain", "quadrant")}
    points = Table({**columns, **({"height": _heights(plot).tolist()} if quantiles else {})})
    drawn = None
    if insets and qrels is not None and runs is not None:
        chosen = of_one_gain(points, insets, plot.cuts.tolist())
        drawn = read_insets(chosen, study.effort, plot.measure, qrels, runs, **options)
    edges = (0.0, *QUARTERS, 1.0) if quantiles else _edges(plot)
    return EffortGainFigure(
        measure=str(plot.measure),
        effort=str(study.effort),
        points=points,
        quadrants=_with_edges(quadrants, edges),
        areas=areas,
        cuts=tuple(plot.cuts.tolist()),
        edges=edges,
        runs=tuple(study.evaluation.runs[place] for place in np.unique(plot.run).tolist()),
        bind_runs=bind_runs,
        quantiles=quantiles,
        insets=drawn,
    )


def _heights(plot: EffortPoints) -> Floats:
    """(point,): from 0 to 1, a quarter for each row of gain, by order within it; equal gains stand equally high."""
    from scipy.stats import rankdata

    heights = np.zeros(len(plot.gain))
    for row in range(len(GAINS)):
        own = plot.row == row
        if own.any():
            heights[own] = (row + (rankdata(plot.gain[own]) - 0.5) / own.sum()) / len(GAINS)
    return heights


def _plot_of(study: EffortGain, gain: str | Measure | None) -> EffortPoints:
    if gain is None:
        return study.plots[0]
    by_name = {str(plot.measure): plot for plot in study.plots}
    if str(gain) not in by_name:
        raise UnknownNameError("measure of gain", str(gain), by_name, f"the study has {', '.join(by_name)}")
    return by_name[str(gain)]


def _edges(plot: EffortPoints) -> tuple[float, ...]:
    """Edges of the rows of gain, from 0 or the lowest gain to 1, or a little above the highest where 1 is far off."""
    lowest, highest = min(0.0, float(plot.gain.min())), float(plot.gain.max())
    top = 1.0 if 0.8 < highest <= 1 else highest + 0.02 * (highest - lowest)
    return lowest, *plot.cuts.tolist(), top


def _with_edges(quadrants: Table, rows: Sequence[float]) -> Table:
    """The quadrants with their four edges."""
    columns = [0.0, *EFFORT_CUTS.tolist(), 1.0]
    row_places = [GAINS.index(str(row)) for row in quadrants.columns["row"]]
    column_places = [EFFORTS.index(str(column)) for column in quadrants.columns["column"]]
    return Table(
        {
            **{name: quadrants.columns[name] for name in ("quadrant", "area", "points", "share")},
            "left": [columns[place] for place in column_places],
            "right": [columns[place + 1] for place in column_places],
            "bottom": [rows[place] for place in row_places],
            "top": [rows[place + 1] for place in row_places],
        }
    )


COMMAND = Declaration(
    effort_gain_figure,
    source="study",
    study="effort-gain",
    study_options=("effort",),
    measure="AP",
    without=("gain", "bind_runs", "qrels", "runs"),
    shared=("collections", "missing", "judging", "reading"),
)
