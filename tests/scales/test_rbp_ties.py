"""RBP with ties: against exact values of all rankings, the stored vectors, and other ways to count."""

import json
from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale.errors import ScaleError
from rankscale.scales.counting import rbp_ties
from rankscale.scales.counting.image import Image, Limits, Universe
from rankscale.scales.counting.lexicographic import LexicographicImage, is_lexicographic
from rankscale.scales.counting.listed import EnumeratedImage
from rankscale.scales.counting.rbp_ties import TiedImage, predicted, ties_possible


def exact_values(gains, depth, p, zero):
    """For each ranking in the order of a dictionary, the sum of gains times powers of p."""
    values, power = [zero], None
    for _ in range(depth):
        power = p if power is None else power * p  # the weights of ranks are p, p^2, ...: all times the same factor
        values = [value + gain * power for value in values for gain in gains]
    return values


def agrees(image, values):
    rankings = np.array(list(product(range(len(image.universe.gains)), repeat=image.universe.depth)))
    distinct, counted = sorted(set(values)), Counter(values)
    rank = {value: place for place, value in enumerate(distinct, start=1)}
    below = dict(zip(distinct, np.cumsum([0, *(counted[value] for value in distinct)]).tolist(), strict=False))
    assert image.size == len(distinct)
    assert image.ranks(rankings) == [rank[value] for value in values]
    assert image.among_rankings(rankings) == [(below[value], counted[value]) for value in values]


RATIONAL = [
    (Fraction(1, 2), (0, 1, 2), 6),
    (Fraction(1, 2), (0, 1, 3, 7), 5),
    (Fraction(2, 3), (0, 1, 2, 3), 5),
    (Fraction(4, 5), (0, 1, 2, 3, 4, 5), 4),
    (Fraction(4, 5), (0, 1, 10, 100), 5),
    (Fraction(4, 5), (0, 1, 2, 3), 5),  # without ties
    (Fraction(3, 4), (Fraction(1, 3), Fraction(2, 3), Fraction(5, 3)), 6),
]


@pytest.mark.parametrize(("p", "gains", "depth"), RATIONAL)
def test_rational_p(p, gains, depth):
    gains = tuple(map(Fraction, gains))
    values = exact_values(gains, depth, p, Fraction(0))
    image = TiedImage(Universe(gains, depth), p)
    agrees(image, values)
    shown = [float(value * (1 - p) / p) for value in sorted(set(values))]
    assert np.allclose(image.values(), shown, rtol=1e-15, atol=0)
    first, last = image.ends(3)
    assert np.array_equal(first, image.values()[:3])
    assert np.array_equal(last, image.values()[-3:])
    assert ties_possible(p, gains, depth) == (len(set(values)) < len(values))


@pytest.mark.parametrize(("base", "gains"), [(Fraction(2, 3), (0, 1, 2, 3)), (Fraction(4, 5), (0, 1, 2, 3, 4, 5))])
def test_what_lies_within_the_margin_is_settled(base, gains, monkeypatch):
    """Keys of few bits: nearly everything is within the margin, and still each rank is right."""
    depth = 5
    universe = Universe(tuple(map(Fraction, gains)), depth)
    rankings = np.array(list(product(range(len(gains)), repeat=depth)))[::7]
    image = TiedImage(universe, base)
    ranks, among = image.ranks(rankings), image.among_rankings(rankings)
    monkeypatch.setattr(rbp_ties, "KEY_BITS", 10)
    rough = TiedImage(universe, base)
    assert any(near > 1 for _, near in rough._canonical.counted(rough._targets(rankings), rough._margin, None))
    assert rough.ranks(rankings) == ranks
    assert rough.among_rankings(rankings) == among


@pytest.mark.parametrize("most_keys", [1, 1 << 21])
def test_any_cut_gives_the_same(most_keys, monkeypatch):
    monkeypatch.setattr(rbp_ties, "MOST_KEYS", most_keys)
    p, gains = Fraction(1, 2), tuple(map(Fraction, (0, 1, 3)))
    agrees(TiedImage(Universe(gains, 6), p), exact_values(gains, 6, p, Fraction(0)))


ps = st.fractions(min_value=Fraction(1, 6), max_value=Fraction(5, 6), max_denominator=6)
gain_sets = st.lists(st.integers(0, 7), min_size=1, max_size=3, unique=True).map(
    lambda gains: tuple(Fraction(gain, 2) for gain in sorted(gains))
)


@settings(max_examples=60)
@given(ps, gain_sets, st.integers(1, 5))
def test_laws(p, gains, depth):
    """Exact enumeration, enumeration by floats and first differences, wherever they apply."""
    universe = Universe(gains, depth)
    image = TiedImage(universe, p)
    values = exact_values(gains, depth, p, Fraction(0))
    agrees(image, values)
    assert ties_possible(p, gains, depth) == (len(set(values)) < len(values))
    assert not ties_possible(p, gains, depth) or ties_possible(p, gains)
    rankings = np.array(list(product(range(len(gains)), repeat=depth)))
    others: list[Image] = []
    if is_lexicographic(p, gains, depth):
        others.append(LexicographicImage(universe, p))
    weights = (1 - float(p)) * float(p) ** np.arange(depth)
    others.append(EnumeratedImage(universe, lambda r: np.array([float(gain) for gain in gains])[r] @ weights))
    for other in others:
        assert other.size == image.size
        assert other.ranks(rankings) == image.ranks(rankings)
        assert other.among_rankings(rankings) == image.among_rankings(rankings)
        assert np.allclose(other.values(), image.values(), rtol=1e-12, atol=1e-14)


def test_facts_on_ties():
    def gains(*numbers):
        return tuple(map(Fraction, numbers))

    for p in ("0.3", "0.5", "0.8", "0.95"):
        assert not ties_possible(Fraction(p), gains(0, 1))
    assert not ties_possible(Fraction(4, 5), gains(0, 1, 2, 3, 4))
    assert not ties_possible(Fraction(4, 5), gains(0, 1, 3, 7))
    assert ties_possible(Fraction(1, 2), gains(0, 1, 2))
    assert ties_possible(Fraction(2, 3), gains(0, 1, 2, 3))
    assert ties_possible(Fraction(4, 5), gains(0, 1, 2, 3, 4, 5))
    assert not ties_possible(Fraction(1, 2), gains(1))
    assert ties_possible(Fraction(0), gains(0, 1))


def test_refusals():
    binary = (Fraction(0), Fraction(1))
    with pytest.raises(ScaleError):
        TiedImage(Universe(binary, 4, Limits((-1, 0), (1,))), Fraction(1, 2))
    with pytest.raises(ScaleError):
        TiedImage(Universe(tuple(map(Fraction, (0, 1, 2))), 100), Fraction(1, 2))
    for p in (Fraction(0), Fraction(1)):
        with pytest.raises(ScaleError):
            TiedImage(Universe(binary, 4), p)


def test_cost_and_progress():
    universe = Universe(tuple(map(Fraction, (0, 1, 2))), 20)
    cost = predicted(universe, Fraction(1, 2))
    assert 0 < cost.setup < 5
    assert 0 < cost.each < 0.01
    steps = []
    rankings = np.random.default_rng(0).integers(0, 3, (20, 20))
    TiedImage(universe, Fraction(1, 2)).ranks(rankings, lambda done, of: steps.append((done, of)))
    assert steps[-1] == (20, 20)


def test_vectors(shared_data):
    cases = json.loads((shared_data.parent / "vectors" / "interval.json").read_text())["cases"]
    images = {}
    for case in cases:
        if case["measure"] != "rbp" or case["N"] > 20 or case["params"]["p"] == "(sqrt(5)-1)/2":  # no fraction
            continue
        base, gains = Fraction(case["params"]["p"]), tuple(map(Fraction, case["gains"]))
        key = base, gains, case["N"]
        if key not in images:
            images[key] = TiedImage(Universe(gains, case["N"]), base)
        assert (images[key].size, images[key].ranks(np.array([case["run"]]))) == (case["n_distinct"], [case["phi"]])
        if "runs_less" in case:
            counted = images[key].among_rankings(np.array([case["run"]]))
            assert counted == [(case["runs_less"], case["runs_equal"])]
    assert len(images) > 20
