"""Graded average precision."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.ap import AP
from rankscale.measures.base.gains import gain_table
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.parameters import param
from rankscale.measures.base.structure import GradedPrecisions, Structure, as_written


@dataclass(frozen=True)
class GAP(Measure):
    """Average precision where users differ in the grade from which on a document is relevant to them.

    With g_j the probability that grade j is the lowest one that a user takes for relevant, and R_i the number of
    documents of grade i in the qrels, the value is

        sum over ranks n of (1/n) sum over m <= n of delta(m, n), over sum over grades i of R_i (g_1 + ... + g_i)

    where delta(m, n) = g_1 + ... + g_min, up to the lower of the grades at ranks m and n, and 0 if one is not
    relevant. The sums of precisions of all users, weighted, over their recall bases, weighted: AP where grades are 0
    and 1. Here all thresholds are as likely: (3/1 + (1+1)/2 + (2+1+2)/3 + (2+1+2+2)/4) / (3+1+2+2).

    >>> from rankscale.data.judged import judged
    >>> GAP().value(judged("3 1 2 2")).round(4)
    array([0.9271])

    `thresholds` lists g_1, g_2, ... (only their ratios count); a grade above the last of them is relevant to all, and
    one between two counts as the lower.
    Users for whom only grade 2 is relevant:

    >>> GAP(thresholds=[0, 1]).value(judged("1 2"))
    array([0.5])

    Formula
    -------
    (sum over grades j of g_j SP(rel=j)) / (sum over grades j of g_j RB(rel=j))

    User model
    ----------
    takes for relevant what has a certain grade or a higher one, and stops at one such document, each as likely as the
    others

    References
    ----------
    Robertson, Kanoulas and Yilmaz, Extending Average Precision to Graded Relevance Judgments, SIGIR 2010
    """

    best_first: ClassVar = "always"
    needs_all_levels: ClassVar[bool] = True
    uses_recall_base: ClassVar[bool] = True
    values_follow_gains: ClassVar[bool] = True

    thresholds: tuple[Fraction | float, ...] = param(
        (), help="how likely 1, 2, ... is the lowest grade that a user takes for relevant"
    )

    def check(self) -> None:
        """Raise ParameterError for thresholds that cannot be probabilities."""
        total = sum(self.thresholds)
        if self.thresholds and not (min(self.thresholds) >= 0 < total < math.inf):
            raise ParameterError(
                f"{self.name}: thresholds must be 0 or more, and one of them above 0, got {list(self.thresholds)}"
            )

    def satisfied(self, levels: Floats) -> Floats:
        """(level,): how many users each grade satisfies, up to a factor.

        With thresholds they ask for grades 1, 2, ..., without any for every grade alike, whole or not.
        """
        if not self.thresholds:
            return gain_table(None, levels, 1.0)
        steps = np.append(0.0, np.cumsum(np.array(self.thresholds, dtype=np.float64)))
        whole = np.clip(np.floor(levels), 0, len(self.thresholds))
        satisfied: Floats = steps[whole.astype(np.int64)]
        return satisfied

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): what orders the grades from worst to best."""
        return self.satisfied(levels)

    def _gain_fraction(self, level: float, highest: float, double: float) -> Fraction:
        """The sum of thresholds as they are written: doubles that are added up are off in their last digit."""
        if not self.thresholds or level <= 0:
            return super()._gain_fraction(level, highest, double)
        return sum(map(as_written, self.thresholds[: int(level)]), Fraction(0))

    def structure(self, depth: int | None) -> Structure:
        """Precisions at documents relevant to each kind of user."""
        return GradedPrecisions()

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that satisfy nobody."""
        satisfies_nobody: Bools = self.satisfied(levels) == 0
        return satisfies_nobody

    def total(self, judged: Judged) -> Floats:
        """Precisions at the documents relevant to each kind of user, summed down the ranking."""
        summed = np.zeros(judged.rank.shape)
        for level, users in self._kinds(judged):
            summed += users * judged.relevant(level) * judged.relevant_so_far(level)
        return np.cumsum(summed / judged.rank, axis=-1)

    def over_ties(self, judged: Judged) -> Floats:
        """The means of the sums of precisions, added up as these are."""
        total = np.zeros(judged.rank.shape)
        for level, users in self._kinds(judged):
            total += users * AP(rel=level).over_ties(judged)
        return total

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The recall bases of all kinds of users."""
        norm = np.zeros((judged.topics, 1))
        for level, users in self._kinds(judged):
            norm += users * judged.recall_base(level)[:, None]
        return norm

    def _kinds(self, judged: Judged) -> list[tuple[float, float]]:
        """The levels at which more users are satisfied than below, and how many more."""
        more = np.diff(self.satisfied(judged.levels), prepend=0.0)
        return [(level, users) for level, users in zip(judged.levels.tolist(), more.tolist(), strict=True) if users > 0]
