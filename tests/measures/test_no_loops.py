"""No measure loops over topics or ranks in Python: the lines it runs do not grow with the data."""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from rankscale import measures
from rankscale.data.judged import Judged, judged
from rankscale.measures.base.facts import example
from rankscale.measures.base.gains import gain_table
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import CLASSES

FOLDER = str(Path(measures.__file__).parent)


def lines_run(work: Callable[[], object]) -> int:
    """How many lines of the folder of measures are run, those of a loop each time."""
    count = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        if not frame.f_code.co_filename.startswith(FOLDER):
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


def table(topics: int, length: int) -> Judged:
    ranking = " ".join(("3 0 1 - 2 0=1 -=2 0 0 1" * length).split()[:length])
    return judged(*([ranking] * topics), missed="1 2 3 0")


# Scales count rankings in whole numbers of any size, which numpy does not have.
@pytest.mark.parametrize("name", [name for name, place in CLASSES.items() if place.startswith(measures.__name__)])
def test_lines_do_not_grow_with_topics_or_ranks(name: str) -> None:
    measure: Measure = example(find(name))
    measure.value(table(2, 8))  # whatever is made once is made
    few, many = (lines_run(partial(measure.value, data)) for data in (table(3, 8), table(60, 400)))
    assert few > 0
    # A search by halves, and levels that the smaller table lacks, may take a few steps more.
    assert many <= 2 * few, f"{measure} runs {few} lines for 3 rankings of 8, and {many} for 60 of 400"


def test_a_loop_would_be_seen() -> None:
    few, many = (
        lines_run(partial(gain_table, tuple(range(levels)), np.arange(levels, dtype=np.float64), levels))
        for levels in (3, 90)
    )
    assert many > 2 * few
