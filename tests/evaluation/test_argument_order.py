"""Qrels come first, then runs; given the other way round, the error says so."""

from collections.abc import Callable
from typing import Any

import pytest

import rankscale as rs
from rankscale.sample import QRELS, RUNS

GIVEN: dict[str, Callable[[], Any]] = {
    "a file": lambda: RUNS[0],
    "files": lambda: list(RUNS[:2]),
    "named rankings": lambda: {"mine": {"101": {"a": 1.0}}},
    "a run": lambda: rs.read_run(QRELS, RUNS[0]),
    "runs": lambda: rs.read_runs(QRELS, RUNS[:2]),
}


@pytest.mark.parametrize("kind", GIVEN)
@pytest.mark.parametrize("verb", [rs.evaluate, rs.curves, rs.robustness, rs.report])
def test_runs_before_qrels_are_refused(kind: str, verb: Callable[..., Any]) -> None:
    with pytest.raises(rs.errors.InputError, match="qrels come first, then runs"):
        verb(GIVEN[kind](), rs.read_qrels(QRELS), "AP")


def test_qrels_as_runs_are_refused() -> None:
    with pytest.raises(rs.errors.InputError, match="expected runs, found qrels; qrels come first"):
        rs.evaluate(QRELS, rs.read_qrels(QRELS), "AP")
