"""Description of a scale, and a table of rankings on it, as `rankscale scale` prints them and notebooks show them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.table import Cell, Table
from rankscale.errors import ScaleError
from rankscale.outputs.blocks import Printable, PrintedFacts
from rankscale.outputs.blocks import written as as_text
from rankscale.outputs.pictures import Ticks
from rankscale.outputs.results import Page
from rankscale.outputs.text import json_chunks
from rankscale.scales.counting.image import Progress, written_size
from rankscale.scales.scale import Scale
from rankscale.scales.set_scale import SetScale, written

WIDTH = 110  # characters of a line
DIGITS = 6  # of values in the table
MOST_DIGITS = 10**4000  # longer numbers are no JSON to Python's own reader
TOO_CLOSE = "not known: the lowest values are closer together than floats can tell apart"
SHOWN_GRADES = 20  # of a ranking in a table
QUICK = 2.0  # seconds that a notebook may take to show a scale
MOST_TICKS = 300


@dataclass(frozen=True)
class ScaleDescription:
    """Facts about a scale, as pairs (name, text), and a table with one row for each ranking."""

    facts: tuple[tuple[str, str], ...]
    rankings: Table
    size: int | None = None  # number of distinct values, where known

    def blocks(self) -> list[Printable]:
        """The facts, and the table if there is any ranking."""
        wide = max(len(name) for name, _ in self.facts) + 2
        return [PrintedFacts(self.facts, wide, WIDTH), *([self.rankings] if len(self.rankings) else [])]

    def __str__(self) -> str:
        return as_text(self.blocks(), DIGITS)


def document(description: ScaleDescription) -> str:
    """A description as JSON: notes are a list, and the number of values is a number."""
    size = description.size
    facts: dict[str, object] = {} if size is None or size >= MOST_DIGITS else {"size": size}
    facts |= {name: text for name, text in description.facts if name != "note"}
    notes = [text for name, text in description.facts if name == "note"]
    return "".join(json_chunks(description.rankings, None, **facts, **({"note": notes} if notes else {})))


def describe(
    scale: Scale,
    rankings: Sequence[Sequence[float]] = (),
    *,
    ends: int = 5,
    forms: Sequence[str] = (),
    percentile: bool = False,
    progress: Progress | None = None,
) -> ScaleDescription:
    """Describe a scale, with its `ends` lowest and highest values, and rankings on it.

    `forms` adds columns that are not interval scales: ranks of ties among all rankings ('mid', 'min', 'max') and
    'log10' of the rank; `percentile` adds run percentiles.
    """
    facts = [
        ("measure", str(scale.measure)),
        ("rankings", _rankings(scale)),
        *_values(scale, ends),
        ("counted", str(scale.provenance)),
        *(("note", note) for note in scale.notes),
    ]
    columns: dict[str, list[Cell]] = {"ranking": [_written(ranking) for ranking in rankings]}
    if rankings:
        columns["value"] = [*scale.values_of(rankings)]
        if scale.provenance.kind != "refused":
            columns |= _ranks(scale, rankings, progress)
        for form in forms:
            columns |= _other_ranks(scale, rankings, form)
        if percentile or scale.only_percentiles:
            columns["percentile"] = [str(scale.run_percentile(ranking)) for ranking in rankings]
    size = None if scale.provenance.kind in {"refused", "estimated"} else scale.size
    return ScaleDescription(tuple(fact for fact in facts if fact[1]), Table(columns), size)


def describe_sets(scale: SetScale, sets: Sequence[Sequence[int]] = (), *, ends: int = 5) -> ScaleDescription:
    """Describe the scale of a set measure over sets of different lengths, and place sets [r, n, RB] on it."""
    values = [str(value) for value in scale.values]
    topics = f"in topics with {written(scale.recall_bases)} relevant ones"
    interval = "over all of them together the measure is on an interval scale"
    facts = [
        ("measure", str(scale.measure)),
        ("sets", f"all {scale.triples:,} [r, n, RB] of {written(scale.lengths)} documents, {topics}"),
        ("values", f"{scale.size:,} distinct"),
        ("spacing", str(scale.spacing or "there is one value only")),
        ("unused", scale.spacing.unused_text if scale.spacing else ""),
        ("first", ", ".join(values[:ends])),
        ("last", ", ".join(values[max(scale.size - ends, 0) :])),
        ("counted", "exact: all sets, as fractions"),
        ("note", interval if scale.interval else interval.replace("is on an", "is not on an")),
    ]
    columns: dict[str, list[Cell]] = {"set": [f"[{', '.join(f'{number:g}' for number in one)}]" for one in sets]}
    if sets:
        columns["value"] = [float(scale.value(one)) for one in sets]
        columns["rank"] = [scale.rank(one) for one in sets]
        columns["normalised"] = [scale.normalised(one) for one in sets]
    return ScaleDescription(tuple(fact for fact in facts if fact[1]), Table(columns), scale.size)


def _values(scale: Scale, ends: int) -> list[tuple[str, str]]:
    if scale.provenance.kind == "refused":
        return []
    if scale.provenance.kind == "estimated":
        return [("values", f"{scale.estimated_size()} distinct")]
    first, last = scale.ends(ends)
    return [
        ("values", f"{written_size(scale.size)} distinct"),
        ("spacing", str(scale.spacing or ("there is one value only" if scale.size == 1 else TOO_CLOSE))),
        ("unused", scale.spacing.unused_text if scale.spacing else ""),
        ("first", _listed(first)),
        ("last", _listed(last)),
    ]


def _rankings(scale: Scale) -> str:
    levels = ", ".join(f"{level:g}" for level in scale.levels)
    allowed = "all" if scale.universe == "all" else "those that the topic's documents allow"
    return f"{allowed}, of {scale.depth} documents with grades {levels}"


def _listed(values: Floats) -> str:
    """Values with as many digits as make neighbours differ, up to 16."""
    for digits in (6, 9, 12, 16):
        shown = [f"{value:.{digits}g}" for value in values]
        if len(set(shown)) == len(shown):
            break
    return ", ".join(shown)


def _other_ranks(scale: Scale, rankings: Sequence[Sequence[float]], form: str) -> dict[str, list[Cell]]:
    """Ranks in a form that is not an interval scale."""
    places = scale.places_of(rankings)
    if form != "log10":
        return {f"{form}-rank": [float(rank) for rank in scale.tie_ranks_of_places(places, form)]}
    bounds = np.array([_log10_rank(scale, ranking) for ranking in rankings]).T
    return {"log10_rank": [*np.clip(scale.log10_ranks_of_places(places), *bounds).tolist()]}


def _ranks(scale: Scale, rankings: Sequence[Sequence[float]], progress: Progress | None) -> dict[str, list[Cell]]:
    """Ranks and normalised ranks, or bounds of them where they are not exact."""
    if scale.exact:
        return {"rank": [*scale.ranks(rankings, progress)], "normalised": [*scale.normalised(rankings).tolist()]}
    if scale.provenance.kind == "estimated":
        ends = scale.bracket_places(scale.places_of(rankings))
        columns = dict(zip(("normalised_from", "normalised_to"), (end.tolist() for end in ends), strict=True))
        return {"normalised": [*scale.normalised(rankings).tolist()], **columns}
    logarithms = [_log10_rank(scale, ranking) for ranking in rankings]
    brackets = [scale.bracket(ranking) for ranking in rankings]
    return {
        "log10_rank_from": [lower for lower, _ in logarithms],
        "log10_rank_to": [upper for _, upper in logarithms],
        "normalised_from": [bracket.lower for bracket in brackets],
        "normalised_to": [bracket.upper for bracket in brackets],
    }


def _log10_rank(scale: Scale, ranking: Sequence[float]) -> tuple[float, float]:
    """Bounds of log10 of the rank; NaN where the scale has none."""
    try:
        return scale.log10_rank(ranking)
    except ScaleError:
        return math.nan, math.nan


def _written(ranking: Sequence[float]) -> str:
    grades = ["-" if math.isnan(grade) else f"{grade:g}" for grade in ranking]
    return ",".join(grades[:SHOWN_GRADES]) + (f",... ({len(grades)})" if len(grades) > SHOWN_GRADES else "")


def page_of(scale: Scale) -> Page:
    """The description that `rankscale scale` prints; of a scale that takes long to count, its name alone."""
    heading = f"Interval scale of {scale.measure}"
    if scale.cost.setup > QUICK:
        return Page(heading, [repr(scale)])
    few = scale.provenance.kind == "exact" and 2 <= scale.size <= MOST_TICKS
    drawn = [Ticks("values", scale.ends(scale.size)[0].tolist())] if few else []
    return Page(heading, describe(scale).blocks(), drawn)


def page_of_sets(scale: SetScale) -> Page:
    """The same for sets of documents."""
    values = [float(value) for value in scale.values[:MOST_TICKS]]
    return Page(f"Scale of {scale.measure} over sets", describe_sets(scale).blocks(), [Ticks("values", values)])
