"""`evaluate --confidence` and `--places`: the interval of each mean and the places of runs, in every form."""

import csv
import io
import json

import numpy as np
import pytest
from pyarrow import parquet
from scipy import stats

import rankscale as rs
from rankscale.sample import QRELS, RUNS

FILES = [str(QRELS), *(str(path) for path in RUNS if path.name.split(".")[0] in {"bm25", "manual", "tfidf"})]
NAMES = ("mean_lower", "mean_upper", "place", "place_lower", "place_upper", "place_expected", "share_first")


def oracle(measure, run, confidence, method="percentile", seed=0):
    x = np.array(list(rs.evaluate(FILES[0], FILES[1:], measure).by_topic(run, measure).values()))
    if method == "student":
        return stats.ttest_1samp(x, 0).confidence_interval(confidence)
    drawn = x[np.random.default_rng(seed).integers(0, len(x), (1000, len(x)))].mean(axis=1)
    return np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2])


@pytest.mark.parametrize("method", ["percentile", "student"])
def test_rows_by_an_oracle(rankscale, method):
    more = ("--confidence", "0.9", "--interval-method", method, "--seed", "3")
    for row in rankscale("evaluate", *FILES, "-m", "AP", "-m", "P@10", *more, "--format", "jsonl").rows:
        assert row["topic"] == "all"
        expected = oracle(row["measure"], row["run"], 0.9, method, 3)
        assert (row["mean_lower"], row["mean_upper"]) == pytest.approx(tuple(expected), abs=1e-12)


def test_every_form_has_the_same_numbers(rankscale, tmp_path):
    given = ("evaluate", *FILES, "-m", "P@10", "--confidence", "0.95", "--places")
    rows = rankscale(*given, "--format", "jsonl").rows
    assert list(rows[0])[4:] == list(NAMES)
    for form, separator in (("csv", ","), ("tsv", "\t")):
        table = csv.DictReader(io.StringIO(rankscale(*given, "--format", form).out), delimiter=separator)
        assert [{name: float(row[name]) for name in NAMES} for row in table] == [
            {name: row[name] for name in NAMES} for row in rows
        ]
    document = json.loads(rankscale(*given, "--format", "json").out)
    assert document["intervals"] == {"confidence": 0.95, "method": "percentile", "draws": 1000, "seed": 0}
    assert [[run[name]["P@10"] for name in NAMES] for run in document["runs"]] == [
        [row[name] for name in NAMES] for row in rows
    ]
    wide = rankscale(*given, "--wide", "--format", "jsonl").rows
    assert [[row[f"P@10_{name}"] for name in NAMES] for row in wide] == [[row[name] for name in NAMES] for row in rows]
    rankscale(*given, "--wide", "-o", tmp_path / "means.parquet")
    assert parquet.read_table(tmp_path / "means.parquet").to_pylist() == wide
    for form in ("table", "markdown", "latex", "html"):
        out = rankscale(*given, "--format", form).out
        assert f"[{rows[0]['mean_lower']:.4f}, {rows[0]['mean_upper']:.4f}]" in out
        assert "share" in out


def test_single_topics_have_none_and_are_read_again(rankscale, tmp_path):
    given = ("evaluate", *FILES, "-m", "AP", "--confidence", "0.95", "--per-topic")
    rows = rankscale(*given, "--format", "jsonl").rows
    assert {row["mean_lower"] is None for row in rows if row["topic"] != "all"} == {True}
    assert all(row["mean_lower"] < row["value"] < row["mean_upper"] for row in rows if row["topic"] == "all")
    plain = rs.evaluate(FILES[0], FILES[1:], "AP")
    for ending in ("tsv", "csv", "jsonl", "json", "parquet"):
        assert rankscale(*given, "-o", tmp_path / f"values.{ending}").code == 0
        assert (rs.read_values(tmp_path / f"values.{ending}").of_runs(plain.runs).values == plain.values).all()
    assert parquet.read_table(tmp_path / "values.parquet").column_names == ["run", "topic", "measure", "value"]


def test_with_bounds_intervals_are_in_braces(rankscale):
    given = ("evaluate", *FILES, "-m", "P@10", "--confidence", "0.95", "--bounds")
    assert "[0.3320, 0.3320] {0.2500, 0.4120}" in rankscale(*given).out
    assert r"[0.3320, 0.3320] \{0.2500, 0.4120\}" in rankscale(*given, "--format", "latex").out


def test_groups_have_intervals(rankscale, written):
    groups = written("groups.txt", " / ".join(f"{topic} {'a' if topic < 121 else 'b'}" for topic in range(101, 151)))
    rows = rankscale(
        "evaluate", *FILES, "-m", "P@10", "--confidence", "0.95", "--groups", groups, "--format", "jsonl"
    ).rows
    for row in rows:
        assert (row["mean_lower"] is None) == (row["group"] == "(macro)")
    x = list(rs.evaluate(FILES[0], FILES[1:], "P@10").by_topic("bm25", "P@10").values())[:20]
    drawn = np.array(x)[np.random.default_rng(0).integers(0, 20, (1000, 20))].mean(axis=1)
    (row,) = (row for row in rows if (row["run"], row["group"]) == ("bm25", "a"))
    assert row["mean_lower"] == pytest.approx(np.quantile(drawn, 0.025), abs=1e-12)


def test_refused(rankscale):
    def refused(*more):
        return rankscale("evaluate", *FILES, "-m", "P@10", *more).refused

    assert "--interval-method is about intervals of means: add --confidence 0.95" in refused("--interval-method", "bca")
    assert "--draws are those of intervals of means and of places" in refused("--draws", "50")
    assert "expected a number from 1, or all, found '0'" in refused("--confidence", "0.9", "--draws", "0")
    assert "all draws of 50 topics are too many" in refused("--confidence", "0.9", "--draws", "all")
    assert "--places goes with means" in refused("--summary", "median", "--places")
    assert "--interval-method is about" in refused(
        "--summary", "median", "--confidence", "0.9", "--interval-method", "bca"
    )


def test_medians_keep_their_confidence(rankscale):
    given = ("evaluate", *FILES, "-m", "P@10", "--summary", "median", "--format", "jsonl")
    narrow, usual = (rankscale(*given, *more).rows for more in (("--confidence", "0.5"), ()))
    assert narrow[0]["lower"] >= usual[0]["lower"]
    assert usual == rankscale(*given, "--confidence", "0.95").rows


def test_places_of_a_comparison(rankscale):
    given = ("compare", *FILES, "-m", "P@10", "--places")
    document = json.loads(rankscale(*given, "--format", "json").out)
    sure = rs.ranking_confidence(rs.evaluate(FILES[0], FILES[1:], "P@10"))
    tested = rs.ranking_confidence(rs.evaluate(FILES[0], FILES[1:], "P@10"), places="tested")
    for row in document["places"]:
        r = sure.runs.index(row["run"])
        assert (row["place_lower"], row["place_upper"]) == (sure.place_lower[0, r], sure.place_upper[0, r])
        assert (row["tested_lower"], row["tested_upper"]) == (tested.place_lower[0, r], tested.place_upper[0, r])
        assert (row["mean_lower"], row["mean_upper"]) == sure.parts[0].intervals[r].percentile
    for form in ("table", "markdown", "latex", "html"):
        assert "first" in rankscale(*given, "--format", form).out
    assert "tsv does not show --places" in rankscale(*given, "--format", "tsv").err
    assert all(
        row["tested_lower"] is None
        for row in json.loads(rankscale(*given, "--correction", "bh", "--format", "json").out)["places"]
    )
    seeded = json.loads(rankscale(*given, "--seed", "5", "--draws", "50", "--format", "json").out)["places"]
    assert seeded != document["places"]
    assert "--draws are those of places: add --places" in rankscale("compare", *FILES, "--draws", "50").refused


def test_advice_equivalence_and_baselines(rankscale):
    advice = rankscale("compare", *FILES, "-m", "P@10", "-m", "AP", "--advise")
    assert advice.out.startswith("P@10: --test two-way (3 runs, 50 topics, 3 pairs)")
    rows = rankscale("compare", *FILES, "-m", "P@10", "--advise", "--format", "jsonl").rows
    assert {row["test"] for row in rows} == {"two-way"}
    rows = rankscale("compare", *FILES, "-m", "P@10", "--equivalence", "0.3", "--format", "jsonl").rows
    assert [row["margin"] for row in rows] == [0.3] * 3
    assert sum(row["equivalent"] for row in rows) >= 1
    assert "a number above 0" in rankscale("compare", *FILES, "--equivalence", "x").refused
    two = rankscale("compare", *FILES, "-m", "P@10", "--baseline", "bm25", "--baseline", "tfidf")
    assert "baseline 1" in two.out
    assert "1 bm25, 2 tfidf" in two.out
    rows = rankscale(
        "compare", *FILES, "-m", "P@10", "--baseline", "bm25", "--baseline", "tfidf", "--format", "jsonl"
    ).rows
    assert [(row["run"], row["other"]) for row in rows] == [("manual", "bm25"), ("manual", "tfidf")]
