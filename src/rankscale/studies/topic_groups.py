"""Groups of topics: whether runs differ within each group, and whether their order depends on the group.

A mean over all topics hides what happens in a few of them. Values, means and tests are given for each group, corrected
for all comparisons that were made, and a test of the interaction says whether groups disagree about the runs.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.checking import check_arguments
from rankscale.data.declared import Declaration, Kind, OneOf, Share
from rankscale.data.names import listed
from rankscale.data.notices import Notice, notes
from rankscale.data.table import Cell, Table
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation, expected
from rankscale.formats.read.topic_groups import read_groups
from rankscale.measures.base.measure import Measure
from rankscale.stats.comparison import retrieved_by_all
from rankscale.stats.corrections import CORRECTIONS, correct
from rankscale.stats.interaction import Error, Interaction, interaction
from rankscale.stats.tests.base.test import Pairs, Test, all_pairs, check_alpha
from rankscale.stats.tests.register import make_test
from rankscale.stats.verdicts import Verdict, verdict
from rankscale.studies.support.study import Study

NONE = "(none)"  # what topics without a group are shown as
Family = Literal["all", "group"]
FAMILIES = {"all": "over all pairs in all groups", "group": "within each group"}


@dataclass(frozen=True, eq=False, repr=False)
class TopicGroups(Study):
    """Result of `topic_groups`: means, tests and the interaction, by group of topics.

    Attributes
    ----------
    evaluation : Evaluation
        Values of the runs.
    groups : tuple of str
        Names of groups; last '(none)' if topics have no group.
    members : array of bool
        (group, topic): which topics are in each group.
    test : Test
        The significance test.
    correction, family, alpha, error
        How p-values are corrected, over what, the significance level, and the error of the interaction.
    means, deviations : array of float
        (measure, group, run): mean and standard deviation over the topics of the group.
    micro, macro : array of float
        (measure, run): mean over all topics that have a group, and mean of the means of groups.
    runs_compared : Pairs
        The two runs of each pair, as rows of `evaluation.runs`.
    difference, p_uncorrected, p : array of float
        (measure, group, pair): difference, and p-values; NaN where a group has too few topics for the test.
    interactions : tuple of Interaction or None
        For each measure; None where there are too few groups, runs or topics.
    verdicts : tuple of Verdict
        Whether the test is meaningful with each measure.
    notices : tuple of Notice
        What users should know about the result.
    """

    evaluation: Evaluation
    groups: tuple[str, ...]
    members: Bools
    test: Test
    correction: str
    family: Family
    alpha: float
    error: Error
    means: Floats
    deviations: Floats
    micro: Floats
    macro: Floats
    runs_compared: Pairs
    difference: Floats
    p_uncorrected: Floats
    p: Floats
    interactions: tuple[Interaction | None, ...]
    verdicts: tuple[Verdict, ...]
    notices: tuple[Notice, ...]

    @property
    def significant(self) -> Bools:
        """(measure, group, pair): whether the two runs differ on the topics of the group."""
        return np.nan_to_num(self.p, nan=1.0) < self.alpha

    def tables(self) -> Mapping[str, Table]:
        """`groups`, `overall` (micro and macro means), `pairs` and `interaction`."""
        return {
            "groups": self._groups(),
            "overall": self._overall(),
            "pairs": self._pairs(),
            "interaction": self._interaction(),
        }

    def shown(self) -> tuple[str, ...]:
        """All but the pairs."""
        return "groups", "overall", "interaction"

    def _groups(self) -> Table:
        names, runs, sizes = self._names, self.evaluation.runs, self.members.sum(axis=1).tolist()
        each = [(m, g, r) for m in range(len(names)) for g in range(len(self.groups)) for r in range(len(runs))]
        columns: dict[str, Sequence[Cell]] = {
            "measure": [names[m] for m, _, _ in each],
            "group": [self.groups[g] for _, g, _ in each],
            "run": [runs[r] for _, _, r in each],
            "topics": [sizes[g] for _, g, _ in each],
            "mean": self.means.ravel().tolist(),
            "sd": self.deviations.ravel().tolist(),
        }
        return Table(columns)

    def _overall(self) -> Table:
        names, runs = self._names, self.evaluation.runs
        columns: dict[str, Sequence[Cell]] = {
            "measure": [name for name in names for _ in runs],
            "run": [*runs] * len(names),
            "micro": self.micro.ravel().tolist(),
            "macro": self.macro.ravel().tolist(),
        }
        return Table(columns)

    def _pairs(self) -> Table:
        runs, (measures, groups, pairs) = self.evaluation.runs, self.difference.shape
        first = [runs[row] for row in self.runs_compared.first.tolist()]
        other = [runs[row] for row in self.runs_compared.second.tolist()]
        columns: dict[str, Sequence[Cell]] = {
            "measure": [name for name in self._names for _ in range(groups * pairs)],
            "group": [name for name in self.groups[:groups] for _ in range(pairs)] * measures,
            "run": first * measures * groups,
            "other": other * measures * groups,
            "difference": self.difference.ravel().tolist(),
            "p_uncorrected": self.p_uncorrected.ravel().tolist(),
            "p": self.p.ravel().tolist(),
            "significant": self.significant.astype(int).ravel().tolist(),
        }
        return Table(columns)

    def _interaction(self) -> Table:
        there = [(name, one) for name, one in zip(self._names, self.interactions, strict=True) if one is not None]
        rows = [(name, one.f, *one.df, one.p, one.between, one.error) for name, one in there]
        return Table.of(("measure", "F", "df", "df_error", "p", "SS", "SS_error"), rows)

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(map(str, self.evaluation.measures))

    @property
    def settings(self) -> Mapping[str, object]:
        """Test, correction, level and error."""
        corrected = {"correction": self.correction, "family": self.family, "alpha": self.alpha}
        return {"study": "topic-groups", "test": self.test.name, **corrected, "error": self.error}

    def sentence(self) -> str:
        """How many pairs differ in each group, and what the columns are."""
        groups = self.difference.shape[1]
        tested = np.count_nonzero(~np.isnan(self.p), axis=2)
        parts = [
            f"{name}: "
            + ", ".join(f"{self.groups[g]} {self.significant[m, g].sum()} of {tested[m, g]}" for g in range(groups))
            for m, name in enumerate(self._names)
        ]
        how = f"{self.test.label}, {self.correction} {FAMILIES[self.family]}, alpha {self.alpha:g}"
        return (
            f"Pairs that differ significantly ({how}): {'; '.join(parts)}. micro is the mean over topics, macro "
            "the mean of the means of groups; F tests whether the differences of runs depend on the group."
        )


def topic_groups(
    evaluation: Evaluation,
    groups: Annotated[Mapping[str, str] | str | os.PathLike[str], Kind("path")],
    *,
    column: str | None = None,
    test: str = "student",
    correction: Annotated[str, OneOf(CORRECTIONS)] = "holm",
    family: Family = "all",
    error: Error = "topics",
    alpha: Share = 0.05,
) -> TopicGroups:
    """Compare runs within groups of topics.

    Each group has its means and tests; a test of the interaction says whether the order of runs depends on the group.

    Parameters
    ----------
    evaluation : Evaluation
        Values of the measures by run and topic.
    groups : mapping or path
        Group of each topic: a file of lines with topic and group, or a table with a header.
    column : str, optional
        Column of the table that holds the groups.
    test : str
        Significance test of pairs.
    correction : str
        Correction for multiple comparisons.
    family : str
        What is corrected for: all pairs in all groups, or the pairs of each group.
    error : str
        Error of the interaction: topics as blocks within groups, or the spread within cells, blind to topics.
    alpha : float
        Significance level.

    Returns
    -------
    TopicGroups
        Tables 'groups' (mean and standard deviation), 'overall' (micro and macro means), 'pairs' and 'interaction'.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take, if there are fewer than two runs, or if a run misses topics.
    FormatError
        If the file of groups is not as it should be, or puts a topic into two groups.

    Notes
    -----
    Topics without a group are shown as '(none)' and left out of tests and of both overall means. A group with fewer
    topics than the test needs has values and no p-value.

    Examples
    --------
    >>> import rankscale as rs
    >>> values = {"A": {"1": 0.7, "2": 0.75, "3": 0.3, "4": 0.2}, "B": {"1": 0.5, "2": 0.6, "3": 0.4, "4": 0.3}}
    >>> of = {"1": "easy", "2": "easy", "3": "hard", "4": "hard"}
    >>> print(rs.topic_groups(rs.read_values(values, measure="P@20"), of).text(table="overall"))
    measure  run   micro   macro
    P@20     A    0.4875  0.4875
    P@20     B    0.4500  0.4500

    Command line
    ------------
        rankscale topic-groups qrels.txt runs/*.gz --groups groups.txt -m AP
        rankscale topic-groups qrels.txt runs/*.gz --groups groups.txt --family group --table pairs
        rankscale topic-groups --values values.tsv --groups groups.txt -m nDCG@10
    """
    check_arguments(topic_groups, locals())
    expected(evaluation, "topic_groups")
    check_alpha(alpha)
    for name, value, known in (("family", family, FAMILIES), ("error", error, ("topics", "cells"))):
        if value not in known:
            raise ParameterError(f"{name} must be {' or '.join(map(repr, known))}, got {value!r}")
    if len(evaluation.runs) < 2:
        raise ParameterError(f"pairs of runs are compared: give two runs or more, got {len(evaluation.runs)}")
    chosen = make_test(test)
    if chosen.together and (family == "all" or correction != "holm"):
        raise ParameterError(
            f"{chosen.label} corrects for the pairs of a group by itself: family='group' alone goes with it"
        )
    where, of = read_groups(groups, column)
    there = retrieved_by_all(evaluation)
    names, members = _members(evaluation, there, of, where)
    tested = len(names) - (NONE in names[-1:])
    values = evaluation.values
    means = np.stack([_by_group(one, values[m], members) for m, one in enumerate(evaluation.measures)])
    grouped = members[:tested].any(axis=0)
    micro = np.stack([one.summarise(values[m][:, grouped]) for m, one in enumerate(evaluation.measures)])
    pairs = all_pairs(len(evaluation.runs))
    difference, alone = _tests(chosen, values, members[:tested], pairs)
    used = "none" if chosen.together else correction
    p = np.stack([_corrected(one, used, family) for one in alone])
    made = TopicGroups(
        evaluation=evaluation,
        groups=names,
        members=frozen(members),
        test=chosen,
        correction=used,
        family=family,
        alpha=alpha,
        error=error,
        means=frozen(means),
        deviations=frozen(np.stack([_deviations(one, members) for one in values])),
        micro=frozen(micro),
        macro=frozen(means[:, :tested].mean(axis=1)),
        runs_compared=pairs,
        difference=frozen(difference),
        p_uncorrected=frozen(alone),
        p=frozen(p),
        interactions=tuple(_interaction(one, members[:tested], error) for one in values),
        verdicts=tuple(verdict(one, chosen, [g for g in evaluation.levels if g >= 0]) for one in evaluation.measures),
        notices=(),
    )
    lacking = sorted({group for topic, group in of.items()} - set(names))
    warnings = [f"{where}: no topic of the evaluation is in {listed(lacking)}"] if lacking else []
    cautions = (f"{one}" for one in made.verdicts if not one.meaningful)
    noted = notes([*warnings, *cautions, *(text for m in range(len(values)) for text in _opposed(made, m))])
    object.__setattr__(made, "notices", (*evaluation.notices, *noted))
    return made


def _members(evaluation: Evaluation, there: Bools, of: Mapping[str, str], where: str) -> tuple[tuple[str, ...], Bools]:
    """Names of groups that have topics, in their order of appearance, and (group, topic): who is in them."""
    topics = [topic if here else None for topic, here in zip(evaluation.topics, there.tolist(), strict=True)]
    names = list(dict.fromkeys(group for topic, group in of.items() if topic in topics))
    if not names:
        raise ParameterError(
            f"{where}: no topic of the evaluation has a group; it has {listed(list(evaluation.topics))}, "
            f"the groups have {listed(list(of))}"
        )
    if NONE in names:
        raise ParameterError(f"{where}: {NONE} is what topics without a group are shown as; call the group otherwise")
    if any(topic is not None and topic not in of for topic in topics):
        names.append(NONE)
    rows = [[topic is not None and of.get(topic, NONE) == name for topic in topics] for name in names]
    return tuple(names), np.array(rows, dtype=bool)


def _by_group(measure: Measure, values: Floats, members: Bools) -> Floats:
    """(group, run): the summary of the topics of each group."""
    return np.stack([measure.summarise(values[:, group]) for group in members])


def _deviations(values: Floats, members: Bools) -> Floats:
    """(group, run): standard deviations over topics; NaN for fewer than two."""

    def deviation(of: Floats) -> float:
        defined = of[~np.isnan(of)]
        return float(np.std(defined, ddof=1)) if len(defined) > 1 else np.nan

    return np.array([[deviation(run[group]) for run in values] for group in members])


def _tests(test: Test, values: Floats, members: Bools, pairs: Pairs) -> tuple[Floats, Floats]:
    """(measure, group, pair): differences, and p-values without correction; NaN where topics are too few."""
    difference = np.full((len(values), len(members), len(pairs)), np.nan)
    p = np.full_like(difference, np.nan)
    for m, of_measure in enumerate(values):
        for g, group in enumerate(members):
            matrix = np.ascontiguousarray(of_measure[:, group].T)
            means = np.array([np.mean(run[~np.isnan(run)]) if (~np.isnan(run)).any() else np.nan for run in matrix.T])
            difference[m, g] = means[pairs.first] - means[pairs.second]
            try:
                test.check(matrix)
            except ParameterError:  # too few topics
                continue
            outcome = test.compare(matrix, pairs)
            difference[m, g], p[m, g] = outcome.difference, outcome.p
    return difference, p


def _corrected(p: Floats, correction: str, family: Family) -> Floats:
    """(group, pair): p-values corrected over all groups together, or within each."""
    if family == "all":
        return correct(p.ravel(), correction).reshape(p.shape)
    return np.stack([correct(of_group, correction) for of_group in p])


def _interaction(values: Floats, members: Bools, error: Error) -> Interaction | None:
    """The interaction on the topics where all runs have a value; None where there is too little."""
    usable = members.any(axis=0) & ~np.isnan(values).any(axis=0)
    place: Ints = members.argmax(axis=0)[usable]
    present = np.unique(place)
    try:
        return interaction(np.ascontiguousarray(values[:, usable].T), np.searchsorted(present, place), error)
    except ParameterError:
        return None


def _opposed(made: TopicGroups, m: int) -> Iterator[str]:
    """Warnings of pairs whose overall difference and those of groups have opposite signs."""
    measure, runs = made.evaluation.measures[m], made.evaluation.runs
    first, second = made.runs_compared.first, made.runs_compared.second
    tested = made.difference.shape[1]
    overall = made.micro[m][first] - made.micro[m][second]
    macro = made.macro[m][first] - made.macro[m][second]
    by_group = made.means[m][:tested, first] - made.means[m][:tested, second]
    for pair, (one, other) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        names, sign = f"{measure}: {runs[one]} and {runs[other]}", np.sign(overall[pair])
        if np.isnan(sign) or sign == 0:
            continue
        defined = by_group[~np.isnan(by_group[:, pair]), pair]
        if len(defined) and (np.sign(defined) == -sign).all():
            yield f"{names}: Simpson's paradox: every group has the difference the other way round than all topics"
        if np.sign(macro[pair]) == -sign:
            yield f"{names}: means over topics and means of groups order them the other way round"
        turned = (np.sign(made.difference[m, :, pair]) == -sign) & made.significant[m, :, pair]
        if turned.any():
            against = listed([made.groups[g] for g in np.flatnonzero(turned).tolist()])
            yield f"{names}: the difference is significant the other way round than overall in {against}"


COMMAND = Declaration(
    topic_groups,
    source="evaluation",
    measures=("AP", "nDCG@10"),
    flags={"test": "-t --test"},
    shared=("values", "missing", "judging", "reading"),
    tables=("groups", "overall", "pairs", "interaction"),
)
