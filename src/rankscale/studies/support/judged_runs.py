"""Runs measured under two sets of judgments, over the same topics."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankscale.data.arguments import Draws
from rankscale.data.arrays import Bools, Floats
from rankscale.data.names import listed
from rankscale.data.notices import SUBTOPICS, Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Progress, SameTopics, reading_of
from rankscale.evaluation.result import Evaluation
from rankscale.executors import Executor
from rankscale.inputs.read import RunsLike, read_with_progress, runs_with_names
from rankscale.measures.base.measure import Measure
from rankscale.measures.hole import Hole
from rankscale.stats.compare import retrieved_by_all
from rankscale.stats.topic_draws import FEWEST_TOPICS, drawn_topics
from rankscale.stats.verdicts import Verdict, verdict
from rankscale.studies.support.runs_by_two import PairTest, RunsByTwo, runs_by_two
from rankscale.studies.support.shared_topics import check_topics


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
    """How runs under two sets of judgments are measured and compared."""

    how: PairTest
    draws: Draws
    seed: int
    confidence: float
    unjudged_at: int
    missing: SameTopics
    judged_only: bool
    executor: Executor | None


@dataclass(frozen=True, eq=False)
class UnderOne:
    """Runs under one set of judgments."""

    qrels: Qrels
    evaluation: Evaluation
    unjudged: Floats  # (run, topic): share of the first ranks that hold an unjudged document


def read_for_both(
    qrels: Qrels,
    runs: RunsLike,
    measures: Sequence[Measure],
    progress: Progress | None,
    options: EvaluateOptions,
) -> tuple[list[Run], tuple[Notice, ...]]:
    """Runs, read once over the documents of `qrels`, and notices of names that were changed."""
    reading = reading_of(options, keep_scores=any(measure.needs_scores for measure in measures))
    given = read_with_progress(qrels, runs, reading, progress)
    return runs_with_names(qrels, given, reading)


def measured(request: RunsRequest, qrels: Qrels, runs: RunsLike, measures: Sequence[Measure]) -> UnderOne:
    """Runs that were read, under one set of judgments."""
    evaluation = evaluate(
        qrels,
        runs,
        measures,
        missing=request.missing,
        judged_only=request.judged_only,
        executor=request.executor,
    )
    holes = evaluate(qrels, runs, Hole(depth=request.unjudged_at), missing=request.missing)
    return UnderOne(qrels, evaluation, holes.values[0])


def judged_runs(
    request: RunsRequest, first: UnderOne, second: UnderOne, topics: Bools | None = None
) -> tuple[JudgedRuns, tuple[Notice, ...]]:
    """Runs compared under two sets of judgments, over all topics or those given, (topic,), and notices of topics."""
    before, after = first.evaluation, second.evaluation
    there = _counted(before, topics)
    unjudged = np.stack([one.unjudged[:, there].mean(axis=-1) for one in (first, second)])
    values = np.stack([before.values, after.values], axis=1)  # (measure, judgments, run, topic)
    finite: Bools = np.isfinite(values).all(axis=(1, 2)) & there  # (measure, topic)
    by_measure = tuple(
        _compared(request, measure, before.runs, of, kept)
        for measure, of, kept in zip(before.measures, values, finite, strict=True)
    )
    levels = first.qrels.judged_levels
    verdicts = tuple(verdict(measure, request.how.test, levels) for measure in before.measures)
    return JudgedRuns((before, after), by_measure, verdicts, unjudged), notes(_left_out(before, finite, there))


def _counted(evaluation: Evaluation, topics: Bools | None) -> Bools:
    """(topic,): topics that count; ParameterError where no topic is shared by all runs."""
    check_topics(evaluation)
    there = retrieved_by_all(evaluation)
    return there if topics is None else there & topics


def _compared(request: RunsRequest, measure: Measure, names: tuple[str, ...], values: Floats, kept: Bools) -> RunsByTwo:
    topics = np.flatnonzero(kept)
    if not len(topics):
        raise ParameterError(f"{measure}: there is no topic where it is defined for all runs under both judgments")
    drawn = drawn_topics(len(topics), request.draws, request.seed)
    return runs_by_two(measure, names, values[:, :, topics], topics, drawn, request.confidence, request.how)


def notices_of_both(evaluations: tuple[Evaluation, Evaluation], sources: tuple[str, str]) -> Iterator[Notice]:
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
