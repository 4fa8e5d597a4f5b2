"""`rankscale figure effort-gain`: what a gain costs in effort."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.terminal import progress_bar


@click.command("effort-gain")
@options.files
@options.one_measure("AP", "The measure of gain: AP, 'RBP(p=0.8)', nDCG ...")
@click.option(
    "--effort", default="Twist", show_default=True, metavar="MEASURE", help="The measure of effort: 'Twist@100' ..."
)
@options.common
@options.judging
@options.reading
@drawing
def command(
    qrels: str,
    runs: tuple[str, ...],
    measure: str,
    *,
    effort: str,
    common: bool,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of evaluate(), and of draw()
) -> None:
    """Each ranking a point, its Twist against a measure of gain, in sixteen quadrants from much effort to much gain.

    As a page (.html) points can be brushed, and one run shown alone.

    \b
    rankscale figure effort-gain qrels.txt runs/*.gz -o effort.html
    rankscale figure effort-gain qrels.txt runs/*.gz -m 'RBP(p=0.8)' -o effort.pdf --width 84mm
    """
    from rankscale.evaluation.evaluate import evaluate
    from rankscale.figures.effort_gain import effort_gain_figure
    from rankscale.studies.effort_gain import effort_gain

    options.check_standard_input(qrels, runs)
    look = taken(settings)
    shared = {"rel": rel, "gains": gains}
    (gain,) = options.measures_asked((measure,), shared)
    (cost,) = options.measures_asked((effort,), shared)
    with progress_bar("reading and judging", len(runs)) as progress:
        asked = list(dict.fromkeys([gain, cost]))
        found = evaluate(qrels, list(runs), asked, complete=not common, progress=progress, **settings)
    study = effort_gain(found.common() if common else found, gain, cost)
    draw(effort_gain_figure(study), study.warnings, **look)
