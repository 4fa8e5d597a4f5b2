"""Runs and qrels that are written: other readers (csv, json, pyarrow) and our own give back what went in."""

import bz2
import csv
import gzip
import io
import json
import lzma
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import rankscale as rs

COLUMNS = ["topic", "document", "rank", "score", "run"]
RUN = {"2": {"x": 1.0}, "1": {"a": 0.1, "b": 2.5, "c": 2.5}}
ROWS = [["1", "c", 1, 2.5, "mine"], ["1", "b", 2, 2.5, "mine"], ["1", "a", 3, 0.1, "mine"], ["2", "x", 1, 1.0, "mine"]]
# Everything that a form could trip over, but for NUL; formulas of spreadsheets have a test of their own.
NAMES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=6
) | st.sampled_from(
    ['"', '""', "a,b", "a\tb", "a\nb", "\r", " a ", "é", "\u2028", "\\", "'a'", "=1+1", "-1", "@x", "{}", "null", "1e5"]
)
WORDS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0 \t\n\r\x0b\x0c"), min_size=1, max_size=6
).filter(lambda name: name[0] not in "#\ufeff")
SCORES = st.floats(allow_nan=False, allow_infinity=False)


def runs_of(names):
    return st.dictionaries(names, st.dictionaries(names, SCORES, min_size=1, max_size=4), min_size=1, max_size=3)


def measured_order(ranking):
    """By single-precision score, then by name, both from the highest: as trec_eval has it."""
    with np.errstate(over="ignore"):
        keyed = [(float(np.float32(score)), name.encode(), name) for name, score in ranking.items()]
    return [name for *_, name in sorted(keyed, reverse=True)]


def rows_of(run, tag):
    return [
        [topic, name, rank, run[topic][name], tag]
        for topic in sorted(run, key=str.encode)
        for rank, name in enumerate(measured_order(run[topic]), start=1)
    ]


def read_back(path: Path, form: str):
    """Rows by the standard library and pyarrow."""
    if form == "parquet":
        table = parquet.read_table(path)
        assert table.column_names == COLUMNS
        return [list(row.values()) for row in table.to_pylist()]
    text = path.read_bytes().decode()
    if form == "jsonl":
        rows = [json.loads(line) for line in text.split("\n")[:-1]]
        assert all(list(row) == COLUMNS for row in rows)
        return [list(row.values()) for row in rows]
    header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter="," if form == "csv" else "\t")
    assert header == COLUMNS
    return [[topic, name, int(rank), float(score), tag] for topic, name, rank, score, tag in rows]


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl", "parquet"])
@settings(max_examples=60, deadline=None)
@given(run=runs_of(NAMES), tag=NAMES)
def test_any_name_comes_back_from_forms_with_columns(form, run, tag):
    with TemporaryDirectory() as folder:
        path = Path(folder, f"run.{form}")
        rs.write_run(run, path, name=tag, formulas="keep")
        assert read_back(path, form) == rows_of(run, tag)


@settings(max_examples=60, deadline=None)
@given(run=runs_of(WORDS), tag=WORDS)
def test_trec_runs_are_read_again_with_the_same_order_and_scores(run, tag):
    with TemporaryDirectory() as folder:
        path = Path(folder, "run.txt")
        rs.write_run(run, path, name=tag)
        lines = [[word.decode() for word in line.split()] for line in path.read_bytes().split(b"\n")[:-1]]
        assert [[topic, name, int(rank), float(score), of] for topic, _, name, rank, score, of in lines] == rows_of(
            run, tag
        )
        qrels = rs.read_qrels({topic: {"?": 0} for topic in run})
        again = rs.read_run(qrels, str(path), keep_documents=True)
        assert again.name == tag
        assert again.documents is not None
        assert dict(zip(qrels.topics, map(list, again.documents), strict=True)) == {
            topic: measured_order(run[topic]) for topic in run
        }


@settings(max_examples=60, deadline=None)
@given(qrels=st.dictionaries(NAMES, st.dictionaries(NAMES, st.integers(-2, 4), min_size=1), min_size=1, max_size=3))
def test_qrels_of_any_name_come_back(qrels):
    rows = sorted((topic, name, grade) for topic, grades in qrels.items() for name, grade in grades.items())
    with TemporaryDirectory() as folder:
        for form in ("csv", "jsonl", "parquet"):
            path = Path(folder, f"qrels.{form}")
            rs.write_qrels(qrels, path, formulas="keep")
            if form == "csv":
                header, *cells = csv.reader(io.StringIO(path.read_bytes().decode(), newline=""))
                assert header == ["topic", "document", "grade"]
                back = [(topic, name, int(grade)) for topic, name, grade in cells]
            elif form == "jsonl":
                back = [tuple(json.loads(line).values()) for line in path.read_bytes().decode().split("\n")[:-1]]
            else:
                table = parquet.read_table(path)
                assert table.schema.field("grade").type == pa.int64()
                assert rs.read_qrels(table).to_dict() == {
                    topic: {name: float(grade) for name, grade in grades.items()} for topic, grades in qrels.items()
                }
                back = [tuple(row.values()) for row in table.to_pylist()]
            assert sorted(back) == rows


@pytest.mark.parametrize("form", ["trec", "csv", "jsonl", "parquet"])
@pytest.mark.parametrize(
    ("merge", "grades"), [("max", {"a": 3, "b": 1}), ("min", {"a": 0, "b": 1}), ("mean", {"a": 1.5, "b": 1})]
)
def test_what_was_read_to_be_merged_is_written_merged(merge, grades, form, tmp_path):
    source, path = b"1 x a 3\n1 y a 0\n1 x b 1\n", tmp_path / f"qrels.{form}"
    rs.write_qrels(rs.read_qrels(source, merge=merge), path, form)
    back = rs.read_qrels(path)
    assert (back.aspects, back.to_dict()) == (None, {"1": grades})
    if form == "trec":
        assert {line.split()[1] for line in path.read_text().splitlines()} == {"0"}
    rs.write_qrels(rs.read_qrels(source), path, form)  # without a rule all grades are kept
    assert sorted(rs.read_qrels(path).judgments_by_aspect()) == [
        ("x", "1", "a", 3.0), ("x", "1", "b", 1.0), ("y", "1", "a", 0.0)]  # fmt: skip


FRAME = {
    "qid": ["2", "1", "1", "1"],
    "docno": ["x", "a", "b", "c"],
    "score": [1.0, 0.1, 2.5, 2.5],
}


@pytest.mark.parametrize(
    "run",
    [
        RUN,
        pd.DataFrame(FRAME),
        pl.DataFrame(FRAME),
        pa.table(FRAME),
        pa.table(FRAME).to_reader(),
        b"2 Q0 x 9 1 mine\n# a comment\n\n1 Q0 a 1 0.1 mine\n1 Q0 b 1 2.5 mine\n1 Q0 c 1 2.5 mine\n",
        b"1 Q0 a 1 0.1 mine\n2 Q0 x 9 1 mine\n1 Q0 b 1 2.5 mine\n1 Q0 c 1 2.5 mine\n",  # topics are scattered
    ],
    ids=["dict", "pandas", "polars", "arrow", "reader", "file", "scattered file"],
)
def test_every_source_gives_the_same_rows(run, tmp_path):
    path = tmp_path / "run.jsonl"
    rs.write_run(run, path, name="mine")
    assert sorted(read_back(path, "jsonl"), key=lambda row: row[0]) == ROWS  # files keep the order of topics


def test_a_run_that_was_read_keeps_its_order(tmp_path):
    qrels = rs.read_qrels({"1": {"a": 1}, "2": {"x": 0}})
    run = rs.read_run(qrels, RUN, name="mine", keep_documents=True)
    rs.write_run(run, str(tmp_path / "run.txt"), qrels=qrels)
    assert (tmp_path / "run.txt").read_text().splitlines() == [
        "1 Q0 c 1 3.0 mine",
        "1 Q0 b 2 2.0 mine",
        "1 Q0 a 3 1.0 mine",
        "2 Q0 x 1 1.0 mine",
    ]
    assert rs.read_run(qrels, str(tmp_path / "run.txt"), keep_documents=True).documents == run.documents
    with pytest.raises(rs.errors.InputError, match=r"has its topics' names in its qrels: give them"):
        rs.write_run(run, tmp_path / "other.txt")
    with pytest.raises(rs.errors.InputError, match="judged with other qrels"):
        rs.write_run(run, tmp_path / "other.txt", qrels={"1": {"b": 1}})
    with pytest.raises(rs.errors.InputError, match="keep_documents=True"):
        rs.write_run(rs.read_run(qrels, RUN), tmp_path / "other.txt", qrels=qrels)
    assert not (tmp_path / "other.txt").exists()


def test_the_rank_column_or_the_file_can_order(tmp_path):
    text = b"1 Q0 a 1 1 mine\n1 Q0 b 2 2 mine\n1 Q0 c 10 3 mine\n"  # scores that are the rank itself
    for order in ("rank", "file"):
        rs.write_run(text, tmp_path / "run.txt", order=order)
        assert (tmp_path / "run.txt").read_text() == "1 Q0 a 1 3.0 mine\n1 Q0 b 2 2.0 mine\n1 Q0 c 3 1.0 mine\n"
    rs.write_run(
        pd.DataFrame({"topic": ["1"] * 2, "document": ["a", "b"], "rank": [2, 1]}), tmp_path / "f", order="rank"
    )
    assert (tmp_path / "f").read_text() == "1 Q0 b 1 2.0 run\n1 Q0 a 2 1.0 run\n"


def test_formulas_are_escaped_unless_kept(tmp_path):
    hostile = {"1": {"=cmd|' /C calc'!A0": 4.0, "+1(x)": 3.0, "-5": 2.0, "-Xk3": 1.0, "@SUM(A1)": 0.5}}
    path = tmp_path / "run.csv"
    with pytest.warns(UserWarning, match=r"apostrophe stands before .* \(cells: 3\); formulas='keep' keeps them"):
        rs.write_run(hostile, path)
    names = [row[1] for row in read_back(path, "csv")]
    assert names == ["'=cmd|' /C calc'!A0", "'+1(x)", "-5", "-Xk3", "'@SUM(A1)"]
    rs.write_run(hostile, path, formulas="keep")
    assert [row[1] for row in read_back(path, "csv")] == list(hostile["1"])
    rs.write_run(hostile, tmp_path / "run.jsonl")  # no spreadsheet opens it
    assert [row[1] for row in read_back(tmp_path / "run.jsonl", "jsonl")] == list(hostile["1"])


@pytest.mark.parametrize(
    ("ending", "unpack"), [("gz", gzip.decompress), ("bz2", bz2.decompress), ("xz", lzma.decompress)]
)
def test_packed_files_have_the_same_text(ending, unpack, tmp_path):
    for name in ("run.csv", "run"):
        rs.write_run(RUN, tmp_path / name)
        rs.write_run(RUN, tmp_path / f"{name}.{ending}")
        assert unpack((tmp_path / f"{name}.{ending}").read_bytes()) == (tmp_path / name).read_bytes()


def test_bytes_that_are_not_utf8_are_kept_where_they_can_be(tmp_path):
    text = b"1 Q0 a\xff 1 2.0 t\n"
    rs.write_run(text, tmp_path / "run.txt")
    assert (tmp_path / "run.txt").read_bytes() == text
    rs.write_run(text, tmp_path / "run.csv")
    assert b"1,a\xff,1,2.0,t\n" in (tmp_path / "run.csv").read_bytes()
    rs.write_run(text, tmp_path / "run.jsonl")
    assert json.loads((tmp_path / "run.jsonl").read_bytes())["document"] == "a\udcff"
    with pytest.raises(rs.errors.InputError, match="cannot be written to Parquet, whose text is UTF-8"):
        rs.write_run(text, tmp_path / "run.parquet")
    assert not (tmp_path / "run.parquet").exists()


def test_a_topic_that_reads_as_a_comment_is_refused(tmp_path):
    for topic in ("#1", "\ufeff1"):
        with pytest.raises(rs.errors.InputError, match="a line that starts so is not read as it is"):
            rs.write_run({topic: {"a": 2.0}}, tmp_path / "run.txt")
        with pytest.raises(rs.errors.InputError, match="cannot be written to TREC qrels"):
            rs.write_qrels({topic: {"a": 2}}, tmp_path / "qrels.txt")


@pytest.mark.parametrize("form", ["trec", "msmarco"])
def test_a_name_with_blanks_leaves_the_old_file(form, tmp_path):
    path = tmp_path / "run.txt"
    path.write_text("old")
    with pytest.raises(rs.errors.InputError, match=r"'b c' cannot be written to .*: a name there is one word"):
        rs.write_run({"1": {"a": 2.0, "b c": 1.0}}, path, form)
    assert (path.read_text(), [*tmp_path.iterdir()]) == ("old", [path])


def test_misuse_is_explained(tmp_path):
    with pytest.raises(rs.errors.ParameterError, match=r"no run is written as \.json; known are \.tsv \.csv"):
        rs.write_run(RUN, tmp_path / "run.json")
    with pytest.raises(rs.errors.ParameterError, match="form must be one of trec, msmarco, tsv, csv, jsonl, parquet"):
        rs.write_run(RUN, tmp_path / "run", "xml")  # type: ignore[arg-type]
    with pytest.raises(
        rs.errors.ParameterError, match="form must be one of trec, tsv, csv, jsonl, parquet, got 'msmarco'"
    ):
        rs.write_qrels({"1": {"a": 1}}, tmp_path / "qrels", "msmarco")  # type: ignore[arg-type]
    with pytest.raises(rs.errors.ParameterError, match=r"Parquet is packed inside; leave out \.gz"):
        rs.write_run(RUN, tmp_path / "run.parquet.gz")
    with pytest.raises(rs.errors.ParameterError, match="formulas must be 'escape' or 'keep'"):
        rs.write_run(RUN, tmp_path / "run.csv", formulas="run")  # type: ignore[arg-type]
    with pytest.raises(rs.errors.FormatError, match="expected a number as score, found NaN"):
        rs.write_run({"1": {"a": float("nan")}}, tmp_path / "run")
    assert not [*tmp_path.iterdir()]
