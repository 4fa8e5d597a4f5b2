"""Cautions: missing topics, unjudged documents, ties, and what else changes what numbers mean."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from rankscale.data.names import listed
from rankscale.data.notices import Notice, render
from rankscale.data.run import Run
from rankscale.evaluation.result import Evaluation

TIED = 0.1  # share of judged documents with tied scores, above which a caution is given
FIRST = {"missing topics"}  # kinds of notices that come before all others
LAST = {"length"}  # those that come after all others: they are about one measure, which is often not requested
UNJUDGED = 0.9  # share of the first ten documents that should be judged


def cautions(
    notices: Iterable[Notice], runs: Sequence[Run] = (), judged: Evaluation | None = None, *, judged_only: bool = False
) -> list[str]:
    """Every caution once, those first that change what the numbers mean: missing topics, unjudged documents, ties.

    Parameters
    ----------
    notices : iterable of Notice
        Of all results that are shown.
    runs : sequence of Run
        The runs, where there are rankings.
    judged : Evaluation, optional
        Shares of judged documents, as `judged_share` gives them.
    judged_only : bool
        Whether values leave unjudged documents out.

    Returns
    -------
    list of str
        Sentences without a full stop.
    """
    kept = [notice for notice in dict.fromkeys(notices) if notice.kind != "read as"]
    kept.sort(key=lambda notice: notice.kind in LAST)
    first, others = ([render(one) for one in kept if (one.kind in FIRST) == is_first] for is_first in (True, False))
    unjudged = () if judged is None else _unjudged(runs, judged, judged_only=judged_only)
    return [*first, *unjudged, *_tied(runs), *others]


def _tied(runs: Sequence[Run]) -> Iterator[str]:
    """A caution about runs whose values depend on the order of documents with equal scores."""
    shares = {run.name: float(np.mean(run.first < run.last)) for run in runs if len(run.rank)}
    many = [name for name, share in sorted(shares.items(), key=lambda one: -one[1]) if share > TIED]
    if many:
        yield (
            f"{len(many)} of {len(runs)} runs have many tied scores ({listed(many)}); ties are ordered by "
            "document id. `rankscale evaluate --ties range` shows how much that matters"
        )


def _unjudged(runs: Sequence[Run], judged: Evaluation, *, judged_only: bool) -> Iterator[str]:
    """A caution about runs whose first ten documents are not judged well enough to trust their values.

    It is about documents, so that topics which a run lacks do not count.
    """
    rates = {run.name: float(values[run.rows].mean()) for run, values in zip(runs, judged.values[0], strict=True)}
    few = [run for run, rate in sorted(rates.items(), key=lambda one: one[1]) if rate < UNJUDGED]
    if few:
        effect = "leaving the others out may be unfair to them" if judged_only else "they may be better than shown"
        yield (
            f"{len(few)} of {len(rates)} runs have less than {100 * UNJUDGED:.0f} % of their first ten documents "
            f"judged ({listed(few)}); {effect}"
        )
