"""Preferences that rankings fulfil, at every entry, and what they rest on: lists as assessors gave them, checked.

They are counted for all rankings at once, assessor by assessor. What follows from several lists of an assessor together
is a table of all pairs of documents.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Literal, NamedTuple

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, NDArray
from rankscale.data.aspects import Aspects
from rankscale.data.judged import Judged
from rankscale.errors import FormatError, InputError
from rankscale.measures.base.measure import Numbers, divide

Among = Literal["all", "seen", "retrieved"]
EntryPlaces = Ints | slice  # of rankings, or all
CELLS = 1 << 20  # of a table of pairs that are looked at together
COLUMNS = ("wins", "losses", "over", "under", "tied")
MOST_DOCUMENTS = 5000  # of one topic or assessor, where every pair of documents is looked at by itself


class PreferenceRelation(NamedTuple):
    """Preferences of an assessor with several lists."""

    document: Ints  # (n,), rows in the topic's qrels
    preferred: Bools  # (n, n): whether the first is preferred to the second, by a list or a chain of lists
    level: Floats  # (n,)


def several_lists(aspects: Aspects) -> Bools:
    """(aspect,): which assessors gave more than one list."""
    aspects.memo("preferences", lambda: check_lists(aspects))
    lists = aspects.lists or [()] * len(aspects.names)
    return aspects.memo("several lists", lambda: np.array([len(names) > 1 for names in lists], dtype=bool))


def relation(aspects: Aspects, aspect: int) -> PreferenceRelation:
    """The preferences of one assessor with several lists; FormatError where they go round in a circle."""
    document, packed, level = aspects.memo(("relation", aspect), lambda: _packed_relation(aspects, aspect))
    preferred = np.unpackbits(packed, axis=-1, count=len(document)).astype(bool)
    return PreferenceRelation(document, preferred, level)


def _packed_relation(aspects: Aspects, aspect: int) -> tuple[Ints, NDArray[np.uint8], Floats]:
    """A relation as it is kept: one bit for each pair of documents."""
    entries = slice(int(aspects.first[aspect]), int(aspects.first[aspect + 1]))
    document, place = np.unique(aspects.document[entries], return_inverse=True)
    refuse_many(len(document), lambda: _where(aspects, aspect))
    level = np.zeros(len(document))
    level[place] = aspects.levels[aspects.code[entries]]
    direct = np.zeros((len(document), len(document)), dtype=bool)
    for above, below in _lines_in_order(aspects, aspect):
        direct[place[above], place[below]] = True
    closed = closure(direct)
    if closed.diagonal().any():
        _refuse_cycle(aspects, aspect, document, place, direct, int(closed.diagonal().argmax()))
    return document, np.packbits(closed, axis=-1), level


def refuse_many(documents: int, where: Callable[[], str], fewer: int | None = None) -> None:
    """Raise InputError where there are too many documents to look at each pair of them."""
    most = fewer or MOST_DOCUMENTS
    if documents > most:
        raise InputError(
            f"{where()}: {documents} documents, and each pair of them is looked at by itself, which is done for up to "
            f"{most}; with one list for each assessor, Prefs and PrefsGroup take any number"
        )


def _lines_in_order(aspects: Aspects, aspect: int) -> Iterator[tuple[Ints, Ints]]:
    """For each list of an assessor: the places of its entries, the better one and the other, of every preference."""
    start, stop = int(aspects.first[aspect]), int(aspects.first[aspect + 1])
    ordering = aspects.ordering[start:stop] if aspects.ordering is not None else np.zeros(stop - start, dtype=int)
    by_list = np.argsort(ordering, kind="stable")
    for lines in np.split(by_list, np.flatnonzero(np.diff(ordering[by_list])) + 1):
        code = aspects.code[start + lines]
        above, below = np.nonzero(code[:, None] > code)
        yield lines[above], lines[below]


def check_lists(aspects: Aspects) -> bool:
    """Raise FormatError for levels that are none, and where a list or an assessor contradicts itself."""
    if aspects.lists is not None:
        level = aspects.levels[aspects.code]
        odd = np.flatnonzero(~(np.isfinite(level) & (level >= 0)))
        if len(odd):
            _refuse(aspects, odd[:1], f"expected a level of 0 or more, found {level[odd[0]]:g}")
    zero = np.zeros(len(aspects.document), dtype=np.int64)
    ordering = zero if aspects.ordering is None else aspects.ordering.astype(np.int64)
    if (twice := _differing(aspects, ordering, aspects.code)) is not None:
        first, second = (f"{aspects.levels[aspects.code[entry]]:g}" for entry in twice.tolist())
        _refuse(aspects, twice, f"a document stands once in a list, found it at levels {first} and {second}")
    relevant = (aspects.levels > 0)[aspects.code].astype(np.int64)
    if aspects.lists is not None and (twice := _differing(aspects, zero, relevant)) is not None:
        _refuse(aspects, twice, "level 0 means not relevant, found the document at level 0 and above 0 too")
    return True


def _differing(aspects: Aspects, ordering: Ints, column: Ints) -> Ints | None:
    """The first two entries of an assessor, a list and a document that differ in a column; None where none do."""
    order = np.lexsort((aspects.document, ordering, aspects.aspect_of))
    same = np.ones(max(len(order) - 1, 0), dtype=bool)
    for key in (aspects.document, ordering, aspects.aspect_of):
        same &= np.diff(key[order]) == 0
    differs = np.flatnonzero(same & (np.diff(column[order].astype(np.int64)) != 0))
    return np.sort(order[differs[0] : differs[0] + 2]) if len(differs) else None


def _refuse(aspects: Aspects, entries: Ints, words: str) -> None:
    aspect = int(aspects.aspect_of[entries[0]])
    document = _name(aspects, aspect, int(aspects.document[entries[0]]))
    named = aspects.lists[aspect] if aspects.lists is not None and aspects.ordering is not None else ()
    lists = dict.fromkeys(named[int(aspects.ordering[entry])] for entry in entries) if named else {}  # type: ignore[index]
    which = f", list {' and '.join(lists)}" if lists else ""
    raise FormatError(f"{_where(aspects, aspect, entries)}{which}, document {document}: {words}")


def _where(aspects: Aspects, aspect: int, entries: Ints | None = None) -> str:
    """The file, its lines, the topic and the assessor."""
    name = aspects.topic_name(int(aspects.topic_of[aspect]))
    lines = "" if aspects.line is None or entries is None else _lines(aspects.line[entries])
    return f"{aspects.source}{lines}: topic {name}, assessor {aspects.names[aspect]}"


def _lines(numbers: Ints) -> str:
    several = [f"{number}" for number in sorted(set(numbers.tolist()))]
    return f", line {several[0]}" if len(several) == 1 else f", lines {', '.join(several[:-1])} and {several[-1]}"


def _name(aspects: Aspects, aspect: int, document: int) -> str:
    if aspects.index is None:
        return f"{document}"
    return aspects.index.documents(int(aspects.topic_of[aspect]))[document].decode("utf-8", "surrogateescape")


def _refuse_cycle(aspects: Aspects, aspect: int, document: Ints, place: Ints, direct: Bools, start: int) -> None:
    """Raise FormatError with the shortest circle from a document back to it, and the lines that make it."""
    cycle = _shortest_cycle(direct, start)
    steps = set(pairwise(cycle))
    lines = [
        entry + int(aspects.first[aspect])
        for above, below in _lines_in_order(aspects, aspect)
        for one, other in zip(above.tolist(), below.tolist(), strict=True)
        if (int(place[one]), int(place[other])) in steps
        for entry in (one, other)
    ]
    names = [_name(aspects, aspect, int(document[one])) for one in cycle[1:]]
    first = names.index(min(names))
    shown = " > ".join([*names[first:], *names[:first], names[first]])
    raise FormatError(
        f"{_where(aspects, aspect, np.array(lines))}: the lists of one assessor must not contradict each other, "
        f"found {shown}; correct the lines, or give contradicting lists to different assessors"
    )


def _shortest_cycle(direct: Bools, start: int) -> list[int]:
    """Documents from the start back to it, each preferred to the next."""
    from scipy.sparse.csgraph import breadth_first_order

    order, came_from = breadth_first_order(direct, start)
    cycle = [next(one for one in order.tolist() if direct[one, start])]
    while cycle[-1] != start:
        cycle.append(int(came_from[cycle[-1]]))
    return [*cycle[::-1], start]


def closure(related: Bools) -> Bools:
    """(n, n): whether a chain of relations leads from the first to the second.

    >>> closure(np.array([[False, True, False], [False, False, True], [False, False, False]])).astype(int).tolist()
    [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    """
    packed = np.packbits(related, axis=-1)
    for middle in range(len(related)):  # Warshall: what leads to it leads to all that it leads to
        reaches = (packed[:, middle >> 3] >> (7 - (middle & 7)) & 1).astype(bool)
        if reaches.any():
            packed[reaches] |= packed[middle]
    return np.unpackbits(packed, axis=-1, count=related.shape[-1]).astype(bool)


@dataclass(frozen=True, eq=False)
class Preferences:
    """What each entry of rankings adds: (topic, entry) each, 0 for documents that the assessor says nothing about.

    `wins` of the preferences over an entry come true by the documents above it, `losses` of its own preferences fail by
    them. `over` is how many documents it is preferred to, `under` how many are preferred to it, wherever they stand.
    `tied` of its wins and losses are by documents with the same score.
    """

    wins: NDArray[Any]
    losses: NDArray[Any]
    over: NDArray[Any]
    under: NDArray[Any]
    tied: NDArray[Any]
    possible: NDArray[Any]  # (topic,): all preferences of the topic

    def fulfilled(self, among: Among) -> NDArray[Any]:
        """(topic, entry + 1): preferences fulfilled by rankings that end at each entry, and by none of it."""
        # A retrieved document wins over all that it is preferred to but those above it: the rest is below or missing.
        return so_far(self.wins if among == "retrieved" else self.over - self.losses)

    def counted(self, among: Among) -> NDArray[Any]:
        """(topic, entry + 1): preferences that count."""
        if among == "all":
            return np.broadcast_to(self.possible[:, None], (len(self.possible), self.wins.shape[-1] + 1))
        pairs = self.wins + self.losses
        return so_far(pairs if among == "retrieved" else self.over + self.under - pairs)


def nothing(judged: Judged) -> Preferences:
    """No preferences at all."""
    none = np.zeros(judged.rank.shape, dtype=np.int64)
    return Preferences(none, none, none, none, none, np.zeros(judged.topics, dtype=np.int64))


def so_far(column: NDArray[Any]) -> NDArray[Any]:
    """(topic, entry + 1): a column added up, from nothing on."""
    return np.pad(np.cumsum(column, axis=-1), ((0, 0), (1, 0)))


def over_ties(table: Judged, one: Preferences, other: Preferences, among: Among) -> Floats:
    """(topic, rank + 1): preferences fulfilled on average over all orders of tied documents; `table` has every rank.

    `one` and `other` are of two orders, one of which has tied documents the other way round: their mean is right where
    a group of ties ends. Within one, `once` is the chance of each of its documents to be above the end, `twice` that of
    each pair; a preference between two of them that is fulfilled by one alone (`among` all) is then not yet halved.
    """
    mean = (one.fulfilled(among) + other.fulfilled(among)) / 2
    within = so_far(one.tied)
    rank = np.arange(table.rank.shape[-1] + 1)
    first, last = (np.pad(edge, ((0, 0), (1, 0))) for edge in (table.first, np.minimum(table.last, rank[-1])))
    above = np.maximum(first - 1, 0)
    size, drawn = last - above, rank - above
    once, twice = drawn / np.maximum(size, 1), drawn * (drawn - 1) / np.maximum(size * (size - 1), 1)
    (none, held), (full, all_held) = (
        [np.take_along_axis(column, place, axis=-1) for column in (mean, within)] for place in (above, last)
    )
    half = (once - twice) * (all_held - held) / 2
    fulfilled: Floats = none + once * (full - none) + (half if among == "all" else -half)
    return fulfilled


def mean_share(judged: Judged, groups: Iterable[tuple[EntryPlaces, Numbers, Numbers]]) -> Floats:
    """(topic, entry + 1): the mean over assessors of part over whole, those left out whose whole is nothing.

    Of each assessor: the rankings of topics that have one; their part and whole, (ranking, entry + 1).
    """
    total = np.zeros((judged.topics, judged.rank.shape[-1] + 1))
    number = np.zeros(total.shape, dtype=np.int64)
    for places, part, whole in groups:
        total[places] += divide(part, whole)
        number[places] += whole > 0
    return divide(total, number, np.nan)


def of_groups(judged: Judged) -> Iterator[tuple[EntryPlaces, Preferences]]:
    """For each number of an assessor: rankings of topics that have one, and what they make of the preferences."""
    for number, places, seen in judged.each_aspect():
        yield places, seen.memo("preferences", partial(_of_group, judged, places, seen, number))


def _of_group(every: Judged, places: EntryPlaces, seen: Judged, number: int) -> Preferences:
    """One list is counted by the classes of its levels, several by a table of all pairs, topic by topic."""
    judged = every if isinstance(places, slice) else every.rows(places)
    by_class = classes(seen, ~(seen.levels >= 0))
    for place, one in partial_orders(judged, number):
        entries, order = in_group(judged.document[place], one.document)
        in_table = of_table(one.preferred, order, judged.first[place, entries])
        by_class.possible[place] = in_table.possible
        for name in COLUMNS:
            column = getattr(by_class, name)
            column[place] = 0
            column[place, entries] = getattr(in_table, name)
    return by_class


def classes(seen: Judged, left_out: Bools) -> Preferences:
    """Preferences of weak orders: the higher level over the lower one; documents of some levels, (level,), left out."""
    held = (seen.code >= 0) & ~np.append(left_out, True)[seen.code]
    topic, entry = np.nonzero(held)
    code = seen.code[topic, entry].astype(np.int64)
    counts = np.where(left_out, 0, seen.counts)
    lower = np.cumsum(counts, axis=-1) - counts
    higher = counts.sum(axis=-1, keepdims=True) - counts - lower
    wins, losses, over, under, tied = np.zeros((5, *seen.code.shape), dtype=np.int64)
    wins[topic, entry] = better_above(len(seen.levels) - 1 - code, topic)
    losses[topic, entry] = better_above(code, topic)
    over[topic, entry], under[topic, entry] = lower[topic, code], higher[topic, code]
    if seen.tied:
        first = seen.first[topic, entry].astype(np.int64)
        group = topic * (int(first.max(initial=0)) + 1) + first
        tied[topic, entry] = better_above(code, group) + better_above(len(seen.levels) - 1 - code, group)
    return Preferences(wins, losses, over, under, tied, (counts * lower).sum(axis=-1))


def of_table(preferred: Bools | Floats, order: Ints, first: Ints) -> Preferences:
    """What one ranking, given by the rows of its documents, makes of a table of how much each is preferred to each.

    Columns are (entry,); `first` is the rank of the first document with the same score.
    """
    over, under = preferred.sum(axis=1), preferred.sum(axis=0)
    wins = losses = tied = np.zeros(0, dtype=over.dtype)
    rows = max(1, CELLS // max(len(order), 1))
    for low in range(0, len(order), rows):  # some rows of the table at a time, added up one after the other
        part = order[low : low + rows]
        ranked = preferred[np.ix_(part, order)]
        both = (ranked + preferred[np.ix_(order, part)].T) * (first[low : low + rows, None] == first)
        losses = np.append(losses, np.tril(ranked, low - 1).sum(axis=1))
        upper, upper_both = np.triu(ranked, low + 1), np.triu(both, low + 1)
        wins = upper.sum(axis=0) if low == 0 else np.vstack([wins, upper]).sum(axis=0)
        tied = upper_both.sum(axis=0) if low == 0 else np.vstack([tied, upper_both]).sum(axis=0)
    return Preferences(wins, losses, over[order], under[order], tied, over.sum())


def partial_orders(judged: Judged, number: int) -> Iterator[tuple[int, PreferenceRelation]]:
    """Places of rankings whose assessor of this number gave several lists, with what follows from these."""
    if judged.aspects is None or judged.row is None:
        return
    several = several_lists(judged.aspects)
    aspect = judged.aspects.starts[judged.row] + number
    exists = judged.aspect_counts > number
    places = np.flatnonzero(exists & several[np.where(exists, aspect, 0)])
    for one in np.unique(aspect[places]).tolist():
        made = relation(judged.aspects, one)
        yield from ((place, made) for place in places[aspect[places] == one].tolist())


def in_group(document: Ints, group: Ints) -> tuple[Ints, Ints]:
    """Entries of a ranking whose documents are in a group, ascending rows, and their places in it."""
    place = np.searchsorted(group, document)
    entries = np.flatnonzero((place < len(group)) & (document >= 0) & (np.append(group, -1)[place] == document))
    return entries, place[entries]


def of_pairs(judged: Judged) -> Preferences:
    """All assessors together: of a pair of documents, the share of its preferences that want one of them first."""
    places, first = next(of_groups(judged), (slice(None), nothing(judged)))
    if judged.aspect_counts.max(initial=0) <= 1 and isinstance(places, slice):
        return first
    columns = np.zeros((len(COLUMNS), *judged.rank.shape))
    columns[:, places] = [getattr(first, name) for name in COLUMNS]
    possible = np.zeros(judged.topics)
    possible[places] = first.possible
    several = np.flatnonzero(judged.aspect_counts > 1)
    rows = judged.row[several] if judged.row is not None else several
    for row in np.unique(rows).tolist():
        shares = _shares(judged, row)
        for place in several[rows == row].tolist():
            entries = np.flatnonzero(judged.document[place] >= 0)
            in_table = of_table(shares, judged.document[place, entries], judged.first[place, entries])
            possible[place] = in_table.possible
            for name, column in zip(COLUMNS, columns, strict=True):
                column[place] = 0
                column[place, entries] = getattr(in_table, name)
    wins, losses, over, under, tied = columns
    return Preferences(wins, losses, over, under, tied, possible)


def _shares(judged: Judged, topic: int) -> Floats:
    """(document, document): how many of a pair's preferences want the first one above the other, of all of them."""
    aspects = judged.aspects
    assert aspects is not None  # as the topic has several  # noqa: S101
    size = int(aspects.judgments[topic + 1] - aspects.judgments[topic])
    refuse_many(size, lambda: f"{aspects.source}: topic {aspects.topic_name(topic)}")
    wanted = np.zeros((size, size), dtype=np.int32)
    several = several_lists(aspects)
    for aspect, _, entries in aspects.of_topic(topic):
        if several[aspect]:
            one = relation(aspects, aspect)
            wanted[np.ix_(one.document, one.document)] += one.preferred
            continue
        level = aspects.levels[aspects.code[entries]]
        document, level = aspects.document[entries][level >= 0], level[level >= 0]
        wanted[np.ix_(document, document)] += level[:, None] > level
    shares, rows = np.zeros(wanted.shape), max(1, CELLS // max(size, 1))
    for low in range(0, size, rows):
        part = wanted[low : low + rows]
        both = part + wanted[:, low : low + rows].T
        np.divide(part, both, out=shares[low : low + rows], where=both > 0)
    return shares


def better_above(place: Ints, row: Ints | None = None) -> Ints:
    """(entry,): how many entries before each one, of the same row, have a lower number: a better class.

    Entries stand in the order of the ranking; classes are numbered from 0, the best. Numbers are compared bit by bit
    from the lowest: two of them differ first, from above, at one bit, where they have the bits above it in common. So
    each bit is one stable sort by the bits above, and one running count, whatever the number of classes.

    >>> better_above(np.array([1, 0, 2, 1])).tolist()
    [0, 0, 2, 1]
    >>> better_above(np.array([1, 0, 2, 1]), np.array([0, 0, 1, 1])).tolist()
    [0, 0, 0, 0]
    """
    better = np.zeros(len(place), dtype=np.int64)
    if len(place) == 0:
        return better
    bits = int(place.max()).bit_length()
    key = place.astype(np.int64) if row is None else (row.astype(np.int64) << bits) + place
    for bit in range(bits):
        above = key >> (bit + 1)
        order = np.argsort(above, kind="stable")
        is_low = (key[order] >> bit & 1) == 0
        low = np.cumsum(is_low)  # down to each entry; what stood above its own block is taken off
        opens = np.flatnonzero(np.diff(above[order], prepend=-1))
        before = np.repeat(low[opens] - is_low[opens], np.diff(np.append(opens, len(key))))
        better[order] += np.where(is_low, 0, low - before)
    return better
