"""LaTeX: names are set as they are, and no command in them is carried out."""

import math
import re
from collections.abc import Callable, Sequence

import pytest

from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.outputs.names import in_latex

Make = Callable[[Sequence[float]], Evaluation]
OWN = {"usepackage", "begin", "end", "toprule", "midrule", "bottomrule", "textbf"}  # commands of the table itself
SYMBOLS = {  # what LaTeX sets for each command that a name may become
    "textbackslash": "\\",
    "textasciicircum": "^",
    "textasciitilde": "~",
    "textless": "<",
    "textgreater": ">",
    "textbar": "|",
    "textquotedbl": '"',
    "textquotesingle": "'",
    "textasciigrave": "`",
}


def typeset(text: str) -> str:
    """What LaTeX sets for a text of plain characters, escaped characters and symbol commands; it refuses the rest."""
    out, place = [], 0
    token = re.compile(r"\\([a-zA-Z]+)\{\}|\\([{}_&%$#])|\{([\[\]*\-'`,!?<>]*)\}|([^\\{}_&%$#^~])", re.DOTALL)
    while place < len(text):
        found = token.match(text, place)
        assert found, f"LaTeX would read more than text at {text[place:]!r}"
        command, character, grouped, plain = found.groups()
        if command:
            assert command in SYMBOLS, f"\\{command} is carried out"
        out.append(SYMBOLS[command] if command else character or grouped or plain or "")
        place = found.end()
    return "".join(out)


def printable(name: str) -> str:
    return "".join(c if c.isprintable() else " " for c in name)


def rows_of(latex: str) -> list[list[str]]:
    """The cells of each row."""
    body = latex[latex.index(r"\toprule") : latex.index(r"\bottomrule")]
    lines = [line for line in body.splitlines() if line.endswith(r"\\")]
    return [re.split(r"(?<!\\) ?& ", line.removesuffix(r"\\").strip()) for line in lines]


@pytest.mark.parametrize("name", [chr(code) for code in range(32, 127)])
def test_every_ascii_character_is_set_as_it_is(name: str) -> None:
    assert typeset(in_latex(name)) == name
    assert typeset(in_latex(f"a{name}{name}b")) == f"a{name}{name}b"


def test_nasty_names_are_set_as_they_are(nasty: Evaluation) -> None:
    _, *rows = rows_of(nasty.to_latex())
    assert len(rows) == len(nasty.runs)
    for run, row in zip(nasty.runs, rows, strict=True):
        assert typeset(row[0]).strip() == printable(run).strip()


def test_measures_are_escaped_too(nasty: Evaluation) -> None:
    head, *_ = rows_of(nasty.to_latex())
    assert [typeset(cell) for cell in head] == ["run", "topics", *map(str, nasty.measures)]


def test_no_command_of_a_name_survives(nasty: Evaluation) -> None:
    commands = set(re.findall(r"\\([a-zA-Z]+)", nasty.to_latex()))
    assert commands <= OWN | SYMBOLS.keys()
    assert r"\input" not in nasty.to_latex()


def test_no_name_is_taken_for_an_option_of_the_line_before(nasty: Evaluation) -> None:
    r"""Past spaces and line ends, `\\` and `\midrule` take a `[` as the start of a length, and `\\` swallows a `*`."""
    assert not re.search(r"(\\\\|\\midrule|\\toprule)\s*[\[*]", nasty.to_latex())


@pytest.mark.parametrize("pair", ["--", "``", "''", "?`", "!`", ",,", "<<", ">>"])
def test_no_two_characters_become_one(pair: str) -> None:
    """LaTeX sets `a--b` with one longer dash, and two quotes as one mark, unless something stands between them."""
    assert pair not in in_latex(f"a{pair}b")


def test_the_text_is_utf8_without_control_characters(nasty: Evaluation) -> None:
    latex = nasty.to_latex()
    latex.encode("utf-8")
    assert all(c.isprintable() for line in latex.split("\n") for c in line)


def test_as_many_columns_as_cells(nasty: Evaluation) -> None:
    latex = nasty.to_latex()
    (columns,) = re.findall(r"\\begin\{tabular\}\{(\w+)\}", latex)
    assert columns == "lrrr"
    assert {len(row) for row in rows_of(latex)} == {4}
    assert latex.endswith("\\end{tabular}\n")


def test_the_best_of_each_column_is_bold() -> None:
    qrels = {"1": {"a": 1, "b": 1}}
    runs = {"x": {"1": {"a": 2.0, "z": 1.0}}, "y": {"1": {"z": 2.0, "a": 1.5, "b": 1.0}}, "w": {"1": {"a": 3.0}}}
    _, *rows = rows_of(evaluate(qrels, runs, ["P@1", "R@3"]).to_latex(places=2))
    assert rows == [
        ["x", "1", r"\textbf{1.00}", "0.50"],
        ["y", "1", "0.00", r"\textbf{1.00}"],
        ["w", "1", r"\textbf{1.00}", "0.50"],
    ]


@pytest.mark.parametrize("places", [0, 3, 6])
def test_places(places: int, holding: Make) -> None:
    _, (*_, cell) = rows_of(holding([1 / 3]).to_latex(places))
    assert cell == rf"\textbf{{{1 / 3:.{places}f}}}"


def test_a_mean_that_is_undefined_is_a_dash_and_never_the_best(holding: Make) -> None:
    _, row = rows_of(holding([math.nan]).to_latex())
    assert row == ["r", "0", "-"]
