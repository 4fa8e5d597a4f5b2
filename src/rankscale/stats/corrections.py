"""Corrections of p-values for the number of comparisons that were made."""

from collections.abc import Callable, Mapping

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.errors import UnknownNameError

CORRECTIONS: Mapping[str, str] = {
    "none": "no correction: each comparison by itself",
    "bonferroni": "Bonferroni: the chance of any false difference is kept below alpha",
    "holm": "Holm 1979: the chance of any false difference is kept below alpha; never less powerful than Bonferroni",
    "bh": "Benjamini and Hochberg 1995: the expected share of false differences among the significant ones is kept "
    "below alpha, for comparisons that are independent or positively dependent",
    "by": "Benjamini and Yekutieli 2001: the expected share of false differences among the significant ones is kept "
    "below alpha, whatever the dependence",
}
WHOSE: Mapping[str, str] = {
    "holm": "Holm's",
    "bonferroni": "Bonferroni's",
    "bh": "Benjamini and Hochberg's",
    "by": "Benjamini and Yekutieli's",
}


def correct(p: Floats, method: str) -> Floats:
    """The p-values of comparisons made together; those that are NaN stay so and do not count.

    >>> p = np.array([0.01, 0.04, np.nan, 0.03])
    >>> print(correct(p, "holm"))
    [0.03 0.06  nan 0.06]
    >>> print(correct(p, "bh"))
    [0.03 0.04  nan 0.04]
    """
    check_correction(method)
    corrected = np.array(p, dtype=np.float64)
    tested = ~np.isnan(corrected)
    corrected[tested] = _METHODS[method](corrected[tested])
    return corrected


def check_correction(method: str) -> None:
    """Raise UnknownNameError unless there is such a correction."""
    if method not in CORRECTIONS:
        raise UnknownNameError("correction", method, CORRECTIONS, f"there are {', '.join(CORRECTIONS)}")


def _bonferroni(p: Floats) -> Floats:
    """Each times the number of comparisons."""
    return np.minimum(p * len(p), 1.0)


def _holm(p: Floats) -> Floats:
    """From the smallest on: times the number of comparisons that are left, and no smaller than the one before."""
    order = np.argsort(p)
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _put_back(stepped, order)


def _false_discoveries(p: Floats) -> Floats:
    """From the largest on: times the number of comparisons over the place, and no larger than the one before."""
    order = np.argsort(p)[::-1]
    stepped = np.minimum.accumulate(p[order] * (len(p) / np.arange(len(p), 0, -1)))
    return _put_back(stepped, order)


def _any_dependence(p: Floats) -> Floats:
    """As for false discoveries, with p-values multiplied by the harmonic number of comparisons."""
    harmonic = float(np.sum(1.0 / np.arange(1, len(p) + 1)))
    return np.minimum(_false_discoveries(p * harmonic), 1.0)


def _put_back(stepped: Floats, order: np.ndarray[tuple[int], np.dtype[np.intp]]) -> Floats:
    """In the order in which they came; no p-value exceeds 1."""
    corrected = np.empty_like(stepped)
    corrected[order] = np.minimum(stepped, 1.0)
    return corrected


_METHODS: Mapping[str, Callable[[Floats], Floats]] = {
    "none": np.copy,
    "bonferroni": _bonferroni,
    "holm": _holm,
    "bh": _false_discoveries,
    "by": _any_dependence,
}
