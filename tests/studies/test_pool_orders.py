"""Orders of runs at different depths of the pool: against pools made by hand and scipy, and the published table."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import kendalltau, spearmanr

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.sample import QRELS, RUNS
from rankscale.stats.correlation.rank_correlations import reading

FILES = [str(path) for path in RUNS if path.name.startswith(("bm25", "late", "tf"))]
TABLE_III = {  # by measure and pool depth: tau with RR, P@10, P@R and AP at depth 100
    ("RR", 10): (0.997, 0.841, 0.749, 0.733),
    ("P@10", 10): (0.839, 1.000, 0.861, 0.846),
    ("Rprec", 100): (0.748, 0.861, 1.000, 0.905),
    ("RBP(p=0.5)", 10): (0.925, 0.858, 0.768, 0.758),
    ("RBP", 10): (0.887, 0.930, 0.822, 0.812),
    ("RBP(p=0.95)", 10): (0.778, 0.880, 0.874, 0.897),
    ("RBP(p=0.95)", 100): (0.791, 0.913, 0.896, 0.863),
    ("nDCG(base=2)", 100): (0.763, 0.831, 0.878, 0.916),
}


def means(depth: int | None, measure: str) -> Any:
    """Means of runs with the judgments of documents that one of them ranks at the depth or above."""
    qrels = rs.read_qrels(QRELS)
    kept = qrels.to_dict()
    if depth is not None:
        runs = rs.read_runs(qrels, FILES, keep_documents=True)
        pools: dict[str, set[str]] = {topic: set() for topic in qrels.topics}
        for run in runs:
            assert run.documents is not None
            for row, names in zip(run.rows.tolist(), run.documents, strict=True):
                pools[qrels.topics[row]] |= set(names[:depth])
        kept = {t: {d: g for d, g in grades.items() if d in pools[t]} for t, grades in kept.items()}
    values = rs.evaluate(kept, FILES, measure).values[0]
    return np.round(values.sum(axis=1) / len(qrels.topics), 8)


@pytest.mark.parametrize("reference_depth", [None, 20])
def test_pools_made_by_hand(reference_depth: int | None) -> None:
    made = rs.pool_orders(
        QRELS, FILES, ["AP", "P@5"], pool_depths=[3, 10], references=["RR", "AP"], reference_depth=reference_depth
    )
    for m, measure in enumerate(("AP", "P@5")):
        for d, depth in enumerate((3, 10)):
            for r, reference in enumerate(("RR", "AP")):
                tau = kendalltau(means(depth, measure), means(reference_depth, reference)).statistic
                assert abs(made.correlation[m, d, r] - tau) < 1e-12
    orders = list(made.table("orders"))
    assert [(row["measure"], row["pool_depth"]) for row in orders] == [("AP", 3), ("AP", 10), ("P@5", 3), ("P@5", 10)]
    assert [[row["RR"], row["AP"]] for row in orders] == made.correlation.reshape(4, 2).tolist()
    pairs = list(made.table("pairs"))
    assert [row["value"] for row in pairs] == made.correlation.ravel().tolist()
    assert {row["reference_depth"] for row in pairs} == {reference_depth}
    high = [row["reading"] for row in pairs if float(row["value"] or 0) > 0.9]
    assert set(high) <= {"equivalent"}


def test_another_coefficient_and_references_by_default() -> None:
    made = rs.pool_orders(QRELS, FILES, ["AP", "P@5"], pool_depths=[5], method="spearman")
    rho = spearmanr(means(5, "AP"), means(None, "P@5")).statistic
    assert abs(made.correlation[0, 0, 1] - rho) < 1e-12
    assert list(made.table("pairs").columns) == ["measure", "pool_depth", "reference", "reference_depth", "value"]
    assert made.sentence().startswith("Spearman's rho between the orders of")
    assert [str(measure) for measure in made.references] == ["AP", "P@5"]


def test_a_measure_for_which_low_is_good_agrees_where_tau_is_negative() -> None:
    made = rs.pool_orders(QRELS, FILES, ["AP"], pool_depths=[50], references=["AP", "RankPower"])
    straight, opposed = made.table("pairs")
    assert [measure.low_is_good for measure in made.references] == [False, True]
    assert straight["reading"] == reading(float(straight["value"] or 0))
    assert opposed["reading"] == reading(-float(opposed["value"] or 0))
    assert float(opposed["value"] or 0) < 0


@pytest.mark.slow
def test_table_iii_of_moffat_and_zobel(shared_data: Any) -> None:
    """Its order of equal scores, its pools and its rounding are not known: no cell is off by more than 0.004."""
    folder = shared_data / "trec5_adhoc"
    runs = [str(path) for path in sorted((folder / "runs").iterdir())]
    made = rs.pool_orders(folder / "T5-j.txt.gz", runs, references=["RR", "P@10", "Rprec", "AP"])
    rows: Any = {(row["measure"], row["pool_depth"]): row for row in made.table("orders")}
    assert len(made.evaluation.runs) == 61
    for (measure, depth), published in TABLE_III.items():
        if depth == 10:
            ours = [rows[measure, depth][name] for name in ("RR", "P@10", "Rprec", "AP")]
            assert np.abs(np.array(ours) - published).max() < 0.004 + 0.0005, measure


def test_misuse() -> None:
    for options, message in (
        ({"pool_depths": []}, "give a measure and a depth of the pool"),
        ({"pool_depths": [0]}, "depth"),
        ({"references": []}, "give a measure and a depth of the pool"),
    ):
        with pytest.raises(ParameterError, match=message):
            rs.pool_orders(QRELS, FILES, "AP", **options)
    with pytest.raises(UnknownNameError, match="unknown correlation 'tau'"):
        rs.pool_orders(QRELS, FILES, "AP", method="tau")
    with pytest.raises(ParameterError, match="give two runs or more"):
        rs.pool_orders(QRELS, FILES[:1], "AP")
