"""What changes on the interval scale: which pairs of runs differ significantly, and how far measures agree.

A test that asks for an interval scale may find other pairs of runs with a measure than with its interval version: some
differences are lost and some are gained, and the numbers of both say how much of what the test finds is owed to the
spacing of the measure's values (Ferrante, Ferro and Fuhr, IEEE Access 9, 2021, Tables 4 to 6).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import combinations
from typing import Annotated, Any, Literal, Unpack

import numpy as np

from rankscale.data.arguments import Declaration, NamedInHelp, OneOf, Positive, Seed, Share, check_arguments
from rankscale.data.arrays import Bools, Floats
from rankscale.data.notices import Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.data.resources import need_for_study
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.options import EvaluateOptions, Progress, SameTopics, check_missing, judging_of
from rankscale.evaluation.result import Evaluation
from rankscale.executors import Inline
from rankscale.inputs.read import QrelsLike, RunsLike, read_qrels
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse_all
from rankscale.scales.interval import Interval
from rankscale.scales.question import shared_by_topics
from rankscale.stats.corrections import CORRECTIONS, check_correction
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.stats.tests.base.test import Pairs, Test, all_pairs, check_alpha
from rankscale.stats.tests.register import PAPER, known_tests, make_test
from rankscale.stats.verdicts import Verdict, verdict
from rankscale.studies.changes.mean_change import ChangeCell, MeanChange, mean_changes
from rankscale.studies.intervals import WITH_INTERVAL_VERSIONS, without_rounding
from rankscale.studies.support.selection import BothScales, beside_intervals, test_taking, tested_pairs
from rankscale.studies.support.study import Study, names_of_pairs, share_of, table_of_arrays

PAIR_BYTES, VALUE_BYTES = 200, 48  # of the outcome of a pair, and of a value while it is compared
KEPT_BYTES = 32  # of the p-values of a pair by one measure and test
WHOLE = 1 << 53  # up to which floats hold whole numbers exactly


@dataclass(frozen=True, eq=False)
class VerdictChange:
    """One test with one measure and with its interval version, over the same topics."""

    measure: Measure
    interval: Interval
    test: Test
    alpha: float
    p: Floats  # (pair,), corrected; NaN where a pair cannot be tested
    interval_p: Floats  # with the interval version
    verdict: Verdict  # on the test with the measure
    interval_verdict: Verdict  # and with its interval version
    reversals: Bools  # (pair,): whether the means of two runs are in the opposite order on the interval version

    @property
    def pairs(self) -> int:
        """Number of pairs tested."""
        return int(np.count_nonzero(~np.isnan(self.p + self.interval_p)))

    @property
    def before(self) -> Bools:
        """(pair,): whether the two runs differ significantly with the measure."""
        return np.nan_to_num(self.p, nan=1.0) < self.alpha

    @property
    def after(self) -> Bools:
        """(pair,): whether they do with its interval version."""
        return np.nan_to_num(self.interval_p, nan=1.0) < self.alpha

    @property
    def significant(self) -> int:
        """Sig: how many pairs differ significantly with the measure."""
        return int(np.count_nonzero(self.before))

    @property
    def lost(self) -> int:
        """S2NS: how many of them do not with the interval version."""
        return int(np.count_nonzero(self.before & ~self.after))

    @property
    def gained(self) -> int:
        """NS2S: how many differ with the interval version only."""
        return int(np.count_nonzero(~self.before & self.after))

    @property
    def reversed(self) -> int:
        """How many pairs have their means in the opposite order on the interval version, significant or not."""
        return int(np.count_nonzero(self.reversals))

    @property
    def change(self) -> float:
        """Pairs lost and gained, over Sig."""
        return self.over(self.lost + self.gained)

    def over(self, number: int) -> float:
        """A number of pairs over Sig; undefined where there are none."""
        return share_of(number, self.significant)


@dataclass(frozen=True, eq=False)
class Reversals:
    """Pairs of runs whose means are in the opposite order on the interval version of a measure."""

    measure: Measure
    interval: Interval
    means: Floats  # (run,) of the measure, over the topics where it and its interval version are defined for all runs
    interval_means: Floats  # (run,) of the interval version
    pairs: Bools  # (pair,): whether the two are reversed, significant or not


@dataclass(frozen=True)
class Agreement:
    """Kendall's tau-b between the means of two measures, and between those of their interval versions."""

    measure: Measure
    other: Measure
    topics: int  # that means are over: where both, and both interval versions, are defined for all runs
    tau: float
    interval_tau: float

    @property
    def percent(self) -> float:
        """By how much the second is above the first, in percent of it."""
        return 100 * (self.interval_tau - self.tau) / self.tau if self.tau else float("nan")

    @property
    def cells(self) -> tuple[Cell, ...]:
        """A row of a table: both measures, both coefficients, and the change in percent."""
        return str(self.measure), str(self.other), self.tau, self.interval_tau, self.percent


@dataclass(frozen=True, eq=False, repr=False)
class Changes(Study):
    """Result of `changes`: significant pairs lost and gained on interval scales.

    Attributes
    ----------
    evaluation : Evaluation
        Values of the measures, then of their interval versions.
    pairs : Pairs
        The two runs of each pair, as rows of `evaluation.runs`.
    changes : tuple of Change
        By measure, then by test.
    agreements : tuple of Agreement
        Of each measure with each that follows.
    reversals : tuple of Reversals
        By measure.
    alpha : float
        Significance level.
    correction : str
        Correction of tests that make none of their own.
    options : dict
        Options of tests and scales.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    """

    evaluation: Evaluation
    pairs: Pairs
    changes: tuple[VerdictChange, ...]
    agreements: tuple[Agreement, ...]
    reversals: tuple[Reversals, ...]
    alpha: float
    correction: str
    options: Mapping[str, object]
    notices: tuple[Notice, ...]

    @property
    def settings(self) -> dict[str, object]:
        """Which tests were made, at which level, and on which scales."""
        return {"study": "changes", "alpha": self.alpha, "correction": self.correction, **self.options}

    def of(self, measure: str | Measure, test: str | Test) -> VerdictChange:
        """The change of one measure and test."""
        key = str(parse_all([measure])[0]), make_test(test).name
        for one in self.changes:
            if (str(one.measure), one.test.name) == key:
                return one
        raise ParameterError(f"{key[1]} was not tested with {key[0]} here")

    def averages(self, *others: "Changes") -> Mapping[str, MeanChange]:
        """Mean change by selection of measures and tests; that of `can change` is the headline.

        Parameters
        ----------
        *others : Changes
            The same study of other collections, whose measures and tests are averaged along, as in the paper.
        """
        every = [one for study in (self, *others) for one in study.changes]
        return mean_changes(
            [
                ChangeCell(one.measure, one.test, one.verdict, one.over(one.lost), one.over(one.gained), one.change)
                for one in every
            ]
        )

    def sentence(self) -> str:
        """How to read the counts, and what changes on average."""
        how = "no correction" if self.correction == "none" else f"correction {self.correction}"
        mean, headline = self.averages()["can change"], ""
        if mean.cells > 1:  # the mean of one has no interval
            headline = (
                f" Its mean over the {mean.cells} rows that can change is {mean.change:.1%}, give or take "
                f"{mean.half_width:.1%} (table `summary`)."
            )
        return (
            f"Of {len(self.pairs):,} pairs, Sig are significant on the measure (alpha {self.alpha:g}, {how} but "
            f"Tukey's), S2NS no longer on its interval version, NS2S only there; change is their sum over Sig. "
            f"The means of reversed pairs are in the opposite order there (table `reversals`).{headline}"
        )

    def tables(self) -> dict[str, Table]:
        """By measure and test; of two measures; pairs that change or reverse; by measure, at a glance; on average."""
        names = ("measure", "other", "tau", "interval_tau", "percent_change", "topics")
        return {
            "changes": self._by_test(),
            "correlations": Table.of(names, ((*one.cells, one.topics) for one in self.agreements)),
            "pairs": self._changed_pairs(),
            "reversals": self._reversed_pairs(),
            "overview": self._by_measure(),
            "summary": self._summary(),
        }

    def shown(self) -> tuple[str, ...]:
        """Names of the tables of changes and, with several measures, of correlations."""
        return ("changes", "correlations") if self.agreements else ("changes",)

    @property
    def _names(self) -> dict[str, list[Cell]]:
        """Columns that name the measure and the test of each change."""
        named = [(str(one.measure), one.test.name) for one in self.changes]
        return {"measure": [measure for measure, _ in named], "test": [test for _, test in named]}

    def _by_test(self) -> Table:
        """One row for each measure and test."""
        return Table(
            {
                **self._names,
                "pairs": [one.pairs for one in self.changes],
                "Sig": [one.significant for one in self.changes],
                "S2NS": [one.lost for one in self.changes],
                "S2NS/Sig": [one.over(one.lost) for one in self.changes],
                "NS2S": [one.gained for one in self.changes],
                "NS2S/Sig": [one.over(one.gained) for one in self.changes],
                "change": [one.change for one in self.changes],
                "reversed": [one.reversed for one in self.changes],
                "verdict": [one.verdict.kind for one in self.changes],
                "interval_verdict": [one.interval_verdict.kind for one in self.changes],
            }
        )

    def _changed_pairs(self) -> Table:
        """One row for each pair of runs that is lost or gained, with both p-values."""
        names = ("p", "interval_p", "before", "after")
        of_pairs = (np.reshape([getattr(one, name) for one in self.changes], (-1, len(self.pairs))) for name in names)
        p, interval_p, before, after = of_pairs
        columns = {"p": p, "interval_p": interval_p, "change": np.where(before, "S2NS", "NS2S")}
        axes = [self._names, names_of_pairs(self.evaluation.runs, self.pairs)]
        return table_of_arrays(axes, columns, chosen=before != after)

    def _reversed_pairs(self) -> Table:
        """One row for each measure and pair of runs whose means are in the opposite order on the interval version."""
        measures = {"measure": [str(one.measure) for one in self.reversals]}
        means = np.array([(one.means, one.interval_means) for one in self.reversals])
        first, second = means[..., self.pairs.first], means[..., self.pairs.second]  # (measure, scale, pair)
        columns = {"mean": first[:, 0], "other_mean": second[:, 0]}
        columns |= {"interval_mean": first[:, 1], "other_interval_mean": second[:, 1]}
        chosen = np.array([one.pairs for one in self.reversals])
        return table_of_arrays([measures, names_of_pairs(self.evaluation.runs, self.pairs)], columns, chosen)

    def over_all(self, studies: Sequence[Study]) -> Mapping[str, Table]:
        """Mean changes over the cells of all collections, as in the abstract of Ferrante, Ferro and Fuhr 2021."""
        others = [one for one in studies if isinstance(one, Changes) and one is not self]
        return {"summary": self._summary(*others)}

    def _summary(self, *others: "Changes") -> Table:
        """One row for each selection of measures and tests: mean change, and half of its 95% interval."""
        names = ("selection", "cells", "undefined", "change", "half_width", "S2NS/Sig", "NS2S/Sig", "what")
        rows = (
            (name, mean.cells, mean.undefined, mean.change, mean.half_width, mean.lost, mean.gained, mean.what)
            for name, mean in self.averages(*others).items()
        )
        return Table.of(names, rows)

    def _by_measure(self) -> Table:
        """One row for each measure: by test, pairs lost and gained over Sig."""
        columns: dict[str, dict[str, Cell]] = {"measure": {}}
        for one in self.changes:
            columns["measure"][str(one.measure)] = str(one.measure)
            columns.setdefault(one.test.name.replace(" ", "_"), {})[str(one.measure)] = one.change
        return Table({name: list(cells.values()) for name, cells in columns.items()})


TESTS = [name for name, kind in known_tests().items() if not kind.needs_baseline]


def changes(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure],
    tests: Annotated[str, NamedInHelp(TESTS)] | Test | Iterable[str | Test] = PAPER,
    *,
    alpha: Share = 0.05,
    df: Literal["error", "infinite"] = "error",
    correction: Annotated[str, OneOf(CORRECTIONS)] = "none",
    samples: Positive = 10_000,
    seed: Seed = 0,
    form: str | None = None,
    universe: str | None = None,
    method: str = "auto",
    deduplicate: str = "exact",
    missing: SameTopics = "zero",
    progress: Progress | None = None,
    **options: Unpack[EvaluateOptions],
) -> Changes:
    """Count significant differences that interval scales change.

    For each measure and test: how many pairs of runs differ significantly with the measure (Sig), how many of them no
    longer do with its interval version (S2NS), how many do only with it (NS2S), and all that change, over Sig; and how
    many have their means in the opposite order there (reversed), significant or not. Then Kendall's tau between each
    two measures, between their interval versions, and by how many percent it changes.

    Parameters
    ----------
    qrels, runs, measures, missing, progress, **options
        As in `evaluate`: judged_only, depth, grades, negative, order, max_size, threads, executor; not missing='skip'.
    tests : str, Test or several
        Significance test.
    alpha : float
        Significance level.
    df : {'error', 'infinite'}
        Degrees of freedom of Tukey's test after ANOVA; infinite in the published tables.
    correction : str
        Correction for multiple comparisons, of tests that do not correct by themselves.
    samples : int
        Resamples of tests by resampling.
    seed : int
        Random seed for resampling.
    form, universe, method, deduplicate
        Of the interval version, as in `Interval`: its form, the rankings that the scale is over, how ranks are counted,
        how values of AP are told apart.

    Returns
    -------
    Changes
        Pairs of runs that are lost, gained and reversed, and how measures agree before and after.

    Raises
    ------
    ParameterError
        If a test, `form`, `method` or a level is unknown or out of range.

    Notes
    -----
    `df`, `samples` and `seed` go to the tests named that take them; `correction` to those that make none of their own.
    By default values are ranks where all topics share a scale and floats hold its ranks exactly, else normalised ranks.
    On one scale no test tells the two apart, but for rounding.

    The table `summary` has means of `change` over cells (a measure and a test); in Python they are `averages()`. The
    selection `can change` leaves out what cannot: measures on one interval scale for all topics (P, RBP(p=0.5)) and, of
    other measures that do not use the recall base, tests that ask only for an ordinal scale. So the paper comes to its
    mean change of 25%. `half_width` is half of the 95% interval of the mean, with cells taken as independent, which
    those of one collection are not: read it as a measure of spread.

    Command line
    ------------
        rankscale changes qrels.txt runs/*.gz -m AP@30 -m RR@30
        rankscale changes qrels.txt runs/*.gz -m RR@10 -m AP@10 --table summary
        rankscale changes qrels.txt runs/*.gz -m nDCG@10 -t student -t two-way --table pairs -o pairs.tsv
    """
    check_arguments(changes, locals())
    check_missing(missing, compared=True)
    check_alpha(alpha)
    check_correction(correction)
    given = [tests] if isinstance(tests, str | Test) else list(tests)
    wanted = [test_taking(one, {"df": df, "samples": samples, "seed": seed}) for one in given]
    judgments = read_qrels(qrels, max_size=options.get("max_size"))
    seen = judging_of(options).regraded(judgments)
    chosen = {"universe": universe, "method": method, "deduplicate": deduplicate}
    result = beside_intervals(
        judgments,
        runs,
        measures,
        lambda measure: _interval(measure, form, chosen, seen),
        missing=missing,
        progress=progress,
        options=options,
    )
    both = result.both_scales()
    levels = seen.judged_levels
    pairs = all_pairs(len(result.evaluation.runs))
    runs, topics = len(result.evaluation.runs), len(result.evaluation.topics)
    size = len(pairs) * (PAIR_BYTES + KEPT_BYTES * len(both) * len(wanted)) + runs * topics * VALUE_BYTES
    need_for_study("changes", runs, topics, size)
    opposite = tuple(
        Reversals(one.measure, one.interval, *one.means(one.defined), one.reversals(one.defined, pairs)) for one in both
    )
    executor = options.get("executor") or Inline()
    cells = [(one, test, reversed_.pairs) for one, reversed_ in zip(both, opposite, strict=True) for test in wanted]
    items = [(test, values) for one, test, _ in cells for values in one.averaged()]
    p = [one for _, one in executor.map(partial(tested_pairs, pairs, correction), items)]
    made = tuple(
        VerdictChange(
            measure=one.measure,
            interval=one.interval,
            test=test,
            alpha=alpha,
            p=before,
            interval_p=after,
            verdict=verdict(one.measure, test, levels),
            interval_verdict=verdict(one.interval, test, levels),
            reversals=reversals,
        )
        for (one, test, reversals), before, after in zip(cells, p[::2], p[1::2], strict=True)
    )
    agreements = tuple(_agreement(one, other) for one, other in combinations(both, 2))
    requested = {"tests": tuple(map(_described, wanted)), "form": form or "auto", **chosen}
    notices = (*result.notices, *notes(_warnings(both, made, len(pairs))))
    return Changes(result.evaluation, pairs, made, agreements, opposite, alpha, correction, requested, notices)


def _described(test: Test) -> str:
    """The name of a test with its settings.

    >>> _described(make_test("two-way"))
    'two-way(df=error)'
    """
    settings = ",".join(f"{one.name}={getattr(test, one.name)}" for one in fields(test))
    return f"{test.name}({settings})" if settings else test.name


def _interval(measure: Measure, form: str | None, chosen: Mapping[str, Any], qrels: Qrels) -> Interval:
    """The interval version of a measure, as ranks where they are exact and say the same on every topic."""
    if form is not None:
        return Interval(measure, form=form, **chosen)  # type: ignore[arg-type]
    by_rank = Interval(measure, form="rank", **chosen)
    if shared_by_topics(by_rank.of, by_rank.universe):
        scale = by_rank.scale_for(qrels.levels, qrels.highest)
        if scale.exact and scale.size <= WHOLE:
            return by_rank
    return replace(by_rank, form="normalised")


def _agreement(one: BothScales, other: BothScales) -> Agreement:
    topics = one.defined & other.defined
    taus = map(float, map(tau_b, one.rounded_means(topics), other.rounded_means(topics)))
    return Agreement(one.measure, other.measure, int(np.count_nonzero(topics)), *taus)


def _warnings(both: Sequence[BothScales], made: Sequence[VerdictChange], pairs: int) -> Iterator[str]:
    """Warnings about values that differ by rounding only, and about pairs that could not be tested."""
    for one in both:
        values, scaled = one.values[:, one.defined].T, one.scaled[:, one.defined].T
        rounded = np.count_nonzero((without_rounding(values, scaled) != values).any(axis=1))
        if rounded:
            yield (
                f"{one.measure}: on {rounded} of {len(values)} topics values that are equal differ by rounding; tests "
                "see them as different, and as equal on the interval scale"
            )
    for change in made:
        if change.pairs < pairs:
            untested = f"{pairs - change.pairs} of {pairs} pairs could not be tested"
            yield f"{change.measure}, {change.test.label}: {untested}"


COMMAND = Declaration(
    changes,
    source="runs",
    measures=WITH_INTERVAL_VERSIONS,
    flags={"tests": "-t --test"},
    without=("form",),
    shared=("collections", "missing", "scaling", "judging", "reading", "executing"),
    tables=("changes", "correlations", "pairs", "reversals", "overview", "summary"),
)
