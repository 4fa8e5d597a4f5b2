"""Time an interval scale over a collection: `interval_values.py MEASURE QRELS RUN...`.

Reading and judging are not timed, nor is what rankscale loads when a scale is first asked for; the scale's set-up is.
"""
# mypy: disable-error-code="import-not-found,import-untyped"
# (rankscale need not be installed where types are checked)

import json
import sys
import time

import rankscale as rs

measure, qrels_path, *run_paths = sys.argv[1:]
qrels = rs.read_qrels(qrels_path)
runs = rs.read_runs(qrels, run_paths)
rs.scale("P@1")  # loads what is loaded at the first call, and sets nothing up

wall, cpu = time.perf_counter(), time.process_time()
warnings = rs.evaluate(qrels, runs, measure).warnings
taken = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}

inexact = [warning for warning in warnings if "certified" in warning or "estimated" in warning]
if inexact:
    sys.exit(f"exact values were to be timed: {inexact[0]}")
print(json.dumps(taken))
