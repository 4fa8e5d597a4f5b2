"""Arguments of other types are refused in words, whichever function they are given to."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import rankscale
from rankscale.errors import ParameterError, UnknownOptionError

rs: Any = rankscale  # called in ways that types forbid
QRELS = {str(topic): {"a": 1, "b": 0, "c": 2} for topic in range(6)}
RUNS = {
    "x": {topic: {"a": 1, "b": 2} for topic in QRELS},
    "y": {topic: {"c": 1, "b": 0.5} for topic in QRELS},
}
RESULT = rs.evaluate(QRELS, RUNS, ["AP", "nDCG@10"])

REFUSED: list[tuple[str, Callable[[], object]]] = [
    ("sizes must be a list of numbers, got 50", lambda: rs.robustness(QRELS, RUNS, "AP", sizes=50)),
    ("sizes must be a list of numbers, got '50'", lambda: rs.robustness(QRELS, RUNS, "AP", sizes="50")),
    ("iterations must be a whole number from 1, got '3'", lambda: rs.robustness(QRELS, RUNS, "AP", iterations="3")),
    ("executor must be an Executor, got 4", lambda: rs.evaluate(QRELS, RUNS, "AP", executor=4)),
    ("share must be a number, got '0.5'", lambda: rs.top(RESULT, "0.5")),
    ("keep_documents must be True or False, got 1", lambda: rs.read_runs(QRELS, RUNS, keep_documents=1)),
    ("alpha must be a number, got True", lambda: rs.compare(RESULT["AP"], alpha=True)),
    ("samples must be a whole number, got '9'", lambda: rs.compare(RESULT["AP"], "bootstrap", samples="9")),
    ("samples must be a whole number from 0, got 2.5", lambda: rs.correlate(RESULT, samples=2.5)),
    ("topics must be a text or a list of texts, got 301", lambda: rs.curves(QRELS, RUNS, "P", topics=301)),
    ("levels must be a list of numbers, got [0, 'x']", lambda: rs.scale("P@5", levels=[0, "x"])),
    ("gain must be a text or a Measure or a list of these, got 3", lambda: rs.effort_gain(RESULT, gain=3)),
    ("missing must be 'zero', 'skip', 'common' or 'error', got 1", lambda: rs.evaluate(QRELS, RUNS, "AP", missing=1)),
    ("inspect must be a text or a list of texts, got 5", lambda: rs.report(QRELS, RUNS, inspect=5)),
]


@pytest.mark.parametrize(("message", "call"), REFUSED)
def test_other_types_are_refused_in_words(message: str, call: Callable[[], object]) -> None:
    with pytest.raises(ParameterError) as refused:
        call()
    assert str(refused.value) == message


def test_a_keyword_that_is_not_declared_names_the_nearest() -> None:
    with pytest.raises(UnknownOptionError, match="keep_documents"):
        rs.read_runs(QRELS, RUNS, keep_document=True)


def test_numbers_of_numpy_are_numbers() -> None:
    drawn = rs.robustness(
        QRELS, RUNS, "AP", sizes=np.array([50.0]), iterations=np.int64(2), alpha=np.float32(0.1), seed=np.uint8(3)
    )
    assert len(drawn.table("iterations")) == 2
    assert rs.read_runs(QRELS, RUNS, keep_documents=np.bool_(1))[0].documents is not None


def test_iterators_are_not_used_up() -> None:
    assert rs.curves(QRELS, RUNS, "P", topics=iter(["1", "2"]), depth=2).topics == ("1", "2")
