"""What a report warns of: each only where there is reason to."""

import lzma
from pathlib import Path
from typing import Any

from rankscale.reporting.cautions import cautions
from rankscale.reporting.findings import find
from rankscale.sample import QRELS, RUNS


def about(*runs: str, **settings: Any) -> str:
    paths = [path for path in RUNS if path.name.split(".")[0] in runs]
    return "\n".join(cautions(find(QRELS, paths, ["nDCG@10", "AP"], **settings)))


def test_ties_missing_topics_and_unjudged_documents_are_told() -> None:
    told = about("dense-int8", "dense-zero", "manual")
    assert "2 of 3 runs have many tied scores (dense-int8, dense-zero)" in told
    assert "1 of 50 topics" in told
    assert "less than 90 % of the first ten documents are judged in 2 of 3 runs (dense-zero, dense-int8)" in told


def test_nothing_is_told_without_reason() -> None:
    told = about("manual", "bm25-ce-large")
    assert "tied scores" not in told
    assert "missing" not in told
    assert "less than" not in told


def test_the_interval_version_tells_of_its_own() -> None:
    assert "Interval(nDCG@10): surrogate" in about("manual", "bm25-ce-large")


def test_a_floor_is_told() -> None:
    paths = [path for path in RUNS if path.name.startswith("bm25")]
    told = cautions(find(QRELS, paths, ["DCG(base=2)@100"]))
    assert any("of the values lie below 0.01" in line for line in told)


def test_topics_that_a_run_misses_are_not_taken_for_unjudged_documents(tmp_path: Path) -> None:
    lines = lzma.decompress(next(path for path in RUNS if path.name.startswith("manual")).read_bytes()).splitlines()
    part = tmp_path / "part.txt"
    part.write_bytes(b"".join(line + b"\n" for line in lines if int(line.split()[0]) > 112))
    others = [path for path in RUNS if path.name in {"bm25.txt.xz", "tfidf.txt.xz"}]
    found = find(QRELS, [part, *others], ["P@10"])
    assert found.judged[0] == 1
    assert not [line for line in cautions(found) if "are judged in" in line]


def test_what_is_unjudged_is_told_though_it_is_taken_out() -> None:
    some = [path for path in RUNS if path.name in {"dense-zero.txt.xz", "manual.txt.xz"}]
    plain, taken_out = (find(QRELS, some, ["P@10"], judged_only=judged_only) for judged_only in (False, True))
    assert taken_out.judged.tolist() == plain.judged.tolist()
    assert min(taken_out.judged) < 0.9
    assert any("need not be fair to them" in line for line in cautions(taken_out))
