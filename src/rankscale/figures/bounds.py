"""What unjudged documents leave open in RBP, by depth or by p (Moffat and Zobel, TOIS 27(1), 2008, Figs. 5 and 6)."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import ClassVar, Literal

from rankscale.data.declared import Declaration
from rankscale.data.names import place_of
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Figure, Space, Spec
from rankscale.figures.base.lines import far_apart, told_apart
from rankscale.figures.base.panels import columns_of
from rankscale.figures.base.vega import mark_spec, quantitative
from rankscale.figures.pools import LEAST_WIDTH, MOST_COLUMNS
from rankscale.studies.bounds import Bounds

ALL_JUDGMENTS = "all judgments"
MOST_PLOTS = 12
OF_DEPTH, OF_P = 1, 2  # runs that are drawn where none are named: each has a plot for each pool by depth, one by p
DEPTHS_DRAWN = (1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100, 200, 500, 1000)
GRID_DRAWN = tuple(round(0.05 * step, 2) for step in range(1, 20))


@dataclass(frozen=True, repr=False)
class BoundsFigure(Figure):
    """Bands from lower to upper, means over topics: by depth one for each p, by p one for each pool.

    By depth every run has a plot for each pool, by p one plot with all pools; all plots have the same axes.
    """

    name: ClassVar[str] = "bounds"

    rows: Table  # run, pool, p, depth (by depth), lower, upper, residual, kind
    by: Literal["depth", "p"]
    runs: tuple[str, ...]
    pools: tuple[str, ...]
    kinds: tuple[str, ...]  # of bands: p or pools

    @property
    def title(self) -> str:
        """What of, and of which run if it is one."""
        of = f", {self.runs[0]}" if len(self.runs) == 1 else ""
        return f"Lower and upper RBP by {self.by}{of}"

    @property
    def description(self) -> str:
        """The bounds at the far end of each band."""
        last = {(row["run"], row["pool"], row["p"] if self.by == "depth" else None): row for row in self.rows}
        message = "; ".join(
            f"{self._told(row)}: {_number(row['lower']):.4f} to {_number(row['upper']):.4f}" for row in last.values()
        )
        end = max(_number(row[self.by]) for row in last.values())
        where = f"depth {end:g}" if self.by == "depth" else f"p = {end:g}"
        return f"{self.title}: bands between what mean RBP is at least and at most. At {where}: {message}."

    def _told(self, row: Mapping[str, Cell]) -> str:
        """Whose band it is."""
        names = [row["run"]] if len(self.runs) > 1 else []
        return ", ".join(map(str, [*names, row["pool"], *([row["kind"]] if self.by == "depth" else [])]))

    def data(self) -> dict[str, Table]:
        """Lower and upper."""
        return {"bounds": self.rows}

    def draw(self, space: Space) -> Spec:
        """As many plots beside each other as have room."""
        shown = list(product(self.runs, self.pools)) if self.by == "depth" else [(run, None) for run in self.runs]
        # A row for each run, if all its pools have room beside each other.
        side_by_side = len(self.pools) if self.by == "depth" and len(self.pools) > 1 else len(shown)
        columns = columns_of(side_by_side, space, LEAST_WIDTH, MOST_COLUMNS)
        rows = math.ceil(len(shown) / columns)
        width = round(space.width / columns)
        natural = (0.6 if columns == 1 else 0.85) * width
        height = round(space.height / rows if space.look.height else natural)
        plots = [
            self._plot(run, pool, (place % columns == 0, place + columns >= len(shown)), space, (width, height))
            for place, (run, pool) in enumerate(shown)
        ]
        together = {"data": {"name": "bounds"}}
        if len(plots) == 1:
            return {**together, **plots[0]}
        return {**together, "concat": plots, "columns": columns, "spacing": 1.5 * space.look.font_size}

    def _plot(
        self, run: str, pool: str | None, titled: tuple[bool, bool], space: Space, size: tuple[float, float]
    ) -> Spec:
        look, (width, height), (left, bottom) = space.look, size, titled
        words = [] if len(self.runs) == 1 and pool else [run]
        head = [*words, *([pool] if pool else [])] if len(self.runs) > 1 or pool else []
        only: list[Spec] = [{"filter": {"field": "run", "oneOf": [run]}}]
        if pool:
            only.append({"filter": {"field": "pool", "oneOf": [pool]}})
        title = {
            "text": head,
            "fontSize": look.font_size,
            "fontWeight": "normal",
            "limit": width,
            "offset": look.font_size / 2,
        }
        return {
            **({"title": title} if head else {}),
            "width": width,
            "height": height,
            "transform": only,
            "encoding": {"x": self._across(space, width, titled=bottom)},
            "layer": self._bands(space, titled=left),
        }

    def _across(self, space: Space, width: float, *, titled: bool) -> Spec:
        values = sorted({_number(cell) for cell in self.rows.columns[self.by]})
        axis: Spec = {"grid": False, "labelOverlap": "greedy", "labelSeparation": 2, "format": "~f"}
        scale: Spec = {"nice": False, "domain": [values[0], values[-1]] if self.by == "depth" else [0, 1]}
        if self.by == "depth":
            powers = [10.0**power for power in range(math.ceil(math.log10(values[-1])) + 1)]
            wanted = [values[-1], values[0], *(one for one in powers if values[0] < one < values[-1])]
            axis["values"] = far_apart(wanted, [values[0], values[-1]], width / space.look.font_size, logarithmic=True)
            scale["type"] = "log"
        else:
            axis["tickCount"] = max(3, round(width / (5 * space.look.font_size)))
        words = "depth of the ranking" if self.by == "depth" else "p, persistence"
        return quantitative(self.by, title=words if titled else None, scale=scale, axis=axis)

    def _bands(self, space: Space, *, titled: bool) -> list[Spec]:
        """Both bounds as lines, and what lies between them shaded."""
        top = max(_number(cell) for cell in self.rows.columns["upper"])
        title = "RBP" if titled else None
        y: Spec = {"type": "quantitative", "title": title, "scale": {"domain": [0, top], "nice": True}}
        styles = told_apart("kind", self.kinds, space)
        legend = {**styles["color"]["legend"], "symbolType": "stroke", "symbolSize": 20 * space.look.font_size}
        colour = {**styles["color"], "legend": legend}
        dash = {**styles["strokeDash"], "legend": legend}
        numbers = [quantitative(name, format=".4f") for name in ("lower", "upper", "residual")]
        message = [{"field": "kind"}, {"field": self.by}, *numbers]
        line = mark_spec("line", strokeWidth=1.2, aria=False)
        return [
            {
                "mark": mark_spec("area", opacity=0.2, aria=False),
                "encoding": {
                    "y": {**y, "field": "lower"},
                    "y2": {"field": "upper"},
                    "color": colour,
                    "tooltip": message,
                },
            },
            *(
                {"mark": line, "encoding": {"y": {**y, "field": name}, "color": colour, "strokeDash": dash}}
                for name in ("lower", "upper")
            ),
        ]


def bounds_figure(
    study: Bounds, by: Literal["depth", "p"] = "depth", runs: Sequence[str] | None = None
) -> BoundsFigure:
    """Draw bounds of RBP by depth, or by p.

    Bands are between the lower and the upper bound of mean rank-biased precision (RBP). By depth, a plot for each run
    and pool with a band for each p; by p, a plot for each run with a band for each pool. Pools are of all runs given,
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
        If an option has a value that it cannot take.

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
    if len(places) * (len(pools) if by == "depth" else 1) > MOST_PLOTS:
        raise ParameterError(
            f"a figure has room for {MOST_PLOTS} plots of bounds: name fewer runs, or ask for fewer pools"
        )
    if len(requested.depths if by == "depth" else requested.grid) < 2:
        raise ParameterError(f"a band goes from one {by} to another: give two or more")
    shown = {names[place] for place in places}
    table = "depths" if by == "depth" else "persistence"
    chosen = [_row(row, by) for row in study.tables()[table] if row["run"] in shown]
    chosen = sorted((row for row in chosen if row["pool"] in pools), key=lambda row: _number(row[by]))
    return BoundsFigure(
        rows=Table({name: [row[name] for row in chosen] for name in chosen[0]}),
        by=by,
        runs=tuple(names[place] for place in places),
        pools=pools,
        kinds=tuple(f"p = {p:g}" for p in requested.p) if by == "depth" else pools,
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
    pool, p = _words(row["pool_depth"]), f"p = {_number(row['p']):g}"
    numbers = {name: cell for name, cell in row.items() if name not in ("run", "pool_depth")}
    return {"run": row["run"], "pool": pool, **numbers, "kind": p if by == "depth" else pool}


def _words(pool: Cell) -> str:
    return ALL_JUDGMENTS if pool is None else f"pool depth {pool}"


def _number(cell: Cell) -> float:
    return math.nan if cell is None else float(cell)


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
