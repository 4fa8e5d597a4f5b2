"""`rankscale scale`: the interval scale of a measure."""

from typing import TYPE_CHECKING

import click

from rankscale.cli import options, values
from rankscale.cli.command import declared
from rankscale.cli.output import chosen_form, deliver
from rankscale.cli.terminal import progress_bar

if TYPE_CHECKING:
    from rankscale.scales.scale import Scale

SLOW = 2.0  # seconds from which it is worth saying how long a count will take
FORMS = ("table", "json")


@declared(
    "scale",
    click.argument("measure", shell_complete=options.complete_measure),
    click.option(
        "--levels", type=values.GRADES, default="0,1", show_default=True, help="Grades that documents can have."
    ),
    click.option(
        "--rank",
        "rankings",
        type=values.GRADES,
        multiple=True,
        help="Ranking to place on the scale: its grades, best rank first. May be given several times.",
    ),
    click.option(
        "--counts",
        type=values.GRADES,
        show_default="unknown",
        help="Number of documents of each level that a topic has, or of relevant ones.",
    ),
    options.choice(
        "--universe",
        ["all", "feasible"],
        "Rankings that the scale is over: all, or those that --counts allow.",
        shown="feasible with --counts",
    ),
    options.choice(
        "--method",
        ["auto", "exact", "certified", "estimated"],
        "How to count: exactly, within certain brackets, or from a sample.",
        "auto",
    ),
    click.option("--mid", is_flag=True, help="Add the mean rank among all rankings (not an interval scale)."),
    click.option("--percentile", is_flag=True, help="Add the share of all rankings that are no better."),
    click.option(
        "--ends", type=click.IntRange(0, 1000), default=5, show_default=True, help="Values shown at each end."
    ),
    click.option("--format", "written_as", type=click.Choice(FORMS), show_default="table", help="Form of the output."),
    options.output,
    examples=(
        "rankscale scale 'DCG(base=2)@30' --rank 1,0,1,1",
        "rankscale scale 'nDCG@10' --levels 0,1,2,3 --rank 3,0,2",
        "rankscale scale 'Twist@20' --counts 0,5 --rank 1,0,0,1",
    ),
)
def command(
    measure: str,
    levels: list[float],
    rankings: tuple[list[float], ...],
    counts: list[float] | None,
    universe: str | None,
    method: str,
    *,
    mid: bool,
    percentile: bool,
    ends: int,
    written_as: str | None,
    output: str | None,
) -> None:
    """Describe the interval scale of a measure: how many values, how they are spaced, and where rankings stand."""
    from rankscale.scales.describe import describe, document
    from rankscale.scales.scale import scale

    chosen = chosen_form(written_as, output, "scale.json", FORMS)
    if counts is not None and not all(count.is_integer() and count >= 0 for count in counts):
        raise click.UsageError(f"--counts: expected whole numbers such as 100,5, found {counts}")
    whole = None if counts is None else tuple(int(count) for count in counts)
    documents = whole[0] if whole is not None and len(whole) == 1 else whole
    made = scale(measure, levels, documents, universe, method)  # type: ignore[arg-type]
    _announce_cost(made, len(rankings))
    with progress_bar("counting") as progress:
        description = describe(made, rankings, ends=ends, mid=mid, percentile=percentile, progress=progress)
    text = document(description) if chosen == "json" else str(description)
    deliver([(text.rstrip("\n") + "\n").encode()], output)


def _announce_cost(made: "Scale", rankings: int) -> None:
    seconds = made.cost.setup + rankings * made.cost.each
    if seconds > SLOW:
        click.echo(f"counting will take about {seconds:.0f} s and {made.cost.memory >> 20} MB", err=True)
