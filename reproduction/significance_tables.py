"""Tables 5 and 6 of Ferrante, Ferro and Fuhr 2021: significant pairs of runs on interval scales, TREC-8 at N=30."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from rankscale.stats.tests.register import PAPER
from rankscale.studies.changes import Changes, VerdictChange, changes
from reproduction.collections import TREC_8, collection
from reproduction.interval_tables import COLUMNS, FLOATS
from reproduction.page import Cell, differences, met, table

LENGTH = 30
# For each measure a row for each test, in the order of PAPER: Sig, S2NS, NS2S and change. The shares that stand beside
# S2NS and NS2S in the paper follow from these, to the last digit.
WITHOUT_RECALL_BASE = {
    "P": """
        5153 0 0 0.00%
        4276 0 0 0.00%
        5644 0 0 0.00%
        5633 0 0 0.00%
        1923 0 0 0.00%
        1740 0 0 0.00%
        3362 0 0 0.00%
        2595 0 0 0.00%
    """,
    "RBP_p05": """
        4724 0 0 0.00%
        4302 0 0 0.00%
        5108 0 0 0.00%
        5091 0 0 0.00%
        1945 0 0 0.00%
        1678 0 0 0.00%
        2861 0 0 0.00%
        2228 0 0 0.00%
    """,
    "RBP_p03": """
        4724 0 0 0.00%
        4302 0 0 0.00%
        5027 29 110 2.77%
        4801 70 360 8.96%
        1730 18 233 14.51%
        1678 0 0 0.00%
        2432 8 437 18.30%
        2228 0 0 0.00%
    """,
    "RBP_p08": """
        5105 0 0 0.00%
        4375 0 0 0.00%
        5508 165 114 5.07%
        5425 221 123 6.34%
        2183 200 44 11.18%
        1781 0 0 0.00%
        3474 257 20 7.97%
        2589 0 0 0.00%
    """,
    "DCG_b02": """
        5227 0 0 0.00%
        4425 0 0 0.00%
        5743 260 147 7.09%
        5664 408 161 10.05%
        2125 633 59 32.56%
        1812 0 0 0.00%
        3609 601 25 17.35%
        2706 0 0 0.00%
    """,
    "DCG_b10": """
        5095 0 0 0.00%
        4307 0 0 0.00%
        5663 260 127 6.83%
        5636 370 132 8.91%
        1958 747 37 40.04%
        1750 0 0 0.00%
        3438 623 41 19.31%
        2637 0 0 0.00%
    """,
    "RR": """
        4074 0 0 0.00%
        3951 0 0 0.00%
        4578 479 362 18.37%
        4582 903 454 29.62%
        1691 288 162 26.61%
        1500 0 0 0.00%
        2233 511 131 28.75%
        1813 0 0 0.00%
    """,
}
WITH_RECALL_BASE = {
    "R": """
        5153 0 0 0.00%
        3494 14 796 23.18%
        5434 185 395 10.67%
        5073 303 863 22.98%
        409 0 1514 370.17%
        1417 28 351 26.75%
        2440 47 969 41.64%
        2595 0 0 0.00%
    """,
    "AP": """
        5233 0 0 0.00%
        4067 25 385 10.08%
        5659 242 169 7.26%
        5156 339 559 17.42%
        391 3 955 245.01%
        1593 19 225 15.32%
        2508 171 560 29.15%
        2706 0 0 0.00%
    """,
    "nDCG_b02": """
        5227 0 0 0.00%
        4420 49 54 2.33%
        5726 245 149 6.88%
        5623 384 178 9.99%
        2159 667 59 33.63%
        1827 34 19 2.90%
        3642 631 22 17.93%
        2706 0 0 0.00%
    """,
    "nDCG_b10": """
        5095 0 0 0.00%
        4312 52 47 2.30%
        5632 250 148 7.07%
        5579 370 189 10.02%
        2012 814 50 42.94%
        1782 50 18 3.82%
        3478 670 48 20.64%
        2637 0 0 0.00%
    """,
}
WHAT = (
    "Of the 8,256 pairs of the 129 runs of TREC-8, at alpha .05 and without correction but Tukey's: how many differ "
    "significantly with a measure of the first 30 documents (Sig), how many of these do not with its interval version "
    "(S2NS), how many do only with it (NS2S), and all that change, over Sig. The published tables take the degrees of "
    "freedom of both ANOVAs for infinite (`df='infinite'`); with those of the error, our default, some of their counts "
    "differ by a few pairs. `rankscale changes` gives this for any runs."
)
ROUNDING = (
    "Sig counts values as they are summed, as the paper does: 5,233. Some equal values of AP differ by rounding then; "
    "ranks know them as equal, which gives 5,234, and the paper's ranks did not"
)


def section(data: Path) -> str:
    """Both tables, measure by measure, with every difference and its reason."""
    qrels, runs = collection(data, TREC_8)
    published = {**WITHOUT_RECALL_BASE, **WITH_RECALL_BASE}
    measures = [f"{COLUMNS[column]}@{LENGTH}" for column in published]
    found = changes(qrels, runs, measures, df="infinite", form="rank")
    by_measure = {column: list(cells(column, rows, found)) for column, rows in published.items()}
    as_floats = [replace(cell, reason="") for cell in cells("AP", published["AP"], ap_as_floats(data))]
    everything = [cell for made in by_measure.values() for cell in made]
    return "\n\n".join(
        [
            "## Interval scales: Tables 5 and 6, significant pairs, TREC-8 at N=30",
            WHAT,
            *(part for column, made in by_measure.items() for part in (f"### {column}", table(made))),
            f"### Differences: {met(everything)} are met",
            differences(everything),
            "AP with values told apart as floating-point sums (`deduplicate='float'`, which takes 9 GB):",
            table(as_floats),
            differences(as_floats),
        ]
    )


@cache
def ap_as_floats(data: Path) -> Changes:
    """AP with values told apart as floating-point sums: all 2^30 of them are made."""
    measure = f"AP@{LENGTH}"
    return changes(*collection(data, TREC_8), measure, df="infinite", form="rank", deduplicate="float", method="exact")


def cells(column: str, published: str, found: Changes) -> Iterator[Cell]:
    """Each number of one measure."""
    for test, row in zip(PAPER, published.strip().splitlines(), strict=True):
        ours = numbers(found.of(f"{COLUMNS[column]}@{LENGTH}", test))
        for name, number in zip(ours, row.split(), strict=True):
            yield Cell(f"{column}, {test}", name, number, ours[name], _reason(column, test))


def numbers(change: VerdictChange) -> Mapping[str, float]:
    """What the tables show of a test with a measure."""
    return {
        "Sig": change.significant,
        "S2NS": change.lost,
        "NS2S": change.gained,
        "change": 100 * change.change,
    }


def _reason(column: str, test: str) -> str:
    if column != "AP":
        return ""
    return f"{ROUNDING}." if test == "sign" else f"{FLOATS}."
