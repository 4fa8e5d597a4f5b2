"""`rankscale bounds`: how much unjudged documents leave open in RBP, and what judging them would cost."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.studying import form_of, write, writing
from rankscale.cli.terminal import progress_bar


@click.command("bounds")
@options.files
@click.option(
    "-p", "--persistence", "p", type=options.Numbers(), default="0.5,0.8,0.95", show_default=True, help="p of RBP."
)
@click.option(
    "--depths",
    type=options.Numbers(whole=True),
    default="1,2,5,10,20,50,100,200,500,1000",
    show_default=True,
    help="Of rankings, for the table depths.",
)
@click.option(
    "--grid",
    type=options.Numbers(),
    default="0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.85,0.9,0.95",
    show_default=True,
    help="More p, for the table persistence.",
)
@click.option(
    "--pool-depths",
    type=options.Numbers(whole=True),
    default="10,100",
    show_default=True,
    help="Judgments of these pools of the runs too; '' for none.",
)
@click.option(
    "--accuracy",
    type=options.Numbers(),
    default="0.0001",
    show_default=True,
    help="Tell what it costs to leave less than this open; '' for none.",
)
@options.common
@options.relevance
@options.gains
@options.grades
@options.reading
@writing("bounds", "depths", "persistence", "cost", "supports")
def command(
    qrels: str,
    runs: tuple[str, ...],
    *,
    form: str | None,
    places: int | None,
    output: str | None,
    table: str | None,
    rel: float | None,
    **settings: Any,  # noqa: ANN401  # those that bounds() takes as they are
) -> None:
    """How much unjudged documents leave open in rank-biased precision (RBP), and what judging them would cost.

    \b
    rankscale bounds qrels.txt runs/*.gz
    rankscale bounds qrels.txt runs/*.gz -p 0.9 --accuracy 0.01,0.001 --table cost
    rankscale bounds qrels.txt run.gz --table depths -o depths.tsv
    """
    from rankscale import _core
    from rankscale.studies.bounds import bounds

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    form = form_of(form, output, "bounds")
    with progress_bar("reading and judging", len(runs)) as progress:
        found = bounds(qrels, list(runs), rel=1 if rel is None else rel, progress=progress, **settings)
    write(found, form, output, places, table)
