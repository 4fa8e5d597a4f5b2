"""Runs under two sets of judgments, over the same topics: means, the order of runs, and which pairs differ."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, NDArray
from rankscale.data.names import listed
from rankscale.data.notices import SUBTOPICS, Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import EvaluateOptions, Progress, SameTopics, reading_of
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import RunsLike, read_with_progress, runs_with_names
from rankscale.measures.base.measure import Measure
from rankscale.measures.counts import Hole
from rankscale.stats.compare import retrieved_by_all
from rankscale.stats.correlation.correlations import rbo_along
from rankscale.stats.correlation.rank_correlations import tau_ap, tau_b
from rankscale.stats.resampling.draws import FEWEST_TOPICS, drawn_topics, interval
from rankscale.stats.tests.base.test import Pairs, Test, all_pairs
from rankscale.stats.verdicts import Verdict, verdict
from rankscale.studies.agree.judges import CoefficientOptions
from rankscale.studies.agree.judgments import Judgments
from rankscale.studies.support.selection import check_topics, tested_pairs

OUTCOMES = ("kept", "flipped", "lost", "gained", "neither", "untested")
OBSERVED = ("max_drop", "max_rise")  # differences of places, whose intervals are values drawn
AT_ONCE = 1 << 22  # values of draws that are held at once


@dataclass(frozen=True)
class Statistic:
    """A number about the two orders of runs, with its interval over draws of topics."""

    value: float
    lower: float
    upper: float
    runs: tuple[str, ...] = ()  # whose number it is: the runs that fall or rise most


@dataclass(frozen=True, eq=False)
class PairOutcomes:
    """Pairs of runs tested under both judgments."""

    pairs: Pairs
    p: Floats  # (judgments, pair), corrected; NaN where a pair cannot be tested
    difference: Floats  # (judgments, pair): first less second, in what the test compares, of logarithms for ratios
    alpha: float
    is_ratio: bool = False  # whether that is shown as a ratio of geometric means

    @cached_property
    def outcomes(self) -> NDArray[np.str_]:
        """(pair,): one of OUTCOMES."""
        before, after = np.nan_to_num(self.p, nan=1.0) < self.alpha
        opposite = np.sign(self.difference[0]) * np.sign(self.difference[1]) < 0
        conditions = [np.isnan(self.p).any(axis=0), before & after & opposite, before & after, before, after]
        return np.select(conditions, ["untested", "flipped", "kept", "lost", "gained"], "neither")

    def count(self, outcome: str) -> int:
        """Number of pairs with this outcome."""
        return int(np.count_nonzero(self.outcomes == outcome))

    @property
    def significant(self) -> int:
        """Sig: pairs that differ significantly under the first judgments, of those tested under both."""
        return sum(map(self.count, ("kept", "flipped", "lost")))

    def over(self, *outcomes: str) -> float:
        """Pairs with these outcomes over Sig; undefined (NaN) where that is 0."""
        return sum(map(self.count, outcomes)) / self.significant if self.significant else math.nan


@dataclass(frozen=True, eq=False)
class RunsByTwo:
    """Runs by one measure under two sets of judgments, over the topics where all values are defined.

    Attributes
    ----------
    measure : Measure
        What was measured.
    topics : array (topic,)
        Places of the topics that count.
    values : array (judgments, run, topic)
        Values on these topics.
    means : array (judgments, run)
        Means over them.
    places : array (judgments, run)
        1 + the number of runs with a better mean.
    difference : tuple of Statistic
        Second mean less first, for each run.
    drop : tuple of Statistic
        Second place less first, for each run.
    orders : dict
        mean_difference, rmse, tau, tau_ap, rbo, max_drop and max_rise.
    tests : PairOutcomes or None
        All pairs of runs; None where they cannot be tested.
    untested : str
        Why not.
    """

    measure: Measure
    topics: Ints
    values: Floats
    means: Floats
    places: Ints
    difference: tuple[Statistic, ...]
    drop: tuple[Statistic, ...]
    orders: Mapping[str, Statistic]
    tests: PairOutcomes | None
    untested: str


@dataclass(frozen=True)
class RunPairTest:
    """How pairs of runs are tested."""

    test: Test
    alpha: float
    correction: str | None  # None: Holm's, unless the test corrects by itself

    def outcomes(self, values: Floats) -> PairOutcomes:
        """All pairs, tested under each of the judgments by itself, from values (judgments, run, topic)."""
        if self.test.together and self.correction not in {None, "none"}:
            raise ParameterError(f"{self.test.label} corrects for all pairs by itself; leave the correction out")
        pairs = all_pairs(values.shape[1])
        under = [tested_pairs(pairs, self.correction or "holm", (self.test, one)) for one in values]
        difference, p = map(np.stack, zip(*under, strict=True))
        return PairOutcomes(pairs, p, difference, self.alpha)


def places_of(good: Floats) -> Ints:
    """(..., run): 1 + the number of runs with a better mean, from means of which the higher is the better.

    >>> places_of(np.array([0.42, 0.47, 0.43, 0.35])).tolist()
    [3, 1, 2, 4]
    """
    places: Ints = 1 + (good[..., None, :] > good[..., :, None]).sum(axis=-1)
    return places


def order_statistics(good: Floats) -> dict[str, Floats]:
    """Agreement of two orders of runs, from means (judgments, ..., run) of which the higher is the better.

    The first order is the truth of tau_ap.
    """
    first, second = good
    drop = np.diff(places_of(good), axis=0)[0]
    return {
        "tau": tau_b(first, second),
        "tau_ap": tau_ap(first, second),
        "rbo": rbo_along(first, second),
        "max_drop": drop.max(axis=-1).astype(np.float64),
        "max_rise": (-drop).max(axis=-1).astype(np.float64),
    }


def runs_by_two(
    request: "RunsRequest", measure: Measure, names: Sequence[str], values: Floats, topics: Ints
) -> RunsByTwo:
    """Runs under two sets of judgments, from values (judgments, run, topic) that are all finite.

    `topics` are the places of these topics.
    """
    if not len(topics):
        raise ParameterError(f"{measure}: there is no topic where it is defined for all runs under both judgments")
    confidence, drawn = request.drawn.confidence, drawn_topics(len(topics), request.drawn.draws, request.drawn.seed)
    means, squares = measure.summarise(values), (values[1] - values[0]) ** 2
    good = _good(measure, means)
    places = places_of(good)
    over_draws = _over_draws(measure, values, drawn)
    gaps = (means[1] - means[0]).tolist()
    point = {"mean_difference": fmean(gaps), "rmse": math.sqrt(fmean(squares.ravel().tolist()))}
    point |= {name: float(one) for name, one in order_statistics(good).items()}
    shift = (places[1] - places[0]).tolist()
    moved = [(run, one) for run, one in zip(names, shift, strict=True) if one]
    far = {"max_drop": point["max_drop"], "max_rise": -point["max_rise"]}
    who = {name: tuple(run for run, one in moved if one == most) for name, most in far.items()}
    orders = {
        name: Statistic(value, *interval(over_draws[name], confidence, observed=name in OBSERVED), who.get(name, ()))
        for name, value in point.items()
    }
    difference = _each(gaps, over_draws["difference"], confidence)
    drop = _each(shift, over_draws["drop"], confidence, observed=True)
    tests, untested = _tests(measure, values, request.how)
    return RunsByTwo(measure, topics, values, means, places, difference, drop, orders, tests, untested)


def _tests(measure: Measure, values: Floats, how: RunPairTest) -> tuple[PairOutcomes | None, str]:
    """The outcome for each pair, or why there is none."""
    runs, topics = values.shape[1:]
    if runs < 2:
        return None, "there is one run only"
    if topics < how.test.least_topics:
        return None, f"{how.test.label} needs {how.test.least_topics} topics or more, and there are {topics}"
    outcomes = how.outcomes(measure.averaged(values))
    return replace(outcomes, is_ratio=measure.compared_by_ratio and how.test.in_values), ""


def _good(measure: Measure, means: Floats) -> Floats:
    """Means that are equal where they differ by rounding only; higher is better."""
    rounded = measure.comparable(means)
    return -rounded if measure.low_is_good else rounded


def _each(
    values: Sequence[float], over_draws: Floats, confidence: float, *, observed: bool = False
) -> tuple[Statistic, ...]:
    """A number of each run with its interval, from (draw, run)."""
    drawn = zip(values, over_draws.T, strict=True)
    return tuple(Statistic(value, *interval(one, confidence, observed=observed)) for value, one in drawn)


def _over_draws(measure: Measure, values: Floats, drawn: Ints) -> dict[str, Floats]:
    """All statistics of each draw; draws of the same topics are computed once."""
    runs, topics = values.shape[1:]
    if topics < FEWEST_TOPICS:
        drawn = drawn[:0]
    distinct, place = np.unique(np.sort(drawn, axis=1), axis=0, return_inverse=True)
    step = max(1, AT_ONCE // max(1, values.size))
    chunks = [distinct[start : start + step] for start in range(0, len(distinct), step)]
    means = [measure.summarise(values[:, :, rows]).swapaxes(1, 2) for rows in chunks]  # (judgments, draw, run)
    every = np.concatenate([np.empty((2, 0, runs)), *means], axis=1)
    squares = ((values[1] - values[0]) ** 2).sum(axis=0)  # (topic,)
    good = _good(measure, every)
    places, made = places_of(good), order_statistics(good)
    made["rmse"] = np.sqrt(squares[distinct].sum(axis=1) / (runs * max(topics, 1)))
    made["difference"], made["drop"] = every[1] - every[0], (places[1] - places[0]).astype(np.float64)
    made["mean_difference"] = made["difference"].mean(axis=1)
    return {name: one[place.ravel()] for name, one in made.items()}


@dataclass(frozen=True, eq=False)
class JudgedRuns:
    """Runs under both sets of judgments.

    Attributes
    ----------
    evaluations : tuple of Evaluation
        Under A, and under B.
    by_measure : tuple of RunsByTwo
        For each measure: means, orders and pairs of runs.
    verdicts : tuple of Verdict
        For each measure, whether the test is meaningful on its scale.
    unjudged : array (judgments, run)
        Mean share of the first ranks that hold an unjudged document.
    """

    evaluations: tuple[Evaluation, Evaluation]
    by_measure: tuple[RunsByTwo, ...]
    verdicts: tuple[Verdict, ...]
    unjudged: Floats


@dataclass(frozen=True, eq=False)
class UnderOne:
    """Runs under one set of judgments."""

    qrels: Qrels
    evaluation: Evaluation
    unjudged: Floats  # (run, topic): share of the first ranks that hold an unjudged document


@dataclass(frozen=True)
class RunsRequest:
    """Runs that are to be measured under two sets of judgments, and how they are compared."""

    runs: RunsLike
    measures: Sequence[Measure]
    judgments: Judgments
    how: RunPairTest
    drawn: CoefficientOptions  # of draws of topics
    unjudged_at: int
    missing: SameTopics
    progress: Progress | None
    options: EvaluateOptions

    def read(self, qrels: Qrels) -> tuple[list[Run], tuple[Notice, ...]]:
        """The runs, read once over the documents of `qrels`, and notices of names that were changed."""
        reading = reading_of(self.options, keep_scores=any(measure.needs_scores for measure in self.measures))
        return runs_with_names(qrels, read_with_progress(qrels, self.runs, reading, self.progress), reading)

    def under(self, qrels: Qrels, runs: Sequence[Run]) -> UnderOne:
        """The runs, once read, under one set of judgments."""
        judged_only, executor = self.options.get("judged_only", False), self.options.get("executor")
        evaluation = evaluate(
            qrels, runs, self.measures, missing=self.missing, judged_only=judged_only, executor=executor
        )
        holes = evaluate(qrels, runs, Hole(depth=self.unjudged_at), missing=self.missing)
        return UnderOne(qrels, evaluation, holes.values[0])


def judged_runs(
    request: RunsRequest, first: UnderOne, second: UnderOne, topics: Bools | None = None
) -> tuple[JudgedRuns, tuple[Notice, ...]]:
    """Runs compared under two sets of judgments, over all topics or those given, (topic,), and notices of topics."""
    before, after = first.evaluation, second.evaluation
    check_topics(before)
    there = retrieved_by_all(before) if topics is None else retrieved_by_all(before) & topics
    unjudged = np.stack([one.unjudged[:, there].mean(axis=-1) for one in (first, second)])
    values = np.stack([before.values, after.values], axis=1)  # (measure, judgments, run, topic)
    finite: Bools = np.isfinite(values).all(axis=(1, 2)) & there  # (measure, topic)
    by_measure = tuple(
        runs_by_two(request, measure, before.runs, of[:, :, kept], np.flatnonzero(kept))
        for measure, of, kept in zip(before.measures, values, finite, strict=True)
    )
    levels = first.qrels.judged_levels
    verdicts = tuple(verdict(measure, request.how.test, levels) for measure in before.measures)
    return JudgedRuns((before, after), by_measure, verdicts, unjudged), notes(_left_out(before, finite, there))


def notices_of_both(evaluations: tuple[Evaluation, Evaluation], sources: tuple[str, str]) -> Iterator[Notice]:
    """Notices under both judgments, without those of reading qrels; those under one alone name it."""
    first, second = (
        {_without_qrels(one): one for one in evaluation.notices if one.kind != "form"} for evaluation in evaluations
    )
    for key, notice in first.items():
        yield notice if key in second or notice.kind == SUBTOPICS else notice.within(sources[0])
    for key, notice in second.items():
        if key in first or (notice.kind == SUBTOPICS and notice["source"] not in sources):  # filled from both
            continue
        yield notice if notice.kind == SUBTOPICS else notice.within(sources[1])


def _without_qrels(notice: Notice) -> Notice:
    """The notice without the name of the qrels, which is all that may differ."""
    return Notice(notice.kind, tuple(field for field in notice.fields if field[0] != "qrels"))


def _left_out(evaluation: Evaluation, finite: Bools, there: Bools) -> Iterator[str]:
    of = int(np.count_nonzero(there))
    for measure, kept in zip(evaluation.measures, finite, strict=True):
        lacking = [evaluation.topics[place] for place in np.flatnonzero(there & ~kept).tolist()]
        if lacking:
            are = "topic is" if len(lacking) == 1 else "topics are"
            why = f"undefined or infinite there for some run under A or B ({listed(lacking)})"
            yield f"{measure}: {len(lacking)} of {of} {are} left out for all runs, {why}"
        if of - len(lacking) < FEWEST_TOPICS:
            yield f"{measure}: intervals are over draws of topics, and there is one topic only: there are none"
