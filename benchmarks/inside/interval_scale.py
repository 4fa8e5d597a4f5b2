"""Time the scale of DCG(base=2): `interval_scale.py TOOL set-up|rankings|both METHOD DEPTH HIGHEST`.

`set-up` ends with the first ranking, `rankings` are a thousand random ones of grades from 0 to HIGHEST. The tool is
`rankscale`, or one that enumerates: it adds up the values of all rankings in one array, as `matrix` or by `doubling`,
and tells them apart by their first decimals. What rankscale loads when a scale is first asked for is not timed.
"""
# mypy: disable-error-code="import-not-found,import-untyped"
# (rankscale need not be installed where types are checked)

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

import rankscale as rs

Floats: TypeAlias = npt.NDArray[np.float64]
Bracketed: TypeAlias = Callable[[Floats], tuple[Floats, Floats]]  # rankings (ranking, rank) to ends (ranking,)

COUNT = 1000
WIDEST = 1e-5  # of a bracket, where ranks are not exact
DECIMALS = 10  # equal sums differ in the last bits, by the order of their terms
PARTS = {"set-up": (0, 1), "rankings": (1, 2), "both": (0, 2)}  # from which clock to which


def with_rankscale(method: str, depth: int, highest: int) -> Bracketed:
    """Return a function from rankings to the ends of their brackets, by rankscale."""
    scale = rs.scale(f"DCG(base=2)@{depth}", levels=range(highest + 1), method=method)
    return lambda rankings: scale.bracket_places(scale.places(rankings))


def enumerated(every_sum: Callable[[Floats], Floats], _: str, depth: int, highest: int) -> Bracketed:
    """Return the same by enumeration, for relevant or not."""
    assert highest == 1, "all rankings are enumerated for two grades only"  # noqa: S101
    weights = 1 / np.maximum(1, np.log2(np.arange(1, depth + 1)))
    distinct = np.unique(np.round(every_sum(weights), DECIMALS))

    def bracketed(rankings: Floats) -> tuple[Floats, Floats]:
        below = np.searchsorted(distinct, np.round(rankings @ weights, DECIMALS))
        value = below / (len(distinct) - 1)
        return value, value

    return bracketed


def by_matrix(weights: Floats) -> Floats:
    """Return the sums of all subsets of weights, as most would write it."""
    rankings = np.arange(2 ** len(weights))[:, None] >> np.arange(len(weights)) & 1
    sums: Floats = rankings @ weights
    return sums


def by_doubling(weights: Floats) -> Floats:
    """Return the same in a tenth of the time: each weight doubles what is there."""
    sums = np.zeros(1)
    for weight in weights:
        sums = np.concatenate([sums, sums + weight])
    return sums


TOOLS: dict[str, Callable[[str, int, int], Bracketed]] = {
    "rankscale": with_rankscale,
    "matrix": partial(enumerated, by_matrix),
    "doubling": partial(enumerated, by_doubling),
}


def random_rankings(depth: int, highest: int) -> Floats:
    """Return rankings from poor to rich, one more than are timed together."""
    rng = np.random.default_rng(0)
    richness = rng.random((COUNT + 1, 1))
    return rng.binomial(highest, richness, (COUNT + 1, depth)).astype(np.float64)


def clocks() -> tuple[float, float]:
    """Return wall and processor seconds so far."""
    return time.perf_counter(), time.process_time()


def main() -> None:
    """Draw the rankings, then time both parts and print the one asked for."""
    tool, part, method, depth, highest = sys.argv[1:]
    rankings = random_rankings(int(depth), int(highest))
    rs.scale("P@1")  # loads what is loaded at the first call, and sets nothing up

    times = [clocks()]
    bracketed = TOOLS[tool](method, int(depth), int(highest))
    bracketed(rankings[:1])
    times.append(clocks())
    lower, upper = bracketed(rankings[1:])
    times.append(clocks())

    if np.max(upper - lower) > WIDEST:
        sys.exit(f"a bracket is wider than {WIDEST:g}: {np.max(upper - lower):g}")
    start, end = (times[place] for place in PARTS[part])
    print(json.dumps({"wall": end[0] - start[0], "cpu": end[1] - start[1]}))


if __name__ == "__main__":
    main()
