"""Parts of Vega-Lite specifications that figures are made of: channels, marks, layers, plots, headings and legends.

Where a channel is expected, a name stands for the field of that name, a number for a constant in points, and a list for
several of them (a tooltip). Data are the name of a dataset, or rows.
"""

from collections.abc import Mapping, Sequence

from rankscale.figures.base.figure import Spec
from rankscale.figures.base.look import CROSS, Appearance

VegaData = str | Sequence[Mapping[str, object]] | None  # None: that of the plot around


def quantitative(field: str, **options: object) -> Spec:
    """A channel that shows numbers: position, colour or tooltip; `options` are those of Vega-Lite.

    >>> quantitative("rank", title=None)
    {'field': 'rank', 'type': 'quantitative', 'title': None}
    """
    return {"field": field, "type": "quantitative", **options}


def nominal(field: str, **options: object) -> Spec:
    """A channel that distinguishes names, in no order."""
    return {"field": field, "type": "nominal", **options}


def ordinal(field: str, **options: object) -> Spec:
    """A channel of names or numbers in the order given."""
    return {"field": field, "type": "ordinal", **options}


def by_kind(
    field: str, kinds: Sequence[object], legend: Spec | None = None, /, **ranges: Sequence[object]
) -> dict[str, Spec]:
    """Channels that distinguish kinds together, with one legend; each range has an entry for each kind, or more.

    >>> by_kind("side", ["left", "right"], shape=["circle", "square"])["shape"]["scale"]
    {'domain': ['left', 'right'], 'range': ['circle', 'square']}
    """
    return {
        channel: nominal(field, scale={"domain": list(kinds), "range": list(chosen)[: len(kinds)]}, legend=legend)
        for channel, chosen in ranges.items()
    }


def mark_spec(kind: str, **options: object) -> Spec:
    """A mark of a layer: line, point, rule, rect, text ..."""
    return {"type": kind, **options}


def layer(mark: Spec, data: VegaData = None, transform: Sequence[Spec] = (), /, **channels: object) -> Spec:
    """A mark for each row of the data.

    >>> layer(mark_spec("text"), "runs", x="value", y=3, text="run")["encoding"]
    {'x': {'field': 'value'}, 'y': {'value': 3}, 'text': {'field': 'run'}}
    """
    return {**_source(data, transform), "mark": mark, **_encoding(channels)}


def plot(
    layers: Sequence[Spec],
    width: float,
    height: float,
    data: VegaData = None,
    transform: Sequence[Spec] = (),
    /,
    **channels: object,
) -> Spec:
    """Layers over each other, with the data and channels that they share."""
    size = {"width": width, "height": height}
    return {**_source(data, transform), **size, **_encoding(channels), "layer": list(layers)}


def _source(data: VegaData, transform: Sequence[Spec]) -> Spec:
    source = {"name": data} if isinstance(data, str) else {"values": list(data or ())}
    return {
        **({} if data is None else {"data": source}),
        **({"transform": list(transform)} if transform else {}),
    }


def _encoding(channels: Mapping[str, object]) -> Spec:
    return {"encoding": {name: _channel(given) for name, given in channels.items()}} if channels else {}


def _channel(given: object) -> object:
    if isinstance(given, list):
        return [_channel(one) for one in given]
    if isinstance(given, str):
        return {"field": given}
    return {"value": given} if isinstance(given, int | float) else given


def only(field: str, *values: object) -> Spec:
    """A transform that keeps the rows with one of these values."""
    return {"filter": {"field": field, "oneOf": list(values)}}


def defined(field: str) -> Spec:
    """A transform that keeps the rows in which a field is a number; others are null, as JSON has no NaN."""
    return {"filter": {"field": field, "valid": True}}


def crosses(look: Appearance) -> Spec:
    """A layer of crosses where the field `value` is no number."""
    size = 2 * look.font_size
    cross = mark_spec("point", shape=CROSS, size=size, color=look.grey, strokeWidth=0.7, aria=False)
    return layer(cross, None, [{"filter": {"not": {"field": "value", "valid": True}}}])


def calculated(**expressions: str) -> list[Spec]:
    """Transforms that add fields to each row."""
    return [{"calculate": expression, "as": name} for name, expression in expressions.items()]


def digits(*fields: str, form: str = ".4f") -> list[Spec]:
    """Channels of a tooltip, with decimals as the format says."""
    return [quantitative(field, format=form) for field in fields]


def hover(name: str, field: str, **options: object) -> Spec:
    """A selection of what has the same value of a field as the mark pointed at."""
    select = {"type": "point", "fields": [field], "on": "pointerover", "clear": "pointerout"}
    return {"name": name, "select": select, **options}


def heading(
    text: object,
    look: Appearance,
    limit: float,
    offset: float = 0.5,
    /,
    *,
    below: object = "",
    colour: object = "",
    padding: object = None,
    **options: object,
) -> Spec:
    """The title of one plot among several, with a second line below it if any; `offset` is in heights of type."""
    size = look.font_size
    title = {"text": text, "limit": limit, "fontSize": size, "offset": offset * size, **options}
    if not below:
        return title
    second = {"subtitle": below, "subtitleFontSize": size, "subtitleFont": look.font, "subtitleColor": colour}
    return {**title, **second, **({} if padding is None else {"subtitlePadding": padding})}


def gradient_legend(title: str, length: float, thickness: float, /, **options: object) -> Spec:
    """The legend of a scale of colours, under the plot."""
    place = {"orient": "bottom", "direction": "horizontal", "titleOrient": "left"}
    return {"title": title, **place, "gradientLength": length, "gradientThickness": thickness, **options}
