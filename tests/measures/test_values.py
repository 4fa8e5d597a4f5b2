"""Values that papers print, and formulas written out once more, rank by rank."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale.data.judged import judged
from rankscale.errors import ParameterError
from rankscale.measures.base.parser import parse

MOFFAT_ZOBEL = "1 1 0 0 0 1 0 0 0 0 1 0 0 0 0 0 1 0 0 0"
rankings = st.lists(st.sampled_from(["0", "1", "2", "3", "-", "-1"]), max_size=12)
missed = st.lists(st.sampled_from(["0", "1", "2"]), max_size=4)


@pytest.mark.parametrize(
    ("measure", "ranking", "missed", "value"),
    [  # as they are printed in the papers
        ("AP", MOFFAT_ZOBEL, "", 0.6316),
        ("AP", MOFFAT_ZOBEL, "1", 0.5263),
        ("AP", MOFFAT_ZOBEL, "1 1", 0.4511),
        ("AP", "1 0 0 1 0 0 0 0 0 0 - - - - - - - - - -", "", 0.75),
        ("RBP(p=0.5)", MOFFAT_ZOBEL, "", 0.7661),
        ("RBP(p=0.8)", MOFFAT_ZOBEL, "", 0.4526),
        ("RBP(p=0.95)", MOFFAT_ZOBEL, "", 0.1881),
        ("RBP(p=0.8)", "1 1 0 0 0 1 0 0 0 0 1 0 - - 0 0 - 0 0 0", "", 0.4470),
        ("RBP(p=0.95)", "1 1 0 0 0 1 0 0 0 0 1 0 - - 0 0 - 0 0 0", "", 0.1661),
    ],
)
def test_printed_values(measure: str, ranking: str, missed: str, value: float) -> None:
    [found] = parse(measure).value(judged(ranking, missed=missed))
    assert round(float(found), 4) == value


def by_rank(ranking: list[str], missed: list[str]) -> tuple[list[float], int]:
    """The grade at each rank, unjudged documents at -1, and the number of relevant documents."""
    grades = [-1.0 if grade == "-" else float(grade) for grade in ranking]
    return grades, sum(grade >= 1 for grade in (*grades, *map(float, missed)))


@settings(deadline=None)
@given(ranking=rankings, missed=missed, depth=st.integers(1, 14))
def test_formulas_rank_by_rank(ranking: list[str], missed: list[str], depth: int) -> None:
    grades, relevant = by_rank(ranking, missed)
    table = judged(" ".join(ranking), missed=" ".join(missed))
    hits = sum(grade >= 1 for grade in grades[:depth])
    precisions = [sum(g >= 1 for g in grades[:rank]) / rank for rank, grade in enumerate(grades, start=1) if grade >= 1]
    expected = {
        f"F(beta=2)@{depth}": 5 * hits / (4 * relevant + depth),
        f"Success@{depth}": float(hits > 0),
        f"DCG@{depth}": sum(max(g, 0) / math.log2(rank + 1) for rank, g in enumerate(grades[:depth], start=1)),
        f"DCG(gains='exp')@{depth}": sum(
            (2 ** max(g, 0) - 1) / math.log2(rank + 1) for rank, g in enumerate(grades[:depth], start=1)
        ),
        f"RBP(p=0)@{depth}": float(bool(grades) and grades[0] >= 1),
        f"Judged@{depth}": sum(g >= 0 for g in grades[:depth]) / max(min(depth, len(grades)), 1),
        "YAAP": math.log((1 + sum(precisions)) / (1 + relevant - sum(precisions))),
        "Utility(a=3,b=-2,c=-1,d=0.5,collection=100)": 3 * len(precisions)
        - 2 * (len(grades) - len(precisions))
        - (relevant - len(precisions))
        + 0.5 * (100 - len(grades) - relevant + len(precisions)),
    }
    for text, value in expected.items():
        np.testing.assert_allclose(parse(text).value(table), [value], rtol=1e-12, atol=1e-12, err_msg=text)


@settings(deadline=None)
@given(ranking=rankings, missed=missed, n=st.integers(1, 3), damping=st.integers(0, 60))
def test_reciprocal_rank_of_the_nth(ranking: list[str], missed: list[str], n: int, damping: int) -> None:
    grades, _ = by_rank(ranking, missed)
    ranks = [rank for rank, grade in enumerate(grades, start=1) if grade >= 1]
    expected = 1 / (damping + ranks[n - 1]) if len(ranks) >= n else 0
    table = judged(" ".join(ranking), missed=" ".join(missed))
    assert parse(f"RR(n={n},damping={damping})").value(table)[0] == expected


@settings(deadline=None)
@given(ranking=rankings, missed=missed, k=st.integers(0, 3))
def test_binary_preference_looks_at_k_more(ranking: list[str], missed: list[str], k: int) -> None:
    grades, relevant = by_rank(ranking, missed)
    not_relevant = sum(0 <= grade < 1 for grade in (*grades, *map(float, missed)))
    above = [sum(0 <= g < 1 for g in grades[:rank]) for rank, grade in enumerate(grades) if grade >= 1]
    kept = sum(1 - (n and min(n, relevant + k) / min(not_relevant, relevant + k)) for n in above)
    table = judged(" ".join(ranking), missed=" ".join(missed))
    np.testing.assert_allclose(parse(f"Bpref(k={k})").value(table), [kept / max(relevant, 1)], rtol=1e-12)


def test_version_10_rounds_recall_another_way() -> None:
    table = judged("1 0 1 0 0 1")  # recall 0.4 of three is 1.2: two documents in version 9, one in version 10
    assert parse("IPrec@0.4").value(table)[0] == 2 / 3
    assert parse("IPrec(version=10)@0.4").value(table)[0] == 1
    assert parse("IPrec(version=10)@0.5").value(table)[0] == 2 / 3  # 1.5 goes up


def test_real_grades_gain_what_they_are() -> None:
    table = judged("0.5 2 0", missed="1")
    assert parse("DCG").value(table)[0] == 0.5 + 2 / math.log2(3)
    assert parse("IDCG@2").value(table)[0] == 2 + 1 / math.log2(3)
    assert parse("RR").value(table)[0] == 1 / 2
    assert parse("RR(rel=0.5)").value(table)[0] == 1
    assert parse("NumRel").value(table)[0] == 2


def test_a_grade_that_a_list_of_gains_leaves_out_is_an_error() -> None:
    with pytest.raises(ParameterError, match="have no entry for grade 2; list one gain for each of the grades"):
        parse("nDCG(gains=[0,1])").value(judged("1 2"))
    assert parse("nDCG(gains=[0,1])").value(judged("1 -1"))[0] == 1  # a negative grade indexes nothing


def test_rank_biased_precision_of_filling_is_quiet() -> None:
    for p in (0, 0.5, 0.999999):
        assert parse(f"RBP(p={p})").value(judged("1", "- 0 0")).tolist() == [1 - p, 0]


def test_geometric_means_have_a_floor_and_counts_are_summed() -> None:
    table = judged("1", "0", missed="")
    for text, mean in {"GMAP": math.sqrt(1e-5), "GMBpref": math.sqrt(1e-5), "AP": 0.5, "NumRet": 2, "NumQ": 2}.items():
        measure = parse(text)
        assert measure.summarise(measure.value(table)) == pytest.approx(mean, rel=1e-12)
