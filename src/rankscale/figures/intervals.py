"""Places of runs by measures and by their interval versions: what becomes of the order of runs."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arguments import Declaration
from rankscale.data.arrays import Floats
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Figure, Grid, Space, Spec, grid, number
from rankscale.figures.base.labels import Name, PlotArea, line_legend, measure_labels, named_marks, place_names
from rankscale.figures.base.slopes import Slopes
from rankscale.figures.base.vega import by_kind, heading, hover, layer, mark_spec, nominal, only, plot, quantitative
from rankscale.scales.question import SURROGATE
from rankscale.studies.intervals import WITH_INTERVAL_VERSIONS, Intervals, MeasurePair

MOST_MEASURES = 12
MOST_LABELS = 5  # in a panel
NARROWEST = 14.0  # heights of letters that a panel must have across, with its axis
MOVES = ("gains places", "loses places", "keeps its place")  # on the interval scale
SIDES = {"place": "measure", "interval_place": "interval version"}  # columns of a slope graph, and their headings
SLOPES = 22.0  # heights of letters that a slope graph must have across
ROW, HIGHEST = 1.1, 36.0  # heights of letters that a run takes in it, and that it has at most
EDGE = 0.06  # of an axis, beyond the outermost means


@dataclass(frozen=True, repr=False)
class IntervalsFigure(Figure):
    """One panel for each measure, a line for each run from its place by the measure to that by its interval version.

    With `means`, one mark for each run: its mean by the interval version against that by the measure.
    """

    name: ClassVar[str] = "intervals"
    ratio: ClassVar[float] = 0.42
    panel_width: ClassVar[float] = 18.0

    runs: Table  # measure, run, mean, interval_mean, place, interval_place, moved
    measures: Table  # measure, tau, topics, surrogate
    means: bool  # whether means are drawn rather than places

    @property
    def title(self) -> str:
        """How many runs change their places, where these are drawn."""
        if self.means:
            return "Means of measures and of their interval versions"
        if len(self.measures) > 1:
            return "Places of runs by measures and by their interval versions"
        moved = sum(row["moved"] != MOVES[2] for row in self.runs)
        (measure,) = self.measures.columns["measure"]
        return f"{moved} of {len(self.runs)} runs change their places by the interval version of {measure}"

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
        drawn = "Scatter of means of" if self.means else "Lines between places of"
        return f"{drawn} {len(runs)} runs by measures and by their interval versions. {' '.join(measures)}{mixed}"

    def draw(self, space: Space) -> Spec:
        """Panels in rows; runs that change their place most are named, as many as have room."""
        panels = grid(len(self.measures), space, NARROWEST if self.means else SLOPES)
        pointed = hover("run", "run", views=[f"panel{place}" for place in range(panels.count)])
        panel = self._scatter if self.means else self._slopes
        plots = [
            {"title": self._heading(fact, panels), **panel(place, fact, panels, space)}
            for place, fact in enumerate(self.measures)
        ]
        return panels.spec(plots, params=[pointed])

    def _heading(self, fact: dict[str, Cell], panels: Grid) -> Spec:
        look = panels.space.look
        tau = f"tau {_number(fact['tau'])}{', surrogate' if fact['surrogate'] else ''}"
        style = {"anchor": "start", "frame": "group"}
        limit = panels.width + 3 * look.font_size
        return heading(str(fact["measure"]), look, limit, 0.6, **style, below=tau, colour=look.ink)

    def _slopes(self, place: int, fact: dict[str, Cell], panels: Grid, space: Space) -> Spec:
        """A line for each run, from its place by the measure to that by the interval version."""
        size, measure = space.look.font_size, str(fact["measure"])
        runs = [row for row in self.runs if row["measure"] == measure]
        places = [{str(row["run"]): number(row[field]) for row in runs} for field in SIDES]
        tooltip = [nominal("run"), *(quantitative(name, title=name.replace("_", " ")) for name in SIDES)]
        slopes = Slopes(SIDES, places, MOVES, "moved", tooltip)
        natural = float(np.clip(ROW * size * len(runs), 8 * size, HIGHEST * size))
        transform = [only("measure", measure), {"fold": list(SIDES), "as": ["side", "order"]}]
        each = Space(space.look, panels.width, panels.height(natural))
        return slopes.plot(each, transform, f"panel{place}", space.width)

    def _scatter(self, place: int, fact: dict[str, Cell], panels: Grid, space: Space) -> Spec:
        """A mark for each run, the mean of the interval version up."""
        size, measure = space.look.font_size, str(fact["measure"])
        sides = (panels.width, panels.height(max(round(0.9 * panels.width), 80)))
        runs = [row for row in self.runs if row["measure"] == measure]
        at = np.array([[number(row[name]) for name in ("mean", "interval_mean")] for row in runs])
        reach = [_domain(means) for means in at.T.tolist()]
        axes = (("mean", "mean", panels.lowest(place)), ("interval_mean", "mean, interval version", panels.left(place)))
        x, y = (
            quantitative(
                name,
                title=words if titled else None,
                scale={"domain": domain, "nice": False, "zero": False},
                axis={"tickCount": max(2, round(side / (3.5 * size)))},
            )
            for (name, words, titled), domain, side in zip(axes, reach, sides, strict=True)
        )
        names = _names(runs, at, PlotArea(np.array(reach), np.array(sides), size))
        layers = [{"name": f"panel{place}", **self._marks(measure, x, y, space)}, *named_marks(names, x, y, space)]
        return plot(layers, *sides)

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


def _names(runs: list[dict[str, Cell]], at: Floats, panel: PlotArea) -> list[Name]:
    """Of the runs that move most, as many as have room."""
    order = sorted(range(len(runs)), key=lambda place: (-_shift(runs[place]), str(runs[place]["run"])))
    moved = [place for place in order[: 3 * MOST_LABELS] if _shift(runs[place])]
    most = int(min(MOST_LABELS, panel.sides[1] // (2 * panel.size)))
    return place_names([str(row["run"]) for row in runs], at, moved, most, panel)


def _domain(values: Sequence[float]) -> list[float]:
    """The ends of an axis."""
    edge = EDGE * (max(values) - min(values)) or 0.5
    return [min(values) - edge, max(values) + edge]


def intervals_figure(study: Intervals, *, means: bool = False) -> IntervalsFigure:
    """Draw places of runs by measures and by their interval versions.

    A line for each run leads from its place by a measure to that by the measure's interval version: lines that cross
    are runs that change order. The runs are named that change place most.

    Parameters
    ----------
    study : Intervals
        Result of `intervals`.
    means : bool
        Draw means, those of the interval version against those of the measure, rather than places.

    Returns
    -------
    IntervalsFigure
        A plot for each measure.

    Raises
    ------
    ParameterError
        If there are more measures than panels, or one that is defined on no topic for all runs.

    Command line
    ------------
        rankscale figure intervals qrels.txt runs/*.gz -m P@10 -o intervals.svg
        rankscale figure intervals qrels.txt runs/*.gz -m RR@10 -m 'DCG(base=2)@10' -o intervals.pdf
        rankscale figure intervals qrels.txt runs/*.gz -m AP@10 --means -o means.svg --width 84mm
    """
    if len(study.pairs) > MOST_MEASURES:
        raise ParameterError(f"a figure shows up to {MOST_MEASURES} measures, got {len(study.pairs)}")
    for pair in study.pairs:
        if not np.isfinite([pair.means, pair.interval_means]).all():
            raise ParameterError(f"{pair.measure}: there is no topic on which it is defined for all runs")
    labels = measure_labels([pair.measure for pair in study.pairs])
    moves = [row for pair in study.pairs for row in _moves(pair, study.evaluation.runs, labels[str(pair.measure)])]
    facts = [(labels[str(of.measure)], of.tau, of.counted, int(of.interval.uses_recall_base)) for of in study.pairs]
    return IntervalsFigure(
        runs=Table.of(("measure", "run", "mean", "interval_mean", "place", "interval_place", "moved"), moves),
        measures=Table.of(("measure", "tau", "topics", "surrogate"), facts),
        means=means,
    )


def _moves(pair: MeasurePair, runs: Sequence[str], label: str) -> Iterator[tuple[Cell, ...]]:
    sign = -1 if pair.measure.low_is_good else 1
    places = [
        _places(sign * measure.comparable(means)).tolist()
        for measure, means in ((pair.measure, pair.means), (pair.interval, pair.interval_means))
    ]
    means = pair.means.tolist(), pair.interval_means.tolist()
    for run, mean, interval_mean, now, then in zip(runs, *means, *places, strict=True):
        move = MOVES[0 if then < now else 1 if then > now else 2]
        yield label, run, mean, interval_mean, now, then, move


def _places(means: Floats) -> Floats:
    """From 1 for the highest; runs with the same mean share the mean of their places."""
    from scipy.stats import rankdata

    places: Floats = rankdata(-means)
    return places


def _shift(run: dict[str, Cell]) -> float:
    return abs(float(run["place"] or 0) - float(run["interval_place"] or 0))


def _number(tau: Cell) -> str:
    return "undefined" if tau is None or math.isnan(float(tau)) else f"{float(tau):.3f}"


COMMAND = Declaration(
    intervals_figure,
    source="study",
    study="intervals",
    measures=WITH_INTERVAL_VERSIONS,
    shared=("collections", "missing", "scaling", "judging", "reading"),
)
