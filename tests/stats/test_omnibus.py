"""Omnibus results of a comparison: statistic, degrees of freedom and p-value, in every form of output."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.data.arrays import Floats
from rankscale.sample import QRELS, RUNS
from rankscale.stats.comparison import Comparison
from rankscale.stats.tests.base.test import Omnibus
from rankscale.stats.tests.register import known_tests

CHOSEN = [run for run in RUNS if Path(run).name.startswith(("bm25.", "manual", "bm25-ce-pair", "tfidf"))]
FILES = [str(QRELS), *map(str, CHOSEN)]
TOGETHER = ("one-way", "two-way", "kruskal-wallis", "friedman")


def by_least_squares(values: Floats) -> tuple[float, float]:
    """F of runs beside topics, and its p: the squared error with runs in the regression, and without."""
    topics, runs = values.shape
    design = [np.repeat(np.eye(topics), runs, axis=0), np.tile(np.eye(runs)[:, 1:], (topics, 1))]
    errors = []
    for columns in (design[0], np.hstack(design)):
        fitted = columns @ np.linalg.lstsq(columns, values.ravel(), rcond=None)[0]
        errors.append(float(np.square(values.ravel() - fitted).sum()))
    df, df_error = runs - 1, (topics - 1) * (runs - 1)
    f = (errors[0] - errors[1]) / df / (errors[1] / df_error)
    return f, float(stats.f.sf(f, df, df_error))


@pytest.fixture(scope="module")
def evaluation() -> Any:
    return rs.evaluate(QRELS, CHOSEN, "P@10")


def expected(test: str, values: Floats) -> tuple[str, tuple[float, float], tuple[int, ...]]:
    """Name, statistic and p, degrees of freedom, by other programs."""
    topics, runs = values.shape
    if test == "one-way":
        one = stats.f_oneway(*values.T)
        return "F", (one.statistic, one.pvalue), (runs - 1, runs * (topics - 1))
    if test == "two-way":
        return "F", by_least_squares(values), (runs - 1, (runs - 1) * (topics - 1))
    one = stats.kruskal(*values.T) if test == "kruskal-wallis" else stats.friedmanchisquare(*values.T)
    return ("H" if test == "kruskal-wallis" else "chi-squared"), (one.statistic, one.pvalue), (runs - 1,)


@pytest.mark.parametrize("test", TOGETHER)
def test_omnibus_of_a_comparison_is_that_of_other_programs(test: str, evaluation: Any) -> None:
    omnibus = rs.compare(evaluation, test).omnibus
    name, numbers, df = expected(test, np.array(evaluation.values[0].T))
    assert omnibus is not None
    assert (omnibus.name, omnibus.df) == (name, df)
    assert (omnibus.statistic, omnibus.p) == pytest.approx(numbers, rel=1e-10)


@pytest.mark.parametrize("test", sorted(set(known_tests()) - {*TOGETHER, "randomised tukey", "dunnett"}))
def test_tests_of_single_pairs_have_none(test: str, evaluation: Any) -> None:
    comparison = rs.compare(evaluation, test)
    assert comparison.omnibus is None
    assert len(comparison.table("omnibus")) == 0
    assert "together" not in comparison.sentence()
    assert not any(name.startswith("omnibus") for name in comparison.rows().columns)


def shown(test: str, evaluation: Any) -> tuple[Comparison, str]:
    comparison = rs.compare(evaluation, test)
    assert comparison.omnibus is not None
    return comparison, comparison.omnibus.text


@pytest.mark.parametrize("test", TOGETHER)
def test_every_form_of_python_shows_it(test: str, evaluation: Any, tmp_path: Path) -> None:
    comparison, text = shown(test, evaluation)
    omnibus = comparison.omnibus
    assert omnibus is not None
    assert f"All runs together: {text}." in comparison.sentence()
    assert text in str(comparison)
    assert text.replace("<", "&lt;") in comparison._repr_html_()
    assert text.replace("<", "\\<") in comparison.to_markdown()
    row = next(iter(comparison.table("omnibus")))
    assert (row["statistic"], row["value"], row["df"], row["p"]) == (
        omnibus.name,
        omnibus.statistic,
        omnibus.df[0],
        omnibus.p,
    )
    assert row.get("df_error") == (omnibus.df[1] if len(omnibus.df) > 1 else None)
    latex = [line for line in comparison.to_latex().splitlines() if not line.startswith("%")]
    assert any(f"& {omnibus.statistic:.4f} & {omnibus.df[0]} &" in line for line in latex)
    for pair in comparison.rows():
        assert (pair["omnibus_name"], pair["omnibus_statistic"], pair["omnibus_p"]) == (
            omnibus.name,
            omnibus.statistic,
            omnibus.p,
        )
    assert json.loads(comparison.to_json())["omnibus"]["df"] == list(omnibus.df)
    comparison.write(tmp_path / "comparison.html")
    assert text.replace("<", "&lt;") in (tmp_path / "comparison.html").read_text()


def test_text_is_as_papers_print_it() -> None:
    assert Omnibus("F", 39.8123, 1e-9, df=(3, 147)).text == "F(3, 147) = 39.81, p < 0.0001"
    assert Omnibus("chi-squared", 4.909, 0.0859, df=(2,)).text == "chi-squared(2) = 4.909, p = 0.086"
    assert Omnibus("range of means", 0.25, 0.0312).text == "range of means = 0.25, p = 0.031"


def test_infinite_and_undefined_numbers_are_null_in_json() -> None:
    assert Omnibus("F", math.inf, 0.0, {"eta squared": math.nan, "W": 0.5}, (1, 2)).to_dict() == {
        "name": "F",
        "statistic": None,
        "df": [1, 2],
        "p": 0.0,
        "effects": {"eta squared": None, "W": 0.5},
    }
