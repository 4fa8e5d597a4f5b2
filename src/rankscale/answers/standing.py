"""Standing: each run against one other, the best or the baseline, and the headline of who leads."""

from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.data.names import counted
from rankscale.data.table import readable
from rankscale.stats.comparison import Comparison


@dataclass(frozen=True, eq=False)
class Standing:
    """Differences of runs from the best one, or from the baseline, with intervals and verdicts of the test."""

    reference: str  # the best run, or the baseline
    is_baseline: bool
    difference: Floats  # (run,), run less reference, in what the test compares; NaN where there is none; or a ratio
    lower: Floats  # (run,), ends of the interval; NaN where the test has none
    upper: Floats
    p: Floats  # (run,), corrected; NaN where a run could not be tested
    apart: Bools  # (run,), whether the test tells it from the reference
    words: str  # what the intervals are

    @property
    def tested(self) -> Bools:
        """(run,): whether a run was compared with the reference."""
        return ~np.isnan(self.p)


def standing(about: Comparison) -> Standing:
    """Each run of a comparison against its best run, or against the baseline.

    Intervals hold for all pairs at once where p-values are corrected, as `compare --simultaneous` gives them.
    """
    place = 0 if about.baseline is None else about.runs.index(about.baseline)
    first, second, (lower, upper) = about.pairs.first, about.pairs.second, pair_intervals(about)
    columns = np.full((4, len(about.runs)), np.nan)  # difference, lower, upper and p
    apart = np.zeros(len(about.runs), dtype=bool)
    as_first, as_second = (second == place, (lower, upper), 1), (first == place, (upper, lower), -1)
    for others, (of, ends, sign) in ((first, as_first), (second, as_second)):
        columns[:3, others[of]] = sign * np.stack([about.results.difference, *ends])[:, of] + 0.0  # no negative zero
        columns[3, others[of]], apart[others[of]] = about.p[of], about.significant[of]
    difference, low, high = map(about.shown, columns[:3])
    reference, is_baseline = about.runs[place], about.baseline is not None
    return Standing(reference, is_baseline, difference, low, high, columns[3], apart, interval_words(about))


def pair_intervals(about: Comparison) -> tuple[Floats, Floats]:
    """(pair,) each: ends of intervals that go with the p-values of a comparison; NaN where the test has none."""
    none = np.full(len(about.pairs), np.nan)
    if about.correction == "none":
        lower, upper = about.results.lower, about.results.upper
        return (none, none) if lower is None or upper is None else (lower, upper)
    return about.simultaneous_intervals() or (none, none)


def interval_words(about: Comparison) -> str:
    """What the intervals of differences are, in words."""
    level = f"{100 * about.confidence:g}%"
    at_once = len(about.pairs) > 1 and (about.correction != "none" or about.results.corrected)
    return f"{level} interval that holds for all pairs at once" if at_once else f"{level} interval"


def headline(about: Comparison, where: Standing) -> str:
    """One sentence: the run that leads, and which others the test cannot tell from it (or from the baseline)."""
    return readable(f"{_leader(about)}; {_baseline(about, where) if where.is_baseline else _others(about, where)}.")


def _leader(about: Comparison) -> str:
    best, tied = about.runs[0], int(np.count_nonzero(about.means == about.means[0])) - 1
    if about.measure.direction_note:
        return f"{best} has the highest {about.measure}"
    if tied > 0:
        return f"{best} and {counted(tied, 'other run')} share the best {about.measure}"
    return f"{best} leads by {about.measure}"


def _others(about: Comparison, where: Standing) -> str:
    """How many runs cannot be told apart from the best."""
    others = len(about.runs) - 1
    if not where.tested.any():
        return "the others could not be tested against it" if others > 1 else f"{about.runs[1]} could not be tested"
    close = [run for run, near in zip(about.runs, (where.tested & ~where.apart).tolist(), strict=True) if near]
    if others == 1:
        return f"{about.runs[1]} {'cannot be' if close else 'is'} told apart from it"
    if not close:
        return f"all {others:,} others are told apart from it"
    if len(close) == others:
        return f"none of the {others:,} others can be told apart from it"
    return f"{close[0] if len(close) == 1 else counted(len(close), 'run')} cannot be told apart from it"


def _baseline(about: Comparison, where: Standing) -> str:
    """How many runs are better and worse than the baseline, and how many cannot be told apart from it."""
    above, below = ("higher", "lower") if about.measure.direction_note else ("better", "worse")
    sign = -1 if about.measure.low_is_good else 1
    wins = int(np.count_nonzero(where.apart & (sign * (where.difference - about.no_gap) > 0)))
    losses = int(np.count_nonzero(where.apart)) - wins
    close = int(np.count_nonzero(where.tested & ~where.apart))
    return (
        f"of {counted(len(about.runs) - 1, 'run')} {wins:,} {'is' if wins == 1 else 'are'} {above} than the baseline "
        f"{where.reference}, {losses:,} {below}, and {close:,} cannot be told apart from it"
    )
