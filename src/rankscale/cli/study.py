"""Commands of studies, made from what each study declares in its own file; a few check more of what they are given."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

import click

from rankscale.cli import options
from rankscale.cli.command import Command, OptionDecorator, declared
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.sources import GivenOptions, click_options, declared_command, help_of, result
from rankscale.cli.terminal import warn
from rankscale.data.arguments import Registered, register
from rankscale.errors import READS_AS_RUN, FormatError

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation
    from rankscale.studies.support.study import Study

JUDGES_WITH_RUNS = ("runs", "orders", "pairs", "outcomes")  # tables of `agree` that need runs
OF_TWO_FILES, OF_ONE_FILE = ("matrix", "grades", "counts"), ("assessors", "assessor_pairs")  # its other tables
OF_DOCUMENTS = ("overlap", "pairs", "topics")  # tables of `overlap`


def command_of(name: str) -> Command:
    """The command of a study, imported when it runs."""
    return OWN.get(name, study_command)(name)


def study_command(name: str) -> Command:
    """The command of a study: options in, the study's tables out."""
    study = declared_command("studies", name)

    @declared(name, *study_options(study, f"{study.tables[0]}; all in json"), about=help_of(study))
    def command(writing: Writing, table: str | None, **given: object) -> None:
        check_table(table, study.tables_with, given)
        write(cast("Study", result(study, given, together=_together)), writing, table)

    return command


def diff_command(name: str) -> Command:
    """The command of `diff`: two runs topic by topic, from rankings or from values that were measured before."""
    diff = register("studies")[name]
    _, *own_options = study_options(diff, f"{diff.tables[0]}; all in json", (*FORMS, "html"))

    @declared(name, options.baseline_and_candidate, *own_options, about=help_of(diff))
    def command(writing: Writing, table: str | None, **given: object) -> None:
        check_table(table, diff.tables_with, given)
        values_in = cast("options.ValuesIn", given["values_in"])
        if table == "documents" and (values_in.given_values or given["top_k"] == 0):
            flag = "--values" if values_in.given_values else "--top-k 0"
            raise click.UsageError(f"--table documents needs the rankings, and {flag} leaves them out")
        write(cast("Study", result(diff, given)), writing, table)

    return command


def overlap_command(name: str) -> Command:
    """The command of `overlap`: runs against runs, with judgments or without."""
    overlap = register("studies")[name]

    @declared(name, *study_options(overlap, "overlap, or pairs of more runs; all in json"), about=help_of(overlap))
    def command(writing: Writing, table: str | None, **given: object) -> None:
        check_table(table, overlap.tables_with, given)
        if given["measures"] and not given["qrels"]:
            raise click.UsageError("--measure is about values, which need judgments: name them with --qrels FILE")
        if table in OF_DOCUMENTS and given["other_qrels"]:
            raise click.UsageError(f"--table {table} does not go with --other-qrels: collections share no rankings")
        write(cast("Study", result(overlap, given)), writing, table)

    return command


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
            if given is not None and error.kind == READS_AS_RUN:
                error.args = (f"{error}\nassessors of one file, and runs: rankscale agree --assessors QRELS RUN...",)
            raise


def agree_command(name: str) -> Command:
    """The command of `agree`: two sets of judgments, or the assessors of one, and what they say about runs."""
    agree = register("studies")[name]

    @declared(
        name,
        *study_options(agree, f"{agree.tables[0]}; all in json", (*FORMS, "html")),
        options.flag(
            "--assessors", "Compare the assessors whom the second column of QRELS names; all other files are runs."
        ),
        kind=AgreeCommand,
        about=help_of(agree),
    )
    def command(writing: Writing, table: str | None, **given: object) -> None:
        two = given["qrels_b"] is not None
        if table in (OF_ONE_FILE if two else OF_TWO_FILES):
            of = "the assessors of one file: leave the second file out" if two else "two files of qrels: give both"
            raise click.UsageError(f"--table {table} is about {of}")
        if not given["runs"]:
            where = "give RUN... after the two files of qrels, or after --assessors QRELS"
            if table in JUDGES_WITH_RUNS:
                raise click.UsageError(f"--table {table} is about runs: {where}")
            if given["measures"]:
                raise click.UsageError(f"--measure is about runs: {where}")
        write(cast("Study", result(agree, given)), writing, table)

    return command


OWN: Mapping[str, Callable[[str], Command]] = {
    "agree": agree_command,
    "diff": diff_command,
    "overlap": overlap_command,
}


def _together(studies: Mapping[str, object]) -> "Study":
    from rankscale.studies.support.study import together

    return together(cast("Mapping[str, Study]", studies))


def study_options(
    study: Registered, default_table: str, forms: Sequence[str] = FORMS, *, checked: bool = True
) -> list[OptionDecorator]:
    """All options of a study's command."""
    table = options.option("--table", "Write this table alone.", click.Choice(study.tables), shown=default_table)
    return [*click_options(study), table, options.writing(forms, f"{study.name}.parquet", checked=checked)]


def check_table(table: str | None, conditions: Mapping[str, str], given: GivenOptions) -> None:
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
