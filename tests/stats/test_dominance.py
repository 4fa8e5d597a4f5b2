"""First-order dominance: worked values, quantiles read one by one, and what dominance and crossing imply for means."""

from fractions import Fraction
from math import lcm

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError
from rankscale.stats.dominance import dominance, kinds_of_dominance
from rankscale.stats.resampling.order_statistics import compare_medians, quantile
from rankscale.stats.tests.base.test import all_pairs

FIRST = np.array([0.1, 0.2, 0.3, 0.5, 0.8, 0.9])

values = st.lists(st.integers(0, 6), min_size=1, max_size=8).map(lambda some: np.array(some, dtype=np.float64))


def pieces(first: Floats, second: Floats) -> list[tuple[str, str]]:
    return [(piece.above, piece.text) for piece in dominance(first, second).pieces]


def test_worked_dominance() -> None:
    second = np.array([0.1, 0.15, 0.3, 0.4, 0.6, 0.7])
    assert dominance(FIRST, second).kind == "first"
    assert dominance(second, FIRST).kind == "second"
    assert dominance(FIRST, FIRST[::-1]).kind == "equal"


def test_worked_crossings() -> None:
    second = np.array([0.05, 0.25, 0.3, 0.5, 0.8, 0.85])
    assert dominance(FIRST, second).kind == "cross"
    assert pieces(FIRST, second) == [
        ("first", "(0, 1/6]"),
        ("second", "(1/6, 1/3]"),
        ("equal", "(1/3, 5/6]"),
        ("first", "(5/6, 1]"),
    ]
    three, four = np.array([0.2, 0.4, 0.9]), np.array([0.1, 0.5, 0.6, 0.8])
    assert pieces(three, four) == [("first", "(0, 1/4]"), ("second", "(1/4, 2/3]"), ("first", "(2/3, 1]")]
    assert dominance(three, four).text("A", "B") == "A higher on (0, 1/4], (2/3, 1]; B higher on (1/4, 2/3]"
    assert dominance(three, four).share("second") == pytest.approx(2 / 3 - 1 / 4, abs=1e-15)


def one_by_one(first: Floats, second: Floats) -> list[int]:
    """1, -1 or 0 at each multiple of the finest step, from quantiles read as they are defined."""
    steps = lcm(len(first), len(second))
    signs = []
    for step in range(1, steps + 1):
        a, b = (sorted(some)[-(-step * len(some) // steps) - 1] for some in (first.tolist(), second.tolist()))
        signs.append((a > b) - (a < b))
    return signs


@given(values, values)
@settings(max_examples=400)
def test_pieces_are_those_of_quantiles_read_one_by_one(first: Floats, second: Floats) -> None:
    result, signs = dominance(first, second), one_by_one(first, second)
    code = {"first": 1, "second": -1, "equal": 0}
    spread = [code[piece.above] for piece in result.pieces for _ in range(int((piece.end - piece.start) * len(signs)))]
    assert spread == signs
    assert [result.pieces[0].start, result.pieces[-1].end] == [Fraction(0), Fraction(1)]
    expected = {(True, True): "cross", (True, False): "first", (False, True): "second"}.get((1 in signs, -1 in signs))
    assert result.kind == (expected or "equal")


@given(values, values)
@settings(max_examples=400)
def test_what_dominance_and_crossing_say_about_means(first: Floats, second: Floats) -> None:
    """Maps that step from 0 to 1 between two values are limits of increasing maps, and all others are sums of them."""
    kind = dominance(first, second).kind
    steps = [(first > limit).mean() - (second > limit).mean() for limit in np.arange(-0.5, 7)]
    above, below = any(step > 1e-12 for step in steps), any(step < -1e-12 for step in steps)
    assert kind == ("cross" if above and below else "first" if above else "second" if below else "equal")
    if kind == "first":
        assert all(quantile(first, share) >= quantile(second, share) for share in (0.1, 0.25, 0.5, 0.75, 0.9))


def test_many_pairs_at_once_are_as_one_by_one() -> None:
    draws = np.random.default_rng(1)
    complete = draws.integers(0, 4, (7, 12)).astype(float)
    with_gaps = np.where(draws.random((7, 12)) < 0.2, np.nan, complete)
    pairs = all_pairs(12)
    for some in (complete, with_gaps):
        kinds = kinds_of_dominance(some, pairs)
        for place, (one, other) in enumerate(zip(pairs.first, pairs.second, strict=True)):
            both = some[:, [one, other]]
            both = both[~np.isnan(both).any(axis=1)]
            assert kinds[place] == dominance(*both.T).kind
        assert kinds.count("cross") > 0


def test_values_are_needed() -> None:
    with pytest.raises(ParameterError, match="each needs one or more"):
        dominance(np.array([np.nan]), FIRST)


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        ((0.5, 0.6), (0.3, 0.4), "above"),
        ((0.3, 0.4), (0.5, 0.6), "below"),
        ((0.3, 0.4), (0.3, 0.4), "same"),
        ((0.4, 0.4), (0.4, 0.4), "same"),
        ((0.3, 0.5), (0.4, 0.4), "not told apart"),
        ((0.4, 0.5), (0.3, 0.4), "not told apart"),
        ((0.4, 0.5), (0.4, 0.4), "not told apart"),
    ],
)
def test_medians_of_two_runs(first: tuple[float, float], second: tuple[float, float], relation: str) -> None:
    assert compare_medians(first, second) == relation
