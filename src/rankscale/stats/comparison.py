"""Comparison: all pairs of runs under one test, and what may be said of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Unpack

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
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
from rankscale.stats.tests.register import TestSettings, make_test
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
    """Runs of one measure, the best first, compared pair by pair."""

    measure: Measure
    test: Test
    correction: str
    alpha: float
    confidence: float
    runs: tuple[str, ...]  # the best first
    topics: tuple[str, ...]
    values: Floats  # (topic, run)
    means: Floats  # (run,), over the topics that each run has a value on
    pairs: Pairs  # rows of runs; the first is the better one, unless there is a baseline
    results: PairResults
    p: Floats  # (pair,), corrected
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
        """One row for each pair."""
        result = self.results
        names = np.array(self.runs, dtype=object)
        columns: dict[str, Sequence[Cell]] = {
            "measure": [str(self.measure)] * len(self.pairs),
            "test": [self.test.name] * len(self.pairs),
            "run": names[self.pairs.first].tolist(),
            "other": names[self.pairs.second].tolist(),
            "difference": result.difference.tolist(),
        }
        if result.lower is not None and result.upper is not None:
            columns |= {"lower": result.lower.tolist(), "upper": result.upper.tolist()}
        if self.correction != "none":
            columns["p_uncorrected"] = result.p.tolist()
        columns |= {"p": self.p.tolist(), "significant": self.significant.astype(int).tolist()}
        columns |= {name.replace("'", "").replace(" ", "_"): effect.tolist() for name, effect in result.effects.items()}
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
        """How many pairs differ, by which test, and whether that means anything."""
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
        """All that is needed to find it again."""
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
    **settings: Unpack[TestSettings],
) -> Comparison:
    """Compare the runs of an evaluation of one measure, all pairs or each with a baseline.

    `correction` is 'holm' unless the test makes its own (Tukey's), or 'none', 'bonferroni', 'bh', 'by'. `levels` are
    the grades of the collection, which the scale of some measures depends on: those of the evaluation, if it has any.
    """
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
    missing = ~evaluation.retrieved.all(axis=0) & evaluation.retrieved.any(axis=0)
    if missing.any():
        topics = [evaluation.topics[place] for place in np.flatnonzero(missing).tolist()]
        raise ParameterError(
            f"not all runs have topics {listed(topics)}: evaluate with missing='zero', which counts them as empty "
            "rankings, or with missing='common'"
        )
    values = evaluation.values[0][:, evaluation.retrieved.any(axis=0)]
    means = measure.summarise(values)
    order = np.argsort(means if measure.low_is_good else -means, kind="stable")
    return order, np.ascontiguousarray(values[order].T)


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
    """Where even the smallest p-value that a test by draws can give would not be significant once corrected."""
    if not isinstance(test, Resampling) or correction == "none":
        return
    # The smallest p-value of all pairs at once is left as it is by one of these, made larger by the harmonic number by
    # the other; elsewhere it counts as many times as there are pairs.
    factors = {"bh": 1.0, "by": float(np.sum(1.0 / np.arange(1, pairs + 1)))}
    needed = int(factors.get(correction, pairs) / alpha + 1e-9)  # 49, not 48.999
    if test.samples < needed:
        yield (
            f"{test.samples:,} samples are too few for {pairs:,} pairs: no corrected p-value can be below {alpha:g}; "
            f"take {needed:,} or more, a baseline, or correction='bh' or 'none'"
        )
