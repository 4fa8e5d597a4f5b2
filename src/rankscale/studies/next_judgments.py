"""Which documents to judge next: those that leave most of the runs' values open.

The bounds of rank-biased precision are as far apart as the weights of unjudged ranks add up to: the residual. A
judgment takes from the residual of each run the weight of the rank that the run gives the document, so the documents to
judge first are those of the greatest weight over all runs (Moffat, Webber and Zobel, SIGIR 2007, to which Moffat and
Zobel, TOIS 27(1), 2008, refer in their conclusion). What the judgments will be does not matter. No smaller number of
judgments than in this order brings the mean residual below an accuracy. Any measure that is a sum over ranks has such
weights.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Unpack

import numpy as np

from rankscale import __version__
from rankscale.data.arguments import Positive, check_arguments
from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.notices import Notice, notes
from rankscale.data.table import Cell, Table
from rankscale.errors import BoundsError, ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import SameTopics, check_missing, one_or_all, signature
from rankscale.inputs.options import Reading, SourceOptions
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, runs_with_names
from rankscale.measures.base.additive import Additive
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.studies.pooling import check_depth, chosen_runs
from rankscale.studies.support.judging_order import (
    DEEPEST,
    Candidates,
    Plan,
    Stop,
    candidates_of,
    deepest_of,
    groups_of,
    plan_of,
)
from rankscale.studies.support.shared_topics import check_topics
from rankscale.studies.support.study import Study


@dataclass(frozen=True, eq=False, repr=False)
class NextJudgments(Study):
    """Result of `next_judgments`: unjudged documents in the order in which to judge them.

    Attributes
    ----------
    measure : Measure
        The measure whose ranks weigh the documents.
    runs : tuple of str
        Names of the runs.
    topics : tuple of str
        Topics of the means.
    next : Table
        Topic, document, its weight over all runs, how many runs rank it, its best rank, and once it and all before it
        are judged, the mean over runs of the residual and the highest of a run.
    before, after : array of float
        (run, topic): residuals as they are, and once the documents listed are judged.
    unjudged : array of int
        (topic,): unjudged documents that some run ranks.
    needed : int, optional
        How many judgments the accuracy takes; None if none is given, or it cannot be reached.
    accuracy : float, optional
        The residual to get below.
    stop : {'mean', 'every'}
        Whether the mean residual of runs is to be below it, or that of every run.
    by_topic : bool
        Whether topics are looked at one by one.
    depth : int, optional
        Rank down to which documents are looked at.
    count : int, optional
        How many documents are listed at most.
    orders : tuple of str
        How each run was put in order.
    sources : tuple of str
        Of the qrels, then of each run.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    measure: Measure
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    next: Table
    before: Floats
    after: Floats
    unjudged: Ints
    needed: int | None
    accuracy: float | None
    stop: Stop
    by_topic: bool
    depth: int | None
    count: int | None
    orders: tuple[str, ...]
    sources: tuple[str, ...]
    notices: tuple[Notice, ...]

    def tables(self) -> Mapping[str, Table]:
        """The documents to judge, and the residuals of runs and topics before and after."""
        return {"next": self.next, "runs": self._by_run(), "topics": self._by_topic()}

    def _by_run(self) -> Table:
        residuals = {"residual": self.before.mean(axis=1).tolist(), "residual_after": self.after.mean(axis=1).tolist()}
        return Table({"run": list(self.runs), **residuals})

    def _by_topic(self) -> Table:
        listed = [self.next.columns["topic"].count(topic) for topic in self.topics]
        return Table(
            {
                "topic": list(self.topics),
                "unjudged": self.unjudged.tolist(),
                "next": listed,
                "residual": self.before.mean(axis=0).tolist(),
                "residual_after": self.after.mean(axis=0).tolist(),
            }
        )

    @property
    def settings(self) -> Mapping[str, object]:
        """What weighs documents, and where to stop."""
        return {
            "study": "pool",
            "next": self.count,
            "weight": str(self.measure),
            "accuracy": self.accuracy,
            "stop": None if self.accuracy is None else self.stop,
            "per-topic": "yes" if self.by_topic else None,
            "pool-depth": self.depth,
        }

    @property
    def origin(self) -> Mapping[str, object]:
        """Files and order."""
        return {
            "rankscale": __version__,
            "signature": signature({"order": one_or_all(self.orders)}),
            "sources": list(self.sources),
        }

    def sentence(self) -> str:
        """How far the judgments take the residual, and how many a wanted accuracy takes."""
        listed, unjudged = len(self.next), int(self.unjudged.sum())
        before, after = self.before.mean(axis=1), self.after.mean(axis=1)
        parts = [
            f"{listed:,} of {unjudged:,} unjudged documents of {len(self.runs)} runs.",
            f"Judging them takes the mean residual of {self.measure} from {before.mean():.4f} to {after.mean():.4f},",
            f"the highest of a run from {before.max():.4f} to {after.max():.4f}.",
        ]
        if self.needed is not None:
            whose = "a mean residual of runs" if self.stop == "mean" else "a residual of every run"
            where = " on every topic" if self.by_topic else ""
            judgments = "1 judgment" if self.needed == 1 else f"{self.needed:,} judgments"
            parts.append(f"It takes {judgments} to get {whose} below {self.accuracy:g}{where}.")
        return " ".join(parts)


def next_judgments(
    qrels: QrelsLike,
    runs: RunsLike,
    count: Positive | None = None,
    *,
    weight: str | Measure = "RBP",
    accuracy: float | None = None,
    stop: Stop = "mean",
    by_topic: bool = False,
    depth: Positive | None = None,
    pooled: Iterable[str] | None = None,
    missing: SameTopics = "zero",
    **options: Unpack[SourceOptions],
) -> NextJudgments:
    """List the documents to judge next: those that leave most of the runs' values open.

    Parameters
    ----------
    qrels : qrels
        Judgments: a file, a dict, a frame, or what `read_qrels` returns. Topics without any judgment are not known.
    runs : runs
        Rankings: files, dicts, frames, or runs that `read_runs` returned with `keep_documents=True`.
    count : int, optional
        How many documents to list, or on each topic with `by_topic`; by default as many as `accuracy` takes.
    weight : str or Measure
        Measure whose ranks weigh the documents, a sum over ranks such as 'RBP(p=0.8)', 'DCG@10' or 'P@10'.
    accuracy : float, optional
        Stop where the residual, the distance between the bounds of the measure's mean over topics, is below this.
    stop : {'mean', 'every'}
        Whether that is the mean residual of runs, or the residual of every run.
    by_topic : bool
        Look at each topic by itself: list documents topic by topic, and stop by the residual on the topic.
    depth : int, optional
        Look at documents that some run ranks here or above; by default as deep as ranks have weight.
    pooled : sequence of str, default all runs
        Names of the runs that count.
    missing : {'zero', 'common', 'error'}
        Topics that a run lacks: an empty ranking, left out for all runs, or an error.
    **options
        Keywords on reading: order, max_size, threads.

    Returns
    -------
    NextJudgments
        The documents in order, each with the residual that remains once it is judged.

    Raises
    ------
    ParameterError
        If the measure is no sum over ranks, neither `count` nor `accuracy` is given, or the accuracy cannot be reached
        by judging what runs rank and no `count` is given.

    Notes
    -----
    The weight of a document is the sum over runs of what its rank weighs in the measure, times the greatest gain. In
    the order of weights no smaller number of judgments gets the mean residual below an accuracy; for that of every run
    there may be a smaller one. Documents with equal weights are in the order of topics, of best ranks, of names.

    Examples
    --------
    >>> qrels = {"1": {"a": 1}}
    >>> runs = {"x": {"1": {"a": 3, "b": 2, "c": 1}}, "y": {"1": {"c": 2, "b": 1}}}
    >>> result = next_judgments(qrels, runs, 2, weight="RBP(p=0.5)")
    >>> print(result.text(table="next"))
    topic  document  weight  runs  best_rank  residual  highest_residual
    1      c         0.6250     2          1    0.4375            0.5000
    1      b         0.5000     2          2    0.1875            0.2500
    >>> next_judgments(qrels, runs, weight="RBP(p=0.5)", accuracy=0.5).needed
    1
    """
    check_arguments(next_judgments, locals())
    check_missing(missing, compared=True)
    measure = parse(weight)
    weighing = _weighing(measure)
    _check(count, accuracy, stop)
    reading = Reading(**options)
    judgments = read_qrels(qrels, max_size=reading.max_size)
    deepest = min(depth or DEEPEST, deepest_of(weighing))
    read, renamed = runs_with_names(judgments, runs, reading, documents_to=deepest)
    chosen = chosen_runs(read, pooled)
    check_depth(chosen, depth or 1)
    result = evaluate(judgments, chosen, measure, missing=missing, bounds=True)
    check_topics(result)
    if result.lower is None or result.upper is None:
        raise BoundsError(str(measure), "it was measured without them")
    topics: Bools = np.count_nonzero(~result.retrieved, axis=0) == 0
    before = result.upper[0] - result.lower[0]
    candidates = candidates_of(judgments, chosen, weighing, deepest, topics)
    groups = groups_of(candidates, topics, by_topic=by_topic)
    plans = [plan_of(candidates, before, group, count, accuracy, stop) for group in groups]
    unreached = [plan for plan in plans if accuracy is not None and plan.needed is None]
    if unreached and count is None:
        raise ParameterError(_unreached(unreached, accuracy, stop, of=len(groups) if by_topic else 0))
    after = before.copy()
    for document in (one for plan in plans for one in plan.documents):
        own = candidates.entries(document)
        after[candidates.run[own], candidates.topic[document]] -= candidates.weight[own]
    return NextJudgments(
        measure=measure,
        runs=result.runs,
        topics=tuple(judgments.topics[place] for place in np.flatnonzero(topics).tolist()),
        next=_listed(candidates, plans, judgments.topics),
        before=frozen(before[:, topics]),
        after=frozen(np.maximum(after[:, topics], 0.0)),
        unjudged=frozen(np.bincount(candidates.topic, minlength=len(judgments.topics))[topics]),
        needed=None if accuracy is None or unreached else sum(plan.needed or 0 for plan in plans),
        accuracy=accuracy,
        stop=stop,
        by_topic=by_topic,
        depth=depth,
        count=count,
        orders=tuple(run.order for run in chosen),
        sources=(judgments.source, *(run.source or run.name for run in chosen)),
        notices=(
            *renamed,
            *result.notices,
            *notes([_unreached(unreached, accuracy, stop, of=len(groups) if by_topic else 0)] if unreached else []),
        ),
    )


def _weighing(measure: Measure) -> Additive:
    """The measure, if it is a sum over ranks with bounds."""
    weighing = measure.as_additive
    if weighing is None or measure.uses_recall_base:
        raise ParameterError(
            f"documents are weighed by a measure that is a sum over ranks, such as RBP(p=0.8), DCG@10 or P@10, and "
            f"{measure} is not one"
        )
    measure.refuse_bounds()
    return weighing


def _check(count: int | None, accuracy: float | None, stop: str) -> None:
    if count is None and accuracy is None:
        raise ParameterError("say how many documents to list (count=100), or which accuracy to reach (accuracy=0.01)")
    if count is not None and count < 1:
        raise ParameterError(f"count is a whole number from 1, got {count}")
    if accuracy is not None and not accuracy > 0:
        raise ParameterError(f"the accuracy is a number above 0, such as 0.01, got {accuracy}")
    if stop not in {"mean", "every"}:
        raise ParameterError(f"stop must be 'mean' or 'every', got {stop!r}")


def _listed(candidates: Candidates, plans: Sequence[Plan], topics: Sequence[str]) -> Table:
    total, runs = candidates.total, candidates.runs
    rows: list[tuple[Cell, ...]] = []
    for plan in plans:
        for document, residual, highest in zip(plan.documents, plan.residual, plan.highest, strict=True):
            name = topics[candidates.topic[document]], candidates.name[document]
            weighed = float(total[document]), int(runs[document]), int(candidates.best_rank[document])
            rows.append((*name, *weighed, residual, highest))
    return Table.of(("topic", "document", "weight", "runs", "best_rank", "residual", "highest_residual"), rows)


def _unreached(plans: Sequence[Plan], accuracy: float | None, stop: Stop, of: int) -> str:
    """Why judging all that runs rank is not enough."""
    least = max(plan.least[stop == "every"] for plan in plans)
    whose = "the mean residual of runs" if stop == "mean" else "the highest residual of a run"
    where = f" on {len(plans)} of {of} topics" if of else ""
    return (
        f"an accuracy of {accuracy:g} cannot be reached{where}: judging every document that runs rank leaves {whose} "
        f"at {least:.4g}, since rankings end or are missing; allow more, or give a number of documents alone"
    )
