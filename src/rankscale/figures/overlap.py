"""How far runs rank the same documents: a heat map of a coefficient over each two of them."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from rankscale.data.arguments import Declaration
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Figure, Space, Spec, number, numbers
from rankscale.figures.base.heat_map import HeatMap
from rankscale.figures.base.vega import digits
from rankscale.studies.overlap import Overlap

NAMES = {
    "overlap": "Overlap of documents",
    "jaccard": "Jaccard coefficient of documents",
    "RBO": "Rank-biased overlap (RBO)",
    "tau": "Kendall's tau of shared documents",
    "tau_ap": "AP correlation of shared documents (tau_ap)",
    "tau_union": "Kendall's tau of all documents (tau_union)",
    "KTU": "Kendall's tau of the union (KTU)",
}
SYMMETRIC = ("overlap", "jaccard", "RBO", "tau", "tau_union")  # the same whichever run is first


@dataclass(frozen=True, repr=False)
class OverlapFigure(Figure):
    """A cell for each two runs. Crosses are coefficients that are undefined."""

    name: ClassVar[str] = "overlap"

    coefficient: str
    depth: int
    cells: Table  # first (row), second (column), value, lower, upper, topics
    runs: tuple[str, ...]

    @property
    def title(self) -> str:
        """The coefficient, of how many runs, to which depth."""
        words = NAMES.get(self.coefficient.partition("(")[0], self.coefficient)
        return f"{words}, {len(self.runs)} runs to depth {self.depth}, mean over topics"

    @property
    def description(self) -> str:
        """The pairs that are most and least alike."""
        known = [row for row in self.cells if not math.isnan(number(row["value"]))]
        start = f"Heat map of {self.coefficient} between {len(self.runs)} runs."
        if not known:
            return f"{start} It is undefined for all of them."
        ends = [f(known, key=lambda row: number(row["value"])) for f in (max, min)]
        most, least = (f"{row['first']} and {row['second']}, {number(row['value']):.4f}" for row in ends)
        return f"{start} Most alike are {most}; least, {least}."

    def draw(self, space: Space) -> Spec:
        """Colours from 0 to 1; from -1 if anything is negative."""
        lowest = -1.0 if min(numbers(self.cells, "value"), default=0.0) < 0 else 0.0
        tooltip: list[str | Spec] = ["first", "second", *digits("value", "lower", "upper"), "topics"]
        domain = [lowest, 1.0]
        return HeatMap(self.cells, self.runs, "second", "first", domain, self.coefficient, tooltip).plot(space)


def overlap_figure(study: Overlap, *, show: str = "RBO") -> OverlapFigure:
    """Draw a heat map of how alike the rankings of each two runs are.

    Parameters
    ----------
    study : Overlap
        Result of `overlap`.
    show : str
        Coefficient to draw: overlap, jaccard, RBO, tau, tau_ap, tau_union or KTU. Of tau_ap and KTU, where it matters
        which run is first, the run of the row is.

    Returns
    -------
    OverlapFigure
        The heat map.

    Raises
    ------
    ParameterError
        If the study has no such coefficient.

    Command line
    ------------
        rankscale figure overlap runs/*.gz -o overlap.pdf
        rankscale figure overlap runs/*.gz --show jaccard --depth 10 -o overlap.svg
        rankscale figure overlap runs/*.gz --show tau_union -o overlap.html
    """
    columns = study.rule.columns if study.rule else ()
    by_name = {name.partition("(")[0].casefold(): place for place, name in enumerate(columns)}
    if show.casefold() not in by_name:
        there = ", ".join(columns) or "none, since its runs are of two collections"
        raise ParameterError(f"show must be a coefficient of the study, which has {there}; got {show!r}")
    assert study.rule is not None  # noqa: S101  # it has columns
    place = by_name[show.casefold()]
    runs = dict.fromkeys(name for pair in study.pairs for name in (pair.first, pair.second))
    names = ("first", "second", "value", "lower", "upper", "topics")
    cells = Table.of(names, _cells(study, place, symmetric=columns[place] in SYMMETRIC))
    return OverlapFigure(columns[place], study.rule.depth, cells, tuple(runs))


def _cells(study: Overlap, place: int, *, symmetric: bool) -> Iterator[tuple[Cell, ...]]:
    """All but the diagonal; above it alone where the order of runs matters."""
    for pair in study.pairs:
        numbers = (float(pair.means[place]), *pair.intervals[place], pair.defined[place])
        yield pair.first, pair.second, *numbers
        if symmetric:
            yield pair.second, pair.first, *numbers


def overlap_figure_of_runs(study: Callable[..., Overlap], *, show: str = "RBO") -> OverlapFigure:
    """`overlap_figure` for runs that are still to be compared, by the coefficient that is drawn alone.

    Parameters
    ----------
    show : str
        Coefficient to draw: overlap, jaccard, RBO, tau, tau_ap, tau_union or KTU.
    """
    return overlap_figure(study(coefficient=(show,)), show=show)


COMMAND = Declaration(
    overlap_figure_of_runs,
    python=overlap_figure,
    source="study",
    study="overlap",
    study_options=("depth", "persistence", "norm", "union"),
    fixed={"measures": ()},
    shared=("reading",),
)
