"""Commands of studies, made from what each study declares in its own file; a few check more of what they are given."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, cast

import click

from rankscale.cli import options, values
from rankscale.cli.command import Command, OptionDecorator, declared, together
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.sources import GivenOptions, click_options, declared_command, help_of, result
from rankscale.cli.terminal import tell, warn
from rankscale.data.arguments import Registered, register
from rankscale.errors import READS_AS_RUN, FormatError

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation
    from rankscale.studies.support.study import Study

JUDGES_WITH_RUNS = ("runs", "orders", "pairs", "outcomes")  # tables of `agree` that need runs
OF_TWO_FILES, OF_ONE_FILE = ("matrix", "grades", "counts"), ("assessors", "assessor_pairs")  # its other tables
OF_DOCUMENTS = ("overlap", "pairs", "topics")  # tables of `overlap`
WITHOUT_DEPTH = "required, but with --next or --accuracy as deep as ranks have weight"
NEXT = ("weight", "accuracy", "stop", "per_topic", "missing")  # options of `pool` that go with --next or --accuracy
OF_POOL, OF_NEXT = ("runs", "topics", "unjudged"), ("next", "runs", "topics")  # tables of `pool`
next_judging = together(
    options.option(
        "--next count",
        "List so many unjudged documents, those that leave most of the runs' values open first.",
        options.POSITIVE,
        shown="as many as --accuracy takes",
        metavar="N",
    ),
    options.option(
        "--weight",
        "With --next: measure whose ranks weigh documents, a sum over ranks such as 'RBP(p=0.8)' or DCG@10.",
        shown="RBP",
        metavar="MEASURE",
    ),
    options.option(
        "--accuracy",
        "Stop where the residual, the distance between the bounds of the measure's mean, is below this.",
        values.NUMBER,
        shown="none",
        metavar="A",
    ),
    options.choice(
        "--stop", ("mean", "every"), "With --accuracy: the mean residual of runs, or that of every run.", shown="mean"
    ),
    options.flag("--per-topic", "With --next: on each topic by itself, topic by topic."),
    options.choice(
        "--missing",
        ("zero", "common", "error"),
        "With --next: topics that a run lacks, as empty rankings, left out for all runs, or an error.",
        shown="zero",
    ),
)


def command_of(name: str) -> Command:
    """The command of a study, imported when it runs."""
    return OWN.get(name, study_command)(name)


def study_command(
    name: str,
    *,
    files: OptionDecorator | None = None,
    more: Sequence[OptionDecorator] = (),
    default_table: str = "",
    forms: Sequence[str] = FORMS,
    kind: type[Command] = Command,
    check: Callable[[str | None, GivenOptions], None] = lambda *_: None,
) -> Command:
    """The command of a study: options in, the study's tables out.

    `files` take the place of its arguments, `more` options stand after its own; `check` raises UsageError, before any
    work, for a table and options that do not go together.
    """
    study = declared_command("studies", name)
    arguments, *others = study_options(study, default_table or f"{study.tables[0]}; all in json", forms)

    @declared(name, files or arguments, *others, *more, about=help_of(study), kind=kind)
    def command(writing: Writing, table: str | None, **given: object) -> None:
        check_table(table, study.tables_with, given)
        check(table, given)
        write(result(study, given, together=_together), writing, table)

    return command


def check_diff(table: str | None, given: GivenOptions) -> None:
    """Raise UsageError for the table of documents where there are no rankings."""
    given_values = given["values_in"].given_values
    if table == "documents" and (given_values or given["top_k"] == 0):
        flag = "--values" if given_values else "--top-k 0"
        raise click.UsageError(f"--table documents needs the rankings, and {flag} leaves them out")


def check_overlap(table: str | None, given: GivenOptions) -> None:
    """Raise UsageError for measures without judgments, and for documents of different collections."""
    if given["measures"] and not given["qrels"]:
        raise click.UsageError("--measure is about values, which need judgments: name them with --qrels FILE")
    if table in OF_DOCUMENTS and given["other_qrels"]:
        raise click.UsageError(f"--table {table} does not go with --other-qrels: collections share no rankings")


def check_agree(table: str | None, given: GivenOptions) -> None:
    """Raise UsageError for tables of two files of judgments where there is one, and for what needs runs."""
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


def pool_command(name: str) -> Command:
    """The command of `pool`: judgments made again, what each run contributed to them, or what to judge next."""
    pool = register("studies")[name]
    depth = replace(pool.options["pool_depth"], required=False, default_text=WITHOUT_DEPTH)
    shown = "none: judgments in TREC form, or unjudged without qrels, or next"
    optional_depth = replace(pool, options={**pool.options, "pool_depth": depth})
    _, *own_options = study_options(optional_depth, shown, checked=False)

    @declared(name, options.files_without_qrels, next_judging, *own_options, about=help_of(pool))
    def command(writing: Writing, table: str | None, **given: object) -> None:
        _take_runs(given)
        if given["count"] is not None or given["accuracy"] is not None:
            _write_next(writing, table, given)
        else:
            _write_pool(pool, writing, table, given)

    return command


def _take_runs(given: GivenOptions) -> None:
    """Take the first file as a run where it is one; raise UsageError where no run, or what needs qrels, is left."""
    from rankscale.inputs.read import reads_as_run

    if reads_as_run(given["qrels"]):
        given["runs"] = (given["qrels"], *given["runs"])
        given["qrels"] = None
        for name, flag in (("count", "--next"), ("accuracy", "--accuracy")):
            if given[name] is not None:
                raise click.UsageError(f"{flag} needs qrels, which come first, and the first file is a run")
    elif not given["runs"]:
        raise click.UsageError("Missing argument 'RUN...'.")


def _write_pool(pool: Registered, writing: Writing, table: str | None, given: GivenOptions) -> None:
    """The judgments of the pool in TREC form, or a table."""
    from rankscale.outputs.convert import qrels_lines, write_qrels

    _check_pool(table, given)
    if given["qrels"] is None:
        table = table or "unjudged"
    if table is not None:
        writing.check_form()
    elif writing.cite or any(
        one is not None for one in (writing.written_as, writing.digits, writing.caption, writing.label)
    ):
        raise click.UsageError(
            "--format, --digits, --caption and --label are about tables: say which, as in --table runs"
        )
    made = result(pool, {**given, "list_unjudged": table == "unjudged"})
    if table is not None:
        write(made, writing, table)
    else:
        if writing.output is None or writing.output == "-":
            writing.deliver(qrels_lines(made.qrels))
        else:
            write_qrels(made.qrels, writing.output, "trec")
        warn(made.notices)
    tell(made.sentence())


def _check_pool(table: str | None, given: GivenOptions) -> None:
    """Raise UsageError, before any work, for options of --next without it, and for a missing depth."""
    for name in ("count", *NEXT):
        if given.pop(name):
            raise click.UsageError(f"--{name.replace('_', '-')} goes with --next N or --accuracy A: give one of them")
    if table is not None and table not in OF_POOL:
        raise click.UsageError(f"--table {table} needs --next N or --accuracy A")
    if given["pool_depth"] is None:
        raise click.UsageError(
            "Missing option '--pool-depth': the depth of the pool, such as 100; or give --next N or --accuracy A for "
            "the documents to judge next"
        )


def _write_next(writing: Writing, table: str | None, given: GivenOptions) -> None:
    """The documents to judge next, or a table of residuals."""
    from rankscale.measures.base.parser import Relevance
    from rankscale.studies.next_judgments import next_judgments

    if table is not None and table not in OF_NEXT:
        raise click.UsageError(f"--table {table} does not go with --next and --accuracy: leave one out")
    writing.check_form()
    weight = given.pop("weight") or "RBP"
    weight = "RBP" if weight == "rbp" else weight  # which alone is a name of trec_eval's
    made = next_judgments(
        runs=list(given.pop("runs")),
        weight=options.one_measure(Relevance(given.pop("rel")), weight, "--weight"),
        depth=given.pop("pool_depth"),
        by_topic=given.pop("per_topic"),
        pooled=given.pop("pooled") or None,
        stop=given.pop("stop") or "mean",
        missing=given.pop("missing") or "zero",
        **given,
    )
    write(made, writing, table or "next")
    tell(made.sentence())


assessors = options.flag(
    "--assessors", "Compare the assessors whom the second column of QRELS names; all other files are runs."
)
WITH_HTML = (*FORMS, "html")
OWN: Mapping[str, Callable[[str], Command]] = {  # that are not made as those of all other studies
    "agree": partial(study_command, more=(assessors,), forms=WITH_HTML, kind=AgreeCommand, check=check_agree),
    "diff": partial(study_command, files=options.baseline_and_candidate, forms=WITH_HTML, check=check_diff),
    "gate": lambda _: import_module("rankscale.cli.gate").command,
    "overlap": partial(study_command, default_table="overlap, or pairs of more runs; all in json", check=check_overlap),
    "pool": pool_command,
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
