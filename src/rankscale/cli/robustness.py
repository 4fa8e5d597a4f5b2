"""`rankscale robustness`: how far the order of runs holds with fewer judgments."""

from typing import Any

import click

from rankscale.cli import options, studying
from rankscale.cli.spelling import own_spelling
from rankscale.cli.terminal import progress_bar

DEFAULT_MEASURES = ("AP", "nDCG@10", "Bpref", "RBP(p=0.8)", "Twist")
TABLES = ("tau", "power", "means", "iterations")


asking = options.together(  # what the study is asked for; the figure asks for the same
    click.option(
        "--sampling",
        type=click.Choice(["stratified", "random", "depth"]),
        default="stratified",
        show_default=True,
        help="Leave judgments out by chance, of each topic and grade or of each topic, or below a depth of the pool.",
    ),
    click.option(
        "--sizes",
        type=options.Numbers(),
        help="Percentages of judgments to keep (90,70,50,30,10 by default), or depths (100,50,20,10).",
    ),
    click.option(
        "--iterations", type=click.IntRange(min=1), default=10, show_default=True, help="Samples of each size."
    ),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the samples."),
    click.option("--pooled", multiple=True, metavar="NAME", help="A run of the pool; all by default. Repeats."),
    click.option("--top", type=options.Share(), metavar="SHARE", help="Only this share of the runs, the best by AP."),
    click.option(
        "--power",
        type=click.Choice(["bootstrap", "randomised tukey"]),
        help="Discriminative power too: the share of pairs of runs that differ significantly by this test.",
    ),
    click.option("--samples", type=click.IntRange(min=1), default=1000, show_default=True, help="Draws of that test."),
    click.option("--alpha", type=options.Share(), default=0.05, show_default=True, help="Its level of significance."),
)


@click.command("robustness")
@options.files
@options.measures
@asking
@options.common
@options.judging
@options.reading
@studying.writing(*TABLES)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    sizes: tuple[float, ...] | None,
    iterations: int,
    pooled: tuple[str, ...],
    power: str | None,
    table: str | None,
    form: str | None,
    places: int | None,
    output: str | None,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those that robustness() takes as they are
) -> None:
    """How far the order of runs holds when there are fewer judgments.

    Judgments are left out, the runs judged again, and Kendall's tau-b taken between the order of runs then and with all
    judgments: its mean over samples for each measure and size. Documents left out become unjudged.

    \b
    rankscale robustness qrels.txt runs/*.gz -m AP -m Bpref --top 0.75
    rankscale robustness qrels.txt runs/*.gz -m AP --sampling depth --sizes 50,10
    rankscale robustness qrels.txt runs/*.gz -m nDCG@10 --table means -o means.parquet
    """
    from rankscale import _core
    from rankscale.studies.robustness import robustness

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    form = studying.form_of(form, output, "robustness")
    if table == "power" and power is None:
        raise click.UsageError("this table needs a test: say --power bootstrap or --power 'randomised tukey'")
    wanted = options.measures_asked(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    of_samples: dict[str, Any] = {} if rel is None else {"rel": rel}
    with progress_bar("judging again", iterations * len(sizes or range(5))) as progress, own_spelling():
        found = robustness(
            qrels,
            list(runs),
            wanted,
            sizes=sizes or None,
            iterations=iterations,
            pooled=pooled or None,
            power=power,
            progress=progress,
            **of_samples,
            **settings,
        )
    studying.write(found, form, output, places, table)
