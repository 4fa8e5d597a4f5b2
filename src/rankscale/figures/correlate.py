"""How far measures agree on the order of runs: a heat map of their correlations."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from rankscale.data.arguments import Declaration
from rankscale.data.arrays import Floats
from rankscale.data.table import Cell, Table
from rankscale.figures.base.figure import Figure, Space, Spec, number, numbers
from rankscale.figures.base.heat_map import HeatMap, ink_on_shades
from rankscale.figures.base.labels import measure_labels
from rankscale.figures.base.vega import by_kind, digits, layer, mark_spec, only
from rankscale.stats.correlation.correlations import METHODS
from rankscale.stats.correlation.rank_correlations import EQUIVALENT, SIMILAR, reading
from rankscale.studies.correlate import Correlation
from rankscale.studies.discriminate import ONE_OF_EACH_KIND

ITSELF, ITS_VERSION, VERSIONS = (
    "measures",
    "a measure and its interval version",
    "interval versions",
)  # what a cell is of
CellOfMap = tuple[str, str, str, float, str]  # row, column, what it is of, value, how that is read
READINGS = {"equivalent": f"equivalent (above {EQUIVALENT:g})", "similar": f"similar (from {SIMILAR:g})"}
SIGNS = {  # an equals sign and a wave, as paths
    "equivalent": "M-1,-0.4L1,-0.4M-1,0.4L1,0.4",
    "similar": "M-1,0.2C-0.6,-0.5,-0.3,-0.3,0,0C0.3,0.3,0.6,0.5,1,-0.2",
}


@dataclass(frozen=True, repr=False)
class CorrelateFigure(Figure):
    """A cell for each two measures, which are ordered so that those that agree stand next to each other.

    Where it does not matter which of two is first, there is one triangle of cells. Where the study has the interval
    version of every measure, measures stand below the diagonal, their interval versions above it, and the diagonal
    shows how far a measure agrees with its own. Crosses are coefficients that are undefined.
    """

    name: ClassVar[str] = "correlate"

    study: Correlation
    cells: Table  # measure (row), other (column), of, value, reading
    measures: tuple[str, ...]
    versions: bool  # whether the other half is that of interval versions
    turned: tuple[str, ...]  # measures that agree with others where the coefficient is negative: low is good
    panels: tuple["CorrelateFigure", ...] = ()  # those with which it shares its colours, itself among them

    @property
    def title(self) -> str:
        """The coefficient, and of what."""
        what = "measures, between their interval versions, and of each with its own" if self.versions else "measures"
        runs, topics = len(self.study.evaluation.runs), len(self.study.topics)
        return f"{self.study.overall.words} between {what}: {runs} runs, {topics} topics"

    @property
    def description(self) -> str:
        """The pairs that agree most and least."""
        pairs = [row for row in self.cells if row["measure"] != row["other"] and isinstance(row["value"], float)]
        sentences = []
        for kind in dict.fromkeys(str(row["of"]) for row in pairs):
            known = [row for row in pairs if row["of"] == kind and row["value"] == row["value"]]
            if known:
                most, least = max(known, key=self._agreement), min(known, key=self._agreement)
                alike = self._agreement(most) == self._agreement(least)
                ends = f"all agree alike, as {_pair(most)}" if alike else f"those that agree most are {_pair(most)}"
                sentences.append(f"Of {kind}, {ends}{'' if alike else f'; least, {_pair(least)}'}.")
        runs, words = len(self.study.evaluation.runs), self.study.overall.words
        start = f"Heat map of {words} between {len(self.measures)} measures over {runs} runs."
        if unknown := len(self.cells) - len(numbers(self.cells, "value")):
            sentences.append(f"It is undefined in {unknown} of {len(self.cells)} cells.")
        return " ".join([start, *sentences])

    def _agreement(self, row: Mapping[str, Cell]) -> float:
        opposed = (row["measure"] in self.turned) != (row["other"] in self.turned)
        return float(row["value"] or 0) * (-1 if opposed else 1)

    def beside(self, others: Sequence[Figure]) -> Figure:
        """The same, with colours and signs that mean the same in all panels."""
        return replace(self, panels=tuple(one for one in others if isinstance(one, CorrelateFigure)))

    @property
    def domain(self) -> list[float]:
        """From a half to 1, or from as far down as values go in tenths; from -1 if anything is negative."""
        values = [value for panel in self.panels or (self,) for value in numbers(panel.cells, "value")]
        least = min(values, default=0.0)
        return [-1.0 if least < 0 else min(0.5, math.floor(10 * least) / 10), 1.0]

    def draw(self, space: Space) -> Spec:
        """A square of cells or, where one half says all, a triangle; readings under the numbers that have room."""
        halves = ("above the diagonal: their interval versions", "below it: measures")
        readings = {cell for panel in self.panels or (self,) for cell in panel.cells.columns["reading"]}
        there = [name for name in SIGNS if name in readings]
        return HeatMap(
            self.cells,
            self.measures,
            "other",
            "measure",
            self.domain,
            self.study.overall.words.split(",", maxsplit=1)[0],
            ["measure", "other", "of", *digits("value"), "reading"],
            triangle=METHODS[self.study.overall.method].symmetric and not self.versions and len(self.measures) > 1,
            titles=halves if self.versions else (None, None),
            signs=partial(self._signs, there) if there else None,
        ).plot(space)

    def _signs(self, readings: list[str], space: Space, size: float) -> Spec:
        """Under the number an equals sign where measures are read as equivalent, a wave where as similar."""
        legend = {
            "orient": "bottom",
            "title": None,
            "direction": "horizontal",
            "columns": 2 if space.width > 30 * size else 1,
            "symbolStrokeColor": space.look.ink,
            "symbolSize": 4 * size,
            "labelExpr": f"datum.label === 'equivalent' ? '{READINGS['equivalent']}' : '{READINGS['similar']}'",
        }
        point = mark_spec("point", filled=False, size=3 * size, strokeWidth=0.12 * size, yOffset=0.6 * size)
        return layer(
            {**point, "opacity": 1, "aria": False},
            None,
            [only("reading", *readings)],
            **by_kind("reading", readings, legend, shape=[SIGNS[name] for name in readings]),
            color=ink_on_shades("value", self.domain, space.look),
        )


def correlate_figure(study: Correlation) -> CorrelateFigure:
    """Draw a heat map of how far measures agree about runs.

    Measures that agree stand next to each other: they are ordered by the coefficients (average linkage).

    Parameters
    ----------
    study : Correlation
        Result of `correlate`.

    Returns
    -------
    CorrelateFigure
        The heat map.

    Command line
    ------------
        rankscale figure correlate qrels.txt runs/*.gz -m AP -m nDCG@10 -m RR -o correlations.pdf
        rankscale figure correlate qrels.txt runs/*.gz -m AP@10 -m RR@10 --interval -o correlations.svg
        rankscale figure correlate qrels.txt runs/*.gz --method spearman --top 0.75 -o correlations.html
    """
    tables, symmetric = study.tables(), METHODS[study.overall.method].symmetric
    shown = measure_labels(study.evaluation.measures)
    of_versions = {str(row["measure"]): str(row["interval_version"]) for row in tables.get("versions", ())}
    versions = symmetric and len(study.names) == 2 * len(of_versions) > 0
    low = tuple(str(measure) for measure in study.evaluation.measures if measure.low_is_good)
    turned = () if study.overall.method == "rbo" else low  # an overlap is not below 0
    order = _arranged(tuple(of_versions) if versions else study.names, study, turned)
    cells = _halves(tables, order, study) if versions else _pairs(order, study, symmetric=symmetric)
    named: list[tuple[Cell, ...]] = [
        (shown.get(cell[0], cell[0]), shown.get(cell[1], cell[1]), *cell[2:]) for cell in cells
    ]
    return CorrelateFigure(
        study=study,
        cells=Table.of(("measure", "other", "of", "value", "reading"), named),
        measures=tuple(shown.get(name, name) for name in order),
        versions=versions,
        turned=tuple(shown.get(name, name) for name in turned),
    )


def _arranged(names: Sequence[str], study: Correlation, turned: Sequence[str]) -> list[str]:
    """Names, those that agree next to each other."""
    places = [study.names.index(name) for name in names]
    signs = np.array([-1.0 if name in turned else 1.0 for name in names])
    agreement = study.overall.matrix[np.ix_(places, places)] * np.outer(signs, signs)
    return [names[place] for place in by_similarity(agreement)]


def by_similarity(agreement: Floats) -> list[int]:
    """Rows in an order in which those that agree stand next to each other (average linkage); row 0 in the first half.

    >>> by_similarity(np.array([[1, 0.2, 0.9], [0.2, 1, 0.3], [0.9, 0.3, 1]]))
    [0, 2, 1]
    """
    if len(agreement) < 3:
        return list(range(len(agreement)))
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    known = np.nan_to_num(agreement)
    apart = 1 - (known + known.T) / 2
    np.fill_diagonal(apart, 0)
    condensed = np.clip(squareform(apart, checks=False), 0, None)
    order: list[int] = leaves_list(linkage(condensed, "average", optimal_ordering=True)).tolist()
    return order[::-1] if order.index(0) >= len(order) / 2 else order


def _pairs(order: Sequence[str], study: Correlation, *, symmetric: bool) -> Iterator[CellOfMap]:
    """Below the diagonal or, where it matters which measure is first, all but the diagonal."""
    for down, name in enumerate(order):
        for other in order[:down] if symmetric else (*order[:down], *order[down + 1 :]):
            i, j = study.names.index(name), study.names.index(other)
            text = study.reading(i, j) if METHODS[study.overall.method].read else ""
            yield name, other, ITSELF, float(study.overall.matrix[i, j]), text


def _halves(tables: Mapping[str, Table], order: Sequence[str], study: Correlation) -> Iterator[CellOfMap]:
    """Measures below the diagonal, their interval versions above it, and each with its own on it."""
    for row in tables["versions"]:
        value, name = number(row["value"]), str(row["measure"])
        yield name, name, ITS_VERSION, value, _reading(study, value)
    low = {str(measure): measure.low_is_good for measure in study.evaluation.measures}
    for row in tables["scaled"]:
        upper, lower = sorted((str(row["measure"]), str(row["other"])), key=order.index)
        sign = 1 if low[upper] == low[lower] else -1  # agreement of opposites is negative
        for first, second, of, value in (
            (lower, upper, ITSELF, number(row["value"])),
            (upper, lower, VERSIONS, number(row["interval_value"])),
        ):
            yield first, second, of, value, _reading(study, sign * value)


def _reading(study: Correlation, value: float) -> str:
    return reading(value) if METHODS[study.overall.method].read else ""


def _pair(row: Mapping[str, Cell]) -> str:
    return f"{row['measure']} and {row['other']}, {float(row['value'] or 0):.4f}"


COMMAND = Declaration(
    correlate_figure,
    source="study",
    study="correlate",
    study_options=("method", "interval"),
    fixed={"by_topic": False, "samples": 0},
    measures=ONE_OF_EACH_KIND,
    shared=("collections", "top", "missing", "judging", "reading"),
)
