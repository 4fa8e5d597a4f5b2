"""`rankscale figure topics`: one measure, run by run and topic by topic."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.terminal import progress_bar


@click.command("topics")
@options.files
@options.one_measure("AP", "AP, nDCG@10, 'RBP(p=0.9)' ...")
@click.option(
    "--topics-by",
    type=click.Choice(["mean", "name"]),
    default="mean",
    show_default=True,
    help="The order of topics: the easiest first, or by name.",
)
@click.option("--complete", is_flag=True, help="Topics that a run misses count as empty rankings.")
@options.judging
@options.reading
@drawing
def command(
    qrels: str,
    runs: tuple[str, ...],
    measure: str,
    *,
    topics_by: str,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of evaluate(), and of draw()
) -> None:
    """A heat map of one measure: runs down, the best first, topics across, the easiest first.

    \b
    rankscale figure topics qrels.txt runs/*.gz -m nDCG@10 -o topics.pdf
    rankscale figure topics qrels.txt runs/*.gz --topics-by name -o topics.html
    """
    from rankscale.evaluation.evaluate import evaluate
    from rankscale.figures.topics import topics_figure

    options.check_standard_input(qrels, runs)
    look = taken(settings)
    (wanted,) = options.measures_asked((measure,), {"rel": rel, "gains": gains})
    with progress_bar("reading and judging", len(runs)) as progress:
        found = evaluate(qrels, list(runs), wanted, progress=progress, **settings)
    draw(topics_figure(found, order=topics_by), found.warnings, **look)
