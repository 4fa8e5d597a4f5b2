"""Parameters of measures, as trec_eval reads them from what follows the dot."""

import re
from collections.abc import Sequence

from rankscale.errors import ParameterError
from rankscale.trec_eval.c_numbers import atof, atol

WHOLE = re.compile(r"[+-]?[0-9]+")

Pairs = Sequence[tuple[str, float]]


def depths(text: str) -> list[int]:
    """Depths between commas, ascending.

    >>> depths("20,5,10.7")
    [5, 10, 20]
    """
    cutoffs = sorted(atol(depth) for depth in text.split(","))
    if cutoffs[0] <= 0:
        raise ParameterError(f"depths must be whole numbers from 1, got {text!r}")
    if len(set(cutoffs)) < len(cutoffs):
        raise ParameterError(f"depths must differ, got {text!r}")
    return cutoffs


def pairs(text: str) -> Pairs:
    """Names and numbers.

    >>> pairs("p=0.8,1=.5")
    [('p', 0.8), ('1', 0.5)]
    """
    split = [pair.split("=") for pair in text.split(",")] if text else []
    if any(len(pair) != 2 for pair in split):
        raise ParameterError(f"malformed pair parameters in '{text}': expected name=number, as in 1=3,2=9")
    return [(name, atof(number)) for name, number in split]


def gains(given: Pairs, compat: int) -> dict[int, float]:
    """The gains among the pairs. Of two for one grade the first counts; version 9 takes any other name for grade 0.

    >>> gains([("p", 0.8), ("2", 3.0), ("2", 4.0)], compat=10)
    {2: 3.0}
    """
    by_grade: dict[int, float] = {}
    for name, gain in given:
        if compat == 9 or WHOLE.fullmatch(name):
            by_grade.setdefault(atol(name), gain)
    return by_grade


def persistence(given: Pairs) -> float:
    """The p of rbp, 0.9 where none is given; of several the last."""
    return dict(given).get("p", 0.9)
