"""`rankscale leave-out`: what runs would get had they not helped to make the judgments."""

from typing import Any

import click

from rankscale.cli import options, studying
from rankscale.cli.terminal import progress_bar

DEFAULT_MEASURES = ("AP",)


@click.command("leave-out")
@options.files
@options.measures
@click.option("--pool-depth", type=click.IntRange(min=1), default=100, show_default=True, help="How deep the pool was.")
@click.option(
    "--groups",
    type=click.Path(),
    metavar="FILE",
    help="`run group` on each line: leave out groups rather than single runs.",
)
@click.option("--pooled", multiple=True, metavar="NAME", help="A run of the pool; all by default. Repeats.")
@options.common
@options.grading
@options.reading
@studying.writing("runs", "summary")
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    pooled: tuple[str, ...],
    table: str | None,
    form: str | None,
    places: int | None,
    output: str | None,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those that leave_out() takes as they are
) -> None:
    """What each run would get had it not helped to make the judgments.

    The judgments of documents that only this run, or only its group, brought to the pool are taken out, and the runs
    measured again: with and without, the difference, and the run's place then and now. Small differences say that the
    judgments serve new runs too.

    \b
    rankscale leave-out qrels.txt runs/*.gz -m AP --groups groups.txt
    rankscale leave-out qrels.txt runs/*.gz -m AP -m P@10 --pool-depth 50 --table summary
    """
    from rankscale import _core
    from rankscale.studies.leave_out import leave_out

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    form = studying.form_of(form, output, "leave-out")
    wanted = options.measures_asked(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    counted: dict[str, Any] = {} if rel is None else {"rel": rel}
    with progress_bar("judging again", len(runs)) as progress:
        found = leave_out(qrels, list(runs), wanted, pooled=pooled or None, progress=progress, **counted, **settings)
    studying.write(found, form, output, places, table)
