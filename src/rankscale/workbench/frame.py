"""What every view shows around its own: measures and their parameters, runs, tests, the command, cautions."""

from collections.abc import Mapping
from dataclasses import Field
from functools import cache
from types import NoneType
from typing import get_args

from rankscale.data.notices import render
from rankscale.measures.base.measure import Measure, canonical_text
from rankscale.measures.base.parameters import about, parameters
from rankscale.measures.base.register import names
from rankscale.stats.tests.register import known_tests
from rankscale.workbench.bench import Bench
from rankscale.workbench.numbers import finite
from rankscale.workbench.state import MOST_TOPICS, State
from rankscale.workbench.view import View

NOT_OFFERED = {"judged_only"}  # the frame has it for all measures at once


def frame(bench: Bench, state: State, view: View) -> Mapping[str, object]:
    """Data of the bar at the top and of the rail."""
    measure = bench.measure(state)
    return {
        "title": bench.title,
        "runs": list(bench.names),
        "topics": len(bench.qrels.topics),
        "measure": described(measure),
        "a": state.a,
        "b": state.b,
        "baseline": state.baseline,
        "command": view.command(bench, state),
        "about_command": view.about_command,
        "more_commands": dict(view.more_commands(bench, state)) if view.more_commands else {},
        "notices": [render(notice) for notice in bench.notices],
        "has_figure": view.figure is not None,
    }


@cache
def offered() -> Mapping[str, object]:
    """What does not change while the workbench is open: names of measures, tests of two runs, most topics of a link."""
    tests = [{"name": name, "label": test.label} for name, test in known_tests().items() if not test.needs_baseline]
    return {"measures": sorted(names(), key=str.lower), "tests": tests, "most_topics": MOST_TOPICS}


def described(measure: Measure) -> Mapping[str, object]:
    """A measure and its parameters, so that a page can offer each of them and write the measure again.

    >>> from rankscale.measures.base.parser import parse
    >>> made = described(parse("RBP(p=0.9)@20"))
    >>> made["text"], made["at"], made["parameters"][0]["name"], made["parameters"][0]["text"]
    ('RBP(p=0.9)@20', 'depth', 'p', '0.9')
    """
    kind = type(measure)
    return {
        "text": str(measure),
        "name": kind.name,
        "about": (kind.__doc__ or "").strip().splitlines()[0],
        "low_is_good": measure.low_is_good,
        "scale": measure.scale,
        "at": kind.at_parameter,
        "needs_depth": kind.needs_depth,
        "parameters": [
            _parameter(name, one, getattr(measure, name))
            for name, one in parameters(kind).items()
            if name not in NOT_OFFERED
        ],
    }


def _parameter(name: str, declared: "Field[object]", value: object) -> Mapping[str, object]:
    limits = about(declared)
    kinds = get_args(declared.type) or (declared.type,)
    numeric = any(kind in {int, float} for kind in kinds) and name != "gains"
    return {
        "name": name,
        "text": canonical_text(value),
        "default": canonical_text(declared.default),
        "optional": NoneType in kinds,
        "kind": "choice" if limits.choices else "flag" if bool in kinds else "number" if numeric else "text",
        "whole": int in kinds and float not in kinds,
        "low": finite(max(limits.ge, limits.gt)),
        "high": finite(min(limits.le, limits.lt)),
        "choices": [canonical_text(choice) for choice in limits.choices],
        "help": limits.help,
    }
