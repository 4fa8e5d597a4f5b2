"""Time a whole report of the first runs, from their files to the page: `report_made.py RUNS FILE QRELS RUN...`."""
# mypy: disable-error-code="import-not-found,import-untyped"
# (rankscale need not be installed where types are checked)

import json
import sys
import time

import rankscale as rs

runs, path, qrels, *run_paths = sys.argv[1:]
wall, cpu = time.perf_counter(), time.process_time()
rs.write_report(qrels, run_paths[: int(runs)], path)
print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))
