"""The verb: `compare(evaluation, test) -> Comparison`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from rankscale.data.arguments import check_arguments
from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.exact_sums import PairSums
from rankscale.data.names import listed, place_of
from rankscale.data.notices import notes
from rankscale.errors import ParameterError, Setting
from rankscale.evaluation.block_result import BlockEvaluation
from rankscale.evaluation.options import Summary, check_summary
from rankscale.evaluation.result import Evaluation, expected
from rankscale.measures.base.measure import Measure
from rankscale.stats.comparison import HOLDER, Comparison, needs_values, run_test
from rankscale.stats.comparison_tables import too_few_samples
from rankscale.stats.corrections import correct
from rankscale.stats.margin import MarginLike
from rankscale.stats.noninferiority import equivalences
from rankscale.stats.resampling.order_statistics import best_first, median
from rankscale.stats.tests.base.test import (
    PairResults,
    Pairs,
    Progress,
    SumsTest,
    Test,
    all_pairs,
    check_alpha,
    pairs_with,
)
from rankscale.stats.tests.register import SettingsOfTests, make_test
from rankscale.stats.verdicts import verdict


def compare(
    evaluation: Evaluation | BlockEvaluation,
    test: str | Test | None = None,
    correction: str | None = None,
    *,
    summary: Summary | None = None,
    baseline: str | Sequence[str] | None = None,
    alpha: float = 0.05,
    confidence: float = 0.95,
    levels: Sequence[float] | None = None,
    equivalence: MarginLike | None = None,
    progress: Progress | None = None,
    **settings: Unpack[SettingsOfTests],
) -> Comparison:
    """Compare the runs of an evaluation by a significance test: all pairs, or each run with a baseline.

    Parameters
    ----------
    evaluation : Evaluation
        Values of one measure; choose one as in ``evaluation["AP"]``. What `evaluate_blocks` gives with `pairs=True`
        takes the tests that rest on sums: 'student', 'sign', 'one-way', 'two-way' and 'dunnett'.
    test : str or Test
        Name of the test: 'student' (paired t), 'sign', 'signed rank' (Wilcoxon), 'rank sum' (Mann and Whitney),
        'bootstrap', 'randomisation', 'one-way' and 'two-way' (ANOVA with Tukey's HSD), 'friedman', 'kruskal-wallis' or
        'randomised tukey'. By default 'student' or, where runs are summed up by medians or quantiles, 'sign', which
        needs only the order of values, too.
    correction : str, optional
        Correction for multiple comparisons: 'holm' (the default), 'bonferroni', 'bh', 'by' or 'none'. 'one-way',
        'two-way', 'friedman', 'kruskal-wallis' and 'randomised tukey' correct for all pairs themselves and take none.
    summary : {'mean', 'median', 'quantiles'}, optional
        What runs are put in order by, and what is shown of them; that of the evaluation by default.
    baseline : str or sequence of str, optional
        Name of the run that each other run is compared with, or of several, which are not compared with each other; by
        default all pairs are compared. One correction is over all pairs.
    alpha : float
        Significance level.
    confidence : float
        Confidence level of the interval of each difference, which is not corrected unless the test does so.
    levels : sequence of float, optional
        Grades of the collection, by default those of the evaluation; they decide what the scale of some measures is,
        and with it the caution that is given, not the test.
    equivalence : number or str, optional
        Margin such as 0.01, or '2%' of the mean of the second run of a pair (the baseline, where there is one): whether
        each difference is shown to lie within it on both sides, by two one-sided t tests (TOST). Their p-values are
        corrected as those of the test, by Holm where that corrects for all pairs itself.
    progress : callable, optional
        Called with how much is done and of how much, several times a second while a test by draws is at work; an
        exception that it raises ends the test.
    samples, seed : int, default 10000 and 0
        Number of resamples and random seed, for 'bootstrap', 'randomisation' and 'randomised tukey' only.
    df : {'error', 'infinite'}, default 'error'
        Degrees of freedom of Tukey's test, for 'one-way' and 'two-way' only.

    Returns
    -------
    Comparison
        Printed as the table 'runs', the best first; runs that share a letter do not differ significantly. With a
        baseline the table has the difference from it, p and a mark instead. `to_frame()` has a row for each pair:
        run, other, difference, its interval, p_uncorrected, p, significant (1 or 0), effect sizes and topics. Tests of
        all runs together have an `omnibus` result: F, H or chi-squared, degrees of freedom and p.

    Raises
    ------
    ParameterError
        The evaluation has several measures, a run misses topics of others (evaluate with missing='zero' or 'common'),
        or a setting is out of range or not one of the test's.
    UnknownNameError
        No test, correction or run has this name.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {topic: {"a": 1} for topic in "123456"}
    >>> good, bad = ({topic: {"a": 1, "b": score} for topic in qrels} for score in (0, 2))
    >>> comparison = rs.compare(rs.evaluate(qrels, {"bad": bad, "good": good}, "P@1"), "sign")
    >>> print(comparison.text(table="runs"))
    run      P@1  groups
    good  1.0000  a
    bad   0.0000  b
    """
    check_arguments(compare, locals())
    check_alpha(alpha)
    if isinstance(evaluation, BlockEvaluation):
        chosen_summary: Summary = summary or "mean"
    else:
        expected(evaluation, "compare")
        chosen_summary = evaluation.summary if summary is None else summary
        check_summary(chosen_summary)
    requested = make_test(test or ("student" if chosen_summary == "mean" else "sign"), **settings)
    measure = _only(evaluation)
    if isinstance(evaluation, BlockEvaluation):
        _check_sums(evaluation, requested, chosen_summary, with_margin=equivalence is not None)
        compared = _of_sums(evaluation, measure)
    else:
        compared = _of_values(evaluation, measure, chosen_summary)
        requested.check(compared.values)
    runs = tuple(evaluation.runs[place] for place in compared.order.tolist())
    baselines = _baselines(baseline, runs)
    places = [runs.index(name) for name in baselines]
    pairs = pairs_with(len(runs), *places) if places else all_pairs(len(runs))
    results = run_test(requested, measure.averaged(compared.values), compared.sums, pairs, confidence, progress)
    if results.corrected and correction not in {None, "none"}:
        raise ParameterError(f"{requested.label} corrects for all pairs by itself; leave the correction out")
    chosen = "none" if results.corrected else (correction or "holm")
    given = evaluation.levels if levels is None else levels
    grades = tuple(level for level in given if level >= 0)
    within = None
    if equivalence is not None:
        family = "holm" if results.corrected else chosen
        within = equivalences(measure, compared.values, pairs, equivalence, family, alpha)
    return Comparison(
        measure=measure,
        test=requested,
        correction=chosen,
        alpha=alpha,
        confidence=confidence,
        runs=runs,
        topics=compared.topics,
        values=compared.values,
        means=compared.means,
        pairs=pairs,
        results=results,
        p=correct(results.p, chosen),
        verdict=verdict(measure, requested, grades),
        levels=grades,
        baseline=baselines[0] if baselines else None,
        baselines=baselines,
        equivalence=within,
        summarised_by=chosen_summary,
        sums=compared.sums,
        signature=evaluation.signature,
        notices=notes(
            (*_warnings(results, pairs, *compared.dropped), *too_few_samples(requested, chosen, len(pairs), alpha))
        ),
    )


@dataclass(frozen=True)
class _Compared:
    """What is compared: values, or sums of them, of runs in an order, the best first."""

    order: Ints
    topics: tuple[str, ...]  # that some run has; none where only sums are held
    values: Floats  # (topic, run)
    means: Floats  # (run,)
    dropped: tuple[int, int]  # topics on which some run has no value, and of all
    sums: PairSums | None = None


def _of_values(evaluation: Evaluation, measure: Measure, summary: Summary) -> _Compared:
    there = retrieved_by_all(evaluation)
    by_run = evaluation.values[0][:, there]
    if summary == "mean":
        order = _order_of_means(measure, measure.summarise(by_run))
    else:
        medians = np.array([median(one[~np.isnan(one)]) for one in by_run]).reshape(-1, 2)
        order = best_first(*medians.T, low_is_good=measure.low_is_good)
    values = np.ascontiguousarray(by_run[order].T)
    topics = tuple(evaluation.topics[place] for place in np.flatnonzero(there).tolist())
    dropped = int(np.isnan(values).any(axis=1).sum())
    return _Compared(order, topics, values, measure.summarise(values.T), (dropped, len(values)))


def _of_sums(evaluation: BlockEvaluation, measure: Measure) -> _Compared:
    """The same from sums of blocks of topics: no value of a single topic is held."""
    means = evaluation.means().values[0]
    order = _order_of_means(measure, means)
    sums = evaluation.pairs[0].in_order(order)
    dropped = sums.together.dropped
    return _Compared(
        order, (), np.empty((0, len(order))), means[order], (dropped, dropped + sums.together.topics), sums
    )


def _order_of_means(measure: Measure, means: Floats) -> Ints:
    """(run,): places of the means, the best first."""
    return np.argsort(means if measure.low_is_good else -means, kind="stable")


def _check_sums(evaluation: BlockEvaluation, test: Test, summary: Summary, *, with_margin: bool) -> None:
    """Raise ParameterError unless the test and the options requested can be computed from sums of blocks."""
    of_sums = isinstance(test, SumsTest)
    if not of_sums or summary != "mean" or with_margin:
        what = test.label if not of_sums else "margins" if with_margin else "medians"
        raise needs_values(f"{what}: needs")
    if not evaluation.pairs:
        raise ParameterError(
            "this result has no sums of pairs of runs, which tests need: evaluate_blocks(..., pairs=True)"
        )
    if evaluation.topics_rule == "skip" and evaluation.missing.any():
        raise ParameterError(
            f"{int(evaluation.missing.max())} topics are missing from a run: evaluate with ",
            Setting("missing", "zero"),
            ", which counts them as empty rankings, or with ",
            Setting("missing", "common"),
        )


def _baselines(given: str | Sequence[str] | None, runs: tuple[str, ...]) -> tuple[str, ...]:
    """Names of baselines, each once; raise UnknownNameError for one that is no run."""
    named = tuple(dict.fromkeys([given] if isinstance(given, str) else given or ()))
    for name in named:
        place_of(runs, name, "run", HOLDER)
    if len(named) == len(runs) > 1:
        raise ParameterError(
            f"all {len(runs)} runs are baselines: runs that are none are compared with them; leave baselines out to "
            "compare all pairs"
        )
    return named


def _only(evaluation: Evaluation | BlockEvaluation) -> Measure:
    if len(evaluation.measures) != 1:
        example = f"; choose one, as in evaluation[{str(evaluation.measures[0])!r}]" if evaluation.measures else ""
        raise ParameterError(
            f"runs are compared by one measure, and the evaluation has {len(evaluation.measures)}{example}"
        )
    return evaluation.measures[0]


def retrieved_by_all(evaluation: Evaluation) -> Bools:
    """(topic,): which topics the runs have; raises ParameterError if some run misses a topic that another has."""
    there: Bools = np.count_nonzero(evaluation.retrieved, axis=0) > 0
    missing = there & ~evaluation.retrieved.all(axis=0)
    if missing.any():
        topics = [evaluation.topics[place] for place in np.flatnonzero(missing).tolist()]
        raise ParameterError(
            f"not all runs have topics {listed(topics)}: evaluate with ",
            Setting("missing", "zero"),
            ", which counts them as empty rankings, or with ",
            Setting("missing", "common"),
        )
    return there


def _warnings(results: PairResults, pairs: Pairs, dropped: int, topics: int) -> Iterator[str]:
    undefined = int(np.isnan(results.p).sum())
    if undefined:
        why = "too few topics on which both runs have a finite value"
        yield f"{undefined} of {len(pairs)} pairs could not be tested: {why}"
    if dropped:
        have, were = ("has", "was") if dropped == 1 else ("have", "were")
        of = f"{dropped} of {topics} topics"
        yield f"{of} {have} an undefined value for some run, and {were} left out where it is"
