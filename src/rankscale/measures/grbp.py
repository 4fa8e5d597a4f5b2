"""Rank-biased precision with graded gains."""

from dataclasses import dataclass

from rankscale.measures.base.gains import Gains, gains_param
from rankscale.measures.rbp import RBP


@dataclass(frozen=True)
class gRBP(RBP):
    """RBP that counts each document by its grade over the highest one: RBP(gains='linear') under its other name.

    It is on an interval scale only if gains are on a ratio scale, with equal gaps G, and p = G/(G+1): 1/3 for three
    grades. (p may also be 1/2 or another 1/n above that; values are then equally spaced, and rankings tie.)

    A document of half the highest grade on top, and one of the highest below, with p=1/2: 1/2 * 1/2 + 1/4 * 1.

    >>> from rankscale.data.judged import judged
    >>> gRBP(p=0.5).value(judged("1 2"))
    array([0.5])

    Formula
    -------
    (1 - p) sum over ranks i <= k of (grade / gmax) * p^(i-1)
    """

    gains: Gains = gains_param("linear")
