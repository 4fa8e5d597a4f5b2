"""Measures beside their interval versions: tau against scipy, topics that count, and published values."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.errors import ParameterError
from rankscale.evaluation.options import SameTopics
from rankscale.executors.processes import Processes
from rankscale.measures.base.parser import parse
from rankscale.sample import QRELS, RUNS
from rankscale.studies.intervals import without_rounding

RULES: tuple[SameTopics, ...] = ("zero", "common")

MEASURES = ["P@10", "RR@10", "DCG(base=2)@10", "nDCG@10", "AP@20"]


@pytest.fixture(scope="module")
def found() -> rs.Intervals:
    return rs.intervals(QRELS, list(RUNS), MEASURES)


def test_tau_is_that_of_scipy_on_rounded_means(found: rs.Intervals) -> None:
    values = rs.evaluate(QRELS, list(RUNS), [*MEASURES, *(f"Interval({m})" for m in MEASURES)])
    means = values.means().values
    for place, pair in enumerate(found.pairs):
        of_measure, of_interval = np.round(means[place], 8), np.round(means[place + len(MEASURES)], 14)
        assert pair.tau == pytest.approx(stats.kendalltau(of_measure, of_interval).statistic, abs=1e-14)
        np.testing.assert_array_equal(pair.means, means[place])
        np.testing.assert_array_equal(pair.interval_means, means[place + len(MEASURES)])
        assert str(pair.interval) == f"Interval({pair.measure})"
    assert found.pairs[0].tau == 1  # P is on an interval scale
    assert all(0 < pair.tau < 1 for pair in found.pairs[1:])


def test_tau_on_each_topic_is_one_where_it_is_defined(found: rs.Intervals) -> None:
    values = found.evaluation.values
    for place, pair in enumerate(found.pairs):
        constant = (np.ptp(np.round(values[place], 9), axis=0) == 0) | (np.ptp(values[place + 5], axis=0) == 0)
        np.testing.assert_array_equal(np.isnan(pair.by_topic), constant)
        assert (pair.by_topic[~constant] == 1).all()
        assert (pair.defined, pair.counted) == (int(np.count_nonzero(~constant)), 50)
        assert pair.tau_by_topic == 1
    assert found.pairs[1].defined < 50  # all runs start with something relevant on some topic


@pytest.mark.parametrize("measure", ["AP@20", "ERR@12", "Bpref@8", "RBP(p=0.3)@30", "SP@10"])
def test_rounding_errors_do_not_tell_equal_values_apart(measure: str, trec_8: Any) -> None:
    qrels, runs = trec_8
    (pair,) = rs.intervals(qrels, runs[::9], measure).pairs
    assert pair.defined == 50
    assert (pair.by_topic == 1).all()


def test_only_rounding_errors_of_one_rank_are_taken_away() -> None:
    values = np.array([[0.3, 0.1 + 0.2, 0.3 + 1e-9, 0.5, 0.0, math.inf, math.inf]])
    same = without_rounding(values, np.array([[2.0, 2, 2, 3, 1, 9, 9]]))
    assert same[0, 0] == same[0, 1]
    assert same[0].tolist()[2:] == values[0].tolist()[2:]
    apart = without_rounding(values, np.array([[2.0, 2.5, 2.7, 3, 1, 9, 9]]))
    assert apart.tolist() == values.tolist()


# Tables 2 (unique ranks) and 3 (mid-ranks) of the paper, T08 at N = 5; AP told apart as floating-point sums.
PUBLISHED = {
    "P@5": ("1.0000", "0.9680"),
    "RR@5": ("0.9211", "0.9694"),
    "RBP(p=0.3)@5": ("0.9522", "0.9522"),
    "DCG(base=2)@5": ("0.9759", "0.9622"),
    "R@5": ("0.8145", "0.7973"),
    "AP@5": ("0.8219", "0.8208"),
    "nDCG(base=10)@5": ("1.0000", "0.9680"),
}


@pytest.mark.parametrize("measure", PUBLISHED)
def test_published_tau_at_length_5(measure: str, trec_8: Any) -> None:
    qrels, runs = trec_8
    deduplicate = "float" if measure == "AP@5" else "exact"
    for form, expected in zip(("rank", "mid"), PUBLISHED[measure], strict=True):
        (pair,) = rs.intervals(qrels, runs, measure, form=form, deduplicate=deduplicate).pairs
        assert f"{pair.tau:.4f}" == expected


def test_published_tau_at_length_20(trec_8: Any) -> None:
    """Written out from the paper: T08 at N = 20, unique ranks."""
    qrels, runs = trec_8
    published = {"RR@20": "0.7677", "RBP(p=0.8)@20": "0.9498", "DCG(base=2)@20": "0.9334", "R@20": "0.7943"}
    pairs = rs.intervals(qrels, runs, published, form="rank").pairs
    assert [f"{pair.tau:.4f}" for pair in pairs] == list(published.values())
    normalised = rs.intervals(qrels, runs, published).pairs
    assert [pair.tau for pair in normalised] == [pair.tau for pair in pairs]


QRELS_OF_THREE: dict[str, dict[str, int]] = {
    "1": {"a": 1, "b": 0},
    "2": {"a": 0, "b": 0},
    "3": {"a": 1, "b": 1, "c": 1},
}
FIRST: dict[str, dict[str, float]] = {"1": {"a": 2, "b": 1}, "2": {"a": 1}, "3": {"b": 3, "x": 2, "a": 1}}
SECOND: dict[str, dict[str, float]] = {"1": {"b": 2, "a": 1}, "3": {"x": 3, "a": 2}}
THIRD: dict[str, dict[str, float]] = {"1": {"x": 2}, "2": {"b": 1}, "3": {"x": 3, "a": 2}}


def test_topics_without_a_scale_are_left_out_and_counted() -> None:
    runs = {"first": FIRST, "second": SECOND, "third": THIRD}
    found = rs.intervals(QRELS_OF_THREE, runs, ["AP@2", "P@2"])
    ap, p = found.pairs
    assert (ap.counted, p.counted) == (2, 3)
    assert ap.both.tolist() == [True, False, True]
    # AP@2 at RB 1: (1,0) third and (0,1) second of four values; RB 3: (1,0) third, (0,1) second
    np.testing.assert_allclose(ap.interval_means, [(2 / 3 + 2 / 3) / 2, 1 / 3, (0 + 1 / 3) / 2], rtol=1e-15)
    np.testing.assert_allclose(ap.means, [(1 + 1 / 3) / 2, (1 / 2 + 1 / 6) / 2, (0 + 1 / 6) / 2], rtol=1e-15)
    assert np.isnan(ap.by_topic).tolist() == [False, True, False]
    assert np.isnan(p.by_topic).tolist() == [False, True, True]  # found alike by all: nothing to compare
    assert p.by_topic[0] == 1
    assert any("Interval(AP@2) is undefined for 3 of 9 rankings" in warning for warning in found.warnings)
    assert [(row["measure"], row["topics"], row["defined"]) for row in found.table()] == [("AP@2", 2, 2), ("P@2", 3, 1)]
    assert [(row["measure"], row["topic"]) for row in found.table("topics")] == [
        *(("AP@2", "1"), ("AP@2", "3")),
        *(("P@2", "1"), ("P@2", "2"), ("P@2", "3")),
    ]


def test_missing_topics_are_empty_unless_common_ones_are_asked_for() -> None:
    runs = {"first": FIRST, "second": SECOND, "third": THIRD}
    complete, common = (rs.intervals(QRELS_OF_THREE, runs, "P@2", missing=rule) for rule in RULES)
    assert (complete.pairs[0].counted, common.pairs[0].counted) == (3, 2)
    assert complete.pairs[0].means.tolist() == [(0.5 + 0 + 0.5) / 3, (0.5 + 0 + 0.5) / 3, (0 + 0 + 0.5) / 3]
    assert common.pairs[0].means.tolist() == [0.5, 0.5, 0.25]
    assert any("counted as an empty ranking" in warning for warning in complete.warnings)
    assert common.evaluation.topics_rule == "common"
    assert [row["topic"] for row in common.table("topics")] == ["1", "3"]


@pytest.mark.parametrize(
    ("runs", "measures", "message"),
    [
        ({"only": FIRST}, "P@2", "give two runs or more"),
        ({"one": FIRST, "two": SECOND}, "Interval(P@2)", "name the measures themselves"),
        ({"one": FIRST, "two": SECOND}, "DCG", "name one length"),
        ({"one": FIRST, "two": SECOND}, "nDGC@3", "did you mean"),
    ],
)
def test_what_cannot_be_compared(runs: Any, measures: str, message: str) -> None:
    with pytest.raises((ParameterError, ValueError), match=message):
        rs.intervals(QRELS_OF_THREE, runs, measures)


@pytest.mark.parametrize("options", [{}, {"missing": "common"}, {"grades": [0, 2]}, {"depth": 1}])
def test_a_measure_without_a_scale_is_left_out_and_told(options: Any) -> None:
    runs = {"one": FIRST, "two": SECOND}
    found = rs.intervals(QRELS_OF_THREE, runs, ["DCG", "AP@100", "P@2", "RR@2"], **options)
    alone = rs.intervals(QRELS_OF_THREE, runs, ["P@2", "RR@2"], **options)
    assert found.evaluation == alone.evaluation
    assert [found.text(17, name) for name in found.tables()] == [alone.text(17, name) for name in alone.tables()]
    dcg, ap, *others = found.warnings
    assert tuple(others) == alone.warnings
    assert dcg.startswith("DCG is left out: ")
    assert "name one length" in dcg
    assert ap.startswith("AP@100 is left out: values need whole numbers")


def test_an_error_where_no_measure_has_a_scale() -> None:
    runs = {"one": FIRST, "two": SECOND}
    with pytest.raises(ParameterError, match="AP@100"):
        rs.intervals(QRELS_OF_THREE, runs, ["AP@100", "AP@90"])
    forms = "form must be 'normalised', 'rank', 'log10', 'mid', 'min' or 'max', got 'ranked'"
    with pytest.raises(ParameterError, match=forms):
        rs.intervals(QRELS_OF_THREE, runs, ["P@2", "RR@2"], form="ranked")


def test_tau_is_undefined_where_runs_are_alike() -> None:
    found = rs.intervals(QRELS_OF_THREE, {"one": FIRST, "two": FIRST}, ["P@2", "AP@2"])
    assert all(math.isnan(pair.tau) and math.isnan(pair.tau_by_topic) and pair.defined == 0 for pair in found.pairs)
    assert found.to_arrow()["tau"].to_pylist() == [None] * 2
    assert str(found).splitlines()[1].split()[:6] == ["P@2", "-", "0", "3", "-", "0"]


def test_options_are_those_of_interval(found: rs.Intervals) -> None:
    by_rank = rs.intervals(QRELS, list(RUNS), MEASURES, form="rank")
    assert [pair.tau for pair in by_rank.pairs] == [pair.tau for pair in found.pairs]
    assert by_rank.pairs[0].floor is None
    scale = rs.scale("P@10", levels=(0, 1, 2, 3))
    np.testing.assert_allclose(by_rank.pairs[0].interval_means, 1 + found.pairs[0].means * (scale.size - 1), rtol=1e-12)
    feasible = rs.intervals(QRELS, list(RUNS), "AP@6", universe="feasible").pairs[0]
    assert str(feasible.interval) == "Interval(AP@6,universe='feasible')"
    assert (feasible.interval_means >= rs.intervals(QRELS, list(RUNS), "AP@6").pairs[0].interval_means).all()
    mid = rs.intervals(QRELS, list(RUNS), "P@10", form="mid")
    assert mid.pairs[0].tau < 1
    assert any("not an interval scale" in warning for warning in mid.warnings)


def test_settings_of_evaluate_are_passed_on(found: rs.Intervals) -> None:
    told: list[tuple[int, int]] = []
    again = rs.intervals(
        QRELS, list(RUNS), MEASURES, executor=Processes(2), progress=lambda done, of: told.append((done, of))
    )
    assert again.evaluation == found.evaluation
    assert told[-1] == (24, 24)
    judged_only = rs.intervals(QRELS, list(RUNS), "P@10", judged_only=True).pairs[0]
    assert (judged_only.means >= found.pairs[0].means).all()
    assert (judged_only.means > found.pairs[0].means).any()


def test_means_are_those_of_the_evaluation_whatever_sums_up_topics() -> None:
    found = rs.intervals(QRELS, list(RUNS), ["GMAP@10", "AP@10"])
    means = found.evaluation.means().values
    for place, pair in enumerate(found.pairs):
        np.testing.assert_array_equal(pair.means, means[place])
        np.testing.assert_array_equal(pair.interval_means, means[place + 2])


def test_rows(found: rs.Intervals) -> None:
    assert list(found.tables()) == ["measures", "topics", "values"]
    summary, by_topic, values = (found.table(name) for name in found.tables())
    names = [str(parse(measure)) for measure in MEASURES]
    assert [(row["measure"], row["tau"], row["topics"]) for row in summary] == [
        (name, pair.tau, 50) for name, pair in zip(names, found.pairs, strict=True)
    ]
    assert list(by_topic.columns) == ["measure", "topic", "tau"]
    assert [row["topic"] for row in by_topic] == list(found.evaluation.topics) * 5
    np.testing.assert_array_equal(by_topic.columns["tau"], np.concatenate([pair.by_topic for pair in found.pairs]))
    assert list(summary.columns) == [
        "measure",
        "tau",
        "reversed",
        "topics",
        "tau_by_topic",
        "defined",
        "share_below_0.01",
        "share_of_best_topic",
    ]
    of_rr = list(summary)[1]
    scaled = found.evaluation.values[6]
    assert of_rr["share_below_0.01"] == np.mean(scaled < 0.01)
    assert of_rr["share_of_best_topic"] == pytest.approx(np.median(scaled.max(axis=1) / scaled.sum(axis=1)), rel=1e-14)
    assert of_rr["defined"] == found.pairs[1].defined
    assert list(values.columns) == ["run", *(column for name in names for column in (name, f"Interval({name})"))]
    assert values.columns["run"] == list(found.evaluation.runs)
    assert values.columns["Interval(AP@20)"] == found.pairs[4].interval_means.tolist()
    told = "study:intervals|form:normalised|method:auto|deduplicate:exact|"
    assert {table.provenance["signature"] for table in (summary, by_topic, values)} == {found.signature}
    assert found.signature == told + found.evaluation.signature


def test_data_frames(found: rs.Intervals) -> None:
    assert found.to_frame().rows() == [tuple(row.values()) for row in found.table()]
    polars, pandas = found.to_polars("topics"), found.to_pandas("topics")
    assert polars.columns == list(pandas.columns) == ["measure", "topic", "tau"]
    assert polars.height == len(pandas) == 5 * 50
    assert [str(kind) for kind in polars.dtypes] == ["String", "String", "Float64"]
    expected = [None if math.isnan(tau) else tau for pair in found.pairs for tau in pair.by_topic.tolist()]
    assert polars["tau"].to_list() == expected
    assert None in expected
    np.testing.assert_array_equal(pandas["tau"].to_numpy(), [math.nan if tau is None else tau for tau in expected])


def test_as_people_read_it(found: rs.Intervals) -> None:
    (head, *lines), values = (part.splitlines() for part in found.text().split("\n\n"))
    assert len(values) == 1 + 24
    assert head.split() == [
        "measure",
        "tau",
        "reversed",
        "topics",
        "tau_by_topic",
        "defined",
        "share_below_0.01",
        "share_of_best_topic",
    ]
    assert [line.split()[:2] for line in lines] == [[str(p.measure), f"{p.tau:.4f}"] for p in found.pairs]


def test_a_measure_is_needed() -> None:
    with pytest.raises(ParameterError, match="no measure is requested; name one"):
        rs.intervals(QRELS_OF_THREE, {"one": FIRST, "two": SECOND}, [])


def test_tau_against_total_orders_is_that_of_scipy() -> None:
    measures, orders = ["P@10", "AP@20"], ["SBTO", "RBTO"]
    result = rs.intervals(QRELS, list(RUNS), measures, against="SBTO,RBTO")
    assert [(str(one.measure), str(one.other)) for one in result.against] == [
        (measure, f"{order}@{measure.split('@')[1]}") for measure in measures for order in orders
    ]
    for one in result.against:
        values = rs.evaluate(QRELS, list(RUNS), [one.measure, one.other]).values
        means = [np.round(side.mean(axis=-1), 12) for side in values]
        assert one.tau == pytest.approx(stats.kendalltau(*means).statistic, abs=1e-12)
        by_topic = [stats.kendalltau(*np.round(values[:, :, topic], 12)).statistic for topic in range(50)]
        np.testing.assert_allclose(one.by_topic, by_topic, rtol=0, atol=1e-12)
        assert one.tau_by_topic == pytest.approx(np.nanmean(by_topic), abs=1e-12)
    assert list(result.tables()) == ["measures", "against", "topics", "values"]
    assert result.settings["against"] == ("SBTO", "RBTO")


def test_with_two_grades_precision_is_the_set_based_order_and_rbp_the_rank_based_one() -> None:
    binary = {0.0: 0.0, 1.0: 1.0, 2.0: 1.0, 3.0: 1.0}
    wanted = ["P@10", "RBP(p=0.5)@10"]
    result = rs.intervals(QRELS, list(RUNS), wanted, against=["SBTO", parse("RBTO@10")], grades=binary)
    taus = {(str(one.measure), str(one.other)): one.tau for one in result.against}
    assert taus["P@10", "SBTO@10"] == 1
    assert taus["RBP(p=0.5)@10", "RBTO@10"] == 1
    assert taus["P@10", "RBTO@10"] == taus["RBP(p=0.5)@10", "SBTO@10"] < 1


def test_a_total_order_needs_the_depth_of_the_measure() -> None:
    with pytest.raises(ParameterError, match="SBTO: a depth is needed, as in SBTO@10; or compare AP@10"):
        rs.intervals(QRELS, list(RUNS), ["AP"], against=["SBTO"])


def test_low_is_good_is_turned_round() -> None:
    crp, precision = rs.intervals(QRELS, list(RUNS), ["CRP@6", "P@6"], against=["P@6"]).against
    assert crp.tau > 0.8  # 6 - CRP would agree as much the other way
    assert precision.tau == 1
