"""The unused part of a measure's range: the largest gap between neighbouring values, and all above the highest."""

from itertools import product

import numpy as np
import pytest

import rankscale as rs
from rankscale.data.judged import judged
from rankscale.measures.base.parser import parse
from rankscale.scales.describe import describe
from rankscale.scales.question import make_question
from rankscale.scales.spacing import largest_gap_of_sums


def values_over_all_rankings(measure: str, levels: tuple[int, ...]) -> list[float]:
    """The distinct values, by measuring every ranking; all levels occur, so that gains are those of the collection."""
    depth = int(measure.rpartition("@")[2])
    every = [" ".join(map(str, ranking)) for ranking in product(levels, repeat=depth)]
    return sorted(set(parse(measure).value(judged(*every)).round(12).tolist()))


@pytest.mark.parametrize(
    ("measure", "lower", "upper", "share", "above"),
    [
        ("RBP(p=0.3)@4", 0.2919, 0.7, 0.4081 / 0.9919, 0.3**4),
        ("RR@4", 0.5, 1.0, 0.5, 0.0),
        ("AP@4", 0.75, 1.0, 0.25, 0.0),
        ("P@4", 0.0, 0.25, 0.25, 0.0),
    ],
)
def test_unused_range_of_the_paper(measure: str, lower: float, upper: float, share: float, above: float) -> None:
    """Section IV-B of Ferrante, Ferro and Fuhr, for four documents and a recall base of four."""
    spacing = rs.scale(measure, counts=(4, 4), universe="all").spacing
    assert spacing is not None
    gap = spacing.unused
    assert (gap.lower, gap.upper, gap.share, gap.above) == pytest.approx((lower, upper, share, above), abs=1e-12)
    assert gap.certain


@pytest.mark.parametrize(
    ("measure", "levels"),
    [
        *((f"RBP(p={p})@{n}", (0, 1)) for p in (0.1, 0.3, 0.5, 0.6, 0.8, 0.95) for n in (1, 2, 5, 8)),
        *((f"DCG(base={base})@{n}", (0, 1)) for base in (2, 3, 10) for n in (2, 5, 8)),
        ("DCG@7", (0, 1)),
        ("DCG(base=4)@6", (0, 1)),
        ("P@6", (0, 1)),
        ("DCG(base=2)@5", (0, 1, 2)),
        ("RBP(p=0.2,gains='linear')@5", (0, 1, 2)),
        ("RBP(p=0.3,gains='linear')@5", (0, 1, 2, 3)),
        ("RBP(p=0.6,gains='linear')@5", (0, 1, 2)),
    ],
)
def test_the_closed_form_of_the_largest_gap_is_that_of_all_values(measure: str, levels: tuple[int, ...]) -> None:
    values = np.array(values_over_all_rankings(measure, levels))
    gap = largest_gap_of_sums(make_question(parse(measure), levels, None, None, None))
    assert gap is not None
    assert gap[1] - gap[0] == pytest.approx(np.diff(values).max(), abs=1e-11)
    place = int(np.argmin(np.abs(values - gap[0])))
    assert (values[place], values[place + 1]) == pytest.approx(gap, abs=1e-11)  # neighbours


def test_where_the_largest_gap_is_not_known_in_closed_form() -> None:
    for measure, levels in [("AP@5", (0, 1)), ("RR@5", (0, 1)), ("DCG@5", (0, 1, 3)), ("DCG@2001", (0, 1))]:
        assert largest_gap_of_sums(make_question(parse(measure), levels, None, None, None)) is None
    spacing = rs.scale("nDCG@20", levels=(0, 1, 3)).spacing
    assert spacing is not None
    assert not spacing.unused.certain
    assert "the largest gap at either end" in spacing.unused_text


def test_the_largest_gap_of_long_rankings() -> None:
    """The first document outweighs all others: with p = 0.3, nothing lies between 0.3 (1 - 0.3^59) and 0.7."""
    spacing = rs.scale("RBP(p=0.3)@60").spacing
    assert spacing is not None
    assert (spacing.unused.lower, spacing.unused.upper) == pytest.approx((0.3, 0.7), abs=1e-15)
    of_dcg = rs.scale("DCG(base=2)@1000").spacing
    assert of_dcg is not None
    assert (of_dcg.unused.lower, of_dcg.unused.upper) == pytest.approx((0.0, 1 / np.log2(1000)), abs=1e-15)


def test_the_description_names_both_ends() -> None:
    facts = dict(describe(rs.scale("RBP(p=0.3)@4")).facts)
    assert facts["unused"] == (
        "0.2919 to 0.7: 41.1% of the range from 0 to 0.9919; all above 0.9919: 0.8% of the measure's limits"
    )
    assert "unused" not in dict(describe(rs.scale("P@4")).facts)
    assert dict(describe(rs.scale("RBP(p=0.5)@4")).facts)["unused"] == "all above 0.9375: 6.2% of the measure's limits"
    assert dict(describe(rs.scale("RBP@1500")).facts)["spacing"].startswith("not known: the lowest values are closer")
