"""Time the papers' measures on judged rankings: `papers_measures.py cumsum|values|curves QRELS RUN...`.

Reading and judging are not timed. `values` evaluates CG, DCG, nDCG, RBP with bounds, CRP and Twist; `curves` gives all
but Twist, which has no curve of its own worth drawing, at every rank, and Twist's values; `cumsum` adds up as many
float64 numbers as the rankings have ranks, once.
"""
# mypy: disable-error-code="import-not-found,import-untyped"
# (rankscale need not be installed where types are checked)

import json
import sys
import time

import numpy as np

import rankscale as rs
from rankscale import _core
from rankscale.measures.base.parser import parse

DEPTH = 1000
CUMULATED = ["CG@1000", "DCG@1000", "nDCG@1000", "CRP@1000"]
BOUNDED, TWIST = "RBP(p=0.8)", "Twist"
BLOCK = 128  # rankings whose ranks are spread out at once

what, qrels_path, *run_paths = sys.argv[1:]
_core.keep_freed_memory()  # as the command line does
qrels = rs.read_qrels(qrels_path)
runs = rs.read_runs(qrels, run_paths)
numbers = np.random.default_rng(0).random((sum(len(run.rows) for run in runs), DEPTH))


def values() -> None:
    """Evaluate all six."""
    rs.evaluate(qrels, runs, [*CUMULATED, TWIST])
    rs.evaluate(qrels, runs, BOUNDED, bounds=True)


def curves() -> None:
    """Draw the curves of five of them at every rank, and evaluate the sixth."""
    measures, bounded = [parse(text).at(None) for text in CUMULATED], parse(BOUNDED)
    for run in runs:
        for start in range(0, len(run.rows), BLOCK):
            table = run.judged(qrels, start, start + BLOCK).every_rank(DEPTH)
            for measure in measures:
                measure.curve(table)
            bounded.curve(table)
            bounded.bounds_curve(table)
    rs.evaluate(qrels, runs, TWIST)


work = {"cumsum": lambda: np.cumsum(numbers, axis=-1), "values": values, "curves": curves}[what]
work()  # loads what is loaded at the first call
wall, cpu = time.perf_counter(), time.process_time()
work()
print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))
