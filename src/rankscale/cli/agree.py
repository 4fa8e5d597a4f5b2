"""`rankscale agree`: two sets of judgments, or the assessors of one, and what they say about runs."""

from typing import TYPE_CHECKING, cast

import click

from rankscale.cli import options
from rankscale.cli.command import Command, declared
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.sources import help_of, result
from rankscale.cli.study import study_options, write
from rankscale.data.declared import register
from rankscale.errors import FormatError

if TYPE_CHECKING:
    from rankscale.studies.support.study import Study

AGREE = register("studies")["agree"]
WITH_RUNS = ("runs", "orders", "pairs", "outcomes")  # tables that need runs
OF_TWO = ("matrix", "grades", "counts")  # tables of two files
OF_ONE = ("assessors", "assessor_pairs")  # tables of the assessors of one file


class AgreeCommand(Command):
    """A command whose second file is a run where the assessors of the first are compared."""

    def invoke(self, ctx: click.Context) -> object:
        """Take all files but the first as runs, with --assessors."""
        if ctx.params.pop("assessors") and ctx.params["qrels_b"] is not None:
            ctx.params["runs"] = (ctx.params["qrels_b"], *ctx.params["runs"])
            ctx.params["qrels_b"] = None
        given = ctx.params["qrels_b"]
        try:
            return super().invoke(ctx)
        except FormatError as error:
            if given is not None and "this is a run" in str(error):
                error.args = (f"{error}\nassessors of one file, and runs: rankscale agree --assessors QRELS RUN...",)
            raise


@declared(
    "agree",
    *study_options(AGREE, f"{AGREE.tables[0]}; all in json", (*FORMS, "html")),
    options.flag(
        "--assessors", "Compare the assessors whom the second column of QRELS names; all other files are runs."
    ),
    kind=AgreeCommand,
    about=help_of(AGREE),
)
def command(writing: Writing, table: str | None, **given: object) -> None:
    """Write how far judges agree."""
    two = given["qrels_b"] is not None
    if table in (OF_ONE if two else OF_TWO):
        of = "the assessors of one file: leave the second file out" if two else "two files of qrels: give both"
        raise click.UsageError(f"--table {table} is about {of}")
    if not given["runs"]:
        where = "give RUN... after the two files of qrels, or after --assessors QRELS"
        if table in WITH_RUNS:
            raise click.UsageError(f"--table {table} is about runs: {where}")
        if given["measures"]:
            raise click.UsageError(f"--measure is about runs: {where}")
    write(cast("Study", result(AGREE, given)), writing, table)
