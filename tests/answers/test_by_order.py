"""Statements about medians and quantiles, and medians beside means in the report."""

import json

import numpy as np
import pytest

import rankscale as rs
from rankscale.answers.outcomes import ByOrder
from rankscale.answers.statements import statements
from rankscale.data.arrays import Floats
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.parser import parse
from rankscale.reporting.parts import PageTable
from rankscale.sample import QRELS, RUNS
from rankscale.stats.resampling.order_statistics import hodges_lehmann

# Six topics: dominance, crossing with equal pieces, and medians that touch.
FIRST = [0.1, 0.2, 0.3, 0.5, 0.8, 0.9]
DOMINATED = [0.1, 0.15, 0.3, 0.4, 0.6, 0.7]
CROSSING = [0.05, 0.25, 0.3, 0.5, 0.8, 0.85]


def evaluation(values: object, measure: str = "RR@10") -> Evaluation:
    table: Floats = np.array(values, dtype=np.float64)
    runs, topics = table.shape
    return Evaluation(
        measures=(parse(measure),),
        runs=tuple("abcdefgh"[:runs]),
        topics=tuple(map(str, range(topics))),
        values=table[None],
        retrieved=np.ones(table.shape, dtype=bool),
        levels=(0.0, 1.0),
    )


def lines(values: object, measure: str = "RR@10", **how: object) -> list[str]:
    (statement,) = statements(rs.compare(evaluation(values, measure), **how))  # type: ignore[arg-type]
    return str(statement).splitlines()


def test_a_statement_about_means_of_an_ordinal_measure_ends_with_medians_and_quantiles() -> None:
    assert lines([FIRST, DOMINATED])[-2:] == [
        "  by the median, a (0.3000 to 0.5000) and b (0.3000 to 0.4000) are not told apart",
        "  quantiles: a is at least as high at every one (first-order dominance)",
    ]
    assert lines([FIRST, CROSSING])[-2:] == [
        "  by the median, a and b (0.3000 to 0.5000) are equal",
        (
            "  quantiles cross (a higher on (0, 1/6], (5/6, 1]; b higher on (1/6, 1/3]; equal on (1/3, 5/6]): some "
            "increasing map of the values reverses the means"
        ),
    ]


def test_a_statement_about_means_of_an_interval_measure_has_neither() -> None:
    (statement,) = statements(rs.compare(evaluation([FIRST, CROSSING], "P@10")))
    assert statement.by_order is None
    assert "quantiles" not in str(statement)


def test_the_run_with_the_better_median_comes_first() -> None:
    low, high = [0.1, 0.2, 0.9, 0.2, 0.3, 0.9, 0.9], [0.4] * 7
    (by_mean,) = statements(rs.compare(evaluation([low, high])))
    assert by_mean.runs == ("a", "b")
    assert "by the median, b (0.4000) is above a (0.3000)" in str(by_mean)
    (by_median,) = statements(rs.compare(evaluation([low, high]), summary="median"))
    assert by_median.sentence == "b is above a in median RR@10 (0.4000 against 0.3000, 7 topics)"
    assert (by_median.kind, by_median.runs, by_median.summary) == ("above", ("b", "a"), "median")
    assert (by_median.by_topic.wins, by_median.by_topic.losses) == (4, 3)
    assert by_median.outcome.means[0] < by_median.outcome.means[1]


def test_each_run_is_followed_by_its_own_median() -> None:
    """Whichever of the two is better by the mean, and so comes first."""
    for values in ([FIRST, [0.0] * 6], [[0.95, 0.0, 0.0, 0.0, 0.0, 0.95], [0.25, 0.25, 0.25, 0.3, 0.3, 0.3]]):
        (statement,) = statements(rs.compare(evaluation(values)))
        middle = {run: sorted(of)[2:4] for run, of in zip("ab", values, strict=True)}
        text = {run: f"{run} ({f'{a:.4f} to {b:.4f}' if a < b else f'{a:.4f}'})" for run, (a, b) in middle.items()}
        above, below = sorted("ab", key=middle.__getitem__, reverse=True)
        assert f"  by the median, {text[above]} is above {text[below]}" in str(statement).splitlines()


def test_where_low_is_good_the_lower_median_comes_first() -> None:
    low, high = [1.0, 2.0, 3.0], [2.0, 4.0, 4.0]
    (statement,) = statements(rs.compare(evaluation([high, low], "ESL"), summary="median"))
    assert statement.sentence == "b is below a in median ESL (2.0000 against 4.0000, 3 topics)"
    assert (statement.kind, statement.by_topic.wins) == ("below", 3)


def test_a_statement_about_medians() -> None:
    assert lines([FIRST, CROSSING], summary="median") == [
        "a and b have the same median RR@10 (0.3000 to 0.5000 against 0.3000 to 0.5000, 6 topics)",
        "  sign-test intervals 0.1 to 0.9 (a) and 0.05 to 0.85 (b), coverage 0.9688",
        (
            "  not significant (the sign test, p = 1, this pair alone); difference 0.1667 in share of topics won, less "
            "share lost (95% interval -0.4057 to 0.4916)"
        ),
        "  topic by topic: better on 2, worse on 1, equal on 3 (sign test p = 1, this pair alone)",
        (
            "  quantiles cross (a higher on (0, 1/6], (5/6, 1]; b higher on (1/6, 1/3]; equal on (1/3, 5/6]): some "
            "increasing map of the values reverses the means"
        ),
    ]


def test_an_interval_measure_has_the_hodges_lehmann_difference_too() -> None:
    made = lines([FIRST, CROSSING], "P@10", summary="median")
    assert made[3].startswith("  Hodges-Lehmann difference ")
    assert made[-1].startswith("  quantiles cross: a higher on (0, 1/6]")
    expected = hodges_lehmann(np.array(FIRST) - np.array(CROSSING))
    assert f"{expected.estimate:.4g} (95% interval {expected.lower:.4g} to {expected.upper:.4g}" in made[3]


def test_too_few_topics_for_an_interval() -> None:
    assert lines([FIRST[:4], CROSSING[:4]], summary="median")[1] == (
        "  too few topics for a sign-test interval of a median at 95% confidence"
    )


def test_close_medians_are_shown_with_as_many_places_as_it_takes() -> None:
    one, other = np.full(3, 0.500001), np.full(3, 0.5)
    assert ByOrder.of(one, other, 0.95, is_ordinal=True).against() == "0.500001 against 0.500000"


def test_many_pieces_are_summed_up() -> None:
    one, other = [0.1, 0.3, 0.3, 0.5, 0.6, 1.0], [0.2, 0.2, 0.4, 0.4, 0.7, 0.8]
    assert lines([one, other])[-1] == (
        "  quantiles cross (a higher at 50% of them, b at 50%): some increasing map of the values reverses the means"
    )


def test_counts_have_no_decimals() -> None:
    made = statements(rs.compare(evaluation([[3, 5, 9], [2, 4, 4]], "NumRelRet"), summary="median"))
    assert made[0].sentence == "a is above b in median NumRelRet (5 against 4, 3 topics)"
    comparison = rs.compare(evaluation([[3, 5, 9], [2, 4, 4]], "NumRelRet"), summary="median")
    assert comparison.text().splitlines()[1] == "a    5 a"


def test_medians_need_no_interval_version() -> None:
    (statement,) = statements(rs.compare(evaluation([FIRST, DOMINATED]), summary="median"))
    assert statement.on_interval is True
    assert statement.verdict.meaningful
    (of_topics,) = statements(rs.compare(evaluation([FIRST, DOMINATED], "AP"), summary="median"))
    assert of_topics.on_interval is None
    assert of_topics.verdict.kind == "surrogate"


def test_statements_of_an_evaluation_follow_its_summary() -> None:
    result = rs.evaluate(QRELS, list(RUNS)[:3], "RR@10", summary="median")
    made = statements(result, QRELS, list(RUNS)[:3])
    assert [one.summary for one in made] == ["median", "median"]
    assert all(one.test.name == "sign" for one in made)


def test_json_has_medians_and_pieces() -> None:
    (statement,) = statements(rs.compare(evaluation([FIRST, CROSSING]), summary="median"))
    by_order = json.loads(json.dumps(statement.to_dict()))["by_order"]
    assert by_order["medians"] == [[0.3, 0.5], [0.3, 0.5]]
    assert by_order["relation"] == "same"
    assert by_order["intervals"][0] == {"lower": 0.1, "upper": 0.9, "coverage": 0.96875}
    assert by_order["dominance"]["kind"] == "cross"
    assert by_order["dominance"]["pieces"][0] == {"start": 0.0, "end": 1 / 6, "above": "first"}


@pytest.fixture(scope="module")
def report() -> rs.Report:
    return rs.report(QRELS, list(RUNS)[:4], ["RR@10", "P@10", "nDCG@10"], test="two-way")


def test_the_report_has_omnibus_results_and_crossings(report: rs.Report) -> None:
    overview = next(section for section in report.sections if section.id == "statements").parts[0]
    text = getattr(overview, "text", "")
    assert "All runs together: F(3, 147) = " in text
    assert "Medians need only the order of values: `rankscale compare --summary median`." in text
    assert "pairs cross: some map that keeps the order of values reverses the order of their means." in text


def test_the_leaderboard_has_medians_below_means_of_ordinal_measures(report: rs.Report) -> None:
    leaderboard = next(section for section in report.sections if section.id == "leaderboard")
    (table,) = (part for part in leaderboard.parts if isinstance(part, PageTable) and part.folded)
    evaluated = report.results.evaluation
    for cells in table.rows:
        run, by_name = cells[0].text, dict(zip((column.name for column in table.columns), cells, strict=True))
        for measure in ("RR@10", "nDCG@10"):
            lower, _ = evaluated[measure].medians()[run, measure]
            assert f"median {lower:.4f}" in by_name[measure].note.splitlines()
            assert "sign-test interval" in by_name[measure].tooltip
        assert "median" not in by_name["P@10"].note
    assert "lower median" in table.caption
