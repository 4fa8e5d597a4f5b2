"""Plain files large enough to be cut between topics and read by several threads: nobody can tell."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import rankscale
from rankscale.data.qrels import Qrels
from rankscale.errors import FormatError
from rankscale.inputs import trec
from tests.fuzz.time_limit import within

LARGE = 9 << 20  # more than what is worth cutting, for each thread a piece
LIMIT = 20  # seconds, for what takes less than one
TOPICS = 40


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    with within(LIMIT):
        yield


def lines_of_topic(topic: int, tag: bytes = b"tag", end: bytes = b"\n", padding: int = 0) -> list[bytes]:
    """Lines of one of `TOPICS` topics, which together make a large file."""
    name = b"a-name-of-some-length" + b"x" * padding
    count = LARGE // TOPICS // (len(name) + 24 + len(tag) + len(end))
    return [
        b"%04d Q0 %b-%06d %d %d %b%b" % (topic, name, number, number, -(number // 2), tag, end)
        for number in range(count)
    ]


@pytest.fixture(scope="module")
def judged() -> Qrels:
    documents = {f"a-name-of-some-length-{number:06d}": number % 3 for number in range(0, 10_000, 7)}
    return rankscale.read_qrels({f"{topic:04d}": documents for topic in range(0, TOPICS, 2)})


@pytest.fixture(scope="module")
def text() -> list[list[bytes]]:
    return [lines_of_topic(topic) for topic in range(TOPICS)]


def written(folder: Path, topics: list[list[bytes]]) -> Path:
    path = folder / "run"
    path.write_bytes(b"".join(b"".join(lines) for lines in topics))
    assert path.stat().st_size > 8 << 20
    return path


def assert_the_same(path: Path, qrels: Qrels, **options: Any) -> None:
    """However many threads read it, and from wherever."""
    one, *others = (next(trec.read_runs(qrels, [path], threads=threads, **options)) for threads in (1, 2, 3, 7))
    in_memory = trec.read_run(qrels, path.read_bytes(), **options)
    assert all(other == one for other in others)
    assert one.rank.tolist() == in_memory.rank.tolist()
    assert (one.unknown_topics, one.documents) == (in_memory.unknown_topics, in_memory.documents)


@pytest.mark.parametrize("order", ["score", "file"])
def test_topics_that_stand_together(tmp_path, judged, text, order):
    assert_the_same(written(tmp_path, text), judged, order=order)


def test_documents_are_kept(tmp_path, judged, text):
    assert_the_same(written(tmp_path, text[::-1]), judged, keep_documents=True)


def test_a_topic_that_comes_back(tmp_path, judged, text):
    first, last = text[0][: len(text[0]) // 2], text[0][len(text[0]) // 2 :]
    assert_the_same(written(tmp_path, [first, *text[1:], last]), judged)
    assert_the_same(
        written(tmp_path, [text[1], first, last, *text[2:], [b"unknown Q0 a 1 1 tag\n"], text[3][:0]]), judged
    )


def test_an_unknown_topic_that_comes_back(tmp_path, judged, text):
    apart = [[b"unknown Q0 a 1 1 tag\n"], *text, [b"unknown Q0 b 1 2 tag\n"]]
    path = written(tmp_path, apart)
    assert_the_same(path, judged)
    assert next(trec.read_runs(judged, [path], threads=2)).unknown_topics == TOPICS // 2 + 1


def test_one_topic_larger_than_any_piece(tmp_path, judged):
    assert_the_same(
        written(
            tmp_path,
            [
                [
                    line.replace(b"%04d " % topic, b"0000 ", 1).replace(b"name", b"name%d" % topic)
                    for line in lines_of_topic(topic)
                ]
                for topic in range(TOPICS)
            ],
        ),
        judged,
    )


def test_comments_and_blank_lines(tmp_path, judged, text):
    odd = [[b"\n", b"# a comment\n", *lines, b" \n"] for lines in text]
    assert_the_same(written(tmp_path, [*odd, [b"# the end\n"] * 100]), judged)


@pytest.mark.parametrize("place", [0, TOPICS // 2, TOPICS - 1])
def test_an_error_names_the_line_of_the_file(tmp_path, judged, text, place):
    before = sum(map(len, text[:place]))
    spoilt = [*text[:place], [text[place][0], b"wrong\n", *text[place][1:]], *text[place + 1 :]]
    twice = [*text[:place], [*text[place], text[place][0]], *text[place + 1 :]]
    path = written(tmp_path, spoilt)
    for threads in (1, 2, 3):
        with pytest.raises(FormatError, match=f"run, line {before + 2}: expected: topic"):
            next(trec.read_runs(judged, [path], threads=threads))
    path = written(tmp_path, twice)
    words = rf"run, line {before + len(text[place]) + 1}: .* second time .*\(first in line {before + 1}\)"
    for threads in (1, 2, 3):
        with pytest.raises(FormatError, match=words):
            next(trec.read_runs(judged, [path], threads=threads))


def test_tags_that_vary_between_the_pieces(tmp_path, judged, text):
    path = written(tmp_path, [*text[:-1], lines_of_topic(TOPICS - 1, tag=b"other")])
    for threads in (1, 2):
        found = next(trec.read_runs(judged, [path], threads=threads))
        assert (found.name, found.last_tag, len(found.warnings)) == ("run", "other", 1)


def test_several_large_files_are_given_in_order(tmp_path, judged, text):
    paths = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        paths.append(
            written(tmp_path / name, [*text[:-1], lines_of_topic(TOPICS - 1), [b"9 Q0 a 1 1 %b\n" % name.encode()]])
        )
    found = list(trec.read_runs(judged, [paths[0], b"0000 Q0 a 1 1 mid\n", paths[1]], threads=3))
    assert [run.last_tag for run in found] == ["a", "mid", "b"]


@pytest.mark.parametrize(
    "form", [{"end": b"\r\n"}, {"padding": 60}, {"tag": b"a tag of several words"}], ids=["crlf", "long", "words"]
)
def test_lines_that_are_not_the_usual_ones(tmp_path, judged, form):
    assert_the_same(written(tmp_path, [lines_of_topic(topic, **form) for topic in range(TOPICS)]), judged)
