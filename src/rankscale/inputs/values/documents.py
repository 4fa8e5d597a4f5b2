"""Values in JSON documents and dictionaries: ours, results of MTEB, {run: {topic: {measure: value}}}."""

from collections.abc import Mapping, Sequence

from rankscale.data.names import MISSING_TOPICS
from rankscale.errors import FormatError
from rankscale.inputs.values.block import EXTRA, VALUE, Block, Naming, number, shortened

EXPECTED = "expected values as rankscale writes them, results of MTEB, or {run: {topic: {measure: value}}}"


def is_ours(document: Mapping[str, object]) -> bool:
    """Whether this is an evaluation as we write it."""
    return isinstance(document.get("runs"), list) and "signature" in document


def is_mteb(document: Mapping[str, object]) -> bool:
    """Whether these are the results of a task of MTEB."""
    return isinstance(document.get("task_name"), str) and isinstance(document.get("scores"), Mapping)


def read_ours(document: Mapping[str, object], where: str, naming: Naming) -> Block:
    """An evaluation as `evaluate --format json` writes it."""
    runs = document["runs"]
    assert isinstance(runs, list)  # noqa: S101  # is_ours
    extra = tuple(one for one in EXTRA if any(isinstance(run, Mapping) and f"topics_{one}" in run for run in runs))
    kept = {
        key: document[key]
        for key in ("rankscale", "signature", "sources", "measures", MISSING_TOPICS)
        if key in document
    }
    what = "an evaluation of rankscale in JSON"
    block = Block(where, what, (VALUE, *extra), provenance=kept, sums_up=True, most=naming.most)
    for entry in runs:
        run = _mapping(entry, where).get("run")
        if not isinstance(run, str):
            raise FormatError(f"{where}: expected the name of each run, found {shortened(run)}")
        block.runs[run] = None
        tables = [_mapping(_mapping(entry, where).get(key, {}), where) for key in _keys(extra)]
        for topic, cells in tables[0].items():
            at = f"{where}, run {run}, topic {topic}"
            for measure, cell in _mapping(cells, at).items():
                beside = (_mapping(table.get(topic, {}), at).get(measure) for table in tables[1:])
                numbers = tuple(number(one, f"value of {measure}", at) for one in (cell, *beside))
                block.add((run, topic, measure), numbers, at)
    return block.checked()


def _keys(extra: Sequence[str]) -> list[str]:
    return ["topics", *(f"topics_{one}" for one in extra)]


def read_mteb(document: Mapping[str, object], where: str, naming: Naming) -> Block:
    """Results of one task: its splits and subsets stand for topics, for there are no values of single queries."""
    what = "results of MTEB; tasks stand for topics, and each value is the mean of a task"
    block = Block(where, what, most=naming.most)
    task, splits = str(document["task_name"]), _mapping(document["scores"], where)
    for split, parts in splits.items():
        at = f"{where}, {split}"
        if not isinstance(parts, list):
            raise FormatError(f"{at}: expected a list of results, found {shortened(parts)}")
        for part in (_mapping(one, at) for one in parts):
            subset = part.get("hf_subset", "default")
            named = [task, *([split] if len(splits) > 1 else []), *([str(subset)] if subset != "default" else [])]
            for measure, cell in part.items():
                if isinstance(cell, int | float) and not isinstance(cell, bool):
                    there = number(cell, f"value of {measure}", at)
                    block.add((naming.run, " ".join(named), measure), (there,), at)
    return block.checked()


def read_nested(document: Mapping[str, object], where: str, naming: Naming) -> Block:
    """`{run: {topic: {measure: value}}}`, or a part of that: `{topic: {measure: value}}`, `{run: {topic: value}}`."""
    inner = [_mapping(part, where) for part in document.values()]
    deepest = [cell for part in inner for cell in part.values()]
    if deepest and all(isinstance(cell, Mapping) for cell in deepest):
        block = Block(where, "{run: {topic: {measure: value}}}", most=naming.most)
        triples = (
            ((str(run), str(topic), str(measure)), cell)
            for run, topics in zip(document, inner, strict=True)
            for topic, cells in topics.items()
            for measure, cell in _mapping(cells, where).items()
        )
    elif naming.measure is not None:
        block = Block(where, f"{{run: {{topic: value}}}} of {naming.measure}", most=naming.most)
        measure = naming.measure
        triples = (
            ((str(run), str(topic), measure), cell)
            for run, topics in zip(document, inner, strict=True)
            for topic, cell in topics.items()
        )
    elif inner and all(map(naming.is_measure, {str(key): None for part in inner for key in part})):
        block = Block(where, "{topic: {measure: value}} of one run", most=naming.most)
        triples = (
            ((naming.run, str(topic), str(measure)), cell)
            for topic, cells in zip(document, inner, strict=True)
            for measure, cell in cells.items()
        )
    else:
        raise FormatError(f"{where}: {EXPECTED}; values of one measure as {{run: {{topic: value}}}} need measure='AP'")
    for key, cell in triples:
        at = f"{where}, run {key[0]}, topic {key[1]}"
        block.add(key, (number(cell, f"value of {key[2]}", at),), at)
    return block.checked()


def _mapping(part: object, where: str) -> Mapping[str, object]:
    if not isinstance(part, Mapping):
        raise FormatError(f"{where}: {EXPECTED}; found {shortened(part)}")
    return part
