"""`rankscale evaluate`: measure runs."""

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankscale.cli import options
from rankscale.cli.terminal import progress_bar, warn

if TYPE_CHECKING:
    from rankscale.evaluation import Evaluation
    from rankscale.measures.base import Measure

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "RR", "Bpref", "Judged@10")
FORMS = ("table", "tsv", "csv", "json", "jsonl", "parquet", "latex", "markdown")
BY_SUFFIX = {
    ".tsv": "tsv",
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".parquet": "parquet",
    ".tex": "latex",
    ".md": "markdown",
}
TABLE_PLACES = 4


@click.command("evaluate")
@options.files
@options.measures
@click.option("-q", "--per-topic", is_flag=True, help="Values of each topic too, not only the means.")
@click.option("-c", "--complete", is_flag=True, help="Topics that a run misses count as empty rankings in its means.")
@click.option("--common", is_flag=True, help="Only topics that all runs have.")
@click.option("--sort", metavar="MEASURE", help="Best run by this measure first.")
@options.judging
@options.reading
@click.option("--format", "form", type=click.Choice(FORMS), help="By default a table, or what the file's ending says.")
@click.option(
    "--places",
    type=click.IntRange(0, 17),
    metavar="N",
    help="Decimal places; 4 in tables, all digits in tsv, csv, json, jsonl.",
)
@click.option("-o", "--output", metavar="FILE", help="Write here; the file is whole or not there.")
@click.option("--strict", is_flag=True, help="Exit with 1 if there was anything to warn of.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    per_topic: bool,
    complete: bool,
    common: bool,
    sort: str | None,
    form: str | None,
    places: int | None,
    output: str | None,
    strict: bool,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of options.judging and options.reading that evaluate() takes as they are
) -> None:
    """Measure runs against qrels.

    \b
    rankscale evaluate qrels.txt runs/*.gz -m AP -m nDCG@10
    rankscale evaluate qrels.txt bm25.txt --per-topic -o values.tsv
    zcat run.gz | rankscale evaluate qrels.txt - -m all_trec --per-topic
    """
    from rankscale import _core
    from rankscale.evaluation import evaluate

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    wanted = _measures(measures or DEFAULT_MEASURES, rel, gains)
    with progress_bar("reading and judging", len(runs)) as progress:
        found = evaluate(list(runs), qrels, wanted, complete=complete, progress=progress, **settings)
    warn(found.warnings)
    if common:
        found = found.common()
    if sort:
        found = found.sorted_by(_measures((sort,), rel, gains)[0])
    _write(
        found,
        form or BY_SUFFIX.get(os.path.splitext(output or "")[1], "table"),
        output,
        per_topic=per_topic,
        places=places,
    )
    if strict and found.warnings:
        ctx.exit(1)


def _measures(texts: tuple[str, ...], rel: float | None, gains: Any) -> "tuple[Measure, ...]":  # noqa: ANN401
    """The measures asked for; --rel and --gains go to those that take them and were not given their own."""
    from rankscale.measures.parse import parse_all

    options = {name: value for name, value in (("rel", rel), ("gains", gains)) if value is not None}
    found: list[Measure] = []
    for text in texts:
        for measure in parse_all([text]):
            lacking: dict[str, Any] = {
                name: value for name, value in options.items() if _is_left_open(measure, name, text)
            }
            found.append(replace(measure, **lacking))
    return tuple(dict.fromkeys(found))


def _is_left_open(measure: "Measure", name: str, text: str) -> bool:
    field = type(measure).__dataclass_fields__.get(name)
    return field is not None and getattr(measure, name) == field.default and f"{name}=" not in text.replace(" ", "")


def _write(found: "Evaluation", form: str, output: str | None, *, per_topic: bool, places: int | None) -> None:
    from rankscale.formats.files import write_chunks

    if form == "parquet":
        if output in {None, "-"}:
            raise click.UsageError("Parquet goes to a file: name it with -o values.parquet")
        found.write_parquet(str(output))
        return
    if per_topic and form in {"latex", "markdown"}:
        warn([f"{form} shows means; values by topic come as table, tsv, csv, json, jsonl and parquet"])
    chunks = _chunks(found, form, per_topic=per_topic, places=places)
    if output is None or output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.writelines(chunks)
        sys.stdout.buffer.flush()
    else:
        write_chunks(output, chunks)


def _chunks(found: "Evaluation", form: str, *, per_topic: bool, places: int | None) -> Iterator[bytes]:
    from rankscale.formats import text

    table, shown = found.table(), TABLE_PLACES if places is None else places
    if form in text.HEADERS:
        yield from text.tidy_text(table, form, per_topic=per_topic, places=places)
    elif form == "json":
        yield found.to_json(per_topic=per_topic, places=places).encode()
    elif form == "latex":
        yield found.to_latex(shown).encode("utf-8", "surrogateescape")
    elif form == "markdown":
        yield found.to_markdown(shown).encode("utf-8", "surrogateescape")
    elif per_topic:
        yield (text.topics_table(table, places=shown) + "\n").encode("utf-8", "surrogateescape")
    else:
        yield (text.means_table(table, places=shown) + "\n").encode("utf-8", "surrogateescape")
