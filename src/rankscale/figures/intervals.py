"""Means of measures against means of their interval versions, run by run: what becomes of the order of runs."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.declared import Declaration
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Figure, Space, Spec
from rankscale.figures.base.lines import line_legend
from rankscale.figures.base.name_placement import SMALLER, Name, Panel, place_names
from rankscale.figures.base.panels import Grid, grid
from rankscale.figures.base.vega import (
    by_kind,
    heading,
    hover,
    layer,
    mark_spec,
    nominal,
    only,
    plot,
    quantitative,
    subtitle,
)
from rankscale.scales.notes import SURROGATE
from rankscale.stats.correlation.kendall import MEAN_DIGITS
from rankscale.studies.intervals import WITH_INTERVAL_VERSIONS, Intervals, Pair
from rankscale.studies.support.interval_versions import NORMALISED_DIGITS

MOST_MEASURES = 12
MOST_LABELS = 5  # in a panel
NARROWEST = 14.0  # heights of letters that a panel must have across, with its axis
MOVES = ("gains places", "loses places", "keeps its place")  # on the interval scale
EDGE = 0.06  # of an axis, beyond the outermost means


@dataclass(frozen=True, repr=False)
class IntervalsFigure(Figure):
    """One panel for each measure, one mark for each run: before against after."""

    name: ClassVar[str] = "intervals"
    ratio: ClassVar[float] = 0.42
    panel_width: ClassVar[float] = 18.0

    runs: Table  # measure, run, mean, interval_mean, place, interval_place, moved
    measures: Table  # measure, tau, topics, surrogate
    places: bool  # whether places are drawn rather than means

    @property
    def title(self) -> str:
        """What stands against what."""
        drawn = "Places of runs by measures and by" if self.places else "Means of measures and of"
        return f"{drawn} their interval versions"

    @property
    def description(self) -> str:
        """Tau of each measure, and the run that moves furthest."""
        measures = []
        for row in self.measures:
            runs = [run for run in self.runs if run["measure"] == row["measure"]]
            far = max(runs, key=_shift)
            moves = (
                f"{far['run']} moves furthest, from place {far['place']:g} to {far['interval_place']:g}"
                if _shift(far)
                else "no run changes its place"
            )
            measures.append(f"{row['measure']}: tau {_number(row['tau'])}, {moves}.")
        mixing = [str(row["measure"]) for row in self.measures if row["surrogate"]]
        mixed = f" {', '.join(mixing)}: {SURROGATE}." if mixing else ""
        return f"Scatter of {len(runs)} runs, {self.title[0].lower()}{self.title[1:]}. {' '.join(measures)}{mixed}"

    def draw(self, space: Space) -> Spec:
        """Panels in rows; runs that change their place most are named, as many as have room."""
        panels = grid(len(self.measures), space, NARROWEST)
        pointed = hover("run", "run", views=[f"panel{place}" for place in range(panels.count)])
        plots = [self._panel(place, fact, panels, space) for place, fact in enumerate(self.measures)]
        return panels.spec(plots, params=[pointed])

    def _panel(self, place: int, fact: dict[str, Cell], panels: Grid, space: Space) -> Spec:
        look, size, measure = space.look, space.look.font_size, str(fact["measure"])
        sides = (panels.width, panels.height(max(round(0.9 * panels.width), 80)))
        runs = [row for row in self.runs if row["measure"] == measure]
        fields = ("place", "interval_place") if self.places else ("mean", "interval_mean")
        words = (
            ("place by the measure", "place, interval version") if self.places else ("mean", "mean, interval version")
        )
        titled = (panels.lowest(place), panels.left(place))
        reach = [self._domain([float(row[name] or 0) for row in runs]) for name in fields]
        ticks = [max(2, round(side / (3.5 * size))) for side in sides]
        x, y = (
            quantitative(
                name,
                title=words[axis] if titled[axis] else None,
                scale={"domain": sorted(reach[axis]), "reverse": self.places, "nice": False, "zero": False},
                axis={"values": _rounded(len(runs), ticks[axis])} if self.places else {"tickCount": ticks[axis]},
            )
            for axis, name in enumerate(fields)
        )
        layers = [
            *([_diagonal(reach, x, y, space)] if self.places else []),
            {"name": f"panel{place}", **self._marks(measure, x, y, space)},
            *_named(self._names(runs, fields, reach, sides, size), x, y, space),
        ]
        tau = subtitle(f"tau {_number(fact['tau'])}{_surrogate(fact)}", look, look.ink)
        title = heading(measure, look, panels.width + 3 * size, 0.6, anchor="start", **tau)
        return {"title": title, **plot(layers, *sides)}

    def _marks(self, measure: str, x: Spec, y: Spec, space: Space) -> Spec:
        look = space.look
        legend = line_legend(MOVES, space) | {"symbolSize": 5 * look.font_size, "labelLimit": 0}
        colours, shapes = (*look.colours[:2], look.grey), ("triangle-up", "triangle-down", "circle")
        tooltip = ("mean", "interval_mean", "place", "interval_place")
        return layer(
            mark_spec("point", filled=True, size=2.2 * look.font_size),
            "runs",
            [only("measure", measure)],
            x=x,
            y=y,
            **by_kind("moved", MOVES, legend, color=colours, shape=shapes),
            opacity={"condition": {"param": "run", "value": 0.9}, "value": 0.15},
            tooltip=[nominal("run"), *(quantitative(name, title=name.replace("_", " ")) for name in tooltip)],
        )

    def _names(
        self,
        runs: list[dict[str, Cell]],
        fields: tuple[str, str],
        reach: list[list[float]],
        sides: tuple[float, float],
        size: float,
    ) -> list[Name]:
        """Of the runs that move most, as many as have room."""
        order = sorted(range(len(runs)), key=lambda place: (-_shift(runs[place]), str(runs[place]["run"])))
        moved = [place for place in order[: 3 * MOST_LABELS] if _shift(runs[place])]
        at = np.array([[float(row[name] or 0) for name in fields] for row in runs])
        most = int(min(MOST_LABELS, sides[1] // (2 * size)))
        return place_names(
            [str(row["run"]) for row in runs], at, moved, most, Panel(np.array(reach), np.array(sides), size)
        )

    def _domain(self, values: Sequence[float]) -> list[float]:
        """The ends of an axis; the best place is the highest, as the best mean is."""
        if self.places:
            return [max(values) + EDGE * len(values), 1 - EDGE * len(values)]
        edge = EDGE * (max(values) - min(values)) or 0.5
        return [min(values) - edge, max(values) + edge]


def _diagonal(reach: list[list[float]], x: Spec, y: Spec, space: Space) -> Spec:
    """Where places stay the same."""
    ends = [
        {str(x["field"]): end, str(y["field"]): end}
        for end in (max(min(side) for side in reach), min(max(side) for side in reach))
    ]
    return layer(mark_spec("line", color=space.look.faint, strokeWidth=0.8), ends, x=x, y=y)


def _named(names: Sequence[Name], x: Spec, y: Spec, space: Space) -> list[Spec]:
    """Names, and thin lines from them to their marks."""
    rule = mark_spec("rule", color=space.look.grey, strokeWidth=0.4)
    text = mark_spec("text", baseline="middle", color=space.look.ink, fontSize=SMALLER * space.look.font_size)
    near = {"x": {**x, "field": "from_x"}, "y": {**y, "field": "from_y"}}
    at = {"x": {**x, "field": "x"}, "y": {**y, "field": "y"}, "text": nominal("name")}
    return [
        layer(rule, names, **near, x2="to_x", y2="to_y"),
        layer({**text, "align": {"expr": "datum.align"}}, names, **at),
    ]


def intervals_figure(study: Intervals, *, places: bool = False) -> IntervalsFigure:
    """Draw means of measures against those of their interval versions.

    The runs are named that change place most.

    Parameters
    ----------
    study : Intervals
        Result of `intervals`.
    places : bool
        Draw places of runs rather than means.

    Returns
    -------
    IntervalsFigure
        A plot for each measure.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take.

    Command line
    ------------
        rankscale figure intervals qrels.txt runs/*.gz -m P@10 -o intervals.svg
        rankscale figure intervals qrels.txt runs/*.gz -m RR@10 -m 'DCG(base=2)@10' -o intervals.pdf
        rankscale figure intervals qrels.txt runs/*.gz -m AP@10 --places -o places.svg --width 84mm
    """
    if len(study.pairs) > MOST_MEASURES:
        raise ParameterError(f"a figure shows up to {MOST_MEASURES} measures, got {len(study.pairs)}")
    for pair in study.pairs:
        if not np.isfinite([pair.means, pair.interval_means]).all():
            raise ParameterError(f"{pair.measure}: there is no topic on which it is defined for all runs")
    columns: dict[str, list[Cell]] = {}
    for pair in study.pairs:
        for name, cells in _moves(pair, study.evaluation.runs).items():
            columns.setdefault(name, []).extend(cells)
    facts: dict[str, list[Cell]] = {
        "measure": [str(pair.measure) for pair in study.pairs],
        "tau": [pair.tau for pair in study.pairs],
        "topics": [pair.counted for pair in study.pairs],
        "surrogate": [int(pair.interval.uses_recall_base) for pair in study.pairs],
    }
    return IntervalsFigure(Table(columns), Table(facts), places)


def _moves(pair: Pair, runs: Sequence[str]) -> dict[str, list[Cell]]:
    digits = NORMALISED_DIGITS if pair.interval.form == "normalised" else MEAN_DIGITS
    sign = -1 if pair.measure.low_is_good else 1
    before, after = _places(sign * pair.means, MEAN_DIGITS), _places(sign * pair.interval_means, digits)
    return {
        "measure": [str(pair.measure)] * len(runs),
        "run": list(runs),
        "mean": pair.means.tolist(),
        "interval_mean": pair.interval_means.tolist(),
        "place": before.tolist(),
        "interval_place": after.tolist(),
        "moved": [MOVES[0 if then < now else 1 if then > now else 2] for now, then in zip(before, after, strict=True)],
    }


def _places(means: Floats, digits: int) -> Floats:
    """From 1 for the highest; runs with the same mean share the mean of their places."""
    from scipy.stats import rankdata

    places: Floats = rankdata(-np.round(means, digits))
    return places


def _rounded(runs: int, ticks: int) -> list[int]:
    """Places with a tick: the first, and round numbers."""
    step = next((step for step in (1, 2, 5, 10, 20, 25, 50, 100, 200, 500) if runs / step <= ticks), 1000)
    return [1, *range(step, runs + 1, step)] if step > 1 else list(range(1, runs + 1))


def _shift(run: dict[str, Cell]) -> float:
    return abs(float(run["place"] or 0) - float(run["interval_place"] or 0))


def _number(tau: Cell) -> str:
    return "undefined" if tau is None or math.isnan(float(tau)) else f"{float(tau):.3f}"


def _surrogate(row: dict[str, Cell]) -> str:
    return ", surrogate" if row["surrogate"] else ""


COMMAND = Declaration(
    intervals_figure,
    source="study",
    study="intervals",
    measures=WITH_INTERVAL_VERSIONS,
    shared=("collections", "missing", "scaling", "judging", "reading"),
)
