"""Plan: a way to count that was chosen, with what it costs; nothing is counted before it is asked."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Floats, Ints
from rankscale.errors import ScaleError
from rankscale.scales.brackets.bracketing import Bracketing
from rankscale.scales.brackets.saddlepoint import Tails
from rankscale.scales.brackets.tails import log10_share
from rankscale.scales.counting.groups import Group
from rankscale.scales.counting.image import Cost, Image, Provenance, RefusedImage
from rankscale.scales.measure_values import shown_by
from rankscale.scales.question import Question
from rankscale.scales.sampling.estimates import (
    Estimate,
    Percentile,
    counted_percentile,
    estimated_ranks,
    estimated_share,
    sampled_percentile,
)

WIDTH = 1e-5  # of certified brackets
ESTIMATED = "estimated from a sample of rankings, with 95% confidence"
COMPARED_DIGITS = 12  # of values that are compared with a sample's: equal ones may differ by the order of a sum


@dataclass(frozen=True)
class Plan:
    """A way to count: an image, and brackets or estimates where exact ranks would take too long."""

    question: Question
    make: Callable[[], Image]
    cost: Cost
    groups: tuple[Group, ...] = ()  # where values are sums over independent groups
    certified: bool = False
    assumption: str = ""  # what certified brackets rest on
    estimated: bool = False
    exact_cost: Cost | None = None  # what exact ranks would take, where they are not counted

    @cached_property
    def image(self) -> Image:
        """The image; one that says why where it cannot be made."""
        try:
            return self.make()
        except ScaleError as reason:
            return RefusedImage(self.question.universe, reason)

    @cached_property
    def provenance(self) -> Provenance:
        """Where ranks come from."""
        if self.brackets is not None:
            return Provenance("certified", self.brackets.words(self.assumption))
        return Provenance("estimated", ESTIMATED) if self.estimated else self.image.provenance

    @cached_property
    def brackets(self) -> Bracketing | None:
        """Set up when first asked."""
        return Bracketing(self.groups, width=WIDTH) if self.certified else None

    @cached_property
    def shown(self) -> Callable[[Floats], Floats]:
        """What makes values of the measure from those of the image."""
        return shown_by(self.question)

    def shares(self, places: Ints) -> tuple[Floats, Floats]:
        """(ranking,) twice: between which shares of all values each ranking's rank lies."""
        if self.brackets is not None:
            return self.brackets.share(places)
        return estimated_share(self.image, places)

    def points(self, places: Ints, lower: Floats, upper: Floats) -> Floats:
        """(ranking,): one share in each bracket, such that shares are in the order of values."""
        if not self.certified:
            middle: Floats = (lower + upper) / 2
            return middle
        return self._tails.points(places, lower, upper)

    @cached_property
    def _tails(self) -> Tails:
        return Tails(self.groups)

    def estimated_size(self) -> Estimate:
        """How many values there are, about."""
        lowest = np.zeros((1, self.image.universe.depth), dtype=np.int64)
        return estimated_ranks(self.image, lowest)[0].size

    def log10_share(self, places: Ints) -> tuple[float, float]:
        """The logarithm of the share of values that do not exceed a ranking's, between certain ends."""
        return log10_share(self.groups, places[0])

    def mid_ranks(self, places: Ints) -> list[tuple[int, int]]:
        """How many rankings have a lower value, and how many the same."""
        if self.exact_cost is not None:
            raise ScaleError(
                f"{self.question.measure}: mean ranks are counted exactly, which would take about "
                f"{self.exact_cost.each:.3g} s each; ask for method='exact'"
            )
        return self.image.among_rankings(places)

    def percentile(self, places: Ints, *, samples: int, seed: int, confidence: float) -> Percentile:
        """The share of rankings that are no better: counted, certain within a bracket, or from a sample."""
        if self.certified:
            lower, upper = self._by_rankings.share(places)
            return Percentile(float(lower[0] + upper[0]) / 2, float(lower[0]), float(upper[0]))
        if not self.estimated:
            with suppress(ScaleError):
                return counted_percentile(self.image, places)
        return sampled_percentile(
            self.image.universe, self._rounded, places, samples=samples, seed=seed, confidence=confidence
        )

    @cached_property
    def _by_rankings(self) -> Bracketing:
        return Bracketing(self.groups, width=WIDTH, by_rankings=True)

    def _rounded(self, places: Ints) -> Floats:
        return np.round(self.question.value_of(places), COMPARED_DIGITS)
