"""What to be careful about when a report is read: missing topics, ties, floors, too few judgments."""

from collections.abc import Iterator

import numpy as np

from rankscale.data.names import listed
from rankscale.data.notices import render
from rankscale.evaluation.result import Evaluation
from rankscale.reporting.results import Results

TIED = 0.1  # share of judged documents with the score of another, from which the order of names matters
UNJUDGED = 0.9  # share of the first documents that should be judged


def cautions(results: Results) -> list[str]:
    """Every caution once, in the order of what they are about."""
    notices = [*results.evaluation.notices, *results.comparison.notices]
    if isinstance(results.interval, Evaluation):
        notices += results.interval.notices
    if results.robustness is not None:
        notices += results.robustness.notices
    return [*map(render, dict.fromkeys(notices)), *_tied(results), *_unjudged(results)]


def _tied(results: Results) -> Iterator[str]:
    """Runs whose values rest on the order of documents with equal scores."""
    shares = {run.name: float(np.mean(run.first < run.last)) for run in results.runs if len(run.rank)}
    many = [name for name, share in sorted(shares.items(), key=lambda one: -one[1]) if share > TIED]
    if many:
        yield (
            f"{len(many)} of {len(results.runs)} runs have many tied scores ({listed(many)}); ties are ordered by "
            "document id. `rankscale evaluate --ties range` shows how much that matters"
        )


def _unjudged(results: Results) -> Iterator[str]:
    """Runs whose first documents are not judged well enough to trust their values."""
    rates = dict(zip(results.evaluation.runs, results.judged.tolist(), strict=True))
    few = [run for run, rate in sorted(rates.items(), key=lambda one: one[1]) if rate < UNJUDGED]
    if few:
        yield (
            f"less than {100 * UNJUDGED:.0f} % of the first ten documents are judged in {len(few)} of {len(rates)} "
            f"runs ({listed(few)}), {_meaning(results)}"
        )


def _meaning(results: Results) -> str:
    if results.judged_only:
        return "and taking the others out of rankings need not be fair to them"
    return "which may be better than their values say"
