"""A point within each certified bracket: in the tails, brackets are wide, and the order of values must be kept.

A bracket is as wide at a share of 1e-9 as at one half. The saddlepoint approximation of Lugannani and Rice (Advances in
Applied Probability 12, 1980) is right to a few percent of the share itself, however small, and grows with the value. It
is no bound: what it gives is taken only where it lies in the bracket.
"""

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.scales.brackets.circle import scaled
from rankscale.scales.counting.groups import Group

TAIL = 0.01  # shares from here to 1 - TAIL are the middles of their brackets, which are far better than their widths
CHUNK = 1 << 21  # exponentials at a time
STEPS = 60  # of Newton's method at most, kept within bounds
GRID = 200  # sums at which the approximation is looked at first


class Tails:
    """Shares of sums over independent groups, far below and far above their mean."""

    def __init__(self, groups: Sequence[Group]) -> None:
        varied = [group for group in groups if group.size > 1]
        self._groups = varied
        self._values = [scaled(group, by_rankings=False).floats for group in varied]
        self._starts = np.cumsum([0, *(len(values) for values in self._values)])[:-1]
        self._flat = np.concatenate(self._values) if varied else np.zeros(0)
        self._sizes = np.array([len(values) for values in self._values], dtype=np.float64)

    def points(self, rankings: Ints, lower: Floats, upper: Floats) -> Floats:
        """(ranking,): a share in each bracket."""
        middle: Floats = (lower + upper) / 2
        low, high = middle < TAIL, middle > 1 - TAIL
        sums = self._sums(rankings)
        for chosen, sign in ((low, 1.0), (high, -1.0)):
            if chosen.any():
                shares = self._share(sign * sums[chosen], sign)
                middle[chosen] = shares if sign > 0 else 1 - shares
        return np.clip(middle, lower, upper)

    def _sums(self, rankings: Ints) -> Floats:
        sums = np.zeros(len(rankings))
        for group, values in zip(self._groups, self._values, strict=True):
            sums += values[group.places(rankings)]
        return sums

    def _share(self, sums: Floats, sign: float) -> Floats:
        """(ranking,): the share of sums up to these, of the groups' values times a sign."""
        least, floor, share = self._floors[sign]
        rising: Floats = np.where(
            sums < floor, share * (sums - least) / (floor - least), self._approximated(np.maximum(sums, floor), sign)
        )
        return rising

    @cached_property
    def _floors(self) -> dict[float, tuple[float, float, float]]:
        """By sign: the least sum, one from which on the approximation increases, and its share there.

        Near the least sum values are few and far between, and what is meant for many no longer grows with them.
        """
        floors = {}
        for sign in (1.0, -1.0):
            values = sign * self._flat
            least = float(np.minimum.reduceat(values, self._starts).sum())
            mean = float(np.add.reduceat(values, self._starts) @ (1 / self._sizes))
            grid = least + (mean - least) * np.geomspace(1e-4, 0.9, GRID)
            shares = self._approximated(grid, sign)
            falling = np.flatnonzero(np.diff(shares) <= 0)
            first = int(falling[-1]) + 1 if len(falling) else 0
            floors[sign] = least, float(grid[first]), float(shares[first])
        return floors

    def _approximated(self, sums: Floats, sign: float) -> Floats:
        rows = max(1, CHUNK // max(1, len(self._flat)))
        parts = [self._some(sums[start : start + rows], sign * self._flat) for start in range(0, len(sums), rows)]
        return np.concatenate(parts)

    def _some(self, sums: Floats, values: Floats) -> Floats:
        from scipy.special import erfcx

        rate = self._rate(sums, values)
        log_mean, mean, variance = self._cumulants(rate, values)
        distance = np.sqrt(2 * np.maximum(rate * mean - log_mean, 0.0))  # signed root of the deviance
        spread = -rate * np.sqrt(variance)
        mills = math.sqrt(math.pi / 2) * erfcx(distance / math.sqrt(2))  # the normal tail over the density
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.exp(-(distance**2) / 2) / np.sqrt(2 * np.pi) * (mills - 1 / distance + 1 / spread)
        defined: Floats = np.nan_to_num(share)
        return defined

    def _rate(self, sums: Floats, values: Floats) -> Floats:
        """The tilt below 0 under which the mean is each of these sums."""
        deviation = np.sqrt(self._cumulants(np.zeros(1), values)[2][0])
        lower, upper = np.full(len(sums), -1e6 / deviation), np.zeros(len(sums))
        rate = np.full(len(sums), -1 / deviation)
        for _ in range(STEPS):
            _, mean, variance = self._cumulants(rate, values)
            upper, lower = np.where(mean > sums, rate, upper), np.where(mean > sums, lower, rate)
            step = rate - (mean - sums) / np.maximum(variance, 1e-300)
            inside = (step > lower) & (step < upper)
            following = np.where(inside, step, np.where(lower < 4 * upper, (lower + upper) / 2, 2 * upper))
            if np.all(np.abs(following - rate) <= 1e-11 * np.abs(rate)):
                break
            rate = following
        return rate

    def _cumulants(self, rate: Floats, values: Floats) -> tuple[Floats, Floats, Floats]:
        """(ranking,) each: the logarithm of the mean of exp(rate * sum), and mean and variance under that tilt."""
        extreme = np.repeat(np.minimum.reduceat(values, self._starts), self._sizes.astype(np.int64))
        weights = np.exp(rate[:, None] * (values - extreme))
        total, first, second = (
            np.add.reduceat(weights * powers, self._starts, axis=1) for powers in (1.0, values, values * values)
        )
        means = first / total
        log_mean = (np.log(total / self._sizes) + rate[:, None] * extreme[self._starts]).sum(axis=1)
        return log_mean, means.sum(axis=1), (second / total - means**2).sum(axis=1)
