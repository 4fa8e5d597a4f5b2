"""Tuning: parameters of a method of fusion chosen on some topics and measured on others."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Annotated, Unpack

import numpy as np

from rankscale.data.arguments import AtLeast, DrawCount, Positive, Seed, Share, check_arguments
from rankscale.data.arrays import Bools, Floats, frozen
from rankscale.data.names import listed
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.table import Cell, Table
from rankscale.errors import InputError, ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.fusion.fuse import DEPTH, Fusion, MissingTopics, Scores, following, fused
from rankscale.fusion.grids import JudgedLists, Point, folds_of, grid_of
from rankscale.fusion.methods import Method
from rankscale.inputs.options import Reading, SourceOptions, whole_number
from rankscale.inputs.rankings import Lists, read_lists
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse_all
from rankscale.stats.resampling.draws import FEWEST_TOPICS, drawn_topics, draws_from, interval
from rankscale.stats.verdicts import SUMMARIES, verdict
from rankscale.studies.support.study import Study


@dataclass(frozen=True)
class Fold:
    """Topics that were held out together, and what was chosen on all others."""

    topics: tuple[str, ...]
    method: Method
    training_mean: float
    held_out_mean: float


@dataclass(frozen=True, eq=False, repr=False)
class FusionTuning(Study):
    """Result of `tune_fusion`: what tuned fusion is worth on topics that it was not tuned on.

    Attributes
    ----------
    evaluation : Evaluation
        Held-out values of the fused run, then those of the runs that were fused: what comparisons are to use.
    measure : Measure
        What was tuned for.
    folds : tuple of Fold
        Topics, chosen parameters, training and held-out mean of each fold.
    grid : tuple of Method
        All that was tried, in this order.
    grid_means : array of float
        (point,): mean of each on all topics: in sample.
    final : Method
        The best on all topics, to be used from now on. It is not evaluated.
    confidence, draws, seed
        Confidence level of intervals, draws of topics that they are computed from, random seed of draws and folds.
    depth : int
        Where fused rankings are cut.
    notices : tuple of Notice
        What users should know about the result.
    """

    evaluation: Evaluation
    measure: Measure
    folds: tuple[Fold, ...]
    grid: tuple[Method, ...]
    grid_means: Floats
    final: Method
    confidence: float
    draws: DrawCount
    seed: int
    depth: int
    lists: Lists
    notices: tuple[Notice, ...]

    @property
    def held_out_mean(self) -> float:
        """Mean over all topics, each with the parameters of its fold."""
        return float(self.measure.summarise(self.evaluation.values[0, 0]))

    @property
    def in_sample_mean(self) -> float:
        """The best mean on all topics, by parameters that were chosen on the same topics: optimistic."""
        return float(self.grid_means[self.grid.index(self.final)])

    def fuse_held_out(self, name: str | None = None, scores: Scores = "value") -> Fusion:
        """The run in which each topic is fused with the parameters of its fold: to be compared with others."""
        by_topic = {topic: fold.method for fold in self.folds for topic in fold.topics}
        label = f"{self.final.name}-held-out" if name is None else name
        return fused(self.lists, by_topic, depth=self.depth, scores=scores, name=label)

    def fuse(self, name: str | None = None, scores: Scores = "value") -> Fusion:
        """The runs fused with the final parameters, on all their topics."""
        return fused(self.lists, self.final, depth=self.depth, scores=scores, name=name)

    def interval(self, run: int = 0) -> tuple[float, float]:
        """Percentile interval of the mean of a run of the evaluation over draws of topics."""
        values = self.evaluation.values[0, run]
        defined = values[~np.isnan(values)]
        if len(defined) < FEWEST_TOPICS:
            return np.nan, np.nan
        drawn = drawn_topics(len(defined), self.draws, self.seed)
        return interval(self.measure.summarise(defined[drawn]), self.confidence)

    def tables(self) -> Mapping[str, Table]:
        """`tuning`, `folds`, `topics` (held-out values) and `grid` (means in sample)."""
        folds = [
            (number, str(fold.method), len(fold.topics), fold.training_mean, fold.held_out_mean, " ".join(fold.topics))
            for number, fold in enumerate(self.folds, start=1)
        ]
        fold_of = {topic: number for number, fold in enumerate(self.folds) for topic in fold.topics}
        values = zip(self.evaluation.topics, self.evaluation.values[0, 0].tolist(), strict=True)
        topics = [(t, fold_of[t] + 1, str(self.folds[fold_of[t]].method), value) for t, value in values]
        return {
            "tuning": Table.of(("result", "parameters", "topics", "mean", "lower", "upper"), self._results()),
            "folds": Table.of(("fold", "parameters", "topics", "training_mean", "held_out_mean", "held_out"), folds),
            "topics": Table.of(("topic", "fold", "parameters", "value"), topics),
            "grid": Table.of(
                ("parameters", "mean_in_sample"),
                zip(map(str, self.grid), self.grid_means.tolist(), strict=True),
            ),
        }

    def _results(self) -> Iterator[tuple[Cell, ...]]:
        values = self.evaluation.values[0]
        counted = np.count_nonzero(~np.isnan(values), axis=-1).tolist()
        means = self.measure.summarise(values).tolist()
        yield "held out", "by fold", counted[0], means[0], *self.interval()
        for run, name in enumerate(self.evaluation.runs[1:], start=1):
            yield f"run {name}", "", counted[run], means[run], *self.interval(run)
        yield "in sample, optimistic", str(self.final), counted[0], self.in_sample_mean, math.nan, math.nan
        yield "final, not evaluated", str(self.final), None, math.nan, math.nan, math.nan

    def shown(self) -> tuple[str, ...]:
        """The results, and the folds below them."""
        return "tuning", "folds"

    def sentence(self) -> str:
        """The held-out mean with its interval, and what the scale of the measure supports."""
        lower, upper = self.interval()
        ends = "" if math.isnan(lower) else f" ({self.confidence:.0%} interval {lower:.4f} to {upper:.4f})"
        scale = verdict(self.measure, SUMMARIES[self.measure.summary], self.evaluation.judged_levels)
        return (
            f"Tuned on {len(self.folds)} folds, {self.final.name} has a held-out {self.measure.summed_up} of "
            f"{self.measure} of {self.held_out_mean:.4f}{ends}; {len(self.grid)} parameters were tried. The final "
            f"parameters, {self.final}, are chosen on all topics and are not evaluated.\n"
            f"Caution: report the held-out value. The one in sample ({self.in_sample_mean:.4f}) is optimistic: its "
            f"parameters were chosen by the topics that it is measured on.\n{scale}."
        )

    @property
    def settings(self) -> Mapping[str, object]:
        """Method, norm, grid size, folds, seed and draws."""
        return {
            "study": "tune-fusion",
            "method": self.final.name,
            "norm": self.final.norm,
            "grid": len(self.grid),
            "folds": len(self.folds),
            "seed": self.seed,
            "depth": self.depth,
            "draws": self.draws,
            "confidence": self.confidence,
        }


def tune_fusion(
    qrels: QrelsLike,
    runs: RunsLike,
    measure: AnyMeasure,
    method: str = "WSum",
    *,
    norm: str | None = None,
    grid: Sequence[Point] | None = None,
    step: float = 0.1,
    folds: Annotated[int, AtLeast(2)] = 5,
    seed: Seed = 0,
    depth: Positive = DEPTH,
    missing: MissingTopics = "zero",
    confidence: Share = 0.95,
    draws: int | str = 1000,
    **options: Unpack[SourceOptions],
) -> FusionTuning:
    """Tune a method of fusion on folds of topics, and measure it on the topics that were held out.

    Parameters
    ----------
    qrels
        Judgments, in any form that `read_qrels` takes.
    runs
        Two runs or more, in any form that `evaluate` takes.
    measure
        What to tune for, such as 'nDCG@10'.
    method
        'WSum' (weights), 'RRF' (k), 'RBC' (phi) or, with a grid, 'logNISR' (sigma).
    norm
        Norm of scores, as in `fuse`.
    grid
        Values of the parameter to try, in this order; tuples of weights for WSum. By default all weights in multiples
        of `step` that sum to 1, k = 10, 20, ..., 100, and phi = 0.1, 0.2, ..., 0.9.
    step
        Step of weights.
    folds
        Number of folds, from 2 to the number of topics.
    seed
        Random seed of the folds, and of the draws of topics for intervals.
    depth
        Rank at which fused rankings are cut.
    missing
        Rule for topics that some runs lack, as in `fuse`. Topics of the qrels that no run has are empty rankings, and
        with 'common' they are left out.
    confidence
        Confidence level of intervals.
    draws
        Random draws of topics for intervals, or 'all' draws that there are, for up to 6 topics.
    **options
        Keywords on reading, as `evaluate` explains them: order, max_size, threads.

    Returns
    -------
    FusionTuning
        The held-out mean with its interval, the folds, the final parameters; `fuse` fuses with these.

    Raises
    ------
    InputError
        If runs and qrels share no topic.
    ParameterError
        If the method has nothing to tune, if there are more folds than topics, or if the measure has no direction.

    Notes
    -----
    Folds are made of all topics of the qrels; those on which the measure is undefined are left out of every mean. For
    each fold the point of the grid with the best mean on the other folds is taken, the first of those that are
    equal to 8 significant digits. The best mean on all topics is in sample: it is optimistic, and no result.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {str(topic): {"a": 1} for topic in range(4)}
    >>> good, bad = ({topic: {first: 2, second: 1} for topic in qrels} for first, second in ("ab", "ba"))
    >>> tuned = rs.tune_fusion(qrels, {"good": good, "bad": bad}, "RR", step=0.5, folds=2)
    >>> tuned.held_out_mean, str(tuned.final)
    (1.0, 'WSum(weights=1,0)')
    """
    check_arguments(tune_fusion, locals())
    wanted, number = _one(measure), draws_from(draws)
    chosen, cut = Method.of(method, norm), whole_number("depth", depth) or DEPTH
    reading = Reading(**options)
    judgments = read_qrels(qrels, max_size=reading.max_size)
    lists = following(read_lists(runs, reading, judgments), missing)
    points = grid_of(chosen, len(lists.runs), step, grid)
    for point in points:
        point.check_runs(lists.runs)
    judged = JudgedLists(lists, judgments)
    if not judged.topics:
        raise InputError(f"runs and {judgments.source} share no topic: are these the qrels of these runs?")
    tried, inputs = (evaluate(judgments, one, wanted) for one in (judged.fused(points, cut), judged.inputs()))
    kept, left_out = _counted(tried.values[0], inputs.values[0], judgments, lists, missing)
    values = np.where(kept, tried.values[0], np.nan)
    held_out = np.full(len(kept), np.nan)
    made = []
    for places in folds_of(len(kept), folds, seed):
        means = wanted.summarise(np.delete(values, places, axis=1))
        best = _best(wanted, means)
        held_out[places] = values[best, places]
        topics = tuple(judgments.topics[place] for place in places if kept[place])
        made.append(Fold(topics, points[best], float(means[best]), float(wanted.summarise(held_out[places]))))
    means = frozen(wanted.summarise(values))
    return FusionTuning(
        evaluation=_evaluation(inputs, held_out[kept], kept, chosen.name),
        measure=wanted,
        folds=tuple(made),
        grid=tuple(points),
        grid_means=means,
        final=points[_best(wanted, means)],
        confidence=confidence,
        draws=number,
        seed=seed,
        depth=cut,
        lists=lists,
        notices=(*lists.notices, *judgments.notices, *notes(left_out)),
    )


def _one(measure: AnyMeasure) -> Measure:
    """The measure that is tuned for; ParameterError for several, and for one of which neither end is the better."""
    measures = parse_all(measure)
    if len(measures) != 1:
        raise ParameterError(f"one measure is tuned for, got {len(measures)}")
    if measures[0].direction_note:
        raise ParameterError(
            f"tuning needs a measure of which more, or less, is better; {measures[0]}: {measures[0].direction_note}"
        )
    return measures[0]


def _counted(
    tried: Floats, inputs: Floats, qrels: Qrels, lists: Lists, missing: MissingTopics
) -> tuple[Bools, list[str]]:
    """(topic,): those that count, where all values are defined; and sentences about others."""
    kept: Bools = ~np.isnan(np.concatenate([tried, inputs])).any(axis=0)
    sentences = []
    undefined = list(compress(qrels.topics, ~kept))
    if undefined:
        sentences.append(f"the measure is undefined on {len(undefined)} topics ({listed(undefined)}), left out")
    there = np.array([topic in lists.by_topic for topic in qrels.topics])
    absent = list(compress(qrels.topics, ~there))
    if absent:
        what = "left out" if missing == "common" else "counted as empty rankings"
        sentences.append(f"{len(absent)} of {len(qrels.topics)} topics of the qrels ({listed(absent)}) are {what}")
        if missing == "common":
            kept &= there
    unknown = [topic for topic in lists.topics if topic not in set(qrels.topics)]
    if unknown:
        sentences.append(
            f"{len(unknown)} topics of the runs are not in the qrels ({listed(unknown)}), and not tuned on"
        )
    return kept, sentences


def _best(measure: Measure, means: Floats) -> int:
    """The first of the best means, equal where they differ by rounding; the first of all where none is defined."""
    worst = np.inf if measure.low_is_good else -np.inf
    rounded = measure.comparable(np.where(np.isnan(means), worst, means))
    return int(np.argmin(rounded) if measure.low_is_good else np.argmax(rounded))


def _evaluation(inputs: Evaluation, held_out: Floats, kept: Bools, name: str) -> Evaluation:
    """Held-out values before those of the runs that were fused, on the topics that count."""
    topics = tuple(compress(inputs.topics, kept))
    label = f"{name} (held out)"
    return replace(
        inputs,
        runs=(label, *inputs.runs),
        topics=topics,
        values=frozen(np.concatenate([held_out[None, None], inputs.values[:, :, kept]], axis=1)),
        retrieved=frozen(np.ones((1 + len(inputs.runs), len(topics)), dtype=bool)),
        sources=(inputs.sources[0], label, *inputs.sources[1:]),
        notices=(),
    )
