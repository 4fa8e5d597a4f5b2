"""Statements: the conclusions that a comparison of two runs supports, each with its test and the scale of its measure.

Nothing is forbidden: a conclusion that the scale of the measure does not support is stated all the same, with a
caution. Each statement also says whether it holds on the interval version of the measure, and on how many topics one
run beats the other, which is the same on any scale.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Literal, Self, Unpack

import numpy as np

from rankscale.data.arrays import Ints
from rankscale.data.notices import Notice, Noticed
from rankscale.errors import ParameterError, ScaleError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Missing
from rankscale.evaluation.result import Evaluation
from rankscale.formats.read.inputs import QrelsLike, RunsLike
from rankscale.formats.read.reading import check_keywords
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.reporting.outcomes import PLACES, Claim, Outcome, Outcomes, against
from rankscale.scales.interval import Interval
from rankscale.stats.comparison import Comparison, compare
from rankscale.stats.p_text import p_text
from rankscale.stats.tests.base.test import Test
from rankscale.stats.verdicts import SUMMARIES, Verdict, verdict

Kind = Claim | Literal["higher"]
CORRECTIONS = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}
PAIRS = ("neighbours", "all", "leader")


class StatementOptions(EvaluateOptions, total=False):
    """Keywords of `evaluate` that decide which values are measured."""

    missing: Missing


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
    """Topics on which the first run is better, worse and equal, and the sign test: meaningful on any scale."""

    wins: int
    losses: int
    ties: int
    p: float  # exact, two-sided, uncorrected
    agrees: bool | None  # more wins than losses; for runs that do not differ: p not below alpha


@dataclass(frozen=True)
class Statement:
    """One sentence about two runs, with the comparison under it and whether the measure's scale supports it.

    Attributes
    ----------
    sentence : str
        The conclusion, without a full stop.
    runs : tuple of str
        The two runs, the one with the better mean first.
    outcome : Outcome
        Means, difference, interval and p-value of the two.
    mean_verdict, test_verdict : Verdict
        Whether the mean and the test are meaningful on the scale of the measure.
    interval : OnInterval
        Whether the conclusion holds on the interval version of the measure.
    by_topic : ByTopic
        Wins, losses and ties over topics.
    """

    sentence: str
    kind: Kind
    runs: tuple[str, str]
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

    @property
    def verdict(self) -> Verdict:
        """The verdict on the test, or on the mean where only that needs a caution."""
        return self.mean_verdict if self.test_verdict.meaningful else self.test_verdict

    @property
    def text(self) -> str:
        """The sentence, and a line each on the test, the interval version and the topics."""
        return "\n  ".join([self.sentence, *self.lines()])

    @property
    def why(self) -> str:
        """The verdicts on the mean and on the test, with their reasons in full."""
        reasons = (self.mean_verdict.why, self.test_verdict.why)
        return " ".join(f"{reason[0].upper()}{reason[1:]}." for reason in reasons)

    def to_dict(self) -> dict[str, object]:
        """For JSON, by the names of the fields; numbers that are not finite are None."""
        plain = {one.name: _plain(getattr(self, one.name)) for one in fields(self)}
        return {**plain, "on_interval": self.on_interval, "compares": self.test.compares}

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def lines(self) -> list[str]:
        """What supports the sentence: the test, the interval version unless the measure needs none, and the topics."""
        settled = self.verdict.meaningful and self.on_interval
        return [self._test_line(), *([] if settled else [self._interval_line()]), self._topics_line()]

    def _test_line(self) -> str:
        outcome = self.outcome
        if math.isnan(outcome.p):
            return f"not tested ({self.test.label}): too few topics on which both runs have a finite value"
        significance = "significant" if outcome.significant else "not significant"
        correction = f", {CORRECTIONS[self.correction]}" if self.correction in CORRECTIONS else ""
        how = f"{self.test.label}, {p_text(outcome.p, self.alpha)}{correction}"
        of = "" if self.test.compares == self.measure.summary == "mean" else f" in {self.test.compares}"
        reach = ""
        if outcome.lower is not None and outcome.upper is not None:
            # Intervals are those of the pair alone: one next to a corrected p-value could seem to contradict it.
            alone = f"uncorrected: {p_text(outcome.p_uncorrected, self.alpha)}, " if correction else ""
            reach = f" ({alone}{100 * self.confidence:g}% interval {outcome.lower:.4g} to {outcome.upper:.4g})"
        return f"{significance} ({how}); difference {outcome.difference:.4g}{of}{reach}"

    def _interval_line(self) -> str:
        text, outcome = f"on the interval version: {self.interval.words}", self.interval.outcome
        if outcome is None:
            return text
        topics = "" if outcome.topics == self.outcome.topics else f", {outcome.topics} topics"
        return f"{text} ({against(outcome.means)}{topics}, {p_text(outcome.p, self.alpha)})"

    def _topics_line(self) -> str:
        more, less = ("higher", "lower") if self.measure.direction_note else ("better", "worse")
        counts = f"{more} on {self.by_topic.wins}, {less} on {self.by_topic.losses}, equal on {self.by_topic.ties}"
        return f"topic by topic: {counts} (sign test {p_text(self.by_topic.p, self.alpha)})"


class Statements(tuple[Statement, ...], Noticed):  # noqa: SLOT001  # it has notices
    """Statements in order, and the notices of the values that they rest on."""

    notices: tuple[Notice, ...]

    def __new__(cls, made: Iterable[Statement], notices: Iterable[Notice] = ()) -> Self:
        """Statements, and their notices without repetitions."""
        result = super().__new__(cls, made)
        result.notices = tuple(dict.fromkeys(notices))
        return result

    def cautions(self) -> list[str]:
        """One sentence or two for each verdict that is not 'meaningful', and what the interval version changes."""
        groups: dict[str, list[Statement]] = {}
        for one in self:
            if not one.verdict.meaningful:
                groups.setdefault(one.verdict.text, []).append(one)
        return [f"{text}. {on_interval_version(group)}".strip() for text, group in groups.items()]

    def __str__(self) -> str:
        return "\n\n".join([*self.cautions(), *(one.text for one in self)])

    __repr__ = __str__


def on_interval_version(group: Sequence[Statement]) -> str:
    """What becomes of statements about one measure on its interval version."""
    measure, known = group[0].measure, [one.on_interval for one in group if one.on_interval is not None]
    if measure.interval_of is not None:
        return ""
    if not measure.has_interval_version:
        return "It has no interval version."
    if not known:
        return f"On its interval version the conclusion is {group[0].interval.words}."
    differing = known.count(False)
    if len(known) == 1:
        return f"On its interval version the conclusion {'differs' if differing else 'is the same'}."
    if not differing:
        return "On its interval version the conclusions are the same."
    return f"On its interval version {differing} of {len(known)} conclusions differ{'s' * (differing == 1)}."


@dataclass(frozen=True)
class NotKnown:
    """Why there are no values on an interval scale."""

    reason: str


Version = Evaluation | Comparison | NotKnown | None  # what is known of a measure's interval version


def interval_version(measure: str | Measure) -> Interval | None:
    """The interval version of a measure; None if it is one, takes no depth here, or looks at scores."""
    requested = parse(measure)
    if requested.interval_of is not None or requested.depth is None or requested.needs_scores:
        return None
    return Interval(requested)


def interval_evaluation(
    qrels: QrelsLike, runs: RunsLike, measure: str | Measure, **options: Unpack[StatementOptions]
) -> Evaluation | NotKnown:
    """Measure the interval version of a measure; NotKnown where there is none or it cannot be counted."""
    version = interval_version(measure)
    if version is None:
        return NotKnown(why_no_version(parse(measure)))
    try:
        return evaluate(qrels, runs, version, **options)
    except ScaleError as error:
        return NotKnown(str(error))


def why_no_version(measure: Measure) -> str:
    """Why a measure has no interval version that can be evaluated."""
    if measure.interval_of is not None:
        return f"{measure} is on one itself"
    if measure.needs_scores:
        return "it looks at scores"
    return "no length is fixed" if measure.takes_depth else "it takes no length"


def statements(
    result: Evaluation | Comparison | Iterable[Comparison],
    qrels: QrelsLike | None = None,
    runs: RunsLike | None = None,
    *,
    interval: Version = None,
    pairs: str = "neighbours",
    **options: Unpack[StatementOptions],
) -> Statements:
    """State the conclusions that comparisons of runs support, the best run first.

    Parameters
    ----------
    result : Evaluation, Comparison or iterable of Comparison
        What to conclude from. The measures of an evaluation are compared by Student's paired t test with Holm's
        correction; interval versions among them serve the measures that they belong to.
    qrels, runs : optional
        As for `evaluate`. With them the interval version of each measure is evaluated, too, and compared in the same
        way.
    interval : Evaluation or Comparison, optional
        Values of the interval version, or a comparison by it, where they are known already.
    pairs : {'neighbours', 'leader', 'all'}
        Neighbours in the order of means, the best run with each other one, or all pairs. With a baseline, each run is
        compared with that.
    **options
        Of `evaluate`: missing (that of the evaluation unless given), judged_only, depth, grades, negative, order,
        threads, max_size; with qrels and runs only. They must be those that the result was evaluated with.

    Returns
    -------
    Statements
        A tuple of `Statement`; its `notices` are those of the result and of its interval version.

    Raises
    ------
    ParameterError
        If the result is neither an evaluation nor comparisons, if only one of qrels and runs is given, if the options
        are not those of the evaluation, or if the interval version is of other runs or of another measure.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {str(topic): {"a": 1, "b": 0} for topic in range(6)}
    >>> good, bad = ({topic: {"a": score, "b": 1.5} for topic in qrels} for score in (2, 1))
    >>> runs = {"good": good, "bad": bad}
    >>> result = rs.evaluate(qrels, runs, ["P@1", "DCG@2"])
    >>> print(rs.statements(rs.compare(result["P@1"], "sign")))
    good is better than bad in mean P@1 (1.0000 against 0.0000, 6 topics)
      significant (the sign test, p = 0.031, Holm); difference 1 in share of topics won, less share lost \
(uncorrected: p = 0.031, 95% interval 0.08148 to 1)
      topic by topic: better on 6, worse on 0, equal on 0 (sign test p = 0.031)
    >>> [statement.on_interval for statement in rs.statements(result, qrels, runs)]
    [True, True]
    """
    if pairs not in PAIRS:
        raise ParameterError(f"pairs must be one of {', '.join(map(repr, PAIRS))}, got {pairs!r}")
    check_keywords(statements, options, StatementOptions)
    if (qrels is None) != (runs is None) or (options and qrels is None):
        raise ParameterError("statements takes qrels, runs and options together; known values are given as interval=")
    comparisons = _comparisons(result)
    versions = {comparison.measure: interval for comparison in comparisons}
    notices = [notice for one in comparisons for notice in one.notices]
    if isinstance(result, Evaluation):
        options.setdefault("missing", result.topics_rule)
        if interval is None:
            versions |= {one: result for one in versions if interval_version(one) in result.measures}
        notices = [*result.notices, *notices]
    for measure, known in versions.items():
        if known is None and qrels is not None:
            versions[measure] = version = interval_evaluation(qrels, runs, measure, **options)
            if isinstance(result, Evaluation) and getattr(version, "signature", result.signature) != result.signature:
                raise ParameterError(f"give the options of the evaluation, {result.signature}; got {options}")
        notices += getattr(versions[measure], "notices", ())
    made = (
        statement
        for comparison in comparisons
        for statement in _made(comparison, versions[comparison.measure], _chosen(comparison, pairs))
    )
    return Statements(made, notices)


def _comparisons(result: Evaluation | Comparison | Iterable[Comparison]) -> list[Comparison]:
    """The comparisons given, or those of an evaluation by each measure that is no interval version of another."""
    if isinstance(result, Evaluation):
        versions = [interval_version(measure) for measure in result.measures]
        return [compare(result[measure]) for measure in result.measures if measure not in versions]
    given = [result] if isinstance(result, Comparison) else list(result) if isinstance(result, Iterable) else []
    if not given or not all(isinstance(one, Comparison) for one in given):
        raise ParameterError(
            f"statements takes an evaluation or comparisons, as rs.compare gives; got {type(result).__name__}"
        )
    return given


def _chosen(comparison: Comparison, pairs: str) -> Ints:
    """Indices of the pairs of a comparison to make statements about."""
    first, second = comparison.pairs.first, comparison.pairs.second
    if comparison.baseline is not None or pairs == "all":
        return np.arange(len(first))
    return np.flatnonzero(np.minimum(first, second) == 0 if pairs == "leader" else np.abs(first - second) == 1)


def _on_interval(comparison: Comparison, interval: Version) -> Outcomes | OnInterval:
    """Outcomes of the same comparison by the interval version, or what is known without it."""
    measure = comparison.measure
    version = interval_version(measure)
    if interval is None or isinstance(interval, NotKnown):
        if measure.scale_type(comparison.levels) != "ordinal" and not measure.topic_scales:
            return OnInterval(holds=True, words=f"the same, as {measure} is on one itself")
        why = "it was not evaluated" if version else why_no_version(measure)
        return OnInterval(None, f"not known, as {interval.reason if interval else why}")
    if set(interval.runs) != set(comparison.runs):
        raise ParameterError("the interval version must be evaluated for the same runs as were compared")
    measures = (interval.measure,) if isinstance(interval, Comparison) else interval.measures
    same = [one for one in measures if version and _alike(one, version)]
    if not same:
        raise ParameterError(
            f"the interval version of {measure} is Interval({measure}), got {', '.join(map(str, measures)) or 'none'}"
        )
    if isinstance(interval, Comparison):
        return Outcomes(interval)
    try:
        return Outcomes(_compared_alike(comparison, interval[same[0]]))
    except ParameterError as error:  # too few topics on which it is defined
        return OnInterval(None, f"not known, as {error}")


def _compared_alike(comparison: Comparison, evaluation: Evaluation) -> Comparison:
    """Other values compared in the same way."""
    return compare(
        evaluation,
        comparison.test,
        comparison.correction,
        baseline=comparison.baseline,
        alpha=comparison.alpha,
        confidence=comparison.confidence,
        levels=comparison.levels,
    )


def _alike(one: Measure, other: Measure) -> bool:
    return (one.interval_of, one.judged_only) == (other.interval_of, other.judged_only)


def _made(about: Comparison, interval: Version, places: Ints) -> Iterator[Statement]:
    """One statement for each of the pairs at these places."""
    outcomes, version = Outcomes(about), _on_interval(about, interval)
    mean_verdict = verdict(about.measure, SUMMARIES[about.measure.summary], about.levels)
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
            interval=version if isinstance(version, OnInterval) else _holds(outcome, version, runs),
            by_topic=ByTopic(wins, losses, ties, p, agrees),
            signature=about.signature,
        )


def _sentence(about: Comparison, runs: tuple[str, str], outcome: Outcome) -> str:
    """The conclusion, without a full stop."""
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


def _holds(outcome: Outcome, version: Outcomes, runs: tuple[str, str]) -> OnInterval:
    """Whether a conclusion about two runs holds on the interval version of the measure."""
    about = version.comparison
    there = version.between(*runs)
    if there is None:
        return OnInterval(None, "not known, as these two were not compared there", about.measure)
    claims = outcome.claim, there.claim
    holds: bool | None = claims[0] == claims[1]
    if "not tested" in {claim for claim, _ in claims}:
        holds, words = None, "not known, as too few topics have a value"
    elif holds:
        words = "the same"
    elif there.claim[0] == "not told apart":
        words = "no difference"
    elif {claim for claim, _ in claims} == {"better"}:
        words = "the opposite"
    else:
        more = "higher" if about.measure.direction_note else "better"
        words = f"not the same, {runs[0] if there.claim[1] > 0 else runs[1]} is {more}"
    return OnInterval(holds, words, about.measure, there, verdict(about.measure, SUMMARIES["mean"], about.levels))


def _plain(value: object) -> object:
    """A value as JSON has it."""
    if isinstance(value, Measure | Test):
        return str(value) if isinstance(value, Measure) else value.name
    if is_dataclass(value):
        return {one.name: _plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
