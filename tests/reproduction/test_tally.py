"""The table at the top of the page counts what the tables below it say."""

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from reproduction import interval_examples, rbp_agreement, rbp_worked, tally, worked_vectors
from reproduction.__main__ import HEAD, PAGE, SECTIONS, SUMMARY, main
from reproduction.page import Cell, joined, listing, parted, table


def sections() -> dict[str, str]:
    return parted(PAGE.read_text(encoding="utf-8"))


def count(what: str) -> tally.Count:
    part = next(part for part in tally.PARTS if f"{part.paper}: {part.what}" == what)
    return tally.counted(part, sections())


def test_the_table_on_the_page_is_what_is_counted(tmp_path: Path) -> None:
    page = sections()
    assert tally.section(page) == page[SUMMARY]
    assert page.keys() >= tally.NEEDED
    copy = tmp_path / "page.md"
    copy.write_text(joined(HEAD, {name: page[name] for name in SECTIONS}), encoding="utf-8")
    assert main([SUMMARY, "--update", "-o", str(copy)]) == 0
    assert copy.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("what", "cells"),
    [
        (f"{tally.SCALES}: Examples 9, 10 and 12, Table 1, Figures 4 and 5", interval_examples.cells),
        (f"{tally.RBP}: Tables I and II", lambda: [*rbp_worked.shares_of_ap(), *rbp_worked.terms_of_rbp()]),
        (f"{tally.RBP}: Values in the text", rbp_worked.worked_values),
        (f"{tally.CRP}: Worked vectors", worked_vectors.positions_of_angelini),
        (f"{tally.TWIST}: Worked example, by its definitions", worked_vectors.twist_values),
        (
            f"{tally.TWIST}: Worked vectors",
            lambda: [
                *worked_vectors.positions("RP", worked_vectors.TWIST_RP),
                *worked_vectors.positions("CRP", worked_vectors.TWIST_CRP),
            ],
        ),
    ],
)
def test_counts_are_those_of_the_cells(what: str, cells: Callable[[], Iterable[Cell]]) -> None:
    made, found = list(cells()), count(what)
    met = sum(cell.met for cell in made)
    assert (found.published, found.met, found.explained) == (len(made), met, len(made) - met)


def test_numbers_met_in_another_way_are_counted(shared_data: Path) -> None:
    found = count(f"{tally.RBP}: Table III")
    ours = list(rbp_agreement.cells(shared_data, theirs=False))
    theirs = list(rbp_agreement.cells(shared_data, theirs=True))
    assert (found.published, found.met) == (32, sum(cell.met for cell in ours))
    assert found.other_way == sum(other.met and not one.met for one, other in zip(ours, theirs, strict=True))


def test_known_counts() -> None:
    assert count(f"{tally.SCALES}: Table 2, T08") == tally.Count(tally.SCALES, "Table 2, T08", 44, 41, 3, 3)
    assert count(f"{tally.SCALES}: Table 6, T08") == tally.Count(tally.SCALES, "Table 6, T08", 128, 115, 13, 13)
    assert count(f"{tally.SCALES}: Table 5, T08").explained == 0
    impossible = {one.what: one for one in tally.impossible()}
    for one in impossible.values():
        assert one.met + one.impossible == one.published
    assert impossible["Table 5, T26 and T27"].published == 448


def test_cells_are_told_apart() -> None:
    cells = [Cell("AP", "Sig", "5233", 5234, "Rounding."), Cell("AP", "S2NS", "0", 0), Cell("R", "Sig", "7", 8)]
    for made in (table(cells), listing(cells)):
        (rows,) = tally.under(tally.tables(f"## A heading\n\n{made}\n"), "A head")
        assert [met for _, met in tally.cells_of(rows)] == [False, True, False]
    with pytest.raises(ValueError, match="0 headings begin with 'B'"):
        tally.under({"A": []}, "B")
