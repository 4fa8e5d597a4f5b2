"""Large plain files are cut between topics and read by several threads: nobody must be able to tell."""

from pathlib import Path

import pytest

from rankscale.data.qrels import Qrels
from rankscale.errors import DuplicateError, FormatError
from rankscale.inputs.trec import read_qrels, read_run, read_runs

TOPICS, DEPTH = 60, 5_000  # 9 MB, above the size from which files are cut


def line(topic: int, place: int) -> bytes:
    return b"t%02d Q0 d%06d %d %d.5 run\n" % (topic, place, place + 1, DEPTH - place)


@pytest.fixture(scope="module")
def lines() -> list[bytes]:
    return [line(topic, place) for topic in range(TOPICS) for place in range(DEPTH)]


@pytest.fixture(scope="module")
def qrels() -> Qrels:
    judged = b"".join(b"t%02d 0 d%06d %d\n" % (t, p, p % 2) for t in range(TOPICS) for p in (0, 7, DEPTH - 1))
    return read_qrels(judged)


@pytest.fixture
def large(tmp_path: Path):
    def write(lines: list[bytes]) -> Path:
        path = tmp_path / "large.txt"
        path.write_bytes(b"".join(lines))
        assert path.stat().st_size > 8 << 20
        return path

    return write


@pytest.mark.slow
def test_one_thread_and_many_see_the_same_run(large, lines, qrels):
    path = large(lines)
    (alone,) = read_runs(qrels, [path], threads=1, keep_documents=True)
    for threads in (2, 3, 8):
        (together,) = read_runs(qrels, [path], threads=threads, keep_documents=True)
        assert together == alone
    assert alone.length.tolist() == [DEPTH] * TOPICS


def test_a_topic_whose_lines_lie_in_two_pieces_is_put_together(large, lines, qrels):
    moved = [*lines[1:], lines[0]]  # the first topic comes back in the last line
    (alone,) = read_runs(qrels, [large(moved)], threads=1)
    (together,) = read_runs(qrels, [large(moved)], threads=2)
    assert together == alone
    assert together.length[0] == DEPTH


def test_an_unjudged_topic_in_two_pieces_is_counted_once(large, lines, qrels):
    (run,) = read_runs(qrels, [large([b"new Q0 d 1 1 run\n", *lines, b"new Q0 e 1 1 run\n"])], threads=2)
    assert run.unknown_topics == 1


def test_errors_in_a_later_piece_name_the_line_of_the_file(large, lines, qrels):
    broken = [*lines[:-5], b"t59 Q0 only four\n", *lines[-5:]]
    with pytest.raises(
        FormatError, match=f", line {len(lines) - 4}: expected: topic Q0 document rank score tag, found 4"
    ):
        read_run(qrels, large(broken))
    twice = [*lines, line(TOPICS - 1, 3)]
    first = (TOPICS - 1) * DEPTH + 4
    with pytest.raises(
        DuplicateError, match=rf", line {len(lines) + 1}: document d000003 .* \(first in line {first}\)"
    ):
        read_run(qrels, large(twice))


def test_tags_that_vary_between_pieces_are_noticed(large, lines, qrels):
    (run,) = read_runs(qrels, [large([*lines[:-1], lines[-1].replace(b" run", b" other")])], threads=2)
    assert run.name == "large.txt"
    assert run.last_tag == "other"


def test_a_large_file_of_comments_holds_no_line(large, qrels):
    with pytest.raises(FormatError, match="found no line at all"):
        read_run(qrels, large([b"# nothing here\n"] * 3_000_000))
