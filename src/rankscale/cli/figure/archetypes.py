"""`rankscale figure archetypes`: the kinds of rankings, by the course of their CRP."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.terminal import progress_bar


@click.command("archetypes")
@click.argument("files", metavar="[QRELS RUN...]", nargs=-1, type=click.Path(allow_dash=True))
@options.common
@options.grading_without_gains
@options.cut
@options.reading
@drawing
def command(
    files: tuple[str, ...],
    *,
    rel: float | None,
    **settings: Any,  # noqa: ANN401  # those of archetypes_figure(), and of draw()
) -> None:
    """The archetypes of rankings: one worked ranking of each, or an example of each that occurs in runs.

    Examples from runs are the rankings whose Twist is the median of their archetype; titles tell which share of all
    rankings is of that archetype. See `rankscale archetypes` for what the archetypes are.

    \b
    rankscale figure archetypes -o archetypes.pdf
    rankscale figure archetypes qrels.txt runs/*.gz -o archetypes.svg
    """
    from rankscale.figures.archetypes import archetypes_figure

    look = taken(settings)
    if not files:
        draw(archetypes_figure(), **look)
        return
    qrels, *runs = files
    if not runs:
        raise click.UsageError("give the qrels and at least one run, or neither")
    options.check_standard_input(qrels, tuple(runs))
    with progress_bar("judging", len(runs)) as progress:
        figure = archetypes_figure(qrels, runs, rel=1 if rel is None else rel, progress=progress, **settings)
    draw(figure, figure.warnings, **look)
