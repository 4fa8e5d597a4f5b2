"""Comparison: all pairs of runs under one test, and which conclusions they support."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Unpack

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.checking import check_arguments
from rankscale.data.names import counted_topics, listed, place_of
from rankscale.data.notices import Notice, Noticed, notes
from rankscale.data.table import Cell, Style, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation, expected
from rankscale.formats.write.results import TabularResult
from rankscale.measures.base.measure import Measure
from rankscale.stats.corrections import correct
from rankscale.stats.groups_of_runs import letters
from rankscale.stats.tests.base.test import PairResults, Pairs, Resampling, Test, all_pairs, check_alpha, pairs_with
from rankscale.stats.tests.register import SettingsOfTests, make_test
from rankscale.stats.verdicts import Verdict, verdict

TABLES = ("pairs", "runs")
HOLDER = "the evaluation has"
SHORT = {
    "holm": "Holm's",
    "bonferroni": "Bonferroni's",
    "bh": "Benjamini and Hochberg's",
    "by": "Benjamini and Yekutieli's",
}


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
        The values that were compared.
    means : array (run,)
        Means over the topics on which each run has a value.
    pairs : Pairs
        The two runs of each pair, as places in `runs`; the first is the better one, unless there is a baseline.
    results : PairResults
        Differences, statistics, intervals and p-values of each pair, without correction unless the test makes one.
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
    signature: str = ""
    notices: tuple[Notice, ...] = ()

    @cached_property
    def significant(self) -> Bools:
        """(pair,): whether the two differ."""
        return np.nan_to_num(self.p, nan=1.0) < self.alpha

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
        differ = np.zeros((len(self.runs),) * 2, dtype=bool)
        differ[self.pairs.first, self.pairs.second] = self.significant
        return dict(zip(self.runs, letters(differ | differ.T), strict=True))

    def rows(self) -> Table:
        """One row for each pair; where p-values are corrected, `_uncorrected` marks those of a pair by itself."""
        result, alone = self.results, "" if self.correction == "none" else "_uncorrected"
        names = np.array(self.runs, dtype=object)
        columns: dict[str, Sequence[Cell]] = {
            "measure": [str(self.measure)] * len(self.pairs),
            "test": [self.test.name] * len(self.pairs),
            "run": names[self.pairs.first].tolist(),
            "other": names[self.pairs.second].tolist(),
            "difference": result.difference.tolist(),
        }
        if result.lower is not None and result.upper is not None:
            columns |= {f"lower{alone}": result.lower.tolist(), f"upper{alone}": result.upper.tolist()}
        columns |= {f"p{alone}": result.p.tolist(), "p": self.p.tolist()}
        columns["significant"] = self.significant.astype(int).tolist()
        columns |= {name: effect.tolist() for name, effect in result.effects.items()}
        return Table({**columns, "topics": result.topics.tolist()}, self.provenance)

    def summary(self) -> Table:
        """One row for each run: its mean, and letters or what the baseline says."""
        columns: dict[str, Sequence[Cell]] = {"run": list(self.runs), str(self.measure): self.means.tolist()}
        if self.baseline is None:
            return Table({**columns, "groups": self.marks()}, self.provenance)
        place = self.runs.index(self.baseline)
        differences, p = np.full(len(self.runs), np.nan), self.matrix[place]
        differences[self.pairs.first] = self.results.difference
        return Table(
            {**columns, "difference": differences.tolist(), "p": p.tolist(), "mark": self.marks()},
            self.provenance,
        )

    def marks(self) -> list[str]:
        """For each run its letters or, where there is a baseline, a star if it differs from that."""
        if self.baseline is None:
            return list(self.letters().values())
        p = self.matrix[self.runs.index(self.baseline)]
        stars = np.where(p < self.alpha, "*", "").tolist()
        return ["baseline" if run == self.baseline else star for run, star in zip(self.runs, stars, strict=True)]

    def compact_matrix(self) -> str:
        """All pairs at a glance: > where the run of the row is significantly better, < where worse, . where neither."""
        signs = np.full((len(self.runs),) * 2, ".", dtype="<U1")
        np.fill_diagonal(signs, "=")
        first, second = self.pairs.first[self.significant], self.pairs.second[self.significant]
        upward = (self.results.difference[self.significant] > 0) != self.measure.low_is_good
        signs[first, second] = np.where(upward, ">", "<")
        signs[second, first] = np.where(upward, "<", ">")
        wide = max(map(len, self.runs))
        return "\n".join(f"{run:<{wide}}  {''.join(row)}" for run, row in zip(self.runs, signs, strict=True))

    def sentence(self) -> str:
        """How many pairs differ, by which test, and whether the test is meaningful on the scale of the measure."""
        number, of = int(self.significant.sum()), len(self.pairs)
        how = "" if self.correction == "none" else f", {SHORT[self.correction]} correction"
        return (
            f"{number:,} of {of:,} pairs differ significantly ({self.test.label}{how}, alpha {self.alpha:g}, "
            f"{counted_topics(self.results.topics)}). {str(self.verdict)[0].upper()}{str(self.verdict)[1:]}."
            + "".join(f" {note[0].upper()}{note[1:]}." for note in self._too_few_samples)
        )

    @property
    def _too_few_samples(self) -> list[str]:
        return list(_too_few_samples(self.test, self.correction, len(self.pairs), self.alpha))

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
            "signature": self.signature,
        }

    def table(self, name: str | None = None) -> Table:
        """`pairs`, one row for each, or `runs`: their means and groups."""
        shown = place_of(TABLES, name or TABLES[0], "table", "a comparison has")
        return self.summary() if shown else self.rows()

    def views(self, name: str | None = None) -> list[Table]:
        """Means of runs with letters or stars, or the table of this name."""
        return [marked([self]) if name is None else self.table(name)]

    def __str__(self) -> str:
        return f"{self.text(table='runs')}\n\n{self.sentence()}"

    __repr__ = __str__


def pair_rows(comparisons: Sequence[Comparison]) -> Table:
    """The pairs of several comparisons below each other, each row with its measure and test."""
    columns: dict[str, list[Cell]] = {}
    tables = [one.rows() for one in comparisons]
    names = dict.fromkeys(name for table in tables for name in table.columns)
    for table in tables:
        for name in names:
            columns.setdefault(name, []).extend(table.columns.get(name, [None] * len(table)))
    return Table(columns, {"comparisons": [one.provenance for one in comparisons]})


def marked(comparisons: Sequence[Comparison]) -> Table:
    """Means of the same runs by several measures or tests, the best first, with marks and sentences."""
    runs = comparisons[0].runs
    several = len({one.test.name for one in comparisons}) > 1
    columns: dict[str, Sequence[Cell]] = {"run": list(runs)}
    styles = {"run": Style("left")}
    for one in comparisons:
        place, marks = [one.runs.index(run) for run in runs], one.marks()
        name = f"{one.measure}, {one.test.name}" if several else str(one.measure)
        columns[name] = one.means[place].tolist()
        best = frozenset(np.flatnonzero(one.means[place] == one.means[0]).tolist())
        styles[name] = Style("left", plain=True, marks=[marks[row] for row in place], best=best)
    notes = tuple(f"{one.measure}: {one.sentence()}" for one in comparisons)
    provenance = {"comparisons": [one.provenance for one in comparisons]}
    return Table(columns, provenance, notes=notes, styles=styles)


def compare(
    evaluation: Evaluation,
    test: str | Test = "student",
    correction: str | None = None,
    *,
    baseline: str | None = None,
    alpha: float = 0.05,
    confidence: float = 0.95,
    levels: Sequence[float] | None = None,
    **settings: Unpack[SettingsOfTests],
) -> Comparison:
    """Compare the runs of an evaluation by a significance test: all pairs, or each run with a baseline.

    Parameters
    ----------
    evaluation : Evaluation
        Values of one measure; choose one as in ``evaluation["AP"]``.
    test : str or Test
        Name of the test: 'student' (paired t), 'sign', 'signed rank' (Wilcoxon), 'rank sum' (Mann and Whitney),
        'bootstrap', 'randomisation', 'one-way' and 'two-way' (ANOVA with Tukey's HSD), 'friedman', 'kruskal-wallis' or
        'randomised tukey'.
    correction : str, optional
        Correction for multiple comparisons: 'holm' (the default), 'bonferroni', 'bh', 'by' or 'none'. 'one-way',
        'two-way', 'friedman', 'kruskal-wallis' and 'randomised tukey' correct for all pairs themselves and take none.
    baseline : str, optional
        Name of the run that each other run is compared with; by default all pairs are compared.
    alpha : float
        Significance level.
    confidence : float
        Confidence level of the interval of each difference, which is not corrected unless the test does so.
    levels : sequence of float, optional
        Grades of the collection, by default those of the evaluation; they decide what the scale of some measures is,
        and with it the caution that is given, not the test.
    samples, seed : int, default 10000 and 0
        Number of resamples and random seed, for 'bootstrap', 'randomisation' and 'randomised tukey' only.
    df : {'error', 'infinite'}, default 'error'
        Degrees of freedom of Tukey's test, for 'one-way' and 'two-way' only.

    Returns
    -------
    Comparison
        Printed as the table 'runs', the best first; runs that share a letter do not differ significantly. With a
        baseline the table has the difference from it, p and a mark instead. `to_frame()` has a row for each pair:
        run, other, difference, its interval, p_uncorrected, p, significant (1 or 0), effect sizes and topics.

    Raises
    ------
    ParameterError
        The evaluation has several measures, a run misses topics of others (evaluate with missing='zero' or 'common'),
        or a setting is out of range or not one of the test's.
    UnknownNameError
        No test, correction or run has this name.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {topic: {"a": 1} for topic in "123456"}
    >>> good, bad = ({topic: {"a": 1, "b": score} for topic in qrels} for score in (0, 2))
    >>> comparison = rs.compare(rs.evaluate(qrels, {"bad": bad, "good": good}, "P@1"), "sign")
    >>> print(comparison.text(table="runs"))
    run      P@1  groups
    good  1.0000  a
    bad   0.0000  b
    """
    check_arguments(compare, locals())
    expected(evaluation, "compare")
    requested = make_test(test, **settings)
    measure = _only(evaluation)
    check_alpha(alpha)
    order, values = _matrix(evaluation, measure)
    requested.check(values)
    runs = tuple(evaluation.runs[place] for place in order)
    if baseline is not None:
        pairs = pairs_with(len(runs), place_of(runs, baseline, "run", HOLDER))
    else:
        pairs = all_pairs(len(runs))
    outcome = requested.compare(values, pairs, confidence)
    grades = tuple(level for level in (evaluation.levels if levels is None else levels) if level >= 0)
    chosen = _correction(requested, correction, outcome)
    return Comparison(
        measure=measure,
        test=requested,
        correction=chosen,
        alpha=alpha,
        confidence=confidence,
        runs=runs,
        topics=tuple(evaluation.topics[place] for place in np.flatnonzero(evaluation.retrieved.any(axis=0)).tolist()),
        values=values,
        means=measure.summarise(values.T),
        pairs=pairs,
        results=outcome,
        p=correct(outcome.p, chosen),
        verdict=verdict(measure, requested, grades),
        levels=grades,
        baseline=baseline,
        signature=evaluation.signature,
        notices=notes((*_warnings(outcome, pairs, values), *_too_few_samples(requested, chosen, len(pairs), alpha))),
    )


def _only(evaluation: Evaluation) -> Measure:
    if len(evaluation.measures) != 1:
        example = f"; choose one, as in evaluation[{str(evaluation.measures[0])!r}]" if evaluation.measures else ""
        raise ParameterError(
            f"runs are compared by one measure, and the evaluation has {len(evaluation.measures)}{example}"
        )
    return evaluation.measures[0]


def _matrix(evaluation: Evaluation, measure: Measure) -> tuple[Ints, Floats]:
    """The order of runs, the best first, and their values (topic, run)."""
    values = evaluation.values[0][:, retrieved_by_all(evaluation)]
    means = measure.summarise(values)
    order = np.argsort(means if measure.low_is_good else -means, kind="stable")
    return order, np.ascontiguousarray(values[order].T)


def retrieved_by_all(evaluation: Evaluation) -> Bools:
    """(topic,): which topics the runs have; raises ParameterError if some run misses a topic that another has."""
    there: Bools = np.count_nonzero(evaluation.retrieved, axis=0) > 0
    missing = there & ~evaluation.retrieved.all(axis=0)
    if missing.any():
        topics = [evaluation.topics[place] for place in np.flatnonzero(missing).tolist()]
        raise ParameterError(
            f"not all runs have topics {listed(topics)}: evaluate with missing='zero', which counts them as empty "
            "rankings, or with missing='common'"
        )
    return there


def _correction(test: Test, requested: str | None, outcome: PairResults) -> str:
    if outcome.corrected and requested not in {None, "none"}:
        raise ParameterError(f"{test.label} corrects for all pairs by itself; leave the correction out")
    return "none" if outcome.corrected else (requested or "holm")


def _warnings(outcome: PairResults, pairs: Pairs, values: Floats) -> Iterator[str]:
    undefined = int(np.isnan(outcome.p).sum())
    if undefined:
        why = "too few topics on which both runs have a finite value"
        yield f"{undefined} of {len(pairs)} pairs could not be tested: {why}"
    dropped = int(np.isnan(values).any(axis=1).sum())
    if dropped:
        have, were = ("has", "was") if dropped == 1 else ("have", "were")
        of = f"{dropped} of {len(values)} topics"
        yield f"{of} {have} an undefined value for some run, and {were} left out where it is"


def _too_few_samples(test: Test, correction: str, pairs: int, alpha: float) -> Iterator[str]:
    """A warning if even the smallest p-value of a resampling test would not be significant once corrected."""
    if not isinstance(test, Resampling) or correction == "none":
        return
    # If all pairs have the smallest p-value, 'bh' leaves it as it is and 'by' multiplies it by the harmonic number;
    # the other corrections multiply it by the number of pairs.
    factors = {"bh": 1.0, "by": float(np.sum(1.0 / np.arange(1, pairs + 1)))}
    needed = int(factors.get(correction, pairs) / alpha + 1e-9)  # 49, not 48.999
    if test.samples < needed:
        yield (
            f"{test.samples:,} samples are too few for {pairs:,} pairs: no corrected p-value can be below {alpha:g}; "
            f"take {needed:,} or more, a baseline, or correction='bh' or 'none'"
        )
