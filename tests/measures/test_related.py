"""The precision family and its relatives: values that papers print, and formulas written out with lists and loops."""

import math
from dataclasses import replace
from typing import Any

import ir_measures
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rankscale.data.arrays import UNJUDGED, Floats
from rankscale.data.judged import BEYOND, Judged, judged
from rankscale.errors import ParameterError
from rankscale.measures.base.parser import parse
from rankscale.measures.counts import NumRelRet
from rankscale.measures.in_order import RelRel
from rankscale.measures.sets import SetRelP
from tests.measures import slow_related as slow

# Moffat and Zobel 2008: $$---$----$-----$---, and the same with three relevant documents more at its end.
FIVE = "1 1 0 0 0 1 0 0 0 0 1 0 0 0 0 0 1 0 0 0"
EIGHT = "1 1 0 0 0 1 0 0 0 0 1 0 0 0 0 0 1 1 1 1"

grades = st.sampled_from([None, None, -1.0, 0.0, 0.0, 0.5, 1.0, 2.0, 3.0])
rankings = st.lists(grades, max_size=14)
missed_grades = st.lists(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0]), max_size=5)
depths = st.none() | st.integers(1, 17)
CLOSE: dict[str, Any] = {"rtol": 1e-12, "atol": 1e-12}


def written(ranking: list[float | None] | list[float]) -> str:
    return " ".join("-" if grade is None else f"{grade:g}" for grade in ranking)


def table(ranking: list[float | None], missed: list[float] | None = None) -> Judged:
    """A ranking of grades up to 3, whichever of them it holds."""
    return replace(judged(written(ranking), missed=written(missed or [])), highest=3.0)


def at(name: str, depth: int | None) -> str:
    return name if depth is None else f"{name}@{depth}"


def value(text: str, seen: Judged) -> float:
    [found] = parse(text).value(seen)
    return float(found)


# ---- Values of the papers


@pytest.mark.parametrize(
    ("measure", "ranking", "missed", "digits", "printed"),
    [
        ("AP", FIVE, "", 4, 0.6316),
        ("AP", FIVE, "1", 4, 0.5263),
        ("AP", FIVE, "1 1", 4, 0.4511),
        ("APstar", EIGHT, "", 4, 0.5324),
        ("AP", "1 0 0 1 0 0 0 0 0 0 - - - - - - - - - -", "", 4, 0.75),
        ("AP", "1 0 0 1 0 0 0 0 0 0 1 - - - - - - - - -", "", 4, 0.5909),  # the best that one of the unjudged can do
    ],
)
def test_values_of_moffat_and_zobel(measure: str, ranking: str, missed: str, digits: int, printed: float) -> None:
    assert round(value(measure, judged(ranking, missed=missed)), digits) == printed


def test_average_precision_is_printed_cut_off() -> None:
    assert math.floor(value("AP", judged(FIVE)) * 10_000) == 6315  # the paper's .6315 is not rounded


def test_shares_of_documents_in_average_precision() -> None:
    """What AP owes to each document: 1/(R d) for itself and for each relevant one at rank d below, with R = 5."""
    places = [place for place, grade in enumerate(FIVE.split(), start=1) if grade == "1"]
    shares = [sum(1 / place for place in places[which:]) / len(places) for which in range(len(places))]
    assert [round(share, 4) for share in shares] == [0.3633, 0.1633, 0.0633, 0.0299, 0.0118]
    assert value("AP", judged(FIVE)) == pytest.approx(sum(shares), abs=1e-15)
    assert value("SP", judged(FIVE)) == pytest.approx(5 * sum(shares), abs=1e-15)


def test_more_unjudged_documents_cannot_do_better() -> None:
    for above in range(10):
        tail = ["-"] * above + ["1"] + ["-"] * (9 - above)
        assert round(value("AP", judged("1 0 0 1 0 0 0 0 0 0 " + " ".join(tail))), 4) <= 0.5909


@pytest.mark.parametrize(
    ("system", "rankings", "printed"),
    [  # Ferrante, Ferro and Fuhr 2021, Table 1, with four relevant documents for each topic
        ("A", ("1 1 1 0", "1 0 0 1"), 0.5625),
        ("B", ("1 1 0 1", "1 0 1 0"), 0.5521),
        ("C", ("0 0 1 0", "0 1 0 1"), 0.1667),
        ("D", ("0 0 0 1", "0 1 1 0"), 0.1771),
    ],
)
def test_table_1_of_mapping_to_interval_scales(system: str, rankings: tuple[str, str], printed: float) -> None:
    values = [value("AP", judged(one, missed=" ".join(["1"] * (4 - one.count("1"))))) for one in rankings]
    assert round(sum(values) / 2, 4) == printed, system


def test_graded_average_precision_as_infer_net_has_it() -> None:
    expected = (3 / 1 + (1 + 1) / 2 + (2 + 1 + 2) / 3 + (2 + 1 + 2 + 2) / 4) / (3 + 1 + 2 + 2)
    assert value("GAP", judged("3 1 2 2")) == pytest.approx(expected, abs=1e-15)


def test_expected_search_length_by_hand() -> None:
    # Two relevant of five tied, below one not relevant: of the three others 3 * s/3 are met before the s-th.
    seen = judged("0 1=0=1=0=0 1")
    assert [value(f"ESL(n={n})", seen) for n in (1, 2, 3)] == [1 + 1, 1 + 2, 1 + 3]
    assert math.isnan(value("ESL(n=4)", seen))


def test_rank_power_comes_down_to_a_half() -> None:
    for n in (1, 2, 10, 1000):
        assert value("RankPower", judged(" ".join(["1"] * n))) == pytest.approx((n + 1) / (2 * n), rel=1e-15)


# ---- Formulas, one by one


@settings(max_examples=300)
@given(ranking=rankings, missed=missed_grades, depth=depths)
def test_binary_formulas(ranking: list[float | None], missed: list[float], depth: int | None) -> None:
    seen, k = table(ranking, missed), len(ranking) if depth is None else depth
    expected = {
        "AP": slow.ap(ranking, missed, k),
        "AP(rel=2)": slow.ap(ranking, missed, k, 2),
        "SP": slow.sum_of_precisions(ranking, k),
        "APstar": slow.ap_star(ranking, k),
        "AP3": slow.ap3(ranking, missed, k),
        "Q": slow.q_binary(ranking, missed, k),
        "Q(beta=0)": slow.ap(ranking, missed, k),
        "ASL": slow.asl(ranking, k),
        "RankPower": slow.rank_power(ranking, k),
        "NR(collection=20)": slow.nr(ranking, missed, k, 20),
        "NR(collection=1000000)": slow.nr(ranking, missed, k, 1_000_000),
    }
    if depth is not None:
        expected["Shaw"] = slow.shaw(ranking, missed, k)
    for text, wanted in expected.items():
        np.testing.assert_allclose(value(at(text, depth), seen), wanted, **CLOSE, err_msg=text)


@settings(max_examples=300)
@given(ranking=rankings, missed=missed_grades, depth=depths, b=st.sampled_from([0.25, 1, 7]))
def test_graded_formulas(ranking: list[float | None], missed: list[float], depth: int | None, b: float) -> None:
    seen, k = table(ranking, missed), len(ranking) if depth is None else depth
    expected = {
        f"Q(gains='linear',beta={b})": slow.q_graded(ranking, missed, k, lambda grade: grade / 3, b),
        "Q(gains={0.5:0,1:2,2:5,3:10})": slow.q_graded(
            ranking, missed, k, {0: 0, 0.5: 0, 1: 2, 2: 5, 3: 10}.__getitem__, 1
        ),
        "RHL": slow.rhl(ranking, k),
        "gR": slow.generalised_recall(ranking, missed, k, lambda grade: grade / 3),
        "GAP": slow.gap(ranking, missed, k),
        "GAP(thresholds=[0.2,0.5,0.3])": slow.gap(ranking, missed, k, [0.2, 0.5, 0.3]),
        "GAP(thresholds=[0,0.5,0.5])": slow.gap(ranking, missed, k, [0, 0.5, 0.5]),
        "GAP(thresholds=[0.3,0.7])": slow.gap(ranking, missed, k, [0.3, 0.7, 0]),
    }
    if k:
        expected["gP"] = slow.generalised_precision(ranking, k, lambda grade: grade / 3)
        some = {0: 0.1, 0.5: 0.5, 1: 0, 2: 1, 3: 0.25}
        expected["gP(gains={0:0.1,1:0,2:1,3:0.25})"] = slow.generalised_precision(ranking, k, some.__getitem__)
    if depth is not None:
        expected["SR"] = slow.sr(ranking, k)
    for text, wanted in expected.items():
        np.testing.assert_allclose(value(at(text, depth), seen), wanted, **CLOSE, err_msg=text)


@settings(max_examples=100)
@given(ranking=st.lists(st.sampled_from([None, 0.0, 1.0]), max_size=14), missed=st.lists(st.just(1.0), max_size=3))
def test_with_grades_0_and_1_graded_measures_are_the_binary_ones(
    ranking: list[float | None], missed: list[float]
) -> None:
    seen = judged(written(ranking), missed=written(missed))
    for graded, binary in {
        "GAP": "AP",
        "GAP@5": "AP@5",
        "Q(gains='exp')": "Q",
        "gP@5": "P@5",
        "gR@5": "R@5",
        "gP": "SetP",
    }.items():
        np.testing.assert_allclose(value(graded, seen), value(binary, seen), rtol=0, atol=1e-15, err_msg=graded)


@settings(max_examples=200)
@given(groups=st.lists(st.lists(grades, min_size=1, max_size=4), max_size=3), n=st.integers(1, 4))
def test_expected_search_length_is_the_mean_over_all_orders(groups: list[list[float | None]], n: int) -> None:
    text = " ".join("=".join("-" if grade is None else f"{grade:g}" for grade in group) for group in groups)
    seen, measure = judged(text), parse(f"ESL(n={n})")
    expected = slow.esl(groups, n)
    np.testing.assert_allclose(measure.value(seen), [expected], **CLOSE)
    np.testing.assert_allclose(measure.expected(seen), [expected], **CLOSE)
    of_orders = [slow.esl([[grade] for grade in order], n) for order in slow.orders(groups)]
    for found, wanted in zip(measure.ties_range(seen), (min(of_orders), max(of_orders)), strict=True):
        np.testing.assert_allclose(found, [wanted], **CLOSE)


@settings(max_examples=100)
@given(groups=st.lists(st.lists(grades, min_size=1, max_size=4), max_size=3), depth=st.none() | st.integers(1, 9))
def test_graded_average_precision_over_all_orders(groups: list[list[float | None]], depth: int | None) -> None:
    text = " ".join("=".join("-" if grade is None else f"{grade:g}" for grade in group) for group in groups)
    k = sum(map(len, groups)) if depth is None else depth
    of_orders = [slow.gap(order, [2.0], k) for order in slow.orders(groups)]
    measure, seen = parse(at("GAP", depth)), judged(text, missed="2")
    np.testing.assert_allclose(measure.expected(seen), [sum(of_orders) / len(of_orders)], **CLOSE)
    for found, wanted in zip(measure.ties_range(seen), (min(of_orders), max(of_orders)), strict=True):
        np.testing.assert_allclose(found, [wanted], **CLOSE)


@settings(max_examples=200)
@given(ranking=rankings, missed=missed_grades, k=st.integers(1, 12), n=st.integers(1, 3), damping=st.integers(0, 60))
def test_formulas_that_were_there_before(
    ranking: list[float | None], missed: list[float], k: int, n: int, damping: int
) -> None:
    seen = table(ranking, missed)
    judged_above = sum(grade is not None and grade >= 0 for grade in ranking[:k])
    for text, wanted in {
        f"Bpref(k={k})": slow.bpref(ranking, missed, k),
        "Bpref(k=10)": slow.bpref(ranking, missed, 10),
        f"RR(n={n},damping={damping})": slow.reciprocal_rank(ranking, n, damping),
        f"Judged@{k}": judged_above / max(min(k, len(ranking)), 1),
    }.items():
        np.testing.assert_allclose(value(text, seen), wanted, **CLOSE, err_msg=text)


# ---- Relative relevance, which needs scores


def scored(ranking: list[float | None], scores: list[float], missed: list[float] | None = None) -> Judged:
    kept = [score for score, grade in zip(scores, ranking, strict=True) if grade is not None]
    return replace(table(ranking, missed), score=np.array([kept], dtype=np.float64).reshape(1, len(kept)))


@settings(max_examples=200)
@given(ranking=rankings, draw=st.data(), depth=depths)
def test_relative_relevance(ranking: list[float | None], draw: st.DataObject, depth: int | None) -> None:
    score = st.integers(-50, 50).map(float) | st.floats(-1000, 1000).filter(lambda x: x == 0 or abs(x) > 1e-3)
    scores = sorted(draw.draw(st.lists(score, min_size=len(ranking), max_size=len(ranking))), reverse=True)
    seen = scored(ranking, scores)
    measure = RelRel(depth=depth)
    k = len(ranking) if depth is None else depth
    np.testing.assert_allclose(measure.value(seen), [slow.relative_relevance(ranking, scores, k)], **CLOSE)
    # No law of the other measures gives scores, so what they hold for all is held here.
    fill: dict[str, Any] = {"rank": BEYOND, "first": BEYOND, "last": BEYOND, "code": UNJUDGED, "score": np.nan}
    wide: dict[str, Any] = {
        name: np.pad(getattr(seen, name), ((0, 0), (0, 2)), constant_values=fill[name]) for name in fill
    }
    for same in (replace(seen, **wide), seen.every_rank(len(ranking) + 1)):
        np.testing.assert_array_equal(measure.value(same), measure.value(seen))
    for entry, rank in enumerate(seen.rank[0].tolist()):
        np.testing.assert_array_equal(RelRel().curve(seen)[:, entry], RelRel(depth=rank).value(seen))
        np.testing.assert_array_equal(RelRel().curve(seen)[:, entry], RelRel().value(seen.cut(rank)))


@pytest.mark.parametrize("factor", [1e-200, 1.0, 1e200, 5e307])
def test_relative_relevance_of_scores_of_any_size(factor: float) -> None:
    found = RelRel().value(scored([0, None, 1], [4 / 5 * factor, 0.0, 3 / 5 * factor]))
    np.testing.assert_allclose(found, [0.6], rtol=1e-15)


def test_relative_relevance_of_infinite_scores_is_undefined() -> None:
    seen = scored([None, 1, 0], [math.inf, 1.0, -math.inf])
    assert RelRel(depth=2).value(seen).tolist() == [1.0]
    assert np.isnan(RelRel().value(seen)).all()


def test_relative_relevance_asks_for_scores() -> None:
    with pytest.raises(ParameterError, match="RelRel@5 compares scores with grades: the runs must be read with their"):
        parse("RelRel@5").value(replace(judged("1 0"), score=None))


# ---- What is refused


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NR", "NR: collection is needed"),
        ("NR(collection=0)", "NR: collection must be a whole number from 1, got 0"),
        ("ESL(n=0)", "ESL: n must be a whole number from 1, got 0"),
        ("ESL@10", "ESL takes no depth"),
        ("Q(beta=-1)", "Q: beta must be 0 or more, got -1"),
        ("GAP(thresholds=[0,0])", r"GAP: thresholds must be 0 or more, and one of them above 0, got \[0, 0\]"),
        ("GAP(thresholds=[1,-1])", r"GAP: thresholds must be 0 or more, and one of them above 0, got \[1, -1\]"),
        ("GAP(thresholds=1)", "GAP: thresholds must be a list of which each item is a number, got 1"),
        ("SR", "SR: a depth is needed, as in SR@10"),
        ("Shaw", "Shaw: a depth is needed, as in Shaw@10"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gP(gains='exp')@5", "gP: gains must be from 0 to 1, and grade 2 gains 3"),
        ("gR(gains=[0,1,-1])", "gR: gains must be from 0 to 1, and grade 2 gains -1"),
        ("SR(gains={1:-1})@5", "SR: gains must be 0 or more, and grade 1 gains -1"),
        ("RHL(gains=[0,-2,1])", "RHL: gains must be 0 or more, and grade 1 gains -2"),
        ("Q(gains={0:-0.5})", "Q: gains must be 0 or more, and grade 0 gains -0.5"),
        ("NR(collection=3)", r"NR\(collection=3\) needs the size of the collection, which has 4 documents at least"),
    ],
)
def test_what_does_not_fit_the_judgments_is_refused(text: str, message: str) -> None:
    seen = judged("1 0 2", missed="1")
    parse("DCG(gains={1:-1})").value(seen)  # gains that others have looked up are checked all the same
    with pytest.raises(ParameterError, match=message):
        parse(text).value(seen)


def test_a_collection_that_is_relevant_as_a_whole_has_no_order() -> None:
    with pytest.raises(ParameterError, match="has 3 documents at least"):
        parse("NR(collection=2)").value(judged("1 1"))


# ---- As ir_measures spells it


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("NumRet(rel=1)", "NumRelRet"),
        ("NumRet(rel=2)", "NumRelRet(rel=2)"),
        ("NumRet(rel=2,judged_only=True)", "NumRelRet(judged_only=True,rel=2)"),
        ("NumRet", "NumRet"),
        ("SetP(relative=True)", "SetRelP"),
        ("SetP(rel=2,relative=True)", "SetRelP(rel=2)"),
        ("SetP(relative=False,rel=2)", "SetP(rel=2)"),
    ],
)
def test_one_measure_has_one_name(text: str, name: str) -> None:
    measure = parse(text)
    assert str(measure) == name
    assert parse(name) == measure
    assert hash(parse(name)) == hash(measure)
    assert repr(parse(name)) == repr(measure)
    assert replace(measure) == measure


def test_it_is_the_class_of_that_name() -> None:
    assert type(parse("NumRet(rel=3)")) is NumRelRet
    assert type(parse("SetP(relative=True)")) is SetRelP
    assert parse("SetP(relative=True)").uses_recall_base


@settings(max_examples=30)
@given(ranking=st.lists(st.sampled_from([None, 0.0, 1.0, 2.0, 3.0]), min_size=1, max_size=8))
def test_values_of_ir_measures(ranking: list[float | None]) -> None:
    assume(any(slow.r(grade, 2) for grade in ranking))
    qrels = {"1": {f"d{place}": int(grade) for place, grade in enumerate(ranking) if grade is not None}}
    run = {"1": {f"d{place}": float(-place) for place in range(len(ranking))}}
    texts = ["NumRet", "NumRet(rel=2)", "SetP(relative=True)", "SetP(rel=2,relative=True)", "SetP"]
    theirs = {text: ir_measures.parse_measure(text) for text in texts}
    found = {item.measure: item.value for item in ir_measures.iter_calc(list(theirs.values()), qrels, run)}
    ours = [value(text, table(ranking)) for text in texts]
    np.testing.assert_allclose(ours, [found[measure] for measure in theirs.values()], rtol=1e-15)


# ---- Many topics at once


def test_topics_of_one_table_do_not_touch() -> None:
    rng = np.random.default_rng(7)
    rows = [[None if g < -1 else float(g) for g in rng.integers(-2, 4, rng.integers(0, 30))] for _ in range(25)]
    texts = ["APstar", "SP", "Shaw@5", "AP3", "Q", "Q(gains='exp')@9", "ESL(n=2)", "ASL@7", "NR(collection=99)"]
    texts += ["SR@4", "RHL", "RHL@6", "RankPower", "gP", "gR@8", "GAP", "GAP(thresholds=[1,2,4])@9"]
    together: Judged = judged(*map(written, rows), missed="3 0 1")
    for text in texts:
        values: Floats = parse(text).value(together)
        alone = [parse(text).value(judged(written(row), missed="3 0 1"))[0] for row in rows]
        np.testing.assert_array_equal(values, alone, err_msg=text)
