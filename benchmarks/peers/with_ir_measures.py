"""ir_measures: its own readers (which take gzip too), one evaluator for all runs."""
# mypy: disable-error-code="import-not-found,import-untyped,no-untyped-call"
# (peers need not be installed where types are checked)

import sys

import ir_measures
from ir_measures import AP, RR, Bpref, P, R, Rprec, nDCG

DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
MEASURES = [AP, Rprec, Bpref, RR, nDCG, *(measure @ depth for measure in (P, R, nDCG) for depth in DEPTHS)]

qrels_path, out_path, *run_paths = sys.argv[1:]
evaluator = ir_measures.evaluator(MEASURES, ir_measures.read_trec_qrels(qrels_path))

with open(out_path, "w") as out:
    for path in run_paths:
        found = evaluator.iter_calc(ir_measures.read_trec_run(path))
        out.writelines(f"{path}\t{value.query_id}\t{value.measure}\t{value.value:.4f}\n" for value in found)
