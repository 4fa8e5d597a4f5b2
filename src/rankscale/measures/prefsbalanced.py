"""Preferences fulfilled among relevant documents and as many that are not."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, NDArray
from rankscale.data.judged import Judged
from rankscale.measures.base.parameters import param
from rankscale.measures.families.preference_counts import (
    Among,
    Numbers,
    Places,
    classes,
    in_group,
    mean_share,
    partial_orders,
    so_far,
)
from rankscale.measures.families.preference_lists import Relation, refuse_many
from rankscale.measures.prefs import PreferenceMeasure

MOST_BALANCED = 1000  # documents of an assessor with several lists


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

    among: Among = param(
        "all",
        choices=("all", "retrieved"),
        help="which preferences count: 'all', or those with both documents retrieved ('retrieved')",
    )

    def along(self, judged: Judged) -> Floats:
        """(topic, entry + 1): the mean over assessors at each entry."""
        return mean_share(judged, self._groups(judged))

    def _groups(self, every: Judged) -> Iterator[tuple[Places, Numbers, Numbers]]:
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
    total = met if among == "retrieved" else np.broadcast_to(_number(seen, seen.levels > 0), met.shape)
    others = passed if among == "retrieved" else np.broadcast_to(_number(seen, seen.levels == 0), met.shape)
    counted = np.minimum(np.minimum(passed, others), total)  # others that were retrieved and count
    above = so_far(np.where(other, met[:, 1:], 0))
    by_number = np.zeros(above.shape, dtype=np.int64)  # relevant documents above the first others, added up
    np.put_along_axis(by_number, passed, above, axis=-1)
    won = np.take_along_axis(by_number, counted, axis=-1) + (total - counted) * met
    return fulfilled + won, possible + total * total


def _number(seen: Judged, levels: Bools) -> Ints:
    """(topic, 1): how many documents have one of these levels."""
    number: Ints = seen.counts[:, levels].sum(axis=-1)[:, None]
    return number


def _several_lists(judged: Judged, place: int, lists: Relation, *, within_retrieved: bool) -> tuple[Floats, Floats]:
    """(entry + 1,) twice: fulfilled and possible preferences of one ranking by a partial order, end by end."""
    aspects, row = judged.aspects, judged.row
    assert aspects is not None  # the lists are theirs  # noqa: S101
    assert row is not None  # noqa: S101
    topic = int(row[place])
    refuse_many(
        len(lists.document), lambda: f"{aspects.source}: topic {aspects.topic_name(topic)}", MOST_BALANCED
    )  # by each end of the ranking
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


def _balanced(lists: Relation, places: Ints, held: int) -> tuple[int, int]:
    """Fulfilled and possible preferences among relevant documents and as many others, documents in their places."""
    relevant = lists.level[places] > 0
    wanted, met = int(relevant.sum()), int(relevant[:held].sum())
    counted = relevant | (np.cumsum(~relevant) <= wanted)
    preferred = lists.preferred[np.ix_(places[counted], places[counted])]
    retrieved = int(counted[:held].sum())
    imagined = max(wanted - int((~relevant).sum()), 0)
    part = int(np.count_nonzero(np.triu(preferred[:retrieved])))
    return part + met * imagined, int(np.count_nonzero(preferred)) + wanted * imagined
