"""Standardised values: each topic measured by how a set of reference runs did on it, which changes their scale.

A topic that all runs find easy, or on which all do alike, then counts for as much as any other, and values of different
collections can be set side by side (Webber, Moffat and Zobel, SIGIR 2008). All kinds are the distribution function of
what one takes the values of a topic to follow: a normal distribution, a uniform one (Sakai, ICTIR 2016), or the values
that were observed (Urbano, de Lima and Hanjalic, SIGIR 2019); `z` is what the first two start from.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from rankscale.data.arguments import check_arguments
from rankscale.data.arrays import Bools, Floats, frozen
from rankscale.data.judged import Judged
from rankscale.data.names import listed
from rankscale.data.notices import notes
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.options import BOUNDS, TIES, TIES_ERROR
from rankscale.evaluation.result import Evaluation, expected
from rankscale.measures.base.measure import Measure, Numbers
from rankscale.stats.tests.base.test import SCALE_TYPES, NeededScale

SLOPE, MIDDLE = 0.15, 0.5  # Sakai's A and B
ROUNDING = 1e-12  # values that differ by no more are equal


@dataclass(frozen=True)
class Standardisation:
    """A way to standardise, and the scale of its values."""

    words: str
    best: NeededScale  # the strongest scale that standardised values can be on
    why: str  # what happens to the scale
    of: Callable[[Floats, Floats], Floats]  # values (run, topic), reference (run, topic)
    clips: bool = False  # whether values beyond the range are cut off at its ends


@dataclass(frozen=True)
class Standardised:
    """Values (run, topic) after standardisation."""

    kind: str
    values: Floats
    clipped: int  # values cut off at an end of the range

    def scale(self, before: NeededScale) -> NeededScale:
        """The scale of these values, given that of the values before; if some are clipped, only their order counts."""
        return min("ordinal" if self.clipped else "ratio", KINDS[self.kind].best, before, key=SCALE_TYPES.index)


def standardised(values: Floats, kind: str = "z", reference: Floats | None = None) -> Standardised:
    """Standardise values (run, topic) by those of the reference runs on the same topics, without one by themselves.

    A topic on which the reference runs do not vary (their values differ by 1e-12 at most) is undefined: NaN for every
    run, by every kind. So is a topic with fewer than two reference runs, and a value that was NaN before.

    >>> standardised(np.array([[1.0], [2.0], [3.0]]), "z").values.round(4).ravel().tolist()
    [-1.0, 0.0, 1.0]
    >>> standardised(np.array([[1.0], [2.0], [3.0]]), "uniform").values.round(4).ravel().tolist()
    [0.35, 0.5, 0.65]
    """
    if kind not in KINDS:
        raise UnknownNameError("standardisation", kind, KINDS, f"known: {', '.join(KINDS)}")
    reference = values if reference is None else reference
    if values.ndim != 2 or reference.ndim != 2 or values.shape[1] != reference.shape[1]:
        raise ParameterError(
            "values and reference runs are arrays (run, topic) over the same topics, "
            f"got shapes {values.shape} and {reference.shape}"
        )
    outcome = np.where(varies(reference) & ~np.isnan(values), KINDS[kind].of(values, reference), np.nan)
    clipped = np.count_nonzero((outcome <= 0) | (outcome >= 1)) if KINDS[kind].clips else 0
    return Standardised(kind, frozen(outcome), int(clipped))


def _z(values: Floats, reference: Floats) -> Floats:
    """Distance from the mean of the reference runs, in their standard deviations (n - 1)."""
    known = ~np.isnan(reference)
    count = known.sum(axis=0)
    filled = np.where(known, reference, 0.0)
    mean = filled.sum(axis=0) / np.maximum(count, 1)
    squares = (np.where(known, reference - mean, 0.0) ** 2).sum(axis=0)
    deviation = np.sqrt(squares / np.maximum(count - 1, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        z: Floats = (values - mean) / deviation
    return z


def _normal(values: Floats, reference: Floats) -> Floats:
    from scipy.special import ndtr

    shares: Floats = ndtr(_z(values, reference))
    return shares


def _uniform(values: Floats, reference: Floats) -> Floats:
    return np.clip(SLOPE * _z(values, reference) + MIDDLE, 0.0, 1.0)


def _empirical(values: Floats, reference: Floats) -> Floats:
    """The share of reference runs that are no better."""
    shares = np.empty(values.shape)
    for topic in range(values.shape[1]):
        known = np.sort(reference[~np.isnan(reference[:, topic]), topic])
        shares[:, topic] = np.searchsorted(known, values[:, topic], side="right") / max(len(known), 1)
    return shares


def varies(reference: Floats) -> Bools:
    """(topic,): whether two reference runs have values that differ, by more than rounding makes them."""
    low = np.where(np.isnan(reference), np.inf, reference).min(axis=0, initial=np.inf)
    high = np.where(np.isnan(reference), -np.inf, reference).max(axis=0, initial=-np.inf)
    varied: Bools = high - low > ROUNDING * np.maximum(1.0, np.abs(high))
    return varied


KINDS: Mapping[str, Standardisation] = {
    "z": Standardisation(
        "z-scores",
        "interval",
        "a linear map on each topic: equal steps stay equal, in standard deviations of the reference runs on it",
        _z,
    ),
    "normal": Standardisation(
        "normal distribution",
        "ordinal",
        "a curved map on each topic: steps near the mean grow and those far out shrink, the order of runs stays",
        _normal,
    ),
    "uniform": Standardisation(
        "uniform distribution (std-AB)",
        "interval",
        "z-scores times 0.15 plus 0.5: a linear map on each topic, unless values beyond 0 and 1 are cut off",
        _uniform,
        clips=True,
    ),
    "empirical": Standardisation(
        "empirical distribution",
        "ordinal",
        "the share of reference runs that are no better: only the order of values counts, and a mean of such "
        "shares speaks of these runs, not of the measure",
        _empirical,
    ),
}


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
    for measure, values, others in zip(evaluation.measures, _known(evaluation), _known(base), strict=True):
        outcome = standardised(values, kind, others)
        made.append(outcome.values)
        measures.append(StandardisedMeasure(measure, kind, outcome.scale(measure.scale_type(evaluation.judged_levels))))
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
