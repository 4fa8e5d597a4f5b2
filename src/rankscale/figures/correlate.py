"""How far measures agree on the order of runs: a heat map of their correlations."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from rankscale.data.declared import Declaration
from rankscale.data.table import Cell, Table
from rankscale.figures.base.cells import number, numbers
from rankscale.figures.base.figure import Figure, Space, Spec
from rankscale.figures.base.heat_map import HeatMap, type_size
from rankscale.figures.base.vega import by_kind, digits, layer, mark_spec, only
from rankscale.stats.correlation.correlations import METHODS
from rankscale.stats.correlation.kendall import EQUIVALENT, SIMILAR, reading
from rankscale.studies.correlate import Correlation
from rankscale.studies.discriminate import ONE_OF_EACH_KIND

ITSELF, ITS_VERSION, VERSIONS = (
    "measures",
    "a measure and its interval version",
    "interval versions",
)  # what a cell is of
READINGS = {"equivalent": f"equivalent (above {EQUIVALENT:g})", "similar": f"similar (from {SIMILAR:g})"}
SIGNS = {  # an equals sign and a wave, as paths
    "equivalent": "M-1,-0.4L1,-0.4M-1,0.4L1,0.4",
    "similar": "M-1,0.2C-0.6,-0.5,-0.3,-0.3,0,0C0.3,0.3,0.6,0.5,1,-0.2",
}


@dataclass(frozen=True, repr=False)
class CorrelateFigure(HeatMap):
    """A cell for each two measures.

    Where the study has the interval version of every measure, measures stand below the diagonal, their interval
    versions above it, and the diagonal shows how far a measure agrees with its own; else the matrix is drawn as it is.
    Crosses are coefficients that are undefined.
    """

    name: ClassVar[str] = "correlate"
    across: ClassVar[str] = "other"
    down: ClassVar[str] = "measure"

    words: str  # the coefficient
    cells: Table  # measure (row), other (column), of, value, reading
    measures: tuple[str, ...]
    versions: bool  # whether the other half is that of interval versions
    turned: tuple[str, ...]  # measures that agree with others where the coefficient is negative: low is good
    runs: int
    topics: int
    panels: tuple["CorrelateFigure", ...] = ()  # those with which it shares its colours, itself among them

    @property
    def title(self) -> str:
        """The coefficient, and of what."""
        what = "measures, between their interval versions, and of each with its own" if self.versions else "measures"
        return f"{self.words} between {what}: {self.runs} runs, {self.topics} topics"

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
        start = f"Heat map of {self.words} between {len(self.measures)} measures over {self.runs} runs."
        unknown = [f"It is undefined in {self.unknown} of {len(self.cells)} cells."] if self.unknown else []
        return " ".join([start, *sentences, *unknown])

    def _agreement(self, row: Mapping[str, Cell]) -> float:
        opposed = (row["measure"] in self.turned) != (row["other"] in self.turned)
        return float(row["value"] or 0) * (-1 if opposed else 1)

    def beside(self, others: Sequence[Figure]) -> Figure:
        """The same, with colours and signs that mean the same in all panels."""
        return replace(self, panels=tuple(one for one in others if isinstance(one, CorrelateFigure)))

    @property
    def labels(self) -> tuple[str, ...]:
        """The measures."""
        return self.measures

    @property
    def titles(self) -> tuple[str | None, str | None]:
        """Which half is that of interval versions."""
        return ("above the diagonal: their interval versions", "below it: measures") if self.versions else (None, None)

    @property
    def domain(self) -> list[float]:
        """From a half to 1, or from as far down as values go in tenths; from -1 if anything is negative."""
        values = [value for panel in self.panels or (self,) for value in numbers(panel.cells, "value")]
        least = min(values, default=0.0)
        return [-1.0 if least < 0 else min(0.5, math.floor(10 * least) / 10), 1.0]

    @property
    def legend_title(self) -> str:
        """The coefficient."""
        return self.words.split(",", maxsplit=1)[0]

    @property
    def tooltip(self) -> list[str | Spec]:
        """Measures, what they are, the coefficient and how it is read."""
        return ["measure", "other", "of", *digits("value"), "reading"]

    def numbers(self, space: Space, cell: float) -> list[Spec]:
        """Two digits in each cell, in the type that fits, and how they are read; nothing that would be too small."""
        size = type_size(space, cell)
        if size is None:
            return []
        readings = {cell for panel in self.panels or (self,) for cell in panel.cells.columns["reading"]}
        there = [name for name in SIGNS if name in readings]
        read = bool(there) and cell > 2.4 * size
        shown = self.number_layer(space, size, -0.45 * size if read else 0)
        return [shown, self._signs(there, size, space)] if read else [shown]

    def _signs(self, readings: list[str], size: float, space: Space) -> Spec:
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
            color=self.ink(space.look),
        )


def correlate_figure(study: Correlation) -> CorrelateFigure:
    """Draw a heat map of how far measures agree about runs.

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
    of_versions = {str(row["measure"]): str(row["interval_version"]) for row in tables.get("versions", ())}
    versions = symmetric and len(study.names) == 2 * len(of_versions) > 0
    cells = list(_halves(tables["versions"], tables["scaled"], study) if versions else _whole(study))
    names = ("measure", "other", "of", "value", "reading")
    low = tuple(str(measure) for measure in study.evaluation.measures if measure.low_is_good)
    return CorrelateFigure(
        words=study.overall.words,
        cells=Table.of(names, cells),
        measures=tuple(of_versions) if versions else study.names,
        versions=versions,
        turned=() if study.overall.method == "rbo" else low,  # an overlap is not below 0
        runs=len(study.evaluation.runs),
        topics=len(study.topics),
    )


def _whole(study: Correlation) -> Iterator[tuple[Cell, ...]]:
    """All but the diagonal, which says nothing."""
    for i, name in enumerate(study.names):
        for j, other in enumerate(study.names):
            if i != j:
                value = float(study.overall.matrix[i, j])
                text = study.reading(i, j) if METHODS[study.overall.method].read else ""
                yield name, other, ITSELF, value, text


def _halves(versions: Table, scaled: Table, study: Correlation) -> Iterator[tuple[Cell, ...]]:
    for row in versions:
        value = number(row["value"])
        yield row["measure"], row["measure"], ITS_VERSION, value, _reading(study, value)
    low = {str(measure): measure.low_is_good for measure in study.evaluation.measures}
    for row in scaled:  # the second measure stands further down
        sign = 1 if low[str(row["measure"])] == low[str(row["other"])] else -1  # agreement of opposites is negative
        for first, second, of, value in (
            (row["other"], row["measure"], ITSELF, number(row["value"])),
            (row["measure"], row["other"], VERSIONS, number(row["interval_value"])),
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
