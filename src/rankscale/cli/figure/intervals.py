"""`rankscale figure intervals`: means of measures against those of their interval versions."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.intervals import DEFAULT_MEASURES
from rankscale.cli.terminal import progress_bar


@click.command("intervals")
@options.files
@options.measures
@click.option("--places", is_flag=True, help="Draw places of runs rather than means.")
@options.common
@options.scaling
@options.judging
@options.reading
@drawing
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    places: bool,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of intervals(), and of draw()
) -> None:
    """Means of measures against means of their interval versions, with the runs named that change place most.

    \b
    rankscale figure intervals qrels.txt runs/*.gz -m RR@10 -m 'DCG(base=2)@10' -o intervals.pdf
    rankscale figure intervals qrels.txt runs/*.gz -m AP@10 --places -o places.svg --width 84mm
    """
    from rankscale.figures.intervals import intervals_figure
    from rankscale.studies.intervals import intervals

    options.check_standard_input(qrels, runs)
    look = taken(settings)
    wanted = options.measures_asked(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    with progress_bar("reading and judging", len(runs)) as progress:
        found = intervals(qrels, list(runs), wanted, progress=progress, **settings)
    draw(intervals_figure(found, places=places), found.warnings, **look)
