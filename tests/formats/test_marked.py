import numpy as np

from rankscale.data.marked import MarkedTable
from rankscale.formats.write import marked

TABLE = MarkedTable(
    ("a_b&c", "<script>|", "x"),
    ("P@10", "AP"),
    np.array([[0.5, 0.25, 0.125], [0.1, 0.3, 0.2]]),
    (("a", "ab", "b"), ("", "*", "baseline")),
    (frozenset({0}), frozenset({1})),
    ("P@10: one thing_", "AP: another"),
)


def test_people_see_marks_beside_means() -> None:
    lines = marked.people_table(TABLE, 2).splitlines()
    assert [line.split() for line in lines[:4]] == [
        ["run", "P@10", "AP"],
        ["a_b&c", "0.50", "a", "0.10"],
        ["<script>|", "0.25", "ab", "0.30", "*"],
        ["x", "0.12", "b", "0.20", "baseline"],
    ]
    assert lines[-2:] == list(TABLE.notes)


def test_latex_escapes_names_and_sets_the_best_in_bold() -> None:
    text = marked.latex_table(TABLE, 2)
    assert r"a\_b\&c & \textbf{0.50}\textsuperscript{a} & 0.10 \\" in text
    assert (
        r"\textless{}script\textgreater{}\textbar{} & 0.25\textsuperscript{ab} & \textbf{0.30}\textsuperscript{{*}} \\"
        in text
    )
    assert text.count(r"\textbf") == 2
    assert all(line.startswith("%") for line in text.splitlines() if "another" in line)


def test_markdown_escapes_names_and_sets_the_best_in_bold() -> None:
    lines = marked.markdown_table(TABLE, 2).splitlines()
    assert lines[0] == "| run | P@10 | AP |"
    assert lines[2] == r"| a\_b\&c | **0.50**<sup>a</sup> | 0.10 |"
    assert lines[3] == r"| \<script\>\| | 0.25<sup>ab</sup> | **0.30**<sup>\*</sup> |"
