"""Time alpha_nDCG@20 of all runs, in memory: `subtopics.py TOOL QRELS RUN...`, TOOL rankscale or pyndeval.

The documents of the qrels are given to some of eight sub-topics, by a fixed rule. Neither importing nor reading is
timed, nor is making what either tool takes: rows of text and numbers for pyndeval, runs read with the qrels for
rankscale.
"""
# mypy: disable-error-code="import-not-found,import-untyped"
# (rankscale and pyndeval need not be installed where types are checked)

import json
import random
import sys
import time
from collections.abc import Callable

import rankscale as rs

SUBTOPICS = 8
Rows = list[tuple[str, str, str, int]]


def made_up(path: str) -> Rows:
    """Topic, sub-topic, document and grade: relevant documents have one to three sub-topics."""
    draw = random.Random(0)  # nothing secret
    rows = []
    for topic, documents in rs.read_qrels(path).to_dict().items():
        for document, grade in documents.items():
            count = draw.choice((1, 1, 2, 3)) if grade > 0 else 1
            rows += [(topic, str(one), document, int(grade > 0)) for one in draw.sample(range(SUBTOPICS), count)]
    return rows


def by_rankscale(rows: Rows, runs: list[str]) -> Callable[[], object]:
    """The evaluation of runs that were read."""
    text = "".join(f"{topic} {subtopic} {document} {grade}\n" for topic, subtopic, document, grade in rows)
    qrels = rs.read_qrels(text.encode())
    read = rs.read_runs(qrels, runs)
    rs.evaluate({"1": {"a": 1}}, {"run": {"1": {"a": 1.0}}}, "alpha_nDCG@20")  # imports all that is needed
    return lambda: rs.evaluate(qrels, read, "alpha_nDCG@20")


def by_pyndeval(rows: Rows, runs: list[str]) -> Callable[[], object]:
    """The same by pyndeval, of documents and scores."""
    import pyndeval

    from rankscale.inputs.options import Reading
    from rankscale.inputs.rankings import rankings_of_runs

    evaluator = pyndeval.RelevanceEvaluator([pyndeval.SubtopicQrel(*row) for row in rows], ["alpha-nDCG@20"])
    scored = [
        [
            pyndeval.ScoredDoc(topic, *pair)
            for topic, documents, scores in run.each()
            for pair in zip(documents, scores, strict=True)
        ]
        for run in rankings_of_runs(runs, Reading())[0]
    ]
    return lambda: [evaluator.evaluate(run) for run in scored]


def main() -> None:
    """Make what the tool takes, then time it."""
    tool, qrels, *runs = sys.argv[1:]
    call = (by_rankscale if tool == "rankscale" else by_pyndeval)(made_up(qrels), runs)
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    print(json.dumps({"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}))


if __name__ == "__main__":
    main()
