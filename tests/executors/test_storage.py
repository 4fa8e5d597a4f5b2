"""Stored results: what comes back is what was stored, damage is seen, and nothing but data is ever made."""

import json
import pickle
import struct
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from rankscale.data.notices import Notice
from rankscale.errors import ParameterError
from rankscale.executors.storage import DamagedError, decoded, encoded

numbers = arrays.arrays(
    st.sampled_from(["f8", "f4", "i8", "i4", "u1", "?", "c16", "U3", "S2", ">f8"]),
    arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4),
)
plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | numbers
trees = st.recursive(
    plain,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text() | st.integers(), inner),
    max_leaves=8,
)


def same(one: Any, other: Any) -> bool:
    """Equal in type, order of memory and every bit."""
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray | np.generic):
        strides = one.strides == other.strides or one.size < 2
        return one.dtype == other.dtype and one.shape == other.shape and strides and one.tobytes() == other.tobytes()
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


@given(trees)
@settings(max_examples=300)
def test_every_tree_comes_back(tree: Any) -> None:
    assert same(decoded(encoded(tree)), tree)


def test_orders_of_memory_signs_of_zero_and_names_that_are_no_text_come_back() -> None:
    kept = [np.asfortranarray(np.arange(6.0).reshape(2, 3)), np.array([-0.0, np.nan, np.inf]), -0.0, "\udcff\x00"]
    assert all(map(same, decoded(encoded(kept)), kept))  # type: ignore[call-overload]
    assert np.isnan(decoded(encoded(float("nan"))))  # type: ignore[call-overload]
    strided = np.arange(12.0).reshape(3, 4)[:, ::2]
    assert np.array_equal(decoded(encoded(strided)), strided)  # type: ignore[arg-type]


def test_integers_of_any_length_come_back() -> None:
    kept = np.array([[1 << 200, -(1 << 99)], [0, 7]], dtype=object)
    back = decoded(encoded([kept]))[0]  # type: ignore[index]
    assert back.dtype == object
    assert back.tolist() == kept.tolist()


def test_dataclasses_of_rankscale_come_back() -> None:
    notice = Notice.of("note", text="a", topics=("1", "2"))
    assert decoded(encoded([notice])) == [notice]


@pytest.mark.parametrize("result", [Fraction(1, 2), {1, 2}, np.array([None]), object(), np.random.default_rng(1)])
def test_what_is_no_data_is_refused(result: object) -> None:
    with pytest.raises(ParameterError, match="cannot be stored"):
        encoded([result])


def made(tree: object, blobs: bytes = b"") -> bytes:
    text = json.dumps(tree).encode()
    return struct.pack("<Q", len(text)) + text + blobs


@pytest.mark.parametrize(
    "tree",
    [
        {"made": ["os", "system", {"command": "true"}]},
        {"made": ["subprocess", "Popen", {"args": "true"}]},
        {"made": ["rankscale.cli", "main", {}]},
        {"made": ["rankscale.executors.processes", "Processes.map", {}]},
        {"made": ["rankscale.data.notices", "render", {"notice": 1}]},
        {"made": ["rankscale.data.notices", "Notice", {"kind": "a"}]},
        {"made": ["rankscale.nowhere", "Notice", {}]},
        {"made": ["rankscale.data.qrels", "replace", {}]},
        {"array": ["|O", [1], False, False]},
        {"array": ["<f8", [-1], False, False]},
        {"array": ["<f8", [1 << 60], False, False]},
        {"array": ["<f8", [2], False, False]},
        {"integers": [[2], ["1"]]},
        {"integers": [[1], ["one"]]},
        {"integers": [[1], [1.5]]},
        {"other": []},
        {"list": [], "tuple": []},
        [1],
    ],
    ids=str,
)
def test_hostile_results_are_damaged_ones(tree: object) -> None:
    with pytest.raises(DamagedError):
        decoded(made(tree))


def test_a_pickle_is_no_result() -> None:
    with pytest.raises(DamagedError):
        decoded(pickle.dumps([1, 2]))
    with pytest.raises(DamagedError):
        decoded(made({"list": [1]}, b"more"))


def test_a_cut_result_is_a_damaged_one() -> None:
    whole = encoded({"values": np.arange(3.0), "name": "a"})
    for length in range(len(whole)):
        with pytest.raises(DamagedError):
            decoded(whole[:length])
