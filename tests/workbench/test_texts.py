"""Texts of documents and queries, found by name."""

import json
import os
import tracemalloc
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from rankscale.errors import FormatError
from rankscale.workbench.documents import LONGEST_TEXT, open_texts


def test_documents_of_json_lines_and_of_tsv(tmp_path: Path) -> None:
    rows = [
        {"_id": "d1", "title": "One", "text": "first words"},
        {"id": 2, "contents": "second words"},
        {"docno": "dé", "headline": "Trois", "body": "x" * (LONGEST_TEXT + 5)},
    ]
    (tmp_path / "docs.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    find = open_texts(str(tmp_path / "docs.jsonl"), None).document
    assert find("d1") == {"title": "One", "text": "first words"}
    assert find("2") == {"title": "", "text": "second words"}
    assert find("dé") == {"title": "Trois", "text": "x" * LONGEST_TEXT + " ..."}
    assert find("other") is None
    (tmp_path / "docs.tsv").write_text("a\tone\tand a tab\n\nb\ttwo\n", encoding="utf-8")
    find = open_texts(str(tmp_path / "docs.tsv"), None).document
    assert find("a") == {"title": "", "text": "one\tand a tab"}
    assert find("b") == {"title": "", "text": "two"}


def test_halves_of_surrogate_pairs_are_shown_as_question_marks(tmp_path: Path) -> None:
    path = tmp_path / "texts.jsonl"
    path.write_text(
        '{"_id": "w\\ud83d0", "text": "a \\ud83d b"}\n{"_id": "1", "title": "\\udcff", "text": "\\ud83d\\ude00"}\n'
    )
    texts = open_texts(str(path), str(path))
    assert texts.document("w\ud83d0") == {"title": "", "text": "a ? b"}
    assert texts.document("1") == {"title": "?", "text": "\U0001f600"}
    assert dict(texts.queries) == {"w\ud83d0": "a ? b", "1": "\U0001f600"}


def test_queries(tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "who"}\n{"qid": 2, "query": "what"}\n')
    assert open_texts(None, str(tmp_path / "queries.jsonl")).queries == {"1": "who", "2": "what"}
    assert open_texts(None, None).queries == {}
    assert open_texts(None, None).document("1") is None


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("docs.jsonl.gz", "", "expected an unpacked file"),
        ("docs.tsv", "only a name\n", "line 1: expected a name, a tab and a text, found 'only a name'"),
        ("docs.jsonl", '{"_id": "1"}\n{"x": 1}\n', "line 2: expected one of _id, id, docid"),
        ("docs.jsonl", '{"_id": "1"}\n{"_id": \n', "line 2: expected JSON"),
        ("docs.jsonl", '{"_id": "1"}\n["_id"]\n', "line 2: expected one of _id"),
        ("docs.jsonl", '{"_id": ' + "[" * 100_000, "line 1: expected JSON"),
    ],
)
def test_files_that_hold_no_texts_are_refused_in_words(tmp_path: Path, name: str, content: str, words: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(FormatError) as refused:
        open_texts(str(tmp_path / name), None)
    assert words in str(refused.value)


@pytest.mark.parametrize("what", ["documents", "queries"])
def test_of_a_line_that_is_too_long_no_more_is_read(tmp_path: Path, what: str) -> None:
    path = tmp_path / "docs.tsv"
    path.write_bytes(b"a\tone\n")
    os.truncate(path, 200 << 20)
    tracemalloc.start()
    with pytest.raises(FormatError, match=r"docs\.tsv, line 2: expected at most 16 MB in a line"):
        open_texts(**{"documents": None, "queries": None, what: str(path)})
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64 << 20


def test_a_file_that_changed_since_gives_no_wrong_text(tmp_path: Path) -> None:
    path = tmp_path / "docs.tsv"
    path.write_text("a\tone\nb\ttwo\n")
    find = open_texts(str(path), None).document
    path.write_text("x\tone\nb\ttwo\n")
    assert find("a") is None
    assert find("b") == {"title": "", "text": "two"}


class Doc(NamedTuple):
    doc_id: str
    title: str
    text: str


def test_collections_of_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    import ir_datasets

    documents = {"d1": Doc("d1", "One", "words")}
    queries = [SimpleNamespace(query_id="7", text="who", default_text=lambda: "who is it")]

    class Store:
        def get(self, name: str) -> Any:
            return documents[name]

    made = SimpleNamespace(docs_store=Store, queries_iter=lambda: iter(queries))
    monkeypatch.setattr(ir_datasets, "load", lambda name: made if name == "some/set" else None)
    texts = open_texts("irds:some/set", "irds:some/set")
    assert texts.document("d1") == {"title": "One", "text": "words"}
    assert texts.document("d2") is None
    assert texts.queries == {"7": "who is it"}
