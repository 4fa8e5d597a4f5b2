"""`rankscale check`: 0 if all is well, 1 if something was found, 2 if a file cannot be opened."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Write = Callable[[str, str], Path]


@pytest.fixture
def qrels(written: Write) -> Path:
    return written("qrels.txt", "1 0 a 2 / 1 0 b 0 / 2 0 a 1 / 2 0 c 1")


@pytest.fixture
def good(written: Write) -> Path:
    return written("good.txt", "1 Q0 b 1 9 x / 1 Q0 y 2 8 x / 2 Q0 a 1 5 x / 2 Q0 c 2 5 x")


def test_all_is_well(rankscale: Any, qrels: Path, good: Path) -> None:
    outcome = rankscale("check", qrels, good)
    assert (outcome.code, outcome.err) == (0, "")
    about_qrels, about_run, _, verdict = outcome.out.splitlines()
    assert about_qrels == f"{qrels}: 2 topics, 4 judgments (grade: number  0: 1, 1: 2, 2: 1)"
    # 3 of 4 documents are judged; a and c of topic 2 are tied
    assert about_run == f"{good}: run x, 2 topics, depth 2 to 2, 75.0% of 4 documents judged, 66.7% of those in ties"
    assert verdict == "all is well"


def found(outcome: Any) -> list[str]:
    """What was found wanting."""
    assert outcome.code == 1
    return [line.removeprefix("  ! ") for line in outcome.out.splitlines() if line.startswith("  ! ")]


def verdict(outcome: Any) -> str:
    text: str = outcome.out.splitlines()[-1]
    return text


def test_a_missing_topic(rankscale: Any, qrels: Path, written: Write) -> None:
    outcome = rankscale("check", qrels, written("run", "2 Q0 a 1 1 x"))
    assert found(outcome) == ["missing topics of the qrels: 1 (1 of 2)"]
    assert verdict(outcome) == "1 thing to look at"


def test_a_topic_too_many(rankscale: Any, qrels: Path, written: Write) -> None:
    run = written("run", "1 Q0 a 1 1 x / 2 Q0 a 1 1 x / 3 Q0 a 1 1 x")
    assert found(rankscale("check", qrels, run)) == ["topics that are not in the qrels: 1"]


def test_a_malformed_run_is_one_thing_to_look_at(rankscale: Any, qrels: Path, written: Write, good: Path) -> None:
    run = written("run", "1 Q0 a 1 1 x / 1 Q0 b")
    outcome = rankscale("check", qrels, run, good)
    assert found(outcome)[0] == f"{run}, line 2: expected: topic Q0 document rank score tag, found 3 columns"
    assert f"{run}: cannot be read" in outcome.out
    assert f"{good}: run x" in outcome.out  # the others are looked at all the same
    assert verdict(outcome) == "1 thing to look at"


def test_a_document_twice_is_one_thing_to_look_at(rankscale: Any, qrels: Path, written: Write) -> None:
    run = written("run", "1 Q0 a 1 2 x / 1 Q0 a 2 1 x / 2 Q0 a 1 1 x")
    outcome = rankscale("check", qrels, run)
    assert found(outcome)[0] == f"{run}, line 2: document a stands a second time in topic 1 (first in line 1)"
    assert verdict(outcome) == "1 thing to look at"


def test_several_runs_are_added_up(rankscale: Any, qrels: Path, good: Path, written: Write) -> None:
    part, more = written("part", "1 Q0 a 1 1 p"), written("more", "1 Q0 a 1 1 m / 2 Q0 a 1 1 m / 9 Q0 a 1 1 m")
    outcome = rankscale("check", qrels, part, good, more)
    assert len(found(outcome)) == 2
    assert verdict(outcome) == "2 things to look at"


def test_tags_that_vary(rankscale: Any, qrels: Path, written: Write) -> None:
    (words,) = found(rankscale("check", qrels, written("run", "1 Q0 a 1 1 one / 2 Q0 a 1 1 two")))
    assert "tags vary within the file (one, two" in words


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("1 0 a 1 / 2 0 a 0", "topics without a document of grade 1 or more: 2 (1 of 2)"),
        ("1 0 a 1 / 1 0 b -1 / 2 0 a 1", "negative grades are read as unjudged"),
        ("1 0 a 1 / 1 0 b 0.5 / 2 0 a 1", "grades between 0 and 1 count as not relevant"),
    ],
)
def test_odd_judgments(lines: str, words: str, rankscale: Any, written: Write, good: Path) -> None:
    outcome = rankscale("check", written("odd", lines), good)
    assert any(words in line for line in found(outcome))


def test_qrels_that_cannot_be_read(rankscale: Any, written: Write, good: Path) -> None:
    broken = written("broken", "1 0 a 1 / 1 0 b x")
    outcome = rankscale("check", broken, good)
    assert outcome.code == 1
    assert f"{broken}, line 2" in outcome.out
    assert "the qrels cannot be read: runs were not looked at" in outcome.out
    assert str(good) not in outcome.out


def test_a_document_judged_twice(rankscale: Any, written: Write, good: Path) -> None:
    outcome = rankscale("check", written("twice", "1 0 a 1 / 1 0 a 0"), good)
    assert outcome.code == 1
    assert "line 2" in outcome.out


def test_a_run_of_other_topics_counts_no_document(rankscale: Any, qrels: Path, written: Write) -> None:
    outcome = rankscale("check", qrels, written("run", "7 Q0 a 1 1 x / 8 Q0 a 1 1 x"))
    assert found(outcome) == ["missing topics of the qrels: 1, 2 (2 of 2)", "topics that are not in the qrels: 2"]
    assert "1 documents" not in outcome.out  # there are two, or none that count; never one


def test_options_of_reading(rankscale: Any, qrels: Path, good: Path) -> None:
    assert rankscale("check", qrels, good, "--order", "score64", "--threads", "1").code == 0
    outcome = rankscale("check", qrels, good, "--max-size", "10")
    assert outcome.code in {1, 2}
    assert "10 bytes" in outcome.out + outcome.err


def test_names_that_cannot_be_shown(rankscale: Any, qrels: Path, tmp_path: Path) -> None:
    run = tmp_path / "latin.txt"
    run.write_bytes(b"1 Q0 a 1 1 caf\xe9\n2 Q0 a 1 1 caf\xe9\n")
    outcome = rankscale("check", qrels, run)
    assert outcome.code == 0
    assert "run caf" in outcome.raw.decode("utf-8")
