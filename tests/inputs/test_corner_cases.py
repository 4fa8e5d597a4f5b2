"""Corners that were wrong once."""

import io
import os
import tempfile
import time
from typing import Any, cast

import ir_measures
import pyarrow as pa
import pytest

import rankscale
from rankscale.errors import DuplicateError, FormatError, InputError, ParameterError
from rankscale.inputs import trec
from tests.inputs.example import RUN_ROWS, columns

TWO_LINES = b"301 Q0 FT1 1 2 t\n301 Q0 FT2 2 1 t\n"


def test_a_document_twice_is_an_error_at_any_depth(qrels):
    with pytest.raises(DuplicateError):
        trec.read_run(qrels, TWO_LINES + b"301 Q0 FT2 3 0 t\n", depth=1)


def test_nan_in_a_topic_that_nobody_judged_is_an_error_in_a_dictionary_too(qrels):
    with pytest.raises(FormatError):
        rankscale.read_run(qrels, {"301": {"FT1": 1.0}, "999": {"FT1": float("nan")}})


def test_topics_that_have_the_same_name_are_refused(qrels):
    with pytest.raises(DuplicateError, match="topic 301 is given twice"):
        rankscale.read_run(qrels, {301: {"FT1": 1.0}, "301": {"FT2": 2.0}})


def test_a_line_of_65_mib_is_refused(qrels):
    with pytest.raises(FormatError):
        trec.read_run(qrels, TWO_LINES + b"301 Q0 FT3 3 0 " + b"x" * (65 << 20) + b"\n")


def test_a_line_that_is_too_long_is_named(qrels):
    with pytest.raises(FormatError, match=r"^bytes, line 3: "):
        trec.read_run(qrels, TWO_LINES + b"x" * (129 << 20))


@pytest.mark.parametrize("gap", [" ", "\n "])
@pytest.mark.parametrize("documents", [2, 100_000])
def test_json_with_blanks_around_its_marks_is_not_taken_for_trec(gap, documents):
    """Its first line has six words or more, the fifth a number; one file is larger than what is looked at first."""
    of_topic = ("," + gap).join(f'"d{number}" : {documents - number}' for number in range(documents))
    text = f'{{"1" : {{"x" : 500000 ,{gap}{of_topic} }} }}'
    assert float(text.split()[4]) == 500000
    run = rankscale.read_run({"1": {"x": 1}}, io.BytesIO(text.encode()))
    assert (run.length.tolist(), run.rank.tolist()) == ([documents + 1], [1])


@pytest.mark.parametrize("topic", ["{", "[", "[x]", '["', '{"a"', "[1", "[]"])
def test_a_topic_may_start_as_json_does(topic):
    run = rankscale.read_run({topic: {"d": 1}}, io.BytesIO(f"{topic} Q0 e 1 3 t\n{topic} Q0 d 2 2.5 t\n".encode()))
    assert run.rank.tolist() == [2]


def test_an_open_file_is_one_run(qrels):
    assert rankscale.read_run(qrels, io.BytesIO(TWO_LINES)).length.tolist() == [2]


def test_a_reader_of_several_batches_is_one_run(qrels):
    reader = pa.table(columns(RUN_ROWS, "score")).to_reader(max_chunksize=2)
    assert rankscale.read_run(qrels, reader).rows.tolist() == [0, 2]


def test_an_iterator_of_rows_is_one_run(qrels):
    rows = (ir_measures.ScoredDoc(*row) for row in RUN_ROWS)  # as ir_measures.read_trec_run gives them
    assert rankscale.read_run(qrels, rows).rows.tolist() == [0, 2]


def test_a_file_opened_as_text_is_read_or_refused_by_name(qrels):
    with pytest.raises(InputError, match="binary"):
        trec.read_run(qrels, cast("Any", io.StringIO(TWO_LINES.decode())))


def test_a_file_whose_name_is_not_utf8_is_read(tmp_path, qrels):
    path = os.fsdecode(os.path.join(os.fsencode(tmp_path), b"r\xe9.run"))
    with open(path, "wb") as out:
        out.write(TWO_LINES)
    assert trec.read_run(qrels, path).length.tolist() == [2]


def test_a_temporary_file_is_read(qrels):
    with tempfile.TemporaryFile() as opened:
        opened.write(TWO_LINES)
        opened.seek(0)
        assert trec.read_run(qrels, opened).length.tolist() == [2]


def test_documents_of_empty_rankings_are_kept(qrels):
    assert rankscale.read_run(qrels, {"301": {}}, keep_documents=True).documents == ((),)


def test_a_score_that_is_long_and_no_number_is_soon_read_as_trec_eval_does(qrels):
    def read(size: int) -> float:
        began = time.monotonic()
        trec.read_run(qrels, b"301 Q0 FT1 1 " + b"x" * size + b" t\n", dialect="trec_eval 9")
        return time.monotonic() - began

    assert read(400_000) < 0.5  # ten megabytes take half an hour


def test_one_column_is_one_column_in_qrels_too():
    with pytest.raises(FormatError, match="found 1 column\n"):
        trec.read_qrels(b"301\n")


@pytest.mark.parametrize("option", ["depth", "max_size"])
def test_a_negative_option_is_refused_by_name(qrels, option):
    options: dict[str, Any] = {option: -1}
    with pytest.raises(ParameterError, match=option):
        trec.read_run(qrels, TWO_LINES, **options)


def test_grades_are_conflated_to_finite_numbers(qrels):
    with pytest.raises(ParameterError):
        qrels.conflated({1: float("nan")})


def test_an_empty_run_keeps_its_name(qrels):
    found = rankscale.read_run(qrels, {}, name="nothing")
    assert (found.name, found.unknown_topics) == ("nothing", 0)


def test_half_a_character_is_refused_as_a_name(qrels):
    with pytest.raises(FormatError):
        rankscale.read_run(qrels, {"301": {"\ud800": 1.0}})


def test_a_large_file_may_have_topics_in_any_bytes(tmp_path, qrels):
    path = tmp_path / "run"
    path.write_bytes(
        b"".join(
            b"%b%03d Q0 a-name-of-some-length-%d 1 2 t\n"
            % (b"" if number < 100_000 else b"\xff\xfe", number // 5_000, number)
            for number in range(800_000)
        )
    )
    assert path.stat().st_size > 32 << 20
    assert next(trec.read_runs(qrels, [path], threads=2)).unknown_topics == 160
