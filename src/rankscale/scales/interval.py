"""Interval: any measure on an interval scale; the interval version of a measure, or why there is none.

The floor effect: on long rankings nearly every real one is near the bottom of the scale, and one topic decides.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, Unpack

import numpy as np

from rankscale.data.arrays import FINE_DIGITS, Floats, Ints
from rankscale.errors import ScaleError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Missing
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure, ScaleType
from rankscale.measures.base.parameters import param
from rankscale.measures.base.parser import parse
from rankscale.scales.brackets.points import SMALLEST
from rankscale.scales.on_scale import OnScale
from rankscale.scales.plan import METHODS
from rankscale.scales.question import SURROGATE, UniverseName, make_question, notes_on
from rankscale.scales.scale import Scale

NEAR_ONE = 1e-13  # how near to 1 doubles are too far apart for many ranks
NOT_INTERVAL = {
    "mid": "mean ranks of ties among all rankings are not equally spaced: this is not an interval scale",
    "min": "lowest ranks of ties among all rankings are not equally spaced: this is not an interval scale",
    "max": "highest ranks of ties among all rankings are not equally spaced: this is not an interval scale",
    "log10": "logarithms of ranks are for looking at long rankings: this is not an interval scale",
}
FORMS = ("normalised", "rank", *NOT_INTERVAL)
FLOOR = 0.01  # values below this are on the floor
CROWDED = 0.5  # share of values there from which a warning is given
SOME = 0.25  # share of values there without which a decisive topic is one among few, and no floor
DECISIVE = 0.5  # share of a run's sum that one topic has, from which it decides the mean


@dataclass(frozen=True)
class Interval(OnScale):
    """Another measure mapped to an interval scale: the place of its value among all values it can take.

    The values that the measure takes over all rankings of its length are put in order, and each is replaced by its
    rank, from 1, equal values once; so neighbours are one step apart. Printed is (rank - 1) / (K - 1), K the number of
    values; `form='rank'` gives the rank itself. DCG(base=2) takes 12 values over the 16 rankings of length 4, and this
    one has the sixth:

    >>> from rankscale.data.judged import judged
    >>> from rankscale.measures.dcg import DCG
    >>> Interval(DCG(base=2, depth=4), form="rank").value(judged("1 0 0 1"))
    array([6.])

    `universe='feasible'` keeps the rankings that the topic's documents allow. Three forms are not interval scales, and
    are labelled so: `form='mid'`, 'min' and 'max' give tied rankings the mean, the lowest or the highest of their ranks
    among all rankings, as published tables do; `form='log10'` is the logarithm of the rank, to look at long rankings
    with, whose normalised ranks are all near 0.

    Formula
    -------
    (phi - 1) / (K - 1), phi how many of the K values over all rankings of k documents do not exceed the measure's

    References
    ----------
    Ferrante, Ferro and Fuhr, Towards Meaningful Statements in IR Evaluation: Mapping Evaluation Measures to Interval
    Scales, IEEE Access 9, 2021
    """

    scale: ClassVar = "interval"
    mean_digits: ClassVar[int] = FINE_DIGITS
    example: ClassVar[str] = "Interval(DCG(base=2)@10)"
    undefined: ClassVar[str] = "the measure has one value only, as where a topic has nothing relevant"

    form: Literal["normalised", "rank", "log10", "mid", "min", "max"] = param(
        "normalised",
        help="'normalised' from 0 to 1, 'rank' from 1 to the number of values; no interval scales: 'log10' of the "
        "rank, and 'mid', 'min', 'max' for the mean, lowest or highest rank of ties among all rankings",
    )
    universe: UniverseName | None = param(
        None,
        choices=(None, "all", "feasible"),
        help="'all' rankings, or those that the topic's documents make 'feasible'",
    )
    method: str = param("auto", choices=METHODS, help="how to count: 'auto', 'exact', 'certified' or 'estimated'")
    deduplicate: str = param(
        "exact",
        choices=("exact", "float"),
        help="'exact', or 'float' to count distinct floating-point sums of AP, as published tables did",
    )

    @property
    def counting(self) -> tuple[UniverseName | None, str, str]:
        """The rankings that the scale is over, how values are counted, and how they are told apart."""
        return self.universe, self.method, self.deduplicate

    @property
    def interval_of(self) -> Measure:
        """The measure inside."""
        return self.of

    def scale_type(self, levels: Sequence[float]) -> ScaleType:  # noqa: ARG002  # ranks are equally spaced for any
        """Interval, except for forms that are not equally spaced, which are ordinal."""
        return "ordinal" if self.form in NOT_INTERVAL else "interval"

    @property
    def topic_scales(self) -> bool:
        """Whether the scale depends on the topic's documents."""
        return self.uses_recall_base or not self.shared

    def _read(self, scale: Scale, places: Ints, end: int | None) -> Floats:
        """(ranking,): values in the requested form, or one end of their brackets."""
        if self.form == "rank":
            return _as_floats(self, scale.ranks_of_places(places))
        if self.form == "log10":
            return scale.log10_ranks_of_places(places)
        if self.form != "normalised":
            return _as_floats(self, scale.tie_ranks_of_places(places, self.form))
        return scale.normalised_places(places) if end is None else scale.bracket_places(places)[end]

    def cautions(self, values: Floats, levels: Floats, highest: float) -> Iterator[str]:
        """That means mix scales where the recall base is used, that one topic decides, that ranks are not exact."""
        if self.uses_recall_base:
            yield SURROGATE
        floor = floor_effect(values) if self.form == "normalised" else None
        if floor and floor.warning:
            yield floor.warning
        if self.form in NOT_INTERVAL:
            yield NOT_INTERVAL[self.form]
        if self.shared:
            scale = self.scale_for(levels, highest)
            provenance = scale.provenance
            if provenance.kind == "certified" and self.form == "log10":
                yield "values are approximations, right to some percent of the rank; scale() has certified bounds"
            elif provenance.kind in {"certified", "estimated"}:
                yield f"values are {provenance}"
                yield from _lost(values)
            if provenance.kind == "certified" and self.form == "normalised" and scale.excess > 0:
                yield f"values keep the order of the measure, and can lie {scale.excess:.0e} outside of their brackets"

    def remark(self) -> str:
        """Notes on the scale."""
        question = make_question(self.of, (0, 1), 1 if self.uses_recall_base else None, self.universe, None)
        return "; ".join(notes_on(question))


def _lost(values: Floats) -> Iterator[str]:
    """What doubles cannot tell about normalised ranks."""
    tiny = np.count_nonzero((values > 0) & (values < SMALLEST))
    if tiny:
        yield (
            f"{tiny:,} of the values are below {SMALLEST:g}, where doubles end: they show the order of rankings and "
            "not how far these are apart; form='log10' does"
        )
    near_one = np.count_nonzero(values > 1 - NEAR_ONE)
    if near_one > 1:
        yield f"{near_one:,} of the values are within {NEAR_ONE:g} of 1, where distinct ranks can fall into one double"


def _as_floats(measure: Interval, ranks: Sequence[int | Fraction]) -> Floats:
    try:
        return np.array([float(rank) for rank in ranks])
    except OverflowError:
        raise ScaleError(f"{measure}: ranks this large do not fit in floats; leave form={measure.form!r} out") from None


@dataclass(frozen=True)
class Floor:
    """How many values lie on the floor, and how much of the means hangs on one topic.

    A rank counts all rankings that are no better, and nearly all rankings of a length have half of their documents
    relevant. The few relevant documents of a real ranking of 100 put it below a share of 1e-8 of them. A run's mean
    over topics is then about the value of its best topic, over the number of topics.
    """

    share: float  # of values below FLOOR
    leverage: float  # median over runs of the share of the sum that the run's best topic has
    topics: int

    @property
    def warning(self) -> str:
        """The warning to show; empty where there is none."""
        if self.topics > 2 and self.leverage >= DECISIVE and self.share >= SOME:
            return (
                f"one topic decides the mean of a run: in half of the runs that with the highest value has "
                f"{self.leverage:.0%} of the sum or more, and {self.share:.0%} of the values lie below {FLOOR}; "
                "a smaller depth would separate the runs better"
            )
        if self.share >= CROWDED:
            return f"{self.share:.0%} of the values lie below {FLOOR}: nearly all rankings of this length are better"
        return ""


def floor_effect(values: Floats) -> Floor | None:
    """The floor effect of normalised values (run, topic), NaN where undefined; None if all are."""
    defined = ~np.isnan(values)
    if not defined.any():
        return None
    filled = np.where(defined, values, 0.0)
    sums = filled.sum(axis=-1)
    some = sums > 0
    leverage = float(np.median(filled[some].max(axis=-1) / sums[some])) if some.any() else 0.0
    share = float((filled[defined] < FLOOR).mean())
    return Floor(share, leverage, int(np.count_nonzero(defined.any(axis=0))))


class VersionOptions(EvaluateOptions, total=False):
    """Keywords of `evaluate` that decide which values are measured."""

    missing: Missing


@dataclass(frozen=True)
class NotKnown:
    """Why there are no values on an interval scale."""

    reason: str


def interval_version(measure: str | Measure) -> Interval | None:
    """The interval version of a measure; None if it is one, takes no depth here, or looks at more than grades."""
    requested = parse(measure)
    return None if why_no_version(requested) else Interval(requested)


def interval_evaluation(
    qrels: QrelsLike, runs: RunsLike, measure: str | Measure, **options: Unpack[VersionOptions]
) -> Evaluation | NotKnown:
    """Measure the interval version of a measure; NotKnown where there is none or it cannot be counted."""
    version = interval_version(measure)
    if version is None:
        return NotKnown(why_no_version(parse(measure)))
    try:
        return evaluate(qrels, runs, version, **options)
    except ScaleError as error:
        return NotKnown(str(error))


def why_no_version(measure: Measure) -> str:
    """Why a measure has no interval version that can be evaluated; empty where it has one."""
    if measure.interval_of is not None:
        return f"{measure} is on one itself"
    if measure.needs_scores:
        return "it looks at scores"
    if measure.looks_at:
        return f"it looks at {measure.looks_at}"
    if measure.depth is not None:
        return ""
    return "no length is fixed" if measure.takes_depth else "it takes no length"
