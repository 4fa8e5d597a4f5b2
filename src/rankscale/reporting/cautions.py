"""What to be careful about when a report is read: missing topics, ties, floors, too few judgments."""

from collections.abc import Iterator

import numpy as np

from rankscale.data.names import listed
from rankscale.evaluation.result import Evaluation
from rankscale.reporting.findings import Findings

TIED = 0.1  # share of judged documents with the score of another, from which the order of names matters
UNJUDGED = 0.9  # share of the first documents that should be judged


def cautions(found: Findings) -> list[str]:
    """Every caution once, in the order of what they are about."""
    told = [*found.evaluation.warnings, *found.comparison.warnings]
    if isinstance(found.interval, Evaluation):
        told += found.interval.warnings
    if found.robustness is not None:
        told += found.robustness.warnings
    return list(dict.fromkeys([*told, *_tied(found), *_unjudged(found)]))


def _tied(found: Findings) -> Iterator[str]:
    """Runs whose values rest on the order of documents with equal scores."""
    shares = {run.name: float(np.mean(run.first < run.last)) for run in found.runs if len(run.rank)}
    many = [name for name, share in sorted(shares.items(), key=lambda one: -one[1]) if share > TIED]
    if many:
        yield (
            f"many documents have the score of another, and stand in the order of their names, in {len(many)} of "
            f"{len(found.runs)} runs ({listed(many)}); `rankscale evaluate --ties range` tells how far that matters"
        )


def _unjudged(found: Findings) -> Iterator[str]:
    """Runs whose first documents are not judged well enough to trust their values."""
    rates = dict(zip(found.evaluation.runs, found.judged.tolist(), strict=True))
    few = [run for run, rate in sorted(rates.items(), key=lambda one: one[1]) if rate < UNJUDGED]
    if few:
        yield (
            f"less than {100 * UNJUDGED:.0f} % of the first ten documents are judged in {len(few)} of {len(rates)} "
            f"runs ({listed(few)}), {_meaning(found)}"
        )


def _meaning(found: Findings) -> str:
    if found.judged_only:
        return "and taking the others out of rankings need not be fair to them"
    return "which may be better than their values say"
