"""Labels that always differ: long names of runs without what they share, cut in the middle, and names of measures.

Data keep the whole names; what is shown of them is looked up when a figure is drawn, since it depends on the room.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from itertools import takewhile

from rankscale.figures.base.figure import Spec
from rankscale.measures.base.measure import OF, Measure

CUT = "…"
PARTS = re.compile(r"[^-_./: ]*[-_./: ]*")  # parts of a name, each with the separators after it
SEPARATORS = "-_./: "
LEAST = 4.0  # heights of type: labels get this much, since less would tell nothing
NARROW, WIDE = set("fijlrtI.,:;|!'()[]- "), set("mwMW@%…")


def short_labels(names: Iterable[str], room: float) -> dict[str, str]:
    """What is shown of names, by name; no two labels are alike.

    Where all names fit, they are shown as they are. Else what all of them begin and end with is left out, by whole
    parts between - _ . / : and blanks, and what is still too long is cut in the middle, or where names differ.

    Parameters
    ----------
    names : iterable of str
        Names, of runs or topics.
    room : float
        Room for a label, in heights of type.

    Examples
    --------
    >>> list(short_labels(["msmarco-distilbert-base-dot", "msmarco-distilbert-large-dot"], 12).values())
    ['…base', '…large']
    >>> list(short_labels(["bm25", "the-run-of-a-long-name-1", "the-run-of-a-long-name-2"], 7).values())
    ['bm25', 'the-r…name-1', 'the-r…name-2']
    """
    unique = list(dict.fromkeys(names))
    if all(width_of(name) <= room for name in unique):
        return {name: name for name in unique}
    fitted = _fitted(_without_shared(unique), max(room, LEAST))
    labels: dict[str, str] = {}
    for name, label in zip(unique, fitted, strict=True):
        # Numbers are the last resort: names that are alike but for what no label has room for.
        tries = (label, *(f"{label}{CUT}{number}" for number in range(2, len(unique) + 2)))
        labels[name] = next(one for one in tries if one not in labels.values())
    return labels


def _without_shared(names: Sequence[str]) -> list[str]:
    """Names without the parts that all of them begin and end with; of each name one part is left at least."""
    split = [[part for part in PARTS.findall(name) if part] or [name] for name in names]
    most = min(map(len, split)) - 1
    head = min(most, _alike(split))
    tail = min(most - head, _alike([parts[::-1] for parts in split]))
    if not head and not tail:
        return list(names)
    kept = ["".join(parts[head : len(parts) - tail]) for parts in split]
    if head:
        return [f"{CUT}{rest.rstrip(SEPARATORS) if tail else rest}" for rest in kept]
    return [f"{rest.rstrip(SEPARATORS)}{CUT}" for rest in kept]


def _alike(split: Sequence[Sequence[str]]) -> int:
    """How many parts are the same in all lists, from the first on; none where there is one list only."""
    same = takewhile(lambda parts: len(set(parts)) == 1, zip(*split, strict=False))
    return len(list(same)) if len(split) > 1 else 0


def _fitted(names: Sequence[str], room: float) -> list[str]:
    """Names that fit: whole, or cut in the middle; those that would look the same are cut elsewhere."""
    labels = [_cut(name, room) for name in names]
    alike: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        alike.setdefault(label, []).append(place)
    for places in alike.values():
        if len(places) > 1:
            for place, label in zip(places, _told_apart([names[place] for place in places], room), strict=True):
                labels[place] = label
    return labels


def _told_apart(names: Sequence[str], room: float) -> list[str]:
    """Labels of names whose beginnings and ends are alike: cut nearer to one end, or from where they differ on."""
    for share in (0.7, 0.3, 0.85, 0.15):
        labels = [_cut(name, room, share) for name in names]
        if len(set(labels)) == len(names):
            return labels
    same = len(list(takewhile(lambda letters: len(set(letters)) == 1, zip(*names, strict=False))))
    return [_cut(CUT + name[max(0, same - 1) :].lstrip(CUT), room, 0.8) for name in names]


def _cut(name: str, room: float, share: float = 0.5) -> str:
    """A name that fits: whole, or its beginning and its end; the beginning gets a share of the letters.

    >>> _cut("a-system", 9), _cut("a-system-with-a-long-name", 8)
    ('a-system', 'a-syst…g-name')
    """
    if width_of(name) <= room:
        return name
    for letters in range(len(name) - 1, 1, -1):
        tail = max(1, round((1 - share) * letters))
        label = f"{name[: letters - tail]}{CUT}{name[len(name) - tail :]}"
        if width_of(label) <= room:
            return label
    return f"{name[:1]}{CUT}{name[-1:]}"


def width_of(name: str) -> float:
    """About how wide a name is, in heights of letters; rather too wide than too narrow."""
    return sum(_width(letter) for letter in name)


def _width(letter: str) -> float:
    if letter in NARROW:
        return 0.36
    if letter in WIDE or ord(letter) > 0x2FF:
        return 1.0
    return 0.75 if letter.isupper() else 0.57


def label_axis(labels: Mapping[str, str]) -> Spec:
    """Options of an axis or a legend of names that show labels; no limit, which would cut them at the end.

    >>> label_axis({"a": "a"})
    {'labelLimit': 0}
    >>> label_axis({"a": "a", "bcd": "b…"})["labelExpr"]
    '({"bcd": "b…"})[datum.value] || datum.label'
    """
    changed = {name: label for name, label in labels.items() if name != label}
    texts = json.dumps(changed, ensure_ascii=False)
    return {"labelLimit": 0, **({"labelExpr": f"({texts})[datum.value] || datum.label"} if changed else {})}


def with_labels(field: str, labels: Mapping[str, str], name: str = "label") -> list[Spec]:
    """Transforms that add the label of the name in a field to each row."""
    rows = [{field: one, name: label} for one, label in labels.items()]
    return [{"lookup": field, "from": {"data": {"values": rows}, "key": field, "fields": [name]}}]


def measure_labels(measures: Sequence[Measure]) -> dict[str, str]:
    """Names of measures that stand side by side, by canonical name: with all parameters in which some differ.

    >>> from rankscale.measures.base.parser import parse
    >>> list(measure_labels([parse("AP"), parse("RBP"), parse("RBP(p=0.5)")]).values())
    ['AP', 'RBP(p=0.8)', 'RBP(p=0.5)']
    """
    varied: dict[type[Measure], set[str]] = {}
    values: dict[tuple[type[Measure], str], object] = {}
    for measure in _with_inner(measures):
        for parameter in fields(measure):
            value = getattr(measure, parameter.name)
            if values.setdefault((type(measure), parameter.name), value) != value:
                varied.setdefault(type(measure), set()).add(parameter.name)
    return {str(measure): _written(measure, varied) for measure in measures}


def _with_inner(measures: Iterable[Measure]) -> Iterable[Measure]:
    """Measures, and those that they are made of."""
    for measure in measures:
        yield measure
        if isinstance(inner := getattr(measure, OF, None), Measure):
            yield from _with_inner([inner])


def _written(measure: Measure, varied: Mapping[type[Measure], set[str]]) -> str:
    inner = getattr(measure, OF, None)
    of = _written(inner, varied) if isinstance(inner, Measure) else ""
    return measure.written(varied.get(type(measure), ()), of)
