"""Sub-topics and assessors as files and tables name them."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rankscale as rs
from rankscale.data.aspects import Aspects
from rankscale.data.qrels import Qrels
from rankscale.errors import FormatError, InputError, RankscaleError
from tests.data.made_aspects import made_qrels
from tests.data.test_aspects import ROWS

PREFERENCES = [
    ("1", "A", "s", "d2", 2.0), ("1", "A", "s", "d4", 1.0), ("1", "A", "s", "d1", 0.0), ("1", "B", "s1", "d3", 3.0),
    ("1", "B", "s1", "d2", 1.0), ("1", "B", "s2", "d2", 2.0), ("1", "B", "s2", "d7", 1.0), ("2", "A", "s", "d2", 2.0),
]  # fmt: skip
NAMES = ("topic", "subtopic", "document", "grade")


FRAME = pd.DataFrame(ROWS, columns=NAMES)
FLOATS = FRAME.assign(subtopic=FRAME.subtopic.astype(float))  # as pandas holds numbers where a cell is empty
TEXT = "".join(f"{topic} {part} {document} {grade:g}\n" for topic, part, document, grade in ROWS).encode()
WRITTEN = {
    "trec": lambda _: TEXT,
    "csv": lambda _: FRAME.to_csv(index=False).encode(),
    "jsonl": lambda _: FRAME.to_json(orient="records", lines=True).encode(),
    "json": lambda _: json.dumps(FRAME.to_dict("records")).encode(),
    "jsonl numbers": lambda _: FLOATS.to_json(orient="records", lines=True).encode(),
    "parquet": lambda folder: FRAME.to_parquet(folder / "qrels.parquet") or folder / "qrels.parquet",
    "pandas": lambda _: FRAME,
    "polars": lambda _: pl.from_pandas(FRAME),
    "rows": lambda _: FRAME.to_dict("records"),
    "pandas numbers": lambda _: FLOATS,
    "polars numbers": lambda _: pl.from_pandas(FLOATS),
}


@pytest.mark.parametrize("form", [form for form in WRITTEN if form != "jsonl numbers"])
def test_every_form_gives_the_same_judgments(form, tmp_path):
    assert rs.read_qrels(WRITTEN[form](tmp_path)) == made_qrels(ROWS)


def aspects_of(qrels: Qrels) -> Aspects:
    """The judgments by aspect of qrels that have some."""
    assert qrels.aspects is not None
    return qrels.aspects


def test_the_core_gives_what_a_plain_program_gives():
    read, made = aspects_of(rs.read_qrels(TEXT)), aspects_of(made_qrels(ROWS))
    assert (read.names, read.starts.tolist(), read.first.tolist()) == (
        made.names,
        made.starts.tolist(),
        made.first.tolist(),
    )
    assert (read.document.tolist(), read.code.tolist()) == (made.document.tolist(), made.code.tolist())


def test_preferences_keep_lists_and_lines():
    text = "".join(
        f"{topic} {group} {one} {document} {level:g}\n" for topic, group, one, document, level in PREFERENCES
    )
    qrels, also = rs.read_qrels(text.encode(), form="prefs"), made_qrels(PREFERENCES)
    read, made = aspects_of(qrels), aspects_of(also)
    for name in ("starts", "first", "document", "code", "ordering", "line"):
        assert getattr(read, name).tolist() == getattr(made, name).tolist(), name
    assert (read.names, read.lists) == (made.names, made.lists)
    assert qrels.to_dict() == also.to_dict()


def test_plain_qrels_have_no_aspects():
    assert rs.read_qrels(b"1 0 a 1\n1 0 b 0\n2 0 a 1\n").aspects is None
    assert rs.read_qrels({"1": {"a": 1}}).aspects is None


def test_iteration_is_said_only_where_it_says_something():
    same = rs.read_qrels(b"qid,iteration,docid,label\n1,0,a,1\n1,0,b,0\n")
    assert same.warnings == ("bytes: read as CSV: topic in qid, document in docid, grade in label",)
    assert same.aspects is None
    other = rs.read_qrels(b"qid,iteration,docid,label\n1,0,a,1\n1,,b,0\n1,2,c,1\n")
    assert other.warnings == (
        "bytes: read as CSV: topic in qid, document in docid, grade in label, subtopic in iteration",
    )
    assert aspects_of(other).names == ("", "0", "2")


def test_documents_of_several_aspects_are_said():
    (said,) = rs.read_qrels(TEXT).warnings
    assert said == (
        "bytes: 2 documents are judged for several sub-topics, or by several assessors; measures that take one grade "
        "take the highest"
    )


def test_numbers_of_json_are_names_as_they_are_written():
    assert aspects_of(rs.read_qrels(WRITTEN["jsonl numbers"](None))).names == ("1.0", "2.0", "3.0", "4.0", "1.0")


@pytest.mark.parametrize(("merge", "grade"), [("max", 2.0), ("min", 1.0), ("mean", 1.5)])
def test_the_rule_for_one_grade_holds_within_a_sub_topic_too(merge, grade):
    read = rs.read_qrels(b"1 x b 0\n1 y a 1\n1 y a 2\n", merge=merge)
    assert list(read.judgments_by_aspect()) == [("x", "1", "b", 0.0), ("y", "1", "a", grade)]


@pytest.mark.parametrize(("merge", "grade"), [("max", 2.0), ("min", 1.0), ("mean", 1.5)])
def test_the_rule_for_one_grade_can_be_chosen(merge, grade):
    read = rs.read_qrels(b"1 x a 1\n1 y a 2\n", merge=merge)
    assert read.grades("1") == {"a": grade}
    assert [row[3] for row in read.judgments_by_aspect()] == [1.0, 2.0]


@pytest.mark.parametrize("measure", ["alpha_nDCG@5", "StRecall@5", "IA(AP)", "Groups(AP)", "D_nDCG@5", "Prefs"])
def test_the_rule_for_one_grade_changes_nothing_for_measures_of_all(measure):
    run = {"1": {"b": 5.0, "x": 4.0, "a": 3.0, "e": 2.0, "d": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    highest, least, mean = (
        rs.evaluate(rs.read_qrels(TEXT, merge=rule), run, measure) for rule in (None, "min", "mean")
    )
    np.testing.assert_array_equal(least.values, highest.values)
    np.testing.assert_array_equal(mean.values, highest.values)


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (b"1 x a 1\n1 y a 2\n", {"merge": "error"}, "line 2, column 5: document a is judged twice for topic 1"),
        (b"1 x a 1\n1 y b 2\n1 x a 2\n", {}, "line 3, column 5: document a is judged twice for topic 1"),
        (b"1 x s a 1\n", {}, "form='prefs'"),
        (b"1 x a 1\n", {"form": "prefs"}, "expected: topic assessor list document level, found 4 columns"),
        (b"1 x s a one\n", {"form": "prefs"}, "expected a finite number as grade, found one"),
    ],
)
def test_refused(text, options, words):
    with pytest.raises(RankscaleError, match=words):
        rs.read_qrels(text, **options)


def test_several_files_with_their_aspects(tmp_path):
    for name, text in (("a.txt", "1 x a 1\n1 x b 0\n"), ("b.txt", "1 y a 2\n2 y c 1\n")):
        (tmp_path / name).write_text(text)
    read = rs.read_qrels([tmp_path / "a.txt", tmp_path / "b.txt"])
    assert list(read.judgments_by_aspect()) == [
        ("x", "1", "a", 1.0), ("x", "1", "b", 0.0), ("y", "1", "a", 2.0), ("y", "2", "c", 1.0),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["q.txt", "q.csv", "q.jsonl", "q.parquet"])
def test_written_judgments_are_read_back(name, tmp_path):
    qrels = rs.read_qrels(TEXT)
    rs.write_qrels(qrels, tmp_path / name)
    assert rs.read_qrels(tmp_path / name) == qrels


def test_preferences_are_not_written():
    with pytest.raises(InputError, match="preferences cannot be written"):
        rs.write_qrels(rs.read_qrels(b"1 A s a 1\n", form="prefs"), "nowhere.txt")


def test_prefs_is_no_form_of_runs():
    with pytest.raises(RankscaleError, match="form of qrels"):
        rs.read_run({"1": {"a": 1}}, b"1 Q0 a 1 1 x\n", form="prefs")  # type: ignore[arg-type]


def test_a_float_document_is_still_refused():
    with pytest.raises(FormatError):
        rs.read_qrels(pl.DataFrame({"topic": ["1"], "document": [1.0], "grade": [1]}))
