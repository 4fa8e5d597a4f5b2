"""Measures of another package: one file each gives curves, bounds, ties, laws and an exact interval scale."""

import sys
from collections.abc import Iterator
from inspect import signature
from itertools import product

import numpy as np
import pytest

import rankscale as rs
from rankscale.data.judged import judged
from rankscale.measures.base import register
from rankscale.measures.base.parser import _all_named, parse
from rankscale.stats.verdicts import MEAN, verdict
from tests.measures import test_laws as laws

SOURCE = '''
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from rankscale.measures.base.additive import Additive


@dataclass(frozen=True)
class Steep(Additive):
    """Relevant documents weighted by 1 / (rank (rank + 1)), which add up to 1 over all ranks."""

    name: ClassVar[str] = "Steep"
    formula: ClassVar[str] = "sum over ranks i <= k of relevant / (i (i + 1))"
    paper: ClassVar[str] = "none"
    unbounded_depth: ClassVar[bool] = True

    rel: float = 1

    def weight(self, rank):
        return 1.0 / (rank * (rank + 1.0))

    def exact_weights(self, depth):
        return tuple(Fraction(1, rank * (rank + 1)) for rank in range(1, depth + 1))

    def tail(self, rank):
        return 1.0 / (rank + 1.0)


@dataclass(frozen=True)
class Rooted(Additive):
    """Relevant documents over the square root of their rank: weights that are no fractions."""

    name: ClassVar[str] = "Rooted"
    formula: ClassVar[str] = "sum over ranks i <= k of relevant / sqrt(i)"
    paper: ClassVar[str] = "none"
    limits: ClassVar[tuple[float, float]] = (0, float("inf"))

    rel: float = 1

    def weight(self, rank):
        return 1.0 / np.sqrt(rank)
'''
ENTRY_POINTS = "[rankscale.measures]\nSteep = steep_measures:Steep\nRooted = steep_measures:Rooted\n"
NAMES = ("Steep", "Rooted")


@pytest.fixture(scope="module", autouse=True)
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A package on the path, installed as pip would: a module and its .dist-info."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "steep_measures.py").write_text(SOURCE)
    info = folder / "steep_measures-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: steep-measures\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    sys.path.insert(0, str(folder))
    yield
    sys.path.remove(str(folder))
    register.find.cache_clear()
    _all_named.cache_clear()


def weights(name: str, depth: int) -> list[float]:
    ranks = range(1, depth + 1)
    return [1 / (rank * (rank + 1)) if name == "Steep" else rank**-0.5 for rank in ranks]


@pytest.mark.parametrize("name", NAMES)
def test_values_and_curves(name: str) -> None:
    qrels, runs = {"1": {"a": 1, "b": 0, "c": 1}}, {"mine": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}}}
    first, _, third = weights(name, 3)
    value = rs.evaluate(qrels=rs.read_qrels(qrels), runs=runs, measures=[f"{name}@3"]).values[0, 0, 0]
    curve = rs.curves(qrels=rs.read_qrels(qrels), runs=runs, measures=f"{name}@3").values[0][0, 0]
    assert value == pytest.approx(first + third)
    np.testing.assert_allclose(curve, [first, first, first + third])
    assert name in register.names()
    assert parse(str(parse(f"{name}@3"))) == parse(f"{name}@3")


@pytest.mark.parametrize("name", NAMES)
def test_bounds_and_ties(name: str) -> None:
    first, second, _ = weights(name, 3)
    lower, upper = parse(f"{name}@3").bounds(judged("1 - 0"))
    beyond = 1 / 4 if name == "Steep" else 0
    np.testing.assert_allclose([lower[0], upper[0]], [first, first + second + beyond])
    assert parse(f"{name}@3").expected(judged("1=0"))[0] == pytest.approx((first + second) / 2)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("depth", [1, 4, 9])
def test_the_interval_scale_is_that_of_all_rankings(name: str, depth: int) -> None:
    measure = parse(f"{name}@{depth}")
    rankings = list(product((0, 1), repeat=depth))
    values = np.round([float(np.dot(ranking, weights(name, depth))) for ranking in rankings], 12)
    distinct = np.unique(values)
    expected = np.searchsorted(distinct, values) + 1
    scale = rs.scale(measure)
    assert scale.size == len(distinct)
    assert scale.ranks(rankings) == expected.tolist()
    assert scale.provenance.kind == ("exact" if name == "Steep" else "floats")
    table = judged(*(" ".join(map(str, ranking)) for ranking in rankings))
    interval = parse(f"Interval({name}@{depth})")
    np.testing.assert_allclose(interval.value(table), (expected - 1) / max(len(distinct) - 1, 1))


def test_rational_weights_are_counted_far_beyond_what_can_be_listed() -> None:
    assert rs.scale(parse("Steep@24"), method="exact").size > 2**20


def test_verdicts() -> None:
    assert verdict(parse("Steep@5"), MEAN, (0, 1)).kind == "interval version"
    assert verdict(parse("Interval(Steep@5)"), MEAN, (0, 1)).meaningful


LAWS = [  # those that each measure is held to
    law
    for name, law in vars(laws).items()
    if name.startswith("test_") and list(signature(law).parameters) == ["measure"]
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("text", ["Steep", "Steep@3", "Rooted", "Rooted@3"])
def test_the_laws_hold(law, text: str) -> None:
    law(measure=parse(text))
