"""The report: one page about some runs, in a file that needs no network."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Unpack

from rankscale import __version__
from rankscale.data.checking import check_arguments
from rankscale.data.declared import Positive
from rankscale.data.notices import Notice, Noticed
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.data.table import readable
from rankscale.errors import ParameterError, ScaleError, UnknownNameError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.notices import value_notices
from rankscale.evaluation.options import Grades, Judging, RankingOptions, no_bounds
from rankscale.evaluation.result import Evaluation
from rankscale.figures.base.look import Look
from rankscale.figures.base.rendering import POLICY, as_script
from rankscale.figures.base.scripts import bundle
from rankscale.formats.read.inputs import QrelsLike, RunsLike, read_qrels, runs_with_names
from rankscale.formats.read.reading import Reading
from rankscale.formats.write.files import write_chunks
from rankscale.formats.write.frames import library
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse_all
from rankscale.reporting.anonymous import without_folders
from rankscale.reporting.effort_measures import effort_measures
from rankscale.reporting.parts import Drawing, Section
from rankscale.reporting.results import Results
from rankscale.reporting.sections.agreement import agreement
from rankscale.reporting.sections.archetypes import archetypes
from rankscale.reporting.sections.effort import effort as effort_section
from rankscale.reporting.sections.leaderboard import leaderboard
from rankscale.reporting.sections.provenance import provenance
from rankscale.reporting.sections.rankings import rankings
from rankscale.reporting.sections.robustness import robustness as robustness_section
from rankscale.reporting.sections.summary import summary
from rankscale.reporting.sections.topics import topics
from rankscale.reporting.statements import NotKnown, interval_version, why_no_version
from rankscale.stats.comparison import compare
from rankscale.stats.tests.base.test import Resampling
from rankscale.stats.tests.register import SettingsOfTests, find_test, make_test
from rankscale.studies.robustness import robustness as fewer_judgments

DEFAULT_MEASURES = ("nDCG@10", "AP", "P@10", "RBP(p=0.8)", "RR@10")
SECTIONS: Mapping[str, Callable[[Results], Section | None]] = {
    "summary": summary,
    "leaderboard": leaderboard,
    "topics": topics,
    "effort": effort_section,
    "archetypes": archetypes,
    "rankings": rankings,
    "agreement": agreement,
    "robustness": robustness_section,
    "provenance": provenance,
}


class ReportOptions(RankingOptions, total=False):
    """Keywords of `report`."""

    title: str
    theme: str
    palette: str
    test: str
    correction: str | None
    alpha: float
    baseline: str | None
    robustness: bool
    inspect: str | Sequence[str]
    effort: AnyMeasure | None
    gain: AnyMeasure | None
    rel: float
    seed: int
    command: str
    sections: str | Sequence[str]
    anonymous_paths: bool
    depth: Positive | None
    progress: Callable[[int, int], None] | None


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

    def __repr__(self) -> str:
        return f"<Report {self.title!r}: {len(self.sections)} sections>"

    def save(self, path: str) -> None:
        """Write the page to a file, which is replaced only once the page is complete."""
        write_chunks(path, [self.html().encode()])


def report(
    qrels: QrelsLike,
    runs: RunsLike,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    title: str = "",
    theme: str = "light",
    palette: str = "safe",
    test: str = "student",
    correction: str | None = None,
    alpha: float = 0.05,
    baseline: str | None = None,
    robustness: bool = False,
    inspect: str | Sequence[str] = (),
    effort: AnyMeasure | None = None,
    gain: AnyMeasure | None = None,
    rel: float = 1,
    seed: int = 0,
    command: str = "",
    sections: str | Sequence[str] = (),
    anonymous_paths: bool = False,
    depth: Positive | None = None,
    order: str | None = None,
    threads: Positive | None = None,
    max_size: Positive | None = None,
    grades: Grades | None = None,
    negative: str = "unjudged",
    judged_only: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Make a report about some runs: conclusions in sentences, tables and figures.

    Topics that a run lacks count as empty rankings.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`; two runs or more.
    measures : str, Measure or iterable of these
        The first one orders the runs, and they are compared by it.
    title : str
        Title of the page; by default the number of runs and the name of the qrels.
    theme, palette : str
        Look of the page and its figures: 'light' or 'dark', 'safe' or 'papers'.
    test, correction, alpha, baseline
        As for `compare`.
    robustness : bool
        Add how the order of runs changes with fewer judgments, sampled with `seed`.
    inspect : str or sequence of str
        Runs whose rankings can be opened in the page; the best ones follow, as many as fit.
    effort : str or Measure, optional
        Measure of effort in the effort/gain plot, from 0 (all of it) to 1 (none); by default the first requested
        measure of effort, such as 'Twist(rel=2)@100', or else Twist. CRP takes its lowest relevant grade.
    gain : str or Measure, optional
        Measure of gain in that plot; by default the first requested measure that is one, or AP if only effort is
        measured.
    rel : float
        The lowest relevant grade for Twist, CRP and samples of judgments. For other measures it stands in their name,
        as in 'AP(rel=2)'.
    seed : int
        Random seed for resampling.
    command : str
        The command line that made the report, shown with the versions.
    sections : str or sequence of str
        Sections of the page, by default all: summary, leaderboard, topics, effort, archetypes, rankings, agreement,
        robustness, provenance. 'leaderboard' alone makes a small page without figures.
    anonymous_paths : bool
        Name files without their folders in the title and in warnings.
    depth, order, threads, max_size, grades, negative, judged_only, progress
        As for `evaluate`.

    Returns
    -------
    Report
        `save(path)` writes it as an HTML page, `html()` is its text; `sections`, `results` and `warnings` hold what it
        shows.

    Raises
    ------
    ParameterError
        If there are fewer than two runs or no measure, if a run to inspect does not exist, or if a measure named as
        effort or gain cannot be one.
    UnknownNameError
        If there is no such section.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {str(topic): {"a": 1, "b": 0} for topic in range(6)}
    >>> good, bad = ({topic: {"a": score, "b": 1.5} for topic in qrels} for score in (2, 1))
    >>> rs.report(qrels, {"good": good, "bad": bad}, "P@1", title="Two runs")
    <Report 'Two runs': 7 sections>
    """
    check_arguments(report, locals())
    chosen = _chosen_sections(sections)
    reading = Reading(order=order, depth=depth, max_size=max_size, threads=threads)
    judgments = Judging(judged_only, grades, negative).regraded(read_qrels(qrels, max_size=max_size))
    read, renamed = runs_with_names(judgments, runs, reading)
    if len(read) < 2:
        raise ParameterError("a report compares runs: give two or more")
    requested = parse_all(measures)
    if not requested:
        raise ParameterError("no measure is requested; name one, as in report(qrels, runs, 'AP')")
    plotted = effort_measures(requested, effort, gain, rel)
    drawn = [measure for measure in plotted if measure is not None]
    values, interval = _evaluations(judgments, read, requested, drawn, judged_only, progress)
    resampling: SettingsOfTests = {"seed": seed} if issubclass(find_test(test), Resampling) else {}
    notices = (*renamed, *values.notices)
    if anonymous_paths:
        notices = without_folders(notices, values.sources)
    results = Results(
        runs=tuple(read),
        qrels=judgments,
        measures=tuple(requested),
        effort=plotted.effort,
        gain=plotted.gain,
        evaluation=replace(values, notices=notices),
        interval=interval,
        comparison=compare(
            values[requested[0]],
            make_test(test, **resampling),
            correction,
            alpha=alpha,
            baseline=baseline,
            levels=judgments.judged_levels,
        ),
        robustness=fewer_judgments(judgments, read, requested, seed=seed, rel=rel, judged_only=judged_only)
        if robustness or "robustness" in sections
        else None,
        inspected=(inspect,) if isinstance(inspect, str) else tuple(inspect),
        look=Look(theme=theme, palette=palette),
        rel=rel,
        judged_only=judged_only,
        seed=seed,
        command=command,
    )
    made = (SECTIONS[name](results) for name in chosen)
    source = os.path.basename(judgments.source) if anonymous_paths else judgments.source
    shown = tuple(section for section in made if section is not None)
    return Report(title or f"{len(read)} runs on {readable(source)}", results, shown, results.evaluation.notices)


def _chosen_sections(names: str | Sequence[str]) -> list[str]:
    """The sections of these names, in the order of the page; all where none is named."""
    chosen = [names] if isinstance(names, str) else list(names)
    for name in chosen:
        if name not in SECTIONS:
            raise UnknownNameError("section", name, SECTIONS, f"there are {', '.join(SECTIONS)}")
    return [name for name in SECTIONS if name in chosen or not chosen]


def _evaluations(
    qrels: Qrels,
    runs: Sequence[Run],
    requested: Sequence[Measure],
    plotted: Sequence[Measure],
    judged_only: bool,  # noqa: FBT001
    progress: Callable[[int, int], None] | None,
) -> tuple[Evaluation, Evaluation | NotKnown]:
    """Evaluate the measures of a report, those of its effort/gain plot and the main one's interval version at once."""
    wanted: list[AnyMeasure] = [*dict.fromkeys([*requested, *plotted])]
    version = interval_version(requested[0])
    bounds = any(no_bounds(measure) is None for measure in (*requested, *plotted))

    def of(measures: list[AnyMeasure]) -> Evaluation:
        result = evaluate(qrels, runs, measures, bounds=bounds, judged_only=judged_only, progress=progress)
        # The leaderboard shows which measures have no bounds: it has no brackets for them.
        return replace(result, notices=tuple(notice for notice in result.notices if notice.kind != "no bounds"))

    if version is None:
        return of(wanted), NotKnown(why_no_version(requested[0]))
    try:
        both = of([*wanted, version] if version not in wanted else wanted)
    except (ScaleError, ParameterError) as error:  # of the interval version, or raised again here
        return of(wanted), NotKnown(str(error))
    interval = both[version]
    own = tuple(value_notices((version,), interval.values, interval.retrieved, qrels))
    others = tuple(notice for notice in both.notices if notice not in own or version in wanted)
    return replace(both[wanted], notices=others), replace(interval, notices=own)


def write_report(
    qrels: QrelsLike,
    runs: RunsLike,
    path: str | os.PathLike[str],
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    **options: Unpack[ReportOptions],
) -> Report:
    """Make a report and write it to an HTML file, which any browser opens without a network.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`; two runs or more.
    path : str or PathLike
        The file, such as report.html; it is replaced only once the page is complete.
    measures : str, Measure or iterable of these
        The first one orders the runs.
    **options
        Keywords of `report`: title, theme, palette, test, correction, alpha, baseline, robustness, inspect, effort,
        gain, rel, seed, command, sections, anonymous_paths, depth, order, threads, max_size, grades, negative,
        judged_only and progress. Topics that a run lacks count as empty rankings.

    Returns
    -------
    Report
        What was written.

    Raises
    ------
    ParameterError
        As `report` does.
    MissingExtraError
        If the libraries that make the page are not installed.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> qrels = {str(topic): {"a": 1, "b": 0} for topic in range(6)}
    >>> good, bad = ({topic: {"a": score, "b": 1.5} for topic in qrels} for score in (2, 1))
    >>> with TemporaryDirectory() as folder:
    ...     write_report(qrels, {"good": good, "bad": bad}, f"{folder}/report.html", "P@1", baseline="bad")
    <Report '2 runs on qrels': 7 sections>
    """
    check_arguments(write_report, locals())
    made = report(qrels, runs, measures, **options)
    made.save(os.fspath(path))
    return made
