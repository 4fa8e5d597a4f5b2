"""Table IV of Moffat and Zobel 2008: pairs of TREC-5 runs that differ significantly, by measure and test."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from scipy.special import ndtr
from scipy.stats import rankdata

import rankscale as rs
from rankscale.data.arrays import Floats, Ints
from reproduction.collections import TREC_5, collection
from reproduction.page import Cell, differences, met, table

PUBLISHED = {  # by measure: Wilcoxon at 95% and 99%, t test at 95% and 99%
    "RR": "1020 759 1000 752",
    "P@10": "1141 897 1150 915",
    "Rprec": "1209 989 1142 931",
    "AP": "1259 1077 1164 969",
    "RBP(p=0.5)": "1067 834 1050 810",
    "RBP(p=0.8)": "1164 919 1166 917",
    "RBP(p=0.95)": "1231 1006 1209 987",
    "nDCG(base=2)": "1291 1092 1269 1101",
}
COLUMNS = (("signed rank", 0.05), ("signed rank", 0.01), ("student", 0.05), ("student", 0.01))
RESCALED = (
    "Those who passed these runs on had rescaled their scores, which can merge some and so change the order of a few "
    "documents; the paper's own runs are not at hand."
)
PROGRAM = "Which variant of Wilcoxon's test the paper used (zero differences, continuity) is not said. " + RESCALED
FILE_ORDER = (
    "RBP with documents in the order of the files (`order='file'`) rather than by score: its counts of the t test for "
    "p = 0.5 and 0.8 are the published ones then, so that the paper's program seems to have read rankings as they "
    "stand, and trec_eval to have given the other measures."
)
CONTINUITY = (
    "Wilcoxon's test as R makes it by default (normal, corrected for ties and for continuity, zero differences left "
    "out), of values to four digits, as trec_eval prints them. First with documents by score, then in the order of the "
    "files:"
)
EITHER = (
    "None of the ways that we tried meets them all: with zero differences kept or split, or without correcting for "
    "ties, no more are met."
)
PRINTED = 10_000  # values are whole multiples of one over this, when printed


def section(data: Path) -> str:
    """The table, with every difference and its reason."""
    found = list(cells(data))
    as_files = list(cells(data, "file", {name: row for name, row in PUBLISHED.items() if name.startswith("RBP")}))
    corrected = {order: list(with_continuity(data, order)) for order in ("score", "file")}
    either = sum(one.met or other.met for one, other in zip(*corrected.values(), strict=True))
    return "\n\n".join(
        [
            "## Rank-biased precision: Table IV, TREC-5",
            "How many of the 1,830 pairs of 61 runs differ significantly over 50 topics (`rankscale compare`).",
            table(found),
            f"{met(found)} are met.",
            differences(found),
            FILE_ORDER,
            table(as_files),
            f"{met(as_files)} are met.",
            CONTINUITY,
            table(corrected["score"]),
            table(corrected["file"]),
            (
                f"{met(corrected['score'])} are met in the one order, {met(corrected['file'])} in the other, {either} "
                f"in one of them. {EITHER}"
            ),
        ]
    )


def cells(data: Path, order: str = "score", published: Mapping[str, str] = PUBLISHED) -> Iterator[Cell]:
    """Each value of the table."""
    found = rs.evaluate(*collection(data, TREC_5, order), list(published))
    for measure, row in published.items():
        for (test, alpha), count in zip(COLUMNS, row.split(), strict=True):
            ours = int(rs.compare(found[measure], test, "none", alpha=alpha).significant.sum())
            reason = PROGRAM if test == "signed rank" else RESCALED
            yield Cell(measure, f"{test}, {1 - alpha:.0%}", count, ours, reason)


def with_continuity(data: Path, order: str) -> Iterator[Cell]:
    """Counts of Wilcoxon's test, corrected for continuity, of values as they are printed."""
    found = rs.evaluate(*collection(data, TREC_5, order), list(PUBLISHED))
    first, second = np.triu_indices(len(found.runs), k=1)
    for measure, row in PUBLISHED.items():
        printed = np.rint(found[measure].values[0] * PRINTED)
        p = signed_rank_with_continuity(printed[first] - printed[second])
        for (test, alpha), count in zip(COLUMNS[:2], row.split(), strict=False):
            yield Cell(measure, f"{test}, {1 - alpha:.0%}", count, int((p < alpha).sum()), PROGRAM)


def signed_rank_with_continuity(differences: Floats) -> Floats:
    """(pair,): p-values from differences (pair, topic), those of zero left out."""
    kept = np.where(differences == 0, np.nan, differences)
    ranks = rankdata(np.abs(kept), axis=1, nan_policy="omit")
    positive = np.where(kept > 0, ranks, 0).sum(axis=1)
    left = (~np.isnan(kept)).sum(axis=1)
    tied = np.array([(counts**3 - counts).sum() for counts in map(_group_sizes, ranks)])
    deviation = np.sqrt(left * (left + 1) * (2 * left + 1) / 24 - tied / 48)
    away = np.maximum(np.abs(positive - left * (left + 1) / 4) - 0.5, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        p: Floats = 2 * ndtr(-away / deviation)
    return np.where(left == 0, 1.0, p)


def _group_sizes(ranks: Floats) -> Ints:
    return np.unique(ranks[~np.isnan(ranks)], return_counts=True)[1]
