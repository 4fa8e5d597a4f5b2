"""The tables of names in the page for users of other tools, against these tools."""

import lzma
import re
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale import sample

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "from-other-tools.md"
RUN = next(path for path in sample.RUNS if path.name == "manual.txt.xz")  # without ties, and with all topics


def names(tool: str) -> list[tuple[str, str]]:
    """What a measure is called in a tool, and here; of several spellings each, or each beside its own."""
    text = PAGE.read_text(encoding="utf-8").partition(f"\n| {tool} | rankscale |\n|---|---|\n")[2]
    rows = [row.strip("| ").split(" | ") for row in text.partition("\n\n")[0].splitlines()]
    found = []
    for row in rows:
        theirs, ours = (re.findall(r"`([^`]+)`", cell) for cell in row)
        found += list(zip(theirs, ours * len(theirs) if len(ours) == 1 else ours, strict=True))
    return found


@pytest.mark.parametrize(("theirs", "ours"), names("ir_measures"))
def test_ir_measures_has_the_same_value(theirs: str, ours: str) -> None:
    ir_measures: Any = pytest.importorskip("ir_measures")
    qrels = rs.read_qrels(sample.QRELS).to_dict()
    grades = {topic: {name: int(grade) for name, grade in documents.items()} for topic, documents in qrels.items()}
    run: dict[str, dict[str, float]] = {}
    for line in lzma.decompress(RUN.read_bytes()).decode().splitlines():
        topic, _, document, _, score, _ = line.split()
        run.setdefault(topic, {})[document] = float(score)
    measure = ir_measures.parse_measure(theirs)
    expected = ir_measures.calc_aggregate([measure], grades, run)[measure]
    assert rs.evaluate(sample.QRELS, RUN, ours).means()["manual", ours] == pytest.approx(expected, rel=1e-12)


def test_the_tables_are_found() -> None:
    assert {"AP", "RR", "P@10", "SetRelP"} <= {ours for _, ours in names("ir_measures")}
