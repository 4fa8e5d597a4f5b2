"""Figures 2 and 3 of Angelini et al. 2012 in form, on a run of Deep Learning 2021."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import rankscale as rs
from rankscale.data.arrays import Ints
from rankscale.data.run import Run
from reproduction.collections import DL_2021, collection
from reproduction.page import plain

DEPTH = 100  # where the rankings end
RANKS = (1, 2, 3, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
GAINS = "base=2,gains=[-1,1,2,3],unjudged=-1"
INDICATORS = ("rho_w", "rho", "b_ratio", "CRP_min", "CRP_N")
QUARTILES = {"lowest": 0, "first quartile": 25, "median": 50, "third quartile": 75, "highest": 100}
WHAT = (
    "The paper draws run bbn1 of TREC-7 with graded judgments that are not at hand. Here is the same for the best run "
    "of Deep Learning 2021 by nDCG@10, with nothing to hold it against. Grades from 2 on are relevant, as in the "
    "track."
)
BESIDE = (
    "RP says by how much the document at a rank stands too early (below 0) or too late, CRP sums it up; DCG, base 2, "
    "has the paper's gains, -1 for what is not relevant (`rankscale curves`)."
)
PARALLEL = (
    "The paper's parallel coordinates, one line for each topic, as quartiles over the topics: the recall base R, the "
    "recovery of the full scale rho_w, and the four indicators (`rankscale evaluate -m 'rho(rel=2)@100'` and so on)."
)


def section(data: Path) -> str:
    """CRP beside DCG of one topic, indicators of all, and how many topics are too large for the depth."""
    run, topic = best(data), middle_topic(data)
    undefined, above = counted(data)
    return "\n\n".join(
        [
            "## Cumulated relative position: Figures 2 and 3 in form, Deep Learning 2021",
            WHAT,
            f"Run {run.name}, topic {topic}, that of its median Twist among topics with 2R up to 100. {BESIDE}",
            plain(["", *map(str, RANKS)], beside_dcg(data)),
            PARALLEL,
            plain(["", "R", *INDICATORS], quartiles(data)),
            (
                f"CRP_N is undefined for {undefined} of the topics (the full scale ends at 0), and above 1 for "
                f"{above}: the run ends below 0 there, against the paper's claim that it cannot."
            ),
            (
                "Rankings end at rank 100, and CRP needs 2R ranks to come back in the worst case. Share of the 53 "
                "topics with 2R > 100:"
            ),
            plain(["relevant from", "topics", "share"], too_large(data)),
        ]
    )


def best(data: Path) -> Run:
    """The best run by nDCG@10."""
    qrels, runs = collection(data, DL_2021)
    name = rs.evaluate(qrels, runs, "nDCG@10").sorted_by("nDCG@10").runs[0]
    return next(run for run in runs if run.name == name)


def middle_topic(data: Path) -> str:
    """The topic of the run's median Twist, of those with 2R up to the depth."""
    qrels, _ = collection(data, DL_2021)
    values = rs.evaluate(qrels, [best(data)], f"Twist(rel=2)@{DEPTH}").values[0, 0]
    small = np.flatnonzero(2 * recall_base(data, rel=2) <= DEPTH)
    return qrels.topics[int(small[np.argsort(values[small], kind="stable")[len(small) // 2]])]


def recall_base(data: Path, rel: int) -> Ints:
    """(topic,): how many documents are relevant."""
    qrels, _ = collection(data, DL_2021)
    relevant: Ints = qrels.counts[:, qrels.levels >= rel].sum(axis=-1)
    return relevant


def beside_dcg(data: Path) -> Iterator[list[str]]:
    """RP, CRP and DCG at some ranks, DCG of the ideal beside it."""
    qrels, _ = collection(data, DL_2021)
    topic = middle_topic(data)
    for measure, ideal in (("RP(rel=2)", False), ("CRP(rel=2)", False), (f"DCG({GAINS})", True)):
        drawn = rs.curves(qrels, [best(data)], measure, depth=DEPTH, topics=[topic], ideal=ideal)
        for name, vector in drawn.by_run(topic).items():
            shown = measure.partition("(")[0] + (" of the ideal" if name == drawn.ideal else "")
            places = 2 if measure.startswith("DCG") else 0
            yield [shown, *(f"{vector[rank - 1]:.{places}f}" for rank in RANKS)]


def _indicators(data: Path) -> rs.Evaluation:
    qrels, _ = collection(data, DL_2021)
    return rs.evaluate(qrels, [best(data)], [f"{name}(rel=2)@{DEPTH}" for name in INDICATORS])


def quartiles(data: Path) -> Iterator[list[str]]:
    """Quartiles over topics of R and each indicator."""
    relevant = recall_base(data, rel=2)
    columns = _indicators(data).values[:, 0]
    for name, percent in QUARTILES.items():
        of_indicators = (f"{np.nanpercentile(column, percent):.4f}" for column in columns)
        yield [name, f"{np.percentile(relevant, percent):g}", *of_indicators]


def counted(data: Path) -> tuple[int, int]:
    """For how many topics CRP_N is undefined, and for how many it is above 1."""
    values = _indicators(data).values[INDICATORS.index("CRP_N"), 0]
    return int(np.isnan(values).sum()), int((values > 1).sum())


def too_large(data: Path) -> Iterator[list[str]]:
    """By the lowest relevant grade: topics whose recall base is over half the depth."""
    for rel in (1, 2):
        beyond = 2 * recall_base(data, rel) > DEPTH
        yield [f"grade {rel}", f"{int(beyond.sum())} of {len(beyond)}", f"{beyond.mean():.1%}"]
