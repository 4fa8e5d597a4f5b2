"""The schema of our JSON holds for what the commands write, and refuses what they do not."""

import json
from copy import deepcopy
from pathlib import Path

import pytest

from rankscale.sample import QRELS, RUNS

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/schema/output.schema.json").read_text())
FILES = (QRELS, *(path for path in RUNS if path.name.split(".")[0] in {"bm25", "manual", "tfidf", "dense-zero"}))
KINDS: dict[str, type | tuple[type, ...]] = {
    "string": str,
    "object": dict,
    "array": list,
    "null": type(None),
    "number": (int, float),
    "integer": int,
}
NOTES = {"$schema", "$id", "$defs", "title", "description"}


def is_kind(value, kind):
    return isinstance(value, KINDS[kind]) and not isinstance(value, bool)


def fits(value, schema, where):
    kinds = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    return [] if any(is_kind(value, kind) for kind in kinds) else [f"{where}: {value!r:.40} is not {kinds}"]


def fits_any(value, schema, where):
    tried = [errors(value, one, where) for one in schema["anyOf"]]
    return [f"{where}: fits none: {tried}"] if all(tried) else []


def fits_properties(value, schema, where):
    properties, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    made = []
    for name, part in value.items() if isinstance(value, dict) else ():
        of_part = properties.get(name, others)
        if of_part is False:
            made.append(f"{where}: {name} is unknown")
        elif of_part is not True:
            made += errors(part, of_part, f"{where}.{name}")
    return made


RULES = {
    "$ref": lambda value, schema, where: errors(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")], where),
    "anyOf": fits_any,
    "type": fits,
    "enum": lambda value, schema, where: [] if value in schema["enum"] else [f"{where}: {value!r} is not listed"],
    "minimum": lambda value, schema, where: (
        [f"{where}: {value} is too small"] if is_kind(value, "number") and value < schema["minimum"] else []
    ),
    "required": lambda value, schema, where: [
        f"{where}: no {name}" for name in schema["required"] if isinstance(value, dict) and name not in value
    ],
    "properties": fits_properties,
    "additionalProperties": fits_properties,
    "items": lambda value, schema, where: [
        error
        for place, part in enumerate(value if isinstance(value, list) else ())
        for error in errors(part, schema["items"], f"{where}[{place}]")
    ],
}


def errors(value, schema, where="$"):
    """What of a value is not as the schema has it: the keywords that ours uses, by the rules of draft 2020-12."""
    assert set(schema) <= {*RULES, *NOTES}, f"{where}: a keyword that is not checked"
    return [error for keyword in schema if keyword in RULES for error in RULES[keyword](value, schema, where)]


def check(value, definition):
    assert errors(value, SCHEMA["$defs"][definition]) == []
    try:
        from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
    except ImportError:  # the check above is by the same rules
        return
    Draft202012Validator({**SCHEMA, "anyOf": [{"$ref": f"#/$defs/{definition}"}]}).validate(value)


MEASURES = ("-m", "P@10", "-m", "AP", "-m", "balance")
DOCUMENTS = [
    ("evaluation", ("evaluate", *MEASURES)),
    ("evaluation", ("evaluate", "-m", "P@10", "--bounds", "--ties", "range", "--per-topic")),
    ("evaluation", ("evaluate", "-m", "P@10", "-m", "Q", "--ties", "expected", "--per-topic")),
    ("evaluation", ("evaluate", *MEASURES, "--confidence", "0.95", "--places", "--per-topic")),
    ("wide", ("evaluate", *MEASURES, "--confidence", "0.95", "--places", "--wide")),
    ("wide", ("evaluate", *MEASURES, "--wide")),
    ("wide", ("evaluate", "-m", "P@10", "--bounds", "--wide")),
    ("wide", ("evaluate", "-m", "P@10", "--summary", "median")),
    ("wide", ("evaluate", "-m", "P@10", "--summary", "quantiles")),
    ("wide", ("evaluate", *MEASURES, "--groups", "GROUPS")),
    ("wide", ("evaluate", "-m", "P@10", "--bounds", "--wide", "--groups", "GROUPS")),
    ("evaluation", ("evaluate", *MEASURES, "--per-topic", "--groups", "GROUPS")),
    ("comparisons", ("compare", "-m", "P@10", "-m", "AP", "-t", "sign", "-t", "student", "--groups", "GROUPS")),
    ("study", ("topic-groups", "-m", "P@10", "--groups", "GROUPS")),
    ("curves", ("curves", "-m", "P", "--depth", "5", "--bounds")),
    ("comparisons", ("compare", "-m", "P@10", "--statements", "--plan", "0.1")),
    ("comparisons", ("compare", "-m", "P@10", "--places", "--equivalence", "0.1", "--baseline", "bm25")),
    ("comparisons", ("compare", "-m", "P@10", "-t", "two-way", "-t", "friedman", "--pairs")),
    ("comparisons", ("compare", "-m", "P@10", "--baseline", "bm25", "--summary", "median")),
    ("study", ("discriminate", "-m", "P@10", "--samples", "20")),
    ("study", ("correlate", "-m", "P@10", "-m", "AP")),
    ("study", ("recall-precision",)),
    ("study", ("gate", "-m", "P@10", "--margin", "0.5")),
    ("study", ("bounds",)),
    ("study", ("changes", "-m", "P@10")),
    ("study", ("partial-order",)),
    ("study", ("robustness", "-m", "P@10")),
    ("study", ("effort-gain",)),
    ("study", ("archetypes",)),
    ("study", ("pool", "--pool-depth", "5", "--table", "runs")),
]


@pytest.mark.parametrize(("definition", "command"), DOCUMENTS, ids=str)
def test_documents_are_as_the_schema_says(rankscale, definition, command, written):
    groups = written("groups.txt", "101 a / 102 b / 103 b / 104 a / 105 b")
    options = [groups if word == "GROUPS" else word for word in command[1:]]
    made = rankscale(command[0], *FILES, *options, "--format", "json")
    assert made.code == 0, made.err
    document = json.loads(made.out)
    check(document, definition)
    assert errors(document, SCHEMA) == []


def test_lines_are_as_the_schema_says(rankscale, tmp_path, written):
    groups = written("groups.txt", "101 a / 102 b")
    for row in rankscale("evaluate", *FILES, *MEASURES, "--groups", groups, "--format", "jsonl").rows:
        check(row, "line")
    for row in rankscale("evaluate", *FILES, *MEASURES, "--per-topic", "--format", "jsonl").rows:
        check(row, "line")
    for row in rankscale("convert", FILES[1], "-", "--to", "jsonl", "--depth", "3").rows:
        check(row, "document of a run")
    for row in rankscale("convert", FILES[0], "-", "--to", "jsonl").rows[:50]:
        check(row, "judgment")


def test_every_definition_is_used_and_explained():
    text = json.dumps(SCHEMA)
    checked = {definition for definition, _ in DOCUMENTS} | {"line", "document of a run", "judgment"}
    for name, definition in SCHEMA["$defs"].items():
        assert name in checked or f'"#/$defs/{name}"' in text
        assert name not in checked or definition["description"]


def test_damaged_documents_are_refused(rankscale):
    good = json.loads(rankscale("evaluate", *FILES, "-m", "P@10", "--format", "json").out)
    for damage in (
        lambda made: made.pop("signature"),
        lambda made: made["runs"][0].pop("means"),
        lambda made: made["runs"][0].update(means={"P@10": "0.5"}),
        lambda made: made["runs"][0].update(topics_counted={"P@10": -1}),
        lambda made: made["runs"][0].update(extra=1),
        lambda made: made.update(measures="P@10"),
    ):
        bad = deepcopy(good)
        damage(bad)
        assert errors(bad, SCHEMA["$defs"]["evaluation"])
