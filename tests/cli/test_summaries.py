"""`--summary median|quantiles` of evaluate and compare, and omnibus results in what compare writes."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import rankscale as rs
from rankscale.sample import QRELS, RUNS

CHOSEN = [run for run in RUNS if Path(run).name.startswith(("bm25.", "manual", "bm25-ce-pair", "tfidf"))]
FILES = [str(QRELS), *map(str, CHOSEN)]
FORMS = ("table", "tsv", "csv", "json", "jsonl", "markdown", "latex", "html")


@pytest.fixture(scope="module")
def evaluation() -> Any:
    return rs.evaluate(QRELS, CHOSEN, ["RR@10", "AP", "P@10"])


def rows(out: str, separator: str = "\t") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out), delimiter=separator))


def test_medians_are_observed_values_with_their_interval(rankscale: Any, evaluation: Any) -> None:
    out = rankscale("evaluate", *FILES, "-m", "RR@10", "-m", "AP", "--summary", "median", "--format", "tsv")
    assert out.code == 0
    assert len(rows(out.out)) == 8
    for row in rows(out.out):
        values = np.sort(list(evaluation.by_topic(row["run"], row["measure"]).values()))
        assert [float(row[name]) for name in ("median_lower", "median_upper")] == [values[24], values[25]]
        assert [float(row[name]) for name in ("lower", "upper")] == [values[17], values[32]]
        assert (row["topics"], row["coverage"][:8]) == ("50", "0.967160")


def test_quantiles_are_observed_values(rankscale: Any, evaluation: Any) -> None:
    out = rankscale("evaluate", *FILES, "-m", "AP", "--summary", "quantiles", "--format", "csv")
    table = rows(out.out, ",")
    assert len(table) == 20
    for row in table:
        values = np.array(list(evaluation.by_topic(row["run"], "AP").values()))
        assert float(row["value"]) == np.quantile(values, float(row["quantile"]), method="inverted_cdf")
        assert {float(row["lower"]), float(row["upper"])} <= set(values.tolist())


@pytest.mark.parametrize("summary", ["median", "quantiles"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_every_form(command: str, form: str, summary: str, rankscale: Any) -> None:
    out = rankscale(command, *FILES, "-m", "RR@10", "-m", "P@10", "--summary", summary, "--format", form)
    assert (out.code, out.err) == (0, "")
    assert "bm25-ce-pair" in out.out.replace("{-}", "-")
    if form == "json":
        assert json.loads(out.out)["rows"]


def test_a_table_for_people(rankscale: Any) -> None:
    out = rankscale("evaluate", *FILES, "-m", "P@10", "--summary", "median", "--sort", "P@10").out
    assert out.splitlines()[:5] == [
        "run           topics                               P@10",
        "bm25-ce-pair      50  0.5000 to 0.6000 [0.4000, 0.8000]",
        "manual            50            0.5000 [0.4000, 0.7000]",
        "bm25              50            0.2000 [0.2000, 0.3000]",
        "tfidf             50            0.2000 [0.1000, 0.2000]",
    ]
    assert "sign-test interval at 95% confidence (50 topics: coverage 0.9672)" in out
    assert "mixes" not in out


def test_confidence_of_the_interval(rankscale: Any) -> None:
    out = rankscale("evaluate", *FILES, "-m", "P@10", "--summary", "median", "--confidence", "0.5").out
    assert "at 50% confidence (50 topics: coverage 0.5201)" in out


def test_too_few_topics_for_an_interval(rankscale: Any, qrels: Path, good: Path) -> None:
    out = rankscale("evaluate", qrels, good, "-m", "RR", "--summary", "median")
    assert "2 topics are too few for a sign-test interval at 95% confidence." in out.out
    assert "0.3333 to 0.5000" in out.out


def test_topics_with_scales_of_their_own_are_mixed(rankscale: Any) -> None:
    out = rankscale("evaluate", *FILES, "-m", "AP", "-m", "RR@10", "--summary", "median").out
    assert out.endswith("Caution: each topic has its own scale of AP, and the median mixes them.\n")


def test_parquet(rankscale: Any, tmp_path: Path) -> None:
    assert rankscale("evaluate", *FILES, "-m", "AP", "--summary", "median", "-o", tmp_path / "a.parquet").code == 0
    frame = pl.read_parquet(tmp_path / "a.parquet")
    assert frame.columns[:5] == ["run", "measure", "topics", "median_lower", "median_upper"]


@pytest.mark.parametrize("option", [["--per-topic"], ["--bounds"], ["--ties", "range"]])
def test_what_goes_with_means_is_refused(option: list[str], rankscale: Any) -> None:
    message = rankscale("evaluate", *FILES, "-m", "RR@10", "--summary", "median", *option).refused
    assert f"{' '.join(option)} goes with means: leave one of them out" in message


@pytest.mark.parametrize("command", ["evaluate", "compare"])
def test_an_unknown_summary(command: str, rankscale: Any) -> None:
    message = rankscale(command, *FILES, "--summary", "mode").refused
    assert "'mode' is not one of 'mean', 'median', 'quantiles'" in message


def test_runs_are_compared_by_medians_and_the_sign_test(rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "RR@10", "--summary", "median").out
    assert out.splitlines()[1] == "bm25-ce-pair  1.0000 [1.0000, 1.0000] a"
    assert "(the sign test, Holm's correction, alpha 0.05, 50 topics). Meaningful: " in out
    assert "In 5 of 6 pairs one median is above the other. In 5 one run is at least as high at every quantile." in out


def test_a_test_can_be_chosen(rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "RR@10", "--summary", "median", "-t", "friedman").out
    assert "All runs together: chi-squared(3) = " in out


def test_pairs_have_medians_and_dominance(rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "RR@10", "-m", "P@10", "--summary", "median", "--format", "tsv")
    by_pair = {(row["measure"], row["run"], row["other"]): row for row in rows(out.out)}
    row = by_pair["RR@10", "bm25", "tfidf"]
    assert (row["medians"], row["dominance"], row["hodges_lehmann"]) == ("above", "first", "")
    row = by_pair["P@10", "bm25-ce-pair", "manual"]
    assert (row["medians"], row["dominance"]) == ("not told apart", "cross")
    assert float(row["hodges_lehmann"]) == pytest.approx(0, abs=1e-15)
    assert row["hodges_lehmann_exact"] == "1"


def test_means_of_an_ordinal_measure_come_with_a_way_out_and_one_note_on_crossing(rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "AP", "-m", "P@10", "-t", "two-way", "-t", "friedman").out
    assert out.count("Medians need only the order of values: --summary median.") == 1
    assert out.count("The quantiles of 2 of 6 pairs cross: some map that keeps the order of values reverses") == 1
    jsonl = rankscale("compare", *FILES, "-m", "AP", "-m", "P@10", "--format", "jsonl").rows
    assert [row["dominance"] for row in jsonl if row["measure"] == "AP"].count("cross") == 2
    assert {row["dominance"] for row in jsonl if row["measure"] == "P@10"} == {None}


def test_statements_about_medians(rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "P@10", "--summary", "median", "--statements").out
    assert (
        "bm25-ce-pair and manual cannot be told apart in median P@10 (0.5000 to 0.6000 against 0.5000, 50 topics)"
        in out
    )
    assert "manual is above bm25 in median P@10 (0.5000 against 0.2000, 50 topics)" in out
    assert "bm25 and tfidf have the same median P@10 (0.2000 against 0.2000, 50 topics)" in out
    assert "sign-test intervals 0.4 to 0.7 (manual) and 0.2 to 0.3 (bm25), coverage 0.9672" in out
    assert "Hodges-Lehmann difference 0.2 (95% interval 0.1 to 0.3, coverage 0.9506)" in out


@pytest.mark.parametrize("form", FORMS)
def test_omnibus_results_in_every_form(form: str, rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "P@10", "-t", "two-way", "-t", "kruskal-wallis", "--format", form).out
    omnibus = rs.compare(rs.evaluate(QRELS, CHOSEN, "P@10"), "two-way").omnibus
    assert omnibus is not None
    if form in {"tsv", "csv", "json", "jsonl"}:
        assert repr(omnibus.statistic) in out
        assert "omnibus_df_error" in out
    else:
        assert "F(3, 147) = 39.81, p " in out
        assert "H(3) = 35.65, p " in out
    if form == "json":
        assert json.loads(out)["comparisons"][0]["omnibus"]["df"] == [3, 147]
    if form == "latex":
        printed = "\n".join(line for line in out.splitlines() if not line.startswith("%"))
        assert "two{-}way & F & 39.8" in printed


def test_people_see_omnibus_results_once_not_with_each_pair(rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "P@10", "-t", "two-way", "--pairs").out
    assert "omnibus" not in out
    assert out.count("F(3, 147)") == 1


def test_omnibus_results_with_statements(rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "P@10", "-t", "two-way", "--statements")
    assert "All runs together: F(3, 147) = 39.81, p < 0.0001." in out.out
