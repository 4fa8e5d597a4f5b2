"""Medians and quantiles of an evaluation: summaries of topics that need only the order of values."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.names import counted_topics, listed, place_of
from rankscale.data.table import Cell, Column, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.options import SHARES
from rankscale.measures.base.measure import Measure
from rankscale.outputs.pictures import DotColumn, Dots
from rankscale.outputs.results import Page, TabularResult
from rankscale.stats.resampling.order_statistics import (
    best_first,
    bootstrap_interval,
    check_confidence,
    interpolated_quantile,
    median,
    quantile,
    sign_interval,
)

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation

HOLDER = "this evaluation has"
LOWER_MEDIAN = "Quantiles are observed values (type 1); 0.5 is the lower median"
INTERPOLATED = "Quantiles are interpolated (type 7), which assumes equal steps"


class BySummary(TabularResult):
    """What `Medians` and `Quantiles` share: values of each measure and run, with names for their places."""

    def __init__(self, evaluation: "Evaluation", confidence: float) -> None:
        check_confidence(confidence)
        self.confidence = confidence
        self._evaluation = evaluation
        self.measures, self.runs = tuple(map(str, evaluation.measures)), evaluation.runs
        self._shape = len(self.measures), len(self.runs)
        kept = np.where(evaluation.retrieved, evaluation.values, np.nan)  # topics that count for the run
        self._values = [values[~np.isnan(values)] for of_measure in kept for values in of_measure]
        self.counted: Ints = np.array([len(one) for one in self._values]).reshape(self._shape)

    def _place(self, run: str, measure: str | Measure) -> tuple[int, int]:
        """Where a measure and a run stand, by their names."""
        row = place_of(self.runs, run, "run", HOLDER)
        return place_of(self.measures, str(measure), "measure", HOLDER), row

    def _by_run(self, numbers: Mapping[str, Floats], provenance: dict[str, object], notes: tuple[str, ...]) -> Table:
        """One row for each run and measure; `numbers` are (measure, run) each."""
        columns: dict[str, Sequence[Cell]] = {
            "run": [run for run in self.runs for _ in self.measures],
            "measure": [*self.measures] * len(self.runs),
            "topics": self.counted.T.ravel().tolist(),
            **{name: of.T.ravel().tolist() for name, of in numbers.items()},
        }
        return Table(columns, provenance, notes=notes).with_columns(Column("topics", plain=True))

    def _mixing(self, what: str) -> tuple[str, ...]:
        """A caution for measures whose topics have scales of their own."""
        names = [str(measure) for measure in self._evaluation.measures if measure.topic_scales]
        mixes = "mix" if what.endswith("s") else "mixes"
        return (f"Caution: each topic has its own scale of {listed(names)}, and {what} {mixes} them.",) if names else ()

    __repr__ = TabularResult.__str__


class Medians(BySummary):
    """Median of each run and measure, with its sign-test interval; all are observed values.

    Attributes
    ----------
    measures, runs
        Names, in the order of the values.
    lower, upper
        (measure, run): lower and upper median, which are equal for an odd number of topics.
    interval_lower, interval_upper, coverage
        (measure, run): sign-test interval and its coverage, at least `confidence`; NaN where topics are too few.
    counted
        (measure, run): over how many topics.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {str(topic): {"a": 1} for topic in range(4)}
    >>> run = {topic: {"a": 1, "b": score} for topic, score in zip("0123", (0, 0, 2, 2))}
    >>> medians = rs.evaluate(qrels, {"bm25": run}, "RR").medians()
    >>> medians["bm25", "RR"]
    (0.5, 1.0)
    """

    def __init__(self, evaluation: "Evaluation", confidence: float = 0.95) -> None:
        super().__init__(evaluation, confidence)
        medians = [median(one) for one in self._values]
        intervals = [sign_interval(one, confidence) for one in self._values]
        self.lower, self.upper = np.array(medians).reshape(*self._shape, 2).transpose(2, 0, 1)
        ends = np.array([(one.lower, one.upper, one.coverage) for one in intervals]).reshape(*self._shape, 3)
        self.interval_lower, self.interval_upper, self.coverage = ends.transpose(2, 0, 1)

    def __getitem__(self, key: tuple[str, str | Measure]) -> tuple[float, float]:
        """Lower and upper median of a run and a measure."""
        place = self._place(*key)
        return float(self.lower[place]), float(self.upper[place])

    def order(self, measure: int) -> Ints:
        """(run,): rows of the evaluation by the median of a measure, the best first."""
        low_is_good = self._evaluation.measures[measure].low_is_good
        return best_first(self.lower[measure], self.upper[measure], low_is_good=low_is_good)

    def table(self, name: str | None = None) -> Table:  # noqa: ARG002  # there is one
        """One row for each run and measure."""
        numbers = {
            "median_lower": self.lower,
            "median_upper": self.upper,
            "lower": self.interval_lower,
            "upper": self.interval_upper,
            "coverage": self.coverage,
        }
        provenance = {**self._evaluation.provenance, "summary": "median", "confidence": self.confidence}
        return self._by_run(numbers, provenance, self._notes())

    def views(self, name: str | None = None) -> list[Table]:  # noqa: ARG002  # there is one
        """One row for each run, one column for each measure."""
        most = self.counted.max(axis=0, initial=0).tolist()
        columns: dict[str, Sequence[Cell]] = {"run": list(self.runs), "topics": most}
        view = [Column("run"), Column("topics", plain=True)]
        for m, measure in enumerate(self.measures):
            columns[measure] = self.lower[m].tolist()
            view.append(self.column(m, most))
        return [Table(columns, self._evaluation.provenance, notes=self._notes(), view=view)]

    def column(self, m: int, most: Sequence[int]) -> Column:
        """How the medians of a measure are shown; bold are those that no other is above."""
        measure = self._evaluation.measures[m]
        fewer = [f" ({count})" if count != all_ else "" for count, all_ in zip(self.counted[m], most, strict=True)]
        if measure.direction_note:
            best: Ints = np.zeros(0, dtype=np.int64)
        elif measure.low_is_good:
            best = np.flatnonzero(self.lower[m] <= np.nanmin(self.upper[m], initial=np.inf))
        else:
            best = np.flatnonzero(self.upper[m] >= np.nanmax(self.lower[m], initial=-np.inf))
        return Column(
            self.measures[m],
            align="right",
            plain=True,
            digits=0 if measure.summary == "sum" else None,
            until=self.upper[m].tolist(),
            interval=(self.interval_lower[m].tolist(), self.interval_upper[m].tolist()),
            suffixes=fewer,
            best=frozenset(best.tolist()),
        )

    def _notes(self) -> tuple[str, ...]:
        return (
            "Medians; from the lower to the upper one where the number of topics is even. "
            + coverage_note(self.coverage.ravel(), self.counted.ravel(), self.confidence),
            *self._mixing("the median"),
        )

    def page(self) -> Page:
        """What a notebook shows: the medians, and the same as dots with their intervals."""
        numbers = (self.lower, self.interval_lower, self.interval_upper)
        panels = [DotColumn(name, *(of[m].tolist() for of in numbers)) for m, name in enumerate(self.measures)]
        return replace(super().page(), pictures=[Dots(self.runs, panels)])


def coverage_note(coverage: Floats, counted: Ints, confidence: float) -> str:
    """What brackets around medians are, and how sure they are.

    >>> coverage_note(np.array([0.967161]), np.array([50]), 0.95)
    'In brackets: sign-test interval at 95% confidence (50 topics: coverage 0.9672).'
    """
    at = f"at {100 * confidence:g}% confidence"
    known = coverage[~np.isnan(coverage)]
    if not len(known):
        return f"{counted_topics(counted)} are too few for a sign-test interval {at}."
    least, most = (f"{end:.4f}" for end in (known.min(), known.max()))
    cover = least if least == most else f"{least} to {most}"
    return f"In brackets: sign-test interval {at} ({counted_topics(counted)}: coverage {cover})."


class Quantiles(BySummary):
    """Quantiles of each run and measure, with exact bootstrap intervals.

    Attributes
    ----------
    measures, runs, shares
        Names and shares, in the order of the values.
    values, lower, upper
        (measure, run, share): quantiles, and the ends of their bootstrap intervals.
    counted
        (measure, run): over how many topics.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels, run = {"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 2, "b": 1}, "2": {"b": 2, "a": 1}}
    >>> rs.evaluate(qrels, {"bm25": run}, "RR").quantiles((0.25, 0.75))["bm25", "RR"]
    {0.25: 0.5, 0.75: 1.0}
    """

    def __init__(
        self,
        evaluation: "Evaluation",
        shares: Sequence[float] = SHARES,
        confidence: float = 0.95,
        *,
        interpolated: bool = False,
    ) -> None:
        super().__init__(evaluation, confidence)
        levels = evaluation.judged_levels
        measures = evaluation.measures if interpolated else ()
        ordinal = [str(measure) for measure in measures if measure.scale_type(levels) == "ordinal"]
        if ordinal:  # numbers between two values mean nothing there
            raise ParameterError(
                f"interpolated quantiles ask for an interval scale, and {listed(ordinal)} "
                f"{'is' if len(ordinal) == 1 else 'are'} ordinal; leave interpolated out for observed values (type 1)"
            )
        self.shares, self.interpolated = tuple(shares), interpolated
        read = interpolated_quantile if interpolated else quantile
        read_off = [[read(one, share) for share in self.shares] for one in self._values]
        self.values: Floats = np.array(read_off).reshape(*self._shape, -1)
        ends = [[bootstrap_interval(one, share, confidence) for share in self.shares] for one in self._values]
        self.lower, self.upper = np.array(ends).reshape(*self._shape, len(self.shares), 2).transpose(3, 0, 1, 2)

    def __getitem__(self, key: tuple[str, str | Measure]) -> dict[float, float]:
        """`{share: quantile}` of a run and a measure."""
        return dict(zip(self.shares, self.values[self._place(*key)].tolist(), strict=True))

    def table(self, name: str | None = None) -> Table:  # noqa: ARG002  # there is one
        """One row for each run, measure and share, with the exact bootstrap interval."""
        runs, measures, shares = len(self.runs), len(self.measures), len(self.shares)
        columns: dict[str, Sequence[Cell]] = {
            "run": [run for run in self.runs for _ in range(measures * shares)],
            "measure": [measure for measure in self.measures for _ in self.shares] * runs,
            "topics": np.repeat(self.counted.T, shares).tolist(),
            "quantile": [*self.shares] * (runs * measures),
        }
        for column, numbers in (("value", self.values), ("lower", self.lower), ("upper", self.upper)):
            columns[column] = numbers.swapaxes(0, 1).ravel().tolist()
        kind = 7 if self.interpolated else 1
        settings = {"summary": "quantiles", "quantile_type": kind, "confidence": self.confidence}
        return Table(columns, {**self._evaluation.provenance, **settings})

    def views(self, name: str | None = None) -> list[Table]:  # noqa: ARG002  # there is one
        """One row for each run and measure, one column for each share."""
        numbers = {f"{share:g}": self.values[..., place] for place, share in enumerate(self.shares)}
        which = INTERPOLATED if self.interpolated else LOWER_MEDIAN
        return [self._by_run(numbers, self._evaluation.provenance, (f"{which}.", *self._mixing("quantiles")))]
