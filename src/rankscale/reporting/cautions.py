"""Cautions of a report: missing topics, ties, floor effects, too few judgments."""

from collections.abc import Iterator

import numpy as np

from rankscale.data.names import listed
from rankscale.data.notices import render
from rankscale.evaluation.result import Evaluation
from rankscale.reporting.results import Results

TIED = 0.1  # share of judged documents with tied scores, above which a caution is given
FIRST = {"missing topics"}  # kinds of notices that come before all others
LAST = {"length"}  # those that come after all others: they are about one measure, which is often not requested
UNJUDGED = 0.9  # share of the first ten documents that should be judged


def cautions(results: Results) -> list[str]:
    """Every caution once, those first that change what the numbers mean: missing topics, unjudged documents, ties."""
    notices = [*results.evaluation.notices, *results.comparison.notices]
    if isinstance(results.interval, Evaluation):
        notices += results.interval.notices
    if results.robustness is not None:
        notices += results.robustness.notices
    kept = [notice for notice in dict.fromkeys(notices) if notice.kind != "read as"]
    kept.sort(key=lambda notice: notice.kind in LAST)
    first, others = ([render(one) for one in kept if (one.kind in FIRST) == is_first] for is_first in (True, False))
    of_rankings = [*_unjudged(results), *_tied(results)] if results.has_rankings else []
    return [*first, *of_rankings, *others]


def _tied(results: Results) -> Iterator[str]:
    """A caution about runs whose values depend on the order of documents with equal scores."""
    shares = {run.name: float(np.mean(run.first < run.last)) for run in results.runs if len(run.rank)}
    many = [name for name, share in sorted(shares.items(), key=lambda one: -one[1]) if share > TIED]
    if many:
        yield (
            f"{len(many)} of {len(results.runs)} runs have many tied scores ({listed(many)}); ties are ordered by "
            "document id. `rankscale evaluate --ties range` shows how much that matters"
        )


def _unjudged(results: Results) -> Iterator[str]:
    """A caution about runs whose first ten documents are not judged well enough to trust their values."""
    rates = dict(zip(results.evaluation.runs, results.judged.tolist(), strict=True))
    few = [run for run, rate in sorted(rates.items(), key=lambda one: one[1]) if rate < UNJUDGED]
    if few:
        effect = (
            "leaving the others out may be unfair to them" if results.judged_only else "they may be better than shown"
        )
        yield (
            f"{len(few)} of {len(rates)} runs have less than {100 * UNJUDGED:.0f} % of their first ten documents "
            f"judged ({listed(few)}); {effect}"
        )
