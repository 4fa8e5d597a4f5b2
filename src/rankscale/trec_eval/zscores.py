"""-Z: each value as its distance from a mean, in standard deviations."""

import math
from collections.abc import Mapping

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.inputs.files import read_whole
from rankscale.trec_eval.c_numbers import atof
from rankscale.trec_eval.exits import ZSCORES, Quit

MISSING = -1_000_000.0  # printed where the file has no mean for a topic and measure
FIELDS = 4

Zscores = Mapping[tuple[str, str], tuple[float, float]]  # (topic, measure) -> mean and standard deviation


def read_zscores(path: str) -> Zscores:
    """The file of -Z: `topic measure mean standard-deviation` a line."""
    try:
        with open(path, "rb") as file:
            text = read_whole(file, path).decode("utf-8", "surrogateescape")
    except OSError as error:
        raise Quit(ZSCORES, f"trec_eval: cannot read zscores file '{path}': {error.strerror}") from None
    if not text:
        raise Quit(ZSCORES, f"trec_eval: zscores file '{path}' is empty")
    zscores = {}
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        fields = line.split()
        if len(fields) != FIELDS:
            raise Quit(ZSCORES, f"trec_eval: {path}, line {number}: expected: topic measure mean stddev\n    {line}")
        topic, measure, mean, deviation = fields
        zscores[topic, measure] = (atof(mean), atof(deviation))
    return zscores


def standardised(values: Floats, topics: list[str], measure: str, zscores: Zscores) -> Floats:
    """The values of one measure as z-scores; MISSING without a mean, or off a mean that no run deviated from.

    >>> standardised(np.array([0.5, 0.2]), ["a", "b"], "map", {("a", "map"): (0.25, 0.125)}).tolist()
    [2.0, -1000000.0]
    """
    return np.array(
        [_zscore(value, zscores.get((topic, measure))) for value, topic in zip(values, topics, strict=True)]
    )


def _zscore(value: float, mean_and_deviation: tuple[float, float] | None) -> float:
    if mean_and_deviation is None:
        return MISSING
    if math.isnan(value):
        return -math.nan  # 0/0 in C, on x86, and whatever is computed from it
    mean, deviation = mean_and_deviation
    if deviation == 0:
        return 0.0 if value == mean else MISSING
    return (value - mean) / deviation
