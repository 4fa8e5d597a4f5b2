"""The drawing of effort against gain: points on shaded quadrants, shares, names of rows and columns, insets."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

import numpy as np

from rankscale.data.table import Cell, Table
from rankscale.figures.base.crp_plots import curves_layer, few_ranks, small_crp_plot
from rankscale.figures.base.figure import WIDTH_OF_LETTER, Figure, Space, Spec, number
from rankscale.figures.base.labels import apart, short_labels, width_of
from rankscale.figures.base.look import TEXT_WIDTH, Appearance
from rankscale.figures.base.relative_positions import IDEAL_DASH
from rankscale.figures.base.vega import by_kind, digits, heading, layer, mark_spec, plot, quantitative
from rankscale.studies.effort_gain.quadrants import AREAS, EFFORT_CUTS, EFFORTS, GAINS

ALL_RUNS = "all runs"  # what `run_shown` says where no run is chosen
LEGEND = {"diagonal": "diagonal", "gray": "gray area", "high-high": "high-high", "below": "below"}  # by area
HALO = 0.7  # opacity of the ground under a share
QUARTERS = (0.25, 0.5, 0.75)
EMPTY = Table({})
MOST_INSETS = 4
IN_A_ROW = 45.0  # heights of type that a figure is wide for all insets to stand in a row
BETWEEN_INSETS = 4.0  # heights of type from one inset to the next
HIGHEST_INSET = 8.0  # heights of type of one of the two plots of an inset
INSET_CURVES = {"ideal_DCG": IDEAL_DASH, "DCG": (1, 0)}


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
    cuts: tuple[float, ...]  # between rows
    runs: tuple[str, ...]
    bind_runs: bool  # whether the page has a list of runs to choose from
    quantiles: bool = False  # whether rows of gain are equally high
    insets: Table = EMPTY  # number, run, topic, effort, gain, quadrant, height, recall_base, balance_point ...
    curves: Mapping[str, Table] = field(default_factory=dict)  # by name: rank, CRP; or rank, DCG, ideal_DCG
    dcg: str = ""  # the DCG of these curves, with its parameters

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
        if not self.curves:
            return ""
        gains = [number(gain) for gain in self.insets.columns["gain"]]
        return (
            f"Below: CRP and {self.dcg} of rankings with {self.measure} near {np.mean(gains):.2f} and different effort"
        )

    def data(self) -> dict[str, Table]:
        """The points; the quadrants behind them; with insets, these and their curves."""
        insets = {"insets": self.insets, **self.curves} if self.curves else {}
        return {"points": self.points, "quadrants": self.quadrants, **insets}

    def draw(self, space: Space) -> Spec:
        """Shaded quadrants, the points on them, shares and names of rows and columns around."""
        if not self.curves:
            return self._plot(space)
        main = Space(space.look, space.width, max(60.0, 0.6 * space.height if space.look.height else space.height))
        drawn = dict(self._plot(main))
        return {
            "params": drawn.pop("params"),  # those that no mark selects can be nowhere else
            "vconcat": [drawn, inset_plots(self.insets, self.curves, (self.effort, self.dcg), space)],
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

    @property
    def _top(self) -> float:
        return max(float(row["top"] or 0) for row in self.quadrants)

    @property
    def _bottom(self) -> float:
        return min(float(row["bottom"] or 0) for row in self.quadrants)

    @property
    def _row_cuts(self) -> Sequence[float]:
        """Where rows meet, on the axis of gain."""
        return QUARTERS if self.quantiles else self.cuts

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
            for axis, cuts in (("x", EFFORT_CUTS.tolist()), ("y", self._row_cuts))
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
            scale={"domain": [self._bottom, self._top], "nice": False},
            axis={"grid": False, **(self._quartile_labels() if self.quantiles else {})},
        )
        measures = {"effort": self.effort, "gain": self.measure}
        values = [quantitative(field, format=".4f", title=measure) for field, measure in measures.items()]
        # Not opacity, which makes PDF files five times as large: each point a drawing of its own.
        paler = {"condition": shown, "value": 0.03}
        points = layer(point, x=effort, y=gain, fillOpacity=paler, tooltip=["run", "topic", *values, "quadrant"])
        return {"params": [{"name": "brush", "select": {"type": "interval", "encodings": ["x", "y"]}}], **points}

    def _quartile_labels(self) -> Spec:
        """Where rows of gain meet, the gain there."""
        gains = [number(gain) for gain in self.points.columns["gain"]]
        ends = {0.0: min(gains), **dict(zip(QUARTERS, self.cuts, strict=True)), 1.0: max(gains)}
        texts = json.dumps({f"{place:g}": f"{gain:.3g}" for place, gain in ends.items()})
        return {"values": list(ends), "labelExpr": f"({texts})[datum.value]", "labelOverlap": False}

    def _shares(self, space: Space) -> list[Spec]:
        """The share of each quadrant that has points, in a corner, on ground that lets points shine through.

        Where rows are lower than a line of text, shares of a column move apart.
        """
        size = space.look.font_size
        step = 1.25 * size * self._gain_in_a_point(space)
        rows = sorted({(number(row["bottom"]), number(row["top"])) for row in self.quadrants})
        wanted = [top - 0.6 * step for _, top in rows]
        at = dict(
            zip([bottom for bottom, _ in rows], apart(wanted, step, self._bottom + 0.5 * step, self._top), strict=True)
        )
        # Axis and names take some of the width of a single plot, so text takes more of what is left.
        across, half = size / max(1.0, space.width - (0 if self.curves else 10 * size)), 0.46 * step
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
        if not self.curves:
            return []
        look, size, field = space.look, space.look.font_size, "height" if self.quantiles else "gain"
        tops = {str(row["quadrant"]): number(row["top"]) for row in self.quadrants}
        needed = 3.2 * size * self._gain_in_a_point(space)  # for the share and the number
        rows: list[Spec] = [
            {"effort": row["effort"], "gain": row[field], "number": row["number"], "up": room > needed}
            for row in self.insets
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
        edges = [self._bottom, *self._row_cuts, self._top]
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


def _shade(look: Appearance) -> float:
    return 0.2 if look.dark else 0.14


def _percent(share: object) -> str:
    """A share for people.

    >>> _percent(0.123), _percent(0.004), _percent(0)
    ('12%', '<1%', '0%')
    """
    value = float(share) if isinstance(share, int | float) else 0.0
    return "<1%" if 0 < value < 0.01 else f"{value:.0%}"


def inset_plots(insets: Table, curves: Mapping[str, Table], measures: tuple[str, str], space: Space) -> Spec:
    """All insets, CRP above DCG, side by side where they have room; `measures` are that of effort and the DCG."""
    effort, dcg = measures
    size, whole = space.look.font_size, space.look.width or max(space.width, TEXT_WIDTH)
    columns = min(len(insets), MOST_INSETS if whole > IN_A_ROW * size else 2)
    width = (space.width - (columns - 1) * BETWEEN_INSETS * size) / columns
    each = Space(space.look, width, min(0.6 * width, HIGHEST_INSET * size))
    rows = list(insets)
    plots: list[Spec] = []
    for start in range(0, len(rows), columns):
        here = rows[start : start + columns]
        plots += [_crp_inset(row, curves, effort, each, first=place == 0) for place, row in enumerate(here)]
        below = "rank" if start + columns >= len(rows) else None
        titles = [(below, dcg if place == 0 else None) for place in range(len(here))]
        plots += [_dcg_inset(row, curves, each, *both) for row, both in zip(here, titles, strict=True)]
    return {
        "concat": plots,
        "columns": columns,
        "bounds": "flush",  # so that plots stand in line, whatever their labels; these have the room between plots
        "spacing": {"row": 4.8 * size, "column": BETWEEN_INSETS * size},
        "resolve": {"scale": dict.fromkeys(("x", "y", "color", "strokeDash"), "independent")},
    }


def _crp_inset(row: Mapping[str, Cell], curves: Mapping[str, Table], effort: str, space: Space, *, first: bool) -> Spec:
    """CRP of a ranking under a heading: its number and effort, whose it is."""
    look, size, name = space.look, space.look.font_size, f"crp{row['number']}"
    topic, run = f", {row['topic']}", str(row["run"])
    label = short_labels([run], space.width / (0.9 * size) + 2 - width_of(topic))[run]
    under = {"subtitle": f"{label}{topic}", "subtitleFontSize": 0.9 * size, "subtitleColor": look.grey}
    words = f"{row['number']}: {effort} {number(row['effort']):.2f}"
    title = heading(words, look, space.width + 2 * size, 0.4, frame="group", **under)
    sides = (space.width, space.height)
    return {"title": title, **small_crp_plot(name, curves[name], row, space, sides, (first, False))}


def _dcg_inset(
    row: Mapping[str, Cell], curves: Mapping[str, Table], space: Space, across: str | None, up: str | None
) -> Spec:
    """DCG of a ranking, and of the ideal one; with titles of axes where they have one."""
    name = f"dcg{row['number']}"
    last = int(number(curves[name].columns["rank"][-1]))
    value = quantitative("value", title=up, axis={"tickCount": 3, "grid": False})
    x = few_ranks(last, across)
    return plot([curves_layer(INSET_CURVES, space.look, value)], space.width, space.height, name, x=x)
