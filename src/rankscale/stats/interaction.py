"""Interaction of runs and groups of topics: whether the order of runs depends on the group."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ParameterError

Error = Literal["topics", "cells"]


@dataclass(frozen=True)
class Interaction:
    """An F test: sums of squares, degrees of freedom, F and p; NaN where there is nothing to divide."""

    between: float  # the sum of squares of the interaction
    error: float
    df: tuple[int, int]
    f: float
    p: float


@np.errstate(invalid="ignore")  # of infinite values: F is NaN then
def interaction(values: Floats, groups: Ints, error: Error = "topics") -> Interaction:
    """Test whether differences of runs vary with the group, by analysis of variance.

    Parameters
    ----------
    values
        (topic, run), all defined.
    groups
        (topic,): the group of each topic, numbered from 0.
    error
        'topics': topics are blocks within groups; 'cells': the spread within each group and run, blind to topics.

    Returns
    -------
    Interaction
        For two runs and 'topics' that of the one-way analysis of differences.

    Raises
    ------
    ParameterError
        If there are fewer than two groups or runs, or no more topics than groups.

    Examples
    --------
    >>> values = np.array([[0.7, 0.5], [0.75, 0.6], [0.3, 0.4], [0.2, 0.3], [0.4, 0.4]])
    >>> test = interaction(values, np.array([0, 0, 1, 1, 1]))
    >>> test.df, round(test.f, 4)
    ((1, 3), 26.5579)
    """
    topics, runs = values.shape
    kinds = int(groups.max(initial=-1)) + 1
    if kinds < 2 or runs < 2 or topics <= kinds:
        raise ParameterError(
            "an interaction needs two groups, two runs and more topics than groups, got "
            f"{kinds} groups, {runs} runs and {topics} topics"
        )
    sizes = np.bincount(groups, minlength=kinds)
    cells = np.stack([values[groups == group].mean(axis=0) for group in range(kinds)])  # (group, run)
    of_group, of_run, grand = cells.mean(axis=1), values.mean(axis=0), values.mean()
    between = float((sizes[:, None] * (cells - of_group[:, None] - of_run + grand) ** 2).sum())
    within = values - cells[groups]
    if error == "topics":
        within = within - values.mean(axis=1)[:, None] + of_group[groups][:, None]
        df = (kinds - 1) * (runs - 1), (topics - kinds) * (runs - 1)
    else:
        df = (kinds - 1) * (runs - 1), runs * (topics - kinds)
    rest = float((within**2).sum())
    rounding = 1e-24 * max(float((values**2).sum()), 1e-300)  # squares this small are differences of equal numbers
    undefined = np.nan if between <= rounding else np.inf
    f = float(undefined if rest <= rounding else (between / df[0]) / (rest / df[1]))
    return Interaction(between, rest, df, f, float(stats.f.sf(f, *df)))
