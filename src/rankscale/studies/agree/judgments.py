"""Two sets of judgments side by side: the items that both judge, and qrels by which runs are judged without rereading.

Both are put over one index, that of all documents which either of them names, so that a run is read once and judged by
each. Only topics that both have are kept. Both have the levels and the highest grade of the two together, since these
scale the gains of some measures (ERR, graded RBP): a grade that both give is worth the same under both. An item is a
document of a topic; where both name sub-topics or assessors, it is a document with a sub-topic or an assessor.
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankscale.data.arrays import UNJUDGED, Bools, Floats, Ints, frozen
from rankscale.data.aspects import Aspects
from rankscale.data.names import listed
from rankscale.data.notices import MERGED, Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.errors import InputError
from rankscale.inputs.partitioned import MOST_LEVELS
from rankscale.inputs.read import read_qrels

GroupName = tuple[int, str]  # the row of a topic, and the name of one of its sub-topics


@dataclass(frozen=True, eq=False)
class Triples:
    """All triples of two sets of judgments over the same documents of the same topics."""

    groups: tuple[GroupName, ...]  # sub-topics of either, topic after topic, in byte order
    entries: tuple[Ints, Ints]  # (entry,) of each set: which triple it judges
    group: Ints  # (triple,)
    place: Ints  # (triple,): which judgment of plain qrels has its document

    def grades(self, aspects: tuple[Aspects, Aspects]) -> Floats:
        """(assessor, triple): grades from 0 on; NaN where there is no judgment."""
        made = np.full((2, len(self.group)), np.nan)
        for number, (one, entries) in enumerate(zip(aspects, self.entries, strict=True)):
            made[number, entries] = one.levels[one.code]
        made[made < 0] = np.nan
        return made


def triples(first: Aspects, second: Aspects) -> Triples:
    """The triples of two sets of judgments."""
    either = {*_groups(first), *_groups(second)}
    groups = tuple(sorted(either, key=lambda group: (group[0], group[1].encode("utf-8", "surrogateescape"))))
    number = {group: place for place, group in enumerate(groups)}
    size = int(first.judgments[-1])
    keys = [
        np.array([number[group] for group in _groups(one)], dtype=np.int64)[one.aspect_of] * size + one.place
        for one in (first, second)
    ]
    every, place = np.unique(np.concatenate(keys), return_inverse=True)
    entries = np.split(place.ravel(), [len(keys[0])])
    return Triples(groups, (entries[0], entries[1]), every // size, every % size)


def filled(held: Triples, first: Aspects, second: Aspects, judged: Bools) -> Aspects:
    """The first judgments, and the second where the first has none; `judged` (assessor, triple) says who has one.

    Both have the same levels.
    """
    code = np.full(len(held.group), -1, dtype=np.int64)
    for one, entries, has in zip((second, first), held.entries[::-1], judged[::-1], strict=True):
        own = has[entries]  # the first comes last: its judgments stay
        code[entries[own]] = one.code[own]
    kept = np.flatnonzero(code >= 0)  # triples are in the order of their groups
    counts = np.bincount(held.group[kept], minlength=len(held.groups))
    topics = np.array([topic for topic, _ in held.groups], dtype=np.int64)
    return replace(
        first,
        starts=frozen(np.concatenate([[0], np.cumsum(np.bincount(topics, minlength=len(first.counts)))])),
        names=tuple(name for _, name in held.groups),
        first=frozen(np.concatenate([[0], np.cumsum(counts)])),
        document=frozen(held.place[kept] - first.judgments[topics[held.group[kept]]]),
        code=frozen(code[kept]),
        weights=_weights(held.groups, first, second),
    )


def _weights(groups: tuple[GroupName, ...], first: Aspects, second: Aspects) -> Floats | None:
    """(group,): probabilities of sub-topics by the first, and by the second where the first lacks them."""
    known = {
        group: weight
        for one in (second, first)
        if one.weights is not None
        for group, weight in zip(_groups(one), one.weights.tolist(), strict=True)
    }
    return frozen(np.array([known.get(group, 0.0) for group in groups])) if known else None


def _groups(aspects: Aspects) -> list[GroupName]:
    return list(zip(aspects.topic_of.tolist(), aspects.names, strict=True))


Judgments = Literal["own", "common", "fill"]


@dataclass(frozen=True)
class JudgmentOverlap:
    """How many judgments the two sets share, over all topics of either."""

    both: int
    first_only: int
    second_only: int
    topics: int  # that both have
    first_topics: tuple[str, ...]  # that only the first has
    second_topics: tuple[str, ...]
    by_subtopic: bool = False  # whether items are triples: topic, sub-topic (or assessor), document

    @property
    def jaccard(self) -> float:
        """Judged by both over judged by either."""
        return self.both / (self.both + self.first_only + self.second_only)


@dataclass(frozen=True, eq=False)
class TwoQrels:
    """Two sets of judgments over the same documents of the same topics."""

    first: Qrels
    second: Qrels
    grades: Floats  # (assessor, item): grades from 0 on; NaN where there is no judgment
    topic_of: Ints  # (item,): the row of its topic
    overlap: JudgmentOverlap
    sources: tuple[str, str]  # names of the files
    triples: Triples | None = None  # None where items are documents: then an item is a judgment of the qrels
    plain: str = ""  # why sub-topics are left out of account, in words

    @property
    def judged(self) -> Bools:
        """(assessor, item): whether the assessor judges it."""
        return np.logical_not(np.isnan(self.grades))

    @property
    def items(self) -> Bools:
        """(item,): whether both judge it."""
        both: Bools = np.logical_and(self.judged[0], self.judged[1])
        return both

    def judged_by(self, judgments: Judgments) -> tuple[Qrels, Qrels]:
        """The qrels that runs are judged by.

        Each as it is ('own'), both cut to the items that both judge ('common'), or the first as it is and the first
        with the judgments of the second where it has none ('fill').
        """
        if judgments == "common":
            return self._common(self.first, 0), self._common(self.second, 1)
        return self.first, self._filled() if judgments == "fill" else self.second

    def _common(self, qrels: Qrels, number: int) -> Qrels:
        """One of the two, cut to the items that both judge."""
        if self.triples is None or qrels.aspects is None:
            return qrels.keeping(self.items)
        return qrels.judged_by_aspects(qrels.aspects.with_entries(self.items[self.triples.entries[number]]))

    def _filled(self) -> Qrels:
        """The first qrels, and the second where the first has no judgment."""
        first, second = self.first, self.second
        source = f"{self.sources[0]}, filled from {self.sources[1]}"
        if self.triples is not None and first.aspects is not None and second.aspects is not None:
            aspects = filled(self.triples, first.aspects, second.aspects, self.judged)
            return replace(first, source=source).judged_by_aspects(replace(aspects, source=source))
        codes = np.where(first.is_judged, first.codes, np.where(second.is_judged, second.codes, UNJUDGED))
        return replace(first, codes=frozen(codes.astype(np.int16)), source=source, aspects=None)

    def notices(self) -> tuple[Notice, ...]:
        """Notices about topics that only one of the two has, and about what an item is."""
        lacking = zip((self.overlap.first_topics, self.overlap.second_topics), (1, 0), strict=True)
        topics = notes(
            f"{len(topics):,} of {len(topics) + self.overlap.topics:,} topics of {self.sources[1 - other]} "
            f"{'is' if len(topics) == 1 else 'are'} not in {self.sources[other]}, and left out ({listed(list(topics))})"
            for topics, other in lacking
            if topics
        )
        return (*topics, *notes([self.plain] if self.plain else []))


def two_qrels(first: Qrels, second: Qrels) -> TwoQrels:
    """Two sets of judgments over one index; InputError where they share no topic, or no judged item."""
    sources = first.source, second.source
    if first.source == second.source:
        sources = f"{first.source} A", f"{second.source} B"
    check_grades(first)
    check_grades(second)
    rows = [{topic: row for row, topic in enumerate(qrels.topics)} for qrels in (first, second)]
    topics = [topic for topic in first.topics if topic in rows[1]]
    if not topics:
        raise InputError(
            f"{sources[0]} and {sources[1]} have no topic in common: the first has {listed(list(first.topics))}, the "
            f"second {listed(list(second.topics))}; agreement needs judgments of the same topics"
        )
    named = [
        [_documents(qrels, row[topic]) for topic in topics] for qrels, row in zip((first, second), rows, strict=True)
    ]
    highest, levels = max(first.highest, second.highest), np.union1d(first.levels, second.levels).tolist()
    if len(levels) > MOST_LEVELS:
        raise InputError(
            f"{sources[0]} and {sources[1]} have {len(levels):,} different grades together, and {MOST_LEVELS:,} are "
            "held at most; round the grades, or map them with grades="
        )
    union = read_qrels({topic: dict.fromkeys([*a, *b], 0) for topic, a, b in zip(topics, *named, strict=True)})
    made = [
        replace(_over(union, qrels, np.array([row[topic] for topic in union.topics]), source), as_read=highest).within(
            levels
        )
        for qrels, row, source in zip((first, second), rows, sources, strict=True)
    ]
    held, plain = _held(made[0], made[1], sources)
    grades, topic_of = _items(made[0], made[1], held)
    shared = int(np.count_nonzero(~np.isnan(grades).any(axis=0)))
    if not shared:
        of_subtopic = "" if held is None else ", for the same sub-topic or by the same assessor,"
        where = "the topic" if len(topics) == 1 else f"the {len(topics):,} topics"
        raise InputError(
            f"{sources[0]} and {sources[1]} have no judged document in common{of_subtopic} on {where} that both have; "
            "agreement needs the same documents, with grades from 0 on, judged in both"
        )
    judged = [_count(qrels, by_subtopic=held is not None) for qrels in (first, second)]
    overlap = JudgmentOverlap(
        both=shared,
        first_only=judged[0] - shared,
        second_only=judged[1] - shared,
        topics=len(topics),
        first_topics=tuple(topic for topic in first.topics if topic not in rows[1]),
        second_topics=tuple(topic for topic in second.topics if topic not in rows[0]),
        by_subtopic=held is not None,
    )
    return TwoQrels(made[0], made[1], frozen(grades), topic_of, overlap, sources, held, plain)


def check_grades(qrels: Qrels) -> None:
    """Raise InputError where qrels hold preferences."""
    if qrels.aspects is not None and qrels.aspects.lists is not None:
        raise InputError(
            f"{qrels.source}: expected qrels, found preferences, whose levels only order the documents of a list; "
            "agreement compares grades"
        )


def _held(first: Qrels, second: Qrels, sources: tuple[str, str]) -> tuple[Triples | None, str]:
    """The triples, where both name sub-topics and share some; otherwise why items are documents, in words."""
    if first.aspects is None and second.aspects is None:
        return None, ""
    if first.aspects is not None and second.aspects is not None:
        held = triples(first.aspects, second.aspects)
        if len(held.groups) < len(first.aspects.names) + len(second.aspects.names):
            return held, ""
        names = [listed(list(dict.fromkeys(one.names))) for one in (first.aspects, second.aspects)]
        why = f"{sources[0]} ({names[0]}) and {sources[1]} ({names[1]}) name no sub-topic or assessor in common"
        taken = {first.aspects.merge, second.aspects.merge}
    else:
        has = 0 if first.aspects is not None else 1
        why = f"{sources[has]} names sub-topics or assessors, {sources[1 - has]} does not"
        taken = {one.aspects.merge for one in (first, second) if one.aspects is not None}
    rule = " or ".join(MERGED[one] for one in sorted(taken))
    return None, f"{why}: agreement is on one grade for each document, {rule} of its grades"


def _items(first: Qrels, second: Qrels, held: Triples | None) -> tuple[Floats, Ints]:
    """Grades of both, (assessor, item), from 0 on, NaN where there is none, and the topic of each item."""
    if held is None or first.aspects is None or second.aspects is None:
        return np.stack([_grades(qrels) for qrels in (first, second)]), first.topic_of
    return held.grades((first.aspects, second.aspects)), first.topic_of[held.place]


def _count(qrels: Qrels, *, by_subtopic: bool) -> int:
    """How many judgments there are, with grades from 0 on."""
    if by_subtopic and qrels.aspects is not None:
        return int(np.count_nonzero(qrels.levels[qrels.aspects.code] >= 0))
    return int(np.count_nonzero(qrels.is_judged))


def _documents(qrels: Qrels, row: int) -> list[str]:
    return [name.decode("utf-8", "surrogateescape") for name in qrels.index.documents(row)]


def _over(union: Qrels, qrels: Qrels, rows: Ints, source: str) -> Qrels:
    """The same judgments over the index of all documents; `rows` (topic of the union,) are its topics here."""
    codes = np.full(len(union.codes), UNJUDGED, dtype=np.int16)
    place = np.zeros(len(qrels.codes), dtype=np.int64)  # (judgment,): the row of its document in the union
    for row, own in enumerate(rows.tolist()):
        at = {document: number for number, document in enumerate(_documents(union, row))}
        judgments = slice(int(qrels.starts[own]), int(qrels.starts[own + 1]))
        place[judgments] = [at[document] for document in _documents(qrels, own)]
        codes[union.starts[row] + place[judgments]] = qrels.codes[judgments]
    aspects = None if qrels.aspects is None else qrels.aspects.moved(rows, place, union.starts)
    return replace(
        union,
        codes=frozen(codes),
        levels=qrels.levels,
        source=source,
        notices=tuple(notice for notice in qrels.notices if notice.kind == "form"),  # it names the columns
        aspects=aspects,
    )


def _grades(qrels: Qrels) -> Floats:
    """(judgment,): grades from 0 on; NaN where there is no judgment."""
    grades = np.append(qrels.levels, np.nan)[qrels.codes]
    return np.where(grades >= 0, grades, np.nan)
