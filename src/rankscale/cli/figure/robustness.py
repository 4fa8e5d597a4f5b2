"""`rankscale figure robustness`: how far the order of runs holds with fewer judgments."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.robustness import DEFAULT_MEASURES, asking
from rankscale.cli.terminal import progress_bar


@click.command("robustness")
@options.files
@options.measures
@asking
@options.common
@options.judging
@options.reading
@drawing
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    sizes: tuple[float, ...] | None,
    iterations: int,
    pooled: tuple[str, ...],
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of robustness(), and of draw()
) -> None:
    """Tau between the order of runs with fewer judgments and with all of them, a line for each measure.

    All judgments are on the left; bars are a standard deviation over iterations, up and down.

    \b
    rankscale figure robustness qrels.txt runs/*.gz -m AP -m Bpref -m Twist --top 0.75 -o robustness.pdf
    rankscale figure robustness qrels.txt runs/*.gz --sampling depth -o depth.svg --width 84mm
    """
    from rankscale import _core
    from rankscale.figures.robustness import robustness_figure
    from rankscale.studies.robustness import robustness

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    look = taken(settings)
    wanted = options.measures_asked(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    of_samples: dict[str, Any] = {} if rel is None else {"rel": rel}
    with progress_bar("judging again", iterations * len(sizes or range(5))) as progress:
        found = robustness(
            qrels,
            list(runs),
            wanted,
            sizes=sizes or None,
            iterations=iterations,
            pooled=pooled or None,
            progress=progress,
            **of_samples,
            **settings,
        )
    draw(robustness_figure(found), found.warnings, **look)
