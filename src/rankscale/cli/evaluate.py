"""`rankscale evaluate`: measure runs."""

from typing import TYPE_CHECKING, Unpack

import click

from rankscale.cli import options, values
from rankscale.cli.command import declared
from rankscale.cli.output import FORMS, chosen_form, deliver
from rankscale.cli.terminal import progress_bar, warn

if TYPE_CHECKING:
    from rankscale.evaluation.options import Ties
    from rankscale.evaluation.result import Evaluation

DEFAULT_MEASURES = ("AP", "nDCG@10", "P@10", "RR", "Bpref", "Judged@10")


@declared(
    "evaluate",
    options.files,
    options.measures(DEFAULT_MEASURES),
    click.option("-q", "--per-topic", is_flag=True, help="Write the values of each topic too, not only the means."),
    options.missing_of_runs,
    click.option("-c", "--complete", "missing", flag_value="zero", hidden=True),
    options.uncertainty,
    click.option(
        "--sort", metavar="MEASURE", show_default="as given", help="Order runs by this measure, the best first."
    ),
    options.judging,
    options.reading,
    options.writing(*FORMS),
    click.option("--strict", is_flag=True, help="Exit with 1 if there is any warning."),
    examples=(
        "rankscale evaluate qrels.txt runs/*.gz -m AP -m nDCG@10",
        "rankscale evaluate qrels.txt run.txt --per-topic -o values.tsv",
        "rankscale evaluate qrels.txt run.txt -m all_trec --digits 3 --format csv",
    ),
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    per_topic: bool,
    sort: str | None,
    bounds: bool,
    ties: "Ties",
    written_as: str | None,
    digits: int | None,
    output: str | None,
    strict: bool,
    rel: float | None,
    gains: values.Gains | None,
    **judging: Unpack[options.Judging],
) -> None:
    """Measure runs against qrels. RUN can be `-` for standard input."""
    from rankscale.evaluation.evaluate import evaluate

    form = chosen_form(written_as, output, "values.parquet", FORMS)
    shared: options.Shared = {"rel": rel, "gains": gains}
    wanted = options.measures_requested(measures or DEFAULT_MEASURES, shared)
    if not measures and ties != "trec":
        wanted = tuple(measure for measure in wanted if measure.has_ties)
    best_by = options.measures_requested((sort,), shared)[0] if sort else None
    if best_by is not None and best_by not in wanted:
        raise click.UsageError(f"--sort {sort}: add -m '{best_by}', which is not among the measures asked for")
    with progress_bar() as progress:
        evaluation = evaluate(
            runs=list(runs),
            qrels=qrels,
            measures=wanted,
            bounds=bounds,
            ties=ties,
            progress=progress,
            **judging,
        )
    warn(evaluation.notices)
    if best_by is not None:
        evaluation = evaluation.sorted_by(best_by)
    _write(evaluation, form, output, per_topic=per_topic, digits=digits)
    if strict and evaluation.notices:
        click.get_current_context().exit(1)


def _write(evaluation: "Evaluation", form: str, output: str | None, *, per_topic: bool, digits: int | None) -> None:
    if form == "parquet":
        evaluation.write(str(output), form)
        return
    if per_topic and form in {"latex", "markdown"}:
        warn([f"{form} shows means; values by topic come as table, tsv, csv, json, jsonl and parquet"])
        per_topic = False
    deliver(evaluation.chunks(form, "values" if per_topic else "means", digits), output)
