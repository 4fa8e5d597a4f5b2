"""Data sets on the command line: partitioned, evaluated, compared, and refused in words."""

import pytest
from pyarrow import parquet

import rankscale as rs
from rankscale.sample import QRELS, RUNS

FILES = [str(run) for run in RUNS if any(name in str(run) for name in ("bm25.", "dense-zero", "manual"))]


@pytest.fixture(scope="module")
def sets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets")
    rs.partition(str(QRELS), folder / "qrels", partitions=5)
    for place, run in enumerate(FILES):
        rs.partition(run, folder / f"run{place}", like=folder / "qrels")
    return [str(folder / "qrels"), *(str(folder / f"run{place}") for place in range(len(FILES)))]


def test_a_data_set_is_written(rankscale, tmp_path):
    made = rankscale("convert", str(QRELS), tmp_path / "qrels", "--partition-by", "topic", "--partitions", "3")
    assert made.err == f"{QRELS}: 6474 judgments of 50 topics written as 3 partitions by hash\n"
    made = rankscale("convert", FILES[0], tmp_path / "run", "--partition-by", "topic", "--like", tmp_path / "qrels")
    assert made.code == 0
    assert "50 topics written as 3 partitions by hash" in made.err
    ranges = ("--partition-by", "topic", "--partitioning", "range", "--partitions", "4")
    assert "4 partitions by range" in rankscale("convert", FILES[0], tmp_path / "ranges", *ranges).err


@pytest.mark.parametrize("form", [(), ("--format", "csv"), ("--wide", "--format", "csv"), ("--format", "json")])
def test_means_are_those_of_files(rankscale, sets, form):
    given = ("-m", "AP", "-m", "nDCG@10", *form)
    ours, theirs = rankscale("evaluate", *sets, *given), rankscale("evaluate", str(QRELS), *FILES, *given)
    if "json" in form:
        ours_text, theirs_text = (text.out.partition('"runs"')[2] for text in (ours, theirs))
        assert ours_text.partition('"sources"')[0] == theirs_text.partition('"sources"')[0]
    else:
        assert ours.out == theirs.out


def test_values_by_topic_are_written_as_they_come(rankscale, sets, tmp_path):
    ours = rankscale("evaluate", *sets, "-m", "AP", "--per-topic", "--format", "tsv").out.splitlines()
    theirs = rankscale("evaluate", str(QRELS), *FILES, "-m", "AP", "--per-topic", "--format", "tsv").out.splitlines()
    assert sorted(ours) == sorted(theirs)
    rankscale("evaluate", *sets, "-m", "AP", "-o", tmp_path / "values.parquet")
    rankscale("evaluate", str(QRELS), *FILES, "-m", "AP", "-o", tmp_path / "other.parquet")
    ours, theirs = (parquet.read_table(tmp_path / name).to_pylist() for name in ("values.parquet", "other.parquet"))
    assert sorted(map(str, ours)) == sorted(map(str, theirs))


@pytest.mark.parametrize(
    "more", [("--summary", "median"), ("--per-topic",), ("--confidence", "0.9"), ("--bounds", "-m", "P@5")]
)
def test_what_needs_all_values_is_that_of_files(rankscale, sets, more):
    ours, theirs = (rankscale("evaluate", *files, "-m", "P@10", *more).out for files in (sets, [str(QRELS), *FILES]))
    assert ours == theirs


@pytest.mark.parametrize("test", ["student", "sign", "two-way", "signed rank"])
def test_runs_are_compared_as_files_are(rankscale, sets, test):
    given = ("-m", "RBP(p=0.5)", "--test", test, "--format", "csv")
    assert rankscale("compare", *sets, *given).out == rankscale("compare", str(QRELS), *FILES, *given).out


def test_misuse_is_refused_in_words(rankscale, sets, tmp_path):
    said = rankscale("compare", *sets, "-m", "AP", "--test", "signed rank", "--max-memory", "1K").refused
    assert "allow more with --max-memory" in said
    said = rankscale("evaluate", sets[0], FILES[0], "-m", "AP").refused
    assert f"rankscale convert {FILES[0]} OUT --partition-by topic --like {sets[0]}" in said
    said = rankscale("convert", FILES[0], tmp_path / "run", "--partitions", "3").refused
    assert "--partitions is for data sets: add --partition-by topic" in said
    said = rankscale("convert", FILES[0], tmp_path / "run", "--partition-by", "topic", "--depth", "5").refused
    assert "partitioning keeps rows as they are" in said
    said = rankscale("convert", FILES[0], tmp_path / "run", "--partition-by", "topic", "--to", "csv").refused
    assert "leave out --to" in said
    assert not (tmp_path / "run").exists()
