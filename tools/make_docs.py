"""Write the pages that the sources know better.

These are docs/measures.md with one page for each measure, docs/commands.md, and docs/api.md with its parts. Run
without arguments after changing a measure, a command or a docstring; `--check` writes nothing and ends with exit code 1
where a page is not what the sources say. mkdocs loads this file as a hook, which makes CONTRIBUTING.md a page.
"""

import argparse
import ast
import doctest
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from click.testing import CliRunner

from rankscale.cli.figure import FIGURES
from rankscale.cli.program import cli, commands
from rankscale.errors import UnknownNameError
from rankscale.measures.base import facts
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import CLASSES
from rankscale.measures.base.trec_names import ENTRIES, TrecName
from rankscale.trec_eval.measure_columns import OWN

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
WIDTH = 78  # what click takes of a terminal of 80 columns
MADE = "<!-- Made by tools/make_docs.py from the sources: `make docs` writes it anew. -->\n"
FOLDER = "measures"  # of the pages of measures
CODE = {"written", "as in", "also", "trec_eval", "ir_measures", "formula"}  # what is shown as it is typed
COUNTED = {"mean": "mean", "sum": "sum", "geometric": "geometric mean"}

MEASURES = """\
# Measures

{made}
Every measure in the register. `k` is a depth (in the formula of `Bpref` alone it is a parameter); a measure without
one reads the whole ranking. RB, the recall base, is the number of relevant documents in a topic's qrels; relevant means
a grade of at least `rel`. Every measure also takes `judged_only=True`, which takes unjudged documents out of the
ranking first. Each measure has a page of its own. `rankscale measures NAME` says the same in a terminal, and
[Evaluating](guide/evaluating.md) shows how measures are given.

{formulas}

## What the values are

*Limits* are the least and the greatest value. *Scale* is that of the values for a fixed depth and, where the measure
uses it, a fixed recall base: differences mean something on an interval scale, and on an ordinal one only the order
does. *Topics* says how the values of topics become one number.

{properties}

## Names of trec_eval

In the order in which trec_eval prints them; `k` is a depth, `x` another number. A name with a measure here is
understood wherever a measure is given, as it is printed (`P_10`) and as trec_eval takes it (`P.5,10`); gains are
written `ndcg.1=3,2=9`. The names `official`, `all_trec` and `set` stand for those of their measures that are here.

{names}
"""

MEASURE = """\
# {name}

{made}
{summary}

| | |
|---|---|
{facts}

{parameters}{examples}[All measures](../measures.md)
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
    places = file_names()
    formulas = [
        [
            _linked(m, places[m.name]),
            f"`{m.formula}`",
            _code(map(str, _own_parameters(m))),
            _code(facts.trec_names(m)),
            m.paper,
        ]
        for m in measures
    ]
    properties = [
        [f"`{m.name}`", facts.limits(m), _yes(m.uses_recall_base), m.scale, COUNTED[m.summary]] for m in measures
    ]
    names = [[f"`{facts.printed(entry)}`", _here(entry), "10" if entry.since == 10 else "9, 10"] for entry in ENTRIES]
    return MEASURES.format(
        made=MADE,
        formulas=_table(["measure", "formula", "parameters", "in trec_eval", "paper"], formulas),
        properties=_table(["measure", "limits", "recall base", "scale", "topics"], properties),
        names=_table(["trec_eval", "here", "versions"], names),
    )


def file_names(classes: dict[str, str] = CLASSES) -> dict[str, str]:
    """The page of each measure: its name in small letters, and where two are then the same the module's before it.

    Some disks do not tell small letters from capitals, so no two pages may differ in them alone.
    """
    small = Counter(name.casefold() for name in classes)
    pages = {}
    for name, place in classes.items():
        module = place.partition(":")[0].rpartition(".")[2]
        pages[name] = f"{name.casefold()}.md" if small[name.casefold()] == 1 else f"{module}-{name.casefold()}.md"
    clashes = [page for page, count in Counter(pages.values()).items() if count > 1]
    if clashes:
        raise SystemExit(f"two measures would have the page {', '.join(clashes)}; put them into modules of their own")
    return pages


def measure_page(measure: type[Measure]) -> str:
    """All there is to say of one measure, with the examples of its docstring."""
    cells = {
        "written": _code(facts.forms(measure)),
        "as in": f"`{measure.example}`" if measure.example else "",
        "also": _code(facts.other_spellings(measure)),
        "trec_eval": _code(facts.trec_names(measure)),
        "ir_measures": _code(ir_measures_names(measure)),
        "formula": f"`{measure.formula}`".replace("|", "\\|"),
    }
    cells |= {word: text for word, text in facts.facts(measure) if word not in {*cells, "parameters"}}
    parameters = facts.parameter_facts(measure)
    limited = any(one.limits for one in parameters)
    rows = [f"| {word} | {text if word in CODE else _prose(text)} |" for word, text in cells.items() if text]
    given = [
        [
            f"`{one.name}`",
            _prose(one.meaning),
            "must be given" if one.default is None else f"`{one.default}`",
            one.kind,
            *([one.limits] if limited else []),
        ]
        for one in parameters
    ]
    table = _table(["parameter", "what it means", "default", "kind", *(["limits"] if limited else [])], given)
    summary, *rest = facts.words(measure)
    return MEASURE.format(
        name=measure.name,
        made=MADE,
        summary=_prose(summary[0]),
        facts="\n".join(rows),
        parameters=f"## Parameters\n\n{table}\n\n" if given else "",
        examples="## Examples\n\n" + "".join(_examples(measure, rest)) if rest else "",
    )


def _examples(measure: type[Measure], paragraphs: Sequence[tuple[str, bool]]) -> Iterator[str]:
    """The paragraphs of a docstring; the first example imports what the measure's file has at hand."""
    module = import_module(measure.__module__)
    imports = _imports("\n".join(text for text, is_example in paragraphs if is_example), module)
    for text, is_example in paragraphs:
        if is_example:
            yield f"```pycon\n{imports}{text}\n```\n\n"
            imports = ""
        else:
            yield f"{_prose(text)}\n\n"


def _imports(examples: str, module: ModuleType) -> str:
    """What a reader has to import that a doctest finds in its own file."""
    source = "".join(example.source for example in doctest.DocTestParser().get_examples(examples))
    nodes = list(ast.walk(ast.parse(source)))
    made = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    made |= {alias.asname or alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    used = {node.id for node in nodes if isinstance(node, ast.Name)} - made
    lines = []
    for name in sorted(used & vars(module).keys()):
        thing = vars(module)[name]
        if isinstance(thing, ModuleType):
            lines.append(f"import {thing.__name__}" + (f" as {name}" if name != thing.__name__ else ""))
        else:
            lines.append(f"from {getattr(thing, '__module__', module.__name__)} import {name}")
    return "".join(f">>> {line}\n" for line in lines)


def ir_measures_names(measure: type[Measure]) -> list[str]:
    """What ir_measures calls it, by the table that users of ir_measures find in the guide."""
    page = (ROOT / "docs" / "guide" / "from-other-tools.md").read_text(encoding="utf-8")
    rows = page.partition("\n| ir_measures | rankscale |\n|---|---|\n")[2].partition("\n\n")[0].splitlines()
    names = []
    for row in rows:
        theirs, ours = (re.findall(r"`([^`]+)`", cell) for cell in row.strip("| ").split(" | "))
        for their, our in zip(theirs, ours * len(theirs) if len(ours) == 1 else ours, strict=True):
            try:
                same = type(parse(our)) is measure
            except UnknownNameError:
                same = False
            if same:
                names.append(their)
    return list(dict.fromkeys(names))


def commands_page() -> str:
    """The help of all commands, as click prints it."""
    names = ["", *(one for name in commands() for one in (name, *(f"{name} {figure}" for figure in _members(name))))]
    helps = [f"## rankscale {name}".rstrip() + f"\n\n```text\n{_help(name)}```\n" for name in names]
    return COMMANDS_PAGE.format(made=MADE, helps="\n".join(helps).rstrip())


def _members(name: str) -> Iterable[str]:
    """The commands within a command."""
    return FIGURES if name == "figure" else ()


def pages() -> dict[str, str]:
    """Every page that is made, by its place in the folder of pages."""
    if str(ROOT) not in sys.path:  # run as a script, there is only the folder of the script
        sys.path.append(str(ROOT))
    from tools.api_page import api_pages

    made = {"measures.md": measures_page(), "commands.md": commands_page()}
    return (
        made | api_pages(MADE) | {f"{FOLDER}/{page}": measure_page(find(name)) for name, page in file_names().items()}
    )


def _own_parameters(measure: type[Measure]) -> list[facts.ParameterFacts]:
    return [one for one in facts.parameter_facts(measure) if one.name != measure.at_parameter]


def _linked(measure: type[Measure], page: str) -> str:
    first, *others = facts.forms(measure)
    return ", ".join([f"[`{first}`]({FOLDER}/{page})", *(f"`{form}`" for form in others)])


def _prose(text: str) -> str:
    """Words that Markdown shows as they are; what stands between backticks is code already."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(
        piece if place % 2 else re.sub(r"([*_<>\[\]|#])", r"\\\1", piece) for place, piece in enumerate(pieces)
    )


def _here(entry: TrecName) -> str:
    ours = entry.measure or entry.template.format("k" if entry.parameters == "ints" else "x")
    if ours:
        return f"`{ours}`"
    return "in `rankscale trec_eval` only" if entry.name in OWN else "yet to come"


def _yes(flag: bool) -> str:  # noqa: FBT001  # a word for a flag
    return "used" if flag else "not used"


def _code(texts: Iterable[str]) -> str:
    return ", ".join(f"`{text}`" for text in texts)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _help(name: str) -> str:
    arguments = [*name.split(), "--help"]
    return (
        CliRunner().invoke(cli, arguments, prog_name="rankscale", terminal_width=WIDTH, catch_exceptions=False).stdout
    )


def drifted(docs: Path) -> dict[Path, str | None]:
    """The pages that are not what the sources say, and what they should be; None for those that should not be."""
    wanted = {docs / name: text for name, text in pages().items()}
    stale: dict[Path, str | None] = {
        path: text for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    }
    folders = {path.parent for path in wanted} - {docs}
    return stale | {path: None for folder in sorted(folders) for path in folder.glob("*.md") if path not in wanted}


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
    for path, text in stale.items():
        name = path.relative_to(DOCS).as_posix()
        if check and text is None:
            print(f"docs/{name} is of nothing that exists; `make docs` deletes it", file=sys.stderr)
        elif check:
            print(f"docs/{name} is not what the sources say; `make docs` writes it anew", file=sys.stderr)
        elif text is None:
            path.unlink()
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
