"""Table 4 of Ferrante, Ferro and Fuhr 2021: tau between measures and between their interval versions, TREC-8, N=30."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import rankscale as rs
from rankscale.data.arrays import FINE_DIGITS, MEAN_DIGITS, significant
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.studies.changes import changes
from reproduction.collections import TREC_8, collection
from reproduction.interval_tables import COLUMNS, FLOATS
from reproduction.page import Cell, differences, met, table
from reproduction.significance_tables import LENGTH, ap_as_floats

# Two measures, tau between them, tau between their interval versions, and by how much it changes.
PUBLISHED = """
    P RBP_p05 0.7858 0.7858 +0.00%
    P RR 0.7151 0.6322 -11.60%
    P RBP_p03 0.7494 0.7858 +4.86%
    P RBP_p08 0.8641 0.8447 -2.24%
    P DCG_b02 0.9352 0.8962 -4.17%
    P DCG_b10 0.9866 0.9243 -6.32%
    RBP_p05 RBP_p03 0.9498 1.0000 +5.29%
    RBP_p05 RBP_p08 0.9045 0.9082 +0.40%
    RBP_p05 RR 0.8840 0.6733 -23.84%
    RBP_p05 DCG_b02 0.8461 0.8166 -3.49%
    RBP_p05 DCG_b10 0.7931 0.7686 -3.09%
    RBP_p03 RBP_p08 0.8606 0.9082 +5.53%
    RBP_p03 RR 0.9144 0.6733 -26.37%
    RBP_p03 DCG_b02 0.8054 0.8166 +1.39%
    RBP_p03 DCG_b10 0.7547 0.7686 +1.84%
    RBP_p08 RR 0.8133 0.6430 -20.94%
    RBP_p08 DCG_b02 0.9266 0.8822 -4.79%
    RBP_p08 DCG_b10 0.8745 0.8333 -4.71%
    RR DCG_b02 0.7668 0.5971 -22.13%
    RR DCG_b10 0.7214 0.5896 -18.28%
    DCG_b02 DCG_b10 0.9435 0.9273 -1.72%
    R P 0.7948 1.0000 +25.82%
    R RBP_p05 0.6848 0.7858 +14.76%
    R RBP_p03 0.6648 0.7858 +18.20%
    R RBP_p08 0.7424 0.8447 +13.78%
    R RR 0.6611 0.6322 -4.37%
    R DCG_b02 0.7756 0.8962 +15.54%
    R DCG_b10 0.7957 0.9243 +16.15%
    R AP 0.8859 0.8932 +0.83%
    R nDCG_b02 0.7899 0.8962 +13.45%
    R nDCG_b10 0.8338 0.9243 +10.85%
    AP P 0.8244 0.8932 +8.35%
    AP RBP_p05 0.7524 0.7936 +5.48%
    AP RBP_p03 0.7271 0.7936 +9.14%
    AP RBP_p08 0.8081 0.8587 +6.27%
    AP RR 0.7030 0.5869 -16.52%
    AP DCG_b02 0.8316 0.9673 +16.32%
    AP DCG_b10 0.8280 0.9411 +13.67%
    AP nDCG_b02 0.8454 0.9673 +14.42%
    AP nDCG_b10 0.8563 0.9411 +9.90%
    nDCG_b02 P 0.9330 0.8962 -3.95%
    nDCG_b02 RBP_p05 0.8449 0.8166 -3.36%
    nDCG_b02 RBP_p03 0.8051 0.8166 +1.42%
    nDCG_b02 RBP_p08 0.9283 0.8822 -4.96%
    nDCG_b02 RR 0.7684 0.5971 -22.30%
    nDCG_b02 DCG_b02 0.9804 1.0000 +2.00%
    nDCG_b02 DCG_b10 0.9418 0.9273 -1.54%
    nDCG_b02 nDCG_b10 0.9368 0.9273 -1.01%
    nDCG_b10 P 0.9568 0.9243 -3.40%
    nDCG_b10 RBP_p05 0.7841 0.7686 -1.98%
    nDCG_b10 RBP_p03 0.7472 0.7686 +2.86%
    nDCG_b10 RBP_p08 0.8684 0.8333 -4.05%
    nDCG_b10 RR 0.7212 0.5896 -18.25%
    nDCG_b10 DCG_b02 0.9288 0.9273 -0.16%
    nDCG_b10 DCG_b10 0.9610 1.0000 +4.06%
"""
WHAT = (
    "Kendall's tau-b between the means of each two measures (Msr), between those of their interval versions (RnkMsr), "
    "and the change in percent, over the 129 runs and 50 topics of TREC-8, for the first 30 documents. "
    "`rankscale changes --table correlations` gives it for any runs."
)


def section(data: Path) -> str:
    """The table, with every difference and its reason."""
    exact, floats = list(cells(data)), list(cells_of_ap_as_floats(data))
    return "\n\n".join(
        [
            "## Interval scales: Table 4, agreement of measures, TREC-8 at N=30",
            WHAT,
            table(exact),
            f"{met(exact)} are met.",
            differences(exact),
            "AP with values told apart as floating-point sums (`deduplicate='float'`, which takes 9 GB):",
            table(floats),
            differences(floats),
        ]
    )


def published() -> Iterator[tuple[str, str, list[str]]]:
    """Two columns and the three numbers of each row."""
    for line in PUBLISHED.strip().splitlines():
        one, other, *numbers = line.split()
        yield one, other, numbers


def cells(data: Path) -> Iterator[Cell]:
    """Each value of the table."""
    found = changes(*collection(data, TREC_8), [f"{name}@{LENGTH}" for name in COLUMNS.values()], tests=[], form="rank")
    taus = dict(zip(map(frozenset, combinations(COLUMNS, 2)), found.agreements, strict=True))
    for one, other, numbers in published():
        ours = taus[frozenset([one, other])]
        yield from _row(one, other, numbers, (ours.tau, ours.interval_tau, ours.percent))


def cells_of_ap_as_floats(data: Path) -> Iterator[Cell]:
    """The rows of AP, its values told apart as floating-point sums."""
    qrels, runs = collection(data, TREC_8)
    others = rs.intervals(qrels, runs, [f"{name}@{LENGTH}" for name in COLUMNS.values()], form="rank")
    means = {column: (pair.means, pair.interval_means) for column, pair in zip(COLUMNS, others.pairs, strict=True)}
    means["AP"] = tuple(ap_as_floats(data).evaluation.means().values)
    for one, other, numbers in published():
        if "AP" in {one, other}:
            sides = zip(means[one], means[other], (MEAN_DIGITS, FINE_DIGITS), strict=True)  # of values, and of ranks
            tau, scaled = (float(tau_b(significant(x, digits), significant(y, digits))) for x, y, digits in sides)
            row = _row(one, other, numbers, (tau, scaled, 100 * (scaled - tau) / tau))
            yield from (replace(cell, reason="") for cell in row)


def _row(one: str, other: str, numbers: list[str], ours: tuple[float, ...]) -> Iterator[Cell]:
    for name, number, value in zip(("Msr", "RnkMsr", "change"), numbers, ours, strict=True):
        yield Cell(f"{one} vs {other}", name, number, value, f"{FLOATS}." if "AP" in {one, other} else "")
