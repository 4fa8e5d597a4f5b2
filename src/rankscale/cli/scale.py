"""`rankscale scale`: the interval scale of a measure."""

from typing import TYPE_CHECKING, Literal

import click

from rankscale.cli import options, values
from rankscale.cli.command import declared
from rankscale.cli.output import Writing
from rankscale.cli.terminal import progress_bar

if TYPE_CHECKING:
    from rankscale.scales.scale import Scale

FORMS = ("table", "json")
FORMS_OF_RANKS: tuple[Literal["mid", "min", "max", "log10"], ...] = ("mid", "min", "max", "log10")


@declared(
    "scale",
    click.argument("measure", shell_complete=options.complete_measure),
    options.levels,
    options.option(
        "--rank rankings",
        "Ranking to place on the scale: its grades, best rank first; with --lengths a set r,n,RB.",
        values.GRADES,
        multiple=True,
    ),
    options.option(
        "--counts",
        "Number of documents of each level that a topic has, or of relevant ones.",
        values.GRADES,
        shown="unknown",
    ),
    options.choice(
        "--universe",
        ("all", "feasible"),
        "Rankings that the scale is over: all, or those that --counts allow.",
        shown="all; feasible for measures such as Twist",
    ),
    options.option(
        "--lengths",
        "For set measures such as SetP: numbers of retrieved documents, such as 1-3. Goes with --recall-bases.",
        values.RANGE,
        shown="one length, the measure's depth",
    ),
    options.option(
        "--recall-bases",
        "For set measures: numbers of relevant documents that topics have, such as 1-2. Goes with --lengths.",
        values.RANGE,
        shown="any",
    ),
    options.method,
    options.flag("--mid", "Add the mean rank of ties among all rankings (not an interval scale)."),
    options.flag("--min", "Add the lowest rank of ties among all rankings (not an interval scale)."),
    options.flag("--max", "Add the highest rank of ties among all rankings (not an interval scale)."),
    options.flag("--log10", "Add the logarithm of the rank, to look at (not an interval scale)."),
    options.flag("--percentile", "Add the share of all rankings that are no better."),
    options.option("--ends", "Values shown at each end.", click.IntRange(0, 1000), 5),
    options.option("--format written_as", "Form of the output.", click.Choice(FORMS), shown="table"),
    options.output,
)
def command(
    measure: str,
    levels: list[float],
    rankings: tuple[list[float], ...],
    counts: list[float] | None,
    universe: str | None,
    lengths: tuple[int, int] | None,
    recall_bases: tuple[int, int] | None,
    method: str,
    ends: int,
    written_as: str | None,
    output: str | None,
    *,
    percentile: bool,
    **ranks_shown: bool,
) -> None:
    """Describe the interval scale of a measure: how many values, how they are spaced, and where rankings stand.

    Command line
    ------------
      rankscale scale 'DCG(base=2)@30' --rank 1,0,1,1
      rankscale scale 'nDCG@10' --levels 0,1,2,3 --rank 3,0,2
      rankscale scale 'Twist@20' --counts 0,5 --rank 1,0,0,1
      rankscale scale SetP --lengths 1-3 --recall-bases 1-2 --rank 1,2,2
    """
    from rankscale.data.resources import announce
    from rankscale.scales.describe import DIGITS, describe, describe_sets, document
    from rankscale.scales.scale import scale
    from rankscale.scales.set_scale import SetScale

    writing = Writing(written_as, DIGITS, output, FORMS, "scale.json")
    if counts is not None and not all(count.is_integer() and count >= 0 for count in counts):
        raise click.UsageError(f"--counts: expected whole numbers such as 100,5, got {counts}")
    whole = None if counts is None else tuple(int(count) for count in counts)
    documents = whole[0] if whole is not None and len(whole) == 1 else whole
    ranges = {"lengths": lengths, "recall_bases": recall_bases}
    made: Scale | SetScale = scale(measure, levels, documents, universe, method, **ranges)  # type: ignore[call-overload]
    if isinstance(made, SetScale):
        if percentile or any(ranks_shown.values()):
            raise click.UsageError("--lengths: ranks among all rankings are for rankings, not for sets: leave them out")
        description = describe_sets(made, rankings, ends=ends)  # type: ignore[arg-type]  # which it checks
    else:
        announce(len(rankings) * made.cost.each, f"placing {len(rankings)} rankings on the scale")
        forms = [form for form in FORMS_OF_RANKS if ranks_shown[form]]
        with progress_bar("counting") as progress:
            description = describe(made, rankings, ends=ends, forms=forms, percentile=percentile, progress=progress)
    if writing.form == "json":
        writing.deliver([(document(description).rstrip("\n") + "\n").encode()])
    else:
        writing.show(description.blocks())
