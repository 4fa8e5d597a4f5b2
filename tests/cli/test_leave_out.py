"""`rankscale leave-out`: the study on the sample collection, in every form, and what it refuses."""

import json
from pathlib import Path

import polars as pl
import pytest

import rankscale as rs
from rankscale.sample import __file__ as sample

SAMPLE = Path(sample).parent
FILES = (SAMPLE / "qrels.txt.xz", *sorted((SAMPLE / "runs").iterdir())[:6])


def test_tables_for_people(rankscale):
    found = rankscale("leave-out", *FILES, "--pool-depth", "10")
    assert found.code == 0
    expected = rs.leave_out(FILES[0], [str(path) for path in FILES[1:]], "AP", pool_depth=10)
    assert found.out == expected.text() + "\n"
    assert found.out.startswith("measure  run")
    assert "only it brought to the pool of 6 runs at depth 10" in found.out


def test_groups(rankscale, tmp_path):
    names = [run.name for run in rs.read_runs(FILES[0], [str(path) for path in FILES[1:]])]
    path = tmp_path / "groups.txt"
    path.write_text("".join(f"{name} {name.split('-')[1]}\n" for name in names))
    found = rankscale("leave-out", *FILES, "--groups", path)
    assert found.words[0][:3] == ["measure", "run", "group"]
    assert "only its group brought" in found.out


def test_every_form_holds_the_same_numbers(rankscale, tmp_path):
    asked = ("leave-out", *FILES, "-m", "AP", "-m", "P@10")
    document = json.loads(rankscale(*asked, "--format", "json").out)
    assert document["settings"]["pool-depth"] == 100
    assert len(document["summary"]) == 2
    lines = [json.loads(line) for line in rankscale(*asked, "--format", "jsonl").out.splitlines()]
    assert lines == document["rows"]
    path = tmp_path / "runs.parquet"
    assert rankscale(*asked, "-o", path).code == 0
    assert pl.read_parquet(path).to_dicts() == lines
    header, *rows = (line.split("\t") for line in rankscale(*asked, "--format", "tsv").out.splitlines())
    assert [float(row[header.index("without")]) for row in rows] == [line["without"] for line in lines]
    one, two = (rankscale(*asked, "--format", "json", "--threads", threads).raw for threads in (1, 2))
    assert one == two


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--pool-depth", "0"), "0 is not in the range"),
        (("--pooled", "nobody"), "unknown run 'nobody'"),
        (("--groups", "nowhere.txt"), "nowhere.txt"),
        (("--table", "places"), "'places' is not one of"),
    ],
)
def test_bad_input(rankscale, asked, words):
    found = rankscale("leave-out", *FILES, *asked)
    assert (found.code, found.out) == (2, "")
    assert words in found.err
