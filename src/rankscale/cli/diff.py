"""`rankscale diff`: two runs topic by topic, from rankings or from values that were measured before."""

from typing import TYPE_CHECKING, cast

import click

from rankscale.cli import options
from rankscale.cli.command import declared
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.sources import help_of, result
from rankscale.cli.study import check_table, study_options, write
from rankscale.data.declared import register

if TYPE_CHECKING:
    from rankscale.studies.diff import Diff

DIFF = register("studies")["diff"]
_, *own_options = study_options(DIFF, f"{DIFF.tables[0]}; all in json", (*FORMS, "html"))


@declared("diff", options.baseline_and_candidate, *own_options, about=help_of(DIFF))
def command(writing: Writing, table: str | None, **given: object) -> None:
    """Write the differences of two runs."""
    check_table(table, DIFF.tables_with, given)
    values_in = cast("options.ValuesIn", given["values_in"])
    if table == "documents" and (values_in.given_values or given["top_k"] == 0):
        flag = "--values" if values_in.given_values else "--top-k 0"
        raise click.UsageError(f"--table documents needs the rankings, and {flag} leaves them out")
    write(cast("Diff", result(DIFF, given)), writing, table)
