"""Write the pages that the sources know better: docs/measures.md and docs/commands.md.

Run without arguments after changing a measure or a command; `--check` writes nothing and ends with exit code 1 where a
page is not what the sources say. mkdocs loads this file as a hook, which makes CONTRIBUTING.md a page of the site.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from rankscale.cli import COMMANDS, cli
from rankscale.measures.base import Measure, written
from rankscale.measures.parameters import parameters
from rankscale.measures.parse import parse
from rankscale.measures.register import find
from rankscale.measures.register_table import CLASSES
from rankscale.measures.trec_names import ENTRIES, TrecName
from rankscale.trec_eval.asked import OWN

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
WIDTH = 78  # what click takes of a terminal of 80 columns
MADE = "<!-- Made by tools/make_docs.py from the sources: `make docs` writes it anew. -->\n"
COUNTED = {"mean": "mean", "sum": "sum", "geometric": "geometric mean"}

MEASURES = """\
# Measures

{made}
Every measure in the register. `k` is a depth (in the formula of `Bpref` alone it is a parameter); a measure without
one reads the whole ranking. RB, the recall base, is the number of relevant documents in a topic's qrels; relevant means
a grade of at least `rel`. Every measure also takes `judged_only=True`, which takes unjudged documents out of the
ranking first. `rankscale measures NAME` says the same in a terminal, and [Evaluating](guide/evaluating.md) shows how
measures are asked for.

{formulas}

## What the values are

*Limits* are the least and the greatest value. *Scale* is that of the values for a fixed depth and, where the measure
uses it, a fixed recall base: differences mean something on an interval scale, and on an ordinal one only the order
does. *Topics* says how the values of topics become one number.

{properties}

## Names of trec_eval

In the order in which trec_eval prints them; `k` is a depth, `x` another number. A name with a measure beside it is
understood wherever a measure is asked for, as it is printed (`P_10`) and as trec_eval takes it (`P.5,10`); gains are
written `ndcg.1=3,2=9`. The names `official`, `all_trec` and `set` stand for those of their measures that are here.

{names}
"""

COMMANDS_PAGE = """\
# Commands

{made}
What each command says about itself with `--help`.

{helps}
"""


def measures_page() -> str:
    """The tables of all measures that are part of rankscale."""
    measures = [find(name) for name in CLASSES]
    formulas = [
        [_code(_forms(m)), f"`{m.formula}`", _code(_parameters(m)), _code(_trec_names(m)), m.paper] for m in measures
    ]
    properties = [[f"`{m.name}`", _limits(m), _yes(m.uses_recall_base), m.scale, COUNTED[m.summary]] for m in measures]
    names = [[f"`{_printed(entry)}`", _here(entry), "10" if entry.since == 10 else "9, 10"] for entry in ENTRIES]
    return MEASURES.format(
        made=MADE,
        formulas=_table(["measure", "formula", "parameters", "in trec_eval", "paper"], formulas),
        properties=_table(["measure", "limits", "recall base", "scale", "topics"], properties),
        names=_table(["trec_eval", "here", "versions"], names),
    )


def commands_page() -> str:
    """The help of all commands, as click prints it."""
    helps = [f"## rankscale {name}".rstrip() + f"\n\n```text\n{_help(name)}```\n" for name in ("", *COMMANDS)]
    return COMMANDS_PAGE.format(made=MADE, helps="\n".join(helps).rstrip())


PAGES: dict[str, Callable[[], str]] = {"measures.md": measures_page, "commands.md": commands_page}


def _forms(measure: type[Measure]) -> list[str]:
    if measure.after_at != "depth":
        return [f"{measure.name}@{measure.after_at}"]
    bare = [] if measure.needs_depth else [measure.name]
    return [*bare, f"{measure.name}@k"] if measure.takes_depth else bare


def _parameters(measure: type[Measure]) -> list[str]:
    shared = {"depth", "judged_only", measure.after_at}
    return [
        name if parameter.default is Parameter.empty else f"{name}={written(parameter.default)}"
        for name, parameter in parameters(measure).items()
        if name not in shared
    ]


def _trec_names(measure: type[Measure]) -> list[str]:
    return [_printed(entry) for entry in ENTRIES if _measure(entry) is measure]


def _measure(entry: TrecName) -> type[Measure] | None:
    text = entry.measure or entry.template.format(1)
    return type(parse(text)) if text else None


def _printed(entry: TrecName) -> str:
    return entry.name + {"ints": "_k", "floats": "_x"}.get(entry.parameters, "")


def _here(entry: TrecName) -> str:
    ours = entry.measure or entry.template.format("k" if entry.parameters == "ints" else "x")
    if ours:
        return f"`{ours}`"
    return "in `rankscale trec_eval` only" if entry.name in OWN else "yet to come"


def _limits(measure: type[Measure]) -> str:
    low, high = measure.limits
    return f"{low:g} to {high:g}"


def _yes(flag: bool) -> str:  # noqa: FBT001  # a word for a flag
    return "used" if flag else "not used"


def _code(texts: Iterable[str]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _help(name: str) -> str:
    asked = [name, "--help"] if name else ["--help"]
    return CliRunner().invoke(cli, asked, prog_name="rankscale", terminal_width=WIDTH, catch_exceptions=False).stdout


def drifted(docs: Path) -> list[Path]:
    """The pages that are not what the sources say."""
    pages = {docs / name: make() for name, make in PAGES.items()}
    return [path for path, text in pages.items() if not path.exists() or path.read_text(encoding="utf-8") != text]


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """For mkdocs: CONTRIBUTING.md, which stands outside the folder of the pages, is a page too."""
    from mkdocs.structure.files import File  # absent where no site is built

    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("](docs/", "](")
    files.append(File.generated(config, "contributing.md", content=text))
    return files


def main() -> int:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 1 if a page is out of date")
    check = parser.parse_args().check
    stale = drifted(DOCS)
    for path in stale:
        if check:
            print(f"docs/{path.name} is not what the sources say; `make docs` writes it anew", file=sys.stderr)
        else:
            path.write_text(PAGES[path.name](), encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
