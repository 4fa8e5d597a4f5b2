"""`rankscale discriminate`: how many pairs of runs each measure tells apart."""

from typing import Any

import click

from rankscale.cli import options, studying
from rankscale.cli.correlate import DEFAULT_MEASURES, top_runs
from rankscale.cli.terminal import progress_bar

asking = options.together(  # what the study is asked for; the figure asks for the same
    click.option(
        "-t",
        "--test",
        type=click.Choice(["bootstrap", "randomised tukey"]),
        default="bootstrap",
        show_default=True,
        help="Each pair by itself, or all pairs together.",
    ),
    click.option("--alpha", type=options.Share(), default=0.05, show_default=True, help="The level of significance."),
    top_runs,
    click.option("--samples", type=click.IntRange(min=1), default=1000, show_default=True, help="Draws of the test."),
    click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of these draws."),
)


@click.command("discriminate")
@options.files
@options.measures
@asking
@options.common
@options.judging
@options.reading
@studying.writing("measures", "curve", "pairs")
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    *,
    test: Any,  # noqa: ANN401  # one of two words
    alpha: float,
    top: float | None,
    samples: int,
    seed: int,
    table: str | None,
    form: str | None,
    places: int | None,
    output: str | None,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those that evaluate() takes as they are
) -> None:
    """How many pairs of runs each measure tells apart (DP), and how large a difference that takes (delta).

    The curve is the achieved significance level (ASL) of all pairs, the highest first.

    \b
    rankscale discriminate qrels.txt runs/*.gz -m AP -m nDCG@10 -m RR --top 0.75
    rankscale discriminate qrels.txt runs/*.gz -t 'randomised tukey' --alpha 0.01
    rankscale discriminate qrels.txt runs/*.gz --table curve -o curve.tsv
    """
    from rankscale import _core
    from rankscale.studies.discriminate import discriminate
    from rankscale.studies.top import evaluate_top

    _core.keep_freed_memory()
    options.check_standard_input(qrels, runs)
    form = studying.form_of(form, output, "discriminative-power")
    shared = {"rel": rel, "gains": gains}
    wanted, (by,) = (options.measures_asked(texts, shared) for texts in (measures or DEFAULT_MEASURES, ("AP",)))
    with progress_bar("reading and judging", len(runs)) as progress:
        found = evaluate_top(qrels, list(runs), wanted, top, by=by, progress=progress, **settings)
    with progress_bar("testing pairs of runs", len(wanted)) as progress:
        made = discriminate(found, test, alpha=alpha, samples=samples, seed=seed, progress=progress)
    studying.write(made, form, output, places, table)
