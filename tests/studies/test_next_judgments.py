"""Documents to judge next, against a slow greedy program, against judging them, and against all other choices."""

import math
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import BoundsError, ParameterError, UnknownNameError
from rankscale.studies import next_judgments as module

next_judgments: Any = module.next_judgments

COLUMNS = ("topic", "document", "weight", "runs", "best_rank", "residual", "highest_residual")


def random_collection(seed: int, topics: int = 3, documents: int = 12, runs: str = "vwxy") -> tuple[Any, Any]:
    """Some documents judged, a few with a negative grade, and runs that miss topics and retrieve unjudged ones."""
    random = np.random.default_rng(seed)
    names = [f"d{number:02}" for number in range(documents)]
    qrels = {
        str(topic): {
            "judged": 1,
            **{name: int(random.choice([-1, 0, 1, 2])) for name in names if random.random() < 0.4},
        }
        for topic in range(topics)
    }
    made = {
        run: {
            topic: {name: float(random.random()) for name in random.permutation(names)[: random.integers(1, 9)]}
            for topic in qrels
            if random.random() < 0.9 or topic == "0"
        }
        for run in runs
    }
    return qrels, made


def ranking(scores: dict[str, float]) -> list[str]:
    return sorted(scores, key=lambda name: (-np.float32(scores[name]), [-byte for byte in name.encode()]))


def residual(judged: set[str], ranked: list[str], p: float) -> float:
    """SPEC 4: p^d + (1-p) times the sum over unjudged ranks of p^(i-1)."""
    return p ** len(ranked) + (1 - p) * sum(p**place for place, name in enumerate(ranked) if name not in judged)


def slow_greedy(qrels: Any, runs: Any, p: float, count: int) -> list[tuple[Any, ...]]:
    """Try every document at every step, and compute all residuals anew; of equals the first topic, rank and name."""
    judged = {topic: {name for name, grade in grades.items() if grade >= 0} for topic, grades in qrels.items()}
    ranked = {run: {t: ranking(of.get(t, {})) for t in qrels} for run, of in runs.items()}

    def residuals() -> list[float]:
        return [math.fsum(residual(judged[t], of[t], p) for t in qrels) / len(qrels) for of in ranked.values()]

    rows = []
    for _ in range(count):
        best = None
        for place, t in enumerate(qrels):
            for name in {name for of in ranked.values() for name in of[t]} - judged[t]:
                ranks = [of[t].index(name) + 1 for of in ranked.values() if name in of[t]]
                weight = math.fsum((1 - p) * p ** (rank - 1) for rank in ranks)
                key = (-round(weight, 12), place, min(ranks), name)
                if best is None or key < best[0]:
                    best = (key, t, name, weight, ranks)
        if best is None:
            break
        _, t, name, weight, ranks = best
        judged[t].add(name)
        left = residuals()
        rows.append((t, name, weight, len(ranks), min(ranks), math.fsum(left) / len(left), max(left)))
    return rows


@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("seed", range(6))
def test_the_order_is_that_of_a_slow_greedy_program(seed: int, p: float) -> None:
    qrels, runs = random_collection(seed)
    made = next_judgments(qrels, runs, 1000, weight=f"RBP(p={p})")
    expected = slow_greedy(qrels, runs, p, 1000)
    rows = [tuple(row[name] for name in COLUMNS) for row in made.table("next")]
    assert [(*row[:2], *row[3:5]) for row in rows] == [(*row[:2], *row[3:5]) for row in expected]
    for row, wanted in zip(rows, expected, strict=True):
        assert np.allclose([row[2], *row[5:]], [wanted[2], *wanted[5:]], rtol=0, atol=1e-12)
    assert len(rows) == made.unjudged.sum()
    short = next_judgments(qrels, runs, 3, weight=f"RBP(p={p})").table("next")
    assert list(short) == list(made.table("next"))[:3]


@pytest.mark.parametrize("weight", ["RBP(p=0.8)", "RBP(p=0.9,gains='linear')", "DCG@5", "P@4", "CG@6", "RBP(p=0.5)@3"])
def test_residuals_are_those_after_judging(weight: str) -> None:
    """Whatever the judgments are."""
    qrels, runs = random_collection(11)
    made = next_judgments(qrels, runs, 5, weight=weight)
    for grade in (0, 2):
        more = {topic: dict(grades) for topic, grades in qrels.items()}
        expected = []
        for row in made.table("next"):
            more[row["topic"]][row["document"]] = grade
            bounds: Any = rs.evaluate(more, runs, weight, bounds=True)
            open_still = (bounds.upper - bounds.lower)[0]
            expected.append([open_still.mean(), open_still.mean(axis=1).max()])
        listed = [[row["residual"], row["highest_residual"]] for row in made.table("next")]
        assert np.allclose(listed, expected, rtol=0, atol=1e-12)
        assert np.allclose(made.after, open_still, rtol=0, atol=1e-12)
        runs_after = [row["residual_after"] for row in made.table("runs")]
        assert np.allclose(runs_after, open_still.mean(axis=1), rtol=0, atol=1e-12)
        topics_after = [row["residual_after"] for row in made.table("topics")]
        assert np.allclose(topics_after, open_still.mean(axis=0), rtol=0, atol=1e-12)
    assert [row["next"] for row in made.table("topics")] == [
        sum(row["topic"] == topic for row in made.table("next")) for topic in qrels
    ]


@pytest.mark.parametrize("seed", range(4))
def test_no_smaller_number_of_judgments_is_as_accurate(seed: int) -> None:
    qrels, runs = random_collection(seed, topics=2, documents=5, runs="xyz")
    everything = next_judgments(qrels, runs, 1000, weight="RBP(p=0.7)")
    weights = [row["weight"] for row in everything.table("next")]
    start, cells = everything.before.mean(), everything.before.size
    for accuracy in (0.9 * start, 0.8 * start, 0.6 * start):
        needed = next(
            (
                count
                for count in range(len(weights) + 1)
                if any(start - math.fsum(chosen) / cells < accuracy for chosen in combinations(weights, count))
            ),
            None,
        )
        if needed is None:
            with pytest.raises(ParameterError, match="cannot be reached: judging every document that runs rank leaves"):
                next_judgments(qrels, runs, weight="RBP(p=0.7)", accuracy=accuracy)
        else:
            made = next_judgments(qrels, runs, weight="RBP(p=0.7)", accuracy=accuracy)
            assert (made.needed, len(made.table("next"))) == (needed, needed)


def test_the_ranking_of_the_paper() -> None:
    """Moffat and Zobel 2008, section 4.4: `$$---$----$-??--?---`, whose bounds at p=0.8 are .4470 and .4889."""
    signs = "$$---$----$-??--?---"
    run = {"1": {f"d{place:02}": -place for place in range(1, 21)}}
    qrels = {"1": {f"d{place:02}": int(sign == "$") for place, sign in enumerate(signs, start=1) if sign != "?"}}
    made = next_judgments(qrels, {"paper": run}, 3, weight="RBP(p=0.8)")
    assert round(float(made.before[0, 0]), 4) == round(0.4889 - 0.4470, 4)
    p = Fraction(4, 5)
    weights = [(1 - p) * p ** (rank - 1) for rank in (13, 14, 17)]
    rows = list(made.table("next"))
    assert [row["document"] for row in rows] == ["d13", "d14", "d17"]
    assert np.allclose([row["weight"] for row in rows], [float(weight) for weight in weights], rtol=0, atol=1e-15)
    assert math.isclose(float(made.after[0, 0]), float(p**20), abs_tol=1e-12)
    # p^20 = 0.0115 is what rankings of 20 documents leave open, whatever is judged.
    assert next_judgments(qrels, {"paper": run}, weight="RBP(p=0.8)", accuracy=0.03).needed == 1
    with pytest.raises(ParameterError, match=r"an accuracy of 0\.01 cannot be reached: .* at 0\.01153, since rankings"):
        next_judgments(qrels, {"paper": run}, weight="RBP(p=0.8)", accuracy=0.01)
    warned = next_judgments(qrels, {"paper": run}, 2, weight="RBP(p=0.8)", accuracy=0.01)
    assert warned.needed is None
    assert len(warned.table("next")) == 2
    assert "an accuracy of 0.01 cannot be reached" in warned.warnings[-1]


def test_a_list_that_is_shorter_than_the_accuracy_takes() -> None:
    qrels, runs = random_collection(1)
    whole = next_judgments(qrels, runs, weight="RBP(p=0.5)", accuracy=0.4)
    assert whole.needed is not None
    assert whole.needed > 1
    short = next_judgments(qrels, runs, 1, weight="RBP(p=0.5)", accuracy=0.4)
    assert (short.needed, len(short.table("next"))) == (whole.needed, 1)
    assert short.sentence().endswith(f"It takes {whole.needed} judgments to get a mean residual of runs below 0.4.")
    last, before = list(whole.table("next"))[-1], list(whole.table("next"))[-2]
    assert last["residual"] < 0.4 <= before["residual"]
    nothing = next_judgments(qrels, runs, weight="RBP(p=0.5)", accuracy=2)
    assert (nothing.needed, len(nothing.table("next"))) == (0, 0)


def test_every_run_takes_more_than_the_mean() -> None:
    qrels, runs = random_collection(2)
    options: dict[str, Any] = {"weight": "RBP(p=0.5)", "accuracy": 0.5}
    mean, every = next_judgments(qrels, runs, **options), next_judgments(qrels, runs, stop="every", **options)
    rows = list(every.table("next"))
    assert rows[: len(mean.table("next"))] == list(mean.table("next"))
    assert rows[-1]["highest_residual"] < 0.5 <= rows[-2]["highest_residual"]
    assert every.needed == len(rows) > len(mean.table("next"))


def test_topic_by_topic_is_each_topic_alone() -> None:
    qrels, runs = random_collection(3)
    made = next_judgments(qrels, runs, 2, weight="RBP(p=0.8)", by_topic=True)
    alone = []
    for topic in qrels:
        own = {run: {t: scores for t, scores in of.items() if t == topic} for run, of in runs.items()}
        alone += list(next_judgments({topic: qrels[topic]}, own, 2, weight="RBP(p=0.8)").table("next"))
    assert list(made.table("next")) == alone
    many = next_judgments(qrels, runs, weight="RBP(p=0.5)", accuracy=0.7, by_topic=True)
    assert many.needed == len(many.table("next"))
    assert (many.after.mean(axis=0) < 0.7).all()
    assert many.sentence().endswith("below 0.7 on every topic.")
    with pytest.raises(ParameterError, match=r"an accuracy of 0\.01 cannot be reached on \d of 3 topics"):
        next_judgments(qrels, runs, weight="RBP(p=0.5)", accuracy=0.01, by_topic=True)


def test_depth_chosen_runs_and_missing_topics() -> None:
    qrels, runs = random_collection(5)
    shallow = next_judgments(qrels, runs, 1000, weight="RBP(p=0.8)", depth=2)
    top = {(t, name) for of in runs.values() for t, scores in of.items() for name in ranking(scores)[:2]}
    judged = {(t, name) for t, grades in qrels.items() for name, grade in grades.items() if grade >= 0}
    assert {(row["topic"], row["document"]) for row in shallow.table("next")} == top - judged
    assert max(row["best_rank"] for row in shallow.table("next")) <= 2
    two = next_judgments(qrels, runs, 9, weight="RBP(p=0.8)", pooled=["w", "x"])
    expected = next_judgments(qrels, {name: runs[name] for name in "wx"}, 9, weight="RBP(p=0.8)")
    assert list(two.table("next")) == list(expected.table("next"))
    everywhere = [topic for topic in qrels if all(topic in of for of in runs.values())]
    common = next_judgments(qrels, runs, 1000, weight="RBP(p=0.8)", missing="common")
    assert common.topics == tuple(everywhere)
    assert {row["topic"] for row in common.table("next")} <= set(everywhere)


@pytest.mark.parametrize("weight", ["AP", "nDCG@10", "RR"])
def test_measures_that_are_no_sum_over_ranks(weight: str) -> None:
    with pytest.raises(ParameterError, match="a sum over ranks, such as RBP"):
        next_judgments({"1": {"a": 1}}, {"x": {"1": {"b": 1}}}, 1, weight=weight)


def test_misuse() -> None:
    given: Any = ({"1": {"a": 1}}, {"x": {"1": {"b": 1}}})
    for options, message in (
        ({}, r"say how many documents to list \(count=100\), or which accuracy to reach"),
        ({"count": 0}, "count is a whole number from 1, got 0"),
        ({"accuracy": 0}, "the accuracy is a number above 0, such as 0.01, got 0"),
        ({"accuracy": math.nan}, "the accuracy is a number above 0"),
        ({"count": 1, "stop": "all"}, "stop must be 'mean' or 'every', got 'all'"),
        ({"count": 1, "missing": "skip"}, "rather than missing='skip'"),
    ):
        with pytest.raises(ParameterError, match=message):
            next_judgments(*given, **options)
    with pytest.raises(BoundsError, match="write it as @10"):
        next_judgments(*given, 1, weight="DCG")
    with pytest.raises(UnknownNameError, match="unknown run 'z'"):
        next_judgments(*given, 1, pooled=["z"])
    qrels = rs.read_qrels(given[0])
    with pytest.raises(ParameterError, match=r"read without the names .* keep_documents=True"):
        next_judgments(qrels, rs.read_runs(qrels, given[1]), 1)


def test_before_the_first_judgment() -> None:
    """Topics without judgments, or with one that says nothing."""
    runs = {"x": {"1": {"a": 3, "b": 2}}, "y": {"1": {"b": 2, "c": 1}}}
    empty: list[Any] = [{"1": {}}, {"1": {"none": -1}}]
    for qrels in empty:
        made = next_judgments(qrels, runs, 3, weight="RBP(p=0.5)")
        rows = [(row["document"], row["weight"], row["residual"]) for row in made.table("next")]
        assert rows == [("b", 0.75, 0.625), ("a", 0.5, 0.375), ("c", 0.25, 0.25)]
    nothing = next_judgments({"1": {"none": 0}}, runs, 3, weight="RBP(p=0.5,gains='linear')")
    assert len(nothing.table("next")) == 0  # no grade above 0 is known, and so no gain


def test_nothing_is_unjudged() -> None:
    made = next_judgments({"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 2, "b": 1}}}, 5, weight="P@2")
    assert len(made.table("next")) == 0
    assert made.sentence().startswith("0 of 0 unjudged documents of 1 runs.")
