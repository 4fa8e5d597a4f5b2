"""Time the whole robustness study of the first runs: `robustness_study.py RUNS QRELS RUN...`, reading included."""
# mypy: disable-error-code="import-not-found,import-untyped"
# (rankscale need not be installed where types are checked)

import json
import sys
import time

import rankscale as rs

MEASURES = ("AP", "Bpref", "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", "nDCG(base=2)", "P@10", "Twist")

runs, qrels, *run_paths = sys.argv[1:]
wall, cpu = time.perf_counter(), time.process_time()
found = rs.robustness(qrels, run_paths[: int(runs)], MEASURES, sizes=(90, 70, 50, 30, 10), iterations=10)
print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))
