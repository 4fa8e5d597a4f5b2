"""PreferenceMeasure: measures of preferences, which look at pairs of documents."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.data.orders import with_ranks
from rankscale.errors import BoundsError
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.preference_counts import Among, Places, Preferences, of_groups, over_ties


@dataclass(frozen=True)
class PreferenceMeasure(Measure):
    """A measure of preferences: it writes `along`, its values if the ranking ended at any entry, or above the first.

    Where documents have one grade each, the higher grade is preferred to the lower one. Documents without a judgment
    change nothing, but for the ranks that they take.
    """

    by_assessor: ClassVar[bool] = True
    uses_recall_base: ClassVar[bool] = True  # what counts is what the topic's qrels hold

    def along(self, judged: Judged) -> Floats:
        """(topic, entry + 1): the values of rankings that end above the first entry, and at each entry."""
        raise NotImplementedError(f"{type(self).__name__} must define along()")

    def total(self, judged: Judged) -> Numbers:
        """(topic, entry + 1): the values themselves."""
        return self.along(judged)

    def read_at(self, total: Numbers, judged: Judged, depths: tuple[int, ...]) -> Floats:
        """(topic, depth): the values at several depths."""
        entries = np.stack([judged.within(depth) for depth in depths], axis=-1)
        return np.take_along_axis(np.asarray(total, dtype=np.float64), entries, axis=-1)

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the value of the ranking down to its end."""
        return np.asarray(total[:, -1], dtype=np.float64)

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value of the ranking as if it ended at each entry."""
        return self.along(judged)[:, 1:]

    def remark(self) -> str:
        """Where trec_eval has other values."""
        return (
            "trec_eval's values differ where it has defects, and in the order of tied documents: `rankscale trec_eval "
            "-R prefs` prints them"
        )

    def refuse_bounds(self, *, curve: bool = False) -> None:
        """Raise BoundsError: what nobody compared may be preferred to anything."""
        raise BoundsError(str(self), "any preference that was not expressed could be fulfilled or not, and would count")


Counted = tuple[Places, Numbers, Numbers]  # rankings of topics that have it; fulfilled and counted, (any, entry + 1)


@dataclass(frozen=True)
class HalfForTies(PreferenceMeasure):
    """One in which each preference counts by itself: between documents of equal score it counts 1/2 on average.

    It writes `combined`, which makes values of the preferences of all assessors.
    """

    drawn_ties: ClassVar[str] = "with another `among`, where the depth parts documents with equal scores,"

    def combined(self, judged: Judged, groups: Iterable[Counted]) -> Floats:
        """(topic, entry + 1): the values, given what each assessor counts."""
        raise NotImplementedError(f"{type(self).__name__} must define combined()")

    def preferences(self, judged: Judged) -> Iterator[tuple[Places, Preferences]]:
        """What rankings make of the preferences of each assessor."""
        return of_groups(judged)

    @property
    def counting(self) -> Among:
        """Which preferences count."""
        among: Among = getattr(self, "among", "all")
        return among

    @property
    def linear(self) -> bool:
        """Whether the value is a sum over fulfilled preferences: what they are divided by is the same in all orders."""
        return self.counting == "all"

    def along(self, judged: Judged) -> Floats:
        """(topic, entry + 1): the value at each entry."""
        of = self.counting
        groups = ((places, one.fulfilled(of), one.counted(of)) for places, one in self.preferences(judged))
        return self.combined(judged, groups)

    def mean_along(self, table: Judged) -> Floats:
        """(topic, rank + 1): the mean over all orders of tied documents, where the value is such a sum."""
        of, orders = self.counting, (self.preferences(table), self.preferences(reversed_ties(table)))
        groups = (
            (
                places,
                over_ties(table if isinstance(places, slice) else table.rows(places), one, other, of),
                one.counted(of),
            )
            for (places, one), (_, other) in zip(*orders, strict=True)
        )
        return self.combined(table, groups)

    @property
    def knows_tied_means(self) -> bool:
        """Whether there is an exact mean: see `exact_mean`."""
        return True

    def exact_mean(self, table: Judged, *, every_rank: bool = False) -> Bools:
        """(topic,): where the value is a sum, or no end of a ranking parts tied documents."""
        if self.linear:
            return np.ones(table.topics, dtype=bool)
        depth = BEYOND if self.depth is None else self.depth
        end = np.minimum(table.length, depth)[:, None]
        parted = table.first < table.last if every_rank else (table.first <= end) & (end < table.last)
        return ~np.logical_or.reduce(parted & (table.code >= 0), axis=-1)  # type: ignore[no-any-return]

    def tied_value(self, table: Judged) -> Floats:
        """(topic,): the mean over all orders; where no end parts tied documents, of an order and its reverse."""
        if self.linear:
            end = np.minimum(table.length, BEYOND if self.depth is None else self.depth)
            return np.take_along_axis(self.mean_along(table), end[:, None].astype(np.int64), axis=-1)[:, 0]
        cut = table.cut(table.length)
        one, other = (self.read(self.total(order), order) for order in (cut, reversed_ties(cut)))
        return (one + other) / 2

    def tied_curve(self, table: Judged) -> Floats:
        """(topic, rank): the same at each rank."""
        if self.linear:
            rank = np.minimum(table.rank, table.length[:, None]).astype(np.int64)
            return np.take_along_axis(self.mean_along(table), rank, axis=-1)
        return self.curve(table)  # of rankings without ties: see `exact_mean`


def reversed_ties(judged: Judged) -> Judged:
    """The same rankings with each group of tied documents the other way round."""
    if not judged.tied:
        return judged
    is_entry = judged.rank < BEYOND
    rank: Ints = np.where(is_entry, judged.first + judged.last - judged.rank, BEYOND)
    turned = with_ranks(judged, np.arange(judged.topics), rank)
    return replace(turned, rank=turned.rank.astype(judged.rank.dtype))
