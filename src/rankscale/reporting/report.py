"""The report: one page about some runs, in a file that needs no network; made, and written in one call."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack, overload

from rankscale.data.arguments import Positive, check_arguments
from rankscale.data.names import counted
from rankscale.data.resources import library
from rankscale.data.table import readable
from rankscale.errors import ParameterError, Setting, UnknownNameError
from rankscale.evaluation.options import GradeMap, RankingOptions
from rankscale.evaluation.result import Evaluation
from rankscale.figures.base.look import Appearance
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure
from rankscale.reporting.html_report import Report
from rankscale.reporting.measured import NEED_RANKINGS, anonymous, of_rankings, of_values, refuse_options, value_files
from rankscale.reporting.parts import ReportSection
from rankscale.reporting.results import Results, check_sections, requested_studies
from rankscale.reporting.sections import agreement, conclusions, leaderboard, topics
from rankscale.reporting.sections import effort as rankings
from rankscale.stats.compare import compare
from rankscale.stats.tests.base.test import Resampling
from rankscale.stats.tests.register import SettingsOfTests, find_test, make_test
from rankscale.studies.robustness import robustness as fewer_judgments
from rankscale.studies.topic_groups import topic_groups

DEFAULT_MEASURES = ("nDCG@10", "AP", "P@10", "RBP(p=0.8)", "RR@10")
THEMES = ("auto", "light", "dark")
SECTIONS: Mapping[str, Callable[[Results], ReportSection | None]] = {
    "summary": conclusions.summary,
    "gate": conclusions.gate,
    "leaderboard": leaderboard.leaderboard,
    "compare": topics.compare,
    "diff": topics.diff,
    "topics": topics.topics,
    "groups": topics.groups,
    "effort": rankings.effort,
    "archetypes": rankings.archetypes,
    "rankings": rankings.rankings,
    "agreement": agreement.agreement,
    "overlap": agreement.overlap,
    "judges": agreement.judges,
    "robustness": agreement.robustness,
    "statements": conclusions.statements,
    "provenance": conclusions.provenance,
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
    candidate: str | Sequence[str] | None
    margin: float | str | Sequence[float | str] | None
    overlap: bool
    agree: QrelsLike | None
    robustness: bool
    inspect: str | Sequence[str]
    effort: AnyMeasure | None
    gain: AnyMeasure | None
    rel: float
    seed: int
    command: str
    sections: str | Sequence[str]
    anonymous_paths: bool
    groups: object
    group_column: str | None
    depth: Positive | None
    progress: Callable[[int, int], None] | None


def report(
    qrels: QrelsLike | Evaluation,
    runs: RunsLike | None = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    *,
    title: str = "",
    theme: str = "auto",
    palette: str = "safe",
    test: str = "student",
    correction: str | None = None,
    alpha: float = 0.05,
    baseline: str | None = None,
    candidate: str | Sequence[str] | None = None,
    margin: float | str | Sequence[float | str] | None = None,
    overlap: bool = False,
    agree: QrelsLike | None = None,
    robustness: bool = False,
    inspect: str | Sequence[str] = (),
    effort: AnyMeasure | None = None,
    gain: AnyMeasure | None = None,
    rel: float = 1,
    seed: int = 0,
    command: str = "",
    sections: str | Sequence[str] = (),
    anonymous_paths: bool = False,
    groups: object = None,
    group_column: str | None = None,
    depth: Positive | None = None,
    order: str | None = None,
    threads: Positive | None = None,
    max_size: Positive | None = None,
    grades: GradeMap | None = None,
    negative: str = "unjudged",
    judged_only: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Make a report about some runs: conclusions in sentences, tables and figures.

    Topics that a run lacks count as empty rankings.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`; two runs or more. An evaluation in place of both, as `read_values` gives, makes a report of
        its values, without the sections that need rankings: `report(evaluation)`.
    measures : str, Measure or iterable of these
        The first one orders the runs, and they are compared by it. By default all measures of an evaluation.
    title : str
        Title of the page; by default the name of the collection, as the file of the qrels has it, or else the number
        of runs and topics.
    theme, palette : str
        Look of the page and its figures: 'auto' (what the reader's system has), 'light' or 'dark'; 'safe' or 'papers'.
        Readers can switch between light and dark.
    test, correction, alpha, baseline
        As for `compare`.
    candidate : str or sequence of str, optional
        Runs whose differences from the baseline are shown topic by topic, as `diff` gives them, and which the gate
        decides about. Without a baseline the first other run is theirs.
    margin : float, str or list, optional
        How much worse a candidate may be, as for `gate`; adds the verdict about the candidates, by default all runs
        but the baseline, by all measures and in each group of topics.
    overlap : bool
        Add how far each two runs rank the same documents, as `overlap` measures it.
    agree : qrels, optional
        Another set of judgments; adds how far both agree and what the other does to the runs, as `agree` gives it.
    robustness : bool
        Add how the order of runs changes with fewer judgments, sampled with `seed`.
    inspect : str or sequence of str
        Runs that come first where not all fit into the page: rankings to open, and indicators of CRP. The best follow.
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
        Sections of the page, by default all that options request: summary, gate, leaderboard, compare, diff, topics,
        groups, effort, archetypes, rankings, agreement, overlap, judges, robustness, statements, provenance.
        'leaderboard' alone makes a small page without scripts that draw.
    anonymous_paths : bool
        Name files without their folders in the notices of the report, too; the page never has folders.
    groups : path, mapping or data frame, optional
        Group of each topic, as for `topic_groups`; adds a section on groups of topics.
    group_column : str, optional
        Column of the table that holds the groups.
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
        If there are fewer than two runs or no measure, if a run to inspect does not exist, if a measure named as effort
        or gain cannot be one, if an option needs rankings and there are values alone, if a run is baseline and
        candidate at once, or if a section is named without the option that it needs.
    UnknownNameError
        If there is no such section, or no run of the name of a baseline or candidate.
    MissingExtraError
        If the libraries that make the page are not installed.

    Examples
    --------
    >>> import rankscale as rs
    >>> qrels = {str(topic): {"a": 1, "b": 0} for topic in range(6)}
    >>> good, bad = ({topic: {"a": score, "b": 1.5} for topic in qrels} for score in (2, 1))
    >>> rs.report(qrels, {"good": good, "bad": bad}, "P@1", title="Two runs")
    <Report 'Two runs': 9 sections>
    >>> values = {"good": {"1": 0.5, "2": 0.75, "3": 1.0}, "bad": {"1": 0.25, "2": 0.5, "3": 0.5}}
    >>> rs.report(rs.read_values(values, measure="P@4"), title="Values alone")
    <Report 'Values alone': 6 sections>
    """
    given = dict(locals())
    check_arguments(report, given)
    chosen = _chosen_sections(sections, groups)
    named = chosen if sections else []
    check_sections(named, given)
    if theme not in THEMES:
        raise ParameterError(f"theme must be 'auto', 'light' or 'dark', got {theme!r}")
    library("jinja2", "a report", "report")  # writes the page in the end; missed here, before anything is measured
    if isinstance(qrels, Evaluation):
        refuse_options(given, report.__kwdefaults__ or {}, named)
        about = of_values(qrels, None if measures is DEFAULT_MEASURES else measures)
        chosen = [name for name in chosen if name not in NEED_RANKINGS]
    else:
        about = of_rankings(qrels, given)
    resampling: SettingsOfTests = {"seed": seed} if issubclass(find_test(test), Resampling) else {}
    chosen_test = make_test(test, **resampling)
    settings: dict[str, Any] = {"test": chosen_test, "correction": correction, "alpha": alpha, "baseline": baseline}
    values = replace(about.evaluation, notices=(*about.renamed, *about.evaluation.notices))
    files = (*values.sources, *value_files(values))
    shown_values = anonymous(values, files)
    studies = requested_studies(about, given, named, chosen_test)
    page_studies = studies.without_folders(files)
    levels = values.levels if about.judgments is None else about.judgments.judged_levels
    comparison = compare(about.evaluation[about.measures[0]], **settings, levels=levels)
    by_group = None
    if groups is not None:  # comparisons within them, in the way that all topics are compared
        within = {**settings, "correction": correction or "holm"}
        if chosen_test.together:
            within |= {"correction": "holm", "family": "group"}
        by_group = topic_groups(about.evaluation[list(about.measures)], groups, column=group_column, **within)
        by_group = anonymous(by_group, [by_group.groups_from])
    fewer = None
    if about.judgments is not None and (robustness or "robustness" in sections):
        sampling: dict[str, Any] = {"seed": seed, "rel": rel, "judged_only": judged_only}
        fewer = fewer_judgments(about.judgments, about.runs, about.measures, **sampling)
    results = Results(
        **vars(replace(about, evaluation=shown_values, interval=anonymous(about.interval, files))),
        comparison=anonymous(comparison, files),
        groups=by_group,
        robustness=anonymous(fewer, files),
        studies=page_studies,
        inspected=(inspect,) if isinstance(inspect, str) else tuple(inspect),
        look=Appearance(palette=palette),
        theme=theme,
        rel=rel,
        judged_only=judged_only,
        seed=seed,
        command=command,
    )
    made = (SECTIONS[name](results) for name in chosen)
    shown = tuple(section for section in made if section is not None)
    heading = title or readable(about.collection) or f"{len(values.runs)} runs, {counted(len(values.topics), 'topic')}"
    cautions = getattr(about.interval, "notices", ())  # which the page has alone
    first, others = (shown_values, page_studies) if anonymous_paths else (values, studies)
    notices = [*first.notices, *(by_group.group_notices if by_group else ())]
    notices += [one for one in others.notices if one not in cautions]
    if all(measure.assumed_depth is None for measure in about.measures):  # the length of the effort drawn: page alone
        notices = [notice for notice in notices if notice.kind != "length"]
    return Report(heading, results, shown, tuple(dict.fromkeys(notices)))


def _chosen_sections(names: str | Sequence[str], groups: object) -> list[str]:
    """The sections of these names, in the order of the page; all where none is named."""
    chosen = [names] if isinstance(names, str) else list(names)
    for name in chosen:
        if name not in SECTIONS:
            raise UnknownNameError("section", name, SECTIONS, f"there are {', '.join(SECTIONS)}")
    if "groups" in chosen and groups is None:
        raise ParameterError(
            "the section groups is about groups of topics: name a file of them, ",
            Setting("groups", "FILE", python="groups="),
        )
    return [name for name in SECTIONS if name in chosen or not chosen]


@overload
def write_report(
    qrels: QrelsLike,
    runs: RunsLike,
    path: str | os.PathLike[str],
    measures: str | Measure | Iterable[str | Measure] = ...,
    **options: Unpack[ReportOptions],
) -> Report: ...


@overload
def write_report(
    qrels: Evaluation,
    runs: str | os.PathLike[str],
    path: None = None,
    measures: str | Measure | Iterable[str | Measure] = ...,
    **options: Unpack[ReportOptions],
) -> Report: ...


def write_report(
    qrels: QrelsLike | Evaluation,
    runs: RunsLike | str | os.PathLike[str],
    path: str | os.PathLike[str] | None = None,
    measures: str | Measure | Iterable[str | Measure] = DEFAULT_MEASURES,
    **options: Unpack[ReportOptions],
) -> Report:
    """Make a report and write it to an HTML file, which any browser opens without a network.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`; two runs or more. Of values alone, as `read_values` gives: `write_report(evaluation, path)`.
    path : str or PathLike
        The file, such as report.html; it is replaced only once the page is complete.
    measures : str, Measure or iterable of these
        The first one orders the runs.
    **options
        Keywords of `report`: title, theme, palette, test, correction, alpha, baseline, candidate, margin, overlap,
        agree, robustness, inspect, effort, gain, rel, seed, command, sections, anonymous_paths, groups, group_column,
        depth, order, threads, max_size, grades, negative, judged_only and progress. Topics that a run lacks count as
        empty rankings.

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
    <Report '2 runs, 6 topics': 9 sections>
    """
    check_arguments(write_report, locals())
    if not isinstance(qrels, Evaluation):
        if path is None:
            raise ParameterError("name the file of the report: write_report(qrels, runs, path)")
        made = report(qrels, runs, measures, **options)
    else:
        if path is not None:
            raise ParameterError("an evaluation has values and no rankings: write_report(evaluation, path)")
        if not isinstance(runs, str | os.PathLike):
            raise ParameterError(f"expected the file of the report, write_report(evaluation, path), got {runs!r:.60}")
        path, made = runs, report(qrels, None, measures, **options)
    made.save(os.fspath(path))
    return made
