"""trec_eval's names, as it reads and as it prints them."""

import pytest

from rankscale.errors import ParameterError
from rankscale.measures.base.parser import parse
from rankscale.measures.base.trec_names import BY_NAME, ENTRIES, NICKNAMES, expand


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("map", [("map", "AP")]),
        ("P_10", [("P_10", "P@10")]),
        ("P.5,7,3", [("P_3", "P@3"), ("P_5", "P@5"), ("P_7", "P@7")]),
        ("ndcg_cut.10,23.4", [("ndcg_cut_10", "nDCG@10"), ("ndcg_cut_23", "nDCG@23")]),
        ("success", [("success_1", "Success@1"), ("success_5", "Success@5"), ("success_10", "Success@10")]),
        ("iprec_at_recall..25,.10", [("iprec_at_recall_0.10", "IPrec@0.1"), ("iprec_at_recall_0.25", "IPrec@0.25")]),
        ("iprec_at_recall_0.00", [("iprec_at_recall_0.00", "IPrec@0")]),
        ("Rprec_mult_0.20", [("Rprec_mult_0.20", "Rprec(multiple=0.2)")]),
        ("set_F", [("set_F", "SetF")]),
        ("set_F_4", [("set_F_4", "SetF(beta=2)")]),
        ("set_F.0.25", [("set_F_0.25", "SetF(beta=0.5)")]),
        ("utility.2,-1,0,0", [("utility_2,-1,0,0", "Utility(a=2,b=-1,c=0,d=0)")]),
        ("utility_1,0,0,.5", [("utility_1,0,0,.5", "Utility(a=1,b=0,c=0,d=0.5,collection=0)")]),
        ("11pt_avg..25,.5,.75", [("11pt_avg_.25,.5,.75", "AP11(recalls=[0.25,0.5,0.75])")]),
        ("ndcg.1=3,2=9,4=4.5", [("ndcg_1=3,2=9,4=4.5", "nDCG(gains={1:3,2:9,4:4.5})")]),
        ("ndcg_1=3", [("ndcg_1=3", "nDCG(gains={1:3})")]),
        ("nDCG@10", []),
        ("success_rate", []),
    ],
)
def test_a_name_stands_for_measures(text: str, expected: list[tuple[str, str]]) -> None:
    assert expand(text) == expected


@pytest.mark.parametrize("name", [*BY_NAME, *NICKNAMES])
def test_what_trec_eval_prints_reads_as_the_measure_it_was(name: str) -> None:
    entry = BY_NAME.get(name)
    if entry is not None and entry.measure is None and not entry.template:
        with pytest.raises(ParameterError, match=f"{name} is no measure here, but trec_eval's own"):
            expand(name)
        return
    for printed, text in expand(name):
        assert parse(printed) == parse(text)


def test_parameters_keep_trec_evals_order() -> None:
    order = [entry.name for entry in ENTRIES]
    assert all([order.index(name) for name in names] == sorted(map(order.index, names)) for names in NICKNAMES.values())


def test_nicknames_stand_for_what_trec_eval_prints_with_them() -> None:
    assert [printed for printed, _ in expand("official")][:9] == [
        *("num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank")
    ]
    assert len(expand("official")) == 9 + 11 + 9
    assert len(expand("set")) == 10
    assert len(expand("all_trec")) == 9 + 11 + 4 * 9 + 2 + 10 + 4 + 3 + 9 + 3 + 5 + 1
    assert expand("prefs") == expand("all_prefs")[:7]
    assert len(expand("all_prefs")) == 1 + 14
    assert len(expand("qrels_jg")) == 1 + 1 + 9 + 10


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("map.3", "trec_eval's map takes no parameters, got '3'"),
        ("P.0", "trec_eval's P takes whole numbers from 1, as in P.5,10; got 0"),
        ("P.ten", "trec_eval's P takes whole numbers from 1, as in P.5,10; got ten"),
        ("P.\x1d3", "trec_eval's P takes whole numbers from 1, as in P.5,10; got \x1d3"),  # a blank to Python, not to C
        ("P.5,5", "trec_eval's P takes each number once, got 5,5"),
        ("Rprec_mult.half", "trec_eval's Rprec_mult takes numbers between commas, got 'half'"),
        ("ndcg.3", "trec_eval's ndcg takes gains of grades, as in 1=3,2=9, got '3'"),
        ("utility.1", "trec_eval's utility takes four numbers, as in utility.1,-1,0,0, got 1"),
        ("set_F.-1", "trec_eval's set_F takes a number of 0 or more, got -1"),
    ],
)
def test_what_trec_eval_would_not_take_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        expand(text)
    assert str(caught.value) == message
