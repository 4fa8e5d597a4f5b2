"""Time significance tests over all pairs of the first runs: `tests_at_once.py paper|pairs|bootstrap RUNS VALUES`.

`paper` is the eight tests of the interval paper, `pairs` those four of them that take each pair by itself; p-values are
corrected for the number of pairs. Importing is not timed: each test is asked for a small matrix beforehand, of other
runs and another confidence, so that no table is kept from it.
"""
# mypy: disable-error-code="import-not-found,import-untyped"
# (rankscale need not be installed where types are checked)

import json
import sys
import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from rankscale.stats.corrections import correct
from rankscale.stats.tests.base.test import Test, all_pairs
from rankscale.stats.tests.register import PAPER, make_test

PAIRS = ("sign", "rank sum", "signed rank", "student")
NAMES = {"paper": PAPER, "pairs": PAIRS, "bootstrap": ("bootstrap",)}


def compare_all(tests: Sequence[Test], values: npt.NDArray[np.float64], confidence: float) -> None:
    """Test all pairs, with intervals and effect sizes, and correct for their number."""
    pairs = all_pairs(values.shape[1])
    for test in tests:
        found = test.compare(values, pairs, confidence)
        correct(found.p, "none" if found.corrected else "holm")


what, runs, path = sys.argv[1:]
tests = [make_test(name) for name in NAMES[what]]
values = np.ascontiguousarray(np.load(path)[:, : int(runs)])
compare_all(tests, np.random.default_rng(0).random((20, 3)), 0.9)

wall, cpu = time.perf_counter(), time.process_time()
compare_all(tests, values, 0.95)
print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))
