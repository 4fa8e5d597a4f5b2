"""Blocks: what people read, in order, as tables, prose and matrices of signs; written plainly or fitted to a screen."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from rankscale.data.table import Table
from rankscale.outputs.aligned import people_table
from rankscale.outputs.fitting import fitted_table
from rankscale.outputs.names import on_terminal
from rankscale.outputs.screen import BOLD, PLAIN, Screen, common_width, wrapped

LEAST_SIGNS = 10  # of a band of a matrix, however narrow the screen


@dataclass(frozen=True)
class Matrix:
    """One sign for each pair of names: `signs` has a text of as many characters as there are names for each name."""

    title: str
    names: Sequence[str]
    signs: Sequence[str]

    def rows(self, start: int = 0, stop: int | None = None) -> list[str]:
        """Each name with its signs, or with some of them."""
        wide = common_width(map(len, self.names))
        return [
            f"{on_terminal(name):<{wide}}  {of[start:stop]}" for name, of in zip(self.names, self.signs, strict=True)
        ]


@dataclass(frozen=True)
class Facts:
    """Names and what is said of each, in two columns; lines have at most `most` characters on any screen.

    Words with a hyphen, such as sub-topic, stay whole.
    """

    facts: Sequence[tuple[str, str]]
    wide: int  # characters of the first column
    most: int
    indent: str = ""

    def lines(self, screen: Screen) -> list[str]:
        """The facts, the second column wrapped."""
        width = self.most if screen.width is None else min(self.most, screen.width)
        deeper = " " * (len(self.indent) + self.wide)
        return [
            textwrap.fill(
                on_terminal(words),
                width,
                initial_indent=f"{self.indent}{name:<{self.wide}}",
                subsequent_indent=deeper,
                break_on_hyphens=False,
            )
            for name, words in self.facts
        ]


Block = (
    Table | Matrix | Facts | str
)  # a text is prose: each of its lines is a paragraph, indented as its first character is


def written(blocks: Sequence[Block], places: int, screen: Screen = PLAIN) -> str:
    """Blocks as text, an empty line between them.

    Parameters
    ----------
    blocks : sequence of Table, Matrix, Facts or str
        What is read, in order.
    places : int
        Decimals of numbers in tables.
    screen : Screen
        What the text has to fit; by default nothing, and lines are as long as they come.

    Returns
    -------
    str
        Without a line end after the last line.
    """
    return "\n\n".join(_written(block, places, screen) for block in blocks)


def _written(block: Block, places: int, screen: Screen) -> str:
    if isinstance(block, str):
        return prose(block, screen)
    if isinstance(block, Facts):
        return "\n".join(block.lines(screen))
    if isinstance(block, Matrix):
        return _bands(block, screen)
    return people_table(block, places) if screen.width is None else fitted_table(block, places, screen)


def prose(text: str, screen: Screen) -> str:
    """Paragraphs without control characters, wrapped at words where the screen is narrower."""
    return "\n".join(wrapped(line, screen.width) for line in text.split("\n"))


def _bands(matrix: Matrix, screen: Screen) -> str:
    """The signs of each name in a row; where rows are too long, some columns at a time, counted in the title."""
    count = len(matrix.names)
    most = count
    if screen.width is not None:
        most = max(LEAST_SIGNS, screen.width - common_width(map(len, matrix.names)) - 2)
    bands = []
    for start in range(0, count, most):
        stop = min(start + most, count)
        which = "" if most >= count else f", against runs {start + 1} to {stop}"
        bands.append("\n".join([screen.style(f"{matrix.title}{which}", BOLD), *matrix.rows(start, stop)]))
    return "\n\n".join(bands)
