"""Examples 9, 10 (Table 1) and 12 of Ferrante, Ferro and Fuhr 2021, and the sizes that its text gives."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import rankscale as rs
from reproduction.page import Cell, listing
from reproduction.rankings import curve, value

TABLE_1 = {  # two rankings of four, of topics with four relevant documents, and the mean AP
    "A": ("1110", "1001", "0.5625"),
    "B": ("1101", "1010", "0.5521"),
    "C": ("0010", "0101", "0.1667"),
    "D": ("0001", "0110", "0.1771"),
}
RELEVANT = 4
DCG_VALUES = {"1111": "3.131", "1110": "2.631", "1101": "2.500", "1011": "2.131", "0111": "2.131", "0001": "0.500"}
DCG_VALUES |= {"0011": "1.131", "1001": "1.500", "0000": "0.000"}
DCG_RANKS = {"1111": "12", "1110": "11", "1101": "10", "1011": "9", "0111": "9", "0011": "5", "1001": "6"}
DCG_RANKS |= {"0001": "2", "0000": "1"}
SIZES = {5: "24", 10: "768", 15: "24576"}
RECALL_RANKS = {"00": "1", "01": "2", "10": "2", "11": "3"}


def section(_: Path) -> str:
    """Each value that the paper works out."""
    return "\n\n".join(
        [
            "## Interval scales: worked examples",
            (
                "Examples 9 and 12, Table 1, and what the text says of DCG with base 2 (its Figures 4 and 5). "
                "`rankscale scale` shows the scale of any measure."
            ),
            listing(cells()),
        ]
    )


def cells() -> Iterator[Cell]:
    """Each value."""
    found = {"A": ("1000", "0001"), "B": ("0100", "0100")}  # where the first relevant document stands
    for (name, rankings), reciprocal, rank in zip(found.items(), ("0.625", "0.5"), ("2.5", "2"), strict=True):
        yield Cell(f"Example 9: MRR of {name}", "", reciprocal, _mean(rankings, "RR", relevant=1))
        # Ranks of the first relevant document, which are 6 less the place on the scale of RR at N = 4.
        places = _mean(rankings, "Interval(RR@4,form='rank')", relevant=1)
        yield Cell(f"Example 9: mean rank of {name}", "", rank, 6 - places)
    for name, (one, other, published) in TABLE_1.items():
        yield Cell(f"Table 1: mean AP of {name}", "", published, _mean((one, other), "AP", RELEVANT))
    for ranking, published in RECALL_RANKS.items():
        for relevant in (2, 3):
            ours = _mean((ranking,), "Interval(R@2,form='rank')", relevant)
            yield Cell(f"Example 12: rank of ({', '.join(ranking)})", f"RB = {relevant}", published, ours)
    scale = rs.scale("DCG(base=2)@4")
    for ranking, published in DCG_VALUES.items():
        yield Cell(f"DCG(base=2) of ({', '.join(ranking)})", "", published, _dcg(ranking))
    for ranking, published in DCG_RANKS.items():
        ours = scale.rank([int(mark) for mark in ranking])
        yield Cell(f"Rank of ({', '.join(ranking)})", "of 12 at N = 4", published, ours)
    for length, size in SIZES.items():
        yield Cell(f"Values of DCG(base=2) at N = {length}", "", size, rs.scale(f"DCG(base=2)@{length}").size)


def _mean(rankings: tuple[str, ...], measure: str, relevant: int) -> float:
    """The mean over topics, each with so many relevant documents."""
    grades = [[float(mark) for mark in ranking] for ranking in rankings]
    return float(np.mean([value(one, measure, missed=[1.0] * (relevant - int(sum(one)))) for one in grades]))


def _dcg(ranking: str) -> float:
    return float(curve([float(mark) for mark in ranking], "DCG(base=2)")[-1])
