"""The best runs of an evaluation: how many, ties, and what becomes of all that stands beside the values."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscale as rs
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.measures.ap import AP
from rankscale.measures.search_length import ESL
from rankscale.sample import QRELS, RUNS
from rankscale.studies.support.selection import evaluate_top, top


def evaluation(values: Any, measure: Any = None) -> Evaluation:
    """Of runs with these values (run, topic)."""
    array = np.array(values, dtype=np.float64)[None]
    names = tuple(f"run {place}" for place in range(array.shape[1]))
    topics = tuple(map(str, range(array.shape[2])))
    sources = ("qrels", *(f"{name}.txt" for name in names))
    there = np.ones(array.shape[1:], dtype=bool)
    return Evaluation((measure or AP(),), names, topics, array, there, signature="v:test", sources=sources)


def by_sorting(means: list[float], share: float) -> set[int]:
    """As the definition says it."""
    ordered = sorted(means, reverse=True)
    last = ordered[math.ceil(round(share * len(means), 6)) - 1]
    return {place for place, mean in enumerate(means) if mean >= last}


@given(st.lists(st.integers(0, 5), min_size=1, max_size=40), st.integers(1, 100))
def test_as_many_as_the_definition_says_and_all_tied(means: list[int], percent: int) -> None:
    share = percent / 100
    found = top(evaluation([[mean / 5] for mean in means]), share)
    kept = by_sorting([float(mean) for mean in means], share)
    assert found.runs == tuple(f"run {place}" for place in sorted(kept))
    assert found.sources == ("qrels", *(f"run {place}.txt" for place in sorted(kept)))
    assert found.values[0, :, 0].tolist() == [means[place] / 5 for place in sorted(kept)]
    assert len(kept) >= share * len(means) - 1e-9


def test_a_share_that_floats_cannot_hold_is_not_one_run_more() -> None:
    values = [[place / 100] for place in range(100)]
    assert 0.07 * 100 > 7
    assert len(top(evaluation(values), 0.07).runs) == 7


def test_a_share_however_small_is_a_run() -> None:
    values = [[place / 100] for place in range(100)]
    found = top(evaluation(values), 1e-12)
    assert found.runs == ("run 99",)
    assert "|top:1e-12|" in found.signature
    assert top(evaluation(values), 0.7500001).signature != top(evaluation(values), 0.75).signature


def test_means_that_differ_by_rounding_are_tied() -> None:
    parts = [0.1, 0.2, 0.3]
    assert sum(parts) != sum(reversed(parts))
    found = top(evaluation([parts, parts[::-1], [0.0] * 3]), 1 / 3)
    assert found.runs == ("run 0", "run 1")


def test_low_is_good_and_undefined_is_last() -> None:
    values = [[3.0], [np.nan], [1.0], [2.0]]
    assert top(evaluation(values, ESL()), 0.5, by="ESL").runs == ("run 2", "run 3")
    assert top(evaluation(values, ESL()), 0.75, by=ESL()).runs == ("run 0", "run 2", "run 3")
    assert top(evaluation(values, ESL()), 1, by="ESL").runs == ("run 0", "run 1", "run 2", "run 3")


def test_all_that_stands_beside_the_values_goes_along() -> None:
    whole = rs.evaluate(QRELS, list(RUNS), ["RBP(p=0.8)", "P@10"], bounds=True, ties="range")
    found = top(whole, 0.25, by="P@10")
    rows = [whole.runs.index(run) for run in found.runs]
    assert len(rows) >= 6
    assert found.signature == f"{whole.signature}|top:0.25|by:P@10"
    for name in ("values", "lower", "upper", "ties_lower", "ties_upper"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name)[:, rows])
        assert not getattr(found, name).flags.writeable
    assert found.retrieved.shape == (len(rows), len(whole.topics))
    assert (found.measures, found.topics, found.levels) == (whole.measures, whole.topics, whole.levels)
    assert found.topics_rule == whole.topics_rule


def test_the_top_of_trec_8_by_map(trec_8: Any) -> None:
    qrels, runs = trec_8
    found = evaluate_top(qrels, runs, ["RR", "P@10"], 0.75)
    assert list(map(str, found.measures)) == ["RR", "P@10"]
    means = rs.evaluate(qrels, runs, "AP").means().values[0]
    kept = by_sorting(np.round(means, 8).tolist(), 0.75)
    assert len(kept) >= 97
    assert found.runs == tuple(run.name for place, run in enumerate(runs) if place in kept)
    np.testing.assert_array_equal(found.values, rs.evaluate(qrels, runs, ["RR", "P@10"]).values[:, sorted(kept)])


def test_the_measure_that_runs_are_chosen_by_stays_where_it_was_asked_for() -> None:
    found = evaluate_top(QRELS, list(RUNS), ["RR", "AP", "P@10"], 0.5)
    assert list(map(str, found.measures)) == ["RR", "AP", "P@10"]
    by_rr = evaluate_top(QRELS, list(RUNS), "P@10", 0.5, by="RR")
    expected = top(rs.evaluate(QRELS, list(RUNS), ["P@10", "RR"]), 0.5, by="RR")
    assert by_rr.runs == expected.runs
    np.testing.assert_array_equal(by_rr.values, expected.values[:1])


def test_without_a_share_it_is_the_evaluation() -> None:
    assert evaluate_top(QRELS, list(RUNS[:3]), "P@10", None) == rs.evaluate(QRELS, list(RUNS[:3]), "P@10")
    common = evaluate_top(QRELS, list(RUNS), "P@10", None, missing="common")
    assert common == rs.evaluate(QRELS, list(RUNS), "P@10", missing="common")


@pytest.mark.parametrize("share", [0, -0.5, 1.01, math.nan])
def test_refused_shares(share: float) -> None:
    with pytest.raises(ParameterError, match=r"above 0 and at most 1, got .*; 0\.75 is usual"):
        top(evaluation([[1.0]]), share)
    with pytest.raises(ParameterError, match="above 0 and at most 1"):
        evaluate_top("nor this", "no such file", "AP", share)


def test_an_evaluation_without_the_measure() -> None:
    with pytest.raises(ParameterError, match=r"chosen by their mean AP, which this evaluation lacks: .*\(ESL\)"):
        top(evaluation([[1.0]], ESL()), 0.5)
