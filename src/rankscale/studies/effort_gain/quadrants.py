"""The effort/gain plot in sixteen quadrants, and pairs of runs that differ in gain and in effort.

A plot has rows, columns and areas, and points of one measure of gain. Whether a significant difference of two runs in
gain comes with one in effort is the outlook of the Twist paper: for each pair of runs both measures are tested over the
same topics, all of them (overall), those on which the rankings of the two runs stand in the same quadrant of the plot
(within), and those on which they stand in different ones (across).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, NDArray, frozen
from rankscale.data.table import Cell
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.measures.base.measure import Measure
from rankscale.stats.corrections import WHOSE, check_correction, correct
from rankscale.stats.tests.base.test import Pairs, Test, all_pairs, check_alpha
from rankscale.stats.tests.register import all_tests, make_test

SCOPES = ("overall", "within", "across")
OUTCOMES = (  # of a pair
    "same",  # both differences are significant: the run with more gain costs less effort
    "opposite",  # both are: the run with more gain costs more effort
    "gain only",
    "effort only",
    "neither",
    "not tested",  # too few topics
)
SUMMARY = ("pairs", "gain_significant", *(name.replace(" ", "_") for name in OUTCOMES), "effort_too")
ROW = ("run", "other", "topics", "gain_difference", "gain_p", "effort_difference", "effort_p", "outcome")
NOWHERE = -1  # the quadrant of a ranking without gain or effort


@dataclass(frozen=True)
class PairTesting:
    """How pairs are tested."""

    test: Test
    correction: str
    alpha: float

    @classmethod
    def of(cls, test: str | Test | None, correction: str | None, alpha: float | None) -> Self:
        """Student's test, Holm's correction and 0.05 unless others are named; raises ParameterError for misuse."""
        made = cls(
            make_test("student" if test is None else test),
            "holm" if correction is None else correction,
            0.05 if alpha is None else alpha,
        )
        if made.test.together:
            by_pair = ", ".join(name for name, kind in all_tests().items() if not kind.together)
            raise ParameterError(
                f"pairs are tested over topics of their own, and {made.test.label} tests all runs at once; "
                f"take one of {by_pair}"
            )
        check_alpha(made.alpha)
        check_correction(made.correction)
        return made

    @property
    def settings(self) -> dict[str, object]:
        """Test, correction and level, for a signature."""
        return {"test": self.test.name, "correction": self.correction, "alpha": self.alpha}

    def __str__(self) -> str:
        how = "" if self.correction == "none" else f", {WHOSE[self.correction]} correction"
        return f"{self.test.label}{how}, alpha {self.alpha:g}"


@dataclass(frozen=True, eq=False)
class ScopeResult:
    """The pairs of runs, tested in gain and in effort over the topics of one scope."""

    scope: str
    pairs: Pairs  # places of runs; the first has the higher mean gain over all topics
    topics: Ints  # (pair,): on which both are defined for both runs
    gain: Floats  # (pair,): difference, first less second, in what the test compares
    gain_p: Floats  # (pair,): corrected for all pairs of the scope; NaN where a pair cannot be tested
    effort: Floats  # (pair,): the same for effort; positive where the first costs less effort
    effort_p: Floats
    alpha: float

    @property
    def outcome(self) -> NDArray[np.str_]:
        """(pair,): one of OUTCOMES."""
        in_gain, in_effort = self._significant(self.gain_p), self._significant(self.effort_p)
        agree = np.sign(self.gain) == np.sign(self.effort)
        tested = ~np.isnan(self.gain_p) & ~np.isnan(self.effort_p)
        kinds = [~tested, in_gain & in_effort & agree, in_gain & in_effort, in_gain, in_effort]
        return np.select(kinds, ["not tested", "same", "opposite", "gain only", "effort only"], default="neither")

    @property
    def counts(self) -> dict[str, int]:
        """How many pairs have each outcome."""
        counted = Counter(self.outcome.tolist())
        return {name: counted[name] for name in OUTCOMES}

    def summary(self) -> tuple[Cell, ...]:
        """Cells of SUMMARY: counts, and the share of the pairs that differ in gain and in effort too."""
        counts = self.counts
        in_gain = counts["same"] + counts["opposite"] + counts["gain only"]
        too = (counts["same"] + counts["opposite"]) / in_gain if in_gain else None
        return len(self.pairs), in_gain, *counts.values(), too

    def rows(self, runs: Sequence[str]) -> Iterator[tuple[Cell, ...]]:
        """Cells of ROW for each pair, with the scope before them."""
        differences = self.gain, self.gain_p, self.effort, self.effort_p
        columns = self.pairs.first, self.pairs.second, self.topics, *differences, self.outcome
        for first, second, *cells in zip(*(one.tolist() for one in columns), strict=True):
            yield self.scope, runs[first], runs[second], *cells

    def _significant(self, p: Floats) -> Bools:
        return np.nan_to_num(p, nan=1.0) < self.alpha


def compare_pairs(gain: Floats, effort: Floats, quadrant: Ints, how: PairTesting) -> Iterator[ScopeResult]:
    """Test all pairs of runs in gain and in effort, overall, within and across quadrants.

    Parameters
    ----------
    gain, effort : array (run, topic)
        Values; NaN where a ranking is no point of the plot.
    quadrant : array of int (run, topic)
        The quadrant of each ranking, NOWHERE where it has none.
    how : PairTesting
        Test, correction and level.

    Yields
    ------
    ScopeResult
        One for each of SCOPES.
    """
    defined = quadrant != NOWHERE
    means = np.where(defined, gain, 0.0).sum(axis=1) / np.maximum(defined.sum(axis=1), 1)
    order = np.argsort(-means, kind="stable")
    places = all_pairs(len(gain))
    pairs = Pairs(order[places.first], order[places.second])
    both = defined[pairs.first] & defined[pairs.second]  # (pair, topic)
    same = quadrant[pairs.first] == quadrant[pairs.second]
    kept = {"overall": both, "within": both & same, "across": both & ~same}
    for scope in SCOPES:
        tested = [_tested(values, pairs, kept[scope], how) for values in (gain, effort)]
        topics = frozen(np.count_nonzero(kept[scope], axis=1))
        yield ScopeResult(scope, pairs, topics, *tested[0], *tested[1], how.alpha)


def _tested(values: Floats, pairs: Pairs, kept: Bools, how: PairTesting) -> tuple[Floats, Floats]:
    """(pair,) each: differences over the topics kept for a pair, and corrected p-values."""
    # Each pair has two columns of its own, with NaN on the topics that it leaves out.
    columns = np.stack([np.where(kept, values[side], np.nan) for side in (pairs.first, pairs.second)], axis=1)
    apart = Pairs(np.arange(0, 2 * len(pairs), 2), np.arange(1, 2 * len(pairs), 2))
    outcome = how.test.compare(columns.reshape(2 * len(pairs), -1).T, apart)
    return frozen(outcome.difference), frozen(correct(outcome.p, how.correction))


EFFORTS = ("huge", "high", "medium", "low")  # columns, by rising Twist
EFFORT_CUTS = np.array([0.25, 0.5, 0.75])  # a value on a cut belongs to the column of less effort
GAINS = ("low", "medium", "high", "huge")  # rows, by rising gain; a value on a cut belongs to the row of less gain
SIDE = range(4)

AREAS: Mapping[str, tuple[str, tuple[tuple[int, int], ...]]] = {  # what each holds, and its quadrants (row, column)
    "diagonal": ("gain and effort agree", tuple((place, place) for place in SIDE)),
    "high-high": ("high or huge gain at high or huge effort", ((2, 0), (2, 1), (3, 0), (3, 1))),
    "gray": ("medium gain at huge effort, huge gain at medium effort", ((1, 0), (3, 2))),
    "below": ("less gain than others of such effort", ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3))),
    "top": ("huge gain at medium or low effort", ((3, 2), (3, 3))),
}
PARTS = tuple(name for name in AREAS if name != "top")  # which share all quadrants among them
HUGE_GAIN = GAINS.index("huge")


def quadrant_name(row: int, column: int) -> str:
    """A quadrant in words.

    >>> quadrant_name(3, 0)
    'huge gain at huge effort'
    """
    return f"{GAINS[row]} gain at {EFFORTS[column]} effort"


QUADRANTS = {quadrant_name(row, column): (row, column) for row in reversed(SIDE) for column in SIDE}


@dataclass(frozen=True, eq=False)
class EffortPoints:
    """The points of one measure of gain: one for each run and topic where gain and effort are defined."""

    measure: Measure
    run: Ints  # (point,), by row of the evaluation
    topic: Ints  # (point,)
    effort: Floats  # (point,), Twist: the lower, the more effort
    gain: Floats  # (point,)
    cuts: Floats  # (3,), quartiles of the gain
    left_out: int  # rankings where gain or effort is undefined

    @property
    def column(self) -> Ints:
        """(point,): 0 for huge effort, 3 for low."""
        return np.searchsorted(EFFORT_CUTS, self.effort, side="right")

    @property
    def row(self) -> Ints:
        """(point,): 0 for low gain, 3 for huge."""
        return np.searchsorted(self.cuts, self.gain, side="left")

    @property
    def counts(self) -> Ints:
        """(row, column): points in each quadrant."""
        places: Ints = self.row * len(SIDE) + self.column
        return np.bincount(places, minlength=16).reshape(4, 4)

    def within(self, quadrants: Sequence[tuple[int, int]]) -> Bools:
        """(point,): whether a point lies in one of these quadrants."""
        inside = np.zeros((4, 4), dtype=bool)
        inside[tuple(np.array(quadrants).T)] = True
        return inside[self.row, self.column]


def checked_area(area: str) -> str:
    """The name of an area or quadrant; any other is refused."""
    known = [*AREAS, *QUADRANTS]
    if area not in known:
        areas = f"areas are {', '.join(AREAS)}, quadrants 'huge gain at low effort' etc."
        raise UnknownNameError("area", area, known, areas)
    return area


def area_of(row: int, column: int) -> str:
    """The area that a quadrant is a part of."""
    return next(name for name in PARTS if (row, column) in AREAS[name][1])


def quadrants_of(area: str) -> Sequence[tuple[int, int]]:
    """The quadrants of an area, or the one of this name."""
    return AREAS[area][1] if area in AREAS else (QUADRANTS[area],)
