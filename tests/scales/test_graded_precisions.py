"""Graded average precision and Q in whole numbers, against plain enumeration in fractions from their definitions."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest

import rankscale as rs
from rankscale.data.judged import judged
from rankscale.errors import ScaleError
from rankscale.measures.base.parser import parse

Ranking = tuple[int, ...]


def graded_precision(ranking: Ranking, users: Sequence[Fraction]) -> Fraction:
    """The sum over ranks n of (1/n) times the users whom both documents of each pair m <= n satisfy."""
    return sum(
        (
            Fraction(1, n) * sum(users[min(ranking[m], ranking[n - 1])] for m in range(n))
            for n in range(1, len(ranking) + 1)
        ),
        Fraction(0),
    )


def blended_ratio(ranking: Ranking, gains: Sequence[Fraction], counts: Sequence[int], beta: Fraction) -> Fraction:
    """Q, term by term; grades from 1 on are relevant."""
    best = sorted((gain for gain, n in zip(gains, counts, strict=True) for _ in range(n)), reverse=True)
    value = Fraction(0)
    for rank, grade in enumerate(ranking, 1):
        if grade:
            hits = sum(other > 0 for other in ranking[:rank])
            met = sum((gains[other] for other in ranking[:rank]), Fraction(0))
            value += (hits + beta * met) / (rank + beta * sum(best[:rank], Fraction(0)))
    return value / sum(counts[1:])


@pytest.mark.parametrize(
    ("name", "depth", "users"),
    [
        ("GAP", 6, [Fraction(0), Fraction(1), Fraction(2)]),
        ("GAP", 5, [Fraction(0), Fraction(1), Fraction(2), Fraction(3)]),
        ("GAP(thresholds=[0.1,0.2])", 6, [Fraction(0), Fraction(1, 10), Fraction(3, 10)]),
        ("GAP(thresholds=[1/3,2/3])", 6, [Fraction(0), Fraction(1, 3), Fraction(1)]),
        ("GAP(thresholds=[0,1,1])", 5, [Fraction(0), Fraction(0), Fraction(1), Fraction(2)]),
    ],
)
def test_graded_average_precision(name: str, depth: int, users: list[Fraction]) -> None:
    levels = tuple(range(len(users)))
    values = {row: graded_precision(row, users) for row in product(levels, repeat=depth)}
    image = sorted(set(values.values()))
    scale = rs.scale(f"{name}@{depth}", levels)
    assert (scale.size, scale.universe) == (len(image), "all")
    assert str(scale.provenance) == "exact (whole numbers in windows)"
    ordered = sorted(values.values())
    for row in list(values)[::23]:
        assert scale.rank(row) == image.index(values[row]) + 1
        if len(set(users)) == len(users):  # grades that gain the same count as one
            assert scale.tie_rank(row, "min") == ordered.index(values[row]) + 1
    # the measure's own values: over all documents of the highest grade, as many as ranks
    assert scale.values_of([row]) == pytest.approx([float(values[row] / users[-1] / depth)], rel=1e-14)
    assert scale.ends(3)[0] == pytest.approx([float(value / users[-1] / depth) for value in image[:3]], abs=1e-15)


def test_graded_average_precision_of_two_grades_is_average_precision() -> None:
    assert rs.scale("GAP@15").size == rs.scale("AP@15").size == 22646
    assert rs.scale("GAP@15").rank([1, 0, 1, 1]) == rs.scale("AP@15").rank([1, 0, 1, 1])


def test_graded_average_precision_beyond_enumeration() -> None:
    """4^12 rankings, 16 times as many as are measured one by one."""
    scale = rs.scale("GAP@12", (0, 1, 2, 3))
    assert scale.size == 534640  # all of them enumerated once, in whole numbers
    assert scale.rank([0] * 12) == 1
    assert scale.rank([3] * 12) == scale.size


@pytest.mark.parametrize(
    ("name", "gains", "counts", "beta", "depth"),
    [
        ("Q", [0, 1], (9, 3), 1, 7),
        ("Q(beta=1/3)", [0, 1], (9, 2), Fraction(1, 3), 7),
        ("Q(beta=0)", [0, 1], (9, 3), 0, 7),
        ("Q(gains=[0,1,2])", [0, 1, 2], (9, 2, 2), 1, 6),
        ("Q(gains=[0,1/3,1],beta=2)", [0, Fraction(1, 3), 1], (9, 2, 1), 2, 6),
        ("Q", [0, 1, 1], (9, 2, 1), 1, 6),
    ],
)
def test_q(name: str, gains: list[Fraction], counts: tuple[int, ...], beta: Fraction, depth: int) -> None:
    levels = tuple(range(len(gains)))
    exact = [Fraction(gain) for gain in gains]
    feasible = [
        row for row in product(levels, repeat=depth) if all(row.count(grade) <= counts[grade] for grade in levels[1:])
    ]
    values = {row: blended_ratio(row, exact, counts, Fraction(beta)) for row in feasible}
    image = sorted(set(values.values()))
    scale = rs.scale(f"{name}@{depth}", levels, counts)
    assert (scale.size, scale.universe) == (len(image), "feasible")
    assert str(scale.provenance) == "exact (whole numbers in windows)"
    for row in feasible[::11]:
        assert scale.rank(row) == image.index(values[row]) + 1
    assert scale.values_of(feasible[::11]) == pytest.approx([float(values[row]) for row in feasible[::11]], rel=1e-13)
    assert scale.ends(4)[1] == pytest.approx([float(value) for value in image[-4:]], rel=1e-14)


def test_q_beyond_enumeration() -> None:
    """768,212 rankings of 30 documents with at most 6 relevant ones, enumerated once; 60 need longer numbers."""
    scale = rs.scale("Q@30", counts=(100, 6))
    assert scale.size == 492739
    (value,) = parse("Interval(Q@30)").value(judged("1 0 1 0 0 1", missed="1 1 1"))
    assert value == (scale.rank([1, 0, 1, 0, 0, 1]) - 1) / (scale.size - 1)
    with pytest.raises(ScaleError, match="more than 60 bits"):
        rs.scale("Q@60", counts=(100, 9)).rank([1])
    assert rs.scale("Q@60", counts=(100, 9)).run_percentile([1], samples=100).samples == 100


def test_q_is_measured_where_whole_numbers_are_too_long() -> None:
    """With beta = 0.123456789 the numbers have more than 60 bits; the rankings are few, and each is measured."""
    scale = rs.scale("Q(beta=0.123456789)@12", counts=(100, 2))
    assert "enumerated" in str(scale.provenance)
    assert scale.size == len({row for row in product((0, 1), repeat=12) if sum(row) <= 2})
