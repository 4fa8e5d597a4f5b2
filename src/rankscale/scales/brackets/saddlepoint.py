"""Shares far from the middle, approximated: brackets are as wide at a share of 1e-9 as at one half.

The saddlepoint approximation of Lugannani and Rice (Advances in Applied Probability 12, 1980) is right to a few percent
of the share itself, however small. It is no bound. Tilting the law of a sum S by exp(rate S) moves its mean to where
the approximation is wanted, so a grid of rates is a grid of sums, and no equation is solved.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats

CHUNK = 1 << 21  # exponentials at a time
FIRST_RATES = 64
GREATEST_RATE = 1e6  # in deviations of the sum
ROUNDS = 12  # of making the grid finer


@dataclass(frozen=True)
class Tail:
    """Sums below the mean, ascending, and the natural logarithm of the share of sums up to each."""

    sums: Floats
    logs: Floats


class Cumulants:
    """Cumulants of a sum of independent numbers, each drawn evenly from a list that starts at 0."""

    def __init__(self, values: Sequence[Floats]) -> None:
        self._starts = np.cumsum([0, *(len(list_) for list_ in values)])[:-1]
        self._flat = np.concatenate(values)
        self._sizes = np.array([len(list_) for list_ in values], dtype=np.float64)
        _, mean, variance = self.tilted(np.zeros(1))
        self.mean, self.deviation = float(mean[0]), math.sqrt(float(variance[0]))

    def tilted(self, rates: Floats) -> tuple[Floats, Floats, Floats]:
        """(rate,) each: log of the mean of exp(rate * sum), and mean and variance under that tilt; rates are <= 0."""
        rows = max(1, CHUNK // len(self._flat))
        parts = [self._some(rates[first : first + rows]) for first in range(0, len(rates), rows)]
        log_mean, mean, variance = (np.concatenate(part) for part in zip(*parts, strict=True))
        return log_mean, mean, variance

    def _some(self, rates: Floats) -> tuple[Floats, Floats, Floats]:
        weights = np.exp(rates[:, None] * self._flat)  # the least value is 0: no weight overflows
        total, first, second = (
            np.add.reduceat(weights * powers, self._starts, axis=1) for powers in (1.0, self._flat, self._flat**2)
        )
        means = first / total
        return np.log(total / self._sizes).sum(axis=1), means.sum(axis=1), (second / total - means**2).sum(axis=1)

    def tail(self, highest: float, lowest: float, step: float) -> Tail:
        """The tail below the mean: logarithms of shares from `highest` down to `lowest`, no farther apart than `step`.

        Near the least sum values are few and far between, and what is meant for many no longer grows with them: the
        tail begins above that.
        """
        rates = -np.geomspace(1.0, GREATEST_RATE, FIRST_RATES) / self.deviation
        sums, logs = self._approximated(rates)
        for _ in range(ROUNDS):
            gaps = np.abs(np.diff(np.maximum(logs, lowest - step)))
            wide = (gaps > step) & (logs[1:] < highest)
            pieces = np.where(wide, np.minimum(np.ceil(gaps / step), 8), 1).astype(np.int64)
            if (pieces == 1).all():
                break
            between = [
                np.geomspace(-rates[place], -rates[place + 1], pieces[place] + 1)[1:-1]
                for place in np.flatnonzero(pieces > 1)
            ]
            more = -np.concatenate(between)
            more_sums, more_logs = self._approximated(more)
            rates, sums, logs = (np.concatenate(both) for both in ((rates, more), (sums, more_sums), (logs, more_logs)))
            order = np.argsort(-rates)
            rates, sums, logs = rates[order], sums[order], logs[order]
        ascending = np.flatnonzero((logs <= highest) & (logs >= lowest))[::-1]
        return _increasing(sums[ascending], logs[ascending])

    def _approximated(self, rates: Floats) -> tuple[Floats, Floats]:
        """(rate,) twice: the mean under each tilt, and the logarithm of the share of sums up to it."""
        from scipy.special import erfcx

        log_mean, mean, variance = self.tilted(rates)
        distance = np.sqrt(2 * np.maximum(rates * mean - log_mean, 0.0))  # root of the deviance
        spread = -rates * np.sqrt(variance)
        mills = math.sqrt(math.pi / 2) * erfcx(distance / math.sqrt(2))  # the normal tail over the density
        with np.errstate(divide="ignore", invalid="ignore"):
            log_share = np.log(mills - 1 / distance + 1 / spread) - distance**2 / 2 - math.log(2 * math.pi) / 2
        return mean, np.where(np.isfinite(log_share), np.minimum(log_share, 0.0), -np.inf)


def _increasing(sums: Floats, logs: Floats) -> Tail:
    """From the last place on where either does not increase."""
    falls = np.flatnonzero((np.diff(sums) <= 0) | (np.diff(logs) <= 0))
    first = int(falls[-1]) + 1 if len(falls) else 0
    return Tail(sums[first:], logs[first:])
