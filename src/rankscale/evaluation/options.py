"""Options that `evaluate`, `curves` and studies share, and the signature: all that values depend on, in one line."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self, TypedDict, get_args

import numpy as np

from rankscale import __version__
from rankscale.data.arguments import Positive
from rankscale.data.arrays import Floats
from rankscale.data.notices import Notice, by_key, notes
from rankscale.data.orders import ORDERS, TieOrders
from rankscale.data.qrels import Qrels
from rankscale.errors import BoundsError, ParameterError, Setting
from rankscale.executors import Executor
from rankscale.inputs.options import Reading, SourceOptions
from rankscale.measures.base.gains import normal_form
from rankscale.measures.base.measure import Measure, canonical_text

GradeMap = Mapping[float, float] | Sequence[float]
Missing = Literal["zero", "skip", "common", "error"]  # the rule for topics of the qrels that a run lacks
SameTopics = Literal["zero", "common", "error"]  # where runs are compared topic by topic
Ties = Literal["trec", "expected", "range"]
Summary = Literal["mean", "median", "quantiles"]  # how the topics of a run are summed up
IntervalMethod = Literal["percentile", "bca", "student"]  # of intervals of means
ConfidenceShown = Literal["means", "places", "both"]  # whose intervals tables have
BOUNDS, TIES, TIES_ERROR = ("lower", "upper"), ("ties_lower", "ties_upper"), "ties_error"  # names of extra columns
SHARES = (0.1, 0.25, 0.5, 0.75, 0.9)  # of quantiles, unless others are requested
Progress = Callable[[int, int], None]  # called with the number of runs or steps done, and of all


class GradingOptions(TypedDict, total=False):
    """Keywords on what grades mean."""

    grades: GradeMap | None
    negative: str


class JudgingOptions(GradingOptions, total=False):
    """Keywords on how judgments are taken."""

    judged_only: bool


class RankingOptions(SourceOptions, JudgingOptions, total=False):
    """Keywords of functions that cut rankings in their own way."""


class EvaluateOptions(RankingOptions, total=False):
    """Keywords that functions hand on to `evaluate`."""

    depth: Positive | None
    executor: Executor | None


@dataclass(frozen=True)
class Judging:
    """How judgments are taken, checked."""

    judged_only: bool = False
    grades: GradeMap | None = None
    negative: str = "unjudged"

    def __post_init__(self) -> None:
        if self.grades is not None and (
            isinstance(self.grades, str) or not isinstance(self.grades, Mapping | Sequence)
        ):
            raise ParameterError(
                f"grades must be a map such as {{3: 2}} or a list such as [0, 1, 1], got {self.grades!r}"
            )
        if self.negative not in {"unjudged", "not relevant"}:
            raise ParameterError(f"negative must be 'unjudged' or 'not relevant', got {self.negative!r}")

    def regraded(self, qrels: Qrels) -> Qrels:
        """The qrels with grades mapped, negative ones to 0 where they mean not relevant."""
        mapped = qrels if self.grades is None else qrels.conflated(self.grades)
        return mapped.negatives_as_not_relevant() if self.negative == "not relevant" else mapped


def reading_of(options: Mapping[str, object], *, keep_scores: bool = False) -> Reading:
    """The options on reading among the keywords of a function."""
    return Reading(**_among(options, "order", "threads", "max_size", "depth"), keep_scores=keep_scores)


def judging_of(options: Mapping[str, object]) -> Judging:
    """The options on judgments among the keywords of a function."""
    return Judging(**_among(options, "judged_only", "grades", "negative"))


def _among(options: Mapping[str, object], *names: str) -> dict[str, Any]:
    """The options of these names that are given."""
    return {name: options[name] for name in names if name in options}


@dataclass(frozen=True)
class EvaluationRequest:
    """All that values depend on besides qrels and runs, checked: made once, and handed on whole to the unit of work."""

    measures: tuple[Measure, ...]
    missing: Missing = "zero"
    judging: Judging = field(default_factory=Judging)
    reading: Reading = field(default_factory=Reading)
    bounds: bool = False
    ties: Ties = "trec"
    orders: TieOrders = field(default_factory=TieOrders)  # of tied documents, where no formula gives the mean over all

    def __post_init__(self) -> None:
        check_missing(self.missing)
        if self.ties not in get_args(Ties):
            raise ParameterError(f"ties must be 'trec', 'expected' or 'range', got {self.ties!r}")

    @classmethod
    def of(cls, measures: tuple[Measure, ...], options: Mapping[str, object]) -> Self:
        """The request that the keywords of a verb make; its other keywords are passed over."""
        given = _among(options, "missing", "bounds", "ties")
        keep_scores = any(measure.needs_scores for measure in measures)
        made = cls(measures, judging=judging_of(options), reading=reading_of(options, keep_scores=keep_scores), **given)
        number, seed = (options.get(name, usual) for name, usual in (("tie_orders", ORDERS), ("seed", 0)))
        orders = TieOrders(number, seed)  # type: ignore[arg-type]  # which it checks
        if made.ties == "trec" and orders.number != ORDERS:
            raise ParameterError(
                f"tie_orders={number} is for means and ranges over tied documents: give ",
                Setting("ties", "expected"),
                " or 'range' too",
            )
        return replace(made, orders=orders)

    @property
    def complete(self) -> bool:
        """Whether topics that a run lacks are measured as empty rankings."""
        return self.missing in {"zero", "error"}

    @property
    def judged_only(self) -> bool:
        """Whether unjudged documents are removed from rankings first."""
        return self.judging.judged_only

    @property
    def cut(self) -> int | None:
        """Where rankings end, if they are not cut while they are read: groups of ties are formed before any cut."""
        return None if self.ties == "trec" else self.reading.depth

    @property
    def read_as(self) -> Reading:
        """How runs are read."""
        return self.reading if self.cut is None else replace(self.reading, depth=None)

    @property
    def of_work(self) -> Self:
        """The same for a unit of work, without what its values do not depend on: a resumed job may be given another."""
        return replace(self, missing="zero" if self.complete else "skip", reading=replace(self.reading, threads=1))

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of columns: the values, then those requested (bounds, tie ranges, errors of means over ties)."""
        extra = BOUNDS * self.bounds + TIES * (self.ties == "range") + (TIES_ERROR,) * (self.ties == "expected")
        return ("values", *extra)

    def unmeasured(self, *shape: int) -> dict[str, Floats]:
        """Each column before anything is measured: NaN for every measure, and then of this shape."""
        return {name: np.full((len(self.measures), *shape), np.nan) for name in self.columns}

    def without_bounds(self, *, curve: bool = False) -> tuple[Notice, ...]:
        """Notices of measures without the bounds requested; raise BoundsError where no measure has any."""
        if not self.bounds:
            return ()
        refused = [one for measure in self.measures if (one := no_bounds(measure, self.ties, curve=curve)) is not None]
        if len(refused) == len(self.measures):
            raise refused[0]
        by_reason = by_key((error.reason, error.measure) for error in refused)
        return notes(
            (
                f"{', '.join(names)} {'has' if len(names) == 1 else 'have'} no bounds: {reason}"
                for reason, names in by_reason.items()
            ),
            "no bounds",
        )

    def signature(
        self, orders: Iterable[str], depths: Iterable[int | None], *, drawn: bool, topics: str | None = None
    ) -> str:
        """The signature of values: of runs with these orders and depths; `drawn` where orders of ties were drawn."""
        judging = self.judging
        settings = {
            "order": one_or_all(orders),
            "depth": one_or_all(depths),
            "missing": "zero" if self.missing == "error" else self.missing,
            "ties": self.ties,
            "tie-orders": self.orders.number if drawn else None,
            "seed": self.orders.seed if drawn else None,
            "unjudged": "removed" if judging.judged_only else "not-relevant",
            "grades": None if judging.grades is None else canonical_text(normal_form(judging.grades)),
            "negative": judging.negative.replace(" ", "-"),
            "topics": topics,
        }
        return signature(settings)


def check_missing(missing: str, *, compared: bool = False) -> None:
    """Raise ParameterError for a rule that does not exist, or that cannot be used where runs are compared."""
    if missing not in get_args(Missing):
        raise ParameterError(f"missing must be 'zero', 'skip', 'common' or 'error', got {missing!r}")
    if compared and missing == "skip":
        raise ParameterError(
            "runs are compared over the same topics: give ",
            Setting("missing", "zero"),
            ", which counts missing ones as empty rankings, or ",
            Setting("missing", "common"),
            ", rather than ",
            Setting("missing", "skip"),
        )


def check_summary(summary: str) -> None:
    """Raise ParameterError for a summary that does not exist."""
    if summary not in get_args(Summary):
        raise ParameterError(f"summary must be 'mean', 'median' or 'quantiles', got {summary!r}")


def no_bounds(measure: Measure, ties: str = "trec", *, curve: bool = False) -> BoundsError | None:
    """Why a measure has no bounds, or its mean over tied documents has none, if that is so."""
    try:
        measure.refuse_bounds(curve=curve)
    except BoundsError as error:
        return error
    if ties == "expected" and measure.as_additive is None:
        return BoundsError(str(measure), "the mean over tied documents has bounds where gains add up, rank by rank")
    return None


def signature(options: Mapping[str, object]) -> str:
    """All that is needed to get a number again, in one line.

    >>> signature({"order": "score", "depth": None}).startswith("order:score|v:")
    True
    """
    return "|".join([*(f"{key}:{value}" for key, value in options.items() if value is not None), f"v:{__version__}"])


def one_or_all(values: Iterable[object]) -> object:
    """The one value that all runs share, or all that there are.

    >>> one_or_all(["score", "score"]), one_or_all(["score", "file"])
    ('score', 'score/file')
    """
    distinct = list(dict.fromkeys(values))
    return distinct[0] if len(distinct) == 1 else "/".join(map(str, distinct))
