"""CRP above DCG of one ranking, as a page opens them: the data comes from the page."""

from rankscale.figures.base.figure import Spec
from rankscale.figures.base.look import Look
from rankscale.figures.base.rendering import on_page
from rankscale.figures.base.vega import mark_spec, nominal, quantitative

WIDTH, HEIGHT = 640, 190
RANKS = {"title": "rank", "values": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], "format": "d"}
DASHES = {"crp": ("worst order", "CRP"), "dcg": ("ideal", "DCG(base=2)")}  # what each is compared with, and its axis


def inspection_spec(look: Look) -> Spec:
    """Vega-Lite over the datasets `crp` and `dcg` (rank, value, curve) and `recall_base` (rank)."""
    shown = on_page(look)
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "description": "CRP and DCG of one ranking by rank, the recall base as a line across both.",
        "vconcat": [_plot(shown, name, other, title) for name, (other, title) in DASHES.items()],
        "resolve": {"scale": {"x": "shared", "color": "independent", "strokeDash": "independent"}},
        "config": shown.config(),
    }


def _plot(look: Look, name: str, other: str, title: str) -> Spec:
    curves = ["this ranking", other]
    of_curve = nominal("curve", legend={"orient": "top", "title": None})
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "layer": [
            {
                "data": {"name": name},
                "mark": mark_spec("line", strokeWidth=2, clip=True),
                "encoding": {
                    "x": quantitative("rank", scale={"type": "log", "nice": False}, axis=RANKS),
                    "y": quantitative("value", title=title),
                    "color": {**of_curve, "scale": {"domain": curves, "range": [look.colours[0], look.grey]}},
                    "strokeDash": {**of_curve, "scale": {"domain": curves, "range": [[1, 0], [4, 3]]}},
                    "tooltip": [{"field": "rank"}, {"field": "value"}, {"field": "curve"}],
                },
            },
            {
                "data": {"name": "recall_base"},
                "mark": mark_spec("rule", strokeDash=[2, 3], color=look.ink),
                "encoding": {"x": quantitative("rank")},
            },
        ],
    }
