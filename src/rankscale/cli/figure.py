"""`rankscale figure`: commands of figures, made from what each figure declares in its own file."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import click

from rankscale.cli import options
from rankscale.cli.command import Command, declared, together
from rankscale.cli.program import LazyGroup, summaries
from rankscale.cli.terminal import warn
from rankscale.data.extensions import FIGURES as FIGURE_PACKAGES

if TYPE_CHECKING:
    from rankscale.data.notices import Notice
    from rankscale.figures.base.figure import Figure

FIGURES = summaries("figures", __name__)
LOOK = ("width", "height", "theme", "palette", "font", "font_size", "ppi")  # keywords of `Figure.save`


palette = options.choice(
    "--palette",
    ("safe", "papers"),
    "Colours that everybody can tell apart, or the papers' own green, red and blue.",
    "safe",
)
FILE = "Write to FILE: .pdf, .svg, .png, .html, .json (Vega-Lite), .tsv or .csv (the data drawn)."
WIDTH = "Width of the whole figure: 84mm, 3.3in, 240pt, 500px."
drawing = together(
    options.option("-o --output", FILE, required=True, metavar="FILE"),
    options.option("--width", WIDTH, shown="160mm; a page (.html) has its own", metavar="LENGTH"),
    options.option("--height", "Height of the whole figure.", shown="what suits it", metavar="LENGTH"),
    options.choice("--theme", ("light", "dark"), "Colours of text and background.", "light"),
    palette,
    options.option("--font", "Font of this machine.", default="sans-serif", metavar="NAME"),
    options.option("--font-size", "Size of type in points.", click.FLOAT, 8.0, metavar="POINTS"),
    options.option("--title", "Title above the figure.", shown="the figure's own", metavar="TEXT"),
    options.flag("--no-title", "Leave the title to the caption."),
    options.option("--ppi", "Pixels per inch, in PNG.", click.FLOAT, 300.0),
)


def figure_command(name: str) -> Command:
    """The command of a figure: options in, a file out."""
    from rankscale.cli.sources import click_options, declared_command, help_of, result

    figure = declared_command("figures", name)

    @declared(name, *click_options(figure), drawing, about=help_of(figure))
    def command(output: str, title: str | None, *, no_title: bool, **given: object) -> None:
        from rankscale.figures.base.look import Appearance, points
        from rankscale.figures.base.rendering import ending_of

        ending_of(output)
        if no_title and title is not None:
            raise click.UsageError("--title and --no-title exclude each other")
        taken: dict[str, Any] = {key: given.pop(key) for key in LOOK}
        width, height = (None if length is None else points(length) for length in (taken["width"], taken["height"]))
        Appearance(width, height, font_size=taken["font_size"])  # which is refused, as a file is, before any work
        notices: list[str | Notice] = []
        made = result(figure, given, notices.extend, _side_by_side)
        warn([*notices, *made.notices])
        made.save(output, title=not no_title if title is None else title, **taken)

    return command


command_of = figure_command


def _side_by_side(figures: Mapping[str, object]) -> "Figure":
    from rankscale.figures.base.register import panels

    return panels(cast("Mapping[str, Figure]", figures))


class Figures(LazyGroup):
    """All figures."""

    kind = "figure"


@click.command("figure", cls=Figures, table=lambda: FIGURES, others=FIGURE_PACKAGES, maker=__name__)
def command() -> None:
    """Draw a figure: PDF, SVG or PNG for a paper, HTML to explore, TSV or CSV with the data drawn.

    \b
    Examples:
      rankscale figure curves qrels.txt runs/*.gz -m nDCG -o ndcg.pdf --width 84mm
      rankscale figure effort-gain qrels.txt runs/*.gz -o effort.html
      rankscale figure hasse -o hasse.svg
    """
