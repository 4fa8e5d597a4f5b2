"""A measure by rank, run by run, with the ideal above: CG, DCG, nDCG, precision ..."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, cast

import numpy as np

from rankscale.data.arguments import Declaration
from rankscale.data.arrays import Floats
from rankscale.data.names import counted_topics
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.curves.result import ALL, Curves
from rankscale.figures.base.figure import Figure, Space, Spec, number, numbers
from rankscale.figures.base.labels import apart, far_apart, run_styles, short_labels
from rankscale.figures.base.look import NAMED, Appearance
from rankscale.figures.base.vega import hover, layer, mark_spec, only, plot, quantitative

LINEAR = 100  # ranks up to which their axis is linear, unless another is requested
SAME = 1e-9  # differences below this are those of rounding
NAMES = 0.3  # of the width, for names at the ends of lines
POINTED_AT = 8  # how wide a line is for those who point at it, in pixels
MOST_POINTS = 6000  # beyond which curves are drawn at fewer ranks: nobody would see the difference


@dataclass(frozen=True, repr=False)
class CurvesFigure(Figure):
    """Curves of one measure on one topic, or their means, each named at its end.

    More runs than can be distinguished are grey behind the others, and counted in a key; on a page, the one pointed at
    stands out with its name. The ideal is drawn where it is not 1 at every rank.
    """

    name: ClassVar[str] = "curves"

    measure: str
    topic: str  # `all` for means
    curves: Table  # run, rank, value
    named: tuple[str, ...]  # runs that are distinguished; the others are drawn behind them, all alike
    ideal: str  # the run that is the ideal, if any
    over: str  # what topics become, and how many there are
    logarithmic: bool  # whether the axis of ranks is

    @property
    def title(self) -> str:
        """The measure, and of what it is."""
        where = self.over if self.topic == ALL else f"topic {self.topic}"
        return f"{self.measure} by rank, {where}"

    @property
    def description(self) -> str:
        """The values of the named lines at the last rank."""
        last = {str(row["run"]): row for row in self.curves}
        ends = ", ".join(f"{run} {float(last[run]['value'] or 0):.4f}" for run in self._order if run in last)
        rank = max(int(row["rank"] or 0) for row in last.values())
        runs = len(last) - (self.ideal in last)
        ideal = " and the ideal" if self.ideal in last else ""
        return f"Lines of {self.title} for {runs} run{'s' * (runs != 1)}{ideal}. At rank {rank}: {ends}."

    @property
    def _order(self) -> list[str]:
        """Runs with a name, the ideal last."""
        return [*self.named, *([self.ideal] if self.ideal else [])]

    @property
    def _last(self) -> int:
        return max(int(rank or 1) for rank in self.curves.columns["rank"])

    def draw(self, space: Space) -> Spec:
        """One line for each run, named at its end; more than can be distinguished are grey."""
        styles = run_styles(self._order, space, None, self.ideal)
        line = mark_spec("line", strokeWidth=1.4, point=self._last == 1)
        named = layer(line, None, [only("run", *self._order)], **styles)
        others = len(set(self.curves.columns["run"]) - set(self._order))
        layers = [*([self._grey(others, space)] if others else []), named, *self._ends(space, styles)]
        x, y = self._ranks(space), self._values(space)
        return plot(layers, space.width, space.height, "curves", x=x, y=y)

    def page_spec(self, look: Appearance, width: float | None = None) -> dict[str, object]:
        """With lines that nobody sees over all lines, wide enough to point at."""
        spec = super().page_spec(look, width)
        wide = mark_spec("line", strokeWidth=POINTED_AT, strokeOpacity=0, aria=False)
        shown = {"params": [hover("pointed", "run")], **layer(wide, detail="run", tooltip="run")}
        layers = cast("list[Spec]", spec["layer"])
        pointed = {"filter": {"param": "pointed", "empty": False}}
        dark = mark_spec("line", strokeWidth=2, color=look.ink, aria=False)
        return {**spec, "layer": [*layers, layer(dark, None, [pointed], detail="run"), shown]}

    def _grey(self, others: int, space: Space) -> Spec:
        """The lines of runs without a name, and how many there are."""
        words = f"{others} other run{'s' * (others > 1)}"
        legend = {"orient": "bottom", "title": None, "symbolType": "stroke", "symbolSize": 20 * space.look.font_size}
        scale = {"domain": [words], "range": [space.look.faint]}
        line = mark_spec("line", strokeWidth=0.6, point=self._last == 1)
        rest = [{"filter": {"not": {"field": "run", "oneOf": self._order}}}]
        return layer(line, None, rest, detail="run", stroke={"datum": words, "scale": scale, "legend": legend})

    def _ends(self, space: Space, styles: dict[str, Spec]) -> list[Spec]:
        """Names at the right edge, moved apart where lines end close to each other, each joined to its line."""
        size = space.look.font_size
        labels = short_labels(self._order, NAMES * space.width / size)
        ends = {str(row["run"]): number(row["value"]) for row in self.curves if row["run"] in labels}
        order = sorted(ends, key=lambda run: ends[run])
        low, high = self._domain
        taken = 7 * size if space.look.height else 0  # of a height requested, by axis and key
        step = 1.15 * size * (high - low) / max(1, space.height - taken)
        places = apart([ends[run] for run in order], step, low, high)
        at_end = dict(zip(order, places, strict=True))
        rows = [{"run": run, "value": ends[run], "at": at, "label": labels[run]} for run, at in at_end.items()]
        at = {**self._values(space), "field": "at"}
        right, beyond = ({"value": {"expr": f"width + {gap * size}"}} for gap in (0.1, 1.2))
        text = mark_spec("text", align="left", baseline="middle", dx=0.2 * size, color=space.look.ink, aria=False)
        rule = mark_spec("rule", strokeWidth=0.8, aria=False)
        return [
            layer(rule, rows, x=right, x2=beyond, y2="at", color=styles["color"]),
            layer(text, rows, x=beyond, y=at, text="label"),
        ]

    @property
    def _domain(self) -> tuple[float, float]:
        """The lowest and the highest value, 0 at least or at most."""
        values = numbers(self.curves, "value")
        low, high = min(0.0, *values), max(0.0, *values)
        return low, (high + 0.02 * (high - low)) or 1.0

    def _values(self, space: Space) -> Spec:
        ticks = max(3, round(space.height / (3.5 * space.look.font_size)))
        scale = {"domain": list(self._domain), "nice": False}
        return quantitative("value", title=self.measure, scale=scale, axis={"tickCount": ticks})

    def _ranks(self, space: Space) -> Spec:
        last = self._last
        scale: dict[str, object] = {"domain": [1, last], "nice": False, "zero": False}
        axis: Spec = {"tickMinStep": 1}
        if last == 1:
            scale["domain"], axis = [0.5, 1.5], {"values": [1], "format": "d"}
        elif self.logarithmic:
            powers = [10**power for power in range(len(str(last)))]
            wanted = [last, *powers, *(step * power for power in powers for step in (1, 2, 5))]
            inside = [rank for rank in dict.fromkeys(wanted) if rank <= last]
            ticks = far_apart(inside, (1, last), (1 - NAMES) * space.width / space.look.font_size, logarithmic=True)
            scale = {"type": "log", "domain": [1, last], "nice": False}
            axis = {"values": ticks, "format": "d", "labelOverlap": False}
        return quantitative("rank", title="rank", scale=scale, axis=axis)


def curves_figure(
    curves: Curves,
    topic: str = ALL,
    runs: Sequence[str] | None = None,
    *,
    ratio: bool = False,
    ranks: Literal["linear", "log"] | None = None,
) -> CurvesFigure:
    """Draw a measure by rank, one line for each run, with the ideal.

    Runs beyond those that can be told apart are grey. Lines are named for the runs requested, or for the best at the
    last rank. The ideal is left out where it is 1 at every rank, as that of nDCG is.

    Parameters
    ----------
    curves : Curves
        Curves of one measure, as `rs.curves` returns them.
    topic : str, default means over all topics
        Draw the curves of this topic.
    runs : sequence of str, default the best
        Name of a run whose line is named.
    ratio : bool
        Draw means of runs over the mean of the ideal, as in the DCG paper.
    ranks : {'linear', 'log'}, default log beyond 100 ranks
        Axis of ranks.

    Returns
    -------
    CurvesFigure
        The lines.

    Raises
    ------
    ParameterError
        If there are curves of several measures, or none of a run that is named.

    Command line
    ------------
        rankscale figure curves qrels.txt runs/*.gz -m nDCG -o ndcg.pdf --width 84mm
        rankscale figure curves qrels.txt run.txt -m 'DCG(base=2)' --topic 101 --rank-axis linear -o dcg.svg
        rankscale figure curves qrels.txt runs/*.gz -m 'DCG(base=10)' --ratio -o ratio.svg
    """
    if len(curves.measures) != 1:
        raise ParameterError(
            f"a figure shows the curves of one measure, got {len(curves.measures)}: take curves['nDCG']"
        )
    if ratio and topic != ALL:
        raise ParameterError(f"the ratio to the ideal is that of means, and topic {topic} is requested: leave one out")
    if ranks not in (None, "linear", "log"):
        raise ParameterError(f"the axis of ranks is 'linear' or 'log', got {ranks!r}")
    shown = curves.mean("ratio" if ratio else "values") if topic == ALL and curves.counted is None else curves
    by_run = dict(shown.by_run(str(topic)))
    ideal = curves.ideal
    if ideal and _is_one(by_run[ideal]) and len(by_run) > 1:
        del by_run[ideal]
        ideal = ""
    ends = {run: float(curve[~np.isnan(curve)][-1:].sum()) for run, curve in by_run.items()}
    requested = [runs] if isinstance(runs, str) else list(dict.fromkeys(runs or ()))
    for run in requested:
        if run not in by_run and run != curves.ideal:
            raise ParameterError(f"there is no curve of {run!r}; there are {', '.join(list(by_run)[:5])} ...")
    sign = 1 if curves.measures[0].low_is_good else -1  # the best first
    others = [run for run in by_run if run != ideal]
    best = sorted(others, key=lambda run: sign * ends[run])[: NAMED - bool(ideal)]
    first = tuple(run for run in requested if run != curves.ideal) if requested else tuple(best)
    depth = max((len(curve) for curve in by_run.values()), default=0)
    drawn = _ranks(depth, len(by_run))
    cells = [
        (run, rank, float(curve[rank - 1]))
        for run, curve in by_run.items()
        for rank in drawn
        if rank <= len(curve) and not np.isnan(curve[rank - 1])
    ]
    if not cells:
        where = "anywhere" if topic == ALL else f"on topic {topic}"
        raise ParameterError(f"no run has a value of {curves.measures[0]} {where}: there is nothing to draw")
    rows = Table.of(("run", "rank", "value"), cells)
    measure = f"{curves.measures[0]} over that of the ideal" if ratio else str(curves.measures[0])
    over = "" if shown.counted is None else f"{curves.measures[0].summed_up} over {counted_topics(shown.counted[0])}"
    logarithmic = depth > LINEAR if ranks is None else ranks == "log"
    return CurvesFigure(measure, str(topic), rows, first, ideal, over, logarithmic)


def _is_one(curve: Floats) -> bool:
    """Whether a curve is 1 wherever it is defined: the ideal of a normalised measure, which tells nothing."""
    return bool(np.all(np.isnan(curve) | (np.abs(curve - 1) < SAME)))


def _ranks(depth: int, curves: int) -> list[int]:
    """The ranks that are drawn: all, or as many as can be seen, closer together at the top."""
    wanted = max(60, MOST_POINTS // max(1, curves))
    if depth <= wanted:
        return list(range(1, depth + 1))
    return sorted(
        {round(rank) for rank in np.geomspace(1, depth, wanted // 2)}
        | {round(rank) for rank in np.linspace(1, depth, wanted // 2)}
    )


COMMAND = Declaration(
    curves_figure,
    source="curves",
    measure="nDCG",
    flags={"runs": "--run", "ranks": "--rank-axis"},
    shared=("ideal", "missing_of_runs", "judging", "reading"),
)
