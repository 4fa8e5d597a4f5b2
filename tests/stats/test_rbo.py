"""Rank-biased overlap against the values of its authors, and by the definition."""

import csv
import gzip
import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale.errors import ParameterError
from rankscale.stats.correlation.correlations import rbo_along
from tests.stats.reference_rbo import RboTies, rbo, rbo_of_values


def ranking(text: str) -> list[str | list[str]]:
    """Tied documents stand in parentheses."""
    return [group[1:-1].split() if group[0] == "(" else group for group in re.findall(r"\([^)]*\)|\S+", text)]


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.nightly)])
def test_all_reference_cases(step: int, shared_data: Path) -> None:
    found, expected = [], []
    with gzip.open(shared_data / "rbo_reference" / "test.csv.gz", "rt", encoding="utf-8") as lines:
        for row in itertools.islice(csv.DictReader(lines), None, None, step):
            x, y = ranking(row["x"]), ranking(row["y"])
            for ties in ("w", "a", "b"):
                one = rbo(x, y, float(row["p"]), ties)
                found.append([one.extrapolated, one.lower, one.upper, one.residual])
                expected.append([float(row[f"{ties}.{part}"]) for part in ("ext", "min", "max", "res")])
    assert len(found) == 30_000 // step
    np.testing.assert_allclose(found, expected, rtol=0, atol=5e-14)


groups = st.permutations(list("abcdefg")).flatmap(
    lambda documents: st.lists(st.integers(1, 3), min_size=1, max_size=3).map(
        lambda sizes: [
            list(documents[end - size : end])
            for size, end in zip(sizes, itertools.accumulate(sizes), strict=True)
            if end <= len(documents)
        ]
    )
)


def orders(grouped: list[list[str]]) -> list[list[str]]:
    """Every ranking without ties that ties leave open."""
    return [list(itertools.chain(*one)) for one in itertools.product(*map(itertools.permutations, grouped))]


@settings(max_examples=40)
@given(x=groups, y=groups)
def test_ties_a_are_the_mean_over_all_orders(x: list[list[str]], y: list[list[str]]) -> None:
    """Of the least value, which is a sum over what is seen; extrapolation below a shorter ranking is not a mean."""
    every = [rbo(one, other, 0.8) for one in orders(x) for other in orders(y)]
    found = rbo(x, y, 0.8, "a")
    assert found.lower == pytest.approx(np.mean([one.lower for one in every]), abs=1e-12)
    if sum(map(len, x)) == sum(map(len, y)):
        assert found.extrapolated == pytest.approx(np.mean([one.extrapolated for one in every]), abs=1e-12)


@settings(max_examples=80)
@given(x=groups, y=groups, ties=st.sampled_from(["w", "a", "b"]), p=st.sampled_from([0.2, 0.5, 0.9, 0.99]))
def test_laws(x: list[list[str]], y: list[list[str]], ties: RboTies, p: float) -> None:
    found, swapped = rbo(x, y, p, ties), rbo(y, x, p, ties)
    if sum(map(len, x)) != sum(map(len, y)):
        assert found == swapped
    assert swapped.extrapolated == pytest.approx(found.extrapolated, abs=1e-14)
    slack = 1e-12
    assert -slack <= found.lower <= found.upper + slack
    assert found.upper <= 1 + slack
    assert found.lower - slack <= found.extrapolated <= found.upper + slack
    if all(len(group) == 1 for group in [*x, *y]):
        assert found == rbo(x, y, p, "w")


@settings(max_examples=30)
@given(x=groups, p=st.sampled_from([0.2, 0.9]))
def test_a_ranking_agrees_with_itself(x: list[list[str]], p: float) -> None:
    for ties in ("w", "b"):
        assert rbo(x, x, p, ties).extrapolated == pytest.approx(1, abs=1e-14)
        assert rbo(x, x, p, ties).upper == pytest.approx(1, abs=1e-14)


def test_longer_and_longer_prefixes_close_in_on_the_value() -> None:
    draw = np.random.default_rng(1)
    x, y = (list(map(str, draw.permutation(300))) for _ in range(2))
    agreement = [len(set(x[:depth]) & set(y[:depth])) / depth for depth in range(1, 301)]
    value = sum(0.1 * 0.9**depth * share for depth, share in enumerate(agreement))
    last = 1.0
    for length in (1, 5, 20, 100, 300):
        found = rbo(x[:length], y[:length], 0.9)
        assert found.lower <= value + 1e-12
        assert value <= found.upper + 1e-12
        assert found.residual <= last
        last = found.residual
    assert last < 1e-12


def test_by_hand() -> None:
    disjoint = rbo(["a"], ["b"], 0.5)
    assert (disjoint.extrapolated, disjoint.lower) == (0, 0)
    # Below rank 1 both can at best hold the other's document at rank 2, then agree: (1/4 * 2/2) + 1/4
    assert disjoint.upper == pytest.approx(0.5, abs=1e-15)
    # All tied: half of each depth is shared in the mean, 1/2 * 1/2, then all
    tied = [["a", "b"]]
    assert rbo(tied, tied, 0.5, "a").extrapolated == pytest.approx(0.5 * 0.5 + 0.5, abs=1e-15)
    assert rbo(tied, tied, 0.5, "w").extrapolated == pytest.approx(1, abs=1e-15)


def test_values_are_ranked_from_the_greatest_with_their_ties() -> None:
    x, y = np.array([0.1, 0.5, 0.5, np.nan, 0.9]), np.array([0.3, 0.3, 0.8, 0.7, 0.1])
    for ties in ("w", "a", "b"):
        expected = rbo(["4", ["1", "2"], "0"], ["2", "3", ["0", "1"], "4"], 0.7, ties)
        assert rbo_of_values(x, y, 0.7, ties) == expected


@settings(max_examples=80)
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
def test_what_studies_compute_of_orders_is_that_of_the_reference(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, dtype=float).T
    assert float(rbo_along(x, y)) == rbo_of_values(x, y).extrapolated
    assert np.isnan(rbo_along(np.append(x, np.nan), np.append(y, 1.0)))


def test_refusals() -> None:
    with pytest.raises(ParameterError, match="strictly between 0 and 1, got 1"):
        rbo(["a"], ["a"], 1)
    with pytest.raises(ParameterError, match="empty"):
        rbo([], ["a"])
    with pytest.raises(ParameterError, match="stands once"):
        rbo(["a", "b", "a"], ["a"])
    with pytest.raises(ParameterError, match="'w'"):
        rbo(["a"], ["a"], ties="c")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="list of documents"):
        rbo("abc", ["a"])
