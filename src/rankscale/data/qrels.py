"""Qrels: the grades that assessors gave documents, by topic."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from rankscale import _core
from rankscale._core import Index
from rankscale.data.arrays import UNJUDGED, Bools, Floats, Ints, frozen, same
from rankscale.data.aspects import Aspects
from rankscale.data.notices import Notice, Noticed
from rankscale.data.resources import need
from rankscale.errors import ParameterError

MANY_LEVELS = 1 << 10
DENSE = 1 << 22  # cells of a table of topics and levels that is kept whole


@dataclass(frozen=True, eq=False)
class Qrels(Noticed):
    """Judgments of a collection.

    Names stay in the core; here a judgment is a code into `levels`. The judgments of topic `t` are
    `codes[starts[t]:starts[t + 1]]`, in the order of the documents' rows; a document whose judgment was left out
    has the code `UNJUDGED`.
    """

    index: Index
    codes: Ints
    starts: Ints
    levels: Floats  # every grade of the collection, ascending
    source: str = "qrels"
    notices: tuple[Notice, ...] = ()
    as_read: float | None = None  # the highest grade before any was mapped; None where none was
    aspects: Aspects | None = None  # grades by sub-topic or assessor; None where each document has one grade

    def __post_init__(self) -> None:
        if self.aspects is not None and self.aspects.index is not self.index:  # which has the names of documents
            object.__setattr__(self, "aspects", replace(self.aspects, index=self.index, source=self.source))

    @property
    def highest(self) -> float:
        """The highest grade of the qrels as they were read, or of what they were mapped to if that is higher."""
        return float(max(self.levels[-1:].max(initial=-math.inf), -math.inf if self.as_read is None else self.as_read))

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """Names of the topics, in byte order."""
        return tuple(name.decode("utf-8", "surrogateescape") for name in self.index.topics)

    @cached_property
    def fingerprint(self) -> int:
        """A number that differs where topics, documents or their rows differ; grades do not matter."""
        return self.index.fingerprint

    @cached_property
    def counts(self) -> Ints:
        """(topic, level): how many documents of each grade each topic has. Where there are many of both, it is large.

        `counts_of` has those of some topics, `level_counts` those of all topics together.
        """
        self._need_counts(len(self.topics))
        flat = np.frombuffer(_core.level_counts(self.codes, self.starts, len(self.levels)), dtype=np.int64)
        return flat.reshape(len(self.topics), len(self.levels))

    def _need_counts(self, topics: int) -> None:
        """Raise MemoryLimitError where a table of so many topics and all levels does not fit."""
        what = f"a table of {topics} topics and {len(self.levels)} different grades"
        need(topics * len(self.levels) * 8, what, "round the grades, or map them with grades=")

    @property
    def has_many_levels(self) -> bool:
        """Whether there are so many grades that tables of topics and grades are made of those at hand alone."""
        return len(self.levels) > MANY_LEVELS and self.aspects is None

    def levels_of(self, rows: Ints) -> Ints:
        """Codes of the grades that some topics have, ascending, with the lowest and highest of all and those by 0."""
        zero = int(np.searchsorted(self.levels, 0.0))
        last = len(self.levels) - 1
        always = np.clip([0, zero - 1, zero, zero + 1, last], 0, last)
        of_topics = (self.codes[self.starts[row] : self.starts[row + 1]] for row in rows.tolist())
        codes = np.concatenate([always, *of_topics])
        kept: Ints = np.unique(codes[codes != UNJUDGED])
        return kept

    def counts_of(self, rows: Ints, kept: Ints | None = None) -> Ints:
        """(row, level): the same of some topics, at the levels `kept`; without the whole table where that is large."""
        if kept is not None and len(rows) > 1 and (rows == rows[0]).all():
            return np.broadcast_to(self.counts_of(rows[:1], kept), (len(rows), len(kept)))
        if kept is not None:
            topic = np.repeat(np.arange(len(rows)), np.diff(self.starts)[rows])
            codes = [self.codes[self.starts[row] : self.starts[row + 1]] for row in rows.tolist()]
            code = np.concatenate([*codes, self.codes[:0]])
            place = topic * len(kept) + np.searchsorted(kept, code)
            return np.bincount(place[code != UNJUDGED], minlength=len(rows) * len(kept)).reshape(len(rows), len(kept))
        if len(self.topics) * len(self.levels) <= DENSE:
            return self.counts[rows]
        self._need_counts(len(rows))
        codes = [self.codes[self.starts[row] : self.starts[row + 1]] for row in rows.tolist()]
        starts = np.cumsum([0, *map(len, codes)])
        flat = _core.level_counts(np.concatenate([*codes, self.codes[:0]]), starts, len(self.levels))
        return np.frombuffer(flat, dtype=np.int64).reshape(len(rows), len(self.levels))

    @cached_property
    def level_counts(self) -> Ints:
        """(level,): how many documents have each grade, in all topics together."""
        return np.bincount(self.codes[self.codes != UNJUDGED], minlength=len(self.levels))

    def grades(self, topic: str) -> dict[str, float]:
        """The grades of one topic's documents."""
        row = self.topics.index(topic)
        names = [name.decode("utf-8", "surrogateescape") for name in self.index.documents(row)]
        codes = self.codes[self.starts[row] : self.starts[row + 1]].tolist()
        levels = self.levels.tolist()
        return {name: levels[code] for name, code in zip(names, codes, strict=True) if code != UNJUDGED}

    @cached_property
    def hides_grades(self) -> bool:
        """Whether a sub-topic or assessor gives some document a better grade than the one that plain measures take."""
        if self.aspects is None:
            return False
        return bool((self.aspects.code > self.codes[self.aspects.place]).any())

    def judgments_by_aspect(self) -> Iterator[tuple[str | None, str, str, float]]:
        """Aspect, topic, document and grade of each judgment; None where each document has one grade.

        Topics and aspects come in byte order, documents as they were read.
        """
        if self.aspects is None:
            for topic in self.topics:
                yield from ((None, topic, document, grade) for document, grade in self.grades(topic).items())
            return
        levels = self.levels.tolist()
        for row, topic in enumerate(self.topics):
            names = [name.decode("utf-8", "surrogateescape") for name in self.index.documents(row)]
            for _, aspect, entries in self.aspects.of_topic(row):
                documents, codes = self.aspects.document[entries].tolist(), self.aspects.code[entries].tolist()
                for document, code in zip(documents, codes, strict=True):
                    yield aspect, topic, names[document], levels[code]

    def to_dict(self) -> dict[str, dict[str, float]]:
        """`{topic: {document: grade}}`."""
        return {topic: self.grades(topic) for topic in self.topics}

    def conflated(self, grades: Mapping[float, float] | Sequence[float]) -> Self:
        """The same judgments with grades mapped: a map changes the grades it names, a list names all from 0 on.

        >>> from rankscale import read_qrels
        >>> mapped = read_qrels({"1": {"a": 0, "b": 2, "c": 3}}).conflated({3: 2})
        >>> mapped.grades("1")
        {'a': 0.0, 'b': 2.0, 'c': 2.0}

        The highest grade stays that of the qrels as they were read: it scales the gains of ERR and graded RBP.

        >>> mapped.highest
        3.0
        """
        mapped = np.array([_mapped(grades, level) for level in self.levels.tolist()], dtype=np.float64)
        for level, new in zip(self.levels.tolist(), mapped.tolist(), strict=True):
            if not math.isfinite(new):
                raise ParameterError(f"grades must be mapped to finite numbers, got {new} for grade {level:g}")
        levels, place = np.unique(mapped, return_inverse=True)
        return replace(self._over(frozen(levels), place), as_read=self.highest)

    def _over(self, levels: Floats, place: Ints) -> Self:
        """The same judgments over other levels, given the place, (level,), that each level has among them."""
        codes = frozen(np.append(place, UNJUDGED).astype(np.int16)[self.codes])  # UNJUDGED is -1: the last one
        aspects = None if self.aspects is None else self.aspects.mapped(place, levels)
        return replace(self, codes=codes, levels=levels, aspects=aspects)

    def within(self, levels: Sequence[float]) -> Self:
        """The same judgments as part of a collection that has these levels, ascending, these among them.

        >>> from rankscale import read_qrels
        >>> read_qrels({"1": {"a": 0, "b": 2}}).within((0.0, 1.0, 2.0, 3.0)).highest
        3.0
        """
        every = np.array(levels, dtype=np.float64)
        lacking = np.setdiff1d(self.levels, every)
        if len(lacking):
            known = ", ".join(f"{level:g}" for level in levels)
            raise ParameterError(f"grade {lacking[0]:g} is not among the levels {known}")
        return self._over(frozen(every), np.searchsorted(every, self.levels))

    def negatives_as_not_relevant(self) -> Self:
        """The same judgments with negative grades (spam, say) as the grade 0: judged, and not relevant."""
        return self.conflated({level: 0.0 for level in self.levels.tolist() if level < 0})

    @property
    def judgments(self) -> int:
        """How many documents are judged."""
        return int(np.count_nonzero(self.codes != UNJUDGED))

    @property
    def is_judged(self) -> Bools:
        """(judgment,): where the grade is 0 or more; a negative one means pooled but unjudged."""
        return self._of_level(self.levels >= 0)

    def is_relevant(self, rel: float = 1) -> Bools:
        """(judgment,): where the document is judged and its grade is `rel` or more."""
        return self._of_level(self.levels >= max(rel, 0))

    def _of_level(self, per_level: Bools) -> Bools:
        """(judgment,): what holds for its level; nothing holds for documents that were left out."""
        holds: Bools = np.append(per_level, False)[self.codes]  # UNJUDGED is -1: the last one
        return holds

    def recall_base(self, rel: float = 1) -> Ints:
        """(topic,): RB, how many documents have the grade `rel` or a better one."""
        before = np.concatenate([[0], np.cumsum(self._of_level(self.levels >= rel))])
        relevant: Ints = before[self.starts[1:]] - before[self.starts[:-1]]
        return relevant

    @property
    def judged_levels(self) -> tuple[float, ...]:
        """The grades that judge: 0 and above."""
        return tuple(self.levels[self.levels >= 0].tolist())

    @cached_property
    def topic_of(self) -> Ints:
        """(judgment,): the row of the topic that each judgment belongs to."""
        return frozen(np.repeat(np.arange(len(self.topics)), np.diff(self.starts)))

    def keeping(self, kept: Bools) -> Self:
        """The same judgments without those that are not kept, (judgment,): their documents become unjudged.

        Topics, levels and the highest grade stay what they are, and so do the rows of documents: runs that were read
        with these qrels are judged with the others as they are, without being read again.

        >>> from rankscale import read_qrels
        >>> qrels = read_qrels({"1": {"a": 0, "b": 2, "c": 3}})
        >>> qrels.keeping(np.array([True, False, True])).grades("1")
        {'a': 0.0, 'c': 3.0}
        """
        if kept.shape != self.codes.shape:
            wanted = f"one entry for each of {len(self.codes)} judgments"
            raise ParameterError(f"kept must have {wanted}, got shape {kept.shape}")
        codes = np.where(kept, self.codes, UNJUDGED).astype(np.int16)
        aspects = None if self.aspects is None else self.aspects.keeping(kept)
        return replace(self, codes=frozen(codes), as_read=self.highest, aspects=aspects)

    def judged_by_aspects(self, aspects: Aspects) -> Self:
        """The same topics and documents, judged by these aspects; a document's grade follows their rule."""
        grades = aspects.merged()
        is_graded = ~np.isnan(grades)
        levels = np.union1d(aspects.levels, grades[is_graded])
        codes = np.full(len(grades), UNJUDGED, dtype=np.int16)
        codes[is_graded] = np.searchsorted(levels, grades[is_graded])
        over = aspects.mapped(np.searchsorted(levels, aspects.levels), frozen(levels))
        highest = max(self.highest, float(levels.max(initial=-math.inf)))
        return replace(self, codes=frozen(codes), levels=frozen(levels), as_read=highest, aspects=over)

    def __eq__(self, other: object) -> bool:
        """Equal when the same documents have the same grades, in whatever order they were read."""
        return (
            isinstance(other, Qrels)
            and self.topics == other.topics
            and same(self.levels, other.levels)
            and sorted(self.judgments_by_aspect(), key=str) == sorted(other.judgments_by_aspect(), key=str)
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside

    def __repr__(self) -> str:
        grades = ", ".join(f"{level:g}" for level in self.levels[:8]) + (", ..." if len(self.levels) > 8 else "")
        return f"<Qrels {self.source}: {len(self.topics)} topics, {self.judgments} judgments, grades {grades}>"


def _mapped(grades: Mapping[float, float] | Sequence[float], level: float) -> float:
    if isinstance(grades, Mapping):
        return float(grades.get(level, level))
    if not level.is_integer() or not 0 <= level < len(grades):
        how = "list one for each of 0, 1, 2, ..., or give a map"
        raise ParameterError(f"grades {list(grades)} have no entry for grade {level:g}; {how}")
    return float(grades[int(level)])
