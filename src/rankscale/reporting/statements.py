"""Statements: what may be said of two runs, with the test under it, what the scale allows, and what needs no scale.

Nothing is forbidden. A statement that means nothing on its measure's scale is made all the same, and says so. Beside it
stand whether it holds on the interval version of the measure, and on how many topics one run beats the other, which is
the same on any scale.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Literal, Unpack

import numpy as np

from rankscale.data.arrays import Ints
from rankscale.errors import ParameterError, ScaleError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Missing
from rankscale.evaluation.result import Evaluation
from rankscale.formats.read.inputs import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.reporting.outcomes import PLACES, Claim, Outcome, Outcomes, against, p_text
from rankscale.scales.interval import Interval
from rankscale.stats.comparison import Comparison, compare
from rankscale.stats.tests.base.test import Test
from rankscale.stats.verdicts import SUMMARIES, Verdict, verdict

Kind = Claim | Literal["higher"]
CORRECTIONS = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}
SPELLINGS = ("neighbours", "all", "leader")


@dataclass(frozen=True)
class OnInterval:
    """Whether a statement also holds on the interval version of its measure."""

    holds: bool | None  # None where that is not known
    words: str  # the same, the opposite, no difference; or why nothing is known
    measure: Measure | None = None
    outcome: Outcome | None = None
    mean_verdict: Verdict | None = None


@dataclass(frozen=True)
class ByTopic:
    """What needs no scale: on how many topics the first run is better, worse and equal, and the sign test."""

    wins: int
    losses: int
    ties: int
    p: float  # exact and two-sided, of this pair alone: not corrected
    agrees: bool | None  # more wins than losses; p not below alpha where runs cannot be told apart


@dataclass(frozen=True)
class Statement:
    """One sentence about two runs, and all that bears on whether it may be said."""

    sentence: str
    kind: Kind
    runs: tuple[str, str]  # the one with the better mean first
    measure: Measure
    test: Test
    correction: str
    alpha: float
    confidence: float
    outcome: Outcome
    mean_verdict: Verdict
    test_verdict: Verdict
    interval: OnInterval
    by_topic: ByTopic
    signature: str = ""

    @property
    def on_interval(self) -> bool | None:
        """Whether it also holds on the interval version; None where that is not known."""
        return self.interval.holds

    def to_dict(self) -> dict[str, Any]:
        """For JSON, by the names of the fields; numbers that are not finite are None."""
        plain = {one.name: _plain(getattr(self, one.name)) for one in fields(self)}
        return {**plain, "on_interval": self.on_interval, "compares": self.test.compares}

    def __str__(self) -> str:
        lines = (self._tested(), self.mean_verdict, self.test_verdict, self._spaced(), self._counted())
        return "\n".join([self.sentence, *(f"  {line}" for line in lines)])

    __repr__ = __str__

    def _tested(self) -> str:
        """What the test says."""
        result = self.outcome
        if math.isnan(result.p):
            return f"not tested ({self.test.label}): too few topics on which both runs have a finite value"
        text = "significant" if result.significant else "not significant"
        correction = f", {CORRECTIONS[self.correction]}" if self.correction in CORRECTIONS else ""
        how = f"{self.test.label}, {p_text(result.p, self.alpha)}{correction}"
        of = "" if self.test.compares == self.measure.summary == "mean" else f" in {self.test.compares}"
        reach = ""
        if result.lower is not None and result.upper is not None:
            # Intervals are those of the pair alone: one next to a corrected p-value could seem to contradict it.
            alone = f"uncorrected: {p_text(result.p_uncorrected, self.alpha)}, " if correction else ""
            reach = f" ({alone}{100 * self.confidence:g}% interval {result.lower:.4g} to {result.upper:.4g})"
        return f"{text} ({how}); difference {result.difference:.4g}{of}{reach}"

    def _spaced(self) -> str:
        """What becomes of it on the interval scale."""
        text, result = f"on the interval scale: {self.interval.words}", self.interval.outcome
        if result is None:
            return text
        topics = "" if result.topics == self.outcome.topics else f", {result.topics} topics"
        return f"{text} ({against(result.means)}{topics}, {p_text(result.p, self.alpha)})"

    def _counted(self) -> str:
        """What topics say one by one."""
        more, less = ("higher", "lower") if self.measure.direction_note else ("better", "worse")
        result = self.by_topic
        counts = f"{more} on {result.wins}, {less} on {result.losses}, equal on {result.ties}"
        return f"topic by topic: {counts} (sign test {p_text(result.p, self.alpha)})"


@dataclass(frozen=True)
class NotKnown:
    """Why there are no values on an interval scale."""

    reason: str


def interval_version(measure: str | Measure) -> Interval | None:
    """A measure on an interval scale; None where it is on one already, or where no length or no ranking decides."""
    requested = parse(measure)
    if requested.interval_of is not None or requested.depth is None or requested.needs_scores:
        return None
    return Interval(requested)


def interval_evaluation(
    qrels: QrelsLike,
    runs: RunsLike,
    measure: str | Measure,
    *,
    missing: Missing = "zero",
    **options: Unpack[EvaluateOptions],
) -> Evaluation | NotKnown:
    """The values of a measure's interval version, as `statements` takes them, or why there are none."""
    version = interval_version(measure)
    if version is None:
        return NotKnown(_why_none(parse(measure)))
    try:
        return evaluate(qrels, runs, version, missing=missing, **options)
    except ScaleError as error:
        return NotKnown(str(error))


def _why_none(measure: Measure) -> str:
    if measure.interval_of is not None:
        return f"{measure} is on one itself"
    if measure.needs_scores:
        return "it looks at scores"
    return "no length is fixed" if measure.takes_depth else "it takes no length"


def statements(
    comparison: Comparison,
    interval: Evaluation | Comparison | NotKnown | None = None,
    pairs: str = "neighbours",
    *,
    levels: Sequence[float] | None = None,
) -> list[Statement]:
    """What may be said of the runs of a comparison, the best first.

    `interval` are the values of the measure's interval version, as `interval_evaluation` gives them, or a comparison by
    it. `pairs` are 'neighbours' in the order of means, 'leader' for the best run with each other one, or 'all'; with a
    baseline, each run is set against that. `levels` are the grades of the collection, those of
    the comparison unless others are given.

    >>> import rankscale as rs
    >>> qrels = {str(topic): {"a": 1, "b": 0} for topic in range(6)}
    >>> good, bad = ({topic: {"a": score, "b": 1.5} for topic in qrels} for score in (2, 1))
    >>> result = rs.evaluate(qrels, {"good": good, "bad": bad}, "P@1")
    >>> print(statements(rs.compare(result, "sign"))[0])
    good is better than bad in mean P@1 (1.0000 against 0.0000, 6 topics)
      significant (the sign test, p = 0.031, Holm); difference 1 in share of topics won, less share lost \
(uncorrected: p = 0.031, 95% interval 0.08148 to 1)
      meaningful: the mean asks for an interval scale, and P@1 is on one
      meaningful: the sign test asks for an ordinal scale, and P@1 is on one
      on the interval scale: the same, as P@1 is on one itself
      topic by topic: better on 6, worse on 0, equal on 0 (sign test p = 0.031)
    """
    if not isinstance(comparison, Comparison):
        raise ParameterError(f"statements takes a comparison, as rs.compare gives; got {type(comparison).__name__}")
    if pairs not in SPELLINGS:
        raise ParameterError(f"pairs must be one of {', '.join(map(repr, SPELLINGS))}, got {pairs!r}")
    places = _chosen(comparison, pairs)
    grades = comparison.levels if levels is None else levels
    spaced = _compared_on_interval(comparison, interval, grades)
    return list(_made(Outcomes(comparison), spaced, places, grades))


def _chosen(comparison: Comparison, pairs: str) -> Ints:
    """Which of the comparison's pairs."""
    first, second = comparison.pairs.first, comparison.pairs.second
    if comparison.baseline is not None or pairs == "all":
        return np.arange(len(first))
    return np.flatnonzero(np.minimum(first, second) == 0 if pairs == "leader" else np.abs(first - second) == 1)


def _compared_on_interval(
    comparison: Comparison, interval: Evaluation | Comparison | NotKnown | None, levels: Sequence[float]
) -> Outcomes | OnInterval:
    """The same comparison by the interval version, or what is known without."""
    measure = comparison.measure
    if interval is None or isinstance(interval, NotKnown):
        if measure.scale_type(levels) != "ordinal" and not measure.topic_scales:
            return OnInterval(holds=True, words=f"the same, as {measure} is on one itself")
        why = "it was not evaluated" if interval_version(measure) else _why_none(measure)
        return OnInterval(None, f"not known, as {interval.reason if interval else why}")
    if set(interval.runs) != set(comparison.runs):
        raise ParameterError("the interval version must be evaluated for the same runs as were compared")
    measures = (interval.measure,) if isinstance(interval, Comparison) else interval.measures
    version = interval_version(measure)
    same = [one for one in measures if version and _alike(one, version)]
    if not same:
        raise ParameterError(
            f"the interval version of {measure} is Interval({measure}), got {', '.join(map(str, measures)) or 'none'}"
        )
    if isinstance(interval, Comparison):
        return Outcomes(interval)
    how: dict[str, Any] = {name: getattr(comparison, name) for name in ("baseline", "alpha", "confidence")}
    try:
        return Outcomes(compare(interval[same[0]], comparison.test, comparison.correction, levels=levels, **how))
    except ParameterError as error:  # too few topics on which it is defined
        return OnInterval(None, f"not known, as {error}")


def _alike(one: Measure, other: Measure) -> bool:
    return (one.interval_of, one.judged_only) == (other.interval_of, other.judged_only)


def _made(
    outcomes: Outcomes, spaced: Outcomes | OnInterval, places: Ints, levels: Sequence[float]
) -> Iterator[Statement]:
    about = outcomes.comparison
    mean_verdict = verdict(about.measure, SUMMARIES[about.measure.summary], levels)
    for place, counted in zip(places.tolist(), outcomes.counts(places), strict=True):
        runs = about.runs[about.pairs.first[place]], about.runs[about.pairs.second[place]]
        outcome, (wins, losses, ties, p) = outcomes.at(place), counted
        if outcome.ahead < 0:
            runs, outcome, wins, losses = (runs[1], runs[0]), outcome.turned(), losses, wins
        kind = outcome.claim[0]
        agrees = {"better": wins > losses, "not told apart": not p < about.alpha}.get(kind)
        yield Statement(
            sentence=_sentence(about, runs, outcome),
            kind="higher" if kind == "better" and about.measure.direction_note else kind,
            runs=runs,
            measure=about.measure,
            test=about.test,
            correction=about.correction,
            alpha=about.alpha,
            confidence=about.confidence,
            outcome=outcome,
            mean_verdict=mean_verdict,
            test_verdict=about.verdict,
            interval=spaced if isinstance(spaced, OnInterval) else _set_against(outcome, spaced, runs, levels),
            by_topic=ByTopic(wins, losses, ties, p, agrees),
            signature=about.signature,
        )


def _sentence(about: Comparison, runs: tuple[str, str], outcome: Outcome) -> str:
    """What is said, as short as it can be."""
    first, second = runs
    kind, which = outcome.claim
    more = "higher" if about.measure.direction_note else "better"
    means = against(outcome.means, 0 if about.measure.summary == "sum" else PLACES)
    what = f"{about.measure.summed_up} {about.measure} ({means}, {outcome.topics} topic{'s' * (outcome.topics != 1)})"
    if kind == "better":
        return f"{first} is {more} than {second} in {what}"
    if kind == "contrary":
        mean = f"{first} is {more} than {second} in" if outcome.ahead else f"{first} and {second} have the same"
        return f"{mean} {what}, but {about.test.label} finds {first if which > 0 else second} {more}"
    return f"{first} and {second} {'cannot be told apart' if kind == 'not told apart' else 'were not tested'} in {what}"


def _set_against(outcome: Outcome, spaced: Outcomes, runs: tuple[str, str], levels: Sequence[float]) -> OnInterval:
    """What becomes of a statement on the interval version of its measure."""
    about = spaced.comparison
    result = spaced.between(*runs)
    if result is None:
        return OnInterval(None, "not known, as these two were not compared there", about.measure)
    text, there = outcome.claim, result.claim
    more = "higher" if about.measure.direction_note else "better"
    if "not tested" in {text[0], there[0]}:
        holds, words = None, "not known, as too few topics have a value"
    elif text == there:
        holds, words = True, "the same"
    elif there[0] == "not told apart":
        holds, words = False, "no difference"
    elif text[0] == there[0] == "better":
        holds, words = False, "the opposite"
    else:
        holds, words = False, f"not the same, {runs[0] if there[1] > 0 else runs[1]} is {more}"
    return OnInterval(holds, words, about.measure, result, verdict(about.measure, SUMMARIES["mean"], levels))


def _plain(value: object) -> object:
    """As JSON has it."""
    if isinstance(value, Measure | Test):
        return str(value) if isinstance(value, Measure) else value.name
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
