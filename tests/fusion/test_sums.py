"""Sums over runs, beside `math.fsum`."""

import math

import numpy as np
import pytest

from rankscale.fusion.methods import exact_sums

DOCUMENTS = 2000


def addends(kind: str, runs: int, rng: np.random.Generator) -> np.ndarray:
    """(run, document): numbers whose sums are hard to round."""
    shape = runs, DOCUMENTS
    if kind == "reciprocal ranks":  # whose sums lie half-way between two doubles now and then
        return 1 / (60 + rng.integers(1, 1000, shape))
    if kind == "magnitudes":
        return rng.normal(size=shape) * 10.0 ** rng.integers(-12, 12, shape)
    if kind == "powers of two":
        return rng.integers(-3, 4, shape) * 2.0 ** rng.integers(-60, 60, shape)
    table = rng.normal(size=shape)
    table[-1] = -table[:-1].sum(axis=0)  # nearly nothing is left
    return table


@pytest.mark.parametrize("kind", ["reciprocal ranks", "magnitudes", "powers of two", "cancelling"])
@pytest.mark.parametrize("runs", [1, 2, 3, 5, 10])
def test_sums_are_correctly_rounded(kind: str, runs: int) -> None:
    rng = np.random.default_rng(runs)
    table = addends(kind, runs, rng)
    table[rng.random(table.shape) < 0.3] = np.nan
    expected = [math.fsum(column[~np.isnan(column)].tolist()) for column in table.T]
    assert exact_sums(table).tolist() == expected


def test_what_a_double_cannot_hold_is_infinite() -> None:
    with np.errstate(over="ignore"):
        assert exact_sums(np.array([[1e308, 1.0], [1e308, 2.0], [1.0, 3.0]])).tolist() == [math.inf, 6.0]
