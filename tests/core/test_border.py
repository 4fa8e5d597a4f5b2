"""Whatever the core is called with, it answers with a value or with an exception: no panic, no abort."""

import gc
import inspect
import itertools
import re
import subprocess
import sys
import threading
from pathlib import Path

import lz4.frame
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankscale import _core
from tests.core.border_cases import SOUND, index, options, outcome

ROOT = Path(__file__).parents[2]
SMALL, ANY64 = st.integers(-3, 6), st.integers(-(1 << 63), (1 << 63) - 1)


def members() -> set[str]:
    """Functions and classes of the core, methods and properties of the classes."""
    names = {name for name in dir(_core) if not name.startswith("_")}
    for name in [name for name in names if inspect.isclass(getattr(_core, name))]:
        names |= {f"{name}.{member}" for member in vars(getattr(_core, name)) if not member.startswith("__")}
    return names


def test_there_is_a_case_for_every_function_and_class_of_the_core():
    assert members() == set(SOUND)


@pytest.mark.parametrize("name", SOUND)
def test_right_arguments_are_taken(name):
    answer = outcome(name, SOUND[name]())
    assert isinstance(answer, TypeError) == (name in {"Reading", "Listing"})  # which are made by functions alone


def test_wrong_arguments_are_refused_or_read_as_they_are():
    command = [sys.executable, "-m", "tests.core.border_cases"]
    done = subprocess.run(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False
    )
    last = done.stdout.strip().rpartition("\n")[2]
    assert (done.returncode, last) == (0, "done"), f"{last}\n{done.stderr[-2_000:]}"


def integers(kind: str, values: st.SearchStrategy[int], most: int = 8) -> st.SearchStrategy[np.ndarray]:
    return st.lists(values, max_size=most).map(lambda made: np.array(made, dtype=kind))


@settings(max_examples=200)
@given(integers("i2", SMALL), integers("i8", SMALL), st.integers(0, 5))
def test_levels_are_counted_or_refused(codes, starts, levels):
    """As a loop counts them; -1 is no level."""
    expected = None
    if len(starts) and all(0 <= start <= len(codes) for start in starts) and sorted(starts) == list(starts):
        rows = [codes[a:b] for a, b in itertools.pairwise(starts)]
        if all(-1 <= code < levels for row in rows for code in row):
            expected = np.array([[np.sum(row == level) for level in range(levels)] for row in rows], dtype=np.int64)
    try:
        given = np.frombuffer(_core.level_counts(codes, starts, levels), dtype=np.int64)
    except IndexError:
        assert expected is None
    else:
        assert expected is not None or len(starts) < 2
        assert expected is None or given.tolist() == expected.ravel().tolist()


@settings(max_examples=300)
@given(
    st.lists(integers("i4", st.integers(0, 4), 4), min_size=2, max_size=2),
    integers("i8", SMALL, 5),
    integers("i8", SMALL, 5),
    integers("i2", st.integers(0, 3), 6),
    integers("i8", st.one_of(SMALL, ANY64), 4),
)
def test_tables_of_entries_are_filled_or_refused(columns, starts, ends, codes, code_starts):
    length = len(columns[0])
    rankings = list(zip(starts.tolist(), ends.tolist(), strict=False))
    is_cut = len(starts) == len(ends) and all(0 <= start <= end <= length for start, end in rankings)
    documents = [columns[1][start:end].tolist() for start, end in rankings] if is_cut else []
    fits = is_cut and len(columns[1]) == length and len(code_starts) == len(starts)
    places = [[int(first) + d for d in row] for first, row in zip(code_starts, documents, strict=False)]
    fits = fits and all(0 <= place < len(codes) for row in places for place in row)
    try:
        width, rank, code = _core.entries(columns, [starts, ends], codes, code_starts)
    except IndexError:
        assert not fits
        return
    assert fits
    assert width == max(map(len, documents), default=0)
    filled = [[int(codes[place]) for place in row] + [-1] * (width - len(row)) for row in places]
    assert np.frombuffer(code, dtype=np.int16).tolist() == [c for row in filled for c in row]
    ranks = [columns[0][start:end].tolist() + [2**31 - 1] * (width - (end - start)) for start, end in rankings]
    assert np.frombuffer(rank, dtype=np.int32).tolist() == [r for row in ranks for r in row]
    assert _core.padded(columns[0], [starts, ends], 2**31 - 1) == rank


@settings(max_examples=300)
@given(
    st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=5),
    st.binary(min_size=4, max_size=4),
    st.binary(min_size=4, max_size=4),
)
def test_kept_entries_stay_in_order_and_are_counted(rankings, kept, counting):
    kept, counting = (bytes(byte & 1 for byte in one) for one in (kept, counting))
    codes = np.array([0, 1, 2, 3, -1, 1], dtype=np.int16)
    document = np.array([d for ranking in rankings for d in ranking], dtype=np.int32)
    rank = np.arange(1, len(document) + 1, dtype=np.int32)
    bounds = np.cumsum([0, *map(len, rankings)]).astype(np.int64)
    none = np.zeros(len(rankings), dtype=np.int64)
    given = _core.kept_entries([rank, document], [bounds[:-1], bounds[1:]], codes, none, kept, counting)
    starts, places, counts = (np.frombuffer(one, k).tolist() for one, k in zip(given, ("i8", "i8", "i4"), strict=False))
    levels = [[int(codes[d]) for d in ranking] for ranking in rankings]

    def has(flags: bytes, level: int) -> bool:
        return level >= 0 and bool(flags[level])

    chosen = [(r, e) for r, row in enumerate(levels) for e, level in enumerate(row) if has(kept, level)]
    assert places == [int(bounds[r]) + e for r, e in chosen]
    assert counts == [sum(has(counting, level) for level in levels[r][: e + 1]) for r, e in chosen]
    assert starts == [
        0,
        *np.cumsum([sum(r == ranking for r, _ in chosen) for ranking in range(len(rankings))]).tolist(),
    ]
    assert np.frombuffer(given[3], "i4").tolist() == [int(rank[place]) for place in places]
    assert np.frombuffer(given[4], "i4").tolist() == [int(document[place]) for place in places]


@settings(max_examples=300)
@given(integers("i8", ANY64), integers("i8", SMALL), st.one_of(SMALL, ANY64), st.one_of(SMALL, ANY64), st.booleans())
def test_sums_are_counted_or_refused(a, b, target, margin, is_sorted):
    if is_sorted:
        a, b = np.sort(a >> 4), np.sort(b)
    sums = [int(x) + int(y) for x in a for y in b]
    expected = sum(total < target - margin for total in sums), sum(abs(total - target) <= margin for total in sums)
    try:
        given = _core.sums_below(a, b, np.array([target]), margin)
        near = np.frombuffer(_core.sums_near(a, b, target, margin, 1_000), dtype=np.uint64)
    except ValueError:
        large = max(map(abs, [*map(int, a), *map(int, b)]), default=0) >= 1 << 60
        unsorted = any(list(one) != sorted(one) for one in (a, b))
        assert large or unsorted or abs(target) > 1 << 61 or not 0 <= margin < 1 << 60
    else:
        assert tuple(int.from_bytes(given[at : at + 16], sys.byteorder) for at in (0, 16)) == expected
        assert len(near) == 2 * expected[1]


def test_codes_that_another_thread_changes_are_read_whole():
    """Each code is one that was there at some time, and no place outside of the qrels is read."""
    size, is_done = 50_000, threading.Event()
    codes, rankings = np.zeros(size, dtype=np.int16), [np.array([0]), np.array([size])]
    columns = [np.arange(size, dtype=np.int32)] * 2

    def change() -> None:
        while not is_done.is_set():
            codes[:] = 0x0101
            codes[:] = 0x0202

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(20):
            *_, code = _core.entries(columns, rankings, codes, np.array([0]))
            assert set(np.frombuffer(code, dtype=np.int16).tolist()) <= {0, 0x0101, 0x0202}
    finally:
        is_done.set()
        changing.join()


def test_columns_of_a_run_outlive_what_gave_them():
    (run,) = next(_core.judge_files(index(), [("r", b"1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")], options(), "rankscale", None, 1))
    rank = np.frombuffer(run["rank"], dtype=np.int32)
    assert not rank.flags.writeable
    with pytest.raises(TypeError, match="read-only"):
        memoryview(run["rank"])[0] = 0
    view = memoryview(run["document"])
    del run
    gc.collect()
    [bytes(4096) for _ in range(100)]  # what was freed would be written over
    assert (rank.tolist(), view.readonly, np.frombuffer(view, dtype=np.int32).tolist()) == ([1, 2], True, [1, 0])


def test_all_frames_of_an_lz4_file_are_read():
    lines = [b"1 Q0 a 1 2.5 tag\n", b"1 Q0 b 2 1.5 tag\n"]
    packed = b"".join(lz4.frame.compress(text) for text in (lines[0], b"", b"", lines[1]))
    (run,) = next(_core.judge_files(index(), [("r", packed)], options(), "rankscale", None, 1))
    assert np.frombuffer(run["length"], dtype=np.int32).tolist() == [2]


def test_a_table_larger_than_memory_is_refused():
    starts = np.zeros(4_000_000, dtype=np.int64)
    ends = np.concatenate([starts[1:], [4_000_000]])
    column = np.zeros(4_000_000, dtype=np.int32)
    with pytest.raises(MemoryError):
        _core.entries([column] * 2, [starts, ends], np.zeros(1, dtype=np.int16), starts)


def test_every_unsafe_block_is_listed_in_the_page_on_trust():
    folder = ROOT / "rust" / "src"
    sources = {str(path.relative_to(folder)): path.read_text().count("unsafe {") for path in folder.rglob("*.rs")}
    page = (ROOT / "docs" / "trust.md").read_text()
    listed = re.findall(r"^\| `([\w/]+\.rs)` \| (\d+) \|", page, re.MULTILINE)
    assert {name: int(count) for name, count in listed} == {name: count for name, count in sources.items() if count}
