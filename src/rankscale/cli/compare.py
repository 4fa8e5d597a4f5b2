"""`rankscale compare`: which runs differ, and which conclusions that supports."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankscale.cli import options, values
from rankscale.cli.command import bundled, declared, executing
from rankscale.cli.compare_writing import Comparing, advise_on, compare_groups, write_compared
from rankscale.cli.evaluate import is_data_set
from rankscale.cli.options import family, groups_in
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.terminal import progress_bar, warn
from rankscale.stats.tests.names import TESTS

if TYPE_CHECKING:
    from rankscale.data.qrels import Qrels
    from rankscale.data.run import Run
    from rankscale.evaluation.block_result import BlockEvaluation
    from rankscale.executors import Executor
    from rankscale.inputs.options import Reading

DEFAULT_MEASURES = ("nDCG@10", "AP")
PLAN = (
    "Add how many topics it takes to find such a difference with power 0.8, by a two-sided test: 0.01 in values of the "
    "measure, or 2% of the mean of the baseline, or of the best run."
)
TEST = f"Significance test: {', '.join(f'{name} (with a baseline)' * needs or name for name, needs in TESTS.items())}."
DEFAULT_TEST = "student; sign with --summary median or quantiles"
EQUIVALENCE = (
    "Test too whether the means of two runs differ by less than MARGIN (TOST): 0.01 in values of the measure, or 2% of "
    "the mean of the second."
)
STATEMENTS = "Add conclusions in sentences, about neighbours or about each run and the baseline."


@declared(
    "compare",
    options.files_or_values,
    options.values_in,
    options.measuring(options.measures(DEFAULT_MEASURES), "depth", *options.MEASURED),
    options.option("-t --test tests", TEST, shown=DEFAULT_TEST, multiple=True, metavar="TEST"),
    options.summary,
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
    options.option("--samples", "Resamples of tests by resampling.", options.POSITIVE, shown="10000", metavar="N"),
    options.option("--seed", "Random seed for resampling and draws.", options.NATURAL, shown="0", metavar="N"),
    options.choice("--df", ("error", "infinite"), "Degrees of freedom of Tukey's test after ANOVA.", shown="error"),
    options.missing,
    options.topics,
    groups_in,
    family,
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
    bundled("comparing", Comparing),
)
def command(
    qrels: str,
    values_in: options.ValuesIn,
    measuring: options.Measuring,
    runs: tuple[str, ...],
    comparing: Comparing,
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
    from rankscale.stats.standardising import standardise

    comparing.check(writing)
    values_in.check_files(qrels, runs)
    made = Statements(())
    given: list[Any] = list(runs)
    judgments: Any = qrels
    if values_in.given_values:
        evaluation = replace(values_in.read([qrels, *runs], measuring.texts), summary=comparing.summary)
    elif is_data_set(qrels):
        from rankscale.evaluation.blocks import stream_blocks

        request, by_sums = measuring.request(DEFAULT_MEASURES), not comparing.needs_values
        with progress_bar() as progress:
            streaming = stream_blocks(request, qrels, given, pairs=by_sums, executor=executor, progress=progress)
            if by_sums:
                _compare_sums(streaming.finish(), comparing, writing)
                return
            evaluation = streaming.whole(comparing.summary)
    else:
        request = measuring.request(DEFAULT_MEASURES)
        judgments = read_qrels(qrels, max_size=request.reading.max_size)
        if comparing.statements:  # runs are measured twice, and standard input can be read once
            given = _read_once(judgments, given, request.reading)
        with progress_bar() as progress:
            evaluation = evaluated(
                request, judgments, given, summary=comparing.summary, executor=executor, progress=progress
            )
    if comparing.topics is not None:
        evaluation = evaluation.of_topics(read_topics(comparing.topics))
    if comparing.standardise is not None:
        evaluation = standardise(evaluation, comparing.standardise)
    writing = writing.citing(evaluation.measures)
    if comparing.groups_in.groups is not None:
        compare_groups(evaluation, comparing, writing)
        return
    by_measure = [evaluation[measure] for measure in evaluation.measures]
    if comparing.advise:
        advise_on(by_measure, comparing, writing)
        return
    compared = [
        compare(one, test, **comparing.of_tests, **comparing.resampling(test))  # type: ignore[arg-type]
        for test in comparing.tests or (None,)
        for one in by_measure
    ]
    planned = [
        topics_needed(one, comparing.plan, alpha=comparing.alpha, baseline=comparing.first_baseline)
        for one in by_measure
        if comparing.plan is not None
    ]
    if comparing.statements:
        made = statements(compared, judgments, given, executor=executor, **measuring.how)
    of_tests = (notice for one in compared for notice in one.notices)
    warn(list(dict.fromkeys([*evaluation.notices, *of_tests, *made.notices])))
    write_compared(compared, planned, made, writing, comparing)


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


def _compare_sums(result: "BlockEvaluation", comparing: Comparing, writing: Writing) -> None:
    """Compare data sets by sums over blocks of topics: no values are held."""
    from rankscale.answers.statement import Statements
    from rankscale.stats.compare import compare

    wanted = result.measures
    compared = [
        compare(result[one], test, **comparing.of_tests)  # type: ignore[arg-type]
        for test in comparing.tests or (None,)
        for one in wanted
    ]
    warn(list(dict.fromkeys([*result.notices, *(notice for one in compared for notice in one.notices)])))
    write_compared(compared, [], Statements(()), writing.citing(wanted), comparing)
