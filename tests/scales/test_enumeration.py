"""Enumeration: agrees with exact counting, and refuses what floats cannot tell apart."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscale.errors import ScaleError
from rankscale.scales.counting.image import Limits, Universe
from rankscale.scales.counting.lexicographic import LexicographicImage
from rankscale.scales.counting.listed import EnumeratedImage, cost_of_enumeration, sum_of_gains

BINARY = (Fraction(0), Fraction(1))


def sum_of_precisions(rankings):
    found = np.cumsum(rankings, axis=1)
    return (rankings * found / np.arange(1, rankings.shape[1] + 1)).sum(axis=1)


def exact_sum_of_precisions(ranking):
    return sum((Fraction(sum(ranking[: i + 1]), i + 1) for i, place in enumerate(ranking) if place), Fraction(0))


@pytest.mark.parametrize("most", [None, 0, 2, 5])
def test_against_exact_fractions(most):
    limits = None if most is None else Limits((-1, 0), (most,))
    image = EnumeratedImage(Universe(BINARY, 10, limits), sum_of_precisions)
    rankings = [r for r in product((0, 1), repeat=10) if most is None or sum(r) <= most]
    values = [exact_sum_of_precisions(r) for r in rankings]
    distinct, counted = sorted(set(values)), Counter(values)
    assert image.size == len(distinct)
    assert image.ranks(np.array(rankings)) == [distinct.index(v) + 1 for v in values]
    below = dict(zip(distinct, np.cumsum([0, *(counted[v] for v in distinct)]).tolist(), strict=False))
    assert image.among_rankings(np.array(rankings)) == [(below[v], counted[v]) for v in values]
    assert f"all {len(rankings):,} rankings enumerated" in str(image.provenance)


@given(st.integers(1, 8), st.integers(0, 3), st.randoms(use_true_random=False))
def test_other_ways_agree(depth, most, random):
    universe = Universe(BINARY, depth, Limits((-1, 0), (most,)))
    rankings = np.zeros((5, depth), dtype=np.int64)
    for row in rankings:
        row[random.sample(range(depth), random.randint(0, min(most, depth)))] = 1
    ways = [
        (sum_of_gains(universe), lambda r: r.mean(axis=1)),
        (LexicographicImage(universe, Fraction(3, 10)), lambda r: r @ (0.7 * 0.3 ** np.arange(depth))),
    ]
    for closed, value_of in ways:
        image = EnumeratedImage(universe, value_of)
        assert image.size == closed.size
        assert image.ranks(rankings) == closed.ranks(rankings)
        assert image.among_rankings(rankings) == closed.among_rankings(rankings)


def test_values_too_near_to_tell_are_refused():
    with pytest.raises(ScaleError, match="too little"):
        EnumeratedImage(Universe(BINARY, 2), lambda r: r @ np.array([1.0, 1e-10]))


def test_undefined_values_are_refused():
    with pytest.raises(ScaleError, match="undefined"):
        EnumeratedImage(Universe(BINARY, 2), lambda r: np.where(r.any(axis=1), 1.0, np.nan))


def test_too_many_rankings_are_refused_and_few_of_many_are_not():
    with pytest.raises(ScaleError, match="smaller depth"):
        EnumeratedImage(Universe(BINARY, 21), sum_of_precisions)
    few = Universe(BINARY, 60, Limits((-1, 0), (2,)))
    image = EnumeratedImage(few, lambda r: r.sum(axis=1).astype(float))
    assert image.among_rankings(np.eye(60, dtype=np.int64)[:1]) == [(1, 60)]
    assert cost_of_enumeration(few).memory > 0


def test_one_value():
    image = EnumeratedImage(Universe(BINARY, 3), lambda r: np.zeros(len(r)))
    assert (image.size, image.ranks(np.array([[0, 0, 1]])), image.among_rankings(np.array([[0, 0, 1]]))) == (
        1,
        [1],
        [(0, 8)],
    )


def test_progress_is_reported_to_the_end():
    steps = []
    image = EnumeratedImage(Universe(BINARY, 16), sum_of_precisions)
    image.ranks(np.tile(np.eye(16, dtype=np.int64), (1 << 12, 1)), lambda done, of: steps.append((done, of)))
    assert steps[-1] == (2**16, 2**16)
    assert len(steps) > 1
