"""What the commands of studies share: which table is asked for, and how it is written."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from rankscale.cli import options
from rankscale.cli.output import chosen_form, deliver
from rankscale.cli.terminal import warn

if TYPE_CHECKING:
    from rankscale.studies.support.study import Study

FORMS = ("table", "tsv", "csv", "json", "jsonl", "parquet", "latex", "markdown")


def writing(*tables: str) -> Callable[[options.Command], options.Command]:
    """Options on what is written of a study, in which form, and where to; the first of its tables is the answer."""
    about = f"Write this table alone: {', '.join(tables)}. By default {tables[0]}, with all others in json."
    asked = click.option("--table", type=click.Choice(tables), help=about)
    return lambda command: asked(options.writing(*FORMS)(command))


def form_of(form: str | None, output: str | None, name: str) -> str:
    """The form asked for, or that of the file's ending; refused before any work if the study cannot be written so."""
    return chosen_form(form, output, f"{name}.parquet", FORMS)


def write(found: "Study", form: str, output: str | None, places: int | None, table: str | None) -> None:
    """Warn, and write the table asked for, or the answer."""
    warn(found.warnings)
    if form == "parquet":
        found.write(str(output), form, table=table)
    else:
        deliver(found.chunks(form, table, places), output)
