"""The headline of a report: who leads, and how surely, in one sentence."""

import numpy as np

from rankscale.answers.standing import Standing
from rankscale.data.names import counted
from rankscale.data.table import readable
from rankscale.stats.comparison import Comparison


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
    wins = int(np.count_nonzero(where.apart & (sign * (where.difference - where.no_gap) > 0)))
    losses = int(np.count_nonzero(where.apart)) - wins
    close = int(np.count_nonzero(where.tested & ~where.apart))
    return (
        f"of {counted(len(about.runs) - 1, 'run')} {wins:,} {'is' if wins == 1 else 'are'} {above} than the baseline "
        f"{where.reference}, {losses:,} {below}, and {close:,} cannot be told apart from it"
    )
