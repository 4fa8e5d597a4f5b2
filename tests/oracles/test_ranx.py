"""Fusion of runs of TREC-8: ranx 0.3.21 has the same values for all norms and methods but Condorcet."""

from typing import Any

import numpy as np
import pytest

import rankscale as rs
from rankscale.errors import InputError
from rankscale.fusion.grids import weight_grid

ranx: Any = pytest.importorskip("ranx", reason="it is among the development dependencies")

pytestmark = [
    pytest.mark.slow,  # ranx compiles each method, with warnings of its own
    pytest.mark.filterwarnings("ignore"),
]
EXACT = 1e-12
Rankings = dict[str, dict[str, dict[str, float]]]
OF_SCORES = {"CombSUM": "sum", "CombMNZ": "mnz", "CombANZ": "anz", "CombMAX": "max", "CombMIN": "min", "CombMED": "med"}
OF_RANKS = {
    "RRF": ("rrf", {"k": 60}),
    "ISR": ("isr", None),
    "logISR": ("log_isr", None),
    "logNISR": ("logn_isr", {"sigma": 0.01}),
    "RBC": ("rbc", {"phi": 0.8}),
    "Borda": ("bordafuse", None),
}
NORMS = ("min-max", "max", "sum", "zmuv", "rank", "borda")


@pytest.fixture(scope="module")
def runs(eight_rankings: Rankings) -> Rankings:
    """Four runs, five topics, the first of equal scores alone: ranx orders these in a way of its own."""
    made: Rankings = {}
    for name, run in list(eight_rankings.items())[:4]:
        made[name] = {}
        for topic in sorted(run)[:5]:
            by_score = {score: document for document, score in reversed(run[topic].items())}
            made[name][topic] = {document: score for score, document in sorted(by_score.items(), reverse=True)}
    return made


def of_ranx(runs: Rankings, norm: str | None, method: str, settings: object = None) -> dict[str, dict[str, float]]:
    values: dict[str, dict[str, float]] = ranx.fuse(
        [ranx.Run(run, name=name) for name, run in runs.items()], norm=norm, method=method, params=settings
    ).to_dict()
    return values


def same(mine: dict[str, dict[str, float]], theirs: dict[str, dict[str, float]]) -> None:
    assert mine.keys() == theirs.keys()
    for topic, values in mine.items():
        assert values == pytest.approx(theirs[topic], rel=EXACT, abs=EXACT)


def positive(runs: Rankings) -> Rankings:
    """Scores moved above 0, which norm 'max' asks for."""
    return {
        name: {topic: {d: s - min(of.values()) + 1 for d, s in of.items()} for topic, of in run.items()}
        for name, run in runs.items()
    }


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("method", OF_SCORES)
def test_methods_of_scores(runs: Rankings, method: str, norm: str) -> None:
    given = positive(runs) if norm == "max" else runs
    same(rs.fuse(given, method, norm=norm, depth=9999).run, of_ranx(given, norm, OF_SCORES[method]))


@pytest.mark.parametrize("method", OF_RANKS)
def test_methods_of_ranks(runs: Rankings, method: str) -> None:
    name, settings = OF_RANKS[method]
    same(rs.fuse(runs, method, depth=9999).run, of_ranx(runs, None, name, settings))


def test_weighted_sums(runs: Rankings) -> None:
    weights = (0.1, 0.2, 0.3, 0.4)
    mine = rs.fuse(runs, "WSum", norm="zmuv", weights=weights, depth=9999).run
    same(mine, of_ranx(runs, "zmuv", "wsum", {"weights": weights}))


def order_of(of: dict[str, float]) -> list[str]:
    return sorted(of, key=lambda document: -of[document])


def test_condorcet_agrees_where_the_majority_is_a_strict_order(runs: Rankings) -> None:
    """The same 40 documents in three orders, so that no two are even."""
    first = next(iter(runs.values()))
    three: Rankings = {"a": {}, "b": {}, "c": {}}
    for topic, of in first.items():
        documents = list(of)[:40]
        swapped = [*documents[1::-1], *documents[2:]]
        for name, order in (("a", documents), ("b", swapped), ("c", documents)):
            three[name][topic] = {document: float(-rank) for rank, document in enumerate(order)}
    mine, theirs = rs.fuse(three, "Condorcet").run, of_ranx(three, None, "condorcet")
    for topic, of in mine.items():
        assert list(of) == order_of(theirs[topic])


def test_deviation_condorcet_counts_what_both_lack_as_a_vote() -> None:
    """In the worked example ranx can put a, which two runs rank high, last; here it is second, whatever the names are.

    Where votes go round in a circle, its order follows the hashes of names, which are others in each process.
    """
    example = {"X": {"1": {"a": 9.0, "b": 7.0, "c": 5.0, "d": 4.0}}, "Y": {"1": {"b": 0.8, "e": 0.6, "a": 0.2}}}
    differs = 0
    for number in range(40):
        named = {run: {"1": {f"{d}{number}": s for d, s in of["1"].items()}} for run, of in example.items()}
        wanted = [f"{letter}{number}" for letter in "baecd"]
        assert list(rs.fuse(named, "Condorcet").run["1"]) == wanted
        differs += order_of(of_ranx(named, None, "condorcet")["1"]) != wanted
    assert differs


def test_deviation_ties_are_in_no_order() -> None:
    tied = {"1": {f"d{number:02}": 1.0 for number in range(20)}}
    theirs = list(of_ranx({"x": tied, "y": tied}, "min-max", "rrf")["1"])
    assert list(rs.fuse({"x": tied, "y": tied}, "RRF").run["1"]) == sorted(tied["1"], reverse=True)
    assert theirs != sorted(tied["1"], reverse=True)


def test_deviation_max_of_scores_below_0() -> None:
    """ranx divides by 1e-9; here that is an error that names run and topic."""
    runs = {"x": {"1": {"a": -1.0, "b": -2.0}}, "y": {"1": {"a": 1.0, "b": 0.5}}}
    assert abs(of_ranx(runs, "max", "sum")["1"]["a"]) > 1e6
    with pytest.raises(InputError, match="run x, topic 1: norm 'max' divides by the highest score"):
        rs.fuse(runs, "CombSUM", norm="max")


def test_deviation_runs_with_other_topics_are_refused() -> None:
    runs = {"x": {"1": {"a": 1.0}}, "y": {"1": {"a": 1.0}, "2": {"b": 1.0}}}
    with pytest.raises(AssertionError):
        of_ranx(runs, "min-max", "sum")
    assert list(rs.fuse(runs, "CombSUM").run) == ["1", "2"]


@pytest.mark.parametrize(("runs_fused", "kept", "every"), [(3, 62, 66), (4, 256, 286)])
def test_deviation_weights_whose_floats_do_not_sum_to_1_are_dropped(runs_fused: int, kept: int, every: int) -> None:
    from ranx.fusion_optimization.optimize_weights import get_possible_weights, get_trial_configs

    theirs = get_trial_configs(get_possible_weights(0.1), runs_fused)
    assert (len(theirs), len(list(weight_grid(runs_fused)))) == (kept, every)


def test_deviation_tuning_is_in_sample() -> None:
    """On topics that say nothing ranx reports the best value that was seen; held-out values are lower."""
    draw = np.random.default_rng(2)
    qrels = {str(t): {f"d{n}": int(draw.random() < 0.3) for n in range(12)} for t in range(20)}
    runs = {name: {t: {d: float(draw.random()) for d in of} for t, of in qrels.items()} for name in "xy"}
    tuned = rs.tune_fusion(qrels, runs, "AP", step=0.1)
    best = ranx.optimize_fusion(
        qrels=ranx.Qrels({t: {d: g for d, g in of.items() if g} for t, of in qrels.items()}),
        runs=[ranx.Run(run, name=name) for name, run in runs.items()],
        norm="min-max",
        method="wsum",
        metric="map",
        show_progress=False,
    )
    fused = rs.fuse(runs, "WSum", weights=best["weights"])
    in_sample = rs.evaluate(qrels, {"f": fused.run}, "AP", order="score64").means().values.item()
    assert in_sample == pytest.approx(tuned.in_sample_mean, abs=1e-8)
    assert tuned.held_out_mean < tuned.in_sample_mean
