"""`rankscale curves`: measures at every rank."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal, Unpack

import click

from rankscale.cli import options, values
from rankscale.cli.command import declared
from rankscale.cli.output import chosen_form, deliver, shown_digits
from rankscale.cli.terminal import progress_bar, warn

if TYPE_CHECKING:
    from rankscale.tracing.result import Curves

DEFAULT_MEASURES = ("nDCG",)
FORMS = ("table", "tsv", "csv", "json", "jsonl", "parquet")


@declared(
    "curves",
    options.files,
    click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="CURVE",
        shell_complete=options.complete_measure,
        show_default=", ".join(DEFAULT_MEASURES),
        help="Measure, such as nDCG, P, RBP(p=0.9), 'DCG(base=2)'; one with a depth, as P@10, has a curve down to it. "
        "May be given several times.",
    ),
    click.option(
        "--topic",
        "topics",
        multiple=True,
        metavar="T",
        show_default="all topics",
        help="Topic whose curves are written. May be given several times.",
    ),
    click.option("--mean", is_flag=True, help="Write means over topics, as tables do unless --topic is given."),
    click.option(
        "--depth",
        type=click.IntRange(min=1),
        metavar="K",
        show_default="the longest ranking, at most 1000",
        help="Rank at which curves end.",
    ),
    click.option(
        "--ranks",
        type=values.RANKS,
        show_default="some in tables, all in other forms",
        help="Ranks to write, such as 1,5,10.",
    ),
    click.option("--ideal", is_flag=True, help="Add an ideal run, which could not be better."),
    click.option("--ratio", is_flag=True, help="Write means of runs over the mean of the ideal, rank by rank."),
    options.uncertainty,
    options.missing_of_runs,
    options.grading,
    options.reading,
    options.writing(*FORMS),
    examples=(
        "rankscale curves qrels.txt runs/*.gz -m 'DCG(base=2)' --ideal",
        "rankscale curves qrels.txt runs/*.gz -m 'DCG(base=10)' --ratio",
        "rankscale curves qrels.txt run.txt -m P --topic 401 --ranks 1,5,10",
        "rankscale curves qrels.txt run.txt -m 'RBP(p=0.8)' --bounds -o curves.parquet",
    ),
)
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
    bounds: bool,
    ties: Literal["trec", "expected", "range"],
    missing: options.Missing,
    written_as: str | None,
    digits: int | None,
    output: str | None,
    rel: float | None,
    gains: values.Gains | None,
    **grading: Unpack[options.Grading],
) -> None:
    """Measure runs at every rank.

    A table shows means at a few ranks and the shape of each curve. Other forms have every rank of every topic, or with
    --mean those of the means, whose topic is called all.
    """
    from rankscale.tracing.curves import curves

    form = chosen_form(written_as, output, "curves.parquet", FORMS)
    wanted = options.curves_requested(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    with progress_bar() as progress:
        traced = curves(
            runs=list(runs),
            qrels=qrels,
            measures=wanted,
            depth=depth or (max(ranks) if ranks else None),
            topics=topics or None,
            ideal=ideal or ratio,
            bounds=bounds,
            ties=ties,
            missing=missing,
            progress=progress,
            **grading,
        )
    warn(traced.notices)
    means = mean or ratio or (form == "table" and not topics)
    shown = traced.mean(of="ratio" if ratio else "values") if means else traced
    _write(shown, form, output, ranks, digits)


def _write(traced: "Curves", form: str, output: str | None, ranks: list[int] | None, digits: int | None) -> None:
    from rankscale.formats.write.document import json_chunks
    from rankscale.formats.write.frames import write_parquet
    from rankscale.formats.write.results import view_text
    from rankscale.formats.write.text import tidy_text
    from rankscale.tracing.tables import curve_table, curve_views

    chunks: Iterable[bytes]
    if form == "parquet":
        write_parquet(curve_table(traced, ranks), str(output))
        return
    if form == "table":
        text = view_text(curve_views(traced, ranks), form, shown_digits(digits))
        chunks = [(text + "\n").encode("utf-8", "surrogateescape")]
    elif form == "json":
        chunks = (chunk.encode() for chunk in json_chunks(curve_table(traced, ranks), digits))
    else:
        chunks = tidy_text(curve_table(traced, ranks), form, digits)
    deliver(chunks, output)
