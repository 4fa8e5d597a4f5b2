"""Means of runs with the judgments of two pools (Moffat and Zobel, TOIS 27(1), 2008, Figs. 2 and 4)."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Unpack

import numpy as np

from rankscale.data.arguments import Declaration, Share
from rankscale.data.arrays import Bools, Floats
from rankscale.data.notices import Notice
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.options import EvaluateOptions, Progress, SameTopics
from rankscale.figures.base.figure import Figure, Grid, Space, Spec, grid, number
from rankscale.figures.base.labels import Name, PlotArea, measure_labels, named_marks, place_names
from rankscale.figures.base.vega import by_kind, digits, heading, hover, layer, mark_spec, only, plot, quantitative
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.studies.robustness import robustness
from rankscale.studies.support.selection import compared

MEASURES = ("AP", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)")  # of the two figures of the paper
LEAST_WIDTH = 13.0  # of a plot with its axis, in heights of type
MOST_HEIGHT = 30.0  # of a plot, the same
MOST_COLUMNS = 3
MOST_NAMES = 6  # of outliers in a plot
OUTLIER = 1.5  # distances of the quartiles, from which on a run is one
YES, NO = "yes", "no"
RATIO = 0.75  # of height to width
GOES = ("higher", "the same", "lower")  # the mean with the deeper pool, against that with the other


@dataclass(frozen=True, repr=False)
class PoolsFigure(Figure):
    """A plot for each measure: the mean of each run with the shallower pool across, what the deeper one changes up.

    On the line at 0 judgments below the shallower pool change nothing. RBP can only rise with them; AP falls where they
    bring relevant documents that a run lacks. Runs are named that change by far more or less than others with such a
    mean: they are off the median line (Theil and Sen) by more than 1.5 times the distance of the quartiles from these.
    """

    name: ClassVar[str] = "pools"

    points: Table  # measure, run, shallow, deep, change (deep less shallow), off (the median line), goes, outlier
    measures: Table  # measure, tau, higher, lower, low, high (ends of the axis across), least, most (of that up)
    depths: tuple[int, int]  # the shallower one first
    runs: int
    notices: tuple[Notice, ...]  # of reading and judging

    @property
    def title(self) -> str:
        """The two depths."""
        return f"Means of {self.runs} runs with pools of depth {self.depths[0]} and {self.depths[1]}"

    @property
    def description(self) -> str:
        """Tau of each measure, and how many runs rise and fall."""
        measures = "; ".join(
            f"{row['measure']}: tau {number(row['tau']):.4f}, {row['higher']} runs higher and {row['lower']} lower"
            for row in self.measures
        )
        axes = "what the deeper pool changes, by the mean with the shallower one; Kendall's tau-b between the two"
        return f"{self.title}: {axes}. {measures}."

    def draw(self, space: Space) -> Spec:
        """As many plots side by side as have room."""
        panels = grid(len(self.measures), space, LEAST_WIDTH, MOST_COLUMNS)
        height = panels.height(min(RATIO * panels.width, MOST_HEIGHT * space.look.font_size))
        each = Space(space.look, panels.width, height)
        plots = [self._plot(place, row, panels, each) for place, row in enumerate(self.measures)]
        pointed = hover("run_pointed_at", "run", views=[f"points_{place}" for place in range(panels.count)])
        return panels.spec(plots, data={"name": "points"}, params=[pointed])

    def _plot(self, place: int, row: Mapping[str, Cell], panels: Grid, space: Space) -> Spec:
        look, size, measure = space.look, space.look.font_size, str(row["measure"])
        reach = np.array([[number(row[end]) for end in ends] for ends in (("low", "high"), ("least", "most"))])
        across, up = ({"domain": ends, "nice": False, "zero": False} for ends in reach.tolist())
        ticks = {"tickCount": max(2, round(space.width / (6 * size))), "labelOverlap": "greedy"}
        shallow = f"mean, pool depth {self.depths[0]}" if panels.lowest(place) else None
        change = f"change with depth {self.depths[1]}" if panels.left(place) else None
        tau = "tau is undefined" if math.isnan(number(row["tau"])) else f"tau {number(row['tau']):.3f}"
        style = {"fontWeight": "normal", "below": tau, "colour": look.ink, "padding": size / 4}
        zero = mark_spec("rule", strokeDash=[3, 2], color=look.grey, strokeWidth=1, aria=False)
        x = quantitative("shallow", title=shallow, scale=across, axis=ticks)
        y = quantitative("change", title=change, scale=up, axis={"tickCount": max(2, round(space.height / (3 * size)))})
        names = self._names(measure, PlotArea(reach, np.array([space.width, space.height]), size))
        layers = [
            layer(zero, [{"change": 0}], x=None),
            {"name": f"points_{place}", **self._points(measure, space)},
            *named_marks(names, x, y, space),
        ]
        return {
            "title": heading(measure, look, space.width, **style),
            **plot(layers, space.width, space.height, x=x, y=y),
        }

    def _names(self, measure: str, panel: PlotArea) -> list[Name]:
        """Of the outliers, those that are the furthest off first, as many as have room."""
        rows = [row for row in self.points if row["measure"] == measure]
        at = np.array([[number(row[name]) for name in ("shallow", "change")] for row in rows])
        there = [place for place, row in enumerate(rows) if row["outlier"] == YES]
        order = sorted(there, key=lambda place: -abs(number(rows[place]["off"])))
        return place_names([str(row["run"]) for row in rows], at, order, MOST_NAMES, panel)

    def _points(self, measure: str, space: Space) -> Spec:
        """Up and down by shape and colour; on a page the run pointed at stands out in all plots."""
        look, pointed = space.look, {"param": "run_pointed_at", "empty": False}
        legend = {
            "title": f"with depth {self.depths[1]}",
            "titleOrient": "left",
            "orient": "bottom",
            "symbolOpacity": 1,
            "values": [name for name in GOES if name in self.points.columns["goes"]],
            "symbolSize": 5 * look.font_size,
        }
        colours, shapes = (look.late, look.grey, look.early), ("triangle-up", "circle", "triangle-down")
        return layer(
            mark_spec("point", filled=True, opacity=0.75, aria=False),
            None,
            [only("measure", measure)],
            **by_kind("goes", GOES, legend, color=colours, shape=shapes),
            size={"condition": {**pointed, "value": 12 * look.font_size}, "value": 2.5 * look.font_size},
            tooltip=["run", "measure", *digits("shallow", "deep", "change")],
        )


def pools_figure(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    depths: Sequence[int] = (10, 100),
    *,
    pooled: Iterable[str] | None = None,
    top: Share | None = None,
    rel: float = 1,
    missing: SameTopics = "zero",
    progress: Progress | None = None,
    **options: Unpack[EvaluateOptions],
) -> PoolsFigure:
    """Draw what a deeper pool changes in the means of runs.

    There is a plot for each measure, with its tau. Each run is a point: its mean with the shallower pool, and how much
    the deeper one changes it. Runs that change far more or less than others with such a mean are named. A pool holds no
    more than what was judged.

    Parameters
    ----------
    qrels, runs, measures, missing, progress, **options
        As in `evaluate`: judged_only, depth, grades, negative, order, max_size, threads, executor; not missing='skip'.
    depths : sequence of int
        The two depths that are compared.
    pooled : sequence of str, default all runs
        Names of the runs whose documents are pooled.
    top : float, default all runs
        Use only this share of the runs, the best by mean AP.
    rel : float
        Lowest relevant grade.

    Returns
    -------
    PoolsFigure
        The points.

    Raises
    ------
    ParameterError
        If depths are not two, or no measure has a finite mean with both pools.

    Notes
    -----
    Means that are undefined or infinite with one of the pools are left out.

    Command line
    ------------
        rankscale figure pools qrels.txt runs/*.gz -o pools.pdf
        rankscale figure pools qrels.txt runs/*.gz -m AP -m nDCG@10 --pool-depths 5,50 -o pools.html
        rankscale figure pools qrels.txt runs/*.gz -m AP --top 0.75 -o pools.svg
    """
    if len(set(depths)) != 2:
        raise ParameterError(
            f"two depths of a pool are compared, such as 10 and 100; got {', '.join(map(str, depths))}"
        )
    shallow, deep = sorted(depths)
    study = robustness(
        qrels,
        runs,
        measures,
        sampling="depth",
        sizes=(shallow, deep),
        pooled=pooled,
        top=top,
        rel=rel,
        missing=missing,
        progress=progress,
        **options,
    )
    means = study.means[:, :, 0]  # (measure, depth, run)
    names = list(measure_labels(study.evaluation.measures).values())
    known: Bools = np.all(np.isfinite(means), axis=1)  # (measure, run)
    there = [place for place in range(len(names)) if known[place].any()]
    if not there:
        raise ParameterError(
            "no measure has a mean that is defined and finite with both pools: there is nothing to draw"
        )
    points = [cells for m in there for cells in _points(names[m], study.evaluation.runs, means[m], known[m])]
    tau = tau_b(compared(means[:, 0]), compared(means[:, 1]))
    listed = [_measure(names[m], float(tau[m]), means[m][:, known[m]]) for m in there]
    return PoolsFigure(
        points=Table.of(("measure", "run", "shallow", "deep", "change", "off", "goes", "outlier"), points),
        measures=Table.from_rows(listed),
        depths=(int(shallow), int(deep)),
        runs=len(study.evaluation.runs),
        notices=study.notices,
    )


def _points(measure: str, runs: Sequence[str], means: Floats, known: Bools) -> Iterator[tuple[Cell, ...]]:
    """Of the means (depth, run)."""
    rises = np.sign(np.diff(compared(means), axis=0)[0])
    change = means[1] - means[0]
    off = _off_the_line(means[0], change, known)
    low, high = np.quantile(off[known], [0.25, 0.75]).tolist()
    beyond = OUTLIER * (high - low)
    for r in np.flatnonzero(known).tolist():
        outlier = YES if off[r] < low - beyond or off[r] > high + beyond else NO
        numbers = (*means[:, r].tolist(), float(change[r]), float(off[r]))
        yield measure, runs[r], *numbers, GOES[1 - int(rises[r])], outlier


def _off_the_line(shallow: Floats, change: Floats, known: Bools) -> Floats:
    """(run,): how far each change is off the line whose slope is the median over all pairs of runs."""
    from scipy.stats import theilslopes

    if len(np.unique(shallow[known])) < 2:
        return change - np.median(change[known])
    slope, start, *_ = theilslopes(change[known], shallow[known])
    off: Floats = change - (start + slope * shallow)
    return off


def _measure(name: str, tau: float, means: Floats) -> dict[str, Cell]:
    """Tau, what rises and falls, and where axes end: from 0 across unless all is far from it, with 0 up."""
    rises, changes = np.diff(compared(means), axis=0)[0], means[1] - means[0]
    least, most = float(means[0].min()), float(means[0].max())
    room = 0.06 * ((most - least) or abs(most) or 1.0)
    lowest, highest = min(0.0, float(changes.min())), max(0.0, float(changes.max()))
    above = 0.08 * ((highest - lowest) or 0.1)
    return {
        "measure": name,
        "tau": tau,
        "higher": int(np.count_nonzero(rises > 0)),
        "lower": int(np.count_nonzero(rises < 0)),
        "low": 0.0 if 0 <= least < 0.5 * most else least - room,
        "high": most + room,
        "least": lowest - above,
        "most": highest + above,
    }


COMMAND = Declaration(
    pools_figure,
    source="runs",
    measures=MEASURES,
    flags={"depths": "--pool-depths"},
    shared=("missing", "judging", "reading"),
)
