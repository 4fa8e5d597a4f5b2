"""Measures of sub-topics against slow transcriptions, over all orders of ties and all judgments there could be."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from rankscale.data.judged import Judged, judged
from rankscale.data.orders import TieOrders
from rankscale.data.qrels import Qrels
from rankscale.inputs.read import read_run
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.measures.base.ties import RankingView, tied_mean, tied_range
from rankscale.measures.families.subtopics import greedy_gains, upper_bounds
from tests.data.made_aspects import made_qrels
from tests.measures import slow_subtopics as slow

DOCUMENTS = "abcdefgh"
grades = st.sampled_from([0.0, 0.0, 1.0, 1.0, 2.0, 3.0, -1.0])
judgments = st.dictionaries(
    st.sampled_from("1234567"), st.dictionaries(st.sampled_from(DOCUMENTS[:6]), grades, min_size=1), min_size=1
)
topics = st.lists(judgments, min_size=1, max_size=3)
rankings = st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=8)
tied = st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=6).flatmap(
    lambda documents: st.lists(st.booleans(), min_size=len(documents), max_size=len(documents)).map(
        lambda joins: grouped(documents, joins)
    )
)
alphas = st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0])
weights = st.none() | st.dictionaries(st.sampled_from("12345678"), st.sampled_from([0.0, 0.1, 0.5, 2.0]))
tried = settings(max_examples=60, deadline=None)
CLOSE = 1e-12
ALL = TieOrders(100_000)
each = pytest.mark.parametrize("name", slow.MEASURES)


def grouped(documents: list[str], joins: list[bool]) -> list[list[str]]:
    groups: list[list[str]] = []
    for document, joined in zip(documents, joins, strict=True):
        if joined and groups:
            groups[-1].append(document)
        else:
            groups.append([document])
    return groups


def qrels_of(topics: list[slow.Judgments], given: dict[str, float] | None = None) -> Qrels:
    qrels = made_qrels(
        [
            (f"t{number}", subtopic, document, grade)
            for number, of in enumerate(topics)
            for subtopic, grades in of.items()
            for document, grade in grades.items()
        ]
    )
    if given is None:
        return qrels
    assert qrels.aspects is not None
    rows = {(row, name): weight for row in range(len(topics)) for name, weight in given.items()}
    return replace(qrels, aspects=qrels.aspects.with_intents(rows))


def judged_by(qrels: Qrels, groups: list[list[list[str]]]) -> Judged:
    run = {
        f"t{number}": {document: -float(place) for place, group in enumerate(of) for document in group}
        for number, of in enumerate(groups)
    }
    return read_run(qrels, run, name="run").completed(len(groups)).judged(qrels)


def alone(rankings: list[list[str]]) -> list[list[list[str]]]:
    return [[[document] for document in ranking] for ranking in rankings]


@each
@tried
@given(topics=topics, data=st.data(), depth=st.integers(1, 12), given=weights)
def test_values_and_curves_are_those_of_plain_loops(
    name: str, topics: list[slow.Judgments], data: Any, depth: int, given: dict[str, float] | None
) -> None:
    orders = [data.draw(rankings) for _ in topics]
    assume(any(orders))
    table = judged_by(qrels_of(topics, given), alone(orders))
    measure = parse(f"{name}@{depth}")
    expected = [
        slow.MEASURES[name](slow.Topic(of, weights=given), order, depth)
        for of, order in zip(topics, orders, strict=True)
    ]
    np.testing.assert_allclose(measure.value(table), expected, rtol=CLOSE, atol=CLOSE)
    np.testing.assert_allclose(measure.curve(table.every_rank(depth))[:, -1], expected, rtol=CLOSE, atol=CLOSE)


@pytest.mark.parametrize("name", ["alpha_DCG", "alpha_nDCG", "NRBP", "nNRBP"])
@tried
@given(of=judgments, ranking=rankings, alpha=alphas, beta=st.sampled_from([0.0, 0.5, 0.9]), rel=st.integers(1, 3))
def test_alpha_beta_and_rel(
    name: str, of: slow.Judgments, ranking: list[str], alpha: float, beta: float, rel: int
) -> None:
    assume(ranking)
    topic, table = slow.Topic(of, rel), judged_by(qrels_of([of]), alone([ranking]))
    if "DCG" in name:
        expected = (slow.alpha_dcg if name == "alpha_DCG" else slow.over_ideal)(topic, ranking, 30, alpha)
        found = parse(f"{name}(alpha={alpha},rel={rel})@30").value(table)[0]
    else:
        expected = (slow.nrbp if name == "NRBP" else slow.nnrbp)(topic, ranking, None, alpha, beta)
        found = parse(f"{name}(alpha={alpha},beta={beta},rel={rel})").value(table)[0]
    assert found == pytest.approx(expected, rel=CLOSE, abs=CLOSE)


@tried
@given(of=judgments, ranking=rankings, scheme=st.sampled_from(["linear", "exp", "list"]), depth=st.integers(1, 9))
def test_gains_of_d_ndcg(of: slow.Judgments, ranking: list[str], scheme: str, depth: int) -> None:
    assume(ranking)
    qrels = qrels_of([of])
    table = judged_by(qrels, alone([ranking]))
    highest = qrels.highest
    written, gain = {
        "linear": ("'linear'", lambda grade: grade / highest),
        "exp": ("'exp'", lambda grade: 2**grade - 1),
        "list": ("[0,1,5,7]", lambda grade: [0, 1, 5, 7][int(grade)]),
    }[scheme]
    expected = slow.d_ndcg(slow.Topic(of), ranking, depth, gain)
    assert parse(f"D_nDCG(gains={written})@{depth}").value(table)[0] == pytest.approx(expected, rel=CLOSE, abs=CLOSE)


@pytest.mark.parametrize("weight", [slow.LOG, slow.RECIPROCAL], ids=["alpha_nDCG", "nERR_IA"])
@settings(max_examples=40, deadline=None)
@given(of=judgments, alpha=alphas, depth=st.integers(1, 5))
def test_the_exact_ideal_is_the_best_of_all_rankings(weight: Any, of: slow.Judgments, alpha: float, depth: int) -> None:
    topic, qrels = slow.Topic(of), qrels_of([of])
    assert qrels.aspects is not None
    name = "alpha_nDCG" if weight is slow.LOG else "nERR_IA"
    exact, greedy = (parse(f"{name}(alpha={alpha},ideal='{ideal}')@{depth}") for ideal in ("exact", "greedy"))
    curve = exact.ideal_curve(qrels.aspects, depth)  # type: ignore[attr-defined]
    best = topic.best(weight, alpha, depth)
    found = curve[0, -1] if curve.shape[-1] else 0.0
    assert found == pytest.approx(best, rel=CLOSE, abs=CLOSE)
    novelties = greedy.novelties(qrels.aspects)  # type: ignore[attr-defined]
    weights = np.array([weight(rank) for rank in range(1, depth + 1)])
    assert upper_bounds(novelties, weights)[0] >= best - CLOSE
    if alpha == 0:
        assert float((weights * greedy_gains(novelties, depth)).sum()) == pytest.approx(best, rel=CLOSE, abs=CLOSE)


@tried
@given(of=judgments, alpha=alphas, depth=st.integers(1, 12))
def test_the_greedy_ideal_has_value_1(of: slow.Judgments, alpha: float, depth: int) -> None:
    topic = slow.Topic(of)
    assume(topic.counting)
    table = judged_by(qrels_of([of]), alone([topic.greedy(alpha)]))
    for text in ("alpha_nDCG", "nERR_IA", "nNRBP"):
        assert parse(f"{text}(alpha={alpha})@{depth}").value(table)[0] == pytest.approx(1, abs=CLOSE)


@each
@settings(max_examples=40, deadline=None)
@given(of=judgments, groups=tied, depth=st.none() | st.integers(1, 7), condensed=st.booleans())
def test_mean_and_range_are_those_of_all_orders(
    name: str, of: slow.Judgments, groups: list[list[str]], depth: int | None, *, condensed: bool
) -> None:
    assume(groups)
    qrels, measure = qrels_of([of]), parse(f"{name}@3")
    every = list(slow.orders(groups))
    values = []
    for order in every:
        table = judged_by(qrels, alone([order]))
        values.append(measure.value(RankingView(depth, condensed).of(table))[0])
    table = judged_by(qrels, [groups])
    mean, error, complete, _ = tied_mean(measure, table, RankingView(depth, condensed), ALL)
    assert complete.all()
    assert error[0] == 0
    np.testing.assert_allclose(mean, [np.mean(values)], rtol=CLOSE, atol=CLOSE)
    lowest, highest, complete, _ = tied_range(measure, table, RankingView(depth, condensed), ALL)
    assert complete.all()
    np.testing.assert_allclose([lowest[0], highest[0]], [min(values), max(values)], rtol=CLOSE, atol=CLOSE)


@each
@settings(max_examples=25, deadline=None)
@given(topics=topics, data=st.data())
def test_mean_curves_are_the_means_at_each_depth(name: str, topics: list[slow.Judgments], data: Any) -> None:
    groups = [data.draw(tied) for _ in topics]
    assume(any(groups))
    table = judged_by(qrels_of(topics), groups).every_rank(8)
    measure: Measure = parse(f"{name}@3")
    curve = measure.tied_curve(table)
    for rank in range(1, 9):
        np.testing.assert_allclose(curve[:, rank - 1], measure.at(rank).tied_value(table), rtol=CLOSE, atol=CLOSE)


BOUNDED = {name: slow.MEASURES[name] for name in ("alpha_DCG", "ERR_IA", "NRBP", "P_IA", "StRecall", "Coverage")}


@pytest.mark.parametrize("name", [*BOUNDED, "IA(P)", "IA(ERR)", "IA(RBP)"])
@settings(max_examples=25, deadline=None)
@given(of=judgments, ranking=st.lists(st.sampled_from("abcxyz"), unique=True, max_size=5), depth=st.integers(1, 5))
def test_bounds_are_the_extremes_of_what_assessors_could_say(
    name: str, of: slow.Judgments, ranking: list[str], depth: int
) -> None:
    """Unjudged documents, also those that fill the ranking, with every set of sub-topics that count; S and p kept."""
    assume(ranking)
    topic, measure = slow.Topic(of), parse(f"{name}@{depth}")
    assume(topic.counting)
    lower, upper = measure.bounds(judged_by(qrels_of([of]), alone([ranking])))
    judged_ones = {d for grades in of.values() for d, grade in grades.items() if grade >= 0}
    full = [*ranking, *(f"new{rank}" for rank in range(depth))][: max(depth, len(ranking))]
    opened = [d for d in full[:depth] if d not in judged_ones]
    assume(len(opened) <= 3)
    highest = max(grade for grades in of.values() for grade in grades.values())
    found = []
    for served in product([(), topic.counting[:1], topic.counting], repeat=len(opened)):
        told = {i: dict(grades) for i, grades in of.items()}
        for d, subtopics in zip(opened, served, strict=True):
            for told_of in told.values():
                told_of.pop(d, None)
            for i in subtopics:
                told[i][d] = highest
        now = slow.Topic(told)
        found.append(
            BOUNDED[name](now, full, depth)
            if name in BOUNDED
            else parse(f"{name}@{depth}").value(judged_by(qrels_of([told]), alone([full])))[0]
        )
    assert lower[0] == pytest.approx(min(found), abs=CLOSE)
    if name in {"NRBP", "IA(ERR)", "IA(RBP)"}:  # and what ranks below could add
        assert upper[0] >= max(found) - CLOSE
    else:
        assert upper[0] == pytest.approx(max(found), abs=CLOSE)


@settings(max_examples=40, deadline=None)
@given(of=judgments, ranking=st.lists(st.sampled_from("abcxyz"), unique=True, max_size=5))
def test_the_upper_bound_of_nrbp_is_that_of_an_endless_ranking(of: slow.Judgments, ranking: list[str]) -> None:
    assume(ranking)
    topic = slow.Topic(of)
    told = {i: dict(grades) for i, grades in of.items()}
    judged_ones = {d for grades in of.values() for d, grade in grades.items() if grade >= 0}
    endless = [*ranking, *(f"new{rank}" for rank in range(60))]  # 0.25^60 is lost in rounding
    for d in endless:
        for i in topic.counting if d not in judged_ones else ():
            told[i][d] = 1.0
    now = slow.Topic(told)
    _, upper = parse("NRBP").bounds(judged_by(qrels_of([of]), alone([ranking])))
    assert upper[0] == pytest.approx(slow.nrbp(now, endless), abs=CLOSE)


ONE = {  # of one sub-topic: the same as an ordinary measure
    "alpha_nDCG(alpha=0)@4": "nDCG(gains={0.5:0,1:1,2:1,3:1})@4",
    "P_IA@4": "P@4",
    "AP_IA": "AP",
    "StRecall@4": "Success@4",
    "Coverage@4": "Success@4",
    "D_nDCG(rel=0.5)@4": "nDCG@4",
    "IA(ERR)@4": "ERR@4",
    "IA(Rprec)": "Rprec",
    "IA(nDCG(base=2))@4": "nDCG(base=2)@4",
}


@pytest.mark.parametrize("text", ONE)
@tried
@given(ranking=st.lists(st.sampled_from("0123-"), max_size=9), missed=st.lists(st.sampled_from("0123"), max_size=5))
def test_one_subtopic_is_an_ordinary_topic(text: str, ranking: list[str], missed: list[str]) -> None:
    table = judged(" ".join(ranking), missed=" ".join([*missed, "0", "3", "2", "1"]))
    np.testing.assert_allclose(parse(text).value(table), parse(ONE[text]).value(table), rtol=0, atol=1e-14)


@pytest.mark.parametrize("text", [text for text in ONE if "rel" not in text])
@tried
@given(grades=st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=1))
def test_one_named_subtopic_is_an_ordinary_topic_too(text: str, grades: dict[str, float]) -> None:
    qrels = qrels_of([{"only": grades}])
    table = judged_by(qrels, alone([list("hcdxab")]))
    np.testing.assert_allclose(
        parse(text).value(table), parse(ONE[text]).value(replace(table, aspects=None)), rtol=0, atol=1e-14
    )


@tried
@given(of=judgments, ranking=rankings, depth=st.integers(1, 20))
def test_err_ia_is_the_mean_of_err_over_its_limit(of: slow.Judgments, ranking: list[str], depth: int) -> None:
    assume(ranking)
    binary = {i: {d: float(grade >= 1) for d, grade in grades.items()} for i, grades in of.items()}
    table = judged_by(qrels_of([binary]), alone([ranking]))
    most = sum(2.0**-rank / rank for rank in range(1, depth + 1))
    of_err = parse(f"IA(ERR(gmax=1))@{depth}").value(table)[0]
    assert parse(f"ERR_IA@{depth}").value(table)[0] == pytest.approx(of_err / most, abs=CLOSE)


@each
@settings(max_examples=25, deadline=None)
@given(topics=topics, data=st.data())
def test_topics_do_not_touch_each_other(name: str, topics: list[slow.Judgments], data: Any) -> None:
    orders = [data.draw(rankings.filter(len)) for _ in topics]
    together = judged_by(qrels_of(topics), alone(orders))
    measure = parse(f"{name}@4")
    for place in range(len(topics)):
        np.testing.assert_array_equal(
            measure.value(together.rows(np.array([place])))[0], measure.value(together)[place]
        )


@each
@settings(max_examples=25, deadline=None)
@given(of=judgments, ranking=rankings.filter(len))
def test_what_is_ignored_may_be_left_out(name: str, of: slow.Judgments, ranking: list[str]) -> None:
    qrels, measure = qrels_of([of]), parse(f"{name}@4")
    run = read_run(qrels, {"t0": {d: -float(place) for place, d in enumerate(ranking)}}, name="run")
    assume(len(run.rows))
    plain, few = (one.judged(qrels) for one in (run, run.without(measure.ignored(qrels.levels), qrels)))
    np.testing.assert_array_equal(measure.value(plain), measure.value(few))
