"""Discriminative power: against the definition written out slowly, laws, and what is refused."""

import math
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

import rankscale as rs
from rankscale.errors import ParameterError, UnknownNameError
from rankscale.executors.processes import Processes
from rankscale.sample import QRELS, RUNS
from rankscale.stats.tests.base.test import Resampling
from rankscale.stats.tests.random_draws import PairedBootstrap
from rankscale.stats.tests.register import known_tests
from rankscale.studies.discriminate import Discrimination, discriminate
from rankscale.studies.support.study import Study

MEASURES = ["AP", "P@10", "RR", "Twist"]
TESTS: list[Any] = ["bootstrap", "randomised tukey"]


@pytest.fixture(scope="module")
def evaluation() -> Any:
    return rs.evaluate(QRELS, list(RUNS[:8]), MEASURES)


@pytest.fixture(scope="module")
def found(evaluation: Any) -> Discrimination:
    return discriminate(evaluation, samples=300, seed=5)


def t(z: Any) -> float:
    """|mean| / (sd / sqrt n); infinite where only the mean is not 0, 0 where both are."""
    mean, sd = abs(float(np.mean(z))), float(np.std(z, ddof=1))
    if sd < 1e-13:
        return math.inf if mean > 1e-13 else 0.0
    return mean / (sd / math.sqrt(len(z)))


def slowly(x: Any, y: Any, resamples: list[Any], alpha: float) -> tuple[float, float, list[float]]:
    """Sakai's paired bootstrap of one pair: ASL, the least |mean(w*)| at the critical place, and all t(w*)."""
    z = x - y
    if not z.any():
        return 1.0, 0.0, [0.0] * len(resamples)
    w = z - z.mean()
    drawn = [w[rows] for rows in resamples]
    far = [t(one) for one in drawn]
    level = sum(one >= t(z) * (1 - 1e-9) for one in far) / len(far)
    place = math.ceil(alpha * len(far))
    critical = sorted(far, reverse=True)[place - 1]
    at = [abs(one.mean()) for one, out in zip(drawn, far, strict=True) if math.isclose(out, critical, rel_tol=1e-9)]
    return level, min(at), at


def test_levels_power_and_delta_are_those_of_the_definition(evaluation: Any, found: Discrimination) -> None:
    (times,) = (part.astype(int) for part in PairedBootstrap(samples=300, seed=5).draws_over(50))
    resamples = [np.repeat(np.arange(50), one) for one in times.T]
    for place in range(len(MEASURES)):
        values = evaluation.values[place]
        levels, low, high = [], [], []
        for first, second in combinations(range(8), 2):
            level, least, all_of_them = slowly(values[first], values[second], resamples, 0.05)
            levels.append(level)
            low.append(least)
            high.append(max(all_of_them))
        assert found.level[place].tolist() == levels
        assert found.power[place] == sum(level < 0.05 for level in levels) / 28
        # Where several resamples are tied at the critical place, any of them may be the one that is taken.
        assert max(low) - 1e-12 <= found.delta[place] <= max(high) + 1e-12
        assert found.curves()[place].tolist() == sorted(levels, reverse=True)


def test_randomised_tukey_is_that_of_the_definition(evaluation: Any) -> None:
    found = discriminate(evaluation, "randomised tukey", alpha=0.1, samples=200, seed=2)
    for place, values in enumerate(evaluation.values):
        draws = np.random.default_rng(2)
        ranges = []
        for _ in range(200):
            means = np.mean([draws.permuted(row) for row in values.T], axis=0)
            ranges.append(means.max() - means.min())
        for pair, (first, second) in enumerate(combinations(range(8), 2)):
            apart = abs(values[first].mean() - values[second].mean())
            assert found.level[place, pair] == sum(one >= apart - 1e-12 for one in ranges) / 200
        delta = sorted(ranges, reverse=True)[19]
        assert found.delta[place] == pytest.approx(delta, rel=1e-12)
        np.testing.assert_array_equal(found.significant[place], np.abs(found.difference[place]) > delta + 1e-12)


def test_tables(evaluation: Any, found: Discrimination) -> None:
    assert isinstance(found, Study)
    tables = found.tables()
    assert list(tables) == ["measures", "counts", "curve", "pairs"]
    names = [str(measure) for measure in evaluation.measures]
    measures = list(tables["measures"])
    assert [row["measure"] for row in measures] == names
    pairs = list(tables["pairs"])
    assert len(pairs) == 4 * 28
    for row in measures:
        mine = [pair for pair in pairs if pair["measure"] == row["measure"]]
        levels: list[Any] = [pair["ASL"] for pair in mine]
        assert (row["pairs"], row["significant"]) == (28, sum(level < 0.05 for level in levels))
        curve = [one for one in tables["curve"] if one["measure"] == row["measure"]]
        assert [one["place"] for one in curve] == list(range(1, 29))
        assert [one["ASL"] for one in curve] == sorted(levels, reverse=True)
        means = evaluation.means().to_dict()
        for pair in mine:
            first, second = means[str(pair["run"])], means[str(pair["other"])]
            assert pair["difference"] == pytest.approx(first[str(row["measure"])] - second[str(row["measure"])])
    assert [row["verdict"] == "meaningful" for row in measures] == [False, True, False, False]
    assert found.signature.startswith("study:discriminate|test:bootstrap|alpha:0.05|samples:300|seed:5|")
    assert found.provenance["settings"] == {
        "study": "discriminate",
        "test": "bootstrap",
        "alpha": 0.05,
        "samples": 300,
        "seed": 5,
    }
    assert "28 pairs of 8 runs that differ at ASL < 0.05 (the paired bootstrap test, 300 draws, 50 topics)" in str(
        found
    )


def test_a_pair_has_the_same_level_whatever_the_order_of_runs(evaluation: Any, found: Discrimination) -> None:
    other = discriminate(evaluation.sorted_by("RR"), samples=300, seed=5)

    def by_names(one: Discrimination) -> dict[Any, Any]:
        return {(row["measure"], frozenset((row["run"], row["other"]))): row["ASL"] for row in one.tables()["pairs"]}

    assert by_names(other) == by_names(found)
    np.testing.assert_array_equal(other.power, found.power)


def test_a_measure_has_the_same_levels_whatever_stands_beside_it(evaluation: Any, found: Discrimination) -> None:
    for place, measure in enumerate(MEASURES):
        np.testing.assert_array_equal(
            discriminate(evaluation[measure], samples=300, seed=5).level[0], found.level[place]
        )


@pytest.mark.parametrize("test", TESTS)
def test_same_seed_same_numbers(test: Any, evaluation: Any) -> None:
    elsewhere = rs.evaluate(QRELS, list(map(str, RUNS[:8])), MEASURES, executor=Processes(2))
    once, again = (discriminate(one, test, samples=100) for one in (evaluation, elsewhere))
    assert once.level.tobytes() == again.level.tobytes()
    assert once.needed.tobytes() == again.needed.tobytes()
    assert once.text() == again.text()
    assert (discriminate(evaluation, test, samples=100, seed=1).level != once.level).any()


@pytest.mark.parametrize("test", TESTS)
def test_power_falls_with_alpha(test: Any, evaluation: Any) -> None:
    powers = [discriminate(evaluation, test, alpha=alpha, samples=200).power for alpha in (0.2, 0.1, 0.05, 0.01)]
    assert (np.diff(powers, axis=0) <= 0).all()
    assert (powers[0] > powers[-1]).any()


@pytest.mark.parametrize("test", TESTS)
def test_identical_runs_are_at_1(test: Any) -> None:
    evaluation = rs.evaluate(QRELS, {"a": str(RUNS[0]), "again": str(RUNS[0]), "b": str(RUNS[5])}, ["AP", "RR"])
    found = discriminate(evaluation, test, samples=200)
    assert found.level[:, 0].tolist() == [1.0, 1.0]
    assert not found.significant[:, 0].any()
    assert found.curves()[:, 0].tolist() == [1.0, 1.0]


@given(st.integers(0, 2**32), st.integers(2, 5), st.integers(2, 8))
def test_laws(seed: int, runs: int, topics: int) -> None:
    draws = np.random.default_rng(seed)
    values = draws.integers(0, 4, (1, runs, topics)) / 3
    base = rs.evaluate({"1": {"x": 1}}, {"a": {"1": {"x": 1}}}, "AP")
    names = tuple(map(str, range(runs)))
    there = np.ones((runs, topics), dtype=bool)
    one = type(base)(base.measures, names, tuple(map(str, range(topics))), values, there)
    for test in TESTS:
        found = discriminate(one, test, samples=50)
        assert ((found.level >= 0) & (found.level <= 1)).all()
        assert found.power[0] == found.significant.mean()
        assert found.delta[0] >= 0
        assert (np.diff(found.curves()) <= 0).all()
        same = [(values[0, i] == values[0, j]).all() for i, j in combinations(range(runs), 2)]
        assert (found.level[0][same] == 1).all()


def test_topics_count_where_every_measure_is_defined() -> None:
    evaluation = rs.evaluate(QRELS, list(RUNS[:6]), ["P@10", "ESL(n=5)"])
    undefined: Any = np.isnan(evaluation.values).any(axis=(0, 1))
    assert 0 < undefined.sum() < 49
    found = discriminate(evaluation, samples=100)
    assert found.topics == tuple(topic for topic, out in zip(evaluation.topics, undefined, strict=True) if not out)
    assert any(
        f"{undefined.sum()} of 50 topics are left out for all measures: ESL(n=5) is undefined" in one
        for one in found.warnings
    )
    np.testing.assert_allclose(
        found.difference[0, 0], np.diff(evaluation.values[0, :2][:, ~undefined].mean(axis=1))[0] * -1, rtol=1e-12
    )


def test_geometric_means_are_compared_by_logarithms() -> None:
    evaluation = rs.evaluate(QRELS, list(RUNS[:5]), ["AP", "GMAP"])
    found = discriminate(evaluation, samples=200)
    logs = np.log(np.maximum(evaluation.values[1], 1e-5))
    expected = PairedBootstrap(samples=200).achieved(np.ascontiguousarray(logs.T), found.runs_compared, 0.05)
    np.testing.assert_array_equal(found.level[1], expected.level)
    assert any("GMAP: logarithms" in one for one in found.warnings)


def test_progress_is_told_measure_by_measure(evaluation: Any) -> None:
    told: list[Any] = []
    discriminate(evaluation, samples=10, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_too_few_draws_are_told(evaluation: Any) -> None:
    told = "with 10 draws a level is below 0.05 only if it is 0: take 20 or more"
    assert told in discriminate(evaluation, samples=10).warnings
    assert not any("draws" in one for one in discriminate(evaluation, samples=20).warnings)


def test_results_are_closed_to_writing(found: Discrimination) -> None:
    for array in (found.level, found.difference, found.needed):
        assert not array.flags.writeable


def test_the_size_of_trec_8(trec_8: Any) -> None:
    qrels, runs = trec_8
    found = discriminate(rs.evaluate(qrels, runs, ["AP", "RR"]))
    assert found.level.shape == (2, 129 * 128 // 2)
    # Sakai, SIGIR 2006: measures that look at the first relevant document alone tell fewer runs apart.
    assert found.power[0] > found.power[1]
    assert found.delta[0] < found.delta[1]


EVERY_TEST = [name for name, kind in known_tests().items() if not kind.needs_baseline]
ALPHAS = (0.2, 0.05, 0.01)


@pytest.mark.parametrize("test", EVERY_TEST)
def test_every_test_of_all_pairs_gives_counts_by_alpha(test: str, evaluation: Any) -> None:
    """The p-values are those of the test itself; levels of draws are hits over draws, as Sakai has them."""
    samples: Any = {"samples": 99} if issubclass(known_tests()[test], Resampling) else {}
    study = discriminate(evaluation, test, alpha=ALPHAS, **samples)
    for place, values in enumerate(evaluation.values):
        theirs = known_tests()[test](**samples).compare(np.ascontiguousarray(values.T), study.runs_compared).p
        if test in TESTS:  # (1 + hits) / (1 + draws)
            theirs = (100 * theirs - 1) / 99
        np.testing.assert_allclose(study.level[place], theirs, rtol=1e-9, atol=1e-12)
        row = list(study.table("counts"))[place]
        assert [row[f"alpha={alpha:g}"] for alpha in ALPHAS] == [
            int((theirs < alpha - 1e-12).sum()) for alpha in ALPHAS
        ]
        assert row["pairs"] == 28
    assert np.isnan(study.delta).all() == (test not in TESTS)
    assert study.power.tolist() == [int(str(row["alpha=0.2"])) / 28 for row in study.table("counts")]
    alone = "corrects for the number of pairs by itself" if known_tests()[test].together else "Each pair is tested by"
    assert alone in study.sentence()
    assert ("(only with bootstrap or randomised tukey as the test)" in study.sentence()) == (test not in TESTS)
    assert study.shown() == ("measures", "counts")


def scipys(test: str, x: Any, y: Any) -> float:
    """p of one pair by scipy."""
    if test == "sign":
        differ = int(np.count_nonzero(x != y))
        return float(scipy.stats.binomtest(int(np.count_nonzero(x > y)), differ).pvalue) if differ else 1.0
    if test == "student":
        return float(scipy.stats.ttest_rel(x, y).pvalue)
    differences = (x - y).round(10)
    differences = differences[differences != 0]
    if len(differences) > 15:
        return float(scipy.stats.wilcoxon(differences, correction=False, method="approx").pvalue)
    ranks = scipy.stats.rankdata(np.abs(differences))
    sums = np.zeros(1)  # of signed ranks, for all signs
    for rank in ranks:
        sums = np.concatenate([sums + rank, sums - rank])
    return float(np.mean(np.abs(sums) >= abs(float(np.sign(differences) @ ranks)) - 1e-9))


@pytest.mark.parametrize("test", ["sign", "student", "wilcoxon"])
def test_counts_are_those_of_scipy(test: str, evaluation: Any) -> None:
    study = discriminate(evaluation, test, alpha=ALPHAS)
    for values, row in zip(evaluation.values, study.table("counts"), strict=True):
        rounded = values.round(12)
        p = np.array([scipys(test, rounded[i], rounded[j]) for i, j in combinations(range(8), 2)])
        assert [row[f"alpha={alpha:g}"] for alpha in ALPHAS] == [int((p < alpha).sum()) for alpha in ALPHAS]


def test_a_correction_is_over_the_pairs_of_a_measure(evaluation: Any) -> None:
    plain, corrected = (discriminate(evaluation, "student", alpha=ALPHAS, correction=one) for one in ("none", "holm"))
    for place in range(len(MEASURES)):
        ascending = np.sort(plain.level[place])
        stepped = np.minimum(1, np.maximum.accumulate(ascending * np.arange(28, 0, -1)))
        np.testing.assert_allclose(np.sort(corrected.p[place]), stepped, rtol=1e-12)
        row = list(corrected.table("counts"))[place]
        assert [row[f"alpha={alpha:g}"] for alpha in ALPHAS] == [int((stepped < alpha).sum()) for alpha in ALPHAS]
        assert row["correction"] == "holm"
    assert corrected.table("pairs").columns["p_corrected"] == corrected.p.ravel().tolist()
    assert "p_corrected" not in plain.table("pairs").columns
    assert "Holm's correction is over the 28 pairs of each measure." in corrected.sentence()


# Table IV of Moffat and Zobel 2008, t test at 95% and 99%. Those of RBP with p of 0.5 and 0.8 are met with documents in
# the order of the files.
PUBLISHED = {
    "RR": (1000, 752),
    "P@10": (1150, 915),
    "Rprec": (1142, 931),
    "AP": (1164, 969),
    "RBP(p=0.95)": (1209, 987),
    "nDCG(base=2)": (1269, 1101),
}
PUBLISHED_IN_FILE_ORDER = {"RBP(p=0.5)": (1050, 810), "RBP(p=0.8)": (1166, 917)}


@pytest.mark.parametrize(("order", "published"), [("score", PUBLISHED), ("file", PUBLISHED_IN_FILE_ORDER)])
def test_table_iv_of_rank_biased_precision(order: str, published: Any, shared_data: Path) -> None:
    folder = shared_data / "trec5_adhoc"
    runs = sorted((folder / "runs").iterdir())
    study = discriminate(
        rs.evaluate(folder / "T5-j.txt.gz", runs, list(published), order=order), "student", alpha=(0.05, 0.01)
    )
    counts = [(row["pairs"], row["alpha=0.05"], row["alpha=0.01"]) for row in study.table("counts")]
    assert counts == [(1830, *row) for row in published.values()]


def test_refusals(evaluation: Any) -> None:
    with pytest.raises(UnknownNameError, match="Dunnett's test needs a baseline; tests of all pairs are bootstrap, "):
        discriminate(evaluation, "dunnett")
    with pytest.raises(UnknownNameError, match="unknown test 'welch'"):
        discriminate(evaluation, "welch")
    for alpha in (1, (0.05, 0)):
        with pytest.raises(ParameterError, match="alpha must lie between 0 and 1, got "):
            discriminate(evaluation, alpha=alpha)
    with pytest.raises(ParameterError, match="alpha: expected a number between 0 and 1 or several, got none"):
        discriminate(evaluation, alpha=())
    with pytest.raises(ParameterError, match="Student's paired t test makes no draws: leave samples out"):
        discriminate(evaluation, "student", samples=10)
    with pytest.raises(ParameterError, match="a level of 0, which no draw reaches, stays 0 whatever the correction"):
        discriminate(evaluation, correction="holm")
    with pytest.raises(ParameterError, match="corrects for all pairs by itself; leave the correction out"):
        discriminate(evaluation, "friedman", correction="holm")
    with pytest.raises(UnknownNameError, match="unknown correction 'sidak'"):
        discriminate(evaluation, "student", correction="sidak")
    with pytest.raises(ParameterError, match="samples must be 1 or more, got 0"):
        discriminate(evaluation, samples=0)
    with pytest.raises(ParameterError, match="two runs or more, got 1"):
        discriminate(rs.evaluate(QRELS, str(RUNS[0]), "AP"))
    with pytest.raises(ParameterError, match="not all runs have topics 137: evaluate with missing='zero'"):
        discriminate(rs.evaluate(QRELS, list(RUNS), "AP", missing="skip"))
    runs: Any = {"a": {"1": {"x": 1}}, "b": {"1": {"y": 1}}}
    with pytest.raises(ParameterError, match="1 of 1 topics is left out for all measures: ASL is undefined"):
        discriminate(rs.evaluate({"1": {"x": 1}}, runs, "ASL"))
