"""Every result has the same methods, and all of them work: tables, frames, forms of text, files, notebooks."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl
import pytest

import rankscale as rs
from rankscale.errors import UnknownNameError
from rankscale.outputs.files import BY_ENDING
from rankscale.outputs.results import TabularResult
from rankscale.studies.support.study import Study
from tests.accessibility import serious_findings

TOPICS = [f"{number}" for number in range(1, 7)]
QRELS = {topic: {f"d{place}": (place + int(topic)) % 3 for place in range(8)} for topic in TOPICS}
OTHER = {
    topic: {name: min(2, grade + (name == "d3")) for name, grade in judged.items()} for topic, judged in QRELS.items()
}
HOSTILE = "a|b_<i>&%$"


def rankings(step: int) -> dict[str, dict[str, float]]:
    """A run whose scores depend on the topic and on `step`."""
    return {topic: {f"d{place}": (place * step + int(topic)) % 11 for place in range(9)} for topic in TOPICS}


RUNS = {HOSTILE: rankings(3), "plain": rankings(5), "third": rankings(7)}
PAIR = {name: RUNS[name] for name in (HOSTILE, "plain")}


@cache
def evaluation() -> rs.Evaluation:
    return rs.evaluate(QRELS, RUNS, ["P@3", "nDCG@5"])


DECISIONS: Mapping[str, Callable[[], Any]] = {
    "gate": lambda: rs.gate(evaluation(), 0.1),
    "diff": lambda: rs.diff(QRELS, PAIR, ["P@3", "nDCG@5"], groups={"1": "x", "2": "x", "3": HOSTILE}),
    "diff of values": lambda: rs.diff(evaluation(), HOSTILE, "plain"),
    "agree": lambda: rs.agree(QRELS, OTHER, RUNS, "P@3", draws=20),
    "agree without runs": lambda: rs.agree(QRELS, OTHER, draws=20),
    "overlap": lambda: rs.overlap(RUNS, draws=20),
    "overlap with judgments": lambda: rs.overlap(RUNS, QRELS, "P@3", draws=20),
    "tune_fusion": lambda: rs.tune_fusion(QRELS, RUNS, "P@3", "RRF", folds=2, draws=20),
    "fuse": lambda: rs.fuse(RUNS, name=HOSTILE),
}
OTHERS: Mapping[str, Callable[[], Any]] = {
    "evaluate": evaluation,
    "means": lambda: evaluation().means(),
    "compare": lambda: rs.compare(evaluation()["P@3"]),
    "curves": lambda: rs.curves(QRELS, RUNS, "P"),
    "topic_groups": lambda: rs.topic_groups(evaluation(), {topic: f"{int(topic) % 2}" for topic in TOPICS}),
    "correlate": lambda: rs.correlate(evaluation(), samples=0),
    "robustness": lambda: rs.robustness(QRELS, RUNS, "P@3"),
    "partial_order": lambda: rs.partial_order(QRELS, RUNS, depths=[3]),
}
NOT_TABLES: Mapping[str, Callable[[], Any]] = {
    "advise": lambda: rs.advise(evaluation()["P@3"]),
    "scale": lambda: rs.scale("RBP(p=0.8)@6"),
    "scale that takes long": lambda: rs.scale("nDCG@1000", levels=(0, 1, 2)),
    "scale of sets": lambda: rs.scale("SetP", lengths=(1, 3), recall_bases=(1, 2)),
    "statements": lambda: rs.statements(evaluation()["nDCG@5"], QRELS, RUNS),
    "statement": lambda: rs.statements(evaluation()["nDCG@5"], QRELS, RUNS)[0],
    "report": lambda: rs.report(QRELS, RUNS, title=HOSTILE),
    "figure": lambda: rs.figure("means", evaluation()),
}


def checked_files() -> Any:
    """Two files, of which one cannot be read."""
    with TemporaryDirectory() as folder:
        good, bad = Path(folder, "a<i>.txt"), Path(folder, "b.txt")
        good.write_text("1 Q0 a<i> 1 1 x<i>\n1 Q0 b 2 2 x<i>\n")
        bad.write_text("1 Q0 a\n")
        return rs.check([good, bad])


MORE_TABLES: Mapping[str, Callable[[], Any]] = {
    "medians": lambda: evaluation().medians(),
    "quantiles": lambda: evaluation().quantiles(),
    "with confidence": lambda: evaluation().with_confidence(shown="both"),
    "means with sparklines": lambda: evaluation().means(sparklines=True),
    "by group": lambda: evaluation().by_group({topic: HOSTILE if topic < "4" else "b" for topic in TOPICS}),
    "ranking_confidence": lambda: rs.ranking_confidence(evaluation(), draws=50),
    "topics_needed": lambda: rs.topics_needed(evaluation()["P@3"], 0.1),
    "readings": lambda: rs.curves(QRELS, RUNS, "DCG(base=2)", ideal=True).mean().readings(),
    "compare with a baseline": lambda: rs.compare(evaluation()["P@3"], baseline=HOSTILE),
    "discriminate": lambda: rs.discriminate(evaluation(), samples=50),
    "leave_out": lambda: rs.leave_out(QRELS, RUNS, "P@3"),
    "check": checked_files,
}


METHODS = (
    *("table", "text", "to_frame", "to_polars", "to_pandas", "to_arrow", "to_json", "to_latex", "to_markdown", "write"),
    *("_repr_html_", "_repr_markdown_"),
)
ABOUT = ("provenance", "signature", "notices", "warnings")  # means are a view of an evaluation, which has these


@cache
def result(name: str) -> Any:
    return {**DECISIONS, **OTHERS, **MORE_TABLES, **NOT_TABLES}[name]()


def tables(made: Any) -> Iterator[str | None]:
    """Names of all tables where they have names; None is the first."""
    yield None
    if hasattr(made, "tables"):
        yield from made.tables()


@pytest.mark.parametrize("name", [*DECISIONS, *OTHERS])
def test_the_methods_are_there(name: str) -> None:
    made = result(name)
    assert isinstance(made, TabularResult)
    wanted = (*METHODS, *(ABOUT if name != "means" else ()))
    assert not [method for method in wanted if not hasattr(made, method)]
    assert str(made)
    assert repr(made)


@pytest.mark.parametrize("name", DECISIONS)
def test_results_of_decisions_have_named_tables_and_a_sentence(name: str) -> None:
    made = result(name)
    assert isinstance(made, Study) or name == "fuse"
    assert made.tables()
    assert made.sentence()
    assert dict(made.settings)
    assert made.signature
    assert made.provenance["rankscale"] == rs.__version__
    with pytest.raises(UnknownNameError, match="unknown table 'nonsense'"):
        made.table("nonsense")


@pytest.mark.parametrize("name", [*DECISIONS, *OTHERS])
def test_frames_have_the_rows_and_columns_of_tables(name: str) -> None:
    made = result(name)
    for table in tables(made):
        polars, pandas, arrow = made.to_polars(table), made.to_pandas(table), made.to_arrow(table)
        assert polars.columns == list(pandas.columns) == arrow.column_names == made.to_frame(table).columns
        assert len(polars) == len(pandas) == arrow.num_rows
        assert not [column for column in polars.columns if " " in column], "names can be typed after a dot"


@pytest.mark.parametrize("name", [*DECISIONS, *OTHERS])
def test_forms_of_text(name: str) -> None:
    made = result(name)
    for table in tables(made):
        assert isinstance(json.loads(made.to_json(table)), dict)
        assert made.to_latex(table=table).count("\\begin{tabular}") >= 1
        assert "|" in made.to_markdown(table=table)
        assert made.text(table=table)
    for page in (made._repr_html_(), made._repr_markdown_()):
        assert "<i>" not in page, "names are no markup"
    assert made.to_latex(places=1, caption="A caption").startswith("\\begin{table}")


@pytest.mark.parametrize("name", [*DECISIONS, *OTHERS])
@pytest.mark.parametrize("ending", BY_ENDING)
def test_files_of_every_form(name: str, ending: str, tmp_path: Path) -> None:
    made, path = result(name), tmp_path / f"result{ending}"
    made.write(path)
    if ending == ".parquet":
        assert len(pl.read_parquet(path)) == len(made.to_polars())
    elif ending == ".json":
        assert "signature" in json.loads(path.read_text())
    elif ending == ".jsonl":
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert len(lines) >= len(made.to_polars())
    elif ending == ".csv":
        rows = list(csv.reader(io.StringIO(path.read_text())))
        assert len({len(row) for row in rows}) == 1
    else:
        assert path.stat().st_size > 0
    form = BY_ENDING[ending]
    if name != "fuse" or form not in {"parquet", "tsv", "csv", "jsonl"}:
        made.write(tmp_path / "other", form, table=next(iter(made.tables())) if hasattr(made, "tables") else None)
        assert (tmp_path / "other").stat().st_size > 0


SHOWN_TAGS = {
    *(
        "div",
        "style",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "sup",
        "strong",
        "p",
        "code",
        "pre",
        "span",
    ),
    *("dl", "dt", "dd", "svg", "text", "line", "circle", "rect", "polyline", "img"),
}


class Parsed(HTMLParser):
    """Tags and attributes of a page, by a parser that is not ours."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "img":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.text += data


ALL_RESULTS = [*DECISIONS, *OTHERS, *MORE_TABLES, *NOT_TABLES]


@pytest.mark.parametrize("name", ALL_RESULTS)
def test_a_notebook_shows_names_as_text_and_nothing_else(name: str) -> None:
    page = result(name)._repr_html_()
    parsed = Parsed(page)
    assert parsed.tags <= SHOWN_TAGS
    assert not parsed.open, "every tag is closed"
    assert not [one for one in parsed.attributes if one.startswith("on")]
    assert "<i>" not in page
    assert "script" not in page.lower().replace("description", "")
    if name in {"evaluate", "means", "compare", "diff", "overlap", "medians", "ranking_confidence", "statements"}:
        assert HOSTILE in parsed.text
    page.encode("utf-8")


@pytest.mark.parametrize("name", [*DECISIONS, *OTHERS, *MORE_TABLES])
def test_a_notebook_is_shown_no_more_than_thirty_rows(name: str) -> None:
    page = result(name)._repr_html_()
    tables = page.split("<tbody>")[1:]
    assert tables
    assert all(table.split("</tbody>")[0].count("<tr>") <= 30 for table in tables)


def test_what_is_left_out_is_said() -> None:
    runs = {f"run {number:03}": {"1": {"a": 1.0}} for number in range(75)}
    page = rs.evaluate({"1": {"a": 1}}, runs, "AP")._repr_html_()
    assert "<p>30 of 75 rows; <code>.to_frame()</code> has all.</p>" in page


def test_pictures_say_what_tables_say() -> None:
    values = rs.read_values({name: {"1": {"AP": at}} for name, at in (("a", 0.0), ("b", 0.5), ("c", 1.0))})
    places = [float(found) for found in re.findall(r'<circle cx="([\d.]+)"', values._repr_html_())]
    assert len(places) == 3
    assert places[1] - places[0] == pytest.approx(places[2] - places[1], abs=0.11)
    drawn = result("diff")._repr_html_()
    losses, wins = (result("diff").losses.sum(), result("diff").wins.sum())
    assert (drawn.count('fill="#c8553d"'), drawn.count('fill="#2b8a8a"')) == (
        losses + sum(result("diff").ties),
        wins,
    )
    verdict = result("gate").verdict
    assert re.search(rf'<span class="badge \w+">{verdict}</span>', result("gate")._repr_html_())


@pytest.mark.parametrize(("theme", "ground", "ink"), [("light", "#ffffff", "#1a1a1a"), ("dark", "#111418", "#e6e6e6")])
@pytest.mark.slow
def test_all_results_in_a_browser(theme: str, ground: str, ink: str, browser: Any, tmp_path: Path) -> None:
    parts = "".join(f"<h2>{name}</h2>{result(name)._repr_html_()}" for name in ALL_RESULTS)
    path = tmp_path / "page.html"
    path.write_text(
        f'<!doctype html><html lang="en" data-theme="{theme}"><meta charset="utf-8"><title>All results</title>'
        f'<body style="background: {ground}; color: {ink}; font: 14px sans-serif"><main><h1>All</h1>{parts}</main>',
        encoding="utf-8",
    )
    page = browser.new_page(viewport={"width": 1000, "height": 800})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: pytest.fail("a name was run as a script"))
    page.goto(path.as_uri())
    assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 1000
    assert page.locator(f".rankscale-{theme}").first.is_visible()
    assert serious_findings(page, theme) == {}
    page.close()
