"""How many pairs of runs a measure tells apart: achieved significance levels, discriminative power, and delta.

A measure that calls more pairs of runs different, with the same runs, topics and draws, is the more reliable one as far
as that goes: it says nothing of whether the measure is right about users (Sakai, SIGIR 2006).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated

import numpy as np

from rankscale.data.arrays import Bools, Floats, frozen
from rankscale.data.checking import check_arguments
from rankscale.data.declared import Declaration, OneOf, Positive, Seed, Share
from rankscale.data.memory import need_for_study
from rankscale.data.notices import Notice, notes
from rankscale.data.records import dataclass
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation, expected
from rankscale.executors import Executor
from rankscale.executors.inline import Inline
from rankscale.stats.tests.base.achieved_levels import AchievedLevels, LevelTest
from rankscale.stats.tests.base.test import Pairs, all_pairs, check_alpha
from rankscale.stats.tests.register import level_test
from rankscale.stats.verdicts import Verdict, verdict
from rankscale.studies.support.discriminative_power import LEVEL_TESTS, too_few_draws
from rankscale.studies.support.shared_topics import on_shared_topics
from rankscale.studies.support.study import Study

# A measure of recall, of the first page, of graded gain, of a user who may stop, of the first document, of effort.
VALUE_BYTES, PAIR_BYTES, DRAWING = 24, 32, 64 << 20  # bytes of a value, of the outcome of a pair, and of draws
ONE_OF_EACH_KIND = ("AP", "P@10", "nDCG@10", "RBP(p=0.8)", "RR", "Twist")


@dataclass(frozen=True, eq=False, repr=False)
class Discrimination(Study):
    """Result of `discriminate`: achieved significance levels of all pairs of runs.

    Attributes
    ----------
    evaluation : Evaluation
        Values of the runs.
    test : LevelTest
        The significance test.
    alpha : float
        Significance level.
    topics : tuple of str
        Topics on which all runs have a value by all measures.
    runs_compared : Pairs
        The two runs of each pair, as rows of `evaluation.runs`.
    difference : array of float
        (measure, pair): difference of means, first less second.
    level : array of float
        (measure, pair): achieved significance level; NaN where a pair cannot be tested.
    needed : array of float
        (measure, pair): the mean difference that would be significant at alpha.
    verdicts : tuple of Verdict
        Whether the test is meaningful with each measure.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    evaluation: Evaluation
    test: LevelTest
    alpha: float
    topics: tuple[str, ...]
    runs_compared: Pairs
    difference: Floats
    level: Floats
    needed: Floats
    verdicts: tuple[Verdict, ...]
    notices: tuple[Notice, ...]

    @property
    def significant(self) -> Bools:
        """(measure, pair): whether the two runs differ."""
        return np.nan_to_num(self.level, nan=1.0) < self.alpha

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
        """(measure,): the difference that is enough for every pair to differ, as estimated."""
        largest = np.where(np.isnan(self.needed), -np.inf, self.needed).max(axis=1)
        return np.where(np.isinf(largest), np.nan, largest)

    def curves(self) -> Floats:
        """(measure, place): levels of all pairs, the highest first; NaN behind them, for pairs that were not tested."""
        return -np.sort(-self.level, axis=1)

    def tables(self) -> Mapping[str, Table]:
        """`measures`, `curve` (levels in descending order) and `pairs`."""
        return {"measures": self._measures(), "curve": self._curve(), "pairs": self._pairs()}

    def _measures(self) -> Table:
        columns: dict[str, Sequence[Cell]] = {
            "measure": self._names,
            "test": [self.test.name] * len(self._names),
            "DP": self.power.tolist(),
            "delta": self.delta.tolist(),
            "significant": np.count_nonzero(self.significant, axis=1).tolist(),
            "pairs": self.pairs,
            "verdict": [one.kind for one in self.verdicts],
        }
        return Table(columns)

    def _curve(self) -> Table:
        curves, count = self.curves(), len(self.runs_compared)
        places = list(range(1, count + 1)) * len(self._names)
        return Table({"measure": self._repeated(), "place": places, "ASL": curves.ravel().tolist()})

    def _pairs(self) -> Table:
        runs, count = self.evaluation.runs, len(self._names)
        columns: dict[str, Sequence[Cell]] = {
            "measure": self._repeated(),
            "run": [runs[row] for row in self.runs_compared.first.tolist()] * count,
            "other": [runs[row] for row in self.runs_compared.second.tolist()] * count,
            "difference": self.difference.ravel().tolist(),
            "ASL": self.level.ravel().tolist(),
        }
        return Table(columns)

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(map(str, self.evaluation.measures))

    def _repeated(self) -> list[Cell]:
        """Each measure as often as there are pairs."""
        return [name for name in self._names for _ in range(len(self.runs_compared))]

    @property
    def settings(self) -> Mapping[str, object]:
        """Test, level, draws and their seed."""
        test = {"test": self.test.name, "alpha": self.alpha, "samples": self.test.samples, "seed": self.test.seed}
        return {"study": "discriminate", **test}

    def sentence(self) -> str:
        """Definitions of DP and delta."""
        runs, pairs = len(self.evaluation.runs), len(self.runs_compared)
        return (
            f"DP is the share of the {pairs:,} pairs of {runs} runs that differ at ASL < {self.alpha:g} "
            f"({self.test.label}, {self.test.samples:,} draws, {len(self.topics)} topics); delta is how large a "
            "difference of means must be for that, on the measure's own scale."
        )


def discriminate(
    evaluation: Evaluation,
    test: Annotated[str, OneOf(LEVEL_TESTS)] = "bootstrap",
    *,
    alpha: Share = 0.05,
    samples: Positive = 1000,
    seed: Seed = 0,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Discrimination:
    """Count the pairs of runs that each measure tells apart.

    Pairs count where a test finds a significant difference. Their share is discriminative power (DP); delta is the
    difference that is significant. The curve is the achieved significance level (ASL) of all pairs, the highest first.

    Parameters
    ----------
    evaluation : Evaluation
        Values of the measures by run and topic.
    test : str
        Significance test: each pair by itself, or all pairs together.
    alpha : float
        Significance level.
    samples : int
        Resamples of the test.
    seed : int
        Random seed for resampling.
    executor : Executor, default Inline()
        Where pairs are tested.
    progress : callable, optional
        Called with (done, of).

    Returns
    -------
    Discrimination
        Power and delta of each measure, and the level of each pair.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take.

    Notes
    -----
    The level of a pair is the share of draws that are at least as far out as the observed difference (1 for identical
    runs). Topics count where all runs have a value by all measures, and the same draws serve all pairs and measures.
    Delta is the largest estimate over pairs for the bootstrap; with randomised Tukey HSD it is the same for all pairs.

    Command line
    ------------
        rankscale discriminate qrels.txt runs/*.gz -m AP -m nDCG@10 -m RR --top 0.75
        rankscale discriminate qrels.txt runs/*.gz -t 'randomised tukey' --alpha 0.01
        rankscale discriminate qrels.txt runs/*.gz --table curve -o curve.tsv
    """
    check_arguments(discriminate, locals())
    expected(evaluation, "discriminate")
    check_alpha(alpha)  # before any work
    chosen = level_test(test, samples, seed)
    if len(evaluation.runs) < 2:
        raise ParameterError(f"pairs of runs are compared: give two runs or more, got {len(evaluation.runs)}")
    shared = on_shared_topics(evaluation)
    pairs = all_pairs(len(evaluation.runs))
    size = sum(values.size for values in shared.values) * VALUE_BYTES + len(pairs) * len(shared.values) * PAIR_BYTES
    need_for_study("discriminate", len(evaluation.runs), len(shared.topics), size + DRAWING)
    by_topic = [np.ascontiguousarray(values.T) for values in shared.values]
    parts = [(number, part) for number, values in enumerate(by_topic) for part in chosen.parts(values, pairs)]
    work = _Tested(tuple(by_topic), chosen, alpha)
    of_parts: list[AchievedLevels] = []
    for part in (executor or Inline()).map(work, parts):
        of_parts.append(part)
        if progress:
            progress(len(of_parts), len(parts))
    level, needed = (
        np.stack(
            [_of_measure(number, parts, [getattr(one, name) for one in of_parts]) for number in range(len(by_topic))]
        )
        for name in ("level", "difference")
    )
    means = np.array([values.sum(axis=-1) / len(shared.topics) for values in shared.values])
    with np.errstate(invalid="ignore"):  # of two infinite means
        difference = means[:, pairs.first] - means[:, pairs.second]
    grades = tuple(grade for grade in evaluation.levels if grade >= 0)
    return Discrimination(
        evaluation=evaluation,
        test=chosen,
        alpha=alpha,
        topics=shared.topics,
        runs_compared=pairs,
        difference=frozen(difference),
        level=frozen(level),
        needed=frozen(needed),
        verdicts=tuple(verdict(measure, chosen, grades) for measure in evaluation.measures),
        notices=(
            *evaluation.notices,
            *shared.notices,
            *notes(_untested(evaluation, level)),
            *notes(too_few_draws(samples, alpha)),
        ),
    )


@dataclass(frozen=True, eq=False)
class _Tested:
    """Tests some pairs of runs by one measure, wherever the executor does it."""

    values: tuple[Floats, ...]  # by measure, (topic, run)
    test: LevelTest
    alpha: float

    def __call__(self, part: tuple[int, Pairs]) -> AchievedLevels:
        """Levels and differences of these pairs."""
        number, pairs = part
        return self.test.achieved(self.values[number], pairs, self.alpha)


def _of_measure(number: int, parts: Sequence[tuple[int, Pairs]], columns: Sequence[Floats]) -> Floats:
    """(pair,): the parts of a column that are of one measure, put together."""
    together: Floats = np.concatenate([one for (place, _), one in zip(parts, columns, strict=True) if place == number])
    return together


def _untested(evaluation: Evaluation, level: Floats) -> list[str]:
    counts = np.count_nonzero(np.isnan(level), axis=1).tolist()
    return [
        f"{measure}: {count} of {level.shape[1]} pairs could not be tested, for infinite values, and do not count in DP"
        for measure, count in zip(evaluation.measures, counts, strict=True)
        if count
    ]


COMMAND = Declaration(
    discriminate,
    source="evaluation",
    measures=ONE_OF_EACH_KIND,
    flags={"test": "-t --test"},
    shared=("collections", "values", "top", "missing", "judging", "reading", "executing"),
    tables=("measures", "curve", "pairs"),
)
