"""Intervals of means, by percentiles of draws, BCa and Student's t, and places of runs: columns of tables of means."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankscale.data.arguments import DRAWS, DrawCount
from rankscale.data.arrays import Bools, Floats, Ints, significant
from rankscale.data.exact_sums import rounded_sums
from rankscale.data.table import Cell, Column, Table, is_empty
from rankscale.errors import ParameterError, Setting
from rankscale.evaluation.options import ConfidenceShown, IntervalMethod
from rankscale.evaluation.tables import MEAN_ENDS
from rankscale.measures.base.measure import Measure
from rankscale.stats.resampling.draws import check_draws, means_of_draws
from rankscale.stats.resampling.order_statistics import Ends, check_confidence, place, tails

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation

LABELS = {"place": "place_interval", "tested": "place_by_tests"}  # of places from a lower to an upper one
BY_TESTS = "place_by_tests has the places that the tests leave open; these intervals hold for all runs at once."
METHODS: tuple[IntervalMethod, ...] = ("percentile", "bca", "student")
EQUAL = 1e-12  # numbers that differ by no more are equal
UNDEFINED: Ends = (math.nan, math.nan)
PLACES = ("place", "place_lower", "place_upper", "place_expected", "share_first")
WORDS = {
    "percentile": "percentiles of {draws}",
    "bca": "BCa, {draws}",
    "student": "Student's t",
}
SHARES = (
    "Places vary with the topics: place_expected is the mean place over draws, share_first the share of draws in which "
    "a run is first ({draws}). They are neither p-values nor probabilities that a run is best."
)


@dataclass(frozen=True, eq=False)
class RunPlaces:
    """Places of runs, 1 for the best; runs with equal means share the mean of their places.

    Attributes
    ----------
    observed : array (run,)
        Places by the means over all topics.
    drawn : array (draw, run)
        Places by the means over draws of topics.
    better : array (run, run)
        Share of draws in which the run of the row is better than that of the column, with half of those in which they
        are equal; 0.5 on the diagonal. Neither a p-value nor the probability that it is better.
    """

    observed: Floats
    drawn: Floats
    _means: Floats  # (draw, run), rounded, high is good

    @cached_property
    def expected(self) -> Floats:
        """(run,): mean place over draws."""
        mean: Floats = self.drawn.mean(axis=0)
        return mean

    @cached_property
    def first(self) -> Floats:
        """(run,): share of draws in which the run is first; runs that are first together share it out."""
        top = self._means == self._means.max(axis=1, keepdims=True)
        share: Floats = (top / top.sum(axis=1, keepdims=True)).mean(axis=0)
        return share

    @cached_property
    def better(self) -> Floats:
        """(run, run): share of draws in which one run is better than the other."""
        means = self._means
        rows = [((one > means) + 0.5 * (one == means)).mean(axis=0) for one in means.T[:, :, None]]
        return np.array(rows).reshape(means.shape[1], -1)

    def interval(self, confidence: float = 0.95) -> tuple[Floats, Floats]:
        """(run,) each: ends of the interval of places, which are places that were observed (quantiles of type 1)."""
        ordered = np.sort(self.drawn, axis=0)
        low, high = (ordered[place(len(ordered), share) - 1] for share in tails(confidence))
        return low, high


def places_of(
    means: Floats, drawn: Floats, *, low_is_good: bool = False, rounded: Callable[[Floats], Floats] = significant
) -> RunPlaces:
    """Places by means (run,) and by those over draws (draw, run), as `rounded` makes them comparable.

    >>> made = places_of(np.array([0.4, 0.5]), np.array([[0.4, 0.4], [0.3, 0.5]]))
    >>> made.observed, made.expected, made.first
    (array([2., 1.]), array([1.75, 1.25]), array([0.25, 0.75]))
    """
    sign = -1.0 if low_is_good else 1.0
    comparable = sign * rounded(drawn)
    return RunPlaces(_ranks(sign * rounded(means)[None])[0], _ranks(comparable), comparable)


def _ranks(means: Floats) -> Floats:
    """(row, run): 1 for the highest of a row; equal ones share the mean of their ranks."""
    from scipy.stats import rankdata

    ranks: Floats = rankdata(-means, axis=1).reshape(means.shape)
    return ranks


def places_shown(table: Table) -> Table:
    """A table of places, for people with intervals in one column each, without those that are empty.

    Parameters
    ----------
    table : Table
        Columns `place`, `place_lower`, `place_upper`, `place_expected` and others; `mean_lower`, `mean_upper`,
        `tested_lower` and `tested_upper` may be missing.
    """
    columns = table.columns
    declared = [Column("place", digits=_digits(columns["place"])), Column("place_expected", digits=2)]
    if "mean_lower" in columns:
        declared.append(Column("mean", interval=("mean_lower", "mean_upper")))
    empty = [which for which in LABELS if all(map(is_empty, columns.get(f"{which}_lower", ())))]
    for which, label in LABELS.items():
        if which not in empty:  # shown as: 4 to 7
            lower, upper = f"{which}_lower", f"{which}_upper"
            digits = _digits([*columns[lower], *columns[upper]])
            declared.append(Column(lower, label, align="right", digits=digits, until=upper))
    made = table.with_columns(*declared).without(*(f"{which}_{end}" for which in empty for end in ("lower", "upper")))
    return made if "tested" in empty else replace(made, notes=(*table.notes, BY_TESTS))


def _digits(places: Sequence[Cell]) -> int:
    """Decimals: none where all places are whole."""
    numbers = [float(str(place)) for place in places if not is_empty(place)]
    return 0 if all(number % 1 == 0 or math.isnan(number) for number in numbers) else 1


class MeanIntervals(NamedTuple):
    """The three intervals of a mean; NaN where they are undefined."""

    percentile: Ends
    bca: Ends
    student: Ends
    bca_is_percentile: bool = False  # where the correction for bias or skewness has no value


def mean_intervals(values: Floats, drawn: Floats, confidence: float = 0.95) -> MeanIntervals:
    """Intervals of the mean of values (topic,), given its means over draws (draw,); undefined for fewer than two.

    >>> from rankscale.stats.resampling.draws import means_of_draws
    >>> x = np.array([0.12, 0.25, 0.31, 0.48, 0.90])
    >>> of = mean_intervals(x, means_of_draws(x[:, None], "all")[:, 0])
    >>> [[round(end, 6) for end in ends] for ends in of[:2]]
    [[0.21, 0.664], [0.23, 0.732]]
    """
    check_confidence(confidence)
    if len(values) < 2 or not np.isfinite(values).all():
        return MeanIntervals(UNDEFINED, UNDEFINED, UNDEFINED)
    mean = math.fsum(values.tolist()) / len(values)
    if float(values.max() - values.min()) <= EQUAL:
        return MeanIntervals((mean, mean), (mean, mean), (mean, mean))
    shares = tails(confidence)
    adjusted = bca_shares(values, drawn, mean, shares)
    percentile = ends_at(drawn, shares)
    bca = percentile if adjusted is None else ends_at(drawn, adjusted)
    return MeanIntervals(percentile, bca, student_interval(values, mean, confidence), adjusted is None)


def ends_at(drawn: Floats, shares: Ends) -> Ends:
    """Quantiles of type 7."""
    low, high = np.quantile(drawn, shares).tolist()
    return low, high


def bca_shares(values: Floats, drawn: Floats, mean: float, shares: Ends) -> Ends | None:
    """Shares of draws in place of those of percentiles, corrected for bias and skewness (Efron 1987).

    None where no share of draws, or all, lie below the mean, or where values are so skewed that the correction has no
    value.
    """
    from scipy.special import ndtr, ndtri

    same = np.abs(drawn - mean) <= EQUAL
    below = np.count_nonzero((drawn < mean) & ~same) + np.count_nonzero(same) / 2
    z0 = float(ndtri(below / len(drawn)))
    if math.isinf(z0):
        return None
    apart = values - mean
    skewness = math.fsum((apart**3).tolist()) / (6 * math.fsum((apart**2).tolist()) ** 1.5)
    z = z0 + ndtri(np.array(shares))
    slope = 1 - skewness * z
    if (slope <= 0).any():
        return None
    low, high = ndtr(z0 + z / slope).tolist()
    return low, high


def student_interval(values: Floats, mean: float, confidence: float) -> Ends:
    """By Student's t."""
    from scipy.special import stdtrit

    topics = len(values)
    variance = math.fsum(((values - mean) ** 2).tolist()) / (topics - 1)
    reach = float(stdtrit(topics - 1, (1 + confidence) / 2)) * math.sqrt(variance / topics)
    return mean - reach, mean + reach


@dataclass(frozen=True)
class Confidence:
    """What is shown of an evaluation besides its means, and how it is computed."""

    level: float = 0.95
    method: IntervalMethod = "percentile"
    draws: DrawCount = DRAWS
    seed: int = 0
    shown: ConfidenceShown = "means"

    def __post_init__(self) -> None:
        check_confidence(self.level)
        check_draws(self.draws)
        if self.method not in METHODS:
            raise ParameterError(
                Setting("method", option="--interval-method"), f" is percentile, bca or student; got {self.method!r}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return {"means": MEAN_ENDS, "places": PLACES, "both": (*MEAN_ENDS, *PLACES)}[self.shown]

    @property
    def drawn(self) -> str:
        """The draws in words."""
        return words_of_draws(self.draws, self.seed)

    def notes(self, brackets: str = "brackets") -> tuple[str, ...]:
        """How to read what is shown."""
        how = WORDS[self.method].format(draws=self.drawn)
        intervals = (
            f"In {brackets}: {100 * self.level:g}% interval of each mean ({how}), not corrected for the number of runs."
        )
        return (intervals,) * (self.shown != "places")

    def settings(self) -> dict[str, object]:
        """All that the numbers depend on, for provenance."""
        of_means = {} if self.shown == "places" else {"method": self.method}
        return {"confidence": self.level, **of_means, "draws": self.draws, "seed": self.seed}

    def columns(self, evaluation: "Evaluation") -> dict[str, Floats]:
        """(measure, run): the columns requested, by name; NaN where there is nothing to show."""
        shape = evaluation.values.shape[:2]
        made = {name: np.full(shape, np.nan) for name in self.names}
        for m, measure in enumerate(evaluation.measures):
            if self.shown != "places":
                for rows, of in self._by_topics(evaluation, m):
                    ends = [getattr(one, self.method) for one in of.intervals(self.level)]
                    made["mean_lower"][m, rows], made["mean_upper"][m, rows] = zip(*ends, strict=True)
            if self.shown != "means" and not measure.direction_note:
                kept = defined_for_all(evaluation, m)
                if kept.any() and shape[1]:
                    of = drawn(measure, evaluation.values[m][:, kept].T, self.draws, self.seed)
                    for name, numbers in place_columns(of.places(), self.level).items():
                        made[name][m] = numbers
        return made

    def _by_topics(self, evaluation: "Evaluation", m: int) -> Iterator[tuple[list[int], "TopicDraws"]]:
        """Rows of runs that have a value on the same topics, and their means over draws of these."""
        there = evaluation.retrieved & ~np.isnan(evaluation.values[m])
        alike: dict[bytes, list[int]] = {}
        for row, topics in enumerate(there):
            alike.setdefault(topics.tobytes(), []).append(row)
        for rows in alike.values():
            values = evaluation.values[m, rows][:, there[rows[0]]].T
            if len(values):
                draws = 1 if self.method == "student" else self.draws
                yield rows, drawn(evaluation.measures[m], values, draws, self.seed)

    def tables(self, evaluation: "Evaluation") -> list[Table]:
        """For people: places of the runs by each measure, where they are requested."""
        if self.shown == "means":
            return []
        sure, means = evaluation.sureness, evaluation.means().values
        columns: dict[str, Sequence[Cell]] = {
            "measure": [str(measure) for measure in evaluation.measures for _ in evaluation.runs],
            "run": [*evaluation.runs] * len(evaluation.measures),
            "mean": means.ravel().tolist(),
            **{name: sure[name].ravel().tolist() for name in PLACES},
        }
        return [places_shown(Table(columns, evaluation.provenance, notes=(SHARES.format(draws=self.drawn),)))]


def words_of_draws(draws: DrawCount, seed: int) -> str:
    """How topics were drawn.

    >>> words_of_draws(1000, 0)
    '1,000 draws of topics, seed 0'
    """
    return "all draws of topics" if draws == "all" else f"{draws:,} draws of topics, seed {seed}"


@dataclass(frozen=True, eq=False)
class TopicDraws:
    """Values of runs on the same topics, and their means over draws of these.

    Of measures with geometric means values are logarithms, and their means are mapped back.
    """

    measure: Measure
    values: Floats  # (topic, run), all defined
    drawn: Floats  # (draw, run)

    @property
    def means(self) -> Floats:
        """(run,): means, correctly rounded."""
        return self.measure.of_average(rounded_sums(self.values.T) / len(self.values))

    def intervals(self, confidence: float) -> list[MeanIntervals]:
        """(run,): the intervals of each mean; undefined where topics are summed, not averaged."""
        if self.measure.summary == "sum":
            return [MeanIntervals(UNDEFINED, UNDEFINED, UNDEFINED)] * self.values.shape[1]
        made = [mean_intervals(*one, confidence) for one in zip(self.values.T, self.drawn.T, strict=True)]
        return [
            one._replace(**{method: self._ends(getattr(one, method)) for method in METHODS})  # type: ignore[arg-type]
            for one in made
        ]

    def _ends(self, ends: Ends) -> Ends:
        low, high = self.measure.of_average(np.array(ends)).tolist()
        return low, high

    def places(self) -> RunPlaces:
        """Places of the runs."""
        low, rounded = self.measure.low_is_good, self.measure.comparable
        return places_of(self.means, self.measure.of_average(self.drawn), low_is_good=low, rounded=rounded)


def drawn(measure: Measure, values: Floats, draws: DrawCount, seed: int, groups: tuple[Ints, ...] = ()) -> TopicDraws:
    """Values (topic, run) that are all defined, with their means over draws."""
    averaged = measure.averaged(values)
    return TopicDraws(measure, averaged, means_of_draws(averaged, draws, seed, groups))


def defined_for_all(evaluation: "Evaluation", m: int) -> Bools:
    """(topic,): topics on which all runs have a value of this measure."""
    there: Bools = (evaluation.retrieved & ~np.isnan(evaluation.values[m])).all(axis=0)
    return there


def place_columns(places: RunPlaces, level: float) -> dict[str, Floats]:
    """(run,): the columns of places, by name."""
    lower, upper = places.interval(level)
    return dict(zip(PLACES, (places.observed, lower, upper, places.expected, places.first), strict=True))
