"""`rankscale figure pools`: means of runs with the judgments of two pools."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken


@click.command("pools")
@options.files
@options.measures
@click.option(
    "--pool-depths",
    "depths",
    type=options.Numbers(whole=True),
    default="10,100",
    show_default=True,
    help="The two depths that are compared.",
)
@click.option("--pooled", multiple=True, metavar="NAME", help="A run of the pools; all by default. Repeats.")
@click.option("--top", type=options.Share(), metavar="SHARE", help="Only this share of the runs, the best by AP.")
@options.common
@options.judging
@options.reading
@drawing
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    depths: tuple[int, ...],
    pooled: tuple[str, ...],
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of pools_figure(), and of draw()
) -> None:
    """Means of runs with two depths of the pool, a point for each run, a plot for each measure, with their tau.

    \b
    rankscale figure pools qrels.txt runs/*.gz -o pools.pdf
    rankscale figure pools qrels.txt runs/*.gz -m AP -m nDCG@10 --pool-depths 5,50 -o pools.html
    """
    from rankscale import _core
    from rankscale.figures.pools import MEASURES, pools_figure

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    look = taken(settings)
    wanted = options.measures_asked(measures or MEASURES, {"rel": rel, "gains": gains})
    figure = pools_figure(qrels, list(runs), wanted, depths, pooled=pooled or None, **settings)
    draw(figure, figure.warnings, **look)
