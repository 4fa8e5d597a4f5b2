"""`rankscale figure spacing`: order and spacing of all rankings of a length."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.figure.scale_values import at_length
from rankscale.cli.scale import Grades

MEASURES = ("P", "AP", "RR", "RBP(p=0.3)", "RBP(p=0.5)", "RBP(p=0.8)", "DCG(base=2)")


@click.command("spacing")
@options.measures
@click.option(
    "-n", "--length", type=click.IntRange(min=1), default=4, show_default=True, metavar="N", help="Of rankings."
)
@click.option("--levels", type=Grades(), default="0,1", show_default=True, help="Grades that documents can have.")
@drawing
def command(
    measures: tuple[str, ...],
    length: int,
    levels: list[float],
    **look: Any,  # noqa: ANN401  # the settings of draw()
) -> None:
    """All rankings of a length, ordered and spaced by measures, beside their equally spaced ranks.

    \b
    rankscale figure spacing -o spacing.pdf
    rankscale figure spacing -m nDCG -m ERR --length 3 --levels 0,1,2 -o graded.svg --width 84mm
    """
    from rankscale.figures.spacing import spacing_figure
    from rankscale.scales.scale import scale

    scales = [scale(at_length(text, length), levels) for text in measures or MEASURES]
    draw(spacing_figure(scales), **taken(look))
