"""`rankscale compare`: which runs differ, and which conclusions that supports."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import click

from rankscale.cli import options, values
from rankscale.cli.command import bundled, declared, executing
from rankscale.cli.options import GroupsIn, family, groups_in
from rankscale.cli.output import FORMS, Writing
from rankscale.cli.terminal import progress_bar, warn
from rankscale.cli.values import DrawCount
from rankscale.stats.tests.names import TESTS

if TYPE_CHECKING:
    from rankscale.answers.statement import Statements
    from rankscale.data.table import Cell, Table
    from rankscale.evaluation.block_result import BlockEvaluation
    from rankscale.evaluation.options import Summary
    from rankscale.evaluation.result import Evaluation
    from rankscale.executors import Executor
    from rankscale.outputs.blocks import Printable
    from rankscale.stats.comparison import Comparison
    from rankscale.stats.power import Needed
    from rankscale.studies.topic_groups import TopicGroups

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
FOR_PEOPLE = ("table", "latex", "markdown", "html")
NOT_BY_GROUP = ("statements", "plan", "matrix", "simultaneous", "places", "advise")
SHOWN_BY = {
    "places": ("table", "json", "latex", "markdown", "html"),
    "plan": ("table", "json"),
    "statements": ("table", "json"),
    "matrix": ("table",),
}


@dataclass(frozen=True)
class Comparing:
    """What is compared of measured runs: tests with their settings, groups of topics, and what is shown."""

    tests: tuple[str, ...]
    summary: "Summary"
    correction: str | None
    baseline: tuple[str, ...] | None
    alpha: float
    confidence: float
    equivalence: str | None
    samples: int | None
    seed: int | None
    df: str | None
    topics: str | None
    groups_in: GroupsIn
    family: Literal["all", "group"] | None
    standardise: str | None
    pairs: bool
    simultaneous: bool
    matrix: bool
    plan: float | str | None
    statements: bool
    places: bool
    draws: DrawCount | None
    advise: bool
    explain: bool

    def check(self, writing: Writing) -> None:
        """Raise UsageError for options that do not go together; warn of what a form does not show."""
        if self.topics is not None and self.statements:
            raise click.UsageError("--statements is about all topics: leave out --topics, or --statements")
        if self.family is not None and self.groups_in.groups is None:
            raise click.UsageError("--family is about groups of topics: give --groups FILE too")
        self.groups_in.check(
            {
                f"--summary {self.summary}": self.summary != "mean",
                **{f"--{name}": bool(getattr(self, name)) for name in NOT_BY_GROUP},
                "--equivalence": self.equivalence is not None,
                "more than one --baseline": len(self.baseline or ()) > 1,
            }
        )
        others = [name for name in ("pairs", "matrix", "plan", "statements", "places") if getattr(self, name)]
        if self.advise and others:
            raise click.UsageError(f"--advise takes the place of a comparison: leave out --{others[0]}, or --advise")
        if self.draws is not None and not self.places:
            raise click.UsageError("--draws are those of places: add --places")
        if self.simultaneous and not self.pairs and writing.form in FOR_PEOPLE:
            raise click.UsageError("--simultaneous is about the rows of pairs: add --pairs")
        left_out = [
            f"--{name}" for name, forms in SHOWN_BY.items() if getattr(self, name) and writing.form not in forms
        ]
        if left_out:
            warn([f"{writing.form} does not show {' and '.join(left_out)}; a table does"])

    @property
    def needs_values(self) -> bool:
        """Whether something is requested that needs the values of all topics at once, and not sums alone."""
        from rankscale.stats.tests.base.test import SumsTest
        from rankscale.stats.tests.register import find_test

        given = (self.plan, self.equivalence, self.topics, self.standardise, self.groups_in.groups)
        is_shown = self.places or self.advise or self.statements or any(one is not None for one in given)
        return self.summary != "mean" or is_shown or not all(issubclass(find_test(one), SumsTest) for one in self.tests)

    @property
    def of_tests(self) -> dict[str, Any]:
        """Settings that all tests take."""
        return {name: getattr(self, name) for name in ("correction", "baseline", "alpha", "confidence", "equivalence")}

    def resampling(self, test: str | None) -> dict[str, Any]:
        """Settings of one test by resampling; the seed is also that of places, and then goes to tests that take one."""
        from rankscale.stats.tests.register import find_test

        given = {"samples": self.samples, "seed": self.seed, "df": self.df}
        takes = test is not None and "seed" in {field.name for field in fields(find_test(test))}
        dropped = {"seed"} if self.places and not takes else set()
        return {name: value for name, value in given.items() if value is not None and name not in dropped}

    @property
    def first_baseline(self) -> str | None:
        """The first baseline, for what takes one."""
        return next(iter(self.baseline or ()), None)


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
    from rankscale.answers.statements import statements
    from rankscale.evaluation.evaluate import evaluated, is_data_set
    from rankscale.inputs.read import iterate_runs, read_qrels
    from rankscale.inputs.topics import read_topics
    from rankscale.stats.compare import compare
    from rankscale.stats.power import topics_needed
    from rankscale.stats.standardising import standardise

    comparing.check(writing)
    values_in.check_files(qrels, runs)
    given: list[Any] = list(runs)
    judgments: Any = qrels
    if values_in.given_values:
        evaluation = values_in.read([qrels, *runs], measuring.texts)
    elif is_data_set(qrels, or_address=True):
        from rankscale.evaluation.blocks import stream_blocks

        request, by_sums = measuring.request(DEFAULT_MEASURES), not comparing.needs_values
        with progress_bar() as progress:
            streaming = stream_blocks(request, qrels, given, pairs=by_sums, executor=executor, progress=progress)
            if by_sums:
                _compare_sums(streaming.finish(), comparing, writing)
                return
            evaluation = streaming.whole()
    else:
        request = measuring.request(DEFAULT_MEASURES)
        judgments = read_qrels(qrels, max_size=request.reading.max_size)
        if comparing.statements:  # runs are measured twice, and standard input can be read once
            given = list(iterate_runs(judgments, given, request.reading))
        with progress_bar() as progress:
            evaluation = evaluated(request, judgments, given, executor=executor, progress=progress)
    evaluation = replace(evaluation, summary=comparing.summary)
    if comparing.topics is not None:
        evaluation = evaluation.of_topics(read_topics(comparing.topics))
    if comparing.standardise is not None:
        evaluation = standardise(evaluation, comparing.standardise)
    if comparing.groups_in.groups is not None:
        compare_groups(evaluation, comparing, writing.citing(evaluation.measures))
        return
    by_measure = [evaluation[measure] for measure in evaluation.measures]
    if comparing.advise:
        advise_on(by_measure, comparing, writing.citing(evaluation.measures))
        return
    compared = [
        compare(one, test, **comparing.of_tests, **comparing.resampling(test))
        for test in comparing.tests or (None,)
        for one in by_measure
    ]
    planned = [
        topics_needed(one, comparing.plan, alpha=comparing.alpha, baseline=comparing.first_baseline)
        for one in by_measure
        if comparing.plan is not None
    ]
    made = None
    if comparing.statements:
        made = statements(compared, judgments, given, executor=executor, **measuring.how)
    write_compared(evaluation, compared, comparing, writing, planned, made)


def _compare_sums(result: "BlockEvaluation", comparing: Comparing, writing: Writing) -> None:
    """Compare data sets by sums over blocks of topics: no values are held."""
    from rankscale.stats.compare import compare

    tests = comparing.tests or (None,)
    compared = [compare(result[one], test, **comparing.of_tests) for test in tests for one in result.measures]
    write_compared(result, compared, comparing, writing)


def advise_on(by_measure: "Sequence[Evaluation]", comparing: Comparing, writing: Writing) -> None:
    """Write which test and correction fit each measure."""
    from rankscale.stats.advice import advice_table, advise

    advice = [advise(one, baseline=comparing.baseline or None, alpha=comparing.alpha) for one in by_measure]
    table = partial(advice_table, advice)
    writing.write_table(table, lambda: [*map(str, advice)] if writing.form == "table" else [table()])


def write_compared(
    result: "Evaluation | BlockEvaluation",
    compared: "Sequence[Comparison]",
    comparing: Comparing,
    writing: Writing,
    planned: "Sequence[Needed]" = (),
    conclusions: "Statements | None" = None,
) -> None:
    """Warn, and write comparisons and what is shown besides them."""
    from rankscale.answers.statement import Statements
    from rankscale.data.arguments import DRAWS
    from rankscale.errors import on_command_line
    from rankscale.stats.comparison_tables import marked, omnibus_table, pair_rows, sentence
    from rankscale.stats.ranking_confidence import places_table
    from rankscale.stats.resampling.confidence import places_shown

    conclusions = conclusions or Statements(())
    of_tests = (notice for one in compared for notice in one.notices)
    warn(list(dict.fromkeys([*result.notices, *of_tests, *conclusions.notices])))
    form, pairs, at_once = writing.form, comparing.pairs, comparing.simultaneous
    places = [places_table(compared, comparing.draws or DRAWS, comparing.seed or 0)] if comparing.places else []
    one_test = len({one.test.name for one in compared}) == 1
    people = [places_shown(one).without(*["test"] * one_test) for one in places]
    shown_pairs = partial(pair_rows, compared, omnibus=False, simultaneous=at_once)

    def blocks() -> "Sequence[Printable]":
        by_run = marked(compared, on_command_line)
        if form != "table":
            together = [omnibus_table(compared)] if any(one.omnibus is not None for one in compared) else []
            return [shown_pairs() if pairs else by_run, *together, *people]
        parts: list[Printable] = [by_run]
        parts += [one.matrix_block() for one in compared if comparing.matrix]
        parts += [*([shown_pairs()] if pairs else []), *people]
        if comparing.explain:
            verdicts = (f"{one.verdict.why[0].upper()}{one.verdict.why[1:]}." for one in compared)
            parts += dict.fromkeys((one.why for one in conclusions) if conclusions else verdicts)
        return [*parts, *map(str, planned), *conclusions.cautions(), *(one.text for one in conclusions)]

    lists: dict[str, object] = {
        "places": places[0] if places else [],
        "plans": [asdict(one) for one in planned],
        "statements": [one.to_dict() for one in conclusions],
        "comparisons": [{**one.provenance, "sentence": sentence(one, on_command_line)} for one in compared],
    }
    document = {name: listed for name, listed in lists.items() if listed} if form == "json" else {}
    writing.citing(result.measures).write_table(lambda: pair_rows(compared, simultaneous=at_once), blocks, **document)


def compare_groups(evaluation: "Evaluation", comparing: Comparing, writing: Writing) -> None:
    """Compare runs within each group by each test, warn, and write; runs are in the order of the first measure."""
    from rankscale.stats.resampling.groups import grouping
    from rankscale.stats.tests.register import make_test
    from rankscale.studies.topic_groups import VERDICT, topic_groups
    from rankscale.studies.topic_groups.tables import marked_groups

    ordered = evaluation.sorted_by(evaluation.measures[0])
    groups = grouping(ordered, comparing.groups_in.groups, comparing.groups_in.group_column)
    studies = [
        topic_groups(
            ordered,
            groups,
            test=make_test(test, **comparing.resampling(test)),
            correction=comparing.correction or "holm",
            baseline=comparing.first_baseline,
            alpha=comparing.alpha,
            confidence=comparing.confidence,
            family=comparing.family or "all",
        )
        for test in comparing.tests or ("student",)
    ]
    notices = dict.fromkeys(notice for study in studies for notice in study.notices if notice.kind != VERDICT)
    warn(list(notices))
    form, pairs = writing.form, comparing.pairs

    def blocks() -> "Sequence[Printable]":
        interaction = studies[0].tables()["interaction"]  # whatever the test
        interactions = [interaction] if len(interaction) else []
        if form != "table":
            return [_with_test(studies, "pairs") if pairs else marked_groups(studies), *interactions]
        parts: list[Printable] = [marked_groups(studies), *([_with_test(studies, "pairs")] if pairs else [])]
        if comparing.explain:
            reasons = (one.why for study in studies for one in study.verdicts)
            parts += dict.fromkeys(f"{why[0].upper()}{why[1:]}." for why in reasons)
        return parts

    document: dict[str, object] = {}
    if form == "json":
        document["comparisons"] = [_settings(study, m) for study in studies for m in range(len(study.verdicts))]
        document["groups"] = _with_test(studies, "groups")
        document |= {name: studies[0].tables()[name] for name in ("overall", "interaction")}
    writing.write_table(lambda: _with_test(studies, "pairs"), blocks, **document)


def _with_test(studies: "Sequence[TopicGroups]", name: str) -> "Table":
    """A table of all studies, each row with its test after the measure."""
    from rankscale.data.table import Table

    columns: dict[str, list[Cell]] = {}
    tables = [study.tables()[name] for study in studies]
    names = dict.fromkeys(column for table in tables for column in table.columns)
    for study, table in zip(studies, tables, strict=True):
        for column in names:
            columns.setdefault(column, []).extend(table.columns.get(column, [None] * len(table)))
            if column == "measure":
                columns.setdefault("test", []).extend([study.test.name] * len(table))
    return replace(tables[0], columns=columns) if columns else Table({})


def _settings(study: "TopicGroups", m: int) -> dict[str, object]:
    """Settings and sentence of one measure, for JSON."""
    settings = {name: value for name, value in study.settings.items() if name != "study"}
    return {
        "measure": study.measure_names[m],
        **settings,
        "verdict": str(study.verdicts[m]),
        "signature": study.signature,
        "sentence": study.sentences(verdicts=True)[m],
    }
