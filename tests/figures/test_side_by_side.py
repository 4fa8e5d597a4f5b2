"""Figures of several collections as panels: each as it is drawn alone, over common axes, without overlap."""

from functools import lru_cache
from typing import Any

import pytest

import rankscale as rs
from rankscale.errors import ParameterError
from rankscale.figures.base.figure import Space
from rankscale.figures.base.look import Appearance
from rankscale.figures.base.register import Scoped, panels
from rankscale.figures.correlate import CorrelateFigure
from rankscale.figures.robustness import RobustnessFigure
from rankscale.sample import QRELS, RUNS

SPARSE = [str(path) for path in RUNS if path.name.startswith("bm25")]
DENSE = [str(path) for path in RUNS if path.name.startswith("d")]
NAMES = {"sparse": SPARSE, "dense": DENSE, "all of the runs": list(map(str, RUNS))}


@lru_cache
def collections(count: int) -> Any:
    return {name: (str(QRELS), runs) for name, runs in list(NAMES.items())[:count]}


@lru_cache
def evaluations(count: int, *measures: str) -> Any:
    return {name: rs.evaluate(qrels, runs, list(measures)) for name, (qrels, runs) in collections(count).items()}


FIGURES: dict[str, Any] = {
    "asl": lambda n: rs.figure("asl", rs.by_collection(rs.discriminate, evaluations(n, "AP", "RR"), samples=50)),
    "archetypes": lambda n: panels({name: rs.figure("archetypes", *of) for name, of in collections(n).items()}),
    "correlate": lambda n: rs.figure(
        "correlate", rs.by_collection(rs.correlate, evaluations(n, "AP", "P@10", "RR"), samples=0)
    ),
    "effort-gain": lambda n: rs.figure(
        "effort-gain", rs.by_collection(rs.effort_gain, evaluations(n, "AP", "Twist"), "AP")
    ),
    "intervals": lambda n: rs.figure("intervals", rs.by_collection(rs.intervals, collections(n), ["P@5", "RR@5"])),
    "means": lambda n: panels({name: rs.figure("means", of) for name, of in evaluations(n, "AP", "RR").items()}),
    "robustness": lambda n: rs.figure(
        "robustness", rs.by_collection(rs.robustness, collections(n), ["AP", "RR"], iterations=2)
    ),
}


@lru_cache
def drawn_panels(name: str, count: int) -> Any:
    return FIGURES[name](count)


@pytest.mark.slow
@pytest.mark.parametrize("name", FIGURES)
def test_panels_are_drawn_without_overlap(name: str, check_drawing: Any) -> None:
    check_drawing(drawn_panels(name, 2 if name in {"archetypes", "correlate", "robustness"} else 3))


@pytest.mark.parametrize("name", FIGURES)
def test_each_panel_has_the_data_of_its_collection(name: str) -> None:
    drawn = drawn_panels(name, 2)
    for table, rows in drawn.data().items():
        alone = [{"collection": one, **row} for one, of in drawn.figures.items() for row in of.data().get(table, ())]
        assert [{key: row.get(key) for key in rows.columns} for row in alone] == list(rows) or "nan" in str(alone)
        assert next(iter(rows.columns)) == "collection"
    assert all(part in drawn.title for part in ("sparse", "dense"))
    assert drawn.svg().count("<svg") == 1
    for one, of in drawn.figures.items():
        assert f"{one}: {of.description}" in drawn.description


def test_names_of_one_panel_are_not_those_of_another() -> None:
    spec = {
        "data": {"name": "points"},
        "params": [
            {"name": "shown", "value": "all", "bind": {"input": "select", "name": "run "}},
            {"name": "near", "select": "point", "views": ["lines"]},
        ],
        "layer": [
            {"name": "lines", "mark": "line", "transform": [{"filter": "datum.run === shown || unshown"}]},
            {"data": {"values": [{"name": "shown"}]}, "encoding": {"opacity": {"condition": {"param": "near"}}}},
        ],
    }
    made, params = Scoped("TREC-8", 1).within(spec)
    assert params == [
        {"name": "shown_1", "value": "all", "bind": {"input": "select", "name": "TREC-8, run "}},
        {"name": "near_1", "select": "point", "views": ["lines_1"]},
    ]
    own = {"filter": {"field": "collection", "oneOf": ["TREC-8"]}}
    assert made == {
        "data": {"name": "points"},
        "transform": [own],
        "layer": [
            {"name": "lines_1", "mark": "line", "transform": [{"filter": "datum.run === shown_1 || unshown"}]},
            {"data": {"values": [{"name": "shown"}]}, "encoding": {"opacity": {"condition": {"param": "near_1"}}}},
        ],
    }


def domains(part: Any) -> list[Any]:
    """All domains of scales of Kendall's tau-b in a drawing."""
    if isinstance(part, list):
        return [domain for one in part for domain in domains(one)]
    if not isinstance(part, dict):
        return []
    own = [part["scale"]["domain"]] if part.get("title") == "Kendall's tau-b" else []
    return own + [domain for one in part.values() for domain in domains(one)]


def test_panels_share_axes_and_colours() -> None:
    drawn = FIGURES["robustness"](2)
    space = Space(Appearance(), 300, 200)
    alone = [domains(figure.draw(space))[0] for figure in drawn.figures.values()]
    assert alone[0] != alone[1]
    assert {tuple(domain) for domain in domains(drawn.draw(space))} == {(min(low for low, _ in alone), 1)}
    colours = [
        figure.beside(list(FIGURES["correlate"](2).figures.values()))
        for figure in FIGURES["correlate"](2).figures.values()
    ]
    assert all(isinstance(figure, CorrelateFigure) for figure in colours)
    assert len({tuple(figure.domain) for figure in colours}) == 1
    assert isinstance(drawn.figures["dense"], RobustnessFigure)


def test_figures_of_one_kind_only() -> None:
    made = evaluations(2, "AP", "RR")["sparse"]
    with pytest.raises(ParameterError, match="panels are figures of one kind, got means, topics"):
        panels({"a": rs.figure("means", made), "b": rs.figure("topics", made["AP"])})
    with pytest.raises(ParameterError, match="panels are figures of one kind, got none"):
        panels({})
    study = rs.by_collection(rs.archetypes, collections(2))
    with pytest.raises(ParameterError, match="figure 'robustness' is made from Robustness, got Archetypes"):
        rs.figure("robustness", study)
