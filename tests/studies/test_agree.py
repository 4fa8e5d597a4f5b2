"""Two sets of judgments: worked values, slow programs, and what users meet."""

import math
import random
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.errors import InputError, ParameterError, UnknownNameError
from rankscale.sample import QRELS, RUNS
from rankscale.stats.agreement import cohen_kappa
from rankscale.stats.resampling.draws import drawn_topics, draws_from
from rankscale.stats.tests.register import make_test
from rankscale.studies.agree.runs import RunPairTest, order_statistics, places_of
from tests.measures.test_laws import registered

TOPICS = (
    [(0, 0), (1, 1), (1, 0), (2, 2)],
    [(0, 0), (0, 1), (1, 1), (2, 1)],
    [(0, 0), (1, 1), (2, 2), (2, 2)],
)
UNDER_A = np.array([[0.7, 0.6, 0.7, 0.8, 0.9], [0.6, 0.5, 0.5, 0.5, 0.4], [0.1, 0.1, 0.4, 0.3, 0.4]])
UNDER_B = np.array([[0.6, 0.6, 0.7, 0.8, 0.9], [0.7, 0.6, 0.5, 0.5, 0.3], [0.0, 0.1, 0.3, 0.2, 0.3]])


def judged(side: int, topics: Any = TOPICS) -> dict[str, dict[str, float]]:
    return {
        str(topic): {f"d{item}": pair[side] for item, pair in enumerate(pairs)} for topic, pairs in enumerate(topics)
    }


@pytest.fixture(scope="module")
def other() -> dict[str, dict[str, float]]:
    """The judgments of the sample as another assessor might have given them: some changed, some missing, some more."""
    chance = random.Random(4)
    made: dict[str, dict[str, float]] = {}
    for topic, grades in rs.read_qrels(QRELS).to_dict().items():
        kept = {document: grade for document, grade in grades.items() if chance.random() > 0.1}
        made[topic] = {
            document: max(0.0, min(3.0, grade + chance.choice([-1, 1]) * (chance.random() < 0.3)))
            for document, grade in kept.items()
        }
        made[topic] |= {f"{topic}-more-{number}": float(chance.randrange(4)) for number in range(3)}
    return made


def runs_of(*names: str) -> list[Any]:
    return [path for path in RUNS if path.name.split(".")[0] in names]


def test_worked_values_of_three_topics() -> None:
    result = rs.agree(judged(0), judged(1), draws="all")
    kappa = result.judges["kappa"]
    assert kappa.pooled == 0.625
    assert kappa.mean == pytest.approx(0.636364, abs=5e-7)
    assert (kappa.lower, kappa.upper) == pytest.approx((0.326100, 0.917895), abs=5e-7)


def test_intervals_are_those_of_a_loop_over_draws() -> None:
    result = rs.agree(judged(0), judged(1), draws=50, seed=3, confidence=0.8)
    drawn = np.random.default_rng(3).integers(0, 3, (50, 3))
    values = []
    for topics in drawn:
        matrix = np.zeros((3, 3))
        for topic in topics:
            for pair in TOPICS[topic]:
                matrix[pair] += 1
        values.append(float(cohen_kappa(matrix, (0, 1, 2), "linear")))
    ends = np.quantile(values, [0.1, 0.9])
    kappa = result.judges["kappa_linear"]
    assert (kappa.lower, kappa.upper) == pytest.approx(ends, abs=1e-12)


def test_worked_orders() -> None:
    means = np.array([[0.50, 0.45, 0.40, 0.30], [0.42, 0.47, 0.43, 0.35]])
    made = order_statistics(means)
    assert float(made["tau"]) == pytest.approx(1 / 3)
    assert float(made["tau_ap"]) == pytest.approx(1 / 3)
    assert float(order_statistics(means[::-1])["tau_ap"]) == pytest.approx(0)
    assert float(made["rbo"]) == pytest.approx(0.855)
    assert places_of(means).tolist() == [[1, 2, 3, 4], [3, 1, 2, 4]]
    assert (float(made["max_drop"]), float(made["max_rise"])) == (2, 1)


@pytest.mark.parametrize(
    ("correction", "expected"), [("none", ["lost", "kept", "gained"]), (None, ["neither", "kept", "neither"])]
)
def test_worked_pairs(correction: str | None, expected: list[str]) -> None:
    made = RunPairTest(make_test("student"), 0.05, correction).outcomes(np.stack([UNDER_A, UNDER_B]))
    assert made.outcomes.tolist() == expected
    if correction == "none":
        assert made.p[0] == pytest.approx([0.032678, 0.000608, 0.060813], abs=5e-7)
        assert made.p[1] == pytest.approx([0.177808, 0.000174, 0.048128], abs=5e-7)
        assert (made.significant, made.over("lost"), made.over("lost", "gained")) == (2, 0.5, 1)


def test_opposite_significant_differences_are_flipped() -> None:
    made = RunPairTest(make_test("student"), 0.05, None).outcomes(np.stack([UNDER_A[[0, 2]], UNDER_A[[2, 0]]]))
    assert made.outcomes.tolist() == ["flipped"]
    assert math.isnan(RunPairTest(make_test("student"), 1e-9, None).outcomes(np.stack([UNDER_A, UNDER_B])).over("lost"))


def test_runs_are_measured_as_evaluate_measures_them(other: Any) -> None:
    runs, measures = (
        runs_of("bm25", "manual", "dense-zero", "tfidf"),
        ["AP", "nDCG@10", "ERR@20", "Bpref", "RBP(p=0.8)"],
    )
    result = rs.agree(QRELS, other, runs, measures, draws=20)
    assert result.judged is not None
    for qrels, evaluation in zip((QRELS, other), result.judged.evaluations, strict=True):
        expected = rs.evaluate(qrels, runs, measures)
        assert evaluation.runs == expected.runs
        assert np.array_equal(evaluation.values, expected.values)


def test_topics_of_one_side_are_left_out_and_counted(other: Any) -> None:
    fewer = {topic: grades for topic, grades in other.items() if int(topic) > 110}
    result = rs.agree(QRELS, fewer, runs_of("bm25", "ql"), "AP", draws=20)
    assert result.judged is not None
    assert len(result.topics) == len(fewer) == len(result.judged.by_measure[0].topics)
    assert any(f"{50 - len(fewer)} of 50 topics of" in warning for warning in result.warnings)
    of_all = rs.evaluate(QRELS, runs_of("bm25", "ql"), "AP")
    kept = [place for place, topic in enumerate(of_all.topics) if topic in fewer]
    assert np.array_equal(result.judged.evaluations[0].values, of_all.values[:, :, kept])


@pytest.mark.parametrize("judgments", ["common", "fill"])
def test_common_and_filled_judgments(other: Any, judgments: str) -> None:
    runs = runs_of("bm25", "manual", "ql")
    mine = rs.read_qrels(QRELS).to_dict()
    if judgments == "common":
        first = {topic: {d: g for d, g in grades.items() if d in other[topic]} for topic, grades in mine.items()}
        second = {topic: {d: g for d, g in other[topic].items() if d in grades} for topic, grades in mine.items()}
    else:
        first, second = mine, {topic: {**other[topic], **grades} for topic, grades in mine.items()}
    result = rs.agree(QRELS, other, runs, ["AP", "nDCG@10"], judgments=judgments, draws=20)  # type: ignore[call-overload]
    assert result.judged is not None
    for qrels, evaluation in zip((first, second), result.judged.evaluations, strict=True):
        assert np.array_equal(evaluation.values, rs.evaluate(qrels, runs, ["AP", "nDCG@10"]).values)


def test_statistics_of_runs_by_a_slow_program(other: Any) -> None:
    runs = runs_of("bm25", "manual", "ql", "tfidf", "dense-base")
    result = rs.agree(QRELS, other, runs, "AP", draws=40, seed=7)
    values = np.stack([rs.evaluate(qrels, runs, "AP").values[0] for qrels in (QRELS, other)])
    drawn = np.random.default_rng(7).integers(0, 50, (40, 50))
    taus, falls, rmses, gaps = [], [], [], []
    for topics in drawn:
        means = np.round([[math.fsum(run[topics]) / 50 for run in side] for side in values], 8)
        taus.append(stats.kendalltau(*means).statistic)
        places = [[1 + sum(better > mean for better in side) for mean in side] for side in means]
        falls.append(max(b - a for a, b in zip(*places, strict=True)))
        rmses.append(math.sqrt(np.mean((values[0][:, topics] - values[1][:, topics]) ** 2)))
        gaps.append(float(np.mean(values[1][:, topics] - values[0][:, topics])))
    assert result.judged is not None
    orders = result.judged.by_measure[0].orders
    for name, expected in (("tau", taus), ("rmse", rmses), ("mean_difference", gaps)):
        ends = np.quantile(expected, [0.025, 0.975])
        assert (orders[name].lower, orders[name].upper) == pytest.approx(ends, abs=1e-7), name
    ordered = sorted(falls)
    assert (orders["max_drop"].lower, orders["max_drop"].upper) == (ordered[0], ordered[38])  # ceil(40p) - 1
    means = values.mean(axis=-1)
    assert orders["tau"].value == pytest.approx(stats.kendalltau(*means).statistic)
    assert orders["rmse"].value == pytest.approx(math.sqrt(np.mean((values[1] - values[0]) ** 2)))
    table = {row["run"]: row for row in result.table("runs")}
    for place, run in enumerate(result.runs):
        assert table[run]["difference"] == pytest.approx(means[1, place] - means[0, place])


def holm(values: Any) -> dict[tuple[int, int], float]:
    """p-values of Student's test, corrected by Holm's rule."""
    tested = {pair: stats.ttest_rel(*values[list(pair)]).pvalue for pair in combinations(range(len(values)), 2)}
    made, largest = {}, 0.0
    for left, pair in zip(range(len(tested), 0, -1), sorted(tested, key=lambda one: tested[one]), strict=True):
        largest = max(largest, min(1.0, left * tested[pair]))
        made[pair] = largest
    return made


def test_pairs_by_scipy(other: Any) -> None:
    runs = runs_of("bm25", "manual", "ql", "tfidf", "dense-base")
    result = rs.agree(QRELS, other, runs, "AP", draws=5)
    values = [rs.evaluate(qrels, runs, "AP").values[0] for qrels in (QRELS, other)]
    for row in result.table("outcomes"):
        first, second = (result.runs.index(str(row[name])) for name in ("run", "other"))
        p = [holm(side)[first, second] for side in values]
        assert [row["p_A"], row["p_B"]] == pytest.approx(p, rel=1e-9)
        both = [one < 0.05 for one in (float(row["p_A"] or 0), float(row["p_B"] or 0))]
        words = {(True, False): {"lost"}, (False, True): {"gained"}, (False, False): {"neither"}}
        assert row["outcome"] in words.get((both[0], both[1]), {"kept", "flipped"})


def test_swapping_the_sides_swaps_what_is_said(other: Any) -> None:
    runs = runs_of("bm25", "manual", "ql", "tfidf")
    there, back = (rs.agree(a, b, runs, "AP", draws=30) for a, b in ((QRELS, other), (other, QRELS)))
    assert np.array_equal(there.judges.matrix, back.judges.matrix.T)
    for one, mirrored in zip(there.judges.coefficients, back.judges.coefficients, strict=True):
        assert (one.pooled, one.lower, one.upper, one.mean) == pytest.approx(
            (mirrored.pooled, mirrored.lower, mirrored.upper, mirrored.mean), abs=1e-12
        )
    assert there.judged is not None
    assert back.judged is not None
    mine, its = there.judged.by_measure[0], back.judged.by_measure[0]
    assert mine.orders["tau"].value == pytest.approx(its.orders["tau"].value)
    assert mine.orders["max_drop"].value == its.orders["max_rise"].value
    assert mine.orders["max_drop"].runs == its.orders["max_rise"].runs
    assert mine.tests is not None
    assert its.tests is not None
    assert (mine.tests.count("lost"), mine.tests.count("gained")) == (
        its.tests.count("gained"),
        its.tests.count("lost"),
    )


def test_judgments_that_are_the_same_change_nothing() -> None:
    result = rs.agree(QRELS, QRELS, runs_of("bm25", "manual", "ql"), ["AP", "ASL"], draws=20)
    assert result.judges["kappa"].pooled == 1
    assert result.judged is not None
    for one in result.judged.by_measure:
        assert one.orders["tau"].value == 1
        assert one.orders["rmse"].value == one.orders["max_drop"].value == 0
        assert one.tests is not None
        assert one.tests.count("lost") == one.tests.count("gained") == one.tests.count("flipped") == 0
    assert "no run falls" in result.sentence()


ALIKE = (
    "1 {0} a 1\n1 {0} b 2\n1 {1} b 0\n1 {1} c 1\n2 {0} a 2\n2 {0} b 0\n2 {1} c 1\n"  # two sub-topics, or two times 0
)
A_RUN = {"1": {"b": 3.0, "x": 2.0, "a": 1.0}, "2": {"c": 4.0, "a": 3.0, "y": 2.0, "b": 1.0}}


@pytest.mark.parametrize("judgments", ["own", "common"])
def test_a_grade_is_worth_the_same_under_both_for_every_measure(judgments: Any) -> None:
    """A and B agree on all that they share; A has one topic more, with a grade that nothing else has."""
    ours = ALIKE.format("x", "y")
    whole = rs.read_qrels(f"{ours}3 x z 5\n".encode())
    result = rs.agree(whole, rs.read_qrels(ours.encode()), A_RUN, registered(), judgments=judgments, draws="all")
    expected = rs.evaluate(whole, A_RUN, registered())
    assert result.judged is not None
    for under in result.judged.evaluations:
        np.testing.assert_array_equal(under.values, expected.values[:, :, :2])


def test_one_grade_more_does_not_change_what_the_others_are_worth() -> None:
    """gmax is 3 under both: ERR has (2^2 - 1)/2^3 for a 2 at rank 1, and (1 - 3/8)/8/2 more for a 1 at rank 2."""
    ours = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1, "b": 0}}
    theirs = {"1": ours["1"] | {"d": 3}, "2": ours["2"]}
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
    for one, other in ((ours, theirs), (theirs, ours)):
        for judgments in ("own", "common", "fill"):
            result = rs.agree(one, other, run, ["ERR", "gRBP(p=0.5)"], judgments=judgments)
            assert result.judged is not None
            for under in result.judged.evaluations:
                err, grbp = under.values[:, 0]
                assert err.tolist() == pytest.approx([3 / 8 + 5 / 8 / 8 / 2, 1 / 8], abs=1e-15)
                assert grbp.tolist() == pytest.approx([0.5 * 2 / 3 + 0.25 / 3, 0.5 / 3], abs=1e-15)


def test_grades_that_are_mapped_keep_the_ceiling_of_both() -> None:
    result = rs.agree({"1": {"a": 2}}, {"1": {"a": 2, "b": 3}}, {"1": {"a": 1.0}}, "ERR", grades={3: 2})
    assert result.judged is not None
    assert [one.values.item() for one in result.judged.evaluations] == [
        3 / 8,
        3 / 8,
    ]  # the ceiling is 3, as it was read


def test_more_grades_together_than_can_be_held_are_refused() -> None:
    some = {"1": {f"d{number}": number for number in range(20_000)}}
    others = {"1": {f"d{number}": number + 0.5 for number in range(20_000)}}
    with pytest.raises(InputError, match="40,000 different grades together, and 32,767 are held at most"):
        rs.agree(some, others)


def test_low_is_good_where_it_is(other: Any) -> None:
    result = rs.agree(QRELS, other, runs_of("bm25", "manual", "tfidf"), "ASL", draws=5)
    assert result.judged is not None
    one = result.judged.by_measure[0]
    assert one.measure.low_is_good
    assert one.places[0].tolist() == (1 + np.argsort(np.argsort(one.means[0]))).tolist()


def test_counts_of_sets() -> None:
    first = {"1": {"a": 1, "b": 0, "c": -1, "d": 2}, "2": {"a": 1}}
    second = {"1": {"a": 0, "b": 0, "c": 1, "e": 2}, "3": {"a": 1}}
    result = rs.agree(first, second)
    counts = {row["number"]: row["value"] if row["count"] is None else row["count"] for row in result.table("counts")}
    assert (counts["items"], counts["judged_A_only"], counts["judged_B_only"]) == (2, 2, 3)
    assert counts["judged_jaccard"] == 2 / 7
    assert (counts["topics_A_only"], counts["topics_B_only"]) == (1, 1)
    not_relevant = rs.agree(first, second, negative="not relevant")
    assert not_relevant.overlap.both == 3
    assert not_relevant.judges.bias.higher == 1


def test_grades_need_not_be_whole() -> None:
    first = {"1": {"a": 0.25, "b": 1.5, "c": 0.25}, "2": {"a": 1.5, "b": 0}}
    second = {"1": {"a": 0.25, "b": 0.25, "c": 0}, "2": {"a": 1.5, "b": 0}}
    result = rs.agree(first, second, rel=0.25, draws="all")
    assert result.judges.levels.tolist() == [0, 0.25, 1.5]
    assert list(result.table("matrix").columns) == ["A", "B=0", "B=0.25", "B=1.5", "all"]
    assert result.judges.bias.mean == pytest.approx(-1.5 / 5)
    assert result.judges.relevance.recall == 3 / 4


def test_levels_that_could_be_given_change_gwets_coefficients() -> None:
    narrow, wide = (rs.agree(judged(0), judged(1), levels=levels) for levels in ((), (3, 4)))
    assert wide.judges["kappa"].pooled == pytest.approx(narrow.judges["kappa"].pooled)
    assert wide.judges["AC1"].pooled > narrow.judges["AC1"].pooled


def test_one_grade_only_is_said_to_be_undefined() -> None:
    result = rs.agree({"1": {"a": 1, "b": 1}, "2": {"a": 1}}, {"1": {"a": 1, "b": 1}, "2": {"a": 1}})
    assert math.isnan(result.judges["kappa"].pooled)
    assert math.isnan(result.judges["AC1"].pooled)
    assert "all 3 items have the grade 1 in both, so that agreement beyond chance is undefined" in result.sentence()
    assert result.warnings == ("both give all items one grade: kappa, alpha, AC1 and AC2 are undefined",)


def test_undefined_topics_and_draws_are_counted() -> None:
    topics = [*TOPICS, [(1, 1), (1, 1)]]
    result = rs.agree(judged(0, topics), judged(1, topics), draws="all")
    kappa = result.judges["kappa"]
    assert (kappa.topics, kappa.undefined_draws) == (3, 1)  # of 256 draws, that of the last topic alone
    assert any("undefined on up to 1 of 4 topics" in warning for warning in result.warnings)
    assert any("undefined in up to 1 draws" in warning for warning in result.warnings)


def test_one_topic_has_no_intervals() -> None:
    result = rs.agree(judged(0, TOPICS[:1]), judged(1, TOPICS[:1]), {"r": {"0": {"d0": 1}}}, "P@5")
    assert math.isnan(result.judges["kappa"].lower)
    assert "there is one topic only" in " ".join(result.warnings)
    assert "pairs are not tested: there is one run only" in result.sentence()


def test_draws_are_all_or_a_number() -> None:
    assert draws_from("all") == "all"
    every = drawn_topics(3, "all").tolist()
    assert sorted(map(tuple, every)) == list(product(range(3), repeat=3))
    for wrong in (0, -3, "many"):
        with pytest.raises(ParameterError, match="must be a whole number from 1, or 'all'"):
            draws_from(wrong)
    with pytest.raises(ParameterError, match="all draws of 7 topics are too many"):
        drawn_topics(7, "all")


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({"1": {"a": 1}}, {"2": {"a": 1}}, "have no topic in common: the first has 1, the second 2"),
        ({"1": {"a": 1}}, {"1": {"b": 1}}, "have no judged document in common on the topic that both have"),
        ({"1": {"a": 1}}, {"1": {"a": -1}}, "have no judged document in common"),
    ],
)
def test_nothing_in_common_is_an_error(first: Any, second: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        rs.agree(first, second)


def test_what_cannot_be_is_refused() -> None:
    two = judged(0), judged(1)
    run = {"r": {"0": {"d0": 1.0}}}
    for keywords, message in (
        ({"judgments": "both"}, "judgments must be 'own', 'common' or 'fill', got 'both'"),
        ({"spacing": "equal"}, "spacing must be 'value' or 'place', got 'equal'"),
        ({"levels": (-1,)}, "levels must be finite grades from 0 on, got -1"),
        ({"measures": "AP"}, "measures are those of runs"),
        ({"draws": "some"}, "must be a whole number from 1"),
        ({"unjudged_at": 0}, "unjudged_at must be"),
        ({"runs": run, "missing": "skip"}, "missing='common'"),
        ({"runs": {**run, "s": run["r"]}, "test": "two-way", "correction": "holm"}, "leave the correction out"),
        ({"test": "student", "samples": 10}, "has no setting samples"),
    ):
        with pytest.raises(ParameterError, match=message):
            rs.agree(*two, **keywords)
    for keywords in ({"correction": "bonf"}, {"test": "studnt"}):
        with pytest.raises(UnknownNameError):
            rs.agree(*two, **keywords)  # type: ignore[call-overload]


# Järvelin and Kekäläinen 2002, Table 1: new judgments by those of TREC (relevant, irrelevant), as far as the text has
# them; the grades above 1 are what is left of the totals. The first percentage is printed as 25.0.
REJUDGED = {0: (691, 2780), 1: (1004, 134), 2: (2772 - 691 - 1004, 2965 - 2780 - 134)}
PUBLISHED = {0: ("24.9", "93.8", "60.5"), 1: ("36.2", "4.5", "19.8"), "all": ("100.0", "100.0", "100.0")}


@pytest.fixture(scope="module")
def rejudged() -> tuple[Any, Any]:
    new, old = {}, {}
    for grade, counts in REJUDGED.items():
        for relevant, count in zip((1, 0), counts, strict=True):
            names = [f"{grade}-{relevant}-{number}" for number in range(count)]
            new.update(dict.fromkeys(names, grade))
            old.update(dict.fromkeys(names, relevant))
    return {"1": new}, {"1": old}


def test_percentages_of_columns_are_those_of_the_paper(rejudged: Any) -> None:
    rows = {str(row["A"]): row for row in rs.agree(*rejudged, shares="column").table("matrix")}
    for grade, published in PUBLISHED.items():
        row: Any = rows[str(grade)]
        assert tuple(f"{row[name]:.1f}" for name in ("B=1 %", "B=0 %", "all %")) == published
    assert [rows["all"][name] for name in ("B=1", "B=0", "all")] == [2772, 2965, 5737]
    assert math.isnan(float(str(rows["all"]["B=2 %"])))  # nothing there to be a share of
    assert [rows["0"][name] for name in ("B=1", "B=0", "all")] == [691, 2780, 3471]


def test_percentages_of_rows_and_of_all(rejudged: Any) -> None:
    rows: Any = {str(row["A"]): row for row in rs.agree(*rejudged, shares="row").table("matrix")}
    assert rows["1"]["B=1 %"] == pytest.approx(100 * 1004 / 1138, rel=1e-12)
    assert rows["1"]["all %"] == 100
    total: Any = {str(row["A"]): row for row in rs.agree(*rejudged, shares="total").table("matrix")}
    assert total["1"]["B=1 %"] == pytest.approx(100 * 1004 / 5737, rel=1e-12)
    assert list(rs.agree(*rejudged).table("matrix").columns) == ["A", "B=0", "B=1", "B=2", "all"]


def test_shares_that_are_refused(rejudged: Any) -> None:
    with pytest.raises(ParameterError, match="shares must be 'none', 'row', 'column' or 'total', got 'grade'"):
        rs.agree(*rejudged, shares="grade")  # type: ignore[call-overload]
    with pytest.raises(ParameterError, match="shares are those of the matrix of two sets of judgments: give both"):
        rs.agree(rejudged[0], shares="row")
