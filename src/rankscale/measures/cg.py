"""Cumulated gain: as it is, over that of the best ranking there could be, and over what is read or there to gain."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.additive import EqualWeights
from rankscale.measures.base.gains import (
    Cumulated,
    Gains,
    GivenGains,
    Graded,
    gain_table,
    gains_param,
    gains_within,
    some_negative,
    unjudged_param,
)
from rankscale.measures.base.measure import Numbers, added, divide
from rankscale.measures.base.structure import GainSums, Structure

OUTWEIGHED = "negative gains outweigh the positive ones of the ideal ranking"
DEEPEST = 1 << 24  # where the search for the deepest depth that can be used gives up


class CostingDocuments(Graded):
    """A measure with a parameter `unjudged`, which a subclass declares: documents may cost something.

    An unjudged document counts as not relevant, and so costs what grade 0 costs unless `unjudged` says otherwise. Where
    grade 0 gains something, an unjudged document still gains nothing.

    Below the documents that are worth something, the ideal ranking goes on with those that cost least: no ranking beats
    it, and a perfect ranking followed by documents that are not relevant equals it at every rank.
    """

    unjudged: float | None

    def check(self) -> None:
        """Leave out a gain that unjudged documents have anyway, so that a measure has one name."""
        super().check()
        if self.unjudged is not None and self.unjudged == self._cost_of_not_relevant:
            object.__setattr__(self, "unjudged", None)

    @property
    def unjudged_gain(self) -> float:
        """Gain of an unjudged document."""
        return self._cost_of_not_relevant if self.unjudged is None else float(self.unjudged)

    @property
    def some_cost(self) -> bool:
        """Whether some document costs something."""
        return some_negative(self.gains) or self.unjudged_gain < 0

    @property
    def filler_gain(self) -> float:
        """Gain of each document that fills up the ideal ranking: not relevant or unjudged, whichever is worth more."""
        return max(self._cost_of_not_relevant, self.unjudged_gain)

    @property
    def of_ideal(self) -> Self:
        """The measure as it measures the ideal ranking, where unjudged documents are those that fill it up."""
        return replace(self, unjudged=self.filler_gain)  # type: ignore[call-arg]  # a subclass declares it

    @property
    def _cost_of_not_relevant(self) -> float:
        """Gain of grade 0 where that is negative, else 0."""
        return min(0.0, float(gain_table(self.gains, np.zeros(1), 1.0)[0]))


@dataclass(frozen=True)
class CG(CostingDocuments, EqualWeights):
    """Gain met down the ranking.

    With more than two gains it is on an interval scale only if gains are on a ratio scale. The example of Järvelin and
    Kekäläinen 2002:

    >>> from rankscale.data.judged import judged
    >>> CG().curve(judged("3 2 3 0 0 1 2 2 3 0")).tolist()[0]
    [3.0, 5.0, 8.0, 8.0, 8.0, 9.0, 11.0, 13.0, 16.0, 16.0]

    Gains may be negative; unjudged documents count as not relevant, unless `unjudged` says what they are worth:

    >>> CG(gains=[-1, 1, 2, 3]).value(judged("3 0 - 1")), CG(gains=[-1, 1, 2, 3], unjudged=0).value(judged("3 0 - 1"))
    (array([2.]), array([3.]))

    Formula
    -------
    sum over ranks i <= k of gain

    User model
    ----------
    reads the first k documents and gains from each what it is worth

    References
    ----------
    Järvelin and Kekäläinen, TOIS 20(4), 2002
    """

    limits: ClassVar[tuple[float, float]] = (0, math.inf)

    unjudged: float | None = unjudged_param()


@dataclass(frozen=True)
class OverIdeal(Cumulated, CostingDocuments):
    """Discounted gain over that of the best ranking there could be; without a depth, over the whole of it.

    Where documents that are not relevant cost something, the ideal ranking goes on with them. Without a depth it then
    ends where the ranking ends, but not before its last document with a positive gain.
    """

    uses_recall_base: ClassVar[bool] = True
    over_ideal: ClassVar[bool] = True

    def check(self) -> None:
        """State when the measure is undefined, where gains are negative."""
        super().check()
        if self.some_cost:
            object.__setattr__(self, "undefined", OUTWEIGHED)

    @property
    def has_interval_version(self) -> bool:
        """Whether there is an interval version: always, for topics whose ideal ranking gains something."""
        return True

    def has_scale(self, judged: Judged) -> Bools:
        """(topic,): whether the ideal ranking gains something down to the depth."""
        return self.ideal(judged, None if self.depth is None else np.array([[self.depth]]))[:, 0] > 0

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """(topic, any): the sum with what unjudged documents gain, over that of the ideal ranking."""
        return self._ratio(total, rank, self.ideal(judged, rank))

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the values down to the end of each ranking, over the whole ideal."""
        end = judged.length[:, None]
        down_to = np.maximum(end, self.gaining(judged)) if self.filler_gain else None
        return self._ratio(judged.read(total)[:, None], end, self.ideal(judged, down_to))[:, 0]

    def _ratio(self, total: Numbers, rank: Ints, ideal: Floats) -> Floats:
        """(topic, any): undefined where some document costs something and the ideal ranking has gained nothing."""
        if self.unjudged_gain:
            total = total + self.unjudged_gain * self.discounts_down_to(rank)
        if not self.some_cost:
            return divide(total, ideal)
        return divide(total, np.maximum(ideal, 0.0), np.nan)

    def why_undefined(self, judged: Judged) -> str:
        """That no document has a positive gain, or the deepest depth at which the ideal rankings still gain."""
        if not self.some_cost:
            return ""
        if not (self.gaining(judged) > 0).any():
            return "some gains are negative, and no topic has a document with a positive gain"
        deepest = self._deepest(judged)
        first, last = deepest[deepest > 0].min(), deepest.max()
        every = f" ({first} for a value on every topic with a positive gain)" if first < last else ""
        return f"{OUTWEIGHED}; the deepest usable depth is {last}{every}"

    def cautions(self, values: Floats, levels: Floats, highest: float) -> Iterator[str]:  # values tell
        """That ideal rankings which hardly gain anything make ratios large."""
        low = int(np.count_nonzero(values < -1))
        if self.some_cost and low:
            yield (
                f"values are below -1 for {low} of {values.size} rankings, where costs nearly outweigh the gains of "
                "the ideal ranking; they dominate means, and a smaller depth has fewer of them"
            )

    def _deepest(self, judged: Judged) -> Ints:
        """(topic,): the last rank at which the ideal ranking has gained something; it rises first, then falls."""
        gaining = self.gaining(judged)
        within, beyond = gaining, np.maximum(2 * gaining, 1)
        while (still := self.ideal(judged, beyond) > 0).any() and beyond.max() < DEEPEST:
            within, beyond = np.where(still, beyond, within), np.where(still, 2 * beyond, beyond)
        while (beyond - within > 1).any():
            middle = (within + beyond) // 2
            reached = self.ideal(judged, middle) > 0
            within, beyond = np.where(reached, middle, within), np.where(reached, beyond, middle)
        return np.where(gaining > 0, within, 0)[:, 0]


@dataclass(frozen=True)
class nCG(OverIdeal):
    """Gain met down the ranking, over that of the best ranking there could be.

    With more than two gains it is on an interval scale only if gains are on a ratio scale. The ranking of Järvelin and
    Kekäläinen 2002 and the gains of their ideal:

    >>> from rankscale.data.judged import judged
    >>> ranking = judged("3 2 3 0 0 1 2 2 3 0", missed="1 1 1")
    >>> nCG(depth=5).value(ranking).round(4)  # 8 / 13
    array([0.6154])

    Where documents that are not relevant cost something, they cost the ideal ranking as well, which no ranking beats:

    >>> nCG(gains=[-1, 1, 2, 3], depth=4).value(judged("3 2 0 -", "3 0 2 0"))  # (3 + 2 - 1 - 1) / the same
    array([1., 1.])

    Formula
    -------
    (sum over ranks i <= k of gain) / (the same sum over the ideal ranking)

    User model
    ----------
    reads the first k documents and compares what is gained with what could have been

    References
    ----------
    Järvelin and Kekäläinen, TOIS 20(4), 2002
    """

    unjudged: float | None = unjudged_param()

    def divisor(self, rank: Ints) -> Floats:
        """1 at every rank: gains are not discounted."""
        return np.ones(rank.shape)

    def structure(self, depth: int | None) -> Structure:
        """A sum of gains."""
        return GainSums()

    @property
    def discounting(self) -> object:
        """Key under which sums of undiscounted gains are cached."""
        return (None, "none")


@dataclass(frozen=True)
class gP(GivenGains, EqualWeights):
    """Precision with graded relevance: the mean gain of the first k documents, gains lying between 0 and 1.

    A document gains its grade over the highest one, unless `gains` says otherwise. A shorter ranking is filled with
    documents that gain nothing; without a depth the mean is over the documents retrieved. It is on an interval scale
    only if gains are on a ratio scale. The gains are 1, 0, 1/2 and 0 here:

    >>> from rankscale.data.judged import judged
    >>> gP(depth=4).value(judged("2 0 1"))
    array([0.375])

    Formula
    -------
    (sum of the gains of the first k) / k

    References
    ----------
    Kekäläinen and Järvelin, Using Graded Relevance Assessments in IR Evaluation, JASIST 53(13), 2002
    """

    divided_by_length: ClassVar[bool] = True

    gains: Gains = gains_param("linear")

    def gain(self, levels: Floats, highest: float) -> Floats:
        """(level,): gain of each grade, from 0 to 1."""
        return gains_within(self.name, gain_table(self.gains, levels, highest), levels, 1)

    def ignored(self, levels: Floats) -> Bools:
        """(level,): the grades that gain nothing, whatever the highest grade."""
        gains_nothing: Bools = gain_table(self.gains, levels, 1.0) == 0
        return gains_nothing

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """The number of documents read."""
        return rank


@dataclass(frozen=True)
class gR(gP):
    """Recall with graded relevance: the gain of the first k documents, over that of all judged documents of the topic.

    A document gains its grade over the highest one, unless `gains` says otherwise. It is on an interval scale only
    if gains are on a ratio scale. Met are 1 and 1/2 of the 1 + 1/2 + 1 that there are:

    >>> from rankscale.data.judged import judged
    >>> gR(depth=4).value(judged("2 0 1", missed="2"))
    array([0.6])

    Formula
    -------
    (sum of the gains of the first k) / (sum of the gains of all judged documents)
    """

    uses_recall_base: ClassVar[bool] = True
    bounded: ClassVar[bool] = False
    divided_by_length: ClassVar[bool] = False

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """All gain there is."""
        return added(judged.counts * self.gain(judged.levels, judged.highest))[:, None]

    def finish(self, total: Numbers, judged: Judged, rank: Ints) -> Floats:
        """The share, at most 1: sums in another order may round up."""
        return np.minimum(super().finish(total, judged, rank), 1.0)
