"""Tables of published values beside ours, in Markdown, and the page that they stand on."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

MARK = "<!-- made by: python -m reproduction {name} -->"


@dataclass(frozen=True)
class Cell:
    """One published value, to so many places, ours, and why they differ where they do."""

    row: str
    column: str
    published: str
    ours: float
    reason: str = ""

    @property
    def places(self) -> int:
        """How many places are published."""
        return len(self.published.rstrip("%").partition(".")[2])

    @property
    def shown(self) -> str:
        """Ours, to as many places as are published, and with a sign and in percent where that is so."""
        number = self.published.rstrip("%")
        # As one rounds by hand: 0.03125 is 0.0313. No -0.
        exact = Decimal(repr(float(self.ours))).quantize(Decimal(1).scaleb(-self.places), ROUND_HALF_UP)
        rounded = float(exact) + 0.0
        sign = "+" if number[0] in "+-" else ""
        return f"{rounded:{sign}.{self.places}f}{self.published[len(number) :]}"

    @property
    def met(self) -> bool:
        """Whether ours is the same to the last published digit."""
        return self.shown == self.published

    @property
    def difference(self) -> str:
        """By how much ours is higher, in published digits."""
        apart = float(self.shown.rstrip("%")) - float(self.published.rstrip("%"))
        return "" if self.met else f"{apart:+.{self.places}f}"

    @property
    def why(self) -> str:
        """The reason for a difference."""
        return "" if self.met else self.reason or "**No reason is known.**"


def table(cells: Sequence[Cell]) -> str:
    """Rows by columns; a value that is met stands once, one that is not beside the published one."""
    columns = list(dict.fromkeys(cell.column for cell in cells))
    by_row: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        by_row.setdefault(cell.row, {})[cell.column] = cell
    return plain(
        ["", *columns],
        ([row, *(_shown(found.get(column)) for column in columns)] for row, found in by_row.items()),
    )


def _shown(cell: Cell | None) -> str:
    if cell is None:
        return ""
    return cell.shown if cell.met else f"**{cell.shown}** (published {cell.published})"


def listing(cells: Iterable[Cell], against: str = "published") -> str:
    """One line for each value: what it is, the published one, ours, the difference, and why there is one."""
    return plain(
        ["what", against, "ours", "difference", "reason"],
        (
            [", ".join(filter(None, [cell.row, cell.column])), cell.published, cell.shown, cell.difference, cell.why]
            for cell in cells
        ),
    )


def plain(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of texts."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def met(cells: Sequence[Cell]) -> str:
    """How many are the same to the last published digit."""
    return f"{sum(cell.met for cell in cells):,} of {len(cells):,} numbers"


def differences(cells: Iterable[Cell]) -> str:
    """What is not met, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for cell in cells:
        if not cell.met:
            told = f"{cell.row}, {cell.column}: {cell.shown} (published {cell.published})"
            by_reason.setdefault(cell.why, []).append(told)
    if not by_reason:
        return "No difference."
    return "\n".join(f"- {reason} {'; '.join(told)}." for reason, told in by_reason.items())


def joined(head: str, sections: Mapping[str, str]) -> str:
    """The page: each section below a mark that names it."""
    return "\n\n".join([head, *(f"{MARK.format(name=name)}\n\n{made}" for name, made in sections.items())]) + "\n"


def parted(page: str) -> dict[str, str]:
    """The sections of a page by name.

    >>> parted(joined("# Page", {"rbp": "## Table", "dcg": "## Curves"}))
    {'rbp': '## Table', 'dcg': '## Curves'}
    """
    mark = re.escape(MARK).replace(r"\{name\}", "([a-z0-9-]+)")
    _, *parts = re.split(rf"^{mark}$", page, flags=re.MULTILINE)
    return {name: made.strip("\n") for name, made in zip(parts[::2], parts[1::2], strict=True)}
