"""Judged: rankings seen through the qrels, ready for formulas."""

from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from rankscale import _core
from rankscale.data.arrays import UNJUDGED, Bools, ComparedByValue, Floats, Ints, LazyFields, Memo, NDArray, Value
from rankscale.data.aspects import KEPT, Aspects
from rankscale.data.resources import need

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Numbers = TypeVar("Numbers", Floats, Ints)

CELL = 48  # bytes that one rank of a ranking takes in tables of every rank, and in what a formula makes of them
SHALLOWER = "choose a depth within the length of the rankings"
OPTIONAL = ("score", "row", "above", "fill")  # columns that are not always there
ASPECT_CELL = 16  # bytes that an entry takes in what is made for each aspect
PAIRS = 1 << 20  # of entries and aspects that are made at a time, unless one ranking has more
BEYOND = np.iinfo(np.int32).max  # the rank of an entry that only fills its row


@dataclass(frozen=True, eq=False)
class Judged(LazyFields, ComparedByValue, Memo):
    """For each topic the judged documents that a ranking holds, in rank order.

    Entries are rows of one table, so that a formula is written once and serves all topics: `rank` and `code` have the
    shape (topic, entry), and rows with fewer entries are filled with code `UNJUDGED` at rank `BEYOND`. Ranks between
    two entries hold documents that nobody judged; `every_rank` puts them in where a formula needs them.
    """

    rank: Ints  # (topic, entry), from 1
    code: Ints  # (topic, entry), position in levels
    document: Ints  # (topic, entry), row of the document in its topic's qrels
    first: Ints  # (topic, entry), rank of the first document with the same score
    last: Ints  # (topic, entry), rank of the last one
    length: Ints  # (topic,), documents retrieved
    counts: Ints  # (topic, level), documents of each grade in the topic's qrels
    levels: Floats  # (level,), the grades of the whole collection, ascending
    highest: float  # the highest grade of the qrels as they were read, whatever became of them since
    score: Floats | None = None  # (topic, entry), what the run gave each document, with keep_scores
    row: Ints | None = None  # (topic,), row of each topic in the qrels
    aspects: Aspects | None = None  # grades by sub-topic or assessor; None where each document has one grade
    above: Ints | None = None  # (topic, entry), judged documents at or above, where not all of them are entries
    fill: Bools | None = None  # (topic, entry), documents to which each aspect gives the grade `fill_grade`
    fill_grade: float = 0.0

    @property
    def topics(self) -> int:
        """How many rankings these are."""
        return len(self.length)

    def worth(self, per_level: Floats | Bools, unjudged: float = 0) -> Floats:
        """Each entry's gain, given the gain of each level."""
        # UNJUDGED is -1, so the value appended last is what unjudged and filling entries take.
        return np.take(np.append(np.asarray(per_level, dtype=np.float64), unjudged), self.code)

    def relevant(self, rel: float = 1) -> Floats:
        """1 where the entry's grade is at least `rel`, else 0."""
        return self.memo(("relevant", rel), lambda: self._of_grade(rel).astype(np.float64))

    def relevant_so_far(self, rel: float = 1) -> Ints:
        """How many relevant documents stand at or above each entry."""
        return self.memo(("relevant_so_far", rel), lambda: _counted(self._of_grade(rel)))

    def is_judged(self) -> Floats:
        """1 where the entry has a grade of 0 or more; a negative grade means pooled but unjudged."""
        return self.memo("is_judged", lambda: self._of_grade(0).astype(np.float64))

    def judged_so_far(self) -> Ints:
        """How many judged documents stand at or above each entry."""
        return self.memo("judged_so_far", lambda: _counted(self._of_grade(0)))

    def judged_down_to(self, topic: Ints, entry: Ints) -> Ints:
        """How many judged documents stand at or above these entries, given by topic and place in the row."""
        if self.above is not None:
            return self.above[topic, entry]
        # Usually every entry is judged, and its place says it; adding up a whole table would take ten times as long.
        if not self.memo("unjudged", lambda: bool(((self.rank < BEYOND) & ~self._of_grade(0)).any())):
            return entry + 1
        return self.judged_so_far()[topic, entry]

    def relevant_entries(self, rel: float = 1) -> tuple[Ints, Ints]:
        """Topics and entries of the relevant documents, topic by topic, top down."""
        # Flat, and divided afterwards: numpy finds places in a table of two dimensions far more slowly.
        topic, entry = np.divmod(np.flatnonzero(self._of_grade(rel)), max(1, self.rank.shape[-1]))
        return topic, entry

    def _of_grade(self, lowest: float) -> Bools:
        """Where the grade is at least this. Levels ascend, so one comparison of codes says it."""
        return self.code >= np.searchsorted(self.levels, lowest)

    def recall_base(self, rel: float = 1) -> Ints:
        """RB: how many documents of each topic's qrels are relevant."""
        return self.memo(("recall_base", rel), lambda: self.documents_of(self.levels >= rel))

    def documents_of(self, levels: Bools) -> Ints:
        """How many documents of each topic's qrels have one of these grades, given as (level,)."""
        is_one = self.topics > 1 and self.counts.strides[0] == 0  # all rankings are of one topic, which is counted once
        number: Ints = (self.counts[:1] if is_one else self.counts)[:, levels].sum(axis=-1)
        return np.repeat(number, self.topics) if is_one else number

    def within(self, depth: "int | Ints") -> Ints:
        """How many entries of each topic stand at ranks up to `depth` (one depth, or one per topic)."""
        if isinstance(depth, np.ndarray):
            deep: Ints = np.count_nonzero(self.rank <= depth[:, None], axis=-1)
            return deep
        return self.memo(("within", depth), lambda: np.count_nonzero(self.rank <= depth, axis=-1))

    def read(self, column: Floats | Ints, depth: "int | Ints | None" = None) -> Floats:
        """A running column read at a depth: what stands at the last entry within it, 0 before the first."""
        if isinstance(depth, int):
            return self.read_at(column, (depth,))[:, 0]
        if column.shape[-1] == 0:
            return np.zeros(self.topics)
        if depth is None:
            return column[:, -1].astype(np.float64)
        place, reached = self._places(self.within(depth)[:, None], column.shape[-1])
        return np.where(reached, np.take(column, place), 0.0)[:, 0]

    def read_at(self, column: Floats | Ints, depths: tuple[int, ...]) -> Floats:
        """(topic, depth): a running column read at several depths."""
        width = column.shape[-1]
        if width == 0:
            return np.zeros((self.topics, len(depths)))
        place, reached = self.memo(
            ("places", depths),
            lambda: self._places(np.stack([self.within(depth) for depth in depths], axis=-1), width),
        )
        return np.where(reached, np.take(column, place), 0.0)

    def _places(self, entries: Ints, width: int) -> tuple[Ints, Bools]:
        """Where the last of so many entries stands in a table laid out flat, and which topics have any."""
        return np.arange(self.topics)[:, None] * width + np.maximum(entries - 1, 0), entries > 0

    def ideal_gains(self, per_level: Floats) -> Floats:
        """(topic, rank): the positive gains of each topic's qrels, best first, then zeros."""
        order = np.argsort(-per_level, kind="stable")
        order = order[per_level[order] > 0]
        counts = self.counts[:, order]
        length = counts.sum(axis=-1)
        ideal = np.zeros((self.topics, int(length.max(initial=0))))
        gains = np.repeat(np.tile(per_level[order], self.topics), counts.ravel())
        ideal[np.arange(ideal.shape[-1]) < length[:, None]] = gains
        return ideal

    def each_topic_once(self) -> "tuple[Self, Ints | None]":
        """The first ranking of each topic, and the place of every ranking's topic among these, (topic,).

        For what depends on the qrels alone, such as the ideal ranking, where rankings of several runs stand below each
        other. The rankings themselves and None where few topics repeat.
        """
        once = self.memo("each topic once", self._each_topic_once)
        return once or (self, None)  # what is kept does not hold this table itself, which would be freed late

    def _each_topic_once(self) -> "tuple[Self, Ints] | None":
        if self.row is None or self.topics < 2:
            return None
        low = int(self.row.min())
        span = int(self.row.max()) - low + 1
        if 2 * span > self.topics:
            return None
        first = np.full(span, UNJUDGED)
        first[self.row[::-1] - low] = np.arange(self.topics - 1, -1, -1)  # of several, the last one written stays
        kept = np.flatnonzero(first >= 0)
        place = np.zeros(span, dtype=np.intp)
        place[kept] = np.arange(len(kept))
        return self.rows(first[kept]), place[self.row - low]

    @property
    def aspect_counts(self) -> Ints:
        """(topic,): how many sub-topics (or assessors) each topic has; one where the qrels name none."""
        if self.aspects is None:
            return np.ones(self.topics, dtype=np.int64)
        counts: Ints = self.aspects.counts[self.row]
        return counts

    def aspect(self, number: int) -> Self:
        """The same rankings, judged by one sub-topic (or assessor) of each topic, by its number from 0.

        Entries stay where they are; a document that this aspect does not judge is unjudged, and so is everything of a
        topic with fewer aspects.
        """
        return self._memo_of_aspect(("aspect", number), lambda: self._aspect(number))

    def _memo_of_aspect(self, key: object, make: "Callable[[], Value]") -> Value:
        """`memo`, unless what is made for all aspects would take too much."""
        most = 0 if self.aspects is None else self.aspects.most
        return make() if ASPECT_CELL * self.rank.size * most > KEPT else self.memo(key, make)

    def each_aspect(self) -> "Iterator[tuple[int, Ints | slice, Self]]":
        """For each number of an aspect: rankings of topics that have it (their places, or all) judged by it alone.

        Raise InputError where a topic has too many.
        """
        if self.aspects is not None:
            self.aspects.refuse_many()
        counts = self.aspect_counts
        order = np.argsort(-counts, kind="stable")
        having = np.searchsorted(-counts[order], -np.arange(int(counts.max(initial=0))))  # as many have one more
        for number, size in enumerate(having.tolist()):
            if size == self.topics:
                yield number, slice(None), self.aspect(number)
            else:
                places = np.sort(order[:size])
                part = partial(self._part, places, number)
                yield number, places, self._memo_of_aspect(("aspect of some", number), part)

    def _part(self, places: Ints, number: int) -> Self:
        """Some rankings, by place, judged by one aspect."""
        return self.rows(places).aspect(number)

    def aspect_pairs(self) -> "Iterator[tuple[Ints, Ints, Ints]]":
        """Entries with the aspects that judge them, some rankings at a time: (pair,) cells, aspects and codes.

        Cells are places in the table laid out flat; aspects are numbered as in the qrels, or are the rankings where the
        qrels name none; codes are positions in the levels of `with_fill_level()`. Pairs are ordered by cell and aspect.
        """
        width, table = self.rank.shape[-1], self.with_fill_level()
        fill = np.zeros(0, dtype=bool) if self.fill is None else self.fill
        fill_code = int(np.searchsorted(table.levels, self.fill_grade))
        if self.aspects is None or self.row is None:
            code = (np.where(fill, fill_code, table.code) if fill.size else table.code).ravel()
            cell = np.flatnonzero(code >= 0)
            yield cell, cell // max(width, 1), code[cell]
            return
        starts, aspect_of, codes = self.aspects.by_judgment
        if len(table.levels) > len(self.aspects.levels):  # some were added since
            codes = np.searchsorted(table.levels, self.aspects.levels)[codes]
        judgment = self.memo("judgment", self._judgment)
        first, size = np.append(starts[:-1], 0)[judgment], np.append(np.diff(starts), 0)[judgment]
        if fill.size:
            first = np.where(fill, self.aspects.starts[self.row][:, None], first)
            size = np.where(fill, self.aspect_counts[:, None], size)
        for low, high in _together(size.sum(axis=-1), PAIRS):
            sizes = size[low:high].ravel()
            cell = np.repeat(np.arange(low * width, high * width), sizes)
            entry = np.repeat(first[low:high].ravel() - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(cell))
            filled = fill.ravel()[cell] if fill.size else np.zeros(1, dtype=bool)
            held = np.where(filled, 0, entry)
            yield cell, np.where(filled, entry, aspect_of[held]), np.where(filled, fill_code, codes[held])

    def with_fill_level(self) -> Self:
        """The same rankings with a level for what aspects give to filled documents."""
        return self if self.fill is None else self.with_level(self.fill_grade)

    def _aspect(self, number: int) -> Self:
        one = self._judged_by_aspect(number)
        if self.fill is None:
            return one
        one = one.with_level(self.fill_grade)
        code = np.where(self.fill, np.searchsorted(one.levels, self.fill_grade), one.code)
        return replace(one, code=code.astype(one.code.dtype))

    def _judged_by_aspect(self, number: int) -> Self:
        if self.aspects is None or self.row is None:
            return self if self.fill is None else replace(self, fill=None)
        by_level = self.aspects.counts_by(number, self.row)
        code, known = np.take(self.aspects.judged_by(number), self.memo("judgment", self._judgment)), by_level
        if len(self.levels) > len(self.aspects.levels):  # some were added since
            place = np.searchsorted(self.levels, self.aspects.levels)
            code = np.append(place, UNJUDGED)[code].astype(np.int16)
            known = np.zeros((self.topics, len(self.levels)), dtype=np.int64)
            known[:, place] = by_level
        return replace(self, code=code, counts=known, row=None, aspects=None, fill=None)

    def _judgment(self) -> Ints:
        """(topic, entry): the place of each entry among all judgments of the qrels; -1 for what only fills a row."""
        if self.aspects is None or self.row is None:
            return np.full(self.document.shape, UNJUDGED)
        return np.where(self.document >= 0, self.aspects.judgments[self.row][:, None] + self.document, UNJUDGED)

    def cut(self, depth: "int | Ints") -> Self:
        """The same rankings, ended at `depth` (one depth, or one for each ranking)."""
        below = depth[:, None] if isinstance(depth, np.ndarray) else depth
        beyond = self.rank > below
        return replace(
            self,
            rank=np.where(beyond, BEYOND, self.rank),
            code=np.where(beyond, UNJUDGED, self.code),
            document=np.where(beyond, UNJUDGED, self.document),
            first=np.where(beyond, BEYOND, self.first),
            last=np.where(beyond, BEYOND, np.minimum(self.last, below)),
            length=np.minimum(self.length, depth),
            score=None if self.score is None else np.where(beyond, np.nan, self.score),
        )

    def only_judged(self) -> Self:
        """Condensed rankings: unjudged documents are taken out and the others move up."""
        keep = self.is_judged() > 0
        order = np.argsort(~keep, axis=-1, kind="stable")
        kept = np.take_along_axis(keep, order, axis=-1)
        place = np.cumsum(kept, axis=-1, dtype=np.int32)
        first, last = (np.take_along_axis(bound, order, axis=-1) for bound in (self.first, self.last))
        return replace(
            self,
            rank=np.where(kept, place, BEYOND),
            code=np.where(kept, np.take_along_axis(self.code, order, axis=-1), UNJUDGED),
            document=np.where(kept, np.take_along_axis(self.document, order, axis=-1), UNJUDGED),
            first=np.where(kept, _edge(first, kept, place, last=False), BEYOND),
            last=np.where(kept, _edge(last, kept, place, last=True), BEYOND),
            length=keep.sum(axis=-1),
            score=None if self.score is None else np.take_along_axis(self.score, order, axis=-1),
            above=None,
            fill=None,
        )

    def every_rank(self, depth: int) -> Self:
        """The same rankings with one entry at each rank from 1 to `depth`; ranks past the end are unjudged."""
        shape = self.topics, depth
        need(self.topics * depth * CELL, f"a table of {self.topics} rankings at {depth} ranks each", SHALLOWER)
        columns = (self.rank, self.document, self.first, self.last)
        flat = [np.ascontiguousarray(column, dtype=np.int32).ravel() for column in columns]
        codes = np.ascontiguousarray(self.code, dtype=np.int16).ravel()
        code, *others = _core.every_rank(flat, codes, self.rank.shape[-1], depth)
        document, first, last = (_table(other, np.int32, shape, UNJUDGED) for other in others)
        ranks = np.broadcast_to(np.arange(1, depth + 1, dtype=np.int32), shape)
        return replace(
            self,
            rank=ranks,
            code=_table(code, np.int16, shape, UNJUDGED),
            document=document,
            first=first if len(flat[0]) else ranks,
            last=last if len(flat[0]) else ranks,
            score=None if self.score is None else self._spread(self.score, shape),
            above=None,
            fill=None,
        )

    def _spread(self, column: Floats, shape: tuple[int, int]) -> Floats:
        """A column of entries with one place for each rank, NaN where there is no entry."""
        topic, entry = np.nonzero(self.rank <= shape[-1])
        wide = np.full(shape, np.nan)
        wide[topic, self.rank[topic, entry] - 1] = column[topic, entry]
        return wide

    def tie_group_mean(self, per_rank: Floats | Bools) -> Floats:
        """(topic, rank): the mean over each rank's tie group, which is what a rank holds on average over all orders.

        For tables of every rank.
        """
        if not self.tied:
            return per_rank.astype(np.float64)
        mean: Floats = self.tie_group_sum(per_rank) / self.tie_group_size
        return mean

    def tie_group_sum(self, per_rank: Floats | Ints | Bools) -> Floats:
        """(topic, rank): what each rank's tie group holds. For tables of every rank."""
        before = np.pad(np.cumsum(per_rank, axis=-1, dtype=np.float64), ((0, 0), (1, 0)))
        last = np.minimum(self.last, self.rank.shape[-1])
        held: Floats = np.take_along_axis(before, last, axis=-1) - np.take_along_axis(before, self.first - 1, axis=-1)
        return held

    def above_tie_group(self, so_far: Numbers) -> Numbers:
        """(topic, rank): a running column, as it stood above each rank's tie group. For tables of every rank."""
        return np.take_along_axis(np.pad(so_far, ((0, 0), (1, 0))), self.first - 1, axis=-1)

    @property
    def tie_group_size(self) -> Ints:
        """(topic, rank): how many documents are tied with the one at each rank, itself among them."""
        size: Ints = np.minimum(self.last, self.rank.shape[-1]) - self.first + 1
        return size

    @property
    def tied_rows(self) -> Bools:
        """(topic,): whether a judged document has the same score as another document."""
        return np.logical_or.reduce((self.first < self.last) & (self.rank < BEYOND), axis=-1)  # type: ignore[no-any-return]

    def parted(self, end: Ints) -> Bools:
        """(topic,): whether rankings that end at these ranks, (topic,), end inside a group of ties."""
        return np.logical_or.reduce((self.first <= end[:, None]) & (end[:, None] < self.last), axis=-1)  # type: ignore[no-any-return]

    def rows(self, which: Ints | Bools) -> Self:
        """Some of the rankings."""
        kept: dict[str, Any] = {name: getattr(self, name)[which] for name in ("rank", "code", "length", "counts")}
        kept |= {name: self.derive(name, lambda column: column[which]) for name in ("document", "first", "last")}
        kept |= {name: None if getattr(self, name) is None else getattr(self, name)[which] for name in OPTIONAL}
        return replace(self, **kept)

    def ended(self, length: "int | Ints") -> Self:
        """The same rankings, ended at `length` (one, or one for each); tie groups are kept whole, unlike in `cut`."""
        return replace(self, length=np.minimum(self.length, length))

    @property
    def common_rank(self) -> Ints:
        """(topic, entry), or (1, entry) where all topics have entries at the same ranks, as in tables of every rank."""
        return self.rank[:1] if self.rank.size and self.rank.strides[0] == 0 else self.rank

    @cached_property
    def tied(self) -> bool:
        """Whether any judged document has the same score as its neighbour."""
        return bool((self.first < self.last).any())

    def reordered(self, per_level: Floats, unjudged: float, *, best: bool) -> Self:
        """The same rankings with each tie group in its best order, highest gain first, or in its worst."""
        return self if not self.tied else self.reordered_by(self.worth(per_level, unjudged), unjudged, best=best)

    def reordered_by(self, gains: Floats, unjudged: float, *, best: bool) -> Self:
        """The same with gains of the entries, (topic, entry)."""
        if not self.tied:
            return self
        sign = -1.0 if best else 1.0
        gain = sign * gains  # documents come in ascending order of this
        order = np.lexsort((self.rank, gain, self.first), axis=-1)
        first, last, key = (np.take_along_axis(column, order, axis=-1) for column in (self.first, self.last, gain))
        is_entry = np.take_along_axis(self.rank, order, axis=-1) < BEYOND
        width = first.shape[-1]
        opener, closer = _openers(first), width - 1 - _openers(first[:, ::-1])[:, ::-1]
        place = np.arange(width) - opener  # of the entry within its group
        others = last - first + 1 - (closer - opener + 1)  # unjudged documents of the group: no entries
        rank = np.where(is_entry, first + place + np.where(key > sign * unjudged, others, 0), BEYOND)
        again = np.argsort(rank, axis=-1, kind="stable")
        order, rank = np.take_along_axis(order, again, axis=-1), np.take_along_axis(rank, again, axis=-1)
        moved: dict[str, Any] = {
            name: np.take_along_axis(getattr(self, name), order, axis=-1)
            for name in ("code", "document", *([] if self.score is None else ["score"]))
        }
        return replace(self, rank=rank, first=rank, last=rank, **moved, above=None, fill=None)

    def filled(self, grade: float | None, reach: "int | Ints") -> Self:
        """The same rankings with every unjudged document down to `reach` (topic, 1) given this grade, or left as it is.

        For tables of every rank.
        """
        if grade is None:
            return self
        table = self.with_level(grade)
        hit = (table.code < np.searchsorted(table.levels, 0)) & (table.rank <= reach)  # negative grades: unjudged
        code = np.where(hit, np.searchsorted(table.levels, grade), table.code)
        return replace(table, code=code.astype(table.code.dtype))

    def filled_aspects(self, grade: float | None, reach: "int | Ints") -> Self:
        """The same rankings with every unjudged document down to `reach` (topic, 1) given this grade by each aspect.

        Only `aspect` shows it. A document that some aspect judges is judged. For tables of every rank.
        """
        if grade is None:
            return self
        hit = (self.code < np.searchsorted(self.levels, 0)) & (self.rank <= reach)
        return replace(self, fill=hit, fill_grade=grade)

    def with_level(self, grade: float) -> Self:
        """The same rankings with a level for this grade, which the qrels need not have."""
        if (self.levels == grade).any():
            return self
        place = int(np.searchsorted(self.levels, grade))
        return replace(
            self,
            levels=np.insert(self.levels, place, grade),
            counts=np.insert(self.counts, place, 0, axis=-1),
            code=self.code + (self.code >= place).astype(self.code.dtype),
        )


def _together(sizes: Ints, most: int) -> "Iterator[tuple[int, int]]":
    """Parts of some rankings, from a place up to another one, of at most so much together, or of one ranking.

    >>> list(_together(np.array([3, 1, 9, 2, 2]), 4))
    [(0, 2), (2, 3), (3, 5)]
    """
    ends, low = np.cumsum(sizes), 0
    while low < len(sizes):
        before = int(ends[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(ends, before + most, side="right")))
        yield low, high
        low = high


def _counted(is_one: Bools) -> Ints:
    # Small whole numbers: several times faster to add up than floats, and half their size.
    return np.cumsum(is_one, axis=-1, dtype=np.int32)


def _edge(bound: Ints, kept: Bools, place: Ints, *, last: bool) -> Ints:
    """Ranks of the first or last kept entry of each tie group, once unjudged documents are gone.

    Entries of one group share `bound`, and stand together.
    """
    if bound.shape[-1] == 0:
        return bound
    flip = slice(None, None, -1) if last else slice(None)
    bound, place = np.where(kept, bound, BEYOND)[:, flip], place[:, flip]
    return np.take_along_axis(place, _openers(bound), axis=-1)[:, flip]


def _openers(group: NDArray[Any]) -> Ints:
    """(topic, entry): the place of the first entry with the same number as each, where equal ones stand together."""
    opens = np.ones(group.shape, dtype=bool)
    opens[:, 1:] = group[:, 1:] != group[:, :-1]
    return np.maximum.accumulate(np.where(opens, np.arange(group.shape[-1]), 0), axis=-1)


def _table(buffer: bytes, kind: type[np.signedinteger[Any]], shape: tuple[int, int], filling: int) -> Ints:
    """What the core gives as a table; where it was given no entry at all it knows of no rows."""
    flat = np.frombuffer(buffer, dtype=kind)
    return flat.reshape(shape) if flat.size == shape[0] * shape[1] else np.full(shape, filling, dtype=kind)


def empty_rankings(counts: Ints, levels: Floats, highest: float) -> Judged:
    """Rankings that hold nothing, of topics with these documents, (topic, level): what a topic is without a run."""
    none = np.zeros((len(counts), 0), dtype=np.int32)
    return Judged(none, none, none, none, none, np.zeros(len(counts), dtype=np.int32), counts, levels, highest)


def judged(*rankings: str, missed: str = "") -> Judged:
    """Rankings written as grades, for examples and tests.

    Parameters
    ----------
    *rankings
        For each topic the grades of its ranking, best first: `-` for an unjudged document, `=` between documents with
        equal scores. A score is one over the rank of the first document that has it.
    missed
        Grades of judged documents that no ranking holds.

    Returns
    -------
    Judged
        The rankings, ready for formulas.

    Raises
    ------
    ValueError
        If a grade is not a number.

    Examples
    --------
    >>> judged("2 0 - 1", missed="1").recall_base()
    array([3])
    >>> judged("2 0=-=1").last.tolist()
    [[1, 4, 4]]
    """
    groups = [[group.split("=") for group in ranking.split()] for ranking in rankings]
    rows = [[grade for group in row for grade in group] for row in groups]
    levels = np.unique([float(grade) for row in [*rows, missed.split(), ["0"]] for grade in row if grade != "-"])
    width = max((sum(grade != "-" for grade in row) for row in rows), default=0)
    shape = (len(rows), width)
    rank, first, last = (np.full(shape, BEYOND, dtype=np.int32) for _ in range(3))
    code, document = np.full(shape, UNJUDGED, dtype=np.int16), np.full(shape, UNJUDGED, dtype=np.int32)
    counts = np.zeros((len(rows), len(levels)), dtype=np.int64)
    for topic, row in enumerate(rows):
        entries = [(place, grade) for place, grade in enumerate(row) if grade != "-"]
        codes = np.searchsorted(levels, [float(grade) for _, grade in entries])
        size = np.array([len(group) for group in groups[topic]], dtype=np.int32)
        ends = np.repeat(np.cumsum(size), size)
        places = np.array([place for place, _ in entries], dtype=np.int64)
        rank[topic, : len(entries)] = places + 1
        last[topic, : len(entries)] = ends[places]
        first[topic, : len(entries)] = (ends - np.repeat(size, size) + 1)[places]
        code[topic, : len(entries)], document[topic, : len(entries)] = codes, range(len(entries))
        every = [*codes, *np.searchsorted(levels, [float(grade) for grade in missed.split()])]
        counts[topic] = np.bincount(np.array(every, dtype=np.int64), minlength=len(levels))
    length = np.array([len(row) for row in rows], dtype=np.int32)
    score = np.where(first == BEYOND, np.nan, 1.0 / first)
    return Judged(rank, code, document, first, last, length, counts, levels, float(levels[-1]), score)
