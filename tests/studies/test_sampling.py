"""Judgments drawn by chance: nested, with their minima, and unbiased over seeds."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscale as rs
from rankscale.data.qrels import Qrels
from rankscale.errors import ParameterError
from rankscale.studies.robustness.sampling import PoolDepth, Random, Stratified, places

SIZES = (90, 70, 50, 30, 10)


def collection(*counts: dict[float, int]) -> Qrels:
    """Topics with so many documents of each grade."""
    return rs.read_qrels(
        {
            str(topic): {f"d{grade}-{number}": grade for grade, held in grades.items() for number in range(held)}
            for topic, grades in enumerate(counts, start=1)
        }
    )


some_counts = st.lists(
    st.dictionaries(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]), st.integers(1, 60), min_size=1), min_size=1, max_size=4
)


def wanted(size: float, held: int, least: int) -> int:
    """The words of the specification, one stratum at a time."""
    return min(held, max(least, math.floor(size * held / 100 + 1 / 2)))


@given(counts=some_counts, size=st.sampled_from([*SIZES, 1, 33.3, 100]), seed=st.integers(0, 2**32), rel=st.just(1))
def test_each_grade_of_each_topic_keeps_what_the_specification_says(counts, size, seed, rel):
    qrels = collection(*counts)
    left = qrels.keeping(Stratified(rel=rel).kept(qrels, size, np.random.default_rng(seed)))
    for topic, grades in enumerate(counts):
        for level, found in zip(qrels.levels.tolist(), left.counts[topic].tolist(), strict=True):
            held = grades.get(level, 0)
            assert found == (held if level < 0 else wanted(size, held, 1 if level >= rel else 10))


@given(counts=some_counts, size=st.sampled_from([*SIZES, 1, 100]), seed=st.integers(0, 2**32))
def test_plain_sampling_keeps_a_percentage_of_each_topic(counts, size, seed):
    qrels = collection(*counts)
    kept = Random().kept(qrels, size, np.random.default_rng(seed))
    for topic, grades in enumerate(counts):
        here = kept[(qrels.topic_of == topic) & qrels.is_judged]
        held = sum(count for grade, count in grades.items() if grade >= 0)
        assert np.count_nonzero(here) == wanted(size, held, 0)
    assert kept[~qrels.is_judged].all()


@pytest.mark.parametrize("sampling", [Stratified(), Stratified(rel=2), Random()])
@given(counts=some_counts, seed=st.integers(0, 2**32))
def test_smaller_samples_are_part_of_larger_ones(sampling, counts, seed):
    qrels = collection(*counts)
    by_size = [sampling.kept(qrels, size, np.random.default_rng(seed)) for size in (100, *SIZES, 1)]
    assert by_size[0].all()
    for larger, smaller in pairwise(by_size):
        assert not (smaller & ~larger).any()


def test_half_rounds_up():
    qrels = collection({0.0: 25, 1.0: 5})
    counts = qrels.keeping(Stratified().kept(qrels, 50, np.random.default_rng(0))).counts
    assert counts.tolist() == [[13, 3]]


@pytest.mark.parametrize("sampling", [Stratified(), Random()])
def test_every_judgment_has_the_same_chance_over_seeds(sampling):
    """Numbers of times that each is kept, against the binomial distribution that an unbiased draw has."""
    qrels = collection({0.0: 40, 1.0: 15}, {0.0: 30, 1.0: 3, 2.0: 8})
    draws = 4000
    for size in (70, 30):
        kept = np.array([sampling.kept(qrels, size, np.random.default_rng([7, seed])) for seed in range(draws)])
        strata, _ = sampling.strata(qrels)
        for stratum in np.unique(strata):
            here = kept[:, strata == stratum]
            numbers = here.sum(axis=1)
            assert len(set(numbers.tolist())) == 1  # how many are kept is no matter of chance
            chance = numbers[0] / here.shape[1]
            spread = math.sqrt(draws * chance * (1 - chance))
            assert (np.abs(here.sum(axis=0) - draws * chance) <= 4.5 * spread + 1e-9).all()


def test_pairs_are_kept_as_often_as_chance_says():
    """Two of one stratum are kept together in n(n-1)/N(N-1) of all draws: no order is favoured."""
    qrels = collection({1.0: 8})
    draws = 4000
    kept = np.array([Stratified().kept(qrels, 50, np.random.default_rng([3, seed])) for seed in range(draws)])
    together = kept.astype(float).T @ kept
    chance = (4 * 3) / (8 * 7)
    pairs = together[~np.eye(8, dtype=bool)]
    assert np.abs(pairs - draws * chance).max() <= 4.5 * math.sqrt(draws * chance * (1 - chance))


@given(strata=st.lists(st.integers(0, 5), max_size=50), seed=st.integers(0, 2**32))
def test_places_count_up_in_each_stratum(strata, seed):
    found = places(np.array(strata, dtype=np.int64), np.random.default_rng(seed))
    for stratum in set(strata):
        here = [place for place, one in zip(found.tolist(), strata, strict=True) if one == stratum]
        assert sorted(here) == list(range(len(here)))


def test_what_was_left_out_before_is_not_sampled():
    qrels = collection({0.0: 40, 1.0: 20})
    half = qrels.keeping(np.arange(60) % 2 == 0)
    left = half.keeping(Stratified().kept(half, 50, np.random.default_rng(0)))
    assert left.counts.tolist() == [[10, 5]]


def test_a_shallower_pool_keeps_what_some_run_ranks_high():
    qrels = collection({0.0: 2, 1.0: 2})
    sampling = PoolDepth(np.array([1, 5, 10, 2**31 - 1]))
    assert sampling.kept(qrels, 5, np.random.default_rng(0)).tolist() == [True, True, False, False]


def test_samples_of_real_judgments(trec_8):
    """86,830 judgments: what is left of each grade and topic, and the same bytes for the same seed."""
    qrels, _ = trec_8
    for size in SIZES:
        first, again = (Stratified().kept(qrels, size, np.random.default_rng([0, 3])) for _ in range(2))
        assert (first == again).all()
        expected = [
            [wanted(size, held, least) for held, least in zip(row, (10, 1), strict=True)]
            for row in qrels.counts.tolist()
        ]
        assert qrels.keeping(first).counts.tolist() == expected


@pytest.mark.parametrize(
    ("sampling", "size", "words"),
    [
        (Stratified(), 0, r"from 1 to 100 \(50 is half\); got 0"),
        (Random(), 101, r"from 1 to 100 \(50 is half\); got 101"),
        (Random(), math.nan, "from 1 to 100"),
        (PoolDepth(np.array([1])), 2.5, "whole number from 1, got 2.5"),
        (PoolDepth(np.array([1])), 0, "whole number from 1, got 0"),
        (PoolDepth(np.array([1])), 3, "other judgments"),
    ],
)
def test_sizes_that_are_none(sampling, size, words):
    with pytest.raises(ParameterError, match=words):
        sampling.kept(collection({0.0: 3, 1.0: 2}), size, np.random.default_rng(0))
