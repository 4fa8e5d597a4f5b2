#!/bin/sh
# trec_eval, one process a run, as it takes one run at a time: with_trec_eval.sh QRELS OUT RUN...
# P, recall and ndcg_cut come at nine depths, 5 to 1000, by default.
qrels=$1
out=$2
shift 2
for run in "$@"; do
    "$TREC_EVAL" -q -m map -m Rprec -m bpref -m recip_rank -m ndcg -m P -m recall -m ndcg_cut "$qrels" "$run" || exit
done >"$out"
