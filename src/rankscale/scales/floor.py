"""The floor effect: on long rankings nearly every real one is near the bottom of the scale, and one topic decides.

A rank counts all rankings that are no better, and nearly all rankings of a length have half of their documents
relevant. The few relevant documents of a real ranking of 100 put it below a share of 1e-8 of them. A run's mean over
topics is then about the value of its best topic, over the number of topics.
"""

from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats

FLOOR = 0.01  # values below this are on the floor
CROWDED = 0.5  # share of values there from which a warning is given
SOME = 0.25  # share of values there without which a decisive topic is one among few, and no floor
DECISIVE = 0.5  # share of a run's sum that one topic has, from which it decides the mean


@dataclass(frozen=True)
class Floor:
    """How many values lie on the floor, and how much of the means hangs on one topic."""

    share: float  # of values below FLOOR
    leverage: float  # median over runs of the share of the sum that the run's best topic has
    topics: int

    @property
    def warning(self) -> str:
        """The warning to show; empty where there is none."""
        if self.topics > 2 and self.leverage >= DECISIVE and self.share >= SOME:
            return (
                f"one topic decides the mean of a run: in half of the runs that with the highest value has "
                f"{self.leverage:.0%} of the sum or more, and {self.share:.0%} of the values lie below {FLOOR}; "
                "a smaller depth would separate the runs better"
            )
        if self.share >= CROWDED:
            return f"{self.share:.0%} of the values lie below {FLOOR}: nearly all rankings of this length are better"
        return ""


def floor_effect(values: Floats) -> Floor | None:
    """The floor effect of normalised values (run, topic), NaN where undefined; None if all are."""
    defined = ~np.isnan(values)
    if not defined.any():
        return None
    filled = np.where(defined, values, 0.0)
    sums = filled.sum(axis=-1)
    some = sums > 0
    leverage = float(np.median(filled[some].max(axis=-1) / sums[some])) if some.any() else 0.0
    share = float((filled[defined] < FLOOR).mean())
    return Floor(share, leverage, int(np.count_nonzero(defined.any(axis=0))))
