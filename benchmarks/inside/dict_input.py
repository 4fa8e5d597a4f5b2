"""Time evaluating dicts: `dict_input.py TOOL each|once QRELS RUN...`.

TOOL is rankscale, pytrec_eval, or rankscale.compat.pytrec_eval, which stands in for the latter.

`each` hands the dict of qrels over with every run, as in a notebook; `once` prepares the qrels before the
first run, which both tools allow. Reading the files into dicts is not timed, nor is what either tool loads
at its first call: both evaluate one small topic beforehand.
"""
# mypy: disable-error-code="import-not-found,import-untyped"
# (neither tool need be installed where types are checked)

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any, TypeAlias

Grades: TypeAlias = Mapping[str, Mapping[str, int]]
Scores: TypeAlias = Mapping[str, Mapping[str, float]]
Evaluate: TypeAlias = Callable[[Scores], Any]

DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
AT_DEPTHS = [f"{measure}_{depth}" for measure in ("P", "recall", "ndcg_cut") for depth in DEPTHS]
MEASURES = ["map", "Rprec", "bpref", "recip_rank", "ndcg", *AT_DEPTHS]


def with_rankscale(qrels: Grades, *, once: bool) -> Evaluate:
    """Return a function from one run to its evaluation by rankscale."""
    import rankscale as rs

    ready = rs.read_qrels(qrels) if once else qrels
    return lambda run: rs.evaluate(ready, {"run": run}, MEASURES)


def with_evaluator(module: str, qrels: Grades, *, once: bool) -> Evaluate:
    """Return a function from one run to its evaluation by pytrec_eval or what stands in for it."""
    pytrec_eval = import_module(module)
    if not once:
        return lambda run: pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, MEASURES)
    evaluate: Evaluate = evaluator.evaluate
    return evaluate


def read_qrels(path: str) -> dict[str, dict[str, int]]:
    """Return {topic: {document: grade}}."""
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    with open(path) as lines:
        for line in lines:
            topic, _, document, grade = line.split()
            found[topic][document] = int(grade)
    return dict(found)


def read_run(path: str) -> dict[str, dict[str, float]]:
    """Return {topic: {document: score}}."""
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    with open(path) as lines:
        for line in lines:
            topic, _, document, _, score, _ = line.split()
            found[topic][document] = float(score)
    return dict(found)


def main() -> None:
    """Build the dicts, load the tool, then time."""
    tool, mode, qrels_path, *run_paths = sys.argv[1:]
    prepare = with_rankscale if tool == "rankscale" else partial(with_evaluator, tool)
    qrels, runs = read_qrels(qrels_path), [read_run(path) for path in run_paths]
    prepare({"1": {"a": 1, "b": 0}}, once=mode == "once")({"1": {"a": 2.0, "b": 1.0}})

    wall, cpu = time.perf_counter(), time.process_time()
    evaluate = prepare(qrels, once=mode == "once")
    for run in runs:
        evaluate(run)
    print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))


if __name__ == "__main__":
    main()
