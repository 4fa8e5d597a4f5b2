"""The report as a file: made and written in one call."""

import os
from collections.abc import Iterable
from typing import Unpack, overload

from rankscale.data.arguments import check_arguments
from rankscale.errors import ParameterError
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import QrelsLike, RunsLike
from rankscale.measures.base.measure import Measure
from rankscale.reporting.html_report import Report
from rankscale.reporting.report import DEFAULT_MEASURES, ReportOptions, report


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
    if isinstance(qrels, Evaluation):
        if path is not None:
            raise ParameterError("an evaluation has values and no rankings: write_report(evaluation, path)")
        if not isinstance(runs, str | os.PathLike):
            raise ParameterError(f"expected the file of the report, write_report(evaluation, path), got {runs!r:.60}")
        made = report(qrels, None, measures, **options)
        made.save(os.fspath(runs))
        return made
    if path is None:
        raise ParameterError("name the file of the report: write_report(qrels, runs, path)")
    made = report(qrels, runs, measures, **options)
    made.save(os.fspath(path))
    return made
