"""Report: the sections of a report, filled into one HTML page that needs no network."""

from dataclasses import dataclass
from importlib.resources import files

from rankscale import __version__
from rankscale.data.notices import Notice, Noticed
from rankscale.data.table import readable
from rankscale.figures.base.rendering import POLICY, as_script
from rankscale.figures.base.scripts import bundle
from rankscale.formats.write.blocks import Facts
from rankscale.formats.write.files import write_chunks
from rankscale.formats.write.frames import library
from rankscale.formats.write.notebook import Page
from rankscale.reporting.parts import Drawing, Section, counted
from rankscale.reporting.results import Results


def page_file(name: str) -> str:
    """The text of a file of `page/`: templates, styles and scripts; those called base are the workbench's, too."""
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
    sections: tuple[Section, ...]
    notices: tuple[Notice, ...] = ()

    def html(self) -> str:
        """The page as HTML; text from files is escaped, here by Jinja and in data by `as_script`."""
        jinja = library("jinja2", "a report", "report")
        markup = library("markupsafe", "a report", "report").Markup
        template = page_file("report.html.jinja")
        style, behaviour = (page_file(f"base.{kind}") + page_file(f"report.{kind}") for kind in ("css", "js"))
        environment = jinja.Environment(autoescape=True, trim_blocks=False, undefined=jinja.StrictUndefined)
        made: str = environment.from_string(template).render(
            title=readable(self.title),
            subtitle=self._subtitle(),
            version=__version__,
            policy=POLICY,
            look=self.results.look,
            sections=self.sections,
            data=markup(as_script(self._data())),
            style=markup(style),  # ours
            behaviour=markup(behaviour),  # ours
            scripts=markup(bundle() if self._has_figures else ""),  # vl-convert's
        )
        return readable(made)

    @property
    def _has_figures(self) -> bool:
        """Whether the page draws anything, at once or where a ranking is opened."""
        drawn = (isinstance(part, Drawing) for section in self.sections for part in section.parts)
        return any(drawn) or any(section.data for section in self.sections)

    def _subtitle(self) -> str:
        evaluation = self.results.evaluation
        if not self.results.has_rankings:
            measures = counted(len(self.results.measures), "measure")
            return (
                f"{len(evaluation.runs)} runs, {len(evaluation.topics)} topics, values of {measures} without rankings"
            )
        qrels = self.results.qrels
        grades = ", ".join(f"{level:g}" for level in qrels.levels)
        judged = f"{qrels.judgments:,} judgments (grades {grades})"
        return f"{len(self.results.runs)} runs, {len(qrels.topics)} topics, {judged}"

    def _data(self) -> dict[str, object]:
        """Figures and other data for the scripts of the page."""
        figures = {
            part.id: part.spec for section in self.sections for part in section.parts if isinstance(part, Drawing)
        }
        return {"figures": figures, **{key: value for section in self.sections for key, value in section.data.items()}}

    def _repr_html_(self) -> str:
        """In a notebook: what the page holds; the page itself is a file of its own."""
        sections = ", ".join(section.title for section in self.sections)
        facts = Facts(
            [("about", self._subtitle()), ("sections", sections), ("write it", 'report.save("report.html")')], 10, 110
        )
        return Page(f"Report: {self.title}", [facts], warnings=self.warnings).html()

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {len(self.sections)} sections>"

    def save(self, path: str) -> None:
        """Write the page to a file, which is replaced only once the page is complete."""
        write_chunks(path, [self.html().encode()])
