"""`rankscale robustness`: the study on the sample collection, in every form, and what it refuses."""

import json
from pathlib import Path

import polars as pl
import pytest

import rankscale as rs
from rankscale.sample import __file__ as sample

SAMPLE = Path(sample).parent
FILES = (SAMPLE / "qrels.txt.xz", *sorted((SAMPLE / "runs").iterdir()))
SHORT = ("--sizes", "50,10", "--iterations", "2")


def test_a_table_for_people(rankscale):
    found = rankscale("robustness", *FILES, "-m", "AP", "-m", "P@10", *SHORT)
    assert found.code == 0
    expected = rs.robustness(FILES[0], [str(path) for path in FILES[1:]], ["AP", "P@10"], sizes=[50, 10], iterations=2)
    assert found.out == expected.text() + "\n"
    assert found.words[0] == ["kept", "judgments", "AP", "P@10"]
    assert [line[0] for line in found.words[1:3]] == ["50%", "10%"]


def test_depths_of_the_pool_and_chosen_runs(rankscale):
    asked = ("-m", "AP", "--sampling", "depth", "--sizes", "10", "--pooled", "bm25", "--pooled", "tfidf")
    found = rankscale("robustness", *FILES, *asked)
    assert found.words[0] == ["depth", "judgments", "AP"]
    assert found.words[1][0] == "10"
    assert "iterations" not in found.out


def test_every_form_holds_the_same_numbers(rankscale, tmp_path):
    asked = ("robustness", *FILES, "-m", "AP", *SHORT)
    document = json.loads(rankscale(*asked, "--format", "json").out)
    assert document["settings"]["seed"] == 0
    assert document["signature"].startswith("study:robustness|sampling:stratified|rel:1|sizes:50,10|iterations:2|")
    assert {"means", "iterations"} <= set(document)
    lines = [json.loads(line) for line in rankscale(*asked, "--format", "jsonl").out.splitlines()]
    assert lines == document["rows"]
    header, *rows = (line.split("\t") for line in rankscale(*asked, "--format", "tsv").out.splitlines())
    assert [float(row[header.index("tau")]) for row in rows] == [line["tau"] for line in lines]
    path = tmp_path / "tau.parquet"
    assert rankscale(*asked, "-o", path).code == 0
    assert pl.read_parquet(path).to_dicts() == lines
    means = [json.loads(line) for line in rankscale(*asked, "--format", "jsonl", "--table", "means").out.splitlines()]
    assert means == document["means"]


def test_the_same_bytes_whatever_the_number_of_threads(rankscale):
    asked = ("robustness", *FILES, "-m", "AP", *SHORT, "--format", "json")
    one, two = (rankscale(*asked, "--threads", threads).raw for threads in (1, 2))
    assert one == two
    assert rankscale(*asked, "--seed", "1").raw != one


def test_power_and_the_best_runs(rankscale):
    asked = ("-m", "AP", "--sizes", "50", "--iterations", "1", "--top", "0.25")
    found = rankscale("robustness", *FILES, *asked, "--power", "bootstrap", "--samples", "50", "--table", "power")
    assert found.words[0] == ["measure", "size", "judgments", "power", "deviation"]
    assert len(found.words) == 3


def test_rel_goes_to_measures_and_samples(rankscale):
    found = rankscale("robustness", *FILES, "-m", "AP", "--rel", "2", *SHORT, "--format", "json")
    document = json.loads(found.out)
    assert document["measures"] == ["AP(rel=2)"]
    assert document["settings"]["rel"] == "2"


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--sizes", "0"), "keeps a percentage, from 1 to 100 (50 is half); got 0"),
        (("--sizes", "many"), "expected numbers such as 0.5,0.95, found 'many'"),
        (("--sampling", "often"), "'often' is not one of"),
        (("--table", "power"), "--table power needs --power"),
        (("--pooled", "bm25"), "it goes with --sampling depth"),
        (("--sampling", "depth", "--pooled", "nobody"), "unknown run 'nobody'"),
        (("--format", "parquet"), "Parquet goes to a file"),
        (("-m", "nDGC"), "did you mean nDCG?"),
    ],
)
def test_bad_input(rankscale, asked, words):
    found = rankscale("robustness", *FILES[:4], *asked)
    assert (found.code, found.out) == (2, "")
    assert words in found.err
