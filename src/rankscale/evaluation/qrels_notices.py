"""Notices about what measures take qrels for: grades that are not relevant, and sub-topics."""

from collections.abc import Iterator, Sequence

from rankscale.data.names import SHOWN_NAMES, listed
from rankscale.data.notices import SUBTOPICS, Notice, notes
from rankscale.data.qrels import Qrels
from rankscale.measures.base.measure import Measure


def qrels_notices(qrels: Qrels, measures: Sequence[Measure]) -> Iterator[Notice]:
    """All notices about qrels and measures, before any run is looked at."""
    one_grade = any(not measure.looks_at for measure in measures)
    yield from (notice for notice in qrels.notices if one_grade or notice.kind != "aspects")
    yield from grade_notices(qrels, measures)
    yield from subtopic_notices(qrels, [measure for measure in measures if measure.by_subtopic])
    yield from assessor_notices(qrels, [measure for measure in measures if measure.by_assessor])


def grade_notices(qrels: Qrels, measures: Sequence[Measure]) -> Iterator[Notice]:
    """Notices of positive grades that count as not relevant."""
    per_level = qrels.level_counts
    for rel in sorted({measure.threshold for measure in measures if measure.threshold is not None}):
        between = (qrels.levels > 0) & (qrels.levels < rel)
        if between.any():
            grades = ", ".join(f"{level:g}" for level in qrels.levels[between][:SHOWN_NAMES])
            number = int(per_level[between].sum())
            count = f"{number} judgment{'s' * (number > 1)} with grades between 0 and {rel:g} ({grades})"
            text = f"{count} count{'s' * (number == 1)} as not relevant for measures with rel={rel:g}"
            yield Notice.of("grades below rel", text=text)


def subtopic_notices(qrels: Qrels, measures: Sequence[Measure]) -> Iterator[Notice]:
    """Notices of what measures of sub-topics take for sub-topics, and of topics that they cannot tell apart."""
    if not measures:
        return
    names, aspects = listed([str(measure) for measure in measures]), qrels.aspects
    if aspects is None:
        text = f"{names}: {qrels.source} names no sub-topics, and each topic is taken as one"
        yield Notice.of("no sub-topics", text=text)
        return
    yield Notice.of(SUBTOPICS, measures=names, source=qrels.source, column=_column(qrels))
    if aspects.most == 1:
        text = (
            f"{names}: no topic of {qrels.source} has more than one sub-topic; check that its second column names them"
        )
        yield Notice.of("one sub-topic", text=text)
    by_text: dict[str, list[str]] = {}
    for measure in measures:
        for text in measure.aspect_cautions(aspects, qrels.topics):
            by_text.setdefault(text, []).append(str(measure))
    yield from notes((f"{listed(of)}: {text}" for text, of in by_text.items()), "caution")


def assessor_notices(qrels: Qrels, measures: Sequence[Measure]) -> Iterator[Notice]:
    """A notice of what measures of assessors take for them; preferences say it by their form."""
    if not measures or qrels.aspects is None or qrels.aspects.lists is not None:
        return
    names = listed([str(measure) for measure in measures])
    yield Notice.of(SUBTOPICS, measures=names, source=qrels.source, column=_column(qrels), what="assessors")


def _column(qrels: Qrels) -> str:
    """The column that names sub-topics: a file that is no TREC file says its name."""
    form = next((notice["columns"] for notice in qrels.notices if notice.kind == "form"), ())
    named = dict(form) if isinstance(form, tuple) else {}
    return f"the column {named['subtopic']}" if named.get("subtopic") else "the second column"
