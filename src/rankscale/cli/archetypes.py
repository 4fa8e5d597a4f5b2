"""`rankscale archetypes`: which kinds of rankings runs give."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.studying import form_of, write, writing
from rankscale.cli.terminal import progress_bar


@click.command("archetypes")
@options.files
@options.common
@options.grading_without_gains
@click.option(
    "--depth", type=click.IntRange(min=1), default=1000, show_default=True, metavar="K", help="Cut every ranking at K."
)
@options.reading
@writing("collection", "merged", "runs", "topics", "rankings")
def command(
    qrels: str,
    runs: tuple[str, ...],
    *,
    form: str | None,
    places: int | None,
    output: str | None,
    table: str | None,
    rel: float | None,
    **settings: Any,  # noqa: ANN401  # those that archetypes() takes as they are
) -> None:
    """Which kinds of rankings runs give, by the course of their cumulated relative position (CRP).

    Worst retrieves nothing relevant, ideal all of it in the best order, full scale in the worst. Excellent A: all
    relevant documents come first, in any order. Typical A: CRP falls, and comes back to 0 below rank RB, the number of
    relevant documents. Typical B: it never comes back. Ups and downs: it comes back earlier, and falls again.
    Excellent B: it comes back earlier, and does not.

    \b
    rankscale archetypes qrels.txt runs/*.gz
    rankscale archetypes qrels.txt runs/*.gz --depth 100 --rel 2 --table runs
    """
    from rankscale import _core
    from rankscale.studies.archetypes import archetypes

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    form = form_of(form, output, "archetypes")
    with progress_bar("reading and judging", len(runs)) as progress:
        found = archetypes(qrels, list(runs), rel=1 if rel is None else rel, progress=progress, **settings)
    write(found, form, output, places, table)
