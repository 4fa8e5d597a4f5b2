import math

from rankscale.data.table import Column, Table
from rankscale.outputs.people import html_table, latex_table, markdown_table, people_table

TABLE = Table(
    {"run": ["a_b&c", "<script>|", "x"], "P@10": [0.5, 0.25, 0.125], "AP": [0.1, 0.3, 0.2]},
    notes=("P@10: one thing_", "AP: another"),
    view=[
        "run",
        Column("P@10", align="left", plain=True, marks=("a", "ab", "b"), best=frozenset({0})),
        Column("AP", align="left", plain=True, marks=("", "*", "baseline"), best=frozenset({1})),
    ],
)


def test_people_see_marks_beside_means() -> None:
    lines = people_table(TABLE, 2).splitlines()
    assert [line.split() for line in lines[:4]] == [
        ["run", "P@10", "AP"],
        ["a_b&c", "0.50", "a", "0.10"],
        ["<script>|", "0.25", "ab", "0.30", "*"],
        ["x", "0.12", "b", "0.20", "baseline"],
    ]
    assert lines[-2:] == list(TABLE.notes)


def test_latex_escapes_names_and_sets_the_best_in_bold() -> None:
    text = latex_table(TABLE, 2)
    assert r"a\_b\&c & \textbf{0.50}\textsuperscript{a} & 0.10 \\" in text
    assert (
        r"\textless{}script\textgreater{}\textbar{} & 0.25\textsuperscript{ab} & \textbf{0.30}\textsuperscript{{*}} \\"
        in text
    )
    assert text.count(r"\textbf") == 2
    assert all(line.startswith("%") for line in text.splitlines() if "another" in line)


def test_no_line_of_a_note_is_set_by_latex() -> None:
    lines = latex_table(Table({"run": ["x"]}, title="a\nb", notes=("one\n\\input{x}",)), 2).splitlines()
    assert "% a b" in lines
    assert lines[-1] == r"% one \input{x}"


def test_negative_numbers_have_a_minus_sign_in_latex() -> None:
    numbers = Table(
        {"x": [-0.5, -math.inf, 1e-9, -2]},
        view=[Column("x", interval=([-0.75, math.nan, 0.0, math.nan], [0.25, math.nan, 1.0, math.nan]))],
    )
    cells = [line.removesuffix(r" \\") for line in latex_table(numbers, 2).splitlines()[5:9]]
    assert cells == ["$-0.50$ [$-0.75$, 0.25]", "$-inf$", "1.0e-09 [0.00, 1.00]", "$-2$"]


def test_markdown_escapes_names_and_sets_the_best_in_bold() -> None:
    lines = markdown_table(TABLE, 2).splitlines()
    assert lines[0] == "| run | P@10 | AP |"
    assert lines[2] == r"| a\_b\&c | **0.50**<sup>a</sup> | 0.10 |"
    assert lines[3] == r"| \<script\>\| | 0.25<sup>ab</sup> | **0.30**<sup>\*</sup> |"


def test_html_has_marks_notes_and_no_names_as_tags() -> None:
    page = html_table(TABLE, 2)
    assert "<td>0.25<sup>ab</sup></td>" in page
    assert "<p>AP: another</p>" in page
    assert "<script" not in page
