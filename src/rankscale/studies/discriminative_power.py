"""Discriminative power in one number, for studies that ask for it again and again."""

from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError
from rankscale.stats.bootstrap import PairedBootstrap
from rankscale.stats.randomised_tukey import RandomisedTukey
from rankscale.stats.significance import all_pairs

POWERS = ("bootstrap", "randomised tukey")


@dataclass(frozen=True)
class Power:
    """Discriminative power: the share of pairs of runs that a test finds to differ."""

    test: PairedBootstrap | RandomisedTukey
    alpha: float

    def of(self, values: Floats) -> float:
        """Of values, (run, topic); undefined where there are too few topics."""
        runs, topics = values.shape
        if topics < self.test.least_topics:
            return float("nan")
        pairs = all_pairs(runs)
        if isinstance(self.test, PairedBootstrap):
            level = self.test.achieved(values.T, pairs, self.alpha).level
        else:
            level = self.test.compare(values.T, pairs).p
        return float(np.count_nonzero(level < self.alpha) / len(pairs))


def power_named(power: str | None, samples: int, seed: int, alpha: float) -> Power | None:
    """The power by the test of this name; None where none is named."""
    if not 0 < alpha < 1:
        raise ParameterError(f"alpha must lie between 0 and 1, got {alpha}")
    if power is None:
        return None
    if power not in POWERS:
        raise ParameterError(f"power must be one of {', '.join(map(repr, POWERS))}, got {power!r}")
    kind = PairedBootstrap if power == "bootstrap" else RandomisedTukey
    return Power(kind(samples=samples, seed=seed), alpha)
