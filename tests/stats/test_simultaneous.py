"""Intervals that hold for all pairs at once: Bonferroni's by scipy, and those of tests that correct themselves."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.sample import QRELS, RUNS

FILES = [str(path) for path in RUNS if path.name.split(".")[0] in {"bm25", "manual", "tfidf", "ql"}]
EVALUATION = rs.evaluate(str(QRELS), FILES, "AP")


def test_bonferroni_by_scipy():
    comparison = rs.compare(EVALUATION, confidence=0.9)
    lower, upper = comparison.simultaneous_intervals()
    assert len(comparison.pairs) == 6
    for place in range(6):
        first, second = comparison.of_pair(place)
        ends = stats.ttest_rel(first, second).confidence_interval(1 - 0.1 / 6)
        np.testing.assert_allclose((lower[place], upper[place]), ends, rtol=1e-12, atol=1e-14)
    columns = comparison.rows(simultaneous=True).columns
    assert list(columns["lower"]) == lower.tolist()
    assert list(columns["upper"]) == upper.tolist()
    assert "lower_uncorrected" not in columns
    assert "lower" not in comparison.rows().columns


@pytest.mark.parametrize("test", ["two-way", "one-way"])
def test_tests_that_correct_keep_their_own(test):
    comparison = rs.compare(EVALUATION, test)
    lower, upper = comparison.simultaneous_intervals()
    assert (lower == comparison.results.lower).all()
    assert (upper == comparison.results.upper).all()
    assert comparison.rows(simultaneous=True).columns == comparison.rows().columns


def test_results_without_intervals_have_none():
    comparison = rs.compare(EVALUATION, "two-way")
    without = replace(comparison, results=replace(comparison.results, lower=None, upper=None))
    assert without.simultaneous_intervals() is None
    assert not {"lower", "upper"} & set(without.rows(simultaneous=True).columns)
