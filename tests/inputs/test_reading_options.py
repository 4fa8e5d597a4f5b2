"""What users say about files: their form, their columns, repeated documents, passages, judgments to be merged."""

import gzip
from pathlib import Path

import fsspec
import pytest

import rankscale as rs
from rankscale.errors import DuplicateError, FormatError, InputError, MissingExtraError, ParameterError

QRELS = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}}


def documents(source: object, **options: object) -> list[tuple[tuple[str, ...], ...] | None]:
    runs = rs.read_runs(QRELS, source, keep_documents=True, **options)  # type: ignore[arg-type]
    return [run.documents for run in runs]


def test_columns_by_name_and_by_number() -> None:
    named = b"question;passage;weight\n1;a;2\n1;b;3\n2;a;1\n"
    assert documents(named, columns="topic=question,document=passage,score=weight") == [(("b", "a"), ("a",))]
    assert documents(named, columns={"topic": "Question", "document": 2, "score": 3}) == [(("b", "a"), ("a",))]
    bare = b"1,a,2\n1,b,3\n2,a,1\n"
    assert documents(bare, columns={"topic": 1, "document": 2, "score": 3}) == [(("b", "a"), ("a",))]
    assert documents(bare, columns={"topic": 1, "document": 2, "rank": 3}) == [(("a", "b"), ("a",))]


def test_columns_that_are_not_there() -> None:
    with pytest.raises(FormatError, match=r"line 1: expected a column nope with the scores, found qid, docno and x"):
        documents(b"qid,docno,x\n1,a,2\n", columns="score=nope")
    with pytest.raises(FormatError, match="expected a column 4 with the scores, found 3 columns"):
        documents(b"1,a,2\n", columns="topic=1,document=2,score=4")
    with pytest.raises(ParameterError, match=r"columns: there is no 'qid', there are topic, document"):
        documents(b"1,a,2\n", columns="qid=1")
    with pytest.raises(ParameterError, match=r"columns: topic needs one column"):
        documents(b"1,a,2\n", columns="topic=1,topic=2")
    with pytest.raises(ParameterError, match="columns must be a map"):
        documents(b"1,a,2\n", columns=3)


def test_a_form_that_is_given_is_taken() -> None:
    scores = b"1\ta\t7\n1\tb\t9\n"
    with pytest.raises(FormatError, match="which may be scores or ranks"):
        documents(scores)
    assert documents(scores, form="msmarco") == [(("a", "b"),)]
    with pytest.raises(FormatError, match="expected: topic Q0 document rank score tag, found 3 columns"):
        documents(scores, form="trec")
    with pytest.raises(FormatError, match="bytes: expected parquet, found text"):
        documents(scores, form="parquet")
    with pytest.raises(ParameterError, match="form must be trec, msmarco, tsv"):
        documents(scores, form="xml")


def test_qrels_and_runs_are_not_taken_for_each_other() -> None:
    with pytest.raises(FormatError, match="expected: topic Q0 document rank score tag, found 4 columns"):
        documents(b"1 0 7 1\n1 0 8 0\n")  # documents that are numbers look like ranks
    with pytest.raises(FormatError, match="which may be the ranks of a run"):
        rs.read_qrels(b"".join(b"1\td%d\t%d\n" % (rank, rank) for rank in range(1, 9)))
    with pytest.raises(FormatError, match="found a score and a rank, which are those of a run"):
        rs.read_qrels(b"qid,docno,rank,score\n1,a,1,2.5\n")
    with pytest.raises(FormatError, match="expected a column with the score or rank"):
        documents(b"qid,docno,relevance\n1,a,1\n")
    with pytest.raises(FormatError, match="expected an object with the score, found none"):
        documents(b'{"qid": 1, "docno": "a", "relevance": 1}\n')
    assert documents(b"qid,docno,relevance\n1,a,1\n", order="file") == [(("a",),)]


REPEATED = b"1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 a 3 5 t\n1 Q0 b 4 1 t\n"


def test_repeated_documents() -> None:
    with pytest.raises(DuplicateError, match="duplicates='best'"):
        documents(REPEATED)
    assert documents(REPEATED, duplicates="best") == [(("a", "b"),)]
    kept = rs.read_run(QRELS, REPEATED, duplicates="best", keep_scores=True)
    assert kept.score is not None
    assert kept.score.tolist() == [5, 2]
    first = rs.read_run(QRELS, REPEATED, duplicates="first", keep_scores=True)
    assert first.score is not None
    assert first.score.tolist() == [3, 2]
    assert kept.warnings == ("bytes: 2 documents stand in a ranking again; the one ranked highest is kept",)
    with pytest.raises(ParameterError, match="duplicates must be error, best or first, got 'last'"):
        documents(REPEATED, duplicates="last")


@pytest.mark.parametrize("order", ["score", "score64", "rank", "file"])
def test_the_best_is_that_of_the_order(order: str) -> None:
    best = {"score": ("a", "b"), "score64": ("a", "b"), "rank": ("a", "b"), "file": ("a", "b")}[order]
    assert documents(REPEATED, duplicates="best", order=order) == [(best,)]
    lines = REPEATED.splitlines(keepends=True)
    turned = b"".join([lines[3], lines[1], lines[2], lines[0]])
    expected = {"score": "ab", "score64": "ab", "rank": "ab", "file": "ba"}[order]
    assert documents(turned, duplicates="best", order=order) == [(tuple(expected),)]


def test_passages_count_for_their_documents() -> None:
    passages = b"qid,docid,score\n1,c#p2,9\n1,a#p1,8\n1,c#p1,7\n1,x,6\n2,a#p9,5\n"
    by_document = rs.read_run(QRELS, passages, document_from="^(.*)#", duplicates="best", keep_documents=True)
    assert by_document.documents == (("c", "a", "x"), ("a",))
    assert "1 of 5 documents are not as '^(.*)#' says, and keep their names" in by_document.warnings[1]
    by_hand = {"1": {"c": 9.0, "a": 8.0, "x": 6.0}, "2": {"a": 5.0}}
    measures = ["AP", "nDCG@10", "RR"]
    assert (
        rs.evaluate(QRELS, by_document, measures).values.tolist()
        == rs.evaluate(QRELS, by_hand, measures).values.tolist()
    )
    for same in ({"1": {"c#p2": 9.0, "a#p1": 8.0, "c#p1": 7.0, "x": 6.0}, "2": {"a#p9": 5.0}},):
        (read,) = documents(same, document_from="^(.*)#", duplicates="best")
        assert read == by_document.documents


def test_patterns_that_are_none() -> None:
    with pytest.raises(ParameterError, match="expected a regular expression"):
        documents(REPEATED, document_from="(")
    with pytest.raises(ParameterError, match="expected a group"):
        documents(REPEATED, document_from="a#")
    with pytest.raises(InputError, match="matches no document"):
        documents(REPEATED, document_from="^(.*)#", duplicates="best")


def test_judgments_of_several_files_are_merged(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 0 x 1\n1 0 y 0\n")
    (tmp_path / "b.csv").write_text("qid,docid,label\n1,x,2\n2,z,1\n")
    both = [tmp_path / "a.txt", tmp_path / "b.csv"]
    with pytest.raises(DuplicateError, match="document x is judged twice for topic 1"):
        rs.read_qrels(both)
    merged = {"max": 2, "min": 1, "mean": 1.5}
    for merge, grade in merged.items():
        expected = {"1": {"x": grade, "y": 0}, "2": {"z": 1}}
        assert rs.read_qrels(both, merge=merge).to_dict() == expected
        assert rs.read_qrels(tmp_path, merge=merge).to_dict() == expected
        assert rs.read_qrels(f"{tmp_path}/*", merge=merge).to_dict() == expected
    assert rs.read_qrels(both, merge="mean").levels.tolist() == [0, 1, 1.5]
    rows = [("1", "x", 1), ("1", "x", 3), ("1", "x", 2)]
    assert rs.read_qrels(rows, merge="mean").levels.tolist() == [2]
    by_subtopic = rs.read_qrels(b"1 s x 1\n1 s x 0.5\n1 t x 1\n1 s x 0.5\n", merge="mean").judgments_by_aspect()
    assert sorted(by_subtopic) == [("s", "1", "x", 2 / 3), ("t", "1", "x", 1.0)]
    with pytest.raises(ParameterError, match="merge must be error, max, min or mean"):
        rs.read_qrels(both, merge="sum")


def test_remote_files_are_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    with fsspec.open("memory://runs/mine.csv.gz", "wb") as file:
        file.write(gzip.compress(b"qid,docid,score\n1,a,2\n"))
    (run,) = rs.read_runs(QRELS, "memory://runs/mine.csv.gz")
    assert (run.name, run.length.tolist()) == ("mine", [1])
    with pytest.raises(FileNotFoundError, match=r"memory://runs/none\.csv: there is no such file"):
        rs.read_runs(QRELS, "memory://runs/none.csv")
    with pytest.raises(InputError, match=r"nowhere://x: cannot be read"):
        rs.read_runs(QRELS, "nowhere://x")
    with pytest.raises(InputError, match="holds more than the 3 bytes allowed"):
        rs.read_runs(QRELS, "memory://runs/mine.csv.gz", max_size=3)
    monkeypatch.setitem(__import__("sys").modules, "fsspec", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'rankscale\[remote\]'"):
        rs.read_runs(QRELS, "memory://runs/mine.csv.gz")


def test_a_name_is_for_one_run() -> None:
    two = b"run,qid,docid,score\nx,1,a,2\ny,1,a,2\n"
    assert [run.name for run in rs.read_runs(QRELS, two)] == ["x", "y"]
    with pytest.raises(InputError, match=r"bytes: there are 2 runs \(x, y\), and the name mine is for one"):
        rs.read_runs(QRELS, {"mine": two})
    with pytest.raises(InputError, match="expected one run, found 2; read_runs reads several"):
        rs.read_run(QRELS, two)


def test_topics_that_start_like_json_are_topics() -> None:
    qrels = {"{x": {"a": 1}, "[1]": {"a": 1}}
    text = b"{x Q0 a 1 2 t\n[1] Q0 a 1 2 t\n"
    assert rs.read_run(qrels, text).length.tolist() == [1, 1]
