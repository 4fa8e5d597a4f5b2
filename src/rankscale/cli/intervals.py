"""`rankscale intervals`: measures beside their interval versions."""

from typing import TYPE_CHECKING, Any

import click

from rankscale.cli import options
from rankscale.cli.output import TABLE_PLACES, chosen_form, deliver
from rankscale.cli.terminal import progress_bar, warn

if TYPE_CHECKING:
    from rankscale.studies.intervals import Intervals

DEFAULT_MEASURES = ("P@10", "RR@10", "RBP(p=0.8)@10", "DCG(base=2)@10", "nDCG@10", "AP@10")
FORMS = ("table", "tsv", "csv", "json", "jsonl", "parquet")


@click.command("intervals")
@options.files
@options.measures
@click.option("-q", "--per-topic", is_flag=True, help="Tau on each topic too.")
@options.common
@options.scaling
@click.option(
    "--mid", is_flag=True, help="Mean ranks of ties among all rankings, to repeat published tables: no interval scale."
)
@options.judging
@options.reading
@options.writing(*FORMS)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    per_topic: bool,
    mid: bool,
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
    rankscale intervals qrels.txt runs/*.gz -m nDCG@10 --per-topic -o tau.tsv
    """
    from rankscale import _core
    from rankscale.studies.intervals import intervals

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    form = chosen_form(form, output, "intervals.parquet", FORMS)
    shared = {"rel": rel, "gains": gains}
    wanted = options.measures_asked(measures or DEFAULT_MEASURES, shared)
    ranks = "mid" if mid else "normalised"
    with progress_bar("reading and judging", len(runs)) as progress:
        found = intervals(list(runs), qrels, wanted, form=ranks, progress=progress, **settings)
    warn(found.warnings)
    _write(found, form, output, per_topic=per_topic, places=places)


def _write(found: "Intervals", form: str, output: str | None, *, per_topic: bool, places: int | None) -> None:
    from rankscale.formats import rows

    tau = found.rows(per_topic=per_topic)
    if form == "parquet":
        rows.write_parquet(tau, str(output))
    elif form in rows.TIDY:
        deliver(rows.tidy_text(tau, form, places), output)
    elif form == "json":
        deliver([rows.json_document(tau, places, values=found.values()).encode()], output)
    else:
        shown = TABLE_PLACES if places is None else places
        tables = [found.summary(), *([tau] if per_topic else []), found.values()]
        text = "\n\n".join(rows.people_table(table, shown) for table in tables)
        deliver([(text + "\n").encode("utf-8", "surrogateescape")], output)
