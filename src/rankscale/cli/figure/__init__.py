"""`rankscale figure`: pictures, one file per figure."""

import click

from rankscale.cli.lazy import LazyGroup

FIGURES = {
    "curves": ("rankscale.cli.figure.curves", "A measure by rank, with the ideal."),
    "crp": ("rankscale.cli.figure.crp", "The cumulated relative position of one ranking."),
    "crp-dcg": ("rankscale.cli.figure.crp_dcg", "CRP and DCG of one ranking, over one axis of ranks."),
    "indicators": ("rankscale.cli.figure.indicators", "What CRP says of a run, topic by topic."),
    "archetypes": ("rankscale.cli.figure.archetypes", "The kinds of rankings, by the course of their CRP."),
    "effort-gain": ("rankscale.cli.figure.effort_gain", "What a gain costs in effort: sixteen quadrants."),
    "topics": ("rankscale.cli.figure.topics", "A measure by run and topic: a heat map."),
    "means": ("rankscale.cli.figure.means", "Means of runs, a box plot for each measure."),
    "correlate": ("rankscale.cli.figure.correlate", "How far measures agree: a heat map."),
    "critical-difference": (
        "rankscale.cli.figure.critical_difference",
        "Which runs differ: bars join those that do not.",
    ),
    "robustness": ("rankscale.cli.figure.robustness", "How far fewer judgments keep the order of runs."),
    "asl": ("rankscale.cli.figure.asl", "Pairs of runs by achieved significance level."),
    "bounds": ("rankscale.cli.figure.bounds", "Bounds of RBP by depth, or by p."),
    "pools": ("rankscale.cli.figure.pools", "Means of runs at two pool depths."),
    "values": ("rankscale.cli.figure.scale_values", "All values of measures for rankings of a length."),
    "spacing": ("rankscale.cli.figure.spacing", "Order and spacing of all rankings of a length."),
    "hasse": ("rankscale.cli.figure.hasse", "The partial order of all rankings of a length."),
    "intervals": ("rankscale.cli.figure.intervals", "Means of measures against their interval versions."),
}


class Figures(LazyGroup):
    """All figures."""

    kind = "figure"


@click.command("figure", cls=Figures, members=FIGURES)
def command() -> None:
    """Draw a figure: PDF, SVG or PNG for a paper, HTML to explore, TSV or CSV with the data drawn.

    \b
    rankscale figure curves qrels.txt runs/*.gz -m nDCG -o ndcg.pdf --width 84mm
    rankscale figure effort-gain qrels.txt runs/*.gz -o effort.html
    """
