"""`rankscale curves`: measures at every rank."""

import os
from functools import partial
from typing import TYPE_CHECKING

import click

from rankscale.cli import options, values
from rankscale.cli.command import declared, executing
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.terminal import progress_bar, warn

if TYPE_CHECKING:
    from rankscale.executors import Executor

DEFAULT_MEASURES = ("nDCG",)
OF_REACH = ("DCG(base=2)",)  # with --reach: normalised curves rarely reach the ideal, which is 1 at every rank
THE_IDEAL = "the ideal ranking"  # what --reach means without a run
FOR_PEOPLE = ("table", "latex", "markdown")


MEASURE = "Measure, such as nDCG, P, RBP(p=0.9), 'DCG(base=2)'; one with a depth, as P@10, has a curve down to it."
measure = options.option(
    "-m --measure measures",
    MEASURE,
    shown=f"{', '.join(DEFAULT_MEASURES)}; with --reach {', '.join(OF_REACH)}",
    metavar="CURVE",
    multiple=True,
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
REACH = (
    "Write how deep each run must be read for what the ideal, or RUN, has at a few ranks, how far below it is there, "
    "and whether that is a marginal (under 5%) or an essential (over 10%) difference. Without RUN, give it last."
)
reach = click.option(
    "--reach",
    is_flag=False,
    flag_value=THE_IDEAL,
    default=None,
    metavar="[RUN]",
    help=REACH,
    show_default="none",
)


@declared(
    "curves",
    options.files,
    options.measuring(measure, *options.MEASURED, *options.UNCERTAIN),
    topic,
    options.flag("--mean", "Write means over topics, as tables do unless --topic is given."),
    depth,
    rank,
    options.flag("--ideal", "Add an ideal run, which could not be better."),
    options.flag("--ratio", "Write means of runs over the mean of the ideal, rank by rank."),
    reach,
    options.uncertainty,
    options.missing_of_runs,
    options.grading,
    options.reading,
    executing,
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
    reach: str | None,
    topics: tuple[str, ...],
    depth: int | None,
    ranks: list[int] | None,
    executor: "Executor | None",
    writing: Writing,
) -> None:
    """Measure runs at every rank.

    A table shows means at a few ranks and the shape of each curve, as do latex and markdown. Other forms have every
    rank of every topic, or with --mean those of the means, whose topic is called all.

    Command line
    ------------
      rankscale curves qrels.txt runs/*.gz -m 'DCG(base=2)' --ideal
      rankscale curves qrels.txt runs/*.gz -m 'DCG(base=10)' --ratio
      rankscale curves qrels.txt runs/*.gz -m 'DCG(base=2)' --ranks 5,10 --reach
      rankscale curves qrels.txt run.txt -m P --topic 101 --ranks 1,5,10
      rankscale curves qrels.txt run.txt -m 'RBP(p=0.8)' --bounds -o curves.parquet
    """
    from rankscale.evaluation.curves.curves import curves
    from rankscale.evaluation.curves.result import curve_table, curve_views

    for_people = writing.form in FOR_PEOPLE
    if reach is not None and (measuring.how["bounds"] or measuring.how["ties"] == "range"):
        raise click.UsageError("--reach reads values: leave out --bounds and --ties range")
    if reach is not None and os.path.exists(reach):
        raise click.UsageError(f"--reach is followed by the name of a run, got the file {reach}; give --reach last")
    wanted = options.measures_of_curves(
        measuring.relevance, measuring.texts or (OF_REACH if reach else DEFAULT_MEASURES)
    )
    with progress_bar() as progress:
        traced = curves(
            qrels,
            list(runs),
            wanted,
            depth=depth or (max(ranks) if ranks and not reach else None),
            topics=topics or None,
            ideal=ideal or ratio or reach in {THE_IDEAL, "ideal"},
            executor=executor,
            progress=progress,
            **measuring.how,
        )
    warn(traced.notices)
    writing = writing.citing(traced.measures)
    means = mean or ratio or (for_people and not topics)
    drawn = traced.mean(of="ratio" if ratio else "values") if means else traced
    if reach is None:
        views = partial(curve_views, drawn, ranks, shapes=writing.form != "latex")
        writing.write_table(partial(curve_table, drawn, ranks), views)
    else:
        readings = drawn.readings(None if reach == THE_IDEAL else reach, ranks)
        writing.write_table(readings.table, readings.views)
