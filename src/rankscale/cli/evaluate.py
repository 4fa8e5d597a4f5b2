"""`rankscale evaluate`: measure runs."""

from typing import TYPE_CHECKING, Any

import click

from rankscale.cli import options
from rankscale.cli.output import chosen_form, deliver
from rankscale.cli.terminal import progress_bar, warn

if TYPE_CHECKING:
    from rankscale.evaluation.result import Evaluation

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "RR", "Bpref", "Judged@10")
FORMS = ("table", "tsv", "csv", "json", "jsonl", "parquet", "latex", "markdown")


@click.command("evaluate")
@options.files
@options.measures
@click.option("-q", "--per-topic", is_flag=True, help="Values of each topic too, not only the means.")
@click.option("-c", "--complete", is_flag=True, help="Topics that a run misses count as empty rankings in its means.")
@click.option("--common", is_flag=True, help="Only topics that all runs have.")
@options.uncertainty
@click.option("--sort", metavar="MEASURE", help="Best run by this measure first.")
@options.judging
@options.reading
@options.writing(*FORMS)
@click.option("--strict", is_flag=True, help="Exit with 1 if there was anything to warn of.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    per_topic: bool,
    complete: bool,
    common: bool,
    sort: str | None,
    form: str | None,
    places: int | None,
    output: str | None,
    strict: bool,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of options.judging and options.reading that evaluate() takes as they are
) -> None:
    """Measure runs against qrels.

    \b
    rankscale evaluate qrels.txt runs/*.gz -m AP -m nDCG@10
    rankscale evaluate qrels.txt bm25.txt --per-topic -o values.tsv
    zcat run.gz | rankscale evaluate qrels.txt - -m all_trec --per-topic
    """
    from rankscale import _core
    from rankscale.evaluation.evaluate import evaluate

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    form = chosen_form(form, output, "values.parquet", FORMS)
    shared = {"rel": rel, "gains": gains}
    wanted = options.measures_asked(measures or DEFAULT_MEASURES, shared)
    if not measures and settings["ties"] != "trec":
        wanted = tuple(measure for measure in wanted if measure.has_ties)
    best_by = options.measures_asked((sort,), shared)[0] if sort else None
    if best_by is not None and best_by not in wanted:
        raise click.UsageError(f"--sort {sort}: add -m '{best_by}', which is not among the measures asked for")
    with progress_bar("reading and judging", len(runs)) as progress:
        found = evaluate(qrels, list(runs), wanted, complete=complete, progress=progress, **settings)
    if common:
        found = found.common()
    warn(found.warnings)
    if best_by is not None:
        found = found.sorted_by(best_by)
    _write(found, form, output, per_topic=per_topic, places=places)
    if strict and found.warnings:
        ctx.exit(1)


def _write(found: "Evaluation", form: str, output: str | None, *, per_topic: bool, places: int | None) -> None:
    if form == "parquet":
        found.write(str(output), form)
        return
    if per_topic and form in {"latex", "markdown"}:
        warn([f"{form} shows means; values by topic come as table, tsv, csv, json, jsonl and parquet"])
        per_topic = False
    deliver(found.chunks(form, "values" if per_topic else "means", places), output)
