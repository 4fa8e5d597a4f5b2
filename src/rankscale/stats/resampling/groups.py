"""Groups of topics: which topic is in which, and whether runs are in another order in one than in another."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints, frozen
from rankscale.data.names import listed
from rankscale.errors import ParameterError, Setting
from rankscale.inputs.topics import read_groups

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation
    from rankscale.measures.base.measure import Measure


NONE = "(none)"  # what topics without a group are shown as
MICRO, MACRO = "(micro)", "(macro)"  # rows of the means over topics and over groups
EQUAL = 1e-12  # numbers that differ by no more are equal
SHOWN_PAIRS = 3  # of runs, in a warning
RESERVED = {
    NONE: "topics without a group are shown as",
    MICRO: "the mean over topics is shown as",
    MACRO: "the mean of the means of groups is shown as",
}
WITHOUT_GROUPS = (
    Setting("column", option="--group-column"),
    " names a column of a file of groups: give ",
    Setting("groups", "FILE", python="groups="),
    " too, or leave it out",
)
MEANING = f"{MICRO} is the mean over topics, {MACRO} the mean of the means of groups."
WITHOUT = f"Topics without a group, {NONE}, are in neither."
Error = Literal["topics", "cells"]


@dataclass(frozen=True)
class Grouping:
    """Topics of an evaluation by group."""

    where: str  # how messages call the source
    names: tuple[str, ...]  # of groups that have topics, in their order of appearance; last '(none)', if any
    members: Bools  # (group, topic)
    lacking: tuple[str, ...]  # groups without a topic of the evaluation

    @property
    def tested(self) -> int:
        """How many groups there are without '(none)'."""
        return len(self.names) - (self.names[-1] == NONE)

    @property
    def grouped(self) -> Bools:
        """(topic,): whether the topic has a group."""
        there: Bools = np.count_nonzero(self.members[: self.tested], axis=0) > 0
        return there

    def warnings(self) -> list[str]:
        """A warning of groups that no topic is in."""
        return [f"{self.where}: no topic of the evaluation is in {listed(list(self.lacking))}"] if self.lacking else []

    def notes(self, measures: "Sequence[Measure]" = ()) -> tuple[str, ...]:
        """What the rows that are no groups mean; counts have totals in place of means."""
        totals = [str(measure) for measure in measures if measure.summary == "sum"]
        counts = [f"For counts ({listed(totals)}) these are the total and the mean of the totals of groups."]
        without = [WITHOUT] * (self.names[-1] == NONE)
        return (" ".join([MEANING, *counts * bool(totals), *without]),)


def grouping(evaluation: "Evaluation", groups: object, column: str | None = None) -> Grouping:
    """Groups of the topics that count for some run; raise ParameterError where no topic has one.

    What was made before, of the same evaluation, is given back.
    """
    if isinstance(groups, Grouping):
        return groups
    where, of = read_groups(groups, column)
    counting = np.flatnonzero(np.count_nonzero(evaluation.retrieved, axis=0)).tolist()
    topics = {evaluation.topics[place]: place for place in counting}
    names = list(dict.fromkeys(group for topic, group in of.items() if topic in topics))
    if not names:
        raise ParameterError(
            f"{where}: no topic of the evaluation has a group; it has {listed(list(evaluation.topics))}, "
            f"the groups have {listed(list(of))}"
        )
    for name, meaning in RESERVED.items():
        if name in names:
            raise ParameterError(f"{where}: {name} is what {meaning}; call the group otherwise")
    if any(topic not in of for topic in topics):
        names.append(NONE)
    members = np.zeros((len(names), len(evaluation.topics)), dtype=bool)
    row = {name: place for place, name in enumerate(names)}
    for topic, place in topics.items():
        members[row[of.get(topic, NONE)], place] = True
    lacking = dict.fromkeys(group for group in of.values() if group not in row)
    return Grouping(where, tuple(names), frozen(members), tuple(sorted(lacking)))


def signs(differences: Floats) -> Floats:
    """-1, 0 or 1; differences that are mere rounding have no sign. NaN where there is no difference."""
    return np.where(np.abs(differences) <= EQUAL, 0.0, np.sign(differences))


def disagreements(
    measure: str,
    runs: Sequence[str],
    pairs: tuple[Ints, Ints],
    by_group: Floats,
    overall: Mapping[str, Floats],
) -> Iterator[str]:
    """Warnings of pairs of runs that groups and all topics, or micro and macro means, put in opposite orders.

    `by_group` are (group, run), `overall` (run,) for micro and for macro; `pairs` are rows of both runs of each pair.
    On the same topics the overall difference is a weighted mean of those of groups, so that it can oppose all of them
    only where means are over different topics, or are geometric.
    """
    first, second = pairs
    with np.errstate(invalid="ignore"):  # of two infinite means
        micro, macro = (signs(overall[name][first] - overall[name][second]) for name in (MICRO, MACRO))
        of_groups = signs(by_group[:, first] - by_group[:, second])
    ordered = ~np.isnan(micro) & (micro != 0)
    defined = ~np.isnan(of_groups)
    opposed = ordered & defined.any(axis=0) & (~defined | (of_groups == -micro)).all(axis=0)
    if opposed.any():
        yield (
            f"{measure}: {named_pairs(runs, pairs, opposed)}: Simpson's paradox: every group has the difference the "
            "other way round than all topics"
        )
    turned = ordered & (macro == -micro)
    if turned.any():
        yield (
            f"{measure}: {named_pairs(runs, pairs, turned)}: means over topics and means of groups order them the "
            "other way round"
        )


def named_pairs(runs: Sequence[str], pairs: tuple[Ints, Ints], chosen: Bools) -> str:
    """Some pairs of runs, the first few by name.

    >>> named_pairs("ABC", (np.array([0, 0, 1]), np.array([1, 2, 2])), np.array([True, False, True]))
    'A and B; B and C'
    """
    places = np.flatnonzero(chosen).tolist()
    names = [f"{runs[pairs[0][place]]} and {runs[pairs[1][place]]}" for place in places[:SHOWN_PAIRS]]
    more = f"; ... ({len(places):,} of {len(chosen):,} pairs)" if len(places) > SHOWN_PAIRS else ""
    return "; ".join(names) + more


@dataclass(frozen=True)
class Interaction:
    """An F test: sums of squares, degrees of freedom, F and p; NaN where there is nothing to divide."""

    between: float  # the sum of squares of the interaction
    error: float
    df: tuple[int, int]
    f: float
    p: float


@np.errstate(invalid="ignore")  # of infinite values: F is NaN then
def interaction(values: Floats, groups: Ints, error: Error = "topics") -> Interaction:
    """Test whether differences of runs vary with the group, by analysis of variance.

    Parameters
    ----------
    values
        (topic, run), all defined.
    groups
        (topic,): the group of each topic, numbered from 0.
    error
        'topics': topics are blocks within groups; 'cells': the spread within each group and run, blind to topics.

    Returns
    -------
    Interaction
        For two runs and 'topics' that of the one-way analysis of differences.

    Raises
    ------
    ParameterError
        If there are fewer than two groups or runs, or no more topics than groups.

    Examples
    --------
    >>> values = np.array([[0.7, 0.5], [0.75, 0.6], [0.3, 0.4], [0.2, 0.3], [0.4, 0.4]])
    >>> test = interaction(values, np.array([0, 0, 1, 1, 1]))
    >>> test.df, round(test.f, 4)
    ((1, 3), 26.5579)
    """
    topics, runs = values.shape
    kinds = int(groups.max(initial=-1)) + 1
    if kinds < 2 or runs < 2 or topics <= kinds:
        raise ParameterError(
            "an interaction needs two groups, two runs and more topics than groups, got "
            f"{kinds} groups, {runs} runs and {topics} topics"
        )
    from scipy import stats

    sizes = np.bincount(groups, minlength=kinds)
    cells = np.stack([values[groups == group].mean(axis=0) for group in range(kinds)])  # (group, run)
    of_group, of_run, grand = cells.mean(axis=1), values.mean(axis=0), values.mean()
    between = float((sizes[:, None] * (cells - of_group[:, None] - of_run + grand) ** 2).sum())
    within = values - cells[groups]
    if error == "topics":
        within = within - values.mean(axis=1)[:, None] + of_group[groups][:, None]
    df = (kinds - 1) * (runs - 1), (topics - kinds) * (runs - 1 if error == "topics" else runs)
    rest = float((within**2).sum())
    rounding = 1e-24 * max(float((values**2).sum()), 1e-300)  # squares this small are differences of equal numbers
    undefined = np.nan if between <= rounding else np.inf
    f = float(undefined if rest <= rounding else (between / df[0]) / (rest / df[1]))
    return Interaction(between, rest, df, f, float(stats.f.sf(f, *df)))
