"""`rankscale convert`: runs and qrels in other forms."""

import csv
import json

import pytest
from pyarrow import parquet

import rankscale as rs


def test_a_run_into_every_form(rankscale, good, tmp_path):
    made = rankscale("convert", good, tmp_path / "run.csv")
    count = len(good.read_text().splitlines())
    assert (made.code, made.out) == (0, "")
    assert made.err == f"{good}: read as TREC run; {count} documents written as csv\n"
    with open(tmp_path / "run.csv", newline="") as file:
        rows = [*csv.DictReader(file)]
    assert {row["run"] for row in rows} == {"good"}
    rankscale("convert", good, tmp_path / "run.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert [{name: str(cell) for name, cell in line.items()} for line in lines] == rows
    rankscale("convert", good, tmp_path / "run.parquet")
    assert parquet.read_table(tmp_path / "run.parquet").to_pylist() == lines
    short = rankscale("convert", good, "-", "--to", "msmarco", "--depth", "1")
    assert short.out == "".join(f"{row['topic']}\t{row['document']}\t1\n" for row in lines if row["rank"] == 1)


def test_measured_values_stay(rankscale, qrels, good, tmp_path):
    rankscale("convert", good, tmp_path / "again.txt.gz")
    for measure in ("AP", "nDCG@10"):
        values = [rs.evaluate(str(qrels), str(path), measure).values for path in (good, tmp_path / "again.txt.gz")]
        assert (values[0] == values[1]).all()


def test_qrels_by_their_columns(rankscale, qrels, tmp_path):
    made = rankscale("convert", qrels, tmp_path / "qrels.tsv")
    assert made.err == f"{qrels}: read as TREC qrels; 5 judgments written as tsv\n"
    assert (tmp_path / "qrels.tsv").read_text().splitlines()[0] == "topic\tdocument\tgrade"
    refused = rankscale("convert", qrels, tmp_path / "other.tsv", "--depth", "3").refused
    assert "qrels take no depth, which go with runs" in refused
    assert not (tmp_path / "other.tsv").exists()


def test_standard_input_and_output(good, program):
    text = program("convert", "-", "-", "--to", "tsv", stdin=good.read_bytes())
    assert text.out.splitlines()[0].split("\t") == ["topic", "document", "rank", "score", "run"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 a\n", "expected: topic Q0 document rank score tag, found 2 columns"),
        ("", "found no line at all"),
        ("1 Q0 a 1 2 t\n1 Q0 a 2 1 t\n", "line 2: document a stands a second time in topic 1"),
        ("1 Q0 a 1 2 t\n1 Q0 b 2 x t\n", "line 2, column 10: expected a number as score, found x"),
    ],
)
def test_other_files_are_refused_with_their_line(rankscale, content, message, tmp_path):
    (tmp_path / "in").write_text(content)
    assert message in rankscale("convert", tmp_path / "in", tmp_path / "out.csv").refused
    assert not (tmp_path / "out.csv").exists()


def test_formulas_are_reported(rankscale, tmp_path):
    (tmp_path / "in").write_text("1 Q0 =1+1 1 2 t\n")
    made = rankscale("convert", tmp_path / "in", tmp_path / "out.csv")
    assert "(cells: 1); --formulas keep keeps them as they are" in made.err
    assert "1,'=1+1,1,2.0,t" in (tmp_path / "out.csv").read_text()
    kept = rankscale("convert", tmp_path / "in", tmp_path / "out.csv", "--formulas", "keep")
    assert "apostrophe" not in kept.err
    assert "1,=1+1,1,2.0,t" in (tmp_path / "out.csv").read_text()


def test_what_is_no_file_is_named(rankscale, tmp_path):
    assert "there is no such file" in rankscale("convert", tmp_path / "none", tmp_path / "out.csv").refused
    assert "there is no file in this folder" in rankscale("convert", tmp_path, tmp_path / "out.csv").refused
