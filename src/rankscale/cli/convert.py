"""`rankscale convert`: a run or qrels in another form."""

import sys
from typing import TYPE_CHECKING

import click

from rankscale.cli import options, values
from rankscale.cli.command import declared
from rankscale.cli.output import output_bytes
from rankscale.cli.terminal import tell, warn

if TYPE_CHECKING:
    from rankscale.inputs.partitioned import Partitioning

FORMS = ("trec", "msmarco", "tsv", "csv", "jsonl", "parquet")
BY_ENDING = "by the ending of OUT: .tsv .csv .jsonl .parquet; trec for others"


@declared(
    "convert",
    click.argument("source", metavar="IN", type=click.Path(allow_dash=True)),
    click.argument("target", metavar="OUT", type=click.Path(allow_dash=True)),
    options.choice("--to", FORMS, "Form of OUT.", shown=BY_ENDING),
    options.choice("--kind", ("run", "qrels"), "What IN holds.", shown="by its columns"),
    options.option(
        "--form",
        "Form of IN.",
        options.OpenChoice(options.FORMS, options.ADDED_FORMS),
        shown="recognised by its content",
    ),
    options.option(
        "--columns",
        "Columns of IN, by name or by number from 1: topic=qid,document=pid,score=sim.",
        values.COLUMNS,
        shown="by their usual names",
    ),
    options.option("--run chosen", "Run of IN to write, if there are several.", shown="the only one", metavar="NAME"),
    options.option("--name", "Name of the run in OUT.", shown="its name in IN", metavar="NAME"),
    options.choice(
        "--order",
        ("score", "score64", "rank", "file"),
        "What orders a ranking; with rank and file, scores are written that keep that order.",
        shown="score; rank or file where there is no score",
    ),
    options.cut,
    options.duplicates,
    options.document_from,
    options.choice(
        "--merge --qrels-merge merge",
        ("error", "max", "min", "mean"),
        "In qrels, one grade for a document that is judged for a topic twice.",
        shown="an error; of sub-topics or assessors, all grades are written",
    ),
    options.formulas,
    options.choice(
        "--partition-by",
        ("topic",),
        "Write OUT as a data set: a folder of Parquet files, with all rows of a topic in one of them.",
        shown="a single file",
    ),
    options.option("--partitions", "With --partition-by: number of files.", options.POSITIVE, shown="64", metavar="N"),
    options.choice(
        "--partitioning",
        ("hash", "range"),
        "With --partition-by: assign topics to files by CRC-32 of their names (hash), or in the order of their names "
        "(range).",
        shown="hash",
    ),
    options.option(
        "--like",
        "With --partition-by: split topics as this data set does, in place of --partitions and --partitioning. A run "
        "must be split like the qrels.",
        shown="none",
        metavar="FOLDER",
    ),
    options.option(
        "--max-size", "Largest size IN may unpack to, such as 50G.", values.SIZE, shown="40 times the packed size"
    ),
)
def command(
    source: str,
    target: str,
    to: str | None,
    kind: str | None,
    chosen: str | None,
    name: str | None,
    merge: str | None,
    formulas: str,
    partition_by: str | None,
    partitions: int | None,
    partitioning: "Partitioning | None",
    like: str | None,
    **how: "str | int | None",
) -> None:
    """Write a run or qrels in another form. IN and OUT can be `-` for standard input and output.

    IN can have any form that other commands read. Rankings are written in the order in which they are measured, with
    ranks from 1. OUT is written atomically, and packed if its name ends in .gz, .bz2 or .xz. Large files of text are
    read and written some topics at a time. With --partition-by topic, rows may come in any
    order: they are sorted on disk.

    Command line
    ------------
      rankscale convert run.txt run.parquet
      rankscale convert run.txt run.csv --name bm25
      rankscale convert run.csv run.tsv --to msmarco --depth 1000
      rankscale convert run.txt documents.txt --document-from '^([^#]*)' --duplicates best
      rankscale convert qrels.txt qrels.csv
      rankscale convert qrels.parquet qrels.set --partition-by topic --partitions 256
      rankscale convert run.parquet run.set --partition-by topic --like qrels.set
    """
    from rankscale.inputs.options import Reading
    from rankscale.outputs.convert import ConversionSource, convert, escaped_words
    from rankscale.outputs.partition import PartitionRequest, write_partitions

    reading = Reading(**how)  # type: ignore[arg-type]  # options of these names and types
    given = ConversionSource(source, reading, kind, name, chosen, merge)
    if partition_by is not None:
        if to is not None or formulas != "escape":
            raise click.UsageError("--partition-by writes a folder of Parquet files: leave out --to and --formulas")
        request = PartitionRequest(partitions, partitioning, like)
        about, notices = write_partitions(given, target, request)
        warn(notices)
        what = "documents" if about.kind == "run" else "judgments"
        tell(f"{source}: {about.rows} {what} of {about.topics} topics written as {about.split}")
        return
    only = {"--partitions": partitions, "--partitioning": partitioning, "--like": like}
    if refused := [option for option, value in only.items() if value is not None]:
        raise click.UsageError(f"{refused[0]} is for data sets: add --partition-by topic")
    sys.stdout.flush()
    out = output_bytes() if target == "-" else target
    made = convert(given, out, to, formulas)
    sys.stdout.flush()
    warn(made.notices)
    if made.escaped:
        warn([escaped_words(target, made.escaped, "--formulas keep keeps them as they are")])
    what = "documents" if made.kind == "run" else "judgments"
    is_told = any(notice.kind == "form" for notice in made.notices)
    read = "" if is_told else f"read as TREC {made.kind}; "
    tell(f"{source}: {read}{made.rows} {what} written as {made.form}")
