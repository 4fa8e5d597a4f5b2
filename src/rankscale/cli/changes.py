"""`rankscale changes`: what tests find on interval scales that they do not find with the measures, and the reverse."""

from typing import TYPE_CHECKING, Any

import click

from rankscale.cli import options
from rankscale.cli.intervals import DEFAULT_MEASURES
from rankscale.cli.output import TABLE_PLACES, chosen_form, deliver
from rankscale.cli.terminal import progress_bar, warn

if TYPE_CHECKING:
    from rankscale.studies.changes import Changes

FORMS = ("table", "tsv", "csv", "json", "jsonl", "parquet")


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
@click.option("--seed", type=int, default=0, show_default=True, help="Of these draws.")
@click.option("--correlations", is_flag=True, help="Only how far measures agree: tau between each two of them.")
@click.option("--pairs", is_flag=True, help="Only the pairs of runs that change, one by one.")
@options.common
@options.scaling
@options.judging
@options.reading
@options.writing(*FORMS)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    tests: tuple[str, ...],
    correlations: bool,
    pairs: bool,
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
    rankscale changes qrels.txt runs/*.gz -m nDCG@10 -t student -t two-way --pairs -o pairs.tsv
    """
    from rankscale import _core
    from rankscale.stats.tests_by_name import PAPER
    from rankscale.studies.changes import changes

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    if correlations and pairs:
        raise click.UsageError("--correlations and --pairs are different tables: ask for one at a time")
    form = chosen_form(form, output, "changes.parquet", FORMS)
    wanted = options.measures_asked(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    with progress_bar("reading and judging", len(runs)) as progress:
        found = changes(list(runs), qrels, wanted, tests or PAPER, progress=progress, **settings)
    warn(found.warnings)
    _write(found, form, output, places, correlations=correlations, pairs=pairs)


def _write(
    found: "Changes", form: str, output: str | None, places: int | None, *, correlations: bool, pairs: bool
) -> None:
    from rankscale.formats import rows

    only = found.correlations() if correlations else found.changed_pairs() if pairs else None
    table = found.rows() if only is None else only
    if form == "parquet":
        rows.write_parquet(table, str(output))
    elif form in rows.TIDY:
        deliver(rows.tidy_text(table, form, places), output)
    elif form == "json":
        more = {"correlations": found.correlations()} if only is None else {}
        deliver([rows.json_document(table, places, **more).encode()], output)
    else:
        shown = TABLE_PLACES if places is None else places
        text = found.text(shown)
        if only is not None:
            text = rows.people_table(only, shown) if len(only) else "nothing changes"
        deliver([(text + "\n").encode("utf-8", "surrogateescape")], output)
