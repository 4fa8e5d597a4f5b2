"""Twist's image: against its definition in exact fractions, the measure itself, and the stored vectors."""

import json
from fractions import Fraction
from itertools import accumulate, pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale.data.judged import judged
from rankscale.errors import ScaleError
from rankscale.measures.twist import Twist
from rankscale.scales.counting.image import Limits, Universe
from rankscale.scales.counting.listed import EnumeratedImage
from rankscale.scales.counting.twist import TwistImage, predicted

CROSSINGS = ("return", "literal", "positive")


def topic(counts, depth, *, feasible=True):
    limits = Limits((-1, *range(len(counts))), tuple(counts)) if feasible else None
    return Universe(tuple(Fraction(grade) for grade in range(len(counts) + 1)), depth, limits)


def positions(ranking, counts):
    """RP, rank by rank (SPEC 5)."""
    relevant = sum(counts)
    places, first = {0: (relevant + 1, 10**9)}, 1
    for grade in range(len(counts), 0, -1):
        places[grade] = (first, first + counts[grade - 1] - 1)
        first += counts[grade - 1]
    found = []
    for rank, grade in enumerate(ranking, start=1):
        low, high = places[grade]
        found.append(rank - low if rank < low else max(rank - high, 0))
    return found


def crossing_of(crp, crossing):
    """SPEC 5: the rank of the crossing, None for infinity."""
    pairs = list(enumerate(pairwise(crp), start=1))
    if crossing == "return":
        found = [j for j, (a, b) in pairs if a < 0 <= b]
        return found[0] if found else (None if min(crp) < 0 else 1)
    if crossing == "positive":
        found = [j for j, (a, b) in pairs if a <= 0 < b]
        return found[0] if found else (1 if not any(crp) else None)
    found = [j for j, (a, b) in pairs if a * b <= 0]
    return found[0] if found else None


def twist_of(ranking, counts, crossing):
    """SPEC 6, in fractions."""
    relevant = sum(counts)
    worst = [0] * (len(ranking) - relevant) + [g for g, n in enumerate(counts, start=1) for _ in range(n)]
    own, full = positions(ranking, counts), positions(worst, counts)
    kept = []
    for sign in (1, -1):
        spaces = [sum(max(sign * rp, 0) for rp in all_rp) for all_rp in (own, full)]
        kept.append(1 - Fraction(spaces[0], spaces[1]))
    sigma = 2 * kept[0] * kept[1] / sum(kept) if sum(kept) else Fraction(0)
    crossed = crossing_of(list(accumulate(own)), crossing)
    rho = Fraction(relevant, max(relevant, crossed)) if crossed else Fraction(0)
    return (rho + sigma) / 2


def rankings_of(universe, counts):
    for ranking in product(range(len(counts) + 1), repeat=universe.depth):
        if not universe.limits or all(ranking.count(g) <= n for g, n in enumerate(counts, start=1)):
            yield ranking


def agrees(universe, counts, crossing):
    image = TwistImage(universe, counts, crossing)
    rankings = list(rankings_of(universe, counts))
    values = [twist_of(ranking, counts, crossing) for ranking in rankings]
    distinct = sorted(set(values))
    rank = {value: place for place, value in enumerate(distinct, start=1)}
    assert image.size == len(distinct)
    assert image.ranks(np.array(rankings)) == [rank[value] for value in values]
    assert np.array_equal(image.values(), [float(value) for value in distinct])


@pytest.mark.parametrize("crossing", CROSSINGS)
@pytest.mark.parametrize("feasible", [True, False])
@pytest.mark.parametrize(("counts", "depth"), [((3,), 8), ((2, 1), 7), ((1, 2), 6), ((1, 1, 1), 6), ((4,), 10)])
def test_every_ranking(counts, depth, feasible, crossing):
    agrees(topic(counts, depth, feasible=feasible), counts, crossing)


@settings(max_examples=40)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=3), st.integers(0, 3), st.sampled_from(CROSSINGS))
def test_small_topics(counts, longer, crossing):
    relevant = sum(counts)
    if relevant == 0:
        return
    depth = max(2, min(2 * relevant + longer, 7))
    if depth < 2 * relevant:
        return
    agrees(topic(counts, depth), counts, crossing)


@pytest.mark.parametrize("crossing", CROSSINGS)
def test_the_measure_has_these_values(crossing):
    """All rankings of a topic, measured by Twist itself and enumerated: the same image."""
    counts, depth = (2, 1), 8
    universe = topic(counts, depth)

    def value_of(rankings):
        found = []
        for ranking in rankings.tolist():
            missed = [g for g, n in enumerate(counts, start=1) for _ in range(n - ranking.count(g))]
            table = judged(" ".join(map(str, ranking)), missed=" ".join(map(str, missed)))
            found.append(Twist(depth=depth, crossing=crossing).value(table)[0])
        return np.array(found)

    image, measured = TwistImage(universe, counts, crossing), EnumeratedImage(universe, value_of)
    assert np.allclose(image.values(), measured.values(), rtol=0, atol=1e-14)
    rankings = np.array(list(rankings_of(universe, counts)))
    assert image.ranks(rankings) == measured.ranks(rankings)


def test_vectors(shared_data):
    """They take crossings literally, and lengths below 2 RB as they are."""
    cases = json.loads((shared_data.parent / "vectors" / "interval.json").read_text())["cases"]
    used = 0
    for case in cases:
        if case["measure"] != "twist":
            continue
        counts = case["params"]["relevant_per_grade"]
        image = TwistImage(topic(counts, case["N"], feasible=case["universe"] == "feasible"), counts, "literal")
        assert (image.size, image.ranks(np.array([case["run"]]))) == (case["n_distinct"], [case["phi"]])
        assert image.values()[case["phi"] - 1] == float(Fraction(case["value"]))
        used += 1
    assert used > 15


def test_the_size_in_the_notes():
    """RB = 10 at 30 ranks: 33,920 values (INTERVALS 3, crossings taken literally)."""
    assert TwistImage(topic((10,), 30), (10,), "literal").size == 33920


def test_equal_floats_are_put_in_order_exactly():
    """1 - 1/k for neighbours k about 10^9 differ by 10^-18, which no float tells apart; given in any order."""
    below = 10**9 + np.array([3, 1, 2, 0])
    above, under = TwistImage._sorted(np.append(below - 1, 1), np.append(below, 2))
    found = [Fraction(a, b) for a, b in zip(above.tolist(), under.tolist(), strict=True)]
    assert found == sorted(found)
    assert len(set(above / under)) < len(found)


def test_refusals():
    with pytest.raises(ScaleError):
        TwistImage(topic((0,), 4), (0,))
    with pytest.raises(ScaleError):
        TwistImage(topic((5,), 4), (5,))
    with pytest.raises(ScaleError):
        TwistImage(topic((2, 0), 6, feasible=False), (2, 0))
    with pytest.raises(ScaleError):
        TwistImage(topic((60,), 1000), (60,))
    with pytest.raises(ScaleError):
        TwistImage(topic((1,), 4), (1,)).ranks(np.array([[1, 1, 0, 0]]))
    with pytest.raises(ScaleError):
        TwistImage(topic((2, 1), 8), (3,))


def test_cost():
    short, long = predicted(topic((5,), 20), (5,)), predicted(topic((20,), 50), (20,))
    assert 0 < short.setup < long.setup < 30
    assert 0 < short.memory < long.memory < 1 << 30
