"""`check` of probabilities of sub-topics: each fault of the file, and what does not fit the qrels."""

from pathlib import Path

import pytest

import rankscale as rs
from rankscale.errors import InputError, ParameterError

QRELS = "1 car a 1\n1 car b 2\n1 animal b 1\n2 x a 1\n2 y b 1\n3 x a 1\n"
RUN = "".join(f"{topic} Q0 a 1 2 mine\n{topic} Q0 b 2 1 mine\n" for topic in "123")
WELL = "1 car 0.5\n1 animal 0.5\n2 x 0.333333\n2 y 0.666667\n3 x 1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "mine.txt").write_text(RUN)
    return tmp_path


def checked(folder: Path, intents: str) -> rs.Check:
    path = folder / "intents.txt"
    path.write_text(intents)
    return rs.check(folder / "mine.txt", qrels=folder / "qrels.txt", intents=path)


def test_a_file_that_fits_is_well(folder: Path) -> None:
    result = checked(folder, WELL)
    assert result.is_well
    assert f"{folder / 'intents.txt'}: 3 topics, 5 probabilities" in result.text()


@pytest.mark.parametrize(
    ("intents", "kinds", "words"),
    [
        (WELL + "1 car 0.5\n", ["intents"], "line 6: expected each sub-topic once, found car of topic 1 again"),
        (WELL + "7 a 1\n", ["other topics"], "topics that are not in {}: 7 (1 of 4)"),
        (WELL[:-6], ["missing topics"], "where measures of sub-topics are 0: 3 (1 of 3)"),
        (WELL.replace("2 x 0.333333", "2 z 0.333333"), ["missing sub-topics", "other sub-topics"], "x of topic 2"),
        (WELL.replace("1 car 0.5", "1 car 0.4"), ["probabilities not 1"], "do not add up to 1: 1 (0.9)"),
        (WELL.replace("3 x 1", "3 x 0"), ["probabilities 0"], "all probabilities of a topic are 0"),
        ("", ["intents", "missing topics"], "expected lines of a topic, a sub-topic and its probability, found none"),
    ],
)
def test_what_does_not_fit(intents: str, kinds: list[str], words: str, folder: Path) -> None:
    result = checked(folder, intents)
    assert [problem.kind for problem in result.problems] == kinds
    assert words.format(folder / "qrels.txt") in result.about_intents[0].text
    assert result.about_intents[0].level == ("error" if kinds[0] == "intents" else "warning")


def test_all_lines_that_are_no_probability_are_named(folder: Path) -> None:
    problems = checked(folder, WELL + "1 a much\n1 b -1\n1 c inf\n1 d\n").problems
    assert [problem.text.partition(": ")[0].rpartition(" ")[2] for problem in problems] == ["6", "7", "8", "9"]
    assert {problem.level for problem in problems} == {"error"}


def test_probabilities_need_qrels_with_subtopics(folder: Path) -> None:
    (folder / "intents.txt").write_text(WELL)
    (folder / "plain.txt").write_text("1 0 a 1\n2 0 a 1\n3 0 a 1\n")
    with pytest.raises(ParameterError, match="give qrels too"):
        rs.check(folder / "mine.txt", intents=folder / "intents.txt")
    with pytest.raises(InputError, match=r"plain\.txt names none; its second column should"):
        rs.check(folder / "mine.txt", qrels=folder / "plain.txt", intents=folder / "intents.txt")
