"""`rankscale intervals`: measures beside their interval versions."""

from dataclasses import replace
from typing import Any

import click

from rankscale.cli import options, studying
from rankscale.cli.spelling import as_options, own_spelling
from rankscale.cli.terminal import progress_bar

DEFAULT_MEASURES = ("P@10", "RR@10", "RBP(p=0.8)@10", "DCG(base=2)@10", "nDCG@10", "AP@10")


@click.command("intervals")
@options.files
@options.measures
@options.common
@options.scaling
@click.option(
    "--mid", is_flag=True, help="Mean ranks of ties among all rankings, to repeat published tables: no interval scale."
)
@options.judging
@options.reading
@studying.writing("measures", "topics", "values")
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    mid: bool,
    table: str | None,
    form: str | None,
    places: int | None,
    output: str | None,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those that intervals() takes as they are
) -> None:
    """Measures and their interval versions side by side, and Kendall's tau between the orders they give runs.

    A tau below 1 between means says that the measure's own spacing decides about runs. On each topic tau is 1, ranks
    following values.

    \b
    rankscale intervals qrels.txt runs/*.gz -m 'DCG(base=2)@30' -m AP@30
    rankscale intervals qrels.txt runs/*.gz -m nDCG@10 --table topics -o tau.tsv
    """
    from rankscale import _core
    from rankscale.studies.intervals import intervals

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    form = studying.form_of(form, output, "intervals")
    wanted = options.measures_asked(measures or DEFAULT_MEASURES, {"rel": rel, "gains": gains})
    ranks = "mid" if mid else "normalised"
    with progress_bar("reading and judging", len(runs)) as progress, own_spelling():
        found = intervals(qrels, list(runs), wanted, form=ranks, progress=progress, **settings)
    told = tuple(as_options(warning, command) for warning in found.warnings)
    studying.write(replace(found, warnings=told), form, output, places, table)
