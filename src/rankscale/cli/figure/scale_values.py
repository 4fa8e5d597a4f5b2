"""`rankscale figure values`: all values that measures take."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.scale import Grades

MEASURES = ("P", "RBP(p=0.5)", "RR")
LENGTHS = (5, 10, 20, 30)


@click.command("values")
@options.measures
@click.option(
    "-n",
    "--length",
    "lengths",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="N",
    help="Of rankings, for measures without a depth of their own; 5, 10, 20 and 30 by default. Repeats.",
)
@click.option("--levels", type=Grades(), default="0,1", show_default=True, help="Grades that documents can have.")
@click.option(
    "--by",
    type=click.Choice(["rankings", "values"]),
    default="rankings",
    show_default=True,
    help="What stands side by side: all rankings, or distinct values, where a straight line is an interval scale.",
)
@drawing
def command(
    measures: tuple[str, ...],
    lengths: tuple[int, ...],
    levels: list[float],
    by: Any,  # noqa: ANN401  # one of two words
    **look: Any,  # noqa: ANN401  # the settings of draw()
) -> None:
    """All values of measures over the rankings of a length, in ascending order; by default P, RBP(p=0.5) and RR.

    \b
    rankscale figure values -o values.pdf
    rankscale figure values -m 'DCG(base=2)' -m 'DCG(base=10)' --by values -o dcg.svg
    """
    from rankscale.figures.scale_values import scale_values_figure
    from rankscale.scales.scale import scale

    wanted = [
        at_length(text, length)
        for text in measures or MEASURES
        for length in ((0,) if "@" in text else lengths or LENGTHS)
    ]
    draw(scale_values_figure([scale(measure, levels) for measure in wanted], by), **taken(look))


def at_length(text: str, length: int) -> str:
    """A measure with its own depth, or else that of rankings of this length."""
    return text if "@" in text else f"{text}@{length}"
