"""Estimates against exact counts, and intervals against scipy's."""

import itertools
from collections import Counter
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rankscale.data.arrays import Ints
from rankscale.errors import ParameterError, ScaleError
from rankscale.scales.counting.average_precision import GAINS, FloatImage, average_precision
from rankscale.scales.counting.image import Image, Limits, Universe
from rankscale.scales.estimates import (
    Estimate,
    PercentileEstimate,
    ValuesOf,
    _mean,
    _ratio,
    check_sample,
    chernoff,
    clopper_pearson,
    counted_percentiles,
    percentiles_in,
    random_rankings,
    sampled_values,
    tie_sample,
)

SEEDS = 200


class EstimatedRank(NamedTuple):
    """A rank among distinct values, how many of these there are, and the one over the other."""

    rank: Estimate
    size: Estimate
    share: Estimate


def estimated_ranks(
    image: Image, rankings: Ints, *, samples: int = 1000, seed: int = 0, confidence: float = 0.95
) -> list[EstimatedRank]:
    """The rank of each, from one sample for all: from 1 to 1 more than the rankings below, which are counted."""
    sample = tie_sample(image, samples=samples, seed=seed, confidence=confidence)
    own, rows = np.unique(sample.halves.of(rankings), return_inverse=True)
    result = []
    for value, (below, _) in zip(own, sample.halves.counted(own), strict=True):
        reached = sample.reached(value)
        rank = _mean(reached, confidence).times(sample.halves.rankings, below + 1)
        result.append(EstimatedRank(rank, sample.size, _ratio(reached, sample.weights, confidence)))
    return [result[row] for row in rows]


def sampled_percentile(
    universe: Universe,
    values_of: ValuesOf,
    ranking: Ints,
    *,
    samples: int = 100_000,
    seed: int = 0,
    confidence: float = 0.95,
) -> PercentileEstimate:
    check_sample(samples, confidence)
    return percentiles_in(sampled_values(universe, values_of, samples, seed), values_of(ranking), confidence)[0]


@pytest.mark.parametrize("depth", [20, pytest.param(25, marks=pytest.mark.nightly)])
def test_estimates_cover_the_exact_counts(depth: int) -> None:
    image = average_precision(Universe(GAINS, depth))
    rankings = np.random.default_rng(1).integers(2, size=(4, depth))
    rankings[0], rankings[1] = 0, np.arange(depth) % 5 == 0
    exact = image.ranks(rankings)
    held: Counter[str] = Counter()
    seeds = SEEDS if depth == 20 else SEEDS // 4
    for seed in range(seeds):
        for rank, estimated in zip(exact, estimated_ranks(image, rankings, samples=400, seed=seed), strict=True):
            held["rank"] += estimated.rank.low <= rank <= estimated.rank.high
            held["size"] += estimated.size.low <= image.size <= estimated.size.high
            held["share"] += estimated.share.low <= rank / image.size <= estimated.share.high
    # Rankings share a sample; even so, a share of .95 is met within four deviations of `seeds` of them.
    fewest = 0.95 - 4 * np.sqrt(0.95 * 0.05 / seeds)
    assert all(number / (4 * seeds) >= fewest for number in held.values()), held


@pytest.mark.slow
def test_estimates_are_unbiased() -> None:
    image = average_precision(Universe(GAINS, 20, Limits((-1, 0), (8,))))
    ranking = np.array([[0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0]])
    found = [estimated_ranks(image, ranking, samples=1000, seed=seed)[0].rank.value for seed in range(300)]
    assert max(found) < image.among_rankings(ranking)[0][0]  # so that none was held back by what is known
    assert abs(np.mean(found) - image.ranks(ranking)[0]) < 4 * np.std(found) / np.sqrt(300)


def test_estimates_keep_the_order_and_stay_within_what_is_known() -> None:
    image = average_precision(Universe(GAINS, 22))
    rankings = np.random.default_rng(2).integers(2, size=(60, 22))
    rankings[0] = 0
    order = np.argsort(image.ranks(rankings))
    found = estimated_ranks(image, rankings, samples=100)
    values = [found[place].rank.value for place in order]
    assert values == sorted(values)
    below = image.among_rankings(rankings)
    assert all(
        1 <= one.rank.low <= one.rank.value <= one.rank.high <= less + 1
        for one, (less, _) in zip(found, below, strict=True)
    )
    assert (found[0].rank.low, found[0].rank.high) == (1, 1)
    share, low, high = tie_sample(image, samples=100).shares(rankings)
    assert ((low >= 0) & (low <= share) & (share <= high) & (high <= 1)).all()
    assert (np.diff(share[order]) >= 0).all()


def test_estimates_come_again_with_their_seed() -> None:
    image, ranking = average_precision(Universe(GAINS, 15)), np.ones((1, 15), dtype=np.int64)
    one, same, other = (estimated_ranks(image, ranking, samples=50, seed=seed) for seed in (3, 3, 4))
    assert one == same != other


@given(st.integers(1, 10**6), st.floats(0, 1), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_clopper_pearson_is_scipys(samples: int, share: float, confidence: float) -> None:
    hits = round(share * samples)
    expected = stats.binomtest(hits, samples).proportion_ci(confidence, method="exact")
    assert clopper_pearson(hits, samples, confidence) == pytest.approx((expected.low, expected.high), rel=1e-7, abs=0)


@given(st.integers(1, 2000), st.data())
def test_the_interval_for_any_numbers_is_wider_than_that_for_hits(samples: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, samples))
    low, high = chernoff(lambda _: hits / samples, hits / samples, samples, 0.95)
    least, most = clopper_pearson(hits, samples, 0.95)
    assert low <= least + 1e-12
    assert most <= high + 1e-12


@pytest.mark.parametrize(
    "universe",
    [
        Universe(GAINS, 7),
        Universe(GAINS, 7, Limits((-1, 0), (2,))),
        Universe((Fraction(0), Fraction(1), Fraction(2)), 5, Limits((-1, 0, 1), (1, 2))),
        Universe((Fraction(0), Fraction(1), Fraction(2)), 5, Limits((0, 1, 1), (3, 4))),
    ],
)
def test_random_rankings_are_all_alike(universe: Universe) -> None:
    allowed = {
        ranking
        for ranking in itertools.product(range(len(universe.gains)), repeat=universe.depth)
        if universe.limits is None
        or universe.limits.allow(
            tuple(sum(universe.kinds[place] == kind for place in ranking) for kind in range(len(universe.limits.most)))
        )
    }
    drawn = Counter(map(tuple, np.concatenate(list(random_rankings(universe, 40_000, seed=5))).tolist()))
    assert set(drawn) == allowed
    assert stats.chisquare(list(drawn.values())).pvalue > 1e-4


@pytest.mark.parametrize("limits", [None, Limits((-1, 0), (5,))])
def test_sampled_percentiles_cover_the_counted_one(limits: Limits | None) -> None:
    image = average_precision(Universe(GAINS, 16, limits))
    ranking = np.array([[1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1]])
    exact = counted_percentiles(image, ranking)[0]
    values = image.halves.of  # whole numbers, exact as doubles
    found = [sampled_percentile(image.universe, values, ranking, samples=500, seed=seed) for seed in range(SEEDS)]
    assert sum(one.low <= exact.share <= one.high for one in found) >= 0.92 * SEEDS
    assert np.mean([one.share for one in found]) == pytest.approx(exact.share, abs=4 * 0.5 / np.sqrt(500 * SEEDS))
    assert "all rankings counted" in str(exact)
    assert "500 random rankings, 95% confidence" in str(found[0])


def test_counted_percentiles_are_shares_of_rankings() -> None:
    image = average_precision(Universe(GAINS, 4))
    assert counted_percentiles(image, np.array([[0, 0, 0, 1]]))[0].share == 2 / 16
    assert counted_percentiles(image, np.array([[1, 1, 1, 1]]))[0].share == 1


def test_long_rankings_are_sampled() -> None:
    universe = Universe(GAINS, 1000, Limits((-1, 0), (50,)))
    ranking = (np.arange(1000) < 25).astype(np.int64)[None]
    found = sampled_percentile(universe, lambda rankings: rankings.sum(axis=1).astype(float), ranking, samples=2000)
    assert found.share == 0  # of rankings with at most 50, nearly all have 40 or more
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 2000))


def test_what_cannot_be_sampled_is_refused() -> None:
    image, ranking = average_precision(Universe(GAINS, 5)), np.zeros((1, 5), dtype=np.int64)
    with pytest.raises(ParameterError, match="samples must be 1 or more"):
        estimated_ranks(image, ranking, samples=0)
    with pytest.raises(ParameterError, match="confidence"):
        sampled_percentile(image.universe, image.halves.of, ranking, confidence=1.0)
    with pytest.raises(ScaleError, match="rankings that tie"):
        estimated_ranks(FloatImage(Universe(GAINS, 5)), ranking)
