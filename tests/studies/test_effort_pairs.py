"""Pairs of runs in gain and effort: against scipy, one pair and scope after the other, and what always holds."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.sample import QRELS, RUNS
from rankscale.studies.effort_gain import EffortGain, effort_gain
from rankscale.studies.effort_gain.quadrants import OUTCOMES, SCOPES

SOME = RUNS[::3]
GAINS = ["AP", "P@10"]
ALPHA = 0.05


@pytest.fixture(scope="module")
def study() -> EffortGain:
    return effort_gain(rs.evaluate(QRELS, SOME, [*GAINS, "Twist"]), GAINS, pairs=True, correction="none")


def slow_scopes(study: EffortGain, measure: str, run: str, other: str) -> dict[str, list[tuple[float, ...]]]:
    """By scope, gain and effort of both runs on its topics, from the table of points."""
    points = {
        (row["run"], row["topic"]): (row["gain"], row["effort"], row["quadrant"])
        for row in study.table("points")
        if row["measure"] == measure
    }
    scopes: dict[str, list[tuple[float, ...]]] = {scope: [] for scope in SCOPES}
    for topic in study.evaluation.topics:
        if (run, topic) in points and (other, topic) in points:
            (gain, effort, quadrant), (gain2, effort2, quadrant2) = points[run, topic], points[other, topic]
            values: Any = (gain, gain2, effort, effort2)
            scopes["overall"].append(values)
            scopes["within" if quadrant == quadrant2 else "across"].append(values)
    return scopes


def outcome_of(gain: tuple[float, float], effort: tuple[float, float]) -> str:
    """The outcome of a pair, from difference and p of both."""
    if np.isnan(gain[1]) or np.isnan(effort[1]):
        return "not tested"
    if gain[1] < ALPHA and effort[1] < ALPHA:
        return "same" if gain[0] * effort[0] > 0 else "opposite"
    return "gain only" if gain[1] < ALPHA else "effort only" if effort[1] < ALPHA else "neither"


def test_every_pair_is_what_scipy_makes_of_it(study: EffortGain) -> None:
    table = list(study.table("pairs"))
    assert len(table) == len(GAINS) * len(SCOPES) * len(SOME) * (len(SOME) - 1) / 2
    for row in table:
        scopes = slow_scopes(study, str(row["measure"]), str(row["run"]), str(row["other"]))
        values = np.array(scopes[str(row["scope"])]).reshape(-1, 4)
        assert row["topics"] == len(values)
        both = []
        for place in (0, 2):
            first, second = values[:, place], values[:, place + 1]
            difference = float(np.mean(first - second)) if len(values) else float("nan")
            if np.all(first == second) and len(values) > 1:
                p = 1.0
            else:
                p = float(ttest_rel(first, second).pvalue) if len(values) > 1 else float("nan")
            both.append((difference, p))
        columns = [("gain_difference", "gain_p"), ("effort_difference", "effort_p")]
        for (difference, p), (of_difference, of_p) in zip(both, columns, strict=True):
            assert row[of_difference] == pytest.approx(difference, abs=1e-13, nan_ok=True)
            assert row[of_p] == pytest.approx(p, abs=1e-12, nan_ok=True)
        assert row["outcome"] == outcome_of(*both)


def test_the_first_of_a_pair_has_more_gain(study: EffortGain) -> None:
    for row in study.table("pairs"):
        assert row["scope"] != "overall" or float(row["gain_difference"] or 0) >= 0


def test_counts_are_those_of_the_pairs(study: EffortGain) -> None:
    pairs = list(study.table("pairs"))
    for row in study.table("agreement"):
        own = [one["outcome"] for one in pairs if (one["measure"], one["scope"]) == (row["measure"], row["scope"])]
        counts = {name: own.count(name) for name in OUTCOMES}
        assert {name: row[name.replace(" ", "_")] for name in OUTCOMES} == counts
        assert row["pairs"] == len(own) == sum(counts.values())
        in_gain = counts["same"] + counts["opposite"] + counts["gain only"]
        assert row["gain_significant"] == in_gain
        assert row["effort_too"] == ((counts["same"] + counts["opposite"]) / in_gain if in_gain else None)
    overall = next(iter(study.table("agreement")))
    assert f"{overall['gain_significant']} of {overall['pairs']} pairs of runs differ significantly in AP" in str(study)


def test_p_values_are_corrected_for_all_pairs_of_a_scope(study: EffortGain) -> None:
    holm = effort_gain(study.evaluation, "AP", pairs=True)
    plain = [row for row in study.table("pairs") if row["measure"] == "AP"]
    corrected = list(holm.table("pairs"))
    for scope in SCOPES:
        for column in ("gain_p", "effort_p"):
            p = np.array([row[column] for row in plain if row["scope"] == scope], dtype=float)
            tested = np.flatnonzero(~np.isnan(p))
            expected, reached = np.full(len(p), np.nan), 0.0
            for place, which in enumerate(tested[np.argsort(p[tested], kind="stable")]):
                reached = max(reached, min(1.0, float(p[which]) * (len(tested) - place)))
                expected[which] = reached
            got = [row[column] for row in corrected if row["scope"] == scope]
            np.testing.assert_allclose(np.array(got, dtype=float), expected, rtol=0, atol=1e-12)


def test_opposite_directions_are_told_apart() -> None:
    """More relevant documents at the top, and late ones that cost effort, against the other way round."""
    evaluation = rs.evaluate(QRELS, SOME[:2], ["AP", "Twist"])
    values = evaluation.values.copy()
    values[0, 0], values[0, 1] = np.linspace(0.5, 0.9, values.shape[2]), np.linspace(0.1, 0.45, values.shape[2])
    values[1, 0], values[1, 1] = np.linspace(0.1, 0.2, values.shape[2]), np.linspace(0.8, 0.95, values.shape[2])
    overall, within, across = effort_gain(replace(evaluation, values=values), pairs=True).table("agreement")
    assert (overall["opposite"], across["opposite"], within["not_tested"]) == (1, 1, 1)


def test_other_tests() -> None:
    evaluation = rs.evaluate(QRELS, SOME[:4], ["AP", "Twist"])
    signed = effort_gain(evaluation, pairs=True, test="signed rank", correction="none")
    for measure, column in (("AP", "gain_p"), ("Twist", "effort_p")):
        compared = rs.compare(evaluation[measure], "signed rank", "none")
        expected = {frozenset((row["run"], row["other"])): row["p"] for row in compared.rows()}
        overall = [row for row in signed.table("pairs") if row["scope"] == "overall"]
        assert {frozenset((row["run"], row["other"])): row[column] for row in overall} == expected
    drawn = [effort_gain(evaluation, pairs=True, test="bootstrap").table("pairs") for _ in range(2)]
    assert list(map(str, drawn[0])) == list(map(str, drawn[1]))


def test_the_signature_has_the_test(study: EffortGain) -> None:
    assert "|test:student|correction:none|alpha:0.05|" in study.signature
    assert "test:" not in effort_gain(study.evaluation).signature
    assert len(list(combinations(SOME, 2))) == len(study.pairs[0][0].pairs)


def test_what_is_refused(study: EffortGain) -> None:
    evaluation = study.evaluation
    with pytest.raises(ParameterError, match="alpha is of pairs of runs, which are not compared"):
        effort_gain(evaluation, alpha=0.1)
    with pytest.raises(ParameterError, match=r"tests all runs at once; take one of bootstrap, .*student"):
        effort_gain(evaluation, pairs=True, test="two-way")
    with pytest.raises(ParameterError, match=r"alpha must lie between 0 and 1, got 1\.5"):
        effort_gain(evaluation, pairs=True, alpha=1.5)
    with pytest.raises(UnknownNameError, match="did you mean holm"):
        effort_gain(evaluation, pairs=True, correction="hlom")
    with pytest.raises(ParameterError, match="give two runs or more, got 1"):
        effort_gain(evaluation.of_runs([0]), pairs=True)
