"""What papers claim in words, held against public data or against their own tables."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain
from pathlib import Path

import numpy as np

import rankscale as rs
from rankscale.data.arrays import significant
from rankscale.data.run import Run
from rankscale.stats.correlation.rank_correlations import tau_b
from rankscale.studies.archetypes import archetypes
from rankscale.studies.correlate import correlate
from rankscale.studies.effort_gain import effort_gain
from rankscale.studies.effort_gain.quadrants import AREAS, HUGE_GAIN
from rankscale.studies.robustness import robustness
from reproduction import other_published, rbp_trec8, relative_position
from reproduction.collections import TREC_8, collection
from reproduction.interval_tables import COLUMNS, MID, UNIQUE
from reproduction.page import plain
from reproduction.rankings import curve, value
from reproduction.rbp_agreement import FIGURES
from reproduction.rbp_tables import COLUMNS as TABLE_IV
from reproduction.significance_tables import WITH_RECALL_BASE, WITHOUT_RECALL_BASE
from reproduction.twist_studies import SETTINGS, Setting, best_runs

SMALLEST = 10  # percent of judgments
ITERATIONS = 10
EVERY_FIFTH = 5
SHORT = 4  # length of the rankings of Figure 3
EARLY = (2, 2, 3, 1)  # a ranking of all relevant documents, whose CRP is above 0 before their number
AT_BOTH_ENDS, REVERSED = (1, 0, 0, 1), (0, 0, 1, 1)  # of two relevant documents
DEPTHS = (5, 10, 15, 20, 25, 30, 40, 50, 75, 100, 150, 200, 250, 300, 400, 500, 750, 1000)
TIED_LENGTHS = (5, 10, 15)  # of rankings whose ties are counted
TEST_ROWS = {"signed rank": 2, "student": 3, "one-way": 4, "kruskal-wallis": 5, "two-way": 6, "friedman": 7}
PARAMETRIC = (("student", "signed rank"), ("one-way", "kruskal-wallis"), ("two-way", "friedman"))
WHAT = (
    "Sentences of the papers that can be held against public data, most often of another collection than theirs, or "
    "against the numbers that the papers print themselves. That one does not hold here does not make it wrong there."
)


@dataclass(frozen=True)
class Claim:
    """A sentence of a paper, and what the numbers say."""

    paper: str
    where: str
    claim: str
    numbers: str
    holds: bool

    @property
    def line(self) -> list[str]:
        """A row of the table."""
        return [self.paper, self.where, self.claim, self.numbers, "yes" if self.holds else "**no**"]


def section(data: Path) -> str:
    """A line for each claim."""
    return "\n\n".join(
        [
            "## Claims in words",
            WHAT,
            plain(["paper", "where", "claim", "numbers", "holds"], (claim.line for claim in claims(data))),
        ]
    )


def claims(data: Path) -> Iterator[Claim]:
    """Each of them."""
    yield from of_scales(data)
    yield from of_twist(data)
    yield from of_relative_position(data)
    yield from of_rbp(data)


def of_scales(data: Path) -> Iterator[Claim]:
    """Ferrante, Ferro and Fuhr 2021."""
    paper = "Interval scales"
    taus, lowest = precision_and_recall(data)
    same = [depth for depth, tau in taus.items() if f"{tau:.4f}" == "0.8588"]
    yield Claim(
        paper,
        "IV-C",
        "Tau between precision and recall on TREC-8 is 0.8588",
        (
            f"{taus[1000]:.4f} at depth 1000; from {min(taus.values()):.4f} to {max(taus.values()):.4f} at {len(taus)} "
            f"depths, 0.8588 at {len(same)} of them"
        ),
        bool(same),
    )
    yield Claim(
        paper,
        "IV-C",
        "Topic by topic, tau between precision and recall is always 1",
        f"lowest of 50 topics of TREC-8 at {len(taus)} depths: {lowest:.4f}",
        lowest == 1,
    )
    size, first = rs.scale(f"RR@{SHORT}").size, rs.scale(f"RR@{SHORT}").rank([1, 0, 0, 0])
    yield Claim(
        paper,
        "VI",
        "Ranks of RR are N + 1 - 1/RR, those of RBP(p=0.5) 2^N RBP",
        (
            f"RR = 1 at N = {SHORT} has rank {first} of {size} by the paper's definition (2), {SHORT} by this form; "
            "both leave out the ranking without a relevant document"
        ),
        first == SHORT,
    )
    yield from unused_ranges(paper)
    yield tied_values(paper)
    lower, higher_rr, cells = mid_ranks()
    yield Claim(
        paper,
        "VIII-A3",
        "As a general trend, tau with mid-ranks (Table 3) is lower than with unique ranks (Table 2)",
        f"lower or equal in {lower} of {cells} published cells; for RR it is higher in {higher_rr} of 12",
        lower > cells / 2,
    )
    more, of = parametric_tests()
    yield Claim(
        paper,
        "VIII-C",
        "Parametric tests find more significant pairs than their counterparts without parameters",
        "; ".join(f"{one} more than {other} in {more[one]} of {of}" for one, other in PARAMETRIC)
        + " (measures and collections of Tables 5 and 6)",
        all(count == of for count in more.values()),
    )


@cache
def precision_and_recall(data: Path) -> tuple[dict[int, float], float]:
    """Tau of means by depth, and the lowest tau of any topic."""
    names = [f"{measure}@{depth}" for measure in "PR" for depth in DEPTHS]
    evaluation = rs.evaluate(*collection(data, TREC_8), names)
    means = significant(evaluation.means().values).reshape(2, len(DEPTHS), -1)
    by_topic = significant(evaluation.values).reshape(2, len(DEPTHS), len(evaluation.runs), -1)
    lowest = min(
        float(tau_b(precision, recall))
        for of_precision, of_recall in zip(*by_topic, strict=True)
        for precision, recall in zip(of_precision.T, of_recall.T, strict=True)
    )
    taus = (float(tau_b(precision, recall)) for precision, recall in zip(*means, strict=True))
    return dict(zip(DEPTHS, taus, strict=True)), lowest


def unused_ranges(paper: str) -> Iterator[Claim]:
    """Figure 3: the largest gap between values of four ranks, over the range from 0 to 1."""
    for measure, words, part in (
        ("AP", "one quarter", 0.25),
        ("RR", "one half", 0.5),
        ("RBP(p=0.3)", "half", 0.5),
    ):
        values = sorted({round(one, 12) for one in every_value(measure)})
        gaps = np.diff(values)
        widest = int(np.argmax(gaps))
        low, high = values[widest], values[widest + 1]
        yield Claim(
            paper,
            "IV-B",
            f"{measure} leaves {words} of its range unused (rankings of {SHORT})",
            f"widest gap {low:.4f} to {high:.4f}: {gaps[widest]:.1%} of the range from 0 to 1",
            abs(float(gaps[widest]) - part) < 0.05,
        )


def every_value(measure: str) -> Iterator[float]:
    """Of each binary ranking of four, with four relevant documents."""
    for number in range(2**SHORT):
        ranking = [float(mark) for mark in f"{number:0{SHORT}b}"]
        yield value(ranking, measure, missed=[1.0] * (SHORT - int(sum(ranking))))


def tied_values(paper: str) -> Claim:
    """Ties of DCG with base 2: how many distinct values there are, and how many rankings share one."""
    sizes = {length: rs.scale(f"DCG(base=2)@{length}").size for length in TIED_LENGTHS}
    shares = {Fraction(size, 2**length) for length, size in sizes.items()}
    largest = max(cluster for length in TIED_LENGTHS[:2] for cluster in clusters(length))
    counted = (f"N = {length}: {size:,} distinct values of {2**length:,} rankings" for length, size in sizes.items())
    return Claim(
        paper,
        "VIII-A1",
        "DCG with base 2 has an increasing number of tied values, clustered unevenly",
        (
            f"{'; '.join(counted)} (`rankscale scale 'DCG(base=2)@10'`); the share is {', '.join(map(str, shares))} at "
            f"each, and no more than {largest} rankings share a value: those that differ in the order of ranks 1 and 2"
        ),
        len(shares) > 1 and largest > 2,
    )


def clusters(length: int) -> Iterator[int]:
    """How many of the binary rankings of a length share each value of DCG with base 2."""
    weights = 1 / np.maximum(1, np.log2(np.arange(1, length + 1)))
    rankings = np.arange(2**length)[:, None] >> np.arange(length) & 1
    yield from np.unique(np.round(rankings @ weights, 10), return_counts=True)[1].tolist()


def mid_ranks() -> tuple[int, int, int]:
    """Published cells of Table 3 that are not above those of Table 2; those of RR that are; and all."""
    unique = [*UNIQUE.values(), *other_published.UNIQUE.values()]
    mid = [*MID.values(), *other_published.MID.values()]
    two, three = (np.array([[float(text) for text in row.split()] for row in rows]) for rows in (unique, mid))
    reciprocal = list(COLUMNS).index("RR")
    return int((three <= two).sum()), int((three > two)[:, reciprocal].sum()), two.size


def parametric_tests() -> tuple[dict[str, int], int]:
    """By parametric test: for how many measures and collections it has more pairs than its counterpart."""
    significant = []
    for column, rows in {**WITHOUT_RECALL_BASE, **WITH_RECALL_BASE}.items():
        both = zip(rows.strip().splitlines(), other_published.SIGNIFICANCE[column].strip().splitlines(), strict=True)
        significant.append([[int(text) for text in f"{one} {other}".split()[::4]] for one, other in both])
    counts = np.array(significant)  # (measure, test, collection)
    more = {one: int((counts[:, TEST_ROWS[one]] > counts[:, TEST_ROWS[other]]).sum()) for one, other in PARAMETRIC}
    return more, counts[:, 0].size


def of_twist(data: Path) -> Iterator[Claim]:
    """Ferro et al."""
    paper = "Twist"
    for setting in SETTINGS:
        diagonal, high, top = areas(data, setting)
        yield Claim(
            paper,
            "Figures 7 to 10",
            "More rankings are in the high-high quadrants than on the diagonal",
            f"{setting.shown}, AP: {high:.1%} against {diagonal:.1%}",
            high > diagonal,
        )
        yield Claim(
            paper,
            "Figure 7",
            "Less than a quarter of the rankings with the highest AP require medium or low effort",
            f"{setting.shown}: {top:.0%}",
            top < 0.25,
        )
    for setting in SETTINGS:
        nearest, tau, with_ndcg = nearest_measure(data, setting)
        yield Claim(
            paper,
            "Table 4",
            "Of AP, Bpref, RBP and nDCG it is nDCG that Twist agrees with most",
            f"{setting.shown}: {nearest} {tau:.4f}, nDCG {with_ndcg:.4f}",
            nearest == "nDCG",
        )
    for shown, setting, runs in robust_sets(data):
        twist, bpref = at_ten_percent(data, setting, runs)
        yield Claim(
            paper,
            "Figure 13",
            "With 10% of the judgments Twist is as robust as Bpref (TREC 10), or comparable",
            f"{shown}: tau {twist:.3f} against {bpref:.3f}",
            abs(twist - bpref) < 0.05,
        )
    zeros = backward_zeros(data)
    yield Claim(
        paper,
        "Space Ratio",
        "The worst and full scale runs are the only two cases in which the backward space ratio is exactly 0",
        (
            "TREC-8: "
            + ", ".join(f"{number} {name}" for name, number in zeros.items() if number)
            + " rankings, those without a relevant document among the first RB (`rankscale archetypes --table ratios`)"
        ),
        not any(number for name, number in zeros.items() if name not in {"worst", "full scale"}),
    )
    ends = [float(curve(ranking, "CRP")[-1]) for ranking in (AT_BOTH_ENDS, REVERSED)]
    yield Claim(
        paper,
        "Proposition 2",
        "No run has a higher CRP than the full scale run",
        f"RB = 2, N = 4: relevant at ranks 1 and 4 ends at {ends[0]:g}, the full scale at {ends[1]:g}; it holds from "
        "N = 3RB - 1 on",
        ends[0] <= ends[1],
    )
    recovery = value([0.0, 0.0, 1.0], "rho@3")
    yield Claim(
        paper,
        "Proposition 3",
        "The recovery ratio of the full scale run is below 1/2 for N of at least 3RB",
        f"RB = 1, N = 3: {recovery:g}",
        recovery < 0.5,
    )


def backward_zeros(data: Path) -> dict[str, int]:
    """By archetype: how many rankings of TREC-8 have a backward space ratio of 0."""
    rows = archetypes(*collection(data, TREC_8)).table("ratios")
    return {str(row["archetype"]): int(row["zero"] or 0) for row in rows if row["ratio"] == "sigma_minus"}


def areas(data: Path, setting: Setting) -> tuple[float, float, float]:
    """Shares of the diagonal and of high-high; and of the top row, what is at medium or low effort."""
    names = [setting.measures["AP"], setting.measures["Twist"]]
    evaluation = rs.evaluate(*collection(data, setting.folder), names)
    plot = effort_gain(evaluation, names[:1], names[1]).plots[0]
    diagonal, high, top = (float(plot.within(AREAS[name][1]).mean()) for name in ("diagonal", "high-high", "top"))
    return diagonal, high, top / float((plot.row == HUGE_GAIN).mean())


def nearest_measure(data: Path, setting: Setting) -> tuple[str, float, float]:
    """The measure that Twist agrees with most, tau with it and with nDCG, over the best 75% of runs."""
    evaluation = rs.evaluate(*best_runs(data, setting), list(setting.measures.values()))
    matrix = correlate(evaluation, by_topic=False, samples=0).overall.matrix
    taus = dict(zip(setting.measures, matrix[list(setting.measures).index("Twist")].tolist(), strict=True))
    taus.pop("Twist")
    nearest = max(taus, key=lambda name: taus[name])
    return nearest, taus[nearest], taus["nDCG"]


def robust_sets(data: Path) -> Iterator[tuple[str, Setting, list[Run]]]:
    """Runs that are measured with fewer judgments."""
    for setting in SETTINGS:
        _, runs = best_runs(data, setting)
        yield f"{setting.shown}, best 75% of runs", setting, runs
    trec_8 = SETTINGS[0]
    _, runs = collection(data, trec_8.folder)
    yield f"{trec_8.shown}, every fifth run (26)", trec_8, runs[::EVERY_FIFTH]


def at_ten_percent(data: Path, setting: Setting, runs: list[Run]) -> tuple[float, float]:
    """Tau of Twist and of Bpref between all judgments and a tenth of them."""
    qrels, _ = collection(data, setting.folder)
    measures = [setting.measures["Twist"], setting.measures["Bpref"]]
    study = robustness(qrels, runs, measures, sizes=(SMALLEST,), iterations=ITERATIONS, rel=setting.rel)
    twist, bpref = study.tau.mean(axis=-1)[:, 0].tolist()
    return twist, bpref


def of_relative_position(data: Path) -> Iterator[Claim]:
    """Angelini et al. 2012."""
    paper = "Cumulated relative position"
    undefined, above = relative_position.counted(data)
    early = curve(EARLY, "CRP")
    yield Claim(
        paper,
        "2.2",
        "Before R CRP is zero or negative",
        (
            f"grades {', '.join(map(str, EARLY))} of a topic with these four documents: CRP "
            f"{', '.join(f'{one:g}' for one in early)}, above 0 at rank 3; it holds for binary relevance"
        ),
        float(early[: len(EARLY) - 1].max()) <= 0,
    )
    yield Claim(
        paper,
        "2.2, (9)",
        "CRP_N lies between 0 and 1",
        f"Deep Learning 2021, best run: above 1 for {above} of 53 topics, undefined for {undefined}",
        above == 0,
    )


def of_rbp(data: Path) -> Iterator[Claim]:
    """Moffat and Zobel 2008."""
    paper = "Rank-biased precision"
    shallow, deep = rbp_trec8.means(data, 10), rbp_trec8.means(data, 100)
    higher = int((shallow["AP"] > deep["AP"]).sum())
    yield Claim(
        paper,
        "3.1, Figure 2",
        "AP with a pool of depth 10 is almost always an overestimate",
        f"TREC-8: for {higher} of {len(deep['AP'])} runs",
        higher > 0.9 * len(deep["AP"]),
    )
    lower = sum(int((shallow[name] > deep[name]).sum()) for name in FIGURES if name != "AP")
    yield Claim(
        paper,
        "4.2, Figure 4",
        "RBP never decreases when the pool gets deeper",
        f"TREC-8, three values of p: {lower} of {3 * len(deep['AP'])} means do",
        lower == 0,
    )
    counts = rbp_trec8.counts(data)
    for words, comparisons in rbp_trec8.READ.items():
        holds = rbp_trec8.columns_where(data, comparisons)
        numbers = ", ".join(f"{name} {counts[name][2]}" for name in dict.fromkeys(chain.from_iterable(comparisons)))
        yield Claim(
            paper,
            "5, Table IV",
            f"Of significant pairs {words}",
            f"TREC-8, t test at 95%: {numbers}; in {holds} of 4 columns",
            holds == len(TABLE_IV),
        )
