"""Two sets of judgments: how far the judges agree, and what a change of judge does to conclusions about runs.

Can the judgments of a second assessor, say a language model, stand in for those of the first? How often both give the
same grade is one answer. What counts in the end is another: whether runs come out in the same order, and whether the
same pairs of them differ significantly.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Annotated, Unpack, overload

from rankscale.data.arguments import Declaration, OneOf, Positive, Seed, Share, ValueKind, check_arguments
from rankscale.data.notices import notes
from rankscale.data.qrels import Qrels
from rankscale.errors import ParameterError
from rankscale.evaluation.options import EvaluateOptions, Progress, SameTopics, check_missing, judging_of
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels
from rankscale.measures.base.parser import AnyMeasure, parse_all
from rankscale.stats.agreement import GradeSpacing
from rankscale.stats.corrections import CORRECTIONS, check_correction
from rankscale.stats.resampling.draws import drawn_topics, draws_from
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.test import Test, check_alpha
from rankscale.stats.tests.register import make_test
from rankscale.studies.agree.judges import (
    CoefficientOptions,
    assessors_of,
    every_pair,
    judges,
    together,
    undefined_for_all,
)
from rankscale.studies.agree.judgments import Judgments, two_qrels
from rankscale.studies.agree.one_set import AgreeAssessors, runs_by_assessor
from rankscale.studies.agree.runs import RunPairTest, RunsRequest, judged_runs, notices_of_both
from rankscale.studies.agree.two_sets import Agree, Shares, undefined_for_two
from rankscale.studies.support.selection import test_taking

__all__ = ["COMMAND", "Agree", "agree"]
MEASURES = ("nDCG@10", "AP")
WITH_RUNS = ("runs", "orders", "pairs", "outcomes")  # tables that need runs


class AgreeOptions(EvaluateOptions, total=False):
    """Keywords of `agree`."""

    judgments: Judgments
    rel: float
    levels: Sequence[float]
    spacing: GradeSpacing
    shares: Shares
    test: str | Test
    alpha: float
    correction: str | None
    samples: int | None
    draws: int | str
    seed: int
    confidence: float
    unjudged_at: int
    missing: SameTopics
    progress: Progress | None


@overload
def agree(
    qrels_a: QrelsLike,
    qrels_b: QrelsLike,
    runs: RunsLike | None = None,
    measures: AnyMeasure | Iterable[AnyMeasure] | None = None,
    **options: Unpack[AgreeOptions],
) -> Agree: ...


@overload
def agree(
    qrels_a: QrelsLike,
    qrels_b: None = None,
    runs: RunsLike | None = None,
    measures: AnyMeasure | Iterable[AnyMeasure] | None = None,
    **options: Unpack[AgreeOptions],
) -> AgreeAssessors: ...


def agree(
    qrels_a: QrelsLike,
    qrels_b: QrelsLike | None = None,
    runs: RunsLike | None = None,
    measures: AnyMeasure | Iterable[AnyMeasure] | None = None,
    *,
    judgments: Judgments = "own",
    rel: float = 1,
    levels: Annotated[Sequence[float], ValueKind("floats")] = (),
    spacing: GradeSpacing = "value",
    shares: Shares = "none",
    test: str | Test = "student",
    alpha: Share = 0.05,
    correction: Annotated[str | None, OneOf(CORRECTIONS)] = None,
    samples: Positive | None = None,
    draws: Annotated[int | str, ValueKind("text")] = 1000,
    seed: Seed = 0,
    confidence: Share = 0.95,
    unjudged_at: Positive = 10,
    missing: SameTopics = "zero",
    progress: Progress | None = None,
    **options: Unpack[EvaluateOptions],
) -> Agree | AgreeAssessors:
    r"""Compare judges, and what each makes of runs.

    Agreement is measured on the documents that both have judged (for the same sub-topic, where both name sub-topics or
    assessors): Cohen's kappa, Krippendorff's alpha, Gwet's AC1 and AC2, by grade, and on relevance alone. With runs it
    is shown how their means, their order and the significant differences between them change from the first judgments
    (A) to the second (B).

    One set of judgments whose second column names assessors is compared with itself: every two assessors, all of them
    by Krippendorff's alpha and Fleiss' kappa, and runs under all of them (A) and under each alone (B).

    Parameters
    ----------
    qrels_a : qrels
        Judgments of the reference: a file, a dict, a frame, or what `read_qrels` returns.
    qrels_b : qrels, optional
        Judgments that are compared with them, such as those of a language model; without them the assessors of the
        first are compared with each other.
    runs : runs, optional
        Rankings: files, dicts, frames.
    measures : str, Measure or several, default nDCG@10 and AP
        Measures of the runs, as names or objects.
    judgments : {'own', 'common', 'fill'}
        What runs are measured with: own (A against B), common (both, on documents that both have judged) or fill (A
        against A completed by B; not with one set of judgments).
    rel : float
        Lowest relevant grade, for the agreement on relevance; measures have their own.
    levels : sequence of float, default those given
        All grades that assessors could give, such as 0,1,2,3, where some never occur; AC1 and AC2 depend on them.
    spacing : {'value', 'place'}
        Distance of two grades in weighted kappa: of their values, or of their places in the list of levels.
    shares : {'none', 'row', 'column', 'total'}
        Add percentages to the table matrix, of the items in the same row (grade of A), in the same column (grade of B)
        or of all; not with one set of judgments.
    test : str or Test
        Significance test, as in `compare`.
    alpha : float
        Significance level.
    correction : str, default holm; none for tests that correct by themselves
        Correction for multiple comparisons, within each set of judgments.
    samples : int, default 10000
        Resamples of tests by resampling.
    draws : int or 'all'
        Random draws of topics for intervals, or 'all' draws that there are, for up to 6 topics.
    seed : int
        Random seed for draws and resampling.
    confidence : float
        Confidence level of intervals.
    unjudged_at : int
        Number of top ranks in which unjudged documents are counted.
    missing, progress, **options
        As in `evaluate`: judged_only, depth, grades, negative, order, max_size, threads, executor; not missing='skip'.

    Returns
    -------
    Agree
        Tables 'agreement' (coefficients, pooled with an interval and as means over topics), 'matrix', 'grades',
        'counts' and 'topics'; with runs 'runs', 'orders', 'pairs' and 'outcomes' (of each pair).
    AgreeAssessors
        Of one set of judgments: tables 'agreement' (of all assessors), 'assessors', 'assessor_pairs' and 'topics'; with
        runs the same four, for each assessor.

    Raises
    ------
    InputError
        If the two have no topic, or no judged document, in common; if one set of judgments has one assessor; or a run
        was read with other qrels before.
    ParameterError
        If an option has a value that it cannot take, or measures are given without runs.
    UnknownNameError
        If no measure, test or correction has this name.

    Notes
    -----
    Negative grades are no judgments, unless `negative` says otherwise. Coefficients are pooled over all items; in a
    draw all items of a topic go in together. Where a coefficient is undefined, as kappa is if both give one grade only,
    the topic or draw is left out and counted. Levels are those of all items, for each topic and draw, too. Runs are
    measured over the topics that both sets have; a topic where a value is undefined for some run, under A or B, is left
    out for all. The highest grade, which scales the gains of ERR and graded RBP, is that of both sets together.

    Pairs are kept (significant under both), flipped (under both, with opposite signs), lost (under A only), gained
    (under B only) or neither. `change` is lost and gained over Sig, those significant under A.

    Fleiss' kappa needs as many grades for each document: it is over the documents that have the number of grades which
    most have.

    Examples
    --------
    >>> import rankscale as rs
    >>> human = {"1": {"a": 2, "b": 1, "c": 0, "d": 0}, "2": {"a": 1, "b": 0, "c": 0}}
    >>> model = {"1": {"a": 2, "b": 1, "c": 1, "d": 0}, "2": {"a": 1, "b": 0, "e": 1}}
    >>> result = rs.agree(human, model, draws="all")
    >>> print(result.text(table="matrix"))
    A  B=0  B=1  B=2  all
    0    2    1    0    3
    1    0    2    0    2
    2    0    0    1    1
    >>> kappa = result.judges["kappa"]
    >>> print(round(kappa.pooled, 4), result.overlap.both, result.judges.relevance.overlap)
    0.7391 6 0.75

    The assessors of one set of judgments:

    >>> both = rs.read_qrels(b"1 ann a 2\n1 ann b 0\n1 bob a 1\n1 bob b 0\n2 ann a 1\n2 bob a 1\n2 bob b 0\n")
    >>> result = rs.agree(both, draws="all")
    >>> print(result.assessors.names, round(result["ann", "bob"].judges["kappa"].pooled, 4))
    ('ann', 'bob') 0.5

    Command line
    ------------
        rankscale agree qrels.txt other-qrels.txt
        rankscale agree qrels.txt other-qrels.txt runs/*.gz -m nDCG@10 -m AP
        rankscale agree qrels.txt other-qrels.txt runs/*.gz --judgments common -t randomisation --table pairs
        rankscale agree qrels.txt other-qrels.txt --table topics -o topics.csv
        rankscale agree qrels.txt other-qrels.txt --shares row --table matrix
        rankscale agree assessors.txt
        rankscale agree --assessors assessors.txt runs/*.gz -m nDCG@10
    """
    check_arguments(agree, locals(), choices=("judgments", "spacing", "shares"))
    check_missing(missing, compared=True)
    check_alpha(alpha)
    check_confidence(confidence)
    if correction is not None:
        check_correction(correction)
    if unjudged_at < 1:
        raise ParameterError(f"unjudged_at must be a whole number from 1, got {unjudged_at}")
    if runs is None and measures is not None:
        raise ParameterError("measures are those of runs: give runs too, or leave the measures out")
    if shares != "none" and qrels_b is None:
        raise ParameterError("shares are those of the matrix of two sets of judgments: give both, or leave shares out")
    if samples is not None:
        make_test(test, samples=samples)  # refuses samples that it does not take
    drawn = {"seed": seed} if samples is None else {"samples": samples, "seed": seed}
    number, chosen = draws_from(draws), test_taking(test, drawn)
    judging = judging_of(options)
    wanted = () if runs is None else parse_all(MEASURES if measures is None else measures)
    given = [qrels_a] if qrels_b is None else [qrels_a, qrels_b]
    read = [judging.regraded(read_qrels(one, max_size=options.get("max_size"))) for one in given]
    coefficients = CoefficientOptions(rel, levels, spacing, confidence, number, seed)
    settings = {"rel": rel, "levels": tuple(levels) or None, "spacing": spacing, "draws": draws, "seed": seed}
    settings |= {"confidence": confidence}
    request = None
    if runs is not None:
        of_test = {one.name: getattr(chosen, one.name) for one in fields(chosen)}
        settings |= {"judgments": judgments, "test": chosen.name, **of_test, "alpha": alpha}
        settings |= {"correction": correction or ("none" if chosen.together else "holm"), "unjudged_at": unjudged_at}
        how = RunPairTest(chosen, alpha, correction)
        request = RunsRequest(runs, wanted, judgments, how, coefficients, unjudged_at, missing, progress, options)
    merged = any(not measure.looks_at for measure in wanted)  # some take one grade for each document
    notices = [one for qrels in read for one in qrels.notices if merged or one.kind != "aspects"]
    made: Agree | AgreeAssessors
    if len(read) == 2:
        made = replace(_of_two(read[0], read[1], coefficients, request, settings), shares=shares)
    else:
        made = _of_one(read[0], coefficients, request, settings)
    return replace(made, notices=tuple(dict.fromkeys([*notices, *made.notices])))


def _of_two(
    first: Qrels,
    second: Qrels,
    coefficients: CoefficientOptions,
    request: RunsRequest | None,
    settings: Mapping[str, object],
) -> Agree:
    """Two sets of judgments."""
    both = two_qrels(first, second)
    drawn = drawn_topics(both.overlap.topics, coefficients.draws, coefficients.seed)
    agreed = judges(both.grades[:, both.items], both.topic_of[both.items], drawn, coefficients)
    settings = {**settings, "items": "topic, sub-topic, document" if both.overlap.by_subtopic else "topic, document"}
    notices = [*both.notices(), *notes(undefined_for_two(agreed))]
    judged = None
    if request is not None:
        read, renamed = request.read(both.first)
        before, after = (request.under(qrels, read) for qrels in both.judged_by(request.judgments))
        judged, left_out = judged_runs(request, before, after)
        notices += [*renamed, *notices_of_both(judged.evaluations, both.sources), *left_out]
    return Agree(agreed, both.overlap, both.first.topics, both.sources, judged, settings, tuple(notices))


def _of_one(
    qrels: Qrels, coefficients: CoefficientOptions, request: RunsRequest | None, settings: Mapping[str, object]
) -> AgreeAssessors:
    """The assessors of one set of judgments."""
    assessors = assessors_of(qrels)
    agreed, pairs = together(assessors, coefficients), tuple(every_pair(assessors, coefficients))
    judged, notices = None, notes(undefined_for_all(agreed))
    if request is not None:
        judged, more = runs_by_assessor(assessors, request)
        notices = (*notices, *more)
    return AgreeAssessors(assessors, agreed, pairs, judged, settings, notices)


COMMAND = Declaration(
    agree,
    source="two qrels",
    measures=MEASURES,
    flags={"test": "-t --test"},
    without=("qrels_a", "qrels_b"),
    shared=("missing", "judging", "reading"),
    tables=("agreement", "matrix", "grades", "counts", "topics", "assessors", "assessor_pairs", *WITH_RUNS),
)
