"""The measures that -m requests, with what follows the dot, as columns of the output; which go with which judgments."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import fields, replace
from functools import cache, partial
from typing import Any, Literal

import numpy as np

from rankscale.data.arrays import Floats
from rankscale.data.judged import Judged
from rankscale.errors import ParameterError
from rankscale.measures.base.measure import Measure, divide
from rankscale.measures.base.parser import parse
from rankscale.measures.base.trec_names import BY_NAME, JUDGMENT_GROUPS, NICKNAMES, PREFERENCES, TrecName, expand
from rankscale.trec_eval.options import INPUT, MEASURE, PREFERENCE_FORMS, USAGE, Options, Quit, atof, atol
from rankscale.trec_eval.printing import ColumnSummary, PrintedColumn, logarithm
from rankscale.trec_eval.quirks import (
    as_sorted,
    eleven_points,
    nan_if_empty,
    ndcg,
    ndcg_rel,
    rbp,
    rbp_residual,
    relstring,
    rndcg,
    unjudged_share,
)

OWN = ("runid", "relstring", "rbp", "rbp_resid", "unj")  # what only trec_eval computes, or computes this way
SUMMARIES: dict[str, ColumnSummary] = {
    "runid": "tag",
    "num_q": "number of topics",
    "num_rel": "relevant documents",
    "relstring": "none",
}
OTHER_FORMS = (*PREFERENCE_FORMS, "qrels_jg")  # than plain qrels
EVERY = ("runid", "num_q")
RESULTS = "or results format not trec_results"
WANTED = {
    "qrels": f"trec_eval.form_res_qrels: rel_info format not qrels {RESULTS}",
    "qrels_jg": f"trec_eval: rel_info format not qrels_jg {RESULTS}",
    "prefs": f"trec_eval.form_prefs_info: prefs_info format not (prefs or qrels_prefs) {RESULTS}",
}
WHOLE = re.compile(r"[+-]?[0-9]+")
NamedParameters = Sequence[tuple[str, float]]


def requested_measures(measures: Iterable[str], compat: int) -> dict[str, str]:
    """The measures that -m requests, in the order of the output, each with its parameters as text.

    >>> requested_measures(["P.5,10", "map", "P.20"], 9)
    {'map': '', 'P': '5,10'}
    """
    wanted: set[str] = set()
    parameters: dict[str, str] = {}
    for written in measures or ["official"]:
        name, dot, given = written.partition(".")
        if dot and not given:
            raise Quit(USAGE, f"trec_eval: improper measure in parameter '{name}'\ntrec_eval: illegal measure '{name}'")
        if dot:
            parameters.setdefault(name, given)  # trec_eval uses the first, whatever follows
        wanted.update(_named(name, compat))
    return {name: parameters.get(name, "") for name in BY_NAME if name in wanted}


def _named(name: str, compat: int) -> list[str]:
    known = [name for name in NICKNAMES.get(name, (name,)) if name in BY_NAME]
    available = [name for name in known if BY_NAME[name].since <= compat]
    if not available:
        hint = "; --compat 10 has it" if known else ""
        raise Quit(USAGE, f"trec_eval: illegal measure '{name}'{hint}")
    return available


def columns_for(options: Options) -> list[PrintedColumn]:
    """The columns requested."""
    requested = requested_measures(options.measures, options.compat)
    return [column for name, given in requested.items() for column in _columns(BY_NAME[name], given, options)]


def _columns(entry: TrecName, given: str, options: Options) -> list[PrintedColumn]:
    try:
        if entry.name in OWN:
            return _own(entry.name, given)
        if entry.name in PREFERENCES:
            return [preference_column(entry)]
        return _of_groups(entry, given, options) if entry.name in JUDGMENT_GROUPS else _ours(entry, given, options)
    except ParameterError as error:
        if entry.name == "utility":  # trec_eval counts its weights only when it computes
            wrong = Quit(MEASURE, f"trec_eval: {error}\ntrec_eval: Can't calculate measure 'utility'")
            return [_failing(entry.name, wrong)]
        raise Quit(INPUT, f"trec_eval: {error}\ntrec_eval: Cannot initialize measure '{entry.name}'") from None


def _failing(name: str, quit_: Quit) -> PrintedColumn:
    """A column that cannot be computed, which shows when it is."""

    def values(_: Judged) -> Floats:
        raise quit_

    return PrintedColumn(name, values)


def _ours(entry: TrecName, given: str, options: Options) -> list[PrintedColumn]:
    """Measures of `rankscale.measures`, with -l, -N and the version as their parameters."""
    configured = partial(configured_measure, level=options.level, compat=options.compat, collection=options.collection)
    if entry.parameters == "pairs" and given and entry.measure:
        by_grade = gains(pairs(given), options.compat)
        printed = f"{entry.name}_{given}"
        by_name: dict[str, Callable[..., Floats]] = {
            "ndcg": ndcg,
            "ndcg_rel": ndcg_rel,
            "Rndcg": partial(rndcg, level=options.level),
        }
        if entry.name in by_name:
            return [PrintedColumn(printed, partial(by_name[entry.name], gains=by_grade))]
        measure = replace(configured(entry.measure), gains=tuple(by_grade.items()))  # type: ignore[call-arg]  # has gains
        return [PrintedColumn(printed, lambda judged: measure.value(as_sorted(judged, by_grade)))]
    if entry.name == "11pt_avg" and given:
        levels = [atof(level) for level in given.split(",")]
        points = partial(eleven_points, recalls=levels, level=options.level, version=options.compat)
        return [PrintedColumn(f"{entry.name}_{given}", points)]
    if entry.name == "Rndcg" and options.level <= 0:  # 0/0 where all judged documents have grade 0
        return [PrintedColumn(entry.name, partial(rndcg, gains={}, level=options.level))]
    text = f"{entry.name}.{given}" if given and entry.parameters != "none" else entry.name
    return [measure_column(entry, printed, configured(ours)) for printed, ours in expand(text)]


@cache
def configured_measure(text: str, level: int, compat: int, collection: int) -> Measure:
    """The measure that a text names, with -l, the version and -N as its parameters, where it has such."""
    measure = parse(text)
    known = {field.name for field in fields(measure)}
    settings: dict[str, Any] = {"rel": level, "version": compat, "collection": collection}
    return replace(measure, **{name: value for name, value in settings.items() if name in known})


def measure_column(entry: TrecName, printed: str, measure: Measure) -> PrintedColumn:
    """The column of one of our measures, with what trec_eval does otherwise."""
    values: Callable[[Judged], Floats] = measure.value
    if entry.name in {"iprec_at_recall", "11pt_avg"}:
        values = _at_recalls(measure)
    elif measure.summary == "geometric":
        values = logarithm(measure.value)
    summary = SUMMARIES.get(entry.name, measure.summary)
    return PrintedColumn(printed, values, "count" if entry.whole else "real", summary, entry.per_topic)


def _at_recalls(measure: Measure) -> Callable[[Judged], Floats]:
    """Precision at recall levels, which trec_eval prints as -nan for an empty ranking."""
    from rankscale.measures.iprec import AP11, IPrec

    assert isinstance(measure, IPrec | AP11)  # noqa: S101  # as trec_eval's names say
    recalls = (measure.recall,) if isinstance(measure, IPrec) else measure.recalls
    return partial(nan_if_empty, measure, recalls)


def preference_column(entry: TrecName) -> PrintedColumn:
    """A column of preferences, whose values `preferences.py` counts."""
    form: Literal["real", "count"] = "count" if entry.whole else "real"
    return PrintedColumn(entry.name, lambda judged: np.zeros(judged.topics), form, "sum" if entry.whole else "mean")


def _of_groups(entry: TrecName, given: str, options: Options) -> list[PrintedColumn]:
    """Columns of map_avgjg and its like: those of map, averaged over assessors."""
    plain = entry.name.removesuffix("_avgjg")
    return [
        replace(
            column,
            name=f"{entry.name}{column.name.removeprefix(plain)}",
            values=partial(by_group, column.values, judged_only=options.judged_only),
        )
        for column in _ours(BY_NAME[plain], given, options)
    ]


def by_group(values: Callable[[Judged], Floats], judged: Judged, *, judged_only: bool) -> Floats:
    """(topic,): the mean of values over assessors, each with judgments of their own; -J condenses for each alone."""
    if judged.aspects is not None:
        judged.aspects.refuse_many()
    total = np.zeros(judged.topics)
    for number in range(int(judged.aspect_counts.max(initial=0))):
        seen = judged.aspect(number)
        total = total + values(seen.only_judged() if judged_only else seen)
    return divide(total, judged.aspect_counts)


def _own(name: str, given: str) -> list[PrintedColumn]:
    """The columns of one of OWN."""
    printed = f"{name}_{given}" if given else name
    match name:
        case "runid":
            return [PrintedColumn(name, lambda judged: np.zeros(judged.topics), "text", "tag", per_topic=False)]
        case "relstring":
            length = int(atof(given.partition(",")[0])) if given else 10
            return [PrintedColumn(printed, partial(relstring, length=length), "text", "none")]
        case "rbp":
            p, by_grade = persistence(pairs(given)), gains(pairs(given), compat=10)
            return [PrintedColumn(printed, partial(rbp, p=p, gains=by_grade))]
        case "rbp_resid":
            return [PrintedColumn(printed, partial(rbp_residual, p=persistence(pairs(given))))]
        case _:  # unj
            cutoffs = depths(given or BY_NAME[name].defaults)
            return [PrintedColumn(f"unj_{depth}", partial(unjudged_share, depth=depth)) for depth in cutoffs]


def _kind(measure: str) -> str:
    """The form that a measure wants."""
    if measure in PREFERENCES:
        return "prefs"
    return "qrels_jg" if measure in JUDGMENT_GROUPS else "qrels"


def unsuited(requested: Iterable[str], form: str) -> Quit | None:
    """The error of the first requested measure that does not go with a form."""
    kind = "prefs" if form == "qrels_prefs" else form
    for measure in requested:
        if measure not in EVERY and _kind(measure) != kind:
            return Quit(MEASURE, f"{WANTED[_kind(measure)]}\ntrec_eval: Can't calculate measure '{measure}'")
    return None


def suited(form: str) -> Collection[str]:
    """The measures that go with one of the other forms, besides those that go with every form."""
    return JUDGMENT_GROUPS if form == "qrels_jg" else PREFERENCES


def first_measure(requested: Iterable[str]) -> str:
    """The first requested measure that judgments are needed for; empty where there is none."""
    return next((measure for measure in requested if measure not in EVERY), "")


def depths(text: str) -> list[int]:
    """Depths between commas, ascending.

    >>> depths("20,5,10.7")
    [5, 10, 20]
    """
    cutoffs = sorted(atol(depth) for depth in text.split(","))
    if cutoffs[0] <= 0:
        raise ParameterError(f"depths must be whole numbers from 1, got {text!r}")
    if len(set(cutoffs)) < len(cutoffs):
        raise ParameterError(f"depths must differ, got {text!r}")
    return cutoffs


def pairs(text: str) -> NamedParameters:
    """Names and numbers.

    >>> pairs("p=0.8,1=.5")
    [('p', 0.8), ('1', 0.5)]
    """
    split = [pair.split("=") for pair in text.split(",")] if text else []
    if any(len(pair) != 2 for pair in split):
        raise ParameterError(f"malformed pair parameters in '{text}': expected name=number, as in 1=3,2=9")
    return [(name, atof(number)) for name, number in split]


def gains(given: NamedParameters, compat: int) -> dict[int, float]:
    """The gains among the pairs. Of two for one grade the first counts; version 9 takes any other name for grade 0.

    >>> gains([("p", 0.8), ("2", 3.0), ("2", 4.0)], compat=10)
    {2: 3.0}
    """
    by_grade: dict[int, float] = {}
    for name, gain in given:
        if compat == 9 or WHOLE.fullmatch(name):
            by_grade.setdefault(atol(name), gain)
    return by_grade


def persistence(given: NamedParameters) -> float:
    """The p of rbp, 0.9 where none is given; of several the last."""
    return dict(given).get("p", 0.9)
