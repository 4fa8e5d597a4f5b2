"""How far the order of runs holds with fewer judgments, a line for each measure (the Twist paper, Fig. 13)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankscale.data.arguments import Declaration
from rankscale.data.arrays import Floats
from rankscale.data.table import Cell, Table
from rankscale.figures.base.figure import Figure, Space, Spec, number, numbers
from rankscale.figures.base.labels import far_apart, line_legend, line_styles, measure_labels
from rankscale.figures.base.look import Appearance
from rankscale.figures.base.vega import by_kind, defined, layer, mark_spec, only, plot, quantitative
from rankscale.stats.correlation.rank_correlations import EQUIVALENT, SIMILAR
from rankscale.studies.robustness import COMMAND as OF_STUDY
from rankscale.studies.robustness import Robustness
from rankscale.studies.robustness.sampling import DrawnJudgments
from rankscale.studies.support.selection import over_iterations

ALL = 100.0  # percent: the order with all judgments, which agrees with itself
NARROW = 36  # heights of type; in less width plots stand under each other
BAND = 0.12  # opacity of the bands, which lie over each other


@dataclass(frozen=True, repr=False)
class RobustnessFigure(Figure):
    """Tau between the order of runs with the judgments that are left and with all of them.

    As in the paper, all judgments are on the left and lines fall to the right as judgments are lost: the flatter a
    line, the more robust the measure. Bands are one standard deviation over iterations, up and down. Where
    discriminative power was requested, it has a plot of its own.
    """

    name: ClassVar[str] = "robustness"

    tau: Table  # measure, size, tau, deviation, low, high
    power: Table | None  # measure, size, power, deviation, low, high
    measures: tuple[str, ...]
    sizes: tuple[float, ...]  # all that are drawn
    by_chance: bool  # sizes are percentages; else depths of a pool
    study: Robustness
    panels: tuple["RobustnessFigure", ...] = ()  # those with which it shares its axes, itself among them

    @property
    def title(self) -> str:
        """What the judgments were taken away by."""
        runs = len(self.study.evaluation.runs)
        return f"Order of {runs} runs with {'fewer judgments' if self.by_chance else 'shallower pools'}"

    @property
    def description(self) -> str:
        """Tau with the fewest judgments, the most robust measure first."""
        least = min(self.sizes)
        ends = {str(row["measure"]): number(row["tau"]) for row in self.tau if row["size"] == least}
        best = sorted(ends, key=lambda measure: -ends[measure] if ends[measure] == ends[measure] else math.inf)
        taus = ", ".join(f"{measure} {ends[measure]:.4f}" for measure in best)
        with_least = f"{least:g}% of the judgments" if self.by_chance else f"a pool of depth {least:g}"
        iterations, runs = self.study.iterations, len(self.study.evaluation.runs)
        mean = f", mean of {iterations} iterations" if iterations > 1 else ""
        return (
            f"Kendall's tau-b between the order of {runs} runs with all judgments and with fewer of them{mean}, a "
            f"line for each measure. With {with_least}: {taus}.{self._power_sentence()}"
        )

    def _power_sentence(self) -> str:
        if self.power is None:
            return ""
        most, least = max(self.sizes), min(self.sizes)
        power = {(row["measure"], row["size"]): number(row["power"]) for row in self.power}
        ends = ", ".join(f"{name} {power[name, most]:.2%} to {power[name, least]:.2%}" for name in self.measures)
        return f" Discriminative power goes, from most to fewest judgments, from {ends}."

    def beside(self, others: Sequence[Figure]) -> Figure:
        """The same, its axes of tau and of power as long as those of other panels."""
        return replace(self, panels=tuple(one for one in others if isinstance(one, RobustnessFigure)))

    def _on_axis(self, value: str, *columns: str) -> list[float]:
        """Numbers of tau or of power in all panels."""
        tables = [getattr(panel, value) for panel in self.panels or (self,)]
        return [one for table in tables if table is not None for one in numbers(table, *columns)]

    def draw(self, space: Space) -> Spec:
        """One plot, or two side by side or, in a narrow figure, under each other."""
        if self.power is None:
            return self._plot("tau", space, space.width, space.height)
        under = (space.look.width or space.width) < NARROW * space.look.font_size
        width = space.width if under else round(space.width / 2)
        height = round(space.height / 2) if under and space.look.height else round(0.75 * width)
        plots = [self._plot(name, space, width, height) for name in ("tau", "power")]
        return {"vconcat" if under else "hconcat": plots, "resolve": {"scale": {"y": "independent"}}}

    def _plot(self, value: str, space: Space, width: float, height: float) -> Spec:
        layers = [one for place in range(len(self.measures)) for one in self._measure(value, place, space)]
        marks = [self._marks(space)] if value == "tau" else []
        drawn = plot([*marks, {"layer": layers}], width, height, value, x=self._sizes(space.look, width))
        return {**drawn, "resolve": {"scale": {"strokeDash": "independent"}}}

    def _sizes(self, look: Appearance, width: float) -> Spec:
        """From most to fewest."""
        least, most = min(self.sizes), max(self.sizes)
        ends = [most + 5, max(-2.0, least - 5)] if self.by_chance else [most * 1.15, least / 1.15]
        labels = far_apart(self.sizes, ends, width / look.font_size, logarithmic=not self.by_chance)
        return quantitative(
            "size",
            title="judgments kept (%)" if self.by_chance else "depth of the pool",
            scale={"type": "linear" if self.by_chance else "log", "domain": ends, "nice": False},
            axis={"values": labels, "labelOverlap": False, "format": "~f", "grid": False},
        )

    def _values(self, value: str) -> Spec:
        if value == "power" and self.power is not None:
            top = max(self._on_axis("power", "power", "high"), default=1.0)
            scale: Spec = {"domain": [0, min(1.0, top * 1.05) or 1.0], "nice": top < 0.9}
            return {"type": "quantitative", "title": "discriminative power", "scale": scale, "axis": {"format": ".0%"}}
        scale = {"domain": [min(SIMILAR, *self._on_axis("tau", "tau", "low"), 1.0) - 0.02, 1], "nice": False}
        return {"type": "quantitative", "title": "Kendall's tau-b", "scale": scale, "axis": {"tickCount": 6}}

    def _marks(self, space: Space) -> Spec:
        """Where orders are read as equivalent, and as similar."""
        names = [f"equivalent above {EQUIVALENT:g}", f"similar above {SIMILAR:g}"]
        levels = [{"level": level, "mark": name} for level, name in zip((EQUIVALENT, SIMILAR), names, strict=True)]
        # Above the plot: under it is the legend of measures, and Vega puts two into one row, fit or not.
        above = {"orient": "top", "symbolType": "stroke", "offset": space.look.font_size / 2}
        dashes = by_kind("mark", names, {**line_legend(names, space), **above}, strokeDash=[[5, 2], [1, 2]])
        rule = mark_spec("rule", strokeWidth=1, aria=False)
        return layer(rule, levels, x=None, y={**self._values("tau"), "field": "level"}, **dashes)

    def _measure(self, value: str, place: int, space: Space) -> list[Spec]:
        """Band, line and points of a measure."""
        size, name = space.look.font_size, self.measures[place]
        own = [only("measure", name)]
        styles = line_styles("measure", self.measures, space)
        at, low = ({**self._values(value), "field": field} for field in (value, "low"))
        tooltip = ["measure", "size", *({"field": field, "format": ".4f"} for field in (value, "deviation"))]
        colour, dash, shape = (styles[channel] for channel in ("color", "strokeDash", "shape"))
        band = mark_spec("area", opacity=BAND, aria=False, clip=True)
        line = mark_spec("line", strokeWidth=1.2, aria=False)
        point = mark_spec("point", filled=True, size=3.5 * size, opacity=1)
        spread = [*own, defined("low")]
        return [
            layer(band, None, spread, y=low, y2="high", color=colour),
            layer(line, None, own, y=at, color=colour, strokeDash=dash),
            layer(point, None, own, y=at, color=colour, shape=shape, tooltip=tooltip),
        ]


def robustness_figure(study: Robustness) -> RobustnessFigure:
    """Draw how far fewer judgments keep the order of runs.

    Drawn is tau between the orders with fewer and with all judgments, a line for each measure. All judgments are on the
    left; bands are a standard deviation over iterations, up and down.

    Parameters
    ----------
    study : Robustness
        Result of `robustness`.

    Returns
    -------
    RobustnessFigure
        The lines.

    Notes
    -----
    Random samples start from all judgments, where every order agrees with itself.

    Command line
    ------------
        rankscale figure robustness qrels.txt runs/*.gz -m AP -m Bpref -m Twist --top 0.75 -o robustness.pdf
        rankscale figure robustness qrels.txt runs/*.gz --sampling depth -o depth.svg --width 84mm
        rankscale figure robustness qrels.txt runs/*.gz -m AP --iterations 3 -o robustness.html
    """
    measures = tuple(measure_labels(study.evaluation.measures).values())
    by_chance = isinstance(study.sampling, DrawnJudgments)
    start = np.array([_with_itself(means) for means in study.evaluation.means().values]) if by_chance else None
    full_power = study.full_power if by_chance else None
    return RobustnessFigure(
        tau=_rows("tau", measures, study.sizes, study.tau, start),
        power=None if study.power is None else _rows("power", measures, study.sizes, study.power, full_power),
        measures=measures,
        sizes=tuple(sorted({*study.sizes, *([ALL] if by_chance else [])}, reverse=True)),
        by_chance=by_chance,
        study=study,
    )


def _with_itself(means: Floats) -> float:
    """Tau of an order with itself: undefined where runs are all alike."""
    return 1.0 if len(np.unique(means[~np.isnan(means)])) > 1 else math.nan


def _rows(name: str, measures: Sequence[str], sizes: Sequence[float], values: Floats, start: Floats | None) -> Table:
    """Values (measure, size, iteration), and what all judgments give (measure,), the largest size first."""
    mean, deviation = over_iterations(values)

    def cells() -> Iterator[tuple[Cell, ...]]:
        for m, measure in enumerate(measures):
            if start is not None and ALL not in sizes:
                yield measure, ALL, float(start[m]), math.nan, math.nan, math.nan
            for s in np.argsort(-np.array(sizes)).tolist():
                middle, spread = float(mean[m, s]), float(deviation[m, s])
                yield measure, sizes[s], middle, spread, middle - spread, middle + spread

    return Table.of(("measure", "size", name, "deviation", "low", "high"), cells())


COMMAND = Declaration(
    robustness_figure,
    source="study",
    study="robustness",
    study_options=("sampling", "sizes", "iterations", "seed", "pooled", "top", "power", "samples", "alpha"),
    measures=OF_STUDY.measures,
    shared=("collections", "missing", "judging", "reading"),
)
