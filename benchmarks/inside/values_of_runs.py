"""Evaluate runs, and write their values (topic, run) for others to read: `values_of_runs.py MEASURE FILE QRELS RUN...`.

Reading and judging are not timed.
"""
# mypy: disable-error-code="import-not-found,import-untyped"
# (rankscale need not be installed where types are checked)

import json
import sys
import time

import numpy as np

import rankscale as rs

measure, path, qrels_path, *run_paths = sys.argv[1:]
qrels = rs.read_qrels(qrels_path)
runs = rs.read_runs(qrels, run_paths)

wall, cpu = time.perf_counter(), time.process_time()
found = rs.evaluate(qrels, runs, measure)
taken = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}

np.save(path, np.ascontiguousarray(found.values[0].T))
print(json.dumps(taken))
