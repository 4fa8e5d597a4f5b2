"""`rankscale curves`: measures at every rank."""

from typing import Literal, Unpack

from rankscale.cli import options, values
from rankscale.cli.command import declared
from rankscale.cli.output import Writing
from rankscale.cli.terminal import progress_bar, warn

DEFAULT_MEASURES = ("nDCG",)
FORMS = ("table", "tsv", "csv", "json", "jsonl", "parquet")


class CurvesOptions(options.Grading):
    """Options that curves() takes as they are."""

    bounds: bool
    ties: Literal["trec", "expected", "range"]
    tie_orders: int
    seed: int
    missing: options.Missing


MEASURE = "Measure, such as nDCG, P, RBP(p=0.9), 'DCG(base=2)'; one with a depth, as P@10, has a curve down to it."
measure = options.option(
    "-m --measure measures", MEASURE, shown=", ".join(DEFAULT_MEASURES), metavar="CURVE", multiple=True
)
topic = options.option(
    "--topic topics", "Topic whose curves are written.", shown="all topics", metavar="T", multiple=True
)
depth = options.option(
    "--depth", "Rank at which curves end.", options.POSITIVE, shown="the longest ranking, at most 1000", metavar="K"
)
rank = options.option(
    "--ranks", "Ranks to write, such as 1,5,10.", values.RANKS, shown="some in tables, all in other forms"
)


@declared(
    "curves",
    options.files,
    options.measuring(measure),
    topic,
    options.flag("--mean", "Write means over topics, as tables do unless --topic is given."),
    depth,
    rank,
    options.flag("--ideal", "Add an ideal run, which could not be better."),
    options.flag("--ratio", "Write means of runs over the mean of the ideal, rank by rank."),
    options.uncertainty,
    options.missing_of_runs,
    options.grading,
    options.reading,
    options.writing(FORMS, "curves.parquet"),
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measuring: options.Measuring,
    *,
    mean: bool,
    ideal: bool,
    ratio: bool,
    topics: tuple[str, ...],
    depth: int | None,
    ranks: list[int] | None,
    writing: Writing,
    **requested: Unpack[CurvesOptions],
) -> None:
    """Measure runs at every rank.

    A table shows means at a few ranks and the shape of each curve. Other forms have every rank of every topic, or with
    --mean those of the means, whose topic is called all.

    Command line
    ------------
      rankscale curves qrels.txt runs/*.gz -m 'DCG(base=2)' --ideal
      rankscale curves qrels.txt runs/*.gz -m 'DCG(base=10)' --ratio
      rankscale curves qrels.txt run.txt -m P --topic 101 --ranks 1,5,10
      rankscale curves qrels.txt run.txt -m 'RBP(p=0.8)' --bounds -o curves.parquet
    """
    from rankscale.formats.write.results import view_text
    from rankscale.tracing.curves import curves
    from rankscale.tracing.tables import curve_table, curve_views

    tabular = writing.form == "table"
    wanted = measuring.relevance.curves(measuring.texts or DEFAULT_MEASURES)
    with progress_bar() as progress:
        traced = curves(
            qrels,
            list(runs),
            wanted,
            depth=depth or (max(ranks) if ranks else None),
            topics=topics or None,
            ideal=ideal or ratio,
            progress=progress,
            **requested,
        )
    warn(traced.notices)
    means = mean or ratio or (tabular and not topics)
    shown = traced.mean(of="ratio" if ratio else "values") if means else traced
    writing.write_table(
        lambda: curve_table(shown, ranks),
        lambda: view_text(curve_views(shown, ranks), "table", writing.shown_digits) + "\n",
    )
