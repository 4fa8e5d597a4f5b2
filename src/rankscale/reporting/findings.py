"""Findings: all that a report is made of, found once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Unpack

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Progress, judging_of, no_bounds, reading_of
from rankscale.evaluation.result import Evaluation
from rankscale.figures.base.look import Look
from rankscale.formats.read.inputs import QrelsLike, RunsLike, read_qrels, runs_with_names
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse_all
from rankscale.measures.judgedrate import JudgedRate
from rankscale.measures.twist import Twist
from rankscale.reporting.statements import NotKnown, interval_evaluation
from rankscale.stats.comparison import Comparison, compare
from rankscale.stats.tests.base.test import Resampling, Test
from rankscale.stats.tests.register import make_test
from rankscale.studies.robustness import Robustness
from rankscale.studies.robustness import robustness as fewer_judgments

DEFAULT_MEASURES = ("nDCG@10", "AP", "P@10", "RBP(p=0.8)", "RR@10")
JUDGED = JudgedRate(depth=10)


class ReportOptions(EvaluateOptions, total=False):
    """Keywords of a report; see `report`."""

    test: str
    correction: str | None
    alpha: float
    baseline: str | None
    robustness: bool
    inspect: Sequence[str]
    rel: float
    seed: int
    command: str
    progress: Progress | None


@dataclass(frozen=True, eq=False)
class Findings:
    """Runs, their values, and what tests say of them."""

    runs: tuple[Run, ...]
    qrels: Qrels
    measures: tuple[Measure, ...]  # asked for, the main one first
    evaluation: Evaluation  # of these and of Twist, with bounds where a measure has them
    judged: Floats  # (run,): mean of Judged@10 over the topics that the run has, whatever is taken out of rankings
    interval: Evaluation | NotKnown  # of the main measure's interval version
    comparison: Comparison  # by the main measure
    robustness: Robustness | None
    inspected: tuple[str, ...]  # runs whose rankings can be opened, whatever their place; the best follow
    look: Look
    rel: float  # the lowest grade that is relevant to what has no measure of its own: Twist, CRP, samples
    judged_only: bool
    seed: int
    command: str

    @property
    def main(self) -> Measure:
        """The measure that runs are put in order by."""
        return self.measures[0]

    @cached_property
    def means(self) -> dict[str, Floats]:
        """(run,) by measure."""
        result = self.evaluation.means()
        return dict(zip(map(str, self.evaluation.measures), result.values, strict=True))

    @cached_property
    def order(self) -> Ints:
        """Rows of the evaluation, the best run by the main measure first."""
        place = {run: row for row, run in enumerate(self.evaluation.runs)}
        return np.array([place[run] for run in self.comparison.runs])

    @cached_property
    def recall_bases(self) -> list[int]:
        """(topic,): documents that are relevant to the main measure."""
        return self.relevant(self.rel if self.main.threshold is None else self.main.threshold)

    def relevant(self, rel: float) -> list[int]:
        """(topic,): documents of this grade or a better one."""
        counts: list[int] = self.qrels.recall_base(rel).tolist()
        return counts

    @property
    def effort(self) -> Twist:
        """The measure of effort."""
        return Twist(rel=self.rel)

    @cached_property
    def extra_means(self) -> dict[str, Floats]:
        """(measure, run): means of the bounds."""
        return self.evaluation.extra_means()

    @cached_property
    def best(self) -> Floats:
        """(measure,): the best mean; NaN where none is best."""
        return self.evaluation.best_means()

    def values(self, measure: Measure) -> Floats:
        """(run, topic): the values of a measure, NaN where a run has none."""
        of_measure = self.evaluation[measure]
        return np.where(of_measure.retrieved, of_measure.values[0], np.nan)


def find(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    test: str = "student",
    correction: str | None = None,
    alpha: float = 0.05,
    baseline: str | None = None,
    robustness: bool = False,
    inspect: Sequence[str] = (),
    rel: float = 1,
    seed: int = 0,
    look: Look | None = None,
    command: str = "",
    progress: Progress | None = None,
    **options: Unpack[EvaluateOptions],
) -> Findings:
    """Read runs once, measure them, and compare them by the first measure."""
    reading, judging = reading_of(options), judging_of(options)
    judgments, judged_only = judging.regraded(read_qrels(qrels, max_size=reading.max_size)), judging.judged_only
    read, renamed = runs_with_names(judgments, runs, reading)
    if len(read) < 2:
        raise ParameterError("a report compares runs: give two or more")
    requested = parse_all(measures)
    if not requested:
        raise ParameterError("no measure is requested; name one, as in report(qrels, runs, 'AP')")
    wanted = list(dict.fromkeys([*requested, Twist(rel=rel)]))
    bounds = any(no_bounds(measure) is None for measure in wanted)
    result = evaluate(judgments, read, wanted, bounds=bounds, progress=progress, judged_only=judged_only)
    # That some measures have no bounds is told by the leaderboard, which has none for them.
    kept = tuple(notice for notice in result.notices if notice.kind != "no bounds")
    result = replace(result, notices=(*renamed, *kept))
    main = result[requested[0]]
    sampled = (
        fewer_judgments(judgments, read, requested, seed=seed, rel=rel, judged_only=judged_only) if robustness else None
    )
    return Findings(
        runs=tuple(read),
        qrels=judgments,
        measures=tuple(requested),
        evaluation=result,
        judged=evaluate(judgments, read, JUDGED, missing="skip").means().values[0],
        interval=_on_interval(judgments, read, requested[0], judged_only=judged_only),
        comparison=compare(
            main, _seeded(test, seed), correction, alpha=alpha, baseline=baseline, levels=judgments.judged_levels
        ),
        robustness=sampled,
        inspected=(inspect,) if isinstance(inspect, str) else tuple(inspect),
        look=look or Look(),
        rel=rel,
        judged_only=judged_only,
        seed=seed,
        command=command,
    )


def _seeded(test: str, seed: int) -> Test:
    """The test of this name; those that draw by chance are given the seed."""
    result = make_test(test)
    return replace(result, seed=seed) if isinstance(result, Resampling) else result


def _on_interval(qrels: Qrels, runs: Sequence[Run], measure: Measure, *, judged_only: bool) -> Evaluation | NotKnown:
    try:
        return interval_evaluation(qrels, runs, measure, judged_only=judged_only)
    except ParameterError as error:
        return NotKnown(str(error))
