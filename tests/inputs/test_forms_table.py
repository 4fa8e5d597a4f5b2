"""Every form of file and object that people bring gives the values of the same rankings in TREC form, bit by bit."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import InputError
from tests.fuzz import plain_forms
from tests.inputs import form_example as example
from tests.inputs import form_files, form_objects

MEASURES = ["AP", "nDCG@10", "RR"]
BINARY = ("parquet", "ipc", "feather", "lz4")  # in the names of makers of what is not text; ranx packs CBOR by lz4


def every(makers: dict[str, Callable[..., Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("make", makers.values(), ids=makers)


def made(make: Callable[..., Any], *arguments: Any) -> Any:
    """What a library makes; its own warnings are its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return make(*arguments)


@pytest.fixture(scope="module")
def expected() -> rs.Evaluation:
    return rs.evaluate(example.trec_qrels(), example.trec_run(), MEASURES)


@pytest.fixture(scope="module")
def expected_of_both() -> rs.Evaluation:
    other = example.trec_run(example.other_rows(), example.OTHER_TAG)
    return rs.evaluate(example.trec_qrels(), [example.trec_run(), other], MEASURES)


def same_bits(evaluation: rs.Evaluation, expected: rs.Evaluation) -> bool:
    return list(evaluation.topics) == list(expected.topics) and np.array_equal(evaluation.values, expected.values)


def test_the_example_tells_forms_apart(expected, expected_of_both):
    """It has ties that matter and values that differ, so that a wrong order or a lost id shows."""
    reversed_ties = tuple((t, d, score) for t, d, score in example.rows()[::-1])
    in_file_order = rs.evaluate(example.trec_qrels(), example.trec_run(reversed_ties), MEASURES, order="file")
    assert not same_bits(in_file_order, expected)
    assert len({score for _, _, score in example.rows()}) < len(example.DOCUMENTS)
    assert all(np.float32(score) == score for _, _, score in example.rows())
    assert not np.array_equal(expected_of_both.values[:, 0], expected_of_both.values[:, 1])


# Files.


@every(form_files.all_runs())
def test_a_file_with_a_run_gives_the_values_of_the_trec_form(make, tmp_path, expected):
    assert same_bits(rs.evaluate(example.trec_qrels(), made(make, tmp_path / "run"), MEASURES), expected)


@every(form_files.all_qrels())
def test_a_file_with_qrels_gives_the_values_of_the_trec_form(make, tmp_path, expected):
    assert same_bits(rs.evaluate(made(make, tmp_path / "qrels"), example.trec_run(), MEASURES), expected)


@every(form_files.two_runs())
def test_a_file_with_two_runs_gives_both(make, tmp_path, expected_of_both):
    evaluation = rs.evaluate(example.trec_qrels(), made(make, tmp_path / "runs"), MEASURES)
    assert list(evaluation.runs) == [example.TAG, example.OTHER_TAG]
    assert same_bits(evaluation, expected_of_both)


@pytest.mark.parametrize(
    ("form", "name", "order"),
    [
        ("csv", "mine", "score"),
        ("polars parquet", "mine", "score"),
        ("pandas csv.gz", "mine", "score"),
        ("MS MARCO", "mine", "rank"),
        ("4 columns", "mine", "score"),
        ("json, names", "mine", "file"),
        ("csv with ranks", "mine", "rank"),
        ("json with a run", example.TAG, "score"),
        ("json of names with a run", example.TAG, "file"),
        ("MTEB predictions", "default/test", "score"),
        ("trec", example.TAG, "score"),
    ],
)
def test_a_run_is_named_and_ordered_by_what_its_file_has(form, name, order, tmp_path):
    file = made(form_files.all_runs()[form], tmp_path / "mine")
    (run,) = rs.read_runs(example.trec_qrels(), file)
    assert (run.name, run.order) == (name, order)


@pytest.mark.parametrize(
    "content",
    [
        b'{"query_id":{"0":"051","1":"7"},"doc_id":{"0":"a","1":"b"},"score":{"0":2.5,"1":1.5}}',  # pandas, by default
        b'{"columns":["query_id","doc_id"],"index":[0],"data":[["051","a"]]}',  # pandas, orient="split"
        b'{"051":[["a",1.5,"text"]]}',
        b"query_id,doc_id,score\n051,a,high\n",
        b"051,a,2.5\n",
        b"PAR1 and no more",
        b"ARROW1\0\0 and no more",
        b"\xff\xff\xff\xff\x10\0\0\0",
        b"",
    ],
)
def test_a_file_of_no_known_form_is_an_error_in_words(content, tmp_path):
    file = tmp_path / "given.dat"
    file.write_bytes(content)
    for read in (lambda: rs.read_runs(example.trec_qrels(), file), lambda: rs.read_qrels(file)):
        with pytest.raises(InputError, match=r"given\.dat"):
            read()


# Objects.


@every(form_objects.runs())
def test_an_object_with_a_run_gives_the_values_of_the_trec_form(make, tmp_path, expected):
    assert same_bits(rs.evaluate(example.trec_qrels(), made(make, tmp_path), MEASURES), expected)


@every(form_objects.qrels())
def test_an_object_with_qrels_gives_the_values_of_the_trec_form(make, tmp_path, expected):
    assert same_bits(rs.evaluate(made(make, tmp_path), example.trec_run(), MEASURES), expected)


@every(form_objects.two_runs())
def test_an_object_with_two_runs_gives_both(make, tmp_path, expected_of_both):
    evaluation = rs.evaluate(example.trec_qrels(), made(make, tmp_path), MEASURES)
    assert list(evaluation.runs) == [example.TAG, example.OTHER_TAG]
    assert same_bits(evaluation, expected_of_both)


@every(form_objects.lists_of_runs())
def test_a_list_of_objects_is_as_many_runs(make, tmp_path, expected_of_both):
    assert same_bits(rs.evaluate(example.trec_qrels(), made(make, tmp_path), MEASURES), expected_of_both)


@every(form_objects.neither())
def test_what_holds_neither_is_an_error_in_words(make):
    for read in (
        lambda: rs.read_qrels(made(make)),
        lambda: rs.read_runs(example.trec_qrels(), made(make)),
        lambda: rs.evaluate(example.trec_qrels(), made(make), MEASURES),
    ):
        with pytest.raises(InputError) as error:
            read()
        assert str(error.value)


# The examples themselves, by the plain reader of tests/fuzz, which shares nothing with the core.


def of_text(makers: example.Makers) -> example.Makers:
    return {name: make for name, make in makers.items() if not any(word in name for word in BINARY)}


@every(of_text(form_files.all_runs()))
def test_the_plain_reader_sees_the_same_run_in_files_of_text(make, tmp_path):
    (rankings,) = plain_forms.read_runs(made(make, tmp_path / "run").read_bytes()).runs.values()
    (trec,) = plain_forms.read_runs(example.trec_run()).runs.values()
    assert _documents(rankings) == _documents(trec)


@every(of_text(form_files.two_runs()))
def test_the_plain_reader_sees_the_same_runs_in_files_of_text(make, tmp_path):
    runs = plain_forms.read_runs(made(make, tmp_path / "runs").read_bytes()).runs
    other = example.trec_run(example.other_rows(), example.OTHER_TAG)
    trec = plain_forms.read_runs(example.trec_run()).runs | plain_forms.read_runs(other).runs
    assert list(map(_documents, runs.values())) == list(map(_documents, trec.values()))
    assert list(runs) == list(trec)


@every(of_text(form_files.all_qrels()))
def test_the_plain_reader_sees_the_same_qrels_in_files_of_text(make, tmp_path):
    (grades,) = plain_forms.read_qrels(made(make, tmp_path / "qrels").read_bytes()).runs.values()
    (trec,) = plain_forms.read_qrels(example.trec_qrels()).runs.values()
    assert {t: dict(one) for t, one in grades.items()} == {t: dict(one) for t, one in trec.items()}


def _documents(rankings: dict[bytes, plain_forms.Ranking]) -> dict[bytes, list[bytes]]:
    return {topic: [document for document, _ in ranking] for topic, ranking in rankings.items()}
