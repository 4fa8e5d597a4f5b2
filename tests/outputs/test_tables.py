"""Tables for people: aligned, and safe to look at."""

import math
from collections.abc import Callable, Sequence

import pytest

from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.outputs.blocks import Matrix
from rankscale.outputs.people import aligned

Make = Callable[[Sequence[float]], Evaluation]


def shown(found: Evaluation, places: int = 4) -> str:
    return found.text(places)


def test_nothing_in_a_name_reaches_the_terminal_but_what_can_be_seen(nasty: Evaluation) -> None:
    for text in (shown(nasty), str(nasty.means()), nasty.text(2, "values")):
        text.encode("utf-8")
        assert all(c.isprintable() for line in text.split("\n") for c in line)


def test_one_line_for_each_run(nasty: Evaluation) -> None:
    assert len(shown(nasty).split("\n")) == 1 + len(nasty.runs)
    rows = sum(len(nasty.by_topic(run, "AP")) + 1 for run in nasty.runs)
    assert len(nasty.text(2, "values").split("\n")) == 1 + rows


def test_columns_are_aligned() -> None:
    rows = [["run", "topics", "AP"], ["a", "50", "0.1234"], ["longer", "7", "10.0000"]]
    assert aligned(rows).split("\n") == [
        "run     topics       AP",
        "a           50   0.1234",
        "longer       7  10.0000",
    ]
    assert aligned([["m", "what", "n"], ["abc", "x", "10"]], left=(True, True)).split("\n") == [
        "m    what   n",
        "abc  x     10",
    ]


def test_a_line_for_each_topic_and_one_for_the_mean() -> None:
    qrels = {"1": {"a": 1}, "22": {"a": 1, "b": 1}}
    found = evaluate(qrels, {"mine": {"1": {"a": 1.0}, "22": {"b": 1.0}}}, ["R@5", "NumRel"])
    lines = [line.split() for line in found.text(2, "values").splitlines()]
    assert [line[:3] for line in lines] == [
        ["run", "topic", "R@5"],
        ["mine", "1", "1.00"],
        ["mine", "22", "0.50"],
        ["mine", "all", "0.75"],
    ]


def test_whole_counts_are_shown_without_places() -> None:
    """So says their style."""
    found = evaluate({"1": {"a": 1, "b": 1}}, {"1": {"a": 1.0}}, ["NumRel", "AP"])
    assert shown(found).splitlines()[1].split() == ["run", "1", "2", "0.5000"]


@pytest.mark.parametrize("places", [0, 2, 10])
def test_places(places: int, holding: Make) -> None:
    assert shown(holding([2 / 3]), places).split()[-1] == f"{2 / 3:.{places}f}"


def test_undefined_is_a_dash_and_infinite_a_word(holding: Make) -> None:
    assert shown(holding([math.nan])).splitlines()[1].split() == ["r", "0", "-"]
    assert shown(holding([math.inf])).splitlines()[1].split() == ["r", "1", "inf"]


def test_one_very_long_name_does_not_widen_the_rows_of_all_others() -> None:
    """It is written in full and sticks out; the other rows are as they are without it."""
    rows = [["run", "AP"], *([f"r{number}", "0.25"] for number in range(20))]
    long = "x" * 100_000
    assert aligned([*rows, [long, "0.5"]]).split("\n") == [*aligned(rows).split("\n"), f"{long}   0.5"]
    assert aligned([["run", "AP"], ["x" * 200, "1"]]).split("\n")[0] == f"{'run':200}  AP"
    matrix = Matrix("", ["a", long], ["=<", ">="])
    assert matrix.rows() == ["a  =<", f"{long}  >="]
