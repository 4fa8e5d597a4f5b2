"""Runs, judgments and other people's programs, for tests that compare values with theirs."""

import gzip
import lzma
import warnings
from collections import defaultdict
from collections.abc import Iterable
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # cwl_eval, which it imports, has texts that Python warns of when it compiles them
    import ir_measures

__all__ = ["Grades", "Scores", "ir_measures", "judgments", "provided", "scores", "without_ties"]

Grades = dict[str, dict[str, int]]  # topic -> document -> grade
Scores = dict[str, dict[str, float]]  # topic -> document -> score


def lines(path: Path) -> list[list[str]]:
    """The columns of each line of a TREC file, read by Python alone."""
    opened: Any = lzma.open if path.suffix == ".xz" else gzip.open
    with opened(path, "rt") as file:
        return [line.split() for line in file]


@cache
def judgments(path: Path) -> Grades:
    """Read once for all tests, which look and do not touch."""
    found: Grades = defaultdict(dict)
    for topic, _, document, grade in lines(path):
        found[topic][document] = int(grade)
    return dict(found)


@lru_cache(maxsize=8)
def scores(path: Path) -> Scores:
    """Scores in the precision of trec_eval 9; pytrec_eval itself would order by doubles."""
    found: Scores = defaultdict(dict)
    for topic, _, document, _, score, *_ in lines(path):
        found[topic][document] = float(np.float32(score))
    return dict(found)


def without_ties(run: Scores) -> Scores:
    """The same rankings, in trec_eval's order, with scores that no two documents share."""
    tie_free: Scores = {}
    for topic, ranking in run.items():
        order = sorted(((score, document) for document, score in ranking.items()), reverse=True)
        tie_free[topic] = {document: float(len(order) - place) for place, (_, document) in enumerate(order)}
    return tie_free


def provided(provider: str, names: Iterable[str], grades: Grades, run: Scores) -> dict[tuple[str, str], float]:
    """What one of the programs behind ir_measures says: (topic, measure as we were asked) -> value."""
    asked = {ir_measures.parse_measure(name): name for name in names}
    evaluator = ir_measures.providers.registry[provider].evaluator(list(asked), grades)
    return {(found.query_id, asked[found.measure]): float(found.value) for found in evaluator.iter_calc(run)}
