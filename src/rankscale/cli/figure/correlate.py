"""`rankscale figure correlate`: how far measures agree on the order of runs."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.correlate import DEFAULT_MEASURES, top_runs
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.intervals import DEFAULT_MEASURES as WITH_INTERVAL_VERSIONS
from rankscale.cli.terminal import progress_bar


@click.command("correlate")
@options.files
@options.measures
@click.option(
    "--method",
    type=click.Choice(["tau_b", "tau_ap", "tau_ap_mean", "spearman", "pearson", "weighted_tau", "rbo"]),
    default="tau_b",
    show_default=True,
    help="The coefficient; tau_ap takes the measure of the row as the truth.",
)
@click.option("--interval", is_flag=True, help="Above the diagonal, the same of interval versions.")
@top_runs
@options.common
@options.judging
@options.reading
@drawing
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    method: str,
    interval: bool,
    top: float | None,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of evaluate_top(), and of draw()
) -> None:
    """A heat map of the correlations of measures over runs, with what they are read as.

    \b
    rankscale figure correlate qrels.txt runs/*.gz -m AP -m nDCG@10 -m RR -o correlations.pdf
    rankscale figure correlate qrels.txt runs/*.gz -m AP@10 -m RR@10 --interval -o correlations.svg
    """
    from rankscale.figures.correlate import correlate_figure
    from rankscale.studies.correlate import correlate, with_interval_versions
    from rankscale.studies.top import evaluate_top

    options.check_standard_input(qrels, runs)
    look = taken(settings)
    shared = {"rel": rel, "gains": gains}
    wanted = options.measures_asked(measures or (WITH_INTERVAL_VERSIONS if interval else DEFAULT_MEASURES), shared)
    by = options.measures_asked(("AP",), shared)[0]
    with progress_bar("reading and judging", len(runs)) as progress:
        measured = with_interval_versions(wanted) if interval else wanted
        found = evaluate_top(qrels, list(runs), measured, top, by=by, progress=progress, **settings)
    made = correlate(found, method, by_topic=False, samples=0)
    draw(correlate_figure(made), made.warnings, **look)
