"""Twelve broken submissions, each named by `check` with what is wrong with it, and sixty good ones checked quickly."""

import bz2
import gzip
import json
import lzma
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import rankscale as rs
from rankscale.inputs.check.faults import SHOWN
from rankscale.inputs.check.lines import _unusual, _usual, blocks, columns_of
from rankscale.inputs.check.result import Check

TOPICS = tuple(str(topic) for topic in range(301, 311))
DOCUMENTS = tuple(f"D{number:02}" for number in range(1, 16))
Line = Callable[[str, int], str]


def lines(tag: str, line: Line | None = None) -> str:
    """A run over all topics; `line` is what stands at each topic and rank."""
    made = line or (lambda topic, rank: f"{topic} Q0 {DOCUMENTS[rank - 1]} {rank} {20 - rank} {tag}")
    return "".join(made(topic, rank) + "\n" for topic in TOPICS for rank in range(1, len(DOCUMENTS) + 1))


def usual(tag: str, topic: str, rank: int, *, document: str = "", score: str = "") -> str:
    return f"{topic} Q0 {document or DOCUMENTS[rank - 1]} {rank} {score or 20 - rank} {tag}"


# What each is, its bytes, the kind that `check` names, and words that say where or what.
BROKEN: dict[str, tuple[bytes, str, str]] = {
    "columns": (
        (lines("columns") + "310 Q0 D99 16 3\n").encode(),
        "columns",
        "line 151: expected: topic Q0 document rank score tag, found 5 columns",
    ),
    "words": (
        lines("words", lambda t, r: usual("words", t, r, score="high" if r == 2 else "")).encode(),
        "score",
        "line 2: expected a number as score, found high",
    ),
    "twice": (
        (lines("twice") + "301 Q0 D01 16 1 twice\n").encode(),
        "document twice",
        "line 151: document D01 stands a second time in topic 301 (first in line 1)",
    ),
    "cut": (gzip.compress(lines("cut").encode())[:-40], "unreadable", "damaged"),
    "midway": (
        gzip.compress(lines("midway").encode(), 0)[:2000],  # stored, so that what is left ends within a line
        "unreadable",
        "breaks off or is damaged",
    ),
    "commas": (
        lines("commas").replace(" ", ",").encode(),
        "columns",
        "(no line has 6 columns)",
    ),
    "empty": (b"", "unreadable", "found no line at all"),
    "reversed": (
        lines("reversed", lambda t, r: usual("reversed", t, r, score=str(r))).encode(),
        "order reversed",
        "scores rise down the rank column in 10 of 10 topics",
    ),
    "swapped": (
        lines("swapped", lambda t, r: f"{t} Q0 {DOCUMENTS[r - 1]} {20.5 - r / 4} {r} swapped").encode(),
        "rank and score swapped",
        "the score column counts up as ranks do, and the rank column falls as scores do, in 10 of 10 topics",
    ),
    "swapped-from-0": (
        lines(
            "swapped-from-0", lambda t, r: f"{t} Q0 {DOCUMENTS[r - 1]} {10 * (20 - r)} {r - 1} swapped-from-0"
        ).encode(),
        "rank and score swapped",
        "or say where the scores are with columns=",
    ),
    "document-first": (
        lines("document-first", lambda t, r: f"{t} {DOCUMENTS[r - 1]} Q0 {r} {20 - r} document-first").encode(),
        "columns swapped",
        "the third column, which names the document, is Q0 in every line, and the second varies",
    ),
    "tied": (lines("tied", lambda t, r: usual("tied", t, r, score="1")).encode(), "ties", "all scores are tied"),
    "strange": (
        lines("strange", lambda t, r: usual("strange", t, r, document=f"doc-{r}")).encode(),
        "few judged",
        "only 0.0% of the first 10 documents are judged",
    ),
    "spelled": (
        lines("spelled", lambda t, r: usual("spelled", f"q{t}", r)).encode(),
        "no topic in common",
        "the file has q301, q302, q303, ...; topics of the qrels are 301, 302, 303, ...",
    ),
    "part": (
        "".join(usual("part", t, r) + "\n" for t in TOPICS[:3] for r in (1, 2)).encode(),
        "few topics in common",
        "missing topics of the qrels: 304, 305, 306, 307, 308, 309, 310 (7 of 10)",
    ),
    "blanks": (lines("blanks and more").encode(), "blanks in tag", "the tag 'blanks and more' holds blanks"),
    "deep": (
        (lines("deep") + "".join(f"301 Q0 E{rank} {rank} -{rank} deep\n" for rank in range(16, 30))).encode(),
        "too deep",
        "1 topic has more than 20 documents, up to 29",
    ),
    "elsewhere": (lines("bm25").encode(), "tag unlike file name", "the tag is bm25, unlike the name of the file"),
    "latin": (lines("latin-\xe9").encode("latin-1"), "not UTF-8", "bytes that are not UTF-8"),
}


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "qrels.txt"
    path.write_text(
        "".join(f"{topic} 0 {name} {place % 2}\n" for topic in TOPICS for place, name in enumerate(DOCUMENTS))
    )
    return path


@pytest.fixture
def checked(tmp_path: Path, qrels: Path) -> Check:
    folder = tmp_path / "runs"
    folder.mkdir()
    for name, (content, _, _) in BROKEN.items():
        (folder / f"{name}.txt").write_bytes(content)
    (folder / "fine.txt").write_text(lines("fine"))
    return rs.check(f"{folder}/*.txt", qrels=qrels, max_depth=20)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_submission_is_named_with_what_is_wrong(name: str, checked: Check) -> None:
    (submission,) = (one for one in checked.submissions if one.file.endswith(f"/{name}.txt"))
    _, kind, words = BROKEN[name]
    assert [problem.kind for problem in submission.problems] == ([kind] * len(submission.problems) or "none")
    assert words in submission.problems[0].text


def test_a_good_one_is_described(checked: Check) -> None:
    (fine,) = (one for one in checked.submissions if one.file.endswith("fine.txt"))
    assert fine.problems == ()
    assert (fine.run, fine.topics, fine.documents, fine.shortest, fine.longest) == ("fine", 10, 150, 15, 15)
    assert (fine.judged, fine.tied) == (1.0, 0.0)
    assert len(checked.readable) == len(BROKEN) + 1 - 8  # eight have errors
    assert {one.file for one in checked.only_problems().submissions} == {
        one.file for one in checked.submissions if one is not fine
    }


def test_swapped_columns_are_one_problem(checked: Check) -> None:
    (one,) = (one for one in checked.submissions if one.file.endswith("document-first.txt"))
    (problem,) = one.problems
    assert "columns='topic=1,document=2,score=5'" in problem.text  # which reads it as it is
    qrels = checked.qrels
    assert qrels is not None
    as_it_is = rs.read_runs(qrels, one.file, columns={"topic": 1, "document": 2, "score": 5})
    values = [
        rs.evaluate(qrels, run, "AP").values.tolist() for run in (as_it_is, one.file.replace("document-first", "fine"))
    ]
    assert values[0] == values[1]


def test_swapped_ranks_with_gaps_are_seen(tmp_path: Path) -> None:
    """Some runs leave out ranks, and some have scores that do not follow them; what scores are is no whole number."""
    gaps, loose = tmp_path / "gaps.txt", tmp_path / "loose.txt"
    gaps.write_text(lines("gaps", lambda t, r: f"{t} Q0 {DOCUMENTS[r - 1]} {20.5 - r / 4} {r + r // 4} gaps"))
    loose.write_text(lines("loose", lambda t, r: f"{t} Q0 {DOCUMENTS[r - 1]} {(7 * r % 16) / 8} {r} loose"))
    assert {problem.kind for problem in rs.check([gaps, loose]).problems} == {"rank and score swapped"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "least", "of"),
    [("trec8_adhoc", 117, 129), ("trec5_adhoc", 61, 61), ("dl21_passage_judged", 63, 63)],
)
def test_swapped_columns_of_real_runs_are_seen(
    folder: str, least: int, of: int, shared_data: Path, tmp_path: Path
) -> None:
    """The first 100 lines of each topic. The runs that are not seen have N - rank as their score, or the like."""
    seen, sources = 0, sorted((shared_data / folder / "runs").iterdir())
    for source in sources:
        by_topic: dict[bytes, list[list[bytes]]] = {}
        for line in b"".join(blocks(str(source))).split(b"\n"):
            fields = line.split()
            if fields and len(by_topic.setdefault(fields[0], [])) < 100:
                by_topic[fields[0]].append(fields)
        path = tmp_path / "run"
        for is_swapped in (True, False):
            columns = [0, 1, 2, 4, 3, 5] if is_swapped else range(6)
            written = (b" ".join(one[place] for place in columns) for of_topic in by_topic.values() for one in of_topic)
            path.write_bytes(b"\n".join(written) + b"\n")
            called = any(problem.kind == "rank and score swapped" for problem in rs.check(path).problems)
            assert not called or is_swapped, source.name
            seen += called
    assert len(sources) == of
    assert seen >= least


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{topic} d{topic} Q0 1 9 swapped\n" for topic in range(50)),
        "".join(f"{t} d{t}{r} {'Q0' if t < 3 else '0'} {r} {9 - r} swapped\n" for t in range(20) for r in range(3)),
    ],
    ids=["one-document-a-topic", "two-spellings"],
)
def test_documents_in_the_second_column_are_one_problem(text: str, tmp_path: Path) -> None:
    path = tmp_path / "swapped.txt"
    path.write_text(text)
    (problem,) = rs.check(path).problems
    assert (problem.level, problem.kind) == ("error", "columns swapped")
    assert "columns='topic=1,document=2,score=5'" in problem.text
    assert f"is {'Q0 or 0' if ' 0 ' in text else 'Q0'} in every line" in problem.text


def test_one_document_for_all_topics_is_no_swap(tmp_path: Path) -> None:
    path = tmp_path / "same.txt"
    path.write_text("".join(f"{topic} Q0 best 1 9 same\n" for topic in range(50)))
    assert rs.check(path).is_well


@pytest.mark.parametrize(
    "line",
    [
        lambda rank: f"{2 * rank + 1} {16 - rank}" if rank > 13 else f"{rank} {17 - rank}",
        lambda rank: f"{rank} {16 - rank}",  # as `fuse --scores rank` writes it
        lambda rank: f"{rank + 5} {16 - rank}",
        lambda rank: f"{rank - 1} {15 - rank}",
        lambda rank: f"1 {16 - rank}",
        lambda rank: f"{rank} {20.5 - rank}",
    ],
)
def test_ranks_that_are_ranks_are_not_called_swapped(line: Callable[[int], str], tmp_path: Path) -> None:
    path = tmp_path / "fine.txt"
    path.write_text(lines("fine", lambda t, r: f"{t} Q0 {DOCUMENTS[r - 1]} {line(r)} fine"))
    assert rs.check(path).is_well


@pytest.mark.parametrize("pack", [bytes, gzip.compress, lzma.compress, bz2.compress])
def test_a_byte_order_mark_is_skipped_as_in_evaluate(
    pack: Callable[[bytes], bytes], tmp_path: Path, qrels: Path
) -> None:
    path, marked = tmp_path / "fine.txt", tmp_path / "marked.txt"
    path.write_text(lines("fine"))
    marked.write_bytes(pack(b"\xef\xbb\xbf" + path.read_bytes().replace(b"fine", b"marked")))
    first, second = (rs.check(one, qrels=qrels).submissions[0] for one in (path, marked))
    assert second.problems == ()
    assert (second.topics, second.documents, second.judged) == (first.topics, first.documents, first.judged)
    values = [rs.evaluate(qrels, one, "AP", missing="error").values.tolist() for one in (path, marked)]
    assert values[0] == values[1]
    marked.write_bytes(pack(b"\xef\xbb\xbf1 Q0 a 1 x marked\n1 Q0 b 2 3 marked\n1 Q0 b 3 2 marked\n"))
    assert [problem.text for problem in rs.check(marked).problems] == [
        f"{marked}, line 1: expected a number as score, found x",
        f"{marked}, line 3: document b stands a second time in topic 1 (first in line 2)",
    ]


def test_tags_that_clash(tmp_path: Path) -> None:
    for name in ("bm25-a", "bm25-b"):
        (tmp_path / name).write_text(lines("bm25"))
    result = rs.check([tmp_path / "bm25-a", tmp_path / "bm25-b"])
    assert [problem.kind for problem in result.problems] == ["tags clash"] * 2
    assert result.problems[0].text == f"the tag bm25 is that of {tmp_path / 'bm25-b'}, too"


def test_all_errors_are_counted_and_the_first_twenty_listed(tmp_path: Path) -> None:
    path = tmp_path / "many.txt"
    path.write_text(lines("many", lambda t, r: f"{t} Q0 D{r}") + "1 Q0 a 1 much many\n1 Q0 a 1 1 many\n")
    problems = rs.check(path).problems
    assert [problem.kind for problem in problems] == ["columns"] * (SHOWN + 1) + ["score", "document twice"]
    assert problems[SHOWN].text == f"{path}: 130 more errors of this kind (columns)"
    assert problems[-2].text == f"{path}, line 151: expected a number as score, found much"
    assert problems[-1].text.startswith(f"{path}, line 152: document a stands a second time in topic 1")


@pytest.mark.parametrize(
    "content",
    ["301\tfirst\n302\tsecond\n", "301:first\n302:second\n", '{"qid": 301}\n{"qid": 302}\n',
     "<top>\n<num> Number: 301\n<title> a\n</top>\n<top>\n<num> Number: 302\n</top>\n",
     '<topic number="301"><query>a</query></topic>\n<topic number="302"></topic>\n'],
)  # fmt: skip
def test_topics_of_a_file(content: str, tmp_path: Path) -> None:
    topics, run = tmp_path / "topics", tmp_path / "run.txt"
    topics.write_text(content)
    run.write_text("301 Q0 a 1 2 run\n303 Q0 a 1 2 run\n")
    assert [problem.text for problem in rs.check(run, topics=topics).problems] == [
        "missing topics: 302 (1 of 2)",
        f"topics that are not in {topics}: 303 (1 of 2)",
    ]


def test_tables_in_every_form(checked: Check) -> None:
    document = json.loads(checked.to_json())
    assert len(document["rows"]) == len(BROKEN) + 1
    assert document["problems"][0]["kind"] == BROKEN["blanks"][1]  # files come in the order of their names
    assert checked.to_polars().columns == checked.to_pandas().columns.tolist() == list(checked.table().columns)
    assert checked.to_markdown().count("\n") >= len(BROKEN) + 3
    assert checked.text().splitlines()[-1] == f"{len(checked.problems)} things to look at"


@pytest.mark.parametrize("seed", range(20))
def test_columns_found_at_once_are_those_of_each_line(seed: int) -> None:
    draw = np.random.default_rng(seed)
    forms = ("{:.4f}", "{:+.3f}", "{:.0f}", "{:.17g}", "{:e}")
    form = forms[seed % len(forms)]
    made = [
        f"{topic} Q0 D{rank} {rank} {form.format(draw.normal() * 100)} tag\n".encode()
        for topic in ("1", "20", "q3", "1")
        for rank in range(1, int(draw.integers(2, 40)))
    ]
    block = b"".join(made)
    fast, slow = _usual(block), _unusual(block)
    assert fast is not None
    assert [name for name, count in zip(fast.topics, fast.lines, strict=True) for _ in range(count)] == slow.topics
    assert np.array_equal(fast.rank, slow.rank)
    assert np.array_equal(fast.score, slow.score)
    halves = [b"".join(made[: len(made) // 2]), b"# a comment\n\n", b"".join(made[len(made) // 2 :])]
    assert np.array_equal(columns_of(halves).score, slow.score)


def test_ties_and_order_by_a_slow_count() -> None:
    draw = np.random.default_rng(5)
    rows = [(t, r, int(draw.integers(0, 6))) for t in range(6) for r in draw.permutation(9)[: draw.integers(1, 9)]]
    columns = columns_of(["".join(f"{t} Q0 D{r} {r} {s} x\n" for t, r, s in rows).encode()])
    for topic, tied, is_reversed in zip(columns.topics, columns.tied(), columns.reversed(), strict=True):
        own = sorted((r, s) for t, r, s in rows if str(t) == topic)
        scores = [s for _, s in own]
        assert tied == sum(scores.count(score) > 1 for score in scores) / len(scores)
        steps = np.sign(np.diff(scores))
        assert is_reversed == (steps.sum() > 0)


def test_sixty_files_are_checked_in_two_seconds(tmp_path: Path) -> None:
    text = "".join(
        f"{topic} Q0 D{topic}-{rank} {rank} {2000 - rank}.25 TAG\n" for topic in range(50) for rank in range(200)
    )
    paths = [tmp_path / f"run{number}.txt" for number in range(60)]
    for path in paths:
        path.write_text(text.replace("TAG", path.stem))
    start = time.process_time()
    assert rs.check(paths).is_well
    assert time.process_time() - start < 2  # of the processor: other programs do not count


def test_every_packing_is_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = lines("packed", lambda t, r: usual("packed", t, r, score=str(r))).encode()
    packed = {"gz": gzip.compress(text), "bz2": bz2.compress(text), "xz": lzma.compress(text), "txt": text}
    packed["zst"] = pa.compress(text, codec="zstd", asbytes=True)
    for ending, content in packed.items():
        (tmp_path / f"packed-{ending}.{ending}").write_bytes(content)
    kinds = [[problem.kind for problem in one.problems] for one in rs.check(f"{tmp_path}/*").submissions]
    assert kinds == [["order reversed", "tags clash"]] * len(packed)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (problem,) = rs.check(tmp_path / "packed-zst.zst").problems  # which the core unpacks without it
    assert problem.text.startswith("scores rise down the rank column in 10 of 10 topics")
    (tmp_path / "bad.zst").write_bytes(pa.compress(b"1 Q0 a 1 high bad\n", codec="zstd", asbytes=True))
    (problem,) = rs.check(tmp_path / "bad.zst").problems
    assert (problem.level, problem.kind) == ("error", "score")


def test_standard_input_is_read_once_and_looked_at_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run"
    path.write_text(lines("piped", lambda t, r: usual("piped", t, r, score="1")) + "301 Q0 D01 16 1 piped\n")
    with path.open() as opened:
        monkeypatch.setattr(sys, "stdin", opened)
        (problem,) = rs.check("-").problems
    assert problem.text.startswith("standard input, line 151: document D01 stands a second time")
    path.write_text(lines("piped"))
    with path.open() as opened:
        monkeypatch.setattr(sys, "stdin", opened)
        assert rs.check("-").is_well  # it has no name that the tag could be unlike


def test_what_is_no_file_is_refused() -> None:
    with pytest.raises(rs.errors.InputError, match="check looks at files: expected a path, found dict"):
        rs.check([{"1": {"a": 1.0}}])  # type: ignore[list-item]
    with pytest.raises(rs.errors.ParameterError, match="max_depth must be a whole number from 1, got 0"):
        rs.check("run.txt", max_depth=0)
    with pytest.raises(rs.errors.ParameterError, match="min_judged is a share from 0 to 1, got 50"):
        rs.check("run.txt", min_judged=50)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        rs.check("nowhere.txt")
