"""What unjudged documents leave open in RBP, by depth or by p (Moffat and Zobel, TOIS 27(1), 2008, Figs. 5 and 6)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, Literal

from rankscale.data.arguments import Declaration
from rankscale.data.names import place_of
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Figure, Grid, Space, Spec, grid, number, numbers
from rankscale.figures.base.labels import far_apart, line_legend, line_styles, short_labels
from rankscale.figures.base.look import NAMED
from rankscale.figures.base.vega import digits, heading, layer, mark_spec, only, plot, quantitative
from rankscale.figures.pools import LEAST_WIDTH, MOST_COLUMNS
from rankscale.studies.bounds import Bounds

ALL_JUDGMENTS = "all judgments"
MOST_PLOTS = 12
OF_DEPTH, OF_P = 1, 2  # runs that are drawn where none are named: by depth each has its own plots
DEPTHS_DRAWN = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000)
GRID_DRAWN = tuple(round(0.05 * step, 2) for step in range(1, 20))


@dataclass(frozen=True, repr=False)
class BoundsFigure(Figure):
    """Bands from lower to upper, means over topics: by depth one for each p, by p one for each run.

    By depth every run has a plot for each pool; by p every pool has one, in which runs lie over each other: where their
    bands do not meet, judgments that are missing cannot change their order. All plots have the same axes.
    """

    name: ClassVar[str] = "bounds"

    bounds: Table  # run, pool, p, depth (by depth), lower, upper, residual, kind
    by: Literal["depth", "p"]
    runs: tuple[str, ...]
    pools: tuple[str, ...]
    kinds: tuple[str, ...]  # of bands: p or runs

    @property
    def title(self) -> str:
        """What of, of which run if it is one, and of which pool if by p there is one."""
        names = [*(self.runs if len(self.runs) == 1 else ())]
        names += self.pools if self.by == "p" and len(self.pools) == 1 else ()
        return ", ".join([f"Lower and upper RBP by {self.by}", *names])

    @property
    def description(self) -> str:
        """The bounds at the far end of each band."""
        last = {(row["run"], row["pool"], row["p"] if self.by == "depth" else None): row for row in self.bounds}
        ends = "; ".join(
            f"{self._band(row)}: {number(row['lower']):.4f} to {number(row['upper']):.4f}" for row in last.values()
        )
        end = max(number(row[self.by]) for row in last.values())
        where = f"depth {end:g}" if self.by == "depth" else f"p = {end:g}"
        return f"{self.title}: bands between what mean RBP is at least and at most. At {where}: {ends}."

    def _band(self, row: Mapping[str, Cell]) -> str:
        """Whose band it is."""
        names = [row["run"]] if len(self.runs) > 1 else []
        return ", ".join(map(str, [*names, row["pool"], *([row["kind"]] if self.by == "depth" else [])]))

    def draw(self, space: Space) -> Spec:
        """As many plots side by side as have room."""
        by_depth = self.by == "depth"
        shown = list(product(self.runs, self.pools)) if by_depth else [(None, pool) for pool in self.pools]
        panels = grid(len(shown), space, LEAST_WIDTH, MOST_COLUMNS)
        plots = [self._plot(run, pool, place, panels) for place, (run, pool) in enumerate(shown)]
        together = plots[0] if len(plots) == 1 else panels.spec(plots)
        return {"data": {"name": "bounds"}, **together}

    def _plot(self, run: str | None, pool: str, place: int, panels: Grid) -> Spec:
        """One plot: of a run and a pool, or of all runs."""
        space, width = panels.space, panels.width
        labels = short_labels(self.runs, width / space.look.font_size)
        several = len(self.runs) > 1
        head = [*([labels[run]] if run and several else []), *([pool] if run or len(self.pools) > 1 else [])]
        title = heading(head, space.look, width, fontWeight="normal")
        chosen = [*([only("run", run)] if run else []), only("pool", pool)]
        height = panels.height((0.6 if panels.columns == 1 else 0.85) * width)
        across = self._across(space, width, titled=panels.lowest(place))
        drawn = plot(self._bands(space, titled=panels.left(place)), width, height, None, chosen, x=across)
        return {**({"title": title} if head else {}), **drawn}

    def _across(self, space: Space, width: float, *, titled: bool) -> Spec:
        values = sorted({*numbers(self.bounds, self.by)})
        size, ends = space.look.font_size, [values[0], values[-1]]
        if self.by == "depth":
            powers = [10.0**power for power in range(math.ceil(math.log10(ends[1])) + 1)]
            wanted = [ends[1], ends[0], *(one for one in powers if ends[0] < one < ends[1])]
            ticks: Spec = {"values": far_apart(wanted, ends, width / size, logarithmic=True)}
            words, scale = "depth of the ranking", {"nice": False, "domain": ends, "type": "log"}
        else:
            ticks = {"tickCount": max(3, round(width / (5 * size)))}
            words, scale = "p, persistence", {"nice": False, "domain": [0, 1]}
        axis = {"grid": False, "labelOverlap": "greedy", "labelSeparation": 2, "format": "~f", **ticks}
        return quantitative(self.by, title=words if titled else None, scale=scale, axis=axis)

    def _bands(self, space: Space, *, titled: bool) -> list[Spec]:
        """Both bounds as lines, and what lies between them shaded."""
        top = max(numbers(self.bounds, "upper"))
        title = "RBP" if titled else None
        y: Spec = {"type": "quantitative", "title": title, "scale": {"domain": [0, top], "nice": True}}
        styles = line_styles("kind", self.kinds, space)
        strokes = {"symbolOpacity": 1, "symbolType": "stroke", "symbolSize": 20 * space.look.font_size}
        legend = {**line_legend(self.kinds, space), **strokes}
        colour, dash = ({**styles[channel], "legend": legend} for channel in ("color", "strokeDash"))
        line = mark_spec("line", strokeWidth=1.2, aria=False)
        tooltip = ["kind", self.by, *digits("lower", "upper", "residual")]
        shade = mark_spec("area", opacity=0.2, aria=False)
        return [
            layer(shade, y={**y, "field": "lower"}, y2="upper", color=colour, tooltip=tooltip),
            *(layer(line, y={**y, "field": name}, color=colour, strokeDash=dash) for name in ("lower", "upper")),
        ]


def bounds_figure(
    study: Bounds, by: Literal["depth", "p"] = "depth", runs: Sequence[str] | None = None
) -> BoundsFigure:
    """Draw bounds of RBP by depth, or by p.

    Bands are between the lower and the upper bound of mean rank-biased precision (RBP). By depth, a plot for each run
    and pool with a band for each p; by p, a plot for each pool with a band for each run. Pools are of all runs given,
    drawn or not.

    Parameters
    ----------
    study : Bounds
        Result of `bounds`.
    by : {'depth', 'p'}
        What goes across.
    runs : sequence of str, default the best, or the best two by p
        Name of a run to draw.

    Returns
    -------
    BoundsFigure
        The bands.

    Raises
    ------
    ParameterError
        If what goes across has fewer than two values, or there is no room for so many plots or runs.

    Notes
    -----
    The best are those with the highest lower bound, all judgments taken, for the first p. Pools are those of the study,
    or all judgments where it has none.

    Command line
    ------------
        rankscale figure bounds qrels.txt runs/*.gz -o bounds.svg
        rankscale figure bounds qrels.txt runs/*.gz -p 0.8 --pool-depths 10 -o depth.pdf
        rankscale figure bounds qrels.txt runs/*.gz --by p -o persistence.pdf
    """
    if by not in ("depth", "p"):
        raise ParameterError(f"bounds are drawn by 'depth' or by 'p', got {by!r}")
    requested, names = study.request, study.evaluation.runs
    places = _places(study, OF_DEPTH if by == "depth" else OF_P, runs)
    pools = tuple(map(_words, requested.pool_depths or (None,)))
    if by == "p" and len(places) > NAMED:
        raise ParameterError(f"a plot of bounds by p has room for {NAMED} runs, got {len(places)}: name fewer")
    if len(pools) * (len(places) if by == "depth" else 1) > MOST_PLOTS:
        fewer = "name fewer runs, or ask for fewer pools"
        raise ParameterError(f"a figure has room for {MOST_PLOTS} plots of bounds: {fewer}")
    if len(requested.depths if by == "depth" else requested.grid) < 2:
        raise ParameterError(f"a band goes from one {by} to another: give two or more")
    shown = tuple(names[place] for place in places)
    table = study.tables()["depths" if by == "depth" else "persistence"]
    chosen = [_row(row, by) for row in table if row["run"] in shown]
    chosen = sorted((row for row in chosen if row["pool"] in pools), key=lambda row: number(row[by]))
    return BoundsFigure(
        bounds=Table.from_rows(chosen),
        by=by,
        runs=shown,
        pools=pools,
        kinds=tuple(f"p = {p:g}" for p in requested.p) if by == "depth" else shown,
    )


def _places(study: Bounds, count: int, runs: Sequence[str] | None) -> list[int]:
    names = study.evaluation.runs
    if runs:
        return list(dict.fromkeys(place_of(names, run, "run", "there are") for run in runs))
    requested = study.request
    lower = study.by_p[0, 0, requested.grid.index(requested.p[0])]
    return sorted(range(len(names)), key=lambda place: -lower[place])[:count]


def _row(row: Mapping[str, Cell], by: str) -> dict[str, Cell]:
    """A row of the study, with the words for its pool and for its band."""
    pool, p = _words(row["pool_depth"]), f"p = {number(row['p']):g}"
    numbers = {name: cell for name, cell in row.items() if name not in ("run", "pool_depth")}
    return {"run": row["run"], "pool": pool, **numbers, "kind": p if by == "depth" else row["run"]}


def _words(pool: Cell) -> str:
    return ALL_JUDGMENTS if pool is None else f"pool depth {pool}"


def bounds_figure_of_runs(
    study: Callable[..., Bounds],
    *,
    by: Literal["depth", "p"] = "depth",
    runs: Sequence[str] | None = None,
    depths: Sequence[int] = DEPTHS_DRAWN,
    grid: Sequence[float] = GRID_DRAWN,
) -> BoundsFigure:
    """The figure of a study that is still to be made, with what goes across alone.

    Parameters
    ----------
    depths : sequence of int
        Depths of rankings, with --by depth.
    grid : sequence of float
        Values of p, with --by p.
    """
    across = {"depths": depths, "grid": ()} if by == "depth" else {"depths": (), "grid": grid}
    return bounds_figure(study(**across), by, runs)


COMMAND = Declaration(
    bounds_figure_of_runs,
    python=bounds_figure,
    source="study",
    study="bounds",
    study_options=("persistence", "pool_depths"),
    fixed={"accuracy": ()},
    flags={"runs": "--run"},
    shared=("missing", "relevance", "gains", "grades", "reading"),
)
