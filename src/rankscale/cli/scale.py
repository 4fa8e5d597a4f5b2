"""`rankscale scale`: the interval scale of a measure."""

from typing import TYPE_CHECKING, Any

import click

from rankscale.cli import options
from rankscale.cli.output import chosen_form, deliver
from rankscale.cli.terminal import progress_bar

if TYPE_CHECKING:
    from rankscale.scales.scale import Scale

SLOW = 2.0  # seconds from which it is worth saying how long a count will take
UNJUDGED = "-"
FORMS = ("table", "json")


class Grades(click.ParamType[list[float]]):
    """`1,0,1,1`: grades between commas, best ranked first; `-` for an unjudged document."""

    name = "GRADES"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[float]:  # noqa: ANN401
        """The grades."""
        if not isinstance(value, str):
            return list(value)
        try:
            parts = [part.strip() for part in value.split(",")]
            return [float("nan") if part == UNJUDGED else float(part) for part in parts]
        except ValueError:
            self.fail(f"expected grades such as 1,0,1,1, found {value!r}", param, ctx)


@click.command("scale")
@click.argument("measure", shell_complete=options.complete_measure)
@click.option("--levels", type=Grades(), default="0,1", show_default=True, help="Grades that documents can have.")
@click.option("--rank", "rankings", type=Grades(), multiple=True, help="Place this ranking on the scale. Repeats.")
@click.option("--counts", type=Grades(), help="Documents of each level that a topic has, or how many relevant ones.")
@click.option("--universe", type=click.Choice(["all", "feasible"]), help="All rankings, or those that --counts allow.")
@click.option(
    "--method",
    type=click.Choice(["auto", "exact", "certified", "estimated"]),
    default="auto",
    show_default=True,
    help="How to count: exactly, within brackets that are certain, or from a sample.",
)
@click.option("--mid", is_flag=True, help="The mean rank among all rankings too (not an interval scale).")
@click.option("--percentile", is_flag=True, help="The share of all rankings that are no better too.")
@click.option("--ends", type=click.IntRange(0, 1000), default=5, show_default=True, help="Values shown at each end.")
@click.option("--format", "form", type=click.Choice(FORMS), help="By default a table.")
@click.option("-o", "--output", metavar="FILE", help="Write here; the file is whole or not there.")
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
    form: str | None,
    output: str | None,
) -> None:
    """The interval scale of a measure: how many values it takes, how they are spaced, and where rankings stand.

    \b
    rankscale scale 'DCG(base=2)@30' --rank 1,0,1,1
    rankscale scale 'nDCG@10' --levels 0,1,2,3 --rank 3,0,2
    rankscale scale 'Twist@20' --counts 0,5 --rank 1,0,0,1
    """
    from rankscale.scales.describe import described, document
    from rankscale.scales.scale import scale

    chosen = chosen_form(form, output, "scale.json", FORMS)
    if counts is not None and not all(count.is_integer() and count >= 0 for count in counts):
        raise click.UsageError(f"--counts: expected whole numbers such as 100,5, found {counts}")
    whole = None if counts is None else tuple(int(count) for count in counts)
    documents = whole[0] if whole is not None and len(whole) == 1 else whole
    found = scale(measure, levels, documents, universe, method)  # type: ignore[arg-type]
    _say_cost(found, len(rankings))
    with progress_bar("counting", 100) as progress:
        told = described(found, rankings, ends=ends, mid=mid, percentile=percentile, progress=progress)
    text = document(told) if chosen == "json" else str(told)
    deliver([(text.rstrip("\n") + "\n").encode()], output)


def _say_cost(found: "Scale", rankings: int) -> None:
    seconds = found.cost.setup + rankings * found.cost.each
    if seconds > SLOW:
        click.echo(f"counting will take about {seconds:.0f} s and {found.cost.memory >> 20} MB", err=True)
