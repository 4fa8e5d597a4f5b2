"""Evaluation: all values by measure, run and topic; Means: one number for each run and measure."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from rankscale import __version__
from rankscale.data.arrays import Bools, Floats, Ints, frozen, same
from rankscale.data.names import place_of
from rankscale.data.rows import Rows
from rankscale.data.table import ValueTable
from rankscale.errors import ParameterError
from rankscale.evaluation.notices import of_common_topics
from rankscale.formats.write import rows, text
from rankscale.formats.write.tidy import Tidy
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse

BOUNDS, TIES = ("lower", "upper"), ("ties_lower", "ties_upper")  # what can stand beside the values
HOLDER = "this evaluation has"  # said before the names that there are
COMMON = "topics:common|"  # what a signature starts with where topics were left out


@dataclass(frozen=True, eq=False)
class Evaluation(Tidy):
    """All values by measure, run and topic, with what is needed to get them again."""

    writers: ClassVar[str] = "rankscale.formats.write.frames"

    measures: tuple[Measure, ...]
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats  # (measure, run, topic); NaN where undefined or missing
    retrieved: Bools  # (run, topic): whether the topic counts for the run
    signature: str = ""
    sources: tuple[str, ...] = ()  # of the qrels, then of each run
    warnings: tuple[str, ...] = ()
    levels: tuple[float, ...] = ()  # the grades of the collection, ascending
    # (measure, run, topic) each, where asked for; NaN where a measure has none
    lower: Floats | None = None  # the value if all unjudged documents were at their worst
    upper: Floats | None = None  # and at their best
    ties_lower: Floats | None = None  # the value if all tied documents stood in their worst order
    ties_upper: Floats | None = None  # and in their best

    @cached_property
    def _summaries(self) -> tuple[Floats, Ints]:
        """(measure, run): the one number of each run, and over how many topics it is."""
        counted = np.count_nonzero(~np.isnan(np.where(self.retrieved, self.values, np.nan)), axis=-1)
        return self._summarised(self.values), counted

    def _summarised(self, values: Floats) -> Floats:
        """(measure, run): one number for all topics."""
        kept = np.where(self.retrieved, values, np.nan)
        means = [measure.summarise(one) for measure, one in zip(self.measures, kept, strict=True)]
        return np.array(means).reshape(kept.shape[:2])

    def _means_beside(self, values: Floats) -> Floats:
        """(measure, run): one number for all topics, undefined where a measure has none of this kind."""
        return np.where(np.isnan(values).all(axis=-1), np.nan, self._summarised(values))

    @property
    def _beside(self) -> dict[str, Floats]:
        """What stands beside the values, by name."""
        return {name: getattr(self, name) for name in (*BOUNDS, *TIES) if getattr(self, name) is not None}

    def means(self) -> "Means":
        """One number for each run and measure, and over how many topics it is."""
        return Means(self.table())

    def by_topic(self, run: str, measure: str | Measure) -> dict[str, float]:
        """The values of one run."""
        row, column = place_of(self.runs, run, "run", HOLDER), self._measure(measure)
        kept = np.flatnonzero(self.retrieved[row]).tolist()
        return {self.topics[t]: float(self.values[column, row, t]) for t in kept}

    def __getitem__(self, measures: "str | Measure | list[str | Measure]") -> Self:
        """The same evaluation with one measure, or with those of a list."""
        asked = measures if isinstance(measures, list) else [measures]
        places = [self._measure(measure) for measure in asked]
        kept: dict[str, Any] = {name: frozen(values[places]) for name, values in self._beside.items()}
        chosen = tuple(self.measures[place] for place in places)
        return replace(self, measures=chosen, values=frozen(self.values[places]), **kept)

    def _measure(self, measure: str | Measure) -> int:
        names = [str(one) for one in self.measures]
        # Values that were transformed are called by names that nothing can be measured by.
        return (
            names.index(str(measure))
            if str(measure) in names
            else place_of(names, str(parse(measure)), "measure", HOLDER)
        )

    @property
    def _whole(self) -> tuple[bool, ...]:
        return tuple(measure.summary == "sum" for measure in self.measures)

    def common(self) -> Self:
        """The same evaluation over the topics that all runs have."""
        if self.signature.startswith(COMMON):
            return self
        everywhere = np.broadcast_to(self.retrieved.all(axis=0), self.retrieved.shape).copy()
        warnings = tuple(map(of_common_topics, self.warnings))
        return replace(self, retrieved=frozen(everywhere), signature=COMMON + self.signature, warnings=warnings)

    def sorted_by(self, measure: str | Measure) -> Self:
        """The same evaluation, the best run first: the one with the highest mean, or the lowest where that is good."""
        means, _ = self._summaries
        place = self._measure(measure)
        order = np.argsort(means[place] * (1 if self.measures[place].low_is_good else -1), kind="stable")
        return self.of_runs(order.tolist())

    def of_runs(self, rows: Sequence[int]) -> Self:
        """The same evaluation of some runs, given by their rows, in this order."""
        beside: dict[str, Any] = {name: frozen(values[:, rows]) for name, values in self._beside.items()}
        return replace(
            self,
            runs=tuple(self.runs[r] for r in rows),
            values=frozen(self.values[:, rows]),
            retrieved=frozen(self.retrieved[rows]),
            sources=(*self.sources[:1], *(self.sources[1:][r] for r in rows if self.sources[1:])),
            **beside,
        )

    def table(self) -> ValueTable:
        """Names and values, as writers take them."""
        means, counted = self._summaries
        names = tuple(map(str, self.measures))
        provenance: dict[str, object] = {
            "rankscale": __version__,
            "signature": self.signature,
            "measures": list(names),
            "sources": list(self.sources),
        }
        return ValueTable(
            names,
            self.runs,
            self.topics,
            self.values,
            self.retrieved,
            means,
            counted,
            self._whole,
            provenance,
            low_is_good=tuple(None if one.no_direction else one.low_is_good for one in self.measures),
            beside={name: (values, self._means_beside(values)) for name, values in self._beside.items()},
        )

    def to_dict(self) -> dict[str, dict[str, dict[str, float]]]:
        """`{run: {topic: {measure: value}}}`."""
        names = [str(measure) for measure in self.measures]
        return {
            run: {
                self.topics[t]: dict(zip(names, self.values[:, r, t].tolist(), strict=True))
                for t in np.flatnonzero(self.retrieved[r]).tolist()
            }
            for r, run in enumerate(self.runs)
        }

    def to_json(self, *, per_topic: bool = True, places: int | None = None) -> str:
        """One JSON document: provenance, means with their number of topics, and values by topic."""
        return text.json_document(self.table(), per_topic=per_topic, places=places)

    def to_latex(self, places: int = 4) -> str:
        """The means as a LaTeX table, best in bold, names escaped."""
        from rankscale.formats.write import latex

        return latex.means_table(self.table(), places)

    def to_markdown(self, places: int = 4) -> str:
        """The means as a Markdown table, best in bold, names escaped."""
        from rankscale.formats.write import markdown

        return markdown.means_table(self.table(), places)

    def _repr_html_(self) -> str:
        from rankscale.formats.write import html as page

        return page.means_table(self.table())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Evaluation) and all(
            same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside

    def __repr__(self) -> str:
        return f"<Evaluation: {len(self.measures)} measures, {len(self.runs)} runs, {len(self.topics)} topics>"


def expected(given: object, verb: str) -> None:
    """Refuse what is no evaluation, in words."""
    if not isinstance(given, Evaluation):
        raise ParameterError(
            f"{verb} takes an evaluation, as rs.evaluate(qrels, runs, measures) gives; got {type(given).__name__}"
        )


class Means:
    """One number for each run and measure, each saying over how many topics it is."""

    def __init__(self, table: ValueTable) -> None:
        self._table = table
        self.measures, self.runs = table.measures, table.runs
        self.values: Floats = table.means  # (measure, run)
        self.counted: Ints = table.counted  # (measure, run)

    def __getitem__(self, run_and_measure: tuple[str, str]) -> float:
        run, measure = run_and_measure
        place = place_of(self.measures, str(parse(measure)), "measure", HOLDER), place_of(self.runs, run, "run", HOLDER)
        return float(self.values[place])

    def to_dict(self) -> dict[str, dict[str, float]]:
        """`{run: {measure: value}}`."""
        columns = self.values.T.tolist()
        return {run: dict(zip(self.measures, row, strict=True)) for run, row in zip(self.runs, columns, strict=True)}

    def _rows(self) -> Rows:
        """One row for each run, one column for each measure, and over how many topics means are."""
        topics = {"topics": self.counted.max(axis=0, initial=0).tolist()}
        means = dict(zip(self.measures, self.values.tolist(), strict=True))
        return Rows({"run": list(self.runs), **topics, **means}, self._table.provenance)

    def to_frame(self) -> Any:  # noqa: ANN401  # neither library need be installed
        """One row for each run, as a data frame of polars, or of pandas where polars is not installed."""
        return rows.to_frame(self._rows())

    def to_polars(self) -> Any:  # noqa: ANN401
        """One row for each run, as a polars data frame."""
        return rows.to_polars(self._rows())

    def to_pandas(self) -> Any:  # noqa: ANN401
        """One row for each run, as a pandas data frame."""
        return rows.to_pandas(self._rows())

    def __str__(self) -> str:
        return text.means_table(self._table, places=4)

    __repr__ = __str__
