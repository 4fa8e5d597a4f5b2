"""`rankscale convert`: a run or qrels in another form."""

import sys

import click

from rankscale.cli import options, values
from rankscale.cli.command import declared
from rankscale.cli.terminal import printable, warn

FORMS = ("trec", "msmarco", "tsv", "csv", "jsonl", "parquet")
BY_ENDING = "by the ending of OUT: .tsv .csv .jsonl .parquet; trec for others"


@declared(
    "convert",
    click.argument("source", metavar="IN", type=click.Path(allow_dash=True)),
    click.argument("target", metavar="OUT", type=click.Path(allow_dash=True)),
    options.choice("--form", FORMS, "Form of OUT.", shown=BY_ENDING),
    options.choice("--kind", ("run", "qrels"), "What IN holds.", shown="by its columns"),
    options.option("--name", "Name of the run in OUT.", shown="the tag in IN", metavar="NAME"),
    options.choice(
        "--order",
        ("score", "score64", "rank", "file"),
        "What orders a ranking; with rank and file, scores are written that keep that order.",
        shown="score",
    ),
    options.cut,
    options.choice(
        "--formulas",
        ("escape", "keep"),
        "In csv and tsv: put an apostrophe before names that a spreadsheet would carry out, or keep them.",
        "escape",
    ),
    options.option(
        "--max-size", "Largest size IN may unpack to, such as 50G.", values.SIZE, shown="250 times the packed size"
    ),
)
def command(
    source: str,
    target: str,
    form: str | None,
    kind: str | None,
    name: str | None,
    order: str | None,
    depth: int | None,
    formulas: str,
    max_size: int | None,
) -> None:
    """Write a TREC run or TREC qrels in another form. IN and OUT can be `-` for standard input and output.

    Rankings are written in the order in which they are measured, with ranks from 1. OUT is written atomically, and
    packed if its name ends in .gz, .bz2 or .xz. Large files are read and written topic by topic.

    Command line
    ------------
      rankscale convert run.txt run.parquet
      rankscale convert run.txt run.tsv --form msmarco --depth 1000
      rankscale convert qrels.txt qrels.csv
    """
    from rankscale.formats.read.reading import Reading
    from rankscale.formats.write.convert import convert
    from rankscale.formats.write.run import escaped_words

    reading = Reading(order=order, depth=depth, max_size=max_size)
    sys.stdout.flush()
    out = sys.stdout.buffer if target == "-" else target
    made = convert(source, out, form, reading, kind=kind, name=name, formulas=formulas)
    sys.stdout.flush()
    warn(made.notices)
    if made.escaped:
        warn([escaped_words(target, made.escaped, "--formulas keep keeps them as they are")])
    what = "documents" if made.kind == "run" else "judgments"
    click.echo(printable(f"{source}: read as TREC {made.kind}; {made.rows} {what} written as {made.form}"), err=True)
