"""The total orders of rankings: places in sorted lists of all rankings, other measures' scales, and any length."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import rankscale as rs
from rankscale.data.judged import judged
from rankscale.errors import ParameterError, ScaleError
from rankscale.measures.base.parser import parse
from rankscale.stats.verdicts import MEAN, verdict

Ranking = tuple[int, ...]


def by_set(ranking: Ranking) -> Ranking:
    """More documents of the highest grade first, then of the next: grades sorted, compared one by one."""
    return tuple(sorted(ranking, reverse=True))


def by_rank(ranking: Ranking) -> Ranking:
    """The first rank that differs decides."""
    return ranking


ORDERS = {"SBTO": by_set, "RBTO": by_rank}


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize(("levels", "depth"), [((0, 1), 1), ((0, 1), 6), ((0, 1, 2), 4), ((0, 1, 3, 7), 4)])
def test_ranks_are_places_in_the_sorted_list_of_all_rankings(name: str, levels: Ranking, depth: int) -> None:
    rankings = list(product(levels, repeat=depth))
    keys = [ORDERS[name](ranking) for ranking in rankings]
    distinct = sorted(set(keys))
    scale = rs.scale(f"{name}@{depth}", levels=levels)
    assert scale.size == len(distinct)
    ranks = [1 + distinct.index(key) for key in keys]
    assert scale.ranks(rankings) == ranks
    in_order = sorted(keys)
    for ranking, key in zip(rankings[::5], keys[::5], strict=True):
        below, equal = in_order.index(key), keys.count(key)
        assert scale.mid_rank(ranking) == below + Fraction(equal + 1, 2)
    spacing = scale.spacing
    assert spacing is not None
    assert spacing.equal
    assert "ratio scale" not in str(spacing)  # only the order of grades counts
    expected = [(rank - 1) / (len(distinct) - 1) for rank in ranks]
    np.testing.assert_allclose(scale.values_of(rankings), expected, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(scale.normalised(rankings), expected)
    np.testing.assert_allclose(scale.ends(len(distinct))[0], sorted(set(expected)), rtol=0, atol=1e-15)


def test_with_two_grades_they_are_the_scales_of_precision_and_rbp() -> None:
    rankings = list(product((0, 1), repeat=7))
    for name, other in [("SBTO@7", "P@7"), ("RBTO@7", "RBP(p=0.5)@7"), ("RBTO@7", "RBP(p=0.3)@7")]:
        assert rs.scale(name).ranks(rankings) == rs.scale(other).ranks(rankings)
    tables = [judged(" ".join(map(str, ranking))) for ranking in rankings]
    np.testing.assert_array_equal(
        [parse("SBTO@7").value(table)[0] for table in tables], [parse("P@7").value(table)[0] for table in tables]
    )


def test_ranks_of_any_length_are_exact() -> None:
    ranking = [1, 0, 1, *[0] * 997]
    assert rs.scale("RBTO@1000").size == 2**1000
    assert rs.scale("RBTO@1000").rank(ranking) == 1 + 2**999 + 2**997
    graded = rs.scale("SBTO@1000", levels=(0, 1, 2, 3))
    assert graded.size == math.comb(1003, 3)
    # Below one document of grade 3 are all mixes of grades 0 to 2; below it and two of grade 1, two mixes of 0 and 1.
    assert graded.rank([3, 1, 1]) == 1 + math.comb(1002, 2) + 2
    assert graded.rank([3] * 1000) == graded.size


def test_gains_join_grades_and_only_their_order_counts() -> None:
    table = judged("3 0 1 2", "0 1 2 3")
    for name in ORDERS:
        joined = parse(f"{name}(gains=[0,1,1,1])@4").value(table)
        np.testing.assert_array_equal(joined, parse(f"{name}@4").value(judged("1 0 1 1", "0 1 1 1")))
        same = parse(f"{name}(gains='exp')@4").value(table)
        np.testing.assert_array_equal(same, parse(f"{name}@4").value(table))


def test_unjudged_documents_may_stand_between_grades() -> None:
    """With a gain below 0 for documents judged not relevant, unjudged ones come between these and relevant ones."""
    table = judged("0 - 1 0", "- - - -", "0 0 0 0", "1 1 1 1")
    order = [by_rank(ranking) for ranking in product((-1, 0, 1), repeat=4)]
    places = [order.index(ranking) / 80 for ranking in [(-1, 0, 1, -1), (0,) * 4, (-1,) * 4, (1,) * 4]]
    np.testing.assert_allclose(parse("RBTO(gains={0:-1,1:1})@4").value(table), places, rtol=0, atol=1e-15)
    mixes = sorted({by_set(ranking) for ranking in order})
    places = [mixes.index(by_set(ranking)) / 14 for ranking in [(-1, 0, 1, -1), (0,) * 4, (-1,) * 4, (1,) * 4]]
    np.testing.assert_allclose(parse("SBTO(gains={0:-1,1:1})@4").value(table), places, rtol=0, atol=1e-15)


def test_more_mixes_than_floats_can_count_are_refused() -> None:
    grades = " ".join(str(grade) for grade in range(400))
    with pytest.raises(ParameterError, match="400 grades can be mixed in more ways"):
        parse("SBTO@1000").value(judged(grades))
    assert parse("SBTO@100").value(judged(grades))[0] > 0


def test_they_are_interval_scales_of_all_rankings() -> None:
    for name in ORDERS:
        assert parse(f"{name}@10").scale_type((0, 1, 2)) == "interval"
        assert verdict(parse(f"{name}@10"), MEAN, (0, 1, 2)).meaningful
        with pytest.raises(ScaleError, match="leave universe='feasible' out"):
            rs.scale(f"{name}@5", counts=(9, 2), universe="feasible").rank([1])
        np.testing.assert_allclose(
            parse(f"Interval({name}@3)").value(judged("1 0 2")), parse(f"{name}@3").value(judged("1 0 2"))
        )
