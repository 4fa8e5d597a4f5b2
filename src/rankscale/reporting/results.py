"""Results: the evaluation, the comparison and the settings that the sections of a report share."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscale.answers.cautions import cautions, judged_share
from rankscale.answers.standing import Standing, standing
from rankscale.data.arrays import Floats, Ints
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.evaluation.result import Evaluation
from rankscale.figures.base.look import Appearance
from rankscale.measures.base.measure import Measure
from rankscale.reporting.studies import Studies
from rankscale.scales.interval import NotKnown
from rankscale.stats.comparison import Comparison
from rankscale.studies.robustness import Robustness
from rankscale.studies.topic_groups import TopicGroups


@dataclass(frozen=True, eq=False)
class Results:
    """Runs, their values, and the comparison by the main measure."""

    runs: tuple[Run, ...]  # none where there are values alone
    judgments: Qrels | None  # None where there are values alone
    measures: tuple[Measure, ...]  # those requested, the main one first
    effort: Measure  # of the effort/gain plot
    gain: Measure | None  # of that plot; None where there is none
    evaluation: Evaluation  # of all these, with bounds where a measure has them
    interval: Evaluation | NotKnown  # of the main measure's interval version
    comparison: Comparison  # by the main measure
    groups: TopicGroups | None  # comparisons within groups of topics, by all measures
    robustness: Robustness | None
    studies: Studies  # differences, gate, overlap and agreement of judges, where requested
    inspected: tuple[str, ...]  # runs whose rankings can be opened, whatever their place; the best follow
    look: Appearance
    theme: str  # light, dark, or auto: what the reader's system has
    rel: float  # the lowest relevant grade of samples of judgments, and of CRP unless that of effort is another
    judged_only: bool
    seed: int
    command: str

    @property
    def has_rankings(self) -> bool:
        """Whether there are qrels and runs, rather than values alone."""
        return self.judgments is not None

    @property
    def qrels(self) -> Qrels:
        """The judgments, in sections that need rankings."""
        assert self.judgments is not None  # noqa: S101  # such sections are left out
        return self.judgments

    @property
    def levels(self) -> tuple[float, ...]:
        """Grades of the collection, on which the scale of some measures depends."""
        return self.comparison.levels

    @property
    def main(self) -> Measure:
        """The measure that runs are put in order by."""
        return self.measures[0]

    @property
    def effort_rel(self) -> float:
        """The lowest relevant grade of the measure of effort, which holds for CRP too."""
        return self.rel if self.effort.threshold is None else self.effort.threshold

    @cached_property
    def order(self) -> Ints:
        """(run,): rows of the evaluation, the best run by the main measure first."""
        return np.array([self.evaluation.runs.index(run) for run in self.comparison.runs])

    @cached_property
    def standing(self) -> Standing:
        """Each run against the best, or against the baseline."""
        return standing(self.comparison)

    @cached_property
    def judged(self) -> Evaluation:
        """Judged@10 of all runs, unjudged documents left in."""
        return judged_share(self.qrels, self.runs)

    @cached_property
    def cautions(self) -> list[str]:
        """What to beware of, in sentences."""
        others = (self.interval if isinstance(self.interval, Evaluation) else None, self.robustness)
        notices = [*self.evaluation.notices, *self.comparison.notices]
        notices += [notice for one in others if one is not None for notice in one.notices]
        if not self.has_rankings:
            return cautions(notices)
        return cautions(notices, self.runs, self.judged, judged_only=self.judged_only)

    def relevant(self, rel: float) -> list[int]:
        """(topic,): number of documents with this grade or a better one."""
        counts: list[int] = self.qrels.recall_base(rel).tolist()
        return counts

    def values(self, measure: Measure) -> Floats:
        """(run, topic): the values of a measure, NaN where a run has none."""
        of_measure = self.evaluation[measure]
        return np.where(of_measure.retrieved, of_measure.values[0], np.nan)
