"""`rankscale changes`: what tests find on interval scales that they do not find with the measures, and the reverse."""

from dataclasses import replace
from typing import Any

import click

from rankscale.cli import options, studying
from rankscale.cli.intervals import DEFAULT_MEASURES
from rankscale.cli.spelling import as_options, own_spelling
from rankscale.cli.terminal import progress_bar


@click.command("changes")
@options.files
@options.measures
@click.option(
    "-t",
    "--test",
    "tests",
    multiple=True,
    help="sign, 'rank sum', 'signed rank', student, one-way, kruskal-wallis, two-way, friedman (by default all of "
    "these), 'randomised tukey', bootstrap, randomisation. Repeats.",
)
@click.option("--alpha", type=options.Share(), default=0.05, show_default=True, help="The level of significance.")
@click.option(
    "--correction",
    type=click.Choice(["none", "bonferroni", "holm", "bh", "by"]),
    default="none",
    show_default=True,
    help="For many pairs, of tests that do not correct by themselves.",
)
@click.option(
    "--df",
    type=click.Choice(["error", "infinite"]),
    default="error",
    show_default=True,
    help="Degrees of freedom of Tukey after ANOVA; infinite in the published tables.",
)
@click.option("--samples", type=click.IntRange(min=1), default=10_000, show_default=True, help="Draws of resampling.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of these draws.")
@options.common
@options.scaling
@options.judging
@options.reading
@studying.writing("changes", "correlations", "pairs", "summary")
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    tests: tuple[str, ...],
    table: str | None,
    form: str | None,
    places: int | None,
    output: str | None,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those that changes() takes as they are
) -> None:
    """What changes when measures are put on their interval scales.

    For each measure and test: how many pairs of runs differ significantly with the measure (Sig), how many of them no
    longer do with its interval version (S2NS), how many do only with it (NS2S), and all that change, over Sig. Then
    Kendall's tau between each two measures, between their interval versions, and by how many percent it changes.

    \b
    rankscale changes qrels.txt runs/*.gz -m AP@30 -m RR@30
    rankscale changes qrels.txt runs/*.gz -m nDCG@10 -t student -t two-way --table pairs -o pairs.tsv
    """
    from rankscale import _core
    from rankscale.stats.tests.register import PAPER
    from rankscale.studies.changes import changes

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    form = studying.form_of(form, output, "changes")
    wanted = options.measures_asked(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    with progress_bar("reading and judging", len(runs)) as progress, own_spelling():
        found = changes(qrels, list(runs), wanted, tests or PAPER, progress=progress, **settings)
    told = tuple(as_options(warning, command) for warning in found.warnings)
    studying.write(replace(found, warnings=told), form, output, places, table)
