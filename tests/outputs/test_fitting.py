"""Tables on a terminal: no line is wider, no number is broken, and nothing is left out without a word."""

import re

import hypothesis.strategies as st
from hypothesis import given

from rankscale.data.table import Column, Sparklines, Table
from rankscale.outputs.blocks import Matrix, PrintedFacts, written
from rankscale.outputs.screen import Screen, columns, in_ascii, wrapped

MEANS = Table(
    {
        "run": ["bm25-with-a-long-name-a", "bm25-with-a-long-name-b", "ql"],
        "topics": [50, 50, 50],
        "AP": [0.25, 0.5, 0.125],
        "P@10": [0.75, 0.5, 0.125],
    },
    notes=("A sentence that goes on for a while and has to be wrapped at its words.",),
).with_columns(Column("AP", best=frozenset([1])), Column("P@10", faint=frozenset([2])))


def shown(table: Table, width: int, *, styled: bool = False) -> str:
    return written([table], 4, Screen(width, styled=styled))


def test_a_table_that_fits_is_as_it_is_in_a_file() -> None:
    assert shown(MEANS, 200) == written([MEANS], 4)


def test_headings_fold_then_equal_columns_go_below_then_names_are_cut() -> None:
    table = Table({"run": ["a", "b"], "lower_uncorrected": [0.25, 0.5], "upper_uncorrected": [0.25, 0.75]})
    assert shown(table, 32) == (
        "          lower_       upper_\n"
        "run  uncorrected  uncorrected\n"
        "a         0.2500       0.2500\n"
        "b         0.5000       0.7500"
    )
    assert shown(MEANS, 34).split("\n")[:6] == [
        "run                     AP    P@10",
        "bm25-wit…ng-name-a  0.2500  0.7500",
        "bm25-wit…ng-name-b  0.5000  0.5000",
        "ql                  0.1250  0.1250",
        "",
        "In all rows: topics 50.",
    ]


def test_columns_that_are_left_out_are_named() -> None:
    wide = Table({"run": ["a", "b", "c", "d"], **{f"measure{n}": [n / 7, n / 3, 0.5, 0.1] for n in range(12)}})
    text = shown(wide, 60)
    assert max(map(len, text.split("\n"))) <= 60
    said = re.search(r"Left out to fit 60 columns: (.*); --format tsv", text.replace("\n", " "))
    assert said
    there, left_out = text.split("\n")[0].split(), said[1].split(", ")
    assert [*there, *left_out] == list(wide.columns)
    kept = shown(Table(wide.columns, important=("measure11",)), 60)
    assert "measure11" in kept.split("\n")[0]


def test_both_ends_of_an_interval_are_shown_or_neither() -> None:
    numbers = [0.25, 0.5, 0.75, 0.125]
    names = ("difference", "lower_uncorrected", "upper_uncorrected", "p")
    table = Table({"run": ["a", "b", "c", "d"], **dict.fromkeys(names, numbers)})
    for width in range(14, 60):
        head = " ".join(shown(table, width).split("Left out")[0].split())
        assert ("lower" in head) == ("upper" in head)


def test_ranges_stand_below_their_numbers_and_prose_folds() -> None:
    table = Table({"run": ["a"], "AP": [0.5]}, view=["run", Column("AP", interval=([0.25], [0.75]))])
    assert "0.5000\n     [0.2500, 0.7500]" in shown(table, 21)
    prose = Table({"kind": ["ties", "columns"], "text": ["one word after the other " * 3, "short"]})
    text = shown(prose, 40)
    assert max(map(len, text.split("\n"))) <= 40
    assert text.split()[2:].count("word") == 3


def test_a_table_of_one_row_is_turned_round() -> None:
    table = Table({"measure": ["AP"], "baseline": [0.25], "candidate": [0.5], "difference": [0.25], "p": [0.125]})
    assert shown(table, 24).split("\n")[:2] == ["measure     AP", "baseline    0.2500"]


def test_the_best_is_bold_what_says_little_dim_and_verdicts_have_colours() -> None:
    text = shown(MEANS, 200, styled=True)
    assert "\x1b[1m0.5000\x1b[0m" in text
    assert "\x1b[2m0.1250\x1b[0m" in text
    assert re.sub(r"\x1b\[[0-9;]*m", "", text) == written([MEANS], 4)
    verdicts = Table({"verdict": ["ok", "error"]}, view=[Column("verdict", tones=["good", "bad"])])
    assert shown(verdicts, 80, styled=True).split("\n")[1:] == ["\x1b[32mok\x1b[0m", "\x1b[31merror\x1b[0m"]
    most = Table(
        {"run": ["a", "b", "c"], "Judged": [1.0, 1.0, 0.5]}, view=["run", Column("Judged", best=frozenset([0, 1]))]
    )
    assert "\x1b" not in shown(most, 80, styled=True), "where most are best, none stands out"


def test_sparklines_take_the_room_that_there_is() -> None:
    sparks = Sparklines([[float(n) for n in range(40)]], 0.0, 39.0)
    table = Table(
        {"run": ["a"], "by topic": sparks.text()}, view=["run", Column("by topic", align="left", sparklines=sparks)]
    )
    assert len(written([table], 4).split()[-1]) == 20
    assert len(shown(table, 80).split()[-1]) == 40
    assert len(shown(table, 30).split()[-1]) == 25
    assert sparks.text(8)[0] == "▁▂▃▄▅▆▇█"


def test_matrices_come_in_bands_and_facts_wrap() -> None:
    names = [f"run{n:02}" for n in range(30)]
    matrix = Matrix("AP", names, ["." * 30] * 30)
    assert written([matrix], 4).split("\n")[1] == "run00  " + "." * 30
    bands = written([matrix], 4, Screen(27)).split("\n\n")
    assert [band.split("\n")[0] for band in bands] == ["AP, against runs 1 to 20", "AP, against runs 21 to 30"]
    assert bands[1].split("\n")[1] == "run00  .........."
    facts = PrintedFacts([("formula", "a sum over all of the ranks of the ranking")], 9, 110)
    assert written([facts], 4, Screen(30)) == "formula  a sum over all of the\n         ranks of the ranking"


def test_prose_keeps_its_indents_and_long_words_whole() -> None:
    assert wrapped("  ! one two three", 12) == "  ! one two\n    three"
    assert wrapped("see /a/very/long/path/to/a/file there", 10) == "see\n/a/very/long/path/to/a/file\nthere"
    assert columns("検索 a") == 6
    assert in_ascii("▁█ 0.5 ±0.1…") == "_# 0.5 +-0.1~"


NAMES = st.text(st.characters(categories=["L", "N", "P"], exclude_characters="…"), min_size=1, max_size=30)


@given(
    st.lists(NAMES, min_size=1, max_size=6, unique=True),
    st.integers(1, 12),
    st.integers(20, 120),
    st.floats(1, 1000, allow_nan=False),
)
def test_no_line_is_too_wide_and_no_number_is_broken(runs: list[str], count: int, width: int, start: float) -> None:
    numbers = {f"m{n}_of_all": [start + n + place / 8 for place in range(len(runs))] for n in range(count)}
    text = shown(Table({"run": runs, **numbers}), width)
    rows, _, said = text.partition("\n\n")
    assert all(columns(line) <= max(width, *map(columns, runs)) for line in rows.split("\n"))
    left_out = re.findall(r"m\d+_of_all", said.split("Left out")[-1]) if "Left out" in said else []
    for name, cells in numbers.items():
        if name not in left_out:
            assert all(f"{cell:.4f}" in text for cell in cells)
