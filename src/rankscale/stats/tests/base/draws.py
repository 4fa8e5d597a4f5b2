"""Draws: the random weights or signs of topics, made in parts so that memory is bounded whatever their number."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Floats

CELLS = 1 << 23  # topics times draws that are held at once: 64 MB
TOGETHER = 64  # parts have a multiple of this many draws, so that sums do not depend on where parts end
PACKED = 4  # or of this many: random bytes come in fours, and those left over are lost


@dataclass(frozen=True)
class Draws:
    """All draws of a test. Few are kept; many are made anew, part by part, each time sums are taken.

    >>> draws = Draws(topics=3, number=8, seed=0, make=lambda random, start, stop: random.random((3, stop - start)))
    >>> [sums.shape for sums in draws.sums(np.ones((2, 3)))]
    [(2, 8)]
    """

    topics: int
    number: int
    seed: int
    make: "Callable[[np.random.Generator, int, int], Floats]"  # (topic, draw): the draws from `start` to `stop`

    def __iter__(self) -> Iterator[Floats]:
        """(topic, draw) each: the parts."""
        if self._size >= self.number:
            yield self._all
            return
        random = np.random.default_rng(self.seed)
        for start in range(0, self.number, self._size):
            yield self.make(random, start, min(start + self._size, self.number))

    @property
    def _size(self) -> int:
        """Draws in a part."""
        fit = CELLS // max(1, self.topics)
        return fit // TOGETHER * TOGETHER or max(PACKED, fit // PACKED * PACKED)

    @cached_property
    def _all(self) -> Floats:
        return self.make(np.random.default_rng(self.seed), 0, self.number)

    def sums(self, *values: Floats) -> list[Floats]:
        """(pair, draw) for each of `values`, (pair, topic): sums over topics, weighted by each draw."""
        if self._size >= self.number:
            return [one @ self._all for one in values]
        made = [np.empty((len(one), self.number)) for one in values]
        start = 0
        for part in self:
            stop = start + part.shape[1]
            for sums, one in zip(made, values, strict=True):
                sums[:, start:stop] = one @ part
            start = stop
            del part  # before the next one is made
        return made
