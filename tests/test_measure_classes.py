"""Measure classes as public names: `rs.nDCG @ 10`."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import rankscale as rs
from rankscale import AP, RBP, F, Interval, P, nDCG
from rankscale.errors import ParameterError
from rankscale.measures.base.parser import parse, parse_all
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import CLASSES

STUB = Path(rs.__file__).parent / "measures" / "base" / "register_classes.pyi"


@pytest.mark.parametrize("name", CLASSES)
def test_every_measure_is_a_public_name(name: str) -> None:
    assert getattr(rs, name) is find(name)
    assert name in dir(rs)
    assert f" as {name}\n" in STUB.read_text(encoding="utf-8")


def test_importing_the_package_imports_no_numpy() -> None:
    command = "import sys, rankscale; dir(rankscale); print('numpy' in sys.modules)"
    assert (
        subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True).stdout == "False\n"
    )


def test_classes_and_measures_take_a_depth() -> None:
    assert nDCG @ 10 == nDCG(depth=10) == parse("nDCG@10")
    assert nDCG(base=2) @ 10 == parse("nDCG(base=2)@10")
    assert F(beta=2) @ 10 == parse("F(beta=2)@10")
    assert rs.IPrec @ 0.5 == parse("IPrec@0.5")
    assert Interval(P @ 10) == parse("Interval(P@10)")
    assert rs.AvgPos(nDCG()) @ 10 == parse("AvgPos(nDCG)@10")
    assert parse_all([AP, nDCG @ 10, "P@5"]) == (AP(), nDCG(depth=10), P(depth=5))
    assert parse(AP) == AP()


def test_a_depth_that_is_needed_is_refused_when_something_is_measured() -> None:
    for attempt in (lambda: parse_all([P]), lambda: parse_all([P()]), lambda: P().value(rs.judged("1 0"))):
        with pytest.raises(ParameterError, match="P: a depth is needed, as in P@10"):
            attempt()
    with pytest.raises(ParameterError, match="Interval: of is needed"):
        parse_all([Interval])


def test_depths_are_whole_numbers_of_any_kind() -> None:
    assert nDCG @ np.int64(10) == nDCG @ 10
    assert type((nDCG @ np.int64(10)).depth) is int
    for wrong in (2.5, "10", True, [1]):
        with pytest.raises(ParameterError, match="depth must be a whole number or None"):
            nDCG(depth=wrong)  # type: ignore[arg-type]  # what a user may write


def test_fractions_are_exact() -> None:
    exact = parse("RBP(p=2/3)@5")
    assert exact == RBP(p=Fraction(2, 3)) @ 5
    assert str(exact) == "RBP(p=2/3)@5"
    assert parse(str(exact)) == exact
    assert str(RBP(p=Fraction(1, 2))) == "RBP(p=0.5)"
    assert parse("RBP(p=4/5)") == RBP()  # one measure, one name
    ranking = rs.judged("1 0 1 1")
    assert exact.value(ranking) == RBP(p=2 / 3, depth=5).value(ranking)
    assert rs.scale(exact).size == 32
    with pytest.raises(ParameterError, match="p must lie between 0 and 1, 1 itself left out, got 4/3"):
        parse("RBP(p=4/3)")
    with pytest.raises(ParameterError, match="p must be a plain value"):
        parse("RBP(p=1/0)")


def test_constructors_refuse_what_is_of_another_kind() -> None:
    for wrong in ("high", None, True, float("nan")):
        with pytest.raises(ParameterError, match="RBP: p must be a number"):
            RBP(p=wrong)  # type: ignore[arg-type]  # what a user may write
