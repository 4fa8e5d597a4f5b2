"""Measures of sub-topics on the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rankscale.sample import QRELS, RUNS
from tests.measures import slow_subtopics as slow

FILES = [str(QRELS), str(RUNS[0])]


def test_without_subtopics_each_topic_is_one(rankscale: Any) -> None:
    outcome = rankscale("evaluate", *FILES, "-m", "P_IA@10", "-m", "P@10")
    assert "P_IA@10: " in outcome.err
    assert "names no sub-topics, and each topic is taken as one" in outcome.err
    assert outcome.words[0] == ["run", "topics", "P_IA@10", "P@10"]
    assert outcome.words[1][2] == outcome.words[1][3]


def test_probabilities_need_subtopics(rankscale: Any, tmp_path: Path) -> None:
    intents = tmp_path / "intents.txt"
    intents.write_text("101 1 0.5\n")
    message = rankscale("evaluate", *FILES, "-m", "alpha_nDCG@10", "--intents", intents).refused
    assert f"{intents}: probabilities are of sub-topics" in message
    assert "names none" in message
    intents.write_text("101 1 half\n")
    message = rankscale("evaluate", *FILES, "-m", "alpha_nDCG@10", "--intents", intents).refused
    assert f"{intents}, line 1: expected a probability, a number from 0, found 'half'" in message


def test_standard_input_is_read_once(rankscale: Any) -> None:
    message = rankscale("evaluate", "-", str(RUNS[0]), "-m", "AP", "--intents", "-").refused
    assert "standard input can be read only once" in message


def test_measures_are_explained(rankscale: Any) -> None:
    out = rankscale("measures", "alpha_nDCG").out
    assert "ideal='greedy'" in out
    assert "Clarke, Kolla, Cormack" in out


@pytest.fixture
def collection(written: Callable[[str, str], Path]) -> list[str]:
    qrels = "1 1 a 2 / 1 2 a 1 / 1 2 c 1 / 1 3 e 1 / 2 1 a 1 / 2 2 f 2 / 3 1 a 0 / 3 2 g 1 / 3 3 h 1"
    good = "1 Q0 b 1 9 good / 1 Q0 c 2 8 good / 1 Q0 a 3 7 good / 2 Q0 x 1 9 good / 2 Q0 f 2 8 good / 3 Q0 g 1 9 good"
    part = "1 Q0 a 1 3 part / 1 Q0 e 2 2 part / 2 Q0 a 1 2 part / 3 Q0 a 1 2 part / 3 Q0 g 2 1 part"
    return [str(written(name, text)) for name, text in (("qrels.txt", qrels), ("good.txt", good), ("part.txt", part))]


def test_a_file_with_subtopics_is_evaluated(rankscale: Any, collection: list[str]) -> None:
    outcome = rankscale("evaluate", *collection, "-m", "alpha_nDCG@5,StRecall@2")
    assert outcome.code == 0
    assert outcome.err.startswith("alpha_nDCG@5, StRecall@2: the second column of ")
    assert "one grade" not in outcome.err
    rows = {words[0]: words[1:] for words in outcome.words}
    assert rows["good"] == ["3", *(f"{value:.4f}" for value in _values(collection, 0))]


def _values(collection: list[str], run: int) -> list[float]:
    """By the slow transcription."""
    lines = [[line.split() for line in Path(path).read_text().splitlines()] for path in collection]
    means = []
    for formula, depth in ((slow.over_ideal, 5), (slow.strecall, 2)):
        values = []
        for topic in "123":
            judgments: slow.Judgments = {}
            for of, subtopic, document, grade in lines[0]:
                if of == topic:
                    judgments.setdefault(subtopic, {})[document] = float(grade)
            ranking = [line[2] for line in lines[1 + run] if line[0] == topic]
            values.append(formula(slow.Topic(judgments), ranking, depth))
        means.append(sum(values) / 3)
    return means


def test_the_column_of_a_table_is_named(rankscale: Any, collection: list[str], tmp_path: Path) -> None:
    path = tmp_path / "qrels.csv"
    path.write_text("topic,nugget,document,grade\n1,x,a,1\n1,y,a,0\n1,y,c,1\n")
    outcome = rankscale("evaluate", path, *collection[1:], "-m", "Coverage@5")
    assert f"Coverage@5: the column nugget of {path} names sub-topics" in outcome.err


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "-m", "alpha_nDCG@5,P_IA@2", "--statements"],
        ["gate", "-m", "alpha_nDCG@5", "--margin", "0.5"],
        ["diff", "-m", "ERR_IA@5"],
        ["curves", "-m", "alpha_nDCG", "--depth", "3", "--ties", "expected"],
        ["robustness", "-m", "alpha_nDCG@5,StRecall@5"],
        ["figure", "means", "-m", "alpha_nDCG@5", "-o", "figure.svg"],
        ["figure", "curves", "-m", "alpha_nDCG", "-o", "figure.svg"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_other_commands_measure_them_too(
    command: list[str], rankscale: Any, collection: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(collection[0]).parent)
    verb = command[: 1 + (command[0] == "figure")]
    outcome = rankscale(*verb, *collection, *command[len(verb) :])
    assert outcome.code in {0, 3}, outcome.err
    assert "Traceback" not in outcome.err
    assert outcome.out or Path("figure.svg").stat().st_size > 1000


def test_scales_are_refused_in_words(rankscale: Any, collection: list[str]) -> None:
    assert "looks at sub-topics" in rankscale("intervals", *collection, "-m", "P_IA@5").refused
    assert "looks at sub-topics" in rankscale("scale", "StRecall@5").refused
    message = rankscale("curves", *collection, "-m", "alpha_nDCG", "--ideal").refused
    assert "alpha_nDCG looks at sub-topics, and the ideal run has its documents by grade: leave out --ideal" in message
    for name in ("Interval(NRBP)", "Interval(Prefs)", "Interval(Groups(AP))"):  # no length would help
        message = rankscale("evaluate", *collection, "-m", name).refused
        assert "and a scale is computed from rankings of grades alone" in message


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "txt"])
def test_all_judgments_are_converted(ending: str, rankscale: Any, collection: list[str], tmp_path: Path) -> None:
    target, back = tmp_path / f"other.{ending}", tmp_path / "back.txt"
    outcome = rankscale("convert", collection[0], target)
    assert outcome.code == 0
    assert "9 judgments written" in outcome.err
    assert "one grade" not in outcome.err
    assert rankscale("convert", target, back).code == 0
    assert sorted(back.read_text().splitlines()) == sorted(Path(collection[0]).read_text().splitlines())


@pytest.mark.parametrize(("rule", "grade"), [("max", "2"), ("min", "1"), ("mean", "1.5")])
@pytest.mark.parametrize("flag", ["--merge", "--qrels-merge"])
def test_converting_can_merge_them(flag: str, rule: str, grade: str, rankscale: Any, collection: list[str]) -> None:
    outcome = rankscale("convert", collection[0], "-", flag, rule)
    assert outcome.words[0] == ["1", "0", "a", grade]
    assert len(outcome.words) == 8
    assert "judged twice" in rankscale("convert", collection[0], "-", flag, "error").refused


def test_check_counts_all_judgments(rankscale: Any, collection: list[str]) -> None:
    out = rankscale("check", collection[1], "--qrels", collection[0]).out
    assert "3 topics, up to 3 sub-topics or assessors each, 9 judgments of 8 documents" in out
    assert "(grade: number  0: 1, 1: 6, 2: 2)" in out


def test_agreement_of_subtopics(rankscale: Any, collection: list[str], written: Callable[[str, str], Path]) -> None:
    other = written("other.txt", "1 1 a 2 / 1 2 a 0 / 1 3 e 1 / 2 1 a 1 / 2 2 f 2 / 3 1 a 0 / 3 2 g 0")
    outcome = rankscale("agree", collection[0], other, *collection[1:], "-m", "StRecall@2", "--draws", "all")
    assert outcome.code == 0
    assert "of 7 items (triples of topic, sub-topic or assessor, and document) judged in both, 71.4%" in outcome.out
    assert "2 triples are judged in A only, 0 in B only" in outcome.out
    assert f"StRecall@2: the second column of {collection[0]} names sub-topics" in outcome.err
