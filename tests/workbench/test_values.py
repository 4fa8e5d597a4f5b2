"""Numbers of the workbench are those of `evaluate`, `compare` and `curves`, to the last digit, in random states."""

import csv
import random
import shlex
from collections.abc import Callable
from functools import cache
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.program import cli
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.measures.base.parser import Relevance
from rankscale.sample import QRELS
from tests.workbench.conftest import RUNS

Answer = Callable[[str, str], Any]
MEASURES = (
    "AP",
    "nDCG@10",
    "nDCG",
    "RBP(p=0.85)",
    "P@5",
    "RR",
    "Twist",
    "ERR@20",
    "Bpref",
    "R@100",
    "Interval(P@5)",
    "ESL",
)
TESTS = ("student", "sign", "signed rank", "randomisation")
NAMES = [run.name for run in rs.read_runs(QRELS, str(RUNS))]
TOPICS = rs.read_qrels(QRELS).topics


def random_state(seed: int) -> dict[str, Any]:
    """What a visitor might choose."""
    chance = random.Random(seed)
    a, b = chance.sample(NAMES, 2)
    maybe = {
        "rel": chance.choice([None, None, 2]),
        "depth": chance.choice([None, None, 7, 50]),
        "judged": chance.choice([None, None, 1]),
        "missing": chance.choice([None, None, "common"]),
        "test": chance.choice(TESTS) if seed % 4 == 0 else None,
        "topics": ",".join(chance.sample(TOPICS, chance.randint(3, 20))) if chance.random() < 0.5 else None,
        "baseline": chance.choice([None, None, *NAMES]),
    }
    chosen = {name: value for name, value in maybe.items() if value is not None}
    return {"m": chance.choice(MEASURES), "a": a, "b": b, "topic": chance.choice(TOPICS), **chosen}


@cache
def read(depth: int | None) -> tuple[Qrels, list[Run]]:
    """The files, read once for each depth at which rankings are cut."""
    qrels = rs.read_qrels(QRELS)
    return qrels, rs.read_runs(qrels, str(RUNS), depth=depth)


def evaluated(state: dict[str, Any]) -> rs.Evaluation:
    """The same through the front door, of runs that were read so."""
    return rs.evaluate(
        *read(state.get("depth")),
        Relevance(state.get("rel")).measure(state["m"]),
        depth=state.get("depth"),
        judged_only=bool(state.get("judged")),
        missing=state.get("missing", "zero"),
    )


def same(shown: list[float | None], values: Any) -> None:
    """Equal in every bit; null stands for what is undefined or infinite."""
    expected = [value if np.isfinite(value) else None for value in np.asarray(values, dtype=float).tolist()]
    assert shown == expected


def check(answer: Answer, seed: int) -> None:
    state = random_state(seed)
    query = urlencode(state)
    if state["m"] == "ESL" and (state.get("judged") or state.get("depth")):
        return  # ties are not known of rankings that were cut
    evaluation = evaluated(state)
    measure = evaluation.measures[0]
    check_overview(answer, query, evaluation.sorted_by(measure), state)
    check_compare(answer, query, evaluation, state)
    check_ranking(answer, query, evaluation, state)


@pytest.mark.parametrize("measure", MEASURES)
def test_every_measure_has_the_means_that_evaluate_gives(measure: str, answer: Answer) -> None:
    state = {"m": measure, "a": NAMES[0], "b": NAMES[1], "topic": TOPICS[0]}
    shown = answer("overview", urlencode(state))["data"]
    evaluation = evaluated(state)
    same(shown["means"], evaluation.sorted_by(evaluation.measures[0]).means().values[0])


def check_overview(answer: Answer, query: str, ordered: rs.Evaluation, state: dict[str, Any]) -> None:
    shown = answer("overview", query)["data"]
    assert tuple(shown["runs"]) == ordered.runs
    same(shown["means"], ordered.means().values[0])
    assert shown["topics"] == ordered.means().counted[0].tolist()
    tested = answer("overview", f"{query}&part=tests")["data"]
    best = state.get("baseline", ordered.runs[0])
    if "why_not" in tested:
        return
    comparison = rs.compare(ordered, state.get("test", "student"), baseline=state.get("baseline"))
    by_run = dict(zip(tested["runs"], tested["against_best"], strict=True))
    assert by_run[best] is None
    rows: list[Any] = [row for row in comparison.rows() if best in {row["run"], row["other"]}]
    assert len(rows) == len(ordered.runs) - 1
    for row in rows:
        other = row["run"] if row["other"] == best else row["other"]
        assert by_run[str(other)]["p"] == (None if np.isnan(row["p"]) else row["p"])
        assert abs(by_run[str(other)]["difference"]) == abs(row["difference"])
    sure = rs.ranking_confidence(ordered)
    same(tested["place_lower"], sure.place_lower[0])
    same(tested["first"], sure.first[0])


def check_compare(answer: Answer, query: str, evaluation: rs.Evaluation, state: dict[str, Any]) -> None:
    measure = evaluation.measures[0]
    shown = answer("compare", query)["data"]
    for side in "ab":
        values = evaluation.by_topic(state[side], measure)
        same(shown[f"{side}_values"], [values[topic] for topic in shown["topics"]])
    pair = evaluation.of_runs([state["b"], state["a"]])
    parts = {"all": pair}
    if "topics" in state:
        parts["brushed"] = pair.of_topics(state["topics"].split(","))
    for name, of in parts.items():
        test = shown[name]["test"]
        if test is None:
            assert shown[name]["untested"]
            continue
        comparison = rs.compare(of, state.get("test", "student"), "none", baseline=state["b"])
        assert test["p"] == (None if np.isnan(comparison.p[0]) else comparison.p[0])
        assert test["differs"] == bool(comparison.significant[0])
        assert abs(test["difference"]) == abs(comparison.results.difference[0])


def check_ranking(answer: Answer, query: str, evaluation: rs.Evaluation, state: dict[str, Any]) -> None:
    if evaluation.topics_rule == "common":
        return
    shown = answer("ranking", query)["data"]
    measure = evaluation.measures[0]
    place = shown["measures"].index(str(measure))
    for side in "ab":
        same(shown["values"][side][place : place + 1], [evaluation.by_topic(state[side], measure)[state["topic"]]])


@pytest.mark.parametrize("seed", range(24))
def test_numbers_of_the_workbench_are_those_of_the_verbs(answer: Answer, seed: int) -> None:
    check(answer, seed)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(24, 224))
def test_numbers_of_two_hundred_states(answer: Answer, seed: int) -> None:
    check(answer, seed)


@pytest.mark.parametrize("topic", ["101", "120", "137"])
@pytest.mark.parametrize("run", ["bm25", "manual"])
def test_curves_of_a_ranking_are_those_of_the_verb(answer: Answer, topic: str, run: str) -> None:
    other = "ql" if run != "ql" else "bm25"
    shown = answer("ranking", urlencode({"topic": topic, "a": run, "b": other, "shown": 40}))["data"]["sides"]["a"]
    traced = rs.curves(QRELS, str(RUNS), ["CRP", "DCG(base=2)"], depth=1000)
    for name, measure in (("CRP", "CRP"), ("DCG", "DCG(base=2)")):
        values = np.asarray(traced.by_topic(run, measure)[topic][:40])
        np.testing.assert_allclose(np.array(shown["curves"][name]), values, rtol=1e-15, atol=0)


def test_what_if_another_judgment(answer: Answer) -> None:
    """Values after a change are those of `evaluate` with the changed judgments."""
    before = answer("ranking", "topic=101&a=bm25&b=ql&m=AP")["data"]
    documents = before["sides"]["a"]["documents"]
    changed = {documents[0]: 3.0, documents[4]: 0.0}
    query = urlencode(
        {"topic": "101", "a": "bm25", "b": "ql", "m": "AP", "judge": ",".join(f"{d}:{g:g}" for d, g in changed.items())}
    )
    after = answer("ranking", query)["data"]
    qrels = {topic: rs.read_qrels(QRELS).grades(topic) for topic in TOPICS}
    qrels["101"] |= changed
    again = rs.evaluate(qrels, str(RUNS), after["measures"])
    for side, run in (("a", "bm25"), ("b", "ql")):
        expected = [again.by_topic(run, measure)["101"] for measure in after["measures"]]
        assert after["changed_values"][side] == expected
        assert after["values"][side] == before["values"][side]
    assert after["changed_values"]["a"] != after["values"]["a"]


def test_what_if_two_documents_change_places(answer: Answer) -> None:
    before = answer("ranking", "topic=101&a=bm25&b=ql&m=P@1")["data"]
    first, second = before["sides"]["a"]["documents"][:2]
    after = answer("ranking", "topic=101&a=bm25&b=ql&m=P@1&swap=a1-2")["data"]
    assert after["sides"]["a"]["documents"][:2] == [second, first]
    grades = dict(zip(before["sides"]["a"]["documents"], before["sides"]["a"]["grades"], strict=True))
    assert after["changed_values"]["a"][0] == float((grades[second] or 0) >= 1)
    assert after["changed_values"]["b"] == after["values"]["b"]


def test_relevant_documents_of_two_rankings_are_counted(answer: Answer) -> None:
    shown = answer("ranking", "topic=110&a=manual&b=bm25&rel=2")["data"]
    relevant = {document for document, grade in rs.read_qrels(QRELS).grades("110").items() if grade >= 2}
    there = {}
    for name in ("manual", "bm25"):
        run = next(one for one in rs.read_runs(QRELS, str(RUNS), keep_documents=True) if one.name == name)
        assert run.documents is not None
        there[name] = relevant & set(run.documents[run.rows.tolist().index(TOPICS.index("110"))])
    a, b = there["manual"], there["bm25"]
    assert shown["retrieved"] == {"a": len(a), "b": len(b), "only_a": len(a - b), "only_b": len(b - a)}


def test_lists_are_those_of_the_files(answer: Answer) -> None:
    shown = answer("ranking", "topic=110&a=manual&b=bm25&shown=200")["data"]["sides"]
    for side, name in (("a", "manual"), ("b", "bm25")):
        run = next(one for one in rs.read_runs(QRELS, str(RUNS), keep_documents=True) if one.name == name)
        assert run.documents is not None
        names = run.documents[run.rows.tolist().index(TOPICS.index("110"))]
        assert tuple(shown[side]["documents"]) == names[:200]
        grades = rs.read_qrels(QRELS).grades("110")
        assert shown[side]["grades"] == [grades.get(document) for document in names[:200]]


@pytest.mark.parametrize(
    "state", ["m=AP", "m=P@10&baseline=bm25&test=sign", "m=nDCG@10&judged=1&depth=20&missing=common"]
)
def test_commands_of_the_overview_print_all_that_it_shows(answer: Answer, state: str) -> None:
    """Means, intervals and places, p-values against the best run or the baseline, and the share of judged documents."""
    shown, tests = answer("overview", state), answer("overview", f"{state}&part=tests")["data"]
    data, frame = shown["data"], shown["frame"]

    def printed(command: str, *words: str) -> list[dict[str, str]]:
        line = [str(QRELS) if word == "QRELS" else word for word in shlex.split(command)[1:] if word != "RUN..."]
        made = CliRunner().invoke(cli, [line[0], line[1], str(RUNS), *line[2:], "--format", "tsv", *words])
        assert made.exit_code == 0, made.output
        return list(csv.DictReader(made.stdout.splitlines(), delimiter="\t"))

    measure = frame["measure"]["text"]
    means = {row["run"]: row for row in printed(frame["command"]) if row["measure"] == measure}
    pairs = printed(frame["more_commands"]["Differences, p-values and groups"])
    judged = printed(frame["more_commands"]["Judged documents"])
    by_pair = {frozenset((row["run"], row["other"])): row for row in pairs}
    for place, run in enumerate(data["runs"]):
        assert float(means[run]["value"]) == data["means"][place]
        assert [float(means[run][name]) for name in ("mean_lower", "mean_upper")] == tests["intervals"][place]
        for name in ("place", "place_lower", "place_upper"):
            assert float(means[run][name]) == tests[name][place]
        one = tests["against_best"][place]
        if one is not None:
            row = by_pair[frozenset((run, tests["best"]))]
            assert float(row["p"]) == one["p"]
            assert abs(float(row["difference"])) == abs(one["difference"])
    assert {row["run"]: float(row["value"]) for row in judged} == dict(zip(data["runs"], data["judged"], strict=True))
