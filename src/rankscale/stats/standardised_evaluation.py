"""An evaluation with standardised values: a transformation that changes what scale they are on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rankscale.data.arguments import check_arguments
from rankscale.data.arrays import Floats, frozen
from rankscale.data.judged import Judged
from rankscale.data.names import listed
from rankscale.data.notices import notes
from rankscale.errors import ParameterError
from rankscale.evaluation.result import BOUNDS, TIES, TIES_ERROR, Evaluation, expected
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.stats.standardising import KINDS, standardised, varies


@dataclass(frozen=True)
class StandardisedMeasure(Measure):
    """Another measure relative to how reference runs did on each topic; nothing can be measured by it alone.

    Formula
    -------
    the values of another measure, topic by topic relative to those of reference runs

    References
    ----------
    Webber, Moffat and Zobel, SIGIR 2008
    """

    name: ClassVar[str] = "Standardised"
    takes_depth: ClassVar[bool] = False

    of: Measure
    kind: str
    on: str  # the scale of these values

    def __post_init__(self) -> None:
        # What each topic adds or stretches is gone: topics no longer have scales of their own.
        kept = {"low_is_good": self.of.low_is_good, "scale_known": self.of.scale_known}
        for name, value in {"scale": self.on, "uses_recall_base": False, **kept}.items():
            object.__setattr__(self, name, value)
        super().__post_init__()

    def scale_condition(self, levels: Sequence[float]) -> str:
        """That of the measure, where its scale is kept."""
        return self.of.scale_condition(levels) if self.on == "interval" else ""

    def total(self, judged: Judged) -> Numbers:  # noqa: ARG002
        """Not of one ranking."""
        raise ParameterError(f"{self} is relative to other runs: evaluate {self.of}, then standardise the evaluation")

    def __str__(self) -> str:
        return f"{self.kind}({self.of})"


def standardise(evaluation: Evaluation, kind: str = "z", reference: Evaluation | None = None) -> Evaluation:
    """Standardise values per topic, relative to those of all runs of the evaluation or of reference runs.

    Parameters
    ----------
    evaluation : Evaluation
        The values to standardise.
    kind : {'z', 'normal', 'uniform', 'empirical'}
        'z' gives standard deviations from the mean of the topic; 'normal' the share of a normal distribution below
        that; 'uniform' 0.5 + 0.15 z, kept between 0 and 1; 'empirical' the share of reference runs that are not better.
        A topic on which the reference runs do not vary is undefined (NaN) by every kind; a notice counts these.
    reference : Evaluation, optional
        Values of the reference runs, on the same topics and by the same measures; the evaluation itself by default.

    Returns
    -------
    Evaluation
        Standardised values, of measures such as z(AP); bounds and tie ranges are left out.

    Raises
    ------
    ParameterError
        The reference runs have other topics or measures.
    UnknownNameError
        There is no such kind.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {"1": {"a": 1, "b": 1}}
    >>> runs = {name: {"1": ranking} for name, ranking in {"x": {"a": 1}, "y": {"c": 2, "b": 1}, "z": {"c": 1}}.items()}
    >>> print(rs.standardise(rs.evaluate(qrels, runs, "RR")).means())
    run  topics    z(RR)
    x         1   1.0000
    y         1   0.0000
    z         1  -1.0000
    """
    check_arguments(standardise, locals())
    expected(evaluation, "standardise")
    base = evaluation if reference is None else reference
    expected(base, "standardise")
    if base.topics != evaluation.topics or tuple(map(str, base.measures)) != tuple(map(str, evaluation.measures)):
        raise ParameterError("reference runs must be evaluated on the same topics and measures")
    made, measures = [], []
    undefined: list[str] = []
    levels = [level for level in evaluation.levels if level >= 0]
    for measure, values, others in zip(evaluation.measures, _known(evaluation), _known(base), strict=True):
        outcome = standardised(values, kind, others)
        made.append(outcome.values)
        measures.append(StandardisedMeasure(measure, kind, outcome.scale(measure.scale_type(levels))))
        undefined += _undefined(measures[-1], base, others)
    kept: dict[str, Any] = dict.fromkeys((*BOUNDS, *TIES, TIES_ERROR))  # these are not transformed
    signature = f"standardised:{kind}|{evaluation.signature}"
    notices = (*evaluation.notices, *notes([f"{KINDS[kind].words}: {KINDS[kind].why}", *undefined]))
    return replace(
        evaluation,
        measures=tuple(measures),
        values=frozen(np.array(made)),
        signature=signature,
        notices=notices,
        **kept,
    )


def _undefined(measure: Measure, base: Evaluation, reference: Floats) -> Iterator[str]:
    """A sentence about topics on which the reference runs, (run, topic), do not vary."""
    lacking = [base.topics[place] for place in np.flatnonzero(~varies(reference)).tolist()]
    if lacking:
        are = f"of {len(base.topics):,} topics {'is' if len(lacking) == 1 else 'are'}"
        why = f"undefined, since the reference runs do not vary there ({listed(lacking)})"
        yield f"{measure}: {len(lacking):,} {are} left out, {why}"


def _known(evaluation: Evaluation) -> Floats:
    """(measure, run, topic): values, NaN where a run lacks the topic."""
    return np.where(evaluation.retrieved, evaluation.values, np.nan)
