"""Rankings as lists, the way one would write them down: slow, and easy to see through."""

from dataclasses import dataclass

from hypothesis import strategies as st

import rankscale
from rankscale.data.arrays import UNJUDGED
from rankscale.data.judged import BEYOND, Judged
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run

GRADES = (-2, -1, 0, 0.5, 1, 2, 3)

Entry = tuple[int, float | None, int, int, int]  # rank, grade, row of the document, first and last rank of its tie


@dataclass(frozen=True)
class Retrieved:
    """One document of a ranking: how it scored and what it was judged, if at all."""

    score: float
    grade: float | None
    row: int  # in the qrels of its topic


Collection = dict[str, list[Retrieved]]

documents = st.tuples(st.integers(0, 4), st.none() | st.sampled_from(GRADES))
# One ranking each, and the grades of documents that nobody retrieved.
topics = st.tuples(st.lists(documents, max_size=9), st.lists(st.sampled_from(GRADES), max_size=4))
collections = st.dictionaries(st.sampled_from(["1", "10", "2", "é"]), topics, min_size=1, max_size=4)


def made(drawn: dict[str, tuple[list[tuple[int, float | None]], list[float]]]) -> tuple[Collection, Qrels, Run]:
    """The collection as lists, and as rankscale reads it. Names are such that ties keep the order of the list."""
    lists: Collection = {}
    qrels: dict[str, dict[str, float]] = {}
    run: dict[str, dict[str, float]] = {}
    for topic, (drawn_ranking, missed) in drawn.items():
        ranking = sorted(drawn_ranking, key=lambda document: -document[0])
        names = [f"d{999 - place}" for place in range(len(ranking))]
        judged = {name: grade for name, (_, grade) in zip(names, ranking, strict=True) if grade is not None}
        qrels[topic] = {f"missed{place}": grade for place, grade in enumerate(missed)} | judged
        rows = {name: row for row, name in enumerate(qrels[topic])}
        pairs = zip(names, ranking, strict=True)
        lists[topic] = [Retrieved(score, grade, rows.get(name, UNJUDGED)) for name, (score, grade) in pairs]
        run[topic] = {name: float(score) for name, (score, _) in zip(names, ranking, strict=True)}
    judgments = rankscale.read_qrels(qrels)
    return (
        {topic: lists[topic] for topic in judgments.topics},
        judgments,
        rankscale.read_run(judgments, run, keep_documents=True),
    )


def entries(ranking: list[Retrieved], keep: float = float("-inf")) -> list[Entry]:
    """The judged documents of a ranking, of grade `keep` or more."""
    found: list[Entry] = []
    for rank, one in enumerate(ranking, start=1):
        tied = [place for place, other in enumerate(ranking, start=1) if other.score == one.score]
        if one.grade is not None and one.grade >= keep:
            found.append((rank, float(one.grade), one.row, tied[0], tied[-1]))
    return found


def entries_of(judged: Judged) -> list[list[Entry]]:
    """The same of what rankscale made, without what only fills a row."""
    return [
        [
            (rank, None if code == UNJUDGED else float(judged.levels[code]), document, first, last)
            for rank, code, document, first, last in zip(*(column.tolist() for column in row), strict=True)
            if rank != BEYOND
        ]
        for row in zip(judged.rank, judged.code, judged.document, judged.first, judged.last, strict=True)
    ]


def fills_its_rows(judged: Judged) -> bool:
    """Whether entries that only fill a row come last in it, and hold nothing."""
    filling = judged.rank == BEYOND
    holds_nothing = (judged.code[filling] == UNJUDGED).all() and (judged.document[filling] == UNJUDGED).all()
    unbound = (judged.first[filling] == BEYOND).all() and (judged.last[filling] == BEYOND).all()
    return bool(holds_nothing and unbound and (filling[:, 1:] >= filling[:, :-1]).all())
