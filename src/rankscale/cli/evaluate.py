"""`rankscale evaluate`: measure runs."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rankscale.cli import options, values
from rankscale.cli.command import declared, executing
from rankscale.cli.options import GroupsIn, groups_in
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.terminal import progress_bar, warn

if TYPE_CHECKING:
    from rankscale.data.notices import Notice
    from rankscale.evaluation.blocks import Streaming
    from rankscale.evaluation.options import IntervalMethod, Summary
    from rankscale.evaluation.result import Evaluation
    from rankscale.executors import Executor
    from rankscale.measures.base.measure import Measure
    from rankscale.measures.base.parser import Relevance
    from rankscale.outputs.results import TabularResult


TEXT = ("tsv", "csv", "jsonl")  # forms that rows are added to
LEVEL = 0.95  # of intervals, unless another is requested
GIVEN = "given"  # --sort: the order in which runs are given
WITH_SPARKLINES = ("table", "markdown", "html")  # forms
DEFAULT_MEASURES = ("nDCG@10", "AP", "P@10", "RR", "Bpref", "Judged@10")


@declared(
    "evaluate",
    options.files,
    options.measuring(options.measures(DEFAULT_MEASURES), "depth", *options.MEASURED, *options.UNCERTAIN),
    options.flag("-q --per-topic", "Write the values of each topic too, not only the means."),
    options.option(
        "--mean-name", "With --per-topic: name in the topic column for rows of means.", default="all", metavar="NAME"
    ),
    options.flag("--wide", "Write one row for each run, with a column for each measure, in all forms."),
    options.missing_of_runs,
    options.topics,
    groups_in,
    click.option("-c", "--complete", "missing", flag_value="zero", hidden=True, help="As --missing zero."),
    options.uncertainty,
    options.summary,
    options.option(
        "--confidence",
        "Add the interval of each mean, at this confidence level; medians and quantiles always have one.",
        values.SHARE,
        shown="no intervals of means; 0.95 for medians and quantiles",
    ),
    options.choice(
        "--interval-method",
        ("percentile", "bca", "student"),
        "With --confidence: intervals of means by percentiles of draws of topics, by BCa, or by Student's t.",
        shown="percentile",
    ),
    options.flag(
        "--places",
        "Add the place of each run: its mean and interval over draws of topics, and the share of draws in which the "
        "run is first.",
    ),
    options.draws,
    options.option(
        "--sort",
        "Order runs by this measure, the best first, or leave them in the order `given`.",
        shown="the first measure",
        metavar="MEASURE",
    ),
    options.flag("--sparklines", "Show the values by topic beside means, as a row of blocks; for people alone."),
    options.judging,
    options.reading,
    executing,
    options.writing((*FORMS, "html"), "values.parquet"),
    options.flag("--skip-bad", "Leave out runs that cannot be measured and name them; then the exit code is 1."),
    options.flag("--strict", "Exit with 1 if there is any warning."),
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measuring: options.Measuring,
    writing: Writing,
    *,
    per_topic: bool,
    mean_name: str,
    wide: bool,
    sort: str | None,
    sparklines: bool,
    topics: str | None,
    groups_in: GroupsIn,
    confidence: float | None,
    interval_method: "IntervalMethod | None",
    places: bool,
    draws: values.DrawCount | None,
    summary: "Summary",
    skip_bad: bool,
    executor: "Executor | None",
    strict: bool,
) -> None:
    """Measure runs against qrels. RUN can be `-` for standard input.

    Command line
    ------------
      rankscale evaluate qrels.txt runs/*.gz -m AP -m nDCG@10
      rankscale evaluate qrels.txt run.txt --per-topic -o values.tsv
      rankscale evaluate qrels.txt runs/*.gz --wide -o runs.csv
      rankscale evaluate qrels.txt runs/*.gz -m RR@10 --summary median
      rankscale evaluate qrels.txt runs/*.gz -m AP --groups groups.txt
      rankscale evaluate qrels.txt runs/*.gz -m AP --confidence 0.95 --places
      rankscale evaluate qrels.txt runs/*.gz -m nDCG@10 --sparklines
      rankscale evaluate qrels.set bm25.set -m nDCG@10 -o values.parquet
    """
    from rankscale.data.arguments import DRAWS
    from rankscale.evaluation.evaluate import evaluated, is_data_set

    is_of_means = summary == "mean"
    _check_shown(summary, measuring.how, {"--per-topic": per_topic, "--wide": wide, "--places": places})
    has_intervals = is_of_means and confidence is not None
    _check_intervals(interval_method, draws, of_means=has_intervals, of_places=is_of_means and places)
    groups_in.check({f"--summary {summary}": not is_of_means, "--places": places})
    request = measuring.request(DEFAULT_MEASURES)
    writing = writing.citing(request.measures)
    best_by = _best_by(sort, request.measures, measuring.relevance)
    if sparklines:
        _check_sparklines(writing, summary, {"--per-topic": per_topic, "--groups": groups_in.groups is not None})
    if is_data_set(qrels, or_address=True):
        from rankscale.evaluation.blocks import stream_blocks

        streams = writing.form == "parquet" or (per_topic and writing.form in TEXT)
        form = writing.form if streams else None  # of values by topic, which are written as they come
        with progress_bar() as progress:
            streaming = stream_blocks(
                request, qrels, list(runs), skip_bad=skip_bad, executor=executor, progress=progress
            )
            others = (topics, confidence, groups_in.groups, places or None, sparklines or None)
            if is_of_means and all(one is None for one in others) and (form is not None or not per_topic):
                streaming.mean_name = mean_name
                _write_blocks(streaming, writing, form, best_by, wide=wide, strict=strict)
                return
            evaluation = streaming.whole()
    else:
        with progress_bar(predicts=False) as progress:
            evaluation = evaluated(request, qrels, list(runs), skip_bad=skip_bad, executor=executor, progress=progress)
    evaluation = replace(evaluation, mean_name=mean_name, summary=summary)
    if topics is not None:
        from rankscale.inputs.topics import read_topics

        evaluation = evaluation.of_topics(read_topics(topics))
    if best_by is not None:
        evaluation = evaluation.sorted_by(best_by)
    if is_of_means and (confidence is not None or places):
        evaluation = evaluation.with_confidence(
            confidence or LEVEL,
            method=interval_method or "percentile",
            draws=draws or DRAWS,
            seed=measuring.how["seed"],
            shown="means" if not places else "places" if confidence is None else "both",
        )
    by_group = None if groups_in.groups is None else evaluation.by_group(groups_in.groups, groups_in.group_column)
    notices = (*evaluation.notices, *(by_group.notices if by_group else ()))
    warn(notices)
    by_topic = per_topic and not _only_means(writing.form)
    if by_group is not None:
        writing.write_result(by_group, "values" if by_topic else "wide" if wide else "means")
    elif is_of_means and not (wide or sparklines):
        writing.write_result(evaluation, "values" if by_topic or writing.form == "parquet" else "means")
    else:
        writing.write_result(_wide(evaluation, confidence or LEVEL, sparklines=sparklines))
    _end(notices, strict=strict)


def _wide(evaluation: "Evaluation", confidence: float, *, sparklines: bool) -> "TabularResult":
    """What the summary says of each run, in a row with a column for each measure."""
    if evaluation.summary == "median":
        return evaluation.medians(confidence)
    if evaluation.summary == "quantiles":
        return evaluation.quantiles(confidence=confidence)
    return evaluation.means(sparklines=sparklines)


def _end(notices: "Sequence[Notice]", *, strict: bool) -> None:
    """Exit with 1 where runs were left out, or with --strict where there is any warning."""
    from rankscale.data.notices import is_warning

    if (strict and any(map(is_warning, notices))) or any(notice.kind == "skipped" for notice in notices):
        click.get_current_context().exit(1)


def _write_blocks(
    streaming: "Streaming", writing: Writing, form: str | None, best_by: "Measure | None", *, wide: bool, strict: bool
) -> None:
    """Measure data sets, and write values by topic in this form as they come; without a form, means."""
    if form is not None:
        writing.write_table(streaming.table, list)
    made = streaming.finish() if form is None else streaming.result(writing.output)
    warn(made.notices)
    if form is None:
        ordered = made if best_by is None else made.sorted_by(best_by)
        writing.write_result(ordered.means() if wide else ordered, None if wide else "means")
    _end(made.notices, strict=strict)


def _check_intervals(method: object, draws: object, *, of_means: bool, of_places: bool) -> None:
    """Raise UsageError for options of intervals where there are none."""
    if method is not None and not of_means:
        raise click.UsageError("--interval-method is about intervals of means: add --confidence 0.95")
    if draws is not None and not (of_means or of_places):
        raise click.UsageError(
            "--draws are those of intervals of means and of places: add --confidence 0.95 or --places"
        )


def _best_by(sort: str | None, wanted: "tuple[Measure, ...]", relevance: "Relevance") -> "Measure | None":
    """The measure that runs are ordered by; None for the order in which they are given.

    That is `sort`, or the first measure where it has a direction.
    """
    if sort is None:
        return None if wanted[0].direction_note else wanted[0]
    if sort == GIVEN:
        return None
    best_by = options.one_measure(relevance, sort, "--sort")
    if best_by not in wanted:
        raise click.UsageError(f"--sort {sort}: add -m '{best_by}', which is not among the measures requested")
    return best_by


def _check_sparklines(writing: Writing, summary: "Summary", given: dict[str, bool]) -> None:
    """Raise UsageError where there is no table of means for people that sparklines could stand in."""
    others = {**given, f"--summary {summary}": summary != "mean"}
    if refused := [name for name, is_given in others.items() if is_given]:
        raise click.UsageError(f"--sparklines stand beside means of runs: leave out {refused[0]}, or --sparklines")
    if writing.form not in WITH_SPARKLINES:
        raise click.UsageError(
            f"--sparklines are for people, and {writing.form} is for programs: choose --format "
            f"{', '.join(WITH_SPARKLINES[:-1])} or {WITH_SPARKLINES[-1]}, or add --per-topic for the values themselves"
        )


def _check_shown(summary: "Summary", how: Mapping[str, object], given: dict[str, bool]) -> None:
    """Raise UsageError for options that go with means, where another summary is requested."""
    if given["--wide"] and given["--per-topic"]:
        raise click.UsageError("--wide writes one row for each run, and --per-topic one for each topic: leave one out")
    if summary == "mean":
        return
    given |= {"--bounds": bool(how["bounds"]), "--ties range": how["ties"] == "range"}
    if refused := [name for name, is_given in given.items() if is_given]:
        raise click.UsageError(
            f"--summary {summary} writes one row for each run, and {' and '.join(refused)} "
            f"{'goes' if len(refused) == 1 else 'go'} with means: leave one of them out"
        )


def _only_means(form: str) -> bool:
    """Whether this form has means alone; where values by topic are requested, a warning says so."""
    if form not in {"latex", "markdown", "html"}:
        return False
    warn([f"{form} shows means; values by topic come as table, tsv, csv, json, jsonl and parquet"])
    return True
