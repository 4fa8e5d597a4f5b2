"""`rankscale agree`: two sets of judgments, and what they say about runs."""

from typing import TYPE_CHECKING, cast

import click

from rankscale.cli.command import declared
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.sources import help_of, result
from rankscale.cli.study import study_options, write
from rankscale.data.declared import register

if TYPE_CHECKING:
    from rankscale.studies.agree import Agree

AGREE = register("studies")["agree"]
WITH_RUNS = ("runs", "orders", "pairs", "outcomes")  # tables that need runs


@declared("agree", *study_options(AGREE, f"{AGREE.tables[0]}; all in json", (*FORMS, "html")), about=help_of(AGREE))
def command(writing: Writing, table: str | None, **given: object) -> None:
    """Write how far two judges agree."""
    writing.form  # noqa: B018  # refused before any work
    if not given["runs"]:
        if table in WITH_RUNS:
            raise click.UsageError(f"--table {table} is about runs: give RUN... after the two files of qrels")
        if given["measures"]:
            raise click.UsageError("--measure is about runs: give RUN... after the two files of qrels")
    write(cast("Agree", result(AGREE, given)), writing, table)
