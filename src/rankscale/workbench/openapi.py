"""A description of the JSON views in OpenAPI, for programs that ask a workbench, and for tests that try to break it."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from rankscale import __version__
from rankscale.workbench.bench import Bench
from rankscale.workbench.state import PARSE, State
from rankscale.workbench.views.register import VIEWS

ABOUT = {
    "m": "The measure, such as nDCG@10.",
    "rel": "The lowest relevant grade.",
    "judged": "1: unjudged documents are left out.",
    "depth": "The rank at which rankings are cut.",
    "missing": "Topics that a run lacks: zero or common.",
    "a": "The run that is looked at.",
    "b": "The run that it is compared with.",
    "baseline": "The run that all are compared with.",
    "topics": "Topics between commas; all others are left out of what is brushed.",
    "topic": "The topic whose rankings are shown.",
    "judge": "What if: DOCUMENT:GRADE, or DOCUMENT:- for unjudged, between commas.",
    "swap": "What if: a3-7 swaps the documents of A at ranks 3 and 7.",
    "value": "plain, or interval: measures are taken by their interval versions.",
    "measures": "Measures to correlate, between commas.",
    "pair": "Two measures whose orders of runs are shown.",
    "pool": "Depth of the pool whose judgments count; 0 is all.",
    "weigh": "The measure of bounds and of the weights of documents, such as RBP(p=0.8).",
    "cost": "How many documents to judge next are listed.",
    "sort": "What tables of the page are sorted by, TABLE:COLUMN:up or down; answers are the same.",
    "part": "values, or tests: what takes longer.",
}


def description(bench: Bench) -> Mapping[str, object]:
    """The OpenAPI document of a workbench: each view is an address, and parameters are those of the state."""
    topics, runs = list(bench.qrels.topics[:20]), list(bench.names[:20])
    known = {
        "m": list(bench.measures),
        **dict.fromkeys(("a", "b", "baseline"), runs),
        "topic": topics,
        "topics": topics,
    }
    parameters = [
        {
            "name": one.name,
            "in": "query",
            "required": False,
            "description": ABOUT.get(one.name, ""),
            "schema": _schema(one.default if one.default is not MISSING else "", known.get(one.name)),
        }
        for one in fields(State)
        if PARSE in one.metadata
    ]
    answers: dict[str, Any] = {
        "200": {"description": "What the view shows.", "content": {"application/json": {"schema": {"type": "object"}}}},
        "202": {"description": "How far it is; ask again."},
        "400": {"description": "What is wrong with the request, in words."},
        "503": {"description": "Too much to do already; ask again later."},
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": f"Workbench of {bench.title}", "version": __version__},
        "paths": {
            f"/{view.name}.json": {
                "get": {
                    "operationId": view.name,
                    "summary": view.question,
                    "parameters": parameters,
                    "responses": answers,
                }
            }
            for view in VIEWS.values()
        },
    }


def _schema(default: object, known: list[str] | None) -> Mapping[str, object]:
    """The kind of a parameter, with values that exist where they are names."""
    if known is not None:
        return {"anyOf": [{"type": "string", "enum": known}, {"type": "string", "maxLength": 60}]}
    if isinstance(default, bool):
        return {"type": "string", "enum": ["0", "1"]}
    return {"type": "integer"} if isinstance(default, int) else {"type": "string", "maxLength": 60}
