"""Data sets on the command line: partitioned, evaluated, compared, and refused in words."""

import lzma
import re

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


@pytest.fixture(scope="module")
def tied(tmp_path_factory):
    """A run with many ties, and one that is not of this collection: files, and the same as data sets."""
    folder = tmp_path_factory.mktemp("tied")
    with lzma.open(FILES[0], "rt") as run:
        rows = [line.split() for line in run]
    lines = (
        f"{topic} Q0 {document} {rank} {-(int(rank) // 7)} tied\n"
        for topic, _, document, rank, _, _ in rows
        if int(rank) <= 40 and topic != rows[0][0]
    )
    (folder / "tied.txt").write_text("".join(lines))
    rs.write_run({"another": {"a": 1.0}}, folder / "strange.txt", name="strange")
    rs.partition(str(QRELS), folder / "qrels", partitions=5)
    for name, of in (("tied", folder / "tied.txt"), ("bm25", FILES[0]), ("strange", folder / "strange.txt")):
        rs.partition(of, folder / name, like=folder / "qrels")
    files = [str(QRELS), str(folder / "tied.txt"), FILES[0]]
    return files, [str(folder / name) for name in ("qrels", "tied", "bm25")], folder


UNCERTAIN = [
    ("--bounds",),
    ("--ties", "range"),
    ("--ties", "expected", "--bounds"),
    ("--ties", "expected", "--tie-orders", "20", "--seed", "3", "--depth", "30"),
    ("--ties", "range", "--tie-orders", "20", "--missing", "skip"),
]


@pytest.mark.parametrize("more", UNCERTAIN, ids=" ".join)
@pytest.mark.parametrize("form", ["csv", "json", "tsv"])
def test_bounds_and_ties_are_those_of_files(rankscale, tied, more, form):
    files, sets, _ = tied
    given = ("-m", "RBP(p=0.5)", "-m", "AP", "-m", "Twist@10", "-m", "P@5", *more, "--format", form)
    ours, theirs = (rankscale("evaluate", *of, *given).out for of in (sets, files))
    if form == "json":
        ours, theirs = (text.partition('"runs"')[2].partition('"sources"')[0] for text in (ours, theirs))
    assert ours == theirs
    if form == "tsv":
        ours, theirs = (rankscale("evaluate", *of, *given, "--per-topic").out for of in (sets, files))
        assert sorted(ours.splitlines()) == sorted(theirs.splitlines())
        assert ours.splitlines()[0] == theirs.splitlines()[0]


def test_bounds_and_ties_are_in_files_of_values(rankscale, tied, tmp_path):
    files, sets, _ = tied
    given = ("-m", "AP", "-m", "P@5", "-m", "Twist@10", "--ties", "expected", "--tie-orders", "20", "--bounds")
    tables = []
    for name, of in (("ours", sets), ("theirs", files)):
        rankscale("evaluate", *of, *given, "-o", tmp_path / f"{name}.parquet")
        tables.append(parquet.read_table(tmp_path / f"{name}.parquet"))
    ours, theirs = tables
    assert ours.schema.names == theirs.schema.names
    assert {"lower", "upper", "ties_error"} <= {*ours.schema.names}
    assert sorted(map(str, ours.to_pylist())) == sorted(map(str, theirs.to_pylist()))
    assert rs.read_values(tmp_path / "ours.parquet").signature == rs.read_values(tmp_path / "theirs.parquet").signature


@pytest.mark.parametrize("more", [("--confidence", "0.9"), ("--summary", "median"), ("--per-topic",)], ids=" ".join)
def test_what_needs_all_values_takes_bounds_and_ties(rankscale, tied, more):
    files, sets, _ = tied
    ties = () if "--summary" in more else ("--ties", "range", "--bounds")
    given = ("-m", "P@5", *ties, *more)
    assert rankscale("evaluate", *sets, *given).out == rankscale("evaluate", *files, *given).out


def test_runs_that_cannot_be_measured_are_left_out_and_named(rankscale, tied, tmp_path):
    files, sets, folder = tied
    broken = tmp_path / "broken"
    broken.mkdir()
    for file in (folder / "tied").iterdir():
        (broken / file.name).write_bytes(file.read_bytes() if file.suffix == ".json" else b"PAR1 broken PAR1")
    bad = (str(folder / "strange"), str(broken), files[1])
    for more in ((), ("--per-topic", "--format", "tsv"), ("--confidence", "0.9"), ("--executor", "processes:2")):
        made = rankscale("evaluate", *sets, *bad, "-m", "P@5", "--skip-bad", *more)
        alone = rankscale("evaluate", *sets, "-m", "P@5", *more)
        assert (made.code, alone.code) == (1, 0)
        assert made.out == alone.out
        assert f"left out: {folder}/strange: no topic in common with {folder}/qrels" in made.err
        assert f"left out: {broken}/part-0000" in made.err
        assert f"left out: {files[1]}: expected a data set that is partitioned by topic" in made.err
    assert "no run can be measured; of the first: " in rankscale("evaluate", sets[0], *bad, "--skip-bad").refused
    said = rankscale("evaluate", sets[0], str(tmp_path / "nowhere"), "--skip-bad").refused
    assert "there is no such folder" in said


@pytest.mark.parametrize("form", ["table", "json"])
@pytest.mark.parametrize("more", [(), ("--summary", "median"), ("--baseline", "tied", "--judged-only")], ids=" ".join)
def test_statements_are_those_of_files(rankscale, tied, more, form):
    files, sets, _ = tied
    given = ("-m", "P@10", "-m", "RBP(p=0.5)@5", "-m", "AP", "--statements", *more, "--format", form)
    ours, theirs = (rankscale("compare", *of, *given) for of in (sets, files))
    assert ours.code == theirs.code == 0
    assert without_sources(ours.out) == without_sources(theirs.out)


def without_sources(text: str) -> str:
    """The same but for the files that results are from."""
    return re.sub(r'"sources": \[[^]]*\]', "", text)
