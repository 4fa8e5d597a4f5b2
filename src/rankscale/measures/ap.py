"""Precisions at relevant documents: their sum, average precision and its relatives, with grades too.

Q blends average precision with cumulated gain, GAP asks users what is relevant to them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.binary import Binary, OverRecallBase, PartedGroup, TiedByCount
from rankscale.measures.base.gains import Gains, GivenGains, gain_table, gains_param, gains_within, read_along
from rankscale.measures.base.measure import Measure, Numbers, added, divide
from rankscale.measures.base.parameters import param, rel_param
from rankscale.measures.base.structure import Blended, GradedPrecisions, Precisions, Structure, as_written


@dataclass(frozen=True)
class SP(Binary):
    """Precision at each relevant document, added up: average precision before it is divided by the recall base.

    The relevant documents stand at ranks 1 and 4, where precision is 1 and 1/2:

    >>> from rankscale.data.judged import judged
    >>> SP().value(judged("1 0 0 1", missed="1"))
    array([1.5])

    Formula
    -------
    sum over relevant ranks i <= k of (relevant in the first i) / i

    References
    ----------
    Moffat and Zobel, TOIS 27(1), 2008
    """

    limits: ClassVar[tuple[float, float]] = (0, math.inf)
    values_follow_gains: ClassVar[bool] = True
    bounded: ClassVar[bool] = True

    def structure(self, depth: int | None) -> Structure:
        """The sum of precisions at relevant documents."""
        return Precisions()

    def total(self, judged: Judged) -> Floats:
        """Precision at the relevant entries, summed down the ranking."""
        return judged.memo(
            ("sum of precisions", self.rel),
            lambda: np.cumsum(judged.relevant(self.rel) * judged.relevant_so_far(self.rel) / judged.rank, axis=-1),
        )

    def over_ties(self, judged: Judged) -> Floats:
        """Precision at a relevant document, on average over the places it can have among its n tied ones.

        Of the r relevant ones among them, (j - 1) (r - 1) / (n - 1) stand above it on average where it is the j-th.
        """
        relevant = judged.relevant(self.rel)
        size = judged.last - judged.first + 1
        share = judged.tie_group_mean(relevant)
        above = self.relevant_above_ties(judged)
        tied_above = divide((judged.rank - judged.first) * (share * size - 1), size - 1)
        return np.cumsum(share * (above + 1 + tied_above) / judged.rank, axis=-1)


@dataclass(frozen=True)
class AP(OverRecallBase, SP):
    """Precision at each relevant document, averaged over all relevant documents of the topic.

    Five relevant documents of seven are retrieved (Moffat and Zobel 2008, with RB = 7):

    >>> from rankscale.data.judged import judged
    >>> AP().value(judged("1 1 0 0 0 1 0 0 0 0 1 0 0 0 0 0 1 0 0 0", missed="1 1")).round(4)
    array([0.4511])

    There are no bounds: an unjudged document that turns out to be relevant may raise the value or lower it. `if_judged`
    has the lowest and the highest value that judging what was retrieved could give.

    Formula
    -------
    (1/RB) sum over relevant ranks i <= k of (relevant in the first i) / i

    User model
    ----------
    stops at a relevant document, any of them alike, and asks for the precision down to it

    References
    ----------
    Buckley and Voorhees, Retrieval System Evaluation, in TREC, MIT Press, 2005
    """

    aliases: ClassVar[tuple[str, ...]] = ("MAP",)
    limits: ClassVar[tuple[float, float]] = (0, 1)

    def if_judged(self, judged: Judged, relevant: int | None = None) -> tuple[Floats, Floats]:
        """(topic,) twice: the lowest and the highest value if the unjudged documents of each ranking were judged.

        RB grows with each of them that turns out to be relevant. Documents that were not retrieved stay as they are, so
        these are no bounds: further relevant documents could lower the value without limit.

        Parameters
        ----------
        judged
            Rankings.
        relevant
            How many of the unjudged documents turn out to be relevant; any number unless given. NaN for rankings that
            have fewer.

        Moffat and Zobel 2008 have a ranking with AP 0.75, which falls to 0.5909 at best once another one is relevant:

        >>> from rankscale.data.judged import judged
        >>> ranking = judged("1 0 0 1 0 0 0 0 0 0 - - - - - - - - - -")
        >>> [bound.round(4).tolist() for bound in AP().if_judged(ranking, 1)]
        [[0.55], [0.5909]]
        >>> [bound.round(4).tolist() for bound in AP().if_judged(ranking)]
        [[0.4095], [0.75]]
        """
        if relevant is not None and relevant < 0:
            raise ParameterError(f"relevant is how many turn out to be relevant, from 0, got {relevant}")
        seen = judged.only_judged() if self.judged_only else judged
        table = seen.every_rank(int(seen.length.max(initial=0)))
        is_open = ((table.rank <= table.length[:, None]) & (table.is_judged() == 0)).astype(np.float64)
        is_relevant, above = table.relevant(self.rel), table.relevant_so_far(self.rel)
        weight = (table.rank <= (self.depth or table.rank)) / table.rank  # of a document in the precision at each rank
        value = added(is_relevant * above * weight)[:, None]
        # Of any number of unjudged documents the first ones being relevant gives most, the last ones least: the j-th
        # relevant document then stands as high, or as low, as it can. One more adds the precision at its rank, and its
        # weight at all relevant ones below; `lower` are those of the unjudged that are relevant already.
        lower, below = _from_below(is_open * weight) - is_open * weight, _from_below(is_relevant * weight)
        first, last = np.cumsum(is_open, axis=-1), _from_below(is_open)
        highest = value + np.cumsum(is_open * ((above + first) * weight + below), axis=-1)
        lowest = value + _from_below(is_open * ((above + 1) * weight + below + lower))
        base = table.recall_base(self.rel)[:, None]
        ends = []
        for total, number, extreme in ((lowest, last, np.min), (highest, first, np.max)):
            counts = np.concatenate([np.zeros((table.topics, 1)), np.where(is_open > 0, number, -1.0)], axis=-1)
            values = divide(np.concatenate([value, total], axis=-1), base + counts)
            wanted = counts >= 0 if relevant is None else counts == relevant
            beyond = np.inf if extreme is np.min else -np.inf
            end = extreme(np.where(wanted, values, beyond), axis=-1)
            ends.append(np.where(wanted.any(axis=-1), end, np.nan))
        return ends[0], ends[1]


def _from_below(column: Floats) -> Floats:
    """(topic, rank): sums from the last rank up to each one."""
    return np.cumsum(column[:, ::-1], axis=-1)[:, ::-1]


@dataclass(frozen=True)
class GMAP(AP):
    """Average precision whose mean over topics is geometric: gains on the worst topics show.

    A topic of value 0 counts as 0.00001. AP is 1/2 and 1/8 here, so their geometric mean is 1/4:

    >>> from rankscale.data.judged import judged
    >>> topics = judged("0 1", "0 0 0 0 0 0 0 1")
    >>> round(float(GMAP().summarise(GMAP().value(topics))), 4)
    0.25

    Formula
    -------
    AP; over topics exp(mean of log(max(AP, 0.00001)))

    References
    ----------
    Robertson, On GMAP: and other transformations, CIKM 2006
    """

    summary: ClassVar = "geometric"


@dataclass(frozen=True)
class APstar(TiedByCount):
    """Precision at each relevant document, averaged over the relevant documents retrieved; the papers' AP*.

    Eight relevant documents are retrieved (Moffat and Zobel 2008, who give 0.5324):

    >>> from rankscale.data.judged import judged
    >>> APstar().value(judged("1 1 0 0 0 1 0 0 0 0 1 0 0 0 0 0 1 1 1 1")).round(4)
    array([0.5324])

    The last three of them lower the value: it is no longer the average over a fixed number of documents.

    Formula
    -------
    (1/c) sum over relevant ranks i <= k of (relevant in the first i) / i, with c relevant in the first k

    User model
    ----------
    stops at one of the relevant documents retrieved, each as likely as the others

    References
    ----------
    Moffat and Zobel, TOIS 27(1), 2008
    """

    exceptions: ClassVar = {
        "a_longer_ranking_never_costs": "one more relevant document below the others lowers the mean over them",
        "moving_a_relevant_document_up_never_costs": "one that moves up to the depth lowers the mean of those above",
    }

    best_first: ClassVar = "uncut"

    def total(self, judged: Judged) -> Floats:
        """The average down to each entry; it stays where no relevant document is met."""
        return divide(AP(rel=self.rel).total(judged), judged.relevant_so_far(self.rel))

    def given_count(self, group: PartedGroup, met: int) -> Floats:
        """The mean of precision where the group has given so many: on average as in a group that ends at the depth.

        Its place j is relevant in met of m orders, with (j - 1) (met - 1) / (m - 1) others of the group above.
        """
        table, places = group.table, np.maximum(group.drawn, 1.0)
        reciprocals = group.met(np.cumsum(1.0 / table.rank, axis=-1))  # 1 / (above + j), summed over the places
        spread = group.drawn - (group.above + 1) * reciprocals  # (j - 1) / (above + j), summed
        tied = met / places * ((group.before + 1) * reciprocals + divide((met - 1.0) * spread, places - 1))
        return divide(group.at(AP(rel=self.rel).over_ties(table)) + tied, group.before + met)


@dataclass(frozen=True)
class YAAP(AP):
    """Average precision smoothed and put on the scale of log odds, where means over topics mean more.

    Half of the relevant documents on top: the sum of precisions is 1 of 2, the odds are even.

    >>> from rankscale.data.judged import judged
    >>> YAAP().value(judged("1 0", missed="1"))
    array([0.])

    Formula
    -------
    log((1 + s) / (1 + RB - s)), s the sum of precisions at the relevant ranks

    References
    ----------
    Robertson, On Smoothing Average Precision, ECIR 2012
    """

    values_follow_gains: ClassVar[bool] = False
    limits: ClassVar[tuple[float, float]] = (-math.inf, math.inf)

    # None: the mean of a logarithm is not that of what it is taken of.
    over_ties = Measure.over_ties  # type: ignore[assignment]  # which gives no array

    # Values grow with the sum of precisions and the recall base, which is then no mere factor.
    structure = Measure.structure

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """Log odds of the smoothed sum of precisions."""
        return np.log((1.0 + total) / (1.0 + judged.recall_base(self.rel)[:, None] - total))


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
        gains = self.gain(judged.levels, judged.highest)
        met = np.cumsum(judged.worth(gains), axis=-1)
        ratio = (judged.relevant_so_far(self.rel) + float(self.beta) * met) / self._ideal(judged, gains)
        return np.cumsum(judged.relevant(self.rel) * ratio, axis=-1)

    def _ideal(self, judged: Judged, gains: Floats) -> Floats:
        """(topic, entry): the rank and what the ideal ranking gains down to it, blended."""
        ideal = read_along(np.cumsum(judged.ideal_gains(gains), axis=-1), judged.rank)
        return judged.rank + float(self.beta) * ideal

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The recall base, whatever the depth."""
        return judged.recall_base(self.rel)[:, None]

    def over_ties(self, judged: Judged) -> Floats:
        """Blended ratio on average over the places that relevant documents can have among their n tied ones.

        In place j there are (j - 1) / (n - 1) of the group's other documents above, and of their gain.
        """
        gains = self.gain(judged.levels, judged.highest)
        relevant, gain, size = judged.relevant(self.rel), judged.worth(gains), judged.tie_group_size
        share, held = judged.tie_group_mean(relevant), judged.tie_group_sum(gain)
        own = judged.tie_group_mean(relevant * gain)  # the gain of relevant ones
        part = divide(judged.rank - judged.first, size - 1)
        above = judged.above_tie_group(judged.relevant_so_far(self.rel))
        met_above = judged.above_tie_group(np.cumsum(gain, axis=-1))
        count = share * (above + 1 + part * (share * size - 1))
        met = share * met_above + own + part * (share * held - own)
        return np.cumsum((count + float(self.beta) * met) / self._ideal(judged, gains), axis=-1)

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

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): how many users each grade satisfies, up to a factor.

        With thresholds they ask for grades 1, 2, ..., without any for every grade alike, whole or not.
        """
        if not self.thresholds:
            return gain_table(None, levels, 1.0)
        steps = np.append(0.0, np.cumsum(np.array(self.thresholds, dtype=np.float64)))
        whole = np.clip(np.floor(levels), 0, len(self.thresholds))
        return steps[whole.astype(np.int64)]

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
        satisfies_nobody: Bools = self.gain(levels, 1.0) == 0
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
        more = np.diff(self.gain(judged.levels, judged.highest), prepend=0.0)
        return [(level, users) for level, users in zip(judged.levels.tolist(), more.tolist(), strict=True) if users > 0]
