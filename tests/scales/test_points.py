"""Numbers on certified scales: in the order of exact values, in their brackets, and as far as doubles can tell."""

import math
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest

import rankscale as rs
from rankscale.data.arrays import Ints
from rankscale.data.judged import judged
from rankscale.measures.base.parser import parse
from rankscale.sample import QRELS, RUNS
from rankscale.studies.intervals import in_one_order

DIGITS = 120


def discounted(ranking: list[int]) -> Fraction:
    """DCG with base 2, to 120 digits."""
    with localcontext(Context(prec=DIGITS)):
        two = Decimal(2).ln()
        return Fraction(sum(Decimal(g) * two / Decimal(max(i, 2)).ln() for i, g in enumerate(ranking, 1)))


def geometric(p: Fraction) -> Callable[[list[int]], Fraction]:
    return lambda ranking: sum((g * p**i for i, g in enumerate(ranking) if g), Fraction(0))


CASES: dict[str, tuple[Callable[[list[int]], Fraction], tuple[int, ...]]] = {
    "DCG(base=2)@60": (discounted, (0, 1)),
    "DCG(base=2)@100": (discounted, (0, 1, 2)),
    "RBP(p=0.8)@120": (geometric(Fraction(4, 5)), (0, 1)),
    "RBP(p=0.95)@100": (geometric(Fraction(19, 20)), (0, 1)),
}


def rankings(depth: int, highest: int) -> Ints:
    """Of all shares of relevant documents; neighbours that differ at the last ranks; single documents; the extremes."""
    draw = np.random.default_rng(depth)
    made = [
        np.where(draw.random(depth) < share, draw.integers(1, highest + 1, depth), 0)
        for share in (0.02, 0.1, 0.3, 0.5, 0.7, 0.95)
        for _ in range(15)
    ]
    for ranking in made[::3]:
        for rank in (depth - 1, depth - 2, depth // 2):
            other = ranking.copy()
            other[rank] = highest - other[rank]
            made.append(other)
    single = highest * np.eye(depth, dtype=np.int64)
    return np.vstack([*made, single, np.zeros(depth, np.int64), np.full(depth, highest)])


@pytest.mark.parametrize("name", CASES)
def test_numbers_follow_exact_values(name: str) -> None:
    """A larger value never has a smaller number, and equal values have the same: compared with exact arithmetic."""
    exact, levels = CASES[name]
    scale = rs.scale(name, levels, method="certified")
    some = rankings(scale.depth, levels[-1])
    numbers = {
        "normalised": scale.normalised(some),
        "log10": scale.log10_ranks_of_places(scale.places_of(some)),
    }
    values = [exact(row) for row in some.tolist()]
    order = sorted(range(len(values)), key=lambda place: values[place])
    for form, own in numbers.items():
        for before, after in pairwise(order):
            if values[after] - values[before] < Fraction(1, 10**100):
                assert own[before] == own[after], form
            else:
                assert own[before] <= own[after], form
    normalised = numbers["normalised"]
    assert (normalised[-2], normalised[-1]) == (0, 1)
    assert ((normalised > 0) == some.any(axis=1)).all()  # nothing but the lowest ranking is at 0
    low = {round(values[place], 100) for place in order if normalised[place] < 0.5}
    if scale.depth < 120:  # doubles tell all of them apart
        assert len(np.unique(normalised[normalised < 0.5])) == len(low)


@pytest.mark.parametrize("name", CASES)
def test_numbers_lie_in_their_brackets(name: str) -> None:
    _, levels = CASES[name]
    scale = rs.scale(name, levels, method="certified")
    places = scale.places_of(rankings(scale.depth, levels[-1]))
    number = scale.normalised_places(places)
    lower, upper = scale.bracket_places(places)
    assert ((lower <= number) & (number <= upper)).all()
    assert (upper - lower < 1.2e-5).all()


def test_the_lowest_rankings_have_their_ranks() -> None:
    """At length 45 the lowest are counted one by one: two relevant documents at the end."""
    scale = rs.scale("DCG(base=2)@45", method="certified")
    documents = [some for size in range(3) for some in combinations(range(3, 46), size)]  # three weigh .54 or more
    sums = {round(sum(1 / math.log2(rank) for rank in some), 12) for some in documents}
    for ranks in ((45,), (44,), (31,), (45, 44), (45, 40), (9,)):
        row = [int(rank in ranks) for rank in range(1, 46)]
        own = sum(1 / math.log2(rank) for rank in ranks)
        rank = sum(value <= own + 1e-9 for value in sums)
        assert float(scale.normalised([row])[0]) == pytest.approx((rank - 1) / (scale.size - 1), rel=1e-9)
        assert scale.log10_ranks_of_places(scale.places_of([row]))[0] == pytest.approx(math.log10(rank), abs=1e-9)


def test_logarithms_are_near_the_exact_ones() -> None:
    exact, certified = (rs.scale("DCG(base=2)@36", method=method) for method in ("exact", "certified"))
    draw = np.random.default_rng(4)
    some = [(draw.random(36) < share).astype(int).tolist() for share in (0.05, 0.1, 0.2, 0.5, 0.9) for _ in range(4)]
    expected = [math.log10(rank) for rank in exact.ranks(some)]
    got = certified.log10_ranks_of_places(certified.places_of(some))
    np.testing.assert_allclose(got, expected, atol=0.05)
    np.testing.assert_array_equal(exact.log10_ranks_of_places(exact.places_of(some)), expected)
    for ranking, own in zip(some, got.tolist(), strict=True):
        lower, upper = certified.log10_rank(ranking)
        assert lower - 0.05 < own < upper + 0.05


def test_where_exact_ranks_are_at_hand_brackets_hold_them() -> None:
    scale = rs.scale("DCG(base=2)@4", method="certified")
    assert scale.normalised([[1, 0, 0, 1]]).tolist() == [5 / 11]


def test_tau_by_topic_is_one_on_long_rankings() -> None:
    found = rs.intervals(QRELS, list(RUNS), ["DCG(base=2)@100", "nDCG@1000", "RBP@1000"])
    for pair in found.pairs:
        assert (pair.counted, pair.defined) == (50, 50)
        assert (pair.by_topic == 1).all()
    values = found.evaluation.values
    assert ((values[4] > 0) == (values[1] > 0)).all()  # no ranking with something relevant is at 0
    (lost,) = [warning for warning in found.warnings if "double" in warning and "distinct values of" in warning]
    assert lost == (
        "Interval(RBP@1000): 2 distinct values of RBP@1000 fall into 1 double, as ranks are closer than numbers can "
        "be; tau by topic keeps the order of the measure there"
    )
    assert any("are below 1e-290, where doubles end" in warning for warning in found.warnings)


def test_ties_on_either_side_are_broken_by_the_other() -> None:
    values = np.array([[0.3, 0.1 + 0.2, 0.5, 0.6, 0.6, 0.1]])
    scaled = np.array([[0.2, 0.2, 0.7, 0.7, 0.7, 0.0]])
    by_value, by_rank, shared = in_one_order(values, scaled)
    assert by_value.tolist() == by_rank.tolist() == [[1, 1, 2, 3, 3, 0]]
    assert (shared.values, shared.doubles) == (2, 1)
    by_value, by_rank, shared = in_one_order(values, np.array([[0.2, 0.1, 0.7, 0.8, 0.8, 0.9]]))
    assert by_value.tolist() == [[2, 1, 3, 4, 4, 0]]  # 0.3 twice: rounding errors, in the order of ranks
    assert by_rank.tolist() == [[1, 0, 2, 3, 3, 4]]  # a real disagreement stays one
    assert shared.values == 0


def test_the_form_log10() -> None:
    """Of DCG at 4: the ranking has the sixth of twelve values."""
    short = parse("Interval(DCG(base=2)@4,form='log10')")
    assert short.value(judged("1 0 0 1")).tolist() == [math.log10(6)]
    assert str(short) == "Interval(DCG(base=2)@4,form='log10')"
    assert short.scale_type((0, 1)) == "ordinal"
    long = rs.evaluate(QRELS, list(RUNS)[:2], "Interval(nDCG@1000,form='log10')")
    assert any(
        "logarithms of ranks are for looking at long rankings: this is not an interval scale" in w
        for w in long.warnings
    )
    assert any("values are approximations, right to some percent of the rank" in w for w in long.warnings)
    assert np.nanmin(long.values) >= 0


@pytest.mark.slow
def test_a_rough_law_is_named() -> None:
    """RBP with p = 0.55 has values in clusters within clusters: no smooth curve stays in brackets of 1e-5."""
    scale = rs.scale("RBP(p=0.55)@300")
    assert 1e-5 < scale.excess < 1e-2
    draw = np.random.default_rng(3)
    places = draw.integers(2, size=(40, 300))
    number = scale.normalised_places(places)
    lower, upper = scale.bracket_places(places)
    assert ((lower <= number) & (number <= upper)).all()
    order = sorted(range(40), key=lambda row: geometric(Fraction(11, 20))(places[row].tolist()))
    assert (np.diff(number[np.array(order)]) >= 0).all()
    assert rs.scale("DCG(base=2)@100").excess == 0
