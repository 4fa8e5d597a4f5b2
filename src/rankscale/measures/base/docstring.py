"""Sections of docstrings: formula, user model and references of a measure are read where they are written."""

import re
from functools import cache

HEADING = re.compile(r"^(\S.*)\n-{3,}\n", re.MULTILINE)


class Section:
    """A section of the docstring of a class, as one line of text.

    Where the class has no such section, that of its nearest base; empty where none of them has it.
    """

    def __init__(self, title: str) -> None:
        self.title = title

    def __get__(self, instance: object, owner: type) -> str:
        return _nearest(owner, self.title)


@cache
def sections(owner: type) -> dict[str, str]:
    """The sections of a class's own docstring by title; what stands above the first of them has the title ''."""
    from inspect import cleandoc

    start, *rest = HEADING.split(cleandoc(owner.__doc__ or ""))
    return {"": start} | dict(zip(rest[::2], rest[1::2], strict=True))


@cache
def _nearest(owner: type, title: str) -> str:
    return next((" ".join(sections(base)[title].split()) for base in owner.__mro__ if title in sections(base)), "")
