"""`evaluate --wide`: one row for each run, one column for each measure, read by other programs."""

import csv
import io
import json

import pytest
from pyarrow import parquet

MEASURES = ("-m", "AP", "-m", "P@2", "-m", "ASL")
# AP of good is (1/2 + 2/3)/2 = 7/12 and 1/3, of part 1/2 and 0; P@2 1/2 and 0, 1/2 and 0; ASL only where defined.
AP = {"good": (7 / 12 + 1 / 3) / 2, "part": 1 / 4}


@pytest.fixture
def rows(rankscale, qrels, good, part):
    def read(*more, form="csv"):
        made = rankscale("evaluate", qrels, good, part, *MEASURES, "--wide", "--format", form, *more)
        assert made.code == 0, made.err
        return made.out

    return read


def test_every_form_has_the_same_rows(rows, rankscale, qrels, good, part, tmp_path):
    for form, separator in (("csv", ","), ("tsv", "\t")):
        table = [*csv.DictReader(io.StringIO(rows(form=form)), delimiter=separator)]
        assert [list(row) for row in table] == [["run", "topics", "AP", "P@2", "ASL"]] * 2
        assert {row["run"]: float(row["AP"]) for row in table} == pytest.approx(AP, abs=1e-15)
        assert [row["topics"] for row in table] == ["2", "2"]
    document = json.loads(rows(form="json"))
    assert document["measures"] == ["AP", "P@2", "ASL"]
    assert {row["run"]: row["AP"] for row in document["rows"]} == pytest.approx(AP, abs=1e-15)
    assert [json.loads(line) for line in rows(form="jsonl").splitlines()] == document["rows"]
    rankscale("evaluate", qrels, good, part, *MEASURES, "--wide", "-o", tmp_path / "wide.parquet")
    assert parquet.read_table(tmp_path / "wide.parquet").to_pylist() == document["rows"]


def test_people_see_the_same_with_and_without(rankscale, qrels, good, part):
    for form in ("table", "markdown", "latex", "html"):
        wide, plain = (
            rankscale("evaluate", qrels, good, part, *MEASURES, "--bounds", "--format", form, *more).out
            for more in (["--wide"], [])
        )
        assert wide == plain


def test_bounds_have_columns_of_their_own(rows):
    (good, _) = csv.DictReader(io.StringIO(rows("--bounds")))
    assert list(good)[:8] == ["run", "topics", "AP", "AP_lower", "AP_upper", "P@2", "P@2_lower", "P@2_upper"]
    assert (float(good["P@2_lower"]), float(good["P@2_upper"])) == (0.25, 0.75)  # x and d are unjudged


def test_refused_with_topics_and_other_summaries(rankscale, qrels, good):
    refused = rankscale("evaluate", qrels, good, "--wide", "--per-topic").refused
    assert "--wide writes one row for each run, and --per-topic one for each topic: leave one out" in refused
    assert "--wide goes with means" in rankscale("evaluate", qrels, good, "--wide", "--summary", "median").refused
