"""Two runs topic by topic: slow loops over plain files, scipy for the test, laws, and misuse."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rankscale as rs
from rankscale.errors import InputError, ParameterError, UnknownNameError
from rankscale.sample import QRELS, RUNS
from rankscale.studies.diff.pair import changes_of
from tests.studies.plain_files import plain_qrels, plain_run

PATHS = {path.name.partition(".")[0]: path for path in RUNS}
BM25, CE = PATHS["bm25"], PATHS["bm25-ce-pair"]
HOSTILE = "a\x1b[31m&<b>|_%$\"',\t;\\"  # what terminals, pages, Markdown, LaTeX and CSV would take for their own


def of_values(first: Any, second: Any, measure: str = "P@10") -> rs.Evaluation:
    """An evaluation of the runs A and B with these values."""
    runs = {"A": first, "B": second}
    return rs.read_values(
        {run: {f"t{t:02}": value for t, value in enumerate(of)} for run, of in runs.items()}, measure=measure
    )


def rows(made: Any, table: str) -> list[dict[str, Any]]:
    return list(made.table(table))


def test_topics_are_sorted_from_the_largest_loss_to_the_largest_win() -> None:
    by_topic = rs.evaluate(QRELS, [BM25, CE], "nDCG@10").to_dict()
    expected = []
    for topic in sorted(by_topic["bm25"]):
        first, second = by_topic["bm25"][topic]["nDCG@10"], by_topic["bm25-ce-pair"][topic]["nDCG@10"]
        outcome = "loss" if second < first else "win" if second > first else "tie"
        expected.append((second - first, topic, first, second, outcome))
    expected.sort(key=lambda row: row[0])
    made = rs.diff(QRELS, [BM25, CE], "nDCG@10")
    listed = [
        (row["difference"], row["topic"], row["baseline_value"], row["candidate_value"], row["outcome"])
        for row in rows(made, "topics")
    ]
    assert listed == expected
    counts = [sum(row[-1] == outcome for row in expected) for outcome in ("loss", "tie", "win")]
    assert [made.losses[0], made.ties[0], made.wins[0]] == counts


def test_the_summary_is_what_scipy_says() -> None:
    by_topic = rs.evaluate(QRELS, [BM25, CE], "nDCG@10").to_dict()
    first, second = ([of["nDCG@10"] for of in by_topic[run].values()] for run in ("bm25", "bm25-ce-pair"))
    oracle = stats.ttest_rel(second, first)
    low, high = oracle.confidence_interval(0.9)
    differences = np.subtract(second, first)
    (row,) = rows(rs.diff(QRELS, [BM25, CE], "nDCG@10", confidence=0.9), "summary")
    assert (row["p"], row["lower"], row["upper"]) == pytest.approx((oracle.pvalue, low, high), rel=1e-9)
    assert row["paired_d"] == pytest.approx(differences.mean() / differences.std(ddof=1), rel=1e-9)
    assert row["mean_difference"] == row["difference"] == pytest.approx(differences.mean(), rel=1e-12)
    assert (row["baseline_mean"], row["candidate_mean"]) == pytest.approx((np.mean(first), np.mean(second)))
    assert (row["baseline"], row["candidate"], row["test"]) == ("bm25", "bm25-ce-pair", "student")


@pytest.mark.parametrize(
    ("test", "oracle"),
    [
        ("signed rank", lambda b, a: stats.wilcoxon(b, a, method="asymptotic").pvalue),
        ("sign", lambda b, a: stats.binomtest(int(np.sum(b > a)), int(np.sum(b != a))).pvalue),
        ("one-way", lambda b, a: stats.ttest_ind(b, a).pvalue),  # Tukey's test of two runs
    ],
)
def test_any_test_can_be_chosen(test: str, oracle: Any) -> None:
    draws = np.random.default_rng(3)
    first, second = draws.random(25), draws.random(25) + 0.15
    (made,) = rs.diff(of_values(first, second), test=test).comparisons
    assert made is not None
    assert made.p[0] == pytest.approx(oracle(second, first), rel=1e-6)
    assert made.results.difference[0] > 0


def test_settings_of_tests_are_theirs() -> None:
    draws = np.random.default_rng(3)
    evaluation = of_values(draws.random(10), draws.random(10))
    made = rs.diff(evaluation, test="bootstrap", samples=500, seed=2)
    assert made.comparisons[0] is not None
    assert made.comparisons[0].p[0] == rs.compare(evaluation, "bootstrap", samples=500, seed=2).p[0]
    assert (made.settings["samples"], made.settings["seed"]) == (500, 2)
    with pytest.raises(ParameterError, match="has no setting samples"):
        rs.diff(evaluation, samples=500)


def expected_changes(before: list[str], after: list[str], depth: int) -> list[tuple[str, str, Any, Any]]:
    """What changed in the first ranks, looked up document by document."""

    def rank(names: list[str], name: str) -> int | None:
        return names.index(name) + 1 if name in names else None

    def one(name: str, kind: str) -> tuple[str, str, Any, Any]:
        return name, kind, rank(before, name), rank(after, name)

    left = [one(name, "left") for name in before[:depth] if name not in after[:depth]]
    came = [one(name, "entered") for name in after[:depth] if name not in before[:depth]]
    both = [(name, rank(before, name), rank(after, name)) for name in before[:depth] if name in after[:depth]]
    down = [(name, "moved down", old, new) for name, old, new in both if (new or 0) > (old or 0)]
    up = [(name, "moved up", old, new) for name, old, new in both if (new or 0) < (old or 0)]
    return left + came + down + up


@pytest.mark.parametrize("judged_only", [False, True])
def test_documents_that_left_and_entered_are_those_of_the_files(judged_only: bool) -> None:  # noqa: FBT001
    grades, before, after = plain_qrels(QRELS), plain_run(PATHS["ql"]), plain_run(PATHS["dense-zero"])
    made = rs.diff(QRELS, [PATHS["ql"], PATHS["dense-zero"]], "P@10", top_k=7, judged_only=judged_only)
    assert made.changes is not None
    assert [topic for topic, _ in made.changes] == [row["topic"] for row in rows(made, "topics")]
    documents = rows(made, "documents")
    for topic in grades:
        old, new = before.get(topic, []), after.get(topic, [])
        if judged_only:
            old, new = ([name for name in of if grades[topic].get(name, -1) >= 0] for of in (old, new))
        listed = [
            (row["document"], row["change"], row["baseline_rank"], row["candidate_rank"])
            for row in documents
            if row["topic"] == topic
        ]
        assert listed == expected_changes(old, new, 7)
    for row in documents:
        assert row["grade"] == grades[row["topic"]].get(row["document"])
    assert any(row["grade"] is None for row in documents) != judged_only


def test_a_missing_topic_is_an_empty_ranking() -> None:
    made = rs.diff(QRELS, [PATHS["ql"], PATHS["dense-zero"]], "P@10")
    changes = dict(made.changes or ())["137"]
    assert {one.kind for one in changes} == {"left"}
    assert len(changes) == 10
    assert any("is missing from" in warning for warning in made.warnings)
    common = rs.diff(QRELS, [PATHS["ql"], PATHS["dense-zero"]], "P@10", missing="common")
    assert "137" not in dict(common.changes or ())
    assert common.losses + common.ties + common.wins == [49]


def test_depth_cuts_the_rankings_that_are_shown() -> None:
    made = rs.diff(QRELS, [BM25, CE], "P@10", depth=12)
    ranks = [row[name] or 0 for row in rows(made, "documents") for name in ("baseline_rank", "candidate_rank")]
    assert max(ranks) == 12


def test_low_is_good_makes_a_higher_value_a_loss() -> None:
    made = rs.diff(QRELS, [BM25, CE], "ASL")
    topics = rows(made, "topics")
    assert [row["outcome"] for row in topics] == [
        "loss" if row["difference"] > 0 else "win" if row["difference"] < 0 else "tie" for row in topics
    ]
    assert [row["difference"] for row in topics] == sorted((row["difference"] for row in topics), reverse=True)
    assert "where low is good: loses on" in made.sentence()
    by_sign = rs.diff(QRELS, [BM25, CE], "ASL", test="sign")
    share = (by_sign.losses[0] - by_sign.wins[0]) / 50
    assert f"share of topics won, less share lost, counting higher values as won, {share:+.4f}" in by_sign.sentence()


VALUES = st.lists(st.tuples(*[st.sampled_from([0.0, 0.1, 0.25, 0.5, 0.7, 1.0])] * 2), min_size=2, max_size=12)


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_swapping_the_runs_negates(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs, strict=True)
    evaluation = of_values(first, second)
    made, turned = rs.diff(evaluation, "A", "B"), rs.diff(evaluation, "B", "A")
    assert (made.difference == -turned.difference).all()
    assert (made.losses, made.ties, made.wins) == (turned.wins, turned.ties, turned.losses)
    (one,), (other,) = rows(made, "summary"), rows(turned, "summary")
    assert one["p"] == pytest.approx(other["p"], nan_ok=True)
    for name in ("difference", "mean_difference", "paired_d"):
        assert one[name] == pytest.approx(-other[name], nan_ok=True)
    assert (one["lower"], one["upper"]) == pytest.approx((-other["upper"], -other["lower"]), nan_ok=True)


@settings(max_examples=60, deadline=None)
@given(VALUES)
def test_counts_add_up_and_ties_are_equal_values(pairs: list[tuple[float, float]]) -> None:
    first, second = zip(*pairs, strict=True)
    made = rs.diff(of_values(first, second), "A", "B")
    assert made.ties[0] == sum(one == other for one, other in pairs)
    assert made.losses[0] + made.ties[0] + made.wins[0] == len(pairs)
    gains = [row["difference"] for row in rows(made, "topics")]
    assert gains == sorted(other - one for one, other in pairs)


DOCUMENTS = st.permutations(list("abcdefgh"))


@settings(max_examples=100, deadline=None)
@given(DOCUMENTS, DOCUMENTS, st.integers(0, 8), st.integers(0, 8), st.integers(1, 9))
def test_changes_turn_one_top_into_the_other(old: list[str], new: list[str], m: int, n: int, depth: int) -> None:
    before, after = old[:m], new[:n]
    changes = changes_of(before, after, {"a": 1.0}, depth)
    assert [(one.document, one.kind, one.old_rank, one.new_rank) for one in changes] == expected_changes(
        before, after, depth
    )
    top = {name: rank for rank, name in enumerate(before[:depth], start=1)}
    for one in changes:
        top.pop(one.document, None)
    top |= {one.document: one.new_rank or 0 for one in changes if one.kind != "left"}
    assert top == {name: rank for rank, name in enumerate(after[:depth], start=1)}
    turned = {(one.document, one.new_rank, one.old_rank) for one in changes_of(after, before, {}, depth)}
    assert turned == {(one.document, one.old_rank, one.new_rank) for one in changes}


@pytest.mark.parametrize(
    ("names", "measure", "holds"),
    [
        (("bm25-bo1", "bm25-ce-large"), "RR@10", False),  # significant, and not on the interval version
        (("bm25-bo1", "dense-hard"), "AP@10", False),  # the other way round
        (("bm25", "bm25-ce-pair"), "nDCG@10", True),
    ],
)
def test_whether_the_conclusion_holds_on_the_interval_version(
    names: tuple[str, str],
    measure: str,
    holds: bool,  # noqa: FBT001
) -> None:
    files = [PATHS[name] for name in names]
    by_topic = rs.evaluate(QRELS, files, [measure, f"Interval({measure})"]).to_dict()
    outcomes = []
    for one in (measure, f"Interval({measure})"):
        first, second = ([of[one] for of in by_topic[name].values()] for name in names)
        test = stats.ttest_rel(second, first)
        outcomes.append((test.pvalue, np.sign(test.statistic) if test.pvalue < 0.05 else 0))
    made = rs.diff(QRELS, files, measure)
    (row,) = rows(made, "summary")
    assert (row["p"], row["interval_p"]) == pytest.approx([p for p, _ in outcomes], rel=1e-8)
    assert (outcomes[0][1] == outcomes[1][1]) == holds == bool(row["interval_same"])
    assert "Caution: " in made.sentence()
    better = {0: "no significant difference", 1: f"{names[1]} is significantly better"}
    words = "the same conclusion" if holds else better[outcomes[1][1]]
    assert f"On the interval version: {words} (p " in made.sentence()
    topic = rows(made, "topics")[0]
    assert topic["interval_candidate"] == by_topic[names[1]][topic["topic"]][f"Interval({measure})"]


def test_interval_versions_of_an_evaluation_serve_its_measures() -> None:
    files = [PATHS["bm25-bo1"], PATHS["bm25-ce-large"], PATHS["ql"]]
    evaluation = rs.evaluate(QRELS, files, ["RR@10", "Interval(RR@10)"])
    made = rs.diff(evaluation, "bm25-bo1", "bm25-ce-large")
    assert [str(one.measure) for one in made.by_measure] == ["RR@10"]
    assert rows(made, "summary") == rows(rs.diff(QRELS, files[:2], "RR@10"), "summary")
    without = rs.diff(QRELS, files[:2], "RR@10", interval=False)
    assert rows(without, "summary")[0]["interval_conclusion"] == "not known, as it was not evaluated"
    assert "interval_difference" not in without.table("topics").columns


def test_a_measure_on_an_interval_scale_needs_no_caution() -> None:
    made = rs.diff(QRELS, [BM25, CE], "P@10")
    (row,) = rows(made, "summary")
    assert (row["scale"], row["caution"], row["interval_same"]) == ("meaningful", None, 1)
    assert "Caution" not in made.sentence()


def test_what_is_not_known_of_an_interval_version_is_not_written() -> None:
    for measure, words in (("mine", "the scale of mine is not known"), ("Interval(AP@10)", "each topic has its own")):
        made = rs.diff(of_values([0.5, 0.25], [0.75, 0.5], measure=measure))
        assert words in made.sentence()
        assert "interval version" not in made.sentence()
    of_ap = rs.diff(of_values([0.5, 0.25], [0.75, 0.5], measure="AP"))
    assert "on the interval version is not known, as no length is fixed" in of_ap.sentence()


def test_grades_are_those_that_they_are_mapped_to() -> None:
    qrels, old, new = {"1": {"a": 1, "b": 2}}, {"1": {"a": 2, "b": 1}}, {"1": {"b": 2, "c": 1}}
    made = rs.diff(qrels, {"old": old, "new": new}, "RR", grades={1: 0, 2: 5})
    grades = {row["document"]: row["grade"] for row in rows(made, "documents")}
    assert grades == {"a": 0.0, "b": 5.0, "c": None}
    assert made.text(table="documents").splitlines()[1].split() == ["1", "a", "left", "1", "-", "0"]


def test_groups_of_topics() -> None:
    values = rs.evaluate(QRELS, [BM25, CE], "nDCG@10").to_dict()
    groups = {topic: ("easy", "hard")[int(topic) % 3 == 0] for topic in values["bm25"] if topic != "150"}
    made = rs.diff(QRELS, [BM25, CE], "nDCG@10", groups={**groups, "999": "odd"})
    assert made.groups == ("easy", "hard", "(none)")
    assert "groups: no topic of the evaluation is in odd" in made.warnings
    for row in rows(made, "groups"):
        own = [topic for topic in values["bm25"] if groups.get(topic, "(none)") == row["group"]]
        gains = [values["bm25-ce-pair"][topic]["nDCG@10"] - values["bm25"][topic]["nDCG@10"] for topic in own]
        assert (row["losses"], row["ties"], row["wins"]) == tuple(
            sum(np.sign(gain) == sign for gain in gains) for sign in (-1, 0, 1)
        )
        assert row["mean_difference"] == pytest.approx(np.mean(gains), rel=1e-12)
    assert {row["topic"]: row["group"] for row in rows(made, "topics")} == {**groups, "150": "(none)"}


def test_undefined_and_infinite_values() -> None:
    first, second = [0.5, math.nan, math.inf, 0.2, 0.1], [0.25, 0.3, math.inf, math.nan, math.inf]
    made = rs.diff(of_values(first, second, measure="mine"), groups={"t01": "x", "t00": "y"})
    assert [made.losses[0], made.ties[0], made.wins[0]] == [1, 1, 1]
    outcomes = [(row["topic"], row["outcome"]) for row in rows(made, "topics")]
    assert outcomes == [("t00", "loss"), ("t02", "tie"), ("t04", "win"), ("t01", "undefined"), ("t03", "undefined")]
    assert rows(made, "summary")[0]["undefined"] == 2
    assert [row["topics"] for row in rows(made, "groups")] == [0, 1, 2]
    assert "loses on 1 topic, wins on 1, ties on 1" in made.text()


def test_one_topic_is_shown_and_not_tested() -> None:
    made = rs.diff(of_values([0.5], [0.7]), "A", "B")
    assert made.comparisons == (None,)
    assert "not tested" in made.sentence()
    assert "Student's paired t test needs 2 topics or more" in made.sentence()
    assert "Largest wins of B by P@10 (the only one)" in made.text()


def test_measures_without_a_direction_lose_nothing() -> None:
    made = rs.diff(QRELS, [BM25, PATHS["ql"]], "RP@10", interval=False)
    topics = rows(made, "topics")
    signs = {-1.0: "lower", 0.0: "tie", 1.0: "higher"}
    assert [row["outcome"] for row in topics] == [signs[float(np.sign(row["difference"]))] for row in topics]
    assert "is lower on 11 topics, is higher on 10, ties on 29" in made.sentence()
    assert "Largest falls of ql by RP@10" in made.text()


def test_without_losses_the_largest_win_is_shown_in_detail() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    old, new = {"1": {"b": 2, "a": 1}, "2": {"a": 2}}, {"1": {"a": 2, "b": 1}, "2": {"a": 2}}
    made = rs.diff(qrels, {"old": old, "new": new}, "RR")
    assert "Topic 1: in the first 10 ranks 0 left" in made.text()
    same = rs.diff(qrels, {"old": old, "new": old}, "RR")
    assert "nothing changed in the first 10 ranks" in same.text()
    assert "old and new rank the same documents in the same order on every topic" in same.warnings


def test_text_answers_first_and_is_cut() -> None:
    made = rs.diff(QRELS, [BM25, CE], "nDCG@10", worst=2, best=1, details=0)
    head, *parts = made.text().split("\n\n")
    assert head.startswith("bm25-ce-pair against bm25 by nDCG@10: loses on 4 topics, wins on 45, ties on 1; mean +0.28")
    assert [len(part.splitlines()) for part in parts] == [4, 3]
    assert parts[0].splitlines()[0].endswith("(2 of 4); difference = bm25-ce-pair - bm25")
    longest = max(part.count("█") for part in parts[1].splitlines())
    assert longest == 20
    assert len(rows(made, "topics")) == 50


def test_hostile_names_go_through_every_form(tmp_path: Path) -> None:
    qrels = {HOSTILE: {HOSTILE: 1, "b": 1}, "2": {"a": 1}}
    old = {HOSTILE: {HOSTILE: 2, "b": 1}, "2": {"a": 1}}
    new = {HOSTILE: {"c<i>": 2, "b": 1}, "2": {"a": 1}}
    made = rs.diff(qrels, {HOSTILE: old, "<script>": new}, "P@2", groups={HOSTILE: HOSTILE, "2": "x"})
    assert "\x1b" not in made.text() + made.to_markdown() + made.to_latex()
    made.write(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text() + made._repr_html_()
    assert "<b>" not in page
    assert "<script>" not in page
    assert "<i>" not in page
    for table in made.tables():
        assert json.loads(made.to_json(table))["rows"] == made.to_polars(table).to_dicts()
        for ending in ("csv", "tsv", "jsonl", "json", "parquet", "md", "tex", "txt", "html"):
            made.write(tmp_path / f"{table}.{ending}", table=table)
    assert made.to_polars("documents")["document"].to_list()[0] == HOSTILE
    assert made.to_polars("groups")["group"].to_list() == [HOSTILE, "x"]


def test_rankings_read_before_are_taken() -> None:
    named = rs.read_runs(QRELS, [BM25, CE], keep_documents=True)
    assert rows(rs.diff(QRELS, named, "P@10"), "documents") == rows(rs.diff(QRELS, [BM25, CE], "P@10"), "documents")
    nameless = rs.diff(QRELS, rs.read_runs(QRELS, [BM25, CE]), "P@10")
    assert nameless.changes is None
    assert "documents" not in nameless.tables()
    assert any("read it with keep_documents=True" in warning for warning in nameless.warnings)
    assert not rs.diff(QRELS, rs.read_runs(QRELS, [BM25, CE]), "P@10", top_k=0).warnings


def test_names_choose_two_of_many() -> None:
    made = rs.diff(QRELS, list(RUNS[:4]), "P@10", baseline=made_name(2), candidate=made_name(0))
    assert (made.baseline, made.candidate) == (made_name(2), made_name(0))
    turned = rs.diff(QRELS, [BM25, CE], "P@10", baseline="bm25-ce-pair")
    assert (turned.baseline, turned.candidate) == ("bm25-ce-pair", "bm25")


def made_name(place: int) -> str:
    return RUNS[place].name.partition(".")[0]


def three() -> rs.Evaluation:
    return rs.read_values({run: {"1": 0.1, "2": 0.2} for run in "ABC"}, measure="P@10")


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "three runs": (lambda: rs.diff(three()), ParameterError, r"there are 3 \(A, B, C\): name two of them"),
    "one named of three": (lambda: rs.diff(three(), "A"), ParameterError, "as baseline and the other as candidate"),
    "the same name": (lambda: rs.diff(three(), "A", "A"), ParameterError, "both A: name two different runs"),
    "unknown": (lambda: rs.diff(three(), "A", "D"), UnknownNameError, "unknown run 'D'"),
    "one run": (lambda: rs.diff(QRELS, BM25, "AP"), ParameterError, r"there is one \(bm25\): give another run"),
    "the same file": (lambda: rs.diff(QRELS, [BM25, BM25], "AP"), ParameterError, "is given twice"),
    "no measures": (lambda: rs.diff(QRELS, [BM25, CE]), ParameterError, "diff takes qrels, runs and measures"),
    "no names": (lambda: rs.diff(three(), ["A", "B"]), ParameterError, "name two of its runs"),
    "named twice": (lambda: rs.diff(three(), "A", baseline="B"), ParameterError, "name two of its runs"),
    "measured": (lambda: rs.diff(three(), "A", "B", depth=5), ParameterError, "depth: the values of an evaluation"),
    "skip": (
        lambda: rs.diff(QRELS, [BM25, CE], "AP", missing="skip"),  # type: ignore[arg-type]
        ParameterError,
        "over the same topics",
    ),
    "alpha": (lambda: rs.diff(three(), "A", "B", alpha=2), ParameterError, "alpha must lie between 0 and 1"),
    "confidence": (lambda: rs.diff(three(), "A", "B", confidence=1), ParameterError, "confidence"),
    "test": (lambda: rs.diff(three(), "A", "B", test="chi"), UnknownNameError, "unknown test 'chi'"),
    "top k": (lambda: rs.diff(three(), "A", "B", top_k=-1), ParameterError, "top_k"),
    "column": (lambda: rs.diff(three(), "A", "B", column="x"), ParameterError, "column= names a column"),
    "groups": (lambda: rs.diff(three(), "A", "B", groups={"9": "x"}), ParameterError, "no topic of the evaluation"),
    "other qrels": (
        lambda: rs.diff({"1": {"a": 1}}, rs.read_runs(QRELS, [BM25, CE]), "AP"),
        InputError,
        "was judged with other qrels",
    ),
    "no shared topic": (
        lambda: rs.diff({"1": {"a": 1}, "2": {"a": 1}}, [{"1": {"a": 1}}, {"2": {"a": 1}}], "AP", missing="common"),
        ParameterError,
        "there is no topic that all runs have",
    ),
    "runs first": (lambda: rs.diff([BM25, CE], QRELS, "AP"), InputError, "qrels come first"),
    "option": (lambda: rs.diff(QRELS, [BM25, CE], "AP", dept=5), ParameterError, "dept"),  # type: ignore[call-arg]
}


@pytest.mark.parametrize("case", REFUSED)
def test_misuse_is_refused_in_words(case: str) -> None:
    call, kind, message = REFUSED[case]
    with pytest.raises(kind, match=message):
        call()
