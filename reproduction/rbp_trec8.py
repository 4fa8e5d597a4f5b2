"""Section 5 of Moffat and Zobel 2008 on TREC-8, which the paper made too and does not show."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import numpy as np

import rankscale as rs
from rankscale.data.arrays import Floats, significant
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.stats.correlation.rank_correlations import spearman_with_p, tau_b
from rankscale.studies.pooling import pool
from reproduction.collections import TREC_8, collection
from reproduction.page import plain
from reproduction.rbp_agreement import FIGURES, MEASURES, PUBLISHED, REFERENCES
from reproduction.rbp_tables import COLUMNS
from reproduction.rbp_tables import PUBLISHED as SIGNIFICANT

SAME_AS_ANOTHER = ("Mer8Adtd2", "isa50t")  # but for the name
READ = {  # which measure finds more pairs than which
    "AP finds more than P@10, and P@10 more than RR": (("AP", "P@10"), ("P@10", "RR")),
    "RBP with p = 0.95 more than with 0.8, and with 0.8 more than with 0.5": (
        ("RBP(p=0.95)", "RBP(p=0.8)"),
        ("RBP(p=0.8)", "RBP(p=0.5)"),
    ),
    "NDCG more than AP and RBP": (("nDCG(base=2)", "AP"), ("nDCG(base=2)", "RBP(p=0.95)")),
}
METHODS: Mapping[str, Callable[[Floats, Floats], float]] = {
    "Kendall's tau": lambda x, y: float(tau_b(x, y)),
    "Spearman's rho": lambda x, y: float(spearman_with_p(x, y)[0]),
}
WHAT = (
    'The paper says that "similar results (not shown here) were obtained" with 127 runs of TREC-8 and with Spearman\'s '
    "coefficient. TREC-8 has 129 runs, of which two are another one under a second name (Mer8Adtd2, isa50t); without "
    "them there are 127, which we take to be the paper's. Documents are in the order of trec_eval, depth 100 is all "
    "judgments that there are, depth 10 those of documents that some of the 127 runs ranks at 10 or above."
)
LARGEST = (
    "The largest coefficient of each row, but for that of a measure with itself, is in bold. Beside it stands the "
    "reference that is largest in the paper's Table III, of TREC-5."
)
DEPTHS = (
    "Tau between the orders of the runs at pool depths 10 and 100 (Figures 2 and 4 in numbers), beside TREC-5 as the "
    'paper has it, and runs whose mean is higher with the shallow pool: for AP the paper finds that it "is almost '
    'always an overestimate", RBP cannot be higher.'
)
PAIRS = (
    "Table IV in form: pairs of the 127 runs, 8,001 in all, that differ significantly over 50 topics, beside the share "
    "of the 1,830 pairs of TREC-5 in the paper."
)


def section(data: Path) -> str:
    """Both experiments on the other collection."""
    tables = [
        part
        for shown, method in METHODS.items()
        for part in (
            f"{shown} (Table III in form):",
            plain(["", *REFERENCES, "largest in the paper"], agreement(data, method)),
        )
    ]
    return "\n\n".join(
        [
            "## Rank-biased precision: section 5 repeated on TREC-8",
            WHAT,
            LARGEST,
            *tables,
            same_largest(data),
            DEPTHS,
            plain(["", *FIGURES], depth_lines(data)),
            PAIRS,
            plain(["", *(f"{test}, {1 - alpha:.0%}" for test, alpha in COLUMNS)], pair_lines(data)),
            ordered(data),
        ]
    )


@cache
def the_127(data: Path) -> tuple[Qrels, list[Run]]:
    """The judgments, and each run once."""
    qrels, runs = collection(data, TREC_8)
    return qrels, [run for run in runs if run.name not in SAME_AS_ANOTHER]


@cache
def means(data: Path, depth: int) -> dict[str, Floats]:
    """By measure, the mean of each run with the judgments of a pool."""
    qrels, runs = the_127(data)
    judged = qrels if depth == 100 else pool(qrels, runs, depth).qrels
    values = significant(rs.evaluate(judged, runs, MEASURES).means().values)
    return dict(zip(MEASURES, values, strict=True))


def coefficients(data: Path, method: Callable[[Floats, Floats], float]) -> Iterator[tuple[str, int, list[float]]]:
    """Each row of Table III: a measure, its pool depth, and its coefficient with each reference."""
    for measure, depth in PUBLISHED:
        mine = means(data, depth)[measure]
        yield measure, depth, [method(mine, means(data, 100)[reference]) for reference in REFERENCES]


def largest(measure: str, row: list[float]) -> int:
    """Where the largest coefficient stands, but for that of a measure with itself."""
    return int(np.argmax([-1 if reference == measure else one for reference, one in zip(REFERENCES, row, strict=True)]))


def in_the_paper(measure: str, depth: int) -> str:
    """The reference that is largest in the paper."""
    return REFERENCES[largest(measure, [float(text) for text in PUBLISHED[measure, depth].split()])]


def agreement(data: Path, method: Callable[[Floats, Floats], float]) -> Iterator[list[str]]:
    """Lines of Table III."""
    for measure, depth, row in coefficients(data, method):
        place = largest(measure, row)
        shown = [f"**{one:.3f}**" if at == place else f"{one:.3f}" for at, one in enumerate(row)]
        yield [f"{measure}, depth {depth}", *shown, in_the_paper(measure, depth)]


def same_largest(data: Path) -> str:
    """In how many rows the same reference is nearest."""
    counts = []
    for shown, method in METHODS.items():
        rows = list(coefficients(data, method))
        same = sum(REFERENCES[largest(measure, row)] == in_the_paper(measure, depth) for measure, depth, row in rows)
        counts.append(f"in {same} of {len(rows)} rows by {shown}")
    return f"The nearest reference is the paper's {' and '.join(counts)}."


def depth_lines(data: Path) -> Iterator[list[str]]:
    """Tau between depths, and how many runs are higher with the shallow pool."""
    shallow, deep = means(data, 10), means(data, 100)
    yield ["TREC-5 (paper)", *FIGURES.values()]
    yield ["TREC-8", *(f"{tau_b(shallow[name], deep[name]):.3f}" for name in FIGURES)]
    higher = (int((shallow[name] > deep[name]).sum()) for name in FIGURES)
    yield ["TREC-8: runs higher at depth 10", *(f"{count} of {len(deep['AP'])}" for count in higher)]


@cache
def counts(data: Path) -> dict[str, list[int]]:
    """By measure: significant pairs, in the columns of Table IV."""
    evaluation = rs.evaluate(*the_127(data), list(SIGNIFICANT))
    return {
        measure: [
            int(rs.compare(evaluation[measure], test, "none", alpha=alpha).significant.sum()) for test, alpha in COLUMNS
        ]
        for measure in SIGNIFICANT
    }


def pair_lines(data: Path) -> Iterator[list[str]]:
    """Lines of Table IV: a count, its share of all pairs, and the share that the paper has for TREC-5."""
    number = len(the_127(data)[1])
    pairs = number * (number - 1) // 2
    for measure, row in counts(data).items():
        published = [int(text) for text in SIGNIFICANT[measure].split()]
        yield [
            measure,
            *(f"{one} ({one / pairs:.1%}; {paper / 1830:.1%})" for one, paper in zip(row, published, strict=True)),
        ]


def ordered(data: Path) -> str:
    """Whether what the paper reads off Table IV holds in every column."""
    sentences = (
        f"{words}, in {columns_where(data, comparisons)} of {len(COLUMNS)} columns"
        for words, comparisons in READ.items()
    )
    return f"What the paper reads off its Table IV, on TREC-8: {'; '.join(sentences)}."


def columns_where(data: Path, comparisons: Iterable[tuple[str, str]]) -> int:
    """In how many columns the first of each two measures finds more pairs than the second."""
    by_measure = {name: np.array(row) for name, row in counts(data).items()}
    return int(np.all([by_measure[more] > by_measure[fewer] for more, fewer in comparisons], axis=0).sum())
