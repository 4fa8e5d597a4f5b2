"""Names of files without their folders, for pages that others read."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from rankscale.data.notices import Notice, Noticed

Result = TypeVar("Result", bound=Noticed)


def without_folders(notices: Sequence[Notice], sources: Sequence[str]) -> tuple[Notice, ...]:
    """The same notices, each path of a source replaced by the name of its file.

    >>> notice = Notice.of("note", text="/home/me/runs/a.txt: tags vary")
    >>> without_folders([notice], ["/home/me/runs/a.txt"])[0]["text"]
    'a.txt: tags vary'
    """
    longest_first = sorted(filter(os.path.dirname, sources), key=len, reverse=True)

    def plain(value: object) -> object:
        if not isinstance(value, str):
            return value
        for source in longest_first:
            value = value.replace(source, os.path.basename(source))
        return value

    return tuple(
        Notice(notice.kind, tuple((name, plain(value)) for name, value in notice.fields)) for notice in notices
    )


def anonymous(result: Result, sources: Sequence[str]) -> Result:
    """The same result, with the names of files alone in its notices."""
    return replace(result, notices=without_folders(result.notices, sources))  # type: ignore[type-var]


def command_without_folders(words: Sequence[str]) -> list[str]:
    """A command line with the names of files alone.

    >>> command_without_folders(["report", "/home/me/qrels.txt", "-o", "out/page.html", "-m", "nDCG@10"])
    ['report', 'qrels.txt', '-o', 'page.html', '-m', 'nDCG@10']
    """
    return [os.path.basename(word.rstrip("/")) if "/" in word else word for word in words]
