"""Report: the sections of a report, filled into one HTML page that needs no network."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.resources import files

from rankscale import __version__
from rankscale.answers.standing import headline
from rankscale.data.names import counted
from rankscale.data.notices import Notice, Noticed
from rankscale.data.resources import library
from rankscale.data.table import readable
from rankscale.figures.base.renderer import bundle
from rankscale.figures.base.rendering import POLICY, as_script
from rankscale.outputs.blocks import PrintedFacts
from rankscale.outputs.files import write_chunks
from rankscale.outputs.results import Page
from rankscale.reporting.page_data import rankings_data
from rankscale.reporting.parts import Drawing, ReportSection
from rankscale.reporting.results import Results

OPENING = {"compare", "topics", "effort", "rankings"}  # sections from which rankings are opened
SCRIPTS: Mapping[str, set[str]] = {  # files of `page/`, and the sections that they are for; all where there are none
    "base.js": set(),
    "canvas.js": OPENING,
    "differences.js": {"compare"},
    "two_rankings.js": OPENING,
    "course.js": OPENING,
    "listing.js": OPENING,
    "report.js": set(),
    "ranking.js": OPENING,
    "compare.js": {"compare"},
    "topics.js": {"topics"},
    "effort.js": {"effort"},
    "start.js": set(),
}
STYLES = ("base.css", "drawings.css", "report.css")
STRICT_POLICY = POLICY.replace(" 'unsafe-eval'", "")  # of pages without Vega, which makes functions


def page_file(name: str) -> str:
    """The text of a file of `page/`: templates, styles and scripts.

    Those that know nothing of a report (base, drawings, canvas, differences, two_rankings, course, listing) serve the
    workbench, too.
    """
    return (files("rankscale.reporting") / "page" / name).read_text(encoding="utf-8")


@dataclass(frozen=True, eq=False, repr=False)
class Report(Noticed):
    """A report about some runs, as `report` makes it.

    Attributes
    ----------
    title : str
    results : Results
        The evaluation, the comparison and the settings that the sections are made from.
    sections : tuple of Section
        Each has a title and parts: paragraphs, tables, figures.
    notices : tuple of Notice
        Those of the evaluation; `warnings` has them as sentences.
    """

    title: str
    results: Results
    sections: tuple[ReportSection, ...]
    notices: tuple[Notice, ...] = ()

    def html(self) -> str:
        """The page as HTML; text from files is escaped, here by Jinja and in data by `as_script`."""
        jinja = library("jinja2", "a report", "report")
        markup = library("markupsafe", "a report", "report").Markup
        environment = jinja.Environment(autoescape=True, trim_blocks=False, undefined=jinja.StrictUndefined)
        shown = {section.id for section in self.sections}
        scripts = [name for name, wanted in SCRIPTS.items() if not wanted or wanted & shown]
        made: str = environment.from_string(page_file("report.html.jinja")).render(
            title=readable(self.title),
            headline=headline(self.results.comparison, self.results.standing),
            subtitle=self._subtitle(),
            version=__version__,
            policy=POLICY if self._figures else STRICT_POLICY,
            theme=self.results.theme,
            palette=self.results.look.palette,
            sections=self.sections,
            shown=shown,
            opening=not OPENING.isdisjoint(shown) and self.results.has_rankings,
            data=markup(as_script(self._data(shown))),
            style=markup("".join(map(page_file, STYLES))),  # ours
            behaviour=markup("".join(map(page_file, scripts))),  # ours
            scripts=markup(bundle() if self._figures else ""),  # vl-convert's
        )
        return readable(made)

    @property
    def _figures(self) -> list[Drawing]:
        """The figures that Vega draws."""
        return [part for section in self.sections for part in section.parts if isinstance(part, Drawing)]

    def _subtitle(self) -> str:
        runs = f"{len(self.results.evaluation.runs)} runs"
        if not self.results.has_rankings:
            measures = counted(len(self.results.measures), "measure")
            return f"{runs}, {len(self.results.evaluation.topics)} topics, values of {measures} without rankings"
        qrels = self.results.qrels
        grades = ", ".join(f"{level:g}" for level in qrels.levels)
        return f"{runs}, {len(qrels.topics)} topics, {qrels.judgments:,} judgments (grades {grades})"

    def _data(self, shown: Collection[str]) -> dict[str, object]:
        """Figures, values and rankings for the scripts of the page; rankings where a section opens them."""
        figures = {part.id: {"specs": part.specs, "datasets": part.datasets} for part in self._figures}
        data = {key: value for section in self.sections for key, value in section.data.items()}
        if self.results.has_rankings and not OPENING.isdisjoint(shown):
            data["rankings"] = rankings_data(self.results)
        return {"figures": figures, **data}

    def _repr_html_(self) -> str:
        """In a notebook: what the page holds; the page itself is a file of its own."""
        sections = ", ".join(section.title for section in self.sections)
        facts = [("about", self._subtitle()), ("sections", sections), ("write it", 'report.save("report.html")')]
        return Page(f"Report: {self.title}", [PrintedFacts(facts, 10, 110)], warnings=self.warnings).html()

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {len(self.sections)} sections>"

    def save(self, path: str) -> None:
        """Write the page to a file, which is replaced only once the page is complete."""
        write_chunks(path, [self.html().encode()])
