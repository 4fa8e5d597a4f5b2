"""Options that several commands share, declared once, and the measures that a command line names."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Literal, TypedDict

import click

from rankscale.cli import values
from rankscale.cli.command import Option

if TYPE_CHECKING:
    from rankscale.measures.base.measure import Measure
    from rankscale.tracing.request import CurveRequest

Missing = Literal["zero", "skip", "common", "error"]
CORRECTIONS = ("none", "bonferroni", "holm", "bh", "by")


class Reading(TypedDict):
    """How runs are read: keywords of every verb."""

    order: str
    threads: int | None
    max_size: int | None


class Grading(Reading):
    """How grades are taken, too."""

    grades: list[float] | dict[float, float] | None
    negative: str
    judged_only: bool


class Cutting(Grading):
    """Where rankings are cut, too."""

    depth: int | None


class Judging(Cutting):
    """Which topics count, too: all keywords that evaluate() takes as they are."""

    missing: Missing


class Shared(TypedDict):
    """Parameters that go to all measures that take them."""

    rel: float | None
    gains: values.Gains | None


def together(*options: Option) -> Option:
    """Several options as one."""
    return lambda command: reduce(lambda wrapped, option: option(wrapped), reversed(options), command)


def complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001
    """Names of measures that start like this."""
    from rankscale.measures.base.register import names

    return [name for name in names() if name.lower().startswith(incomplete.lower())]


def choice(flag: str, choices: Sequence[str], about: str, default: str | None = None, shown: str = "") -> Option:
    """An option with a few values, the default among them or described by `shown`."""
    return click.option(flag, type=click.Choice(choices), default=default, show_default=shown or True, help=about)


def measures(defaults: Sequence[str]) -> Option:
    """The measures of a command that takes several."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        shell_complete=complete_measure,
        show_default=", ".join(defaults),
        help="Measure, such as nDCG@10, AP(rel=2), RBP(p=0.9), or in trec_eval's spelling (ndcg_cut_10, all_trec). "
        "May be given several times.",
    )


def one_measure(default: str, about: str) -> Option:
    """The measure of a command that takes one."""
    return click.option(
        "-m",
        "--measure",
        default=default,
        show_default=True,
        metavar="MEASURE",
        shell_complete=complete_measure,
        help=about,
    )


def _file(name: str, metavar: str, *, several: bool = False, required: bool = True) -> Option:
    return click.argument(
        name, metavar=metavar, nargs=-1 if several else 1, required=required, type=click.Path(allow_dash=True)
    )


files = together(_file("qrels", "QRELS"), _file("runs", "RUN...", several=True))
one_run = together(_file("qrels", "QRELS"), _file("run", "RUN"))
optional_files = together(
    _file("qrels", "[QRELS", required=False), _file("runs", "RUN...]", several=True, required=False)
)
FILES: Mapping[str, Option] = {  # by what a declared command is made from
    **dict.fromkeys(("runs", "evaluation", "curves", "study"), files),
    "run": one_run,
    "optional runs": optional_files,
}

order = click.option(
    "--order",
    type=click.Choice(["score", "score64", "rank", "file"]),
    default="score",
    show_default=True,
    help="What orders a ranking: the score in 32 bits (as trec_eval 9) or 64 (as 10), the rank column, or the file.",
)
threads = click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    show_default="all cores",
    help="How many files to read at once.",
)
max_size = click.option(
    "--max-size",
    type=values.SIZE,
    show_default="250 times the packed size",
    help="Largest size a file may unpack to, such as 50G.",
)
reading = together(order, threads, max_size)

relevance = click.option(
    "--rel",
    type=values.NUMBER,
    metavar="G",
    show_default="1",
    help="Lowest relevant grade, for all measures that take one.",
)
gains = click.option(
    "--gains",
    type=values.GAINS,
    show_default="each measure's own",
    help="Gain of each grade, for measures with gains: 0,1,10 (for grades 0, 1, 2) or 1=3,2=9 or exp or linear.",
)
grades = together(
    click.option(
        "--grades",
        type=values.GRADE_MAP,
        show_default="as they are",
        help="Map grades before anything else: -2=0,4=3, or 0,0,1,1 for grades 0 to 3.",
    ),
    choice("--negative", ["unjudged", "not relevant"], "What a negative grade means.", "unjudged"),
)
judged_only = click.option("--judged-only", is_flag=True, help="Remove unjudged documents from every ranking first.")
cut = click.option(
    "--depth",
    type=click.IntRange(min=1),
    metavar="K",
    show_default="whole rankings",
    help="Cut every ranking at rank K first.",
)
grading = together(relevance, gains, grades, judged_only)
judging = together(grading, cut)

MISSING = "Topics that a run lacks: zero (an empty ranking), common (only topics that all runs have), "

missing = click.option(
    "--missing",
    type=click.Choice(["zero", "common", "error"]),
    default="zero",
    show_default=True,
    help=f"{MISSING}error.",
)

missing_of_runs = click.option(
    "--missing",
    type=click.Choice(["zero", "skip", "common", "error"]),
    default="zero",
    show_default=True,
    help=f"{MISSING}skip (left out of the run's means), error.",
)

top = click.option(
    "--top",
    type=values.SHARE,
    show_default="all runs",
    help="Use only this share of the runs, the best by mean AP, and all tied with the last of them.",
)
scaling = together(
    choice(
        "--universe",
        ["all", "feasible"],
        "Rankings that the scale is over: all, or those that a topic's documents allow.",
        shown="feasible where a measure depends on the recall base",
    ),
    choice("--method", ["auto", "exact", "certified", "estimated"], "How ranks are counted.", "auto"),
    choice(
        "--deduplicate",
        ["exact", "float"],
        "How values of AP are told apart: exactly, or as floating-point sums, as published tables did.",
        "exact",
    ),
)
uncertainty = together(
    click.option("--bounds", is_flag=True, help="Add how far unjudged documents could move each value."),
    choice(
        "--ties",
        ["trec", "expected", "range"],
        "Documents with equal scores: in trec_eval's order, the mean over all orders, or the range over them.",
        "trec",
    ),
)
alpha = click.option("--alpha", type=values.SHARE, default=0.05, show_default=True, help="Significance level.")
confidence = click.option(
    "--confidence", type=values.SHARE, default=0.95, show_default=True, help="Confidence level of intervals."
)
seed = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed for resampling."
)
correction = choice(
    "--correction",
    CORRECTIONS,
    "Correction for multiple comparisons.",
    shown="holm; none for tests that correct by themselves",
)
output = click.option(
    "-o", "--output", metavar="FILE", show_default="standard output", help="Write to FILE (atomically)."
)


def writing(*forms: str) -> Option:
    """Options about the form of what is written, and where to."""
    return together(
        click.option(
            "--format",
            "written_as",
            type=click.Choice(forms),
            show_default="table, or by the ending of FILE",
            help="Form of the output.",
        ),
        click.option(
            "--digits",
            type=click.IntRange(0, 17),
            metavar="N",
            show_default="4 in tables, all in other forms",
            help="Decimal places.",
        ),
        output,
    )


SHARED: Mapping[str, Option] = {  # as declarations name them
    "missing": missing,
    "missing_of_runs": missing_of_runs,
    "relevance": relevance,
    "gains": gains,
    "grades": grades,
    "judged_only": judged_only,
    "cut": cut,
    "judging": judging,
    "grading": grading,
    "scaling": scaling,
    "top": top,
    "reading": reading,
}


def measures_requested(texts: Sequence[str], shared: Shared) -> "tuple[Measure, ...]":
    """The measures; --rel and --gains go to those that take them and were not given their own."""
    from rankscale.measures.base.parser import parse_all

    read = (_with_shared(measure, text, shared) for text in texts for measure in parse_all([text]))
    return tuple(dict.fromkeys(read))


def one_measure_requested(text: str, shared: Shared, flag: str = "--measure") -> "Measure":
    """The measure of an option that takes one."""
    measures = measures_requested((text,), shared)
    if len(measures) != 1:
        raise click.UsageError(f"{flag} is one measure, and {text} names {len(measures)}")
    return measures[0]


def curves_requested(texts: Sequence[str], shared: Shared) -> "list[CurveRequest]":
    """The measures whose curves are asked for; --rel and --gains as in `measures_requested`."""
    from rankscale.tracing.request import curve_requests

    return [
        replace(one, measure=_with_shared(one.measure, text, shared)) for text in texts for one in curve_requests(text)
    ]


def _with_shared(measure: "Measure", text: str, shared: Shared) -> "Measure":
    # Gains are meant for measures of graded gain; where relevance alone counts unless gains are given, it goes on to.
    takes = {"rel": measure.threshold is not None, "gains": measure.graded}
    lacking: dict[str, object] = {
        name: value
        for name, value in shared.items()
        if value is not None and takes[name] and _is_left_open(measure, name, text)
    }
    return replace(measure, **lacking)  # type: ignore[arg-type]  # each measure has its own


def _is_left_open(measure: "Measure", name: str, text: str) -> bool:
    """Whether a measure takes this parameter, and the text that names the measure does not give it."""
    field = type(measure).__dataclass_fields__.get(name)
    return field is not None and getattr(measure, name) == field.default and f"{name}=" not in text.replace(" ", "")
