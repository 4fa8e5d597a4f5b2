"""Medians of two runs compared, on an ordinal scale."""

from typing import Literal

Relation = Literal["above", "below", "same", "not told apart"]


def compare_medians(first: tuple[float, float], second: tuple[float, float]) -> Relation:
    """How the median of one run stands to that of another; each is its lower and upper median.

    The first is above if its lower median is above the upper median of the second, and below in the reverse case. They
    are the same if both ends are. Else no map-proof statement is possible: which is higher depends on the number chosen
    between the two middle values.

    >>> compare_medians((0.5, 0.6), (0.3, 0.4)), compare_medians((0.3, 0.5), (0.4, 0.4))
    ('above', 'not told apart')
    """
    if first[0] > second[1]:
        return "above"
    if first[1] < second[0]:
        return "below"
    return "same" if first == second else "not told apart"
