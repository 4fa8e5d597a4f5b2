"""The analyses of the Twist paper (Ferro et al.) in form, on TREC-8 and Deep Learning 2021."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

import rankscale as rs
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.studies.archetypes import archetypes
from rankscale.studies.correlate import correlate
from rankscale.studies.discriminate import Discrimination, discriminate
from rankscale.studies.effort_gain import effort_gain
from rankscale.studies.effort_gain.quadrants import AREAS
from rankscale.studies.robustness import robustness
from rankscale.studies.support.selection import evaluate_top
from reproduction.collections import DL_2021, TREC_8, collection
from reproduction.page import plain

TOP = 0.75
SIZES = (90, 70, 50, 30, 10)
ITERATIONS = 10
SAMPLES = 1000
LEVELS = (0.001, 0.01, 0.05, 0.1, 0.5)
KINDS = ("ideal", "worst", "full scale", "typical A", "typical B", "excellent")
PAPER_KINDS = {  # Table 2, in percent; there is no full scale ranking
    "TREC 10": ("4,750", "0.17 3.09 0.00 83.87 12.72 0.15"),
    "TREC 14": ("3,700", "0.00 1.86 0.00 80.24 17.89 0.00"),
    "TREC 20": ("1,850", "0.11 8.86 0.00 60.70 30.16 0.16"),
    "TREC 21": ("1,350", "0.00 4.15 0.00 64.59 31.26 0.00"),
}
PAPER_TAUS = {  # Tables 3 and 4: AP with Bpref, RBP, nDCG; Twist with AP, Bpref, RBP, nDCG
    "TREC 10": "0.8506 0.6041 0.8334 0.8144 0.8173 0.6489 0.8791",
    "TREC 14": "0.8390 0.7229 0.9070 0.8477 0.7547 0.6051 0.9012",
    "TREC 20": "0.8498 0.5675 0.8962 0.8254 0.8148 0.3968 0.9245",
    "TREC 21": "0.8461 0.5669 0.8388 0.9157 0.8526 0.3684 0.82105",
}
SHOWN_AREAS = ("diagonal", "high-high", "gray", "top")
PAPER_AREAS = (  # in the words of the text: collection, gain, diagonal, high-high, gray
    ("TREC 10", "AP", "28%", "44%", "22% + 6%"),
    ("TREC 14", "AP", "", "37%", ""),
    ("TREC 20", "AP", "26%", "about half", ""),
    ("TREC 21", "AP", "a quarter", "half", ""),
    ("TREC 10", "RBP", "31%", "44%", ""),
    ("TREC 14", "RBP", "38%", "37.4%", ""),
    ("TREC 20", "RBP", "one third", "half", ""),
    ("TREC 21", "RBP", "a third", "half", ""),
)


@dataclass(frozen=True)
class Setting:
    """A collection, and the measures as they are for it: AP, Bpref, RBP, nDCG, Twist."""

    shown: str
    folder: str
    depth: int
    rel: int
    gains: str  # of nDCG, in steps of 5 from the lowest relevant grade on, as in the paper

    @property
    def measures(self) -> dict[str, str]:
        """By the name that the paper has for each."""
        rel = f"rel={self.rel}"
        return {
            "AP": f"AP({rel})",
            "Bpref": f"Bpref({rel})",
            "RBP": f"RBP(p=0.8,{rel})",
            "nDCG": f"nDCG(base=10,gains=[{self.gains}])",
            "Twist": f"Twist({rel})@{self.depth}",
        }


SETTINGS = (
    Setting("TREC-8", TREC_8, 1000, 1, "0,5"),
    Setting("Deep Learning 2021", DL_2021, 100, 2, "0,0,5,10"),
)
WHAT = (
    "The runs of the paper's four collections are not at hand (see the end of this page). These are its analyses of "
    "the 129 runs of TREC-8 (50 topics, binary, depth 1000) and the 63 runs of Deep Learning 2021 (53 topics, grades "
    "0 to 3 of which 2 and 3 are relevant, depth 100), beside what the paper has for its own: numbers to look at "
    "together, not to be equal. Measures as in the paper: AP, Bpref, RBP with p = 0.8, nDCG with base 10 and gains 0, "
    "5, 10 from the lowest relevant grade on, Twist at the depth of the runs; seeds are 0."
)
SHORT = (
    "For 26 of the 53 topics of Deep Learning 2021 2RB is beyond the depth of 100, so that most rankings cannot come "
    "back to 0: read its shares with that in mind."
)


def section(data: Path) -> str:
    """Archetypes, agreement, robustness, discriminative power, effort and gain."""
    return "\n\n".join(
        [
            "## Twist: the paper's analyses, TREC-8 and Deep Learning 2021",
            WHAT,
            "### Table 2: archetypes, percent of all rankings (`rankscale archetypes`)",
            plain(["", "rankings", *KINDS], kinds(data)),
            SHORT,
            "### Tables 3 and 4: tau between measures, best 75 % of runs by AP (`rankscale correlate --top 0.75`)",
            plain(
                ["", "AP-Bpref", "AP-RBP", "AP-nDCG", "Twist-AP", "Twist-Bpref", "Twist-RBP", "Twist-nDCG"], taus(data)
            ),
            (
                "### Figure 13: tau between the order with all judgments and with a stratified part of them "
                "(`rankscale robustness`)"
            ),
            f"Mean over {ITERATIONS} iterations, best 75 % of runs. The paper has this as a drawing.",
            plain(["", "judgments kept", *SETTINGS[0].measures], robust(data)),
            "### Figure 14: discriminative power at .05 (`rankscale discriminate`)",
            (
                f"Paired bootstrap with {SAMPLES:,} draws over the pairs of the best 75 % of runs: DP is the share of "
                "pairs that differ, delta the difference of means that is enough. The paper has both within a "
                "drawing."
            ),
            plain(["", "", *SETTINGS[0].measures], power(data)),
            "ASL curves in numbers, the share of pairs with an achieved significance level up to:",
            plain(["", "ASL", *SETTINGS[0].measures], levels(data)),
            "### Figures 7 to 10: effort and gain, shares of rankings (`rankscale effort-gain`)",
            (
                "Diagonal: gain and effort agree. High-high: high or huge gain at high or huge effort. Gray: medium "
                "gain at huge effort, or huge gain at medium. Top: huge gain at medium or low effort. Of the paper "
                "what its text says."
            ),
            plain(["", "gain", *SHOWN_AREAS], areas(data)),
        ]
    )


@cache
def best_runs(data: Path, setting: Setting) -> tuple[Qrels, list[Run]]:
    """The best three quarters by AP."""
    qrels, runs = collection(data, setting.folder)
    kept = set(evaluate_top(qrels, runs, setting.measures["AP"], TOP, by=setting.measures["AP"]).runs)
    return qrels, [run for run in runs if run.name in kept]


def kinds(data: Path) -> Iterator[list[str]]:
    """Shares of archetypes."""
    for name, (rankings, shares) in PAPER_KINDS.items():
        yield [f"{name} (paper)", rankings, *shares.split()]
    for setting in SETTINGS:
        found = archetypes(*collection(data, setting.folder), depth=setting.depth, rel=setting.rel)
        shares_found = (f"{100 * found.share(kind):.2f}" for kind in KINDS)
        yield [setting.shown, f"{int(found.counts.sum()):,}", *shares_found]


def taus(data: Path) -> Iterator[list[str]]:
    """Tau of AP and of Twist with the others."""
    for name, row in PAPER_TAUS.items():
        yield [f"{name} (paper)", *row.split()]
    for setting in SETTINGS:
        found = rs.evaluate(*best_runs(data, setting), list(setting.measures.values()))
        matrix = correlate(found, by_topic=False, samples=0).overall.matrix
        place = {name: at for at, name in enumerate(setting.measures)}
        of_ap = [matrix[place["AP"], place[other]] for other in ("Bpref", "RBP", "nDCG")]
        of_twist = [matrix[place["Twist"], place[other]] for other in ("AP", "Bpref", "RBP", "nDCG")]
        yield [setting.shown, *(f"{tau:.4f}" for tau in (*of_ap, *of_twist))]


def robust(data: Path) -> Iterator[list[str]]:
    """Mean tau by collection and size."""
    for setting in SETTINGS:
        found = robustness(
            *best_runs(data, setting),
            list(setting.measures.values()),
            sizes=SIZES,
            iterations=ITERATIONS,
            rel=setting.rel,
        )
        for size, by_measure in zip(SIZES, found.tau.mean(axis=-1).T, strict=True):
            yield [setting.shown, f"{size} %", *(f"{tau:.4f}" for tau in by_measure)]


@cache
def discriminated(data: Path, setting: Setting) -> Discrimination:
    """Which pairs of runs differ."""
    found = rs.evaluate(*best_runs(data, setting), list(setting.measures.values()))
    return discriminate(found, samples=SAMPLES)


def power(data: Path) -> Iterator[list[str]]:
    """DP and delta."""
    for setting in SETTINGS:
        found = discriminated(data, setting)
        yield [f"{setting.shown}, {found.pairs[0]:,} pairs", "DP", *(f"{100 * one:.2f} %" for one in found.power)]
        yield [setting.shown, "delta", *(f"{one:.4f}" for one in found.delta)]


def levels(data: Path) -> Iterator[list[str]]:
    """Points of the ASL curves."""
    for setting in SETTINGS:
        curves = discriminated(data, setting).curves()
        for level in LEVELS:
            yield [setting.shown, f"{level:g}", *(f"{100 * np.mean(curve <= level):.1f} %" for curve in curves)]


def areas(data: Path) -> Iterator[list[str]]:
    """Shares of the areas of the plot."""
    for name, *shares_told in PAPER_AREAS:
        yield [f"{name} (paper)", *shares_told, ""]
    for setting in SETTINGS:
        qrels, runs = collection(data, setting.folder)
        found = rs.evaluate(qrels, runs, list(setting.measures.values()))
        *gains, effort = setting.measures
        drawn = effort_gain(found, [setting.measures[name] for name in gains], setting.measures[effort])
        for name, plot in zip(gains, drawn.plots, strict=True):
            shares = (plot.within(AREAS[area][1]).mean() for area in SHOWN_AREAS)
            yield [setting.shown, name, *(f"{100 * share:.1f} %" for share in shares)]
