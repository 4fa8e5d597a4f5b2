"""`rankscale figure indicators`: what CRP says of a run, topic by topic."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken


@click.command("indicators")
@click.argument("qrels", metavar="QRELS", type=click.Path(allow_dash=True))
@click.argument("run", metavar="RUN", type=click.Path(allow_dash=True))
@click.option(
    "--topic",
    "named",
    multiple=True,
    metavar="T",
    help="Name this topic's line, at most seven; by default those with the highest and the lowest rho. Repeats.",
)
@click.option("--complete", is_flag=True, help="Topics that the run misses count as empty rankings.")
@options.grading_without_gains
@options.cut
@options.reading
@drawing
def command(
    qrels: str,
    run: str,
    *,
    named: tuple[str, ...],
    rel: float | None,
    **settings: Any,  # noqa: ANN401  # those of indicators_figure(), and of draw()
) -> None:
    """Parallel coordinates of a run: recall base and rho_w of each topic, and the four indicators of its CRP.

    rho is RB over the balance point, b_ratio how much sooner than the full scale CRP balances, CRP_min how much less it
    falls, CRP_N how much lower it ends (above 1 where it ends below 0). rho_w is the rho of the full scale.

    \b
    rankscale figure indicators qrels.txt run.txt -o indicators.pdf
    rankscale figure indicators qrels.txt run.txt --topic 403 --topic 421 -o indicators.html
    """
    from rankscale.figures.indicators import indicators_figure

    options.check_standard_input(qrels, (run,))
    look = taken(settings)
    figure = indicators_figure(qrels, run, named=named or None, rel=1 if rel is None else rel, **settings)
    draw(figure, figure.warnings, **look)
