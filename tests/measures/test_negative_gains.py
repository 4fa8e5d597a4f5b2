"""Not relevant documents that cost something: the ideal ranking, and what is measured against it."""

import math
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscale as rs
from rankscale.data.judged import Judged, judged
from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base.parser import parse
from rankscale.trec_eval.quirks import ndcg as trec_eval_ndcg

RELEVANT = "3 3 3 2 2 2 1 1 1 1"  # the example of the CRP paper: R = 10, N = 20
NEGATIVE = "base=2,gains=[-1,1,2,3]"


def value(measure: str, table: Judged) -> float:
    return float(parse(measure).value(table)[0])


def test_the_worked_values_of_the_crp_papers_example() -> None:
    perfect = judged(f"{RELEVANT} {'0 ' * 10}")
    assert round(value(f"DCG({NEGATIVE})@20", perfect), 4) == 9.2758
    assert value(f"nDCG({NEGATIVE})@20", perfect) == 1
    assert value(f"nDCG({NEGATIVE})", perfect) == 1
    unjudged = judged(f"{RELEVANT} {'- ' * 10}")
    assert round(value(f"DCG({NEGATIVE},unjudged=0)@20", unjudged), 4) == 11.8339
    assert value(f"nDCG({NEGATIVE},unjudged=0)@20", unjudged) == 1
    assert round(value(f"nDCG({NEGATIVE},unjudged=0)@20", perfect), 4) == 0.7838


def test_the_example_is_undefined_from_rank_70_on() -> None:
    perfect = judged(f"{RELEVANT} {'0 ' * 90}")
    curve = parse(f"nDCG({NEGATIVE})").curve(perfect)[0]
    assert (curve[:69] == 1).all()
    assert np.isnan(curve[69:]).all()
    assert not np.isnan(parse(f"nDCG({NEGATIVE},unjudged=0)").curve(perfect)).any()


def test_unjudged_documents_and_empty_ranks_cost_what_grade_0_costs() -> None:
    short = judged("3 -", missed="0 2")
    assert value("CG(gains=[-1,1,2,3])@4", short) == 3 - 1 - 1 - 1
    assert value("CG(gains=[-1,1,2,3],unjudged=0)@4", short) == 3
    assert value("nCG(gains=[-1,1,2,3])@4", short) == 0 / (3 + 2 - 1 - 1)
    assert value("nCG(gains=[-1,1,2,3],unjudged=0)@4", short) == 3 / (3 + 2)


def test_a_measure_has_one_name() -> None:
    assert str(parse("nDCG(gains=[-1,1],unjudged=-1)@5")) == "nDCG(gains=[-1,1])@5"
    assert str(parse("DCG(unjudged=0)")) == "DCG"
    assert str(parse("nDCG(gains=[-1,1],unjudged=0)@5")) == "nDCG(gains=[-1,1],unjudged=0)@5"
    assert parse("ndcg.0=-1,1=2") == parse("nDCG(gains={0:-1,1:2},unjudged=0)")  # as trec_eval reads it


def test_trec_eval_keeps_its_ideal_of_positive_gains() -> None:
    """In trec_eval what is not in the qrels gains nothing, and an ideal without a gain makes the value 0."""
    values = trec_eval_ndcg(judged("3 - 0 2", "0 -"), {0: -1})
    assert values.tolist() == pytest.approx([(3 - 1 / 2 + 2 / math.log2(5)) / (3 + 2 / math.log2(3)), 0], abs=1e-15)


# An independent program: plain lists, rank by rank.

GRADES = ["0", "1", "2", "3", "-"]
gain_lists = st.tuples(*(st.sampled_from([-3, -1, -0.5, 0, 0.5, 1, 2, 4]) for _ in range(4)))
unjudged_gains = st.sampled_from([None, 0, -0.5, -2, 1])
rankings = st.lists(st.sampled_from(GRADES), max_size=9)
missed_grades = st.lists(st.sampled_from("0123"), max_size=5)


def slow_sum(gains: list[float], base: float) -> float:
    return sum(gain / max(1.0, math.log(rank, base)) for rank, gain in enumerate(gains, start=1))


def slow_worth(gains: tuple[float, ...], unjudged: float | None) -> dict[str, float]:
    worth = {str(grade): float(gain) for grade, gain in enumerate(gains)}
    return {**worth, "-": min(0.0, worth["0"]) if unjudged is None else float(unjudged)}


def slow_ideal(documents: list[str], worth: dict[str, float], depth: int) -> list[float]:
    """The best of what the topic has, and of as many documents as are wanted that are not relevant or unjudged."""
    endless = max(min(0.0, worth["0"]), worth["-"])
    return sorted([*(worth[grade] for grade in documents), *[endless] * depth], reverse=True)[:depth]


def slow_ratio(ranking: list[str], missed: list[str], worth: dict[str, float], base: float, depth: int) -> float:
    met = [worth[grade] for grade in [*ranking, *["-"] * depth][:depth]]
    ideal = slow_sum(slow_ideal([*(one for one in ranking if one != "-"), *missed], worth, depth), base)
    if ideal <= 0:
        return math.nan if min(worth.values()) < 0 else 0.0
    return slow_sum(met, base) / ideal


@settings(max_examples=300, deadline=None)
@given(
    ranking=rankings,
    missed=missed_grades,
    gains=gain_lists,
    unjudged=unjudged_gains,
    base=st.sampled_from([1.5, 2, 4]),
    depth=st.integers(1, 14),
)
def test_ratios_are_those_of_a_plain_program(  # one for each thing that is drawn
    ranking: list[str], missed: list[str], gains: tuple[float, ...], unjudged: float | None, base: float, depth: int
) -> None:
    worth = slow_worth(gains, unjudged)
    table = judged(" ".join(ranking), missed=" ".join(["3", *missed]))  # so that grades have places 0 to 3
    free = "" if unjudged is None else f",unjudged={unjudged}"
    for measure, discount in (
        (f"nDCG(base={base},gains={list(gains)}{free})", base),
        (f"nCG(gains={list(gains)}{free})", 99),
    ):
        expected = slow_ratio(ranking, ["3", *missed], worth, discount, depth)
        ours = value(f"{measure}@{depth}", table)
        if abs(slow_sum(slow_ideal([*(g for g in ranking if g != "-"), "3", *missed], worth, depth), discount)) < 1e-9:
            continue  # rounding decides which side of 0 it is on
        np.testing.assert_allclose(ours, expected, rtol=1e-11, atol=1e-11)
    sums = value(f"DCG(base={base},gains={list(gains)}{free})@{depth}", table)
    assert sums == pytest.approx(slow_sum([worth[g] for g in [*ranking, *["-"] * depth][:depth]], base), abs=1e-11)


@settings(max_examples=200, deadline=None)
@given(ranking=rankings, missed=missed_grades, gains=gain_lists, unjudged=unjudged_gains, depth=st.integers(1, 14))
def test_no_ranking_beats_the_ideal(
    ranking: list[str], missed: list[str], gains: tuple[float, ...], unjudged: float | None, depth: int
) -> None:
    table = judged(" ".join(ranking), missed=" ".join(["3", *missed]))
    free = "" if unjudged is None else f",unjudged={unjudged}"
    for measure in (f"nDCG(gains={list(gains)}{free})", f"nCG(gains={list(gains)}{free})@{depth}"):
        ours = value(measure, table)
        assert ours <= 1 + 1e-12 or math.isnan(ours)


def test_the_ideal_is_the_best_of_all_rankings_of_a_small_topic() -> None:
    documents = ["0", "0", "1", "2", "3"]
    for gains, unjudged in product([(-1, 1, 2, 3), (-2, -1, 0, 4), (-1, 0, 0, 1)], [None, 0, -3]):
        worth, depth = slow_worth(gains, unjudged), 4
        pool = [*documents, "-", "-", "-", "-"]
        best = max(
            slow_sum([worth[g] for g in order], 2) for some in combinations(pool, depth) for order in permutations(some)
        )
        free = "" if unjudged is None else f",unjudged={unjudged}"
        curve = rs.curves(
            {"1": {f"d{place}": int(grade) for place, grade in enumerate(documents)}},
            {"mine": {"1": {"d0": 1.0}}},
            f"DCG(base=2,gains={list(gains)}{free})",
            depth=depth,
            ideal=True,
        ).by_run("1")["ideal"]
        # Where unjudged documents cost more, the ideal takes as many not relevant ones as it needs.
        assert curve[-1] == pytest.approx(best, abs=1e-12)


@settings(max_examples=100, deadline=None)
@given(
    relevant=st.lists(st.sampled_from("123"), min_size=1, max_size=8), more=st.lists(st.sampled_from("0-"), max_size=8)
)
def test_a_perfect_ranking_followed_by_not_relevant_documents_equals_the_ideal(
    relevant: list[str], more: list[str]
) -> None:
    perfect = judged(" ".join([*sorted(relevant, reverse=True), *more]), missed="0 0")
    every = perfect.every_rank(len(relevant) + len(more) + 3)  # also below its end
    for measure in ("nDCG(gains={0:-1})", "nCG(gains={0:-1})", "nDCG(base=2,gains={0:-0.1})"):
        curve = parse(measure).curve(every)[0]
        assert (np.isnan(curve) | (curve == 1)).all()
        assert (curve[: len(relevant)] == 1).all()


@settings(max_examples=100, deadline=None)
@given(ranking=rankings, missed=missed_grades, gains=st.tuples(st.just(0), *(st.integers(0, 5) for _ in range(3))))
def test_with_gain_0_for_grade_0_nothing_changes(ranking: list[str], missed: list[str], gains: tuple[int, ...]) -> None:
    table = judged(" ".join(ranking), missed=" ".join(["3", *missed]))
    all_gains = sorted((gains[int(g)] for g in [*ranking, "3", *missed] if g != "-"), reverse=True)
    met = [0 if g == "-" else gains[int(g)] for g in ranking]
    ideal = slow_sum([float(gain) for gain in all_gains], 2)
    expected = slow_sum([float(gain) for gain in met], 2) / ideal if ideal else 0.0
    assert value(f"nDCG(base=2,gains={list(gains)})", table) == pytest.approx(expected, abs=1e-13)


def test_an_interval_version_is_undefined_where_the_measure_is() -> None:
    table = judged("3 0 0 0 0 0", f"{RELEVANT}")
    values = parse("Interval(nDCG(base=2,gains=[-2,1,2,3])@6)").value(table)
    assert np.isnan(values[0])
    assert values[1] > 0.9
    with pytest.raises(ScaleError, match="undefined on a topic with these documents"):
        rs.scale("nDCG(base=2,gains=[-1,1])@6", counts=[5, 1])
    # Over all rankings nDCG has the order of DCG, whatever documents cost.
    dcg, ndcg = (rs.scale(f"{name}(base=2,gains=[-1,1])@6", counts=[5, 9]) for name in ("DCG", "nDCG"))
    every = list(product([0, 1], repeat=6))
    assert dcg.ranks(every) == ndcg.ranks(every)


QRELS = {"1": {f"d{place}": grade for place, grade in enumerate(map(int, RELEVANT.split()))}, "2": {"d0": 3, "d1": 0}}
RUN = {"mine": {topic: {"d0": 2.0, "d1": 1.0} for topic in QRELS}}


def test_topics_without_a_value_are_counted_and_all_of_them_are_an_error() -> None:
    evaluation = rs.evaluate(QRELS, RUN, f"nDCG({NEGATIVE})@20")
    assert evaluation.means().counted.tolist() == [[1]]
    assert "undefined for 1 of 2 rankings (negative gains outweigh" in " ".join(map(str, evaluation.notices))
    with pytest.raises(
        ParameterError, match=r"undefined on every topic of .*deepest usable depth is 69 \(6 for a value"
    ):
        rs.evaluate(QRELS, RUN, f"nDCG({NEGATIVE})@100")
    with pytest.raises(ParameterError, match="deepest usable depth is 69"):
        rs.evaluate(QRELS, RUN, f"AvgPos(nDCG({NEGATIVE}))@100")
    with pytest.raises(ParameterError, match="no topic has a document with a positive gain"):
        rs.curves(QRELS, RUN, "nCG(gains=[-1,-1,0,0])")
    with pytest.raises(ParameterError, match="undefined on every topic requested: some gains are negative"):
        rs.curves({**QRELS, "3": {"d0": 0}}, RUN, f"nDCG({NEGATIVE})", topics=["3"], missing="zero")
    curves = rs.curves(QRELS, RUN, f"nDCG({NEGATIVE})", depth=20, ideal=True)
    assert any("undefined at rank 20 for 1 of 2 rankings (negative gains" in warning for warning in curves.warnings)
    for depth, there in ((69, True), (70, False)):
        assert np.isfinite(value(f"nDCG({NEGATIVE})@{depth}", judged(RELEVANT))) == there
    for depth, there in ((6, True), (7, False)):
        assert np.isfinite(value(f"nDCG({NEGATIVE})@{depth}", judged("3 0"))) == there


def test_large_ratios_are_pointed_out() -> None:
    qrels = {"1": {"a": 3, "b": 0}, "2": {"a": 3, "b": 3}}
    run = {"mine": {"1": {"b": 1.0}, "2": {"a": 1.0}}}
    evaluation = rs.evaluate(qrels, run, "nDCG(base=2,gains=[-1,1,2,3])@6")
    assert evaluation.values[0, 0, 0] < -10
    assert any("values are below -1 for 1 of 2 rankings" in warning for warning in evaluation.warnings)
    assert not rs.evaluate(qrels, run, "nDCG(base=2)@6").warnings


def test_the_ratio_of_means_is_undefined_where_the_mean_ideal_gained_nothing() -> None:
    means = rs.curves(QRELS, RUN, f"DCG({NEGATIVE})", depth=100, ideal=True).mean(of="ratio").by_run("all")
    ideal = rs.curves(QRELS, RUN, f"DCG({NEGATIVE})", depth=100, ideal=True).mean().by_run("all")["ideal"]
    assert (np.isnan(means["ideal"]) == (ideal <= 0)).all()
    assert np.isnan(means["mine"]).any()
    assert (means["ideal"][ideal > 0] == 1).all()
