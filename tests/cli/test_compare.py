"""`rankscale compare`: every option and every form, on the sample collection."""

import json
import lzma
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from scipy import stats as scipy_stats

import rankscale as rs
from rankscale.sample import QRELS, RUNS
from rankscale.stats.tests.register import known_tests

CHOSEN = [run for run in RUNS if Path(run).name.startswith(("bm25.", "manual", "bm25-ce-pair", "tfidf"))]
FILES = [str(QRELS), *map(str, CHOSEN)]


def test_leaderboard_with_letters_and_verdict(rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "P@10", "-m", "AP")
    head, *lines = out.out.splitlines()
    assert head.split() == ["run", "P@10", "AP"]
    assert [line.split()[0] for line in lines[:4]] == ["bm25-ce-pair", "manual", "bm25", "tfidf"]
    assert "P@10: " in out.out
    assert "Meaningful: P@10 is an interval measure." in out.out
    caution = "Caution: AP is an ordinal measure, so its mean and Student's paired t test assume equal steps."
    assert out.out.count(caution) == 1


def test_p_values_are_those_of_scipy(rankscale: Any) -> None:
    found = rs.evaluate(QRELS, CHOSEN, "AP")
    out = rankscale("compare", *FILES, "-m", "AP", "--correction", "none", "--format", "jsonl")
    rows = [json.loads(line) for line in out.out.splitlines()]
    assert len(rows) == 6
    for row in rows:
        one, other = (list(found.by_topic(row[name], "AP").values()) for name in ("run", "other"))
        expected = scipy_stats.ttest_rel(one, other)
        assert row["p"] == pytest.approx(expected.pvalue, rel=1e-12)
        assert row["difference"] == pytest.approx(sum(one) / 50 - sum(other) / 50, abs=1e-14)
        low, high = expected.confidence_interval(0.95)
        assert (row["lower"], row["upper"]) == (pytest.approx(low, rel=1e-10), pytest.approx(high, rel=1e-10))


@pytest.mark.parametrize("form", ["tsv", "csv", "json", "jsonl", "latex", "markdown", "html", "table"])
def test_every_form(form: str, rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "nDCG@10", "--test", "two-way", "--format", form)
    assert out.code == 0
    assert "bm25" in out.out
    if form == "json":
        document = json.loads(out.out)
        assert document["comparisons"][0]["test"] == "two-way"
        assert len(document["rows"]) == 6
    if form == "latex":
        assert r"\textsuperscript{a}" in out.out
        assert r"\textbf{0.5787}" in out.out
    if form == "markdown":
        assert "**0.5787**<sup>a</sup>" in out.out


def test_parquet_goes_to_a_file(rankscale: Any, tmp_path: Path) -> None:
    rankscale("compare", *FILES, "-m", "AP", "-m", "P@10", "-o", tmp_path / "pairs.parquet")
    frame = pl.read_parquet(tmp_path / "pairs.parquet")
    assert frame.height == 12
    assert set(frame["measure"]) == {"AP", "P@10"}


@pytest.mark.parametrize("test", known_tests())
def test_every_test(test: str, rankscale: Any) -> None:
    with_one = ("--baseline", "bm25") if known_tests()[test].needs_baseline else ()
    out = rankscale("compare", *FILES, "-m", "P@10", "-t", test, "--matrix", "--pairs", *with_one)
    assert out.code == 0
    assert "pairs differ significantly" in out.out
    matrix = [
        line for line in out.out.splitlines() if set(line.split()[-1:] or [""]) and line.endswith(("=", ">", "<", "."))
    ]
    assert matrix


def test_each_run_against_a_baseline(rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "P@10", "--baseline", "bm25")
    lines = {line.split()[0]: line for line in out.out.splitlines()[1:5]}
    assert lines["bm25"].endswith("baseline")
    assert lines["manual"].endswith("*")
    assert "of 3 pairs" in out.out


def test_seeds_decide_about_draws(rankscale: Any) -> None:
    asked = ["compare", *FILES, "-m", "AP", "-t", "bootstrap", "--samples", "200", "--format", "tsv"]
    first, again, other = (rankscale(*asked, "--seed", seed).out for seed in ("1", "1", "2"))
    assert first == again != other


def test_too_few_draws_are_said(rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "AP", "-t", "bootstrap", "--samples", "50")
    assert "50 samples are too few for 6 pairs" in out.err


def test_statements_say_what_may_be_said(rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "P@10", "--statements")
    assert "topic by topic" in out.out
    document = json.loads(rankscale("compare", *FILES, "-m", "P@10", "--statements", "--format", "json").out)
    assert document["statements"]


def test_statements_read_standard_input_once(rankscale: Any, program: Any) -> None:
    asked = ("-m", "P@10", "--statements", "--depth", "5")
    piped = program("compare", FILES[0], "-", *FILES[2:], *asked, stdin=lzma.decompress(Path(FILES[1]).read_bytes()))
    assert piped.out == rankscale("compare", *FILES, *asked).out


def test_topics_for_a_next_experiment(rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "P@10", "--plan", "0.05").out
    assert "to find a difference of 0.05 with power 0.8" in out
    stated = "(alpha 0.05, one comparison without correction, variances pooled over all pairs of"
    assert stated in out
    assert "topics for Student's paired t test of two runs, two-sided," in out
    assert "That a candidate is not worse by a margin is another question, one-sided" in out


def test_topics_for_a_share_of_a_mean(rankscale: Any) -> None:
    means = {row["run"]: row["value"] for row in rankscale("evaluate", *FILES, "-m", "P@10", "--format", "jsonl").rows}
    best, other = max(means, key=means.__getitem__), min(means, key=means.__getitem__)
    for run, options in ((best, ()), (other, ("--baseline", other))):
        planned = rankscale("compare", *FILES, "-m", "P@10", "--plan", "2%", "--format", "json", *options).out
        (plan,) = json.loads(planned)["plans"]
        assert plan["difference"] == pytest.approx(0.02 * means[run], rel=1e-12)
        assert plan["share_of"] == f"2% of the mean of {run}"
        (same,) = json.loads(
            rankscale("compare", *FILES, "-m", "P@10", "--plan", repr(plan["difference"]), "--format", "json").out
        )["plans"]
        assert {**same, "share_of": plan["share_of"]} == plan


@pytest.mark.parametrize("text", ["0", "-0.1", "0%", "100%", "x", "2 percent", "inf"])
def test_differences_that_nothing_can_be_planned_for(text: str, rankscale: Any) -> None:
    message = "expected a number above 0 such as 0.01, or a percentage of a mean such as 2%, found"
    assert message in rankscale("compare", *FILES, "-m", "P@10", "--plan", text).refused


def test_standardised_first(rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "P@10", "--standardise", "z")
    assert out.out.splitlines()[0].split() == ["run", "z(P@10)"]
    assert "z-scores" in out.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-t", "guess"], "unknown test 'guess'"),
        (["--baseline", "nope"], "unknown run 'nope'"),
        (["-t", "friedman", "--correction", "bh"], "corrects for all pairs by itself"),
        (["-t", "student", "--df", "infinite"], "has no setting df"),
        (["--alpha", "2"], "between 0 and 1"),
        (["-o", "x.pdf"], "unknown ending"),
    ],
)
def test_bad_input_is_refused(options: list[str], message: str, rankscale: Any) -> None:
    out = rankscale("compare", *FILES, "-m", "AP", *options)
    assert out.code == 2
    assert message in out.err
    assert out.out == ""


def test_one_run_is_refused(rankscale: Any) -> None:
    out = rankscale("compare", FILES[0], FILES[1], "-m", "AP")
    assert out.code == 2
    assert "two or more are needed, got 1" in out.err
