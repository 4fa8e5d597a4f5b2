"""The tables of forms and of names of columns in docs/guide/reading.md say what the readers know."""

import re
from pathlib import Path

from rankscale import _core
from rankscale.inputs.options import FORMS

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "reading.md"


def table(heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its header."""
    section = PAGE.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[1:]]


def normalised(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


def test_the_names_of_columns_are_those_of_the_core_in_their_order_of_preference():
    shown = {
        cells[0].partition(",")[0]: [normalised(name) for name in cells[1].split(",")]
        for cells in table("Names of columns")
    }
    assert shown == _core.column_names()


def test_every_form_is_in_the_table():
    shown = [name for cells in table("Forms of files") for name in re.findall(r"`(\w+)`", cells[0])]
    assert sorted(shown) == sorted(FORMS)
