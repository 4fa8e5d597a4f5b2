"""What a report warns of: each only where there is reason to."""

from typing import Any

from rankscale.reporting.cautions import cautions
from rankscale.reporting.findings import find
from rankscale.sample import QRELS, RUNS


def about(*runs: str, **settings: Any) -> str:
    paths = [path for path in RUNS if path.name.split(".")[0] in runs]
    return "\n".join(cautions(find(paths, QRELS, ["nDCG@10", "AP"], **settings)))


def test_ties_missing_topics_and_unjudged_documents_are_told() -> None:
    told = about("dense-int8", "dense-zero", "manual")
    assert "in 2 of 3 runs (dense-int8, dense-zero)" in told
    assert "1 of 50 topics" in told
    assert "less than 90 % of the first ten documents are judged in 2 of 3 runs (dense-zero, dense-int8)" in told


def test_nothing_is_told_without_reason() -> None:
    told = about("manual", "bm25-ce-large")
    assert "score of another" not in told
    assert "missing" not in told
    assert "less than" not in told


def test_the_interval_version_tells_of_its_own() -> None:
    assert "Interval(nDCG@10): surrogate" in about("manual", "bm25-ce-large")


def test_a_floor_is_told() -> None:
    paths = [path for path in RUNS if path.name.startswith("bm25")]
    told = cautions(find(paths, QRELS, ["DCG(base=2)@100"]))
    assert any("of the values lie below 0.01" in line for line in told)
