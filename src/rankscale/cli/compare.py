"""`rankscale compare`: which runs differ, and which conclusions that supports."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, TypedDict, Unpack

import click

from rankscale.cli import options, values
from rankscale.cli.command import bundled, declared
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.terminal import progress_bar, warn
from rankscale.data.declared import register

if TYPE_CHECKING:
    from rankscale.data.run import Run
    from rankscale.evaluation.options import Summary
    from rankscale.reporting.statement import Statements
    from rankscale.stats.comparison import Comparison
    from rankscale.stats.planning import Needed

DEFAULT_MEASURES = ("AP", "nDCG@10")
PLAN = "Add how many topics it takes to find such a difference."
TEST = register("studies")["changes"].options["test"].help
DEFAULT_TEST = "student; sign with --summary median or quantiles"
STATEMENTS = "Add conclusions in sentences, about neighbours or about each run and the baseline."
FOR_PEOPLE = ("table", "latex", "markdown", "html")
SHOWN_BY = {"--plan": ("table", "json"), "--statements": ("table", "json"), "--matrix": ("table",)}


class TestOptions(TypedDict):
    """Options that compare() takes as they are."""

    correction: str | None
    baseline: str | None
    alpha: float
    confidence: float


class Added(TypedDict):
    """What is shown besides the means and their groups."""

    pairs: bool
    simultaneous: bool
    matrix: bool
    plan: float | None
    statements: bool
    explain: bool


def _resampling(samples: int | None, seed: int | None, df: str | None) -> dict[str, object]:
    """Options that only some tests take, as far as they are given."""
    given = {"samples": samples, "seed": seed, "df": df}
    return {name: value for name, value in given.items() if value is not None}


@declared(
    "compare",
    options.files_or_values,
    options.values_in,
    options.measuring(options.measures(DEFAULT_MEASURES)),
    options.option("-t --test tests", TEST, shown=DEFAULT_TEST, multiple=True),
    options.summary,
    bundled(
        "test_options",
        TestOptions,
        options.correction,
        options.baseline,
        options.alpha,
        options.confidence,
    ),
    bundled(
        "resampling",
        _resampling,
        options.option("--samples", "Resamples of tests by resampling.", options.POSITIVE, shown="10000"),
        options.option("--seed", "Random seed for resampling.", options.NATURAL, shown="0"),
        options.choice("--df", ("error", "infinite"), "Degrees of freedom of Tukey's test after ANOVA.", shown="error"),
    ),
    options.missing,
    options.topics,
    bundled(
        "added",
        Added,
        options.flag("--pairs", "Write a row for each pair, with intervals and effect sizes."),
        options.flag("--simultaneous", "With a row for each pair: intervals that hold for all pairs at once."),
        options.flag("--matrix", "Add all pairs at a glance: > better, < worse, . no difference."),
        options.option("--plan", PLAN, values.NUMBER, shown="none", metavar="DIFFERENCE"),
        options.flag("--statements", STATEMENTS),
        options.flag("--explain", "Give the reasons for cautions about scales in full."),
    ),
    options.choice(
        "--standardise",
        ("z", "normal", "uniform", "empirical"),
        "Standardise values per topic before testing.",
        shown="none",
    ),
    options.judging,
    options.reading,
    options.writing((*FORMS, "html"), "pairs.parquet"),
)
def command(
    qrels: str,
    values_in: options.ValuesIn,
    measuring: options.Measuring,
    runs: tuple[str, ...],
    tests: tuple[str, ...],
    test_options: TestOptions,
    resampling: dict[str, object],
    summary: "Summary",
    added: Added,
    standardise: str | None,
    topics: str | None,
    writing: Writing,
    **judging: Unpack[options.Judging],
) -> None:
    """Test which runs differ significantly over topics, and whether the measure's scale supports that conclusion.

    Runs that share a letter do not differ significantly.

    Command line
    ------------
      rankscale compare qrels.txt runs/*.gz -m nDCG@10 --test two-way
      rankscale compare qrels.txt runs/*.gz -m RR@10 --summary median --statements
      rankscale compare qrels.txt runs/*.gz -m P@10 -m AP --format latex -o table.tex
      rankscale compare --values values.tsv -m AP --test 'signed rank'
    """
    from rankscale.evaluation.evaluate import evaluate
    from rankscale.formats.read.inputs import read_qrels, read_runs
    from rankscale.formats.read.topics import read_topics
    from rankscale.reporting.statement import Statements
    from rankscale.reporting.statements import statements
    from rankscale.stats.comparison import compare
    from rankscale.stats.planning import topics_needed
    from rankscale.stats.standardised_evaluation import standardise as standardised

    if added["simultaneous"] and not added["pairs"] and writing.form in FOR_PEOPLE:
        raise click.UsageError("--simultaneous is about the rows of pairs: add --pairs")
    left_out = [name for name, forms in SHOWN_BY.items() if added[name[2:]] and writing.form not in forms]  # type: ignore[literal-required]
    if left_out:
        warn([f"{writing.form} does not show {' and '.join(left_out)}; a table does"])
    values_in.check_files(qrels, runs)
    if topics is not None and added["statements"]:
        raise click.UsageError("--statements is about all topics: leave out --topics, or --statements")
    made = Statements(())
    given: list[str] | list[Run] = list(runs)
    if values_in.given_values:
        evaluation = replace(values_in.read([qrels, *runs], measuring.texts), summary=summary)
    else:
        wanted = measuring.measures(DEFAULT_MEASURES)
        judgments = read_qrels(qrels, max_size=judging["max_size"])
        if added["statements"]:  # runs are measured twice, and standard input can be read once
            scores = any(measure.needs_scores for measure in wanted)
            reading: options.Reading = {name: judging[name] for name in options.Reading.__annotations__}  # type: ignore[assignment,literal-required]
            given = read_runs(judgments, list(runs), keep_scores=scores, depth=judging["depth"], **reading)
        with progress_bar() as progress:
            evaluation = evaluate(judgments, given, wanted, summary=summary, progress=progress, **judging)
    if topics is not None:
        evaluation = evaluation.of_topics(read_topics(topics))
    if standardise is not None:
        evaluation = standardised(evaluation, standardise)
    writing = writing.citing(evaluation.measures)
    by_measure = [evaluation[measure] for measure in evaluation.measures]
    compared = [
        compare(one, test, **test_options, **resampling)  # type: ignore[arg-type]  # each test has its own
        for test in tests or (None,)
        for one in by_measure
    ]
    plan = added["plan"]
    planned = [] if plan is None else [topics_needed(one, plan, alpha=test_options["alpha"]) for one in by_measure]
    if added["statements"]:
        made = statements(compared, judgments, given, **judging)
    of_tests = (notice for one in compared for notice in one.notices)
    warn(list(dict.fromkeys([*evaluation.notices, *of_tests, *made.notices])))
    _write(compared, planned, made, writing, added)


def _write(
    compared: "Sequence[Comparison]",
    planned: "Sequence[Needed]",
    conclusions: "Statements",
    writing: Writing,
    added: Added,
) -> None:
    from rankscale.data.notices import on_command_line
    from rankscale.formats.write.results import view_text
    from rankscale.stats.comparison_sentence import sentence
    from rankscale.stats.comparison_tables import marked, omnibus_table, pair_rows

    form, shown, pairs, at_once = writing.form, writing.shown_digits, added["pairs"], added["simultaneous"]
    shown_pairs = partial(pair_rows, compared, omnibus=False, simultaneous=at_once)

    def text() -> str:
        by_run = marked(compared, on_command_line)
        if form != "table":
            together = [omnibus_table(compared)] if any(one.omnibus is not None for one in compared) else []
            return view_text([shown_pairs() if pairs else by_run, *together], form, shown)
        parts = [view_text([by_run], form, shown)]
        parts += [f"{one.measure}\n{one.compact_matrix()}" for one in compared if added["matrix"]]
        parts += [view_text([shown_pairs()], form, shown)] if pairs else []
        if added["explain"]:
            verdicts = (f"{one.verdict.why[0].upper()}{one.verdict.why[1:]}." for one in compared)
            parts += dict.fromkeys((one.why for one in conclusions) if conclusions else verdicts)
        parts += [*map(str, planned), *conclusions.cautions(), *(one.text for one in conclusions)]
        return "\n\n".join(parts) + "\n"

    lists = {
        "plans": [asdict(one) for one in planned],
        "statements": [one.to_dict() for one in conclusions],
        "comparisons": [{**one.provenance, "sentence": sentence(one, on_command_line)} for one in compared],
    }
    document = {name: listed for name, listed in lists.items() if listed} if form == "json" else {}
    writing.write_table(lambda: pair_rows(compared, simultaneous=at_once), text, **document)
