"""Precision by recall, once for each grade: with that grade and higher ones as relevant, or with that grade alone.

Järvelin and Kekäläinen (IR Evaluation Methods for Retrieving Highly Relevant Documents, SIGIR 2000; taken up again in
Cumulated Gain-Based Evaluation of IR Techniques, TOIS 20(4), 2002) draw recall and precision at each level of relevance
by itself: this shows whether a technique is better at highly relevant documents, or only at relevant ones.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Unpack

import numpy as np

from rankscale.data.arguments import Declaration, Grades, check_arguments
from rankscale.data.arrays import Floats, Ints, frozen
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.data.table import Column, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import (
    EvaluateOptions,
    GradingOptions,
    Missing,
    Progress,
    judging_of,
    reading_of,
)
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels, read_with_progress
from rankscale.measures.iprec import IPrec
from rankscale.studies.support.study import ArrayOfCells, Study, table_of_arrays

RECALLS = (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)


@dataclass(frozen=True, eq=False, repr=False)
class RecallPrecision(Study):
    """Result of `recall_precision`: a curve for each run and threshold.

    Attributes
    ----------
    evaluation : Evaluation
        Interpolated precision of each run and topic; a measure for each threshold and level of recall.
    thresholds : tuple of float
        Lowest relevant grades, ascending.
    exactly : bool
        Whether only documents of exactly that grade are relevant.
    recalls : tuple of float
        Levels of recall.
    precision : array of float
        (threshold, run, recall): interpolated precision, mean over topics.
    relevant_topics : array of int
        (threshold,): topics that have a relevant document.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    evaluation: Evaluation
    thresholds: tuple[float, ...]
    exactly: bool
    recalls: tuple[float, ...]
    precision: Floats
    relevant_topics: Ints
    notices: tuple[Notice, ...]

    @property
    def settings(self) -> Mapping[str, object]:
        """The thresholds, whether they are the only relevant grade, and the levels of recall."""
        exactly = {"exactly": True} if self.exactly else {}
        return {"study": "recall-precision", "thresholds": self.thresholds, **exactly, "recalls": self.recalls}

    def tables(self) -> Mapping[str, Table]:
        """A row for each curve, and a row for each point."""
        topics = self.evaluation.means().counted[0]  # (run,)
        thresholds, runs = {"threshold": [as_written(one) for one in self.thresholds]}, {"run": self.evaluation.runs}
        curves: dict[str, ArrayOfCells] = {"topics": topics}
        curves |= {f"{recall:g}": self.precision[..., place] for place, recall in enumerate(self.recalls)}
        curves["mean"] = np.ascontiguousarray(self.precision).mean(axis=-1)
        points = {"precision": self.precision.swapaxes(0, 1), "topics": topics[:, None, None]}
        shown = Column("threshold", align="right", plain=True)
        return {
            "curves": table_of_arrays([thresholds, runs], curves).with_columns(shown),
            "points": table_of_arrays([runs, thresholds, {"recall": self.recalls}], points),
        }

    def sentence(self) -> str:
        """How to read the table."""
        relevant = "exactly the threshold, and not if it is higher" if self.exactly else "the threshold or higher"
        return (
            "Interpolated precision at levels of recall, mean over topics, as trec_eval computes it. A document is "
            f"relevant if its grade is {relevant}."
        )


def recall_precision(
    qrels: QrelsLike,
    runs: RunsLike,
    *,
    thresholds: Grades | None = None,
    exactly: bool = False,
    recalls: Sequence[float] = RECALLS,
    missing: Missing = "zero",
    progress: Progress | None = None,
    **options: Unpack[EvaluateOptions],
) -> RecallPrecision:
    """Measure precision by recall at each grade.

    Precision is interpolated, as in trec_eval: at a level of recall it is the highest precision at that recall or any
    higher. Each grade above 0 is taken as the lowest relevant one in turn, so that runs good at highly relevant
    documents can be told from those good at relevant ones; or, on request, each as the only relevant one.

    Parameters
    ----------
    qrels, runs
        As in `evaluate`.
    thresholds : sequence of float, default every grade above 0
        Lowest relevant grades, such as 1,3.
    exactly : bool
        Count as relevant only documents of exactly that grade, neither lower nor higher: each level by itself.
    recalls : sequence of float
        Levels of recall.
    missing : {'zero', 'skip', 'common', 'error'}
        Topics that a run lacks: an empty ranking, left out of its means, left out for all runs, or an error.
    progress : callable, optional
        Called with (done, of).
    **options
        Keywords on reading, judging and evaluating: judged_only, depth, grades, negative, order, executor, max_size,
        threads.

    Returns
    -------
    RecallPrecision
        Mean precision by threshold, run and recall.

    Raises
    ------
    ParameterError
        If a threshold is no grade above 0 of the qrels, or recalls are fewer than two.

    Notes
    -----
    Where a topic has no document of a grade, its precision is 0, as in trec_eval.

    Examples
    --------
    >>> qrels = {"1": {"a": 2, "b": 1, "c": 0}}
    >>> result = recall_precision(qrels, {"mine": {"1": {"b": 3, "c": 2, "a": 1}}}, recalls=(0, 0.5, 1))
    >>> print(result.text(2, "curves"))
    threshold  run   topics     0   0.5     1  mean
            1  mine       1  1.00  1.00  0.67  0.89
            2  mine       1  0.33  0.33  0.33  0.33

    Each grade by itself: the document of grade 2 is no longer relevant at grade 1.

    >>> ranking = {"mine": {"1": {"b": 3, "c": 2, "a": 1}}}
    >>> print(recall_precision(qrels, ranking, recalls=(0, 0.5, 1), exactly=True).text(2, "curves"))
    threshold  run   topics     0   0.5     1  mean
            1  mine       1  1.00  1.00  1.00  1.00
            2  mine       1  0.33  0.33  0.33  0.33

    Command line
    ------------
        rankscale recall-precision qrels.txt runs/*.gz
        rankscale recall-precision qrels.txt runs/*.gz --thresholds 1,3
        rankscale recall-precision qrels.txt runs/*.gz --exactly
        rankscale recall-precision qrels.txt runs/*.gz --table points -o points.tsv
    """
    check_arguments(recall_precision, locals())
    judgments = read_qrels(qrels, max_size=options.get("max_size"))
    seen = judging_of(options).regraded(judgments)
    wanted = _checked(thresholds, seen, exactly=exactly)
    levels = _checked_recalls(recalls)
    measures = [[IPrec(recall=recall, rel=threshold) for recall in levels] for threshold in wanted]
    if exactly:
        read = read_with_progress(judgments, runs, reading_of(options), progress)
        evaluation = _each_grade(judgments, seen, read, measures, missing, options)
    else:
        every = list(chain.from_iterable(measures))
        evaluation = evaluate(judgments, runs, every, missing=missing, progress=progress, **options)
    means = evaluation.means().values.reshape(len(wanted), len(levels), len(evaluation.runs)).swapaxes(1, 2)
    having = np.array([np.count_nonzero(_of_grade(seen, one, exactly=exactly).recall_base(one)) for one in wanted])
    # That lower grades do not count is what thresholds are for.
    others = tuple(notice for notice in evaluation.notices if notice.kind != "grades below rel")
    notices = (*others, *notes(_cautions(wanted, having, len(seen.topics), exactly=exactly)))
    return RecallPrecision(evaluation, wanted, exactly, levels, frozen(means), frozen(having), notices)


def _of_grade(qrels: Qrels, grade: float, *, exactly: bool) -> Qrels:
    """The qrels; for exactly this grade, higher ones are not relevant."""
    higher = qrels.levels[qrels.levels > grade].tolist()
    return qrels.conflated(dict.fromkeys(higher, 0.0)) if exactly and higher else qrels


def _each_grade(
    qrels: Qrels,
    seen: Qrels,
    runs: Sequence[Run],
    measures: Sequence[Sequence[IPrec]],
    missing: Missing,
    options: EvaluateOptions,
) -> Evaluation:
    """Values of the measures of each grade, with higher grades as not relevant; `seen` are the qrels regraded."""
    plain = evaluate(qrels, runs, measures[0][:1], missing=missing, **options)  # its options, and its notices
    others = {name: value for name, value in options.items() if name not in GradingOptions.__annotations__}
    values = [
        evaluate(_of_grade(seen, several[0].rel, exactly=True), runs, several, missing=missing, **others).values  # type: ignore[arg-type]
        for several in measures
    ]
    return replace(plain, measures=tuple(chain.from_iterable(measures)), values=frozen(np.concatenate(values)))


def _checked(thresholds: Iterable[float] | None, qrels: Qrels, *, exactly: bool) -> tuple[float, ...]:
    """The thresholds, ascending; ParameterError where one cannot be, or where no grade is above 0."""
    highest = float(qrels.levels.max(initial=0))
    if highest <= 0:
        raise ParameterError(f"{qrels.source} has no grade above 0: there is nothing to recall")
    if thresholds is None:
        return tuple(qrels.levels[qrels.levels > 0].tolist())
    wanted = tuple(sorted({float(threshold) for threshold in thresholds}))
    refused = [threshold for threshold in wanted if not 0 < threshold <= highest]
    refused += [one for one in wanted if exactly and one not in qrels.levels and one not in refused]
    if refused or not wanted:
        got = ", ".join(f"{threshold:g}" for threshold in refused) or "none"
        there = ", ".join(f"{level:g}" for level in qrels.levels[qrels.levels > 0])
        which = f" that occur, {there}," if exactly else f", up to {highest:g}, the highest"
        raise ParameterError(f"thresholds are grades above 0{which} in {qrels.source}; got {got}")
    return wanted


def _checked_recalls(recalls: Iterable[float]) -> tuple[float, ...]:
    levels = tuple(sorted({float(recall) for recall in recalls}))
    if len(levels) < 2 or not 0 <= levels[0] < levels[-1] <= 1:
        got = ", ".join(f"{recall:g}" for recall in levels) or "none"
        raise ParameterError(f"recalls are two or more levels between 0 and 1, got {got}")
    return levels


def _cautions(thresholds: Sequence[float], having: Ints, topics: int, *, exactly: bool) -> Iterator[str]:
    for threshold, there in zip(thresholds, having.tolist(), strict=True):
        if there < topics:
            number = f"{topics - there} of {topics} topics"
            grade = f"grade {threshold:g}{'' if exactly else ' or higher'}"
            yield f"{number} have no document of {grade}; their precision is 0, as in trec_eval"


def as_written(grade: float) -> int | float:
    """A grade as people write it."""
    return int(grade) if grade.is_integer() else grade


COMMAND = Declaration(
    recall_precision,
    source="runs",
    shared=("missing_of_runs", "grades", "judged_only", "cut", "reading"),
    tables=("curves", "points"),
)
