"""What is asked for in a wrong way ends with code 2, one clear message and nothing on standard output."""

import re
from pathlib import Path
from typing import Any

import pytest

import rankscale as package
from rankscale.cli.program import commands

OWN_HELP = {"trec_eval"}  # speaks as trec_eval does


def test_help_lists_every_command(rankscale: Any) -> None:
    for flag in ("--help", "-h"):
        outcome = rankscale(flag)
        assert outcome.code == 0
        for name, (_, words) in commands().items():
            assert re.search(rf"^  {name} +{re.escape(words)}$", outcome.out, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(commands().keys() - {"demo"} - OWN_HELP))
def test_each_command_shows_examples_of_itself(name: str, rankscale: Any) -> None:
    outcome = rankscale(name, "--help")
    assert outcome.code == 0
    assert outcome.err == ""
    assert re.search(rf"^  .*\brankscale {name}\b", outcome.out, re.MULTILINE), "no example"
    assert outcome == rankscale(name, "-h")


def test_examples_in_help_stay_on_their_lines(rankscale: Any) -> None:
    examples = re.findall(r"^  .*rankscale evaluate .*$", rankscale("evaluate", "--help").out, re.MULTILINE)
    assert len(examples) == 8
    assert all(example.count("rankscale") == 1 for example in examples)


def test_the_version_is_that_of_the_package(rankscale: Any) -> None:
    outcome = rankscale("--version")
    assert (outcome.code, outcome.out) == (0, f"rankscale {package.__version__}\n")


def test_no_command_shows_what_there_is(rankscale: Any) -> None:
    outcome = rankscale()
    assert "rankscale demo" in outcome.out + outcome.err


@pytest.mark.parametrize(
    ("typed", "hint"),
    [
        ("evaluat", "unknown command 'evaluat'; did you mean evaluate?"),
        ("measure", "unknown command 'measure'; did you mean measures?"),
        ("xyzzy", "unknown command 'xyzzy'; `rankscale --help` lists all of them"),
    ],
)
def test_unknown_command(typed: str, hint: str, rankscale: Any) -> None:
    assert hint in rankscale(typed, "a", "b").refused


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("nDGC", "rankscale: unknown measure 'nDGC'; did you mean nDCG? `rankscale measures` lists all of them\n"),
        ("xyzzy", "rankscale: unknown measure 'xyzzy'; `rankscale measures` lists all of them\n"),
        ("ndgc@10", "rankscale: unknown measure 'ndgc'; did you mean nDCG? `rankscale measures` lists all of them\n"),
    ],
)
def test_unknown_measure(measure: str, message: str, rankscale: Any, qrels: Path, good: Path) -> None:
    assert rankscale("evaluate", qrels, good, "-m", measure).refused == message


@pytest.mark.parametrize(
    "measure", ["RBP(p=2)", "nDCG@0", "P(rel=1)", "nDCG@", "AP(", "RBP(0.8)", "AP(rel='x')", "", "import os"]
)
def test_measures_that_cannot_be(measure: str, rankscale: Any, qrels: Path, good: Path) -> None:
    message = rankscale("evaluate", qrels, good, "-m", measure).refused
    assert message.startswith("rankscale: ")
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--nope"], "--nope"),
        (["--order", "random"], "'score', 'score64', 'rank', 'file'"),
        (["--format", "xls"], "'parquet'"),
        (["--depth", "0"], "--depth"),
        (["--threads", "0"], "--threads"),
        (["--digits", "-1"], "--digits"),
        (["--digits", "18"], "--digits"),
        (["--rel", "high"], "--rel"),
        (["--gains", "a,b"], "expected a list such as 0,1,10 or a map such as 1=3,2=9, or exp, or linear, found 'a,b'"),
        (["--gains", "1=2=3"], "found '1=2=3'"),
        (["--grades", "exp"], "expected a list such as 0,1,10 or a map such as 1=3,2=9, found 'exp'"),
        (["--max-size", "big"], "expected a size such as 500M or 20G, found 'big'"),
        (["--max-size", "inf"], "found 'inf'"),
        (["--max-size", "nan"], "found 'nan'"),
        (["--max-size", "-5"], "'-5'"),
        (["--max-size", "5km"], "found '5km'"),
        (["--max-size", ""], "found ''"),
        (["--rel", "nan"], "--rel"),
        (["--grades", "1=nan"], "nan"),
        (["--gains", "0,1,inf"], "inf"),
        (["--negative", "spam"], "'not relevant'"),
    ],
)
def test_options_that_cannot_be(options: list[str], said: str, rankscale: Any, qrels: Path, good: Path) -> None:
    assert said in rankscale("evaluate", qrels, good, *options).refused


@pytest.mark.parametrize("command", ["evaluate", "check"])
def test_files_that_are_not_there(command: str, rankscale: Any, qrels: Path, good: Path, tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere.txt"
    outcome = rankscale(command, nowhere, good)
    assert outcome.code == 2
    assert outcome.err == f"rankscale: {nowhere}: there is no such file\n"
    outcome = rankscale(command, qrels, good, nowhere)
    assert outcome.code == 2
    assert outcome.err == f"rankscale: {nowhere}: there is no such file\n"
    assert "no file matches" in rankscale(command, qrels, f"{tmp_path}/nowhere*.gz").err


def test_a_folder_of_runs_is_no_qrels(rankscale: Any, good: Path) -> None:
    message = rankscale("evaluate", good.parent, good).refused
    assert "expected: topic iteration document grade, found 6 columns" in message
    assert "this is a run; qrels come first" in message


@pytest.mark.parametrize("arguments", [[], ["qrels.txt"]])
def test_arguments_that_are_missing(arguments: list[str], rankscale: Any) -> None:
    assert "Missing argument" in rankscale("evaluate", *arguments).refused


def test_a_broken_line_is_shown_with_its_place(rankscale: Any, qrels: Path, written: Any) -> None:
    broken = written("broken.txt", "1 Q0 a 1 2.5 x / 1 Q0 b 2 high x")
    message = rankscale("evaluate", qrels, broken).refused
    assert f"{broken}, line 2" in message
    assert "1 Q0 b 2 high x" in message


def test_no_topic_in_common(rankscale: Any, qrels: Path, written: Any) -> None:
    run = written("run.txt", "q1 Q0 a 1 1 x")
    assert rankscale("evaluate", qrels, run).refused == (
        f"rankscale: {run} and {qrels} have no topic in common; the qrels have 1, 2\n"
        "check that both files belong to the same collection and spell topics alike\n"
    )


def test_an_option_that_takes_one_value_is_given_once(rankscale: Any, tmp_path: Path) -> None:
    twice = rankscale("robustness", "qrels.txt", "run.txt", "--sizes", "50", "--sizes=10")
    assert twice.code == 2
    assert "--sizes is given 2 times, and takes one value here: write a list with commas" in twice.err
    figure = rankscale("figure", "curves", "qrels.txt", "run.txt", "-m", "AP", "--measure", "P", "-o", "x.svg")
    assert figure.code == 2
    assert "--measure is given 2 times" in figure.err


def test_names_of_other_tools_and_several_in_one_option(rankscale: Any, qrels: Path, good: Path) -> None:
    ours = rankscale("evaluate", qrels, good, "-m", "nDCG@10", "-m", "RR@10", "-m", "Success@5", "-m", "AP(rel=2)")
    theirs = rankscale("evaluate", qrels, good, "-m", "ndcg_at_10,MRR@10", "-m", "hit_rate@5", "-m", "map-l2")
    assert (theirs.code, theirs.raw) == (0, ours.raw)
    # --rel goes to each measure that was not given its own, also where several are in one text.
    assert rankscale("evaluate", qrels, good, "-m", "AP(rel=3),P@10", "--rel", "2").words[0][2:] == [
        "AP(rel=3)",
        "P(rel=2)@10",
    ]
    assert rankscale("curves", qrels, good, "-m", "precision,ndcg").code == 0
