"""Judgments that are left out: every measure says what it would say had they never been there."""

from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.data.qrels import Qrels
from rankscale.errors import RankscaleError
from rankscale.measures.base.facts import example
from rankscale.measures.base.register import find, names

RANDOM = np.random.default_rng(11)
TOPICS, DOCUMENTS = 6, 40


def random_collection() -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """Grades -1 to 3 of most documents, and a run with ties that retrieves more than is judged."""
    qrels, run = {}, {}
    for topic in map(str, range(TOPICS)):
        documents = [f"d{number}" for number in range(DOCUMENTS)]
        judged = RANDOM.permutation(documents)[:30].tolist()
        qrels[topic] = {document: float(RANDOM.integers(-1, 4)) for document in judged}
        qrels[topic] |= {f"never{grade}": float(grade) for grade in range(-1, 4)}  # so that no level goes
        run[topic] = {document: float(RANDOM.integers(0, 25)) for document in documents}
    return qrels, run


def thinned(qrels: Qrels) -> tuple[Qrels, dict[str, dict[str, float]]]:
    """Qrels with half of the judgments left out, and the same written out anew."""
    kept = np.array([RANDOM.random() < 0.5 or name.startswith("never") for name in every_document(qrels)])
    left = iter(kept.tolist())
    return qrels.keeping(kept), {
        topic: {document: grade for document, grade in qrels.grades(topic).items() if next(left)}
        for topic in qrels.topics
    }


def every_document(qrels: Qrels) -> list[str]:
    return [document for topic in qrels.topics for document in qrels.grades(topic)]


@pytest.mark.parametrize("name", names())
def test_runs_are_judged_again_as_if_read_anew(name: str) -> None:
    grades, run = random_collection()
    qrels = rs.read_qrels(grades)
    fewer, written = thinned(qrels)
    measure = example(find(name), 10)
    read_once = rs.read_runs(qrels, {"mine": run}, keep_scores=True)
    asked: list[dict[str, Any]] = [{}, {"judged_only": True}, {"missing": "skip"}, *beside(measure)]
    for settings in asked:
        again = rs.evaluate(fewer, read_once, [measure], **settings)
        anew = rs.evaluate(rs.read_qrels(written), {"mine": run}, [measure], **settings)
        for part in ("values", "lower", "upper", "ties_lower", "ties_upper", "ties_error"):
            actual, wanted = getattr(again, part), getattr(anew, part)
            if wanted is None or "tie_orders" not in settings or not measure.drawn_ties:
                np.testing.assert_array_equal(actual, wanted, err_msg=f"{settings} {part}")
            else:  # the same orders of tied documents, added up in another order
                np.testing.assert_allclose(actual, wanted, rtol=1e-15, atol=1e-15, err_msg=f"{settings} {part}")


def beside(measure: Any) -> list[dict[str, Any]]:
    """The kinds of uncertainty that the measure can be asked for."""
    found: list[dict[str, Any]] = [{"ties": "expected", "tie_orders": 20}, {"ties": "range", "tie_orders": 20}]
    try:
        measure.refuse_bounds()
    except RankscaleError:
        return found
    return [*found, {"bounds": True}]


def test_counts_names_and_levels_follow() -> None:
    qrels = rs.read_qrels({"1": {"a": 0, "b": 2}, "2": {"c": 1, "d": 2}})
    fewer = qrels.keeping(np.array([True, False, False, True]))
    assert fewer.to_dict() == {"1": {"a": 0.0}, "2": {"d": 2.0}}
    assert fewer.judgments == 2
    assert fewer.levels.tolist() == [0, 1, 2]
    assert fewer.counts.tolist() == [[1, 0, 0], [0, 0, 1]]
    assert fewer.fingerprint == qrels.fingerprint
    assert fewer.conflated({2: 5}).to_dict() == {"1": {"a": 0.0}, "2": {"d": 5.0}}
    assert qrels.topic_of.tolist() == [0, 0, 1, 1]


def test_what_is_kept_is_said_of_every_judgment() -> None:
    with pytest.raises(RankscaleError, match="one entry for each of 2 judgments"):
        rs.read_qrels({"1": {"a": 0, "b": 2}}).keeping(np.array([True]))
