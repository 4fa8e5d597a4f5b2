"""What unjudged documents leave open: bounds, for every measure that declares them."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscale as rs
from rankscale.data.judged import judged
from rankscale.errors import BoundsError
from rankscale.measures.base.additive import Additive
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import CLASSES
from rankscale.measures.of_measure import Residual
from rankscale.measures.rbp import RBP

VARIANTS = (
    *("RBP(p=0.5,otherwise=0.8)", "RBP(p=0.8,otherwise=0.5)@4", "RBP(p=0,otherwise=0.9)", "RBP(p=0.9,otherwise=0)@3"),
    *("RBP(p=0.95)@4", "RBP(p=0)", "RBP(gains='linear')", "RR(n=2)", "RR(damping=3)@4", "DCG(base=2)@5"),
    *(
        "DCG(gains={0:-1})@4",
        "DCG(gains={0:-1},unjudged=0)@4",
        "DCG(base=2,gains={0:-1,2:-3},unjudged=-2)@5",
        "CG(gains={1:-2})@6",
        "CG(gains='exp')@3",
        "P(rel=2)@5",
        "P(judged_only=True)@2",
    ),
    *("alpha_DCG(alpha=0)@5", "NRBP(alpha=0,beta=0.9)", "ERR_IA(judged_only=True)@3", "IA(P)@4", "IA(ERR)", "IA(RBP)"),
)


def texts() -> list[str]:
    """Every measure of the register that has bounds, as it must be written to have an upper one."""
    found = []
    for name in CLASSES:
        measure = find(name)
        written = measure.example or name
        if measure.bounded and not measure.uses_recall_base:
            found += [written] * (measure.unbounded_depth or not measure.takes_depth) + [
                f"{written}@4"
            ] * measure.takes_depth
    return [*found, *VARIANTS]


bounded = pytest.mark.parametrize("measure", [parse(text) for text in texts()], ids=str)
grades = st.sampled_from(["0", "1", "2", "3", "-", "-", "-1", "0.5"])
EVERY = "0 0.5 1 2 3"  # so that all tables know the same grades
# Sums of a thousand terms are not made here: a few units in the last place are all that may differ.
CLOSE = 1e-13


@bounded
@settings(max_examples=40, deadline=None)
@given(ranking=st.lists(grades, max_size=9), told=st.data())
def test_whatever_assessors_would_say_the_value_lies_within(
    measure: Measure, ranking: list[str], told: st.DataObject
) -> None:
    lower, upper = measure.bounds(judged(" ".join(ranking), missed=f"-1 {EVERY}"))
    said = [
        told.draw(st.sampled_from(["0", "0.5", "1", "2", "3"])) if grade in {"-", "-1"} else grade for grade in ranking
    ]
    more = [] if measure.judged_only else told.draw(st.lists(st.sampled_from(["0", "1", "3"]), max_size=4))
    if not measure.takes_depth or measure.judged_only:
        more = []  # the set is what it is
    value = measure.value(judged(" ".join([*said, *more]), missed=f"-1 {EVERY}"))
    if not measure.judged_only:
        assert lower[0] - 1e-13 <= value[0] <= upper[0] + 1e-13


@bounded
@settings(max_examples=40, deadline=None)
@given(rankings=st.lists(st.lists(grades, max_size=9).map(" ".join), min_size=1, max_size=3))
def test_sums_and_fillings_give_the_same_bounds(measure: Measure, rankings: list[str]) -> None:
    if isinstance(measure, Additive):
        table = judged(*rankings, missed=f"-1 {EVERY}")
        for by_sums, by_filling in zip(measure.bounds(table), Measure.bounds(measure, table), strict=True):
            np.testing.assert_allclose(by_sums, by_filling, rtol=0, atol=CLOSE)


@bounded
@settings(max_examples=25, deadline=None)
@given(ranking=st.lists(grades, min_size=1, max_size=9))
def test_the_curve_of_bounds_ends_at_the_bounds(measure: Measure, ranking: list[str]) -> None:
    table = judged(" ".join(ranking), missed=f"-1 {EVERY}")
    if measure.judged_only:
        return
    depth = len(ranking) if measure.depth is None else measure.depth
    if measure.unbounded_depth:
        depth = min(depth, len(ranking))
    curves = measure.bounds_curve(table.every_rank(depth))
    for curve, bound in zip(curves, measure.bounds(table), strict=True):
        assert curve.shape == (1, depth)
        np.testing.assert_allclose(curve[:, -1], bound, rtol=0, atol=CLOSE)


@bounded
@settings(max_examples=25, deadline=None)
@given(ranking=st.lists(st.sampled_from("0123"), max_size=8), place=st.integers(0, 7), worse=st.integers(0, 2))
def test_a_better_grade_never_costs(measure: Measure, ranking: list[str], place: int, worse: int) -> None:
    if place < len(ranking) and "-" not in str(measure) and int(ranking[place]) > worse:
        lowered = [*ranking[:place], str(worse), *ranking[place + 1 :]]
        better, less = (measure.value(judged(" ".join(one), missed=EVERY)) for one in (ranking, lowered))
        assert better[0] >= less[0] - 1e-13


@pytest.mark.parametrize(
    ("p", "lower", "upper"), [(0.5, 0.7661, 0.7663), (0.8, 0.4470, 0.4889), (0.95, 0.1661, 0.5993)]
)
def test_bounds_of_moffat_and_zobel(p: float, lower: float, upper: float) -> None:
    found = parse(f"RBP(p={p})").bounds(judged("1 1 0 0 0 1 0 0 0 0 1 0 - - 0 0 - 0 0 0"))
    assert [round(float(bound[0]), 4) for bound in found] == [lower, upper]


def test_an_empty_ranking_tells_nothing() -> None:
    lower, upper = parse("RBP").bounds(judged("", missed="1"))
    assert (lower.tolist(), upper.tolist()) == ([0.0], [1.0])


def test_rbp_at_a_depth_keeps_what_lies_below() -> None:
    _, upper = parse("RBP(p=0.5)@3").bounds(judged("0 0 0 0 0 0", missed="1"))
    assert upper.tolist() == [0.125]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("AP", "the recall base is used"),
        ("nDCG@10", "the recall base is used"),
        ("R@5", "the recall base is used"),
        ("DCG", "without a depth there is no end"),
        ("CG", "without a depth there is no end"),
        ("Judged@10", "how much is judged"),
    ],
)
def test_a_measure_without_bounds_says_why(text: str, words: str) -> None:
    with pytest.raises(BoundsError, match=words):
        parse(text).bounds(judged("1 0 -"))


@pytest.mark.parametrize(
    ("text", "ranking", "missed", "bounds"),
    [
        # A negative grade is unjudged, whatever a map says that it gains.
        ("CG(gains={-1:-5})@2", "1 -1", "", (-4, 2)),
        # No document of the collection gains less than 1, and unjudged ones gain 1 too.
        ("CG(gains=[1,1,2],unjudged=1)@3", "2 - 0", "1", (4, 5)),
        # Nothing in the collection gains anything: the highest gain is 0, but a relevant document could turn up.
        ("CG@2", "- 0", "", (0, 0)),
        ("P@2", "- 0", "", (0, 0.5)),
        ("NumRelRet", "1 - 0 -", "", (1, 3)),
    ],
)
def test_worst_and_best_are_what_grades_of_the_collection_gain(
    text: str, ranking: str, missed: str, bounds: tuple[float, float]
) -> None:
    table, measure = judged(ranking, missed=missed), parse(text)
    assert tuple(float(bound[0]) for bound in measure.bounds(table)) == bounds
    assert (
        tuple(float(curve[0, -1]) for curve in measure.bounds_curve(table.every_rank(len(ranking.split())))) == bounds
    )


@bounded
def test_the_residual_is_what_is_between(measure: Measure) -> None:
    if not measure.judged_only and not measure.needs_depth:
        table = judged("1 - 0 - 2", "", "- -", "2 2 2 2 2 2", missed=EVERY)
        _, upper = measure.bounds(table)
        residual = Residual(measure.at(None), depth=measure.depth if measure.takes_depth else None)
        np.testing.assert_allclose(residual.value(table), upper - measure.value(table), rtol=0, atol=CLOSE)


def slow_conditional(ranking: Sequence[int], p: float, otherwise: float) -> float:
    """Conditional RBP as it is defined: V is the share of users who reach a rank."""
    reached, met, seen = 1.0, 0.0, 0.0
    for relevant in ranking:
        met, seen = met + reached * relevant, seen + reached
        reached *= p if relevant else otherwise
    return met / (seen + reached / (1 - otherwise))


@pytest.mark.parametrize(("p", "otherwise"), [(0.5, 0.8), (0.8, 0.5), (0.3, 0.95), (0.9, 0), (0, 0.7)])
@pytest.mark.parametrize("ranking", ["1 - 0 - 1 -", "- 1 - -", "0 1 1", "", "- - - - 0 -"])
def test_conditional_rbp_lies_between_the_extremes_of_all_fillings(p: float, otherwise: float, ranking: str) -> None:
    grades = ranking.split()
    fillings = [
        [int(grade) for grade in filled]
        for filled in product(*(("0", "1") if grade == "-" else (grade,) for grade in grades))
    ]
    below = [1] * 1000  # all that could come after the end
    lower, upper = parse(f"RBP(p={p},otherwise={otherwise})").bounds(judged(ranking, missed="1"))
    assert lower[0] == pytest.approx(min(slow_conditional(one, p, otherwise) for one in fillings), abs=1e-14)
    assert upper[0] == pytest.approx(max(slow_conditional([*one, *below], p, otherwise) for one in fillings), abs=1e-12)


GRID = tuple(range(1, 100, 7))


@pytest.mark.parametrize("length", [1, 2, 17, 60])
def test_where_all_is_judged_only_the_tail_of_rbp_is_open(length: int) -> None:
    ranking = judged(" ".join("10"[place % 3 == 1] for place in range(length)))
    for percent in GRID:
        lower, upper = RBP(p=percent / 100).bounds(ranking)
        left = Fraction(percent, 100) ** length
        assert upper[0] >= lower[0]
        assert float(upper[0] - lower[0]) == pytest.approx(float(left), rel=1e-9, abs=2e-16)
        assert (upper[0] == lower[0]) == (float(lower[0]) + float(left) == float(lower[0]))


@bounded
def test_where_all_is_judged_nothing_is_open_but_the_tail(measure: Measure) -> None:
    if not measure.unbounded_depth and measure.takes_depth:
        ranking = judged(*(" ".join(grades) for grades in (["1", "0", "2"] * 3, ["0"] * 9, ["3"] * 9)), missed=EVERY)
        lower, upper = measure.bounds(ranking)
        assert lower.tolist() == upper.tolist()


@bounded
@settings(max_examples=40, deadline=None)
@given(rankings=st.lists(st.lists(grades, max_size=40).map(" ".join), min_size=1, max_size=3))
def test_the_upper_bound_is_never_below_the_lower_one(measure: Measure, rankings: list[str]) -> None:
    lower, upper = measure.bounds(judged(*rankings, missed=f"-1 {EVERY}"))
    assert (lower <= upper).all()


def ends(evaluation):
    """Lower bounds, then upper ones."""
    return [*evaluation.lower.ravel(), *evaluation.upper.ravel()]


@pytest.mark.parametrize("gmax", [54, 1023, 1024, 2000])
def test_grades_whose_power_of_two_is_no_double(gmax):
    """(2^g - 1) / 2^gmax contents at a rank: gmax almost surely, gmax - 1 half of the users.

    Those who read on from rank 1 are met at rank 2 by a document of gmax at best, and then none is left.
    """
    qrels = {"1": {"a": gmax}, "2": {"b": gmax - 1}, "3": {"c": 0}}
    made = rs.evaluate(qrels, {"1": {"a": 1}, "2": {"b": 1}, "3": {"c": 1}}, "ERR", bounds=True)
    assert made.values.ravel() == pytest.approx([1, 0.5, 0], rel=1e-15, abs=0)
    assert ends(made)[3:] == pytest.approx([1, 0.5 + 0.5 / 2, 0.5], rel=1e-15)
