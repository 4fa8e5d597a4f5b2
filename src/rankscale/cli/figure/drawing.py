"""What the commands of figures share: the file, its size and its look."""

from functools import reduce
from typing import TYPE_CHECKING, Any

import click

from rankscale.cli.options import Command
from rankscale.cli.terminal import warn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankscale.figures.base.figure import Figure

OPTIONS = (
    click.option(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        help="Write here: .pdf .svg .png .html, .json (Vega-Lite), .tsv or .csv (the data drawn).",
    ),
    click.option(
        "--width",
        metavar="LENGTH",
        help="Of the whole figure: 84mm, 3.3in, 240pt, 500px; 160mm by default. A page (.html) has its own.",
    ),
    click.option("--height", metavar="LENGTH", help="Of the whole figure; by default what suits it."),
    click.option("--theme", type=click.Choice(["light", "dark"]), default="light", show_default=True),
    click.option(
        "--palette",
        type=click.Choice(["safe", "papers"]),
        default="safe",
        show_default=True,
        help="Colours that everybody tells apart, or the papers' own green, red and blue.",
    ),
    click.option("--font", default="sans-serif", show_default=True, metavar="NAME", help="A font of this machine."),
    click.option("--font-size", type=float, default=8.0, show_default=True, metavar="POINTS"),
    click.option("--title", metavar="TEXT", help="What stands above the figure, instead of its own title."),
    click.option("--no-title", is_flag=True, help="Leave the title to the caption."),
    click.option("--ppi", type=float, default=300, show_default=True, help="Pixels to an inch, in PNG."),
)


def drawing(command: Command) -> Command:
    """Options on the file and the look of a figure."""
    return reduce(lambda wrapped, option: option(wrapped), reversed(OPTIONS), command)


def draw(
    figure: "Figure",
    warnings: "Sequence[str]" = (),
    *,
    output: str,
    title: str | None,
    no_title: bool,
    **look: Any,  # noqa: ANN401  # those of save()
) -> None:
    """Warn, and write the figure."""
    warn(tuple(warnings))
    figure.save(output, title=not no_title if title is None else title, **look)


def taken(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of `draw`, taken out of all that a command was given; those that cannot be are refused."""
    from rankscale.figures.base.look import Look, points
    from rankscale.figures.base.rendering import ending_of

    names = ("output", "width", "height", "theme", "palette", "font", "font_size", "title", "no_title", "ppi")
    found = {name: settings.pop(name) for name in names}
    ending_of(found["output"])
    if found["no_title"] and found["title"] is not None:
        raise click.UsageError("--title and --no-title exclude each other")
    width, height = (None if found[name] is None else points(found[name]) for name in ("width", "height"))
    Look(width, height, font_size=found["font_size"])
    return found
