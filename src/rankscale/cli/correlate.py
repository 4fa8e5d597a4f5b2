"""`rankscale correlate`: how far measures agree on the order of runs."""

from typing import Any

import click

from rankscale.cli import options, studying
from rankscale.cli.intervals import DEFAULT_MEASURES as WITH_INTERVAL_VERSIONS
from rankscale.cli.terminal import progress_bar

# One of each kind: recall, the first page, graded gain, a user who may stop, the first relevant document, effort.
DEFAULT_MEASURES = ("AP", "P@10", "nDCG@10", "RBP(p=0.8)", "RR", "Twist")
OF_INTERVALS = ("versions", "scaled")  # tables

top_runs = click.option(
    "--top", type=options.Share(), help="Only this share of the runs, the best by mean AP, and all tied with the last."
)


@click.command("correlate")
@options.files
@options.measures
@click.option(
    "--method",
    type=click.Choice(["tau_b", "tau_ap", "tau_ap_mean", "spearman", "pearson", "weighted_tau", "rbo"]),
    default="tau_b",
    show_default=True,
    help="The coefficient; tau_ap takes the first measure of a pair as the truth.",
)
@click.option("--interval", is_flag=True, help="Beside each measure its interval version, too.")
@click.option("--by-topic/--no-by-topic", default=True, show_default=True, help="Topic by topic, too.")
@top_runs
@click.option("--confidence", type=options.Share(), default=0.95, show_default=True, help="Of intervals.")
@click.option(
    "--samples",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="Draws of topics for intervals; 0 for none, which is far quicker with rbo and weighted_tau.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of these draws.")
@options.common
@options.judging
@options.reading
@studying.writing("pairs", "matrix", "topics", *OF_INTERVALS)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    method: str,
    interval: bool,
    by_topic: bool,
    top: float | None,
    confidence: float,
    samples: int,
    seed: int,
    table: str | None,
    form: str | None,
    places: int | None,
    output: str | None,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those that evaluate() takes as they are
) -> None:
    """How far measures agree on the order of runs: each two of them, over all topics and topic by topic.

    \b
    rankscale correlate qrels.txt runs/*.gz -m AP -m nDCG@10 -m RR --top 0.75
    rankscale correlate qrels.txt runs/*.gz -m AP@10 -m RR@10 --interval
    rankscale correlate qrels.txt runs/*.gz --table matrix -o heat-map.tsv
    """
    from rankscale import _core
    from rankscale.studies.correlate import correlate, with_interval_versions
    from rankscale.studies.top import evaluate_top

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    form = studying.form_of(form, output, "correlations")
    _check_table(table, interval=interval, by_topic=by_topic)
    shared = {"rel": rel, "gains": gains}
    wanted = options.measures_asked(measures or (WITH_INTERVAL_VERSIONS if interval else DEFAULT_MEASURES), shared)
    by = options.measures_asked(("AP",), shared)[0]
    if interval:
        wanted = with_interval_versions(wanted)
    with progress_bar("reading and judging", len(runs)) as progress:
        found = evaluate_top(qrels, list(runs), wanted, top, by=by, progress=progress, **settings)
    made = correlate(found, method, by_topic=by_topic, confidence=confidence, samples=samples, seed=seed)
    studying.write(made, form, output, places, table)


def _check_table(table: str | None, *, interval: bool, by_topic: bool) -> None:
    """Refuse, before any work, a table that there will not be."""
    if table in OF_INTERVALS and not interval:
        raise click.UsageError(f"--table {table} is about interval versions: give --interval too")
    if table == "topics" and not by_topic:
        raise click.UsageError("--table topics is what --no-by-topic leaves out")
