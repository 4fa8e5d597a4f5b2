"""What the tests of evaluate() share: a reader and an oracle that are not ours, and a made-up collection."""

import bz2
import gzip
import lzma
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import pytrec_eval

Judgments = dict[str, dict[str, int]]
Scores = dict[str, dict[str, float]]

OPENERS: dict[str, Any] = {".xz": lzma.open, ".gz": gzip.open, ".bz2": bz2.open}


@pytest.fixture(scope="session")
def lines_of() -> Callable[[Path], list[list[str]]]:
    """The columns of each line of a TREC file, packed or not, read by Python alone."""

    def read(path: Path) -> list[list[str]]:
        with OPENERS.get(path.suffix, open)(path, "rt") as file:
            return [line.split() for line in file]

    return read


@pytest.fixture(scope="session")
def judgments_of(lines_of: Callable[[Path], list[list[str]]]) -> Callable[[Path], Judgments]:
    def read(path: Path) -> Judgments:
        found: Judgments = defaultdict(dict)
        for topic, _, document, grade in lines_of(path):
            found[topic][document] = int(grade)
        return dict(found)

    return read


@pytest.fixture(scope="session")
def scores_of(lines_of: Callable[[Path], list[list[str]]]) -> Callable[[Path], Scores]:
    def read(path: Path) -> Scores:
        found: Scores = defaultdict(dict)
        for topic, _, document, _, score, *_ in lines_of(path):
            # pytrec_eval orders by doubles, trec_eval by 32-bit numbers
            found[topic][document] = float(np.float32(score))
        return dict(found)

    return read


@pytest.fixture(scope="session")
def pytrec() -> Callable[..., dict[str, dict[str, float]]]:
    """What pytrec_eval finds: topic -> measure -> value."""

    def evaluate(scores: Scores, judgments: Judgments, names: set[str], **options: Any) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = pytrec_eval.RelevanceEvaluator(judgments, names, **options).evaluate(
            scores
        )
        return found

    return evaluate


@pytest.fixture(scope="session")
def made_up() -> Callable[[int], tuple[Scores, Judgments]]:
    """Tied scores, unjudged documents, grades from -1 to 3, and topics without a relevant document."""

    def make(seed: int, topics: int = 25) -> tuple[Scores, Judgments]:
        rng = np.random.default_rng(seed)
        scores: Scores = {}
        judgments: Judgments = {}
        for number in range(topics):
            documents = [f"d{place}" for place in rng.permutation(60)]
            judged = rng.choice(documents, rng.integers(1, 45), replace=False).tolist()
            grades = rng.choice([-1, 0, 1, 2, 3], len(judged), p=rng.dirichlet([0.4, 2, 1, 0.7, 0.4]))
            judgments[f"t{number}"] = {**dict(zip(judged, grades.tolist(), strict=True)), "pooled": 0}
            retrieved = documents[: rng.integers(1, 40)]
            scores[f"t{number}"] = {document: float(rng.integers(0, 25)) / 4 for document in retrieved}
        judgments["t0"] = dict.fromkeys(judgments["t0"], 0)
        return scores, judgments

    return make
