"""What holds for every measure."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale.data.arrays import Bools, Ints
from rankscale.data.judged import BEYOND, UNJUDGED, Judged, judged
from rankscale.measures.base import Measure
from rankscale.measures.parse import parse
from rankscale.measures.register import find
from rankscale.measures.register_table import CLASSES

# Parameters that change how a measure is computed. Measures themselves come from the register: a new one is held to
# the laws the day its file appears.
VARIANTS = [
    *(
        "AP(rel=2)",
        "AP(judged_only=True)",
        "AP11(version=10)@4",
        "IPrec@0",
        "IPrec(version=10)@1",
        "P@1",
        "F(beta=2)@3",
    ),
    *("Rprec(multiple=0.5)", "RR(n=2,damping=3)", "Bpref(k=2)@4", "DCG(gains='exp')", "DCG(gains={0:-1,0.5:2})"),
    *("nDCG(gains='exp')@5", "nDCG(gains={0:1,2:0})", "Rndcg(rel=2)", "G(gains={1:0.2})", "SetF(beta=0.5)"),
    *("Utility(a=2,b=-1,c=-0.5,d=0.1,collection=1000)", "RBP(p=0)", "RBP(p=0.95)@4"),
]


def registered() -> list[str]:
    """Each measure as it is written: alone, with a depth, with what it cannot do without."""
    texts = []
    for name in CLASSES:
        measure = find(name)
        if measure.after_at != "depth":
            texts.append(f"{name}@0.5")
        else:
            texts += [name] * (not measure.needs_depth) + [f"{name}@3"] * measure.takes_depth
    return texts


MEASURES = [*registered(), *VARIANTS]

every_measure = pytest.mark.parametrize("measure", [parse(text) for text in MEASURES], ids=str)
grades = st.sampled_from(["0", "0", "1", "2", "3", "-", "-", "-1", "0.5"])
rankings = st.lists(grades, max_size=12).map(" ".join)
topics = st.lists(rankings, min_size=1, max_size=4)  # that share one table: a law is tried on several at once
missed = st.lists(grades.filter(lambda grade: grade != "-"), max_size=6).map(" ".join)


tried = settings(max_examples=15, deadline=None)  # there are many measures, and machines that are busy


def padded(table: Judged, width: int) -> Judged:
    """The same rankings in a wider table."""

    def fill(column: Ints, filling: int) -> Ints:
        return np.pad(column, ((0, 0), (0, width)), constant_values=filling)

    return replace(
        table,
        rank=fill(table.rank, BEYOND),
        code=fill(table.code, UNJUDGED),
        document=fill(table.document, UNJUDGED),
        first=fill(table.first, BEYOND),
        last=fill(table.last, BEYOND),
    )


def without(table: Judged, ignored: Bools) -> Judged:
    """The same rankings without the entries of these levels; the others keep their rank."""
    left_out = (table.code == UNJUDGED) | ignored[table.code]
    order = np.argsort(left_out, axis=-1, kind="stable")

    def compact(column: Ints, filling: int) -> Ints:
        return np.take_along_axis(np.where(left_out, filling, column), order, axis=-1)

    return replace(
        table,
        rank=compact(table.rank, BEYOND),
        code=compact(table.code, UNJUDGED),
        document=compact(table.document, UNJUDGED),
        first=compact(table.first, BEYOND),
        last=compact(table.last, BEYOND),
    )


def same(found: object, expected: object) -> None:
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected), strict=True)


def held_to(law: str, measure: Measure) -> bool:
    """Whether a measure is held to a law; one that is not says why."""
    reason = measure.exceptions.get(law)
    assert reason is None or len(reason) > 10, f"{measure}: an exception needs its reason"
    return reason is None


def test_few_exceptions_are_made() -> None:
    classes = [find(name) for name in CLASSES]
    laws = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert all(set(measure.exceptions) <= laws for measure in classes)
    assert sum(len(measure.exceptions) for measure in classes) <= 0.15 * len(classes) * len(laws)


@every_measure
@tried
@given(rankings=topics, missed=missed, width=st.integers(1, 3))
def test_filling_changes_nothing(measure: Measure, rankings: list[str], missed: str, width: int) -> None:
    table = judged(*rankings, missed=missed)
    same(measure.value(padded(table, width)), measure.value(table))


@every_measure
@tried
@given(rankings=topics, missed=missed)
def test_topics_do_not_touch_each_other(measure: Measure, rankings: list[str], missed: str) -> None:
    alone = [measure.value(judged(ranking, missed=missed))[0] for ranking in rankings]
    same(measure.value(judged(*rankings, missed=missed)), alone)


@every_measure
@tried
@given(rankings=topics, missed=missed, more=st.integers(0, 3))
def test_unjudged_documents_may_be_entries_or_not(
    measure: Measure, rankings: list[str], missed: str, more: int
) -> None:
    table = judged(*rankings, missed=missed)
    same(measure.value(table.every_rank(int(table.length.max()) + more)), measure.value(table))


@every_measure
@tried
@given(rankings=topics, missed=missed)
def test_grades_that_a_measure_ignores_may_be_left_out(measure: Measure, rankings: list[str], missed: str) -> None:
    if not measure.judged_only:  # which looks at all that is judged, whatever the measure
        table = judged(*rankings, missed=missed)
        same(measure.value(without(table, measure.ignored(table.levels))), measure.value(table))


@every_measure
@tried
@given(rankings=topics, missed=missed, depth=st.integers(1, 15))
def test_measures_that_differ_in_depth_share_their_total(
    measure: Measure, rankings: list[str], missed: str, depth: int
) -> None:
    if measure.takes_depth:
        table = judged(*rankings, missed=missed)
        table = table.only_judged() if measure.judged_only else table
        same(measure.at(depth).read(measure.total(table), table), measure.at(depth).value(table))


@every_measure
@tried
@given(ranking=rankings, missed=missed)
def test_the_curve_holds_the_values_of_rankings_that_end_there(measure: Measure, ranking: str, missed: str) -> None:
    table = judged(ranking, missed=missed)
    table = table.only_judged() if measure.judged_only else table
    curve = measure.curve(table)
    assert curve.shape == table.rank.shape
    for entry, rank in enumerate(table.rank[0].tolist()):
        if rank < BEYOND:
            there = measure.at(rank).value(table) if measure.takes_depth else measure.value(table.cut(rank))
            same(curve[:, entry], there)


@every_measure
@tried
@given(rankings=topics, missed=missed)
def test_values_keep_within_the_limits(measure: Measure, rankings: list[str], missed: str) -> None:
    if "{0:-1" not in str(measure):  # gains below 0 lead out of them
        values = measure.value(judged(*rankings, missed=missed))
        low, high = measure.limits
        assert ((low <= values) & (values <= high + 1e-15)).all()  # a sum of quotients may round up


@every_measure
@tried
@given(ranking=st.lists(st.sampled_from(["0", "-", "-1"]), max_size=12).map(" ".join))
def test_without_relevant_documents_there_is_nothing(measure: Measure, ranking: str) -> None:
    if held_to("without_relevant_documents_there_is_nothing", measure) and "{0:" not in str(measure):
        same(measure.value(judged(ranking, missed="0 -1")), [0.0])


@every_measure
@pytest.mark.parametrize("missed", ["", "0", "1 2 0 0.5 -1"])
def test_rankings_without_judged_documents_have_a_value(measure: Measure, missed: str) -> None:
    values = measure.value(judged("- -", "", missed=missed))
    assert np.isfinite(values).all()
    same(values, measure.value(padded(judged("- -", "", missed=missed), 2)))
    assert measure.curve(judged("- -", "", missed=missed)).shape == (2, 0)


@every_measure
def test_no_topics_are_no_error(measure: Measure) -> None:
    assert measure.value(judged()).shape == (0,)
