"""`rankscale pool-orders`: rows at one depth of the pool, columns at another."""

from typing import Any

import rankscale as rs
from rankscale.sample import QRELS, RUNS

FILES = [str(path) for path in RUNS if path.name.startswith(("bm25", "late"))]


def test_rows_and_columns(rankscale: Any) -> None:
    options = ("-m", "AP", "-m", "RR", "--pool-depths", "5,10", "--reference", "P@10", "--reference", "AP")
    out = rankscale(
        "pool-orders", QRELS, *FILES, *options, "--reference-depth", "50", "--rel", "2", "--format", "jsonl"
    )
    expected = rs.pool_orders(
        QRELS,
        FILES,
        ["AP(rel=2)", "RR(rel=2)"],
        pool_depths=[5, 10],
        references=["P(rel=2)@10", "AP(rel=2)"],
        reference_depth=50,
        rel=2,
    )
    assert out.rows == list(expected.table("orders"))
    assert list(out.rows[0]) == ["measure", "pool_depth", "P(rel=2)@10", "AP(rel=2)"]
    people = rankscale("pool-orders", QRELS, *FILES, *options)
    assert "between the orders of" in people.out


def test_misuse(rankscale: Any) -> None:
    assert "unknown measure" in rankscale("pool-orders", QRELS, *FILES, "--reference", "XYZ").refused
    assert "0 is not in the range" in rankscale("pool-orders", QRELS, *FILES, "--reference-depth", "0").refused
