"""Precisions at relevant documents: their sum, average precision and its relatives."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.binary import Binary, OverRecallBase, PartedGroup, TiedByCount
from rankscale.measures.base.measure import Measure, Numbers, added, divide
from rankscale.measures.base.structure import Precisions, Structure


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
