"""Closed forms: every ranking of small universes, counted one by one, and the stored vectors."""

import json
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscale.errors import ScaleError
from rankscale.scales.counting import listed
from rankscale.scales.counting.image import Limits, Universe
from rankscale.scales.counting.listed import reciprocal_rank, success, sum_of_gains

BINARY = (Fraction(0), Fraction(1))


def rankings_of(universe):
    """All rankings, by the definition of limits."""
    for ranking in product(range(len(universe.gains)), repeat=universe.depth):
        if universe.limits:
            taken = Counter(universe.kinds[place] for place in ranking)
            if not universe.limits.allow(tuple(taken[kind] for kind in range(len(universe.limits.most)))):
                continue
        yield ranking


def agrees(image, value):
    """Size, ranks, numbers of rankings, listed values: all as plain counting has them."""
    rankings = list(rankings_of(image.universe))
    values = [value(ranking) for ranking in rankings]
    distinct, counted = sorted(set(values)), Counter(values)
    assert image.size == len(distinct)
    assert image.ranks(np.array(rankings)) == [distinct.index(v) + 1 for v in values]
    assert image.among_rankings(np.array(rankings)) == [
        (sum(n for other, n in counted.items() if other < v), counted[v]) for v in values
    ]
    assert np.allclose(image.values(), [float(v) for v in distinct], rtol=1e-14, atol=1e-15)
    first, last = image.ends(2)
    assert np.array_equal(first, image.values()[:2])
    assert np.array_equal(last, image.values()[-2:])


gain_sets = st.lists(
    st.fractions(min_value=-1, max_value=5, max_denominator=12), min_size=1, max_size=3, unique=True
).map(lambda gains: tuple(sorted(gains)))


@st.composite
def universes(draw, gains=gain_sets, longest=5):
    values, depth = draw(gains), draw(st.integers(1, longest))
    if draw(st.booleans()):
        return Universe(values, depth)
    kinds = draw(st.integers(1, len(values)))
    of = (-1, *(draw(st.integers(-1, kinds - 1)) for _ in values[1:]))
    return Universe(values, depth, Limits(of, tuple(draw(st.integers(0, 4)) for _ in range(kinds))))


@given(universes())
def test_sums_of_gains(universe):
    agrees(sum_of_gains(universe), lambda ranking: sum(universe.gains[place] for place in ranking))


@given(universes(st.just(BINARY)))
def test_reciprocal_rank_and_success(universe):
    agrees(reciprocal_rank(universe), lambda r: Fraction(1, r.index(1) + 1) if 1 in r else Fraction(0))
    agrees(success(universe), lambda r: Fraction(1 in r))


@pytest.mark.parametrize("gains", [(0, 1), (0, 1, 3), (1, 4, 10, 100), (Fraction(1, 3), Fraction(1, 2))])
def test_many_mixes_are_found_by_shifting(gains, monkeypatch):
    universe = Universe(tuple(map(Fraction, gains)), 7)
    listed_one_by_one = sum_of_gains(universe)
    monkeypatch.setattr(listed, "MOST_MIXES", 1)
    shifted = sum_of_gains(universe)
    assert np.array_equal(shifted.values(), listed_one_by_one.values())
    some = np.random.default_rng(1).integers(0, len(gains), (50, 7))
    assert shifted.ranks(some) == listed_one_by_one.ranks(some)
    with pytest.raises(ScaleError):
        shifted.among_rankings(some)


def test_gains_of_any_size():
    huge = Universe((Fraction(0), Fraction(1, 3), Fraction(10**40)), 3)
    agrees(sum_of_gains(huge), lambda ranking: sum(huge.gains[place] for place in ranking))


def test_a_thousand_ranks():
    universe = Universe(BINARY, 1000)
    ranking = np.zeros((1, 1000), dtype=np.int64)
    ranking[0, 10] = 1
    assert sum_of_gains(universe).among_rankings(ranking) == [(1, 1000)]
    assert reciprocal_rank(universe).ranks(ranking) == [1000 + 2 - 11]
    assert reciprocal_rank(universe).among_rankings(ranking) == [(2**989, 2**989)]


def test_rankings_beyond_the_documents_are_refused():
    universe = Universe(BINARY, 3, Limits((-1, 0), (1,)))
    with pytest.raises(ScaleError):
        sum_of_gains(universe).ranks(np.array([[1, 1, 0]]))
    with pytest.raises(ScaleError):
        sum_of_gains(Universe(BINARY, 3, Limits((0, 0), (1,))))


def test_vectors(shared_data):
    cases = json.loads((shared_data.parent / "vectors" / "interval.json").read_text())["cases"]
    chosen = [case for case in cases if case["measure"] in {"p", "cg", "rr"}]
    assert chosen
    for case in chosen:
        universe = Universe(tuple(map(Fraction, case["gains"])), case["N"])
        image = reciprocal_rank(universe) if case["measure"] == "rr" else sum_of_gains(universe)
        assert (image.size, image.ranks(np.array([case["run"]]))) == (case["n_distinct"], [case["phi"]])
        if "runs_less" in case:
            assert image.among_rankings(np.array([case["run"]])) == [(case["runs_less"], case["runs_equal"])]
