"""Percentiles and estimated ranks through the front door, against exact counts and plain enumeration."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import rankscale as rs
from rankscale.data.judged import judged
from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base.parser import parse
from rankscale.sample import QRELS, RUNS
from rankscale.scales.estimates import tie_sample


def expected_reciprocal_rank(ranking: tuple[int, ...]) -> Fraction:
    value, reads = Fraction(0), Fraction(1)
    for rank, grade in enumerate(ranking, 1):
        value += reads * grade / (2 * rank)
        reads *= 1 - Fraction(grade, 2)
    return value


def average_precision(ranking: tuple[int, ...]) -> Fraction:
    return sum(
        (Fraction(sum(ranking[:rank]) * ranking[rank - 1], rank) for rank in range(1, len(ranking) + 1)), Fraction(0)
    )


@pytest.mark.parametrize(("name", "value"), [("ERR@8", expected_reciprocal_rank), ("AP@8", average_precision)])
def test_percentiles_are_shares_of_all_rankings(name: str, value) -> None:
    everything = {ranking: value(ranking) for ranking in product((0, 1), repeat=8)}
    for ranking in list(everything)[::17]:
        share = sum(other <= everything[ranking] for other in everything.values()) / 256
        (got,) = parse(f"Percentile({name})").value(judged(" ".join(map(str, ranking)), missed="1"))
        assert got == share


def test_what_cannot_be_counted_is_sampled() -> None:
    """Whole numbers of AP at 100 have more than 60 bits, and the rankings that tie cannot be counted."""
    scale = rs.scale("AP@100", method="estimated")
    assert scale.only_percentiles
    middle = [1, 0] * 50
    one = scale.run_percentile(middle)
    assert one.samples == 100_000
    assert one.low < one.share < one.high < one.low + 0.0063
    again = rs.scale("AP@100").run_percentile(middle, seed=7)
    assert again.share != one.share
    assert abs(again.share - one.share) < 0.013
    with pytest.raises(ScaleError, match=r"Percentile\(AP@100\), the share of all rankings that are no better, can be"):
        scale.rank(middle)
    assert str(scale.run_percentile([1])) == "0.0000 [0.0000, 3.7e-05] (from 100,000 random rankings, 95% confidence)"


def test_intervals_of_sampled_percentiles_hold_the_counted_share() -> None:
    """AP at 20, where all are counted: the sample of a scale that is refused holds the share in 95% of seeds."""
    exact, ranking = rs.scale("AP@20"), [1, 0, 0, 1, 0, 1, 1, 0, 0, 1]
    true = exact.run_percentile(ranking).share
    sampled = rs.scale("AP@20", method="estimated")
    held = [sampled.run_percentile(ranking, samples=1000, seed=seed) for seed in range(200)]
    assert sum(one.low <= true <= one.high for one in held) >= 182  # four deviations below .95
    assert all(one.samples == 1000 for one in held)


@pytest.mark.parametrize("name", ["AP@18", "ERR@18"])
def test_estimated_ranks_hold_the_exact_ones(name: str) -> None:
    """Confidence intervals of 100 samples, at ranks low, in the middle and high."""
    exact, estimated = rs.scale(name), rs.scale(name, method="estimated")
    some = [[0] * 12 + [1] * 2, [0, 1, 0, 0, 1, 0, 1], [1, 0, 1, 1, 0, 1, 0, 1], [1, 1, 1, 1, 0, 1]]
    true = exact.normalised(some)
    places = estimated.places_of(some)
    held = np.zeros(len(some))
    for seed in range(100):
        sample = tie_sample(estimated._plan.image, samples=300, seed=seed)
        share, low, high = sample.shares(places)
        held += (low <= true) & (true <= high)
        assert (np.diff(share[np.argsort(true)]) >= 0).all()
    assert (held >= 87).all()  # four deviations below .95


def test_interval_estimated_through_evaluate() -> None:
    name = "Interval(AP@16,method='estimated')"
    both = rs.evaluate(QRELS, list(RUNS)[:4], [name, "Interval(AP@16)"])
    assert np.abs(both.values[0] - both.values[1]).max() < 0.08  # 1,000 sampled rankings
    assert f"{name}: values are estimated from a sample of rankings, with 95% confidence" in both.warnings
    with pytest.raises(ScaleError, match=r"Percentile\(AP@100\)"):
        rs.evaluate(QRELS, list(RUNS)[:1], "Interval(AP@100,method='estimated')")


def test_percentile_through_evaluate() -> None:
    values = rs.evaluate(QRELS, list(RUNS)[:3], ["AP@100", "Percentile(AP@100)", "Percentile(AP@10)"])
    own, sampled, _ = values.values
    for topic in range(own.shape[1]):
        order = np.argsort(own[:, topic])
        assert (np.diff(sampled[order, topic]) >= 0).all()
    label = "values that many rankings share weigh more than others: this is not an interval scale"
    assert f"Percentile(AP@100), Percentile(AP@10): {label}" in values.warnings
    sampling = (
        "values are shares of 100,000 random rankings: with 95% confidence each is within 0.0031 of the share of all"
    )
    assert any(warning.startswith(f"Percentile(AP@100): {sampling}") for warning in values.warnings)
    assert parse("Percentile(AP@100)").scale_type((0, 1)) == "ordinal"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Percentile(AP)", r"name one length, as in Percentile\(AP@10\)"),
        ("Percentile(Interval(AP@5))", "on an interval scale already"),
        ("Percentile(AP@5,samples=0)", "samples"),
        ("Percentile", "of is needed"),
    ],
)
def test_what_has_no_percentile_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse(text)
