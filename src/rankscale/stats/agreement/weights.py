"""Weights of disagreement and of agreement between two grades."""

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError

Weights = Literal["none", "linear", "quadratic"]
Spacing = Literal["value", "place"]
LARGE = 1e100  # of grades up to this, distances and their squares are numbers
Closeness = Literal["identity", "linear", "quadratic", "ordinal"]


def check_spacing(spacing: str) -> None:
    """Raise ParameterError unless grades can be spaced so."""
    if spacing not in get_args(Spacing):
        raise ParameterError(f"spacing must be 'value' or 'place', got {spacing!r}")


def disagreement(levels: Sequence[float], weights: Weights = "none", spacing: Spacing = "value") -> Floats:
    """(level, level): how far two grades disagree: whether they differ, by how much, or by how much squared.

    Distances are those of the grades' values, or of their places among the levels.

    >>> disagreement((0, 1, 3), "linear").tolist()
    [[0.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 0.0]]
    >>> disagreement((0, 1, 3), "quadratic", "place").tolist()
    [[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
    """
    check_spacing(spacing)
    if weights not in get_args(Weights):
        raise ParameterError(f"weights must be 'none', 'linear' or 'quadratic', got {weights!r}")
    positions = scaled(levels) if spacing == "value" else np.arange(len(levels), dtype=np.float64)
    distance: Floats = np.abs(positions[:, None] - positions[None, :])
    if weights == "none":
        return (distance > 0).astype(np.float64)
    return distance if weights == "linear" else distance**2


def closeness(levels: Sequence[float], kind: Closeness = "identity") -> Floats:
    """(level, level): how far two grades agree, from 1 for the same grade to 0 for the farthest.

    >>> closeness((0, 1, 3), "linear").round(4).tolist()
    [[1.0, 0.6667, 0.0], [0.6667, 1.0, 0.3333], [0.0, 0.3333, 1.0]]
    >>> closeness((0, 1, 3), "ordinal").round(4).tolist()
    [[1.0, 0.6667, 0.0], [0.6667, 1.0, 0.6667], [0.0, 0.6667, 1.0]]
    """
    if kind not in get_args(Closeness):
        raise ParameterError(f"weights must be 'identity', 'linear', 'quadratic' or 'ordinal', got {kind!r}")
    count = len(levels)
    if kind == "identity" or count == 1:
        return np.eye(count)
    if kind == "ordinal":
        steps = disagreement(levels, "linear", "place")
        return 1 - (steps + 1) * steps / (count * (count - 1))  # C(steps + 1, 2) / C(count, 2)
    span = float(np.ptp(scaled(levels)))
    return 1 - disagreement(levels, kind) / (span if kind == "linear" else span**2)


def scaled(levels: Sequence[float]) -> Floats:
    """(level,): the grades over their unit: coefficients are ratios of distances, which it does not change.

    >>> scaled((0, 1, 2)).tolist(), scaled((0, 1e308)).tolist()
    ([0.0, 1.0, 2.0], [0.0, 1.0])
    """
    return np.asarray(levels, dtype=np.float64) / unit_of(levels)


def unit_of(levels: "Sequence[float] | Floats") -> float:
    """1; where squares of all grades would be infinite or 0, the largest of them."""
    largest = float(np.abs(levels).max(initial=0.0))
    return largest if largest > LARGE or 0 < largest < 1 / LARGE else 1.0
