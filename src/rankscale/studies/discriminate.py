"""How many pairs of runs a measure tells apart: achieved significance levels, discriminative power, and delta.

A measure that calls more pairs of runs different, with the same runs, topics and draws, is the more reliable one as far
as that goes: it says nothing of whether the measure is right about users (Sakai, SIGIR 2006).
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, partial
from typing import Annotated

import numpy as np

from rankscale.data.arguments import Declaration, OneOf, Positive, Seed, ValueKind, check_arguments
from rankscale.data.arrays import Bools, Floats, frozen
from rankscale.data.notices import Notice, notes
from rankscale.data.resources import need_for_study
from rankscale.data.table import Table
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.result import Evaluation, expected
from rankscale.executors import Executor
from rankscale.measures.base.measure import Measure
from rankscale.stats.comparison_tables import too_few_samples
from rankscale.stats.corrections import CORRECTIONS, WHOSE, check_correction, correct
from rankscale.stats.tests.base.resampling import AchievedLevels, LevelTest, achieved_levels
from rankscale.stats.tests.base.test import Pairs, Resampling, Test, all_pairs, check_alpha
from rankscale.stats.tests.register import find_test, known_tests, names_for_all_pairs
from rankscale.stats.verdicts import Verdict, verdict
from rankscale.studies.support.selection import RejudgedValues, on_shared_topics
from rankscale.studies.support.study import Study, in_turn, names_of_pairs, table_of_arrays

LEVEL_TESTS = tuple(name for name, kind in known_tests().items() if issubclass(kind, LevelTest))


@dataclass(frozen=True)
class DiscriminativePower:
    """Discriminative power: the share of pairs of runs that a test finds to differ."""

    test: LevelTest
    alpha: float

    def of(self, measure: Measure, values: Floats) -> float:
        """Power of a measure with values (run, topic), as in `discriminate`; NaN with too few topics."""
        runs, topics = values.shape
        if topics < self.test.least_topics:
            return float("nan")
        level = self.test.achieved(measure.averaged(values).T, all_pairs(runs), self.alpha).level
        tested = level[~np.isnan(level)]
        return float(np.count_nonzero(tested < self.alpha) / len(tested)) if len(tested) else float("nan")

    def of_each(self, values: RejudgedValues) -> Floats:
        """(measure,): power of each measure."""
        return np.array([self.of(*each) for each in zip(values.measures, values.by_measure, strict=True)])


def too_few_draws(samples: int, alpha: float) -> Iterator[str]:
    """A warning if there are too few draws for any level above 0 to be significant."""
    if samples * alpha < 1:
        least = math.ceil(1 / alpha)
        yield f"with {samples:,} draws a level is below {alpha:g} only if it is 0: take {least:,} or more"


SAMPLES = 1000
VALUE_BYTES, PAIR_BYTES, DRAWING = 24, 32, 64 << 20  # bytes of a value, of the outcome of a pair, and of draws
LEVEL = " or ".join(LEVEL_TESTS)
# A measure of recall, of the first page, of graded gain, of a user who may stop, of the first document, of effort.
ONE_OF_EACH_KIND = ("nDCG@10", "AP", "P@10", "RBP(p=0.8)", "RR", "Twist")


@dataclass(frozen=True, eq=False, repr=False)
class Discrimination(Study):
    """Result of `discriminate`: achieved significance levels of all pairs of runs.

    Attributes
    ----------
    evaluation : Evaluation
        Values of the runs.
    test : Test
        The significance test.
    alphas : tuple of float
        Significance levels; power and delta are at the first, `alpha`.
    correction : str
        Correction of p-values over the pairs of a measure.
    topics : tuple of str
        Topics on which all runs have a value by all measures.
    runs_compared : Pairs
        The two runs of each pair, as rows of `evaluation.runs`.
    difference : array of float
        (measure, pair): difference of means, first less second.
    level : array of float
        (measure, pair): achieved significance level, not corrected: the share of draws of the bootstrap and of
        randomised Tukey HSD, the p-value of other tests; NaN where a pair cannot be tested.
    needed : array of float
        (measure, pair): the mean difference that would be significant at alpha, which only the bootstrap and
        randomised Tukey HSD estimate; else NaN.
    verdicts : tuple of Verdict
        Whether the test is meaningful with each measure.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    evaluation: Evaluation
    test: Test
    alphas: tuple[float, ...]
    correction: str
    topics: tuple[str, ...]
    runs_compared: Pairs
    difference: Floats
    level: Floats
    needed: Floats
    verdicts: tuple[Verdict, ...]
    notices: tuple[Notice, ...]

    @property
    def alpha(self) -> float:
        """The significance level of power and delta."""
        return self.alphas[0]

    @cached_property
    def p(self) -> Floats:
        """(measure, pair): levels corrected for the pairs of each measure."""
        return frozen(np.stack([correct(level, self.correction) for level in self.level]))

    @property
    def significant(self) -> Bools:
        """(measure, pair): whether the two runs differ at alpha."""
        return self.significant_at(self.alpha)

    def significant_at(self, alpha: float) -> Bools:
        """(measure, pair): whether the two runs differ at another alpha."""
        return np.nan_to_num(self.p, nan=1.0) < alpha

    @property
    def pairs(self) -> list[int]:
        """(measure,): how many pairs could be tested."""
        counted: list[int] = np.count_nonzero(~np.isnan(self.level), axis=1).tolist()
        return counted

    @property
    def power(self) -> Floats:
        """(measure,): discriminative power, the share of the pairs tested that differ."""
        tested = np.array(self.pairs)
        return np.where(tested > 0, np.count_nonzero(self.significant, axis=1) / np.maximum(tested, 1), np.nan)

    @property
    def delta(self) -> Floats:
        """(measure,): the difference that is enough for every pair to differ, as estimated; NaN for tests without."""
        largest = np.where(np.isnan(self.needed), -np.inf, self.needed).max(axis=1)
        return np.where(np.isinf(largest), np.nan, largest)

    def curves(self) -> Floats:
        """(measure, place): levels of all pairs, the highest first; NaN behind them, for pairs that were not tested."""
        return -np.sort(-self.level, axis=1)

    def tables(self) -> Mapping[str, Table]:
        """`measures`, `counts` (significant pairs by alpha), `curve` (levels in descending order) and `pairs`."""
        names = tuple(map(str, self.evaluation.measures))
        counted = {"measure": names, "test": [self.test.name] * len(names)}
        correction = ["by the test" if self.test.together else self.correction] * len(names)
        counts = {
            f"alpha={alpha:g}": np.count_nonzero(self.significant_at(alpha), axis=1).tolist() for alpha in self.alphas
        }
        pairs = {"difference": self.difference, "ASL": self.level}
        if self.correction != "none":
            pairs["p_corrected"] = self.p
        places = range(1, len(self.runs_compared) + 1)
        return {
            "measures": Table(
                {
                    **counted,
                    "DP": self.power.tolist(),
                    "delta": self.delta.tolist(),
                    "significant": np.count_nonzero(self.significant, axis=1).tolist(),
                    "pairs": self.pairs,
                    "verdict": [one.kind for one in self.verdicts],
                }
            ),
            "counts": Table({**counted, "correction": correction, "pairs": self.pairs, **counts}),
            "curve": table_of_arrays([{"measure": names}, {"place": places}], {"ASL": self.curves()}),
            "pairs": table_of_arrays(
                [{"measure": names}, names_of_pairs(self.evaluation.runs, self.runs_compared)], pairs
            ),
        }

    def shown(self) -> tuple[str, ...]:
        """Power at alpha; with several alphas the counts at each of them, too."""
        return ("measures", "counts") if len(self.alphas) > 1 else ("measures",)

    @property
    def settings(self) -> Mapping[str, object]:
        """Test, levels, correction if there is one, draws and their seed."""
        alpha = self.alpha if len(self.alphas) == 1 else self.alphas
        correction = None if self.correction == "none" else self.correction
        drawn = {name: getattr(self.test, name, None) for name in ("samples", "seed")}
        every = {"test": self.test.name, "alpha": alpha, "correction": correction, **drawn}
        return {"study": "discriminate", **{name: value for name, value in every.items() if value is not None}}

    def sentence(self) -> str:
        """Definitions of DP and delta, and what is corrected."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        runs, pairs, test = len(self.evaluation.runs), len(self.runs_compared), self.test
        how = f"{test.samples:,} draws" if isinstance(test, Resampling) else "two-sided"
        yield (
            f"DP is the share of the {pairs:,} pairs of {runs} runs that differ at ASL < {self.alpha:g} ({test.label}, "
            f"{how}, {len(self.topics)} topics); delta is how large a difference of means must be for that, on the "
            f"measure's own scale{'' if isinstance(test, LevelTest) else f' (only with {LEVEL} as the test)'}."
        )
        if not isinstance(test, LevelTest):
            yield "ASL is the p-value of the test."
        if test.together:
            yield "The test corrects for the number of pairs by itself."
        elif self.correction == "none":
            yield "Each pair is tested by itself: nothing is corrected for the number of pairs."
        else:
            yield f"{WHOSE[self.correction]} correction is over the {pairs:,} pairs of each measure."


def discriminate(
    evaluation: Evaluation,
    test: Annotated[str, OneOf(names_for_all_pairs()), ValueKind("test")] = "bootstrap",
    *,
    alpha: Annotated[float | Sequence[float], ValueKind("shares")] = 0.05,
    correction: Annotated[str, OneOf(CORRECTIONS)] = "none",
    samples: Positive | None = None,
    seed: Seed = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Discrimination:
    """Count the pairs of runs that each measure tells apart.

    Pairs count where a test finds a significant difference. Their share is discriminative power (DP); delta is the
    difference that is significant. The curve is the achieved significance level (ASL) of all pairs, the highest first.
    With several alphas a table has the number of significant pairs at each of them.

    Parameters
    ----------
    evaluation : Evaluation
        Values of the measures by run and topic.
    test : str
        Significance test, two-sided.
    alpha : float or sequence of float
        Significance level, or several such as 0.05,0.01: DP and delta are at the first, the table counts is at all.
    correction : str
        Correction of p-values over all pairs, for tests that neither make draws of their own nor correct by themselves.
    samples : int, default 1000
        Resamples of tests by resampling.
    seed : int
        Random seed for resampling.
    executor : Executor, default Inline()
        Where pairs are tested.
    progress : callable, optional
        Called with (done, of).

    Returns
    -------
    Discrimination
        Power and delta of each measure, counts of significant pairs by alpha, and the level of each pair.

    Raises
    ------
    ParameterError
        If there are fewer than two runs, or the test does not take `samples` or `correction`.

    Notes
    -----
    By the bootstrap (Sakai) and randomised Tukey HSD the level of a pair is the share of draws that are at least as far
    out as the observed difference (1 for identical runs), and the same draws serve all pairs and measures. Delta is the
    largest estimate over pairs for the bootstrap; with randomised Tukey HSD it is the same for all pairs. By any other
    test the level is its p-value, and delta is undefined. Topics count where all runs have a value by all measures.
    Pairs are not corrected for their number unless a correction is given or the test corrects by itself.

    Examples
    --------
    >>> import rankscale as rs
    >>> from rankscale.sample import QRELS, RUNS
    >>> result = discriminate(rs.evaluate(QRELS, list(RUNS[:6]), ["AP", "RR"]), "wilcoxon", alpha=(0.05, 0.01))
    >>> print(result.text(table="counts"))
    measure  test         correction  pairs  alpha=0.05  alpha=0.01
    AP       signed rank  none           15          11          11
    RR       signed rank  none           15          10           8

    Command line
    ------------
        rankscale discriminate qrels.txt runs/*.gz -m AP -m nDCG@10 -m RR --top 0.75
        rankscale discriminate qrels.txt runs/*.gz -t 'randomised tukey' --alpha 0.01
        rankscale discriminate qrels.txt runs/*.gz -m AP -m RR -t wilcoxon --alpha 0.05,0.01 --table counts
        rankscale discriminate qrels.txt runs/*.gz --table curve -o curve.tsv
    """
    check_arguments(discriminate, locals())
    expected(evaluation, "discriminate")
    alphas = _alphas(alpha)  # before any work
    chosen = _test(test, samples, seed)
    _check_correction(chosen, correction)
    if len(evaluation.runs) < 2:
        raise ParameterError(f"pairs of runs are compared: give two runs or more, got {len(evaluation.runs)}")
    shared = on_shared_topics(evaluation)
    pairs = all_pairs(len(evaluation.runs))
    size = sum(values.size for values in shared.values) * VALUE_BYTES + len(pairs) * len(shared.values) * PAIR_BYTES
    need_for_study("discriminate", len(evaluation.runs), len(shared.topics), size + DRAWING)
    by_topic = [np.ascontiguousarray(values.T) for values in shared.values]
    parts = [
        (number, part)
        for number, values in enumerate(by_topic)
        for part in (chosen.parts(values, pairs) if isinstance(chosen, LevelTest) else [pairs])
    ]
    work = partial(_tested, tuple(by_topic), chosen, alphas[0])
    of_parts = list(in_turn(work, parts, executor, progress))
    level, needed = (
        np.concatenate([getattr(one, name) for one in of_parts]).reshape(len(by_topic), len(pairs))
        for name in ("level", "difference")
    )
    with np.errstate(invalid="ignore"):  # of infinite values and means
        means = np.array([values.sum(axis=-1) / len(shared.topics) for values in shared.values])
        difference = means[:, pairs.first] - means[:, pairs.second]
    cautions = _cautions(evaluation, chosen, correction, min(alphas), level)
    return Discrimination(
        evaluation=evaluation,
        test=chosen,
        alphas=alphas,
        correction=correction,
        topics=shared.topics,
        runs_compared=pairs,
        difference=frozen(difference),
        level=frozen(level),
        needed=frozen(needed),
        verdicts=tuple(verdict(measure, chosen, evaluation.judged_levels) for measure in evaluation.measures),
        notices=(*evaluation.notices, *shared.notices, *notes(cautions)),
    )


def _alphas(alpha: float | Sequence[float]) -> tuple[float, ...]:
    """Each alpha once, in the order given; raise ParameterError where one is not between 0 and 1, or there is none."""
    given = tuple(dict.fromkeys([alpha] if isinstance(alpha, int | float) else alpha))
    if not given:
        raise ParameterError("alpha: expected a number between 0 and 1 or several, got none")
    for one in given:
        check_alpha(one)
    return given


def _test(name: str, samples: int | None, seed: int) -> Test:
    """The test with its settings; the seed goes to tests that take one."""
    kind = find_test(name)
    if kind.needs_baseline:
        known = names_for_all_pairs()
        why = f"{kind.label} needs a baseline; tests of all pairs are {', '.join(known)}"
        raise UnknownNameError("test", name, known, why)
    takes = {field.name for field in fields(kind)}
    if samples is not None and "samples" not in takes:
        raise ParameterError(f"{kind.label} makes no draws: leave samples out")
    return kind(**{"samples": SAMPLES if samples is None else samples, "seed": seed} if "samples" in takes else {})


def _check_correction(test: Test, correction: str) -> None:
    """Raise ParameterError for a correction that does not go with the test."""
    check_correction(correction)
    if correction == "none":
        return
    if test.together:
        raise ParameterError(f"{test.label} corrects for all pairs by itself; leave the correction out")
    if isinstance(test, LevelTest):
        raise ParameterError(
            f"{test.label}: a level of 0, which no draw reaches, stays 0 whatever the correction; take another test, "
            "such as student, or leave the correction out"
        )


def _tested(values: Sequence[Floats], test: Test, alpha: float, part: tuple[int, Pairs]) -> AchievedLevels:
    """Levels and differences of some pairs of runs by one measure; `values` are (topic, run) of each measure."""
    number, pairs = part
    return achieved_levels(test, values[number], pairs, alpha)


def _cautions(evaluation: Evaluation, test: Test, correction: str, alpha: float, level: Floats) -> Iterator[str]:
    """Warnings of pairs that could not be tested, and of too few draws for any to be significant."""
    counts = np.count_nonzero(np.isnan(level), axis=1).tolist()
    for measure, count in zip(evaluation.measures, counts, strict=True):
        if count:
            untested = f"{count} of {level.shape[1]} pairs could not be tested, for infinite values"
            yield f"{measure}: {untested}, and do not count in DP"
    if isinstance(test, LevelTest):
        yield from too_few_draws(test.samples, alpha)
    else:
        yield from too_few_samples(test, correction, level.shape[1], alpha)


COMMAND = Declaration(
    discriminate,
    source="evaluation",
    measures=ONE_OF_EACH_KIND,
    flags={"test": "-t --test"},
    shared=("collections", "values", "top", "missing", "judging", "reading", "executing"),
    tables=("measures", "counts", "curve", "pairs"),
)
