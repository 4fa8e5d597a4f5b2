"""Values of measures of sub-topics that others computed: all of SPEC2's, and names of other tools."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from rankscale.data.judged import Judged
from rankscale.data.qrels import Qrels
from rankscale.errors import BoundsError, ParameterError, ScaleError
from rankscale.inputs.read import read_qrels, read_run
from rankscale.measures.base.parser import parse
from rankscale.measures.families.subtopics import exact_ideal, greedy_gains, upper_bounds
from rankscale.measures.novelty import nNRBP
from rankscale.scales.scale import scale
from tests.data.made_aspects import made_qrels
from tests.measures.peers import ir_measures

# Sub-topic, document, grade: 4 has no relevant document.
ROWS = [("1", "a", 1), ("1", "b", 2), ("2", "b", 1), ("2", "c", 1), ("3", "d", 3), ("3", "a", 0), ("4", "e", 0)]
QRELS = made_qrels([("t", subtopic, document, float(grade)) for subtopic, document, grade in ROWS])
RANKING = "b x a e d"
EIGHT = ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA", "P_IA", "StRecall", "D_nDCG", "Dsharp_nDCG")
AT = {  # by depth, the eight
    1: (0.666667, 1, 0.666667, 1, 0.666667, 0.666667, 1, 0.833333),
    2: (0.506792, 0.760188, 0.533333, 0.8, 0.333333, 0.666667, 0.613147, 0.639907),
    5: (0.578837, 0.851623, 0.572869, 0.847761, 0.266667, 1, 0.800307, 0.900153),
    20: (0.570914, 0.851623, 0.569063, 0.847761, 0.066667, 1, 0.800307, 0.900153),
    30: (0.570913, 0.851623, 0.569063, 0.847761, 0.044444, 1, 0.800307, 0.900153),
}
OTHERS = {
    "NRBP": 0.546875,
    "nNRBP": 0.813953,
    "NRBP(beta=0.8)": 0.545920,
    "nNRBP(beta=0.8)": 0.808531,
    "AP_IA": 0.511111,
    "alpha_DCG(alpha=0.9)@5": 0.760166,
    "alpha_nDCG(alpha=0.9)@5": 0.894587,
    "Coverage@3": 0.5,
    "Coverage@5": 0.75,
}
WEIGHTS = {"1": 0.5, "2": 0.3, "3": 0.2}
WEIGHTED = {
    **dict(zip(EIGHT, (0.660115, 0.893113, 0.670499, 0.897166, 0.3, 1, 0.866044, 0.933022), strict=True)),
    "NRBP": 0.65625,
    "nNRBP": 0.880503,
    "AP_IA": 0.606667,
}


def ranked(qrels: Qrels, ranking: str) -> Judged:
    """A ranking of one topic; `=` stands between documents with equal scores."""
    groups: Sequence[list[str]] = [group.split("=") for group in ranking.split()]
    scores = {document: -float(place) for place, group in enumerate(groups) for document in group}
    return read_run(qrels, {"t": scores}, name="run").judged(qrels)


def weighted(weights: dict[str, float]) -> Qrels:
    assert QRELS.aspects is not None
    return replace(QRELS, aspects=QRELS.aspects.with_intents({(0, name): weight for name, weight in weights.items()}))


def value(text: str, qrels: Qrels = QRELS, ranking: str = RANKING) -> float:
    return float(parse(text).value(ranked(qrels, ranking))[0])


@pytest.mark.parametrize("depth", AT)
@pytest.mark.parametrize("name", EIGHT)
def test_values_by_depth(name: str, depth: int) -> None:
    assert value(f"{name}@{depth}") == pytest.approx(AT[depth][EIGHT.index(name)], abs=5.1e-7)


@pytest.mark.parametrize("text", OTHERS)
def test_other_values(text: str) -> None:
    assert value(text) == pytest.approx(OTHERS[text], abs=5.1e-7)


@pytest.mark.parametrize("name", WEIGHTED)
def test_values_with_probabilities_of_subtopics(name: str) -> None:
    text = f"{name}@5" if name in EIGHT else name
    assert value(text, weighted(WEIGHTS)) == pytest.approx(WEIGHTED[name], abs=5.1e-7)


@pytest.mark.parametrize("name", EIGHT)
def test_the_curve_has_the_values_of_each_depth(name: str) -> None:
    curve = parse(f"{name}@1").curve(ranked(QRELS, RANKING).every_rank(30))[0]
    assert [curve[depth - 1] for depth in AT] == pytest.approx([AT[k][EIGHT.index(name)] for k in AT], abs=5.1e-7)


def test_probabilities_are_scaled_unless_they_are_kept() -> None:
    double = weighted({name: 2 * weight for name, weight in WEIGHTS.items()})
    assert value("P_IA@5", double) == pytest.approx(0.3)
    assert value("P_IA(renormalise=False)@5", double) == pytest.approx(0.6)
    # what is scaled away is the weight of a sub-topic without a relevant document
    outside = weighted({"1": 0.25, "2": 0.15, "3": 0.1, "4": 0.5})
    assert value("alpha_DCG@5", outside) == pytest.approx(WEIGHTED["alpha_DCG"], abs=5.1e-7)
    assert value("alpha_DCG(renormalise=False)@5", outside) == pytest.approx(WEIGHTED["alpha_DCG"] / 2, abs=5.1e-7)


def test_subtopics_that_only_the_probabilities_name_count_for_coverage_alone() -> None:
    more = weighted({**WEIGHTS, "5": 0.0})
    assert value("Coverage@5", more) == pytest.approx(3 / 5)
    assert value("StRecall@5", more) == 1
    assert value("alpha_nDCG@5", more) == pytest.approx(WEIGHTED["alpha_nDCG"], abs=5.1e-7)


@pytest.mark.parametrize("text", ["alpha_nDCG@5", "P_IA@5", "StRecall", "Coverage@5", "D_nDCG@5", "IA(nDCG)@5", "NRBP"])
def test_where_nothing_counts_the_value_is_0(text: str) -> None:
    nothing = made_qrels([("t", "1", "b", 0.0), ("t", "2", "a", 0.0)])
    assert value(text, nothing) == 0
    assert value(text, weighted({"1": 0, "4": 1})) == 0


def test_a_higher_rel_leaves_fewer_subtopics() -> None:
    assert value("StRecall(rel=2)@1") == 0.5
    assert value("P_IA(rel=2)@5") == pytest.approx((1 / 5 + 1 / 5) / 2)
    assert value("IA(AP(rel=2))") == value("AP_IA(rel=2)")
    assert value("alpha_nDCG(rel=4)@5") == 0


TWO = made_qrels([("t", s, d, 1.0) for d, of in {"a": "24", "b": "13", "c": "34"}.items() for s in of])


def test_the_greedy_ideal_may_be_beaten() -> None:
    assert value("alpha_nDCG@2", TWO, "a b") == pytest.approx(1.107068, abs=5.1e-7)
    assert value("alpha_nDCG(ideal='exact')@2", TWO, "a b") == 1
    assert value("alpha_nDCG@3", TWO, "a b") == pytest.approx(0.882444, abs=5.1e-7)
    assert value("alpha_nDCG(ideal='exact')@3", TWO, "a b") == pytest.approx(0.867087, abs=5.1e-7)
    weights = 1 / np.log2([2.0, 3.0])
    assert TWO.aspects is not None
    novelties = parse("alpha_nDCG@2").novelties(TWO.aspects)  # type: ignore[attr-defined]
    assert 4 * (weights * greedy_gains(novelties, 2)).sum() == pytest.approx(2.946395, abs=5.1e-7)
    assert 4 * exact_ideal(novelties, 0, weights)[-1] == pytest.approx(3.261860, abs=5.1e-7)
    assert 4 * upper_bounds(novelties, weights)[0] == pytest.approx(3.261860, abs=5.1e-7)


@pytest.mark.parametrize(
    ("text", "mean"), [("alpha_nDCG@5", 0.869271), ("StRecall@2", 0.666667), ("StRecall@4", 0.833333)]
)
def test_means_over_ties(text: str, mean: float) -> None:
    assert parse(text).expected(ranked(QRELS, "b x=a e=d"))[0] == pytest.approx(mean, abs=5.1e-7)


@pytest.mark.parametrize(
    ("text", "upper"),
    [("alpha_DCG@5", 0.785938), ("ERR_IA@5", 0.770550), ("P_IA@5", 0.466667), ("NRBP", 0.779948)],
)
def test_upper_bounds(text: str, upper: float) -> None:
    table = ranked(QRELS, RANKING)
    low, high = parse(text).bounds(table)
    assert (low[0], high[0]) == (value(text), pytest.approx(upper, abs=5.1e-7))


@pytest.mark.parametrize("text", ["alpha_nDCG@5", "nERR_IA@5", "nNRBP", "AP_IA", "D_nDCG@5", "Dsharp_nDCG@5", "IA(AP)"])
def test_measures_over_an_ideal_have_no_bounds(text: str) -> None:
    with pytest.raises(BoundsError, match="the recall base is used"):
        parse(text).bounds(ranked(QRELS, RANKING))


def test_documents_that_no_subtopic_judges_can_be_removed() -> None:
    assert value("alpha_DCG(judged_only=True)@4") == pytest.approx(value("alpha_DCG@4", ranking="b a e d"))
    assert value("IA(P(judged_only=True))@2") == pytest.approx(value("P_IA@2", ranking="b a e d"))


def test_the_sample_of_ntcireval() -> None:
    """Topic 0001 of its files Dtest.Dqrels and Dtest.Iprob, as far as the first ten ranks of TRECRUN need it.

    Two documents of the topic serve intents 1 and 3, dozens 2 and 3. Ranks 3 and 5 serve 2 and 3, rank 4 intent 2. The
    values are those of its README.diversity, which has no others of these measures.
    """
    served = {"r3": "23", "r4": "2", "r5": "23", "i1": "13", "i2": "13", **{f"j{number}": "23" for number in range(30)}}
    rows = [("t", intent, document, 1.0) for document, of in served.items() for intent in of]
    plain = made_qrels([*rows, *(("t", "0", f"r{rank}", 0.0) for rank in (1, 2, 6, 7, 8, 9, 10))])
    qrels = read_qrels(plain, intents=b"t 1 0.5714\nt 2 0.2857\nt 3 0.1429\n")
    ranking = " ".join(f"r{rank}" for rank in range(1, 11))
    assert round(value("D_nDCG@10", qrels, ranking), 4) == 0.2085
    assert round(value("I_rec@10", qrels, ranking), 4) == 0.6667
    assert round(value("D#-nDCG@10", qrels, ranking), 4) == 0.4376


NAMES = {
    "alpha-nDCG@20": "alpha_nDCG@20",
    "alpha-DCG@5": "alpha_DCG@5",
    "MAP-IA": "AP_IA",
    "P-IA@10": "P_IA@10",
    "ERR-IA@20": "ERR_IA@20",
    "nERR-IA@5": "nERR_IA@5",
    "strec@20": "StRecall@20",
    "NRBP": "NRBP",
    "nNRBP": "nNRBP",
    "I_rec@10": "StRecall@10",
    "I-rec@10": "StRecall@10",
    "S-recall@10": "StRecall@10",
    "D#-nDCG@10": "Dsharp_nDCG@10",
    "D#-nDCG(gamma=0.3)@10": "Dsharp_nDCG(gamma=0.3)@10",
    "D-nDCG@10": "D_nDCG@10",
    "IA(P@10)": "IA(P)@10",
    "IA(ERR)@20": "IA(ERR)@20",
    "coverage@10": "Coverage@10",
}


@pytest.mark.parametrize("text", NAMES)
def test_names_of_other_tools(text: str) -> None:
    assert str(parse(text)) == NAMES[text]


def test_several_names_at_once() -> None:
    from rankscale.measures.base.parser import parse_all

    assert [str(one) for one in parse_all("D#-nDCG@5,alpha-nDCG@5")] == ["Dsharp_nDCG@5", "alpha_nDCG@5"]


def test_objects_of_ir_measures() -> None:
    assert parse(ir_measures.alpha_nDCG(alpha=0.25) @ 20) == parse("alpha_nDCG(alpha=0.25)@20")
    assert parse(ir_measures.NRBP(alpha=0.3, beta=0.8)) == parse("NRBP(alpha=0.3,beta=0.8)")
    assert parse(ir_measures.StRecall(rel=2) @ 5) == parse("StRecall(rel=2)@5")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("alpha_nDCG", "a depth is needed"),
        ("ERR_IA", "a depth is needed"),
        ("P_IA", "a depth is needed"),
        ("D_nDCG", "a depth is needed"),
        ("Coverage", "a depth is needed"),
        ("alpha_nDCG(alpha=1.5)@5", "alpha must lie between 0 and 1, got 1.5"),
        ("alpha_nDCG(ideal='best')@5", "ideal must be 'greedy' or 'exact', got 'best'"),
        ("NRBP(alpha=0,beta=1)", "beta must be below 1 where alpha is 0"),
        ("IA(alpha_nDCG)@5", "looks at one grade of each document"),
        ("IA(NumRel)", "whose topics are averaged"),
        ("IA(P@5)@10", "the depth is given twice"),
        ("IA(SetP)@10", "SetP takes no depth"),
        ("Interval(P_IA@5)", "looks at sub-topics"),
        ("D_nDCG(gains={1:-1})@5", None),
    ],
)
def test_parameters_that_make_no_sense(text: str, words: str | None) -> None:
    if words is None:
        with pytest.raises(ParameterError, match="gains must be 0 or more"):
            value(text)
        return
    with pytest.raises(ParameterError, match=words):
        parse(text)


def test_there_is_no_scale_of_subtopics() -> None:
    with pytest.raises(ScaleError, match="looks at sub-topics"):
        scale("alpha_nDCG@5")


@pytest.mark.parametrize(
    ("text", "scale_type"),
    [("P_IA@5", "interval"), ("StRecall@5", "interval"), ("Coverage@5", "ordinal"), ("alpha_nDCG@5", "ordinal")],
)
def test_scales(text: str, scale_type: str) -> None:
    measure = parse(text)
    assert measure.scale_type((0, 1)) == scale_type
    assert measure.topic_scales  # of a topic: numbers of sub-topics differ
    assert not measure.has_interval_version


def test_beta_1_is_allowed_where_interest_ends() -> None:
    assert nNRBP(beta=1).value(ranked(QRELS, "b d c a"))[0] == pytest.approx(1)
