"""`rankscale figure means`: how the means of runs are spread, measure by measure."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.correlate import DEFAULT_MEASURES
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.terminal import progress_bar


@click.command("means")
@options.files
@options.measures
@options.common
@options.judging
@options.reading
@drawing
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    common: bool,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of evaluate(), and of draw()
) -> None:
    """A box plot of the runs' means for each measure, with the runs as points, the best and the worst named.

    \b
    rankscale figure means qrels.txt runs/*.gz -m AP -m nDCG@10 -m Twist -o means.pdf --width 84mm
    """
    from rankscale.evaluation.evaluate import evaluate
    from rankscale.figures.means import means_figure

    options.check_standard_input(qrels, runs)
    look = taken(settings)
    wanted = options.measures_asked(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    with progress_bar("reading and judging", len(runs)) as progress:
        found = evaluate(qrels, list(runs), wanted, complete=not common, progress=progress, **settings)
    found = found.common() if common else found
    draw(means_figure(found), found.warnings, **look)
