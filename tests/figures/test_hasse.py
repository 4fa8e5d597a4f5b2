"""Hasse diagrams: the covering relation against brute force and known counts, the layout, the drawing."""

from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rankscale.cli.figure import figure_command
from rankscale.errors import ParameterError
from rankscale.figures.base.look import lightness, rgb
from rankscale.figures.hasse import HasseFigure, hasse_figure

command = figure_command("hasse")


def edges_of(figure: HasseFigure) -> set[tuple[str, str]]:
    return {(str(row["lower"]), str(row["upper"])) for row in figure.data()["edges"]}


def below(one: str, other: str) -> bool:
    """SPEC 7, word by word."""
    return one != other and all(
        sum(grade >= level for grade in one[:rank]) <= sum(grade >= level for grade in other[:rank])
        for rank in range(1, len(one) + 1)
        for level in "0123"
    )


@pytest.mark.parametrize(("length", "grades"), [(1, "01"), (4, "01"), (5, "01"), (3, "012"), (2, "0123")])
def test_edges_are_the_covering_relation(length: int, grades: str) -> None:
    names = ["".join(ranking) for ranking in product(grades, repeat=length)]
    under = {(one, other) for one, other in product(names, repeat=2) if below(one, other)}
    directly = {pair for pair in under if not any((pair[0], n) in under and (n, pair[1]) in under for n in names)}
    figure = hasse_figure(length, [int(grade) for grade in grades])
    assert edges_of(figure) == directly
    assert figure.comparable == len(under)


@pytest.mark.parametrize("length", [2, 3, 4, 5, 6])
def test_binary_counts(length: int) -> None:
    """A relevant document is added at the end or moves up one rank: (n + 1) 2^(n-2) edges, n(n+1)/2 + 1 levels."""
    figure = hasse_figure(length)
    assert len(edges_of(figure)) == (length + 1) * 2 ** (length - 2)
    levels = {row["ranking"]: row["level"] for row in figure.data()["rankings"]}
    for name, level in levels.items():
        assert level == sum(length - rank for rank, grade in enumerate(str(name)) if grade == "1")


def test_the_paper_s_example() -> None:
    figure = hasse_figure(4)
    above = {pair for pair in product(map(str, figure.rankings.columns["ranking"]), repeat=2) if below(*pair)}
    assert {("1101", "1110"), ("1100", "1110"), ("1011", "1110")} <= above
    for one, other in (("1100", "1011"), ("1100", "0111")):
        assert (one, other) not in above
        assert (other, one) not in above
    assert "16 rankings" in figure.title
    assert "20 edges" in figure.description


@pytest.mark.parametrize(("length", "levels"), [(4, (0, 1)), (6, (0, 1)), (3, (0, 1, 2))])
def test_rankings_of_a_level_have_room_and_cannot_be_compared(length: int, levels: tuple[float, ...]) -> None:
    rows = list(hasse_figure(length, levels).data()["rankings"])
    for one, other in combinations(rows, 2):
        if one["level"] == other["level"]:
            assert abs(float(one["x"] or 0) - float(other["x"] or 0)) > 1 - 1e-9
            assert not below(str(one["ranking"]), str(other["ranking"]))


def test_edges_begin_and_end_at_their_rankings() -> None:
    figure = hasse_figure(3, (0, 1, 2))
    at = {row["ranking"]: (row["x"], row["level"]) for row in figure.data()["rankings"]}
    corners: dict[Any, list[Any]] = {}
    for row in figure.data()["edges"]:
        corners.setdefault((row["lower"], row["upper"]), []).append((row["x"], row["level"]))
    for (lower, upper), path in corners.items():
        assert (path[0], path[-1]) == (at[lower], at[upper])
        assert [level for _, level in path] == list(range(path[0][1], path[-1][1] + 1))


def test_edges_cross_little() -> None:
    """The diagram of length 4 is drawn without crossings, as in the paper."""
    rows: dict[Any, list[Any]] = {}
    for row in hasse_figure(4).data()["edges"]:
        rows.setdefault(row["edge"], []).append((row["level"], row["x"]))
    for (low, high), (lower, higher) in combinations(rows.values(), 2):
        if low[0] == lower[0]:
            assert (low[1] - lower[1]) * (high[1] - higher[1]) >= 0


def test_what_cannot_be_drawn_is_refused() -> None:
    for length, levels in ((7, (0, 1)), (4, (0, 1, 2, 3)), (0, (0, 1)), (3, (1,)), (2, (0, float("nan")))):
        with pytest.raises(ParameterError):
            hasse_figure(length, levels)


@pytest.mark.quick_look
def test_is_drawn_without_overlap(check_drawing: Any) -> None:
    for length, levels in ((4, (0, 1)), (6, (0, 1)), (3, (0, 1, 2)), (2, (0, 0.5, 10))):
        check_drawing(hasse_figure(length, levels))


def test_the_command(tmp_path: Path) -> None:
    output = tmp_path / "hasse.tsv"
    made = CliRunner().invoke(command, ["-o", str(output), "-n", "3", "--levels", "0,1,2"])
    assert made.exit_code == 0, made.output
    assert len(output.read_text().splitlines()) == 28
    assert CliRunner().invoke(command, ["-o", str(tmp_path / "hasse.svg")]).exit_code == 0
    assert CliRunner().invoke(command, ["-o", str(output), "-n", "0"]).exit_code == 2
    assert isinstance(CliRunner().invoke(command, ["-o", str(output), "-n", "9"]).exception, ParameterError)


def test_shades_of_one_hue_count_relevant_documents_and_an_arrow_points_up() -> None:
    figure = hasse_figure()
    layers: Any = figure.spec()["layer"]
    shades = layers[1]["encoding"]["fill"]["scale"]["range"]
    light = [lightness(rgb(shade)) for shade in shades]
    assert light == sorted(light, reverse=True)
    assert len(set(shades)) == 5
    assert ">better</text>" in figure.svg()
