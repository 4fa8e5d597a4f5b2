"""Screen: what a terminal can show; text that is piped, or goes to a file, has none of its limits."""

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from unicodedata import combining, east_asian_width

from rankscale.outputs.names import on_terminal

BOLD, DIM, RED, GREEN, YELLOW = "1", "2", "31", "32", "33"  # as terminals number them
ELLIPSIS = "…"
WIDEST = 200  # characters to which all cells of a column are filled up, or names of rows; longer ones stick out
TONES = {"good": GREEN, "bad": RED, "odd": YELLOW}
SIGNS = {**dict(zip("▁▂▃▄▅▆▇█", "_.-=+*%#", strict=True)), "±": "+-", "…": "~"}  # of encodings without blocks


@dataclass(frozen=True)
class Screen:
    """The terminal that text is written for.

    Attributes
    ----------
    width : int or None
        Characters of a line; None where text is not written to a terminal, and nothing is fitted.
    styled : bool
        Whether bold, dim and coloured text is shown as such.
    more : str
        The option that writes what is left out for want of room.
    """

    width: int | None = None
    styled: bool = False
    more: str = "--format tsv"

    def style(self, text: str, *codes: str) -> str:
        """Text in bold, dim or a colour; as it is where nothing can be shown so, or no code is given."""
        return f"\x1b[{';'.join(codes)}m{text}\x1b[0m" if self.styled and codes and text else text


PLAIN = Screen()


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: two for each wide character, none for an accent of its own.

    >>> columns("bm25"), columns("検索")
    (4, 4)
    """
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def common_width(widths: Iterable[int]) -> int:
    """To how many characters cells are filled up: the widest, but for those that would make all others very wide.

    >>> common_width([3, 5]), common_width([3, 5, 400_000])
    (5, 5)
    """
    return max((width for width in widths if width <= WIDEST), default=0)


def in_ascii(text: str) -> str:
    """Text with signs in the place of block characters, for encodings that lack them.

    >>> in_ascii("0.5 ±0.1 ▁▄█")
    '0.5 +-0.1 _=#'
    """
    return re.sub(f"[{''.join(SIGNS)}]", lambda sign: SIGNS[sign[0]], text)


def wrapped(text: str, width: int | None) -> str:
    """A paragraph wrapped at words, its further lines a little deeper where the first is indented.

    What is longer than a line, such as a path, stays whole.
    """
    shown = on_terminal(text, kept="\t")
    if width is None or columns(shown) <= width:
        return shown
    indent = shown[: len(shown) - len(shown.lstrip())]
    deeper = f"{indent}  " if indent else ""
    fill = partial(textwrap.fill, break_long_words=False, break_on_hyphens=False)
    return fill(shown.lstrip(), width, initial_indent=indent, subsequent_indent=deeper)


def cut(text: str, limit: int) -> str:
    """A name of at most `limit` characters: its beginning and its end.

    >>> cut("msmarco-distilbert-base-v4", 15)
    'msmarco…base-v4'
    """
    if len(text) <= limit:
        return text
    end = limit // 2
    return f"{text[: limit - end - 1]}{ELLIPSIS}{text[-end:]}"
