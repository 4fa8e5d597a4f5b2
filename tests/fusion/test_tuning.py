"""Tuning against a plain loop over folds and grid points, and what it must report."""

import math

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import InputError, ParameterError
from rankscale.fusion.grids import JudgedLists, folds_of, weight_grid
from rankscale.fusion.methods import Method
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import read_lists
from rankscale.sample import QRELS, RUNS

TWO = [str(path) for path in RUNS if path.name.startswith(("bm25.", "dense-base"))]


Scores = dict[str, dict[str, float]]  # by topic and document


def made_up(topics: int = 12, seed: int = 3) -> tuple[dict[str, dict[str, int]], dict[str, Scores]]:
    draw = np.random.default_rng(seed)
    names = [f"d{number}" for number in range(12)]
    qrels = {str(topic): {name: int(draw.random() < 0.3) for name in names} for topic in range(1, topics + 1)}
    runs = {
        run: {
            topic: {name: float(draw.normal(grades[name], 1 + noise)) for name in names[: 6 + noise]}
            for topic, grades in qrels.items()
        }
        for noise, run in enumerate(("x", "y", "z"))
    }
    return qrels, runs


def test_folds_are_those_of_the_definitions() -> None:
    topics = sorted(str(number) for number in range(1, 11))
    assert [{topics[place] for place in fold} for fold in folds_of(10, 5, 0)] == [
        {"4", "5"},
        {"6", "9"},
        {"2", "1"},
        {"7", "8"},
        {"3", "10"},
    ]
    qrels, runs = made_up(10)
    tuned = rs.tune_fusion(qrels, runs, "AP", step=0.5)
    assert [set(fold.topics) for fold in tuned.folds] == [
        {"4", "5"},
        {"6", "9"},
        {"2", "1"},
        {"7", "8"},
        {"3", "10"},
    ]


def test_grids_of_weights_are_complete_and_in_order() -> None:
    for runs, size in ((2, 11), (3, 66), (4, 286)):
        grid = list(weight_grid(runs))
        assert len(grid) == size == math.comb(10 + runs - 1, runs - 1)
        assert grid == sorted(grid)
        assert all(math.isclose(math.fsum(weights), 1) for weights in grid)
        assert all(weight in {tenth / 10 for tenth in range(11)} for weights in grid for weight in weights)


@pytest.mark.parametrize(("method", "measure"), [("WSum", "AP"), ("RRF", "nDCG@5"), ("RBC", "ASL"), ("RRF", "RR")])
def test_choices_and_means_against_a_loop(method: str, measure: str) -> None:
    qrels, runs = made_up()
    step = 0.25
    grids: dict[str, list[tuple[str, object]]] = {
        "WSum": [("WSum", (a / 4, b / 4, (4 - a - b) / 4)) for a in range(5) for b in range(5 - a)],
        "RRF": [(f"RRF(k={k})", None) for k in range(10, 101, 10)],
        "RBC": [(f"RBC(phi={phi / 10})", None) for phi in range(1, 10)],
    }
    values = []
    for text, weights in grids[method]:
        fused = rs.fuse(runs, text, weights=weights)  # type: ignore[arg-type]
        values.append(rs.evaluate(qrels, {"f": fused.run}, measure, order="score64").values[0, 0].tolist())
    topics = sorted(qrels)
    every = [*values, *rs.evaluate(qrels, runs, measure).values[0].tolist()]
    kept = [not any(math.isnan(of[place]) for of in every) for place in range(len(topics))]
    assert all(kept) == (measure != "ASL")
    order = np.random.default_rng(7).permutation(len(topics))
    better = min if measure == "ASL" else max

    def chosen(these: list[int]) -> tuple[int, float]:
        places = [place for place in these if kept[place]]
        means = [round(math.fsum(of[place] for place in places) / len(places), 8) for of in values]
        best = means.index(better(means))
        return best, math.fsum(values[best][place] for place in places) / len(places)

    tuned = rs.tune_fusion(qrels, runs, measure, method, step=step, folds=4, seed=7)
    held_out: dict[str, float] = {}
    for number, fold in enumerate(tuned.folds):
        together = order[number::4].tolist()
        best, training = chosen([place for place in range(len(topics)) if place not in together])
        places = [place for place in together if kept[place]]
        assert fold.topics == tuple(topics[place] for place in places)
        assert fold.method == tuned.grid[best]
        assert fold.training_mean == pytest.approx(training)
        assert fold.held_out_mean == pytest.approx(np.mean([values[best][place] for place in places]))
        held_out |= {topics[place]: values[best][place] for place in places}
    assert len(tuned.grid) == len(values)
    assert tuned.evaluation.by_topic(tuned.evaluation.runs[0], measure) == pytest.approx(held_out)
    assert tuned.held_out_mean == pytest.approx(np.mean(list(held_out.values())))
    everywhere, best_mean = chosen(list(range(len(topics))))
    assert tuned.final == tuned.grid[everywhere]
    assert tuned.in_sample_mean == pytest.approx(best_mean)


def test_the_interval_is_that_of_scipy_with_the_same_draws() -> None:
    from scipy.stats import bootstrap

    qrels, runs = made_up()
    tuned = rs.tune_fusion(qrels, runs, "AP", "RRF")
    expected = bootstrap(
        (tuned.evaluation.values[0, 0],),
        np.mean,
        n_resamples=1000,
        method="percentile",
        rng=np.random.default_rng(0),
    ).confidence_interval
    assert tuned.interval() == pytest.approx((expected.low, expected.high))


def test_all_that_must_be_reported_is() -> None:
    tuned = rs.tune_fusion(QRELS, TWO, "AP")
    results = list(tuned.table("tuning"))
    assert [row["result"] for row in results] == [
        "held out",
        "run bm25",
        "run dense-base",
        "in sample, optimistic",
        "final, not evaluated",
    ]
    assert results[0]["mean"] == tuned.held_out_mean
    assert (results[0]["lower"], results[0]["upper"]) == tuned.interval()
    assert results[-1]["parameters"] == str(tuned.final)
    assert sorted(str(row["held_out"]) for row in tuned.table("folds")) == sorted(
        " ".join(fold.topics) for fold in tuned.folds
    )
    assert {topic for fold in tuned.folds for topic in fold.topics} == set(tuned.evaluation.topics)
    assert "grid:11" in tuned.signature
    assert "seed:0" in tuned.signature
    assert "assumes equal steps" in tuned.sentence()
    assert "not evaluated" in tuned.sentence()
    assert f"The one in sample ({tuned.in_sample_mean:.4f}) is optimistic: its parameters were" in tuned.sentence()


def test_the_held_out_run_has_the_held_out_values_and_the_inputs_their_own() -> None:
    tuned = rs.tune_fusion(QRELS, TWO, "nDCG@10", "RBC")
    again = rs.evaluate(QRELS, {"held out": tuned.fuse_held_out().run}, "nDCG@10", order="score64")
    assert (again.values[0, 0] == tuned.evaluation.values[0, 0]).all()
    assert (rs.evaluate(QRELS, TWO, "nDCG@10").values[0] == tuned.evaluation.values[0, 1:]).all()
    assert tuned.fuse().run == rs.fuse(TWO, str(tuned.final)).run


def test_a_run_that_lacks_topics_is_measured_as_elsewhere() -> None:
    files = [str(path) for path in RUNS if path.name.startswith(("bm25.", "dense-zero"))]
    tuned = rs.tune_fusion(QRELS, files, "AP", "RRF", folds=3)
    assert (rs.evaluate(QRELS, files, "AP").values[0] == tuned.evaluation.values[0, 1:]).all()
    common = rs.tune_fusion(QRELS, files, "AP", "RRF", folds=3, missing="common")
    assert (len(tuned.evaluation.topics), len(common.evaluation.topics)) == (50, 49)
    assert any("137" in warning and "left out" in warning for warning in common.warnings)


def test_values_that_rounding_sets_apart_are_tied_as_in_fuse() -> None:
    """0.8 + 0.4 is 1.2000000000000002 and 1 + 0.2 is 1.2: both are 6/5, and so is 0.6 + 0.6."""
    runs = {"x": {"1": {"b": 5, "a": 4, "c": 3, "d": 2, "e": 1}}, "y": {"1": {"d": 5, "e": 4, "c": 3, "a": 2, "b": 1}}}
    assert list(rs.fuse(runs, "CombSUM", norm="rank").run["1"]) == ["d", "c", "b", "a", "e"]
    qrels = rs.read_qrels({"1": {"a": 1}})
    (made,) = JudgedLists(read_lists(runs, Reading(), None), qrels).fused([Method.of("CombSUM", "rank")], 10)
    assert rs.evaluate(qrels, [made], "RR").values.item() == 1 / 4


def test_measures_that_need_scores_can_be_tuned_for() -> None:
    qrels, runs = made_up()
    tuned = rs.tune_fusion(qrels, runs, "AP", "logNISR", grid=[0.1, 1])
    assert [str(point) for point in tuned.grid] == ["logNISR(sigma=0.1)", "logNISR(sigma=1)"]


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"method": "CombSUM"}, "CombSUM has no parameter to tune, as WSum, RRF, RBC, logNISR have"),
        ({"folds": 13}, "from 2 to the number of topics, 12, got 13"),
        ({"step": 0.3}, "step must go into 1 a whole number of times"),
        ({"step": 0.001}, "take a larger step or fewer runs"),
        ({"method": "logNISR"}, "name the values of sigma"),
        ({"grid": [(1, 2)]}, "weights: there are 2 for 3 runs"),
        ({"method": "RRF", "grid": [-1]}, "RRF: k must be a number from 0"),
    ],
)
def test_what_cannot_be_tuned_is_refused(settings: dict[str, object], words: str) -> None:
    qrels, runs = made_up()
    with pytest.raises(ParameterError, match=words):
        rs.tune_fusion(qrels, runs, "AP", **settings)  # type: ignore[arg-type]


def test_other_refusals() -> None:
    qrels, runs = made_up()
    with pytest.raises(ParameterError, match="one measure is tuned for"):
        rs.tune_fusion(qrels, runs, ["AP", "RR"])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="share no topic"):
        rs.tune_fusion({"no": {"a": 1}}, runs, "AP")
