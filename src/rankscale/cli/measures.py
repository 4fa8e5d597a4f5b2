"""`rankscale measures`: the measures, listed or explained."""

import shutil
import textwrap
from typing import TYPE_CHECKING

import click

from rankscale.cli.command import declared
from rankscale.cli.options import complete_measure, flag

if TYPE_CHECKING:
    from rankscale.measures.base.measure import Measure


@declared(
    "measures",
    click.argument("texts", metavar="[NAME]...", nargs=-1, shell_complete=complete_measure),
    flag(
        "--bibtex", "Write the BibTeX entries of the papers that the measures are from; of all measures without NAME."
    ),
)
def command(texts: tuple[str, ...], *, bibtex: bool) -> None:
    """List the measures, or explain some: formula, user model, parameters, limits, bounds, ties, scale, paper.

    Command line
    ------------
      rankscale measures
      rankscale measures nDCG
      rankscale measures ndcg_cut_10
      rankscale measures --bibtex AP nDCG@10
    """
    if bibtex:
        click.echo(_bibtex(texts), nl=False)
    else:
        click.echo("\n\n".join(map(_explained, texts)) if texts else _listed())


def _bibtex(texts: tuple[str, ...]) -> str:
    from rankscale.measures.base.register import find, names
    from rankscale.measures.base.works import bibliography

    return bibliography([one for text in texts for one in _measures(text)] if texts else map(find, names()))


def _measures(text: str) -> "list[Measure] | list[type[Measure]]":
    """The measures that a text stands for, or the class that it names."""
    from rankscale.measures.base.parser import parse_all
    from rankscale.measures.base.register import find
    from rankscale.measures.base.register_table import ALIASES, CLASSES

    known = ALIASES.get(text, text)
    return [find(known)] if known in CLASSES else [*parse_all([text])]


def _wrapped(text: str, width: int, *, initial_indent: str = "", subsequent_indent: str = "") -> str:
    """The text in lines of this width; words with a hyphen, such as sub-topic, stay whole."""
    return textwrap.fill(
        text,
        width,
        initial_indent=initial_indent,
        subsequent_indent=subsequent_indent,
        break_on_hyphens=False,
    )


def _listed() -> str:
    from rankscale.measures.base import facts
    from rankscale.measures.base.register import find, names

    rows = [(", ".join(facts.forms(measure)), facts.first_line(measure)) for measure in map(find, names())]
    wide = max(len(form) for form, _ in rows)
    width = max(shutil.get_terminal_size((120, 1)).columns, wide + 30)
    shown = [
        _wrapped(words, width, initial_indent=f"{form:<{wide}}  ", subsequent_indent=" " * (wide + 2))
        for form, words in [("measure", "what it is"), *rows]
    ]
    return "\n".join(
        [
            *shown,
            "",
            "`rankscale measures NAME` explains one and its parameters. Names are understood in any case, and so are",
            "those of trec_eval (map, P_10, ndcg_cut_10, all_trec), ranx, BEIR, MTEB, torchmetrics and Elasticsearch.",
        ]
    )


def _explained(text: str) -> str:
    from rankscale.measures.base import facts
    from rankscale.measures.base.other_names import known_name
    from rankscale.measures.base.parser import parse_all
    from rankscale.measures.base.register import find
    from rankscale.measures.base.register_table import CLASSES

    known = known_name(text) or text
    named = [] if known in CLASSES else parse_all([text])
    if len({type(measure) for measure in named}) > 1:
        return f"{text} stands for {len(named)} measures:\n  " + "\n  ".join(map(str, named))
    measure = type(named[0]) if named else find(known)
    lines = [measure.name, "", textwrap.indent(_wrapped(facts.words(measure)[0][0], 96), "  "), ""]
    lines += [
        _wrapped(value, 100, initial_indent=f"  {key:<12}", subsequent_indent=" " * 14)
        for key, value in facts.facts(measure, named[0] if named else None)
    ]
    given = [one for one in facts.parameter_facts(measure) if one.name != measure.at_parameter and one.meaning]
    lines += [""] * bool(given) + [
        _wrapped(one.meaning, 100, initial_indent=f"  {one.name:<12}", subsequent_indent=" " * 14) for one in given
    ]
    return "\n".join(lines)
