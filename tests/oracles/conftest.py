"""Real judgments and runs, on which other tools compute the same; tests name where they deviate."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import rankings_of_runs

EIGHT = ("ok8alx", "CL99XT", "READWARE2", "fub99tf", "ibms99a", "att99atdc", "mds08a3", "unc8al32")


@pytest.fixture(scope="session")
def eight_files(shared_data: Path) -> list[Path]:
    """Eight runs of TREC-8."""
    return [shared_data / "trec8_adhoc" / "runs" / f"input.{name}.xz" for name in EIGHT]


@pytest.fixture(scope="session")
def eight_values(shared_data: Path, eight_files: list[Path]) -> rs.Evaluation:
    """AP, nDCG@10 and P@10 of eight runs of TREC-8."""
    return rs.evaluate(shared_data / "trec8_adhoc" / "trec8.qrels.gz", eight_files, ["AP", "nDCG@10", "P@10"])


@pytest.fixture(scope="session")
def eight_rankings(eight_files: list[Path]) -> dict[str, dict[str, dict[str, float]]]:
    """The same runs as {run: {topic: {document: score}}}, the best document first."""
    read, _ = rankings_of_runs([str(path) for path in eight_files], Reading())
    return {
        run.name: {one.topic: dict(zip(one.documents, one.scores, strict=True)) for one in run.each()} for run in read
    }


@pytest.fixture(scope="session")
def two_judges(shared_data: Path) -> tuple[dict[str, dict[str, float]], dict[str, dict[str, float]]]:
    """The judgments of Deep Learning 2021, grades 0 to 3, and those of one who differs on a third of them."""
    first: Any = rs.read_qrels(shared_data / "dl21_passage_judged" / "qrels-pass.txt.gz").to_dict()
    draw = np.random.default_rng(8)
    second = {
        topic: {
            document: float(np.clip(grade + draw.choice((-1, 1, 2)), 0, 3)) if draw.random() < 1 / 3 else grade
            for document, grade in grades.items()
        }
        for topic, grades in first.items()
    }
    return first, second
