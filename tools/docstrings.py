"""Read docstrings in the form of numpydoc: prose, then sections under a line of dashes."""

import inspect
from dataclasses import dataclass, field
from itertools import pairwise

SECTIONS = (
    "Parameters",
    "Returns",
    "Yields",
    "Raises",
    "Attributes",
    "Examples",
    "Command line",
    "Notes",
    "References",
    "See Also",
)


@dataclass(frozen=True)
class Parameter:
    """One entry of a Parameters section."""

    kind: str  # the type in words, without the default
    default: str  # in words; "" if none is stated
    meaning: str


@dataclass(frozen=True)
class Document:
    """A docstring: its first line, all its prose, and its sections."""

    summary: str = ""
    prose: str = ""
    sections: dict[str, list[str]] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """Entries of the Parameters section by name; `a, b : int` documents both."""
        parameters: dict[str, Parameter] = {}
        for head, below in entries(self.sections.get("Parameters", [])):
            names, _, kind = head.partition(" : ")
            kind, _, default = kind.partition(", default ")
            meaning = " ".join(line.strip() for line in below if line.strip())
            parameters |= {name.strip().lstrip("*"): Parameter(kind, default, meaning) for name in names.split(",")}
        return parameters

    @property
    def command_lines(self) -> tuple[str, ...]:
        """Examples of the section Command line."""
        return tuple(line.strip() for line in self.sections.get("Command line", []) if line.strip())


def entries(lines: list[str]) -> list[tuple[str, list[str]]]:
    """A section that lists names: each head, and the indented lines below it."""
    heads = [place for place, line in enumerate(lines) if line and not line.startswith(" ")]
    return [(lines[head], lines[head + 1 : end]) for head, end in zip(heads, [*heads[1:], len(lines)], strict=True)]


def read(value: object) -> Document:
    """The docstring of an object, or of its text."""
    lines = (value if isinstance(value, str) else inspect.getdoc(value) or "").splitlines()
    starts = [
        place
        for place, (line, below) in enumerate(pairwise(lines))
        if line in SECTIONS and below and set(below) == {"-"}
    ]
    ends = [*starts[1:], len(lines)]
    prose = "\n".join(lines[: starts[0]] if starts else lines).strip()
    sections = {lines[start]: lines[start + 2 : end] for start, end in zip(starts, ends, strict=False)}
    return Document(prose.partition("\n")[0], prose, sections)
