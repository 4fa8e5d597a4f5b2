"""Groups of topics: whether runs differ within each group, and whether their order depends on the group.

A mean over all topics hides what happens in a few of them. Values, means and tests are given for each group, corrected
for all comparisons that were made, and a test of the interaction says whether groups disagree about the runs.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Annotated

import numpy as np

from rankscale.data.arguments import Declaration, OneOf, Share, ValueKind, check_arguments
from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.names import listed, place_of
from rankscale.data.notices import Notice, notes
from rankscale.data.table import Table
from rankscale.errors import ParameterError, Setting
from rankscale.evaluation.result import Evaluation, expected
from rankscale.stats.compare import retrieved_by_all
from rankscale.stats.comparison_tables import too_few_samples
from rankscale.stats.corrections import CORRECTIONS, check_correction, correct
from rankscale.stats.resampling.group_means import GroupMeans
from rankscale.stats.resampling.groups import Error, Interaction, interaction, named_pairs, signs
from rankscale.stats.resampling.order_statistics import check_confidence
from rankscale.stats.tests.base.test import PairResults, Pairs, Test, all_pairs, check_alpha, pairs_with
from rankscale.stats.tests.register import make_test
from rankscale.stats.verdicts import Verdict, verdict
from rankscale.studies.support.study import Study
from rankscale.studies.topic_groups.tables import (
    Family,
    GroupOutcomes,
    group_sentence,
    groups_table,
    interaction_table,
    of_outcomes,
    overall_table,
    pairs_table,
)


def tests_by_group(test: Test, values: Floats, members: Bools, pairs: Pairs, confidence: float) -> GroupOutcomes:
    """The outcomes of a test on the topics of each group; None where the test needs more topics."""

    def outcome(of_group: Floats) -> PairResults | None:
        matrix = np.ascontiguousarray(of_group.T)
        try:
            test.check(matrix)
        except ParameterError:  # too few topics
            return None
        return test.compare(matrix, pairs, confidence)

    return tuple(tuple(outcome(of_measure[:, group]) for group in members) for of_measure in values)


def differences(outcomes: GroupOutcomes, values: Floats, members: Bools, pairs: Pairs) -> Floats:
    """(measure, group, pair): what the test compares, or differences of means where topics are too few for it."""
    made = of_outcomes(outcomes, len(pairs), attrgetter("difference"))
    for m, g in np.ndindex(made.shape[:2]):
        if outcomes[m][g] is None:
            there = [run[~np.isnan(run)] for run in values[m][:, members[g]]]
            means = np.array([np.mean(run) if len(run) else np.nan for run in there])
            made[m, g] = means[pairs.first] - means[pairs.second]
    return made


def _corrected(p: Floats, correction: str, family: Family) -> Floats:
    """(group, pair): p-values corrected over all groups together, or within each."""
    if family == "all":
        return correct(p.ravel(), correction).reshape(p.shape)
    return np.stack([correct(of_group, correction) for of_group in p])


def interaction_of_groups(values: Floats, members: Bools, error: Error) -> Interaction | None:
    """The interaction on the topics where all runs have a value; None where there is too little."""
    usable = members.any(axis=0) & ~np.isnan(values).any(axis=0)
    place: Ints = members.argmax(axis=0)[usable]
    present = np.unique(place)
    try:
        return interaction(np.ascontiguousarray(values[:, usable].T), np.searchsorted(present, place), error)
    except ParameterError:
        return None


VERDICT = "verdict"  # kind of notices that say what a scale does not support


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
    correction, family, alpha, confidence, error
        How p-values are corrected, over what, the significance level, the confidence level of the interval of each
        difference, and the error of the interaction.
    baseline : str or None
        Run that each other one was compared with; None where all pairs were.
    means, deviations : array of float
        (measure, group, run): mean and standard deviation over the topics of the group.
    micro, macro : array of float
        (measure, run): mean over all topics that have a group, and mean of the means of groups.
    runs_compared : Pairs
        The two runs of each pair, as rows of `evaluation.runs`.
    outcomes : sequence of sequence of PairResults
        By measure and group: all that the test gives; None where a group has too few topics for it.
    difference, p_uncorrected, p : array of float
        (measure, group, pair): difference, that of logarithms for geometric means, and p-values; NaN where a group has
        too few topics for the test.
    interactions : tuple of Interaction or None
        For each measure; None where there are too few groups, runs or topics.
    verdicts : tuple of Verdict
        Whether the test is meaningful with each measure.
    notices : tuple of Notice
        What users should know about the result.
    grouping_notes : tuple of str
        What rows of tables that are no groups mean.
    groups_from : str
        The file of groups, or how else they were given.
    """

    evaluation: Evaluation
    groups: tuple[str, ...]
    members: Bools
    test: Test
    correction: str
    family: Family
    alpha: float
    confidence: float
    error: Error
    baseline: str | None
    means: Floats
    deviations: Floats
    micro: Floats
    macro: Floats
    runs_compared: Pairs
    outcomes: GroupOutcomes
    difference: Floats
    p_uncorrected: Floats
    p: Floats
    interactions: tuple[Interaction | None, ...]
    verdicts: tuple[Verdict, ...]
    notices: tuple[Notice, ...] = ()
    grouping_notes: tuple[str, ...] = ()
    groups_from: str = ""

    @property
    def significant(self) -> Bools:
        """(measure, group, pair): whether the two runs differ on the topics of the group."""
        return np.nan_to_num(self.p, nan=1.0) < self.alpha

    def tables(self) -> Mapping[str, Table]:
        """`groups`, `overall` (micro and macro means), `pairs` and `interaction`."""
        return {
            "groups": groups_table(self),
            "overall": overall_table(self),
            "pairs": pairs_table(self),
            "interaction": interaction_table(self),
        }

    def shown(self) -> tuple[str, ...]:
        """All but the pairs."""
        return "groups", "overall", "interaction"

    @property
    def group_notices(self) -> tuple[Notice, ...]:
        """What is noticed about groups, without the notices of the evaluation and cautions about scales."""
        known = set(self.evaluation.notices)
        return tuple(notice for notice in self.notices if notice.kind != VERDICT and notice not in known)

    @property
    def measure_names(self) -> tuple[str, ...]:
        """Names of the measures."""
        return tuple(map(str, self.evaluation.measures))

    @property
    def settings(self) -> Mapping[str, object]:
        """Test, correction, levels, error and baseline."""
        how = {"correction": self.correction, "family": self.family, "alpha": self.alpha, "confidence": self.confidence}
        settings = {"study": "topic-groups", "test": self.test.name, **how, "error": self.error}
        return settings if self.baseline is None else {**settings, "baseline": self.baseline}

    def sentence(self) -> str:
        """How many pairs differ in each group, whether that depends on the group, and what the columns are."""
        return " ".join([*self.sentences(), "micro is the mean over topics, macro the mean of the means of groups."])

    def sentences(self, *, verdicts: bool = False) -> list[str]:
        """For each measure how many pairs differ in each group, the interaction, and the verdict if requested."""
        measures = range(len(self.evaluation.measures))
        return [group_sentence(self, m, with_verdict=verdicts) for m in measures]


def topic_groups(
    evaluation: Evaluation,
    groups: Annotated[object, ValueKind("path")],
    *,
    column: str | None = None,
    test: Annotated[str | Test, ValueKind("text")] = "student",
    correction: Annotated[str, OneOf(CORRECTIONS)] = "holm",
    family: Family = "all",
    error: Error = "topics",
    baseline: str | None = None,
    alpha: Share = 0.05,
    confidence: Share = 0.95,
) -> TopicGroups:
    """Compare runs within groups of topics.

    Each group has its means and tests; a test of the interaction says whether the order of runs depends on the group.

    Parameters
    ----------
    evaluation : Evaluation
        Values of the measures by run and topic.
    groups : path, mapping or data frame
        Group of each topic: a file of lines with topic and group, or a table with a header (csv, tsv, JSON Lines).
    column : str, optional
        Column of the table that holds the groups.
    test : str or Test
        Significance test of pairs.
    correction : str
        Correction for multiple comparisons.
    family : str
        What is corrected for: all pairs in all groups, or the pairs of each group.
    error : str
        Error of the interaction: topics as blocks within groups, or the spread within cells, blind to topics.
    baseline : str, optional
        Run that each other one is compared with; by default all pairs are compared.
    alpha : float
        Significance level.
    confidence : float
        Confidence level of the interval of each difference.

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
        rankscale topic-groups qrels.txt runs/*.gz --groups topics.csv --group-column length
        rankscale topic-groups --values values.tsv --groups groups.txt -m nDCG@10
    """
    check_arguments(topic_groups, locals(), choices=("family", "error"))
    expected(evaluation, "topic_groups")
    check_alpha(alpha)
    check_confidence(confidence)
    if len(evaluation.runs) < 2:
        raise ParameterError(f"pairs of runs are compared: give two runs or more, got {len(evaluation.runs)}")
    chosen = make_test(test)
    if chosen.together and (family == "all" or correction != "holm"):
        raise ParameterError(
            f"{chosen.label} corrects for the pairs of a group by itself: ",
            Setting("family", "group"),
            " alone goes with it",
        )
    check_correction(correction)
    retrieved_by_all(evaluation)
    by_group = GroupMeans(evaluation, groups, column)
    grouping, measures = by_group.grouping, evaluation.measures
    values = np.stack([one.averaged(of) for one, of in zip(measures, evaluation.values, strict=True)])
    tested = grouping.members[: grouping.tested]
    pairs = all_pairs(len(evaluation.runs))
    if baseline is not None:
        pairs = pairs_with(len(evaluation.runs), place_of(evaluation.runs, baseline, "run", "the evaluation has"))
    outcomes = tests_by_group(chosen, values, tested, pairs, confidence)
    alone = of_outcomes(outcomes, len(pairs), attrgetter("p"))
    used = "none" if chosen.together else correction
    made = TopicGroups(
        evaluation=evaluation,
        groups=grouping.names,
        members=grouping.members,
        test=chosen,
        correction=used,
        family=family,
        alpha=alpha,
        confidence=confidence,
        error=error,
        baseline=baseline,
        means=frozen(by_group.values[:, :-2].copy()),
        deviations=frozen(by_group.deviations[:, :-2].copy()),
        micro=frozen(by_group.values[:, -2].copy()),
        macro=frozen(by_group.values[:, -1].copy()),
        runs_compared=pairs,
        outcomes=outcomes,
        difference=frozen(differences(outcomes, values, tested, pairs)),
        p_uncorrected=frozen(alone),
        p=frozen(np.stack([_corrected(one, used, family) for one in alone])),
        interactions=tuple(interaction_of_groups(one, tested, error) for one in values),
        verdicts=tuple(verdict(one, chosen, evaluation.judged_levels) for one in evaluation.measures),
        grouping_notes=grouping.notes(evaluation.measures),
        groups_from=grouping.where,
    )
    cautions = notes((f"{one}" for one in made.verdicts if not one.meaningful), VERDICT)
    object.__setattr__(made, "notices", (*evaluation.notices, *by_group.notices, *cautions, *notes(_warnings(made))))
    return made


def _warnings(made: TopicGroups) -> Iterator[str]:
    """Groups without a test, and differences that are significant the other way round than over all topics."""
    both = made.runs_compared.first, made.runs_compared.second
    tested = np.count_nonzero(~np.isnan(made.p), axis=2)  # (measure, group)
    without = [made.groups[g] for g in np.flatnonzero(~tested.any(axis=0)).tolist()]
    if without:
        yield f"too few topics for {made.test.label} in {listed(without)}: values without a test"
    tests = int((tested.sum(axis=1) if made.family == "all" else tested).max(initial=0))
    yield from too_few_samples(made.test, made.correction, tests, made.alpha)
    overall = signs(made.micro[:, both[0]] - made.micro[:, both[1]])[:, None]
    turned = made.significant & (overall != 0) & (signs(made.difference) == -overall)
    for m, g in np.argwhere(turned.any(axis=2)).tolist():
        yield (
            f"{made.measure_names[m]}: {named_pairs(made.evaluation.runs, both, turned[m, g])}: the difference is "
            f"significant the other way round than overall in {made.groups[g]}"
        )


COMMAND = Declaration(
    topic_groups,
    source="evaluation",
    measures=("nDCG@10", "AP"),
    flags={"test": "-t --test", "column": "--group-column"},
    shared=("values", "missing", "judging", "reading"),
    tables=("groups", "overall", "pairs", "interaction"),
)
