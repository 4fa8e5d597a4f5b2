"""What studies and figures are made from, read from the command line: an evaluation, curves, scales, another study."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, cast

import click

from rankscale.cli import options, values
from rankscale.cli.command import Option
from rankscale.cli.terminal import Progress, progress_bar
from rankscale.data.declared import Declaration, register
from rankscale.data.declared import Option as Declared

if TYPE_CHECKING:
    from rankscale.data.notices import Notice
    from rankscale.evaluation.result import Evaluation
    from rankscale.measures.base.measure import Measure
    from rankscale.studies.support.study import Study
    from rankscale.tracing.result import Curves

Tell = Callable[["Sequence[str | Notice]"], None]
Given = dict[str, object]  # values of a command's options, by name
TYPES: Mapping[str, click.ParamType[object]] = {
    "share": values.SHARE,
    "float": values.NUMBER,
    "ints": values.INTS,
    "floats": values.FLOATS,
    "grades": values.GRADES,
    "path": click.Path(),
    "text": click.STRING,
    "measure": click.STRING,
}


def click_option(name: str, declared: Declared) -> Option:
    """One declared option, for click."""
    flags = declared.flags or (f"--{name.replace('_', '-')}",)
    if declared.flag_value:
        return click.option(*flags, name, flag_value=declared.flag_value, default=None, help=declared.help)
    if declared.kind == "flag" and declared.default:
        flags = (f"{flags[0]}/--no-{flags[0].removeprefix('--')}",)
    kind: click.ParamType[object] | None = TYPES.get(declared.kind)
    if declared.choices:
        kind = click.Choice(declared.choices)
    elif declared.kind == "int":
        kind = click.IntRange(declared.least, declared.most)
    repeated = " May be given several times." if declared.multiple else ""
    default = declared.default
    if isinstance(default, tuple):
        default = ",".join(f"{number:g}" for number in default)
    return click.option(
        *flags,
        name,
        type=kind,
        is_flag=declared.kind == "flag",
        multiple=declared.multiple,
        required=declared.required,
        show_default=declared.shown or not declared.multiple,
        metavar=declared.metavar or None,
        help=declared.help + repeated,
        shell_complete=options.complete_measure if declared.kind == "measure" else None,
        # click takes any default, even None, for an answer to a required option.
        **({} if declared.required else {"default": () if declared.multiple else default}),
    )


def click_options(declared: Declaration) -> list[Option]:
    """All options of a declaration, its own and shared ones, without those on what is written."""
    found = [options.FILES[declared.source]] if declared.source in options.FILES else []
    found += [options.measures(declared.measures)] if declared.measures else []
    found += [options.one_measure(declared.measure, declared.measure_help)] if declared.measure else []
    if declared.study:
        theirs = register("studies")[declared.study].options
        found += [click_option(name, theirs[name]) for name in declared.study_options]
    found += [click_option(name, option) for name, option in declared.options.items()]
    return found + [options.SHARED[name] for name in declared.shared]


@dataclass(frozen=True)
class Request:
    """A declared command as it was called."""

    declared: Declaration
    function: Callable[..., object]
    own: Given  # keywords of the function: values of the command's own options
    given: Given  # values of the options that it shares with other commands, and of its arguments
    tell: Tell  # is given the warnings of what the function is made from

    @property
    def runs(self) -> list[str]:
        """The files of runs."""
        return list(cast("tuple[str, ...]", self.given["runs"]))

    def following(self, progress: Progress | None) -> Given:
        """The keyword that shows progress, for functions that take it."""
        return {"progress": progress} if "progress" in self.declared.takes else {}


def result(declared: Declaration, given: Given, tell: Tell = lambda _: None) -> object:
    """What the declared function makes of what is given on the command line."""
    function: Callable[..., object] = getattr(import_module(declared.module), declared.function)
    values = {name: given.pop(name) for name in declared.options}
    own = {  # what is not given is left to the function's own default
        declared.options[name].keyword or name: value
        for name, value in values.items()
        if value is not None and (value != () or declared.options[name].default is not None)
    }
    return SOURCES[declared.source](Request(declared, function, own, given, tell))


def _measures(request: Request) -> Given:
    """The measures and what goes to them (--rel, --gains), taken out of what is given; as keywords of a function."""
    declared, own, given = request.declared, request.own, request.given
    shared = _shared(given)
    taken: Given = {name: value for name, value in shared.items() if value is not None and name in declared.takes}
    for name, option in declared.options.items():
        if option.kind == "measure" and name in own:
            own[name] = options.one_measure_requested(str(own[name]), shared, f"--{name}")
    if declared.measure:
        taken["measure"] = options.one_measure_requested(str(given.pop("measure")), shared)
    elif declared.measures:
        flagged = next((texts for flag, texts in declared.measures_with.items() if own.get(flag)), declared.measures)
        taken["measures"] = options.measures_requested(cast("Sequence[str]", given.pop("measures")) or flagged, shared)
    if "top" in declared.shared:
        given["by"] = options.measures_requested(("AP",), shared)[0]
    return taken


def _shared(given: Given) -> options.Shared:
    rel, gains = given.pop("rel", None), given.pop("gains", None)
    return {"rel": cast("float | None", rel), "gains": cast("values.Gains | None", gains)}


def _from_runs(request: Request) -> object:
    """A function of runs and qrels that does all the rest itself."""
    keywords = _measures(request)
    if "runs" in request.given:
        keywords["runs"] = request.runs
    with progress_bar() as progress:
        return request.function(**{**request.given, **keywords}, **request.own, **request.following(progress))


def _from_runs_if_any(request: Request) -> object:
    """The same, or the function without anything where no file is given."""
    if not request.given["qrels"]:
        return request.function()
    if not request.given["runs"]:
        raise click.UsageError("give the qrels and at least one run, or neither")
    return _from_runs(request)


def _from_evaluation(request: Request) -> object:
    """A function of an evaluation; or of a function that evaluates measures, which is given the measures too."""
    keywords = _measures(request)
    several = keywords.pop("measures", None)
    measures = cast("Sequence[Measure]", several or (keywords.pop("measure"),))

    def evaluated(wanted: "Sequence[Measure]") -> "Evaluation":
        with progress_bar() as progress:
            evaluation = _evaluate(request, wanted, progress)
        request.tell(evaluation.notices)
        return evaluation

    if request.declared.deferred:
        return request.function(evaluated, measures, **keywords, **request.own)
    evaluation = evaluated(measures)
    with progress_bar("testing pairs of runs") as progress:
        return request.function(evaluation, **keywords, **request.own, **request.following(progress))


def _evaluate(request: Request, measures: "Sequence[Measure]", progress: Progress | None) -> "Evaluation":
    """Evaluate the runs, or with --top the best of them."""
    from rankscale.studies.top import evaluate_top

    verb: Callable[..., Evaluation] = evaluate_top
    given = {**request.given, "runs": request.runs, "measures": list(measures), "progress": progress}
    return verb(share=given.pop("top", None), **given)


def _from_study(request: Request) -> object:
    """A function of a study; or of a function that makes the study, given some of its options."""
    declared, given = request.declared, request.given
    study = register("studies")[declared.study]
    if declared.measure:
        nothing: options.Shared = {"rel": None, "gains": None}
        given["measures"] = (str(options.one_measure_requested(str(given.pop("measure")), nothing)),)
    unset = dict.fromkeys(study.options)

    def made(**overrides: object) -> "Study":
        drawn = cast("Study", result(study, {**unset, **declared.fixed, **given, **overrides}))
        request.tell(drawn.notices)
        return drawn

    return request.function(made if declared.deferred else made(), **request.own)


def _from_curves(request: Request) -> object:
    """A function of one measure's curves."""
    from rankscale.tracing.curves import curves

    given, own, verb = request.given, request.own, cast("Callable[..., Curves]", curves)
    wanted = options.curves_requested((str(given.pop("measure")),), _shared(given))
    ideal = bool(own.pop("ideal")) or bool(own.get("ratio"))
    traced = verb(**{**given, "runs": request.runs}, measures=wanted, ideal=ideal)
    request.tell(traced.notices)
    return request.function(traced, **own)


def _from_scales(request: Request) -> object:
    """A function of the scales of measures: at their own depths, or at the lengths of rankings that are named."""
    from rankscale.scales.scale import scale

    lengths = request.own.pop("lengths", request.declared.fixed.get("lengths"))
    levels = cast("list[float]", request.own.pop("levels"))
    several = lengths if isinstance(lengths, tuple) else (lengths,)
    texts = cast("tuple[str, ...]", request.given["measures"]) or request.declared.measures
    depths = [text if "@" in text else f"{text}@{length}" for text in texts for length in several]
    return request.function([scale(text, levels) for text in dict.fromkeys(depths)], **request.own)


SOURCES: Mapping[str, Callable[[Request], object]] = {
    "runs": _from_runs,
    "run": _from_runs,
    "optional runs": _from_runs_if_any,
    "evaluation": _from_evaluation,
    "study": _from_study,
    "curves": _from_curves,
    "scales": _from_scales,
    "nothing": lambda request: request.function(**request.own),
}
