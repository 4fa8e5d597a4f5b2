"""Rank-biased precision: the values of Moffat and Zobel (2008), as SPEC 4 gives them."""

import pytest

from rankscale.data.judged import judged
from rankscale.errors import ParameterError
from rankscale.measures.base.parser import parse
from rankscale.measures.rbp import depth_needed, largest_p

RANKING = "1 1 0 0 0 1 0 0 0 0 1 0 0 0 0 0 1 0 0 0"  # $$---$----$-----$---


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("RBP(p=0.5)", 0.7661),
        ("RBP(p=0.8)", 0.4526),
        ("RBP(p=0.95)", 0.1881),
        ("RBP(p=0.8,otherwise=0.8)", 0.4526),
        ("RBP(p=0.5,otherwise=0.8)", 0.6602),
        ("RBP(p=0.8,otherwise=0.5)", 0.6019),
    ],
)
def test_values_of_the_paper(measure: str, value: float) -> None:
    assert round(float(parse(measure).value(judged(RANKING))[0]), 4) == value


@pytest.mark.parametrize(("p", "otherwise"), [(0.5, 0.8), (0.8, 0.5), (0.0, 0.9), (0.9, 0.0), (0.3, 0.31)])
@pytest.mark.parametrize("depth", [1, 5, 20, 40])
def test_conditional_persistence_as_the_sums_say(p: float, otherwise: float, depth: int) -> None:
    grades = RANKING.split()
    seen, seen_relevant, all_seen = 1.0, 0.0, 0.0
    for grade in grades[:depth]:
        relevant = grade == "1"
        seen_relevant += seen * relevant
        all_seen += seen
        seen *= p if relevant else otherwise
    expected = seen_relevant / (all_seen + seen / (1 - otherwise))
    assert parse(f"RBP(p={p},otherwise={otherwise})@{depth}").value(judged(RANKING))[0] == pytest.approx(
        expected, abs=1e-15
    )


def test_a_user_who_looks_at_one_document() -> None:
    assert parse("RBP(p=0)").value(judged("1 0", "0 1")).tolist() == [1.0, 0.0]
    assert parse("RBP(p=0)").value(judged("1 0")).tolist() == parse("P@1").value(judged("1 0")).tolist()


def test_graded_gains() -> None:
    table = judged("2 0 1", missed="4")
    assert parse("RBP(p=0.5,gains='linear')").value(table)[0] == 0.5 * (0.5 + 0.25 * 0.25)
    assert parse("RBP(p=0.5,gains={1:0.2,2:0.6,4:1})").value(table)[0] == pytest.approx(0.5 * 0.6 + 0.125 * 0.2)


@pytest.mark.parametrize(("p", "depth"), [(0.5, 14), (0.8, 42), (0.95, 180)])
def test_depth_that_an_accuracy_needs(p: float, depth: int) -> None:
    assert depth_needed(p, 0.0001) == depth
    assert p**depth < 0.0001 <= p ** (depth - 1)


def test_largest_p_that_a_depth_supports() -> None:
    assert round(largest_p(100, 0.0001), 2) == 0.91
    assert largest_p(100, 0.0001) ** 100 == pytest.approx(0.0001)


@pytest.mark.parametrize(("p", "accuracy"), [(1, 0.1), (-0.1, 0.1), (0.5, 0)])
def test_no_depth_is_enough(p: float, accuracy: float) -> None:
    with pytest.raises(ParameterError):
        depth_needed(p, accuracy)


def test_gains_and_conditions_do_not_mix() -> None:
    with pytest.raises(ParameterError, match="give gains or otherwise"):
        parse("RBP(gains='linear',otherwise=0.5)")
