"""Values that were measured before, read in the forms that tools write."""

import contextlib
import gzip
import io
import json
import lzma
import math
import tarfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import rankscale as rs
from rankscale.errors import DuplicateError, FormatError, InputError, ParameterError
from rankscale.evaluation.result import Evaluation

FORMS = ("tsv", "csv", "jsonl", "json", "parquet")
# Text forms spell out what is hidden, and mark formulas.
NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"]), min_size=1, max_size=6).filter(
    lambda name: name[0] not in "=@+-"
)
QRELS = {"301": {"a": 1, "b": 0, "c": 2}, "302": {"b": 1}, "All": {"d": 1}, "x": {"d": 0}}
RUNS = {
    "bm25": {"301": {"a": 3.0, "b": 2.0, "z": 1.0}, "302": {"c": 1.0}, "All": {"d": 1.0}},
    'q"l, 2': {"301": {"b": 3.0, "a": 2.0}, "302": {"c": 2.0, "b": 1.0}, "All": {"e": 1.0, "d": 0.5}},
}


def written(evaluation: Evaluation, form: str, folder: Path) -> Path:
    path = folder / f"values.{form}"
    evaluation.write(path)
    return path


def same(read: Evaluation, made: Evaluation) -> None:
    """Bit for bit: names, values, which topics count, and what stands beside values."""
    assert (read.runs, read.topics) == (made.runs, made.topics)
    assert [str(one) for one in read.measures] == [str(one) for one in made.measures]
    expected = np.where(made.retrieved, made.values, np.nan)
    there = ~np.isnan(expected)
    assert np.array_equal(there, ~np.isnan(read.values))
    assert read.values[there].tobytes() == expected[there].tobytes()
    assert np.array_equal(read.retrieved, made.retrieved)
    assert read.extra_columns.keys() == made.extra_columns.keys()
    for name, numbers in read.extra_columns.items():
        assert np.array_equal(numbers, made.extra_columns[name], equal_nan=True)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", [{}, {"bounds": True}, {"ties": "range"}])
def test_our_own_files_are_read_back(form: str, options: dict[str, Any], tmp_path: Path):
    made = rs.evaluate(QRELS, RUNS, ["AP", "P@1", "ESL", "nDCG@10", "RBP(p=0.8)"], **options)
    read = rs.read_values(written(made, form, tmp_path))
    same(read, made)
    assert read.measures == made.measures
    if form in {"json", "parquet"}:
        assert (read.signature, read.sources) == (made.signature, made.sources)


@pytest.mark.parametrize("form", FORMS)
def test_topics_that_a_run_lacks_stay_out(form: str, tmp_path: Path):
    made = rs.evaluate(QRELS, {**RUNS, "part": {"302": {"b": 1.0}}}, ["AP", "RR"], missing="skip")
    kept = np.count_nonzero(made.retrieved, axis=0) > 0
    assert made.topics == ("301", "302", "All", "x")
    read = rs.read_values(written(made, form, tmp_path))
    assert read.topics == tuple(topic for topic, there in zip(made.topics, kept, strict=True) if there)
    assert read.means().to_dict() == made.means().to_dict()


@given(
    st.lists(NAMES, min_size=1, max_size=3, unique=True),
    st.lists(NAMES, min_size=1, max_size=3, unique=True),
    st.data(),
)
@settings(max_examples=60, phases=[Phase.explicit, Phase.generate])
def test_any_names_and_values_survive_every_form(runs, topics, data):
    names = ("AP", "mine")
    numbers = st.floats(-1e100, 1e100) | st.sampled_from([math.nan, math.inf, -math.inf])
    given = {run: {topic: {one: data.draw(numbers) for one in names} for topic in topics} for run in runs}
    made = rs.read_values(given)
    for form in ("tsv", "csv", "jsonl", "json"):
        read = rs.read_values(b"".join(made.chunks(form)))
        same(read, made)
    same(rs.read_values(made.to_arrow()), made)


def test_frames_are_read():
    pd = pytest.importorskip("pandas")
    made = rs.evaluate(
        {"1": {"a": 1}, "2": {"b": 1}}, {"x": {"1": {"a": 1.0}, "2": {"c": 2.0, "b": 1.0}}}, ["AP", "RR"]
    )
    for frame in (made.to_pandas(), made.to_polars(), made.to_polars().lazy(), made.to_arrow()):
        same(rs.read_values(frame), made)
    wide = pd.DataFrame({"x": [0.5, 1.0], "y": [0.25, None]}, index=["301", "302"])
    read = rs.read_values(wide, measure="AP")
    assert read.to_dict() == {"x": {"301": {"AP": 0.5}, "302": {"AP": 1.0}}, "y": {"301": {"AP": 0.25}}}
    assert rs.read_values(pl.DataFrame({"qid": [1, 2], "AP": [0.5, 1.0], "P@5": [0.2, 0.4]})).by_topic(
        "run", "P@5"
    ) == {
        "1": 0.2,
        "2": 0.4,
    }


def test_dictionaries_are_read():
    made = rs.read_values({"x": {"1": {"AP": 0.5}, "2": {"AP": 1.0}}})
    assert made.to_dict() == {"x": {"1": {"AP": 0.5}, "2": {"AP": 1.0}}}
    assert rs.read_values({"1": {"map": 0.5}, "2": {"map": 1.0}}).by_topic("run", "AP") == {"1": 0.5, "2": 1.0}
    assert rs.read_values({"x": {"1": 0.5}}, measure="mine").by_topic("x", "mine") == {"1": 0.5}
    with pytest.raises(FormatError, match="need measure='AP'"):
        rs.read_values({"x": {"1": 0.5}})


TREC_EVAL = "map                   \t301\t0.25\nP_5                   \t301\t0.4\nmap                   \tall\t0.25\n"


def test_output_of_trec_eval_of_several_runs():
    one = f"{TREC_EVAL}runid                 \tall\tbm25\n"
    other = f"{TREC_EVAL.replace('0.25', '0.5')}runid                 \tall\tql\n"
    read = rs.read_values((one + other).encode())
    assert read.to_dict() == {"bm25": {"301": {"AP": 0.25, "P@5": 0.4}}, "ql": {"301": {"AP": 0.5, "P@5": 0.4}}}
    assert read.warnings == ("bytes: read as output of trec_eval -q: measure, topic, value",)


def test_names_of_files_stand_for_runs_that_are_not_named(tmp_path: Path):
    for name in ("bm25.txt", "ql.txt"):
        (tmp_path / name).write_text(TREC_EVAL)
    assert rs.read_values(str(tmp_path / "*.txt")).runs == ("bm25", "ql")
    assert rs.read_values({"first": tmp_path / "ql.txt"}).runs == ("first",)
    with pytest.raises(DuplicateError, match="found a second one of AP for run bm25, topic 301"):
        rs.read_values([tmp_path / "bm25.txt", tmp_path / "bm25.txt"])


def test_output_of_ir_measures():
    lines = "301\tnDCG@10\t0.5\n301\tAP\t0.25\n302\tnDCG@10\t0.7\n302\tAP\t0.75\nall\tnDCG@10\t0.6\nall\tAP\t0.5\n"
    read = rs.read_values(lines.encode())
    assert read.by_topic("run", "nDCG@10") == {"301": 0.5, "302": 0.7}
    rows = "".join(
        json.dumps(dict(zip(("query_id", "measure", "value"), line.split("\t"), strict=True))) + "\n"
        for line in lines.splitlines()
    )
    assert rs.read_values(rows.encode()).to_dict() == read.to_dict()


def test_two_readings_are_an_error_that_names_both():
    with pytest.raises(FormatError, match="form='trec_eval' or form='ir_measures'"):
        rs.read_values(b"one\ttwo\t0.5\n")
    assert rs.read_values(b"one\ttwo\t0.5\n", form="trec_eval").by_topic("run", "one") == {"two": 0.5}
    assert rs.read_values(b"one\ttwo\t0.5\n", form="ir_measures").by_topic("run", "two") == {"one": 0.5}


def test_results_of_mteb(tmp_path: Path):
    for model, shift in (("e5", 0.0), ("bge", 0.1)):
        folder = tmp_path / model / "abc"
        folder.mkdir(parents=True)
        (folder / "model_meta.json").write_text(json.dumps({"name": f"org/{model}"}))
        for task, value in (("NFCorpus", 0.3), ("SciFact", 0.6)):
            scores = {
                "test": [
                    {
                        "ndcg_at_10": value + shift,
                        "main_score": value + shift,
                        "hf_subset": "default",
                        "languages": ["eng"],
                    }
                ]
            }
            (folder / f"{task}.json").write_text(
                json.dumps({"task_name": task, "mteb_version": "1.14", "scores": scores})
            )
    read = rs.read_values(sorted(tmp_path.glob("*/abc/[NS]*.json")))
    assert (read.runs, read.topics) == (("org/bge", "org/e5"), ("NFCorpus", "SciFact"))
    assert read.by_topic("org/e5", "main_score") == {"NFCorpus": 0.3, "SciFact": 0.6}


def test_wide_tables():
    text = b"topic,bm25,ql\n301,0.5,0.25\n302,1,\n"
    read = rs.read_values(text, measure="AP")
    assert read.to_dict() == {"bm25": {"301": {"AP": 0.5}, "302": {"AP": 1.0}}, "ql": {"301": {"AP": 0.25}}}
    assert rs.read_values(b"AP,301,302\nbm25,0.5,1\n", rows="runs").to_dict() == {"bm25": read.to_dict()["bm25"]}
    assert rs.read_values(b"run1,run2\n0.5,0.25\n1,0.75\n", measure="AP").topics == ("1", "2")
    by_measure = rs.read_values(b"run,topic,AP,mine\nbm25,301,0.5,3\n")
    assert by_measure.to_dict() == {"bm25": {"301": {"AP": 0.5, "mine": 3.0}}}


def test_rules_for_topics_that_a_run_lacks():
    text = b"topic,bm25,ql\n301,0.5,0.25\n302,1,\n"
    assert rs.read_values(text, measure="AP", missing="zero").means()["ql", "AP"] == 0.125
    assert rs.read_values(text, measure="AP", missing="common").means()["bm25", "AP"] == 0.5
    with pytest.raises(InputError, match=r"run ql has no values for 1 of 2 topics \(302\)"):
        rs.read_values(text, measure="AP", missing="error")
    with pytest.raises(ParameterError, match="low is good for mine"):
        rs.read_values(text, measure="mine", low_is_good=True, missing="zero")


def test_the_scale_of_an_unknown_measure_is_not_known_unless_given():
    values = {"x": {"1": 0.5, "2": 0.7, "3": 0.1}, "y": {"1": 0.3, "2": 0.2, "3": 0.0}}
    read = rs.read_values(values, measure="mine")
    assert "mine: the scale is not known; scale='interval' or so says what it is" in read.warnings
    comparison = rs.compare(read)
    assert comparison.verdict.kind == "unknown"
    assert str(comparison.verdict) == (
        "Caution: the scale of mine is not known, so its mean and Student's paired t test assume equal steps"
    )
    assert rs.compare(read, "sign").verdict.meaningful
    assert rs.compare(rs.read_values(values, measure="mine", scale="interval")).verdict.meaningful
    assert rs.compare(rs.read_values(values, measure="mine", scale="ordinal")).verdict.kind == "not meaningful"
    low = rs.compare(rs.read_values(values, measure="mine", low_is_good=True))
    assert low.runs == ("y", "x")


def test_what_needs_rankings_says_so():
    values = rs.read_values({"x": {"1": 0.5}, "y": {"1": 0.3}}, measure="mine")
    with pytest.raises(FormatError, match="found an Evaluation, which holds values and no rankings"):
        rs.evaluate({"1": {"a": 1}}, values, "AP")
    with pytest.raises(ParameterError, match="mine was read as values, and has no formula"):
        rs.evaluate({"1": {"a": 1}}, {"x": {"1": {"a": 1.0}}}, values.measures[0])
    assert not rs.standardise(values).measures[0].scale_known


def test_a_scale_that_depends_on_grades_needs_them():
    values = {"x": {"1": 3.5, "2": 0.7}, "y": {"1": 0.3, "2": 0.2}}
    read = rs.read_values(values, measure="CG@5")
    assert not read.measures[0].scale_known
    assert "levels=[0, 1, 2] says" in read.warnings[-1]
    assert rs.compare(rs.read_values(values, measure="CG@5", levels=[0, 1])).verdict.meaningful
    assert rs.compare(rs.read_values(values, measure="P@5")).verdict.meaningful  # relevant or not, whatever the grades


HOSTILE = {
    "empty": (b"", "found an empty file"),
    "binary": (b"\x00\x01\x02", "found a NUL byte"),
    "prose": (b"this is no table\n", "expected values: a table with a header"),
    "a run": (b"301 Q0 d1 1 2.5 tag\n", "expected values: a table with a header"),
    "means only": (b"map                   \tall\t0.25\n", "none of single topics"),
    "our means": (b"run\ttopics\tAP\nbm25\t50\t0.5\n", "name it: measure='AP'"),
    "old trec_eval": (b"\nQueryid (Num):       50\n", "without -o"),
    "no number": (b"run,topic,measure,value\nx,1,AP,high\n", "bytes, line 2: expected a number as value, found 'high'"),
    "underscores": (b"run,topic,measure,value\nx,1,AP,1_0\n", "expected a number as value, found '1_0'"),
    "too few cells": (
        b"run,topic,measure,value\nx,1,AP\n",
        "bytes, line 2: expected 4 cells, as the header has, found 3",
    ),
    "twice": (b"run,topic,measure,value\nx,1,AP,1\nx,1,AP,2\n", "found a second one of AP for run x, topic 1"),
    "columns twice": (b"topic,a,a\n1,2,3\n", "found 'a' twice"),
    "no topic name": (b"run,topic,measure,value\nx,,AP,1\n", "expected the name of a topic, found nothing"),
    "open quote": (b'run,topic,measure,value\n"x,1,AP,1\n', "RFC 4180"),
    "broken JSON": (b'{"run": "x", \n', "bytes, line 1: expected JSON"),
    "a number": (b"[1, 2]", "expected values as rankscale writes them"),
    "deep": (b"[" * 100_000, "expected JSON"),
    "our JSON without topics": (
        b'{"signature": "", "runs": [{"run": "x", "means": {"AP": 1}}]}',
        "none of single topics",
    ),
    "runs of what": (b'{"signature": "", "runs": [3]}', "expected values as rankscale writes them"),
    "damaged gzip": (gzip.compress(b"topic,a\n1,2\n")[:-9], "found a damaged one"),
    "damaged Parquet": (b"PAR1 and no more", "expected Parquet data from its first bytes on"),
    "header only": (b"run,topic,measure,value\n", "there are no values"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_give_clear_errors(case: str):
    content, message = HOSTILE[case]
    with pytest.raises(InputError) as error:
        rs.read_values(content)
    assert message in str(error.value)


@given(st.binary(max_size=200))
@settings(max_examples=200)
def test_no_bytes_crash_the_reader(content: bytes):
    with contextlib.suppress(InputError):
        rs.read_values(content)


def test_packed_files_are_unpacked_within_limits():
    text = b"topic,a\n1,2\n"
    for packed in (gzip.compress(text), lzma.compress(text)):
        assert rs.read_values(packed, measure="AP").by_topic("a", "AP") == {"1": 2.0}
    with pytest.raises(InputError, match="unpacks to more than 5 bytes"):
        rs.read_values(gzip.compress(text), measure="AP", max_size=5)


def test_wrong_options_are_refused():
    with pytest.raises(ParameterError, match="scale must be"):
        rs.read_values(b"topic,a\n1,2\n", measure="AP", scale="nominal")  # type: ignore[arg-type]
    with pytest.raises(FormatError, match="found int"):
        rs.read_values(3)


VERSIONS = {"test_v9.0.8": "score", "test_v10.0-rc3": "score64"}


@pytest.mark.parametrize("version", VERSIONS)
def test_outputs_of_both_versions_of_trec_eval_agree_with_ours(version: str, shared_data: Path):
    folder = shared_data / "trec_eval_test" / version
    read = rs.read_values(folder / "out.test.aq")
    names: list[Any] = ["AP", "Rprec", "Bpref", "RR", "P@5", "P@1000", "R@30", "infAP", "nDCG@10", "AP@100", "nDCG"]
    made = rs.evaluate(folder / "qrels.test", folder / "results.test", names, order=VERSIONS[version])
    assert read[names].topics == made.topics
    assert np.abs(read[names].values - made.values).max() <= 0.5e-4 + 1e-12


def test_trec_8_as_trec_eval_measured_it(shared_data: Path):
    folder = shared_data / "trec8_adhoc"
    with tarfile.open(folder / "MADE_trec_eval_9.0.8_outputs.tar.xz") as archive:
        members = [one for one in archive.getmembers() if one.isfile()][:3]
        outputs = [io.BytesIO(archive.extractfile(one).read()) for one in members]  # type: ignore[union-attr]
    read = rs.read_values(outputs)
    files = [next((folder / "runs").glob(f"{one.name.split('/')[-1].removesuffix('.v908')}*")) for one in members]
    names: list[Any] = ["AP", "P@10", "Rprec", "Bpref", "nDCG@10", "RR"]
    made = rs.evaluate(folder / "trec8.qrels.gz", files, names)
    assert read.topics == made.topics
    assert np.abs(read[names].values - made.values).max() <= 0.5e-4 + 1e-12
