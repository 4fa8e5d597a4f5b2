"""Documents with equal scores: means and ranges over their orders, against all orders there are."""

import re
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise, permutations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscale as rs
from rankscale.data.judged import Judged, judged
from rankscale.data.orders import TieOrders
from rankscale.errors import ParameterError
from rankscale.evaluation.options import no_bounds
from rankscale.measures import iprec
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import CLASSES
from rankscale.measures.base.ties import RankingView, tied_bounds, tied_mean, tied_range

VARIANTS = (
    *("P(rel=2)@3", "F(beta=2)@4", "AP(rel=2)@4", "RR(n=2)", "RR(n=3,damping=2)@5", "RBP(p=0.5)@4", "RBP(p=0)"),
    *("RBP(gains='linear')", "CG(gains={0:-1})@4", "DCG(base=2)@3", "DCG(gains='exp')", "nDCG(base=3)@4"),
    *("nDCG(gains={0:-0.1})@4", "nDCG(gains={0:-0.1},unjudged=0)", "nCG(gains={0:-0.2,1:-0.5},unjudged=-0.3)@5"),
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
    *("infAP(rel=2)@4", "Interval(RBP(p=0.5)@4)", "Interval(RR@4)", "NR(collection=20)@3", "YAAP(rel=2)"),
    *("alpha_nDCG(alpha=0.9)@4", "NRBP(alpha=1,beta=0.9)", "nNRBP(alpha=0)@3", "IA(Rprec)", "IA(Twist)", "IA(nDCG)"),
    *(
        "Residual(NRBP)",
        "Residual(StRecall)@3",
        "AvgPos(alpha_nDCG)@4",
        "P_IA(judged_only=True)@2",
        "Dsharp_nDCG(gamma=1)@2",
    ),
    *("IA(Accuracy)@3", "IA(ASL)@2", "Groups(ASL)@2", "AvgPos(ASL)@3", "AvgPos(RHL)@3", "ESL(n=3)", "RHL@2"),
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


@lru_cache(maxsize=200)  # the same for every measure
def all_orders(ranking: str, depth: int | None, *, condensed: bool) -> Judged:
    """A table of the ranking in all orders, each cut and condensed by itself."""
    table = judged(*orders(ranking), missed=MISSED)
    if table.score is not None:  # those of the ranking with its ties
        tied = judged(ranking, missed=MISSED)
        score = np.full(int(tied.length[0]) + 1, np.nan)
        for first, last in zip(tied.first[0].tolist(), tied.last[0].tolist(), strict=True):
            score[first : last + 1] = 1 / first
        table = replace(table, score=np.append(score, np.nan)[np.minimum(table.rank, len(score))])
    table = table if depth is None else table.cut(depth)
    return table.only_judged() if condensed else table


@every
@settings(max_examples=40, deadline=None)
@given(ranking=groups, depth=st.none() | st.integers(1, 8), condensed=st.booleans())
def test_mean_and_range_are_those_of_all_orders(
    measure: Measure, ranking: str, depth: int | None, *, condensed: bool
) -> None:
    values = measure.value(all_orders(ranking, depth, condensed=condensed))
    table = judged(ranking, missed=MISSED)
    view = RankingView(depth, condensed or measure.judged_only)
    defined = values[~np.isnan(values)]  # of orders that have none, the mean and the range know nothing
    mean, error, complete, some = tied_mean(measure, table, view, ALL)
    assert complete.all()
    assert some.tolist() == [0 < len(defined) < len(values)]
    np.testing.assert_array_equal(error, [0.0 if len(defined) else np.nan])
    np.testing.assert_allclose(mean, [defined.mean() if len(defined) else np.nan], rtol=CLOSE, atol=CLOSE)
    lowest, highest, complete, some = tied_range(measure, table, view, ALL)
    assert complete.all()
    assert some.tolist() == [0 < len(defined) < len(values)]
    np.testing.assert_allclose(lowest, [defined.min() if len(defined) else np.nan], rtol=CLOSE, atol=CLOSE)
    np.testing.assert_allclose(highest, [defined.max() if len(defined) else np.nan], rtol=CLOSE, atol=CLOSE)


ADDITIVE = [parse(text) for text in texts()]
ADDITIVE = [one for one in ADDITIVE if one.as_additive is not None and no_bounds(one, "expected") is None]
additive = pytest.mark.parametrize("measure", ADDITIVE, ids=str)


@additive
@settings(max_examples=40, deadline=None)
@given(ranking=groups, depth=st.none() | st.integers(1, 8), condensed=st.booleans())
def test_bounds_of_the_mean_are_the_means_of_bounds_over_all_orders(
    measure: Measure, ranking: str, depth: int | None, *, condensed: bool
) -> None:
    sums = measure.as_additive
    assert sums is not None
    of_orders = measure.bounds(all_orders(ranking, depth, condensed=condensed))
    found = tied_bounds(sums, judged(ranking, missed=MISSED), RankingView(depth, condensed or measure.judged_only))
    for bound, of_each in zip(found, of_orders, strict=True):
        np.testing.assert_allclose(bound, [of_each.mean()], rtol=CLOSE, atol=CLOSE)


@pytest.mark.parametrize("text", ["P@4", "DCG@5", "CG(gains={0:-1})@4", "RBP(p=0.5)@3", "RBP(p=0.9)@6", "SDCG@4"])
@pytest.mark.parametrize("ranking", ["1=-=0 -", "-=- 2=-", "0=1=2", "-=-=1=0 2", "1 -=- -"])
def test_bounds_of_the_mean_are_the_extremes_over_all_judgments(text: str, ranking: str) -> None:
    """Each unjudged document is of one grade in all orders; ranks below the end have the best or worst grade too."""
    measure, length = parse(text), len(re.split("[ =]", ranking))
    sums, depth = measure.as_additive, measure.depth or 0
    assert sums is not None
    means = []
    for grade in product("02", repeat=ranking.count("-")):
        filled = ranking.replace("-", "{}").format(*grade)
        means += [measure.value(judged(*orders(filled + f" {end}" * (depth - length)), missed=MISSED)) for end in "02"]
    tail = 0.0 if not measure.unbounded_depth else float(sums.tail(np.array([depth]))[0])
    lower, upper = tied_bounds(sums, judged(ranking, missed=MISSED), RankingView())
    assert lower[0] == pytest.approx(min(one.mean() for one in means), abs=CLOSE)
    assert upper[0] == pytest.approx(max(one.mean() for one in means) + tail, abs=CLOSE)


def test_bounds_of_the_mean_by_hand() -> None:
    """RBP, p = 1/2: ranks 1 and 2 weigh 3/8 on average; one of them is unjudged, and all below is 1/4."""
    run, qrels = {"1": {"a": 2.0, "b": 2.0}}, {"1": {"a": 1, "c": 1}}
    found = rs.evaluate(qrels, run, ["RBP(p=0.5)", "ERR"], ties="expected", bounds=True)
    assert found.lower is not None
    assert found.upper is not None
    assert (found.values[0].item(), found.lower[0].item(), found.upper[0].item()) == (0.375, 0.375, 1.0)
    assert np.isnan(found.lower[1]).all()
    assert "ERR has no bounds: the mean over tied documents has bounds where gains add up" in found.warnings[-1]
    curve = rs.curves(qrels, run, "RBP(p=0.5)", ties="expected", bounds=True, depth=3)
    assert curve.lower is not None
    assert curve.upper is not None
    assert curve.lower[0][0, 0].tolist() == [0.25, 0.375, 0.375]
    assert curve.upper[0][0, 0].tolist() == [1.0, 1.0, 1.0]


@additive
@settings(max_examples=20, deadline=None)
@given(ranking=groups)
def test_the_curve_of_bounds_of_means_ends_at_them(measure: Measure, ranking: str) -> None:
    sums, table = measure.as_additive, judged(ranking, missed=MISSED)
    assert sums is not None
    depth = int(table.length[0]) if measure.depth is None else measure.depth
    depth = min(depth, int(table.length[0])) if measure.unbounded_depth else depth
    if depth and not measure.judged_only:
        wide = table.every_rank(max(depth, int(table.length[0])))
        for curve, bound in zip(sums.tied_bounds_curve(wide), tied_bounds(sums, table, RankingView()), strict=True):
            np.testing.assert_allclose(curve[:, depth - 1], bound, rtol=CLOSE, atol=CLOSE)


@every
def test_without_ties_the_mean_is_the_value(measure: Measure) -> None:
    table = judged("1 0 - 2 0.5 1", "", "- -", missed="1 2 0 0")
    np.testing.assert_allclose(measure.expected(table), measure.value(table), rtol=1e-14, atol=1e-15)
    for bound in measure.ties_range(table):
        np.testing.assert_array_equal(bound, measure.value(table))


def test_a_constant_scorer_is_worth_chance() -> None:
    table = judged("=".join(["1"] + ["0"] * 9))
    assert parse("P@1").expected(table)[0] == pytest.approx(0.1, abs=1e-15)
    assert parse("RR").expected(table)[0] == pytest.approx(sum(1 / rank for rank in range(1, 11)) / 10, abs=1e-15)


def tied(*counts: tuple[str, int]) -> Judged:
    return judged("=".join(grade for grade, number in counts for _ in range(number)))


def test_large_groups_lose_no_digits() -> None:
    # Of 1000 tied documents 3 are relevant: the first is at a rank in C(1000 - rank, 2) of C(1000, 3) orders.
    table = tied(("1", 3), ("0", 997))
    first = [Fraction(comb(1000 - rank, 2), comb(1000, 3)) for rank in range(1, 999)]
    reciprocal = float(sum(share / rank for rank, share in enumerate(first, 1)))
    assert parse("RR").expected(table)[0] == pytest.approx(reciprocal, rel=1e-11)
    # One grade that contents half of the users: after m documents, x of them relevant, 2^-x read on.
    left = [
        sum(Fraction(comb(3, x) * comb(997, m - x), comb(1000, m) * 2**x) for x in range(min(m, 3) + 1) if m - x <= 997)
        for m in range(1001)
    ]
    stops = float(sum((before - after) / rank for rank, (before, after) in enumerate(pairwise(left), 1)))
    assert parse("ERR").expected(table)[0] == pytest.approx(stops, rel=1e-11)
    # A relevant document has each number of the 997 others above it alike.
    nothing_lost = sum(1 - min(above, 3) / 3 for above in range(998)) / 998
    assert parse("Bpref").expected(table)[0] == pytest.approx(nothing_lost, rel=1e-11)
    # Of 30 documents that a depth leaves of 1000, x are relevant in C(200, x) C(800, 30 - x) of C(1000, 30) orders.
    shares = [Fraction(comb(200, x) * comb(800, 30 - x), comb(1000, 30)) for x in range(31)]
    shaw = float(sum(share * Fraction(x, 230 - x) for x, share in enumerate(shares)))
    assert parse("Shaw@30").expected(tied(("1", 200), ("0", 800)))[0] == pytest.approx(shaw, rel=1e-11)


def test_the_best_precision_of_a_large_group() -> None:
    """One relevant document of n has precision 1/rank: the mean is a harmonic number over n."""
    harmonic = sum(1 / rank for rank in range(1, 1001)) / 1000
    assert parse("IPrec@0").expected(tied(("1", 1), ("0", 999)))[0] == pytest.approx(harmonic, rel=1e-12)


@pytest.mark.parametrize("text", ["Twist", "INST", "CRP_min", "IPrec@0.5", "YAAP", "NERR8@5", "AvgPos(Twist)@6"])
def test_drawn_orders_agree_with_all(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of hundreds of orders 60 are drawn, many times: their errors tell how far the means are from that of all."""
    table, measure, view = judged("1 2=2=1=0=-=0=1 1", missed="1 2"), parse(text), RankingView()
    mean, error, _, _ = tied_mean(measure, table, view, ALL)
    assert error[0] == 0
    monkeypatch.setattr(iprec, "MOST", 0)
    far = []
    for seed in range(60):
        drawn, spread, complete, _ = tied_mean(measure, table, view, TieOrders(60, seed))
        assert spread[0] > 0
        assert not complete[0]
        far.append((drawn[0] - mean[0]) / spread[0])
        low, high, complete, _ = tied_range(measure, table, view, TieOrders(60, seed))
        every_low, every_high, _, _ = tied_range(measure, table, view, ALL)
        assert every_low <= low <= measure.value(table) <= high <= every_high
        assert complete[0] == measure.exact_range(table)[0]
    assert abs(np.mean(far)) < 4 / np.sqrt(60)
    assert 0.7 < np.std(far) < 1.4


def test_drawn_orders_have_seeds_and_do_not_depend_on_other_rankings() -> None:
    texts_ = ["1=0=2=1=0=1 1=0", "0 1=1=0=2=-=0=0=1", "1 0"]
    measure, few = parse("Twist"), TieOrders(10)
    together = measure.expected(judged(*texts_), orders=few)
    alone = [judged(*texts_).rows(np.array([place])) for place in range(3)]
    np.testing.assert_array_equal(together, [measure.expected(one, orders=few)[0] for one in alone])
    np.testing.assert_array_equal(together, measure.expected(judged(*texts_), orders=few))
    assert (together[:2] != measure.expected(judged(*texts_), orders=TieOrders(10, seed=1))[:2]).all()
    assert together[2] == measure.value(alone[2])[0]


@pytest.mark.parametrize(("number", "seed"), [(1, 0), (0, 0), (True, 0), (2.0, 0), ("5", 0), (5, -1), (5, 0.5)])
def test_numbers_of_orders_are_whole(number: int, seed: int) -> None:
    with pytest.raises(ParameterError, match=r"(tie_orders|seed) must be a whole number from [02], got"):
        TieOrders(number, seed)


def test_all_measures_of_the_specification_are_exact() -> None:
    """What has a closed form or an exact sum is not drawn; of these INST and graded NERR have none."""
    exact = "Rprec IPrec@0.5 AP11 AP3 ERR Q Bpref INSQ P@5 R@5 F@5 AP RR CG DCG nCG nDCG RBP Shaw@5 ASL APstar CRP loss"
    table = judged("1=0=2=1=0=1=-=0 1=0", missed="2")
    for text in [*exact.split(), "Q(gains=[0,1,3])", "SetAP", "Accuracy", "Compat", "infAP", "sigma_minus", "RP@3"]:
        assert tied_mean(parse(text), table, RankingView(), TieOrders(2)).complete[0], text


@every
def test_rankings_do_not_touch_each_other(measure: Measure) -> None:
    rankings = ["1=0=2 0=1=-=1", "", "2", "-=-=1=0 0.5=2=1=0 1", "0=0 -1=1=2=-", "- -"]
    together = judged(*rankings, missed=MISSED)
    for view in (RankingView(), RankingView(4), RankingView(3, condensed=True)):
        alone = [together.rows(np.array([place])) for place in range(len(rankings))]
        of_mean = tied_mean(measure, together, view, TieOrders(20))
        of_range = tied_range(measure, together, view, TieOrders(20))
        for place, one in enumerate(alone):
            for column, single in zip(of_mean, tied_mean(measure, one, view, TieOrders(20)), strict=True):
                np.testing.assert_allclose(column[place], single[0], rtol=1e-13, atol=1e-15)
            for column, single in zip(of_range, tied_range(measure, one, view, TieOrders(20)), strict=True):
                np.testing.assert_allclose(column[place], single[0], rtol=1e-13, atol=1e-15)
