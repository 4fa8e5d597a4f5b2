"""`rankscale check`: are the files what they should be, before anything is computed."""

import click

from rankscale.cli import options, values
from rankscale.cli.command import Command, declared
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.terminal import printable, spelling, warn


class CheckCommand(Command):
    """A command that is given the forms of files as they are: which file is the qrels is known later."""

    def give_forms(self, ctx: click.Context) -> None:
        """Leave files and options as they are."""


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
    options.option(
        "--intents",
        "Probabilities of sub-topics, lines 'topic sub-topic probability', held against those of the qrels.",
        shown="none",
        metavar="FILE",
    ),
    options.option("--max-depth", "The most documents of a ranking.", options.POSITIVE, shown="any", metavar="K"),
    options.option(
        "--min-judged", "Warn where a smaller share of the first 10 documents is judged.", values.SHARE, 0.5
    ),
    options.flag("--only-problems", "Show only the files that have problems."),
    options.forms_of_runs,
    options.forms_of_qrels,
    options.reading_of_files,
    options.choice("--table", ("files", "problems"), "Write this table alone.", shown="files; both in table and json"),
    options.writing((*FORMS, "html"), "checked.parquet"),
    kind=CheckCommand,
)
def command(
    runs: tuple[str, ...],
    qrels: str | None,
    writing: Writing,
    table: str | None,
    qrels_form: str | None,
    qrels_columns: str | None,
    qrels_merge: str,
    *,
    only_problems: bool,
    max_size: int | None,
    **requested: object,
) -> None:
    """Validate runs: read each file to its end, describe it in a line, and list all errors and what is unusual.

    Files can have any form that other commands read; one with several runs has a line for each. Qrels are not needed.
    Where the first file has the columns of qrels it is taken as --qrels.

    Exits with 0 if all is well, 1 if anything is wrong or unusual, 2 if a file cannot be opened.

    Command line
    ------------
      rankscale check runs/*.gz
      rankscale check runs/*.gz --qrels qrels.txt --max-depth 1000 --only-problems
      rankscale check runs/*.gz --qrels qrels.txt --table problems --format csv
      rankscale check qrels.txt run.txt --order rank
      rankscale check subtopic-qrels.txt runs/*.gz --intents intents.txt
      rankscale check runs/*.gz --columns topic=1,document=3,score=5 --qrels qrels.txt
    """
    from rankscale.errors import FormatError
    from rankscale.inputs.check.check import check
    from rankscale.inputs.check.faults import reads_as_qrels
    from rankscale.inputs.options import Reading
    from rankscale.inputs.read import QrelsFile, read_qrels

    Reading(form=requested["form"], columns=requested["columns"])  # type: ignore[arg-type]  # refused before any file is read
    Reading(form=qrels_form, columns=qrels_columns)
    is_named = qrels_form is not None or qrels_columns is not None  # which says that there are qrels
    if qrels is None and (is_named or reads_as_qrels(runs[0], max_size)):
        qrels, runs = runs[0], runs[1:]
        if not runs:
            why = "taken as the qrels, which --qrels-form and --qrels-columns describe" if is_named else "qrels"
            raise click.UsageError(f"{qrels} is {why}: name the runs to check after it")
    ctx = click.get_current_context()
    try:
        formed = QrelsFile(qrels, qrels_form, qrels_columns, qrels_merge)
        judgments = None if qrels is None else read_qrels(formed, max_size=max_size)
    except FormatError as error:
        click.echo(f"{printable(error.worded(spelling()))}\n\nthe qrels cannot be read: runs were not looked at")
        ctx.exit(1)
    checked = check(list(runs), qrels=judgments, max_size=max_size, **requested)  # type: ignore[arg-type]
    warn(checked.notices)
    checked = checked.spelled(spelling())
    writing.write_result(checked.only_problems() if only_problems else checked, table)
    ctx.exit(0 if checked.is_well else 1)
