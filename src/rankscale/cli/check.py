"""`rankscale check`: are the files what they should be, before anything is computed."""

import os
from typing import TYPE_CHECKING, Unpack

import click

from rankscale.cli import options, values
from rankscale.cli.command import declared
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.terminal import printable, with_arguments, with_options

if TYPE_CHECKING:
    from rankscale.submissions.result import Check

QRELS_COLUMNS = 4


class CheckOptions(options.Reading):
    """Options that check() takes as they are."""

    topics: str | None
    max_depth: int | None
    min_judged: float


@declared(
    "check",
    options.run_files,
    options.option("--qrels", "Judgments that runs are held against.", shown="none", metavar="FILE"),
    options.option(
        "--topics",
        "Topics of the task: the first column of each line, JSON Lines, or TREC's form.",
        shown="those of the qrels",
        metavar="FILE",
    ),
    options.option("--max-depth", "The most documents of a ranking.", options.POSITIVE, shown="any", metavar="K"),
    options.option(
        "--min-judged", "Warn where a smaller share of the first 10 documents is judged.", values.SHARE, 0.5
    ),
    options.flag("--only-problems", "Show only the files that have problems."),
    options.reading_of_files,
    options.choice("--table", ("files", "problems"), "Write this table alone.", shown="files; both in table and json"),
    options.writing((*FORMS, "html"), "checked.parquet"),
)
def command(
    runs: tuple[str, ...],
    qrels: str | None,
    writing: Writing,
    table: str | None,
    *,
    only_problems: bool,
    **requested: Unpack[CheckOptions],
) -> None:
    """Validate runs: read each file to its end, describe it in a line, and list all errors and what is unusual.

    Qrels are not needed. Where the first file has the four columns of qrels it is taken as --qrels.

    Exits with 0 if all is well, 1 if anything is wrong or unusual, 2 if a file cannot be opened.

    Command line
    ------------
      rankscale check runs/*.gz
      rankscale check runs/*.gz --qrels qrels.txt --max-depth 1000 --only-problems
      rankscale check runs/*.gz --qrels qrels.txt --table problems --format csv
      rankscale check qrels.txt run.txt --order rank
    """
    from rankscale.errors import FormatError
    from rankscale.formats.read.inputs import read_qrels
    from rankscale.submissions.check import check

    writing.form  # noqa: B018  # refused before any work
    if qrels is None and _reads_as_qrels(runs[0]):
        qrels, runs = runs[0], runs[1:]
        if not runs:
            raise click.UsageError(f"{qrels} has the four columns of qrels: name the runs to check after it")
    ctx = click.get_current_context()
    try:
        judgments = None if qrels is None else read_qrels(qrels, max_size=requested["max_size"])
    except FormatError as error:
        click.echo(f"{printable(with_arguments(str(error)))}\n\nthe qrels cannot be read: runs were not looked at")
        ctx.exit(1)
    checked = check(list(runs), qrels=judgments, **requested)
    checked = checked.spelled(with_options)
    _write(checked.only_problems() if only_problems else checked, writing, table)
    ctx.exit(0 if checked.is_well else 1)


def _write(checked: "Check", writing: Writing, table: str | None) -> None:
    """The table in the form requested."""
    if writing.form == "table" and table is None:
        writing.deliver([printable(checked.text(writing.shown_digits)).encode() + b"\n"])
    elif writing.form == "parquet":
        checked.write(str(writing.output), "parquet", table=table)
    else:
        writing.deliver(checked.chunks(writing.form, table, writing.digits))


def _reads_as_qrels(path: str) -> bool:
    """Whether the first line of a file has the columns of qrels; standard input, read once, is a run."""
    from rankscale.submissions.text import blocks

    if not os.path.isfile(path):  # the reader will say what it is
        return False
    for block in blocks(path):
        for line in block.split(b"\n"):
            fields = line.split()
            if fields and not fields[0].startswith(b"#"):
                return len(fields) == QRELS_COLUMNS
    return False
