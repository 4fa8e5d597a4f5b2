"""`rankscale overlap`: runs against runs, with judgments or without."""

from typing import TYPE_CHECKING, cast

import click

from rankscale.cli.command import declared
from rankscale.cli.output import Writing
from rankscale.cli.sources import help_of, result
from rankscale.cli.study import check_table, study_options, write
from rankscale.data.declared import register

if TYPE_CHECKING:
    from rankscale.studies.overlap import Overlap

OVERLAP = register("studies")["overlap"]
OF_DOCUMENTS = ("overlap", "pairs", "topics")  # tables


@declared("overlap", *study_options(OVERLAP, "overlap, or pairs of more runs; all in json"), about=help_of(OVERLAP))
def command(writing: Writing, table: str | None, **given: object) -> None:
    """Write how alike the runs are."""
    check_table(table, OVERLAP.tables_with, given)
    if given["measures"] and not given["qrels"]:
        raise click.UsageError("--measure is about values, which need judgments: name them with --qrels FILE")
    if table in OF_DOCUMENTS and given["other_qrels"]:
        raise click.UsageError(f"--table {table} does not go with --other-qrels: collections share no rankings")
    write(cast("Overlap", result(OVERLAP, given)), writing, table)
