"""Measures evaluated together with their interval versions, for the studies of interval scales."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.errors import ParameterError, ScaleError, Wording
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Missing, Progress, reading_of
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import RunsLike, read_with_progress
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse_all
from rankscale.scales.interval import Interval
from rankscale.stats.tests.base.test import Pairs


@dataclass(frozen=True, eq=False)
class BothScales:
    """A measure and its interval version, undefined where either is."""

    measure: Measure
    interval: Interval
    values: Floats  # (run, topic) of the measure
    scaled: Floats  # (run, topic) of its interval version

    @property
    def defined(self) -> Bools:
        """(topic,): where all runs have a value."""
        every: Bools = np.count_nonzero(np.isnan(self.values), axis=0) == 0
        return every

    def averaged(self) -> tuple[Floats, Floats]:
        """(run, topic) of both: the values that are averaged, and so tested."""
        return self.measure.averaged(self.values), self.interval.averaged(self.scaled)

    def means(self, topics: Bools) -> tuple[Floats, Floats]:
        """(run,) of the measure and of its interval version, over some topics."""
        return self.measure.summarise(self.values[:, topics]), self.interval.summarise(self.scaled[:, topics])

    def rounded_means(self, topics: Bools) -> tuple[Floats, Floats]:
        """Means without the digits that are only rounding errors, as orders of runs are compared."""
        means, scaled = self.means(topics)
        return self.measure.comparable(means), self.interval.comparable(scaled)

    def reversals(self, topics: Bools, pairs: Pairs) -> Bools:
        """(pair,): whether the means of two runs are in the opposite order on the interval version."""
        means, scaled = self.means(topics)
        order = self.measure.mean_order(means[pairs.first], means[pairs.second])
        return order * self.interval.mean_order(scaled[pairs.first], scaled[pairs.second]) < 0


@dataclass(frozen=True)
class Versions:
    """Measures, their interval versions, and the values of both."""

    intervals: tuple[Interval, ...]
    evaluation: Evaluation  # the measures that have a scale, then their interval versions
    notices: tuple[Notice, ...]  # of measures without a scale, then those of the evaluation

    def both_scales(self) -> list[BothScales]:
        """Each measure with its interval version, their values defined at the same places."""
        kept, count = np.where(self.evaluation.retrieved, self.evaluation.values, np.nan), len(self.intervals)
        values, scaled = kept[:count], kept[count:]
        either = np.isnan(values) | np.isnan(scaled)
        both = np.where(either, np.nan, values), np.where(either, np.nan, scaled)
        return [BothScales(*one) for one in zip(self.evaluation.measures[:count], self.intervals, *both, strict=True)]


def beside_intervals(
    qrels: Qrels,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure],
    version: Callable[[Measure], Interval],
    *,
    missing: Missing,
    progress: Progress | None,
    options: EvaluateOptions,
) -> Versions:
    """Measures and what `version` makes of them. One without a scale is left out, unless none has one."""
    wanted = parse_all(measures)
    if any(measure.interval_of is not None for measure in wanted):
        raise ParameterError("name the measures themselves: their interval versions are made here")
    made, refused = _each(wanted, version)
    # That a measure has no scale shows only when values are requested, and then they are requested again.
    given = read_with_progress(qrels, runs, reading_of(options), progress)

    def values(requested: Sequence[Measure]) -> Evaluation:
        return evaluate(qrels, given, requested, missing=missing, progress=progress, **options)

    try:
        result = values([*made, *made.values()])
    except ScaleError:
        made, without = _each(made, lambda measure: _valued(made[measure], values))
        refused |= without
        result = values([*made, *made.values()])
    if len(result.runs) < 2:
        raise ParameterError("the order of runs is compared: give two runs or more")
    left_out = notes((_left_out(measure, reason) for measure, reason in refused.items()), "no scale")
    return Versions(tuple(made.values()), result, (*left_out, *result.notices))


def _each(
    measures: Iterable[Measure], version: Callable[[Measure], Interval]
) -> tuple[dict[Measure, Interval], dict[Measure, ParameterError]]:
    """The interval version of each measure, and why others have none; an error if no measure has one."""
    made: dict[Measure, Interval] = {}
    refused: dict[Measure, ParameterError] = {}
    for measure in measures:
        try:
            made[measure] = version(measure)
        except ParameterError as error:
            refused[measure] = error
    if refused and not made:
        raise next(iter(refused.values()))
    return made, refused


def _left_out(measure: Measure, reason: ParameterError) -> Wording:
    first, *others = reason.args
    return f"{measure} is left out: {str(first).removeprefix(f'{measure}: ')}", *others


def _valued(interval: Interval, values: Callable[[Sequence[Measure]], Evaluation]) -> Interval:
    """The same, if it has values on these topics."""
    values([interval])
    return interval
