"""Pages of commands, each of which runs on the sample: what papers have, and which measure or test to take."""

import re
import shlex
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from rankscale.cli import main
from rankscale.sample import QRELS, RUNS

PAGE = Path(__file__).parents[2] / "docs" / "papers.md"
CHOICES = PAGE.with_name("choose.md")
COMMAND = re.compile(r"`(rankscale [^`]+)`")
FEW = ("bm25", "bm25-rm3", "manual", "ql", "tfidf")
ENDS = {"check": {0, 1}, "gate": {0, 1, 3}}  # 1 where something is odd, as it is in the sample; verdicts


class Row(NamedTuple):
    paper: str
    where: str
    what: str
    here: str


def rows() -> list[Row]:
    """Each line of a table, with the paper whose heading it stands under."""
    made, paper = [], ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            paper = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith(("| where ", "| --- ")):
            where, what, here = (cell.strip() for cell in line.strip("|").split(" | "))
            made.append(Row(paper, where, what, here))
    return made


# What the papers number themselves. Sections are those that stand in the texts.
NUMBERED = {
    "Cumulated gain": {
        "Table": "1 2",
        "Figure": "1(a) 1(b) 2(a) 2(b) 3(a) 3(b) 4(a) 4(b)",
        "section": "1 2.1 2.2 2.3 2.4 3.1 3.2 3.3 3.4 3.5 3.6 4 5",
    },
    "Rank-biased precision": {
        "Table": "I II III IV",
        "Figure": "1 2 3 4 5 6",
        "section": "1 2 3.1 3.2 3.3 4 4.1 4.2 4.3 4.4 4.5 4.6 4.7 5 6",
    },
    "Cumulated relative position": {"Figure": "1 2 3", "section": "1 2.1 2.2 3 4 5"},
    "Twist": {
        "Table": "1 2 3 4",
        "Figure": "1 2 3 4 5 6 7 8 9 10 11 12 13 14",
        "Proposition": "1 2 3",
        "Definition": "1 2 3 6",
    },
    "Interval scales": {
        "Table": "1 2 3 4 5 6",
        "Figure": "1 2 3 4 5 6 7 8",
        "Example": "9 10 11 12",
        "section": (
            "I II III-A III-B III-C III-D III-E IV-A IV-B IV-C IV-D V VI VI-A VI-B VI-C VI-D VII "
            "VIII-A VIII-A1 VIII-A2 VIII-A3 VIII-B VIII-C IX"
        ),
    },
}
EXPECTED = [
    (paper, f"{kind} {number}".removeprefix("section "))
    for paper, kinds in NUMBERED.items()
    for kind, numbers in kinds.items()
    for number in numbers.split()
]


def commands() -> list[str]:
    """The commands of both pages, each once."""
    of_papers = [one for row in rows() for one in COMMAND.findall(row.here)]
    return list(dict.fromkeys(of_papers + COMMAND.findall(CHOICES.read_text(encoding="utf-8"))))


@pytest.mark.parametrize(("paper", "name"), EXPECTED)
def test_all_that_a_paper_numbers_is_named(paper: str, name: str) -> None:
    places = [part.strip() for row in rows() if row.paper == paper for part in row.where.split(",")]
    assert name in places


def test_each_row_has_a_command_or_says_why_there_is_none() -> None:
    for row in rows():
        command = COMMAND.fullmatch(row.here)
        assert command or re.fullmatch(r"No command: .*\.", row.here), row
        assert row.what, row
    assert list(dict.fromkeys(row.paper for row in rows())) == list(NUMBERED)


def spelt_out(command: str) -> list[str]:
    """The words of a command, with the sample collection in place of what it leaves open."""
    runs = {path.name.partition(".")[0]: path for path in RUNS}
    placed = {
        "QRELS": [str(QRELS)],
        "RUNS": [str(runs[name]) for name in FEW],
        "RUN": [str(runs["bm25"])],
        "TOPIC": ["101"],
    }
    return [part for word in shlex.split(command) for part in placed.get(word, [word])]


@pytest.mark.parametrize("command", commands())
def test_commands_run_on_the_sample(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = spelt_out(command)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", words)
    with pytest.raises(SystemExit) as ended:
        main()
    out, err = capsys.readouterr()
    assert (ended.value.code or 0) in ENDS.get(words[1], {0}), err
    assert out or list(tmp_path.iterdir()), "nothing was printed or written"


def test_figure_5_of_interval_scales_is_the_rank_of_each_topic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The paper's example: of (0,0,1,1) and (1,0,0,1) DCG is 1.131 and 1.500, and their ranks are 5 and 6."""
    (row,) = [row for row in rows() if row.paper == "Interval scales" and "Figure 5" in row.where]
    rankings = {"t1": (0, 0, 1, 1), "t2": (1, 0, 0, 1)}
    names = [(topic, f"d{rank}", grade) for topic, of in rankings.items() for rank, grade in enumerate(of, 1)]
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("".join(f"{topic} 0 {name} {grade}\n" for topic, name, grade in names))
    run.write_text("".join(f"{topic} Q0 {name} {name[1:]} {9 - int(name[1:])} run\n" for topic, name, _ in names))
    command = COMMAND.fullmatch(row.here)
    assert command is not None
    files = {"QRELS": str(qrels), "RUN": str(run)}
    monkeypatch.setattr(sys, "argv", [files.get(word, word) for word in shlex.split(command[1])])
    with pytest.raises(SystemExit):
        main()
    printed = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[1:] for line in printed if line[1] in rankings] == [
        ["t1", "1.1309", "5.0000"],
        ["t2", "1.5000", "6.0000"],
    ]
