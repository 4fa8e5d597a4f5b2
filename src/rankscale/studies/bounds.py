"""How much unjudged documents leave open in RBP, by depth, persistence and pool, and what judging them would cost.

After Moffat and Zobel, TOIS 27(1), 2008, sections 4.4 and 4.5: Figure 5 is the table `depths`, Figure 6 `persistence`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.declared import Declaration
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import Missing, check_missing, prepared
from rankscale.evaluation.result import Evaluation
from rankscale.formats.read.inputs import read_qrels, run_sources
from rankscale.measures.base.gains import Gains, normal_form
from rankscale.measures.base.measure import written
from rankscale.measures.rbp import RBP, depth_needed, largest_p
from rankscale.studies.pooling import check_depth
from rankscale.studies.support.judging_cost import Reach, read_with_reach
from rankscale.studies.support.shared_topics import check_topics
from rankscale.studies.support.study import Study

PERSISTENCE = (0.5, 0.8, 0.95)
GRID = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
POOL_DEPTHS = (10, 100)
ACCURACY = (0.0001,)

COST_COLUMNS = ("p", "accuracy", "depth", "documents", "judged", "missing", "missing_per_topic", "largest_residual")


@dataclass(frozen=True)
class BoundsRequest:
    """What is to be bounded, and how well."""

    p: tuple[float, ...]
    depths: tuple[int, ...]
    grid: tuple[float, ...]  # holds p too
    pool_depths: tuple[int, ...]
    accuracy: tuple[float, ...]
    rel: float
    gains: Gains

    @property
    def measures(self) -> list[RBP]:
        """Each p at each depth, then those of the grid over whole rankings."""
        relevant: dict[str, Any] = {"rel": self.rel, "gains": self.gains}
        cut = [RBP(p=p, depth=depth, **relevant) for p, depth in product(self.p, self.depths)]
        return [*cut, *(RBP(p=p, **relevant) for p in self.grid)]

    @property
    def needed(self) -> Iterator[tuple[float, float, int]]:
        """(p, accuracy, depth): how deep rankings must be judged."""
        for p, accuracy in product(self.p, self.accuracy):
            yield p, accuracy, depth_needed(p, accuracy)

    @property
    def deepest(self) -> int:
        """The deepest that rankings must be judged."""
        return max((depth for _, _, depth in self.needed), default=0)


@dataclass(frozen=True, eq=False, repr=False)
class Bounds(Study):
    """Result of `bounds`: means over topics, run by run."""

    evaluation: Evaluation  # with all judgments; its measures are those of `request`
    request: BoundsRequest
    by_depth: Floats  # (bound, pool, p, depth, run); bounds: lower and upper, pools: all judgments, then pool depths
    by_p: Floats  # (bound, pool, p of the grid, run), over whole rankings
    costs: tuple[tuple[Cell, ...], ...]  # rows of COST_COLUMNS
    notices: tuple[Notice, ...]

    @property
    def settings(self) -> Mapping[str, object]:
        """All requested."""
        message, relevant = self.request, {"rel": f"{self.request.rel:g}", "gains": None}
        if message.gains is not None:
            relevant = {"rel": None, "gains": written(message.gains)}
        lists = {name: getattr(message, name) for name in ("p", "depths", "grid", "pool_depths", "accuracy")}
        return {"study": "bounds", **{name.replace("_", "-"): numbers for name, numbers in lists.items()}, **relevant}

    @property
    def origin(self) -> Mapping[str, object]:
        """The provenance of the evaluation with all judgments."""
        return self.evaluation.provenance

    def sentence(self) -> str:
        """How to read the tables."""
        first = (
            "Whatever the unjudged documents are, mean RBP lies between lower, where they gain nothing, and upper, "
            "where they and all beyond the end gain the most; residual is the difference."
        )
        second = (
            "\nWith each ranking judged down to `depth`, less than `accuracy` is left open; `documents` are those that "
            "these runs rank so high, over all topics, and nobody judged the `missing` ones."
        )
        return first + (second if self.costs else "")

    def shown(self) -> tuple[str, ...]:
        """The bounds, and what better ones would cost."""
        return ("bounds", "cost") if self.costs else ("bounds",)

    def tables(self) -> Mapping[str, Table]:
        """With whole rankings and all judgments, by depth, by p, what accuracy costs, and what depths support."""
        requested, runs = self.request, self.evaluation.runs
        pools = (None, *requested.pool_depths)
        topics = np.count_nonzero(self.evaluation.retrieved, axis=-1).tolist()
        chosen = self.by_p[:, 0, [requested.grid.index(p) for p in requested.p]]
        whole = Table.of(("run", "p"), product(runs, requested.p)).columns
        by_depth = product(runs, pools, requested.p, requested.depths)
        supported = product(requested.depths, requested.accuracy)
        return {
            "bounds": Table(
                {**whole, "topics": [topics[runs.index(str(run))] for run in whole["run"]], **_bounds(chosen)}
            ),
            "depths": Table(
                {
                    **Table.of(("run", "pool_depth", "p", "depth"), by_depth).columns,
                    **_bounds(self.by_depth),
                }
            ),
            "persistence": Table(
                {
                    **Table.of(("run", "pool_depth", "p"), product(runs, pools, requested.grid)).columns,
                    **_bounds(self.by_p),
                }
            ),
            "cost": Table.of(COST_COLUMNS, self.costs),
            "supports": Table.of(("depth", "accuracy", "largest_p"), ((d, e, largest_p(d, e)) for d, e in supported)),
        }


def bounds(
    qrels: Any,  # noqa: ANN401
    runs: Any,  # noqa: ANN401  # whatever evaluate() reads
    p: float | Sequence[float] = PERSISTENCE,
    *,
    depths: int | Sequence[int] = DEPTHS,
    grid: Sequence[float] = GRID,
    pool_depths: int | Sequence[int] = POOL_DEPTHS,
    accuracy: float | Sequence[float] = ACCURACY,
    rel: float = 1,
    gains: "Gains | Sequence[float] | Mapping[float, float]" = None,
    missing: Missing = "zero",
    grades: Mapping[float, float] | Sequence[float] | None = None,
    negative: str = "unjudged",
    order: str | None = None,
    max_size: int | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Bounds:
    """Bound RBP, whatever the unjudged documents are.

    Bounds of rank-biased precision (RBP) are given by persistence p, depth of rankings and depth of the pool, with the
    judgments that tighter bounds would cost.

    Parameters
    ----------
    qrels : qrels
        Judgments: a file, a dict, a frame, or what `read_qrels` returns.
    runs : runs
        Rankings: files, dicts, frames, or what `read_runs` returns.
    p : float or sequence of float
        Persistence of RBP.
    depths : int or sequence of int
        Depths of rankings, for the table depths.
    grid : sequence of float
        More values of p, for the table persistence.
    pool_depths : int or sequence of int
        Bounds with the judgments of pools of these depths, too; '' for none.
    accuracy : float or sequence of float
        Count what leaving less than this open would cost; '' for none.
    rel : float
        Lowest relevant grade.
    gains : sequence or mapping, optional
        Gain of each grade.
    missing : {'zero', 'common', 'error'}
        Topics that a run lacks: an empty ranking, left out for all runs, or an error.
    grades : sequence or mapping, optional
        Map grades before anything else.
    negative : {'unjudged', 'not relevant'}
        What a negative grade means.
    order : str, optional
        What orders a ranking: the score, the rank column, or the file.
    max_size : int, optional
        Largest number of bytes a file may unpack to.
    threads : int, optional
        How many files to read at once.
    progress : callable, optional
        Called with (done, of).

    Returns
    -------
    Bounds
        Lower and upper mean RBP by run, and the cost of judging.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take.

    Notes
    -----
    Pool depth k keeps the judgments of documents that some of these runs ranks at k or above. For each accuracy the
    study counts how deep rankings must be judged and how many documents that takes. Topics that a run lacks are empty
    rankings, of which nothing is known.

    Examples
    --------
    >>> ranking = {"1": {"a": 3, "b": 2, "x": 1}}
    >>> result = bounds({"1": {"a": 1, "b": 0}}, {"mine": ranking}, p=0.5, accuracy=0.2, pool_depths=1)
    >>> print(result.text(table="bounds"))
    run        p  topics   lower   upper  residual
    mine  0.5000       1  0.5000  0.7500    0.2500
    >>> print(result.text(table="cost"))
         p  accuracy  depth  documents  judged  missing  missing_per_topic  largest_residual
    0.5000    0.2000      3          3       2        1             1.0000            0.2500

    Command line
    ------------
        rankscale bounds qrels.txt runs/*.gz
        rankscale bounds qrels.txt runs/*.gz -p 0.9 --accuracy 0.01,0.001 --table cost
        rankscale bounds qrels.txt run.txt --table depths -o depths.tsv
    """
    requested = _asked(p, depths, grid, pool_depths, accuracy, rel, normal_form(gains))
    check_missing(missing, compared=True)
    judgments = read_qrels(qrels, max_size=max_size)
    sources = run_sources(runs)
    steps = _Steps(progress, len(sources) * (2 + len(requested.pool_depths)))
    reading: dict[str, Any] = {"order": order, "max_size": max_size, "threads": threads}
    read, reach = read_with_reach(judgments, sources, requested.deepest, steps.after(0), **reading)
    for depth in requested.pool_depths:
        check_depth(read, depth)
    judging: dict[str, Any] = {"bounds": True, "missing": missing, "grades": grades, "negative": negative}
    result = []
    for number, pool in enumerate((None, *requested.pool_depths), start=1):
        kept = judgments if pool is None else judgments.keeping(reach.of_judgments <= pool)
        one = evaluate(kept, read, requested.measures, progress=steps.after(number * len(read)), **judging)
        result.append(one)
        check_topics(result[-1])
    means = np.stack([_means(one) for one in result], axis=1)
    by_depth, by_p = np.split(means, [len(requested.p) * len(requested.depths)], axis=2)
    by_depth = by_depth.reshape(2, len(result), len(requested.p), len(requested.depths), len(read))
    costs = tuple(_costs(requested, reach, prepared(judgments, grades, negative), result[0], by_p[:, 0]))
    notices = (*result[0].notices, *notes(_cautions(requested, reach, _lengths(read, result[0]))))
    return Bounds(result[0], requested, frozen(by_depth), frozen(by_p), costs, notices)


class _Steps:
    """Progress over parts that each count from 0."""

    def __init__(self, progress: Callable[[int, int], None] | None, of: int) -> None:
        self.progress, self.of = progress, of

    def after(self, before: int) -> Callable[[int, int], None] | None:
        """What to call in a part that starts after so many steps."""
        progress = self.progress
        return None if progress is None else lambda done, _: progress(before + done, self.of)


def _asked(
    p: float | Sequence[float],
    depths: int | Sequence[int],
    grid: Sequence[float],
    pool_depths: int | Sequence[int],
    accuracy: float | Sequence[float],
    rel: float,
    gains: Gains,
) -> BoundsRequest:
    every, accuracies = _several(p), _several(accuracy)
    if not every:
        raise ParameterError("bounds: give one p or more, such as 0.8")
    for one in accuracies:
        if not 0 < one < 1:
            raise ParameterError(f"an accuracy lies between 0 and 1, such as 0.0001, got {one}")
    both = tuple(sorted({*every, *_several(grid)}))
    return BoundsRequest(every, _several(depths), both, _several(pool_depths), accuracies, rel, gains)


def _several(numbers: Any) -> tuple[Any, ...]:  # noqa: ANN401  # one or many, whole or not
    """Each number once, in the order they were given."""
    return tuple(dict.fromkeys([numbers] if isinstance(numbers, int | float) else list(numbers)))


def _means(evaluation: Evaluation) -> Floats:
    """(bound, measure, run): lower and upper."""
    means = evaluation.extra_means()
    return np.stack([means["lower"], means["upper"]])


def _costs(
    requested: BoundsRequest, reach: Reach, qrels: Qrels, evaluation: Evaluation, whole: Floats
) -> Iterator[tuple[Cell, ...]]:
    """What each accuracy costs; `whole` (bound, p of the grid, run) is what is known as it is."""
    topics: Bools = np.any(evaluation.retrieved, axis=0)
    count = int(np.count_nonzero(topics))
    residual = (whole[1] - whole[0]).max(axis=-1)
    for p, accuracy, depth in requested.needed:
        judged, missing = reach.documents(depth, qrels, topics)
        documents = None if missing is None else judged + missing
        per_topic = None if missing is None or not count else missing / count
        yield p, accuracy, depth, documents, judged, missing, per_topic, float(residual[requested.grid.index(p)])


def _lengths(runs: Sequence[Run], evaluation: Evaluation) -> Ints:
    """(ranking,): of all that count, those of topics that a run misses too."""
    lengths = np.stack([run.completed(len(evaluation.topics)).length for run in runs])
    counted: Ints = lengths[evaluation.retrieved]
    return counted


def _cautions(requested: BoundsRequest, reach: Reach, length: Ints) -> Iterator[str]:
    if requested.accuracy and reach.nameless is not None:
        yield (
            f"run {reach.nameless} was read without the names of its documents, and unjudged ones cannot be counted; "
            "read it with keep_documents=True"
        )
    message = 0
    for p, accuracy, depth in sorted(requested.needed, key=lambda one: one[2]):
        short = int(np.count_nonzero(length < depth))
        if short > message:  # those that end before a lesser depth were told of
            message = short
            yield (
                f"{short:,} of {len(length):,} rankings end before rank {depth:,}, which an accuracy of {accuracy:g} "
                f"with p={p:g} asks for: what may stand below their end stays open, however much is judged"
            )


def _bounds(bounds: Floats) -> dict[str, list[float]]:
    """(bound, ..., run): the columns of a table that goes run by run, and then in the order of the other dimensions."""
    lower, upper = np.moveaxis(bounds, -1, 1)
    columns = {"lower": lower, "upper": upper, "residual": upper - lower}
    return {name: column.ravel().tolist() for name, column in columns.items()}


COMMAND = Declaration(
    bounds,
    source="runs",
    flags={"p": "-p --persistence"},
    shared=("missing", "relevance", "gains", "grades", "reading"),
    tables=("bounds", "depths", "persistence", "cost", "supports"),
)
