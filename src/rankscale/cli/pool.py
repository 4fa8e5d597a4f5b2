"""`rankscale pool`: the judgments of a pool made again, or what each run brought to it."""

from typing import Any

import click

from rankscale.cli import options, studying
from rankscale.cli.output import deliver
from rankscale.cli.terminal import printable, warn


@click.command("pool")
@options.files
@click.option("--pool-depth", "depth", type=click.IntRange(min=1), required=True, metavar="K", help="How deep to go.")
@click.option("--pooled", multiple=True, metavar="NAME", help="A run of the pool; all by default. Repeats.")
@click.option(
    "--rel", type=options.Finite(), default=1, show_default=True, metavar="G", help="Lowest grade that is relevant."
)
@options.reading
@studying.writing("runs", "topics", "unjudged")
def command(
    qrels: str,
    runs: tuple[str, ...],
    *,
    pooled: tuple[str, ...],
    table: str | None,
    form: str | None,
    places: int | None,
    output: str | None,
    **settings: Any,  # noqa: ANN401  # those that pool() takes as they are
) -> None:
    """Judgments of the documents that some run ranks at K or above, in TREC form.

    How far the judgments cover the pool goes to standard error. --table writes, instead of the judgments, what each run
    brought, what each topic has, or the documents that are still to be judged.

    \b
    rankscale pool qrels.txt runs/*.gz --pool-depth 10 -o depth10.qrels
    rankscale pool qrels.txt runs/*.gz --pool-depth 100 --table runs
    rankscale pool qrels.txt runs/*.gz --pool-depth 20 --table unjudged -o to-judge.tsv
    """
    from rankscale.formats.write.qrels import qrels_lines, write_qrels
    from rankscale.studies.pooling import pool

    options.check_standard_input(qrels, runs)
    if table is None and (form is not None or places is not None):
        raise click.UsageError("--format and --places are about tables: say which, as in --table runs")
    chosen = studying.form_of(form, output, "pool") if table else None
    found = pool(qrels, list(runs), pooled=pooled or None, list_unjudged=table == "unjudged", **settings)
    if chosen:
        studying.write(found, chosen, output, places, table)
    elif output is None or output == "-":
        deliver(qrels_lines(found.qrels), output)
    else:
        write_qrels(found.qrels, output)
    warn(() if chosen else found.warnings)
    click.echo(printable(found.sentence()), err=True)
