"""Rugs: all values that a measure takes over the rankings of a length, as ticks, as far as a plot tells them apart."""

from itertools import groupby, pairwise, product
from typing import Literal, NamedTuple

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.errors import ScaleError
from rankscale.scales.scale import Scale

By = Literal["rankings", "values"]

LISTED = 4096  # rankings up to which all are looked at
DRAWN = 300  # rankings drawn at random, evenly; half as many again with few or many relevant documents, for the ends
SAMPLED = 10_000  # rankings that stand for all where nobody can count those below another
APART = 1 / 400  # of the range of values: ticks closer than this are drawn as one


class Tick(NamedTuple):
    """A value of a rug."""

    value: float
    up_to: float  # share of all rankings, or of all distinct values, that do not exceed it
    share: float | None  # of all rankings that have it; None where each value counts once


def rug(scale: Scale, by: By) -> list[Tick]:
    """The ticks of a row, ascending, as far as they can be distinguished in a plot."""
    rankings = _rankings(scale)
    values = np.array(scale.values_of(rankings))
    if not np.isfinite(values).all():
        raise ScaleError(f"{scale.measure}: it is undefined or infinite for some rankings, which cannot be drawn")
    return _joined(_by_values(scale, rankings, values) if by == "values" else _by_rankings(scale, rankings, values))


def _by_values(scale: Scale, rankings: Floats, values: Floats) -> list[Tick]:
    shares, first = np.unique(scale.normalised(rankings), return_index=True)
    if not scale.exact or len(shares) < scale.size:
        return [tick._replace(share=None) for tick in _between(scale, shares, values[first])]
    return [Tick(*both, None) for both in zip(values[first].tolist(), shares.tolist(), strict=True)]


def _by_rankings(scale: Scale, rankings: Floats, values: Floats) -> list[Tick]:
    """Where all values are known, each with its share; else those of the neighbourhood of each ranking looked at."""
    places = scale.places_of(rankings)
    kinds = len(np.unique(scale.places(np.array([scale.levels]))))  # grades that the measure tells apart
    try:
        middles, first = np.unique(np.array(scale.tie_ranks_of_places(places), dtype=object), return_index=True)
    except ScaleError:
        return _between(scale, *_sampled(scale))
    total = kinds**scale.depth
    if not scale.exact or len(middles) < scale.size:
        shares = np.array([float((middle - 1) / max(1, total - 1)) for middle in middles])
        return _between(scale, shares, values[first])
    ends = [0]
    for middle in middles:
        ends.append(int(2 * middle) - 1 - ends[-1])  # the middle is ends[-1] + (tied + 1) / 2
    steps = zip(values[first].tolist(), pairwise(ends), strict=True)
    return [Tick(value, end / total, (end - start) / total) for value, (start, end) in steps]


def _between(scale: Scale, shares: Floats, values: Floats) -> list[Tick]:
    """Ticks of many values, of some of which the share up to them is known, both ascending.

    Where values are is seen from many random rankings, so that gaps stay empty; shares in between are interpolated.
    """
    there = np.unique(np.concatenate([values, scale.values_of(_random(scale))]))
    up_to = np.interp(there, values, shares)
    edges = np.concatenate([[0.0], (up_to[1:] + up_to[:-1]) / 2, [1.0]])
    return [Tick(*one) for one in zip(there.tolist(), up_to.tolist(), np.diff(edges).tolist(), strict=True)]


def _joined(ticks: list[Tick]) -> list[Tick]:
    """Ticks too close to each other to be told apart as one: at the value that most rankings have, with all shares."""
    reach = (ticks[-1].value - ticks[0].value) or 1.0
    bins = groupby(ticks, key=lambda tick: int((tick.value - ticks[0].value) / reach / APART))
    joined = []
    for _, group in bins:
        several = list(group)
        most = max(several, key=lambda tick: tick.share or 0)
        share = None if most.share is None else sum(tick.share or 0 for tick in several)
        joined.append(Tick(several[0].value if several[0] is ticks[0] else most.value, several[-1].up_to, share))
    return [*joined[:-1], joined[-1]._replace(value=ticks[-1].value)]


def _random(scale: Scale) -> Floats:
    """(ranking, rank): grades of many random rankings, always the same."""
    count = max(DRAWN, min(SAMPLED, 2_000_000 // scale.depth))
    drawn: Floats = np.random.default_rng(0).choice(np.array(scale.levels), size=(count, scale.depth))
    return drawn


def _sampled(scale: Scale) -> tuple[Floats, Floats]:
    """Of brackets nobody knows how many rankings lie below: quantiles of a random sample."""
    values = np.sort(scale.values_of(_random(scale)))
    ends = scale.values_of(np.array([[level] * scale.depth for level in (scale.levels[0], scale.levels[-1])]))
    return np.linspace(0, 1, len(values) + 2), np.array([ends[0], *values, ends[1]])


def _rankings(scale: Scale) -> Floats:
    """All rankings, or some that reach all parts of the scale: at random, and with few or many relevant documents."""
    levels, depth = np.array(scale.levels), scale.depth
    if len(levels) ** depth <= LISTED:
        return np.array(list(product(levels, repeat=depth)))
    draw = np.random.default_rng(0)
    evenly = draw.integers(len(levels), size=(DRAWN, depth))
    tilted = draw.binomial(len(levels) - 1, np.linspace(0.02, 0.98, DRAWN // 2)[:, None], size=(DRAWN // 2, depth))
    steps = np.unique(np.linspace(0, depth, min(depth, 60) + 1).round().astype(int))
    ranks, best = np.arange(depth), len(levels) - 1
    shapes = [shape * best for step in steps for shape in (ranks < step, ranks >= step, ranks == step)]
    rankings: Floats = levels[np.concatenate([evenly, tilted, np.array(shapes)])]
    return rankings
