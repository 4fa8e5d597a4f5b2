"""The API reference, docs/api.md: every public name with its signature and its docstring.

`tools/make_docs.py` writes the page. Docstrings are in the form of numpydoc: a summary, paragraphs, then sections
(Parameters, Returns, Raises, Examples) under a line of dashes.
"""

import inspect
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from inspect import Signature
from types import FunctionType, ModuleType

import rankscale
from rankscale.data.signatures import plain
from tools import docstrings

# The order of the page; a public name that is in none of these is an error.
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
    "Studies": (
        "agree",
        "archetypes",
        "bounds",
        "changes",
        "correlate",
        "diff",
        "discriminate",
        "effort_gain",
        "intervals",
        "leave_out",
        "next_judgments",
        "overlap",
        "partial_order",
        "pool",
        "pool_orders",
        "recall_precision",
        "robustness",
        "topic_groups",
        "by_collection",
    ),
    "Figures and the report": ("figure", "panels", "report", "write_report", "serve"),
}
LISTS = ("Parameters", "Returns", "Yields", "Raises", "Attributes")  # sections of names and meanings
MODULES = re.compile(r"\b(?:rankscale|collections|typing|numpy|pathlib|os)(?:\.\w+)*\.(\w+)")  # prefixes of types
INHERITED = {"object", "ABC"}


def api_page(made: str) -> str:
    """The page, with the line that says how it is made."""
    return "\n".join(_lines(made)).rstrip() + "\n"


def _lines(made: str) -> Iterator[str]:
    yield from ("# Python reference", "", made)
    yield from ("Every public name of `import rankscale as rs`. Measures have [pages of their own](measures.md).", "")
    placed = {name for names in GROUPS.values() for name in names}
    public = {name: getattr(rankscale, name) for name in rankscale.__all__ if name != "__version__"}
    results = sorted(name for name, value in public.items() if inspect.isclass(value) and not _is_measure(value))
    modules = sorted(name for name, value in public.items() if isinstance(value, ModuleType))
    unplaced = sorted(name for name, value in public.items() if isinstance(value, FunctionType) and name not in placed)
    if unplaced:
        raise SystemExit(f"tools/api_page.py: say in GROUPS where these belong: {', '.join(unplaced)}")
    for group, names in GROUPS.items():
        yield from (f"## {group}", "")
        for name in names:
            yield from _entry(f"rs.{name}", public[name], level=3)
    yield from ("## Results and other types", "")
    for name in results:
        yield from _class(f"rs.{name}", public[name])
    for name in modules:
        yield from (f"## rs.{name}", "", *_markdown(inspect.getdoc(public[name]) or ""), "")
        members = getattr(public[name], "__all__", None)
        for value in _of_module(public[name]) if members is None else ():
            is_function = isinstance(value, FunctionType)
            yield from _entry(f"rs.{name}.{value.__name__}", value, level=3, signature=is_function)
        for member in members or ():
            value = getattr(public[name], member)
            described = f"rs.{name}.{member}"
            yield from _class(described, value) if inspect.isclass(value) else _entry(described, value, level=3)


def _of_module(module: ModuleType) -> list[type | FunctionType]:
    """Classes of a module, and what it imports when that is first used; not what is public elsewhere."""
    here = [value for value in vars(module).values() if getattr(value, "__module__", "") == module.__name__]
    later = [getattr(module, name) for name in getattr(module, "PLACES", ()) if name not in rankscale.__all__]
    return [value for value in here if inspect.isclass(value)] + later


def _is_measure(kind: type) -> bool:
    return any(base.__name__ == "Measure" for base in kind.__mro__)


def _class(name: str, kind: type) -> Iterator[str]:
    yield from _entry(name, kind, level=3, signature=False)
    for member, value in _members(kind):
        yield from _entry(
            f"{name.removeprefix('rs.')}.{member}", value, level=4, signature=isinstance(value, FunctionType)
        )


def _members(kind: type) -> Iterator[tuple[str, object]]:
    """Public methods and properties with a docstring, those of base classes in the package too, in their order."""
    seen: set[str] = set()
    for base in kind.__mro__:
        if base.__name__ in INHERITED or not base.__module__.startswith("rankscale"):
            continue
        for name, value in vars(base).items():
            documented = isinstance(value, FunctionType | property) or hasattr(value, "func")
            if name.startswith("_") or name in seen or not documented or not inspect.getdoc(value):
                continue
            seen.add(name)
            yield name, value


def _entry(name: str, value: object, *, level: int, signature: bool = True) -> Iterator[str]:
    yield from (f"{'#' * level} {name}", "")
    if signature and callable(value):
        yield from ("```python", f"{name}{_signature(value)}", "```", "")
    document = inspect.getdoc(value) or ""
    if inspect.isclass(value) and is_dataclass(value) and document.startswith(f"{value.__name__}("):
        document = ""  # the constructor's signature, which dataclasses write where there is no docstring
    yield from (*_markdown(document), "")


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
    document = docstrings.read(text)
    yield from _sessions(document.prose.splitlines())
    for section, lines in document.sections.items():
        yield from ("", f"**{section}**", "")
        if section == "Command line":
            yield from ("```console", *(f"$ {line}" for line in document.command_lines), "```")
        elif section in LISTS:
            yield from (_listed(entry) for entry in docstrings.entries(lines))
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
        yield line
    if within:
        yield "```"
