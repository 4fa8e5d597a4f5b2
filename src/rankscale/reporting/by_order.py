"""ByOrder: what the order of values alone supports about two runs, their medians and their quantiles."""

from dataclasses import dataclass

from rankscale.data.arrays import Floats
from rankscale.evaluation.order_statistics import MedianInterval, median, sign_interval
from rankscale.stats.dominance import Dominance, Side, dominance
from rankscale.stats.hodges_lehmann import HodgesLehmann, hodges_lehmann
from rankscale.stats.medians import Relation, compare_medians

MOST_PIECES = 4  # that a line lists
PLACES, MOST_PLACES = 4, 17  # of medians, and where two would look the same

BOTH: tuple[Side, Side] = ("first", "second")

Median = tuple[float, float]  # lower and upper


@dataclass(frozen=True)
class ByOrder:
    """Medians, their sign-test intervals and first-order dominance of two runs, over the topics that they share."""

    medians: tuple[Median, Median]
    relation: Relation  # of the first median to the second
    intervals: tuple[MedianInterval, MedianInterval]  # NaN where topics are too few
    dominance: Dominance | None  # None without topics
    difference: HodgesLehmann | None = None  # asks for an interval scale; None for ordinal measures

    @classmethod
    def of(cls, first: Floats, second: Floats, confidence: float, *, is_ordinal: bool) -> "ByOrder":
        """Those of two runs with these values (topic,)."""
        medians = median(first), median(second)
        return cls(
            medians=medians,
            relation=compare_medians(*medians),
            intervals=(sign_interval(first, confidence), sign_interval(second, confidence)),
            dominance=dominance(first, second) if len(first) else None,
            difference=None if is_ordinal else hodges_lehmann(first - second, confidence),
        )

    def texts(self, least: int = PLACES) -> tuple[str, str]:
        """Both medians, with as many places as it takes to see which is higher."""
        for places in range(least, MOST_PLACES + 1):
            first, second = (_interval(*one, places) for one in self.medians)
            if first != second or self.medians[0] == self.medians[1]:
                break
        return first, second

    def against(self, least: int = PLACES) -> str:
        """Both medians in words, that of the first run first."""
        return " against ".join(self.texts(least))

    def interval_line(self, runs: tuple[str, str], confidence: float) -> str:
        """Sign-test intervals of both medians, with their coverage."""
        one, other = self.intervals
        if one.coverage != one.coverage:  # NaN
            return f"too few topics for a sign-test interval of a median at {100 * confidence:g}% confidence"
        ends = (f"{end.lower:.4g} to {end.upper:.4g} ({run})" for run, end in zip(runs, (one, other), strict=True))
        return f"sign-test intervals {' and '.join(ends)}, coverage {one.coverage:.4f}"

    def medians_line(self, runs: tuple[str, str]) -> str:
        """How the medians stand to each other."""
        first, second = (f"{run} ({text})" for run, text in zip(runs, self.texts(), strict=True))
        words = {
            "above": f"{first} is above {second}",
            "below": f"{second} is above {first}",
            "same": f"{runs[0]} and {second} are equal",
            "not told apart": f"{first} and {second} are not told apart",
        }
        return f"by the median, {words[self.relation]}"

    def quantiles_line(self, runs: tuple[str, str]) -> str:
        """Who has the higher quantiles, and what crossing means for means."""
        result = self.dominance
        if result is None:
            return "quantiles: not known without topics"
        if result.kind == "equal":
            return "quantiles: the same"
        if result.kind != "cross":
            run = runs[0] if result.kind == "first" else runs[1]
            return f"quantiles: {run} is at least as high at every one (first-order dominance)"
        if len(result.pieces) <= MOST_PIECES:
            who = result.text(*runs)
        else:
            first, second = (f"{100 * result.share(side):.0f}%" for side in BOTH)
            who = f"{runs[0]} higher at {first} of them, {runs[1]} at {second}"
        if self.difference is not None:
            return f"quantiles cross: {who}"
        return f"quantiles cross ({who}): some increasing map of the values reverses the means"

    def difference_line(self, confidence: float) -> str:
        """The Hodges-Lehmann difference with its interval; empty for ordinal measures."""
        one = self.difference
        if one is None or one.estimate != one.estimate:  # NaN
            return ""
        how = "" if one.exact else ", by the normal approximation"
        ends = f"{100 * confidence:g}% interval {one.lower:.4g} to {one.upper:.4g}, coverage {one.coverage:.4f}{how}"
        return f"Hodges-Lehmann difference {one.estimate:.4g}" + (f" ({ends})" if one.coverage == one.coverage else "")


def _interval(lower: float, upper: float, places: int) -> str:
    """A median: one number, or from the lower to the upper one."""
    return f"{lower:.{places}f}" if lower == upper else f"{lower:.{places}f} to {upper:.{places}f}"
