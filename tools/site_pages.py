"""What the site adds to the pages of docs/: mkdocs loads this file as a hook.

The sample report is written; measures get cards to choose from, their pages a place in the menu and typeset formulas;
the gallery gets thumbnails. On other sites that show the same Markdown, the pages are complete without.
"""

import re
import tempfile
from collections.abc import Iterator
from html import escape, unescape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rankscale.data.judged import judged
from rankscale.measures.base import facts
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.register import find
from tools.formulas import mathml
from tools.make_docs import file_names

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

REPORT = "sample-report.html"
REPORT_MEASURES = ["nDCG@10", "AP", "RBP(p=0.8)"]
FIGURE = re.compile(r"^!\[(?P<name>[\w-]+): (?P<what>[^\]]*)\]\((?P<file>[^)]+)\)$", re.MULTILINE)
SESSION = re.compile(r'(<div class="language-(?:console|pycon) highlight")>(.*?</pre>)', re.DOTALL)
NARROW = 40  # characters of a session that a telephone shows
FILTERS = {
    "depth": {"any": "any depth", "yes": "takes a depth", "no": "reads all"},
    "grades": {"any": "any grades", "binary": "relevant or not", "graded": "graded"},
    "scale": {"any": "any scale", "interval": "interval", "ordinal": "ordinal", "ratio": "ratio (counts)"},
    "bounds": {"any": "bounds or none", "yes": "has bounds", "no": "has no bounds"},
}


def on_config(config: "MkDocsConfig") -> "MkDocsConfig":
    """Put the page of each measure into the menu, below the list of them."""
    pages = [{name: f"measures/{page}"} for name, page in file_names().items()]
    for entry in config.nav or []:
        if "Measures" in entry:
            entry["Measures"] += pages
    return config


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """Add the report of the sample collection."""
    from mkdocs.structure.files import File  # absent where no site is built

    files.append(File.generated(config, REPORT, content=sample_report()))
    return files


def sample_report() -> str:
    """The report that `rankscale report` writes of the sample collection."""
    import rankscale as rs
    from rankscale.sample import QRELS, RUNS

    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / REPORT
        rs.write_report(QRELS, RUNS, written, REPORT_MEASURES, title="The sample collection")
        return written.read_text(encoding="utf-8")


def on_page_markdown(markdown: str, page: "Page", config: "MkDocsConfig", files: "Files") -> str:  # noqa: ARG001
    """Add cards, thumbnails and formulas to the pages that have them."""
    place = page.file.src_uri
    if place == "measures.md":
        table = "| measure | formula |"
        return markdown.replace(f"\n\n{table}", f"\n\n{measure_cards()}\n\n## Formulas\n\n{table}", 1)
    if place == "gallery.md":
        return markdown.replace("\n\n- `--width", f"\n\n{thumbnails(markdown)}\n\n- `--width", 1)
    if place.startswith("measures/"):
        formula = mathml(markdown.partition("\n")[0].removeprefix("# "))
        drawn = f'<div class="formula" tabindex="0">{formula}</div>\n\n' * bool(formula)
        return markdown.replace("\n| | |\n", f"\n{drawn}| | |\n", 1)
    return markdown


def on_page_content(html: str, page: "Page", config: "MkDocsConfig", files: "Files") -> str:  # noqa: ARG001
    """Let the copy button of a session take its commands alone, without prompts and without what they print.

    Commands and sentences that are longer than the page is wide go on in the next line; tables do not.
    """
    return SESSION.sub(
        lambda found: f'{found[1]} data-copy="{escape(typed(_text(found[2])))}">{_folded(found[2])}', html
    )


def _folded(marked: str) -> str:
    """A session whose long commands and sentences are marked, each with its end of line, for the style sheet."""
    head, opened, lines = marked.partition("<code>")
    folded = (
        f'<span class="fold">{line}</span>' if len(text := _text(line)) > NARROW and _can_fold(text) else line
        for line in lines.splitlines(keepends=True)
    )
    return head + opened + "".join(folded)


def _can_fold(line: str) -> bool:
    """Whether a line of a session is a command or a sentence: columns have more than one blank between them."""
    return line.startswith(("$ ", "> ", ">>> ", "... ")) or "  " not in line.strip()


def typed(session: str) -> str:
    """What somebody types who follows a session of a shell or of Python."""
    lines: list[str] = []
    open_command = False
    for line in session.splitlines():
        first, more = ("$ ", "> ") if session.startswith("$ ") else (">>> ", "... ")
        if line.startswith(first) or (open_command and line.startswith(more)):
            lines.append(line.removeprefix(first) if line.startswith(first) else line.removeprefix(more))
            open_command = True
        else:
            open_command = False
    return "\n".join(lines)


def _text(marked: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", marked))


def measure_cards() -> str:
    """All measures as cards, above them the lists that choose among them."""
    lists = "".join(
        f'<label>{name} <select data-filter="{name}">'
        + "".join(f'<option value="{value}">{text}</option>' for value, text in choices.items())
        + "</select></label>"
        for name, choices in FILTERS.items()
    )
    cards = "".join(_card(find(name), page) for name, page in file_names().items())
    return (
        f'<form class="filters" hidden>{lists}<label>name <input type="search" data-filter="text"></label>'
        f'<output></output></form>\n<div class="cards measures">{cards}</div>'
    )


def _card(measure: type[Measure], page: str) -> str:
    traits = {
        "depth": "yes" if measure.takes_depth else "no",
        "grades": _grades(measure),
        "scale": measure.scale,
        "bounds": "no" if facts.bounds(measure).startswith("none") else "yes",
    }
    data = "".join(f' data-{name}="{value}"' for name, value in traits.items())
    badges = [measure.scale, *filter(None, [traits["grades"]]), *(["bounds"] if traits["bounds"] == "yes" else [])]
    shown = "".join(f"<span>{badge}</span>" for badge in badges)
    link = f"measures/{page.removesuffix('.md')}.html"
    what = escape(facts.first_line(measure).replace("`", ""))
    return (
        f'<a class="card" href="{link}"{data}><strong>{escape(facts.forms(measure)[-1])}</strong>'
        f'<span>{what}</span><span class="badges">{shown}</span></a>'
    )


def _grades(measure: type[Measure]) -> str:
    """Whether the value changes where two relevant documents of different grades change places; empty for counts."""
    depths = (1, 2, 3) if measure.takes_depth else (None,)
    measures = [facts.example(measure, depth) for depth in depths]
    pairs = (("3 0 1", "1 0 3"), ("3 1 0", "1 3 0"))
    same = (
        np.array_equal(one.value(judged(here)), one.value(judged(there)), equal_nan=True)
        for one in measures
        for here, there in pairs
    )
    if not all(same):
        return "graded"
    return "binary" if any(one.name == "rel" for one in facts.parameter_facts(measure)) else ""


def thumbnails(markdown: str) -> str:
    """The figures of the gallery, small, each a link to its place on the page."""
    return '<div class="cards thumbnails">' + "".join(_thumbnails(markdown)) + "</div>"


def _thumbnails(markdown: str) -> Iterator[str]:
    for found in FIGURE.finditer(markdown):
        yield (
            f'<a class="card" href="#{found["name"]}"><img src="{found["file"]}" alt="" loading="lazy">'
            f"<strong>{found['name']}</strong></a>"
        )
