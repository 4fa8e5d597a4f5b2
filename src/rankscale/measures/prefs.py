"""Preferences that a ranking fulfils: their number, and their share of all, of pairs and of each assessor's."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged
from rankscale.data.orders import with_ranks
from rankscale.errors import BoundsError
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.measures.base.parameters import param
from rankscale.measures.families.preference_counts import (
    Among,
    Places,
    Preferences,
    mean_share,
    of_groups,
    of_pairs,
    over_ties,
    share,
)


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


@dataclass(frozen=True)
class Share(HalfForTies):
    """Base of the three shares.

    References
    ----------
    Carterette and Bennett, Evaluation Measures for Preference Judgments, SIGIR 2008; Buckley's trec_eval
    """

    undefined: ClassVar[str] = "the topic has no preference that counts"

    among: Among = param(
        "all",
        choices=("all", "seen", "retrieved"),
        help="which preferences count: 'all', those with at least one document retrieved ('seen'), or with both "
        "('retrieved')",
    )


@dataclass(frozen=True)
class Prefs(Share):
    """The share of preferences that the ranking fulfils: the better document is retrieved, and above the other one.

    Where documents have one grade each, every higher grade is preferred to every lower one: five preferences here, of
    which the ranking fails one, that of the 1 over the 0 above it.

    >>> from rankscale.data.judged import judged
    >>> Prefs().value(judged("2 0 1", missed="0"))
    array([0.8])

    Formula
    -------
    preferences fulfilled / preferences, added up over assessors

    User model
    ----------
    compares any two documents and wants the better one first
    """

    def combined(self, judged: Judged, groups: Iterable[Counted]) -> Floats:
        """(topic, entry + 1): what is fulfilled of what counts, added up."""
        fulfilled = np.zeros((judged.topics, judged.rank.shape[-1] + 1))
        counted = np.zeros(fulfilled.shape)
        for places, part, whole in groups:
            fulfilled[places] += part
            counted[places] += whole
        return share(fulfilled, counted)


@dataclass(frozen=True)
class PrefsGroup(Share):
    """The share of preferences that the ranking fulfils, for each assessor by itself, and the mean of these.

    With one assessor, as here, it is Prefs. An assessor who has no preference that counts is left out.

    >>> from rankscale.data.judged import judged
    >>> PrefsGroup().value(judged("2 0 1", missed="0"))
    array([0.8])

    Formula
    -------
    mean over assessors of preferences fulfilled / preferences

    User model
    ----------
    compares any two documents and wants the better one first, and any assessor may be the user
    """

    def combined(self, judged: Judged, groups: Iterable[Counted]) -> Floats:
        """(topic, entry + 1): the mean of shares."""
        return mean_share(judged, groups)


@dataclass(frozen=True)
class PrefsPair(Share):
    """The share of preferences that the ranking fulfils, for each pair of documents, and the mean of these.

    Where assessors contradict each other about a pair, the document that stands first gets its share of the votes.
    Without contradiction or repetition, as here, it is Prefs.

    >>> from rankscale.data.judged import judged
    >>> PrefsPair().value(judged("2 0 1", missed="0"))
    array([0.8])

    Formula
    -------
    mean over pairs of documents of (assessors who prefer the one ranked higher) / (assessors who prefer one of them)

    User model
    ----------
    compares any two documents and wants that one first which most assessors do
    """

    def preferences(self, judged: Judged) -> Iterator[tuple[Places, Preferences]]:
        """What rankings make of the pairs of documents, of all assessors together."""
        yield slice(None), of_pairs(judged)

    def combined(self, judged: Judged, groups: Iterable[Counted]) -> Floats:
        """(topic, entry + 1): the mean over pairs."""
        return mean_share(judged, groups)


@dataclass(frozen=True)
class PreferenceCount(HalfForTies):
    """Base of the counts.

    References
    ----------
    Buckley's trec_eval
    """

    limits: ClassVar[tuple[float, float]] = (0, math.inf)
    summary: ClassVar = "sum"
    drawn_ties: ClassVar[str] = ""

    @property
    def linear(self) -> bool:
        """Yes: nothing is divided."""
        return True


@dataclass(frozen=True)
class NumPrefs(PreferenceCount):
    """How many preferences were expressed, by all assessors: the same for all runs.

    >>> from rankscale.data.judged import judged
    >>> NumPrefs().value(judged("2 0 1", missed="0"))
    array([5.])

    Formula
    -------
    preferences, added up over assessors and topics
    """

    scale: ClassVar = "ratio"
    takes_depth: ClassVar[bool] = False
    best_first: ClassVar = "always"

    def combined(self, judged: Judged, groups: Iterable[Counted]) -> Floats:
        """(topic, entry + 1): the number, whatever was retrieved."""
        return added_up(judged, ((places, counted) for places, _, counted in groups))


@dataclass(frozen=True)
class NumPrefsFul(PreferenceCount):
    """How many preferences the ranking fulfils: the better document is retrieved, and above the other one.

    >>> from rankscale.data.judged import judged
    >>> NumPrefsFul().value(judged("2 0 1", missed="0"))
    array([4.])

    Formula
    -------
    preferences fulfilled, added up over assessors and topics
    """

    among: Among = param(
        "all",
        choices=("all", "retrieved"),
        help="which preferences count: 'all', or those with both documents retrieved ('retrieved')",
    )

    def combined(self, judged: Judged, groups: Iterable[Counted]) -> Floats:
        """(topic, entry + 1): the number at each entry."""
        return added_up(judged, ((places, fulfilled) for places, fulfilled, _ in groups))


def added_up(judged: Judged, parts: Iterable[tuple[Places, Numbers]]) -> Floats:
    """(topic, entry + 1): what assessors count, (any, entry + 1) each, for the rankings of topics that have them."""
    total = np.zeros((judged.topics, judged.rank.shape[-1] + 1))
    for places, part in parts:
        total[places] += part
    return total
