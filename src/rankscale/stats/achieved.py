"""What discriminative power is made of: the significance level that each pair achieves, and the difference it needs."""

import math
from dataclasses import dataclass

from rankscale.data.arrays import Floats
from rankscale.stats.tests.base.test import check_alpha


@dataclass(frozen=True)
class Achieved:
    """What a test by draws says of pairs of runs at a level alpha."""

    level: Floats  # (pair,): the achieved significance level, the share of draws that are at least as far out
    difference: Floats  # (pair,): what a mean difference needs to be significant, as estimated


def critical_place(alpha: float, samples: int) -> int:
    """Of draws from the one farthest out: at which the level of what is no farther out is no longer below alpha.

    >>> critical_place(0.05, 1000), critical_place(0.05, 1001)
    (50, 51)
    """
    check_alpha(alpha)
    return math.ceil(alpha * samples - 1e-9)
