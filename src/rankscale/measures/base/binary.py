"""Measures of binary relevance, and those that say their mean over tied documents at any rank.

The mean of a running sum over the orders of tied documents is a running sum, too. That of other measures is known where
it depends on the group that the rank parts, or on the number of relevant documents above the rank.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.data.judged import Judged
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.parameters import rel_param
from rankscale.measures.base.ties import at_end, chance, end_of, ends_at


class OfRelevance(Measure):
    """A measure of binary relevance, with the parameter `rel`, which a subclass declares among the others.

    Documents of grade `rel` or higher are relevant, all others are not.
    """

    only_relevant: ClassVar[bool] = True

    rel: float

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): number of relevant documents down to each entry."""
        return judged.relevant_so_far(self.rel)

    def relevant_above_ties(self, judged: Judged) -> Ints:
        """(topic, rank): number of relevant documents above the tie group of each rank."""
        return judged.above_tie_group(judged.relevant_so_far(self.rel))


@dataclass(frozen=True)
class Binary(OfRelevance):
    """A measure of binary relevance whose first parameter is `rel`."""

    rel: float = rel_param()


@dataclass(frozen=True)
class OverRecallBase(Binary):
    """A measure of binary relevance whose totals are divided by the recall base."""

    uses_recall_base: ClassVar[bool] = True

    def norm(self, judged: Judged, rank: Ints) -> Numbers:
        """(topic, 1): the recall base, whatever the depth."""
        return judged.recall_base(self.rel)[:, None]


class SumOfGains(Measure):
    """Gain added up down the ranking, each rank counting as much as any other."""

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): gains, summed down the ranking."""
        return np.cumsum(self.gain_met(judged), axis=-1)

    def over_ties(self, judged: Judged) -> Numbers:
        """(topic, rank): the same, each rank gaining the mean of its tie group."""
        return np.cumsum(judged.tie_group_mean(self.gain_met(judged)), axis=-1)


class NothingMet(Measure):
    """A measure that does not look at which documents are retrieved: nothing cumulates down the ranking."""

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry): zeros."""
        return np.zeros(judged.rank.shape)

    def over_ties(self, judged: Judged) -> Numbers:
        """(topic, rank): zeros, in all orders."""
        return np.zeros(judged.rank.shape)


class OfSeveralColumns(Measure):
    """A measure that writes `at_ranks`, its values at any ranks, where more than one running column is read there."""

    def at_ranks(self, total: Numbers, judged: Judged, rank: Ints, read: Callable[[Numbers], Floats]) -> Floats:
        """(topic, any): the values of rankings that end at these ranks, where `read` reads a running column."""
        raise NotImplementedError(f"{type(self).__name__} must define at_ranks()")

    def read_at(self, total: Numbers, judged: Judged, depths: tuple[int, ...]) -> Floats:
        """(topic, depth): the values at several depths."""
        return self.at_ranks(total, judged, np.array([depths]), lambda column: judged.read_at(column, depths))

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the value of the ranking down to its end."""
        end = judged.length[:, None]
        return self.at_ranks(total, judged, end, lambda column: judged.read(column)[:, None])[:, 0]

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value of the ranking as if it ended at each entry."""
        values = self.at_ranks(self.total(judged), judged, judged.common_rank, partial(np.asarray, dtype=np.float64))
        return np.broadcast_to(values, judged.rank.shape)


@dataclass(frozen=True)
class TiedAtRanks(Measure):
    """A measure that writes `tied_at`, its mean over the orders of tied documents at any rank."""

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the exact means of the values at these ranks; `table` has every rank, also below its end."""
        raise NotImplementedError(f"{type(self).__name__} must define tied_at()")

    def tied_value(self, table: Judged) -> Floats:
        """(topic,): the mean at the depth, or at the end of each ranking."""
        return self.tied_at(table, end_of(self, table))[:, 0]

    def tied_curve(self, table: Judged) -> Floats:
        """(topic, rank): the means at all ranks."""
        return self.tied_at(table, table.rank.astype(np.int64))


@dataclass(frozen=True, eq=False)
class PartedGroup:
    """The tie groups that rankings end in, (topic, any) each; where they end with a group, all of it is above."""

    table: Judged
    rank: Ints  # the rank that values are read at
    end: Ints  # the rank where the ranking ends, if that is higher
    size: Floats  # documents of the group, 1 where nothing is tied
    relevant: Floats  # relevant ones of them
    drawn: Floats  # places of the group down to the end
    before: Floats  # relevant documents above the group
    above: Floats  # documents above the group

    def at(self, so_far: Floats) -> Floats:
        """(topic, any): a running column of the table, as it stood above the group."""
        return at_end(so_far, self.above.astype(np.int64))

    def met(self, so_far: Floats) -> Floats:
        """(topic, any): what a running column gains from the group down to the end."""
        return at_end(so_far, self.end) - self.at(so_far)


def parted_group(table: Judged, rank: Ints, rel: float) -> PartedGroup:
    """The groups that rankings end in which are read at these ranks."""
    end = ends_at(table, rank)
    size = at_end(table.tie_group_size, end)
    above = at_end(table.first - 1, end)
    relevant = np.rint(at_end(table.tie_group_sum(table.relevant(rel)), end))
    before = at_end(table.above_tie_group(table.relevant_so_far(rel)), end)
    return PartedGroup(table, rank, end, size, relevant, end - above, before, above)


@dataclass(frozen=True)
class TiedByCount(TiedAtRanks, Binary):
    """A measure whose mean is known once the number of relevant documents above the depth is.

    Only the group that the depth parts leaves this number open. Where it is known, all orders of what stands above the
    depth are as likely.
    """

    def given_count(self, group: PartedGroup, met: int) -> Floats:
        """(topic, any): the mean value if `met` relevant documents of the parted group stand above the depth."""
        return self.finish(group.before + met, group.table, group.rank)

    def tied_at(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the means over the numbers of relevant documents that the depth may leave.

        Numbers for which the measure is undefined are left out.
        """
        mean, chances, _ = self._by_count(table, rank)
        with np.errstate(invalid="ignore"):  # 0/0 where it is undefined for all
            average: Floats = mean / chances
        return average

    def tied_defined(self, table: Judged, rank: Ints) -> Floats:
        """(topic, any): the chance of a number for which the measure is defined."""
        _, chances, every = self._by_count(table, rank)
        return chances / every

    def _by_count(self, table: Judged, rank: Ints) -> tuple[Floats, Floats, Floats]:
        """(topic, any) each: sum of chances times values, sum of the chances of numbers that have one, and of all."""
        group = parted_group(table, rank, self.rel)
        mean, chances, every = (np.zeros(group.end.shape) for _ in range(3))
        most = np.minimum(group.relevant, group.drawn)
        for met in range(int(most.max(initial=0)) + 1):
            share = chance(group.size, group.relevant, group.drawn, met)
            value = self.given_count(group, met)
            counts = (share > 0) & ~np.isnan(value)
            mean += np.where(counts, share * value, 0.0)
            chances += np.where(counts, share, 0.0)
            every += share
        return mean, chances, every
