"""Parts of Vega-Lite specifications that most figures are made of: channels by field and type, and marks."""

from rankscale.figures.base.figure import Json, Spec


def quantitative(field: str, **options: Json) -> Spec:
    """A channel that shows numbers: position, colour or tooltip; `options` are those of Vega-Lite.

    >>> quantitative("rank", title=None)
    {'field': 'rank', 'type': 'quantitative', 'title': None}
    """
    return {"field": field, "type": "quantitative", **options}


def nominal(field: str, **options: Json) -> Spec:
    """A channel that tells names apart, in no order."""
    return {"field": field, "type": "nominal", **options}


def ordinal(field: str, **options: Json) -> Spec:
    """A channel of names or numbers in the order given."""
    return {"field": field, "type": "ordinal", **options}


def mark_spec(kind: str, **options: Json) -> Spec:
    """A mark of a layer: line, point, rule, rect, text ..."""
    return {"type": kind, **options}
