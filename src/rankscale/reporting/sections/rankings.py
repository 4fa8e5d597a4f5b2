"""Rankings to open: CRP with its bar above DCG, for as many runs as the page can hold, the best first."""

from collections.abc import Iterator

import numpy as np

from rankscale.data.run import Run
from rankscale.data.table import readable
from rankscale.errors import ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.figures.base.inspection import inspection_spec
from rankscale.figures.base.parallel_coordinates import AXES, LISTED, coordinates_spec, measures_drawn
from rankscale.figures.base.relative_positions import course
from rankscale.measures.crp import CRP
from rankscale.measures.dcg import DCG
from rankscale.reporting.parts import PLOT_WIDTH, Choices, Drawing, Paragraph, Part, Section
from rankscale.reporting.results import Results
from rankscale.tracing.curves import curves
from rankscale.tracing.result import Curves

MOST_RANKINGS = 1500  # about 1.5 MB of curves
EVERY_RANK = 20  # ranks that are drawn one by one; below, fewer and fewer
RANKS = 48
WITHOUT = "Without a relevant document there is no ideal ranking to compare with."

Row = tuple[str, dict[str, object]]  # a topic and its curves


def rankings(results: Results) -> Section:
    """Lists to choose a ranking from, and the curves of all that can be opened."""
    chosen = _chosen(results)
    topics = [
        topic
        for topic, counts in zip(results.qrels.topics, results.relevant(results.effort_rel), strict=True)
        if counts
    ]
    if not topics:
        return Section("rankings", "Rankings", [Paragraph(WITHOUT)], {"rankings": {"without": WITHOUT}})
    which = "those requested, then the best" if results.inspected else "the best"
    others = "" if len(chosen) == len(results.runs) else f": {which} by the main measure. `--inspect` chooses others"
    how_many = f"The rankings of {len(chosen)} of {len(results.runs)} runs can be opened{others}."
    lists = [
        ("ranking-run", "Run", [readable(run.name) for run in chosen]),
        ("ranking-topic", "Topic", list(map(readable, topics))),
    ]
    parts = [Paragraph(how_many), Choices(lists, ("ranking-open", "Open")), *_indicators(results)]
    data = {"rankings": _data(results, chosen), "indicators": _indicator_values(results, chosen)}
    return Section("rankings", "Rankings", parts, data)


def _indicators(results: Results) -> list[Part]:
    """The aggregate view: parallel coordinates of the run that is chosen from the list."""
    bases = sorted(float(base) for base in results.relevant(results.effort_rel) if base)
    how = (
        "Below, each line is a topic of the run chosen, coloured by its recall base; axes go from 0 to 1, and what is "
        "beyond has an arrow and its value. A click on a line opens the ranking."
    )
    about = (
        f"Indicators of CRP by topic: the recall base R, from {bases[0]:g} to {bases[-1]:g}; rho_w, the recovery of "
        "the full scale; the recovery rho; b_ratio, how much sooner than the full scale CRP balances; CRP_min, how "
        "much less it falls; CRP_N, how much lower it ends, above 1 where it ends below 0."
    )
    spec = coordinates_spec(results.look, PLOT_WIDTH, bases)
    return [Paragraph(how), Drawing("indicators", "CRP of a run by topic", about, spec, "svg")]


def _indicator_values(results: Results, chosen: list[Run]) -> dict[str, object]:
    """By run and topic the values of all axes; null where one is undefined."""
    # Ranks beyond the depth of the measure of effort count for neither.
    measures = measures_drawn(results.effort.depth, results.effort_rel)
    drawn = evaluate(results.qrels, chosen, measures, judged_only=results.judged_only)
    kept = np.flatnonzero(drawn.values[0, 0] > 0)
    kept = kept[np.argsort(drawn.values[0, 0, kept], kind="stable")]
    bases = drawn.values[0, 0, kept]
    shown = np.concatenate(
        [np.broadcast_to(bases / bases.max(), drawn.values[:1, :, kept].shape), drawn.values[1:, :, kept]]
    )
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
    """Runs requested, then the best, as many as fit."""
    by_name = dict(zip(results.evaluation.runs, results.runs, strict=True))
    for name in results.inspected:
        if name not in by_name:
            raise ParameterError(f"there is no run {name!r} to inspect; runs are {', '.join(list(by_name)[:5])} ...")
    order = dict.fromkeys([*results.inspected, *(results.evaluation.runs[row] for row in results.order)])
    most = max(1, len(results.inspected), MOST_RANKINGS // max(1, len(results.qrels.topics)))
    return [by_name[name] for name in list(order)[:most]]


def _data(results: Results, chosen: list[Run]) -> dict[str, object]:
    """The curves that the page draws rankings from, rounded to what can be seen."""
    drawn = curves(
        results.qrels, chosen, [CRP(rel=results.effort_rel), DCG(base=2)], ideal=True, judged_only=results.judged_only
    )
    ranks = _ranks(drawn.depths[0])
    return {
        "spec": inspection_spec(results.look),
        "ranks": ranks,
        "topics": dict(_of_topics(results, chosen, drawn, ranks)),
        "curves": {
            readable(run.name): dict(_of_run(drawn, run.name, ranks, results.relevant(results.effort_rel)))
            for run in chosen
        },
        "absent": "This ranking is not in the page: the run has none, or it was left out to keep the page small.",
        "without": WITHOUT,
        "command": "rankscale figure crp-dcg QRELS RUN --topic T -o FILE",
    }


def _ranks(depth: int) -> list[int]:
    """All ranks at the top, and fewer below."""
    if depth <= RANKS:
        return list(range(1, depth + 1))
    below = np.geomspace(EVERY_RANK, depth, RANKS - EVERY_RANK + 1)
    return sorted({*range(1, EVERY_RANK + 1), *(round(rank) for rank in below.tolist())})


def _of_run(drawn: Curves, run: str, ranks: list[int], recall_bases: list[int]) -> Iterator[Row]:
    """Curves at the ranks of all documents that change them, and at some between: beyond RB they are level there."""
    row = drawn.runs.index(run)
    crp, dcg = (of_measure[row] for of_measure in drawn.values)
    for topic in np.flatnonzero(drawn.retrieved[row] & ~np.isnan(crp).any(axis=-1)).tolist():
        moved = np.flatnonzero((np.diff(dcg[topic], prepend=0.0) != 0) | (np.diff(crp[topic], prepend=0) > 0)) + 1
        # Down to RB the curve of CRP falls between documents that raise it: it bends right before each, and at RB.
        last = min(recall_bases[topic], ranks[-1])
        early = {rank for rank in ranks if rank < last} | {rank - 1 for rank in moved.tolist() if 1 < rank <= last + 1}
        shown = sorted({*moved.tolist(), *early, ranks[0], last, ranks[-1]})
        places = np.array(shown) - 1
        yield (
            readable(drawn.topics[topic]),
            {
                "ranks": shown,
                "crp": crp[topic][places].astype(int).tolist(),
                "dcg": dcg[topic][places].round(3).tolist(),
            },
        )


def _of_topics(results: Results, chosen: list[Run], drawn: Curves, ranks: list[int]) -> Iterator[Row]:
    """The ideal DCG of each topic, and CRP of the reversed ideal ranking."""
    ideal, places = drawn.runs.index(drawn.ideal), np.array(ranks) - 1
    whole = chosen[0].completed(len(results.qrels.topics))
    for place, (topic, relevant) in enumerate(
        zip(results.qrels.topics, results.relevant(results.effort_rel), strict=True)
    ):
        if relevant:
            # The worst order ends where Twist looks last, however short the rankings are.
            reversed_ideal = course(whole.judged(results.qrels, place, place + 1), rel=results.effort_rel).full_scale
            dcg = drawn.values[1][ideal, place][places]
            yield (
                readable(topic),
                {
                    "recall_base": relevant,
                    "dcg": np.nan_to_num(dcg).round(3).tolist(),
                    "crp": reversed_ideal[places].tolist(),
                },
            )
