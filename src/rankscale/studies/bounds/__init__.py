"""How much unjudged documents leave open in RBP, by depth, persistence and pool, and what judging them would cost.

After Moffat and Zobel, TOIS 27(1), 2008, sections 4.4 and 4.5: Figure 5 is the table `depths`, Figure 6 `persistence`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import TypeVar, Unpack, overload

import numpy as np

from rankscale.data.arguments import Declaration, check_arguments
from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import GradeMap, Judging, Progress, SameTopics, check_missing
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.options import Reading, SourceOptions
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, run_sources
from rankscale.measures.ap import AP
from rankscale.measures.base.gains import Gains, normal_form
from rankscale.measures.base.measure import canonical_text
from rankscale.measures.rbp import RBP, depth_needed
from rankscale.studies.bounds.judging import BoundsInAdvance, Reach, largest_p_by_depth, read_with_reach
from rankscale.studies.pooling import check_depth
from rankscale.studies.support.selection import check_topics
from rankscale.studies.support.study import Study, table_of_arrays

PERSISTENCE = (0.5, 0.8, 0.95)
GRID = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
DEPTHS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
POOL_DEPTHS = (10, 100)
ACCURACY = (0.0001,)

Number = TypeVar("Number", int, float)
AP_COLUMNS = ("AP", "lowest", "highest", "lowest_with_one", "highest_with_one")
COST_COLUMNS = ("p", "accuracy", "depth", "documents", "judged", "missing", "missing_per_topic", "largest_residual")


@dataclass(frozen=True)
class BoundsRequest:
    """The options of `bounds`."""

    p: tuple[float, ...]
    depths: tuple[int, ...]
    grid: tuple[float, ...]  # holds p too
    pool_depths: tuple[int, ...]
    accuracy: tuple[float, ...]
    rel: float
    gains: Gains

    def __post_init__(self) -> None:
        if not self.p:
            raise ParameterError("bounds: give one p or more, such as 0.8")
        for accuracy in self.accuracy:
            if not 0 < accuracy < 1:
                raise ParameterError(f"an accuracy lies between 0 and 1, such as 0.0001, got {accuracy}")
        for measure in self.measures:  # p and depths, before any file is read
            measure.check()

    @property
    def measures(self) -> list[RBP]:
        """Each p at each depth, then those of the grid over whole rankings."""
        whole = RBP(rel=self.rel, gains=self.gains)
        cut = [replace(whole, p=p, depth=depth) for p, depth in product(self.p, self.depths)]
        return [*cut, *(replace(whole, p=p) for p in self.grid)]

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
    """Result of `bounds`: lower and upper mean RBP of each run.

    Attributes
    ----------
    evaluation : Evaluation
        Values with all judgments, of the measures of `request`.
    request : BoundsRequest
        The options of the study.
    by_depth : array of float
        (bound, pool, p, depth, run): lower then upper; all judgments, then the pool depths.
    by_p : array of float
        (bound, pool, p of the grid, run), over whole rankings.
    costs : tuple of rows
        Rows of COST_COLUMNS.
    ap : array of float
        (AP_COLUMNS, run, topic): AP, and its lowest and highest value if the unjudged documents of each ranking were
        judged: any number of them relevant, then exactly one.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    evaluation: Evaluation
    request: BoundsRequest
    by_depth: Floats
    by_p: Floats
    costs: tuple[tuple[Cell, ...], ...]
    ap: Floats
    notices: tuple[Notice, ...]

    @property
    def settings(self) -> Mapping[str, object]:
        """The options of the study."""
        request, gains = self.request, self.request.gains
        lists = ("p", "depths", "grid", "pool_depths", "accuracy")
        relevant = {"rel": f"{request.rel:g}"} if gains is None else {"gains": canonical_text(gains)}
        settings = {name.replace("_", "-"): getattr(request, name) for name in lists}
        return {"study": "bounds", **settings, "rel": None, "gains": None, **relevant}

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
        """Bounds over whole rankings, by depth and by p, what accuracy costs, and the largest p that depths support.

        `ap` and `ap_topics` have AP if the unjudged documents of a ranking were judged: on average, and by topic.
        """
        request, retrieved = self.request, self.evaluation.retrieved
        topics = np.count_nonzero(retrieved, axis=-1)
        runs, pools = {"run": self.evaluation.runs}, {"pool_depth": (None, *request.pool_depths)}
        p, depths, grid = {"p": request.p}, {"depth": request.depths}, {"p": request.grid}
        chosen = self.by_p[:, 0, [request.grid.index(p) for p in request.p]]
        ap = AP(rel=request.rel).summarise(np.where(retrieved, self.ap, np.nan))
        of_topics = dict(zip(AP_COLUMNS, self.ap, strict=True))
        return {
            "bounds": table_of_arrays([runs, p], {"topics": topics[:, None], **_bounds(chosen)}),
            "depths": table_of_arrays([runs, pools, p, depths], _bounds(self.by_depth)),
            "persistence": table_of_arrays([runs, pools, grid], _bounds(self.by_p)),
            "cost": Table.of(COST_COLUMNS, self.costs),
            "supports": largest_p_by_depth(request.depths, request.accuracy),
            "ap": table_of_arrays([runs], {"topics": topics, **dict(zip(AP_COLUMNS, ap, strict=True))}),
            "ap_topics": table_of_arrays([runs, {"topic": self.evaluation.topics}], of_topics, chosen=retrieved),
        }


class BoundsOptions(SourceOptions, total=False):
    """Keywords of `bounds` with files."""

    depths: int | Sequence[int]
    grid: Sequence[float]
    pool_depths: int | Sequence[int]
    accuracy: float | Sequence[float]
    rel: float
    gains: "Gains | Sequence[float] | Mapping[float, float]"
    missing: SameTopics
    grades: GradeMap | None
    negative: str
    progress: Progress | None


@overload
def bounds(
    qrels: QrelsLike, runs: RunsLike, p: float | Sequence[float] = PERSISTENCE, **options: Unpack[BoundsOptions]
) -> Bounds: ...


@overload
def bounds(
    qrels: None = None,
    runs: None = None,
    p: float | Sequence[float] = PERSISTENCE,
    *,
    depths: int | Sequence[int] = DEPTHS,
    accuracy: float | Sequence[float] = ACCURACY,
) -> BoundsInAdvance: ...


def bounds(
    qrels: QrelsLike | None = None,
    runs: RunsLike | None = None,
    p: float | Sequence[float] = PERSISTENCE,
    *,
    depths: int | Sequence[int] = DEPTHS,
    grid: Sequence[float] = GRID,
    pool_depths: int | Sequence[int] = POOL_DEPTHS,
    accuracy: float | Sequence[float] = ACCURACY,
    rel: float = 1,
    gains: "Gains | Sequence[float] | Mapping[float, float]" = None,
    missing: SameTopics = "zero",
    grades: GradeMap | None = None,
    negative: str = "unjudged",
    progress: Progress | None = None,
    **options: Unpack[SourceOptions],
) -> Bounds | BoundsInAdvance:
    """Bound RBP, whatever the unjudged documents are.

    Bounds of rank-biased precision (RBP) are given by persistence p, depth of rankings and depth of the pool, with the
    judgments that tighter bounds would cost. Without files: the depth that each accuracy needs, and the largest p that
    each depth supports, which are known before anything is judged.

    Parameters
    ----------
    qrels : qrels, optional
        Judgments: a file, a dict, a frame, or what `read_qrels` returns.
    runs : runs, optional
        Rankings: files, dicts, frames, or what `read_runs` returns.
    p : float or sequence of float
        Persistence of RBP.
    depths : int or sequence of int
        Depths of rankings, for the tables depths and supports.
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
    progress : callable, optional
        Called with (done, of).
    **options
        Keywords on reading, as `evaluate` explains them: order, max_size, threads.

    Returns
    -------
    Bounds
        Lower and upper mean RBP by run, and the cost of judging.
    BoundsInAdvance
        Without files: tables 'cost' (depth by p and accuracy), 'depths' (residual by p and depth) and 'supports'.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take, or is about files where none are given.

    Notes
    -----
    Pool depth k keeps the judgments of documents that some of these runs ranks at k or above. For each accuracy the
    study counts how deep rankings must be judged and how many documents that takes. Topics that a run lacks are empty
    rankings, of which nothing is known.

    The tables `ap` and `ap_topics` have average precision (AP), which has no bounds, and its lowest and highest value
    if the unjudged documents of each ranking were judged: any number of them relevant, or exactly one (`_with_one`;
    topics without unjudged documents are left out of these means). Documents that a ranking does not hold stay as they
    are.

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

    Before anything is judged, with the numbers of the paper:

    >>> print(bounds(accuracy=0.0001).text(table="cost"))
         p  accuracy  depth
    0.5000    0.0001     14
    0.8000    0.0001     42
    0.9500    0.0001    180

    Command line
    ------------
        rankscale bounds qrels.txt runs/*.gz
        rankscale bounds qrels.txt runs/*.gz -p 0.9 --accuracy 0.01,0.001 --table cost
        rankscale bounds qrels.txt run.txt --table depths -o depths.tsv
        rankscale bounds --accuracy 0.0001 --depths 100
        rankscale bounds qrels.txt run.txt --table ap_topics
    """
    check_arguments(bounds, locals())
    both = tuple(sorted({*_several(p), *_several(grid)}))
    pools, accuracies = _several(pool_depths), _several(accuracy)
    requested = BoundsRequest(_several(p), _several(depths), both, pools, accuracies, rel, normal_form(gains))
    if qrels is None or runs is None:
        if not (qrels is None and runs is None):
            raise ParameterError("give qrels and runs, or neither")
        of_files = {"the grid of p": _several(grid) != GRID, "pool depths": pools != POOL_DEPTHS, "rel": rel != 1}
        of_files |= {"gains": gains is not None, "missing": missing != "zero", "grades": grades is not None}
        _without_files(of_files | {"negative": negative != "unjudged"} | dict.fromkeys(options, True))
        return BoundsInAdvance(requested.p, requested.depths, requested.accuracy)
    check_missing(missing, compared=True)
    reading, judging = Reading(**options), Judging(grades=grades, negative=negative)
    judgments, sources = read_qrels(qrels, max_size=reading.max_size), run_sources(runs)
    after = _steps(progress, len(sources) * (2 + len(requested.pool_depths)))
    read, reach = read_with_reach(judgments, sources, requested.deepest, after(0), reading)
    for depth in requested.pool_depths:
        check_depth(read, depth)
    evaluations: list[Evaluation] = []
    for number, pool in enumerate((None, *requested.pool_depths), start=1):
        kept = judgments if pool is None else judgments.keeping(reach.of_judgments <= pool)
        step = after(number * len(read))
        one = evaluate(kept, read, requested.measures, bounds=True, missing=missing, progress=step, **asdict(judging))
        evaluations.append(one)
        check_topics(one)
    full = evaluations[0]
    of_each = [one.extra_means() for one in evaluations]
    means = np.stack([[of[bound] for of in of_each] for bound in ("lower", "upper")])  # (bound, pool, measure, run)
    by_depth, by_p = np.split(means, [len(requested.p) * len(requested.depths)], axis=2)
    by_depth = by_depth.reshape(2, len(evaluations), len(requested.p), len(requested.depths), len(read))
    costs = tuple(_costs(requested, reach, judging.regraded(judgments), full, by_p[:, 0]))
    lengths = np.stack([run.completed(len(full.topics)).length for run in read])[full.retrieved]  # (ranking,)
    notices = (*full.notices, *notes(_cautions(requested, reach, lengths)))
    ap = _ap(AP(rel=rel), read, judging.regraded(judgments))
    return Bounds(full, requested, frozen(by_depth), frozen(by_p), costs, frozen(ap), notices)


def _ap(measure: AP, runs: Sequence[Run], qrels: Qrels) -> Floats:
    """(AP_COLUMNS, run, topic): AP of each ranking, and what judging its unjudged documents could make of it."""
    topics = len(qrels.topics)
    made = np.zeros((len(AP_COLUMNS), len(runs), topics))
    for number, run in enumerate(runs):
        whole = run.completed(topics)
        for which, judged in whole.blocks_by_size(qrels, int(run.length.max(initial=0))):
            values = measure.value(judged), *measure.if_judged(judged), *measure.if_judged(judged, 1)
            made[:, number, whole.rows[which]] = values
    return made


def _steps(progress: Progress | None, of: int) -> Callable[[int], Progress | None]:
    """The progress of each part of a work that counts from 0, by how many steps come before it."""
    return lambda before: progress and (lambda done, _: progress(before + done, of))


def _without_files(given: Mapping[str, bool]) -> None:
    """Raise ParameterError where an option is given, other than its default, that only matters to files."""
    for name, is_given in given.items():
        if is_given:
            raise ParameterError(f"{name}: without qrels and runs there is nothing to apply it to; leave it out")


def _several(numbers: Number | Sequence[Number]) -> tuple[Number, ...]:
    """Each number once, in the order they were given."""
    return tuple(dict.fromkeys([numbers] if isinstance(numbers, int | float) else list(numbers)))


def _costs(
    requested: BoundsRequest, reach: Reach, qrels: Qrels, evaluation: Evaluation, whole: Floats
) -> Iterator[tuple[Cell, ...]]:
    """Rows of the table `cost`; `whole` (bound, p of the grid, run) are bounds with the judgments there are."""
    topics: Bools = np.any(evaluation.retrieved, axis=0)
    count = int(np.count_nonzero(topics))
    residual = (whole[1] - whole[0]).max(axis=-1)
    for p, accuracy, depth in requested.needed:
        judged, missing = reach.documents(depth, qrels, topics)
        documents = None if missing is None else judged + missing
        per_topic = None if missing is None or not count else missing / count
        yield p, accuracy, depth, documents, judged, missing, per_topic, float(residual[requested.grid.index(p)])


def _cautions(requested: BoundsRequest, reach: Reach, length: Ints) -> Iterator[str]:
    if requested.accuracy and reach.nameless is not None:
        yield (
            f"run {reach.nameless} was read without the names of its documents, and unjudged ones cannot be counted; "
            "read it with keep_documents=True"
        )
    counted = 0
    for p, accuracy, depth in sorted(requested.needed, key=lambda one: one[2]):
        short = int(np.count_nonzero(length < depth))
        if short > counted:  # a lesser depth has the others in its warning
            counted = short
            yield (
                f"{short:,} of {len(length):,} rankings end before rank {depth:,}, which an accuracy of {accuracy:g} "
                f"with p={p:g} asks for: what may stand below their end stays open, however much is judged"
            )


def _bounds(bounds: Floats) -> dict[str, Floats]:
    """Columns of bounds (bound, ..., run), run by run and then in the order of the other dimensions."""
    lower, upper = np.moveaxis(bounds, -1, 1)
    return {"lower": lower, "upper": upper, "residual": upper - lower}


COMMAND = Declaration(
    bounds,
    source="optional runs",
    flags={"p": "-p --persistence"},
    shared=("missing", "relevance", "gains", "grades", "reading"),
    tables=("bounds", "depths", "persistence", "cost", "supports", "ap", "ap_topics"),
    tables_with={"bounds": "qrels", "persistence": "qrels", "ap": "qrels", "ap_topics": "qrels"},
)
