"""Fused rankings seen through qrels, without writing them first: what tuning measures, many times over."""

from collections.abc import Sequence

import numpy as np

from rankscale.data.arrays import Floats, Ints, frozen
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.fusion.fuse import ranked
from rankscale.fusion.methods import Method
from rankscale.inputs.rankings import Lists, TopicLists


class JudgedLists:
    """The rankings of several runs, each document with its place in the qrels; topics are rows of the qrels."""

    def __init__(self, lists: Lists, qrels: Qrels) -> None:
        self.lists, self.qrels = lists, qrels
        rows = [(row, topic) for row, topic in enumerate(qrels.topics) if topic in lists.by_topic]
        self.topics: list[tuple[int, TopicLists, Ints]] = []  # row, rankings, (document,): place in the qrels or -1
        for row, topic in rows:
            of = lists.of(topic)
            held = {name.decode("utf-8", "surrogateescape"): at for at, name in enumerate(qrels.index.documents(row))}
            self.topics.append((row, of, np.array([held.get(name, -1) for name in of.documents], dtype=np.int64)))

    def fused(self, methods: Sequence[Method], depth: int) -> list[Run]:
        """One run for each method; all fuse the same normalised scores or ranks."""
        parts: list[list[tuple[Ints, Ints, Floats, int]]] = [[] for _ in methods]
        for _, of, places in self.topics:
            prepared = methods[0].prepare(of)
            for part, method in zip(parts, methods, strict=True):
                values = method.values(of, prepared)
                part.append(_entries(ranked(values, depth), values, places))
        return [self._run(str(method), part, "score64") for method, part in zip(methods, parts, strict=True)]

    def inputs(self) -> list[Run]:
        """The runs that are fused, whole."""
        made = []
        for place, name in enumerate(self.lists.runs):
            part = []
            for _, of, places in self.topics:
                (row,) = np.flatnonzero(of.places == place)[:1] if place in of.places else (None,)
                rank = np.zeros(len(places), dtype=np.int64) if row is None else of.rank[row]
                order = np.argsort(rank, kind="stable")[np.count_nonzero(rank == 0) :]
                score = np.full(len(places), np.nan) if row is None else of.score[row]
                part.append(_entries(order, score, places))
            made.append(self._run(name, part, self.lists.orders[place]))
        return made

    def _run(self, name: str, part: Sequence[tuple[Ints, Ints, Floats, int]], order: str) -> Run:
        """A run of entries topic by topic; rankings without documents are those of topics that it lacks."""
        there = [(row, entries) for (row, _, _), entries in zip(self.topics, part, strict=True) if entries[3]]
        joined = [np.concatenate([np.zeros(0), *(entries[column] for _, entries in there)]) for column in range(3)]
        rank, document = (column.astype(np.int32) for column in joined[:2])
        starts = np.cumsum([0, *(len(entries[0]) for _, entries in there)])
        return Run(
            name=name,
            rows=frozen(np.array([row for row, _ in there], dtype=np.int32)),
            length=frozen(np.array([entries[3] for _, entries in there], dtype=np.int32)),
            starts=frozen(starts.astype(np.int64)),
            rank=frozen(rank),
            document=frozen(document),
            first=frozen(rank),
            last=frozen(rank),
            qrels=self.qrels.fingerprint,
            order=order,
            source=name,
            score=frozen(joined[2]),
        )


def _entries(order: Ints, values: Floats, places: Ints) -> tuple[Ints, Ints, Floats, int]:
    """Ranks, places in the qrels and scores of judged documents, and the length of the ranking."""
    judged = places[order] >= 0
    return np.flatnonzero(judged) + 1, places[order][judged], values[order][judged], len(order)
