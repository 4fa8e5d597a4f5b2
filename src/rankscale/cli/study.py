"""Commands of studies, made from what each study declares in its own file."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

import click

from rankscale.cli import options
from rankscale.cli.command import Command, Option, declared
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.sources import Given, click_options, help_of, result
from rankscale.cli.terminal import warn
from rankscale.data.declared import Registered, register

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation
    from rankscale.studies.support.study import Study


def study_command(name: str) -> Command:
    """The command of a study: options in, the study's tables out."""
    study = register("studies")[name]

    @declared(name, *study_options(study, f"{study.tables[0]}; all in json"), about=help_of(study))
    def command(writing: Writing, table: str | None, **given: object) -> None:
        check_table(table, study.tables_with, given)
        write(cast("Study", result(study, given, together=_together)), writing, table)

    return command


command_of = study_command


def _together(studies: Mapping[str, object]) -> "Study":
    from rankscale.studies.support.collections import together

    return together(cast("Mapping[str, Study]", studies))


def study_options(
    study: Registered, default_table: str, forms: Sequence[str] = FORMS, *, checked: bool = True
) -> list[Option]:
    """All options of a study's command."""
    table = options.option("--table", "Write this table alone.", click.Choice(study.tables), shown=default_table)
    return [*click_options(study), table, options.writing(forms, f"{study.name}.parquet", checked=checked)]


def check_table(table: str | None, conditions: Mapping[str, str], given: Given) -> None:
    """Raise UsageError, before any work, for a table that the other options leave out."""
    condition = conditions.get(table, "") if table else ""
    option = condition.removeprefix("!")
    if not option or bool(given[option]) != condition.startswith("!"):
        return
    arguments = {
        param.name for param in click.get_current_context().command.params if isinstance(param, click.Argument)
    }
    flag = "QRELS RUN..." if option in arguments else f"--{option.replace('_', '-')}"
    raise click.UsageError(
        f"--table {table} does not go with {flag}: leave one out"
        if condition.startswith("!")
        else f"--table {table} needs {flag}"
    )


def write(made: "Study", writing: Writing, table: str | None) -> None:
    """Warn, and write the table named, or the answer."""
    warn(made.notices)
    evaluation: Evaluation | None = getattr(made, "evaluation", None)  # which not all studies have
    writing.citing(evaluation.measures if evaluation else ()).write_result(made, table or made.chosen_table)
