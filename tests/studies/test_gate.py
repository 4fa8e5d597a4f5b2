"""The gate: the worked example, families of measures and groups, low is good, and what is refused."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError

BASE = (0.42, 0.31, 0.55, 0.20, 0.68, 0.47, 0.36, 0.59)
CAND = (0.40, 0.33, 0.54, 0.19, 0.66, 0.48, 0.33, 0.59)
BAD = (0.30, 0.22, 0.41, 0.12, 0.50, 0.35, 0.27, 0.44)
GOOD = tuple(value + step for value, step in zip(BASE, (0.1, 0.12, 0.09, 0.11, 0.1, 0.13, 0.1, 0.08), strict=True))
GROUPS = {str(topic): "x" if topic < 4 else "y" for topic in range(8)}


def values_of(**runs: tuple[float, ...]) -> dict[str, dict[str, float]]:
    return {run: {str(t): value for t, value in enumerate(of)} for run, of in runs.items()}


def evaluation(measure: str = "P@100", **runs: tuple[float, ...]) -> rs.Evaluation:
    return rs.read_values(values_of(base=BASE, **runs), measure=measure)


def of_measures(**runs: Mapping[str, tuple[float, ...]]) -> rs.Evaluation:
    """Values of several measures: runs of {measure: values}."""
    return rs.read_values(
        {
            run: {str(t): {name: column[t] for name, column in of.items()} for t in range(len(BASE))}
            for run, of in runs.items()
        }
    )


@pytest.mark.parametrize(
    ("candidate", "margin", "verdict", "code"),
    [(CAND, 0.02, "pass", 0), (CAND, 0.01, "inconclusive", 3), (BAD, 0.02, "fail", 1), (GOOD, 0.001, "pass", 0)],
)
def test_the_worked_example(candidate: tuple[float, ...], margin: float, verdict: str, code: int) -> None:
    made = rs.gate(evaluation(cand=candidate), margin)
    assert (made.verdict, made.exit_code, made.passed) == (verdict, code, verdict == "pass")
    assert made.baseline == "base"
    assert made.candidates == ("cand",)


def test_all_numbers_of_a_row() -> None:
    (row,) = rs.gate(evaluation(cand=CAND), 0.01, equivalence=True, upper_margin=0.02).table()
    expected = {
        "topics": 8,
        "baseline_mean": 0.4475,
        "candidate_mean": 0.44,
        "difference": -0.0075,
        "sd": 0.016690,
        "margin": 0.01,
        "lower": -0.018680,
        "upper": 0.003680,
        "p_NI": 0.342264,
        "p_worse": 0.657736,
        "p_TOST": 0.342264,
        "tolerance": 0.018680,
        "tolerance_relative": 0.042350,
        "power": 0.454024,
        "topics_needed": 19,
        "detectable": 0.016326,
        "topics_worse": 5,
        "topics_differ": 7,
        "p_share": stats.binom.cdf(5, 7, 0.5),
    }
    assert {name: row[name] for name in expected} == pytest.approx(expected, abs=5.001e-7)
    assert (row["verdict"], row["remark"], row["equivalent"]) == ("inconclusive", "not shown either way", 0)
    assert (row["candidate"], row["measure"], row["group"]) == ("cand", "P@100", "all")


def test_randomisation_has_no_bounds_and_decides_by_its_own_p() -> None:
    made = rs.gate(evaluation(cand=CAND), 0.02, test="randomisation")
    (row,) = made.rows
    assert (row.p.noninferior, row.p.worse) == (0.0625, 0.984375)
    assert made.verdict == "inconclusive"
    assert np.isnan([row.lower, row.upper, row.tolerance]).all()
    assert "lower" not in made.text()
    assert "all vectors of signs" in made.text()
    (row,) = rs.gate(evaluation(cand=BAD), 0.02, test="randomisation").rows
    assert (row.p.noninferior, row.p.worse, row.verdict) == (1, 1 / 256, "fail")


def test_a_relative_margin_is_a_share_of_the_baseline_mean() -> None:
    made = rs.gate(evaluation(cand=CAND), "2%")
    (row,) = made.rows
    assert row.margin == pytest.approx(0.02 * np.mean(BASE), rel=1e-12)
    assert row.p.noninferior == pytest.approx(0.405704, abs=5.001e-7)
    assert row.verdict == "inconclusive"
    assert row.power is not None
    assert row.power.at_zero == pytest.approx(0.396016, abs=5.001e-7)
    assert "tested topic by topic, as the difference plus 2% of the baseline's value" in made.text()
    (passed,) = rs.gate(evaluation(cand=CAND), "5%").rows
    assert passed.p.noninferior == pytest.approx(0.023319, abs=5.001e-7)
    assert passed.verdict == "pass"
    (row,) = rs.gate(evaluation(cand=CAND), ["2%", 0.02]).rows
    assert row.margin == 0.02
    with pytest.raises(ParameterError, match=r"P@100: a relative margin is a share of the baseline's mean, which must"):
        rs.gate(rs.read_values(values_of(base=(0.0,) * 8, cand=CAND), measure="P@100"), "2%")


def test_measures_are_corrected_together_and_all_must_pass() -> None:
    base = {"P@100": BASE, "P@10": BASE, "P@20": BASE}
    made = rs.gate(of_measures(base=base, cand={"P@100": CAND, "P@10": GOOD, "P@20": CAND}), 0.02)
    alone = [row.alone.noninferior for row in made.rows]
    # Holm by hand: the least p-value times 3; the other two, equal, times 2.
    low = min(alone)
    assert [row.p.noninferior for row in made.rows] == pytest.approx([2 * alone[0], 3 * low, 2 * alone[2]])
    worse = [row.alone.worse for row in made.rows]
    assert [row.p.worse for row in made.rows] == pytest.approx([min(1, 3 * min(worse))] * 3)
    assert [row.verdict for row in made.rows] == ["inconclusive", "pass", "inconclusive"]
    assert made.verdict == "inconclusive"
    without = rs.gate(made.evaluation, 0.02, correction="none")
    assert without.verdict == "pass"
    assert [(row.p.noninferior, row.p.worse) for row in without.rows] == list(zip(alone, worse, strict=True))
    assert "an overall pass is valid all the same" in without.text()
    failed = rs.gate(of_measures(base=base, cand={"P@100": BAD, "P@10": GOOD, "P@20": CAND}), 0.02)
    assert failed.verdict == "fail"


def test_the_family_is_measures_times_groups() -> None:
    base, cand = {"P@100": BASE, "P@10": BASE}, {"P@100": CAND, "P@10": BAD}
    made = rs.gate(of_measures(base=base, cand=cand), 0.02, groups=GROUPS)
    assert [(str(row.measure), row.group) for row in made.rows] == [
        (measure, group) for measure in ("P@100", "P@10") for group in ("x", "y")
    ]
    alone = [
        stats.ttest_rel(np.array(of[part]) + 0.02, BASE[part], alternative="less").pvalue
        for of in (CAND, BAD)
        for part in (slice(0, 4), slice(4, 8))
    ]
    assert [row.alone.worse for row in made.rows] == pytest.approx(alone, rel=1e-9)
    holm, highest = dict[int, float](), 0.0
    for step, place in enumerate(np.argsort(alone).tolist()):
        highest = max(highest, min(1.0, (4 - step) * alone[place]))
        holm[place] = highest
    assert [row.p.worse for row in made.rows] == pytest.approx([holm[place] for place in range(4)], rel=1e-9)


def test_the_groups_of_the_specification() -> None:
    """Group x = topics 1-2, y = 3-8; A less B is 0.175 in x, -0.091667 in y."""
    a, b = (0.7, 0.75, 0.3, 0.2, 0.4, 0.3, 0.5, 0.25), (0.5, 0.6, 0.4, 0.3, 0.4, 0.45, 0.55, 0.4)
    groups = {str(topic): "x" if topic < 2 else "y" for topic in range(8)}
    made = rs.gate(rs.read_values(values_of(B=b, A=a), measure="P@20"), 0.01, groups=groups, baseline="B")
    assert [row.differences.mean for row in made.rows] == pytest.approx([0.175, -0.091667], abs=5e-7)
    assert [row.differences.topics for row in made.rows] == [2, 6]


def test_a_group_of_one_topic_is_inconclusive_and_does_not_count() -> None:
    groups = {**dict.fromkeys(GROUPS, "most"), "7": "one"}
    made = rs.gate(evaluation(cand=GOOD), 0.02, groups=groups)
    assert [(row.group, row.verdict, row.remark) for row in made.rows] == [
        ("most", "pass", "better"),
        ("one", "inconclusive", "fewer than two topics"),
    ]
    assert made.verdict == "inconclusive"
    assert made.rows[0].p.noninferior == made.rows[0].alone.noninferior


def test_a_group_without_a_baseline_mean_and_too_few_topics_is_inconclusive_too() -> None:
    made = rs.gate(
        rs.read_values(values_of(base=(0.0, *BASE[1:]), cand=GOOD), measure="P@20"),
        "5%",
        groups={str(t): "zero" if t == 0 else "rest" for t in range(8)},
    )
    assert [row.verdict for row in made.rows] == ["inconclusive", "pass"]
    assert np.isnan(made.rows[0].margin)


def test_topics_without_a_group_have_no_part() -> None:
    made = rs.gate(evaluation(cand=CAND), 0.02, groups={t: g for t, g in GROUPS.items() if t != "7"} | {"9": "z"})
    assert [row.differences.topics for row in made.rows] == [4, 3]
    assert "groups: 1 topic has no group, and no part in the gate (7)" in made.warnings
    assert "groups: no topic of the evaluation is in z" in made.warnings


def test_several_candidates_are_decided_about_one_by_one() -> None:
    both = evaluation(cand=CAND, bad=BAD, good=GOOD)
    made = rs.gate(both, 0.02)
    assert {name: made.verdict_of(name) for name in made.candidates} == {"cand": "pass", "bad": "fail", "good": "pass"}
    assert made.verdict == "fail"
    for name in made.candidates:  # as if it were the only one
        (alone,) = rs.gate(both, 0.02, candidate=name).table()
        assert alone == next(row for row in made.table() if row["candidate"] == name)
    assert rs.gate(both, 0.02, candidate=["good", "cand"]).candidates == ("good", "cand")
    assert made.table("candidates").columns["verdict"] == ["pass", "fail", "pass"]
    assert made.text().startswith("Gate: fail (against base: cand pass, bad fail, good pass)\n")


def test_low_is_good() -> None:
    """ASL of 10 less 10 times the values: the order of runs turns round, the verdicts stay."""
    turned = {name: tuple(10 - 10 * value for value in of) for name, of in (("base", BASE), ("cand", CAND), ("b", BAD))}
    made = rs.gate(rs.read_values(values_of(**turned), measure="ASL"), 0.2)
    straight = rs.gate(evaluation(cand=CAND, b=BAD), 0.02)
    assert [row.verdict for row in made.rows] == [row.verdict for row in straight.rows] == ["pass", "fail"]
    for low, high in zip(made.rows, straight.rows, strict=True):
        assert low.differences.mean == pytest.approx(10 * high.differences.mean)
        assert low.p.noninferior == pytest.approx(high.p.noninferior)
        assert low.means[1] > low.means[0]  # higher is worse
    assert "Low is good for ASL: the difference is baseline minus candidate, and below 0 is worse." in made.text()
    assert made.table("losses").columns["topic"] == straight.table("losses").columns["topic"]


def test_the_largest_losses_come_first() -> None:
    made = rs.gate(evaluation(cand=CAND), 0.01, losses=3)
    rows = list(made.table("losses"))
    assert [row["topic"] for row in rows] == ["6", "0", "4"]
    assert [row["difference"] for row in rows] == pytest.approx([-0.03, -0.02, -0.02])
    assert "Largest losses" in made.text()
    assert "Largest losses" not in rs.gate(evaluation(cand=CAND), 0.02).text()  # it passes
    assert len(rs.gate(evaluation(cand=CAND), 0.01, losses=0).table("losses")) == 0


def test_inconclusive_counts_as_requested_and_the_output_says_so() -> None:
    for counts, code in (("pass", 0), ("fail", 1)):
        made = rs.gate(evaluation(cand=CAND), 0.01, inconclusive=counts)  # type: ignore[arg-type]
        assert (made.verdict, made.outcome, made.passed, made.exit_code) == (
            "inconclusive",
            counts,
            counts == "pass",
            code,
        )
        assert made.text().startswith(f"Gate: inconclusive, which counts as {counts} here (cand against base)")
    assert rs.gate(evaluation(cand=BAD), 0.02, inconclusive="pass").exit_code == 1


def test_power_is_shown_where_it_is_inconclusive_and_nowhere_else() -> None:
    text = rs.gate(evaluation(cand=CAND), 0.01).text()
    assert "8 topics detect a drop of 0.0163 with probability 0.8. A candidate without any difference passes" in text
    assert "a margin of 0.01 with probability 0.45; with 19 topics it would with probability 0.8 " in text
    assert (
        "(Student's paired t test, one-sided, alpha 0.05, uncorrected, with the variance of these differences)" in text
    )
    assert "with probability" not in rs.gate(evaluation(cand=CAND), 0.02).text()
    assert "with probability" not in rs.gate(evaluation(cand=BAD), 0.02).text()


@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_the_gate_and_a_plan_answer_two_questions_and_say_which(alpha: float) -> None:
    """By the noncentral t distribution of scipy: one side and the margin, two sides and the difference."""
    d = np.array(CAND) - np.array(BASE)

    def enough(topics: int, *, two_sided: bool) -> bool:
        shift = 0.01 * np.sqrt(topics) / d.std(ddof=1)
        limit = stats.t.isf(alpha / 2 if two_sided else alpha, topics - 1)
        power = stats.nct.sf(limit, topics - 1, shift) + (stats.nct.cdf(-limit, topics - 1, shift) if two_sided else 0)
        return bool(power >= 0.8)

    one, two = (next(n for n in range(2, 999) if enough(n, two_sided=both)) for both in (False, True))
    assert one < two
    text = rs.gate(evaluation(cand=CAND), 0.01, alpha=alpha).text()
    assert (
        f"with {one} topics it would with probability 0.8 (Student's paired t test, one-sided, alpha {alpha:g}" in text
    )
    planned = rs.topics_needed(evaluation(cand=CAND), 0.01, alpha=alpha)
    assert planned.paired_t == two
    assert f"(alpha {alpha:g}, one comparison without correction" in str(planned)
    assert f"{two} topics for Student's paired t test of two runs, two-sided" in str(planned)


def test_what_holds_on_an_ordinal_scale() -> None:
    made = rs.gate(evaluation("RR@10", cand=GOOD), 0.01)
    assert "Caution: RR@10 is an ordinal measure" in made.text()
    assert "worse on 0 of the 8 topics that differ; the share of topics that get worse is shown" in made.text()
    assert "to be below 0.5 (binomial test, p = 0.0039, this pair alone)." in made.text()
    assert "by the order of values alone" not in rs.gate(evaluation(cand=GOOD), 0.01).text()  # P has an interval scale
    assert "is not shown to be below 0.5" in rs.gate(evaluation("RR@10", cand=BAD), 0.01).text()
    assert rs.gate(evaluation("RR@10", cand=GOOD), 0.01, theta=0.2).rows[0].share.p == pytest.approx(0.8**8)


def test_undefined_values_are_left_out_and_counted() -> None:
    values = values_of(base=BASE, cand=(*CAND[:-1], float("nan")))
    made = rs.gate(rs.read_values(values, measure="P@100"), 0.02)
    assert made.rows[0].differences.topics == 7
    assert "P@100: 1 topic is left out of cand against base: undefined there (7)" in made.warnings


def test_infinite_values_show_nothing() -> None:
    made = rs.gate(rs.read_values(values_of(base=BASE, cand=(*CAND[:-1], float("inf"))), measure="ESL"), 0.02)
    assert (made.verdict, made.rows[0].remark) == ("inconclusive", "infinite values")


def test_differences_that_do_not_vary() -> None:
    shifted = tuple(value - 0.01 for value in BASE)
    assert [rs.gate(evaluation(cand=shifted), margin).verdict for margin in (0.02, 0.01, 0.005)] == [
        "pass",
        "inconclusive",
        "fail",
    ]
    assert rs.gate(evaluation(cand=BASE), 0.01).verdict == "pass"


def test_a_test_that_shows_nothing_counts_in_the_family() -> None:
    shifted = tuple(value - 0.02 for value in BASE)
    base, cand = {"P@100": BASE, "P@10": BASE}, {"P@100": shifted, "P@10": CAND}
    made = rs.gate(of_measures(base=base, cand=cand), 0.02)
    assert np.isnan(made.rows[0].p.noninferior)
    assert made.rows[1].p.noninferior == 2 * made.rows[1].alone.noninferior


def test_equivalence() -> None:
    made = rs.gate(evaluation(cand=CAND), 0.02, equivalence=True)
    assert made.rows[0].equivalent
    assert made.rows[0].p.equivalent == pytest.approx(0.035951, abs=5e-7)
    assert "equivalent (TOST, p = 0.036, this pair alone)" in made.text()
    better = rs.gate(evaluation(cand=GOOD), 0.02, equivalence=True)
    assert (better.verdict, better.rows[0].equivalent) == ("pass", False)
    assert "p_TOST" not in rs.gate(evaluation(cand=CAND), 0.02).table().columns


def test_every_form_has_the_verdict(tmp_path: Path) -> None:
    made = rs.gate(evaluation(cand=CAND), 0.01)
    title = "Gate: inconclusive (cand against base)"
    for form in ("table", "markdown", "html", "latex"):
        made.write(tmp_path / "gate", form)
        assert title in (tmp_path / "gate").read_text()
    assert f">{title}</caption>" in made._repr_html_()
    assert '"verdict": "inconclusive", "outcome": "inconclusive"' in made.to_json()
    assert str(made).startswith(title)
    assert made.sentence() == title
    assert made.to_polars().height == 1


def test_names_are_escaped() -> None:
    values = values_of(base=BASE) | {"<b>\x1b[31m|": values_of(x=CAND)["x"]}
    made = rs.gate(rs.read_values(values, measure="P@100"), 0.01)
    assert "\x1b" not in made.text() + made.to_markdown()
    assert "<b>" not in made._repr_html_()


def test_settings_and_signature() -> None:
    made = rs.gate(evaluation(cand=CAND), [0.01, "2%"], test="randomisation", seed=3)
    assert made.settings["margin"] == "0.01 or 2%, whichever is larger"
    assert "study:gate|baseline:base|candidates:cand" in made.signature
    assert "seed:3" in made.signature


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"alpha": 0.5}, ParameterError, "alpha must lie between 0 and 0.5, got 0.5"),
    ({"theta": 1.0}, ParameterError, "theta must lie between 0 and 1, got 1.0"),
    ({"test": "sign"}, ParameterError, "test must be 'student' or 'randomisation', got 'sign'"),
    ({"correction": "bh"}, ParameterError, "correction must be 'holm' or 'none', got 'bh'"),
    ({"inconclusive": "odd"}, ParameterError, "inconclusive must be 'pass' or 'fail', got 'odd'"),
    ({"missing": "skip"}, ParameterError, "missing must be 'zero' or 'common', got 'skip'"),
    ({"losses": -1}, ParameterError, "losses and seed are whole numbers from 0"),
    ({"baseline": "bse"}, UnknownNameError, "unknown run 'bse'; did you mean base?"),
    ({"candidate": "cnd"}, UnknownNameError, "unknown run 'cnd'; did you mean cand?"),
    ({"candidate": "base"}, ParameterError, "base is the baseline, and cannot be a candidate too"),
    ({"candidate": []}, ParameterError, r"there is one run \(base\)"),
    ({"column": "kind"}, ParameterError, "column= names a column of a file of groups"),
    ({"upper_margin": 0.1}, ParameterError, "upper_margin= is a margin of equivalence=True"),
    ({"margin": "odd"}, ParameterError, "got 'odd'"),
]


@pytest.mark.parametrize(("options", "kind", "message"), REFUSED)
def test_what_is_refused(options: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        rs.gate(evaluation(cand=CAND), **{"margin": 0.01, **options})


def test_what_cannot_be_decided_about() -> None:
    with pytest.raises(ParameterError, match=r"there is one run \(base\)"):
        rs.gate(evaluation(), 0.01)
    with pytest.raises(ParameterError, match="gate takes an evaluation"):
        rs.gate("qrels.txt", 0.01)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="of which more, or less, is better; RP@5: 0 is in place"):
        rs.gate(rs.evaluate({"1": {"a": 1}}, {n: {"1": {"a": 1.0}} for n in "xy"}, "RP@5"), 0.01)
    part = values_of(base=BASE, cand=CAND)
    del part["cand"]["3"]
    with pytest.raises(ParameterError, match="not all runs have topics 3"):
        rs.gate(rs.read_values(part, measure="P@100", missing="skip"), 0.01)


def lacking(present: int) -> rs.Evaluation:
    """A baseline that has so many of 50 topics, with the relevant document first; a candidate with it second on all."""
    qrels = {f"{t:02}": {"a": 1} for t in range(50)}
    second = {topic: {"b": 2.0, "a": 1.0} for topic in qrels}
    first = {topic: {"a": 1.0} for topic in list(qrels)[:present]}
    return rs.evaluate(qrels, {"base": first, "cand": second}, "RR")


def test_a_baseline_with_one_of_fifty_topics_passes_nobody() -> None:
    """Counted as empty rankings 49 topics are won; on the one that both have the candidate is half as good."""
    made = rs.gate(lacking(1), 0.01)
    assert (made.verdict, made.exit_code) == ("inconclusive", 3)
    (row,) = made.rows
    assert (row.own_verdict, row.common and row.common.own_verdict) == ("pass", "inconclusive")
    assert row.remark == "pass if topics that a run lacks count as empty rankings, inconclusive without them"
    (cells,) = made.table()
    assert (cells["topics"], cells["topics_common"], cells["verdict_common"]) == (50, 1, "inconclusive")


def test_notices_stand_inside_markdown_and_json() -> None:
    made = rs.gate(lacking(30), 0.01)
    assert made.verdict == "inconclusive"
    missing = (
        "20 of 50 topics in qrels are missing from base (30, 31, 32, 33, 34, ...) and counted both ways, as empty "
        "rankings and left out: a verdict stands only where both agree"
    )
    decides = (
        "RR: base or cand lacks 20 of 50 topics (30, 31, 32, 33, 34, ...), and the verdict depends on how they are"
    )
    assert json.loads(made.to_json())["notices"] == [missing, *made.warnings[1:]]
    assert made.warnings[1].startswith(decides)
    for text in (made.to_markdown(), made.to_json()):
        assert all(sentence in text for sentence in (missing, decides))


@pytest.mark.parametrize(("missing", "verdict", "topics"), [("zero", "pass", 50), ("common", "fail", 10)])
def test_the_user_decides_how_missing_topics_are_counted(missing: Any, verdict: str, topics: int) -> None:
    made = rs.gate(lacking(10), 0.01, missing=missing)
    assert (made.verdict, made.rows[0].differences.topics, made.rows[0].common) == (verdict, topics, None)
    assert rs.gate(lacking(10), 0.01).verdict == "inconclusive"


def test_a_verdict_that_does_not_depend_on_missing_topics_stands() -> None:
    qrels = {f"{t:02}": {"a": 1} for t in range(50)}
    first, second = ({topic: {"b": 2.0, "a": score} for topic in qrels} for score in (3.0, 1.0))
    without = {topic: second[topic] for topic in list(second)[2:]}
    made = rs.gate(rs.evaluate(qrels, {"base": first, "cand": without}, "RR"), 0.01)
    assert made.verdict == "fail"
    assert [row.common.own_verdict for row in made.rows if row.common] == ["fail"]
    assert not any("depends" in warning for warning in made.warnings)


def test_values_whose_missing_topics_are_not_known_are_not_decided_by_chance() -> None:
    known = lacking(1)
    with pytest.raises(ParameterError, match="the values do not tell which: decide with missing='zero'"):
        rs.gate(replace(known, present=None), 0.01)
    assert rs.gate(replace(known, present=None), 0.01, missing="zero").verdict == "pass"


@pytest.mark.parametrize("form", ["json", "parquet"])
def test_saved_values_say_which_topics_were_missing(form: Any, tmp_path: Path) -> None:
    """What is decided on the values of runs is decided on the same values from a file."""
    known = lacking(1)
    known.write(tmp_path / "values", form)
    read = rs.read_values(tmp_path / "values")
    assert read.missing_topics == known.missing_topics == {"base": list(known.topics[1:])}
    assert read.means()["base", "RR"] == known.means()["base", "RR"] == 1 / 50
    made, expected = rs.gate(read, 0.01), rs.gate(known, 0.01)
    assert (made.verdict, made.rows[0].remark) == (expected.verdict, expected.rows[0].remark)
    assert made.verdict == "inconclusive"
    assert any("49 of 50 topics in qrels are missing from base" in text for text in made.warnings)
    assert rs.read_values(tmp_path / "values", missing="common").means()["base", "RR"] == 1
    with pytest.raises(rs.errors.InputError, match="run base has no values for 49 of 50 topics"):
        rs.read_values(tmp_path / "values", missing="error")


def test_values_of_data_sets_do_not_say_which_topics_are_missing(tmp_path: Path) -> None:
    """They are written block by block, behind what a file says about itself."""
    qrels = {f"{t:02}": {"a": 1} for t in range(50)}
    rs.write_qrels(qrels, tmp_path / "qrels.txt")
    rs.partition(tmp_path / "qrels.txt", tmp_path / "qrels", partitions=2)
    runs = {"base": {"00": {"a": 1.0}}, "cand": {topic: {"b": 2.0, "a": 1.0} for topic in qrels}}
    for name, run in runs.items():
        rs.write_run(run, tmp_path / f"{name}.txt", name=name)
        rs.partition(tmp_path / f"{name}.txt", tmp_path / name, like=tmp_path / "qrels")
    rs.evaluate_blocks(tmp_path / "qrels", [tmp_path / name for name in runs], "RR", values=tmp_path / "values.parquet")
    made = rs.gate(rs.read_values(tmp_path / "values.parquet"), 0.01)
    assert [text for text in made.warnings if "values of 0 alone on 49 of 50 topics" in text]


def test_a_damaged_record_of_missing_topics_is_refused(tmp_path: Path) -> None:
    document = json.loads(lacking(1).to_json())
    wrongs: list[object] = [[], 3, {"base": "01"}]
    for wrong in wrongs:
        (tmp_path / "values.json").write_text(json.dumps({**document, "missing_topics": wrong}))
        with pytest.raises(rs.errors.FormatError, match=r"expected missing_topics as \{run: \[topics\]\}, found"):
            rs.read_values(tmp_path / "values.json")


def test_values_that_do_not_say_which_topics_are_missing_are_decided_with_a_caution(tmp_path: Path) -> None:
    """Tables have no place for it. Where the verdict is the same without topics of 0, nothing is said."""
    known = lacking(1)
    known.write(tmp_path / "values.tsv", "tsv")
    read = rs.read_values(tmp_path / "values.tsv")
    assert read.missing_topics is None
    made = rs.gate(read, 0.01)
    assert made.verdict == "pass"
    (caution,) = [text for text in made.warnings if "values of 0 alone" in text]
    assert caution.startswith(
        "RR: base or cand has values of 0 alone on 49 of 50 topics (01, 02, 03, 04, 05, ...). The"
    )
    assert caution in made.to_markdown()
    assert "missing='zero' says that they count" in caution
    assert not [text for text in rs.gate(read, 0.01, missing="zero").warnings if "values of 0" in text]
    some = rs.gate(evaluation(cand=(0.0, *CAND[1:])), 0.001)
    assert not [text for text in some.warnings if "values of 0" in text]


@pytest.mark.parametrize(
    ("missing", "rule", "treated"),
    [
        (None, "zero and common", "counted both ways, as empty rankings and left out"),
        ("zero", "zero", "counted as empty rankings"),
        ("common", "common", "left out for all runs"),
    ],
)
def test_notices_and_settings_say_how_missing_topics_are_counted(missing: Any, rule: str, treated: str) -> None:
    made = rs.gate(lacking(10), 0.01, missing=missing)
    assert made.settings["missing-topics"] == rule
    assert f"missing-topics:{rule.replace(' ', '-')}" in made.signature
    assert treated in made.warnings[0]
    assert treated in made.to_markdown()
    assert "missing-topics" not in rs.gate(evaluation(cand=CAND), 0.01).settings


def test_no_margin_is_named_where_the_verdict_depends_on_missing_topics() -> None:
    (row,) = rs.gate(lacking(1), 0.01).table()
    assert np.isnan(cast("float", row["tolerance"]))
    assert np.isnan(cast("float", row["tolerance_relative"]))


@pytest.mark.parametrize("noise", [0.01, 0.02, 0.05])
def test_false_passes_of_a_relative_margin_are_as_rare_as_alpha_says(noise: float) -> None:
    """A candidate that is worse by 5% of the true mean, on 30 topics, 2,000 times: a group of topics is a trial.

    The share of passes is held against the binomial interval that holds it but for one time in a thousand. With the
    mean of the baseline taken as known it was 0.15, 0.08 and 0.06.
    """
    trials, topics, mean, loss = 2000, 30, 0.5, 0.05
    generator = np.random.default_rng(7)
    baseline = generator.normal(mean, 0.25, trials * topics)
    candidate = baseline - loss * mean + generator.normal(0, noise, trials * topics)
    runs = {"base": baseline.tolist(), "cand": candidate.tolist()}
    values = rs.read_values({run: {str(t): one for t, one in enumerate(of)} for run, of in runs.items()}, measure="P@9")
    groups = {str(t): str(t // topics) for t in range(trials * topics)}
    made = rs.gate(values, "5%", groups=groups, correction="none", losses=0)
    passes = sum(row.verdict == "pass" for row in made.rows)
    low, high = stats.binom.interval(0.999, trials, 0.05)
    assert low <= passes <= high
