"""`rankscale effort-gain`: what a gain costs in effort."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.studying import form_of, write, writing
from rankscale.cli.terminal import progress_bar


@click.command("effort-gain")
@options.files
@options.measures
@click.option(
    "--effort", default="Twist", show_default=True, metavar="MEASURE", help="The measure of effort: 'Twist@100' ..."
)
@click.option(
    "--area",
    metavar="AREA",
    help="List the points of an area (diagonal, high-high, gray, below, top) or quadrant ('huge gain at low effort').",
)
@options.common
@options.judging
@options.reading
@writing("areas", "grid", "quadrants", "runs", "points")
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    effort: str,
    area: str | None,
    common: bool,
    form: str | None,
    places: int | None,
    output: str | None,
    table: str | None,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those that evaluate() takes as they are
) -> None:
    """What a gain costs in effort: each ranking is a point, its Twist against a measure of gain (-m, by default AP).

    Table are quarters of the gain, columns the effort. Of rankings in the high-high quadrants the gain alone tells only
    the good half.

    \b
    rankscale effort-gain qrels.txt runs/*.gz
    rankscale effort-gain qrels.txt runs/*.gz -m AP -m 'RBP(p=0.8)' -m 'nDCG(base=10,gains=[0,5,10])'
    rankscale effort-gain qrels.txt runs/*.gz --area 'huge gain at huge effort'
    """
    from rankscale import _core
    from rankscale.evaluation.evaluate import evaluate
    from rankscale.studies.effort_gain import checked_area, effort_gain

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    form = form_of(form, output, "effort-gain")
    listed = None if area is None else checked_area(area)
    if listed is not None and table not in (None, "points"):
        raise click.UsageError(f"--area lists points, and --table {table} asks for another table: leave one out")
    shared = {"rel": rel, "gains": gains}
    gained = options.measures_asked(measures or ("AP",), shared)
    cost, *others = options.measures_asked((effort,), shared)
    if others:
        raise click.UsageError(f"--effort is one measure, and {effort} names {1 + len(others)}")
    with progress_bar("reading and judging", len(runs)) as progress:
        asked = list(dict.fromkeys([*gained, cost]))
        found = evaluate(qrels, list(runs), asked, complete=not common, progress=progress, **settings)
    study = effort_gain(found.common() if common else found, gained, cost)
    if listed is not None:
        study, table = study.within(listed), table or "points"
    write(study, form, output, places, table)
