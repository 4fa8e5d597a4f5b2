"""Groups of topics: the worked example, an independent computation, and files of groups."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.errors import DuplicateError, FormatError, InputError, ParameterError, UnknownNameError
from rankscale.stats.corrections import correct
from rankscale.stats.resampling.groups import interaction
from rankscale.stats.tests.random_draws import Randomisation

A = (0.7, 0.75, 0.3, 0.2, 0.4, 0.3, 0.5, 0.25)
B = (0.5, 0.6, 0.4, 0.3, 0.4, 0.45, 0.55, 0.4)
GROUPS = {str(topic): "x" if topic <= 2 else "y" for topic in range(1, 9)}


def example(**more: tuple[float, ...]) -> rs.Evaluation:
    runs = {"A": A, "B": B, **more}
    values = {run: {str(t): value for t, value in enumerate(of, start=1)} for run, of in runs.items()}
    return rs.read_values(values, measure="P@20")


def test_the_worked_example() -> None:
    made = rs.topic_groups(example(), GROUPS)
    assert made.groups == ("x", "y")
    assert made.difference[0, :, 0] == pytest.approx([0.175, -0.091667], abs=5e-7)
    assert made.p_uncorrected[0, :, 0] == pytest.approx([0.090334, 0.012107], abs=5e-7)
    assert made.micro[0, 0] - made.micro[0, 1] == pytest.approx(-0.025)
    assert made.macro[0, 0] - made.macro[0, 1] == pytest.approx(0.041667, abs=5e-7)
    (test,) = made.interactions
    assert test is not None
    assert (test.between, test.error) == pytest.approx((0.053333, 0.009167), abs=5e-7)
    assert test.df == (1, 6)
    assert (test.f, test.p) == pytest.approx((34.909091, 0.001045), abs=5e-7)
    (cells,) = rs.topic_groups(example(), GROUPS, error="cells").interactions
    assert cells is not None
    assert cells.df == (1, 12)
    assert (cells.f, cells.p) == pytest.approx((6.508475, 0.025411), abs=5e-7)
    assert "P@20: A and B: means over topics and means of groups order them the other way round" in made.warnings


def test_p_values_are_corrected_over_all_groups_or_within_each() -> None:
    evaluation = example(C=(0.6, 0.5, 0.35, 0.4, 0.3, 0.5, 0.45, 0.2))
    together, within = (rs.topic_groups(evaluation, GROUPS, family=family) for family in ("all", "group"))
    alone = together.p_uncorrected[0]
    assert together.p[0].ravel().tolist() == correct(alone.ravel(), "holm").tolist()
    assert within.p[0].tolist() == [correct(of_group, "holm").tolist() for of_group in alone]
    oracle = stats.ttest_rel(A[2:], B[2:]).pvalue
    assert alone[1, 0] == pytest.approx(oracle, rel=1e-12)


def test_the_interaction_of_two_runs_is_the_one_way_analysis_of_their_differences() -> None:
    draws = np.random.default_rng(1)
    values, groups = draws.random((30, 2)), draws.integers(0, 3, 30)
    test = interaction(values, groups)
    difference = values[:, 0] - values[:, 1]
    oracle = stats.f_oneway(*(difference[groups == group] for group in range(3)))
    assert (test.f, test.p) == pytest.approx((oracle.statistic, oracle.pvalue), rel=1e-10)


def test_the_interaction_is_that_of_nested_linear_models() -> None:
    """Least squares with and without the terms of the interaction, topics as blocks."""
    draws = np.random.default_rng(2)
    topics, runs, kinds = 14, 4, 3
    groups, values = np.arange(topics) % kinds, draws.random((topics, runs))
    t, s = (one.ravel() for one in np.meshgrid(np.arange(topics), np.arange(runs), indexing="ij"))
    plain = np.hstack([np.eye(topics)[t], np.eye(runs)[s]])
    full = np.hstack([plain, np.eye(kinds * runs)[groups[t] * runs + s]])

    def residuals(design: Any) -> tuple[float, int]:
        fitted = design @ np.linalg.lstsq(design, values.ravel(), rcond=None)[0]
        return float(((values.ravel() - fitted) ** 2).sum()), int(np.linalg.matrix_rank(design))

    (without, few), (rest, many) = residuals(plain), residuals(full)
    test = interaction(values, groups)
    assert test.df == (many - few, topics * runs - many)
    assert (test.between, test.error) == pytest.approx((without - rest, rest), rel=1e-9)


def test_no_error_gives_an_infinite_or_undefined_f() -> None:
    groups = np.array([0, 0, 1, 1])
    assert interaction(np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]]), groups).f == np.inf
    assert np.isnan(interaction(np.array([[1.0, 0], [1, 0], [1, 0], [1, 0]]), groups).f)
    with pytest.raises(ParameterError, match="two groups, two runs and more topics than groups"):
        interaction(np.ones((2, 2)), np.array([0, 1]))


def test_topics_without_a_group_are_counted_and_not_tested() -> None:
    made = rs.topic_groups(example(), {topic: group for topic, group in GROUPS.items() if topic != "8"} | {"99": "z"})
    assert made.groups == ("x", "y", "(none)")
    assert made.members.sum(axis=1).tolist() == [2, 5, 1]
    assert made.difference.shape == (1, 2, 1)
    assert made.micro[0, 0] == pytest.approx(np.mean(A[:7]))
    assert "groups: no topic of the evaluation is in z" in made.warnings


def test_a_group_of_one_topic_has_values_and_no_test() -> None:
    made = rs.topic_groups(example(), {**GROUPS, "8": "z"})
    assert np.isnan(made.p[0, 2, 0])
    assert made.difference[0, 2, 0] == pytest.approx(A[7] - B[7])


def test_a_significant_difference_against_the_overall_one_is_pointed_out() -> None:
    first = (0.9,) * 2 + (0.1, 0.12, 0.11, 0.13)
    second = (0.1,) * 2 + (0.2, 0.23, 0.22, 0.24)
    values = {n: {str(t): v for t, v in enumerate(of)} for n, of in (("A", first), ("B", second))}
    groups = {str(t): "x" if t < 2 else "y" for t in range(6)}
    made = rs.topic_groups(rs.read_values(values, measure="P@100"), groups)
    assert any("significant the other way round than overall in y" in one for one in made.warnings)


def test_files_of_groups(tmp_path: Path) -> None:
    expected = rs.topic_groups(example(), GROUPS).text()
    lines, table = tmp_path / "groups.txt", tmp_path / "topics.csv"
    lines.write_text("".join(f"{topic} {group}\n" for topic, group in GROUPS.items()))
    table.write_text("qid,length,kind\n" + "".join(f"{topic},3,{group}\n" for topic, group in GROUPS.items()))
    assert rs.topic_groups(example(), lines).text() == expected
    assert rs.topic_groups(example(), table, column="kind").text() == expected


REFUSED = {
    "two groups": ("1 x\n1 y\n", None, DuplicateError, "line 2: expected one group for each topic, found x and y"),
    "one word": ("1 x\n2\n", None, FormatError, "line 2: expected lines of a topic and its group"),
    "empty": ("", None, FormatError, "found none"),
    "no column": ("topic,a,b\n1,x,y\n", "c", FormatError, "expected a column 'c', found topic, a, b"),
    "which column": ("topic,a,b\n1,x,y\n", None, FormatError, "several columns could be the group"),
    "other topics": ("q1 x\n", None, InputError, "no topic of the evaluation has a group"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_files_that_are_refused(case: str, tmp_path: Path) -> None:
    text, column, kind, message = REFUSED[case]
    (tmp_path / "groups").write_text(text)
    with pytest.raises(kind, match=message):
        rs.topic_groups(example(), tmp_path / "groups", column=column)


def test_options_that_are_refused() -> None:
    with pytest.raises(ParameterError, match="family must be 'all' or 'group', got 'odd'"):
        rs.topic_groups(example(), GROUPS, family="odd")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="corrects for the pairs of a group by itself"):
        rs.topic_groups(example(), GROUPS, test="two-way")
    assert rs.topic_groups(example(), GROUPS, test="two-way", family="group").correction == "none"


def test_a_baseline_is_compared_with() -> None:
    evaluation = example(C=(0.6, 0.5, 0.35, 0.4, 0.3, 0.5, 0.45, 0.2))
    made = rs.topic_groups(evaluation, GROUPS, baseline="B", confidence=0.9)
    rows = list(made.table("pairs"))
    assert [(row["group"], row["run"], row["other"]) for row in rows] == [
        *(("x", "A", "B"), ("x", "C", "B"), ("y", "A", "B"), ("y", "C", "B"))
    ]
    test = stats.ttest_rel(A[2:], B[2:])
    ends = test.confidence_interval(0.9)
    assert rows[2]["p_uncorrected"] == pytest.approx(test.pvalue, rel=1e-9)
    assert (rows[2]["lower_uncorrected"], rows[2]["upper_uncorrected"]) == pytest.approx((ends.low, ends.high))
    assert rows[2]["p"] == pytest.approx(4 * test.pvalue, rel=1e-9)  # the smallest of four, by Holm
    assert [row["mark"] for row in made.table("groups")] == ["", "baseline", "", "*", "baseline", ""]
    with pytest.raises(UnknownNameError, match="nobody"):
        rs.topic_groups(evaluation, GROUPS, baseline="nobody")


def test_letters_begin_with_the_best_run_of_a_group() -> None:
    rows = {(row["group"], row["run"]): row["letters"] for row in rs.topic_groups(example(), GROUPS).table("groups")}
    assert rows == {("x", "A"): "a", ("x", "B"): "a", ("y", "A"): "b", ("y", "B"): "a"}


def test_too_few_samples_and_groups_without_a_test_are_named() -> None:
    made = rs.topic_groups(example(), {**GROUPS, "8": "z"}, test=Randomisation(samples=20))
    assert any(one.startswith("20 samples are too few for 2 pairs") for one in made.warnings)
    assert "too few topics for the paired randomisation test in z: values without a test" in made.warnings


def test_a_test_that_corrects_by_itself_is_made_within_each_group() -> None:
    evaluation = example(C=(0.6, 0.5, 0.35, 0.4, 0.3, 0.5, 0.45, 0.2))
    made = rs.topic_groups(evaluation, GROUPS, test="two-way", family="group")
    y = rs.compare(evaluation.of_topics("345678"), "two-way")
    pairs = {frozenset((row["run"], row["other"])): row["p"] for row in y.table("pairs")}
    rows = [row for row in made.table("pairs") if row["group"] == "y"]
    assert [row["p"] for row in rows] == pytest.approx([pairs[frozenset((row["run"], row["other"]))] for row in rows])


@pytest.mark.parametrize("family", ["all", "group"])
def test_unknown_corrections_are_named(family: Any) -> None:
    with pytest.raises(UnknownNameError, match="odd"):
        rs.topic_groups(example(), GROUPS, correction="odd", family=family)
