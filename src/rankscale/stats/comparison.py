"""Comparison, what `compare` gives: all pairs of runs under one test, and which conclusions they support."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.exact_sums import PairSums
from rankscale.data.names import place_of
from rankscale.data.notices import Notice, Noticed
from rankscale.data.resources import need
from rankscale.data.table import Table
from rankscale.errors import ParameterError, Setting
from rankscale.evaluation.options import Summary
from rankscale.measures.base.measure import Measure
from rankscale.outputs.blocks import Matrix
from rankscale.outputs.pictures import DotColumn, Dots
from rankscale.outputs.results import Page, TabularResult, view_text
from rankscale.stats.comparison_tables import marked, omnibus_table, pairs_table, runs_table, sentence
from rankscale.stats.corrections import family, harmonic_number, letters
from rankscale.stats.dominance import Dominance, DominanceKind, dominance, kinds_of_dominance
from rankscale.stats.noninferiority import Equivalence
from rankscale.stats.resampling.order_statistics import HodgesLehmann, hodges_lehmann, median
from rankscale.stats.tests.base.test import Omnibus, PairResults, Pairs, Progress, Resampling, SumsTest, Test
from rankscale.stats.verdicts import Verdict

TABLES = ("pairs", "runs", "omnibus")
PAIR_BYTES, VALUE_BYTES = 1400, 48  # of the outcome of a pair and its rows in tables, and of a value while compared
FEWER_PAIRS = "compare fewer runs, or each with a baseline (--baseline)"
HOLDER = "the evaluation has"


@dataclass(frozen=True, eq=False)
class Comparison(Noticed, TabularResult):
    """Result of `compare`: the runs of one measure, the best first, compared pair by pair.

    Attributes
    ----------
    measure, test, correction, alpha, confidence, baseline
        What was compared, and how.
    runs : tuple of str
        Names of runs, the best first.
    topics : tuple of str
        Topics that some run has.
    values : array (topic, run)
        The values of each topic. Those of measures with geometric means are compared by their logarithms.
    means : array (run,)
        Means over the topics on which each run has a value.
    pairs : Pairs
        The two runs of each pair, as places in `runs`; the first is the better one, unless there is a baseline.
    results : PairResults
        Differences, statistics, intervals and p-values of each pair, without correction unless the test makes one;
        differences of geometric means are those of logarithms, and `shown` makes ratios of them.
    p : array (pair,)
        Corrected p-values; NaN where a pair cannot be tested.
    verdict : Verdict
        Whether the test is meaningful on the scale of the measure, and why.
    """

    measure: Measure
    test: Test
    correction: str
    alpha: float
    confidence: float
    runs: tuple[str, ...]
    topics: tuple[str, ...]
    values: Floats
    means: Floats
    pairs: Pairs
    results: PairResults
    p: Floats
    verdict: Verdict
    levels: tuple[float, ...] = ()  # grades of the collection, which the verdict rests on
    baseline: str | None = None
    baselines: tuple[str, ...] = ()  # all of them, where each run is compared with some
    equivalence: Equivalence | None = None  # of each pair within a margin, where one is given
    summarised_by: Summary = "mean"  # what runs are put in order by, and what is shown of them
    sums: PairSums | None = None  # of the values, where these are not held: then `values` and `topics` are empty
    signature: str = ""
    notices: tuple[Notice, ...] = ()

    @cached_property
    def significant(self) -> Bools:
        """(pair,): whether the two differ."""
        return np.nan_to_num(self.p, nan=1.0) < self.alpha

    @cached_property
    def family(self) -> str:
        """What the p-values are corrected for: '276 pairs, Holm', or 'this pair alone' where each is by itself."""
        tested = int(np.count_nonzero(~np.isnan(self.results.p)))
        return family(tested, "by the test" if self.results.corrected else self.correction)

    @property
    def omnibus(self) -> Omnibus | None:
        """Whether any runs differ at all: F, H or chi-squared with its p-value; None for tests of single pairs."""
        return self.results.omnibus

    @cached_property
    def is_ordinal(self) -> bool:
        """Whether values have an order only, so that their means and differences depend on how steps are numbered."""
        return self.measure.scale_type(self.levels) == "ordinal"

    @cached_property
    def medians(self) -> tuple[tuple[float, float], ...]:
        """(run,): lower and upper median, over the topics on which each run has a value."""
        return tuple(median(one[~np.isnan(one)]) for one in self.all_values.T)

    @cached_property
    def dominances(self) -> tuple[DominanceKind, ...]:
        """(pair,): which run is at least as high at every quantile: 'first', 'second', 'equal', or they 'cross'."""
        return tuple(kinds_of_dominance(self.all_values, self.pairs))

    @property
    def all_values(self) -> Floats:
        """(topic, run): the values compared; ParameterError where only their sums are held."""
        if self.sums is not None:
            raise needs_values("this needs")
        return self.values

    @cached_property
    def counted(self) -> Ints:
        """(run,): topics on which each run has a value."""
        return counts_of(self.values) if self.sums is None else self.sums.together.counted

    def _ends_at(self, level: float) -> tuple[Floats, Floats] | None:
        """The ends of intervals of the same test at another level."""
        return run_test(self.test, self.measure.averaged(self.values), self.sums, self.pairs, level).ends

    @property
    def is_ratio(self) -> bool:
        """Whether two runs are shown as the ratio of their geometric means, first over second, not as a difference."""
        return self.measure.compared_by_ratio and self.test.in_values

    @property
    def gap(self) -> str:
        """The name of what is shown of two runs: 'difference' or 'ratio'."""
        return "ratio" if self.is_ratio else "difference"

    @property
    def no_gap(self) -> float:
        """What is shown of two runs that are alike: a difference of 0, or a ratio of 1."""
        return 1.0 if self.is_ratio else 0.0

    def shown(self, differences: Floats) -> Floats:
        """Differences, or ends of their intervals, as they are shown: ratios of geometric means."""
        return self.measure.of_average(differences) if self.is_ratio else differences

    def of_pair(self, place: int) -> tuple[Floats, Floats]:
        """Values of the two runs of a pair on the topics that they share."""
        return self._of_runs(self.runs[self.pairs.first[place]], self.runs[self.pairs.second[place]])

    def dominance(self, first: str, second: str) -> Dominance:
        """First-order dominance between two runs: who has the higher quantiles, piece by piece."""
        return dominance(*self._of_runs(first, second))

    def hodges_lehmann(self, first: str, second: str) -> HodgesLehmann:
        """The Hodges-Lehmann difference of two runs with its interval; it asks for an interval scale."""
        one, other = self._of_runs(first, second)
        return hodges_lehmann(one - other, self.confidence)

    def _of_runs(self, first: str, second: str) -> tuple[Floats, Floats]:
        """Values of two runs on the topics that they share."""
        both = self.all_values[:, [place_of(self.runs, run, "run", HOLDER) for run in (first, second)]]
        one, other = both[~np.isnan(both).any(axis=1)].T
        return one, other

    @cached_property
    def matrix(self) -> Floats:
        """(run, run): corrected p-values; NaN where two runs were not compared, and on the diagonal."""
        table = np.full((len(self.runs),) * 2, np.nan)
        table[self.pairs.first, self.pairs.second] = self.p
        table[self.pairs.second, self.pairs.first] = self.p
        return table

    def letters(self) -> dict[str, str]:
        """Runs that share a letter do not differ significantly; empty where only a baseline was compared with."""
        if self.baseline is not None:
            return {}
        return dict(zip(self.runs, letters(self.matrix < self.alpha), strict=True))

    def simultaneous_intervals(self) -> tuple[Floats, Floats] | None:
        """(pair,) each: the ends of intervals that hold for all pairs at once with the confidence level, at least.

        Those of the test where it corrects for all pairs itself, as Tukey's does; else Bonferroni's: each interval at
        the level 1 - (1 - confidence) / pairs. None where the test has no intervals.

        >>> import rankscale as rs
        >>> qrels = {topic: {"a": 1} for topic in "1234"}
        >>> runs = {name: {topic: {"a": 1, "b": 2 * (topic in name)} for topic in qrels} for name in ("1", "12", "234")}
        >>> comparison = rs.compare(rs.evaluate(qrels, runs, "P@1"))
        >>> lower, upper = comparison.simultaneous_intervals()
        >>> bool((lower < comparison.results.lower).all() and (upper > comparison.results.upper).all())
        True
        """
        if self.results.corrected:
            return self.results.ends
        return self._ends_at(1 - (1 - self.confidence) / max(len(self.pairs), 1))

    def selected_intervals(self) -> tuple[Floats, Floats] | None:
        """(pair,) each: intervals of the significant pairs that fit the corrections 'bh' and 'by'; NaN for the others.

        Of these intervals an expected share of 1 - confidence, at most, miss their difference (Benjamini and Yekutieli,
        JASA 100(469), 2005): each is at the level 1 - (1 - confidence) R / pairs, R of which are significant; with 'by'
        that is divided by the harmonic number of pairs, too. None under other corrections, and without intervals.
        """
        if self.correction not in {"bh", "by"} or self.results.lower is None:
            return None
        count, selected = int((~np.isnan(self.p)).sum()), int(self.significant.sum())
        dependence = harmonic_number(count) if self.correction == "by" else 1.0
        level = 1 - (1 - self.confidence) * max(selected, 1) / (max(count, 1) * dependence)
        ends = self._ends_at(level)
        if ends is None:
            return None
        lower, upper = (np.where(self.significant, end, np.nan) for end in ends)
        return lower, upper

    def rows(self, *, simultaneous: bool = False) -> Table:
        """One row for each pair; where p-values are corrected, `_uncorrected` marks those of a pair by itself.

        With `simultaneous` the intervals are those that hold for all pairs at once.
        """
        return pairs_table(self, simultaneous=simultaneous)

    def summary(self) -> Table:
        """One row for each run: its mean, and letters or what the baseline says."""
        return runs_table(self)

    def marks(self) -> list[str]:
        """For each run its letters or, where there is a baseline, a star if it differs from that.

        Of several baselines each has a number, and runs have the numbers of those that they differ from.
        """
        if self.baseline is None:
            return list(self.letters().values())
        several = len(self.baselines) > 1
        marks = [""] * len(self.runs)
        for number, baseline in enumerate(self.baselines or (self.baseline,), 1):
            place = self.runs.index(baseline)
            for row in np.flatnonzero(self.matrix[place] < self.alpha).tolist():
                marks[row] += ("," * bool(marks[row]) + str(number)) if several else "*"
            marks[place] = f"baseline {number}" if several else "baseline"
        return marks

    def compact_matrix(self) -> str:
        """All pairs at a glance: > where the run of the row is significantly better, < where worse, . where neither."""
        return "\n".join(self.matrix_block().rows())

    def matrix_block(self) -> Matrix:
        """The same as a block under the name of the measure."""
        signs = np.full((len(self.runs),) * 2, ".", dtype="<U1")
        np.fill_diagonal(signs, "=")
        first, second = self.pairs.first[self.significant], self.pairs.second[self.significant]
        upward = (self.results.difference[self.significant] > 0) != self.measure.low_is_good
        signs[first, second] = np.where(upward, ">", "<")
        signs[second, first] = np.where(upward, "<", ">")
        return Matrix(str(self.measure), self.runs, ["".join(row) for row in signs])

    def sentence(self) -> str:
        """How many pairs differ, by which test, and whether the test is meaningful on the scale of the measure."""
        return sentence(self)

    @property
    def provenance(self) -> dict[str, object]:
        """What is needed to reproduce the comparison: measure, test, settings, verdict, signature of the evaluation."""
        return {
            "measure": str(self.measure),
            "test": self.test.name,
            "correction": self.correction,
            "alpha": self.alpha,
            "confidence": self.confidence,
            "verdict": str(self.verdict),
            **({} if len(self.baselines) < 2 else {"baselines": list(self.baselines)}),
            **({} if self.summarised_by == "mean" else {"summary": self.summarised_by}),
            **({} if self.omnibus is None else {"omnibus": self.omnibus.to_dict()}),
            "signature": self.signature,
        }

    def table(self, name: str | None = None) -> Table:
        """`pairs`, one row for each; `runs`: their means and groups; `omnibus`: the statistic of all runs together."""
        shown = place_of(TABLES, name or TABLES[0], "table", "a comparison has")
        return (self.rows, self.summary, lambda: omnibus_table([self]))[shown]()

    def views(self, name: str | None = None) -> list[Table]:
        """Means of runs with letters or stars, or the table of this name."""
        return [marked([self]) if name is None else self.table(name)]

    def latex_tables(self, places: int, table: str | None) -> str:
        """Means with their marks; below them the statistic of all runs together, where there is one."""
        together = [omnibus_table([self])] if self.omnibus is not None and table is None else []
        return view_text([*self.views(table), *together], "latex", places)

    def page(self) -> Page:
        """What a notebook shows: means with their marks, and how far runs are from the best, or from the baseline."""
        label = self.test.label
        return replace(super().page(), heading=f"{self.measure}: {label}", pictures=[self._dots()])

    def _dots(self) -> Dots:
        """Means of runs, and differences to the first run, or to the baseline, with the intervals of single pairs."""
        other = self.runs.index(self.baseline) if self.baseline else 0
        columns = [np.full(len(self.runs), np.nan) for _ in range(3)]
        columns[0][other] = 0.0
        numbers = (self.results.difference, self.results.lower, self.results.upper)
        for turned in (False, True):  # the pair is (run, other), or the other way round
            first, second = (self.pairs.second, self.pairs.first) if turned else (self.pairs.first, self.pairs.second)
            rows = np.flatnonzero(second == other)
            ends = (numbers[0], numbers[2], numbers[1]) if turned else numbers
            for column, of in zip(columns, ends, strict=True):
                if of is not None:
                    column[first[rows]] = -of[rows] if turned else of[rows]
        difference, lower, upper = (self.shown(column).tolist() for column in columns)
        panels = [DotColumn(str(self.measure), self.means.tolist())]
        label = f"{'over' if self.is_ratio else 'minus'} {self.runs[other]}"
        panels.append(DotColumn(label, difference, lower, upper, (self.no_gap,)))
        return Dots(self.runs, panels)

    def __str__(self) -> str:
        return f"{self.text(table='runs')}\n\n{self.sentence()}"

    __repr__ = __str__


def needs_values(what: str) -> ParameterError:
    """The error for an operation that needs values by topic, where only sums over topics were kept."""
    return ParameterError(
        f"{what} the values of all topics, and blocks of topics left their sums: ",
        Setting("max_memory", python="result.read()"),
        " reads them back",
    )


def run_test(
    test: Test,
    values: Floats,
    sums: PairSums | None,
    pairs: Pairs,
    confidence: float,
    progress: Progress | None = None,
) -> PairResults:
    """The outcome of a test, from values or from their sums."""
    need(len(pairs) * PAIR_BYTES + values.size * VALUE_BYTES, f"a test of {len(pairs):,} pairs of runs", FEWER_PAIRS)
    if isinstance(test, Resampling):
        return test.compare(values, pairs, confidence, progress)
    if sums is None or not isinstance(test, SumsTest):
        return test.compare(values, pairs, confidence)
    return test.compare_sums(sums, pairs, confidence)


def counts_of(values: Floats) -> Ints:
    """(run,): topics on which each run has a value, given (topic, run)."""
    counts: Ints = np.count_nonzero(~np.isnan(values), axis=0)
    return counts
