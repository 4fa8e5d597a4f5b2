"""How far measures with shallow pools order runs as other measures do with a deep one.

Each measure orders the runs, at each depth of the pool, and so do the references at a depth of their own. A measure
that gives with a few judgments the order that another gives with many is the cheaper one (Moffat and Zobel, TOIS 27(1),
2008, Table III).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Unpack

import numpy as np

from rankscale.data.arguments import AtLeast, Declaration, OneOf, Share, check_arguments
from rankscale.data.arrays import Floats, frozen
from rankscale.data.notices import Notice
from rankscale.data.table import Table
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.options import EvaluateOptions, Progress, SameTopics
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse_all
from rankscale.stats.correlation.correlations import METHODS
from rankscale.stats.correlation.rank_correlations import CorrelationVerdict
from rankscale.studies.correlate import reading_of_tau
from rankscale.studies.robustness import Robustness, robustness
from rankscale.studies.support.selection import compared
from rankscale.studies.support.study import ArrayOfCells, Study, table_of_arrays

REFERENCES = ("RR", "P@10", "Rprec", "AP")  # the columns of the paper's table
MEASURES = (*REFERENCES, "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "nDCG(base=2)")  # and its rows
DEPTHS = (10, 100)


@dataclass(frozen=True, eq=False, repr=False)
class PoolOrders(Study):
    """Result of `pool_orders`: orders of runs at several depths of the pool, against those of references.

    Attributes
    ----------
    evaluation : Evaluation
        Values with all judgments, of the measures and the references.
    measures : tuple of Measure
        Measures of the rows.
    depths : tuple of int
        Depths of the pool at which the measures of the rows are computed.
    references : tuple of Measure
        Measures of the columns.
    reference_depth : int, optional
        Depth of the pool at which the measures of the columns are computed; None for all judgments.
    method : str
        Correlation coefficient.
    correlation : array of float
        (measure, depth, reference): of the means of runs; NaN where it is undefined.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    evaluation: Evaluation
    measures: tuple[Measure, ...]
    depths: tuple[int, ...]
    references: tuple[Measure, ...]
    reference_depth: int | None
    method: str
    correlation: Floats
    notices: tuple[Notice, ...]

    def tables(self) -> Mapping[str, Table]:
        """The references side by side, and one row for each two orders."""
        references = tuple(map(str, self.references))
        measures, depths = {"measure": tuple(map(str, self.measures))}, {"pool_depth": self.depths}
        orders = dict(zip(references, np.moveaxis(self.correlation, -1, 0), strict=True))
        pairs: dict[str, ArrayOfCells] = {"reference_depth": self.reference_depth, "value": self.correlation}
        if METHODS[self.method].read:
            readings = [self.reading(*place) for place in np.ndindex(self.correlation.shape)]
            pairs["reading"] = np.reshape(readings, self.correlation.shape)
        return {
            "orders": table_of_arrays([measures, depths], orders),
            "pairs": table_of_arrays([measures, depths, {"reference": references}], pairs),
        }

    def reading(self, measure: int, depth: int, reference: int) -> CorrelationVerdict:
        """Interpretation of tau; its sign is turned if low is good for one of the two measures only."""
        value = float(self.correlation[measure, depth, reference])
        return reading_of_tau(value, self.measures[measure], self.references[reference])

    @property
    def settings(self) -> Mapping[str, object]:
        """The depths and the coefficient."""
        return {
            "study": "pool-orders",
            "method": self.method,
            "pool-depths": self.depths,
            "reference": tuple(map(str, self.references)),
            "reference-depth": "all" if self.reference_depth is None else self.reference_depth,
        }

    def sentence(self) -> str:
        """What rows and columns are."""
        deep = "all judgments" if self.reference_depth is None else f"the judgments of a pool of {self.reference_depth}"
        return (
            f"{METHODS[self.method].words} between the orders of {len(self.evaluation.runs)} runs by the measures of "
            f"the rows, with the judgments of a pool of that depth, and by those of the columns, with {deep}."
        )


def pool_orders(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure] = MEASURES,
    *,
    pool_depths: Sequence[int] = DEPTHS,
    references: str | Measure | Iterable[str | Measure] | None = None,
    reference_depth: Annotated[int, AtLeast(1)] | None = None,
    method: Annotated[str, OneOf(METHODS)] = "tau_b",
    pooled: Iterable[str] | None = None,
    top: Share | None = None,
    rel: float = 1,
    missing: SameTopics = "zero",
    progress: Progress | None = None,
    **options: Unpack[EvaluateOptions],
) -> PoolOrders:
    """Correlate orders of runs at different depths of the pool.

    Rows are measures at each depth of the pool, columns the references at a depth of their own: how far a measure with
    few judgments gives the order that another gives with many.

    Parameters
    ----------
    qrels, runs, missing, progress, **options
        As in `evaluate`: judged_only, depth, grades, negative, order, max_size, threads, executor; not missing='skip'.
    measures : str, Measure or several
        Measures of the rows, as names or objects.
    pool_depths : sequence of int
        Depths of the pool at which the measures of the rows are computed.
    references : str, Measure or several, default the measures of the rows
        Measures of the columns, with which those of the rows are compared.
    reference_depth : int, default all judgments
        Depth of the pool at which the measures of the columns are computed.
    method : str
        Correlation coefficient, as in `correlate`.
    pooled : sequence of str, default all runs
        Names of the runs whose documents are pooled.
    top : float, default all runs
        Use only this share of the runs, the best by mean AP.
    rel : float
        Lowest relevant grade, by which the best runs are chosen.

    Returns
    -------
    PoolOrders
        The coefficient of each row and column.

    Raises
    ------
    ParameterError
        If there is no measure or no depth of the pool.

    Notes
    -----
    A pool holds the judgments of documents that some run ranks at its depth or above, no more than were made. Means are
    rounded to 8 significant digits before they are compared.

    Examples
    --------
    >>> qrels = {"1": {"a": 1, "b": 0, "c": 1}}
    >>> runs = {"x": {"1": {"a": 3, "b": 2, "c": 1}}, "y": {"1": {"b": 2, "c": 1}}, "z": {"1": {"d": 1}}}
    >>> print(pool_orders(qrels, runs, ["RR", "P@2"], pool_depths=[1, 2], references="AP"))
    measure  pool_depth      AP
    RR                1  0.8165
    RR                2  1.0000
    P@2               1  0.8165
    P@2               2  0.8165
    <BLANKLINE>
    Kendall's tau-b between the orders of 3 runs by the measures of the rows, with the judgments of a pool of that \
depth, and by those of the columns, with all judgments.

    Command line
    ------------
        rankscale pool-orders qrels.txt runs/*.gz --reference AP --reference RR --reference-depth 100
        rankscale pool-orders qrels.txt runs/*.gz -m AP -m 'RBP(p=0.8)' --pool-depths 5,10,20,50
        rankscale pool-orders qrels.txt runs/*.gz -m AP --method spearman --table pairs -o orders.tsv
    """
    check_arguments(pool_orders, locals())
    if method not in METHODS:
        raise UnknownNameError("correlation", method, METHODS, f"there are {', '.join(METHODS)}")
    rows = parse_all(measures)
    columns = rows if references is None else parse_all(references)
    depths = tuple(dict.fromkeys(pool_depths))
    if not depths or not rows or not columns:
        raise ParameterError("orders are compared: give a measure and a depth of the pool, such as 10, or more")
    deep = depths if reference_depth is None else (*depths, reference_depth)
    study = robustness(
        qrels,
        runs,
        tuple(dict.fromkeys([*rows, *columns])),
        sampling="depth",
        sizes=deep,
        pooled=pooled,
        top=top,
        rel=rel,
        missing=missing,
        progress=progress,
        **options,
    )
    shallow = np.stack([_means(study, rows, depth) for depth in depths], axis=1)  # (measure, depth, run)
    reference = _means(study, columns, reference_depth)  # (reference, run)
    correlation = METHODS[method].coefficient(shallow[:, :, None], reference[None, None])
    return PoolOrders(
        evaluation=study.evaluation,
        measures=rows,
        depths=depths,
        references=columns,
        reference_depth=reference_depth,
        method=method,
        correlation=frozen(np.asarray(correlation, dtype=np.float64)),
        notices=study.notices,
    )


def _means(study: Robustness, measures: Sequence[Measure], depth: int | None) -> Floats:
    """(measure, run): rounded means with the pool of a depth, or with all judgments."""
    every = study.full_means if depth is None else study.means[:, study.sizes.index(float(depth)), 0]
    places = [study.evaluation.measures.index(measure) for measure in measures]
    return compared(every[places], measures)


COMMAND = Declaration(
    pool_orders,
    source="runs",
    measures=MEASURES,
    flags={"references": "--reference"},
    shared=("collections", "missing", "judging", "reading"),
    tables=("orders", "pairs"),
)
