"""The collections that the tables are about, each read once."""

from functools import cache
from pathlib import Path

import rankscale as rs
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run

Collection = tuple[Qrels, list[Run]]

TREC_5 = "trec5_adhoc"
TREC_8 = "trec8_adhoc"
DL_2021 = "dl21_passage_judged"
JUDGMENTS = {TREC_5: "T5-j.txt.gz", TREC_8: "trec8.qrels.gz", DL_2021: "qrels-pass.txt.gz"}


@cache
def collection(data: Path, name: str, order: str = "score") -> Collection:
    """The judgments of a collection, and its runs in the order of their file names."""
    qrels = rs.read_qrels(data / name / JUDGMENTS[name])
    return qrels, rs.read_runs(qrels, sorted((data / name / "runs").iterdir()), order=order)
