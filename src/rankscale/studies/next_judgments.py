"""Which documents to judge next: those that leave most of the runs' values open.

The bounds of rank-biased precision are as far apart as the weights of unjudged ranks add up to: the residual. A
judgment takes from the residual of each run the weight of the rank that the run gives the document, so the documents to
judge first are those of the greatest weight over all runs (Moffat, Webber and Zobel, SIGIR 2007, to which Moffat and
Zobel, TOIS 27(1), 2008, refer in their conclusion). What the judgments will be does not matter. No smaller number of
judgments than in this order brings the mean residual below an accuracy. Any measure that is a sum over ranks has such
weights.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Unpack

import numpy as np

from rankscale.data.arguments import Positive, check_arguments
from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.data.table import Cell, Table
from rankscale.errors import BoundsError, ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import SameTopics, check_missing
from rankscale.inputs.options import Reading, SourceOptions
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, runs_with_names
from rankscale.measures.base.additive import Additive
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.studies.pooling import check_depth, chosen_runs, document_names, free_ranks, judgments_of
from rankscale.studies.support.selection import check_topics
from rankscale.studies.support.study import Study, origin_of_files, table_of_arrays

NEGLIGIBLE = 2.0**-52  # weights of ranks that are smaller against the first are rounding errors
DEEPEST = 1 << 16  # ranks whose weights are looked at
WEIGHT_DIGITS = 12  # to which weights are compared: sums of the same terms in another order are equal
Stop = Literal["mean", "every"]


@dataclass(frozen=True, eq=False)
class Candidates:
    """Unjudged documents of some runs, and the weight that each run gives them.

    Entries are by document, those of one in the order of runs.
    """

    topic: Ints  # (document,), by row of the qrels
    name: tuple[str, ...]
    best_rank: Ints  # (document,)
    starts: Ints  # (document + 1,), of their entries
    run: Ints  # (entry,)
    weight: Floats  # (entry,)

    @property
    def runs(self) -> Ints:
        """(document,): how many runs rank it."""
        return np.diff(self.starts)

    @property
    def total(self) -> Floats:
        """(document,): its weight over all runs."""
        if not self.name:
            return np.zeros(0)
        return np.add.reduceat(self.weight, self.starts[:-1])

    def entries(self, document: int) -> slice:
        """The entries of one document."""
        return slice(*self.starts[document : document + 2].tolist())

    def in_order(self) -> Ints:
        """The documents that weigh anything, from the greatest weight on; of equals by topic, best rank and name."""
        by_name = np.empty(len(self.name), dtype=np.int64)
        by_name[sorted(range(len(self.name)), key=self.name.__getitem__)] = np.arange(len(self.name))
        total = self.total
        order = np.lexsort((by_name, self.best_rank, self.topic, -np.round(total, WEIGHT_DIGITS)))
        return order[total[order] > 0]


def deepest_of(weighing: Additive) -> int:
    """The last rank whose weight is more than a rounding error of the first."""
    last = min(weighing.depth or DEEPEST, DEEPEST)
    weights = weighing.weight(np.arange(1, last + 1))
    return int(np.flatnonzero(weights > NEGLIGIBLE * weights.max())[-1]) + 1


def candidates_of(qrels: Qrels, runs: Sequence[Run], weighing: Additive, deepest: int, topics: Bools) -> Candidates:
    """The unjudged documents of all runs on some topics, with the weights that runs give them."""
    places: dict[tuple[int, str], int] = {}
    parts: list[tuple[Ints, Ints, Ints, Floats]] = []  # document, run, rank, weight
    for number, run in enumerate(runs):
        for row, names, ranks, weights in _unjudged(qrels, run, weighing, deepest):
            if topics[row]:
                listed = [places.setdefault((row, names[rank - 1]), len(places)) for rank in ranks.tolist()]
                parts.append((np.array(listed, dtype=np.int64), np.full(len(ranks), number), ranks, weights))
    nothing = np.zeros(0, dtype=np.int64)
    document, by_run, rank = (np.concatenate([nothing, *(part[column] for part in parts)]) for column in range(3))
    weight = np.concatenate([np.zeros(0), *(part[3] for part in parts)])
    order = np.argsort(document, kind="stable")  # of documents; entries of one in the order of runs
    starts = np.searchsorted(document[order], np.arange(len(places) + 1))
    best = np.full(len(places), np.iinfo(np.int64).max)
    np.minimum.at(best, document, rank)
    topic = np.array([row for row, _ in places], dtype=np.int64)
    return Candidates(topic, tuple(name for _, name in places), best, starts, by_run[order], weight[order])


def _unjudged(
    qrels: Qrels, run: Run, weighing: Additive, deepest: int
) -> Iterator[tuple[int, Sequence[str], Ints, Floats]]:
    """By topic: its row in the qrels, the names of its documents, and the ranks of unjudged ones with their weights."""
    names, is_judged = document_names(run), qrels.is_judged[judgments_of(run, qrels)]
    for block, judged in run.blocks(qrels):
        weights = weighing.left_open(judged, deepest)
        for place, row in enumerate(run.rows[block].tolist(), start=block.start):
            own, documents = slice(*run.starts[place : place + 2].tolist()), names[place]
            ranks = free_ranks(run.rank[own][is_judged[own]], min(deepest, len(documents)))
            yield row, documents, ranks, weights[place - block.start, ranks - 1]


@dataclass(frozen=True)
class JudgingGroup:
    """Documents that are put in one order, and the topics whose mean residual they bear on."""

    documents: Ints
    topics: Ints


def groups_of(candidates: Candidates, topics: Bools, *, by_topic: bool) -> list[JudgingGroup]:
    """All topics together, or one by one."""
    order, rows = candidates.in_order(), np.flatnonzero(topics)
    if not by_topic:
        return [JudgingGroup(order, rows)]
    return [JudgingGroup(order[candidates.topic[order] == row], np.array([row])) for row in rows.tolist()]


@dataclass(frozen=True)
class JudgingPlan:
    """The documents listed of a group, and the residuals after each."""

    documents: list[int]
    residual: list[float]  # mean over runs
    highest: list[float]
    needed: int | None  # judgments that the accuracy takes
    least: tuple[float, float]  # residuals where everything is judged, or where the accuracy is reached


def plan_of(
    candidates: Candidates, before: Floats, group: JudgingGroup, count: int | None, accuracy: float | None, stop: Stop
) -> JudgingPlan:
    """Judge document by document until the accuracy is reached, and list those within `count`."""
    goal = -np.inf if accuracy is None else accuracy
    start = before[:, group.topics].mean(axis=1)  # (run,)
    reached = (float(start.mean()), float(start.max()))
    documents: list[int] = []
    residuals: list[tuple[float, float]] = []
    judged, needed = 0, None
    for document, after in _judging(candidates, group, start):
        if reached[stop == "every"] < goal:
            needed = judged
            break
        if accuracy is None and judged == count:
            break
        judged, reached = judged + 1, after
        if count is None or judged <= count:
            documents.append(document)
            residuals.append(after)
    if needed is None and reached[stop == "every"] < goal:
        needed = judged
    return JudgingPlan(documents, [mean for mean, _ in residuals], [most for _, most in residuals], needed, reached)


def _judging(
    candidates: Candidates, group: JudgingGroup, residual: Floats
) -> Iterator[tuple[int, tuple[float, float]]]:
    """Each document, and the mean and the highest residual of runs once it is judged."""
    left, topics = residual.copy(), len(group.topics)
    for document in group.documents.tolist():
        own = candidates.entries(document)
        left[candidates.run[own]] -= candidates.weight[own] / topics
        yield document, (max(0.0, float(left.mean())), max(0.0, float(left.max())))


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
        by_run, by_topic = (
            {"residual": self.before.mean(axis=axis), "residual_after": self.after.mean(axis=axis)} for axis in (1, 0)
        )
        listed = np.array([self.next.columns["topic"].count(topic) for topic in self.topics])
        return {
            "next": self.next,
            "runs": table_of_arrays([{"run": self.runs}], by_run),
            "topics": table_of_arrays(
                [{"topic": self.topics}], {"unjudged": self.unjudged, "next": listed, **by_topic}
            ),
        }

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
        return origin_of_files(self.sources, self.orders)

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
    check_arguments(next_judgments, locals(), choices=("stop",))
    check_missing(missing, compared=True)
    measure = parse(weight)
    weighing = _weighing(measure)
    if count is None and accuracy is None:
        raise ParameterError("say how many documents to list (count=100), or which accuracy to reach (accuracy=0.01)")
    if count is not None and count < 1:
        raise ParameterError(f"count is a whole number from 1, got {count}")
    if accuracy is not None and not accuracy > 0:
        raise ParameterError(f"the accuracy is a number above 0, such as 0.01, got {accuracy}")
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
    why = [_unreached(unreached, accuracy, stop, of=len(groups) if by_topic else 0)] if unreached else []
    if why and count is None:
        raise ParameterError(*why)
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
        notices=(*renamed, *result.notices, *notes(why)),
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


def _listed(candidates: Candidates, plans: Sequence[JudgingPlan], topics: Sequence[str]) -> Table:
    total, runs = candidates.total, candidates.runs
    rows: list[tuple[Cell, ...]] = []
    for plan in plans:
        for document, residual, highest in zip(plan.documents, plan.residual, plan.highest, strict=True):
            name = topics[candidates.topic[document]], candidates.name[document]
            weighed = float(total[document]), int(runs[document]), int(candidates.best_rank[document])
            rows.append((*name, *weighed, residual, highest))
    return Table.of(("topic", "document", "weight", "runs", "best_rank", "residual", "highest_residual"), rows)


def _unreached(plans: Sequence[JudgingPlan], accuracy: float | None, stop: Stop, of: int) -> str:
    """Why judging all that runs rank is not enough."""
    least = max(plan.least[stop == "every"] for plan in plans)
    whose = "the mean residual of runs" if stop == "mean" else "the highest residual of a run"
    where = f" on {len(plans)} of {of} topics" if of else ""
    return (
        f"an accuracy of {accuracy:g} cannot be reached{where}: judging every document that runs rank leaves {whose} "
        f"at {least:.4g}, since rankings end or are missing; allow more, or give a number of documents alone"
    )
