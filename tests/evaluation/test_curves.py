"""Curves: a measure at every rank is the value at that depth, and mean curves are what evaluate() averages."""

import json
import pickle
from collections.abc import Callable
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

import rankscale as rs
from rankscale.errors import BoundsError, InputError, MemoryLimitError, ParameterError, UnknownNameError
from rankscale.evaluation.curves import reach as reading
from rankscale.evaluation.curves.curves import CurveRequest, curve_requests, curves
from rankscale.evaluation.curves.result import Curves
from rankscale.evaluation.options import Missing
from rankscale.measures.base.parser import parse

RULES: tuple[Missing, ...] = ("skip", "zero", "common")

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}, "3": {"z": 0}}
RUNS = {
    "late": {"1": {"b": 2.0, "a": 1.0}, "2": {"z": 2.0, "a": 1.0}},
    "best": {"1": {"c": 3.0, "a": 2.0, "x": 1.0}, "3": {"a": 1.0}},
}
MEASURES = [
    *("AP", "nDCG", "nDCG(base=2)", "DCG", "RR", "RBP(p=0.8)", "P", "R", "Bpref", "Success"),
    *("IPrec@0.5", "NumRelRet", "NumRet", "SetP", "Rprec"),  # take no depth
]
# The example of Järvelin and Kekäläinen 2002, and their ideal
GAINS, IDEAL = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0], [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]
CG, IDEAL_CG = [3, 5, 8, 8, 8, 9, 11, 13, 16, 16], [3, 6, 9, 11, 13, 15, 16, 17, 18, 19]
NCG = [1, 0.8333, 0.8889, 0.7273, 0.6154, 0.6, 0.6875, 0.7647, 0.8889, 0.8421]


@pytest.fixture
def drawn() -> Curves:
    return curves(QRELS, RUNS, MEASURES, depth=4, missing="skip")


@pytest.fixture
def paper() -> tuple[dict[str, Any], dict[str, Any]]:
    """A run with the paper's gains, and qrels whose gains are those of its ideal."""
    run = {f"d{rank}": 100.0 - rank for rank in range(len(GAINS))}
    qrels = {f"d{rank}": gain for rank, gain in enumerate(GAINS)}
    left = sorted(IDEAL)
    for gain in GAINS:
        if gain:
            left.remove(gain)
    return {"1": run}, {"1": qrels | {f"missed{n}": gain for n, gain in enumerate(left)}}


def bits(a: Any, b: Any) -> None:
    np.testing.assert_array_equal(np.asarray(a), np.asarray(b), strict=True)


def test_shape_and_names(drawn: Curves) -> None:
    assert drawn.runs == ("late", "best")
    assert drawn.topics == ("1", "2", "3")
    assert drawn.depths == (4,) * len(MEASURES)
    assert str(drawn["P"].measures[0]) == "P@4"
    assert repr(drawn) == f"<Curves: {len(MEASURES)} measures, 2 runs, 3 topics, 4 ranks>"
    bits(drawn.length, np.array([[2, 2, 0], [3, 0, 1]], dtype=np.int32))
    bits(drawn.retrieved, np.array([[True, True, False], [True, False, True]]))


def test_every_rank_has_the_value_at_that_depth(made_up: Callable[..., Any]) -> None:
    scores, qrels = made_up(3)
    found = curves(qrels, {"run": scores}, MEASURES, depth=45)
    for rank in (1, 2, 3, 7, 20, 39, 45):
        deep = [measure for measure in found.measures if measure.takes_depth]
        values = rs.evaluate(qrels, {"run": scores}, [measure.at(rank) for measure in deep])
        for measure, expected in zip(deep, values.values, strict=True):
            bits(found[measure].values[0][..., rank - 1], expected)
        flat = [measure for measure in found.measures if not measure.takes_depth]
        assert len(flat) == 5
        cut = rs.evaluate(qrels, {"run": scores}, flat, depth=rank)
        for measure, expected in zip(flat, cut.values, strict=True):
            bits(found[measure].values[0][..., rank - 1], expected)


def test_blocks_change_nothing(made_up: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    scores, qrels = made_up(5)
    whole = curves(qrels, {"run": scores}, ["AP", "RBP"], ideal=True, ties="range")
    monkeypatch.setattr("rankscale.evaluation.curves.tracer.BLOCK_CELLS", 100)
    for name in ("BLOCK_ENTRIES", "SMALL_BLOCK"):
        monkeypatch.setattr(f"rankscale.data.run.{name}", 100)
    assert curves(qrels, {"run": scores}, ["AP", "RBP"], ideal=True, ties="range") == whole


def test_mean_curves_are_what_evaluate_averages(made_up: Callable[..., Any]) -> None:
    scores, qrels = made_up(8)
    some = {topic: ranking for topic, ranking in scores.items() if topic not in {"t3", "t4"}}
    for missing in RULES:
        found = curves(qrels, {"a": scores, "b": some}, [*MEASURES, "GMAP"], depth=30, missing=missing)
        mean = found.mean()
        assert mean.topics == ("all",)
        for rank in (1, 5, 30):
            for number, measure in enumerate(found.measures):
                if measure.takes_depth:
                    expected = rs.evaluate(qrels, {"a": scores, "b": some}, measure.at(rank), missing=missing).means()
                    bits(mean.values[number][:, 0, rank - 1], expected.values[0])
                    bits(mean.counted[number][:, 0, rank - 1], expected.counted[0])  # type: ignore[index]


def test_a_curve_read_at_a_depth_is_an_evaluation(drawn: Curves) -> None:
    expected = rs.evaluate(QRELS, RUNS, ["AP@3", "RR@3"])
    found = curves(QRELS, RUNS, ["AP", "RR"], depth=4).at(3)
    assert found.values.tobytes() == expected.values.tobytes()
    assert (found.measures, found.runs, found.topics) == (expected.measures, expected.runs, expected.topics)
    assert found.signature == expected.signature
    cut = rs.evaluate(QRELS, RUNS, "NumRelRet", depth=1, missing="skip")
    assert (found.levels, found.topics_rule) == (expected.levels, expected.topics_rule)
    assert drawn["NumRelRet"].at(1).to_dict() == cut.to_dict()
    assert "depth:1" in drawn["NumRelRet"].at(1).signature
    assert [str(m) for m in curves(QRELS, RUNS, ["P@3", "P@4"]).at(2).measures] == ["P@2"]
    for rank in (0, 5):
        with pytest.raises(ParameterError, match=f"the curve of AP has ranks 1 to 4, got {rank}"):
            drawn.at(rank)


def test_curves_end_where_the_longest_ranking_does() -> None:
    assert curves(QRELS, RUNS, "AP").depths == (3,)
    long = {"1": {f"d{number}": float(-number) for number in range(1200)}}
    assert curves(QRELS, long, "AP").depths == (1000,)
    assert curves(QRELS, long, "AP", depth=1100).depths == (1100,)
    assert curves(QRELS, {"1": {}, "2": {"a": 1.0}}, ["AP", "P"]).depths == (1, 1)


def test_a_measure_with_a_depth_has_a_curve_down_to_it() -> None:
    found = curves(QRELS, RUNS, ["P@10", "AP", "P", "P@2"])
    assert [str(measure) for measure in found.measures] == ["P@10", "AP", "P@3", "P@2"]
    assert found.depths == (10, 3, 3, 2)
    bits(found.by_topic("best", "P@10")["1"], np.array([1, 2, 2, 2, 2, 2, 2, 2, 2, 2]) / np.arange(1, 11))
    assert curves(QRELS, RUNS, ["P@10", "P@2"], depth=4).depths == (4, 2)
    with pytest.raises(UnknownNameError, match="unknown measure"):
        found.by_run("1", measure="P@4")


def test_measures_are_named_as_they_are_elsewhere() -> None:
    assert [str(one.measure) for one in curve_requests("ndcg_cut_10")] == ["nDCG@10"]
    assert curve_requests("P(rel=2)") == [CurveRequest(parse("P(rel=2)@1"), open_ended=True)]
    assert curve_requests([parse("AP"), "map", "AP"]) == [CurveRequest(parse("AP"))]
    with pytest.raises(UnknownNameError, match="did you mean nDCG"):
        curves(QRELS, RUNS, "nDGC")
    with pytest.raises(ParameterError, match="no measure is requested"):
        curves(QRELS, RUNS, [])


def test_one_topic(drawn: Curves) -> None:
    assert {run: curve.tolist() for run, curve in drawn.by_run("1", measure="RR").items()} == {
        "late": [0.0, 0.5, 0.5, 0.5],
        "best": [1.0, 1.0, 1.0, 1.0],
    }
    assert list(drawn.by_run("2", measure="RR")) == ["late"]
    assert list(drawn.by_topic("best", "P")) == ["1", "3"]
    assert curves(QRELS, RUNS, "RR").by_run("3")["best"].tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(ParameterError, match="name the measure, as in measure='AP'"):
        drawn.by_run("1")
    with pytest.raises(UnknownNameError, match="unknown topic '9'; these curves have 1, 2, 3"):
        drawn.by_run("9", measure="AP")
    with pytest.raises(UnknownNameError, match="unknown run 'bst'; did you mean best"):
        drawn.by_topic("bst", "AP")


def test_only_some_topics() -> None:
    whole = curves(QRELS, RUNS, "AP", depth=3)
    some = curves(QRELS, RUNS, "AP", depth=3, topics=["3", "1"])
    assert some.topics == ("1", "3")
    bits(some.values[0], whole.values[0][:, [0, 2]])
    bits(some.length, whole.length[:, [0, 2]])
    assert some.signature != whole.signature
    assert curves(QRELS, RUNS, "AP", topics="2").topics == ("2",)
    assert not curves(QRELS, {"late": RUNS["late"]}, "AP", topics=["1", "2"]).warnings  # topic 3 is not asked for
    with pytest.raises(UnknownNameError, match="unknown topic '4'; qrels has 1, 2, 3"):
        curves(QRELS, RUNS, "AP", topics=["4"])


def test_unjudged_documents_may_be_taken_out() -> None:
    run = {"1": {"x": 3.0, "a": 2.0, "y": 1.0, "c": 0.5}}
    assert curves(QRELS, run, "P", judged_only=True, depth=3).by_run("1")["run"].round(4).tolist() == [1, 1, 0.6667]
    own = curves(QRELS, run, ["P", "P(judged_only=True)"], depth=3)
    bits(own.values[1], curves(QRELS, run, "P", judged_only=True, depth=3).values[0])
    assert own.by_run("1", measure="P")["run"].round(4).tolist() == [0, 0.5, 0.3333]


@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "P", "DCG", "RR"])
def test_bounds_are_those_of_each_depth(measure: str, made_up: Callable[..., Any]) -> None:
    scores, qrels = made_up(11)
    found = curves(qrels, {"run": scores}, measure, depth=25, bounds=True)
    assert found.lower is not None
    assert found.upper is not None
    judgments = rs.read_qrels(qrels)
    run = rs.read_run(judgments, scores)
    table = run.judged(judgments)
    for rank in (1, 3, 25):
        lower, upper = found.measures[0].at(rank).bounds(table)
        np.testing.assert_allclose(found.lower[0][0, :, rank - 1], lower, rtol=0, atol=1e-12)
        np.testing.assert_allclose(found.upper[0][0, :, rank - 1], upper, rtol=0, atol=1e-12)
    mean = found.mean()
    assert mean.lower is not None
    np.testing.assert_allclose(mean.lower[0][0, 0], found.lower[0][0].mean(axis=0), rtol=0, atol=1e-12)
    assert (mean.lower[0] <= mean.values[0]).all()


def test_bounds_for_those_that_have_them() -> None:
    found = curves(QRELS, RUNS, ["RBP(p=0.8)", "AP"], bounds=True)
    assert found.lower is not None
    assert np.isnan(found.lower[1]).all()
    assert not np.isnan(found.lower[0][found.retrieved]).any()
    assert "AP has no bounds" in found.warnings[-1]
    values = found["RBP(p=0.8)"].at(2)
    assert values.upper is not None
    bits(values.upper[0], found.upper[0][..., 1] if found.upper else None)


def test_a_measure_that_looks_at_scores() -> None:
    found = curves(QRELS, RUNS, "RelRel", topics=["1", "3"])
    for rank in (1, 2, 3):
        expected = rs.evaluate(QRELS, RUNS, f"RelRel@{rank}")
        bits(found.values[0][..., rank - 1], expected.values[0][:, [0, 2]])


def test_rbp_bounds_of_the_paper() -> None:
    """Moffat and Zobel 2008: [.4470, .4889] at the end of their ranking with three unjudged documents."""
    grades = "11000100001 0??00?000".replace(" ", "")
    run = {"1": {f"d{rank}": 100.0 - rank for rank in range(20)}}
    qrels = {"1": {f"d{rank}": int(grade) for rank, grade in enumerate(grades) if grade != "?"}}
    found = curves(qrels, run, "RBP(p=0.8)", bounds=True)
    ends = [array[0][0, 0, -1] for array in (found.lower, found.upper) if array]
    assert [round(float(end), 4) for end in ends] == [0.4470, 0.4889]


def test_over_ties_by_all_orders() -> None:
    """The mean, the lowest and the highest value over every order of a small ranking with ties, by brute force."""
    scores = {"a": 3.0, "b": 2.0, "c": 2.0, "x": 2.0, "d": 1.0, "e": 1.0}
    qrels = {"1": {"a": 0, "b": 2, "c": 0, "d": 1, "e": 0, "missed": 3}}
    names = ["DCG", "nDCG", "RBP(p=0.7)", "P", "R", "AP", "Bpref", "Q", "ERR", "AP11", "CRP", "Shaw", "NERR8", "Compat"]
    names += ["Twist", "INST", "infAP", "AvgPos(Twist)", "sigma_plus", "Rndcg", "nDCGRel", "APstar", "SetAP", "Rprec"]
    orders = [("a", *first, *second) for first in permutations("bcx") for second in permutations("de")]
    tried = [
        curves(qrels, {"1": {name: 9.0 - place for place, name in enumerate(order)}}, names, depth=8)
        for order in orders
    ]
    expected = curves(qrels, {"1": scores}, names, depth=8, ties="expected")
    between = curves(qrels, {"1": scores}, names, depth=8, ties="range")
    cut = curves(qrels, {"1": scores}, names, depth=3, ties="expected")
    for number in range(len(names)):
        every = np.stack([one.values[number][0, 0] for one in tried])
        np.testing.assert_allclose(expected.values[number][0, 0], every.mean(axis=0), rtol=0, atol=1e-12)
        # groups are formed before the cut
        np.testing.assert_allclose(cut.values[number][0, 0], every.mean(axis=0)[:3], rtol=0, atol=1e-12)
        assert between.ties_lower is not None
        assert between.ties_upper is not None
        np.testing.assert_allclose(between.ties_lower[number][0, 0], every.min(axis=0), rtol=0, atol=1e-12)
        np.testing.assert_allclose(between.ties_upper[number][0, 0], every.max(axis=0), rtol=0, atol=1e-12)
    assert len({one.signature for one in (expected, between, tried[0])}) == 3


def test_a_measure_with_ties_of_its_own() -> None:
    """ESL is a mean over ties already: one wanted of two, one other beside it."""
    run, qrels = {"1": {"a": 2.0, "b": 1.0, "c": 1.0, "d": 1.0}}, {"1": {"b": 1, "c": 1}}
    for ties, names in (("expected", ["values"]), ("range", ["values", "ties_lower", "ties_upper"])):
        found = curves(qrels, run, "ESL", ties=ties, depth=6)  # type: ignore[arg-type]
        for rank in (1, 2, 3, 4, 6):
            expected = rs.evaluate(qrels, run, "ESL", ties=ties, depth=rank)  # type: ignore[arg-type]
            for name in names:
                bits(getattr(found, name)[0][..., rank - 1], getattr(expected, name)[0])


def test_what_cannot_be_drawn_is_refused_before_files_are_read() -> None:
    with pytest.raises(BoundsError, match="AP has no bounds: the recall base is used"):
        curves("nowhere.txt", "nowhere.txt", "AP", bounds=True)
    with pytest.raises(ParameterError, match="tie_orders must be a whole number from 2, got 1"):
        curves("nowhere.txt", "nowhere.txt", "Twist", ties="expected", tie_orders=1)
    with pytest.raises(ParameterError, match="ties must be 'trec', 'expected' or 'range', got 'any'"):
        curves(QRELS, RUNS, "AP", ties="any")  # type: ignore[arg-type]
    with pytest.raises(BoundsError, match="ERR has no bounds: the mean over tied documents"):
        curves(QRELS, RUNS, "ERR", ties="expected", bounds=True)
    with pytest.raises(ParameterError, match="RelRel looks at scores, and the ideal has none"):
        curves(QRELS, RUNS, "RelRel", ideal=True)
    for depth in (0, -1, 1.5, True):
        with pytest.raises(ParameterError, match="depth must be a whole number from 1"):
            curves(QRELS, RUNS, "AP", depth=depth)  # type: ignore[arg-type]
    with pytest.raises(MemoryLimitError, match="use a smaller depth, some of the topics"):
        curves(QRELS, RUNS, "AP", depth=10**9)
    with pytest.raises(InputError, match="no runs"):
        curves(QRELS, [], "AP")


def test_the_vectors_of_the_paper(paper: tuple[Any, Any]) -> None:
    run, qrels = paper
    found = curves(qrels, run, ["CG", "nCG", "DCG(base=2)", "nDCG(base=2)"], ideal=True)
    assert found.runs == ("run", "ideal")
    assert found.ideal == "ideal"
    assert found.by_run("1", measure="CG")["run"].tolist() == CG
    assert found.by_run("1", measure="CG")["ideal"].tolist() == IDEAL_CG
    assert found.by_run("1", measure="nCG")["run"].round(4).tolist() == NCG
    assert found.by_run("1", measure="nCG")["ideal"].tolist() == [1.0] * 10
    assert found.by_run("1", measure="DCG(base=2)")["ideal"].round(4).tolist() == [
        *(3, 6, 7.8928, 8.8928, 9.7541, 10.5278, 10.8841, 11.2174, 11.5329, 11.8339)
    ]
    assert found.length.tolist() == [[10], [10]]


def test_the_ideal_of_a_measure_of_relevance_and_of_negative_gains(paper: tuple[Any, Any]) -> None:
    run, qrels = paper
    found = curves(qrels, run, ["P", "AP", "P(rel=3)"], depth=12, ideal=True)
    bits(found.by_topic("ideal", "AP")["1"][9:], np.ones(3))
    bits(found.by_topic("ideal", "P")["1"], np.minimum(np.arange(1, 13), 10) / np.arange(1, 13))
    bits(found.by_topic("ideal", "P(rel=3)")["1"], np.minimum(np.arange(1, 13), 3) / np.arange(1, 13))
    costly = curves(qrels, run, "CG(gains=[-1,1,2,3])", depth=12, ideal=True)
    assert costly.by_run("1")["ideal"].tolist() == [*IDEAL_CG, 18, 17]
    free = curves(qrels, run, "CG(gains=[-1,1,2,3],unjudged=0)", depth=12, ideal=True)
    assert free.by_run("1")["ideal"].tolist() == [*IDEAL_CG, 19, 19]
    named = curves(QRELS, {"ideal": RUNS["best"]}, "AP", ideal=True)
    assert named.runs == ("ideal", "ideal of the qrels")
    assert named.at(1).means().to_dict().keys() == {"ideal", "ideal of the qrels"}


def test_no_run_beats_the_ideal(made_up: Callable[..., Any]) -> None:
    scores, qrels = made_up(2)
    found = curves(qrels, {"run": scores}, ["CG", "DCG", "AP", "P", "nDCG", "RBP"], ideal=True, bounds=False)
    for values in found.values:
        assert (values[1] >= values[0] - 1e-12).all()


def test_two_means_that_differ() -> None:
    """The mean of ratios and the ratio of means, by hand: one topic gains 1 of 3, the other 1 of 1."""
    qrels = {"1": {"a": 3, "b": 1}, "2": {"a": 1}, "3": {"a": 2}}
    run = {"1": {"b": 2.0, "a": 1.0}, "2": {"a": 1.0}}
    found = curves(qrels, run, ["CG", "nCG"], ideal=True, depth=2, missing="skip")
    assert found.mean().by_topic("run", "nCG")["all"].tolist() == [(1 / 3 + 1) / 2, 1.0]
    ratio = found["CG"].mean(of="ratio")
    assert ratio.by_run("all")["run"].tolist() == [(1 + 1) / (3 + 1), (4 + 1) / (4 + 1)]  # topic 3 is not the run's
    assert ratio.by_run("all")["ideal"].tolist() == [1.0, 1.0]
    assert ratio.signature != found.mean().signature != found.signature
    with pytest.raises(ParameterError, match=r"needs the ideal: curves\(\.\.\., ideal=True\)"):
        curves(qrels, run, "CG").mean(of="ratio")
    with pytest.raises(ParameterError, match="got 'sum'"):
        found.mean(of="sum")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="means already"):
        ratio.mean()
    with pytest.raises(ParameterError, match="values are those of topics"):
        ratio.at(1)


def test_undefined_values_are_left_out_of_means_and_counted(drawn: Curves) -> None:
    values = np.array([[[0.5, np.nan], [1.0, np.nan], [0.0, 1.0]], [[np.nan] * 2] * 3])
    one = replace(drawn["AP"], values=(values,), retrieved=np.array([[True, True, False], [True, True, True]]))
    mean = one.mean()
    assert mean.values[0][0, 0].tolist() == [0.75, pytest.approx(np.nan, nan_ok=True)]
    assert mean.counted is not None
    assert mean.counted[0].tolist() == [[[2, 0]], [[0, 0]]]
    assert np.isnan(mean.values[0][1]).all()


def test_reading_the_paper_s_curves() -> None:
    assert reading.first_rank_reaching(CG, IDEAL_CG[4]) == 8  # the ideal has 13 at rank 5
    assert reading.first_rank_reaching(CG, IDEAL_CG[9]) is None
    assert reading.first_rank_reaching(IDEAL_CG, CG[9]) == 7
    assert reading.first_rank_reaching([np.nan, 1.0], 1) == 2
    assert reading.area_above(NCG) == pytest.approx(1 - sum(NCG) / 10)
    assert reading.area_above(NCG, 3) == pytest.approx(1 - (1 + 0.8333 + 0.8889) / 3)
    weights = [reading.weight_of(reading.relative_difference(a, 0.5)) for a in (0.52, 0.525, 0.55, 0.551, 0.4)]
    assert weights == ["marginal", "noticeable", "noticeable", "essential", "essential"]
    assert reading.relative_difference(0, 0) == 0
    assert reading.weight_of(reading.relative_difference(0.1, 0)) == "essential"
    with pytest.raises(ParameterError):
        reading.area_above([1], 2)
    with pytest.raises(ParameterError, match="undefined difference"):
        reading.weight_of(np.nan)


def test_warnings_and_sources_are_those_of_evaluate(written: Callable[[str, str], Path]) -> None:
    qrels = written("qrels.txt", "1 0 a 2 / 1 0 b 1 / 2 0 a 1")
    run = written("run.txt", "1 Q0 a 1 2 tag / 9 Q0 a 1 1 tag")
    other = written("other.txt", "2 Q0 a 1 2 tag")
    for measure in ("AP", "AP(rel=2)"):
        for missing in RULES:
            found = curves(qrels, [run, other], measure, missing=missing)
            expected = rs.evaluate(qrels, [run, other], measure, missing=missing)
            assert found.warnings == expected.warnings
            assert (found.sources, found.runs, found.signature) == (expected.sources, expected.runs, expected.signature)
    stranger = written("stranger.txt", "7 Q0 a 1 2 tag")
    with pytest.raises(InputError, match="have no topic in common"):
        curves(qrels, stranger, "AP")


def test_settings_go_where_evaluate_has_them() -> None:
    for options in ({"grades": {2: 0}}, {"negative": "not relevant"}, {"order": "file"}, {"judged_only": True}):
        found = curves(QRELS, RUNS, "AP", depth=3, **options).at(3)
        expected = rs.evaluate(QRELS, RUNS, "AP@3", **options)
        assert found.to_dict() == expected.to_dict()
        assert found.signature == expected.signature


def test_progress_rises_to_all_runs() -> None:
    told: list[tuple[int, int]] = []
    curves(QRELS, {f"{n}": RUNS["late"] for n in range(5)}, "AP", progress=lambda done, of: told.append((done, of)))
    assert told == [(n, 5) for n in range(1, 6)]


def test_equal_pickled_and_closed_to_writing(drawn: Curves) -> None:
    assert drawn == curves(QRELS, RUNS, MEASURES, depth=4, missing="skip") == pickle.loads(pickle.dumps(drawn))
    assert drawn != drawn["AP"]
    assert drawn != curves(QRELS, RUNS, MEASURES, depth=3, missing="skip")
    assert drawn != curves(QRELS, RUNS, MEASURES, depth=4, order="file", missing="skip")
    assert drawn != "curves"
    with pytest.raises(TypeError, match="unhashable"):
        hash(drawn)
    for array in (*drawn.values, drawn.retrieved, drawn.length, *drawn.mean().values):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_tidy_tables_hold_every_value(tmp_path: Path) -> None:
    found = curves(QRELS, RUNS, ["RBP(p=0.8)", "P@2"], bounds=True, ties="range", missing="skip")
    names = ["run", "topic", "measure", "rank", "value", "lower", "upper", "ties_lower", "ties_upper"]
    arrow = found.to_arrow()
    assert arrow.column_names == names
    rows = arrow.to_pylist()
    assert len(rows) == 4 * (3 + 2)
    assert [(row["measure"], row["rank"]) for row in rows[:5]] == [
        *(("RBP", 1), ("RBP", 2), ("RBP", 3), ("P@2", 1), ("P@2", 2))
    ]
    for row in rows:
        assert row["value"] == found.by_topic(row["run"], row["measure"])[row["topic"]][row["rank"] - 1]
    assert found.to_polars().rows(named=True) == rows
    assert found.to_pandas().to_dict("records") == rows
    found.write(tmp_path / "curves.parquet")
    read = parquet.read_table(tmp_path / "curves.parquet")
    assert read.to_pylist() == rows
    assert json.loads(read.schema.metadata[b"rankscale"])["signature"] == found.signature
    assert found.mean().to_polars()["topic"].unique().to_list() == ["all"]


def test_as_dictionary_and_json() -> None:
    found = curves(QRELS, RUNS, ["RR", "P@2"], bounds=False, missing="skip")
    assert found.to_dict()["late"] == {
        "1": {"RR": [0.0, 0.5, 0.5], "P@2": [0.0, 0.5]},
        "2": {"RR": [0.0, 0.5, 0.5], "P@2": [0.0, 0.5]},
    }
    document = json.loads(found.to_json())
    assert document["depths"] == [3, 2]
    assert document["ranks"] == {"RR": [1, 2, 3], "P@2": [1, 2]}
    assert document["runs"][0]["topics"]["1"]["RR"] == {"value": [0.0, 0.5, 0.5]}
    mean = json.loads(found.mean().to_json(places=2))
    assert mean["runs"][0]["topics"] == {
        "all": {
            "RR": {"value": [0.0, 0.5, 0.5], "topics_counted": [2, 2, 2]},
            "P@2": {"value": [0.0, 0.5], "topics_counted": [2, 2]},
        }
    }


def test_real_runs_at_trec_eval_s_depths(shared_data: Path, pytrec: Any, scores_of: Any, judgments_of: Any) -> None:
    folder = shared_data / "trec8_adhoc"
    run = sorted((folder / "runs").glob("*.xz"))[7]
    found = curves(folder / "trec8.qrels.gz", run, ["P", "nDCG", "AP", "R"])
    cuts = [5, 10, 100, 1000]
    names = {name.format(cut) for cut in cuts for name in ("P_{}", "ndcg_cut_{}", "map_cut_{}", "recall_{}")}
    theirs = pytrec(scores_of(run), judgments_of(folder / "trec8.qrels.gz"), names)
    for number, name in enumerate(["P", "ndcg_cut", "map_cut", "recall"]):
        for t, topic in enumerate(found.topics):
            for cut in cuts:
                value = found.values[number][0, t, cut - 1]
                assert value == pytest.approx(theirs[topic][f"{name}_{cut}"], rel=0, abs=1e-12)


def test_a_notebook_shows_the_means(made_up: Callable[..., Any]) -> None:
    scores, qrels = made_up(2)
    shown = curves(qrels, {"<b>": scores}, ["nDCG", "AP"])._repr_html_()
    assert ">nDCG</caption>" in shown
    assert shown.count("<table>") == 2
    assert "&lt;b&gt;" in shown
    assert "<b>" not in shown


def test_one_long_ranking_among_many_short_ones_does_not_make_all_curves_long():
    topics = 20_000
    qrels = {str(topic): {"a": 1} for topic in range(topics)}
    short = {str(topic): {"a": 1.0} for topic in range(1, topics)}
    run = {"0": {f"d{rank}": -float(rank) for rank in range(900)}, **short}
    drawn = rs.curves(qrels, {"mine": run}, "RR")
    assert drawn.values[0].shape[-1] == (1 << 22) // topics == 209
    said = f"curves end at rank 209, since most of {topics} rankings are far shorter than the longest; depth=900 draws"
    assert any(text.startswith(said) for text in drawn.warnings)
    assert rs.curves(qrels, {"mine": run}, "RR", depth=300).values[0].shape[-1] == 300
    few = rs.curves(qrels, {"mine": run}, "RR", topics=["0", "1"])
    assert few.values[0].shape[-1] == 900
    assert not any("curves end" in text for text in few.warnings)


def test_curves_are_the_same_with_and_without_a_long_ranking_beside():
    """Rankings are measured together by their size, and put back in their order."""
    rng = np.random.default_rng(4)
    qrels = {str(topic): {f"d{rank}": int(rng.integers(0, 4)) for rank in range(20)} for topic in range(60)}
    run = {
        topic: {f"d{rank}": float(rng.random()) for rank in rng.choice(30, int(rng.integers(1, 30)), replace=False)}
        for topic in qrels
    }
    run["7"] = {f"d{rank}": -float(rank) for rank in range(5_000)}
    together = rs.curves(qrels, {"mine": run}, ["nDCG", "AP", "P", "ERR"], depth=40)
    for topic, judged in qrels.items():
        alone = rs.curves({topic: judged, "x": {"a": 3}}, {"mine": {topic: run[topic]}}, together.measures, depth=40)
        for measure in ("nDCG", "AP", "ERR"):
            assert together.by_topic("mine", measure)[topic].tolist() == alone.by_topic("mine", measure)[topic].tolist()


def test_runs_of_few_topics_are_traced_together() -> None:
    """A file may hold tens of thousands of them; their curves are those of each run on its own."""
    qrels = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1}}
    runs = {f"r{n}": {"1": {"abcz"[n % 4]: 2.0, "b" if n % 4 != 1 else "c": 1.0}} for n in range(40)}
    runs["r7"]["2"] = {"z": 2.0, "a": 1.0}
    seen: list[int] = []

    class Counting(rs.Inline):
        def map(self, work: Any, items: Any) -> Any:
            groups = list(items)
            seen.append(len(groups))
            return super().map(work, groups)

    for missing in RULES[:2]:
        together = rs.curves(qrels, runs, ["nDCG", "P"], depth=5, missing=missing, executor=Counting())
        for name in ("r0", "r7", "r39"):
            alone = rs.curves(qrels, {name: runs[name]}, ["nDCG", "P"], depth=5, missing=missing)
            for measure in ("nDCG", "P"):
                of_all, of_one = together.by_topic(name, measure), alone.by_topic(name, measure)
                assert {topic: curve.tolist() for topic, curve in of_all.items()} == {
                    topic: curve.tolist() for topic, curve in of_one.items()
                }
    assert seen == [1, 1]
