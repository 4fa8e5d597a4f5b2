"""What changed at the top of a ranking from one run to another: documents that left, entered and moved."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from rankscale.data.arrays import UNJUDGED
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run

Kind = Literal["left", "entered", "moved down", "moved up"]
KINDS: tuple[Kind, ...] = ("left", "entered", "moved down", "moved up")  # in the order of rows


@dataclass(frozen=True)
class Change:
    """One document whose rank changed, within the top k of either run."""

    document: str
    kind: Kind
    old_rank: int | None  # in the baseline; None where it is not retrieved
    new_rank: int | None  # in the candidate
    grade: float | None  # None where it is unjudged


def ranking_changes(
    qrels: Qrels, baseline: Run, candidate: Run, topics: Sequence[int], depth: int, *, judged_only: bool = False
) -> Iterator[tuple[int, list[Change]]]:
    """Changes within the first `depth` ranks, topic by topic; topics are rows of the qrels.

    With `judged_only` ranks are those of rankings without unjudged documents. Both runs have the names of their
    documents.
    """
    old, new = (run.completed(len(qrels.topics)).documents for run in (baseline, candidate))
    for topic in topics:
        grades = _grades(qrels, topic)
        before, after = ([] if names is None else [*names[topic]] for names in (old, new))
        if judged_only:
            before, after = ([name for name in names if grades.get(name, -1) >= 0] for names in (before, after))
        yield topic, changes_of(before, after, grades, depth)


def changes_of(before: Sequence[str], after: Sequence[str], grades: dict[str, float], depth: int) -> list[Change]:
    """Documents that left the first `depth` ranks, that entered them, and that moved within them.

    >>> for one in changes_of("abc", "acd", {"b": 1.0}, 2):
    ...     print(one.document, one.kind, one.old_rank, one.new_rank, one.grade)
    b left 2 None 1.0
    c entered 3 2 None
    """
    old = {name: rank for rank, name in enumerate(before[:depth], start=1)}
    new = {name: rank for rank, name in enumerate(after[:depth], start=1)}
    made = []
    for name in dict.fromkeys([*old, *new]):
        ranks = old.get(name) or _rank(before, name), new.get(name) or _rank(after, name)
        if ranks[0] != ranks[1]:
            made.append(Change(name, _kind(name, old, new), *ranks, grades.get(name)))
    return sorted(made, key=lambda one: (KINDS.index(one.kind), one.kind != "entered" and one.old_rank, one.new_rank))


def _kind(name: str, old: dict[str, int], new: dict[str, int]) -> Kind:
    if name not in new:
        return "left"
    if name not in old:
        return "entered"
    return "moved down" if new[name] > old[name] else "moved up"


def _rank(names: Sequence[str], name: str) -> int | None:
    return names.index(name) + 1 if name in names else None


def _grades(qrels: Qrels, topic: int) -> dict[str, float]:
    """Grades of the documents of the topic at this row."""
    names = [name.decode("utf-8", "surrogateescape") for name in qrels.index.documents(topic)]
    levels, codes = qrels.levels.tolist(), qrels.codes[qrels.starts[topic] : qrels.starts[topic + 1]].tolist()
    return {name: levels[code] for name, code in zip(names, codes, strict=True) if code != UNJUDGED}
