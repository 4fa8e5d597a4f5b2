"""Time judging runs in memory with half of the judgments: `one_more_sample.py rankscale|pytrec_eval RUNS QRELS RUN...`.

Runs are read before. Ours are judged already, and see documents by number; the peer's are dictionaries.
"""
# mypy: disable-error-code="import-not-found,import-untyped"
# (neither need be installed where types are checked)

import json
import lzma
import sys
import time
from collections import defaultdict
from collections.abc import Callable

import numpy as np

import rankscale as rs
from rankscale import _core

MEASURES = ("map", "bpref", "ndcg", "P_10")


def plain(path: str) -> dict[str, dict[str, float]]:
    """Return a run as the peer takes it."""
    run: dict[str, dict[str, float]] = defaultdict(dict)
    with lzma.open(path, "rt", encoding="latin-1") if path.endswith(".xz") else open(path, encoding="latin-1") as lines:
        for line in lines:
            topic, _, document, _, score, *_ = line.split()
            run[topic][document] = float(score)
    return dict(run)


def ours() -> Callable[[], object]:
    """Return the work of rankscale."""
    read = rs.read_runs(qrels, run_paths)
    return lambda: rs.evaluate(qrels.keeping(kept), read, MEASURES).means()


def theirs() -> Callable[[], object]:
    """Return the work of pytrec_eval."""
    import pytrec_eval

    read = [plain(path) for path in run_paths]
    whole = qrels.keeping(kept).to_dict()
    sampled = {topic: {name: int(grade) for name, grade in grades.items()} for topic, grades in whole.items()}
    return lambda: [pytrec_eval.RelevanceEvaluator(sampled, set(MEASURES)).evaluate(run) for run in read]


_core.keep_freed_memory()  # as the commands of studies do
tool, count, qrels_path, *run_paths = sys.argv[1:]
run_paths = run_paths[: int(count)]
qrels = rs.read_qrels(qrels_path)
kept = np.random.default_rng(0).random(len(qrels.codes)) < 0.5
work = ours() if tool == "rankscale" else theirs()
work()  # what is kept from one sample to the next is there

wall, cpu = time.perf_counter(), time.process_time()
work()
print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))
