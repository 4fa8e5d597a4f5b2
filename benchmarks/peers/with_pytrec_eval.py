"""pytrec_eval-terrier: its own parsers, one evaluator for all runs."""
# mypy: disable-error-code="import-not-found,import-untyped"
# (peers need not be installed where types are checked)

import gzip
import sys

import pytrec_eval

# the last three come at nine depths, 5 to 1000
MEASURES = {"map", "Rprec", "bpref", "recip_rank", "ndcg", "P", "recall", "ndcg_cut"}

qrels_path, out_path, *run_paths = sys.argv[1:]
with open(qrels_path) as lines:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(lines), MEASURES)

with open(out_path, "w") as out:
    for path in run_paths:
        with gzip.open(path, "rt") if path.endswith(".gz") else open(path) as lines:
            run = pytrec_eval.parse_run(lines)
        for topic, values in evaluator.evaluate(run).items():
            out.writelines(f"{path}\t{topic}\t{measure}\t{value:.4f}\n" for measure, value in values.items())
