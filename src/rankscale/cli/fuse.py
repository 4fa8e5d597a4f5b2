"""`rankscale fuse`: one run made of several, with parameters that are given or tuned."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from rankscale.cli import options, values
from rankscale.cli.command import declared
from rankscale.cli.convert import FORMS
from rankscale.cli.output import FORMS as REPORT_FORMS
from rankscale.cli.output import Writing, output_bytes
from rankscale.cli.study import write
from rankscale.cli.terminal import tell, warn

if TYPE_CHECKING:
    from rankscale.data.notices import Notice
    from rankscale.fusion.fuse import Fusion, Scores

NORMS = ("min-max", "max", "sum", "zmuv", "rank", "borda", "none")  # as in rankscale.fusion.methods
OF_TUNING = ("grid", "step", "folds", "seed", "confidence", "draws")  # keywords of tune_fusion()
ONLY_TUNING = (
    *("qrels", "held_out", *OF_TUNING),
    *("report", "table", "written_as", "digits", "qrels_form", "qrels_columns", "qrels_merge"),
)


@declared(
    "fuse",
    options.run_files,
    options.option(
        "--method",
        "Method of fusion: CombSUM, CombMNZ, CombANZ, CombMAX, CombMIN, CombMED, WSum, RRF, ISR, logISR, logNISR, RBC, "
        "Borda or Condorcet; its parameter in brackets, as in 'RRF(k=20)'.",
        shown="RRF; WSum with --tune",
        metavar="METHOD",
    ),
    options.choice(
        "--norm",
        NORMS,
        "How scores of different runs are made comparable; methods that use ranks ignore it.",
        shown="min-max",
    ),
    options.option(
        "--weights", "With --method WSum: the weight of each run, such as 0.3,0.7.", values.FLOATS, shown="none"
    ),
    options.option("--depth", "Cut fused rankings at rank K.", options.POSITIVE, 1000, metavar="K"),
    options.choice(
        "--missing",
        ("zero", "common", "error"),
        "Topics that a run lacks: zero (it adds nothing), common (only topics that all runs have), error.",
        "zero",
    ),
    options.option(
        "-o --output", "Write the fused run to OUT (atomically), - for standard output.", metavar="OUT", required=True
    ),
    options.choice(
        "--to", FORMS, "Form of OUT.", shown="by the ending of OUT: .tsv .csv .jsonl .parquet; trec for others"
    ),
    options.option("--name", "Name of the fused run.", shown="the method", metavar="NAME"),
    options.choice(
        "--scores",
        ("value", "rank"),
        "Scores to write: the fused values, or whole numbers that keep their order.",
        "value",
    ),
    options.option(
        "--tune",
        "Choose the parameters (weights of WSum, k of RRF, phi of RBC) that are best by this measure.",
        shown="none",
        metavar="MEASURE",
    ),
    options.option("--qrels", "With --tune: judgments to measure with.", shown="none", metavar="FILE"),
    options.option(
        "--grid",
        "With --tune: values of k, phi or sigma to try.",
        values.FLOATS,
        shown="k: 10,20,...,100; phi: 0.1,0.2,...,0.9",
    ),
    options.option(
        "--step", "With --tune: step between the weights of WSum that are tried.", values.NUMBER, 0.1, metavar="STEP"
    ),
    options.option("--folds", "With --tune: number of folds of topics.", click.IntRange(min=2), 5, metavar="N"),
    options.option("--seed", "With --tune: random seed of folds and draws.", options.NATURAL, 0, metavar="N"),
    options.confidence,
    options.option(
        "--draws", f"With --tune: {options.DRAWS[0].lower()}{options.DRAWS[1:]}", values.DRAWS, shown="1000"
    ),
    options.option(
        "--held-out",
        "With --tune: write the run in which each topic has the parameters of its fold, for comparisons.",
        shown="none",
        metavar="FILE",
    ),
    options.option("--report", "With --tune: write the report to FILE.", shown="standard output", metavar="FILE"),
    options.choice(
        "--table",
        ("tuning", "folds", "topics", "grid"),
        "With --tune: write this table alone.",
        shown="tuning and folds",
    ),
    options.choice("--format written_as", REPORT_FORMS, "Form of the report.", shown="table, or by the ending of FILE"),
    options.option(
        "--digits", "Decimal places of the report.", click.IntRange(0, 17), shown="4 in tables", metavar="N"
    ),
    options.forms_of_runs,
    options.forms_of_qrels,
    options.intents,
    options.reading_of_files,
)
def command(
    runs: tuple[str, ...],
    method: str | None,
    weights: tuple[float, ...] | None,
    output: str,
    to: str | None,
    name: str | None,
    scores: "Scores",
    tune: str | None,
    qrels: str | None,
    held_out: str | None,
    report: str | None,
    table: str | None,
    written_as: str | None,
    digits: int | None,
    **how: object,
) -> None:
    """Fuse several runs into one, topic by topic.

    Documents are ordered by their fused values, ties by name. With --tune, parameters are chosen on some topics and
    measured on others (folds), which the report shows; OUT is then fused with the parameters that are best on all
    topics.

    Command line
    ------------
      rankscale fuse runs/*.gz -o fused.txt
      rankscale fuse run.txt other.txt --method WSum --weights 0.3,0.7 --norm zmuv -o fused.parquet
      rankscale fuse runs/*.gz --method 'RRF(k=20)' --scores rank --depth 100 --name rrf20 -o fused.txt
      rankscale fuse runs/*.gz --tune nDCG@10 --qrels qrels.txt -o fused.txt --held-out held-out.txt
    """
    from rankscale.fusion.fuse import fuse
    from rankscale.fusion.tuning import tune_fusion
    from rankscale.measures.base.parser import Relevance

    _check(tune, qrels, weights)
    tuning = {name: value for name in OF_TUNING if (value := how.pop(name)) is not None}
    if tune is None:
        how |= {"weights": weights, "scores": scores, "name": name}
        _write_run(fuse(list(runs), method or "RRF", **how), output, to)  # type: ignore[arg-type]
        return
    writing = Writing(written_as, digits, report, REPORT_FORMS, "report.parquet")
    if output == "-" and report is None:
        raise click.UsageError("the fused run and the report both go to standard output: name a file with --report")
    measure = options.one_measure(Relevance(), tune, "--tune")
    tuned = tune_fusion(qrels, list(runs), measure, method or "WSum", **tuning, **how)  # type: ignore[arg-type]
    write(tuned, writing, table)
    final = tuned.fuse(name, scores)
    _write_run(final, output, to, tuned.notices)
    if held_out is not None:
        of_folds = tuned.fuse_held_out(None if name is None else f"{name}-held-out", scores)
        _write_run(of_folds, held_out, to, (*tuned.notices, *final.notices))


def _check(tune: str | None, qrels: str | None, weights: tuple[float, ...] | None) -> None:
    """Raise UsageError, before any work, for options of --tune without it, and for what it lacks."""
    context = click.get_current_context()
    if tune is None:
        for param in context.command.params:
            name = str(param.name)
            if name in ONLY_TUNING and context.get_parameter_source(name) is not ParameterSource.DEFAULT:
                raise click.UsageError(f"{param.opts[-1]} goes with --tune MEASURE: give both, or neither")
    elif qrels is None:
        raise click.UsageError("--tune needs judgments: name them with --qrels FILE")
    elif weights is not None:
        raise click.UsageError("--tune chooses the weights: leave out --weights")


def _write_run(made: "Fusion", output: str, to: str | None, known: "Sequence[Notice]" = ()) -> None:
    """Write a fused run, with the warnings that are not known yet, and a line that says what was written."""
    warn([notice for notice in made.notices if notice not in known])
    sys.stdout.flush()
    escaped = made.write_to(output_bytes() if output == "-" else output, to)
    sys.stdout.flush()
    if escaped:
        from rankscale.outputs.convert import escaped_words

        warn([escaped_words(output, escaped, "other forms keep them as they are")])
    documents = sum(len(one.documents) for one in made.rankings)
    norm = f", norm {made.norm}" if made.norm else ""
    tell(
        f"{'standard output' if output == '-' else output}: {made.method}{norm} of {len(made.runs)} runs, "
        f"{len(made.rankings):,} topics, {documents:,} documents written"
    )
