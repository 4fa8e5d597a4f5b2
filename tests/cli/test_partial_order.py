"""`rankscale partial-order`: its tables, its options, and how it refuses."""

from typing import Any

import pytest

import rankscale as rs
from rankscale.sample import QRELS, RUNS

FILES = [str(path) for path in RUNS[:4]]


def test_the_answer_and_what_it_says(rankscale: Any) -> None:
    outcome = rankscale("partial-order", QRELS, *FILES, "--depths", "5,10")
    assert outcome.code == 0, outcome.err
    study = rs.partial_order(QRELS, FILES, depths=[5, 10])
    assert outcome.out.rstrip() == study.text().rstrip()
    assert study.sentence() in outcome.out


@pytest.mark.parametrize("table", ["depths", "every_topic", "topics", "pairs"])
def test_tables(rankscale: Any, table: str) -> None:
    rows = rankscale(
        "partial-order", QRELS, *FILES, "--depths", "1,5", "--rel", "2", "--table", table, "--format", "jsonl"
    ).rows
    expected = list(rs.partial_order(QRELS, FILES, depths=[1, 5], rel=2).table(table))
    assert rows == expected


def test_refusals(rankscale: Any) -> None:
    assert "two runs or more" in rankscale("partial-order", QRELS, FILES[0]).refused
    assert "whole numbers from 1" in rankscale("partial-order", QRELS, *FILES, "--depths", "0").refused
    assert "whole numbers such as 10,100" in rankscale("partial-order", QRELS, *FILES, "--depths", "ten").refused
