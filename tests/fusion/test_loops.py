"""Fusion against plain loops; tests/oracles has ranx."""

import math
from collections.abc import Callable

import numpy as np
import pytest

import rankscale as rs

Made = dict[str, dict[str, dict[str, float]]]


def random_runs(seed: int, runs: int = 3, topics: int = 4) -> Made:
    """Runs without ties."""
    draw = np.random.default_rng(seed)
    made: Made = {}
    for run in range(runs):
        made[f"r{run}"] = {}
        for topic in range(topics):
            documents = draw.choice(30, size=draw.integers(2, 20), replace=False)
            scores = 10 * draw.permutation(len(documents)) + draw.random(len(documents)) + 1
            made[f"r{run}"][f"q{topic}"] = {f"d{d:02}": float(s) for d, s in zip(documents, scores, strict=True)}
    return made


def majority_value(runs: list[dict[str, float]], document: str, every: set[str]) -> float:
    """Pairwise majority of one document, by a loop over all pairs and runs."""

    def rank(run: dict[str, float], name: str) -> float:
        ordered = sorted(run, key=lambda one: (run[one], one), reverse=True)
        return ordered.index(name) if name in run else math.inf

    value = 0.0
    for other in every - {document}:
        above = sum(rank(run, document) < rank(run, other) for run in runs)
        below = sum(rank(run, document) > rank(run, other) for run in runs)
        value += 1.0 if above > below else 0.5 if above == below else 0.0
    return value


@pytest.mark.parametrize("seed", range(5))
def test_condorcet_against_a_loop_over_pairs(seed: int) -> None:
    runs = random_runs(seed, runs=2 + seed % 3)
    fused = rs.fuse(runs, "Condorcet").run
    for topic, values in fused.items():
        of_topic = [run[topic] for run in runs.values()]
        every = {document for run in of_topic for document in run}
        assert values == {document: majority_value(of_topic, document, every) for document in every}


def test_blocks_of_condorcet_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = random_runs(3)
    whole = rs.fuse(runs, "Condorcet").run
    monkeypatch.setattr("rankscale.fusion.methods.BLOCK", 4)
    assert rs.fuse(runs, "Condorcet").run == whole


BY_LOOP: dict[str, Callable[[list[float]], float]] = {
    "CombSUM": math.fsum,
    "CombMNZ": lambda z: len(z) * math.fsum(z),
    "CombANZ": lambda z: math.fsum(z) / len(z),
    "CombMAX": max,
    "CombMIN": min,
}


@pytest.mark.parametrize("method", BY_LOOP)
def test_raw_scores_against_a_loop(method: str) -> None:
    runs = random_runs(8, runs=5)
    fused = rs.fuse(runs, method, norm="none").run
    for topic, values in fused.items():
        for document, value in values.items():
            given = [run[topic][document] for run in runs.values() if document in run[topic]]
            assert value == BY_LOOP[method](given)
