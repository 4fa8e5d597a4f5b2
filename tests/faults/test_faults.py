"""A few of the faults that `make faults` injects by the hundred; every command that writes has a case."""

import random
import shutil
import sys

import pytest

from tests.faults.__main__ import PARTS, bench_in
from tests.faults.cases import Case, uncovered

QUICK = (  # one for each way to write: text, Parquet, packed, folders of jobs and of data sets
    "evaluate Q A B C -m AP --per-topic -o OUT.tsv",
    "evaluate Q A B C -m AP -o OUT.parquet",
    "evaluate Q A B C -m AP --resume OUT.job",
    "convert A OUT.txt.gz",
    "convert A OUT.set --partition-by topic --partitions 3",
)
COUNTS = {"writes": 15, "kills": 15, "signals": 5, "memory": 3, "inputs": 3, "streams": 4}
pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="faults are injected with a C compiler on Linux"
)


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    made = bench_in(tmp_path_factory.mktemp("faults"), [Case(line) for line in QUICK])
    yield made
    assert made.warm.close() == 0, "processes are left running"


@pytest.mark.parametrize("part", PARTS)
def test_after_a_fault_nothing_is_lost_and_nothing_half_written(part, bench):
    assert list(PARTS[part](bench, COUNTS[part], random.Random(7))) == []


def test_every_command_that_writes_has_a_case():
    """A new one is added to `cases.py`: then it is killed, and its writes fail, as often as those of the others."""
    assert uncovered() == []
