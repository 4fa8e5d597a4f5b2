"""`rankscale measures`: the measures, listed or explained."""

import shutil
import textwrap
from typing import TYPE_CHECKING

import click

from rankscale.cli.command import declared
from rankscale.cli.options import complete_measure, flag

if TYPE_CHECKING:
    from rankscale.measures.base.measure import Measure

WIDTH = 100  # characters of a line
MORE = (
    "`rankscale measures NAME` explains one and its parameters. Names are understood in any case, and so are\n"
    "those of trec_eval (map, P_10, ndcg_cut_10, all_trec), ranx, BEIR, MTEB, torchmetrics and Elasticsearch."
)


@declared(
    "measures",
    click.argument("texts", metavar="[NAME]...", nargs=-1, shell_complete=complete_measure),
    flag(
        "--bibtex", "Write the BibTeX entries of the papers that the measures are from; of all measures without NAME."
    ),
    computes=False,
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
    from rankscale.measures.base.facts import bibliography
    from rankscale.measures.base.register import find, names

    return bibliography([one for text in texts for one in _measures(text)] if texts else map(find, names()))


def _measures(text: str) -> "list[Measure] | list[type[Measure]]":
    """The measures that a text stands for, or the class that it names."""
    from rankscale.measures.base.parser import parse_all
    from rankscale.measures.base.register import find
    from rankscale.measures.base.register_table import ALIASES, CLASSES

    known = ALIASES.get(text, text)
    return [find(known)] if known in CLASSES else [*parse_all([text])]


def _listed() -> str:
    from rankscale.cli.terminal import screen_of_output
    from rankscale.measures.base import facts
    from rankscale.measures.base.register import find, names
    from rankscale.outputs.blocks import PrintedFacts, prose

    rows = [(", ".join(facts.forms(measure)), facts.first_line(measure)) for measure in map(find, names())]
    wide = max(len(form) for form, _ in rows)
    screen = screen_of_output()
    width = screen.width or max(shutil.get_terminal_size((120, 1)).columns, wide + 30)
    listed = [("measure", "what it is"), *rows]
    if screen.width is not None and width < wide + 40:  # too narrow for two columns
        shown = [
            f"{form}\n{textwrap.indent(textwrap.fill(words, width - 4, break_on_hyphens=False), '    ')}"
            for form, words in listed[1:]
        ]
    else:
        shown = PrintedFacts(listed, wide + 2, width).lines(screen)
    return "\n".join([*shown, "", prose(MORE if screen.width is None else MORE.replace("\n", " "), screen)])


def _explained(text: str) -> str:
    from rankscale.cli.terminal import screen_of_output
    from rankscale.measures.base import facts
    from rankscale.measures.base.parser import parse_all
    from rankscale.measures.base.register import find, known_name
    from rankscale.measures.base.register_table import CLASSES
    from rankscale.outputs.blocks import PrintedFacts

    known = known_name(text) or text
    named = [] if known in CLASSES else parse_all([text])
    if len({type(measure) for measure in named}) > 1:
        return f"{text} stands for {len(named)} measures:\n  " + "\n  ".join(map(str, named))
    measure = type(named[0]) if named else find(known)
    screen = screen_of_output()
    width = min(WIDTH, screen.width or WIDTH)
    about = textwrap.indent(textwrap.fill(facts.words(measure)[0][0], width - 4, break_on_hyphens=False), "  ")
    known_facts = PrintedFacts(list(facts.facts(measure, named[0] if named else None)), 12, WIDTH, "  ").lines(screen)
    given = [one for one in facts.parameter_facts(measure) if one.name != measure.at_parameter and one.meaning]
    meanings = PrintedFacts([(one.name, one.meaning) for one in given], 12, WIDTH, "  ").lines(screen)
    return "\n".join([measure.name, "", about, "", *known_facts, *[""] * bool(given), *meanings])
