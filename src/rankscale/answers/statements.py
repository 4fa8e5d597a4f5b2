"""Statements: the conclusions that a comparison of two runs supports, each with its test and the scale of its measure.

Nothing is forbidden: a conclusion that the scale of the measure does not support is stated all the same, with a
caution. Each statement also says whether it holds on the interval version of the measure, and on how many topics one
run beats the other, which is the same on any scale.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Unpack

import numpy as np

from rankscale.answers.outcomes import PLACES, ByOrder, Outcome, Outcomes, against
from rankscale.answers.statement import OnInterval, Statement, StatementKind, Statements, TopicSigns
from rankscale.data.arguments import check_arguments
from rankscale.data.arrays import Ints
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.scales.interval import NotKnown, VersionOptions, interval_evaluation, interval_version, why_no_version
from rankscale.stats.compare import compare
from rankscale.stats.comparison import Comparison
from rankscale.stats.resampling.order_statistics import compare_medians, median
from rankscale.stats.verdicts import MEDIAN, SUMMARIES, verdict

PAIRS = ("neighbours", "all", "leader")
Version = Evaluation | Comparison | NotKnown | None  # what is known of a measure's interval version


def statements(
    result: Evaluation | Comparison | Iterable[Comparison],
    qrels: QrelsLike | None = None,
    runs: RunsLike | None = None,
    *,
    interval: Version = None,
    pairs: str = "neighbours",
    **options: Unpack[VersionOptions],
) -> Statements:
    """State the conclusions that comparisons of runs support, the best run first.

    Parameters
    ----------
    result : Evaluation, Comparison or iterable of Comparison
        What to conclude from. The measures of an evaluation are compared by Student's paired t test with Holm's
        correction (by the sign test, and their medians, where its `summary` is 'median' or 'quantiles'); interval
        versions among them serve the measures that they belong to.
    qrels, runs : optional
        As for `evaluate`. With them the interval version of each measure, its values replaced by their ranks among
        all values that are possible (see `scale`), is evaluated, too, and compared in the same way.
    interval : Evaluation or Comparison, optional
        Values of the interval version, or a comparison by it, where they are known already.
    pairs : {'neighbours', 'leader', 'all'}
        Neighbours in the order of means or medians, the best run with each other one, or all pairs. With a baseline
        each run is compared with that, whatever is given here.
    **options
        Of `evaluate`: missing (that of the evaluation unless given), judged_only, depth, grades, negative, order,
        threads, max_size, executor; with qrels and runs only. They must be those that the result was evaluated with.

    Returns
    -------
    Statements
        A tuple of `Statement`, each with its `sentence`, `runs`, `measure`, `outcome` (difference, p and so on) and
        `on_interval`, whether the interval version gives the same conclusion; its `notices` are those of the result and
        of its interval version.

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
      significant (the sign test, p = 0.031, this pair alone); difference 1 in share of topics won, less share \
lost (95% interval 0.08148 to 1)
      topic by topic: better on 6, worse on 0, equal on 0 (sign test p = 0.031, this pair alone)
    >>> [statement.on_interval for statement in rs.statements(result, qrels, runs)]
    [True, True]
    """
    if pairs not in PAIRS:
        raise ParameterError(f"pairs must be one of {', '.join(map(repr, PAIRS))}, got {pairs!r}")
    check_arguments(statements, locals())
    if (qrels is None) != (runs is None) or (options and qrels is None):
        raise ParameterError("statements takes qrels, runs and options together; known values are given as interval=")
    comparisons = _comparisons(result)
    versions = {comparison.measure: interval for comparison in comparisons}
    of_means = {comparison.measure for comparison in comparisons if comparison.summarised_by == "mean"}
    notices = [notice for one in comparisons for notice in one.notices]
    if isinstance(result, Evaluation):
        options.setdefault("missing", result.topics_rule)
        if interval is None:
            versions |= {one: result for one in versions if interval_version(one) in result.measures}
        notices = [*result.notices, *notices]
    for measure, known in versions.items():
        if known is None and qrels is not None and measure in of_means:
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
            itself = "equally spaced" if measure.scale_condition(comparison.levels) else "on one"
            return OnInterval(holds=True, words=f"the same, as {measure} is {itself} itself")
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
        there = compare(
            interval[same[0]],
            comparison.test,
            comparison.correction,
            baseline=comparison.baselines or comparison.baseline,
            alpha=comparison.alpha,
            confidence=comparison.confidence,
            levels=comparison.levels,
        )
    except ParameterError as error:  # too few topics on which it is defined
        return OnInterval(None, f"not known, as {error}")
    return Outcomes(there)


def _alike(one: Measure, other: Measure) -> bool:
    return (one.interval_of, one.judged_only) == (other.interval_of, other.judged_only)


def _made(about: Comparison, interval: Version, places: Ints) -> Iterator[Statement]:
    """One statement for each of the pairs at these places: about means, or about medians where these sum up runs."""
    outcomes, of_means = Outcomes(about), about.summarised_by == "mean"
    version = _on_interval(about, interval) if of_means else _medians_on_interval(about.measure)
    statement = partial(
        Statement,
        measure=about.measure,
        test=about.test,
        correction=about.correction,
        alpha=about.alpha,
        confidence=about.confidence,
        mean_verdict=verdict(about.measure, SUMMARIES[about.measure.summary] if of_means else MEDIAN, about.levels),
        test_verdict=about.verdict,
        summary=about.summarised_by,
        signature=about.signature,
    )
    worse = "above" if about.measure.low_is_good else "below"
    for place, counted in zip(places.tolist(), outcomes.counts(places), strict=True):
        runs = about.runs[about.pairs.first[place]], about.runs[about.pairs.second[place]]
        outcome, (first, second), (wins, losses, ties, p) = outcomes.at(place), outcomes.of_pair(place).T, counted
        is_worse = outcome.ahead < 0 if of_means else compare_medians(median(first), median(second)) == worse
        if is_worse:
            runs, outcome, first, second = (runs[1], runs[0]), outcome.turned(), second, first
            wins, losses = losses, wins
        by_order = None
        if about.is_ordinal or not of_means:
            by_order = ByOrder.of(first, second, about.confidence, is_ordinal=about.is_ordinal)
        kind: StatementKind = outcome.claim[0] if of_means or by_order is None else by_order.relation
        agrees: bool | None = wins > losses
        if kind in {"not told apart", "same"}:
            agrees = not p < about.alpha
        elif kind in {"contrary", "not tested"}:
            agrees = None
        yield statement(
            sentence=_sentence(about, runs, outcome, None if of_means else by_order),
            kind="higher" if kind == "better" and about.measure.direction_note else kind,
            runs=runs,
            outcome=outcome,
            interval=version if isinstance(version, OnInterval) else _holds(about.measure, outcome, version, runs),
            by_topic=TopicSigns(wins, losses, ties, p, agrees),
            by_order=by_order,
        )


def _medians_on_interval(measure: Measure) -> OnInterval:
    """Whether the statement about medians holds on the interval version."""
    if measure.topic_scales:
        return OnInterval(None, "not known, as each topic has a scale of its own")
    return OnInterval(holds=True, words="the same, as medians need only the order of values")


def _sentence(about: Comparison, runs: tuple[str, str], outcome: Outcome, medians: ByOrder | None) -> str:
    """The conclusion about two means or, where they are given, two medians; without a full stop."""
    first, second = runs
    more = "higher" if about.measure.direction_note else "better"
    least = 0 if about.measure.summary == "sum" else PLACES
    kind, which = outcome.claim if medians is None else (medians.relation, 0)
    numbers = against(outcome.means, least) if medians is None else medians.against(least)
    summed_up = about.measure.summed_up if medians is None else "median"
    what = f"{summed_up} {about.measure} ({numbers}, {outcome.topics} topic{'s' * (outcome.topics != 1)})"
    if kind == "contrary":
        mean = f"{first} is {more} than {second} in" if outcome.ahead else f"{first} and {second} have the same"
        return f"{mean} {what}, but {about.test.label} finds {first if which > 0 else second} {more}"
    related = {
        "better": f"{first} is {more} than {second} in",
        "above": f"{first} is above {second} in",
        "below": f"{first} is below {second} in",
        "same": f"{first} and {second} have the same",
        "not told apart": f"{first} and {second} cannot be told apart in",
        "not tested": f"{first} and {second} were not tested in",
    }
    return f"{related[kind]} {what}"


def _holds(measure: Measure, outcome: Outcome, version: Outcomes, runs: tuple[str, str]) -> OnInterval:
    """Whether a conclusion about two runs holds on the interval version of the measure."""
    about = version.comparison
    there = version.between(*runs)
    if there is None:
        return OnInterval(None, "not known, as these two were not compared there", about.measure)
    claims = outcome.claim, there.claim
    holds: bool | None = claims[0] == claims[1]
    more = "higher" if about.measure.direction_note else "better"
    opposite = bool(measure.mean_order(*outcome.means) * about.measure.mean_order(*there.means) < 0)
    if opposite:
        holds, words = False, f"reversed, {runs[1]} is {more}" if there.claim == ("better", -1) else "reversed"
    elif "not tested" in {claim for claim, _ in claims}:
        holds, words = None, "not known, as too few topics have a value"
    elif holds:
        words = "the same"
    elif there.claim[0] == "not told apart":
        words = "no difference"
    else:
        words = f"not the same, {runs[0] if there.claim[1] > 0 else runs[1]} is {more}"
    of_mean = verdict(about.measure, SUMMARIES["mean"], about.levels)
    return OnInterval(holds, words, about.measure, there, of_mean, reversed=opposite)
