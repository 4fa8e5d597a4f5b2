"""Documents with equal scores: means and ranges over their orders, against all orders there are."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale.data.judged import judged
from rankscale.data.orders import TieOrders
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import CLASSES
from rankscale.measures.base.ties import View, tied_mean, tied_range

VARIANTS = (
    *("P(rel=2)@3", "F(beta=2)@4", "AP(rel=2)@4", "RR(n=2)", "RR(n=3,damping=2)@5", "RBP(p=0.5)@4", "RBP(p=0)"),
    *("RBP(gains='linear')", "CG(gains={0:-1},unjudged=-1)@4", "DCG(base=2)@3", "DCG(gains='exp')", "nDCG(base=3)@4"),
    *("nDCG(gains={1:5,2:0})@3", "nCG(gains='exp')@2", "AP(judged_only=True)", "P(judged_only=True)@2"),
    *("Rprec(multiple=2)", "Rprec(rel=2)", "IPrec@0", "IPrec@1", "IPrec(rel=2,version=10)@0.5", "AP11(rel=2)@4"),
    *(
        "Q(gains={0.5:0,1:1,2:3})@3",
        "Q(gains={0.5:1},beta=3)",
        "Q(rel=2)@2",
        "Bpref(k=1)",
        "Bpref(rel=2)@3",
        "Compat(p=0.5)@4",
    ),
    *("Compat(normalize=False)", "ERR(gmax=4)@3", "BPM(T=0.5)@4", "BPM(T=2,min_rel=1)@3", "NERR8(min_rel=1)@4"),
    *("NERR9(min_rel=1)@3", "NERR10(min_rel=1)", "NERR11(min_rel=1,T=2)", "INST(T=2)", "G(gains={2:0})", "G@2"),
    *("nDCGRel(gains={0:-1})@3", "Rndcg(gains='exp')", "Utility(a=1,b=3)", "SetAP(rel=2)", "Shaw(rel=2)@2", "ESL(n=2)"),
    *(
        "CRP@2",
        "CRP(rel=2)",
        "nCRP(length=9)@4",
        "sigma_plus@5",
        "loss(rel=2)",
        "RP@1",
        "Twist@5",
        "rho(crossing='literal')",
    ),
    *(
        "RBP(p=0.5,otherwise=0.8)@4",
        "Residual(P)@4",
        "Residual(CG)@3",
        "Residual(ERR)@2",
        "AvgPos(AP)@4",
        "AvgPos(Twist)@3",
    ),
    *("Bpref(judged_only=True)@2", "Twist(judged_only=True)", "ASL(rel=2)@4", "Accuracy(rel=2)@4", "SR(gains='exp')@2"),
    *("infAP(rel=2)@4", "Interval(RBP(p=0.5)@4)", "Interval(Twist@12)", "NR(collection=20)@3", "YAAP(rel=2)"),
)
ALL = TieOrders(10_000)  # more than any ranking here has
CLOSE = 1e-12


def texts() -> list[str]:
    found = []
    for name in CLASSES:
        measure = find(name)
        written = {"IPrec": "IPrec@0.5"}.get(name, measure.example or name)
        found += [written] * (not measure.needs_depth) + [f"{written}@3"] * measure.takes_depth
    return [*found, *VARIANTS]


every = pytest.mark.parametrize("measure", [parse(text) for text in texts()], ids=str)
grades = st.sampled_from(["0", "1", "2", "-", "-1", "0.5"])
groups = st.lists(st.lists(grades, min_size=1, max_size=3).map("=".join), max_size=3).map(" ".join)
MISSED = "-1 0 0.5 1 2"


def orders(ranking: str) -> Iterator[str]:
    """The ranking with its ties broken in each way there is."""
    tied = [group.split("=") for group in ranking.split()]
    for order in product(*(permutations(group) for group in tied)):
        yield " ".join(grade for group in order for grade in group)


def of_orders(measure: Measure, ranking: str, depth: int | None, *, condensed: bool) -> np.ndarray:
    """The values in all orders, each cut and condensed by itself."""
    table = judged(*orders(ranking), missed=MISSED)
    if table.score is not None:  # those of the ranking with its ties
        tied = judged(ranking, missed=MISSED)
        score = np.full(int(tied.length[0]) + 1, np.nan)
        for first, last in zip(tied.first[0].tolist(), tied.last[0].tolist(), strict=True):
            score[first : last + 1] = 1 / first
        table = replace(table, score=np.append(score, np.nan)[np.minimum(table.rank, len(score))])
    table = table if depth is None else table.cut(depth)
    return measure.value(table.only_judged() if condensed else table)


@every
@settings(max_examples=40, deadline=None)
@given(ranking=groups, depth=st.none() | st.integers(1, 8), condensed=st.booleans())
def test_mean_and_range_are_those_of_all_orders(
    measure: Measure, ranking: str, depth: int | None, *, condensed: bool
) -> None:
    values, table = of_orders(measure, ranking, depth, condensed=condensed), judged(ranking, missed=MISSED)
    view = View(depth, condensed or measure.judged_only)
    mean, error = tied_mean(measure, table, view, ALL)
    np.testing.assert_array_equal(error, [np.nan if np.isnan(values).any() else 0.0])
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(mean, [values.mean()], rtol=CLOSE, atol=CLOSE)
    lowest, highest, complete = tied_range(measure, table, view, ALL)
    assert complete.all()
    np.testing.assert_allclose(lowest, [values.min()], rtol=CLOSE, atol=CLOSE)
    np.testing.assert_allclose(highest, [values.max()], rtol=CLOSE, atol=CLOSE)
