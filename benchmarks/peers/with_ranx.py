"""ranx: `from_file` for qrels and runs, `evaluate` with values by topic.

ranx compiles when it first meets a shape of input and keeps what it compiled: the first run after installing
it takes a minute, the later ones are what a user lives with.
"""
# mypy: disable-error-code="import-not-found,import-untyped"
# (peers need not be installed where types are checked)

import sys

from ranx import Qrels, Run, evaluate

DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
AT_DEPTHS = [f"{measure}@{depth}" for measure in ("precision", "recall", "ndcg") for depth in DEPTHS]
MEASURES = ["map", "r-precision", "bpref", "mrr", "ndcg", *AT_DEPTHS]

qrels_path, out_path, *run_paths = sys.argv[1:]
qrels = Qrels.from_file(qrels_path, kind="trec")

with open(out_path, "w") as out:
    for path in run_paths:
        run = Run.from_file(path, kind="gz" if path.endswith(".gz") else "trec")
        evaluate(qrels, run, MEASURES, return_mean=False, make_comparable=True)
        for measure, values in run.scores.items():
            out.writelines(f"{path}\t{topic}\t{measure}\t{value:.4f}\n" for topic, value in values.items())
