"""Average precision with grades: Q blends it with cumulated gain, GAP asks users what is relevant to them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.ap import AP
from rankscale.measures.base.gains import Gains, GivenGains, gain_table, gains_param, gains_within, read_along
from rankscale.measures.base.measure import Measure, Numbers, divide
from rankscale.measures.base.parameters import param, rel_param
from rankscale.measures.base.structure import Blended, GradedPrecisions, Structure, as_written


@dataclass(frozen=True)
class Q(GivenGains):
    """Precision blended with cumulated gain at each relevant document, averaged over all relevant ones of the topic.

    Without `gains` every relevant document gains 1, and a term is 2c/(i + min(i, RB)). RB = 2 here, so the terms are
    2/(1 + 1) at rank 1 and 4/(4 + 2) at rank 4:

    >>> from rankscale.data.judged import judged
    >>> Q().value(judged("1 0 0 1")).round(4)  # (1 + 2/3) / 2
    array([0.8333])

    `gains` makes it graded, and `beta` says how much gain counts relative to precision; 0 gives average precision. The
    ideal gains 3, 4, 4, ...: the terms are (1 + 1)/(1 + 3) at rank 1 and (2 + 4)/(3 + 4) at rank 3.

    >>> Q(gains=[0, 1, 2, 3]).value(judged("1 0 3")).round(4)  # (1/2 + 6/7) / 2
    array([0.6786])

    Formula
    -------
    (1/RB) sum over relevant ranks i <= k of (relevant in the first i + beta CG[i]) / (i + beta CG[i] of the ideal
    ranking)

    References
    ----------
    Sakai, On the Reliability of Information Retrieval Metrics Based on Graded Relevance, IPM 43(2), 2007
    """

    best_first: ClassVar = "always"
    uses_recall_base: ClassVar[bool] = True

    gains: Gains = gains_param(unless_given="1 if relevant, else 0")
    beta: Fraction | float = param(1, ge=0, help="how much recall (in Q: gain) counts relative to precision")
    rel: float = rel_param()

    def respects_order(self, levels: Sequence[float]) -> bool:
        """Not with graded gains: a document further up takes the blended ratio there, before later gain is met."""
        return self.gains is None and super().respects_order(levels)

    def gain(self, levels: Floats, highest: float) -> Floats:
        """1 for the relevant grades, unless `gains` says otherwise."""
        if self.gains is None:
            return super().gain(levels, highest)
        return gains_within(self.name, gain_table(self.gains, levels, highest), levels)

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that are not relevant and gain nothing."""
        gains_nothing: Bools = (levels < self.rel) & (self.gain(levels, 1.0) == 0)
        return gains_nothing

    def structure(self, depth: int | None) -> Structure:
        """Documents and gain so far, at relevant documents."""
        return Blended(as_written(self.beta))

    def total(self, judged: Judged) -> Floats:
        """Blended ratio at the relevant entries, summed down the ranking."""
        met, beta = np.cumsum(self.gain_met(judged), axis=-1), float(self.beta)
        ratio = (judged.relevant_so_far(self.rel) + beta * met) / self._ideal(judged)
        return np.cumsum(judged.relevant(self.rel) * ratio, axis=-1)

    def _ideal(self, judged: Judged) -> Floats:
        """(topic, entry): the rank and what the ideal ranking gains down to it, blended."""
        gains = judged.ideal_gains(self.gain(judged.levels, judged.highest))
        return judged.rank + float(self.beta) * read_along(np.cumsum(gains, axis=-1), judged.rank)

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The recall base, whatever the depth."""
        return judged.recall_base(self.rel)[:, None]

    def over_ties(self, judged: Judged) -> Floats:
        """Blended ratio on average over the places that relevant documents can have among their n tied ones.

        In place j there are (j - 1) / (n - 1) of the group's other documents above, and of their gain.
        """
        relevant, gain, size = judged.relevant(self.rel), self.gain_met(judged), judged.tie_group_size
        share, held = judged.tie_group_mean(relevant), judged.tie_group_sum(gain)
        own = judged.tie_group_mean(relevant * gain)  # the gain of relevant ones
        part = divide(judged.rank - judged.first, size - 1)
        above = judged.above_tie_group(judged.relevant_so_far(self.rel))
        met_above = judged.above_tie_group(np.cumsum(gain, axis=-1))
        count = share * (above + 1 + part * (share * size - 1))
        met = share * met_above + own + part * (share * held - own)
        return np.cumsum((count + float(self.beta) * met) / self._ideal(judged), axis=-1)

    def tie_keys(self, levels: Floats, highest: float) -> tuple[Floats, float]:
        """Relevant documents by their gains, above all others."""
        return self.gain(levels, highest) + (levels >= self.rel), 0.0

    def exact_range(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): unless a document gains that is not relevant: it may serve better above or below relevant ones."""
        others = self.gain(table.levels, table.highest)[table.levels < self.rel]
        return np.full(table.topics, not others.any())


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
        return steps[whole.astype(np.int64)]

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
