"""How far the order of runs holds when there are fewer judgments.

Judgments are taken away, by chance or from the bottom of the pool, and the runs are judged again with what is left.
Kendall's tau-b between the order of runs then and with all judgments says how much a measure depends on judgments that
a poorer collection would not have (Ferro et al., the Twist paper, Figure 13; Moffat and Zobel, TOIS 27(1), 2008,
Figures 2 and 4). A topic that is left without relevant documents counts as 0 or, where a measure is undefined there,
not at all; with all judgments it counts in both cases.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Annotated, Any, Unpack

import numpy as np

from rankscale.data.arguments import Declaration, OneOf, Positive, Seed, Share, check_arguments
from rankscale.data.arrays import Floats, Ints, NDArray, frozen
from rankscale.data.notices import Notice, notes
from rankscale.data.resources import need_for_study
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError, Setting
from rankscale.evaluation.options import EvaluateOptions, Progress, SameTopics
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.outputs.pictures import Lines
from rankscale.outputs.results import Page
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.stats.tests.base.test import check_alpha
from rankscale.stats.tests.register import level_test
from rankscale.studies.discriminate import LEVEL_TESTS, DiscriminativePower, too_few_draws
from rankscale.studies.pooling import best_ranks, check_depth, chosen_runs
from rankscale.studies.robustness.sampling import PoolDepth, Random, Sampling, Stratified
from rankscale.studies.support.selection import (
    Rejudging,
    RejudgingRequest,
    compared,
    over_iterations,
    rejudging_request,
)
from rankscale.studies.support.study import ArrayOfCells, Study, in_turn, table_of_arrays

SAMPLE_BYTES, VALUE_BYTES = 40, 72  # of a mean of a sample, and of a value while runs are measured again
SAMPLINGS = ("stratified", "random", "depth")


@dataclass(frozen=True, eq=False, repr=False)
class Robustness(Study):
    """Result of `robustness`: the order of runs with fewer judgments.

    Attributes
    ----------
    evaluation : Evaluation
        Values with all judgments.
    sampling : Sampling
        How judgments are sampled.
    sizes : tuple of float
        Percentages of judgments kept, or depths of the pool.
    iterations : int
        Samples of each size.
    seed : int
        Random seed.
    pooled : tuple of str, optional
        Names of the pooled runs, if not all are.
    all_judgments : int
        Number of judgments, without those of negative grades.
    full_means : array of float
        (measure, run), with all judgments.
    tau : array of float
        (measure, size, iteration): Kendall's tau-b with the means of all judgments, over runs.
    means : array of float
        (measure, size, iteration, run).
    topics : array of int
        (measure, size, iteration): number of topics of the means.
    judgments : array of int
        (size, iteration): number of judgments kept.
    tested : Power, optional
        The test and level of discriminative power, if requested.
    full_power : array of float, optional
        (measure,), with all judgments.
    power : array of float, optional
        (measure, size, iteration).
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    evaluation: Evaluation
    sampling: Sampling
    sizes: tuple[float, ...]
    iterations: int
    seed: int
    pooled: tuple[str, ...] | None
    all_judgments: int
    full_means: Floats
    tau: Floats
    means: Floats
    topics: Ints
    judgments: Ints
    tested: DiscriminativePower | None
    full_power: Floats | None
    power: Floats | None
    notices: tuple[Notice, ...]

    def tables(self) -> Mapping[str, Table]:
        """Tau, power if requested, mean values of runs, and the numbers of each iteration."""
        measures, sizes = {"measure": self._measures}, [_number(size) for size in self.sizes]
        judgments = [_number(float(left.mean())) for left in self.judgments]
        tau, deviation = over_iterations(self.tau)
        taus = {"tau": tau, "deviation": deviation, "lowest": np.fmin.reduce(self.tau, axis=-1)}
        means = _with_all("mean", self.full_means, np.moveaxis(self.means, -1, 1))
        numbers = {"judgments": self.judgments, "topics": self.topics, "tau": self.tau}
        tables = {"tau": table_of_arrays([measures, {"size": sizes, "judgments": judgments}], taus)}
        if self.power is not None and self.full_power is not None:
            powers = _with_all("power", self.full_power, self.power)
            judgments = [self.all_judgments, *judgments]
            tables["power"] = table_of_arrays([measures, {"size": [None, *sizes], "judgments": judgments}], powers)
            numbers["power"] = self.power
        runs, iterations = {"run": self.evaluation.runs}, {"iteration": tuple(range(1, self.iterations + 1))}
        tables["means"] = table_of_arrays([measures, runs, {"size": [None, *sizes]}], means)
        return {**tables, "iterations": table_of_arrays([measures, {"size": sizes}, iterations], numbers)}

    @property
    def _measures(self) -> list[str]:
        return [str(measure) for measure in self.evaluation.measures]

    @property
    def settings(self) -> Mapping[str, object]:
        """The options of sampling and of the test."""
        tested = self.tested
        return {
            "study": "robustness",
            "sampling": self.sampling.name,
            **self.sampling.settings,
            "sizes": tuple(map(_number, self.sizes)),
            "iterations": self.iterations,
            "seed": self.seed if self.sampling.by_chance or tested else None,
            "pooled": self.pooled,
            "power": tested.test.name if tested else None,
            "samples": tested.test.samples if tested else None,
            "alpha": tested.alpha if tested else None,
        }

    def overview(self) -> Table:
        """One row for each size, one column for each measure: the mean tau."""
        mean, _ = over_iterations(self.tau)
        columns: dict[str, Sequence[Cell]] = {
            self.sampling.heading: list(map(self.sampling.size_label, self.sizes)),
            "judgments": [round(float(left)) for left in self.judgments.mean(axis=-1)],
        }
        return Table(columns | dict(zip(self._measures, mean.tolist(), strict=True)))

    def shown_tables(self) -> list[Table]:
        """The overview, and power where it was requested."""
        return [self.overview(), *([] if self.power is None else [self._tables["power"]])]

    def page(self) -> Page:
        """What a notebook shows: the tables, and tau over the sizes as a line for each measure."""
        mean, _ = over_iterations(self.tau)
        order = np.argsort(self.sizes)
        sizes = np.asarray(self.sizes, dtype=np.float64)[order].tolist()
        lines = Lines("tau by what is kept", list(self._measures), sizes, mean[:, order].tolist())
        return replace(super().page(), pictures=[lines])

    def sentence(self) -> str:
        """What is compared, and the largest standard deviation over iterations."""
        runs, topics = len(self.evaluation.runs), int(np.count_nonzero(self.evaluation.retrieved.all(axis=0)))
        what = (
            f"Kendall's tau-b between the order of {runs} runs with the judgments that are left and with all "
            f"{self.all_judgments:,} ({topics} topic{'s' * (topics != 1)})"
        )
        _, deviation = over_iterations(self.tau)
        if np.isnan(deviation).all():
            return f"{what}."
        m, s = np.unravel_index(int(np.nanargmax(deviation)), deviation.shape)
        where = f"{self._measures[m]} at {self.sampling.size_label(self.sizes[s])}"
        return (
            f"{what}, mean of {self.iterations} iterations; standard deviations are at most "
            f"{deviation[m, s]:.4f} ({where})."
        )


def _with_all(name: str, full: Floats, sampled: Floats) -> dict[str, ArrayOfCells]:
    """Means over iterations, with all judgments first, and their deviations: (..., 1 + size), from (..., iteration)."""
    mean, deviation = over_iterations(sampled)
    nothing = np.full((*full.shape, 1), None)
    return {
        name: np.concatenate([full[..., None], mean], axis=-1),
        "deviation": np.concatenate([nothing, deviation], axis=-1),
    }


def robustness(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure],
    *,
    sampling: Annotated[str, OneOf(SAMPLINGS)] | Sampling = "stratified",
    sizes: Iterable[float] | None = None,
    iterations: Positive = 10,
    seed: Seed = 0,
    rel: float = 1,
    pooled: Iterable[str] | None = None,
    top: Share | None = None,
    power: Annotated[str, OneOf(LEVEL_TESTS)] | None = None,
    samples: Positive = 1000,
    alpha: Share = 0.05,
    missing: SameTopics = "zero",
    progress: Progress | None = None,
    **options: Unpack[EvaluateOptions],
) -> Robustness:
    """Test whether fewer judgments give the same order of runs.

    Judgments are removed, and runs judged again. The answer is Kendall's tau-b between both orders, its mean over
    samples for each measure and size. Documents whose judgments are removed become unjudged.

    Parameters
    ----------
    qrels, runs, measures, missing, progress, **options
        As in `evaluate`: judged_only, depth, grades, negative, order, max_size, threads, executor; not missing='skip'.
    sampling : {'stratified', 'random', 'depth'} or Sampling
        Remove judgments at random, from each topic and grade (stratified) or each topic (random), or below a depth of
        the pool.
    sizes : sequence of float, default 90,70,50,30,10, or depths 100,50,20,10
        Percentages of judgments to keep, or depths. Stratified samples keep at least 1 document of each relevant grade
        and 10 that are not relevant of each topic, so that small topics keep more.
    iterations : int
        Samples of each size.
    seed : int
        Random seed for resampling.
    rel : float
        Lowest relevant grade.
    pooled : sequence of str, default all runs
        Names of the runs whose documents were pooled, with sampling 'depth' only.
    top : float, default all runs
        Use only this share of the runs, the best by mean AP.
    power : str, default none
        Add discriminative power, the share of pairs of runs that differ significantly by this test: bootstrap or
        randomised tukey.
    samples : int
        Resamples of the test of `power`.
    alpha : float
        Significance level of the test of `power`.

    Returns
    -------
    Robustness
        Tau by measure and size: the table 'tau'. Other tables are 'means' and 'iterations'.

    Raises
    ------
    ParameterError
        If there are no sizes, or `sampling` is unknown.

    Notes
    -----
    With sampling 'depth' nothing is drawn, and one iteration is made.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {"301": {"a": 1, "b": 0, "c": 1}}
    >>> runs = {"x": {"301": {"a": 3, "b": 2, "c": 1}}, "y": {"301": {"b": 2, "c": 1}}, "z": {"301": {"d": 1}}}
    >>> result = rs.robustness(qrels, runs, ["AP"], sampling="depth", sizes=[2, 1])
    >>> print(result)
    depth  judgments      AP
    2              3  1.0000
    1              2  0.8165
    <BLANKLINE>
    Kendall's tau-b between the order of 3 runs with the judgments that are left and with all 3 (1 topic).

    Command line
    ------------
        rankscale robustness qrels.txt runs/*.gz -m AP -m Bpref --top 0.75
        rankscale robustness qrels.txt runs/*.gz -m AP --sampling depth --sizes 50,10
        rankscale robustness qrels.txt runs/*.gz -m nDCG@10 --table means -o means.parquet
    """
    check_arguments(robustness, locals())
    check_alpha(alpha)
    tested = None if power is None else DiscriminativePower(level_test(power, samples, seed), alpha)
    if iterations < 1:
        raise ParameterError(f"iterations must be 1 or more, got {iterations}")
    if seed < 0:
        raise ParameterError(f"the seed must be a whole number from 0, got {seed}")
    ready = rejudging_request(qrels, runs, measures, top=top, rel=rel, missing=missing, **options)
    chosen_names = None if pooled is None else tuple(pooled)
    chosen = _sampling(sampling, ready, rel, chosen_names)
    wanted = tuple(dict.fromkeys(chosen.usual if sizes is None else map(float, sizes)))
    if not wanted:
        raise ParameterError("there are no sizes: give one or more, such as 50")
    for size in wanted:
        chosen.check(size)
    if isinstance(chosen, PoolDepth):
        check_depth(ready.every, int(max(wanted)))
    iterations = iterations if chosen.by_chance else 1
    looked_at = ready.judging
    size = iterations * len(wanted) * len(looked_at.measures) * (len(looked_at.runs) + 1) * SAMPLE_BYTES
    again = len(looked_at.runs) * len(looked_at.topics) * len(looked_at.measures) * VALUE_BYTES
    need_for_study("robustness", len(looked_at.runs), len(looked_at.topics), size + again)
    work = partial(_drawn, looked_at, chosen, seed, tested)
    draws = list(product(range(iterations), wanted))
    of_draws = in_turn(work, draws, options.get("executor"), progress)
    drawn_means, drawn_topics, judgments, powers = zip(*of_draws, strict=True)
    shape = (iterations, len(wanted))
    means, topics = _by_measure(drawn_means, shape), _by_measure(drawn_topics, shape)
    full = ready.values.means()
    of_means = compared(full, ready.judging.measures)[:, None, None]
    tau = tau_b(np.broadcast_to(of_means, means.shape), compared(means, ready.judging.measures))
    return Robustness(
        evaluation=ready.evaluation,
        sampling=chosen,
        sizes=wanted,
        iterations=iterations,
        seed=seed,
        pooled=chosen_names if isinstance(chosen, PoolDepth) else None,
        all_judgments=int(np.count_nonzero(ready.judging.qrels.is_judged)),
        full_means=frozen(full),
        tau=frozen(tau),
        means=frozen(means),
        topics=frozen(topics),
        judgments=frozen(np.array(judgments).reshape(shape).T.copy()),
        tested=tested,
        full_power=None if tested is None else frozen(tested.of_each(ready.values)),
        power=None if tested is None else frozen(_by_measure(powers, shape)),
        notices=(
            *ready.notices,
            *notes(_other_rel(ready.judging.measures, chosen)),
            *notes(_warnings(ready, chosen, wanted, topics, tau)),
            *notes(() if tested is None else too_few_draws(samples, alpha)),
        ),
    )


def _drawn(
    judging: Rejudging, sampling: Sampling, seed: int, tested: DiscriminativePower | None, draw: tuple[int, float]
) -> tuple[Floats, Ints, int, Floats]:
    """One size in one iteration. All sizes of an iteration come from the same random numbers, and so are nested.

    Returns means (measure, run), the topics that they are over (measure,), how many judgments are kept, and power
    (measure,) if it was requested.
    """
    iteration, size = draw
    kept = sampling.kept(judging.qrels, size, np.random.default_rng([seed, iteration]))
    values = judging.values(kept)
    power = tested.of_each(values) if tested else np.array([])
    return values.means(), values.topics, int(np.count_nonzero(kept & judging.qrels.is_judged)), power


def _sampling(
    sampling: str | Sampling, ready: RejudgingRequest, rel: float, pooled: tuple[str, ...] | None
) -> Sampling:
    if pooled is not None and sampling != "depth":
        raise ParameterError("pooled names the runs of a pool: it goes with ", Setting("sampling", "depth"))
    if isinstance(sampling, Sampling):
        return sampling
    if sampling not in SAMPLINGS:
        raise ParameterError(f"sampling must be one of {', '.join(map(repr, SAMPLINGS))}, got {sampling!r}")
    if sampling == "depth":
        return PoolDepth(frozen(best_ranks(ready.judging.qrels, chosen_runs(ready.every, pooled))))
    return Random() if sampling == "random" else Stratified(rel)


def _by_measure(arrays: Sequence[NDArray[Any]], shape: tuple[int, int]) -> NDArray[Any]:
    """Arrays of each iteration and size, (measure, ...), as one: (measure, size, iteration, ...)."""
    together = np.stack(arrays)
    return np.moveaxis(together.reshape(*shape, *together.shape[1:]), (0, 1), (2, 1)).copy()


def _other_rel(measures: Sequence[Measure], sampling: Sampling) -> Iterator[str]:
    """A warning if the sampling takes other grades for relevant than every measure does."""
    thresholds = sorted({measure.threshold for measure in measures if measure.threshold is not None})
    if isinstance(sampling, Stratified) and thresholds and sampling.rel not in thresholds:
        grades = ", ".join(f"{rel:g}" for rel in thresholds)
        yield f"samples take grades from {sampling.rel:g} on for relevant, measures from {grades} on: give rel to both"


def _warnings(
    ready: RejudgingRequest, sampling: Sampling, sizes: Sequence[float], topics: Ints, tau: Floats
) -> Iterator[str]:
    """Warnings about topics where measures became undefined, and about orders that cannot be compared."""
    lacking = ready.values.topics[:, None] - topics.min(axis=-1)  # (measure, size)
    for measure, by_size in zip(ready.evaluation.measures, lacking, strict=True):
        if by_size.any():
            worst = int(by_size.argmax())
            number = f"{by_size[worst]} topic{'s' * bool(by_size[worst] > 1)}"
            where = sampling.size_label(sizes[worst])
            yield f"{measure} becomes undefined on up to {number} at {where}, and its means there leave them out"
    for undefined, why in (
        (np.isnan(tau) & (topics > 0), "runs have equal means there, or with all judgments"),
        (topics == 0, "no topic is left on which all runs have a value"),
    ):
        for measure, number in zip(ready.evaluation.measures, np.count_nonzero(undefined, axis=(1, 2)), strict=True):
            if number:
                yield f"tau of {measure} is undefined for {number} of {undefined[0].size} samples: {why}"


def _number(size: float) -> int | float:
    """A size as people write it."""
    return int(size) if float(size).is_integer() else size


COMMAND = Declaration(
    robustness,
    source="runs",
    measures=("nDCG@10", "AP", "Bpref", "RBP(p=0.8)", "Twist"),
    shared=("collections", "missing", "judging", "reading", "executing"),
    tables=("tau", "power", "means", "iterations"),
    tables_with={"power": "power"},
)
