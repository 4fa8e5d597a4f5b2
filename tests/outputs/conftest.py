"""What the tests of writers share: names that nobody would choose, and values that are hard to write."""

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.measures.base.parser import parse_all

# Each of these breaks some form of writing where it is not escaped.
NASTY = (
    "plain",
    "comma, and space",
    'say "quotes"',
    "'single'",
    "tab\there",
    "new\nline",
    "carriage\rreturn",
    "back\\slash",
    "pipe|pipe",
    "under_score*star*",
    "<script>alert(1)</script>",
    "&amp; &lt;b&gt;",
    "\\input{/etc/passwd}",
    "$x^2$ 50% #1 ~tilde {braces}",
    "[x](http://y) `code`",
    "not utf-8 \udcff\udc80",
    "\x1b[31mred\x1b[0m",
    "nul\x00nul",
    "\u202egnp.exe",
    "naïve 漢字 🎈",
    "line\u2028separator\x85\x0b\x0c\x1c",
    "-1+1=cmd",
    " leading and trailing ",
    "null",
    "-",
    "[1ex]",
    "*star",
)
HARD = (0.1, 1 / 3, 5e-324, 2.2250738585072014e-308, 1e-5, 123456789.123456789, 1e16, 1e22, 0.30000000000000004, -0.0)


@pytest.fixture
def nasty() -> Evaluation:
    """One run and one topic of each nasty name, every second run without the last topic."""
    topics = {name: {"a": 1, "b": 0} for name in NASTY}
    runs = {}
    for place, name in enumerate(NASTY):
        ranking = {"b": 2.0, "a": 1.0} if place % 2 else {"a": 1.0}
        runs[name] = {topic: ranking for topic in NASTY if topic != "plain" or place % 2 == 0}
    return evaluate(topics, runs, ["AP", "nDCG(gains={1:3})@5"])


@pytest.fixture
def holding() -> Callable[[Sequence[float]], Evaluation]:
    """An evaluation of one run whose topics have these values."""

    def make(values: Sequence[float], measure: str = "AP") -> Evaluation:
        return Evaluation(
            measures=parse_all([measure]),
            runs=("r",),
            topics=tuple(f"{place:04}" for place in range(len(values))),
            values=np.array([[values]], dtype=np.float64),
            retrieved=np.ones((1, len(values)), dtype=bool),
            signature="s",
            sources=("qrels", "r"),
        )

    return make


@pytest.fixture(scope="session")
def hard_values() -> list[float]:
    """Values whose shortest exact text is not obvious, and random bit patterns."""
    random = np.random.default_rng(1).integers(0, 2**63, 500).astype(np.int64).view(np.float64)
    return [*HARD, *(float(value) for value in random if math.isfinite(value))]
