"""Ranks of ties among all rankings, and the scale of R-precision, against plain enumeration in fractions."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import rankscale as rs
from rankscale.data.judged import judged
from rankscale.errors import ParameterError
from rankscale.measures.base.parser import parse
from rankscale.sample import QRELS, RUNS


def average_precision(ranking: tuple[int, ...]) -> Fraction:
    hits, total = 0, Fraction(0)
    for rank, grade in enumerate(ranking, 1):
        hits += grade
        total += Fraction(grade * hits, rank)
    return total


def rank_biased(ranking: tuple[int, ...]) -> Fraction:
    return sum((grade * Fraction(1, 2) ** rank for rank, grade in enumerate(ranking)), Fraction(0))


def precision(ranking: tuple[int, ...]) -> Fraction:
    return Fraction(sum(ranking))


def reciprocal(ranking: tuple[int, ...]) -> Fraction:
    return next((Fraction(1, rank) for rank, grade in enumerate(ranking, 1) if grade), Fraction(0))


CASES = {
    "AP@7": (average_precision, (0, 1)),
    "P@6": (precision, (0, 1)),
    "RR@6": (reciprocal, (0, 1)),
    "RBP(p=1/2,gains='linear')@5": (rank_biased, (0, 1, 2)),
}


@pytest.mark.parametrize("name", CASES)
def test_ranks_of_ties_are_those_of_a_sorted_list(name: str) -> None:
    value, levels = CASES[name]
    scale = rs.scale(name, levels)
    everything = list(product(levels, repeat=scale.depth))
    ordered = sorted(value(ranking) for ranking in everything)
    for ranking in everything[:: max(1, len(everything) // 60)]:
        places = [place for place, other in enumerate(ordered, 1) if other == value(ranking)]
        assert scale.tie_rank(ranking, "min") == places[0]
        assert scale.tie_rank(ranking, "max") == places[-1]
        assert scale.tie_rank(ranking, "mid") == scale.mid_rank(ranking) == Fraction(sum(places), len(places))
    if len(levels) == 2:
        table = judged(" ".join(map(str, everything[37])))
        for form in ("min", "mid", "max"):
            (got,) = parse(f"Interval({name},form='{form}')").value(table)
            assert got == scale.tie_rank(everything[37], form)


def test_other_ties_are_refused() -> None:
    with pytest.raises(ParameterError, match="ties must be one of mid, min, max, got 'mean'"):
        rs.scale("P@3").tie_rank([1], "mean")


@pytest.mark.parametrize(("form", "word"), [("mid", "mean"), ("min", "lowest"), ("max", "highest")])
def test_they_are_labelled_not_an_interval_scale(form: str, word: str) -> None:
    name = f"Interval(P@5,form='{form}')"
    values = rs.evaluate(QRELS, list(RUNS)[:2], name)
    label = f"{name}: {word} ranks of ties among all rankings are not equally spaced: this is not an interval scale"
    assert label in values.warnings
    assert parse(name).scale_type((0, 1)) == "ordinal"
    assert parse("Interval(P@5,form='rank')").scale_type((0, 1)) == "interval"


@pytest.mark.parametrize("multiple", [1, 2, 0.5])
def test_r_precision_has_a_scale_on_each_topic(multiple: float) -> None:
    """Enumerated: rankings of the length of the cut with no more relevant documents than there are."""
    name = f"Rprec(multiple={multiple})"
    for base in (2, 3, 4):
        length = int(multiple * base + 0.9)
        found = [row for row in product((0, 1), repeat=length) if sum(row) <= base]
        image = sorted({Fraction(sum(row), length) for row in found})
        scale = rs.scale(name, counts=(5, base))
        assert (scale.depth, scale.size, scale.universe) == (length, len(image), "feasible")
        for row in found:
            assert scale.rank(row) == image.index(Fraction(sum(row), length)) + 1
            table = judged(" ".join(map(str, row)), missed=" ".join(["1"] * (base - sum(row))))
            (value,) = parse(f"Interval({name})").value(table)
            assert value == (scale.rank(row) - 1) / (scale.size - 1)
            assert parse(f"Interval({name},form='rank')").value(table).tolist() == [scale.rank(row)]


def test_interval_r_precision_through_evaluate() -> None:
    """Lengths differ from topic to topic; R-precision has equal steps, so its values are those of the scale."""
    values = rs.evaluate(QRELS, list(RUNS), ["Rprec", "Interval(Rprec)"])
    np.testing.assert_allclose(values.values[1], values.values[0], rtol=1e-15)
    assert any(warning.startswith("Interval(Rprec): surrogate") for warning in values.warnings)
    found = rs.intervals(QRELS, list(RUNS), "Rprec")
    assert (found.pairs[0].tau, found.pairs[0].tau_by_topic) == (1, 1)


def test_nothing_relevant_has_no_scale_of_r_precision() -> None:
    assert np.isnan(parse("Interval(Rprec)").value(judged("0 0 0"))).all()


def test_all_rankings_make_no_scale_of_r_precision() -> None:
    with pytest.raises(ParameterError, match="use universe='feasible'"):
        rs.scale("Rprec", counts=3, universe="all")
