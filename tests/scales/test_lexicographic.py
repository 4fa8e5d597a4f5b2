"""RBP by first differences: against exact values of all rankings of small universes."""

import json
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscale.errors import ScaleError
from rankscale.scales.counting.image import Limits, Universe
from rankscale.scales.counting.lexicographic import (
    LexicographicImage,
    in_order,
    is_lexicographic,
    largest_lexicographic,
)

gain_sets = st.lists(st.fractions(min_value=0, max_value=4, max_denominator=6), min_size=2, max_size=3, unique=True)
ps = st.fractions(min_value=Fraction(1, 50), max_value=Fraction(49, 50), max_denominator=50)


def value(gains, ranking, p):
    return (1 - p) * sum((gains[place] * p**i for i, place in enumerate(ranking)), Fraction(0))


def allowed(universe):
    """All rankings that documents allow, in the order of a dictionary."""
    return [
        ranking
        for ranking in product(range(len(universe.gains)), repeat=universe.depth)
        if universe.limits is None
        or all(
            sum(universe.kinds[place] == kind for place in ranking) <= most
            for kind, most in enumerate(universe.limits.most)
        )
    ]


@given(gain_sets, ps, st.integers(1, 5))
def test_the_condition_is_exact(gains, p, depth):
    gains = tuple(sorted(gains))
    values = [value(gains, ranking, p) for ranking in product(range(len(gains)), repeat=depth)]
    ascending = all(before < after for before, after in pairwise(values))
    assert is_lexicographic(p, gains, depth) == ascending


@given(gain_sets, ps)
def test_the_largest_p_for_any_depth(gains, p):
    gains = tuple(sorted(gains))
    assert is_lexicographic(p, gains) == (p <= largest_lexicographic(gains))
    assert is_lexicographic(p, gains) == is_lexicographic(p, gains, 2000)  # p^2000 is less than any gap here


@given(gain_sets, st.integers(1, 5), st.data())
def test_ranks_with_and_without_limits(gains, depth, data):
    gains = tuple(sorted(gains))
    limits = None
    if data.draw(st.booleans()):
        kinds = (-1, *(data.draw(st.integers(-1, 1)) for _ in gains[1:]))
        limits = Limits(kinds, (data.draw(st.integers(0, 3)), data.draw(st.integers(0, 3))))
    universe, p = Universe(gains, depth, limits), largest_lexicographic(gains)
    image, rankings = LexicographicImage(universe, p), allowed(universe)
    assert image.size == len(rankings)
    assert image.ranks(np.array(rankings)) == list(range(1, len(rankings) + 1))
    assert image.among_rankings(np.array(rankings)) == [(before, 1) for before in range(len(rankings))]
    exact = [float(value(gains, ranking, p)) for ranking in rankings]
    assert np.allclose(image.values(), exact, rtol=1e-13, atol=1e-15)
    first, last = image.ends(3)
    assert np.allclose(first, exact[:3], rtol=1e-13, atol=1e-15)
    assert np.allclose(last, exact[-3:], rtol=1e-13, atol=1e-15)
    assert in_order(universe, 4).tolist() == [list(ranking) for ranking in rankings[:4]]


def test_all_kinds_can_be_limited():
    universe = Universe((Fraction(0), Fraction(1)), 4, Limits((0, 1), (3, 2)))
    image = LexicographicImage(universe, Fraction(1, 2))
    assert image.ranks(np.array(allowed(universe))) == list(range(1, image.size + 1))
    assert in_order(universe, 100).tolist() == [list(ranking) for ranking in allowed(universe)]


@pytest.mark.parametrize("base", [2, 3, 4])
def test_a_thousand_ranks(base):
    universe = Universe(tuple(Fraction(n) for n in range(base)), 1000)
    image = LexicographicImage(universe, Fraction(1, base))
    ranking = np.random.default_rng(3).integers(0, base, 1000)
    number = 0
    for place in ranking.tolist():
        number = number * base + place
    assert image.size == base**1000
    assert image.ranks(ranking[None]) == [number + 1]


def test_a_thousand_ranks_with_limits():
    universe = Universe((Fraction(0), Fraction(1)), 1000, Limits((-1, 0), (3,)))
    image = LexicographicImage(universe, Fraction(1, 2))
    ranking = np.zeros((1, 1000), dtype=np.int64)
    ranking[0, [2, 500]] = 1
    # below: up to three among the 997 last ranks; then, with rank 3, up to two of the 499 last
    below = sum(_choose(997, k) for k in range(4)) + sum(_choose(499, k) for k in range(3))
    assert image.ranks(ranking) == [below + 1]


def _choose(n, k):
    ways = Fraction(1)
    for i in range(k):
        ways = ways * (n - i) / (i + 1)
    return int(ways)


def test_what_is_not_lexicographic_is_refused():
    with pytest.raises(ScaleError):
        LexicographicImage(Universe((Fraction(0), Fraction(1)), 5), Fraction(4, 5))
    with pytest.raises(ScaleError):
        LexicographicImage(Universe((Fraction(0), Fraction(1)), 5, Limits((-1, 0), (1,))), Fraction(1, 2)).ranks(
            np.array([[1, 1, 0, 0, 0]])
        )


def test_vectors(shared_data):
    cases = json.loads((shared_data.parent / "vectors" / "interval.json").read_text())["cases"]
    used = 0
    for case in cases:
        if case["measure"] != "rbp" or "sqrt" in case["params"]["p"]:
            continue
        universe, p = Universe(tuple(map(Fraction, case["gains"])), case["N"]), Fraction(case["params"]["p"])
        if is_lexicographic(p, universe.gains):
            image, ranking = LexicographicImage(universe, p), np.array([case["run"]])
            assert (image.size, image.ranks(ranking)) == (case["n_distinct"], [case["phi"]])
            used += 1
    assert used > 20
