"""Columns of all studies, comparisons and scales have names without blanks."""

from collections.abc import Callable
from typing import Any

import pytest

import rankscale as rs
from rankscale.sample import QRELS, RUNS
from rankscale.studies.archetypes import archetypes
from rankscale.studies.bounds import bounds
from rankscale.studies.changes import changes
from rankscale.studies.correlate import correlate
from rankscale.studies.diff import diff
from rankscale.studies.discriminate import discriminate
from rankscale.studies.effort_gain import effort_gain
from rankscale.studies.gate import gate
from rankscale.studies.intervals import intervals
from rankscale.studies.leave_out import leave_out
from rankscale.studies.recall_precision import recall_precision
from rankscale.studies.robustness import robustness

FILES = list(RUNS[:4])


def evaluation() -> Any:
    return rs.evaluate(QRELS, FILES, ["P@5", "RR@5"])


STUDIES: dict[str, Callable[[], Any]] = {
    "archetypes": lambda: archetypes(QRELS, FILES),
    "bounds": lambda: bounds(QRELS, FILES),
    "changes": lambda: changes(QRELS, FILES, ["RR@5", "P@5"]),
    "correlate": lambda: correlate(evaluation(), samples=10),
    "diff": lambda: diff(QRELS, FILES[:2], ["RR@5", "P@5"], groups={"101": "a"}),
    "discriminate": lambda: discriminate(evaluation(), samples=10),
    "effort-gain": lambda: effort_gain(rs.evaluate(QRELS, FILES, ["AP", "Twist"]), "AP"),
    "gate": lambda: gate(evaluation(), 0.01, equivalence=True),
    "intervals": lambda: intervals(QRELS, FILES, "RR@5"),
    "leave-out": lambda: leave_out(QRELS, FILES, "AP"),
    "recall-precision": lambda: recall_precision(QRELS, FILES),
    "robustness": lambda: robustness(QRELS, FILES, "AP", iterations=1),
}


@pytest.mark.parametrize("name", STUDIES)
def test_columns_of_studies_have_no_blanks(name: str) -> None:
    study = STUDIES[name]()
    for table in study.tables():
        assert not [column for column in study.table(table).columns if " " in column or not column]


@pytest.mark.parametrize("test", ["student", "sign", "rank sum", "signed rank", "friedman", "kruskal-wallis"])
def test_columns_of_comparisons_have_no_blanks(test: str) -> None:
    compared = rs.compare(evaluation()["P@5"], test, baseline="bm25-bo1" if test == "student" else None)
    for table in ("pairs", "runs"):
        assert not [column for column in compared.table(table).columns if " " in column or not column]
