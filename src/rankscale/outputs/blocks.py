"""Blocks: what people read, in order, as tables, prose and matrices of signs; written plainly or fitted to a screen."""

import os
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

from rankscale.data.table import Column, Table
from rankscale.outputs import screen as terminal
from rankscale.outputs.names import on_terminal
from rankscale.outputs.people import ShownCell, are_left, best_stands_out, people_table, shown_cells
from rankscale.outputs.screen import BOLD, DIM, PLAIN, TONES, Screen, columns, common_width, cut, wrapped

GAP = 2  # spaces between columns
LEAST_PROSE, LEAST_NAME, LEAST_BLOCKS = 24, 16, 8  # characters that a column of this kind keeps
FEW_ROWS = 3  # of a table that is turned round where it is too wide


@dataclass(frozen=True)
class FittedColumn:
    """A column as it is laid out.

    Attributes
    ----------
    column : Column
        What it is made from.
    name : str
        The heading in one line.
    heading : tuple of str
        Its lines.
    cells : tuple of tuples of str
        (row, line): the lines of each cell.
    left : bool
        Whether cells stand to the left.
    codes : tuple of tuples of str
        (row, code): how each cell is styled.
    is_text : bool
        Whether cells are names or prose, and may be folded or cut; numbers never are.
    """

    column: Column
    name: str
    heading: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    left: bool
    codes: tuple[tuple[str, ...], ...]
    is_text: bool

    @cached_property
    def width(self) -> int:
        """Columns of the terminal that it takes."""
        return max([self.cells_width, *map(columns, self.heading)])

    @cached_property
    def cells_width(self) -> int:
        """The same without the heading."""
        return max((columns(line) for cell in self.cells for line in cell), default=0)


FittedColumns = Sequence[FittedColumn]


def fitted_table(table: Table, places: int, screen: Screen) -> str:
    """A table for people that is no wider than the screen: title, rows, what was left out, and notes, wrapped."""
    parts: FittedColumns = _parts(table, places)
    said: list[str] = []
    width = screen.width or _total(parts)
    if _total(parts) > width:
        parts, said = _fitted(parts, width, table.important, screen)
    title = [screen.style(wrapped(on_terminal(table.title), screen.width), BOLD)] if table.title else []
    notes = [wrapped(on_terminal(note), screen.width) for note in (*said, *table.notes)]
    return "\n".join([*title, *_lines(parts, screen), *["", *notes] * bool(notes)])


def _parts(table: Table, places: int) -> list[FittedColumn]:
    parts = []
    for column, left in zip(table.shown(), are_left(table), strict=True):
        cells, heading = shown_cells(column, places), on_terminal(column.heading)
        is_text = any(isinstance(cell, str) for cell in column.cells or ()) and column.sparklines is None
        lines = tuple((on_terminal(cell.marked),) for cell in cells)
        parts.append(FittedColumn(column, heading, (heading,), lines, left, _codes(cells), is_text))
        if column.sparklines is not None:
            parts[-1] = _with_blocks(parts[-1], column.sparklines.most)
    return parts


def _codes(cells: Sequence[ShownCell]) -> tuple[tuple[str, ...], ...]:
    """(row, code): the best in bold unless most are, what says little dim, verdicts in colour."""
    bold = best_stands_out(cells)
    return tuple(
        (BOLD,) * (cell.bold and bold) + (DIM,) * cell.faint + ((TONES[cell.tone],) if cell.tone else ())
        for cell in cells
    )


def _total(parts: FittedColumns) -> int:
    return sum(part.width for part in parts) + GAP * max(len(parts) - 1, 0)


def _fitted(
    parts: FittedColumns, width: int, important: Sequence[str], screen: Screen
) -> tuple[FittedColumns, list[str]]:
    """Columns that fit, and what is said of those that do not."""
    turned = _turned(parts, width)
    narrow = _narrowed(parts, width)
    if _total(narrow) <= width:
        return narrow, []
    if turned is not None:
        return turned, []
    for never in (important, ()):  # what matters is moved below the table only if there is no other way
        varied = [part for part in parts if len(part.cells) < 2 or len(set(part.cells)) > 1 or part.name in never]
        same = [f"{part.name} {' '.join(part.cells[0])}" for part in parts if part not in varied]
        said = [f"In all rows: {', '.join(same)}."] if same else []
        narrow = _narrowed(varied, width)
        if _total(narrow) <= width:
            return narrow, said
    kept = _kept(varied, width, important)
    left_out = [part.name for part in varied if part not in kept]
    how = f"{screen.more} shows {'it' if len(left_out) == 1 else 'them'}"
    said.append(f"Left out to fit {width} columns: {', '.join(left_out)}; {how}.")
    return _narrowed(kept, width), said


def _kept(parts: FittedColumns, width: int, important: Sequence[str]) -> FittedColumns:
    """The columns that are kept: the first, the important ones in their order, then from the left what has room.

    The two ends of an interval are kept together or not at all.
    """
    ranks = {name: place for place, name in enumerate(important)}
    others = len(ranks)
    order = sorted(range(len(parts)), key=lambda place: (place > 0, ranks.get(parts[place].name, others), place))
    names = [part.name for part in parts]
    kept: list[int] = []
    for place in order:
        if place in kept:
            continue
        name = names[place]
        other_end = f"upper{name.removeprefix('lower')}" if name.startswith("lower") else name
        together = {place, names.index(other_end)} if other_end in names else {place}
        tried = sorted({*kept, *together})
        if tried == [0] or _total(_narrowed([parts[one] for one in tried], width)) <= width:
            kept = tried
        elif name not in ranks:
            break  # what is shown is a beginning of the table, not whatever happens to be narrow
    return [parts[place] for place in kept]


def _turned(parts: FittedColumns, width: int) -> FittedColumns | None:
    """A table of few rows with a row for each column, if that fits."""
    rows = len(parts[0].cells)
    if not 0 < rows <= FEW_ROWS or len(parts) <= rows + 2:
        return None
    turned = partial(FittedColumn, Column(""), "", left=True, is_text=True)
    made = [turned((parts[0].name,), tuple((part.name,) for part in parts[1:]), codes=((),) * (len(parts) - 1))]
    for row in range(rows):
        cells, codes = tuple(part.cells[row] for part in parts[1:]), tuple(part.codes[row] for part in parts[1:])
        made.append(turned(parts[0].cells[row], cells, codes=codes))
    made = list(_narrowed(made, width))
    return made if _total(made) <= width else None


def _narrowed(parts: FittedColumns, width: int) -> FittedColumns:
    """Columns made narrower, step by step and no more than it takes."""
    parts = _fewer_blocks(parts, width)
    for step in (_folded_heading, _folded_ranges, _folded_prose, _cut_names):
        if _total(parts) <= width:
            break
        parts = _widest_first(parts, width, step)
    return parts


def _widest_first(parts: FittedColumns, width: int, step: Callable[[FittedColumn, int], FittedColumn]) -> FittedColumns:
    """Apply a step to one column after the other, the widest first, each time asking for as much as is too much."""
    made = list(parts)
    for place in sorted(range(len(made)), key=lambda one: -made[one].width):
        excess = _total(made) - width
        if excess <= 0:
            break
        made[place] = step(made[place], made[place].width - excess)
    return made


def _fewer_blocks(parts: FittedColumns, width: int) -> FittedColumns:
    """Sparklines with fewer blocks, of which each then stands for more topics; as many in all columns."""
    most = max((part.column.sparklines.most for part in parts if part.column.sparklines is not None), default=0)
    for blocks in range(most, LEAST_BLOCKS - 1, -1):
        made = [_with_blocks(part, blocks) for part in parts]
        if _total(made) <= width or blocks == LEAST_BLOCKS:
            return made
    return parts


def _with_blocks(part: FittedColumn, blocks: int) -> FittedColumn:
    sparks = part.column.sparklines
    return part if sparks is None else replace(part, cells=tuple((text,) for text in sparks.text(blocks)))


def _folded_heading(part: FittedColumn, wanted: int) -> FittedColumn:
    """A heading that is wider than its cells in several lines, broken after underscores and at spaces."""
    words = re.findall(r"[^_ ]*_|[^_ ]+ ?|_", part.name)
    limit = max(part.cells_width, wanted)
    lines: list[str] = []
    for word in words:
        if lines and columns((lines[-1] + word).rstrip()) <= limit:
            lines[-1] += word
        else:
            lines.append(word)
    return replace(part, heading=tuple(line.rstrip() for line in lines)) if lines else part


def _folded_ranges(part: FittedColumn, wanted: int) -> FittedColumn:  # noqa: ARG001  # a break before each bracket, or none
    """A number with the range beside it in two lines."""
    if part.is_text or part.column.sparklines is not None:
        return part
    broken = tuple(tuple(piece for line in cell for piece in re.split(r" (?=[\[({])", line)) for cell in part.cells)
    return replace(part, cells=broken)


def _folded_prose(part: FittedColumn, wanted: int) -> FittedColumn:
    """Prose in several lines, broken at words."""
    if not part.is_text or not any(" " in line for cell in part.cells for line in cell):
        return part
    limit = max(wanted, min(LEAST_PROSE, part.cells_width))
    wrap = textwrap.TextWrapper(limit, break_long_words=False, break_on_hyphens=False).wrap
    folded = tuple(tuple(piece for line in cell for piece in wrap(line) or [""]) for cell in part.cells)
    return replace(part, cells=folded)


def _cut_names(part: FittedColumn, wanted: int) -> FittedColumn:
    """Names with their middle left out, as long as they still differ; of files in one folder, first what they share."""
    if not part.is_text:
        return part
    shared = re.match(r".*/([^/]*\.)?", os.path.commonprefix([line for cell in part.cells for line in cell]))  # noqa: RUF071  # letters are meant
    if shared and len(part.cells) > 1:
        cells = tuple(tuple(terminal.ELLIPSIS + line[shared.end() :] for line in cell) for cell in part.cells)
        part = replace(part, cells=cells)
    least = max(wanted, LEAST_NAME)
    for limit in range(least, min(part.cells_width, max(least, terminal.WIDEST) + 1)):
        shorter = tuple(tuple(cut(line, limit) for line in cell) for cell in part.cells)
        if len(set(shorter)) == len(set(part.cells)):
            return replace(part, cells=shorter)
    return part


def _lines(parts: FittedColumns, screen: Screen) -> list[str]:
    """Headings, then rows, of which each has as many lines as its tallest cell."""
    heading = max(len(part.heading) for part in parts) if parts else 0
    plain = [()] * len(parts)
    # Headings of several lines end where the cells begin.
    lines = _row([("",) * (heading - len(part.heading)) + part.heading for part in parts], plain, parts, screen)
    for row in range(len(parts[0].cells) if parts else 0):
        lines += _row([part.cells[row] for part in parts], [part.codes[row] for part in parts], parts, screen)
    return lines


def _row(
    cells: Sequence[Sequence[str]], codes: Sequence[Sequence[str]], parts: FittedColumns, screen: Screen
) -> list[str]:
    lines = []
    widest = max(terminal.WIDEST, screen.width or 0)  # what could not be cut, and is wider, sticks out
    for number in range(max(map(len, cells), default=0)):
        pieces = []
        for part, cell, code in zip(parts, cells, codes, strict=True):
            text = cell[number] if number < len(cell) else ""
            space = " " * (min(part.width, widest) - columns(text))
            shown = screen.style(text, *code)
            pieces.append(shown + space if part.left else space + shown)
        lines.append((" " * GAP).join(pieces).rstrip())
    return lines


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
        rows = zip(self.names, self.signs, strict=True)
        return [f"{on_terminal(name):<{wide}}  {signs[start:stop]}" for name, signs in rows]


@dataclass(frozen=True)
class PrintedFacts:
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
        fill = partial(textwrap.fill, width=width, subsequent_indent=deeper, break_on_hyphens=False)
        lines = ((f"{self.indent}{name:<{self.wide}}", on_terminal(words)) for name, words in self.facts)
        return [fill(words, initial_indent=head) for head, words in lines]


# A text is prose: each of its lines is a paragraph, indented as its first character is.
Printable = Table | Matrix | PrintedFacts | str


def written(blocks: Sequence[Printable], places: int, screen: Screen = PLAIN) -> str:
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


def _written(block: Printable, places: int, screen: Screen) -> str:
    if isinstance(block, str):
        return prose(block, screen)
    if isinstance(block, PrintedFacts):
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
