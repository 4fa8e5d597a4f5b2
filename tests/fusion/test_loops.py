"""Fusion against plain loops and exact fractions; tests/oracles has ranx."""

import math
from collections.abc import Callable
from fractions import Fraction

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


Exact = dict[str, Fraction | None]  # of each document; None where a run gives it nothing


def exact_z(norm: str, run: dict[str, float], every: list[str]) -> Exact:
    """Normalised scores of one run, as fractions."""
    scores = {one: Fraction(score) for one, score in run.items()}
    ordered = sorted(run, key=lambda one: (run[one], one), reverse=True)
    least, most, n, c = min(scores.values()), max(scores.values()), len(run), len(every)
    made: dict[str, Callable[[str], Fraction]] = {
        "min-max": lambda one: (scores[one] - least) / (most - least) if most > least else Fraction(0),
        "max": lambda one: scores[one] / most,
        "sum": lambda one: (scores[one] - least) / (sum(scores.values()) - n * least) if most > least else Fraction(0),
        "rank": lambda one: 1 - Fraction(ordered.index(one), n),
        "borda": lambda one: (
            1 - Fraction(ordered.index(one), c) if one in run else Fraction(1, 2) - Fraction(n - 1, 2 * c)
        ),
        "none": lambda one: scores[one],
    }
    return {one: made[norm](one) if one in run or norm == "borda" else None for one in every}


def exact_rank(run: dict[str, float], every: list[str]) -> Exact:
    ordered = sorted(run, key=lambda one: (run[one], one), reverse=True)
    return {one: Fraction(ordered.index(one) + 1) if one in run else None for one in every}


EXACT_OF_SCORES: dict[str, Callable[[list[Fraction]], Fraction]] = {
    "CombSUM": lambda z: sum(z, Fraction(0)),
    "CombMNZ": lambda z: len(z) * sum(z, Fraction(0)),
    "CombANZ": lambda z: sum(z, Fraction(0)) / len(z),
    "CombMAX": max,
    "CombMIN": min,
    "CombMED": lambda z: (sorted(z)[(len(z) - 1) // 2] + sorted(z)[len(z) // 2]) / 2,
}
EXACT_OF_RANKS: dict[str, Callable[[list[Fraction]], Fraction]] = {
    "RRF": lambda r: sum((1 / (60 + one) for one in r), Fraction(0)),
    "ISR": lambda r: len(r) * sum((1 / one**2 for one in r), Fraction(0)),
    "RBC(phi=0.75)": lambda r: sum((Fraction(3, 4) ** int(one) / 3 for one in r), Fraction(0)),
    "logNISR": lambda r: Fraction(math.log(len(r) + 0.01)) * sum((1 / one**2 for one in r), Fraction(0)),
}
NORMED = [(method, norm) for method in EXACT_OF_SCORES for norm in ("min-max", "max", "sum", "rank", "borda", "none")]


@pytest.mark.parametrize(("method", "norm"), [*NORMED, *((method, None) for method in EXACT_OF_RANKS)])
def test_documents_are_in_the_order_of_exact_values(method: str, norm: str | None) -> None:
    """Few different scores, so that many documents have equal values, which floats compute in different ways."""
    for seed in range(12):
        draw = np.random.default_rng(seed)
        runs = [
            {f"d{d}": float(draw.integers(1, 6)) for d in draw.choice(10, size=draw.integers(2, 10), replace=False)}
            for _ in range(4)
        ]
        every = sorted({document for run in runs for document in run}, reverse=True)
        given = [exact_rank(run, every) if norm is None else exact_z(norm, run, every) for run in runs]
        value = EXACT_OF_RANKS[method] if norm is None else EXACT_OF_SCORES[method]
        exact = {one: value([z for of in given if (z := of[one]) is not None]) for one in every}
        fused = rs.fuse([{"q": run} for run in runs], method, norm=norm).run["q"]
        assert list(fused) == sorted(every, key=exact.__getitem__, reverse=True)  # ties stay as they are: descending
        assert len(set(fused.values())) == len(set(exact.values()))  # and tie in what is written, too
        assert fused == pytest.approx({one: float(exact[one]) for one in every}, rel=1e-11, abs=1e-14)
