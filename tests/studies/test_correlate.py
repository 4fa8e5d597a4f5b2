"""Correlations between measures: scipy pair by pair, the study of changes, laws, and what users are told."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rankscale as rs
from rankscale.cli.program import cli
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.executors.processes import Processes
from rankscale.measures.base.parser import parse_all
from rankscale.sample import QRELS, RUNS
from rankscale.stats.correlation.correlations import METHODS
from rankscale.studies.changes import changes
from rankscale.studies.correlate import Correlation, correlate, with_interval_versions
from rankscale.studies.support.study import Study

MEASURES = ["AP", "P@10", "nDCG@10", "RR"]
UNTIED = [0, 2, 3]  # those that give each run of the sample a mean of its own
SCALED = ["P@10", "RR@10", "DCG(base=2)@10", "AP@10"]


@pytest.fixture(scope="module")
def trec_8_evaluation(trec_8: Any) -> Any:
    qrels, runs = trec_8
    return rs.evaluate(qrels, runs, MEASURES)


@pytest.fixture(scope="module")
def evaluation() -> Any:
    return rs.evaluate(QRELS, list(RUNS), MEASURES)


@pytest.fixture(scope="module")
def scaled() -> Correlation:
    found = rs.evaluate(QRELS, list(RUNS), with_interval_versions(parse_all(SCALED)))
    return correlate(found, samples=50)


def test_tau_is_that_of_scipy_on_trec_8(trec_8_evaluation: Any) -> None:
    found = correlate(trec_8_evaluation, samples=0)
    values = trec_8_evaluation.values
    means = np.round(values.mean(axis=-1), 8)
    rows = list(found.tables()["pairs"])
    by_topic = found.by_topic
    assert by_topic is not None
    assert len(rows) == 6
    for row, (i, j) in zip(rows, combinations(range(4), 2), strict=True):
        assert (row["measure"], row["other"]) == (MEASURES[i], MEASURES[j])
        tau, p = stats.kendalltau(means[i], means[j])
        assert row["value"] == pytest.approx(tau, rel=1e-12)
        assert row["p"] == pytest.approx(p, rel=1e-9)
        assert row["reading"] == ("equivalent" if tau > 0.9 else "similar" if tau >= 0.8 else "different")
        taus = np.array([stats.kendalltau(values[i, :, topic], values[j, :, topic])[0] for topic in range(50)])
        np.testing.assert_allclose(by_topic.by_topic[:, i, j], taus, rtol=1e-12, atol=1e-15)
        assert row["by_topic"] == pytest.approx(np.nanmean(taus), rel=1e-12)
        assert row["defined"] == np.count_nonzero(~np.isnan(taus))


@pytest.mark.parametrize(("method", "function"), [("spearman", stats.spearmanr), ("pearson", stats.pearsonr)])
def test_other_coefficients_are_those_of_scipy(method: str, function: Any, evaluation: Any) -> None:
    found = correlate(evaluation, method, samples=0)
    means = evaluation.values.mean(axis=-1)
    if method != "pearson":  # which takes means as they are
        means = np.round(means, 8)
    for i, j in combinations(range(4), 2):
        value, p = function(means[i], means[j])
        assert found.overall.matrix[i, j] == pytest.approx(value, rel=1e-10)
        assert found.overall.p[i, j] == pytest.approx(p, rel=1e-6)
    assert "reading" not in found.tables()["pairs"].columns


def test_intervals_are_percentiles_over_draws_of_topics(evaluation: Any) -> None:
    found = correlate(evaluation, samples=60, seed=4, confidence=0.8)
    drawn = np.random.default_rng(4).integers(0, 50, (60, 50))
    for i, j in combinations(range(4), 2):
        taus = [
            stats.kendalltau(*np.round(evaluation.values[[i, j]][:, :, topics].mean(axis=-1), 8))[0] for topics in drawn
        ]
        low, high = np.quantile(taus, [0.1, 0.9])
        assert found.overall.lower[i, j] == pytest.approx(low, rel=1e-9)
        assert found.overall.upper[i, j] == pytest.approx(high, rel=1e-9)


def test_tables(evaluation: Any) -> None:
    found = correlate(evaluation, samples=20, seed=7)
    assert isinstance(found, Study)
    tables = found.tables()
    assert list(tables) == ["pairs", "matrix", "topics"]
    columns = ["measure", "other", "value", "lower", "upper", "p", "reading", "by_topic", "defined"]
    assert list(tables["pairs"].columns) == columns
    matrix = {str(row["measure"]): row for row in tables["matrix"]}
    for row in tables["pairs"]:
        one, other = str(row["measure"]), str(row["other"])
        assert matrix[one][other] == matrix[other][one] == row["value"]
        of_topics = [cell for cell in tables["topics"] if (cell["measure"], cell["other"]) == (one, other)]
        assert [cell["topic"] for cell in of_topics] == list(evaluation.topics)
        values: Any = np.array([cell["value"] for cell in of_topics])
        assert row["by_topic"] == pytest.approx(np.nanmean(values), rel=1e-12)
    assert [matrix[name][name] for name in MEASURES] == [1.0] * 4
    assert found.signature.startswith("study:correlate|method:tau_b|confidence:0.95|samples:20|seed:7|order:score|")
    assert "Kendall's tau-b between the means of 24 runs over 50 topics" in found.sentence()
    assert "95% interval over 20 draws of topics" in found.sentence()
    without = correlate(evaluation, samples=0, by_topic=False)
    assert list(without.tables()) == ["pairs", "matrix"]
    assert list(without.tables()["pairs"].columns) == ["measure", "other", "value", "p", "reading"]
    assert "draws" not in without.sentence()
    assert "by_topic" not in without.sentence()


def test_one_direction_or_both(evaluation: Any) -> None:
    both = correlate(evaluation, "tau_ap", samples=0)
    assert [(row["measure"], row["other"]) for row in both.tables()["pairs"]] == [
        (one, other) for one in MEASURES for other in MEASURES if one != other
    ]
    mean = correlate(evaluation, "tau_ap_mean", samples=0)
    untied = np.ix_(UNTIED, UNTIED)  # ties are treated in two ways
    matrix = both.overall.matrix[untied]
    np.testing.assert_allclose(mean.overall.matrix[untied], (matrix + matrix.T) / 2, rtol=1e-12)
    assert "p" not in both.tables()["pairs"].columns


def tau_ap_b(x: Any, y: Any) -> float:
    """Urbano and Marrero 2017: the mean of both directions, each over pairs that the other ranking does not tie."""

    def one_way(truth: Any, estimate: Any) -> float:
        shares: list[float] = []
        for place, value in enumerate(estimate):
            above = [other for other, one in enumerate(estimate) if one > value]
            if above:
                shares.append(sum(truth[other] > truth[place] for other in above) / len(above))
        return 2 * sum(shares) / len(shares) - 1

    return (one_way(x, y) + one_way(y, x)) / 2


def test_with_ties_the_mean_of_both_directions_is_tau_ap_b_and_called_so() -> None:
    x, y = [0.9, 0.7, 0.7, 0.4], [0.8, 0.9, 0.5, 0.5]
    values = rs.read_values({f"r{run}": {"1": {"AP": x[run], "RR": y[run]}} for run in range(4)})
    mean, each = (correlate(values, one, samples=0, by_topic=False) for one in ("tau_ap_mean", "tau_ap"))
    assert mean.overall.matrix[0, 1] == pytest.approx(tau_ap_b(x, y), abs=1e-15)
    assert mean.overall.matrix[0, 1] != pytest.approx(each.overall.matrix[[0, 1], [1, 0]].mean(), abs=0.01)
    assert "AP correlation tau_AP,b, mean of both directions" in mean.sentence()
    help_text = " ".join(CliRunner().invoke(cli, ["correlate", "--help"]).output.split())
    assert "tau_ap_mean the mean of both directions without tied pairs (tau_AP,b of Urbano and Marrero)" in help_text


def test_versions_agree_as_the_studies_of_intervals_and_changes_say(scaled: Correlation) -> None:
    tables = scaled.tables()
    assert list(tables) == ["pairs", "matrix", "topics", "versions", "scaled"]
    assert scaled.shown() == ("versions", "scaled")
    assert len(tables["pairs"]) == 28
    expected = changes(QRELS, list(RUNS), SCALED, ()).agreements
    rows = list(tables["scaled"])
    assert len(rows) == len(expected) == 6
    for row, one in zip(rows, expected, strict=True):
        assert (row["measure"], row["other"]) == (str(one.measure), str(one.other))
        assert row["value"] == pytest.approx(one.tau, rel=1e-12)
        assert row["interval_value"] == pytest.approx(one.interval_tau, rel=1e-12)
        assert row["percent_change"] == pytest.approx(one.percent, rel=1e-9, abs=1e-9)
    own = rs.intervals(QRELS, list(RUNS), SCALED).pairs
    for row, pair in zip(tables["versions"], own, strict=True):
        assert (row["measure"], row["interval_version"]) == (str(pair.measure), str(pair.interval))
        assert row["value"] == pytest.approx(pair.tau, rel=1e-12)
        assert row["by_topic"] == pytest.approx(1.0, rel=1e-12)
        assert row["defined"] == pair.defined


def test_ranks_whose_steps_are_far_below_eight_digits_are_told_apart(trec_8: Any) -> None:
    qrels, runs = trec_8
    asked = ["RBP(p=0.5)@40", "Interval(RBP(p=0.5)@40)"]
    found = correlate(rs.evaluate(qrels, runs[:60], asked), samples=0)
    expected = rs.intervals(qrels, runs[:60], asked[0]).pairs[0]
    assert found.overall.matrix[0, 1] == pytest.approx(expected.tau, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_laws_of_coefficients(method: str, evaluation: Any) -> None:
    found = correlate(evaluation, method, samples=0)
    of_itself = np.diagonal(found.overall.matrix)
    np.testing.assert_allclose(of_itself[UNTIED], 1.0, rtol=1e-12)
    if method in {"tau_b", "spearman", "pearson"}:
        np.testing.assert_allclose(of_itself, 1.0, rtol=1e-12)
    assert (np.abs(found.overall.matrix) <= 1 + 1e-12).all()
    if METHODS[method].symmetric:
        np.testing.assert_array_equal(found.overall.matrix, found.overall.matrix.T)
    other = correlate(evaluation.sorted_by("RR"), method, samples=0)
    np.testing.assert_allclose(other.overall.matrix, found.overall.matrix, rtol=1e-9)
    assert found.by_topic is not None
    assert other.by_topic is not None
    np.testing.assert_allclose(other.by_topic.by_topic, found.by_topic.by_topic, rtol=1e-9, atol=1e-12)


@given(st.integers(0, 2**32), st.integers(2, 6), st.integers(1, 6))
def test_laws_of_values(seed: int, runs: int, topics: int) -> None:
    draws = np.random.default_rng(seed)
    base = rs.evaluate({"1": {"x": 1}}, {"a": {"1": {"x": 1}}}, ["AP", "RR"])
    values = draws.integers(0, 4, (2, runs, topics)) / 3
    names, there = tuple(map(str, range(runs))), np.ones((runs, topics), dtype=bool)
    one = type(base)(base.measures, names, tuple(map(str, range(topics))), values, there)
    found = correlate(one, samples=0)
    means = np.round(values.mean(axis=-1), 8)
    np.testing.assert_allclose(found.overall.matrix[0, 1], stats.kendalltau(*means)[0], rtol=1e-12)
    assert found.by_topic is not None
    defined = [len(set(values[0, :, t])) > 1 and len(set(values[1, :, t])) > 1 for t in range(topics)]
    assert found.by_topic.topics[0, 1] == sum(defined)


def test_same_seed_same_bytes(evaluation: Any) -> None:
    elsewhere = rs.evaluate(QRELS, list(map(str, RUNS)), MEASURES, executor=Processes(2))
    once, again = (correlate(one, samples=50) for one in (evaluation, elsewhere))
    for name in ("matrix", "p", "lower", "upper"):
        assert getattr(once.overall, name).tobytes() == getattr(again.overall, name).tobytes()
    assert once.text() == again.text()
    assert (correlate(evaluation, samples=50, seed=1).overall.lower != once.overall.lower).any()


def test_geometric_means_are_ordered_as_they_are() -> None:
    evaluation = rs.evaluate(QRELS, list(RUNS), ["AP", "GMAP"])
    found = correlate(evaluation, samples=0)
    means = evaluation.means().values
    assert found.overall.matrix[0, 1] == pytest.approx(stats.kendalltau(means[0].round(8), means[1])[0], rel=1e-12)
    assert found.overall.matrix[0, 1] < 1
    assert any("GMAP: logarithms of the values" in one for one in found.warnings)


def told(measures: list[str], method: str = "tau_b", samples: int = 0) -> str:
    found = rs.evaluate(QRELS, list(RUNS[:6]), measures)
    return "\n".join(correlate(found, method, samples=samples).warnings)


def test_what_users_are_told_of_directions_and_scales() -> None:
    assert told(["AP", "RR"]) == ""
    assert "low is good for ASL: agreement with measures for which high is shows as negative" in told(["AP", "ASL"])
    assert "worst by them" in told(["AP", "ASL"], "tau_ap")
    assert "worst by them" not in told(["AP", "ASL"])
    assert "low is good" not in told(["ASL", "RHL@10"])
    assert "not which run is better" in told(["AP", "CRP@100"])
    assert "Pearson's r asks for interval scales, and ordinal ones are those of AP" in told(["AP", "P@10"], "pearson")
    assert "interval scales" not in told(["P@5", "P@10"], "pearson")


def test_readings_of_measures_that_point_opposite_ways() -> None:
    qrels = {"1": {"a": 1}}
    runs: dict[str, Any] = {
        f"run {rank}": {"1": {**{f"u{place}": -float(place) for place in range(rank)}, "a": -float(rank)}}
        for rank in range(4)
    }
    found = correlate(rs.evaluate(qrels, runs, ["RR", "ESL", "P@2", "ASL"]), samples=0)
    rows = {(row["measure"], row["other"]): (row["value"], row["reading"]) for row in found.table()}
    assert rows["RR", "ESL"] == (-1.0, "equivalent")
    assert rows["ESL", "ASL"] == (1.0, "equivalent")
    assert rows["RR", "P@2"][1] == rows["ESL", "P@2"][1] == "similar"
    assert any(one.endswith("shows as negative; readings turn it round") for one in found.warnings)


def test_what_is_shown_of_interval_versions(scaled: Correlation) -> None:
    assert scaled.shown() == ("versions", "scaled")
    pair = rs.evaluate(QRELS, list(RUNS), ["P@10", "Interval(P@10)"])
    assert correlate(pair, samples=0).shown() == ("versions",)
    beside = rs.evaluate(QRELS, list(RUNS), ["P@10", "Interval(P@10)", "AP"])
    found = correlate(beside, samples=0)
    assert found.shown() == ("pairs",)
    assert len(found.table("versions")) == 1


def test_values_outside_their_interval_are_told_in_both_directions(evaluation: Any) -> None:
    found = correlate(evaluation, "tau_ap", samples=50)
    rows = list(found.table("pairs"))
    outside = sum(not row["lower"] <= row["value"] <= row["upper"] for row in rows)  # type: ignore[operator]
    assert outside
    assert any(one.startswith(f"{outside} of 12 values lie outside their interval") for one in found.warnings)


def test_values_outside_their_interval_are_told(evaluation: Any) -> None:
    found = correlate(evaluation, samples=100)
    matrix, lower, upper = found.overall.matrix, found.overall.lower, found.overall.upper
    outside = sum(not lower[pair] <= matrix[pair] <= upper[pair] for pair in combinations(range(4), 2))
    assert outside
    assert any(one.startswith(f"{outside} of 6 values lie outside their interval") for one in found.warnings)


def test_refusals(evaluation: Any) -> None:
    with pytest.raises(UnknownNameError, match="unknown correlation 'tau'"):
        correlate(evaluation, "tau")
    with pytest.raises(ParameterError, match="two or more of both, got 1 measures and 24 runs"):
        correlate(evaluation["AP"])
    with pytest.raises(ParameterError, match="two or more of both, got 2 measures and 1 runs"):
        correlate(rs.evaluate(QRELS, str(RUNS[0]), ["AP", "RR"]))
    with pytest.raises(ParameterError, match="confidence must lie strictly between 0 and 1"):
        correlate(evaluation, confidence=1)
    with pytest.raises(ParameterError, match="samples of the bootstrap must be 0"):
        correlate(evaluation, samples=-1)
    with pytest.raises(ParameterError, match="not all runs have topics 137"):
        correlate(rs.evaluate(QRELS, list(RUNS), MEASURES, missing="skip"))
    with pytest.raises(ParameterError, match="name the measures themselves"):
        with_interval_versions(parse_all(["Interval(P@10)"]))
    with pytest.raises(ParameterError, match="name one length, as in"):
        with_interval_versions(parse_all(["AP"]))
