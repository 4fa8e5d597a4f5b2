"""Error rates of the gate and coverage of intervals on the values of TREC-8 and Deep Learning 2021, as published."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankscale as rs

ROOT = Path(__file__).parents[2]
COLLECTIONS = {
    "TREC-8": ("trec8_adhoc", "trec8.qrels.gz"),
    "Deep Learning 2021": ("dl21_passage_judged", "qrels-pass.txt.gz"),
}
SURE = 0.999  # of the binomial interval: one false alarm in a thousand


@pytest.fixture(scope="module")
def simulation() -> Any:
    spec = spec_from_file_location("simulate_decisions", ROOT / "tools" / "simulate_decisions.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module", params=COLLECTIONS)
def population(request: pytest.FixtureRequest, shared_data: Path) -> tuple[str, np.ndarray]:
    """The name of a collection, and the values of AP (run, topic)."""
    folder, qrels = COLLECTIONS[request.param]
    files = sorted((shared_data / folder / "runs").iterdir())
    return request.param, rs.evaluate(shared_data / folder / qrels, files, "AP").values[0]


@pytest.mark.nightly
def test_the_gate_errs_no_more_often_than_it_says(simulation: Any, population: tuple[str, np.ndarray]) -> None:
    name, values = population
    rates, trials = simulation.gate_rates(values), simulation.TRIALS
    most = stats.binom.interval(SURE, trials, simulation.ALPHA)[1] / trials
    assert rates.passed_at_margin <= most
    assert rates.failed_without_loss <= most
    least = stats.binom.interval(SURE, trials, rates.promised)[0] / trials
    assert rates.failed_at_twice >= least
    assert 0.5 < rates.promised < 0.95  # a power that could be missed
    assert simulation.gate_row(name, rates) in (ROOT / "docs" / "guide" / "gate.md").read_text()


@pytest.mark.nightly
def test_intervals_hold_as_often_as_they_say(simulation: Any, population: tuple[str, np.ndarray]) -> None:
    name, values = population
    held = simulation.coverage(values)
    for method in ("bca", "student"):
        assert held.means[method] == pytest.approx(simulation.CONFIDENCE, abs=0.02)
    assert simulation.coverage_row(name, held) in (ROOT / "docs" / "guide" / "comparing.md").read_text()


@pytest.mark.nightly
@pytest.mark.parametrize("topics", [8, 15, 30, 60])
def test_intervals_over_few_topics_hold_as_often_as_published(topics: int, simulation: Any) -> None:
    assert topics in simulation.FEW_TOPICS
    row = simulation.few_row(topics, simulation.coverage_of_few(topics))
    assert row in (ROOT / "docs" / "guide" / "comparing.md").read_text()


@pytest.mark.slow
@pytest.mark.parametrize("topics", [8, 15, 30, 60])
def test_the_published_shares_are_those_of_scipy(topics: int) -> None:
    """Other samples, scipy's bootstrap and its t: published shares differ from theirs by chance alone."""
    lines = (ROOT / "docs" / "guide" / "comparing.md").read_text().splitlines()
    (row,) = (line for line in lines if line.startswith(f"| {topics} | 0."))
    published = dict(zip(("percentile", "BCa", "student"), map(float, row.strip("| ").split(" | ")[1:]), strict=True))
    samples, truth = 2000, 0.25
    values = np.random.default_rng(99).beta(0.5, 1.5, (samples, topics))
    made = {"student": stats.ttest_1samp(values, truth, axis=1).confidence_interval(0.95)}
    for method in ("percentile", "BCa"):
        of = {"axis": 1, "n_resamples": 500, "method": method, "vectorized": True, "batch": 50}
        made[method] = stats.bootstrap((values,), np.mean, rng=np.random.default_rng(5), **of).confidence_interval
    for method, interval in made.items():
        held = np.mean((interval.low <= truth) & (truth <= interval.high))
        error = (published[method] * (1 - published[method]) * (1 / samples + 1 / 3000)) ** 0.5
        assert held == pytest.approx(published[method], abs=stats.norm.ppf(SURE) * error)


def test_the_simulation_on_a_small_population(simulation: Any) -> None:
    values = np.random.default_rng(1).random((12, 8))
    rates, held = simulation.gate_rates(values, trials=5), simulation.coverage(values, samples=3, placed=3)
    assert 0 <= rates.failed_without_loss <= rates.failed_at_twice <= 1
    assert list(held.means) == ["percentile", "bca", "student"]
    assert simulation.coverage_row("x", held).count("|") == 6
    few = simulation.coverage_of_few(8, samples=4)
    assert list(few) == ["percentile", "bca", "student"]
    assert simulation.few_row(8, few).count("|") == 5
    alike = simulation.gate_rates(np.ones((3, 4)), trials=2)  # runs that never differ decide nothing
    assert (alike.passed_at_margin, alike.promised) == (0, 0)
