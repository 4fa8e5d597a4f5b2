"""Side inputs of a megabyte stay within the limits of run files: CPU seconds and memory of a process of their own."""

from pathlib import Path

import pytest

from tests.hostile.search import MOST_MEMORY, MOST_SECONDS, measure_words
from tests.hostile.side_inputs import SIDES, written

ONE_COMMAND = {name.partition("-")[0]: name for name in reversed(SIDES)}  # the first command of each file


def check(name: str, folder: Path) -> None:
    command = SIDES[name].command
    cost = measure_words(name, command[0], command, written(name, folder))
    assert cost.megabytes < MOST_MEMORY, cost
    assert cost.seconds < MOST_SECONDS, cost
    assert not cost.exceeds, cost


@pytest.mark.slow
@pytest.mark.parametrize("name", ONE_COMMAND.values())
def test_a_megabyte_takes_little(name: str, tmp_path: Path) -> None:
    check(name, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in SIDES if name not in ONE_COMMAND.values()])
def test_a_megabyte_takes_little_with_other_measures_too(name: str, tmp_path: Path) -> None:
    check(name, tmp_path)
