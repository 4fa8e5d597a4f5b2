"""Two sets of judgments by sub-topic (or by assessor): their items are triples of topic, sub-topic and document."""

from dataclasses import dataclass, replace

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.aspects import Aspects

Group = tuple[int, str]  # the row of a topic, and the name of one of its sub-topics


@dataclass(frozen=True, eq=False)
class Triples:
    """All triples of two sets of judgments over the same documents of the same topics."""

    groups: tuple[Group, ...]  # sub-topics of either, topic after topic, in byte order
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
    groups = tuple(sorted({*_groups(first), *_groups(second)}, key=_in_byte_order))
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


def _weights(groups: tuple[Group, ...], first: Aspects, second: Aspects) -> Floats | None:
    """(group,): probabilities of sub-topics by the first, and by the second where the first lacks them."""
    known = {
        group: weight
        for one in (second, first)
        if one.weights is not None
        for group, weight in zip(_groups(one), one.weights.tolist(), strict=True)
    }
    return frozen(np.array([known.get(group, 0.0) for group in groups])) if known else None


def _groups(aspects: Aspects) -> list[Group]:
    return list(zip(aspects.topic_of.tolist(), aspects.names, strict=True))


def _in_byte_order(group: Group) -> tuple[int, bytes]:
    return group[0], group[1].encode("utf-8", "surrogateescape")
