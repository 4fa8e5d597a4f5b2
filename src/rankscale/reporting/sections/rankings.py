"""Rankings to open, and the indicators of CRP over the topics of one run."""

import numpy as np

from rankscale.data.names import counted
from rankscale.data.run import Run
from rankscale.data.table import readable
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.figures.base.look import Look
from rankscale.figures.base.parallel_coordinates import AXES, LISTED, coordinates_spec, measures_drawn
from rankscale.reporting.page_data import values_data
from rankscale.reporting.page_rankings import opened_runs
from rankscale.reporting.parts import (
    NARROW_WIDTH,
    PLOT_WIDTH,
    Choices,
    Drawing,
    Paragraph,
    Section,
    drawing_of,
)
from rankscale.reporting.results import Results

MOST_LINES = 1500  # of all runs whose indicators are in the page
MOST_TOPICS = 300  # lines of one run
WITHOUT = "Without a relevant document there is no ideal ranking to compare with."


def rankings(results: Results) -> Section:
    """Lists to choose a ranking from, and the indicators of runs."""
    check_inspected(results)
    topics = [
        readable(topic)
        for topic, counts in zip(results.qrels.topics, results.relevant(results.effort_rel), strict=True)
        if counts
    ]
    if not topics:
        return Section("rankings", "Rankings", [Paragraph(WITHOUT)])
    opened, chosen = opened_runs(results), _chosen(results)
    some = "" if len(opened) == len(results.runs) else f" of {len(results.runs):,}: `--inspect` chooses others"
    how = (
        f"The rankings of {counted(len(opened), 'run')}{some} can be opened: CRP with its bar of relative positions, "
        "DCG and the documents. Below, each line is a topic of the run chosen, coloured by its recall base; axes go "
        "from 0 to 1, and what is beyond has an arrow and its value. A click on a line opens the ranking."
    )
    lists = [("ranking-run", "Run", [readable(name) for name in opened]), ("ranking-topic", "Topic", topics)]
    values = _indicator_values(results, chosen)
    parts = [Paragraph(how), Choices(lists, ("ranking-open", "Open")), _indicators(results, values)]
    return Section("rankings", "Rankings", parts, data={**values_data(results), "indicators": values})


def check_inspected(results: Results) -> None:
    """Raise ParameterError for a run to inspect that does not exist."""
    for name in results.inspected:
        if name not in results.evaluation.runs:
            known = ", ".join(results.evaluation.runs[:5])
            raise ParameterError(f"there is no run {name!r} to inspect; runs are {known} ...")


def _indicators(results: Results, values: dict[str, object]) -> Drawing:
    """The aggregate view: parallel coordinates of the run that is chosen from the list."""
    bases = sorted(float(base) for base in results.relevant(results.effort_rel) if base)
    shown, of = len(values["topics"]), len(bases)  # type: ignore[arg-type]
    some = f" of {shown:,} of {of:,} topics, evenly spaced by R" if shown < of else " by topic"
    about = (
        f"Indicators of CRP{some}: the recall base R, from {bases[0]:g} to {bases[-1]:g}; rho_w, the recovery of "
        "the full scale; the recovery rho; b_ratio, how much sooner than the full scale CRP balances; CRP_min, how "
        "much less it falls; CRP_N, how much lower it ends, above 1 where it ends below 0."
    )
    widths = {"": PLOT_WIDTH, "-narrow": NARROW_WIDTH}

    def spec(theme: str, width: str) -> dict[str, object]:
        look = Look(theme=theme, palette=results.look.palette)
        return {**coordinates_spec(look, widths[width], bases), "datasets": {"lines": [], "beyond": []}}

    return drawing_of("indicators", (f"Indicators of CRP{some}", about), spec)


def _indicator_values(results: Results, chosen: list[Run]) -> dict[str, object]:
    """By run and topic the values of all axes; null where one is undefined."""
    # Ranks beyond the depth of the measure of effort count for neither.
    measures = measures_drawn(results.effort.depth, results.effort_rel)
    drawn = evaluate(results.qrels, chosen, measures, judged_only=results.judged_only)
    kept = np.flatnonzero(drawn.values[0, 0] > 0)
    kept = kept[np.argsort(drawn.values[0, 0, kept], kind="stable")]
    most = drawn.values[0, 0, kept].max()
    kept = kept[np.linspace(0, len(kept) - 1, min(len(kept), MOST_TOPICS)).round().astype(np.int64)]
    bases = drawn.values[0, 0, kept]
    shown = np.concatenate([np.broadcast_to(bases / most, drawn.values[:1, :, kept].shape), drawn.values[1:, :, kept]])
    return {
        "axes": list(AXES.values()),
        "topics": [readable(drawn.topics[place]) for place in kept.tolist()],
        "R": bases.astype(int).tolist(),
        "listed": LISTED,
        "runs": {
            readable(run.name): [
                [None if value != value else round(value, 6) for value in of_topic]  # noqa: PLR0124  # NaN
                for of_topic in shown[:, place].T.tolist()
            ]
            for place, run in enumerate(chosen)
        },
    }


def _chosen(results: Results) -> list[Run]:
    """Runs whose indicators are in the page: those requested, then the best, as many as fit."""
    by_name = dict(zip(results.evaluation.runs, results.runs, strict=True))
    most = MOST_LINES // min(MOST_TOPICS, max(1, len(results.qrels.topics)))
    order = list(dict.fromkeys([*results.inspected, *results.comparison.runs]))
    return [by_name[name] for name in order[: max(1, len(results.inspected), most)]]
