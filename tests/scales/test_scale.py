"""Scales as users ask for them: published values, reference vectors, and every measure against all its rankings."""

import itertools
import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscale as rs
from rankscale.data.judged import judged
from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base.parser import parse
from rankscale.scales.interval import floor_effect

SLOW = 2**33  # vectors with more values take seconds each: `test_products` has them, and `make reproduce` the largest


def measure_of(case: dict[str, Any]) -> tuple[str, dict[str, Any]] | None:
    """How a reference case is written for `rs.scale`; None where it cannot be, and other tests have it."""
    depth, params, gains = case["N"], case["params"], [Fraction(gain) for gain in case["gains"]]
    asked: dict[str, Any] = {"levels": range(len(gains))}
    listed = "gains=[" + ",".join(str(float(gain)) for gain in gains) + "]"
    if "RB" in case:
        asked |= {"universe": "feasible", "counts": case["RB"]}
    elif "relevant_per_grade" in params:
        asked |= {"universe": "feasible", "counts": (100, *params["relevant_per_grade"])}
    names = {
        "p": "P",
        "rr": "RR",
        "ap": "AP",
        "cg": f"CG({listed})",
        "err": f"ERR(gmax={params.get('gmax')})",
        "dcg": f"DCG({listed})" if params.get("shift") else f"DCG(base={params.get('base')},{listed})",
        "rbp": f"RBP(p={_decimal(params.get('p', '0'))},gains='linear')",
        "twist": "Twist(crossing='literal')",
    }
    too_short = case["measure"] == "twist" and depth < 2 * sum(params["relevant_per_grade"])
    beyond_counts = case["measure"] == "twist" and case["universe"] == "all"
    irrational = case["measure"] == "rbp" and _decimal(params["p"]) is None
    return None if too_short or beyond_counts or irrational else (f"{names[case['measure']]}@{depth}", asked)


def _decimal(p: str) -> float | None:
    """A probability that a decimal number names exactly."""
    return None if "sqrt" in p or p == "2/3" else float(Fraction(p))


@pytest.mark.slow
def test_the_reference_vectors_pass(shared_data: Path) -> None:
    cases = json.loads((shared_data.parent / "vectors" / "interval.json").read_text())["cases"]
    passed = 0
    scales: dict[str, Any] = {}  # many cases are rankings of one scale
    for case in cases:
        asked = measure_of(case)
        if asked is None or case["n_distinct"] > SLOW:
            continue
        if str(asked) not in scales:
            scales[str(asked)] = rs.scale(asked[0], **asked[1])
        scale = scales[str(asked)]
        assert scale.size == case["n_distinct"], case
        assert scale.rank(case["run"]) == case["phi"], case
        if "midrank" in case:
            assert scale.mid_rank(case["run"]) == Fraction(case["midrank"]), case
        passed += 1
    assert passed > 500  # of 594: the others have p that is no decimal, or take minutes


def test_certified_brackets_overlap_those_of_the_vectors(shared_data: Path) -> None:
    cases = json.loads((shared_data.parent / "vectors" / "interval.json").read_text())["certified"]
    for case in cases[::2]:
        bracket = rs.scale(f"DCG(base={case['params']['base']})@{case['N']}").bracket(case["run"])
        assert bracket.lower <= case["normalised_rank_hi"]
        assert case["normalised_rank_lo"] <= bracket.upper
        assert bracket.upper - bracket.lower < 1e-5
        assert bracket.provenance.kind == "certified"
    assert len(cases) == 10


PUBLISHED = {
    "DCG(base=2)@5": 24,
    "DCG(base=2)@10": 768,
    "DCG(base=2)@15": 24576,
    "P@30": 31,
    "RR@30": 31,
    "RBP(p=0.5)@30": 2**30,
    "RBP(p=0.3)@1000": 2**1000,
    "DCG(base=10)@10": 11,
    "AP@10": 810,
}


@pytest.mark.parametrize(("measure", "size"), PUBLISHED.items())
def test_published_numbers_of_values(measure: str, size: int) -> None:
    assert rs.scale(measure).size == size


def test_the_worked_example_of_the_paper() -> None:
    scale = rs.scale("DCG(base=2)@4")
    ranks = {"1111": 12, "1110": 11, "1101": 10, "1011": 9, "0111": 9, "1001": 6, "0011": 5, "0001": 2, "0000": 1}
    assert scale.ranks([[int(grade) for grade in ranking] for ranking in ranks]) == list(ranks.values())


def test_reciprocal_ranks_count_from_the_end() -> None:
    scale = rs.scale("RR@10")
    firsts = [[0] * (first - 1) + [1] for first in range(1, 11)]
    assert scale.ranks([*firsts, []]) == [10 + 2 - first for first in range(1, 11)] + [1]


def test_measures_that_share_a_scale() -> None:
    rankings = list(itertools.product((0, 1), repeat=6))
    of_p = [("P@6", other) for other in ("R@6", "F@6", "DCG(base=10)@6")]
    for one, other in [*of_p, ("DCG(base=2)@6", "nDCG(base=2)@6"), ("RBP(p=0.5)@6", "RBP(p=0.3)@6")]:
        assert rs.scale(one).ranks(rankings) == rs.scale(other).ranks(rankings), (one, other)


def test_recall_at_two_for_other_recall_bases() -> None:
    """Example 12 of the paper: ranks 1, 2, 2, 3 whether two or three documents are relevant."""
    for counts in (2, 3):
        assert rs.scale("R@2", counts=counts).ranks([[0, 0], [0, 1], [1, 0], [1, 1]]) == [1, 2, 2, 3]


# A measure, levels, and counts where it asks for them: each is compared with all its rankings.
EVERY = [
    ("P@9", (0, 1), None),
    ("R@9", (0, 1), None),
    ("F(beta=2)@9", (0, 1), 4),
    ("CG@6", (0, 1, 2, 3), None),
    ("nCG@6", (0, 1, 2, 3), None),
    ("gP@6", (0, 1, 2, 3), None),
    ("gR@6", (0, 1, 2, 3), None),
    ("RR(damping=2)@12", (0, 1), None),
    ("RR(n=2)@10", (0, 1), None),
    ("Success@10", (0, 1), None),
    ("DCG(base=2)@12", (0, 1), None),
    ("DCG(base=3)@12", (0, 1), None),
    ("DCG@12", (0, 1), None),
    ("DCG(base=2.5)@10", (0, 1), None),
    ("DCG(discount='rank')@10", (0, 1), None),
    ("DCG(gains='exp')@6", (0, 1, 2, 3), None),
    ("DCG(base=2,gains=[-1,0,1,5],unjudged=0.5)@6", (0, 1, 2, 3), None),
    ("nDCG@6", (0, 1, 2, 3), None),
    ("SDCG@6", (0, 1, 2, 3), None),
    ("INSQ@9", (0, 1), None),
    ("RBP(p=0.8)@12", (0, 1), None),
    ("RBP(p=0.3)@12", (0, 1), None),
    ("gRBP(p=0.5)@6", (0, 1, 2, 3), None),
    ("gRBP(p=0.75)@6", (0, 1, 2, 3), None),
    ("RBP(p=0)@8", (0, 1), None),
    ("RBP(p=0.5,otherwise=0.8)@8", (0, 1), None),
    ("AP@12", (0, 1), None),
    ("SP@10", (0, 1), None),
    ("ERR@9", (0, 1), None),
    ("ERR@6", (0, 1, 2, 3), None),
]


def told_apart(values: list[float]) -> list[int]:
    """Unique ranks of values that are equal but for rounding, or differ by far more than that."""
    distinct: list[float] = []
    for value in sorted(values):
        if not distinct or value - distinct[-1] > 1e-11:
            assert not distinct or value - distinct[-1] > 1e-9, "values too close to be told apart here"
            distinct.append(value)
    ranks: list[int] = (np.searchsorted(distinct, np.array(values) - 5e-12) + 1).tolist()
    return ranks


@pytest.mark.parametrize(("measure", "levels", "counts"), EVERY, ids=[f"{m} {len(v)}" for m, v, _ in EVERY])
def test_every_measure_agrees_with_all_its_rankings(measure: str, levels: Any, counts: Any) -> None:
    scale = rs.scale(measure, levels, counts)
    rankings = list(itertools.product(levels, repeat=scale.depth))
    tables = judged(*(" ".join(map(str, ranking)) for ranking in rankings))
    # A recall base that is the same for all, and large enough for any ranking: counts only scale values.
    base = np.array([scale.depth] * len(levels)) if counts is None else np.array(_row(counts, len(levels)))
    object.__setattr__(tables, "counts", np.broadcast_to(base, (len(rankings), len(levels))))
    expected = told_apart(parse(measure).value(tables).tolist())
    assert scale.size == max(expected)
    assert scale.ranks(rankings) == expected
    np.testing.assert_allclose(scale.normalised(rankings), (np.array(expected) - 1) / (max(expected) - 1), rtol=1e-15)


def _row(counts: Any, levels: int) -> list[int]:
    return [100] + [counts] * (levels - 1) if isinstance(counts, int) else list(counts)


FEASIBLE = [
    ("DCG(base=2)@8", (0, 1), (50, 3)),
    ("nDCG@5", (0, 1, 2), (50, 2, 1)),
    ("AP@8", (0, 1), (50, 3)),
    ("RBP(p=0.8)@8", (0, 1), (50, 3)),
    ("RBP(p=0.4)@8", (0, 1), (50, 3)),
    ("ERR@5", (0, 1, 2), (50, 1, 2)),
    ("P@8", (0, 1), (50, 3)),
    ("RR@8", (0, 1), (50, 3)),
    ("Twist@12", (0, 1), (50, 4)),
    ("Twist@10", (0, 1, 2), (50, 3, 2)),
    ("Bpref@5", (0, 1), (2, 3)),
    ("CRP_min@8", (0, 1), (50, 3)),
    ("Q@5", (0, 1, 2), (50, 2, 1)),
]


@pytest.mark.parametrize(("measure", "levels", "counts"), FEASIBLE)
def test_feasible_rankings_alone_count(measure: str, levels: Any, counts: tuple[int, ...]) -> None:
    scale = rs.scale(measure, levels, counts, universe="feasible")
    rankings = [
        ranking
        for ranking in itertools.product(levels, repeat=scale.depth)
        if all(ranking.count(level) <= count for level, count in zip(levels, counts, strict=True) if level)
    ]
    if measure.startswith("Bpref"):  # it looks at judged documents only, and there are two that are not relevant
        rankings = [ranking for ranking in rankings if ranking.count(0) <= counts[0]]
    tables = judged(*(" ".join(map(str, ranking)) for ranking in rankings))
    object.__setattr__(tables, "counts", np.broadcast_to(np.array(counts), (len(rankings), len(levels))))
    expected = told_apart(parse(measure).value(tables).tolist())
    assert scale.universe == "feasible"
    assert scale.ranks(rankings) == expected
    assert scale.size == max(expected)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.integers(0, 1), min_size=12, max_size=12), st.sampled_from(["DCG(base=2)@12", "RBP(p=0.8)@12"]))
def test_what_a_scale_says_of_a_ranking_hangs_together(ranking: list[int], measure: str) -> None:
    scale, certified = rs.scale(measure), rs.scale(measure, method="certified")
    rank, value = scale.rank(ranking), float(scale.normalised([ranking])[0])
    assert value == (rank - 1) / (scale.size - 1)
    assert scale.log10_rank(ranking) == (math.log10(rank),) * 2
    bracket = certified.bracket(ranking)
    assert bracket.lower <= value <= bracket.upper
    lower, upper = certified.log10_rank(ranking)
    assert lower - 1e-9 <= math.log10(rank) <= upper + 1e-9
    percentile, mid = scale.run_percentile(ranking).share, scale.mid_rank(ranking)
    assert 0 < percentile <= 1
    assert mid <= percentile * 2**12 <= 2 * mid


def test_shorter_rankings_are_filled() -> None:
    scale = rs.scale("DCG(base=2)@6")
    assert scale.rank([1, 0, 1]) == scale.rank([1, 0, 1, 0, 0, 0]) == scale.rank([1, float("nan"), 1])


def test_no_ranking_can_be_counted_at_length_1000_but_its_bracket_is_certain() -> None:
    scale = rs.scale("DCG(base=2)@1000", levels=(0, 1, 2, 3))
    bracket = scale.bracket([3] * 250 + [0, 1, 2] * 250)
    assert 0 < bracket.lower < bracket.upper < bracket.lower + 1e-5
    with pytest.raises(ScaleError, match=r"use bracket\(\)"):
        scale.rank([1])
    assert "Schanuel" in str(scale.provenance)
    assert "Schanuel" not in str(rs.scale("RBP(p=0.8)@1000").provenance)


@pytest.mark.slow
def test_what_cannot_be_counted_is_refused_with_alternatives() -> None:
    scale = rs.scale("AP@100")
    with pytest.raises(ScaleError, match="Percentile"):
        scale.rank([1])
    percentile = scale.run_percentile([1] * 50, samples=500)
    assert percentile.low <= percentile.share <= percentile.high
    assert percentile.samples == 500
    assert percentile == scale.run_percentile([1] * 50, samples=500)
    with pytest.raises(ScaleError, match="method='estimated'"):
        rs.scale("AP@36").rank([1])
    with pytest.raises(ScaleError, match="smaller depth"):
        rs.scale("Q@40", counts=35).rank([1])


@pytest.mark.slow
def test_ap_beyond_the_tables_is_estimated_on_request() -> None:
    scale = rs.scale("AP@32", method="estimated")
    low = scale.bracket([0] * 31 + [1])
    high = scale.bracket([1] * 20)
    assert low.provenance.kind == "estimated"
    assert 0 <= low.lower <= low.upper < high.lower < high.upper <= 1
    with pytest.raises(ScaleError, match="estimated_size"):
        _ = scale.size
    size = scale.estimated_size()
    assert 426_591_837 < size.low < size.value < size.high < 2**32  # more than at length 30


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"measure": "DCG(base=2)"}, "rankings of one length"),
        ({"measure": "Twist@10"}, "counts"),
        ({"measure": "Twist@4", "counts": (9, 3)}, "a depth of 6 or more"),
        ({"measure": "Twist@10", "counts": (9, 3), "universe": "all"}, "universe='feasible'"),
        ({"measure": "DCG(base=2)@5", "universe": "feasible"}, "counts"),
        ({"measure": "P@5", "universe": "some"}, "'all' or 'feasible'"),
        ({"measure": "P@5", "levels": ()}, "one or more"),
        ({"measure": "P@5", "counts": (1, 2, 3)}, "for each of the levels"),
        ({"measure": "P@5", "method": "guess"}, "method must be"),
        ({"measure": "P@5", "method": "certified"}, "no certified method"),
        ({"measure": "P@5", "deduplicate": "float"}, "for AP only"),
    ],
)
def test_what_makes_no_scale_says_why(asked: dict[str, Any], message: str) -> None:
    with pytest.raises((ScaleError, ParameterError), match=message):
        rs.scale(**asked).rank([1])


def test_strange_rankings_are_refused() -> None:
    scale = rs.scale("P@3")
    with pytest.raises(ScaleError, match="has the grade 2, which is not one of the levels 0, 1"):
        scale.rank([2])
    with pytest.raises(ParameterError, match="has 4 documents"):
        scale.rank([1, 1, 1, 1])
    with pytest.raises(ScaleError, match="2 documents with a gain of 1, where there are 1"):
        rs.scale("DCG(base=2)@3", counts=(9, 1), universe="feasible").rank([1, 1])


def test_spacing_says_what_is_on_an_interval_scale() -> None:
    equal = ["P@10", "R@10", "F@10", "RBP(p=0.5)@30", "RBP(p=0.5)@10", "DCG(base=10)@10", "CG@7"]
    other = ["RR@10", "RBP(p=0.8)@10", "RBP(p=0.3)@10", "DCG(base=2)@10", "AP@10", "ERR@8", "DCG(base=2)@30"]
    for measure, expected in [*((one, True) for one in equal), *((one, False) for one in other)]:
        spacing = rs.scale(measure).spacing
        assert spacing is not None
        assert spacing.equal == expected, measure
    of_rr, of_rbp = rs.scale("RR@10").spacing, rs.scale("RBP(p=0.8)@5").spacing
    assert of_rr is not None
    assert of_rbp is not None
    assert of_rr.ratio == pytest.approx((1 / 2) / (1 / 9 - 1 / 10))
    assert of_rr.symmetric is False
    assert of_rbp.unused.above == pytest.approx(0.8**5)
    assert of_rbp.symmetric is True


def test_values_at_the_ends_are_the_measures_own() -> None:
    for measure, first, last in [
        ("P@4", [0, 0.25], [0.75, 1]),
        ("RR(damping=1)@4", [0, 1 / 5], [1 / 3, 1 / 2]),
        ("RBP(p=0.8)@3", [0, 0.2 * 0.64], [0.2 + 0.2 * 0.8, 1 - 0.8**3]),
        ("RBP(p=0.4)@2", [0, 0.6 * 0.4], [0.6, 0.6 + 0.24]),
        ("DCG(base=2)@3", [0, 1 / math.log2(3)], [2, 2 + 1 / math.log2(3)]),
        ("AP@2", [0, 1 / 4], [1 / 2, 1]),
    ]:
        found = rs.scale(measure).ends(2)
        np.testing.assert_allclose(found[0], first, atol=1e-12)
        np.testing.assert_allclose(found[1], last, atol=1e-12)


def test_notes_say_what_the_numbers_rest_on() -> None:
    def notes(measure: str, **asked: Any) -> str:
        return " | ".join(rs.scale(measure, **asked).notes)

    assert "any p up to 1/2" in notes("RBP(p=0.3)@10")
    assert "any p" not in notes("RBP(p=0.8)@10")
    assert "surrogate" in notes("AP@10")
    assert "surrogate" not in notes("DCG(base=2)@10")
    assert "DCG and nDCG" in notes("nDCG@10")
    assert "this is the scale of P" in notes("DCG(base=10)@10")
    assert "near 0" in notes("DCG(base=2)@100")


def test_the_floor_is_seen() -> None:
    spread = np.array([[0.2, 0.3, 0.4], [0.5, 0.1, 0.3]])
    floor = floor_effect(spread)
    assert floor is not None
    assert floor.warning == ""
    decided = floor_effect(np.array([[1e-9, 1e-8, 0.9, 1e-5], [1e-7, 0.3, 1e-9, np.nan]]))
    assert decided is not None
    assert "one topic decides" in decided.warning
    crowded = floor_effect(np.full((2, 40), 1e-4))
    assert crowded is not None
    assert "100% of the values lie below 0.01" in crowded.warning
    assert floor_effect(np.full((2, 2), np.nan)) is None


def test_more_gains_than_a_byte_holds() -> None:
    scale = rs.scale("CG@2", levels=range(300))
    assert scale.size == 599
    assert scale.ranks([[0, 0], [256, 0], [1, 0], [299, 299]]) == [1, 257, 2, 599]


@pytest.mark.parametrize("measure", ["RR@5", "Success@5", "AP@5", "P@5", "ERR@5", "DCG(base=2)@5", "RBP(p=0.8)@5"])
@pytest.mark.parametrize("level", [0, 1])
def test_one_level_makes_one_value(measure: str, level: int) -> None:
    scale = rs.scale(measure, levels=(level,), highest=1)
    assert scale.size == 1
    assert np.isnan(scale.normalised([[level] * 5])).all()
    assert scale.spacing is None


def test_irrational_gains_are_refused() -> None:
    for measure in ("CG(gains='exp')@4", "ERR@4"):
        with pytest.raises(ScaleError, match="irrational"):
            rs.scale(measure, levels=(0, 0.5, 1))


@pytest.mark.parametrize("measure", ["nDCG@36", "RBP(p=0.8)@33", "DCG(base=10)@40", "DCG(base=2)@44"])
def test_the_ends_of_a_scale_lie_in_their_brackets(measure: str) -> None:
    scale = rs.scale(measure, method="certified")
    assert scale.bracket([]).lower == 0
    assert scale.bracket([1] * scale.depth).upper == 1


def test_values_within_brackets_keep_the_order_of_the_measure() -> None:
    draw = np.random.default_rng(5)
    rankings = (draw.random((300, 40)) < draw.uniform(0.02, 0.6, (300, 1))).astype(int)
    exact = rs.scale("DCG(base=2)@40").normalised(rankings)
    certified = rs.scale("DCG(base=2)@40", method="certified").normalised(rankings)
    order = np.argsort(exact, kind="stable")
    assert (np.diff(certified[order]) >= 0).all()
    assert np.abs(certified - exact).max() < 1e-5


def test_what_would_take_hours_is_not_started() -> None:
    for measure in ("DCG(discount='rank')@40", "AP@32"):
        with pytest.raises(ScaleError, match="use method='exact'"):
            rs.scale(measure).rank([1])
    with pytest.raises(ScaleError, match="mean ranks are counted exactly"):
        rs.scale("DCG(base=2)@48").mid_rank([1])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"measure": "nDCG@5", "levels": (1,), "counts": (2,), "universe": "feasible"}, "too few documents"),
        ({"measure": "AP@3", "counts": -1}, "0 or more"),
        ({"measure": "AP@3", "counts": (5.7, 1.2)}, "whole numbers"),
        ({"measure": "AP@3", "deduplicate": "foo"}, "'exact' or 'float'"),
        ({"measure": "Interval(P@5)"}, "already"),
        ({"measure": "DCG(base=2,gains=[0,1e60])@5"}, "gains are too large"),
    ],
)
def test_strange_questions_are_refused(asked: dict[str, Any], message: str) -> None:
    with pytest.raises((ScaleError, ParameterError), match=message):
        rs.scale(**asked).rank([1])


def test_counts_go_with_their_levels_in_any_order() -> None:
    assert rs.scale("P@5", levels=(1, 0), counts=[2, 100], universe="feasible").size == 3
    assert rs.scale("AP@4", counts=10**30, universe="feasible").size == rs.scale("AP@4").size


def test_a_scale_shows_itself_however_large() -> None:
    assert "about" in repr(rs.scale("RBP(p=0.5)@5000"))
    assert "not counted" in repr(rs.scale("AP@100"))
