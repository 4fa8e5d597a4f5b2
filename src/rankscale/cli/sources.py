"""What studies and figures are made from, read from the command line: an evaluation, curves, scales, another study."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import click
from click.core import ParameterSource

from rankscale.cli import options, values
from rankscale.cli.command import OptionDecorator
from rankscale.cli.terminal import Progress, progress_bar
from rankscale.data.arguments import Option as Declared
from rankscale.data.arguments import Registered, register
from rankscale.data.extensions import TESTS

if TYPE_CHECKING:
    from rankscale.data.notices import Notice
    from rankscale.evaluation.result import Evaluation
    from rankscale.measures.base.measure import Measure
    from rankscale.measures.base.parser import Relevance
    from rankscale.studies.support.study import Study

Receiver = Callable[["Sequence[str | Notice]"], None]
GivenOptions = dict[str, Any]  # values of a command's options, by name
LENGTH = "Length of rankings, for measures without a depth of their own."
TYPES: Mapping[str, click.ParamType[object]] = {
    "share": values.SHARE,
    "shares": values.SHARES,
    "float": values.NUMBER,
    "ints": values.INTS,
    "floats": values.FLOATS,
    "grades": values.GRADES,
    "path": click.Path(),
    "text": click.STRING,
    "measure": click.STRING,
}


METAVARS = {"int": "N", "share": "SHARE", "measure": "MEASURE", "path": "FILE"}
METAVARS_BY_NAME = {
    **dict.fromkeys(("baseline", "candidate", "reproduced_baseline", "other_runs"), "RUN"),
    "column": "NAME",
    "show": "COEFFICIENT",
    "coefficients": "COEFFICIENT",
}


def declared_command(folder: str, name: str) -> Registered:
    """The command of a study or figure: of the register, or of another package."""
    known = register(folder)
    if name in known:
        return known[name]
    from rankscale.cli.declarations import of_another_package

    return of_another_package(folder, name)


def click_option(name: str, declared: Declared) -> OptionDecorator:
    """One declared option, for click."""
    if declared.flag_value:
        return click.option(*declared.flags, name, flag_value=declared.flag_value, default=None, help=declared.help)
    if declared.kind == "flag":
        (flag,) = declared.flags
        flags = f"{flag}/--no-{flag.removeprefix('--')}" if declared.default else flag
        return click.option(flags, name, is_flag=True, default=declared.default, show_default=True, help=declared.help)
    kind = TYPES.get(declared.kind)
    if declared.choices:
        is_test = declared.kind == "test"
        kind = options.OpenChoice(declared.choices, TESTS) if is_test else click.Choice(declared.choices)
    elif declared.kind == "int":
        kind = click.IntRange(declared.least, declared.most)
    metavar = METAVARS.get(declared.kind)
    if declared.kind == "text":
        metavar = METAVARS_BY_NAME.get(declared.keyword, "NAME" if declared.multiple else name.upper())
    default = declared.default
    if isinstance(default, tuple):
        default = ",".join(f"{number:g}" for number in default)
    return options.option(
        " ".join([*declared.flags, name]),
        declared.help,
        kind,
        () if declared.multiple else default,
        declared.default_text,
        metavar=metavar,
        multiple=declared.multiple,
        required=declared.required,
    )


def click_options(declared: Registered) -> list[OptionDecorator]:
    """All options of a declaration, its own and shared ones, without those on what is written."""
    listed = [_files(declared)] if declared.source in options.FILES else []
    listed += [options.measures(declared.measures)] if declared.measures else []
    if declared.measure:
        listed.append(options.option("-m --measure", declared.measure_help, None, declared.measure, metavar="MEASURE"))
    if declared.lengths:
        lengths = ", ".join(map(str, declared.lengths))
        listed.append(
            options.option("-n --length lengths", LENGTH, options.POSITIVE, shown=lengths, multiple=True, metavar="N")
        )
        listed.append(options.levels)
    if declared.study:
        theirs = declared_command("studies", declared.study).options
        listed += [click_option(name, theirs[name]) for name in declared.study_options]
    listed += [click_option(name, option) for name, option in declared.options.items()]
    return listed + [options.SHARED[name] for name in declared.shared]


def _files(declared: Registered) -> OptionDecorator:
    """The arguments QRELS and RUN...; --collection and --values can take their place where a command has them."""
    if declared.study and declared_command("studies", declared.study).source == "rankings":  # which need no qrels
        return options.FILES["rankings"]
    if "values" in declared.shared and "collections" not in declared.shared:
        return options.files_or_values
    if "collections" in declared.shared:
        return options.optional_files
    if declared.source == "two qrels":  # of which a study can do without the second
        return options.one_or_two_qrels
    source = declared_command("studies", declared.study).source if declared.study else declared.source
    # A study may do without files; there is nothing to draw without them.
    return options.files if declared.study and source == "optional runs" else options.FILES[source]


def help_of(declared: Registered) -> str:
    """What the help of a declared command says above its options."""
    return "\n".join([declared.about, "", "\b", "Examples:", *(f"  {example}" for example in declared.examples)])


@dataclass(frozen=True)
class Request:
    """A declared command as it was called."""

    declared: Registered
    function: Callable[..., object]
    own: GivenOptions  # keywords of the function: values of the command's own options
    given: GivenOptions  # values of the options that it shares with other commands, and of its arguments
    receive: Receiver  # is given the warnings of what the function is made from

    @property
    def runs(self) -> list[str]:
        """The files of runs."""
        return list(self.given["runs"])

    def following(self, progress: Progress | None) -> GivenOptions:
        """The keyword that shows progress, for functions that take it; and where they do their own work."""
        executor = {"executor": self.given.get("executor")} if "executor" in self.declared.takes else {}
        return executor | ({"progress": progress} if "progress" in self.declared.takes else {})


def result(
    declared: Registered,
    given: GivenOptions,
    receive: Receiver = lambda _: None,
    together: Callable[[Mapping[str, object]], object] = dict,
) -> Any:  # noqa: ANN401  # of the class that the declaration names
    """What the declared function makes of what is given on the command line.

    With --collection it is made of each collection, and `together` makes one of all that, by name of the collection.
    """
    collections: Sequence[tuple[str, str, str]] = given.pop("collections", ())
    values_in: options.ValuesIn | None = given.get("values_in")
    several = "--collection NAME QRELS RUNS for each of several collections"
    if not collections:
        if values_in is not None:
            other = f"{several}, " if "collections" in declared.shared else ""
            values_in.check_files(given["qrels"], given["runs"], other)
        elif "collections" in declared.shared and (declared.source != "optional runs" or given["qrels"]):
            options.check_files(given["qrels"], given["runs"], f"or {several}")
        return _result(declared, given, receive)
    if values_in is not None and values_in.given_values:
        raise click.UsageError("--values and --collection do not go together: leave one out")
    _check_collections(collections, given["qrels"])
    from rankscale.studies.support.study import each_collection

    def made(source: object) -> object:
        name, qrels, runs = cast("tuple[str, str, str]", source)
        where: GivenOptions = {"qrels": qrels, "runs": (runs,)}
        return _result(declared, given | where, lambda notices: receive([_within(one, name) for one in notices]))

    return together(each_collection({one[0]: one for one in collections}, made))


def _within(notice: "str | Notice", collection: str) -> "str | Notice":
    return f"{collection}: {notice}" if isinstance(notice, str) else notice.within(collection)


def _check_collections(collections: "Sequence[tuple[str, str, str]]", qrels: object) -> None:
    """Raise UsageError for arguments beside --collection, and for names that are empty or there twice."""
    if qrels:
        raise click.UsageError(
            f"{qrels}: QRELS RUN... and --collection do not go together; give every collection as "
            "--collection NAME QRELS RUNS, its runs as a folder or as a pattern in quotes ('runs/*.gz')"
        )
    names = [name for name, _, _ in collections]
    for name in names:
        if not name.strip() or names.count(name) > 1:
            what = f"{name} is there {names.count(name)} times" if name.strip() else "one has no name"
            raise click.UsageError(f"--collection: {what}; give each collection a name of its own")


def _result(declared: Registered, given: GivenOptions, receive: Receiver) -> object:
    """What the declared function makes of one collection."""
    function: Callable[..., object] = getattr(import_module(declared.module), declared.function)
    own: GivenOptions = {}
    for name, option in declared.options.items():
        value = given.pop(name)
        # What is not given is left to the function; an empty list means none where the default is a list.
        if value is not None and (value != () or option.default is not None):
            own[option.keyword] = value
    request = Request(declared, function, own, given, receive)
    values_in = None if declared.source == "study" else given.pop("values_in", None)  # a study takes it by itself
    if values_in is not None and values_in.given_values:
        return _from_values(request, values_in)
    return SOURCES[declared.source](request)


def _measures(request: Request) -> GivenOptions:
    """The measures and what goes to them (--rel, --gains), taken out of what is given; as keywords of a function."""
    declared, own, given = request.declared, request.own, request.given
    shared = _relevance(given)
    taken: GivenOptions = {
        name: value for name, value in vars(shared).items() if value is not None and name in declared.takes
    }
    for option in declared.options.values():
        if option.kind == "measure" and option.keyword in own:
            texts = own[option.keyword]
            own[option.keyword] = (
                shared.measures(texts) if option.multiple else options.one_measure(shared, texts, option.flags[-1])
            )
    if declared.measure:
        taken["measure"] = options.one_measure(shared, given.pop("measure"))
    elif declared.measures:
        flagged = next((texts for flag, texts in declared.measures_with.items() if own.get(flag)), declared.measures)
        taken["measures"] = shared.measures(given.pop("measures") or flagged)
    if "top" in declared.shared:
        given["by"] = options.one_measure(shared, "AP")
    return taken


def _relevance(given: GivenOptions) -> "Relevance":
    """--rel and --gains, taken out of what is given."""
    from rankscale.measures.base.parser import Relevance

    return Relevance(given.pop("rel", None), given.pop("gains", None))


def _from_runs(request: Request) -> object:
    """A function of runs and qrels that does all the rest itself."""
    keywords = _measures(request)
    if "runs" in request.given:
        keywords["runs"] = request.runs
    with progress_bar() as progress:
        return request.function(**{**request.given, **keywords}, **request.own, **request.following(progress))


def _from_runs_if_any(request: Request) -> object:
    """The same, or the function with its own options alone where no file is given."""
    if not request.given["qrels"]:
        context = click.get_current_context()
        for param in context.command.params:
            name = param.name or ""
            if name in request.given and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
                raise click.UsageError(f"{param.opts[-1]} is about files: give QRELS RUN..., or leave it out")
        return request.function(**request.own)
    if not request.given["runs"]:
        raise click.UsageError("give the qrels and at least one run, or neither")
    return _from_runs(request)


def _from_evaluation(request: Request) -> object:
    """A function of an evaluation; or of a function that evaluates measures, which is given the measures too."""
    from rankscale.studies.support.selection import evaluate_top

    keywords = _measures(request)
    measures = keywords.pop("measures", None) or (keywords.pop("measure"),)
    given = {**request.given, "runs": request.runs}
    share = given.pop("top", None)

    def evaluated(wanted: "Sequence[Measure]") -> "Evaluation":
        with progress_bar() as progress:
            evaluation = evaluate_top(share=share, measures=list(wanted), progress=progress, **given)
        request.receive(evaluation.notices)
        return evaluation

    if request.declared.deferred:
        return request.function(evaluated, measures, **keywords, **request.own)
    evaluation = evaluated(measures)
    with progress_bar("testing pairs of runs") as progress:
        return request.function(evaluation, **keywords, **request.own, **request.following(progress))


def _from_values(request: Request, values_in: options.ValuesIn) -> object:
    """A function of an evaluation, given values that were measured before."""
    from rankscale.studies.support.selection import top

    given = request.given
    evaluation = values_in.read([given["qrels"], *request.runs], given["measures"])
    if given.get("top") is not None:
        evaluation = top(evaluation, given["top"])
    request.receive(evaluation.notices)
    if request.declared.deferred:
        return request.function(lambda _: evaluation, (), **request.own)
    with progress_bar("testing pairs of runs") as progress:
        return request.function(evaluation, **request.own, **request.following(progress))


def _from_study(request: Request) -> object:
    """A function of a study; or of a function that makes the study, given some of its options."""
    from rankscale.evaluation.options import RankingOptions

    declared, given = request.declared, request.given
    study = declared_command("studies", declared.study)
    if declared.measure:
        given["measures"] = (str(options.one_measure(_relevance({}), given.pop("measure"))),)
    unset: GivenOptions = dict.fromkeys(study.options)
    if study.measures:
        unset["measures"] = ()  # those of the study, where the figure has no option for them

    def made(**overrides: object) -> "Study":
        drawn = cast("Study", result(study, {**unset, **declared.fixed, **given, **overrides}))
        request.receive(drawn.notices)
        return drawn

    # Figures that show rankings of their study take the files, too, and how they are read.
    taken = {"qrels", "runs", *RankingOptions.__annotations__} if "qrels" in declared.takes else set()
    files = {name: request.runs if name == "runs" else value for name, value in given.items() if name in taken}
    return request.function(made if declared.deferred else made(), **files, **request.own)


def _from_curves(request: Request) -> object:
    """A function of one measure's curves."""
    from rankscale.evaluation.curves.curves import curves

    given = request.given
    wanted = options.measures_of_curves(_relevance(given), (given.pop("measure"),))
    has_ideal = not any(one.measure.looks_at for one in wanted)
    given["ideal"] = (given["ideal"] and has_ideal) or bool(request.own.get("ratio"))
    traced = curves(**{**given, "runs": request.runs}, measures=wanted)
    request.receive(traced.notices)
    return request.function(traced, **request.own)


def _from_scales(request: Request) -> object:
    """A function of the scales of measures: at their own depths, or at the lengths of rankings that are named."""
    from rankscale.scales.scale import scale

    given, declared = request.given, request.declared
    lengths, texts = given["lengths"] or declared.lengths, given["measures"] or declared.measures
    depths = [text if "@" in text else f"{text}@{length}" for text in texts for length in lengths]
    return request.function([scale(text, given["levels"]) for text in dict.fromkeys(depths)], **request.own)


def _from_two_qrels(request: Request) -> object:
    """A function of two sets of judgments, or of one, and of runs if any are given."""
    if request.given["runs"]:
        return _from_runs(request)
    rel = _relevance(request.given).rel
    given = {name: one for name, one in request.given.items() if name not in {"runs", "measures"}}
    return request.function(**given, **({} if rel is None else {"rel": rel}), **request.own)


SOURCES: Mapping[str, Callable[[Request], object]] = {
    "runs": _from_runs,
    "run": _from_runs,
    "two qrels": _from_two_qrels,
    "rankings": _from_runs,
    "optional runs": _from_runs_if_any,
    "evaluation": _from_evaluation,
    "study": _from_study,
    "curves": _from_curves,
    "scales": _from_scales,
    "nothing": lambda request: request.function(**request.own),
}
