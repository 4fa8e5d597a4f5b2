"""Text to measure and back."""

import pickle
import re
from typing import Any

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from rankscale.errors import InputError, ParameterError, echoed
from rankscale.measures.ap import AP
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parameters import parameters
from rankscale.measures.base.parser import parse, parse_all
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import ALIASES, CLASSES
from rankscale.measures.counts import NumQ
from rankscale.measures.dcg import nDCG

GAINS_ARE = "gains must be 'exp', 'linear', a list such as [0,1,10] or a map such as {1:3}"

numbers = st.integers(-5, 5) | st.floats(-1e6, 1e6)
gains = (
    st.none()
    | st.just("exp")
    | st.lists(numbers, min_size=1, max_size=4)
    | st.dictionaries(st.integers(-2, 4) | st.just(0.5), numbers, max_size=4)
)
VALUES: dict[str, st.SearchStrategy[Any]] = {  # what each parameter can be, whatever measure has it
    "depth": st.none() | st.integers(1, 10_000),
    "judged_only": st.booleans(),
    "rel": numbers,
    "alpha": st.floats(0, 1),
    "beta": st.floats(0, 1) | st.floats(0, 100),
    "gamma": st.floats(0, 1),
    "renormalise": st.booleans(),
    "ideal": st.sampled_from(["greedy", "exact"]),
    "multiple": st.floats(0.001, 10),
    "recall": st.sampled_from([0, 0.1, 0.25, 1]) | st.floats(0, 1),
    "recalls": st.lists(st.floats(0, 1), min_size=1, max_size=3).map(tuple),
    "version": st.sampled_from([9, 10]),
    "n": st.integers(1, 9),
    "k": st.integers(0, 99),
    "damping": st.floats(0, 100),
    "p": st.floats(0, 1, exclude_max=True),
    "gains": gains,
    "dcg": st.sampled_from([None, "log2"]),
    "base": st.none() | st.floats(1, 100, exclude_min=True),
    "discount": st.none(),
    "unjudged": st.floats(-9, 9),
    "otherwise": st.none(),
    "thresholds": st.lists(st.floats(0, 1), max_size=4).filter(lambda given: not given or any(given)).map(tuple),
    "relative": st.booleans(),
    "among": st.sampled_from(["all", "seen", "retrieved"]),
    "T": st.floats(0.5, 10),
    "min_rel": st.floats(0, 1),
    "max_rel": st.none() | st.floats(1.5, 9),
    "gmax": st.none() | st.floats(0.5, 9),
    "normalize": st.booleans(),
    "crossing": st.sampled_from(["return", "literal", "positive"]),
    "length": st.none() | st.integers(1, 10_000),
    "of": st.sampled_from(["nDCG(base=2)", "RBP(p=0.5)", "AP"]).map(parse),
    **dict.fromkeys("abc", numbers),
    "d": st.just(0),
    "collection": st.integers(1, 10**9),
    "form": st.sampled_from(["normalised", "rank", "log10"]),
    "universe": st.sampled_from([None, "all", "feasible"]),
    "method": st.sampled_from(["auto", "exact"]),
    "deduplicate": st.sampled_from(["exact", "float"]),
    "samples": st.integers(1, 10**6),
    "seed": st.integers(0, 99),
}


@st.composite
def measures(draw: st.DrawFn) -> Measure:
    """Any measure of the register, with any parameters it can have."""
    measure = find(draw(st.sampled_from(sorted(CLASSES))))
    given = {name: draw(VALUES[name]) for name in parameters(measure)}
    if measure.needs_depth and given["depth"] is None:
        given["depth"] = 10
    try:
        return measure(**given)
    except ParameterError:  # some parameters do not go together
        reject()


@settings(deadline=None)
@given(measure=measures())
def test_a_measure_is_read_back_from_its_name(measure: Measure) -> None:
    again = parse(str(measure))
    assert again == measure
    assert hash(again) == hash(measure)
    assert str(again) == str(measure)
    assert pickle.loads(pickle.dumps(measure)) == measure


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("AP", "AP"),
        (" AP ( rel = 2 ) @ 100 ", "AP(rel=2)@100"),
        ("AP(rel=2.0,judged_only=True)", "AP(judged_only=True,rel=2)"),
        ("AP(rel=1, judged_only=False)", "AP"),
        ("P(depth=5)", "P@5"),
        ("IPrec@0.1", "IPrec@0.1"),
        ("IPrec(recall=0.5,version=10)", "IPrec(version=10)@0.5"),
        ("RBP(p=.95)@10", "RBP(p=0.95)@10"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gains='exp')@10"),
        ("nDCG(dcg='log2')@10", "nDCG@10"),
        ("nDCG(gains={2: 9, 1: 3.0})@10", "nDCG(gains={1:3,2:9})@10"),
        ("nDCG(gains=[0, 1, 10])", "nDCG(gains=[0,1,10])"),
        ("nDCG(gains={})", "nDCG"),
        ("DCG(gains=((0, -1), (1, 2)))", "DCG(gains={0:-1,1:2})"),
        ("AP11(recalls=(.2,.5,.8))", "AP11(recalls=[0.2,0.5,0.8])"),
        ("AP11(recalls=[0.0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1.0])", "AP11"),
        ("Utility(b=-0.5)", "Utility(b=-0.5)"),
        ("Judged@10", "Judged@10"),
    ],
)
def test_spellings_of_one_measure_have_one_name(text: str, name: str) -> None:
    assert str(parse(text)) == name


@pytest.mark.parametrize("alias", ALIASES)
def test_aliases_are_understood(alias: str) -> None:
    at = "@10" if find(alias).takes_depth else ""
    assert str(parse(alias + at)) == ALIASES[alias] + at


def test_measures_come_in_the_order_asked_and_once() -> None:
    found = parse_all(["nDCG@10", AP(), "map", "P.10,5", "P@5", NumQ()])
    assert [str(measure) for measure in found] == ["nDCG@10", "AP", "P@5", "P@10", "NumQ"]
    assert parse_all("map") == parse_all(AP()) == parse_all([parse(AP())]) == (AP(),)
    assert parse_all([]) == ()


def test_equal_measures_are_one_whatever_kind_of_number_they_were_given() -> None:
    assert str(AP(rel=2.0)) == str(AP(rel=2)) == "AP(rel=2)"
    assert nDCG(gains={1: 3}) == nDCG(gains=[(1, 3.0)])  # type: ignore[arg-type]  # what a user may write


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("RBP(q=1)", "RBP: there is no parameter 'q', but there are p, rel, gains, otherwise, depth, judged_only"),
        ("RBP(p='high')", "RBP: p must be a number, got 'high'"),
        ("RBP(p=1e999)", "RBP: p must be a number, got inf"),
        ("RBP(p=True)", "RBP: p must be a number, got True"),
        ("RBP(p=1)", "RBP: p must lie between 0 and 1, 1 itself left out, got 1"),
        ("RBP(0.8)", "RBP: each parameter is given with its name, as in RBP(p=0.8)"),
        ("nDCG(10)", "nDCG: a depth follows an @: nDCG@10"),
        ("nDCG(10,base=2)", "nDCG: a depth follows an @: nDCG(base=2)@10"),
        ("nDCG@10(base=2)", "nDCG: the depth comes last, as in RBP(p=0.8)@10"),
        ("RBP(**{'p': 0.8})", "RBP: each parameter is given with its name, as in RBP(p=0.8)"),
        ("RBP(p=0.8,p=0.9)", "RBP: a parameter is given twice"),
        ("RBP(p=x)", "RBP: a word stands in quotes: p='x'"),
        ("AP(judged_only=1)", "AP: judged_only must be True or False, got 1"),
        ("AP@0", "AP: the depth must be a whole number from 1, got 0"),
        ("AP@10.5", "AP: depth must be a whole number or None, got 10.5"),
        ("AP@1e3", "AP: depth must be a whole number or None, got 1000.0"),
        ("AP@ten", "AP: what follows the @ must be a plain value such as 0.8, 'exp', [0,1,10] or {1:3}"),
        ("AP(depth=5)@10", "AP: depth is given both in brackets and after the @"),
        ("R", "R: a depth is needed, as in R@10"),
        ("Rprec@10", "Rprec takes no depth, got @10"),
        ("Rprec(multiple=0)", "Rprec: multiple must be above 0, got 0"),
        ("F(beta=-1)@5", "F: beta must be 0 or more, got -1"),
        ("RR(n=0)", "RR: n must be a whole number from 1, got 0"),
        ("RR(damping=-1)", "RR: damping must be 0 or more, got -1"),
        ("Bpref(k=-1)", "Bpref: k must be 0 or more, got -1"),
        ("IPrec", "IPrec: recall is needed"),
        ("IPrec@2", "IPrec: recall must lie between 0 and 1, got 2"),
        ("IPrec(version=8)@0", "IPrec: version must be 9 or 10, got 8"),
        ("AP11(recalls=0.5)", "AP11: recalls must be a list of which each item is a number, got 0.5"),
        ("AP11(recalls=[])", "AP11: recall levels must lie between 0 and 1, got none"),
        ("nDCG(dcg='exp-log2',gains={1:3})", "nDCG: give gains or dcg='exp-log2', not both"),
        ("nDCG(dcg='ln')", "nDCG: dcg must be 'log2' or 'exp-log2', got 'ln'"),
        ("nDCG(gains='big')", f"{GAINS_ARE}, got 'big'"),
        ("nDCG(gains=[])", f"{GAINS_ARE}, got ()"),
        ("nDCG(gains=[0,'a'])", f"{GAINS_ARE}, got 'a'"),
        ("nDCG(gains={1:True})", f"{GAINS_ARE}, got True"),
        ("nDCG(gains=[[1,2,3]])", f"{GAINS_ARE}, got [(1, 2, 3)]"),
        ("nDCG(gains=[[1,2],[1,3]])", "gains name a grade twice: [(1, 2), (1, 3)]"),
        ("Utility(d=1)", "Utility: with d the size of the collection is needed, as in Utility(d=1,collection=528155)"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse(text)
    name = re.match(r"\w+", text)
    assert name is not None
    assert str(caught.value) == f"{message}; `rankscale measures {name[0]}` explains it"


@pytest.mark.parametrize("text", ["", "AP@10@20", "AP(", "3", "'AP'", "AP()()", "a.AP()", "\0", "(" * 1000, "AP AP"])
def test_what_is_no_measure_is_shown(text: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse(text)
    how = "write it as in nDCG@10 or RBP(p=0.8)@10; `rankscale measures` lists all of them"
    assert str(caught.value) == f"cannot read {echoed(text)} as a measure; {how}"
    assert len(str(caught.value)) < 250


def test_other_errors_end_in_a_hint_too() -> None:
    for wrong, message in {
        "nDGC@10": "unknown measure 'nDGC'; did you mean nDCG? `rankscale measures` lists all of them",
        "P": "P stands for 9 measures, and one is needed; name one, as in P@5",
        "runid": "runid is no measure here, but trec_eval's own: `rankscale trec_eval` knows it",
        5: "a measure is named by a text such as 'nDCG@10', got 5; `rankscale measures` lists all of them",
    }.items():
        with pytest.raises(InputError) as caught:
            parse(wrong)  # type: ignore[arg-type]  # a number is none
        assert str(caught.value) == message
