"""Two runs by one measure: their values topic by topic, the differences, the test, and the interval version's view."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from rankscale.answers.outcomes import Outcomes
from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.exact_sums import mean_difference
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.scales.interval import NotKnown, interval_version, why_no_version
from rankscale.stats.compare import compare, retrieved_by_all
from rankscale.stats.comparison import Comparison
from rankscale.stats.tests.base.test import Test
from rankscale.stats.verdicts import Verdict, verdict

SIZE_DIGITS = 10  # in which differences are equal: 0.8 - 0.5 and 0.3 are
TopicOutcome = Literal["loss", "tie", "win", "lower", "higher", "undefined"]


@dataclass(frozen=True)
class TestRequest:
    """How the two runs are tested."""

    __test__ = False  # pytest takes no notice

    test: Test
    alpha: float
    confidence: float


@dataclass(frozen=True, eq=False)
class IntervalView:
    """What the interval version of a measure says of the same two runs."""

    holds: bool | None  # whether it gives the same conclusion; None where that is not known
    words: str  # the conclusion, or why it is not known
    comparison: Comparison | None = None
    values: Floats | None = None  # (run, topic): of the baseline and of the candidate


@dataclass(frozen=True, eq=False)
class TopicDifferences:
    """Two runs by one measure; differences are candidate less baseline."""

    measure: Measure
    values: Floats  # (run, topic): of the baseline and of the candidate
    counted: Bools  # (topic,): whether the topic counts
    comparison: Comparison | None  # of the candidate with the baseline; None where topics are too few for the test
    verdict: Verdict  # whether the test is meaningful on the scale of the measure
    interval: IntervalView
    untested: str = ""  # why there is no comparison

    @cached_property
    def defined(self) -> Bools:
        """(topic,): where both runs have a value."""
        defined: Bools = self.counted & (np.count_nonzero(np.isnan(self.values), axis=0) == 0)
        return defined

    @cached_property
    def difference(self) -> Floats:
        """(topic,): candidate less baseline; NaN where either has no value."""
        return differences(self.values, self.defined)

    @cached_property
    def gain(self) -> Floats:
        """(topic,): the difference, or its opposite where low is good: below 0 is a loss."""
        return -self.difference if self.measure.low_is_good else self.difference

    @cached_property
    def order(self) -> Ints:
        """Places of the topics that count, the largest loss first, then ties and wins; undefined ones last."""
        return self._sorted(self.gain)

    @cached_property
    def wins_first(self) -> Ints:
        """The same topics, the largest win first; undefined ones last."""
        return self._sorted(-self.gain)

    def _sorted(self, gain: Floats) -> Ints:
        """Places of the topics that count, the lowest gain first; equal ones in the order of topics."""
        there = np.flatnonzero(self.counted)
        of = gain[there]
        return there[np.lexsort((np.round(of, SIZE_DIGITS), np.sign(of)))]  # NaN is sorted to the end

    def outcomes(self) -> list[TopicOutcome]:
        """(topic,): a loss, tie or win of the candidate; lower or higher where neither is better."""
        lower, higher = self.words
        signs: list[float] = np.sign(self.gain).tolist()
        named: dict[float, TopicOutcome] = {-1.0: lower, 0.0: "tie", 1.0: higher}
        return [named.get(sign, "undefined") for sign in signs]

    @property
    def words(self) -> tuple[TopicOutcome, TopicOutcome]:
        """What a value of the candidate is called that is worse, and one that is better."""
        return ("lower", "higher") if self.measure.direction_note else ("loss", "win")

    def counts(self, topics: Bools | None = None) -> tuple[int, int, int]:
        """On how many topics, of all or of some, the candidate loses, ties and wins."""
        gain = self.gain[self.defined if topics is None else self.defined & topics]
        return tuple(int(np.count_nonzero(np.sign(gain) == sign)) for sign in (-1, 0, 1))  # type: ignore[return-value]

    def means(self, topics: Bools | None = None) -> tuple[float, float]:
        """What sums up the baseline and the candidate, over the topics where both have a value."""
        kept = self.defined if topics is None else self.defined & topics
        baseline, candidate = self.measure.summarise(self.values[:, kept]).tolist()
        return baseline, candidate

    @property
    def gap(self) -> str:
        """What is shown of both summaries: their 'difference', or the 'ratio' of geometric means."""
        return "ratio" if self.measure.compared_by_ratio else "difference"

    def mean_gap(self, topics: Bools | None = None) -> float:
        """Mean over topics of the differences, or the ratio of geometric means; NaN if there is no topic."""
        kept = self.defined if topics is None else self.defined & topics
        if not kept.any():
            return float("nan")
        averaged = self.measure.averaged(self.values)[:, kept]
        finite = np.isfinite(averaged).all()
        gap = np.array(mean_difference(*averaged[::-1])) if finite else differences(averaged, kept[kept]).mean()
        return float(self.measure.of_average(gap))


def differences(values: Floats, defined: Bools) -> Floats:
    """(topic,): second row less first; 0 where both are the same, infinite ones too, and NaN where undefined."""
    baseline, candidate = values
    with np.errstate(invalid="ignore"):
        plain = np.where(baseline == candidate, 0.0, candidate - baseline)
    return np.where(defined, plain, np.nan)


def topic_differences(
    pair: Evaluation, measure: Measure, request: TestRequest, version: Evaluation | NotKnown | None
) -> TopicDifferences:
    """Differences of the two runs of an evaluation, baseline first, by one of its measures.

    `version` has the values of the measure's interval version, or says why there are none; None if nobody measured it.
    """
    one = pair[measure]
    counted = retrieved_by_all(one)
    levels = pair.judged_levels
    comparison = _compared(one, request)
    return TopicDifferences(
        measure=measure,
        values=one.values[0],
        counted=counted,
        comparison=comparison if isinstance(comparison, Comparison) else None,
        verdict=verdict(measure, request.test, levels),
        interval=_view(measure, levels, comparison, request, version),
        untested=comparison.reason if isinstance(comparison, NotKnown) else "",
    )


def _compared(one: Evaluation, request: TestRequest) -> Comparison | NotKnown:
    """The candidate compared with the baseline; NotKnown where topics are too few for the test."""
    values = one.values[0][:, retrieved_by_all(one)].T
    try:
        request.test.check(values)
    except ParameterError as error:
        return NotKnown(str(error))
    return compare(
        one,
        request.test,
        "none",
        summary="mean",
        baseline=one.runs[0],
        alpha=request.alpha,
        confidence=request.confidence,
    )


def _view(
    measure: Measure,
    levels: Sequence[float],
    comparison: Comparison | NotKnown,
    request: TestRequest,
    version: Evaluation | NotKnown | None,
) -> IntervalView:
    """Whether the conclusion holds on the interval version of the measure."""
    if not isinstance(version, Evaluation):
        if not measure.scale_known:
            return IntervalView(None, f"not known, as the scale of {measure} is not known")
        if measure.interval_of is not None or is_interval(measure, levels):
            itself = "equally spaced" if measure.scale_condition(levels) else "on an interval scale"
            return IntervalView(holds=True, words=f"the same, as {measure} is {itself} itself")
        unmeasured = "it was not evaluated" if interval_version(measure) else why_no_version(measure)
        return IntervalView(None, f"not known, as {unmeasured if version is None else version.reason}")
    there = _compared(version, request)
    values = version.values[0]
    held = there if isinstance(there, Comparison) else None
    outcomes = [Outcomes(one).at(0) for one in (comparison, there) if isinstance(one, Comparison)]
    if [math.isnan(one.p) for one in outcomes] != [False, False]:
        return IntervalView(None, "not known, as too few topics have a value", held, values)
    plain, other = outcomes
    (_, found), (_, favoured) = plain.claim, other.claim
    holds = found == favoured
    more = "higher" if measure.direction_note else "better"
    words = f"{version.runs[favoured > 0]} is significantly {more}" if favoured else "no significant difference"
    if measure.mean_order(*plain.means) * version.measures[0].mean_order(*other.means) < 0:
        holds, words = False, f"reversed, {words}" if favoured else "reversed"
    return IntervalView(holds, "the same conclusion" if holds else words, held, values)


def is_interval(measure: Measure, levels: Sequence[float]) -> bool:
    """Whether values are on an interval scale that all topics share."""
    return measure.scale_type(levels) not in {"nominal", "ordinal"} and not measure.topic_scales
