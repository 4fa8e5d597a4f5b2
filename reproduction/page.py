"""Tables of published values beside ours, in Markdown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """One published value, to so many places, ours, and why they differ where they do."""

    row: str
    column: str
    published: str
    ours: float
    reason: str = ""

    @property
    def shown(self) -> str:
        """Ours, to as many places as are published, and with a sign and in percent where that is so."""
        number = self.published.rstrip("%")
        rounded = round(self.ours, len(number.partition(".")[2])) + 0.0  # no -0
        sign = "+" if number[0] in "+-" else ""
        return f"{rounded:{sign}.{len(number.partition('.')[2])}f}{self.published[len(number) :]}"

    @property
    def met(self) -> bool:
        """Whether ours is the same to the last published digit."""
        return self.shown == self.published


def table(cells: Sequence[Cell]) -> str:
    """Rows by columns; a value that is met stands once, one that is not beside the published one."""
    columns = list(dict.fromkeys(cell.column for cell in cells))
    by_row: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        by_row.setdefault(cell.row, {})[cell.column] = cell
    lines = [["", *columns], ["---"] * (len(columns) + 1)]
    lines += [[row, *(_shown(found.get(column)) for column in columns)] for row, found in by_row.items()]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _shown(cell: Cell | None) -> str:
    if cell is None:
        return ""
    return cell.shown if cell.met else f"**{cell.shown}** (published {cell.published})"


def met(cells: Sequence[Cell]) -> str:
    """How many are the same to the last published digit."""
    return f"{sum(cell.met for cell in cells):,} of {len(cells):,} numbers"


def differences(cells: Iterable[Cell]) -> str:
    """What is not met, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for cell in cells:
        if not cell.met:
            told = f"{cell.row}, {cell.column}: {cell.shown} (published {cell.published})"
            by_reason.setdefault(cell.reason or "**No reason is known.**", []).append(told)
    if not by_reason:
        return "No difference."
    return "\n".join(f"- {reason} {'; '.join(told)}." for reason, told in by_reason.items())
