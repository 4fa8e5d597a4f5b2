"""A measure by rank, run by run, with the ideal above: CG, DCG, nDCG, precision ..."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.declared import Declaration
from rankscale.data.names import counted_topics
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Figure, Space, Spec
from rankscale.figures.base.lines import run_lines
from rankscale.figures.base.look import NAMED
from rankscale.figures.base.vega import layer, mark_spec, plot, quantitative
from rankscale.tracing.result import ALL, Curves

MOST_POINTS = 6000  # beyond which curves are drawn at fewer ranks: nobody would see the difference


@dataclass(frozen=True, repr=False)
class CurvesFigure(Figure):
    """Curves of one measure on one topic, or their means."""

    name: ClassVar[str] = "curves"

    measure: str
    topic: str  # `all` for means
    curves: Table  # run, rank, value
    named: tuple[str, ...]  # runs that are distinguished; the others are drawn behind them, all alike
    ideal: str  # the run that is the ideal, if any
    over: str  # what topics become, and how many there are

    @property
    def title(self) -> str:
        """The measure, and of what it is."""
        where = self.over if self.topic == ALL else f"topic {self.topic}"
        return f"{self.measure} by rank, {where}"

    @property
    def description(self) -> str:
        """The values of the named lines at the last rank."""
        last = {str(row["run"]): row for row in self.curves}
        named = [*self.named, *([self.ideal] if self.ideal else [])]
        ends = ", ".join(f"{run} {float(last[run]['value'] or 0):.4f}" for run in named if run in last)
        rank = max(int(row["rank"] or 0) for row in last.values())
        runs = len(last) - (self.ideal in last)
        ideal = " and the ideal" if self.ideal in last else ""
        return f"Lines of {self.title} for {runs} run{'s' * (runs != 1)}{ideal}. At rank {rank}: {ends}."

    def draw(self, space: Space) -> Spec:
        """One line for each run; more than can be distinguished are grey."""
        order = [*self.named, *([self.ideal] if self.ideal else [])]
        value = quantitative("value", title=self.measure)
        last = max(int(rank or 1) for rank in self.curves.columns["rank"])
        rank = quantitative(
            "rank",
            title="rank",
            scale={"nice": False},
            axis={"tickMinStep": 1} if last > 1 else {"values": [1], "format": "d"},
        )
        others = mark_spec("line", strokeWidth=0.6, color=space.look.faint, point=last == 1)
        rest = [{"filter": {"not": {"field": "run", "oneOf": order}}}]
        grey = layer(others, None, rest, detail="run", tooltip=["run", value, rank])
        named = run_lines(order, space, point=last == 1, ideal=self.ideal)
        layers = [*([grey] if set(self.curves.columns["run"]) - set(order) else []), named]
        return plot(layers, space.width, space.height, "curves", x=rank, y=value)


def curves_figure(
    curves: Curves, topic: str = ALL, runs: Sequence[str] | None = None, *, ratio: bool = False
) -> CurvesFigure:
    """Draw a measure by rank, one line for each run, with the ideal.

    Runs beyond those that can be told apart are grey. Lines are named for the runs requested, or for the best at the
    last rank.

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

    Returns
    -------
    CurvesFigure
        The lines.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take.

    Command line
    ------------
        rankscale figure curves qrels.txt runs/*.gz -m nDCG -o ndcg.pdf --width 84mm
        rankscale figure curves qrels.txt run.txt -m 'DCG(base=2)' --topic 101 -o dcg.svg
        rankscale figure curves qrels.txt runs/*.gz -m 'DCG(base=10)' --ratio -o ratio.svg
    """
    if len(curves.measures) != 1:
        raise ParameterError(
            f"a figure shows the curves of one measure, got {len(curves.measures)}: take curves['nDCG']"
        )
    if ratio and topic != ALL:
        raise ParameterError(f"the ratio to the ideal is that of means, and topic {topic} is requested: leave one out")
    shown = curves.mean("ratio" if ratio else "values") if topic == ALL and curves.counted is None else curves
    by_run = shown.by_run(str(topic))
    ends = {run: float(curve[~np.isnan(curve)][-1:].sum()) for run, curve in by_run.items()}
    requested = [runs] if isinstance(runs, str) else list(dict.fromkeys(runs or ()))
    for run in requested:
        if run not in by_run:
            raise ParameterError(f"there is no curve of {run!r}; there are {', '.join(list(by_run)[:5])} ...")
    sign = 1 if curves.measures[0].low_is_good else -1  # the best first
    others = [run for run in by_run if run != curves.ideal]
    best = sorted(others, key=lambda run: sign * ends[run])[: NAMED - bool(curves.ideal)]
    first = tuple(run for run in requested if run != curves.ideal) if requested else tuple(best)
    ranks = _ranks(max((len(curve) for curve in by_run.values()), default=0), len(by_run))
    cells = [
        (run, rank, float(curve[rank - 1]))
        for run, curve in by_run.items()
        for rank in ranks
        if rank <= len(curve) and not np.isnan(curve[rank - 1])
    ]
    if not cells:
        where = "anywhere" if topic == ALL else f"on topic {topic}"
        raise ParameterError(f"no run has a value of {curves.measures[0]} {where}: there is nothing to draw")
    rows = Table.of(("run", "rank", "value"), cells)
    measure = f"{curves.measures[0]} over that of the ideal" if ratio else str(curves.measures[0])
    over = "" if shown.counted is None else f"{curves.measures[0].summed_up} over {counted_topics(shown.counted[0])}"
    return CurvesFigure(measure, str(topic), rows, first, curves.ideal, over)


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
    flags={"runs": "--run"},
    shared=("ideal", "missing_of_runs", "judging", "reading"),
)
