"""Rankings drawn at random from a universe, each as likely as any other."""

import math
from collections.abc import Iterator

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.scales.counting.halves import fillings
from rankscale.scales.counting.image import Universe

DRAWN = 1 << 22  # documents drawn at once


def random_rankings(universe: Universe, samples: int, seed: int) -> Iterator[Ints]:
    """Rankings drawn evenly from a universe, some at a time."""
    draw = np.random.default_rng(seed)
    at_once = max(1, DRAWN // universe.depth)
    for first in range(0, samples, at_once):
        number = min(at_once, samples - first)
        if universe.limits is None:
            yield draw.integers(len(universe.gains), size=(number, universe.depth))
        else:
            yield draw.permuted(_filled(universe, number, draw), axis=1)


def _filled(universe: Universe, number: int, draw: np.random.Generator) -> Ints:
    """Rankings in which every number of documents of each kind is as likely as there are rankings with it."""
    most, depth = universe.most, universe.depth
    numbers = fillings(universe.kinds, most, depth)
    rankings, left = np.zeros((number, depth), dtype=np.int64), np.full(number, depth)
    for kind in range(len(most)):
        taken = np.zeros_like(left)
        for ranks in np.unique(left):
            rows = left == ranks
            taken[rows] = draw.choice(
                min(int(ranks), most[kind]) + 1, p=_likely(universe, kind, int(ranks), numbers), size=rows.sum()
            )
        _put(rankings, left - taken, left, _places(universe, kind), draw)
        left -= taken
    _put(rankings, np.zeros_like(left), left, _places(universe, -1), draw)
    return rankings


def _likely(universe: Universe, kind: int, ranks: int, fillings_of: list[list[int]]) -> Floats:
    """How likely each number of documents of a kind is, where so many ranks are left for it and the kinds after it."""
    gains, after = universe.kinds.count(kind), fillings_of[kind + 1]
    numbers = range(min(ranks, universe.most[kind]) + 1)
    shares = [
        math.comb(ranks, taken) * gains**taken * after[ranks - taken] / fillings_of[kind][ranks] for taken in numbers
    ]
    likely: Floats = np.array(shares) / sum(shares)
    return likely


def _places(universe: Universe, kind: int) -> Ints:
    return np.flatnonzero(np.array(universe.kinds) == kind)


def _put(rankings: Ints, first: Ints, last: Ints, places: Ints, draw: np.random.Generator) -> None:
    """Gains of one kind, at random, from rank `first` to before rank `last` of each ranking."""
    ranks = np.arange(rankings.shape[1])
    here = (ranks >= first[:, None]) & (ranks < last[:, None])
    rankings[here] = draw.choice(places, size=int(here.sum())) if len(places) else 0
