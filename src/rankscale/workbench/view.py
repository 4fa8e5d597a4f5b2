"""View: one question, answered as a page, as JSON, as a table and as a figure; and the frame around every view.

The frame has measures and their parameters, runs, tests, the command and cautions. JSON has no place for numbers that
are infinite or undefined: those are null.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass
from functools import cache
from types import NoneType
from typing import get_args

from rankscale.data.arrays import Floats
from rankscale.data.notices import render
from rankscale.data.table import Table
from rankscale.figures.base.figure import Figure
from rankscale.measures.base.measure import Measure, canonical_text
from rankscale.measures.base.parameters import about, parameters
from rankscale.measures.base.register import names
from rankscale.stats.tests.register import all_tests
from rankscale.workbench.bench import Bench, Progress
from rankscale.workbench.state import MOST_TOPICS, State

ViewData = Mapping[str, object]  # what JSON can hold
NOT_OFFERED = {"judged_only"}  # the frame has it for all measures at once


@dataclass(frozen=True)
class BenchView:
    """What a view is called, and what makes its parts; each is given the bench and a settled state."""

    name: str  # of its addresses: /compare, /compare.json, /compare.tsv, /compare.svg, /compare.txt
    title: str
    question: str
    data: Callable[[Bench, State, Progress | None], ViewData]
    table: Callable[[Bench, State], Table]
    command: Callable[[Bench, State], str]
    figure: Callable[[Bench, State], Figure] | None = None
    more_commands: Callable[[Bench, State], Mapping[str, str]] | None = None  # what `command` does not print, by what
    about_command: str = ""  # what `command` prints, where there are more
    text: Callable[[Bench, State], str] | None = None  # plain lines, for tools and people without tables

    @property
    def path(self) -> str:
        """The address of its page."""
        return "/" if self.name == "overview" else f"/{self.name}"


def frame(bench: Bench, state: State, view: BenchView) -> Mapping[str, object]:
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
    tests = [{"name": name, "label": test.label} for name, test in all_tests().items() if not test.needs_baseline]
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


def finite(value: object) -> float | None:
    """A number in full precision, or None for one that is infinite or undefined.

    >>> finite(0.1), finite(float("nan")), finite(None)
    (0.1, None, None)
    """
    if value is None:
        return None
    number = float(value)  # type: ignore[arg-type]  # a number of Python or numpy
    return number if math.isfinite(number) else None


def listed(values: Floats | Sequence[float] | Iterable[float]) -> list[float | None]:
    """Some numbers."""
    return [finite(value) for value in values]
