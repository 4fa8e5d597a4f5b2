"""`rankscale compare`: which runs differ, and which conclusions that supports."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypedDict

import click

from rankscale.cli import options, values
from rankscale.cli.command import bundled, declared, executing
from rankscale.cli.compare_writing import Added, advise_on, check_family, compare_groups, write_compared
from rankscale.cli.evaluate import is_data_set
from rankscale.cli.options import GroupsIn, family, groups_in
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.terminal import progress_bar, warn
from rankscale.data.arguments import register

if TYPE_CHECKING:
    from rankscale.data.qrels import Qrels
    from rankscale.data.run import Run
    from rankscale.evaluation.block_result import BlockEvaluation
    from rankscale.evaluation.options import Summary
    from rankscale.evaluation.result import Evaluation
    from rankscale.executors import Executor
    from rankscale.inputs.options import Reading

DEFAULT_MEASURES = ("AP", "nDCG@10")
PLAN = (
    "Add how many topics it takes to find such a difference with power 0.8, by a two-sided test: 0.01 in values of the "
    "measure, or 2% of the mean of the baseline, or of the best run."
)
TEST = (
    register("studies")["changes"].options["test"].help.replace("bootstrap,", "bootstrap, dunnett (with a baseline),")
)
NOT_BY_GROUP = ("statements", "plan", "matrix", "simultaneous", "places", "advise")
DEFAULT_TEST = "student; sign with --summary median or quantiles"
EQUIVALENCE = (
    "Test too whether the means of two runs differ by less than MARGIN (TOST): 0.01 in values of the measure, or 2% of "
    "the mean of the second."
)
STATEMENTS = "Add conclusions in sentences, about neighbours or about each run and the baseline."
FOR_PEOPLE = ("table", "latex", "markdown", "html")
SHOWN_BY = {
    "--places": ("table", "json", "latex", "markdown", "html"),
    "--plan": ("table", "json"),
    "--statements": ("table", "json"),
    "--matrix": ("table",),
}


class TestOptions(TypedDict):
    """Options that compare() takes as they are."""

    correction: str | None
    baseline: tuple[str, ...] | None
    alpha: float
    confidence: float
    equivalence: str | None


def _resampling(samples: int | None, seed: int | None, df: str | None) -> dict[str, object]:
    """Options that only some tests take, as far as they are given."""
    given = {"samples": samples, "seed": seed, "df": df}
    return {name: value for name, value in given.items() if value is not None}


@declared(
    "compare",
    options.files_or_values,
    options.values_in,
    options.measuring(options.measures(DEFAULT_MEASURES), "depth", *options.MEASURED),
    options.option("-t --test tests", TEST, shown=DEFAULT_TEST, multiple=True, metavar="TEST"),
    options.summary,
    bundled(
        "test_options",
        TestOptions,
        options.correction,
        options.option(
            "--baseline",
            "Run that all others are compared with; with several, each of the others is compared with each of them.",
            shown="all pairs",
            metavar="RUN",
            multiple=True,
        ),
        options.alpha,
        options.confidence,
        options.option("--equivalence", EQUIVALENCE, shown="none", metavar="MARGIN"),
    ),
    bundled(
        "resampling",
        _resampling,
        options.option("--samples", "Resamples of tests by resampling.", options.POSITIVE, shown="10000", metavar="N"),
        options.option("--seed", "Random seed for resampling and draws.", options.NATURAL, shown="0", metavar="N"),
        options.choice("--df", ("error", "infinite"), "Degrees of freedom of Tukey's test after ANOVA.", shown="error"),
    ),
    options.missing,
    options.topics,
    groups_in,
    family,
    bundled(
        "added",
        Added,
        options.flag("--pairs", "Write a row for each pair, with intervals and effect sizes."),
        options.flag("--simultaneous", "With a row for each pair: intervals that hold for all pairs at once."),
        options.flag("--matrix", "Add all pairs at a glance: > better, < worse, . no difference."),
        options.option("--plan", PLAN, values.DIFFERENCE, shown="none", metavar="DIFFERENCE"),
        options.flag("--statements", STATEMENTS),
        options.flag(
            "--places",
            "Add the place of each run: its interval over draws of topics, the share of draws in which it is first, "
            "and the places that the tests leave open.",
        ),
        options.draws,
        options.flag("--advise", "Recommend a test and a correction, with reasons, in place of a comparison."),
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
    executing,
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
    groups_in: GroupsIn,
    family: str | None,
    executor: "Executor | None",
    writing: Writing,
) -> None:
    """Test which runs differ significantly over topics, and whether the measure's scale supports that conclusion.

    Runs that share a letter do not differ significantly.

    Command line
    ------------
      rankscale compare qrels.txt runs/*.gz -m nDCG@10 --test two-way
      rankscale compare qrels.txt runs/*.gz -m RR@10 --summary median --statements
      rankscale compare qrels.txt runs/*.gz -m P@10 -m AP --format latex -o table.tex
      rankscale compare qrels.txt runs/*.gz -m P@10 --baseline bm25 --test dunnett --places
      rankscale compare qrels.txt runs/*.gz -m P@10 --advise
      rankscale compare qrels.txt runs/*.gz -m P@10 --plan 2%
      rankscale compare --values values.tsv -m AP --test 'signed rank'
      rankscale compare qrels.txt runs/*.gz -m AP --groups topics.csv --group-column length
    """
    from rankscale.answers.statement import Statements
    from rankscale.answers.statements import statements
    from rankscale.evaluation.evaluate import evaluated
    from rankscale.inputs.read import read_qrels
    from rankscale.inputs.topics import read_topics
    from rankscale.stats.compare import compare
    from rankscale.stats.power import topics_needed
    from rankscale.stats.standardising import standardise as standardised

    _check(groups_in, family, summary, test_options, added, writing, topics)
    values_in.check_files(qrels, runs)
    made = Statements(())
    given: list[Any] = list(runs)
    judgments: Any = qrels
    if values_in.given_values:
        evaluation = replace(values_in.read([qrels, *runs], measuring.texts), summary=summary)
    elif is_data_set(qrels):
        from rankscale.evaluation.blocks import stream_blocks

        request = measuring.request(DEFAULT_MEASURES)
        by_sums = not _needs_values(tests, summary, test_options, added, (topics, standardise, groups_in.groups))
        with progress_bar() as progress:
            streaming = stream_blocks(request, qrels, given, pairs=by_sums, executor=executor, progress=progress)
            if by_sums:
                _compare_sums(streaming.finish(), tests, test_options, added, writing)
                return
            evaluation = streaming.whole(summary)
    else:
        request = measuring.request(DEFAULT_MEASURES)
        judgments = read_qrels(qrels, max_size=request.reading.max_size)
        if added["statements"]:  # runs are measured twice, and standard input can be read once
            given = _read_once(judgments, given, request.reading)
        with progress_bar() as progress:
            evaluation = evaluated(request, judgments, given, summary=summary, executor=executor, progress=progress)
    if topics is not None:
        evaluation = evaluation.of_topics(read_topics(topics))
    if standardise is not None:
        evaluation = standardised(evaluation, standardise)
    writing = writing.citing(evaluation.measures)
    if groups_in.groups is not None:
        _compare_groups(evaluation, groups_in, tests, test_options, family, resampling, writing, added)
        return
    by_measure = [evaluation[measure] for measure in evaluation.measures]
    if added["advise"]:
        advise_on(by_measure, test_options["baseline"], test_options["alpha"], writing)
        return
    compared = [
        compare(one, test, **test_options, **_settings_of(test, resampling, places=added["places"]))  # type: ignore[arg-type]
        for test in tests or (None,)
        for one in by_measure
    ]
    plan, alpha, baseline = added["plan"], test_options["alpha"], next(iter(test_options["baseline"] or ()), None)
    planned = [] if plan is None else [topics_needed(one, plan, alpha=alpha, baseline=baseline) for one in by_measure]
    if added["statements"]:
        made = statements(compared, judgments, given, executor=executor, **measuring.how)
    of_tests = (notice for one in compared for notice in one.notices)
    warn(list(dict.fromkeys([*evaluation.notices, *of_tests, *made.notices])))
    write_compared(compared, planned, made, writing, added, int(str(resampling.get("seed", 0))))


def _read_once(qrels: "Qrels", runs: list[str], reading: "Reading") -> "list[Run]":
    """The runs, for measures that are measured one after the other."""
    from rankscale.inputs.read import read_runs

    return read_runs(
        qrels,
        runs,
        order=reading.order,
        threads=reading.threads,
        max_size=reading.max_size,
        depth=reading.depth,
        keep_scores=reading.keep_scores,
    )


def _compare_groups(
    evaluation: "Evaluation",
    groups_in: GroupsIn,
    tests: tuple[str, ...],
    test_options: TestOptions,
    family: str | None,
    resampling: dict[str, object],
    writing: Writing,
    added: Added,
) -> None:
    """Compare runs within each group of topics."""
    settings: dict[str, object] = {
        "correction": test_options["correction"] or "holm",
        "baseline": next(iter(test_options["baseline"] or ()), None),
        "alpha": test_options["alpha"],
        "confidence": test_options["confidence"],
        "family": family or "all",
    }
    shown = {name: bool(added[name]) for name in ("pairs", "explain")}
    compare_groups(evaluation, groups_in, tests, settings, resampling, writing, **shown)


def _compare_sums(
    result: "BlockEvaluation", tests: tuple[str, ...], test_options: TestOptions, added: Added, writing: Writing
) -> None:
    """Compare data sets by sums over blocks of topics: no values are held."""
    from rankscale.answers.statement import Statements
    from rankscale.stats.compare import compare

    wanted = result.measures
    compared = [compare(result[one], test, **test_options) for test in tests or (None,) for one in wanted]
    warn(list(dict.fromkeys([*result.notices, *(notice for one in compared for notice in one.notices)])))
    write_compared(compared, [], Statements(()), writing.citing(wanted), added, 0)


def _needs_values(
    tests: tuple[str, ...],
    summary: "Summary",
    test_options: TestOptions,
    added: Added,
    others: tuple[object, ...],
) -> bool:
    """Whether something is requested that needs the values of all topics at once."""
    from rankscale.stats.tests.base.test import SumsTest
    from rankscale.stats.tests.register import find_test

    shown = (added[name] or None for name in ("places", "advise", "statements"))
    requested = (added["plan"], test_options["equivalence"], *shown, *others)
    by_sums = all(issubclass(find_test(test), SumsTest) for test in tests)
    return summary != "mean" or not by_sums or any(one is not None for one in requested)


def _check(
    groups_in: GroupsIn,
    family: str | None,
    summary: "Summary",
    test_options: TestOptions,
    added: Added,
    writing: Writing,
    topics: str | None,
) -> None:
    """Raise UsageError for options that do not go together; warn of what a form does not show."""
    if topics is not None and added["statements"]:
        raise click.UsageError("--statements is about all topics: leave out --topics, or --statements")
    check_family(groups_in, family)
    groups_in.check(
        {
            f"--summary {summary}": summary != "mean",
            **{f"--{name}": bool(added[name]) for name in NOT_BY_GROUP},  # type: ignore[literal-required]
            "--equivalence": test_options["equivalence"] is not None,
            "more than one --baseline": len(test_options["baseline"] or ()) > 1,
        }
    )
    others = [name for name in ("pairs", "matrix", "plan", "statements", "places") if added[name]]
    if added["advise"] and others:
        raise click.UsageError(f"--advise takes the place of a comparison: leave out --{others[0]}, or --advise")
    if added["draws"] is not None and not added["places"]:
        raise click.UsageError("--draws are those of places: add --places")
    if added["simultaneous"] and not added["pairs"] and writing.form in FOR_PEOPLE:
        raise click.UsageError("--simultaneous is about the rows of pairs: add --pairs")
    left_out = [name for name, forms in SHOWN_BY.items() if added[name[2:]] and writing.form not in forms]  # type: ignore[literal-required]
    if left_out:
        warn([f"{writing.form} does not show {' and '.join(left_out)}; a table does"])


def _settings_of(test: str | None, resampling: dict[str, object], *, places: bool) -> dict[str, object]:
    """Settings of one test; the seed is also that of places, and then goes to tests that take one."""
    from dataclasses import fields

    from rankscale.stats.tests.register import find_test

    takes = test is not None and "seed" in {field.name for field in fields(find_test(test))}
    return {name: value for name, value in resampling.items() if name != "seed" or takes or not places}
