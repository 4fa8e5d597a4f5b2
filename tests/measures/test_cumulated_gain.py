"""Cumulated gain: the vectors of Järvelin and Kekäläinen (2002), as SPEC 3 gives them, and what its parameters do."""

import math

import numpy as np
import pytest

from rankscale.data.judged import Judged, judged
from rankscale.errors import ParameterError
from rankscale.measures.base.parser import parse

RANKING = "3 2 3 0 0 1 2 2 3 0"
MISSED = "1 1 1"  # with the ranking, the gains of the paper's ideal: 3,3,3,2,2,2,1,1,1,1
IDEAL = "3 3 3 2 2 2 1 1 1 1 0"


def curve(measure: str, ranking: str, missed: str = "") -> list[float]:
    table = judged(ranking, missed=missed)
    found = parse(measure).curve(table)
    assert found.shape == (1, len(ranking.split()))
    return [float(value) for value in found[0]]


@pytest.mark.parametrize(
    ("measure", "ranking", "vector"),
    [
        ("CG", RANKING, [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]),
        ("CG", IDEAL, [3, 6, 9, 11, 13, 15, 16, 17, 18, 19, 19]),
        ("DCG(base=2)", RANKING, [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]),
        (
            "DCG(base=2)",
            IDEAL,
            [3, 6, 7.8928, 8.8928, 9.7541, 10.5278, 10.8841, 11.2174, 11.5329, 11.8339, 11.8339],
        ),
    ],
)
def test_vectors_of_the_paper(measure: str, ranking: str, vector: list[float]) -> None:
    places = max(len(str(value).partition(".")[2]) for value in vector)
    assert [round(value, places) for value in curve(measure, ranking)] == vector


@pytest.mark.parametrize(
    ("measure", "vector"),
    [
        ("nCG", [1, 0.8333, 0.8889, 0.7273, 0.6154, 0.6, 0.6875, 0.7647, 0.8889, 0.8421]),
        ("nDCG(base=2)", [1, 0.8333, 0.8733, 0.7751, 0.7067, 0.6915, 0.7343, 0.7719, 0.8328, 0.8117]),
    ],
)
def test_normalised_vectors_of_the_paper(measure: str, vector: list[float]) -> None:
    assert [round(value, 4) for value in curve(measure, RANKING, MISSED)] == vector


@pytest.mark.parametrize(("length", "value"), [(100, 21.7885), (1000, 123.9912)])
def test_a_list_of_nothing_but_relevant_documents(length: int, value: float) -> None:
    assert round(float(parse("DCG(base=2)").value(judged(" ".join(["1"] * length)))[0]), 4) == value


def slow_dcg(gains: list[float], base: float) -> list[float]:
    """The recurrence of SPEC 3, rank by rank."""
    vector: list[float] = []
    for rank, gain in enumerate(gains, start=1):
        before = vector[-1] if vector else 0.0
        vector.append(before + (gain if rank < base else gain / math.log(rank, base)))
    return vector


@pytest.mark.parametrize("base", [1.3, 1.5, 2, 2.5, 3, 7, 10, 30])
def test_no_discount_below_any_base(base: float) -> None:
    gains = [float(grade) for grade in RANKING.split()]
    np.testing.assert_allclose(curve(f"DCG(base={base})", RANKING), slow_dcg(gains, base), rtol=1e-14, atol=0)


def test_up_to_the_base_discounted_gain_is_gain() -> None:
    assert curve("DCG(base=10)", RANKING) == curve("CG", RANKING)


@pytest.mark.parametrize(
    ("gains", "gain_of"),
    [
        ("[0,1,1,1]", [0, 1, 1, 1]),
        ("[0,0,0,1]", [0, 0, 0, 1]),
        ("[0,1,10,100]", [0, 1, 10, 100]),
        ("[-1,1,2,3]", [-1, 1, 2, 3]),
        ("'exp'", [0, 1, 3, 7]),
        ("'linear'", [0, 1 / 3, 2 / 3, 1]),
        ("{3:5}", [0, 1, 2, 5]),
    ],
)
def test_gain_schemes(gains: str, gain_of: list[float]) -> None:
    wanted = np.cumsum([gain_of[int(grade)] for grade in RANKING.split()])
    np.testing.assert_allclose(curve(f"CG(gains={gains})", RANKING), wanted, rtol=1e-15, atol=0)


def test_unjudged_documents_can_cost() -> None:
    table = judged("3 - 0 -1 1")
    assert parse("CG(gains=[-1,1,2,3],unjudged=-1)").value(table)[0] == 3 - 1 - 1 - 1 + 1
    assert parse("CG(gains=[-1,1,2,3])").value(table)[0] == 3 - 1 - 1 - 1 + 1  # as grade 0
    assert parse("CG(gains=[-1,1,2,3],unjudged=0)").value(table)[0] == 3 - 1 + 1
    # A shorter ranking is filled up with unjudged documents.
    assert parse("CG(gains=[-1,1,2,3],unjudged=-1)@7").value(table)[0] == 3 - 1 - 1 - 1 + 1 - 2
    assert parse("DCG(base=2,gains=[-1,1,2,3],unjudged=-1)").value(table)[0] == pytest.approx(
        slow_dcg([3, -1, -1, -1, 1], 2)[-1], abs=1e-15
    )


def test_a_grade_without_a_gain_is_an_error() -> None:
    with pytest.raises(ParameterError, match="no entry for grade 3"):
        parse("CG(gains=[0,1,10])").value(judged(RANKING))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("DCG(discount='log')", "DCG(base=2)"),
        ("DCG(base=2.0)@10", "DCG(base=2)@10"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gains='exp')@10"),
        ("nDCG(dcg='log2')", "nDCG"),
        ("nDCG(discount='none')", "nDCG(discount='none')"),
    ],
)
def test_names_tell_discounts_apart(text: str, name: str) -> None:
    assert str(parse(text)) == name


@pytest.mark.parametrize("text", ["DCG(base=1)", "DCG(base=0.5)", "nDCG(base=2,discount='rank')", "DCG(discount='x')"])
def test_no_discount_of_that_kind(text: str) -> None:
    with pytest.raises(ParameterError, match=r"base|discount"):
        parse(text)


def test_the_default_is_that_of_trec_eval() -> None:
    table = judged(RANKING, missed=MISSED)
    gains = np.array([3.0, 2, 3, 0, 0, 1, 2, 2, 3, 0])
    ideal = np.array([3.0, 3, 3, 2, 2, 2, 1, 1, 1, 1])
    discount = np.log2(np.arange(2, 12))
    assert parse("nDCG@10").value(table)[0] == (gains / discount).cumsum()[-1] / (ideal / discount).cumsum()[-1]


def test_average_over_positions() -> None:
    table: Judged = judged(RANKING, missed=MISSED)
    for measure in ("nCG", "nDCG(base=2)"):
        vector = curve(measure, RANKING, MISSED)
        assert parse(f"AvgPos({measure})@10").value(table)[0] == pytest.approx(sum(vector) / 10, abs=1e-15)
        # Beyond its end the curve goes on: nothing more is gained, and the ideal has nothing more to gain.
        assert parse(f"AvgPos({measure})@12").value(table)[0] == pytest.approx(
            (sum(vector) + 2 * vector[-1]) / 12, abs=1e-15
        )
