"""Notices of the length that measures give rankings, and of topics whose ideal ranking gains nothing."""

from itertools import permutations
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import rankscale as rs
from rankscale.data.judged import judged
from rankscale.data.notices import render
from rankscale.errors import on_command_line
from rankscale.measures.base.facts import example, facts
from rankscale.measures.base.parameters import parameters
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import CLASSES

N = 1000


def ranking(length: int, *, relevant: tuple[int, ...] = (1,)) -> tuple[Any, Any]:
    """Qrels and a ranking of this length, with relevant documents at these ranks."""
    return {"1": {f"d{rank}": 1 for rank in relevant}}, {"1": {f"d{rank}": 1.0 / rank for rank in range(1, length + 1)}}


def kinds(result: Any, kind: str) -> list[Any]:
    return [notice for notice in result.notices if notice.kind == kind]


@pytest.mark.parametrize("name", CLASSES)
def test_measures_that_cut_rankings_by_themselves_say_so(name: str) -> None:
    """A relevant document at rank 1100 counts without a depth, or the measure knows that it reads 1000 ranks."""
    measure = parse("NR(collection=9000)") if name == "NR" else example(find(name))
    if not measure.takes_depth or measure.needs_depth or measure.depth is not None or measure.looks_at:
        return
    ranks = {1, 7, N + 100}
    table = judged(" ".join("01"[rank in ranks] for rank in range(1, N + 201)), missed="1 1")
    whole, cut, deep = (measure.at(depth).value(table) for depth in (None, N, N + 200))
    if measure.assumed_depth is not None:
        assert measure.assumed_depth == N
        np.testing.assert_array_equal(whole, cut)
        assert f"{N} without one" in dict(facts(type(measure)))["length"]
        assert measure.at(20).assumed_depth is None
        assert "N = max(20, 2 RB" in dict(facts(type(measure), measure.at(20)))["length"]
    else:
        assert whole == deep or whole != cut
        assert "length" not in dict(facts(type(measure)))


def test_the_worst_case_of_the_crp_paper_has_its_values_at_its_own_length() -> None:
    """Both ratios are 0 with N = 20, as in the paper; with N = 1000 they are not, and the notice offers @20."""
    grades = [0] * 10 + [1] * 4 + [2] * 3 + [3] * 3
    qrels = {"1": {f"d{place}": grade for place, grade in enumerate(grades)}}
    run = {"1": {f"d{place}": 20.0 - place for place in range(20)}}
    found = rs.evaluate(qrels, run, ["b_ratio", "CRP_N"])
    (notice,) = kinds(found, "length")
    assert render(notice) == (
        "b_ratio, CRP_N: rankings hold at most 20 documents, and N is 1000: b_ratio@20 reads them as they are"
    )
    assert "b_ratio, CRP_N: N is 1000, or 2 RB if that is more" in str(found.means())
    assert rs.evaluate(qrels, run, ["b_ratio@20", "CRP_N@20"]).values.ravel().tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("length", "options", "words"),
    [
        (100, {}, "rankings hold at most 100 documents, and N is 1000: Twist@100 reads them as they are"),
        (1, {}, "rankings hold at most 1 document, and N is 1000: Twist@1 reads them as they are"),
        (N, {}, ""),
        (1500, {}, "rankings hold up to 1500 documents, and are cut at N = 1000: Twist@1500 reads all of them"),
        (1500, {"depth": 50}, "rankings hold at most 50 documents, and N is 1000: Twist@50 reads them as they are"),
        (1500, {"depth": 50, "ties": "expected"}, "rankings hold at most 50 documents, and N is 1000"),
        (1500, {"depth": N}, ""),
    ],
)
def test_a_notice_tells_the_length_of_rankings_once(length: int, options: Any, words: str) -> None:
    found = kinds(rs.evaluate(*ranking(length), ["Twist", "AP", "rho", "Twist@10", "sigma"], **options), "length")
    assert len(found) == bool(words)
    assert all(render(notice).startswith(f"Twist, rho, sigma: {words}") for notice in found)


def test_runs_of_other_lengths_are_named() -> None:
    qrels, short = ranking(30)
    _, deep = ranking(2000)
    _, usual = ranking(N)
    found = rs.evaluate(qrels, {"short": short, "deep": deep, "usual": usual}, "Twist")
    assert list(map(render, kinds(found, "length"))) == [
        "Twist: rankings of short hold at most 30 documents, and N is 1000: Twist@30 reads them as they are",
        "Twist: rankings of deep hold up to 2000 documents, and are cut at N = 1000: Twist@2000 reads all of them",
    ]


def test_deep_runs_are_cut_at_1000_and_read_whole_at_their_depth() -> None:
    qrels, run = ranking(1500, relevant=(2, 1200))
    plain, deep = (rs.evaluate(qrels, run, text).values.item() for text in ("Twist", "Twist@1500"))
    assert plain == rs.evaluate(qrels, run, "Twist@1000").values.item() != deep


# Gains

GAINS = "[0,0,0,1]"
TOPICS = {"none": "0 0", "low": "2 1 0", "high": "3 1 0", "top": "3 3 2"}


def shares() -> list[str]:
    """All measures whose gains can be given, and which use the recall base; sub-topics have rules of their own."""
    made = ["nDCG", "AP", "nDCG(gains=[-1,0,0,1])@2", f"AvgPos(nDCG(gains={GAINS}))@3"]
    for name in CLASSES:
        measure = find(name)
        if measure.uses_recall_base and "gains" in parameters(measure) and not measure.by_subtopic:
            depths = [""] * (not measure.needs_depth) + ["@2"] * measure.takes_depth
            made += [f"{name}(gains={GAINS}){depth}" for depth in depths]
    return made


@pytest.mark.parametrize("text", shares())
def test_topics_are_counted_on_which_no_ranking_gains_anything(text: str) -> None:
    measure = parse(text)
    qrels = {
        topic: {f"d{place}": int(grade) for place, grade in enumerate(grades.split())}
        for topic, grades in TOPICS.items()
    }
    best = {
        topic: max(float(measure.value(judged(" ".join(order))).item()) for order in permutations(grades.split()))
        for topic, grades in TOPICS.items()
    }
    nothing = tuple(topic for topic in TOPICS if topic != "none" and best[topic] == 0)
    found = rs.evaluate(qrels, {"mine": {topic: {"d0": 1.0} for topic in TOPICS}}, text)
    assert [notice["topics"] for notice in kinds(found, "no ideal")] == ([nothing] if nothing else [])


def test_the_notice_says_what_leaves_the_topics_out() -> None:
    qrels = {"1": {"a": 3}, "2": {"a": 2}, "3": {"a": 0}}
    run = {topic: {"a": 1.0} for topic in qrels}
    found = rs.evaluate(qrels, run, [f"nDCG(gains={GAINS})", f"nDCG(gains={GAINS})@10", "nDCG@10"])
    (notice,) = kinds(found, "no ideal")
    named = f"nDCG(gains={GAINS}), nDCG(gains={GAINS})@10"
    assert render(notice, on_command_line) == (
        f"{named}: no document of 1 of 3 topics (2) gains anything, so that its values are 0 and lower all means; "
        "--topics FILE can leave it out, --missing skip does not"
    )
    assert found.means().values[0, 0] == pytest.approx(1 / 3)
    assert found.of_topics(["1", "3"]).means().values[0, 0] == 0.5
    assert rs.evaluate(qrels, run, f"nDCG(gains={GAINS})", missing="skip").means().values[0, 0] == pytest.approx(1 / 3)
    (curve,) = kinds(rs.curves(qrels, run, f"nDCG(gains={GAINS})", ideal=True), "no ideal")
    assert "topics=[...] can leave it out" in render(curve)
    assert "--topic TOPIC can leave it out" in render(curve, on_command_line)
    assert not kinds(rs.curves(qrels, run, f"nDCG(gains={GAINS})", topics=["1", "3"]), "no ideal")


def test_topics_that_do_not_count_are_not_counted() -> None:
    qrels = {"1": {"a": 3}, "2": {"a": 2}}
    found = rs.evaluate(qrels, {"1": {"a": 1.0}}, f"nDCG(gains={GAINS})", missing="skip")
    assert not kinds(found, "no ideal")


def test_data_sets_have_the_notices_of_files(tmp_path: Path) -> None:
    """Of 20 topics one in three has no document of grade 3; rankings hold two documents."""
    qrels = {str(t): {"a": 3 if t % 3 else 2, "b": 0} for t in range(20)}
    run = {topic: {"a": 2.0, "b": 1.0} for topic in qrels}
    measures = ["Twist", f"nDCG(gains={GAINS})"]
    rs.write_qrels(qrels, tmp_path / "qrels.txt")
    rs.write_run(run, tmp_path / "run.txt", name="mine")
    rs.partition(tmp_path / "qrels.txt", tmp_path / "qrels", partitions=3)
    rs.partition(tmp_path / "run.txt", tmp_path / "run", like=tmp_path / "qrels")
    whole = rs.evaluate(qrels, {"mine": run}, measures)
    made = rs.evaluate_blocks(tmp_path / "qrels", [tmp_path / "run"], measures)
    assert [render(notice) for notice in made.notices if notice.kind == "length"] == [
        render(notice) for notice in kinds(whole, "length")
    ]
    (notice,) = [notice for notice in made.notices if notice.kind == "no ideal"]
    assert (notice["number"], notice["of"]) == (7, 20)
    assert set(cast("tuple[str, ...]", notice["topics"])) < {str(t) for t in range(0, 20, 3)}
    assert "no document of 7 of 20 topics" in render(notice)
    assert "no document of 7 of 20 topics" in render(*kinds(whole, "no ideal"))
