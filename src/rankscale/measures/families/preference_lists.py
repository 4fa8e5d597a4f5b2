"""Preferences as assessors gave them: ordered lists, checked, and what follows from several of them together."""

from collections import deque
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, NDArray
from rankscale.data.aspects import Aspects
from rankscale.errors import FormatError, InputError

MOST_DOCUMENTS = 5000  # of one topic or assessor, where every pair of documents is looked at by itself


class PreferenceRelation(NamedTuple):
    """Preferences of an assessor with several lists."""

    document: Ints  # (n,), rows in the topic's qrels
    preferred: Bools  # (n, n): whether the first is preferred to the second, by a list or a chain of lists
    level: Floats  # (n,)


def several_lists(aspects: Aspects) -> Bools:
    """(aspect,): which assessors gave more than one list."""
    aspects.memo("preferences", lambda: check_lists(aspects))
    return aspects.memo("several lists", lambda: _several_lists(aspects))


def _several_lists(aspects: Aspects) -> Bools:
    if aspects.lists is None:
        return np.zeros(len(aspects.names), dtype=bool)
    return np.array([len(names) > 1 for names in aspects.lists], dtype=bool)


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
    came_from: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        one = waiting.popleft()
        for other in np.flatnonzero(direct[one]).tolist():
            if other == start:
                cycle = [one]
                while cycle[-1] != start:
                    cycle.append(came_from[cycle[-1]])
                return [*cycle[::-1], start]
            if other not in came_from:
                came_from[other] = one
                waiting.append(other)
    return [start]


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
    closed: Bools = np.unpackbits(packed, axis=-1, count=related.shape[-1]).astype(bool)
    return closed
