"""The state of a workbench is the query of its address."""

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscale.errors import ParameterError
from rankscale.workbench.state import MOST_TOPICS, State

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
numbers = st.floats(-1e6, 1e6)


@given(
    st.builds(
        State,
        m=st.sampled_from(["", "AP", "RBP(p=0.9)@20"]),
        rel=st.none() | numbers,
        judged=st.booleans(),
        a=names,
        topics=st.lists(names, max_size=5, unique=True).map(tuple),
        judge=st.dictionaries(names, st.none() | numbers, max_size=3).map(lambda one: tuple(one.items())),
        swap=st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 99), st.integers(1, 99)), max_size=3).map(tuple),
    )
)
def test_a_state_is_read_back_from_its_query(state: State) -> None:
    assert State.of(parse_qsl(state.query(), errors="surrogateescape")) == state


def test_defaults_are_left_out() -> None:
    assert State().query() == ""
    assert State(m="nDCG@10", a="bm25", part="tests").query() == "m=nDCG@10&a=bm25"


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("x=1", "unknown parameter 'x'; there are m, rel,"),
        ("m=AP&m=P", "m is given twice"),
        ("m=" + "x" * 300, "m has 300 letters, expected at most 200"),
        ("rel=high", "rel is a number from -1e+06 to 1e+06, got 'high'"),
        ("rel=nan", "rel is a number"),
        ("depth=0", "depth is a whole number from 1 to 1000000, got '0'"),
        ("depth=1e3", "depth is a whole number"),
        ("missing=skip", "missing is one of zero, common, got 'skip'"),
        ("judged=yes", "judged is one of 0, 1, got 'yes'"),
        ("judge=FT911", "judge is DOCUMENT:GRADE, or DOCUMENT:- for an unjudged one, got 'FT911'"),
        ("swap=a1", "swap is such as a3-7 or b1-2"),
        (
            "sort=runs:mean",
            "sort is TABLE:COLUMN:up or TABLE:COLUMN:down, each table once, such as runs:mean:down, got",
        ),
        ("sort=runs:mean:up,runs:p:up", "sort is TABLE:COLUMN:up"),
        ("sort=runs:mean:left", "sort is TABLE:COLUMN:up"),
        ("topics=" + ",".join(map(str, range(MOST_TOPICS + 1))), f"topics has {MOST_TOPICS + 1} names"),
        ("judge=" + ",".join(f"{n}:1" for n in range(51)), "judge has 51 judgments, expected at most 50"),
    ],
)
def test_what_no_state_has_is_refused_in_words(query: str, words: str) -> None:
    with pytest.raises(ParameterError) as refused:
        State.of(parse_qsl(query))
    assert str(refused.value).startswith(words)


def test_orders_of_tables_are_written_as_they_are_read() -> None:
    state = State.of(parse_qsl("sort=runs:mean:down,flips:first%2520p:up"))
    assert state.sort == (("runs", "mean", "down"), ("flips", "first p", "up"))
    assert State.of(parse_qsl(state.query())) == state
