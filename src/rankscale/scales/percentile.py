"""Percentile: how many of all rankings are no better; for measures whose distinct values cannot be counted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.measures.base.measure import ScaleType
from rankscale.measures.base.parameters import param
from rankscale.scales.estimates import clopper_pearson
from rankscale.scales.on_scale import OnScale
from rankscale.scales.question import UniverseName
from rankscale.scales.scale import Scale

CONFIDENCE = 0.95
LABEL = "values that many rankings share weigh more than others: this is not an interval scale"


@dataclass(frozen=True)
class Percentile(OnScale):
    """The share of all rankings of the same length whose value by another measure is no higher.

    It counts rankings where `Interval` counts distinct values, so neighbouring values are not one step apart: this is
    not an interval scale. But it can be estimated at any length, where the distinct values of AP or ERR cannot even be
    counted. Of the 16 rankings of length 4, 14 have an AP no higher than this one:

    >>> from rankscale.data.judged import judged
    >>> from rankscale.measures.ap import AP
    >>> Percentile(AP(depth=4)).value(judged("1 1 0 1"))
    array([0.875])

    Rankings are counted where that takes no long time. Otherwise the share is that of `samples` random rankings, each
    as likely as any other; `seed` chooses them. Most real long rankings are worse than all of these, and get 0.

    Formula
    -------
    (number of rankings of k documents whose value does not exceed the measure's) / (number of rankings of k documents)

    References
    ----------
    Ferrante, Ferro and Fuhr, Towards Meaningful Statements in IR Evaluation: Mapping Evaluation Measures to Interval
    Scales, IEEE Access 9, 2021
    """

    scale: ClassVar = "ordinal"
    limits: ClassVar[tuple[float, float]] = (0, 1)
    example: ClassVar[str] = "Percentile(AP@100)"
    undefined: ClassVar[str] = "a topic has nothing relevant"

    universe: UniverseName | None = param(
        None,
        choices=(None, "all", "feasible"),
        help="'all' rankings, or those that the topic's documents make 'feasible'",
    )
    samples: int = param(100_000, ge=1, help="how many random rankings stand for all where these cannot be counted")
    seed: int = param(0, ge=0, help="which random rankings these are")

    @property
    def counting(self) -> tuple[UniverseName | None, str, str]:
        """The rankings that are counted, and how."""
        return self.universe, "auto", "exact"

    def scale_type(self, levels: Sequence[float]) -> ScaleType:  # noqa: ARG002  # whatever the levels are
        """Ordinal."""
        return "ordinal"

    def _read(self, scale: Scale, places: Ints, end: int | None) -> Floats:
        """(ranking,): shares, or one end of their intervals."""
        rows, which = np.unique(places, axis=0, return_inverse=True)
        shares = scale.percentiles_of_places(rows, samples=self.samples, seed=self.seed)
        read = [one.share if end is None else (one.low, one.high)[end] for one in shares]
        return np.array(read)[which.ravel()]

    def cautions(self, values: Floats, levels: Floats, highest: float) -> Iterator[str]:  # noqa: ARG002
        """That it is not an interval scale, and where values come from a sample."""
        yield LABEL
        if not self.shared:
            return
        scale = self.scale_for(levels, highest)
        lowest = np.zeros((1, scale.depth), dtype=np.int64)
        number = scale.percentiles_of_places(lowest, samples=self.samples, seed=self.seed)[0].samples
        if number:
            half, most = (clopper_pearson(hits, number, CONFIDENCE)[1] for hits in (number // 2, 0))
            yield (
                f"values are shares of {number:,} random rankings: with {CONFIDENCE:.0%} confidence each is within "
                f"{half - 0.5:.2g} of the share of all, and a value of 0 is a share below {most:.2g}"
            )
