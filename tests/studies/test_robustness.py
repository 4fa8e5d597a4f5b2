"""The order of runs with fewer judgments, against a slow transcription, the papers, and whatever does the work."""

from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.executors import Inline
from rankscale.executors.processes import Processes
from rankscale.studies.discriminate import discriminate
from rankscale.studies.leave_out import leave_out
from rankscale.studies.pooling import best_ranks
from rankscale.studies.robustness import robustness
from rankscale.studies.robustness.sampling import Random, Stratified

RANDOM = np.random.default_rng(8)
NAMES = [f"d{number}" for number in range(60)]
QRELS = {
    str(topic): {name: int(RANDOM.choice([-1, 0, 0, 0, 1, 2])) for name in NAMES[:45]} | {"first": 1, "second": 1}
    for topic in range(6)
}
RUNS = {
    f"run{number}": {
        topic: {
            name: float(RANDOM.normal() + (0.3 * number if grades.get(name, 0) > 0 else 0))
            for name in RANDOM.permutation([*NAMES, "first"])[:40]
        }
        for topic, grades in QRELS.items()
    }
    for number in range(7)
}
MEASURES = ["AP", "P@5", "nDCG", "Bpref"]


def anew(qrels, kept):
    """The judgments that are kept, written out again."""
    left = iter(kept.tolist())
    return {topic: {d: grade for d, grade in qrels.grades(topic).items() if next(left)} for topic in qrels.topics}


@pytest.mark.parametrize(("sampling", "of"), [("stratified", Stratified()), ("random", Random())])
def test_against_reading_everything_again_for_each_sample(sampling, of):
    qrels = rs.read_qrels(QRELS)
    found = robustness(QRELS, RUNS, MEASURES, sampling=sampling, sizes=(60, 20), iterations=3, seed=5)
    full = rs.evaluate(QRELS, RUNS, MEASURES).means().values
    for s, size in enumerate((60, 20)):
        for iteration in range(3):
            kept = of.kept(qrels, size, np.random.default_rng([5, iteration]))
            fewer = rs.evaluate(anew(qrels, kept), RUNS, MEASURES).means().values
            np.testing.assert_array_equal(found.means[:, s, iteration], fewer)
            judged = sum(grade >= 0 for grades in anew(qrels, kept).values() for grade in grades.values())
            assert found.judgments[s, iteration] == judged
            for m in range(len(MEASURES)):
                tau = stats.kendalltau(full[m].round(8), fewer[m].round(8)).statistic
                assert found.tau[m, s, iteration] == pytest.approx(tau, abs=1e-14)
    by_row = {(row["measure"], row["size"]): row for row in found.table("tau")}
    for m, measure in enumerate(MEASURES):
        row = by_row[measure, 20]
        assert row["tau"] == pytest.approx(found.tau[m, 1].mean(), abs=1e-15)
        assert row["deviation"] == pytest.approx(found.tau[m, 1].std(ddof=1), abs=1e-15)
        assert row["lowest"] == found.tau[m, 1].min()


def test_depth_is_that_of_the_pool():
    qrels = rs.read_qrels(QRELS)
    found = robustness(QRELS, RUNS, ["AP"], sampling="depth", sizes=(5, 2), pooled=["run1", "run4"])
    best = best_ranks(qrels, rs.read_runs(qrels, {name: RUNS[name] for name in ("run1", "run4")}))
    assert found.iterations == 1
    for s, size in enumerate((5, 2)):
        fewer = rs.evaluate(anew(qrels, best <= size), RUNS, ["AP"]).means().values
        np.testing.assert_array_equal(found.means[:, s, 0], fewer)
    assert "pooled:run1,run4" in found.signature
    assert "seed" not in found.signature


@pytest.mark.parametrize("power", ["bootstrap", "randomised tukey"])
def test_discriminative_power(power):
    """With all judgments and with fewer, that of `discriminate`; geometric means by their logarithms."""
    found = robustness(QRELS, RUNS, ["AP", "GMAP"], sizes=[50], iterations=2, power=power, samples=19, alpha=0.2)
    assert found.power is not None
    assert found.full_power is not None
    qrels = rs.read_qrels(QRELS)

    def expected(judgments):
        return discriminate(rs.evaluate(judgments, RUNS, ["AP", "GMAP"]), power, samples=19, alpha=0.2).power

    np.testing.assert_array_equal(found.full_power, expected(qrels))
    for iteration in range(2):
        kept = Stratified().kept(qrels, 50, np.random.default_rng([0, iteration]))
        np.testing.assert_array_equal(found.power[:, 0, iteration], expected(qrels.keeping(kept)))
    assert (found.power > 0).any()
    rows = list(found.table("power"))
    assert [row["size"] for row in rows] == [None, 50] * 2
    assert rows[0]["power"] == found.full_power[0]
    assert "power" in next(iter(found.table("iterations")))
    assert "power" in str(found)


def test_without_power_there_is_no_such_table():
    found = robustness(QRELS, RUNS, ["AP"], sizes=[50], iterations=1)
    assert list(found.tables()) == ["tau", "means", "iterations"]
    with pytest.raises(UnknownNameError, match="this study has tau, means, iterations"):
        found.table("power")
    assert np.isnan(np.array(found.table().columns["deviation"], dtype=float)).all()


def test_all_judgments_give_the_same_order():
    found = robustness(QRELS, RUNS, MEASURES, sizes=[100], iterations=2)
    assert (found.tau == 1).all()
    np.testing.assert_array_equal(found.means[:, 0, 0], found.full_means)


def test_topics_without_relevant_documents_are_zero_or_undefined():
    """Twist is undefined where nothing relevant is left, AP 0; with all judgments both count."""
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 1, "d": 0}}
    runs = {
        "x": {"1": {"a": 3, "b": 2}, "2": {"u": 9, "d": 3, "c": 2}},
        "y": {"1": {"b": 3, "a": 2}, "2": {"v": 9, "d": 3, "c": 2}},
        "z": {"1": {"u": 5, "a": 3, "b": 2}, "2": {"v": 9, "d": 3, "c": 2}},
    }
    found = robustness(qrels, runs, ["AP", "Twist"], sampling="depth", sizes=[2])
    assert found.topics[:, 0, 0].tolist() == [2, 1]
    assert found.means[0, 0, 0].tolist() == [0.5, 0.25, 0.25]
    assert any(words.startswith("Twist becomes undefined on up to 1 topic at 2,") for words in found.warnings)


def test_runs_that_are_alike_have_no_order():
    same = {"x": RUNS["run0"], "y": RUNS["run0"]}
    found = robustness(QRELS, same, ["AP"], sizes=[50], iterations=2)
    assert np.isnan(found.tau).all()
    assert (
        "tau of AP is undefined for 2 of 2 samples: runs have equal means there, or with all judgments"
        in found.warnings
    )
    assert np.isnan(np.array(found.table().columns["tau"], dtype=float)).all()
    assert str(found)


def test_samples_without_a_topic_that_all_runs_have_a_value_on():
    qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 0}}
    runs = {"x": {"1": {"a": 2, "b": 1}, "2": {"c": 1}}, "y": {"1": {"u": 2, "a": 1}, "2": {"c": 1}}}
    found = robustness(qrels, runs, ["Twist", "ESL"], sampling="random", sizes=[100, 10], iterations=3)
    assert found.topics.tolist() == [[[1] * 3, [0] * 3]] * 2
    assert "Twist: 1 of 2 topics is left out for all runs, undefined there for some" in found.warnings
    assert (
        "tau of Twist is undefined for 3 of 6 samples: no topic is left on which all runs have a value"
        in found.warnings
    )
    assert not any("equal means" in words for words in found.warnings)


def test_normalised_ranks_are_told_apart_however_small_their_steps_are():
    """Two runs that differ in the last of 30 documents alone: by a rank of 2^30."""
    qrels = {"1": {"a": 1, "b": 1}, "2": {"c": 1}}
    first = {f"u{rank}": -float(rank) for rank in range(29)}
    runs = {"x": {"1": {**first, "a": -30.0}}, "y": {"1": {**first, "u": -30.0}}}
    measure = "Interval(RBP(p=0.5)@30)"
    assert robustness(qrels, runs, measure, sizes=[100], iterations=1).tau.tolist() == [[[1.0]]]
    left = leave_out(qrels, {**runs, "z": {"1": {"b": 1.0}}}, measure)
    assert left.place[0].tolist() == [2, 3, 1]


def test_the_best_runs_alone():
    means = rs.evaluate(QRELS, RUNS, ["AP"]).means().to_dict()
    best = sorted(means, key=lambda run: -means[run]["AP"])[:4]  # ceil(0.5 of 7)
    found = robustness(QRELS, RUNS, ["P@5"], sizes=[50], iterations=2, top=0.5)
    assert set(found.evaluation.runs) == set(best)
    alone = robustness(QRELS, {run: RUNS[run] for run in RUNS if run in best}, ["P@5"], sizes=[50], iterations=2)
    np.testing.assert_array_equal(found.tau, alone.tau)
    assert "top:0.5" in found.signature
    strict = robustness(QRELS, RUNS, ["P@5"], sizes=[50], iterations=2, top=0.5, rel=2)
    assert "|top:0.5|by:AP(rel=2)" in strict.signature
    by_strict = rs.evaluate(QRELS, RUNS, ["AP(rel=2)"]).sorted_by("AP(rel=2)").runs[:4]
    assert set(strict.evaluation.runs) == set(by_strict)


def test_missing_topics_are_empty_unless_common_ones_are_asked_for():
    runs = {**RUNS, "part": {topic: ranking for topic, ranking in RUNS["run6"].items() if topic != "3"}}
    every = robustness(QRELS, runs, ["AP"], sizes=[50], iterations=1)
    assert every.topics.tolist() == [[[6]]]
    common = robustness(QRELS, runs, ["AP"], sizes=[50], iterations=1, missing="common")
    assert common.topics.tolist() == [[[5]]]
    assert common.means[0, 0, 0, -1] == common.means[0, 0, 0, -2]  # part is run6 where both have topics
    assert every.means[0, 0, 0, -1] < every.means[0, 0, 0, -2]


def test_settings_of_evaluate_hold_for_samples_too():
    settings: dict[str, Any] = {"judged_only": True, "grades": {2: 1}, "negative": "not relevant", "depth": 20}
    found = robustness(QRELS, RUNS, MEASURES, sizes=[100], iterations=1, **settings)
    np.testing.assert_array_equal(found.means[:, 0, 0], found.full_means)
    full = rs.evaluate(QRELS, RUNS, MEASURES, **settings)
    np.testing.assert_array_equal(found.full_means, full.means().values)
    assert found.evaluation.signature == full.signature
    assert found.signature.endswith(full.signature)


def test_any_executor_gives_the_same_bytes():
    asked: dict[str, Any] = {"sizes": (50, 10), "iterations": 2, "seed": 3}
    inline, elsewhere = (
        robustness(QRELS, RUNS, ["AP", "nDCG@10"], executor=executor, **asked) for executor in (Inline(), Processes(2))
    )
    assert (inline.tau.tobytes(), inline.means.tobytes()) == (elsewhere.tau.tobytes(), elsewhere.means.tobytes())
    assert inline.text() == elsewhere.text()
    other = robustness(QRELS, RUNS, ["AP", "nDCG@10"], **{**asked, "seed": 4})
    assert other.means.tobytes() != inline.means.tobytes()


def test_samples_of_other_minima_are_told_apart():
    usual, others = (
        robustness(QRELS, RUNS, ["AP"], sampling=sampling, sizes=[10], iterations=1).signature
        for sampling in (Stratified(), Stratified(least_not_relevant=0))
    )
    assert usual.startswith("study:robustness|sampling:stratified|rel:1|sizes:10|")
    assert others.startswith("study:robustness|sampling:stratified|rel:1|least-relevant:1|least-not-relevant:0|")


def test_samples_and_measures_that_differ_in_what_is_relevant():
    asked: dict[str, Any] = {"sizes": [50], "iterations": 1}
    told = "samples take grades from 1 on for relevant, measures from 2 on: give rel to both"
    assert told in robustness(QRELS, RUNS, ["AP(rel=2)", "nDCG"], **asked).warnings
    both: list[tuple[list[str], dict[str, Any]]] = [
        (["AP(rel=2)"], {"rel": 2}),
        (["AP", "P(rel=2)@5"], {}),
        (["nDCG"], {"rel": 2}),
    ]
    for measures, more in both:
        assert not any("samples take" in words for words in robustness(QRELS, RUNS, measures, **asked, **more).warnings)
    drawn = robustness(QRELS, RUNS, ["AP(rel=2)"], sampling="random", **asked)
    assert not any("samples take" in words for words in drawn.warnings)


def test_too_few_draws_are_told():
    asked: dict[str, Any] = {"sizes": [50], "iterations": 1, "power": "bootstrap"}
    told = "with 19 draws a level is below 0.05 only if it is 0: take 20 or more"
    assert told in robustness(QRELS, RUNS, ["AP"], samples=19, **asked).warnings
    assert not any("draws" in words for words in robustness(QRELS, RUNS, ["AP"], samples=20, **asked).warnings)


def test_progress_and_frames():
    told = []
    found = robustness(QRELS, RUNS, ["AP"], sizes=(50, 10), iterations=3, progress=lambda *done: told.append(done))
    assert told == [(done, 6) for done in range(1, 7)]
    assert found.to_frame().shape == (2, 6)
    assert found.to_polars("means").shape == (7 * 3, 5)
    assert found.to_pandas("iterations").shape == (6, 6)
    assert found.settings["sizes"] == (50, 10)
    assert repr(found) == str(found)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"sampling": "often"}, "sampling must be one of 'stratified', 'random', 'depth', got 'often'"),
        ({"sizes": [0]}, r"from 1 to 100 \(50 is half\); got 0"),
        ({"sizes": []}, "there are no sizes"),
        ({"sampling": "depth", "sizes": [1.5]}, "whole number from 1, got 1.5"),
        ({"sampling": "depth", "sizes": [30], "depth": 20}, "cut at rank 20"),
        ({"iterations": 0}, "iterations must be 1 or more, got 0"),
        ({"seed": -1}, "the seed must be a whole number from 0, got -1"),
        ({"pooled": ["run1"]}, "it goes with sampling='depth'"),
        ({"top": 2}, "share of runs to keep"),
        ({"alpha": 1}, "alpha must lie between 0 and 1, got 1"),
    ],
)
def test_bad_input(asked, words):
    with pytest.raises(ParameterError, match=words):
        robustness(QRELS, RUNS, ["AP"], **asked)


def test_power_by_an_unknown_test_is_refused():
    with pytest.raises(UnknownNameError, match="unknown test 'luck'"):
        robustness(RUNS, QRELS, ["AP"], power="luck")


def test_one_run_has_no_order():
    with pytest.raises(ParameterError, match="give two runs or more"):
        robustness(QRELS, {"x": RUNS["run0"]}, ["AP"])


def test_pool_depths_of_trec_5(shared_data):
    """Published .898, 1.000, .986 and .891; the pool is made of the 61 runs there are, the paper's was made of more."""
    folder = shared_data / "trec5_adhoc"
    measures = ["AP", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)"]
    files = sorted((folder / "runs").iterdir())
    found = robustness(folder / "T5-j.txt.gz", files, measures, sampling="depth", sizes=[10])
    np.testing.assert_allclose(found.tau[:, 0, 0], [0.898, 1.000, 0.986, 0.891], atol=0.004)
    assert round(float(found.tau[2, 0, 0]), 3) == 0.986


def test_trec_8(trec_8):
    """Samples of real judgments: more of them, closer to the full order; AP falls off, Bpref holds."""
    qrels, runs = trec_8
    found = robustness(qrels, runs, ["AP", "Bpref", "Twist"], sizes=(90, 50, 10), iterations=3)
    tau = found.tau.mean(axis=-1)
    assert (np.diff(tau, axis=1) < 0).all()
    assert tau[1, 2] > tau[0, 2]
    assert (found.topics == 50).all()  # every topic keeps a relevant document
