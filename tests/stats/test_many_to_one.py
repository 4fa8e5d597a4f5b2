"""Dunnett's test, several baselines, equivalence and intervals of significant pairs, all by scipy."""

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.data.exact_sums import RunSums
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.sample import QRELS, RUNS
from rankscale.stats.corrections import correct
from rankscale.stats.tests.anova import analysed
from rankscale.stats.tests.base.simultaneous import ManyToOne, with_baseline
from rankscale.stats.tests.base.test import pairs_with

FILES = [str(path) for path in RUNS if path.name.split(".")[0] in {"bm25", "manual", "tfidf", "ql"}]
EVALUATION = rs.evaluate(str(QRELS), FILES, "P@10")
NAMES = EVALUATION.runs


@pytest.mark.parametrize("comparisons", [1, 2, 4, 9])
@pytest.mark.parametrize("df", [3, 20, 147])
def test_distribution_by_scipy(comparisons, df):
    shape = np.full((comparisons, comparisons), 0.5) + 0.5 * np.eye(comparisons)
    for t in (0.3, 1.5, 2.5, 3.5):
        theirs = 1 - stats.multivariate_t(shape=shape, df=df, seed=1).cdf(
            np.full(comparisons, t), lower_limit=np.full(comparisons, -t), maxpts=200_000
        )
        assert ManyToOne(comparisons, df).p(np.array([t]))[0] == pytest.approx(theirs, abs=2e-4)


@pytest.mark.parametrize("df", [2, 30, np.inf])
def test_one_comparison_is_students_t(df):
    t = np.array([0.0, 0.5, 1.96, 6.0, 12.0])
    np.testing.assert_allclose(ManyToOne(1, df).p(t), 2 * stats.t.sf(t, df), rtol=1e-8)
    assert ManyToOne(1, df).critical(0.05) == pytest.approx(stats.t.isf(0.025, df), rel=1e-8)


@pytest.mark.parametrize("comparisons", [2, 5, 9])
def test_critical_values_by_scipy(comparisons):
    t = ManyToOne(comparisons, 20).critical(0.05)
    shape = np.full((comparisons, comparisons), 0.5) + 0.5 * np.eye(comparisons)
    inside = stats.multivariate_t(shape=shape, df=20, seed=2).cdf(
        np.full(comparisons, t), lower_limit=np.full(comparisons, -t), maxpts=200_000
    )
    assert inside == pytest.approx(0.95, abs=2e-4)


def test_one_way_by_scipys_dunnett():
    values = np.random.default_rng(4).normal([0, 0.2, 0.6, 1.0], 1.0, (15, 4))
    means, _ = analysed(RunSums.of(values), "error", topics=False)
    ours = with_baseline(means, pairs_with(4, 0), 0.95)
    theirs = stats.dunnett(*values.T[1:], control=values[:, 0], rng=np.random.default_rng(0))
    np.testing.assert_allclose(ours.statistic, theirs.statistic, rtol=1e-12)
    np.testing.assert_allclose(ours.p, theirs.pvalue, atol=2e-3)
    interval = theirs.confidence_interval(0.95)
    assert ours.lower is not None
    assert ours.upper is not None
    np.testing.assert_allclose(ours.lower, interval.low, atol=0.02)
    np.testing.assert_allclose(ours.upper, interval.high, atol=0.02)


def test_two_way_error_in_compare():
    comparison = rs.compare(EVALUATION, "dunnett", baseline="bm25")
    assert comparison.correction == "none"
    assert comparison.results.corrected
    values = EVALUATION.values[0].T
    residuals = values - values.mean(axis=0) - values.mean(axis=1, keepdims=True) + values.mean()
    error = np.sqrt(2 * (residuals**2).sum() / (49 * 3) / 50)
    np.testing.assert_allclose(comparison.results.statistic, comparison.results.difference / error, rtol=1e-12)
    intervals = comparison.simultaneous_intervals()
    assert intervals is not None
    lower, upper = intervals
    assert ((lower > 0) | (upper < 0)).tolist() == comparison.significant.tolist()


def test_dunnett_without_spread_and_refusals():
    same = rs.read_values({run: {str(t): {"P@10": 0.1 * (run == "c")} for t in range(4)} for run in "abc"})
    assert dict(zip("cb", rs.compare(same, "dunnett", baseline="a").p, strict=True)) == {"c": 0, "b": 1}
    with pytest.raises(ParameterError, match=r"compares each run with one baseline: give one, baseline="):
        rs.compare(EVALUATION, "dunnett")
    with pytest.raises(ParameterError, match="compares each run with one baseline"):
        rs.compare(EVALUATION, "dunnett", baseline=["bm25", "ql"])


def test_several_baselines_are_one_family():
    comparison = rs.compare(EVALUATION, baseline=["bm25", "ql"])
    assert comparison.baselines == ("bm25", "ql")
    pairs = {(row["run"], row["other"]): row for row in comparison.to_polars().to_dicts()}
    assert set(pairs) == {(run, other) for run in ("manual", "tfidf") for other in ("bm25", "ql")}
    p = [stats.ttest_rel(*(list(EVALUATION.by_topic(run, "P@10").values()) for run in pair)).pvalue for pair in pairs]
    np.testing.assert_allclose([row["p"] for row in pairs.values()], correct(np.array(p), "holm"), rtol=1e-9)
    marks = dict(zip(comparison.runs, comparison.marks(), strict=True))
    assert marks == {"manual": "1,2", "bm25": "baseline 1", "ql": "baseline 2", "tfidf": "1,2"}
    assert {"difference_1", "p_1", "difference_2", "p_2"} <= set(comparison.table("runs").columns)
    assert comparison.provenance["baselines"] == ["bm25", "ql"]
    one = rs.compare(EVALUATION, baseline=["bm25"])
    assert one.to_polars().equals(rs.compare(EVALUATION, baseline="bm25").to_polars())
    with pytest.raises(UnknownNameError):
        rs.compare(EVALUATION, baseline=["bm25", "nothing"])
    with pytest.raises(ParameterError, match="all 4 runs are baselines"):
        rs.compare(EVALUATION, baseline=list(NAMES))


@pytest.mark.parametrize("margin", [0.05, "20%"])
def test_equivalence_by_two_tests_of_scipy(margin):
    comparison = rs.compare(EVALUATION, equivalence=margin)
    about = comparison.equivalence
    assert about is not None
    for place in range(len(comparison.pairs)):
        first, second = comparison.of_pair(place)
        low, high = (second - 0.05, second + 0.05) if margin == 0.05 else (0.8 * second, 1.2 * second)
        above = stats.ttest_rel(first, low, alternative="greater").pvalue
        theirs = max(above, stats.ttest_rel(first, high, alternative="less").pvalue)
        assert about.p_uncorrected[place] == pytest.approx(theirs, rel=1e-9, abs=1e-15)
    assert about.p.tolist() == correct(about.p_uncorrected, "holm").tolist()
    assert "pairs are shown to be equivalent within" in comparison.sentence()
    assert {"margin", "equivalence_p", "equivalent"} <= set(comparison.table().columns)
    with pytest.raises(ParameterError, match="equivalence="):
        rs.compare(EVALUATION, equivalence=0)


@pytest.mark.parametrize("correction", ["bh", "by"])
def test_intervals_of_significant_pairs_by_scipy(correction):
    comparison = rs.compare(EVALUATION, correction=correction)
    selected = comparison.selected_intervals()
    assert selected is not None
    number = int(comparison.significant.sum())
    level = 1 - 0.05 * number / 6 / (1 if correction == "bh" else sum(1 / k for k in range(1, 7)))
    for place, is_significant in enumerate(comparison.significant.tolist()):
        ends = selected[0][place], selected[1][place]
        if is_significant:
            theirs = stats.ttest_rel(*comparison.of_pair(place)).confidence_interval(level)
            assert ends == pytest.approx(tuple(theirs), rel=1e-9)
        else:
            assert np.isnan(ends).all()
    assert "lower_selected" in comparison.rows(simultaneous=True).columns
    assert rs.compare(EVALUATION).selected_intervals() is None
