"""Documents with equal scores: means and ranges over their orders, against all orders there are."""

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale.data.judged import judged
from rankscale.errors import TiesError
from rankscale.measures.base.measure import CLOSED_FORM, Measure
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import CLASSES

VARIANTS = (
    *("P(rel=2)@3", "F(beta=2)@4", "AP(rel=2)@4", "RR(n=2)", "RR(n=3,damping=2)@5", "RBP(p=0.5)@4", "RBP(p=0)"),
    *("RBP(gains='linear')", "CG(gains={0:-1})@4", "DCG(base=2)@3", "DCG(gains='exp')", "nDCG(base=3)@4"),
    *("nDCG(gains={0:-0.1})@4", "nDCG(gains={0:-0.1},unjudged=0)", "nCG(gains={0:-0.2,1:-0.5},unjudged=-0.3)@5"),
    *("nDCG(gains={1:5,2:0})@3", "nCG(gains='exp')@2", "AP(judged_only=True)", "P(judged_only=True)@2"),
)


def has_closed_form(measure: type[Measure]) -> bool:
    return measure.over_ties is not Measure.over_ties


def texts() -> list[str]:
    found = []
    for name in CLASSES:
        measure = find(name)
        written = measure.example or name
        if has_closed_form(measure):
            found += [written] * (not measure.needs_depth) + [f"{written}@3"] * measure.takes_depth
    return [*found, *VARIANTS]


closed = pytest.mark.parametrize("measure", [parse(text) for text in texts()], ids=str)
grades = st.sampled_from(["0", "1", "2", "-", "-1", "0.5"])
groups = st.lists(st.lists(grades, min_size=1, max_size=3).map("=".join), max_size=3).map(" ".join)
CLOSE = 1e-13


def orders(ranking: str) -> Iterator[str]:
    """The ranking with its ties broken in each way there is."""
    tied = [group.split("=") for group in ranking.split()]
    for order in product(*(permutations(group) for group in tied)):
        yield " ".join(grade for group in order for grade in group)


@closed
@settings(max_examples=25, deadline=None)
@given(ranking=groups, depth=st.none() | st.integers(1, 8))
def test_mean_and_range_are_those_of_all_orders(measure: Measure, ranking: str, depth: int | None) -> None:
    depth = None if measure.undefined else depth  # some orders would have a value, and others none
    missed = "-1 0 0.5 1 2"
    cut = [" ".join(order.split()[:depth]) for order in orders(ranking)]
    gone = [
        [grade for grade in order.split()[len(one.split()) :] if grade != "-"]
        for one, order in zip(cut, orders(ranking), strict=True)
    ]
    values = np.array(
        [measure.value(judged(one, missed=" ".join([missed, *rest])))[0] for one, rest in zip(cut, gone, strict=True)]
    )
    table = judged(ranking, missed=missed)
    if measure.judged_only and depth is not None:
        return  # condensing and cutting do not commute
    np.testing.assert_allclose(measure.expected(table, depth), [values.mean()], rtol=0, atol=CLOSE)
    lowest, highest = measure.ties_range(table, depth)
    np.testing.assert_allclose(lowest, [values.min()], rtol=0, atol=CLOSE)
    np.testing.assert_allclose(highest, [values.max()], rtol=0, atol=CLOSE)


@closed
def test_without_ties_the_mean_is_the_value(measure: Measure) -> None:
    table = judged("1 0 - 2 0.5 1", "", "- -", missed="1 2")
    np.testing.assert_allclose(measure.expected(table), measure.value(table), rtol=0, atol=1e-15)
    for bound in measure.ties_range(table):
        np.testing.assert_array_equal(bound, measure.value(table))


def test_a_constant_scorer_is_worth_chance() -> None:
    table = judged("=".join(["1"] + ["0"] * 9))
    assert parse("P@1").expected(table)[0] == pytest.approx(0.1, abs=1e-15)
    assert parse("RR").expected(table)[0] == pytest.approx(sum(1 / rank for rank in range(1, 11)) / 10, abs=1e-15)


def test_large_groups_lose_no_digits() -> None:
    # Of 1000 tied documents 3 are relevant: the first is at a rank in C(1000 - rank, 2) of C(1000, 3) orders.
    table = judged("=".join(["1"] * 3 + ["0"] * 997))
    total = 1000 * 999 * 998 / 6
    exact = sum((1000 - rank) * (999 - rank) / 2 / total / rank for rank in range(1, 999))
    assert parse("RR").expected(table)[0] == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize("text", ["Bpref", "Rprec", "RBP(p=0.5,otherwise=0.8)"])
def test_a_measure_without_a_closed_form_names_those_that_have_one(text: str) -> None:
    with pytest.raises(TiesError, match=r"have one|has one"):
        parse(text).expected(judged("1=0"))


def test_those_named_have_one() -> None:
    assert all(has_closed_form(find(name)) for name in CLOSED_FORM.split(", "))
