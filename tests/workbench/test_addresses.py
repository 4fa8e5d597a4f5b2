"""Every address, with parameters that are right, wrong or absent: nothing ends in an error of the server, and an answer
that is kept is the answer that would be made anew."""

from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

import rankscale as rs
from rankscale.workbench import app
from rankscale.workbench.app import TYPES, VIEWS, Workbench
from rankscale.workbench.serve import open_bench
from rankscale.workbench.state import State
from tests.workbench.conftest import TOKEN
from tests.workbench.made_up import collection

Get = Callable[[str], Any]
PARTS = [f"/{view}.{ending}" for view in VIEWS for ending in TYPES]
OTHERS = [
    "/topic/1",
    "/topic/",
    "/topic/none",
    "/document.json",
    "/openapi.json",
    "/qrels.txt",
    "/nothing",
    "/assets/x",
]
ADDRESSES = [*(view.path for view in VIEWS.values()), *PARTS, *OTHERS]
WRONG = ["x", "-1", "1e400", "nan", "9" * 40, "%00", "%ff", "a:b,c", '"']
MEASURES = ["AP", "nDCG@10", "ERR", "Twist"]
CLOSE = (0.123456, 0.1234567, 0.12345673, 0.1234573)  # the same with six digits


def client(**options: Any) -> TestClient:
    """Somebody who has come with the token; the last topic is only in one of three runs, and grades are close."""
    qrels, runs, groups = collection(6)
    qrels["6"] = dict(zip(qrels["6"], [*CLOSE, 2, 1, 0, -1, 0, 0, 0, 0], strict=True))
    del runs["late"]["6"], runs["middling"]["6"]
    bench = open_bench(qrels, runs, MEASURES, groups=groups, **options)
    made = TestClient(
        Workbench(bench).application(token=TOKEN, hosts=frozenset({"testserver"}), cookie="rankscale"),
        raise_server_exceptions=False,
    )
    made.get(f"/?token={TOKEN}")
    return made


@pytest.fixture(scope="module")
def get() -> Iterator[Get]:
    """An answer of a workbench that stays open, so that answers are kept; none is cut short."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(app, "WAIT", 600.0)
        patch.setattr(app, "FIRST_WAIT", 600.0)
        yield client().get


@pytest.mark.parametrize("address", ADDRESSES)
def test_no_address_fails_without_parameters(get: Get, address: str) -> None:
    made = get(address)
    assert made.status_code < 500, made.text
    if made.status_code >= 400 and address in PARTS:
        assert made.json()["error"]


@pytest.mark.parametrize("ending", ["tsv", "svg", "pdf"])
def test_without_a_topic_the_one_that_the_page_shows_is_exported(get: Get, ending: str) -> None:
    topic = get("/ranking.json").json()["data"]["topic"]
    made = get(f"/ranking.{ending}")
    assert made.status_code == 200
    assert made.content == get(f"/ranking.{ending}?topic={topic}").content


@pytest.mark.parametrize("name", [*(one.name for one in fields(State)), "unknown", "name"])
def test_no_wrong_parameter_is_an_error_of_the_server(get: Get, name: str) -> None:
    for address in (*(f"/{view}.json" for view in VIEWS), "/ranking.tsv", "/ranking", "/qrels.txt", "/document.json"):
        for value in WRONG:
            made = get(f"{address}?{name}={quote(value, safe='%')}")
            assert made.status_code < 500, (address, value, made.text)


EXTREMES = [
    "m=ERR&judge={d}:1000000",
    "m=nDCG@10&judge={d}:1000000",
    "m=RR@2147483648",
    "m=RBP(p=0.999999)&rel=-1000000",
    "m=ERR&rel=1000000",
    "m=DCG(gains=exponential)&judge={d}:1000000",
    "missing=common&topics=6",
    "depth=1000000&shown=1000",
    "topics=6&test=student",
    "pool=100000&weigh=RR@2147483648",
    "rel=0",
]


@pytest.mark.parametrize("query", EXTREMES)
def test_no_extreme_is_an_error_of_the_server(get: Get, query: str) -> None:
    document = next(iter(collection(6)[0]["6"]))
    for view in VIEWS:
        for part in ("values", "tests"):
            made = get(f"/{view}.json?topic=6&part={part}&{query.format(d=document)}")
            assert made.status_code < 500, (view, part, made.text)


def test_judgments_are_written_exactly(get: Get) -> None:
    document = next(iter(collection(6)[0]["6"]))
    made = get(f"/qrels.txt?topic=6&judge={document}:999999.0625,new:0.1234567")
    assert made.status_code == 200
    grades = rs.read_qrels(made.content).grades("6")
    assert (grades[document], grades["new"]) == (999999.0625, 0.1234567)
    assert {grades[name] for name in grades} >= set(CLOSE[1:])
    gone = ",".join(f"{name}:-" for name in collection(6)[0]["6"])
    assert get(f"/qrels.txt?topic=6&judge={gone}").content == b""


@pytest.mark.parametrize("name", ["x%0A1%200%20planted", "a%20b", "a%09b", "%00", "%C2%A0 x"])
def test_a_name_that_qrels_cannot_hold_plants_no_judgment(get: Get, name: str) -> None:
    made = get(f"/qrels.txt?topic=6&judge={quote(name, safe='')}:1")
    assert made.status_code == 400
    assert "cannot be written to TREC qrels" in made.json()["error"]


def test_bounds_by_conditional_rbp_are_those_of_the_command_that_is_shown(get: Get) -> None:
    """Its users read on with two probabilities, so that neither `rankscale bounds` nor the slider of p has it."""
    made = get(f"/judgments.json?m={quote('RBP(p=0.5,otherwise=0.8)')}").json()["data"]
    assert (made["bounds"]["measure"], made["bounds"]["p"]) == ("RBP(p=0.5,otherwise=0.8)", None)
    assert "rankscale evaluate" in made["commands"]["bounds"]
    assert "-m 'RBP(p=0.5,otherwise=0.8)' --bounds" in made["commands"]["bounds"]
    qrels, runs, _ = collection(6)
    del runs["late"]["6"], runs["middling"]["6"]
    qrels["6"] = dict(zip(qrels["6"], [*CLOSE, 2, 1, 0, -1, 0, 0, 0, 0], strict=True))
    means = rs.evaluate(qrels, runs, "RBP(p=0.5,otherwise=0.8)").means()
    shown = dict(zip(made["runs"]["names"], made["runs"]["means"], strict=True))
    assert shown == {name: pytest.approx(means[name, "RBP(p=0.5,otherwise=0.8)"]) for name in runs}
    plain = get("/judgments.json?m=RBP(p=0.5)").json()["data"]
    assert plain["bounds"]["p"] == 0.5
    assert "rankscale bounds" in plain["commands"]["bounds"]


def test_close_thresholds_have_answers_of_their_own(get: Get) -> None:
    relevant = [get(f"/ranking.json?topic=6&rel={rel!r}").json()["data"]["relevant"] for rel in CLOSE]
    assert relevant == [6, 5, 4, 3]
    assert [get(f"/ranking.json?topic=6&rel={rel!r}").json()["state"]["rel"] for rel in CLOSE] == list(map(repr, CLOSE))
    assert f"--rel {CLOSE[2]!r}" in get(f"/overview.json?rel={CLOSE[2]!r}").json()["frame"]["command"]


def test_a_threshold_of_zero_is_not_taken_for_none(get: Get) -> None:
    made = get("/ranking.json?topic=6&rel=0").json()["data"]
    assert made["relevant_from"] == 0
    assert made["relevant"] == 11


close = st.sampled_from([*CLOSE, 0.0, 1.0, 2.0])
runs = st.sampled_from(["", "early", "middling", "late"])
measures = st.sampled_from(
    ["", "AP", "P@5", "P@6", "RBP(p=0.8)", "RBP(p=0.80000001)", "nDCG(gains=[0,1,3])@10", "AP(rel=2)"]
)
states = st.builds(
    State,
    m=measures,
    rel=st.none() | close,
    judged=st.booleans(),
    depth=st.none() | st.sampled_from([1, 5, 6]),
    missing=st.sampled_from(["zero", "common"]),
    a=runs,
    b=runs,
    baseline=runs,
    topics=st.sampled_from([(), ("1", "2"), ("2", "6")]),
    topic=st.sampled_from(["", "1", "6"]),
    judge=st.lists(
        st.tuples(st.sampled_from(["d5-0", "d5-1"]), st.none() | close), max_size=2, unique_by=lambda one: one[0]
    ).map(tuple),
    box=st.just(()) | st.tuples(close, st.just(3.0), st.just(0.0), close),
    pool=st.sampled_from([0, 1, 5]),
    weigh=st.sampled_from(["", "RBP(p=0.8)", "RBP(p=0.80000001)", "P@5"]),
    value=st.sampled_from(["plain", "interval"]),
    part=st.sampled_from(["values", "tests"]),
)


@given(state=states, view=st.sampled_from(sorted(VIEWS)))
@example(state=State(topic="6", rel=0.1234567), view="ranking")
@example(state=State(topic="6", rel=0.1234573), view="ranking")
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_kept_answer_is_the_one_that_would_be_made_anew(get: Get, state: State, view: str) -> None:
    address = f"/{view}.json?{state.query()}&part={state.part}"
    kept, again, fresh = get(address), get(address), client().get(address)
    assert (kept.status_code, kept.content) == (fresh.status_code, fresh.content)
    assert again.content == fresh.content
