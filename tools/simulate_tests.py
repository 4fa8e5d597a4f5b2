"""False positives and power of tests and corrections, by simulation: the table of docs/guide/comparing.md.

Five runs on 50 topics, 1000 times. Values are those that a topic gives to all runs, with noise of each run: `normal`
noise, or `counts`, which are shares of ten documents as P@10 has them, many of them equal. Without any difference the
chance of at least one significant pair should be alpha, 0.05, or less. For the power one run is better than the others
by half a standard deviation of a difference, and the share of its pairs that are significant is counted. That run is
another than the baseline, or the baseline itself, from which all runs differ then.

    python tools/simulate_tests.py
"""

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.stats.corrections import correct
from rankscale.stats.tests.base.test import all_pairs, pairs_with
from rankscale.stats.tests.register import make_test

RUNS, TOPICS, TIMES, ALPHA, SEED = 5, 50, 1000, 0.05, 7
EFFECT = 0.5  # in standard deviations of a difference
QUESTIONS = {"all pairs": None, "one baseline": 0, "a better baseline": RUNS - 1}  # the last run is the better one
ROWS = (  # test, correction, question
    ("student", "none", "all pairs"),
    ("student", "bonferroni", "all pairs"),
    ("student", "holm", "all pairs"),
    ("two-way", "none", "all pairs"),
    ("signed rank", "holm", "all pairs"),
    ("sign", "holm", "all pairs"),
    ("friedman", "none", "all pairs"),
    ("student", "holm", "one baseline"),
    ("dunnett", "none", "one baseline"),
    ("student", "holm", "a better baseline"),
    ("dunnett", "none", "a better baseline"),
)


def values(generator: np.random.Generator, kind: str, effect: float) -> Floats:
    """(topic, run): the last run is better by the effect."""
    better = np.zeros(RUNS)
    better[-1] = effect
    if kind == "normal":
        noise = generator.normal(size=(TOPICS, RUNS)) / np.sqrt(2)
        normal: Floats = generator.normal(size=(TOPICS, 1)) + noise + better
        return normal
    ease = generator.beta(1, 2, (TOPICS, 1))
    chance = np.clip(ease + better * 0.16, 0, 1)  # noise of ten documents: sd of a difference about 0.16
    counts: Floats = generator.binomial(10, np.broadcast_to(chance, (TOPICS, RUNS))) / 10
    return counts


def significant(of: Floats, test: str, correction: str, baseline: int | None) -> tuple[bool, float]:
    """Whether any pair is significant, and the share of those with the last run."""
    pairs = all_pairs(RUNS) if baseline is None else pairs_with(RUNS, baseline)
    p = correct(make_test(test).compare(of, pairs).p, correction)
    last = (pairs.first == RUNS - 1) | (pairs.second == RUNS - 1)
    return bool((p < ALPHA).any()), float((p[last] < ALPHA).mean())


def table() -> list[str]:
    """The rows of the table in Markdown."""
    made = ["| `--test` | `--correction` | question | normal: any false | power | counts: any false | power |"]
    made.append("|---|---|---|--:|--:|--:|--:|")
    for test, correction, question in ROWS:
        baseline = QUESTIONS[question]
        cells = []
        for kind in ("normal", "counts"):
            generators = np.random.default_rng((SEED, 0)), np.random.default_rng((SEED, 1))
            equal = [significant(values(generators[0], kind, 0.0), test, correction, baseline)[0] for _ in range(TIMES)]
            apart = [
                significant(values(generators[1], kind, EFFECT), test, correction, baseline)[1] for _ in range(TIMES)
            ]
            cells += [f"{np.mean(equal):.3f}", f"{np.mean(apart):.3f}"]
        own = "its own" if make_test(test).together else correction
        made.append(f"| `{test}` | {own} | {question} | {' | '.join(cells)} |")
    return made


if __name__ == "__main__":
    print("\n".join(table()))
