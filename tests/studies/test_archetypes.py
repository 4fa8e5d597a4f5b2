"""Archetypes of collections: against rankings classified one by one, and what always holds."""

import itertools
import statistics
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.measures.families.relative_position import ARCHETYPES
from rankscale.sample import QRELS, RUNS
from rankscale.studies.archetypes import MERGED, Archetypes, archetypes
from tests.measures.slow_relative_position import Slow
from tests.studies.plain_files import plain_qrels, plain_run

FILES = [str(run) for run in RUNS]


@pytest.fixture(scope="module")
def trec_8_archetypes(trec_8: tuple[Qrels, list[Run]]) -> Archetypes:
    return archetypes(*trec_8)


def slow_kinds(
    run: dict[str, list[str]], grades: dict[str, dict[str, float]], depth: int, rel: float
) -> dict[str, tuple[str, float]]:
    """The archetype and Twist of each topic of the qrels."""
    found = {}
    for topic, judged in grades.items():
        ranking = [judged.get(document) for document in run.get(topic, [])]
        slow = Slow(ranking, Counter(judged.values()), depth, rel)
        if slow.RB:
            found[topic] = slow.archetype(), float(slow.twist())
    return found


def check(study: Archetypes, expected: dict[str, dict[str, tuple[str, float]]]) -> None:
    """All tables, against archetypes by run and topic."""
    rankings = {(row["run"], row["topic"]): row for row in study.table("rankings")}
    slow = {(run, topic): pair for run, of in expected.items() for topic, pair in of.items()}
    assert {key: row["archetype"] for key, row in rankings.items()} == {key: kind for key, (kind, _) in slow.items()}
    assert {key: row["Twist"] for key, row in rankings.items()} == pytest.approx(
        {key: twist for key, (_, twist) in slow.items()}, abs=1e-14
    )
    counts = Counter(kind for kind, _ in slow.values())
    assert {row["archetype"]: row["rankings"] for row in study.table()} == {name: counts[name] for name in ARCHETYPES}
    assert [row["share"] for row in study.table()] == [counts[name] / len(slow) for name in ARCHETYPES]
    for table, place in (("runs", 0), ("topics", 1)):
        for row in study.table(table):
            here = [kind for key, (kind, _) in slow.items() if key[place] == row[table[:-1]]]
            assert row["rankings"] == len(here)
            if here:
                assert [row[name.replace(" ", "_")] for name in ARCHETYPES] == [
                    here.count(name) / len(here) for name in ARCHETYPES
                ]


@pytest.mark.parametrize(("depth", "rel"), [(100, 2), (100, 1), (10, 3)])
def test_archetypes_of_graded_rankings(shared_data: Path, depth: int, rel: float) -> None:
    folder = shared_data / "dl21_passage_judged"
    paths, qrels = sorted((folder / "runs").iterdir())[:8], folder / "qrels-pass.txt.gz"
    study = archetypes(qrels, paths, depth=depth, rel=rel)
    grades = plain_qrels(qrels)
    runs = zip(study.evaluation.runs, paths, strict=True)
    check(study, {name: slow_kinds(plain_run(path), grades, depth, rel) for name, path in runs})
    longer = [t for t, judged in grades.items() if 2 * sum(grade >= rel for grade in judged.values()) > depth]
    assert {row["topic"] for row in study.table("topics") if row["2RB_beyond_depth"] == "yes"} == set(longer)
    assert f"On {len(longer)} of {len(grades)} topics twice the recall base exceeds that depth." in study.sentence()
    told = [warning for warning in study.warnings if f"of the topics have 2RB beyond depth {depth}" in warning]
    assert len(told) == (10 * len(longer) >= len(grades))
    if told:
        assert told[0].startswith(f"{len(longer) / len(grades):.0%} of")


@pytest.mark.slow
def test_archetypes_of_some_runs_of_trec_8(shared_data: Path, trec_8_archetypes: Archetypes) -> None:
    folder = shared_data / "trec8_adhoc"
    grades = plain_qrels(folder / "trec8.qrels.gz")
    rankings = {(row["run"], row["topic"]): row["archetype"] for row in trec_8_archetypes.table("rankings")}
    for path in sorted((folder / "runs").iterdir())[::65]:
        name = trec_8_archetypes.evaluation.runs[sorted((folder / "runs").iterdir()).index(path)]
        for topic, (kind, _) in slow_kinds(plain_run(path), grades, 1000, 1).items():
            assert rankings[name, topic] == kind


def test_binary_relevance_knows_only_typical_and_reference_rankings(trec_8_archetypes: Archetypes) -> None:
    study = trec_8_archetypes
    assert study.counts.sum() == 129 * 50
    assert {row["archetype"] for row in study.table("rankings")} <= {
        "worst",
        "ideal",
        "full scale",
        "typical A",
        "typical B",
    }
    assert study.share("excellent") == 0
    # As in every collection of the paper's Table 2.
    assert study.share("typical A") + study.share("typical B") > 0.9
    assert study.share("typical A") > study.share("typical B")


def test_merged_as_table_2_merges(trec_8_archetypes: Archetypes) -> None:
    for study in (trec_8_archetypes, archetypes(str(QRELS), FILES), archetypes(str(QRELS), FILES, rel=2, depth=20)):
        shares = {row["archetype"]: float(row["share"]) for row in study.table()}  # type: ignore[arg-type]
        (merged,) = study.table("merged")
        assert list(merged)[1:] == [name.replace(" ", "_") for name in MERGED]
        merged = {name.replace("_", " "): share for name, share in merged.items()}
        assert merged.pop("rankings") == study.counts.sum()
        excellent = shares.pop("excellent A") + shares.pop("excellent B") + shares.pop("ups and downs")
        assert merged == pytest.approx({**shares, "excellent": excellent})
        assert sum(merged.values()) == pytest.approx(1)  # type: ignore[arg-type]


def test_ratios_of_each_archetype() -> None:
    """Figs. 4 to 6 of the Twist paper in numbers, against values of `evaluate` sorted one by one."""
    study = archetypes(str(QRELS), FILES[:6], rel=2, depth=50)
    names = ("Twist", "rho", "sigma", "sigma_plus", "sigma_minus")
    measures = [f"{name}(rel=2)@50" for name in names]
    values = rs.evaluate(str(QRELS), FILES[:6], measures).to_dict()
    rankings = list(study.table("rankings"))
    for row in rankings:
        of = values[str(row["run"])][str(row["topic"])]
        assert [row[name] for name in names] == [of[measure] for measure in measures]
        assert row["Twist"] == pytest.approx((float(row["rho"] or 0) + float(row["sigma"] or 0)) / 2, abs=1e-15)
    distributions = list(study.table("ratios"))
    assert [(row["ratio"], row["archetype"]) for row in distributions] == list(itertools.product(names, ARCHETYPES))
    for row in distributions:
        own = sorted(float(one[str(row["ratio"])] or 0) for one in rankings if one["archetype"] == row["archetype"])
        assert (row["rankings"], row["zero"]) == (len(own), own.count(0))
        if len(own) > 1:
            quartiles = statistics.quantiles(own, n=4, method="inclusive")
            expected = [own[0], *quartiles, own[-1], statistics.fmean(own)]
            assert [row[name] for name in ("lowest", "q1", "median", "q3", "highest", "mean")] == pytest.approx(
                expected, abs=1e-14
            )
        assert sorted(study.values_of(str(row["archetype"]), str(row["ratio"])).tolist()) == own
    with pytest.raises(UnknownNameError, match="unknown ratio 'sgma'"):
        study.values_of("ideal", "sgma")
    with pytest.raises(UnknownNameError, match="did you mean typical A"):
        study.values_of("typicalA")


def test_ratios_stay_within_the_limits_of_the_paper(trec_8_archetypes: Archetypes) -> None:
    """The Twist paper, Figs. 4 and 6: what each archetype can have."""
    study = trec_8_archetypes
    assert set(study.values_of("worst").tolist()) == {0}
    assert set(study.values_of("ideal").tolist()) <= {1}
    assert set(study.values_of("typical B", "rho").tolist()) == {0}
    assert study.values_of("typical B").max() < 0.5
    assert study.values_of("typical A", "rho").min() > 0


def test_missing_topics_are_worst_and_topics_without_relevant_documents_are_left_out() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 0}}
    runs = {"both": {"1": {"a": 1.0}, "2": {"x": 2.0, "a": 1.0}, "3": {"a": 1.0}}, "one": {"1": {"a": 1.0}}}
    study = archetypes(qrels, runs)
    kinds = {(row["run"], row["topic"]): row["archetype"] for row in study.table("rankings")}
    assert kinds == {("both", "1"): "ideal", ("both", "2"): "typical A", ("one", "1"): "ideal", ("one", "2"): "worst"}
    assert any("is undefined for 2 of 6 rankings" in warning for warning in study.warnings)
    common = archetypes(qrels, runs, missing="common")
    assert [row["archetype"] for row in common.table("rankings")] == ["ideal", "ideal"]
    assert common.signature.startswith("study:archetypes|k:1000|rel:1|order:score|missing:common|")


def test_runs_without_a_common_topic_have_no_archetypes() -> None:
    qrels = {"1": {"a": 1}, "2": {"a": 1}}
    with pytest.raises(ParameterError, match="no topic that all runs have"):
        archetypes(qrels, {"x": {"1": {"a": 1}}, "y": {"2": {"a": 1}}}, missing="common")


def test_the_course_of_the_runs_does_not_matter() -> None:
    forth, back = archetypes(str(QRELS), FILES), archetypes(str(QRELS), FILES[::-1])
    assert list(forth.table()) == list(back.table())
    assert list(forth.table("topics")) == list(back.table("topics"))
    assert list(forth.table("runs")) == list(back.table("runs"))[::-1]


def test_runs_that_were_read_before(trec_8: tuple[Qrels, list[Run]], trec_8_archetypes: Archetypes) -> None:
    qrels, runs = trec_8
    once = archetypes(qrels, runs[:3])
    assert list(once.table("runs")) == list(trec_8_archetypes.table("runs"))[:3]


def test_what_evaluate_does_to_grades_is_done_here_too() -> None:
    mapped = rs.read_qrels(str(QRELS)).conflated({3: 1, 2: 1})
    settings: dict[str, Any] = {"grades": {3: 1, 2: 1}}
    found = archetypes(str(QRELS), FILES[:5], **settings)
    assert list(found.table("rankings")) == list(archetypes(mapped, FILES[:5]).table("rankings"))
    condensed = archetypes(str(QRELS), FILES[:5], judged_only=True)
    twist = rs.evaluate(str(QRELS), FILES[:5], "Twist", judged_only=True).to_dict()
    grades = plain_qrels(QRELS)
    runs = {}
    for name, path in zip(condensed.evaluation.runs, RUNS, strict=False):
        full = plain_run(path)
        runs[name] = {t: [d for d in full.get(t, []) if grades[t].get(d, -1) >= 0] for t in grades}
    check(condensed, {name: slow_kinds(run, grades, 1000, 1) for name, run in runs.items()})
    for row in condensed.table("rankings"):
        assert row["Twist"] == twist[str(row["run"])][str(row["topic"])]["Twist"]


def test_progress_and_names() -> None:
    seen: list[tuple[int, int]] = []
    study = archetypes(str(QRELS), FILES[:3], progress=lambda done, of: seen.append((done, of)))
    assert seen == [(1, 3), (2, 3), (3, 3)]
    with pytest.raises(UnknownNameError, match="did you mean excellent A"):
        study.share("excelent A")


def test_the_blocks_of_the_ideal_ranking_are_those_of_the_paper() -> None:
    """The topic of the CRP paper: 3 highly, 3 fairly and 4 partially relevant documents, N = 20."""
    grades = [3] * 3 + [2] * 3 + [1] * 4 + [0] * 10
    qrels = {"7": {f"d{place}": grade for place, grade in enumerate(grades)} | {"pooled": -1}, "8": {"d0": 0, "d1": 2}}
    study = rs.archetypes(qrels, {"mine": {"7": {"d0": 1.0}, "8": {"d0": 1.0}}})
    assert study.table("blocks").columns == {
        "topic": ["7", "7", "7", "7", "8", "8"],
        "grade": [3, 2, 1, 0, 2, 0],
        "documents": [3, 3, 4, 10, 1, 1],
        "first_rank": [1, 4, 7, 11, 1, 2],
        "last_rank": [3, 6, 10, None, 1, None],
    }
    half = rs.archetypes({"1": {"a": 0.5, "b": 1, "c": 2}}, {"mine": {"1": {"a": 1.0}}}, rel=2).table("blocks")
    assert [list(row.values())[1:] for row in half] == [[2, 1, 1, 1], [1, 1, 2, None], [0.5, 1, 2, None]]
