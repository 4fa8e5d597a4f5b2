import pickle
import weakref
from dataclasses import dataclass, replace
from typing import Any

import pytest

from rankscale.data.arrays import LazyFields, lazy


@dataclass(frozen=True)
class Pair(LazyFields):
    left: Any
    right: Any
    note: str = ""


class Counted:
    """A computation, and how often it was done."""

    def __init__(self, value: Any) -> None:
        self.value = value
        self.calls = 0

    def __call__(self) -> Any:
        self.calls += 1
        return self.value


def test_a_field_is_computed_when_it_is_first_read_and_once():
    make = Counted(7)
    pair = Pair(1, lazy(make))
    assert make.calls == 0
    assert (pair.left, pair.right, pair.right) == (1, 7, 7)
    assert make.calls == 1


def test_it_equals_and_pickles_as_if_it_had_been_given():
    pair = Pair(1, lazy(lambda: [2]), note="n")  # a lambda cannot be pickled
    assert pickle.loads(pickle.dumps(pair)) == Pair(1, [2], note="n") == pair
    assert replace(Pair(1, lazy(lambda: 2)), left=3) == Pair(3, 2)


def test_a_derived_field_waits_for_both():
    make, changed = Counted(5), Counted(None)

    def change(value: int) -> int:
        changed()
        return value + 1

    first = Pair(1, lazy(make))
    second = Pair(2, first.derive("right", change))
    assert (make.calls, changed.calls) == (0, 0)
    assert second.right == 6
    assert first.right == 5
    assert (make.calls, changed.calls) == (1, 1)
    assert Pair(first.derive("left", change), 0).left == 2


def test_a_derived_field_does_not_keep_the_first_instance_alive():
    first = Pair(1, lazy(lambda: 5))
    gone = weakref.ref(first)
    second = Pair(2, first.derive("right", lambda value: value + 1))
    del first
    assert gone() is None
    assert second.right == 6


def test_an_error_comes_when_the_field_is_read_and_each_time():
    def fail() -> int:
        raise ValueError("no value")

    pair = Pair(1, lazy(fail))
    for _ in range(2):
        with pytest.raises(ValueError, match="no value"):
            _ = pair.right


def test_other_attributes_are_unknown():
    with pytest.raises(AttributeError, match="'Pair' object has no attribute 'middle'"):
        _ = Pair(1, lazy(lambda: 2)).middle  # type: ignore[attr-defined]  # what is tested
