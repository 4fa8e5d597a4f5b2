"""Rankings above one another: an independent slow program, the law for measures, and the runs of TREC-8."""

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankscale as rs
from rankscale.errors import ParameterError
from rankscale.measures.base.parser import parse
from rankscale.sample import QRELS, RUNS
from rankscale.studies.partial_order import depths_held

Qrels = dict[str, dict[str, int]]
Runs = dict[str, dict[str, dict[str, float]]]


def in_order(ranking: Mapping[str, float]) -> list[str]:
    """By score, equal scores by document in descending order, as trec_eval sorts them."""
    return sorted(ranking, key=lambda document: (ranking[document], document), reverse=True)


def slowly(qrels: Qrels, runs: Runs, depth: int, rel: int | None = None) -> dict[tuple[str, str, str], bool]:
    """Whether a run is above another or equal to it: counted for each grade and each rank, one after the other."""
    levels = {grade for topic in qrels.values() for grade in topic.values() if grade > 0} if rel is None else {rel}
    result = {}
    for topic, judgments in qrels.items():
        for run in runs:
            for other in runs:
                lists = [in_order(runs[name].get(topic, {})) for name in (run, other)]
                result[topic, run, other] = all(
                    sum(judgments.get(document, 0) >= grade for document in lists[0][:k])
                    >= sum(judgments.get(document, 0) >= grade for document in lists[1][:k])
                    for k in range(1, depth + 1)
                    for grade in levels
                )
    return result


documents = st.sampled_from("abcdefgh")
qrels_of = st.fixed_dictionaries(
    {topic: st.dictionaries(documents, st.integers(-1, 3), min_size=1) for topic in ("1", "2", "3")}
)
ranking = st.dictionaries(documents, st.integers(0, 9).map(float), min_size=1)
runs_of = st.fixed_dictionaries(
    {name: st.dictionaries(st.sampled_from(["1", "2", "3"]), ranking, min_size=1) for name in ("x", "y", "z")}
)


@settings(max_examples=60, deadline=None)
@given(qrels=qrels_of, runs=runs_of, depth=st.integers(1, 9), rel=st.sampled_from([None, 1, 2]))
def test_comparisons_are_those_of_the_slow_program(qrels: Qrels, runs: Runs, depth: int, rel: int | None) -> None:
    result = rs.partial_order(qrels, runs, depths=sorted({depth, 9}), rel=rel)
    expected = slowly(qrels, runs, depth, rel)
    at_least = result.at_least(depth)
    for (topic, run, other), holds in expected.items():
        place = result.topics.index(topic), result.runs.index(run), result.runs.index(other)
        assert at_least[place] == holds
    pairs = list(combinations(result.runs, 2))
    for number, topic in enumerate(result.topics):
        either = [expected[topic, x, y] or expected[topic, y, x] for x, y in pairs]
        assert result.comparable(depth)[number] == pytest.approx(np.mean(either))
    for i, run in enumerate(result.runs):
        for j, other in enumerate(result.runs):
            every = all(expected[topic, run, other] for topic in result.topics)
            back = all(expected[topic, other, run] for topic in result.topics)
            assert result.on_every_topic(depth)[i, j] == (every and not back)


def test_the_tables_count_what_the_slow_program_counts() -> None:
    qrels = {str(topic): {"a": 2, "b": 1, "c": 1, "d": 0} for topic in range(4)}
    orders = {"x": ["ab", "ab", "acb", "da"], "y": ["ba", "abd", "bca", "b"], "z": ["d", "", "d", "da"]}
    runs = {
        name: {
            str(topic): {document: -float(rank) for rank, document in enumerate(order)}
            for topic, order in enumerate(lists)
            if order
        }
        for name, lists in orders.items()
    }
    result = rs.partial_order(qrels, runs, depths=[2, 3])
    for row in result.tables()["pairs"]:
        run, other, depth = str(row["run"]), str(row["other"]), int(row["depth"] or 0)
        expected = slowly(qrels, runs, depth)
        both = [(expected[topic, run, other], expected[topic, other, run]) for topic in qrels]
        counts = [both.count(kind) for kind in [(True, False), (False, True), (True, True), (False, False)]]
        assert [row[name] for name in ("above", "below", "equal", "not_comparable")] == counts
    assert [
        (row["run"], row["other"], row["depth"], row["above"], row["equal"]) for row in result.table("every_topic")
    ] == [
        ("x", "z", 2, 3, 1),
        ("x", "z", 3, 3, 1),
    ]
    assert result.sentence().startswith(
        "Down to rank 3, a run is above another or equal on all 4 topics for 1 of 3 pairs"
    )
    by_depth = [(row["depth"], row["on_every_topic"]) for row in result.table()]
    assert by_depth == [(2, 1), (3, 1)]
    for row in result.table("topics"):
        assert float(row["comparable"] or 0) == pytest.approx(float(row["above"] or 0) + float(row["equal"] or 0))


def test_depths_are_those_of_the_first_failure() -> None:
    ranks = np.array([[1, 3, 9], [2, 3, 4], [9, 9, 9]])
    expected = [[8, 3, 8], [0, 8, 8], [0, 1, 8]]  # the third document of the first run is later, at depth 4
    assert depths_held(ranks, 8).tolist() == expected


@pytest.fixture(scope="module")
def of_sample() -> rs.PartialOrder:
    return rs.partial_order(QRELS, list(RUNS), depths=(1, 5, 10, 100))


def test_it_is_an_order(of_sample: rs.PartialOrder) -> None:
    for depth in (1, 5, 10, 100):
        at_least = of_sample.at_least(depth)
        assert at_least[:, range(24), range(24)].all()
        through = np.einsum("tij,tjk->tik", at_least.astype(int), at_least.astype(int)) > 0
        assert (at_least | ~through).all()
        assert not (of_sample.above(depth) & of_sample.above(depth).swapaxes(1, 2)).any()
    assert (of_sample.at_least(5) | ~of_sample.at_least(10)).all()  # what holds further down holds further up
    assert (of_sample.comparable(1) == 1).all() or len(of_sample.evaluation.levels) > 2


@pytest.mark.parametrize(
    "measure",
    ["P@10", "AP@10", "R@10", "RR@10", "RBP(p=0.3)@10", "DCG(base=2)@10", "nDCG@10", "ERR@10", "SBTO@10", "RBTO@10"],
)
def test_no_measure_that_respects_the_order_prefers_the_ranking_below(measure: str, of_sample: rs.PartialOrder) -> None:
    result = rs.evaluate(QRELS, list(RUNS), measure)
    assert result.runs == of_sample.runs
    assert result.topics == of_sample.topics
    values = result.values[0].T  # (topic, run)
    worse = values[:, :, None] < values[:, None, :] - 1e-12
    assert parse(measure).respects_order((0, 1, 2, 3))
    assert not (of_sample.at_least(10) & worse).any()


def test_twist_may_prefer_the_ranking_below(of_sample: rs.PartialOrder) -> None:
    """Twist says so itself: it does not respect the order."""
    assert not parse("Twist@100").respects_order((0, 1, 2, 3))
    values = rs.evaluate(QRELS, list(RUNS), "Twist@100").values[0].T
    with np.errstate(invalid="ignore"):
        assert (of_sample.above(100) & (values[:, :, None] > values[:, None, :])).any()  # low is good


def test_options_and_refusals() -> None:
    qrels = {"1": {"a": 2, "b": 1}, "2": {"a": 1}}
    runs: Runs = {"x": {"1": {"b": 1.0}, "2": {"a": 1.0}}, "y": {"1": {"a": 1.0}}}
    both = rs.partial_order(qrels, runs, missing="common", depths=[1])
    assert both.topics == ("1",)
    assert both.above(1)[0].tolist() == [[False, False], [True, False]]
    binary = rs.partial_order(qrels, runs, rel=1, depths=[1])
    assert binary.at_least(1)[0].all()  # a and b are both relevant
    assert "measures of graded gain may prefer" in " ".join(binary.warnings)
    assert binary.on_every_topic(1).tolist() == [[False, True], [False, False]]
    for depths in ([], [0], [1.5], ["a"]):
        with pytest.raises(ParameterError, match=r"depths must be (one or more|a list of) whole numbers"):
            rs.partial_order(qrels, runs, depths=depths)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="two runs or more"):
        rs.partial_order(qrels, {"x": runs["x"]})
    with pytest.raises(ParameterError, match="compared down to rank 1: give a depth up to it, got 2"):
        binary.at_least(2)
    with pytest.raises(ParameterError, match="rather than missing='skip'"):
        rs.partial_order(qrels, runs, missing="skip")  # type: ignore[arg-type]


def test_judged_only_leaves_unjudged_documents_out() -> None:
    qrels = {"1": {"a": 1, "b": 0}}
    runs: Runs = {"x": {"1": {"u": 2.0, "a": 1.0}}, "y": {"1": {"a": 1.0}}}
    assert rs.partial_order(qrels, runs, depths=[2]).above(2)[0].tolist() == [[False, False], [True, False]]
    assert rs.partial_order(qrels, runs, depths=[2], judged_only=True).at_least(2).all()


def test_runs_of_trec_8(trec_8: Any) -> None:
    """All 129 runs at depth 1000: pairs in one order on every topic, and none that AP or nDCG would turn round."""
    qrels, runs = trec_8
    result = rs.partial_order(qrels, runs, depths=(10, 1000))
    assert [row["on_every_topic"] for row in result.table()] == [196, 96]
    assert result.comparable(1000).mean() == pytest.approx(0.4830, abs=5e-5)
    means = rs.evaluate(qrels, runs, ["AP@1000", "nDCG@1000", "P@10", "RBP(p=0.95)@100", "RR@5"]).means().values
    for mean in means:
        assert not (result.on_every_topic(1000) & (mean[:, None] < mean[None] - 1e-12)).any()
