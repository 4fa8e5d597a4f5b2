"""`rankscale curves`: measures at every rank."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from rankscale.cli import options
from rankscale.cli.output import TABLE_PLACES, chosen_form, deliver
from rankscale.cli.terminal import progress_bar, warn

if TYPE_CHECKING:
    from rankscale.tracing.result import Curves

DEFAULT_MEASURES = ("nDCG",)
FORMS = ("table", "tsv", "csv", "json", "jsonl", "parquet")


class Ranks(click.ParamType[list[int]]):
    """`1,5,10`: ranks between commas."""

    name = "RANKS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int]:  # noqa: ANN401
        """The ranks."""
        try:
            ranks = [int(part) for part in str(value).split(",")]
        except ValueError:
            ranks = [0]
        if min(ranks) < 1:
            self.fail(f"expected ranks such as 1,5,10, found {value!r}", param, ctx)
        return ranks


@click.command("curves")
@options.files
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="CURVE",
    shell_complete=options.complete_measure,
    help="nDCG, P, RBP(p=0.9), 'DCG(base=2)' ...: a measure with a depth, as P@10, has a curve down to it. Repeats.",
)
@click.option("--topic", "topics", multiple=True, metavar="T", help="This topic. Repeats.")
@click.option("--mean", is_flag=True, help="Means over topics; tables show them unless --topic is given.")
@click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="K",
    help="Where curves end; by default with the longest ranking, at rank 1000 at most.",
)
@click.option(
    "--ranks", type=Ranks(), help="Only these, such as 1,5,10. By default tables choose, other forms have all."
)
@click.option("--ideal", is_flag=True, help="A run that could not be better, beside the others.")
@click.option("--ratio", is_flag=True, help="Means of runs over the mean of the ideal, rank by rank.")
@options.uncertainty
@click.option("-c", "--complete", is_flag=True, help="Topics that a run misses count as empty rankings in its means.")
@options.grading
@options.reading
@options.writing(*FORMS)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    topics: tuple[str, ...],
    mean: bool,
    ideal: bool,
    ratio: bool,
    depth: int | None,
    ranks: list[int] | None,
    form: str | None,
    places: int | None,
    output: str | None,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those that curves() takes as they are
) -> None:
    """Measures at every rank: nDCG unless others are asked for.

    A table shows means at a few ranks and the shape of each curve. Other forms have every rank of every topic, or with
    --mean those of the means, whose topic is called all.

    \b
    rankscale curves qrels.txt runs/*.gz -m 'DCG(base=2)' --ideal
    rankscale curves qrels.txt runs/*.gz -m 'DCG(base=10)' --ratio
    rankscale curves qrels.txt bm25.txt -m P --topic 401 --ranks 1,5,10
    rankscale curves qrels.txt bm25.txt -m 'RBP(p=0.8)' --bounds -o curves.parquet
    """
    from rankscale import _core
    from rankscale.tracing.curves import curves

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    form = chosen_form(form, output, "curves.parquet", FORMS)
    asked = options.curves_asked(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    if ranks and not depth:
        depth = max(ranks)
    with progress_bar("reading and judging", len(runs)) as progress:
        settings |= {"depth": depth, "topics": topics or None, "ideal": ideal or ratio, "progress": progress}
        found = curves(qrels, list(runs), asked, **settings)
    warn(found.warnings)
    means = mean or ratio or (form == "table" and not topics)
    shown = found.mean(of="ratio" if ratio else "values") if means else found
    _write(shown, form, output, ranks, places)


def _write(found: "Curves", form: str, output: str | None, ranks: list[int] | None, places: int | None) -> None:
    from rankscale.formats.write.document import json_chunks
    from rankscale.formats.write.frames import write_parquet
    from rankscale.formats.write.results import view_text
    from rankscale.formats.write.text import tidy_text
    from rankscale.tracing.tables import curve_table, curve_views

    chunks: Iterable[bytes]
    if form == "parquet":
        write_parquet(curve_table(found, ranks), str(output))
        return
    if form == "table":
        text = view_text(curve_views(found, ranks), form, TABLE_PLACES if places is None else places)
        chunks = [(text + "\n").encode("utf-8", "surrogateescape")]
    elif form == "json":
        chunks = (chunk.encode() for chunk in json_chunks(curve_table(found, ranks), places))
    else:
        chunks = tidy_text(curve_table(found, ranks), form, places)
    deliver(chunks, output)
