"""How sure the order of runs is: intervals of means and of places, expected places, and shares of draws."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from rankscale.data.arguments import DRAWS, DrawCount, Seed, check_arguments
from rankscale.data.arrays import Floats, Ints, frozen
from rankscale.data.names import place_of
from rankscale.data.notices import Notice, Noticed, notes
from rankscale.data.table import Cell, Column, Table
from rankscale.errors import ParameterError, Setting
from rankscale.evaluation.result import Evaluation, expected
from rankscale.evaluation.tables import MEAN_ENDS
from rankscale.measures.base.measure import Measure
from rankscale.outputs.pictures import DotColumn, Dots
from rankscale.outputs.results import Page, TabularResult
from rankscale.stats.compare import compare
from rankscale.stats.comparison import Comparison
from rankscale.stats.resampling.confidence import (
    METHODS,
    PLACES,
    SHARES,
    MeanIntervals,
    RunPlaces,
    defined_for_all,
    drawn,
    place_columns,
    words_of_draws,
)
from rankscale.stats.resampling.draws import check_draws
from rankscale.stats.resampling.groups import Grouping, grouping
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.test import check_alpha, complete
from rankscale.stats.verdicts import SUMMARIES, Verdict, verdict

TABLES = ("runs", "pairs")
HOLDER = "this result has"
ConfidenceKind = Literal["draws", "tested"]
NOTES = {
    "draws": "Places by {draws}: how places vary with the topics, each run by itself. Shares of draws are neither "
    "p-values nor probabilities that a run is better.",
    "tested": "Intervals of places by tests of all pairs ({test}, Holm's correction, alpha {alpha:g}): they hold for "
    "all runs at once, errors of direction apart. Expected places and shares by {draws}; shares are neither p-values "
    "nor probabilities that a run is better.",
}
TESTED = ("tested_lower", "tested_upper")
ALL_AT_ONCE = ("holm", "bonferroni")  # corrections under which tested places hold for all runs


@dataclass(frozen=True, eq=False)
class MeasureConfidence:
    """The runs of one measure: topics, means, intervals and places."""

    measure: Measure
    topics: int
    left_out: int  # topics that some run has and not all have a value on
    means: Floats  # (run,)
    intervals: tuple[MeanIntervals, ...]  # (run,)
    places: RunPlaces | None  # None where neither high nor low is better
    verdict: Verdict  # of the mean


@dataclass(frozen=True, eq=False)
class RankingConfidence(Noticed, TabularResult):
    """Result of `ranking_confidence`.

    Attributes
    ----------
    measures, runs : tuple of str
        Names, in the order of the values.
    topics, left_out : array (measure,)
        Topics on which all runs have a value, and those that were left out because some run has none.
    means, expected, first : array (measure, run)
        Means over these topics, expected places, and shares of draws in which a run is first.
    place, place_lower, place_upper : array (measure, run)
        Place by the means, and the interval of places.
    confidence, draws, seed, kind, alpha
        Settings; `kind` is 'draws' or 'tested'.
    verdicts : tuple of Verdict
        For each measure whether its mean is meaningful on its scale.
    notices : tuple of Notice
        What was left out, and where an interval is another than requested.
    """

    measures: tuple[str, ...]
    runs: tuple[str, ...]
    parts: tuple[MeasureConfidence, ...]
    place: Floats
    place_lower: Floats
    place_upper: Floats
    expected: Floats
    first: Floats
    confidence: float
    draws: DrawCount
    seed: int
    kind: ConfidenceKind
    alpha: float
    test: str  # of intervals by tests, in words
    signature: str = ""
    notices: tuple[Notice, ...] = ()

    @property
    def means(self) -> Floats:
        """(measure, run): means over the topics on which all runs have a value."""
        return np.array([part.means for part in self.parts])

    @property
    def topics(self) -> Ints:
        """(measure,): topics on which all runs have a value."""
        return np.array([part.topics for part in self.parts])

    @property
    def left_out(self) -> Ints:
        """(measure,): topics that some run has a value on, and not all."""
        return np.array([part.left_out for part in self.parts])

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """(measure,): whether means are meaningful on the measure's scale."""
        return tuple(part.verdict for part in self.parts)

    def share_better(self, run: str, other: str, measure: str | Measure | None = None) -> float:
        """Share of draws in which one run has the better mean, with half of those in which both are equal.

        It is neither a p-value nor the probability that the run is better.
        """
        m = place_of(self.measures, str(measure or self.measures[0]), "measure", HOLDER)
        pair = place_of(self.runs, run, "run", HOLDER), place_of(self.runs, other, "run", HOLDER)
        places = self.parts[m].places
        return np.nan if places is None else float(places.better[pair])

    @property
    def provenance(self) -> dict[str, object]:
        """All that is needed to get the numbers again, and what supports them."""
        tested = {} if self.kind == "draws" else {"test": self.test, "alpha": self.alpha}
        return {
            "measures": list(self.measures),
            "confidence": self.confidence,
            "draws": self.draws,
            "seed": self.seed,
            "places": self.kind,
            **tested,
            "topics": self.topics.tolist(),
            "topics_left_out": self.left_out.tolist(),
            "verdicts": [str(one) for one in self.verdicts],
            "signature": self.signature,
        }

    def table(self, name: str | None = None) -> Table:
        """`runs`: a row for each measure and run; `pairs`: shares of draws in which one run is better than another."""
        shown = place_of(TABLES, name or TABLES[0], "table", HOLDER)
        return pairs_of(self) if shown else runs_of(self)

    def views(self, name: str | None = None) -> list[Table]:
        """The same for people: one interval of each mean, that by percentiles."""
        return [self.table(name) if name == TABLES[1] else shown_runs(self)]

    def page(self) -> Page:
        """What a notebook shows: the table, and the places of runs by each measure with their intervals."""
        panels = [
            DotColumn(f"place by {name}", *(of[m].tolist() for of in (self.place, self.place_lower, self.place_upper)))
            for m, name in enumerate(self.measures)
        ]
        return replace(super().page(), pictures=[Dots(self.runs, panels)])

    __repr__ = TabularResult.__str__


def ranking_confidence(
    evaluation: Evaluation,
    *,
    confidence: float = 0.95,
    draws: DrawCount = DRAWS,
    seed: Seed = 0,
    places: ConfidenceKind = "draws",
    alpha: float = 0.05,
    test: str | None = None,
    groups: object = None,
) -> RankingConfidence:
    """Compute intervals of means, places of runs, and how often one run is better than another, over draws of topics.

    Topics are drawn with replacement; one set of draws serves all runs and measures. Topics on which some run has no
    value are left out and counted. Means are rounded to 8 significant digits before they are put in
    order; runs that are equal then share their places.

    Parameters
    ----------
    evaluation : Evaluation
        Values of one measure or several.
    confidence : float
        Confidence level of intervals.
    draws : int or 'all'
        Random draws of topics, or 'all' n**n draws that there are, for up to 6 topics.
    seed : int
        Random seed.
    places : {'draws', 'tested'}
        Intervals of places: quantiles of draws, which describe how places vary with topics, or by tests of all pairs
        with Holm's correction, which hold for all runs at once: 1 + the number of runs that are significantly better,
        to the last place minus the number of those that are significantly worse.
    alpha : float
        Significance level of places='tested'.
    test : str, optional
        Test of places='tested', 'student' by default.
    groups : path, mapping or data frame, optional
        Groups of topics, as in `Evaluation.by_group`: each draw takes as many topics of each group as it has. Topics
        without a group are left out.

    Returns
    -------
    RankingConfidence
        The table 'runs' has for each measure and run the mean, its intervals by percentiles, BCa and Student's t, the
        place, its interval, the expected place and the share of draws in which the run is first; 'pairs' has the share
        of draws in which one run is better than another.

    Raises
    ------
    ParameterError
        A setting is out of range, no topic has a value of all runs, or draws='all' with more than 6 topics or groups.

    Examples
    --------
    >>> import rankscale as rs
    >>> values = {"A": [0.9, 0.5, 0.4, 0.2], "B": [0.6, 0.6, 0.3, 0.3], "C": [0.5, 0.4, 0.5, 0.1]}
    >>> runs = {run: {str(topic): {"AP": x} for topic, x in enumerate(of)} for run, of in values.items()}
    >>> sure = rs.ranking_confidence(rs.read_values(runs), draws="all")
    >>> sure.expected.round(6), sure.first.round(6)
    (array([[1.378906, 1.917969, 2.703125]]), array([[0.652344, 0.28125 , 0.066406]]))
    >>> sure.share_better("A", "B")
    0.703125
    """
    check_arguments(ranking_confidence, locals(), choices=("places",))
    expected(evaluation, "ranking_confidence")
    check_confidence(confidence)
    check_draws(draws)
    check_alpha(alpha)
    if test is not None and places != "tested":
        raise ParameterError(
            f"test={test!r} is for intervals of places by tests: give ", Setting("places", "tested"), " too"
        )
    grouped = None if groups is None else grouping(evaluation, groups)
    parts = tuple(_of_measure(evaluation, m, confidence, draws, seed, grouped) for m in range(len(evaluation.measures)))
    columns = {name: np.full((len(parts), len(evaluation.runs)), np.nan) for name in PLACES}
    label = ""
    for m, part in enumerate(parts):
        if part.places is None:
            continue
        numbers = place_columns(part.places, confidence)
        if places == "tested":
            tested = compare(evaluation[evaluation.measures[m]], test, "holm", alpha=alpha)
            label = tested.test.label
            numbers["place_lower"], numbers["place_upper"] = places_by_tests(tested, evaluation.runs)
        for name, of_runs in numbers.items():
            columns[name][m] = of_runs
    place, lower, upper, mean_place, first = (frozen(columns[name]) for name in PLACES)
    return RankingConfidence(
        measures=tuple(map(str, evaluation.measures)),
        runs=evaluation.runs,
        parts=parts,
        place=place,
        place_lower=lower,
        place_upper=upper,
        expected=mean_place,
        first=first,
        confidence=confidence,
        draws=draws,
        seed=seed,
        kind=places,
        alpha=alpha,
        test=label,
        signature=evaluation.signature,
        notices=notes(text for part in parts for text in _remarks(part)),
    )


def _of_measure(
    evaluation: Evaluation, m: int, confidence: float, draws: DrawCount, seed: int, groups: Grouping | None
) -> MeasureConfidence:
    measure = evaluation.measures[m]
    there = evaluation.retrieved.any(axis=0)
    kept = defined_for_all(evaluation, m) & (True if groups is None else groups.grouped)
    if not kept.any():
        raise ParameterError(
            f"{measure}: no topic has a value of all runs; evaluate with ",
            Setting("missing", "zero"),
            ", which counts missing topics as empty rankings",
        )
    strata = () if groups is None else tuple(np.flatnonzero(one[kept]) for one in groups.members[: groups.tested])
    strata = tuple(one for one in strata if len(one))
    of = drawn(measure, evaluation.values[m][:, kept].T, draws, seed, strata)
    return MeasureConfidence(
        measure=measure,
        topics=int(kept.sum()),
        left_out=int((there & ~kept).sum()),
        means=frozen(of.means),
        intervals=tuple(of.intervals(confidence)),
        places=None if measure.direction_note else of.places(),
        verdict=verdict(measure, SUMMARIES[measure.summary], evaluation.judged_levels),
    )


def _remarks(part: MeasureConfidence) -> Iterator[str]:
    """What was left out, and which intervals are others than requested."""
    if part.left_out:
        which = f"{part.left_out} of {part.left_out + part.topics} topics"
        yield f"{part.measure}: {which} left out: not all runs have a value on them, or they have no group"
    replaced = sum(one.bca_is_percentile for one in part.intervals)
    if replaced:
        yield f"{part.measure}: BCa intervals of {replaced} of {len(part.intervals)} runs are percentiles"
    if part.places is None:
        yield f"{part.measure} gives no places: {part.measure.direction_note}"


def places_by_tests(comparison: Comparison, runs: tuple[str, ...]) -> tuple[Floats, Floats]:
    """(run,) each: 1 + the runs that are significantly better, and the last place less those significantly worse.

    They hold for all runs at once at the level of the correction, errors of direction apart, where all pairs were
    compared.
    """
    sign = -1.0 if comparison.measure.low_is_good else 1.0
    first, second = comparison.pairs.first[comparison.significant], comparison.pairs.second[comparison.significant]
    ahead = sign * comparison.results.difference[comparison.significant] > 0
    winners, losers = np.where(ahead, first, second), np.where(ahead, second, first)
    number = len(comparison.runs)
    lost, won = (np.bincount(places, minlength=number).astype(np.float64) for places in (losers, winners))
    order = [comparison.runs.index(run) for run in runs]
    return 1.0 + lost[order], number - won[order]


def runs_of(about: RankingConfidence) -> Table:
    """One row for each measure and run, with all intervals."""
    columns: dict[str, Sequence[Cell]] = {
        "measure": [measure for measure in about.measures for _ in about.runs],
        "run": [*about.runs] * len(about.measures),
        "topics": np.repeat(about.topics, len(about.runs)).tolist(),
        "mean": about.means.ravel().tolist(),
    }
    for method in METHODS:
        ends = [getattr(interval, method) for part in about.parts for interval in part.intervals]
        columns |= {f"{method}_lower": [low for low, _ in ends], f"{method}_upper": [high for _, high in ends]}
    of_places = (about.place, about.place_lower, about.place_upper, about.expected, about.first)
    columns |= {name: of.ravel().tolist() for name, of in zip(PLACES, of_places, strict=True)}
    return Table(columns, about.provenance)


def shown_runs(about: RankingConfidence) -> Table:
    """The same in fewer columns, with sentences."""
    view: list[str | Column] = [
        *("measure", "run"),
        Column("topics", plain=True),
        Column("mean", align="right", interval=("percentile_lower", "percentile_upper")),
        Column("place", align="right", digits=1, interval=("place_lower", "place_upper")),
        Column("place_expected", "expected"),
        Column("share_first", "first"),
    ]
    draws = words_of_draws(about.draws, about.seed)
    means = f"In brackets: {100 * about.confidence:g}% intervals; of means by percentiles of {draws}."
    places = NOTES[about.kind].format(draws=draws, test=about.test, alpha=about.alpha)
    cautions = [f"{one}." for one in about.verdicts if not one.meaningful]
    return replace(runs_of(about), notes=(means, places, *cautions), view=view)


def pairs_of(about: RankingConfidence) -> Table:
    """One row for each measure and pair of runs: share of draws in which the first is better."""
    names = ("measure", "run", "other", "share_better")
    rows = [
        (measure, run, other, float(part.places.better[r, s]))
        for measure, part in zip(about.measures, about.parts, strict=True)
        if part.places is not None
        for r, run in enumerate(about.runs)
        for s, other in enumerate(about.runs)
        if r < s
    ]
    note = "share_better: share of draws, with half of those in which both are equal; no p-value."
    return replace(Table.of(names, rows), provenance=about.provenance, notes=(note,))


def places_table(comparisons: Sequence[Comparison], draws: DrawCount = DRAWS, seed: int = 0) -> Table:
    """One row for each comparison and run: its mean with the interval, place, interval of places, share first.

    Places by tests are there where all pairs were compared and the correction keeps the chance of any false difference.
    """
    rows: list[dict[str, Cell]] = []
    for one in comparisons:
        values = complete(one.all_values)
        if not len(values):
            continue
        of = drawn(one.measure, values, draws, seed)
        ends = np.array([interval.percentile for interval in of.intervals(one.confidence)]).T
        columns: dict[str, Floats] = {"mean": of.means, **dict(zip(MEAN_ENDS, ends, strict=True))}
        columns |= place_columns(of.places(), one.confidence)
        tested = one.baseline is None and (one.results.corrected or one.correction in ALL_AT_ONCE)
        nothing = np.full(len(one.runs), np.nan)
        both = places_by_tests(one, one.runs) if tested else (nothing, nothing)
        columns |= dict(zip(TESTED, both, strict=True))
        names = {"measure": str(one.measure), "test": one.test.name}
        rows += [
            {**names, "run": run, **{name: float(of_runs[r]) for name, of_runs in columns.items()}}
            for r, run in enumerate(one.runs)
        ]
    note = SHARES.format(draws=words_of_draws(draws, seed))
    return replace(Table.from_rows(rows), provenance={"draws": draws, "seed": seed}, notes=(note,))
