"""The committed page is what the command gives: sections that are quick are made again and stand there as they are."""

import sys
from pathlib import Path

import pytest

from rankscale.studies.archetypes import archetypes
from reproduction import interval_tables, pools, rbp_bounds, twist_studies
from reproduction.__main__ import DATA, HEAD, PAGE, SECTIONS, SUMMARY, main, write
from reproduction.collections import DL_2021, collection
from reproduction.page import Cell, joined, listing, parted, plain, table

WITHOUT_DATA = [name for name, section in SECTIONS.items() if not section.needs]
QUICK = ["other-collections", "rbp-agreement", "dcg", "crp", "twist-collections"]


def committed() -> str:
    return PAGE.read_text(encoding="utf-8")


def test_the_page_has_all_sections_in_their_order_and_says_how_it_is_made() -> None:
    page = committed()
    assert list(parted(page)) == [SUMMARY, *SECTIONS]
    assert page.startswith(HEAD)
    assert page == joined(HEAD, parted(page))
    assert "--data" in HEAD
    assert "No reason is known" not in page


@pytest.mark.parametrize("name", WITHOUT_DATA)
def test_sections_without_data_stand_on_the_page(name: str, tmp_path: Path) -> None:
    assert SECTIONS[name].made(tmp_path) == parted(committed())[name]


def test_the_words_of_all_sections_stand_on_the_page() -> None:
    """Of those too that take too long to be made here."""
    page = committed()
    for name, section in SECTIONS.items():
        module = vars(sys.modules[section.made.__module__])
        words = [text for text in module.values() if isinstance(text, str) and text.endswith(".") and " " in text]
        assert [text for text in words if text not in page and text != module["__doc__"]] == [], name


@pytest.mark.parametrize("name", QUICK)
def test_quick_sections_stand_on_the_page(name: str, shared_data: Path) -> None:
    assert shared_data == DATA
    assert SECTIONS[name].made(shared_data) == parted(committed())[name]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["rbp", "rbp-trec8", "claims", pytest.param("mean-changes", marks=pytest.mark.nightly)]
)
def test_sections_of_a_minute_stand_on_the_page(name: str, shared_data: Path) -> None:
    assert SECTIONS[name].made(shared_data) == parted(committed())[name]


@pytest.mark.slow
def test_parts_of_slower_sections_stand_on_the_page(shared_data: Path) -> None:
    sections = parted(committed())
    best, _ = rbp_bounds.chosen(shared_data)
    for line in list(rbp_bounds.by_depth(shared_data, best))[:3]:
        assert "| " + " | ".join(line) + " |" in sections["rbp-bounds"]
    assert listing(pools.pooled(shared_data), "given").splitlines()[2:] == sections["pools"].splitlines()[6:9]
    assert plain(["", "gain", *twist_studies.SHOWN_AREAS], twist_studies.areas(shared_data)) in sections["twist"]


def test_tables_of_interval_scales_that_are_quick_stand_on_the_page(shared_data: Path) -> None:
    line = next(row for row in parted(committed())["intervals"].splitlines() if row.startswith("| N=5 |"))
    cells = list(interval_tables.cells(shared_data, {5: interval_tables.UNIQUE[5]}, form="rank"))
    assert table(cells).splitlines()[-1] == line


def test_the_page_does_not_change_where_a_section_is_made_again(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(committed(), encoding="utf-8")
    assert main(["rbp-worked", "--update", "-o", str(page)]) == 0
    assert page.read_text(encoding="utf-8") == committed()
    write(page, {"crp": "## Changed"})
    changed = parted(page.read_text(encoding="utf-8"))
    assert changed.pop("crp") == "## Changed"
    assert changed == {name: made for name, made in parted(committed()).items() if name != "crp"}


def test_a_section_is_printed_and_the_page_left_alone_without_update(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    assert main(["not-reproduced", "-o", str(page)]) == 0
    assert "T26" in capsys.readouterr().out
    assert not page.exists()


@pytest.mark.parametrize("name", ["significance", "vectors", "rbp", "twist"])
def test_data_that_is_missing_is_named_with_what_to_do(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--data", str(tmp_path)]) == 2
    told = capsys.readouterr().err
    assert f"no data at {tmp_path}" in told
    assert "--data" in told


def test_halves_are_rounded_up_as_by_hand() -> None:
    assert Cell("", "", "0.0313", 0.03125).met
    assert Cell("", "", "0.0312", 0.03124999).met
    assert Cell("", "", "-4", -4.0).met
    assert Cell("", "", "0.898", 0.895).difference == "-0.003"
    assert listing([Cell("AP", "R = 5", "0.6315", 0.63155, "Cut off.")]).splitlines()[-1] == (
        "| AP, R = 5 | 0.6315 | 0.6316 | +0.0001 | Cut off. |"
    )


def test_archetypes_of_the_page_are_those_of_the_study(shared_data: Path) -> None:
    qrels, runs = collection(shared_data, DL_2021)
    found = archetypes(qrels, runs, depth=100, rel=2)
    line = next(
        row for row in parted(committed())["twist"].splitlines() if row.startswith("| Deep Learning 2021 | 3,339")
    )
    assert [f"{100 * found.share(kind):.2f}" for kind in twist_studies.KINDS] == line.strip("| ").split(" | ")[2:]
