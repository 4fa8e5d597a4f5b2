"""The view of measures: its numbers are those of `correlate`, `evaluate` and `compare`, to the last digit."""

import random
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.program import cli
from rankscale.errors import RankscaleError
from rankscale.figures.correlate import by_similarity
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import Relevance
from rankscale.sample import QRELS
from rankscale.workbench.app import Workbench
from rankscale.workbench.bench import Bench
from rankscale.workbench.serve import MEASURES
from rankscale.workbench.state import State
from rankscale.workbench.views.measures import VIEW
from tests.workbench.conftest import RUNS

Answer = Callable[[str, str], Any]
OTHERS = ("nDCG", "P@5", "RBP(p=0.95)", "ERR@20", "R@100", "AP@10", "DCG@5", "ESL", "RR")
NAMES = [run.name for run in rs.read_runs(QRELS, str(RUNS))]


def random_state(seed: int) -> dict[str, Any]:
    """What a visitor might choose."""
    chance = random.Random(seed)
    listed = chance.sample((*MEASURES, *OTHERS), chance.randint(2, 5))
    maybe = {
        "rel": chance.choice([None, None, 2]),
        "judged": chance.choice([None, None, 1]),
        "missing": chance.choice([None, None, "common"]),
        "depth": chance.choice([None, None, 20]),
        "measures": chance.choice([None, ",".join(listed)]),
        "test": chance.choice([None, "sign", "signed rank"]),
    }
    if maybe["judged"] or maybe["depth"]:  # ties are not known of rankings that were cut
        maybe["measures"] = ",".join(name for name in listed if name != "ESL")
    return {"m": chance.choice(listed[:1]), **{name: value for name, value in maybe.items() if value is not None}}


def measures_of(state: dict[str, Any]) -> list[str]:
    listed = state["measures"].split(",") if "measures" in state else list(MEASURES)
    return list(dict.fromkeys([*listed, state["m"]]))


def evaluated(state: dict[str, Any], measures: Sequence[Any]) -> rs.Evaluation:
    """The same through the front door, from the files."""
    return rs.evaluate(
        QRELS,
        str(RUNS),
        [one if isinstance(one, Measure) else Relevance(state.get("rel")).measure(one) for one in measures],
        depth=state.get("depth"),
        judged_only=bool(state.get("judged")),
        missing=state.get("missing", "zero"),
    )


def in_order(matrix: Any, names: Sequence[str], shown: Sequence[str]) -> list[list[float | None]]:
    places = [list(names).index(name) for name in shown]
    return [
        [None if np.isnan(one) else float(one) for one in row] for row in np.asarray(matrix)[np.ix_(places, places)]
    ]


@pytest.mark.parametrize("seed", range(8))
def test_taus_means_and_places_are_those_of_the_verbs(answer: Answer, seed: int) -> None:
    state = random_state(seed)
    shown = answer("measures", urlencode(state))["data"]
    evaluation = evaluated(state, measures_of(state))
    study = rs.correlate(evaluation, by_topic=False)
    assert sorted(shown["measures"]) == sorted(study.names)
    assert shown["tau"] == in_order(study.overall.matrix, study.names, shown["measures"])
    for side in shown["pair"]:
        assert side["means"] == evaluation[side["measure"]].means().values[0].tolist()
        best = evaluation.sorted_by(side["measure"]).runs
        assert side["places"] == [best.index(run) + 1 for run in shown["runs"]]
    low = {str(one): one.low_is_good for one in evaluation.measures}
    agreement = {
        pair: study.overall.matrix[pair] * (1 if low[study.names[pair[0]]] == low[study.names[pair[1]]] else -1)
        for pair in combinations(range(len(study.names)), 2)
    }
    least = min(agreement, key=lambda pair: agreement[pair])
    assert {side["measure"] for side in shown["pair"]} == {study.names[place] for place in least}
    assert shown["pair_tau"] == pytest.approx(study.overall.matrix[least], abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_intervals_and_flips_are_those_of_the_verbs(answer: Answer, seed: int) -> None:
    state = random_state(seed)
    query = urlencode(state)
    shown, tested = answer("measures", query)["data"], answer("measures", f"{query}&part=tests")["data"]
    evaluation = evaluated(state, measures_of(state))
    study = rs.correlate(evaluation, by_topic=False)
    assert tested["lower"] == in_order(study.overall.lower, study.names, shown["measures"])
    assert tested["upper"] == in_order(study.overall.upper, study.names, shown["measures"])
    test = state.get("test", "student")
    first, second = (verdicts(evaluation[side["measure"]], test) for side in shown["pair"])
    check_flips(tested["flips"], first, second)
    for version in tested["versions"]:
        if "why_not" in version:
            continue
        plain = next(one for one in evaluation.measures if str(one) == version["measure"])
        both = evaluated(state, [plain, rs.Interval(plain)])
        own, interval = (verdicts(both[str(one)], test) for one in both.measures)
        assert version["significant"] == [sum(one[0] != 0 for one in of.values()) for of in (own, interval)]
        assert version["only"][0] == sum(one[0] != 0 and interval[pair][0] == 0 for pair, one in own.items())
        assert version["tau"] == rs.correlate(both, samples=0, by_topic=False).overall.matrix[0, 1]


def verdicts(evaluation: rs.Evaluation, test: str) -> dict[tuple[str, str], tuple[int, float]]:
    """By two runs in the order of their names in the collection: who is significantly better, and p; pair by pair."""
    made: dict[tuple[str, str], tuple[int, float]] = {}
    sign = -1 if evaluation.measures[0].low_is_good else 1
    for row in rs.compare(evaluation, test).rows():
        run, other, p = str(row["run"]), str(row["other"]), float(row["p"])  # type: ignore[arg-type]
        better = sign * (1 if row["difference"] > 0 else -1) if row["significant"] else 0  # type: ignore[operator]
        turned = NAMES.index(run) > NAMES.index(other)
        made[(other, run) if turned else (run, other)] = (-better if turned else better), p
    return made


def check_flips(shown: Any, first: dict[Any, Any], second: dict[Any, Any]) -> None:
    expected = {pair for pair in first if first[pair][0] != second[pair][0]}
    assert shown["pairs"] == len(first)
    assert {tuple(sorted((NAMES[row[0]], NAMES[row[1]]), key=NAMES.index)) for row in shown["listed"]} == expected
    for one, other, by_first, by_second, p, other_p in shown["listed"]:
        pair = tuple(sorted((NAMES[one], NAMES[other]), key=NAMES.index))
        turn = 1 if pair[0] == NAMES[one] else -1
        assert (turn * by_first, turn * by_second) == (first[pair][0], second[pair][0])
        assert (p, other_p) == (first[pair][1], second[pair][1])
        assert (by_first or by_second) == 1  # the better run stands first
    assert shown["reversed"] == sum(first[pair][0] * second[pair][0] < 0 for pair in first)


def test_interval_versions_in_place_of_measures(answer: Answer) -> None:
    shown = answer("measures", "value=interval&m=RBP@10")["data"]
    assert sorted(shown["measures"]) == ["Interval(P@10)", "Interval(RBP@10)", "Interval(RR@10)", "Interval(nDCG@10)"]
    assert {one["measure"]: one["why"] for one in shown["left_out"]} == {
        "AP": "no length is fixed",
        "RBP": "no length is fixed",
        "Twist": "no length is fixed",
    }
    study = rs.correlate(rs.evaluate(QRELS, str(RUNS), shown["measures"]), samples=0, by_topic=False)
    assert shown["tau"] == in_order(study.overall.matrix, study.names, shown["measures"])


def test_a_pair_is_what_the_address_names(answer: Answer) -> None:
    def pair(query: str) -> list[str]:
        return [side["measure"] for side in answer("measures", query)["data"]["pair"]]

    assert pair("pair=AP,P@10") == ["AP", "P@10"]
    assert pair("pair=nDCG@10,Interval(nDCG@10)") == ["nDCG@10", "Interval(nDCG@10)"]
    assert pair("pair=P@10,nDCG@10&value=interval") == ["Interval(P@10)", "Interval(nDCG@10)"]
    # A measure that is not there any more, as its parameter was moved, is the one that is looked at.
    assert pair("m=RBP(p=0.51)&pair=RBP(p=0.5),AP") == ["RBP(p=0.51)", "AP"]
    assert pair("pair=ERR,DCG@7") == pair("")


def test_measures_that_look_at_what_is_not_there_are_left_out(answer: Answer) -> None:
    shown = answer("measures", "measures=AP,P@10,RelRel,RR")["data"]
    assert sorted(shown["measures"]) == ["AP", "P@10", "RR", "nDCG@10"]
    (left,) = shown["left_out"]
    assert left["measure"] == "RelRel"
    assert "without its scores" in left["why"]


def test_one_measure_is_no_comparison(answer: Answer) -> None:
    shown = answer("measures", "m=AP&measures=AP")["data"]
    assert "two measures and two runs" in shown["why_not"]
    assert answer("measures", "m=AP&measures=AP&part=tests")["data"] == {"why_not": shown["why_not"]}


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("measures=AP,nDGC@10", "did you mean nDCG"),
        ("pair=AP,P@10,RR", "pair has 3 names, expected at most 2"),
        ("measures=" + ",".join(f"P@{k}" for k in range(1, 18)), "measures has 17 names, expected at most 16"),
        ("value=both", "value is one of plain, interval"),
        ("pair=AP,XYZ", "XYZ"),
    ],
)
def test_bad_parameters_are_answered_in_words(answer: Answer, query: str, words: str) -> None:
    with pytest.raises(RankscaleError, match=words):
        answer("measures", query)


def test_table_figure_and_command_give_the_same(bench: Bench) -> None:
    named = replace(bench, origin=replace(bench.origin, words=(str(QRELS), str(RUNS))))
    state = named.settled(State.of(parse_qsl("m=RBP(p=0.9)&rel=2&measures=AP,nDCG@10,P@5")))
    workbench = Workbench(named)
    table = workbench._export(VIEW, "tsv", state, lambda _done, _of: None)
    printed = CliRunner().invoke(cli, [*shlex.split(VIEW.command(named, state))[1:], "--format", "tsv"])
    assert printed.exit_code == 0, printed.stderr
    assert printed.stdout.encode() == table
    assert table.startswith(b"measure\tother\tvalue\tlower\tupper\tp\treading\n")
    assert workbench._export(VIEW, "svg", state, lambda _done, _of: None).startswith(b"<svg")
    assert workbench._export(VIEW, "pdf", state, lambda _done, _of: None).startswith(b"%PDF")


def test_measures_that_agree_stand_together() -> None:
    agreement = np.array([[1, 0.1, 0.9, np.nan], [0.1, 1, 0.2, 0.95], [0.9, 0.2, 1, 0.3], [np.nan, 0.95, 0.3, 1]])
    assert by_similarity(agreement) == [0, 2, 3, 1] or by_similarity(agreement) == [1, 3, 2, 0]
