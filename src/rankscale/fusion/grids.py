"""What tuning chooses from: the values of a method's parameter, and the folds of topics."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import comb

import numpy as np

from rankscale.errors import ParameterError
from rankscale.fusion.methods import Method
from rankscale.measures.base.structure import as_written

Point = float | tuple[float, ...]
TUNED = {"WSum": "weights", "RRF": "k", "RBC": "phi", "logNISR": "sigma"}  # the parameter of each method
USUAL = {"RRF": tuple(float(k) for k in range(10, 101, 10)), "RBC": tuple(tenth / 10 for tenth in range(1, 10))}
LARGEST = 10_000  # points of a grid


def grid_of(method: Method, runs: int, step: float = 0.1, points: Sequence[Point] | None = None) -> list[Method]:
    """The method with each value of its parameter, in the order in which they are tried."""
    parameter = TUNED.get(method.name)
    if parameter is None:
        *some, last = TUNED
        tunable = f"{', '.join(some)} or {last}"
        raise ParameterError(f"{method.name} has no parameter to tune: take --method {tunable} (method= in Python)")
    if points is None and method.name == "WSum":
        points = list(weight_grid(runs, step))
    if method.name == "WSum" and any(isinstance(point, int | float) for point in points or ()):
        raise ParameterError(
            "--grid (grid= in Python) has values of k, phi or sigma, and WSum has weights: --step STEP (step=) sets "
            "the step between those tried; in Python grid= also takes tuples of weights"
        )
    chosen = USUAL.get(method.name) if points is None else points
    if not chosen:
        raise ParameterError(
            f"{method.name}: name the values of {parameter} to try, as in --grid 0.01,0.1 (grid= in Python)"
        )
    if len(chosen) > LARGEST:
        raise ParameterError(f"the grid has {len(chosen):,} points, and {LARGEST:,} are the most: try fewer values")
    return [method.with_parameter(parameter, point) for point in chosen]


def weight_grid(runs: int, step: float = 0.1) -> Iterator[tuple[float, ...]]:
    """All weights that are multiples of a step and sum to 1, in lexicographic order; counted in whole numbers.

    >>> list(weight_grid(2, 0.5))
    [(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)]
    >>> len(list(weight_grid(3))), len(list(weight_grid(4)))
    (66, 286)
    """
    parts = Fraction(1) / as_written(step) if 0 < step <= 1 else Fraction(0)
    if parts.denominator != 1 or parts == 0:
        raise ParameterError(f"step must go into 1 a whole number of times, as 0.1 and 0.25 do, got {step}")
    whole = int(parts)
    size = comb(whole + runs - 1, runs - 1)
    if size > LARGEST:
        raise ParameterError(
            f"there are {size:,} ways to give {runs} runs weights in steps of {step:g}, and {LARGEST:,} are the most: "
            "take a larger step or fewer runs"
        )
    for units in _compositions(whole, runs):
        yield tuple(unit / whole for unit in units)


def _compositions(whole: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Ways to write a number as a sum of so many others, in lexicographic order."""
    if parts == 1:
        yield (whole,)
        return
    for first in range(whole + 1):
        for rest in _compositions(whole - first, parts - 1):
            yield (first, *rest)


def folds_of(topics: int, folds: int = 5, seed: int = 0) -> list[list[int]]:
    """Places of the topics of each fold: every folds-th place of one random permutation.

    >>> topics = sorted(str(number) for number in range(1, 11))
    >>> [[topics[place] for place in fold] for fold in folds_of(10)]
    [['4', '5'], ['6', '9'], ['2', '1'], ['7', '8'], ['3', '10']]
    """
    if not 2 <= folds <= topics:
        raise ParameterError(f"folds must be a whole number from 2 to the number of topics, {topics}, got {folds}")
    order = np.random.default_rng(seed).permutation(topics).tolist()
    return [order[fold::folds] for fold in range(folds)]
