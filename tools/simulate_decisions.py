"""How often the gate errs and intervals hold, on real values: tables of docs/guide/gate.md and comparing.md.

The values of AP of all runs on all topics of a collection are taken for the population: what is true of it is known.
Topics are drawn from it with replacement, as many as it has, and what the gate and the intervals say about the draw is
held against that truth.

- The gate: two runs at random, the differences of a topic shifted so that the true difference is none, a loss of the
  margin, or one of twice the margin. The margin is 0.4 standard deviations of the differences.
- Intervals of means: one run at random. Intervals of places: ten runs at random, the first of them.
- Intervals of means over few topics: values of a beta distribution, skewed as AP is.

    python tools/simulate_decisions.py QRELS RUN...
"""

import sys
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

import rankscale as rs
from rankscale.data.arrays import Floats
from rankscale.stats.noninferiority import decide, differences, power_of, student
from rankscale.stats.resampling.confidence import METHODS, mean_intervals, places_of
from rankscale.stats.resampling.draws import means_of_draws

TRIALS, SAMPLES, PLACED, ALPHA, CONFIDENCE = 2000, 3000, 1000, 0.05, 0.95
MARGIN = 0.4  # in standard deviations of the differences
FIELD = 10  # runs of which places are looked at
FEW_TOPICS = (8, 15, 30, 60)
SKEWED = (0.5, 1.5)  # parameters of a beta distribution with the mean 1/4 and most values near 0


@dataclass(frozen=True)
class GateRates:
    """Shares of trials."""

    passed_at_margin: float  # a true loss of the margin
    failed_without_loss: float
    failed_at_twice: float  # a true loss of twice the margin
    promised: float  # the mean power that the gate printed for these


@dataclass(frozen=True)
class Coverage:
    """Shares of samples whose interval holds the truth."""

    means: dict[str, float]  # by method
    places: float


def gate_rates(values: Floats, trials: int = TRIALS, seed: int = 1) -> GateRates:
    """Verdicts on draws of topics, given the values (run, topic) of a population."""
    generator = np.random.default_rng(seed)
    runs, topics = values.shape
    counts, promised = np.zeros(3), 0.0
    for _ in range(trials):
        one, other = generator.choice(runs, 2, replace=False)
        gap = values[one] - values[other]
        spread = float(gap.std(ddof=1))
        if spread == 0:
            continue
        margin = MARGIN * spread
        drawn = (gap - gap.mean())[generator.integers(0, topics, topics)]  # of which the true mean is 0
        baseline = np.zeros(topics)
        for place, (loss, verdict) in enumerate(((margin, "pass"), (0.0, "fail"), (2 * margin, "fail"))):
            of = differences(drawn - loss, baseline)
            counts[place] += decide(*student(of, -margin), ALPHA) == verdict
        power = power_of(of, margin, ALPHA)
        promised += power.at_zero if power else 0.0
    at_margin, without_loss, at_twice = (counts / trials).tolist()
    return GateRates(at_margin, without_loss, at_twice, promised / trials)


def coverage(values: Floats, samples: int = SAMPLES, placed: int = PLACED) -> Coverage:
    """Coverage of 95% intervals over samples of topics, given the values (run, topic) of a population."""
    return Coverage(_held(_samples_of(values, samples)), _held_places(values, placed) / placed)


def coverage_of_few(topics: int, samples: int = SAMPLES, seed: int = 4) -> dict[str, float]:
    """Coverage of 95% intervals of the mean over so many topics, by method; values are skewed."""
    generator = np.random.default_rng(seed)
    a, b = SKEWED
    return _held((generator.beta(a, b, topics), a / (a + b)) for _ in range(samples))


def _samples_of(values: Floats, samples: int, seed: int = 2) -> Iterable[tuple[Floats, float]]:
    """Values of a run at random on topics drawn from all, and its true mean."""
    generator = np.random.default_rng(seed)
    runs, topics = values.shape
    for _ in range(samples):
        of_run = values[generator.integers(runs)]
        yield of_run[generator.integers(0, topics, topics)], float(of_run.mean())


def _held(samples: Iterable[tuple[Floats, float]]) -> dict[str, float]:
    """Share of samples whose interval of the mean holds the truth, by method."""
    held: list[list[bool]] = []
    for number, (sample, truth) in enumerate(samples):
        made = mean_intervals(sample, means_of_draws(sample[:, None], seed=number)[:, 0], CONFIDENCE)
        ends = (getattr(made, method) for method in METHODS)
        held.append([bool(low <= truth <= high) for low, high in ends])
    return dict(zip(METHODS, np.mean(held, axis=0).tolist(), strict=True))


def _held_places(values: Floats, samples: int, seed: int = 3) -> int:
    generator = np.random.default_rng(seed)
    runs, topics = values.shape
    held = 0
    for number in range(samples):
        field = values[generator.choice(runs, FIELD, replace=False)]
        sample = field[:, generator.integers(0, topics, topics)].T
        means = field.mean(axis=1).round(8)
        true_place = 1 + np.count_nonzero(means > means[0]) + (np.count_nonzero(means == means[0]) - 1) / 2
        lower, upper = places_of(sample.mean(axis=0), means_of_draws(sample, seed=number)).interval(CONFIDENCE)
        held += bool(lower[0] <= true_place <= upper[0])
    return held


def gate_row(name: str, rates: GateRates) -> str:
    """A row of the table of the gate."""
    numbers = rates.passed_at_margin, rates.failed_without_loss, rates.failed_at_twice, rates.promised
    return f"| {name} | {' | '.join(f'{number:.3f}' for number in numbers)} |"


def coverage_row(name: str, of: Coverage) -> str:
    """A row of the table of intervals."""
    return f"| {name} | {' | '.join(f'{number:.3f}' for number in (*of.means.values(), of.places))} |"


def few_row(topics: int, of: dict[str, float]) -> str:
    """A row of the table of intervals over few topics."""
    return f"| {topics} | {' | '.join(f'{share:.3f}' for share in of.values())} |"


if __name__ == "__main__":
    qrels, *files = sys.argv[1:]
    population = rs.evaluate(qrels, files, "AP").values[0]
    print(gate_row(qrels, gate_rates(population)))
    print(coverage_row(qrels, coverage(population)))
    for number in FEW_TOPICS:
        print(few_row(number, coverage_of_few(number)))
