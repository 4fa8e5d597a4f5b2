"""The sample collection is what its docstring says, and can be made again."""

from __future__ import annotations

import lzma
import subprocess
import sys
from collections import defaultdict
from itertools import combinations, pairwise, product
from pathlib import Path
from statistics import fmean

import pytest

from rankscale.sample import QRELS, RUNS

TOOL = Path(__file__).parents[2] / "tools" / "make_sample.py"
TOPICS = {str(number) for number in range(101, 151)}
UNPOOLED = {
    *("bm25-bo1", "bm25-ce-pair", "dense-hard", "dense-int8"),
    *("dense-zero", "late-prf", "ql-rm3", "sparse-distil"),
}
UNTIED = {
    *("bm25-ce-large", "bm25-ce-pair", "bm25-ce-small"),
    *("fuse-all", "fuse-lexical", "manual", "shuffle"),
}

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]  # documents in the order of the file


def name_of(path: Path) -> str:
    return path.name.removesuffix(".txt.xz")


def rows(path: Path) -> list[list[str]]:
    return [line.split() for line in lzma.decompress(path.read_bytes()).decode().splitlines()]


@pytest.fixture(scope="module")
def qrels() -> Qrels:
    found: Qrels = defaultdict(dict)
    for topic, _, document, grade in rows(QRELS):
        found[topic][document] = int(grade)
    return found


@pytest.fixture(scope="module")
def runs() -> dict[str, Run]:
    found: dict[str, Run] = {}
    for path in RUNS:
        run = found[name_of(path)] = defaultdict(dict)
        for topic, _, document, _, score, _ in rows(path):
            run[topic][document] = float(score)
    return found


def unjudged_share(run: Run, qrels: Qrels) -> float:
    return fmean(document not in qrels[t] for t in run for document in list(run[t])[:20])


def trec_order(ranking: dict[str, float]) -> list[str]:
    return sorted(ranking, key=lambda document: (ranking[document], document), reverse=True)


def mean_ap(run: Run, qrels: Qrels) -> float:
    """In the order of trec_eval, topics missing from the run as 0."""
    total = 0.0
    for topic, grades in qrels.items():
        hits = 0
        for rank, document in enumerate(trec_order(run.get(topic, {})), start=1):
            if grades.get(document, 0) > 0:
                hits += 1
                total += hits / rank / sum(grade > 0 for grade in grades.values())
    return total / len(qrels)


def overlap(a: Run, b: Run) -> float:
    """The share of documents two systems have in common among their first 20."""
    return fmean(len({*list(a[t])[:20]} & {*list(b[t])[:20]}) / 20 for t in a if t in b)


@pytest.mark.slow
def test_the_tool_makes_the_same_files_again(tmp_path: Path) -> None:
    subprocess.run([sys.executable, TOOL, "--out", tmp_path], check=True)
    made = {p.relative_to(tmp_path): lzma.decompress(p.read_bytes()) for p in tmp_path.rglob("*.xz")}
    kept = {p.relative_to(QRELS.parent): lzma.decompress(p.read_bytes()) for p in (QRELS, *RUNS)}
    assert len(made) == 25
    assert made == kept


def test_runs_come_by_name_with_that_name_for_a_tag() -> None:
    assert len(RUNS) == 24
    assert list(RUNS) == sorted(RUNS)
    assert all({row[5] for row in rows(path)} == {name_of(path)} for path in RUNS)


def test_topics_and_grades(qrels: Qrels) -> None:
    assert set(qrels) == TOPICS
    assert {grade for grades in qrels.values() for grade in grades.values()} == {0, 1, 2, 3}
    relevant = sorted(sum(g > 0 for g in grades.values()) for grades in qrels.values())
    assert (relevant[0], relevant[-1]) == (3, 123)


def test_every_ranking_has_200_documents_but_one_is_missing(runs: dict[str, Run]) -> None:
    missing = {(name, topic) for name, run in runs.items() for topic in TOPICS - set(run)}
    assert missing == {("dense-zero", "137")}
    assert {len(ranking) for run in runs.values() for ranking in run.values()} == {200}


def test_ranks_count_up_and_scores_never_rise() -> None:
    for path in RUNS:
        for above, below in pairwise(rows(path)):
            if above[0] == below[0]:
                assert int(below[3]) == int(above[3]) + 1
                assert float(below[4]) <= float(above[4])


def test_ties(runs: dict[str, Run]) -> None:
    distinct = {name: fmean(len(set(ranking.values())) for ranking in run.values()) / 200 for name, run in runs.items()}
    assert {name for name, share in distinct.items() if share == 1} == UNTIED
    assert {name for name, share in distinct.items() if share < 0.1} == {"dense-int8"}


def test_ranks_within_ties_are_not_those_of_trec_eval(runs: dict[str, Run]) -> None:
    assert all(list(ranking) != trec_order(ranking) for ranking in runs["dense-int8"].values())


def test_only_systems_outside_the_pool_bring_unjudged_documents(runs: dict[str, Run], qrels: Qrels) -> None:
    shares = {name: unjudged_share(run, qrels) for name, run in runs.items()}
    assert {name for name, share in shares.items() if share > 0} == UNPOOLED
    assert all(0.04 < shares[name] < 0.3 for name in UNPOOLED)


def test_some_judged_documents_are_retrieved_by_no_system(runs: dict[str, Run], qrels: Qrels) -> None:
    found = {(topic, d) for run in runs.values() for topic in run for d in run[topic]}
    lost = [g for t, grades in qrels.items() for d, g in grades.items() if (t, d) not in found]
    assert sum(map(len, qrels.values())) == 6474
    assert len(lost) == 131
    assert lost.count(0) == 129


def test_mean_ap_is_spread_with_near_ties(runs: dict[str, Run], qrels: Qrels) -> None:
    means = sorted(mean_ap(run, qrels) for run in runs.values())
    assert 0.03 < means[0] < 0.07
    assert 0.4 < means[-1] < 0.5
    assert sum(b - a < 0.005 for a, b in pairwise(means)) >= 5


def test_systems_agree_more_within_a_family_than_across(runs: dict[str, Run]) -> None:
    lexical = [runs[name] for name in ("bm25", "bm25-stem", "bm25-tuned", "ql", "tfidf")]
    dense = [runs[name] for name in ("dense-base", "dense-hard", "dense-int8", "dense-zero")]
    within = [overlap(a, b) for family in (lexical, dense) for a, b in combinations(family, 2)]
    across = [overlap(a, b) for a, b in product(lexical, dense)]
    assert fmean(within) > fmean(across) + 0.1
