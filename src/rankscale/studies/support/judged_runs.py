"""Runs measured under two sets of judgments, over the same topics."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.data.names import listed
from rankscale.data.notices import SUBTOPICS, Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.errors import ParameterError
from rankscale.evaluation.draws import Draws
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Progress, SameTopics, judging_of, reading_of
from rankscale.evaluation.result import Evaluation
from rankscale.formats.read.inputs import RunsLike, read_with_progress, runs_with_names
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse_all
from rankscale.measures.hole import Hole
from rankscale.stats.comparison import retrieved_by_all
from rankscale.stats.topic_draws import FEWEST_TOPICS, drawn_topics
from rankscale.stats.verdicts import Verdict, verdict
from rankscale.studies.support.runs_by_two import PairTest, RunsByTwo, runs_by_two
from rankscale.studies.support.shared_topics import check_topics
from rankscale.studies.support.two_qrels import TwoQrels


@dataclass(frozen=True, eq=False)
class JudgedRuns:
    """Runs under both sets of judgments.

    Attributes
    ----------
    evaluations : tuple of Evaluation
        Under A, and under B.
    by_measure : tuple of RunsByTwo
        For each measure: means, orders and pairs of runs.
    verdicts : tuple of Verdict
        For each measure, whether the test is meaningful on its scale.
    unjudged : array (judgments, run)
        Mean share of the first ranks that hold an unjudged document.
    """

    evaluations: tuple[Evaluation, Evaluation]
    by_measure: tuple[RunsByTwo, ...]
    verdicts: tuple[Verdict, ...]
    unjudged: Floats


@dataclass(frozen=True)
class RunsRequest:
    """What runs are measured by, and how they are compared."""

    both: TwoQrels
    judged_by: tuple[Qrels, Qrels]
    how: PairTest
    draws: Draws
    seed: int
    confidence: float
    unjudged_at: int


def judged_runs(
    request: RunsRequest,
    runs: RunsLike,
    measures: AnyMeasure | Iterable[AnyMeasure],
    *,
    missing: SameTopics,
    progress: Progress | None,
    options: EvaluateOptions,
) -> tuple[JudgedRuns, tuple[Notice, ...]]:
    """Runs, read once and measured under both, with notices."""
    wanted = parse_all(measures)
    reading = reading_of(options, keep_scores=any(measure.needs_scores for measure in wanted))
    given = read_with_progress(request.both.first, runs, reading, progress)
    read, renamed = runs_with_names(request.both.first, given, reading)
    only = judging_of(options).judged_only
    executor = options.get("executor")
    first, second = (
        evaluate(qrels, read, wanted, missing=missing, judged_only=only, executor=executor)
        for qrels in request.judged_by
    )
    check_topics(first)
    there = retrieved_by_all(first)
    holes = [evaluate(qrels, read, Hole(depth=request.unjudged_at), missing=missing) for qrels in request.judged_by]
    unjudged = np.stack([one.values[0][:, there].mean(axis=-1) for one in holes])
    values = np.stack([first.values, second.values], axis=1)  # (measure, judgments, run, topic)
    finite: Bools = np.isfinite(values).all(axis=(1, 2)) & there  # (measure, topic)
    by_measure = tuple(
        _compared(request, measure, first.runs, of, kept)
        for measure, of, kept in zip(wanted, values, finite, strict=True)
    )
    levels = request.judged_by[0].judged_levels
    verdicts = tuple(verdict(measure, request.how.test, levels) for measure in wanted)
    notices = (*renamed, *_of_both((first, second), request.both.sources), *notes(_left_out(first, finite, there)))
    return JudgedRuns((first, second), by_measure, verdicts, unjudged), notices


def _compared(request: RunsRequest, measure: Measure, names: tuple[str, ...], values: Floats, kept: Bools) -> RunsByTwo:
    topics = np.flatnonzero(kept)
    if not len(topics):
        raise ParameterError(f"{measure}: there is no topic where it is defined for all runs under both judgments")
    drawn = drawn_topics(len(topics), request.draws, request.seed)
    return runs_by_two(measure, names, values[:, :, topics], topics, drawn, request.confidence, request.how)


def _of_both(evaluations: tuple[Evaluation, Evaluation], sources: tuple[str, str]) -> Iterator[Notice]:
    """Notices under both judgments, without those of reading qrels; those under one alone name it."""
    first, second = (
        {_without_qrels(one): one for one in evaluation.notices if one.kind != "form"} for evaluation in evaluations
    )
    for key, notice in first.items():
        yield notice if key in second or notice.kind == SUBTOPICS else notice.within(sources[0])
    for key, notice in second.items():
        if key in first or (notice.kind == SUBTOPICS and notice["source"] not in sources):  # filled from both
            continue
        yield notice if notice.kind == SUBTOPICS else notice.within(sources[1])


def _without_qrels(notice: Notice) -> Notice:
    """The notice without the name of the qrels, which is all that may differ."""
    return Notice(notice.kind, tuple(field for field in notice.fields if field[0] != "qrels"))


def _left_out(evaluation: Evaluation, finite: Bools, there: Bools) -> Iterator[str]:
    of = int(np.count_nonzero(there))
    for measure, kept in zip(evaluation.measures, finite, strict=True):
        lacking = [evaluation.topics[place] for place in np.flatnonzero(there & ~kept).tolist()]
        if lacking:
            are = "topic is" if len(lacking) == 1 else "topics are"
            why = f"undefined or infinite there for some run under A or B ({listed(lacking)})"
            yield f"{measure}: {len(lacking)} of {of} {are} left out for all runs, {why}"
        if of - len(lacking) < FEWEST_TOPICS:
            yield f"{measure}: intervals are over draws of topics, and there is one topic only: there are none"
