"""`rankscale figure bounds`: what unjudged documents leave open in RBP."""

from typing import Any, Literal

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.terminal import progress_bar

GRID = tuple(round(0.05 * step, 2) for step in range(1, 20))


@click.command("bounds")
@options.files
@click.option("--by", type=click.Choice(["depth", "p"]), default="depth", show_default=True, help="What goes across.")
@click.option(
    "--run",
    "named",
    multiple=True,
    metavar="NAME",
    help="Draw this run; by default the best, or the best two by p. Repeats.",
)
@click.option(
    "-p", "--persistence", "p", type=options.Numbers(), default="0.5,0.8,0.95", show_default=True, help="p of RBP."
)
@click.option(
    "--depths",
    type=options.Numbers(whole=True),
    default="1,2,3,4,5,7,10,15,20,30,50,70,100,200,500,1000",
    show_default=True,
    help="Of rankings, with --by depth.",
)
@click.option("--grid", type=options.Numbers(), help="Values of p, with --by p; 0.05, 0.1 ... 0.95 by default.")
@click.option(
    "--pool-depths",
    type=options.Numbers(whole=True),
    default="10,100",
    show_default=True,
    help="Judgments of these pools of the runs; '' for all judgments.",
)
@options.common
@options.relevance
@options.gains
@options.grades
@options.reading
@drawing
def command(
    qrels: str,
    runs: tuple[str, ...],
    *,
    by: Literal["depth", "p"],
    named: tuple[str, ...],
    depths: tuple[int, ...],
    grid: tuple[float, ...] | None,
    rel: float | None,
    **settings: Any,  # noqa: ANN401  # those of bounds(), and of draw()
) -> None:
    """Bands between the lower and the upper bound of rank-biased precision (RBP), means over topics.

    By depth, a plot for each run and pool with a band for each p; by p, a plot for each run with a band for each pool.
    Pools are of all runs given, drawn or not.

    \b
    rankscale figure bounds qrels.txt runs/*.gz --run bm25 -o depth.pdf
    rankscale figure bounds qrels.txt runs/*.gz --run bm25 --run dense --by p -o persistence.pdf
    """
    from rankscale import _core
    from rankscale.figures.bounds import bounds_figure
    from rankscale.studies.bounds import bounds

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    look = taken(settings)
    across: dict[str, Any] = {"depths": depths, "grid": ()} if by == "depth" else {"depths": (), "grid": grid or GRID}
    with progress_bar("reading and judging", len(runs)) as progress:
        found = bounds(
            qrels, list(runs), rel=1 if rel is None else rel, accuracy=(), progress=progress, **across, **settings
        )
    draw(bounds_figure(found, by, named or None), found.warnings, **look)
