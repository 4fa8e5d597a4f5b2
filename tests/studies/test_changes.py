"""What changes on interval scales: counts by sets of pairs, tests by scipy pair by pair, laws, and published values."""

import math
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.result import Evaluation
from rankscale.executors.processes import Processes
from rankscale.sample import QRELS, RUNS
from rankscale.stats.tests.anova import OneWayAnova
from rankscale.stats.tests.base.test import Test
from rankscale.stats.tests.random_draws import PairedBootstrap
from rankscale.stats.tests.register import PAPER
from rankscale.studies.changes import Changes, changes

MEASURES = ["P@10", "RR@10", "DCG(base=2)@10", "nDCG@10", "AP@10"]
ORDINAL = ("sign", "rank sum", "kruskal-wallis", "friedman")
WITHIN_TOPICS = ("sign", "friedman")


@pytest.fixture(scope="module")
def found() -> Changes:
    return changes(QRELS, list(RUNS), MEASURES)


@cache
def of_sample(measure: str) -> Evaluation:
    return rs.evaluate(QRELS, list(RUNS), measure)


def different(measure: str, test: str, correction: str = "none", alpha: float = 0.05, **settings: Any) -> set[Any]:
    """The pairs of runs of the sample that differ, as they are compared one measure at a time."""
    values = of_sample(measure)
    own = {"one-way", "two-way", "kruskal-wallis", "friedman"}
    outcome = rs.compare(values, test, None if test in own else correction, alpha=alpha, **settings)
    return {
        frozenset((outcome.runs[first], outcome.runs[second]))
        for first, second, differ in zip(outcome.pairs.first, outcome.pairs.second, outcome.significant, strict=True)
        if differ
    }


@pytest.mark.parametrize("measure", MEASURES)
def test_counts_are_those_of_sets_of_pairs(measure: str, found: Changes) -> None:
    pairs = list(found.table("pairs"))
    for test in PAPER:
        before, after = different(measure, test), different(f"Interval({measure},form='rank')", test)
        one = found.of(measure, test)
        assert (one.significant, one.lost, one.gained) == (len(before), len(before - after), len(after - before))
        assert one.change == len(before ^ after) / len(before)
        assert one.pairs == 24 * 23 // 2
        changed = [row for row in pairs if (row["measure"], row["test"]) == (str(one.measure), test)]
        for word, expected in (("S2NS", before - after), ("NS2S", after - before)):
            assert {frozenset((row["run"], row["other"])) for row in changed if row["change"] == word} == expected


def test_p_values_are_those_of_scipy_pair_by_pair(found: Changes) -> None:
    values = found.evaluation.values
    for place, measure in enumerate(MEASURES):
        for test in ("student", "sign"):
            one = found.of(measure, test)
            for of, p in ((values[place], one.p), (values[place + len(MEASURES)], one.interval_p)):
                first, second = np.array(list(combinations(range(24), 2))).T
                np.testing.assert_allclose(p, _scipy_p(test, of[first], of[second]), rtol=1e-9, atol=1e-12)


def _scipy_p(test: str, x: Any, y: Any) -> Any:
    """(pair,), from (pair, topic) of the one run and of the other."""
    if test == "student":
        return stats.ttest_rel(x, y, axis=1).pvalue
    wins, losses = (x > y).sum(axis=1).tolist(), (x < y).sum(axis=1).tolist()
    return [_scipy_sign(*sorted(both)) for both in zip(wins, losses, strict=True)]


@cache
def _scipy_sign(fewer: int, more: int) -> float:
    return float(stats.binomtest(fewer, fewer + more).pvalue) if more else 1.0


def test_settings_of_tests() -> None:
    tests: list[str | Test] = ["student", "two-way", OneWayAnova(df="infinite")]
    made = changes(QRELS, list(RUNS), "RR@10", tests, df="error", alpha=0.01, correction="holm")
    student, two_way, one_way = made.changes
    scaled = "Interval(RR@10,form='rank')"
    for one, of_test in ((student, {}), (two_way, {"df": "error"}), (one_way, {"df": "infinite"})):
        before, after = (different(name, one.test.name, "holm", alpha=0.01, **of_test) for name in ("RR@10", scaled))
        assert (one.significant, one.lost, one.gained) == (len(before), len(before - after), len(after - before))
    assert made.settings["correction"] == "holm"
    assert made.settings["tests"] == ("student", "two-way(df=error)", "one-way(df=infinite)")
    told = "study:changes|alpha:0.01|correction:holm|tests:student,two-way(df=error),one-way(df=infinite)|form:auto|"
    assert made.signature.startswith(told)
    assert made.signature.endswith(made.evaluation.signature)
    given_once = changes(QRELS, list(RUNS), "RR@10", "bootstrap", samples=500, seed=7).changes[0]
    assert given_once.test == PairedBootstrap(samples=500, seed=7)
    again = changes(QRELS, list(RUNS), "RR@10", PairedBootstrap(samples=500, seed=7)).changes[0]
    np.testing.assert_array_equal(given_once.p, again.p)


def test_the_form_of_ranks_changes_nothing(found: Changes) -> None:
    for form in ("rank", "normalised"):
        other = changes(QRELS, list(RUNS), MEASURES, form=form)
        assert other.table().columns == found.table().columns
        assert other.agreements == found.agreements


def test_ranks_are_taken_where_they_are_exact_and_topics_share_them(trec_8: Any) -> None:
    qrels, runs = trec_8
    made = changes(qrels, runs[:3], ["DCG(base=2)@20", "RBP(p=0.8)@60"], "sign")
    assert [one.interval.form for one in made.changes] == ["rank", "normalised"]
    feasible = changes(QRELS, list(RUNS), "AP@6", "sign", universe="feasible")
    assert [one.interval.form for one in feasible.changes] == ["normalised"]


def test_what_must_not_change(found: Changes) -> None:
    """On an interval scale nothing does; by order alone nothing does unless topics with scales of their own mix."""
    for one in found.changes:
        if str(one.measure) == "P@10":
            assert one.lost == one.gained == 0
        if one.test.name in (WITHIN_TOPICS if one.measure.uses_recall_base else ORDINAL):
            assert one.lost == one.gained == 0
            assert (one.verdict.kind, one.interval_verdict.kind) == ("meaningful", "meaningful")
        elif str(one.measure) != "P@10":
            assert one.lost + one.gained > 0
            assert not one.verdict.meaningful


@settings(max_examples=40)  # each of up to 5 runs, 3 topics, 3 measures and 8 tests
@given(
    st.lists(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=3, max_size=3), min_size=2, max_size=5)
)
def test_no_test_changes_on_an_interval_scale(relevant: list[list[list[bool]]]) -> None:
    """Runs of any rankings: each of its topics has four documents, relevant or not."""
    qrels = {str(topic): {f"{g}{rank}": g for g in (0, 1) for rank in range(4)} for topic in range(3)}
    runs = {
        f"run{place}": {
            str(topic): {f"{int(there)}{rank}": 4.0 - rank for rank, there in enumerate(ranking)}
            for topic, ranking in enumerate(rankings)
        }
        for place, rankings in enumerate(relevant)
    }
    made = changes(qrels, runs, ["P@4", "RBP(p=0.5)@4", "RR@4"])
    for one in made.changes:
        if str(one.measure) != "RR@4" or one.test.name in ORDINAL:
            assert one.lost == one.gained == 0
    of_two = {"tau": [one.tau for one in made.agreements], "scaled": [one.interval_tau for one in made.agreements]}
    np.testing.assert_array_equal(of_two["tau"][0], of_two["scaled"][0])


def test_agreement_is_that_of_scipy_on_rounded_means(found: Changes) -> None:
    means = found.evaluation.means().values
    names = [str(measure) for measure in found.evaluation.measures]
    assert [(str(one.measure), str(one.other)) for one in found.agreements] == list(combinations(names[:5], 2))
    for one, (i, j) in zip(found.agreements, combinations(range(5), 2), strict=True):
        tau = stats.kendalltau(means[i].round(8), means[j].round(8)).statistic
        scaled = stats.kendalltau(means[i + 5].round(8), means[j + 5].round(8)).statistic
        assert (one.tau, one.interval_tau) == pytest.approx((tau, scaled), abs=1e-14)
        assert one.percent == pytest.approx(100 * (scaled / tau - 1), abs=1e-11)
        assert one.topics == 50


QRELS_OF_FOUR: dict[str, dict[str, int]] = {
    "1": {"a": 1, "b": 0},
    "2": {"a": 0, "b": 0},
    "3": {"a": 1, "b": 1, "c": 1},
    "4": {"a": 1},
}
FIRST: dict[str, dict[str, float]] = {"1": {"a": 2, "b": 1}, "2": {"a": 1}, "3": {"b": 3, "a": 2}, "4": {"a": 1}}
SECOND: dict[str, dict[str, float]] = {"1": {"b": 2, "a": 1}, "3": {"x": 3, "a": 2}, "4": {"x": 2}}
THIRD: dict[str, dict[str, float]] = {"1": {"x": 2}, "2": {"b": 1}, "3": {"x": 3, "a": 2}, "4": {"a": 2}}


def test_both_are_tested_over_the_topics_where_both_are_defined() -> None:
    runs = {"first": FIRST, "second": SECOND, "third": THIRD}
    made = changes(QRELS_OF_FOUR, runs, ["AP@2", "P@2"], ["student", "two-way"])
    kept = rs.evaluate(QRELS_OF_FOUR, runs, ["AP@2", "Interval(AP@2,form='rank')"]).values[:, :, [0, 2, 3]]
    student = made.of("AP@2", "student")
    for values, p in zip(kept, (student.p, student.interval_p), strict=True):
        expected = [stats.ttest_rel(values[i], values[j]).pvalue for i, j in combinations(range(3), 2)]
        np.testing.assert_allclose(p, expected, rtol=1e-12)
    assert made.agreements[0].topics == 3
    assert any("is undefined for 3 of 12 rankings" in warning for warning in made.warnings)
    common = changes(QRELS_OF_FOUR, runs, "P@2", "student", missing="common")
    values = rs.evaluate(QRELS_OF_FOUR, runs, "P@2").values[0][:, [0, 2, 3]]
    assert common.changes[0].p[0] == pytest.approx(stats.ttest_rel(values[0], values[1]).pvalue, rel=1e-12)
    assert common.evaluation.topics_rule == "common"


def test_nothing_significant_is_no_share() -> None:
    made = changes(QRELS_OF_FOUR, {"one": FIRST, "two": FIRST}, ["P@2", "RR@2"])
    assert all((one.significant, one.lost, one.gained) == (0, 0, 0) for one in made.changes)
    assert all(math.isnan(one.change) for one in made.changes)
    assert math.isnan(made.agreements[0].tau)
    assert math.isnan(made.agreements[0].percent)
    assert len(made.table("pairs")) == 0
    assert made.to_polars()["change"].to_list() == [None] * 16


def test_equal_values_that_differ_by_rounding_are_told() -> None:
    """1/3 + 2/4 + 3/5 + 4/6 = 1 + 2/4 + 3/5, though not as floats once they are divided by six."""
    qrels = {topic: {f"{g}{rank}": g for g in (0, 1) for rank in range(6)} for topic in "12"}
    rankings = {"late": ("001111", "111111"), "early": ("100110", "000000")}
    runs = {
        name: {
            topic: {f"{grade}{rank}": 6.0 - rank for rank, grade in enumerate(ranking)}
            for topic, ranking in zip("12", of_run, strict=True)
        }
        for name, of_run in rankings.items()
    }
    made = changes(qrels, runs, ["AP@6", "P@6"], "sign")
    late, early = made.evaluation.values[0][:, 0]
    assert late != early
    assert late == pytest.approx(early, rel=1e-15)
    assert np.ptp(made.evaluation.values[2][:, 0]) == 0
    told = [warning for warning in made.warnings if "differ by rounding" in warning]
    assert len(told) == 1
    assert told[0].startswith("AP@6: on 1 of 2 topics")


@pytest.mark.parametrize(
    ("runs", "measures", "options", "message"),
    [
        ({"only": FIRST}, "P@2", {}, "give two runs or more"),
        ({"one": FIRST, "two": SECOND}, "Interval(P@2)", {}, "name the measures themselves"),
        ({"one": FIRST, "two": SECOND}, "DCG", {}, "name one length"),
        ({"one": FIRST, "two": SECOND}, "P@2", {"alpha": 1.0}, "alpha must lie between 0 and 1"),
        ({"one": FIRST, "two": SECOND}, "P@2", {"tests": "studnet"}, "did you mean student"),
        ({"one": FIRST, "two": SECOND}, "P@2", {"correction": "hol"}, "did you mean holm"),
        ({"one": FIRST, "two": SECOND}, "P@2", {"df": "few"}, "df must be 'error' or 'infinite'"),
        ({"one": {"1": FIRST["1"]}, "two": SECOND}, "P@2", {"tests": "one-way", "missing": "common"}, "needs 2 topics"),
    ],
)
def test_what_cannot_be_compared(runs: Any, measures: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises((ParameterError, UnknownNameError), match=message):
        changes(QRELS_OF_FOUR, runs, measures, **options)
    with pytest.raises(ParameterError, match="was not tested"):
        changes(QRELS_OF_FOUR, {"one": FIRST, "two": SECOND}, "P@2", "sign").of("P@2", "student")


def test_a_measure_without_a_scale_is_left_out_and_told() -> None:
    runs = {"one": FIRST, "two": SECOND}
    made = changes(QRELS_OF_FOUR, runs, ["DCG", "P@2", "AP@100"], "sign")
    assert [str(one.measure) for one in made.changes] == ["P@2"]
    assert made.evaluation == changes(QRELS_OF_FOUR, runs, "P@2", "sign").evaluation
    assert [warning.split(" is left out: ")[0] for warning in made.warnings[:2]] == ["DCG", "AP@100"]


def test_settings_of_evaluate_are_passed_on(found: Changes) -> None:
    told: list[tuple[int, int]] = []
    again = changes(
        QRELS, list(RUNS), MEASURES, executor=Processes(2), progress=lambda done, of: told.append((done, of))
    )
    assert again.evaluation == found.evaluation
    assert again.table() == found.table()
    assert told[-1] == (24, 24)
    mapped = changes(QRELS, list(RUNS), "DCG(base=2)@5", "student", grades=[0, 0, 1, 1])
    expected = rs.evaluate(QRELS, list(RUNS), "Interval(DCG(base=2)@5,form='rank')", grades=[0, 0, 1, 1])
    np.testing.assert_array_equal(mapped.evaluation.values[1], expected.values[0])


def test_rows(found: Changes) -> None:
    assert list(found.tables()) == ["changes", "correlations", "pairs", "reversals", "overview", "summary"]
    rows, by_measure = found.table(), found.table("overview")
    assert list(rows.columns) == [
        *("measure", "test", "pairs", "Sig", "S2NS", "S2NS/Sig", "NS2S", "NS2S/Sig", "change"),
        *("reversed", "verdict", "interval_verdict"),
    ]
    assert [(row["measure"], row["test"]) for row in rows] == [
        (str(measure), test) for measure in found.evaluation.measures[:5] for test in PAPER
    ]
    for row, one in zip(rows, found.changes, strict=True):
        assert (row["Sig"], row["S2NS"], row["NS2S"]) == (one.significant, one.lost, one.gained)
        assert (row["S2NS/Sig"], row["NS2S/Sig"]) == (one.lost / one.significant, one.gained / one.significant)
    assert list(by_measure.columns) == ["measure", *(name.replace(" ", "_") for name in PAPER)]
    assert by_measure.columns["student"] == [one.change for one in found.changes if one.test.name == "student"]
    assert list(found.table("correlations").columns) == [
        *("measure", "other", "tau", "interval_tau", "percent_change", "topics")
    ]
    assert rows.provenance["signature"] == found.signature
    assert rows.provenance["settings"] == found.settings
    assert rows.provenance["sources"] == found.evaluation.table().provenance["sources"]
    polars, pandas = found.to_polars(), found.to_pandas()
    assert polars.columns == list(pandas.columns) == list(rows.columns)
    assert polars.rows() == [tuple(row.values()) for row in rows]
    first, second, sentence = found.text().split("\n\n")
    assert sentence == found.sentence()
    assert (len(first.splitlines()), len(second.splitlines())) == (1 + 40, 1 + 10)


def reversed_by_hand(measure: str, runs: Any, qrels: Any = QRELS) -> set[tuple[str, str]]:
    """Pairs of runs whose sums over topics change their order on the interval version."""
    by_run = rs.evaluate(qrels, runs, [measure, f"Interval({measure})"]).to_dict()
    sides = [
        {run: round(math.fsum(of[one] for of in topics.values()), 9) for run, topics in by_run.items()}
        for one in (measure, f"Interval({measure})")
    ]
    opposite = set()
    for one, other in combinations(by_run, 2):
        before, after = (side[one] - side[other] for side in sides)
        if before * after < 0:
            opposite.add((one, other))
    return opposite


def test_reversed_pairs_are_counted_and_listed(found: Changes) -> None:
    for one in found.reversals:
        expected = {frozenset(pair) for pair in reversed_by_hand(str(one.measure), list(RUNS))}
        rows = [row for row in found.table("reversals") if row["measure"] == str(one.measure)]
        assert {frozenset((row["run"], row["other"])) for row in rows} == expected
        assert len(rows) == len(expected) == np.count_nonzero(one.pairs)
        for row in rows:
            mean, other, scaled, other_scaled = (float(cell or 0) for cell in list(row.values())[3:])
            assert (mean - other) * (scaled - other_scaled) < 0
        counts = {change.reversed for change in found.changes if change.measure == one.measure}
        assert counts == {len(expected)}
    by_measure = {str(one.measure): int(np.count_nonzero(one.pairs)) for one in found.reversals}
    assert by_measure["P@10"] == 0  # an interval scale: nothing can change
    assert by_measure["RR@10"] > 0
    intervals = rs.intervals(QRELS, list(RUNS), MEASURES)
    assert {str(pair.measure): pair.reversed for pair in intervals.pairs} == by_measure
    assert len(changes(QRELS, list(RUNS), "RR@10", tests=[]).table("reversals")) == by_measure["RR@10"]


@pytest.mark.slow
def test_reversed_pairs_of_trec_8(trec_8: tuple[Any, Any]) -> None:
    """RR@30 of TREC-8: sums of 1/rank, and of 31 - rank, are fractions; 1,094 of 8,256 pairs change their order."""
    qrels, runs = trec_8
    values = rs.evaluate(qrels, runs, "RR@30")
    ranks = [[0 if value == 0 else round(1 / value) for value in run] for run in values.values[0].tolist()]
    means = [sum(Fraction(1, rank) for rank in run if rank) for run in ranks]
    scaled = [sum(31 - rank for rank in run if rank) for run in ranks]
    opposite = sum(
        (means[one] - means[other]) * (scaled[one] - scaled[other]) < 0 for one, other in combinations(range(129), 2)
    )
    assert (len(runs), opposite) == (129, 1094)
    made = changes(qrels, runs, "RR@30", "student")
    assert (len(made.pairs), made.changes[0].reversed, len(made.table("reversals"))) == (8256, 1094, 1094)
    assert rs.intervals(qrels, runs, "RR@30").pairs[0].reversed == 1094


def test_mean_change_is_over_the_cells_that_can_change(found: Changes) -> None:
    """P is left out, RR and DCG count with four tests, nDCG and AP, which use the recall base, with all."""
    cells = {(str(one.measure), one.test.name): one for one in found.changes}
    free, bound = ("RR@10", "DCG(base=2)@10"), ("nDCG@10", "AP@10")
    asking = [name for name in PAPER if name not in ORDINAL]
    selected = {
        "spacing": [(measure, test) for measure in free for test in asking],
        "recall base": [(measure, test) for measure in bound for test in ORDINAL],
        "recall base and spacing": [(measure, test) for measure in bound for test in asking],
        "all": list(cells),
    }
    parts = ("spacing", "recall base", "recall base and spacing")
    selected["can change"] = [cell for name in parts for cell in selected[name]]
    rows = {str(row["selection"]): row for row in found.table("summary")}
    assert list(rows) == ["can change", *parts, "all"]
    for name, keys in selected.items():
        changed = np.array([cells[key].change for key in keys])
        row, mean = rows[name], found.averages()[name]
        assert (row["cells"], row["undefined"], row["what"]) == (len(keys), 0, mean.what)
        assert row["change"] == mean.change == pytest.approx(changed.mean(), rel=1e-14)
        assert row["S2NS/Sig"] == pytest.approx(np.mean([cells[key].over(cells[key].lost) for key in keys]), rel=1e-14)
        assert row["NS2S/Sig"] == pytest.approx(
            np.mean([cells[key].over(cells[key].gained) for key in keys]), rel=1e-14
        )
        lower, upper = stats.norm.interval(0.95, loc=changed.mean(), scale=stats.sem(changed))
        assert row["half_width"] == pytest.approx((upper - lower) / 2, rel=1e-12)
    mean = found.averages()["can change"]
    told = f"Its mean over the 24 rows that can change is {mean.change:.1%}, give or take {mean.half_width:.1%}"
    assert told in found.sentence()


def test_mean_change_of_several_collections(found: Changes) -> None:
    """One selection of cells over all of them, not the mean of their means."""
    other = changes(QRELS, list(RUNS)[:9], "RR(rel=2)@5", "student")
    together = found.averages(other)["can change"]
    own = found.averages()["can change"]
    assert together.cells == own.cells + 1
    assert together.change == pytest.approx(
        (own.change * own.cells + other.changes[0].change) / together.cells, rel=1e-14
    )


def test_mean_change_without_significant_pairs_is_undefined() -> None:
    made = changes(QRELS_OF_FOUR, {"one": FIRST, "two": FIRST}, ["P@2", "RR@4"])
    mean = made.averages()["can change"]
    assert (mean.cells, mean.undefined) == (0, 4)
    assert math.isnan(mean.change)
    assert math.isnan(mean.half_width)
    assert "give or take" not in made.sentence()
    one = changes(QRELS, list(RUNS), "RR@10", "student").averages()["can change"]
    assert one.cells == 1
    assert math.isnan(one.half_width)


def test_without_tests_measures_still_agree_or_not() -> None:
    made = changes(QRELS, list(RUNS), ["P@5", "RR@5"], [])
    assert len(made.table()) == 0
    assert len(made.table("correlations")) == 1
    with pytest.raises(ParameterError, match="no measure is requested; name one"):
        changes(QRELS, list(RUNS), [])


# Tables 5 and 6 of the paper, T08 at N = 30: Sig, S2NS and NS2S of each test.
PUBLISHED = {
    "P@30": "5153 0 0, 4276 0 0, 5644 0 0, 5633 0 0, 1923 0 0, 1740 0 0, 3362 0 0, 2595 0 0",
    "RBP(p=0.5)@30": "4724 0 0, 4302 0 0, 5108 0 0, 5091 0 0, 1945 0 0, 1678 0 0, 2861 0 0, 2228 0 0",
    "RBP(p=0.3)@30": "4724 0 0, 4302 0 0, 5027 29 110, 4801 70 360, 1730 18 233, 1678 0 0, 2432 8 437, 2228 0 0",
    "RR@30": "4074 0 0, 3951 0 0, 4578 479 362, 4582 903 454, 1691 288 162, 1500 0 0, 2233 511 131, 1813 0 0",
    "R@30": "5153 0 0, 3494 14 796, 5434 185 395, 5073 303 863, 409 0 1514, 1417 28 351, 2440 47 969, 2595 0 0",
}
# Table 4, the same runs: tau between two measures, and between their interval versions.
AGREEMENTS = {
    ("P@30", "RBP(p=0.5)@30"): ("0.7858", "0.7858", "+0.00"),
    ("P@30", "RR@30"): ("0.7151", "0.6322", "-11.60"),
    ("P@30", "R@30"): ("0.7948", "1.0000", "+25.82"),
    ("RBP(p=0.5)@30", "RBP(p=0.3)@30"): ("0.9498", "1.0000", "+5.29"),
    ("RR@30", "R@30"): ("0.6611", "0.6322", "-4.37"),
}


@pytest.mark.slow
def test_published_changes(trec_8: Any) -> None:
    qrels, runs = trec_8
    made = changes(qrels, runs, PUBLISHED, df="infinite")
    for measure, row in PUBLISHED.items():
        found = [made.of(measure, test) for test in PAPER]
        assert ", ".join(f"{one.significant} {one.lost} {one.gained}" for one in found) == row
        assert {one.pairs for one in found} == {8256}
    taus = {(str(one.measure), str(one.other)): one for one in made.agreements}
    for pair, expected in AGREEMENTS.items():
        one = taus[pair]
        assert (f"{one.tau:.4f}", f"{one.interval_tau:.4f}", f"{one.percent + 0.0:+.2f}") == expected
    error = changes(qrels, runs, "R@30", ["one-way"])
    assert error.changes[0].significant == 406
