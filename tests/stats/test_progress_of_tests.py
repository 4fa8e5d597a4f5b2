"""Tests by draws say how far they are, and end where the one who is told raises."""

import numpy as np
import pytest

import rankscale as rs
from rankscale.stats.tests.base.test import Resampling, all_pairs
from rankscale.stats.tests.register import known_tests

BY_DRAWS = [test for test in known_tests().values() if issubclass(test, Resampling)]


class EnoughError(Exception):
    """Nobody waits for the outcome."""


@pytest.mark.parametrize("kind", BY_DRAWS, ids=lambda kind: str(kind.name))
def test_tests_by_draws_say_how_far_they_are_and_can_be_left(kind: type[Resampling]) -> None:
    values = np.random.default_rng(1).random((30, 40))
    test = kind()
    said: list[tuple[int, int]] = []
    whole = test.compare(values, all_pairs(40), 0.95, lambda done, of: said.append((done, of)))
    assert len(said) > 3  # so often that a second is not long
    assert [done for done, _ in said] == sorted({done for done, _ in said})
    assert all(0 <= done < of for done, of in said)
    np.testing.assert_array_equal(whole.p, test.compare(values, all_pairs(40)).p)

    def leave(done: int, of: int) -> None:
        if done > of / 3:
            raise EnoughError

    with pytest.raises(EnoughError):
        test.compare(values, all_pairs(40), 0.95, leave)


def test_compare_hands_the_progress_on() -> None:
    qrels = {str(topic): {"a": 1} for topic in range(8)}
    runs = {
        name: {topic: {"a": float((ord(name) * int(topic)) % 3), "b": 1.0} for topic in qrels}
        for name in ("x", "y", "z")
    }
    said: list[int] = []
    evaluation = rs.evaluate(qrels, runs, "P@1")
    rs.compare(evaluation, "randomisation", progress=lambda done, _: said.append(done))
    assert said == [0]
    rs.compare(evaluation, "student", progress=lambda done, _: said.append(done))
    assert said == [0]  # which is done at once
