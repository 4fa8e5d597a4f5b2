"""What a report warns of: each only where there is reason to."""

import lzma
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rankscale.reporting.report import report
from rankscale.reporting.results import Results
from rankscale.sample import QRELS, RUNS


def results(runs: Sequence[Path], measures: Sequence[str], **options: Any) -> Results:
    return report(QRELS, runs, measures, **options).results


def about(*runs: str, **options: Any) -> str:
    paths = [path for path in RUNS if path.name.split(".")[0] in runs]
    return "\n".join(results(paths, ["nDCG@10", "AP"], **options).cautions)


def test_ties_missing_topics_and_unjudged_documents_are_shown() -> None:
    text = about("dense-int8", "dense-zero", "manual")
    assert "2 of 3 runs have many tied scores (dense-int8, dense-zero)" in text
    assert "1 of 50 topics" in text
    assert "2 of 3 runs have less than 90 % of their first ten documents judged (dense-zero, dense-int8)" in text


def test_no_caution_without_reason() -> None:
    text = about("manual", "bm25-ce-large")
    assert "tied scores" not in text
    assert "missing" not in text
    assert "less than" not in text


def test_the_interval_version_tells_of_its_own() -> None:
    assert "Interval(nDCG@10): surrogate" in about("manual", "bm25-ce-large")


def test_a_floor_is_text() -> None:
    paths = [path for path in RUNS if path.name.startswith("bm25")]
    text = results(paths, ["DCG(base=2)@100"]).cautions
    assert any("of the values lie below 0.01" in line for line in text)


def test_topics_that_a_run_misses_are_not_taken_for_unjudged_documents(tmp_path: Path) -> None:
    lines = lzma.decompress(next(path for path in RUNS if path.name.startswith("manual")).read_bytes()).splitlines()
    part = tmp_path / "part.txt"
    part.write_bytes(b"".join(line + b"\n" for line in lines if int(line.split()[0]) > 112))
    others = [path for path in RUNS if path.name in {"bm25.txt.xz", "tfidf.txt.xz"}]
    made = results([part, *others], ["P@10"])
    assert made.judged.means().values[0, 0] == len(made.runs[0].rows) / 50 < 1  # the number of `evaluate`
    assert not [line for line in made.cautions if "documents judged" in line]


def test_what_is_unjudged_is_text_though_it_is_taken_out() -> None:
    some = [path for path in RUNS if path.name in {"dense-zero.txt.xz", "manual.txt.xz"}]
    plain, taken_out = (results(some, ["P@10"], judged_only=judged_only) for judged_only in (False, True))
    shares, of_all = (one.judged.means().values[0].tolist() for one in (taken_out, plain))
    assert shares == of_all
    assert min(shares) < 0.9
    assert any("leaving the others out may be unfair to them" in line for line in taken_out.cautions)
