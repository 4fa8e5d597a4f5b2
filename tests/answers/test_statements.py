"""Statements: what is said, what supports it, and how it reads."""

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rankscale as rs
from rankscale.answers.outcomes import against
from rankscale.answers.statement import Statement
from rankscale.answers.statements import statements
from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.parser import parse
from rankscale.scales.interval import NotKnown, interval_evaluation, interval_version
from rankscale.stats.tests.base.test import p_text
from rankscale.stats.tests.register import known_tests


def evaluation(values: object, measure: str = "P@10") -> Evaluation:
    """An evaluation of runs a, b ... with these values, (run, topic)."""
    table: Floats = np.array(values, dtype=np.float64)
    runs, topics = table.shape
    return Evaluation(
        measures=(parse(measure),),
        runs=tuple("abcdefgh"[:runs]),
        topics=tuple(map(str, range(topics))),
        values=table[None],
        retrieved=np.ones(table.shape, dtype=bool),
    )


def said(values: object, measure: str = "P@10", test: str = "student", **how: object) -> Statement:
    """The statement about two runs."""
    (made,) = statements(rs.compare(evaluation(values, measure), test, "none", **how))  # type: ignore[arg-type]
    return made


CLEAR = [[0.5, 0.6, 0.7, 0.9, 0.4, 0.8], [0.1, 0.3, 0.2, 0.5, 0.1, 0.4]]


def test_a_clear_difference_reads_well() -> None:
    made = said(CLEAR)
    first, second = np.array(CLEAR)
    expected = stats.ttest_rel(first, second)
    low, high = expected.confidence_interval(0.95)
    assert str(made) == (
        f"a is better than b in mean P@10 ({first.mean():.4f} against {second.mean():.4f}, 6 topics)\n"
        f"  significant (Student's paired t test, {p_text(expected.pvalue, 0.05)}, this pair alone); "
        f"difference {np.mean(first - second):.4g} (95% interval {low:.4g} to {high:.4g})\n"
        "  topic by topic: better on 6, worse on 0, equal on 0 (sign test p = 0.031, this pair alone)"
    )
    assert str(made.verdict) == "Meaningful: P@10 is an interval measure"
    assert made.why == (
        "Meaningful: the mean asks for an interval scale, and P@10 is on one. "
        "Meaningful: Student's paired t test asks for an interval scale, and P@10 is on one."
    )
    assert made.interval.words == "the same, as P@10 is on one itself"
    assert (made.kind, made.runs, made.on_interval, made.by_topic.agrees) == ("better", ("a", "b"), True, True)


def test_the_correction_is_named() -> None:
    made = statements(rs.compare(evaluation([*CLEAR, [0.0] * 6])))
    assert all(" pairs, Holm);" in str(one) for one in made)
    assert all("(this pair alone: p " in str(one) for one in made)
    (first, *_) = statements(rs.compare(evaluation([*CLEAR, [0.0] * 6]), "friedman"))
    assert "(Friedman's test with Tukey's HSD, p = " in str(first)
    assert "difference 1 in mean rank" in str(first)


def test_what_is_not_significant_cannot_be_told_apart() -> None:
    made = said([[0.5, 0.2, 0.4, 0.3], [0.3, 0.4, 0.2, 0.4]])
    assert made.sentence == "a and b cannot be told apart in mean P@10 (0.3500 against 0.3250, 4 topics)"
    assert (made.kind, made.by_topic.agrees) == ("not told apart", True)
    assert str(made).splitlines()[1].startswith("  not significant (Student's paired t test, p = ")


def test_low_values_are_better_where_low_is_good() -> None:
    made = said(CLEAR, "Residual(RBP(p=0.8))@10")
    assert made.sentence.startswith("b is better than a in mean Residual(RBP)@10 (0.2667 against 0.6500")
    assert made.outcome.difference < 0 < made.by_topic.wins
    assert (made.by_topic.wins, made.by_topic.losses, made.by_topic.agrees) == (6, 0, True)


def test_without_a_direction_nothing_is_better() -> None:
    made = said(CLEAR, "CRP@10")
    assert made.kind == "higher"
    assert made.sentence.startswith("a is higher than b in mean CRP@10")
    assert "higher on 6, lower on 0, equal on 0" in str(made)
    assert "better" not in str(made)


def test_sums_and_geometric_means_are_called_so() -> None:
    assert "in total NumRelRet (39 against 16, 6 topics)" in said(10 * np.array(CLEAR), "NumRelRet").sentence
    assert "in geometric mean GMAP" in said(CLEAR, "GMAP").sentence
    first, second = (np.exp(np.mean(np.log(values))) for values in CLEAR)
    assert f"ratio {first / second:.4g} of geometric means (95%" in str(said(CLEAR, "GMAP"))


def test_a_test_that_contradicts_the_mean_is_heard() -> None:
    values = [[0.9, *[0.1] * 9], [0.0, *[0.15] * 9]]  # one topic makes the mean, nine go the other way
    made = said(values, test="sign")
    assert made.kind == "contrary"
    assert made.sentence.startswith("a is better than b in mean P@10")
    assert made.sentence.endswith(", but the sign test finds b better")
    assert made.by_topic.agrees is None
    same = said([[0.75, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, *[0.125] * 6]], test="sign", alpha=0.2)
    assert same.sentence.startswith("a and b have the same mean P@10 (0.1071 against 0.1071, 7 topics), but")
    assert same.sentence.endswith("finds b better")


def test_means_and_counts_are_over_topics_that_both_have() -> None:
    values = np.array([[0.9, 0.5, 0.6, 0.7], [math.nan, 0.4, 0.6, 0.5]])
    made = said(values)
    assert made.outcome.topics == 3
    assert made.outcome.means == pytest.approx((0.6, 0.5))
    assert (made.by_topic.wins, made.by_topic.losses, made.by_topic.ties) == (2, 0, 1)


def test_tests_of_all_runs_together_leave_a_topic_out_for_all() -> None:
    found = evaluation([[0.9, 0.5, 0.6, 0.7], [0.3, 0.4, 0.6, 0.5], [math.nan, 0.1, 0.2, 0.3]])
    made = statements(rs.compare(found, "two-way"), pairs="all")
    assert {one.outcome.topics for one in made} == {3}
    first = next(one for one in made if one.runs == ("a", "b"))
    assert first.outcome.means == pytest.approx((0.6, 0.5))


def test_a_pair_without_enough_topics_was_not_tested() -> None:
    nan = math.nan
    found = evaluation([[0.5, 0.6, nan, nan], [nan, 0.4, 0.6, 0.5]])
    (made,) = statements(rs.compare(found))
    assert made.sentence == "a and b were not tested in mean P@10 (0.6000 against 0.4000, 1 topic)"
    assert "too few topics" in str(made)
    assert (made.kind, made.by_topic.agrees) == ("not tested", None)
    outcome: Any = made.to_dict()["outcome"]
    assert outcome["p"] is None


# Which pairs


FOUR = [[0.9, 0.8, 0.7], [0.6, 0.5, 0.7], [0.5, 0.4, 0.5], [0.1, 0.2, 0.0]]


def test_neighbours_leader_and_all() -> None:
    compared = rs.compare(evaluation(FOUR))
    assert [one.runs for one in statements(compared)] == list(pairwise("abcd"))
    assert [one.runs for one in statements(compared, pairs="leader")] == [("a", other) for other in "bcd"]
    assert len(statements(compared, pairs="all")) == 6
    with pytest.raises(ParameterError, match="pairs must be one of 'neighbours', 'all', 'leader', got 'some'"):
        statements(compared, pairs="some")


def test_a_baseline_is_set_against_each_run() -> None:
    compared = rs.compare(evaluation(FOUR), baseline="c")
    for one in statements(compared):
        assert "c" in one.runs
        assert one.outcome.means[0] >= one.outcome.means[1]
    assert {"".join(one.runs) for one in statements(compared)} == {"ac", "bc", "cd"}


# The interval version


def scaled(values: object) -> Evaluation:
    return evaluation(values, "Interval(DCG@10)")


def on_interval(values: object, there: object) -> Statement:
    (made,) = statements(rs.compare(evaluation(values, "DCG@10")), interval=scaled(there))
    return made


@pytest.mark.parametrize(
    ("values", "there", "holds", "words"),
    [
        (CLEAR, CLEAR, True, "the same"),
        (CLEAR, CLEAR[::-1], False, "reversed, b is better"),
        (CLEAR, [[0.5, 0.2] * 3, [0.3, 0.5] * 3], False, "reversed"),  # significant, and reversed without being so
        ([[0.5, 0.3] * 3, [0.3, 0.4] * 3], [[0.5, 0.2] * 3, [0.3, 0.5] * 3], False, "reversed"),  # neither significant
        ([[0.5, 0.3] * 3, [0.3, 0.4] * 3], CLEAR[::-1], False, "reversed, b is better"),
        (CLEAR, [[0.5, 0.2] * 3, [0.3, 0.4] * 3], False, "no difference"),
        ([[0.5, 0.2] * 3, [0.3, 0.4] * 3], [[0.5, 0.2] * 3, [0.3, 0.4] * 3], True, "the same"),
        ([[0.5, 0.2] * 3, [0.3, 0.4] * 3], CLEAR, False, "not the same, a is better"),
    ],
)
def test_whether_it_holds_on_the_interval_scale(values: object, there: object, holds: object, words: str) -> None:
    made = on_interval(values, there)
    assert (made.on_interval, made.interval.words) == (holds, words)
    assert f"on the interval version: {words} (" in str(made)
    assert made.mean_verdict.kind == "interval version"
    assert made.interval.mean_verdict is not None
    assert made.interval.mean_verdict.meaningful


def test_a_comparison_serves_as_well_as_an_evaluation() -> None:
    compared = rs.compare(evaluation(CLEAR, "DCG@10"), baseline="b")
    other = rs.compare(scaled(CLEAR), baseline="b")
    assert str(statements(compared, interval=other)[0]) == str(statements(compared, interval=scaled(CLEAR))[0])


def test_topics_without_an_interval_scale_are_counted() -> None:
    made = on_interval(CLEAR, np.where(np.arange(6) == 2, math.nan, np.array(CLEAR)))
    assert ", 5 topics, p = " in str(made)


def test_what_is_not_known_says_why() -> None:
    (made,) = statements(rs.compare(evaluation(CLEAR, "DCG@10")))
    assert (made.on_interval, made.interval.words) == (None, "not known, as it was not evaluated")
    (made,) = statements(rs.compare(evaluation(CLEAR, "AP")))
    assert (made.on_interval, made.interval.words) == (None, "not known, as no length is fixed")
    (made,) = statements(rs.compare(evaluation(CLEAR, "R@10")))  # topics have scales of their own
    assert made.on_interval is None
    (made,) = statements(rs.compare(evaluation(CLEAR, "DCG@10")), interval=scaled(np.full((2, 6), math.nan)))
    assert made.on_interval is None


def test_other_runs_or_measures_are_refused() -> None:
    compared = rs.compare(evaluation(CLEAR, "DCG@10"))
    with pytest.raises(ParameterError, match="for the same runs"):
        statements(compared, interval=scaled(FOUR))
    with pytest.raises(ParameterError, match=r"is Interval\(DCG@10\), got Interval\(DCG@5\)"):
        statements(compared, interval=evaluation(CLEAR, "Interval(DCG@5)"))
    with pytest.raises(ParameterError, match=r"got DCG@10"):
        statements(compared, interval=evaluation(CLEAR, "DCG@10"))


QRELS = {str(topic): {"a": 1, "b": 0, "c": 1} for topic in range(4)}
RUNS = {
    "good": {topic: {"a": 3, "c": 2, "b": 1} for topic in QRELS},
    "bad": {topic: {"a": 2, "c": 1, "b": 3} for topic in QRELS},
}


def test_interval_versions_are_evaluated_where_a_length_is_fixed() -> None:
    found = interval_evaluation(QRELS, RUNS, "DCG@3")
    assert isinstance(found, Evaluation)
    assert [str(one) for one in found.measures] == ["Interval(DCG@3)"]
    (made,) = statements(rs.compare(rs.evaluate(QRELS, RUNS, "DCG@3")), interval=found)
    assert made.on_interval is True
    assert interval_evaluation(QRELS, RUNS, "AP") == NotKnown("no length is fixed")
    assert interval_evaluation(QRELS, RUNS, "RelRel@5") == NotKnown("it looks at scores")
    undefined = interval_evaluation(QRELS, RUNS, "Accuracy@5")
    assert isinstance(undefined, NotKnown)
    assert "undefined" in undefined.reason


def test_an_evaluation_with_qrels_and_runs_is_all_it_takes() -> None:
    result = rs.evaluate(QRELS, RUNS, ["DCG@3", "R@3", "AP"])
    made = rs.statements(result, QRELS, RUNS)
    for one, name in zip(made, ("DCG@3", "R@3", "AP"), strict=True):
        version = interval_evaluation(QRELS, RUNS, name)
        assert str(one) == str(statements(rs.compare(result[name]), interval=version)[0])
    assert [one.on_interval for one in made] == [True, True, None]
    assert any("Interval(R@3): surrogate" in warning for warning in made.warnings)
    assert not rs.statements(result).warnings
    assert [str(one) for one in rs.statements([rs.compare(result[name]) for name in ("DCG@3", "R@3")])] == [
        str(one) for one in rs.statements(result)[:2]
    ]


def test_an_interval_version_among_the_measures_is_used() -> None:
    result = rs.evaluate(QRELS, RUNS, ["DCG@3", "Interval(DCG@3)"])
    assert [str(one) for one in rs.statements(result)] == [
        str(one) for one in rs.statements(result["DCG@3"], QRELS, RUNS)
    ]


def test_topics_that_runs_lack_count_as_they_did() -> None:
    part = {**RUNS, "bad": {topic: RUNS["bad"][topic] for topic in list(QRELS)[:3]}}
    result = rs.evaluate(QRELS, part, "DCG@3", missing="common")
    (made,) = rs.statements(result, QRELS, part, missing="common")
    assert made.interval.outcome is not None
    assert made.interval.outcome.topics == made.outcome.topics == 3


def test_a_caution_is_given_once_with_what_the_interval_version_changes() -> None:
    start = "Caution: DCG@10 is an ordinal measure, so its mean and Student's paired t test assume equal steps."
    compared = rs.compare(evaluation([*CLEAR, [0.0] * 6], "DCG@10"))
    same, other = ([*CLEAR, [0.0] * 6], [*CLEAR, CLEAR[1]])
    made = statements(compared, interval=scaled(same))
    assert made.cautions() == [f"{start} On its interval version the conclusions are the same."]
    assert str(made) == "\n\n".join([*made.cautions(), *map(str, made)])
    (caution,) = statements(compared, interval=scaled(other)).cautions()
    assert caution == f"{start} On its interval version 1 of 2 conclusions differs."
    assert said(CLEAR, "DCG@10").why.count("Meaningful only on the interval version: ") == 2
    assert on_interval(CLEAR, CLEAR[::-1]).on_interval is False
    (caution,) = statements(rs.compare(evaluation(CLEAR, "DCG@10")), interval=scaled(CLEAR[::-1])).cautions()
    assert caution == f"{start} On its interval version the conclusion is reversed."
    (caution,) = statements(compared, interval=scaled([*CLEAR[::-1], [0.0] * 6])).cautions()
    assert caution == f"{start} On its interval version 1 of 2 conclusions differs, 1 of them with means reversed."
    (caution,) = statements(rs.compare(evaluation(CLEAR, "RHL@10"))).cautions()
    assert caution.endswith("assume equal steps. It has no interval version.")
    assert statements(rs.compare(evaluation(CLEAR))).cautions() == []


@pytest.mark.parametrize("given", ["AP", 7, None, [], [None]])
def test_what_is_no_result_is_refused(given: Any) -> None:
    with pytest.raises(ParameterError, match="statements takes an evaluation or comparisons"):
        statements(given)


def test_qrels_come_with_runs() -> None:
    for keywords in ({"qrels": QRELS}, {"depth": 2}):
        with pytest.raises(ParameterError, match="qrels, runs and options together"):
            statements(rs.compare(evaluation(CLEAR)), **keywords)


def test_options_are_those_of_the_evaluation() -> None:
    qrels, runs = {"1": {"a": 1}, "2": {"a": 1}}, {"x": {"1": {"a": 1}, "2": {"b": 1}}, "y": {"1": {"b": 1}}}
    result = rs.evaluate(qrels, runs, "RR@3", depth=2)
    with pytest.raises(ParameterError, match=r"give the options of the evaluation, .*depth:2"):
        statements(result, qrels, runs)
    assert len(statements(result, qrels, runs, depth=2)) == 1


def test_interval_version() -> None:
    assert str(interval_version("nDCG@5")) == "Interval(nDCG@5)"
    assert interval_version("AP") is None
    assert interval_version("Interval(AP@5)") is None


# JSON and words


def test_statements_are_json() -> None:
    made = on_interval(CLEAR, CLEAR)
    told = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    assert told["sentence"] == made.sentence
    assert told["measure"] == "DCG@10"
    assert told["test"] == "student"
    assert told["interval"]["measure"] == "Interval(DCG@10)"
    assert told["interval"]["outcome"]["means"] == list(made.outcome.means)
    assert told["by_topic"] == {"wins": 6, "losses": 0, "ties": 0, "p": 2 / 64, "agrees": True}
    assert told["mean_verdict"]["kind"] == "interval version"


@given(st.floats(0, 1), st.sampled_from([0.01, 0.05, 0.1]))
def test_a_p_value_is_shown_on_its_side_of_alpha(p: float, alpha: float) -> None:
    shown = p_text(p, alpha)
    assert (float(shown.split()[-1]) < alpha) == (p < alpha)


@given(st.floats(0, 1), st.floats(0, 1))
def test_means_look_different_where_they_are(first: float, second: float) -> None:
    one, other = against((first, second)).split(" against ")
    if abs(first - second) > 1e-15:
        assert one != other
        assert (float(one) > float(other)) == (first > second)


# Laws, for every test

values_of_three = st.lists(st.lists(st.integers(0, 10), min_size=3, max_size=3), min_size=4, max_size=9)


@pytest.mark.parametrize("test", [name for name, kind in known_tests().items() if not kind.needs_baseline])
@settings(max_examples=20, deadline=None)
@given(rows=values_of_three)
def test_statements_agree_with_their_comparison(test: str, rows: list[list[int]]) -> None:
    values = np.array(rows, dtype=np.float64).T
    more: dict[str, Any] = {"samples": 99} if test in {"bootstrap", "randomisation", "randomised tukey"} else {}
    compared = rs.compare(evaluation(values), test, **more)
    for one in statements(compared, pairs="all"):
        first, second = (compared.values[:, compared.runs.index(run)] for run in one.runs)
        assert one.outcome.means == (first.sum() / len(rows), second.sum() / len(rows))
        assert one.outcome.means[0] >= one.outcome.means[1]
        counts = tuple(int(np.count_nonzero(which)) for which in (first > second, first < second, first == second))
        assert (one.by_topic.wins, one.by_topic.losses, one.by_topic.ties) == counts
        wins, losses, _ = counts
        p = stats.binomtest(wins, wins + losses).pvalue if wins + losses else 1.0
        assert one.by_topic.p == pytest.approx(p, rel=1e-12)
        row = compared.matrix[compared.runs.index(one.runs[0]), compared.runs.index(one.runs[1])]
        assert one.outcome.p == row
        assert one.outcome.significant == (row < compared.alpha)
        assert (one.kind == "not told apart") == (not one.outcome.significant)
        if test in {"student", "one-way", "two-way", "bootstrap", "randomisation", "randomised tukey"}:
            assert one.kind != "contrary"  # they compare means
        if one.outcome.lower is not None and one.outcome.upper is not None:
            assert one.outcome.lower <= one.outcome.difference <= one.outcome.upper
        json.dumps(one.to_dict(), allow_nan=False)


@settings(max_examples=20, deadline=None)
@given(rows=values_of_three)
def test_the_mirror_of_a_measure_says_the_same_of_the_other(rows: list[list[int]]) -> None:
    """Where low is good, values with the other sign make the same statements."""
    values = np.array(rows, dtype=np.float64).T
    high = statements(rs.compare(evaluation(values, "P@10")), pairs="all")
    low = statements(rs.compare(evaluation(-values, "Residual(RBP(p=0.8))@10")), pairs="all")
    for one, other in zip(high, low, strict=True):
        assert (one.runs, one.kind, one.by_topic) == (other.runs, other.kind, other.by_topic)
        assert one.outcome.difference == -other.outcome.difference


def test_real_runs() -> None:
    from rankscale import sample

    folder = Path(sample.__file__).parent
    qrels, runs = str(folder / "qrels.txt.xz"), sorted(map(str, (folder / "runs").iterdir()))[:6]
    found = rs.evaluate(qrels, runs, ["DCG@5", "Interval(DCG@5)"])
    compared = rs.compare(found["DCG@5"], "wilcoxon")
    for one in statements(compared, interval=found, pairs="all"):  # the version is found among other measures
        assert one.interval.outcome is not None
        assert one.on_interval is not None
        assert one.test_verdict.kind == "interval version"
        assert one.interval.outcome.topics == one.outcome.topics == 50
    turned = replace(found, runs=found.runs[::-1], values=found.values[:, ::-1], retrieved=found.retrieved[::-1])
    again = statements(rs.compare(turned["DCG@5"], "wilcoxon"), interval=turned, pairs="all")
    assert {str(one) for one in again} == {str(one) for one in statements(compared, interval=found, pairs="all")}


def one_relevant(first: int, second: int) -> dict[str, dict[str, float]]:
    """Two topics with the relevant document at these ranks of four."""
    places = {"1": first, "2": second}
    return {
        topic: {"d" if rank == at else f"x{rank}": 10.0 - rank for rank in range(1, 5)} for topic, at in places.items()
    }


def test_example_9_of_ferrante_ferro_and_fuhr_is_reversed() -> None:
    """MRR .625 against .5, mean ranks 2.5 against 2: on the interval scale of RR A is below B, .625 against .75."""
    qrels, runs = {"1": {"d": 1}, "2": {"d": 1}}, {"A": one_relevant(1, 4), "B": one_relevant(2, 2)}
    result = rs.evaluate(qrels, runs, ["RR@4"])
    (made,) = rs.statements(result, qrels, runs)
    assert made.outcome.means == (0.625, 0.5)
    assert made.interval.outcome is not None
    assert made.interval.outcome.means == (0.625, 0.75)
    assert (made.on_interval, made.interval.words, made.interval.reversed) == (False, "reversed", True)
    assert "on the interval version: reversed (0.6250 against 0.7500, p = " in str(made)
    assert "the same" not in str(rs.statements(result, qrels, runs))
    assert made.to_dict()["interval"]["reversed"] is True  # type: ignore[index]
    changed = rs.changes(qrels, runs, "RR@4", ["student", "sign"])
    assert changed.table().columns["reversed"] == [1, 1]
    (row,) = changed.table("reversals")
    assert (row["run"], row["other"], row["mean"], row["other_mean"]) == ("A", "B", 0.625, 0.5)
    assert (row["interval_mean"], row["other_interval_mean"]) == (6 - 2.5, 6 - 2)  # ranks from below, of 5 values
    assert rs.intervals(qrels, runs, "RR@4").table().columns["reversed"] == [1]
    assert "On the interval version: reversed (p = " in rs.diff(qrels, runs, "RR@4").sentence()
