"""Aspects: judgments of a document for several sub-topics of a topic, or by several assessors."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from rankscale._core import Index
from rankscale.data.arrays import UNJUDGED, Bools, ComparedByValue, Floats, Ints, Memo, frozen
from rankscale.errors import InputError

KEPT = 64 << 20  # bytes that what is made for each aspect may take together; more is made again each time
SUMMED = 1 << 20  # numbers that are added up at a time
MOST_PAIRS, LEAST_DOCUMENTS = 10**8, 10_000  # of aspects and documents of a topic; fewer documents count as so many


@dataclass(frozen=True, eq=False)
class Aspects(ComparedByValue, Memo):
    """The grades of documents by aspect: what the second column of qrels names.

    An aspect is a sub-topic (intent, nugget) or an assessor (trec_eval: judgment group); measures of sub-topics read it
    as the one, measures of groups and preferences as the other. Aspects of topic `t` have the numbers
    `starts[t]` to `starts[t + 1]`, in byte order of their names; judgments of aspect `a` are the entries `first[a]` to
    `first[a + 1]` of the columns.
    """

    starts: Ints  # (topic + 1,)
    names: tuple[str, ...]  # (aspect,)
    first: Ints  # (aspect + 1,)
    document: Ints  # (entry,), row of the document in its topic's qrels
    code: Ints  # (entry,), position in levels
    levels: Floats  # of the qrels, ascending
    judgments: Ints  # (topic + 1,), where the documents of each topic start in the codes of the qrels
    ordering: Ints | None = None  # (entry,), which ordered list of its assessor a preference stands in, from 0
    lists: tuple[tuple[str, ...], ...] | None = None  # (aspect,), names of its lists, in byte order
    line: Ints | None = None  # (entry,), the line of a preference in its file
    weights: Floats | None = None  # (aspect,), probability of each sub-topic; None: all the same
    merge: str = "max"  # the grade of a document for measures that take one: the max, min or mean of its grades
    merge_requested: bool = False  # whether the reader was told this rule: then one grade for each document is written
    index: Index | None = field(default=None, compare=False)  # names of documents; the qrels give it
    source: str = field(default="qrels", compare=False)  # the file; the qrels give it

    @cached_property
    def counts(self) -> Ints:
        """(topic,): how many aspects each topic has."""
        return frozen(np.diff(self.starts))

    @cached_property
    def aspect_of(self) -> Ints:
        """(entry,): the aspect that each judgment belongs to."""
        return frozen(np.repeat(np.arange(len(self.names)), np.diff(self.first)))

    @cached_property
    def topic_of(self) -> Ints:
        """(aspect,): the row of the topic that each aspect belongs to."""
        return frozen(np.repeat(np.arange(len(self.counts)), self.counts))

    @cached_property
    def place(self) -> Ints:
        """(entry,): which judgment of the qrels, that is, which document of which topic, each one is about."""
        return frozen(self.judgments[self.topic_of[self.aspect_of]] + self.document)

    @cached_property
    def name_order(self) -> Ints:
        """(judgment,): the place of each document among those of its topic, in byte order of their names."""
        order = np.arange(int(self.judgments[-1])) - np.repeat(self.judgments[:-1], np.diff(self.judgments))
        for row in range(len(self.counts) if self.index is not None else 0):
            names = self.index.documents(row)  # type: ignore[union-attr]  # as the loop says
            ordered = sorted(range(len(names)), key=names.__getitem__)
            order[int(self.judgments[row]) + np.array(ordered, dtype=np.int64)] = np.arange(len(names))
        return frozen(order)

    @cached_property
    def by_judgment(self) -> tuple[Ints, Ints, Ints]:
        """The entries by document: (judgment + 1,) where those of each start, then (entry + 1,) aspects and codes.

        Those of one document are in the order of aspects. The last entry is no judgment: it fills empty columns.
        """
        order = np.argsort(self.place, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(self.place, minlength=int(self.judgments[-1])))])
        return frozen(starts), frozen(np.append(self.aspect_of[order], 0)), frozen(np.append(self.code[order], 0))

    def topic_sums(self, column: Floats) -> Floats:
        """(topic,): a column with one number for each aspect, added up; the sum may be infinite.

        Rows are filled with zeros to the same length, some topics at a time.
        """
        sums, together = np.zeros(len(self.counts)), max(1, SUMMED // max(self.most, 1))
        number = np.arange(self.most)
        for first in range(0, len(sums), together):
            counts = self.counts[first : first + together]
            wide = np.zeros((len(counts), self.most))
            start = int(self.starts[first])
            wide[number < counts[:, None]] = column[start : start + int(counts.sum())]
            with np.errstate(over="ignore"):
                sums[first : first + together] = wide.sum(axis=-1)
        return sums

    def refuse_many(self) -> None:
        """Raise InputError where a topic has too many aspects and documents to measure by each aspect alone."""
        documents = np.diff(self.judgments)
        work = self.counts * np.maximum(documents, LEAST_DOCUMENTS)
        if work.max(initial=0) > MOST_PAIRS:
            row = int(work.argmax())
            most = MOST_PAIRS // max(int(documents[row]), LEAST_DOCUMENTS)
            raise InputError(
                f"{self.source}: topic {self.topic_name(row)} has {self.counts[row]:,} sub-topics or assessors and "
                f"{documents[row]:,} documents, and rankings are measured by each of them alone; this is done for up "
                f"to {most:,} with so many documents"
            )

    def topic_name(self, row: int) -> str:
        """The name of a topic, given by its row; the row where names are not known."""
        return f"{row}" if self.index is None else self.index.topics[row].decode("utf-8", "surrogateescape")

    @property
    def most(self) -> int:
        """The most aspects that a topic has."""
        return int(self.counts.max(initial=0))

    def codes(self, number: int) -> Ints:
        """(judgment,): codes of the qrels by the aspect of this number of each topic, from 0; elsewhere unjudged."""
        codes = np.full(int(self.judgments[-1]), UNJUDGED, dtype=np.int16)
        topics = np.flatnonzero(self.counts > number)
        aspect = self.starts[topics] + number
        entry, size = self.entries_of(aspect)
        codes[np.repeat(self.judgments[topics], size) + self.document[entry]] = self.code[entry]
        return codes

    def entries_of(self, aspects: Ints) -> tuple[Ints, Ints]:
        """The entries of some aspects, one aspect after the other, and how many each has."""
        size = self.first[aspects + 1] - self.first[aspects]
        entry: Ints = np.repeat(self.first[aspects] - (np.cumsum(size) - size), size) + np.arange(int(size.sum()))
        return entry, size

    def judged_by(self, number: int) -> Ints:
        """(judgment + 1,): the codes of one aspect, with one more for documents that are not in the qrels."""

        def make() -> Ints:
            return frozen(np.append(self.codes(number), np.int16(UNJUDGED)))

        is_small = 2 * int(self.judgments[-1]) * self.most <= KEPT
        return self.memo(("judged by", number), make) if is_small else make()

    def counts_by(self, number: int, topics: Ints) -> Ints:
        """(row, level): documents of each grade by the aspect of this number, of some topics, by row."""
        there = np.flatnonzero(self.counts[topics] > number)
        entry, size = self.entries_of(self.starts[topics[there]] + number)
        row = np.repeat(there, size)
        if self.lists is not None and len(entry):  # a document may stand in several lists of an assessor
            document = self.document[entry].astype(np.int64)
            _, once = np.unique(row * (int(document.max()) + 1) + document, return_index=True)
            row, entry = row[once], entry[once]
        cell = row * len(self.levels) + self.code[entry]
        counted: Ints = np.bincount(cell, minlength=len(topics) * len(self.levels)).astype(np.int64)
        return counted.reshape(len(topics), len(self.levels))

    def mapped(self, place: Ints, levels: Floats) -> Self:
        """The same judgments with codes mapped, (level,), to positions in other levels."""
        return replace(self, code=frozen(place[self.code]), levels=levels)

    def keeping(self, kept: Bools) -> Self:
        """The same judgments for the documents that are kept, (judgment,) of the qrels."""
        return self.with_entries(kept[self.place])

    def with_entries(self, entry: Bools) -> Self:
        """The same aspects with only some of their judgments, (entry,)."""
        first = np.concatenate([[0], np.cumsum(np.bincount(self.aspect_of[entry], minlength=len(self.names)))])
        return replace(self, first=frozen(first), **self._columns_of(entry))

    def _columns_of(self, entries: Ints | Bools) -> dict[str, Any]:
        """The columns of some entries, by name; None for those that these judgments do not have."""
        columns = {name: getattr(self, name) for name in ("document", "code", "ordering", "line")}
        return {name: None if column is None else frozen(column[entries]) for name, column in columns.items()}

    def moved(self, topics: Ints, rows: Ints, judgments: Ints) -> Self:
        """The judgments of some topics, by row, over another index.

        `rows` (judgment,) has the row of each document there, `judgments` (topic + 1,) where its topics start.
        """
        ranges = (np.arange(self.starts[topic], self.starts[topic + 1]) for topic in topics)
        aspects = np.concatenate([[], *ranges]).astype(np.int64)
        entry, size = self.entries_of(aspects)
        return replace(
            self,
            starts=frozen(np.concatenate([[0], np.cumsum(self.counts[topics])])),
            names=tuple(self.names[aspect] for aspect in aspects.tolist()),
            **{**self._columns_of(entry), "document": frozen(rows[self.place[entry]])},
            first=frozen(np.concatenate([[0], np.cumsum(size)])),
            judgments=judgments,
            lists=None if self.lists is None else tuple(self.lists[aspect] for aspect in aspects.tolist()),
            weights=None if self.weights is None else frozen(self.weights[aspects]),
        )

    def merged(self) -> Floats:
        """(judgment,): the grade of each document for measures that take one; NaN where it has none."""
        grades, size = self.levels[self.code], int(self.judgments[-1])
        if self.merge == "mean":
            counts = np.bincount(self.place, minlength=size)
            sums = np.bincount(self.place, grades, size)
            means: Floats = np.divide(sums, counts, out=np.full(size, np.nan), where=counts > 0)
            return means
        made = np.full(size, np.nan)
        (np.fmin if self.merge == "min" else np.fmax).at(made, self.place, grades)
        return made

    def of_topic(self, topic: int) -> Iterable[tuple[int, str, slice]]:
        """Number, name and entries of each aspect of a topic, given by its row."""
        for aspect in range(int(self.starts[topic]), int(self.starts[topic + 1])):
            yield aspect, self.names[aspect], slice(int(self.first[aspect]), int(self.first[aspect + 1]))

    def with_intents(self, rows: Mapping[tuple[int, str], float]) -> Self:
        """The same judgments with the probabilities of sub-topics, by row of the topic and name; others have 0.

        Sub-topics that nobody judged anything for are added: they are listed, and without a document.
        """
        held = [(int(topic), name) for topic, name in zip(self.topic_of.tolist(), self.names, strict=True)]
        place = {one: number for number, one in enumerate(held)}
        every = sorted({*held, *rows}, key=lambda one: (one[0], one[1].encode("utf-8", "surrogateescape")))
        size = np.append(np.diff(self.first), 0)[[place.get(one, len(held)) for one in every]]
        counts = np.bincount(np.array([topic for topic, _ in every], dtype=np.int64), minlength=len(self.counts))
        lists = None if self.lists is None else tuple(self.lists[place[one]] if one in place else () for one in every)
        return replace(
            self,
            starts=frozen(np.concatenate([[0], np.cumsum(counts)])),
            names=tuple(name for _, name in every),
            first=frozen(np.concatenate([[0], np.cumsum(size)])),
            lists=lists,
            weights=frozen(np.array([rows.get(one, 0.0) for one in every], dtype=np.float64)),
        )

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}
