"""`rankscale measures`: what can be asked for."""

import inspect
import textwrap
from typing import TYPE_CHECKING

import click

from rankscale.cli.options import complete_measure

if TYPE_CHECKING:
    from rankscale.measures.base import Measure


@click.command("measures")
@click.argument("name", required=False, shell_complete=complete_measure)
def command(name: str | None) -> None:
    """List the measures, or explain one: formula, parameters, limits, scale, paper.

    \b
    rankscale measures
    rankscale measures nDCG
    rankscale measures ndcg_cut_10
    """
    click.echo(_explained(name) if name else _listed())


def _listed() -> str:
    from rankscale.formats.text import aligned
    from rankscale.measures.register import find, names

    rows = [["measure", "parameters", "what it is"]]
    for name in names():
        measure = find(name)
        rows.append([_written(measure), ", ".join(_parameters(measure)), _first_line(measure)])
    shown = aligned(rows, text_columns=3)
    return (
        f"{shown}\n\n`rankscale measures NAME` explains one. trec_eval's names (map, P_10, ndcg_cut_10, all_trec) are "
        "understood too."
    )


def _explained(text: str) -> str:
    from rankscale.measures.parse import parse_all
    from rankscale.measures.register import find
    from rankscale.measures.register_table import ALIASES, CLASSES

    known = ALIASES.get(text, text)
    named = [] if known in CLASSES else parse_all([text])
    if len({type(measure) for measure in named}) > 1:
        return f"{text} stands for {len(named)} measures:\n  " + "\n  ".join(map(str, named))
    measure = type(named[0]) if named else find(known)
    low, high = measure.limits
    rows = [
        ("written", _written(measure)),
        ("also", ", ".join(measure.aliases)),
        ("formula", measure.formula),
        ("parameters", ", ".join(_parameters(measure))),
        ("limits", f"{low:g} to {high:g}"),
        (
            "recall base",
            "is used: values of different topics rest on different numbers of relevant documents"
            if measure.uses_recall_base
            else "is not used",
        ),
        ("scale", f"{measure.scale}, for a fixed depth" + (" and recall base" if measure.uses_recall_base else "")),
        (
            "topics",
            {
                "mean": "are averaged",
                "sum": "are added up",
                "geometric": "are averaged geometrically, values below 1e-5 as 1e-5",
            }[measure.summary],
        ),
        ("paper", measure.paper),
    ]
    lines = [measure.name, "", textwrap.indent(_words(measure), "  "), ""]
    lines += [
        textwrap.fill(value, 100, initial_indent=f"  {key:<12}", subsequent_indent=" " * 14)
        for key, value in rows
        if value
    ]
    return "\n".join(lines)


def _written(measure: "type[Measure]") -> str:
    if measure.after_at != "depth":
        return f"{measure.name}@{measure.after_at}"
    if not measure.takes_depth:
        return measure.name
    return f"{measure.name}@k" if measure.needs_depth else f"{measure.name}, {measure.name}@k"


def _parameters(measure: "type[Measure]") -> list[str]:
    from rankscale.measures.parameters import parameters

    return [
        name if known.default is known.empty else f"{name}={known.default}"
        for name, known in parameters(measure).items()
        if name not in {"depth", "judged_only", measure.after_at}
    ]


def _words(measure: "type[Measure]") -> str:
    """The docstring without its examples."""
    paragraphs = inspect.cleandoc(measure.__doc__ or "").split("\n\n")
    prose = [paragraph for paragraph in paragraphs if not paragraph.startswith(">>>")]
    return textwrap.fill(prose[0], 96)


def _first_line(measure: "type[Measure]") -> str:
    return (measure.__doc__ or "").strip().splitlines()[0]
