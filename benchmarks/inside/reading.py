"""Time reading and judging only: `reading.py THREADS QRELS RUN...`."""
# mypy: disable-error-code="import-not-found,import-untyped"
# (rankscale need not be installed where types are checked)

import json
import sys
import time

import rankscale as rs

threads, qrels_path, *run_paths = sys.argv[1:]
qrels = rs.read_qrels(qrels_path)

wall, cpu = time.perf_counter(), time.process_time()
runs = rs.read_runs(qrels, run_paths, threads=int(threads))
print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))
