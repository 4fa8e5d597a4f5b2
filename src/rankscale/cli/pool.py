"""`rankscale pool`: the judgments of a pool made again, or what each run contributed to it."""

from typing import Unpack

import click

from rankscale.cli import options, values
from rankscale.cli.command import declared
from rankscale.cli.output import FORMS, chosen_form, deliver
from rankscale.cli.study import table_option, write
from rankscale.cli.terminal import printable, warn


@declared(
    "pool",
    options.files,
    click.option(
        "--pool-depth", "depth", type=click.IntRange(min=1), required=True, metavar="K", help="Depth of the pool."
    ),
    click.option(
        "--pooled",
        multiple=True,
        metavar="NAME",
        show_default="all runs",
        help="Name of a run whose documents are pooled. May be given several times.",
    ),
    click.option("--rel", type=values.NUMBER, default=1, show_default=True, metavar="G", help="Lowest relevant grade."),
    options.reading,
    table_option("runs", "topics", "unjudged"),
    options.writing(*FORMS),
    examples=(
        "rankscale pool qrels.txt runs/*.gz --pool-depth 10 -o depth10.qrels",
        "rankscale pool qrels.txt runs/*.gz --pool-depth 100 --table runs",
        "rankscale pool qrels.txt runs/*.gz --pool-depth 20 --table unjudged -o to-judge.tsv",
    ),
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    *,
    depth: int,
    pooled: tuple[str, ...],
    rel: float,
    table: str | None,
    written_as: str | None,
    digits: int | None,
    output: str | None,
    **reading: Unpack[options.Reading],
) -> None:
    """Write the judgments of the documents that some run ranks at K or above, in TREC form.

    How far the judgments cover the pool goes to standard error. --table writes, instead of the judgments, what each run
    contributed, what each topic has, or the documents that are still to be judged.
    """
    from rankscale.formats.write.qrels import qrels_lines, write_qrels
    from rankscale.studies.pooling import pool

    if table is None and (written_as is not None or digits is not None):
        raise click.UsageError("--format and --digits are about tables: say which, as in --table runs")
    form = chosen_form(written_as, output, "pool.parquet", FORMS) if table else None
    made = pool(
        runs=list(runs),
        qrels=qrels,
        depth=depth,
        pooled=pooled or None,
        rel=rel,
        list_unjudged=table == "unjudged",
        **reading,
    )
    if form:
        write(made, form, output, digits, table)
    elif output is None or output == "-":
        deliver(qrels_lines(made.qrels), output)
    else:
        write_qrels(made.qrels, output)
    warn(() if form else made.notices)
    click.echo(printable(made.sentence()), err=True)
