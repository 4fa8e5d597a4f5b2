"""The paired randomisation test."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.tests.base.resampling import EPSILON, Differences, Draws, PairedResampling, hits_to_keep
from rankscale.stats.tests.base.test import PairResults, ScaleType, share_at_least


@dataclass(frozen=True)
class Randomisation(PairedResampling):
    """Whether two runs differ in their mean: if not, on any topic they might as well change places.

    Ahead on all three topics: two of the eight ways to change places are as one-sided. All ways are tried where they
    are no more than `samples`, and random ones otherwise.

    >>> from rankscale.stats.tests.base.test import all_pairs
    >>> Randomisation().compare(np.array([[2.0, 1.0], [4.0, 2.0], [6.0, 3.0]]), all_pairs(2)).p
    array([0.25])
    """

    name: ClassVar[str] = "randomisation"
    aliases: ClassVar[tuple[str, ...]] = ("randomization", "permutation")
    label: ClassVar[str] = "the paired randomisation test"
    help: ClassVar[str] = "the mean difference, by flips of signs"
    asks: ClassVar[ScaleType] = "interval"
    paper: ClassVar[str] = "Smucker, Allan and Carterette, CIKM 2007"

    def exact(self, topics: int) -> bool:
        """Whether all ways are tried."""
        return topics < 63 and 2**topics <= self.samples

    def draws_over(self, topics: int) -> Draws:
        """1 where runs stay, -1 where they change places."""
        every = self.exact(topics)

        def signs(random: np.random.Generator, start: int, stop: int) -> Floats:
            if every:
                stay = np.arange(start, stop) >> np.arange(topics)[:, None] & 1
            else:
                stay = random.integers(0, 2, (stop - start, topics), dtype=np.int8).T
            made = np.empty((topics, stop - start))
            np.multiply(stay, 2.0, out=made)
            made -= 1.0
            return made

        return Draws(topics, 2**topics if every else self.samples, self.seed, signs)

    def compare_some(self, some: Differences, drawn: Draws, confidence: float) -> PairResults:
        """The statistic is the mean difference."""
        sums, signs = drawn.sums(some.values, np.ones((1, some.topics)))
        total = some.values.sum(axis=1)
        rounding = 2 * some.topics * EPSILON * np.abs(some.values).sum(axis=1)  # of sums in any order
        hits = np.count_nonzero(np.abs(sums) >= (np.abs(total) - rounding)[:, None], axis=1)
        draws = drawn.number
        if self.exact(some.topics):
            p, needed = hits / draws, math.floor((1 - confidence) * draws + 1e-9) + 1
        else:
            p, needed = share_at_least(hits, draws), hits_to_keep(1 - confidence, draws)
        ends = _not_rejected(sums, total, (some.topics + signs[0]) / 2, some.topics, needed)
        lower, upper = (np.where(np.abs(end) <= rounding, 0.0, end) for end in ends)  # where 0 itself is on the edge
        return some.results(some.mean, p, lower, upper)


def _not_rejected(sums: Floats, total: Floats, stay: Floats, topics: int, needed: int) -> tuple[Floats, Floats]:
    """The least and greatest difference that the test does not reject; `stay`, (draw,), are topics that stay.

    A draw is as far out as the observed mean, were the true difference d, exactly where d lies between the mean of the
    topics that stay and the mean of those that change places (Hartigan 1969): ends of the interval are among those.
    """
    if needed == 0:
        return np.full(len(sums), -np.inf), np.full(len(sums), np.inf)
    every = (stay == 0) | (stay == topics)  # then any difference is as far out
    stayed, changed = total[:, None] + sums, total[:, None] - sums
    stayed /= 2 * np.where(every, 1, stay)
    changed /= 2 * np.where(every, 1, topics - stay)
    least, greatest = np.minimum(stayed, changed), np.maximum(stayed, changed, out=changed)
    least[:, every], greatest[:, every] = -np.inf, np.inf
    least.partition(needed - 1, axis=1)
    greatest.partition(greatest.shape[1] - needed, axis=1)
    return least[:, needed - 1], greatest[:, -needed]
