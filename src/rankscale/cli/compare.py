"""`rankscale compare`: which runs differ, and which conclusions that supports."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Unpack

import click

from rankscale.cli import options, values
from rankscale.cli.command import declared
from rankscale.cli.output import FORMS, chosen_form, deliver, shown_digits
from rankscale.cli.terminal import progress_bar, warn
from rankscale.data.declared import register

if TYPE_CHECKING:
    from rankscale.data.qrels import Qrels
    from rankscale.data.run import Run
    from rankscale.evaluation.result import Evaluation
    from rankscale.reporting.statements import Statement
    from rankscale.stats.comparison import Comparison
    from rankscale.stats.planning import Needed

DEFAULT_MEASURES = ("AP", "nDCG@10")


@declared(
    "compare",
    options.files,
    options.measures(DEFAULT_MEASURES),
    click.option(
        "-t",
        "--test",
        "tests",
        multiple=True,
        default=("student",),
        show_default=True,
        help=f"{register('studies')['changes'].options['tests'].help} May be given several times.",
    ),
    options.correction,
    click.option("--baseline", metavar="RUN", show_default="all pairs", help="Run that all others are compared with."),
    options.alpha,
    options.confidence,
    click.option(
        "--samples", type=click.IntRange(min=1), show_default="10000", help="Resamples of tests by resampling."
    ),
    click.option("--seed", type=click.IntRange(min=0), show_default="0", help="Random seed for resampling."),
    options.choice("--df", ["error", "infinite"], "Degrees of freedom of Tukey's test after ANOVA.", shown="error"),
    options.missing,
    click.option("--pairs", is_flag=True, help="Write a row for each pair, with intervals and effect sizes."),
    click.option("--matrix", is_flag=True, help="Add all pairs at a glance: > better, < worse, . no difference."),
    click.option(
        "--plan",
        type=values.NUMBER,
        metavar="DIFFERENCE",
        show_default="none",
        help="Add how many topics it takes to find such a difference.",
    ),
    options.choice(
        "--standardise",
        ["z", "normal", "uniform", "empirical"],
        "Standardise values per topic before testing.",
        shown="none",
    ),
    click.option(
        "--statements",
        is_flag=True,
        help="Add conclusions in sentences, about neighbours or about each run and the baseline.",
    ),
    options.judging,
    options.reading,
    options.writing(*FORMS),
    examples=(
        "rankscale compare qrels.txt runs/*.gz -m nDCG@10 --test two-way",
        "rankscale compare qrels.txt runs/*.gz -m AP --statements",
        "rankscale compare qrels.txt runs/*.gz -m P@10 -m AP --format latex -o table.tex",
    ),
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    tests: tuple[str, ...],
    correction: str | None,
    baseline: str | None,
    alpha: float,
    confidence: float,
    samples: int | None,
    seed: int | None,
    df: str | None,
    pairs: bool,
    matrix: bool,
    plan: float | None,
    standardise: str | None,
    statements: bool,
    written_as: str | None,
    digits: int | None,
    output: str | None,
    rel: float | None,
    gains: values.Gains | None,
    **judging: Unpack[options.Judging],
) -> None:
    """Test which runs differ significantly over topics, and whether the measure's scale supports that conclusion.

    Runs that share a letter do not differ significantly.
    """
    from rankscale.evaluation.evaluate import evaluate
    from rankscale.formats.read.inputs import read_qrels, read_runs
    from rankscale.stats.comparison import compare

    form = chosen_form(written_as, output, "pairs.parquet", FORMS)
    _warn_of_what_is_left_out(form, {"--plan": plan is not None, "--statements": statements, "--matrix": matrix})
    wanted = options.measures_requested(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    judgments = read_qrels(qrels, max_size=judging["max_size"])
    resampling: dict[str, object] = {"samples": samples, "seed": seed, "df": df}
    test_settings = {name: value for name, value in resampling.items() if value is not None}
    given: list[str] | list[Run] = list(runs)
    if statements:  # runs are measured twice, and standard input can be read once
        given = read_runs(
            judgments,
            list(runs),
            order=judging["order"],
            depth=judging["depth"],
            max_size=judging["max_size"],
            threads=judging["threads"],
            keep_scores=any(measure.needs_scores for measure in wanted),
        )
    with progress_bar() as progress:
        evaluation = evaluate(runs=given, qrels=judgments, measures=wanted, progress=progress, **judging)
    if standardise is not None:
        evaluation = _standardised(evaluation, standardise)
    compared = [
        compare(
            evaluation[measure],
            test,
            correction,
            baseline=baseline,
            alpha=alpha,
            confidence=confidence,
            **test_settings,  # type: ignore[arg-type]  # each test has its own
        )
        for test in tests
        for measure in evaluation.measures
    ]
    planned = (
        [_planned(evaluation[measure], plan, alpha) for measure in evaluation.measures] if plan is not None else []
    )
    warn([*evaluation.notices, *dict.fromkeys(notice for one in compared for notice in one.notices)])
    conclusions = _statements(compared, given, judgments, judging) if statements else []
    _write(compared, planned, conclusions, form, output, digits, pairs=pairs, matrix=matrix)


def _warn_of_what_is_left_out(form: str, requested: dict[str, bool]) -> None:
    shown_by = {"--plan": ("table", "json"), "--statements": ("table", "json"), "--matrix": ("table",)}
    left = [name for name, wanted in requested.items() if wanted and form not in shown_by[name]]
    if left:
        warn([f"{form} does not show {' and '.join(left)}; a table does"])


def _standardised(evaluation: "Evaluation", kind: str) -> "Evaluation":
    from rankscale.stats.standardised_evaluation import standardise

    return standardise(evaluation, kind)


def _planned(evaluation: "Evaluation", difference: float, alpha: float) -> "Needed":
    from rankscale.stats.planning import topics_needed

    return topics_needed(evaluation, difference, alpha=alpha)


def _statements(
    compared: "Sequence[Comparison]",
    runs: "list[str] | list[Run]",
    judgments: "Qrels",
    judging: options.Judging,
) -> "Sequence[Statement]":
    """Conclusions for each measure, with its interval version where it has one."""
    from rankscale.reporting.statements import statements

    return statements(compared, judgments, runs, **judging)


def _write(
    compared: "Sequence[Comparison]",
    planned: "Sequence[Needed]",
    conclusions: "Sequence[Statement]",
    form: str,
    output: str | None,
    digits: int | None,
    *,
    pairs: bool,
    matrix: bool,
) -> None:
    from rankscale.formats.write.document import json_chunks
    from rankscale.formats.write.frames import write_parquet
    from rankscale.formats.write.results import view_text
    from rankscale.formats.write.text import tidy_text
    from rankscale.stats.comparison import marked, pair_rows

    shown = shown_digits(digits)
    if form == "parquet":
        write_parquet(pair_rows(compared), str(output))
    elif form in {"tsv", "csv", "jsonl"}:
        deliver(tidy_text(pair_rows(compared), form, digits), output)
    elif form == "json":
        more: dict[str, object] = {
            "plans": [asdict(one) for one in planned],
            "statements": [one.to_dict() for one in conclusions],
        }
        more = {name: listed for name, listed in more.items() if listed}
        more["comparisons"] = [{**one.provenance, "sentence": one.sentence()} for one in compared]
        deliver((chunk.encode() for chunk in json_chunks(pair_rows(compared), digits, **more)), output)
    elif form in {"latex", "markdown"}:
        table = pair_rows(compared) if pairs else marked(compared)
        deliver([view_text([table], form, shown).encode("utf-8", "surrogateescape")], output)
    else:
        parts = [view_text([marked(compared)], form, shown)]
        parts += [f"{one.measure}\n{one.compact_matrix()}" for one in compared if matrix]
        parts += [view_text([pair_rows(compared)], form, shown)] if pairs else []
        parts += [str(one) for one in (*planned, *conclusions)]
        deliver([("\n\n".join(parts) + "\n").encode("utf-8", "surrogateescape")], output)
