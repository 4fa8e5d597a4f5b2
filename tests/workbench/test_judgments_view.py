"""The view of judgments: its numbers are those of `bounds`, `pool`, `pool_orders` and `next_judgments`."""

import json
import random
import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode

import numpy as np
import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.program import cli
from rankscale.errors import RankscaleError
from rankscale.figures.bounds import DEPTHS_DRAWN, GRID_DRAWN
from rankscale.measures.base.parser import Relevance
from rankscale.sample import QRELS
from rankscale.workbench.app import Workbench
from rankscale.workbench.bench import Bench
from rankscale.workbench.serve import open_bench
from rankscale.workbench.state import State
from rankscale.workbench.views.judgments import VIEW, _bounds_command, _pool_command, bounded
from tests.workbench.conftest import RUNS

Answer = Callable[[str, str], Any]
NAMES = [run.name for run in rs.read_runs(QRELS, str(RUNS))]


def random_state(seed: int) -> dict[str, Any]:
    """What a visitor might choose."""
    chance = random.Random(seed)
    a, b = chance.sample(NAMES, 2)
    maybe = {
        "rel": chance.choice([None, None, 2]),
        "missing": chance.choice([None, None, "common"]),
        "weigh": chance.choice([None, "RBP(p=0.9)", "P@10", "DCG@20", "RBP(p=0.5,rel=2)"]),
        "pool": chance.choice([None, 1, 4, 10, 25]),
        "cost": chance.choice([None, 1, 25]),
    }
    chosen = {name: value for name, value in maybe.items() if value is not None}
    return {"m": chance.choice(["AP", "RBP(p=0.75)", "nDCG@10", "P@5"]), "a": a, "b": b, **chosen}


def weighed(state: dict[str, Any]) -> Any:
    """The measure of bounds: the one named, else that of the view, else RBP."""
    text = state.get("weigh") or (state["m"] if state["m"] in {"RBP(p=0.75)", "P@5"} else "RBP")
    return Relevance(state.get("rel")).measure(text)


def evaluated(qrels: Any, state: dict[str, Any], measures: Any, **options: Any) -> rs.Evaluation:
    return rs.evaluate(qrels, str(RUNS), measures, missing=state.get("missing", "zero"), **options)


@pytest.mark.parametrize("seed", range(8))
def test_bounds_are_those_of_the_verbs(answer: Answer, seed: int) -> None:
    state = random_state(seed)
    shown = answer("judgments", urlencode(state))["data"]
    measure = weighed(state)
    assert shown["bounds"]["measure"] == str(measure)
    evaluation = evaluated(QRELS, state, measure, bounds=True).sorted_by(measure)
    means = evaluation.extra_means()
    assert shown["runs"]["names"] == list(evaluation.runs)
    assert shown["runs"]["means"] == evaluation.means().values[0].tolist()
    assert shown["runs"]["lower"] == means["lower"][0].tolist()
    assert shown["runs"]["upper"] == means["upper"][0].tolist()
    depths = shown["by_depth"]["across"]
    assert depths == [depth for depth in DEPTHS_DRAWN if depth <= 200]  # as long as the rankings of the sample
    whole = answer("judgments", urlencode({**state, "part": "tests"}))["data"]["by_depth"]
    by_depth = evaluated(QRELS, state, [replace(measure, depth=depth) for depth in depths], bounds=True)
    for part in (shown["by_depth"], whole):
        for row, run in enumerate(part["runs"]):
            for side in ("lower", "upper"):
                assert part[side][row] == by_depth.extra_means()[side][:, by_depth.runs.index(run)].tolist()
    assert sorted(whole["runs"]) == sorted(NAMES)


@pytest.mark.parametrize("p", [0.5, 0.83])
def test_bounds_of_rbp_are_those_of_the_study(answer: Answer, p: float) -> None:
    shown = answer("judgments", f"weigh=RBP(p={p})&a=manual&b=bm25")["data"]
    study = rs.bounds(QRELS, str(RUNS), p, depths=DEPTHS_DRAWN, grid=GRID_DRAWN, pool_depths=(), accuracy=())
    places = [study.evaluation.runs.index(run) for run in shown["named"]]
    assert {"manual", "bm25"} <= set(shown["named"])
    for bound, side in enumerate(("lower", "upper")):
        kept = len(shown["by_depth"]["across"])
        assert shown["by_depth"][side] == study.by_depth[bound, 0, 0, :kept, places].tolist()
        grid = [study.request.grid.index(one) for one in shown["by_p"]["across"]]
        assert shown["by_p"][side] == study.by_p[bound, 0][grid][:, places].T.tolist()


@pytest.mark.parametrize("seed", range(8))
def test_values_with_a_pool_are_those_of_the_verbs(answer: Answer, seed: int) -> None:
    state = {"pool": 3, **random_state(seed)}
    if seed % 3 == 0:
        state |= {"judged": 1}
    shown = answer("judgments", urlencode(state))["data"]["pool"]
    measure = Relevance(state.get("rel")).measure(state["m"])
    pool = rs.pool(QRELS, str(RUNS), state["pool"])
    full, fewer = (
        evaluated(qrels, state, measure, judged_only=bool(state.get("judged"))).means().values[0]
        for qrels in (rs.read_qrels(QRELS), pool.qrels)
    )
    assert shown["runs"] == NAMES
    np.testing.assert_allclose(shown["full"], full, rtol=1e-15)
    np.testing.assert_allclose(shown["pool"], fewer, rtol=1e-15)
    assert shown["judged"] == int((pool.pooled & pool.whole.is_judged).sum())
    assert shown["of_judged"] == int(pool.whole.is_judged.sum())
    options = {"missing": state.get("missing", "zero"), "judged_only": bool(state.get("judged"))}
    orders = rs.pool_orders(QRELS, str(RUNS), measure, pool_depths=[state["pool"]], **options)
    assert shown["tau"] == orders.correlation[0, 0, 0]
    order = sorted(range(len(NAMES)), key=lambda run: (-shown["pool"][run], run))
    assert [shown["pool_places"][run] for run in order] == list(range(1, len(NAMES) + 1))


def test_tau_by_depth_is_that_of_the_study(answer: Answer) -> None:
    steps = answer("judgments", "m=AP")["data"]["pool"]["steps"]
    shown = answer("judgments", "m=AP&part=tests")["data"]["taus"]
    orders = rs.pool_orders(QRELS, str(RUNS), "AP", pool_depths=steps)
    assert [one["depth"] for one in shown] == steps
    assert [one["tau"] for one in shown] == orders.correlation[0, :, 0].tolist()
    assert [one["judged"] for one in shown] == [rs.pool(QRELS, str(RUNS), depth).qrels.judgments for depth in steps]


@pytest.mark.parametrize("seed", range(6))
def test_documents_to_judge_are_those_of_the_study(answer: Answer, seed: int) -> None:
    state = random_state(seed)
    shown = answer("judgments", urlencode({**state, "part": "tests"}))["data"]["next"]
    measure = weighed(state)
    study = rs.next_judgments(
        QRELS, str(RUNS), state.get("cost", 10), weight=measure, missing=state.get("missing", "zero")
    )
    listed = [dict(row) for row in study.table("next")]
    assert [{name: row[name] for name in listed[0]} for row in shown["rows"]] == listed
    assert shown["sentence"] == study.sentence()
    assert shown["residual"] == study.before.mean(axis=1).mean()
    ranks = ranks_of(shown["rows"][0]["topic"], shown["rows"][0]["document"])
    assert dict(shown["rows"][0]["best"]).items() <= ranks.items()
    assert shown["rows"][0]["best"][0][1] == min(ranks.values()) == shown["rows"][0]["best_rank"]
    assert (shown["rows"][0]["a"], shown["rows"][0]["b"]) == (ranks.get(state["a"]), ranks.get(state["b"]))


def ranks_of(topic: str, document: str) -> dict[str, int]:
    """Where each run of the files has a document."""
    qrels = rs.read_qrels(QRELS)
    row = qrels.topics.index(topic)
    found: dict[str, int] = {}
    for run in rs.read_runs(qrels, str(RUNS), keep_documents=True):
        assert run.documents is not None
        names = run.documents[run.rows.tolist().index(row)] if row in run.rows.tolist() else ()
        if document in names:
            found[run.name] = names.index(document) + 1
    return found


def test_a_measure_without_bounds_says_why_and_rbp_stands_in(answer: Answer) -> None:
    shown = answer("judgments", "m=AP")["data"]["bounds"]
    assert shown["measure"] == "RBP"
    assert shown["why"].startswith("AP has no bounds: the recall base is used")
    named = answer("judgments", "m=P@5&weigh=nDCG@10")["data"]["bounds"]
    assert (named["measure"], named["why"][:7]) == ("P@5", "nDCG@10")
    no_sum = answer("judgments", "weigh=RR@10&part=tests")["data"]["next"]
    assert "a sum over ranks" in no_sum["why_not"]


def test_many_rankings_are_looked_at_less_deep(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankscale.workbench.documents.MOST_NAMES", 24 * 50 * 12)
    bench = open_bench(str(QRELS), str(RUNS))
    state = bench.settled(State(weigh="RBP(p=0.9)", cost=7, part="tests"))
    shown: Any = VIEW.data(bench, state, None)["next"]
    study = rs.next_judgments(QRELS, str(RUNS), 7, weight="RBP(p=0.9)", depth=12)
    assert (shown["depth"], shown["sentence"]) == (12, study.sentence())
    assert "--pool-depth 12" in VIEW.command(bench, state)
    assert all(len(names) <= 12 for run in bench.documented() for names in run.documents or ())


def test_runs_without_documents_are_told_in_words() -> None:
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 1}}
    runs = {"x": {"1": {"a": 2, "z": 1}, "2": {"c": 1}}, "y": {"1": {"z": 2, "b": 1}, "2": {"d": 1}}}
    judged = rs.read_qrels(qrels)
    for given, words in ((runs, None), (rs.read_runs(judged, runs), "read without the names of its documents")):
        bench = open_bench(judged, given, "P@1")
        shown: Any = VIEW.data(bench, bench.settled(State(part="tests")), None)["next"]
        if words:
            assert words in shown["why_not"]
        else:
            assert [(row["topic"], row["document"]) for row in shown["rows"]] == [("1", "z"), ("2", "d")]


def test_several_runs_in_one_file(tmp_path: Any) -> None:
    lines = [f"{run},{topic},d{number},{9 - number}" for run in "xy" for topic in "12" for number in range(3)]
    lines[-1] = "y,2,other,20"
    (tmp_path / "both.csv").write_text("\n".join(["run,topic,document,score", *lines, ""]), encoding="utf-8")
    bench = open_bench({"1": {"d0": 1}, "2": {"d1": 1}}, str(tmp_path / "both.csv"), "P@1")
    x, y = bench.documented()
    assert x.documents == (("d0", "d1", "d2"), ("d0", "d1", "d2"))
    assert y.documents == (("d0", "d1", "d2"), ("other", "d0", "d1"))


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("pool=deep", "pool is a whole number from 0 to 100000, got 'deep'"),
        ("cost=0", "cost is a whole number from 1 to 1000, got '0'"),
        ("weigh=RPB", "did you mean"),
        ("weigh=RBP(p=2)", "p must"),
        ("weigh=" + "x" * 201, "weigh has 201 letters"),
    ],
)
def test_bad_parameters_are_answered_in_words(answer: Answer, query: str, words: str) -> None:
    with pytest.raises(RankscaleError, match=words):
        answer("judgments", query)


@pytest.fixture
def named(bench: Bench) -> Bench:
    """The sample, with the words of a command line that can be run."""
    return replace(bench, origin=replace(bench.origin, words=(str(QRELS), str(RUNS))))


def printed(command: str, *words: str) -> str:
    made = CliRunner().invoke(cli, [*shlex.split(command)[1:], *words])
    assert made.exit_code == 0, made.stderr
    return made.stdout


def test_table_list_figure_and_command_give_the_same(named: Bench) -> None:
    state = named.settled(State.of(parse_qsl("weigh=RBP(p=0.7)&cost=12&rel=2&missing=common")))
    workbench = Workbench(named)

    def export(ending: str) -> bytes:
        return workbench._export(VIEW, ending, state, lambda _done, _of: None)

    table = export("tsv")
    assert printed(VIEW.command(named, state), "--format", "tsv").encode() == table
    pairs = [line.split("\t")[:2] for line in table.decode().splitlines()[1:]]
    assert len(pairs) == 12
    assert export("txt").decode().splitlines() == [" ".join(pair) for pair in pairs]
    assert export("svg").startswith(b"<svg")
    assert export("pdf").startswith(b"%PDF")


def test_commands_of_the_parts_give_the_same(named: Bench, answer: Answer) -> None:
    state = named.settled(State.of(parse_qsl("m=AP&weigh=RBP(p=0.7)&rel=2&pool=4&judged=1")))
    shown = answer("judgments", "m=AP&weigh=RBP(p=0.7)&rel=2&pool=4&judged=1")["data"]
    rows = [line.split("\t") for line in printed(shown_command(named, state), "--format", "tsv").splitlines()[1:]]
    run, at = shown["named"][0], shown["by_depth"]["across"].index(10)
    (row,) = [one for one in rows if one[0] == run and one[3] == "10"]
    assert [float(cell) for cell in row[4:6]] == [shown["by_depth"][side][0][at] for side in ("lower", "upper")]
    orders = printed(_pool_command(named, state), "--table", "pairs", "--format", "tsv").splitlines()
    assert float(orders[1].split("\t")[4]) == shown["pool"]["tau"]


def shown_command(named: Bench, state: State) -> str:
    return _bounds_command(named, state, Relevance(state.rel).measure(state.weigh))


def test_what_is_open_is_parted_into_unjudged_documents_and_empty_ranks() -> None:
    """Of P@4: a run with an unjudged document and two ranks never filled, one all judged, and one without a topic."""
    qrels = {"1": {"a": 1, "b": 0, "c": 0, "d": 1}, "2": {"a": 1, "b": 0}}
    runs = {
        "short": {"1": {"a": 3.0, "new": 2.0}, "2": {"a": 2.0, "b": 1.0}},
        "full": {topic: {name: 9.0 - place for place, name in enumerate("abcd")} for topic in ("1", "2")},
        "lacks": {"1": {name: 9.0 - place for place, name in enumerate("dcba")}},
    }
    made = Workbench(open_bench(qrels, runs))
    shown = json.loads(made.json(VIEW, State.of(parse_qsl("m=P@4")), lambda _done, _of: None))["data"]["runs"]
    by_name = {
        name: (lower, upper, documents)
        for name, lower, upper, documents in zip(
            shown["names"], shown["lower"], shown["upper"], shown["of_documents"], strict=True
        )
    }
    # short: topic 1 has 1 of 4 relevant, 1 unjudged, 2 empty; topic 2 has 1 relevant and 2 empty.
    assert by_name["short"] == (0.25, 0.25 + (3 + 2) / 4 / 2, 1 / 4 / 2)
    # full: topic 2 has c and d, which nobody judged there.
    assert by_name["full"] == ((2 / 4 + 1 / 4) / 2, (2 / 4 + 3 / 4) / 2, (2 / 4) / 2)
    # lacks: nothing of topic 2, where four ranks are empty and no document can be judged.
    assert by_name["lacks"] == ((2 / 4) / 2, (2 / 4 + 1) / 2, 0.0)


@pytest.mark.parametrize("weigh", ["RBP(p=0.8)", "RBP(p=0.95)@20", "P@30", "DCG@50"])
def test_what_judging_settles_is_gone_once_all_that_was_retrieved_is_judged(weigh: str) -> None:
    """Judged by the verb itself, with every retrieved document judged in some way."""
    chance = random.Random(weigh)
    topics = [str(number) for number in range(6)]
    qrels = {topic: {f"d{place}": chance.choice([0, 0, 1, 2]) for place in range(12)} for topic in topics}
    runs = {
        name: {
            topic: {f"d{place}": chance.random() for place in chance.sample(range(40), chance.choice([3, 15, 40]))}
            for topic in topics[: chance.choice([4, 6])]
        }
        for name in ("x", "y", "z")
    }
    made = bounded(open_bench(qrels, runs), State(), [rs.parse(weigh)], None, None)
    documents = made.of_documents()
    assert documents is not None
    retrieved = {topic: {name for run in runs.values() for name in run.get(topic, {})} for topic in topics}
    complete = {
        topic: {**{name: chance.choice([0, 1, 2]) for name in sorted(retrieved[topic])}, **qrels[topic]}
        for topic in topics
    }
    after = rs.evaluate(complete, runs, weigh, bounds=True).extra_means()
    (lower,), (upper,) = made.ends()
    np.testing.assert_allclose(upper - lower - documents[0], (after["upper"] - after["lower"])[0], atol=1e-12)
