"""`rankscale compare`: which runs differ, and what may be said of it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from rankscale.cli import options
from rankscale.cli.output import TABLE_PLACES, chosen_form, deliver
from rankscale.cli.terminal import progress_bar, warn

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation
    from rankscale.reporting.statements import Statement
    from rankscale.stats.comparison import Comparison
    from rankscale.stats.planning import Needed

DEFAULT_MEASURES = ("AP", "nDCG@10")
FORMS = ("table", "tsv", "csv", "json", "jsonl", "parquet", "latex", "markdown")


@click.command("compare")
@options.files
@options.measures
@click.option(
    "-t",
    "--test",
    "tests",
    multiple=True,
    default=("student",),
    show_default=True,
    help="sign, 'rank sum', 'signed rank', student, one-way, two-way, kruskal-wallis, friedman, 'randomised tukey', "
    "bootstrap, randomisation. Repeats.",
)
@click.option(
    "--correction",
    type=click.Choice(["none", "bonferroni", "holm", "bh", "by"]),
    help="For many pairs: holm by default, none for tests that correct by themselves.",
)
@click.option("--baseline", metavar="RUN", help="Compare each run with this one, rather than all pairs.")
@click.option("--alpha", type=options.Share(), default=0.05, show_default=True, help="The level of significance.")
@click.option("--confidence", type=options.Share(), default=0.95, show_default=True, help="Of intervals.")
@click.option("--samples", type=click.IntRange(min=1), help="Draws of tests by resampling; 10000 by default.")
@click.option("--seed", type=int, help="Of these draws; 0 by default.")
@click.option("--df", type=click.Choice(["error", "infinite"]), help="Degrees of freedom of Tukey after ANOVA.")
@options.common
@click.option("--pairs", is_flag=True, help="A row for each pair, with intervals and effect sizes.")
@click.option("--matrix", is_flag=True, help="All pairs at a glance: > better, < worse, . no difference.")
@click.option(
    "--plan", type=options.Finite(), metavar="DIFFERENCE", help="How many topics finding such a difference would take."
)
@click.option(
    "--standardise", type=click.Choice(["z", "normal", "uniform", "empirical"]), help="Topic by topic, first."
)
@click.option(
    "--statements", is_flag=True, help="What may be said of neighbours, or of each and the baseline, in sentences."
)
@options.judging
@options.reading
@options.writing(*FORMS)
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
    common: bool,
    pairs: bool,
    matrix: bool,
    plan: float | None,
    standardise: str | None,
    statements: bool,
    form: str | None,
    places: int | None,
    output: str | None,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those that evaluate() takes as they are
) -> None:
    """Which runs differ, by a significance test over topics, and whether that may be said on the measure's scale.

    Runs that share a letter do not differ significantly.

    \b
    rankscale compare qrels.txt runs/*.gz -m nDCG@10 --test two-way
    rankscale compare qrels.txt runs/*.gz -m AP --baseline bm25 --statements
    rankscale compare qrels.txt runs/*.gz -m P@10 -m AP --format latex -o table.tex
    """
    from rankscale import _core
    from rankscale.evaluation.evaluate import evaluate
    from rankscale.formats.read.inputs import read_qrels, read_runs
    from rankscale.stats.comparison import compare

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    form = chosen_form(form, output, "pairs.parquet", FORMS)
    _say_what_is_left_out(form, {"--plan": plan is not None, "--statements": statements, "--matrix": matrix})
    wanted = options.measures_asked(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    judgments = read_qrels(qrels, max_size=settings["max_size"])
    of_test: dict[str, Any] = {"samples": samples, "seed": seed, "df": df}
    given: Any = list(runs)
    if statements:  # runs are asked twice, and standard input can be read once
        how = {name: settings[name] for name in ("order", "depth", "max_size", "threads")}
        given = read_runs(judgments, given, **how, keep_scores=any(measure.needs_scores for measure in wanted))
    with progress_bar("reading and judging", len(runs)) as progress:
        found = evaluate(judgments, given, wanted, complete=not common, progress=progress, **settings)
    found = found.common() if common else found
    if standardise is not None:
        found = _standardised(found, standardise)
    compared = [
        compare(
            found[measure],
            test,
            correction,
            baseline=baseline,
            alpha=alpha,
            confidence=confidence,
            **{name: value for name, value in of_test.items() if value is not None},
        )
        for test in tests
        for measure in found.measures
    ]
    planned = [_planned(found[measure], plan, alpha) for measure in found.measures] if plan is not None else []
    warn([*found.warnings, *dict.fromkeys(warning for one in compared for warning in one.warnings)])
    said = _statements(compared, given, judgments, settings, common=common) if statements else []
    _write(compared, planned, said, form, output, places, pairs=pairs, matrix=matrix)


def _say_what_is_left_out(form: str, asked: dict[str, bool]) -> None:
    shown_by = {"--plan": ("table", "json"), "--statements": ("table", "json"), "--matrix": ("table",)}
    left = [name for name, wanted in asked.items() if wanted and form not in shown_by[name]]
    if left:
        warn([f"{form} does not show {' and '.join(left)}; a table does"])


def _standardised(found: "Evaluation", kind: str) -> "Evaluation":
    from rankscale.stats.standardised_evaluation import standardise

    return standardise(found, kind)


def _planned(found: "Evaluation", difference: float, alpha: float) -> "Needed":
    from rankscale.stats.planning import topics_needed

    return topics_needed(found, difference, alpha=alpha)


def _statements(
    compared: "Sequence[Comparison]",
    runs: Any,  # noqa: ANN401  # read before
    judgments: Any,  # noqa: ANN401
    settings: dict[str, Any],
    *,
    common: bool,
) -> "list[Statement]":
    """What may be said of each measure, with its interval version where it has one."""
    from rankscale.evaluation.result import Evaluation
    from rankscale.reporting.statements import interval_evaluation, statements

    made = []
    for one in compared:
        scaled = interval_evaluation(judgments, runs, one.measure, complete=not common, **settings)
        if common and isinstance(scaled, Evaluation):
            scaled = scaled.common()
        made += statements(one, interval=scaled, levels=one.levels)
    return made


def _write(
    compared: "Sequence[Comparison]",
    planned: "Sequence[Needed]",
    said: "Sequence[Statement]",
    form: str,
    output: str | None,
    places: int | None,
    *,
    pairs: bool,
    matrix: bool,
) -> None:
    from rankscale.formats.write.document import json_chunks
    from rankscale.formats.write.frames import write_parquet
    from rankscale.formats.write.results import view_text
    from rankscale.formats.write.text import tidy_text
    from rankscale.stats.comparison import marked, pair_rows

    shown = TABLE_PLACES if places is None else places
    if form == "parquet":
        write_parquet(pair_rows(compared), str(output))
    elif form in {"tsv", "csv", "jsonl"}:
        deliver(tidy_text(pair_rows(compared), form, places), output)
    elif form == "json":
        more: dict[str, object] = {
            "plans": [asdict(one) for one in planned],
            "statements": [one.to_dict() for one in said],
        }
        more = {name: listed for name, listed in more.items() if listed}
        more["comparisons"] = [{**one.provenance, "sentence": one.sentence()} for one in compared]
        deliver((chunk.encode() for chunk in json_chunks(pair_rows(compared), places, **more)), output)
    elif form in {"latex", "markdown"}:
        table = pair_rows(compared) if pairs else marked(compared)
        deliver([view_text([table], form, shown).encode("utf-8", "surrogateescape")], output)
    else:
        parts = [view_text([marked(compared)], form, shown)]
        parts += [f"{one.measure}\n{one.compact_matrix()}" for one in compared if matrix]
        parts += [view_text([pair_rows(compared)], form, shown)] if pairs else []
        parts += [str(one) for one in (*planned, *said)]
        deliver([("\n\n".join(parts) + "\n").encode("utf-8", "surrogateescape")], output)
