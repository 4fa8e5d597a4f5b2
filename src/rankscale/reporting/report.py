"""The report: one page that answers what a person comparing systems wants to know, in a file that needs no network."""

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Unpack

from rankscale import __version__
from rankscale.data.notices import Notice
from rankscale.data.table import readable
from rankscale.figures.base.look import Look
from rankscale.figures.base.rendering import POLICY, as_script
from rankscale.figures.base.scripts import bundle
from rankscale.formats.read.inputs import QrelsLike, RunsLike
from rankscale.formats.read.reading import check_keywords
from rankscale.formats.write.files import write_chunks
from rankscale.formats.write.frames import library
from rankscale.measures.base.measure import Measure
from rankscale.reporting.findings import DEFAULT_MEASURES, Findings, ReportOptions, find
from rankscale.reporting.parts import FigurePart, Section
from rankscale.reporting.sections.agreement import agreement
from rankscale.reporting.sections.effort import effort
from rankscale.reporting.sections.leaderboard import leaderboard
from rankscale.reporting.sections.provenance import provenance
from rankscale.reporting.sections.rankings import rankings
from rankscale.reporting.sections.robustness import robustness
from rankscale.reporting.sections.summary import summary
from rankscale.reporting.sections.topics import topics

SECTIONS = (summary, leaderboard, topics, effort, rankings, agreement, robustness, provenance)


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """Sections, ready to be laid out."""

    title: str
    findings: Findings
    sections: tuple[Section, ...]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What to be careful about."""
        return self.findings.evaluation.notices

    def html(self) -> str:
        """The page. Everything that comes from files is escaped, here by Jinja and in data by `as_script`."""
        jinja = library("jinja2", "a report", "report")
        markup = library("markupsafe", "a report", "report").Markup
        page = files("rankscale.reporting") / "page"
        template, style, behaviour = (
            (page / name).read_text(encoding="utf-8") for name in ("report.html.jinja", "report.css", "report.js")
        )
        environment = jinja.Environment(autoescape=True, trim_blocks=False, undefined=jinja.StrictUndefined)
        made: str = environment.from_string(template).render(
            title=readable(self.title),
            subtitle=self._subtitle(),
            version=__version__,
            policy=POLICY,
            look=self.findings.look,
            sections=self.sections,
            data=markup(as_script(self._data())),
            style=markup(style),  # ours
            behaviour=markup(behaviour),  # ours
            scripts=markup(bundle()),  # vl-convert's
        )
        return readable(made)

    def _subtitle(self) -> str:
        qrels = self.findings.qrels
        grades = ", ".join(f"{level:g}" for level in qrels.levels)
        judged = f"{qrels.judgments:,} judgments (grades {grades})"
        return f"{len(self.findings.runs)} runs, {len(qrels.topics)} topics, {judged}"

    def _data(self) -> dict[str, Any]:
        """What the page's scripts work with."""
        figures = {
            part.id: part.spec for section in self.sections for part in section.parts if isinstance(part, FigurePart)
        }
        return {"figures": figures, **{key: value for section in self.sections for key, value in section.data.items()}}

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {len(self.sections)} sections>"

    def save(self, path: str) -> None:
        """Write the page, whole or not at all."""
        write_chunks(path, [self.html().encode()])


def report(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    title: str = "",
    theme: str = "light",
    palette: str = "safe",
    **options: Unpack[ReportOptions],
) -> Report:
    """All about some runs: what may be said of them, in sentences, tables and pictures.

    The first measure puts the runs in order. `test`, `correction`, `alpha` and `baseline` are those of `compare`;
    `robustness=True` adds what fewer judgments would change, drawn with `seed`; `inspect` names runs whose rankings can
    be opened. `rel` is the lowest grade that is relevant to Twist, CRP and samples of judgments; measures have their
    own. `depth`, `grades`, `negative`, `judged_only`, `order`, `threads`, `max_size` and `progress` are those of
    `evaluate`; topics that a run misses count as empty rankings.
    """
    check_keywords(report, options, ReportOptions)
    result = find(qrels, runs, measures, look=Look(theme=theme, palette=palette), **options)
    made = (section(result) for section in SECTIONS)
    there = tuple(section for section in made if section is not None)
    return Report(title or f"{len(result.runs)} runs on {readable(result.qrels.source)}", result, there)


def write_report(
    qrels: QrelsLike,
    runs: RunsLike,
    path: str,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    title: str = "",
    theme: str = "light",
    palette: str = "safe",
    **options: Unpack[ReportOptions],
) -> Report:
    """Make a report and write it to a file: one page, which any browser opens without a network."""
    made = report(qrels, runs, measures, title=title, theme=theme, palette=palette, **options)
    made.save(path)
    return made
