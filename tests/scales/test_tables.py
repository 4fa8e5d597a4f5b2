"""Shipped tables: what they hold, that they can be made again, and that damage is seen."""

import importlib.util
import os
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from rankscale.errors import ScaleError
from rankscale.scales.counting import average_precision as tables
from rankscale.scales.counting.average_precision import GAINS, average_precision, sum_of_precisions
from rankscale.scales.counting.image import Limits, Universe
from rankscale.scales.counting.windows import Checkpoints, WindowImage

DISTINCT = {20: 644_203, 25: 18_269_373, 28: 118_379_279, 30: 426_591_837}  # INTERVALS, section 3


@pytest.fixture(scope="module")
def command() -> ModuleType:
    path = Path(__file__).parents[2] / "tools" / "make_scale_tables.py"
    spec = importlib.util.spec_from_file_location("make_scale_tables", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def made_by_hand(depth: int, table: Checkpoints | None = None) -> WindowImage:
    return WindowImage(Universe(GAINS, depth), sum_of_precisions(depth), table)


@pytest.mark.parametrize("depth", DISTINCT)
def test_tables_hold_the_known_numbers_and_are_small(depth: int) -> None:
    table = tables.shipped_table(depth)
    assert os.path.getsize(tables.path_of(depth)) < 100_000
    assert table.counts[-1] == DISTINCT[depth]
    assert table.boundaries[0] == 0
    assert table.boundaries[-1] == depth * sum_of_precisions(depth).scale + 1
    image = average_precision(Universe(GAINS, depth))
    assert image.size == DISTINCT[depth]
    assert image.provenance.kind == "table"
    assert f"table AP@{depth} v1" in str(image.provenance)


def test_the_command_makes_the_same_table_again(command: ModuleType, tmp_path: Path, monkeypatch, capsys) -> None:
    shipped = tables.shipped_table(20)
    monkeypatch.setattr(tables, "FOLDER", str(tmp_path))
    command.main([20])
    again = tables.shipped_table(20)
    assert again.boundaries.tolist() == shipped.boundaries.tolist()
    assert again.counts.tolist() == shipped.counts.tolist()
    assert "AP@20: 644,203 distinct values" in capsys.readouterr().out


def test_windows_of_the_longest_table_are_counted_again() -> None:
    table, image = tables.shipped_table(30), made_by_hand(30)
    assert image.boundaries.tolist() == table.boundaries.tolist()
    for place in (0, 1234, len(table.counts) - 2):
        low, high = table.boundaries[place : place + 2].tolist()
        assert len(image.window(low, high)) == table.counts[place + 1] - table.counts[place]


def test_ranks_from_a_table_are_those_that_are_counted() -> None:
    rankings = np.random.default_rng(0).integers(2, size=(50, 20))
    assert average_precision(Universe(GAINS, 20)).ranks(rankings) == made_by_hand(20).ranks(rankings)


def test_feasible_universes_have_no_table() -> None:
    assert average_precision(Universe(GAINS, 20, Limits((-1, 0), (3,)))).provenance.kind == "exact"


@pytest.mark.parametrize("damage", ["flipped", "shortened", "absent", "text"])
def test_a_damaged_file_names_the_command_that_makes_it(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "AP_20.npz"
    content = Path(tables.path_of(20)).read_bytes()
    if damage == "flipped":
        path.write_bytes(content[:120] + bytes([content[120] ^ 1]) + content[121:])
    elif damage == "shortened":
        path.write_bytes(content[:-100])
    elif damage == "text":
        path.write_text("no table", encoding="utf-8")
    with pytest.raises(ScaleError, match=r"AP_20.npz: .*make it again: python tools/make_scale_tables.py"):
        tables.read_table(str(path), "table")


@pytest.mark.parametrize(
    ("boundaries", "counts", "fault"),
    [([0, 5, 3], [0, 1, 2], "ascend"), ([0, 5], [1, 2], "from none"), ([0, 5, 6], [0, 2], "from none")],
)
def test_numbers_that_make_no_sense_are_refused(command, boundaries, counts, fault: str, tmp_path: Path) -> None:
    path = str(tmp_path / "AP_3.npz")
    command.write_table(path, Checkpoints(np.array(boundaries), np.array(counts)))
    with pytest.raises(ScaleError, match=fault):
        tables.read_table(path, "table")


def test_other_formats_and_checksums_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "AP_3.npz")
    numbers, checksum = np.array([0, 5]), np.zeros(32, dtype=np.uint8)
    np.savez(path, boundaries=numbers, counts=numbers, format=np.array(2), checksum=checksum)
    with pytest.raises(ScaleError, match="format 2, not 1"):
        tables.read_table(path, "table")
    np.savez(path, boundaries=numbers, counts=numbers, format=np.array(1), checksum=checksum)
    with pytest.raises(ScaleError, match="checksum"):
        tables.read_table(path, "table")


def test_wrong_counts_are_found_when_a_table_is_used() -> None:
    table = tables.shipped_table(20)
    wrong = Checkpoints(table.boundaries, table.counts - np.arange(len(table.counts)), "table AP@20")
    with pytest.raises(ScaleError, match=r"table AP@20: window \d+ holds .*make_scale_tables"):
        made_by_hand(20, wrong).size  # noqa: B018  # counted when asked


def test_a_table_for_other_values_is_refused() -> None:
    with pytest.raises(ScaleError, match="make_scale_tables"):
        made_by_hand(19, tables.shipped_table(20)).size  # noqa: B018  # counted when asked
