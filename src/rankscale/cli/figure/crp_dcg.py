"""`rankscale figure crp-dcg`: CRP and DCG of one ranking."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.crp import one_ranking
from rankscale.cli.figure.drawing import draw, drawing, taken


@click.command("crp-dcg")
@one_ranking
@click.option(
    "-m",
    "--measure",
    default="DCG(base=2)",
    show_default=True,
    metavar="DCG",
    help="The discount and the gains, as in 'DCG(base=2,gains=[-1,1,2,3],unjudged=-1)'.",
)
@options.judging
@options.reading
@drawing
def command(
    qrels: str,
    run: str,
    measure: str,
    *,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of crp_dcg_figure(), and of draw()
) -> None:
    """Where the documents of a ranking stand (CRP), and what they gain (DCG), over one axis of ranks.

    The bar under DCG is the gain of the document at each rank less that of the ideal ranking there, both discounted.

    \b
    rankscale figure crp-dcg qrels.txt run.txt --topic 401 -o both.pdf
    rankscale figure crp-dcg qrels.txt run.txt --topic 351 -m 'DCG(base=2,gains=[-1,1,2,3],unjudged=-1)' -o both.html
    """
    from rankscale.figures.crp_dcg import crp_dcg_figure

    options.check_standard_input(qrels, (run,))
    look = taken(settings)
    wanted = options.measures_asked((measure,), {"rel": rel, "gains": gains})
    if len(wanted) != 1:
        raise click.UsageError(f"one measure is drawn, got {len(wanted)}")
    figure = crp_dcg_figure(qrels, run, measure=wanted[0], rel=1 if rel is None else rel, **settings)
    draw(figure, figure.warnings, **look)
