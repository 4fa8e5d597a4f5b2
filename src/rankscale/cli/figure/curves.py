"""`rankscale figure curves`: a measure by rank."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken


@click.command("curves")
@options.files
@options.one_measure("nDCG", "CG, 'DCG(base=2)', nDCG, P, CRP ...: whatever has a value at every rank.")
@click.option("--topic", metavar="T", help="The curves of this topic; by default means over all topics.")
@click.option("--ideal/--no-ideal", default=True, show_default=True, help="Draw the ideal too.")
@click.option(
    "--run", "named", multiple=True, metavar="NAME", help="Name this run's line; the best by default. Repeats."
)
@click.option("--ratio", is_flag=True, help="Means of runs over the mean of the ideal, as in the DCG paper.")
@click.option("--complete", is_flag=True, help="Topics that a run misses count as empty rankings.")
@options.judging
@options.reading
@drawing
def command(
    qrels: str,
    runs: tuple[str, ...],
    measure: str,
    *,
    topic: str | None,
    ideal: bool,
    ratio: bool,
    named: tuple[str, ...],
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of curves(), and of draw()
) -> None:
    """A measure by rank, one line for each run; runs beyond those that can be told apart are grey.

    \b
    rankscale figure curves qrels.txt runs/*.gz -m nDCG -o ndcg.pdf --width 84mm
    rankscale figure curves qrels.txt run.txt -m 'DCG(base=2)' --topic 401 -o dcg.svg
    """
    from rankscale.figures.curves import curves_figure
    from rankscale.tracing.curves import curves
    from rankscale.tracing.result import ALL

    options.check_standard_input(qrels, runs)
    look = taken(settings)
    wanted = options.curves_asked((measure,), {"rel": rel, "gains": gains})
    found = curves(qrels, list(runs), wanted, ideal=ideal or ratio, **settings)
    draw(curves_figure(found, topic or ALL, named or None, ratio=ratio), found.warnings, **look)
