"""Ranks where groups of ranks are independent: against plain enumeration, the reference vectors, and laws."""

import itertools
import json
import math
from collections import Counter
from collections.abc import Sequence
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscale.errors import ScaleError
from rankscale.scales.counting import sumsets, two_lists
from rankscale.scales.counting.groups import by_powers, by_roots
from rankscale.scales.counting.image import Limits, Universe
from rankscale.scales.counting.products import ProductImage, predicted

Gains = tuple[Fraction, ...]

DIGITS = 60
SAME, APART = Decimal("1e-50"), Decimal("1e-30")  # no two values of a small image lie between


def fractions(*numbers: float | str) -> tuple[Fraction, ...]:
    return tuple(Fraction(number) for number in numbers)


BINARY, GRADED = fractions(0, 1), fractions(0, 1, 2, 3)


def dcg(depth: int, gains: Gains, limits: Limits | None = None, base: int = 2, shift: int = 0) -> ProductImage:
    return ProductImage(Universe(gains, depth, limits), by_roots(depth, Fraction(base), gains, shift), "exact")


def rbp(depth: int, gains: Gains, p: str, limits: Limits | None = None) -> ProductImage:
    return ProductImage(Universe(gains, depth, limits), by_powers(depth, Fraction(p), gains), "exact")


def total_limit(gains: Gains, most: int) -> Limits:
    """At most so many documents that gain anything."""
    return Limits(tuple(-1 if gain == 0 else 0 for gain in gains), (most,))


def discounts(depth: int, base: int, shift: int = 0) -> list[Decimal]:
    """The weights of the definition, to 60 digits."""
    with localcontext(Context(prec=DIGITS)):
        return [
            Decimal(1) if rank + shift <= base else Decimal(base).ln() / Decimal(rank + shift).ln()
            for rank in range(1, depth + 1)
        ]


def powers(depth: int, p: str) -> list[Fraction]:
    return [Fraction(p) ** (rank - 1) for rank in range(1, depth + 1)]


class Enumerated:
    """Every ranking of a universe with its value; ranks by sorting them."""

    def __init__(self, weights: Sequence[Any], gains: Gains, limits: Limits | None = None) -> None:
        kinds = limits.kinds if limits else (-1,) * len(gains)
        most = limits.most if limits else ()
        self.rankings = [
            ranking
            for ranking in itertools.product(range(len(gains)), repeat=len(weights))
            if all(sum(kinds[grade] == kind for grade in ranking) <= n for kind, n in enumerate(most))
        ]
        with localcontext(Context(prec=DIGITS)):
            worth = [[w * (g if isinstance(w, Fraction) else _decimal(g)) for g in gains] for w in weights]
            values = [sum(row[grade] for row, grade in zip(worth, r, strict=True)) for r in self.rankings]
        order = sorted(range(len(values)), key=values.__getitem__)
        self.rank: dict[tuple[int, ...], int] = {}
        self.lower: dict[tuple[int, ...], int] = {}
        self.values: list[Any] = []
        for place, which in enumerate(order):
            if place == 0 or self._new(values[which] - self.values[-1]):
                self.values.append(values[which])
                lower = place
            self.rank[self.rankings[which]] = len(self.values)
            self.lower[self.rankings[which]] = lower
        self.equal = Counter(self.rank.values())

    @staticmethod
    def _new(step: Any) -> bool:
        """Fractions are exact; decimals are either the same to 50 digits or differ in the first 30."""
        if isinstance(step, Fraction | int):
            return step > 0
        assert step < SAME or step > APART
        return bool(step > APART)


def _decimal(fraction: Fraction) -> Decimal:
    return Decimal(fraction.numerator) / Decimal(fraction.denominator)


def agrees(image: ProductImage, plain: Enumerated, sample: int = 400) -> None:
    chosen = np.random.default_rng(3).permutation(len(plain.rankings))[:sample]
    rankings = [plain.rankings[place] for place in chosen]
    assert image.size == len(plain.values)
    assert image.ranks(np.array(rankings)) == [plain.rank[ranking] for ranking in rankings]
    counts = [(plain.lower[ranking], plain.equal[plain.rank[ranking]]) for ranking in rankings]
    assert image.among_rankings(np.array(rankings)) == counts
    np.testing.assert_allclose(image.values(), np.array(plain.values, dtype=np.float64), rtol=1e-15, atol=0)
    first, last = image.ends(3)
    np.testing.assert_array_equal(first, image.values()[:3])
    np.testing.assert_allclose(last, image.values()[-3:], rtol=1e-15, atol=0)


@pytest.mark.parametrize(
    ("depth", "gains", "base", "shift"),
    [
        *((depth, BINARY, 2, 0) for depth in (1, 2, 3, 4, 9, 12)),
        *((11, BINARY, base, shift) for base, shift in [(3, 0), (4, 0), (10, 0), (2, 1)]),
        *((6, gains, base, 0) for gains in (GRADED, fractions(0, 1, 3, 7)) for base in (2, 3)),
        (5, fractions(0, "1/2", 1), 2, 0),
        (6, fractions(-1, 0, 2), 2, 0),
    ],
)
def test_discounted_gain_agrees_with_all_rankings(depth, gains, base, shift):
    agrees(dcg(depth, gains, None, base, shift), Enumerated(discounts(depth, base, shift), gains))


@pytest.mark.parametrize(
    ("depth", "gains", "p"),
    [(12, BINARY, "4/5"), (10, BINARY, "3/10"), (6, GRADED, "19/20"), (6, GRADED, "4/5"), (1, GRADED, "1/2")],
)
def test_rank_biased_precision_agrees_with_all_rankings(depth, gains, p):
    agrees(rbp(depth, gains, p), Enumerated(powers(depth, p), gains))


@pytest.mark.parametrize(
    ("depth", "gains", "limits"),
    [
        (10, BINARY, total_limit(BINARY, 3)),
        (10, BINARY, total_limit(BINARY, 0)),
        (10, BINARY, total_limit(BINARY, 10)),
        (9, BINARY, Limits((0, -1), (5,))),  # few documents that are not relevant
        (7, fractions(0, 1, 2), total_limit(fractions(0, 1, 2), 3)),
        (8, fractions(0, 1, 2), Limits((-1, 0, 1), (2, 3))),
        (6, GRADED, Limits((-1, 0, 1, 2), (2, 1, 3))),
        (6, GRADED, Limits((0, 1, 2, 3), (4, 2, 1, 2))),
        (6, GRADED, Limits((-1, 0, 1, 2), (1, 9, 0))),
        (6, GRADED, Limits((-1, 0, 0, 1), (2, 2))),
        (8, fractions(0, 1, 2), Limits((-1, 0, -1), (2,))),
    ],
)
def test_feasible_universes_agree_with_all_their_rankings(depth, gains, limits):
    agrees(dcg(depth, gains, limits), Enumerated(discounts(depth, 2), gains, limits))


def test_feasible_rank_biased_precision_agrees_with_all_its_rankings():
    limits = Limits((-1, 0, 1, 2), (1, 2, 1))
    agrees(rbp(6, GRADED, "4/5", limits), Enumerated(powers(6, "4/5"), GRADED, limits))


def test_the_scale_of_the_paper():
    assert [dcg(depth, BINARY).size for depth in (5, 10, 15)] == [24, 768, 24576]
    rankings = [(1, 1, 1, 1), (1, 1, 1, 0), (1, 1, 0, 1), (1, 0, 1, 1), (0, 1, 1, 1), (1, 0, 0, 1), (0, 0, 1, 1)]
    assert dcg(4, BINARY).ranks(np.array(rankings)) == [12, 11, 10, 9, 9, 6, 5]


@pytest.fixture(scope="session")
def vectors(shared_data):
    with (shared_data.parent / "vectors" / "interval.json").open(encoding="utf-8") as file:
        cases = json.load(file)["cases"]
    return [case for case in cases if case["measure"] in {"dcg", "rbp"} and independent(case)]


def independent(case: dict[str, Any]) -> bool:
    """RBP whose values are as many as there are rankings; the others are not for groups."""
    return bool(case["measure"] == "dcg" or case["n_distinct"] == len(case["gains"]) ** case["N"])


@cache
def image_of(measure: str, parameters: Any, gains: tuple[str, ...], depth: int, relevant: int | None) -> ProductImage:
    numbers, named = fractions(*gains), dict(parameters)
    limits = None if relevant is None else total_limit(numbers, relevant)
    if measure == "dcg":
        return dcg(depth, numbers, limits, named["base"], named["shift"])
    return rbp(depth, numbers, named["p"], limits)


def image_of_case(case: dict[str, Any]) -> ProductImage:
    parameters = tuple(case["params"].items())
    return image_of(case["measure"], parameters, tuple(case["gains"]), case["N"], case.get("RB"))


def test_reference_vectors(vectors):
    small = [case for case in vectors if case["n_distinct"] < 1 << 46]
    assert len(small) == 374
    for case in small:
        image, ranking = image_of_case(case), np.array([case["run"]])
        assert image.size == case["n_distinct"], case["id"]
        assert image.ranks(ranking) == [case["phi"]], case["id"]
        if "runs_less" in case:
            lower, equal = image.among_rankings(ranking)[0]
            assert (lower, equal) == (case["runs_less"], case["runs_equal"]), case["id"]
            assert lower + Fraction(equal + 1, 2) == Fraction(case["midrank"]), case["id"]
    image_of.cache_clear()


@pytest.mark.nightly
def test_a_reference_vector_that_needs_four_lists(vectors):
    (case,) = [case for case in vectors if case["measure"] == "dcg" and case["N"] == 55]
    image = image_of_case(case)
    assert image.size == case["n_distinct"]
    assert image.ranks(np.array([case["run"]])) == [case["phi"]]


binary_rankings = st.lists(st.lists(st.integers(0, 1), min_size=20, max_size=20), min_size=1, max_size=5)


def four_of(image: ProductImage, *, weighted: bool = False) -> two_lists.FourLists:
    values = image._documents.assignments() if weighted else image._documents.values
    return two_lists.FourLists(image._keys, image._documents, values)


def test_reference_vectors_by_four_lists(vectors):
    """Vectors that need no more than two lists, whose 2^35 values are counted in a moment."""
    cases = [case for case in vectors if case["measure"] == "dcg" and case["N"] == 35]
    assert len(cases) == 4
    image = dcg(35, BINARY)
    image.__dict__["_by_value"] = four_of(image)
    assert image.ranks(np.array([case["run"] for case in cases])) == [case["phi"] for case in cases]


@cache
def by_two_and_by_four() -> tuple[ProductImage, ProductImage]:
    by_two, by_four = dcg(20, BINARY), dcg(20, BINARY)
    by_four.__dict__ |= {"_by_value": four_of(by_four), "_by_ranking": four_of(by_four, weighted=True)}
    return by_two, by_four


@pytest.mark.slow
@given(binary_rankings)
def test_four_lists_count_what_two_lists_count(rankings):
    image, by_four = by_two_and_by_four()
    assert by_four.ranks(np.array(rankings)) == image.ranks(np.array(rankings))
    assert by_four.among_rankings(np.array(rankings)) == image.among_rankings(np.array(rankings))


@pytest.mark.parametrize("window", [64, 1000])
def test_windows_of_any_size_count_the_same(monkeypatch, window):
    monkeypatch.setattr(two_lists, "WINDOW", window)
    monkeypatch.setattr(two_lists, "RUN", 32)
    image, by_four = dcg(12, GRADED), dcg(12, GRADED)
    by_four.__dict__["_by_value"] = four_of(by_four)
    rankings = np.random.default_rng(5).integers(0, 4, (8, 12))
    assert by_four.ranks(rankings) == image.ranks(rankings)


def with_coarse_keys(monkeypatch: pytest.MonkeyPatch, bits: int) -> None:
    """Keys so coarse that many values share one, or lie within the margin."""
    monkeypatch.setattr(sumsets.Keys, "bits", property(lambda _: bits))


@pytest.mark.parametrize("bits", [2, 6, 12])
@pytest.mark.parametrize("limits", [None, total_limit(GRADED, 3), Limits((-1, 0, 1, 2), (2, 1, 2))])
def test_values_too_near_for_keys_are_compared_exactly(monkeypatch, bits, limits):
    with_coarse_keys(monkeypatch, bits)
    agrees(dcg(6, GRADED, limits), Enumerated(discounts(6, 2), GRADED, limits), sample=30)


@pytest.mark.parametrize("bits", [3, 9])
def test_four_lists_with_coarse_keys(monkeypatch, bits):
    rankings = np.random.default_rng(6).integers(0, 2, (10, 12))
    expected = dcg(12, BINARY).ranks(rankings), dcg(12, BINARY).among_rankings(rankings)
    with_coarse_keys(monkeypatch, bits)
    monkeypatch.setattr(two_lists, "WINDOW", 100)
    image = dcg(12, BINARY)
    image.__dict__ |= {"_by_value": four_of(image), "_by_ranking": four_of(image, weighted=True)}
    assert (image.ranks(rankings), image.among_rankings(rankings)) == expected


def test_more_rankings_than_64_bits_can_count():
    """One group of 80 ranks of one weight is a binomial distribution; a rank more is a group for itself."""
    image = dcg(81, BINARY, base=80)
    relevant = 33
    ranking = np.array([[1] * relevant + [0] * (81 - relevant)])
    # The last rank weighs a little less than 1: with it 33 relevant ones are worth less than 33 without it.
    lower = sum(math.comb(80, n) for n in range(relevant)) + sum(math.comb(80, n) for n in range(relevant))
    assert image.among_rankings(ranking) == [(lower, math.comb(80, relevant))]
    assert image.ranks(ranking) == [2 * relevant + 1]


def test_gains_of_many_digits():
    """Numerators beyond 64 bits: gains written with 20 digits."""
    gains = fractions(0, "0.12345678901234567891", "0.98765432109876543219")
    agrees(dcg(6, gains), Enumerated(discounts(6, 2), gains))


def test_long_rankings_with_few_documents():
    """RBP with p = 4/5 at depth 100: choices of at most two ranks, counted by their fractions."""
    limits = total_limit(BINARY, 2)
    image = rbp(100, BINARY, "4/5", limits)
    chosen = [(), *((i,) for i in range(100)), *itertools.combinations(range(100), 2)]
    weights = powers(100, "4/5")
    ordered = sorted(chosen, key=lambda ranks: sum((weights[rank] for rank in ranks), Fraction(0)))
    rankings = np.zeros((len(ordered), 100), dtype=np.int64)
    for row, ranks in enumerate(ordered):
        rankings[row, list(ranks)] = 1
    assert image.size == len(ordered)
    assert image.ranks(rankings) == list(range(1, len(ordered) + 1))


def test_rankings_beyond_the_documents_are_refused():
    image = dcg(5, GRADED, Limits((-1, 0, 1, 2), (1, 2, 3)))
    with pytest.raises(ScaleError, match="has 2 documents with a gain of 1, where there are 1"):
        image.ranks(np.array([[0, 1, 0, 1, 2]]))
    with pytest.raises(ScaleError, match="has 3 documents with a gain of 2, where there are 2"):
        image.among_rankings(np.array([[2, 2, 2, 0, 0]]))


def test_what_is_too_much_is_refused(monkeypatch):
    with pytest.raises(ScaleError, match="too many to count exactly"):
        dcg(80, BINARY).ranks(np.zeros((1, 80), dtype=np.int64))
    with pytest.raises(ScaleError, match="limited documents"):
        dcg(80, BINARY, total_limit(BINARY, 40)).ranks(np.zeros((1, 80), dtype=np.int64))
    with pytest.raises(ScaleError, match="too many to list"):
        dcg(30, BINARY).values()
    with pytest.raises(ScaleError, match="too many to list"):
        dcg(30, BINARY).ends(1 << 23)
    monkeypatch.setattr(sumsets, "MOST_LABELS", 5)
    with pytest.raises(ScaleError, match="too many combinations"):
        _ = dcg(20, BINARY, total_limit(BINARY, 10)).size


def test_too_many_near_values_are_refused(monkeypatch):
    with_coarse_keys(monkeypatch, 2)
    monkeypatch.setattr(sumsets, "MOST_NEAR", 10)
    with pytest.raises(ScaleError, match="too near"):
        dcg(12, BINARY).ranks(np.ones((1, 12), dtype=np.int64))


def test_ends_of_an_image_too_large_to_list():
    first, last = dcg(200, BINARY).ends(4)
    weights = np.array(discounts(200, 2), dtype=np.float64)
    lowest = np.sort([0.0, *weights[-3:], weights[-1] + weights[-2]])[:4]
    np.testing.assert_allclose(first, lowest, rtol=1e-14)
    np.testing.assert_allclose(last, weights.sum() - lowest[::-1], rtol=1e-14)


def test_progress_is_told_and_ends_at_all(monkeypatch):
    monkeypatch.setattr(two_lists, "KEYS_AT_ONCE", 1)
    told = []
    rankings = np.random.default_rng(8).integers(0, 2, (5, 10))
    dcg(10, BINARY).ranks(rankings, lambda done, total: told.append((done, total)))
    assert told == [(done, 5) for done in range(1, 6)]


def test_no_rankings_have_no_ranks():
    assert dcg(10, BINARY).ranks(np.zeros((0, 10), dtype=np.int64)) == []


def test_cost_grows_with_the_depth():
    costs = [predicted(by_roots(depth, Fraction(2), BINARY), None) for depth in (10, 30, 40, 48, 55, 60)]
    assert [cost.each for cost in costs] == sorted(cost.each for cost in costs)
    assert costs[1].each < 0.001
    assert costs[2].each < 0.01
    assert all(cost.memory < 600e6 for cost in costs)
    with pytest.raises(ScaleError, match="too many to count exactly"):
        predicted(by_roots(80, Fraction(2), BINARY), None)


@given(st.lists(st.integers(0, 3), min_size=9, max_size=9), st.integers(0, 3))
def test_a_higher_gain_never_ranks_lower(ranking, better):
    image = dcg(9, GRADED)
    improved = [max(ranking[0], better), *ranking[1:]]
    low, high = image.ranks(np.array([ranking, improved]))
    assert (low < high) == (improved != ranking)


@given(st.lists(st.integers(0, 1), min_size=18, max_size=18))
def test_a_universe_with_enough_documents_is_that_of_all_rankings(ranking):
    limits = Limits((0, 1), (18, 18))
    rankings = np.array([ranking])
    assert dcg(18, BINARY, limits).ranks(rankings) == dcg(18, BINARY).ranks(rankings)
    assert dcg(18, BINARY, limits).among_rankings(rankings) == dcg(18, BINARY).among_rankings(rankings)
