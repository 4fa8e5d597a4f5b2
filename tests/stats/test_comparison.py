"""rs.compare: runs of an evaluation, pair by pair."""

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rankscale as rs
from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.parser import parse
from rankscale.stats.tests.pair_tests import PairedT
from rankscale.stats.tests.register import known_tests


def evaluation(values: object, measure: str = "P@10", names: str = "abcdefgh") -> Evaluation:
    """An evaluation of runs a, b ... with these values, (run, topic)."""
    table: Floats = np.array(values, dtype=np.float64)
    runs, topics = table.shape
    return Evaluation(
        measures=(parse(measure),),
        runs=tuple(names[:runs]),
        topics=tuple(map(str, range(topics))),
        values=table[None],
        retrieved=np.ones(table.shape, dtype=bool),
        signature="of a test",
    )


FOUR = [
    [0.1, 0.2, 0.0, 0.3, 0.1, 0.2],
    [0.9, 0.8, 0.7, 0.9, 0.8, 0.9],
    [0.5, 0.4, 0.5, 0.3, 0.6, 0.5],
    [0.5, 0.5, 0.4, 0.4, 0.5, 0.6],
]


def draws_of(test: str) -> dict[str, Any]:
    """Fewer draws, where a test has any."""
    return {"samples": 199} if test in {"bootstrap", "randomisation", "randomised tukey"} else {}


def test_runs_stand_best_first_with_their_values() -> None:
    found = rs.compare(evaluation(FOUR))
    assert found.runs == ("b", "d", "c", "a")
    assert found.means == pytest.approx([np.mean(FOUR["abcd".index(run)]) for run in found.runs])
    for place, run in enumerate(found.runs):
        assert found.values[:, place].tolist() == FOUR["abcd".index(run)]


def test_p_values_are_those_of_scipy_corrected_by_holm() -> None:
    found = rs.compare(evaluation(FOUR))
    pairs = list(combinations(found.runs, 2))
    raw = [stats.ttest_rel(*(FOUR["abcd".index(run)] for run in pair)).pvalue for pair in pairs]
    order = np.argsort(raw)
    stepped = np.maximum.accumulate(np.sort(raw) * np.arange(len(raw), 0, -1))
    expected = np.empty(len(raw))
    expected[order] = np.minimum(stepped, 1)
    assert found.p == pytest.approx(expected, rel=1e-9)
    assert [(row["run"], row["other"]) for row in found.rows()] == pairs
    assert found.correction == "holm"


def test_tests_that_correct_by_themselves_take_no_correction() -> None:
    for test in ("one-way", "two-way", "kruskal-wallis", "friedman", "randomised tukey"):
        found = rs.compare(evaluation(FOUR), test, **draws_of(test))
        assert found.correction == "none"
        assert found.p.tolist() == found.results.p.tolist()
        with pytest.raises(ParameterError, match="corrects for all pairs by itself; leave the correction out"):
            rs.compare(evaluation(FOUR), test, "holm", **draws_of(test))


def test_each_run_against_a_baseline() -> None:
    found = rs.compare(evaluation(FOUR), baseline="c", correction="none")
    assert [(row["run"], row["other"]) for row in found.rows()] == [("b", "c"), ("d", "c"), ("a", "c")]
    for row in found.rows():
        first, second = np.array(FOUR["abcd".index(str(row["run"]))]), np.array(FOUR[2])
        assert row["difference"] == pytest.approx(np.mean(first - second))
        assert row["p"] == pytest.approx(stats.ttest_rel(first, second).pvalue)
    assert found.letters() == {}
    summary = {row["run"]: row for row in found.summary()}
    assert summary["c"]["mark"] == "baseline"
    assert summary["b"]["mark"] == "*"
    assert summary["d"]["mark"] == ""
    assert math.isnan(float(str(summary["c"]["p"])))


def test_the_matrix_is_symmetric_with_nothing_on_the_diagonal() -> None:
    found = rs.compare(evaluation(FOUR))
    np.testing.assert_array_equal(found.matrix, found.matrix.T)
    assert np.isnan(np.diag(found.matrix)).all()
    assert np.isnan(found.matrix).sum() == 4


def test_runs_that_share_a_letter_do_not_differ() -> None:
    found = rs.compare(evaluation(FOUR))
    letters = found.letters()
    assert list(letters) == list(found.runs)
    for row in found.rows():
        shared = set(letters[str(row["run"])]) & set(letters[str(row["other"])])
        assert bool(shared) == (not row["significant"])


def test_low_is_good_puts_the_lowest_first() -> None:
    assert rs.compare(evaluation(FOUR, "Residual(RBP(p=0.8))@10")).runs == ("a", "c", "d", "b")


def test_identical_runs_do_not_differ() -> None:
    found = rs.compare(evaluation([FOUR[0], FOUR[0]]))
    assert found.p.tolist() == [1.0]
    assert not found.significant.any()


def test_undefined_values_are_left_out_and_told() -> None:
    values = np.array(FOUR)
    values[1, 2] = math.nan
    found = rs.compare(evaluation(values), correction="none")
    assert found.warnings == ("1 of 6 topics has an undefined value for some run, and was left out where it is",)
    row = next(row for row in found.rows() if {row["run"], row["other"]} == {"a", "b"})
    kept = np.arange(6) != 2
    assert row["topics"] == 5
    assert row["p"] == pytest.approx(stats.ttest_rel(values[1][kept], values[0][kept]).pvalue)


def test_pairs_that_cannot_be_tested_are_told() -> None:
    nan = math.nan
    found = rs.compare(evaluation([[0.5, 0.6, nan, nan], [nan, 0.4, 0.6, 0.5]]))
    assert math.isnan(found.p[0])
    assert not found.significant[0]
    assert found.warnings[0].startswith("1 of 1 pairs could not be tested")


def test_too_few_draws_for_a_correction_are_told() -> None:
    found = rs.compare(evaluation(FOUR), "bootstrap", samples=50)
    assert found.warnings[-1].startswith("50 samples are too few for 6 pairs")
    assert not rs.compare(evaluation(FOUR), "bootstrap", "bh", samples=50).warnings
    # 1 + 1/2 + ... + 1/6 = 2.45 times the smallest p-value, if all pairs have it.
    assert not rs.compare(evaluation(FOUR), "bootstrap", "by", samples=50).warnings
    assert rs.compare(evaluation(FOUR), "bootstrap", "by", samples=48).warnings[-1].startswith("48 samples are too few")


def test_refusals_say_what_to_do() -> None:
    found = evaluation(FOUR)
    with pytest.raises(UnknownNameError, match="test 'studnet'"):
        rs.compare(found, "studnet")
    with pytest.raises(UnknownNameError, match="the evaluation has b, d, c, a"):
        rs.compare(found, baseline="z")
    with pytest.raises(ParameterError, match="must lie between 0 and 1"):
        rs.compare(found, alpha=5)
    with pytest.raises(ParameterError, match="two or more are needed, got 1"):
        rs.compare(evaluation(FOUR[:1]))
    with pytest.raises(ParameterError, match="2 topics or more"):
        rs.compare(evaluation([[0.1], [0.2]]))
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    runs = {"one": {"1": {"a": 1.0}, "2": {"a": 1.0}}, "two": {"1": {"a": 1.0}}}
    two = rs.evaluate(qrels, runs, ["P@1", "AP"], missing="skip")
    with pytest.raises(ParameterError, match=r"the evaluation has 2; choose one, as in evaluation\['P@1'\]"):
        rs.compare(two)
    with pytest.raises(ParameterError, match="not all runs have topics 2: evaluate with missing='zero'"):
        rs.compare(two["AP"])
    assert len(rs.compare(rs.evaluate(qrels, runs, "AP")).values) == 2


def test_topics_are_those_that_were_compared() -> None:
    qrels = {topic: {"a": 1} for topic in "1234"}
    runs = {"one": {topic: {"a": 1.0} for topic in "124"}, "two": {topic: {"b": 1.0} for topic in "14"}}
    found = rs.compare(rs.evaluate(qrels, runs, "P@1", missing="common"))
    assert found.topics == ("1", "4")
    assert len(found.values) == 2
    assert ", 2 topics)." in found.sentence()


def test_a_test_may_be_handed_over_as_it_is() -> None:
    assert rs.compare(evaluation(FOUR), PairedT()).p.tolist() == rs.compare(evaluation(FOUR)).p.tolist()


def test_verdicts_and_what_is_needed_to_find_it_again_go_along() -> None:
    found = rs.compare(evaluation(FOUR, "nDCG@10"), "sign", alpha=0.1)
    assert found.verdict.meaningful
    told = found.rows().provenance
    assert (told["measure"], told["test"], told["alpha"]) == ("nDCG@10", "sign", 0.1)
    assert told["signature"] == "of a test"
    assert rs.compare(evaluation(FOUR, "CG@10"), levels=(0, 1)).verdict.meaningful
    assert not rs.compare(evaluation(FOUR, "CG@10"), levels=(0, 1, 2)).verdict.meaningful
    assert "Holm's correction, alpha 0.1, 6 topics). Meaningful: the sign test" in found.sentence()
    assert str(found).endswith(found.sentence())


def test_all_pairs_at_a_glance() -> None:
    found = rs.compare(evaluation(FOUR))
    lines = [line.split() for line in found.compact_matrix().splitlines()]
    assert [name for name, _ in lines] == list(found.runs)
    signs = np.array([list(row) for _, row in lines])
    assert (np.diag(signs) == "=").all()
    for row in found.rows():
        first, second = found.runs.index(str(row["run"])), found.runs.index(str(row["other"]))
        better, worse = (">", "<") if row["significant"] else (".", ".")  # the first has the higher mean
        assert (signs[first, second], signs[second, first]) == (better, worse)
    low = rs.compare(evaluation(FOUR, "Residual(RBP(p=0.8))@10"))
    assert low.compact_matrix().splitlines()[0].endswith(">")  # the lowest beats the highest


def test_data_frames_hold_a_row_for_each_pair() -> None:
    found = rs.compare(evaluation(FOUR))
    assert found.to_polars()["p"].to_list() == found.p.tolist()
    assert found.to_pandas()["p"].tolist() == found.p.tolist()


matrices = st.lists(st.lists(st.integers(0, 8), min_size=5, max_size=5), min_size=3, max_size=4)


@pytest.mark.parametrize("test", [name for name, kind in known_tests().items() if not kind.needs_baseline])
@settings(max_examples=15, deadline=None)
@given(rows=matrices)
def test_the_order_in_which_runs_are_given_does_not_matter(test: str, rows: list[list[int]]) -> None:
    values = np.array(rows) / 8
    first = rs.compare(evaluation(values), test, **draws_of(test))
    names = "abcd"[: len(rows)][::-1]
    second = rs.compare(evaluation(values[::-1], names=names), test, **draws_of(test))
    assert sorted(first.means) == sorted(second.means)
    if test == "randomised tukey":
        return  # the draws deal values out by place
    for one, other in combinations("abcd"[: len(rows)], 2):
        places = [(found.runs.index(one), found.runs.index(other)) for found in (first, second)]
        assert first.matrix[places[0]] == pytest.approx(second.matrix[places[1]], rel=1e-9)


def test_real_runs_agree_with_scipy() -> None:
    from rankscale import sample

    folder = Path(sample.__file__).parent
    runs = sorted(map(str, (folder / "runs").iterdir()))[:8]
    found = rs.compare(rs.evaluate(str(folder / "qrels.txt.xz"), runs, "AP"), correction="none")
    columns = dict(zip(found.runs, found.values.T, strict=True))
    for row in found.rows():
        expected = stats.ttest_rel(columns[str(row["run"])], columns[str(row["other"])])
        assert row["p"] == pytest.approx(expected.pvalue, rel=1e-9)
        assert (row["lower"], row["upper"]) == pytest.approx(tuple(expected.confidence_interval()), rel=1e-9)
    assert list(found.means) == sorted(found.means, reverse=True)
