"""trectools: the measures one by one; its `evaluate_all` would compute everything again for the means."""
# mypy: disable-error-code="import-not-found,import-untyped"
# (peers need not be installed where types are checked)

import sys

from trectools import TrecEval, TrecQrel, TrecRun

DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)

qrels_path, out_path, *run_paths = sys.argv[1:]
qrels = TrecQrel(qrels_path)

with open(out_path, "w") as out:
    for path in run_paths:
        of = TrecEval(TrecRun(path), qrels)
        tables = [of.get_map(per_query=True), of.get_rprec(per_query=True), of.get_bpref(per_query=True)]
        tables += [of.get_reciprocal_rank(per_query=True), of.get_ndcg(per_query=True)]
        for get in (of.get_precision, of.get_recall, of.get_ndcg):
            tables += [get(depth=depth, per_query=True) for depth in DEPTHS]
        for table in tables:
            measure = table.columns[0]
            values = table[measure].items()
            out.writelines(f"{path}\t{topic}\t{measure}\t{value:.4f}\n" for topic, value in values)
