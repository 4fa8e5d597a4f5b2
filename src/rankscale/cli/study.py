"""Commands of studies, made from what each study declares in its own file."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

import click

from rankscale.cli import options
from rankscale.cli.command import Command, Option, declared
from rankscale.cli.output import FORMS, chosen_form, deliver
from rankscale.cli.sources import Given, click_options, result
from rankscale.cli.terminal import warn
from rankscale.data.declared import register

if TYPE_CHECKING:
    from rankscale.studies.support.study import Study


def study_command(name: str) -> Command:
    """The command of a study: options in, the study's tables out."""
    study = register("studies")[name]
    tables = table_option(*study.tables)

    @declared(name, *click_options(study), tables, options.writing(*FORMS), about=study.about, examples=study.examples)
    def command(
        written_as: str | None, digits: int | None, output: str | None, table: str | None, **given: object
    ) -> None:
        form = chosen_form(written_as, output, f"{name}.parquet", FORMS)
        _check_table(table, study.tables, given)
        made = cast("Study", result(study, given))
        write(made, form, output, digits, table)

    return command


command_of = study_command


def table_option(*tables: str) -> Option:
    """Which table of a study is written; the first is its answer."""
    return click.option(
        "--table",
        type=click.Choice(tables),
        show_default=f"{tables[0]}; all in json",
        help="Write this table alone.",
    )


def _check_table(table: str | None, tables: Mapping[str, str], given: Given) -> None:
    """Raise UsageError, before any work, for a table that the other options leave out."""
    condition = tables[table] if table else ""
    option = condition.removeprefix("!")
    if not option or bool(given[option]) != condition.startswith("!"):
        return
    flag = f"--{option.replace('_', '-')}"
    raise click.UsageError(
        f"--table {table} does not go with {flag}: leave one out"
        if condition.startswith("!")
        else f"--table {table} needs {flag}"
    )


def write(made: "Study", form: str, output: str | None, digits: int | None, table: str | None) -> None:
    """Warn, and write the table named, or the answer."""
    warn(made.notices)
    table = table or made.chosen_table
    if form == "parquet":
        made.write(str(output), form, table=table)
    else:
        deliver(made.chunks(form, table, digits), output)
