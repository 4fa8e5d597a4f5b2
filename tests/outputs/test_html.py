"""HTML for notebooks: a parser that is not ours finds the names as text and nothing else."""

from html.parser import HTMLParser

from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.outputs.results import Page


class Cells(HTMLParser):
    """The text of each cell, and every tag met."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.rows: list[list[str]] = []
        self.caption = ""
        self.inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.inside = tag
        if tag == "tr":
            self.rows.append([])
        if tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside in {"td", "th"}:
            self.rows[-1][-1] += data
        if self.inside == "caption":
            self.caption += data


def test_nasty_names_are_text(nasty: Evaluation) -> None:
    page = nasty._repr_html_()
    cells = Cells(page)
    assert "<script" not in page
    head, *rows = cells.rows
    assert head == ["run", "topics", *map(str, nasty.measures)]
    for run, row in zip(nasty.runs, rows, strict=True):
        if run.isprintable():
            assert row[0] == run
        assert row[1:] == [
            str(len(nasty.by_topic(run, "AP"))),
            *(f"{value:.4f}" for value in nasty.means().to_dict()[run].values()),
        ]


def test_the_page_can_be_sent_as_utf8(nasty: Evaluation) -> None:
    nasty._repr_html_().encode("utf-8")


def test_more_runs_than_a_notebook_shows_are_counted() -> None:
    runs = {f"run {number:03}": {"1": {"a": 1.0}} for number in range(75)}
    cells = Cells(evaluate({"1": {"a": 1}}, runs, "AP")._repr_html_())
    assert len(cells.rows) == 1 + 30
    assert cells.caption == "75 runs over 1 topics"


def test_only_the_sentence_of_a_statement_is_bold() -> None:
    page = Page("", ["A is better\n  by a test\n    in detail\n  in the median"]).html()
    assert (
        "<p><strong>A is better</strong></p>"
        "<p class=in>by a test</p><p class=in>in detail</p><p class=in>in the median</p>"
    ) in page
