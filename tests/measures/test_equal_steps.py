"""Equal steps of sums of gains, against sums of all rankings."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale.measures.base.structure import GainSums, Geometric, RankWeights, Structure, equal_steps


def by_listing(weights: list[Fraction], gains: set[Fraction]) -> bool:
    """Whether all sums, one by one, have the same distance to the next."""
    sums = sorted(
        {
            sum((w * g for w, g in zip(weights, row, strict=True)), Fraction(0))
            for row in product(gains, repeat=len(weights))
        }
    )
    return len({after - before for before, after in pairwise(sums)}) == 1


sets_of_gains = st.sets(st.integers(0, 9), min_size=1, max_size=5).flatmap(
    lambda gains: st.sampled_from([1, 2, 3]).map(lambda over: {Fraction(gain, over) for gain in gains})
)


@given(sets_of_gains, st.integers(1, 5))
@settings(max_examples=400)
def test_sums_with_equal_weights(gains: set[Fraction], depth: int) -> None:
    assert equal_steps(GainSums(), gains, depth) is by_listing([Fraction(1)] * depth, gains)
    weights = (Fraction(2), *[Fraction(0)] * 2, *[Fraction(2)] * (depth - 1))
    assert equal_steps(RankWeights(weights), gains, None) is equal_steps(GainSums(), gains, depth)


@given(sets_of_gains, st.integers(1, 4), st.sampled_from(["1/2", "1/3", "1/4", "1/5", "2/3", "3/4"]))
@settings(max_examples=400)
def test_sums_weighted_by_powers(gains: set[Fraction], depth: int, text: str) -> None:
    p = Fraction(text)
    expected = by_listing([p**rank for rank in range(depth)], gains)
    if depth > 1 or p.numerator == 1:  # of one rank nothing but gains count: measures look at those themselves
        assert equal_steps(Geometric(p), gains, depth) is expected


@pytest.mark.parametrize(
    ("structure", "gains", "shortest"),
    [
        (GainSums(), (0, 1, 3, 4), 2),  # 2 = 1 + 1 is missing from one rank only
        (GainSums(), (0, 1, 9, 10), 8),
        (Geometric(Fraction(1, 2)), (0, 1, 3, 4), 2),
        (GainSums(), (0, 1, 2, 4), None),  # 4 * depth - 1 is never a sum
        (Geometric(Fraction(1, 3)), (0, 1), None),
    ],
)
def test_holes_are_filled_from_some_length_on(
    structure: Structure, gains: tuple[int, ...], shortest: int | None
) -> None:
    exact = {Fraction(gain) for gain in gains}
    depths = [depth for depth in range(2, 40) if equal_steps(structure, exact, depth)]
    assert depths == ([] if shortest is None else list(range(shortest, 40)))
    assert equal_steps(structure, exact, None) is False  # not at every length


def test_many_ranks_and_far_gains_are_no_work() -> None:
    far = {Fraction(0), Fraction(1), Fraction(10**9), Fraction(10**9 + 1)}
    assert equal_steps(GainSums(), far, 10**6) is False
    assert equal_steps(GainSums(), {Fraction(0), Fraction(1, 3), Fraction(2, 3)}, 10**9) is True
    assert equal_steps(Geometric(Fraction(1, 2)), {Fraction(0), Fraction(1)}, 10**9) is True
