"""Measures of sub-topics against pyndeval, by itself and through ir_measures, on collections that are made up.

Where they deviate, a test says how: ndeval does not divide at depth 1, its nNRBP is not a number where nothing counts,
and pyndeval has tied documents in ascending order of names.
"""

from collections import defaultdict
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import numpy as np
import pyndeval
import pytest

from rankscale.data.qrels import Qrels
from rankscale.evaluation.evaluate import evaluate
from rankscale.measures.families.subtopics import greedy_gains
from rankscale.measures.novelty import alpha_nDCG
from tests.data.made_aspects import made_qrels
from tests.measures.peers import ir_measures

Row = tuple[str, str, str, int]  # topic, sub-topic, document, grade
CUT = {"alpha-DCG": "alpha_DCG", "alpha-nDCG": "alpha_nDCG", "ERR-IA": "ERR_IA", "nERR-IA": "nERR_IA"}
PLAIN_CUT = {"P-IA": "P_IA", "strec": "StRecall"}
WHOLE = {"NRBP": "NRBP", "nNRBP": "nNRBP"}
DEPTHS = range(1, 21)
UNDIVIDED = {"alpha-DCG@1", "ERR-IA@1"}


@dataclass(frozen=True)
class Collection:
    """Judgments, and a run without ties, whose first topic lacks judgments and which lacks the last topic."""

    rows: list[Row]
    run: dict[str, dict[str, float]]
    qrels: Qrels

    @property
    def scored(self) -> list[tuple[str, str, float]]:
        return [(topic, d, score) for topic, ranking in self.run.items() for d, score in ranking.items()]


@cache
def collection(seed: int, *, ties: bool = False) -> Collection:
    """Topics with 1 to 20 sub-topics, some of them without a relevant document, and documents that nobody judged."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    run: dict[str, dict[str, float]] = {}
    for number in range(24):
        topic = f"{100 + number}"
        pool = [f"d{one:03d}" for one in rng.permutation(int(rng.integers(3, 60)))]
        for subtopic in range(1, int(rng.integers(1, 21)) + 1):
            share, relevant = rng.choice([0.1, 0.4, 0.9]), rng.choice([0.0, 0.2, 0.6])
            of = [d for d in pool if rng.random() < share] or pool[:1]
            rows += [(topic, str(subtopic), d, int(rng.integers(1, 4)) if rng.random() < relevant else 0) for d in of]
        some = rng.permutation([*pool, *(f"u{one:03d}" for one in range(15))])[: int(rng.integers(1, 60))]
        scores = rng.integers(0, 12, len(some)).astype(float) if ties else np.arange(len(some), 0.0, -1)
        run[topic] = dict(zip(some.tolist(), scores.tolist(), strict=True))
    run.pop("123")
    run["unknown"] = {"d001": 1.0}
    qrels = made_qrels([(topic, subtopic, d, float(grade)) for topic, subtopic, d, grade in rows])
    return Collection(rows, run, qrels)


def of_pyndeval(
    rows: list[Row],
    scored: list[tuple[str, str, float]],
    names: list[str],
    rel: int = 1,
    alpha: float = 0.5,
    beta: float = 0.5,
) -> dict[str, dict[str, float]]:
    evaluator = pyndeval.RelevanceEvaluator(rows, names, relevance_level=rel, alpha=alpha, beta=beta)
    values: dict[str, dict[str, float]] = evaluator.evaluate(scored)
    return values


def compare(
    made: Collection, names: dict[str, str], within: float, rel: int = 1, alpha: float = 0.5, beta: float = 0.5
) -> None:
    """Names of theirs and ours; all values of all topics that run and qrels share."""
    theirs = of_pyndeval(made.rows, made.scored, list(names), rel, alpha, beta)
    found = evaluate(made.qrels, {"run": made.run}, list(names.values()))
    assert len(theirs) == 23
    for name, ours in names.items():
        by_topic = found.by_topic("run", ours)
        for topic, values in theirs.items():
            if name in UNDIVIDED:
                continue
            if name == "nNRBP" and np.isnan(values[name]):
                assert by_topic[topic] == 0
            else:
                assert abs(by_topic[topic] - values[name]) <= within, (topic, name, by_topic[topic], values[name])
        assert by_topic["123"] == 0  # which the run lacks


def written(name: str, *parameters: str) -> str:
    given = ",".join(one for one in parameters if one)
    return f"{name}({given})" if given else name


@pytest.mark.parametrize("alpha", [0, 0.25, 0.5, 0.75, 1])
@pytest.mark.parametrize("seed", [1, 2])
def test_every_depth_of_ndeval(alpha: float, seed: int) -> None:
    named = {f"{name}@{k}": f"{written(ours, f'alpha={alpha}')}@{k}" for name, ours in CUT.items() for k in DEPTHS}
    named |= {name: written(ours, f"alpha={alpha}") for name, ours in WHOLE.items()}
    compare(collection(seed), named, 1e-12, alpha=alpha)


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.9])
@pytest.mark.parametrize("seed", [2, 3, 4])
def test_other_alphas_within_the_order_of_rounded_sums(alpha: float, seed: int) -> None:
    # ndeval compares rounded sums, and so breaks ties of gains by rounding errors.
    named = {
        f"{name}@{k}": f"{written(ours, f'alpha={alpha}')}@{k}" for name, ours in CUT.items() for k in (2, 5, 10, 20)
    }
    named |= {name: written(ours, f"alpha={alpha}") for name, ours in WHOLE.items()}
    compare(collection(seed), named, 5e-5, alpha=alpha)


def exact_greedy(serves: dict[str, set[str]], alpha: Fraction, depth: int) -> list[Fraction]:
    """Gains of the greedy ranking, counted in fractions: what is tied is tied; ties by name, the last first."""
    left = {subtopic: Fraction(1) for of in serves.values() for subtopic in of}
    gains: list[Fraction] = []
    number = len(left)
    documents = sorted(serves, reverse=True)
    while documents and len(gains) < depth:
        chosen = max(documents, key=lambda d: sum(left[i] for i in serves[d]))  # the first of those that are equal
        gains.append(sum((left[i] for i in serves[chosen]), start=Fraction(0)) / number)
        for i in serves[chosen]:
            left[i] *= 1 - alpha
        documents.remove(chosen)
    return gains


@pytest.mark.parametrize("alpha", ["1/10", "3/10", "9/10"])
@pytest.mark.parametrize("seed", [1, 2])
def test_the_greedy_ideal_is_that_of_exact_sums(alpha: str, seed: int) -> None:
    """With alpha 0.3 and seed 1 a value of ndeval is 0.00026 away, whose rounded sums have no such ties."""
    made = collection(seed)
    assert made.qrels.aspects is not None
    measure = alpha_nDCG(alpha=float(Fraction(alpha)))
    found = greedy_gains(measure.novelties(made.qrels.aspects), 20)
    for row, topic in enumerate(made.qrels.topics):
        serves: dict[str, set[str]] = defaultdict(set)
        for of, subtopic, d, grade in made.rows:
            if of == topic and grade > 0:
                serves[d].add(subtopic)
        expected = exact_greedy(serves, Fraction(alpha), 20)
        # Gains that differ by 1e-12 or less are tied here.
        np.testing.assert_allclose(found[row][: len(expected)], np.array(expected, dtype=float), rtol=0, atol=5e-12)


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("rel", [1, 2, 3])
def test_measures_without_alpha(seed: int, rel: int) -> None:
    named = {f"{name}@{k}": f"{ours}(rel={rel})@{k}" for name, ours in PLAIN_CUT.items() for k in DEPTHS}
    compare(collection(seed), {**named, "MAP-IA": f"AP_IA(rel={rel})"}, 1e-12, rel=rel)


@pytest.mark.parametrize("beta", [0.0, 0.3, 0.8, 0.99])
def test_beta(beta: float) -> None:
    named = {name: written(ours, "alpha=0.25", f"beta={beta}") for name, ours in WHOLE.items()}
    compare(collection(3), named, 1e-12, alpha=0.25, beta=beta)


def test_a_higher_rel() -> None:
    named = {f"{name}@{k}": f"{ours}(rel=2)@{k}" for name, ours in CUT.items() for k in DEPTHS}
    compare(collection(4), {**named, "NRBP": "NRBP(rel=2)"}, 1e-12, rel=2)


@pytest.mark.parametrize("seed", [1, 5])
def test_ties_in_the_order_of_each(seed: int) -> None:
    """Ours has the last name first; pyndeval the first: with names turned round they are the same."""
    made = collection(seed, ties=True)
    ordered = [
        (topic, d, float(len(ranking) - place))
        for topic, ranking in made.run.items()
        for place, d in enumerate(sorted(ranking, key=lambda one: (ranking[one], one), reverse=True))
    ]
    names = {f"{name}@{k}": f"{ours}@{k}" for name, ours in CUT.items() for k in (2, 5, 10, 20)} | {"MAP-IA": "AP_IA"}
    found = evaluate(made.qrels, {"run": made.run}, list(names.values()))
    ascending: dict[str, list[str]] = {
        topic: sorted(ranking, key=lambda one: (-ranking[one], one)) for topic, ranking in made.run.items()
    }
    in_their_order = {topic: {d: -float(place) for place, d in enumerate(of)} for topic, of in ascending.items()}
    as_theirs = evaluate(made.qrels, {"run": in_their_order}, list(names.values()))
    in_our_order = of_pyndeval(made.rows, ordered, list(names))
    theirs = of_pyndeval(made.rows, made.scored, list(names))
    differing = 0
    for name, ours in names.items():
        for topic, values in theirs.items():
            assert found.by_topic("run", ours)[topic] == pytest.approx(in_our_order[topic][name], abs=1e-12)
            assert as_theirs.by_topic("run", ours)[topic] == pytest.approx(values[name], abs=1e-12)
            differing += abs(values[name] - in_our_order[topic][name]) > 1e-9
    assert differing > 0


def test_ndeval_does_not_divide_at_depth_1() -> None:
    """SPEC2: 2.0 for .6667, as the document serves two of three sub-topics."""
    rows = [
        ("1", s, d, grade)
        for s, d, grade in [("1", "a", 1), ("1", "b", 1), ("2", "b", 1), ("2", "c", 1), ("3", "d", 1)]
    ]
    scored = [("1", "b", 5.0), ("1", "x", 4.0)]
    theirs = of_pyndeval(rows, scored, ["alpha-DCG@1", "ERR-IA@1"])["1"]
    assert theirs == {"alpha-DCG@1": 2.0, "ERR-IA@1": 2.0}
    qrels = made_qrels([(*row[:3], float(row[3])) for row in rows])
    found = evaluate(qrels, {"run": {"1": {"b": 5.0, "x": 4.0}}}, ["alpha_DCG@1", "ERR_IA@1"])
    np.testing.assert_allclose(found.values.ravel(), 2 / 3)


def test_nnrbp_of_ndeval_is_no_number_where_nothing_counts() -> None:
    rows = [("1", "1", "a", 0), ("1", "2", "b", 0)]
    assert np.isnan(of_pyndeval(rows, [("1", "a", 1.0)], ["nNRBP"])["1"]["nNRBP"])
    found = evaluate(made_qrels([(*row[:3], 0.0) for row in rows]), {"run": {"1": {"a": 1.0}}}, ["nNRBP"])
    assert found.values.item() == 0


OF_IR_MEASURES = [
    *(f"{name}@{k}" for name in ("alpha_DCG", "alpha_nDCG", "ERR_IA", "nERR_IA") for k in (2, 10, 20)),
    *("P_IA@5", "P_IA@20", "StRecall@1", "StRecall@20", "NRBP", "nNRBP", "AP_IA"),
]


@pytest.mark.parametrize("name", OF_IR_MEASURES)
def test_values_of_ir_measures(name: str) -> None:
    """One measure at a time: asked for two alphas at once, ir_measures 0.4.3 gives 0 for all but one."""
    made = collection(1)
    measure = ir_measures.parse_measure(name)
    qrels = [ir_measures.Qrel(topic, d, grade, subtopic) for topic, subtopic, d, grade in made.rows]
    run = [ir_measures.ScoredDoc(topic, d, score) for topic, d, score in made.scored]
    theirs = {one.query_id: one.value for one in ir_measures.pyndeval.iter_calc([measure], qrels, run)}
    found = evaluate(made.qrels, {"run": made.run}, [measure]).by_topic("run", measure)
    assert len(theirs) >= 23
    for topic, value in theirs.items():
        if not np.isnan(value):
            assert found[topic] == pytest.approx(value, abs=1e-12)


def test_depths_that_peers_do_not_reach() -> None:
    made = collection(1)
    with pytest.raises(AssertionError, match="cutoffs up to 20"):
        of_pyndeval(made.rows, made.scored, ["alpha-nDCG@21"])
    found = evaluate(made.qrels, {"run": made.run}, ["alpha_nDCG@21", "alpha_nDCG@1000"])
    assert np.isfinite(found.values).all()


def test_every_collection_has_what_it_should() -> None:
    made = collection(1)
    by_topic: dict[str, dict[str, bool]] = defaultdict(dict)
    for topic, subtopic, _, grade in made.rows:
        by_topic[topic][subtopic] = by_topic[topic].get(subtopic, False) or grade > 0
    assert {len(of) for of in by_topic.values()} >= {1, 2}
    assert max(len(of) for of in by_topic.values()) >= 18
    assert any(not all(of.values()) for of in by_topic.values())
