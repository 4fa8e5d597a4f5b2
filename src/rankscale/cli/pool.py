"""`rankscale pool`: the judgments of a pool made again, what each run contributed to it, or what to judge next."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import click

from rankscale.cli import options, values
from rankscale.cli.command import declared, together
from rankscale.cli.output import Writing
from rankscale.cli.sources import GivenOptions, help_of, result
from rankscale.cli.study import study_options, write
from rankscale.cli.terminal import tell, warn
from rankscale.data.arguments import register

if TYPE_CHECKING:
    from rankscale.studies.next_judgments import NextJudgments
    from rankscale.studies.pooling import Pool

POOL = register("studies")["pool"]
DEPTH = POOL.options["pool_depth"]
WITHOUT_DEPTH = "required, but with --next or --accuracy as deep as ranks have weight"
NEXT = ("weight", "accuracy", "stop", "per_topic", "missing")  # options that go with --next or --accuracy
OF_POOL, OF_NEXT = ("runs", "topics", "unjudged"), ("next", "runs", "topics")  # tables
optional_depth = replace(
    POOL, options={**POOL.options, "pool_depth": replace(DEPTH, required=False, default_text=WITHOUT_DEPTH)}
)
judging = together(
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


_, *own_options = study_options(
    optional_depth, "none: judgments in TREC form, or unjudged without qrels, or next", checked=False
)


@declared("pool", options.files_without_qrels, judging, *own_options, about=help_of(POOL))
def command(writing: Writing, table: str | None, **given: object) -> None:
    """Write the judgments of the pool, or one of its tables; what it holds goes to standard error."""
    _take_runs(given)
    if given["count"] is not None or given["accuracy"] is not None:
        _write_next(writing, table, given)
    else:
        _write_pool(writing, table, given)


def _take_runs(given: GivenOptions) -> None:
    """Take the first file as a run where it is one; raise UsageError where no run, or what needs qrels, is left."""
    from rankscale.inputs.read import reads_as_run

    if reads_as_run(given["qrels"]):
        given["runs"] = (given["qrels"], *cast("tuple[str, ...]", given["runs"]))
        given["qrels"] = None
        for name, flag in (("count", "--next"), ("accuracy", "--accuracy")):
            if given[name] is not None:
                raise click.UsageError(f"{flag} needs qrels, which come first, and the first file is a run")
    elif not given["runs"]:
        raise click.UsageError("Missing argument 'RUN...'.")


def _write_pool(writing: Writing, table: str | None, given: GivenOptions) -> None:
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
    made = cast("Pool", result(POOL, {**given, "list_unjudged": table == "unjudged"}))
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
    from rankscale.studies.next_judgments import next_judgments

    if table is not None and table not in OF_NEXT:
        raise click.UsageError(f"--table {table} does not go with --next and --accuracy: leave one out")
    writing.check_form()
    relevance = options.Relevance(cast("float | None", given.pop("rel")))
    text = str(given.pop("weight") or "RBP")
    weight = relevance.measure("RBP" if text == "rbp" else text, "--weight")  # rbp alone is a name of trec_eval's
    keywords: GivenOptions = {
        "runs": list(cast("tuple[str, ...]", given.pop("runs"))),
        "depth": given.pop("pool_depth"),
        "by_topic": given.pop("per_topic"),
        "pooled": given.pop("pooled") or None,
        "stop": given.pop("stop") or "mean",
        "missing": given.pop("missing") or "zero",
    }
    verb = cast("Callable[..., NextJudgments]", next_judgments)
    made = verb(**given, **keywords, weight=weight)
    write(made, writing, table or "next")
    tell(made.sentence())
