"""`rankscale figure asl`: achieved significance levels of all pairs of runs."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.correlate import DEFAULT_MEASURES
from rankscale.cli.discriminate import asking
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.terminal import progress_bar


@click.command("asl")
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
    test: Any,  # noqa: ANN401  # one of two words
    alpha: float,
    top: float | None,
    samples: int,
    seed: int,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of evaluate(), and of draw()
) -> None:
    """Achieved significance levels (ASL) of all pairs of runs, the highest first, a line for each measure.

    The further left a line goes down, the more pairs the measure tells apart; discriminative power (DP) and the
    difference that it takes (delta) stand in a table beside the lines.

    \b
    rankscale figure asl qrels.txt runs/*.gz -m AP -m nDCG@10 -m RR --top 0.75 -o asl.pdf
    rankscale figure asl qrels.txt runs/*.gz -t 'randomised tukey' -o asl.html
    """
    from rankscale import _core
    from rankscale.figures.asl import asl_figure
    from rankscale.studies.discriminate import discriminate
    from rankscale.studies.top import evaluate_top

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    look, shared = taken(settings), {"rel": rel, "gains": gains}
    wanted, (by,) = (options.measures_asked(texts, shared) for texts in (measures or DEFAULT_MEASURES, ("AP",)))
    with progress_bar("reading and judging", len(runs)) as progress:
        found = evaluate_top(qrels, list(runs), wanted, top, by=by, progress=progress, **settings)
    with progress_bar("testing pairs of runs", len(wanted)) as progress:
        made = discriminate(found, test, alpha=alpha, samples=samples, seed=seed, progress=progress)
    draw(asl_figure(made), made.warnings, **look)
