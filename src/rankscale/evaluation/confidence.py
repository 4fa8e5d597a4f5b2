"""How sure means and places of runs are: what tables of an evaluation show besides its means, on request."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.errors import ParameterError
from rankscale.evaluation.draws import DRAWS, Draws, check_draws, means_of_draws
from rankscale.evaluation.mean_intervals import METHODS, UNDEFINED, Ends, MeanIntervals, mean_intervals
from rankscale.evaluation.options import Method, Shown
from rankscale.evaluation.order_statistics import check_confidence
from rankscale.evaluation.places import Places, places_of
from rankscale.measures.base.measure import Measure

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation

MEANS = ("mean_lower", "mean_upper")  # names of columns
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


@dataclass(frozen=True)
class Confidence:
    """What is shown of an evaluation besides its means, and how it is computed."""

    level: float = 0.95
    method: Method = "percentile"
    draws: Draws = DRAWS
    seed: int = 0
    shown: Shown = "means"

    def __post_init__(self) -> None:
        check_confidence(self.level)
        check_draws(self.draws)
        if self.method not in METHODS:
            raise ParameterError(
                f"--interval-method (method= in Python) is percentile, bca or student; got {self.method!r}"
            )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return {"means": MEANS, "places": PLACES, "both": (*MEANS, *PLACES)}[self.shown]

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


def words_of_draws(draws: Draws, seed: int) -> str:
    """How topics were drawn.

    >>> words_of_draws(1000, 0)
    '1,000 draws of topics, seed 0'
    """
    return "all draws of topics" if draws == "all" else f"{draws:,} draws of topics, seed {seed}"


@dataclass(frozen=True, eq=False)
class Drawn:
    """Values of runs on the same topics, and their means over draws of these.

    Of measures with geometric means values are logarithms, and their means are mapped back.
    """

    measure: Measure
    values: Floats  # (topic, run), all defined
    drawn: Floats  # (draw, run)

    @property
    def means(self) -> Floats:
        """(run,): means, correctly rounded."""
        sums = np.array([_total(one) for one in self.values.T.tolist()])
        return self.measure.of_average(sums / len(self.values))

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

    def places(self) -> Places:
        """Places of the runs."""
        low, rounded = self.measure.low_is_good, self.measure.comparable
        return places_of(self.means, self.measure.of_average(self.drawn), low_is_good=low, rounded=rounded)


def _total(numbers: list[float]) -> float:
    return math.fsum(numbers) if all(map(math.isfinite, numbers)) else sum(numbers)


def drawn(measure: Measure, values: Floats, draws: Draws, seed: int, groups: tuple[Ints, ...] = ()) -> Drawn:
    """Values (topic, run) that are all defined, with their means over draws."""
    averaged = measure.averaged(values)
    return Drawn(measure, averaged, means_of_draws(averaged, draws, seed, groups))


def defined_for_all(evaluation: "Evaluation", m: int) -> Bools:
    """(topic,): topics on which all runs have a value of this measure."""
    there: Bools = (evaluation.retrieved & ~np.isnan(evaluation.values[m])).all(axis=0)
    return there


def columns_of(evaluation: "Evaluation", about: Confidence) -> dict[str, Floats]:
    """(measure, run): the columns requested, by name; NaN where there is nothing to show."""
    shape = evaluation.values.shape[:2]
    made = {name: np.full(shape, np.nan) for name in about.names}
    for m, measure in enumerate(evaluation.measures):
        if about.shown != "places":
            for rows, of in _by_topics(evaluation, m, about):
                ends = [getattr(one, about.method) for one in of.intervals(about.level)]
                made["mean_lower"][m, rows], made["mean_upper"][m, rows] = zip(*ends, strict=True)
        if about.shown != "means" and not measure.direction_note:
            kept = defined_for_all(evaluation, m)
            if kept.any() and shape[1]:
                of = drawn(measure, evaluation.values[m][:, kept].T, about.draws, about.seed)
                for name, numbers in place_columns(of.places(), about.level).items():
                    made[name][m] = numbers
    return made


def place_columns(places: Places, level: float) -> dict[str, Floats]:
    """(run,): the columns of places, by name."""
    lower, upper = places.interval(level)
    return dict(zip(PLACES, (places.observed, lower, upper, places.expected, places.first), strict=True))


def _by_topics(evaluation: "Evaluation", m: int, about: Confidence) -> Iterator[tuple[list[int], Drawn]]:
    """Rows of runs that have a value on the same topics, and their means over draws of these."""
    there = evaluation.retrieved & ~np.isnan(evaluation.values[m])
    alike: dict[bytes, list[int]] = {}
    for row, topics in enumerate(there):
        alike.setdefault(topics.tobytes(), []).append(row)
    for rows in alike.values():
        values = evaluation.values[m, rows][:, there[rows[0]]].T
        if len(values):
            draws = 1 if about.method == "student" else about.draws
            yield rows, drawn(evaluation.measures[m], values, draws, about.seed)
