"""Run and qrels files read line by line, as anybody would do it: slow, and easy to see through."""

import gzip
import lzma
from collections import defaultdict
from pathlib import Path

import numpy as np


def lines(path: Path) -> list[list[str]]:
    unpack = gzip.decompress if path.suffix == ".gz" else lzma.decompress
    return [line.split() for line in unpack(path.read_bytes()).decode("utf-8").splitlines()]


def plain_qrels(path: Path) -> dict[str, dict[str, float]]:
    grades: dict[str, dict[str, float]] = defaultdict(dict)
    for topic, _, document, grade in lines(path):
        grades[topic][document] = float(grade)
    return dict(grades)


def plain_run(path: Path) -> dict[str, list[str]]:
    """Documents by topic, the highest score first, as 32-bit numbers; of equal scores the last name first."""
    scored: dict[str, list[tuple[np.float32, str]]] = defaultdict(list)
    for topic, _, document, _, score, *_ in lines(path):
        scored[topic].append((np.float32(score), document))
    return {topic: [document for _, document in sorted(found, reverse=True)] for topic, found in scored.items()}
