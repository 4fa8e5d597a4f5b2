"""`rankscale figure crp`: the cumulated relative position of one ranking."""

from functools import reduce
from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.options import Command

RANKING = (
    click.argument("qrels", metavar="QRELS", type=click.Path(allow_dash=True)),
    click.argument("run", metavar="RUN", type=click.Path(allow_dash=True)),
    click.option("--topic", required=True, metavar="T", help="The topic whose ranking is drawn."),
    click.option(
        "--last",
        type=click.IntRange(min=2),
        metavar="RANK",
        help="Draw down to this rank; by default to 2RB, or to the last relevant document.",
    ),
)


def one_ranking(command: Command) -> Command:
    """The files, the topic, and how far down its ranking is drawn."""
    return reduce(lambda wrapped, option: option(wrapped), reversed(RANKING), command)


@click.command("crp")
@one_ranking
@options.grading_without_gains
@options.cut
@options.reading
@drawing
def command(
    qrels: str,
    run: str,
    *,
    rel: float | None,
    **settings: Any,  # noqa: ANN401  # those of crp_figure(), and of draw()
) -> None:
    """The cumulated relative position (CRP) of one ranking, and under it the bar of relative positions.

    CRP falls where documents stand that belong further down, and rises with relevant ones that come too late. Marked
    are the recall base (RB), where CRP is lowest (turn-around point) and where it comes back to 0 (balance point). The
    full scale is the ideal ranking reversed, at the end of the ranks. In the bar, a cell stands for each rank: too
    late, in place, or too early; of more than 80 ranks, neighbours of one kind are one cell.

    \b
    rankscale figure crp qrels.txt run.txt --topic 401 -o crp.pdf --width 84mm
    rankscale figure crp qrels.txt run.txt --topic 401 --last 50 --palette papers -o crp.html
    """
    from rankscale.figures.crp import crp_figure

    options.check_standard_input(qrels, (run,))
    look = taken(settings)
    figure = crp_figure(qrels, run, rel=1 if rel is None else rel, **settings)
    draw(figure, figure.warnings, **look)
