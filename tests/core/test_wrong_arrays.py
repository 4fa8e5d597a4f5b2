"""Arrays that do not fit each other are refused by the core: no panic, no overflow, no copy of all that is given."""

import numpy as np
import pytest

from rankscale import _core

LEAST = np.iinfo(np.int64).min
NONE = np.array([], dtype=np.int64)
CODES = np.array([0, 1, 0], dtype=np.int16)


def columns(*lengths: int) -> list[np.ndarray]:
    return [np.arange(length, dtype=np.int32) for length in lengths]


@pytest.mark.parametrize("target", [LEAST, LEAST + 1, (1 << 61) + 1, -(1 << 61) - 1])
def test_targets_too_large_for_sums_are_refused(target):
    keys = np.array([-(1 << 59), 1 << 59])
    with pytest.raises(ValueError, match="targets must stay below 2\\^61"):
        _core.sums_below(keys, keys, np.array([target]), 1)
    with pytest.raises(ValueError, match="targets must stay below 2\\^61"):
        _core.sums_near(keys, keys, target, 1, 10)


def test_keys_too_large_for_sums_are_refused():
    with pytest.raises(ValueError, match="keys stay below 2\\^60"):
        _core.sums_below(np.array([LEAST]), np.array([0]), np.array([0]), 1)
    with pytest.raises(ValueError, match="keys stay below 2\\^60"):
        _core.sums_near(np.array([LEAST]), np.array([0]), 0, 1, 10)


@pytest.mark.parametrize(
    ("lengths", "starts", "ends", "code_starts"),
    [
        ((2, 2), [0], [], [0]),
        ((1, 2), [0], [2], [0]),
        ((2, 1), [0], [1], [0]),
        ((2, 2), [0], [3], [0]),
        ((2, 2), [-1], [2], [0]),
        ((2, 2), [0, 2, 1], [2, 1, 2], [0, 0, 0]),
        ((2, 2), [0], [2], []),
        ((2, 2), [0], [2], [np.iinfo(np.int64).max]),
        ((2, 2), [0], [2], [2]),
    ],
)
def test_rankings_that_start_outside_their_columns_are_refused(lengths, starts, ends, code_starts):
    rankings = [np.array(one, dtype=np.int64) for one in (starts, ends)]
    given = (columns(*lengths), rankings, CODES, np.array(code_starts, dtype=np.int64))
    with pytest.raises(IndexError):
        _core.entries(*given)
    with pytest.raises(IndexError):
        _core.kept_entries(*given, b"\x01\x01", b"\x01\x01")


def test_no_rankings_are_an_empty_table():
    assert _core.entries(columns(0, 0), [NONE, NONE], CODES, NONE) == (0, b"", b"")
    assert _core.padded(columns(0)[0], [NONE, NONE], 7) == b""


def test_a_block_reads_the_codes_where_they_lie():
    """The time for one small block does not grow with the qrels that it is part of."""
    from time import perf_counter

    def least(codes: np.ndarray) -> float:
        given = (columns(2, 2), [np.array([0]), np.array([2])], codes, np.array([0]))
        times = []
        for _ in range(30):
            start = perf_counter()
            _core.entries(*given)
            times.append(perf_counter() - start)
        return min(times)

    assert least(np.zeros(30_000_000, dtype=np.int16)) < 1e-3  # a copy of 60 MB takes several
