"""Rankings written as marks or grades, as papers print them, and what measures say of them."""

from collections.abc import Sequence
from typing import Any

import rankscale as rs
from rankscale.data.arrays import Floats
from rankscale.evaluation.result import Evaluation

TOPIC = "topic"
MARKS = {"$": 1.0, "-": 0.0, "?": None}  # relevant, not relevant, unjudged: Moffat and Zobel 2008

Grades = Sequence[float | None]


def marked(marks: str) -> list[float | None]:
    """A ranking of marks as grades."""
    return [MARKS[mark] for mark in marks]


def evaluated(ranking: Grades, measures: Sequence[str], missed: Sequence[float] = (), **settings: Any) -> Evaluation:  # noqa: ANN401
    """What measures say of a ranking of grades, None for an unjudged document; `missed` are grades it lacks."""
    return rs.evaluate(*_qrels_and_run(ranking, missed), measures, **settings)


def value(ranking: Grades, measure: str, missed: Sequence[float] = ()) -> float:
    """One value."""
    return float(evaluated(ranking, [measure], missed).values[0, 0, 0])


def curve(ranking: Grades, measure: str, missed: Sequence[float] = ()) -> Floats:
    """A measure at every rank."""
    drawn = rs.curves(*_qrels_and_run(ranking, missed), measure, depth=len(ranking))
    return drawn.by_run(TOPIC)["ranking"]


def _qrels_and_run(ranking: Grades, missed: Sequence[float]) -> tuple[dict[str, dict[str, float]], dict[str, Any]]:
    documents = [f"d{rank:04d}" for rank in range(len(ranking))]
    judged = {name: grade for name, grade in zip(documents, ranking, strict=True) if grade is not None}
    judged |= {f"missed{place}": grade for place, grade in enumerate(missed)}
    scores = {name: float(len(ranking) - rank) for rank, name in enumerate(documents)}
    return {TOPIC: judged}, {"ranking": {TOPIC: scores}}
