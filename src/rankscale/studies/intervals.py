"""What becomes of measures on their interval scales: values side by side, and how far the order of runs agrees.

How far a measure is from an interval scale shows in the order of runs: Kendall's tau-b between the means of the measure
and the means of its interval version. On each topic by itself the two agree, ranks following values.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.data.rows import Rows
from rankscale.errors import ParameterError
from rankscale.evaluation import Evaluation, evaluate
from rankscale.measures.base import Measure
from rankscale.measures.parse import parse_all
from rankscale.scales.floor import Floor, floor_effect
from rankscale.scales.interval import Interval
from rankscale.stats.kendall import MEAN_DIGITS, tau_b

NORMALISED_DIGITS = 14  # steps of normalised ranks are far smaller than those of values: only rounding errors go
ROUNDING = 1e-12  # by which equal values can differ, relative to them: sums of the same terms in another order
ALL = "all"  # the topic of what holds over all of them


@dataclass(frozen=True)
class Pair:
    """A measure and its interval version, over the topics where both are defined."""

    measure: Measure
    interval: Interval
    tau: float  # between the means, over runs
    by_topic: Floats  # (topic,): tau between the values; NaN where either is the same for all runs, or undefined
    means: Floats  # (run,) of the measure
    interval_means: Floats  # (run,) of its interval version
    both: Bools  # (topic,): where both are defined for all runs
    floor: Floor | None

    @property
    def counted(self) -> int:
        """Over how many topics means are."""
        return int(np.count_nonzero(self.both))

    @property
    def tau_by_topic(self) -> float:
        """The mean over topics of tau on each of them."""
        defined = self.by_topic[~np.isnan(self.by_topic)]
        return float(defined.mean()) if len(defined) else float("nan")

    @property
    def defined(self) -> int:
        """On how many topics tau is defined."""
        return int(np.count_nonzero(~np.isnan(self.by_topic)))


@dataclass(frozen=True)
class Intervals:
    """What `intervals` found."""

    evaluation: Evaluation  # the measures, then their interval versions
    pairs: tuple[Pair, ...]
    warnings: tuple[str, ...]

    def rows(self, *, per_topic: bool = False) -> Rows:
        """One row for each measure, and with `per_topic` for each topic of it: tau and what bears on it."""
        cells: list[tuple[str, str, float, int]] = []
        for pair in self.pairs:
            cells.append((str(pair.measure), ALL, pair.tau, pair.counted))
            if per_topic:
                topics = zip(self.evaluation.topics, pair.by_topic.tolist(), pair.both.tolist(), strict=True)
                cells += [(str(pair.measure), topic, tau, int(there)) for topic, tau, there in topics]
        columns = ("measure", "topic", "tau", "topics")
        return Rows({name: [row[place] for row in cells] for place, name in enumerate(columns)}, self._provenance)

    def summary(self) -> Rows:
        """One row for each measure: tau between means, tau by topic and where it is defined, the floor effect."""
        return Rows(
            {
                "measure": [str(pair.measure) for pair in self.pairs],
                "tau": [pair.tau for pair in self.pairs],
                "topics": [pair.counted for pair in self.pairs],
                "tau by topic": [pair.tau_by_topic for pair in self.pairs],
                "defined": [pair.defined for pair in self.pairs],
                "share below 0.01": [pair.floor.share if pair.floor else None for pair in self.pairs],
                "share of best topic": [pair.floor.leverage if pair.floor else None for pair in self.pairs],
            },
            self._provenance,
        )

    def values(self) -> Rows:
        """One row for each run: the mean of each measure, beside that of its interval version."""
        columns: dict[str, Sequence[Any]] = {"run": list(self.evaluation.runs)}
        for pair in self.pairs:
            columns[str(pair.measure)] = pair.means.tolist()
            columns[str(pair.interval)] = pair.interval_means.tolist()
        return Rows(columns, self._provenance)

    @property
    def _provenance(self) -> dict[str, object]:
        return self.evaluation.table().provenance

    def to_polars(self) -> Any:  # noqa: ANN401  # polars need not be installed
        """Tau by measure and topic, as a polars data frame."""
        from rankscale.formats import rows

        return rows.to_polars(self.rows(per_topic=True))

    def to_pandas(self) -> Any:  # noqa: ANN401  # pandas need not be installed
        """Tau by measure and topic, as a pandas data frame."""
        from rankscale.formats import rows

        return rows.to_pandas(self.rows(per_topic=True))

    def __str__(self) -> str:
        from rankscale.formats import rows

        return rows.people_table(self.summary(), places=4)


def intervals(
    runs: Any,  # noqa: ANN401  # whatever evaluate() reads
    qrels: Any,  # noqa: ANN401
    measures: str | Measure | Iterable[str | Measure],
    *,
    form: str = "normalised",
    universe: str | None = None,
    method: str = "auto",
    deduplicate: str = "exact",
    common: bool = False,
    progress: Callable[[int, int], None] | None = None,
    **settings: Any,  # noqa: ANN401  # those of evaluate()
) -> Intervals:
    """Measures beside their interval versions, over all topics of the qrels (missing ones as empty rankings).

    `common` takes only topics that all runs have. `form='mid'` gives tied rankings their mean rank, which is no
    interval scale; `universe`, `method` and `deduplicate` are those of `Interval`.
    """
    wanted = parse_all([measures] if isinstance(measures, str | Measure) else list(measures))
    if any(isinstance(measure, Interval) for measure in wanted):
        raise ParameterError("name the measures themselves: their interval versions are made here")
    scaled = [
        Interval(measure, form=form, universe=universe, method=method, deduplicate=deduplicate)  # type: ignore[arg-type]
        for measure in wanted
    ]
    found = evaluate(runs, qrels, [*wanted, *scaled], complete=not common, progress=progress, **settings)
    found = found.common() if common else found
    if len(found.runs) < 2:
        raise ParameterError("the order of runs is compared: give two runs or more")
    kept = np.where(found.retrieved, found.values, np.nan)
    count = len(wanted)
    pairs = tuple(
        _pair(measure, interval, kept[place], kept[count + place])
        for place, (measure, interval) in enumerate(zip(wanted, scaled, strict=True))
    )
    return Intervals(found, pairs, found.warnings)


def _pair(measure: Measure, interval: Interval, values: Floats, scaled: Floats) -> Pair:
    """(run, topic) twice: the values of a measure and of its interval version."""
    both: Bools = np.count_nonzero(np.isnan(values) | np.isnan(scaled), axis=0) == 0
    means, scaled_means = measure.summarise(values[:, both]), interval.summarise(scaled[:, both])
    by_topic = np.full(values.shape[-1], np.nan)
    of_topics = scaled[:, both].T
    by_topic[both] = tau_b(without_rounding(values[:, both].T, of_topics), of_topics)
    normalised = interval.form == "normalised"
    floor = floor_effect(scaled[:, both]) if normalised else None
    digits = NORMALISED_DIGITS if normalised else MEAN_DIGITS
    return Pair(
        measure=measure,
        interval=interval,
        tau=float(tau_b(np.round(means, MEAN_DIGITS), np.round(scaled_means, digits))),
        by_topic=by_topic,
        means=means,
        interval_means=scaled_means,
        both=both,
        floor=floor,
    )


def without_rounding(values: Floats, scaled: Floats) -> Floats:
    """(topic, run): values that differ by rounding errors only and have the same rank, made the same."""
    order = np.lexsort((values, scaled), axis=-1)
    ordered, ranks = (np.take_along_axis(side, order, axis=-1) for side in (values, scaled))
    with np.errstate(invalid="ignore"):  # infinite values are the same already
        close = np.abs(np.diff(ordered)) <= ROUNDING * np.abs(ordered[:, 1:])
    opens = np.ones(values.shape, dtype=bool)
    opens[:, 1:] = (np.diff(ranks) != 0) | ~close
    opener = np.maximum.accumulate(np.where(opens, np.arange(values.shape[-1]), 0), axis=-1)
    found = np.empty_like(values)
    np.put_along_axis(found, order, np.take_along_axis(ordered, opener, axis=-1), axis=-1)
    return found
