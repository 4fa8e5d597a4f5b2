"""`rankscale figure critical-difference`: which runs differ, on one line."""

from typing import Any

import click

from rankscale.cli import options
from rankscale.cli.figure.drawing import draw, drawing, taken
from rankscale.cli.terminal import progress_bar


@click.command("critical-difference")
@options.files
@options.one_measure("AP", "AP, nDCG@10, 'RBP(p=0.9)' ...")
@click.option(
    "-t",
    "--test",
    default="friedman",
    show_default=True,
    help="friedman (mean ranks), student, 'signed rank', two-way, 'randomised tukey' ...: as in compare.",
)
@click.option(
    "--correction",
    type=click.Choice(["none", "bonferroni", "holm", "bh", "by"]),
    help="For many pairs: holm by default, none for tests that correct by themselves.",
)
@click.option("--alpha", type=options.Share(), default=0.05, show_default=True, help="The level of significance.")
@click.option("--samples", type=click.IntRange(min=1), help="Draws of tests by resampling; 10000 by default.")
@click.option("--seed", type=int, help="Of these draws; 0 by default.")
@click.option(
    "--best", type=click.IntRange(2, 40), default=40, show_default=True, metavar="N", help="Draw at most N runs."
)
@options.common
@options.judging
@options.reading
@drawing
def command(
    qrels: str,
    runs: tuple[str, ...],
    measure: str,
    *,
    test: str,
    correction: str | None,
    alpha: float,
    samples: int | None,
    seed: int | None,
    best: int,
    common: bool,
    rel: float | None,
    gains: Any,  # noqa: ANN401  # a word, a list or a map
    **settings: Any,  # noqa: ANN401  # those of evaluate(), and of draw()
) -> None:
    """Runs on a line by mean rank or mean, the best to the right; bars join runs that do not differ significantly.

    \b
    rankscale figure critical-difference qrels.txt runs/*.gz -m nDCG@10 -o differences.pdf
    rankscale figure critical-difference qrels.txt runs/*.gz --test two-way --best 20 -o differences.svg
    """
    from rankscale.evaluation.evaluate import evaluate
    from rankscale.figures.critical_difference import critical_difference_figure
    from rankscale.stats.comparison import compare

    options.check_standard_input(qrels, runs)
    look = taken(settings)
    (wanted,) = options.measures_asked((measure,), {"rel": rel, "gains": gains})
    of_test: dict[str, Any] = {
        name: value for name, value in (("samples", samples), ("seed", seed)) if value is not None
    }
    with progress_bar("reading and judging", len(runs)) as progress:
        found = evaluate(qrels, list(runs), wanted, complete=not common, progress=progress, **settings)
    found = found.common() if common else found
    made = compare(found, test, correction, alpha=alpha, confidence=1 - alpha, **of_test)
    draw(critical_difference_figure(made, best), (*found.warnings, *made.warnings), **look)
