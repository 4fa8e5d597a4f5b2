"""`rankscale pool`: the judgments of a pool made again, or what each run contributed to it."""

from typing import TYPE_CHECKING, cast

import click

from rankscale.cli.command import declared
from rankscale.cli.output import Writing
from rankscale.cli.sources import help_of, result
from rankscale.cli.study import study_options, write
from rankscale.cli.terminal import printable, warn
from rankscale.data.declared import register

if TYPE_CHECKING:
    from rankscale.studies.pooling import Pool

POOL = register("studies")["pool"]


@declared("pool", *study_options(POOL, "none: judgments in TREC form"), about=help_of(POOL))
def command(writing: Writing, table: str | None, **given: object) -> None:
    """Write the judgments of the pool, or one of its tables; what it holds goes to standard error."""
    from rankscale.formats.write.qrels import qrels_lines, write_qrels

    if table is not None:
        writing.form  # noqa: B018  # refused before any work
    elif writing.written_as is not None or writing.digits is not None:
        raise click.UsageError("--format and --digits are about tables: say which, as in --table runs")
    made = cast("Pool", result(POOL, {**given, "list_unjudged": table == "unjudged"}))
    if table is not None:
        write(made, writing, table)
    else:
        if writing.output is None or writing.output == "-":
            writing.deliver(qrels_lines(made.qrels))
        else:
            write_qrels(made.qrels, writing.output)
        warn(made.notices)
    click.echo(printable(made.sentence()), err=True)
