"""`rankscale figure robustness`: how far the order of runs holds with fewer judgments."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.robustness import DEFAULT_MEASURES
from rankscale.cli.terminal import progress_bar


@click.command("robustness")
@options.files
@options.measures
@click.option(
    "--sampling",
    type=click.Choice(["stratified", "random", "depth"]),
    default="stratified",
    show_default=True,
    help="Leave judgments out by chance, of each topic and grade or of each topic, or those below a depth of the pool.",
)
@click.option(
    "--sizes",
    type=options.Numbers(),
    help="Percentages of judgments to keep (90,70,50,30,10 by default), or depths (100,50,20,10).",
)
@click.option("--iterations", type=click.IntRange(min=1), default=10, show_default=True, help="Samples of each size.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of the samples.")
@click.option("--top", type=options.Share(), metavar="SHARE", help="Only this share of the runs, the best by AP.")
@click.option(
    "--power",
    type=click.Choice(["bootstrap", "randomised tukey"]),
    help="A second plot: the share of pairs of runs that differ significantly by this test.",
)
@click.option("--samples", type=click.IntRange(min=1), default=1000, show_default=True, help="Draws of that test.")
@click.option("--alpha", type=options.Share(), default=0.05, show_default=True, help="Its level of significance.")
@options.common
@options.judging
@options.reading
@drawing
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    sizes: tuple[float, ...] | None,
    iterations: int,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of robustness(), and of draw()
) -> None:
    """Tau between the order of runs with fewer judgments and with all of them, a line for each measure.

    All judgments are on the left; bars are a standard deviation over iterations, up and down.

    \b
    rankscale figure robustness qrels.txt runs/*.gz -m AP -m Bpref -m Twist --top 0.75 -o robustness.pdf
    rankscale figure robustness qrels.txt runs/*.gz --sampling depth -o depth.svg --width 84mm
    """
    from rankscale import _core
    from rankscale.figures.robustness import robustness_figure
    from rankscale.studies.robustness import robustness

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    look = taken(settings)
    wanted = options.measures_asked(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    of_samples: dict[str, Any] = {} if rel is None else {"rel": rel}
    with progress_bar("judging again", iterations * len(sizes or range(5))) as progress:
        found = robustness(
            list(runs),
            qrels,
            wanted,
            sizes=sizes or None,
            iterations=iterations,
            progress=progress,
            **of_samples,
            **settings,
        )
    draw(robustness_figure(found), found.warnings, **look)
