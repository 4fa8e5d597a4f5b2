"""Labels: they fit, they differ, and say what tells names apart."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscale as rs
from rankscale.figures.base.labels import CUT, label_axis, measure_labels, short_labels, width_of

NAMES = st.lists(st.text("ab-_.", min_size=1, max_size=30), min_size=1, max_size=12, unique=True)


@given(NAMES, st.floats(1, 20))
def test_labels_always_differ(names: list[str], room: float) -> None:
    labels = short_labels(names, room)
    assert list(labels) == names
    assert len(set(labels.values())) == len(names)


@given(NAMES)
def test_names_that_fit_stay_as_they_are(names: list[str]) -> None:
    assert short_labels(names, 30) == {name: name for name in names}


@pytest.mark.parametrize(
    ("names", "room", "labels"),
    [
        # what all begin and end with goes, by whole parts
        (["msmarco-distil-cls-dot-v5", "msmarco-distil-mean-dot-v5"], 10, ["…cls", "…mean"]),
        (["a_long_name.cls.txt", "a_long_name.mean.txt"], 8, ["…cls", "…mean"]),
        # one part of each name stays
        (["team-bm25", "team-bm25-rm3"], 6, ["…bm25", "…bm25-rm3"]),
        # names that share nothing are cut in the middle
        (["submission-of-one-team", "another-run-altogether"], 8, ["submi…e-team", "another…gether"]),
        # where that would leave two alike, they are cut elsewhere
        (["the-first-of-x-submissions-17", "the-first-of-y-submissions-17", "b"], 8, None),
    ],
)
def test_what_is_left_of_names(names: list[str], room: float, labels: list[str] | None) -> None:
    found = list(short_labels(names, room).values())
    assert labels is None or found == labels
    assert all(width_of(label) <= room for label in found)
    assert not any(label.endswith(CUT) for label in found)


def test_labels_tell_where_names_differ() -> None:
    one, other, _ = short_labels(["the-first-of-x-submissions-17", "the-first-of-y-submissions-17", "b"], 8).values()
    assert "x" in one
    assert "y" in other


def test_axes_show_labels_and_are_not_cut_at_the_end() -> None:
    axis: Any = label_axis({"a": "a", 'b"</script>': "b"})
    assert axis["labelLimit"] == 0
    assert axis["labelExpr"] == '({"b\\"</script>": "b"})[datum.value] || datum.label'


@pytest.mark.parametrize(
    ("measures", "labels"),
    [
        (["RBP", "RBP(p=0.5)"], ["RBP(p=0.8)", "RBP(p=0.5)"]),
        (["AP", "RBP"], ["AP", "RBP"]),
        (["RBP@10", "RBP@20"], ["RBP@10", "RBP@20"]),
        (["DCG(base=2)", "DCG(base=10)"], ["DCG(base=2)", "DCG(base=10)"]),
        (["Interval(RBP@5)", "RBP(p=0.5)@5"], ["Interval(RBP(p=0.8)@5)", "RBP(p=0.5)@5"]),
        (["P(rel=2)@10", "P@10"], ["P(rel=2)@10", "P(rel=1)@10"]),
    ],
)
def test_measures_show_the_parameters_that_others_vary(measures: list[str], labels: list[str]) -> None:
    parsed = [rs.parse(measure) for measure in measures]
    assert list(measure_labels(parsed).values()) == labels
    assert [rs.parse(label) for label in labels] == parsed
