"""Cautions: missing topics, unjudged documents, ties, and what else changes what numbers mean.

How much is judged, the share of the first ranks that have a judgment, has one definition wherever it is shown.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from rankscale.data.names import listed
from rankscale.data.notices import Notice, render
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.measure import Measure
from rankscale.measures.counts import JudgedRate

TIED = 0.1  # share of judged documents with tied scores, above which a caution is given
FIRST = {"missing topics"}  # kinds of notices that come before all others
LAST = {"length"}  # those that come after all others: they are about one measure, which is often not requested
DEPTH = 10  # of the share of judged documents, where a measure has none
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


def judged_measure(measure: Measure | None = None) -> JudgedRate:
    """Judged@k at the depth of a measure, or at 10.

    >>> from rankscale.measures.base.parser import parse
    >>> print(judged_measure(parse("nDCG@20")), judged_measure(parse("AP")), judged_measure())
    Judged@20 Judged@10 Judged@10
    """
    return JudgedRate(depth=(measure.depth if measure else None) or DEPTH)


def judged_share(qrels: Qrels, runs: Sequence[Run], measure: Measure | None = None) -> Evaluation:
    """Judged@k of each run on each topic, unjudged documents left in.

    Its `means()` are what every surface shows: over all topics of the qrels, where one that a run lacks counts as an
    empty ranking, of which nothing is judged.
    """
    return evaluate(qrels, list(runs), [judged_measure(measure)])
