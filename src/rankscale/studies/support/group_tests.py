"""Tests within groups of topics: pairs of runs, their correction, and the interaction of runs and groups."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.names import listed
from rankscale.errors import ParameterError
from rankscale.stats.corrections import correct
from rankscale.stats.interaction import Error, Interaction, interaction
from rankscale.stats.resampling.groups import named_pairs, signs
from rankscale.stats.tests.base.test import PairResults, Pairs, Test

Family = Literal["all", "group"]
FAMILIES: Mapping[Family, str] = {"all": "over all pairs in all groups", "group": "within each group"}
Outcomes = Sequence[Sequence[PairResults | None]]  # [measure][group]; None where topics are too few


def tests_by_group(test: Test, values: Floats, members: Bools, pairs: Pairs, confidence: float) -> Outcomes:
    """The outcomes of a test on the topics of each group; None where the test needs more topics."""

    def outcome(of_group: Floats) -> PairResults | None:
        matrix = np.ascontiguousarray(of_group.T)
        try:
            test.check(matrix)
        except ParameterError:  # too few topics
            return None
        return test.compare(matrix, pairs, confidence)

    return tuple(tuple(outcome(of_measure[:, group]) for group in members) for of_measure in values)


def differences(outcomes: Outcomes, values: Floats, members: Bools, pairs: Pairs) -> Floats:
    """(measure, group, pair): what the test compares, or differences of means where topics are too few for it."""

    def means(of_group: Floats) -> Floats:
        there = [run[~np.isnan(run)] for run in of_group]
        return np.array([np.mean(run) if len(run) else np.nan for run in there])

    def difference(m: int, g: int) -> Floats:
        known = outcomes[m][g]
        if known is not None:
            return known.difference
        of_runs = means(values[m][:, members[g]])
        return of_runs[pairs.first] - of_runs[pairs.second]

    return np.array([[difference(m, g) for g in range(len(members))] for m in range(len(values))])


def uncorrected(outcomes: Outcomes, pairs: Pairs) -> Floats:
    """(measure, group, pair): p-values before any correction; NaN where there was no test."""
    nothing = np.full(len(pairs), np.nan)
    return np.array([[nothing if one is None else one.p for one in of_measure] for of_measure in outcomes])


def corrected(p: Floats, correction: str, family: Family) -> Floats:
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


def untested(test: Test, groups: Sequence[str], p: Floats) -> Iterator[str]:
    """A warning of groups that have values and no test; `p` is (measure, group, pair)."""
    without = [group for g, group in enumerate(groups) if np.isnan(p[:, g]).all()]
    if without:
        yield f"too few topics for {test.label} in {listed(without)}: values without a test"


def against_all(
    measure: str, runs: Sequence[str], pairs: Pairs, groups: Sequence[str], outcome: tuple[Floats, Bools], micro: Floats
) -> Iterator[str]:
    """Warnings of differences that are significant in a group, and the other way round over all topics.

    `outcome` holds the differences and whether they are significant, (group, pair); `micro` is (run,).
    """
    both = pairs.first, pairs.second
    overall = signs(micro[pairs.first] - micro[pairs.second])
    difference, significant = outcome
    turned = significant & (overall != 0) & (signs(difference) == -overall)
    for group, of_group in zip(groups, turned, strict=True):
        if of_group.any():
            yield (
                f"{measure}: {named_pairs(runs, both, of_group)}: the difference is significant the other way round "
                f"than overall in {group}"
            )
