"""Preferences that a ranking fulfils: their number, and their share of all, of pairs and of each assessor's.

`PrefsBalanced` looks at relevant documents and at as many that are not.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, NDArray
from rankscale.data.judged import BEYOND, Judged
from rankscale.data.orders import with_ranks
from rankscale.errors import BoundsError
from rankscale.measures.base.measure import Measure, Numbers, divide
from rankscale.measures.base.parameters import param
from rankscale.measures.families.preferences import (
    Among,
    EntryPlaces,
    PreferenceRelation,
    Preferences,
    classes,
    in_group,
    mean_share,
    of_groups,
    of_pairs,
    over_ties,
    partial_orders,
    refuse_many,
    so_far,
)

MOST_BALANCED = 1000  # documents of an assessor with several lists


def all_or_retrieved_param() -> Among:
    """The parameter `among` of measures that do not look at preferences seen by one document alone."""
    return param(
        "all",
        choices=("all", "retrieved"),
        help="which preferences count: 'all', or those with both documents retrieved ('retrieved')",
    )


@dataclass(frozen=True)
class PreferenceMeasure(Measure):
    """A measure of preferences: its `total` are its values if the ranking ended at any entry, or above the first.

    Where documents have one grade each, the higher grade is preferred to the lower one. Documents without a judgment
    change nothing, but for the ranks that they take.
    """

    by_assessor: ClassVar[bool] = True
    uses_recall_base: ClassVar[bool] = True  # what counts is what the topic's qrels hold

    def read_at(self, total: Numbers, judged: Judged, depths: tuple[int, ...]) -> Floats:
        """(topic, depth): the values at several depths."""
        entries = np.stack([judged.within(depth) for depth in depths], axis=-1)
        return np.take_along_axis(np.asarray(total, dtype=np.float64), entries, axis=-1)

    def whole(self, total: Numbers, judged: Judged) -> Floats:
        """(topic,): the value of the ranking down to its end."""
        return np.asarray(total[:, -1], dtype=np.float64)

    def curve(self, judged: Judged) -> Floats:
        """(topic, entry): the value of the ranking as if it ended at each entry."""
        return np.asarray(self.total(judged)[:, 1:], dtype=np.float64)

    def remark(self) -> str:
        """Where trec_eval has other values."""
        return (
            "trec_eval's values differ where it has defects, and in the order of tied documents: `rankscale trec_eval "
            "-R prefs` prints them"
        )

    def refuse_bounds(self, *, curve: bool = False) -> None:
        """Raise BoundsError: what nobody compared may be preferred to anything."""
        raise BoundsError(str(self), "any preference that was not expressed could be fulfilled or not, and would count")


# Of one assessor: rankings of topics that have it; fulfilled and counted, (any, entry + 1).
CountedPreferences = tuple[EntryPlaces, Numbers, Numbers]


@dataclass(frozen=True)
class HalfForTies(PreferenceMeasure):
    """One in which each preference counts by itself: between documents of equal score it counts 1/2 on average.

    It writes `combined`, which makes values of the preferences of all assessors.
    """

    drawn_ties: ClassVar[str] = "with another `among`, where the depth parts documents with equal scores,"

    def combined(self, judged: Judged, groups: Iterable[CountedPreferences]) -> Floats:
        """(topic, entry + 1): the values, given what each assessor counts."""
        raise NotImplementedError(f"{type(self).__name__} must define combined()")

    def preferences(self, judged: Judged) -> Iterator[tuple[EntryPlaces, Preferences]]:
        """What rankings make of the preferences of each assessor."""
        return of_groups(judged)

    @property
    def counting(self) -> Among:
        """Which preferences count."""
        return getattr(self, "among", "all")

    @property
    def linear(self) -> bool:
        """Whether the value is a sum over fulfilled preferences: what they are divided by is the same in all orders."""
        return self.counting == "all"

    def total(self, judged: Judged) -> Floats:
        """(topic, entry + 1): the value at each entry."""
        of = self.counting
        groups = ((places, one.fulfilled(of), one.counted(of)) for places, one in self.preferences(judged))
        return self.combined(judged, groups)

    def mean_along(self, table: Judged) -> Floats:
        """(topic, rank + 1): the mean over all orders of tied documents, where the value is such a sum."""
        of, orders = self.counting, (self.preferences(table), self.preferences(reversed_ties(table)))

        def groups() -> Iterator[CountedPreferences]:
            for (places, one), (_, other) in zip(*orders, strict=True):
                rows = table if isinstance(places, slice) else table.rows(places)
                yield places, over_ties(rows, one, other, of), one.counted(of)

        return self.combined(table, groups())

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
class PreferenceShare(HalfForTies):
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

    def combined(self, judged: Judged, groups: Iterable[CountedPreferences]) -> Floats:
        """(topic, entry + 1): the mean of shares."""
        return mean_share(judged, groups)


@dataclass(frozen=True)
class Prefs(PreferenceShare):
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

    def combined(self, judged: Judged, groups: Iterable[CountedPreferences]) -> Floats:
        """(topic, entry + 1): what is fulfilled of what counts, added up."""
        return divide(*added_up(judged, groups), undefined=np.nan)


@dataclass(frozen=True)
class PrefsGroup(PreferenceShare):
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


@dataclass(frozen=True)
class PrefsPair(PreferenceShare):
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

    def preferences(self, judged: Judged) -> Iterator[tuple[EntryPlaces, Preferences]]:
        """What rankings make of the pairs of documents, of all assessors together."""
        yield slice(None), of_pairs(judged)


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

    def combined(self, judged: Judged, groups: Iterable[CountedPreferences]) -> Floats:
        """(topic, entry + 1): the number, whatever was retrieved."""
        return added_up(judged, groups)[1]


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

    among: Among = all_or_retrieved_param()

    def combined(self, judged: Judged, groups: Iterable[CountedPreferences]) -> Floats:
        """(topic, entry + 1): the number at each entry."""
        return added_up(judged, groups)[0]


def added_up(judged: Judged, groups: Iterable[CountedPreferences]) -> tuple[Floats, Floats]:
    """(topic, entry + 1) twice: what is fulfilled and what counts, of all assessors together."""
    fulfilled, counted = np.zeros((2, judged.topics, judged.rank.shape[-1] + 1))
    for places, part, whole in groups:
        fulfilled[places] += part
        counted[places] += whole
    return fulfilled, counted


@dataclass(frozen=True)
class PrefsBalanced(PreferenceMeasure):
    """PrefsGroup with as many documents that are not relevant as relevant ones, so that topics weigh them alike.

    A level above 0 is relevant. Of the R relevant documents and the others, in the order of the ranking and then of
    names, the first R others count; where there are fewer, others are imagined below everything. Here R is 2: the
    grades 2, 1 and 0 count, and one imagined document below them. Of their five preferences one fails.

    >>> from rankscale.data.judged import judged
    >>> PrefsBalanced().value(judged("2 0 1"))
    array([0.8])

    Formula
    -------
    mean over assessors of (fulfilled among counted + r max(R-N, 0)) / (preferences among counted + R max(R-N, 0)), N \
documents not relevant, r of the R relevant ones retrieved

    References
    ----------
    Buckley's trec_eval
    """

    undefined: ClassVar[str] = "the topic has no relevant document that is preferred to another one"

    among: Among = all_or_retrieved_param()

    def total(self, judged: Judged) -> Floats:
        """(topic, entry + 1): the mean over assessors at each entry."""
        return mean_share(judged, self._groups(judged))

    def _groups(self, every: Judged) -> Iterator[tuple[EntryPlaces, Numbers, Numbers]]:
        """Fulfilled and possible preferences of each assessor, at each entry."""
        within_retrieved = self.among == "retrieved"
        for number, places, seen in every.each_aspect():
            judged = every if isinstance(places, slice) else every.rows(places)
            fulfilled, possible = _one_list(seen, self.among)
            for place, lists in partial_orders(judged, number):
                made = _several_lists(judged, place, lists, within_retrieved=within_retrieved)
                fulfilled[place], possible[place] = made
            yield places, fulfilled, possible


def _one_list(seen: Judged, among: Among) -> tuple[NDArray[Any], NDArray[Any]]:
    """(topic, entry + 1) twice: fulfilled and possible preferences of weak orders.

    All that is not relevant is of level 0, and below every relevant document; so what was not retrieved and what is
    imagined count alike.
    """
    within = classes(seen, ~(seen.levels > 0))
    fulfilled, possible = within.fulfilled(among), within.counted(among)
    levels = np.append(seen.levels, np.nan)[seen.code]  # UNJUDGED is -1: the last one
    relevant, other = levels > 0, levels == 0
    met, passed = so_far(relevant), so_far(other)
    total = met if among == "retrieved" else seen.documents_of(seen.levels > 0)[:, None]
    others = passed if among == "retrieved" else seen.documents_of(seen.levels == 0)[:, None]
    counted = np.minimum(np.minimum(passed, others), total)  # others that were retrieved and count
    above = so_far(np.where(other, met[:, 1:], 0))
    by_number = np.zeros(above.shape, dtype=np.int64)  # relevant documents above the first others, added up
    np.put_along_axis(by_number, passed, above, axis=-1)
    won = np.take_along_axis(by_number, counted, axis=-1) + (total - counted) * met
    return fulfilled + won, possible + total * total


def _several_lists(
    judged: Judged, place: int, lists: PreferenceRelation, *, within_retrieved: bool
) -> tuple[Floats, Floats]:
    """(entry + 1,) twice: fulfilled and possible preferences of one ranking by a partial order, end by end."""
    aspects, row = judged.aspects, judged.row
    assert aspects is not None  # the lists are theirs  # noqa: S101
    assert row is not None  # noqa: S101
    topic = int(row[place])
    # Every end of the ranking is looked at by itself.
    refuse_many(len(lists.document), lambda: f"{aspects.source}: topic {aspects.topic_name(topic)}", MOST_BALANCED)
    entries, order = in_group(judged.document[place], lists.document)
    by_name = np.argsort(aspects.name_order[aspects.judgments[row[place]] + lists.document])
    width = judged.rank.shape[-1] + 1
    fulfilled, possible = np.zeros(width), np.zeros(width)
    ends = np.concatenate([[0], entries + 1, [width]])  # where one more document of the list is retrieved
    for held in range(len(order) + 1):
        missing = by_name[~np.isin(by_name, order[:held])]
        places = order[:held] if within_retrieved else np.concatenate([order[:held], missing])
        part, whole = _balanced(lists, places, held)
        fulfilled[ends[held] : ends[held + 1]] = part
        possible[ends[held] : ends[held + 1]] = whole
    return fulfilled, possible


def _balanced(lists: PreferenceRelation, places: Ints, held: int) -> tuple[int, int]:
    """Fulfilled and possible preferences among relevant documents and as many others, documents in their places."""
    relevant = lists.level[places] > 0
    wanted, met = int(relevant.sum()), int(relevant[:held].sum())
    counted = relevant | (np.cumsum(~relevant) <= wanted)
    preferred = lists.preferred[np.ix_(places[counted], places[counted])]
    retrieved = int(counted[:held].sum())
    imagined = max(wanted - int((~relevant).sum()), 0)
    part = int(np.count_nonzero(np.triu(preferred[:retrieved])))
    return part + met * imagined, int(np.count_nonzero(preferred)) + wanted * imagined
