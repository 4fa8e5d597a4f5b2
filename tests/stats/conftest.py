"""What the tests of statistics share: the measures of the interval paper on TREC-8."""

from typing import Any

import pytest

import rankscale as rs
from rankscale.data.arrays import Floats

NAMES = (
    "P",
    "RBP(p=0.5)",
    "RR",
    "RBP(p=0.3)",
    "RBP(p=0.8)",
    "DCG(base=2)",
    "DCG(base=10)",
    "R",
    "AP",
    "nDCG(base=2)",
    "nDCG(base=10)",
)


@pytest.fixture(scope="session")
def trec_8_values(trec_8: tuple[Any, Any]) -> dict[str, Floats]:
    """(topic, run) of each measure over the first 30 documents."""
    measures = [f"{name}@30" for name in NAMES]
    found = rs.evaluate(*trec_8, measures)
    return {measure: values.T.copy() for measure, values in zip(measures, found.values, strict=True)}
