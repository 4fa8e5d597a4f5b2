"""The API reference, docs/api.md and a page for each of its parts: public names with signature and docstring.

`tools/make_docs.py` writes the pages. Docstrings are in the form of numpydoc: a summary, paragraphs, then sections
(Parameters, Returns, Raises, Examples) under a line of dashes.
"""

import inspect
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import is_dataclass
from inspect import Signature
from types import FunctionType, ModuleType

import rankscale
from rankscale.cli import declarations
from rankscale.cli.declarations import read_docstring
from rankscale.data.arguments import plain, register

STUDIES = {study.python for study in register("studies").values()}
# The order of the page; studies are read from their register. A public name that is in none of these is an error.
GROUPS = {
    "Reading": (
        "read_qrels",
        "read_run",
        "read_runs",
        "read_values",
        "judged",
        "write_run",
        "write_qrels",
        "partition",
        "check",
    ),
    "Measuring": ("evaluate", "evaluate_blocks", "curves", "parse", "scale", "set_max_memory"),
    "Comparing": (
        "compare",
        "advise",
        "ranking_confidence",
        "gate",
        "statements",
        "standardise",
        "topics_needed",
        "top",
    ),
    "Fusing": ("fuse", "tune_fusion"),
    "Studies": (*sorted({"next_judgments", *STUDIES} - {"gate"}), "by_collection"),
    "Figures and the report": ("figure", "panels", "report", "write_report", "serve"),
}
LISTS = ("Parameters", "Returns", "Yields", "Raises", "Attributes")  # sections of names and meanings
MODULES = re.compile(r"\b(?:rankscale|collections|typing|numpy|pathlib|os)(?:\.\w+)*\.(\w+)")  # prefixes of types
DIRECTIVE = re.compile(r"\s*# doctest:.*$")  # for the tests of examples, not for readers
INHERITED = {"object", "ABC"}
FOLDER = "api"  # of the pages of the parts
SHARED = {  # what most results inherit, described once
    "TabularResult": "Every result that has tables, which is nearly every one",
    "Study": "Results of studies, of `gate` and of `tune_fusion`",
    "Noticed": "Results that have notices",
}
PLACES = {  # of types that no function returns, or several
    "Evaluation": "Measuring",
    "Readings": "Measuring",
    "Statement": "Comparing",
    "Inline": "rs.executors",
    "Processes": "rs.executors",
}

INDEX = """\
# Python reference

{made}
Every public name of `import rankscale as rs`. Measures have [pages of their own](measures.md), and [In
Python](guide/python.md) is a tour.

{parts}
"""
EVERY_RESULT = """\
# What every result has

{made}
Results are read in the same ways: as text, data frames, JSON, LaTeX or Markdown, and written to files. The pages of the
reference describe what a result has beyond that.

"""


def api_pages(made: str) -> dict[str, str]:
    """The pages by their place in docs/, each with the line that says how it is made."""
    parts = _parts()
    index = INDEX.format(made=made, parts="\n\n".join(_listing(part, entries) for part, entries in parts.items()))
    pages = {"api.md": index, f"{FOLDER}/results.md": EVERY_RESULT.format(made=made) + _text(_every_result())}
    for part, entries in parts.items():
        pages[f"{FOLDER}/{_file(part)}"] = _text(["# " + part, "", made, *_introduced(part), *_entries(entries)])
    return pages


def _file(part: str) -> str:
    return re.sub(r"\W+", "-", part.removeprefix("rs.").casefold()) + ".md"


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines).rstrip() + "\n"


def _parts() -> dict[str, dict[str, object]]:
    """What each page describes, by the name that a reader types: functions, then the types that they return."""
    public = {name: getattr(rankscale, name) for name in rankscale.__all__ if name != "__version__"}
    parts: dict[str, dict[str, object]] = {
        group: {f"rs.{name}": public[name] for name in names} for group, names in GROUPS.items()
    }
    parts |= {f"rs.{name}": _of_module(name, value) for name, value in public.items() if isinstance(value, ModuleType)}
    placed = {name for names in GROUPS.values() for name in names}
    for name, value in sorted(public.items()):
        if inspect.isclass(value) and not _is_measure(value):
            parts[_part_of(name)].setdefault(f"rs.{name}", value)
        elif isinstance(value, FunctionType) and name not in placed:
            raise SystemExit(f"tools/api_page.py: say in GROUPS where {name} belongs")
    return parts


def _part_of(name: str) -> str:
    """The part whose functions return a type."""
    if name in PLACES:
        return PLACES[name]
    for part, names in GROUPS.items():
        returned = (str(getattr(rankscale, one).__annotations__["return"]) for one in names)
        if any(re.search(rf"\b{name}\b", text) for text in returned):
            return part
    raise SystemExit(f"tools/api_page.py: say in PLACES where {name} belongs")


def _listing(part: str, entries: Mapping[str, object]) -> str:
    """A part in the list of all: names, each with the first sentence about it."""
    page = f"{FOLDER}/{_file(part)}"
    rows = [
        f"| [`{name}`]({page}#{_anchor(_title(name, value))}) | {_first_line(value)} |"
        for name, value in entries.items()
    ]
    return "\n".join([f"## {part}", "", "| | |", "|---|---|", *rows])


def _title(name: str, value: object) -> str:
    """The heading of an entry; links tell no capitals apart, and there are rs.check and rs.Check."""
    return f"class {name}" if inspect.isclass(value) else name


def _anchor(title: str) -> str:
    return re.sub(r"[^\w-]", "", title.replace(" ", "-")).lower()


def _first_line(value: object) -> str:
    return read_docstring(_document(value)).prose.partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def _introduced(part: str) -> list[str]:
    """What a module says of itself."""
    return [*_markdown(inspect.getdoc(getattr(rankscale, part[3:])) or ""), ""] if part.startswith("rs.") else []


def _entries(entries: Mapping[str, object]) -> Iterator[str]:
    for name, value in entries.items():
        if inspect.isclass(value) and not issubclass(value, BaseException):
            yield from _class(name, value)
        else:
            yield from _entry(name, value, level=2, signature=isinstance(value, FunctionType))


def _every_result() -> Iterator[str]:
    """The classes that results inherit from."""
    bases = {base.__name__: base for name in rankscale.__all__ for base in _bases(getattr(rankscale, name))}
    for name, words in SHARED.items():
        yield from (f"## {name}", "", f"{words}.", "")
        for member, value in _members([bases[name]]):
            yield from _entry(f"{name}.{member}", value, level=3, signature=isinstance(value, FunctionType))


def _of_module(name: str, module: ModuleType) -> dict[str, object]:
    """What a module has: all that it declares, or else its classes and what it imports when that is first used."""
    members = getattr(module, "__all__", None)
    if members is not None:
        return {f"rs.{name}.{member}": getattr(module, member) for member in members}
    here = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
    later = [getattr(module, name) for name in getattr(module, "PLACES", ()) if name not in rankscale.__all__]
    own = [value for value in here if inspect.isclass(value)] + later
    return {f"rs.{name}.{value.__name__}": value for value in own}


def _is_measure(kind: type) -> bool:
    return any(base.__name__ == "Measure" for base in kind.__mro__)


def _bases(kind: object) -> list[type]:
    """The class and those that it inherits from, as far as they are part of the package."""
    every = kind.__mro__ if inspect.isclass(kind) else ()
    return [one for one in every if one.__name__ not in INHERITED and one.__module__.startswith("rankscale")]


def _class(name: str, kind: type) -> Iterator[str]:
    """A class and what it has of its own; what most results inherit is on a page of its own."""
    yield from _entry(name, kind, level=2, signature=False)
    bases = _bases(kind)
    shared = [base.__name__ for base in bases if base.__name__ in SHARED]
    if shared:
        links = ", ".join(f"[{one}](results.md#{one.lower()})" for one in shared)
        yield from (f"It also has what every result has: {links}.", "")
    for member, value in _members([base for base in bases if base.__name__ not in SHARED]):
        own = f"{name.removeprefix('rs.')}.{member}"
        yield from _entry(own, value, level=3, signature=isinstance(value, FunctionType))


def _members(bases: Iterable[type]) -> Iterator[tuple[str, object]]:
    """Public methods and properties with a docstring that some bases of a class define, in their order."""
    seen: set[str] = set()
    for base in bases:
        for name, value in vars(base).items():
            documented = isinstance(value, FunctionType | property) or hasattr(value, "func")
            if name.startswith("_") or name in seen or not documented or not inspect.getdoc(value):
                continue
            seen.add(name)
            yield name, value


def _entry(name: str, value: object, *, level: int, signature: bool = True) -> Iterator[str]:
    yield from (f"{'#' * level} {_title(name, value)}", "")
    if signature and callable(value):
        yield from ("```python", f"{name}{_signature(value)}", "```", "")
    yield from (*_markdown(_document(value)), "")


def _document(value: object) -> str:
    document = inspect.getdoc(value) or ""
    if inspect.isclass(value) and is_dataclass(value) and document.startswith(f"{value.__name__}("):
        return ""  # the constructor's signature, which dataclasses write where there is no docstring
    return document


def _signature(value: object) -> str:
    """Names and defaults, as help() shows them, one to a line where they do not fit into one."""
    assert callable(value)  # noqa: S101  # asked before
    shown = plain(value)
    kept = [parameter for parameter in shown.parameters.values() if parameter.name != "self"]
    returns = MODULES.sub(r"\1", str(shown.replace(parameters=[])).removeprefix("()"))
    returns = re.sub(r"^ -> '(.*)'$", r" -> \1", returns)  # types that are imported for type checkers alone
    text = str(Signature(kept))
    if len(text + returns) <= 100:
        return text + returns
    parameters = [str(one) for one in kept]
    star = next((place for place, one in enumerate(kept) if one.kind is one.KEYWORD_ONLY), None)
    if star is not None:
        parameters.insert(star, "*")
    return "(\n" + "".join(f"    {one},\n" for one in parameters) + ")" + returns


def _markdown(text: str) -> Iterator[str]:
    """A docstring as Markdown: sections under bold lines, parameters as a list, examples as sessions."""
    document = read_docstring(text)
    yield from _sessions(document.prose.splitlines())
    for section, lines in document.sections.items():
        yield from ("", f"**{section}**", "")
        if section == "Command line":
            yield from ("```console", *(f"$ {line}" for line in document.command_lines), "```")
        elif section in LISTS:
            yield from (_listed(entry) for entry in declarations.entries(lines))
        else:
            yield from _sessions(lines)


def _listed(entry: tuple[str, list[str]]) -> str:
    name, _, kind = entry[0].partition(" : ")
    meaning = " ".join(line.strip() for line in entry[1] if line.strip())
    return f"- `{name}`{f' ({kind})' if kind else ''}{f': {meaning}' if meaning else ''}"


def _sessions(lines: list[str]) -> Iterator[str]:
    """Lines with sessions of Python in fences."""
    within = False
    for line in lines:
        if line.startswith(">>>") and not within:
            yield "```pycon"
            within = True
        elif within and not line.strip():
            yield "```"
            within = False
        yield DIRECTIVE.sub("", line) if within else line
    if within:
        yield "```"
