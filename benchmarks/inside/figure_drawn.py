"""Time the first figure of a process, from the numbers drawn to a file: `figure_drawn.py NAME FILE QRELS RUN...`."""
# mypy: disable-error-code="import-not-found,import-untyped"
# (rankscale need not be installed where types are checked)

import json
import resource
import sys
import time
from collections.abc import Callable

import rankscale as rs
from rankscale.figures.base import renderer

name, path, qrels_path, *run_paths = sys.argv[1:]
qrels = rs.read_qrels(qrels_path)
runs = rs.read_runs(qrels, run_paths)
drawn_of: dict[str, Callable[[], tuple[object, ...]]] = {
    "curves": lambda: (rs.curves(qrels, runs, "nDCG", ideal=True),),
    "topics": lambda: (rs.evaluate(qrels, runs, "AP"),),
    "effort-gain": lambda: (rs.effort_gain(rs.evaluate(qrels, runs, ["AP", "Twist"])),),
    "crp-dcg": lambda: (qrels, run_paths[0], qrels.topics[0]),  # the run is read anew, for the names of its documents
    "means": lambda: (rs.evaluate(qrels, runs, ["AP", "nDCG", "P@10", "Twist"]),),
}
found = drawn_of[name]()

wall, cpu = time.perf_counter(), time.process_time()
rs.figure(name, *found).save(path)
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
# vl-convert draws in a process of its own, whose time is known once it has ended.
renderer._current.end()  # noqa: SLF001
drawing = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps({"wall": wall, "cpu": cpu + drawing.ru_utime + drawing.ru_stime}))
