"""Broken submissions in every form, several runs in a file, and metadata: `check` names what is wrong with each."""

import csv
import io
import json
import lzma
import random
import tracemalloc
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import rankscale as rs
from rankscale.errors import FormatError
from rankscale.inputs.check.faults import is_table, is_trec
from rankscale.inputs.files import NamedBytes
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import listings_of

TOPICS = tuple(str(topic) for topic in range(301, 311))
DOCUMENTS = tuple(f"D{number:02}" for number in range(1, 16))
COLUMNS = ("qid", "docid", "rank", "score", "run")


class Row(NamedTuple):
    topic: str
    document: str
    rank: object
    score: object
    run: str


def rows(run: str, change: Callable[[Row], Row] = lambda row: row) -> list[Row]:
    return [
        change(Row(topic, document, rank, 20.5 - rank, run))
        for topic in TOPICS
        for rank, document in enumerate(DOCUMENTS, start=1)
    ]


# Rows by the name of the file, the kind that `check` names, and words that say where or what.
BROKEN: dict[str, tuple[list[Row], str, str]] = {
    "words": (
        rows("words", lambda row: row._replace(score="high") if row.rank == 2 else row),
        "score",
        "expected a number as score, found high",
    ),
    "twice": (
        [*rows("twice"), Row("310", "D01", 16, 1, "twice")],
        "document twice",
        "document D01 stands a second time in topic 310",
    ),
    "reversed": (
        rows("reversed", lambda row: row._replace(score=row.rank)),
        "order reversed",
        "scores rise down the rank column in 10 of 10 topics",
    ),
    "tied": (rows("tied", lambda row: row._replace(score=1)), "ties", "all scores are tied"),
    "strange": (
        rows("strange", lambda row: row._replace(document=f"doc-{row.rank}")),
        "few judged",
        "only 0.0% of the first 10 documents are judged",
    ),
    "spelled": (
        rows("spelled", lambda row: row._replace(topic=f"q{row.topic}")),
        "no topic in common",
        "the file has q301, q302, q303, ...; topics of the qrels are 301, 302, 303, ...",
    ),
    "part": (
        [row for row in rows("part") if row.topic < "304"],
        "few topics in common",
        "missing topics of the qrels: 304, 305, 306, 307, 308, 309, 310 (7 of 10)",
    ),
    "blanks": (rows("blanks and more"), "blanks in tag", "the name 'blanks and more' holds blanks"),
    "deep": (
        [*rows("deep"), *(Row("310", f"E{rank}", rank, -rank, "deep") for rank in range(16, 30))],
        "too deep",
        "1 topic has more than 20 documents, up to 29",
    ),
    "elsewhere": (rows("bm25"), "tag unlike file name", "the name is bm25, unlike the name of the file"),
    "latin": (
        rows("latin", lambda row: row._replace(document="caf\udce9") if row.rank == 15 else row),
        "not UTF-8",
        "bytes that are not UTF-8",
    ),
}
FORMS = ("csv", "jsonl", "tsv", "parquet", "arrow")


def written(path: Path, form: str, content: list[Row], columns: tuple[str, ...] = COLUMNS) -> Path:
    """A file of these rows, written by libraries that are not ours."""
    place = path.with_suffix(f".{form}")
    names = [Row._fields[COLUMNS.index(name)] for name in columns]
    cells = [[getattr(row, name) for name in names] for row in content]
    if form in {"csv", "tsv"}:
        text = io.StringIO()
        csv.writer(text, delimiter="," if form == "csv" else "\t").writerows([columns, *cells])
        place.write_bytes(text.getvalue().encode("utf-8", "surrogateescape"))
    elif form == "jsonl":
        lines = (json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n" for row in cells)
        place.write_bytes("".join(lines).encode("utf-8", "surrogateescape"))
    else:
        table = pa.table(dict(zip(columns, map(list, zip(*cells, strict=True)), strict=True)))
        if form == "parquet":
            parquet.write_table(table, place)
        else:
            feather.write_feather(table, str(place))
    return place


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "qrels.csv"
    judged = (f"{topic},{name},{place % 2}\n" for topic in TOPICS for place, name in enumerate(DOCUMENTS))
    path.write_text("qid,docid,grade\n" + "".join(judged))
    return path


# A column of numbers holds no words, and texts of Arrow are UTF-8.
CASES = [(name, form) for name in BROKEN for form in (FORMS[:3] if name in {"words", "latin"} else FORMS)]


@pytest.mark.parametrize(("name", "form"), CASES)
def test_a_broken_submission_is_named_with_what_is_wrong(name: str, form: str, qrels: Path, tmp_path: Path) -> None:
    content, kind, words = BROKEN[name]
    result = rs.check(written(tmp_path / name, form, content), qrels=qrels, max_depth=20)
    all_lines = form == "jsonl" and name == "words"  # of JSON Lines all errors are named, one in each topic
    assert [problem.kind for problem in result.problems] == [kind] * (len(TOPICS) if all_lines else 1)
    assert words in result.problems[0].text
    is_readable = kind not in {"score", "document twice"}
    assert [notice["form"] for notice in result.notices] == ["csv", *[form] * is_readable]


@pytest.mark.parametrize("form", FORMS)
def test_a_good_one_is_described(form: str, qrels: Path, tmp_path: Path) -> None:
    result = rs.check(written(tmp_path / "fine", form, rows("fine")), qrels=qrels, max_depth=20)
    assert result.is_well
    (fine,) = result.submissions
    assert (fine.run, fine.topics, fine.documents, fine.shortest, fine.longest) == ("fine", 10, 150, 15, 15)
    assert (fine.judged, fine.tied, fine.form) == (1.0, 0.0, form)
    assert result.to_polars()["form"].to_list() == [form]


@pytest.mark.parametrize("form", FORMS)
def test_a_line_for_each_run_of_a_file(form: str, tmp_path: Path) -> None:
    content = [*rows("a"), *rows("b", lambda row: row._replace(score=row.rank)), *rows("c")[:15]]
    path = written(tmp_path / "all", form, content)
    other = written(tmp_path / "c", form, rows("c"), ("qid", "docid", "score"))
    result = rs.check([path, other], topics=TOPICS)
    kinds = [(one.run, one.topics, [problem.kind for problem in one.problems]) for one in result.submissions]
    assert kinds == [
        ("a", 10, []),
        ("b", 10, ["order reversed"]),
        ("c", 1, ["few topics in common", "tags clash"]),
        ("c", 10, ["tags clash"]),
    ]
    assert result.readable == (str(path), str(other))
    assert f"{path}, run b\n  ! scores rise" in result.only_problems().text()
    assert (result.problems[0].run, result.problems[0].kind) == ("b", "order reversed")
    assert repr(result) == "<Check of 2 files: 2 with problems>"


@pytest.mark.parametrize(
    ("name", "content", "tied"),
    [
        ("marco.tsv", "1\ta\t1\n1\tb\t2\n", None),
        ("four.txt", "1 a 1 9\n1 b 2 9\n", 1.0),
        ("nested.json", '{"1": {"a": 2, "b": 1}}', 0.0),
        ("lists.json", '{"1": ["a", "b"]}', None),
        ("rankings.jsonl", '{"qid": 1, "results": [{"docid": "a", "score": 2}, {"docid": "b", "score": 2}]}\n', 1.0),
        ("ranked.csv", "qid,docid,rank\n1,a,1\n1,b,2\n", None),
    ],
)
def test_other_forms(name: str, content: str, tied: float | None, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    (one,) = rs.check(path, topics=["1"]).submissions
    assert (one.topics, one.documents, one.tied) == (1, 2, tied)
    assert [problem.kind for problem in one.problems] == (["ties"] if tied == 1 else [])


def test_errors_of_json_lines_are_named_whatever_blanks_stand_in_them(tmp_path: Path) -> None:
    """Each line has six words or more, the fifth a number, as lines of TREC runs have."""
    path = tmp_path / "run.jsonl"
    lines = [f'{{"score" : {score} , "qid" : 1 , "docid" : "d{score}"}}\n' for score in (3, 2, 2)]
    path.write_text("".join(lines))
    texts = [problem.text for problem in rs.check(path).problems]
    assert texts == [f"{path}, line 3: document d2 stands a second time in topic 1 (first in line 2)"]


def test_what_the_reader_says_is_the_problem(tmp_path: Path) -> None:
    short = tmp_path / "short.csv"
    short.write_text("qid,docid,score\n1,a,2\n1,b\n")
    unknown = tmp_path / "unknown.csv"
    unknown.write_text("query,link,s\n1,a,2\n")
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"qid": "1", "docid": "a", "score": 2}\n{"qid": "1", "docid": "b", "score": 1\n')
    header = tmp_path / "header.txt"
    header.write_text("topic Q0 docno rank score tag\n1 Q0 a 1 high x\n")
    problems = rs.check([short, unknown, broken, header]).problems
    assert [(problem.level, problem.kind) for problem in problems] == [
        ("error", "columns"),
        ("error", "columns"),
        ("error", "unreadable"),
        ("error", "score"),
    ]
    assert problems[0].text.startswith(f"{short}, line 3: expected 3 columns as in line 1, found 2 columns")
    assert problems[3].text.startswith(f"{header}, line 2")
    assert rs.check(unknown, columns={"topic": "query", "document": "link", "score": "s"}).is_well


def written_lines(path: Path, *rows: Mapping[str, object]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_errors_are_listed_where_many_lines_come_first_that_are_wrong(tmp_path: Path) -> None:
    wrong = [{"qid": "1", "docid": f"w{place}", "score": "x"} for place in range(21)]
    right = [{"qid": "1", "docid": f"r{place}", "score": place} for place in range(30)]
    path = written_lines(tmp_path / "run.jsonl", *wrong, *right)
    problems = rs.check(path).problems
    assert len(problems) == 21
    assert {problem.kind for problem in problems} == {"score"}
    assert problems[-1].text == f"{path}: 1 more error of this kind (score)"
    alone = rs.check(written_lines(tmp_path / "alone.jsonl", *wrong))
    assert len(alone.problems) == 21
    assert alone.submissions[0].lines == 21


def test_what_most_lines_are_like_is_right(tmp_path: Path) -> None:
    """A line that alone could be read is called wrong, and not the fifty others."""
    rows: list[dict[str, object]] = [
        {"qid": "1", "docid": "a", "score": "x"},
        {"qid": "1", "docid": "b", "rank": 1},
        *({"qid": "1", "docid": f"d{place}", "score": place} for place in range(50)),
    ]
    path = written_lines(tmp_path / "run.jsonl", *rows)
    texts = [problem.text.removeprefix(f"{path}, ") for problem in rs.check(path).problems]
    assert [text.partition(",")[0] for text in texts] == ["line 1", "line 2"]
    assert "expected a number as score, found x" in texts[0]
    assert "expected an object with the score, found none" in texts[1]
    nested: list[dict[str, object]] = [
        {"qid": str(t), "results": [{"docid": "a"} if t == 1 else {"docid": "a", "score": 2}]} for t in range(6)
    ]
    (problem,) = rs.check(written_lines(tmp_path / "nested.jsonl", *nested)).problems
    assert problem.text.startswith(f"{tmp_path / 'nested.jsonl'}, line 2")


@pytest.mark.parametrize("first", [{"qid": "0", "docid": "z", "score": 1}, {"qid": "0", "docid": "z", "score": "x"}])
def test_all_errors_of_json_lines_are_listed(first: dict[str, object], tmp_path: Path) -> None:
    """Scores of every third line are no numbers, every hundredth is cut, those from 1000 on repeat lines 2 to 30."""
    path, chance = tmp_path / "many.jsonl", random.Random(3)
    made = [json.dumps({"qid": "1", "docid": f"d{line}", "score": chance.random()}) for line in range(2, 1000)]
    expected = {"score": [1] if first["score"] == "x" else [], "unreadable": [], "document twice": []}
    for line in range(2, 1000):
        if line % 100 == 0:
            made[line - 2] = made[line - 2][:-1]
            expected["unreadable"].append(line)
        elif line % 3 == 0:
            made[line - 2] = made[line - 2].replace('"score": ', '"score": "high')[:-1] + '"}'
            expected["score"].append(line)
    for line, again in enumerate(range(2, 31), start=1000):
        made.append(json.dumps({"qid": "1", "docid": f"d{again}", "score": 1}))
        if again not in expected["score"]:
            expected["document twice"].append(line)
    path.write_text("\n".join([json.dumps(first), *made]))
    result = rs.check(path)
    assert result.submissions[0].lines == 1028
    for kind, lines in expected.items():
        texts = [problem.text for problem in result.problems if problem.kind == kind]
        shown = [int(text.removeprefix(f"{path}, line ").partition(",")[0].partition(":")[0]) for text in texts[:20]]
        assert shown == lines[:20]
        more = len(lines) - 20
        assert texts[20:] == ([f"{path}: {more} more errors of this kind ({kind})"] if more > 0 else [])
    texts = [problem.text for problem in result.problems]
    column = made[1].index("high") + 1
    assert any(
        one.startswith(f"{path}, line 3, column {column}: expected a number as score, found high") for one in texts
    )
    assert f"{path}, line 1000: document d2 stands a second time in topic 1 (first in line 2)" in texts


def test_repeated_documents_can_be_meant(tmp_path: Path) -> None:
    for name, text in {
        "passages.csv": "qid,docid,rank,score\n1,a#1,1,3\n1,a#2,2,2\n1,b#1,3,1\n",
        "passages.txt": "1 Q0 a#1 1 3 passages\n1 Q0 a#2 2 2 passages\n1 Q0 b#1 3 1 passages\n",
    }.items():
        (tmp_path / name).write_text(text)
        (problem,) = rs.check(tmp_path / name, document_from="^(.*)#").problems
        assert (problem.level, problem.kind) == ("error", "document twice")
        result = rs.check(tmp_path / name, qrels={"1": {"a": 1}}, document_from="^(.*)#", duplicates="best")
        assert result.is_well
        (one,) = result.submissions
        assert (one.documents, one.longest, one.tied) == (2, 2, 0.0)
        assert "1 document stands in a ranking again" in str(result.notices[-1]["text"])
    (tmp_path / "bad.txt").write_text("1 Q0 a 1 3 bad\n1 Q0 a 2 2 bad\n1 Q0 b 3 high bad\n")
    assert [problem.kind for problem in rs.check(tmp_path / "bad.txt", duplicates="best").problems] == ["score"]


@pytest.mark.parametrize("form", FORMS)
def test_ranks_and_scores_by_a_slow_count(form: str, tmp_path: Path) -> None:
    draw = np.random.default_rng(7)
    content = [
        Row(f"t{topic}", f"d{place}", int(rank), float(draw.integers(0, 4)), f"r{run}")
        for run in range(3)
        for topic in draw.permutation(5)
        for place, rank in enumerate(draw.permutation(8))
    ]
    path = written(tmp_path / "drawn", form, content)
    for order, field in (("score", "score"), ("rank", "rank")):
        for listing in listings_of(str(path), Reading(), order):
            topics = np.repeat(np.array(listing.topics), listing.lengths).tolist()
            listed = set(zip(topics, listing.documents(), listing.numbers.tolist(), strict=True))
            own = [row for row in content if row.run.encode() == listing.run]
            assert listed == {(row.topic.encode(), row.document.encode(), float(getattr(row, field))) for row in own}
    for one in rs.check(path).submissions:
        own = [row for row in content if row.run == one.run]
        alike = [sum((o.topic, o.score) == (row.topic, row.score) for o in own) > 1 for row in own]
        assert one.tied == pytest.approx(sum(alike) / len(alike))
        rises = 0
        for topic in {row.topic for row in own}:
            scores = [row.score for row in sorted((r for r in own if r.topic == topic), key=lambda r: r.rank)]  # type: ignore[arg-type, return-value]
            rises += int(np.sign(np.diff(scores)).sum() > 0)  # type: ignore[arg-type]
        assert ("order reversed" in [problem.kind for problem in one.problems]) == (rises > 2.5)


def test_ranks_that_say_nothing_reverse_nothing(tmp_path: Path) -> None:
    path = written(tmp_path / "flat", "csv", rows("flat", lambda row: row._replace(rank=0)))
    assert rs.check(path).is_well


HEADER = """# ir_metadata.start
# schema version: 0.2
# platform:
#   hardware:
#     cpu: "two cores"
#   libraries:
#     python:
#     - numpy
#     - rankscale
# research goal:
#   venue:
#     name: a workshop
# actor:
#   team: ours
#   name: >
#     a long
#     name
# ir_metadata.end
"""
FIELDS = {
    "schema version": "0.2",
    "platform.hardware.cpu": "two cores",
    "platform.libraries.python": "numpy, rankscale",
    "research goal.venue.name": "a workshop",
    "actor.team": "ours",
    "actor.name": "a long name",
}


def test_metadata_in_comments_is_kept(tmp_path: Path) -> None:
    path, plain = tmp_path / "mine.txt", tmp_path / "other.txt"
    path.write_text(HEADER + "1 Q0 a 1 2 mine\n1 Q0 b 2 1 mine\n")
    plain.write_text("# no metadata\n1 Q0 a 1 2 other\n")
    result = rs.check([path, plain])
    assert result.is_well
    assert dict(result.submissions[0].metadata) == FIELDS
    assert result.submissions[1].metadata == ()
    assert f"{path} has ir_metadata, 6 fields:\n    schema version: 0.2\n" in result.text()
    cells: list[Any] = result.to_polars()["ir_metadata"].to_list()
    assert cells[1] is None
    assert "actor.team: ours" in cells[0]
    assert "ir_metadata" not in rs.check(plain).table().columns


def test_metadata_of_a_run_directory(tmp_path: Path) -> None:
    (tmp_path / "ir-metadata.yml").write_text("ir_metadata.start\nmethod:\n  name: ours\nir_metadata.end\n")
    (tmp_path / "run.txt").write_text("1 Q0 a 1 2 ours\n")
    result = rs.check(tmp_path)
    assert result.is_well  # its file is called run.txt, whatever the tag
    assert result.submissions[0].metadata == (("method.name", "ours"),)


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ('"a: b": c', ("a: b", "c")),
        ("url: http://x.y/z", ("url", "http://x.y/z")),
        ("a" + " " * 500_000 + "b: c", None),
        ("no field", None),
        ('"open: c', ('"open', "c")),
    ],
)
def test_lines_of_metadata(line: str, field: tuple[str, str] | None, tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text(f"# ir_metadata.start\n# {line}\n1 Q0 a 1 2 mine\n")
    metadata = rs.check(path).submissions[0].metadata
    assert len(metadata) == (line != "no field")
    assert field is None or metadata == (field,)


def test_a_large_header_is_read_at_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("# ir_metadata.start\n# a: b\n" + "#   more\n" * 200_000 + "1 Q0 a 1 2 mine\n")
    (field,) = rs.check(path).submissions[0].metadata
    assert field[1].startswith("b more more")


def test_a_packed_file_may_hold_no_more_than_where_it_is_evaluated(tmp_path: Path) -> None:
    """Its rows are counted by its packed bytes, although its text is looked at unpacked."""
    path = tmp_path / "run.json.xz"
    text = ",".join(f'"{topic}":{{}}' for topic in range(600_000))
    path.write_bytes(lzma.compress(f"{{{text}}}".encode(), preset=1))
    with pytest.raises(FormatError, match="packed bytes") as refused:
        rs.evaluate({"1": {"a": 1}}, path, "AP")
    (problem,) = rs.check(path).problems
    assert problem.kind == "unreadable"
    assert problem.text == str(refused.value)


@pytest.mark.parametrize("separator", [b" ", b",", b"\t"])
def test_a_line_of_very_many_words_is_not_taken_apart(separator: bytes) -> None:
    """Each word as an object of its own would take fifteen times the room of the text."""
    content = (b"ab" + separator) * 1_000_000 + b"\n"
    source = NamedBytes("run", content)
    tracemalloc.start()
    try:
        assert is_trec(source, Reading())
        assert is_table(source) == (separator != b" ")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 8 * len(content)
