"""Options that several commands share, and how their texts become values."""

import math
import re
from collections.abc import Callable
from dataclasses import replace
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rankscale.measures.base.measure import Measure
    from rankscale.tracing.request import CurveAsked

Command = TypeVar("Command", bound=Callable[..., Any])

SIZES = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


class Mapped(click.ParamType[Any]):
    """`0,1,10` (one for each grade from 0 on), `1=3,2=9` (a map), or a word that is allowed."""

    def __init__(self, *words: str) -> None:
        self.words = words
        self.name = "LIST"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """The list, map or word."""
        if not isinstance(value, str) or value in self.words:
            return value
        try:
            if "=" in value:
                pairs = (part.split("=") for part in value.split(","))
                return {float(grade): float(worth) for grade, worth in pairs}
            return [float(part) for part in value.split(",")]
        except ValueError:
            words = "".join(f", or {word}" for word in self.words)
            self.fail(f"expected a list such as 0,1,10 or a map such as 1=3,2=9{words}, found {value!r}", param, ctx)


class Size(click.ParamType[int]):
    """Bytes, with k, M, G or T."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ANN401
        """The number of bytes."""
        found = re.fullmatch(r"(\d+(?:\.\d*)?)([kmgt]?)b?", str(value).lower())
        if found is None:
            self.fail(f"expected a size such as 500M or 20G, found {value!r}", param, ctx)
        return int(float(found[1]) * SIZES.get(found[2], 1))


class Finite(click.ParamType[float]):
    """A number, neither infinite nor NaN."""

    name = "NUMBER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        """The number."""
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            self.fail(f"expected a number, found {value!r}", param, ctx)
        return number


class Share(click.ParamType[float]):
    """A number between 0 and 1, neither of them."""

    name = "SHARE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        """The number."""
        try:
            share = float(value)
        except ValueError:
            share = math.nan
        if not 0 < share < 1:
            self.fail(f"expected a number between 0 and 1, found {value!r}", param, ctx)
        return share


class Numbers(click.ParamType[Any]):
    """Numbers apart by commas."""

    def __init__(self, *, whole: bool = False) -> None:
        self.whole = whole
        self.name = "LIST"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ANN401
        """The numbers."""
        if not isinstance(value, str):
            return value
        try:
            return tuple((int if self.whole else float)(part) for part in value.split(",") if part.strip())
        except ValueError:
            example = "10,100" if self.whole else "0.5,0.95"
            self.fail(f"expected {'whole ' * self.whole}numbers such as {example}, found {value!r}", param, ctx)


def check_standard_input(qrels: str, runs: tuple[str, ...]) -> None:
    """Refuse to read standard input twice: the second time it would seem empty."""
    if (qrels, *runs).count("-") > 1:
        raise click.UsageError("standard input can be read only once: give - for the qrels or for one run")


def complete_measure(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:  # noqa: ARG001
    """Names of measures that start like this."""
    from rankscale.measures.base.register import names

    return [name for name in names() if name.lower().startswith(incomplete.lower())]


def _is_left_open(measure: "Measure", name: str, text: str) -> bool:
    """Whether a measure takes this parameter, and the text that asked for the measure does not give it."""
    field = type(measure).__dataclass_fields__.get(name)
    return field is not None and getattr(measure, name) == field.default and f"{name}=" not in text.replace(" ", "")


def with_shared(measure: "Measure", text: str, shared: dict[str, Any]) -> "Measure":
    """The measure with the parameters shared by all (--rel, --gains) that it takes and its text did not give."""
    # Gains are meant for measures of graded gain; where relevance alone counts unless gains are given, it goes on to.
    takes = {"rel": measure.threshold is not None, "gains": measure.graded}
    lacking: dict[str, Any] = {
        name: value
        for name, value in shared.items()
        if value is not None and takes[name] and _is_left_open(measure, name, text)
    }
    return replace(measure, **lacking)


def measures_asked(texts: tuple[str, ...], shared: dict[str, Any]) -> "tuple[Measure, ...]":
    """The measures asked for; --rel and --gains go to those that take them and were not given their own."""
    from rankscale.measures.base.parser import parse_all

    found = (with_shared(measure, text, shared) for text in texts for measure in parse_all([text]))
    return tuple(dict.fromkeys(found))


def curves_asked(texts: tuple[str, ...], shared: dict[str, Any]) -> "list[CurveAsked]":
    """The measures whose curves are asked for; --rel and --gains as in `measures_asked`."""
    from rankscale.tracing.request import asked_for

    return [replace(one, measure=with_shared(one.measure, text, shared)) for text in texts for one in asked_for(text)]


def together(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one."""
    return lambda command: reduce(lambda wrapped, option: option(wrapped), reversed(options), command)


files = together(
    click.argument("qrels", metavar="QRELS", type=click.Path(allow_dash=True)),
    click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path(allow_dash=True)),
)

measures = click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    shell_complete=complete_measure,
    help="nDCG@10, AP(rel=2), RBP(p=0.9) ..., or in trec_eval's spelling (ndcg_cut_10, all_trec). Repeats.",
)


def one_measure(default: str, about: str) -> Callable[[Command], Command]:
    """The measure of a command that looks at one."""
    return click.option(
        "-m",
        "--measure",
        default=default,
        show_default=True,
        metavar="MEASURE",
        shell_complete=complete_measure,
        help=about,
    )


reading = together(
    click.option(
        "--order",
        type=click.Choice(["score", "score64", "rank", "file"]),
        default="score",
        show_default=True,
        help="What orders a ranking: the score in 32 bits (trec_eval 9) or 64 (10), the rank column, or the file.",
    ),
    click.option(
        "--threads", type=click.IntRange(min=1), metavar="N", help="Files read at once; all cores by default."
    ),
    click.option(
        "--max-size",
        type=Size(),
        help="Most bytes a file may unpack to, such as 50G. By default 250 times its packed size.",
    ),
)

relevance = click.option(
    "--rel",
    type=Finite(),
    metavar="G",
    help="Lowest grade that is relevant, for all measures that take it; 1 by default.",
)

gains = click.option(
    "--gains",
    type=Mapped("exp", "linear"),
    help="What grades are worth to measures with gains: 0,1,10 or 1=3,2=9 or exp or linear.",
)

grades = together(
    click.option(
        "--grades", type=Mapped(), help="Grades mapped before anything else: -2=0,4=3, or 0,0,1,1 for grades 0 to 3."
    ),
    click.option(
        "--negative",
        type=click.Choice(["unjudged", "not relevant"]),
        default="unjudged",
        show_default=True,
        help="What a negative grade means.",
    ),
)

judged_only = click.option("--judged-only", is_flag=True, help="Take unjudged documents out of every ranking first.")

grading = together(relevance, gains, grades, judged_only)

grading_without_gains = together(relevance, grades, judged_only)  # of relative positions, which look at grades alone

cut = click.option("--depth", type=click.IntRange(min=1), metavar="K", help="Cut every ranking at K first.")

judging = together(grading, cut)

common = click.option(
    "--common", is_flag=True, help="Only topics that all runs have; by default missing ones are empty."
)

scaling = together(
    click.option("--universe", type=click.Choice(["all", "feasible"]), help="All rankings, or those a topic allows."),
    click.option(
        "--method",
        type=click.Choice(["auto", "exact", "certified", "estimated"]),
        default="auto",
        show_default=True,
        help="How ranks are counted.",
    ),
    click.option(
        "--deduplicate",
        type=click.Choice(["exact", "float"]),
        default="exact",
        show_default=True,
        help="How values of AP are told apart; as floating-point sums, as published tables did.",
    ),
)

uncertainty = together(
    click.option("--bounds", is_flag=True, help="Add how far unjudged documents could move each value."),
    click.option(
        "--ties",
        type=click.Choice(["trec", "expected", "range"]),
        default="trec",
        show_default=True,
        help="Documents with equal scores: in trec_eval's order, the mean over all orders, or the range over them.",
    ),
)


def writing(*forms: str) -> Callable[[Command], Command]:
    """Options on the form of what is written, and where to."""
    return together(
        click.option(
            "--format", "form", type=click.Choice(forms), help="By default a table, or what the file's ending says."
        ),
        click.option(
            "--places",
            type=click.IntRange(0, 17),
            metavar="N",
            help="Decimal places; 4 in tables, all digits in tsv, csv, json, jsonl.",
        ),
        click.option("-o", "--output", metavar="FILE", help="Write here; the file is whole or not there."),
    )
