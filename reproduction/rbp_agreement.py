"""Table III of Moffat and Zobel 2008, and the tau of its Figures 2 and 4: how far measures order TREC-5 runs alike."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import rankscale as rs
from rankscale.data.arrays import Floats, significant
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.studies.pooling import pool
from reproduction.collections import TREC_5, collection
from reproduction.page import Cell, differences, met, table
from reproduction.rbp_tables import RESCALED

NDCG = "nDCG(base=2)"
REFERENCES = ("RR", "P@10", "Rprec", "AP")  # at pool depth 100
MEASURES = (*REFERENCES, "RBP(p=0.5)", "RBP(p=0.8)", "RBP(p=0.95)", NDCG)
PUBLISHED = {  # by measure and pool depth: tau with each reference
    ("RR", 10): "0.997 0.841 0.749 0.733",
    ("P@10", 10): "0.839 1.000 0.861 0.846",
    ("Rprec", 100): "0.748 0.861 1.000 0.905",
    ("RBP(p=0.5)", 10): "0.925 0.858 0.768 0.758",
    ("RBP(p=0.8)", 10): "0.887 0.930 0.822 0.812",
    ("RBP(p=0.95)", 10): "0.778 0.880 0.874 0.897",
    ("RBP(p=0.95)", 100): "0.791 0.913 0.896 0.863",
    (NDCG, 100): "0.763 0.831 0.878 0.916",
}
FIGURES = {"AP": "0.898", "RBP(p=0.5)": "1.000", "RBP(p=0.8)": "0.986", "RBP(p=0.95)": "0.891"}
PRINTED_DIGITS = 4  # of the means that the paper's orders seem to rest on
WHAT = (
    "Kendall's tau-b between the orders of the 61 runs of TREC-5 by two measures: those of the rows at their pool "
    "depth, those of the columns at depth 100. A pool of depth k holds the judgments of documents that some run ranks "
    "at k or above; depth 100 is all judgments that there are. Rprec is the paper's P@R, nDCG(base=2) its NDCG. "
    "`rankscale correlate` gives tau between measures for any runs, `rankscale robustness` tau between pool depths."
)
OURS = (
    "First in our way: documents in the order of trec_eval (by score, equal scores by name), all judgments as depth "
    "100, means to 8 decimals. No cell is off by more than 0.004."
)
ORDER = "The paper's order of equal scores, its pools and its rounding are not ours: see the next table."
THEIRS = (
    "The paper does not say what broke equal scores, nor how means were rounded. Of the ways that we tried the "
    "following meets most cells: documents in the order of the files, both pools made of the 61 runs, means to 4 "
    "decimals; NDCG alone in the order of trec_eval with all judgments."
)


def section(data: Path) -> str:
    """Table III and the two figures, in our way and in what seems to be the paper's."""
    ours, figures = list(cells(data, theirs=False)), list(cells_of_figures(data, theirs=False))
    theirs, their_figures = list(cells(data, theirs=True)), list(cells_of_figures(data, theirs=True))
    return "\n\n".join(
        [
            "## Rank-biased precision: Table III, agreement of measures, TREC-5",
            WHAT,
            OURS,
            table(ours),
            f"{met(ours)} are met. {ORDER}",
            THEIRS,
            table(theirs),
            f"{met(theirs)} are met.",
            differences(theirs),
            "## Rank-biased precision: Figures 2 and 4 in numbers, TREC-5",
            "Tau between the orders of the 61 runs at pool depths 10 and 100, first in our way, then in the other.",
            table(figures),
            table(their_figures),
            differences(their_figures),
        ]
    )


@cache
def means(data: Path, depth: int, order: str, *, whole: bool) -> Floats:
    """(measure, run): with judgments to a pool depth; `whole` takes all judgments that there are for depth 100."""
    qrels, runs = collection(data, TREC_5, order)
    judged = qrels if whole and depth == 100 else pool(qrels, runs, depth).qrels
    return rs.evaluate(judged, runs, MEASURES).means().values


def of(data: Path, measure: str, depth: int, *, theirs: bool) -> Floats:
    """(run,): the means of one measure, rounded."""
    as_files = theirs and measure != NDCG
    found: Floats = means(data, depth, "file" if as_files else "score", whole=not as_files)[MEASURES.index(measure)]
    return found.round(PRINTED_DIGITS) if theirs else significant(found)


def cells(data: Path, *, theirs: bool) -> Iterator[Cell]:
    """Each value of Table III."""
    for (measure, depth), row in PUBLISHED.items():
        for reference, published in zip(REFERENCES, row.split(), strict=True):
            tau = tau_b(of(data, measure, depth, theirs=theirs), of(data, reference, 100, theirs=theirs))
            yield Cell(f"{measure}, depth {depth}", reference, published, float(tau), RESCALED if theirs else ORDER)


def cells_of_figures(data: Path, *, theirs: bool) -> Iterator[Cell]:
    """Tau between the two pool depths."""
    for measure, published in FIGURES.items():
        shallow, deep = (of(data, measure, depth, theirs=theirs) for depth in (10, 100))
        yield Cell("tau, depths 10 and 100", measure, published, float(tau_b(shallow, deep)), RESCALED)
