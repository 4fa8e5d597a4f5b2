"""Names of other tools and names in any case: what they stand for here, and that values are theirs."""

import math
import random
import re
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.evaluation.curves.curves import curve_requests
from rankscale.measures.base import register
from rankscale.measures.base.parser import parse, parse_all, parse_at
from rankscale.measures.base.register import NAMES, folded, separated, trec_in_case
from rankscale.measures.base.register_table import ALIASES, CLASSES
from rankscale.measures.base.trec_names import BY_NAME, NICKNAMES
from tests.measures.peers import Grades, Scores

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "from-other-tools.md"
ROW = re.compile(r"^\| (?P<tool>[^|]+) \| (?P<theirs>`[^|]+`) \| `(?P<ours>[^|`]+)` \|", re.MULTILINE)


def documented() -> list[tuple[str, str]]:
    """Rows of the table of names: a name there, and the measure here."""
    table = PAGE.read_text(encoding="utf-8").partition("## Names of measures")[2].partition("\n## ")[0]
    return [(name, row["ours"]) for row in ROW.finditer(table) for name in re.findall("`([^`]+)`", row["theirs"])]


@pytest.mark.parametrize(("theirs", "ours"), documented())
def test_names_are_what_the_page_says(theirs: str, ours: str) -> None:
    assert str(parse(theirs)) == ours


def test_the_page_has_every_name_of_the_table() -> None:
    listed = {folded(re.split(r"@|_at_|\(", name)[0]) for name, _ in documented()}
    assert len(documented()) > 30
    assert {folded(name) for name in NAMES} <= listed


@pytest.mark.parametrize("name", [*CLASSES, *ALIASES])
def test_every_name_is_known_in_any_case(name: str) -> None:
    for spelling in (name, name.lower(), name.upper(), name.swapcase(), name.replace("_", "-").lower()):
        known = register.find(spelling) if spelling.isidentifier() else None
        assert known in {None, register.find(name)}


@pytest.mark.parametrize("name", [*BY_NAME, *NICKNAMES])
def test_names_of_trec_eval_are_known_in_any_case(name: str) -> None:
    assert trec_in_case(name.swapcase()) == name
    assert len({one.casefold() for one in (*BY_NAME, *NICKNAMES)}) == len(BY_NAME) + len(NICKNAMES)


def test_several_depths_of_trec_eval_in_another_case() -> None:
    assert parse_all("ndcg_CUT.5,10") == parse_all(["nDCG@5", "nDCG@10"])
    assert parse_all("Official") == parse_all("official")
    assert parse_all("MAP_CUT_100") == parse_all("AP@100")
    # An exact name of trec_eval is trec_eval's: recall at nine depths. Ours in another case is ours.
    assert len(parse_all("recall")) == 9
    with pytest.raises(ParameterError, match="R: a depth is needed, as in R@10"):
        parse_all("RECALL")


def test_the_exact_name_wins_and_two_that_differ_by_case_are_both_named(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = [
        EntryPoint(name, f"rankscale.measures.{place}", "rankscale.measures")
        for name, place in (("ndcg", "ap:AP"), ("Mine", "ap:AP"), ("mine", "search_length:RR"))
    ]
    monkeypatch.setattr(register, "_elsewhere", lambda: EntryPoints(theirs))
    register.find.cache_clear()
    try:
        assert [register.find(name).name for name in ("nDCG", "ndcg", "Mine", "mine")] == ["nDCG", "AP", "AP", "RR"]
        with pytest.raises(ParameterError, match=r"^'MINE' can mean Mine or mine: write one of these, in this case$"):
            register.find("MINE")
        with pytest.raises(ParameterError, match=r"^'Ndcg' can mean nDCG or ndcg: write one of these, in this case$"):
            register.find("Ndcg")
    finally:
        register.find.cache_clear()


WRITE = "write RBP({0}) for relevant or not, gRBP({0}) for the grade over the highest"
OF_RANX = "is a measure of ranx, whose gain is the grade itself"
REFUSED = {
    "rbp.95": f"rbp.95 {OF_RANX}: {WRITE.format('p=0.95')}",
    "rbp@95": f"rbp@95 {OF_RANX}: {WRITE.format('p=0.95')}, RBP@95 for a depth",
    "rbp": (
        f"rbp is a measure of trec_eval 10, with the topic's highest grade: {WRITE.format('p=0.9')}"
        "; `rankscale trec_eval` knows trec_eval's"
    ),
    "hits@10": "hits is no measure here: hits@k of ranx is k times P@k: write P@k",
    "NumQ-l2": "NumQ: it has no lowest relevant grade, and -l2 gives one; `rankscale measures NumQ` explains it",
    "RetrievalFallOut@5": (
        "Fallout: collection is needed, as in Fallout(collection=528155); `rankscale measures Fallout` explains it"
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.items())
def test_what_means_something_else_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse(text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("text", "near"), [("NDGC@10", "nDCG"), ("precison@5", "Precision"), ("twsit", "Twist"), ("hitrat@5", "hit_rate")]
)
def test_the_nearest_name_in_any_case_is_suggested(text: str, near: str) -> None:
    with pytest.raises(UnknownNameError, match=f"did you mean {near}[?]"):
        parse(text)


def test_several_measures_in_one_text() -> None:
    assert parse_all("AP, P@10,nDCG(gains={1:3,2:9})@5") == parse_all(["AP", "P@10", "nDCG(gains={1:3,2:9})@5"])
    assert parse_all("P.5,10,map") == parse_all(["P@5", "P@10", "AP"])
    assert separated("P_5,P_10,11pt_avg") == ["P_5", "P_10", "11pt_avg"]
    assert separated("DCG(gains='exp'),AP") == ["DCG(gains='exp')", "AP"]
    with pytest.raises(ParameterError, match="AP,P@10 stands for 2 measures, and one is needed; name one, as in AP"):
        parse("AP,P@10")
    requests = curve_requests("precision,ndcg@10")
    assert [(str(one.measure), one.open_ended) for one in requests] == [("P@1", True), ("nDCG@10", False)]
    assert str(parse_at("precision", 7)) == "P@7"


def collection(seed: int) -> tuple[Grades, Scores]:
    """Graded judgments and rankings without ties, some short, some documents judged for other topics alone."""
    drawn = random.Random(seed)
    documents = [f"d{number}" for number in range(30)]
    qrels = {
        f"q{topic}": {one: drawn.choice([0, 0, 1, 1, 2, 3]) for one in drawn.sample(documents, 12)}
        for topic in range(8)
    }
    for grades in qrels.values():
        grades[min(grades)], grades[max(grades)] = 2, 0  # ranx wants both kinds
    run = {
        topic: {one: place + drawn.random() / 2 for place, one in enumerate(drawn.sample(documents, length))}
        for topic, length in zip(qrels, [20, 20, 3, 7, 20, 12, 20, 1], strict=True)
    }
    return qrels, run


def by_topic(qrels: Grades, run: Scores, measure: str) -> dict[str, float]:
    result = rs.evaluate(qrels, {"mine": run}, measure)
    (name,) = map(str, result.measures)
    return {topic: values[name] for topic, values in result.to_dict()["mine"].items()}


def beir_capped_recall(grades: dict[str, int], top: list[str], depth: int) -> float:
    relevant = {one for one, grade in grades.items() if grade > 0}
    return len(relevant & set(top[:depth])) / min(len(relevant), depth)


def hole(grades: dict[str, int], top: list[str], depth: int) -> float:
    return sum(one not in grades for one in top[:depth]) / depth


def torchmetrics_fall_out(grades: dict[str, int], top: list[str], depth: int, size: int = 30) -> float:
    relevant = {one for one, grade in grades.items() if grade > 0}
    return sum(one not in relevant for one in top[:depth]) / (size - len(relevant))


def elasticsearch_dcg(grades: dict[str, int], top: list[str], depth: int) -> float:
    gains = [2 ** grades.get(one, 0) - 1 for one in top[:depth]]
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


@pytest.mark.parametrize("depth", [1, 5, 10])
@pytest.mark.parametrize(
    ("name", "slow"),
    [
        ("recall_cap@{}", beir_capped_recall),
        ("R_cap@{}", beir_capped_recall),
        ("hole@{}", hole),
        ("RetrievalFallOut(collection=30)@{}", torchmetrics_fall_out),
        ("dcg_burges@{}", elasticsearch_dcg),
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_values_are_those_of_their_definitions(name: str, slow: object, depth: int, seed: int) -> None:
    assert callable(slow)
    qrels, run = collection(seed)
    values = by_topic(qrels, run, name.format(depth))
    for topic, ranking in run.items():
        top = sorted(ranking, key=ranking.__getitem__, reverse=True)
        assert values[topic] == pytest.approx(slow(qrels[topic], top, depth), abs=1e-12)


def test_a_collection_is_no_smaller_than_what_was_retrieved() -> None:
    with pytest.raises(ParameterError, match=r"Fallout\(collection=2\).*give the size of the collection"):
        rs.evaluate({"1": {"a": 1}}, {"1": {"b": 3, "c": 2, "d": 1}}, "Fallout(collection=2)")


RANX = [
    *("precision@5", "recall@5", "f1@5", "hit_rate@5", "r-precision", "mrr", "mrr@5", "map", "map@10", "dcg@5"),
    *("ndcg", "ndcg@5", "ndcg_burges@5", "dcg_burges@5", "map-l2", "ndcg@10-l2", "precision@5-l2", "mrr-l3"),
]


@pytest.mark.slow  # numba compiles
@pytest.mark.filterwarnings("ignore::Warning")  # of numba
def test_values_of_ranx_by_its_names() -> None:
    import ranx

    qrels, run = collection(5)
    theirs = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), RANX, return_mean=False)
    for name in RANX:
        values = by_topic(qrels, run, name)
        np.testing.assert_allclose([values[topic] for topic in sorted(qrels)], theirs[name], atol=1e-12, err_msg=name)


def test_values_of_beir_and_mteb_by_their_names() -> None:
    """Both take them from pytrec_eval, which orders and computes as trec_eval does."""
    import pytrec_eval

    qrels, run = collection(6)
    pairs = {
        "NDCG@10": "ndcg_cut_10",
        "ndcg_at_10": "ndcg_cut_10",
        "MAP@5": "map_cut_5",
        "map_at_5": "map_cut_5",
        "Recall@5": "recall_5",
        "recall_at_5": "recall_5",
        "P@5": "P_5",
        "precision_at_5": "P_5",
        "top_k_accuracy@5": "success_5",
        "MRR": "recip_rank",
    }
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, {"ndcg_cut.10", "map_cut.5", "recall.5", "P.5", "success.5", "recip_rank"}
    )
    theirs = evaluator.evaluate(run)
    for ours, name in pairs.items():
        assert by_topic(qrels, run, ours) == {topic: theirs[topic][name] for topic in qrels}
