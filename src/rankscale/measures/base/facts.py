"""What can be said of a measure, in words: the same for the terminal and for the pages."""

import inspect
import math
import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from inspect import Parameter
from typing import Any, Literal, NamedTuple, get_args, get_origin

from rankscale.errors import BoundsError, ParameterError, TiesError
from rankscale.measures.base.measure import OF, Measure, written
from rankscale.measures.base.parameter_words import meaning
from rankscale.measures.base.parameters import KINDS, kind_of, parameters
from rankscale.measures.base.parser import parse
from rankscale.measures.base.trec_names import ENTRIES, TrecName

COMMON = {"depth", "judged_only"}  # what every measure takes
PROBES = (-1e9, -1, 0, 0.5, 1, 2, 1e9)  # values that tell a parameter's limits by being refused
TOPICS = {
    "mean": "are averaged",
    "sum": "are added up",
    "geometric": "are averaged geometrically, values below 1e-5 as 1e-5",
}


class ParameterFacts(NamedTuple):
    """A parameter in words."""

    name: str
    default: str | None  # None where it must be given
    kind: str
    limits: str
    meaning: str

    def __str__(self) -> str:
        return self.name if self.default is None else f"{self.name}={self.default}"


def forms(measure: type[Measure]) -> list[str]:
    """How a measure is written.

    >>> from rankscale.measures.rbp import RBP
    >>> forms(RBP)
    ['RBP', 'RBP@k']
    """
    if measure.after_at != "depth":
        return [f"{measure.name}@{measure.after_at}"]
    bare = [] if measure.needs_depth else [measure.name]
    return [*bare, f"{measure.name}@k"] if measure.takes_depth else bare


def example(measure: type[Measure], depth: int | None = None) -> Measure:
    """A measure of this class with its defaults, and the least that has to be given.

    >>> from rankscale.measures.iprec import IPrec
    >>> print(example(IPrec))
    IPrec@0.5
    """
    if measure.after_at != "depth":
        made = parse(measure.example or f"{measure.name}@0.5")
    else:
        bare = parse(measure.example) if measure.example else None
        made = bare or measure(depth=10 if measure.needs_depth else None)
    return replace(made, depth=depth) if depth is not None and measure.takes_depth else made


def parameter_facts(measure: type[Measure]) -> list[ParameterFacts]:
    """The parameters of a measure that not every measure has."""
    found = []
    for name, parameter in parameters(measure).items():
        if name not in COMMON:
            default = None if parameter.default is Parameter.empty else written(parameter.default)
            limits_of = _limits(measure, name, parameter)
            found.append(ParameterFacts(name, default, _kind(parameter), limits_of, meaning(measure, name)))
    return found


def _kind(parameter: Parameter) -> str:
    kind = kind_of(parameter)
    if parameter.name == OF:
        return "a measure"
    if parameter.name == "gains":
        return "a list, a map, 'exp' or 'linear'"
    if get_origin(kind) is Literal:
        *others, last = map(written, get_args(kind))
        return f"{', '.join(others)} or {last}" if others else last
    if get_origin(kind) is tuple:
        return "a list of numbers"
    choices = [KINDS[choice] for choice in get_args(kind) or (kind,) if choice in KINDS and choice is not type(None)]
    return " or ".join(choices)


def _limits(measure: type[Measure], name: str, parameter: Parameter) -> str:
    """What a measure says when it refuses a value: its own words are the only place where limits stand."""
    said: dict[str, None] = {}
    for probe in _probes(parameter):
        try:
            replace(example(measure), **{name: probe})
        except ParameterError as error:
            found = re.search(rf"\b{name} (must .*?|levels must .*?)(?:, got|;|$)", str(error))
            if found:
                said[found[1]] = None
        except (TypeError, ValueError, ArithmeticError):
            continue  # not a value that anybody could give
    return "; ".join(said)


def _probes(parameter: Parameter) -> list[Any]:
    kind = kind_of(parameter)
    kinds = set() if get_origin(kind) in {Literal, tuple} else set(get_args(kind) or (kind,))
    texts = ["?"] if str in kinds else []
    whole = [round(probe) for probe in PROBES if probe == round(probe)] if int in kinds else []
    return [*texts, *whole, *(PROBES if float in kinds else ())]


def bounds(measure: type[Measure]) -> str:
    """Whether unjudged documents bound the value, and why not."""
    try:
        example(measure).refuse_bounds()
    except BoundsError as error:
        if measure.takes_depth and not _refused(example(measure, 10)):
            return "from unjudged documents, with a depth; without one any rank could add as much as any other"
        return f"none: {error.reason}"
    return "from unjudged documents" + (", and from all that comes after the ranking" if measure.endless else "")


def _refused(measure: Measure) -> bool:
    try:
        measure.refuse_bounds()
    except BoundsError:
        return True
    return False


def ties(measure: type[Measure]) -> str:
    """Whether there is a closed form over the orders of tied documents."""
    try:
        example(measure).refuse_ties()
    except TiesError:
        return "in the order of trec_eval alone; there is no closed form over other orders"
    return "mean and range over all orders of tied documents have a closed form"


def direction(measure: type[Measure]) -> str:
    """Which end is the good one; counts have none."""
    if measure.summary == "sum":
        return ""
    if measure.no_direction:
        return f"neither high nor low is good: {measure.no_direction}"
    return "low is good" if measure.low_is_good else "high is good"


def limits(measure: type[Measure]) -> str:
    """The least and the greatest value."""
    low, high = measure.limits
    return f"{_number(low)} to {_number(high)}"


def _number(value: float) -> str:
    return f"{value:g}" if math.isfinite(value) else "-inf" if value < 0 else "inf"


def recall_base(measure: type[Measure]) -> str:
    """Whether values rest on the number of relevant documents."""
    if measure.uses_recall_base:
        return "is used: values of different topics rest on different numbers of relevant documents"
    return "is not used"


def scale(measure: type[Measure]) -> str:
    """The scale of the values, and for what it holds."""
    return f"{measure.scale}, for a fixed depth" + (" and recall base" if measure.uses_recall_base else "")


def user_model(measure: type[Measure]) -> str:
    """The user whom the formula has in mind."""
    return f"the user {measure.user_model}" if measure.user_model else ""


def trec_names(measure: type[Measure]) -> list[str]:
    """What trec_eval calls it."""
    return [printed(entry) for entry in ENTRIES if measure_of(entry) is measure]


def measure_of(entry: TrecName) -> type[Measure] | None:
    """The class that a name of trec_eval stands for."""
    text = entry.measure or entry.template.format(1)
    return type(parse(text)) if text else None


def printed(entry: TrecName) -> str:
    """A name of trec_eval with the place of its parameter."""
    return entry.name + {"ints": "_k", "floats": "_x"}.get(entry.parameters, "")


def facts(measure: type[Measure], given: Measure | None = None) -> Iterator[tuple[str, str]]:
    """All there is to say, each fact under its word; what does not apply is left out. `given` has its parameters."""
    remark = (given or example(measure)).remark()
    rows = (
        ("written", ", ".join(forms(measure))),
        ("as in", measure.example),
        ("also", ", ".join(measure.aliases)),
        ("trec_eval", ", ".join(trec_names(measure))),
        ("formula", measure.formula),
        ("user model", user_model(measure)),
        ("parameters", ", ".join(str(one) for one in parameter_facts(measure) if one.name != measure.after_at)),
        ("limits", limits(measure)),
        ("direction", direction(measure)),
        ("undefined", f"where {measure.undefined}" if measure.undefined else ""),
        ("recall base", recall_base(measure)),
        ("bounds", bounds(measure)),
        ("ties", ties(measure)),
        ("scale", scale(measure)),
        ("topics", TOPICS[measure.summary]),
        ("remark", remark),
        ("paper", measure.paper),
    )
    return ((word, said) for word, said in rows if said)


def first_line(measure: type[Measure]) -> str:
    """What it is, in one sentence."""
    return (measure.__doc__ or "").strip().splitlines()[0]


def words(measure: type[Measure]) -> list[tuple[str, bool]]:
    """The docstring's paragraphs, each with whether it is an example."""
    paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(measure.__doc__ or ""))
    return [(textwrap.dedent(paragraph), paragraph.lstrip().startswith(">>>")) for paragraph in paragraphs]
