"""Tables 2 and 3 of Ferrante, Ferro and Fuhr 2021: tau between measures and their interval versions, TREC-8."""

from collections.abc import Iterator
from pathlib import Path

import rankscale as rs
from reproduction.collections import TREC_8, collection
from reproduction.page import Cell, differences, table

COLUMNS = {
    "P": "P",
    "RBP_p05": "RBP(p=0.5)",
    "RR": "RR",
    "RBP_p03": "RBP(p=0.3)",
    "RBP_p08": "RBP(p=0.8)",
    "DCG_b02": "DCG(base=2)",
    "DCG_b10": "DCG(base=10)",
    "R": "R",
    "AP": "AP",
    "nDCG_b02": "nDCG(base=2)",
    "nDCG_b10": "nDCG(base=10)",
}
UNIQUE = {
    5: "1.0000 1.0000 0.9211 0.9522 0.9605 0.9759 1.0000 0.8145 0.8219 0.9759 1.0000",
    10: "1.0000 1.0000 0.8466 0.9500 0.9527 0.9553 1.0000 0.8030 0.8243 0.9541 0.9965",
    20: "1.0000 1.0000 0.7677 0.9498 0.9498 0.9334 0.9537 0.7943 0.8197 0.9285 0.9452",
    30: "1.0000 1.0000 0.7329 0.9498 0.9508 0.9128 0.9261 0.7948 0.8377 0.9072 0.9147",
}
MID = {
    5: "0.9680 1.0000 0.9694 0.9522 0.9605 0.9622 0.9680 0.7973 0.8208 0.9622 0.9680",
    10: "0.9392 1.0000 0.9713 0.9500 0.9527 0.9462 0.9392 0.7725 0.8213 0.9450 0.9362",
    20: "0.9043 1.0000 0.9736 0.9498 0.9498 0.9276 0.9045 0.7809 0.8161 0.9227 0.8970",
    30: "0.8978 1.0000 0.9743 0.9498 0.9508 0.9094 0.8931 0.7625 0.8401 0.9038 0.8851",
}
WHAT = (
    "Kendall's tau-b between the mean of each measure and the mean of its interval version, over the 129 runs and 50 "
    "topics of TREC-8, at four lengths. `rankscale intervals` gives it for any runs."
)
FLOATS = (
    "The published values of AP were told apart as floating-point sums, so that equal ones count as different; "
    "`deduplicate='float'` repeats this"
)


def section(data: Path) -> str:
    """Both tables, with every difference and its reason."""
    unique = list(cells(data, UNIQUE, form="rank"))
    floats = list(cells(data, UNIQUE, form="rank", deduplicate="float", only="AP"))
    mid = list(cells(data, MID, form="mid"))
    mid_floats = list(cells(data, MID, form="mid", deduplicate="float", only="AP"))
    return "\n\n".join(
        [
            "## Interval scales: Table 2, unique ranks, TREC-8",
            WHAT,
            table(unique),
            differences(unique),
            "AP with values told apart as floating-point sums (`deduplicate='float'`, which takes 9 GB at N=30):",
            table(floats),
            differences(floats),
            "## Interval scales: Table 3, mid-ranks, TREC-8",
            table(mid),
            differences(mid),
            "AP with values told apart as floating-point sums (`deduplicate='float'`, which takes 9 GB at N=30):",
            table(mid_floats),
            differences(mid_floats),
        ]
    )


def cells(
    data: Path, published: dict[int, str], form: str, deduplicate: str = "exact", only: str | None = None
) -> Iterator[Cell]:
    """Each value of a table."""
    qrels, runs = collection(data, TREC_8)
    for depth, row in published.items():
        values = dict(zip(COLUMNS, row.split(), strict=True))
        columns = {column: name for column, name in COLUMNS.items() if only in {None, column}}
        asked = [f"{name}@{depth}" for name in columns.values()]
        method = "exact" if deduplicate == "float" else "auto"  # all 2^30 sums of 30 ranks take 9 GB
        found = rs.intervals(qrels, runs, asked, form=form, deduplicate=deduplicate, method=method)
        for column, pair in zip(columns, found.pairs, strict=True):
            yield Cell(f"N={depth}", column, values[column], pair.tau, _reason(column, deduplicate))


def _reason(column: str, deduplicate: str) -> str:
    return FLOATS + "." if column == "AP" and deduplicate == "exact" else ""
