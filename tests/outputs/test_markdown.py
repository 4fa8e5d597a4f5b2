"""Markdown: a parser that is not ours shows the names as they are."""

import math
import re
from collections.abc import Callable, Sequence
from html import unescape

import pytest
from markdown_it import MarkdownIt

from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation

Make = Callable[[Sequence[float]], Evaluation]
PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def cells_of(markdown: str) -> list[list[str]]:
    """The cells of the table that Markdown makes, as HTML."""
    page = PARSER.render(markdown)
    assert page.count("<table>") == 1
    assert re.sub(r"<table>.*</table>", "", page, flags=re.DOTALL).strip() == "", "something fell out of the table"
    rows = re.findall(r"<tr>(.*?)</tr>", page, flags=re.DOTALL)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, flags=re.DOTALL) for row in rows]


def printable(name: str) -> str:
    return "".join(c if c.isprintable() else " " for c in name).strip()


def test_nasty_names_are_shown_as_they_are(nasty: Evaluation) -> None:
    head, *rows = cells_of(nasty.to_markdown())
    assert [unescape(cell) for cell in head] == ["run", "topics", *map(str, nasty.measures)]
    assert len(rows) == len(nasty.runs)
    for run, row in zip(nasty.runs, rows, strict=True):
        assert "<" not in row[0], "a tag came out of a name"
        assert unescape(row[0]) == printable(run)


@pytest.mark.parametrize("name", [chr(code) for code in range(33, 127)])
def test_every_ascii_character_is_shown_as_it_is(name: str) -> None:
    names = [name, f"{name}a{name}", f"{name}{name}a{name}{name}", f"a\\{name}", f"1{name} a"]
    found = evaluate({"1": {"a": 1}}, {run: {"1": {"a": 1.0}} for run in names}, "AP")
    _, *rows = cells_of(found.to_markdown())
    assert [unescape(row[0]) for row in rows] == names


def test_values_are_those_of_the_table_and_the_best_is_bold(nasty: Evaluation) -> None:
    _, *rows = cells_of(nasty.to_markdown(places=3))
    means = nasty.means().to_dict()
    best = max(row["AP"] for row in means.values())
    for run, row in zip(nasty.runs, rows, strict=True):
        shown = f"{means[run]['AP']:.3f}"
        assert row[1] == str(len(nasty.by_topic(run, "AP")))
        assert row[2] == (f"<strong>{shown}</strong>" if means[run]["AP"] == best else shown)


def test_an_undefined_mean_is_a_dash(holding: Make) -> None:
    assert cells_of(holding([math.nan]).to_markdown())[1] == ["r", "0", "-"]
