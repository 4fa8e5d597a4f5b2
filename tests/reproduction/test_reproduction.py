"""Published tables: that they are written out right, shown right, and met where real runs are at hand."""

from collections.abc import Iterator
from typing import Any

import pytest

from rankscale.stats.tests.register import PAPER
from rankscale.studies.changes import changes
from reproduction import correlation_tables, significance_tables
from reproduction.interval_tables import COLUMNS
from reproduction.page import Cell, differences, met, table

TABLES_5_AND_6 = {**significance_tables.WITHOUT_RECALL_BASE, **significance_tables.WITH_RECALL_BASE}
QUICK = ("P", "RBP_p05", "RBP_p03", "RR", "R")  # columns whose scales take no time


@pytest.mark.parametrize(
    ("published", "ours", "shown"),
    [
        ("0.7858", 0.78584, "0.7858"),
        ("5153", 5153, "5153"),
        ("5233", 5234, "5234"),
        ("+0.00%", -1e-16, "+0.00%"),
        ("-11.60%", -11.5999, "-11.60%"),
        ("+25.82%", -3.0, "-3.00%"),
        ("370.17%", 370.1711, "370.17%"),
    ],
)
def test_ours_is_shown_as_the_published_one_is(published: str, ours: float, shown: str) -> None:
    cell = Cell("row", "column", published, ours)
    assert cell.shown == shown
    assert cell.met == (shown == published)


def test_what_is_not_met_stands_beside_the_published_value_with_a_reason() -> None:
    cells = [Cell("AP", "Sig", "5233", 5234, "Rounding."), Cell("AP", "S2NS", "0", 0), Cell("R", "Sig", "7", 8)]
    assert table(cells).splitlines()[2:] == ["| AP | **5234** (published 5233) | 0 |", "| R | **8** (published 7) |  |"]
    assert met(cells) == "1 of 3 numbers"
    assert differences(cells).splitlines() == [
        "- Rounding. AP, Sig: 5234 (published 5233).",
        "- **No reason is known.** R, Sig: 8 (published 7).",
    ]
    assert differences(cells[1:2]) == "No difference."


def published_changes() -> Iterator[tuple[str, list[int], str]]:
    for column, rows in TABLES_5_AND_6.items():
        for row in rows.strip().splitlines():
            *numbers, share = row.split()
            yield column, [int(number) for number in numbers], share


def test_published_counts_and_shares_belong_together() -> None:
    assert list(TABLES_5_AND_6) != list(COLUMNS)  # in the order of the paper, which is another
    assert sorted(TABLES_5_AND_6) == sorted(COLUMNS)
    rows = list(published_changes())
    assert len(rows) == len(COLUMNS) * len(PAPER) == 88
    for column, (significant, lost, gained), share in rows:
        assert f"{100 * (lost + gained) / significant:.2f}%" == share, column


def test_published_correlations_and_changes_belong_together() -> None:
    rows = list(correlation_tables.published())
    assert len({frozenset(row[:2]) for row in rows}) == len(rows) == 55
    for one, other, (before, after, percent) in rows:
        change = 100 * (float(after) / float(before) - 1)
        assert abs(change - float(percent.rstrip("%"))) < 0.02, (one, other)  # they are those of unrounded values


@pytest.mark.slow
def test_significant_pairs_of_quick_columns_are_met(trec_8: tuple[Any, Any]) -> None:
    qrels, runs = trec_8
    measures = [f"{COLUMNS[column]}@{significance_tables.LENGTH}" for column in QUICK]
    found = changes(qrels, runs, measures, df="infinite", form="rank")
    cells = [cell for column in QUICK for cell in significance_tables.cells(column, TABLES_5_AND_6[column], found)]
    assert met(cells) == "160 of 160 numbers"
    names = dict(zip(map(str, measures), QUICK, strict=True))
    ours = {frozenset((names[str(one.measure)], names[str(one.other)])): one for one in found.agreements}
    rows = [row for row in correlation_tables.published() if frozenset(row[:2]) in ours]
    assert len(rows) == 10
    for one, other, numbers in rows:
        agreement = ours[frozenset((one, other))]
        shown: list[Any] = [agreement.tau, agreement.interval_tau, agreement.percent]
        assert all(Cell("", "", text, value).met for text, value in zip(numbers, shown, strict=True)), (one, other)
