"""Bounds of RBP: the values of the paper, sums over ranks one by one, and what always holds."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import rankscale as rs
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.data.table import Table
from rankscale.errors import ParameterError
from rankscale.evaluation.options import SameTopics
from rankscale.sample import QRELS, RUNS
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.studies.bounds import DEPTHS, GRID, Bounds, bounds
from rankscale.studies.bounds.judging import read_with_reach
from tests.studies.plain_files import plain_qrels, plain_run

RULES: tuple[SameTopics, ...] = ("zero", "common")

FILES = [str(run) for run in RUNS[::6]]
Judgments = dict[str, dict[str, float]]
Rankings = dict[str, list[str]]


def slow_bounds(
    ranking: list[str], judged: dict[str, float], p: float, depth: int | None, gain: Any = lambda grade: grade >= 1
) -> tuple[float, float]:
    """RBP, and RBP with its residual, the largest gain being 1."""
    last = len(ranking) if depth is None else min(depth, len(ranking))
    value = open_ = 0.0
    for rank, document in enumerate(ranking[:last], start=1):
        weight = (1 - p) * p ** (rank - 1)
        grade = judged.get(document, -1)
        if grade < 0:
            open_ += weight
        else:
            value += weight * gain(grade)
    return value, value + p**last + open_


def slow_means(run: Rankings, grades: Judgments, p: float, depth: int | None, **more: Any) -> tuple[float, float]:
    by_topic = [slow_bounds(run.get(topic, []), judged, p, depth, **more) for topic, judged in grades.items()]
    return math.fsum(low for low, _ in by_topic) / len(grades), math.fsum(up for _, up in by_topic) / len(grades)


def pooled(runs: list[Rankings], grades: Judgments, depth: int) -> Judgments:
    """The judgments of documents that some run ranks at the depth or above."""
    tops = {topic: {document for run in runs for document in run.get(topic, [])[:depth]} for topic in grades}
    return {t: {d: grade for d, grade in judged.items() if d in tops[t]} for t, judged in grades.items()}


def check(study: Bounds, runs: list[Rankings], grades: Judgments, **more: Any) -> None:
    """All bounds and costs, against sums over ranks and sets of names."""
    pools = {
        pool: grades if pool is None else pooled(runs, grades, pool) for pool in (None, *study.request.pool_depths)
    }
    plain = dict(zip(study.evaluation.runs, runs, strict=True))
    for table, depth in (("depths", "depth"), ("persistence", None), ("bounds", None)):
        for row in study.table(table):
            judged = pools[row.get("pool_depth")]  # type: ignore[index]
            at: Any = row[depth] if depth else None
            lower, upper = slow_means(plain[str(row["run"])], judged, float(row["p"]), at, **more)  # type: ignore[arg-type]
            found = [row[name] for name in ("lower", "upper", "residual")]
            assert found == pytest.approx([lower, upper, upper - lower], abs=1e-12)
    for row in study.table("cost"):
        tops = {(t, d) for run in runs for t, ranking in run.items() for d in ranking[: int(row["depth"] or 0)]}
        number = sum(grades[t].get(d, -1) >= 0 for t, d in tops)
        counts = len(tops), number, len(tops) - number
        assert (row["documents"], row["judged"], row["missing"]) == counts
        assert row["missing_per_topic"] == counts[2] / len(grades)
        residuals = [slow_means(run, grades, float(row["p"] or 0), None, **more) for run in runs]
        assert row["largest_residual"] == pytest.approx(max(high - low for low, high in residuals), abs=1e-12)


def columns(rows: Table, *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def test_the_ranking_of_the_paper() -> None:
    marks = "$$---$----$-??--?---"
    documents = [f"d{rank:02}" for rank in range(1, 21)]
    grades = {d: int(mark == "$") for d, mark in zip(documents, marks, strict=True) if mark != "?"}
    run = {"1": {d: -float(rank) for rank, d in enumerate(documents)}}
    study = bounds({"1": grades}, {"mine": run})
    found = [(p, round(lower, 4), round(upper, 4)) for p, lower, upper in columns(study.table(), "p", "lower", "upper")]
    assert found == [(0.5, 0.7661, 0.7663), (0.8, 0.4470, 0.4889), (0.95, 0.1661, 0.5993)]


def test_depths_that_accuracy_asks_for_and_p_that_depths_support() -> None:
    run = {"1": {f"d{rank}": -float(rank) for rank in range(200)}}
    study = bounds({"1": {"d0": 1}}, {"mine": run}, depths=100)
    assert columns(study.table("cost"), "p", "depth") == [(0.5, 14), (0.8, 42), (0.95, 180)]
    assert columns(study.table("cost"), "documents", "judged", "missing") == [(n, 1, n - 1) for n in (14, 42, 180)]
    ((depth, accuracy, largest),) = columns(study.table("supports"), "depth", "accuracy", "largest_p")
    assert (depth, accuracy, round(largest, 2)) == (100, 0.0001, 0.91)


def test_bounds_of_the_sample() -> None:
    study = bounds(
        str(QRELS), FILES, depths=(1, 7, 150, 1000), grid=(0, 0.3), pool_depths=(3, 20), accuracy=(0.1, 1e-3)
    )
    check(study, [plain_run(Path(path)) for path in FILES], plain_qrels(QRELS))
    asked = study.request
    assert len(study.table("depths")) == len(FILES) * 3 * 3 * 4
    assert len(study.table("persistence")) == len(FILES) * 3 * 5
    assert asked.grid == (0, 0.3, 0.5, 0.8, 0.95)


def test_bounds_of_graded_gains(shared_data: Path) -> None:
    folder = shared_data / "dl21_passage_judged"
    paths, qrels = sorted((folder / "runs").iterdir())[::20], folder / "qrels-pass.txt.gz"
    settings: dict[str, Any] = {"depths": (5, 100), "grid": (), "pool_depths": 10, "accuracy": 0.01}
    runs, grades = [plain_run(path) for path in paths], plain_qrels(qrels)
    check(bounds(qrels, paths, 0.9, gains="linear", **settings), runs, grades, gain=lambda grade: grade / 3)
    check(bounds(qrels, paths, 0.9, rel=2, **settings), runs, grades, gain=lambda grade: grade >= 2)
    study = bounds(qrels, paths, 0.9, gains=[0, 0, 0.5, 1], **settings)
    check(study, runs, grades, gain=lambda grade: (0, 0, 0.5, 1)[int(grade)])
    assert "|gains:[0,0,0.5,1]|" in study.signature


def test_the_pool_of_trec_8_is_judged(shared_data: Path) -> None:
    folder = shared_data / "trec8_adhoc"
    table = [line.split("\t") for line in (folder / "DERIVED_runs.tsv").read_text(encoding="utf-8").splitlines()]
    names = [name for name, _, is_pooled, *_ in table if is_pooled == "1"]
    qrels = rs.read_qrels(folder / "trec8.qrels.gz")
    paths = [path for path in sorted((folder / "runs").iterdir()) if _name(path) in names]
    assert len(paths) == len(names) == 71
    _, reach = read_with_reach(qrels, paths, 101)
    everywhere = np.ones(50, dtype=bool)
    assert reach.documents(100, qrels, everywhere) == (86_830, 0)
    judged, missing = reach.documents(101, qrels, everywhere)
    assert judged == 86_830
    assert missing
    some = np.arange(50) < 7
    per_topic = [qrels.starts[topic + 1] - qrels.starts[topic] for topic in range(7)]
    assert reach.documents(100, qrels, some) == (sum(per_topic), 0)


def _name(path: Path) -> str:
    return path.name.removeprefix("input.").removesuffix(".xz").removesuffix(".gz")


def test_orders_of_runs_at_two_pool_depths_agree_as_in_the_paper(shared_data: Path) -> None:
    folder = shared_data / "trec5_adhoc"
    paths = sorted((folder / "runs").iterdir())
    study = bounds(folder / "T5-j.txt.gz", paths, depths=(), grid=(), accuracy=())
    lower = {pool: study.by_p[0, place].round(8) for place, pool in enumerate((None, 10, 100))}
    tau = [float(tau_b(lower[10][place], lower[100][place])) for place in range(3)]
    assert tau == pytest.approx([1.000, 0.986, 0.891], abs=0.0016)  # printed to 3 digits; a pair of runs is worth .0011
    assert study.shown() == ("bounds",)
    # Figure 6: with pool depth 10 large p are left open, with pool depth 100 they are not.
    residual = study.by_p[1] - study.by_p[0]
    assert residual[1, 0].mean() < 0.002
    assert residual[1, 2].mean() > 10 * residual[2, 2].mean()


def test_bounds_nest(trec_8: tuple[Qrels, list[Run]]) -> None:
    qrels, runs = trec_8
    study = bounds(qrels, runs[::8], pool_depths=(1, 10, 30, 100), grid=())
    (lower, upper), rounding = study.by_depth, 1e-12
    assert (np.diff(lower, axis=2) >= -rounding).all()  # by depth
    assert (np.diff(upper, axis=2) <= rounding).all()
    by_pool = np.array([1, 2, 3, 4, 0])  # all judgments last: they hold every pool
    assert (np.diff(lower[by_pool], axis=0) >= -rounding).all()
    assert (np.diff(upper[by_pool], axis=0) <= rounding).all()
    tail = np.array(study.request.p)[:, None] ** np.array(DEPTHS)
    assert (upper - lower >= tail[None, :, :, None] - rounding).all()
    # Down to its pool depth each of these runs is judged whole, if its rankings are long enough.
    whole = [place for place, run in enumerate(runs[::8]) if len(run.rows) == 50 and run.length.min() >= 100]
    assert len(whole) > 5
    residual = (upper - lower)[4][..., whole]
    pooled_runs = np.isclose(residual[-1, 6], 0.95**100, rtol=1e-9)
    assert pooled_runs.any()
    expected = np.broadcast_to(tail[:, :7, None], residual[:, :7, pooled_runs].shape)
    np.testing.assert_allclose(residual[:, :7, pooled_runs], expected, rtol=1e-9, atol=1e-15)


grades_drawn = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([-1, 0, 1, 2]), min_size=1)
rankings_drawn = st.lists(st.sampled_from("abcdefuvw"), unique=True, max_size=9)
numbers = st.sampled_from([0.0, 0.25, 0.5, 0.9])


@settings(max_examples=60)
@given(
    st.lists(grades_drawn, min_size=2, max_size=2),
    st.lists(st.tuples(rankings_drawn, rankings_drawn), min_size=1),
    numbers,
)
def test_small_collections(judged: list[dict[str, float]], drawn: list[tuple[list[str], list[str]]], p: float) -> None:
    grades = {"1": judged[0], "2": judged[1]}
    runs: list[Rankings] = [{t: ranking for t, ranking in zip("12", pair, strict=True) if ranking} for pair in drawn]
    runs = [run for run in runs if run] or [{"1": ["a"]}]
    given_runs = {
        f"run {number}": {t: {d: -float(rank) for rank, d in enumerate(ranking)} for t, ranking in run.items()}
        for number, run in enumerate(runs)
    }
    assume(any(grade >= 1 for of in judged for grade in of.values()))  # what is unjudged could be relevant then
    study = bounds(grades, given_runs, p, depths=(1, 4), grid=(), pool_depths=(1, 2), accuracy=(0.3, 0.01))
    check(study, runs, grades)


def test_runs_without_names_and_short_rankings(trec_8: tuple[Qrels, list[Run]]) -> None:
    qrels, runs = trec_8
    study = bounds(qrels, runs[:2], p=0.5, depths=(), grid=(), pool_depths=())
    ((documents, judged, missing),) = columns(study.table("cost"), "documents", "judged", "missing")
    assert (documents, missing) == (None, None)
    assert judged > 0
    assert any(
        f"run {runs[0].name} was read without the names" in told and told.endswith("read it with keep_documents=True")
        for told in study.warnings
    )
    short = bounds({"1": {"a": 1}}, {"short": {"1": {"a": 1.0}}}, p=0.5)
    (told,) = short.warnings
    assert told == (
        "1 of 1 rankings end before rank 14, which an accuracy of 0.0001 with p=0.5 asks for: what may stand below "
        "their end stays open, however much is judged"
    )


def test_common_topics() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1, "b": 0}}
    runs = {"both": {"1": {"a": 1.0}, "2": {"x": 2.0, "a": 1.0}}, "one": {"1": {"y": 1.0}}}
    every, common = (bounds(qrels, runs, 0.5, accuracy=0.5, missing=rule) for rule in RULES)
    assert columns(every.table(), "topics", "lower", "upper") == [(2, 0.375, 1.0), (2, 0.0, 1.0)]
    assert columns(common.table(), "topics", "lower", "upper") == [(1, 0.5, 1.0), (1, 0.0, 1.0)]
    assert columns(every.table("cost"), "depth", "documents", "judged", "missing") == [(2, 4, 2, 2)]
    assert columns(common.table("cost"), "depth", "documents", "judged", "missing") == [(2, 2, 1, 1)]
    assert "|missing:common|" in common.signature
    with pytest.raises(ParameterError, match="no topic that all runs have"):
        bounds(qrels, {**runs, "two": {"2": {"y": 1.0}}}, missing="common")


def test_rankings_that_end_early_are_counted_with_those_that_are_missing() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    long = {f"d{rank}": -float(rank) for rank in range(20)}
    runs = {"both": {"1": long, "2": long}, "one": {"1": long}}
    told = [one for one in bounds(qrels, runs, (0.5, 0.8)).warnings if "end before" in one]
    assert [one[:40] for one in told] == [
        "1 of 4 rankings end before rank 14, whic",
        "4 of 4 rankings end before rank 42, whic",
    ]
    (common,) = (one for one in bounds(qrels, runs, (0.5, 0.8), missing="common").warnings if "end before" in one)
    assert common.startswith("2 of 2 rankings end before rank 42")


def test_progress_goes_to_its_end() -> None:
    seen: list[tuple[int, int]] = []
    bounds(str(QRELS), FILES[:2], 0.5, pool_depths=(10,), progress=lambda done, of: seen.append((done, of)))
    assert seen == [(step, 6) for step in range(1, 7)]


def test_threads_do_not_matter() -> None:
    assert str(bounds(str(QRELS), FILES, threads=1)) == str(bounds(str(QRELS), FILES, threads=4))
    study = bounds(str(QRELS), FILES)
    assert study.request.grid == GRID
    assert study.signature.startswith("study:bounds|p:0.5,0.8,0.95|depths:1,2,5,10,20,50,100,200,500,1000|grid:0.1,")


def test_what_cannot_be_asked() -> None:
    for wrong, message in [
        ({"p": 1.0}, "p must lie between 0 and 1"),
        ({"p": ()}, "give one p or more"),
        ({"accuracy": 0}, "an accuracy lies between 0 and 1, such as 0.0001, got 0"),
        ({"depths": 0}, "the depth must be a whole number from 1"),
        ({"pool_depths": 0}, "the depth of a pool is a whole number from 1, got 0"),
        ({"gains": [0, 2, 3, 4]}, "RBP"),
    ]:
        with pytest.raises(ParameterError, match=message):
            bounds(str(QRELS), FILES[:1], **wrong)  # type: ignore[arg-type]


def test_in_advance_the_numbers_of_the_paper() -> None:
    study = bounds(accuracy=0.0001, depths=(20, 100))
    assert columns(study.table("cost"), "p", "accuracy", "depth") == [
        (0.5, 0.0001, 14),
        (0.8, 0.0001, 42),
        (0.95, 0.0001, 180),
    ]
    largest = {depth: p for depth, _, p in columns(study.table("supports"), "depth", "accuracy", "largest_p")}
    assert round(largest[100], 2) == 0.91
    residual = {(p, depth): left for p, depth, left in columns(study.table("depths"), "p", "depth", "residual")}
    assert round(residual[0.8, 20], 3) == 0.012


@given(
    p=st.floats(0, 0.999),
    accuracy=st.floats(1e-12, 0.999),
    depth=st.integers(1, 2000),
)
def test_in_advance_the_depth_is_the_smallest_that_is_enough(p: float, accuracy: float, depth: int) -> None:
    study = bounds(p=p, accuracy=accuracy, depths=depth)
    ((needed,),) = columns(study.table("cost"), "depth")
    assert p**needed < accuracy
    assert needed == 0 or p ** (needed - 1) >= accuracy
    ((largest,),) = columns(study.table("supports"), "largest_p")
    assert largest**depth == pytest.approx(accuracy, rel=1e-9)
    ((left,),) = columns(study.table("depths"), "residual")
    assert left == pytest.approx(p**depth, rel=1e-12)


def test_in_advance_is_what_files_give_for_the_same_options() -> None:
    options: Any = {"p": (0.3, 0.9), "accuracy": (0.01, 0.001), "depths": (5, 50)}
    with_files, without = bounds(QRELS, FILES[:1], **options), bounds(**options)
    shared = columns(with_files.table("cost"), "p", "accuracy", "depth")
    assert columns(without.table("cost"), "p", "accuracy", "depth") == shared
    assert list(without.table("supports")) == list(with_files.table("supports"))


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        ({"accuracy": 0}, "an accuracy lies between 0 and 1"),
        ({"accuracy": 1.0}, "an accuracy lies between 0 and 1"),
        ({"accuracy": -0.1}, "an accuracy lies between 0 and 1"),
        ({"p": 1}, "p must lie between 0 and 1"),
        ({"p": -0.5}, "p must lie between 0 and 1"),
        ({"p": ()}, "give one p or more"),
        ({"depths": 0}, "the depth must be a whole number from 1"),
        ({"pool_depths": 5}, "pool depths: without qrels and runs there is nothing to apply it to"),
        ({"grid": (0.5,)}, "the grid of p: without qrels and runs"),
        ({"rel": 2}, "rel: without qrels and runs"),
        ({"order": "file"}, "order: without qrels and runs"),
        ({"runs": FILES}, "give qrels and runs, or neither"),
        ({"qrels": QRELS}, "give qrels and runs, or neither"),
    ],
)
def test_in_advance_what_is_refused(given_: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        bounds(**given_)


def test_ap_of_the_papers_ranking_falls_once_one_more_is_relevant() -> None:
    qrels = {"1": {f"d{rank}": int(rank in {1, 4}) for rank in range(1, 11)}, "2": {"d1": 1}}
    run = {"1": {f"d{rank}": 1.0 / rank for rank in range(1, 21)}, "2": {"d1": 1.0}}
    study = bounds(qrels, {"mine": run, "less": {"2": {"x": 1.0, "d1": 0.5}}}, accuracy=(), pool_depths=())
    first, second, third, fourth = study.table("ap_topics")
    assert (first["AP"], first["highest"]) == (0.75, 0.75)
    assert round(float(str(first["highest_with_one"])), 4) == 0.5909
    assert [second[name] for name in ("AP", "lowest", "highest")] == [1, 1, 1]
    assert math.isnan(float(str(second["lowest_with_one"])))
    assert [third[name] for name in ("AP", "lowest", "highest")] == [0, 0, 0]  # an empty ranking
    assert [fourth[name] for name in ("AP", "lowest", "highest")] == [0.5, 0.5, 1]  # 1/2 as it is, 1 if x is relevant
    mine = next(iter(study.table("ap")))
    assert (mine["run"], mine["topics"], mine["AP"]) == ("mine", 2, 0.875)
    assert mine["highest_with_one"] == first["highest_with_one"]


def test_values_of_ap_are_those_of_evaluate() -> None:
    study = bounds(QRELS, FILES[:2], p=0.5, grid=(), depths=1, pool_depths=(), accuracy=())
    means = rs.evaluate(QRELS, FILES[:2], "AP").means()
    assert [row["AP"] for row in study.table("ap")] == means.values[0].tolist()
