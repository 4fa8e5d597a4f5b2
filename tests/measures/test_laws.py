"""What holds for every measure."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from rankscale.data.arrays import UNJUDGED, Bools, Floats, Ints
from rankscale.data.judged import BEYOND, Judged, judged
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import CLASSES

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
    *("DCG(base=2)", "DCG(base=1.5,gains='exp')@4", "DCG(discount='rank')", "DCG(gains={0:-1},unjudged=-1)@4"),
    *("nDCG(gains={0:-1})", "nDCG(gains={0:-1},unjudged=0)@5", "nDCG(base=2,gains={0:-1,1:-0.5},unjudged=-2)@4"),
    *("nCG(gains={0:-0.1})@6", "nDCG(unjudged=-0.5)@4", "AvgPos(nDCG(gains={0:-1}))@4"),
    *("nDCG(base=3)@5", "CG(gains={1:5})", "CG(gains='linear')@6", "nCG(gains='exp')@4", "AvgPos(RBP(p=0.5))@4"),
    *("RBP(gains='linear')", "RBP(p=0.5,otherwise=0.8)", "RBP(p=0.8,otherwise=0.5)@4"),
    *("Q(gains='exp')@4", "Q(gains='linear',beta=3)", "ESL(n=2)", "GAP(thresholds=[0.5,0.25,0.25])"),
    *("gP(gains={0:0.1,1:0,2:1,3:0.25})@4", "Twist(crossing='literal')@4", "Twist(crossing='positive',rel=2)"),
    *("ERR(gmax=4)", "INST(T=0.5,min_rel=1)", "INSQ(T=0.2)@4", "BPM(T=2,min_rel=0.5)@5", "NERR10(p=0)"),
    *("NERR11(T=3,max_rel=5)@4", "Compat(p=0.5,normalize=False)"),
    *("b_ratio_raw(crossing='positive')@2", "nCRP(length=20)@5"),
    *("Groups(nDCG)@3", "Groups(AP(judged_only=True))", "Groups(Rprec)", "PrefsBalanced(judged_only=True)@3"),
    *("Prefs(among='retrieved')", "PrefsPair(among='seen')", "PrefsBalanced(among='retrieved')"),
    *("Utility(a=2,b=-1,c=-0.5,d=0.1,collection=1000)", "RBP(p=0)", "RBP(p=0.95)@4"),
    *("alpha_DCG(alpha=0)@4", "alpha_nDCG(alpha=1,rel=2)@4", "alpha_nDCG(ideal='exact')@3", "NRBP(alpha=0.9,beta=1)"),
    *("nNRBP(beta=0.9,rel=2)@4", "ERR_IA(alpha=0.1,judged_only=True)@4", "IA(P)@3", "IA(ERR)", "IA(RBP(p=0.5))@4"),
    *("IA(Rprec)", "IA(nDCG(base=2))@4", "AvgPos(alpha_nDCG)@4", "D_nDCG(gains='exp',rel=2)@4", "StRecall(rel=2)"),
]


def registered() -> list[str]:
    """Each measure as it is written: alone, with a depth, with what it cannot do without."""
    texts = []
    for name in CLASSES:
        measure = find(name)
        if measure.at_parameter != "depth":
            texts.append(f"{name}@0.5")
        else:
            written = measure.example or name
            texts += [written] * (not measure.needs_depth) + [f"{written}@3"] * measure.takes_depth
    return texts


MEASURES = [*registered(), *VARIANTS]

every_measure = pytest.mark.parametrize("measure", [parse(text) for text in MEASURES], ids=str)
grades = st.sampled_from(["0", "0", "1", "2", "3", "-", "-", "-1", "0.5"])
rankings = st.lists(grades, max_size=12).map(" ".join)
topics = st.lists(rankings, min_size=1, max_size=4)  # that share one table: a law is tried on several at once
missed = st.lists(grades.filter(lambda grade: grade != "-"), max_size=6).map(" ".join)


# A seed is drawn; each number by hypothesis would take ten times as long.
plain_random = st.randoms(use_true_random=True)
THOROUGH = settings.get_current_profile_name() == "thorough"


def tried(**drawn: st.SearchStrategy[Any]) -> Callable[[Callable[..., None]], Callable[[Measure], None]]:
    """Hold every measure to a law on the same examples, which are drawn once.

    Drawing them takes longer than trying them, and each measure would get the same. Where a law does not hold,
    hypothesis looks for the smallest example for that measure.
    """

    def decorate(law: Callable[..., None]) -> Callable[[Measure], None]:
        @cache
        def examples() -> list[dict[str, Any]]:
            found: list[dict[str, Any]] = []

            @seed(law.__name__)
            @settings(max_examples=15 if THOROUGH else 5, deadline=None)
            @given(**drawn)
            def draw(**example: Any) -> None:
                found.append(deepcopy(example))

            draw()
            return found

        def held(measure: Measure) -> None:
            try:
                for example in examples():
                    law(measure, **deepcopy(example))  # a random generator among them is used up
            except AssertionError:
                settings(max_examples=100, deadline=None)(given(**drawn)(law))(measure=measure)
                raise

        held.__name__, held.__doc__, held.__module__ = law.__name__, law.__doc__, law.__module__
        return held

    return decorate


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
        score=np.pad(scores(table), ((0, 0), (0, width)), constant_values=np.nan),
    )


def one_topic(table: Judged, place: int) -> Judged:
    """One of the rankings, in a table of its own; the collection's levels stay what they are."""
    entries = int((table.rank[place] != BEYOND).sum())
    columns = {
        name: getattr(table, name)[place : place + 1, :entries]
        for name in ("rank", "code", "document", "first", "last", "score")
    }
    rows = {name: getattr(table, name)[place : place + 1] for name in ("length", "counts")}
    return replace(table, **columns, **rows)


def scores(table: Judged) -> Floats:
    assert table.score is not None  # tables of this file have them
    return table.score


def without(table: Judged, ignored: Bools) -> Judged:
    """As `Run.without`: without the entries of these levels, which are counted; the others keep their rank."""
    left_out = (table.code == UNJUDGED) | ignored[table.code]
    order = np.argsort(left_out, axis=-1, kind="stable")

    def compact(column: Any, filling: float) -> Any:
        return np.take_along_axis(np.where(left_out, filling, column), order, axis=-1)

    return replace(
        table,
        rank=compact(table.rank, BEYOND),
        code=compact(table.code, UNJUDGED),
        document=compact(table.document, UNJUDGED),
        first=compact(table.first, BEYOND),
        last=compact(table.last, BEYOND),
        above=compact(table.judged_so_far(), 0),
        score=compact(scores(table), np.nan),
    )


def same(found: object, expected: object) -> None:
    np.testing.assert_array_equal(np.asarray(found), np.asarray(expected), strict=True)


def held_to(law: str, measure: Measure) -> bool:
    """Whether a measure is held to a law; one that is not says why."""
    reason = measure.exceptions.get(law)
    assert reason is None or len(reason) > 10, f"{measure}: an exception needs its reason"
    return reason is None


GRADES = np.array([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0])  # of the rankings that laws are tried on


def gains(measure: Measure) -> Floats:
    """The gains of these grades, and of an unjudged document."""
    inner: Measure = getattr(measure, "of", measure)
    return np.append(inner.gain(GRADES, 3.0), inner.unjudged_gain)


def below_zero(measure: Measure) -> bool:
    """Whether some document was given a gain below 0."""
    return bool((gains(measure) < 0).any())


def gains_from_nothing(measure: Measure) -> bool:
    """Whether documents that are not relevant were given a gain."""
    return bool(gains(measure)[[0, 1, -1]].any())


def not_worse(measure: Measure, after: Judged, before: Judged) -> None:
    """The first value is as good as the second, or better; a digit may be lost on the way."""
    better, worse = measure.value(after), measure.value(before)
    if measure.low_is_good:
        better, worse = worse, better
    assert ((better >= worse - 1e-13) | np.isnan(better) | np.isnan(worse)).all()


def test_few_exceptions_are_made() -> None:
    classes = [find(name) for name in CLASSES]
    laws = {name.removeprefix("test_") for name in globals() if name.startswith("test_")}
    assert all(set(measure.exceptions) <= laws for measure in classes)
    assert sum(len(measure.exceptions) for measure in classes) <= 0.15 * len(classes) * len(laws)


@every_measure
@tried(rankings=topics, missed=missed, width=st.integers(1, 3))
def test_filling_changes_nothing(measure: Measure, rankings: list[str], missed: str, width: int) -> None:
    table = judged(*rankings, missed=missed)
    same(measure.value(padded(table, width)), measure.value(table))


@every_measure
@tried(rankings=topics, missed=missed)
def test_topics_do_not_touch_each_other(measure: Measure, rankings: list[str], missed: str) -> None:
    together = replace(judged(*rankings, missed=missed), highest=3.0)
    alone = [one_topic(together, place) for place in range(len(rankings))]
    same(measure.value(together), [measure.value(table)[0] for table in alone])


@every_measure
@tried(rankings=topics, missed=missed, more=st.integers(0, 3))
def test_unjudged_documents_may_be_entries_or_not(
    measure: Measure, rankings: list[str], missed: str, more: int
) -> None:
    table = judged(*rankings, missed=missed)
    same(measure.value(table.every_rank(int(table.length.max()) + more)), measure.value(table))


@every_measure
@tried(rankings=topics, missed=missed)
def test_grades_that_a_measure_ignores_may_be_left_out(measure: Measure, rankings: list[str], missed: str) -> None:
    if not measure.judged_only:  # which looks at all that is judged, whatever the measure
        table = judged(*rankings, missed=missed)
        same(measure.value(without(table, measure.ignored(table.levels))), measure.value(table))


@every_measure
@tried(rankings=topics, missed=missed)
def test_a_table_without_dispensable_grades_gives_the_same(measure: Measure, rankings: list[str], missed: str) -> None:
    if not measure.judged_only:
        table = judged(*rankings, missed=missed)
        same(measure.value(without(table, measure.dispensable(table.levels))), measure.value(table))


@every_measure
@tried(rankings=topics, missed=missed, depth=st.integers(1, 15))
def test_measures_that_differ_in_depth_share_their_total(
    measure: Measure, rankings: list[str], missed: str, depth: int
) -> None:
    if measure.takes_depth:
        table = judged(*rankings, missed=missed)
        table = table.only_judged() if measure.judged_only else table
        same(measure.at(depth).read(measure.total(table), table), measure.at(depth).value(table))


@every_measure
@tried(ranking=rankings, missed=missed)
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
@tried(ranking=rankings, missed=missed, depth=st.integers(1, 15))
def test_curves_of_many_topics_at_the_same_ranks_are_those_of_each(
    measure: Measure, ranking: str, missed: str, depth: int
) -> None:
    table = judged(ranking, "1 - 2", missed=missed).every_rank(depth)
    own_ranks = replace(table, rank=table.rank.copy())
    assert measure.curve(table).shape == (2, depth)
    same(measure.curve(table), measure.curve(own_ranks))


@every_measure
@tried(rankings=topics, missed=missed)
def test_values_keep_within_the_limits(measure: Measure, rankings: list[str], missed: str) -> None:
    if not below_zero(measure):  # gains below 0 lead out of them
        values = measure.value(judged(*rankings, missed=missed))
        low, high = measure.limits
        defined = ~np.isnan(values) if measure.undefined else np.isfinite(values) | (high == np.inf)
        assert defined.all() or measure.undefined
        within = (low <= values) & (values <= high + 1e-15)  # a sum of quotients may round up
        assert within[defined].all()


@every_measure
@tried(ranking=st.lists(st.sampled_from(["0", "-", "-1"]), max_size=12).map(" ".join))
def test_without_relevant_documents_there_is_nothing(measure: Measure, ranking: str) -> None:
    if held_to("without_relevant_documents_there_is_nothing", measure) and not gains_from_nothing(measure):
        value = measure.value(judged(ranking, missed="0 -1"))
        same(value, [np.nan if measure.undefined and np.isnan(value[0]) else 0.0])


@every_measure
@pytest.mark.parametrize("missed", ["", "0", "1 2 0 0.5 -1"])
def test_rankings_without_judged_documents_have_a_value(measure: Measure, missed: str) -> None:
    values = measure.value(judged("- -", "", missed=missed))
    assert np.isfinite(values).all() or measure.undefined
    same(values, measure.value(padded(judged("- -", "", missed=missed), 2)))
    assert measure.curve(judged("- -", "", missed=missed)).shape == (2, 0)


@every_measure
def test_no_topics_are_no_error(measure: Measure) -> None:
    assert measure.value(judged()).shape == (0,)


@every_measure
@tried(above=st.lists(grades, max_size=6), below=st.lists(grades, max_size=6), missed=missed, grade=st.integers(1, 3))
def test_moving_a_relevant_document_up_never_costs(
    measure: Measure, above: list[str], below: list[str], missed: str, grade: int
) -> None:
    if held_to("moving_a_relevant_document_up_never_costs", measure) and not gains_from_nothing(measure):
        before = judged(" ".join([*above, "0", str(grade), *below]), missed=missed)
        after = judged(" ".join([*above, str(grade), "0", *below]), missed=missed)
        not_worse(measure, after, before)


@every_measure
@tried(ranking=rankings, more=rankings, depth=st.integers(1, 12))
def test_a_longer_ranking_never_costs(measure: Measure, ranking: str, more: str, depth: int) -> None:
    if held_to("a_longer_ranking_never_costs", measure) and not below_zero(measure):
        measure = measure.at(measure.depth or depth) if measure.takes_depth else measure
        missed = " ".join(grade for grade in more.split() if grade != "-")
        not_worse(measure, judged(f"{ranking} {more}"), judged(ranking, missed=missed))


def in_partial_order(rankings: list[list[str]]) -> Bools:
    """(ranking, ranking): whether one has as many documents of each grade or more, down to every rank, as another."""
    grades = np.array([[-1 if grade == "-" else int(grade) for grade in ranking] for ranking in rankings])
    counts = np.concatenate([np.cumsum(grades >= least, axis=1) for least in (1, 2, 3)], axis=1)
    above: Bools = np.count_nonzero(counts[:, None] < counts[None], axis=-1) == 0
    return above


@every_measure
@tried(pool=st.lists(st.sampled_from("0012311"), min_size=1, max_size=8), length=st.integers(1, 5), draw=plain_random)
def test_a_ranking_above_another_is_never_worse(measure: Measure, pool: list[str], length: int, draw: Any) -> None:
    """Rankings of documents of one topic, some of them unjudged, compared pair by pair."""
    if not measure.respects_order((0, 1, 2, 3)):
        return
    rankings = [draw.sample([*pool, *["-"] * length], length) for _ in range(60)]
    table = judged(*map(" ".join, rankings), missed="0 1 2 3")
    counts = np.broadcast_to([pool.count(grade) for grade in "0123"], (len(rankings), 4))
    values = measure.value(replace(table, counts=counts)) * (-1 if measure.low_is_good else 1)
    with np.errstate(invalid="ignore"):  # infinite ones are equal
        worse = values[:, None] < values[None] - 1e-12
    assert not (in_partial_order(rankings) & worse).any()


def test_measures_know_whether_they_respect_the_partial_order() -> None:
    """Those of the paper do; one that does not has rankings that show it."""
    respected = [
        "P@4",
        "R@4",
        "F@4",
        "AP",
        "nDCG@4",
        "DCG(base=2)",
        "RBP(p=0.3)",
        "RR",
        "ERR@4",
        "SBTO@4",
        "RBTO@4",
        "Q",
    ]
    assert all(parse(text).respects_order((0, 1, 2, 3)) for text in [*respected, "Interval(AP@4)"])
    for text, better, worse, missed in [
        ("BPM@3", "- 3 2", "- 2 3", ""),
        ("G", "1 3 2", "1 2 3", ""),
        ("Bpref", "0 1", "- 1", "1"),
        ("Q(gains='exp')", "2 1 3 0", "2 0 3 1", ""),
        ("CG(gains={1:5})", "2", "1", ""),
        ("AP(judged_only=True)", "0 1", "- 1", ""),
    ]:
        measure = parse(text)
        assert not measure.respects_order((0, 1, 2, 3))
        value, other = (replace(judged(ranking, missed=missed), highest=3.0) for ranking in (better, worse))
        assert measure.value(value)[0] < measure.value(other)[0], text
    assert not parse("Twist").respects_order((0, 1))


@every_measure
@tried(ranking=st.lists(st.sampled_from("0123"), max_size=10))
def test_the_ideal_ranking_is_not_beaten(measure: Measure, ranking: list[str]) -> None:
    if held_to("the_ideal_ranking_is_not_beaten", measure) and not gains_from_nothing(measure):
        ideal = sorted(ranking, reverse=True)
        not_worse(measure, judged(" ".join(ideal)), judged(" ".join(ranking)))
