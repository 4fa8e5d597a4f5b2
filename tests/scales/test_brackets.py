"""Brackets against ranks that are counted one by one in exact arithmetic, and against the reference brackets."""

import json
import math
from bisect import bisect_right
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale.data.arrays import Ints
from rankscale.scales.brackets.bracketing import Bracketing, log10_share
from rankscale.scales.brackets.circle import angles, vaaler
from rankscale.scales.counting.groups import RankGroup, by_powers, by_roots

DIGITS = Context(prec=60)


def fractions(*numbers: object) -> tuple[Fraction, ...]:
    return tuple(Fraction(str(number)) for number in numbers)


def weights_of(measure: str, parameter: Fraction, depth: int, shift: int = 0) -> list[Decimal]:
    """Weights of ranks with 60 digits, from the definitions."""
    with localcontext(DIGITS):
        if measure == "rbp":
            ratio = Decimal(parameter.numerator) / parameter.denominator
            return [ratio**rank for rank in range(depth)]
        log = Decimal(int(parameter)).ln()
        return [
            min(Decimal(1), log / Decimal(rank + shift).ln()) if rank + shift > 1 else Decimal(1)
            for rank in range(1, depth + 1)
        ]


def all_values(weights: list[Decimal], gains: tuple[Fraction, ...]) -> list[int]:
    """The values of all rankings, in 10^-40ths: true ties agree to far more digits, other values to far fewer."""
    with localcontext(DIGITS):
        parts = [[int((w * g.numerator / g.denominator).scaleb(50)) for g in gains] for w in weights]
    sums = [0]
    for part in parts:
        sums = [value + step for value in sums for step in part]
    return [round(value, -10) // 10**10 for value in sums]


CASES = {
    "dcg2": ("dcg", Fraction(2), 14, fractions(0, 1), 0),
    "dcg3": ("dcg", Fraction(3), 13, fractions(0, 1), 0),
    "dcg10": ("dcg", Fraction(10), 16, fractions(0, 1), 0),
    "log2(i+1)": ("dcg", Fraction(2), 13, fractions(0, 1), 1),
    "grades": ("dcg", Fraction(2), 7, fractions(0, 1, 2, 3), 0),
    "uneven": ("dcg", Fraction(2), 7, fractions(0, 1, 3, 7), 0),
    "wide": ("dcg", Fraction(2), 7, fractions(0, 1, 10, 100), 0),
    "not from zero": ("dcg", Fraction(2), 8, fractions("-1", "0.25", "2"), 0),
    "rbp.6": ("rbp", Fraction(3, 5), 13, fractions(0, 1), 0),
    "rbp.8": ("rbp", Fraction(4, 5), 14, fractions(0, 1), 0),
    "rbp.95": ("rbp", Fraction(19, 20), 12, fractions(0, 1), 0),
    "rbp graded": ("rbp", Fraction(4, 5), 7, fractions(0, 1, 3, 7), 0),
}


def groups_of(
    measure: str, parameter: Fraction, depth: int, gains: tuple[Fraction, ...], shift: int
) -> tuple[RankGroup, ...]:
    return by_powers(depth, parameter, gains) if measure == "rbp" else by_roots(depth, parameter, gains, shift)


@pytest.fixture(scope="module")
def images():
    return {name: all_values(weights_of(m, p, n, s), g) for name, (m, p, n, g, s) in CASES.items()}


def some_rankings(levels: int, depth: int, count: int, seed: int) -> Ints:
    """Random ones of every level of richness, with both ends of the scale."""
    chances = np.random.default_rng(seed)
    rich = chances.random((count, 1))
    rankings: Ints = np.minimum((chances.random((count, depth)) ** (2 * rich + 0.2) * levels).astype(int), levels - 1)
    rankings[:2] = [[0], [levels - 1]]
    return rankings


@pytest.mark.parametrize("by_rankings", [False, True])
@pytest.mark.parametrize("width", [3e-2, 1e-3])
@pytest.mark.parametrize("name", CASES)
def test_brackets_hold_the_exact_share(images, name, width, by_rankings):
    """48 settings with 60 rankings each: 2,880 checks."""
    _, _, depth, gains, _ = CASES[name]
    values = sorted(images[name]) if by_rankings else sorted(set(images[name]))
    bracketing = Bracketing(groups_of(*CASES[name]), width, by_rankings=by_rankings)
    assert bracketing.size == len(set(images[name]))
    rankings = some_rankings(len(gains), depth, 60, seed=len(name))
    lower, upper = bracketing.share(rankings)
    places = rankings @ len(gains) ** np.arange(depth)[::-1]  # rankings were enumerated with the last rank fastest
    for ranking, low, high in zip(places, lower, upper, strict=True):
        exact = Fraction(bisect_right(values, images[name][ranking]), len(values))
        assert Fraction(low) <= exact <= Fraction(high)


def test_brackets_are_as_narrow_as_asked():
    gains = fractions(0, 1)
    for groups in (
        by_roots(1000, Fraction(2), gains),
        *(by_powers(1000, Fraction(p, 20), gains) for p in (11, 12, 19)),
    ):
        bracketing = Bracketing(groups, 1e-4)
        lower, upper = bracketing.share(some_rankings(2, 1000, 200, seed=3))
        assert (upper - lower).max() <= 1e-4
        assert bracketing.width <= 1e-4
        said, assumption = bracketing.words("assumes a conjecture").removeprefix("certified to within ").split(", ")
        assert bracketing.width <= float(said) <= 1.0001e-4
        assert assumption == "assumes a conjecture"


def test_reference_brackets_overlap(shared_data):
    cases = json.loads((shared_data.parent / "vectors" / "interval.json").read_text())["certified"]
    assert len(cases) == 10
    made = {}
    for case in cases:
        gains, depth = fractions(*case["gains"]), case["N"]
        assert case["measure"] == "dcg"
        key = (depth, gains)
        if key not in made:
            made[key] = Bracketing(by_roots(depth, Fraction(case["params"]["base"]), gains, case["params"]["shift"]))
        (lower,), (upper,) = made[key].share(np.array([case["run"]]))
        assert upper - lower < 1e-5
        assert lower <= case["normalised_rank_hi"]
        assert upper >= case["normalised_rank_lo"]


def test_reference_ranks_lie_in_brackets(shared_data):
    cases = json.loads((shared_data.parent / "vectors" / "interval.json").read_text())["cases"]
    checked, made = 0, {}
    for case in cases:
        if case["measure"] != "dcg" or case["N"] < 20 or case.get("universe", "all") != "all":
            continue
        parameters = (case["N"], Fraction(case["params"]["base"]), fractions(*case["gains"]), case["params"]["shift"])
        if parameters not in made:
            made[parameters] = Bracketing(by_roots(*parameters), 1e-3)
        bracketing = made[parameters]
        assert bracketing.size == case["n_distinct"]
        (lower,), (upper,) = bracketing.share(np.array([case["run"]]))
        assert Fraction(lower) <= Fraction(case["phi"], case["n_distinct"]) <= Fraction(upper)
        checked += 1
    assert checked >= 50


def test_many_rankings_give_what_each_gives():
    bracketing = Bracketing(by_roots(50, Fraction(2), fractions(0, 1, 2)), 1e-3)
    rankings = some_rankings(3, 50, 30, seed=5)
    together = bracketing.share(rankings)
    alone = [bracketing.share(ranking[None, :]) for ranking in rankings]
    for side in (0, 1):
        # sums of products may be added in another order
        np.testing.assert_allclose(together[side], [one[side][0] for one in alone], rtol=0, atol=1e-13)


@settings(max_examples=25, deadline=None)
@given(
    depth=st.integers(1, 9),
    base=st.integers(2, 12),
    gains=st.lists(st.integers(-5, 30), min_size=1, max_size=3, unique=True).map(sorted),
    width=st.sampled_from([1e-1, 1e-2, 1e-3]),
    data=st.data(),
)
def test_any_gains_and_bases(depth, base, gains, width, data):
    places = data.draw(st.lists(st.integers(0, len(gains) - 1), min_size=depth, max_size=depth))
    gains = fractions(*gains)
    values = all_values(weights_of("dcg", Fraction(base), depth), gains)
    own = values[sum(place * len(gains) ** (depth - 1 - rank) for rank, place in enumerate(places))]
    for by_rankings, among in ((False, sorted(set(values))), (True, sorted(values))):
        bracketing = Bracketing(by_roots(depth, Fraction(base), gains), width, by_rankings=by_rankings)
        (lower,), (upper,) = bracketing.share(np.array([places]))
        assert Fraction(lower) <= Fraction(bisect_right(among, own), len(among)) <= Fraction(upper)


def test_a_better_ranking_is_never_surely_lower():
    bracketing = Bracketing(by_roots(200, Fraction(2), fractions(0, 1)), 1e-3)
    ranking, rankings = np.zeros(200, dtype=int), []
    for rank in np.random.default_rng(8).permutation(200):
        ranking[rank] = 1
        rankings.append(ranking.copy())
    lower, upper = bracketing.share(np.array(rankings))
    assert (np.maximum.accumulate(lower) <= upper).all()
    assert lower[0] < 1e-6
    assert upper[-1] == 1


@pytest.mark.parametrize("degree", [1, 2, 3, 10, 57])
def test_sines_stay_within_the_kernel_of_the_sawtooth(degree):
    k = np.arange(1, degree + 1, dtype=np.uint64)
    sawtooth, kernel = vaaler(k, degree)
    x = np.concatenate([np.random.default_rng(degree).random(2000), [0.0, 0.5, 1e-9, 1 - 1e-9]])
    turns = 2 * np.pi * np.outer(x, k)
    near = np.sin(turns) @ sawtooth
    room = 1 / (2 * (degree + 1)) + np.cos(turns) @ kernel
    true = np.where(x == 0, 0.0, x - 0.5)
    assert (np.abs(true - near) <= room + 1e-13).all()
    assert (np.abs(sawtooth) <= 1 / (np.pi * k) * (1 + 1e-14)).all()


def exact_cosine(angle: float) -> Decimal:
    """The cosine of a float by its series, to 40 digits."""
    with localcontext(Context(prec=50)):
        square, term, total, number = Decimal(angle) ** 2, Decimal(1), Decimal(1), 0
        while abs(term) > Decimal("1e-45"):
            number += 2
            term *= -square / (number * (number - 1))
            total += term
        return total


def test_cosines_and_sines_are_as_right_as_the_pads_suppose():
    """8 units in the last place of numbers up to 1, for angles as they occur; numpy promises no more than 4."""
    angle = np.random.default_rng(2).uniform(-np.pi, np.pi, 4000)
    cosines, sines = np.cos(angle), np.sin(angle)
    for x, cosine, sine in zip(angle.tolist(), cosines.tolist(), sines.tolist(), strict=True):
        true = exact_cosine(x)
        assert abs(Decimal(cosine) - true) <= 8 * Decimal(2) ** -53
        assert (
            abs(Decimal(sine) ** 2 + true**2 - 1) <= 2 * abs(Decimal(sine)) * 8 * Decimal(2) ** -53 + Decimal(2) ** -90
        )


def test_angles_of_ticks():
    ticks = np.array([0, 1 << 62, 1 << 63, (1 << 64) - 1], dtype=np.uint64)
    np.testing.assert_allclose(angles(ticks), [0, np.pi / 2, -np.pi, -2 * np.pi / 2**64], rtol=4e-16)


def test_one_value_only():
    bracketing = Bracketing(by_roots(5, Fraction(2), fractions(3)))
    assert [bound.tolist() for bound in bracketing.share(np.zeros((2, 5), dtype=int))] == [[1.0, 1.0], [1.0, 1.0]]


@pytest.mark.parametrize("name", CASES)
def test_logarithms_of_shares_hold_the_exact_one(images, name):
    _, _, depth, gains, _ = CASES[name]
    values = sorted(set(images[name]))
    rankings = some_rankings(len(gains), depth, 6, seed=11)
    places = rankings @ len(gains) ** np.arange(depth)[::-1]
    for ranking, place in zip(rankings, places, strict=True):
        lower, upper = log10_share(groups_of(*CASES[name]), ranking)
        exact = bisect_right(values, images[name][place]) / len(values)
        assert 10**lower <= exact * (1 + 1e-12)
        assert 10**upper >= exact * (1 - 1e-12)


@pytest.fixture
def nothing_is_few(monkeypatch):
    monkeypatch.setattr("rankscale.scales.brackets.bracketing.FEW", 0)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("nothing_is_few")
def test_logarithms_hold_by_tilting_alone(images, name):
    test_logarithms_of_shares_hold_the_exact_one(images, name)


def test_logarithms_of_reference_ranks(shared_data):
    cases = json.loads((shared_data.parent / "vectors" / "interval.json").read_text())["cases"]
    checked = 0
    for case in cases:
        if case["measure"] != "dcg" or case["N"] < 35 or case.get("universe", "all") != "all":
            continue
        parameters = (case["N"], Fraction(case["params"]["base"]), fractions(*case["gains"]), case["params"]["shift"])
        lower, upper = log10_share(by_roots(*parameters), np.array(case["run"]))
        exact = math.log10(case["phi"]) - math.log10(case["n_distinct"])
        assert lower - 1e-12 <= exact <= upper + 1e-12
        assert upper - lower < 0.02
        checked += 1
    assert checked >= 5


def test_lowest_ranking_is_one_of_all_values():
    groups = by_roots(1000, Fraction(2), fractions(0, 1))
    lower, upper = log10_share(groups, np.zeros(1000, dtype=int))
    exact = -math.log10(math.prod(group.size for group in groups))
    assert lower <= exact <= upper
    assert upper - lower < 1e-10


def test_few_values_are_counted_at_any_length():
    """The last document alone, and the two last: 2 values, and 3 or more with those of single documents."""
    groups = by_powers(1000, Fraction(11, 20), fractions(0, 1))
    for count in (1, 2, 3):
        ranking = np.zeros(1000, dtype=int)
        ranking[1000 - count :] = 1
        weights = [Fraction(11, 20) ** rank for rank in range(990, 1000)]
        own = sum(weights[-count:])
        exact = sum(
            sum(w for w, taken in zip(weights, some, strict=True) if taken) <= own
            for some in product((0, 1), repeat=10)
        )
        lower, upper = log10_share(groups, ranking)
        assert lower <= math.log10(exact) - math.log10(2**1000) <= upper
        assert upper - lower < 1e-10
