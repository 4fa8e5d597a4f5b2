"""`rankscale check`: 0 if all is well, 1 if anything is wrong or unusual, 2 if a file cannot be opened."""

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
    return written(
        "good.txt", "1 Q0 b 1 9 good / 1 Q0 y 2 8 good / 1 Q0 z 3 7 good / 2 Q0 a 1 5 good / 2 Q0 c 2 5 good"
    )


def test_all_is_well(rankscale: Any, qrels: Path, good: Path) -> None:
    outcome = rankscale("check", qrels, good)
    assert (outcome.code, outcome.err) == (0, "")
    about_qrels, _, head, about_run, _, verdict = outcome.out.splitlines()
    assert about_qrels == f"{qrels}: 2 topics, 4 judgments (grade: number  0: 1, 1: 2, 2: 1)"
    assert head.split() == [
        "file",
        "run",
        "lines",
        "topics",
        "depth",
        "Judged@10",
        "tied",
        "verdict",
        "first",
        "problem",
    ]
    # a third of topic 1 is judged and all of topic 2: two thirds on average; a and c of topic 2 are tied
    assert about_run.split() == [str(good), "good", "5", "2", "2", "to", "3", "66.7%", "40.0%", "ok", "none"]
    assert verdict == "all is well"


def found(outcome: Any) -> list[str]:
    """What was found wanting."""
    assert outcome.code == 1
    return [line.removeprefix("  ! ") for line in outcome.out.splitlines() if line.startswith("  ! ")]


def verdict(outcome: Any) -> str:
    text: str = outcome.out.splitlines()[-1]
    return text


def test_a_missing_topic(rankscale: Any, qrels: Path, written: Write) -> None:
    outcome = rankscale("check", qrels, written("run", "2 Q0 a 1 1 run"))
    assert found(outcome) == ["missing topics of the qrels: 1 (1 of 2)"]
    assert verdict(outcome) == "1 thing to look at"


def test_a_topic_too_many(rankscale: Any, qrels: Path, written: Write) -> None:
    run = written("run", "1 Q0 a 1 1 run / 2 Q0 a 1 1 run / 3 Q0 a 1 1 run")
    assert found(rankscale("check", qrels, run)) == ["topics that are not in the qrels: 3 (1 of 3)"]


def test_a_malformed_run_is_one_thing_to_look_at(rankscale: Any, qrels: Path, written: Write, good: Path) -> None:
    run = written("run", "1 Q0 a 1 1 run / 1 Q0 b")
    outcome = rankscale("check", qrels, run, good)
    assert found(outcome)[0] == f"{run}, line 2: expected: topic Q0 document rank score tag, found 3 columns"
    assert outcome.out.count(str(run)) == 3  # in the table, and with its error below
    assert f"{good}  good" in outcome.out  # the others are looked at all the same
    assert verdict(outcome) == "1 thing to look at"


def test_a_document_twice_is_one_thing_to_look_at(rankscale: Any, qrels: Path, written: Write) -> None:
    run = written("run", "1 Q0 a 1 2 x / 1 Q0 a 2 1 run / 2 Q0 a 1 1 run")
    outcome = rankscale("check", qrels, run)
    assert found(outcome)[0] == f"{run}, line 2: document a stands a second time in topic 1 (first in line 1)"
    assert verdict(outcome) == "1 thing to look at"


def test_several_runs_are_added_up(rankscale: Any, qrels: Path, good: Path, written: Write) -> None:
    part, more = (
        written("part", "1 Q0 a 1 1 part"),
        written("more", "1 Q0 a 1 1 more / 2 Q0 a 1 1 more / 9 Q0 a 1 1 more"),
    )
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
    outcome = rankscale("check", qrels, written("run", "7 Q0 a 1 1 run / 8 Q0 a 1 1 run"))
    assert found(outcome) == ["no topic in common with the qrels: the file has 7, 8; topics of the qrels are 1, 2"]


def test_options_of_reading(rankscale: Any, qrels: Path, good: Path) -> None:
    assert rankscale("check", qrels, good, "--order", "score64", "--threads", "1").code == 0
    outcome = rankscale("check", qrels, good, "--max-size", "10")
    assert outcome.code in {1, 2}
    assert "10 bytes" in outcome.out + outcome.err


def test_names_that_cannot_be_shown(rankscale: Any, qrels: Path, tmp_path: Path) -> None:
    run = tmp_path / "latin.txt"
    run.write_bytes(b"1 Q0 a 1 1 caf\xe9\n2 Q0 a 1 1 caf\xe9\n")
    outcome = rankscale("check", qrels, run)
    assert outcome.code == 1
    assert "latin.txt  caf" in outcome.raw.decode("utf-8")
    assert any("not UTF-8" in line for line in found(outcome))


def test_qrels_are_not_needed(rankscale: Any, good: Path, qrels: Path) -> None:
    outcome = rankscale("check", good)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines()[1].split()[-4:] == ["-", "40.0%", "ok", "none"]  # Judged@10 is not known
    assert rankscale("check", good, "--qrels", qrels).out == rankscale("check", qrels, good).out


def test_qrels_alone_are_no_run(rankscale: Any, qrels: Path) -> None:
    assert f"{qrels} is qrels: name the runs to check after it" in rankscale("check", qrels).refused


def test_only_problems(rankscale: Any, good: Path, written: Write) -> None:
    tied = written("tied", "1 Q0 a 1 1 tied / 1 Q0 b 2 1 tied")
    outcome = rankscale("check", good, tied, "--only-problems", "--format", "csv")
    assert outcome.code == 1
    head, row = outcome.out.splitlines()
    assert head == "file,run,topics,documents,shortest,longest,judged_at_10,tied,errors,warnings,problems"
    assert row == f"{tied},tied,1,2,2,2,,1.0,0,1,ties"


def test_problems_as_a_table(rankscale: Any, written: Write) -> None:
    broken = written("broken", "1 Q0 a 1 high broken / 1 Q0 b 2 low broken")
    outcome = rankscale("check", broken, "--table", "problems", "--format", "csv")
    assert "line 1: expected a number as score, found high" in outcome.out
    assert outcome.out.count(f"{broken},,error,score") == 2


def test_options_are_spelled_as_on_the_command_line(rankscale: Any, written: Write) -> None:
    run = written("run", "1 Q0 a 1 1 run / 1 Q0 b 2 2 run")
    (words,) = found(rankscale("check", run))
    assert words.endswith("the rank column counts only with --order rank")
    assert rankscale("check", run, "--order", "rank").code == 0


def test_a_depth_that_is_too_large(rankscale: Any, good: Path) -> None:
    (words,) = found(rankscale("check", good, "--max-depth", "2"))
    assert words == "1 topic has more than 2 documents, up to 3"


def test_runs_in_any_form(rankscale: Any, good: Path, written: Write) -> None:
    table = written("mine.csv", "query,url,sim / 1,a,2 / 1,b,1 / 2,a,1")
    outcome = rankscale("check", table, good)
    assert outcome.code == 1
    assert "say what they are: --columns topic=query,document=url,score=sim" in outcome.out
    outcome = rankscale("check", table, "--columns", "topic=query,document=url", "--max-depth", "1")
    assert outcome.err == f"{table}: read as CSV: topic in query, document in url, score in sim\n"
    assert found(outcome) == ["1 topic has more than 1 documents, up to 2"]
    assert "expected parquet, found text" in rankscale("check", table, "--form", "parquet").out


def test_several_runs_in_a_file(rankscale: Any, written: Write) -> None:
    table = written("all.csv", "run,qid,docid,score / a,1,x,2 / b,1,x,1 / b,1,y,1 / a,1,y,1")
    outcome = rankscale("check", table)
    assert found(outcome) == [
        "all scores are tied: 100.0% of documents have the score of another one of their topic, and are ordered by name"
    ]
    assert f"\n{table}, run b\n" in outcome.out
    outcome = rankscale("check", table, "--format", "csv")
    assert outcome.out.splitlines() == [
        "file,run,topics,documents,shortest,longest,judged_at_10,tied,errors,warnings,problems,form",
        f"{table},a,1,2,2,2,,0.0,0,0,,csv",
        f"{table},b,1,2,2,2,,1.0,0,1,ties,csv",
    ]


QRELS = {
    "qrels.csv": "qid,docid,label / 1,a,2 / 1,b,0 / 2,a,1 / 2,c,1",
    "three.txt": "1 a 2 / 1 b 0 / 2 a 1 / 2 c 1",
    "numbers.txt": "1 0 1 2 / 1 0 2 0 / 2 0 1 1 / 2 0 3 1",
    "qrels.jsonl": '{"qid": 1, "docid": "a", "grade": 2} / {"qid": 2, "docid": "a", "grade": 1}',
    "qrels.json": '[{"qid": 1, "docid": "a", "grade": 2}, {"qid": 2, "docid": "a", "grade": 1}]',
}


@pytest.mark.parametrize("name", QRELS)
def test_a_first_file_of_qrels_in_any_form(name: str, rankscale: Any, good: Path, written: Write) -> None:
    first = written(name, QRELS[name])
    outcome = rankscale("check", first, good, "--min-judged", "0.01")
    assert outcome.out.startswith(f"{first}: 2 topics")
    assert outcome.out == rankscale("check", good, "--qrels", first, "--min-judged", "0.01").out


RUNS = {
    "scores.csv": "qid,docid,score / 1,a,2 / 1,b,0 / 2,a,1",
    "labelled.csv": "qid,docid,score,label / 1,a,2,1 / 1,b,0,1 / 2,a,1,0",
    "four.txt": "1 a 1 9 / 1 b 2 8 / 2 a 1 3",
    "marco.txt": "1 a 1 / 1 b 2 / 2 a 1",
    "run.jsonl": '{"qid": 1, "docid": "a", "score": 2} / {"qid": 1, "docid": "b", "score": 2.5}',
}


@pytest.mark.parametrize("name", RUNS)
def test_a_first_file_that_is_a_run(name: str, rankscale: Any, good: Path, written: Write) -> None:
    outcome = rankscale("check", written(name, RUNS[name]), good)
    assert outcome.out.count("\n") == 5  # a head, two runs, and all is well
    assert outcome.code == 0


def test_qrels_with_their_own_columns(rankscale: Any, good: Path, written: Write) -> None:
    judged = written("judged.csv", "q,d,score / 1,a,2 / 1,a,0 / 2,a,1 / 2,c,1")
    how = ("--qrels-columns", "topic=q,document=d,grade=score", "--qrels-merge", "max", "--min-judged", "0.01")
    outcome = rankscale("check", judged, good, *how)
    assert outcome.code == 0
    assert outcome.out.startswith(f"{judged}: 2 topics, 3 judgments")
    assert outcome.err == f"{judged}: read as CSV: topic in q, document in d, grade in score\n"
    assert rankscale("check", good, "--qrels", judged, *how).out == outcome.out
    assert "name the runs to check after it" in rankscale("check", judged, *how).refused


def test_parquet_qrels_and_broken_ones(rankscale: Any, good: Path, tmp_path: Path, written: Write) -> None:
    import polars as pl

    path = tmp_path / "qrels.parquet"
    pl.DataFrame({"query_id": ["1", "2"], "doc_id": ["a", "a"], "relevance": [1, 1]}).write_parquet(path)
    assert rankscale("check", path, good, "--min-judged", "0.01").out.startswith(f"{path}: 2 topics, 2 judgments")
    broken = written("broken.csv", "qid,docid,grade / 1,a,much")
    outcome = rankscale("check", broken, good)
    assert "the qrels cannot be read: runs were not looked at" in outcome.out


def test_probabilities_of_subtopics_are_held_against_the_qrels(tmp_path: Path, rankscale: Any) -> None:
    (tmp_path / "qrels.txt").write_text("1 car a 1\n1 animal a 1\n")
    (tmp_path / "mine.txt").write_text("1 Q0 a 1 2 mine\n")
    (tmp_path / "intents.txt").write_text("1 car much\n")
    files = [str(tmp_path / name) for name in ("qrels.txt", "mine.txt", "intents.txt")]
    outcome = rankscale("check", *files[:2], "--intents", files[2])
    assert outcome.code == 1
    assert "intents.txt, line 1: expected a probability, a number from 0, found 'much'" in outcome.out
    refused = rankscale("check", files[1], "--intents", files[2])
    assert refused.code == 2
    assert "give qrels too" in refused.err
