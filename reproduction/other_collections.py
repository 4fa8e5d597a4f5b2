"""Ferrante, Ferro and Fuhr 2021 on T26 and T27: what can be known of these columns without their runs."""

import gzip
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from math import sqrt
from pathlib import Path

import numpy as np

import rankscale as rs
from rankscale.data.arrays import Floats, Ints
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.stats.tests.register import PAPER
from reproduction.collections import JUDGMENTS, TREC_8
from reproduction.interval_tables import COLUMNS
from reproduction.other_published import AGREEMENT, MID, RUNS, SIGNIFICANCE, TRACKS, UNIQUE
from reproduction.page import Cell, listing, plain
from reproduction.significance_tables import WITH_RECALL_BASE

MEANS = {
    "T26": "official_means/trec26_core.results.md.gz",
    "T27": "official_means/trec27_core.results.md.gz",
}
QRELS = {
    "T08": f"{TREC_8}/{JUDGMENTS[TREC_8]}",
    "T26": "qrels_only/qrels.core17.txt.gz",
    "T27": "qrels_only/qrels.core18.txt.gz",
}
LOG_BASE = 10  # of DCG_b10 and nDCG_b10: no discount down to this rank
SHORTEST = 5
ORDINAL = ("sign", "rank sum", "kruskal-wallis", "friedman")
WITHIN_TOPICS = ("sign", "friedman")
SAME_SCALE = {"R": "P", "nDCG_b02": "DCG_b02", "nDCG_b10": "DCG_b10", "RBP_p03": "RBP_p05"}
NUMBERS = ("Sig", "S2NS", "NS2S", "change")
WHAT = (
    "The runs of T26 (Common Core 2017, 75 runs) and T27 (Common Core 2018, 72 runs) are not public. Public are NIST's "
    "means of each run to four digits, and the judgments. They say this much."
)
RECALL = (
    "**R at N = 10 in Table 2.** On each topic the interval version of R has the ranks of P, so that this cell is tau "
    "between mean P@10 and mean R@10, which NIST publishes."
)
LIMITS = (
    "Means of P@10 are whole multiples of 1/500 and exact in four digits; means of R@10 are rounded, so that runs with "
    "equal ones may differ. However those are ordered, tau lies within the limits below. For T26 the published value "
    "does, and rounding explains the difference. For T27 it lies below them: rounding alone does not explain it. The "
    "paper's order of equal scores, or its treatment of topics that a run lacks, is another then than NIST's; without "
    "the runs this cannot be settled."
)
FACTS = (
    "**Recall bases.** The paper says that no topic has less than 5 relevant documents, and explains values of "
    "nDCG_b10 just below 1 by the topics that have less than 10. From the public judgments:"
)
ANY_RUNS = (
    "**What follows for any runs.** Some cells do not depend on the runs at all: a measure that is an interval scale "
    "has tau 1 with its interval version and loses and gains no pair; measures with the same interval version agree "
    "fully on it; tests that look at order alone do not change where topics share a scale (nor, within topics, where "
    "they do not)."
)
FIT = (
    "**What must fit.** Other cells are unknown but must be equal to each other, since measures share their interval "
    "version or their order on each topic: R and P, nDCG and DCG, RBP(p=0.3) and RBP(p=0.5)."
)
FOUR_DIGITS = {
    "T26": "NIST's means have four digits, in which runs tie that differ in the paper's eight.",
    "T27": "NIST's means have four digits; rounding alone does not explain the difference: see below.",
}


def section(data: Path) -> str:
    """What public means and judgments give, what holds for any runs, and what published cells must fit."""
    known = list(known_for_any_runs())
    every = list(known_counts(known))
    return "\n\n".join(
        [
            "## Interval scales: columns T26 and T27, as far as they are public",
            WHAT,
            RECALL,
            listing(recall_cells(data)),
            LIMITS,
            plain(["", "lowest", "of the rounded means", "highest", "published"], limit_lines(data)),
            FACTS,
            listing(fact_cells(data)),
            ANY_RUNS,
            plain(["table", "published cells", "known for any runs", "of these as published"], every),
            FIT,
            plain(["what must be equal", "pairs of cells", "equal"], fitting()),
        ]
    )


@cache
def means(data: Path, track: str) -> dict[str, dict[str, float]]:
    """By run: NIST's means by the names of trec_eval."""
    return printed_means(data / MEANS[track])


def printed_means(path: Path) -> dict[str, dict[str, float]]:
    """By run: the means that a page of NIST's lists, by the names of trec_eval and the other programs."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        _, *parts = re.split(r"^#### ", lines.read(), flags=re.MULTILINE)
    by_run = {}
    for part in parts:
        printed = re.findall(r"^\s(\S+)\s+all\s+(\S+)$", part, flags=re.MULTILINE)
        by_run[part.split()[0]] = {name: float(value) for name, value in printed}
    return by_run


def both(data: Path, track: str) -> tuple[Floats, Floats]:
    """(run,): mean P@10 and mean R@10."""
    of_runs = means(data, track).values()
    return np.array([one["P_10"] for one in of_runs]), np.array([one["recall_10"] for one in of_runs])


def recall_cells(data: Path) -> Iterator[Cell]:
    """Tau between mean P@10 and mean R@10."""
    for track in TRACKS:
        yield Cell(f"{track}: runs with published means", "", str(RUNS[track]), len(means(data, track)))
        published = dict(zip(COLUMNS, UNIQUE[track, 10].split(), strict=True))["R"]
        yield Cell(f"{track}: R at N = 10", "Table 2", published, float(tau_b(*both(data, track))), FOUR_DIGITS[track])


def limits(data: Path, track: str) -> tuple[float, float]:
    """The lowest and the highest tau-b, however runs are ordered whose mean R@10 is the same when rounded.

    Pairs that also tie in P@10 count neither for nor against: untied in R@10 they only make the divisor larger.
    """
    precision, recall = (np.rint(values * 10_000).astype(np.int64) for values in both(data, track))
    first, second = np.triu_indices(len(precision), k=1)
    p, r = np.sign(precision[first] - precision[second]), np.sign(recall[first] - recall[second])
    pairs, tied_p, open_pairs = len(p), int((p == 0).sum()), int(((r == 0) & (p != 0)).sum())
    tied_both = int(((r == 0) & (p == 0)).sum())
    agreement = int((p * r).sum())
    ends = [
        (agreement + sign * open_pairs) / sqrt((pairs - tied_p) * (pairs - tied))
        for sign in (-1, 1)
        for tied in (0, tied_both)
    ]
    return min(ends), max(ends)


def limit_lines(data: Path) -> Iterator[list[str]]:
    """The limits beside the published value."""
    for track in TRACKS:
        lowest, highest = limits(data, track)
        published = dict(zip(COLUMNS, UNIQUE[track, 10].split(), strict=True))["R"]
        yield [track, f"{lowest:.4f}", f"{tau_b(*both(data, track)):.4f}", f"{highest:.4f}", published]


def recall_base(data: Path, track: str) -> Ints:
    """(topic,): how many documents are relevant, from the lowest relevant grade on."""
    qrels = rs.read_qrels(data / QRELS[track])
    relevant: Ints = qrels.counts[:, qrels.levels >= 1].sum(axis=-1)
    return relevant


def fact_cells(data: Path) -> Iterator[Cell]:
    """Topics with few relevant documents."""
    for track, below_ten in {"T08": "1", "T26": "1", "T27": "4"}.items():
        relevant = recall_base(data, track)
        yield Cell(f"{track}: topics", "", "50", len(relevant))
        yield Cell(f"{track}: topics with less than 5 relevant documents", "", "0", int((relevant < SHORTEST).sum()))
        what = f"{track}: topics with less than 10 relevant documents (smallest recall base {relevant.min()})"
        yield Cell(what, "", below_ten, int((relevant < LOG_BASE).sum()))


@dataclass(frozen=True)
class Known:
    """A published cell whose value is the same for any runs."""

    table: str
    published: str
    value: str

    @property
    def met(self) -> bool:
        """Whether the paper prints it."""
        return self.published == self.value


def known_for_any_runs() -> Iterator[Known]:
    """Each of them."""
    for (_, length), row in UNIQUE.items():
        published = dict(zip(COLUMNS, row.split(), strict=True))
        same = ["P", "RBP_p05", *(["DCG_b10"] if length <= LOG_BASE else [])]
        same += ["nDCG_b10"] if length <= SHORTEST else []  # no topic has less relevant documents
        yield from (Known("Table 2", published[column], "1.0000") for column in same)
    for row in MID.values():
        yield Known("Table 3", dict(zip(COLUMNS, row.split(), strict=True))["RBP_p05"], "1.0000")
    for one, other, *numbers in agreements():
        if SAME_SCALE.get(one) == other or SAME_SCALE.get(other) == one:
            yield from (Known("Table 4", text, "1.0000") for text in numbers[1::3])
        if {one, other} == {"P", "RBP_p05"}:
            yield from (Known("Table 4", text, "+0.00%") for text in numbers[2::3])
    for column, rows in SIGNIFICANCE.items():
        yield from _unchanged(column, rows)


def _unchanged(column: str, rows: str) -> Iterator[Known]:
    """Pairs lost and gained where nothing can change."""
    table, tests = ("Table 6", WITHIN_TOPICS) if column in WITH_RECALL_BASE else ("Table 5", ORDINAL)
    for test, row in zip(PAPER, rows.strip().splitlines(), strict=True):
        if test in tests or column in {"P", "RBP_p05"}:
            texts = row.split()
            for _, lost, gained, change in (texts[:4], texts[4:]):
                yield from (Known(table, lost, "0"), Known(table, gained, "0"), Known(table, change, "0.00%"))


def agreements() -> list[list[str]]:
    """The lines of Table 4."""
    return [line.split() for line in AGREEMENT.strip().splitlines()]


def published_cells() -> dict[str, int]:
    """How many numbers each table prints for T26 and T27."""
    significance = {column: len(TRACKS) * len(PAPER) * len(NUMBERS) for column in SIGNIFICANCE}
    with_recall_base = sum(significance[column] for column in WITH_RECALL_BASE)
    return {
        "Table 2": len(UNIQUE) * len(COLUMNS),
        "Table 3": len(MID) * len(COLUMNS),
        "Table 4": sum(len(line) - 2 for line in agreements()),
        "Table 5": sum(significance.values()) - with_recall_base,
        "Table 6": with_recall_base,
    }


def known_counts(known: list[Known]) -> Iterator[list[str]]:
    """By table, how many cells are known."""
    for table, number in published_cells().items():
        of_table = [one for one in known if one.table == table]
        yield [table, str(number), str(len(of_table)), str(sum(one.met for one in of_table))]


def fitting() -> Iterator[list[str]]:
    """Published cells that must be equal, and how many are."""
    for what, pairs in {
        "Table 3 and Table 2, RBP(p=0.3) and RBP(p=0.8): no two rankings tie": list(_without_ties()),
        "Table 4 and Table 2: tau of R with P, and of RBP(p=0.3) with RBP(p=0.5), at N = 30": list(_across_tables()),
        "Table 4: tau of interval versions that are the same": list(_same_versions()),
        "Tables 5 and 6, Sig: tests of order, measures of the same order": list(_same_order()),
    }.items():
        yield [what, str(len(pairs)), str(sum(one == other for one, other in pairs))]


def _without_ties() -> Iterator[tuple[str, str]]:
    for key, row in UNIQUE.items():
        unique, mid = (dict(zip(COLUMNS, texts.split(), strict=True)) for texts in (row, MID[key]))
        yield from ((unique[column], mid[column]) for column in ("RBP_p03", "RBP_p08"))


def _across_tables() -> Iterator[tuple[str, str]]:
    taus = {frozenset(line[:2]): line[2::3] for line in agreements()}
    for place, track in enumerate(TRACKS):
        unique = dict(zip(COLUMNS, UNIQUE[track, 30].split(), strict=True))
        for column in ("R", "RBP_p03"):
            yield unique[column], taus[frozenset((column, SAME_SCALE[column]))][place]


def _same_versions() -> Iterator[tuple[str, str]]:
    taus = {frozenset(line[:2]): line[3::3] for line in agreements()}
    for one, other in SAME_SCALE.items():
        for column in COLUMNS:
            if column not in {one, other}:
                yield from zip(taus[frozenset((one, column))], taus[frozenset((other, column))], strict=True)


def _same_order() -> Iterator[tuple[str, str]]:
    for one, other in SAME_SCALE.items():
        tests = ORDINAL if one == "RBP_p03" else WITHIN_TOPICS
        for test, mine, its in zip(
            PAPER, SIGNIFICANCE[one].strip().splitlines(), SIGNIFICANCE[other].strip().splitlines(), strict=True
        ):
            if test in tests:
                yield from zip(mine.split()[::4], its.split()[::4], strict=True)
