"""What a study measures: the best runs, shared topics, the judgments that are kept, measures beside interval versions.

Weak runs, often broken, make every measure seem to agree with every other. Measures can be compared over the same
topics only. Runs are read once and evaluated again with fewer judgments: a topic counts for a measure if the measure is
defined there for all runs. Which topics these are can change with the judgments; studies warn if it does. A measure and
its interval version are compared where both are defined.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Self, Unpack

import numpy as np

from rankscale.data.arguments import check_arguments
from rankscale.data.arrays import Bools, Floats, Ints, frozen, significant
from rankscale.data.names import listed
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import ParameterError, ScaleError, Setting, Wording
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Missing, Progress, check_missing, judging_of, reading_of
from rankscale.evaluation.result import Evaluation, expected
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, read_with_progress, runs_with_names
from rankscale.measures.ap import AP
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse, parse_all
from rankscale.scales.interval import Interval
from rankscale.stats.compare import retrieved_by_all
from rankscale.stats.corrections import correct
from rankscale.stats.tests.base.test import Pairs, Test
from rankscale.stats.tests.register import make_test


@dataclass(frozen=True, eq=False)
class SharedTopics:
    """Values on the topics where every run has one by every measure."""

    values: Floats  # (measure, run, topic)
    topics: tuple[str, ...]
    notices: tuple[Notice, ...]


def check_topics(evaluation: Evaluation) -> None:
    """Raise ParameterError if no topic is shared by all runs."""
    if not evaluation.retrieved.all(axis=0).any():
        raise ParameterError(
            "there is no topic that all runs have; ",
            Setting("missing", "zero"),
            " counts missing ones as empty rankings",
        )


def on_shared_topics(evaluation: Evaluation) -> SharedTopics:
    """Values on the topics where all measures are defined for all runs, with notices about the other topics.

    Means of the values are in the order of the runs' summaries: geometric means are those of logarithms.
    """
    there = retrieved_by_all(evaluation)
    undefined: Bools = (np.count_nonzero(np.isnan(evaluation.values), axis=1) > 0) & there  # (measure, topic)
    kept = there & ~undefined.any(axis=0)
    if not kept.any():
        reasons = "; ".join(_left_out(evaluation, undefined)) or "there is none"
        raise ParameterError(f"measures are compared over topics on which all are defined for every run: {reasons}")
    values = [measure.averaged(of[:, kept]) for measure, of in zip(evaluation.measures, evaluation.values, strict=True)]
    topics = tuple(evaluation.topics[place] for place in np.flatnonzero(kept).tolist())
    notices = notes((*_left_out(evaluation, undefined), *in_logarithms(evaluation.measures)))
    return SharedTopics(frozen(np.stack(values)), topics, notices)


def _left_out(evaluation: Evaluation, undefined: Bools) -> Iterator[str]:
    of = np.count_nonzero(evaluation.retrieved.any(axis=0))
    for measure, lacking in zip(evaluation.measures, undefined, strict=True):
        if lacking.any():
            topics = [evaluation.topics[place] for place in np.flatnonzero(lacking).tolist()]
            count = f"{len(topics)} of {of} topics {'is' if len(topics) == 1 else 'are'} left out for all measures"
            yield f"{count}: {measure} is undefined there for some run ({listed(topics)})"


def in_logarithms(measures: tuple[Measure, ...]) -> Iterator[str]:
    """A notice of measures with geometric means: differences are those of logarithms."""
    names = [str(measure) for measure in measures if measure.compared_by_ratio]
    if names:
        yield f"{listed(names)}: logarithms of the values are averaged and compared, as geometric means ask for"


def top(evaluation: Evaluation, share: float, by: str | Measure = "AP") -> Evaluation:
    """Keep the best runs of an evaluation: ceil(share * n) of n runs, and all that tie with the last of them.

    Parameters
    ----------
    evaluation : Evaluation
        Values of the runs, also by the measure `by`.
    share : float
        Share of the runs to keep, above 0 and at most 1.
    by : str or Measure
        The measure whose means decide, rounded to 8 significant digits. An undefined mean is worse than any other.

    Returns
    -------
    Evaluation
        The same values of the best runs, in the order they had.

    Raises
    ------
    ParameterError
        The share is out of range, or the evaluation lacks the measure.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {"301": {"a": 1, "b": 1}}
    >>> rankings = {"good": {"a": 2, "b": 1}, "fair": {"b": 1}, "alike": {"a": 1}, "bad": {"c": 1}}
    >>> runs = {name: {"301": ranking} for name, ranking in rankings.items()}
    >>> rs.top(rs.evaluate(qrels, runs, ["AP"]), share=0.5).runs
    ('good', 'fair', 'alike')
    """
    check_arguments(top, locals())
    expected(evaluation, "top")
    check_share(share)
    place = _place(evaluation, by)
    chosen = evaluation.measures[place]
    means = chosen.comparable(evaluation.means().values[place])
    goodness = np.where(np.isnan(means), -np.inf, -means if chosen.low_is_good else means)
    count = max(1, math.ceil(share * len(goodness) - 1e-9))  # 0.07 * 100 is a little over 7
    kept = np.flatnonzero(goodness >= np.sort(goodness)[-count]).tolist()
    return replace(evaluation.of_runs(kept), signature=f"{evaluation.signature}|top:{share}|by:{chosen}")


def evaluate_top(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure],
    share: float | None,
    *,
    by: str | Measure = "AP",
    missing: Missing = "zero",
    progress: Progress | None = None,
    **options: Unpack[EvaluateOptions],
) -> Evaluation:
    """Evaluate runs, with topics that they miss as empty rankings, and keep the best of them: all, if share is None.

    Values of `by` are computed too, and left out again if it is not one of the measures. `missing='common'` takes
    only topics that all runs have, the weak ones too.
    """
    if share is not None:
        check_share(share)
    wanted = parse_all(measures)
    chosen_by = [parse(by)] if share is not None else []
    every = list(dict.fromkeys([*wanted, *chosen_by]))
    evaluation = evaluate(qrels, runs, every, missing=missing, progress=progress, **options)
    return evaluation if share is None else top(evaluation, share, by)[list(wanted)]


def check_share(share: float) -> None:
    """Raise ParameterError unless 0 < share <= 1."""
    if not 0 < share <= 1:
        raise ParameterError(f"the share of runs to keep must be above 0 and at most 1, got {share}; 0.75 is usual")


def _place(evaluation: Evaluation, by: str | Measure) -> int:
    """Index of the measure that runs are chosen by."""
    names = [str(measure) for measure in evaluation.measures]
    name = str(by) if str(by) in names else str(parse(by))
    if name not in names:
        raise ParameterError(
            f"the best runs are chosen by their mean {name}, which this evaluation lacks: evaluate {name} "
            f"too, or choose by a measure that it has ({listed(names)})"
        )
    return names.index(name)


def test_taking(requested: str | Test, settings: Mapping[str, object]) -> Test:
    """The test, with those settings that it takes if it is given by name."""
    if isinstance(requested, Test):
        return requested
    named = make_test(requested)
    return replace(named, **{one.name: settings[one.name] for one in fields(named) if one.name in settings})


def tested_pairs(pairs: Pairs, correction: str, item: tuple[Test, Floats]) -> tuple[Floats, Floats]:
    """(pair,) each: differences, and p-values, corrected unless the test does it; the values are (run, topic)."""
    test, values = item
    by_topic = np.ascontiguousarray(values.T)
    test.check(by_topic)
    result = test.compare(by_topic, pairs)
    return result.difference, correct(result.p, "none" if result.corrected else correction)


@dataclass(frozen=True, eq=False)
class RejudgedValues:
    """Values of runs, measure by measure."""

    measures: tuple[Measure, ...]
    by_measure: tuple[Floats, ...]  # (run, topic) each, of the topics where the measure is defined for all runs

    @classmethod
    def of(cls, evaluation: Evaluation, topics: Bools) -> Self:
        """The values of an evaluation on some topics, (topic,)."""
        values = evaluation.values[:, :, topics]
        defined = np.count_nonzero(np.isnan(values), axis=1) == 0
        kept = tuple(np.ascontiguousarray(one[:, there]) for one, there in zip(values, defined, strict=True))
        return cls(evaluation.measures, kept)

    @property
    def topics(self) -> Ints:
        """(measure,): number of topics on which each is defined."""
        return np.array([one.shape[-1] for one in self.by_measure], dtype=np.int64)

    def means(self) -> Floats:
        """(measure, run): undefined where no topic is left."""
        return np.array(
            [
                measure.summarise(one) if one.shape[-1] else np.full(len(one), np.nan)
                for measure, one in zip(self.measures, self.by_measure, strict=True)
            ]
        )


@dataclass(frozen=True, eq=False)
class Rejudging:
    """Runs, read once, and all that their values depend on, apart from which judgments are kept."""

    runs: tuple[Run, ...]
    qrels: Qrels
    measures: tuple[Measure, ...]
    topics: Bools  # (topic,): which count
    judged_only: bool

    def values(self, kept: Bools) -> RejudgedValues:
        """The values of runs with the judgments that are kept, (judgment,)."""
        fewer = self.qrels.keeping(kept)
        return RejudgedValues.of(evaluate(fewer, self.runs, self.measures, judged_only=self.judged_only), self.topics)


@dataclass(frozen=True, eq=False)
class RejudgingRequest:
    """The runs and measures of a study, measured with all judgments."""

    every: tuple[Run, ...]  # those that a pool can be made of
    judging: Rejudging  # of those that are looked at
    evaluation: Evaluation  # of these, with all judgments
    values: RejudgedValues
    notices: tuple[Notice, ...]


def rejudging_request(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure],
    *,
    top: float | None = None,
    rel: float = 1,
    missing: Missing = "zero",
    **options: Unpack[EvaluateOptions],
) -> RejudgingRequest:
    """Read runs, measure them with all judgments, and keep what it takes to do so again.

    `top` is the share of the best runs that are compared, by AP with grades from `rel` on; `missing` is the rule
    for topics that a run lacks, as in `evaluate`.
    """
    check_missing(missing, compared=True)
    wanted = parse_all(measures)
    if top is not None:
        check_share(top)
    reading = reading_of(options, keep_scores=any(measure.needs_scores for measure in wanted))
    read, judging = read_qrels(qrels, max_size=reading.max_size), judging_of(options)
    judgments = judging.regraded(read)
    every, renamed = runs_with_names(judgments, runs, reading)
    result = evaluate_top(read, every, wanted, top, by=AP(rel=rel), missing=missing, **asdict(judging))
    if len(result.runs) < 2:
        raise ParameterError("the order of runs is compared: give two runs or more")
    chosen = tuple(run for run in every if run.name in set(result.runs))
    check_topics(result)
    topics: Bools = np.count_nonzero(~result.retrieved, axis=0) == 0
    rejudging = Rejudging(chosen, judgments, wanted, topics, judging.judged_only)
    values = RejudgedValues.of(result, topics)
    notices = (*renamed, *result.notices, *notes(_undefined(values, int(np.count_nonzero(topics)))))
    return RejudgingRequest(tuple(every), rejudging, result, values, notices)


def _undefined(values: RejudgedValues, of: int) -> Iterator[str]:
    for measure, there in zip(values.measures, values.topics.tolist(), strict=True):
        if there < of:
            missing = of - there
            verb = "is" if missing == 1 else "are"
            yield f"{measure}: {missing} of {of} topics {verb} left out for all runs, undefined there for some"


def compared(means: Floats, measures: Sequence[Measure] = ()) -> Floats:
    """Means (measure, ...), rounded so that those that differ by rounding errors only are equal."""
    if not measures:
        return significant(means)
    return np.stack([measure.comparable(of) for measure, of in zip(measures, means, strict=True)])


def over_iterations(numbers: Floats) -> tuple[Floats, Floats]:
    """The mean over the last axis of what is defined there, and the standard deviation (n - 1).

    >>> mean, deviation = over_iterations(np.array([[1.0, 3.0, np.nan], [np.nan, np.nan, 5.0]]))
    >>> mean.tolist(), deviation.round(4).tolist()
    ([2.0, 5.0], [1.4142, nan])
    """
    there = ~np.isnan(numbers)
    count = np.count_nonzero(there, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.where(there, numbers, 0.0).sum(axis=-1) / count
        squares = np.where(there, np.square(numbers - mean[..., None]), 0.0).sum(axis=-1)
        return mean, np.where(count > 1, np.sqrt(squares / (count - 1)), np.nan)


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
    made, refused = _each_version(wanted, version)
    # That a measure has no scale shows only when values are requested, and then they are requested again.
    given = read_with_progress(qrels, runs, reading_of(options), progress)

    def values(requested: Sequence[Measure]) -> Evaluation:
        return evaluate(qrels, given, requested, missing=missing, progress=progress, **options)

    try:
        result = values([*made, *made.values()])
    except ScaleError:
        made, without = _each_version(made, lambda measure: _valued(made[measure], values))
        refused |= without
        result = values([*made, *made.values()])
    if len(result.runs) < 2:
        raise ParameterError("the order of runs is compared: give two runs or more")
    left_out = notes((_without_scale(measure, reason) for measure, reason in refused.items()), "no scale")
    return Versions(tuple(made.values()), result, (*left_out, *result.notices))


def _each_version(
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


def _without_scale(measure: Measure, reason: ParameterError) -> Wording:
    first, *others = reason.args
    return f"{measure} is left out: {str(first).removeprefix(f'{measure}: ')}", *others


def _valued(interval: Interval, values: Callable[[Sequence[Measure]], Evaluation]) -> Interval:
    """The same, if it has values on these topics."""
    values([interval])
    return interval
