"""`rankscale measures`: every measure is listed, and each explains itself."""

import inspect
import re
from typing import Any

import pytest

from rankscale.measures.base.facts import example, facts, parameter_facts
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import find, names
from rankscale.measures.base.register_table import ALIASES
from rankscale.stats.verdicts import MEAN, verdict


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text)


def test_every_registered_measure_is_listed_with_what_it_is(rankscale: Any) -> None:
    outcome = rankscale("measures")
    assert (outcome.code, outcome.err) == (0, "")
    starts = [line.split()[0].rstrip(",").partition("@")[0] for line in outcome.out.splitlines() if line[:1].strip()]
    said = "".join(outcome.out.split())  # lines may end after a hyphen
    for name in names():
        assert starts.count(name) == 1
        assert "".join((find(name).__doc__ or "").strip().splitlines()[0].split()) in said
    assert "all_trec" in outcome.out


@pytest.mark.parametrize("columns", range(100, 200, 7))
def test_words_with_a_hyphen_are_not_split_whatever_the_width(
    columns: int, rankscale: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert not re.search(r"[a-z]-\n", rankscale("measures").out)


@pytest.mark.parametrize("name", names())
def test_every_measure_shows_its_formula_and_paper(name: str, rankscale: Any) -> None:
    outcome = rankscale("measures", name)
    assert (outcome.code, outcome.err) == (0, "")
    text = squeezed(outcome.out)
    measure = find(name)
    assert text.startswith(f"{name} ")
    assert f"formula {squeezed(measure.formula)}" in text
    assert f"paper {squeezed(measure.paper)}" in text
    assert re.search(r" scale (ordinal|interval|ratio), for a fixed (depth|length)", text)
    assert (f"user model the user {squeezed(measure.user_model)}" in text) == bool(measure.user_model)
    assert (f"undefined where {squeezed(measure.undefined)}" in text) == bool(measure.undefined)
    assert ("direction low is good" in text) == measure.low_is_good
    assert " bounds " in text
    assert " ties " in text
    assert max(map(len, outcome.out.splitlines())) <= 100
    assert ">>>" not in text


ON_RATIO_SCALE = "only if gains are on a ratio scale"


@pytest.mark.parametrize("name", [name for name in names() if find(name).takes_depth and find(name).summary != "sum"])
def test_the_card_of_a_measure_names_the_scale_of_its_verdicts(name: str, rankscale: Any) -> None:
    given = example(find(name), 10)
    two, several = (verdict(given, MEAN, levels) for levels in ((0, 1), (0, 1, 2, 3)))
    on_card = re.search(r" scale (\w+), for .*?( order| topics) ", squeezed(rankscale("measures", str(given)).out))
    assert on_card is not None
    assert (on_card[1] != "ordinal") == (two.kind in {"meaningful", "surrogate"})
    assert (ON_RATIO_SCALE in on_card[0]) == (ON_RATIO_SCALE in several.text)


@pytest.mark.parametrize("name", ["CG", "gP", "gR", "nCG", "gRBP(p=0.25)", "RBP(p=1/4,gains='linear')"])
def test_cards_of_sums_of_gains_name_their_condition(name: str, rankscale: Any) -> None:
    assert ON_RATIO_SCALE in squeezed(rankscale("measures", name).out)


def test_the_card_of_graded_rbp_names_its_p(rankscale: Any) -> None:
    said = squeezed(rankscale("measures", "gRBP").out)
    assert f"{ON_RATIO_SCALE}, with equal gaps G, and p = G/(G+1)" in said
    assert "interval scale" not in squeezed(rankscale("measures", "RBP").out)


@pytest.mark.parametrize("name", [name for name in names() if find(name).summary == "geometric"])
def test_cards_of_geometric_means_ask_for_a_ratio_scale(name: str, rankscale: Any) -> None:
    assert "geometric means need a ratio scale" in squeezed(rankscale("measures", name).out)


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_other_spellings_are_understood(alias: str, name: str, rankscale: Any) -> None:
    assert rankscale("measures", alias).out == rankscale("measures", name).out


@pytest.mark.parametrize(
    ("text", "name"),
    [("ndcg_cut_10", "nDCG"), ("map", "AP"), ("RBP(p=0.8)@10", "RBP"), ("P_5", "P"), ("set_F", "SetF")],
)
def test_a_measure_as_it_is_asked_for_is_understood(text: str, name: str, rankscale: Any) -> None:
    assert rankscale("measures", text).out == rankscale("measures", name).out


def test_a_remark_is_about_the_parameters_given(rankscale: Any) -> None:
    said = squeezed(rankscale("measures", "RBP(p=0.95)").out)
    assert "all that stands below rank 180 is worth less than 0.0001" in said  # Moffat and Zobel 2008


VARIANTS = (
    *("RBP(p=0.5)", "RBP(p=1/2)@10", "RBP(p=0.5,rel=2)@5", "RBP(p=0.5,otherwise=0.5)", "RBP(p=0.5,otherwise=0.8)"),
    *("RBP(p=0.5,otherwise=0)", "RBP(p=0.3)", "RBP(p=0.5,gains='linear')", "RBP(p=0.5,gains=[0,0.2,0.6,1])@5"),
    *("DCG(base=10)@10", "DCG(base=10)@11", "DCG(base=3)@4", "ERR@5", "INSQ(T=2)@5", "SDCG@5", "RR(n=2)@5"),
)


@pytest.mark.parametrize("text", [*VARIANTS, *names()])
def test_a_card_says_of_the_scale_what_the_scale_is(text: str) -> None:
    measure = example(find(text)) if text in names() else parse(text)
    card = dict(facts(type(measure), measure))
    with_two, _, with_four = card["scale"].partition("; with grades 0, 1, 2, 3 ")
    shown = re.match(r"ordinal|interval|ratio", with_four) or re.match(r"\w+", with_two)
    assert shown is not None
    if measure.scale == "ordinal":
        fixed = measure.at(10) if measure.takes_depth and measure.depth is None else measure
        assert shown[0] == fixed.scale_type((0, 1, 2, 3))
    assert ("equally spaced, on an interval scale" in card.get("remark", "")) <= (shown[0] == "interval")


def test_a_card_of_conditional_rbp_tells_nothing_that_holds_for_one_persistence_alone(rankscale: Any) -> None:
    said = squeezed(rankscale("measures", "RBP(p=0.5,otherwise=0.8)").out)
    assert "scale ordinal, for a fixed depth" in said
    assert "interval" not in said
    assert "below rank" not in said
    assert "bounds from unjudged documents, and from all that comes after the ranking" in said
    assert "V_(i+1) = V_i * p after a relevant document, V_i * otherwise after another" in said
    assert "p^(i-1)" not in said
    assert "after each document" not in said


@pytest.mark.parametrize("name", names())
def test_every_parameter_is_explained(name: str) -> None:
    assert all(one.meaning for one in parameter_facts(find(name)))


@pytest.mark.parametrize("name", names())
def test_parameters_that_are_shown_can_be_given(name: str, rankscale: Any) -> None:
    measure = find(name)
    text = squeezed(rankscale("measures", name).out)
    line = text.partition("parameters ")[2].partition(" limits ")[0]
    shown = set(re.findall(r"(?:^|, )(\w+)", line))
    known = set(inspect.signature(measure).parameters)
    assert known >= shown >= known - {"depth", "judged_only", measure.at_parameter}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("AP", "bounds none: the recall base is used"),
        ("P", "bounds from unjudged documents"),
        ("DCG", "bounds from unjudged documents, with a depth"),
        ("RBP", "bounds from unjudged documents, and from all that comes after the ranking"),
        ("Judged", "bounds none: the value tells how much is judged"),
        ("nDCG", "ties mean over all orders exact; range exact"),
        ("Twist", "ties mean over seeded orders, with its standard error"),
        ("AP", "trec_eval map, map_cut_k"),
        ("nDCG", "also NDCG"),
    ],
)
def test_what_is_known_of_a_measure_is_said(name: str, said: str, rankscale: Any) -> None:
    assert said in squeezed(rankscale("measures", name).out)


def test_a_name_that_nobody_registered(rankscale: Any) -> None:
    outcome = rankscale("measures", "nDGC")
    assert (outcome.code, outcome.raw) == (2, b"")
    assert "did you mean nDCG?" in outcome.err


def test_a_name_that_stands_for_many_is_not_explained_by_one_of_them(rankscale: Any) -> None:
    assert not rankscale("measures", "all_trec").out.startswith("NumQ\n")
