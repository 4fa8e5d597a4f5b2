"""`rankscale figure hasse`: the partial order of all rankings of a length."""

from typing import Any

import click

from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.scale import Grades


@click.command("hasse")
@click.option(
    "-n", "--length", type=click.IntRange(min=1), default=4, show_default=True, metavar="N", help="Of rankings."
)
@click.option("--levels", type=Grades(), default="0,1", show_default=True, help="Grades that documents can have.")
@drawing
def command(length: int, levels: list[float], **look: Any) -> None:  # noqa: ANN401  # the settings of draw()
    """The Hasse diagram of all rankings of a length: which are better than others, whatever the measure.

    \b
    rankscale figure hasse -o hasse.pdf --width 84mm
    rankscale figure hasse --length 3 --levels 0,1,2 -o graded.svg
    """
    from rankscale.figures.hasse import hasse_figure

    draw(hasse_figure(length, levels), **taken(look))
